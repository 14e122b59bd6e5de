"""Print what each page of the built site weighs, in kB over the wire (gzip 6), by kind of file.

    python book/_tools/weigh.py                            every page
    python book/_tools/weigh.py notebooks/07_*.html        some

A page is opened in a Chromium and scrolled to its end. `living` is what brings living figures; `first` is the
weight before the page is scrolled; `others` counts requests to other hosts.
"""

import argparse
from pathlib import Path
from urllib.parse import urlsplit

import browser
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright
from serve import over_the_wire, serving

SITE = Path(__file__).parents[2] / "_build" / "html"
# All rules that apply. The many boxes of a formula are hidden from readers of the screen and would take
# minutes: an empty box of the same size stands for them, and a formula's text for its MathML. Of many entries
# that are made alike, three of a section stand for all.
AXE = {"context": {"exclude": [[".katex"]]}, "options": {"resultTypes": ["violations"]}}
FLATTEN = """() => {
    const boxes = [...document.querySelectorAll(".katex-html")].map(e => [e, e.offsetWidth, e.offsetHeight]);
    for (const [e, width, height] of boxes)
        e.innerHTML = `<span style="display: inline-block; width: ${width}px; height: ${height}px"></span>`;
    for (const formula of document.querySelectorAll("math")) formula.replaceChildren(formula.textContent);
    for (const entry of document.querySelectorAll(".entry ~ .entry ~ .entry ~ .entry")) entry.remove();
}"""
KINDS = {".html": "html", ".css": "css", ".js": "js", ".woff2": "fonts"}


def weigh(tab, address, name):
    """What a page asks for: bytes by kind, by the first screen, and the number of requests."""
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(address + name, wait_until="networkidle")
    first = weights(asked, address)
    scroll_to_end(tab)
    tab.wait_for_load_state("networkidle")
    counts = weights(asked, address)
    others = sum(not url.startswith((address, "data:")) for url in asked)
    return counts | {"first": sum(first.values()), "total": sum(counts.values()),
                     "requests": len(set(asked)), "others": others}  # fmt: skip


def scroll_to_end(tab):
    """Bring each part of a page near once. A part that comes near gets its height, so the end moves on."""
    tab.evaluate("scrollTo({top: 0, behavior: 'instant'})")
    still(tab)
    step = "const before = scrollY; scrollBy({top: 900, behavior: 'instant'}); return scrollY > before"
    while tab.evaluate(f"() => {{ {step} }}"):
        still(tab)  # what is near is seen once a frame, and frames are late on a busy machine


def still(tab):
    """Wait for the next frame, and the one after it."""
    frames = "requestAnimationFrame(() => requestAnimationFrame(done))"
    tab.evaluate(f"new Promise(done => {{ {frames}; setTimeout(done, 5000); }})")  # a page may get no frames at all


def weights(asked, address):
    """Bytes by kind of what was asked for on this site."""
    counts = dict.fromkeys([*KINDS.values(), "pictures", "living"], 0)
    for path in {urlsplit(url).path.lstrip("/") for url in asked if url.startswith(address)}:
        file = SITE / (path or "index.html")
        kind = "living" if path.startswith("_static/living/") else KINDS.get(file.suffix, "pictures")
        counts[kind] += len(over_the_wire(file))
    return counts


def broken_rules(tab, **options):
    """The rules of axe that a page breaks, each with the places. The page's formulas are gone after that."""
    tab.evaluate(FLATTEN)
    found = Axe().run(tab, context=AXE["context"], options=AXE["options"] | options).response["violations"]
    return [(rule["id"], node["html"][:150]) for rule in found for node in rule["nodes"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*")
    names = parser.parse_args().pages or sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
    weights_of = [*KINDS.values(), "pictures", "living", "first", "total"]
    columns = [*weights_of, "requests", "others"]
    print(f"{'page':36}" + "".join(f"{column:>9}" for column in columns))
    with serving(SITE) as address, sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser.find(), args=["--no-sandbox"])
        for name in names:
            tab = running.new_page(viewport={"width": 1280, "height": 900})
            found = weigh(tab, f"{address}/", name)
            tab.close()
            found |= {column: found[column] / 1000 for column in weights_of}
            print(f"{name:36}" + "".join(f"{found[column]:9.0f}" for column in columns), flush=True)
        running.close()


if __name__ == "__main__":
    main()

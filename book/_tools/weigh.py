"""Print what each page of the built site weighs, in kB over the wire (gzip 6), by kind of file.

    python book/_tools/weigh.py                            every page
    python book/_tools/weigh.py notebooks/07_*.html        some
    python book/_tools/weigh.py --marks FOLDER …           with what Lighthouse and axe say of them

A page is opened in a Chromium and scrolled to its end. `living` is what brings living figures; `first` is the
weight before the page is scrolled; `others` counts requests to other hosts.

FOLDER is where both tools were put: `npm install --prefix FOLDER lighthouse axe-core`. `axe` counts what is
broken at 1280 and 390 px in both themes. `speed`, `access`, `best` and `seo` are Lighthouse's marks for a
phone; `paint`, `largest` and `blocked` its times there. `maths` is when the formulas of the first screen
have their glyphs, at full speed and at a quarter of it, the median of five readings. Times are in ms, of a
machine that does nothing else.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import browser
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright
from serve import over_the_wire, serving

SITE = Path(__file__).parents[2] / "_build" / "html"
# All rules that apply. The many boxes of a formula are hidden from readers of the screen and would take
# minutes: an empty box of the same size stands for them, and a formula's text for its MathML.
AXE = {"context": {"exclude": [[".katex"]]}, "options": {"resultTypes": ["violations"]}}
FLATTEN = """() => {
    const boxes = [...document.querySelectorAll(".katex-html")].map(e => [e, e.offsetWidth, e.offsetHeight]);
    for (const [e, width, height] of boxes)
        e.innerHTML = `<span style="display: inline-block; width: ${width}px; height: ${height}px"></span>`;
    for (const formula of document.querySelectorAll("math")) formula.replaceChildren(formula.textContent);
}"""
MARKS = ("speed", "access", "best", "seo", "paint", "largest", "blocked")
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


def read_marks(folder, address):
    """Lighthouse's marks and times of a page."""
    with tempfile.TemporaryDirectory() as made:
        report = Path(made) / "report.json"
        flags = ["--quiet", "--output=json", f"--output-path={report}"]
        command = [folder / "node_modules/.bin/lighthouse", address, *flags]
        alone = "--chrome-flags=--headless=new --no-sandbox"
        subprocess.run([*command, alone], check=True, env=os.environ | {"CHROME_PATH": browser.find()})
        report = json.loads(report.read_text(encoding="utf-8"))
    kinds = {"speed": "performance", "access": "accessibility", "best": "best-practices", "seo": "seo"}
    times = {"paint": "first-contentful-paint", "largest": "largest-contentful-paint"}
    times["blocked"] = "total-blocking-time"
    marks = {name: 100 * report["categories"][kind]["score"] for name, kind in kinds.items()}
    return marks | {name: report["audits"][kind]["numericValue"] for name, kind in times.items()}


def broken_rules(tab, axe):
    """The rules of axe that a page breaks, each with the places. The page's formulas are gone after that."""
    tab.evaluate(FLATTEN)
    found = axe.run(tab, **AXE).response["violations"]
    return [(rule["id"], node["html"][:150]) for rule in found for node in rule["nodes"]]


def count_broken(running, axe, address):
    """How many places break a rule of axe, in both themes and at two widths."""
    broken = 0
    for theme in ("light", "dark"):
        for width in (1280, 390):
            tab = running.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
            tab.goto(address, wait_until="networkidle")
            scroll_to_end(tab)
            broken += len(broken_rules(tab, axe))
            tab.close()
    return broken


def time_maths(running, address, slower):
    """The median of five readings of `read_maths`, in ms."""
    return statistics.median(read_maths(running, address, slower) for _ in range(5))


def read_maths(running, address, slower):
    """When the first screen is painted and the fonts of its formulas are there, in ms after the request."""
    tab = running.new_page(viewport={"width": 390, "height": 844})
    tab.context.new_cdp_session(tab).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    tab.goto(address, wait_until="networkidle")
    ready = tab.evaluate(
        """() => {
            const seen = [...document.querySelectorAll(".katex-html span")].filter(e =>
                !e.childElementCount && e.checkVisibility() && e.getBoundingClientRect().top < innerHeight);
            const faces = [...new Set(seen.map(e => getComputedStyle(e).fontFamily.split(",")[0] + "-"))];
            const fonts = performance.getEntriesByType("resource")
                .filter(({ name }) => faces.some(face => name.includes(face)));
            const painted = performance.getEntriesByName("first-contentful-paint");
            return Math.max(...painted.map(e => e.startTime), ...fonts.map(e => e.responseEnd));
        }"""
    )
    tab.close()
    return ready


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--marks", metavar="FOLDER", type=Path)
    given = parser.parse_args()
    names = given.pages or sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
    weights_of = [*KINDS.values(), "pictures", "living", "first", "total"]
    more = ["axe", *MARKS, "maths", "maths/4"] if given.marks else []
    print(f"{'page':36}" + "".join(f"{column:>9}" for column in [*weights_of, "requests", "others", *more]))
    with serving(SITE) as address, sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser.find(), args=["--no-sandbox"])
        for name in names:
            tab = running.new_page(viewport={"width": 1280, "height": 900})
            found = weigh(tab, f"{address}/", name)
            tab.close()
            found |= {column: found[column] / 1000 for column in weights_of}
            if given.marks:
                page = f"{address}/{name}"
                axe = Axe.from_file(given.marks / "node_modules/axe-core/axe.min.js")
                found |= {"axe": count_broken(running, axe, page)} | read_marks(given.marks, page)
                found |= {"maths": time_maths(running, page, 1), "maths/4": time_maths(running, page, 4)}
            columns = [*weights_of, "requests", "others", *more]
            print(f"{name:36}" + "".join(f"{found[column]:9.0f}" for column in columns), flush=True)
        running.close()


if __name__ == "__main__":
    main()

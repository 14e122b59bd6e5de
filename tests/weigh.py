"""Print what each page of the built site weighs, in kB over the wire (gzip 6), by kind of file.

    python tests/weigh.py                         every page
    python tests/weigh.py notebooks/07_*.html     some

A page is opened in a Chromium and scrolled to its end. `living` is what brings living figures; `first` is the
weight before the page is scrolled; `others` counts requests to other hosts.
"""

import sys
from pathlib import Path
from urllib.parse import urlsplit

import browser
from playwright.sync_api import sync_playwright
from serve import over_the_wire, serving

SITE = Path(__file__).parent.parent / "_build" / "html"
KINDS = {".html": "html", ".css": "css", ".js": "js", ".woff2": "fonts"}


def weigh(tab, address, name):
    """What a page asks for: bytes by kind, by the first screen, and the number of requests."""
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(address + name, wait_until="networkidle")
    first = weights(asked, address)
    step = "top => window.scrollTo({top, behavior: 'instant'})"
    for top in range(0, tab.evaluate("document.documentElement.scrollHeight"), 800):
        tab.evaluate(step, top)
        tab.wait_for_timeout(20)
    tab.wait_for_load_state("networkidle")
    counts = weights(asked, address)
    others = sum(not url.startswith((address, "data:")) for url in asked)
    return counts | {"first": sum(first.values()), "total": sum(counts.values()),
                     "requests": len(set(asked)), "others": others}  # fmt: skip


def weights(asked, address):
    """Bytes by kind of what was asked for on this site."""
    counts = dict.fromkeys([*KINDS.values(), "pictures", "living"], 0)
    for path in {urlsplit(url).path.lstrip("/") for url in asked if url.startswith(address)}:
        file = SITE / (path or "index.html")
        kind = "living" if path.startswith("_static/live/") else KINDS.get(file.suffix, "pictures")
        counts[kind] += len(over_the_wire(file))
    return counts


def main(names):
    names = names or sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
    columns = [*KINDS.values(), "pictures", "living", "first", "total"]
    print(f"{'page':36}" + "".join(f"{column:>10}" for column in [*columns, "requests", "others"]))
    with serving(SITE) as address, sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser.find(), args=["--no-sandbox"])
        for name in names:
            tab = running.new_page(viewport={"width": 1280, "height": 900})
            found = weigh(tab, f"{address}/", name)
            row = "".join(f"{found[column] / 1000:10.0f}" for column in columns)
            print(f"{name:36}{row}{found['requests']:10}{found['others']:10}")
            tab.close()
        running.close()


if __name__ == "__main__":
    main(sys.argv[1:])

"""The built site, in a real Chromium, as a reader meets it: light and dark, desktop and phone."""

import functools
import gzip
import json
import re
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pages
import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

ROOT = Path(__file__).parent.parent
SITE = ROOT / "_build" / "html"
PAGES = [*(f"{name}.html" for name in pages.listed()), "search.html", "genindex.html"]
VIEWS = [(theme, width) for theme in ("light", "dark") for width in (1280, 380)]
FIELDS = "[...document.querySelectorAll('input[type=search]')].filter(i => i.checkVisibility()).length"
# Formulas take their colour from the text around them, and their many boxes would take minutes.
AXE = {"context": {"exclude": [[".katex"]]}, "options": {"runOnly": ["color-contrast", "image-alt"]}}
COMPRESSED = {".html", ".css", ".js", ".svg", ".json", ".txt", ".ipynb"}


@functools.cache
def soup(page):
    return BeautifulSoup((SITE / page).read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="module")
def address(serve):
    """The site, served on this machine."""
    assert (SITE / "index.html").is_file(), "there is no built site: run 'make book'"
    return serve(SITE) + "/"


@pytest.fixture
def visit(chromium):
    """Open an address in a theme and a width; gather what goes wrong and what is asked for."""
    contexts = []

    def open_page(url, theme="light", width=1280):
        context = chromium.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        context.add_init_script(f"localStorage.mode = localStorage.theme = '{theme}'")
        page = context.new_page()
        page.problems, page.requested = [], []
        page.on("console", lambda m: m.type in ("error", "warning") and page.problems.append(m.text))
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("requestfailed", lambda request: page.problems.append(f"failed: {request.url}"))
        page.on("request", lambda request: page.requested.append(request.url))
        page.goto(url, wait_until="load")
        return page

    yield open_page
    for context in contexts:
        context.close()


def settle(page):
    """Wait for the fonts, and a moment for whatever scrolling may have set off."""
    page.evaluate("document.fonts.ready.then(() => true)")
    page.wait_for_timeout(150)


@pytest.mark.parametrize(("theme", "width"), VIEWS)
@pytest.mark.parametrize("name", PAGES)
def test_page_as_a_reader_meets_it(visit, address, name, theme, width):
    page = visit(address + name, theme, width)
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    settle(page)

    overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert overflow <= 0, f"the page is {overflow} px wider than the screen"
    broken = page.evaluate("[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)")
    assert broken == []
    found = Axe().run(page, **AXE).response["violations"] if width == 1280 else []
    assert [(rule["id"], node["html"][:150]) for rule in found for node in rule["nodes"]] == []

    if name != "search.html":
        fields = (
            "[...document.querySelectorAll('input[type=search]')].filter(i => i.checkVisibility()).length"
        )
        assert page.evaluate(fields) == 0  # a button opens the one field
        page.keyboard.press("Control+k")
        page.wait_for_function(f"{fields} == 1")
    away = [url for url in page.requested if not url.startswith((address, "data:"))]
    assert away == [], "another host was asked"
    assert page.problems == []


@pytest.mark.parametrize("name", PAGES)
def test_page_opens_from_a_file(visit, name):
    page = visit((SITE / name).as_uri())
    settle(page)
    assert page.problems == []
    assert [url for url in page.requested if not url.startswith(("file:", "data:"))] == []


def test_search_finds_a_chapter(visit, address):
    page = visit(address + "search.html?q=embeddings")
    page.wait_for_selector("#search-results li a")
    assert page.problems == []


@pytest.mark.parametrize("name", pages.NOTEBOOKS)
def test_weight_of_a_chapter(visit, address, name):
    page = visit(f"{address}notebooks/{name}.html")
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    settle(page)
    files = {SITE / urlsplit(url).path.lstrip("/") for url in page.requested if url.startswith(address)}
    weights = {file.relative_to(SITE).as_posix(): over_the_wire(file) for file in files}
    assert sum(weights.values()) < 500_000, sorted(weights.items(), key=lambda entry: -entry[1])[:10]


def over_the_wire(file):
    data = file.read_bytes()
    return len(gzip.compress(data)) if file.suffix in COMPRESSED else len(data)


def test_weight_of_the_site():
    assert sum(file.stat().st_size for file in SITE.rglob("*") if file.is_file()) < 15_000_000


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_loaded_from_another_host(name):
    loaded = [
        (tag, key) for tag in ("img", "script", "iframe", "source", "video", "audio") for key in ("src",)
    ]
    for tag, key in [*loaded, ("link", "href"), ("img", "srcset"), ("object", "data")]:
        for element in soup(name).find_all(tag, attrs={key: True}):
            assert not re.match(r"(https?:)?//", element[key]), str(element)[:200]


REMOTE = re.compile(
    r"""<(?:img|script|iframe|link)\b[^>]*//"""  # a tag of HTML
    r"""|!\[[^\]]*\]\(\s*(?:https?:)?//"""  # a picture of Markdown
    r"""|url\(["']?(?:https?:)?//|@import"""  # a style
)


@pytest.mark.parametrize("pattern", ["book/*.md", "book/assets/**/*.css", "notebooks/*.ipynb"])
def test_sources_load_nothing_from_another_host(pattern):
    paths = sorted(ROOT.glob(pattern))
    assert paths
    assert [path.name for path in paths if REMOTE.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("name", PAGES)
def test_mathematics_is_set(name):
    page = soup(name)
    assert page.select(".katex-error") == []
    article = BeautifulSoup(str(page.select_one("article") or page.body), "html.parser")
    for set_or_code in article.select(".katex, pre, code, script"):
        set_or_code.decompose()
    raw = re.findall(r"\$\$|\\(?:frac|begin|left|sin|cos|omega|mathrm)\b|katex", article.get_text())
    assert raw == []


@pytest.mark.parametrize("name", PAGES)
def test_images_say_what_they_show(name):
    for image in soup(name).select('article :is(img, [role="img"])'):
        said = image.get("alt") or image.get("aria-label") or ""
        assert len(said.split()) >= 5, str(image)[:200]


@pytest.mark.parametrize("name", PAGES)
def test_internal_links_resolve(name):
    ids = {}
    for link in soup(name).find_all("a", href=True):
        target, anchor = urldefrag(urljoin(f"/{name}", link["href"]))
        if urlsplit(target).scheme in ("http", "https", "mailto") or link["href"].startswith("//"):
            continue
        file = SITE / unquote(target).lstrip("/")
        assert file.is_file(), link["href"]
        if anchor and file.suffix == ".html":
            page = file.relative_to(SITE).as_posix()
            ids.setdefault(page, {element["id"] for element in soup(page).find_all(id=True)})
            assert anchor in ids[page], link["href"]


@pytest.mark.parametrize("name", pages.NOTEBOOKS)
def test_buttons_of_a_chapter(name):
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    url, branch = config["repository"]["url"], config["repository"]["branch"]
    slug = urlsplit(url).path.strip("/")
    links = {link.get("href") for link in soup(f"notebooks/{name}.html").select(".article-header-buttons a")}
    path = f"notebooks/{name}.ipynb"
    assert f"https://mybinder.org/v2/gh/{slug}/{branch}?urlpath=lab/tree/{path}" in links
    assert f"https://colab.research.google.com/github/{slug}/blob/{branch}/{path}" in links
    assert url in links
    assert f"../_sources/{path}" in links
    assert (SITE / "_sources" / path).read_bytes() == (ROOT / path).read_bytes()


@pytest.mark.parametrize("name", pages.NOTEBOOKS)
def test_figures_of_a_chapter(name):
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())["cells"]
    page = soup(f"notebooks/{name}.html")
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    figures = [data for data in outputs if any("figure" in kind for kind in data)]
    described = ["".join(data["text/plain"]).strip() for data in figures]
    images = page.select('.cell_output :is(img, [role="img"])')
    shown = [re.sub(r"\s+", " ", image.get("alt") or image["aria-label"]) for image in images]
    assert shown == [re.sub(r"\s+", " ", text) for text in described]


@pytest.mark.parametrize("name", pages.NOTEBOOKS)
def test_folds_of_a_chapter(name):
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())["cells"]
    prompts = [cell["metadata"].get("mystnb", {}).get("code_prompt_show") for cell in cells]
    folded = soup(f"notebooks/{name}.html").select("details")
    said = [fold.summary.get_text(" ", strip=True) for fold in folded]
    assert [text for text in prompts if text] == [
        next((text for text in prompts if text and line.startswith(text)), line) for line in said
    ]
    assert not any(fold.has_attr("open") for fold in folded)


def results():
    return [
        data["application/vnd.posenc.result+json"]
        for name in pages.NOTEBOOKS
        for cell in json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())["cells"]
        for data in (output.get("data", {}) for output in cell.get("outputs", ()))
        if "application/vnd.posenc.result+json" in data
    ]


def links(rows):
    return {urldefrag(link["href"])[1] for row in rows for link in row.select("a[href]")}


def test_results_are_all_on_their_page():
    assert results()
    rows = soup("book/results.html").select("table tr")
    assert links(rows) == {f"result-{result['id']}" for result in results()}


def test_each_claim_is_shown_with_the_results_that_settle_it():
    rows = {row.code.get_text(): row for row in soup("book/audit.html").select("table tbody tr")}
    settled = {}
    for result in results():
        settled.setdefault(result["claim"], set()).add(f"result-{result['id']}")
    settled.pop("")
    assert len(settled) > 50
    assert {claim: links([row]) for claim, row in rows.items()} == settled

"""The built site, in a real Chromium, as a reader meets it: light and dark, desktop and phone."""

import functools
import json
import os
import re
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import limits
import pages
import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from finish import FACES
from fontTools.ttLib import TTFont
from weigh import broken_rules, scroll_to_end, still, weights

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build" / "html"
PAGES = [*(f"{name}.html" for name in pages.listed()), "search.html", "genindex.html"]
RESULT = "application/vnd.posenc.result+json"
# By page and not by test, so that a process reads a page as a tree once.
each_page = pytest.mark.parametrize("name", PAGES, scope="module")
each_notebook = pytest.mark.parametrize("name", pages.NOTEBOOKS, scope="module")


@functools.cache
def soup(page):
    return BeautifulSoup((SITE / page).read_text(encoding="utf-8"), "html.parser")


@functools.cache
def places(file):
    """The ids of a page, without reading it as a tree: all pages are linked from everywhere."""
    return set(re.findall(r'<[^>]*\sid="([^"]+)"', file.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def address(serve):
    """The site, served on this machine."""
    assert (SITE / "index.html").is_file(), "there is no built site: run 'make book'"
    return serve(SITE) + "/"


@pytest.fixture
def visit(chromium):
    """Open an address in a theme and a width; gather what goes wrong and what is asked for."""
    contexts = []

    def open_page(url, theme="light", width=1280, **options):
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        if theme:
            context.add_init_script(f"localStorage.mode = '{theme}'")
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


def show_all(page):
    """Scroll to the end, so that every part was near once and every picture asked for, and wait."""
    scroll_to_end(page)
    page.evaluate("document.querySelectorAll('img').forEach(image => image.loading = 'eager')")
    page.wait_for_function("[...document.images].every(image => image.complete)")
    page.wait_for_function(
        """() => { const sleeping = document.querySelector('.living:not([data-alive])');
            sleeping?.scrollIntoView({behavior: 'instant'}); return !sleeping; }"""
    )
    settle(page)


def settle(page):
    """Wait for the page's look at what is near, for the fonts, and a moment for what that may set off."""
    page.wait_for_function("'looked' in document.documentElement.dataset")
    still(page)
    page.wait_for_function("document.fonts.status === 'loaded'")
    page.wait_for_timeout(150)


WIDE = """() => [...document.querySelectorAll('article *')].filter(element => {
    const style = getComputedStyle(element);
    return element.scrollWidth > element.clientWidth + 1 && element.checkVisibility()
        && ['auto', 'scroll'].includes(style.overflowX) && element.clientWidth > 0;
}).map(element => ({
    what: element.className + ' ' + element.textContent.trim().slice(0, 40),
    stop: element.tabIndex === 0, named: !!element.getAttribute('aria-label'),
    hidden: !!element.closest('[aria-hidden=true]'),
    cue: getComputedStyle(element).backgroundImage.includes('gradient'),
}))"""
CUT = """() => [...document.querySelectorAll('article :is(.base, pre, td)')].filter(element => {
    const box = element.getBoundingClientRect();
    if (!element.checkVisibility() || box.right <= document.documentElement.clientWidth + 1) return false;
    for (let place = element.parentElement; place; place = place.parentElement)
        if (['auto', 'scroll'].includes(getComputedStyle(place).overflowX)) return false;
    return true;
}).map(element => element.textContent.slice(0, 60))"""
IDLE = """() => [...document.querySelectorAll('article [tabindex]:not(.grip)')]
    .filter(e => e.scrollWidth <= e.clientWidth + 1).map(e => e.textContent.slice(0, 60))"""


def unreachable(page):
    """What scrolls sideways and is no stop for the tab key, or does not show that it scrolls."""
    return [found for found in page.evaluate(WIDE) if found["hidden"] or not (found["stop"] and found["cue"])]


# A page of each kind is looked at twice as hard; once a week all are.
KINDS = [page for page in PAGES if not page.startswith("notebooks/") or os.environ.get("EVERY_NOTEBOOK")
         or Path(page).stem in (pages.DOOR, pages.CHAPTERS[6], pages.APPENDICES[0])]  # fmt: skip
# Those with a script of their own, or with figures that live.
FROM_A_FILE = [page for page in KINDS if page.startswith("notebooks/")
               or Path(page).stem in ("index", "results", "choose", "models", "search")]  # fmt: skip


def sound(page, home):
    """Insist on what holds of a page in any window: nothing sticks out, nothing is lost, nobody else is asked."""
    overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert overflow <= 0, f"the page is {overflow} px wider than the screen"
    broken = page.evaluate("[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)")
    assert broken == []
    assert unreachable(page) == [], "what is wide has to scroll by keyboard, to say so and to have a shadow"
    assert page.evaluate(CUT) == []
    assert page.evaluate(IDLE) == [], "what is not wide is no stop for the tab key"
    away = [url for url in page.requested if not url.startswith((home, "data:"))]
    assert away == [], "another host was asked"
    assert page.problems == []


@pytest.mark.filterwarnings("default::UserWarning")
@pytest.mark.parametrize("name", PAGES)
def test_page_as_a_reader_meets_it(visit, address, name):
    """By day on a desk, from a server; then by night, in a window as narrow as a phone."""
    page = visit(address + name, "light")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.wait_for_load_state("networkidle")
    first = weights(page.requested, address)
    show_all(page)
    page.wait_for_load_state("networkidle")
    is_light(name, first, weights(page.requested, address))
    sound(page, address)
    if Path(name).stem in pages.CHAPTERS:
        reads_lightly(page, name)
    page.keyboard.press("Control+k")
    assert page.evaluate("document.activeElement.matches('header input[type=search]')")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.set_viewport_size({"width": 390, "height": 900})
    settle(page)
    sound(page, address)
    if name in KINDS:
        assert broken_rules(page, Axe()) == []
        page.evaluate("document.documentElement.dataset.theme = 'light'")
        page.set_viewport_size({"width": 1280, "height": 900})
        settle(page)  # what is wide is looked for again a moment after a change of size, and when it comes near
        show_all(page)
        assert broken_rules(page, Axe()) == []


@pytest.mark.parametrize("name", FROM_A_FILE)
def test_page_opened_from_a_file(visit, name):
    """By night on a phone for what the page asks for itself, then by day on a desk."""
    home = SITE.as_uri() + "/"
    page = visit(home + name, "dark", 390)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    show_all(page)
    sound(page, home)
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    page.set_viewport_size({"width": 1280, "height": 900})
    settle(page)  # what is wide is looked for again a moment after a change of size, and when it comes near
    show_all(page)
    sound(page, home)


def is_light(name, first, total):
    """Hold the bytes of a page, by kind, to their limits."""
    found = total | {"first": sum(first.values()), "total": sum(total.values())}
    assert {kind: found[kind] for kind, most in limits.bytes_of(name).items() if found[kind] > most} == {}


@pytest.mark.parametrize("words", ["embeddings", "omega", "T5", "正弦", "旋转"])
def test_search_finds(visit, address, words):
    page = visit(f"{address}search.html?q={words}")
    page.wait_for_selector("#search-results li a")
    page.wait_for_selector("#search-results .context")
    excerpts = page.locator("#search-results .context").all_inner_texts()
    assert not [text for text in excerpts if re.search(r"\\\\[a-z]+|Repository|On this page", text)]
    assert page.problems == []


def test_search_from_a_file_says_why_it_shows_no_excerpts(visit):
    page = visit(f"{(SITE / 'search.html').as_uri()}?q=embeddings")
    page.wait_for_selector("#search-results li a")
    assert page.locator("#from-file").is_visible()
    assert page.problems == []


def test_weight_of_the_site():
    files = [file for file in SITE.rglob("*") if file.is_file() and "_static/run" not in file.as_posix()]
    assert sum(file.stat().st_size for file in files) < 16_500_000


@each_page
def test_nothing_is_loaded_from_another_host(name):
    loaded = [
        (tag, key) for tag in ("img", "script", "iframe", "source", "video", "audio") for key in ("src",)
    ]
    for tag, key in [*loaded, ("link", "href"), ("img", "srcset"), ("object", "data")]:
        for element in soup(name).find_all(tag, attrs={key: True}):
            if element.get("rel") == ["canonical"]:  # says where the page stands, and loads nothing
                continue
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


@each_page
def test_mathematics_is_set(name):
    page = soup(name)
    assert page.select(".katex-error") == []
    article = BeautifulSoup(str(page.select_one("article") or page.body), "html.parser")
    for set_or_code in article.select(".katex, pre, code, script"):
        set_or_code.decompose()
    raw = re.findall(r"\$\$|\\(?:frac|begin|left|sin|cos|omega|mathrm)\b|katex", article.get_text())
    assert raw == []


def test_fonts_of_formulas_are_asked_for_once_and_early(visit, address):
    page = visit(f"{address}notebooks/07_rope_complex.html")
    settle(page)
    entries = page.evaluate("performance.getEntriesByType('resource').map(e => [e.name, e.initiatorType])")
    for face in FACES:
        assert [kind for name, kind in entries if name.endswith(f"KaTeX_{face}.woff2")] == ["link"]


@each_page
def test_images_say_what_they_show(name):
    for image in soup(name).select('article :is(img, [role="img"])'):
        said = image.get("alt") or image.get("aria-label") or ""
        assert len(said.split()) >= 5, str(image)[:200]


@each_page
def test_internal_links_resolve(name):
    for link in soup(name).find_all("a", href=True):
        target, anchor = urldefrag(urljoin(f"/{name}", link["href"]))
        if urlsplit(target).scheme in ("http", "https", "mailto") or link["href"].startswith("//"):
            continue
        file = SITE / unquote(target).lstrip("/")
        assert file.is_file(), link["href"]
        if anchor and file.suffix == ".html":
            assert anchor in places(file), link["href"]


@each_notebook
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


@each_notebook
def test_figures_of_a_chapter(name):
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())["cells"]
    page = soup(f"notebooks/{name}.html")
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    figures = [data for data in outputs if any("figure" in kind for kind in data)]
    described = ["".join(data["text/plain"]).strip() for data in figures]
    images = page.select('.cell_output :is(img, [role="img"])')
    shown = [re.sub(r"\s+", " ", image.get("alt") or image["aria-label"]) for image in images]
    assert sorted(shown) == sorted(re.sub(r"\s+", " ", text) for text in described)


@each_notebook
def test_a_section_has_one_fold_for_what_stands_behind_it(name):
    article = soup(f"notebooks/{name}.html").article
    assert not article.select("details[open]")
    for section in article.select("article > section > section"):
        assert len(section.select("details.behind")) <= 1
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    shown = [cell for cell in code if "remove-cell" not in cell["metadata"].get("tags", ())]
    assert len(article.select(".cell_input")) == len(shown), "code is lost, or shown twice"
    for card in article.select(".posenc-result:not(details *)"):
        assert not card.select(".card-verdict, .seal, code:not(.card-title *)"), card["id"]
        assert not card.select(".card-word strong"), "a word, and no second one"
        entry = article.select_one(card.select_one(".card-word a.verdict")["href"])
        assert entry.select_one("details.behind .card-verdict .verdict"), card["id"]


@pytest.mark.parametrize("name", pages.CHAPTERS)
def test_an_exercise_has_one_fold(name):
    article = soup(f"notebooks/{name}.html").article
    for answer in article.select(".tag_answer"):
        assert len(answer.select(":scope > details")) == 1
        assert len(answer.select(".tag_solution details")) <= 1
    assert not article.select(".tag_solution:not(.tag_answer *):has(.cell_input)")


def results():
    return [
        data[RESULT]
        for name in pages.NOTEBOOKS
        for cell in json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text())["cells"]
        for data in (output.get("data", {}) for output in cell.get("outputs", ()))
        if RESULT in data
    ]


def links(element):
    found = {urldefrag(link["href"])[1] for link in element.select("a[href]")}
    return {anchor for anchor in found if anchor.startswith("result-")}


def test_results_are_all_on_their_page():
    assert results()
    entries = soup("book/results.html").select(".entry")
    shown = [name for entry in entries for name in links(entry)]
    assert sorted(shown) == sorted({f"result-{result['id']}" for result in results()})


def test_each_proof_on_the_page_of_results_shows_its_domain():
    proved = soup("book/results.html").select(".entry.proved")
    assert proved
    assert [entry.get_text()[:80] for entry in proved if not entry.select_one(".card-domain")] == []


@each_notebook
def test_each_proof_of_a_chapter_shows_its_domain(name):
    proved = soup(f"notebooks/{name}.html").select(".posenc-result.proved")
    assert [card.get("id") for card in proved if not card.select_one(".card-domain")] == []


def outside(page, selector):
    """What of a selector lies off the screen, or has no size, with the beginning of its text."""
    return page.evaluate(
        """selector => [...document.querySelectorAll(selector)].filter(element => {
            const box = element.getBoundingClientRect();
            return box.left < 0 || box.right > document.documentElement.clientWidth + 0.5 || !box.height;
        }).map(element => element.textContent.slice(0, 60))""",
        selector,
    )


@pytest.mark.parametrize("width", [390, 768, 1440])
@pytest.mark.parametrize("name", ["results", "claims"])
def test_every_verdict_is_on_the_screen_and_in_print(visit, address, name, width):
    page = visit(f"{address}book/{name}.html", width=width)
    shown = page.locator(".entry .verdict").count()
    assert shown >= page.locator(".entry").count() > 50
    assert outside(page, ".entry .verdict, .entry p") == []
    page.emulate_media(media="print")
    assert outside(page, ".entry .verdict, .entry p") == []
    assert not page.locator("form.filter").is_visible()


def test_results_are_filtered_by_word_verdict_and_chapter(visit, address):
    page = visit(address + "book/results.html")
    total = page.locator(".entry").count()
    assert page.locator(".entry:visible").count() == total
    page.get_by_label("Verdict").select_option("refuted")
    refuted = page.locator(".entry:visible").count()
    assert 0 < refuted == page.locator(".entry.refuted").count() < total
    assert page.locator("form.filter output").inner_text() == f"{refuted} of {total} results"
    page.get_by_label("Chapter").select_option(f"in-{pages.CHAPTERS[3]}")
    assert page.locator(".entry:visible").count() == page.locator(f".refuted.in-{pages.CHAPTERS[3]}").count()
    assert page.locator("section:visible:has(> .entry)").count() == 1
    page.get_by_label("Chapter").select_option("")
    page.get_by_label("Verdict").select_option("")
    page.get_by_label("Search", exact=True).fill(results()[0]["id"])
    assert 0 < page.locator(".entry:visible").count() < total
    assert page.problems == []


@pytest.mark.parametrize("name", ["results", "claims"])
def test_without_scripts_every_entry_shows_and_no_dead_form(visit, name):
    page = visit((SITE / "book" / f"{name}.html").as_uri(), theme=None, java_script_enabled=False)
    assert page.locator(".entry:visible").count() == page.locator(".entry").count()
    assert not page.locator("form.filter").is_visible()


def test_kinds_differ_without_colour_and_a_card_is_no_code(visit, address):
    page = visit(address + "book/results.html")
    look = """selector => { const style = getComputedStyle(document.querySelector(selector));
        return [style.borderInlineStartStyle, style.backgroundColor]; }"""
    edges = {kind: page.evaluate(look, f".entry.{kind}")[0] for kind in ("proved", "refuted", "measured")}
    assert len(set(edges.values())) == 3, edges
    sign = "selector => getComputedStyle(document.querySelector(selector), '::before').content"
    signs = {kind: page.evaluate(sign, f".entry .verdict.{kind}") for kind in edges}
    assert len(set(signs.values())) == 3, signs
    chapter = visit(f"{address}notebooks/{pages.CHAPTERS[0]}.html")
    assert chapter.evaluate(look, ".posenc-result") != chapter.evaluate(look, ".cell_input pre")


def test_a_link_into_a_fold_opens_it(visit, address):
    name = pages.CHAPTERS[7]
    folded = soup(f"notebooks/{name}.html").select_one("details .posenc-result[id]")["id"]
    page = visit(f"{address}notebooks/{name}.html#{folded}")
    assert page.locator(f"#{folded}").is_visible()
    settle(page)
    assert 0 <= page.locator(f"#{folded}").bounding_box()["y"] < 450
    verdict = page.locator(".card-word a.verdict").first
    entry = page.locator(verdict.get_attribute("href"))
    for _ in range(2):
        verdict.click()
        assert entry.is_visible()
        page.locator("details.behind:has(:target) > summary").click()
        assert not entry.is_visible()


def test_each_claim_is_shown_with_its_texts_and_the_results_that_settle_it():
    listed = yaml.safe_load((ROOT / "book" / "claims.yml").read_text(encoding="utf-8"))
    claims = {name: claim for part in listed["parts"] for name, claim in part["claims"].items()}
    entries = {entry.code.get_text(): entry for entry in soup("book/claims.html").select(".claim")}
    settled = {name: set() for name, claim in claims.items() if "read" in claim}
    for result in results():
        settled.setdefault(result["claim"], set()).add(f"result-{result['id']}")
    settled.pop("")
    for name, claim in claims.items():
        settled.setdefault(name, set()).update(f"result-{card}" for card in claim.get("cards", ()))
    assert {name: links(entry) for name, entry in entries.items()} == settled
    texts = {f"text-{name.lower()}" for name in listed["texts"]}
    for name, entry in entries.items():
        quotes = {urldefrag(quote.a["href"])[1]: quote for quote in entry.select(".claim-quote")}
        assert quotes.keys() == {f"text-{text.lower()}" for text in claims[name]["quotes"]} <= texts, name
        for text, quote in quotes.items():
            words = str(claims[name]["quotes"][text.removeprefix("text-").upper()])
            assert re.sub(r"\W", "", words[:12]) in re.sub(r"\W", "", quote.get_text()), name
    for text in soup("book/claims.html").select(".claims-text"):
        assert re.search(r"\d+ claims: ", text.get_text())


def test_the_front_page_is_the_root_and_names_chapters_as_the_contents_do():
    front = soup("index.html")
    assert front.h1.get_text().startswith("Positional Encoding, Proved and Run")
    chapters = [link for link in front.select("nav.contents > ul a") if "notebooks/" in link["href"]]
    rows = [row.td for row in front.select("table tr") if row.td and row.td.a]
    assert [row.get_text() for row in rows] == [link.get_text() for link in chapters], "mend the map in book/index.md"
    contents, listed = front.select("nav.contents details a"), front.select("ul.appendices a")
    assert [link.get_text() for link in listed] == [link.get_text() for link in contents] != []
    assert [link["href"] for link in front.select("a[href^='../']")] == []


def test_commas_stay_where_they_were_written():
    rows = soup("book/notation.html").select("table tr")
    (row,) = (row for row in rows if "position of a token" in row.get_text())
    for mathml in (row := BeautifulSoup(str(row), "html.parser")).select(".katex-mathml"):
        mathml.decompose()
    assert row.select("td")[2].get_text().strip() == "pos, t, k, m"


def test_the_system_chooses_light_or_dark_until_the_reader_does(visit, address):
    theme = "document.documentElement.dataset.theme"
    page = visit(address + "index.html", theme=None, color_scheme="dark")
    assert page.evaluate(theme) == "dark"
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"{theme} === 'light'")
    button = page.locator("button.theme")
    while page.evaluate(theme) == "light":
        button.click()
    page.goto(address + "book/notation.html")
    assert (page.evaluate(theme), button.inner_text()) == ("dark", "Theme: Dark")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_prints_dark_on_light(visit, address, theme):
    page = visit(f"{address}notebooks/{pages.CHAPTERS[4]}.html", theme)
    page.emulate_media(media="print")
    pale = page.evaluate(
        """() => [...document.querySelectorAll('article *, body')]
            .filter(e => e.checkVisibility() && e.innerText)
            .map(e => [getComputedStyle(e).color, e.innerText.slice(0, 40)])
            .filter(([colour]) => colour.match(/\\d+/g).slice(0, 3).every(part => part > 150))"""
    )
    assert pale == []
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert min(paper[:3]) > 230, "a dark paper is printed"


@pytest.mark.parametrize("name", [pages.CHAPTERS[0], pages.CHAPTERS[-1]])
def test_prints_the_code_of_an_exercise_and_no_solution(visit, address, name):
    page = visit(f"{address}notebooks/{name}.html")
    page.emulate_media(media="print")
    shown = "all => all.map(cell => cell.checkVisibility({contentVisibilityAuto: true}))"
    assert set(page.locator(".tag_answer > details > .cell_input pre").evaluate_all(shown)) == {True}
    assert page.locator(".tag_answer .cell_output:visible").count() == 0
    solutions = page.locator(".tag_solution pre, .tag_solution p").all()
    assert solutions
    assert not any(part.is_visible() for part in solutions)


def test_lines_have_a_readable_length_and_code_is_not_small(visit, address):
    page = visit(f"{address}notebooks/{pages.CHAPTERS[1]}.html")
    lines = page.evaluate(
        """() => [...document.querySelectorAll('article section > p')].filter(p => !p.querySelector('.katex'))
            .flatMap(p => { const range = document.createRange(), lines = new Map();
                const walker = document.createTreeWalker(p, NodeFilter.SHOW_TEXT);
                for (let node; (node = walker.nextNode());) for (let i = 0; i < node.length; i++) {
                    range.setStart(node, i); range.setEnd(node, i + 1);
                    const top = Math.round(range.getBoundingClientRect().bottom / 8);
                    lines.set(top, (lines.get(top) ?? 0) + 1); }
                return [...lines.values()].slice(0, -1); })"""
    )
    assert 55 <= sorted(lines)[len(lines) // 2] <= 85, "characters a line: mend the width"
    size = "selector => parseFloat(getComputedStyle(document.querySelector(selector)).fontSize)"
    assert page.evaluate(size, "article pre") >= 12


@each_page
def test_a_page_loads_one_style_and_few_scripts(name):
    page = soup(name)
    assert [Path(link["href"]).name for link in page.select("link[rel=stylesheet]")] == ["site.css"]
    scripts = {Path(urlsplit(script["src"]).path).name for script in page.select("script[src]")}
    tools = "documentation_options doctools sphinx_highlight searchtools language_data searchindex search"
    more = {"search.html": {f"{tool}.js" for tool in tools.split()}}
    own = {path.name for path in (ROOT / "book" / "assets").rglob("*.js")}
    assert scripts - more.get(name, set()) <= own
    if name in ("book/results.html", "book/claims.html"):
        assert "filter.js" in scripts


def test_fonts_keep_every_glyph_that_a_formula_shows():
    shown = set()
    for name in PAGES:
        shown.update(*(set(formula.get_text()) for formula in soup(name).select(".katex-html")))
    whole = next(Path(sys.prefix).glob("share/katex/**/dist/fonts"))
    for file in sorted((SITE / "_static" / "fonts").glob("*.woff2")):
        had = TTFont(whole / file.name).getBestCmap().keys()
        has = TTFont(file).getBestCmap().keys()
        assert {chr(code) for code in had - has} & shown == set(), file.name


SURFACE = """() => {
    const article = document.querySelector('article'), top = article.getBoundingClientRect().top;
    const seen = element => element.checkVisibility() && element.getBoundingClientRect().height > 60;
    const boxes = [...article.querySelectorAll('figure, img, canvas, .interactive')]
        .filter(element => seen(element) && !element.parentElement.closest('figure, .interactive'))
        .map(element => element.getBoundingClientRect()).sort((a, b) => a.top - b.top);
    const height = article.getBoundingClientRect().height;
    let gap = 0, last = 0;
    for (const box of boxes) {
        gap = Math.max(gap, box.top - top - last);
        last = Math.max(last, box.bottom - top);
    }
    return {"first figure": (boxes[0]?.top ?? Infinity) + scrollY, screens: height / 900, figures: boxes.length,
            "screens without a figure": Math.max(gap, height - last) / 900,
            folds: [...article.querySelectorAll('summary')].filter(e => e.checkVisibility()).length};
}"""


def reads_lightly(page, name):
    """Hold the surface of a chapter to its limits, and warn near them."""
    page.add_style_tag(content=".bd-article section { content-visibility: visible !important }")
    still(page)
    page.evaluate("window.scrollTo({top: 0, behavior: 'instant'})")
    found = page.evaluate(SURFACE)
    found["screens a figure"] = found["screens"] / found.pop("figures")
    limits.hold(name, found, limits.PAGE)

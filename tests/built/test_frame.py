"""What stands around the pages: the way in, the way on, the words that the glossary explains, and the page on paper."""

import functools
import re
from pathlib import Path
from urllib.parse import urldefrag, urlsplit
from xml.etree import ElementTree

import pages
import pytest
from bs4 import BeautifulSoup
from PIL import Image
from test_site import PAGES, SITE, settle, soup
from weigh import still

CHAPTER = f"notebooks/{pages.CHAPTERS[0]}.html"


@functools.cache
def head(name):
    """The head of a page alone: whole chapters take long to read."""
    text = (SITE / name).read_text(encoding="utf-8").partition("</head>")[0]
    return BeautifulSoup(text, "html.parser")


def canonical(name):
    return head(name).find("link", rel="canonical")["href"]


def home():
    """The address of the site."""
    return canonical("index.html").removesuffix("book/index.html")


def test_the_map_of_the_site_lists_every_page_under_its_own_address():
    tree = ElementTree.parse(SITE / "sitemap.xml")
    listed = [element.text for element in tree.iter() if element.tag.endswith("loc")]
    assert sorted(listed) == sorted(canonical(f"{name}.html") for name in pages.listed())
    assert canonical("index.html") == canonical("book/index.html")


def test_a_page_that_is_shared_has_a_title_an_address_and_a_card():
    for name in pages.listed():
        page = head(f"{name}.html")
        properties = {meta["property"]: meta["content"] for meta in page.select("meta[property]")}
        assert properties["og:title"] in page.title.get_text()
        assert properties["og:url"] == canonical(f"{name}.html")
        assert properties["og:site_name"] == "Positional Encoding, Proved and Run"
        assert properties["og:image"].startswith(home())
        card = SITE / properties["og:image"].removeprefix(home())
        assert card.stat().st_size < 60_000
        with Image.open(card) as picture:
            assert picture.size == (1200, 630)
            assert len(picture.convert("RGB").getcolors(1200 * 630)) > 30, "it is empty"


def test_the_page_of_what_is_missing_is_whole_at_every_depth(serve, visit, tmp_path):
    """Served under its path, as GitHub Pages does: the links of the page hold from any address."""
    root = urlsplit(home()).path
    (tmp_path / root.strip("/")).symlink_to(SITE, target_is_directory=True)
    host = serve(tmp_path)
    places = [part[key] for key in ("href", "src", "action") for part in soup("404.html").select(f"[{key}]")]
    for place in places:
        if not place.startswith(("#", "http")):
            assert place.startswith(root), place
            assert (SITE / urldefrag(place)[0].removeprefix(root)).is_file(), place
    page = visit(f"{host}{root}404.html", width=390)
    assert page.problems == []
    assert page.locator("h1").is_visible()
    assert page.locator("svg.missing").is_visible()
    page.locator("main input").fill("omega")
    page.locator("main button").click()
    page.wait_for_selector("#search-results li a")
    assert urlsplit(page.url).path == f"{root}search.html"


def test_the_search_field_leads_to_the_search_from_the_root_too():
    for name in PAGES:
        text = (SITE / name).read_text(encoding="utf-8")
        place = re.search(r'<form class="find".*?action="([^"#]*)', text)[1] or Path(name).name
        assert ((SITE / name).parent / place).resolve() == (SITE / "search.html").resolve()


def test_the_way_on_and_back_stands_at_both_ends():
    for name in pages.listed():
        text = (SITE / f"{name}.html").read_text(encoding="utf-8")
        above, below = re.findall(r'<nav class="around.*?</nav>', text, re.DOTALL)
        assert text.index(above) < text.index("<article") < text.index("</article>") < text.index(below), name
        labels = [re.search(r'aria-label="([^"]*)', nav)[1] for nav in (above, below)]
        ways = [re.findall(r"<a.*?</a>", nav) for nav in (above, below)]
        assert labels[0] != labels[1], name
        assert ways[0] == ways[1] != [], name


def test_the_contents_show_the_page_that_is_read(visit, site):
    page = visit(f"{site}notebooks/{pages.NOTEBOOKS[-1]}.html")
    settle(page)
    inside = """() => {
        const [part, whole] = [".contents a.current", ".contents"].map(selector =>
            document.querySelector(selector).getBoundingClientRect());
        return whole.top <= part.top && part.bottom <= Math.min(whole.bottom, innerHeight);
    }"""
    assert page.evaluate(inside)


def test_a_term_leads_to_its_entry(visit, site):
    page = visit(site + CHAPTER)
    terms = page.locator("a.term")
    assert terms.count() >= 3
    entry = urldefrag(terms.nth(1).get_attribute("href"))[1]
    terms.nth(1).click()
    page.wait_for_url(f"**/glossary.html#{entry}")
    assert page.locator(f"#{entry}").is_visible()


def test_the_systems_own_colours_lose_nothing(visit, site):
    page = visit(f"{site}notebooks/{pages.CHAPTERS[4]}.html", "dark")
    page.emulate_media(forced_colors="active")
    edge = "kind => getComputedStyle(document.querySelector(`.posenc-result.${kind}`)).borderInlineStartStyle"
    assert len({page.evaluate(edge, kind) for kind in ("proved", "refuted", "measured")}) == 3
    plate = page.locator(".drawing").evaluate_all(
        "all => all.map(getComputedStyle).map(style => [style.forcedColorAdjust, style.backgroundColor])"
    )
    assert plate
    assert all(adjust == "none" and colour != "rgba(0, 0, 0, 0)" for adjust, colour in plate)


def test_with_less_motion_nothing_moves_by_itself_and_nothing_glides(visit, site):
    page = visit(site + CHAPTER)
    page.emulate_media(reduced_motion="reduce")
    settle(page)
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


@pytest.mark.parametrize("name", ["index.html", CHAPTER, "book/choose.html", "404.html"])
def test_at_twice_the_size_nothing_is_cut(visit, site, name):
    """200 % on a screen of 1280 px is a page of 640 px; and the text alone may be doubled too."""
    page = visit(site + name, width=640)
    wide = "document.documentElement.scrollWidth - window.innerWidth"
    assert page.evaluate(wide) <= 0
    page.add_style_tag(content="html { font-size: 200% }")
    still(page)
    assert page.evaluate(wide) <= 0
    assert page.locator("h1").is_visible()


INK = """() => [...document.querySelectorAll('article *, body')]
    .filter(e => e.checkVisibility() && e.innerText)
    .map(e => [getComputedStyle(e).color, e.innerText.slice(0, 40)])
    .filter(([colour]) => colour.match(/\\d+/g).slice(0, 3).every(part => part > 150))"""
SHOWN = "selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility()).length"


@pytest.mark.parametrize(("name", "theme"), [(pages.CHAPTERS[0], "light"), (pages.CHAPTERS[4], "dark")])
def test_on_paper_every_figure_is_there_and_no_solution(visit, site, name, theme):
    """Dark on light, and on few sheets."""
    page = visit(f"{site}notebooks/{name}.html", theme)
    page.emulate_media(media="print")
    assert page.evaluate(INK) == [], "what is pale is printed"
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert min(paper[:3]) > 230, "a dark paper is printed"
    figures = page.locator("article figure").count()
    assert page.evaluate(SHOWN, "article figure :is(svg, img)") >= figures > 0
    assert page.evaluate(SHOWN, "header, nav, details.fold summary, .behind .cell_input pre") == 0
    solved = ".tag_answer .cell_output, .tag_solution :is(pre, p)"
    assert page.locator(solved).count() > 0 == page.evaluate(SHOWN, solved)
    unfinished = ".tag_answer > details > .cell_input pre"  # what an exercise asks to mend or to complete
    assert page.evaluate(SHOWN, unfinished) == page.locator(unfinished).count() > 0
    assert 5 < len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) <= 14

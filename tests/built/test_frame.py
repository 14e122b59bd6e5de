"""What stands around the pages: the way in, the way on, what is shared, and the page on paper."""

import codecs
import contextlib
import functools
import re
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from PIL import Image
from playwright.sync_api import expect
from test_site import SITE, settle

from coursebook.content import chapters, notebook, page_names
from coursebook.tools.weigh import still

CHAPTERS = chapters()
CHAPTER = f"notebooks/{CHAPTERS[1].name}.html"


@functools.cache
def head(name):
    """The head of a page alone: whole chapters take long to read."""
    return BeautifulSoup((SITE / name).read_text(encoding="utf-8").partition("</head>")[0], "html.parser")


def canonical(name):
    return head(name).find("link", rel="canonical")["href"]


def home():
    """The address of the site."""
    return canonical("index.html").removesuffix("book/index.html")


def test_the_map_of_the_site_lists_every_page_under_its_own_address():
    tree = ElementTree.parse(SITE / "sitemap.xml")
    listed = [element.text for element in tree.iter() if element.tag.endswith("loc")]
    assert sorted(listed) == sorted(canonical(f"{name}.html") for name in page_names())
    assert canonical("index.html") == canonical("book/index.html")


def test_a_page_that_is_shared_has_a_title_an_address_and_a_card():
    for name in page_names():
        page = head(f"{name}.html")
        properties = {meta["property"]: meta["content"] for meta in page.select("meta[property]")}
        assert properties["og:title"] in page.title.get_text()
        assert properties["og:url"] == canonical(f"{name}.html")
        assert properties["og:image"].startswith(home())
        card = SITE / properties["og:image"].removeprefix(home())
        assert card.stat().st_size < 60_000
        with Image.open(card) as picture:
            assert picture.size == (1200, 630)


def test_all_that_pages_load_is_of_one_version():
    heads = [head(f"{name}.html") for name in page_names()]
    parts = [part for page in heads for part in page.select("script[src], link[rel=stylesheet]")]
    assert all((SITE / f"{name}.html").read_bytes().startswith(codecs.BOM_UTF8) for name in page_names())
    (version,) = {urlsplit(part.get("src") or part["href"]).query for part in parts}
    assert re.fullmatch(r"v=\w{8}", version)


@pytest.mark.parametrize(
    ("root", "address"), [("", "a/b/c"), ("/", "404.html"), ("/", "notebooks/99"), ("/course/", "book/99")]
)
def test_the_page_of_what_is_missing_is_complete_under_any_address(new_tab, root, address):
    """Where the site is at home, as on GitHub Pages, and on other hosts."""
    root = root or urlsplit(home()).path

    def answer(route):
        path = urlsplit(route.request.url).path
        there = path.startswith(root) and (SITE / path.removeprefix(root)).is_file()
        route.fulfill(path=SITE / path.removeprefix(root) if there else SITE / "404.html", status=200 if there else 404)

    tab = new_tab(viewport={"width": 390, "height": 900})
    tab.route("**/*", answer)
    tab.goto(f"http://host.test{root}{address}")
    assert tab.locator("header").evaluate("bar => getComputedStyle(bar).position") == "sticky"
    assert tab.locator("svg[role=img]").is_visible()
    tab.get_by_role("button", name="Contents").click()
    tab.get_by_role("link", name="Glossary").click()
    tab.wait_for_selector("dl.glossary")
    tab.go_back()
    buttons = tab.get_by_role("search").get_by_role("button", name="Search")
    assert buttons.count() == 2, "not everybody has an Enter key: the bar needs one, too"
    tab.locator("main input").fill("omega")
    tab.locator("main button").click()
    tab.wait_for_selector("#search-results li a")
    tab.context.close()


def test_the_way_on_and_back_stands_at_both_ends():
    for name in page_names():
        above, below = re.findall(r'<nav class="around.*?</nav>', (SITE / f"{name}.html").read_text(), re.DOTALL)
        assert re.findall(r"<a.*?</a>", above) == re.findall(r"<a.*?</a>", below) != [], name


@pytest.mark.parametrize("width", [390, 1280])
def test_a_link_to_a_section_lands_there_on_every_visit(new_tab, site, width):
    """The heading stands under the bar, or as high as the end of the page lets it."""
    tab = new_tab(viewport={"width": width, "height": 844})
    page = (SITE / "book" / "results.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(#[^"]*)"', re.search(r'<nav class="on-this-page.*?</nav>', page, re.DOTALL)[0])
    for link in 2 * links[1::12]:  # near the top, in the middle and near the end of the longest page
        tab.goto("about:blank")
        tab.goto(f"{site}book/results.html{link}")
        settle(tab)
        top = tab.evaluate("document.querySelector(':target > :is(h2, h3)').getBoundingClientRect().top")
        more = tab.evaluate("document.documentElement.scrollHeight - innerHeight - scrollY > 1")
        assert 52 <= top < (100 if more else 844), link
    tab.context.close()


def test_after_a_reload_what_was_unfolded_and_the_place_are_as_they_were(new_tab, site):
    tab = new_tab()
    tab.goto(site + CHAPTER)
    tab.evaluate("history.replaceState({theirs: 1}, '')")  # as a frame around the page may
    tab.reload()
    for fold in tab.locator("details.fold > summary:visible").all()[:3]:
        fold.click()
    part = tab.locator("h2").last
    part.scroll_into_view_if_needed()
    still(tab)
    before = part.bounding_box()["y"]
    tab.reload()
    still(tab)
    assert tab.locator("details.fold[open]").count() >= 3
    assert abs(part.bounding_box()["y"] - before) < 40
    assert tab.problems == []
    tab.context.close()


def test_code_is_copied_without_https(new_tab, site):
    tab = new_tab()
    tab.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    tab.goto(site + CHAPTER)
    button = tab.locator(".copy:visible").first
    button.click()
    expect(button).to_have_value("Copied")
    tab.context.close()


def test_under_a_strict_policy_formulas_are_the_browsers_own_and_the_page_says_why(new_tab, site):
    tab = new_tab()

    def refuse(route):
        answer = route.fetch()
        policy = {"content-security-policy": "default-src 'self'"} if route.request.is_navigation_request() else {}
        route.fulfill(response=answer, headers=answer.headers | policy)

    tab.route("**/*", refuse)
    tab.goto(f"{site}notebooks/{CHAPTERS[4].name}.html")
    expect(tab.locator("h1 ~ .result-count")).to_contain_text(["data:", "'unsafe-inline'"])
    assert tab.locator(".katex-html:visible").count() == 0
    assert tab.locator("div.math math").first.bounding_box()["width"] > 5
    fills = "all => all.map(part => getComputedStyle(part).fill)"
    assert len(set(tab.locator(".drawing path:visible").evaluate_all(fills))) > 3, "figures lose their colours"
    tab.context.close()


def test_a_formula_is_copied_as_its_tex_once(new_tab, site):
    name = CHAPTERS[4].name
    source = "".join(cell.source for cell in notebook(name).cells)
    tab = new_tab(permissions=["clipboard-read"])
    tab.goto(f"{site}notebooks/{name}.html")
    for place, sign in (".bd-article > section > section p:has(> .math)", "$"), (".bd-article div.math", "$$"):
        with tab.expect_response("**/copy-tex.js*") if sign == "$" else contextlib.nullcontext():
            tab.locator("h1").click(click_count=2)  # the source comes with the first selection
        tab.locator(place).first.evaluate("part => getSelection().selectAllChildren(part)")
        still(tab)
        tab.keyboard.press("Control+C")
        formulas = tab.evaluate("navigator.clipboard.readText()").split(sign)[1::2]
        assert len(formulas) == tab.locator(place).first.locator(".katex").count() > 0
        assert [formula for formula in formulas if formula.strip() not in source] == []
    tab.locator("h1").evaluate("part => getSelection().selectAllChildren(part)")
    tab.keyboard.press("Control+C")
    assert tab.evaluate("navigator.clipboard.readText()").endswith(tab.title().partition(" · ")[0])
    tab.keyboard.press("Control+A")
    tab.keyboard.press("Control+C")
    page = tab.evaluate("navigator.clipboard.readText()")
    assert not re.search(r"\{--|#$", page, re.MULTILINE), "styles of figures, or signs of headings, are copied"
    closed = tab.locator("details.fold:not([open]) > p").first.text_content()
    assert closed not in page
    tab.context.close()


def test_the_systems_own_colours_lose_nothing(visit, site):
    page = visit(f"{site}notebooks/{CHAPTERS[5].name}.html", "dark")
    page.emulate_media(forced_colors="active")
    plate = page.locator(".drawing").evaluate_all(
        "all => all.map(getComputedStyle).map(style => [style.forcedColorAdjust, style.backgroundColor])"
    )
    assert plate
    assert all(adjust == "none" and colour != "rgba(0, 0, 0, 0)" for adjust, colour in plate)


@pytest.mark.parametrize("name", ["index.html", CHAPTER, "book/choose.html", "404.html"])
def test_at_twice_the_size_nothing_is_cut(visit, site, name):
    """200 % on a screen of 1280 px is a page of 640 px; and the text alone may be doubled too."""
    page = visit(site + name, width=640)
    for size in ("100%", "200%"):
        page.add_style_tag(content=f"html {{ font-size: {size} }}")
        still(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), size


INK = """() => [...document.querySelectorAll('article *, body')]
    .filter(e => e.checkVisibility() && e.innerText)
    .map(e => [getComputedStyle(e).color, e.innerText.slice(0, 40)])
    .filter(([colour]) => colour.match(/\\d+/g).slice(0, 3).every(part => part > 150))"""
SHOWN = "selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility()).length"


@pytest.mark.parametrize(("name", "theme"), [(CHAPTERS[1].name, "light"), (CHAPTERS[5].name, "dark")])
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

"""What stands around the pages: the way in, the way on, what explains a word, and the page on paper."""

import functools
import io
import re
from pathlib import Path
from urllib.parse import urldefrag, urlsplit
from xml.etree import ElementTree

import pages
import pytest
from bs4 import BeautifulSoup
from PIL import Image
from same_bytes import differences
from test_site import PAGES, SITE, settle, soup, visit  # noqa: F401 (visit is a fixture)

CHAPTER = f"notebooks/{pages.CHAPTERS[0]}.html"
CARDS = "book/every_size.html"


@pytest.fixture(scope="module")
def address(serve):
    """The site, served on this machine."""
    return serve(SITE) + "/"


@functools.cache
def head(name):
    """The head of a page alone: whole chapters take long to read."""
    text = (SITE / name).read_text(encoding="utf-8").partition("</head>")[0]
    return BeautifulSoup(text, "html.parser")


def meta(page, name):
    return page.find("meta", property=name)["content"]


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


@pytest.mark.parametrize("name", [page for page in PAGES if page not in ("search.html", "genindex.html")])
def test_a_page_that_is_shared_has_a_title_an_address_and_a_card(name):
    page = head(name)
    assert meta(page, "og:title") in page.title.get_text()
    assert meta(page, "og:url") == canonical(name)
    assert meta(page, "og:site_name") == "Positional Encoding, Proved and Run"
    assert meta(page, "og:image").startswith(home())
    card = SITE / meta(page, "og:image").removeprefix(home())
    assert card.stat().st_size < 60_000
    with Image.open(card) as picture:
        assert picture.size == (1200, 630)


def test_the_card_is_not_empty_and_drawn_alike_every_time(monkeypatch):
    monkeypatch.syspath_prepend(str(pages.ROOT / "book" / "_ext"))
    import social_card

    drawn = []
    for _ in range(2):
        social_card.picture(["Positional Encoding", "Proved and Run"]).save(held := io.BytesIO(), "png")
        drawn.append(held.getvalue())
    assert drawn[0] == drawn[1]
    with Image.open(io.BytesIO(drawn[0])) as picture:
        assert len(picture.convert("RGB").getcolors(1 << 20)) > 30


def test_the_page_of_what_is_missing_is_whole_at_every_depth(serve, visit, tmp_path):  # noqa: F811
    """Served under its path, as GitHub Pages does: the links of the page hold from any address."""
    root = urlsplit(home()).path
    (tmp_path / root.strip("/")).symlink_to(SITE, target_is_directory=True)
    host = serve(tmp_path)
    links = BeautifulSoup((SITE / "404.html").read_text(encoding="utf-8"), "html.parser")
    places = [
        element.get(key) for key in ("href", "src", "action") for element in links.find_all(attrs={key: True})
    ]
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


@pytest.mark.parametrize("name", [f"{name}.html" for name in pages.listed()])
def test_the_way_on_and_back_stands_at_both_ends(name):
    text = (SITE / name).read_text(encoding="utf-8")
    above, below = re.findall(r'<nav class="around.*?</nav>', text, re.DOTALL)
    assert text.index(above) < text.index("<article") < text.index("</article>") < text.index(below)
    labels = [re.search(r'aria-label="([^"]*)', nav)[1] for nav in (above, below)]
    ways = [re.findall(r"<a.*?</a>", nav) for nav in (above, below)]
    assert labels[0] != labels[1]
    assert ways[0] == ways[1] != []


@pytest.mark.parametrize("name", [pages.NOTEBOOKS[0], pages.NOTEBOOKS[-1], pages.CHAPTERS[7]])
def test_the_contents_show_the_page_that_is_read(visit, address, name):  # noqa: F811
    page = visit(f"{address}notebooks/{name}.html")
    settle(page)
    inside = """() => {
        const [part, whole] = [".contents a.current", ".contents"].map(selector =>
            document.querySelector(selector).getBoundingClientRect());
        return whole.top <= part.top && part.bottom <= Math.min(whole.bottom, innerHeight);
    }"""
    assert page.evaluate(inside)


@pytest.mark.parametrize("name", pages.listed())
def test_no_punctuation_stands_alone_after_a_formula(name):
    page = soup(f"{name}.html")
    formulas = [span for span in page.select("article span.math") if not span.find_parent(class_="together")]
    after = [str(span.next_sibling) for span in formulas if isinstance(span.next_sibling, str)]
    assert [text[:20] for text in after if re.match("[,.;:!?)]", text)] == []


def test_a_term_is_linked_once_a_page_and_never_within_a_link_or_code():
    for name in (pages.CHAPTERS[0], pages.CHAPTERS[4]):
        terms = soup(f"notebooks/{name}.html").select("a.term")
        targets = [urldefrag(link["href"])[1] for link in terms]
        assert len(targets) == len(set(targets)) >= 3, name
        assert not [
            link for link in terms if link.find_parent(["a", "code", "pre", "h1", "h2", "h3", "figcaption"])
        ]
        assert not [link for link in terms if link.find_parent(class_=["posenc-result", "cell_output"])]


@pytest.mark.parametrize("source", ["server", "file"])
def test_a_term_says_what_it_means_to_mouse_and_keyboard(visit, address, source):  # noqa: F811
    page = visit(f"{address}{CHAPTER}" if source == "server" else (SITE / CHAPTER).as_uri())
    assert not [url for url in page.requested if url.endswith("terms.js")], "fetched before they are wanted"
    link, tip = page.locator("a.term").nth(1), page.get_by_role("tooltip")
    link.hover()
    tip.wait_for()
    entry = soup("book/glossary.html").find(id=urldefrag(link.get_attribute("href"))[1])
    assert entry.find_next("dd").get_text(" ", strip=True) in re.sub(r"\s+", " ", tip.inner_text())
    assert re.search("[一-鿿]", tip.inner_text())
    assert link.get_attribute("aria-describedby") == tip.get_attribute("id")
    tip.hover()
    page.wait_for_timeout(400)
    assert tip.is_visible(), "the tip goes away under the pointer"
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    page.mouse.move(0, 0)
    page.locator("a.term").nth(2).focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    page.wait_for_selector("#tip:not([hidden])")
    assert page.locator("a.term").nth(2).get_attribute("aria-describedby") == "tip"
    assert page.problems == []


def test_a_card_is_shown_where_a_link_names_it(visit, address):  # noqa: F811
    page = visit(address + CARDS)
    link = page.locator('article a[href*="#result-"]').first
    link.hover()
    tip = page.get_by_role("tooltip")
    tip.wait_for()
    assert tip.locator(".katex").count()
    assert tip.locator(".verdict").count() == 1
    box = tip.bounding_box()
    assert 0 <= box["x"]
    assert box["x"] + box["width"] <= 1280
    assert box["y"] >= 0
    assert page.problems == []


def test_a_finger_shows_first_and_follows_then(visit, address):  # noqa: F811
    page = visit(address + CHAPTER, width=390, has_touch=True)
    link, tip = page.locator("a.term").nth(1), page.get_by_role("tooltip")
    here = page.url
    link.tap()
    tip.wait_for()
    assert page.url == here
    box = tip.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    link.tap()
    page.wait_for_url("**/glossary.html#term-*")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_systems_own_colours_lose_nothing(visit, address, theme):  # noqa: F811
    page = visit(f"{address}notebooks/{pages.CHAPTERS[4]}.html", theme, forced_colors="active")
    edge = "kind => getComputedStyle(document.querySelector(`.posenc-result.${kind}`)).borderInlineStartStyle"
    assert len({page.evaluate(edge, kind) for kind in ("proved", "refuted", "measured")}) == 3
    plate = page.evaluate(
        """() => [...document.querySelectorAll('.drawing')].map(e => getComputedStyle(e))
            .map(style => [style.forcedColorAdjust, style.backgroundColor])"""
    )
    assert plate
    assert all(adjust == "none" and colour != "rgba(0, 0, 0, 0)" for adjust, colour in plate)


def test_with_less_motion_nothing_moves_by_itself_and_nothing_glides(visit, address):  # noqa: F811
    page = visit(address + CHAPTER, reduced_motion="reduce")
    settle(page)
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


@pytest.mark.parametrize("name", ["index.html", CHAPTER, "book/results.html", "404.html"])
def test_at_twice_the_size_nothing_is_cut(visit, address, name):  # noqa: F811
    """200 % on a screen of 1280 px is a page of 640 px; and the text alone may be doubled too."""
    page = visit(address + name, width=640)
    wide = "document.documentElement.scrollWidth - window.innerWidth"
    assert page.evaluate(wide) <= 0
    page.add_style_tag(content="html { font-size: 200% }")
    page.wait_for_timeout(200)
    assert page.evaluate(wide) <= 0
    assert page.locator("h1").is_visible()


def test_on_paper_every_figure_is_there_and_no_solution(visit, address):  # noqa: F811
    inside = re.compile(r"<details(?:(?!</details>).)*<figure", re.DOTALL)
    texts = {name: (SITE / f"notebooks/{name}.html").read_text(encoding="utf-8") for name in pages.NOTEBOOKS}
    folded = [name for name, text in texts.items() if inside.search(text)]
    for name in {*folded[:2], pages.CHAPTERS[0]}:
        page = visit(f"{address}notebooks/{name}.html")
        page.emulate_media(media="print")
        shown = "selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility()).length"
        figures = page.locator("article figure").count()
        assert page.evaluate(shown, "article figure :is(svg, img)") >= figures
        folded = "details.fold summary, .behind .cell_input pre, .tag_solution .cell_input pre"
        assert page.evaluate(shown, folded) == 0
        assert page.evaluate(shown, "header, nav, .tip") == 0
        unfinished = ".tag_answer > details > .cell_input pre"  # what an exercise asks to mend or to complete
        assert page.evaluate(shown, unfinished) == page.locator(unfinished).count() > 0


def test_pages_on_paper_are_few(visit, address):  # noqa: F811
    page = visit(f"{address}notebooks/{pages.CHAPTERS[4]}.html")
    page.wait_for_timeout(200)
    data = page.pdf(prefer_css_page_size=True)
    count = len(re.findall(rb"/Type\s*/Page\b", data))
    assert 5 < count <= 14


def test_two_sites_that_differ_are_told_apart(tmp_path):
    for name, words in (("first", "one"), ("second", "one"), ("third", "two")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.html").write_text(words)
    assert list(differences(tmp_path / "first", tmp_path / "second")) == []
    (tmp_path / "third" / "more.html").write_text("new")
    found = list(differences(tmp_path / "first", tmp_path / "third"))
    assert [name for name, *_ in found] == ["more.html", "page.html"]

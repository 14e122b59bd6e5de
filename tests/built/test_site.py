"""The built site, in a real Chromium, as a reader meets it: light and dark, desktop and phone."""

import functools
import os
import re
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

from coursebook.content import ROOT, chapters, config, notebook, notebooks, page_names, read_list
from coursebook.sphinx.transforms.figures import spoken
from coursebook.tools.weigh import SITE, broken_rules, scroll_to_end, still, weights

CONFIG, CHAPTERS = config(), chapters()
PAGES = [*(f"{name}.html" for name in page_names()), "search.html", "genindex.html"]
# axe looks at a page of each kind, three notebooks among them, which have the rarest code. Once a week it looks at all.
RAREST = {CHAPTERS[number].name for number in (0, 6, 12)}
LIKE_RECIPES = {"questions", "notation", "every_size", "references"}
LIKE_THURSDAY = {"grading", "map", "misconceptions", "cheat_sheet", "capstone"}
ALIKE = {chapter.name for chapter in notebooks()} - RAREST | LIKE_RECIPES | LIKE_THURSDAY
SKIPPED = () if os.environ.get("EVERY_NOTEBOOK") else ALIKE


@functools.cache
def soup(page):
    return BeautifulSoup((SITE / page).read_text(encoding="utf-8"), "html.parser")


@functools.cache
def places(file):
    """The ids of a page, without reading it as a tree: all pages are linked from everywhere."""
    return set(re.findall(r'<[^>]*\sid="([^"]+)"', file.read_text(encoding="utf-8")))


def show_all(page):
    """Open what is veiled, scroll to the end, so that every part was near once, and wait."""
    page.evaluate("document.querySelectorAll('.veil').forEach(veil => veil.dispatchEvent(new Event('beforematch')))")
    scroll_to_end(page)
    page.wait_for_function(
        """() => { const sleeping = document.querySelector('.living:not([data-alive])');
            sleeping?.scrollIntoView({behavior: 'instant'}); return !sleeping; }"""
    )
    settle(page)


def settle(page):
    """Wait for the fonts, for the look at what is near, and for what the page leaves to when it is idle, or a while."""
    page.wait_for_function("document.fonts.status === 'loaded' && 'looked' in document.documentElement.dataset")
    page.evaluate("new Promise(done => requestIdleCallback(done, {timeout: 2000}))")
    still(page)


def change(page, theme, width):
    """Another theme and another width; what is wide is looked for again."""
    page.evaluate("delete document.documentElement.dataset.looked")
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    settle(page)


# What is wrong with a page as it was written, by name, and what it links, shows and loads.
WRITTEN = r"""() => {
    const all = (selector, place = document) => [...place.querySelectorAll(selector)];
    const is = (elements, test) => elements.filter(test).map(e => e.outerHTML.slice(0, 150));
    const twice = names => names.filter((name, n) => names.indexOf(name) < n);
    const words = image => (image.getAttribute("alt") ?? image.getAttribute("aria-label") ?? "").trim().split(/\s+/);
    const texts = document.createTreeWalker(document.querySelector("article") ?? document.body, NodeFilter.SHOW_TEXT);
    const raw = [];
    for (let text; (text = texts.nextNode());)
        if (/\$\$|\\(frac|begin|left|sin|cos|omega|mathrm)\b|katex/.test(text.data)
            && !text.parentElement.closest(".katex, pre, code, script")) raw.push(text.data.slice(0, 80));
    const levels = all("h1, h2, h3, h4, h5, h6").map(heading => Number(heading.tagName[1]));
    const card = all("article .cell .posenc-result:not(details *)");
    return {
        wrong: {
            "a formula that was not set": [...raw, ...is(all(".katex-error"), () => true)],
            "a picture that does not say what it shows": is(
                all("article :is(img, [role=img])"), image => words(image).length < 5),
            "a heading that is skipped": levels.filter((level, n) => level > (levels[n - 1] ?? 0) + 1),
            "an id that is there twice": twice(all("[id]").map(e => e.id)),
            "punctuation alone after a formula": is(all("article span.math:not(.together *)"),
                formula => /^[,.;:!?)]/.test(formula.nextSibling?.data ?? "")),
            "a verdict alone in brackets, which is a sign": is(all("article a"), link =>
                /^(proved|measured|refuted|a counterexample)$/.test(link.textContent)
                && /\($/.test(link.previousSibling?.data ?? "") && /^\)/.test(link.nextSibling?.data ?? "")),
            "a proof that does not show its domain": is(all(".posenc-result.proved, .results .entry.proved"),
                proof => !(proof.closest(".tag_strict") ? document.getElementById(`behind-${proof.id}`) : proof)
                    .querySelector(".card-domain")),
            "a search without a button": is(all("form[action]"), form => !form.querySelector("[type=submit]")),
            "an open fold": is(all("article details[open]"), () => true),
            "a card whose word leads nowhere": is(card, each => !document.querySelector(each.querySelector(
                ".card-word a.verdict")?.hash || "none")?.querySelector("details.behind .card-verdict .verdict")),
            "an exercise without its one fold": is(all("article .tag_answer"), answer =>
                all(":scope > details", answer).length !== 1 || all(".tag_solution details", answer).length > 1),
            "a solution alone": is(all(".tag_solution:not(.tag_answer *):has(.cell_input)"), () => true),
        },
        links: all("a[href], form[action]").map(e => e.getAttribute("href") ?? e.getAttribute("action")),
        figures: all(".cell_output :is(img, [role=img])").map(image => words(image).join(" ")),
        code: all("article .cell_input").length,
    };
}"""


def is_well_written(name, page):
    """Hold what a page has to the rules, to the files and to its notebook."""
    assert {what: where for what, where in page["wrong"].items() if where} == {}
    for link in page["links"]:
        target, anchor = urldefrag(urljoin(f"/{name}", link))
        if urlsplit(target).scheme in ("http", "https", "mailto") or link.startswith("//"):
            continue
        file = SITE / unquote(target).lstrip("/")
        assert file.is_file(), link
        if anchor and file.suffix == ".html":
            assert anchor in places(file), link
    if name.startswith("notebooks/"):
        is_that_of(notebook(Path(name).stem), page)


def is_that_of(chapter, page):
    """Hold a page to its notebook: its code once, its figures with their words, its buttons."""
    code = [cell for cell in chapter.cells if cell.kind == "code"]
    assert page["code"] == sum("remove-cell" not in cell.tags for cell in code), "code is lost, or shown twice"
    alts = [" ".join(spoken(figure.alt.strip()).split()) for cell in code for figure in cell.figures]
    assert sorted(page["figures"]) == sorted(alts)
    url, branch, path = CONFIG["repository"]["url"], CONFIG["repository"]["branch"], f"{chapter.page}.ipynb"
    slug = urlsplit(url).path.strip("/")
    binder = f"https://mybinder.org/v2/gh/{slug}/{branch}?urlpath=lab/tree/{path}"
    colab = f"https://colab.research.google.com/github/{slug}/blob/{branch}/{path}"
    assert {binder, colab, url, f"../_sources/{path}"} <= set(page["links"])
    assert (SITE / "_sources" / path).read_bytes() == (ROOT / path).read_bytes()


WIDE = """() => [...document.querySelectorAll('article *')].filter(element => {
    const style = getComputedStyle(element);
    return element.scrollWidth > element.clientWidth + 1 && element.checkVisibility()
        && ['auto', 'scroll'].includes(style.overflowX) && element.clientWidth > 0;
}).filter(element => element.closest('[aria-hidden=true]') || element.tabIndex !== 0
    || !getComputedStyle(element).backgroundImage.includes('gradient'))
.map(element => element.className + ' ' + element.textContent.trim().slice(0, 40))"""
CUT = """() => [...document.querySelectorAll('article :is(.base, pre, td, .verdict, .entry p)')].filter(element => {
    const box = element.getBoundingClientRect();
    if (!element.checkVisibility()) return false;
    if (box.left >= 0 && box.right <= document.documentElement.clientWidth + 1) return false;
    for (let place = element.parentElement; place; place = place.parentElement)
        if (['auto', 'scroll'].includes(getComputedStyle(place).overflowX)) return false;
    return true;
}).map(element => element.textContent.slice(0, 60))"""
IDLE = """() => [...document.querySelectorAll('article [tabindex]:not(.grip)')]
    .filter(e => e.scrollWidth <= e.clientWidth + 1).map(e => e.textContent.slice(0, 60))"""


def sound(page, home):
    """Insist on what holds of a page in any window: nothing sticks out, nothing is lost, nobody else is asked."""
    overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert overflow <= 0, f"the page is {overflow} px wider than the screen"
    broken = page.evaluate("[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)")
    assert broken == []
    assert page.evaluate(WIDE) == [], "what is wide has to scroll by keyboard and to have a shadow"
    assert page.evaluate(CUT) == []
    assert page.evaluate(IDLE) == [], "what is not wide is no stop for the tab key"
    assert [url for url in page.requested if not url.startswith((home, "data:"))] == [], "another host was asked"
    assert page.problems == []


def bytes_of(name):
    """The bytes that a page may load: by kind, before the first scroll, in all; 4000 of its scripts for bets."""
    most = {"css": 12_000, "js": 74_000 if name == "search.html" else 10_000, "fonts": 40_000}
    if name.endswith("index.html"):
        return most | {"total": 94_000}
    return most | {"first": 159_000 if name.startswith("notebooks/") else 160_000, "total": 204_000}


@pytest.mark.parametrize("name", PAGES)
def test_page_as_a_reader_meets_it(visit, site, name):
    """By day on a desk, from a server; then by night, in a window as narrow as a phone."""
    page = visit(site + name)
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    is_well_written(name, page.evaluate(WRITTEN))
    settle(page)
    first = sum(weights(page.requested, site).values())
    show_all(page)
    by_kind = weights(page.requested, site)
    sizes = by_kind | {"first": first, "total": sum(by_kind.values())}
    assert {kind: sizes[kind] for kind, most in bytes_of(name).items() if sizes[kind] > most} == {}
    sound(page, site)
    change(page, "dark", 390)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    sound(page, site)
    if Path(name).stem not in SKIPPED:
        assert broken_rules(page, runOnly=["color-contrast"]) == []
        change(page, "light", 1280)
        page.keyboard.press("Tab")  # what is wide is a stop before it comes near
        assert broken_rules(page) == []


# Those with scripts of their own; the living figures open from a file in test_living.py.
@pytest.mark.parametrize("name", ["index", "book/results", "book/models", "search"])
def test_page_opened_from_a_file(visit, name):
    home = SITE.as_uri() + "/"
    page = visit(f"{home}{name}.html", "dark", 390)
    show_all(page)
    sound(page, home)


def found(page, address, words):
    """The links that a search for these words gives, in their order, on a page that stays without problems."""
    page = page(f"{address}search.html?q={words}")
    page.wait_for_selector("#search-results li a")
    assert page.problems == []
    return page.locator("#search-results li a")


# What a reader types, and the page that teaches it.
SOUGHT = {
    "6x4": "05_worked_example",
    "PE(pos,2i)": "03_sinusoidal",
    "rotaton matrix": "04_shift_is_rotation",
    "旋转位置编码": "07_rope_complex",
    "exercise 7.3": "07_rope_complex",
    "alibi": "09_biases_on_scores",
    "yarn": "10_long_context",
}


@pytest.mark.parametrize("words", SOUGHT)
def test_search_leads_to_the_chapter_that_teaches_it(visit, site, words):
    assert SOUGHT[words] in found(visit, site, words).first.get_attribute("href")


# Words in any order, one of them misspelt, and a letter of pasted code: the section that they are of.
ASKED = {
    "lora weigths permute x": "LoRA, fused",
    "kv cache with alibi": "A bias with a cache",
    "timestamps rope": "Events with time stamps",
}


@pytest.mark.parametrize("words", ASKED)
def test_a_question_leads_to_its_section(visit, site, words):
    link = found(visit, site, words).first
    link.click()
    link.page.wait_for_load_state()
    section = "document.querySelector(location.hash).closest('section').innerText"
    assert ASKED[words] in link.page.evaluate(section)


def test_search_finds(visit, site):
    for words in ("embeddings", "omega", "10000", "位置 旋转"):
        links = found(visit, site, words)
        page = links.page
        excerpts = page.locator("#search-results .context").all_inner_texts()
        assert len(excerpts) == links.count()
        assert not [text for text in excerpts if re.search(r"\\\\[a-z]+|Repository|On this page", text)]
    assert page.locator("#search-results [lang=zh-Hans]").count()
    links.first.click()
    page.wait_for_load_state()
    assert page.evaluate("location.pathname").endswith(".html")
    status = page.locator("main [role=status]")
    for nonsense in ("ßßß", "qqqzzz", "__proto__"):  # the last is a word of every object in JavaScript
        visit(f"{site}search.html?q={nonsense}")
        expect(status).to_contain_text("Nothing was found")
    page.route("**/pagefind.js*", lambda route: route.abort())
    page.goto(f"{site}search.html?q=rope")
    expect(status).to_contain_text("could not be fetched")
    page.unroute_all()
    links = found(visit, SITE.as_uri() + "/", "sinusoidal code")  # from a file titles are searched
    assert "03_sinusoidal" in links.first.get_attribute("href")
    assert links.page.locator("#from-file").is_visible()


RESULTS = [result for chapter in notebooks() for result in chapter.results.values()]


def links(element):
    anchors = {urldefrag(link["href"])[1] for link in element.select("a[href]")}
    return {anchor for anchor in anchors if anchor.startswith("result-")}


def test_results_are_all_on_their_page():
    listed = [name for entry in soup("book/results.html").select(".entry") for name in links(entry)]
    assert sorted(listed) == sorted(f"result-{result.id}" for result in RESULTS) != []


def test_results_are_filtered_by_word_verdict_and_chapter(visit, site):
    page = visit(site + "book/results.html")
    shown, total = page.locator(".entry:visible"), page.locator(".entry").count()
    assert shown.count() == total
    page.get_by_label("Verdict").select_option("refuted")
    refuted = page.locator(".entry.refuted").count()
    assert 0 < shown.count() == refuted < total
    assert page.locator("form.filter output").inner_text() == f"{refuted} of {total} results"
    page.get_by_label("Chapter").select_option(f"in-{CHAPTERS[4].name}")
    assert 0 < shown.count() == page.locator(f".refuted.in-{CHAPTERS[4].name}").count() < refuted
    page.get_by_label("Search", exact=True).fill("no such word")
    assert shown.count() == page.locator("section:visible:has(> .entry)").count() == 0


def test_a_chinese_term_says_so():
    terms = soup("book/notation.html").select("dl.glossary dt + dt")
    assert {term["lang"] for term in terms} == {"zh-Hans"}
    assert len(terms) > 50


def test_without_scripts_everything_shows_and_no_dead_form(new_tab):
    page = new_tab(java_script_enabled=False)
    for name in ("results", "claims", "models", "choose"):
        parts = "#the-cases > section" if name == "choose" else ".entry"
        page.goto((SITE / "book" / f"{name}.html").as_uri())
        expect(page.locator(f"{parts}:visible")).to_have_count(page.locator(parts).count())
        assert page.locator(parts).count() > 5
        assert not page.locator("article form").is_visible()
    page.context.close()


def test_kinds_differ_without_colour(visit, site):
    page = visit(site + "book/results.html")
    edge = "selector => getComputedStyle(document.querySelector(selector)).borderInlineStartStyle"
    sign = "selector => getComputedStyle(document.querySelector(selector), '::before').content"
    for look, place in (edge, ".entry."), (sign, ".entry .verdict."):
        assert len({page.evaluate(look, place + kind) for kind in ("proved", "refuted", "measured")}) == 3


def test_a_link_into_a_fold_opens_it(visit, site):
    page = visit(f"{site}notebooks/{CHAPTERS[8].name}.html")
    verdict = page.locator(".card-word a.verdict").first
    entry = page.locator(verdict.get_attribute("href"))
    for _ in range(2):
        verdict.click()
        assert entry.is_visible()
        settle(page)
        assert 0 <= entry.bounding_box()["y"] < 450
        page.locator("details.behind:has(:target) > summary").click()
        assert not entry.is_visible()


def test_each_claim_is_shown_with_its_texts_and_the_results_that_settle_it():
    lists = [read_list(f"book/{name}.yml")["parts"] for name in ("claims", "explanations")]
    claims = {name: claim for parts in lists for part in parts for name, claim in part["claims"].items()}
    entries = {entry.code.get_text(): entry for entry in soup("book/claims.html").select(".claim")}
    settled = {name: {f"result-{card}" for card in claim.get("cards", ())} for name, claim in claims.items()}
    for result in RESULTS:
        if result.claim:
            settled[result.claim].add(f"result-{result.id}")
    assert {name: links(entry) for name, entry in entries.items()} == settled
    for name, entry in entries.items():
        quotes = {urldefrag(quote.a["href"])[1]: quote.get_text() for quote in entry.select(".claim-quote")}
        due = {f"text-{text.lower()}": str(words) for text, words in claims[name]["quotes"].items()}
        assert quotes.keys() == due.keys(), name
        for text, words in due.items():
            assert re.sub(r"\W", "", words[:12]) in re.sub(r"\W", "", quotes[text]), name


def test_the_front_page_is_the_root_and_names_chapters_as_the_contents_do():
    front = soup("index.html")
    assert front.h1.get_text().startswith("Positional Encoding, Proved and Run")
    chapters = [link for link in front.select("nav.contents > ul a") if "notebooks/" in link["href"]]
    rows = [row.td for row in front.select("table tr") if row.td and row.td.a]
    assert [row.get_text() for row in rows] == [link.get_text() for link in chapters], "mend the map in book/index.md"


def test_the_system_chooses_light_or_dark_until_the_reader_does(new_tab, site):
    theme = "document.documentElement.dataset.theme"
    page = new_tab(color_scheme="dark")
    page.add_init_script("localStorage.mode = 'edit'; localStorage['posenc-theme'] ??= 'sepia'")  # not ours; unknown
    page.goto(site + "index.html")
    assert page.evaluate(theme) == "dark"
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"{theme} === 'light'")
    button = page.locator("button.theme")
    while page.evaluate(theme) == "light":
        button.click()
    page.goto(site + "book/notation.html")
    assert (page.evaluate(theme), button.inner_text()) == ("dark", "Theme: Dark")
    page.context.close()


def test_two_parts_of_the_contents_fold_and_open_by_keyboard(visit, site):
    contents = soup("book/notation.html").select_one("nav.contents")
    folds = {fold.summary.get_text(): fold for fold in contents.select("details")}
    assert list(folds) == ["Appendices", "Teaching"]
    assert not any(fold.has_attr("open") for fold in folds.values())
    in_sight = [link for link in contents.select("a") if not link.find_parent("details")]
    assert len(in_sight) + len(folds) <= 27
    assert len(contents.select("a")) >= len(page_names()) - 1, "the front page is the name in the bar"
    page = visit(site + "book/notation.html")
    link = page.locator("nav.contents").get_by_role("link", name="Cheat sheet")
    assert not link.is_visible()
    page.locator("nav.contents summary", has_text="Teaching").press("Enter")
    expect(link).to_be_visible()
    link.click()
    expect(page.locator("nav.contents details[open] a.current")).to_be_visible()


def test_the_menu_of_a_phone_opens_the_contents(visit, site):
    page = visit(site + "book/notation.html#100%", width=390)  # whatever stands behind the sign
    contents = page.locator("nav.contents")
    assert not contents.is_visible()
    page.get_by_role("button", name="Contents").click()
    expect(contents.locator("a.current")).to_be_in_viewport()  # far down the list
    contents.get_by_role("link", name="Glossary").click()  # this page, which it covers
    assert not contents.is_visible()
    page.get_by_role("button", name="Contents").click()
    page.locator("main a").first.focus()
    assert not contents.is_visible()

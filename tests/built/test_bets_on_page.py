"""Bets on the page, and what the browser keeps of a reader: on the built site, in a real Chromium."""

import json

import pytest
from playwright.sync_api import expect

from coursebook import content
from coursebook.tools.weigh import SITE, broken_rules, still

CHAPTERS = content.chapters()
PAGES = {f"notebooks/{chapter.name}.html": chapter for chapter in CHAPTERS.values()}
DOOR, ELEVEN, LAST = (f"notebooks/{CHAPTERS[number].name}.html" for number in (0, 11, 12))
KEY = "posenc-kept"
OPEN = ".veil > :visible"


@pytest.fixture
def reader(new_tab, site):
    """A function that opens a page in the tab of one reader, which keeps what is kept."""
    tabs = []

    def open_page(name, **options):
        if options or not tabs:
            tabs.append(new_tab(**options))
        tabs[-1].goto(site + name)
        return tabs[-1]

    yield open_page
    for tab in tabs:
        assert [problem for problem in tab.problems if not problem.startswith("failed:")] == []  # a page was left
        tab.context.close()


def kept(tab):
    return json.loads(tab.evaluate(f"localStorage['{KEY}']"))


def bet(tab, id, answer):
    """Press an answer, and return what is said then."""
    tab.locator(f"#bet-{id} label").nth(answer).click()
    return told(tab, id)


def told(tab, id):
    place = tab.locator(f"#told-{id} output")
    return (place if place.count() else tab.locator(f"#bet-{id} output")).inner_text().strip()


def words(tab, id, answer):
    return tab.locator(f"#bet-{id} label span").nth(answer).inner_text()


@pytest.mark.parametrize("name", PAGES)
def test_a_bet_is_veiled_until_an_answer_is_pressed_and_then_says_what_came_true(reader, name):
    tab = reader(name, viewport={"width": 320, "height": 800}, color_scheme="dark")
    for one in PAGES[name].bets:
        veil, field = tab.locator(f".veil[data-bet={one.id}]"), tab.locator(f"#bet-{one.id}")
        assert veil.locator(":visible").count() == 0
        assert veil.locator("h2, h3, div.math, .posenc-result").count() == 0
        assert field.get_by_role("radio").count() == len(one.answers)
        wrong = (one.right + 1) % len(one.answers)
        said = bet(tab, one.id, wrong)
        assert veil.locator(":visible").count() > 0
        assert words(tab, one.id, wrong) in said
        assert words(tab, one.id, one.right) in said
        assert ("The authors had bet on" in said) == (one.authors is not None)
        assert kept(tab)["bets"][one.id] == [wrong, one.right]
        expect(field.get_by_role("radio").first).to_be_disabled()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("height", [10, 60, 400])
def test_the_bet_stays_where_it_is_when_the_veil_falls(reader, height):
    tab = reader(DOOR)
    top = "() => document.querySelector('#bet-nine-numbers').getBoundingClientRect().top"
    tab.evaluate(f"scrollTo({{top: ({top})() + scrollY - {height}, behavior: 'instant'}})")
    still(tab)
    tab.locator("#bet-nine-numbers label").nth(1).evaluate("label => label.click()")
    still(tab)
    assert tab.evaluate(top) == pytest.approx(height, abs=2)


def test_arrow_keys_choose_and_enter_bets_and_what_came_true_has_the_focus(reader):
    tab = reader(DOOR)
    radios = tab.locator("#bet-nine-numbers").get_by_role("radio")
    radios.first.focus()
    for _ in range(2):
        tab.keyboard.press("ArrowRight")
    expect(tab.locator("#bet-nine-numbers .hint")).to_be_visible()
    expect(radios.nth(2)).to_be_checked()
    assert not tab.locator("#figure-0-2").is_visible()
    tab.keyboard.press("Enter")
    expect(tab.locator("#figure-0-2")).to_be_visible()
    assert tab.evaluate("document.activeElement.textContent.trim()") == told(tab, "nine-numbers") != ""
    tree = tab.locator("#bet-nine-numbers").aria_snapshot()
    assert tree.startswith('- group "Place your bet. How many of the nine numbers will change?"')
    assert 'radio "six" [checked] [disabled]' in tree
    assert "status" in tree


def test_who_does_not_bet_is_shown_and_never_counted(reader):
    tab = reader(DOOR)
    tab.get_by_role("button", name="Just show me").click()
    expect(tab.locator("#figure-0-2")).to_be_visible()
    assert told(tab, "nine-numbers") == "What came true: none."
    tab.goto(tab.url.replace(DOOR, "book/progress.html"))
    expect(tab.locator(".kept p")).to_contain_text("Bets placed: 0, lost: 0.")


def test_a_far_bet_is_told_where_it_is_decided(reader):
    tab = reader(ELEVEN)
    place = tab.locator("#told-arrow-96")
    expect(place.get_by_role("link", name="Your bet first")).to_be_visible()
    assert "one" in bet(tab, "arrow-96", 1)
    assert "four" not in tab.locator("#bet-arrow-96 output").inner_text()
    assert "none" not in tab.locator("#bet-arrow-96 output").inner_text()
    assert "The authors had bet on one." in told(tab, "arrow-96")
    tab.locator("#bet-arrow-96").get_by_role("link", name="What came true").click()
    still(tab)
    expect(place).to_be_in_viewport()


def test_what_was_bet_is_there_after_a_reload_and_in_another_tab_at_once(reader):
    tab = reader(DOOR)
    other = tab.context.new_page()
    other.goto(tab.url)
    said = bet(tab, "nine-numbers", 3)
    expect(other.locator("#bet-nine-numbers output")).to_have_text(said)
    expect(other.locator("#figure-0-2")).to_be_visible()
    tab.reload()
    assert told(tab, "nine-numbers") == said


@pytest.mark.parametrize(
    "refusal",
    [
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})",
        "Object.defineProperty(window, 'localStorage', {value: null})",
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
    ],
)
def test_where_nothing_can_be_kept_the_page_works_without(new_tab, site, refusal):
    tab = new_tab()
    tab.add_init_script(refusal)
    tab.goto(site + DOOR)
    assert "You said six." in bet(tab, "nine-numbers", 2)
    tab.evaluate("scrollTo(0, 5000)")
    tab.wait_for_timeout(600)
    expect(tab.locator("#figure-0-2")).to_be_visible()
    tab.reload()
    assert not tab.locator("#figure-0-2").is_visible()
    tab.goto(f"{site}book/progress.html")
    if "QuotaExceeded" in refusal:
        tab.get_by_role("button", name="Forget").click()  # it is found out at the first attempt
    expect(tab.locator(".kept p")).to_contain_text("This browser keeps nothing for this site")
    assert [problem for problem in tab.problems if not problem.startswith("failed:")] == []
    tab.context.close()


@pytest.mark.parametrize("old", ['{"version": 0, "bets": {"nine-numbers": 2}}', "{{", "7", '{"version": 1, "bets": 3}'])
def test_what_is_of_another_version_or_broken_is_left_aside_with_a_word(reader, old):
    tab = reader("book/progress.html")
    tab.evaluate("([key, old]) => localStorage.setItem(key, old)", [KEY, old])
    tab.reload()
    expect(tab.locator(".kept p")).to_contain_text("of another version, or broken")
    tab.goto(tab.url.replace("book/progress.html", DOOR))
    bet(tab, "nine-numbers", 0)
    assert kept(tab)["bets"] == {"nine-numbers": [0, 0]}


def test_without_scripts_a_bet_is_a_question_with_its_answers_and_nothing_is_hidden(new_tab):
    tab = new_tab(java_script_enabled=False)
    for name, chapter in PAGES.items():
        tab.goto((SITE / name).as_uri())
        assert tab.locator(OPEN).count() == tab.locator(".veil > *").count() > 0
        assert tab.locator(".bet label:visible").count() == sum(len(one.answers) for one in chapter.bets)
        assert tab.locator(":is(.bet input, .pass, .bet-told a):visible").count() == 0
    tab.context.close()


def test_where_the_script_does_not_come_nothing_is_hidden(new_tab, site):
    tab = new_tab()
    tab.route("**/bets.js*", lambda route: route.abort())
    tab.goto(site + DOOR)
    expect(tab.locator("#figure-0-2")).to_be_visible()
    tab.context.close()


def test_on_paper_every_veil_is_open_and_no_key_is_printed(reader):
    tab = reader(ELEVEN)
    assert tab.locator(OPEN).count() == 0
    tab.emulate_media(media="print")
    assert tab.locator(OPEN).count() == tab.locator(".veil > *").count() > 0
    shown = "all => all.filter(part => part.checkVisibility({contentVisibilityAuto: true})).length"
    assert tab.locator(".veil svg").evaluate_all(shown) == tab.locator(".veil svg").count() > 0
    assert tab.locator(":is(.bet input, .pass):visible").count() == 0


@pytest.mark.parametrize("address", ["#figure-0-2", "?highlight=bag", "#:~:text=in%20the%20circle"])
def test_a_link_into_a_veil_a_search_hit_and_what_is_found_open_it(reader, address):
    tab = reader(DOOR + address)
    expect(tab.locator("#figure-0-2")).to_be_visible()
    if address.startswith("#f"):
        expect(tab.locator("#figure-0-2")).to_be_in_viewport()
    tab.goto("about:blank")
    tab.go_back()
    expect(tab.locator("#bet-nine-numbers").get_by_role("radio").first).to_be_enabled()


def test_a_link_on_the_page_opens_the_veil_of_its_target(reader):
    tab = reader(DOOR)
    tab.evaluate("location.hash = '#figure-0-2'")
    expect(tab.locator("#figure-0-2")).to_be_in_viewport()


def test_how_far_one_read_is_marked_and_the_front_page_leads_on(reader):
    tab = reader(DOOR)
    part = tab.locator("article > section > section").nth(3)
    part.evaluate("part => part.scrollIntoView({behavior: 'instant'})")
    tab.wait_for_function(f"localStorage['{KEY}']?.includes('notebooks/')")
    expect(tab.locator(".contents a.current")).to_have_attribute("data-read", "begun")
    tab.evaluate("scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")
    expect(tab.locator(".contents a.current")).to_have_attribute("data-read", "read")
    part.evaluate("part => part.scrollIntoView({behavior: 'instant'})")
    tab.wait_for_function(f"localStorage['{KEY}'].includes('{part.get_attribute('id')}')")
    tab.goto(tab.url.replace(DOOR, "index.html"))
    on = tab.locator(".go-on a")
    expect(on).to_contain_text(CHAPTERS[0].title)
    on.click()
    still(tab)
    assert tab.url.endswith(f"#{part.get_attribute('id')}")


def test_the_last_chapter_has_the_score_beside_that_of_the_authors(reader):
    lost, placed = content.authors_score()
    tab = reader(DOOR)
    bet(tab, "nine-numbers", 1)
    tab = reader(LAST)
    expect(tab.locator(".bets-score")).to_have_text(f"Of our own {placed} we lost {lost}. Of your 1 you lost 1.")


def test_all_is_shown_exported_imported_and_forgotten(reader, tmp_path):
    tab = reader(DOOR)
    bet(tab, "nine-numbers", 0)
    tab = reader("book/teach/quizzes.html")
    tab.locator("fieldset.quiz input").first.check()
    tab.reload()
    expect(tab.locator("fieldset.quiz input").first).to_be_checked()
    assert tab.locator("fieldset.quiz output").first.inner_text()
    tab.evaluate("kept.set('typed', 'notebooks/05_worked_example#answer-entry', 'def entry(): ...')")
    tab = reader("book/progress.html")
    line = tab.locator(".kept p")
    expect(line).to_contain_text("Bets placed: 1, lost: 0.")
    expect(line).to_contain_text("Questions answered: 1")
    assert (
        line.get_by_role("link", name="entry").get_attribute("href")
        == "../notebooks/05_worked_example.html#answer-entry"
    )
    expect(tab.locator("output[data-bet=nine-numbers]")).to_have_text("You said: none. What came true: none.")
    before = kept(tab)
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Export").click()
    file = tmp_path / "progress.json"
    download.value.save_as(file)
    tab.get_by_role("button", name="Forget everything").click()
    expect(line).to_contain_text("Bets placed: 0, lost: 0. Questions answered: 0")
    assert kept(tab)["bets"] == {}

    def take(path):
        with tab.expect_file_chooser() as chooser:
            tab.get_by_role("button", name="Import").click()
        chooser.value.set_files(path)

    take(file)
    expect(line).to_contain_text("Bets placed: 1, lost: 0.")
    assert kept(tab) == before
    for broken in ("{{", '{"version": 0}', json.dumps(before | {"bets": {"nine-numbers": 7}})):
        file.write_text(broken)
        take(file)
        expect(tab.locator(".kept output")).to_contain_text("Nothing was changed")
    assert kept(tab) == before


def test_what_was_typed_is_there_again(reader):
    name = "notebooks/04_shift_is_rotation.html#result-shift-solve"
    tab = reader(name)
    tab.locator("#result-shift-solve .run-here").click()
    text = tab.locator(".desk textarea")
    text.press_sequentially("# mine")
    tab.reload()
    tab.locator("#result-shift-solve .run-here").click()
    assert "# mine" in text.input_value()
    tab.get_by_role("button", name="Reset").click()
    assert "# mine" not in text.input_value()
    assert kept(tab)["typed"] == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_of_a_bet_breaks_a_rule_of_axe_and_the_systems_colours_lose_nothing(reader, theme):
    tab = reader(DOOR, color_scheme=theme, forced_colors="active" if theme == "dark" else "none")
    tab.keyboard.press("Tab")  # what is wide is a stop before it comes near
    assert theme == "dark" or broken_rules(tab) == []
    tab.reload()
    bet(tab, "nine-numbers", 1)
    edges = tab.locator("#bet-nine-numbers label").evaluate_all(
        "all => all.map(one => getComputedStyle(one).borderStyle)"
    )
    assert edges == ["solid", "dashed", "solid", "solid"]
    assert theme == "dark" or broken_rules(tab) == []

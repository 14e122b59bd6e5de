"""Statements and exercises run in the reader's page: on the built site, in a real Chromium."""

import json
import os

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from coursebook.content import NOTEBOOKS, ROOT, notebook, notebooks
from coursebook.sphinx.run_in_page.run_here import bytes_sent
from coursebook.sphinx.run_in_page.statement_programs import FIELDS
from coursebook.tools.weigh import AXE, SITE

RUN = SITE / "_static" / "run"
CHAPTER = "04_shift_is_rotation"
# One chapter; every night all of the book.
CHAPTERS = notebooks() if os.environ.get("EVERY_NOTEBOOK") else [notebook(CHAPTER)]
CARD, BEHIND = "#result-shift-solve", "#behind-result-shift-solve"
PROVED, REFUSED = ".desk:visible .posenc-result.proved", ".desk:visible .refusal"


@pytest.fixture(scope="module")
def tab(new_tab, site):
    """The chapter, in one tab for all that is tried in it: each other tab starts Python again."""
    tab = new_tab(viewport={"width": 390, "height": 900}, color_scheme="dark")
    tab.set_default_timeout(60_000)
    tab.goto(f"{site}notebooks/{CHAPTER}.html{CARD}")
    tab.locator(".run-here").first.wait_for(state="attached")
    tab.before = list(tab.requested)
    yield tab
    tab.context.close()


@pytest.fixture
def desk(tab):
    """The tab, with the program of one card open as it is in the book, and run."""
    opened = tab.locator(f"{CARD} + .desk").count()
    tab.click(f"{CARD} .run-here")
    if opened:
        begin_again(tab)
    tab.wait_for_selector(PROVED)
    yield tab
    tab.click(f"{CARD} .run-here")
    assert tab.problems == []


def begin_again(tab):
    """The program of the book, run."""
    tab.get_by_role("button", name="Reset").click()
    tab.get_by_role("button", name="Run", exact=True).click()


def change(tab, old, new):
    """Change the program and run it by keyboard."""
    text = tab.locator(".desk:visible textarea")
    assert old in text.input_value()
    text.fill(text.input_value().replace(old, new, 1))
    text.press("Control+Enter")


IN_WORKER = """async ([address, programs]) => {
    const worker = new Worker(`${address}_static/run/worker.js`, {type: "module"});
    const made = {};
    for (const [id, program] of Object.entries(programs)) {
        made[id] = await new Promise((done) => {
            worker.onmessage = ({data}) => (data.result || data.failed) && done(data.result ?? data);
            worker.postMessage({program});
        });
    }
    worker.terminate();
    return made;
}"""


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_a_notebook_gives_its_cards_and_takes_its_solutions(visit, site, chapter):
    tab = visit(f"{site}404.html")
    shipped = json.loads((RUN / "statements" / f"{chapter.name}.json").read_text(encoding="utf-8"))
    cards = {id: card for id, card in chapter.results.items() if card.kind != "measured"}
    stored = {id: {name: getattr(card, name) for name in FIELDS} for id, card in cards.items()}
    solutions = {f"answer-{exercise.checker}": exercise.solution for exercise in chapter.exercises}
    cells = {id: f"{cell}\n{solutions[id]}" for id, cell in shipped["answers"].items()}
    made = tab.evaluate(IN_WORKER, [site, shipped["statements"] | cells])
    assert set(made) - set(cells) == set(stored)
    for id, card in stored.items():
        assert card in [{name: of_page[name] for name in FIELDS} for of_page in made[id].get("cards", ())], made[id]
    assert {id: made[id] for id in cells if "Right. " not in made[id].get("printed", "")} == {}


def test_the_card_is_that_of_the_book_and_nobody_else_is_asked_for_it(desk, site):
    # In the book one line has the author's formula; the title, and what was checked under that formula, stand behind.
    parts = {
        ".made-head": ".card-title",
        ".math + .math .katex-html": ".katex-html",
        ".card-domain .katex-html": ".card-domain .katex-html",
    }
    for behind, on_desk in parts.items():
        book = desk.locator(f"{BEHIND} {behind}").first.text_content()
        assert desk.locator(f".desk:visible {on_desk}").first.text_content() == book != ""
    assert desk.locator(".desk:visible .math:not([translate=no])").count() == 0
    assert [url for url in desk.before if "/run/" in url] == []
    after = [url for url in desk.requested[len(desk.before) :] if not url.startswith("blob:")]
    names = {url.rpartition("/")[2] for url in after}
    assert {"pyodide.asm.wasm", "pack.tar.zst"} <= names
    # What is ours comes in the version of the page, whatever a browser kept of another.
    unversioned = {name for name in names if name.endswith((".js", ".json", ".py", ".css"))}
    assert unversioned == {"pyodide.js", "pyodide.asm.js"}
    assert [url for url in after if not url.startswith(site)] == []
    assert desk.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context = AXE["context"] | {"include": [[".desk"]]}
    violations = Axe().run(desk, context=context, options=AXE["options"]).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in violations] == []


def test_a_flipped_sign_is_refused_with_a_point_and_an_error_with_its_line(desk):
    change(desk, ", sp.sin(at", ", -sp.sin(at")
    desk.wait_for_selector(REFUSED)
    for words in "Not proved", "false at ", "the left side is":
        assert words in desk.inner_text(REFUSED)
    begin_again(desk)
    desk.wait_for_selector(PROVED)
    assert desk.locator(".refusal").count() == 0
    change(desk, "sp.Matrix", "sp.Matrx")
    desk.wait_for_selector(REFUSED)
    text = desk.locator(".desk:visible textarea")
    line = text.evaluate("text => text.value.slice(text.selectionStart, text.selectionEnd)")
    number = text.input_value().split("\n").index(line) + 1
    assert "sp.Matrx" in line
    assert f"AttributeError · line {number}" in desk.inner_text(REFUSED)


def test_what_does_not_end_is_stopped_and_the_next_runs(desk):
    change(desk, "import sympy", "while True:\n    pass\nimport sympy")
    desk.wait_for_function("document.querySelector('.desk-status').textContent.startsWith('Running')")
    desk.get_by_role("button", name="Stop").click()
    assert desk.inner_text(".desk-status") == "Stopped."
    begin_again(desk)
    desk.wait_for_selector(PROVED)


def test_an_exercise_is_answered_wrong_and_then_right(tab):
    tab.locator(".tag_answer", has=tab.locator("#answer-net_offset")).locator("summary").first.click()
    tab.focus("#answer-net_offset .run-here")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".desk:visible textarea:focus")  # by keyboard one goes on in the program
    tab.wait_for_selector(".desk-output:has-text('Not answered yet')")
    for wrong, right, words in [
        ("...", "[6, math.cos(0.6)]", "Not yet. The third power"),
        ("[6, math.cos(0.6)]", "[8, math.cos(0.8)]", "Right. "),
    ]:
        change(tab, wrong, right)
        tab.wait_for_selector(f".desk-output:has-text('{words}')")
    tab.click("#answer-net_offset .run-here")  # closed: the next test may be any
    assert tab.problems == []


def test_there_is_no_button_where_it_cannot_run_and_where_a_part_does_not_come_it_says_so(visit, new_tab, site):
    page = f"notebooks/{CHAPTER}.html"
    assert visit((SITE / page).as_uri()).locator(".run-here").count() == 0
    without = new_tab()
    without.goto(f"{site}index.html")
    without.context.set_offline(True)
    without.locator(".run-here").click()
    without.get_by_role("button", name="It could not be fetched. Try again").wait_for()
    without.context.set_offline(False)

    def misname(route):
        answer = route.fetch()
        route.fulfill(response=answer, headers=answer.headers | {"content-type": "application/octet-stream"})

    without.route("**/*.wasm", misname)
    without.locator(".run-here").click()
    without.wait_for_selector(PROVED, timeout=60_000)  # the front page has one card to run
    without.unroute_all()
    without.route("**/*.wasm", lambda route: route.fulfill(body="<p>Sign in"))
    without.reload()
    without.locator(".run-here").click()
    expect(without.locator(".desk-status")).to_contain_text("could not be started here: WebAssembly", timeout=30_000)
    without.context.close()


def test_what_is_shipped_is_light_and_has_its_licences_and_the_checker_that_built_the_book():
    files = [file for file in RUN.iterdir() if file.is_file() and file.name != "licences.txt"]
    assert not list(RUN.glob("*.mjs")), "nginx as it comes sends these as unknown bytes"
    assert sum(map(bytes_sent, [*files, RUN / "statements" / f"{CHAPTER}.json"])) <= 12_500_000
    assert sum(file.stat().st_size for file in RUN.rglob("*") if file.is_file()) <= 20_000_000
    button, rules = SITE / "_static" / "run_button.js", ROOT / "book" / "assets" / "run_here.css"
    assert bytes_sent(button) + bytes_sent(rules) <= 2_000
    text = (RUN / "licences.txt").read_text(encoding="utf-8").lower()
    for name in "flint", "gmp", "mpfr", "sympy development team", "mpmath", "katex", "pyodide", "python software":
        assert name in text, name
    assert "licences.txt" in (RUN / "desk.js").read_text()
    for name, source in json.loads((RUN / "checker.json").read_text(encoding="utf-8")).items():
        assert (NOTEBOOKS / name).read_text(encoding="utf-8") == source

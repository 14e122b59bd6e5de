"""Statements and exercises run in the reader's page: on the built site, in a real Chromium."""

import json
import os
import warnings

import exercises
import pytest
from axe_playwright_python.sync_playwright import Axe
from run_here import ROOT, bytes_sent
from statement_programs import FIELDS, NOTEBOOKS, saved_cards
from weigh import AXE, SITE

RUN = SITE / "_static" / "run"
CHAPTER = "04_shift_is_rotation"
# One chapter; every night all of the book.
PATHS = sorted(NOTEBOOKS.glob("*.ipynb" if os.environ.get("EVERY_NOTEBOOK") else f"{CHAPTER}.ipynb"))
CARD, PROVED = "#result-shift-solve", ".desk:visible .posenc-result.proved"
LONG = "while True:\n    pass\n"
MINUTE = 60_000


@pytest.fixture(scope="module")
def tab(new_tab, site):
    """The chapter, in one tab for all that is tried in it: each other tab starts Python again."""
    tab = new_tab(viewport={"width": 1280, "height": 900})
    tab.set_default_timeout(MINUTE)
    tab.goto(f"{site}notebooks/{CHAPTER}.html{CARD}")  # the card is folded, and its address opens it
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
    tab.get_by_role("button", name="As in the book").click()
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
            worker.onmessage = ({data}) => (data.result || data.failed) && done(data);
            worker.postMessage({program});
        });
    }
    worker.terminate();
    return made;
}"""


def unlike(stored, made):
    """What a program gave in place of the stored card; None if it gave that."""
    result = made.get("result")
    if not result or result["refusal"]:
        return made.get("failed") or result["refusal"]["words"]
    cards = {card["id"]: {name: card[name] for name in FIELDS} for card in result["cards"]}
    return None if cards.get(stored["id"]) == stored else cards


@pytest.mark.filterwarnings("default::UserWarning")
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_gives_its_cards_and_takes_its_solutions(visit, site, path):
    tab = visit(f"{site}404.html")
    shipped = json.loads((RUN / "statements" / f"{path.stem}.json").read_text(encoding="utf-8"))
    stored = {id: card for id, card in saved_cards(path).items() if card["kind"] != "measured"}
    made = tab.evaluate(IN_WORKER, [site, shipped["statements"]])
    assert set(made) == set(stored)
    assert {id: other for id in made if (other := unlike(stored[id], made[id]))} == {}
    if slow := {id: round(each["seconds"]) for id, each in made.items() if each["seconds"] > 3}:
        warnings.warn(f"{path.stem}: these take more than three seconds: {slow}", stacklevel=1)
    solutions = {f"answer-{exercise.checker}": exercise.solution for exercise in exercises.exercises_in(path)}
    cells = {id: f"{cell}\n{solutions[id]}" for id, cell in shipped["answers"].items()}
    answered = tab.evaluate(IN_WORKER, [site, cells])
    right = {id for id, each in answered.items() if "result" in each and "Right. " in each["result"]["printed"]}
    assert {id: each for id, each in answered.items() if id not in right} == {}


def test_the_card_is_that_of_the_book_and_nobody_else_is_asked_for_it(desk, site):
    for part in (".card-title", ".katex-html", ".card-domain .katex-html"):
        book, made = (desk.locator(f"{card} {part}").first.text_content() for card in (CARD, ".desk:visible"))
        assert made == book != ""
    assert [url for url in desk.before if "/run/" in url] == []
    after = [url for url in desk.requested[len(desk.before) :] if not url.startswith("blob:")]
    assert {"pyodide.asm.wasm", "pack.tar.zst"} <= {url.rpartition("/")[2] for url in after}
    assert [url for url in after if not url.startswith(site)] == []


def test_a_flipped_sign_is_refused_with_a_point_and_mended(desk):
    change(desk, ", -sp.sin(", ", sp.sin(")
    desk.wait_for_selector(".desk:visible .refusal")
    refusal = desk.inner_text(".desk:visible .refusal")
    assert "Not proved" in refusal
    assert "false at " in refusal
    assert "the left side is" in refusal
    desk.get_by_role("button", name="As in the book").click()
    assert desk.locator(".refusal").count() == 0
    assert ", -sp.sin(" in desk.locator(".desk:visible textarea").input_value()
    desk.get_by_role("button", name="Run", exact=True).click()
    desk.wait_for_selector(PROVED)


def test_an_error_shows_its_line(desk):
    change(desk, "sp.Matrix", "sp.Matrx")
    desk.wait_for_selector(".desk:visible .refusal")
    text = desk.locator(".desk:visible textarea")
    line = text.evaluate("text => text.value.slice(text.selectionStart, text.selectionEnd)")
    number = text.input_value().split("\n").index(line) + 1
    assert "sp.Matrx" in line
    assert f"AttributeError · line {number}" in desk.inner_text(".desk:visible .refusal")


def test_what_does_not_end_is_stopped_and_the_next_runs(desk):
    change(desk, "import sympy", f"{LONG}import sympy")
    desk.wait_for_function("document.querySelector('.desk-status').textContent.startsWith('Running')")
    desk.get_by_role("button", name="Stop").click()
    assert desk.inner_text(".desk-status") == "Stopped."
    begin_again(desk)
    desk.wait_for_selector(PROVED)


def test_an_exercise_is_answered_wrong_and_then_right(tab):
    fold = tab.locator(".tag_answer", has=tab.locator("#answer-net_offset")).locator("summary").first
    fold.click()
    tab.click("#answer-net_offset .run-here")
    tab.wait_for_selector(".desk-output:has-text('Not answered yet')")
    change(tab, "...", "[6, math.cos(0.6)]")
    tab.wait_for_selector(".desk-output:has-text('Not yet. The third power')")
    change(tab, "[6, math.cos(0.6)]", "[8, math.cos(0.8)]")
    tab.wait_for_selector(".desk-output:has-text('Right. ')")
    tab.click("#answer-net_offset .run-here")
    assert tab.problems == []


def test_all_of_it_by_keyboard(tab):
    tab.focus(f"{CARD} .run-here")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".desk:visible textarea:focus")
    names = []
    for _ in range(3):
        tab.keyboard.press("Tab")
        names.append(tab.evaluate("document.activeElement.textContent"))
    assert names == ["Run", "Stop", "As in the book"]
    tab.focus(f"{CARD} .run-here")
    tab.keyboard.press("Enter")
    tab.locator(".desk").first.wait_for(state="hidden")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_it_reads_for_everybody(desk, scheme, width):
    desk.emulate_media(color_scheme=scheme)
    desk.set_viewport_size({"width": width, "height": 900})
    assert desk.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context = AXE["context"] | {"include": [[".desk"]]}
    violations = Axe().run(desk, context=context, options=AXE["options"]).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in violations] == []


def test_there_is_no_button_where_it_cannot_run(visit, new_tab, site):
    page = f"notebooks/{CHAPTER}.html"
    assert 'class="run-here' not in (SITE / page).read_text(encoding="utf-8")
    assert visit((SITE / page).as_uri()).locator(".run-here").count() == 0
    without = new_tab()
    without.add_init_script("delete globalThis.WebAssembly")
    without.goto(f"{site}{page}")
    assert without.locator(".run-here").count() == 0
    without.context.close()


def test_the_front_page_has_one_card_to_run(visit, site):
    tab = visit(f"{site}index.html")
    tab.locator(".run-here").click()
    tab.wait_for_selector(PROVED, timeout=MINUTE)
    assert tab.locator(".run-here").count() == 1
    assert tab.problems == []


def test_weights():
    files = [file for file in RUN.iterdir() if file.is_file() and file.name != "licences.txt"]
    assert sum(map(bytes_sent, [*files, RUN / "statements" / f"{CHAPTER}.json"])) <= 12_500_000
    assert sum(file.stat().st_size for file in RUN.rglob("*") if file.is_file()) <= 20_000_000
    button, rules = SITE / "_static" / "run_button.js", ROOT / "book" / "assets" / "run_here.css"
    assert bytes_sent(button) + bytes_sent(rules) <= 2_000


def test_the_licences_of_what_is_shipped_are_shipped():
    text = (RUN / "licences.txt").read_text(encoding="utf-8")
    names = "FLINT", "GMP", "MPFR", "SymPy Development Team", "mpmath", "KaTeX", "Left out of SymPy", "Pyodide"
    licences = "Mozilla Public License", "PYTHON SOFTWARE FOUNDATION LICENSE", "GNU LESSER GENERAL PUBLIC"
    for words in (*names, *licences):
        assert words.lower() in text.lower(), words
    assert "licences.txt" in (RUN / "desk.js").read_text()


def test_the_checker_in_the_page_is_the_one_that_built_the_book():
    for name, text in json.loads((RUN / "checker.json").read_text(encoding="utf-8")).items():
        assert (NOTEBOOKS / name).read_text(encoding="utf-8") == text

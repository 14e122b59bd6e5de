"""Statements run in the reader's page: on the built site, in a real Chromium."""

import gzip
import json
from pathlib import Path

import pytest
import run_in_page
from axe_playwright_python.sync_playwright import Axe
from statement_programs import NOTEBOOKS, kept
from weigh import AXE, FLATTEN

SITE = Path(__file__).parents[2] / "_build" / "html"
RUN = SITE / "_static" / "run"
CHAPTER = "04_shift_is_rotation"
CARD, OTHER = "#result-shift-solve", "#result-shift-compose"
LONG = "while True:\n    pass\n"
MINUTE = 60_000


@pytest.fixture(scope="module")
def address(serve):
    return serve(SITE)


@pytest.fixture
def visit(chromium):
    """A function that opens a page, with what it asked for and what went wrong."""
    contexts = []

    def opened(url, script="", **wanted):
        contexts.append(chromium.new_context(**wanted))
        contexts[-1].add_init_script(script)
        tab = contexts[-1].new_page()
        tab.set_default_timeout(MINUTE)
        tab.asked, tab.problems = [], []
        tab.on("request", lambda request: tab.asked.append(request.url))
        tab.on("pageerror", lambda problem: tab.problems.append(str(problem)))
        tab.on("console", lambda said: said.type == "error" and tab.problems.append(said.text))
        tab.goto(url, wait_until="networkidle")
        return tab

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def desk(visit, address):
    """A page of which one card was run."""
    tab = visit(f"{address}/notebooks/{CHAPTER}.html")
    tab.before = list(tab.asked)
    tab.click(f"{CARD} .run-here")
    tab.wait_for_selector(".desk .posenc-result.proved")
    return tab


def change(tab, old, new):
    """Change the program and run it by keyboard."""
    text = tab.locator(".desk textarea")
    assert old in text.input_value()
    text.fill(text.input_value().replace(old, new, 1))
    text.press("Control+Enter")


def test_a_chapter_gives_its_cards(visit, address):
    tab = visit(f"{address}/404.html")
    stored = {id: card for id, card in kept(NOTEBOOKS / f"{CHAPTER}.ipynb").items() if card["kind"] != "measured"}
    made = run_in_page.run(tab, address, run_in_page.shipped(CHAPTER))
    assert set(made) == set(stored)
    assert {id: other for id in made if (other := run_in_page.unlike(stored[id], made[id]))} == {}


def test_the_first_card_is_that_of_the_book(desk):
    for part in (".card-title", ".katex-html", ".card-domain .katex-html"):
        book, made = (desk.locator(f"{card} {part}").first.text_content() for card in (CARD, ".desk"))
        assert made == book != ""
    assert desk.problems == []


def test_nothing_is_asked_for_before_the_click_and_nobody_else_after_it(desk, address):
    assert [url for url in desk.before if "/run/" in url] == []
    after = [url for url in desk.asked[len(desk.before) :] if not url.startswith("blob:")]
    assert {"pyodide.asm.wasm", "pack.tar.zst"} <= {url.rpartition("/")[2] for url in after}
    assert [url for url in after if not url.startswith(address)] == []


def test_a_flipped_sign_is_refused_with_a_point_and_mended(desk):
    change(desk, "[cos, -sin]", "[cos, sin]")
    desk.wait_for_selector(".desk .refusal")
    said = desk.inner_text(".desk .refusal")
    assert "Not proved" in said
    assert "false at " in said
    assert "the left side is" in said
    desk.get_by_role("button", name="As in the book").click()
    assert desk.locator(".refusal").count() == 0
    assert "[cos, -sin]" in desk.locator(".desk textarea").input_value()
    desk.get_by_role("button", name="Run", exact=True).click()
    desk.wait_for_selector(".desk .posenc-result.proved")


def test_an_error_shows_its_line(desk):
    change(desk, "sp.Matrix", "sp.Matrx")
    desk.wait_for_selector(".desk .refusal")
    text = desk.locator(".desk textarea")
    line = text.evaluate("text => text.value.slice(text.selectionStart, text.selectionEnd)")
    number = text.input_value().split("\n").index(line) + 1
    assert "sp.Matrx" in line
    assert f"AttributeError · line {number}" in desk.inner_text(".desk .refusal")


def test_what_does_not_end_is_stopped_and_the_next_runs(desk):
    change(desk, "import sympy", f"{LONG}import sympy")
    desk.wait_for_function("document.querySelector('.desk-status').textContent.startsWith('Running')")
    desk.get_by_role("button", name="Stop").click()
    assert desk.inner_text(".desk-status") == "Stopped."
    desk.goto(desk.url.partition("#")[0] + OTHER)  # it opens the fold
    desk.click(f"{OTHER} .run-here")
    desk.wait_for_selector(f"{OTHER} + .desk .posenc-result.proved")


def test_an_exercise_is_answered_wrong_and_then_right(visit, address):
    tab = visit(f"{address}/notebooks/{CHAPTER}.html")
    tab.locator(".tag_answer", has=tab.locator("#answer-net_offset")).locator("summary").first.click()
    tab.click("#answer-net_offset .run-here")
    tab.wait_for_selector(".desk-said:has-text('Not answered yet')")
    change(tab, "...", "[6, math.cos(0.6)]")
    tab.wait_for_selector(".desk-said:has-text('Not yet. The third power')")
    change(tab, "[6, math.cos(0.6)]", "[8, math.cos(0.8)]")
    tab.wait_for_selector(".desk-said:has-text('Right. ')")
    assert tab.problems == []


def test_all_of_it_by_keyboard(visit, address):
    tab = visit(f"{address}/notebooks/{CHAPTER}.html")
    tab.focus(f"{CARD} .run-here")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".desk .posenc-result.proved")
    assert tab.evaluate("document.activeElement.matches('.desk textarea')")
    names = []
    for _ in range(3):
        tab.keyboard.press("Tab")
        names.append(tab.evaluate("document.activeElement.textContent"))
    assert names == ["Run", "Stop", "As in the book"]
    tab.focus(f"{CARD} .run-here")
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".desk", state="hidden")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_it_reads_for_everybody(visit, address, scheme, width):
    tab = visit(f"{address}/notebooks/{CHAPTER}.html", color_scheme=scheme, viewport={"width": width, "height": 900})
    tab.click(f"{CARD} .run-here")
    tab.wait_for_selector(".desk .posenc-result.proved")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.evaluate(FLATTEN)
    found = Axe().run(tab, context=[".desk"], options=AXE["options"]).response["violations"]
    assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found] == []


def test_there_is_no_button_where_it_cannot_run(visit, address):
    page = f"notebooks/{CHAPTER}.html"
    assert visit((SITE / page).as_uri()).locator(".run-here").count() == 0
    assert visit(f"{address}/{page}", java_script_enabled=False).locator(".run-here").count() == 0
    assert visit(f"{address}/{page}", "delete globalThis.WebAssembly").locator(".run-here").count() == 0
    assert visit(f"{address}/{page}").locator(".run-here").count() > 5


def test_the_front_page_has_one_card_to_run(visit, address):
    tab = visit(f"{address}/index.html")
    tab.locator(".run-here").click()
    tab.wait_for_selector(".desk .posenc-result.proved")
    assert tab.locator(".run-here").count() == 1
    assert tab.problems == []


def test_weights():
    """As a server sends them that compresses text and WebAssembly; the packs are compressed already."""
    sent = {".zst": lambda data: data, ".zip": lambda data: data}
    files = [file for file in RUN.iterdir() if file.is_file() and file.name != "licences.txt"]
    files.append(RUN / "statements" / f"{CHAPTER}.json")
    weight = sum(len(sent.get(file.suffix, lambda d: gzip.compress(d, 6))(file.read_bytes())) for file in files)
    assert weight <= 12_500_000
    assert sum(file.stat().st_size for file in RUN.rglob("*") if file.is_file()) <= 20_000_000
    button = SITE / "_static" / "run_button.js"
    rules = Path(__file__).parents[2] / "book" / "assets" / "run_here.css"
    assert sum(len(gzip.compress(file.read_bytes(), 6)) for file in (button, rules)) <= 2_000


def test_the_licences_of_what_is_shipped_are_shipped():
    text = (RUN / "licences.txt").read_text(encoding="utf-8")
    for name in ("Pyodide", "Mozilla Public License", "PYTHON SOFTWARE FOUNDATION LICENSE", "GNU LESSER GENERAL PUBLIC",
                 "FLINT", "GMP", "MPFR", "SymPy Development Team", "mpmath", "KaTeX", "Left out of SymPy"):  # fmt: skip
        assert name.lower() in text.lower(), name
    assert "licences.txt" in (RUN / "desk.js").read_text()


def test_the_checker_in_the_page_is_the_one_that_built_the_book():
    for name, text in json.loads((RUN / "checker.json").read_text(encoding="utf-8")).items():
        assert (NOTEBOOKS / name).read_text(encoding="utf-8") == text

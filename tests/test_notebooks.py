"""What every chapter and appendix in git must be: normal, executed, with results that have their twins."""

import ast
import functools
import json
import re
from collections import Counter

import nbformat
import prose
import pytest
from normalise import FOLDER, TAGS, is_appendix, notebooks, number, text, tidy

from coursebook.content import HEAD
from posenc import draw, proof

PARTS = ["What you will be able", "*You need*", "*Time:*", "## Exercises", "## Key points", "## Sources"]
PATHS = notebooks()
DOOR = FOLDER / "00_in_one_sitting.ipynb"  # chapter 0: the whole story, without a card
CHAPTERS = [path for path in PATHS if not is_appendix(path) and path != DOOR]
APPENDICES = [path for path in PATHS if is_appendix(path)]


def for_each(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


@functools.cache
def read(path):
    return nbformat.read(path, as_version=4)


def tags(cell):
    return set(cell.metadata.get("tags", ()))


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def prose_of(path):
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def outputs_in(path):
    return [output for cell in code_cells(path) for output in cell.outputs]


def bundles(path, mime):
    return [output.data[mime] for output in outputs_in(path) if mime in output.get("data", {})]


@for_each(PATHS)
def test_is_in_normal_form(path):
    normal = text(tidy(nbformat.read(path, as_version=4)))
    assert path.read_text(encoding="utf-8") == normal, f"run: python book/_tools/normalise.py notebooks/{path.name}"


@for_each(PATHS)
def test_was_executed_in_order_and_kept_outputs_that_hold_anywhere(path):
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    shows = re.compile(r"^(print|display|prove|prove_by_induction|refute|measure|draw\.\w+|check\.\w+)\(", re.M)
    silent = [cell.source for cell in cells if not cell.outputs and shows.search(cell.source)]
    assert not silent, f"these cells end in an expression or print, yet hold no output: {silent}"
    assert sum(bool(cell.outputs) for cell in cells) >= len(cells) // 2
    assert not re.search(r"0x[0-9a-f]{6,}|/home/|/tmp/|site-packages|tensor\(\[|Text\(", json.dumps(outputs_in(path)))
    for cell in cells:
        failed = [out for out in cell.outputs if out.get("name") == "stderr" or out.output_type == "error"]
        assert failed == [] or "raises-exception" in tags(cell)


@for_each(PATHS)
def test_cells_are_short_and_their_tags_agree(path):
    code = [cell.source for cell in code_cells(path)]
    assert [line for source in code for line in source.splitlines() if len(line) > 96] == [], "break at 96 columns"
    assert max(len(source.splitlines()) for source in code) <= 25, "divide the cell: it has more than 25 lines"
    for own in map(tags, read(path).cells):
        assert own <= TAGS, own
        folded = {"hide-input"} if "strict" in own else {"hide-cell", "raises-exception"}
        assert len(own - folded) <= 1, own


VERBS = {"prove", "prove_by_induction", "refute", "measure"}


@for_each([DOOR, *CHAPTERS])
def test_sympy_speaks_in_the_open_and_the_checker_behind_it(path):
    code = code_cells(path)
    open_cells = [n for n, cell in enumerate(code) if "sympy" in tags(cell)]
    assert open_cells, "a chapter has a cell in which SymPy finds something"
    for n in open_cells:
        assert not called_in(code[n]) & VERBS, "the checker is called in the cell behind"
        assert code[n].outputs, "what SymPy finds is shown"
        assert "strict" in tags(code[n + 1]), "the next cell holds it to the strict checker"
    for cell in code:
        lines = list(filter(None, cell.source.splitlines()))
        if tags(cell) & {"torch", "sympy"}:
            assert len(lines) <= 8, f"what a student would type, in eight lines: {lines[0]}"
            assert max(map(len, lines)) <= 76, "the page shows 76 columns"
        if "strict" in tags(cell):
            cards = [output.data[proof.MIME] for output in cell.outputs if proof.MIME in output.get("data", {})]
            assert cards, "a cell with this tag shows a card"
            assert {card["kind"] for card in cards} <= {"proved", "refuted"}, "a measurement is no proof"


def called_in(cell):
    return {getattr(node.func, "id", "") for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)}


@for_each(PATHS)
def test_a_cell_may_be_run_twice(path):
    """As far as its text shows: it adds to nothing that an earlier cell made."""
    for cell in code_cells(path)[1:]:  # the first is Colab's
        nodes = list(ast.walk(ast.parse(cell.source)))
        calls = [node.func for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        grown = [node.target for node in nodes if isinstance(node, ast.AugAssign)]
        grown += [call.value for call in calls if call.attr in ("append", "extend", "insert")]
        names = [node for node in nodes if isinstance(node, ast.Name)]
        made = {name.id for name in names if isinstance(name.ctx, ast.Store) and name not in grown}
        assert {name.id for name in names if name in grown} <= made, cell.source


@for_each(CHAPTERS + APPENDICES)
def test_every_card_says_for_what_it_holds_and_what_was_run(path):
    results = bundles(path, proof.MIME)
    assert results, "a notebook without a result"
    assert bundles(path, draw.MIME), "a notebook without a figure"
    assert {result["kind"] for result in results} <= {"proved", "refuted", "measured"}
    exact = [result for result in results if result["kind"] != "measured"]
    assert [result["id"] for result in exact if not (result["run"] and result["statement"])] == []
    proved = [result for result in exact if result["kind"] == "proved"]
    assert [result["id"] for result in proved if not result["domain"]] == []


def test_no_statement_has_more_than_one_card():
    results = [result for path in PATHS for result in bundles(path, proof.MIME)]
    assert repeated(result["id"] for result in results) == [], "each card has an id of its own"
    stated = [result for result in results if result["statement"]]
    assert repeated((result["statement"], result["domain"]) for result in stated) == [], "link to the first card"


def repeated(things):
    return [thing for thing, times in Counter(things).items() if times > 1]


@for_each(PATHS)
def test_speaks_plain_markdown_and_hides_nothing(path):
    assert prose.switches(read(path)) == [], "no comment switches a comparison off"
    assert prose.images(read(path)) == [], "a cell draws it"
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            assert not re.search(r"^\s*(:::|```\{)|\{(eq|cite|ref|doc|numref|math|term)[^}]*\}`", cell.source, re.M)
            inline = re.findall(r"(?<!\$)\$([^$]+)\$(?!\$)", cell.source)
            assert not [formula for formula in inline if re.search(r"\n\s*[+*-]", formula)], "reads as a list"
            assert not re.search(r"^(?![\s>|#]|[*+-] |\d+[.)] ).+\n1[.)] ", cell.source, re.M), "reads as a list"


@for_each(CHAPTERS)
def test_follows_the_template(path):
    text = prose_of(path)
    assert [part for part in PARTS if part not in text] == [], "add these: CONTRIBUTING.md has the order of a chapter"
    solutions = ["solution" in tags(cell) for cell in read(path).cells].count(True)
    assert len(HEAD.findall(text)) == solutions, "an exercise has one solution: a cell with this tag"


@for_each(PATHS)
def test_every_objective_has_an_exercise_and_every_exercise_an_objective(path):
    """By the numbers behind the objectives: whether an exercise fails without its objective, a person judges."""
    text = prose_of(path)
    exercises = {number for number, _ in HEAD.findall(text)}
    listed = re.search(r"What you will be able to do</summary>\n\n(.*?)\n\n", text, re.S)
    assert bool(exercises) == bool(listed)
    objectives = re.split(r"^- ", listed[1], flags=re.M)[1:] if listed else []
    named = [re.findall(r"\d+\.\d+", re.search(r"\(exercises?\s([^)]*)\)[;.]\s*$", line)[1]) for line in objectives]
    assert all(named)
    tested = [number for numbers in named for number in numbers]
    assert set(tested) - exercises == set(), "objectives name these exercises, which are not in the chapter"
    assert exercises - set(tested) == set(), "no objective names these: add (exercise N.M) behind its line"
    assert repeated(tested) == [], "an exercise tests one objective"


def test_chapter_0_has_no_cards_and_its_code_fits_a_phone():
    assert bundles(DOOR, proof.MIME) == [], "its cards are in the chapters: link to them"
    code = [cell.source for cell in code_cells(DOOR) if not tags(cell)]
    lines = "\n".join(code).splitlines()
    assert [line for line in lines if len(line) > 38] == [], "a phone shows no more: break the line"


def test_chapter_0_links_to_what_settles_each_of_its_proofs():
    found = re.findall(r"\[(?:proved|measured)\]\(([^)#]*)#(result|theorem)-([^)]*)\)", prose_of(DOOR))
    assert len(found) >= 12
    theorems = (FOLDER.parent / "book" / "every_size.md").read_text(encoding="utf-8")
    for file, kind, name in found:
        if kind == "theorem":
            assert file == "../book/every_size.md"
            assert f"{{theorem}} {name}\n" in theorems, name
        else:
            assert name in {result["id"] for result in bundles(FOLDER / file, proof.MIME)}, f"{file}: {name}"


@for_each(APPENDICES)
def test_an_appendix_belongs_to_its_chapter(path):
    assert re.fullmatch(r"a\d+_[a-z0-9_]+", path.stem)
    assert read(path).cells[0].source.startswith("# Appendix: ")
    (chapter,) = (other for other in CHAPTERS if number(other) == number(path))
    assert f"]({chapter.name}" in prose_of(path), f"link to {chapter.name}"
    assert f"]({path.name}" in prose_of(chapter), f"{chapter.name} does not link here"


@for_each(PATHS)
def test_papers_it_links_to_are_in_the_bibliography(path):
    bibliography = (FOLDER.parent / "book" / "references.bib").read_text(encoding="utf-8")
    for paper in re.findall(r"arxiv\.org/abs/(\d{4}\.\d{4,5})", path.read_text(encoding="utf-8")):
        assert paper in bibliography, f"add arXiv {paper} to book/references.bib"

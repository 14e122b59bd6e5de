"""What every chapter and appendix in git must be: normal, executed, with results that have their twins."""

import ast
import functools
import json
import re
from collections import Counter

import pytest

from coursebook import content
from coursebook.content import HEAD
from coursebook.tools.normalise import TAGS, text, tidy

PARTS = ["What you will be able", "*You need*", "*Time:*", "## Exercises", "## Key points", "## Sources"]
NOTEBOOKS = content.notebooks()
DOOR, *CHAPTERS = content.chapters().values()  # chapter 0: the whole story; the chapters have its cards
APPENDICES = [notebook for notebook in NOTEBOOKS if notebook.is_appendix]


def for_each(chapters):
    return pytest.mark.parametrize("chapter", chapters, ids=lambda chapter: chapter.name)


@functools.cache
def read(chapter):
    """What nbformat reads: also what no page is made from, such as counts and attachments."""
    return chapter.notebook()


def code_cells(chapter):
    return [cell for cell in chapter.cells if cell.kind == "code"]


@for_each(NOTEBOOKS)
def test_is_in_normal_form(chapter):
    remedy = f"run: python -m coursebook.tools.normalise {chapter.page}.ipynb"
    assert chapter.path.read_text(encoding="utf-8") == text(tidy(chapter.notebook())), remedy


@for_each(NOTEBOOKS)
def test_was_executed_in_order_and_kept_outputs_that_hold_anywhere(chapter):
    cells = [cell for cell in read(chapter).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    shows = re.compile(r"^(print|display|prove|prove_by_induction|refute|measure|draw\.\w+|check\.\w+)\(", re.M)
    silent = [cell.source for cell in cells if not cell.outputs and shows.search(cell.source)]
    assert not silent, f"these cells end in an expression or print, yet hold no output: {silent}"
    assert sum(bool(cell.outputs) for cell in cells) >= len(cells) // 2
    outputs = json.dumps([cell.outputs for cell in cells])
    assert not re.search(r"0x[0-9a-f]{6,}|/home/|/tmp/|site-packages|tensor\(\[|Text\(", outputs)
    for cell in cells:
        failed = [out for out in cell.outputs if out.get("name") == "stderr" or out.output_type == "error"]
        assert failed == [] or "raises-exception" in cell.metadata.tags


@for_each(NOTEBOOKS)
def test_cells_are_short_and_their_tags_agree(chapter):
    code = [cell.source for cell in code_cells(chapter)]
    assert [line for source in code for line in source.splitlines() if len(line) > 96] == [], "break at 96 columns"
    assert max(len(source.splitlines()) for source in code) <= 25, "divide the cell: it has more than 25 lines"
    for own in (cell.tags for cell in chapter.cells):
        assert own <= TAGS, own
        folded = {"hide-input"} if "strict" in own else {"hide-cell", "raises-exception"}
        assert len(own - folded) <= 1, own


VERBS = {"prove", "prove_by_induction", "refute", "measure"}


@for_each([DOOR, *CHAPTERS])
def test_sympy_speaks_in_the_open_and_the_checker_behind_it(chapter):
    code = code_cells(chapter)
    open_cells = [n for n, cell in enumerate(code) if "sympy" in cell.tags]
    assert open_cells, "a chapter has a cell in which SymPy finds something"
    for n in open_cells:
        assert not called_in(code[n]) & VERBS, "the checker is called in the cell behind"
        assert code[n].outputs, "what SymPy finds is shown"
        assert "strict" in code[n + 1].tags, "the next cell holds it to the strict checker"
    for cell in code:
        lines = list(filter(None, cell.source.splitlines()))
        if cell.tags & {"torch", "sympy"}:
            assert len(lines) <= 8, f"what a student would type, in eight lines: {lines[0]}"
            assert max(map(len, lines)) <= 76, "the page shows 76 columns"
        if "strict" in cell.tags:
            assert cell.results, "a cell with this tag shows a card"
            assert {result.kind for result in cell.results} <= {"proved", "refuted"}, "a measurement is no proof"


def called_in(cell):
    return {getattr(node.func, "id", "") for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)}


@for_each(NOTEBOOKS)
def test_a_cell_may_be_run_twice(chapter):
    """As far as its text shows: it adds to nothing that an earlier cell made."""
    for cell in code_cells(chapter)[1:]:  # the first is Colab's
        nodes = list(ast.walk(ast.parse(cell.source)))
        calls = [node.func for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        grown = [node.target for node in nodes if isinstance(node, ast.AugAssign)]
        grown += [call.value for call in calls if call.attr in ("append", "extend", "insert")]
        names = [node for node in nodes if isinstance(node, ast.Name)]
        made = {name.id for name in names if isinstance(name.ctx, ast.Store) and name not in grown}
        assert {name.id for name in names if name in grown} <= made, cell.source


@for_each(CHAPTERS + APPENDICES)
def test_every_card_says_for_what_it_holds_and_what_was_run(chapter):
    results = chapter.results.values()
    assert results, "a notebook without a result"
    assert any(cell.figures for cell in chapter.cells), "a notebook without a figure"
    assert {result.kind for result in results} <= {"proved", "refuted", "measured"}
    exact = [result for result in results if result.kind != "measured"]
    assert [result.id for result in exact if not (result.run and result.statement)] == []
    proved = [result for result in exact if result.kind == "proved"]
    assert [result.id for result in proved if not result.domain] == []


def test_no_statement_has_more_than_one_card():
    results = [result for chapter in NOTEBOOKS for cell in chapter.cells for result in cell.results]
    assert repeated(result.id for result in results) == [], "each card has an id of its own"
    stated = [result for result in results if result.statement]
    assert repeated((result.statement, result.domain) for result in stated) == [], "link to the first card"


def repeated(things):
    return [thing for thing, times in Counter(things).items() if times > 1]


@for_each(NOTEBOOKS)
def test_speaks_plain_markdown_and_hides_nothing(chapter):
    assert not re.search(r"!\[|<(?:img|svg)\b", chapter.prose), "a cell draws it"
    for cell in chapter.cells:
        if cell.kind == "markdown":
            assert not re.search(r"^\s*(:::|```\{)|\{(eq|cite|ref|doc|numref|math|term)[^}]*\}`", cell.source, re.M)
            inline = re.findall(r"(?<!\$)\$([^$]+)\$(?!\$)", cell.source)
            assert not [formula for formula in inline if re.search(r"\n\s*[+*-]", formula)], "reads as a list"
            assert not re.search(r"^(?![\s>|#]|[*+-] |\d+[.)] ).+\n1[.)] ", cell.source, re.M), "reads as a list"


@for_each(CHAPTERS)
def test_follows_the_template(chapter):
    text = chapter.prose
    assert [part for part in PARTS if part not in text] == [], "add these: CONTRIBUTING.md has the order of a chapter"
    solutions = ["solution" in cell.tags for cell in chapter.cells].count(True)
    assert len(HEAD.findall(text)) == solutions, "an exercise has one solution: a cell with this tag"


@for_each(NOTEBOOKS)
def test_every_objective_has_an_exercise_and_every_exercise_an_objective(chapter):
    """By the numbers behind the objectives: whether an exercise fails without its objective, a person judges."""
    text = chapter.prose
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


def test_chapter_0_has_its_cards_under_open_cells_and_its_code_fits_a_phone():
    behind = [cell for cell in code_cells(DOOR)[1:] if called_in(cell) & VERBS]  # the first is Colab's
    assert [cell.source for cell in behind if "strict" not in cell.tags] == [], "other cards: link to the chapters"
    code = [cell.source for cell in code_cells(DOOR) if cell.tags <= {"torch", "sympy"}]
    lines = "\n".join(code).splitlines()
    assert [line for line in lines if len(line) > 38] == [], "a phone shows no more: break the line"


def test_chapter_0_links_to_what_settles_each_of_its_proofs():
    found = re.findall(r"\[(?:proved|measured)\]\(([^)#]*)#(result|theorem)-([^)]*)\)", DOOR.prose)
    assert len(found) >= 12
    theorems = (content.ROOT / "book" / "every_size.md").read_text(encoding="utf-8")
    for file, kind, name in found:
        if kind == "theorem":
            assert file == "../book/every_size.md"
            assert f"{{theorem}} {name}\n" in theorems, name
        else:
            assert name in content.notebook(file.removesuffix(".ipynb")).results, f"{file}: {name}"


@for_each(APPENDICES)
def test_an_appendix_belongs_to_its_chapter(chapter):
    assert re.fullmatch(r"a\d+_[a-z0-9_]+", chapter.name)
    assert chapter.title.startswith("Appendix: ")
    its_chapter = content.chapters()[chapter.number]
    assert f"]({its_chapter.name}.ipynb" in chapter.prose, f"link to {its_chapter.name}"
    assert f"]({chapter.name}.ipynb" in its_chapter.prose, f"{its_chapter.name} does not link here"


@for_each(NOTEBOOKS)
def test_papers_it_links_to_are_in_the_bibliography(chapter):
    bibliography = (content.ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    for paper in re.findall(r"arxiv\.org/abs/(\d{4}\.\d{4,5})", chapter.path.read_text(encoding="utf-8")):
        assert paper in bibliography, f"add arXiv {paper} to book/references.bib"

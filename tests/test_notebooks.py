"""What every chapter and appendix in git must be: normal, executed, with results that have their twins."""

import functools
import json
import re
from collections import Counter

import minutes
import nbformat
import prose
import pytest
from normalise import FOLDER, TAGS, is_appendix, notebooks, number, text, tidy

from posenc import draw, proof

PARTS = ["What you will be able", "*You need*", "*Time:*", "## Trap", "## Exercises", "## Key points", "## Sources"]
PATHS = notebooks()
DOOR = FOLDER / "00_in_one_sitting.ipynb"  # chapter 0: the whole story, without a card
CHAPTERS = [path for path in PATHS if not is_appendix(path) and path != DOOR]
APPENDICES = [path for path in PATHS if is_appendix(path)]


def for_each(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


@functools.cache
def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def bundles(path, mime):
    outputs = [output for cell in code_cells(path) for output in cell.outputs]
    return [output.data[mime] for output in outputs if mime in output.get("data", {})]


@for_each(PATHS)
def test_is_in_normal_form(path):
    normal = text(tidy(nbformat.read(path, as_version=4)))
    assert path.read_text(encoding="utf-8") == normal, f"run: python book/_tools/normalise.py notebooks/{path.name}"


@for_each(PATHS)
def test_was_executed_in_order_and_kept_its_outputs(path):
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    shows = re.compile(r"^(print|display|prove|prove_by_induction|refute|measure|draw\.\w+|check\.\w+)\(", re.M)
    silent = [cell.source for cell in cells if not cell.outputs and shows.search(cell.source)]
    assert not silent, f"these cells end in an expression or print, yet hold no output: {silent}"
    assert sum(bool(cell.outputs) for cell in cells) >= len(cells) // 2


@for_each(PATHS)
def test_nothing_failed_or_warned(path):
    for cell in code_cells(path):
        for output in cell.outputs:
            assert output.get("name") != "stderr", output.get("text")
            if output.output_type == "error":
                assert "raises-exception" in cell.metadata.get("tags", ())


@for_each(PATHS)
def test_tags_are_whitelisted(path):
    for cell in read(path).cells:
        tags = set(cell.metadata.get("tags", ()))
        assert tags <= TAGS, tags
        assert ("hide-cell" in tags) == bool(tags & {"solution", "evidence", "answer"})
        assert len(tags & {"hide-input", "solution", "evidence", "answer", "remove-cell"}) <= 1, tags


@for_each(CHAPTERS + APPENDICES)
def test_every_card_says_for_what_it_holds_and_what_was_run(path):
    results = bundles(path, proof.MIME)
    assert results, "a notebook without a result"
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
def test_every_figure_is_described(path):
    for cell in code_cells(path):
        for output in cell.outputs:
            if draw.MIME in output.get("data", {}):
                assert len(output.data["text/plain"].split()) >= 8
                assert output.data[draw.MIME]["digest"]
    assert bundles(path, draw.MIME), "a notebook without a figure"


@for_each(PATHS)
def test_outputs_hold_on_any_machine(path):
    shown = json.dumps([cell.outputs for cell in code_cells(path)])
    assert not re.search(r"0x[0-9a-f]{6,}|/home/|/tmp/|site-packages|tensor\(\[|Text\(", shown)


@for_each(PATHS)
def test_cells_are_short(path):
    code = [cell.source for cell in code_cells(path)]
    assert [line for source in code for line in source.splitlines() if len(line) > 96] == [], "break at 96 columns"
    assert max(len(source.splitlines()) for source in code) <= 25, "divide the cell: it has more than 25 lines"


@for_each(PATHS)
def test_prose_keeps_its_rules(path):
    assert prose.switches(read(path)) == [], "no comment switches a comparison off"
    assert prose.images(read(path)) == [], "a cell draws it"
    assert prose.not_found_again(read(path)) == [], "a cell has to show it, to these digits"


@for_each(PATHS)
def test_speaks_plain_markdown(path):
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            assert not re.search(r"^\s*(:::|```\{)|\{(eq|cite|ref|doc|numref|math|term)[^}]*\}`", cell.source, re.M)
            inline = re.findall(r"(?<!\$)\$([^$]+)\$(?!\$)", cell.source)
            assert not [formula for formula in inline if re.search(r"\n\s*[+*-]", formula)], "reads as a list"
            assert not re.search(r"^(?![\s>|#]|[*+-] |\d+[.)] ).+\n1[.)] ", cell.source, re.M), "reads as a list"


@for_each(CHAPTERS)
def test_follows_the_template(path):
    text = minutes.prose(read(path))
    for part in PARTS:
        assert part in text, f"add {part}: CONTRIBUTING.md has the order of a chapter"
    solutions = sum("solution" in minutes.tags(cell) for cell in read(path).cells)
    assert minutes.exercises(read(path)) == solutions, "each exercise has one solution: a cell with the tag `solution`"


@for_each(PATHS)
def test_every_objective_has_an_exercise_and_every_exercise_an_objective(path):
    """By the numbers behind the objectives: whether an exercise fails without its objective, a person judges."""
    text = "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    exercises = re.findall(r"^\*\*Exercise (\d+\.\d+)\.\*\*", text, re.M)
    listed = re.search(r"What you will be able to do</summary>\n\n(.*?)\n\n", text, re.S)
    assert bool(exercises) == bool(listed)
    objectives = re.split(r"^- ", listed[1], flags=re.M)[1:] if listed else []
    named = [re.findall(r"\d+\.\d+", re.search(r"\(exercises?\s([^)]*)\)[;.]\s*$", line)[1]) for line in objectives]
    assert all(named)
    found = {number for line in named for number in line}
    assert found - {*exercises} == set(), "objectives name these exercises, which are not in the chapter"
    assert {*exercises} - found == set(), "no objective names these: add (exercise N.M) behind the line that it tests"
    assert sum(map(len, named)) == len(found), "an exercise tests one objective"


def test_chapter_0_has_no_cards_and_its_code_fits_a_phone():
    assert bundles(DOOR, proof.MIME) == [], "its cards are in the chapters: link to them"
    shown = [cell for cell in code_cells(DOOR) if not minutes.tags(cell) & {*minutes.FOLDED, "hide-input"}]
    lines = [line for cell in shown for line in cell.source.splitlines()]
    assert [line for line in lines if len(line) > 38] == [], "a phone shows no more: break the line"


def test_chapter_0_links_to_what_settles_each_of_its_proofs():
    found = re.findall(r"\[(?:proved|measured)\]\(([^)#]*)#(result|theorem)-([^)]*)\)", minutes.prose(read(DOOR)))
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
    assert f"]({chapter.name}" in minutes.prose(read(path)), f"link to {chapter.name}"
    assert f"]({path.name}" in minutes.prose(read(chapter)), f"{chapter.name} does not link here"


@for_each(PATHS)
def test_papers_it_links_to_are_in_the_bibliography(path):
    bibliography = (FOLDER.parent / "book" / "references.bib").read_text(encoding="utf-8")
    for paper in re.findall(r"arxiv\.org/abs/(\d{4}\.\d{4,5})", path.read_text(encoding="utf-8")):
        assert paper in bibliography, f"add arXiv {paper} to book/references.bib"

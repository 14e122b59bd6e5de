"""What every chapter in git must be: normal, executed, with results that have their twins."""

import json
import re
from collections import Counter

import nbformat
import pytest
from normalise import FOLDER, TAGS, text, tidy

from posenc import draw, proof

PARTS = ["*You will*", "*You need*", "*Time:*", "## Trap", "## Exercises", "## Key points", "## Sources"]
PATHS = sorted(FOLDER.glob("*.ipynb"))
pytestmark = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def bundles(path, mime):
    outputs = [output for cell in code_cells(path) for output in cell.outputs]
    return [output.data[mime] for output in outputs if mime in output.get("data", {})]


def test_is_in_normal_form(path):
    assert path.read_text(encoding="utf-8") == text(tidy(read(path))), "run: make normal"


def test_was_executed_in_order_and_kept_its_outputs(path):
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    silent = [cell.source for cell in cells if not cell.outputs and _should_show(cell.source)]
    assert not silent, f"these cells end in an expression or print, yet hold no output: {silent}"
    assert sum(bool(cell.outputs) for cell in cells) >= len(cells) // 2


def _should_show(source):
    return re.search(
        r"^(print|display|prove|refute|agree|differ|measure|draw\.\w+|check\.\w+)\(", source, re.M
    )


def test_nothing_failed_or_warned(path):
    for cell in code_cells(path):
        for output in cell.outputs:
            assert output.get("name") != "stderr", output.get("text")
            if output.output_type == "error":
                assert "raises-exception" in cell.metadata.get("tags", ())


def test_tags_are_whitelisted(path):
    for cell in read(path).cells:
        tags = set(cell.metadata.get("tags", ()))
        assert tags <= TAGS, tags
        assert ("hide-cell" in tags) == ("solution" in tags)


def test_every_proof_has_its_numeric_twin_and_every_id_is_unique(path):
    results = bundles(path, proof.MIME)
    assert results, "a chapter without a result"
    kinds = {}
    for result in results:
        kinds.setdefault(result["kind"], Counter())[result["id"]] += 1
    exact = kinds.get("proved", Counter()) + kinds.get("refuted", Counter())
    assert max(exact.values()) == 1, exact
    for kind, twin in (("proved", "agreed"), ("refuted", "differs")):
        assert set(kinds.get(kind, ())) <= set(kinds.get(twin, ())), f"{kind} without {twin}"


def test_every_figure_is_described(path):
    for cell in code_cells(path):
        for output in cell.outputs:
            if draw.MIME in output.get("data", {}):
                assert len(output.data["text/plain"].split()) >= 8
                assert output.data[draw.MIME]["digest"]
    assert bundles(path, draw.MIME), "a chapter without a figure"


def test_outputs_hold_on_any_machine(path):
    shown = json.dumps([cell.outputs for cell in code_cells(path)])
    assert not re.search(r"0x[0-9a-f]{6,}|/home/|/tmp/|site-packages|tensor\(\[", shown)


def test_cells_are_short_and_prose_surrounds_them(path):
    notebook = read(path)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    long = [line for source in code for line in source.splitlines() if len(line) > 96]
    assert not long
    assert max(len(source.splitlines()) for source in code) <= 25
    assert 15 <= len(code) <= 45
    assert 15 <= sum(len(source.split()) for source in prose) / len(code) <= 70


def test_speaks_plain_markdown(path):
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            assert not re.search(
                r"^\s*(:::|```\{)|\{(eq|cite|ref|doc|numref|math|term)[^}]*\}`", cell.source, re.M
            )
            inline = re.findall(r"(?<!\$)\$([^$]+)\$(?!\$)", cell.source)
            assert not [formula for formula in inline if re.search(r"\n\s*[+*-]", formula)], "reads as a list"


def test_follows_the_template(path):
    prose = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    for part in PARTS:
        assert part in prose, part
    exercises = len(re.findall(r"^\*\*Exercise \d+\.\d+\.\*\*", prose, re.M))
    solutions = sum("solution" in cell.metadata.get("tags", ()) for cell in read(path).cells)
    assert exercises == solutions >= 3


def test_papers_it_links_to_are_in_the_bibliography(path):
    bibliography = (FOLDER.parent / "book" / "references.bib").read_text(encoding="utf-8")
    for paper in re.findall(r"arxiv\.org/abs/(\d{4}\.\d{4,5})", path.read_text(encoding="utf-8")):
        assert paper in bibliography, f"add arXiv {paper} to book/references.bib"

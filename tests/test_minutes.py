"""The minutes that a chapter states are those that are counted; the count, on small notebooks."""

import minutes
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from test_notebooks import CHAPTERS, DOOR, for_each, read


@for_each([DOOR, *CHAPTERS])
def test_states_honest_minutes(path):
    notebook = read(path)
    assert minutes.stated(notebook) == minutes.minutes(notebook), "run: make normal"


def with_surface(**counts):
    """A notebook with so many words, formulas, lines, cards, figures and exercises."""
    prose_cells = ["x " * counts.get("words", 0), "$$\na = b\n$$\n" * counts.get("formulas", 0)]
    prose_cells += [f"**Exercise 1.{n}.**" for n in range(counts.get("exercises", 0))]
    outputs = [
        nbformat.from_dict({"output_type": "display_data", "data": {mime: {}}, "metadata": {}})
        for mime, kind in ((minutes.CARD, "cards"), (minutes.FIGURE, "figures"))
        for _ in range(counts.get(kind, 0))
    ]
    code = "\n\n".join(f"x{n}" for n in range(counts.get("lines", 0)))
    cells = [new_code_cell(code, outputs=outputs, metadata={"tags": counts.get("tags", [])})]
    return new_notebook(cells=[*map(new_markdown_cell, prose_cells), *cells])


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"words": 1000}, 5),
        ({"words": 1001}, 10),
        ({"formulas": 20}, 5),
        ({"exercises": 5, "words": 170}, 25),
        ({"lines": 50}, 5),
        ({"cards": 15}, 10),
        ({"figures": 10}, 5),
        ({"lines": 100, "cards": 15, "figures": 10, "tags": ["evidence"]}, 0),
        ({"lines": 100, "cards": 15, "tags": ["hide-input"]}, 10),
    ],
)
def test_minutes_are_a_sum(counts, expected):
    assert minutes.minutes(with_surface(**counts)) == expected

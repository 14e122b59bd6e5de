"""The minutes that a chapter states are a sum, here over small notebooks."""

import minutes
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output


def with_surface(words=0, formulas=0, exercises=0, lines=0, cards=0, figures=0, tags=()):
    """A notebook with so many of each, and the tags of its cell of code."""
    prose_cells = ["x " * words, "$$\na = b\n$$\n" * formulas, *(f"**Exercise 1.{n}.**" for n in range(exercises))]
    mimes = [minutes.CARD] * cards + [minutes.FIGURE] * figures
    outputs = [new_output("display_data", data={mime: {}}) for mime in mimes]
    code = new_code_cell("x\n\n" * lines, outputs=outputs, metadata={"tags": list(tags)})
    return new_notebook(cells=[*map(new_markdown_cell, prose_cells), code])


COUNTS = [
    ({"words": 1000}, 5),
    ({"words": 1001}, 10),
    ({"formulas": 20}, 5),
    ({"exercises": 5, "words": 170}, 25),
    ({"lines": 50}, 5),
    ({"cards": 15}, 10),
    ({"figures": 10}, 5),
    ({"lines": 100, "cards": 15, "figures": 10, "tags": ["evidence"]}, 0),
    ({"lines": 100, "cards": 15, "tags": ["hide-input"]}, 10),
]


@pytest.mark.parametrize(("counts", "expected"), COUNTS)
def test_minutes_are_a_sum(counts, expected):
    assert minutes.minutes(with_surface(**counts)) == expected

"""What a notebook keeps in git is what the build made of it: `make book` ran each of them, once."""

import copy

import nbformat
import pytest
from jupyter_cache import get_cache
from normalise import ROOT, notebooks, tidy


@pytest.fixture(scope="module")
def ran():
    """A function that fills a notebook with what its cells gave in the build."""
    cache = get_cache(ROOT / "_build" / ".jupyter_cache")
    return lambda notebook: tidy(cache.merge_match_into_notebook(copy.deepcopy(notebook))[1])


def said(cell):
    """The outputs of a cell; what it printed in pieces is one text."""
    outputs = []
    for output in cell.get("outputs", ()):
        if outputs and output.get("name", "no stream") == outputs[-1].get("name"):
            outputs[-1].text += output.text
        else:
            outputs.append(output)
    return outputs


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_fresh_run_gives_the_outputs_that_are_kept(ran, path):
    kept = nbformat.read(path, as_version=4)
    for number, (ours, fresh) in enumerate(zip(kept.cells, ran(kept).cells, strict=True)):
        assert said(ours) == said(fresh), f"cell {number} gives something else: make normal, and look at the difference"
        assert ours.get("execution_count") == fresh.get("execution_count")


def test_what_a_cell_prints_in_pieces_is_one_text_and_what_it_shows_is_not():
    stream, other, shown = (nbformat.from_dict({"output_type": "stream", "name": name, "text": "a"})
                            for name in ("stdout", "stderr", "stdout"))  # fmt: skip
    shown.output_type = "display_data"
    del shown["name"]
    pieces = [stream, copy.deepcopy(stream), other, shown, copy.deepcopy(shown)]
    assert [piece.get("text") for piece in said({"outputs": pieces})] == ["aa", "a", "a", "a"]

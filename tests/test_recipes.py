"""The recipes run, in the order of their page; what the page of the package claims to list is there."""

import importlib
import inspect
import re

import pytest
import torch

from coursebook.content import ROOT
from coursebook.sphinx.directives import api

PACKAGE = ROOT / "notebooks" / "posenc"
MODULES = re.findall(r"^% api: (\w+)$", (ROOT / "book" / "api.md").read_text(), re.MULTILINE)
FIRST, *RECIPES, MODEL = re.split(r"^## ", (ROOT / "book" / "recipes.md").read_text(), flags=re.MULTILINE)[1:]


def run(*sections):
    """Run the code of these sections of the page; returns the names that it makes."""
    torch.manual_seed(0)
    names = {}
    for section in sections:
        blocks = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        assert blocks, section
        for block in blocks:
            exec(compile(block, section.splitlines()[0], "exec"), names)
    return names


@pytest.mark.slow
def test_the_recipe_of_a_released_model_runs():
    assert "real.load()" in MODEL
    run(FIRST, MODEL)


def test_every_other_recipe_runs():
    names = run(FIRST, *RECIPES)
    assert names["out"].shape == (2, 8, 1, 64)
    assert names["before"].abs().max() > 0.01
    assert torch.equal(names["stretched"].frequencies[1:], names["geometric"](64)[1:] / 4)
    assert names["q"].shape == (2, 8, 100, 64)
    assert names["layers"].keys() == {"sliding_attention", "full_attention"}


def public_names(module):
    """The functions and classes that a module of the package defines for others."""
    values = vars(importlib.import_module(f"posenc.{module}")).values()
    parts = [value for value in values if inspect.isfunction(value) or inspect.isclass(value)]
    return {part.__name__ for part in parts if part.__name__[0] != "_" and part.__module__ == f"posenc.{module}"}


@pytest.mark.parametrize("module", MODULES)
def test_the_page_has_every_public_name(module):
    page = api.describe(module, (PACKAGE / f"{module}.py").read_text())
    missing = public_names(module) - set(re.findall(r"^### (\w+)$", page, re.MULTILINE))
    assert not missing, f"give {', '.join(sorted(missing))} a docstring: the page of the package is made of them"


def test_what_a_chapter_is_said_to_teach_is_there():
    for name, chapter in api.CHAPTER.items():
        module, _, part = name.partition(".")
        assert {part} - {""} <= public_names(module)
        assert (ROOT / "notebooks" / f"{chapter}.ipynb").exists()


def test_the_page_shows_arguments_returns_errors_and_source():
    page = api.describe("rotary", (PACKAGE / "rotary.py").read_text())
    rotate = page[page.index("### rotate") : page.index("### Rotary")]
    assert "rotate(\n    x: Tensor,\n    turns: Tensor,\n    layout: str='interleaved'," in rotate
    for part in "- **x**: floating", "- **turns**: complex", "Raises TypeError", "Source: Su et al.":
        assert f"\n{part}" in rotate
    assert "[chapter 7](../notebooks/07_rope_complex.ipynb)" in rotate

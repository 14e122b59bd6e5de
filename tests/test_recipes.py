"""The recipes run, in the order of their page; what the page of the package claims to list is there."""

import importlib
import inspect
import re
from pathlib import Path

import api
import pytest
import torch
from pages import ROOT

from posenc import doors, models, schemes

MODULES = re.findall(r"^% api: (\w+)$", (ROOT / "book" / "api.md").read_text(), re.MULTILINE)


def test_every_recipe_runs():
    torch.manual_seed(0)
    page = (ROOT / "book" / "recipes.md").read_text()
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    names = {}
    for section in sections:
        blocks = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        assert blocks, section
        for block in blocks:
            exec(compile(block, section.splitlines()[0], "exec"), names)
    # Each of the recipes is about numbers: these say that they came out.
    assert names["out"].shape == (2, 8, 1, 64)
    assert names["before"].abs().max() > 0.01
    assert torch.equal(names["stretched"].frequencies[1:], names["geometric"](64)[1:] / 4)
    assert names["q"].shape == (2, 8, 100, 64)
    assert names["layers"].keys() == {"sliding_attention", "full_attention"}


def public_names(module):
    """The functions and classes that a module of the package defines for others."""
    real = importlib.import_module(f"posenc.{module}")
    found = {name: value for name, value in vars(real).items() if inspect.isfunction(value) or inspect.isclass(value)}
    return {name for name, value in found.items() if name[0] != "_" and value.__module__ == real.__name__}


@pytest.mark.parametrize("module", MODULES)
def test_the_page_has_every_public_name(module):
    public = public_names(module)
    source = Path(importlib.import_module(f"posenc.{module}").__file__).read_text()
    shown = api.describe(module, source)
    missing = public - set(re.findall(r"^### (\w+)$", shown, re.MULTILINE))
    assert not missing, f"give {', '.join(sorted(missing))} a docstring: the page of the package is made of them"


@pytest.mark.parametrize("name", api.CHAPTER)
def test_what_a_chapter_is_said_to_teach_is_there(name):
    module, _, part = name.partition(".")
    assert {part} - {""} <= public_names(module)
    assert (ROOT / "notebooks" / f"{api.CHAPTER[name]}.ipynb").exists()


def test_the_page_shows_arguments_returns_errors_and_source():
    shown = api.describe("rotary", (ROOT / "notebooks" / "posenc" / "rotary.py").read_text())
    rotate = shown[shown.index("### rotate") : shown.index("### Rotary")]
    assert "rotate(\n    x: Tensor,\n    turns: Tensor,\n    layout: str='interleaved'," in rotate
    for part in "- **x**: floating", "- **turns**: complex", "Raises TypeError", "Source: Su et al.":
        assert f"\n{part}" in rotate
    assert "[chapter 7](../notebooks/07_rope_complex.ipynb)" in rotate


def full_name(kind):
    return f"{kind.__module__.removeprefix('posenc.')}.{kind.__name__}"


def test_every_function_is_said_to_be_taught_somewhere():
    public = {f"{module}.{name}" for module in MODULES for name in public_names(module)}
    classes = {full_name(scheme) for scheme in (*schemes.SCHEMES.values(), doors.Scheme, models.Graded)}
    whole = api.PAGES.keys() | api.CHAPTER.keys()
    untaught = {name for name in public - classes - whole if name.partition(".")[0] not in whole}
    assert not untaught, f"say in book/_ext/api.py which chapter teaches {', '.join(sorted(untaught))}"

"""The recipes run, in the order of their page; what the page of the package claims to list is there."""

import importlib
import inspect
import re
import shutil
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "book" / "_ext"))
import api  # noqa: E402

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
            if "fused" in block and shutil.which("cc") is None:
                continue
            exec(compile(block, section.splitlines()[0], "exec"), names)
    # Each of the recipes is about numbers: these say that they came out.
    assert names["out"].shape == (2, 8, 1, 64)
    assert names["before"].abs().max() > 0.01
    assert torch.equal(names["stretched"].frequencies[1:], names["geometric"](64)[1:] / 4)
    assert names["q"].shape == (2, 8, 100, 80)
    assert names["layers"].keys() == {"sliding_attention", "full_attention"}


@pytest.mark.parametrize("module", MODULES)
def test_the_page_has_every_public_name_and_says_where_it_is_taught(module):
    real = importlib.import_module(f"posenc.{module}")
    public = {
        name
        for name, value in vars(real).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == real.__name__
    }
    source = Path(real.__file__).read_text()
    shown = api.describe(module, source)
    assert set(re.findall(r"^### (\w+)$", shown, re.MULTILINE)) >= public
    for name in public:
        if module not in api.PAGES:
            assert (ROOT / "notebooks" / f"{api.CHAPTER[f'{module}.{name}']}.ipynb").exists()


def test_the_page_shows_arguments_returns_errors_and_source():
    shown = api.describe("rotary", (ROOT / "notebooks" / "posenc" / "rotary.py").read_text())
    rotate = shown[shown.index("### rotate") : shown.index("### Rotary")]
    assert "rotate(\n    x: Tensor,\n    turns: Tensor,\n    layout: str='interleaved'," in rotate
    for part in (
        "\n- **x**: floating",
        "\n- **turns**: complex",
        "\nRaises TypeError",
        "\nSource: Su et al.",
    ):
        assert part in rotate
    assert "[chapter 7](../notebooks/07_rope_complex.ipynb)" in rotate


# Parts of what is tried.
PARTS = {"additive.Additive", "doors.MultiHeadAttention", "doors.Block", "frequencies.check"}


def test_every_public_name_is_tried_inside_pytorch():
    tried = (ROOT / "tests" / "test_inside_torch.py").read_text()
    for module in ("additive", "doors", "frequencies", "rotary"):
        for name, value in vars(importlib.import_module(f"posenc.{module}")).items():
            public = inspect.isfunction(value) or (inspect.isclass(value) and issubclass(value, nn.Module))
            full = f"{module}.{name}"
            if public and not name.startswith("_") and value.__module__ == f"posenc.{module}":
                assert full in PARTS or re.search(rf"\b{re.escape(full)}\b", tried), full

"""Answers on file: for each exercise right ones, differently written, and wrong ones with a word of their hint.

They are source text, as a reader types it into the cell: `value` runs it, and a test of the grader puts it into
a submission. What all exercises share (nothing, a wrong type, junk) is in `tests/test_checks.py`.
"""

import cmath
import importlib
import math
from pathlib import Path

import numpy as np
import sympy as sp
import torch

from posenc import additive, doors, rotary

NAMES = {
    "cmath": cmath, "math": math, "np": np, "sp": sp, "torch": torch,
    "additive": additive, "doors": doors, "rotary": rotary,
}  # fmt: skip
CHAPTERS = sorted(path.stem for path in Path(__file__).parent.glob("chapter_*.py"))


def of(chapter):
    """{exercise: {"right": [source], "wrong": {source: hint}}} of a chapter, such as "chapter_05"."""
    return importlib.import_module(f"answers.{chapter}").ANSWERS


def value(source):
    """What an answer's source comes to: its last definition, or its value."""
    space = dict(NAMES)
    if source.startswith("\n"):
        exec(source, space)
        return list(space.values())[-1]
    return eval(source, space)

"""What stands beside the exercises: answers on file, and how a variant differs from the question of the book.

A notebook has the question, the cell to fill in and the solution (`coursebook.content`); `posenc/checks/chapter_05.py`,
which a reader imports, has the checkers. All else is here, in one module a chapter, by the checkers' names:

    ANSWERS  {"right": [source], "wrong": {source: a word of its hint}}, as a reader types them: an expression, or
             definitions that begin on a new line; tests run them
    RULES    of an answer that is a number: how a variant differs from the book's question (`variants`)
"""

import cmath
import importlib
import math
from pathlib import Path

import numpy as np
import sympy as sp
import torch

from posenc import additive, doors, rotary

from ...content import Forgotten

CHAPTERS = sorted(path.stem for path in Path(__file__).parent.glob("chapter_*.py"))
NAMES = dict(cmath=cmath, math=math, np=np, sp=sp, torch=torch, additive=additive, doors=doors, rotary=rotary)


def table(chapter, name):
    """One of the two tables of a chapter, such as "chapter_05"."""
    return getattr(importlib.import_module(f".{chapter}", __package__), name)


def entry_for(chapter, name, checker):
    """What such a table has for a checker. Raises Forgotten where it has nothing."""
    if chapter not in CHAPTERS or checker not in table(chapter, name):
        raise Forgotten(f"book/coursebook/teach/exercises/{chapter}.py", f"has no {checker!r} in {name}: add it there")
    return table(chapter, name)[checker]


def evaluate(source):
    """What an answer's source comes to: its last definition, or its value."""
    space = dict(NAMES)
    if source.startswith("\n"):
        exec(source, space)
        return list(space.values())[-1]
    return eval(source, space)

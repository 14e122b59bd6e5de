"""Answers as source text, as a reader types it into the cell: an expression, or definitions that begin on a new line.

ANSWERS of a chapter holds, for each checker, {"right": [source], "wrong": {source: a word of its hint}}, to the
question of the book. Tests run them. Right answers to variants are in no file: their checkers compute them.
"""

import cmath
import math

import numpy as np
import sympy as sp
import torch

from posenc import additive, doors, rotary

NAMES = dict(cmath=cmath, math=math, np=np, sp=sp, torch=torch, additive=additive, doors=doors, rotary=rotary)


def evaluate(source):
    """What an answer's source comes to: its last definition, or its value."""
    space = dict(NAMES)
    if source.startswith("\n"):
        exec(source, space)
        return list(space.values())[-1]
    return eval(source, space)

"""Answers that nobody should give."""

import math
import unittest.mock

import numpy as np
import sympy as sp
import torch

from posenc.checks import Verdict


class Strange:
    """Fails at whatever it is asked, as equality, length, truth, printing."""

    def __getattribute__(self, name):
        raise RuntimeError("do not look")

    def _fails(self, *arguments):
        raise RuntimeError("do not touch")

    __eq__ = __len__ = __bool__ = __repr__ = __str__ = __iter__ = __call__ = __float__ = __array__ = _fails
    __hash__ = None


class Agreeable:
    """Says yes to everything."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("b")


def deep():
    nested = []
    for _ in range(2000):
        nested = [nested]
    return nested


def raising(problem):
    def function(*arguments):
        raise problem

    return function


class Unprintable(Exception):
    def __str__(self):
        raise ValueError("no words")


JUNK = [
    Strange(), Agreeable(), unittest.mock.MagicMock(), deep(), object, Verdict(True, "me"),
    lambda *a: Verdict(True, "me"), raising(Unprintable()), raising(SystemExit(1)), raising(MemoryError()),
    raising(GeneratorExit()), lambda *a, **k: a, lambda *a: lambda *b: b, lambda *a: math.nan, lambda *a: [[1, 2], [3]],
    lambda *a: torch.ones(0), lambda *a: (x for x in a), eval, float("nan"), float("inf"), 10**400, complex("nan"),
    True, "", "…", "1/5", b"1", "a" * 10**5, [], {}, {1}, iter([1]), [[1, 2], [3]], [1, ...], {"A": Strange()},
    (Strange(),) * 2, np.array([None]), np.array([1, "2"], dtype=object), np.zeros(3, dtype=[("a", int)]),
    np.array(["2020-01-01"], dtype="datetime64[D]"), np.ma.masked, torch.tensor([]), torch.tensor([math.nan]),
    torch.ones(2, 2).to_sparse(), torch.ones(3, requires_grad=True), torch.ones(2, device="meta"), torch.float32,
    sp.Symbol("x"), sp.oo, sp.nan, sp.I, sp.Matrix([[sp.Symbol("x")]]), sp.Function("f"), ValueError, NotImplemented,
]  # fmt: skip

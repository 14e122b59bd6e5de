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
    Strange(), Agreeable(), unittest.mock.ANY, unittest.mock.MagicMock(), deep(), object, type, Verdict,
    Verdict(True, "me"), lambda *a: Verdict(True, "me"), raising(Unprintable()), raising(SystemExit(1)),
    raising(RecursionError()), raising(MemoryError()), raising(StopIteration()), raising(GeneratorExit()),
    lambda: 1, lambda *a, **k: a, lambda *a: lambda *b: b, lambda *a: math.nan, lambda *a: "1",
    lambda *a: [[1, 2], [3]], lambda *a: {}, lambda *a: torch.ones(0), lambda *a: (x for x in a), print, eval,
    len, int, float("nan"), float("inf"), -0.0, 10**400, 1e308, complex("nan"), True, False, "", "…", "1/5", b"1",
    "\x00", "a" * 10**5, [], (), {}, set(), frozenset({1}), range(0), range(10), iter([1]), (x for x in [1]),
    [[]], [[1, 2], [3]], [None], ["1"], [1, ...], {"A": 1}, {1: {}}, [Strange()], {"A": Strange()},
    (Strange(),) * 2, np.array([]), np.array("1"), np.array([None]), np.array([1, "2"], dtype=object),
    np.ones((0, 3)), np.nan,
    np.array(["2020-01-01"], dtype="datetime64[D]"), np.zeros(3, dtype=[("a", int)]), np.ma.masked, np.bool_(True),
    torch.tensor([]), torch.tensor(True), torch.tensor([math.nan]), torch.ones(2, 2).to_sparse(),
    torch.ones(3, requires_grad=True), torch.tensor(1 + 1j), torch.ones(2, device="meta"), torch.nn.Linear(2, 2),
    torch.float32, torch.Generator(), sp.Symbol("x"), sp.oo, sp.nan, sp.I, sp.Matrix([[sp.Symbol("x")]]),
    sp.Function("f"), sp.Sum(sp.Symbol("n"), (sp.Symbol("n"), 0, 99)), sp.zoo, sp.true, Exception("no"), ValueError,
    NotImplemented, math, open, __import__, object(), memoryview(b"12"), bytearray(b"1"), slice(1, 2),
]  # fmt: skip

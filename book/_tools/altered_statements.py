"""The statements of a notebook as SymPy objects, and altered statements made from them.

`recorded` runs a notebook's slices and writes down what they ask `prove` and `refute`. `altered` makes false
neighbours of an expression: a sign, sin for cos, a shifted index or offset, a dropped factor, another
exponent, factors in another order, a dropped conjugate or transpose, another number.
"""

import contextlib
import random
from dataclasses import dataclass, field

import sympy as sp
from statement_programs import slices
from sympy.core.function import AppliedUndef
from sympy.core.symbol import Str
from sympy.tensor.indexed import Indexed

from posenc import proof


@dataclass
class Statement:
    """What one call of prove, prove_by_induction or refute stated."""

    id: str
    kind: str
    left: object
    right: object
    by: object = "expand"
    where: dict = field(default_factory=dict)
    given: tuple = ()
    at: dict = field(default_factory=dict)
    relation: type = sp.Eq


def recorded(path, monkeypatch):
    """The statements of a notebook, in order."""
    found = []

    def prove(id, left, right=None, *, by, where=None, given=(), **_):
        kind = sp.Eq
        if right is None:
            kind, (left, right) = left.func, left.args
        found.append(Statement(id, "proved", left, right, by, where or {}, given, relation=kind))
        return proof.Result(id, "proved", id)

    def by_induction(id, term, closed, *, over, first, then, by, where=None, given=(), **_):
        step = sp.sympify(then).subs(term, closed), sp.sympify(closed).subs(over, over + 1)
        found.append(Statement(id, "proved", *step, by, where or {}, given))
        return proof.Result(id, "proved", id)

    def refute(id, left, right, *, at, where=None, given=(), **_):
        found.append(Statement(id, "refuted", left, right, where=where or {}, given=given, at=at))
        return proof.Result(id, "refuted", id)

    for name, verb in (("prove", prove), ("prove_by_induction", by_induction), ("refute", refute)):
        monkeypatch.setattr(proof, name, verb)
    for _, program in slices(path):
        exec(compile(program, path.name, "exec"), {"__name__": "__main__"})
    monkeypatch.undo()
    return found


def altered(e):
    """Pairs of a name and an expression that differs from `e` in one place."""
    e = sp.ImmutableMatrix(e) if isinstance(e, sp.MatrixBase) else sp.sympify(e)
    if isinstance(e, sp.MatrixBase):
        for place, entry in enumerate(e):
            for name, new in altered(entry):
                entries = list(e)
                entries[place] = new
                yield name, sp.ImmutableMatrix(e.rows, e.cols, entries)
        return
    yield from _here(e)
    for place, part in enumerate(e.args):
        if isinstance(e, (sp.Sum, sp.Product, sp.Integral)) and place:
            continue
        if isinstance(part, (sp.Basic, sp.MatrixBase)) and not isinstance(part, (Str, sp.Tuple)):
            for name, new in altered(part):
                arguments = [*e.args[:place], new, *e.args[place + 1 :]]
                with contextlib.suppress(ValueError, TypeError, AttributeError):
                    yield name, e.func(*arguments)


def _here(e):
    if e.is_Add:
        for term in e.args:
            yield "sign", e - 2 * term
    if e.is_Mul and not e.is_Number and not getattr(e, "is_Matrix", False):
        for factor in e.args:
            yield "factor", e / factor
    if isinstance(e, (sp.sin, sp.cos)):
        yield "sin and cos", {sp.sin: sp.cos, sp.cos: sp.sin}[e.func](*e.args)
        yield "offset", e.func(e.args[0] + 1)
    if (e.is_Pow or isinstance(e, sp.exp)) and not getattr(e, "is_Matrix", False):
        yield "exponent", e * e
        yield "exponent", 1 / e
    if isinstance(e, sp.conjugate):
        yield "conjugate", e.args[0]
    if isinstance(e, (AppliedUndef, Indexed)):
        for place, index in enumerate(e.args):
            if index.is_integer:
                yield "index", e.func(*e.args[:place], index + 1, *e.args[place + 1 :])
    if isinstance(e, sp.MatMul):
        for place in range(len(e.args) - 1):
            first, second = e.args[place : place + 2]
            square = getattr(first, "shape", (0, 1)) == getattr(second, "shape", (1, 0)) == first.shape[::-1]
            if square and first != second:
                swapped = (*e.args[:place], second, first, *e.args[place + 2 :])
                yield "order", sp.MatMul(*swapped, evaluate=False)
    if isinstance(e, (sp.Transpose, sp.Adjoint)) and e.shape[0] == e.shape[1]:
        yield "transpose", e.args[0]
    if e.is_Integer and e > 1:
        yield "number", e + 1


def mutants(statement):
    """Altered statements: at most four, spread over both sides, the same on every run."""
    sides = [(name, new, statement.right) for name, new in altered(statement.left)]
    sides += [(name, statement.left, new) for name, new in altered(statement.right)]
    random.Random(statement.id).shuffle(sides)
    chosen = []
    for alteration in sides:
        if len(chosen) < 4 and alteration[1:] not in [other[1:] for other in chosen]:
            chosen.append(alteration)
    return chosen

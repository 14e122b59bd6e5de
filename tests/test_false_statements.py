"""False statements of every kind that was found to slip through, and many more: all are rejected.

Each is given to `prove` with the rewriting that would have let it pass, or that comes nearest.
"""

import pytest
import sympy as sp

from posenc.proof import (
    NotProved,
    Undefined,
    Unsampled,
    Vacuous,
    agree,
    permutation,
    prove,
    prove_by_induction,
    refute,
)  # fmt: skip
from posenc.rewriting import REWRITINGS

RUN = agree([1.0, 2.0], [1.0, 2.0 + 1e-14], within=1e-12, on="two numbers")
x, y, p, q, k, t = sp.symbols("x y p q k t", real=True)
z, u = sp.symbols("z u", complex=True)
m, n = sp.symbols("m n", integer=True)
i, j, n_, h, T = sp.symbols("i j n_ h T", integer=True, positive=True)
w, b, d = sp.symbols("omega b d", positive=True)
f, g = sp.Function("f"), sp.Function("g", real=True)
A, B = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", 2, 2)
X, V = sp.MatrixSymbol("X", 3, 2), sp.MatrixSymbol("v", 2, 1)
pi = permutation("pi", T)
wave = sp.Function("omega", positive=True)


def turn(angle):
    return sp.Matrix([[sp.cos(angle), sp.sin(angle)], [-sp.sin(angle), sp.cos(angle)]])


def pair(angle):
    return sp.Matrix([sp.sin(angle), sp.cos(angle)])


def times(*matrices):
    return sp.MatMul(*matrices, evaluate=False)


def soft(row, scores):
    return sp.exp(scores[row]) / sum(sp.exp(s) for s in scores)


DOMAIN = [
    (sp.log(x * y, evaluate=False), sp.log(x) + sp.log(y), "powers"),
    (sp.log(x**2), 2 * sp.log(x), "powers"),
    (sp.log(z**2), 2 * sp.log(z), "powers"),
    (sp.sqrt(x**2), x, "powers"),
    (sp.sqrt(z**2), z, "simplify"),
    ((x**2) ** sp.Rational(1, 4), sp.sqrt(x), "powers"),
    (sp.sqrt(x) * sp.sqrt(y), sp.sqrt(x * y), "powers"),
    ((z * u) ** sp.Rational(1, 3), z ** sp.Rational(1, 3) * u ** sp.Rational(1, 3), "powers"),
    (sp.Abs(x), x, "simplify"),
    (sp.conjugate(z), z, "simplify"),
    (sp.exp(sp.I * sp.arg(z)), z / sp.Abs(z), "simplify"),
    (x ** (p * q), (x**p) ** q, "powers"),
    (sp.log(sp.exp(z)), z, "simplify"),
    ((-1) ** p * (-1) ** q, sp.cos(sp.pi * (p + q)), "exponentials"),
    (sp.sin(sp.pi * x), sp.S.Zero, "trigsimp"),
    (sp.Mod(m * n, 2), sp.Mod(m, 2), "simplify"),
    ((x**2 - 1) / (x - 1), x + 1, "cancel"),
    (sp.sin(p * w) / sp.sin(p * w / 2), 2 * sp.cos(p * w / 2), "trigsimp"),
    (sp.acos(sp.cos(x)), x, "simplify"),
    (sp.atan(sp.tan(x)), x, "simplify"),
    (0**n, sp.S.Zero, "simplify"),
]
FUNCTIONS = [
    (f(x), f(-x), "simplify"),
    (f(x) * f(y), f(x + y), "expand"),
    (f(x) + f(y), f(x + y), "expand"),
    (g(x) ** 2, g(x**2), "expand"),
    (f(z), sp.conjugate(f(sp.conjugate(z))), "real and imaginary parts"),
    (sp.Derivative(g(x), x), g(x), "derivative"),
    (sp.Derivative(g(x) * f(x), x), sp.Derivative(g(x), x) * sp.Derivative(f(x), x), "derivative"),
    (g(g(x)), g(x), "simplify"),
    (f(m, n), f(n, m), "expand"),
    (f(m, n), f(0, n - m), "expand"),
    (wave(i + 1) / wave(i), wave(2) / wave(1), "simplify"),
]
SUMS = [
    (sp.Sum(i, (i, 0, h)), h**2 / 2, "sum"),
    (sp.Sum(2, (i, 0, d / 2)), d, "sum"),
    (sp.Sum(f(i), (i, 0, h - 1)), sp.Sum(f(i), (i, 1, h)), "term by term"),
    (sp.Sum(f(i) * f(j), (i, 1, h)), sp.Sum(f(i), (i, 1, h)) * f(i), "term by term"),
    (sp.Sum(f(i) ** 2, (i, 0, h - 1)), sp.Sum(f(i), (i, 0, h - 1)) ** 2, "term by term"),
    (sp.Sum(sp.cos(p * wave(i)), (i, 0, h - 1)), h * sp.cos(p * wave(0)), "sum"),
    (sp.Sum(f(pi(j)), (j, 0, T - 1)), sp.Sum(f(j), (j, 0, T - 2)), "re-index"),
    (sp.Sum(j * f(pi(j)), (j, 0, T - 1)), sp.Sum(j * f(j), (j, 0, T - 1)), "re-index"),
    (sp.Sum(f(j, pi(j)), (j, 0, T - 1)), sp.Sum(f(j, j), (j, 0, T - 1)), "re-index"),
    (
        sp.Sum(f(pi(j), pi(n_)), (j, 0, T - 1), (n_, 0, j)),
        sp.Sum(f(j, n_), (j, 0, T - 1), (n_, 0, j)),
        "re-index",
    ),
    (sp.Sum(sp.KroneckerDelta(m, i) * f(i), (i, 0, h)), f(m), "pick"),
    (sp.Sum(sp.KroneckerDelta(m, i) * f(i), (i, 0, h)), f(h), "pick"),
    (sp.Integral(sp.sin(x), (x, 0, sp.pi * k)), 2 * k, "sum"),
    (sp.Integral(sp.cos(w * x), (x, 0, k)), sp.sin(w * k), "sum"),
    (sp.Product(2, (i, 1, h)), 2 * h, "sum"),
    (sp.Derivative(b ** (-2 * x / d), b), -2 * x / d * b ** (-2 * x / d), "derivative"),
]
MATRICES = [
    (A * B, B * A, "expand"),
    ((A * B).T, A.T * B.T, "expand"),
    (A.T, A, "expand"),
    (sp.Determinant(A + B), sp.Determinant(A) + sp.Determinant(B), "expand"),
    (sp.Trace(A * B), sp.Trace(A) * sp.Trace(B), "expand"),
    ((A + B) ** 2, A**2 + 2 * A * B + B**2, "expand"),
    (A.I, A.T, "simplify"),
    (X * A * X.T, X * A.T * X.T, "expand"),
    (sp.Adjoint(A), A.T, "expand"),
    (V.T * A * V, V.T * V * sp.Trace(A), "expand"),
]
CHAPTERS = {
    1: [
        (soft(0, (x, y)), soft(0, (x, y, p)), "simplify"),
        (soft(0, (x + 1, y)), soft(0, (x, y)), "simplify"),
        (soft(0, (x, y)), soft(0, (y, x)), "simplify"),
        (soft(0, (2 * x, 2 * y)), soft(0, (x, y)), "simplify"),
    ],
    2: [
        (sp.sin(2 * sp.pi * (p + b / 2) / b), sp.sin(2 * sp.pi * p / b), "angle addition"),
        (b ** (2 * (i + 1) / d) / b ** (2 * i / d), b ** (1 / d), "powers"),
        (2 - 2 * sp.cos(k * w), 4 * sp.sin(k * w) ** 2, "trigsimp"),
        ((p + 1) / (T + 1) - p / (T + 1), 1 / T, "cancel"),
    ],
    3: [
        (b ** (-4 * i / d), b ** (-2 * i / d), "powers"),
        (sp.exp(-2 * i * sp.log(b) / d), b ** (2 * i / d), "powers"),
        (2 * sp.pi * b ** (2 * (d / 2 - 1) / d), 2 * sp.pi * b, "powers"),
        (sp.sin(p * w) ** 2 - sp.cos(p * w) ** 2, sp.S.One, "trigsimp"),
        (sp.sin((p + 1) * w), sp.sin(p * w) + sp.sin(w), "angle addition"),
    ],
    4: [
        (times(turn(k * w).T, pair(p * w)), pair((p + k) * w), "angle addition"),
        (times(turn(k * w), pair(p * w)), pair((p - k) * w), "angle addition"),
        (times(turn(x), turn(y)), turn(x - y), "angle addition"),
        (times(turn(k * w), turn(k * w)), sp.eye(2), "trigsimp"),
        (sp.Determinant(turn(k * w)), -(sp.sin(k * w) ** 2), "trigsimp"),
        (times(pair(p).T, pair(q)), sp.Matrix([[sp.cos(p + q)]]), "angle addition"),
        (
            sp.Sum(sp.sin(p * wave(i)) * sp.sin(q * wave(i)), (i, 0, h - 1)),
            sp.Sum(sp.cos((p - q) * wave(i)), (i, 0, h - 1)),
            ["term by term", "angle addition"],
        ),
    ],
    5: [
        (b ** (-2 * i / d), 1 / (b * i / d), "powers"),
        (times(pair(p * w).T, pair(p * w)), sp.Matrix([[2]]), "trigsimp"),
        (sp.sin(3 * p), 3 * sp.sin(p), "angle addition"),
    ],
    6: [
        ((x + p).diff(x) * (x + p), x + 2 * p, "expand"),
        ((A + B) * V, A * V - B * V, "expand"),
        ((x + p) * (y + q), x * y + p * q, "expand"),
        ((x + p) * (y + q), x * y + x * q - p * y + p * q, "expand"),
    ],
    7: [
        (sp.exp(sp.I * m * t) * sp.exp(sp.I * n * t), sp.exp(sp.I * (m - n) * t), "exponentials"),
        (z * sp.conjugate(u), sp.conjugate(z) * u, "real and imaginary parts"),
        (sp.re(z * u), sp.re(z * sp.conjugate(u)), "real and imaginary parts"),
        (sp.re(z * sp.exp(sp.I * m * t)), sp.re(z) * sp.cos(m * t), "real and imaginary parts"),
        (sp.Abs(z + u), sp.Abs(z) + sp.Abs(u), "simplify"),
    ],
    8: [
        (
            sp.Matrix([x * sp.cos(t) - y * sp.sin(t), x * sp.sin(t) + y * sp.cos(t)]),
            sp.Matrix([x * sp.cos(t) + y * sp.sin(t), -x * sp.sin(t) + y * sp.cos(t)]),
            "expand",
        ),
        (times(turn(t), sp.Matrix([x, y])), sp.Matrix([x, y]), "angle addition"),
        (
            times(sp.Matrix([[x, y]]), turn(m * t).T, turn(n * t), sp.Matrix([p, q])),
            times(sp.Matrix([[x, y]]), turn((m - n) * t), sp.Matrix([p, q])),
            "angle addition",
        ),
        (x * (1 - sp.cos(t)), sp.S.Zero, "trigsimp"),
    ],
}
KINDS = {"domain": DOMAIN, "functions": FUNCTIONS, "sums": SUMS, "matrices": MATRICES} | {
    f"chapter-{number}": statements for number, statements in CHAPTERS.items()
}
FALSE = [
    pytest.param(*statement, id=f"{kind}-{number}")
    for kind, statements in KINDS.items()
    for number, statement in enumerate(statements)
]


@pytest.mark.parametrize(("left", "right", "by"), FALSE)
def test_a_false_statement_is_rejected_and_the_point_is_shown(left, right, by):
    with pytest.raises((NotProved, Undefined), match=r"(false|at|for functions) .*"):
        prove("false", left, right, by=by, title="False", run=RUN)


@pytest.mark.parametrize("by", sorted(REWRITINGS))
@pytest.mark.parametrize("number", range(0, len(FALSE), 9))
def test_no_rewriting_lets_a_false_statement_pass(number, by):
    left, right, _ = FALSE[number].values
    with pytest.raises((NotProved, Undefined)):
        prove("false", left, right, by=by, title="False", run=RUN)


def test_there_are_many_of_each_kind():
    assert len(FALSE) >= 15 + 40
    assert all(len(CHAPTERS[number]) >= 3 for number in range(1, 9))


RELATIONS = [
    sp.Gt(x, x**2, evaluate=False),
    sp.Ge(x**2, x, evaluate=False),
    sp.Gt(x**2, 0, evaluate=False),
    sp.Ne(sp.sin(sp.pi * x), 0, evaluate=False),
    sp.Le(sp.exp(x), 1 + x, evaluate=False),
    sp.Lt(sp.cos(p * w), 1, evaluate=False),
    sp.Ge(b ** (-2 * i / d), 1, evaluate=False),
    sp.Ne(x, y, evaluate=False),
]


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_a_false_relation_is_rejected(relation):
    with pytest.raises((NotProved, Undefined)):
        prove("false", relation, by="expand", title="False", run=RUN)


def test_a_definition_does_not_catch_a_bound_variable():
    F, at, place = sp.Function("F"), sp.Symbol("z"), sp.Symbol("i")
    definition = {F: sp.Lambda(at, sp.Sum(place * at, (place, 0, 3)))}
    with pytest.raises((NotProved, ValueError)):
        prove("caught", y * F(place), 14 * y, where=definition, by="sum", title="False", run=RUN)
    assert prove("free", y * F(at), 6 * y * at, where=definition, by="sum", title="True", run=RUN)
    c = sp.Symbol("c", real=True)
    with pytest.raises(ValueError, match="which the statement binds"):
        prove("caught", sp.Sum(c, (i, 1, h)), h * i, where={c: i}, by="sum", title="False", run=RUN)


def test_two_symbols_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two symbols are called p"):
        prove("twins", sp.Symbol("p") + p, 2 * p, by="expand", title="False", run=RUN)


def test_a_wrong_closed_form_of_an_integral_is_seen_although_sympy_would_do_it(monkeypatch):
    monkeypatch.setattr(sp.Integral, "doit", lambda self, **_: sp.S.Zero)
    with pytest.raises(NotProved, match="false at"):
        prove("doit", sp.Integral(x**2, (x, 0, k)), sp.S.Zero, by="sum", title="False", run=RUN)


@pytest.mark.parametrize("name", sorted(REWRITINGS))
def test_a_rewriting_that_loses_everything_proves_nothing_false(monkeypatch, name):
    monkeypatch.setitem(REWRITINGS, name, lambda *_: sp.S.Zero)
    with pytest.raises(NotProved, match="false at"):
        prove("lost", sp.sin(p), sp.cos(p), by=name, title="False", run=RUN)


def test_a_difference_at_a_few_whole_numbers_is_not_overlooked():
    vanishing = (m - 1) * (m - 2) * (m - 5) * m
    with pytest.raises(NotProved):
        prove("few", m + vanishing, m, by="expand", title="False", run=RUN)


INDUCTION = [
    {"closed": m + 1, "first": 0, "then": lambda term: term + 1},
    {"closed": 2 * m, "first": 0, "then": lambda term: term + 1},
    {"closed": m**2, "first": 0, "then": lambda term: term + 2 * m},
    {"closed": 2**m, "first": 2, "then": lambda term: 2 * term},
    {"closed": sp.cos(m * w), "first": 1, "then": lambda term: term * sp.cos(w)},
]


@pytest.mark.parametrize("case", INDUCTION, ids=lambda case: str(case["closed"]))
def test_a_false_induction_fails_at_its_base_or_its_step(case):
    count, term = sp.Symbol("m", integer=True, nonnegative=True), sp.Symbol("L")
    closed, then = (sp.sympify(e).subs(m, count) for e in (case["closed"], case["then"](term)))
    with pytest.raises(NotProved):
        prove_by_induction(
            "steps", term, closed, over=count, first=case["first"], then=then,
            by=["expand", "angle addition"], title="False", run=RUN,
        )  # fmt: skip


def test_what_cannot_be_sampled_is_refused_or_says_so_on_its_card():
    limit = sp.Limit(1 / (1 + b * x), x, sp.oo)
    with pytest.raises(Unsampled):
        prove("limit", limit, sp.S.Zero, by="sum", title="A limit", run=RUN)
    card = prove("limit", limit, sp.S.Zero, by="sum", title="A limit", run=RUN, unsampled="a limit")
    assert "Not sampled: a limit." in card.verdict
    with pytest.raises(ValueError, match="can be sampled"):
        prove("sine", sp.sin(-x, evaluate=False), -sp.sin(x), by="sum", title="T", run=RUN, unsampled="lazy")


DIFFER = [
    ({m: sp.Rational(1, 2)}, "lies outside the domain"),
    ({m: sp.I}, "lies outside the domain"),
    ({m: 0.5}, "exact values"),
    ({m: sp.Float("0.5")}, "float"),
    ({m: sp.sqrt(2) * sp.Float(2)}, "float"),
    ({}, "add m"),
    ({m: 1, x: 2}, "leave out x"),
]


@pytest.mark.parametrize(("at", "message"), DIFFER, ids=str)
def test_a_refutation_stays_inside_its_domain_and_is_exact(at, message):
    from posenc.proof import differ

    run = differ([1.0], [2.0], beyond=0.5, on="one number")
    with pytest.raises((ValueError, TypeError), match=message):
        refute("false", sp.cos(sp.pi * m), sp.cos(sp.pi * m / 2), at=at, title="T", run=run)


@pytest.mark.parametrize("kind", ["numpy", "torch", "mpmath"])
def test_a_float_in_any_guise_is_refused(kind):
    import mpmath
    import numpy as np
    import torch

    from posenc.proof import differ

    half = {"numpy": np.float64(0.5), "torch": torch.tensor(0.5), "mpmath": mpmath.mpf("0.5")}[kind]
    run = differ([1.0], [2.0], beyond=0.5, on="one number")
    with pytest.raises(TypeError, match="exact"):
        refute("float", sp.sin(x), sp.cos(x), at={x: half}, title="T", run=run)
    with pytest.raises(TypeError, match="is a float"):
        prove("float", sp.sin(x), 0.5 * x, by="expand", title="T", run=RUN)


def test_a_point_without_a_value_is_refused_in_one_sentence():
    from posenc.proof import differ

    run = differ([1.0], [2.0], beyond=0.5, on="one number")
    with pytest.raises(ValueError, match="a side has no value"):
        refute("zero", x / y, x * y, at={x: 0, y: 0}, title="T", run=run)
    with pytest.raises(ValueError, match="outside the domain"):
        refute("given", x / y, x * y, at={x: 1, y: 2}, given=[sp.Lt(y, 1)], title="T", run=run)


def test_a_statement_about_nothing_is_refused():
    with pytest.raises(ValueError, match="no point was found"):
        prove("never", x, x + 1, given=[sp.Lt(x, 2), sp.Gt(x, 3)], by="expand", title="T", run=RUN)
    with pytest.raises(Vacuous):
        prove("same", sp.sin(x), sp.sin(x), by="expand", title="T", run=RUN)

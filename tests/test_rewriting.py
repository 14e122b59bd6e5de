"""Rewritings: each reaches what it is for, and none says more than is so."""

import pytest
import sympy as sp

from posenc.proof import permutation, rewriting
from posenc.proof.rewriting import REWRITINGS, reduced, vanishes

p, k = sp.symbols("p k", real=True)
f, g = sp.Function("f"), sp.Function("g")
a, b = sp.symbols("a b", positive=True)
i, j, h = sp.symbols("i j h", integer=True, positive=True)
n = sp.Symbol("n", integer=True)
s = sp.Sum
x = sp.Symbol("x")
delta = sp.KroneckerDelta
REACHED = [
    ("powers", sp.log(a * b, evaluate=False), sp.log(a) + sp.log(b)),
    ("powers", a**p * a**k, a ** (p + k)),
    ("real and imaginary parts", sp.exp(sp.I * p), sp.cos(p) + sp.I * sp.sin(p)),
    ("real and imaginary parts", sp.re(sp.exp(sp.I * p) * (p + sp.I * k)), p * sp.cos(p) - k * sp.sin(p)),
    ("real and imaginary parts", s(sp.re(sp.exp(sp.I * p * i)), (i, 1, h)), s(sp.cos(p * i), (i, 1, h))),
    ("term by term", 2 * s(f(i), (i, 1, h)) - s(g(j), (j, 1, h)), s(2 * f(n) - g(n), (n, 1, h))),
    ("term by term", p + s(f(i), (i, 1, h)) + k, k + s(f(j), (j, 1, h)) + p),
    ("term by term", s(f(i), (i, 1, h)) * s(g(i), (i, 1, 3)), s(f(j), (j, 1, h)) * s(g(n), (n, 1, 3))),
    (["term by term", "angle addition"], s(sp.sin(p + i), (i, 1, h)), sp.sin(p) * s(sp.cos(i), (i, 1, h)) + sp.cos(p) * s(sp.sin(i), (i, 1, h))),
    (["term by term", "expand"], p * s(f(i), (i, 1, h)) - s(p * f(i), (i, 0, h)) + s(p * f(i), (i, 0, h)), s(p * f(j), (j, 1, h))),
    (["term by term", "expand"], p - s(f(i), (i, 1, h)) + 2 * s(g(i), (i, 0, h)) + s(f(i), (i, 0, h)) + k, p + k + s(f(n) + 2 * g(n), (n, 0, h)) - s(f(n), (n, 1, h))),
    ("term by term", sp.Matrix([s(f(i), (i, 1, h)) + s(g(i), (i, 1, h)), p]), sp.Matrix([s(f(n) + g(n), (n, 1, h)), p])),
    ("term by term", s(f(i + 1), (i, 0, h - 1)) + s(g(i), (i, 3, h)), s(f(j), (j, 1, h)) + s(g(i + 3), (i, 0, h - 3))),
    ("re-index", s(f(h - i), (i, 0, h)), s(f(j), (j, 0, h))),
    ("expand", s(s(f(i) * g(j), (i, 1, j)), (j, 1, h)), s(s(f(n) * g(i), (n, 1, i)), (i, 1, h))),
    ("expand", sp.Matrix([s((p + k) * f(i), (i, 1, h)), p]), sp.Matrix([s(p * f(j) + k * f(j), (j, 1, h)), p])),
    ("pick", s(delta(i, n) * f(n) + g(n), (n, 1, i)), f(i) + s(g(n), (n, 1, i))),
    ("pick", s(g(n) + n * delta(i, n) * f(n), (n, 0, i + 1)), i * f(i) + s(g(n), (n, 0, i + 1))),
    ("pick", s(delta(i, n) * f(n) + n * g(n) + delta(n, 2) * g(n) + p * f(n), (n, 1, i + 2)), f(i) + g(2) + s(n * g(n), (n, 1, i + 2)) + s(p * f(n), (n, 1, i + 2))),
]


@pytest.mark.parametrize(("by", "left", "right"), REACHED, ids=range(len(REACHED)))
def test_a_rewriting_reaches_what_it_is_for(by, left, right):
    assert vanishes(reduced(left - right, by))
    assert vanishes(reduced(reduced(left, by) - right, by))
    assert not vanishes(reduced(left - 2 * right, by))


def test_bound_variables_stay_whole():
    """Else (−1)^2i would not be 1."""
    for by in (["term by term", "angle addition"], ["expand", "angle addition"]):
        waves = reduced(s(sp.cos(sp.pi * x + p), (x, 1, h)), by)
        assert reduced(waves - s((-1) ** i * sp.cos(p), (i, 1, h)), by) == 0
    total = s(sp.exp(sp.I * x), (x, 1, h))
    assert REWRITINGS["real and imaginary parts"](total) == total
    (fresh,) = rewriting.renamed(s(f(i), (i, 1, h))).variables
    assert fresh != i
    assert fresh.assumptions0 == i.assumptions0
    assert str(fresh) == "_i"


def test_sums_in_sums_keep_their_variables_apart():
    """Σ Σ f(i) g(j) is not Σ Σ f(i) g(i), however the variables are called."""
    for limits in ([(i, 1, j), (j, 1, h)], [(i, 1, 3), (j, 1, h)]):
        inner = (s(f(i) * g(second), limits[0]) for second in (j, i))
        apart, together = (s(f(j) * part, limits[1]) for part in inner)
        assert not vanishes(reduced(apart - together, "expand"))
        apart, together = (s(f(i) * g(second), *limits) for second in (j, i))
        assert not vanishes(reduced(apart - together, "expand"))
    three = s(g(n) * s(g(j) * s(f(i, j, n), (i, 1, j)), (j, 1, n)), (n, 1, h))
    same = s(g(i) * s(g(n) * s(f(j, n, i), (j, 1, n)), (n, 1, i)), (i, 1, h))
    other = s(g(n) * s(g(j) * s(f(i, j, j), (i, 1, j)), (j, 1, n)), (n, 1, h))
    assert reduced(three - same, "expand") == 0
    assert reduced(three - other, "expand") != 0


def test_only_a_sum_that_uses_its_variable_through_the_permutation_alone_is_re_indexed():
    at = sp.Symbol("j", integer=True, nonnegative=True)
    pi, rho = permutation("pi", h), permutation("rho", h)
    everywhere = (at, 0, h - 1)
    assert reduced(s(f(pi(at)), everywhere), "re-index") == reduced(s(f(at), everywhere), "expand")
    for inside, limits in [
        (at * f(pi(at)), everywhere),
        (f(pi(at), rho(at)), everywhere),
        (f(pi(at)), (at, 0, h - 2)),
        (f(pi(at)), (at, 1, h - 1)),
        (f(pi(at + 1)), everywhere),
    ]:
        assert reduced(s(inside, limits), "re-index") == reduced(s(inside, limits), "expand")


@pytest.mark.parametrize(("place", "low", "high", "given", "inside"), [
    (i, i, i + 1, (), True),
    (i, i - 1, i, (), True),
    (i, i + 1, i + 2, (), False),
    (i, i - 2, i - 1, (), False),
    (0, 1, h, (), False),
    (i**2 + 3 * i, (i + 1) ** 2, i**2 + 3 * i, (), True),
    (i, j, i, (), False),
    (i, j, i, [j <= i], True),
    (i, j, i, [i >= j], True),
    (i, j, i, [j <= i + 1], False),
    (i, 1, h, [sp.Ne(i, h)], False),
    (i, 1, h, [h > i], True),
    (i, 1, h, [i < h + 1], True),
    (p, k + 1, p, [k < p], False),
    (i, j + 1, i, [j < i], True),
])
def test_a_term_is_picked_only_from_the_range_of_the_sum(place, low, high, given, inside):
    total = s(delta(place, x) * f(x), (x, low, high))
    assert (reduced(total, "pick", given) == f(place)) is inside


def test_definitions_may_lean_on_each_other_in_any_order():
    first, second, third = sp.symbols("first second third")
    names = {first: second + 1, second: 2 * third, third: p}
    for order in (names, dict(reversed(names.items()))):
        assert rewriting.with_definitions(first * second, order) == 2 * p * (2 * p + 1)
    square = {f: sp.Lambda(x, x**2)}
    assert rewriting.with_definitions(f(p + 1), square) == (p + 1) ** 2
    with pytest.raises(ValueError, match="longer"):
        rewriting.with_definitions(f(p, k), square)


def test_matrices_are_written_out_where_they_can_be():
    A, B = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", h, h)
    assert rewriting.carried_out((A * A.T)[0, 1]) == (A * A.T)[0, 1]
    assert rewriting.carried_out(A * A.T)[0, 1] == A[0, 0] * A[1, 0] + A[0, 1] * A[1, 1]
    assert rewriting.carried_out(2 * B) == 2 * B

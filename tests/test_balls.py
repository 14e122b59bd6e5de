"""The value of an expression at a point, as a ball; and what has none."""

import flint
import pytest
import sympy as sp

from posenc import balls

p, k = sp.symbols("p k", real=True)
i, j = sp.symbols("i j", integer=True, positive=True)
n = sp.Symbol("n", integer=True)
M = sp.Matrix([[1, 2], [3, 5]])
Z, S = sp.MatrixSymbol("Z", 2, 2), sp.MatrixSymbol("S", 2, 2)
z, u = sp.symbols("z u")
half = sp.Rational(1, 2)
x, y = sp.symbols("x y", real=True)
VALUES = [
    (n + p, 3 + half), (p**2, half**2), (n**-2, sp.Rational(1, 9)), (p**p, sp.sqrt(half)), (sp.S.Zero**n, 0),
    (sp.exp(sp.I * sp.pi * p), sp.I), (sp.log(8, 2, evaluate=False), 3), (sp.tan(sp.pi / 4 * n / 3), 1),
    (sp.re(p + 2 * sp.I), half), (sp.im(p + 2 * sp.I), 2), (sp.conjugate(p + sp.I * n), half - 3 * sp.I),
    (sp.Abs(3 + 4 * sp.I * n / 3, evaluate=False), 5), (sp.floor(p + n), 3), (sp.ceiling(p + n), 4),
    (sp.sign(p - n), -1), (sp.sign(n - 3), 0), (sp.arg(n * sp.I), sp.pi / 2),
    (sp.Max(p, n, 2), 3), (sp.Min(p, n, 2), half), (sp.Max(n, p, evaluate=False), 3),
    (sp.KroneckerDelta(n, 3), 1), (sp.KroneckerDelta(n, 2), 0), (sp.Mod(n + 4, 5), 2), (sp.factorial(n), 6),
    (sp.atan2(n, 3), sp.pi / 4), (sp.atan2(n, -3), 3 * sp.pi / 4),
    (sp.Sum(i**2, (i, 1, n)), 14), (sp.Product(i, (i, 1, n + 1)), 24), (sp.Sum(i, (i, n, n - 1)), 0),
    (sp.Sum(i, (i, n + 3, n)), -9), (sp.Product(i, (i, n + 3, n)), sp.Rational(1, 20)),
    (sp.Sum(i * j, (i, 1, j), (j, 1, n)), 25),
    (sp.Integral(x, (x, 1, n)), 4),
    (sp.Derivative(x**3, x), 3), (sp.Derivative(x**3, (x, 2)), 6), (sp.Derivative(x**4, (x, 3)), 24),
    (sp.Derivative(x**2 * k**3, x, (k, 2)), 24), (sp.Subs(sp.Derivative(x**2, x), x, n), 6),
    (sp.Piecewise((1, n < 3), (2, sp.Eq(n, 3)), (3, True)), 2), (sp.Piecewise((1, n > 3), (n, True)), 3),
    (sp.Piecewise((1, sp.And(n > 2, n < 3)), (2, sp.Or(n > 3, n >= 3)), (3, True)), 2),
    (sp.Piecewise((1, ~sp.Eq(n, 3)), (2, True)), 2),
    (Z[1, n - 3], 3), (sp.Determinant(Z), -1), (sp.Trace(Z), 6), (sp.Trace(Z.T * Z), 39),
    ((Z**2)[0, 1], 12), (Z.I[0, 0], -5), ((Z + sp.Identity(2))[1, 1], 6), ((2 * Z).T[0, 1], 6),
    (sp.Trace(Z ** (n - 5)), 38), (sp.Adjoint(sp.I * Z)[0, 1], -3 * sp.I),
    (sp.Trace(sp.FunctionMatrix(2, 2, sp.Lambda((i, j), 3 * i + j))), 4),
    (sp.Trace(sp.OneMatrix(2, 2) + sp.ZeroMatrix(2, 2)), 2),
    (sp.Trace(sp.HadamardProduct(Z, Z)), 26),
    (sp.S.Zero ** (n - 3), 1), (sp.S.Zero**p, 0), ((p - half) ** (n - 3), 1), (sp.S.Zero ** (n - 2), 0),
    (sp.exp(sp.Piecewise((-sp.oo, n > 2), (p, True)), evaluate=False), 0),  # a masked score
    (sp.Integral(1 / x, (x, 1, n)), sp.log(3)), (sp.Integral(x * y, (x, 0, y), (y, 0, 1)), sp.Rational(1, 8)),
    (sp.Integral(sp.exp(sp.I * x), (x, 0, sp.pi)), 2 * sp.I),
    (sp.Integral(x**2, (x, 0, 1)), sp.Rational(1, 3)),
    (sp.Sum(sp.Integral(i * x, (x, 0, i)), (i, 1, 2)), sp.Rational(9, 2)),
    (sp.Sum(sp.Determinant(sp.Matrix([[i, 1], [j, i]])), (j, 1, i), (i, 1, 3)), 26),
    (sp.Sum(sp.Trace(sp.Matrix([[i, 1], [0, 1]]) * Z), (i, 1, 2)), 19),
    (sp.Sum(sp.Determinant(i * Z + sp.Identity(2)), (i, 1, 2)), 15),
    (sp.Sum(Z[i, 1 - i], (i, 0, 1)), 5), (sp.Sum(sp.binomial(i, 1, evaluate=False), (i, 1, 3)), 6),
    (sp.Sum(sp.Trace(sp.FunctionMatrix(i, i, sp.Lambda((j, k), i + j))), (i, 1, 2)), 6),
    (sp.Sum(sp.Piecewise((i, i < n), (sp.sin(0), True)), (i, 1, 3)), 3),
    (sp.Determinant(Z + sp.Identity(2)), 6), (sp.Determinant(Z + sp.OneMatrix(2, 2)), 0),
    (sp.Determinant(Z + 2 * sp.Identity(2)), 15), (sp.Determinant(Z + sp.ZeroMatrix(2, 2)), -1),
    (sp.Piecewise((1, sp.Not(sp.And(n > 2, p > 1))), (2, True)), 1),
    (sp.Piecewise((1, sp.Not(sp.And(n > 2, p < 1))), (2, True)), 2),
    (sp.Max(n, p, 2, 7), 7), (sp.Min(n, 2, p), half),
    (sp.re(sp.exp(sp.I * z), evaluate=False), sp.cos(2)),
    (sp.im(sp.exp(sp.I * z), evaluate=False), sp.sin(2)),
    (sp.Sum(sp.Piecewise((1, sp.And(i < n, i > 1)), (4, True)), (i, 1, 3)), 9),
    (sp.Trace(sp.MatPow(S, n - 3)), 2),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "value"), VALUES, ids=lambda case: str(case)[:40])
def test_an_expression_has_its_value_at_a_point(expression, value):
    nothing = balls.Evaluator({})
    exact = {p: half, n: 3, x: 1, k: 2, z: 2, Z: M, S: sp.ones(2, 2)}
    at = balls.Evaluator({symbol: nothing(sp.sympify(e)) for symbol, e in exact.items()})
    with flint.ctx.workprec(128):
        assert balls.near(at(expression), nothing(sp.sympify(value)))


def test_definitions_and_functions_have_the_values_that_they_are_given():
    a, f, places = sp.Symbol("a"), sp.Function("f"), sp.IndexedBase("b")
    nothing = balls.Evaluator({})
    at = balls.Evaluator(
        {p: nothing(half), Z: nothing(M)},
        {places: lambda z: z * z, sp.Function("g"): lambda z, u: z - u},
        {a: p + 1, f: sp.Lambda((x, y), x + 10 * y), sp.MatrixSymbol("Y", 2, 2): sp.Matrix([[a, 0], [0, 2]])},
    )
    for expression, value in [
        (a**2, sp.Rational(9, 4)), (f(a, p), sp.Rational(13, 2)), (sp.Sum(f(i, a), (i, 1, 2)), 33),
        (sp.Sum(places[i], (i, 1, 3)), 14), (sp.Function("g")(2, a), half),
        (sp.Trace(Z * sp.MatrixSymbol("Y", 2, 2)), sp.Rational(23, 2)),
    ]:  # fmt: skip
        assert balls.near(at(expression), nothing(sp.sympify(value)))
    for unknown in (k, sp.Function("h")(p), sp.MatrixSymbol("W", 2, 2)):
        with pytest.raises(balls.Unsampled, match=r"(has no value|is not defined|cannot be evaluated here)$"):
            at(unknown)


# --- what has no value --------------------------------------------------------------------------

NONE = [
    (balls.Undefined, "0 to a power that is not positive", 1 / (n - 3)),
    (balls.Undefined, "0 to a power that is not positive", sp.S.Zero ** (sp.I * n)),
    (balls.Undefined, "the logarithm of 0", sp.log(n - 3)),
    (balls.Undefined, "the angle of 0", sp.arg(n - 3)),
    (balls.Undefined, "an index is not a whole number", sp.KroneckerDelta(p, n)),
    (balls.Undefined, "an index is not a whole number", sp.KroneckerDelta(n, p)),
    (balls.Undefined, "an argument of Mod is not a whole number", sp.Mod(n, p, evaluate=False)),
    (balls.Undefined, "a factorial's argument is not a whole number", sp.factorial(p)),
    (balls.Undefined, "the lower end is not a whole number", sp.Sum(i, (i, p, n))),
    (balls.Undefined, "the upper end is not a whole number", sp.Sum(i, (i, 1, p))),
    (balls.Undefined, "no case of a piecewise definition applies", sp.Piecewise((1, n < 3), (2, n > 3))),
    (balls.Undefined, "the inverse of a matrix that has none", sp.Trace(S.I)),
    (balls.Undefined, "a power is not a whole number", sp.Trace(Z**p)),
    (balls.Undefined, "a size is not a whole number", sp.FunctionMatrix(p, 1, sp.Lambda((i, j), i))),
    (balls.Undefined, "a size is not a whole number", sp.OneMatrix(p, p)),
    (balls.Undefined, "an index is not a whole number", Z[p, 0]),
    (balls.Undefined, "entry 3, 0 of a 2 × 2 matrix", Z[n, 0]),
    (balls.Undefined, "entry 0, -1 of a 2 × 2 matrix", Z[0, n - 4]),
    (balls.Undefined, "entry 2, 2 of a 2 × 2 matrix", Z[n - 1, n - 1]),
    (balls.Undefined, "an order of numbers that are not real", sp.Piecewise((1, u < n), (2, True))),
    (balls.Undefined, "zoo", sp.zoo),
    (balls.Undecided, "a power of a number near 0", z ** (-1)),
    (balls.Undecided, "a power of a number near 0", z**p),
    (balls.Undecided, "the angle of a number near 0", sp.sign(z)),
    (balls.Undecided, "an index", sp.KroneckerDelta(n, z)),
    (balls.Undecided, "log", sp.log(z)),
    (balls.Undecided, "gamma", sp.gamma(n - 3)),
    (balls.Undecided, "the balls are too wide", sp.Piecewise((1, z > 0), (2, True))),
    (balls.Undecided, "the balls are too wide", sp.Piecewise((1, sp.Eq(z, 0)), (2, True))),
    (balls.Undecided, "an integral", sp.Integral(sp.sqrt(x), (x, -1 - sp.I, -1 + sp.I))),
    (balls.Unsampled, "a sum of 5001 terms", sp.Sum(i**p, (i, 0, 5000))),
    (balls.Unsampled, "a sum of 4097 terms", sp.Sum(i**p, (i, 0, 4096))),
    (balls.Unsampled, "conjugate under a derivative or an integral",
     sp.Integral(sp.conjugate(z), (z, 0, 1 + sp.I))),
    (balls.Unsampled, "Abs under a derivative or an integral", sp.Derivative(sp.Abs(z), z)),
    (balls.Unsampled, "LambertW cannot be evaluated here", sp.LambertW(p)),
    (balls.Unsampled, "the condition Contains(p, Integers)",
     sp.Piecewise((1, sp.Contains(p, sp.S.Integers)), (p, True))),
]  # fmt: skip


@pytest.mark.parametrize(("error", "words", "expression"), NONE, ids=str)
def test_what_has_no_value_at_a_point_says_why(error, words, expression):
    """z is a ball round 0 that is not a point, and u is the imaginary unit."""
    nothing = balls.Evaluator({})
    values = {
        v: nothing(sp.sympify(e)) for v, e in ((p, half), (n, 3), (Z, M), (S, sp.ones(2, 2)), (u, sp.I))
    }
    with pytest.raises(error) as problem:
        balls.Evaluator(values | {z: flint.acb(flint.arb(0, 0.25))})(expression)
    assert str(problem.value) == words


def test_a_ball_that_is_not_a_point_keeps_its_width():
    wide = balls.Evaluator({z: flint.acb(flint.arb(2, 0.25)), p: flint.acb(flint.arb(0, 0.25))})
    assert wide(2**z).contains(flint.acb(4.5))
    assert wide(z**2).contains(flint.acb(4.5))
    assert wide(p**sp.S.Zero) == 1
    with pytest.raises(balls.Undecided, match=r"^what$"):
        balls.whole(flint.acb(flint.arb(3, 0.25)), "what")
    with pytest.raises(balls.Undefined, match=r"^what is not a whole number$"):
        balls.whole(flint.acb(3, 1), "what")
    assert balls.whole(flint.acb(flint.arb(3, 1e-9)), "what") == 3
    with pytest.raises(balls.Undecided, match=r"^a power$"):
        balls.finite(flint.acb(flint.arb("inf")), "a power")


def test_infinity_is_no_value_of_a_power_or_a_function():
    endless = balls.Evaluator({z: flint.acb(flint.arb("inf")), p: flint.acb(flint.arb(2, 0.25))})
    for expression in (z**2, z**p):
        with pytest.raises(balls.Undecided, match=r"^a power$"):
            endless(expression)
    for function in (sp.exp, sp.tan, sp.log, sp.floor, sp.ceiling):
        with pytest.raises(balls.Undecided, match=f"^{function.__name__}$"):
            endless(function(z))


def test_relations_are_decided_where_the_balls_allow_it():
    one, two, wide = flint.acb(1), flint.acb(2), flint.acb(flint.arb(1, 0.5))
    table = {
        sp.Eq: (True, False), sp.Ne: (False, True), sp.Ge: (True, False), sp.Gt: (False, False),
        sp.Le: (True, True), sp.Lt: (False, True),
    }  # fmt: skip
    for relation, (same, less) in table.items():
        assert balls.compare(relation, one, one) is same
        assert balls.compare(relation, one, two) is less
        with pytest.raises(balls.Undecided, match=r"^the balls are too wide$"):
            balls.compare(relation, one, wide)
    with pytest.raises(balls.Undefined, match=r"^an order of numbers that are not real$"):
        balls.compare(sp.Lt, one, flint.acb(0, 1))
    with pytest.raises(balls.Undefined, match=r"^an order of numbers that are not real$"):
        balls.compare(sp.Lt, flint.acb(1, 1), flint.acb(2, 1))
    nothing = balls.Evaluator({})
    assert [nothing(truth) for truth in (True, sp.true, False, sp.false)] == [True, True, False, False]
    left, right = flint.acb_mat([[1, 2]]), flint.acb_mat([[1, 3]])
    assert balls.compare(sp.Ne, left, right) is True
    assert balls.compare(sp.Eq, left, right) is False
    assert (balls.shape(left), balls.shape(one)) == ((1, 2), ())

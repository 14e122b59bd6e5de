"""The value of a statement's side at a point, as a ball that is certain to hold it.

Numbers are Arb's balls (python-flint): where two balls do not meet, the numbers differ, as a fact and not
up to a tolerance. Nothing is rewritten: sums are added, integrals integrated, matrices multiplied, a
derivative is read off a number a + b t with t² = 0, and a bound variable lives in its own scope. As in
SymPy's printers there is one method for each class, of that name. What has no method here is not in the
language of statements.
"""

from functools import reduce
from itertools import count
from math import prod
from operator import add

import sympy as sp
from flint import acb, acb_mat, arb, fmpq

LONGEST = 4096  # terms of a sum that are added one by one
FINITE = "state it at every N, as an identity; or measure how it goes on"
REMEDIES = {  # for what many would write, and the language does not have
    "Limit": FINITE,
    "Infinity": FINITE,
    "NegativeInfinity": FINITE,
    "Mod": "write n - m*floor(n/m) for the rest",
    "Trace": "write the sum of the diagonal",
    "binomial": "write out its product, or state how the next follows from one, by induction",
}


class Undefined(ArithmeticError):
    """The expression has no value at this point."""


class Undecided(ArithmeticError):
    """At this precision the balls are too wide to tell."""


class NotInLanguage(TypeError):
    """The statement holds something that the checker does not speak of."""


def as_integer(value, what):
    """The only integer in a ball. Raises Undefined where it holds none or several, Undecided where it is wide.

    what: the words for it in the message.
    """
    number = value.unique_fmpz() if isinstance(value, acb) else None
    if number is None:
        raise Undefined(f"{what} is not a whole number")
    if value.rad() > 1e-6:
        raise Undecided(what)
    return int(number)


def finite(value, what):
    """The ball itself. Raises Undecided, with the words `what`, if it is not bounded."""
    if not value.is_finite():
        raise Undecided(what)
    return value


class Dual:
    """value + slope t with t² = 0; both may hold the t of an outer derivative, which has a smaller level."""

    levels = count(1)

    def __init__(self, value, slope, level):
        self.value, self.slope, self.level = value, slope, level

    def _met(self, other, join):
        """Join two numbers at the level of the inner one. join: makes one pair (value, slope) of two."""
        level = max(_level(self), _level(other))
        pairs = [(n.value, n.slope) if _level(n) == level else (n, acb(0)) for n in (self, other)]
        return Dual(*join(*pairs), level)

    def __add__(self, other):
        return self._met(other, lambda a, b: (a[0] + b[0], a[1] + b[1]))

    def __mul__(self, other):
        return self._met(other, lambda a, b: (a[0] * b[0], a[0] * b[1] + a[1] * b[0]))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * acb(-1)


def _level(number):
    return number.level if isinstance(number, Dual) else 0


def _apply(function, slope, z):
    """`function(z)` of a ball or a Dual. slope: the derivative, a function too."""
    if not isinstance(z, Dual):
        return finite(function(z), "a value")
    return Dual(_apply(function, slope, z.value), slope(z.value) * z.slope, z.level)


def _apart_from_zero(ball, what):
    if ball.is_zero():
        raise Undefined(what)
    if ball.contains(0):
        raise Undecided(what)
    return ball


def inverse(z):
    return _apply(lambda a: 1 / _apart_from_zero(a, "a division by 0"), lambda a: -_whole_power(a, -2), z)


def log(z):
    return _apply(lambda a: _apart_from_zero(a, "the logarithm of 0").log(), inverse, z)


def exp(z):
    return _apply(acb.exp, exp, z)


def sin(z):
    return _apply(acb.sin, cos, z)


def cos(z):
    return _apply(acb.cos, lambda a: -sin(a), z)


def tanh(z):
    return _apply(acb.tanh, lambda a: 1 + -(tanh(a) * tanh(a)), z)


def ci(z):
    return _apply(acb.ci, lambda a: cos(a) * inverse(a), z)


def power(base, exponent):
    number = exponent.unique_fmpz() if isinstance(exponent, acb) and exponent.is_exact() else None
    if number is not None:
        return _whole_power(base, int(number))
    return exp(exponent * log(base))


def _whole_power(base, n):
    if n < 0:
        return _whole_power(inverse(base), -n)
    return _apply(lambda a: a**n, lambda a: acb(n) * _whole_power(a, n - 1) if n else acb(0), base)


def _applying(function):
    """A method that evaluates a function of one argument: an analytic one, or one of a matrix."""
    return lambda self, e, local: function(self(e.args[0], local))


def _constant(make):
    """A method that makes a number anew, by make(), to the precision that holds then."""
    return lambda self, e, local: make()


def _part(function):
    """A method that evaluates what has no derivative: a part of a number, such as its real part."""

    def value(self, e, local):
        z = self(e.args[0], local)
        if isinstance(z, Dual):
            raise NotInLanguage(f"{type(e).__name__} under a derivative: carry the derivative out")
        return acb(function(z))

    return value


class Evaluator:
    """Evaluates expressions at one point.

    values: {Symbol or MatrixSymbol: ball or acb_mat}. functions: {undefined function or indexed base:
    callable on balls}. definitions: {name: expression or Lambda} as in `where`.
    """

    def __init__(self, values, functions=(), definitions=()):
        self.values, self.functions, self.definitions = dict(values), dict(functions), dict(definitions)

    def __call__(self, e, local=None):
        """The value of an expression, a matrix or a condition. local: {bound variable: value}."""
        e = sp.sympify(e)
        return method_for(e)(self, e, local or {})

    # --- numbers and functions ------------------------------------------------------------------

    def _Symbol(self, e, local):
        if e in local:
            return local[e]
        if e not in self.definitions and e not in self.values:
            raise NotInLanguage(f"{e} is a sequence, and has a value only at an index: write {e}[n]")
        return self(self.definitions[e]) if e in self.definitions else self.values[e]

    def _Rational(self, e, local):
        return acb(fmpq(int(e.p), int(e.q)))

    _Pi, _Exp1, _ImaginaryUnit = map(_constant, (acb.pi, acb(1).exp, lambda: acb(0, 1)))

    def _Add(self, e, local):  # of matrices too
        return reduce(add, (self(a, local) for a in e.args))

    def _Mul(self, e, local):  # of matrices too
        return prod((self(a, local) for a in e.args), start=acb(1))

    def _Pow(self, e, local):
        return power(*(self(a, local) for a in e.args))

    _exp, _log, _sin, _cos, _tanh, _Ci = map(_applying, (exp, log, sin, cos, tanh, ci))
    _re, _im = _part(lambda z: z.real), _part(lambda z: z.imag)
    _conjugate, _Abs, _floor = _part(acb.conjugate), _part(abs), _part(lambda z: z.real.floor())

    def _KroneckerDelta(self, e, local):
        first, second = (as_integer(self(a, local), "an index") for a in e.args)
        return acb(int(first == second))

    # --- what binds a variable ----------------------------------------------------------------

    def _Sum(self, e, local):
        ((variable, low, high),) = e.limits
        first, last = (as_integer(self(end, local), "an end of a sum") for end in (low, high))
        if last - first >= LONGEST:
            raise NotInLanguage(f"a sum of {last - first + 1} terms: give it a letter as its end")
        if last < first - 1:
            raise Undefined("a sum that runs backwards")
        return sum((self(e.function, local | {variable: acb(n)}) for n in range(first, last + 1)), acb(0))

    def _Integral(self, e, local):
        """Arb's integral, which asks for complex balls: `statement` lets in entire functions alone."""
        ((variable, low, high),) = e.limits

        def value(z, _):
            try:
                return acb(self(e.function, local | {variable: z}))
            except (Undecided, TypeError):  # no exception may pass through C; on nan Arb divides the ball
                return acb("nan")

        ends = self(low, local), self(high, local)
        return finite(acb.integral(value, *ends, eval_limit=1000), "an integral")

    def _Derivative(self, e, local):
        """Differentiate by one variable after the other, the last one first."""
        *before, (variable, order) = e.variable_count
        before += [(variable, order - 1)] if order > 1 else []
        body = sp.Derivative(e.expr, *before, evaluate=False) if before else e.expr
        scope, values, level = local if variable in local else self.values, self.values, next(Dual.levels)
        moving = {variable: Dual(scope[variable], acb(1), level)}
        if scope is values:
            self.values = values | moving
        try:
            value = self(body, local if scope is values else local | moving)
        finally:
            self.values = values
        return value.slope if _level(value) == level else acb(0)

    def _Subs(self, e, local):
        return self(e.expr, local | {v: self(at, local) for v, at in zip(e.variables, e.point, strict=True)})

    def _AppliedUndef(self, e, local):
        arguments = [self(a, local) for a in e.args]
        definition = self.definitions.get(e.func)
        if definition is not None:
            return self(definition.expr, dict(zip(definition.variables, arguments, strict=True)))
        return self.functions[e.func](*arguments)

    def _Indexed(self, e, local):
        return self.functions[e.base](*(acb(as_integer(self(a, local), "an index")) for a in e.indices))

    # --- matrices -----------------------------------------------------------------------------

    _MatrixSymbol = _Symbol

    def _MatrixBase(self, e, local):
        return acb_mat(e.rows, e.cols, [self(entry, local) for entry in e])

    _Transpose, _Determinant = map(_applying, (acb_mat.transpose, acb_mat.det))

    def _MatPow(self, e, local):  # an inverse too
        matrix, times = self(e.base, local), as_integer(self(e.exp, local), "a power")
        if times < 0:
            try:
                matrix = matrix.inv()
            except ZeroDivisionError:
                problem = Undefined if matrix.det().is_zero() else Undecided
                raise problem("the inverse of a matrix") from None
        return matrix ** abs(times)

    def _Identity(self, e, local):
        size = as_integer(self(e.shape[0], local), "a size")
        return acb_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])

    def _BlockMatrix(self, e, local):
        rows = []
        for r in range(e.blockshape[0]):
            blocks = [self(e.blocks[r, c], local) for c in range(e.blockshape[1])]
            rows += [[b[i, j] for b in blocks for j in range(b.ncols())] for i in range(blocks[0].nrows())]
        return acb_mat(rows)

    # --- conditions ---------------------------------------------------------------------------

    def _Relational(self, e, local):
        return compare(type(e), *(self(side, local) for side in e.args))


def method_for(e):
    """The method of Evaluator for the class of e, an expression: it takes (evaluator, e, local).

    Raises NotInLanguage where there is none, TypeError for a float.
    """
    if getattr(e, "is_Float", False):
        raise TypeError(f"{e} is a float: write an exact number, as Rational(1, 100) for 0.01")
    for kind in type(e).__mro__:
        if evaluate := getattr(Evaluator, f"_{kind.__name__}", None):
            return evaluate
    name = getattr(type(e), "__name__", str(e))
    remedy = REMEDIES.get(name, f"write {e} by what is, such as sin and cos")
    raise NotInLanguage(f"{name} is not in the language of statements: {remedy}")


def balls(value):
    """The numbers that a value, a ball or a matrix of balls, holds, in a list."""
    return value.entries() if isinstance(value, acb_mat) else [value]


def near(left, right):
    """True where two balls meet and are small, False where they cannot be equal; else raises Undecided."""
    gap = left - right
    if not gap.contains(0):
        return False
    if gap.rad() < arb(2) ** -40 * (1 + abs(left)):
        return True
    raise Undecided("the balls are too wide")


def compare(relation, left, right):
    """Whether a relation, a class such as Eq, holds of two balls, or of two matrices for Eq and Ne.

    Raises Undecided where the balls are too wide, Undefined for two shapes or an order that is not of real numbers.
    """
    if relation in (sp.Eq, sp.Ne):
        shapes = [(v.nrows(), v.ncols()) if isinstance(v, acb_mat) else () for v in (left, right)]
        if shapes[0] != shapes[1]:
            raise Undefined(f"shapes {shapes[0]} and {shapes[1]}")
        pairs = zip(balls(left), balls(right), strict=True)
        return all([near(finite(a, "a side"), finite(b, "a side")) for a, b in pairs]) is (relation is sp.Eq)
    if not all(near(acb(side.imag), acb(0)) for side in (left, right)):
        raise Undefined("an order of numbers that are not real")
    gap = (left - right).real
    if gap > 0 or gap < 0:
        return bool(gap > 0) is (relation in (sp.Ge, sp.Gt))
    return near(left, right) and relation in (sp.Ge, sp.Le)

"""The value of a statement's side at a point, as a ball that is certain to hold it.

Numbers are Arb's balls (python-flint): where two balls do not meet, the numbers differ, as a fact and not up to a
tolerance. Nothing is rewritten: sums are added, integrals integrated, matrices multiplied, a derivative is read off a
power series, and a bound variable lives in its own scope. As in SymPy's printers there is one method for each class, of
that name. What has no method here is not in the language of statements.
"""

import sympy as sp
from flint import acb, acb_mat, arb, fmpq

LONGEST = 4096  # terms of a sum that are added one by one


class Undefined(ArithmeticError):
    """The expression has no value at this point."""


class Undecided(ArithmeticError):
    """At this precision the balls are too wide to tell."""


class NotInLanguage(TypeError):
    """The statement holds something that the checker does not speak of."""


def whole(value, what):
    """The integer that a ball holds for certain. Raises Undefined where there is none."""
    number = value.unique_fmpz() if isinstance(value, acb) else None
    if number is None or not (value - acb(number)).contains(0):
        raise Undefined(f"{what} is not a whole number")
    if not value.is_exact() and value.rad() > 1e-6:
        raise Undecided(what)
    return int(number)


def finite(value, what):
    """The ball itself, if it is bounded."""
    if not value.is_finite():
        raise Undecided(what)
    return value


class Series:
    """a + b t + c t² + …, cut off; t² is never divided away. The numbers may be series in another variable.

    level: which variable; the one that was introduced last is outermost.
    """

    def __init__(self, terms, level):
        self.terms, self.level = terms, level

    def _other(self, other):
        """The terms of another number, as a series in this variable."""
        if isinstance(other, Series) and other.level == self.level:
            return other.terms
        return [other] + [acb(0)] * (len(self.terms) - 1)

    def _outer(self, other):
        return isinstance(other, Series) and other.level > self.level

    def __add__(self, other):
        if self._outer(other):
            return other + self
        return Series([a + b for a, b in zip(self.terms, self._other(other), strict=False)], self.level)

    def __mul__(self, other):
        if self._outer(other):
            return other * self
        a, b = self.terms, self._other(other)
        size = min(len(a), len(b))
        return Series([sum((a[i] * b[n - i] for i in range(n + 1)), acb(0)) for n in range(size)], self.level)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * acb(-1)

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other


def _apply(function, slope, z):
    """function(z), where slope is its derivative: f(z) = f(z₀) + ∫ f′(z) z′ for a series."""
    if not isinstance(z, Series):
        return function(z)
    first = _apply(function, slope, z.terms[0])
    if len(z.terms) == 1:
        return Series([first], z.level)
    shorter = Series(z.terms[:-1], z.level)
    rise = Series([acb(n) * a for n, a in enumerate(z.terms)][1:], z.level)
    change = slope(shorter) * rise
    return Series([first, *(a * (acb(1) / (n + 1)) for n, a in enumerate(change.terms))], z.level)


def inverse(z):
    def one(ball):
        if ball.is_zero():
            raise Undefined("a division by 0")
        if ball.contains(0):
            raise Undecided("a division by a number near 0")
        return finite(1 / ball, "a quotient")

    return _apply(one, lambda s: -(inverse(s) * inverse(s)), z)


def exp(z):
    return _apply(lambda a: finite(a.exp(), "exp"), exp, z)


def sin(z):
    return _apply(lambda a: finite(a.sin(), "sin"), cos, z)


def cos(z):
    return _apply(lambda a: finite(a.cos(), "cos"), lambda s: -sin(s), z)


def log(z):
    def one(ball):
        if ball.is_zero():
            raise Undefined("the logarithm of 0")
        return finite(ball.log(), "log")

    return _apply(one, inverse, z)


def ci(z):
    return _apply(lambda a: finite(a.ci(), "Ci"), lambda s: cos(s) * inverse(s), z)


def tanh(z):
    return _apply(lambda a: finite(a.tanh(), "tanh"), lambda s: acb(1) - tanh(s) * tanh(s), z)


def power(base, exponent):
    number = exponent.unique_fmpz() if isinstance(exponent, acb) and exponent.is_exact() else None
    if number is None or isinstance(base, acb):
        return (
            exp(exponent * log(base))
            if number is None and not _zero(base)
            else _number_power(base, exponent, number)
        )
    result = acb(1)
    for _ in range(abs(int(number))):
        result = base * result
    return inverse(result) if number < 0 else result


def _zero(base):
    return isinstance(base, acb) and base.contains(0)


def _number_power(base, exponent, number):
    if base.is_zero():
        if number == 0:
            return acb(1)
        if isinstance(exponent, acb) and exponent.real > 0:
            return acb(0)
        raise Undefined("0 to a power that is not positive")
    if number is None or (number < 0 and base.contains(0)):
        raise Undecided("a power of a number near 0")
    return finite(base ** int(number), "a power")


class Evaluator:
    """Evaluates expressions at one point.

    values: {Symbol or MatrixSymbol: ball or acb_mat}. functions: {undefined function, or name of an indexed base:
    callable on balls}. definitions: {name: expression or Lambda} as in `where`.
    """

    def __init__(self, values, functions=(), definitions=()):
        self.values, self.functions = dict(values), dict(functions)
        self.definitions = dict(definitions)
        self.entire = False  # under an integral, where Arb asks for values on complex balls

    def __call__(self, e, local=None):
        """The value of an expression, a matrix or a condition; local: values of bound variables."""
        e = sp.sympify(e)
        return method(e)(self, e, local or {})

    # --- numbers ------------------------------------------------------------------------------

    def _Symbol(self, e, local):
        if e in local:
            return local[e]
        if e in self.definitions:
            return self(self.definitions[e])
        return self.values[e]

    def _Rational(self, e, local):
        return acb(fmpq(int(e.p), int(e.q)))

    def _Pi(self, e, local):
        return acb(arb.pi())

    def _Exp1(self, e, local):
        return acb(1).exp()

    def _ImaginaryUnit(self, e, local):
        return acb(0, 1)

    def _Add(self, e, local):
        return sum((self(a, local) for a in e.args), acb(0))

    def _Mul(self, e, local):
        result = acb(1)
        for factor in e.args:
            result = self(factor, local) * result
        return result

    def _Pow(self, e, local):
        base, exponent = (self(a, local) for a in e.args)
        if self.entire and not (e.exp.is_integer and e.exp.is_nonnegative):
            raise NotInLanguage("a power that is not whole, under an integral")
        return power(base, exponent)

    def _exp(self, e, local):
        return exp(self(e.args[0], local))

    def _sin(self, e, local):
        return sin(self(e.args[0], local))

    def _cos(self, e, local):
        return cos(self(e.args[0], local))

    def _log(self, e, local):
        return log(self._plain(e, local, series=True))

    def _tan(self, e, local):
        z = self._plain(e, local, series=True)
        return sin(z) * inverse(cos(z))

    def _cot(self, e, local):
        z = self._plain(e, local, series=True)
        return cos(z) * inverse(sin(z))

    def _tanh(self, e, local):
        return tanh(self._plain(e, local, series=True))

    def _Ci(self, e, local):
        return ci(self._plain(e, local, series=True))

    # --- parts of numbers: not under a derivative or an integral --------------------------------

    def _plain(self, e, local, series=False):
        """The argument of a function that is not entire."""
        z = self(e.args[0], local)
        if self.entire or (isinstance(z, Series) and not series):
            raise NotInLanguage(
                f"{type(e).__name__} under {'an integral' if self.entire else 'a derivative'}"
            )
        return z

    def _re(self, e, local):
        return acb(self._plain(e, local).real)

    def _im(self, e, local):
        return acb(self._plain(e, local).imag)

    def _conjugate(self, e, local):
        return self._plain(e, local).conjugate()

    def _Abs(self, e, local):
        return acb(abs(self._plain(e, local)))

    def _floor(self, e, local):
        z = self._plain(e, local)
        return finite(acb(z.real.floor()), "floor")

    def _Mod(self, e, local):
        first, second = (whole(self(a, local), "an argument of Mod") for a in e.args)
        if second == 0:
            raise Undefined("a remainder of division by 0")
        return acb(first % second)

    def _KroneckerDelta(self, e, local):
        return acb(int(len({whole(self(a, local), "an index") for a in e.args}) == 1))

    def _Piecewise(self, e, local):
        for value, condition in e.args:
            if self(condition, local):
                return self(value, local)
        raise Undefined("no case of a piecewise definition applies")

    # --- what binds a variable ----------------------------------------------------------------

    def _Sum(self, e, local):
        *inner, (variable, low, high) = e.limits
        first, last = (whole(self(end, local), "an end of a sum") for end in (low, high))
        body = sp.Sum(e.function, *inner) if inner else e.function
        if last - first >= LONGEST:
            raise NotInLanguage(f"a sum of {last - first + 1} terms")
        if last < first - 1:
            raise Undefined("a sum that runs backwards")
        return sum((self(body, local | {variable: acb(n)}) for n in range(first, last + 1)), acb(0))

    def _Integral(self, e, local):
        """Arb's integral of an entire function. It asks for values on complex balls."""
        *inner, (variable, low, high) = e.limits
        body = sp.Integral(e.function, *inner) if inner else e.function
        ends, problems, before = [self(end, local) for end in (low, high)], [], self.entire

        def value(z, _):
            try:
                return self(body, local | {variable: z})
            except Exception as problem:  # an exception must not pass through C
                problems.append(problem)
                return acb("nan")

        self.entire = True
        try:
            result = acb.integral(value, *ends, eval_limit=1000)
        finally:
            self.entire = before
        for problem in problems:
            if not isinstance(problem, Undecided):  # a ball that is too wide: Arb divides it
                raise problem
        return finite(result, "an integral")

    def _Derivative(self, e, local):
        *before, (variable, order) = e.variable_count
        body = sp.Derivative(e.expr, *before, evaluate=False) if before else e.expr
        place, values = (local if variable in local else self.values)[variable], self.values
        level = 1 + max(map(_level, [*values.values(), *local.values()]))
        moving = Series([place, acb(1), *[acb(0)] * (int(order) - 1)], level)
        if variable in local:
            local = local | {variable: moving}
        else:
            self.values = values | {variable: moving}
        try:
            value = self(body, local)
        finally:
            self.values = values
        if not isinstance(value, Series) or value.level != level:
            return acb(0)
        return value.terms[int(order)] * acb(sp.factorial(order).p)

    def _Subs(self, e, local):
        return self(e.expr, local | {v: self(at, local) for v, at in zip(e.variables, e.point, strict=True)})

    def _AppliedUndef(self, e, local):
        arguments = [self(a, local) for a in e.args]
        definition = self.definitions.get(e.func)
        if definition is not None:
            return self(definition.expr, dict(zip(definition.variables, arguments, strict=True)))
        if self.entire:
            raise NotInLanguage(f"the undefined function {e.func} under an integral")
        return self.functions[e.func](*arguments)

    def _Indexed(self, e, local):
        return self.functions[e.base](*(acb(whole(self(a, local), "an index")) for a in e.indices))

    # --- matrices -----------------------------------------------------------------------------

    def _MatrixBase(self, e, local):
        return acb_mat(e.rows, e.cols, [self(entry, local) for entry in e])

    def _MatrixSymbol(self, e, local):
        return self(self.definitions[e]) if e in self.definitions else self.values[e]

    def _MatAdd(self, e, local):
        first, *rest = (self(a, local) for a in e.args)
        return sum(rest, first)

    def _MatMul(self, e, local):
        scale, result = acb(1), None
        for factor in e.args:
            value = self(factor, local)
            if not isinstance(value, acb_mat):
                scale = scale * value
            else:
                result = value if result is None else result * value
        return result * scale

    def _Transpose(self, e, local):
        return self(e.arg, local).transpose()

    def _MatPow(self, e, local):  # an inverse too
        matrix, times = self(e.base, local), whole(self(e.exp, local), "a power")
        if times < 0:
            try:
                matrix = matrix.inv()
            except ZeroDivisionError:
                raise (Undefined if matrix.det().is_zero() else Undecided)(
                    "the inverse of a matrix"
                ) from None
        result = _identity(matrix.nrows())
        for _ in range(abs(times)):
            result = result * matrix
        return result

    def _Identity(self, e, local):
        return _identity(whole(self(e.shape[0], local), "a size"))

    def _Determinant(self, e, local):
        return self(e.arg, local).det()

    def _BlockMatrix(self, e, local):
        rows = []
        for r in range(e.blockshape[0]):
            blocks = [self(e.blocks[r, c], local) for c in range(e.blockshape[1])]
            rows += [[b[i, j] for b in blocks for j in range(b.ncols())] for i in range(blocks[0].nrows())]
        return acb_mat(rows)

    # --- conditions ---------------------------------------------------------------------------

    def _BooleanTrue(self, e, local):
        return True

    def _Relational(self, e, local):
        return compare(type(e), *(self(side, local) for side in e.args))


def method(e):
    """The method that evaluates an expression. Raises NotInLanguage where there is none."""
    if getattr(e, "is_Float", False):
        raise TypeError(f"{e} is a float: write an exact number, as Rational(1, 100) for 0.01")
    for kind in type(e).__mro__:
        if found := getattr(Evaluator, f"_{kind.__name__}", None):
            return found
    name = getattr(type(e), "__name__", str(e))
    raise NotInLanguage(f"{name} is not in the language of statements: {e}")


def _level(value):
    return value.level if isinstance(value, Series) else 0


def _identity(size):
    return acb_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])


def balls(value):
    """The numbers that a value holds."""
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
    """Whether a relation of two numbers, or of two matrices for Eq and Ne, holds."""
    if relation in (sp.Eq, sp.Ne):
        shapes = [(v.nrows(), v.ncols()) if isinstance(v, acb_mat) else () for v in (left, right)]
        if shapes[0] != shapes[1]:
            raise Undefined(f"shapes {shapes[0]} and {shapes[1]}")
        pairs = zip(balls(left), balls(right), strict=True)
        return all([near(finite(a, "a side"), finite(b, "a side")) for a, b in pairs]) is (relation is sp.Eq)
    if not all(near(acb(side.imag), acb(0)) for side in (left, right)):
        raise Undefined("an order of numbers that are not real")
    gap = (left - right).real
    above = True if gap > 0 else False if gap < 0 else None
    if above is None and near(left, right):
        return relation in (sp.Ge, sp.Le)
    if above is None:
        raise Undecided("the balls are too wide")
    return above is (relation in (sp.Ge, sp.Gt))

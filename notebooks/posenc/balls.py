"""The value of a SymPy expression at a point, as a ball that is certain to hold it.

Numbers are Arb's balls (python-flint): where two balls do not meet, the numbers differ, as a fact
and not up to a tolerance. Nothing is rewritten: sums are added, integrals integrated, matrices
multiplied, and a bound variable lives in its own scope.
"""

from math import factorial

import sympy as sp
from flint import acb, acb_mat, arb, fmpq
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean, BooleanFunction
from sympy.matrices.expressions.matexpr import MatrixElement
from sympy.tensor.indexed import Indexed

LONGEST = 4096  # terms of a sum or product that are added one by one


class Undefined(ArithmeticError):
    """The expression has no value at this point."""


class Undecided(ArithmeticError):
    """At this precision the balls are too wide to tell."""


class Unsampled(TypeError):
    """The expression holds something that this module cannot evaluate."""


ENTIRE = {
    sp.exp: acb.exp, sp.sin: acb.sin, sp.cos: acb.cos, sp.sinh: acb.sinh, sp.cosh: acb.cosh,
    sp.erf: acb.erf, sp.sinc: acb.sinc,
}  # fmt: skip
MEROMORPHIC = {
    sp.tan: acb.tan, sp.cot: acb.cot, sp.sec: acb.sec, sp.csc: acb.csc, sp.tanh: acb.tanh,
    sp.coth: acb.coth, sp.gamma: acb.gamma, sp.Si: acb.si, sp.Ci: acb.ci,
    sp.asin: acb.asin, sp.acos: acb.acos, sp.atan: acb.atan,
}  # fmt: skip
CONSTANTS = {
    sp.S.Pi: lambda: acb(arb.pi()), sp.S.Exp1: lambda: acb(1).exp(), sp.S.ImaginaryUnit: lambda: acb(0, 1),
    sp.S.NegativeInfinity: lambda: acb(arb("-inf")),
}  # fmt: skip


def whole(value, what):
    """The integer that a ball holds for certain. Raises Undefined where there is none."""
    number = value.unique_fmpz()
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


class Evaluator:
    """Evaluates expressions at one point.

    values: {Symbol or MatrixSymbol: ball or acb_mat}. functions: {undefined function, or name of an
    indexed base: callable on balls}. definitions: {name: expression or Lambda} as in `where`.
    """

    def __init__(self, values, functions=(), definitions=()):
        self.values, self.functions = dict(values), dict(functions)
        self.definitions = dict(definitions)
        self.complex_variables = ()

    def __call__(self, expression, local=None):
        """The value of an expression, a matrix or a condition; local: values of bound variables."""
        local = local or {}
        if isinstance(expression, (Boolean, bool)) and not isinstance(expression, sp.Symbol):
            return self._holds(expression, local)
        if getattr(expression, "is_Matrix", False):
            return self._matrix(expression, local)
        return self._number(sp.sympify(expression), local)

    # --- numbers ------------------------------------------------------------------------------

    def _number(self, e, local):
        if e.is_Symbol:
            return self._symbol(e, local)
        if e.is_Float:
            raise TypeError(f"{e} is a float: write an exact number, as Rational(1, 100) for 0.01")
        if e.is_Rational:
            return acb(fmpq(int(e.p), int(e.q)))
        if e in CONSTANTS:
            return CONSTANTS[e]()
        if e in (sp.S.NaN, sp.S.ComplexInfinity):
            raise Undefined(str(e))
        if e.is_Add:
            return sum((self._number(a, local) for a in e.args), acb(0))
        if e.is_Mul:
            return self._product([self._number(a, local) for a in e.args])
        if e.is_Pow:
            return self._power(*(self._number(a, local) for a in e.args))
        if isinstance(e, AppliedUndef):
            return self._applied(e, local)
        for kind, method in self._methods():
            if isinstance(e, kind):
                return method(e, local)
        return self._function(e, local)

    def _methods(self):
        return (
            (sp.Sum, self._sum), (sp.Product, self._sum), (sp.Integral, self._integral),
            (sp.Derivative, self._derivative), (sp.Subs, self._subs), (sp.Piecewise, self._piecewise),
            (MatrixElement, self._element), (Indexed, self._indexed),
            (sp.Determinant, lambda e, at: self._matrix(e.arg, at).det()),
            (sp.Trace, lambda e, at: self._matrix(e.arg, at).trace()),
        )  # fmt: skip

    def _symbol(self, e, local):
        if e in local:
            return local[e]
        if e in self.definitions:
            return self._number(sp.sympify(self.definitions[e]), {})
        if e not in self.values:
            raise Unsampled(f"{e} has no value")
        return self.values[e]

    @staticmethod
    def _product(factors):
        result = acb(1)
        for factor in factors:
            result *= factor
        return result

    def _power(self, base, exponent):
        number = exponent.unique_fmpz() if exponent.is_exact() else None
        if base.contains(0):
            if base.is_zero() and number is not None and number >= 0:
                return acb(0 if number else 1)
            if base.is_zero() and exponent.real > 0:
                return acb(0)
            if base.is_zero():
                raise Undefined("0 to a power that is not positive")
            if number is None or number < 0:
                raise Undecided("a power of a number near 0")
        if number is not None:
            return finite(base ** int(number), "a power")
        if self.complex_variables and not base.is_exact():
            return finite((exponent * base.log(analytic=True)).exp(), "a power")
        return finite(base**exponent, "a power")

    def _function(self, e, local):
        kind = e.func
        if kind in (sp.re, sp.im, sp.conjugate, sp.Abs, sp.arg, sp.sign, sp.floor, sp.ceiling):
            if any(e.has(variable) for variable in self.complex_variables):
                raise Unsampled(f"{kind.__name__} under a derivative or an integral")
            return self._of_parts(kind, self._number(e.args[0], local))
        if kind in (sp.Max, sp.Min):
            return self._extreme(kind, [self._number(a, local) for a in e.args])
        arguments = [self(a, local) for a in e.args]
        if kind is sp.exp and arguments[0].real == arb("-inf"):
            return acb(0)  # a masked score
        if kind in ENTIRE:
            return finite(ENTIRE[kind](*arguments), kind.__name__)
        if kind in MEROMORPHIC:
            return finite(MEROMORPHIC[kind](*arguments), kind.__name__)
        if kind is sp.log:
            if arguments[0].is_zero():
                raise Undefined("the logarithm of 0")
            logs = [finite(a.log(analytic=bool(self.complex_variables)), "log") for a in arguments]
            return logs[0] if len(logs) == 1 else logs[0] / logs[1]
        if kind is sp.KroneckerDelta:
            return acb(int(whole(arguments[0], "an index") == whole(arguments[1], "an index")))
        if kind is sp.Mod:
            first, second = (whole(a, "an argument of Mod") for a in arguments)
            return acb(first % second)
        if kind is sp.factorial:
            return acb(factorial(whole(arguments[0], "a factorial's argument")))
        if kind is sp.atan2:
            y, x = arguments
            return acb((x + acb(0, 1) * y).arg())
        done = e.doit()
        if done != e:
            return self._number(done, local)
        raise Unsampled(f"{kind.__name__} cannot be evaluated here")

    @staticmethod
    def _of_parts(kind, z):
        if kind is sp.re:
            return acb(z.real)
        if kind is sp.im:
            return acb(z.imag)
        if kind is sp.conjugate:
            return z.conjugate()
        if kind is sp.Abs:
            return acb(abs(z))
        if kind is sp.floor:
            return finite(acb(z.real.floor()), "floor")
        if kind is sp.ceiling:
            return finite(acb(z.real.ceil()), "ceiling")
        if z.is_zero() and kind is sp.sign:
            return z
        if z.contains(0):
            raise Undefined("the angle of 0") if z.is_zero() else Undecided("the angle of a number near 0")
        return acb(z.arg()) if kind is sp.arg else z / acb(abs(z))

    @staticmethod
    def _extreme(kind, values):
        best = values[0].real
        for value in values[1:]:
            best = best.max(value.real) if kind is sp.Max else best.min(value.real)
        return acb(best)

    # --- what binds a variable ----------------------------------------------------------------

    def _sum(self, e, local):
        product = isinstance(e, sp.Product)
        *inner, (variable, low, high) = e.limits
        first, last = self._number(low, local), self._number(high, local)
        first, last = whole(first, "the lower end"), whole(last, "the upper end")
        body = e.func(e.function, *inner) if inner else e.function
        backwards = last < first - 1
        if backwards:  # the convention that keeps sums additive over their ranges
            first, last = last + 1, first - 1
        if last - first >= LONGEST:
            raise Unsampled(f"a sum of {last - first + 1} terms")
        total = acb(1 if product else 0)
        for n in range(first, last + 1):
            term = self._number(body, local | {variable: acb(n)})
            total = total * term if product else total + term
        if backwards:
            total = acb(1) / total if product else -total
        return total

    def _integral(self, e, local):
        *inner, (variable, low, high) = e.limits
        body = e.func(e.function, *inner) if inner else e.function
        ends = [self._number(end, local) for end in (low, high)]
        return self._integrated(variable, lambda z: self._number(body, local | {variable: z}), *ends)

    def _derivative(self, e, local):
        """Cauchy's formula: an integral round a small circle."""
        *before, (variable, order) = e.variable_count
        body = sp.Derivative(e.expr, *before, evaluate=False) if before else e.expr
        centre, order, radius = self._symbol(variable, local), int(order), acb(arb(1) / 64)

        def on_circle(angle):
            z = centre + radius * (acb(0, 1) * angle).exp()
            return self._number(body, local | {variable: z}) * (acb(0, -order) * angle).exp()

        value = self._integrated(variable, on_circle, acb(0), acb(2 * arb.pi()))
        return value * factorial(order) / (2 * arb.pi() * radius**order)

    def _integrated(self, variable, function, low, high):
        """Arb's integral. It asks for values on complex balls, so only analytic functions may appear."""
        problems, before = [], self.complex_variables

        def value(z, _):
            try:
                return function(z)
            except (Undefined, Undecided):
                return acb("nan")  # a ball that is too wide: Arb divides it
            except Exception as problem:  # an exception must not pass through C
                problems.append(problem)
                return acb("nan")

        self.complex_variables = (*before, variable)
        try:
            result = acb.integral(value, low, high, eval_limit=1000)
        finally:
            self.complex_variables = before
        if problems:
            raise problems[0]
        return finite(result, "an integral")

    def _subs(self, e, local):
        values = {v: self._number(at, local) for v, at in zip(e.variables, e.point, strict=True)}
        return self._number(e.expr, local | values)

    def _piecewise(self, e, local):
        for value, condition in e.args:
            if self._holds(condition, local):
                return self._number(value, local)
        raise Undefined("no case of a piecewise definition applies")

    def _applied(self, e, local):
        arguments = [self._number(a, local) for a in e.args]
        definition = self.definitions.get(e.func)
        if definition is not None:
            return self._number(definition.expr, dict(zip(definition.variables, arguments, strict=True)))
        if e.func not in self.functions:
            raise Unsampled(f"{e.func} is not defined")
        return self.functions[e.func](*arguments)

    def _indexed(self, e, local):
        arguments = [self._number(a, local) for a in e.indices]
        return self.functions[e.base](*arguments)

    # --- matrices -----------------------------------------------------------------------------

    def _matrix(self, e, local):
        if isinstance(e, sp.MatrixBase):
            rows = [[self._number(entry, local) for entry in e.row(r)] for r in range(e.rows)]
            return acb_mat(e.rows, e.cols, [entry for row in rows for entry in row])
        if isinstance(e, sp.MatrixSymbol):
            if e in self.definitions:
                return self._matrix(self.definitions[e], {})
            if e not in self.values:
                raise Unsampled(f"{e} has no value")
            return self.values[e]
        if isinstance(e, sp.MatAdd):
            first, *rest = (self._matrix(a, local) for a in e.args)
            return sum(rest, first)
        if isinstance(e, sp.MatMul):
            return self._matrix_product(e, local)
        if isinstance(e, sp.Transpose):
            return self._matrix(e.arg, local).transpose()
        if isinstance(e, sp.Adjoint):
            return self._matrix(e.arg, local).transpose().conjugate()
        if isinstance(e, sp.MatPow):  # an inverse too
            power = whole(self._number(e.exp, local), "a power")
            return self._matrix_power(self._matrix(e.base, local), power)
        if isinstance(e, (sp.Identity, sp.ZeroMatrix, sp.OneMatrix)):
            rows, columns = self._size(e, local)
            diagonal, rest = {sp.Identity: (1, 0), sp.ZeroMatrix: (0, 0), sp.OneMatrix: (1, 1)}[type(e)]
            return acb_mat(rows, columns, [
                diagonal if i == j else rest for i in range(rows) for j in range(columns)
            ])  # fmt: skip
        if isinstance(e, sp.FunctionMatrix):
            rows, columns = self._size(e, local)
            i, j = e.lamda.variables
            return acb_mat(rows, columns, [
                self._number(e.lamda.expr, local | {i: acb(r), j: acb(c)})
                for r in range(rows) for c in range(columns)
            ])  # fmt: skip
        explicit, values = e, dict(local)
        for symbol in e.atoms(sp.MatrixSymbol):
            named, entry_values = self._entries_of(symbol)
            explicit, values = explicit.xreplace({symbol: named}), values | entry_values
        explicit = explicit.doit()
        explicit = explicit.as_explicit() if isinstance(explicit, sp.MatrixExpr) else explicit
        if explicit == e:
            raise Unsampled(f"the matrix {e} cannot be evaluated here")
        return self._matrix(explicit, values)

    def _size(self, e, local):
        return (whole(self._number(n, local), "a size") for n in e.shape)

    def _entries_of(self, symbol):
        """A matrix symbol written out: names for its entries, and their values."""
        value = self._matrix(symbol, {})
        names = [sp.Dummy() for _ in value.entries()]
        named = sp.ImmutableMatrix(value.nrows(), value.ncols(), names)
        return named, dict(zip(names, value.entries(), strict=True))

    def _matrix_product(self, e, local):
        scale, result = acb(1), None
        for factor in e.args:
            value = self(factor, local)
            if not isinstance(value, acb_mat):
                scale *= value
            else:
                result = value if result is None else result * value
        return result * scale if result is not None else scale

    @staticmethod
    def _matrix_power(matrix, power):
        size = matrix.nrows()
        if power < 0:
            try:
                matrix = matrix.inv()
            except ZeroDivisionError:
                raise Undefined("the inverse of a matrix that has none") from None
        result = acb_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
        for _ in range(abs(power)):
            result = result * matrix
        return result

    def _element(self, e, local):
        row, column = (whole(self._number(n, local), "an index") for n in (e.i, e.j))
        matrix = self._matrix(e.parent, local)
        if not (0 <= row < matrix.nrows() and 0 <= column < matrix.ncols()):
            raise Undefined(f"entry {row}, {column} of a {matrix.nrows()} × {matrix.ncols()} matrix")
        return matrix[row, column]

    # --- conditions ---------------------------------------------------------------------------

    def _holds(self, condition, local):
        if condition in (True, sp.true):
            return True
        if condition in (False, sp.false):
            return False
        if isinstance(condition, BooleanFunction):
            parts = [self._holds(part, local) for part in condition.args]
            return {sp.And: all, sp.Or: any, sp.Not: lambda p: not p[0]}[condition.func](parts)
        if not isinstance(condition, sp.core.relational.Relational):
            raise Unsampled(f"the condition {condition}")
        left, right = (self(side, local) for side in condition.args)
        return compare(condition.func, left, right)


def entries(value):
    """The numbers that a value holds."""
    return value.entries() if isinstance(value, acb_mat) else [value]


def shape(value):
    """Rows and columns, or nothing for a number."""
    return (value.nrows(), value.ncols()) if isinstance(value, acb_mat) else ()


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
        same = all(near(a, b) for a, b in zip(entries(left), entries(right), strict=True))
        return same is (relation is sp.Eq)
    if not all(near(acb(side.imag), acb(0)) for side in (left, right)):
        raise Undefined("an order of numbers that are not real")
    gap = (left - right).real
    above = True if gap > 0 else False if gap < 0 else None
    if above is None and near(left, right):
        return relation in (sp.Ge, sp.Le)
    if above is None:
        raise Undecided("the balls are too wide")
    return above is (relation in (sp.Ge, sp.Gt))

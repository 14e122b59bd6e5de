"""A statement: two sides and a relation, the definitions and conditions it uses, its domain; and that it has a value.

One pass over the statement as stated refuses what is not in the language, and finds each place where a value could be
missing: a denominator, an inverse, a negative power, the argument of log, tan and their like, the ends of a sum, the
place that a permutation moves. Each must be as it should by the assumptions, or by a condition in `given`.
"""

from dataclasses import dataclass, field

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational

from . import rewriting
from .domain import Domain, facts, size_of
from .evaluate import NotInLanguage, Undefined, method
from .rewriting import defined

CONDITIONS = (sp.Lt, sp.Le, sp.Gt, sp.Ge, sp.Ne)


@dataclass
class Statement:
    """left relation right, for all values that the assumptions and `given` allow, where names are defined."""

    left: object
    right: object
    where: dict = field(default_factory=dict)
    given: tuple = ()
    relation: type = sp.Eq

    def __post_init__(self):
        self.left, self.right = sp.sympify(self.left), sp.sympify(self.right)
        self.where = {name: sp.sympify(d) for name, d in (self.where or {}).items()}
        self.given = [g for g in map(sp.sympify, self.given or ()) if g != sp.true]
        for g in self.given:
            if not isinstance(g, CONDITIONS):
                raise NotInLanguage(f"{g} is no condition of the language: given takes Lt, Le, Gt, Ge and Ne")
        for e in (self.left, self.right, *self.where.values(), *self.given):
            _speaks(e.expr if isinstance(e, sp.Lambda) else e)
        shapes = [getattr(side, "is_Matrix", False) and side.shape for side in (self.left, self.right)]
        if str(shapes[0]) != str(shapes[1]):
            raise ValueError(
                f"left and right must have one shape, got {shapes[0] or 'a number'} and {shapes[1] or 'a number'}: reshape one"
            )
        self._refuse_capture()
        self.domain = Domain([self.left, self.right], self.where, self.given)

    @property
    def sides(self):
        """Both sides with their definitions put in."""
        return tuple(defined(side, self.where) for side in (self.left, self.right))

    def restated(self, left, right):
        """The same definitions and conditions about other sides."""
        return Statement(left, right, self.where, tuple(self.given), self.relation)

    def _refuse_capture(self):
        nodes = [n for e in (self.left, self.right, *self.where.values()) for n in sp.preorder_traversal(e)]
        bound = {v for n in nodes if isinstance(n, (sp.Sum, sp.Integral)) for v, *_ in n.limits}
        bound |= {v for n in nodes if isinstance(n, sp.Subs) for v in n.variables}
        for name, definition in self.where.items():
            if not isinstance(name, (sp.Symbol, sp.MatrixSymbol, UndefinedFunction)):
                raise NotInLanguage(
                    f"{name} cannot be defined by where: give a symbol, a matrix symbol or a function"
                )
            if isinstance(name, UndefinedFunction) != isinstance(definition, sp.Lambda):
                raise ValueError(f"where must give a function a Lambda, and a symbol an expression: {name}")
            if name in definition.free_symbols or (
                isinstance(name, UndefinedFunction) and definition.has(name)
            ):
                raise ValueError(f"the definition of {name} mentions {name}: give the new one another name")
            caught = bound & definition.free_symbols
            if caught:
                raise ValueError(
                    f"the definition of {name} mentions {', '.join(map(str, caught))}, which the statement binds: "
                    "give one of the two another name"
                )

    def insist_on_values(self, by="expand"):
        """Raise Undefined for a part that need not have a value on the domain."""
        meaning = _Meaning(self, by)
        known = []
        for g in self.given:  # a condition may lean on those before it
            for side in g.args:
                meaning.read(side, {}, known)
            known = known + [meaning.plain(g, {})]
        for side in (
            self.left,
            self.right,
            *(d for d in self.where.values() if not isinstance(d, sp.Lambda)),
        ):
            meaning.read(side, {}, known)


def _speaks(e):
    method(e)
    if isinstance(e, sp.MatrixBase):
        parts = list(e)
    elif isinstance(e, sp.MatrixSymbol):
        parts = list(e.shape)
    elif isinstance(e, (sp.Sum, sp.Integral)):
        parts = [e.function, *(part for limit in e.limits for part in limit)]
        if any(len(limit) != 3 for limit in e.limits):
            raise NotInLanguage(
                f"{type(e).__name__} without both ends is not in the language of statements: {e}"
            )
        for variable, *_ in e.limits:
            facts(variable)
    elif isinstance(e, sp.Piecewise):
        parts = [part for pair in e.args for part in pair]
    elif isinstance(e, sp.Derivative):
        parts = [e.expr, *(v for v, _ in e.variable_count)]
        if not all(isinstance(v, sp.Symbol) and n.is_Integer for v, n in e.variable_count):
            raise NotInLanguage(f"a derivative of that kind is not in the language of statements: {e}")
    elif isinstance(e, sp.Subs):
        parts = [e.expr, *e.point]
    elif isinstance(e, sp.BlockMatrix):
        parts = list(e.blocks)
    elif e.func.__name__ == "Indexed":
        parts = list(e.indices)
    elif isinstance(e, sp.KroneckerDelta):
        parts = list(e.args)
        if len(parts) != 2:
            raise NotInLanguage(f"a Kronecker delta with a range is not in the language of statements: {e}")
    else:
        parts = list(e.args)
    for part in parts:
        _speaks(part)


class _Meaning:
    """Whether parts of a statement have values, by what is assumed and known."""

    def __init__(self, statement, by):
        self.where, self.by, self.domain = statement.where, by, statement.domain

    def plain(self, e, env):
        return defined(e.xreplace(env), self.where)

    def _want(self, holds, e, env, known, words, inside):
        """Insist that the part e is as it should; words: how, and a condition that would make it so."""
        if not holds(self.plain(e, env), known):
            raise Undefined(
                f"{inside} need not have a value: {words.format(e)}, by an assumption or by given=[…]"
            )

    def read(self, e, env, known, moving=False):
        """Walk through a part. env: what bound names stand for; known: conditions; moving: under a derivative."""
        name = next((n.__name__ for n in type(e).__mro__ if hasattr(self, f"_{n.__name__}")), None)
        if name:
            return getattr(self, f"_{name}")(e, env, known, moving)
        for part in e if isinstance(e, sp.MatrixBase) else e.args:
            if isinstance(part, (sp.Expr, sp.MatrixBase)):
                self.read(part, env, known, moving)
        return None

    def _all(self, parts, env, known, moving):
        for part in parts:
            self.read(part, env, known, moving)

    def _Pow(self, e, env, known, moving):
        self._all(e.args, env, known, moving)
        exponent = self.plain(e.exp, env)
        if exponent.is_nonnegative and (exponent.is_integer or not moving):
            return
        self._want(self.nonzero, e.base, env, known, "{} must not be 0", e)

    def _log(self, e, env, known, moving):
        self._all(e.args, env, known, moving)
        self._want(self.positive, e.args[0], env, known, "{} must be positive", e)

    _Ci = _log

    def _tan(self, e, env, known, moving):
        self._all(e.args, env, known, moving)
        self._want(self.nonzero, sp.cos(e.args[0]), env, known, "{} must not be 0", e)

    def _cot(self, e, env, known, moving):
        self._all(e.args, env, known, moving)
        self._want(self.nonzero, sp.sin(e.args[0]), env, known, "{} must not be 0", e)

    def _tanh(self, e, env, known, moving):
        self._all(e.args, env, known, moving)
        self._want(self.real, e.args[0], env, known, "{} must be real", e)

    _floor = _tanh

    def _Mod(self, e, env, known, moving):
        self._all(e.args, env, known, moving)
        for part in e.args:
            self._want(lambda a, _: a.is_integer, part, env, known, "{} must be whole", e)
        self._want(self.nonzero, e.args[1], env, known, "{} must not be 0", e)

    def _KroneckerDelta(self, e, env, known, moving):
        for part in e.args:
            self._want(lambda a, _: a.is_integer, part, env, known, "{} must be whole", e)

    def _Indexed(self, e, env, known, moving):
        self._all(e.indices, env, known, moving)
        for part in e.indices:
            self._want(lambda a, _: a.is_integer, part, env, known, "{} must be whole", e)

    def _Piecewise(self, e, env, known, moving):
        if e.args[-1][1] != sp.true:
            raise Undefined(f"{e} need not have a value: end it with a case that always applies")
        for value, condition in e.args:
            if isinstance(condition, Relational):
                self._all(condition.args, env, known, moving)
            self.read(value, env, [*known, self.plain(condition, env)], moving)

    def _Sum(self, e, env, known, moving):
        env = dict(env)
        for variable, low, high in reversed(e.limits):
            self._all((low, high), env, known, moving)
            for end in (low, high):
                self._want(lambda a, _: a.is_integer, end, env, known, "{} must be whole", e)
            self._want(self.nonnegative, high - low + 1, env, known, "{} must not be negative", e)
            first = self.plain(low, env)
            assumed = facts(variable)
            if "even" in assumed or ("nonzero" in assumed and not self.positive(first, known)) or (
                    "nonnegative" in assumed and not self.nonnegative(first, known)):  # fmt: skip
                raise Undefined(f"{variable} is assumed to be what it is not over the whole range of {e}")
            bound = sp.Dummy(
                variable.name, integer=True, **{n: True for n in ("positive", "nonnegative") if n in assumed}
            )
            env[variable] = bound
            known = [*known, sp.Ge(bound, first), sp.Le(bound, self.plain(high, env))]
        self.read(e.function, env, known, moving)

    def _Integral(self, e, env, known, moving):
        if moving:
            raise NotInLanguage(f"an integral under a derivative is not in the language of statements: {e}")
        env = dict(env)
        for variable, low, high in reversed(e.limits):
            self._all((low, high), env, known, moving)
            env[variable] = sp.Dummy(variable.name, real=True)
            for end in (low, high):
                self._want(self.real, end, env, known, "{} must be real", e)
        self.read(e.function, env, known, moving)

    def _Derivative(self, e, env, known, moving):
        for variable, _ in e.variable_count:
            if "integer" in facts(variable):
                raise NotInLanguage(f"a derivative by {variable}, which is whole: declare it real")
        self.read(e.expr, env, known, True)

    def _Subs(self, e, env, known, moving):
        self._all(e.point, env, known, moving)
        env = env | {v: self.plain(at, env) for v, at in zip(e.variables, e.point, strict=True)}
        self.read(e.expr, env, known, moving)

    def _AppliedUndef(self, e, env, known, moving):
        self._all(e.args, env, known, moving)
        definition = self.where.get(e.func)
        if definition is not None:
            inner = {v: a.xreplace(env) for v, a in zip(definition.variables, e.args, strict=True)}
            for variable, argument in inner.items():
                for fact in facts(variable):
                    test = {"positive": self.positive, "nonnegative": self.nonnegative, "nonzero": self.nonzero,
                            "real": self.real}.get(fact, lambda a, _, fact=fact: getattr(a, f"is_{fact}"))  # fmt: skip
                    if fact != "complex" and not test(self.plain(argument, {}), known):
                        raise Undefined(
                            f"{e.func} is defined for {variable} that is {fact}, and {argument} need not be"
                        )
            return self.read(definition.expr, inner, known, moving)
        if (size := size_of(e.func)) is not None:
            images = [
                use for use in self.plain(e.args[0], env).atoms(AppliedUndef) if size_of(use.func) is not None
            ]
            known = [*known, *(sp.Le(use, use.func.size - 1) for use in images)]
            self._want(self.nonnegative, e.args[0], env, known, "{} must not be negative", e)
            self._want(self.nonnegative, size - 1 - e.args[0], env, known, "{} must not be negative", e)
        if moving:
            for part in e.args:
                self._want(self.real, part, env, known, "{} must be real", f"a derivative of {e}")
        return None

    def _MatPow(self, e, env, known, moving):
        self._all((e.base, e.exp), env, known, moving)
        self._want(lambda a, _: a.is_integer, e.exp, env, known, "{} must be whole", e)
        if not self.nonnegative(self.plain(e.exp, env), known):
            self._want(self.nonzero, sp.Determinant(e.base), env, known, "{} must not be 0", e)

    def _MatrixSymbol(self, e, env, known, moving):
        for size in e.shape:
            self._want(
                lambda a, k: a.is_integer and self.nonnegative(a, k), size, env, known, "{} must be a size", e
            )

    def _Relational(self, e, env, known, moving):
        self._all(e.args, env, known, moving)

    # --- what follows from what ------------------------------------------------------------------

    def real(self, e, known):
        if isinstance(e, sp.Sum):
            return self.real(e.function, known)
        if e.is_Add or e.is_Mul or isinstance(e, sp.exp):
            return all(self.real(part, known) for part in e.args) or bool(e.is_extended_real)
        return bool(e.is_extended_real)

    def nonnegative(self, e, known):
        if self.positive(e, known):
            return True
        if isinstance(e, sp.Sum):
            return self.nonnegative(e.function, known)
        if e.has(sp.Sum):
            return (e.is_Add or e.is_Mul) and all(self.nonnegative(part, known) for part in e.args)
        return bool(e.is_nonnegative) or rewriting.implied(sp.Ge(e, 0), known)

    def positive(self, e, known):
        if self._known(e, known, (sp.Gt, sp.Lt)):
            return True
        if isinstance(e, sp.Sum):
            (_, low, high), *more = e.limits
            return (
                not more
                and self.positive(self._constant(e.function), known)
                and self.nonnegative(high - low, known)
            )
        if e.is_Add and all(self.nonnegative(a, known) for a in e.args):
            return any(self.positive(a, known) for a in e.args)
        if e.is_Mul:
            return all(self.positive(a, known) for a in e.args)
        if isinstance(e, sp.exp):
            return self.real(e.args[0], known)
        if e.is_Pow and self.positive(e.base, known):
            return self.real(e.exp, known)
        if isinstance(e, sp.log):
            return self.positive(sp.factor(e.args[0] - 1), known)
        return bool(e.is_positive) if not e.has(sp.Sum, sp.Integral) else False

    @staticmethod
    def _known(e, known, relations):
        """Whether a condition says that e is positive, or is not 0, up to a sign."""
        signs = (1, -1) if sp.Ne in relations else (1,)
        for k in known:
            if isinstance(k, relations):
                gap = k.gts - k.lts if hasattr(k, "gts") else k.lhs - k.rhs
                slacks = [sp.expand(rewriting.canonical(sign * e - gap)) for sign in signs]
                if any(
                    s == 0 or (sp.Ne not in relations and not s.has(sp.Sum) and s.is_nonnegative)
                    for s in slacks
                ):
                    return True
        if sp.Gt in relations and not e.has(sp.Sum) and e.is_integer:
            return rewriting.implied(sp.Ge(e - 1, 0), known)
        return sp.Gt in relations and not e.has(sp.Sum) and rewriting.implied(sp.Gt(e, 0), known)

    def nonzero(self, e, known, again=True):
        if not e.has(sp.Sum, sp.Integral) and (e.is_zero is False or e.is_nonzero):
            return True
        if (
            self.positive(e, known)
            or (e.is_Add and self.positive(-e, known))
            or self._known(e, known, (sp.Ne,))
        ):
            return True
        if isinstance(e, sp.exp):
            return True
        if e.is_Mul:
            return all(self.nonzero(a, known) for a in e.args)
        if e.is_Pow:
            return self.nonzero(e.base, known)
        if isinstance(e, sp.log):
            a = e.args[0]
            return self.positive(a, known) and self.nonzero(sp.factor(a - 1), known)
        return again and any(self.nonzero(form, known, False) for form in self._forms(e) if form != e)

    def _constant(self, e):
        """The expression, or the number that it reduces to."""
        forms = self._forms(e)
        return next((form for form in forms if form.is_number), e)

    def _forms(self, e):
        """Equal expressions, to be tried in turn."""
        plain = rewriting.carried_out(e.doit())
        forms = [plain, sp.factor(plain), sp.trigsimp(plain)]
        forms.append(rewriting.reduced(plain, self.by))
        return [*forms, *(sp.logcombine(form) for form in forms)]

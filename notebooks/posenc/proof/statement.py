"""A statement: two sides and a relation, its definitions and conditions, its domain; and that it has a value.

One pass over the statement as stated refuses what is not in the language. Another finds each place where a
value could be missing: a denominator, an inverse, a negative power, the base of a broken one, the argument of
a logarithm, the ends of a sum, the place that a permutation moves. Each must be as it should by the
assumptions, or by a condition in `given`.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.tensor.indexed import Indexed

from . import rewriting
from .domain import Domain, facts, size_of
from .evaluate import NotInLanguage, Undefined, method
from .rewriting import defined, renamed

CONDITIONS = (sp.Lt, sp.Le, sp.Gt, sp.Ge, sp.Ne)
POLYNOMIAL = (sp.Symbol, sp.Number, sp.NumberSymbol, sp.Add, sp.Mul, sp.Pow)


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
        self.where = {name: sp.sympify(d) for name, d in dict(self.where or {}).items()}
        self.given = [g for g in map(sp.sympify, self.given or ()) if g != sp.true]
        if self.relation not in (sp.Eq, sp.Ne):
            raise NotInLanguage("an order is not in the language of statements: state an equality, or Ne")
        if self.relation is sp.Ne and not all(map(_is_polynomial, (self.left, self.right, *self.where.values()))):
            raise NotInLanguage("Ne is of polynomials in the language of statements: state an equality")
        for g in self.given:
            if not isinstance(g, CONDITIONS):
                raise NotInLanguage(f"{g} is no condition of the language: given takes Lt, Le, Gt, Ge and Ne")
        for e in (self.left, self.right, *self.where.values(), *self.given):
            _speaks(e.expr if isinstance(e, sp.Lambda) else e)
        shapes = [getattr(side, "is_Matrix", False) and side.shape for side in (self.left, self.right)]
        if str(shapes[0]) != str(shapes[1]):
            left, right = (shape or "a number" for shape in shapes)
            raise ValueError(f"left and right must have one shape, got {left} and {right}: reshape one")
        self._refuse_capture()
        self.domain = Domain([self.left, self.right], self.where, self.given)

    def _refuse_capture(self):
        read = (self.left, self.right, *self.where.values(), *self.given)
        nodes = [n for e in read for n in sp.preorder_traversal(e)]
        for variable in {v for n in nodes if isinstance(n, sp.Derivative) for v in n.variables}:
            if variable in self.where or "integer" in facts(variable):
                raise NotInLanguage(f"a derivative by {variable}, which is whole or defined: declare it real")
        bound = {v for n in nodes if isinstance(n, (sp.Sum, sp.Integral)) for v, *_ in n.limits}
        bound |= {v for n in nodes if isinstance(n, sp.Subs) for v in n.variables}
        uses = {name: [n for n in self.where if d.has(n)] for name, d in self.where.items()}
        try:
            TopologicalSorter(uses).prepare()
        except CycleError as circle:
            names = ", ".join(map(str, circle.args[1][1:]))
            raise ValueError(f"the definition of {names} mentions itself: give the new one another name") from None
        for name, definition in self.where.items():
            if not isinstance(name, (sp.Symbol, sp.MatrixSymbol, UndefinedFunction)):
                raise NotInLanguage(f"where cannot define {name}: give a symbol, a matrix or a function")
            if isinstance(name, UndefinedFunction) != isinstance(definition, sp.Lambda):
                raise ValueError(f"where must give a function a Lambda, and a symbol an expression: {name}")
            if definition.has(sp.Derivative):
                raise NotInLanguage(f"a derivative in a definition is not in the language of statements: {name}")
            if caught := bound & definition.free_symbols:
                caught = ", ".join(map(str, caught))
                raise ValueError(f"the definition of {name} mentions {caught}, which the statement binds: "
                                 "give one of the two another name")  # fmt: skip

    def insist_on_values(self, by="expand", at=None):
        """Raise Undefined for a part that need not have a value on the domain, or at the values of `at`."""
        meaning, known = _Meaning(self, by, at or {}), []
        for g in self.given:  # a condition may lean on those before it
            meaning.read_all(g.args, {}, known)
            known = [*known, meaning.plain(g, {})]
        for name, definition in self.where.items():
            if not isinstance(definition, sp.Lambda):
                meaning.read_all([definition], {}, known)
            if not isinstance(name, sp.MatrixSymbol):
                meaning.insist_on_assumptions(name, definition, known)
        meaning.read_all([self.left, self.right], {}, known)


def _parts(e):
    """The expressions that an expression is made of."""
    if isinstance(e, sp.MatrixBase):
        return list(e)
    if isinstance(e, sp.MatrixSymbol):
        return e.shape
    if isinstance(e, (sp.Sum, sp.Integral)):
        return [e.function, *(part for limit in e.limits for part in limit)]
    if isinstance(e, sp.Derivative):
        return [e.expr, *e.variables]
    if isinstance(e, sp.Subs):
        return [e.expr, *e.point]
    if isinstance(e, sp.BlockMatrix):
        return list(e.blocks)
    return e.indices if isinstance(e, Indexed) else e.args


def _speaks(e):
    """Raise NotInLanguage for what the checker does not speak of."""
    method(e)
    refused = isinstance(e, sp.KroneckerDelta) and len(e.args) != 2
    if isinstance(e, (sp.Sum, sp.Integral)):
        (variable, *ends), *more = e.limits
        refused = more or len(ends) != 2 or any(end.has(variable) for end in ends)
        facts(variable)
    if isinstance(e, sp.Integral):
        refused = refused or not _is_of_waves(e.function, variable)
    if isinstance(e, sp.Derivative):
        refused = e.expr.has(sp.re, sp.im, sp.conjugate, sp.Abs, sp.floor, sp.Derivative) or not all(
            isinstance(v, sp.Symbol) and n.is_Integer for v, n in e.variable_count
        )
    if isinstance(e, sp.Subs):  # a derivative at a place
        refused = not isinstance(e.expr, sp.Derivative) or any((v,) != e.variables.args for v in e.expr.variables)
    if refused:
        raise NotInLanguage(f"{type(e).__name__} of that kind is not in the language of statements: {e}")
    for part in _parts(e):
        _speaks(part)


def _is_polynomial(e):
    nodes = list(sp.preorder_traversal(e))
    return all(isinstance(n, POLYNOMIAL) and (not n.is_Pow or (n.exp.is_Integer and n.exp > 0)) for n in nodes)


def _is_of_waves(e, t):
    """A polynomial in sines and cosines of t and what does not depend on t."""
    waves = [wave for wave in e.atoms(sp.sin, sp.cos) if wave.has(t)]
    plain = e.xreplace({wave: sp.Dummy() for wave in waves})
    return _is_polynomial(plain) and all((wave.args[0] - t).expand().is_Symbol or wave.args[0] == t for wave in waves)


def _put(e, env):
    """What an expression says of what its names stand for; the variables that it binds are its own."""
    return renamed(e).xreplace(env)


class _Meaning:
    """Whether parts of a statement have values, by what is assumed and known.

    env: what bound names stand for. known: conditions. moving: whether the part is under a derivative.
    """

    def __init__(self, statement, by, at):
        self.where, self.by, self.named = statement.where | at, by, statement.where
        self.differentiated = statement.domain.differentiated

    def plain(self, e, env):
        return defined(_put(e, env), self.where)

    def read_all(self, parts, env, known, moving=False):
        for part in parts:
            if isinstance(part, (sp.Expr, sp.MatrixBase)):
                self.read(part, env, known, moving)

    def read(self, e, env, known, moving=False):
        """Walk through a part; raise Undefined where it need not have a value."""
        for kind in type(e).__mro__:
            if special := getattr(self, f"_{kind.__name__}", None):
                return special(e, env, known, moving)
        self.read_all(_parts(e), env, known, moving)
        for fact, part in self._wanted(e, env, known, moving):
            self._want(fact, part, e, env, known)
        return None

    def _want(self, fact, part, e, env, known):
        """Insist that a part of e is as it should."""
        if not self._is(fact, self.plain(part, env), known):
            how = {"nonzero": "not be 0", "nonnegative": "not be negative", "integer": "be whole"}
            how = how.get(fact, f"be {fact}")
            raise Undefined(f"{e} need not have a value: {part} must {how}, by an assumption or by given=[…]")

    def _wanted(self, e, env, known, moving):
        """What must be so for e to have a value, as pairs of a fact and a part."""
        if isinstance(e, sp.Pow):
            exponent = self.plain(e.exp, env)
            if not exponent.is_integer:
                yield "positive", e.base
            elif not exponent.is_nonnegative:
                yield "nonzero", e.base
        elif isinstance(e, (sp.log, sp.Ci)):
            yield "positive", e.args[0]
        elif isinstance(e, (sp.tanh, sp.floor)):
            yield "real", e.args[0]
        elif isinstance(e, (sp.KroneckerDelta, Indexed)):
            yield from (("integer", part) for part in _parts(e))
            meant = [defined(_put(part, env), self.named) for part in e.args if isinstance(e, sp.KroneckerDelta)]
            if not all(part.is_Symbol or part.is_Integer or isinstance(part, AppliedUndef) for part in meant):
                raise NotInLanguage(f"{e} of {meant} is not in the language of statements: give letters or numbers")
        elif isinstance(e, sp.MatPow):
            yield "integer", e.exp
            if not self.nonnegative(self.plain(e.exp, env), known):
                yield "nonzero", sp.Determinant(e.base)
        elif isinstance(e, sp.MatrixSymbol):
            yield from ((fact, size) for size in e.shape for fact in ("integer", "nonnegative"))

    def insist_on_assumptions(self, name, definition, known):
        """A definition must be what is assumed of its name."""
        if isinstance(definition, sp.Lambda):
            signs = ("real", "integer", "positive", "nonnegative")
            assumed = {fact for fact in signs if name._kwargs.get(fact)}
            name, definition = name(*definition.variables), definition.expr
        else:
            assumed = facts(name) - {"complex"}
        for fact in assumed:
            self._want(fact, definition, name, {}, known)

    # --- what binds a name, and functions -------------------------------------------------------

    def _Symbol(self, e, env, known, moving):
        if moving and e in self.named:
            self.read(self.named[e], {}, known, moving)

    def _Sum(self, e, env, known, moving):
        ((variable, low, high),) = e.limits
        self.read_all((low, high), env, known, moving)
        for fact, part in (("integer", low), ("integer", high), ("nonnegative", high - low + 1)):
            self._want(fact, part, e, env, known)
        first, assumed = self.plain(low, env), facts(variable)
        if "even" in assumed or ("nonzero" in assumed and not self.positive(first, known)) or (
                "nonnegative" in assumed and not self.nonnegative(first, known)):  # fmt: skip
            raise Undefined(f"{variable} is assumed to be what it is not over the whole range of {e}")
        signs = dict.fromkeys(assumed & {"positive", "nonnegative"}, True)
        bound = sp.Dummy(variable.name, integer=True, **signs)
        known = [*known, sp.Ge(bound, first), sp.Le(bound, self.plain(high, env))]
        self.read(e.function, env | {variable: bound}, known, moving)

    def _Integral(self, e, env, known, moving):
        if moving:
            raise NotInLanguage(f"an integral under a derivative is not in the language of statements: {e}")
        ((variable, low, high),) = e.limits
        self.read_all((low, high), env, known)
        for end in (low, high):
            self._want("real", end, e, env, known)
        self.read(e.function, env | {variable: sp.Dummy(variable.name, real=True)}, known)

    def _Derivative(self, e, env, known, moving):
        if sum(n for _, n in e.variable_count) > 1 and self.plain(e.expr, env).atoms(AppliedUndef):
            raise NotInLanguage(f"a function that is not defined has one derivative in the language of statements: {e}")
        self.read(e.expr, env, known, True)

    def _Subs(self, e, env, known, moving):
        self.read_all(e.point, env, known, moving)
        self.read(e.expr, env | self._placed(e.variables, e.point, e, env, known), known, moving)

    def _AppliedUndef(self, e, env, known, moving):
        self.read_all(e.args, env, known, moving)
        definition = self.where.get(e.func)
        if definition is not None:
            placed = self._placed(definition.variables, e.args, e, env, known)
            self.read(definition.expr, placed, known, moving)
            return
        if (size := size_of(e.func)) is not None:
            uses = self.plain(e.args[0], env).atoms(AppliedUndef)
            inside = [sp.Le(use, size_of(use.func) - 1) for use in uses if size_of(use.func) is not None]
            for part in (e.args[0], size - 1 - e.args[0]):
                self._want("nonnegative", part, e, env, [*known, *inside])
        if moving and e.func not in self.differentiated:
            raise NotInLanguage(f"a derivative of what {e.func} defines: write it out under the derivative")
        if moving:
            for part in e.args:
                self._want("real", part, e, env, known)

    def _placed(self, variables, parts, e, env, known):
        """What variables stand for: each part must be what is assumed of its variable."""
        for variable, part in zip(variables, parts, strict=True):
            for fact in facts(variable) - {"complex"}:
                self._want(fact, part, e, env, known)
        return {v: _put(part, env) for v, part in zip(variables, parts, strict=True)}

    # --- what follows from what ------------------------------------------------------------------

    def _is(self, fact, e, known):
        test = getattr(self, fact, None)
        return test(e, known) if test else getattr(e, f"is_{fact}")

    def real(self, e, known):
        if isinstance(e, sp.log) and self.positive(e.args[0], known):
            return True
        whole = e.is_Add or e.is_Mul or isinstance(e, sp.exp) or (e.is_Pow and e.exp.is_integer)
        return bool(e.is_extended_real or (whole and all(self.real(part, known) for part in e.args)))

    def nonnegative(self, e, known):
        if self.positive(e, known):
            return True
        if isinstance(e, sp.log):
            return self.nonnegative(e.args[0] - 1, known)
        if (e.is_Add or e.is_Mul) and all(self.nonnegative(part, known) for part in e.args):
            return True
        if e.has(sp.Sum):
            return False
        if isinstance(e, sp.KroneckerDelta) or e.is_nonnegative:
            return True
        return e.is_extended_real is not False and rewriting.implied(sp.Ge(e, 0), known)

    def positive(self, e, known):
        if e.is_extended_real is not False and rewriting.implied(sp.Gt(e, 0, evaluate=False), known):
            return True
        if isinstance(e, sp.Sum):
            (_, low, high), *more = e.limits
            inside = next((form for form in self._forms(e.function) if form.is_number), e.function)
            return not more and self.positive(inside, known) and self.nonnegative(high - low, known)
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
        return bool(e.is_positive) and not e.has(sp.Sum, sp.Integral)

    def nonzero(self, e, known, again=True):
        if not e.has(sp.Sum, sp.Integral) and (e.is_zero is False or e.is_nonzero):
            return True
        if self.positive(e, known) or (e.is_Add and self.positive(-e, known)):
            return True
        gaps = [k.lhs - k.rhs for k in known if isinstance(k, sp.Ne)]
        stated = any(sp.expand(rewriting.canonical(sign * e - gap)) == 0 for gap in gaps for sign in (1, -1))
        if stated or isinstance(e, sp.exp):
            return True
        if e.is_Mul:
            return all(self.nonzero(a, known) for a in e.args)
        return again and any(self.nonzero(form, known, False) for form in self._forms(e) if form != e)

    def _forms(self, e):
        """Equal expressions, to be tried in turn."""
        plain = rewriting.carried_out(e.doit())
        yield plain
        for rewrite in (sp.factor, _trigsimp, lambda e: rewriting.reduced(e, self.by)):
            yield (form := rewrite(plain))
            if form.has(sp.log):
                yield sp.logcombine(form)


_trigsimp = lru_cache(256)(sp.trigsimp)

"""That both sides of a statement have a value at every point of its domain: this is why a card may say *proved*.

SymPy cancels (n² − 36)/(n − 6) to n + 6 and forgets n = 6, and the points that are tried may miss that place. So
each part that could lack a value is found in the statement as it was written, and what it needs must follow from
the assumptions, from `given`, or from the part's own form. Nothing is concluded from a value that was tried, and
what does not follow is refused, also where it happens to be true.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.tensor.indexed import Indexed

from . import rewriting
from .domain import facts, size_of
from .evaluate import NotInLanguage, Undefined
from .rewriting import renamed, with_definitions

# Facts that a definition of a function must have where its name is assumed to have them.
OF_FUNCTIONS = ("real", "integer", "positive", "nonnegative")

MUST = {
    "nonzero": "not be 0, by an assumption or by given=[Ne({}, 0)]",
    "nonnegative": "not be negative, by an assumption or by given=[{} >= 0]",
    "positive": "be positive, by an assumption or by given=[{} > 0]",
    "integer": "be whole, by an assumption",
}

_trigsimp = lru_cache(256)(sp.trigsimp)  # slow, and asked of the same denominators again and again


def parts_of(e):
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


@dataclass(frozen=True)
class Context:
    """What holds where a part stands in its statement.

    meanings: {bound name: the expression that it stands for}. known: conditions that hold here, those of `given` and
    the ranges of the sums around. moving: whether the part is under a derivative.
    """

    meanings: dict = field(default_factory=dict)
    known: tuple = ()
    moving: bool = False

    def binding(self, meanings):
        """The context inside of what binds names. meanings: {bound name: expression}."""
        return replace(self, meanings=self.meanings | meanings)

    def knowing(self, *conditions):
        """The context in which these conditions (SymPy relations) hold, too."""
        return replace(self, known=(*self.known, *conditions))

    def meaning(self, e):
        """The expression with its bound names replaced by their meanings; variables that it binds itself stay."""
        return renamed(e).xreplace(self.meanings)


class Definedness:
    """Reads the parts of one statement, and raises Undefined where one need not have a value.

    by: the rewritings of the proof; a denominator may be seen to be nonzero after them. at: exact values of a
    counterexample, which stand for their names as definitions do.
    """

    def __init__(self, statement, by, at):
        self.statement, self.by = statement, by
        self.definitions = statement.where
        self.values = statement.where | at

    def insist(self):
        """Read the conditions, the definitions, and both sides; raise at the first part that need not have a value."""
        context = Context()
        for condition in self.statement.given:
            # It may lean on those before it: with x ≠ 0 stated first, 1/x < 2 has a meaning.
            self.read_all(condition.args, context)
            context = context.knowing(self.plain(condition, context))
        for name, definition in self.definitions.items():
            # A Lambda is read where it is applied, since what it divides by depends on its arguments.
            if not isinstance(definition, sp.Lambda):
                self.read_all([definition], context)
            if not isinstance(name, sp.MatrixSymbol):
                self._insist_on_assumptions(name, definition, context)
        self.read_all([self.statement.left, self.statement.right], context)

    def plain(self, e, context):
        """The expression with every name, bound around it or defined, replaced by what it stands for."""
        return with_definitions(context.meaning(e), self.values)

    def read_all(self, parts, context):
        """Read those parts that are expressions or matrices."""
        for part in parts:
            if isinstance(part, (sp.Expr, sp.MatrixBase)):
                self.read(part, context)

    def read(self, e, context):
        """Read a part, from the inside out; raise Undefined where it need not have a value.

        As in the evaluator, what binds names has a method of the name of its class.
        """
        for kind in type(e).__mro__:
            if method := getattr(self, f"_{kind.__name__}", None):
                method(e, context)
                return
        self.read_all(parts_of(e), context)
        for fact, part in self._needs(e, context):
            self._insist_on(fact, part, e, context)

    def _insist_on(self, fact, part, e, context):
        """Raise Undefined for e where it does not follow that its part has a fact, such as "nonzero"."""
        if not self.follows(fact, self.plain(part, context), context.known):
            how = MUST.get(fact, f"be {fact}, by an assumption").format(part)
            raise Undefined(f"{e} need not have a value: {part} must {how}")

    def _insist_on_assumptions(self, name, definition, context):
        """Raise Undefined unless a definition is what is assumed of its name: SymPy forgets all but the assumption."""
        if isinstance(definition, sp.Lambda):
            assumed = {fact for fact in OF_FUNCTIONS if name._kwargs.get(fact)}
            name, definition = name(*definition.variables), definition.expr
        else:
            assumed = facts(name) - {"complex"}
        for fact in sorted(assumed):  # the same sentence in each process
            self._insist_on(fact, definition, name, context)

    # --- what has a value only under conditions --------------------------------------------------

    def _needs(self, e, context):
        """Yield what e needs to have a value, as pairs of a fact, such as "nonzero", and a part of e."""
        if isinstance(e, sp.Pow):
            exponent = self.plain(e.exp, context)
            if not exponent.is_integer:
                # Elsewhere a root has several values, and √x √y = √(xy) holds for one choice of them alone.
                yield "positive", e.base
            elif not exponent.is_nonnegative:  # also where its sign is open
                yield "nonzero", e.base
        elif isinstance(e, (sp.log, sp.Ci)):  # both have branches, as a root has
            yield "positive", e.args[0]
        elif isinstance(e, (sp.tanh, sp.floor)):  # tanh has poles off the real line, and floor is of real numbers
            yield "real", e.args[0]
        elif isinstance(e, (sp.KroneckerDelta, Indexed)):
            yield from (("integer", part) for part in parts_of(e))
            if isinstance(e, sp.KroneckerDelta):
                self._insist_on_plain_places(e, context)
        elif isinstance(e, sp.MatPow):
            yield "integer", e.exp
            if not self.is_nonnegative(self.plain(e.exp, context), context.known):
                yield "nonzero", sp.Determinant(e.base)
        elif isinstance(e, sp.MatrixSymbol):
            for size in e.shape:
                yield "integer", size
                yield "nonnegative", size

    def _insist_on_plain_places(self, delta, context):
        """Refuse a δ of other than letters and numbers: δ(2j + 10⁷, n) is 0 wherever it is tried, and is not 0."""
        places = [with_definitions(context.meaning(place), self.definitions) for place in delta.args]
        if not all(place.is_Symbol or place.is_Integer or isinstance(place, AppliedUndef) for place in places):
            raise NotInLanguage(f"{delta} of {places} is not in the language of statements: give letters or numbers")

    # --- what binds a name, and functions -------------------------------------------------------

    def _Symbol(self, e, context):
        # A definition was read once, at rest. Under a derivative it moves too, and more is refused there.
        if context.moving and e in self.definitions:
            self.read(self.definitions[e], replace(context, meanings={}))

    def _Sum(self, e, context):
        ((variable, low, high),) = e.limits
        self.read_all((low, high), context)
        # A sum may be empty. One that runs backwards has a value in SymPy, and none in our definition.
        for fact, part in (("integer", low), ("integer", high), ("nonnegative", high - low + 1)):
            self._insist_on(fact, part, e, context)
        first, last = self.plain(low, context), self.plain(high, context)
        assumed = facts(variable)
        # SymPy believes what is assumed of the variable, although the sum runs over all whole numbers in its range.
        false = (
            "even" in assumed
            or ("nonzero" in assumed and not self.is_positive(first, context.known))
            or ("nonnegative" in assumed and not self.is_nonnegative(first, context.known))
        )
        if false:
            raise Undefined(f"{variable} is assumed to be what it is not over the whole range of {e}: make it whole")
        signs = dict.fromkeys(assumed & {"positive", "nonnegative"}, True)
        index = sp.Dummy(variable.name, integer=True, **signs)
        inside = context.binding({variable: index}).knowing(sp.Ge(index, first), sp.Le(index, last))
        self.read(e.function, inside)

    def _Integral(self, e, context):
        if context.moving:  # a ball's integral has no slope, so it could not be tried
            raise NotInLanguage(f"an integral under a derivative is not in the language of statements: carry out {e}")
        ((variable, low, high),) = e.limits
        self.read_all((low, high), context)
        for end in (low, high):
            self._insist_on("real", end, e, context)
        # What is integrated is entire (`statement` lets in no other), so the range needs no bounds here.
        self.read(e.function, context.binding({variable: sp.Dummy(variable.name, real=True)}))

    def _Derivative(self, e, context):
        # The card says of a free function that it is differentiable, which is one derivative and not two.
        if sum(n for _, n in e.variable_count) > 1 and self.plain(e.expr, context).atoms(AppliedUndef):
            words = "a function that is not defined has one derivative in the language of statements"
            raise NotInLanguage(f"{words}: define it by where={{…}}, or leave out {e}")
        self.read(e.expr, replace(context, moving=True))

    def _Subs(self, e, context):
        self.read_all(e.point, context)
        self.read(e.expr, context.binding(self._placed(e.variables, e.point, e, context)))

    def _AppliedUndef(self, e, context):
        self.read_all(e.args, context)
        definition = self.values.get(e.func)
        if definition is not None:
            self.read(definition.expr, context.binding(self._placed(definition.variables, e.args, e, context)))
            return
        if size_of(e.func) is not None:
            self._insist_on_a_place(e, context)
        if context.moving:
            # Only a function that is differentiated as it stands is tried as a differentiable one, of real arguments.
            if e.func not in self.statement.domain.differentiated:
                raise NotInLanguage(f"a derivative of what {e.func} defines: write it out under the derivative")
            for part in e.args:
                self._insist_on("real", part, e, context)

    def _insist_on_a_place(self, e, context):
        """Raise Undefined unless e, of a permutation of n things, is at a place 0, …, n − 1; its values are places."""
        place, size = e.args[0], size_of(e.func)
        for use in self.plain(place, context).atoms(AppliedUndef):
            if size_of(use.func) is not None:
                context = context.knowing(sp.Le(use, size_of(use.func) - 1))
        for part in (place, size - 1 - place):
            self._insist_on("nonnegative", part, e, context)

    def _placed(self, variables, parts, e, context):
        """{variable: part}. Raises Undefined for e where a part need not be what is assumed of its variable."""
        for variable, part in zip(variables, parts, strict=True):
            for fact in sorted(facts(variable) - {"complex"}):
                self._insist_on(fact, part, e, context)
        return {variable: context.meaning(part) for variable, part in zip(variables, parts, strict=True)}

    # --- what follows from what ------------------------------------------------------------------
    # Each answers True only where the fact follows; False says that it was not seen to follow.
    # Of a sum or an integral SymPy's word is not taken: it reads the summand and does not ask for the range.

    def follows(self, fact, e, known):
        """Whether e has a fact, such as "nonzero", by its form, its assumptions and the conditions in `known`."""
        inference = {
            "real": self.is_real,
            "nonnegative": self.is_nonnegative,
            "positive": self.is_positive,
            "nonzero": self.is_nonzero,
        }.get(fact)
        return inference(e, known) if inference else getattr(e, f"is_{fact}")

    def is_real(self, e, known):
        if isinstance(e, sp.log) and self.is_positive(e.args[0], known):
            return True
        if e.is_extended_real:
            return True
        closed = e.is_Add or e.is_Mul or isinstance(e, sp.exp) or (e.is_Pow and e.exp.is_integer)
        return bool(closed and all(self.is_real(part, known) for part in e.args))

    def is_nonnegative(self, e, known):
        if self.is_positive(e, known):
            return True
        if isinstance(e, sp.log):
            return self.is_nonnegative(e.args[0] - 1, known)
        if (e.is_Add or e.is_Mul) and all(self.is_nonnegative(part, known) for part in e.args):
            return True
        if e.has(sp.Sum):
            return False
        if isinstance(e, sp.KroneckerDelta) or e.is_nonnegative:
            return True
        return e.is_extended_real is not False and rewriting.implied(sp.Ge(e, 0), known)

    def is_positive(self, e, known):
        if e.is_extended_real is not False and rewriting.implied(sp.Gt(e, 0, evaluate=False), known):
            return True
        if isinstance(e, sp.Sum):
            (_, low, high), *more = e.limits
            summand = next((form for form in self._forms(e.function) if form.is_number), e.function)
            # Positive terms, and at least one of them.
            return not more and self.is_positive(summand, known) and self.is_nonnegative(high - low, known)
        if e.is_Add and sum(self._least(part, known) for part in e.args) > 0:
            return True
        if e.is_Add and all(self.is_nonnegative(part, known) for part in e.args):
            return any(self.is_positive(part, known) for part in e.args)
        if e.is_Mul:
            return all(self.is_positive(part, known) for part in e.args)
        if isinstance(e, sp.exp):
            return self.is_real(e.args[0], known)
        if e.is_Pow and self.is_positive(e.base, known):
            return self.is_real(e.exp, known)
        if e.is_Pow and e.exp.is_even and self.is_real(e.base, known):
            return self.is_nonzero(e.base, known)
        if isinstance(e, sp.log):
            return self.is_positive(sp.factor(e.args[0] - 1), known)
        return bool(e.is_positive) and not e.has(sp.Sum, sp.Integral)

    def _least(self, part, known):
        """A number below which a term of a sum does not go: of 2 cos x, which is real, −2."""
        factor, rest = part.as_coeff_Mul()
        if isinstance(rest, (sp.sin, sp.cos)) and self.is_real(rest.args[0], known):
            return -abs(factor)
        return factor if rest == 1 else 0 if self.is_nonnegative(part, known) else -sp.oo

    def is_nonzero(self, e, known, again=True):
        if not e.has(sp.Sum, sp.Integral) and (e.is_zero is False or e.is_nonzero):
            return True
        if isinstance(e, sp.exp) or self.is_positive(e, known) or (e.is_Add and self.is_positive(-e, known)):
            return True
        if self._is_stated_nonzero(e, known) or _has_no_root(e):
            return True
        if isinstance(e, sp.log) and self.is_positive(e.args[0], known) and self.is_nonzero(e.args[0] - 1, known):
            return True
        if e.is_Mul:
            return all(self.is_nonzero(part, known) for part in e.args)
        # Some equal expression may show it, a product above all; one round of these, since they have forms again.
        return again and any(self.is_nonzero(form, known, again=False) for form in self._forms(e) if form != e)

    @staticmethod
    def _is_stated_nonzero(e, known):
        """Whether e is, up to a rational factor, the gap of two sides that are known to differ."""
        gaps = [condition.lhs - condition.rhs for condition in known if isinstance(condition, sp.Ne)]
        e, *gaps = (sp.expand(rewriting.canonical(part)).primitive()[1] for part in (e, *gaps))
        return any(e in (gap, sp.expand(-gap)) for gap in gaps)

    def _forms(self, e):
        """Yield expressions equal to e, to be tried in turn."""
        plain = rewriting.carried_out(e.doit())
        yield plain
        for rewrite in (sp.factor, _trigsimp, lambda e: rewriting.reduced(e, self.by)):
            yield (form := rewrite(plain))
            if form.has(sp.log):
                yield sp.logcombine(form)


def _has_no_root(e):
    """Whether e is a polynomial in one real letter, with rational coefficients, that is 0 nowhere: by Sturm's count."""
    (letter,) = e.free_symbols if len(e.free_symbols) == 1 else (None,)
    if letter is None or not letter.is_real or not e.is_polynomial(letter):
        return False
    polynomial = sp.Poly(e, letter)
    return (polynomial.domain.is_ZZ or polynomial.domain.is_QQ) and polynomial.count_roots() == 0

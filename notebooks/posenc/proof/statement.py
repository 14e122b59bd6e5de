"""A statement: two sides and a relation, its definitions and conditions, and its domain.

It is read once, as stated, and what is not in the language is refused. That each of its parts has a value on the
domain is the matter of `definedness`.
"""

from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from .definedness import Definedness, parts_of
from .domain import Domain, facts
from .evaluate import NotInLanguage, method_for
from .rewriting import with_definitions

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
        self.where = {name: sp.sympify(definition) for name, definition in dict(self.where or {}).items()}
        self.given = [condition for condition in map(sp.sympify, self.given or ()) if condition != sp.true]
        self._refuse_other_relations()
        for e in (self.left, self.right, *self.where.values(), *self.given):
            _insist_on_language(e.expr if isinstance(e, sp.Lambda) else e)
        shapes = [getattr(side, "is_Matrix", False) and side.shape for side in (self.left, self.right)]
        if str(shapes[0]) != str(shapes[1]):
            left, right = (shape or "a number" for shape in shapes)
            raise ValueError(f"left and right must have one shape, got {left} and {right}: reshape one")
        self._refuse_circles()
        self._refuse_other_definitions()
        self._refuse_two_arities()
        self._refuse_moving_by_what_cannot_move()
        self.domain = Domain([self.left, self.right], self.where, self.given)

    def _refuse_other_relations(self):
        if self.relation not in (sp.Eq, sp.Ne):
            remedy = "state the difference of the sides as a square, which is never negative; or measure"
            raise NotInLanguage(f"an order is not in the language of statements: {remedy}")
        # Points cannot show that two sides differ everywhere: of polynomials SymPy decides it by their form.
        if self.relation is sp.Ne and not all(map(_is_polynomial, (self.left, self.right, *self.where.values()))):
            raise NotInLanguage("Ne is of polynomials in the language of statements: state an equality")
        for condition in self.given:
            if not isinstance(condition, CONDITIONS):
                raise NotInLanguage(f"{condition} is no condition of the language: given takes Lt, Le, Gt, Ge and Ne")

    def _nodes(self):
        """Yield all parts of what is stated, and their parts."""
        for e in (self.left, self.right, *self.where.values(), *self.given):
            yield from sp.preorder_traversal(e)

    def _refuse_moving_by_what_cannot_move(self):
        """Raise NotInLanguage unless each derivative is by a free variable that is not whole, of what holds it."""
        for node in self._nodes():
            for variable in node.variables if isinstance(node, sp.Derivative) else ():
                if variable in self.where or "integer" in facts(variable):
                    raise NotInLanguage(f"a derivative by {variable}, which is whole or defined: declare it real")
                letters = with_definitions(node.expr, self.where).free_symbols
                elsewhere = self.left.free_symbols | self.right.free_symbols
                if variable not in letters and (letters or variable not in elsewhere):
                    raise NotInLanguage(f"{node} is a derivative of what may read as a function of {variable}: write 0")

    def _refuse_two_arities(self):
        """Raise ValueError for a function of one argument here and two there."""
        uses = {f: len(d.variables) for f, d in self.where.items() if isinstance(d, sp.Lambda)}
        for node in self._nodes():
            if isinstance(node, AppliedUndef) and uses.setdefault(node.func, len(node.args)) != len(node.args):
                raise ValueError(f"{node.func} has one number of arguments here and another there: rename one")

    def _refuse_circles(self):
        """Raise ValueError where a definition leads back to its own name."""
        uses = {name: [other for other in self.where if d.has(other)] for name, d in self.where.items()}
        try:
            TopologicalSorter(uses).prepare()
        except CycleError as circle:
            names = ", ".join(map(str, circle.args[1][1:]))
            raise ValueError(f"the definition of {names} mentions itself: give the new one another name") from None

    def _refuse_other_definitions(self):
        """Raise where a definition is not of the language. That it mentions nothing bound, `notation` sees to."""
        for name, definition in self.where.items():
            if not isinstance(name, (sp.Symbol, sp.MatrixSymbol, UndefinedFunction)):
                raise NotInLanguage(f"where cannot define {name}: give a symbol, a matrix or a function")
            if isinstance(name, UndefinedFunction) != isinstance(definition, sp.Lambda):
                raise ValueError(f"where must give a function a Lambda, and a symbol an expression: {name}")
            if definition.has(sp.Derivative):
                words = "a derivative in a definition is not in the language of statements"
                raise NotInLanguage(f"{words}: write out that of {name}")

    def insist_on_values(self, by="expand", at=None):
        """Raise Undefined for a part that need not have a value on the domain, or at the values of `at`."""
        Definedness(self, by, at or {}).insist()

    def is_nonzero(self, e, by):
        """Whether it follows on the domain that an expression is not 0."""
        return Definedness(self, by, {}).is_nonzero(e, self.given)


def _insist_on_language(e):
    """Raise NotInLanguage for what the checker does not speak of."""
    method_for(e)
    refused = isinstance(e, sp.KroneckerDelta) and len(e.args) != 2
    if isinstance(e, (sp.Sum, sp.Integral)):
        (variable, *ends), *more = e.limits
        if more:
            raise NotInLanguage(f"{e} runs over two letters, which is not in the language of statements: bind one")
        refused = len(ends) != 2 or any(end.has(variable) for end in ends)
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
        raise NotInLanguage(f"{type(e).__name__} of that kind is not in the language of statements: write out {e}")
    for part in parts_of(e):
        _insist_on_language(part)


def _is_polynomial(e):
    nodes = list(sp.preorder_traversal(e))
    return all(isinstance(n, POLYNOMIAL) and (not n.is_Pow or (n.exp.is_Integer and n.exp > 0)) for n in nodes)


def _is_of_waves(e, t):
    """Whether e is a polynomial in sines and cosines of t and what is free of t: entire, so Arb can integrate it."""
    waves = [wave for wave in e.atoms(sp.sin, sp.cos) if wave.has(t)]
    plain = e.xreplace({wave: sp.Dummy() for wave in waves})
    return _is_polynomial(plain) and all((wave.args[0] - t).expand().is_Symbol or wave.args[0] == t for wave in waves)

"""How an expression is written on a card, and which cards would be read as another statement.

Refused are the slips that an author makes: an index that is also a letter of the card, two things that are written
alike, a letter both free and bound, a term of an induction with an index of its own, two sides that look equal, a
condition or a definition that nothing uses, a definition that catches a letter of another, and i beside the unit.
"""

import itertools
import re

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.printing.conventions import split_super_sub
from sympy.printing.latex import LatexPrinter
from sympy.tensor.indexed import Indexed

from .comparisons import Vacuous
from .domain import size_of
from .rewriting import with_definitions

BINDERS = (sp.Sum, sp.Integral, sp.Subs)
CONSTANTS = {r"\pi": sp.pi, "e": sp.E}


class _Printer(LatexPrinter):
    def _print_Symbol(self, expr, style="plain"):
        return re.sub("^(.*')(?=_)", r"{\1}", super()._print_Symbol(expr, style))  # x'_1 may have a power

    def _as_ordered_terms(self, expr, order=None):
        terms = super()._as_ordered_terms(expr, order)  # what stands behind a sum may be read as a part of it
        return sorted(terms, key=lambda term: isinstance(term.as_ordered_factors()[-1], (sp.Sum, sp.Derivative)))

    def _print_Sum(self, expr):
        # In Σ a (n − k) a reads as a function.
        return re.sub(r"(\\[a-z]+|\b[A-Za-z])(_\{\w+\})? \\left\(", r"\1\2 \\cdot \\left(", super()._print_Sum(expr))

    def _print_Pow(self, expr):
        fraction = expr.exp.is_Rational and (expr.exp < 0 or expr.exp.p == 1)
        inverse = isinstance(expr.base, sp.Function) and expr.exp.free_symbols  # sinⁿ(x), were n = −1
        if (isinstance(expr.base, AppliedUndef) and not fraction) or inverse:
            return f"{self._print(expr.base)}^{{{self._print(expr.exp)}}}"  # SymPy writes f²(x), which may be f(f(x))
        if isinstance(expr.base, sp.Subs) and not fraction:
            return rf"\left({self._print(expr.base)}\right)^{{{self._print(expr.exp)}}}"  # no upper place
        return super()._print_Pow(expr)

    def _print_Determinant(self, expr):
        if expr.has(sp.MatrixSymbol):  # about a letter, bars may be those of a norm
            return rf"\det{{\left({self._print(expr.arg)} \right)}}"
        return super()._print_Determinant(expr)

    def _print_KroneckerDelta(self, expr, exp=None):
        if exp or not any(place.is_Number for place in expr.args):
            return super()._print_KroneckerDelta(expr, exp)
        return rf"\delta_{{{', '.join(map(self._print, expr.args))}}}"  # SymPy writes δ₁₂ₙ for 12 and n


def as_tex(e):
    """The TeX of an expression; rows of a matrix that hold fractions get room between them."""
    formula = _Printer({"imaginary_unit": "ri"}).doprint(e)  # upright, beside an index i
    return formula.replace(r"\\", r"\\[4pt]") if r"\frac" in formula else formula


def as_text(e):
    """An expression as plain text in one line."""
    return re.sub(r"\s*\n\s*", " ", sp.sstr(e))


def insist_on_one_reading(shown, where=None, given=(), sequence=None, at=None):
    """Raise ValueError where a card could be read as another statement than the one that was checked.

    shown: the lines of the card. where: its definitions, {name: expression or Lambda}. given: its conditions.
    sequence: of an induction, the name of its term, the symbol that it runs over, and a function that gives the term
    at a place. at: the values of a counterexample, {name: value}.
    """
    where, values = where or {}, [*(where or {}).values(), *(at or {}).values()]
    for before, after in itertools.pairwise(shown):
        if before != after and as_tex(before) == as_tex(after):
            raise ValueError(f"both sides are shown as {as_tex(after)}: give their parts names that can be told apart")
    _refuse_idle(shown, where, given)
    everything = [*shown, *given, *values]
    if any(e.has(sp.Dummy) for e in everything):
        raise ValueError("a Dummy has no name of its own: write a Symbol")
    unit = any(e.has(sp.I) for e in everything)
    lambdas = [e for e in values if isinstance(e, sp.Lambda)]
    names = [name for name in where if isinstance(name, sp.Basic)]
    outside = [*shown, *given, *names, *map(_body, lambdas), *(e for e in values if e not in lambdas)]
    letters = _refuse_two_readings(outside, where, unit)
    for inner in lambdas:  # its variables are its own, and may be called as others are outside
        _refuse_two_readings([inner.expr, *inner.variables], where, unit, {*map(str, inner.variables)})
    if sequence:
        _refuse_terms(letters, *sequence)


def _refuse_idle(shown, where, given):
    """Raise Vacuous for what nothing that is shown uses, ValueError for f(x) = xy, y = x²: is f(2) 2x², or 8?"""
    used = set().union(*map(_names, shown))
    for _ in where:  # one definition may use the next
        used = used.union(*(_names(where[name]) for name in used if name in where))
    for condition in given:
        if idle := _names(condition) - used:
            raise Vacuous(f"nothing uses {_listed(idle)}, of which given says {condition}: leave that out")
    if idle := set(where) - used:
        raise Vacuous(f"nothing uses {_listed(idle)}, which where defines: leave it out")
    for name, inner in where.items():
        if isinstance(inner, sp.Lambda):
            outside = _texts([*where, *_names(with_definitions(_body(inner), where))])
            if caught := outside & _texts(inner.variables):
                raise ValueError(f"{name} is of {_listed(caught)}, and so is another definition: rename one")


def _refuse_two_readings(parts, where, unit, own=frozenset()):
    """The letters of expressions. Raises ValueError where one could be taken for another, or for a part of it.

    unit: whether the card has the imaginary unit. own: the letters that are bound around the parts.
    """
    nodes = dict.fromkeys(node for e in parts for node in sp.preorder_traversal(e) if not node.has(sp.Dummy))
    outside = set().union(*map(_names, parts))
    letters = [*sorted(outside, key=str), *(node for node in nodes if isinstance(node, sp.Symbol))]
    looks = dict(CONSTANTS)
    for thing in (*letters, *(node for node in nodes if isinstance(node, (Indexed, sp.NumberSymbol)))):
        look = as_tex(thing if isinstance(thing, sp.Basic) else sp.Symbol(str(thing)))
        if looks.setdefault(re.sub(r"[{}\s]", "", look), thing) != thing:
            raise ValueError(f"two things are called {thing}: give each its own name")
    binders = [node for e in parts for node in sp.preorder_traversal(e) if isinstance(node, BINDERS)]
    bound, free = _texts(v for binder in binders for v in binder.variables), _texts(outside)
    for thing in letters:
        beside = _index(str(thing)) & (free | bound | own)
        if beside and (thing not in where or beside & (bound | own)):
            raise ValueError(f"{thing} reads as a sequence at {_listed(beside)}: give it another name")
    twice = [_texts(b.variables) & _texts(c.variables) for b in binders for c in b.atoms(*BINDERS) - {b}]
    if twice := (free & bound).union(*twice):
        raise ValueError(f"{_listed(twice)} reads as one letter, and is bound beside another: rename one")
    for i in (letter for letter in letters if str(letter) == "i"):
        counts = any(i in node.args and not isinstance(node, (Indexed, sp.Tuple)) for node in nodes)
        if not i.is_integer or (unit and counts):  # as an index of a sequence it stands below
            raise ValueError("i reads as the imaginary unit: write I for that, and call an index j beside it")
    return letters


def _refuse_terms(letters, term, over, at_place):
    """Raise ValueError for an induction whose term or place has an index, or where L_1 is not the term L at 1."""
    for name in (term, str(over)):
        if _index(name):
            raise ValueError(f"{name} has an index, and the terms have one of their own: call it by a letter alone")
    for letter in letters:
        index = str(letter).removeprefix(f"{term}_")
        if index != str(letter) and not (index.isdigit() and at_place(int(index)) == letter):
            raise ValueError(f"{letter} reads as a term of the sequence: give it another name")


def _index(name):
    """The letters of a name's index, a set: i and j of x_ij."""
    _, above, below = split_super_sub(name)
    letters = {*above, *below}
    for index in above + below:
        letters.update(index if len(index) == 2 else ())
    return letters


def _names(e):
    """The names that an expression takes from outside: symbols, matrices, functions, and those of their sizes."""
    functions = {use.func for use in e.atoms(AppliedUndef)}
    sizes = [size_of(f) for f in functions if size_of(f) is not None]
    sizes += [size for matrix in e.atoms(sp.MatrixSymbol) for size in matrix.shape]
    names = e.free_symbols.union(functions, *(size.free_symbols for size in sizes))
    return {name for name in names if not isinstance(name, (sp.Dummy, Indexed))}


def _body(inner):
    """The expression of a Lambda, without the names of its variables."""
    return inner.expr.xreplace({variable: sp.Dummy() for variable in inner.variables})


def _texts(names):
    return {*map(str, names)}


def _listed(names):
    return ", ".join(sorted(map(str, names)))

"""How an expression is written on a card; and that no reader can take the card for another statement.

One rule: two things on a card are not written alike; a name is one letter, and a word only above its definition; the
index of a name is no letter that the card binds; and what is shown is used.
"""

import itertools
import re

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.printing.latex import LatexPrinter
from sympy.tensor.indexed import Indexed

from .comparisons import Vacuous
from .domain import size_of

GREEK = (
    "alpha beta gamma delta varepsilon epsilon zeta eta theta kappa lambda mu nu xi rho sigma tau varphi phi chi psi "
    "omega ell Gamma Delta Theta Lambda Xi Pi Phi Psi Omega"
).split()
INDICES = [*GREEK, *"fast last max min slow".split()]
WORDS = "bit index sgn thrown".split()  # functions that the book defines
# o looks like 0. |q| is a letter where there is no q.
NAME = re.compile(
    rf"(?P<base>{'|'.join(GREEK)}|{'|'.join(WORDS)}|[a-np-zA-NP-Z])(?P<mark>'|prime|tilde)?"
    rf"(?P<index>\d*|_({'|'.join(INDICES)}|[A-Za-z\d]{{1,2}}))|\|(?P<size>[a-z])\|"
)
WRITTEN = (
    *(sp.Symbol, sp.NumberSymbol, type(sp.I), sp.MatrixSymbol, Indexed, AppliedUndef),
    *(sp.KroneckerDelta, sp.Abs, sp.Determinant, sp.Transpose, sp.MatPow),
)
DERIVATIVE = re.compile(r"\\frac\{d(\^\{\w+\})?( [a-zA-Z\\][^=]*)?\}\{d [a-zA-Z\\]")


class _Printer(LatexPrinter):
    def _print_Pow(self, expr):
        fraction = expr.exp.is_Rational and not (expr.exp.is_Integer and expr.exp > 0)
        if isinstance(expr.base, AppliedUndef) and not fraction:
            return f"{self._print(expr.base)}^{{{self._print(expr.exp)}}}"  # SymPy writes f²(x), which may be f(f(x))
        return super()._print_Pow(expr)


def as_tex(e):
    """Return the TeX of an expression; rows of a matrix that hold fractions get room between them."""
    formula = _Printer({"imaginary_unit": "ri"}).doprint(e)  # upright, beside an index i
    return formula.replace(r"\\", r"\\[4pt]") if r"\frac" in formula else formula


def as_text(e):
    """Return an expression as plain text in one line."""
    return re.sub(r"\s*\n\s*", " ", sp.sstr(e))


def insist_on_one_reading(shown, where=None, given=(), bound=(), sequence=None):
    """Raise ValueError where a card could be read as another statement than the one that was checked.

    shown: the lines of the card. where: its definitions, {name: expression or Lambda}. given: its conditions. bound:
    what an induction runs over, or what a counterexample gives a value. sequence: of an induction, the name of its
    term and a function that gives the term at a place.
    """
    where = where or {}
    for before, after in itertools.pairwise(shown):
        if before != after and as_tex(before) == as_tex(after):
            raise ValueError(f"both sides are shown as {as_tex(after)}: give their parts names that can be told apart")
    _refuse_idle(shown, where, given)
    lambdas = [d for d in where.values() if isinstance(d, sp.Lambda)]
    parts = [*shown, *given, *where, *(d for d in where.values() if d not in lambdas)]
    for inner in lambdas:
        # Its arguments are its own, and may be called as others are outside.
        _Scope([inner.expr, *inner.variables], where, inner.variables).refuse_two_readings()
        parts.append(inner.expr.xreplace({v: sp.Dummy() for v in inner.variables}))
    _Scope(parts, where, bound, sequence).refuse_two_readings()


def _refuse_idle(shown, where, given):
    """Raise Vacuous for a definition or a condition that speaks of nothing in the lines that are shown."""
    used, before = set().union(*map(_names, shown)), None
    while used != before:
        before, used = used, used.union(*(_names(where[name]) for name in used if name in where))
    for condition in given:
        if idle := _names(condition) - used:
            raise Vacuous(f"nothing uses {_listed(idle)}, of which given says {condition}: leave that out")
    if idle := set(where) - used:
        raise Vacuous(f"nothing uses {_listed(idle)}, which where defines: leave it out")


def _names(e):
    """Return the names that an expression takes from outside: symbols, matrices, functions and their sizes."""
    functions = {use.func for use in e.atoms(AppliedUndef)}
    sizes = [size.free_symbols for size in map(size_of, functions) if size is not None]
    return e.free_symbols.union(functions, *sizes)


def _listed(names):
    return ", ".join(sorted(map(str, names)))


class _Scope:
    """Expressions in which one name is one thing.

    things: {what has a look of its own: what is written for it}; names: {name: symbol, matrix or function}.
    """

    def __init__(self, parts, where, bound, sequence=None):
        functions = [part for part in parts if isinstance(part, UndefinedFunction)]
        parts = [part for part in parts if part not in functions]
        self.nodes = dict.fromkeys(node for e in parts for node in sp.preorder_traversal(e))
        functions += [node.func for node in self.nodes if isinstance(node, AppliedUndef)]
        sizes = [size_of(f) for f in functions if size_of(f) is not None]
        self.nodes |= dict.fromkeys(node for size in sizes for node in sp.preorder_traversal(size))
        self.things = {f: sp.Symbol(str(f)) for f in functions}
        self.things |= {node: node for node in self.nodes if isinstance(node, WRITTEN) and not node.has(sp.Dummy)}
        self.names = {str(t): t for t in self.things if isinstance(t, (sp.Symbol, sp.MatrixSymbol, UndefinedFunction))}
        self.where, self.sequence = where, sequence
        limits = [node.limits for node in self.nodes if isinstance(node, (sp.Sum, sp.Integral))]
        moving = [node.variables for node in self.nodes if isinstance(node, (sp.Derivative, sp.Subs))]
        bound = {*bound, *itertools.chain(*moving), *(variable for limit in limits for variable, *_ in limit)}
        self.bound = {_parts(str(variable))[0] for variable in bound}

    def refuse_two_readings(self):
        """Raise ValueError for two things that are written alike, and for a name that reads as something else."""
        for write in (as_text, as_tex):
            looks = {_bare(write(constant)): constant for constant in (sp.pi, sp.I)}
            for thing, e in self.things.items():
                if looks.setdefault(_bare(write(e)), thing) != thing:
                    raise ValueError(f"two things are called {write(e)}: give each its own name")
        for name, thing in self.names.items():
            if not NAME.fullmatch(name):
                raise ValueError(f"{name} is no name: write a letter, such as x, with an index, such as x_1")
            if reading := self._other_reading(name, thing):
                raise ValueError(f"{name} reads as {reading}: give it another name")
        for node in self.nodes:
            if isinstance(node, sp.MatPow) and str(node.exp) in ("T", "-T", "H", "-H"):
                raise ValueError(f"{node} reads as a transpose: call the exponent n")
            if "d" in self.names and isinstance(node, sp.Expr) and DERIVATIVE.match(as_tex(node)):
                raise ValueError(f"{node} reads as a derivative, and a letter d is there: give it another name")

    def _other_reading(self, name, thing):
        """Return what else a name could be, in words, or None."""
        base, mark, index = _parts(name)
        if base in WORDS and not (thing in self.where and isinstance(thing, UndefinedFunction)):
            return "a known function, without a definition in where"
        if name[0] == "|" and base in self.names:
            return f"the size of {base}"
        if "'" in mark + name and isinstance(self.names.get(base), UndefinedFunction):
            return f"the derivative of {base}"
        if base == "delta" and (len(index) > 1 or any(isinstance(node, sp.KroneckerDelta) for node in self.nodes)):
            return "Kronecker's delta"
        if name == "i" and isinstance(thing, sp.Symbol) and not thing.is_real:
            return "the imaginary unit, since it need not be real"
        if name == "e" and any(isinstance(n, sp.exp) or (n.is_Pow and n.base in (thing, sp.E)) for n in self.nodes):
            return "Euler's number"
        own = _names(self.where[thing]) if thing in self.where and not isinstance(thing, UndefinedFunction) else ()
        if caught := set(index) & self.bound - set(map(str, own)):
            return f"a sequence, of which the card binds the index {_listed(caught)}"
        if self.sequence and base == self.sequence[0] and index:
            place = int("".join(index)) if "".join(index).isdigit() else None
            if place is None or self.sequence[1](place) != thing:
                return "a term of the sequence"
        return None


def _parts(name):
    """Return the letter of a name, its mark, and the letters of its index, a list."""
    match = NAME.fullmatch(name)
    if not match:
        return name, "", []
    index = (match["index"] or "").removeprefix("_")
    return match["base"] or match["size"], match["mark"] or "", [index] if index in INDICES else list(index)


def _bare(formula):
    """Return TeX without what does not show: braces, spaces, the size of a bracket; ν looks like v."""
    return re.sub(r"[{}\s]|\\left|\\right", "", formula.replace(r"\nu", "v"))

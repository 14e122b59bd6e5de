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
    rf"(?P<index>\d*|_({'|'.join(INDICES)}|(?!Mu|Nu)[A-Za-z\d]{{1,2}}))|\|(?P<size>[a-z])\|",  # SymPy writes Mu as M
    re.ASCII,
)
WRITTEN = (
    *(sp.Symbol, sp.NumberSymbol, type(sp.I), sp.MatrixSymbol, Indexed, AppliedUndef),
    *(sp.KroneckerDelta, sp.Abs, sp.Determinant, sp.Transpose, sp.MatPow),
)
DERIVATIVE = re.compile(r"\\frac\{([^{}=]+ )?d(\^\{\w+\})?( [a-zA-Z\\][^=]*)?\}\{d [a-zA-Z\\]")


class _Printer(LatexPrinter):
    def _print_Pow(self, expr):
        fraction = expr.exp.is_Rational and (expr.exp < 0 or expr.exp.p == 1)
        if isinstance(expr.base, AppliedUndef) and not fraction:
            return f"{self._print(expr.base)}^{{{self._print(expr.exp)}}}"  # SymPy writes f²(x), which may be f(f(x))
        if isinstance(expr.base, sp.Subs) and not fraction:
            return rf"\left({self._print(expr.base)}\right)^{{{self._print(expr.exp)}}}"  # no upper place
        return super()._print_Pow(expr)


def as_tex(e):
    """Return the TeX of an expression; rows of a matrix that hold fractions get room between them."""
    formula = _Printer({"imaginary_unit": "ri"}).doprint(e)  # upright, beside an index i
    return formula.replace(r"\\", r"\\[4pt]") if r"\frac" in formula else formula


def as_text(e):
    """Return an expression as plain text in one line."""
    return re.sub(r"\s*\n\s*", " ", sp.sstr(e))


def insist_on_one_reading(shown, where=None, given=(), bound=(), sequence=None, at=None):
    """Raise ValueError where a card could be read as another statement than the one that was checked.

    shown: the lines of the card. where: its definitions, {name: expression or Lambda}. given: its conditions. bound:
    what an induction runs over, or what a counterexample gives a value. sequence: of an induction, the name of its
    term and a function that gives the term at a place. at: the values of a counterexample, {name: value}.
    """
    where = where or {}
    for before, after in itertools.pairwise(shown):
        if before != after and as_tex(before) == as_tex(after):
            raise ValueError(f"both sides are shown as {as_tex(after)}: give their parts names that can be told apart")
    _refuse_idle(shown, where, given)
    _refuse_arguments_elsewhere(where)
    for name in (sequence[0], *map(str, bound)) if sequence else ():
        if _parts(name)[2]:
            raise ValueError(f"{name} has an index, and the terms have one of their own: call it by a letter alone")
    lambdas = [d for d in where.values() if isinstance(d, sp.Lambda)]
    parts = [*shown, *given, *where, *(d for d in where.values() if d not in lambdas)]
    chosen = [value for value in (at or {}).values() if isinstance(value, sp.Lambda)]
    for inner in [*lambdas, *chosen]:
        # Its arguments are its own, and may be called as others are outside.
        _Scope([inner.expr, *inner.variables], where, inner.variables, arguments=inner.variables).refuse_two_readings()
    parts += [inner.expr.xreplace({v: sp.Dummy() for v in inner.variables}) for inner in lambdas]
    parts += [value for value in (at or {}).values() if value not in chosen]
    _Scope(parts, where, bound, sequence).refuse_two_readings()


def _refuse_idle(shown, where, given):
    """Raise Vacuous for a definition or a condition that speaks of nothing in the lines that are shown."""
    used = _reached(set().union(*map(_names, shown)), where)
    for condition in given:
        if idle := _names(condition) - used:
            raise Vacuous(f"nothing uses {_listed(idle)}, of which given says {condition}: leave that out")
    if idle := set(where) - used:
        raise Vacuous(f"nothing uses {_listed(idle)}, which where defines: leave it out")


def _refuse_arguments_elsewhere(where):
    """Raise ValueError for f(x) = xy, y = x²: is f(2) 2x², or 8?"""
    for name, inner in where.items():
        if isinstance(inner, sp.Lambda):
            others = [_names(where[other]) for other in _names(inner.expr) if other in where]
            outside = _reached(set().union(*others), where)
            outside = {str(n) for n in outside}.union(*(_parts(str(n))[2] for n in outside))
            if caught := outside & set(map(str, inner.variables)):
                raise ValueError(f"{name} is of {_listed(caught)}, and so is a definition that it uses: rename one")


def _reached(names, where):
    """Return names, a set, with those that their definitions use, in turn."""
    before = None
    while names != before:
        before, names = names, names.union(*(_names(where[name]) for name in names if name in where))
    return names


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

    def __init__(self, parts, where, bound, sequence=None, arguments=()):
        functions = [part for part in parts if isinstance(part, UndefinedFunction)]
        parts = [part for part in parts if part not in functions]
        self.nodes = dict.fromkeys(node for e in parts for node in sp.preorder_traversal(e))
        functions += [node.func for node in self.nodes if isinstance(node, AppliedUndef)]
        sizes = [size_of(f) for f in functions if size_of(f) is not None]
        self.nodes |= dict.fromkeys(node for size in sizes for node in sp.preorder_traversal(size))
        self.things = {f: sp.Symbol(str(f)) for f in functions}
        self.things |= {node: node for node in self.nodes if isinstance(node, WRITTEN) and not node.has(sp.Dummy)}
        self.names = {str(t): t for t in self.things if isinstance(t, (sp.Symbol, sp.MatrixSymbol, UndefinedFunction))}
        self.where, self.sequence, self.arguments = where, sequence, arguments
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
        if len(units := [node for node in self.nodes if node == sp.I or isinstance(node, sp.Identity)]) > 1:
            raise ValueError(f"two things are called {as_text(units[0])}: leave one out")
        for node in self.nodes:
            if isinstance(node, sp.Transpose) and "T" in self.names:
                raise ValueError(f"{node} reads as a power, and a letter T is there: give it another name")
            places = node.indices if isinstance(node, Indexed) else ()
            if any(place.is_Mul and sum(part.is_Symbol for part in place.args) > 1 for place in places):
                raise ValueError(f"{node} reads as an entry of a table: make the product a letter by where={{…}}")
            factors = sp.fraction(node)[0].as_ordered_factors() if isinstance(node, sp.Mul) else ()
            if any(isinstance(factor, sp.Derivative) for factor in factors[:-1]):
                raise ValueError(f"{node} reads as the derivative of a product: carry one out")
            inner = node.function.atoms(sp.Sum, sp.Integral) if isinstance(node, (sp.Sum, sp.Integral)) else ()
            if any(_alike(node.variables) & _alike(other.variables) for other in inner):
                raise ValueError(f"{node} reads as if one letter ran twice: rename one")
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
        if name[0] == "|" and not getattr(thing, "is_nonnegative", False):
            return "a size, and may be negative"
        if index and isinstance(thing, sp.Symbol) and isinstance(self.names.get(base), sp.MatrixSymbol):
            return f"an entry of {base}"
        if name == "d" and any(isinstance(n, sp.Integral) or getattr(n, "func", None) == thing for n in self.nodes):
            return "a differential"
        is_function = isinstance(thing, UndefinedFunction)
        primed = thing if is_function and not index else self.names.get(base)
        if mark in ("'", "prime") and isinstance(primed, UndefinedFunction):
            return f"the derivative of {base}"
        kronecker = is_function or len(index) > 1 or any(isinstance(node, sp.KroneckerDelta) for node in self.nodes)
        if base == "delta" and kronecker:
            return "Kronecker's delta"
        if base == "Lambda" and is_function:
            return "a rule that is written with arguments, in plain text"
        if name in ("i", "j") and isinstance(thing, sp.Symbol) and not thing.is_real:
            return "the imaginary unit, since it need not be real"
        exponents = [sp.Mul.make_args(t) for n in self.nodes if isinstance(n, sp.exp) for t in sp.Add.make_args(n.exp)]
        if name == "i" and thing not in self.arguments and any(thing in e and sp.I not in e for e in exponents):
            return "the imaginary unit, in an exponent"
        euler = (sp.exp, sp.log)
        powers = any(isinstance(n, euler) or (n.is_Pow and n.base in (thing, sp.E)) for n in self.nodes)
        if name == "e" and (powers or thing in self.arguments):
            return "Euler's number"
        own = _names(self.where[thing]) if thing in self.where and not is_function else ()
        others = [other for other in self.names if other != name and _parts(other)[0] == base and _parts(other)[2]]
        if set(index) & set(map(str, own)) and not all(self._is_term(other, thing, index) for other in others):
            return "a term of a sequence, of which another is no such term"
        if caught := _alike(index) & _alike(self.bound) - _alike(own):
            return f"a sequence, of which the card binds the index {_listed(caught)}"
        if self.sequence and base == self.sequence[0] and index:
            place = int("".join(index)) if "".join(index).isdigit() else None
            if place is None or self.sequence[1](place) != thing:
                return "a term of the sequence"
        return None

    def _is_term(self, name, like, index):
        """Whether a name is defined as `like` is, with its own index in place of that one."""
        ours, theirs = self.where.get(self.names[name]), self.where[like]
        if ours is None:
            return False
        places = dict(zip(index, _parts(name)[2], strict=False))
        plain, moved = ({s: sp.Symbol(str(s)) for s in e.atoms(sp.Symbol)} for e in (ours, theirs))
        for s in moved:
            place = places.get(str(s), str(s))
            moved[s] = sp.Integer(place) if place.isdigit() else sp.Symbol(place)
        return ours.xreplace(plain) == theirs.xreplace(moved)


def _alike(names):
    """Return names as they look, a set: ν looks like v."""
    return {str(name).replace("nu", "v") for name in names}


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

"""How an expression is written on a card; and that no reader can take the card for another statement.

The conventions: a name is a letter of the alphabet, of a kind that the letter may be, and all names of one letter are
of one kind; a sign of mathematics is no name beside it, wherever on the card it is; two things are not written alike;
a letter is free on a card or bound, and bound once; an index is no letter of the card, unless `where` says what the
name is at every such index; a prime stands beside no derivative, function or definition of its letter; nothing stands
behind a sum; and what is shown is used.
"""

import itertools
import re

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.printing.latex import LatexPrinter
from sympy.tensor.indexed import Indexed

from .comparisons import Vacuous
from .domain import size_of
from .rewriting import with_definitions

# --- the alphabet -----------------------------------------------------------------------------

GREEK = (
    "alpha beta gamma varepsilon epsilon zeta eta theta kappa lambda mu nu xi rho sigma tau varphi phi chi psi omega "
    "ell Gamma Delta Theta Lambda Xi Pi Phi Psi Omega"
).split()
WORDS = "bit index sgn thrown".split()  # functions that the book defines
ANY = {"number", "function", "sequence", "matrix"}
# Never names: e is Euler's, I the unit; o looks like 0; π, Σ and δ have their meaning.
KINDS = dict.fromkeys([*GREEK, *"abcdfghijklmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"], ANY)
KINDS |= dict.fromkeys([*"fgh", "sigma"], ANY - {"number"})  # before a bracket they would be functions
KINDS |= dict.fromkeys(["d", "Lambda"], ANY - {"function"}) | {letter: {"matrix"} for letter in ("E", "Pi")}
KINDS |= {word: {"function"} for word in WORDS}
INDICES = [*GREEK, *"delta pi fast last max min slow".split()]
# |q| is a letter where there is no q. SymPy writes an index Mu as M.
NAME = re.compile(
    rf"(?P<base>{'|'.join(sorted(KINDS, key=len, reverse=True))})(?P<mark>(?<![a-z]{{2}})'|prime|tilde)?"
    rf"(?P<index>\d*|_({'|'.join(INDICES)}|(?!Mu|Nu)[A-NP-Za-np-z\d]{{1,2}}))|\|(?P<size>[a-z])\|",
    re.ASCII,
)
ALIKE = "ell l, nu v, omega w, chi x, kappa k, rho p, epsilon varepsilon, phi varphi"
LOOK_ALIKES = dict(pair.split() for pair in ALIKE.split(", "))
# Letters that are part of how these are written.
SIGNS = {"d": (sp.Derivative, sp.Integral), "T": sp.Transpose, "H": sp.Transpose}
BINDERS = (sp.Sum, sp.Integral, sp.Subs)
WRITTEN = (
    *(sp.Symbol, sp.NumberSymbol, type(sp.I), sp.MatrixSymbol, sp.Identity, Indexed, AppliedUndef),
    *(sp.KroneckerDelta, sp.Abs, sp.Determinant, sp.Transpose, sp.MatPow),
)


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
    """Return the TeX of an expression; rows of a matrix that hold fractions get room between them."""
    formula = _Printer({"imaginary_unit": "ri"}).doprint(e)  # upright, beside an index i
    return formula.replace(r"\\", r"\\[4pt]") if r"\frac" in formula else formula


def as_text(e):
    """Return an expression as plain text in one line."""
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
    for name in map(str, (sequence or ())[:2]):
        if _parts(name)[2]:
            raise ValueError(f"{name} has an index, and the terms have one of their own: call it by a letter alone")
    _refuse_idle(shown, where, given)
    everything = [e for e in [*shown, *given, *where, *values] if isinstance(e, (sp.Basic, sp.MatrixBase))]
    if any(e.has(sp.Dummy) for e in everything):
        raise ValueError("a Dummy has no name of its own: write a Symbol")
    unit = [sp.I] if any(e.has(sp.I) for e in everything) else []  # of the whole card
    lambdas = [value for value in values if isinstance(value, sp.Lambda)]
    parts = [*unit, *shown, *given, *where, *(value for value in values if value not in lambdas)]
    for inner in lambdas:  # its arguments are its own, and may be called as others are outside
        _Scope([inner.expr, *inner.variables, *unit], where, arguments=inner.variables).refuse_two_readings()
        parts.append(_body(inner))
    _Scope(parts, where, sequence).refuse_two_readings()


def _refuse_idle(shown, where, given):
    """Raise Vacuous for what nothing that is shown uses, ValueError for f(x) = xy, y = x²: is f(2) 2x², or 8?"""
    used = set().union(*map(_names, shown))
    for _ in where:  # in turn
        used = used.union(*(_names(where[name]) for name in used if name in where))
    for condition in given:
        if idle := _names(condition) - used:
            raise Vacuous(f"nothing uses {_listed(idle)}, of which given says {condition}: leave that out")
    if idle := set(where) - used:
        raise Vacuous(f"nothing uses {_listed(idle)}, which where defines: leave it out")
    for name, inner in where.items():
        if isinstance(inner, sp.Lambda):
            outside = _letters(_names(with_definitions(_body(inner), where)))
            outside = outside.union(_letters(where), *(_parts(letter)[2] for letter in outside))
            if caught := outside & _letters(inner.variables):
                raise ValueError(f"{name} is of {_listed(caught)}, and so is another definition: rename one")


def _body(inner):
    return inner.expr.xreplace({variable: sp.Dummy() for variable in inner.variables})


def _names(e):
    """Return the names that an expression takes from outside: symbols, matrices, functions and their sizes."""
    functions = {use.func for use in e.atoms(AppliedUndef)}
    sizes = [size.free_symbols for size in map(size_of, functions) if size is not None]
    return e.free_symbols.union(functions, *sizes)


class _Scope:
    """Expressions in which one name is one thing: names is {name: symbol, matrix or function}."""

    def __init__(self, parts, where, sequence=None, arguments=()):
        self.where, self.arguments, self.term, over, self.at_place = where, arguments, *(sequence or (None, (), None))
        functions = [part for part in parts if isinstance(part, UndefinedFunction)]
        functions += [use.func for part in parts if part not in functions for use in part.atoms(AppliedUndef)]
        self.parts = [part for part in parts if part not in functions]
        self.parts += [size_of(f) for f in functions if size_of(f) is not None]
        self.nodes = dict.fromkeys(node for e in self.parts for node in sp.preorder_traversal(e))
        self.things = {f: sp.Symbol(str(f)) for f in functions}
        self.things |= {node: node for node in self.nodes if isinstance(node, WRITTEN) and not node.has(sp.Dummy)}
        self.names = {str(t): t for t in self.things if isinstance(t, (sp.Symbol, sp.MatrixSymbol, UndefinedFunction))}
        self.entries = [node for node in self.nodes if isinstance(node, Indexed)]
        self.binders = [node for node in self.nodes if isinstance(node, BINDERS)]
        self.bound = _letters(*(binder.variables for binder in self.binders))
        sizes = [side.free_symbols for m in self.nodes if isinstance(m, sp.MatrixSymbol) for side in m.shape]
        self.free = _letters(*(e.free_symbols for e in self.parts), *sizes)
        self.settled = self.bound | _letters(arguments, [over] if over else [])  # the card says what they are

    def refuse_two_readings(self):
        """Raise ValueError where a convention is broken."""
        for write in (as_text, as_tex):
            looks = {}
            for thing, e in self.things.items():
                if looks.setdefault(_bare(write(e)), thing) != thing:
                    raise ValueError(f"two things are called {write(e)}: give each its own name")
        for name, thing in self.names.items():
            if not NAME.fullmatch(name):
                raise ValueError(f"{name} is no name: write a letter that has no meaning, such as x, or x_1")
            if reading := self._other_reading(name, thing):
                raise ValueError(f"{name} reads as {reading}: give it another name")
        inner = [(b, c) for b in self.binders for c in b.atoms(*BINDERS) - {b}]
        twice = (self.free & self.bound).union(*(_letters(b.variables) & _letters(c.variables) for b, c in inner))
        if twice:
            raise ValueError(f"{_listed(twice)} reads as one letter, and is bound beside another: rename one")
        for node in self.nodes:
            if reading := self._other_form(node):
                raise ValueError(f"{node} reads as {reading}")

    def _kind(self, name):
        thing = self.names[name]
        if isinstance(thing, (UndefinedFunction, sp.MatrixSymbol)):
            return "function" if isinstance(thing, UndefinedFunction) else "matrix"
        return "sequence" if name == self.term or any(thing == e.base.label for e in self.entries) else "number"

    def _other_reading(self, name, thing):
        """Return what else a name could be, in words, or None."""
        base, mark, index = _parts(name)
        kind, kin = self._kind(name), [other for other in self.names if other != name and _parts(other)[0] == base]
        if name[0] == "|":
            return f"a size: of {base}, or of what may be negative" if kin or not thing.is_nonnegative else None
        if kind not in KINDS[base] or (base in WORDS and thing not in self.where):
            return f"something else than a {kind}"
        if any(isinstance(node, SIGNS.get(base, ())) for node in self.nodes):
            return "a sign of mathematics that the card uses"
        if name in ("i", "j"):
            parents = {type(node) for node in self.nodes if thing in node.args}
            beside = sp.I in self.nodes and (Indexed not in parents or parents - {Indexed, sp.Tuple})
            if beside or not thing.is_integer:
                return "the imaginary unit, unless it is whole and, beside that, an index"
        if other := [o for o in kin if kind != self._kind(o) and not mark and not _parts(o)[1] and base != self.term]:
            return f"a part of {other[0]}, which is no {kind}"
        plain = [name] if kind == "function" and not index else [other for other in kin if not _parts(other)[1]]
        defined = any(self._kind(other) == "function" or self.names[other] in self.where for other in plain)
        if mark in ("'", "prime") and (defined or any(isinstance(node, sp.Derivative) for node in self.nodes)):
            return f"the derivative of {base}"
        if base == self.term and name != base:
            place = int("".join(index)) if "".join(index).isdigit() else None
            return None if place is not None and self.at_place(place) == thing else "a term of the sequence"
        laws = {self._law(other) for other in [name, *kin] if _parts(other)[2]}
        running = _letters(index) & (self.free | self.settled)
        if running and (running & self.settled or None in laws or len(laws) > 1):
            return f"a sequence at {_listed(running)}"
        if kind == "sequence" and index and base in self.names:
            return f"an entry of {base}: call the sequence by a letter alone"
        if kin and {"max", "min"} & {*index} and thing not in self.where:
            return "the largest or the least of its letter: define it by where"
        return None

    def _law(self, name):
        """Return the definition of a name with places for the letters of its index, or None."""
        places = {self.names.get(letter): sp.Symbol(f"place {n}") for n, letter in enumerate(_parts(name)[2])}
        law = self.where.get(self.names[name])
        return law and law.xreplace(places)

    def _other_form(self, node):
        """Return what else an expression could be, and the remedy, in words, or None."""
        places = node.indices if isinstance(node, Indexed) else ()
        if any(place.is_Mul and sum(part.is_Symbol for part in place.args) > 1 for place in places):
            return "an entry of a table: make the product a letter by where={…}"
        if any(node.base == other.base and node.rank != other.rank for other in self.entries if node in self.entries):
            return "an entry of a table beside a sequence of one name: rename one"
        if isinstance(node, sp.Abs) and node.args[0].has(sp.Determinant):
            return "a norm: make the determinant a letter by where={…}"
        if isinstance(node, sp.Determinant) and node.arg.shape == (1, 1):
            return "an absolute value: write the entry itself"
        if isinstance(node, sp.MatMul) and sum(as_text(factor)[0].isdigit() for factor in node.args) > 1:
            return "one number: multiply out those that stand side by side"
        if isinstance(node, (sp.Pow, sp.MatPow)) and _letters(node.exp.free_symbols) & {"T", "H"}:
            return "a transpose: call the exponent n"
        if not isinstance(node, (sp.Mul, sp.Pow, sp.exp)):
            return None
        over, under = ({f.as_base_exp()[0] for f in sp.Mul.make_args(part)} for part in sp.fraction(node))
        if isinstance(node, sp.exp):
            over = {sp.E}.union(*map(sp.Mul.make_args, sp.Add.make_args(node.exp)))
        units = {"i", "j"} - (_letters(self.arguments) if isinstance(node, sp.exp) else self.settled)
        if units & _letters(over) and (node.is_Pow or not all(f.is_Rational or str(f) in units for f in over)):
            return "the imaginary unit, in a product or a power: call i and j otherwise"
        if node.is_Mul and any(isinstance(factor, sp.Derivative) for factor in node.as_ordered_factors()[:-1]):
            return "the derivative of a product: carry one out"
        changes = {"d", "Delta"} & _letters(over & under)
        return f"a derivative: call {_listed(changes)} otherwise" if changes else None


def _letters(*names):
    """Return names as they look, a set."""
    return {LOOK_ALIKES.get(str(n), str(n)) for n in itertools.chain(*names) if not isinstance(n, sp.Dummy)}


def _listed(names):
    return ", ".join(sorted(map(str, names)))


def _parts(name):
    """Return the letter of a name, its mark, and the letters of its index, a list."""
    match = NAME.fullmatch(name)
    if not match:
        return name, "", []
    index = (match["index"] or "").removeprefix("_")
    return match["base"] or match["size"], match["mark"] or "", [index] if index in INDICES else list(index)


def _bare(formula):
    """Return TeX without what does not show: braces, spaces, the size of a bracket; and ν as v, which it looks like."""
    formula = re.sub(r"\\([a-z]+)", lambda command: LOOK_ALIKES.get(command[1], command[1]), formula)
    return re.sub(r"[{}\s]|left|right", "", formula).replace("_l", "_1")

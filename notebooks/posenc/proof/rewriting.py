"""Rewritings that a proof may name: each is an equivalence wherever the statement is defined."""

from itertools import permutations

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.matrices.expressions.matexpr import MatrixExpr

from .domain import size_of

BINDERS = (sp.Sum, sp.Integral)
LONGER = 8  # terms by which one sum may be longer than another, to be compared with it


def _term_by_term(e):
    """The expression with sums over one range, or a little more, made one, and constant factors moved inside."""
    gathered, rest = {}, sp.S.Zero
    for term in sp.Add.make_args(sp.expand(renamed(e), deep=False)):
        sums = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.Sum) and len(f.limits) == 1]
        if len(sums) != 1:
            rest += term
            continue
        variable, low, high = sums[0].limits[0]
        summand = term / sums[0] * sums[0].function
        gathered.setdefault((0, sp.expand(high - low)), []).append((variable, summand.subs(variable, variable + low)))
    for (low, high), (start, end) in permutations(gathered, 2):
        longer = sp.expand(high - end)
        there = {(low, high), (low, end)} <= set(gathered)
        if there and low == start and longer.is_Integer and 0 < longer <= LONGER:
            terms = gathered.pop((low, high))
            gathered[low, end] = gathered[low, end] + terms
            rest += sum(summand.subs(variable, end + n) for variable, summand in terms for n in range(1, longer + 1))
    for (low, high), terms in gathered.items():
        shared = _index()
        inside = sum(summand.subs(variable, shared) for variable, summand in terms)
        rest += sp.Sum(inside, (shared, low, high))
    return rest


def _replace_sums(e, function):
    """The expression with function(sum) in the place of each sum."""
    return e.replace(lambda part: isinstance(part, sp.Sum), function)


def _index():
    """A variable for a sum, of a name that nothing else has."""
    return sp.Dummy("i", integer=True)


def _re_index(e):
    """The expression with each sum of f(π(j)) over all places made that of f(j): only the order changes."""

    def permutes(use, variable, low, high):
        """Whether a use of a function is π(variable), and the range is all the places of π."""
        size = size_of(use.func)
        return use.args == (variable,) and size is not None and low == 0 and sp.expand(size - 1 - high) == 0

    def re_indexed(total):
        inside, limits = total.function, list(total.limits)
        for n, (variable, low, high) in enumerate(limits):
            if any(end.has(variable) for _, *ends in limits for end in ends):
                continue  # SymPy makes a sum of sums one with several limits, and here one of them hangs on another
            uses = [use for use in inside.atoms(AppliedUndef) if permutes(use, variable, low, high)]
            place = _index()
            backwards = inside.subs(variable, low + high - variable)
            inside = min(inside, backwards, key=sp.count_ops)
            other = inside.xreplace(dict.fromkeys(uses, place))
            # Where the variable is also used bare, or by a second permutation, the order does matter.
            if len(uses) == 1 and variable not in other.free_symbols:
                inside, limits[n] = other, (place, low, high)
        return sp.Sum(inside, *limits)

    before, e = None, renamed(e)
    while e != before:  # a permutation of a permutation, too
        before, e = e, _replace_sums(e, re_indexed)
    return e


def _pick(e, given=()):
    """The expression with a sum of δ(i, m) g(m) over a range that holds i, by the conditions `given`, made g(i)."""

    def picked(total):
        if len(total.limits) != 1:
            return total
        variable, low, high = total.limits[0]
        result = sp.S.Zero
        for term in sp.Add.make_args(sp.expand(total.function)):
            deltas = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.KroneckerDelta) and variable in f.args]
            if not deltas:
                result += sp.Sum(term, (variable, low, high))
                continue
            (place,) = [a for a in deltas[0].args if a != variable] or [variable]
            # Of a place outside the range the sum holds no term: only one that is inside for certain is picked.
            if not (implied(place >= low, given) and implied(place <= high, given)):
                return total
            result += (term / deltas[0]).subs(variable, place)
        return result

    return _replace_sums(renamed(e), picked)


def implied(relation, given):
    """Whether an order (Lt, Le, Gt or Ge) follows from one of those given, or from the assumptions."""
    if relation in (sp.true, sp.false):
        return relation == sp.true
    gap, strict = _apart(relation)
    knowns = [_apart(known) for known in given if isinstance(known, (sp.Ge, sp.Gt, sp.Le, sp.Lt))]
    for known, sharp in [(sp.S.Zero, False), *knowns]:
        slack = sp.expand(gap - known)
        if slack.is_zero or not slack.has(sp.Sum):
            if slack.is_positive or (slack.is_nonnegative and (sharp or not strict)):
                return True
    return False


def _apart(relation):
    """An order's larger side less the smaller, and whether that is never 0. Of integers a < b is a ≤ b − 1."""
    gap, strict = sp.expand(canonical(relation.gts - relation.lts)), isinstance(relation, (sp.Gt, sp.Lt))
    return (gap - 1, False) if strict and gap.is_integer else (gap, strict)


REWRITINGS = {
    "expand": sp.expand,
    "angle addition": lambda e: sp.expand(sp.expand_trig(sp.expand(e))),
    "trigsimp": sp.trigsimp,
    "exponentials": lambda e: sp.powsimp(sp.expand(sp.powsimp(e.rewrite(sp.exp)))),
    "powers": lambda e: sp.powsimp(sp.powdenest(sp.expand_log(e))),  # without force: where the assumptions allow it
    "cancel": sp.cancel,
    "simplify": sp.simplify,
    "sum": lambda e: sp.expand(e.doit()),
    "derivative": lambda e: e.doit(),
    # Sums are left to be split inside: SymPy would split their bound variable too.
    "real and imaginary parts": lambda e: e if e.has(sp.Sum) else sp.expand(e.doit(), complex=True),
    "term by term": _term_by_term,
    "re-index": _re_index,
    "pick": _pick,
}

WORDS = {
    "expand": "expanding",
    "trigsimp": "SymPy's trigsimp",
    "exponentials": "writing exponentials",
    "powers": "the laws of powers",
    "cancel": "cancelling",
    "simplify": "SymPy's simplify",
    "sum": "carrying out the sum",
    "derivative": "differentiating",
    "real and imaginary parts": "splitting real and imaginary parts",
    "term by term": "comparing the sums term by term",
    "re-index": "re-indexing the sum",
    "pick": "picking the one term that counts",
}


def in_words(by):
    """The rewritings that `by` names in words: 'comparing the sums term by term, then angle addition'."""
    return ", then ".join(WORDS.get(name, name) for name, _ in rewritings(by))


def rewritings(by):
    """The rewritings in `by`, a name or several, as pairs (name, function). Raises ValueError for others."""
    steps = [by] if isinstance(by, str) else list(by)
    if not steps:
        raise ValueError(f"by must name a rewriting, got {by!r}: choose from {', '.join(REWRITINGS)}")
    for step in steps:
        if not isinstance(step, str) or step not in REWRITINGS:
            raise ValueError(f"by must name a rewriting, got {step!r}: choose from {', '.join(REWRITINGS)}")
    return [(step, REWRITINGS[step]) for step in steps]


def entries(e):
    """The entries of a matrix, or the expression itself."""
    return list(e) if isinstance(e, sp.MatrixBase) else [e]


def vanishes(e):
    """Whether an expression, or each entry of a matrix, is the structural zero."""
    return isinstance(e, sp.ZeroMatrix) or all(entry == 0 for entry in entries(e))


def _each(e, function):
    return e.applyfunc(function) if isinstance(e, sp.MatrixBase) else function(e)


def reduced(e, by, given=()):
    """The expression after the rewritings in `by`, in turn, inside of sums too, until zero is reached or they end."""
    e = e.xreplace({sp.Eq(*known.args): sp.false for known in given if isinstance(known, sp.Ne)})  # in a Piecewise
    for name, rewrite in rewritings(by):
        step = (lambda x: _pick(x, given)) if name == "pick" else rewrite
        e = _each(e, lambda x, step=step: _inside(step(_inside(x, step))))
        if vanishes(e):
            break
    return e


def _inside(e, step=None):
    """The `canonical` form of e, with step, a function, applied to what sums hold, and no sums of zero."""

    def stepped(total):
        inner = step(total.function) if step and not total.function.has(*BINDERS) else total.function
        return sp.S.Zero if inner == 0 else sp.Sum(inner, *total.limits)

    return canonical(_replace_sums(e, stepped))


def canonical(e):
    """The expression with bound variables named by depth: two sums that differ in such a name alone become one.

    SymPy's as_dummy does this too, and forgets that the variable is whole.
    """

    def named_by_depth(total):
        # Sums are replaced from the inside out: those within have their depths already.
        depth = 1 + max((_DEPTHS.get(symbol, -1) for symbol in total.atoms(sp.Symbol)), default=-1)
        return _rebound(total, {v: _at_depth(depth, n) for n, (v, *_) in enumerate(total.limits)})

    return _replace_sums(renamed(e), named_by_depth)


_DEPTHS = {}


def _at_depth(depth, n):
    """The n-th variable of a sum at a depth, which is 0 for a sum that holds no other."""
    symbol = sp.Symbol(f"_{depth}_{n}", integer=True)
    _DEPTHS[symbol] = depth
    return symbol


def _rebound(total, names):
    """A sum or an integral with other bound variables. names: {old: new}."""
    limits = [(names[v], *(end.xreplace(names) for end in ends)) for v, *ends in total.limits]
    return total.func(total.function.xreplace(names), *limits)


# --- definitions ------------------------------------------------------------------------------


def renamed(e):
    """The expression with a new name for each bound variable, so that no definition is caught by one."""
    if not e.has(*BINDERS):
        return e

    def fresh(total):
        return _rebound(total, {v: sp.Dummy(v.name, **v.assumptions0) for v, *_ in total.limits})

    return e.replace(lambda part: isinstance(part, BINDERS), fresh)


def with_definitions(e, definitions):
    """The expression with the names in definitions, {name: expression or Lambda}, replaced; each use binds its own."""
    e = renamed(e)
    for _ in range(len(definitions)):
        before = e
        for name, definition in definitions.items():
            if isinstance(name, UndefinedFunction):
                e = e.replace(name, lambda *a, d=definition: renamed(d.expr).xreplace(_paired(d, a)))
            else:
                e = e.xreplace({name: renamed(sp.sympify(definition))})
        if e == before:
            break
    return e


def _paired(definition, arguments):
    return dict(zip(definition.variables, arguments, strict=True))


def carried_out(e):
    """A matrix expression multiplied out, transposed, expanded, if its size is a number; else e as it is."""
    if isinstance(e, MatrixExpr):
        e = e.doit(deep=False) if not e.has(*BINDERS) else e
        try:
            e = e.as_explicit()
        except (ValueError, TypeError):
            return e
    return e

"""A statement in, a card out.

`prove`, `prove_by_induction` and `refute` are exact (SymPy), `measure` is for experiments: each returns one `Result`, the
card of its statement. `agree` and `differ` compare two computations; they are the numeric twin that a card carries as
`run`. A statement is read once (`statement`): it is in the language, and each part of it has a value on the domain. It is
tried at points of the domain in ball arithmetic (`domain`, `evaluate`), and then rewritten to zero (`rewriting`). Where
its sides are rational in sines, cosines and exponentials, it is decided once more as polynomials (`polynomials`).
"""

import sympy as sp
from sympy.core.function import UndefinedFunction

from . import polynomials, rewriting
from .card import MIME, Result, card_of, named, refuted, runs_of
from .domain import permutation
from .evaluate import NotInLanguage, Undecided, Undefined, method
from .rewriting import carried_out, defined, reduced
from .runs import NotProved, Run, Vacuous, agree, differ, finite_number
from .statement import Statement

UNDONE = {"term by term", "re-index", "pick"}  # with these, sums stay sums


# --- the check --------------------------------------------------------------------------------


def tried(statement):
    """Compare the sides as stated at points of the domain.

    Raises NotProved where the relation fails, Undefined where a side has no value.
    """
    left, right, domain = statement.left, statement.right, statement.domain
    for exact, point in domain.points():
        try:
            if point.holds(statement.relation, left, right):
                continue
        except (Undefined, Undecided) as problem:
            how = "has no value" if isinstance(problem, Undefined) else "cannot be computed closely enough"
            raise Undefined(
                f"{_at(statement, exact)} a side {how} ({problem}): narrow the domain, by assumptions or by given=[…]"
            ) from None
        raise NotProved(_lesson(statement, exact, point))


def _lesson(statement, exact, point):
    """Where a statement fails: in round numbers, where there are some, at the point with the largest gap."""
    left, right = statement.left, statement.right
    worst = None
    for place, other in statement.domain.round_points():
        try:
            if not other.holds(statement.relation, left, right):
                gap = other.gap(left, right)
                if worst is None or gap > 1.0001 * worst[0]:
                    worst = gap, place, other
        except (Undefined, Undecided):
            continue
    _, exact, point = worst or (0, exact, point)
    shown = []
    for side in (left, right):
        value = point.decimals(side)
        text = str(_value(side, statement.where, exact)) if not statement.domain.functions else ""
        shown.append(
            f"{text} = {value}" if 0 < len(text) <= 16 and text != value and "Sum" not in text else value
        )
    return f"false {_at(statement, exact)}: the left side is {shown[0]}, the right side {shown[1]}"


def _at(statement, exact):
    drawn = [*statement.domain.functions, *statement.domain.bases, *statement.domain.matrices]
    place = "at " + ", ".join(f"{s} = {v}" for s, v in exact.items()) if exact else "as it stands"
    return place + (f", with {', '.join(map(str, drawn))} drawn at random" if drawn else "")


def _value(side, where, at):
    """The exact value of a side at a point."""
    functions = {name: v for name, v in at.items() if isinstance(name, UndefinedFunction)}
    side = defined(defined(side, where), functions).subs({n: v for n, v in at.items() if n not in functions})
    value = carried_out(side.doit())
    return value.applyfunc(sp.expand) if isinstance(value, sp.MatrixBase) else value


def _definite(e, where, by):
    """The side with its names replaced and, unless a rewriting wants sums as they are, carried out."""
    e = defined(e, where)
    undone = UNDONE & {name for name, _ in rewriting.named(by)}
    return carried_out(e if undone else e.doit())


def _difference(statement, by):
    left, right = (_definite(side, statement.where, by) for side in (statement.left, statement.right))
    return reduced(left - right, by, statement.given)


def _checked(statement, by):
    """Read, try and rewrite a statement. Returns whether it was decided a second time, as polynomials."""
    statement.insist_on_values(by)
    tried(statement)
    rest = _difference(statement, by)
    if statement.relation is not sp.Eq:
        if (left := statement.relation(rest, 0)) != sp.true:
            raise NotProved(f"the relation does not reduce to true; what is left: {left}")
        return False
    if not rewriting.vanishes(rest):
        raise NotProved(f"left - right does not reduce to zero; what is left: {rest}")
    return polynomials.decided(statement)


def _stated(id, statement):
    """Refuse what could not be false."""
    sides = statement.sides
    if statement.left == statement.right or sides[0] == sides[1]:
        raise Vacuous(f"{id}: both sides are {statement.left}; state two different expressions")
    domain = statement.domain
    if not (domain.symbols or domain.functions or domain.matrices or domain.bases):
        raise Vacuous(
            f"{id}: no free symbol, so this is arithmetic; use measure, or state it for every value"
        )
    return statement


# --- exact ------------------------------------------------------------------------------------


def prove(id, left, right=None, *, title, by, run=(), steps=(), where=None, given=(), leans_on="", claim=""):
    """Prove left = right, for all values of the symbols that their assumptions and `given` allow.

    left, right: SymPy expressions or matrices of one shape, not identical, with a free symbol or function.
    A relation may stand alone as `left` (built with evaluate=False): it must reduce to true.
    by: one or more names in rewriting.REWRITINGS, applied in turn to the difference of the sides.
    run: what agree(…) returned for the same statement in numbers, or a list of these; in the book, always.
    steps: expressions, or pairs (expression, reason), between left and right; each is checked.
    where: definitions {name: value} that the statement uses; shown under it.
    given: Lt, Le, Gt, Ge, Ne; shown, and met by each point tried.
    leans_on: a fact stored in SymPy that the proof rests on.
    Returns a Result. Raises NotProved with the point or the residue, Vacuous where nothing is stated,
    Undefined where a side need not have a value on the domain, NotInLanguage for what the checker does not speak of.
    """
    named(id, title)
    runs, names = runs_of(id, run, "agrees"), rewriting.words(by)
    relation = sp.Eq
    if right is None:
        if not isinstance(left, sp.core.relational.Relational):
            raise Vacuous(f"{id}: {left} is not an open statement; pass two sides or evaluate=False")
        relation, (left, right) = left.func, left.args
    whole = _stated(id, Statement(left, right, where, given, relation))
    line, twice = whole.left, []
    chain = [s if isinstance(s, tuple) else (s, "") for s in steps] + [(whole.right, "")]
    for expression, _ in chain:
        if expression == line:
            raise Vacuous(f"{id}: the step {expression} repeats the line before it; leave it out")
        step = Statement(line, expression, where, given, relation)
        twice.append(_checked(step, by))
        line = step.right
    how = f"by {names}." + (f" It leans on a fact stored in SymPy: {leans_on}." if leans_on else "")
    return card_of(id, title, whole, how, runs, claim, all(twice), chain if steps else ())


def prove_by_induction(
    id, term, closed, *, over, first, then, title, by, run=(), where=None, given=(), claim=""
):
    """Prove that the sequence with a first value and a rule for the next has the closed form.

    term: the Symbol or MatrixSymbol that stands for the term at `over`. closed: its form in `over`, a symbol of
    whole numbers from 0 on, or from 1 if it is positive. first: the value there. then: the next, in terms of `term`.
    Checked are two statements: closed at the first place is first, and then of closed is closed one further.
    Returns one Result. Raises as `prove` does.
    """
    named(id, title)
    runs, names = runs_of(id, run, "agrees"), rewriting.words(by)
    closed, first, then = (sp.sympify(e) for e in (closed, first, then))
    if not (over.is_integer and over.is_nonnegative) or over.is_even is not None:
        raise ValueError(f"over must be a symbol of integers from 0 or 1 on, got {over}: "
                         "declare integer=True, nonnegative=True")  # fmt: skip
    start = int(bool(over.is_positive))
    if not then.has(term) or not closed.has(over) or closed.has(term) or first.has(term) or first.has(over):
        raise Vacuous(f"{id}: then must use {term}, closed must use {over} and not {term}, and first neither")
    if any(g.has(over) or g.has(term) for g in given) or any(
        sp.sympify(d).has(over, term) for d in (where or {}).values()
    ):
        raise ValueError(
            f"{id}: no condition or definition may mention {over} or {term}: state it of the other symbols"
        )
    following, twice = then.subs(term, closed), []
    pairs = ((closed.subs(over, start), first), (following, closed.subs(over, over + 1)))
    for left, right in pairs:
        if left != right:
            twice.append(_checked(Statement(left, right, where, given), by))
    any_term = term if isinstance(term, sp.MatrixSymbol) else sp.Symbol(term.name)
    rule = then.xreplace({term: any_term})  # it must have a value whatever the term is
    Statement(rule, rule, where, given).insist_on_values(by)
    whole = Statement(closed, following, where, given)
    how = f"by induction on ${sp.latex(over)}$: the base ${sp.latex(over)} = {start}$ and the step, each by {names}."
    return card_of(
        id, title, whole, how, runs, claim, all(twice), induction=(term, over, start, first, then, closed)
    )


def refute(id, left, right, *, at, title, run=(), where=None, given=(), claim=""):
    """Refute left = right by exact values at a counterexample inside the domain.

    at: {symbol: exact value} for every free symbol; functions take a Lambda, matrices a matrix. run: what
    differ(…) returned, or a list. Returns a Result that shows both values. Raises NotProved if the two sides
    are equal there, Vacuous if they are one expression, ValueError outside the domain.
    """
    named(id, title)
    runs = runs_of(id, run, "differs")
    statement = Statement(left, right, where, given)
    left, right, domain = statement.left, statement.right, statement.domain
    if left == right:
        raise Vacuous(f"{id}: both sides are {left}; there is nothing to refute")
    at = {
        name if isinstance(name, UndefinedFunction) else sp.sympify(name): _exact(v) for name, v in at.items()
    }
    if domain.bases:
        raise ValueError(f"{domain.bases[0]} is a sequence: state what is to be refuted with a function")
    names = [*domain.symbols, *domain.functions, *domain.matrices]
    missing, idle = [n for n in names if n not in at], [n for n in at if n not in names]
    if missing or idle:
        words = f"add {', '.join(map(str, missing))}" if missing else f"leave out {', '.join(map(str, idle))}"
        raise ValueError(
            f"at must give a value to each symbol of the statement and to no other, got {at}: {words}"
        )
    domain.refuse_outside(at)
    exact, functions, matrices = (
        {name: at[name] for name in kind} for kind in (domain.symbols, domain.functions, domain.matrices)
    )
    point = domain.point(exact, 0, functions, matrices)
    _insist_on_a_difference(statement, point, at)
    values = [_value(side, statement.where, at) for side in (left, right)]
    for side, value in zip((left, right), values, strict=True):
        if not point.holds(sp.Eq, side, value):
            raise NotProved(
                f"SymPy's exact value {value} is not that of {side} at {at}: choose another point"
            )
    return refuted(id, title, statement, at, values, runs, claim)


def _exact(value):
    if type(value).__module__.partition(".")[0] in ("numpy", "torch", "mpmath", "decimal") or isinstance(
        value, float
    ):
        raise TypeError(f"at must hold exact values, got {value!r}: write Rational(1, 100) in place of 0.01")
    value = sp.sympify(value)
    for e in value if isinstance(value, sp.MatrixBase) else [value]:
        for number in e.atoms(sp.Float):
            method(number)
    return value


def _insist_on_a_difference(statement, point, at):
    try:
        if not all(point(condition) for condition in statement.given):
            raise ValueError(f"{at} lies outside the domain {statement.given}: choose a point inside")
        same = point.holds(sp.Eq, statement.left, statement.right)
    except Undefined as problem:
        raise ValueError(
            f"at {at} a side has no value ({problem}): choose a point where both have one"
        ) from None
    except Undecided:
        raise NotProved(f"at {at} the sides cannot be told apart: choose another point") from None
    if same:
        raise NotProved(
            f"left and right are equal at {at}: {point.decimals(statement.left)}; choose another point"
        )


# --- experiments ------------------------------------------------------------------------------


def measure(id, value, *, title, above=None, below=None, exactly=None, digits=None, on="", claim=""):
    """The card of an experiment: a number within stated bounds, an exact count, or a run of agree or differ.

    above, below: bounds that the value must keep, near enough to mean something. exactly: a whole number.
    digits: decimals of the value that hold on every machine; they are shown. on: what was measured, briefly.
    Raises NotProved where the value misses a bound, Vacuous where the bound could not be missed.
    """
    named(id, title)
    if isinstance(value, Run):
        if not (above is below is exactly is digits is None):
            raise ValueError(f"{id}: a run has its own bound: leave out above, below, exactly and digits")
        return Result(id, "measured", title, verdict=value.text, claim=claim, plain=(value.text,))
    verdict = (f"{on}: " if on else "") + finite_number(id, value, above, below, exactly, digits)
    return Result(id, "measured", title, verdict=verdict, claim=claim, plain=(verdict,))


__all__ = ["MIME", "NotInLanguage", "NotProved", "Result", "Run", "Undefined", "Vacuous", "agree", "differ", "measure",
           "permutation", "prove", "prove_by_induction", "refute"]  # fmt: skip

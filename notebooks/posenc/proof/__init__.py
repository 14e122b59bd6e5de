"""A statement in, a card out.

`prove`, `prove_by_induction` and `refute` are exact (SymPy), `measure` is for experiments: each returns one
`Result`, the card of its statement. `agree` and `differ` compare two computations; they are the numeric
twin that a card carries as `run`. A statement is read once (`statement`): it is in the language, and each
part of it has a value on the domain. It is tried at points of the domain in ball arithmetic (`domain`,
`evaluate`), and then rewritten to zero (`rewriting`). Where its sides are rational in sines, cosines and
exponentials, it is decided once more as polynomials (`polynomials`).
"""

import re

import sympy as sp
from sympy.core.function import UndefinedFunction
from sympy.core.relational import Relational

from . import polynomials, rewriting
from .card import MIME, Result, card_of, named, refuted, runs_of
from .domain import permutation
from .evaluate import NotInLanguage, Undecided, Undefined, method
from .rewriting import carried_out, defined, reduced
from .runs import NotProved, Run, Vacuous, agree, differ, finite_number
from .statement import Statement

__all__ = ["MIME", "NotInLanguage", "NotProved", "Result", "Run", "Undefined", "Vacuous", "agree", "differ",
           "measure", "permutation", "prove", "prove_by_induction", "refute"]  # fmt: skip


def prove(id, left, right=None, *, title, by, run=(), steps=(), where=None, given=(), leans_on="", claim=""):
    """Prove left = right, for all values of the symbols that their assumptions and `given` allow.

    left, right: SymPy expressions or matrices of one shape, not identical, with a free symbol or function.
    Ne(…, evaluate=False) may stand alone as `left`: it must reduce to true.
    by: one or more names in rewriting.REWRITINGS, applied in turn to the difference of the sides.
    run: what agree(…) returned for the same statement in numbers, or a list of these; in the book, always.
    steps: expressions, or pairs (expression, reason), between left and right; each is checked.
    where: definitions {name: value} that the statement uses; shown under it.
    given: Lt, Le, Gt, Ge, Ne; shown, and met by each point tried.
    leans_on: a fact stored in SymPy that the proof rests on.
    Returns a Result. Raises NotProved with the point or the residue, Vacuous where nothing is stated,
    Undefined where a side need not have a value on the domain, NotInLanguage for what is not in the language.
    """
    named(id, title)
    runs, names = runs_of(id, run, "agrees"), rewriting.words(by)
    relation = sp.Eq
    if right is None:
        if not isinstance(left, Relational):
            raise Vacuous(f"{id}: {left} is not an open statement; pass two sides or evaluate=False")
        relation, (left, right) = left.func, left.args
    if steps and relation is sp.Ne:
        raise ValueError(f"{id}: steps lead from one side to the other of an equality, not of Ne")
    whole = Statement(left, right, where, given, relation)
    _insist_on_content(id, whole)
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


def prove_by_induction(id, term, closed, *, over, first, then, title, by, run=(), where=None, given=(),
                       claim=""):  # fmt: skip
    """Prove that the sequence with a first value and a rule for the next has the closed form.

    term: the Symbol or MatrixSymbol that stands for the term at `over`. closed: its form in `over`, a symbol
    of whole numbers from 0 on, or from 1 if it is positive. first: the value there. then: the next one.
    Checked are two statements: closed at the first place is first, and then of closed is closed one further.
    Returns one Result. Raises as `prove` does.
    """
    named(id, title)
    runs, names = runs_of(id, run, "agrees"), rewriting.words(by)
    closed, first, then = (sp.sympify(e) for e in (closed, first, then))
    if not (over.is_integer and over.is_nonnegative) or over.is_even is not None:
        raise ValueError(f"over must be a symbol of integers from 0 or 1 on, got {over}: "
                         "declare integer=True, nonnegative=True")  # fmt: skip
    if not isinstance(term, (sp.Symbol, sp.MatrixSymbol)):
        raise ValueError(f"{id}: term must be a Symbol or a MatrixSymbol, got {term}")
    if not then.has(term) or not closed.has(over) or closed.has(term) or first.has(term) or first.has(over):
        raise Vacuous(f"{id}: then must use {term}, closed must use {over} and not {term}, and first neither")
    if term in (where or {}) or any(sp.sympify(e).has(over, term) for e in [*given, *(where or {}).values()]):
        raise ValueError(f"{id}: no condition or definition may mention {over} or {term}: "
                         "state it of the other symbols")  # fmt: skip
    start, following = int(bool(over.is_positive)), then.subs(term, closed)
    pairs = ((closed.subs(over, start), first), (following, closed.subs(over, over + 1)))
    twice = [_checked(Statement(*pair, where, given), by) for pair in pairs if pair[0] != pair[1]]
    any_term = term if isinstance(term, sp.MatrixSymbol) else sp.Symbol(term.name)
    Statement(then, then, {**(where or {}), term: closed}, given)  # no variable of a sum is caught
    for e in (first, closed, then.xreplace({term: any_term})):  # the rule has a value whatever the term is
        Statement(e, e, where, given).insist_on_values(by)
    tex = sp.latex(over)
    how = f"by induction on ${tex}$: the base ${tex} = {start}$ and the step, each by {names}."
    return card_of(id, title, Statement(closed, following, where, given), how, runs, claim, all(twice),
                   induction=(term, over, start, first, then, closed))  # fmt: skip


def refute(id, left, right, *, at, title, run=(), where=None, given=(), claim=""):
    """Refute left = right by exact values at a counterexample inside the domain.

    at: {symbol: exact value} for every free symbol; functions take a Lambda, matrices a matrix. run: what
    differ(…) returned, or a list. Returns a Result that shows both values. Raises NotProved if the two sides
    are equal there, Vacuous if they are one expression, ValueError outside the domain, Undefined where a side
    has no value.
    """
    named(id, title)
    runs = runs_of(id, run, "differs")
    statement = Statement(left, right, where, given)
    sides, domain = (statement.left, statement.right), statement.domain
    if sides[0] == sides[1]:
        raise Vacuous(f"{id}: both sides are {left}; there is nothing to refute")
    at = {n if isinstance(n, UndefinedFunction) else sp.sympify(n): _exact(v) for n, v in dict(at).items()}
    if domain.bases:
        raise ValueError(f"{domain.bases[0]} is a sequence: state what is to be refuted with a function")
    names = [*domain.symbols, *domain.functions, *domain.matrices]
    missing, idle = [n for n in names if n not in at], [n for n in at if n not in names]
    if missing or idle:
        words = f"add {', '.join(map(str, missing))}" if missing else f"leave out {', '.join(map(str, idle))}"
        raise ValueError(f"at must give a value to each symbol of the statement and to no other, got {at}: "
                         f"{words}")  # fmt: skip
    domain.refuse_outside(at)
    chosen = {n: at[n] for n in (*domain.functions, *domain.matrices)}
    statement.insist_on_values(at=at)
    point = domain.point({s: at[s] for s in domain.symbols}, chosen=chosen)
    _insist_on_a_difference(statement, point, at)
    values = [_value(side, statement.where, at) for side in sides]
    for side, value in zip(sides, values, strict=True):
        if not point.holds(sp.Eq, side, value):
            raise NotProved(f"SymPy's value {value} is not that of {side} at {at}: choose another point")
    return refuted(id, title, statement, at, values, runs, claim)


def measure(id, value, *, title, above=None, below=None, exactly=None, digits=None, on="", claim=""):
    """The card of an experiment: a number within stated bounds, an exact count, or a run of agree or differ.

    above, below: bounds that the value must keep, near enough to mean something. exactly: a whole number.
    digits: decimals of the value that hold on every machine; they are shown. on: what was measured, briefly.
    Raises NotProved where the value misses a bound, Vacuous where the bound could not be missed.
    """
    named(id, title)
    if not isinstance(value, Run):
        verdict = (f"{on}: " if on else "") + finite_number(id, value, above, below, exactly, digits)
    elif above is below is exactly is digits is None:
        verdict = value.text
    else:
        raise ValueError(f"{id}: a run has its own bound: leave out above, below, exactly and digits")
    return Result(id, "measured", title, verdict=verdict, claim=claim, plain=(verdict,))


# --- a statement is checked -------------------------------------------------------------------

UNDONE = {"term by term", "re-index", "pick"}  # with these, sums stay sums


def _insist_on_content(id, statement):
    """Refuse what could not be false."""
    left, right = (defined(side, statement.where) for side in (statement.left, statement.right))
    if statement.left == statement.right or left == right:
        raise Vacuous(f"{id}: both sides are {statement.left}; state two different expressions")
    domain = statement.domain
    if not (domain.symbols or domain.functions or domain.matrices or domain.bases):
        raise Vacuous(f"{id}: no free symbol, so this is arithmetic; "
                      "use measure, or state it for every value")  # fmt: skip


def _checked(statement, by):
    """Read, try and rewrite a statement. Returns whether it was decided a second time, as polynomials."""
    statement.insist_on_values(by)
    _try(statement)
    left, right = (_carried_out(side, statement.where, by) for side in (statement.left, statement.right))
    rest = reduced(left - right, by, statement.given)
    if statement.relation is sp.Ne:
        if sp.Ne(rest, 0) != sp.true:
            raise NotProved(f"the relation does not reduce to true; what is left: {sp.Ne(rest, 0)}")
        return False
    if not rewriting.vanishes(rest):
        raise NotProved(f"left - right does not reduce to zero; what is left: {rest}")
    return polynomials.decided(statement)


def _carried_out(e, where, by):
    """The side with its names replaced and, unless a rewriting wants sums as they are, carried out."""
    e = defined(e, where)
    return carried_out(e if UNDONE & {name for name, _ in rewriting.named(by)} else e.doit())


def _try(statement):
    """Compare the sides as stated at points of the domain; the refusal says where they fail."""
    for exact, point in statement.domain.points():
        try:
            if point.holds(statement.relation, statement.left, statement.right):
                continue
        except (Undefined, Undecided) as problem:
            how = "has no value" if isinstance(problem, Undefined) else "cannot be computed closely enough"
            raise Undefined(f"{_at(statement, exact)} a side {how} ({problem}): narrow the domain, "
                            "by assumptions or by given=[…]") from None  # fmt: skip
        raise NotProved(_lesson(statement, exact, point))


LESSONS = 6  # round points compared, at which a statement fails


def _lesson(statement, exact, point):
    """Where a statement fails: in round numbers, where there are some, and where the sides differ most."""
    failing, sides = [], (statement.left, statement.right)
    for place, other in statement.domain.round_points():
        try:
            new = place not in [before for _, before, _ in failing]
            if new and not other.holds(statement.relation, statement.left, statement.right):
                failing.append((other.gap(*sides)[0], place, other))
        except (Undefined, Undecided):
            continue
        if len(failing) == LESSONS:
            break
    if failing:
        _, exact, point = max(failing, key=lambda found: found[0])
    shown, entry, drawn = [], point.gap(*sides)[1], statement.domain.functions or statement.domain.matrices
    for side in sides:
        value = point.decimals(side, entry)
        text = "" if drawn else str(_value(side, statement.where, exact, entry))
        short = 0 < len(text) <= 16 and text != value and not re.search("Sum|Matrix", text)
        shown.append(f"{text} = {value}" if short else value)
    of = f"entry {list(entry)} of " if entry else ""
    both = f"{of}the left side is {shown[0]}, {'of ' if of else ''}the right side {shown[1]}"
    return f"false {_at(statement, exact)}: {both}"


def _at(statement, exact):
    drawn = [*statement.domain.functions, *statement.domain.bases, *statement.domain.matrices]
    place = "at " + ", ".join(f"{s} = {v}" for s, v in exact.items()) if exact else "as it stands"
    return place + (f", with {', '.join(map(str, drawn))} drawn at random" if drawn else "")


def _value(side, where, at, entry=None):
    """The exact value of a side at a point, or an entry of it."""
    functions = {name: v for name, v in at.items() if isinstance(name, UndefinedFunction)}
    side = defined(defined(side, where), functions).subs({n: v for n, v in at.items() if n not in functions})
    value = carried_out(side.doit())
    if isinstance(value, sp.MatrixBase):
        return value.applyfunc(sp.expand) if entry is None else value[entry]
    return value


def _exact(value):
    """The value of a counterexample, which holds no float."""
    foreign = type(value).__module__.partition(".")[0] in ("numpy", "torch", "mpmath", "decimal")
    if foreign or isinstance(value, float):
        raise TypeError(f"at must hold exact values, got {value!r}: write Rational(1, 100) in place of 0.01")
    value = sp.sympify(value)
    if not isinstance(value, (sp.Expr, sp.MatrixBase, sp.Lambda)):
        raise TypeError(f"at takes numbers, matrices and Lambdas, got {value}")
    for e in rewriting.entries(value):
        for number in e.atoms(sp.Float):
            method(number)
    return value


def _insist_on_a_difference(statement, point, at):
    try:
        if not all(point(condition) for condition in statement.given):
            raise ValueError(f"{at} lies outside the domain {statement.given}: choose a point inside")
        same = point.holds(sp.Eq, statement.left, statement.right)
    except Undefined as problem:
        words = f"at {at} a side has no value ({problem}): choose a point where both have one"
        raise ValueError(words) from None
    except Undecided:
        raise NotProved(f"at {at} the sides cannot be told apart: choose another point") from None
    if same:
        value = point.decimals(statement.left)
        raise NotProved(f"left and right are equal at {at}: {value}; choose another point")

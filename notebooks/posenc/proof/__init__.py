"""A statement in, a card out.

`prove`, `prove_by_induction` and `refute` are exact (SymPy), `measure` is for experiments: each returns one
`Result`, the card of its statement. `agree` and `differ` compare two computations; they are the numeric
twin that a card carries as `run`. A statement is read as it stands: it is in the language (`statement`), each
part of it has a value on the domain (`definedness`), and its card reads as nothing else (`notation`). It is tried at
points of the domain in ball arithmetic (`domain`, `evaluate`), and then rewritten to zero (`rewriting`); `checker`
does both, and says where a false one fails.
"""

import re

import sympy as sp
from sympy.core.function import UndefinedFunction
from sympy.core.relational import Relational

from . import checker, rewriting
from .card import MIME, Result, card_of, check_id_and_title, refuted, runs_of
from .comparisons import NotProved, Run, Vacuous, agree, differ, finite_number
from .domain import Domain, permutation
from .evaluate import NotInLanguage, Undefined
from .matrices import rotation
from .notation import insist_on_one_reading
from .statement import Statement

__all__ = [
    "MIME",
    "NotInLanguage",
    "NotProved",
    "Result",
    "Run",
    "Undefined",
    "Vacuous",
    "agree",
    "differ",
    "measure",
    "permutation",
    "prove",
    "prove_by_induction",
    "refute",
    "rotation",
]


STORED = ("π is irrational",)  # facts that SymPy knows, and a proof may lean on
FAILS = re.compile(r"\bnot (always|so|at)\b")  # in the title of a refutation, as its card says it


def prove(
    id, left, right=None, *, title, by, run=(), steps=(), where=None, given=(), leans_on="", claim="", formula=""
):
    """Prove left = right, for all values of the symbols that their assumptions and `given` allow.

    left, right: SymPy expressions or matrices of one shape, not identical, with a free symbol or function.
    Ne(…, evaluate=False) may stand alone as `left`: it must reduce to true.
    by: one or more names in rewriting.REWRITINGS, applied in turn to the difference of the sides.
    run: what agree(…) returned for the same statement in numbers, or a list of these; in the book, always.
    steps: expressions, or pairs (expression, reason), between left and right; each is checked.
    where: definitions {name: value} that the statement uses; shown under it.
    given: Lt, Le, Gt, Ge, Ne; shown, and met by each point tried.
    leans_on: a fact stored in SymPy that the proof rests on.
    formula: the statement in TeX as its author writes it, for the line under an open cell; what was checked
        is shown beside it.
    Returns a Result. Raises NotProved with the point or the residue, Vacuous where nothing is stated,
    Undefined where a side need not have a value on the domain, NotInLanguage for what is not in the language.
    """
    check_id_and_title(id, title)
    runs, names = runs_of(id, run, "agrees"), rewriting.in_words(by)
    relation = sp.Eq
    if right is None:
        if not isinstance(left, Relational):
            raise Vacuous(f"{id}: {left} is not an open statement; pass two sides or evaluate=False")
        relation, (left, right) = left.func, left.args
    if steps and relation is sp.Ne:
        raise ValueError(f"{id}: steps lead from one side to the other of an equality, not of Ne")
    statement = Statement(left, right, where, given, relation)
    chain = [step if isinstance(step, tuple) else (step, "") for step in steps] + [(statement.right, "")]
    if leans_on not in ("", *STORED):
        raise ValueError(f"leans_on must be one of {', '.join(STORED)}, got {leans_on!r}: leave it out")
    checker.insist_on_content(id, statement)
    insist_on_one_reading([statement.left, *(sp.sympify(e) for e, _ in chain)], statement.where, statement.given)
    lines = [statement.left]
    for expression, _ in chain:
        if expression in lines:
            raise Vacuous(f"{id}: the step {expression} repeats a line before it; leave it out")
        step = Statement(lines[-1], expression, where, given, relation)
        checker.check(step, by)
        lines.append(step.right)
    how = f"by {names}." + (f" It leans on a fact stored in SymPy: {leans_on}." if leans_on else "")
    return card_of(id, title, statement, how, runs, claim, chain if steps else (), formula=formula)


def prove_by_induction(id, term, closed, *, over, first, then, title, by, run=(), given=(), claim="", formula=""):
    """Prove that the sequence with a first value and a rule for the next has the closed form.

    term: the Symbol or MatrixSymbol that stands for the term at `over`. closed: its form in `over`, a symbol
    of whole numbers from 0 on, or from 1 if it is positive. first: the value there. then: the next one.
    given: as in `prove`, of neither `over` nor `term`.
    Checked are two statements: closed at the first place is first, and then of closed is closed one further.
    Returns one Result. Raises as `prove` does.
    """
    check_id_and_title(id, title)
    runs, names = runs_of(id, run, "agrees"), rewriting.in_words(by)
    closed, first, then = (sp.sympify(e) for e in (closed, first, then))
    if not (over.is_integer and over.is_nonnegative) or over.is_even is not None:
        raise ValueError(
            f"over must be a symbol of integers from 0 or 1 on, got {over}: declare integer=True, nonnegative=True"
        )
    if not isinstance(term, (sp.Symbol, sp.MatrixSymbol)):
        raise ValueError(f"{id}: term must be a Symbol or a MatrixSymbol, got {term}")
    if not then.has(term) or not closed.has(over) or closed.has(term) or first.has(term) or first.has(over):
        raise Vacuous(f"{id}: then must use {term}, closed must use {over} and not {term}, and first neither")
    if stray := [condition for condition in map(sp.sympify, given) if condition.has(over, term)]:
        raise ValueError(f"{id}: given must be of other symbols than {over} and {term}, got {stray[0]}")
    sequence = str(term), over, lambda place: closed.subs(over, place).doit()
    insist_on_one_reading([first, then, closed], given=given, sequence=sequence)
    start, following = int(bool(over.is_positive)), then.subs(term, closed)
    pairs = ((closed.subs(over, start), first), (following, closed.subs(over, over + 1)))
    for left, right in pairs:
        if left != right:
            checker.check(Statement(left, right, given=given), by)
    # The rule has a value whatever the term is: nothing is assumed of this one.
    any_term = term if isinstance(term, sp.MatrixSymbol) else sp.Symbol(term.name)
    for e in (first, closed, then.xreplace({term: any_term})):
        Statement(e, e, given=given).insist_on_values(by)
    stated = Statement(closed, following, given=given)
    stated.domain = Domain([first, closed, then.xreplace({term: any_term})], {}, stated.given)  # some cancel later
    stated.domain.drop(any_term)
    tex = sp.latex(over)
    how = f"by induction on ${tex}$: the base ${tex} = {start}$ and the step, each by {names}."
    induction = (term, over, start, first, then, closed)
    return card_of(id, title, stated, how, runs, claim, induction=induction, formula=formula)


def refute(id, left, right, *, at, title, run=(), where=None, given=(), claim=""):
    """Refute left = right by exact values at a counterexample inside the domain.

    at: {symbol: exact value} for every free symbol; functions take a Lambda, matrices a matrix. run: what
    differ(…) returned, or a list. Returns a Result that shows both values. Raises NotProved if the two sides
    are equal there, Vacuous if they are one expression, ValueError outside the domain, Undefined where a side
    has no value.
    """
    check_id_and_title(id, title)
    if not FAILS.search(title):
        words = f"{id}: title must say that this is not always so, got {title!r}"
        raise ValueError(f"{words}: write the claim and then ': not so'")
    runs = runs_of(id, run, "differs")
    statement = Statement(left, right, where, given)
    sides, domain = (statement.left, statement.right), statement.domain
    if sides[0] == sides[1]:
        raise Vacuous(f"{id}: both sides are {left}; there is nothing to refute")
    at = {n if isinstance(n, UndefinedFunction) else sp.sympify(n): checker.as_exact(v) for n, v in dict(at).items()}
    if domain.bases:
        raise ValueError(f"{domain.bases[0]} is a sequence: state what is to be refuted with a function")
    names = [*domain.symbols, *domain.functions, *domain.matrices]
    missing, idle = [n for n in names if n not in at], [n for n in at if n not in names]
    if missing or idle:
        words = f"add {', '.join(map(str, missing))}" if missing else f"leave out {', '.join(map(str, idle))}"
        raise ValueError(f"at must give a value to each symbol of the statement and to no other, got {at}: {words}")
    insist_on_one_reading(sides, statement.where, statement.given, at=at)
    domain.refuse_outside(at)
    chosen = {n: at[n] for n in (*domain.functions, *domain.matrices)}
    statement.insist_on_values(at=at)
    point = domain.point({s: at[s] for s in domain.symbols}, chosen=chosen)
    checker.insist_on_a_difference(statement, point, at)
    values = [checker.exact_value(side, statement.where, at) for side in sides]
    for side, value in zip(sides, values, strict=True):
        if not point.holds(sp.Eq, side, value):
            raise NotProved(f"SymPy's value {value} is not that of {side} at {at}: choose another point")
    return refuted(id, title, statement, at, values, runs, claim)


def measure(id, value, *, title, above=None, below=None, exactly=None, digits=None, on="", claim=""):
    """The card of an experiment: a number within stated bounds, an exact count, or a run of agree or differ.

    value: a number, or the Run that `agree` or `differ` returned, which has its own bound and takes no other.
    above, below: bounds that the value must keep, near enough to mean something. exactly: a whole number.
    digits: decimals of the value that hold on every machine; they are shown. on: what was measured, briefly.
    Raises NotProved where the value misses a bound, Vacuous where the bound could not be missed, ValueError
    where a Run is given a bound.
    """
    check_id_and_title(id, title)
    if not isinstance(value, Run):
        number = finite_number(id, value, above, below, exactly, digits)
        verdict = f"{on}: {number}" if on else number
    elif above is below is exactly is digits is None:
        verdict = value.text
    else:
        raise ValueError(f"{id}: a run has its own bound: leave out above, below, exactly and digits")
    return Result(id, "measured", title, verdict=verdict, claim=claim, plain=(verdict,))

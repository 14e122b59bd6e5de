"""A statement is checked: tried at points of its domain, then rewritten; and the sentence that refuses a false one."""

import re

import sympy as sp
from sympy.core.function import UndefinedFunction

from . import rewriting
from .comparisons import NotProved, Vacuous
from .evaluate import Undecided, Undefined, method_for
from .rewriting import carried_out, reduced, with_definitions

MORE = "name another rewriting in by ('simplify' takes longest and does most), or add steps"
SUMS_STAY = {"term by term", "re-index", "pick"}  # they rewrite sums, so these are not carried out before


def insist_on_content(id, statement):
    """Raise Vacuous for a Statement that could not be false."""
    left, right = (with_definitions(side, statement.where) for side in (statement.left, statement.right))
    if statement.left == statement.right or left == right:
        remedy = "state two different expressions; where SymPy made one of the other, build that with evaluate=False"
        raise Vacuous(f"{id}: both sides are {statement.left}; {remedy}")
    domain = statement.domain
    if not (domain.symbols or domain.functions or domain.matrices or domain.bases):
        raise Vacuous(f"{id}: no free symbol, so this is arithmetic; use measure, or state it for every value")


def check(statement, by):
    """Read, try and rewrite a Statement by the named rewritings. Raises NotProved or Undefined where that fails."""
    statement.insist_on_values(by)
    _try_at_points(statement)
    sums_stay = bool(SUMS_STAY & {name for name, _ in rewriting.rewritings(by)})
    rest = reduced(_difference(statement, sums_stay), by, statement.given)
    if statement.relation is sp.Ne:
        if sp.Ne(rest, 0) != sp.true and not statement.is_nonzero(rest, by):
            raise NotProved(f"the relation does not reduce to true; what is left: {sp.Ne(rest, 0)}; {MORE}")
        return
    if not rewriting.vanishes(rest):
        other = _what_would_do(statement, by, rest)
        remedy = f"by={other!r} would do" if other else _set_apart(rest) or MORE
        raise NotProved(f"left - right does not reduce to zero; what is left: {rest}; {remedy}")


def _difference(statement, sums_stay):
    """The difference of the sides of a Statement, its definitions put in, sums carried out unless they stay."""
    sides = [with_definitions(side, statement.where) for side in (statement.left, statement.right)]
    left, right = (carried_out(side if sums_stay else side.doit()) for side in sides)
    return left - right


def _what_would_do(statement, by, rest):
    """Another `by` that proves a Statement: one name, or those of `by` and one more; None where there is none.

    rest: what `by` leaves of the difference. SymPy's simplify is not tried, which may take minutes.
    """
    if any(total.function.has(sp.Sum) or len(total.limits) > 1 for total in rest.atoms(sp.Sum)):
        return None  # sums of sums take long, too
    tried = [name for name, _ in rewriting.rewritings(by)]
    differences = {sums_stay: _difference(statement, sums_stay) for sums_stay in (True, False)}
    names = [name for name in rewriting.REWRITINGS if name not in ("cancel", "simplify")]
    candidates = []
    for name in [*names, "cancel"]:  # which says less
        candidates += [(name, name, differences[name in SUMS_STAY]), ([*tried, name], name, rest)]
    quotients = ["exponentials", "cancel"]  # such as tanh
    for other, left_to_do, start in [*candidates, (quotients, quotients, differences[False])]:
        try:
            if rewriting.vanishes(reduced(start, left_to_do, statement.given)):
                statement.insist_on_values(other)
                return other
        except Exception:  # SymPy fails in many ways where a rewriting does not apply
            continue
    return None


def _set_apart(rest):
    """A remedy in words where SymPy tells cases apart, as of a geometric sum with quotient 1; None elsewhere."""
    conditions = {c for part in rest.atoms(sp.Piecewise) for _, c in part.args if isinstance(c, sp.Eq)}
    if not conditions:
        return None
    case = min(conditions, key=str)
    return f"SymPy tells the case {case.lhs} = {case.rhs} apart: exclude it with given=[Ne({case.lhs}, {case.rhs})]"


def _try_at_points(statement):
    """Compare the sides as stated at points of the domain. Raises NotProved with the point at which they fail."""
    for exact, point in statement.domain.points():
        try:
            if point.holds(statement.relation, statement.left, statement.right):
                continue
        except (Undefined, Undecided) as problem:
            how = "has no value" if isinstance(problem, Undefined) else "cannot be computed closely enough"
            raise Undefined(
                f"{_place_in_words(statement, exact)} a side {how} ({problem}): narrow the domain, "
                "by assumptions or by given=[…]"
            ) from None
        raise NotProved(_refusal(statement, exact, point))


COMPARED = 6  # round points at which a statement fails; the refusal shows that of the largest difference


def _refusal(statement, exact, point):
    """A sentence that says where a Statement fails: at round numbers that show it well, else at this point."""
    failures, sides = [], (statement.left, statement.right)
    for round_exact, round_point in statement.domain.round_points():
        try:
            new = round_exact not in [earlier for _, earlier, _ in failures]
            if new and not round_point.holds(statement.relation, *sides):
                failures.append((round_point.gap(*sides)[0], round_exact, round_point))
        except (Undefined, Undecided):
            continue
        if len(failures) == COMPARED:
            break
    if failures:
        _, exact, point = max(failures, key=lambda failure: failure[0])
    values, entry, random = [], point.gap(*sides)[1], statement.domain.functions or statement.domain.matrices
    for side in sides:
        value = point.decimals(side, entry)
        text = "" if random else _as_text(exact_value(side, statement.where, exact, entry))
        short = 0 < len(text) <= 16 and text != value and not re.search("Sum|Matrix", text)
        values.append(f"{text} = {value}" if short else value)
    left, right = values
    if entry:
        place = f"entry {list(entry)} of the left side is {left}, of the right side {right}"
    else:
        place = f"the left side is {left}, the right side {right}"
    return f"false {_place_in_words(statement, exact)}: {place}"


def _as_text(value):
    """An exact value as text; "" for a number of more digits than Python writes."""
    try:
        return str(value)
    except ValueError:
        return ""


def _place_in_words(statement, exact):
    """A point in words: 'at x = 1, with f drawn at random'. exact: {symbol: exact value}."""
    random = [*statement.domain.functions, *statement.domain.bases, *statement.domain.matrices]
    place = "at " + ", ".join(f"{s} = {v}" for s, v in exact.items()) if exact else "as it stands"
    return place + (f", with {', '.join(map(str, random))} drawn at random" if random else "")


def exact_value(side, where, at, entry=None):
    """The exact value of a side, or an entry of it, at a point {name: value}. where: the definitions."""
    functions = {name: value for name, value in at.items() if isinstance(name, UndefinedFunction)}
    others = {name: value for name, value in at.items() if name not in functions}
    side = with_definitions(with_definitions(side, where), functions).subs(others)
    value = carried_out(side.doit())
    if isinstance(value, sp.MatrixBase):
        return value.applyfunc(sp.expand) if entry is None else value[entry]
    return value


def as_exact(value):
    """A value of a counterexample as a SymPy object. Raises TypeError for one that holds a float."""
    foreign = type(value).__module__.partition(".")[0] in ("numpy", "torch", "mpmath", "decimal")
    if foreign or isinstance(value, float):
        raise TypeError(f"at must hold exact values, got {value!r}: write Rational(1, 100) in place of 0.01")
    value = sp.sympify(value)
    if not isinstance(value, (sp.Expr, sp.MatrixBase, sp.Lambda)):
        raise TypeError(f"at takes numbers, matrices and Lambdas, got {value}")
    for e in rewriting.entries(value):
        for number in e.atoms(sp.Float):
            method_for(number)
    return value


def insist_on_a_difference(statement, point, at):
    """Raise NotProved where the sides may be equal at a Point, ValueError outside the domain or without a value."""
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

"""A statement in, a card out.

`prove`, `prove_by_induction` and `refute` are exact (SymPy), `measure` is for experiments: each returns
one `Result`, the card of its statement. `agree` and `differ` compare two computations (torch, NumPy);
they are the numeric twin that a card carries as `run`. What is checked is the statement as stated: it is
tried in ball arithmetic on the domain that its symbols declare, and only then rewritten.
"""

import re
from dataclasses import asdict, dataclass, field

import sympy as sp
from sympy.core.function import UndefinedFunction

from . import rewriting
from .balls import Undecided, Undefined, Unsampled, compare
from .domain import ENOUGH, Domain, permutation
from .numeric import NotProved, Run, Vacuous, agree, differ, finite_number
from .rewriting import carried_out, defined, entries, reduced

MIME = "application/vnd.posenc.result+json"
UNDONE = {"term by term", "re-index", "pick"}  # with these, sums stay sums


@dataclass(frozen=True)
class Result:
    """The card of one statement: it displays itself, and carries a JSON bundle for the page of results."""

    id: str
    kind: str
    title: str
    statement: str = ""
    domain: str = ""
    verdict: str = ""
    run: str = ""
    claim: str = ""
    plain: tuple = field(default=(), repr=False)

    def _repr_mimebundle_(self, include=None, exclude=None):
        record = asdict(self)
        del record["plain"]
        runs = f" **Run:** {_escaped(self.run)}" if self.run else ""
        card = [f"**{_escaped(self.title)}**"]
        card += [f"$$\n{self.statement}\n$$"] if self.statement else []
        card += [self.domain] if self.domain else []
        card += [f"**{self.kind.capitalize()}** {self.verdict}{runs} `{self.id}`"]
        return {"text/markdown": "\n\n".join(card), "text/plain": self._text(), MIME: record}

    def _text(self):
        lines = [f"{self.title} [{self.id}]", *self.plain]
        return "\n".join([*lines, f"Run: {self.run}"] if self.run else lines)

    def __repr__(self):
        return self._text()


def _escaped(text):
    """Text in which a star is a star; formulas between dollars stay."""
    parts = text.split("$")
    return "$".join(part if n % 2 else part.replace("*", r"\*") for n, part in enumerate(parts))


# --- the check --------------------------------------------------------------------------------


def sampled(left, right, where=None, given=(), relation=sp.Eq):
    """Compare the sides as stated at points of the domain. Returns how many points decided.

    Raises NotProved at a point where the relation fails, Undefined where a side has no value there,
    Unsampled where too few points can be decided.
    """
    domain, decided = Domain([left, right], where, given), 0
    for exact, at in domain.points():
        try:
            holds = (at.equal(left, right) if relation is sp.Eq
                     else at.decide(lambda e: compare(relation, e(left), e(right))))  # fmt: skip
        except Undecided:
            continue
        except Undefined as problem:
            raise Undefined(
                f"{_point(exact)} a side has no value ({problem}): "
                "narrow the domain, by assumptions or by given=[…]"
            ) from None
        if not holds:
            raise NotProved(
                f"false {_point(exact)}: the left side is {at.decimals(left)}, "
                f"the right side {at.decimals(right)}"
            )
        decided += 1
    if decided < min(ENOUGH, len(domain.points())):
        raise Unsampled(f"only {decided} points could be decided: state it so that it can be evaluated")
    return decided


def _point(exact):
    return (
        "at " + ", ".join(f"{s} = {v}" for s, v in exact.items())
        if exact
        else "for functions drawn at random"
    )


def _definite(e, where, by):
    """The side with its names replaced and, unless a rewriting wants sums as they are, carried out."""
    e = defined(e, where)
    undone = UNDONE & {name for name, _ in rewriting.named(by)}
    return carried_out(e if undone else e.doit())


def _no_floats(*sides):
    for side in sides:
        floats = (
            [atom for e in entries(sp.sympify(side)) for atom in e.atoms(sp.Float)]
            if side is not None
            else []
        )
        if floats:
            raise TypeError(f"{floats[0]} is a float: write an exact number, as Rational(1, 100) for 0.01")


def _equal(left, right, by, where, given, unsampled=""):
    """Sample, then rewrite to zero."""
    shapes = [getattr(side, "shape", None) for side in (left, right)]
    if len({str(s) for s in shapes}) == 2:
        raise ValueError(f"left and right must have one shape, got {shapes[0]} and {shapes[1]}: reshape one")
    try:
        sampled(left, right, where, given)
    except Unsampled:
        if not unsampled:
            raise
    else:
        if unsampled:
            raise ValueError("the statement can be sampled: leave out unsampled")
    left, right = _definite(left, where, by), _definite(right, where, by)
    rest = reduced(left - right, by, given)
    if not rewriting.vanishes(rest):
        raise NotProved(f"left - right does not reduce to zero; what is left: {rest}")


# --- how it is shown --------------------------------------------------------------------------


def _tex(e):
    """LaTeX; rows of a matrix that hold fractions get room between them."""
    text = sp.latex(e, imaginary_unit="ri")  # upright, beside an index i
    return text.replace(r"\\", r"\\[4pt]") if r"\frac" in text else text


def _text(e):
    return re.sub(r"\s*\n\s*", " ", sp.sstr(e))


def _latex(first, where):
    """The statement, and under it the definitions that it uses."""
    if not where:
        return first
    shown = []
    for name, definition in where.items():
        if isinstance(name, UndefinedFunction):
            name, definition = name(*definition.variables), definition.expr
        shown.append(f"{_tex(name)} = {_tex(definition)}")
    rows = [r",\quad ".join(shown[start : start + 3]) for start in range(0, len(shown), 3)]
    lines = [first, r"\text{where}\quad " + rows[0], *rows[1:]]
    return r"\begin{gathered} " + r" \\[6pt] ".join(lines) + r" \end{gathered}"


def _plain(statement, where):
    return statement + (
        ", where " + ", ".join(f"{n} = {_text(v)}" for n, v in where.items()) if where else ""
    )


def _named(id, title):
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id):
        raise ValueError(f"id must be words joined by hyphens, got {id!r}: try 'shift-is-rotation'")
    if not title.strip():
        raise ValueError(f"title must say in words what {id!r} states, got an empty text: write one line")


def _runs(id, run, kind):
    """The text of the runs that a card carries. An exact card without one is refused."""
    runs = list(run) if isinstance(run, (list, tuple)) else [run]
    if not runs or not all(isinstance(r, Run) and r.kind == kind for r in runs):
        verb = {"agrees": "agree", "differs": "differ"}[kind]
        raise ValueError(
            f"{id}: run must be what {verb}(…) returns, got {run!r}: compare two computations of it"
        )
    return " ".join(r.text for r in runs)


def _card(id, kind, title, tex, plain, domain, how, run, claim, where):
    plain = (
        _plain(plain, where),
        *([domain.words(_text, "{}")] if domain else []),
        f"Proved {how}".replace("$", ""),
    )
    words = domain.words() if domain else ""
    return Result(id, kind, title, _latex(tex, where), words, how, run, claim, tuple(p for p in plain if p))


# --- exact ------------------------------------------------------------------------------------


def prove(
    id,
    left,
    right=None,
    *,
    title,
    by,
    run,
    steps=(),
    where=None,
    given=(),
    leans_on="",
    unsampled="",
    claim="",
):
    """Prove left = right, for all values of the symbols that their assumptions and `given` allow.

    left, right: SymPy expressions or matrices of one shape, not identical, with a free symbol or function.
    A relation may stand alone as `left` (built with evaluate=False): it must reduce to true.
    by: one or more names in rewriting.REWRITINGS, applied in turn to the difference of the sides.
    run: what agree(…) returned for the same statement in numbers, or a list of these.
    steps: expressions, or pairs (expression, reason), between left and right; each is checked.
    where: definitions {name: value} that the statement uses; shown under it.
    given: relations, or predicates of matrices such as Q.orthogonal(W); shown, and met by each point tried.
    leans_on: a fact stored in SymPy that the proof rests on. unsampled: why no point can be evaluated, if so.
    Returns a Result. Raises NotProved with the point or the residue, Vacuous where nothing is stated,
    Undefined where a side has no value at a point of the domain.
    """
    _named(id, title)
    where, runs = where or {}, _runs(id, run, "agrees")
    names = rewriting.words(by)
    _no_floats(left, right, *where.values())
    extra = (f" It leans on a fact stored in SymPy: {leans_on}." if leans_on else "") + (
        f" Not sampled: {unsampled}." if unsampled else "")  # fmt: skip
    if right is None:
        tex, plain, domain = _relation(id, left, by, where, given)
        return _card(id, "proved", title, tex, plain, domain, f"by {names}.{extra}", runs, claim, where)
    left, right = sp.sympify(left), sp.sympify(right)
    domain = _stated(id, left, right, where, given)
    line, chain = left, [s if isinstance(s, tuple) else (s, "") for s in steps] + [(right, "")]
    for expression, _ in chain:
        if expression == line:
            raise Vacuous(f"{id}: the step {expression} repeats the line before it; leave it out")
        _equal(line, sp.sympify(expression), by, where, given, unsampled)
        line = expression
    tex = f"{_tex(left)} = {_tex(right)}"
    if steps:
        rows = [f"&= {_tex(e)}" + (rf" && \text{{{why}}}" if why else "") for e, why in chain]
        tex = rf"\begin{{aligned}} {_tex(left)} " + r" \\[4pt] ".join(rows) + r" \end{aligned}"
    plain = f"{_text(left)} = {_text(right)}"
    return _card(id, "proved", title, tex, plain, domain, f"by {names}.{extra}", runs, claim, where)


def _stated(id, left, right, where, given):
    """The domain of two sides that could differ."""
    if left == right or defined(left, where) == defined(right, where):
        raise Vacuous(f"{id}: both sides are {left}; state two different expressions")
    domain = Domain([left, right], where, given)
    if not (domain.symbols or domain.functions or domain.matrices or domain.bases):
        raise Vacuous(
            f"{id}: no free symbol, so this is arithmetic; use measure, or state it for every value"
        )
    return domain


def _relation(id, relation, by, where, given):
    if not isinstance(relation, sp.core.relational.Relational):
        raise Vacuous(f"{id}: {relation} is not an open statement; pass two sides or evaluate=False")
    left, right = relation.args
    domain = _stated(id, left, right, where, given)
    sampled(left, right, where, given, relation.func)
    rest = relation.func(reduced(_definite(left, where, by) - _definite(right, where, by), by, given), 0)
    if rest != sp.true:
        raise NotProved(f"the relation does not reduce to true; what is left: {rest}")
    return _tex(relation), _text(relation), domain


def prove_by_induction(
    id, term, closed, *, over, first, then, title, by, run, start=0, where=None, given=(), claim=""
):
    """Prove that the sequence with a first value and a rule for the next has the closed form.

    term: the Symbol or MatrixSymbol that stands for the m-th term. closed: its form in m, which is `over`,
    a symbol of integers from `start` on. first: the value at `start`. then: the next, in terms of `term`.
    Checked are two statements: closed at `start` is first, and then of closed is closed one further.
    Returns one Result. Raises as `prove` does.
    """
    _named(id, title)
    where, runs = where or {}, _runs(id, run, "agrees")
    closed, first, then = (sp.sympify(e) for e in (closed, first, then))
    _no_floats(closed, first, then, *where.values())
    if not (over.is_integer and (over - start).is_nonnegative):
        raise ValueError(f"over must be a symbol of integers from {start} on, got {over}: "
                         "declare integer=True, nonnegative=True")  # fmt: skip
    if not then.has(term) or not closed.has(over):
        raise Vacuous(f"{id}: then must use {term}, and closed must use {over}")
    following, further = then.subs(term, closed), closed.subs(over, over + 1)
    for left, right in ((closed.subs(over, start), first), (following, further)):
        if sp.sympify(left) != sp.sympify(right):
            _equal(left, right, by, where, given)
    standing = (sp.MatrixSymbol(f"{term.name}_{over}", *term.shape) if isinstance(term, sp.MatrixSymbol)
                else sp.Symbol(f"{term.name}_{over}"))  # fmt: skip

    def at(index):
        return f"{_tex(term)}_{{{_tex(index)}}}"

    domain = Domain([closed, first, following], where, given)
    rule = f"{at(over + 1)} = {_tex(then.subs(term, standing))}"
    tex = (rf"\begin{{gathered}} {at(start)} = {_tex(first)},\quad {rule}"
           rf" \\[6pt] \Rightarrow\quad {at(over)} = {_tex(closed)} \end{{gathered}}")  # fmt: skip
    plain = f"{term}({start}) = {_text(first)}, {term}({over} + 1) = {_text(then)}"
    plain += f" => {term}({over}) = {_text(closed)}"
    names = rewriting.words(by)
    how = f"by induction on ${_tex(over)}$: the base ${_tex(over)} = {start}$ and the step, each by {names}."
    return _card(id, "proved", title, tex, plain, domain, how, runs, claim, where)


def refute(id, left, right, *, at, title, run, where=None, given=(), claim=""):
    """Refute left = right by exact values at a counterexample inside the domain.

    at: {symbol: exact value} for every free symbol; functions take a Lambda, matrices a matrix. run: what
    differ(…) returned, or a list. Returns a Result that shows both values. Raises NotProved if the two sides
    are equal there, Vacuous if they are one expression, ValueError outside the domain.
    """
    _named(id, title)
    where, runs = where or {}, _runs(id, run, "differs")
    left, right = sp.sympify(left), sp.sympify(right)
    if left == right:
        raise Vacuous(f"{id}: both sides are {left}; there is nothing to refute")
    at = {
        sp.sympify(name) if not isinstance(name, UndefinedFunction) else name: _exact(v)
        for name, v in at.items()
    }
    _no_floats(left, right, *where.values())
    domain = Domain([left, right], where, given)
    names = [*domain.symbols, *domain.functions, *domain.matrices]
    missing, idle = [n for n in names if n not in at], [n for n in at if n not in names]
    if missing or idle:
        words = f"add {', '.join(map(str, missing))}" if missing else f"leave out {', '.join(map(str, idle))}"
        raise ValueError(
            f"at must give a value to each symbol of the statement and to no other, got {at}: {words}"
        )
    domain.refuse_outside({s: at[s] for s in domain.symbols})
    exact, functions, matrices = (
        {name: at[name] for name in kind} for kind in (domain.symbols, domain.functions, domain.matrices)
    )
    point = domain.evaluator(exact, functions=functions, matrices=matrices)
    _insist_on_a_difference(domain, point, left, right, at)
    values = [_value(side, where, at) for side in (left, right)]
    shown = [_exact_and_decimal(value, _tex, r"\approx") for value in values]
    place = ", ".join(f"{_tex(sp.Symbol(str(n)) if isinstance(n, UndefinedFunction) else n)} = {_tex(v)}"
                      for n, v in at.items())  # fmt: skip
    how = f"{f'at ${place}$: the' if at else 'The'} left side is ${shown[0]}$, the right side ${shown[1]}$."
    plain = _plain(f"{_text(left)} != {_text(right)}", where)
    sides = [
        f"{side}: {_exact_and_decimal(value, _text, '=')}"
        for side, value in zip(("left", "right"), values, strict=True)
    ]
    plain = (plain, *(["at " + ", ".join(f"{n} = {_text(v)}" for n, v in at.items())] if at else []), *sides)
    statement = _latex(rf"{_tex(left)} \;\ne\; {_tex(right)}", where)
    return Result(id, "refuted", title, statement, domain.words() if at else "", how, runs, claim, plain)


def _exact(value):
    if type(value).__module__.partition(".")[0] in ("numpy", "torch", "mpmath", "decimal") or isinstance(
        value, float
    ):
        raise TypeError(f"at must hold exact values, got {value!r}: write Rational(1, 100) in place of 0.01")
    value = sp.sympify(value)
    _no_floats(value)
    return value


def _insist_on_a_difference(domain, point, left, right, at):
    try:
        if not all(point(condition) for condition in domain.given):
            raise ValueError(f"{at} lies outside the domain {domain.given}: choose a point inside")
        same = point.equal(left, right)
    except Undefined as problem:
        raise ValueError(
            f"at {at} a side has no value ({problem}): choose a point where both have one"
        ) from None
    except Undecided:
        raise NotProved(f"at {at} the sides cannot be told apart: choose another point") from None
    if same:
        raise NotProved(f"left and right are equal at {at}: {point.decimals(left)}; choose another point")


def _value(side, where, at):
    """The exact value of a side at a point."""
    functions = {name: v for name, v in at.items() if isinstance(name, UndefinedFunction)}
    side = defined(defined(side, where), functions).subs({n: v for n, v in at.items() if n not in functions})
    value = carried_out(side.doit())
    return value.applyfunc(sp.expand) if isinstance(value, sp.MatrixBase) else value


def _exact_and_decimal(value, write, equals):
    """A value, and its decimals where it is not made of whole numbers, real or Gaussian."""
    parts = [part for entry in entries(value.expand()) for part in entry.as_real_imag()]
    if all(part.is_Integer for part in parts):
        return write(value.expand())
    return f"{write(value)} {equals} {write(sp.N(value, 4))}"


# --- experiments ------------------------------------------------------------------------------


def measure(id, value, *, title, above=None, below=None, exactly=None, digits=None, on="", claim=""):
    """The card of an experiment: a number within stated bounds, an exact count, or a run of agree or differ.

    above, below: bounds that the value must keep, near enough to mean something. exactly: a whole number.
    digits: decimals of the value that hold on every machine; they are shown. on: what was measured, briefly.
    Raises NotProved where the value misses a bound, Vacuous where the bound could not be missed.
    """
    _named(id, title)
    if isinstance(value, Run):
        if not (above is below is exactly is digits is None):
            raise ValueError(f"{id}: a run has its own bound: leave out above, below, exactly and digits")
        return Result(id, "measured", title, verdict=value.text, claim=claim, plain=(value.text,))
    verdict = (f"{on}: " if on else "") + finite_number(id, value, above, below, exactly, digits)
    return Result(id, "measured", title, verdict=verdict, claim=claim, plain=(verdict,))


__all__ = ["NotProved", "Result", "Run", "Undefined", "Unsampled", "Vacuous", "agree", "differ", "measure",
           "permutation", "prove", "prove_by_induction", "refute", "sampled"]  # fmt: skip

"""A statement in, a verdict out.

`prove` and `refute` are exact (SymPy); `agree` and `differ` are their numeric twins (torch);
`measure` is for experiments. Each returns a `Result`, which shows the statement, rendered from
the very expressions that were checked, and raises `NotProved` where the check fails.
"""

import re
from dataclasses import asdict, dataclass, field

import numpy as np
import sympy as sp
import torch
from sympy.matrices.expressions.matexpr import MatrixElement

MIME = "application/vnd.posenc.result+json"


class NotProved(AssertionError):
    """The check failed: the message shows what is left over."""


class Vacuous(ValueError):
    """The statement says nothing that could be false."""


@dataclass(frozen=True)
class Result:
    """A verdict that displays itself and carries a small JSON bundle for the page of results."""

    id: str
    kind: str
    title: str
    statement: str
    verdict: str
    method: str = ""
    claim: str = ""
    plain: str = field(default="", repr=False)

    def _repr_mimebundle_(self, include=None, exclude=None):
        record = asdict(self)
        plain = record.pop("plain")
        head = f"**{self.kind.capitalize()}** `{self.id}`"
        if not self.title:
            # A twin stands under the card of its statement: one line says it all.
            return {
                "text/markdown": f"{head} {self.verdict}",
                "text/plain": f"{self.kind} {self.id}: {self.verdict}",
                MIME: record,
            }
        card = [f"{head} {self.title}"]
        if self.statement:
            card.append(f"$$\n{self.statement}\n$$")
        card.append(f"*{self.verdict}*")
        text = f"{self.kind} {self.id}: {self.title}"
        plain = plain or self.verdict
        return {"text/markdown": "\n\n".join(card), "text/plain": f"{text}\n{plain}", MIME: record}

    def __repr__(self):
        return self._repr_mimebundle_()["text/plain"]


# --- rewritings -------------------------------------------------------------------------------

REWRITINGS = {
    "expand": sp.expand,
    "angle addition": lambda e: sp.expand(sp.expand_trig(sp.expand(e))),
    "trigsimp": sp.trigsimp,
    "exponentials": lambda e: sp.powsimp(sp.expand(e.rewrite(sp.exp))),
    "powers": lambda e: sp.powsimp(sp.expand_log(e, force=True), force=False),
    "cancel": sp.cancel,
    "factor": sp.factor,
    "simplify": sp.simplify,
    "sum": lambda e: sp.expand(e.doit()),
}


def _rewritings(by):
    pair = isinstance(by, tuple) and len(by) == 2 and callable(by[1])
    steps = [by] if isinstance(by, str) or pair else list(by)
    if not steps:
        raise ValueError(f"by must name a rewriting, got {by!r}: choose from {', '.join(REWRITINGS)}")
    for step in steps:
        if isinstance(step, tuple):
            yield step
        elif step in REWRITINGS:
            yield step, REWRITINGS[step]
        else:
            raise ValueError(
                f"by must name a rewriting, got {step!r}: choose from {', '.join(REWRITINGS)}, "
                f"or pass a pair (name, function)"
            )


def _substituted(expression, where):
    """Replace the names in `where` by their definitions."""
    for name, definition in where.items():
        if isinstance(name, sp.core.function.UndefinedFunction):
            expression = expression.replace(name, definition)
        else:
            expression = expression.subs(name, definition)
    return expression


def _evaluated(expression, where=()):
    """Replace the names, then carry out what was left undone."""
    expression = _substituted(expression, dict(where)).doit()
    return expression.as_explicit() if isinstance(expression, sp.MatrixExpr) else expression


def _entries(expression):
    return list(expression) if isinstance(expression, sp.MatrixBase) else [expression]


def _difference(left, right):
    shapes = [getattr(side, "shape", None) for side in (left, right)]
    if shapes[0] != shapes[1]:
        raise ValueError(f"left and right must have one shape, got {shapes[0]} and {shapes[1]}: reshape one")
    return left - right


def _reduced(expression, by):
    """Apply the named rewritings in turn, entry by entry, until zero is reached or they end."""
    for _, rewrite in _rewritings(by):
        if isinstance(expression, sp.MatrixBase):
            expression = expression.applyfunc(rewrite)
        else:
            expression = rewrite(expression)
        if all(entry == 0 for entry in _entries(expression)):
            break
    return expression


def _spot_check(difference):
    """Evaluate at two fixed points, so that a rewriting that throws a term away is caught."""
    difference = difference.xreplace(
        {entry: sp.Symbol(str(entry)) for entry in difference.atoms(MatrixElement)}
    )
    symbols = sorted(difference.free_symbols, key=str)
    for start in (2, 5):
        point = {}
        for n, symbol in enumerate(symbols):
            value = sp.Integer(start + 3 * n) if symbol.is_integer else sp.Rational(start + 3 * n, 7)
            point[symbol] = -value if symbol.is_negative else value
        for entry in _entries(difference):
            value = sp.N(entry.subs(point).doit(), 30)
            if value.is_number and abs(value) > 1e-20:
                raise NotProved(
                    f"the rewriting claims zero, yet at {point} the difference is {sp.N(value, 6)}"
                )


def _equal(left, right, by):
    difference = _difference(left, right)
    rest = _reduced(difference, by)
    if any(entry != 0 for entry in _entries(rest)):
        raise NotProved(f"left - right does not reduce to zero; what is left: {rest}")
    _spot_check(difference)


def _tex(expression):
    """LaTeX; rows of a matrix that hold fractions get room between them."""
    text = sp.latex(expression)
    return text.replace(r"\\", r"\\[4pt]") if r"\frac" in text else text


def _definitions(where):
    shown = []
    for name, definition in where.items():
        if isinstance(name, sp.core.function.UndefinedFunction):
            name, definition = name(*definition.variables), definition.expr
        shown.append(f"{_tex(name)} = {_tex(definition)}")
    return shown


def _latex(first, where):
    """The statement, and under it the definitions that it uses."""
    if not where:
        return first
    shown = _definitions(where)
    rows = [r",\quad ".join(shown[start : start + 3]) for start in range(0, len(shown), 3)]
    lines = [first, r"\text{where}\quad " + rows[0], *rows[1:]]
    return r"\begin{gathered} " + r" \\[6pt] ".join(lines) + r" \end{gathered}"


def _text(expression):
    return re.sub(r"\s*\n\s*", " ", sp.sstr(expression))


def _plain(left, relation, right, where):
    text = f"{_text(left)} {relation} {_text(right)}"
    if where:
        text += ", where " + ", ".join(f"{name} = {_text(value)}" for name, value in where.items())
    return text


def _named(id, title):
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id):
        raise ValueError(f"id must be words joined by hyphens, got {id!r}: try 'shift-is-rotation'")
    if not title.strip():
        raise ValueError(f"title must say in words what {id!r} states, got an empty text: write one line")


# --- exact ------------------------------------------------------------------------------------


def prove(id, left, right=None, *, title, by, steps=(), where=None, claim=""):
    """Prove left = right by a named rewriting of their difference to the structural zero.

    left, right: SymPy expressions or matrices of one shape, not identical, with a free symbol.
    A relation may stand alone as `left` (built with evaluate=False): it must reduce to true.
    by: a key of REWRITINGS, a pair (name, function), or a list of these, applied in turn.
    steps: expressions, or pairs (expression, reason), between left and right; each is checked.
    where: definitions {name: value} that the statement uses; shown under it.
    Returns a Result. Raises NotProved with the residue, or Vacuous where nothing is stated.
    """
    _named(id, title)
    where = where or {}
    names = " then ".join(name for name, _ in _rewritings(by))
    if right is None:
        return _prove_relation(id, left, title, by, names, where, claim)
    left, right = sp.sympify(left), sp.sympify(right)
    if left == right or _substituted(left, where) == _substituted(right, where):
        raise Vacuous(f"{id}: both sides are {left}; state two different expressions")
    before = _evaluated(left, where)
    _insist_on_a_symbol(id, before, _evaluated(right, where))
    chain = [step if isinstance(step, tuple) else (step, "") for step in steps] + [(right, "")]
    line = left
    for expression, _ in chain:
        if expression == line:
            raise Vacuous(f"{id}: the step {expression} repeats the line before it; leave it out")
        after = _evaluated(sp.sympify(expression), where)
        _equal(before, after, by)
        before, line = after, expression
    if steps:
        rows = [f"&= {_tex(e)}" + (rf" && \text{{{why}}}" if why else "") for e, why in chain]
        shown = rf"\begin{{aligned}} {_tex(left)} " + r" \\[4pt] ".join(rows) + r" \end{aligned}"
    else:
        shown = f"{_tex(left)} = {_tex(right)}"
    verdict = f"Left minus right reduces to 0 ({names})."
    plain = _plain(left, "=", right, where) + "\n" + verdict
    return Result(id, "proved", title, _latex(shown, where), verdict, names, claim, plain)


def _insist_on_a_symbol(id, *sides):
    if not any(side.free_symbols for side in sides):
        raise Vacuous(f"{id}: no free symbol, so this is arithmetic; use agree, or state it for every value")


def _prove_relation(id, relation, title, by, names, where, claim):
    if not isinstance(relation, sp.core.relational.Relational):
        raise Vacuous(f"{id}: {relation} is not an open statement; pass two sides or evaluate=False")
    left, right = (_evaluated(side, where) for side in relation.args)
    _insist_on_a_symbol(id, left, right)
    reduced = relation.func(_reduced(left - right, by), 0)
    if reduced != sp.true:
        raise NotProved(f"the relation does not reduce to true; what is left: {reduced}")
    verdict = f"Reduces to true ({names})."
    plain = _text(relation) + "\n" + verdict
    return Result(id, "proved", title, _latex(_tex(relation), where), verdict, names, claim, plain)


def refute(id, left, right, *, at, title, where=None, claim=""):
    """Refute left = right by exact values at a counterexample.

    at: {symbol: exact value} for every free symbol (numbers, not floats). Returns a Result that shows
    both values. Raises NotProved if the two sides are equal there, Vacuous if they are one expression.
    """
    _named(id, title)
    where = where or {}
    left, right = sp.sympify(left), sp.sympify(right)
    if left == right:
        raise Vacuous(f"{id}: both sides are {left}; there is nothing to refute")
    if any(isinstance(value, float) for value in at.values()):
        raise TypeError(f"at must hold exact values, got {at}: write Rational(1, 100) in place of 0.01")
    values = [_evaluated(_evaluated(side, where).subs(at)) for side in (left, right)]
    free = values[0].free_symbols | values[1].free_symbols
    if free:
        raise ValueError(f"at must give every symbol a value, got {at}: add {', '.join(map(str, free))}")
    gaps = [sp.simplify(entry) for entry in _entries(_difference(*values))]
    if not any(gap.is_zero is False or abs(sp.N(gap, 40)) > 1e-30 for gap in gaps):
        raise NotProved(f"left and right are equal at {at}: {values[0]}; choose another point")
    shown = [_exact_and_decimal(value, _tex, r"\approx") for value in values]
    point = ", ".join(f"{_tex(name)} = {_tex(value)}" for name, value in at.items())
    verdict = (
        f"{f'At ${point}$ the' if at else 'The'} left side is ${shown[0]}$, the right side ${shown[1]}$."
    )
    statement = _latex(rf"{_tex(left)} \;\ne\; {_tex(right)}", where)
    plain = _plain(left, "!=", right, where)
    for side, value in zip(("left", "right"), values, strict=True):
        plain += f"\n{side}: {_exact_and_decimal(value, _text, '=')}"
    return Result(id, "refuted", title, statement, verdict, "counterexample", claim, plain)


def _exact_and_decimal(value, write, equals):
    """A value, and its decimals where it is not made of whole numbers, real or Gaussian."""
    parts = [part for entry in _entries(value.expand()) for part in entry.as_real_imag()]
    if all(part.is_Integer for part in parts):
        return write(value.expand())
    return f"{write(value)} {equals} {write(sp.N(value, 4))}"


# --- numeric ----------------------------------------------------------------------------------


def as_array(values, name):
    """Values as a NumPy array of float64 or complex128, whatever they came as."""
    if isinstance(values, sp.MatrixBase):
        values = values.evalf(20).tolist()
    if isinstance(values, torch.Tensor):
        values = values.detach().resolve_conj().cpu()
        values = (values.to(torch.complex128) if values.is_complex() else values.to(torch.float64)).numpy()
    array = np.asarray(values)
    array = array.astype(np.complex128 if _complex(array) else np.float64)
    if array.size == 0:
        raise Vacuous(f"{name} is empty: compare at least one number")
    if not np.isfinite(array).all():
        raise NotProved(f"{name} holds a value that is not finite")
    return array


def _complex(array):
    return np.iscomplexobj(array) or (
        array.dtype == object and any(sp.sympify(entry).is_real is False for entry in array.ravel())
    )


def _gap(ours, theirs):
    if ours is theirs:
        raise Vacuous("ours and theirs are one object: compare two that were computed in two ways")
    ours, theirs = as_array(ours, "ours"), as_array(theirs, "theirs")
    if ours.shape != theirs.shape:
        raise NotProved(f"shapes differ: ours {ours.shape}, theirs {theirs.shape}")
    return float(np.abs(ours - theirs).max()), float(np.abs(theirs).max()), ours.size


def _g(number):
    """A short decimal, with powers of ten as exponents: −0.5, 10⁻¹⁵, 2.1·10⁻⁵."""
    mantissa, _, exponent = f"{number:g}".partition("e")
    mantissa = mantissa.replace("-", "−")
    if not exponent:
        return mantissa
    power = "10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return power if mantissa == "1" else f"{mantissa}·{power}"


def _numbers(size):
    return "one number" if size == 1 else f"{size} numbers"


def agree(id, ours, theirs, *, within, title="", claim=""):
    """The numeric twin of a proof: every entry of ours is within `within` of theirs.

    ours, theirs: tensors, arrays, nested lists, numbers or SymPy matrices, of one shape, finite.
    Shows the bound, not the difference, so that the output is the same on every machine.
    Raises NotProved past the bound, Vacuous if the bound is too loose to mean anything.
    """
    _named(id, title or id)
    gap, size, count = _gap(ours, theirs)
    if not 0 <= within or (size > 0 and within >= size / 2):
        raise Vacuous(f"within = {within:g} says nothing of numbers up to {size:g}: choose a tighter bound")
    if gap > within:
        raise NotProved(f"{id}: the largest difference is {gap:.3g}, past {within:g}")
    bound = "no difference" if within == 0 else f"largest difference < {_g(within)}"
    return Result(id, "agreed", title, "", f"{bound.capitalize()} over {_numbers(count)}.", "numeric", claim)


def differ(id, ours, theirs, *, beyond, title="", claim=""):
    """The numeric twin of a refutation: some entry of ours is further than `beyond` from theirs."""
    _named(id, title or id)
    if not beyond > 0:
        raise Vacuous(f"beyond = {beyond:g} is met by rounding alone: choose a positive bound")
    gap, _, count = _gap(ours, theirs)
    if gap <= beyond:
        raise NotProved(f"{id}: the largest difference is only {gap:.3g}, not beyond {beyond:g}")
    verdict = f"Largest difference > {_g(beyond)} over {_numbers(count)}."
    return Result(id, "differs", title, "", verdict, "numeric", claim)


def measure(id, value, *, title, above=None, below=None, exactly=None, claim=""):
    """The verdict of an experiment: a number above, below or between stated bounds, or an exact count."""
    _named(id, title)
    if exactly is not None and (above is not None or below is not None):
        raise ValueError(
            f"{id}: exactly = {exactly} leaves no room for above or below: give one or the other"
        )
    if exactly is None and above is None and below is None:
        raise Vacuous(f"{id}: give above, below, both, or exactly; without one the measurement cannot fail")
    value = float(value)
    if not np.isfinite(value):
        raise NotProved(f"{id}: the value is {value}")
    if exactly is not None and value != exactly:
        raise NotProved(f"{id}: counted {value:g}, expected {exactly}")
    if (above is not None and value <= above) or (below is not None and value >= below):
        raise NotProved(f"{id}: measured {value:.4g}, expected above {above} and below {below}")
    bounds = [
        f"{word} {_g(bound)}" for word, bound in (("above", above), ("below", below)) if bound is not None
    ]
    verdict = f"Counted: {exactly}." if exactly is not None else f"Measured: {' and '.join(bounds)}."
    return Result(id, "measured", title, "", verdict, "experiment", claim)

"""Two computations side by side: the runs that a card carries, and the bounds of an experiment.

Needs the standard library and SymPy: tensors and arrays are taken as lists of numbers.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational

import sympy as sp

from posenc.numeric import decimal, grouped

ROUNDING = 1e-6  # of the largest number; a smaller difference may be one of rounding


class NotProved(AssertionError):
    """The check failed: the message shows the point, or what is left over."""


class Vacuous(ValueError):
    """The statement says nothing that could be false."""


@dataclass(frozen=True, init=False)
class Run:
    """What a comparison of two computations showed. Only `agree` and `differ` make one."""

    kind: str
    text: str

    def __init__(self, *_, **__):
        raise TypeError("a run is what agree(…) or differ(…) returns: compare two computations")

    def __init_subclass__(cls):
        raise TypeError("there is one kind of run")

    def __repr__(self):
        return f"{self.kind}: {self.text}"


def _run(kind, text):
    run = object.__new__(Run)
    object.__setattr__(run, "kind", kind)
    object.__setattr__(run, "text", text)
    return run


def agree(ours, theirs, *, within, on):
    """Compare two computations of one thing: every entry of ours is within `within` of theirs.

    ours, theirs: tensors, arrays, nested lists, numbers or SymPy matrices, of one shape, finite, and not one
    another's view. Whole numbers are compared exactly. on: what was run, in a few words. Returns a Run, which
    shows the bound and not the difference, so that it is the same on every machine. Raises NotProved past the
    bound, Vacuous where the bound is too loose to mean anything.
    """
    gaps, sizes = _compared(ours, theirs, on, exact=within == 0)
    if not 0 <= within < math.inf:
        raise Vacuous(f"within = {within} is no bound: give a small number, 0 or more")
    typical = sorted(sizes)[(len(sizes) - 1) // 2]  # one large number hides nothing
    if within > 0 and within >= (typical / 2 or 1e-6):
        raise Vacuous(
            f"within = {within:g} says nothing of numbers of which half are at most {float(typical):g} in size: "
            "choose a tighter bound"
        )
    if (gap := max(gaps)) > within:
        raise NotProved(f"{on}: the largest difference is {float(gap):.3g}, past {within:g}")
    bound = "no difference" if within == 0 else f"difference < {decimal(within)}"
    return _run("agrees", f"{on}: {bound} over {_numbers(len(gaps))}.")


def differ(ours, theirs, *, beyond, on):
    """Compare two computations of which one is wrong: some entry of ours is beyond `beyond` from theirs.

    Arguments and errors are those of `agree`.
    """
    gaps, sizes = _compared(ours, theirs, on)
    # Nothing is small beside zeros.
    rounded = 0 if all(isinstance(gap, int) for gap in gaps) else ROUNDING * (max(sizes) or 1)
    if not rounded <= beyond < math.inf or beyond <= 0:
        raise Vacuous(f"beyond = {beyond} is met by rounding alone, or by nothing: choose a larger bound")
    if (gap := max(gaps)) <= beyond:
        raise NotProved(f"{on}: the largest difference is only {float(gap):.3g}, not beyond {beyond:g}")
    return _run("differs", f"{on}: difference > {decimal(beyond)} over {_numbers(len(gaps))}.")


def _compared(ours, theirs, on, exact=False):
    """The differences, and the sizes of theirs."""
    if not str(on).strip():
        raise ValueError(f"on must say what was run, got {on!r}: such as 'width 64, 100 positions'")
    if ours is theirs or _place(ours) == _place(theirs) is not None:
        raise Vacuous("ours and theirs are one object or views of one: compute them in two ways")
    (ours, shape), (theirs, other) = flat(ours, "ours", exact), flat(theirs, "theirs", exact)
    if shape != other:
        raise NotProved(f"shapes differ: ours {shape}, theirs {other}")
    return [_gap(a, b) for a, b in zip(ours, theirs, strict=True)], [abs(b) for b in theirs]


def _gap(a, b):
    """How far two numbers are apart; of two kinds exactly, since neither may be rounded to the other's."""
    if type(a) is type(b):
        return abs(a - b)
    real, imag = (Fraction(x) - Fraction(y) for x, y in ((a.real, b.real), (a.imag, b.imag)))
    return math.hypot(real, imag) if imag else abs(real)


def _place(side):
    """Where a tensor or an array lies in memory, and how it is read. Another slice is another table."""
    if hasattr(side, "data_ptr"):
        return side.data_ptr(), tuple(side.shape), side.stride(), side.is_conj(), side.is_neg()
    if hasattr(side, "__array_interface__"):
        steps = tuple(step // side.itemsize for step in side.strides)
        return side.ctypes.data, side.shape, steps, False, False
    return None


def flat(values, name, exact=False):
    """The numbers of a nested value in one list, and its shape."""
    level, shape = [_listed(values)], []
    while any(isinstance(v, (list, tuple, range)) for v in level):
        sizes = {len(v) if isinstance(v, (list, tuple, range)) else None for v in level}
        if len(sizes) > 1 or None in sizes:
            raise ValueError(f"{name} is not a table: its rows have the lengths {sizes}")
        shape.append(sizes.pop())
        level = [_listed(v) for row in level for v in row]
    if not level:
        raise Vacuous(f"{name} is empty: compare at least one number")
    numbers = [plain_number(v, exact) for v in level]
    if not all(isinstance(v, (int, Fraction)) or math.isfinite(abs(v)) for v in numbers):
        raise NotProved(f"{name} holds a value that is not finite")
    return numbers, tuple(shape)


def _listed(values):
    return values.tolist() if hasattr(values, "tolist") else values


def plain_number(value, exact=False):
    """A number of any kind as int, Fraction, float or complex. Raises NotProved if exact, and it would be rounded."""
    if type(value) in (float, int, complex):
        return value
    value = _listed(value)
    if isinstance(value, (Rational, Decimal)):  # SymPy's too
        number = Fraction(value)
        return number if number.denominator > 1 else int(number)
    number = complex(value.evalf(20) if isinstance(value, sp.Basic) else value)
    number = number if number.imag else number.real
    if exact and number != value:
        raise NotProved(f"{value} is no number of the machine: give a bound within which it is to be compared")
    return number


def _numbers(size):
    return "one number" if size == 1 else f"{grouped(size)} numbers"


def finite_number(id, value, above, below, exactly, digits):
    """Hold a value against its bounds and put both into words. Raises NotProved where it misses one."""
    bounds = {"above": above, "below": below}
    bounds = {word: float(bound) for word, bound in bounds.items() if bound is not None}
    if exactly is not None and (bounds or digits is not None):
        raise ValueError(f"{id}: exactly = {exactly} leaves no room for above, below or digits")
    if not isinstance(exactly, (Integral, type(None))):
        raise ValueError(f"{id}: exactly = {exactly} is no whole number: give above and below")
    if exactly is None and not bounds:
        raise Vacuous(f"{id}: give above, below, both, or exactly; without one it cannot fail")
    if not all(math.isfinite(bound) for bound in bounds.values()):
        raise Vacuous(f"{id}: a bound of {bounds} cannot be missed: give a finite one")
    value = plain_number(value, exact=exactly is not None)
    if isinstance(value, complex) or not math.isfinite(value):
        raise NotProved(f"{id}: the value is {value}, not a finite real number")
    if exactly is not None:
        if value != exactly:
            raise NotProved(f"{id}: counted {float(value):g}, expected {exactly}")
        return f"{grouped(exactly)}, counted."
    value = float(value) if isinstance(value, Fraction) else value
    if not _inside(value, bounds):
        raise NotProved(f"{id}: measured {value:.4g}, expected above {above} and below {below}")
    if digits is None and all(_loose(value, bound) for bound in bounds.values()):
        words = f"measured {value:.3g}, more than tenfold inside {bounds}: tighten it, or show digits"
        raise Vacuous(f"{id}: {words}")
    limits = " and ".join(f"{word} {decimal(bound)}" for word, bound in bounds.items())
    if digits is None:
        return f"{limits}."
    if not _inside(round(value, digits), bounds):
        raise ValueError(f"{id}: to {digits} digits {value:.4g} misses its own bound: show more digits")
    shown = grouped(value) if digits == 0 else f"{value:.{digits}f}".replace("-", "−")
    return f"{shown}, required {limits}."


def _inside(value, bounds):
    return bounds.get("above", -math.inf) < value < bounds.get("below", math.inf)


def _loose(value, bound):
    """A bound that could move tenfold unmissed; rounding errors differ between machines, and may."""
    low, high = sorted((abs(value), abs(bound)))
    return not (0 < abs(bound) <= 1e-6) and (bound == 0 or high > 10 * low)

"""Two computations side by side: the runs that a card carries, and the bounds of an experiment.

Needs the standard library and SymPy: tensors and arrays are taken as lists of numbers.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational

import sympy as sp
from sympy.logic.boolalg import Boolean

from posenc.numeric import decimal, grouped

# A difference as small as this beside the largest number may be one of rounding: of float32 numbers that should be
# equal, and of bfloat16 numbers that should not.
ROUNDING, COARSE_ROUNDING = 1e-6, 2**-7


class NotProved(AssertionError):
    """The check failed: the message shows the point, or what is left over."""


class Vacuous(ValueError):
    """The statement says nothing that could be false."""


@dataclass(frozen=True)
class Run:
    """What a comparison of two computations showed, as `agree` and `differ` return it.

    kind: "agrees" or "differs". text: what was run, and the bound that it kept, in words.
    """

    kind: str
    text: str

    def __repr__(self):
        return f"{self.kind}: {self.text}"


def agree(ours, theirs, *, within, on):
    """Compare two computations of one thing: every entry of ours is within `within` of theirs.

    ours, theirs: tensors, arrays, nested lists, numbers or SymPy matrices, of one shape, finite, and not one
    object. Whole numbers are compared exactly. on: what was run, in a few words. Returns a Run, which
    shows the bound and not the difference, so that it is the same on every machine. Raises NotProved past the
    bound, Vacuous where the bound is too loose to mean anything.
    """
    within = _bound("within", within)
    gaps, theirs = _compared(ours, theirs, on, exact=within == 0)
    if not 0 <= within < math.inf:
        raise Vacuous(f"within = {within:g} is no bound: give a small number, 0 or more")
    smallest, largest = min(map(abs, theirs)), max(map(abs, theirs))
    spread = max(_gap(value, theirs[0]) for value in theirs)
    if within > ROUNDING * (min(1, largest) or 1e-3):
        if 8 * within >= smallest:
            words = f"within = {within:g} says nothing of numbers as small as {float(smallest):g}"
            raise Vacuous(f"{words}: choose a tighter bound")
        if ROUNDING * largest < spread < 2 * within:
            words = f"within = {within:g} says nothing of numbers that are themselves within {float(spread):g}"
            raise Vacuous(f"{words}: choose a tighter bound, or compare their differences")
    if (gap := max(gaps)) >= within and gap:
        raise NotProved(f"{on}: the largest difference is {float(gap):.3g}, past {within:g}")
    bound = "no difference" if within == 0 else f"difference < {decimal(within)}"
    equal = ", all equal" if len(gaps) > 1 and spread <= within else ""  # a reader may take them for many
    return Run("agrees", f"{on}: {bound} over {_numbers(len(gaps))}{equal}.")


def differ(ours, theirs, *, beyond, on):
    """Compare two computations of which one is wrong: some entry of ours is beyond `beyond` from theirs.

    Arguments and errors are those of `agree`.
    """
    beyond = _bound("beyond", beyond)
    gaps, theirs = _compared(ours, theirs, on)
    # Nothing is small beside zeros.
    rounded = 0 if all(isinstance(gap, int) for gap in gaps) else COARSE_ROUNDING * (max(map(abs, theirs)) or 1)
    if not rounded <= beyond < math.inf or beyond <= 0:
        raise Vacuous(f"beyond = {beyond} is met by rounding alone, or by nothing: choose a larger bound")
    if (gap := max(gaps)) <= beyond:
        raise NotProved(f"{on}: the largest difference is only {float(gap):.3g}, not beyond {beyond:g}")
    largest = "largest difference" if len(gaps) > 1 else "difference"  # the others may agree
    return Run("differs", f"{on}: {largest} > {decimal(beyond)} over {_numbers(len(gaps))}.")


def _bound(name, bound):
    """A bound as a card shows it, to six digits: that must hold. Raises TypeError for what is no number."""
    if isinstance(_listed(bound), (bool, str, bytes, Boolean)):
        raise TypeError(f"{name} = {bound!r} is no number: give a small one")
    return float(f"{float(bound):g}")


def _compared(ours, theirs, on, exact=False):
    """Two lists: how far each entry of ours is from theirs, and theirs."""
    if not str(on).strip():
        raise ValueError(f"on must say what was run, got {on!r}: such as 'width 64, 100 positions'")
    if ours is theirs:
        raise Vacuous("ours and theirs are one object: compute them in two ways")
    (ours, shape), (theirs, other) = flat(ours, "ours", exact), flat(theirs, "theirs", exact)
    if shape != other:
        raise NotProved(f"shapes differ: ours {shape}, theirs {other}")
    return [_gap(a, b) for a, b in zip(ours, theirs, strict=True)], theirs


def _gap(a, b):
    """How far two numbers are apart; of two types exactly, since neither may be rounded to the other."""
    if type(a) is type(b):
        return abs(a - b)
    real, imag = (Fraction(x) - Fraction(y) for x, y in ((a.real, b.real), (a.imag, b.imag)))
    return math.hypot(real, imag) if imag else abs(real)


def flat(values, name, exact=False):
    """The numbers of a tensor, an array or nested lists in one list, and the shape. name: for messages."""
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
    """Any number as int, Fraction, float or complex. Raises NotProved if exact, and it would be rounded."""
    if type(value) in (float, int, complex):
        return value
    value = _listed(value)
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{value!r} is a text: give a number")
    if isinstance(value, (list, tuple)):
        raise TypeError(f"{value!r} is a list: give one number, such as its largest")
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
    """The words of a value and its bounds, as in `measure`. Raises NotProved where it misses one."""
    bounds = {"above": above, "below": below}
    bounds = {word: _bound(f"{id}: {word}", bound) for word, bound in bounds.items() if bound is not None}
    if exactly is not None and (bounds or digits is not None):
        raise ValueError(f"{id}: exactly = {exactly} leaves no room for above, below or digits")
    if not isinstance(exactly, (Integral, type(None))) or isinstance(exactly, bool):
        raise ValueError(f"{id}: exactly = {exactly} is no whole number: give above and below")
    if exactly is None and not bounds:
        raise Vacuous(f"{id}: give above, below, both, or exactly; without one it cannot fail")
    if not all(math.isfinite(bound) for bound in bounds.values()):
        raise Vacuous(f"{id}: a bound of {bounds} cannot be missed: give a finite one")
    if isinstance(_listed(value), (bool, str, bytes, Boolean)):
        raise TypeError(f"{id}: the value is {value!r}, which counts nothing: give a number, or how many there are")
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
    if any(value * bound < 0 or value == 0 > bound for bound in bounds.values() if not _tiny(value, bound)):
        words = f"a bound of {bounds} has another sign than the value {value:.3g}"
        raise Vacuous(f"{id}: {words}, so 0 would do, too: give the size of a difference, or a closer bound")
    if (
        not isinstance(value, int)
        and abs(value) <= 1
        and all(bound == 0 or abs(bound) >= 1 for bound in bounds.values())
    ):
        raise Vacuous(f"{id}: a share cannot miss a bound of {bounds}, nor can a cosine: give a closer one")
    if near := [bound for bound in bounds.values() if abs(value - bound) <= ROUNDING * abs(bound)]:
        raise Vacuous(f"{id}: measured {value:.7g}, which is {near[0]:g} but for rounding: give a bound further off")
    # Beside another bound, 0 says that there is something.
    times, words, remedy = (10, "tenfold", ", or show digits") if digits is None else (100, "a hundredfold", "")
    if any(_loose(value, bound, times) for bound in set(bounds.values()) - {0} or {0}):
        raise Vacuous(f"{id}: measured {value:.3g}, more than {words} inside {bounds}: tighten it{remedy}")
    limits = " and ".join(f"{word} {decimal(bound)}" for word, bound in bounds.items())
    if digits is None:
        return f"{limits}."
    shift = abs(round(value, digits) - value)
    if round(value, digits) == 0 != value:
        raise ValueError(f"{id}: to {digits} digits {value:.4g} is shown as 0: show more digits")
    if not _inside(round(value, digits), bounds) or any(shift > abs(value - bound) for bound in bounds.values()):
        raise ValueError(f"{id}: to {digits} digits {value:.4g} is past its bound, or further inside: show more digits")
    shown = grouped(value) if digits == 0 else f"{value:.{digits}f}".replace("-", "−")
    return f"{shown}, required {limits}."


def _inside(value, bounds):
    return bounds.get("above", -math.inf) < value < bounds.get("below", math.inf)


def _loose(value, bound, times):
    """Whether a bound could be so many times tighter and still hold."""
    low, high = sorted((abs(value), abs(bound)))
    return not _tiny(value, bound) and (bound == 0 or high > times * low)


def _tiny(value, bound):
    """Whether a value is one of rounding, within its bound: it differs between machines, and its sign does."""
    return abs(value) <= abs(bound) <= 1e-6

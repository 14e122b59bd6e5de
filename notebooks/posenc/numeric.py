"""Two computations side by side: runs that a card carries, and the bounds of an experiment."""

from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral

import numpy as np
import sympy as sp
import torch


class NotProved(AssertionError):
    """The check failed: the message shows the point, or what is left over."""


class Vacuous(ValueError):
    """The statement says nothing that could be false."""


@dataclass(frozen=True)
class Run:
    """What a comparison of two computations showed."""

    kind: str
    text: str

    def __repr__(self):
        return f"{self.kind}: {self.text}"


def agree(ours, theirs, *, within, on):
    """Compare two computations of one thing: every entry of ours is within `within` of theirs.

    ours, theirs: tensors, arrays, nested lists, numbers or SymPy matrices, of one shape, finite, and not one
    another's view. Whole numbers are compared exactly. on: what was run, in a few words. Returns a Run, which
    shows the bound and not the difference, so that it is the same on every machine. Raises NotProved past the
    bound, Vacuous where the bound is too loose to mean anything.
    """
    gap, size, count = _gap(ours, theirs)
    _insist_on_words(on)
    if not 0 <= within < float("inf"):
        raise Vacuous(f"within = {within} is no bound: give a small number, 0 or more")
    if within > 0 and within >= (size / 2 or 1e-6):
        raise Vacuous(
            f"within = {within:g} says nothing of numbers about {size:g} in size: choose a tighter bound"
        )
    if gap > within:
        raise NotProved(f"{on}: the largest difference is {float(gap):.3g}, past {within:g}")
    bound = "no difference" if within == 0 else f"difference < {decimal(within)}"
    return Run("agrees", f"{on}: {bound} over {_numbers(count)}.")


def differ(ours, theirs, *, beyond, on):
    """Compare two computations of which one is wrong: some entry of ours is beyond `beyond` from theirs.

    Arguments and errors are those of `agree`.
    """
    gap, _, count = _gap(ours, theirs)
    _insist_on_words(on)
    if not 0 < beyond < float("inf"):
        raise Vacuous(f"beyond = {beyond} is met by rounding alone, or by nothing: choose a positive bound")
    if gap <= beyond:
        raise NotProved(f"{on}: the largest difference is only {float(gap):.3g}, not beyond {beyond:g}")
    return Run("differs", f"{on}: difference > {decimal(beyond)} over {_numbers(count)}.")


def _insist_on_words(on):
    if not str(on).strip():
        raise ValueError(
            f"on must say what was run, got {on!r}: a few words, such as 'width 64, 100 positions'"
        )


def _gap(ours, theirs):
    """The largest difference, the typical size of theirs, and how many numbers."""
    if ours is theirs or _share(ours, theirs):
        raise Vacuous(
            "ours and theirs are one object or views of one: compare two that were computed in two ways"
        )
    ours, theirs = _exact_array(ours, "ours"), _exact_array(theirs, "theirs")
    if ours.shape != theirs.shape:
        raise NotProved(f"shapes differ: ours {ours.shape}, theirs {theirs.shape}")
    if ours.dtype == object or theirs.dtype == object:
        gap = max(abs(Fraction(a) - Fraction(b)) for a, b in zip(ours.ravel(), theirs.ravel(), strict=True))
        theirs = theirs.astype(float)
    else:
        gap = float(np.abs(ours - theirs).max())
    return gap, float(np.sqrt(np.mean(np.abs(theirs) ** 2))), ours.size


def _share(ours, theirs):
    """Whether both are the same numbers in memory. Another slice, or the transpose, is another table."""
    places = []
    for side in (ours, theirs):
        if isinstance(side, torch.Tensor):
            places.append((side.data_ptr(), tuple(side.shape), side.stride()))
        elif isinstance(side, np.ndarray):
            strides = tuple(step // side.itemsize for step in side.strides)
            places.append((side.ctypes.data, side.shape, strides))
        else:
            return False
    return places[0] == places[1]


def as_array(values, name):
    """Values as a NumPy array of float64 or complex128, whatever they came as.

    Raises Vacuous for no values, NotProved for one that is not finite.
    """
    array = _exact_array(values, name)
    return array.astype(np.float64) if array.dtype == object else array


def _exact_array(values, name):
    """As `as_array`, but whole numbers stay Python integers, of any size."""
    if isinstance(values, sp.MatrixBase):
        values = values.tolist()
    if isinstance(values, torch.Tensor):
        values = values.detach().resolve_conj().cpu()
        if values.dtype in (torch.bfloat16, torch.float16):
            values = values.to(torch.float64)
        values = values.numpy()
    array = np.asarray(values, dtype=object if not isinstance(values, np.ndarray) else None)
    if array.size == 0:
        raise Vacuous(f"{name} is empty: compare at least one number")
    if array.dtype == object:
        flat = [_plain_number(v) for v in array.ravel()]
        whole = all(isinstance(v, Integral) for v in flat)
        kind = object if whole else complex if any(isinstance(v, complex) for v in flat) else float
        array = np.array(flat, dtype=kind).reshape(array.shape)
    elif array.dtype.kind in "iub":
        array = np.array([int(v) for v in array.ravel()], dtype=object).reshape(array.shape)
    else:
        array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    if array.dtype != object and not np.isfinite(array).all():
        raise NotProved(f"{name} holds a value that is not finite")
    return array


def _plain_number(value):
    if isinstance(value, (torch.Tensor, np.generic)):
        value = value.item()
    if isinstance(value, sp.Basic):
        if value.is_Integer:
            return int(value)
        value = complex(value.evalf(20))
        return value if value.imag else value.real
    return (
        int(value)
        if isinstance(value, (bool, Integral))
        else complex(value)
        if isinstance(value, complex)
        else float(value)
    )


def grouped(number):
    """A number rounded to a whole one, from 10 000 on in groups of three digits: 4096, 262 144."""
    whole = round(number)
    return (f"{whole:,}".replace(",", " ") if abs(whole) >= 10_000 else str(whole)).replace("-", "−")


def decimal(number):
    """A short decimal, with powers of ten as exponents: −0.5, 62 000, 10⁻¹⁵, 2.1·10⁻⁵."""
    mantissa, _, exponent = f"{number:g}".partition("e")
    if not exponent and "." not in mantissa:
        return grouped(int(mantissa))
    mantissa = mantissa.replace("-", "−")
    if not exponent:
        return mantissa
    power = "10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return power if mantissa == "1" else f"{mantissa}·{power}"


def _numbers(size):
    return "one number" if size == 1 else f"{grouped(size)} numbers"


def finite_number(id, value, above, below, exactly, digits):
    """Hold a value against its bounds and put both into words. Raises NotProved where it misses one."""
    bounds = {"above": above, "below": below}
    bounds = {word: float(bound) for word, bound in bounds.items() if bound is not None}
    if exactly is not None and (bounds or digits is not None):
        raise ValueError(
            f"{id}: exactly = {exactly} leaves no room for above, below or digits: give one or the other"
        )
    if exactly is None and not bounds:
        raise Vacuous(f"{id}: give above, below, both, or exactly; without one the measurement cannot fail")
    if not all(np.isfinite(bound) for bound in bounds.values()):
        raise Vacuous(f"{id}: a bound of {bounds} cannot be missed: give a finite one")
    value = _plain_number(value)
    if isinstance(value, complex) or not np.isfinite(float(value)):
        raise NotProved(f"{id}: the value is {value}, not a finite real number")
    if exactly is not None:
        if value != exactly:
            raise NotProved(f"{id}: counted {value:g}, expected {exactly}")
        return f"{grouped(exactly) if isinstance(exactly, Integral) else exactly}, counted."
    if ("above" in bounds and value <= bounds["above"]) or ("below" in bounds and value >= bounds["below"]):
        raise NotProved(f"{id}: measured {value:.4g}, expected above {above} and below {below}")
    if digits is None and all(_loose(value, bound) for bound in bounds.values()):
        raise Vacuous(
            f"{id}: measured {value:.3g}, more than tenfold inside {bounds}: tighten it, or show digits"
        )
    limits = " and ".join(f"{word} {decimal(bound)}" for word, bound in bounds.items())
    if digits is None:
        return f"{limits}."
    shown = grouped(value) if digits == 0 else f"{value:.{digits}f}".replace("-", "−")
    return f"{shown}, required {limits}."


def _loose(value, bound):
    """A bound that could move tenfold unmissed; rounding errors differ between machines, and may."""
    low, high = sorted((abs(value), abs(bound)))
    return not (0 < abs(bound) <= 1e-6) and (bound == 0 or high > 10 * low)

"""Exercises of chapter 04, a shift is a rotation."""

import math

import torch

from posenc import additive
from posenc.checks import Verdict, choice, exercise, same, works


def _turn(angle):
    cos, sin = math.cos(angle), math.sin(angle)
    return [[cos, sin], [-sin, cos]]


def _transposed(table):
    return [list(row) for row in zip(*table, strict=True)]


@exercise
def three_on(answer):
    """Exercise 4.1: the shift by 3 of a pair with frequency 0.1, columns (sin, cos)."""
    return same(
        answer, _turn(0.3), within=1e-4,
        because="The hand turns clockwise by 3 · 0.1, whatever the position.",
        slips={
            "This turns the other way: it leads to p - 3, or belongs to (cos, sin).": _turn(-0.3),
            "The angle is k·ω: here the frequency is lost.": _turn(3),
            "The angle is k·ω: here the offset is lost.": _turn(0.1),
            "The angle is in radians.": _turn(math.radians(0.3)),
            "The rows are swapped: the sine is the first entry of the pair.": _turn(0.3)[::-1],
        },
    )  # fmt: skip


@exercise
def net_offset(answer):
    """Exercise 4.2: the offset of a product of shifts, and its first entry at frequency 0.1."""

    def shifts_by(k):
        return [k, math.cos(k / 10)]

    return same(
        answer, shifts_by(8), within=6e-4,
        because="The transpose goes back by 2, and the third power of a single step goes on by 3.",
        slips={
            "A transposed rotation turns back.": shifts_by(12),
            "The third power of a single step is three steps.": shifts_by(6),
            "The transpose goes back by 2, it is not without effect.": shifts_by(10),
            "Offsets add; they do not multiply.": shifts_by(42),
            "The power of the single step goes forward, not back.": shifts_by(2),
            "The offset is right; the first entry is the cosine of offset times frequency.":
                [8, math.sin(0.8)],
            "The offset is right; the angle is k·ω, and here the frequency is lost.": [8, math.cos(8)],
        },
    )  # fmt: skip


def _split(first, second):
    (a, b), (c, e) = first
    (f, g), (h, m) = second
    return [[a, 0, b, 0], [0, f, 0, g], [c, 0, e, 0], [0, h, 0, m]]


def _blocks(first, second):
    (a, b), (c, e) = first
    (f, g), (h, m) = second
    return [[a, b, 0, 0], [c, e, 0, 0], [0, 0, f, g], [0, 0, h, m]]


@exercise
def split_matrix(answer):
    """Exercise 4.3: the shift by 2 at width 4, columns sin, sin, cos, cos."""
    right = _split(_turn(2), _turn(0.02))
    return same(
        answer, right, within=1e-4,
        because="The same rotations; the partner of column j is now column j + 2.",
        slips={
            "Blocks on the diagonal are for columns sin, cos, sin, cos.": _blocks(_turn(2), _turn(0.02)),
            "This shifts by -2.": _transposed(right),
            "The frequencies have changed places.": _split(_turn(0.02), _turn(2)),
            "The angle is k·ω: here the offset is lost.": _split(_turn(1), _turn(0.01)),
            "Each pair has a frequency of its own.": _split(_turn(2), _turn(2)),
        },
    )  # fmt: skip


@exercise
def look_ahead(answer):
    """Exercise 4.4: α and β so that the score peaks two places ahead, at frequency 0.5."""
    a, b = math.cos(1), math.sin(1)
    return same(
        answer, [a, -b], within=1e-4,
        because="This is R_k with k = -2: it looks two places ahead at every position.",
        slips={
            "This looks two places back: the score is highest at q = p - 2.": [a, b],
            "The angle is k·ω: here the frequency is lost.": [math.cos(2), -math.sin(2)],
            "β = 0 cannot tell ahead from behind: the score is highest at q = p.": [1, 0],
            "This points the arrow the opposite way: the score is lowest at q = p + 2.": [-a, b],
            "α and β have changed places.": [-b, a],
        },
    )  # fmt: skip


@exercise
def moved_on(answer):
    """Exercise 4.5: by how many positions a turn by the angle 2 moves hands of three frequencies."""
    speeds = (1, 1 / 8, 1 / 100)
    return same(
        answer, [2 / w for w in speeds], within=1e-4,
        because="A turn by the angle k is a shift by k/ω: right for ω = 1 alone.",
        slips={
            "These are the angles of a true shift by 2; asked is how far the angle 2 carries each hand.":
                [2 * w for w in speeds],
            "Here k = 1; the exercise asks for k = 2.": [1 / w for w in speeds],
            "The angle is the same for all; how far it carries a hand depends on its speed.": [2, 2, 2],
            "This is how many positions too far each has gone.": [2 / w - 2 for w in speeds],
        },
    )  # fmt: skip


def _shift(offset, frequencies):
    return torch.block_diag(*(torch.tensor(_turn(offset * w)).double() for w in frequencies.tolist()))


@exercise
def shift(answer):
    """Exercise 4.6: a function (offset, width, base) that returns the shift of a whole row."""

    def right(offset, width, base):
        return _shift(offset, additive.frequencies(width, base))

    return works(
        answer, right,
        [(1, 4, 10_000.0), (10, 8, 10_000.0), (-3, 6, 100.0), (0, 2, 10_000.0), (5, 12, 500.0)],
        within=1e-5,
        because="One block a pair, each with an angle of its own, at any even width.",
        slips={
            "This shifts the other way, or is meant for rows times matrix.":
                lambda offset, width, base: right(-offset, width, base),
            "Each pair has a frequency of its own.":
                lambda offset, width, base: _shift(offset, torch.ones(width // 2)),
            "The offset is ignored.": lambda offset, width, base: right(1, width, base),
            "The base is ignored.": lambda offset, width, base: right(offset, width, 10_000.0),
            "The exponent is doubled: pair i has b^(-2i/d).":
                lambda offset, width, base: right(offset, width, base**2),
            "The exponent is halved: pair i has b^(-2i/d).":
                lambda offset, width, base: right(offset, width, base**0.5),
            "The columns are sin, cos, sin, cos, and not all sines first.": _concatenated,
        },
    )  # fmt: skip


def _concatenated(offset, width, base):
    order = [*range(0, width, 2), *range(1, width, 2)]
    return _shift(offset, additive.frequencies(width, base))[order][:, order]


@exercise
def sine_alone(answer):
    """Exercise 4.7: the best factor, and the share it explains, at ω = 0.1 and k = 5."""
    best = math.cos(0.5)
    return same(
        answer, [best, best**2], within=6e-3,
        because="sin(p + k)ω = cos kω · sin pω + sin kω · cos pω: the second term is out of a sine's reach.",
        slips={
            "The share explained is the square of the factor.": [best, best],
            "A factor of 1 says that nothing moves.": [1, 1],
            "That belongs to k = 10.": [math.cos(1), math.cos(1) ** 2],
            "The angle is k·ω: here the frequency is lost.": [math.cos(5), math.cos(5) ** 2],
            "That is the factor of the cosine.": [math.sin(0.5), math.sin(0.5) ** 2],
            "That is the share which is not explained.": [best, 1 - best**2],
        },
    )  # fmt: skip


@exercise
def cannot_tell(answer):
    """Exercise 4.8: which two keys a dot product confuses, and its value at that distance."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return Verdict(False, "Give a pair: the letter and the number.")
    value = sum(math.cos(7 * w) for w in (1, 0.1, 0.01, 0.001))
    number = same(
        answer[1], value, within=6e-4, because="",
        slips={
            "Width 8 has four pairs; divide by nothing.": value / 4,
            "That is the sum of the sines.": sum(math.sin(7 * w) for w in (1, 0.1, 0.01, 0.001)),
            "That is the dot product of a row with itself.": 4,
            "A distance of 7, in radians: not degrees.":
                sum(math.cos(math.radians(7 * w)) for w in (1, 0.1, 0.01, 0.001)),
        },
    )  # fmt: skip
    return number and choice(
        answer[0], "b",
        because="It knows how far, and not which way: cosines are even.",
        slips={
            "a": "These two are at different distances from the query: compute both.",
            "c": "These two are at different distances from the query: compute both.",
            "d": "There is one such pair: the cosine does not see a sign.",
        },
    )  # fmt: skip

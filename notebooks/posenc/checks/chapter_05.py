"""Exercises of chapter 05, the worked example."""

import math

from posenc.checks import choice, same


def _row(position, slow):
    return [math.sin(position), math.cos(position), math.sin(slow), math.cos(slow)]


def row_six(answer):
    """Exercise 5.1: the four entries of position 6."""
    sine, cosine, slow_sine, slow_cosine = right = _row(6, 6 / 100)
    return same(
        answer, right, within=1e-4,
        because="The fast pair has turned by 6, almost a whole turn; the slow pair by 0.06.",
        slips={
            "The second pair turns at 10000^(-2/4), not at 10^(-2/4).": _row(6, 6 / math.sqrt(10)),
            "The second pair has a frequency of its own; this repeats the first.": _row(6, 6),
            "The exponent is doubled: i counts pairs, so the second pair has i = 1.": _row(6, 6 / 10_000),
            "Sine comes first in each pair.": [cosine, sine, slow_cosine, slow_sine],
            "The angle is in radians.": _row(math.radians(6), math.radians(6 / 100)),
        },
    )  # fmt: skip


def two_frequencies(answer):
    """Exercise 5.2: the frequencies at width 4 and base 100."""
    return same(
        answer, [1.0, 0.1],
        because="The second exponent is -2/4, and the square root of 100 is 10.",
        slips={
            "The exponent is -2i/d = -2/4, not -1.": [1.0, 0.01],
            "The exponent is -2i/d with d = 4, not -i/d.": [1.0, 100**-0.25],
            "These are periods over 2π; the frequencies are their inverses.": [1.0, 10.0],
        },
    )  # fmt: skip


def closest_offset(answer):
    """Exercise 5.3: the offset in 1 … 30 with the largest dot product."""
    return choice(
        answer, max(range(1, 31), key=lambda k: math.cos(k) + math.cos(k / 100)),
        because="19 is close to three whole turns of the fast pair, 6π ≈ 18.85.",
        slips={
            1: "The neighbour scores high, but not highest: the fast pair has turned by a whole radian.",
            6: "That is the first return of the fast pair; a later one comes closer to whole turns.",
            25: "Close to four whole turns, but the slow pair has lost more by then.",
            13: "13 is further from two whole turns than others are from theirs.",
            0: "Offset 0 is not among 1 to 30.",
        },
    )  # fmt: skip


def which_base(answer):
    """Exercise 5.4: the base behind a row of position 1."""
    return same(
        answer, 1000, within=5,
        because="1/√b = 0.0316 gives b = 1000.",
        slips={
            "With base 10000 column 2 would hold 0.0100.": 10_000,
            "That is the square root of the base.": math.sqrt(1000),
            "With base 100 column 2 would hold 0.0998.": 100,
        },
    )  # fmt: skip

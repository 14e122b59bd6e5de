"""Exercises of chapter 03, the sinusoidal code."""

import math

import torch

from posenc import additive
from posenc.checks import Verdict, called, same


def base_for_context(answer):
    """Exercise 3.1: the base at which the slowest pair of width 128 has wavelength 8192."""
    context, turn = 8192, 2 * math.pi
    return same(
        answer, (context / turn) ** (128 / 126), within=0.5,
        because="The longest wavelength is 2π b^(126/128); it equals 8192 there.",
        slips={
            "That base belongs to pair i = 64; the last pair is i = 63.": context / turn,
            "The factor 2π is missing: a wavelength is 2π over the frequency.": context ** (128 / 126),
            "That base has the exponent upside down.": (context / turn) ** (126 / 128),
            "The exponent is 2i/d with i = 63, not i/d.": (context / turn) ** (128 / 63),
            "i = 127 would be a column; the last pair is i = 63.": (context / turn) ** (128 / 254),
            "Just above: round to the nearest whole number.": 1462,
            "Just below: round to the nearest whole number.": 1460,
        },
    )  # fmt: skip


def first_confused(answer):
    """Exercise 3.2: the first position that float32 confuses with its predecessor."""
    return same(
        answer, 2**24 + 1, within=0,
        because="Up to 2²⁴ every whole number has its float32; 2²⁴ + 1 would need a 25th digit.",
        slips={
            "2²⁴ is a power of two and needs one digit alone.": 2**24,
            "2²⁴ - 1 has 24 binary digits, all ones: it still fits.": 2**24 - 1,
            "2²³ + 1 has 24 binary digits: it still fits.": 2**23 + 1,
            "257 has 9 digits: too many for bfloat16, not for float32.": 257,
            "32 bits hold sign and exponent too; 24 digits are left for the number.": 2**32 + 1,
        },
    )  # fmt: skip


def mended(function):
    """Exercise 3.3: a function (positions, width, base) that gives the code of the paper to 1e-6."""
    if function is not ... and not callable(function):
        return Verdict(False, "The answer must be a function: give its name, without parentheses.")
    # Several widths and bases, and no arange: what a function ignores must show.
    trials = [
        (torch.tensor([3, 0, 700, 8191]), 16, 10_000.0),
        (torch.tensor([8191, 12]), 6, 10_000.0),
        (torch.tensor([5, 90, 8000]), 10, 500.0),
    ]
    for positions, width, base in trials:
        answer = called(function, positions, width, base)
        verdict = answer if isinstance(answer, Verdict) else _table(answer, positions, width, base)
        if not verdict:
            return verdict
    return verdict


def _table(answer, positions, width, base):
    """Compare one table with the package's, and name the fault behind a wrong one."""
    turn = additive.angles(positions, width, base)
    pair = torch.arange(width // 2, dtype=torch.float64)
    twice = positions[:, None] * base ** (-4 * pair / width)
    right = additive.sinusoidal(positions, width, base, dtype=torch.float64)
    coarse = same(
        answer, right, within=2e-3, because="",
        slips={
            "The columns are concatenated; the paper has sin, cos, sin, cos.": _side(turn),
            "The exponent is doubled: the column is already 2i.": _woven(twice),
            "The exponent is doubled, and the columns are concatenated.": _side(twice),
            "Sine comes first in each pair.": _swapped(turn),
            "The argument base is ignored: 10 000 is used for every base.": _woven(
                additive.angles(positions, width)
            ),
        },
    )  # fmt: skip
    if not coarse:
        return coarse
    return same(
        answer, right, within=1e-6,
        because="One letter for the columns, float64 up to the sine, interleaved.",
        slips={"Formula and layout are right; the angles lose digits. Compute them in float64.": answer},
    )  # fmt: skip


def position_read(answer):
    """Exercise 3.4: the position below 600 whose row of width 6 and base 1000 was given to two digits."""
    turns = [20 * math.pi * n for n in (-3, -2, -1, 1, 2, 3, 4, 5)]  # of the middle hand, in positions
    return same(
        answer, 247, within=0,
        because="The slow hand says about 247, the middle one agrees, and the fast one settles it.",
        slips={
            "The cosine is below zero, and asin answers for hands in the upper half.": 67,
            "Sine and cosine are exchanged: how far right, the sine, stands first.": 538,
            "Near, as the slow hand has it; ask the middle hand which of the neighbours it is.": 248,
            "Near, as the slow hand has it; the middle hand says which of the neighbours it is.": 246,
        } | {
            f"The middle hand stands so at {round(247 + way)}; the slow hand does not.": round(247 + way)
            for way in turns
        } | {
            f"The fast hand stands so at {n}; the others do not.": n
            for n in (203, 228, 234, 241, 253, 260, 266, 291)
        },
    )  # fmt: skip


def _woven(turn):
    return torch.stack([turn.sin(), turn.cos()], dim=-1).flatten(-2)


def _swapped(turn):
    return torch.stack([turn.cos(), turn.sin()], dim=-1).flatten(-2)


def _side(turn):
    return torch.cat([turn.sin(), turn.cos()], dim=-1)

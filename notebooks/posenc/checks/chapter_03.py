"""Exercises of chapter 03, the sinusoidal code."""

import math

import torch

from posenc import additive
from posenc.checks import Verdict, called, choice, same


def base_for_context(answer):
    """Exercise 3.1: the base at which the slowest pair of width 128 has wavelength 8192."""
    context, turn = 8192, 2 * math.pi
    return same(
        answer, (context / turn) ** (128 / 126), within=1,
        because="The longest wavelength is 2π b^(126/128); it equals 8192 there.",
        slips={
            "That base belongs to pair i = 64; the last pair is i = 63.": context / turn,
            "The factor 2π is missing: a wavelength is 2π over the frequency.": context ** (128 / 126),
            "That base has the exponent upside down.": (context / turn) ** (126 / 128),
            "The exponent is 2i/d with i = 63, not i/d.": (context / turn) ** (128 / 63),
            "i = 127 would be a column; the last pair is i = 63.": (context / turn) ** (128 / 254),
        },
    )  # fmt: skip


def first_confused(answer):
    """Exercise 3.2: the first position that float32 confuses with its predecessor."""
    return choice(
        answer, 2**24 + 1,
        because="Up to 2²⁴ every whole number has its float32; 2²⁴ + 1 would need a 25th digit.",
        slips={
            2**24: "2²⁴ is a power of two and needs one digit alone.",
            2**24 - 1: "2²⁴ - 1 has 24 binary digits, all ones: it still fits.",
            2**23 + 1: "2²³ + 1 has 24 binary digits: it still fits.",
            257: "257 has 9 digits: too many for bfloat16, not for float32.",
            2**32 + 1: "32 bits hold sign and exponent too; 24 digits are left for the number.",
        },
    )  # fmt: skip


def mended(function):
    """Exercise 3.3: a function (positions, width) that gives the code of the paper to 1e-6."""
    if function is not ... and not callable(function):
        return Verdict(False, "The answer must be a function: give its name, without parentheses.")
    # Not arange: a function that ignores its positions must not pass.
    positions, width = torch.tensor([3, 0, 700, 8191]), 16
    answer = called(function, positions, width)
    if isinstance(answer, Verdict):
        return answer
    turn = additive.angles(positions, width)
    twice = positions[:, None] * 10_000.0 ** (-4 * torch.arange(8, dtype=torch.float64) / width)
    right = additive.sinusoidal(positions, width, dtype=torch.float64)
    coarse = same(
        answer, right, within=2e-3, because="",
        slips={
            "The columns are concatenated; the paper has sin, cos, sin, cos.": _side(turn),
            "The exponent is doubled: the column is already 2i.": _woven(twice),
            "The exponent is doubled, and the columns are concatenated.": _side(twice),
            "Sine comes first in each pair.": _swapped(turn),
        },
    )  # fmt: skip
    if not coarse:
        return coarse
    return same(
        answer, right, within=1e-6,
        because="One letter for the columns, float64 up to the sine, interleaved.",
        slips={"Formula and layout are right; the angles lose digits. Compute them in float64.": answer},
    )  # fmt: skip


def _woven(turn):
    return torch.stack([turn.sin(), turn.cos()], dim=-1).flatten(-2)


def _swapped(turn):
    return torch.stack([turn.cos(), turn.sin()], dim=-1).flatten(-2)


def _side(turn):
    return torch.cat([turn.sin(), turn.cos()], dim=-1)

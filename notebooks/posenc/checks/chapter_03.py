"""Exercises of chapter 03, the sinusoidal code."""

import math

import torch

from posenc.checks import exercise, normal, same, works


@exercise
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


@exercise
def first_confused(answer):
    """Exercise 3.2: the first position that float32 confuses with its predecessor, and so for float16."""
    return same(
        answer, [2**24 + 1, 2**11 + 1], within=0,
        because="Up to 2ⁿ every whole number has its float; 2ⁿ + 1 would need one digit more.",
        slips={
            "A power of two needs one digit alone: it still fits.": [2**24, 2**11],
            "One less has n binary digits, all ones: it still fits.": [2**24 - 1, 2**11 - 1],
            "That number has n binary digits: it still fits.": [2**23 + 1, 2**10 + 1],
            "The bits hold sign and exponent too; 24 and 11 digits are left for the number.":
                [2**32 + 1, 2**16 + 1],
            "That is the first number past the next power.": [2**25 + 1, 2**12 + 1],
        },
    )  # fmt: skip


@exercise
def mended(answer):
    """Exercise 3.3: a function (positions, width, base) that gives the code of the paper to 1e-6."""
    # Several widths and bases, and no arange: what a function ignores must show.
    trials = [
        (torch.tensor([3, 0, 700, 8191]), 16, 10_000.0),
        (torch.tensor([8191, 12]), 6, 10_000.0),
        (torch.tensor([5, 90, 8000]), 10, 500.0),
        (torch.tensor([8000, 1, 1, 4]), 2, 40.0),
    ]
    slips = {
        "The columns are concatenated; the paper has sin, cos, sin, cos.": _coded(_side),
        "The exponent is doubled: the column is already 2i.": _coded(_woven, 2),
        "The exponent is doubled, and the columns are concatenated.": _coded(_side, 2),
        "Sine comes first in each pair.": _coded(_swapped),
        "The argument base is ignored: 10 000 is used for every base.":
            lambda positions, width, base: _coded(_woven)(positions, width, 10_000.0),
        "The positions are ignored: row t need not hold position t.":
            lambda positions, width, base: _coded(_woven)(torch.arange(len(positions)), width, base),
    }  # fmt: skip
    coarse = works(answer, _coded(_woven), trials, within=2e-3, because="", slips=slips)
    return coarse and works(
        answer, _coded(_woven), trials, within=1e-6,
        because="One letter for the columns, float64 up to the sine, interleaved.",
        slips={"Formula and layout are right; the angles lose digits. Compute them in float64.": answer},
    )  # fmt: skip


def _coded(layout, exponent=1):
    def code(positions, width, base):
        frequencies = base ** (-exponent * torch.arange(0, width, 2, dtype=torch.float64) / width)
        return layout(positions[:, None] * frequencies)

    return code


def _woven(turn):
    return torch.stack([turn.sin(), turn.cos()], dim=-1).flatten(-2)


def _swapped(turn):
    return torch.stack([turn.cos(), turn.sin()], dim=-1).flatten(-2)


def _side(turn):
    return torch.cat([turn.sin(), turn.cos()], dim=-1)


@exercise
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


@exercise
def twins(answer):
    """Exercise 3.5: the place at which the sine of position 5 returns, at ω = 0.1, and its cosine there."""
    place = math.pi / 0.1 - 5
    return same(
        answer, [place, -math.cos(0.5)], within=6e-3,
        because="A sine alone has two answers, left and right of the top; the sign of the cosine decides.",
        slips={
            "There the whole hand is back; the sine alone returns sooner.":
                [2 * math.pi / 0.1 + 5, math.cos(0.5)],
            "On the other side of the hand the cosine is negative.": [place, math.cos(0.5)],
            "That is the angle; divide it by the speed.": [math.pi - 0.5, -math.cos(0.5)],
            "There the cosine returns; the sine has changed its sign.":
                [2 * math.pi / 0.1 - 5, math.cos(0.5)],
            "The cosine was asked for; this is the sine.": [place, math.sin(0.5)],
        },
    )  # fmt: skip


@exercise
def first_unfinished(answer):
    """Exercise 3.6: the first pair of width 64 that does not finish a turn, and its wavelength."""
    waves = [2 * math.pi * 10_000 ** (i / 32) for i in range(32)]
    return same(
        answer, [11, waves[11]], within=0.06,
        because="In the heatmap, columns 22 and 23 are the first that show no whole wave.",
        slips={
            "That is the last pair that does finish.": [10, waves[10]],
            "That is a column; pair i owns the columns 2i and 2i + 1.": [22, waves[11]],
            "Columns and pairs are confused: the exponent of pair i is 2i/d.":
                [21, 2 * math.pi * 10_000 ** (21 / 64)],
            "A wavelength is 2π over the frequency.": [17, 10_000 ** (17 / 32)],
            "The number of the pair is right, its wavelength is not.": [11, 128],
        },
    )  # fmt: skip


@exercise
def odd_code(answer):
    """Exercise 3.7: a function (positions, width, base) for odd widths too."""

    def right(positions, width, base):
        column = torch.arange(width)
        turn = positions[:, None] * base ** (-2.0 * (column // 2).double() / width)
        return torch.where(column % 2 == 0, turn.sin(), turn.cos())

    def padded(positions, width, base):
        return _coded(_woven)(positions, width + width % 2, base)

    return works(
        answer, right,
        [
            (torch.arange(6), 8, 10_000.0), (torch.tensor([7, 0, 50]), 7, 10_000.0),
            (torch.tensor([3, 90]), 1, 10_000.0), (torch.tensor([1, 1, 33]), 5, 100.0),
        ],
        within=1e-4,
        because="The column decides on sine or cosine, its pair on the speed; an odd width ends with a sine.",
        slips={
            "There is a column too many at odd widths.": padded,
            "The frequencies are those of the next even width; the exponent's d is the width asked for.":
                lambda positions, width, base: padded(positions, width, base)[:, :width],
            "Columns 2i and 2i + 1 share a frequency: the pair, and not the column, is in the exponent.":
                lambda positions, width, base: torch.where(
                    torch.arange(width) % 2 == 0,
                    (positions[:, None] * base ** (-torch.arange(width).double() / width)).sin(),
                    (positions[:, None] * base ** (-torch.arange(width).double() / width)).cos(),
                ),
            "The positions are ignored: row t need not hold position t.":
                lambda positions, width, base: right(torch.arange(len(positions)), width, base),
            "The base is ignored.": lambda positions, width, base: right(positions, width, 10_000.0),
        },
    )  # fmt: skip


@exercise
def add_code(answer):
    """Exercise 3.8: a function (x, table) that adds row t of the table to every token at place t."""
    return works(
        answer, lambda x, table: x + table[: x.shape[1]],
        [
            (normal(4, 6, 8), normal(50, 8, seed=1)),
            (normal(2, 5, 4, seed=2), normal(9, 4, seed=3)),
            (normal(7, 3, 6, seed=4), normal(3, 6, seed=5)),
            (normal(3, 3, 6, seed=6), normal(64, 6, seed=7)),
        ],
        because="The table is cut along the axis of time; every sequence of the batch gets the same rows.",
        slips={
            "Still faulty: every token of a sequence gets one and the same row.":
                lambda x, table: x + table[: x.shape[0], None],
            "The code replaces the tokens; it should be added to them.":
                lambda x, table: table[: x.shape[1]].expand_as(x),
            "The tokens come back unchanged.": lambda x, table: x,
            "The last rows of the table are used; position 0 has the first one.":
                lambda x, table: x + table[-x.shape[1]:],
            "Row 0 belongs to the first token.": lambda x, table: x + table.roll(-1, 0)[: x.shape[1]],
        },
    )  # fmt: skip

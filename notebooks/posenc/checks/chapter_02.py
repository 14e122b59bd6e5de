"""Exercises of chapter 02, what a code must do."""

import math

from posenc.checks import choice, same


def bits_changed(answer):
    """Exercise 2.1: bits that change from 1023 to 1024."""
    return same(
        answer, bin(1023 ^ 1024).count("1"),
        because="Ten ones turn to zero and the eleventh bit turns to one.",
        slips={
            "Ten bits turn from one to zero. One more bit changes.": 10,
            "That is the difference of the numbers; compare their bits.": 1,
            "That is the distance; its square counts the bits.": math.sqrt(11),
        },
    )  # fmt: skip


def doubling_base(answer):
    """Exercise 2.2: the base for which wavelengths double at width 32."""
    return same(
        answer, 2.0**16,
        because="The ratio b^(2/32) is 2 for b = 2^16 = 65536.",
        slips={
            "The exponent is 2/d, not 1/d: there are 16 pairs.": 2.0**32,
            "That base is for width 16.": 256,
            "With base 2 the wavelengths double over the whole width, not from pair to pair.": 2,
            "At base 10000 the ratio is 10000^(2/32), below 2.": 10_000,
        },
    )  # fmt: skip


def squared_distance(answer):
    """Exercise 2.3: squared distance between two rows of width 4 at offset 3."""
    fast, slow = 2 - 2 * math.cos(3), 2 - 2 * math.cos(3 / 100)
    return same(
        answer, fast + slow, within=1e-4,
        because="It depends on the offset 3 alone; almost all of it comes from the fast pair.",
        slips={
            "That is the distance; its square was asked for.": math.sqrt(fast + slow),
            "This is the first pair alone, or the second pair with a doubled exponent.": fast,
            "The factor 2 is missing: each pair gives 2(1 - cos kω).": (fast + slow) / 2,
            "That is the dot product of the two rows.": math.cos(3) + math.cos(3 / 100),
        },
    )  # fmt: skip


def failed_test(answer):
    """Exercise 2.4: the requirement that sines without cosines do not meet."""
    if isinstance(answer, str):
        answer = "_".join(answer.lower().split())
    return choice(
        answer, "evenly_spaced",
        because="Without its cosine a column moves fast near zero and hardly near its peak.",
        slips={
            "bounded": "A sine stays between -1 and 1.",
            "same_for_any_length": "The function does not use the length.",
            "unique": "Two positions agree in one sine at times, but not in all sixteen.",
            "deterministic": "There is no chance in it.",
            "open_ended": "It is defined at every position, and the rows do not depend on the length.",
            "well_separated": "Sixteen sines at different speeds keep 4096 positions apart.",
            "farther_looks_farther": "Its slow columns tell far positions from near ones.",
        },
    )  # fmt: skip


def neighbours_apart(answer):
    """Exercise 2.5: the distance of neighbours on one hand that takes 4096 positions for its turn."""
    step = 2 * math.pi / 4096
    return same(
        answer, 2 * math.sin(step / 2), within=5e-5,
        because="So 66 positions in a row fit into a tenth: the hand says roughly where, and never exactly.",
        slips={
            "That is a hand of speed 1/4096, which needs 2π · 4096 positions for its turn.": 1 / 4096,
            "That is the squared distance.": (2 * math.sin(step / 2)) ** 2,
            "The chord of an angle is twice the sine of its half.": math.sin(step / 2),
        },
    )  # fmt: skip

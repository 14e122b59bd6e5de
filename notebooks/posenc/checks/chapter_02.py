"""Exercises of chapter 02, what a code must do."""

import math

import torch

from posenc import additive
from posenc.checks import Verdict, called, choice, exercise, no_function, normal, same, works


@exercise
def bits_changed(answer):
    """Exercise 2.1: bits that change from 1023 to 1024, and from 1535 to 1536."""
    return same(
        answer, [11, 10], within=1e-6,
        because="A step throws every one at the end and the zero before them.",
        slips={
            "The zero before the ones turns too.": [10, 9],
            "1535 is 10111111111 in binary: not all of its bits are ones.": [11, 11],
            "That is the difference of the numbers; compare their bits.": [1, 1],
            "That is the distance; its square counts the bits.": [math.sqrt(11), math.sqrt(10)],
        },
    )  # fmt: skip


@exercise
def doubling_base(answer):
    """Exercise 2.2: the base for which wavelengths double at width 32."""
    return same(
        answer, 2.0**16, within=0.5,
        because="The ratio b^(2/32) is 2 for b = 2^16 = 65536.",
        slips={
            "The exponent is 2/d, not 1/d: there are 16 pairs.": 2.0**32,
            "That base is for width 16.": 256,
            "With base 2 the wavelengths double over the whole width, not from pair to pair.": 2,
            "At base 10000 the ratio is 10000^(2/32), below 2.": 10_000,
            "From the first hand to the last there are 15 steps, but the base counts one step more.": 2.0**15,
        },
    )  # fmt: skip


@exercise
def squared_distance(answer):
    """Exercise 2.3: squared distance between two rows of width 4 at offset 3."""
    fast, slow = 2 - 2 * math.cos(3), 2 - 2 * math.cos(3 / 100)
    return same(
        answer, fast + slow, within=1e-4,
        because="It depends on the offset 3 alone; almost all of it comes from the fast pair.",
        slips={
            "That is the distance; its square was asked for.": math.sqrt(fast + slow),
            "The slow pair is missing, or its exponent is doubled.": fast,
            "The factor 2 is missing: each pair gives 2(1 - cos kω).": (fast + slow) / 2,
            "That is the dot product of the two rows.": math.cos(3) + math.cos(3 / 100),
            "Each pair has a speed of its own; this is the fast one twice.": 2 * fast,
        },
    )  # fmt: skip


@exercise
def failed_test(answer):
    """Exercise 2.4: the requirement that sines without cosines do not meet, and a distance that shows it."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return Verdict(False, "Give two things: the name of the test, and the number.")
    name, distance = answer
    if type(name) is not str:
        return Verdict(False, "The first of the two is the name of a test, in quotation marks.")
    number = same(
        distance, abs(math.sin(2) - math.sin(1)), within=6e-4, because="",
        slips={
            "That is the step from 0 to 1; the one from 1 to 2 was asked for.": math.sin(1),
            "A distance has no sign.": math.sin(2) - math.sin(1),
            "That is a hand's step, cosine and all.": 2 * math.sin(0.5),
            "That is the squared distance.": (math.sin(2) - math.sin(1)) ** 2,
        },
    )  # fmt: skip
    return number and choice(
        name, "evenly_spaced",
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


@exercise
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


@exercise
def by_offset(answer):
    """Exercise 2.6: a function that says whether the distances of a table depend on the offset alone."""
    unread = no_function(answer)
    if unread is not None:
        return unread
    places = torch.arange(40)
    tables = [
        (additive.sinusoidal(places, 16, dtype=torch.float64), True, "hands at different speeds"),
        (additive.binary(places, 8).double(), False, "the counter"),
        (additive.index(places, 8).double(), True, "the index"),
        (normal(30, 6, seed=1), False, "random rows"),
        (additive.sinusoidal(places**2, 16, dtype=torch.float64), False, "hands at squared positions"),
        (additive.sinusoidal(places, 8)[:, ::2].double(), False, "sines without cosines"),
        (additive.sinusoidal(3 * places[:25], 6, 50.0, dtype=torch.float64) + 7, True, "shifted hands"),
        (_one_row_off(places), False, "hands of which one row is wrong"),
        (_far_alone(places), False, "a table that is right for neighbours only"),
    ]
    for table, expected, name in tables:
        said = called(answer, table.clone())
        if isinstance(said, Verdict):
            return said
        if type(said) not in (bool, int) and not (getattr(said, "ndim", None) == 0):
            return Verdict(False, "The function must return True or False.")
        if bool(said) != expected:
            return Verdict(False, f"It says {bool(said)} of {name}: print the distances at one offset.")
    return Verdict(True, "It tells nine tables apart, among them some that are right almost everywhere.")


def _one_row_off(places):
    table = additive.sinusoidal(places, 8, dtype=torch.float64)
    table[-1] = -table[-1]
    return table


def _far_alone(places):
    """A zigzag: neighbours have one distance, and those two apart do not."""
    steps = torch.tensor([1.0, 1.0, -1.0]).double().repeat(14)[: len(places)]
    return steps.cumsum(0)[:, None]


@exercise
def slower(answer):
    """Exercise 2.7: what a fourfold base does to the slowest hand, at width 32 and at width 4."""
    return same(
        answer, [4 ** (30 / 32), 2], within=6e-4,
        because="The slowest speed is b^(-(d-2)/d): the base, but for one step of the ladder.",
        slips={
            "The last pair is i = d/2 - 1, and its exponent is 2i/d, a little below 1.": [4, 4],
            "The exponent is 2i/d, with i the last pair.": [4 ** (15 / 32), 4 ** (1 / 4)],
            "That is the factor of its speed; asked is the time for a turn.": [4 ** (-30 / 32), 1 / 2],
            "The first hand does not change, but the last one does.": [1, 1],
            "That is the factor from hand to hand.": [4 ** (2 / 32), 2],
        },
    )  # fmt: skip


@exercise
def beyond_training(answer):
    """Exercise 2.8: what a model that reads p ≈ sin(ωp)/ω says of 1024 and of 2048."""
    scale = 4096 / (2 * math.pi)
    return same(
        answer, [scale, 0], within=0.5,
        because="The code is defined there; what the model made of it on 0 to 63 is not true there.",
        slips={
            "That would be a model that works everywhere; put the sine in.": [1024, 2048],
            "That is the sine; the model multiplies it by 4096/2π.": [1, 0],
            "2048 is half a turn of the hand, where its sine is 0.": [scale, scale],
            "The hand is at a quarter turn at position 1024, where its sine is 1.": [0, scale],
            "The model reads the sine, not the cosine.": [0, -scale],
        },
    )  # fmt: skip


@exercise
def ladder(answer):
    """Exercise 2.9: a function (width, base) that returns the speeds."""

    def even(width, base):
        return torch.logspace(0, -math.log10(base), width // 2, dtype=torch.float64)

    return works(
        answer, additive.frequencies, [(16, 10_000), (32, 10_000), (6, 10_000), (16, 500), (2, 100), (64, 7)],
        within=1e-6,
        because="Equal ratios from 1 on, and the next hand after the last would have 1/b.",
        slips={
            "Still faulty: the last speed is 1/b itself, so every ratio is a little too large.": even,
            "The exponent is doubled: pair i has -2i/d.":
                lambda width, base: additive.frequencies(width, base**2),
            "The exponent is halved: pair i has -2i/d.":
                lambda width, base: additive.frequencies(width, math.sqrt(base)),
            "These are the inverses: each hand is faster than the one before.":
                lambda width, base: 1 / additive.frequencies(width, base),
            "Equal differences, where equal ratios are wanted.":
                lambda width, base: torch.linspace(1, 1 / base, width // 2, dtype=torch.float64),
            "The base is ignored.": lambda width, base: additive.frequencies(width),
        },
    )  # fmt: skip

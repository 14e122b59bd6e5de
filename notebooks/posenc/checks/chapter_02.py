"""Exercises of chapter 02, what a code must do."""

import math

from posenc.checks import (
    Verdict, additive, as_bool, call_or_refuse, choice, distinct_positions, exercise, extra_trials, normal, parts_of,
    same, torch, unless_refused, works,
)


@exercise
def bits_changed(answer, first=1023, second=1535):
    """Exercise 2.1: bits that change from a position full of ones to the next, and from another one."""
    right = [(n ^ (n + 1)).bit_count() for n in (first, second)]
    return same(answer, {
        "A step throws every one at the end and the zero before them.": right,
        "The zero before the ones turns too.": [right[0] - 1, right[1] - 1],
        f"{second} is {second:b} in binary: not all of its bits are ones.": [right[0], second.bit_length()],
        "That is the difference of the numbers; compare their bits.": [1, 1],
        "That is the distance; its square counts the bits.": [math.sqrt(right[0]), math.sqrt(right[1])],
        "These are the next positions; count the bits that change on the way there.": [first + 1, second + 1],
    }, within=1e-6)


@exercise
def doubling_base(answer, width=32, ratio=2):
    """Exercise 2.2: the base for which wavelengths double, or grow by another ratio, from pair to pair."""
    pairs = width // 2
    right = float(ratio**pairs)
    return same(answer, {
        f"The ratio b^(2/{width}) is {ratio} for b = {ratio}^{pairs} = {right:.0f}.": right,
        f"The exponent is 2/d, not 1/d: there are {pairs} pairs.": right**2,
        f"That base is for width {pairs}.": right**0.5,
        f"With base {ratio} the wavelengths grow so over the whole width, not from pair to pair.": ratio,
        f"At base 10000 the ratio is 10000^(2/{width}), {'above' if right < 1e4 else 'below'} {ratio}.": 10_000,
        f"From the first hand to the last there are {pairs - 1} steps, and the base counts one more.": right / ratio,
        f"A factor of {ratio} for each of the {pairs} pairs, and no more.": right * ratio,
    }, within=0.5)


@exercise
def squared_distance(answer, first=1000, offset=3, base=10_000):
    """Exercise 2.3: squared distance between two rows of width 4. first stands in the question alone."""
    fast, slow = (2 - 2 * math.cos(offset * speed) for speed in (1, 1 / math.sqrt(base)))
    return same(answer, {
        f"It depends on the offset {offset} alone; almost all of it comes from the fast pair.": fast + slow,
        "That is the distance; its square was asked for.": math.sqrt(fast + slow),
        "The slow pair is missing, or its exponent is doubled.": fast,
        "The factor 2 is missing: each pair gives 2(1 − cos Δω).": (fast + slow) / 2,
        "That is the dot product of the two rows.": 2 - (fast + slow) / 2,
        "Each pair has a frequency of its own; this is the fast one twice.": 2 * fast,
    }, within=1e-4)


@exercise(tensors=True)
def failed_test(answer):
    """Exercise 2.4: the requirement that sines without cosines do not meet, and a distance that shows it."""
    name, distance = parts_of(answer, 2, "Give two things: the name of the test, and the number.")
    if type(name) is not str:
        return Verdict(False, "The first of the two is the name of a test, in quotation marks.")
    step = math.sin(2) - math.sin(1)
    unless_refused(same(distance, {
        "": abs(step),
        "That is the step from 0 to 1; the one from 1 to 2 was asked for.": math.sin(1),
        "A distance has no sign.": step,
        "That is a hand's step, cosine and all.": 2 * math.sin(0.5),
        "That is the squared distance.": step**2,
    }, within=6e-4))
    because = "Without its cosine a column moves fast near zero and hardly near its peak."
    return choice(name, "evenly_spaced", because=because, slips={
        "bounded": "A sine stays between -1 and 1.",
        "same_for_any_length": "The function does not use the length.",
        "well_separated": "Sixteen sines of different frequencies keep 4096 positions apart.",
        "farther_looks_farther": "Its slow columns tell far positions from near ones.",
    })


@exercise
def neighbours_apart(answer, turn=4096):
    """Exercise 2.5: the distance of neighbours on one hand that takes so many positions for its turn."""
    step = 2 * math.pi / turn
    count = int(0.1 / step) + 1
    return same(answer, {
        f"So {count} positions in a row fit into a tenth: the hand says roughly where, and never exactly.": 2 * math.sin(step / 2),
        f"That is a hand of frequency 1/{turn}, which needs 2π · {turn} positions for its turn.": 1 / turn,
        "That is the squared distance.": (2 * math.sin(step / 2)) ** 2,
        "The chord of an angle is twice the sine of its half.": math.sin(step / 2),
        f"That is a whole turn; one step is a part of {turn} of it.": 2 * math.pi,
        "That is how many positions make one radian.": 1 / step,
    }, within=5e-5)


def _depends_on_the_offset(table):
    """Whether the distance of two rows of a table depends on their offset alone."""
    gaps = [(table[offset:] - table[:-offset]).norm(dim=1) for offset in range(1, len(table))]
    return all((gap.max() - gap.min()).item() < 1e-6 for gap in gaps)


@exercise(tensors=True)
def by_offset(answer):
    """Exercise 2.6: a function that says whether the distances of a table depend on the offset alone."""
    at = torch.arange(40)
    tables = [
        (additive.sinusoidal(at, 16, dtype=torch.float64), "hands at different frequencies"),
        (additive.binary(at, 8).double(), "the counter"),
        (additive.index(at, 8).double(), "the index"),
        (normal(30, 6, seed=1), "random rows"),
        (additive.sinusoidal(at**2, 16, dtype=torch.float64), "hands at squared positions"),
        (additive.sinusoidal(at, 8)[:, ::2].double(), "sines without cosines"),
        (additive.sinusoidal(3 * at[:25], 6, 50.0, dtype=torch.float64) + 7, "shifted hands"),
        (_one_row_off(at), "hands of which one row is wrong"),
        (_far_alone(at), "a table that is right for neighbours only"),
        *extra_trials(_any_table, 6),
    ]
    for table, name in tables:
        expected = _depends_on_the_offset(table)
        says = as_bool(call_or_refuse(answer, table.clone()))
        if says != expected:
            return Verdict(False, f"It says {says} of {name}: print the distances at one offset.")
    return Verdict(True, "It tells nine tables apart, among them some that are right almost everywhere.")


def _any_table(dice):
    """Hands at positions in order or in none, in their place or moved away from the origin."""
    at = torch.arange(30) * dice.randint(1, 5) if dice.random() < 0.7 else distinct_positions(dice, 30)
    table = additive.sinusoidal(at, 2 * dice.randint(1, 8), 10.0 ** dice.randint(1, 4), dtype=torch.float64)
    return table + dice.choice([0, 0, 3]), "other hands"


def _one_row_off(at):
    table = additive.sinusoidal(at, 8, dtype=torch.float64)
    table[-1] = -table[-1]
    return table


def _far_alone(at):
    """A zigzag: neighbours have one distance, and those two apart do not."""
    steps = torch.tensor([1.0, 1.0, -1.0]).double().repeat(14)[: len(at)]
    return steps.cumsum(0)[:, None]


@exercise
def slower(answer, factor=4, widths=(32, 4)):
    """Exercise 2.7: what a larger base does to the slowest hand, at two widths."""

    def grown(exponent):
        return [factor ** exponent(width) for width in widths]

    return same(answer, {
        "The slowest frequency is b^(-(d-2)/d): the base, but for one step of the ladder.": grown(lambda width: (width - 2) / width),
        "The last pair is i = d/2 − 1, and its exponent is 2i/d, a little below 1.": [factor, factor],
        "The exponent is 2i/d, with i the last pair.": grown(lambda width: (width // 2 - 1) / width),
        "That is the factor of its frequency; asked is the time for a turn.": grown(lambda width: -(width - 2) / width),
        "The first hand does not change, but the last one does.": [1, 1],
        "That is the factor from hand to hand.": grown(lambda width: 2 / width),
    }, within=6e-4)


@exercise
def beyond_training(answer, turn=4096, quarters=(1, 2)):
    """Exercise 2.8: what a model that reads p ≈ sin(ωp)/ω says after so many quarters of a turn."""
    scale = turn / (2 * math.pi)
    sines, cosines = ([f(part * math.pi / 2) for part in quarters] for f in (math.sin, math.cos))
    first, second = (turn * part // 4 for part in quarters)
    return same(answer, {
        "The code is defined there; what the model made of it on 0 to 63 is not true there.": [scale * sine for sine in sines],
        "That would be a model that works everywhere; put the sine in.": [first, second],
        f"That is the sine; the model multiplies it by {turn}/2π.": sines,
        f"{second} is half a turn of the hand, where its sine is 0.": [scale * sines[0], scale],
        f"The hand is at a quarter turn at position {first}, where its sine is 1.": [0, scale],
        "The model reads the sine, not the cosine.": [scale * cosine for cosine in cosines],
    }, within=0.5)


@exercise(tensors=True)
def ladder(answer):
    """Exercise 2.9: a function (width, base) that returns the frequencies."""
    right = additive.geometric

    def even(width, base):
        return torch.logspace(0, -math.log10(base), width // 2, dtype=torch.float64)

    trials = [(16, 10_000), (32, 10_000), (6, 10_000), (16, 500), (2, 100), (64, 7)]
    trials += extra_trials(lambda dice: (2 * dice.randint(3, 40), dice.randint(5, 9000)))
    return works(answer, trials, {
        "Equal ratios from 1 on, and the next hand after the last would have 1/b.": right,
        "Still faulty: the last frequency is 1/b itself, so every ratio is a little too large.": even,
        "The exponent is doubled: pair i has −2i/d.": lambda width, base: right(width, base**2),
        "The exponent is halved: pair i has −2i/d.": lambda width, base: right(width, math.sqrt(base)),
        "These are the inverses: each hand is faster than the one before.": lambda width, base: 1 / additive.geometric(width, base),
        "Equal differences, where equal ratios are wanted.": lambda width, base: torch.linspace(1, 1 / base, width // 2, dtype=torch.float64),
        "The base is ignored.": lambda width, base: right(width),
        "The first frequency is 1: pairs count from 0.": lambda width, base: right(width, base) * base ** (-2 / width),
    }, within=1e-6)

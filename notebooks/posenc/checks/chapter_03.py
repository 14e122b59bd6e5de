"""Exercises of chapter 03, the sinusoidal code."""

import math

from posenc.checks import distinct_positions, exercise, extra_trials, normal, same, torch, works


@exercise
def base_for_context(answer, width=64, context=8192):
    """Exercise 3.1: the base at which half a wavelength of the slowest pair of a width is so many positions."""
    last = width // 2 - 1
    right = (context / math.pi) ** (width / (width - 2))
    return same(answer, {
        f"Half the longest wavelength is π b^({width - 2}/{width}); it equals {context} there.": right,
        f"That base belongs to pair i = {last + 1}; the last pair is i = {last}.": context / math.pi,
        "At that base it is the whole wavelength; a hand measures half of it.": (context / (2 * math.pi)) ** (width / (width - 2)),
        "The factor π is missing: half a wavelength is π over the frequency.": context ** (width / (width - 2)),
        "That base has the exponent upside down.": (context / math.pi) ** ((width - 2) / width),
        f"The exponent is 2i/d with i = {last}, not i/d.": (context / math.pi) ** (width / last),
        f"i = {width - 1} would be a column; the last pair is i = {last}.": (context / math.pi) ** (width / (2 * width - 2)),
        "That is the base of the paper, whatever the context.": 10_000,
        "Just above: round to the nearest whole number.": round(right) + 1,
        "Just below: round to the nearest whole number.": round(right) - 1,
    }, within=0.5)


# How many binary digits a float keeps, the leading one among them, and how many bits it takes.
FLOATS = {"float32": (24, 32), "float16": (11, 16), "float8_e4m3fn": (4, 8), "float8_e5m2": (3, 8)}


@exercise
def first_confused(answer, floats=("float32", "float16"), neighbour="predecessor"):
    """Exercise 3.2: the first position that each of two floats confuses with a neighbour."""
    kept, after = [FLOATS[name][0] for name in floats], int(neighbour == "predecessor")

    def powers(more=0, plus=0):
        return [2 ** (n + more) + plus for n in kept]

    whole_float = [2 ** FLOATS[name][1] + after for name in floats]

    return same(answer, {
        "Up to 2ⁿ every whole number has its float; 2ⁿ + 1 would need one digit more.": powers(plus=after),
        "A power of two needs one digit alone: it still fits.": powers(),
        "That number is confused with the one before it.": powers(plus=1),
        "One less has n binary digits, all ones: it still fits.": powers(plus=-1),
        "That number has n binary digits: it still fits.": powers(-1, after),
        f"The bits hold sign and exponent too; {kept[0]} and {kept[1]} digits are left for the number.": whole_float,
        "That is the first number past the next power.": powers(1, after),
        "That is bfloat16, which keeps 8 digits.": [2**8 + after] * 2,
    }, within=0)


@exercise(tensors=True)
def mended(answer):
    """Exercise 3.3: a function (positions, width, base) that gives the code of the paper to 1e-6."""
    right = _coded(_woven)
    # Several widths and bases, and no arange: what a function ignores must show.
    trials = [
        (torch.tensor([3, 0, 700, 8191]), 16, 10_000.0),
        (torch.tensor([8191, 12]), 6, 10_000.0),
        (torch.tensor([5, 90, 8000]), 10, 500.0),
        (torch.tensor([8000, 1, 1, 4]), 2, 40.0),
        *extra_trials(lambda d: (distinct_positions(d, 5, 8192), 2 * d.randint(2, 20), float(d.randint(50, 9000)))),
    ]
    coarse = works(answer, trials, {
        "": right,
        "The columns are concatenated; the paper has sin, cos, sin, cos.": _coded(_side),
        "The exponent is doubled: the column is already 2i.": _coded(_woven, 2),
        "The exponent is doubled, and the columns are concatenated.": _coded(_side, 2),
        "Sine comes first in each pair.": _coded(_swapped),
        "The argument base is ignored: 10 000 is used for every base.": lambda positions, width, base: right(positions, width, 10_000.0),
        "The positions are ignored: row t need not hold position t.": lambda positions, width, base: right(torch.arange(len(positions)), width, base),
    }, within=2e-3)
    return coarse and works(answer, trials, {
        "One letter for the columns, float64 up to the sine, interleaved.": right,
        "Formula and layout are right; the angles lose digits. Compute them in float64.": answer,
    }, within=1e-6)


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


def row_of(position):
    """The row of exercise 3.4: width 6, base 1000, two digits."""
    return [round(wave(position / slow), 2) for slow in (1, 10, 100) for wave in (math.sin, math.cos)]


@exercise
def position_read(answer, position=247):
    """Exercise 3.4: the position below 600 whose row of width 6 and base 1000 was given to two digits."""
    turns = [20 * math.pi * n for n in (-3, -2, -1, 1, 2, 3, 4, 5)]  # of the middle hand, in positions
    sine, cosine = row_of(position)[4:]
    exchanged = math.atan2(cosine, sine) % (2 * math.pi)
    says = {
        f"The slow hand says about {position}, the middle one agrees, and the fast one settles it.": position,
        "The cosine is below zero, and asin answers for hands in the upper half.": round(100 * math.asin(sine)),
        "That is the angle of the slow hand, which turns by 1/100 at each step.": position / 100,
        "Sine and cosine are exchanged: how far right, the sine, stands first.": round(100 * exchanged),
        "Near, as the slow hand has it; ask the middle hand which of the neighbours it is.": position + 1,
        "Near, as the slow hand has it; the middle hand says which of the neighbours it is.": position - 1,
    }
    for place in (round(position + way) for way in turns):
        says[f"The middle hand stands so at {place}; the slow hand does not."] = place
    for place in (position + way for way in (-44, -19, -13, -6, 6, 13, 19, 44)):
        says[f"The fast hand stands so at {place}; the others do not."] = place
    return same(answer, says, within=0)


@exercise
def twins(answer, position=5, speed=0.1):
    """Exercise 3.5: the place at which the sine of a position returns, and the cosine there."""
    angle, turn = position * speed, 2 * math.pi / speed
    place = turn / 2 - position
    return same(answer, {
        "A sine alone leaves two hands, above and below the centre; the sign of the cosine decides.": [place, -math.cos(angle)],
        "There the whole hand is back; the sine alone returns sooner.": [turn + position, math.cos(angle)],
        "On the other side of the hand the cosine is negative.": [place, math.cos(angle)],
        "That is the angle; divide it by the speed.": [math.pi - angle, -math.cos(angle)],
        "There the cosine returns; the sine has changed its sign.": [turn - position, math.cos(angle)],
        "The cosine was asked for; this is the sine.": [place, math.sin(angle)],
    }, within=6e-3)


def past(shown, width, base, exponent=2, turn=2 * math.pi):
    """The first pair whose wavelength is above so many positions, and that wavelength."""
    waves = [turn * base ** (exponent * i / width) for i in range(width)]
    return next([i, wave] for i, wave in enumerate(waves) if wave > shown)


@exercise
def first_unfinished(answer, width=64, base=10_000, shown=128):
    """Exercise 3.6: the first pair that does not finish a turn among the positions shown, its wavelength."""
    i, wave = past(shown, width, base)
    return same(answer, {
        f"In the heatmap, columns {2 * i} and {2 * i + 1} are the first that show no whole wave.": [i, wave],
        "That is the last pair that does finish.": [i - 1, wave * base ** (-2 / width)],
        "That is a column; pair i owns the columns 2i and 2i + 1.": [2 * i, wave],
        "Columns and pairs are confused: the exponent of pair i is 2i/d.": past(shown, width, base, exponent=1),
        "A wavelength is 2π over the frequency.": past(shown, width, base, turn=1),
        "The number of the pair is right, its wavelength is not.": [i, shown],
        "That is the second of those that do not finish; the first was asked for.": [i + 1, wave * base ** (2 / width)],
    }, within=0.06)


@exercise(tensors=True)
def odd_code(answer):
    """Exercise 3.7: a function (positions, width, base) for odd widths too."""

    def right(positions, width, base, per_column=False, even=0):
        column = torch.arange(width)
        pair = (column if per_column else column // 2 * 2).double()
        turn = positions[:, None] * base ** (-pair / width)
        return torch.where(column % 2 == even, turn.sin(), turn.cos())

    def padded(positions, width, base):
        return right(positions, width + width % 2, base)

    def padded_and_cut(positions, width, base):
        return padded(positions, width, base)[:, :width]

    def by_column(positions, width, base):
        return right(positions, width, base, per_column=True)

    def doubled_by_column(positions, width, base):
        return right(positions, width, base**2, per_column=True)

    trials = [
        (torch.arange(6), 8, 10_000.0),
        (torch.tensor([7, 0, 50]), 7, 10_000.0),
        (torch.tensor([3, 90]), 1, 10_000.0),
        (torch.tensor([1, 1, 33]), 5, 100.0),
        *extra_trials(lambda d: (distinct_positions(d, 4), 2 * d.randint(1, 20) + 1, float(d.randint(50, 900)))),
    ]
    return works(answer, trials, {
        "The column decides on sine or cosine, its pair on the frequency; an odd width ends with a sine.": right,
        "There is a column too many at odd widths.": padded,
        "The frequencies are those of the next even width; the exponent's d is the width asked for.": padded_and_cut,
        "Columns 2i and 2i + 1 share a frequency: the pair, and not the column, is in the exponent.": by_column,
        "The column stands where the pair belongs: its exponent is doubled.": doubled_by_column,
        "Even columns hold a sine, odd ones a cosine.": lambda positions, width, base: right(positions, width, base, even=1),
        "The exponent is doubled: pair i has −2i/d.": lambda positions, width, base: right(positions, width, base**2),
        "The positions are ignored: row t need not hold position t.": lambda positions, width, base: right(torch.arange(len(positions)), width, base),
        "The base is ignored.": lambda positions, width, base: right(positions, width, 10_000.0),
    }, within=1e-4)


@exercise(tensors=True)
def add_code(answer):
    """Exercise 3.8: a function (x, table) that adds row t of the table to every token at place t."""

    def trial(dice):
        batch, time, width = (dice.randint(2, 8) for _ in range(3))
        return normal(batch, time, width, seed=8), normal(batch + time, width, seed=9)

    trials = [
        (normal(4, 6, 8), normal(50, 8, seed=1)),
        (normal(2, 5, 4, seed=2), normal(9, 4, seed=3)),
        (normal(7, 3, 6, seed=4), normal(3, 6, seed=5)),
        (normal(3, 3, 6, seed=6), normal(64, 6, seed=7)),
        *extra_trials(trial),
    ]
    return works(answer, trials, {
        "The table is cut along the axis of time; every sequence of the batch gets the same rows.": lambda x, table: x + table[: x.shape[1]],
        "Still faulty: every token of a sequence gets one and the same row.": lambda x, table: x + table[: x.shape[0], None],
        "The code replaces the tokens; it should be added to them.": lambda x, table: table[: x.shape[1]].expand_as(x),
        "The tokens come back unchanged.": lambda x, table: x,
        "The last rows of the table are used; position 0 has the first one.": lambda x, table: x + table[-x.shape[1] :],
        "Row 0 belongs to the first token.": lambda x, table: x + table.roll(-1, 0)[: x.shape[1]],
    })

"""Exercises of chapter 05, the worked example."""

import math

from posenc.checks import Verdict, exercise, extra_trials, same, works


def _row(position, slow):
    return [math.sin(position), math.cos(position), math.sin(slow), math.cos(slow)]


@exercise
def row_six(answer, position=6):
    """Exercise 5.1: the four entries of a position."""
    right = _row(position, position / 100)
    sine, cosine, slow_sine, slow_cosine = right
    almost = ", almost a whole turn" if position == 6 else ""
    return same(answer, {
        f"The fast pair has turned by {position}{almost}; the slow pair by {position / 100:.2f}.": right,
        "The second pair turns at 10000^(−2/4), not at 10^(−2/4).": _row(position, position / math.sqrt(10)),
        "The second pair has a frequency of its own; this repeats the first.": _row(position, position),
        "The exponent is doubled: i counts pairs, so the second pair has i = 1.": _row(position, position / 10_000),
        "Sine comes first in each pair.": [cosine, sine, slow_cosine, slow_sine],
        "The angle is in radians.": _row(math.radians(position), math.radians(position / 100)),
        "Positions count from 0: this is the row of another position.": _row(position - 1, (position - 1) / 100),
        "That is the row of the next position.": _row(position + 1, (position + 1) / 100),
    }, within=1e-4)


@exercise
def two_frequencies(answer, base=100):
    """Exercise 5.2: the frequencies at width 4 and a base."""
    root = math.sqrt(base)
    return same(answer, {
        f"The second exponent is -2/4, and the square root of {base} is {root:g}.": [1.0, 1 / root],
        "The exponent is −2i/d = −2/4, not −1.": [1.0, 1 / base],
        "The exponent is −2i/d with d = 4, not −i/d.": [1.0, base**-0.25],
        "These are periods over 2π; the frequencies are their inverses.": [1.0, root],
        "Pair 0 comes first.": [1 / root, 1.0],
        "The second pair is slower: its exponent is not 0.": [1.0, 1.0],
    })


def product(k):
    """The dot product of two rows of the chapter's table that stand k apart."""
    return math.cos(k) + math.cos(k / 100)


@exercise
def closest_offset(answer, reach=(1, 30)):
    """Exercise 5.3: the offset within a reach with the largest dot product, and that product."""
    best = max(range(reach[0], reach[1] + 1), key=product)
    turns = round(best / (2 * math.pi))
    others = {f"That offset is not among {reach[0]} to {reach[1]}.": [19, product(19)]}
    if reach == (1, 30):
        others = {
            "The neighbour scores high, but not highest: the fast pair has turned by a whole radian.": [1, product(1)],
            "That is the first return of the fast pair; a later one comes closer to whole turns.": [6, product(6)],
            "Close to four whole turns, but the slow pair has lost more by then.": [25, product(25)],
            "13 is further from two whole turns than others are from theirs.": [13, product(13)],
            "Offset 0 is not among 1 to 30.": [0, 2],
            "Seven whole turns, but 44 is not among 1 to 30.": [44, product(44)],
        }
    return same(answer, {
        f"{best} is close to {'three' if turns == 3 else turns} whole turns of the fast pair, {2 * turns}π ≈ {2 * math.pi * turns:.2f}.": [best, product(best)],
        "The slow pair's part is missing.": [best, math.cos(best)],
        **others,
    }, within=6e-4)


def row_one(base):
    """The row of position 1 at width 4."""
    return _row(1, 1 / math.sqrt(base))


@exercise
def which_base(answer, base=1000):
    """Exercise 5.4: the base behind a row of position 1, which is given to four decimals."""
    given = round(row_one(base)[2], 4)
    return same(answer, {
        f"1/√b = {given:.4f} gives b = {base}.": base,
        "With base 10000 column 2 would hold 0.0100.": 10_000,
        "Column 2 is about 1/√b: that is the square root of the base.": math.sqrt(base),
        "With base 100 column 2 would hold 0.0998.": 100,
        "With base 1000 column 2 would hold 0.0316.": 1000,
        "The root is not a whole number: keep its decimals until you have squared it.": round(1 / given) ** 2,
    }, within=0.5 + 4.5 * (base / 1000) ** 1.5)


@exercise
def entry(answer):
    """Exercise 5.5: a function (position, column, width, base) that returns one entry."""

    def right(position, column, width, base):
        angle = position * base ** (-2 * (column // 2) / width)
        return math.cos(angle) if column % 2 else math.sin(angle)

    def partner(position, column, width, base):
        return right(position, column ^ 1, width, base)

    def with_exponent(exponent):
        def wrong(position, column, width, base):
            angle = position * base ** -exponent(column, width)
            return math.cos(angle) if column % 2 else math.sin(angle)

        return wrong

    def side_by_side(position, column, width, base):
        angle = position * base ** (-2 * (column % (width // 2)) / width)
        return math.cos(angle) if column >= width // 2 else math.sin(angle)

    trials = [(3, 2, 4, 10_000), (3, 3, 4, 10_000), (2, 0, 4, 10_000), (17, 5, 8, 10_000)]
    trials += [(100, 6, 8, 500), (1, 1, 2, 10_000), (9, 11, 64, 20)]
    trials += extra_trials(lambda dice: (dice.randrange(99), dice.randrange(20), 20, dice.randint(50, 9000)), 9)
    return works(answer, trials, {
        "The column gives the pair, i = j // 2, and the pair gives the speed.": right,
        "The column stands where the pair belongs: the exponent is doubled.": with_exponent(lambda column, width: 2 * column / width),
        "Columns 2i and 2i + 1 share a frequency: the odd one is its partner's.": with_exponent(lambda column, width: column / width),
        "The exponent is 2i/d, with i = j // 2.": with_exponent(lambda column, width: (column // 2) / width),
        "Even columns hold a sine, odd ones a cosine.": partner,
        "The columns are sin, cos, sin, cos, and not all sines first.": side_by_side,
        "The base is ignored.": lambda position, column, width, base: right(position, column, width, 1e4),
        "The width is ignored.": lambda position, column, width, base: right(position, column, 4, base),
    }, within=1e-5)


def summed(position, embedding=(0.5, -0.25, 0.3, 0.1)):
    """The embedding of exercise 5.6 with the row of a position added."""
    return [x + code for x, code in zip(embedding, _row(position, position / 100), strict=True)]


@exercise
def one_later(answer, position=3, later=1):
    """Exercise 5.6: the sum some positions later, of an embedding whose sum was given."""
    there = position + later
    word = "one" if later == 1 else later
    both = [x + y for x, y in zip(summed(position), summed(there, [0] * 4), strict=True)]
    return same(answer, {
        f"The difference from the embedding is the row of position {position}; {word} later stands position {there}.": summed(there),
        "That is what came out already: a position later was asked for, one position later or more.": summed(position),
        f"The token stood at position {position}, counted from 0.": summed(there + 1),
        "That is one position earlier.": summed(position - 1),
        f"That is the code of position {there}; the embedding is missing.": summed(there, [0] * 4),
        "The code of the next position replaces the former one; both are in this sum.": both,
        "The second pair has a frequency of its own.": [x + y - z for x, y, z in zip(summed(there), _row(there, there), _row(there, there / 100), strict=True)],
    }, within=2e-3)


@exercise
def wrong_entries(answer):
    """Exercise 5.7: the places (row, column) of the three wrong entries of a table."""
    wrong = {(1, 3), (3, 2), (4, 1)}  # a slow cosine, a slow sine that repeat the fast one; a cosine without its sign
    try:
        places = {(int(row), int(column)) for row, column in answer}
    except (TypeError, ValueError):
        return Verdict(False, "Give a list of places, each a pair: row, column.")
    if places == wrong:
        return Verdict(True, "Two repeat numbers of the fast pair, and the third has lost its sign.")
    if places == {(column, row) for row, column in wrong}:
        return Verdict(False, "The row comes first.")
    if places == {(row + 1, column + 1) for row, column in wrong}:
        return Verdict(False, "Rows and columns count from 0.")
    if len(places) != 3:
        return Verdict(False, f"There are three wrong entries; this names {len(places)}.")
    return Verdict(False, f"Of these, {len(places - wrong)} agree with the formula: compute them.")

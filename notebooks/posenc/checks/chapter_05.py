"""Exercises of chapter 05, the worked example."""

import math

from posenc.checks import Verdict, exercise, same, works


def _row(position, slow):
    return [math.sin(position), math.cos(position), math.sin(slow), math.cos(slow)]


@exercise
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
            "Positions count from 0: this is the row of another position.": _row(5, 5 / 100),
        },
    )  # fmt: skip


@exercise
def two_frequencies(answer):
    """Exercise 5.2: the frequencies at width 4 and base 100."""
    return same(
        answer, [1.0, 0.1],
        because="The second exponent is -2/4, and the square root of 100 is 10.",
        slips={
            "The exponent is -2i/d = -2/4, not -1.": [1.0, 0.01],
            "The exponent is -2i/d with d = 4, not -i/d.": [1.0, 100**-0.25],
            "These are periods over 2π; the frequencies are their inverses.": [1.0, 10.0],
            "Pair 0 comes first.": [0.1, 1.0],
        },
    )  # fmt: skip


@exercise
def closest_offset(answer):
    """Exercise 5.3: the offset in 1 … 30 with the largest dot product, and that product."""

    def product(k):
        return math.cos(k) + math.cos(k / 100)

    return same(
        answer, [19, product(19)], within=6e-4,
        because="19 is close to three whole turns of the fast pair, 6π ≈ 18.85.",
        slips={
            "The neighbour scores high, but not highest: the fast pair has turned by a whole radian.":
                [1, product(1)],
            "That is the first return of the fast pair; a later one comes closer to whole turns.":
                [6, product(6)],
            "Close to four whole turns, but the slow pair has lost more by then.": [25, product(25)],
            "13 is further from two whole turns than others are from theirs.": [13, product(13)],
            "Offset 0 is not among 1 to 30.": [0, 2],
            "The slow pair's part is missing.": [19, math.cos(19)],
        },
    )  # fmt: skip


@exercise
def which_base(answer):
    """Exercise 5.4: the base behind a row of position 1."""
    return same(
        answer, 1000, within=5,
        because="1/√b = 0.0316 gives b = 1000.",
        slips={
            "With base 10000 column 2 would hold 0.0100.": 10_000,
            "That is the square root of the base.": math.sqrt(1000),
            "With base 100 column 2 would hold 0.0998.": 100,
            "Column 2 is about 1/√b: the square is missing.": 31.6,
        },
    )  # fmt: skip


@exercise
def entry(answer):
    """Exercise 5.5: a function (position, column, width, base) that returns one entry."""

    def right(position, column, width, base):
        angle = position * base ** (-2 * (column // 2) / width)
        return math.cos(angle) if column % 2 else math.sin(angle)

    def with_exponent(exponent):
        def wrong(position, column, width, base):
            angle = position * base ** -exponent(column, width)
            return math.cos(angle) if column % 2 else math.sin(angle)

        return wrong

    def side_by_side(position, column, width, base):
        angle = position * base ** (-2 * (column % (width // 2)) / width)
        return math.cos(angle) if column >= width // 2 else math.sin(angle)

    return works(
        answer, right,
        [
            (3, 2, 4, 10_000), (3, 3, 4, 10_000), (2, 0, 4, 10_000), (17, 5, 8, 10_000),
            (100, 6, 8, 500), (1, 1, 2, 10_000), (9, 11, 64, 20),
        ],
        within=1e-5,
        because="The column gives the pair, i = j // 2, and the pair gives the speed.",
        slips={
            "The column stands where the pair belongs: the exponent is doubled.":
                with_exponent(lambda column, width: 2 * column / width),
            "Columns 2i and 2i + 1 share a frequency: the odd one is its partner's.":
                with_exponent(lambda column, width: column / width),
            "The exponent is 2i/d, with i = j // 2.":
                with_exponent(lambda column, width: (column // 2) / width),
            "Even columns hold a sine, odd ones a cosine.":
                lambda position, column, width, base: right(position, column ^ 1, width, base),
            "The columns are sin, cos, sin, cos, and not all sines first.": side_by_side,
            "The base is ignored.": lambda position, column, width, base: right(position, column, width, 1e4),
            "The width is ignored.": lambda position, column, width, base: right(position, column, 4, base),
        },
    )  # fmt: skip


@exercise
def one_later(answer):
    """Exercise 5.6: the sum one position later, of an embedding whose sum was given."""
    embedding = [0.5, -0.25, 0.3, 0.1]

    def at(position):
        return [x + code for x, code in zip(embedding, _row(position, position / 100), strict=True)]

    return same(
        answer, at(4), within=2e-3,
        because="The difference from the embedding is the row of position 3; one later stands position 4.",
        slips={
            "That is what came out already: one position later was asked for.": at(3),
            "The token stood at position 3, counted from 0.": at(3 + 2),
            "That is one position earlier.": at(2),
            "That is the code of position 4; the embedding is missing.": _row(4, 4 / 100),
            "The code of the next position replaces the former one; both are in this sum.":
                [x + y - z for x, y, z in zip(at(3), at(4), embedding, strict=True)],
        },
    )  # fmt: skip


WRONG = {(1, 3), (3, 2), (4, 1)}


@exercise
def wrong_entries(answer):
    """Exercise 5.7: the places (row, column) of the three wrong entries of a table."""
    try:
        places = {(int(row), int(column)) for row, column in answer}
    except (TypeError, ValueError):
        return Verdict(False, "Give a list of places, each a pair: row, column.")
    if places == WRONG:
        return Verdict(True, "Two repeat numbers of the fast pair, and the third has lost its sign.")
    if places == {(column, row) for row, column in WRONG}:
        return Verdict(False, "The row comes first.")
    if places == {(row + 1, column + 1) for row, column in WRONG}:
        return Verdict(False, "Rows and columns count from 0.")
    if len(places) != 3:
        return Verdict(False, f"There are three wrong entries; this names {len(places)}.")
    return Verdict(False, f"Of these, {len(places - WRONG)} agree with the formula: compute them.")

"""Exercises of chapter 04, a shift is a rotation."""

import math

from posenc.checks import choice, same


def _turn(angle):
    cos, sin = math.cos(angle), math.sin(angle)
    return [[cos, sin], [-sin, cos]]


def _transposed(table):
    return [list(row) for row in zip(*table, strict=True)]


def three_on(answer):
    """Exercise 4.1: the shift by 3 of a pair with frequency 0.1, columns (sin, cos)."""
    return same(
        answer, _turn(0.3), within=1e-4,
        because="The hand turns clockwise by 3 · 0.1, whatever the position.",
        slips={
            "This turns the other way: it leads to p - 3, or belongs to (cos, sin).": _turn(-0.3),
            "The angle is k·ω: here the frequency is lost.": _turn(3),
            "The angle is k·ω: here the offset is lost.": _turn(0.1),
            "The angle is in radians.": _turn(math.radians(0.3)),
            "The rows are swapped: the sine is the first entry of the pair.": _turn(0.3)[::-1],
        },
    )  # fmt: skip


def net_offset(answer):
    """Exercise 4.2: the offset of a product of shifts."""
    return choice(
        answer, 8,
        because="The transpose goes back by 2, and the third power of a single step goes on by 3.",
        slips={
            12: "A transposed rotation turns back.",
            6: "The third power of a single step is three steps.",
            10: "The transpose goes back by 2, it is not without effect.",
            42: "Offsets add; they do not multiply.",
            2: "The power of the single step goes forward, not back.",
        },
    )  # fmt: skip


def _split(first, second):
    (a, b), (c, e) = first
    (f, g), (h, m) = second
    return [[a, 0, b, 0], [0, f, 0, g], [c, 0, e, 0], [0, h, 0, m]]


def _blocks(first, second):
    (a, b), (c, e) = first
    (f, g), (h, m) = second
    return [[a, b, 0, 0], [c, e, 0, 0], [0, 0, f, g], [0, 0, h, m]]


def split_matrix(answer):
    """Exercise 4.3: the shift by 2 at width 4, columns sin, sin, cos, cos."""
    right = _split(_turn(2), _turn(0.02))
    return same(
        answer, right,
        because="The same rotations; the partner of column j is now column j + 2.",
        slips={
            "Blocks on the diagonal are for columns sin, cos, sin, cos.": _blocks(_turn(2), _turn(0.02)),
            "This shifts by -2.": _transposed(right),
            "The frequencies have changed places.": _split(_turn(0.02), _turn(2)),
            "The angle is k·ω: here the offset is lost.": _split(_turn(1), _turn(0.01)),
            "Each pair has a frequency of its own.": _split(_turn(2), _turn(2)),
        },
    )  # fmt: skip


def look_ahead(answer):
    """Exercise 4.4: α and β so that the score peaks two places ahead, at frequency 0.5."""
    a, b = math.cos(1), math.sin(1)
    return same(
        answer, [a, -b], within=1e-4,
        because="This is R_k with k = -2: it looks two places ahead at every position.",
        slips={
            "This looks two places back: the score is highest at q = p - 2.": [a, b],
            "The angle is k·ω: here the frequency is lost.": [math.cos(2), -math.sin(2)],
            "β = 0 cannot tell ahead from behind: the score is highest at q = p.": [1, 0],
            "This points the arrow the opposite way: the score is lowest at q = p + 2.": [-a, b],
            "α and β have changed places.": [-b, a],
        },
    )  # fmt: skip


def moved_on(answer):
    """Exercise 4.5: by how many positions a turn by the angle 2 moves hands of three frequencies."""
    speeds = (1, 1 / 8, 1 / 100)
    return same(
        answer, [2 / w for w in speeds], within=1e-4,
        because="A turn by the angle k is a shift by k/ω: right for ω = 1 alone.",
        slips={
            "These are the angles of a true shift by 2; asked is how far the angle 2 carries each hand.":
                [2 * w for w in speeds],
            "Here k = 1; the exercise asks for k = 2.": [1 / w for w in speeds],
            "The angle is the same for all; how far it carries a hand depends on its speed.": [2, 2, 2],
            "This is how many positions too far each has gone.": [2 / w - 2 for w in speeds],
        },
    )  # fmt: skip

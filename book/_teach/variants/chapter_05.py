"""Variants of chapter 05, the worked example."""

from itertools import permutations

from posenc.checks.chapter_05 import misprinted, row_one, summed
from variants import Rule, word

ORDERS = {
    "sin, cos, sin, cos": "",
    "cos, sin, cos, sin": ", of a table in which the cosine stands first in each pair",
    "all sines first": ", of a table in which all sines stand first, and then all cosines",
}


def decimals(values, places=3):
    return "[" + ", ".join(f"{value:.{places}f}" for value in values) + "]"


RULES = [
    Rule("row_six", lambda position: [f"row of position {position}"], position=range(7, 26)),
    Rule(
        "two_frequencies",
        lambda base: [f"take base {base}"],
        base=(16, 25, 36, 49, 64, 81, 121, 144, 225, 400, 625, 900, 1600, 2500),
    ),
    Rule(
        "closest_offset",
        lambda reach: [f"offsets {reach[0]} to {reach[1]}"],
        reach=[(2, 10), (3, 16), (8, 18), (20, 40), (20, 30),
               (26, 36), (33, 43), (40, 60), (46, 56), (61, 80)],
    ),
    Rule(
        "which_base",
        lambda base: [f"row_one = {decimals(row_one(base), 4)}"],
        base=(100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 800, 900),
    ),
    Rule(
        "entry",
        lambda columns, start: [f"counted from {start}, at any even width{ORDERS[columns]}."],
        columns=tuple(ORDERS), start=(0, 1),
    ),
    Rule(
        "one_later",
        lambda position, later: [
            decimals(summed(position)), f"{word(later)} position{'s' if later > 1 else ''} later",
        ],
        where=lambda position, later: position + later != 4,
        position=range(1, 13), later=(1, 2, 3),
    ),
    Rule(
        "wrong_entries",
        lambda rows, base: [
            f"width 4 and base {base}",
            "[" + ",\n             ".join(map(decimals, misprinted(rows, base)[0])) + "]",
        ],
        where=lambda rows, base: base != 100,  # else the program in the book's solution finds them
        rows=list(permutations(range(1, 6), 3)), base=(25, 100, 400, 625),
    ),
]  # fmt: skip

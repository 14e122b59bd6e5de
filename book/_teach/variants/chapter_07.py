"""Variants of chapter 07, RoPE in the complex plane."""

from itertools import permutations, product

from posenc.checks.chapter_07 import BOXES, UNITS
from variants import Rule

QS, KS = (1 + 2j, 2 - 1j, 3 + 1j, 2 + 3j), (3 - 1j, 1 + 1j, 2 + 1j, 1 - 3j)
IN_CODE = {
    "the turn": "(positions * angle)",
    "the turn in degrees": "(positions * angle * math.pi / 180)",
    "the part of a whole turn": "(positions * angle * 2 * math.pi)",
}


def number(z):
    """A complex number with whole parts, in mathematics."""
    size = "" if abs(z.imag) == 1 else f"{abs(z.imag):g}"
    return rf"{z.real:g} {'-' if z.imag < 0 else '+'} {size}\mathrm{{i}}"


def score(q, k, m, n):
    return (q * k.conjugate() * (1, 1j, -1, -1j)[(m - n) % 4]).real


def four_boxes():
    """One box of each kind, of those that the book does not use, in any order."""
    of_kind = [[name for name in list(BOXES)[4:] if BOXES[name] == kind] for kind in set_of_kinds()]
    return ["".join(order) for chosen in product(*of_kind) for order in permutations(chosen)]


def set_of_kinds():
    return list(dict.fromkeys(BOXES.values()))


def overwritten(direction):
    minus, plus = ("-", "+") if direction == "counter-clockwise" else ("+", "-")
    first = f"x[:, 0] = x[:, 0] * cos {minus} x[:, 1] * sin"
    second = "x[:, 1] = x[:, 0] * sin + x[:, 1] * cos"
    return [first, second if plus == "+" else "x[:, 1] = x[:, 1] * cos - x[:, 0] * sin"]


RULES = [
    Rule(
        "score_by_hand",
        lambda q, k, m, n: [f"$q = {number(q)}$ at position {m}, $k = {number(k)}$ at position {n}"],
        where=lambda q, k, m, n: score(q, k, m, n) not in (0, 7) and m > n,
        q=QS, k=KS, m=range(4, 10), n=range(1, 6),
    ),
    Rule(
        "real_rope",
        lambda direction, unit: [f"`angle` is {unit} per position, and it is {direction}."],
        direction=("counter-clockwise", "clockwise"), unit=tuple(UNITS),
    ),
    Rule(
        "diagnosis",
        lambda named: [
            f'check.{"boxes" if named == "ABCD" else "all_boxes"}["{named[0]}"]',
            'likewise "{}", "{}" and "{}"'.format(*named[1:]),
            "{" + ", ".join(f'"{name}": ...' for name in named) + "}",
        ],
        named=four_boxes(),
    ),
    Rule(
        "other_sign",
        lambda weight: ["$q_0k_0 - q_1k_1$" if weight == 1 else rf"$q_0k_0 - {weight}\,q_1k_1$"],
        weight=range(2, 10),
    ),
    Rule(
        "absorbed",
        lambda row: [
            "Give a real 2 × 2 matrix $C$ such" if row is None
            else f"Give the real 2 × 2 matrix $C$ with the first row $({row[0]}, {row[1]})$ such",
        ],
        row=[(a * x, b * y) for x, y in ((0.6, 0.8), (0.8, 0.6), (0.28, 0.96), (0.96, 0.28))
             for a in (1, -1) for b in (1, -1)],
    ),
    Rule(
        "sound",
        lambda part, sign: [
            rf"$\mathrm{{{'Re' if part == 'real' else 'Im'}}}\,[q\bar k]$ at",
            f"on $m {'-' if sign == 1 else '+'} n$ alone",
        ],
        part=("real", "imag"), sign=(1, -1),
    ),
    Rule(
        "in_place",
        lambda direction, unit: [f"{IN_CODE[unit]}.cos(), {IN_CODE[unit]}.sin()", *overwritten(direction)],
        direction=("counter-clockwise", "clockwise"), unit=tuple(UNITS),
    ),
]  # fmt: skip

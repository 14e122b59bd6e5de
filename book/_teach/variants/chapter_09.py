"""Variants of chapter 09, biases on the scores."""

import math

from variants import Rule

POWERS = {1: "the gates", 2: "the squares of the gates", 3: "the cubes of the gates",
          4: "the fourth powers of the gates", 5: "the fifth powers of the gates"}  # fmt: skip


def clear(part, percent):
    """Whether rounding does not decide, and the book's answer is another."""
    exact = part * math.log(100 / (100 - percent))
    return 0.05 < exact % 1 < 0.95 and math.ceil(exact) != 74


RULES = [
    Rule(
        "window",
        lambda part, percent: [f"slope 1/{part}", f"at least {percent} per cent"],
        where=clear, part=(4, 8, 16, 32, 64, 128, 256), percent=(80, 90, 95, 98, 99),
    ),
    Rule(
        "slopes_for",
        lambda most: [
            "ALiBi's slopes for *any*" if most == 8
            else f"ALiBi's slopes, with the largest exponent {most} in place of 8, for *any*"
        ],
        most=(2, 3, 4, 5, 6, 7, 10, 12, 16),
    ),
    Rule(
        "squared",
        lambda shift: [
            r"$-\mu\,(m - n)^2$, which is KERPLE's power with $r_2 = 2$:" if shift == 0
            else rf"$-\mu\,(m - n - {shift})^2$, which prefers the key {shift} places back:",
        ],
        shift=range(1, 10),
    ),
    Rule(
        "forgetting",
        lambda power: [
            f"{POWERS[power]} of all tokens *after* it",
            f"return {'c[:, None] - c' if power == 1 else f'{power} * (c[:, None] - c)'}",
        ],
        power=tuple(POWERS),
    ),
    Rule(
        "report",
        lambda exact, token: [f"count exactly to {exact}", f"at token {token}"],
        where=lambda exact, token: token > exact and exact * (exact - 1) % token == 0
        and 2 * exact - 1 - exact * (exact - 1) // token != 14,
        exact=range(4, 13), token=range(6, 140),
    ),
    Rule(
        "value_term",
        lambda first, beyond: [
            "the first for the distance {}, the last for {}".format(*("$-K$", "$K$")[::-first]),
            f"distances beyond {'share these two' if beyond == 'share' else 'add nothing'}",
        ],
        first=(-1, 1), beyond=("share", "nothing"),
    ),
]  # fmt: skip

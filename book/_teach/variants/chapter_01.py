"""Variants of chapter 01, order blindness."""

from itertools import combinations, permutations, product

from posenc.checks.chapter_01 import ASKED, SYMMETRIES
from variants import Rule, word

MEMORY, WORD, MEAN = ASKED[2], ASKED[0], ASKED[1]
PARTS = {
    2: "a half",
    3: "a third",
    4: "a quarter",
    5: "a fifth",
    8: "an eighth",
    10: "a tenth",
    20: "a twentieth",
}


def tenths(number):
    return {1: "one tenth", 5: "half"}.get(number, f"{word(number)} tenths")


TENTHS = {number: tenths(number) for number in range(1, 10)}


def share_of_set(number):
    return f"{tenths(number).capitalize()} of a data set {'say' if number not in (1, 5) else 'says'}"


def six_cases():
    """Five cases and, in the third place, the one whose memory is permuted."""
    for chosen in combinations([case for case in SYMMETRIES if case != MEMORY], 5):
        if MEAN not in chosen or WORD in chosen:
            yield (*chosen[:2], MEMORY, *chosen[2:])


RULES = [
    Rule(
        "outputs",
        lambda tokens, twin: [
            f"the tokens {', '.join(map(str, tokens))} give", f"a second token {twin} joins",
        ],
        tokens=[order for order in permutations(range(3)) if order != (0, 1, 2)], twin=range(3),
    ),
    Rule(
        "position",
        lambda weight, share: [rf"its score is $\ln {weight}$", f"output is 1/{share}"],
        where=lambda weight, share: weight * (share - 1) != 12,
        weight=range(2, 8), share=range(4, 13),
    ),
    Rule(
        "symmetry",
        lambda asked: [
            ",\n            ".join(f'"{case}": ...' for case in asked), "- " + "\n- ".join(asked),
        ],
        asked=list(six_cases()),
    ),
    Rule(
        "distance",
        lambda factor: [
            f"lower each score by {f'{word(factor)} times ' if factor > 1 else ''}the distance of query",
            f"scores - {f'{factor} * ' if factor > 1 else ''}m[:, None]",
        ],
        factor=range(2, 10),
    ),
    Rule(
        "blind_best",
        lambda tenths: [
            f"{share_of_set(tenths[0])} *dog", f"{TENTHS[tenths[1]]} *man", f"{TENTHS[tenths[2]]} *cat",
        ],
        where=lambda tenths: tenths != (3, 5, 2),
        tenths=[(a, b, 10 - a - b) for a, b in product(range(1, 9), repeat=2) if a != b and a + b < 10],
    ),
    Rule(
        "first_door",
        lambda column, part: [f"adds to column {column} of each token {PARTS[part]} of"],
        column=range(4), part=tuple(PARTS),
    ),
]  # fmt: skip

"""Variants of chapter 06, adding and learning."""

from itertools import combinations_with_replacement, permutations

from posenc.checks.chapter_06 import matrices
from variants import Rule

TERMS = ("word and word", "word and code", "code and word", "code and code")


def bmatrix(matrix):
    return r"\begin{bmatrix}" + r"\\".join("&".join(map(str, row)) for row in matrix) + r"\end{bmatrix}"


def listed(entries, place):
    shown = matrices(entries, place).items()
    named = [rf'\texttt{{"{letter}"}}\,{bmatrix(matrix)}' for letter, (_, matrix) in shown]
    return " ".join(f"${formula}{end}$" for formula, end in zip(named, ",,,?", strict=True))


RULES = [
    Rule(
        "gradient_column",
        lambda lengths: ["of {}, {} and {} words".format(*lengths)],
        lengths=[three for three in combinations_with_replacement(range(1, 8), 3) if three[0] < three[2]],
    ),
    Rule(
        "embed",
        lambda times: [
            "meant to follow the paper;" if times == 1
            else rf"meant to follow the paper, but for its factor, here $\sqrt{{{times}d}}$;",
            f"return x * {'rows.shape[-1]' if times == 1 else f'({times} * rows.shape[-1])'} ** 0.5",
        ],
        times=range(2, 10),
    ),
    Rule(
        "which_h",
        lambda entries, place: [listed(entries, place)],
        where=lambda entries, place: entries[0] ** 2 + entries[1] ** 2 != 5,
        entries=[(a, b) for a in range(1, 6) for b in range(1, 6) if a != b], place="abcd",
    ),
    Rule(
        "lengths",
        lambda width: [f"Width {width}.", f"variance 1/{width},"],
        width=(32, 48, 64, 96, 128, 256, 384, 768, 1024, 2048),
    ),
    Rule(
        "four_terms",
        lambda order: [", ".join(TERMS[n] for n in order) + ", the query's side"],
        order=list(permutations(range(4))),
    ),
    Rule("kind", lambda digits: [f"below $10^{{-{digits}}}$"], digits=(3, 4, 5, 6)),
]  # fmt: skip

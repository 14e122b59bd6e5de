"""Variants of chapter 10, long context."""

import math

from posenc.frequencies import geometric
from posenc.numeric import grouped
from variants import Rule, word

SLOWED = {0.5: r"$\sqrt s$", 2: "$s^2$", 3: "$s^3$", 1: "$s$", 4: "$s^4$"}
PARTS = [(1 / 2, 3 / 2, 4), (1 / 4, 5 / 4, 3), (1 / 2, 2, 8), (1 / 4, 3 / 2, 2), (3 / 4, 5 / 2, 6)]
LENGTHS = {L: [tuple(int(L * part) for part in parts) for parts in PARTS] for L in (2048, 4096, 8192)}


def turns(width, base, trained):
    return trained * geometric(width, float(base)) / (2 * math.pi)


def clear(width, base, trained):
    """Whether no pair is just at one turn, and the count is not the book's."""
    made = turns(width, base, trained)
    return ((made - 1).abs().min() > 0.01).item() and (made < 1).sum().item() not in (0, 24)


def choice_of_base(power, first):
    slowed = "" if power == 1 else f"slowed by {SLOWED[power]}, "
    if first:
        return rf"Count the pairs from 1, and choose it so that pair $j$ is {slowed or ','}for any $j \ge 2$"
    return rf"Choose it so that pair $j$ is{f' {slowed}' if slowed else ', '}for any $j \ge 1$"


def ramp(straight, blend):
    if (straight, blend) == ("ln r", "frequencies"):
        return "Use what the chapter proved about its ramp."
    words = {"ln r": r"\ln r", "r": "r", "1/r": "1/r", "r²": "r^2"}
    return (
        f"But let its ramp be straight in ${words[straight]}$, where $r$ counts turns, and blend the {blend}."
    )


RULES = [
    Rule(
        "unseen_pairs",
        lambda width, base, trained: [
            f"{'Mixtral' if width == 128 and base == 1_000_000 and trained == 32768 else 'A model'} "
            f"has heads of width {width}, the base {grouped(base)}, and was trained on {grouped(trained)} "
            f"tokens. How many of its {width // 2} pairs",
        ],
        where=clear,
        width=(64, 96, 128, 256), base=(10_000, 150_000, 500_000, 1_000_000, 5_000_000),
        trained=(2048, 4096, 8192, 16384, 32768),
    ),
    Rule(
        "base_for",
        lambda power, first: [choice_of_base(power, first)],
        power=tuple(SLOWED), first=(0, 1),
    ),
    Rule(
        "yarn",
        lambda straight, blend: [ramp(straight, blend)],
        straight=("ln r", "r", "1/r", "r²"), blend=("frequencies", "wavelengths"),
    ),
    Rule(
        "factors",
        lambda factor, trained, lengths: [
            f"`factor` {factor}, trained length {trained}",
            f"at {', '.join(map(grouped, lengths[:2]))} and {grouped(lengths[2])} tokens",
            "{" + ", ".join(f"{length}: ..." for length in lengths) + "}",
        ],
        where=lambda factor, trained, lengths: lengths in LENGTHS[trained],
        factor=(2, 3, 4, 5, 6, 8), trained=tuple(LENGTHS),
        lengths=[three for L in LENGTHS for three in LENGTHS[L]],
    ),
    Rule(
        "decode",
        lambda window: [
            "query against all keys so far," if window is None
            else f"query against the last {word(window)} keys,",
            f"each query sees {'all keys' if window is None else 'these keys'} under",
            f"turned(k[n : n + 1], here, omega)]){'' if window is None else f'[-{window}:]'}",
        ],
        window=range(2, 8),
    ),
]  # fmt: skip

"""Variants of chapter 03, the sinusoidal code."""

import functools
from collections import Counter
from itertools import permutations

from posenc.checks.chapter_03 import LAYOUTS, digits, past, row_of
from posenc.numeric import grouped
from variants import Rule

ORDERS = {
    "interleaved": ("three", ""),
    "interleaved, cosine first": ("three", ", with the cosine first in each pair,"),
    "concatenated, cosines first": ("three", ", with all cosines first and then all sines,"),
    "interleaved, slowest pair first": ("four", ", with the slowest pair first,"),
}


@functools.cache
def rows():
    """How often each rounded row occurs below position 600."""
    return Counter(tuple(row_of(position)) for position in range(600))


def alone(position):
    return rows()[tuple(row_of(position))] == 1 and position != 247


def clear(width, base, shown):
    """Whether a wavelength is well above what is shown, and not the book's."""
    pair, wave = past(shown, width, base)
    return wave > 1.02 * shown and abs(wave - past(128, 64, 10_000)[1]) > 0.2 and pair < width // 2


RULES = [
    Rule(
        "base_for_context",
        lambda width, context: [f"Take width {width}.", f"exactly {context} positions"],
        width=(32, 48, 64, 96, 128, 256), context=(2048, 3000, 4096, 5000, 6000, 8192, 16384, 32768),
    ),
    Rule(
        "first_confused",
        lambda floats, neighbour: [
            ", ".join(f"{name} keeps {digits(name)}" for name in floats), f"confused with its {neighbour}",
        ],
        floats=list(permutations(("float32", "float16", "float8_e4m3fn", "float8_e5m2"), 2)),
        neighbour=("predecessor", "successor"),
    ),
    Rule(
        "mended",
        lambda layout: [
            f"This function has {ORDERS[layout][0]} faults",
            f"the code of the paper{ORDERS[layout][1]} to $10^{{-6}}$",
        ],
        layout=tuple(LAYOUTS),
    ),
    Rule(
        "position_read",
        lambda position: [f"row = {row_of(position)}"],
        where=alone, position=range(60, 590),
    ),
    Rule(
        "twins",
        lambda position, speed: [f"speed {speed} stands at position {position}"],
        where=lambda position, speed: 0.2 <= position * speed <= 1.4,
        position=range(2, 14), speed=(0.05, 0.1, 0.2),
    ),
    Rule(
        "first_unfinished",
        lambda width, base, shown: [f"width {width}, base {grouped(base)}, for {shown} positions"],
        where=clear,
        width=(32, 48, 64, 96, 128), base=(1000, 10_000, 100_000, 500_000),
        shown=(64, 100, 128, 200, 256, 512),
    ),
    Rule(
        "odd_code",
        lambda even, start: [
            rf"the angle ${f'(p + {start})' if start else 'p'}\, b^{{-2i/d}}$",
            f"holds its {even} for even $j$, its {'cosine' if even == 'sine' else 'sine'} for odd $j$",
        ],
        even=("sine", "cosine"), start=range(10),
    ),
    Rule(
        "add_code",
        lambda start: [
            f"row $t{f' + {start}' if start else ''}$ of the table",
            f"table[{start} : x.size(0) + {start}, None]" if start else "table[: x.size(0), None]",
        ],
        start=range(1, 10),
    ),
]  # fmt: skip

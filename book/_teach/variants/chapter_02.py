"""Variants of chapter 02, what a code must do."""

from itertools import permutations

from posenc.numeric import grouped
from variants import Rule, times, word

GROWS = {2: "twice as long for its turn as the hand before, as the bits of a counter do"}

RULES = [
    Rule(
        "bits_changed",
        lambda first, second: [
            f"from position {first} to {first + 1}", f"how many from {second} to {second + 1}",
        ],
        first=(255, 511, 2047, 4095, 8191), second=(767, 1279, 1535, 1791, 2559, 3071, 5119, 6143),
    ),
    Rule(
        "doubling_base",
        lambda width, ratio: [
            f"At width {width}",
            f"take {GROWS.get(ratio, f'{times(ratio)} as long for its turn as the hand before')}",
        ],
        where=lambda width, ratio: ratio ** (width // 2) < 10**7 and ratio ** (width // 2) != 2**16,
        width=(8, 10, 12, 14, 16, 18, 20, 24, 28, 36, 40), ratio=(2, 3, 4, 5),
    ),
    Rule(
        "squared_distance",
        lambda first, offset, base: [f"base {grouped(base)}", f"positions {first} and {first + offset}"],
        where=lambda first, offset, base: offset != 3,
        first=(200, 500, 1000, 3000), offset=range(1, 10), base=(100, 400, 900, 2500, 10_000),
    ),
    Rule(
        "failed_test",
        lambda first: [f"from position {first} to position {first + 1}"],
        first=(0, *range(2, 12)),
    ),
    Rule(
        "neighbours_apart",
        lambda turn: [f"up to {turn} positions", rf"speed $2\pi/{turn}$"],
        turn=(256, 300, 400, 500, 512, 600, 800, 1000, 1024, 1500, 2000, 2048),
    ),
    Rule(
        "by_offset",
        lambda measure: ["the distance between rows" if measure == "distance" else f"the {measure} of rows"],
        measure=("dot product", "sum of the absolute differences", "largest absolute difference"),
    ),
    Rule(
        "slower",
        lambda factor, widths: [
            f"made {word(factor)} times as large", f"at width {widths[0]}, and by which at width {widths[1]}",
        ],
        factor=(3, 5, 6, 7, 8, 9, 10, 100),
        widths=[(a, b) for a in (16, 20, 32, 64, 128) for b in (4, 6, 8, 10)],
    ),
    Rule(
        "beyond_training",
        lambda turn, quarters: [
            rf"$\omega = 2\pi/{turn}$",
            f"at position {turn * quarters[0] // 4}, and what at {turn * quarters[1] // 4}",
        ],
        turn=(4096, 8192, 12288, 16384, 20480), quarters=list(permutations((1, 2, 3), 2)),
    ),
    Rule(
        "ladder",
        lambda first: [
            r"the speeds $\omega_i = b^{-2i/d}$" if first == 1
            else rf"the speeds $\omega_i = {first}\,b^{{-2i/d}}$",
            rf"Its last hand takes $2\pi b{f'/{first}' if first != 1 else ''}$ positions for a turn.",
            "torch.logspace(0, -math.log10(base)," if first == 1
            else f"torch.logspace(math.log10({first}), math.log10({first} / base),",
        ],
        first=range(2, 10),
    ),
]  # fmt: skip

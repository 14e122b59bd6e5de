"""Variants of chapter 08, RoPE in practice."""

from posenc.checks.chapter_08 import turned_units
from variants import Rule

LAYOUTS = ("split-half", "interleaved")


def mapped(layout, direction, base):
    """What an unknown RoPE makes of two unit vectors, to four digits."""
    said = []
    for row in turned_units(layout, direction, base):
        (a, first), (b, second) = [(n, value) for n, value in enumerate(row) if abs(value) > 1e-9]
        sign = "-" if second < 0 else "+"
        said.append(rf"$e_{a}$ to ${first:.4f}\,e_{a} {sign} {abs(second):.4f}\,e_{b}$")
    return " and ".join(said)


RULES = [
    Rule(
        "order",
        lambda width, source, target: [f"of width {width} is in {source} layout",
                                       f"`x[..., order]` is {target}"],
        where=lambda width, source, target: source != target,
        width=(6, 8, 10, 12, 14), source=LAYOUTS, target=LAYOUTS,
    ),
    Rule(
        "suspect",
        lambda right_layout, right_direction, right_base: [mapped(right_layout, right_direction, right_base)],
        right_layout=LAYOUTS, right_direction=(1, -1), right_base=(16, 81, 256, 625, 1296, 2401),
    ),
    Rule(
        "mended",
        lambda layout, direction: [
            "meant to be `split_half`" if (layout, direction) == ("split-half", 1)
            else f"meant to turn in {layout} layout, {'counter-' if direction == 1 else ''}clockwise",
            f"torch.cat([{'-second, first' if direction == 1 else 'second, -first'}], dim=-1)",
        ],
        layout=LAYOUTS, direction=(1, -1),
    ),
    Rule(
        "looks_back",
        lambda back: [f"{abs(back)} positions *{'before' if back > 0 else 'after'}* the"],
        back=[side * far for far in (7, 12, 20, 25, 30, 40, 50, 64, 75, 100, 120, 200) for side in (1, -1)],
    ),
    Rule(
        "convert",
        lambda before, after, transposed: [
            f"$W_q^\\top$ of a model in {before} layout, (width, heads · head width)" if transposed
            else f"$W_q$ of a model in {before} layout, (heads · head width, width)",
            f"runs in {after} layout",
        ],
        where=lambda before, after, transposed: before != after,
        before=LAYOUTS, after=LAYOUTS, transposed=(False, True),
    ),
    Rule(
        "step",
        lambda start: [
            f"positions {start} to n {'− 1' if start == 0 else f'+ {start - 1}'}",
            f"[len(keys) + {start + 1}]",
        ],
        start=range(2, 12),
    ),
    Rule(
        "distinct",
        lambda counts: [f"0 to {counts[0] - 1} in bfloat16, and of 0 to {counts[1] - 1} in float16"],
        counts=[(a, b) for a in (512, 1024, 2048, 4096, 8192) for b in (4096, 8192, 16384, 32768)],
    ),
]  # fmt: skip

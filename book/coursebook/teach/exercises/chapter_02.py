"""Exercises of chapter 02, what a code must do: answers on file, and variants of those that are numbers."""

from itertools import permutations

from posenc.numeric import grouped

from .variants import Rule, times, word

GROWS = {2: "twice as long for its turn as the hand before, as the bits of a counter do"}

RULES = {
    "bits_changed": Rule(
        lambda first, second: [f"from position {first} to {first + 1}", f"how many from {second} to {second + 1}"],
        first=(255, 511, 2047, 4095, 8191), second=(767, 1279, 1535, 1791, 2559, 3071, 5119, 6143),
    ),
    "doubling_base": Rule(
        lambda width, ratio: [
            f"At width {width}",
            f"take {GROWS.get(ratio, f'{times(ratio)} as long for its turn as the hand before')}",
        ],
        where=lambda width, ratio: ratio ** (width // 2) < 10**7 and ratio ** (width // 2) != 2**16,
        width=(8, 10, 12, 14, 16, 18, 20, 24, 28, 36, 40), ratio=(2, 3, 4, 5),
    ),
    "squared_distance": Rule(
        lambda first, offset, base: [f"base {grouped(base)}", f"positions {first} and {first + offset}"],
        where=lambda first, offset, base: offset != 3,
        first=(200, 500, 1000, 3000), offset=range(1, 10), base=(100, 400, 900, 2500, 10_000),
    ),
    "neighbours_apart": Rule(
        lambda turn: [f"up to {turn} positions", rf"frequency $2\pi/{turn}$"],
        turn=(256, 300, 400, 500, 512, 600, 800, 1000, 1024, 1500, 2000, 2048),
    ),
    "slower": Rule(
        lambda factor, widths: [
            f"made {word(factor)} times as large", f"at width {widths[0]}, and by which at width {widths[1]}",
        ],
        factor=(3, 5, 6, 7, 8, 9, 10, 100), widths=[(a, b) for a in (16, 20, 32, 64, 128) for b in (4, 6, 8, 10)],
    ),
    "beyond_training": Rule(
        lambda turn, quarters: [
            rf"$\omega = 2\pi/{turn}$",
            f"at position {turn * quarters[0] // 4}, and what at {turn * quarters[1] // 4}",
        ],
        turn=(4096, 8192, 12288, 16384, 20480), quarters=list(permutations((1, 2, 3), 2)),
    ),
}  # fmt: skip

SPREAD = """
def by_offset(table):
    import torch
    distance = torch.cdist(table, table, compute_mode="donot_use_mm_for_euclid_dist")
    return all(bool(d.max() - d.min() < 1e-6) for d in (distance.diagonal(k) for k in range(1, len(table))))
"""

ANSWERS = {
    "bits_changed": {"right": ["[11, 10]", "(torch.tensor(11), torch.tensor(10))"], "wrong": {
        "[10, 9]": "turns too", "[11, 11]": "not all of its bits", "[1, 1]": "compare their bits",
        "[math.sqrt(11), math.sqrt(10)]": "square", "[1024, 1536]": "on the way", "[10, 11]": "another order",
    }},
    "doubling_base": {"right": ["65536", "2.0 ** 16", "sp.Integer(2) ** 16"], "wrong": {
        "2**32": "not 1/d", "256": "width 16", "2": "whole width", "10_000": "below 2", "2**15": "15 steps",
        "2**17": "no more", "[2]": "whole width",
    }},
    "squared_distance": {"right": ["3.9809", "4 - 2 * math.cos(3) - 2 * math.cos(0.03)"], "wrong": {
        "math.sqrt(3.9809)": "its square", "2 - 2 * math.cos(3)": "slow pair is missing",
        "2 - math.cos(3) - math.cos(0.03)": "factor 2", "math.cos(3) + math.cos(0.03)": "dot product",
        "2 * (2 - 2 * math.cos(3))": "frequency of its own", "3.98": "slow pair",
        "2 - 2 * math.cos(3) + 2 - 2 * math.cos(3e-4)": "doubled",
    }},
    "failed_test": {"right": ["('evenly_spaced', 0.068)", "['Evenly spaced', math.sin(2) - math.sin(1)]"], "wrong": {
        "('evenly_spaced', 0.841)": "from 0 to 1", "('well_separated', 0.068)": "4096 positions",
        "('evenly_spaced', 0.959)": "a hand's step", "('bounded', 0.068)": "between -1 and 1",
        "('spacing', 0.068)": "none of the choices", "('farther looks farther', 0.068)": "slow columns",
        "'evenly_spaced'": "two things", "(0.068, 'evenly_spaced')": "name of a test",
        "('evenly_spaced', 'little')": "cannot be read",
    }},
    "neighbours_apart": {"right": ["0.0015", "2 * math.pi / 4096", "2 * sp.sin(sp.pi / 4096)"], "wrong": {
        "1 / 4096": "4096", "0.0": "squared", "math.sin(math.pi / 4096)": "half", "2 * math.pi": "whole turn",
        "2048 / math.pi": "one radian", "'nothing'": "cannot be read",
    }},
    "by_offset": {"right": ["lambda table: all((g.max() - g.min() < 1e-6).item() for g in"
            " ((table[k:] - table[:-k]).norm(dim=1) for k in range(1, len(table))))", SPREAD], "wrong": {
        "lambda table: True": "says True of the counter", "lambda table: False": "says False of hands",
        "lambda table: table.shape[1] == 16": "says False of the index",
        "lambda table: ((table[1:] - table[:-1]).norm(dim=1).diff().abs() < 1e-6).all()": "right for neighbours only",
        "lambda table: all(((table[k] - table[0]).norm() - (table[k + 1] - table[1]).norm()).abs() < 1e-6"
        " for k in range(1, len(table) - 2))": "one row is wrong",
        "lambda table: table": "True or False", "lambda table: print(table.shape)": "returns None",
        "True": "must be a function",
    }},
    "slower": {"right": ["[3.668, 2]", "torch.tensor([4 ** (30 / 32), 2.0])"], "wrong": {
        "[4, 4]": "last pair", "[4 ** (15 / 32), 4 ** 0.25]": "2i/d", "[4 ** (-30 / 32), 0.5]": "time for a turn",
        "[1, 1]": "last one does", "[4 ** (1 / 16), 2]": "hand to hand", "[3.67, 2]": "Rounded too early",
    }},
    "beyond_training": {"right": ["[651.9, 0]", "(4096 / (2 * math.pi) * math.sin(math.pi / 2), 0.0)"], "wrong": {
        "[1024, 2048]": "put the sine in", "[1, 0]": "multiplies", "[651.9, 651.9]": "half a turn",
        "[0, 651.9]": "quarter turn", "[0, -651.9]": "not the cosine", "[652]": "shape",
    }},
    "ladder": {"right": ["lambda width, base: [base ** (-2 * i / width) for i in range(width // 2)]",
                         "lambda width, base: torch.exp(-math.log(base) * torch.arange(0, width, 2) / width)",
                         "lambda width, base: np.power(float(base), -np.arange(0, width, 2) / width)"], "wrong": {
        "lambda width, base: torch.logspace(0, -math.log10(base), width // 2)": "Still faulty",
        "lambda width, base: [base ** (-4 * i / width) for i in range(width // 2)]": "doubled",
        "lambda width, base: [base ** (-i / width) for i in range(width // 2)]": "halved",
        "lambda width, base: [base ** (2 * i / width) for i in range(width // 2)]": "inverses",
        "lambda width, base: torch.linspace(1, 1 / base, width // 2)": "Equal differences",
        "lambda width, base: [10_000 ** (-2 * i / width) for i in range(width // 2)]": "base is ignored",
        "lambda width, base: [10_000 ** (-i / 8) for i in range(8)]": "first case tried",
        "lambda width, base: [base ** (-2 * i / width) for i in range(1, width // 2 + 1)]": "count from 0",
    }},
}  # fmt: skip

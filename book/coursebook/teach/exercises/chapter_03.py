"""Exercises of chapter 03, the sinusoidal code: answers on file, and variants of those that are numbers."""

import functools
from collections import Counter
from itertools import permutations

from posenc.checks.chapter_03 import FLOATS, past, row_of
from posenc.numeric import grouped

from .variants import Rule


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


RULES = {
    "base_for_context": Rule(
        lambda width, context: [f"Take width {width}.", f"exactly {context} positions"],
        where=lambda width, context: context != 8192 or width not in (32, 128),  # the chapter tells these
        width=(32, 48, 64, 96, 128, 256), context=(2048, 3000, 4096, 5000, 6000, 8192, 16384, 32768),
    ),
    "first_confused": Rule(
        lambda floats, neighbour: [
            ", ".join(f"{name} keeps {FLOATS[name][0]}" for name in floats), f"confused with its {neighbour}",
        ],
        floats=list(permutations(("float32", "float16", "float8_e4m3fn", "float8_e5m2"), 2)),
        neighbour=("predecessor", "successor"),
    ),
    "position_read": Rule(lambda position: [f"row = {row_of(position)}"], where=alone, position=range(60, 590)),
    "twins": Rule(
        lambda position, speed: [f"frequency {speed}.", f"at position {position}"],
        where=lambda position, speed: 0.2 <= position * speed <= 1.4,
        position=range(2, 14), speed=(0.05, 0.1, 0.2),
    ),
    "first_unfinished": Rule(
        lambda width, base, shown: [f"width {width}, base {grouped(base)}, for {shown} positions"],
        where=clear,
        width=(32, 48, 64, 96, 128), base=(1000, 10_000, 100_000, 500_000), shown=(64, 100, 128, 200, 256, 512),
    ),
}  # fmt: skip


def coded(exponent="column / width", parts="angle.sin(), angle.cos()", dtype="torch.float64", base="base",
          width="width", positions="positions", join="torch.stack([{}], -1).flatten(-2)"):  # fmt: skip
    """A function that is right, but for what is given."""
    return f"""
def answer(positions, width, base=10_000.0):
    base, width = {base}, {width}
    column = torch.arange(0, width, 2, dtype={dtype})
    angle = {positions}.to({dtype})[:, None] * base ** (-{exponent})
    return {join.format(parts)}
"""


SIDE = "torch.cat([{}], -1)"

ODD = """
def odd_code(positions, width, base):
    import torch
    pairs = torch.arange((width + 1) // 2, dtype=torch.float64)
    angle = positions[:, None] * base ** (-2 * pairs / width)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)[:, :width]
"""


def odd(pair="j // 2", base="base", width="width", at="positions", columns="width", first="math.sin"):
    other = "math.cos" if first == "math.sin" else "math.sin"
    return (
        f"lambda positions, width, base: [[({first}, {other})[j % 2](int(p) * {base} ** (-2 * ({pair}) / {width}))"
        f" for j in range({columns})] for p in {at}]"
    )


ANSWERS = {
    "base_for_context": {"right": ["3361", "3360.79", "torch.tensor(3361)"], "wrong": {
        "3362": "nearest whole number", "3360": "nearest whole number", "8192 / math.pi": "pair i = 32",
        "(8192 / (2 * math.pi)) ** (64 / 62)": "the whole wavelength",
        "8192 ** (64 / 62)": "π is missing", "(8192 / math.pi) ** (62 / 64)": "upside down",
        "(8192 / math.pi) ** (64 / 31)": "not i/d", "(8192 / math.pi) ** (64 / 126)": "would be a column",
        "10_000": "of the paper",
    }},
    "first_confused": {"right": ["[16_777_217, 2049]", "(2**24 + 1, 2.0**11 + 1)"], "wrong": {
        "[2**24, 2**11]": "power of two", "[2**24 - 1, 2**11 - 1]": "all ones", "[2**23 + 1, 2**10 + 1]": "still fits",
        "[2**32 + 1, 2**16 + 1]": "24 and 11 digits", "[2**25 + 1, 2**12 + 1]": "next power", "[257, 257]": "bfloat16",
    }},
    "mended": {"right": [coded(), "lambda positions, width, base: additive.sinusoidal(positions, width, base)",
                         coded(join="torch.stack([{}], -1).flatten(-2).float()")], "wrong": {
        coded("2 * column / width"): "exponent is doubled: ",
        coded("2 * column / width", dtype="torch.float32"): "exponent is doubled: ",
        coded(join=SIDE): "columns are concatenated; ",
        coded("2 * column / width", dtype="torch.float32", join=SIDE): "doubled, and the columns",
        coded(dtype="torch.float32"): "Compute them in float64",
        coded(parts="angle.cos(), angle.sin()"): "Sine comes first",
        coded(base="10_000.0"): "base is ignored", coded(width="16"): "first case tried",
        coded(positions="torch.arange(len(positions))"): "positions are ignored",
        "lambda positions, width, base: additive.sinusoidal(positions, width - 1)": "raises ValueError",
        "additive.sinusoidal": "package's own",
    }},
    "position_read": {"right": ["247", "247.0", "np.int64(247)"], "wrong": {
        "67": "upper half", "248": "Near, as the slow hand", "246": "Near, as the slow hand",
        "184": "middle hand stands so at 184", "310": "middle hand stands so at 310",
        "203": "fast hand stands so at 203", "538": "exchanged", "2.47": "angle of the slow",
    }},
    "twins": {"right": ["[26.42, -0.88]", "torch.tensor([26.416, -0.8776])"], "wrong": {
        "[67.83, 0.88]": "whole hand", "[26.42, 0.88]": "negative", "[2.64, -0.88]": "the angle",
        "[57.83, 0.88]": "changed its sign", "[26.42, 0.479]": "this is the sine", "[26, -0.9]": "Rounded too early",
    }},
    "first_unfinished": {"right": ["[11, 149.0]", "(11, 2 * math.pi * 10_000 ** (22 / 64))"], "wrong": {
        "[10, 111.7]": "last pair", "[22, 149.0]": "a column", "[21, 2 * math.pi * 10_000 ** (21 / 64)]": "2i/d",
        "[17, 10_000 ** (17 / 32)]": "2π", "[11, 128]": "its wavelength is not", "[12, 198.7]": "second of those",
    }},
    "odd_code": {"right": [ODD, odd()], "wrong": {
        odd(width="(width + width % 2)", columns="width + width % 2"): "column too many",
        odd(width="(width + width % 2)"): "next even width", odd(pair="j / 2"): "the pair, and not the column",
        odd(at="range(len(positions))"): "positions are ignored", odd(base="10_000.0"): "base is ignored",
        odd(pair="j"): "where the pair belongs", odd(first="math.cos"): "Even columns", odd(columns="8", width="8"): "first case tried",
        "lambda positions, width, base: additive.sinusoidal(positions, width, base)": "raises ValueError",
    }},
    "add_code": {"right": ["lambda x, table: x + table[None, : x.shape[1]]",
                           "lambda x, table: torch.stack([one + table[: len(one)] for one in x])"], "wrong": {
        "lambda x, table: x + table[: x.size(0), None]": "Still faulty",
        "lambda x, table: table[: x.shape[1]].expand_as(x)": "replaces",
        "lambda x, table: x": "unchanged", "lambda x, table: x + table[-x.shape[1]:]": "last rows",
        "lambda x, table: x + table.roll(-1, 0)[: x.shape[1]]": "first token",
        "lambda x, table: x + table[:6]": "first case tried",
        "lambda x, table: x + table[: x.shape[2]]": "raises RuntimeError",
        "lambda x, table: x.add_(table[: x.shape[1]]) and None": "raises RuntimeError",
    }},
}  # fmt: skip

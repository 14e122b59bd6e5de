"""Exercises of chapter 05, the worked example: answers on file, and variants of those that are numbers."""

from posenc.checks.chapter_05 import row_one, summed

from .variants import Rule, word


def decimals(values, places=3):
    return "[" + ", ".join(f"{value:.{places}f}" for value in values) + "]"


RULES = {
    "row_six": Rule(lambda position: [f"row of position {position}"], position=range(7, 26)),
    "two_frequencies": Rule(
        lambda base: [f"take base {base}"],
        base=(16, 25, 36, 49, 64, 81, 121, 144, 225, 400, 625, 900, 1600, 2500),
    ),
    "closest_offset": Rule(
        lambda reach: [f"offsets {reach[0]} to {reach[1]}"],
        reach=[(2, 10), (3, 16), (8, 18), (20, 40), (20, 30), (26, 36), (33, 43), (40, 60), (46, 56), (61, 80)],
    ),
    "which_base": Rule(
        lambda base: [f"row_one = {decimals(row_one(base), 4)}"],
        base=(100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 800, 900),
    ),
    "one_later": Rule(
        lambda position, later: [decimals(summed(position)), f"{word(later)} position{'s' if later > 1 else ''} later"],
        where=lambda position, later: position + later != 4,
        position=range(1, 13), later=(1, 2, 3),
    ),
}  # fmt: skip


def row(fast, slow):
    return f"[math.sin({fast}), math.cos({fast}), math.sin({slow}), math.cos({slow})]"


def entry(pair="column // 2", base="base", width="width", parts="(math.sin, math.cos)[column % 2]"):
    return f"lambda position, column, width, base: {parts}(position * {base} ** (-2 * ({pair}) / {width}))"


def later(position, slow=None):
    return f"[x + y for x, y in zip([0.5, -0.25, 0.3, 0.1], {row(position, slow or position / 100)})]"


SLOW = """
def entry(position, column, width, base):
    turn = sp.Integer(position) / sp.Integer(base) ** sp.Rational(2 * (column // 2), width)
    return sp.cos(turn) if column % 2 else sp.sin(turn)
"""

ANSWERS = {
    "row_six": {"right": [
        row(6, 0.06), "[-0.2794, 0.9602, 0.06, 0.9982]", "additive.sinusoidal(torch.tensor([6]), 4)",
    ], "wrong": {
        row(6, "6 / math.sqrt(10)"): "not at 10", row(6, 6): "repeats the first", row(6, 6 / 10_000): "doubled",
        "[math.cos(6), math.sin(6), math.cos(0.06), math.sin(0.06)]": "Sine comes first",
        row("math.radians(6)", "math.radians(0.06)"): "radians", row(5, 0.05): "another position",
        row(7, 0.07): "next position",
    }},
    "two_frequencies": {"right": ["[1, 0.1]", "np.array([1, 100 ** -0.5])", "[1, sp.Rational(1, 10)]"], "wrong": {
        "[1, 0.01]": "not −1", "[1, 10]": "inverses", "[1, 100 ** -0.25]": "not −i/d", "[0.1, 1]": "comes first",
        "[1, 1]": "is slower", "[1, 0.1, 0.01, 0.001]": "shape",
    }},
    "closest_offset": {"right": ["[19, 1.971]", "(19, math.cos(19) + math.cos(0.19))"], "wrong": {
        "[6, 1.958]": "first return", "[1, 1.540]": "whole radian", "[25, 1.960]": "lost more",
        "[13, 1.899]": "13 is further", "[0, 2]": "not among", "[19, 0.989]": "slow pair",
        "[44, 1.905]": "44 is not among",
    }},
    "which_base": {"right": ["1000", "1 / 0.0316 ** 2", "torch.tensor(1000.0)"], "wrong": {
        "10_000": "0.0100", "math.sqrt(1000)": "square root", "100": "0.0998", "1 / 0.0316": "square",
        "1024": "squared it", "'1000'": "cannot be read",
    }},
    "entry": {"right": [entry(), SLOW], "wrong": {
        entry("column"): "column stands where", entry("column / 2"): "its partner's",
        entry("column // 2 / 2"): "with i = j // 2", entry(parts="(math.cos, math.sin)[column % 2]"): "Even columns",
        entry("column % (width // 2)", parts="(math.sin, math.cos)[column >= width // 2]"): "all sines first",
        entry(base="10_000"): "base is ignored", entry(width="4"): "width is ignored",
        "lambda position, column, width, base: math.sin(0.03)": "first case tried",
    }},
    "one_later": {"right": [later(4), "[-0.257, -0.904, 0.340, 1.099]"], "wrong": {
        later(3): "already", later(5): "position 3", later(2): "one position earlier", row(4, 0.04): "is missing",
        "[x + y for x, y in zip([0.641, -1.240, 0.330, 1.100], " + row(4, 0.04) + ")]": "both are in this sum",
        later(4, slow=4): "frequency of its own",
    }},
    "wrong_entries": {"right": [
        "[(1, 3), (3, 2), (4, 1)]", "{(4, 1), (3, 2), (1, 3)}", "torch.tensor([[1, 3], [3, 2], [4, 1]])",
    ], "wrong": {
        "[(3, 1), (2, 3), (1, 4)]": "row comes first", "[(2, 4), (4, 3), (5, 2)]": "count from 0",
        "[(1, 3), (3, 2)]": "this names 2", "[(1, 3), (3, 2), (4, 0)]": "Of these, 1",
        "[(1, 2), (3, 1), (4, 0)]": "Of these, 3", "3": "list of places", "'1, 3'": "list of places",
        "[(1, 3), (3, 2), (4, 1), (0, 0)]": "this names 4",
    }},
}  # fmt: skip

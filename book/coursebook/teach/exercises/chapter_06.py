"""Exercises of chapter 06, adding and learning: answers on file, and variants of those that are numbers."""

from itertools import combinations_with_replacement

from .variants import Rule


def bmatrix(matrix):
    return r"\begin{bmatrix}" + r"\\".join("&".join(map(str, row)) for row in matrix) + r"\end{bmatrix}"


RULES = {
    "gradient_column": Rule(
        lambda lengths: ["of {}, {} and {} words".format(*lengths)],
        lengths=[three for three in combinations_with_replacement(range(1, 8), 3) if three[0] < three[2]],
    ),
    "lengths": Rule(
        lambda width: [f"Width {width}.", f"variance 1/{width},"],
        width=(32, 48, 64, 96, 128, 256, 384, 768, 1024, 2048),
    ),
}  # fmt: skip


def terms(*parts):
    return f"lambda x, p, y, q, wq, wk: [{', '.join(parts)}]"


def kind(absolute="v and w", mixed="v", words='"absolute", "mixed", "relative"', bound="1e-9"):
    a, m, r = words.split(", ")
    return f"""
def answer(vectors, weights):
    v = bool((vectors[0] - vectors[1]).abs().max() > {bound})
    w = bool((weights[0] - weights[1]).abs().max() > {bound})
    return {a} if {absolute} else {m} if {mixed} else {r}
"""


ONE, TWO, THREE, FOUR = (f"({a} @ wq) @ ({b} @ wk)" for a in "xp" for b in "yq")

TABLE = """
def kind(vectors, weights):
    stays = [torch.allclose(one, two, rtol=0, atol=1e-9) for one, two in (vectors, weights)]
    return {(False, False): "absolute", (True, True): "relative", (False, True): "mixed"}[tuple(stays)]
"""

ANSWERS = {
    "gradient_column": {"right": [
        "[3, 3, 2, 2, 2, 0, 0, 0]", "torch.tensor([3.0, 3, 2, 2, 2, 0, 0, 0])[:, None]",
    ], "wrong": {
        "[1, 1, 1, 1, 1, 0, 0, 0]": "summed over", "[1, 1, 2 / 3, 2 / 3, 2 / 3, 0, 0, 0]": "not a mean",
        "[3, 3, 3, 3, 3, 0, 0, 0]": "Padding", "[3, 3, 3, 2, 2, 2, 0, 0]": "not row 2",
        "[3, 3, 2, 2, 2, 2, 2, 2]": "receive nothing", "[3, 3, 2, 2, 2]": "shape",
    }},
    "embed": {"right": [
        "lambda rows, code: rows * rows.shape[-1] ** 0.5 + code",
        "lambda rows, code: (rows + code / math.sqrt(rows.size(-1))) * math.sqrt(rows.size(-1))",
    ], "wrong": {
        "lambda rows, code: (rows + code) * rows.shape[-1] ** 0.5": "still scaled",
        "lambda rows, code: rows / rows.shape[-1] ** 0.5 + code": "not shrink",
        "lambda rows, code: rows + code * rows.shape[-1] ** 0.5": "code is scaled",
        "lambda rows, code: rows * rows.shape[-1] + code": "not by the width",
        "lambda rows, code: rows + code": "factor is missing",
        "lambda rows, code: rows * 4 + code": "first case tried",
        "lambda rows, code: rows * math.log2(rows.shape[-1]) + code": "first case tried",
        "lambda rows, code: rows * rows.shape[1] ** 0.5 + code": "last axis",
        "lambda rows, code: rows * rows.shape[-1] ** 0.5": "code is missing",
    }},
    "which_h": {"right": ["('b', 2.236)", "['B', math.sqrt(5)]", "('(b)', sp.sqrt(5))"], "wrong": {
        "('a', 2.236)": "within a pair", "('c', 2.236)": "sin ω", "('d', 2.236)": "cos ω", "('b', 5)": "root",
        "('b', 1)": "keep lengths", "('e', 2.236)": "none of the choices", "'b'": "pair", "('b', 'two')": "cannot",
    }},
    "lengths": {"right": ["[16, 0.707]", "(16.0, math.sqrt(0.5))"], "wrong": {
        "[256, 0.5]": "squares", "[math.sqrt(512), 1]": "256 pairs", "[16, 16 * math.sqrt(512)]": "the word, not",
        "[1 / 16, math.sqrt(2)]": "round", "[16, 1 / 32]": "not d", "[1, 1]": "two equal lengths",
    }},
    "four_terms": {"right": [
        terms(ONE, TWO, THREE, FOUR),
        "lambda x, p, y, q, wq, wk: (torch.stack([x, p]) @ wq @ (torch.stack([y, q]) @ wk).T).flatten()",
    ], "wrong": {
        terms(ONE, THREE, TWO, FOUR): "changed places",
        "lambda x, p, y, q, wq, wk: [(a @ wq) @ (b @ wk) for b in (x, p) for a in (y, q)]": "exchanged",
        terms(ONE, ONE, FOUR, FOUR): "only their own kind", terms("x @ y", "x @ q", "p @ y", "p @ q"): "ignored",
        "lambda x, p, y, q, wq, wk: [(a @ wq) @ (b @ wq) for a in (x, p) for b in (y, q)]": "One matrix",
        terms(ONE, "(x @ wq) @ (p @ wk)", "(q @ wq) @ (y @ wk)", FOUR): "its own code",
        terms(ONE, ONE, ONE, ONE): "All four are the first",
    }},
    "kind": {"right": [kind(), TABLE], "wrong": {
        "lambda vectors, weights: 'absolute'": "says absolute where the vectors stay",
        "lambda vectors, weights: 'mixed'": "says mixed where the vectors move and the weights move",
        kind(absolute="v", mixed="w"): "says absolute where the vectors move and the weights stay",
        kind(words='"mixed", "absolute", "relative"'): "says mixed", kind(bound="0"): "rounding aside",
        kind(words='"both", "one", "none"'): "one of the three words",
        "lambda vectors, weights: len(vectors)": "one of the three words",
    }},
}  # fmt: skip

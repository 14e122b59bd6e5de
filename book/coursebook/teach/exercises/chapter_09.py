"""Exercises of chapter 09, biases on the scores: answers on file, and variants of those that are numbers."""

import math

from .variants import Rule


def clear(part, percent):
    """Whether rounding does not decide, and the book's answer is another."""
    exact = part * math.log(100 / (100 - percent))
    return 0.05 < exact % 1 < 0.95 and math.ceil(exact) != 74


RULES = {
    "window": Rule(
        lambda part, percent: [f"slope 1/{part}", f"at least {percent} per cent"],
        where=clear,
        part=(4, 8, 16, 32, 64, 128, 256), percent=(80, 90, 95, 98, 99),
    ),
    "report": Rule(
        lambda exact, token: [f"count exactly to {exact}", f"at token {token}"],
        where=lambda exact, token: token > exact and exact * (exact - 1) % token == 0
        and 2 * exact - 1 - exact * (exact - 1) // token != 14,
        exact=range(4, 13), token=range(6, 140),
    ),
    "action": Rule(
        lambda step, offset: [rf"1 & {step}", f"$E({offset})$"],
        where=lambda step, offset: step * offset != -12,
        step=(2, 3, 5, 7), offset=(-6, -5, -4, -3),
    ),
    "bucket": Rule(
        lambda back: [f"{back[0]}, {back[1]} and {back[2]} steps"],
        back=((7, 30, 200), (12, 60, 150), (3, 25, 900), (14, 90, 300)),
    ),
}  # fmt: skip


def slopes(more, low="2 ** (-8 * h / b) for h in range(1, b + 1)"):
    return f"""
def answer(n):
    b = 2 ** (n.bit_length() - 1)
    low = [{low}]
    high = [2 ** (-4 * h / b) for h in range(1, 2 * b + 1)]
    return {more}
"""


def squared(query, key="[1, n, n**2]"):
    return f"(lambda mu, m: {query}, lambda n: {key})"


def forgets(value, c="log_gate.cumsum(0)"):
    return f"""
def answer(log_gate):
    c = {c}
    return {value}
"""


def term(rows, weights="weights"):
    return f"""
def answer(weights, table):
    K, at = len(table) // 2, torch.arange(len(weights))
    gap = at[:, None] - at
    return ({weights}[..., None] * table[{rows}]).sum(1)
"""


ANSWERS = {
    "window": {"right": ["74", "torch.tensor(74)", "math.ceil(16 * math.log(100))"], "wrong": {
        "73": "a little less", "16 * math.log(100)": "whole number", "10": "slope 1/2", "107": "base e",
        "32": "not 10", "37": "not 90", "1": "not 99", "75": "One key fewer",
    }},
    "slopes_for": {"right": [
        slopes("low + high[0::2][:n - b]"), slopes("torch.tensor(low + high[0::2][:n - b])"),
        slopes("np.array([*low, *high[0 : 2 * (n - b) : 2]])"),
    ], "wrong": {
        "lambda n: [2 ** (-8 * h / n) for h in range(1, n + 1)]": "formula with n itself",
        "lambda n: [2 ** (-8 * h / n) for h in range(n)]": "and not 1",
        slopes("sorted(low + high[0::2][:n - b], reverse=True)"): "they come last",
        slopes("sorted(low + high[0::2][:n - b])"): "steepest",
        slopes("low if n == b else high[:n]"): "power of two above",
        slopes("low + high[1::2][:n - b]"): "beginning with its first", slopes("low + high[:n - b]"): "not every one",
        "lambda n: [2.0 ** -h for h in range(1, 9)]": "Right in the first case",
    }},
    "squared": {"right": [
        squared("[-mu * m**2, 2 * mu * m, -mu]"),
        squared("torch.tensor([1.0, m, -mu * m * m, 2 * mu * m, -mu, 0])", "[0, 0, 1, n, n * n, 9]"),
        squared("[mu * m, -mu * m * m, mu * m, -mu]", "[n, 1, n, n * n]"),
    ], "wrong": {
        squared("[mu * m**2, -2 * mu * m, mu]"): "mind the sign",
        squared("[-mu, -mu * m]", "[-n, 1]"): "That is ALiBi", squared("[-mu * m**2, -2 * mu * m, -mu]"): "wrong sign",
        squared("[-mu * m**2, -mu]", "[1, n**2]"): "missing", squared("[-mu * m**2, mu * m, -mu]"): "counts twice",
        squared("[-m**2, 2 * m, -1]"): "slope is missing",
        squared("[-mu**2 * m**2, 2 * mu**2 * m, -mu**2]"): "enters twice",
        squared("[0]", "[0]"): "multiply the square out", squared("[1, 2]"): "equally many",
    }},
    "forgetting": {"right": [
        forgets("c[:, None] - c"), forgets("(c[:, None] - c).tril()"),
        forgets("(c[:, None] - c).masked_fill(torch.ones(len(c), len(c)).triu(1) > 0, -math.inf)"),
        "lambda f: [[f[j + 1 : i + 1].sum().item() for j in range(len(f))] for i in range(len(f))]",
    ], "wrong": {
        forgets("c[:, None] - c", "torch.cat([torch.zeros(1), log_gate.cumsum(0)[:-1]])"): "query's gate is left",
        forgets("c[:, None] - c + log_gate"): "weakened by its own",
        forgets("c[:, None] - c - log_gate[:, None]"): "query's gate is left out",
        forgets("c - c[:, None]"): "turned round", forgets("(c[:, None] - c).exp()"): "logarithm",
        forgets("0 * (c[:, None] - c)"): "Nothing is forgotten", forgets("c[:, None] + c"): "difference of the two",
    }},
    "report": {"right": ["14", "14.0", "sp.Integer(14)"], "wrong": {
        "56": "far beyond", "8": "does not stop", "15": "never reports", "1": "gap", "15 - 64 / 56": "N²/t",
        "16": "no text reaches",
    }},
    "value_term": {"right": [
        term("gap.clamp(-K, K) + K"),
        "lambda w, t: [[sum(w[m, n].item() * t[min(max(m - n, -(len(t) // 2)), len(t) // 2) + len(t) // 2, c]" ".item() for n in range(len(w))) for c in range(t.shape[1])] for m in range(len(w))]",
    ], "wrong": {
        term("(-gap).clamp(-K, K) + K"): "wrong sign", term("(gap + K) % (2 * K + 1)"): "wrap round",
        term("gap.clamp(-K, K)"): "from the middle", term("gap.abs().clamp(max=K) + K"): "without its sign",
        term("gap.clamp(-K, K) + K", "weights.T"): "exchanged",
        term("gap.clamp(-K, K) + K", "torch.ones_like(weights)"): "without their weights",
    }},
    "action": {"right": [
        "[[1, -12], [0, 1]]", "torch.linalg.matrix_power(torch.tensor([[1.0, 3.0], [0.0, 1.0]]), -4)",
    ], "wrong": {
        "[[1, 12], [0, 1]]": "other sign", "[[-4, -12], [0, -4]]": "by itself", "[[1, 81], [0, 1]]": "no power",
        "[[1, 0], [-12, 1]]": "above the diagonal", "[[1, 3], [0, 1]]": "E(1)", "[[1, 0], [0, 1]]": "E(0)",
        "[[1, -4], [0, 1]]": "another number",
    }},
    "bucket": {"right": ["[9, 23, 31]", "(9, 16 + 7, 31)", "torch.tensor([9, 23, 31])"], "wrong": {
        "[9, 23, 42]": "whatever lies beyond", "[9, 7, 15]": "after the first 16", "[9, 19, 27]": "factor 8",
        "[9, 28, 31]": "ratio is 1", "[10, 24, 32]": "from 0", "[9, 40, 500]": "of its own",
        "[8, 12, 15]": "keys behind",
    }},
}  # fmt: skip

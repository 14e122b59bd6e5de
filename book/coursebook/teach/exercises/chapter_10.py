"""Exercises of chapter 10, long context: answers on file, and variants of those that are numbers."""

import math

from posenc.frequencies import geometric
from posenc.numeric import grouped

from .variants import Rule


def turns(width, base, trained):
    return trained * geometric(width, float(base)) / (2 * math.pi)


def clear(width, base, trained):
    """Whether no pair is just at one turn, and the count is not the book's."""
    made = turns(width, base, trained)
    return ((made - 1).abs().min() > 0.01).item() and (made < 1).sum().item() not in (0, 24)


def ramp(straight, blend):
    if (straight, blend) == ("ln r", "frequencies"):
        return "Use what the chapter proved about its ramp."
    words = {"ln r": r"\ln r", "r": "r", "1/r": "1/r", "r²": "r^2"}
    return f"But let its ramp be straight in ${words[straight]}$, where $r$ counts turns, and blend the {blend}."


RULES = {
    "unseen_pairs": Rule(
        lambda width, base, trained: [
            f"{'Mixtral' if width == 128 and base == 1_000_000 and trained == 32768 else 'A model'} "
            f"has heads of width {width}, the base {grouped(base)}, and was trained on {grouped(trained)} "
            f"tokens. How many of its {width // 2} pairs",
        ],
        where=clear,
        width=(64, 96, 128, 256), base=(10_000, 150_000, 500_000, 1_000_000, 5_000_000),
        trained=(2048, 4096, 8192, 16384, 32768),
    ),
    "slowed": Rule(
        lambda factor, middle: [f"$s = {factor}$", f"6 turns, {middle} turns and half a turn"],
        factor=(3, 4, 5, 6, 16, 32), middle=(1.5, 2, 2.5, 3),
    ),
}  # fmt: skip


def yarn(kept="((r / alpha).log() / math.log(beta / alpha)).clamp(0, 1)", result=None, r="L * omega / (2 * math.pi)"):
    return f"""
def answer(omega, s, L, alpha, beta):
    r = {r}
    kept = {kept}
    return {result or "(1 - kept) * omega / s + kept * omega"}
"""


INDEX = """
def answer(omega, s, L, alpha, beta):
    d = 2 * len(omega)
    b = float(omega[1]) ** (-d / 2)
    ends = [d * math.log(L / (2 * math.pi * turns)) / (2 * math.log(b)) for turns in (beta, alpha)]
    kept = 1 - ((torch.arange(len(omega)) - ends[0]) / (ends[1] - ends[0])).clamp(0, 1)
    return (1 - kept) * omega / s + kept * omega
"""

LOOP = """
def answer(omega, s, L, alpha, beta):
    new = []
    for w in omega.tolist():
        r = L * w / (2 * math.pi)
        kept = min(1, max(0, (math.log(r) - math.log(alpha)) / (math.log(beta) - math.log(alpha))))
        new.append(w * (kept + (1 - kept) / s))
    return torch.tensor(new, dtype=torch.float64)
"""


def decode(row="n", query="turn(q[n], n, omegas[{}])", key="turn(k[m], m, omegas[{}])", more=""):
    return f"""
def answer(q, k, omegas):
    def turn(x, n, omega):
        return rotary.rotate(x[None], rotary.turns([n], omega, torch.complex128))[0]

    scores = []
    for n in range(len(q)):
        keys = torch.stack([{key.format(row)} for m in range(n + 1)])
        scores.append(keys @ {query.format(row)})
    return torch.cat(scores){more}
"""


TURNED_ON = """
def answer(q, k, omegas):
    def turn(x, at, omega):
        return rotary.rotate(x, rotary.turns(at, omega, torch.complex128))

    cache, scores, old = k[:0], [], omegas[0]
    for n, omega in enumerate(omegas):
        here = torch.tensor([n])
        if n:
            cache = turn(cache, torch.arange(n), omega - old)
        cache, old = torch.cat([cache, turn(k[n : n + 1], here, omega)]), omega
        scores.append(cache @ turn(q[n : n + 1], here, omega)[0])
    return torch.cat(scores)
"""

ANSWERS = {
    "unseen_pairs": {"right": ["24", "torch.tensor(24)", "64 - 40"], "wrong": {
        "40": "have seen", "15": "one radian", "21": "half a turn", "4": "10 000", "33": "4096", "39": "count pairs",
        "48": "These are columns",
    }},
    "base_for": {"right": [
        "lambda d, b, s, j: b * s ** (d / (2 * j))", "lambda d, b, s, j: b * s ** (d / 2 / j)",
        "lambda d, b, s, j: math.exp(math.log(b) + d / (2 * j) * math.log(s))",
        "lambda d, b, s, j: (b ** (-2 * j / d) / s) ** (-d / (2 * j))",
        "lambda d, b, s, j: torch.tensor(b).float() * torch.tensor(s).float() ** (d / (2 * j))",
    ], "wrong": {
        "lambda d, b, s, j: b * s ** (d / (d - 2))": "last pair", "lambda d, b, s, j: b * s": "power of s",
        "lambda d, b, s, j: b * s ** (-d / (2 * j))": "has to grow",
        "lambda d, b, s, j: b * s ** (d / j)": "two columns", "lambda d, b, s, j: b * s ** (2 * j / d)": "turned over",
        "lambda d, b, s, j: s ** (d / (2 * j))": "multiply it", "lambda d, b, s, j: b": "Nothing was changed",
        "lambda d, b, s, j: 10000 * s ** (128 / (2 * j))": "number of this chapter",
    }},
    "yarn": {"right": [
        yarn(), LOOP, yarn(kept="(r.log() - math.log(alpha)).div(math.log(beta / alpha)).clip(0, 1)"),
    ], "wrong": {
        yarn(kept="((r - alpha) / (beta - alpha)).clamp(0, 1)"): "paper's ramp",
        yarn(kept="1 - ((r / alpha).log() / math.log(beta / alpha)).clamp(0, 1)"): "exchanged",
        yarn(kept="(r / alpha).log() / math.log(beta / alpha)"): "Outside its ends", yarn(r="L * omega"): "2π radians",
        yarn(result="omega / ((1 - kept) * s + kept)"): "wavelengths",
        yarn(kept="(r.log() / math.log(32)).clamp(0, 1)"): "are given",
        yarn(kept="(r.log() / math.log(beta / alpha)).clamp(0, 1)"): "begins at α", INDEX: "in the first case",
        yarn(result="omega / s"): "all pairs", yarn(result="omega"): "Nothing was changed",
    }},
    "decode": {"right": [decode(), TURNED_ON], "wrong": {
        decode(key="turn(k[m], m, omegas[m])"): "as they were turned", decode(row="0"): "first token",
        decode(row="-1"): "last token", decode(row="max(n - 1, 0)"): "one token behind",
        decode(query="turn(q[n], n, omegas[0])"): "and the query that", decode(query="q[n]"): "query is not turned",
        decode(query="q[n]", key="k[m]"): "Nothing is turned", decode(more=" / q.shape[-1] ** 0.5"): "not divided",
    }},
    "slowed": {"right": ["[1, 2.4, 8]", "(1, 12 / 5, 8.0)", "torch.tensor([1, 2.4, 8])"], "wrong": {
        "[8, 1 / (2 / 3 + 1 / 24), 1]": "exchanged", "[1, 5 / 12, 1 / 8]": "one over it",
        "[1, 17 / 3, 8]": "wavelengths", "[1, 1 / (1 / 2 + 1 / 16), 1 / (1 / 8 + 7 / 64)]": "begins at one turn",
        "[1, 1 / (1 / 2 + 1 / 16), 8]": "logarithm", "[8, 8, 8]": "all pairs", "[1, 1, 1]": "Nothing",
    }},
}  # fmt: skip

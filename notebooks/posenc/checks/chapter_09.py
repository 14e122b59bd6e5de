"""Exercises of chapter 09, biases on the scores."""

import math

import torch

from posenc import bias
from posenc.checks import OPEN, Verdict, called, same


def window(answer):
    """Exercise 9.1: how many keys hold 99 per cent of the weight at slope 1/16."""
    r = math.exp(-1 / 16)
    return same(
        answer, math.ceil(math.log(0.01) / math.log(r)),
        because="From there on, all keys of an endless text share less than one per cent.",
        slips={
            "That many keys hold a little less than 99 per cent.": math.floor(math.log(0.01) / math.log(r)),
            "A count of keys is a whole number.": math.log(0.01) / math.log(r),
            "That is for the slope 1/2.": math.ceil(2 * math.log(100)),
            "The logarithm is to the base e, since a slope of μ gives the factor e^(−μ).":
                math.ceil(16 * math.log2(100)),
            "Hold 99 per cent, not 90.": math.ceil(16 * math.log(10)),
        },
    )  # fmt: skip


def slopes_for(answer):
    """Exercise 9.2: a function heads → slopes, as programs have them."""
    verdict = Verdict(False, OPEN)
    for heads in (8, 16, 1, 12, 3, 20, 31):
        ours = called(answer, heads)
        if isinstance(ours, Verdict):
            return ours
        below = 1 << (heads.bit_length() - 1)
        above = [2 ** (-4 * h / below) for h in range(1, 2 * below + 1)]
        low, more = [2 ** (-8 * h / below) for h in range(1, below + 1)], heads - below
        slips = {
            "From 2^0 on: head 1 has the slope 2^(−8/n), not 1.":
                [2 ** (-8 * h / heads) for h in range(heads)],
            "These slopes are right in another order: head 1 is the steepest of the power below.":
                sorted(low + above[0 : 2 * more : 2]),
        }  # fmt: skip
        if more:
            slips |= {
                "The formula with n itself is right for powers of two only: programs go another way.":
                    [2 ** (-8 * h / heads) for h in range(1, heads + 1)],
                "The power of two above is used for all: take the one below first.": above[:heads],
                "From the power above take every second slope, beginning with its first.":
                    low + above[1 : 2 * more : 2],
                "From the power above take every second slope, not every one.": low + above[:more],
                "The slopes that come from the power above are sorted in; they come last.":
                    sorted(low + above[0 : 2 * more : 2], reverse=True),
            }  # fmt: skip
        verdict = same(
            ours, bias.alibi_slopes(heads, torch.float64), within=1e-7, slips=slips,
            because="Right for powers of two, and for the numbers in between.",
        )  # fmt: skip
        if not verdict:
            return Verdict(False, f"For {heads} heads: {verdict.message}")
    return verdict


def squared(query_says, key_says):
    """Exercise 9.3: columns whose inner product is −μ(p − q)²."""
    for mu, p, q in ((0.5, 0, 0), (0.25, 7, 3), (1.5, 3, 7), (0.125, 40, -2), (2.0, -5, -9)):
        parts = [called(query_says, mu, p), called(key_says, q)]
        for part in parts:
            if isinstance(part, Verdict):
                return part
        try:
            ours, theirs = (torch.as_tensor(part, dtype=torch.float64).flatten() for part in parts)
        except Exception as problem:  # whatever the reader's functions return
            return Verdict(False, f"The columns cannot be read as numbers: {problem}.")
        if ours.shape != theirs.shape or not ours.numel():
            return Verdict(
                False, f"{ours.numel()} and {theirs.numel()} columns: query and key need equally many."
            )
        product = (ours @ theirs).item()
        verdict = same(
            product, -mu * (p - q) ** 2, because="",
            slips={} if p == q else {
                "The bias must lower the scores: mind the sign.": mu * (p - q) ** 2,
                "That is ALiBi, −μ(p − q): square the distance.": -mu * (p - q),
                "The mixed term has the wrong sign: (p − q)² = p² − 2pq + q².": -mu * (p + q) ** 2,
                "The mixed term 2pq is missing.": -mu * (p**2 + q**2),
                "The mixed term counts twice: −μ(−2pq).": -mu * (p**2 - p * q + q**2),
                "The slope is missing.": -float((p - q) ** 2),
                "The slope enters twice.": -(mu**2) * (p - q) ** 2,
            },
        )  # fmt: skip
        if not verdict:
            return Verdict(False, f"With μ = {mu}, p = {p} and q = {q}: {verdict.message}")
    return Verdict(True, "Each side carries its own position, and the score sees the difference.")


def forgetting(answer):
    """Exercise 9.4: log gates (tokens,) → bias (tokens, tokens), compared where the mask lets look."""
    verdict = Verdict(False, OPEN)
    for seed, tokens in ((0, 6), (1, 1), (2, 11)):
        gates = torch.rand(tokens, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        log_f = gates.clamp(min=0.05).log()
        ours = called(answer, log_f.clone())
        if isinstance(ours, Verdict):
            return ours
        if not isinstance(ours, torch.Tensor) or ours.shape != (tokens, tokens):
            shape = tuple(ours.shape) if isinstance(ours, torch.Tensor) else type(ours).__name__
            return Verdict(False, f"Return a tensor of shape ({tokens}, {tokens}), got {shape}.")
        c = log_f.cumsum(0)
        right = c[:, None] - c
        verdict = same(
            ours.detach().double().tril(), right.tril(), within=1e-9,
            because="Each key has lost what the tokens after it forgot, the query's own gate included.",
            slips={
                "The key's own gate is taken in, and the query's is left out.":
                    ((c - log_f)[:, None] - (c - log_f)).tril(),
                "The key's own gate is taken in as well: a key is not forgotten by itself.":
                    (right + log_f).tril(),
                "The query's own gate is left out.": (right - log_f[:, None]).tril(),
                "The sign is turned round: a score must fall.": (-right).tril(),
                "Queries and keys are exchanged: rows are queries.": right.T.tril(),
                "These are factors; the bias is their logarithm.": right.exp().tril(),
            },
        )  # fmt: skip
        if not verdict:
            return verdict
    return verdict


def report(answer):
    """Exercise 9.5: what a counter exact to 8 reports at token 56."""
    return same(
        answer, 14,
        because="One below the limit 2N − 1, which no text is long enough to reach.",
        slips={
            "It is exact to 8 only; at 56 it is far beyond.": 56,
            "It goes on along its last straight piece, and does not stop at N.": 8,
            "That is the limit, which it never reports.": 15,
            "The line goes through the points for N − 1 and N, in the mean 1/t: not in t.": 16,
            "That is the gap to the limit.": 1,
            "The gap to 2N − 1 is N(N − 1)/t, not N²/t.": 15 - 64 / 56,
        },
    )  # fmt: skip

"""Exercises of chapter 09, biases on the scores."""

import math

import torch

from posenc import bias
from posenc.checks import (
    Verdict,
    called,
    exercise,
    generator,
    no_function,
    normal,
    numbers,
    said,
    same,
    works,
)


@exercise
def window(answer):
    """Exercise 9.1: how many keys hold 99 per cent of the weight at slope 1/16."""
    exact = 16 * math.log(100)
    return same(
        answer, math.ceil(exact),
        because="From there on, all keys of an endless text share less than one per cent.",
        slips={
            "That many keys hold a little less than 99 per cent.": math.floor(exact),
            "A count of keys is a whole number.": exact,
            "That is for the slope 1/2.": math.ceil(2 * math.log(100)),
            "The logarithm is to the base e, since a slope of μ gives the factor e^(−μ).":
                math.ceil(16 * math.log2(100)),
            "The logarithm is to the base e, and not 10.": math.ceil(16 * math.log10(100)),
            "Hold 99 per cent, not 90.": math.ceil(16 * math.log(10)),
            "Beyond the window lies one per cent, not 99.": math.ceil(-16 * math.log(0.99)),
        },
    )  # fmt: skip


def _slopes(heads):
    return bias.alibi_slopes(heads, torch.float64)


def _power(heads, above=False):
    """The slopes of the power of two below, or of the one above."""
    below = 1 << (heads.bit_length() - 1)
    size = below * (1 + (above and heads > below))
    return [2 ** (-8 * h / size) for h in range(1, size + 1)]


@exercise
def slopes_for(answer):
    """Exercise 9.2: a function heads → slopes, as programs have them."""
    unread = no_function(answer)
    probe = called(answer, 4096) if unread is None else unread  # a small number may be an open file's
    if isinstance(probe, Verdict):
        return probe
    return works(
        answer, _slopes, [(8,), (12,), (16,), (1,), (3,), (20,), (31,)],
        because="Right for powers of two, and for the numbers in between.",
        slips={
            "The formula with n itself is right for powers of two only: programs go another way.":
                lambda n: [2 ** (-8 * h / n) for h in range(1, n + 1)],
            "Head 1 has the slope 2^(−8/n), and not 1.": lambda n: [2 ** (-8 * h / n) for h in range(n)],
            "The slopes that come from the power above stand in between; they come last.":
                lambda n: _slopes(n).sort(descending=True).values,
            "The steepest head is head 1.": lambda n: _slopes(n).sort().values,
            "The power of two above is used for all: take the one below first.":
                lambda n: _power(n, above=True)[:n],
            "From the power above take every second slope, beginning with its first.":
                lambda n: (_power(n) + _power(n, above=True)[1::2])[:n],
            "From the power above take every second slope, and not every one.":
                lambda n: (_power(n) + _power(n, above=True))[:n],
        },
    )  # fmt: skip


@exercise
def squared(answer):
    """Exercise 9.3: two functions whose columns have the inner product −μ(p − q)²."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return Verdict(False, "Give both functions, as in (query_says, key_says).")
    for function in answer:
        unread = no_function(function)
        if unread is not None:
            return unread
    cases = [(0.5, 1, 0), (0.25, 7, 3), (1.5, 3, 7), (0.125, 40, -2), (2.0, -5, -9), (0.5, 0, 0)]
    products = []
    for mu, p, q in cases:
        parts = [called(answer[0], mu, p), called(answer[1], q)]
        for part in parts:
            if isinstance(part, Verdict):
                return part
        try:
            ours, theirs = (torch.as_tensor(numbers(part)).flatten() for part in parts)
        except Exception as problem:  # whatever the reader's functions return
            return Verdict(False, f"The columns cannot be read as numbers: {said(problem)}.")
        if ours.shape != theirs.shape:
            return Verdict(False, f"{len(ours)} and {len(theirs)} columns: query and key need equally many.")
        products.append((ours * theirs).sum().item())

    def fits(rule):
        return all(
            abs(got - rule(*case)) <= 1e-6 * (1 + abs(rule(*case)))
            for got, case in zip(products, cases, strict=True)
        )

    if fits(lambda mu, p, q: -mu * (p - q) ** 2):
        return Verdict(True, "Each side carries its own position, and the score sees the difference.")
    slips = {
        "The bias must lower the scores: mind the sign.": lambda mu, p, q: mu * (p - q) ** 2,
        "That is ALiBi, −μ(p − q): square the distance.": lambda mu, p, q: -mu * (p - q),
        "The mixed term has the wrong sign: (p − q)² = p² − 2pq + q².": lambda mu, p, q: -mu * (p + q) ** 2,
        "The mixed term is missing: (p − q)² has three.": lambda mu, p, q: -mu * (p**2 + q**2),
        "The mixed term counts twice: (p − q)² = p² − 2pq + q².":
            lambda mu, p, q: -mu * (p**2 - p * q + q**2),
        "The slope is missing.": lambda mu, p, q: -((p - q) ** 2),
        "The slope enters twice.": lambda mu, p, q: -(mu**2) * (p - q) ** 2,
    }  # fmt: skip
    for slip, rule in slips.items():
        if fits(rule):
            return Verdict(False, slip)
    return Verdict(False, "The inner product is not −μ(p − q)²: multiply the square out.")


def _forgets(log_f):
    c = log_f.cumsum(0)
    return (c[:, None] - c).tril()


def _under_the_mask(answer):
    """The reader's function, with what the mask hides set to 0."""

    def seen(log_f):
        value = answer(log_f)
        if value is None or value is ...:
            return value
        table = torch.as_tensor(numbers(value))
        return table.tril() if table.dim() == 2 else table

    return seen


@exercise
def forgetting(answer):
    """Exercise 9.4: log gates (tokens,) → bias (tokens, tokens), compared where the mask lets look."""
    unread = no_function(answer)
    if unread is not None:
        return unread
    gates = [torch.rand(T, generator=generator(T), dtype=torch.float64) for T in (6, 1, 11)]
    return works(
        _under_the_mask(answer), _forgets, [(gate.clamp(min=0.05).log(),) for gate in gates],
        because="Each key has lost what the tokens after it forgot, the query's own gate included.",
        slips={
            "A key is weakened by its own gate, and the query's gate is left out.":
                lambda f: (_forgets(f) - f[:, None] + f).tril(),
            "A key is weakened by its own gate.": lambda f: (_forgets(f) + f).tril(),
            "The query's gate is left out.": lambda f: (_forgets(f) - f[:, None]).tril(),
            "The sign is turned round: a score must fall.": lambda f: -_forgets(f),
            "Those are factors; the bias is their logarithm.": lambda f: _forgets(f).exp().tril(),
            "Nothing is forgotten.": lambda f: _forgets(f) * 0,
        },
    )  # fmt: skip


@exercise
def report(answer):
    """Exercise 9.5: what a counter exact to 8 reports at token 56."""
    return same(
        answer, 14,
        because="One below the limit 2N − 1, which no text is long enough to reach.",
        slips={
            "It is exact to 8 only; at 56 it is far beyond.": 56,
            "It goes on along its last straight piece, and does not stop at N.": 8,
            "That is the limit, which it never reports.": 15,
            "That is the gap to the limit.": 1,
            "The gap to 2N − 1 is N(N − 1)/t, not N²/t.": 15 - 64 / 56,
            "The last piece is straight in the mean 1/t, and not in t.": 2 * 8 - 1 - 56 / 8,
        },
    )  # fmt: skip


def _term(weights, table, rows=lambda gap, reach: gap.clamp(-reach, reach) + reach):
    at = torch.arange(len(weights))
    return (weights[..., None] * table[rows(at[:, None] - at, len(table) // 2)]).sum(1)


@exercise
def value_term(answer):
    """Exercise 9.6: (weights, table) → what Shaw adds to the outputs."""
    trials = [
        (normal(tokens, tokens, seed=tokens).softmax(-1), normal(2 * reach + 1, width, seed=reach))
        for tokens, reach, width in ((7, 2, 3), (4, 6, 2), (5, 1, 5), (2, 0, 2))
    ]
    return works(
        answer, _term, trials,
        because="Every offset meets its vector, and those beyond the reach share the last ones.",
        slips={
            "The offset has the wrong sign: p − q is query minus key.":
                lambda w, t: _term(w, t, lambda gap, reach: (-gap).clamp(-reach, reach) + reach),
            "Offsets beyond the reach share the last rows; these wrap round.":
                lambda w, t: _term(w, t, lambda gap, reach: (gap + reach) % (2 * reach + 1)),
            "The rows are counted from the middle: add K after clipping.":
                lambda w, t: _term(w, t, lambda gap, reach: gap.clamp(-reach, reach)),
            "The table has a row for each direction: a distance without its sign is not enough.":
                lambda w, t: _term(w, t, lambda gap, reach: gap.abs().clamp(max=reach) + reach),
            "Each vector is weighed by its query's weights: the axes are exchanged.":
                lambda w, t: _term(w.T, t),
            "The vectors are summed without their weights.":
                lambda w, t: _term(torch.ones_like(w), t),
        },
    )  # fmt: skip

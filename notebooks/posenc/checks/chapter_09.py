"""Exercises of chapter 09, biases on the scores."""

import math

from posenc.checks import (
    Verdict, call_or_refuse, exercise, extra_trials, generator, normal, parts_of, read, same, torch, works,
)


@exercise
def window(answer, part=16, percent=99):
    """Exercise 9.1: how many keys hold so much of the weight, at slope 1/part."""
    rest = 100 / (100 - percent)
    exact = part * math.log(rest)
    left = "one" if percent == 99 else 100 - percent
    return same(answer, {
        f"From there on, all keys of an endless text share less than {left} per cent.": math.ceil(exact),
        f"That many keys hold a little less than {percent} per cent.": math.floor(exact),
        "One key fewer holds as much.": math.ceil(exact) + 1,
        "A count of keys is a whole number.": exact,
        "That is for the slope 1/2.": math.ceil(2 * math.log(rest)),
        "The logarithm is to the base e, since a slope of μ gives the factor e^(−μ).": math.ceil(part * math.log2(rest)),
        "The logarithm is to the base e, and not 10.": math.ceil(part * math.log10(rest)),
        f"Hold {percent} per cent, not 90.": math.ceil(part * math.log(10)),
        f"Beyond the window lies {left} per cent, not {percent}.": math.ceil(-part * math.log(percent / 100)),
    })


@exercise
def slopes_for(answer):
    """Exercise 9.2: a function heads → slopes, as programs have them."""

    def _slopes(heads):
        return (_power(heads) + _power(heads, above=True)[::2])[:heads]

    def _power(heads, above=False):
        """The slopes of the power of two below, or of the one above."""
        below = 1 << (heads.bit_length() - 1)
        size = below * (1 + (above and heads > below))
        return [2 ** (-8 * h / size) for h in range(1, size + 1)]

    call_or_refuse(answer, 4096)  # a small number may be an open file's
    trials = [(8,), (12,), (16,), (1,), (3,), (20,), (31,), *extra_trials(lambda dice: (dice.randint(5, 120),), 6)]
    return works(answer, trials, {
        "Right for powers of two, and for the numbers in between.": _slopes,
        "The formula with n itself is right for powers of two only: programs go another way.": lambda n: [2 ** (-8 * h / n) for h in range(1, n + 1)],
        "Head 1 has the slope 2^(−8/n), and not 1.": lambda n: [2 ** (-8 * h / n) for h in range(n)],
        "The slopes that come from the power above stand in between; they come last.": lambda n: sorted(_slopes(n), reverse=True),
        "The steepest head is head 1.": lambda n: sorted(_slopes(n)),
        "The power of two above is used for all: take the one below first.": lambda n: _power(n, above=True)[:n],
        "From the power above take every second slope, beginning with its first.": lambda n: (_power(n) + _power(n, above=True)[1::2])[:n],
        "From the power above take every second slope, and not every one.": lambda n: (_power(n) + _power(n, above=True))[:n],
    })


@exercise
def squared(answer):
    """Exercise 9.3: two functions whose columns have the inner product −μ(m − n)²."""
    query_says, key_says = parts_of(answer, 2, "Give both functions, as in (query_says, key_says).")
    cases = [(0.5, 1, 0), (0.25, 7, 3), (1.5, 3, 7), (0.125, 40, -2), (2.0, -5, -9), (0.5, 0, 0)]
    cases += extra_trials(lambda dice: (dice.randint(1, 16) / 8, dice.randint(-60, 60), dice.randint(-60, 60)))
    products = []
    for mu, m, n in cases:
        parts = call_or_refuse(query_says, mu, m), call_or_refuse(key_says, n)
        (ours, _), (theirs, _) = (read(part, "The columns") for part in parts)
        if len(ours) != len(theirs):
            return Verdict(False, f"{len(ours)} and {len(theirs)} columns: query and key need equally many.")
        products.append(sum(a * b for a, b in zip(ours, theirs, strict=True)))

    def fits(rule):
        expected = [rule(mu, m, n) for mu, m, n in cases]
        return all(abs(p - e) <= 1e-6 * (1 + abs(e)) for p, e in zip(products, expected, strict=True))

    if fits(lambda mu, m, n: -mu * (m - n) ** 2):
        return Verdict(True, "Each side carries its own position, and the score sees the difference.")
    slips = {
        "The bias must lower the scores: mind the sign.": lambda mu, m, n: mu * (m - n) ** 2,
        "That is ALiBi, −μ(m − n): square the distance.": lambda mu, m, n: -mu * (m - n),
        "The mixed term has the wrong sign: (m − n)² = m² − 2mn + n².": lambda mu, m, n: -mu * (m + n) ** 2,
        "The mixed term is missing: (m − n)² has three.": lambda mu, m, n: -mu * (m**2 + n**2),
        "The mixed term counts twice: (m − n)² = m² − 2mn + n².": lambda mu, m, n: -mu * (m**2 - m * n + n**2),
        "The slope is missing.": lambda mu, m, n: -((m - n) ** 2),
        "The slope enters twice.": lambda mu, m, n: -(mu**2) * (m - n) ** 2,
    }
    for slip, rule in slips.items():
        if fits(rule):
            return Verdict(False, slip)
    return Verdict(False, "The inner product is not −μ(m − n)²: multiply the square out.")


def _forgets(log_gate, kind="key"):
    """What the gates after a key do to it; with its own ("own"), without the query's ("query"), or both."""
    c = log_gate.cumsum(0)
    more = {"key": 0, "own": log_gate, "both": log_gate - log_gate[:, None], "query": -log_gate[:, None]}[kind]
    return (c[:, None] - c + more).tril()


@exercise(tensors=True)
def forgetting(answer):
    """Exercise 9.4: log gates (tokens,) → bias (tokens, tokens), compared where the mask lets look."""

    def under_the_mask(value, *trial):
        table = torch.as_tensor(value, dtype=torch.float64)
        return table.tril() if table.dim() == 2 else table

    gates = [torch.rand(T, generator=generator(T), dtype=torch.float64) for T in (6, 1, 11)]
    gates += extra_trials(lambda dice: normal(dice.randint(3, 20), seed=9).sigmoid())
    trials = [(gate.clamp(min=0.05).log(),) for gate in gates]
    return works(answer, trials, {  # float32 will do
        "Each key has lost what the tokens after it forgot, the query's own gate included.": _forgets,
        "A key is weakened by its own gate, and the query's gate is left out.": lambda f: _forgets(f, "both"),
        "A key is weakened by its own gate.": lambda f: _forgets(f, "own"),
        "The query's gate is left out.": lambda f: _forgets(f, "query"),
        "The sign is turned round: a score must fall.": lambda f: -_forgets(f),
        "Those are factors; the bias is their logarithm.": lambda f: _forgets(f).exp().tril(),
        "Take the difference of the two sums: what came before the key it has not lost.": lambda f: f.cumsum(0)[:, None] + f.cumsum(0),
        "Nothing is forgotten.": lambda f: _forgets(f) * 0,
    }, within=1e-4, form=under_the_mask)


@exercise
def report(answer, exact=8, token=56):
    """Exercise 9.5: what a counter that is exact to some token reports at a later one."""
    limit = 2 * exact - 1
    gap = exact * (exact - 1) / token
    return same(answer, {
        "One below the limit 2N − 1, which no text is long enough to reach.": limit - gap,
        f"It is exact to {exact} only; at {token} it is far beyond.": token,
        "It goes on along its last straight piece, and does not stop at N.": exact,
        "That is the limit, which it never reports.": limit,
        "That is the gap to the limit.": gap,
        "The limit is 2N − 1, and no text reaches it.": 2 * exact,
        "The gap to 2N − 1 is N(N − 1)/t, not N²/t.": limit - exact**2 / token,
        "The last piece is straight in the mean 1/t, and not in t.": limit - token / exact,
    })


@exercise(tensors=True)
def value_term(answer):
    """Exercise 9.6: (weights, table) → what Shaw adds to the outputs."""

    def _term(weights, table, rows=lambda gap, reach: gap.clamp(-reach, reach) + reach):
        at, reach = torch.arange(len(weights)), len(table) // 2
        gap = at[:, None] - at
        return (weights[..., None] * table[rows(gap, reach)]).sum(1)

    def with_rows(rows):
        return lambda weights, table: _term(weights, table, rows)

    def trial(dice):
        tokens, reach, width = dice.randint(3, 9), dice.randint(1, 4), dice.randint(2, 6)
        return normal(tokens, tokens, seed=50).softmax(-1), normal(2 * reach + 1, width, seed=51)

    trials = [
        (normal(tokens, tokens, seed=tokens).softmax(-1), normal(2 * reach + 1, width, seed=reach))
        for tokens, reach, width in ((7, 2, 3), (4, 6, 2), (5, 1, 5), (2, 0, 2))
    ]
    return works(answer, [*trials, *extra_trials(trial)], {
        "Every distance meets its vector, and those beyond the reach share the last ones.": _term,
        "The distance has the wrong sign: m − n is query minus key.": with_rows(lambda gap, reach: (-gap).clamp(-reach, reach) + reach),
        "Distances beyond the reach share the last rows; these wrap round.": with_rows(lambda gap, reach: (gap + reach) % (2 * reach + 1)),
        "The rows are counted from the middle: add K after clipping.": with_rows(lambda gap, reach: gap.clamp(-reach, reach)),
        "The table has a row for each direction: a distance without its sign is not enough.": with_rows(lambda gap, reach: gap.abs().clamp(max=reach) + reach),
        "Each vector is weighed by its query's weights: the axes are exchanged.": lambda w, t: _term(w.T, t),
        "The vectors are summed without their weights.": lambda w, t: _term(torch.ones_like(w), t),
    })


@exercise
def action(answer, step=3, offset=-4):
    """Exercise 9.7: E(offset), where E(1) = [[1, step], [0, 1]] and E(t + t') = E(t) E(t')."""

    def shear(entry):
        return [[1.0, entry], [0.0, 1.0]]

    return same(answer, {
        "The powers of E(1) add up the entry in the corner: so does a bias that grows with the distance.": shear(step * offset),
        "That is the matrix of the offset with the other sign.": shear(-step * offset),
        "The matrix is multiplied by itself, and not by a number.": [[offset, step * offset], [0, offset]],
        "The entry in the corner adds up; it is no power.": shear(step ** abs(offset)),
        "The entry stands above the diagonal, as in E(1).": [[1.0, 0.0], [step * offset, 1.0]],
        "That is E(1).": shear(step),
        "That is E(0), the matrix that does nothing.": shear(0),
        "Only the offset is in the corner: E(1) has another number there.": shear(offset),
    })


@exercise
def bucket(answer, back=(9, 40, 500)):
    """Exercise 9.8: the buckets of three distances back, the first below 16, the last beyond 128."""

    def of(rule):
        return [float(rule(distance)) for distance in back]

    def ratio(distance, start=16, by=8):
        return distance if distance < 16 else start + math.floor(16 * math.log(distance / 16) / math.log(by))

    def from_one(distance):
        return distance if distance < 16 else min(31, 16 + math.floor(16 * math.log(distance) / math.log(128)))

    def both_ways(distance):
        return distance if distance < 8 else min(15, 8 + math.floor(8 * math.log(distance / 8) / math.log(16)))

    right = of(lambda n: min(ratio(n), 31))
    return same(answer, {
        "A ratio of 8 from 16 to 128, in 16 equal ratios, and one bucket for all that lies beyond.": right,
        "The last bucket holds whatever lies beyond.": of(ratio),
        "The growing buckets come after the first 16.": of(lambda n: min(ratio(n, start=0), 15)),
        "From 16 to 128 the distance grows by the factor 8, and not by 128.": of(lambda n: min(ratio(n, by=128), 31)),
        "The growing buckets begin at 16 steps, where the ratio is 1.": of(from_one),
        "Under a causal mask all buckets are for keys behind.": of(both_ways),
        "Buckets are counted from 0.": [n + 1 for n in right],
        "Not every distance has a bucket of its own.": of(lambda n: n),
    })

"""Exercises of chapter 10, long context."""

import math

from posenc.checks import exercise, extra_trials, normal, numbers, same, torch, works


@exercise
def unseen_pairs(answer, width=128, base=1_000_000, trained=32768):
    """Exercise 10.1: how many of Mixtral's 64 pairs have not gone round within 32 768 tokens."""

    def below(angle, base=float(base), trained=trained):
        return float(sum(trained * base ** (-2 * i / width) < angle for i in range(width // 2)))

    right, pairs = below(2 * math.pi), width // 2
    why = ": the larger base has made more pairs slow" if base > 10_000 else ""
    return same(answer, {
        f"Its last {right:.0f} pairs are short of one turn{why}.": right,
        "That many have seen their whole circle.": pairs - right,
        "That many have turned by less than one radian: a circle is 2π of them.": below(1),
        "That many are short of half a turn: a circle is 2π, and not π.": below(math.pi),
        "That is for the base 10 000.": below(2 * math.pi, base=1e4),
        "These are columns; a pair has two.": 2 * right,
        "That is for 4096 tokens.": below(2 * math.pi, trained=4096),
        "That is the last pair that has been round, or the first that has not: count pairs.": pairs - right - 1,
    })


@exercise
def base_for(answer):
    """Exercise 10.2: a function (d, b, s, i) → the base that slows pair i by s."""

    def right(d, b, s, i):
        return b * s ** (d / (2 * i))

    def in_units_of_the_right_one(value, *case):
        """Bases are small and large: one precision would not do for all."""
        return [n / right(*case) for n in numbers(value)[0]]

    def trial(dice):
        return 128, float(dice.randint(50, 9000)), dice.uniform(1.2, 3), dice.randint(20, 60)

    trials = [(128, 10000.0, 8.0, 63), (64, 500000.0, 3.0, 5), (96, 10.0, 1.5, 7), (32, 7e3, 2.0, 1)]
    trials += extra_trials(trial)
    form = in_units_of_the_right_one
    return works(answer, trials, {
        "With i = d/2 - 1 this is the base of NTK-aware scaling.": right,
        "That is the base for the last pair, whatever i is.": lambda d, b, s, i: b * s ** (d / (d - 2)),
        "The base grows by a power of s, and not by s itself.": lambda d, b, s, i: b * s,
        "This makes pair i faster: the base has to grow.": lambda d, b, s, i: b * s ** (-d / (2 * i)),
        "A pair is two columns: pair i has the exponent 2i/d.": lambda d, b, s, i: b * s ** (d / i),
        "The power is that of the frequency turned over.": lambda d, b, s, i: b * s ** (2 * i / d),
        "That is the factor of the base: multiply it with the old one.": lambda d, b, s, i: s ** (d / (2 * i)),
        "Nothing was changed.": lambda d, b, s, i: b,
    }, within=1e-5, form=form)


@exercise(tensors=True)
def yarn(answer):
    """Exercise 10.3: a function (omega, s, L, alpha, beta) with a ramp that is straight in ln r."""

    def with_ramp(ramp, wavelengths=False):
        def blended(omega, s, length, alpha, beta):
            kept = ramp(length * omega / (2 * math.pi), alpha, beta)
            if wavelengths:
                return omega / ((1 - kept) * s + kept)
            return (1 - kept) * omega / s + kept * omega

        return blended

    def along(scale):
        def ramp(r, alpha, beta):
            low, high = (scale(torch.tensor(end).double()) for end in (alpha, beta))
            return ((scale(r) - low) / (high - low)).clamp(0, 1)

        return ramp

    logarithmic = along(torch.log)
    order = torch.randperm(64, generator=torch.Generator().manual_seed(103))
    trials = [
        (_geometric(64, 150000.0), 32.0, 4096, 1.0, 32.0),
        (_geometric(128, 1e4)[order], 8.0, 2048, 2.0, 16.0),
        (normal(7, seed=3).abs() + 0.01, 3.0, 50, 0.5, 3.0),
        *extra_trials(lambda dice: (_geometric(64, dice.uniform(1e4, 1e5)), dice.uniform(2, 9), 99, 1.5, 20.0)),
    ]
    return works(answer, trials, {
        "This is what gpt-oss runs, and no index of a pair occurs in it.": with_ramp(logarithmic),
        "That is the paper's ramp, straight in r: the program's is straight in its logarithm.": with_ramp(along(lambda r: r)),
        "Kept and interpolated are exchanged: many turns, old frequency.": with_ramp(lambda *ends: 1 - logarithmic(*ends)),
        "Outside its ends the ramp must stay at 0 and 1.": with_ramp(lambda r, alpha, beta: (r / alpha).log() / math.log(beta / alpha)),
        "A turn is 2π radians: r is Lω/2π.": with_ramp(lambda r, alpha, beta: logarithmic(2 * math.pi * r, alpha, beta)),
        "Blend the frequencies; this blends the wavelengths.": with_ramp(logarithmic, wavelengths=True),
        "The ends are given: α = 1 and β = 32 are only the usual ones.": with_ramp(lambda r, alpha, beta: logarithmic(r, 1.0, 32.0)),
        "The ramp begins at α turns, also under the logarithm.": with_ramp(lambda r, alpha, beta: (r.log() / math.log(beta / alpha)).clamp(0, 1)),
        "That is interpolation of all pairs.": lambda omega, s, length, alpha, beta: omega / s,
        "Nothing was changed.": lambda omega, s, length, alpha, beta: omega,
    }, within=1e-5)


@exercise(tensors=True)
def decode(answer):
    """Exercise 10.4: a function (q, k, omegas) that decodes with a rule that may change at every token."""

    def under(keys_at, query_at=lambda m: m, turn_query=True):
        """Scores in which query m sees key n under the rules of rows keys_at(m, n) and query_at(m)."""

        def scores(q, k, omegas):
            m, n = torch.ones(len(q), len(q)).tril().nonzero(as_tuple=True)  # keys so far
            query = _turned(q[m], m, omegas[query_at(m)]) if turn_query else q[m]
            return (query * _turned(k[n], n, omegas[keys_at(m, n)])).sum(-1)

        return scores

    def case(rule, tokens, width=8):
        return *normal(2, tokens, width, seed=tokens), torch.stack([rule(n + 1) for n in range(tokens)])

    def dynamic(n):
        return _geometric(8, 100.0 * max(1.0, n / 4) ** (8 / 6))

    def two_lists(n):
        return _geometric(8, 50.0) / (torch.tensor([1.0, 2, 3, 4]).double() if n > 5 else 1.0)

    trials = [
        case(two_lists, 9),
        case(dynamic, 12),
        case(lambda n: _geometric(12, 1000.0 + n), 5, 12),
        *extra_trials(lambda dice: case(lambda n: _geometric(6, 50.0 + 9 * n), dice.randint(8, 14), 6)),
    ]
    return works(answer, trials, {
        "Each query sees all keys under one rule, and no key is stale.": under(lambda m, n: m),
        "Old keys still stand as they were turned when they came.": under(lambda m, n: n),
        "The rule of the first token is used throughout.": under(lambda m, n: 0, lambda m: 0),
        "The rule of the last token is used throughout: each query has the rule of its own time.": under(lambda m, n: -1, lambda m: -1),
        "The rule is one token behind: the new token counts, too.": under(lambda m, n: (m - 1).clamp(0), lambda m: (m - 1).clamp(0)),
        "The keys follow today's rule, and the query that of the first token.": under(lambda m, n: m, lambda m: 0),
        "The query is not turned.": under(lambda m, n: m, turn_query=False),
        "The scores are asked for as they are, not divided by √d.": lambda q, k, omegas: under(lambda m, n: m)(q, k, omegas) / math.sqrt(q.shape[-1]),
        "Nothing is turned.": lambda q, k, omegas: under(lambda m, n: m)(q, k, 0 * omegas),
    }, within=1e-5)


@exercise
def slowed(answer, factor=8, middle=2):
    """Exercise 10.5: by how much Llama 3's rule slows pairs of 6 turns, `middle` turns and half a turn."""

    def by(kept, blend=lambda part: 1 / (part + (1 - part) / factor)):
        return [blend(min(max(kept(turns), 0), 1)) for turns in (6, middle, 0.5)]

    def ramp(turns):
        return (turns - 1) / 3

    right = by(ramp)
    return same(answer, {
        "From four turns on nothing changes, below one turn all is interpolated, and in between the frequencies are blended.": right,
        "Kept and interpolated are exchanged: many turns, old frequency.": by(lambda turns: 1 - ramp(turns)),
        "By that the frequencies are multiplied: a pair is slowed by one over it.": [1 / slow for slow in right],
        "Blend the frequencies; this blends the wavelengths.": by(ramp, lambda part: part + (1 - part) * factor),
        "The ramp begins at one turn, and is straight in the turns.": by(lambda turns: turns / 4),
        "The ramp is straight in the turns, and not in their logarithm.": by(lambda turns: math.log(turns, 4)),
        "The ramp ends at 4 turns; at 32 YaRN's ends.": by(lambda turns: (turns - 1) / 31),
        "That is interpolation of all pairs.": [factor] * 3,
        "Nothing is slowed here.": [1] * 3,
    }, within=6e-4)


def _turned(x, at, omega):
    """Each row of x, at its position, under its own frequencies."""
    turn = torch.polar(torch.ones(len(at), x.shape[-1] // 2).double(), at[:, None] * omega)
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * turn).flatten(-2)


def _geometric(d, b):
    return b ** (-2 * torch.arange(d // 2, dtype=torch.float64) / d)

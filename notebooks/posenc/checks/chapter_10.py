"""Exercises of chapter 10, long context."""

import math

import torch

from posenc import rotary
from posenc.checks import OPEN, Verdict, called, same


def unseen_pairs(answer):
    """Exercise 10.1: how many of Mixtral's 64 pairs have not gone round within 32 768 tokens."""
    omega = _geometric(128, 1e6)
    angles = 32768 * omega
    return same(
        answer, float((angles < 2 * math.pi).sum()),
        because="Its last 24 pairs are short of one turn: the larger base has made more pairs slow.",
        slips={
            "That many have seen their whole circle.": float((angles >= 2 * math.pi).sum()),
            "That many have turned by less than one radian: a circle is 2π of them.":
                float((angles < 1).sum()),
            "That many are short of half a turn: a circle is 2π, and not π.":
                float((angles < math.pi).sum()),
            "That is for the base 10 000.": float((32768 * _geometric(128, 1e4) < 2 * math.pi).sum()),
            "That is for 4096 tokens.": float((4096 * omega < 2 * math.pi).sum()),
            "The frequencies are b^(-2i/d): with b^(-i/d) that would be the count.":
                float((32768 * omega.sqrt() < 2 * math.pi).sum()),
        },
    )  # fmt: skip


def base_for(answer):
    """Exercise 10.2: a function (d, b, s, j) → the base that slows pair j by s."""
    for d, b, s, j in (
        (128, 10000.0, 8.0, 63),
        (64, 500000.0, 3.0, 5),
        (96, 10.0, 1.0, 7),
        (32, 7e3, 40.0, 1),
    ):
        ours = called(answer, d, b, s, j)
        if isinstance(ours, Verdict):
            return ours
        verdict = same(
            ours, b * s ** (d / (2 * j)), within=1e-6 * b * s ** (d / (2 * j)), because="",
            slips={
                "That is the base for the last pair, whatever j is.": b * s ** (d / (d - 2)),
                "The base grows by a power of s, and not by s itself.": b * s,
                "This makes pair j faster: the base has to grow.": b * s ** (-d / (2 * j)),
                "A pair is two columns: pair j has the exponent 2j/d.": b * s ** (d / j),
                "The power is d/(2j), and not its inverse.": b * s ** (2 * j / d),
            },
        )  # fmt: skip
        if not verdict:
            hint = verdict.message if "numbers differ" not in verdict.message else (
                f"With your base for d={d}, b={b:g}, s={s:g}, pair {j} is not slowed by {s:g}.")  # fmt: skip
            return Verdict(False, hint)
    return Verdict(True, "With j = d/2 - 1 this is the base of NTK-aware scaling.")


def yarn(answer):
    """Exercise 10.3: a function (omega, s, L, alpha, beta) with a ramp that is straight in ln r."""
    generator = torch.Generator().manual_seed(103)
    cases = [
        (_geometric(64, 150000.0), 32.0, 4096, 1.0, 32.0),
        (_geometric(128, 1e4)[torch.randperm(64, generator=generator)], 8.0, 2048, 2.0, 16.0),
        (torch.rand(7, generator=generator, dtype=torch.float64), 3.0, 50, 0.5, 3.0),
    ]
    for omega, s, length, alpha, beta in cases:
        given = omega.clone()
        ours = called(answer, given, s, length, alpha, beta)
        if isinstance(ours, Verdict):
            return ours
        if not torch.equal(given, omega):
            return Verdict(False, "The function changes the frequencies that it was given: make new ones.")
        r = length * omega / (2 * math.pi)
        kept = ((r / alpha).log() / math.log(beta / alpha)).clamp(0, 1)
        verdict = same(
            ours, _blend(omega, s, kept), within=1e-9, because="",
            slips={
                "That is the paper's ramp, straight in r: the program's is straight in its logarithm.":
                    _blend(omega, s, ((r - alpha) / (beta - alpha)).clamp(0, 1)),
                "Kept and interpolated are exchanged: many turns, old frequency.": _blend(omega, s, 1 - kept),
                "Outside its ends the ramp must stay at 0 and 1.":
                    _blend(omega, s, (r / alpha).log() / math.log(beta / alpha)),
                "A turn is 2π radians: r is Lω/2π.":
                    _blend(omega, s, ((length * omega / alpha).log() / math.log(beta / alpha)).clamp(0, 1)),
                "Blend the frequencies; this blends the wavelengths.": omega / ((1 - kept) * s + kept),
                "The ends are given: α = 1 and β = 32 are only the usual ones.":
                    _blend(omega, s, (r.log() / math.log(32)).clamp(0, 1)),
                "The ramp begins at α turns: divide r by α under the logarithm.":
                    _blend(omega, s, (r.log() / math.log(beta / alpha)).clamp(0, 1)),
                "That is interpolation of all pairs.": omega / s,
                "Nothing was changed.": omega,
            },
        )  # fmt: skip
        if not verdict:
            return verdict
    return Verdict(True, "This is what gpt-oss runs, and no index of a pair occurs in it.")


def factors(answer):
    """Exercise 10.4: {length: factor} of dynamic NTK as shipped, factor 4, trained length 4096."""
    right = {2048: 1.0, 6144: 3.0, 16384: 13.0}
    if not isinstance(answer, dict) or set(answer) != set(right):
        return Verdict(False, "The answer is a dictionary with the keys 2048, 6144 and 16384.")
    if any(value is ... for value in answer.values()):
        return Verdict(False, OPEN)
    for length, expected in right.items():
        asked = length / 4096
        verdict = same(
            answer[length], expected, because="",
            slips={
                f"At {length} tokens that is the factor as proposed; a program multiplies by s first.": asked,
                f"At {length} tokens the program does not yet, or no longer, slow by the fixed factor.": 4.0,
                f"At {length} tokens: from s·l/L, s - 1 is taken away.": 4 * asked,
                f"At {length} tokens: a text shorter than the trained one counts as one of that length.":
                    4 * asked - 3,
            },
        )  # fmt: skip
        if not verdict:
            hint = verdict.message if "differ" not in verdict.message else f"Look at {length} tokens again."
            return Verdict(False, hint)
    return Verdict(True, "At four times the trained length, where 4 is needed, the factor is 13.")


def cache(answer):
    """Exercise 10.5: a class with `scores(q, k)`, right though its rule changes with every token."""
    if answer is ...:
        return Verdict(False, OPEN)
    generator = torch.Generator().manual_seed(105)
    for rule, steps in ((_dynamic, 12), (_two_lists, 9), (_fixed, 5)):
        made = called(answer, rule)
        if isinstance(made, Verdict):
            return made
        q, k = torch.randn(2, steps, 8, dtype=torch.float64, generator=generator)
        lists = []
        for m in range(steps):
            given = q[m].clone(), k[m].clone()
            ours = called(getattr(made, "scores", _missing), *given)
            if isinstance(ours, Verdict):
                return ours
            if not (torch.equal(given[0], q[m]) and torch.equal(given[1], k[m])):
                return Verdict(False, "The vectors that came in have been changed: turn copies.")
            lists.append(ours)
        for m in reversed(range(steps)):  # slips differ most where the text is longest
            right = _scores(q, k, m, [rule(m + 1)] * (m + 1), rule(m + 1))
            verdict = same(lists[m], right, because="", slips=_slips(rule, q, k, m))
            if not verdict:
                return Verdict(False, f"With {m + 1} tokens: {verdict.message}")
    return Verdict(True, "Each list of scores follows one rule, and none of them is stale.")


def _slips(rule, q, k, m):
    """What plausible caches give at token m."""
    today, place = rule(m + 1), torch.arange(m + 1)
    plain = _turned(k[: m + 1], place, today) @ q[m]
    return {
        "old keys still stand as they were turned when they came.":
            _scores(q, k, m, [rule(n + 1) for n in range(m + 1)], today),
        "the rule of the first token is used throughout: it must be that of the text as it is now.":
            _scores(q, k, m, [rule(1)] * (m + 1), rule(1)),
        "the rule is one token behind: the new token counts, too.":
            _scores(q, k, m, [rule(max(m, 1))] * (m + 1), rule(max(m, 1))),
        "the query is not turned.": plain,
        "nothing is turned.": k[: m + 1] @ q[m],
    }  # fmt: skip


def _scores(q, k, m, of_keys, of_query):
    keys = torch.cat([_turned(k[n : n + 1], torch.tensor([n]), of_keys[n]) for n in range(m + 1)])
    return keys @ _turned(q[m : m + 1], torch.tensor([m]), of_query)[0]


def _turned(x, at, omega):
    return rotary.rotate(x, rotary.turns(at, omega, torch.complex128))


def _geometric(d, b):
    return b ** (-2 * torch.arange(d // 2, dtype=torch.float64) / d)


def _blend(omega, s, kept):
    return (1 - kept) * omega / s + kept * omega


def _dynamic(n):
    return _geometric(8, 100.0 * max(1.0, n / 4) ** (8 / 6))


def _two_lists(n):
    return _geometric(8, 50.0) / (torch.tensor([1.0, 2, 3, 4]).double() if n > 5 else 1.0)


def _fixed(n):
    return _geometric(8, 1000.0)


def _missing(q, k):
    raise AttributeError("the class has no method scores")

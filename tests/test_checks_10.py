"""The checkers of chapter 10 accept the right answer and reject plausible wrong ones."""

import math

import pytest
import torch
from verdicts import accepts, names_the_slip

from posenc import rotary
from posenc.checks import OPEN
from posenc.checks import chapter_10 as check


def turned(x, at, omega):
    return rotary.rotate(x, rotary.turns(at, omega, torch.complex128))


class Raw:
    """A cache that turns its keys when it reads them; what goes wrong is switched by its attributes."""

    first, behind, query = False, 0, True

    def __init__(self, rule):
        self.rule, self.keys = rule, []

    def scores(self, q, k):
        self.keys.append(k)
        count = 1 if self.first else max(len(self.keys) - self.behind, 1)
        omega, at = self.rule(count), torch.arange(len(self.keys))
        if self.query:
            q = turned(q[None], at[-1:], omega)[0]
        return turned(torch.stack(self.keys), at, omega) @ q


class TurnedOn(Raw):
    """Another right one: keeps the keys turned, and turns them on when the rule changes."""

    def scores(self, q, k):
        omega = self.rule(len(self.keys) + 1)
        if self.keys and not torch.equal(omega, self.old):
            self.keys = [
                turned(x[None], torch.tensor([n]), omega - self.old)[0] for n, x in enumerate(self.keys)
            ]
        self.old, here = omega, torch.tensor([len(self.keys)])
        self.keys.append(turned(k[None], here, omega)[0])
        return torch.stack(self.keys) @ turned(q[None], here, omega)[0]


class Stale(Raw):
    def scores(self, q, k):
        here, omega = torch.tensor([len(self.keys)]), self.rule(len(self.keys) + 1)
        self.keys.append(turned(k[None], here, omega)[0])
        return torch.stack(self.keys) @ turned(q[None], here, omega)[0]


class First(Raw):
    first = True


class Behind(Raw):
    behind = 1


class Unturned(Raw):
    query = False


class Plain(Raw):
    def scores(self, q, k):
        self.keys.append(k)
        return torch.stack(self.keys) @ q


class Spoils(Raw):
    def scores(self, q, k):
        scores = super().scores(q, k.clone())
        k.mul_(2)
        return scores


class OnlyForTheFixedRule(Stale):
    """Right where the rule does not change, so right on the last of the hidden configurations."""


class Mute:
    def __init__(self, rule):
        pass


def yarn(omega, s, L, alpha, beta, ramp=None):
    r = L * omega / (2 * math.pi)
    kept = ((r / alpha).log() / math.log(beta / alpha)).clamp(0, 1) if ramp is None else ramp(r, alpha, beta)
    return (1 - kept) * omega / s + kept * omega


def with_ramp(ramp):
    return lambda *given: yarn(*given, ramp=ramp)


def in_place(omega, s, L, alpha, beta):
    result = yarn(omega.clone(), s, L, alpha, beta)
    omega.zero_()
    return result


def wavelengths(omega, s, L, alpha, beta):
    kept = ((L * omega / (2 * math.pi) / alpha).log() / math.log(beta / alpha)).clamp(0, 1)
    return omega / ((1 - kept) * s + kept)


def by_index(omega, s, L, alpha, beta):
    """Right for the frequencies of RoPE in their order, wrong for any others."""
    d, b = 2 * len(omega), float(omega[1] ** -len(omega)) if len(omega) > 1 else 1e4
    first, last = (d * math.log(L / (2 * math.pi * turns)) / (2 * math.log(b)) for turns in (beta, alpha))
    kept = 1 - ((torch.arange(len(omega)) - first) / (last - first)).clamp(0, 1)
    return (1 - kept) * omega / s + kept * omega


FACTORS = {2048: 1, 6144: 3.0, 16384: 13}

test_right_answers_are_accepted = accepts(
    (check.unseen_pairs, 24),
    (check.unseen_pairs, torch.tensor(24)),
    (check.base_for, lambda d, b, s, j: b * s ** (d / (2 * j))),
    (check.base_for, lambda d, b, s, j: math.exp(math.log(b) + d / (2 * j) * math.log(s))),
    (check.yarn, yarn),
    (check.factors, FACTORS),
    (check.cache, Raw),
    (check.cache, TurnedOn),
)


test_plausible_wrong_answers_get_a_hint = names_the_slip(
    (check.unseen_pairs, 40, "have seen"),
    (check.unseen_pairs, 15, "radian"),
    (check.unseen_pairs, 21, "half a turn"),
    (check.unseen_pairs, 4, "10 000"),
    (check.unseen_pairs, 33, "4096"),
    (check.unseen_pairs, 5, "1 of 1 numbers"),
    (check.unseen_pairs, "many", "cannot be read"),
    (check.base_for, lambda d, b, s, j: b * s ** (d / (d - 2)), "last pair"),
    (check.base_for, lambda d, b, s, j: b * s, "power of s"),
    (check.base_for, lambda d, b, s, j: b * s ** (-d / (2 * j)), "has to grow"),
    (check.base_for, lambda d, b, s, j: b * s ** (d / j), "two columns"),
    (check.base_for, lambda d, b, s, j: b * s ** (2 * j / d), "inverse"),
    (check.base_for, lambda d, b, s, j: 1e4 * 8 ** (128 / 126), "is not slowed"),
    (check.base_for, lambda d, b: b, "raises TypeError"),
    (check.yarn, with_ramp(lambda r, a, b: ((r - a) / (b - a)).clamp(0, 1)), "paper's ramp"),
    (check.yarn, with_ramp(lambda r, a, b: 1 - ((r / a).log() / math.log(b / a)).clamp(0, 1)), "exchanged"),
    (check.yarn, with_ramp(lambda r, a, b: (r / a).log() / math.log(b / a)), "ends"),
    (
        check.yarn,
        with_ramp(lambda r, a, b: ((r * 2 * math.pi / a).log() / math.log(b / a)).clamp(0, 1)),
        "2π",
    ),
    (check.yarn, with_ramp(lambda r, a, b: (r.log() / math.log(32)).clamp(0, 1)), "are given"),
    (check.yarn, with_ramp(lambda r, a, b: (r.log() / math.log(b / a)).clamp(0, 1)), "begins at α"),
    (check.yarn, wavelengths, "wavelengths"),
    (check.yarn, by_index, "numbers differ"),
    (check.yarn, in_place, "changes the frequencies"),
    (check.yarn, lambda omega, *rest: omega / rest[0], "all pairs"),
    (check.yarn, lambda omega, *rest: omega, "Nothing was changed"),
    (check.yarn, lambda omega, *rest: 1 / 0, "raises ZeroDivisionError"),
    (check.factors, FACTORS | {6144: 1.5}, "as proposed"),
    (check.factors, FACTORS | {16384: 4}, "as proposed"),
    (check.factors, FACTORS | {6144: 4}, "fixed factor"),
    (check.factors, FACTORS | {16384: 16}, "taken away"),
    (check.factors, FACTORS | {2048: -1}, "counts as one"),
    (check.factors, FACTORS | {6144: 7}, "Look at 6144"),
    (check.factors, FACTORS | {6144: "three"}, "cannot be read"),
    (check.factors, [1, 3, 13], "dictionary"),
    (check.cache, Stale, "as they were turned"),
    (check.cache, OnlyForTheFixedRule, "as they were turned"),
    (check.cache, First, "first token"),
    (check.cache, Behind, "one token behind"),
    (check.cache, Unturned, "query is not turned"),
    (check.cache, Plain, "nothing is turned"),
    (check.cache, Spoils, "have been changed"),
    (check.cache, Mute, "no method scores"),
    (check.cache, 3, "raises TypeError"),
)


@pytest.mark.parametrize(
    ("checker", "answer"),
    [
        (check.unseen_pairs, ...),
        (check.base_for, lambda d, b, s, j: ...),
        (check.yarn, lambda omega, s, L, alpha, beta: None),
        (check.factors, {2048: ..., 6144: ..., 16384: ...}),
        (check.factors, {2048: 1, 6144: ..., 16384: 13}),
        (check.cache, ...),
    ],
)
def test_an_open_exercise_says_so_and_does_not_raise(checker, answer):
    assert repr(checker(answer)) == OPEN

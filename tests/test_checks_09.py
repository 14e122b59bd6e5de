"""The checkers of chapter 9: right answers pass, plausible wrong ones are told why, nothing raises."""

import math

import pytest
import torch

from posenc.checks import chapter_09 as check

OPEN = "Not answered yet"


def says(verdict, *parts):
    text = repr(verdict)
    assert not verdict, text
    for part in parts:
        assert part in text, (part, text)


# 9.1


def test_window():
    assert check.window(74)
    assert check.window(torch.tensor(74))
    says(check.window(...), OPEN)
    says(check.window(73), "a little less")
    says(check.window(16 * math.log(100)), "whole number")
    says(check.window(10), "slope 1/2")
    says(check.window(math.ceil(16 * math.log2(100))), "base e")
    says(check.window("many"), "cannot be read")
    says(check.window([74, 74]), "shape")


# 9.2


def below(heads):
    return 2 ** (heads.bit_length() - 1)


def right(heads):
    low = [2 ** (-8 * h / below(heads)) for h in range(1, below(heads) + 1)]
    return low + [2 ** (-4 * h / below(heads)) for h in range(1, 2 * (heads - below(heads)), 2)]


def test_slopes():
    assert check.slopes_for(right)
    assert check.slopes_for(lambda heads: torch.tensor(right(heads)).double())


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (..., OPEN),
        (lambda heads: ..., OPEN),
        (lambda heads: None, OPEN),
        (lambda heads: 1 / 0, "ZeroDivisionError"),
        (lambda heads: [2 ** (-8 * h / heads) for h in range(heads)], "head 1 has the slope"),
        (lambda heads: [2 ** (-8 * h / heads) for h in range(1, heads + 1)], "For 12 heads: The formula"),
        (lambda heads: sorted(right(heads), reverse=True), "sorted in"),
        (lambda heads: sorted(right(heads)), "another order"),
        (lambda heads: right(heads)[:-1], "shape"),
        (lambda heads: [2.0**-h for h in range(1, 9)], "For 16 heads"),
        (
            lambda heads: right(heads)[: below(heads)]
            + [2 ** (-4 * h / below(heads)) for h in range(1, heads - below(heads) + 1)],
            "not every one",
        ),
        (
            lambda heads: right(heads)
            if heads == below(heads)
            else [2 ** (-4 * h / below(heads)) for h in range(1, heads + 1)],
            "power of two above",
        ),
    ],
)
def test_wrong_slopes(answer, part):
    says(check.slopes_for(answer), part)


# 9.3


def says_query(mu, p):
    return [-mu * p**2, 2 * mu * p, -mu]


def says_key(q):
    return [1, q, q**2]


def test_squared():
    assert check.squared(says_query, says_key)
    assert check.squared(lambda mu, p: [1, p, -mu * p * p, 2 * mu * p, -mu, 0],
                         lambda q: torch.tensor([0.0, 0, 1, q, q * q, 9]))  # fmt: skip


@pytest.mark.parametrize(
    ("query", "key", "part"),
    [
        (..., ..., OPEN),
        (says_query, ..., OPEN),
        (lambda mu, p: None, says_key, OPEN),
        (lambda mu, p: [-mu, -mu * p], lambda q: [-q, 1], "That is ALiBi"),
        (lambda mu, p: [-x for x in says_query(mu, p)], says_key, "mind the sign"),
        (lambda mu, p: [-mu * p**2, -2 * mu * p, -mu], says_key, "wrong sign"),
        (lambda mu, p: [-mu * p**2, -mu], lambda q: [1, q**2], "missing"),
        (lambda mu, p: [-mu * p**2, mu * p, -mu], says_key, "counts twice"),
        (lambda mu, p: says_query(1, p), says_key, "slope is missing"),
        (lambda mu, p: [0], lambda q: [0], "differ by more"),
        (lambda mu, p: [1, 2], lambda q: [1, 2, 3], "equally many"),
        (lambda mu, p: [], lambda q: [], "equally many"),
        (lambda mu, p: ["a"], lambda q: ["b"], "cannot be read"),
        (lambda mu, p: [1], lambda mu, p: [1], "TypeError"),
        (lambda mu, p: -mu * p, lambda q: q, "differ by more"),
    ],
)
def test_wrong_columns(query, key, part):
    says(check.squared(query, key), part)


# 9.4


def mended(log_f):
    c = log_f.cumsum(0)
    return c[:, None] - c


def test_forgetting():
    assert check.forgetting(mended)
    assert check.forgetting(lambda f: mended(f).tril())  # the mask hides the rest
    assert check.forgetting(
        lambda f: torch.tensor([[f[j + 1 : i + 1].sum() for j in range(len(f))] for i in range(len(f))])
    )


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (..., OPEN),
        (lambda f: None, OPEN),
        (lambda f: mended(f) - f[:, None] + f, "query's is left out"),
        (lambda f: mended(f) + f, "key's own gate is taken in as well"),
        (lambda f: mended(f) - f[:, None], "query's own gate is left out"),
        (lambda f: -mended(f), "sign"),
        (lambda f: mended(f).T, "sign"),  # below the diagonal the two slips look alike
        (lambda f: mended(f).exp(), "logarithm"),
        (lambda f: f, "shape (6, 6)"),
        (lambda f: "no", "str"),
        (lambda f: mended(f) * 0, "differ by more"),
        (lambda f: torch.full((6, 6), math.nan), "not finite"),
        (lambda f: f.foo, "AttributeError"),
    ],
)
def test_wrong_forgetting(answer, part):
    says(check.forgetting(answer), part)


def test_a_constant_answer_does_not_pass():
    first = mended(torch.rand(6, generator=torch.Generator().manual_seed(0)).double().log())
    assert not check.forgetting(lambda f: first)


# 9.5


@pytest.mark.parametrize(
    ("answer", "part"),
    [(..., OPEN), (56, "far beyond"), (8, "does not stop"), (15, "never reports"), (1, "gap"), (16, "mean"),
     (15 - 64 / 56, "N²/t"), (13, "differ by more"), ("x", "cannot be read")],
)  # fmt: skip
def test_report(answer, part):
    says(check.report(answer), part)
    assert check.report(14)
    assert check.report(14.0)

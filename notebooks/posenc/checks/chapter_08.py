"""Exercises of chapter 08, RoPE in practice."""

import math

import torch

from posenc import rotary
from posenc.additive import frequencies
from posenc.checks import Verdict, exercise, normal, numbers, plain, said, same, works

REACH = 10_000  # offsets at which exercise 8.4 looks for a higher score


@exercise
def order(answer):
    """Exercise 8.1: the columns that take split-half to interleaved at width 8."""
    return same(
        answer, rotary.permutation(8, "split-half", "interleaved").tolist(), within=0,
        because="Pair i stands in columns i and i + 4, and moves to 2i and 2i + 1.",
        slips={
            "That order takes interleaved to split-half.": [0, 2, 4, 6, 1, 3, 5, 7],
            "That order changes nothing.": list(range(8)),
            "That order swaps the two halves.": [4, 5, 6, 7, 0, 1, 2, 3],
            "In each pair the lower column comes first.": [4, 0, 5, 1, 6, 2, 7, 3],
            "Columns count from 0.": [1, 5, 2, 6, 3, 7, 4, 8],
        },
    )  # fmt: skip


@exercise
def suspect(answer):
    """Exercise 8.2: layout, direction and base from two unit vectors."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return Verdict(False, "Give three things: layout, direction and base.")
    layout, direction, base = (plain(part) for part in answer)
    if layout not in ("split_half", "interleaved"):
        return Verdict(False, "The layout is one of the two words that the question names.")
    right = same(
        base, 256, within=1, because="",  # the sines are given to four digits
        slips={
            "1/4 is b^(-2/8), not 1/b.": 4,
            "The exponent of pair 1 is -2/8, not -1/8.": 65536,
            "The exponent of pair 1 is -2/8, not -1/2.": 16,
            "10 000^(-2/8) would be 0.1.": 10_000,
        },
    )  # fmt: skip
    if not right:
        return right
    turns = same(direction, -1, because="", slips={"The sine arrives with a minus sign.": 1})
    if not turns:
        return turns
    if layout != "split_half":
        return Verdict(False, "Look at the partner of column 0, and at its number.")
    return Verdict(True, "The partner is 4 columns away, the sine is negative, and 256^(-2/8) = 1/4.")


def _rotated(x, positions, omega, layout="split-half"):
    return rotary.rotate(x, rotary.turns(positions, omega, torch.complex128), layout)


@exercise
def mended(answer):
    """Exercise 8.3: a function (x, positions, omega) that rotates in the split-half layout."""

    def mixed(x, positions, omega):
        angle = (positions[:, None] * omega).repeat_interleave(2, dim=-1)
        first, second = x.chunk(2, dim=-1)
        return x * angle.cos() + torch.cat([-second, first], dim=-1) * angle.sin()

    many, few = torch.tensor([5, 0, 300, 2, 2, 41]), torch.tensor([70, 9, 1, 1])
    return works(
        answer, _rotated,
        [
            (normal(6, 8), torch.arange(6), frequencies(8)),
            (normal(3, 6, 8, seed=1), many, frequencies(8)),
            (normal(4, 12, seed=2), few, frequencies(12, 500)),
            (normal(2, 2, 4, 2, seed=3), few, frequencies(2)),
        ],
        within=1e-3,  # angles in float32 will do
        because="Partner and angle now follow one layout.",
        slips={
            "Still faulty: the angles of columns i and i + d/2 differ, so they are no pair.": mixed,
            "That is a right RoPE, but in the interleaved layout.":
                lambda x, positions, omega: _rotated(x, positions, omega, "interleaved"),
            "It turns the other way: the minus sign belongs to the second half.":
                lambda x, positions, omega: _rotated(x, -positions, omega),
            "It ignores the positions that it is given.":
                lambda x, positions, omega: _rotated(x, torch.arange(len(positions)), omega),
            "It ignores the frequencies that it is given.":
                lambda x, positions, omega: _rotated(x, positions, frequencies(x.shape[-1])),
            "Nothing turns: x comes back.": lambda x, positions, omega: x,
        },
    )  # fmt: skip


@exercise
def looks_back(answer):
    """Exercise 8.4: a key whose score with a query of ones is greatest 50 positions before it."""
    try:
        key = torch.as_tensor(numbers(answer)).reshape(-1)
    except Exception as problem:
        return Verdict(False, f"The answer cannot be read as numbers: {said(problem)}.")
    if key.shape != (64,) or key.is_complex():
        return Verdict(False, f"The answer holds {key.numel()} numbers; expected shape (64,), real numbers.")
    if not key.any():
        return Verdict(False, "A key of zeros scores 0 everywhere.")
    offsets = torch.arange(-REACH, REACH + 1)
    turns = rotary.turns(offsets, frequencies(64), torch.complex128)
    scores = rotary.rotate(key.expand(len(offsets), 64).contiguous(), turns).sum(dim=-1)
    best = int(offsets[scores.argmax()])
    if best == -50:
        return Verdict(True, "The key is the query, turned ahead by 50 positions; its own place undoes that.")
    if best == 50:
        return Verdict(False, "This key is favoured 50 positions after the query: turn it the other way.")
    return Verdict(False, f"Within {REACH} positions this key scores highest at n - m = {best}.")


@exercise
def convert(answer):
    """Exercise 8.5: a function (weight, heads) that takes interleaved rows to split-half."""

    def by_head(weight, heads, source="interleaved", target="split-half"):
        return rotary.convert_rows(weight, heads, source, target)

    return works(
        answer, by_head,
        [(normal(rows, wide, seed=rows), heads) for rows, wide, heads in
         ((8, 5, 1), (16, 5, 2), (12, 12, 3), (48, 4, 4))],
        within=1e-4,
        because="Head by head: the even rows of each head come first, then its odd ones.",
        slips={
            "The rows of different heads are mixed: permute within each head.":
                lambda weight, heads: by_head(weight, 1),
            "That takes split-half to interleaved.":
                lambda weight, heads: by_head(weight, heads, "split-half", "interleaved"),
            "Nothing is permuted.": lambda weight, heads: weight,
            "The outputs are rows of the weight; these are its columns.":
                lambda weight, heads: by_head(weight.T.contiguous(), heads).T,
            "The two halves of each head change places; their rows should be picked one by one.":
                lambda weight, heads: weight.unflatten(0, (heads, 2, -1)).flip(1).flatten(0, 2),
        },
    )  # fmt: skip


@exercise
def step(answer):
    """Exercise 8.6: a function (q, k, keys, omega) that scores one new query against cache and new key."""

    def scores(q, k, keys, omega, at=lambda n: n, again=False):
        now = torch.tensor([at(len(keys))])
        keys = _rotated(keys, now.expand(len(keys)), omega, "interleaved") if again and len(keys) else keys
        turned = torch.cat([keys, _rotated(k, now, omega, "interleaved")])
        return _rotated(q, now, omega, "interleaved") @ turned.T

    def trial(count, width, base, seed):
        cached = normal(count, width, seed=seed)
        turned = _rotated(cached, torch.arange(count), frequencies(width, base), "interleaved")
        q, k = normal(1, width, seed=seed + 1), normal(1, width, seed=seed + 2)
        return q, k, turned, frequencies(width, base)

    return works(
        answer, scores,
        [trial(3, 8, 10_000, 1), trial(1, 8, 10_000, 5), trial(9, 4, 50, 9), trial(6, 16, 500, 13)],
        within=1e-3,
        because="The new token stands where the cache ends, and an old key is never turned again.",
        slips={
            "Positions count from 0: with n cached keys the new token stands at n, not at n + 1.":
                lambda q, k, keys, omega: scores(q, k, keys, omega, lambda n: n + 1),
            "The cached keys are met as if from position 0: is it put there, or are they turned again?":
                lambda q, k, keys, omega: scores(q, k, keys, omega, lambda n: n + 1, again=True),
            "The new token is put on the last cached one.":
                lambda q, k, keys, omega: scores(q, k, keys, omega, lambda n: n - 1),
            "The new key is missing: a query scores itself, too.":
                lambda q, k, keys, omega: scores(q, k, keys, omega)[:, :-1],
            "The frequencies are ignored.":
                lambda q, k, keys, omega: scores(q, k, keys, frequencies(q.shape[-1])),
        },
    )  # fmt: skip


@exercise
def distinct(answer):
    """Exercise 8.7: how many of 0 to 1023 stay distinct in bfloat16, of 0 to 4095 in float16."""

    def left(count, digits):
        return 2**digits + sum(2 ** (digits - 1) for n in range(digits, int(math.log2(count))))

    right = [len(torch.arange(count).to(dtype).unique()) for count, dtype in
             ((1024, torch.bfloat16), (4096, torch.float16))]  # fmt: skip
    return same(
        answer, right, within=0,
        because="Each doubling adds half as many numbers as there are up to 2ⁿ.",
        slips={
            "From 256 to 512 only every second number has a float, and then every fourth.": [1024, 4096],
            "Up to 2ⁿ all are kept, and some beyond.": [257, 2049],
            "1023 is rounded up to 1024, and 4095 to 4096: a value that you have not counted.":
                [left(1024, 8), left(4096, 11)],
            "These are the positions that are lost.": [1024 - right[0], 4096 - right[1]],
            "bfloat16 keeps 8 digits and float16 keeps 11, the leading one among them.":
                [left(1024, 7) + 1, left(4096, 10) + 1],
        },
    )  # fmt: skip

"""Exercises of chapter 08, RoPE in practice."""

import torch

from posenc import rotary
from posenc.additive import frequencies
from posenc.checks import OPEN, Verdict, called, choice, same

REACH = 10_000  # offsets at which exercise 8.4 looks for a higher score


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
        },
    )  # fmt: skip


def suspect(answer):
    """Exercise 8.2: layout, direction and base from two unit vectors."""
    if isinstance(answer, (tuple, list)):
        answer = [part.item() if hasattr(part, "item") else part for part in answer]
        # The sines are given to four digits, so a base that was not rounded is off by up to one.
        answer = tuple(round(part) if isinstance(part, float) else part for part in answer)
    return choice(
        answer, ("split-half", -1, 256),
        because="The partner is 4 columns away, the sine is negative, and 256^(-2/8) = 1/4.",
        slips={
            ("split-half", 1, 256): "The sine arrives with a minus sign.",
            ("interleaved", -1, 256): "The partner of column 0 is column 4.",
            ("interleaved", 1, 256): "Look at the partner of column 0, and at the sign of its sine.",
            ("split-half", -1, 4): "1/4 is b^(-2/8), not 1/b.",
            ("split-half", -1, 65536): "The exponent of pair 1 is -2/8, not -1/8.",
            ("split-half", -1, 16): "The exponent of pair 1 is -2/8, not -1/2.",
            ("split-half", -1, 10000): "10 000^(-2/8) would be 0.1.",
        },
    )  # fmt: skip


def mended(answer):
    """Exercise 8.3: a function (x, positions, omega) that rotates in the split-half layout."""
    many, few = torch.tensor([5, 0, 300, 2, 2, 41]), torch.tensor([70, 9, 1, 1])
    for shape, positions, base in (((3, 6, 8), many, 10_000), ((4, 12), few, 500)):
        verdict = _mended_once(answer, shape, positions, frequencies(shape[-1], base))
        if not verdict:
            break
    return verdict


def _mended_once(answer, shape, positions, omega):
    """What is to be said of one call: another width, base and shape must serve as well."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(8), dtype=torch.float64)
    ours = called(answer, x, positions, omega)
    if isinstance(ours, Verdict):
        return ours

    def rotated(layout, positions=positions, omega=omega):
        return rotary.rotate(x, rotary.turns(positions, omega, torch.complex128), layout)

    angle = (positions[:, None] * omega).repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    return same(
        ours, rotated("split-half"), within=1e-3,  # angles in float32 will do
        because="Partner and angle now follow one layout.",
        slips={
            "Still faulty: the angles of columns i and i + d/2 differ, so they are no pair.":
                x * angle.cos() + torch.cat([-second, first], dim=-1) * angle.sin(),
            "That is a right RoPE, but in the interleaved layout.": rotated("interleaved"),
            "It turns the other way: the minus sign belongs to the second half.":
                rotated("split-half", omega=-omega),
            "It ignores the positions that it is given.": rotated("split-half", torch.arange(len(positions))),
            "It ignores the frequencies that it is given.":
                rotated("split-half", omega=frequencies(x.shape[-1])),
        },
    )  # fmt: skip


def looks_back(answer):
    """Exercise 8.4: a key whose score with a query of ones is greatest 50 positions before it."""
    if answer is ...:
        return Verdict(False, OPEN)
    try:
        key = torch.as_tensor(answer).detach().to(torch.float64)
    except (TypeError, ValueError, RuntimeError) as problem:
        return Verdict(False, f"The answer cannot be read as numbers: {problem}.")
    if key.shape != (64,):
        return Verdict(False, f"The answer has shape {tuple(key.shape)}; expected shape (64,).")
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

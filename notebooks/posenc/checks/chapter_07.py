"""Exercises of chapter 07, RoPE in the complex plane."""

import cmath
import math

import torch

from posenc import rotary
from posenc.checks import Verdict, called, choice, same

ANGLE = 0.5


def score_by_hand(answer):
    """Exercise 7.1: the score of 1 + 2i at 6 and 3 - i at 3, with quarter turns."""
    q, k = 1 + 2j, 3 - 1j
    return same(
        answer, (q * k.conjugate() * 1j**3).real,
        because="q k* = 1 + 7i, and three quarter turns multiply it by -i.",
        slips={
            "Turned by the wrong angle: three quarter turns forward, by m - n and not by n - m or m + n.":
                (q * k.conjugate() * 1j**-3).real,
            "The key enters conjugated.": (q * k * 1j**3).real,
            "That is the product before the turn.": (q * k.conjugate()).real,
            "That is the imaginary part; the score is the real one.": (q * k.conjugate() * 1j**3).imag,
        },
    )  # fmt: skip


def real_rope(answer):
    """Exercise 7.2: a function (x, positions, angle) that turns pairs of float64 counter-clockwise."""
    x = torch.tensor([[1.0, 0.0], [0.3, -2.0], [1.5, 1.0], [-1.0, 0.5]], dtype=torch.float64)
    positions = torch.tensor([7, 0, 3, -2])
    ours = called(answer, x.clone(), positions.clone(), ANGLE)
    if isinstance(ours, Verdict):
        return ours
    cos, sin = (positions * ANGLE).cos(), (positions * ANGLE).sin()
    a, b = x.unbind(-1)
    return same(
        ours, _turned(x, positions, ANGLE),
        because="Every pair turned by the angle of its own position, also where positions jump.",
        slips={
            "The positions are ignored: token t need not stand at position t.":
                _turned(x, torch.arange(4), ANGLE),
            "This turns clockwise.": _turned(x, -positions, ANGLE),
            "The angle per step is ignored.": _turned(x, positions, 1.0),
            "The minus sign is missing.": torch.stack([a * cos + b * sin, a * sin + b * cos], dim=-1),
            "The second column is overwritten before it is used: keep the first one until both are done.":
                torch.stack([a * cos - b * sin, (a * cos - b * sin) * sin + b * cos], dim=-1),
        },
    )  # fmt: skip


def _turned(x, positions, angle):
    frequencies = torch.tensor([angle], dtype=torch.float64)
    return rotary.rotate(x, rotary.turns(positions, frequencies, torch.complex128))


def _key_turned_back(q, k, m, n):
    return _right(q, k, m, -n)


def _minus_dropped(q, k, m, n):
    def block(z, position):
        cos, sin = math.cos(position * ANGLE), math.sin(position * ANGLE)
        z = complex(z)
        return z.real * cos + z.imag * sin, z.real * sin + z.imag * cos

    return sum(a * b for a, b in zip(block(q, m), block(k, n), strict=True))


def _right(q, k, m, n):
    return (q * cmath.exp(1j * m * ANGLE) * (k * cmath.exp(1j * n * ANGLE)).conjugate()).real


def _conjugate_forgotten(q, k, m, n):
    return (q * cmath.exp(1j * m * ANGLE) * k * cmath.exp(1j * n * ANGLE)).real


def _box(program):
    """Hide the name, which would give the bug away where the box is printed."""

    def score(q, k, m, n):
        return program(q, k, m, n)

    return score


boxes = {
    name: _box(program)
    for name, program in zip(
        "ABCD", (_key_turned_back, _minus_dropped, _right, _conjugate_forgotten), strict=True
    )
}


def diagnosis(answer):
    """Exercise 7.3: {box: "right", "minus", "conjugate" or "key"}."""
    if not isinstance(answer, dict) or set(answer) != set(boxes):
        return Verdict(False, "The answer is a dictionary with the keys A, B, C and D.")
    hints = {
        "A": "it is right at m = n = 0, and one value along constant m + n",
        "B": "it is right at m = n = 0, and constant neither along m - n nor along m + n",
        "C": "it is constant along m - n",
        "D": "at m = n = 0 it scores i against i as -1",
    }
    right = dict(zip(boxes, ("key", "minus", "right", "conjugate"), strict=True))
    for name, word in answer.items():
        slips = {other: f"Look at {name} again: {hints[name]}." for other in right.values()}
        slips.pop(right[name])
        verdict = choice(word, right[name], because="", slips=slips)
        if not verdict:
            return verdict
    return Verdict(True, "The start tells the conjugate, the two kinds of diagonal tell the rest.")


def other_sign(answer):
    """Exercise 7.4: a function m → 2 × 2 that makes q0 k0 - q1 k1 depend on the offset alone."""
    tables = {}
    for m in range(-3, 5):
        value = called(answer, m)
        if isinstance(value, Verdict):
            return value
        try:
            tables[m] = torch.as_tensor(value, dtype=torch.float64)
        except (TypeError, ValueError, RuntimeError) as problem:
            return Verdict(False, f"B({m}) cannot be read as numbers: {problem}.")
        if tables[m].shape != (2, 2) or not tables[m].isfinite().all():
            return Verdict(False, f"B({m}) must be a 2 × 2 table of finite numbers.")
    if not torch.allclose(tables[0], torch.eye(2).double()):
        return Verdict(False, "B(0) must be the identity.")
    if max(abs(tables[1][0, 1]), abs(tables[1][1, 0])) < 1e-6:
        return Verdict(False, "B(1) must mix the two columns.")
    form = torch.diag(torch.tensor([1.0, -1.0])).double()
    products = {(m, n): tables[m].T @ form @ tables[n] for m in tables for n in tables}
    if not torch.allclose(products[1, 1], form, atol=1e-6):
        plain = torch.allclose(tables[1].T @ tables[1], torch.eye(2).double(), atol=1e-6)
        kept = "B(1) keeps q0² + q1². " if plain else ""
        return Verdict(False, f"{kept}With k = q and n = m, q0² - q1² must be what it is at position 0.")
    for m, n in products:
        if (m - 1, n - 1) in products:
            if not torch.allclose(products[m, n], products[m - 1, n - 1], rtol=1e-6, atol=1e-6):
                return Verdict(False, f"The product at ({m}, {n}) differs from that at ({m - 1}, {n - 1}).")
    return Verdict(True, "Lengths in this product are kept, and the steps add up: the offset decides.")

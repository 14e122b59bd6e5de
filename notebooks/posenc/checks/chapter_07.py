"""Exercises of chapter 07, RoPE in the complex plane."""

import cmath
import math

import numpy as np
import torch

from posenc import rotary
from posenc.checks import Verdict, called, exercise, no_function, normal, numbers, said, same, works

ANGLE = 0.5


@exercise
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


def _trials():
    return [
        (normal(4, 2), torch.arange(4), ANGLE),
        (normal(4, 2, seed=1), torch.tensor([7, 0, 3, -2]), ANGLE),
        (normal(3, 2, seed=2), torch.tensor([100, 5, 5]), 0.02),
        (normal(5, 2, seed=3), torch.tensor([0, -1, 2, 9, 4]), -1.3),
    ]


def _turned(x, positions, angle):
    frequencies = torch.tensor([angle], dtype=torch.float64)
    turns = rotary.turns(positions, frequencies.abs(), torch.complex128)
    return rotary.rotate(x, turns if angle >= 0 else turns.conj().resolve_conj())


def _minus_lost(x, positions, angle):
    (a, b), cos, sin = x.unbind(-1), (positions * angle).cos(), (positions * angle).sin()
    return torch.stack([a * cos + b * sin, a * sin + b * cos], dim=-1)


def _overwritten(x, positions, angle):
    (a, b), cos, sin = x.unbind(-1), (positions * angle).cos(), (positions * angle).sin()
    first = a * cos - b * sin
    return torch.stack([first, first * sin + b * cos], dim=-1)


SLIPS = {
    "The positions are ignored: token t need not stand at position t.":
        lambda x, positions, angle: _turned(x, torch.arange(len(x)), angle),
    "This turns clockwise.": lambda x, positions, angle: _turned(x, positions, -angle),
    "The angle per step is ignored.": lambda x, positions, angle: _turned(x, positions, 1.0),
    "The angle per step is the chapter's, and not the argument's.":
        lambda x, positions, angle: _turned(x, positions, ANGLE),
    "The minus sign is missing.": _minus_lost,
    "The second column is computed from the new first one: keep the old one until both are done.":
        _overwritten,
    "Nothing turns: x comes back.": lambda x, positions, angle: x,
}  # fmt: skip


def _turns(answer, because):
    return works(answer, _turned, _trials(), within=1e-4, slips=SLIPS, because=because)


@exercise
def real_rope(answer):
    """Exercise 7.2: a function (x, positions, angle) that turns pairs of float64 counter-clockwise."""
    return _turns(answer, "Every pair turned by the angle of its own position, also where positions jump.")


def _key_turned_back(q, k, m, n):
    return _right(q, k, m, -n)


def _minus_dropped(q, k, m, n, angle=ANGLE):
    def block(z, position):
        cos, sin = math.cos(position * angle), math.sin(position * angle)
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


@exercise
def diagnosis(answer):
    """Exercise 7.3: {box: "right", "minus", "conjugate" or "key"}."""
    if not isinstance(answer, dict) or set(answer) != set(boxes):
        return Verdict(False, "The answer is a dictionary with the keys A, B, C and D.")
    right = dict(zip(boxes, ("key", "minus", "right", "conjugate"), strict=True))
    if any(type(word) is not str or word not in right.values() for word in answer.values()):
        return Verdict(False, "Each of the four is one of the words that the question names.")
    if len(set(answer.values())) < 4:
        return Verdict(False, "Each word belongs to one box.")
    if answer != right:  # to say which one is wrong would answer it
        return Verdict(
            False, "Not all four are right. Score i against i at m = n = 0, then move both by one place."
        )
    return Verdict(True, "The start tells the conjugate, the two kinds of diagonal tell the rest.")


@exercise
def other_sign(answer):
    """Exercise 7.4: a function m → 2 × 2 that makes q0 k0 - q1 k1 depend on the offset alone."""
    unread = no_function(answer)
    if unread is not None:
        return unread
    tables = {}
    for m in range(-7, 8):
        value = called(answer, m)
        if isinstance(value, Verdict):
            return value
        try:
            tables[m] = numbers(value)
        except Exception as problem:
            return Verdict(False, f"B({m}) cannot be read as numbers: {said(problem)}.")
        if tables[m].shape != (2, 2) or np.iscomplexobj(tables[m]):
            return Verdict(False, f"B({m}) must be a 2 × 2 table of real numbers.")
    if not np.allclose(tables[0], np.eye(2), atol=1e-5):
        return Verdict(False, "B(0) must be the identity.")
    if max(abs(tables[1][0, 1]), abs(tables[1][1, 0])) < 1e-6:
        return Verdict(False, "B(1) must mix the two columns.")
    form = np.diag([1.0, -1.0])
    size = {m: np.abs(table).max() for m, table in tables.items()}
    if not np.allclose(tables[1].T @ form @ tables[1], form, atol=1e-5 * size[1] ** 2):
        kept = "B(1) keeps q0² + q1². " if np.allclose(tables[1].T @ tables[1], np.eye(2), atol=1e-5) else ""
        return Verdict(False, f"{kept}With k = q and n = m, q0² - q1² must be what it is at position 0.")
    for m in tables:
        for n in tables:
            if m > -7 and n > -7:
                here, before = (tables[m - s].T @ form @ tables[n - s] for s in (0, 1))
                if np.abs(here - before).max() > 1e-5 * (size[m] * size[n] + size[m - 1] * size[n - 1]):
                    return Verdict(False, f"The product at ({m}, {n}) is not that at ({m - 1}, {n - 1}).")
    return Verdict(True, "Lengths in this product are kept, and the steps add up: the offset decides.")


@exercise
def absorbed(answer):
    """Exercise 7.5: a matrix C that makes a clockwise RoPE of a counter-clockwise one."""
    matrix = same(answer, [[0, 0], [0, 0]], within=1e9, because="")
    if not matrix:
        return matrix
    table = torch.as_tensor(numbers(answer)).reshape(2, 2)
    if table.is_complex():
        return Verdict(False, "The matrix must be real.")
    if abs(torch.linalg.det(table)) < 1e-9:
        return Verdict(False, "The matrix loses a direction: its determinant is 0.")
    q, k = normal(6, 2, seed=1), normal(6, 2, seed=2)
    m, n = torch.tensor([0, 3, 5, 1, 9, 4]), torch.tensor([0, 3, 2, 6, 0, 11])
    ours = (_turned(q @ table.T, m, 0.7) * _turned(k @ table.T, n, 0.7)).sum(-1)
    wanted = (_turned(q, m, -0.7) * _turned(k, n, -0.7)).sum(-1)
    if (ours - wanted).abs().max() < 1e-3:
        return Verdict(True, "A mirror reverses the direction, and a learned matrix can hold it.")
    if (ours - wanted)[:2].abs().max() > 1e-3:
        return Verdict(False, "Where m = n the score is that of q and k as they are: C must keep it.")
    if torch.linalg.det(table) > 0:
        return Verdict(False, "That is a rotation: it goes before or after a turn alike, and reverses none.")
    return Verdict(False, "The scores differ where m and n do.")


def _program(how, angle):
    """A score (q, k, m, n) that is right or wrong in a known way."""

    def turn(position):
        return cmath.exp(1j * position * angle)

    return {
        "right": lambda q, k, m, n: (q * turn(m) * (k * turn(n)).conjugate()).real,
        "shared start": lambda q, k, m, n: (q * turn(m + 3) * (k * turn(n + 3)).conjugate()).real,
        "a key turned back": lambda q, k, m, n: (q * turn(m) * (k * turn(-n)).conjugate()).real,
        "a forgotten conjugate": lambda q, k, m, n: (q * turn(m) * k * turn(n)).real,
        "a key that is not turned": lambda q, k, m, n: (q * turn(m) * complex(k).conjugate()).real,
        "a key one place off": lambda q, k, m, n: (q * turn(m) * (k * turn(n + 1)).conjugate()).real,
        "lengths that grow": lambda q, k, m, n: (
            1.02 ** (m + n) * (q * turn(m - n) * complex(k).conjugate()).real
        ),
        "a lost minus": lambda q, k, m, n: _minus_dropped(q, k, m, n, angle),
    }[how]


@exercise
def sound(answer):
    """Exercise 7.6: a function that tells a right score program from a wrong one."""
    unread = no_function(answer)
    if unread is not None:
        return unread
    cases = [
        ("right", 0.5), ("a key turned back", 0.5), ("right", -1.1), ("a forgotten conjugate", 0.9),
        ("a lost minus", 0.3), ("shared start", 0.7), ("a key that is not turned", 0.4), ("right", 0.01),
        ("a key one place off", 0.6), ("lengths that grow", 0.8),
    ]  # fmt: skip
    for how, angle in cases:
        verdict = called(answer, _box(_program(how, angle)))
        if isinstance(verdict, Verdict):
            return verdict
        if type(verdict) not in (bool, int) and not getattr(verdict, "ndim", None) == 0:
            return Verdict(False, "The function must return True or False.")
        if bool(verdict) and how not in ("right", "shared start"):
            return Verdict(False, f"It says True of a program with {how}.")
        if not bool(verdict) and how in ("right", "shared start"):
            return Verdict(False, "It says False of a right program: rounding, or a demand too many?")
    return Verdict(True, "It tells ten programs apart.")


@exercise
def in_place(answer):
    """Exercise 7.7: as 7.2, for a function that may write into x."""
    return _turns(answer, "Both new columns come from both old ones.")

"""Exercises of chapter 07, RoPE in the complex plane."""

import cmath
import functools
import itertools
import math
import random

from posenc.checks import (
    Verdict, as_bool, call, call_or_refuse, distinct_positions, exercise, extra_trials, normal, plain, read, rotary,
    same, torch, works,
)

ANGLE = 0.5


@exercise
def score_by_hand(answer, q=1 + 2j, k=3 - 1j, m=5, n=4):
    """Exercise 7.1: the score of two pairs, with quarter turns."""
    product, turn = q.conjugate() * k, (1, 1j, -1, -1j)
    quarters = (n - m) % 4
    by = ("1", "i", "-1", "-i")[quarters]
    words = ("no quarter turns multiply", "one quarter turn multiplies", "two quarter turns multiply", "three quarter turns multiply")[quarters]
    sign = "-" if product.imag < 0 else "+"
    return same(answer, {
        f"The conjugate of q times k is {product.real:g} {sign} {abs(product.imag):g}i, and {words} it by {by}.": (product * turn[quarters]).real,
        "Turned by the wrong angle: by n − m, and not by m − n.": (product * turn[-quarters % 4]).real,
        "Turned by the wrong angle: by n − m, and not by m + n.": (product * turn[(m + n) % 4]).real,
        "The query enters conjugated.": (q * k * turn[quarters]).real,
        "That is the product before the turn.": product.real,
        "That is the imaginary part; the score is the real one.": (product * turn[quarters]).imag,
        "That is the product of the two first numbers; each is a pair.": q.real * k.real,
    })


def _trials():
    def trial(dice):
        return normal(6, 2, seed=9), distinct_positions(dice, 6, 30), dice.choice([-1, 1]) * dice.uniform(0.1, 0.9)

    return [
        (normal(4, 2), torch.arange(4), ANGLE),
        (normal(4, 2, seed=1), torch.tensor([7, 0, 3, -2]), ANGLE),
        (normal(3, 2, seed=2), torch.tensor([100, 5, 5]), 0.02),
        (normal(5, 2, seed=3), torch.tensor([0, -1, 2, 9, 4]), -1.3),
        *extra_trials(trial),
    ]


def _turned(x, positions, angle):
    frequencies = torch.tensor([angle], dtype=torch.float64)
    turns = rotary.turns(positions, frequencies.abs(), torch.complex128)
    return rotary.rotate(x, turns if angle >= 0 else turns.conj().resolve_conj())


def _minus_lost(x, positions, angle):
    (a, b), cos, sin = x.unbind(-1), (positions * angle).cos(), (positions * angle).sin()
    return torch.stack([a * cos + b * sin, a * sin + b * cos], dim=-1)


def _exchanged(x, positions, angle):
    (a, b), cos, sin = x.unbind(-1), (positions * angle).cos(), (positions * angle).sin()
    return torch.stack([a * cos - b * sin, a * cos + b * sin], dim=-1)


def _overwritten(x, positions, angle):
    (a, b), cos, sin = x.unbind(-1), (positions * angle).cos(), (positions * angle).sin()
    first = a * cos - b * sin
    return torch.stack([first, first * sin + b * cos], dim=-1)


SLIPS = {
    "The positions are ignored: token t need not stand at position t.": lambda x, positions, angle: _turned(x, torch.arange(len(x)), angle),
    "This turns clockwise.": lambda x, positions, angle: _turned(x, positions, -angle),
    "The angle per step is ignored.": lambda x, positions, angle: _turned(x, positions, 1.0),
    "The angle per step is the chapter's, and not the argument's.": lambda x, positions, angle: _turned(x, positions, ANGLE),
    "In the second column sine and cosine have changed places.": _exchanged,
    "The second column is computed from the new first one: keep the old one until both are done.": _overwritten,
    "Nothing turns: x comes back.": lambda x, positions, angle: x,
}


def _clockwise(function):
    return lambda x, positions, angle: function(x, positions, -angle)


# Whichever way pairs turn, one of the two sines has a minus, and one has none.
SIGNS = {
    "The minus sign is missing: no sine has one.": _minus_lost,
    "A minus sign too many: both sines have one.": _clockwise(_minus_lost),
}


@exercise(tensors=True)
def real_rope(answer):
    """Exercise 7.2: a function (x, positions, angle) that turns pairs of float64 clockwise."""
    slips = SIGNS | {slip: _clockwise(function) for slip, function in SLIPS.items()}
    slips["This turns counter-clockwise."] = slips.pop("This turns clockwise.")
    right = {"Every pair turned by the angle of its own position, also where positions jump.": _clockwise(_turned)}
    return works(answer, _trials(), right | slips, within=1e-4)


def _program(how, angle):
    """A score (q, k, m, n) that is right or wrong in a known way."""

    @functools.cache
    def turn(position):
        return cmath.exp(1j * position * angle)

    def lost(z, position):
        cos, sin, z = math.cos(position * angle), math.sin(position * angle), complex(z)
        return complex(z.real * cos + z.imag * sin, z.real * sin + z.imag * cos)

    product = {
        "right": lambda q, k, m, n: (q * turn(m)).conjugate() * k * turn(n),
        "shared start": lambda q, k, m, n: (q * turn(m + 3)).conjugate() * k * turn(n + 3),
        "a key turned back": lambda q, k, m, n: (q * turn(m)).conjugate() * k * turn(-n),
        "a forgotten conjugate": lambda q, k, m, n: q * turn(m) * k * turn(n),
        "a key that is not turned": lambda q, k, m, n: (q * turn(m)).conjugate() * k,
        "a key one place off": lambda q, k, m, n: (q * turn(m)).conjugate() * k * turn(n + 1),
        "lengths that grow": lambda q, k, m, n: 1.02 ** (m + n) * complex(q).conjugate() * k * turn(n - m),
        "a lost minus": lambda q, k, m, n: lost(q, m).conjugate() * lost(k, n),
        "the other part": lambda q, k, m, n: 1j * (q * turn(m)).conjugate() * k * turn(n),
    }[how]

    def score(q, k, m, n):  # of any program: a name would give the bug away where it is printed
        return product(q, k, m, n).real

    return score


PROGRAMS = {"key": "a key turned back", "minus": "a lost minus", "right": "right", "conjugate": "a forgotten conjugate"}
BOXES = {"A": "key", "B": "minus", "C": "right", "D": "conjugate"}
boxes = {name: _program(PROGRAMS[kind], ANGLE) for name, kind in BOXES.items()}


@exercise
def diagnosis(answer):
    """Exercise 7.3: {box: "right", "minus", "conjugate" or "key"}."""
    if not isinstance(answer, dict) or set(answer) != set(BOXES):
        return Verdict(False, "The answer is a dictionary with the keys A, B, C and D.")
    answer = {box: plain(word) for box, word in answer.items()}
    if any(type(word) is not str or word not in PROGRAMS for word in answer.values()):
        return Verdict(False, "Each of the four is one of the words that the question names.")
    if len(set(answer.values())) < 4:
        return Verdict(False, "Each word belongs to one box.")
    if answer != BOXES:  # to say which one is wrong would answer it
        return Verdict(False, "Not all four are right. Score i against i at m = n = 0, then move both by one place.")
    return Verdict(True, "The start tells the conjugate, the two kinds of diagonal tell the rest.")


@exercise
def other_sign(answer):
    """Exercise 7.4: a function m → 2 × 2 that makes q0 k0 - q1 k1 depend on the offset alone."""
    tables = {}  # A(m), row by row

    def product(m, n, sign=-1):
        """A(m)ᵀ diag(1, sign) A(n), row by row."""
        a, b = tables[m], tables[n]
        return [a[i] * b[j] + sign * a[2 + i] * b[2 + j] for i in (0, 1) for j in (0, 1)]

    def gap(a, b):
        return max(abs(x - y) for x, y in zip(a, b, strict=True))

    for m in range(-7, 8):
        tables[m], shape = read(call_or_refuse(answer, m), f"A({m})")
        if shape != (2, 2) or complex in map(type, tables[m]):
            return Verdict(False, f"A({m}) must be a 2 × 2 table of real numbers.")
    if gap(tables[0], [1, 0, 0, 1]) > 1e-5:
        return Verdict(False, "A(0) must be the identity.")
    if max(map(abs, tables[1][1:3])) < 1e-6:
        return Verdict(False, "A(1) must mix the two columns.")
    size = {m: max(map(abs, table)) for m, table in tables.items()}
    if gap(product(1, 1), [1, 0, 0, -1]) > 1e-5 * size[1] ** 2:
        kept = "A(1) keeps q0² + q1². " if gap(product(1, 1, sign=1), [1, 0, 0, 1]) < 1e-5 else ""
        return Verdict(False, f"{kept}With k = q and n = m, q0² − q1² must be what it is at position 0.")
    for m in tables:
        for n in tables:
            if m > -7 and n > -7:
                sizes = size[m] * size[n] + size[m - 1] * size[n - 1]
                if gap(product(m, n), product(m - 1, n - 1)) > 1e-5 * sizes:
                    return Verdict(False, f"The product at ({m}, {n}) is not that at ({m - 1}, {n - 1}).")
    return Verdict(True, "Lengths in this product are kept, and the steps add up: the offset decides.")


@exercise
def absorbed(answer):
    """Exercise 7.5: a matrix W, with the first row (0.6, 0.8), that makes a clockwise RoPE of a counter-clockwise one."""
    entries, shape = read(answer)
    if shape != (2, 2):
        return Verdict(False, f"The answer has shape {shape}; expected shape (2, 2).")
    if complex in map(type, entries):
        return Verdict(False, "The matrix must be real.")
    a, b, c, d = entries
    if abs(a * d - b * c) < 1e-9:
        return Verdict(False, "The matrix loses a direction: its determinant is 0.")
    if max(abs(a - 0.6), abs(b - 0.8)) > 1e-3:
        return Verdict(False, "Its first row is not the one that the question gives.")

    def through(z):
        return complex(a * z.real + b * z.imag, c * z.real + d * z.imag)

    dice, gaps, score = random.Random(0), [], _program("right", ANGLE)
    for m, n in ((0, 0), (3, 3), (5, 2), (1, 6), (9, 0), (4, 11)):
        q, k = (complex(dice.gauss(), dice.gauss()) for _ in range(2))
        gaps.append(abs(score(through(q), through(k), m, n) - score(q, k, -m, -n)))
    if max(gaps) < 1e-2:
        return Verdict(True, "A mirror reverses the direction, and a learned matrix can hold it.")
    if max(gaps[:2]) > 1e-3:
        return Verdict(False, "Where m = n the score is that of q and k as they are: W must keep it.")
    if a * d > b * c:
        return Verdict(False, "That is a rotation: it goes before or after a turn alike, and reverses none.")
    return Verdict(False, "The scores differ where m and n do.")


CALLS = 2000  # of a program that `sound` is to judge, as the question says


def _counted(program):
    """A program that refuses more calls than these, and their counter."""
    calls = itertools.count(1)

    def score(*arguments):
        if next(calls) > CALLS:
            raise RuntimeError(f"called more than {CALLS} times")
        return program(*arguments)

    return score, calls


@exercise
def sound(answer):
    """Exercise 7.6: a function that tells a right score program from a wrong one."""
    cases = [
        ("a key turned back", 0.5),
        ("a forgotten conjugate", 0.9),
        ("a lost minus", 0.3),
        ("right", -1.1),
        ("a key that is not turned", 0.4),
        ("a key one place off", 0.6),
        ("lengths that grow", 0.8),
        ("shared start", 0.7),
        ("right", 0.01),
        ("the other part", 0.5),
    ]
    kinds = [how for how, _ in cases]
    cases += extra_trials(lambda dice: (dice.choice(kinds), dice.uniform(0.1, 1.2)), 6)
    for how, angle in cases:
        program, calls = _counted(_program(how, angle))
        verdict = call(answer, program)
        if next(calls) > CALLS + 1:
            return Verdict(False, f"It calls a program more than {CALLS} times: a few positions will do.")
        says = as_bool(verdict)
        if says and how not in ("right", "shared start"):
            return Verdict(False, f"It says True of a program with {how}.")
        if not says and how in ("right", "shared start"):
            return Verdict(False, "It says False of a right program: rounding, or a demand too many?")
    return Verdict(True, "It tells ten programs apart.")


@exercise(tensors=True)
def in_place(answer):
    """Exercise 7.7: as 7.2, counter-clockwise, for a function that may write into x."""
    return works(answer, _trials(), {"Both new columns come from both old ones.": _turned, **SIGNS | SLIPS}, within=1e-4)

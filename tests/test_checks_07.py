"""The checkers of chapter 07 accept right answers and name the slip behind plausible wrong ones."""

import math

import pytest
import torch

from posenc.checks import OPEN
from posenc.checks import chapter_07 as check


def turned(sign=1, rate=None, own=True, minus=-1):
    """Rotation in real form; the arguments put one slip each into it."""

    def rope(x, positions, angle):
        places = positions if own else torch.arange(len(x))
        angles = sign * places * (angle if rate is None else rate)
        a, b = x.unbind(-1)
        cos, sin = angles.cos(), angles.sin()
        return torch.stack([a * cos + minus * b * sin, a * sin + b * cos], dim=-1)

    return rope


def overwritten(x, positions, angle):
    a, b = x.clone().unbind(-1)
    cos, sin = (positions * angle).cos(), (positions * angle).sin()
    a = a * cos - b * sin
    return torch.stack([a, a * sin + b * cos], dim=-1)


def boost(m, rate=0.7):
    return [[math.cosh(m * rate), math.sinh(m * rate)], [math.sinh(m * rate), math.cosh(m * rate)]]


def rotation(m, rate=0.7):
    return [[math.cos(m * rate), -math.sin(m * rate)], [math.sin(m * rate), math.cos(m * rate)]]


DIAGNOSIS = {"A": "key", "B": "minus", "C": "right", "D": "conjugate"}


@pytest.mark.parametrize(
    ("checker", "answer"),
    [
        (check.score_by_hand, 7),
        (check.real_rope, turned()),
        (check.diagnosis, DIAGNOSIS),
        (check.other_sign, boost),
        (check.other_sign, lambda m: boost(m, -0.2)),
    ],
)
def test_right_answers_are_accepted(checker, answer):
    verdict = checker(answer)
    assert verdict, verdict


@pytest.mark.parametrize(
    ("checker", "answer", "hint"),
    [
        (check.score_by_hand, -7, "wrong angle"),
        (check.score_by_hand, 1, "before the turn"),
        (check.score_by_hand, ((1 + 2j) * (3 - 1j) * 1j**3).real, "conjugated"),
        (check.score_by_hand, -1, "imaginary part"),
        (check.real_rope, turned(sign=-1), "clockwise"),
        (check.real_rope, turned(own=False), "positions are ignored"),
        (check.real_rope, turned(rate=1.0), "angle per step is ignored"),
        (check.real_rope, turned(minus=1), "minus sign is missing"),
        (check.real_rope, overwritten, "overwritten"),
        (check.real_rope, lambda x, positions: x, "raises TypeError"),
        (check.diagnosis, DIAGNOSIS | {"A": "right"}, "Look at A again"),
        (check.diagnosis, DIAGNOSIS | {"C": "key"}, "Look at C again"),
        (check.diagnosis, {"A": "key"}, "keys A, B, C and D"),
        (check.other_sign, rotation, "keeps q0² \\+ q1²"),
        (check.other_sign, lambda m: [[1.0, 0.0], [0.0, 1.0]], "must mix"),
        (check.other_sign, lambda m: boost(m * abs(m)), "differs from that at"),
        (check.other_sign, lambda m: boost(m + 1), "identity"),
        (check.other_sign, lambda m: [1.0, 2.0], "2 × 2 table"),
    ],
)
def test_plausible_wrong_answers_get_a_hint(checker, answer, hint):
    verdict = checker(answer)
    assert not verdict
    assert hint.replace("\\", "") in repr(verdict)


@pytest.mark.parametrize("checker", [check.score_by_hand, check.real_rope, check.other_sign])
def test_an_open_exercise_says_so(checker):
    assert repr(checker(...)) == OPEN


def test_the_boxes_hide_their_names():
    assert len({repr(box).split(" at ")[0] for box in check.boxes.values()}) == 1

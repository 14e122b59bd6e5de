"""The checkers of chapter 07 accept the right answer and reject plausible wrong ones."""

import math

import pytest
import torch
from verdicts import accepts, names_the_slip

from posenc.checks import OPEN
from posenc.checks import chapter_07 as check


def pair(x, positions, angle, *, minus=-1):
    (a, b), turn = x.unbind(-1), positions * angle
    return torch.stack([a * turn.cos() + minus * b * turn.sin(), a * turn.sin() + b * turn.cos()], -1)


def overwritten(x, positions, angle):
    (a, b), turn = x.clone().unbind(-1), positions * angle
    a = a * turn.cos() - b * turn.sin()
    return torch.stack([a, a * turn.sin() + b * turn.cos()], -1)


def boost(m):
    return [[math.cosh(0.7 * m), math.sinh(0.7 * m)], [math.sinh(0.7 * m), math.cosh(0.7 * m)]]


def block(m, sign):
    return [[math.cos(m), sign * math.sin(m)], [math.sin(m), math.cos(m)]]


RIGHT = {"A": "key", "B": "minus", "C": "right", "D": "conjugate"}


test_right_answers_are_accepted = accepts(
    (check.score_by_hand, 7),
    (check.real_rope, pair),
    (check.diagnosis, RIGHT),
    (check.other_sign, boost),
    (check.other_sign, lambda m: torch.tensor(boost(-m))),
)


test_plausible_wrong_answers_get_a_hint = names_the_slip(
    (check.score_by_hand, -7, "wrong angle"),
    (check.score_by_hand, 5, "conjugated"),
    (check.score_by_hand, 1, "before the turn"),
    (check.score_by_hand, -1, "imaginary part"),
    (check.score_by_hand, 3, "1 of 1 numbers"),
    (check.real_rope, lambda x, at, angle: pair(x, torch.arange(len(x)), angle), "ignored"),
    (check.real_rope, lambda x, at, angle: pair(x, -at, angle), "clockwise"),
    (check.real_rope, lambda x, at, angle: pair(x, at, 1.0), "angle per step"),
    (check.real_rope, lambda x, at, angle: pair(x, at, angle, minus=1), "minus sign"),
    (check.real_rope, overwritten, "overwritten"),
    (check.real_rope, lambda x, at, angle: x, "numbers differ"),
    (check.real_rope, lambda x: x, "raises TypeError"),
    (check.diagnosis, RIGHT | {"A": "minus"}, "Look at A"),
    (check.diagnosis, RIGHT | {"B": "key"}, "Look at B"),
    (check.diagnosis, RIGHT | {"C": "conjugate"}, "Look at C"),
    (check.diagnosis, RIGHT | {"D": "key"}, "Look at D"),
    (check.diagnosis, RIGHT | {"D": "layout"}, "Choose one of"),
    (check.diagnosis, "key", "dictionary"),
    (check.other_sign, lambda m: block(m, -1), "keeps q0² + q1²"),
    (check.other_sign, lambda m: block(m, 1), "q0² - q1² must be"),
    (check.other_sign, lambda m: boost(m * m), "differs from"),
    (check.other_sign, lambda m: boost(m + 1), "B(0)"),
    (check.other_sign, lambda m: [[1, 0], [0, 1]], "mix"),
    (check.other_sign, lambda m: [1, 0], "2 × 2"),
    (check.other_sign, lambda m: "cosh", "cannot be read"),
    (check.other_sign, lambda m: 1 / 0, "raises ZeroDivisionError"),
)


@pytest.mark.parametrize(
    ("checker", "answer"),
    [
        (check.score_by_hand, ...),
        (check.real_rope, ...),
        (check.real_rope, lambda x, positions, angle: ...),
        (check.diagnosis, dict.fromkeys("ABCD", ...)),
        (check.other_sign, lambda m: None),
    ],
)
def test_an_open_exercise_says_so_and_does_not_raise(checker, answer):
    assert repr(checker(answer)) == OPEN


def test_the_names_of_the_boxes_do_not_give_the_bugs_away():
    assert {box.__name__ for box in check.boxes.values()} == {"score"}

"""The checkers of chapter 02 accept the right answer and reject plausible wrong ones."""

import math

import pytest

from posenc.checks import OPEN
from posenc.checks import chapter_02 as check


@pytest.mark.parametrize(
    ("checker", "answer"),
    [
        (check.bits_changed, 11),
        (check.doubling_base, 65536),
        (check.squared_distance, 3.9809),
        (check.failed_test, "evenly_spaced"),
    ],
)
def test_right_answers_are_accepted(checker, answer):
    verdict = checker(answer)
    assert verdict
    assert repr(verdict).startswith("Right. ")


@pytest.mark.parametrize(
    ("checker", "answer", "hint"),
    [
        (check.bits_changed, 10, "One more"),
        (check.bits_changed, 1, "compare their bits"),
        (check.bits_changed, math.sqrt(11), "its square"),
        (check.bits_changed, 2, "1 of 1 numbers"),
        (check.doubling_base, 2**32, "not 1/d"),
        (check.doubling_base, 256, "width 16"),
        (check.doubling_base, 2, "whole width"),
        (check.doubling_base, 10_000, "below 2"),
        (check.squared_distance, math.sqrt(3.9809), "its square"),
        (check.squared_distance, 2 - 2 * math.cos(3), "first alone"),
        (check.squared_distance, 2 - math.cos(3) - math.cos(0.03), "factor 2"),
        (check.squared_distance, math.cos(3) + math.cos(0.03), "dot product"),
        (check.squared_distance, 2 * (2 - 2 * math.cos(3)), "1 of 1 numbers"),
        (check.failed_test, "unique", "all sixteen"),
        (check.failed_test, "open_ended", "every position"),
        (check.failed_test, "spacing", "Choose one of"),
    ],
)
def test_plausible_wrong_answers_get_a_hint(checker, answer, hint):
    verdict = checker(answer)
    assert not verdict
    assert hint in repr(verdict)


def test_an_open_exercise_says_so_and_does_not_raise():
    assert repr(check.bits_changed(...)) == repr(check.failed_test(...)) == OPEN

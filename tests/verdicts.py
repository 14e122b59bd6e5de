"""What the checkers of every chapter must do. Each maker takes the cases of a chapter and returns a test."""

import pytest

from posenc.checks import OPEN


def judged(verdict, hint):
    """No hint means that the answer is right."""
    if hint is None:
        assert verdict
        assert repr(verdict).startswith("Right. ")
    else:
        assert not verdict
        assert hint in repr(verdict)


def accepts(*cases):
    """A test that each (checker, answer) is right."""

    @pytest.mark.parametrize(("checker", "answer"), cases)
    def test(checker, answer):
        judged(checker(answer), None)

    return test


def names_the_slip(*cases):
    """A test that each (checker, answer, hint) is wrong, and that the verdict gives the hint."""

    @pytest.mark.parametrize(("checker", "answer", "hint"), cases)
    def test(checker, answer, hint):
        judged(checker(answer), hint)

    return test


def leaves_open(*checkers):
    """A test that an exercise without an answer says so, and does not raise."""

    @pytest.mark.parametrize("checker", checkers)
    def test(checker):
        assert not checker(...)
        assert repr(checker(...)) == OPEN

    return test

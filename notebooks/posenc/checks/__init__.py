"""Checkers for the exercises: one module a chapter, `chapter_05` for chapter 05.

A checker compares an answer with what it computes itself, names the slip behind a plausible wrong
answer, and never shows the right one. It returns a `Verdict`; it does not raise, so that a notebook
with open exercises still runs from start to end.
"""

from collections.abc import Hashable

import numpy as np

from posenc.numeric import as_array

OPEN = "Not answered yet: put your answer in place of the three dots."


class Verdict:
    """Right or not, and why; true in a condition exactly if the answer is right."""

    def __init__(self, right, message):
        self.right, self.message = right, message

    def __bool__(self):
        return self.right

    def __repr__(self):
        return OPEN if self.message == OPEN else ("Right. " if self.right else "Not yet. ") + self.message


def same(answer, expected, *, within=1e-6, because, slips=None):
    """Compare an answer with the expected values.

    answer: number, table, tensor or SymPy matrix. because: the sentence that a right answer earns.
    slips: {what went wrong: the value that this slip gives}, for plausible wrong answers.
    """
    if answer is ...:
        return Verdict(False, OPEN)
    try:
        ours, target = as_array(answer, "answer"), as_array(expected, "expected")
    except (AssertionError, TypeError, ValueError) as problem:
        return Verdict(False, f"The answer cannot be read as numbers: {problem}.")
    if ours.shape != target.shape:
        return Verdict(False, f"The answer has shape {ours.shape}; expected shape {target.shape}.")
    if np.abs(ours - target).max() <= within:
        return Verdict(True, because)
    for slip, value in (slips or {}).items():
        value = as_array(value, slip)
        if value.shape == ours.shape and np.abs(ours - value).max() <= within:
            return Verdict(False, slip)
    wrong = int((np.abs(ours - target) > within).sum())
    return Verdict(False, f"{wrong} of {target.size} numbers differ by more than {within:g}.")


def choice(answer, expected, *, because, slips):
    """Compare a chosen word with the expected one. slips: {other choice: what speaks against it}."""
    if answer is ...:
        return Verdict(False, OPEN)
    if answer == expected:
        return Verdict(True, because)
    options = ", ".join(repr(option) for option in sorted([expected, *slips], key=str))
    hint = slips.get(answer) if isinstance(answer, Hashable) else None
    return Verdict(False, hint or f"Choose one of {options}.")


def called(function, *arguments):
    """What the reader's function returns, or a Verdict where there is nothing to compare."""
    if function is ...:
        return Verdict(False, OPEN)
    try:
        value = function(*arguments)
    except Exception as problem:  # the reader's code may fail in any way
        return Verdict(False, f"The function raises {type(problem).__name__}: {problem}.")
    return Verdict(False, OPEN) if value is None or value is ... else value

"""The checkers take right answers, name the slip behind wrong ones, and never raise."""

import importlib
import inspect
import math
import re

import numpy as np
import pytest
import sympy as sp
import torch

from coursebook.content import checker_for, with_exercises
from coursebook.teach import exercises as course
from coursebook.teach.exercises import evaluate
from posenc import checks
from posenc.checks import FORGOTTEN, NOTHING, OPEN, Verdict

ASKED = {
    chapter.checks: [exercise.checker for exercise in chapter.exercises if exercise.checker]
    for chapter in with_exercises()
}
CASES = [(chapter, name) for chapter, names in ASKED.items() for name in names]
BARE = re.compile(r"\d+ of \d+ numbers differ|This is not the number")
# What arrives by a slip.
JUNK = [
    object, Verdict(True, "me"), lambda *a: Verdict(True, "me"), lambda *a: 1 / 0, lambda *a: exit(1), print, {1},
    lambda *a, **k: a, lambda *a: lambda *b: b, lambda *a: math.nan, lambda *a: [[1, 2], [3]], lambda *a: torch.ones(0),
    float("nan"), float("inf"), 10**400, complex("nan"), True, "", "…", "1/5", b"1", "a" * 10**5, [], {}, iter([1]),
    [[1, 2], [3]], [1, ...], {"A": None}, np.array([None]), np.array([1, "2"], dtype=object), np.ma.masked,
    torch.tensor([]), torch.tensor([math.nan]), torch.ones(2, 2).to_sparse(), torch.ones(3, requires_grad=True),
    torch.ones(2, device="meta"), torch.float32, sp.Symbol("x"), sp.oo, sp.nan, sp.I, sp.Matrix([[sp.Symbol("x")]]),
    sp.Function("f"), ValueError, NotImplemented,
]  # fmt: skip
for_each_exercise = pytest.mark.parametrize(("chapter", "name"), CASES)


@for_each_exercise
def test_answers_on_file_are_judged_and_wrong_ones_are_told_why(chapter, name):
    """An exercise has two right and six wrong answers on file."""
    judge, on_file = checker_for(chapter, name), course.entry_for(chapter, "ANSWERS", name)
    for kind, least in (("right", 2), ("wrong", 6)):
        count = len(set(on_file[kind]))
        assert count >= least, f"{name} of {chapter} has {count} {kind} answers on file: ANSWERS needs at least {least}"
    for source in on_file["right"]:
        verdict = judge(evaluate(source))
        assert verdict.right is True, f"{source}: {verdict}"
        assert repr(verdict).startswith("Right. ")
        assert judge(evaluate(source), hidden=4711).right, f"{source} fails with hidden trials"
    for source, hint in on_file["wrong"].items():
        verdict = judge(evaluate(source))
        assert verdict.right is False, f"{source} passes"
        assert hint in repr(verdict), f"{source}: {verdict}"
        assert not BARE.match(verdict.message), f"{source}: no slip is named: {verdict}"


def test_what_nobody_foresaw_is_said_in_numbers():
    answers = {"1 of 2 numbers differ by more": [0.5, 2.48], "in another order": [2.468, 0.5], "too early": [0.5, 2.47]}
    for message, answer in answers.items():
        assert message in checks.same(answer, {"": [0.5, 2.468]}, within=1e-3).message


@pytest.mark.parametrize("chapter", sorted({*ASKED, *course.CHAPTERS}))
def test_no_part_is_left_without_its_exercise(chapter):
    module = importlib.import_module(f"posenc.checks.{chapter}")
    parts = {f"{table} of exercises/{chapter}.py": course.table(chapter, table) for table in ("RULES", "ANSWERS")}
    parts[f"posenc/checks/{chapter}.py"] = [name for name, thing in vars(module).items() if hasattr(thing, "exercise")]
    for place, names in parts.items():
        left = set(names) - set(ASKED.get(chapter, ()))
        assert not left, f"{place} has {left}, which no exercise asks: delete it there, or write its exercise"


@for_each_exercise
def test_a_checker_takes_the_arguments_that_its_rule_varies_and_no_others(chapter, name):
    rule = course.table(chapter, "RULES").get(name)
    _, *options = inspect.signature(checker_for(chapter, name)).parameters
    assert set(options) == (set(rule.values) if rule else set())


def test_a_forgotten_return_is_not_an_open_answer():
    assert repr(checks.call(lambda x: None, 1)).endswith(FORGOTTEN)
    assert repr(checks.call(lambda x: ..., 1)) == OPEN
    exec("def blank(x): ...", space := {})
    assert repr(checks.call(space["blank"], 1)) == OPEN


@for_each_exercise
def test_what_is_open_is_called_open_and_junk_raises_nothing_and_earns_nothing(chapter, name):
    judge = checker_for(chapter, name)
    assert repr(judge(...)) == repr(judge()) == OPEN
    assert repr(judge(None)).endswith(NOTHING)
    for number, answer in enumerate(JUNK):
        verdict = judge(answer)
        assert type(verdict) is Verdict, number
        assert verdict.right is False, f"number {number} of JUNK is right here: {name} should ask for a rarer value"
        assert repr(verdict)


def test_the_stop_button_ends_a_checker_for():
    def stopped(*arguments):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checker_for("chapter_06", "embed")(stopped)


def test_a_refusal_names_no_choice_and_points_at_none():
    """The choices stand in the question: what an answer does not know, a refusal must not tell."""
    assert "b" not in repr(checker_for("chapter_06", "which_h")(("?", math.sqrt(5)))).split("?")[-1].split()
    assert "evenly" not in repr(checker_for("chapter_02", "failed_test")(("?", 0.068)))
    module = importlib.import_module("posenc.checks.chapter_01")
    right = {case: module.symmetry_of(case) for case in module.ASKED}
    altered = [{**right, case: "invariant" if word == "neither" else "neither"} for case, word in right.items()]
    assert len({repr(module.symmetry(answer)) for answer in altered}) == 1  # or a try for each word would do
    boxes = importlib.import_module("posenc.checks.chapter_07").boxes
    assert {box.__name__ for box in boxes.values()} == {"score"}

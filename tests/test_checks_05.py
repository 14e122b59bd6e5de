"""The checkers of chapter 05 accept the right answer and reject plausible wrong ones."""

import math

from verdicts import accepts, leaves_open, names_the_slip

from posenc.checks import chapter_05 as check


def row(position, slow):
    return [math.sin(position), math.cos(position), math.sin(slow), math.cos(slow)]


test_right_answers_are_accepted = accepts(
    (check.row_six, row(6, 0.06)),
    (check.row_six, [-0.2794, 0.9602, 0.06, 0.9982]),
    (check.two_frequencies, [1, 0.1]),
    (check.closest_offset, 19),
    (check.which_base, 1000.0),
)


test_plausible_wrong_answers_get_a_hint = names_the_slip(
    (check.row_six, row(6, 6 / math.sqrt(10)), "not at 10"),
    (check.row_six, row(6, 6), "repeats the first"),
    (check.row_six, row(6, 6 / 10_000), "doubled"),
    (check.row_six, [math.cos(6), math.sin(6), math.cos(0.06), math.sin(0.06)], "Sine comes first"),
    (check.row_six, row(math.radians(6), math.radians(0.06)), "radians"),
    (check.row_six, row(7, 0.07), "4 of 4 numbers"),
    (check.row_six, [0.1, 0.2], "shape"),
    (check.row_six, "six", "cannot be read"),
    (check.two_frequencies, [1, 0.01], "not -1"),
    (check.two_frequencies, [1, 10], "inverses"),
    (check.closest_offset, 6, "first return"),
    (check.closest_offset, 44, "Choose one of"),
    (check.closest_offset, [19], "Choose one of"),
    (check.which_base, 10_000, "0.0100"),
    (check.which_base, math.sqrt(1000), "square root"),
)


test_an_open_exercise_says_so_and_does_not_raise = leaves_open(
    check.row_six, check.two_frequencies, check.closest_offset, check.which_base
)

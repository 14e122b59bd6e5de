"""The checkers of chapter 02 accept the right answer and reject plausible wrong ones."""

import math

from verdicts import accepts, leaves_open, names_the_slip

from posenc.checks import chapter_02 as check

test_right_answers_are_accepted = accepts(
    (check.bits_changed, 11),
    (check.doubling_base, 65536),
    (check.squared_distance, 3.9809),
    (check.failed_test, "evenly_spaced"),
    (check.failed_test, "Evenly spaced"),
    (check.neighbours_apart, 0.0015),
    (check.neighbours_apart, 2 * math.pi / 4096),
)


test_plausible_wrong_answers_get_a_hint = names_the_slip(
    (check.bits_changed, 10, "One more"),
    (check.bits_changed, 1, "compare their bits"),
    (check.bits_changed, math.sqrt(11), "its square"),
    (check.bits_changed, 2, "1 of 1 numbers"),
    (check.doubling_base, 2**32, "not 1/d"),
    (check.doubling_base, 256, "width 16"),
    (check.doubling_base, 2, "whole width"),
    (check.doubling_base, 10_000, "below 2"),
    (check.squared_distance, math.sqrt(3.9809), "its square"),
    (check.squared_distance, 2 - 2 * math.cos(3), "first pair alone"),
    (check.squared_distance, 2 - math.cos(3) - math.cos(0.03), "factor 2"),
    (check.squared_distance, math.cos(3) + math.cos(0.03), "dot product"),
    (check.squared_distance, 2 * (2 - 2 * math.cos(3)), "1 of 1 numbers"),
    (check.failed_test, "unique", "all sixteen"),
    (check.failed_test, "open_ended", "every position"),
    (check.failed_test, "spacing", "Choose one of"),
    (check.failed_test, "well_separated", "apart"),
    (check.failed_test, "farther looks farther", "slow columns"),
    (check.squared_distance, 2 - 2 * math.cos(3) + 2 - 2 * math.cos(3e-4), "doubled"),
    (check.neighbours_apart, 1 / 4096, "4096"),
    (check.neighbours_apart, 0.0, "squared"),
    (check.neighbours_apart, math.sin(math.pi / 4096), "half"),
)


test_an_open_exercise_says_so_and_does_not_raise = leaves_open(
    check.bits_changed,
    check.doubling_base,
    check.squared_distance,
    check.failed_test,
    check.neighbours_apart,
)

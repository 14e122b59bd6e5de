"""The checkers of chapter 06 accept the right answer and reject plausible wrong ones."""

from verdicts import accepts, leaves_open, names_the_slip

from posenc.checks import chapter_06 as check


def root(rows):
    return rows.shape[-1] ** 0.5


test_right_answers_are_accepted = accepts(
    (check.gradient_column, [3, 3, 2, 2, 2, 0, 0, 0]),
    (check.embed, lambda rows, code: rows * root(rows) + code),
    (check.embed, lambda rows, code: (rows + code / root(rows)) * root(rows)),
    (check.which_h, "b"),
)


test_plausible_wrong_answers_get_a_hint = names_the_slip(
    (check.gradient_column, [1, 1, 1, 1, 1, 0, 0, 0], "summed over"),
    (check.gradient_column, [1, 1, 2 / 3, 2 / 3, 2 / 3, 0, 0, 0], "not a mean"),
    (check.gradient_column, [3, 3, 3, 3, 3, 0, 0, 0], "Padding"),
    (check.gradient_column, [3, 3, 3, 2, 2, 2, 0, 0], "not row 2"),
    (check.gradient_column, [3, 3, 2, 2, 2, 2, 2, 2], "receive nothing"),
    (check.gradient_column, [3, 3, 2, 2, 2], "shape"),
    (check.embed, lambda rows, code: (rows + code) * root(rows), "still scaled"),
    (check.embed, lambda rows, code: rows / root(rows) + code, "not shrink"),
    (check.embed, lambda rows, code: rows + code * root(rows), "code is scaled"),
    (check.embed, lambda rows, code: rows * rows.shape[-1] + code, "not by the width"),
    (check.embed, lambda rows, code: rows + code, "factor is missing"),
    (check.embed, lambda rows, code: rows @ code, "raises RuntimeError"),
    (check.embed, "rows", "raises TypeError"),
    (check.which_h, "a", "within a pair"),
    (check.which_h, "c", "sin ω"),
    (check.which_h, "d", "cos ω"),
    (check.which_h, "e", "Choose one of"),
)


test_an_open_exercise_says_so_and_does_not_raise = leaves_open(
    check.gradient_column, check.embed, check.which_h
)

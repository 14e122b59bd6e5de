"""The checkers of chapter 04: the right answer passes, each plausible slip is named."""

import math

import torch
from verdicts import accepts, leaves_open, names_the_slip

from posenc.checks import chapter_04 as check


def turn(angle):
    cos, sin = math.cos(angle), math.sin(angle)
    return torch.tensor([[cos, sin], [-sin, cos]])


def split(first, second):
    """Two blocks in the column order sin, sin, cos, cos."""
    order = [0, 2, 1, 3]
    return torch.block_diag(turn(first), turn(second))[order][:, order]


RIGHT = [
    (check.three_on, turn(0.3)),
    (check.net_offset, 8),
    (check.split_matrix, split(2, 0.02)),
    (check.look_ahead, [math.cos(1), -math.sin(1)]),
    (check.moved_on, [2, 16, 200]),
]
WRONG = [
    (check.three_on, turn(-0.3), "other way"),
    (check.three_on, turn(3), "frequency is lost"),
    (check.three_on, turn(0.1), "offset is lost"),
    (check.three_on, turn(math.radians(0.3)), "radians"),
    (check.three_on, turn(0.3).flip(0), "rows are swapped"),
    (check.three_on, turn(0.3).flatten(), "shape"),
    (check.three_on, [[1, 0], [0, 1]], "numbers differ"),
    (check.net_offset, 12, "turns back"),
    (check.net_offset, 6, "three steps"),
    (check.net_offset, 10, "without effect"),
    (check.net_offset, 42, "Offsets add"),
    (check.net_offset, 2, "forward"),
    (check.split_matrix, torch.block_diag(turn(2), turn(0.02)), "Blocks on the diagonal"),
    (check.split_matrix, split(-2, -0.02), "shifts by -2"),
    (check.split_matrix, split(0.02, 2), "changed places"),
    (check.split_matrix, split(1, 0.01), "offset is lost"),
    (check.split_matrix, split(2, 2), "frequency of its own"),
    (check.look_ahead, [math.cos(1), math.sin(1)], "two places back"),
    (check.look_ahead, [math.cos(2), -math.sin(2)], "frequency is lost"),
    (check.look_ahead, [1, 0], "β = 0"),
    (check.look_ahead, [-math.cos(1), math.sin(1)], "opposite way"),
    (check.look_ahead, [-math.sin(1), math.cos(1)], "changed places"),
    (check.moved_on, [2, 0.25, 0.02], "true shift"),
    (check.moved_on, [1, 8, 100], "k = 1"),
    (check.moved_on, [2, 2, 2], "same for all"),
    (check.moved_on, [0, 14, 198], "too far"),
]


test_right_answers_pass = accepts(*RIGHT)
test_a_slip_is_named = names_the_slip(*WRONG)
test_an_open_answer_is_open = leaves_open(*(checker for checker, _ in RIGHT))

"""The checkers of chapter 08 accept right answers and name the slip behind the wrong ones."""

import pytest
import torch
from verdicts import judged, leaves_open

from posenc import rotary
from posenc.additive import frequencies
from posenc.checks import chapter_08 as check


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        ([0, 4, 1, 5, 2, 6, 3, 7], None),
        (torch.tensor([0, 4, 1, 5, 2, 6, 3, 7]), None),
        ([0, 2, 4, 6, 1, 3, 5, 7], "interleaved to split-half"),
        (range(8), "changes nothing"),
        ([4, 5, 6, 7, 0, 1, 2, 3], "swaps the two halves"),
        ([4, 0, 5, 1, 6, 2, 7, 3], "lower column comes first"),
        ([0, 4], "shape"),
    ],
)
def test_order(answer, hint):
    judged(check.order(answer), hint)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (("split-half", -1, 256), None),
        (["split-half", -1.0, 255.97], None),
        (("split-half", -1, torch.tensor(255.97)), None),
        (("split-half", 1, 256), "minus sign"),
        (("interleaved", -1, 256), "column 4"),
        (("split-half", -1, 4), "not 1/b"),
        (("split-half", -1, 65536), "-1/8"),
        (("split-half", -1, 10000), "would be 0.1"),
        ("split-half", "Choose one of"),
    ],
)
def test_suspect(answer, hint):
    judged(check.suspect(answer), hint)


def split_half(faults=()):
    """A function (x, positions, omega) with the chosen faults."""

    def function(x, positions, omega):
        if "positions" in faults:
            positions = torch.arange(len(positions))
        if "omega" in faults:
            omega = frequencies(x.shape[-1])
        angle = positions[:, None] * omega * (-1 if "direction" in faults else 1)
        angle = angle.repeat_interleave(2, dim=-1) if "angle" in faults else angle.repeat(1, 2)
        first, second = x.chunk(2, dim=-1)
        return x * angle.cos() + torch.cat([-second, first], dim=-1) * angle.sin()

    return function


def interleaved(x, positions, omega):
    return rotary.rotate(x, rotary.turns(positions, omega, torch.complex128))


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (split_half(), None),
        (split_half(["angle"]), "Still faulty"),
        (interleaved, "interleaved layout"),
        (split_half(["direction"]), "other way"),
        (split_half(["positions"]), "ignores the positions"),
        (split_half(["omega"]), "ignores the frequencies"),
        (lambda x, positions, omega: split_half()(x[..., :8], positions, omega[:4]), "shape"),
        (lambda x, positions, omega: split_half()(x, positions, omega).float(), None),
        (lambda x, positions, omega: split_half()(x.float(), positions.float(), omega.float()), None),
        (lambda x, positions, omega: x[..., :2], "shape"),
        (lambda x: x, "raises TypeError"),
    ],
)
def test_mended(answer, hint):
    judged(check.mended(answer), hint)


def turned(position):
    turns = rotary.turns([position], frequencies(64), torch.complex128)
    return rotary.rotate(torch.ones(1, 64, dtype=torch.float64), turns)[0]


def slowest(position):
    """A key of the slowest pair alone, for which the offset -position is best by little."""
    key = torch.zeros(64, dtype=torch.float64)
    key[-2:] = turned(position)[-2:]
    return key


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (turned(50), None),
        (3 * turned(50).float(), None),
        (turned(-50), "other way"),
        (torch.ones(64), "highest at n - m = 0"),
        (turned(49), "highest at n - m = -49"),
        (slowest(5000), "highest at n - m = -5000"),
        (torch.zeros(64), "scores 0 everywhere"),
        (torch.ones(32), "shape"),
        ("ones", "cannot be read"),
    ],
)
def test_looks_back(answer, hint):
    judged(check.looks_back(answer), hint)


test_open_exercises_say_so = leaves_open(check.order, check.suspect, check.mended, check.looks_back)

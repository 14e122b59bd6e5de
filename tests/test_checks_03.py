"""The checkers of chapter 03 accept the right answers and name the slip behind the wrong ones."""

import math

import pytest
import torch
from verdicts import judged, leaves_open

from posenc import additive
from posenc.checks import chapter_03 as check


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (1461, None),
        (1461.04, None),
        (8192 / (2 * math.pi), "pair i = 64"),
        (8192 ** (128 / 126), "2π is missing"),
        ((8192 / (2 * math.pi)) ** (126 / 128), "upside down"),
        ((8192 / (2 * math.pi)) ** (128 / 63), "not i/d"),
        ((8192 / (2 * math.pi)) ** (128 / 254), "would be a column"),
        (10_000, "1 of 1 numbers"),
    ],
)
def test_base_for_context(answer, hint):
    judged(check.base_for_context(answer), hint)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (16_777_217, None),
        (16_777_216, "power of two"),
        (16_777_215, "still fits"),
        (2**23 + 1, "still fits"),
        (257, "not for float32"),
        (2**32 + 1, "24 digits are left"),
        (12, "Choose one of"),
    ],
)
def test_first_confused(answer, hint):
    judged(check.first_confused(answer), hint)


def test_float32_confuses_that_position_first():
    assert torch.tensor(2**24 + 1).float() == torch.tensor(2**24).float()
    near = torch.arange(2**24 - 1000, 2**24 + 1)
    assert len(near.float().unique()) == len(near)


def coded(exponent=1, dtype=torch.float64, layout="interleaved", swapped=False):
    """A function (positions, width) with the chosen faults."""

    def function(positions, width):
        column = torch.arange(0, width, 2, dtype=dtype)
        angle = positions.to(dtype)[:, None] * 10_000 ** (-exponent * column / width)
        parts = [angle.cos(), angle.sin()] if swapped else [angle.sin(), angle.cos()]
        if layout == "interleaved":
            return torch.stack(parts, dim=-1).flatten(-2)
        return torch.cat(parts, dim=-1)

    return function


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (coded(), None),
        (additive.sinusoidal, None),
        (coded(exponent=2), "exponent is doubled: "),
        (coded(exponent=2, dtype=torch.float32), "exponent is doubled: "),
        (coded(layout="concatenated"), "columns are concatenated; "),
        (coded(2, torch.float32, "concatenated"), "doubled, and the columns"),
        (coded(dtype=torch.float32), "Compute them in float64"),
        (coded(swapped=True), "Sine comes first"),
        (lambda positions, width: additive.sinusoidal(torch.arange(len(positions)), width), "differ by more"),
        (lambda positions, width: additive.sinusoidal(positions, width - 1), "raises ValueError"),
        (lambda positions, width: additive.sinusoidal(positions, 2 * width), "shape"),
        (torch.zeros(4, 16), "must be a function"),
    ],
)
def test_mended(answer, hint):
    judged(check.mended(answer), hint)


test_open = leaves_open(check.base_for_context, check.first_confused, check.mended)

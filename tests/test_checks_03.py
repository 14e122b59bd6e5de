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
        (1462, "nearest whole number"),
        (1460, "nearest whole number"),
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
        (12, "1 of 1 numbers"),
        ("2**24", "cannot be read"),
    ],
)
def test_first_confused(answer, hint):
    judged(check.first_confused(answer), hint)


def test_float32_confuses_that_position_first():
    assert torch.tensor(2**24 + 1).float() == torch.tensor(2**24).float()
    near = torch.arange(2**24 - 1000, 2**24 + 1)
    assert len(near.float().unique()) == len(near)


def coded(exponent=1, dtype=torch.float64, layout="interleaved", swapped=False, of=None, wide=None):
    """A function (positions, width, base) with the chosen faults; `of` and `wide` are used in their place."""

    def function(positions, width, base=10_000.0):
        base, width = of or base, wide or width
        column = torch.arange(0, width, 2, dtype=dtype)
        angle = positions.to(dtype)[:, None] * base ** (-exponent * column / width)
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
        (coded(of=10_000), "base is ignored"),
        (coded(wide=16), "shape"),
        (lambda places, width, base: additive.sinusoidal(torch.ones_like(places), width), "differ by more"),
        (lambda positions, width, base: additive.sinusoidal(positions, width - 1), "raises ValueError"),
        (lambda positions, width, base: additive.sinusoidal(positions, 2 * width), "shape"),
        (torch.zeros(4, 16), "must be a function"),
    ],
)
def test_mended(answer, hint):
    judged(check.mended(answer), hint)


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (247, None),
        (247.0, None),
        (67, "upper half"),
        (248, "Near, as the slow hand"),
        (246, "Near, as the slow hand"),
        (184, "middle hand stands so at 184"),
        (310, "middle hand stands so at 310"),
        (203, "fast hand stands so at 203"),
        (538, "exchanged"),
        (100, "1 of 1 numbers"),
        ("far", "cannot be read"),
    ],
)
def test_position_read(answer, hint):
    judged(check.position_read(answer), hint)


def test_one_position_below_600_has_that_row():
    row = torch.tensor([0.93, -0.38, -0.42, 0.91, 0.62, -0.78], dtype=torch.float64)
    table = additive.sinusoidal(torch.arange(600), 6, base=1000, dtype=torch.float64)
    assert ((table - row).abs().amax(dim=1) < 0.006).nonzero().flatten().tolist() == [247]


test_open = leaves_open(check.base_for_context, check.first_confused, check.mended, check.position_read)

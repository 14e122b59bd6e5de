"""Exercises of chapter 06, adding and learning."""

import torch

from posenc.checks import Verdict, called, choice, same


def gradient_column(answer):
    """Exercise 6.1: the gradient of one column of a learned table."""
    return same(
        answer, [3, 3, 2, 2, 2, 0, 0, 0],
        because="A row collects 1 from every sequence that reaches it; rows 5 to 7 are reached by none.",
        slips={
            "The batch is summed over, not counted once.": [1, 1, 1, 1, 1, 0, 0, 0],
            "The loss is a sum, not a mean over the batch.": [1, 1, 2 / 3, 2 / 3, 2 / 3, 0, 0, 0],
            "Padding adds no loss: the short sequence ends after two words.": [3, 3, 3, 3, 3, 0, 0, 0],
            "A sequence of two words reaches rows 0 and 1, not row 2.": [3, 3, 3, 2, 2, 2, 0, 0],
            "Rows past the longest sequence receive nothing.": [3, 3, 2, 2, 2, 2, 2, 2],
        },
    )  # fmt: skip


def embed(answer):
    """Exercise 6.2: a function of rows and code, both (batch, time, width)."""
    width, g = 16, torch.Generator().manual_seed(1)
    rows, code = (torch.randn(2, 3, width, generator=g, dtype=torch.float64) for _ in range(2))
    result = called(answer, rows.clone(), code.clone())
    if isinstance(result, Verdict):
        return result
    root = width**0.5
    return same(
        result, rows * root + code,
        because="The embedding is scaled before the code is added, so the two have comparable lengths.",
        slips={
            "The code is still scaled too: the ratio is as without a factor.": (rows + code) * root,
            "The embedding must grow, not shrink.": rows / root + code,
            "The code is scaled, and the embedding is not.": rows + code * root,
            "Multiply by the root of the width, not by the width.": rows * width + code,
            "The factor is missing.": rows + code,
        },
    )  # fmt: skip


def which_h(answer):
    """Exercise 6.3: the matrix whose bilinear form depends on the offset alone."""
    return choice(
        answer, "b",
        because="h₃ = h₀ and h₂ = −h₁: a rotation times a factor.",
        slips={
            "a": "Two different weights within a pair: cos ω(m + n) remains.",
            "c": "h₁ + h₂ = 4: sin ω(m + n) remains.",
            "d": "h₃ − h₀ = −2: cos ω(m + n) remains, and sin ω(m + n) with it.",
        },
    )  # fmt: skip

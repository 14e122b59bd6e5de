"""Codes that are added to the embeddings: the first door."""

import torch

from posenc import guard


def frequencies(width, base=10000.0):
    """Angular frequencies of the width/2 pairs: ω_i = base^(-2i/width), i = 0 … width/2 - 1.

    width: even, positive. base: positive. Returns float64, shape (width/2,), falling from 1.
    Raises TypeError or ValueError for any other argument.
    Source: Vaswani et al. 2017, section 3.5.
    """
    guard.even_width(width)
    base = guard.positive_base(base)
    pair = torch.arange(width // 2, dtype=torch.float64)
    return base ** (-2 * pair / width)


def angles(positions, width, base=10000.0):
    """Angles p·ω_i. positions: integers, shape (…). Returns float64, shape (…, width/2)."""
    positions = guard.whole_positions(positions)
    return positions.to(torch.float64)[..., None] * frequencies(width, base).to(positions.device)

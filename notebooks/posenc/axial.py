"""RoPE in two and three dimensions, taught in chapter 10: rows and columns of an image, and time.

A position has several coordinates, and a pair turns by a weighted sum of them: its angle is Σ pₐ·Ωₐᵢ. All
schemes are a choice of the matrix Ω, shape (axes, pairs):
- axial: each pair looks along one axis, the axes one after the other;
- M-RoPE: so too, and the pairs are dealt out to time, height and width in a pattern;
- mixed: every pair looks along every axis, so along some direction of the plane.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from posenc import frequencies as omega
from posenc import validate


def turns(positions: Any, matrix: Tensor, dtype: torch.dtype = torch.complex64) -> Tensor:
    """The turns exp(iΣ pₐΩₐᵢ), for `rotary.rotate`.

    positions: integers, or other numbers in float64, shape (…, time, axes). matrix: float64, shape (axes, pairs), not
    trained. dtype: complex64 or complex128. Returns shape (…, time, pairs), computed in float64 and rounded last.
    Raises TypeError or ValueError for any other argument. Source: Heo et al. 2024.
    """
    positions = validate.exact_positions(positions)
    validate.choice(dtype, (torch.complex64, torch.complex128), "dtype")
    validate.exact_numbers(matrix, "matrix", "pass axial.blocks(width) or mrope(…)")
    if matrix.dim() != 2 or matrix.numel() == 0:
        validate.refuse("matrix", "have shape (axes, pairs)", tuple(matrix.shape), "a row for each coordinate")
    axes = len(matrix)
    if positions.dim() < 2 or positions.shape[-1] != axes:
        remedy = f"give each token {axes} coordinates, in the last dimension"
        validate.refuse("positions", f"have shape (…, time, {axes})", tuple(positions.shape), remedy)
    device = omega.exact_device(positions.device)
    angles = positions.to(device).to(torch.float64) @ matrix.to(device)
    return torch.polar(torch.ones_like(angles), angles).to(dtype).to(positions.device)


def blocks(width: int, axes: int = 2, base: float = 100.0) -> Tensor:
    """Axial RoPE: the pairs are shared out in blocks, one an axis, each with the frequencies of its width.

    width: divisible by 2·axes. axes: positive. base: positive. Returns Ω, float64, shape (axes, width/2).
    Raises TypeError or ValueError for any other argument. Source: Heo et al. 2024.
    """
    validate.count(axes, "axes", least=1)
    if validate.even_width(width) % (2 * axes):
        raise ValueError(f"width must be divisible by {2 * axes}, got {width}: each axis takes whole pairs")
    return torch.block_diag(*[omega.geometric(width // axes, base)[None]] * axes)


def mrope_axes(sections: Sequence[int], interleaved: bool = True) -> Tensor:
    """Which axis each pair follows in M-RoPE: 0 time, 1 height, 2 width. int64, shape (pairs,).

    sections: how many pairs time, height and width take. interleaved: THWTHW… while height and width have
    pairs left, then time (Qwen3-VL); otherwise three blocks (Qwen2-VL).
    Raises TypeError or ValueError for any other argument.
    Source: transformers 5.23.0, `Qwen3VLTextRotaryEmbedding.recomposition_frequencies`.
    """
    if not isinstance(sections, Sequence) or len(sections) != 3:
        raise ValueError(f"sections must be three numbers, got {sections!r}: pairs of time, height, width")
    time, height, width = (validate.count(part, "each of sections") for part in sections)
    if not interleaved:
        return torch.tensor([0] * time + [1] * height + [2] * width, device="cpu")
    if max(height, width) > time:
        raise ValueError(f"sections must give time the most, got {sections!r}: or pass interleaved=False")
    axes = torch.zeros(time + height + width, dtype=torch.int64, device="cpu")
    axes[1 : 3 * height : 3] = 1
    axes[2 : 3 * width : 3] = 2
    return axes


def mrope(width: int, sections: Sequence[int], base: float = 5_000_000.0, interleaved: bool = True) -> Tensor:
    """M-RoPE: the frequencies of RoPE, each given to one axis. Returns Ω, float64, shape (3, width/2).

    A text token has three equal coordinates, and is turned as RoPE turns it.
    width: even. sections: as in `mrope_axes`, width/2 in sum. base: positive.
    Raises TypeError or ValueError for any other argument. Source: Wang et al. 2024 (Qwen2-VL).
    """
    frequencies, axes = omega.geometric(width, base), mrope_axes(sections, interleaved)
    if len(axes) != len(frequencies):
        raise ValueError(f"sections must sum to {width // 2}, got {sections!r}: one axis for each pair")
    return torch.nn.functional.one_hot(axes, 3).T * frequencies


def grid(rows: int, columns: int, start: int = 0, times: Any = (0,)) -> Tensor:
    """Positions (time, height, width) of an image or a video that begins at `start`: (frames·rows·columns, 3).

    An image has the time `start`. The text that follows goes on one after the greatest coordinate.
    rows, columns: positive. start: an integer. times: of the frames, counted from `start`, as positions of `turns`
    are; the result has their dtype. Qwen2.5-VL cuts seconds per frame times tokens per second to integers.
    Raises TypeError or ValueError for any other argument.
    Source: transformers 5.23.0, `get_vision_position_ids` of Qwen2.5-VL and Qwen3-VL.
    """
    validate.count(rows, "rows", least=1)
    validate.count(columns, "columns", least=1)
    validate.count(start, "start")
    times = validate.exact_positions(times)
    if times.dim() != 1 or not len(times):
        validate.refuse("times", "have shape (frames,)", tuple(times.shape), "one for each frame")
    sides = (torch.arange(size, dtype=times.dtype, device=times.device) for size in (rows, columns))
    return torch.cartesian_prod(times, *sides) + start

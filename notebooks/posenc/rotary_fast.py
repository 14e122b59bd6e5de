"""What makes `rotary` quick without a compiler: few operations for few numbers, few passes for many.

Below LARGE elements an operation of torch takes longer than its arithmetic, so the formula is written in as
few as there are. From there on memory takes the time: a tile of x stays in cache while it is turned, and the
result is written once. By `book/_tools/benchmark_rotary.py 40 busy border`, on one core with 1 MB of cache, few passes
take 1.2 to 1.8 times as long at 2¹⁸ elements, and 0.4 to 1.05 times at 2²⁰; between, it depends on whether torch finds
memory that it had before. Interleaved float32 is one product of complex numbers, and one pass at any size.
"""

from collections.abc import Iterator
from itertools import repeat
from typing import Any

import torch
from torch import Tensor

LARGE = 2**19  # elements of x
TILE = 2**18  # elements, in float32 a megabyte
JOINED = 2**15  # elements of q and k


def complex_dtype(x: Tensor) -> torch.dtype:
    """The dtype of the turns of x."""
    return torch.complex128 if x.dtype == torch.float64 else torch.complex64


def joins(q: Tensor, k: Tensor) -> bool:
    """Are q and k so small that to turn them as heads of one tensor, in half the operations, is quicker?"""
    if torch.compiler.is_compiling() or q.numel() + k.numel() >= JOINED:
        return False
    return q.dim() == k.dim() == 4 and q.shape[0] == k.shape[0]


def tables(cos: Tensor, sin: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Both in memory, one after the other: a compiler loads several numbers at once, for all heads."""
    cos, sin = torch.stack((cos, sin)).to(torch.float64 if dtype == torch.complex128 else torch.float32)
    return cos, sin


def ready(turns: Tensor, layout: str, shared: bool = True) -> tuple[Tensor, ...]:
    """The turns as `rotary` needs them. shared: whether other layers use them too."""
    if torch.compiler.is_compiling():
        cos, sin = torch.view_as_real(turns).unbind(-1)
        return (cos, sin) if layout == "interleaved" else tables(cos, sin, turns.dtype)
    return (turns, *_factors(turns)) if shared and layout == "split-half" else (turns,)


def _factors(turns: Tensor) -> tuple[Tensor, Tensor]:
    """(cos, cos) and (-sin, sin): split-half, x times the first and its halves exchanged times the second."""
    cos, sin = turns.real, turns.imag
    return torch.cat((cos, cos), dim=-1), torch.cat((-sin, sin), dim=-1)


def rotate(x: Tensor, layout: str, turns: Tensor, *factors: Tensor) -> Tensor:
    """`rotary.rotate`, of turns that are `ready` and broadcast against x."""
    interleaved, exact = layout == "interleaved", x.dtype in (torch.float32, torch.float64)
    # A product of complex numbers is one pass already.
    if x.numel() >= LARGE and x.device.type == "cpu" and not (interleaved and exact):
        return _Tiled.apply(x, turns, layout)
    columns = 2 * turns.shape[-1]
    part = x if columns == x.shape[-1] else x[..., :columns]
    if not exact:
        part = part.float()
    if interleaved:
        turned = _product(part, turns)
    else:
        cos, sin = factors or _factors(turns)
        turned = torch.addcmul(part * cos, part.roll(columns // 2, -1), sin)
    turned = turned.to(x.dtype)
    return turned if columns == x.shape[-1] else torch.cat((turned, x[..., columns:]), dim=-1)


def _product(x: Tensor, turns: Tensor) -> Tensor:
    """Neighbours of x as complex numbers, times the turns."""
    pairs = x.unflatten(-1, (-1, 2))
    try:
        z = torch.view_as_complex(pairs)
    except RuntimeError:  # a stride that is odd
        z = torch.view_as_complex(pairs.clone(memory_format=torch.contiguous_format))
    return torch.view_as_real(z * turns).flatten(-2)


class _Tiled(torch.autograd.Function):
    """A rotation is linear and orthogonal: tangents turn along, gradients turn back."""

    @staticmethod
    def forward(x: Tensor, turns: Tensor, layout: str) -> Tensor:
        columns, out = 2 * turns.shape[-1], torch.empty_like(x)
        out[..., columns:] = x[..., columns:]
        parts: tuple[Tensor, ...] = (turns,)
        if layout == "split-half":
            parts = torch.cat((turns.real, turns.real), dim=-1), turns.imag.contiguous()
        whole = (part[(None,) * (x.dim() - part.dim())] for part in parts)
        for target, part, *of_tile in _tiles(out[..., :columns], x[..., :columns], *whole):
            _turn_into(target, part.to(turns.real.dtype), *of_tile)
        return out

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, str], output: Tensor) -> None:
        x, turns, ctx.layout = inputs
        ctx.save_for_backward(turns)
        ctx.save_for_forward(x, turns)
        # Else what carries no tangent would arrive in jvp with zeros for one.
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor | None) -> tuple[Tensor | None, None, None]:
        if gradient is None:
            return None, None, None
        (turns,) = ctx.saved_tensors
        return _Tiled.apply(gradient, turns.conj_physical(), ctx.layout), None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor | None, turns_tangent: Tensor | None, _: None) -> Tensor:
        x, turns = ctx.saved_tensors
        parts = (tangent, turns), (x, turns_tangent)
        moved = [_Tiled.apply(*part, ctx.layout) for part in parts if not any(v is None for v in part)]
        return moved[0] if len(moved) == 1 else moved[0] + moved[1]

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], x: Tensor, turns: Tensor, layout: str) -> Any:
        """One more leading dimension."""
        at_x, at_turns, _ = in_dims
        x = x.expand(info.batch_size, *x.shape) if at_x is None else x.movedim(at_x, 0)
        if at_turns is not None:
            turns = turns.movedim(at_turns, 0)
            turns = turns.reshape(len(turns), *[1] * (x.dim() - turns.dim()), *turns.shape[1:])
        return _Tiled.apply(x, turns, layout), 0


def _tiles(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Tensors that broadcast, cut alike along the dimension that cuts the first into the largest blocks."""
    first = tensors[0]
    longer = [dim for dim in range(first.dim() - 1) if first.shape[dim] > 1]
    if first.numel() <= TILE or not longer:
        yield tensors
        return
    dim = max(longer, key=first.stride)
    step = max(1, TILE * first.shape[dim] // first.numel())
    cuts = (tensor.split(step, dim) if tensor.shape[dim] > 1 else repeat(tensor) for tensor in tensors)
    for parts in zip(*cuts, strict=False):
        yield from _tiles(*parts)


def _turn_into(out: Tensor, x: Tensor, *parts: Tensor) -> None:
    """Turn x into `out`, which may be rounder. parts: the turns if interleaved, else cosines and sines."""
    if len(parts) == 1:
        out.copy_(_product(x, *parts))
        return
    cos, sin = parts
    room = out if out.dtype == x.dtype else torch.empty_like(x)
    torch.mul(x, cos, out=room)
    (a, b), (room_a, room_b) = x.chunk(2, dim=-1), room.chunk(2, dim=-1)
    room_a.addcmul_(b, sin, value=-1)
    room_b.addcmul_(a, sin)
    if room is not out:
        out.copy_(room)

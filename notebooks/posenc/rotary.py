"""Rotary position embedding (RoPE): the second door, taught in chapters 07 and 08.

Read a pair of columns (a, b) of a query or key as the complex number a + ib. At position p the pair
with angular frequency ω is multiplied by exp(ipω): it turns counter-clockwise by pω. The inner product of
a query turned at m and a key turned at n then depends on m - n alone.

The layout says which columns make a pair, for a width of 2h:
- "interleaved": (0, 1), (2, 3), … (RoFormer, GPT-J)
- "split-half": (0, h), (1, h + 1), … (GPT-NeoX, Llama)

Source: Su et al. 2021, section 3.
"""

from collections.abc import Iterator
from itertools import repeat
from typing import Any

import torch
from torch import Tensor

from posenc import frequencies as omega
from posenc import fused, guard
from posenc.doors import Scheme
from posenc.recent import Recent

LAYOUTS = ("interleaved", "split-half")

# What a Rotary is built with, and keeps.
FIXED = ("width", "base", "layout", "rotated", "frequencies")
# Below this many elements, what counts is the number of operations.
SMALL = 2**15
# Elements in a tile: small enough for the passes over it to stay in cache, large enough for two threads.
TILE = 2**18


def turns(positions: Any, frequencies: Tensor, dtype: torch.dtype = torch.complex64) -> Tensor:
    """The turns exp(ipω).

    positions: integers of either sign, at most 2⁵³ in size, shape (…, time), in any order.
    frequencies: float64, shape (pairs,); `frequencies.geometric(width, base)` gives the usual ones.
    dtype: complex64, or complex128 to turn float64 vectors.
    Returns shape (…, time, pairs). The angles, sines and cosines are computed in float64 and rounded last.
    Raises TypeError or ValueError for any other argument.
    Source: Su et al. 2021, equation 12.
    """
    positions = guard.whole_positions(positions)
    if positions.dim() == 0:
        raise ValueError("positions must have a time dimension, got shape (): pass a list of one")
    guard.choice(dtype, (torch.complex64, torch.complex128), "dtype")
    angles = omega.angles(positions, frequencies)
    return torch.polar(torch.ones_like(angles), angles).to(dtype)


def rotate(x: Tensor, turns: Tensor, layout: str = "interleaved", rotated: int | None = None) -> Tensor:
    """Turn every pair of `x` by the turn of its position.

    x: floating, shape (…, time, width), width even. Computed in float32 (float64 for float64), returned in
    the dtype of x. Gradients flow to x, not to the turns; tangents from both.
    turns: complex, shape (…, time, rotated/2), from `turns`. The dimensions before time are the first
    dimensions of x, each equal to it or 1; the dimensions of x that are left share the turns. So against
    x of (batch, heads, time, width), positions of (time,) serve all, and of (batch, time) one sequence each.
    layout: one of LAYOUTS.
    rotated: how many leading columns turn; the others pass unchanged. None means all.
    Raises TypeError or ValueError for any other argument.
    Source: Su et al. 2021, equations 15 and 34; partial rotation: Black et al. 2022, section 2.1.1.
    """
    _check_floats(x, "x")
    guard.even_width(x.shape[-1], "the width of x")
    rotated = _check_rotated(rotated, x.shape[-1])
    guard.choice(layout, LAYOUTS, "layout")
    _check_turns(turns, x, rotated)
    _check_fits(turns.shape[:-1], x, "turns")
    return _rotate(x, layout, turns.to(_precise(x)))


class Rotary(Scheme):
    """RoPE as a scheme for the second door: turns queries and keys, leaves values alone.

    width: the head width, even. base: positive. layout: one of LAYOUTS.
    rotated: how many leading columns turn; None means all. The frequencies are those of this width.
    frequencies: float64, shape (rotated/2,), in place of those that `base` gives; not trained.
    Raises TypeError or ValueError for any other argument.

    What it was built with is fixed. The frequencies stay float64 under `.half()` and `.to(torch.bfloat16)`,
    follow the module to its device, outlive the meta device, and are in no `state_dict`.
    """

    takes = ("head_width",)
    _frequencies: Tensor

    def __init__(
        self,
        width: int,
        base: float = 10000.0,
        layout: str = "interleaved",
        rotated: int | None = None,
        frequencies: Tensor | None = None,
    ) -> None:
        super().__init__()
        guard.even_width(width)
        self.width, self.rotated = width, _check_rotated(rotated, width)
        self.layout = guard.choice(layout, LAYOUTS, "layout")
        self.base = guard.positive_base(base) if frequencies is None else None
        if frequencies is None:
            frequencies = omega.geometric(self.rotated, base)
        self._exact = omega.check(frequencies, pairs=self.rotated // 2).clone()
        self.register_buffer("_frequencies", self._exact, persistent=False)
        self._recent = Recent()

    @property
    def frequencies(self) -> Tensor:
        """A copy of the frequencies: float64, shape (rotated/2,)."""
        return self._frequencies.clone()

    def query_key(self, q: Tensor, k: Tensor, q_positions: Any, k_positions: Any) -> tuple[Tensor, Tensor]:
        """Turn q and k, each (batch, heads, its time, width), by positions of (time,) or (batch, time).

        The two may differ in length: with a cache, q holds the new tokens and k all of them.
        """
        self._check(q, "q")
        self._check(k, "k")
        q_ready = k_ready = self._ready(q, q_positions, "q")
        if k_positions is q_positions and k.dtype == q.dtype:
            _check_fits(q_ready[0].shape[:-1], k, "k_positions")
            if _join(q, k):
                joined = _rotate(torch.cat((q, k), dim=1), self.layout, *q_ready)
                q, k = joined.split_with_sizes((q.shape[1], k.shape[1]), dim=1)
                return q, k
        else:
            k_ready = self._ready(k, k_positions, "k")
        return _rotate(q, self.layout, *q_ready), _rotate(k, self.layout, *k_ready)

    def extra_repr(self) -> str:
        low, high = self._exact.min(), self._exact.max()
        of = f"base={self.base}" if self.base else f"frequencies={low:.3g} … {high:.3g}"
        return f"width={self.width}, {of}, layout={self.layout!r}, rotated={self.rotated}"

    def __setattr__(self, name: str, value: Any) -> None:
        if name in FIXED and hasattr(self, name):
            raise AttributeError(
                f"{name} of a Rotary is fixed, got {value!r}: build a new one with Rotary(…, {name}=…)"
            )
        super().__setattr__(name, value)

    def _apply(self, fn: Any, recurse: bool = True) -> "Rotary":
        # Whatever fn does, casting or leaving memory empty, only the device is taken from it.
        super()._apply(fn, recurse)
        self._frequencies = self._exact.to(self._frequencies.device)
        return self

    def _check(self, x: Tensor, name: str) -> None:
        _check_floats(x, name)
        if x.shape[-1] != self.width:
            raise ValueError(
                f"{name} must be {self.width} wide, got shape {tuple(x.shape)}: "
                f"split the heads first, or build Rotary({x.shape[-1]})"
            )

    def _ready(self, x: Tensor, positions: Any, name: str) -> tuple[Tensor, ...]:
        """The turns for x, and their factors: all that `_rotate` needs."""
        name = f"{name}_positions"
        positions = guard.whole_positions(positions, name)
        if positions.device != x.device:
            positions = positions.to(x.device)
        _check_fits(positions.shape, x, name)
        return self._recent(_prepared, positions, self._frequencies, _precise(x), self.layout)


class RotaryValues(Rotary):
    """RoPE whose values turn as well, and what is handed over turns back: doors 2 and 4.

    R(-p) Σ weight · R(q)v = Σ weight · R(q - p)v: each value arrives turned by its offset.
    Source: DeepSeek V4 in transformers 5.23.0; Su 2025 (kexue.fm/archives/10862), who calls it VO-RoPE.
    """

    def values(self, mixed: Tensor, weights: Tensor, v: Tensor, q_positions: Any, k_positions: Any) -> Tensor:
        """Turn v, as wide as q, by the key's position, and the mixture back by the query's."""
        self._check(v, "v")
        turned = weights @ _rotate(v, self.layout, *self._ready(v, k_positions, "k"))
        back = -guard.whole_positions(q_positions, "q_positions")
        return _rotate(turned, self.layout, *self._ready(turned, back, "q"))


def permutation(width: int, source: str, target: str, rotated: int | None = None) -> Tensor:
    """The columns of layout `source` in the order of layout `target`: int64, shape (width,).

    `x[..., permutation(width, source, target)]` carries activations from one layout to the other:
    rotating in `source` and then permuting equals permuting and then rotating in `target`.
    width: even. source, target: from LAYOUTS. rotated: as in `rotate`; the other columns stay where they are.
    Raises TypeError or ValueError for any other argument.
    """
    guard.even_width(width)
    rotated = _check_rotated(rotated, width)
    guard.choice(source, LAYOUTS, "source")
    guard.choice(target, LAYOUTS, "target")
    columns = torch.arange(width)
    if source != target:
        inner = 2 if source == "interleaved" else rotated // 2
        columns[:rotated] = columns[:rotated].reshape(-1, inner).T.flatten()
    return columns


def convert_rows(weight: Tensor, heads: int, source: str, target: str, rotated: int | None = None) -> Tensor:
    """Permute the rows of a W_q or W_k, or its bias, within each head, from one layout to the other.

    weight: shape (heads · width, …), as `torch.nn.Linear` keeps it: rows are output channels. A model with
    fewer key heads than query heads needs its own `heads` for each. Returns a new tensor of that shape.
    heads: positive, divides the rows. source, target, rotated: as in `permutation`.
    Raises TypeError or ValueError for any other argument.
    """
    guard.count(heads, "heads", least=1)
    if not isinstance(weight, Tensor) or weight.dim() == 0:
        raise TypeError(
            f"weight must be a tensor with rows, got {weight!r}: pass linear.weight or linear.bias"
        )
    if len(weight) % heads:
        raise ValueError(
            f"heads must divide the rows of weight, got {heads} heads and {len(weight)} rows: "
            f"rows are output channels, so pass the number of heads of this very matrix"
        )
    order = permutation(len(weight) // heads, source, target, rotated)
    return weight.unflatten(0, (heads, -1))[:, order].flatten(0, 1)


def _precise(x: Tensor) -> torch.dtype:
    """The complex dtype in which x is turned."""
    return torch.complex128 if x.dtype == torch.float64 else torch.complex64


def _prepared(positions: Tensor, frequencies: Tensor, dtype: torch.dtype, layout: str) -> tuple[Tensor, ...]:
    """The turns, and for split-half their factors: what the layers of a step share."""
    ready = turns(positions, frequencies, dtype)
    return (ready, *_factors(ready)) if layout == "split-half" else (ready,)


def _factors(turns: Tensor) -> tuple[Tensor, Tensor]:
    """(cos, cos) and (-sin, sin): x times the first, and x with its halves exchanged times the second."""
    cos, sin = turns.real, turns.imag
    return torch.cat((cos, cos), dim=-1), torch.cat((-sin, sin), dim=-1)


def _join(q: Tensor, k: Tensor) -> bool:
    """Are q and k so small that to turn them as heads of one tensor, in half the operations, is quicker?"""
    if torch.compiler.is_compiling() or q.numel() + k.numel() >= SMALL:
        return False
    return q.dim() == k.dim() == 4 and q.shape[0] == k.shape[0]


def _rotate(x: Tensor, layout: str, *ready: Tensor) -> Tensor:
    """`rotate`, of arguments that were checked. ready: as `_prepared` gives them, or the turns alone."""
    missing = x.dim() - ready[0].dim()
    if missing and ready[0].dim() > 2:
        ready = tuple(part.reshape(*part.shape[:-2], *[1] * missing, *part.shape[-2:]) for part in ready)
    turns, *factors = ready
    if torch.compiler.is_compiling():
        return _plainly(x, turns, layout)
    if x.numel() < SMALL:
        return _briefly(x, turns, layout, *factors)
    return _Rotation.apply(x, turns, layout)


def _plainly(x: Tensor, turns: Tensor, layout: str) -> Tensor:
    """In real numbers: a compiler makes one kernel of it."""
    cos, sin = torch.view_as_real(turns).unbind(-1)
    columns = 2 * turns.shape[-1]
    part = x[..., :columns].to(cos.dtype)
    if layout == "interleaved":
        a, b = part.unflatten(-1, (-1, 2)).unbind(-1)
        turned = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)
    else:
        a, b = part.chunk(2, dim=-1)
        turned = torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)
    return torch.cat((turned.to(x.dtype), x[..., columns:]), dim=-1)


def _briefly(x: Tensor, turns: Tensor, layout: str, *factors: Tensor) -> Tensor:
    """In few operations: each takes longer than its arithmetic when x is as small as one token."""
    columns = 2 * turns.shape[-1]
    part = x if columns == x.shape[-1] else x[..., :columns]
    if turns.dtype == torch.complex64 and x.dtype != torch.float32:
        part = part.float()
    if layout == "interleaved":
        pairs = part.unflatten(-1, (-1, 2))
        try:
            z = torch.view_as_complex(pairs)
        except RuntimeError:  # a stride that is odd
            z = torch.view_as_complex(pairs.clone(memory_format=torch.contiguous_format))
        turned = torch.view_as_real(z * turns).flatten(-2)
    else:
        cos, sin = factors or _factors(turns)
        turned = torch.addcmul(part * cos, part.roll(columns // 2, -1), sin)
    turned = turned.to(x.dtype)
    return turned if columns == x.shape[-1] else torch.cat((turned, x[..., columns:]), dim=-1)


class _Rotation(torch.autograd.Function):
    """A rotation is linear and orthogonal: tangents turn along, gradients turn back."""

    @staticmethod
    def forward(x: Tensor, turns: Tensor, layout: str) -> Tensor:
        return _rotated(x, turns, layout)

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
        return _Rotation.apply(gradient, turns.conj_physical(), ctx.layout), None, None

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor | None, turns_tangent: Tensor | None, _: None) -> Tensor:
        x, turns = ctx.saved_tensors
        parts = (tangent, turns), (x, turns_tangent)
        moved = [_Rotation.apply(*part, ctx.layout) for part in parts if not any(v is None for v in part)]
        return moved[0] if len(moved) == 1 else moved[0] + moved[1]

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], x: Tensor, turns: Tensor, layout: str) -> Any:
        """One more leading dimension."""
        at_x, at_turns, _ = in_dims
        x = x.expand(info.batch_size, *x.shape) if at_x is None else x.movedim(at_x, 0)
        if at_turns is not None:
            turns = turns.movedim(at_turns, 0)
            turns = turns.reshape(len(turns), *[1] * (x.dim() - turns.dim()), *turns.shape[1:])
        return _Rotation.apply(x, turns, layout), 0


def _rotated(x: Tensor, turns: Tensor, layout: str) -> Tensor:
    if fused.serves(x):
        return torch.ops.posenc.rotate(x, turns, layout == "interleaved")
    interleaved = layout == "interleaved"
    precise = turns.real.dtype
    columns = 2 * turns.shape[-1]
    if interleaved and not _has_complex_view(x):
        x = x.clone(memory_format=torch.contiguous_format)
    # One product is one pass over memory: tiles have nothing to add.
    if interleaved and x.dtype == precise and columns == x.shape[-1]:
        return torch.view_as_real(_as_complex(x) * turns).flatten(-2)

    out = torch.empty_like(x)
    if columns < x.shape[-1]:
        out[..., columns:] = x[..., columns:]
    turn_into = _turn_interleaved if interleaved else _turn_split_half
    cos, sin = turns.real, turns.imag
    factors = (turns,) if interleaved else (torch.cat((cos, cos), dim=-1), sin.contiguous())
    whole = (factor[(None,) * (x.dim() - factor.dim())] for factor in factors)
    # The passes over a tile find it in cache.
    for target, part, *of_tile in _tiles(out[..., :columns], x[..., :columns], *whole):
        part = part.to(precise)
        room = target if target.dtype == precise else torch.empty_like(part)
        turn_into(room, part, *of_tile)
        if room is not target:
            target.copy_(room)
    return out


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


def _turn_interleaved(out: Tensor, x: Tensor, turns: Tensor) -> None:
    torch.mul(_as_complex(x), turns, out=_as_complex(out))


def _turn_split_half(out: Tensor, x: Tensor, cos: Tensor, sin: Tensor) -> None:
    torch.mul(x, cos, out=out)
    (a, b), (out_a, out_b) = x.chunk(2, dim=-1), out.chunk(2, dim=-1)
    out_a.addcmul_(b, sin, value=-1)
    out_b.addcmul_(a, sin)


def _as_complex(x: Tensor) -> Tensor:
    return torch.view_as_complex(x.unflatten(-1, (-1, 2)))


def _has_complex_view(x: Tensor) -> bool:
    *others, last = x.stride()
    return last == 1 and not any(stride % 2 for stride in (*others, x.storage_offset()))


def _check_floats(x: Any, name: str) -> None:
    if not isinstance(x, Tensor) or x.dtype not in guard.FLOATS:
        got = f"dtype {x.dtype}" if isinstance(x, Tensor) else repr(x)
        raise TypeError(f"{name} must be a floating tensor, got {got}: convert it with .float()")
    if x.dim() < 2:
        raise ValueError(
            f"{name} must have shape (…, time, width), got {tuple(x.shape)}: add a dimension with x[None]"
        )


def _check_rotated(rotated: Any, width: int) -> int:
    if rotated is None:
        return width
    guard.even_width(rotated, "rotated")
    if rotated > width:
        raise ValueError(f"rotated must be at most the width {width}, got {rotated}: None turns all columns")
    return rotated


def _check_turns(turns: Any, x: Tensor, rotated: int) -> None:
    if not isinstance(turns, Tensor) or not turns.is_complex() or turns.dim() < 2:
        got = f"{turns.dtype} of {tuple(turns.shape)}" if isinstance(turns, Tensor) else repr(turns)
        raise TypeError(
            f"turns must be complex, of shape (…, time, pairs), got {got}: pass turns(positions, frequencies)"
        )
    if 2 * turns.shape[-1] != rotated:
        raise ValueError(
            f"turns must have rotated / 2 = {rotated // 2} pairs, got shape {tuple(turns.shape)}: pass "
            f"frequencies of that number, or rotated={2 * turns.shape[-1]} to turn the first columns only"
        )
    if x.dtype == torch.float64 and turns.dtype != torch.complex128:
        raise TypeError(
            f"turns must be complex128 for a float64 x, got {turns.dtype}: "
            f"pass turns(positions, frequencies, torch.complex128)"
        )
    if turns.requires_grad:
        raise ValueError("turns must not require a gradient, got requires_grad=True: pass turns.detach()")


def _check_fits(shape: torch.Size, x: Tensor, name: str) -> None:
    """`shape` is (…, time): time is that of x, the others are the first dimensions of x, or 1."""
    if len(shape) == 1 and shape[0] == x.shape[-2]:
        return
    *leading, time = shape or (None,)
    fits = time == x.shape[-2] and len(leading) <= x.dim() - 2
    if not fits or any(size not in (1, whole) for size, whole in zip(leading, x.shape, strict=False)):
        raise ValueError(
            f"{name} must fit x of shape {tuple(x.shape)}, got {tuple(shape)} for (…, time): pass one for "
            f"each of the {x.shape[-2]} tokens, as ({x.shape[-2]},) or ({x.shape[0]}, {x.shape[-2]})"
        )

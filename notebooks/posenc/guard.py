"""Refusals: every function of the package checks its arguments with these.

A message names the argument, the value it had, and the remedy. Types, shapes and dtypes are checked always: a
compiler settles that once, when it traces. The values of a tensor are checked where reading them costs
nothing, on the CPU and outside of compiled graphs, so that no host waits for a device.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)

# float64 holds every integer up to here, and not the next one.
FARTHEST = 2**53


def values(tensor: Tensor) -> np.ndarray[Any, Any] | None:
    """The values of `tensor` as an array, or None where they cannot be read without waiting.

    NumPy shares memory with plain tensors on the CPU and refuses all others: those on another device, on
    meta, fake ones, and those that a transform such as vmap has wrapped.
    """
    if torch.compiler.is_compiling():
        return None
    tensor = tensor.detach()
    if type(tensor) is not Tensor:
        return None
    try:
        return tensor.numpy()
    except (RuntimeError, TypeError):
        return None


def readable(tensor: Tensor, name: str) -> Tensor:
    """Return `tensor` on the CPU if it has values to read, even if that waits; raise ValueError otherwise."""
    on_host = tensor if tensor.is_meta else tensor.cpu()
    if values(on_host) is None:
        raise ValueError(
            f"{name} must have values to read, got {tuple(tensor.shape)} on {tensor.device} without any: "
            f"call this outside of torch.compile, of transforms such as vmap, and of the meta device"
        )
    return on_host


def even_width(width: Any, name: str = "width") -> int:
    """Return `width` if it is a positive even integer; raise TypeError or ValueError otherwise."""
    if not _is_whole(width):
        raise TypeError(f"{name} must be an integer, got {width!r}: pass a whole number such as 64")
    if width <= 0:
        raise ValueError(f"{name} must be positive, got {width}: pass an even number such as 64")
    if width % 2:
        raise ValueError(
            f"{name} must be even, got {width}: columns come in (sin, cos) pairs, "
            f"so use {width - 1 or 2} or {width + 1}"
        )
    return width


def count(value: Any, name: str = "length", least: int = 0) -> int:
    """Return `value` if it is an integer of at least `least`; raise TypeError or ValueError otherwise."""
    if not _is_whole(value):
        raise TypeError(f"{name} must be an integer, got {value!r}: pass a whole number")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}: pass {least} or more")
    return value


def number(value: Any, name: str, least: float | None = None, above: float | None = None) -> float:
    """Return `value` as a float if it is finite, at least `least`, above `above`; raise otherwise."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, got {value!r}: pass a plain int or float")
    if not -float("inf") < value < float("inf"):
        raise ValueError(f"{name} must be finite, got {value}: pass a number that ends")
    if least is not None and value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}: pass {least} or more")
    if above is not None and value <= above:
        raise ValueError(f"{name} must be above {above}, got {value}: pass a larger number")
    return float(value)


def whole_positions(positions: Any, name: str = "positions") -> Tensor:
    """Return `positions` as an int64 tensor of any shape; raise TypeError for what is not integers."""
    if isinstance(positions, Tensor) and positions.dtype == torch.int64:
        return positions
    tensor = positions
    if not isinstance(positions, Tensor):
        try:
            tensor = torch.as_tensor(positions)
        except (TypeError, ValueError, RuntimeError) as problem:
            raise TypeError(
                f"{name} must be integers, got {positions!r}: pass a tensor such as torch.arange(6)"
            ) from problem
    if tensor.dtype.is_floating_point or tensor.dtype.is_complex or tensor.dtype == torch.bool:
        raise TypeError(
            f"{name} must be integers, got dtype {tensor.dtype}: "
            f"pass integers such as torch.arange(6), or convert with .long() if the values are whole"
        )
    return tensor.long()


def exact_positions(positions: Any, name: str = "positions") -> Tensor:
    """Return `positions` as an int64 tensor that float64 holds exactly; raise TypeError or ValueError."""
    positions = whole_positions(positions, name)
    places = values(positions)
    if places is not None and places.size and not -FARTHEST <= places.min() <= places.max() <= FARTHEST:
        outside = places[(places < -FARTHEST) | (places > FARTHEST)]
        raise ValueError(
            f"{name} must lie within ±2^53, got {outside[0]}: float64, in which angles are computed, "
            f"rounds integers beyond, so subtract a common offset, which no score would notice"
        )
    return positions


def choice(value: Any, options: Sequence[Any], name: str) -> Any:
    """Return `value` if it is one of `options`; raise ValueError otherwise."""
    if value not in options:
        raise ValueError(f"{name} must be one of {options}, got {value!r}: pick one of these")
    return value


def head_width(width: Any, heads: Any) -> int:
    """Return width / heads; raise TypeError or ValueError if the heads cannot share the columns evenly."""
    count(width, "width", least=1)
    count(heads, "heads", least=1)
    if width % heads:
        raise ValueError(
            f"heads must divide width, got heads={heads} and width={width}: "
            f"use a width of {width // heads * heads or heads} or {(width // heads + 1) * heads}"
        )
    return width // heads


def vectors(x: Any, width: int | None = None, name: str = "x") -> Tensor:
    """Return `x` if it is a floating tensor (batch, time, width); raise otherwise."""
    if not isinstance(x, Tensor) or not x.dtype.is_floating_point:
        kind = f"dtype {x.dtype}" if isinstance(x, Tensor) else type(x).__name__
        raise TypeError(f"{name} must be a floating tensor, got {kind}: pass embeddings, not token ids")
    if x.dim() != 3:
        raise ValueError(
            f"{name} must have shape (batch, time, width), got {tuple(x.shape)}: "
            f"give a single sequence a batch axis with {name}[None]"
        )
    if width is not None and x.shape[-1] != width:
        raise ValueError(
            f"{name} must have {width} columns, got shape {tuple(x.shape)}: "
            f"pass (batch, time, {width}), or build with width={x.shape[-1]}"
        )
    return x


def token_ids(tokens: Any, vocabulary: int, name: str = "tokens") -> Tensor:
    """Return `tokens` as int64 (batch, time), in 0 … vocabulary - 1; raise otherwise."""
    tokens = whole_positions(tokens, name)
    if tokens.dim() != 2:
        raise ValueError(
            f"{name} must have shape (batch, time), got {tuple(tokens.shape)}: "
            f"give a single sequence a batch axis with {name}[None]"
        )
    return within(tokens, vocabulary, name, lambda largest: f"raise vocabulary above {largest}, or map the ids")


def positions_for(
    positions: Any, batch: int, time: int, name: str = "positions", device: torch.device | None = None
) -> Tensor:
    """Return int64 positions of shape (time,) or (batch, time); None counts from 0. Raise otherwise.

    They come back on `device`, if one is given, and else where they are.
    """
    if positions is None:
        return torch.arange(time, device=device)
    positions = whole_positions(positions, name)
    if tuple(positions.shape) not in ((time,), (batch, time)):
        raise ValueError(
            f"{name} must have shape ({time},) or ({batch}, {time}), got {tuple(positions.shape)}: "
            f"give each token of a (batch, time, width) input one; transpose a (time, batch, width) input"
        )
    return positions.to(device)


def within(
    integers: Tensor, length: int, name: str = "positions", remedy: str | Callable[[int], str] = "lower it"
) -> Tensor:
    """Return `integers` if all lie in 0 … length - 1; raise ValueError naming the first outside.

    remedy: what the message ends with, or a function that makes it from the largest of the integers.
    """
    found = values(integers)
    if found is not None and (outside := found[(found < 0) | (found >= length)]).size:
        text = remedy if isinstance(remedy, str) else remedy(int(found.max()))
        raise ValueError(f"{name} must lie in 0 … {length - 1}, got {outside[0]}: {text}")
    return integers


def mask_for(mask: Any, batch: int, heads: int, queries: int, keys: int) -> Tensor:
    """Return a bool `mask` (queries, keys), or of rank 4 broadcasting to the scores; raise otherwise."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        kind = f"dtype {mask.dtype}" if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(f"mask must be a bool tensor, got {kind}: True where a query may look, mask != 0 or the like")
    full = (batch, heads, queries, keys)
    fits = mask.dim() == 4 and all(m in (1, f) for m, f in zip(mask.shape, full, strict=True))
    if not fits and tuple(mask.shape) != (queries, keys):
        raise ValueError(
            f"mask must have shape ({queries}, {keys}), or broadcast to {full}, got {tuple(mask.shape)}: "
            f"write a padding mask (batch, keys) as mask[:, None, None, :]"
        )
    return mask


def a_key_for_each(allowed: Tensor, causal: bool) -> Tensor:
    """Return the bool tensor `allowed` (…, queries, keys) if each query has a key; ValueError otherwise."""
    found = values(allowed)
    if found is not None and not found.any(-1).all():
        raise ValueError(
            f"mask and causal={causal} leave a query without any key, its softmax would be 0/0: "
            f"let every query see one key at least"
        )
    return allowed


def split_heads(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Refuse q, k, v that are not (batch, heads, time, head width), not empty, and fitting; ValueError."""
    for name, part in (("q", q), ("k", k), ("v", v)):
        if part.dim() != 4 or part.numel() == 0:
            raise ValueError(
                f"{name} must have shape (batch, heads, time, head width), got {tuple(part.shape)}: "
                f"split the heads first, give a single sequence a batch axis, leave no axis empty"
            )
    if q.shape[:2] != k.shape[:2] or q.shape[3] != k.shape[3] or k.shape[:3] != v.shape[:3]:
        raise ValueError(
            f"q, k and v must fit, got {tuple(q.shape)}, {tuple(k.shape)}, {tuple(v.shape)}: "
            f"one batch and one number of heads, q as wide as k, as many values as keys"
        )


def floats(x: Any, name: str) -> Tensor:
    """Return `x` if it is a floating tensor (…, time, width); raise TypeError or ValueError otherwise."""
    if not isinstance(x, Tensor) or x.dtype not in FLOATS:
        got = f"dtype {x.dtype}" if isinstance(x, Tensor) else repr(x)
        raise TypeError(f"{name} must be a floating tensor, got {got}: convert it with .float()")
    if x.dim() < 2:
        raise ValueError(f"{name} must have shape (…, time, width), got {tuple(x.shape)}: add a dimension with x[None]")
    return x


def heads_of_width(x: Any, width: int, name: str) -> Tensor:
    """Return `x` if it is a floating tensor (…, time, width) of this width; raise otherwise."""
    if floats(x, name).shape[-1] != width:
        raise ValueError(
            f"{name} must be {width} wide, got shape {tuple(x.shape)}: "
            f"split the heads first, or build Rotary({x.shape[-1]})"
        )
    return x


def rotated_columns(rotated: Any, width: int) -> int:
    """Return how many of `width` columns turn: all for None, else `rotated`, even; raise otherwise."""
    if rotated is None:
        return width
    even_width(rotated, "rotated")
    if rotated > width:
        raise ValueError(f"rotated must be at most the width {width}, got {rotated}: None turns all columns")
    return rotated


def turns_for(turns: Any, x: Tensor, rotated: int) -> Tensor:
    """Return `turns` if they are complex, one for each of rotated / 2 pairs of `x`; raise otherwise."""
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
    return turns


def fits(shape: torch.Size, x: Tensor, name: str) -> torch.Size:
    """Return `shape`, (…, time), if time is that of x and the rest the first dimensions of x, or 1; raise."""
    if len(shape) == 1 and shape[0] == x.shape[-2]:  # nearly always, and for one token this check would take long
        return shape
    *leading, time = shape or (None,)
    good = time == x.shape[-2] and len(leading) <= x.dim() - 2
    if not good or any(size not in (1, whole) for size, whole in zip(leading, x.shape, strict=False)):
        raise ValueError(
            f"{name} must fit x of shape {tuple(x.shape)}, got {tuple(shape)} for (…, time): pass one for "
            f"each of the {x.shape[-2]} tokens, as ({x.shape[-2]},) or ({x.shape[0]}, {x.shape[-2]})"
        )
    return shape


def same_shape(scheme: object, door: str, before: Sequence[Tensor], after: Sequence[Tensor]) -> Sequence[Tensor]:
    """Return the tensors `after` if they have the shapes of `before`: others would broadcast, unseen."""
    if [t.shape for t in before] != [t.shape for t in after]:
        raise ValueError(
            f"{type(scheme).__name__}.{door} must keep the shapes {[tuple(t.shape) for t in before]}, "
            f"got {[tuple(t.shape) for t in after]}: return one entry for each that came in"
        )
    return after


def _is_whole(value: object) -> bool:
    """Is it an integer, or the symbol for one while a model is exported?"""
    return isinstance(value, (int, torch.SymInt)) and not isinstance(value, bool)

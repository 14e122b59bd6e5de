"""Refusals: every function of the package checks its arguments with these.

A message names the argument, what it must be, the value it had, and the remedy. Types, shapes and dtypes are checked
always: a compiler settles that once, when it traces. The values of a tensor are checked where reading them costs
nothing, on the CPU and outside of compiled graphs, so that no host waits for a device.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import torch
from torch import Tensor

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
# While a model is exported, its sizes are symbols.
INTEGERS: Any = (int, torch.SymInt)

# float64 holds every integer up to here, and not the next one.
FARTHEST = 2**53


def refuse(name: str, requirement: str, value: Any, remedy: str = "", error: type[Exception] = ValueError) -> NoReturn:
    """Raise `error` with the one sentence that all refusals have."""
    raise error(f"{name} must {requirement}, got {value}{': ' if remedy else ''}{remedy}")


def values(tensor: Tensor) -> np.ndarray[Any, Any] | None:
    """The values of `tensor` as an array, or None where they cannot be read without waiting.

    NumPy shares memory with plain tensors on the CPU and refuses all others: those on another device, on
    meta, fake ones, and those that a transform such as vmap has wrapped.
    """
    if torch.compiler.is_compiling() or type(tensor.detach()) is not Tensor:
        return None
    try:
        return tensor.detach().numpy()
    except (RuntimeError, TypeError):
        return None


def count(value: Any, name: str = "length", least: int = 0) -> int:
    """`value` if it is an integer of at least `least`; raises TypeError or ValueError otherwise."""
    if not isinstance(value, INTEGERS) or isinstance(value, bool):
        refuse(name, "be an integer", repr(value), "pass a whole number", TypeError)
    if value < least:
        refuse(name, f"be at least {least}", value, f"pass {least} or more")
    return value


def even_width(width: Any, name: str = "width") -> int:
    """`width` if it is a positive even integer; raises TypeError or ValueError otherwise."""
    count(width, name, least=1)
    if width % 2:
        refuse(name, "be even", width, f"columns come in (sin, cos) pairs, so use {width - 1 or 2} or {width + 1}")
    return width


def head_width(width: Any, heads: Any) -> int:
    """The width of a head; raises TypeError or ValueError if the heads cannot share the columns evenly."""
    count(width, "width", least=1)
    count(heads, "heads", least=1)
    if width % heads:
        remedy = f"use a width of {width // heads * heads or heads} or {(width // heads + 1) * heads}"
        refuse("heads", "divide width", f"heads={heads} and width={width}", remedy)
    return width // heads


def rotated_columns(rotated: Any, width: int) -> int:
    """How many of `width` columns turn: all for None, else `rotated`, which must be even; raises otherwise."""
    if rotated is None:
        return width
    even_width(rotated, "rotated")
    if rotated > width:
        refuse("rotated", f"be at most the width {width}", rotated, "None turns all columns")
    return rotated


def number(value: Any, name: str, least: float | None = None, above: float | None = None) -> float:
    """`value` as a float if it is finite, at least `least`, above `above`; raises otherwise."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        refuse(name, "be a number", repr(value), "pass a plain int or float", TypeError)
    if not -float("inf") < value < float("inf"):
        refuse(name, "be finite", value, "pass a finite number")
    if least is not None and value < least:
        refuse(name, f"be at least {least}", value, f"pass {least} or more")
    if above is not None and value <= above:
        refuse(name, f"be above {above}", value, "pass a larger number")
    return float(value)


def choice(value: Any, options: Sequence[Any], name: str) -> Any:
    """`value` if it is one of `options`; raises ValueError otherwise."""
    if value not in options:
        refuse(name, f"be one of {options}", repr(value))
    return value


def whole_positions(positions: Any, name: str = "positions") -> Tensor:
    """`positions` as an int64 tensor of any shape; raises TypeError for what is not integers."""
    positions = _tensor(positions, name)
    if positions.dtype.is_floating_point or positions.dtype.is_complex or positions.dtype == torch.bool:
        remedy = "pass integers such as torch.arange(6), or convert with .long() if the values are whole"
        remedy += "; for seconds, boxes and the like see the recipe 'Turn by time stamps'"
        refuse(name, "be integers", f"dtype {positions.dtype}", remedy, TypeError)
    if positions.dtype == torch.uint64:
        array = values(positions)
        if array is None or (array > np.iinfo(np.int64).max).any():
            refuse(name, "fit int64", "uint64 beyond 2^63 - 1, or unread", "convert them before, so that none wraps")
    return positions.long()


def _tensor(positions: Any, name: str) -> Tensor:
    """`positions` as a tensor, as torch reads them."""
    if isinstance(positions, Tensor):
        return positions
    try:
        if isinstance(positions, np.ndarray):  # torch takes neither reversed strides nor foreign bytes
            positions = positions.astype(positions.dtype.newbyteorder("="))
        read = torch.as_tensor(positions)
        return read if read.numel() else read.long()  # no token has no dtype
    except (TypeError, ValueError, RuntimeError):
        refuse(name, "be integers", repr(positions), "pass a tensor such as torch.arange(6)", TypeError)


def exact_numbers(numbers: Any, name: str, remedy: str) -> Tensor:
    """`numbers` if they are a float64 tensor, finite, and not trained; raises TypeError or ValueError."""
    if not isinstance(numbers, Tensor) or numbers.dtype != torch.float64:
        value = f"dtype {numbers.dtype}" if isinstance(numbers, Tensor) else repr(numbers)
        refuse(name, "be a float64 tensor", value, remedy, TypeError)
    array = values(numbers)
    if array is not None and not np.isfinite(array).all():
        refuse(name, "be finite", array[~np.isfinite(array)][0], "a base near 0 is too much for float64")
    if numbers.requires_grad:
        refuse(name, "not require a gradient", "requires_grad=True", f"nothing trains here: pass {name}.detach()")
    return numbers


def representable(positions: Tensor, dtype: torch.dtype, name: str = "positions") -> Tensor:
    """`positions` if the largest is a finite number of `dtype`; raises ValueError otherwise."""
    array = values(positions)
    if array is not None and array.size and np.abs(array).max() > torch.finfo(dtype).max:
        remedy = f"{dtype} ends at {torch.finfo(dtype).max:.0f}: compute in float32"
        refuse(name, "be numbers of the dtype", int(np.abs(array).max()), remedy)
    return positions


def exact_positions(positions: Any) -> Tensor:
    """`positions` as int64 that float64 holds exactly, or float64 as it is; raises TypeError or ValueError."""
    given, positions = positions, _tensor(positions, "positions")
    if positions.dtype.is_floating_point and not isinstance(given, Tensor | np.ndarray):  # Python's numbers are float64
        positions = torch.as_tensor(given, dtype=torch.float64)
    if positions.dtype.is_floating_point and positions.dtype != torch.float64:
        remedy = "pass positions that are not whole in float64 from their source on, and whole ones as integers"
        refuse("positions", "be integers or float64", f"dtype {positions.dtype}", remedy, TypeError)
    positions = positions if positions.dtype == torch.float64 else whole_positions(positions)
    array = values(positions)
    if array is not None and array.size and not -FARTHEST <= array.min() <= array.max() <= FARTHEST:
        outside = array[~(np.abs(array) <= FARTHEST)]  # or no number
        remedy = "float64 rounds integers beyond, so subtract a common offset, which no score would notice"
        refuse("positions", "lie within ±2^53", outside[0], remedy)
    return positions


def within(integers: Tensor, length: int, remedy: str, name: str = "positions") -> Tensor:
    """`integers` if all lie in 0 … length - 1; raises ValueError naming the first outside."""
    array = values(integers)
    if array is not None and (outside := array[(array < 0) | (array >= length)]).size:
        refuse(name, f"lie in 0 … {length - 1}", outside[0], remedy)
    return integers


def token_ids(tokens: Any, vocabulary: int) -> Tensor:
    """`tokens` as int64 (batch, time), in 0 … vocabulary - 1; raises otherwise."""
    tokens = whole_positions(tokens, "tokens")
    if tokens.dim() != 2:
        refuse("tokens", "have shape (batch, time)", tuple(tokens.shape), "tokens[None] is a batch of one")
    return within(tokens, vocabulary, "build with a larger vocabulary, or map the ids", "tokens")


def positions_for(positions: Any, batch: int, time: int, name: str = "positions", device: Any = None) -> Tensor:
    """int64 positions, (time,) or (batch, time), on `device` if given; from 0 for None; raises otherwise."""
    if positions is None:
        return torch.arange(time, device=device)
    positions = whole_positions(positions, name)
    if tuple(positions.shape) not in ((time,), (batch, time)):
        remedy = "pass one position per token; if the input is (time, batch, width), transpose it first"
        refuse(name, f"have shape ({time},) or ({batch}, {time})", tuple(positions.shape), remedy)
    return positions.to(device)


def fits(shape: torch.Size, x: Tensor, name: str) -> torch.Size:
    """`shape`, (…, time), if time is that of x and the rest the first dimensions of x, or 1; raises otherwise."""
    time = x.shape[-2]
    # Nearly always; and for one token the full check would take long.
    if len(shape) == 1 and shape[0] == time:
        return shape
    good = shape[-1:] == (time,) and len(shape) < x.dim()
    if not good or any(size not in (1, full) for size, full in zip(shape[:-1], x.shape, strict=False)):
        remedy = f"pass one for each of the {time} tokens, as ({time},) or ({x.shape[0]}, {time})"
        refuse(name, f"fit x of shape {tuple(x.shape)}", f"{tuple(shape)} for (…, time)", remedy)
    return shape


def floats(x: Any, name: str, remedy: str = "convert it with .float()") -> Tensor:
    """`x` if it is a floating tensor (…, time, width); raises TypeError or ValueError otherwise."""
    if not isinstance(x, Tensor) or x.dtype not in FLOATS:
        refuse(name, "be a floating tensor", _kind(x), remedy, TypeError)
    if x.dim() < 2:
        refuse(name, "have shape (…, time, width)", tuple(x.shape), "add a dimension with x[None]")
    return x


def vectors(x: Any, width: int, name: str = "x") -> Tensor:
    """`x` if it is a floating tensor (batch, time, width); raises otherwise."""
    floats(x, name, "pass embeddings, not token ids")
    if x.dim() != 3:
        refuse(name, "have shape (batch, time, width)", tuple(x.shape), f"{name}[None] is a batch of one")
    if x.shape[-1] != width:
        remedy = f"pass (batch, time, {width}), or build with width={x.shape[-1]}"
        refuse(name, f"have {width} columns", f"shape {tuple(x.shape)}", remedy)
    return x


def heads_of_width(x: Any, width: int, name: str) -> Tensor:
    """`x` if it is a floating tensor (…, time, width) of this width; raises otherwise."""
    if floats(x, name).shape[-1] != width:
        refuse(name, f"be {width} wide", f"shape {tuple(x.shape)}", f"split the heads, or use Rotary({x.shape[-1]})")
    return x


def split_heads(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Refuse q, k, v that are not (batch, heads, time, head width), not empty, and fitting; ValueError."""
    for name, part in (("q", q), ("k", k), ("v", v)):
        if part.dim() != 4 or part.numel() == 0:
            remedy = "split the heads first; add a batch axis if there is only one sequence; no axis may be empty"
            refuse(name, "have shape (batch, heads, time, head width)", tuple(part.shape), remedy)
    if q.shape[:2] != k.shape[:2] or q.shape[3] != k.shape[3] or k.shape[:3] != v.shape[:3]:
        shapes = f"{tuple(q.shape)}, {tuple(k.shape)}, {tuple(v.shape)}"
        remedy = "one batch and one number of heads, q as wide as k, as many values as keys"
        refuse("q, k and v", "fit", shapes, remedy)


def mask_for(mask: Any, batch: int, heads: int, queries: int, keys: int) -> Tensor:
    """A bool `mask` (queries, keys), or of rank 4 broadcasting to the scores; raises otherwise."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        refuse("mask", "be a bool tensor", _kind(mask), "True where a query may look, as in mask != 0", TypeError)
    full = (batch, heads, queries, keys)
    broadcasts = mask.dim() == 4 and all(m in (1, f) for m, f in zip(mask.shape, full, strict=True))
    if not broadcasts and tuple(mask.shape) != (queries, keys):
        remedy = "write a padding mask (batch, keys) as mask[:, None, None, :]"
        refuse("mask", f"have shape ({queries}, {keys}), or broadcast to {full}", tuple(mask.shape), remedy)
    return mask


def a_key_for_each(allowed: Tensor, causal: bool) -> Tensor:
    """The bool tensor `allowed` (…, queries, keys) if each query has a key; raises ValueError otherwise."""
    array = values(allowed)
    if array is not None and not array.any(-1).all():
        remedy = f"mask and causal={causal} must leave each query at least one key"
        raise ValueError(f"some query has no key to attend to, so its softmax would be 0/0: {remedy}")
    return allowed


def turns_for(turns: Any, x: Tensor, rotated: int) -> Tensor:
    """`turns` if they are complex, one for each of rotated / 2 pairs of `x`; raises otherwise."""
    if not isinstance(turns, Tensor) or not turns.is_complex() or turns.dim() < 2:
        value = f"{turns.dtype} of {tuple(turns.shape)}" if isinstance(turns, Tensor) else repr(turns)
        refuse("turns", "be complex, of shape (…, time, pairs)", value, "pass turns(positions, frequencies)", TypeError)
    pairs = turns.shape[-1]
    if 2 * pairs != rotated:
        remedy = f"pass frequencies of that number, or rotated={2 * pairs} to turn the first columns only"
        refuse("turns", f"have rotated / 2 = {rotated // 2} pairs", f"shape {tuple(turns.shape)}", remedy)
    if x.dtype == torch.float64 and turns.dtype != torch.complex128:
        refuse("turns", "be complex128 for a float64 x", turns.dtype, "pass dtype=torch.complex128 to turns", TypeError)
    if turns.requires_grad:
        refuse("turns", "not require a gradient", "requires_grad=True", "pass turns.detach()")
    return turns


def same_shape(scheme: object, door: str, before: Sequence[Tensor], after: Sequence[Tensor]) -> Sequence[Tensor]:
    """The tensors `after` if they have the shapes of `before`: others would broadcast, unseen."""
    if [t.shape for t in before] != [t.shape for t in after]:
        old, new = ([tuple(t.shape) for t in tensors] for tensors in (before, after))
        name = f"{type(scheme).__name__}.{door}"
        refuse(name, f"keep the shapes {old}", new, "return one entry for each that came in")
    return after


def _kind(x: Any) -> str:
    """What a value is, for a message: the dtype of a tensor, or the name of another type."""
    return f"dtype {x.dtype}" if isinstance(x, Tensor) else type(x).__name__

"""Refusals: every function of the package checks its arguments with these.

A message names the argument, the value it had, and the remedy.
"""

import torch

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def even_width(width, name="width"):
    """Return `width` if it is a positive even integer; raise TypeError or ValueError otherwise."""
    if isinstance(width, bool) or not isinstance(width, int):
        raise TypeError(f"{name} must be an integer, got {width!r}: pass a whole number such as 64")
    if width <= 0:
        raise ValueError(f"{name} must be positive, got {width}: pass an even number such as 64")
    if width % 2:
        raise ValueError(
            f"{name} must be even, got {width}: columns come in (sin, cos) pairs, "
            f"so use {width - 1 or 2} or {width + 1}"
        )
    return width


def count(value, name="length", least=0):
    """Return `value` if it is an integer of at least `least`; raise TypeError or ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an integer, got {value!r}: pass a whole number")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}: pass {least} or more")
    return value


def positive_base(base, name="base"):
    """Return `base` as a float if it is finite and positive; raise TypeError or ValueError otherwise."""
    if isinstance(base, bool) or not isinstance(base, (int, float)):
        raise TypeError(f"{name} must be a number, got {base!r}: pass a number such as 10000.0")
    if not 0 < base < float("inf"):
        raise ValueError(f"{name} must be positive and finite, got {base}: 10000.0 is the usual choice")
    return float(base)


def whole_positions(positions, name="positions"):
    """Return `positions` as an int64 tensor of any shape; raise TypeError for what is not integers."""
    if isinstance(positions, torch.Tensor):
        tensor = positions
    else:
        try:
            tensor = torch.as_tensor(positions)
        except (TypeError, ValueError, RuntimeError) as problem:
            raise TypeError(
                f"{name} must be integers, got {positions!r}: pass a tensor such as torch.arange(6)"
            ) from problem
    if tensor.dtype.is_floating_point or tensor.dtype.is_complex or tensor.dtype == torch.bool:
        raise TypeError(
            f"{name} must be integers, got dtype {tensor.dtype}: "
            f"pass torch.arange(6), or convert with .long() if the values are whole"
        )
    return tensor.long()


def one_of(value, choices, name):
    """Return `value` if it is one of `choices`; raise ValueError otherwise."""
    if value not in choices:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}: pass one of these"
        )
    return value

"""Rotary position embedding (RoPE): the second door, taught in chapters 07 and 08.

Read a pair of columns (a, b) of a query or key as the complex number a + ib. At position p the pair
with angular frequency ω is multiplied by exp(ipω): it turns counter-clockwise by pω. The inner product of
a query turned at m and a key turned at n then depends on n - m alone.

`posenc.layouts` says which columns make a pair. Source: Su et al. 2021, section 3.
"""

from typing import Any

import torch
from torch import Tensor

from posenc import frequencies as omega
from posenc import validate
from posenc.doors import Scheme
from posenc.layouts import LAYOUTS, convert_rows, permutation

NOTHING = {"q": (None, None), "k": (None, None)}  # the tables that a new Rotary keeps

__all__ = ["LAYOUTS", "Rotary", "RotaryValues", "convert_rows", "permutation", "rotate", "turns"]


def turns(positions: Any, frequencies: Tensor, dtype: torch.dtype = torch.complex64) -> Tensor:
    """The turns exp(ipω).

    positions: integers of either sign, or other numbers in float64, at most 2⁵³ in size, shape (…, time), in any order.
    frequencies: float64, shape (pairs,); `frequencies.geometric(width, base)` gives the usual ones.
    dtype: complex64, or complex128 to turn float64 vectors.
    Returns shape (…, time, pairs). The angles, sines and cosines are computed in float64 and rounded last. An
    angle is off by up to |p|·2⁻⁵³ radians: keep positions below 2⁴⁰, where a score is off by less than 10⁻³.
    Raises TypeError or ValueError for any other argument.
    Source: Su et al. 2021, equation 12.
    """
    positions = validate.exact_positions(positions)
    if positions.dim() == 0:
        raise ValueError("positions must have a time dimension, got shape (): pass a list of one")
    validate.choice(dtype, (torch.complex64, torch.complex128), "dtype")
    angles = omega.angles(positions, frequencies)
    return torch.complex(angles.cos(), angles.sin()).to(dtype).to(positions.device)


def rotate(x: Tensor, turns: Tensor, layout: str = "interleaved", rotated: int | None = None) -> Tensor:
    """Turn every pair of `x` by the turn of its position.

    x: floating, shape (…, time, width), width even. Computed in float32 (float64 for float64), returned in
    the dtype of x. Gradients flow to x, not to the turns.
    turns: complex, shape (…, time, rotated/2), from `turns`. The dimensions before time are the first
    dimensions of x, each equal to it or 1; the dimensions of x that are left share the turns. So against
    x of (batch, heads, time, width), positions of (time,) serve all, and of (batch, time) one sequence each.
    layout: one of LAYOUTS.
    rotated: how many leading columns turn; the others pass unchanged. None means all.
    Raises TypeError or ValueError for any other argument.
    Source: Su et al. 2021, equations 15 and 34; partial rotation: Black et al. 2022, section 2.1.1.
    """
    validate.floats(x, "x")
    validate.even_width(x.shape[-1], "the width of x")
    rotated = validate.rotated_columns(rotated, x.shape[-1])
    validate.choice(layout, LAYOUTS, "layout")
    validate.turns_for(turns, x, rotated)
    validate.fits(turns.shape[:-1], x, "turns")
    turns = turns.to(torch.complex128 if x.dtype == torch.float64 else torch.complex64)
    return _rotate(x, layout, *_tables(turns.real, turns.imag, layout))


def _tables(cos: Tensor, sin: Tensor, layout: str) -> tuple[Tensor, Tensor]:
    """(cos, cos) and (-sin, sin) for the columns of each pair. cos, sin: (…, time, pairs)."""
    dim = -1 if layout == "interleaved" else -2
    return torch.stack((cos, cos), dim), torch.stack((-sin, sin), dim)


def _rotate(x: Tensor, layout: str, cos: Tensor, sin: Tensor) -> Tensor:
    """x with its first columns turned, as many as the tables have: each pair (a, b) times exp(ipω).

    That is (a, b)·(cos, cos) + (b, a)·(-sin, sin), in the dtype of the tables. Real numbers, since compilers have no
    code for complex ones, and no complex number has sixteen bits.
    """
    columns = cos.shape[-2:].numel()
    if columns < x.shape[-1]:
        return torch.cat((_rotate(x[..., :columns], layout, cos, sin), x[..., columns:]), -1)
    if cos.dim() > 3:  # what lies between batch and time in x, such as the heads, shares the turns
        between = [1] * (x.dim() + 1 - cos.dim())
        cos, sin = (table.reshape(*table.shape[:-3], *between, *table.shape[-3:]) for table in (cos, sin))
    shape, dim = ((-1, 2), -1) if layout == "interleaved" else ((2, -1), -2)
    pairs = x.to(cos.dtype).unflatten(-1, shape)
    turned = pairs.roll(1, dim)  # (b, a), in memory of its own
    turned.mul_(sin).addcmul_(pairs, cos)  # in place: new memory takes longer than the arithmetic
    return turned.flatten(-2).to(x.dtype)


class Rotary(Scheme):
    """RoPE as a scheme for the second door: turns queries and keys, leaves values alone.

    width: the head width, even. base: positive. layout: one of LAYOUTS.
    rotated: how many leading columns turn; None means all. The frequencies are those of this width.
    frequencies: float64, shape (rotated/2,), in place of those that `base` gives; not trained.
    Raises TypeError or ValueError for any other argument.

    What it was built with is fixed. The frequencies stay float64 under `.half()` and `.to(torch.bfloat16)`,
    follow the module to its device, outlive the meta device, and are in no `state_dict`. Where a device has no
    float64, as Apple's, they stay on the CPU, which sends cosines and sines. How far out positions may lie is said
    in `turns`.
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
        validate.even_width(width)
        self.width, self.rotated = width, validate.rotated_columns(rotated, width)
        self.layout = validate.choice(layout, LAYOUTS, "layout")
        exact = omega.geometric(self.rotated, base) if frequencies is None else frequencies
        self.base = float(base) if frequencies is None else None
        self._exact_frequencies = omega.check(exact, pairs=self.rotated // 2).clone()
        self.register_buffer("_frequencies", self._exact_frequencies, persistent=False)
        self._kept: dict[str, Any] = dict(NOTHING)

    @property
    def frequencies(self) -> Tensor:
        """A copy of the frequencies: float64, shape (rotated/2,)."""
        return self._frequencies.clone()

    def query_key(self, q: Tensor, k: Tensor, q_positions: Any, k_positions: Any) -> tuple[Tensor, Tensor]:
        """Turn q and k, each (batch, heads, its time, width), by positions of (time,) or (batch, time).

        The two may differ in length: with a cache, q holds the new tokens and k all of them.
        """
        validate.heads_of_width(q, self.width, "q")
        validate.heads_of_width(k, self.width, "k")
        turned = _rotate(q, self.layout, *self._tables_for(q, q_positions, "q"))
        return turned, _rotate(k, self.layout, *self._tables_for(k, k_positions, "k"))

    def extra_repr(self) -> str:
        low, high = self._exact_frequencies.min(), self._exact_frequencies.max()
        speeds = f"base={self.base}" if self.base else f"frequencies={low:.3g} … {high:.3g}"
        return f"width={self.width}, {speeds}, layout={self.layout!r}, rotated={self.rotated}"

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("width", "base", "layout", "rotated", "frequencies") and hasattr(self, name):
            raise AttributeError(
                f"{name} of a Rotary is fixed, got {value!r}: build a new one with Rotary(…, {name}=…)"
            )
        super().__setattr__(name, value)

    def _apply(self, fn: Any, recurse: bool = True) -> "Rotary":
        # Whatever fn does, casting or leaving memory empty, only the device is taken from it; float32 can go to each.
        self._frequencies = self._frequencies.float()
        super()._apply(fn, recurse)
        self._frequencies = self._exact_frequencies.to(omega.exact_device(self._frequencies.device))
        return self

    def _tables_for(self, x: Tensor, positions: Any, name: str) -> tuple[Tensor, Tensor]:
        """Cosines and sines for x. name: "q" or "k"; the last table of each is kept for the other layers of a step."""
        positions = validate.whole_positions(positions, f"{name}_positions").to(omega.exact_device(x.device))
        validate.fits(positions.shape, x, f"{name}_positions")
        dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
        # Compared by value, since NumPy may change a tensor unseen. None where reading would wait for a device.
        values = validate.values(positions)
        if values is not None:
            # A tensor made in inference mode cannot be saved for a backward pass.
            key = values.tobytes(), values.shape, x.device, dtype, torch.is_inference_mode_enabled()
            for kept, tables in self._kept.values():
                if kept == key:
                    return tables
        angles = omega.angles(positions, self._frequencies)
        tables = _tables(angles.cos().to(dtype).to(x.device), angles.sin().to(dtype).to(x.device), self.layout)
        if values is not None:
            self._kept[name] = key, tables
        return tables

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_kept": dict(NOTHING)}  # copies and saved models carry no table


class RotaryValues(Rotary):
    """RoPE whose values turn as well, and whose mixture turns back: doors 2 and 4.

    R(-p) Σ weight · R(q)v = Σ weight · R(q - p)v: each value arrives turned by its offset.
    Source: DeepSeek V4 in transformers 5.23.0; Su 2025 (kexue.fm/archives/10862), who calls it VO-RoPE.
    """

    def values(self, mixed: Tensor, weights: Tensor, v: Tensor, q_positions: Any, k_positions: Any) -> Tensor:
        """Turn v, as wide as q, by the key's position, mix anew (`mixed` is not used), turn back by the query's."""
        validate.heads_of_width(v, self.width, "v")
        turned = weights @ _rotate(v, self.layout, *self._tables_for(v, k_positions, "k"))
        cos, sin = self._tables_for(turned, q_positions, "q")
        return _rotate(turned, self.layout, cos, -sin)

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
from posenc import guard
from posenc.doors import Scheme
from posenc.layouts import LAYOUTS, convert_rows, permutation

# Elements: above LARGE, sixteen-bit vectors are turned some CACHED at a time (in float32 four megabytes, and one).
LARGE, CACHED = 2**20, 2**18

__all__ = ["LAYOUTS", "Rotary", "RotaryValues", "convert_rows", "permutation", "rotate", "turns"]


def turns(positions: Any, frequencies: Tensor, dtype: torch.dtype = torch.complex64) -> Tensor:
    """The turns exp(ipω).

    positions: integers of either sign, at most 2⁵³ in size, shape (…, time), in any order.
    frequencies: float64, shape (pairs,); `frequencies.geometric(width, base)` gives the usual ones.
    dtype: complex64, or complex128 to turn float64 vectors.
    Returns shape (…, time, pairs). The angles, sines and cosines are computed in float64 and rounded last. An
    angle is off by up to |p|·2⁻⁵³ radians: keep positions below 2⁴⁰, where a score is off by less than 10⁻³.
    Raises TypeError or ValueError for any other argument.
    Source: Su et al. 2021, equation 12.
    """
    positions = guard.whole_positions(positions)
    if positions.dim() == 0:
        raise ValueError("positions must have a time dimension, got shape (): pass a list of one")
    guard.choice(dtype, (torch.complex64, torch.complex128), "dtype")
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
    guard.floats(x, "x")
    guard.even_width(x.shape[-1], "the width of x")
    rotated = guard.rotated_columns(rotated, x.shape[-1])
    guard.choice(layout, LAYOUTS, "layout")
    guard.turns_for(turns, x, rotated)
    guard.fits(turns.shape[:-1], x, "turns")
    turns = turns.to(torch.complex128 if x.dtype == torch.float64 else torch.complex64)
    return _rotate(x, layout, *_cos_sin(turns.real, turns.imag, layout))


def _cos_sin(cos: Tensor, sin: Tensor, layout: str) -> tuple[Tensor, Tensor]:
    """(cos, cos) and (-sin, sin) of each pair, (…, time, pairs) each, in the order of the layout's columns."""
    dim = -1 if layout == "interleaved" else -2
    return torch.stack((cos, cos), dim), torch.stack((-sin, sin), dim)


def _rotate(x: Tensor, layout: str, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the first columns of x, as many as cos covers; the others pass unchanged. Returns shape and dtype of x.

    (a, b)·cos + (-b, a)·sin = (a cos - b sin, b cos + a sin) in the dtype of cos. cos, sin: from `_cos_sin`, which
    holds the signs. These are real numbers, since compilers have no code for complex ones.
    """
    columns = cos.shape[-2] * cos.shape[-1]
    if columns < x.shape[-1]:
        turned = _rotate(x[..., :columns], layout, cos, sin)
        return torch.cat((turned, x[..., columns:]), dim=-1)
    if cos.dim() not in (3, x.dim() + 1):  # what lies between in x, such as the heads, shares the turns
        between = [1] * (x.dim() + 1 - cos.dim())
        cos, sin = (part.reshape(*part.shape[:-3], *between, *part.shape[-3:]) for part in (cos, sin))
    if x.numel() > LARGE and x.element_size() == 2 and x.dim() == 4 and not torch.compiler.is_compiling():
        # Sixteen bits are turned in float32: a few heads at a time, so that the wider copy stays in the cache.
        heads = max(1, CACHED // (x.shape[2] * x.shape[3]))
        if x.shape[1] > heads:
            tables = (part.expand(*x.shape[:2], *part.shape[-3:]) for part in (cos, sin))
            parts = zip(*(part.split(heads, dim=1) for part in (x, *tables)), strict=True)
            return torch.cat([_rotate(some, layout, *of_some) for some, *of_some in parts], dim=1)
    shape, dim = ((-1, 2), -1) if layout == "interleaved" else ((2, -1), -2)
    # (a, b) times (cos, cos), plus (b, a) times (-sin, sin).
    pairs = torch.unflatten(x.to(cos.dtype), -1, shape)
    exchanged = pairs.roll(1, dim)
    # In place, since new memory takes longer than the arithmetic. `exchanged` is a tensor of our own, never x.
    return exchanged.mul_(sin).addcmul_(pairs, cos).flatten(-2).to(x.dtype)


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
        guard.even_width(width)
        self.width, self.rotated = width, guard.rotated_columns(rotated, width)
        self.layout = guard.choice(layout, LAYOUTS, "layout")
        exact = omega.geometric(self.rotated, base) if frequencies is None else frequencies
        self.base = float(base) if frequencies is None else None
        self._exact_frequencies = omega.check(exact, pairs=self.rotated // 2).clone()
        self.register_buffer("_frequencies", self._exact_frequencies, persistent=False)
        self._cache: dict[Any, tuple[Tensor, Tensor]] = {}

    @property
    def frequencies(self) -> Tensor:
        """A copy of the frequencies: float64, shape (rotated/2,)."""
        return self._frequencies.clone()

    def query_key(self, q: Tensor, k: Tensor, q_positions: Any, k_positions: Any) -> tuple[Tensor, Tensor]:
        """Turn q and k, each (batch, heads, its time, width), by positions of (time,) or (batch, time).

        The two may differ in length: with a cache, q holds the new tokens and k all of them.
        """
        guard.heads_of_width(q, self.width, "q")
        guard.heads_of_width(k, self.width, "k")
        tables = self._cos_sin_for(q, q_positions, "q")
        turned = _rotate(q, self.layout, *tables)
        # Without a cache of keys both have the same positions: one look-up serves both.
        if k_positions is q_positions and k.dtype == q.dtype:
            guard.fits(tables[0].shape[:-2], k, "k_positions")
        else:
            tables = self._cos_sin_for(k, k_positions, "k")
        return turned, _rotate(k, self.layout, *tables)

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

    def _cos_sin_for(self, x: Tensor, positions: Any, name: str) -> tuple[Tensor, Tensor]:
        """Cosines and sines for x, computed once for all layers of a step, which ask for the same positions."""
        positions = guard.whole_positions(positions, f"{name}_positions").to(omega.exact_device(x.device))
        guard.fits(positions.shape, x, f"{name}_positions")
        dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
        # Compared by value, since NumPy may change a tensor unseen. None where reading would wait for a device.
        values = guard.values(positions)
        # A tensor made in inference mode cannot be saved for a backward pass.
        key = values is not None and (
            *(values.tobytes(), values.shape, x.device, dtype),
            torch.is_inference_mode_enabled(),
        )
        tables = self._cache.get(key)
        if tables is None:
            angles = omega.angles(positions, self._frequencies)
            cos, sin = (part.to(dtype).to(x.device) for part in (angles.cos(), angles.sin()))
            tables = _cos_sin(cos, sin, self.layout)
            if key:
                # Two are kept: those of the queries, and those of the keys if they are others. One assignment, since
                # another thread may be reading.
                self._cache = dict([*self._cache.items()][-1:]) | {key: tables}
        return tables

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_cache": {}}  # copies and saved models carry no table


class RotaryValues(Rotary):
    """RoPE whose values turn as well, and whose mixture turns back: doors 2 and 4.

    R(-p) Σ weight · R(q)v = Σ weight · R(q - p)v: each value arrives turned by its offset.
    Source: DeepSeek V4 in transformers 5.23.0; Su 2025 (kexue.fm/archives/10862), who calls it VO-RoPE.
    """

    def values(self, mixed: Tensor, weights: Tensor, v: Tensor, q_positions: Any, k_positions: Any) -> Tensor:
        """Turn v, as wide as q, by the key's position, mix anew (`mixed` is not used), turn back by the query's."""
        guard.heads_of_width(v, self.width, "v")
        turned = weights @ _rotate(v, self.layout, *self._cos_sin_for(v, k_positions, "k"))
        cos, sin = self._cos_sin_for(turned, q_positions, "q")
        return _rotate(turned, self.layout, cos, -sin)

"""Codes that are added to the embeddings: the first door.

The functions give the code itself, shape (…, width), for positions of any shape. The classes add it to
embeddings (batch, time, width): each is a scheme for `posenc.doors` and takes the width first.
"""

from typing import Any

import torch
from torch import Generator, Tensor, nn

from posenc import frequencies as omega
from posenc import validate
from posenc.doors import Scheme
from posenc.frequencies import geometric

LAYOUTS = ("interleaved", "concatenated")


def angles(positions: Any, width: int, base: float = 10000.0) -> Tensor:
    """Angles p·ωᵢ at the frequencies of `width` and `base`: float64, shape (…, width/2).

    positions: integers of either sign, or other numbers in float64, at most 2⁵³ in size, shape (…).
    Raises TypeError or ValueError for any other argument.
    """
    return omega.angles(positions, geometric(width, base))


def sinusoidal(
    positions: Any, width: int, base: float = 10000.0, layout: str = "interleaved", dtype: torch.dtype = torch.float32
) -> Tensor:
    """Sines and cosines of the angles p·ωᵢ, computed in float64 and cast last.

    positions: integers of either sign, or other numbers (seconds, m/z, boxes) as a float64 tensor, at most 2⁵³ in
    size, shape (…). width: even. Returns `dtype`, shape (…, width), in [-1, 1].
    layout "interleaved": column 2i is sin(p·ωᵢ), column 2i + 1 is cos(p·ωᵢ), as in the paper;
    "concatenated": column i is the sine, column width/2 + i the cosine.
    Raises TypeError or ValueError for any other argument.
    Source: Vaswani et al. 2017, section 3.5.
    """
    validate.choice(layout, LAYOUTS, "layout")
    validate.choice(dtype, validate.FLOATS, "dtype")
    positions = validate.exact_positions(positions)
    turn = angles(positions, width, base)
    if layout == "interleaved":
        code = torch.stack([turn.sin(), turn.cos()], dim=-1).flatten(-2)
    else:
        code = torch.cat([turn.sin(), turn.cos()], dim=-1)
    return code.to(dtype).to(positions.device)


def index(positions: Any, width: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Position p itself in every column. positions: integers, shape (…). Returns `dtype`, shape (…, width).

    Raises TypeError or ValueError for any other argument, and where float16 has no such number. Sixteen bits do
    not tell all neighbours apart: bfloat16 from 256 on, float16 from 2048 on.
    """
    positions = validate.representable(
        validate.whole_positions(positions), validate.choice(dtype, validate.FLOATS, "dtype")
    )
    validate.count(width, "width", least=1)
    return positions[..., None].expand(*positions.shape, width).to(dtype)


def normalised(positions: Any, length: int, width: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """p / (length - 1) in every column; 0 for a sequence of one token.

    positions: integers in 0 … length - 1, shape (…). Returns `dtype`, shape (…, width), in [0, 1].
    Raises TypeError or ValueError for any other argument.
    """
    positions = validate.whole_positions(positions)
    validate.count(length, "length", least=1)
    remedy = f"the code is defined up to length={length} only: raise length, or pass smaller positions"
    validate.within(positions, length, remedy)
    # While a model is exported, the length is a symbol, of which Python's max would ask the value.
    exact = positions.to(omega.exact_device(positions.device))
    share = exact.to(torch.float64) / torch.sym_max(length - 1, 1)
    validate.count(width, "width", least=1)
    share = share.to(validate.choice(dtype, validate.FLOATS, "dtype")).to(positions.device)
    return share[..., None].expand(*positions.shape, width)


def binary(positions: Any, width: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Bits of the position, least significant first: column j holds bit j, which flips every 2^j positions.

    positions: integers in 0 … 2^width - 1 and below 2^62, shape (…). Returns `dtype`, shape (…, width), of
    zeros and ones. Raises TypeError or ValueError for any other argument.
    """
    positions = validate.whole_positions(positions)
    validate.count(width, "width", least=1)
    remedy = f"a code of width={width} holds {width} bits: pass a larger width, and no negative position"
    validate.within(positions, 2 ** min(width, 62), remedy)
    # A shift by 64 or more is undefined, and positions end below 2^62.
    column = torch.arange(width, device=positions.device).clamp(max=62)
    return (positions[..., None] >> column & 1).to(validate.choice(dtype, validate.FLOATS, "dtype"))


class Additive(Scheme):
    """A scheme of the first door: x ← x + P. A subclass says in `code` what P is."""

    takes: tuple[str, ...] = ("width",)

    def __init__(self, width: int) -> None:
        """width: columns of the embeddings that the code is added to, positive. Raises TypeError or ValueError."""
        super().__init__()
        self.width = validate.count(width, "width", least=1)

    def code(self, positions: Tensor, x: Tensor) -> Tensor:
        """P for positions (time,) or (batch, time): that shape and (width,), in the dtype of x."""
        raise NotImplementedError(f"{type(self).__name__} must define code(positions, x): override it")

    def input(self, x: Tensor, positions: Any = None) -> Tensor:
        """x + P. x: floating, (batch, time, width). positions: (time,) or (batch, time), else from 0 up.

        Raises TypeError or ValueError for any other shape: a table cut along the batch axis would add
        without a complaint and give every token of a sequence the same code.
        """
        validate.vectors(x, self.width)
        positions = validate.positions_for(positions, x.shape[0], x.shape[1], device=omega.exact_device(x.device))
        return x + self.code(positions, x).to(x.device)

    def extra_repr(self) -> str:
        return f"width={self.width}"


class Index(Additive):
    """Adds `index`."""

    def code(self, positions: Tensor, x: Tensor) -> Tensor:
        """P[p, j] = p."""
        return index(positions, self.width, x.dtype)


class Normalised(Additive):
    """Adds `normalised`, with the number of tokens in x as the length: the step depends on the sequence."""

    def code(self, positions: Tensor, x: Tensor) -> Tensor:
        """P[p, j] = p / (time - 1)."""
        return normalised(positions, x.shape[1], self.width, x.dtype)


class Binary(Additive):
    """Adds `binary`."""

    def code(self, positions: Tensor, x: Tensor) -> Tensor:
        """P[p, j] = bit j of p."""
        return binary(positions, self.width, x.dtype)


class Sinusoidal(Additive):
    """Adds `sinusoidal`, computed for the given positions, in the dtype of x: each entry is rounded once.

    There is no table: nothing that `.half()` could round, a `state_dict` carry, a position exceed.
    """

    def __init__(self, width: int, base: float = 10000.0, layout: str = "interleaved") -> None:
        """Arguments of `sinusoidal`; the same refusals."""
        super().__init__(validate.even_width(width))
        self.base = validate.number(base, "base", above=0)
        self.layout = validate.choice(layout, LAYOUTS, "layout")

    def code(self, positions: Tensor, x: Tensor) -> Tensor:
        """P[p] = sinusoidal(p)."""
        return sinusoidal(positions, self.width, self.base, self.layout, x.dtype)

    def extra_repr(self) -> str:
        return f"width={self.width}, base={self.base}, layout={self.layout!r}"


class Learned(Additive):
    """Adds row p of a trained table (max_length, width), as BERT and GPT-2 do. It has no rows beyond."""

    takes = ("width", "max_length")

    def __init__(self, width: int, max_length: int, generator: Generator | None = None) -> None:
        """Rows start normal with deviation 0.02, drawn from `generator` or from torch's global one.

        width, max_length: positive. Raises TypeError or ValueError for any other argument.
        Source: Devlin et al. 2019 (BERT).
        """
        super().__init__(width)
        validate.count(max_length, "max_length", least=1)
        self.table = nn.Parameter(torch.empty(max_length, width).normal_(std=0.02, generator=generator))

    def code(self, positions: Tensor, x: Tensor) -> Tensor:
        """P[p] = table[p]. Raises ValueError for a position without a row, where it can be read."""
        rows = len(self.table)
        remedy = f"the learned table has {rows} rows: pass shorter sequences, or train with a larger max_length"
        return self.table[validate.within(positions, rows, remedy)].to(x.dtype)

    def extra_repr(self) -> str:
        return f"width={self.width}, max_length={len(self.table)}"

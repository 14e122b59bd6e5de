"""Codes that are added to the embeddings: the first door.

The functions give the code itself, shape (…, width), for positions of any shape. The classes add it to
embeddings (batch, time, width): each is a scheme for `posenc.doors` and takes the width first.
"""

import torch
from torch import nn

from posenc import guard
from posenc.doors import Scheme

LAYOUTS = ("interleaved", "concatenated")


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


def sinusoidal(positions, width, base=10000.0, layout="interleaved", dtype=torch.float32):
    """Sines and cosines of the angles p·ω_i, computed in float64 and cast last.

    positions: integers of either sign, shape (…). width: even. Returns `dtype`, shape (…, width), in [-1, 1].
    layout "interleaved": column 2i is sin(p·ω_i), column 2i + 1 is cos(p·ω_i), as in the paper;
    "concatenated": column i is the sine, column width/2 + i the cosine.
    Raises TypeError or ValueError for any other argument.
    Source: Vaswani et al. 2017, section 3.5.
    """
    guard.choice(layout, LAYOUTS, "layout")
    guard.float_dtype(dtype)
    turn = angles(positions, width, base)
    if layout == "interleaved":
        code = torch.stack([turn.sin(), turn.cos()], dim=-1).flatten(-2)
    else:
        code = torch.cat([turn.sin(), turn.cos()], dim=-1)
    return code.to(dtype)


def index(positions, width, dtype=torch.float32):
    """Position p itself in every column. positions: integers, shape (…). Returns `dtype`, shape (…, width).

    Raises TypeError or ValueError for any other argument.
    """
    positions = guard.whole_positions(positions)
    guard.count(width, "width", least=1)
    return positions[..., None].expand(*positions.shape, width).to(guard.float_dtype(dtype))


def normalised(positions, length, width, dtype=torch.float32):
    """p / (length - 1) in every column; 0 for a sequence of one token.

    positions: integers in 0 … length - 1, shape (…). Returns `dtype`, shape (…, width), in [0, 1].
    Raises TypeError or ValueError for any other argument.
    """
    positions = guard.whole_positions(positions)
    guard.count(length, "length", least=1)
    remedy = f"the code is defined up to length={length} only: raise length, or pass smaller positions"
    guard.within(positions, length, remedy=remedy)
    share = positions.to(torch.float64) / max(length - 1, 1)
    guard.count(width, "width", least=1)
    return share[..., None].expand(*positions.shape, width).to(guard.float_dtype(dtype))


def binary(positions, width, dtype=torch.float32):
    """Bits of the position, least significant first: column j holds bit j, which flips every 2^j positions.

    positions: integers in 0 … 2^width - 1 and below 2^62, shape (…). Returns `dtype`, shape (…, width), of
    zeros and ones. Raises TypeError or ValueError for any other argument.
    """
    positions = guard.whole_positions(positions)
    guard.count(width, "width", least=1)
    if positions.numel():
        need = max(int(positions.max()), 1).bit_length()
        remedy = f"width={width} holds {width} bits: pass width={need} or more, and no negative position"
        guard.within(positions, 2 ** min(width, 62), remedy=remedy)
    # A shift by 64 or more is undefined, and positions end below 2^62.
    column = torch.arange(width, device=positions.device).clamp(max=62)
    return (positions[..., None] >> column & 1).to(guard.float_dtype(dtype))


class Additive(Scheme):
    """A scheme of the first door: x ← x + P. A subclass says in `code` what P is."""

    def __init__(self, width):
        """width: columns of the embeddings that the code is added to."""
        super().__init__()
        self.width = guard.count(width, "width", least=1)

    def code(self, positions, x):
        """P for positions (time,) or (batch, time): that shape and (width,), in the dtype of x."""
        raise NotImplementedError(f"{type(self).__name__} must define code(positions, x): override it")

    def input(self, x, positions=None):
        """x + P. x: floating, (batch, time, width). positions: (time,) or (batch, time), else from 0 up.

        Raises TypeError or ValueError for any other shape: a table cut along the batch axis would add
        without a complaint and give every token of a sequence the same code.
        """
        guard.vectors(x, self.width)
        positions = guard.positions_for(positions, x.shape[0], x.shape[1])
        return x + self.code(positions.to(x.device), x)


class Index(Additive):
    """Adds `index`."""

    def code(self, positions, x):
        """P[p, j] = p."""
        return index(positions, self.width, x.dtype)


class Normalised(Additive):
    """Adds `normalised`, with the number of tokens in x as the length: the step depends on the sequence."""

    def code(self, positions, x):
        """P[p, j] = p / (time - 1)."""
        return normalised(positions, x.shape[1], self.width, x.dtype)


class Binary(Additive):
    """Adds `binary`."""

    def code(self, positions, x):
        """P[p, j] = bit j of p."""
        return binary(positions, self.width, x.dtype)


class Sinusoidal(Additive):
    """Adds `sinusoidal`, from a table that grows with the positions asked for.

    The table is a buffer, so that it follows `.to(device)`, and not persistent, so that no `state_dict`
    carries it. It has the dtype of x; each entry is rounded once, from float64.
    """

    farthest = 2**14  # Beyond, and below 0, a table would be larger than it is worth.

    def __init__(self, width, base=10000.0, layout="interleaved"):
        """Arguments of `sinusoidal`; the same refusals."""
        super().__init__(guard.even_width(width))
        self.base = guard.positive_base(base)
        self.layout = guard.choice(layout, LAYOUTS, "layout")
        self.register_buffer("table", torch.empty(0, width), persistent=False)

    def _apply(self, fn, recurse=True):
        # .half() would round the table, and .float() would not bring the digits back: build it anew.
        super()._apply(fn, recurse)
        self.table = self.table[:0]
        return self

    def code(self, positions, x):
        """P[p] = sinusoidal(p)."""
        first, last = int(positions.min()), int(positions.max())
        if first < 0 or last >= self.farthest:
            return sinusoidal(positions, self.width, self.base, self.layout, x.dtype)
        if last >= len(self.table) or self.table.dtype != x.dtype:
            rows = torch.arange(2 ** last.bit_length(), device=self.table.device)
            self.table = sinusoidal(rows, self.width, self.base, self.layout, x.dtype)
        return self.table[positions]


class Learned(Additive):
    """Adds row p of a trained table (max_length, width), as BERT and GPT-2 do. There is nothing beyond it."""

    def __init__(self, width, max_length, generator=None):
        """Rows start normal with deviation 0.02, drawn from `generator` or from torch's global one.

        Source: Devlin et al. 2019 (BERT).
        """
        super().__init__(width)
        guard.count(max_length, "max_length", least=1)
        self.table = nn.Parameter(torch.empty(max_length, width).normal_(std=0.02, generator=generator))

    def code(self, positions, x):
        """P[p] = table[p]. Raises ValueError for a position that has no row."""
        rows = len(self.table)
        remedy = (
            f"the learned table has {rows} rows: pass shorter sequences, or train with a larger max_length"
        )
        return self.table[guard.within(positions, rows, remedy=remedy)].to(x.dtype)

"""The two layouts of RoPE, and how vectors and weights change from one to the other.

A layout says which columns make a pair, for a width of d:
- "interleaved": (0, 1), (2, 3), … (RoFormer, GPT-J)
- "split-half": (0, d/2), (1, d/2 + 1), … (GPT-NeoX, Llama)
"""

import torch
from torch import Tensor

from posenc import validate

LAYOUTS = ("interleaved", "split-half")


def permutation(width: int, source: str, target: str, rotated: int | None = None) -> Tensor:
    """The columns of layout `source` in the order of layout `target`: int64, shape (width,).

    `x[..., permutation(width, source, target)]` carries activations from one layout to the other:
    rotating in `source` and then permuting equals permuting and then rotating in `target`.
    width: even. source, target: from LAYOUTS. rotated: as in `rotate`; the other columns stay where they are.
    Raises TypeError or ValueError for any other argument.
    """
    validate.even_width(width)
    rotated = validate.rotated_columns(rotated, width)
    validate.choice(source, LAYOUTS, "source")
    validate.choice(target, LAYOUTS, "target")
    columns = torch.arange(width)
    if source != target:
        # Seen as a matrix, the columns of one layout are those of the other transposed.
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
    validate.count(heads, "heads", least=1)
    if not isinstance(weight, Tensor) or weight.dim() == 0:
        raise TypeError(f"weight must be a tensor with rows, got {weight!r}: pass linear.weight or linear.bias")
    if len(weight) % heads:
        remedy = "rows are output channels, so pass the number of heads of this very matrix"
        validate.refuse("heads", "divide the rows of weight", f"{heads} heads and {len(weight)} rows", remedy)
    order = permutation(len(weight) // heads, source, target, rotated)
    return weight.unflatten(0, (heads, -1))[:, order].flatten(0, 1)

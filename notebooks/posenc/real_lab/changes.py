"""What chapter 12 changes about positions while the model reads, and which runs that makes.

Each change is a pair: the positions of a text of so many tokens, and the scheme of the second door. None stands for
what the model was trained with.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from posenc import frequencies, real, validate
from posenc.doors import Scheme
from posenc.rotary import Rotary

OMEGA = frequencies.geometric(real.HEAD_WIDTH, real.BASE)
BANDS = {f"pairs {first} to {first + 7}": range(first, first + 8) for first in range(0, 32, 8)}
TOKENS = 256  # of each text
NEAR = 16  # tokens of a block
SHARP = ((1, 2), (2, 1), (11, 1), (16, 0), (19, 3))  # layer and head: those that look one back in each text
BLOCKS = ("drawn within sixteens", "sixteens drawn")  # the order inside each block of NEAR, or that of the blocks
DOSES = {"rows": -1, "columns": 0}  # of a further rounding to four bits: the axis along which its blocks run
BLOCK, LEVELS = 32, 15  # numbers that share a scale, and its steps, as in the file
NOUNS = ["dog man", "king queen", "boy girl", "doctor nurse", "child teacher", "cat mouse", "judge thief", "cook guest"]
VIEWS = {  # how the words of chapter 1's sentences see one another: under which scheme, and whether only backwards
    "sees all": (Scheme(), False),
    "looks back": (Scheme(), True),
    "as trained": (None, True),
}


def turning(omega: Tensor = OMEGA, layout: str = "interleaved") -> Rotary:
    """RoPE for the model's heads, with other frequencies or in another layout."""
    return Rotary(real.HEAD_WIDTH, layout=layout, frequencies=omega)


def still(pairs: Any, speed: float = 0.0) -> Rotary:
    """These pairs turn at a share of their speed; at 0 their part of a score no longer depends on positions."""
    omega = OMEGA.clone()
    omega[_pairs(pairs)] *= speed
    return turning(omega)


class Without(Rotary):
    """These pairs are taken out: they add nothing to any score."""

    def __init__(self, pairs: Any) -> None:
        super().__init__(real.HEAD_WIDTH, layout="interleaved", frequencies=OMEGA)
        self.columns = [column for pair in _pairs(pairs) for column in (2 * pair, 2 * pair + 1)]

    def query_key(self, q: Tensor, k: Tensor, q_positions: Any, k_positions: Any) -> tuple[Tensor, Tensor]:
        """Turn q and k as RoPE does, then set the columns of the pairs to 0 in the queries."""
        q, k = super().query_key(q, k, q_positions, k_positions)
        q = q.clone()
        q[..., self.columns] = 0
        return q, k


class Alike(Rotary):
    """In these pairs keys get the mean key of the text: all but the first token's, or (`first`) that alone.

    The mean is taken before the turn, so each key still says where it stands. Where all but the first are alike, the
    pairs tell a key's position and the first token from the rest, and nothing else of it.
    """

    def __init__(self, pairs: Any, first: bool) -> None:
        super().__init__(real.HEAD_WIDTH, layout="interleaved", frequencies=OMEGA)
        self.columns = [column for pair in _pairs(pairs) for column in (2 * pair, 2 * pair + 1)]
        self.first = first

    def query_key(self, q: Tensor, k: Tensor, q_positions: Any, k_positions: Any) -> tuple[Tensor, Tensor]:
        """Set these columns of the keys to their mean, without the first token, then turn q and k as RoPE does."""
        own = k[..., self.columns]
        mean = own[..., 1:, :].mean(-2, keepdim=True).expand_as(own[..., 1:, :])
        parts = (mean[..., :1, :], own[..., 1:, :]) if self.first else (own[..., :1, :], mean)
        k = k.clone()
        k[..., self.columns] = torch.cat(parts, -2)
        return super().query_key(q, k, q_positions, k_positions)


class StillHead(Rotary):
    """One head of one layer is not turned. It counts the layers as they call it, so it serves one reading."""

    def __init__(self, layer: int, head: int) -> None:
        super().__init__(real.HEAD_WIDTH, layout="interleaved", frequencies=OMEGA)
        self.layer, self.head, self.calls = layer, head, 0

    def query_key(self, q: Tensor, k: Tensor, q_positions: Any, k_positions: Any) -> tuple[Tensor, Tensor]:
        """Turn q and k as RoPE does. In the layer each head gets keys of its own, and those of this head stay."""
        turned_q, turned_k = super().query_key(q, k, q_positions, k_positions)
        self.calls += 1
        if self.calls != self.layer + 1:
            return turned_q, turned_k
        still_k, turned_k = (x.repeat_interleave(q.shape[-3] // k.shape[-3], -3) for x in (k, turned_k))
        one = (torch.arange(q.shape[-3]) == self.head)[:, None, None]
        return torch.where(one, q, turned_q), torch.where(one, still_k, turned_k)


def _pairs(pairs: Any) -> list[int]:
    return validate.within(torch.tensor(list(pairs)), len(OMEGA), "pairs are counted from 0", "pairs").tolist()


def _drawn(count: int) -> Tensor:
    return torch.randperm(count, generator=torch.Generator().manual_seed(0))


def _near_drawn(count: int) -> Tensor:
    g = torch.Generator().manual_seed(0)
    return torch.cat([block[torch.randperm(len(block), generator=g)] for block in torch.arange(count).split(NEAR)])


def _far_drawn(count: int) -> Tensor:
    blocks = torch.arange(count).split(NEAR)
    return torch.cat([blocks[n] for n in _drawn(len(blocks))])


CHANGES: dict[str, tuple[Callable[[int], Tensor] | None, Callable[[], Rotary] | None]] = {
    "as trained": (None, None),
    "moved by 5000": (lambda count: torch.arange(count) + 5000, None),
    "base 1 000 000": (None, lambda: Rotary(real.HEAD_WIDTH, 1e6, "interleaved")),
    "base 10 000": (None, lambda: Rotary(real.HEAD_WIDTH, 1e4, "interleaved")),
    "steps of two": (lambda count: 2 * torch.arange(count), None),
    "two to a position": (lambda count: torch.arange(count) // 2, None),
    "counted backwards": (lambda count: torch.arange(count).flip(0), None),
    "wrong layout": (None, lambda: turning(layout="split-half")),
    "not turned": (None, lambda: turning(0 * OMEGA)),
    "positions drawn": (_drawn, None),
    **{f"{name} not turned": (None, lambda band=band: still(band)) for name, band in BANDS.items()},
    **{f"{name} taken out": (None, lambda band=band: Without(band)) for name, band in BANDS.items()},
    **{f"only {name} turned": (None, lambda band=band: still({*range(32)} - {*band})) for name, band in BANDS.items()},
    "only pairs 0 to 15 turned": (None, lambda: still(range(16, 32))),
    "half steps": (None, lambda: still(range(32), 0.5)),  # each offset is halved, and neighbours stay apart
    "half steps of pairs 0 to 7": (None, lambda: still(range(8), 0.5)),
    "half steps of pairs 8 to 31": (None, lambda: still(range(8, 32), 0.5)),
    **{f"{name} alike but the first": (None, lambda band=band: Alike(band, False)) for name, band in BANDS.items()},
    **{f"{name} first as the rest": (None, lambda band=band: Alike(band, True)) for name, band in BANDS.items()},
    **{f"head {n} of layer {layer} not turned": (None, lambda at=(layer, n): StillHead(*at)) for layer, n in SHARP},
    BLOCKS[0]: (_near_drawn, None),  # far tokens keep their distance, to within a block
    BLOCKS[1]: (_far_drawn, None),  # near tokens keep it, but where two blocks meet
}  # fmt: skip
ROUNDED = (*list(CHANGES)[:10], "half steps", "pairs 24 to 31 not turned", "pairs 24 to 31 taken out")


def loss(model: real.SmolLM2, tokens: Tensor, change: str) -> float:
    """The mean loss over a text that is read with a change. Raises ValueError for one that is not in CHANGES."""
    positions, scheme = CHANGES[validate.choice(change, tuple(CHANGES), "change")]
    return model.losses(tokens, positions and positions(len(tokens)), scheme and scheme()).mean().item()


def run(model: real.SmolLM2, text: str, tokens: Tensor, change: str) -> dict[str, Any]:
    """A run: the loss of the first TOKENS tokens of a text, with a change."""
    return {"kind": "change", "text": text, "change": change, "loss": round(loss(model, tokens[:TOKENS], change), 4)}


def rounded(weight: Tensor, axis: int) -> Tensor:
    """A matrix in four bits: along an axis each 32 numbers get 16 values, evenly from their least to their largest.

    The blocks begin in the middle of those of the file, so that it isn't the same rounding again.
    """
    rows = weight.roll(-BLOCK // 2, axis).movedim(axis, -1)
    blocks = rows.unflatten(-1, (-1, BLOCK))
    low, high = blocks.aminmax(dim=-1, keepdim=True)
    step = ((high - low) / LEVELS).clamp(min=1e-12)
    near = low + ((blocks - low) / step).round() * step
    return near.flatten(-2).movedim(-1, axis).roll(BLOCK // 2, axis)


@lru_cache(1)  # a second one would take another 540 MB
def dosed(dose: str) -> real.SmolLM2:
    """The model whose thirty layers have been rounded once more."""
    axis = DOSES[validate.choice(dose, tuple(DOSES), "dose")]
    model = real.load()
    for part in model.layers.modules():
        if isinstance(part, torch.nn.Linear):
            part.weight.data = rounded(part.weight.data, axis)
    return model


def again(text: str, tokens: Tensor, change: str, dose: str) -> dict[str, Any]:
    """A run: the same in weights that were rounded once more."""
    return {**run(dosed(dose), text, tokens, change), "kind": "rounded", "dose": dose}


def orders(model: real.SmolLM2, words: str, answer: str, change: str) -> dict[str, Any]:
    """A run: in how many orders of the words before the last does the model go on with `answer`, read with a change?"""
    *before, last = words.split()
    (wanted,) = model.encode(answer).tolist()
    texts = [model.encode(" ".join([*order, last])) for order in permutations(before)]
    scheme = CHANGES[validate.choice(change, tuple(CHANGES), "change")][1]
    found = [int(model(text, scheme=scheme and scheme())[-1].argmax()) == wanted for text in texts]
    return {"kind": "orders", "words": words, "change": change, "found": sum(found), "of": len(found)}


@torch.inference_mode()
def exchange(model: real.SmolLM2, nouns: str) -> dict[str, Any]:
    """A run: two nouns exchanged, by how much does the vector of the full stop change, after each of the thirty layers?

    Relative to its length, for each of the VIEWS.
    """
    one, other = nouns.split()
    texts = [model.encode(f"The {a} bites the {b}.") for a, b in ((one, other), (other, one))]
    at, changes = torch.arange(len(texts[0])), {}
    for view, (scheme, causal) in VIEWS.items():
        first, second = (model.embedding(text)[None] for text in texts)
        changes[view] = []
        for layer in model.layers:
            first, second = (layer(x, at, scheme or model.scheme, causal=causal) for x in (first, second))
            change = ((first - second)[0, -1].norm() / first[0, -1].norm()).item()
            changes[view].append(float(f"{change:.2g}"))
    return {"kind": "exchange", "nouns": nouns, **changes}

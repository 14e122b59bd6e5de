"""Where the model's 270 heads look, and how one head's score depends on the offset, pair by pair."""

from itertools import islice
from typing import Any

import torch
from torch import Tensor

from posenc import real, validate
from posenc.real_lab.changes import OMEGA, still

TOKENS = 256
GROUP = real.HEADS // real.KEY_HEADS  # heads of queries that share a head of keys
EARLY = 64  # the first quarter of a text
TAKEN = (0, 3, 4)  # tokens whose keys the living figure offers, beside the average key


@torch.inference_mode()
def pairs_of(model: real.SmolLM2, tokens: Tensor, layer: int, head: int) -> tuple[Tensor, Tensor]:
    """Queries and keys of one head before they are turned, as complex numbers, (tokens, 32) each.

    layer: 0 to 29. head: 0 to 8. Raises ValueError for another.
    """
    if validate.count(layer, "layer") >= real.LAYERS or validate.count(head, "head") >= real.HEADS:
        raise ValueError(f"layer and head must be at most 29 and 8, got {layer} and {head}: both are counted from 0")
    q, k, _ = model.layers[layer].heads(next(islice(model.states(tokens), layer, None)))
    q, k = (x.double().unflatten(-1, (-1, 2)).contiguous() for x in (q[0, head], k[0, head // GROUP]))
    return torch.view_as_complex(q), torch.view_as_complex(k)


def by_offset(q: Tensor, k: Tensor, most: int) -> Tensor:
    """What each pair adds to the score of a key t back, on average over the text: (most, 32), row t.

    q, k: from `pairs_of`. The first token is left out: as a key it is a case of its own.
    """
    back = torch.arange(most).double()
    parts = [(q[1 + t :].conj() * k[1 : len(k) - t]).mean(0) for t in range(most)]
    return (torch.stack(parts) * torch.exp(-1j * back[:, None] * OMEGA)).real / real.HEAD_WIDTH**0.5


@torch.inference_mode()
def run(model: real.SmolLM2, text: str, tokens: Tensor) -> dict[str, Any]:
    """Mean weights of each head on the token before, on the token itself, on the first; and |q||k| of each pair."""
    tokens = tokens[:TOKENS]
    before, itself, first, sizes = [], [], [], []
    for layer, x in zip(model.layers, model.states(tokens), strict=False):
        q, k, _ = layer.heads(x)
        k = k.repeat_interleave(GROUP, 1)
        product = q.unflatten(-1, (-1, 2)).norm(dim=-1).mean(2) * k.unflatten(-1, (-1, 2)).norm(dim=-1).mean(2)
        sizes.append((product / product.sum(-1, keepdim=True)).mean((0, 1)))
        weights = layer.weights(x, None, model.scheme)[0]
        before.append(weights.diagonal(-1, -2, -1).mean(-1))
        itself.append(weights[:, 1:, 1:].diagonal(0, -2, -1).mean(-1))
        first.append(weights[:, 8:, 0].mean(-1))

    def short(rows: list[Tensor], digits: int) -> list[list[float]]:
        return [[round(x, digits) for x in row] for row in torch.stack(rows).tolist()]

    seen = {"before": short(before, 3), "itself": short(itself, 3), "first": short(first, 3)}
    return {"kind": "heads", "text": text, **seen, "sizes": [round(x, 4) for x in torch.stack(sizes).mean(0).tolist()]}


def early(weights: Tensor, first: int) -> Tensor:
    """What queries give to the tokens before EARLY, on average: (...,). Keys before `first` are left out.

    weights: (..., tokens, tokens), nothing above the diagonal. Each row is divided by what is left of it.
    """
    kept = weights[..., first:, first:].double()
    rows = kept.sum(-1).clamp(min=1e-12)  # a head may give the keys that are left nothing that float32 can tell
    return (kept[..., : EARLY - first].sum(-1) / rows).mean(-1)


def even(tokens: int, first: int) -> float:
    """The same where each token gives all that it sees, itself among it, even weights."""
    return float(early(torch.ones(tokens, tokens).tril(), first))


@torch.inference_mode()
def lean(model: real.SmolLM2, text: str, tokens: Tensor, turned: bool) -> dict[str, Any]:
    """How much of its weight each layer gives to the early tokens, the mean of its heads: with the first token, and
    without. Turned as in training or not at all.
    """
    tokens, scheme = tokens[:TOKENS], model.scheme if turned else still(range(len(OMEGA)))
    layers = [
        layer.weights(x, None, scheme)[0]
        for layer, x in zip(model.layers, model.states(tokens, scheme=scheme), strict=False)
    ]
    shares = {f"from {first}": [round(float(early(w, first).mean()), 3) for w in layers] for first in (0, 1)}
    return {"kind": "lean", "text": text, "turned": turned, **shares}


def look(
    model: real.SmolLM2, text: str, tokens: Tensor, layer: int = 16, head: int = 0, count: int = 24
) -> dict[str, Any]:
    """A head in the first tokens of a text: where it looks, what its pairs add to its score by the offset, waves."""
    q, k = pairs_of(model, tokens[:TOKENS], layer, head)
    weights = model.weights(tokens[:count], layer)[head]
    parts = by_offset(q, k, most=16)
    # One average query against each of these keys: c of each pair, whose wave is Re c exp(-itω).
    waves = q[1:].mean(0).conj() * torch.stack([k[1:].mean(0), *k[list(TAKEN)]]) / real.HEAD_WIDTH**0.5
    return {
        **{"kind": "look", "text": text, "layer": layer, "head": head},
        "tokens": [model.decode(token) for token in tokens[:count, None]],
        "weights": [[round(x, 3) for x in row[: at + 1]] for at, row in enumerate(weights.tolist())],
        "by_offset": [[round(x, 3) for x in row] for row in parts.tolist()],
        "waves": [[round(x, 3) for x in row] for row in torch.view_as_real(waves).flatten(1).tolist()],
    }

"""A released language model on this package's doors: SmolLM2-135M, small enough to be read, run and taken apart.

Thirty layers, each with attention (nine heads of queries, three of keys and values, 64 wide) and a feed-forward part.
RoPE, at base 100 000, is the only thing that tells a layer where a token is. The weights are those that Hugging Face
released, in four bits; `python -m posenc.real` fetches them once, or says where they are (`posenc.real_file`).

Source: Allal et al. 2025 (SmolLM2); the order of operations is that of Llama (Touvron et al. 2023).
"""

import os
from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from posenc import guard
from posenc.doors import Scheme, attention
from posenc.real_file import fetch, tokenizer
from posenc.rotary import Rotary

LAYERS, WIDTH, HEADS, KEY_HEADS, HEAD_WIDTH, HIDDEN = 30, 576, 9, 3, 64, 1536
VOCABULARY, TRAINED_LENGTH, BASE, EPSILON = 49152, 8192, 100_000.0, 1e-5


class Layer(nn.Module):
    """One of the thirty: x + attention(norm(x)), then x + feed-forward(norm(x)), in the weights of the file.

    The rows of `query` and `key` are interleaved: rows 2i and 2i + 1 of a head make its pair i.
    """

    def __init__(self) -> None:
        super().__init__()
        self.query, self.output = _linear(WIDTH, HEADS * HEAD_WIDTH), _linear(HEADS * HEAD_WIDTH, WIDTH)
        self.key, self.value = (_linear(WIDTH, KEY_HEADS * HEAD_WIDTH) for _ in range(2))
        self.gate, self.up, self.down = _linear(WIDTH, HIDDEN), _linear(WIDTH, HIDDEN), _linear(HIDDEN, WIDTH)
        self.attend_norm, self.feed_norm = _norm(), _norm()

    def heads(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries (batch, 9, time, 64), keys and values (batch, 3, time, 64) of x (batch, time, 576), not turned yet.

        Three heads of queries, one after the other, share a head of keys.
        """
        normed = self.attend_norm(x)
        parts = (linear(normed).unflatten(-1, (-1, HEAD_WIDTH)) for linear in (self.query, self.key, self.value))
        q, k, v = (part.transpose(1, 2) for part in parts)
        return q, k, v

    def forward(self, x: Tensor, positions: Tensor, scheme: Scheme, past: dict[str, Tensor] | None = None) -> Tensor:
        """x: (batch, time, 576). positions: int64, (time,). past: keys and values so far, to which it adds its own."""
        q, k, v = self.heads(x)
        q, k = scheme.query_key(q, k, positions, positions)
        if past is not None:
            # A key's turn depends on its own position alone, so what is kept is turned already.
            k, v = (torch.cat((past[name], new), dim=2) if name in past else new for name, new in (("k", k), ("v", v)))
            past.update(k=k, v=v)
        queries, keys = q.shape[2], k.shape[2]
        # By place in the text: whatever positions say, no token sees what comes after it.
        mask = None if queries in (1, keys) else torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
        options: dict[str, Any] = {"attn_mask": mask, "is_causal": 1 < queries == keys, "enable_gqa": True}
        mixed = functional.scaled_dot_product_attention(q, k, v, **options)
        x = x + self.output(mixed.transpose(1, 2).flatten(2))
        normed = self.feed_norm(x)
        return x + self.down(functional.silu(self.gate(normed)) * self.up(normed))


class SmolLM2(nn.Module):
    """The released model. `load()` makes one; there is nothing in it to train."""

    def __init__(self, tokenizer: Any) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.embedding = nn.Embedding(VOCABULARY, WIDTH, device="meta")
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = _norm()
        self.scheme = Rotary(HEAD_WIDTH, base=BASE, layout="interleaved")

    def encode(self, text: str) -> Tensor:
        """The tokens of a text: int64, (tokens,). Raises TypeError for what is no string."""
        if not isinstance(text, str):
            raise TypeError(f"text must be a string, got {text!r}: pass a sentence")
        return torch.tensor(self.tokenizer.encode(text).ids, dtype=torch.int64)

    def decode(self, tokens: Tensor) -> str:
        """The text of tokens: int64, (tokens,)."""
        return str(self.tokenizer.decode(tokens.tolist(), skip_special_tokens=False))

    def states(
        self,
        tokens: Tensor,
        positions: Any = None,
        scheme: Scheme | None = None,
        past: list[dict[str, Tensor]] | None = None,
    ) -> Iterator[Tensor]:
        """What enters each layer, and at last what leaves the thirtieth: 31 tensors of (1, tokens, 576)."""
        tokens, positions = _tokens(tokens), _positions(tokens, positions)
        scheme = self.scheme if scheme is None else scheme
        if not isinstance(scheme, Scheme):
            raise TypeError(f"scheme must be an instance of Scheme, got {scheme!r}: pass Rotary(64, base=100_000.0)")
        x = self.embedding(tokens)[None]
        for n, layer in enumerate(self.layers):
            yield x
            x = layer(x, positions, scheme, None if past is None else past[n])
        yield x

    @torch.inference_mode()
    def forward(self, tokens: Tensor, positions: Any = None, scheme: Scheme | None = None) -> Tensor:
        """Logits, (tokens, 49 152): row t scores token t + 1.

        tokens: int64, (tokens,). positions: integers, (tokens,), by default 0, 1, 2, … scheme: a Scheme whose second
        door is used, in place of the model's own `Rotary`.
        Raises TypeError or ValueError for any other argument.
        """
        return self._logits(self._last(tokens, positions, scheme))

    @torch.inference_mode()
    def losses(self, tokens: Tensor, positions: Any = None, scheme: Scheme | None = None) -> Tensor:
        """-log p of each token after the first, given those before it, in nats: (tokens - 1,). Arguments: `forward`."""
        last = self._last(tokens, positions, scheme)
        if len(tokens) < 2:
            raise ValueError(f"tokens must be two or more, got {len(tokens)}: the first has nothing before it")
        # The logits of 512 tokens take 100 MB: no more of them at a time.
        parts = zip(last[:-1].split(512), tokens[1:].split(512), strict=True)
        loss = functional.cross_entropy
        return torch.cat([loss(self._logits(rows), following, reduction="none") for rows, following in parts])

    @torch.inference_mode()
    def weights(self, tokens: Tensor, layer: int, positions: Any = None, scheme: Scheme | None = None) -> Tensor:
        """The attention weights of a layer, (9, tokens, tokens): row m is what query m gives to each key.

        layer: 0 to 29. Raises ValueError for another, and what `forward` raises.
        """
        if guard.count(layer, "layer") >= LAYERS:
            raise ValueError(f"layer must be at most {LAYERS - 1}, got {layer}: the model has {LAYERS}, counted from 0")
        x = next(islice(self.states(tokens, positions, scheme), layer, None))
        own: Layer = self.layers[layer]  # type: ignore[assignment]
        q, k, v = own.heads(x)
        k, v = (part.repeat_interleave(HEADS // KEY_HEADS, dim=1) for part in (k, v))
        places = _positions(tokens, positions)
        earlier = torch.ones(len(tokens), len(tokens), dtype=torch.bool).tril()
        return attention(q, k, v, places, places, self.scheme if scheme is None else scheme, mask=earlier)[1][0]

    @torch.inference_mode()
    def generate(self, text: str, count: int = 8, scheme: Scheme | None = None, cache: bool = True) -> str:
        """What the model writes after `text`, always the most likely token: `count` of them.

        cache: keep keys and values, so that each step is one token; without it all tokens are computed again.
        Raises ValueError for a text without any token.
        """
        tokens, guessed = self.encode(text), []
        guard.count(count, "count", least=1)
        past: list[dict[str, Tensor]] = [{} for _ in range(LAYERS)]
        new, start = tokens, 0
        for _ in range(count):
            *_, x = self.states(new, torch.arange(start, start + len(new)), scheme, past if cache else None)
            guessed.append(int(self._logits(self.norm(x)[0, -1:]).argmax()))
            word = torch.tensor(guessed[-1:])
            new, start = (word, start + len(new)) if cache else (torch.cat((new, word)), 0)
        return self.decode(torch.tensor(guessed))

    def _last(self, tokens: Tensor, positions: Any, scheme: Scheme | None) -> Tensor:
        *_, x = self.states(tokens, positions, scheme)
        return self.norm(x)[0]

    def _logits(self, x: Tensor) -> Tensor:
        return x @ self.embedding.weight.T  # one table for both ends


def load(path: str | os.PathLike[str] | None = None) -> SmolLM2:
    """The model in float32 (540 MB), its weights read a tensor at a time. Arguments and errors of `fetch`."""
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(fetch(path))
    model = SmolLM2(tokenizer(reader)).eval().requires_grad_(False)
    for tensor in reader.tensors:
        home, name = _home(model, tensor.name)
        values = torch.tensor(dequantize(tensor.data, tensor.tensor_type), dtype=torch.float32)
        if values.shape != getattr(home, name).shape:
            raise ValueError(f"{tensor.name} must be {tuple(getattr(home, name).shape)}, got {tuple(values.shape)}")
        setattr(home, name, nn.Parameter(values, requires_grad=False))
    return model


PARTS = {
    **{"attn_norm": "attend_norm", "attn_q": "query", "attn_k": "key", "attn_v": "value", "attn_output": "output"},
    **{"ffn_norm": "feed_norm", "ffn_gate": "gate", "ffn_up": "up", "ffn_down": "down"},
}


def _home(model: SmolLM2, name: str) -> tuple[nn.Module, str]:
    """The module that a tensor of the file belongs to: `blk.7.attn_q.weight` to the `query` of `layers[7]`."""
    *block, part, kind = name.split(".")
    if block:
        return getattr(model.layers[int(block[1])], PARTS[part]), kind
    return {"token_embd": model.embedding, "output_norm": model.norm}[part], kind


def _linear(columns: int, rows: int) -> nn.Linear:
    return nn.Linear(columns, rows, bias=False, device="meta")  # the weights come from the file


def _norm() -> nn.RMSNorm:
    return nn.RMSNorm(WIDTH, EPSILON, device="meta")


def _tokens(tokens: Any) -> Tensor:
    if not isinstance(tokens, Tensor) or tokens.dtype != torch.int64 or tokens.dim() != 1:
        got = f"{tokens.dtype} of {tuple(tokens.shape)}" if isinstance(tokens, Tensor) else repr(tokens)[:80]
        raise TypeError(f"tokens must be int64 of shape (tokens,), got {got}: pass model.encode(text)")
    if not len(tokens):
        raise ValueError("tokens must be one or more, got none: pass a text that is not empty")
    return guard.within(tokens, VOCABULARY, "pass model.encode(text)", "tokens")


def _positions(tokens: Tensor, positions: Any) -> Tensor:
    if positions is None:
        return torch.arange(len(tokens))
    positions = guard.whole_positions(positions)
    if positions.shape != (len(tokens),):
        raise ValueError(f"positions must be ({len(tokens)},), one a token, got {tuple(positions.shape)}: count again")
    return positions


if __name__ == "__main__":
    print(fetch())

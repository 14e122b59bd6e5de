"""A released language model on this package's doors: SmolLM2-135M, small enough to be read, run and taken apart.

Thirty layers, each with attention (nine heads of queries, three of keys and values, 64 wide) and a feed-forward part.
RoPE, at base 100 000, is the only thing that tells a layer where a token is. The weights are those that Hugging Face
released, in four bits; `python -m posenc.real` fetches them once, or says where they are (`posenc.real_file`).

Source: Allal et al. 2025 (SmolLM2); the order of operations is that of Llama (Touvron et al. 2023).
"""

import math
import os
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from posenc import validate
from posenc.doors import Scheme, attention
from posenc.real_file import fetch, tokenizer
from posenc.rotary import Rotary

LAYERS, WIDTH, HEADS, KEY_HEADS, HEAD_WIDTH, HIDDEN = 30, 576, 9, 3, 64, 1536
VOCABULARY, TRAINED_LENGTH, BASE, EPSILON = 49152, 8192, 100_000.0, 1e-5
LAYER_BYTES = 30_000  # a token in the widest layer: what enters, its hidden columns three times, queries, keys, values
OTHER_DOORS = ("input", "scores", "content_scores", "values")
MEMORY = [("/proc/meminfo", r"MemAvailable: +(\d+)", 1024), ("/sys/fs/cgroup/memory.max", r"\d+", 1)]


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

    def weights(self, x: Tensor, positions: Any, scheme: Scheme) -> Tensor:
        """The attention weights, (batch, 9, time, time). x, positions: as in `forward`."""
        q, k, v = self.heads(x)
        k, v = (part.repeat_interleave(HEADS // KEY_HEADS, dim=1) for part in (k, v))
        earlier = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        return attention(q, k, v, positions, positions, scheme, mask=earlier)[1]

    def forward(
        self,
        x: Tensor,
        positions: Tensor,
        scheme: Scheme,
        past: dict[str, Tensor] | None = None,
        causal: bool = True,
    ) -> Tensor:
        """x: (batch, time, 576). positions: int64, (time,). past: keys and values so far, to which it adds its own.

        After what is past, tokens come one at a time. causal: whether no token sees what comes after it; the model
        was trained so.
        """
        q, k, v = self.heads(x)
        q, k = scheme.query_key(q, k, positions, positions)
        if past is not None:
            # A key's turn depends on its own position alone, so what is kept is turned already.
            k, v = (torch.cat((past[name], new), dim=2) if name in past else new for name, new in (("k", k), ("v", v)))
            past.update(k=k, v=v)
        # By place in the text, whatever positions say. One new token sees all keys.
        causal = causal and q.shape[2] > 1
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=True)
        x = x + self.output(mixed.transpose(1, 2).flatten(2))
        normed = self.feed_norm(x)
        return x + self.down(functional.silu(self.gate(normed)) * self.up(normed))


class SmolLM2(nn.Module):
    """The released model. `load()` makes one; there is nothing in it to train."""

    def __init__(self, tokenizer: Any) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.embedding = nn.Embedding.from_pretrained(torch.empty(VOCABULARY, WIDTH, device="meta"))
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = _norm()
        self.scheme = Rotary(HEAD_WIDTH, base=BASE, layout="interleaved")

    def encode(self, text: str) -> Tensor:
        """The tokens of a text: int64, (tokens,). Raises TypeError for what is no string."""
        if not isinstance(text, str):
            raise TypeError(f"text must be a string, got {text!r}: pass a sentence")
        return torch.tensor(self.tokenizer.encode(text).ids, dtype=torch.int64)

    def decode(self, tokens: Tensor) -> str:
        """The text of tokens: int64, (tokens,). Raises what `forward` raises for them."""
        return str(self.tokenizer.decode(_tokens(tokens).tolist(), skip_special_tokens=False))

    def states(
        self,
        tokens: Tensor,
        positions: Any = None,
        scheme: Scheme | None = None,
        past: list[dict[str, Tensor]] | None = None,
    ) -> Iterator[Tensor]:
        """What enters each layer, and at last what leaves the thirtieth: 31 tensors of (1, tokens, 576).

        past: an empty dict for each layer, which keep keys and values of a first call; then one token a call.
        """
        tokens = _tokens(tokens, LAYER_BYTES)
        positions = validate.positions_for(positions, 1, len(tokens))
        scheme = self.scheme if scheme is None else scheme
        if not isinstance(scheme, Scheme):
            raise TypeError(f"scheme must be an instance of Scheme, got {scheme!r}: pass Rotary(64, base=100_000.0)")
        if any(getattr(type(scheme), door) is not getattr(Scheme, door) for door in OTHER_DOORS):
            remedy = "the model knows no other, so pass one that turns queries and keys, such as Rotary(64)"
            raise ValueError(f"scheme must use the second door alone, got {scheme!r}: {remedy}")
        if past and past[0] and len(tokens) > 1:
            raise ValueError(f"tokens must be one where past holds others, got {len(tokens)}: pass one a call")
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
        Raises TypeError or ValueError for any other argument, MemoryError for a text too long for the machine.
        """
        _tokens(tokens, LAYER_BYTES + 4 * VOCABULARY)
        return self._logits(self._last(tokens, positions, scheme))

    @torch.inference_mode()
    def losses(self, tokens: Tensor, positions: Any = None, scheme: Scheme | None = None) -> Tensor:
        """-log p of each token after the first, given those before it, in nats: (tokens - 1,). Arguments: `forward`."""
        last = self._last(tokens, positions, scheme)
        if len(tokens) < 2:
            raise ValueError(f"tokens must be two or more, got {len(tokens)}: the first has nothing before it")
        # The logits of 256 tokens take 50 MB, and their softmax as much: no more of them at a time, and no fewer, since
        # memory above 32 MB goes back to the system at once.
        parts = zip(last[:-1].split(256), tokens[1:].split(256), strict=True)
        loss = functional.cross_entropy
        return torch.cat([loss(self._logits(rows), following, reduction="none") for rows, following in parts])

    @torch.inference_mode()
    def weights(self, tokens: Tensor, layer: int, positions: Any = None, scheme: Scheme | None = None) -> Tensor:
        """The attention weights of a layer, (9, tokens, tokens): row m is what query m gives to each key.

        layer: 0 to 29. Raises ValueError for another, and what `forward` raises.
        """
        if validate.count(layer, "layer") >= LAYERS:
            raise ValueError(f"layer must be at most {LAYERS - 1}, got {layer}: the model has {LAYERS}, counted from 0")
        _tokens(tokens, LAYER_BYTES, 3 * 4 * HEADS)  # scores, masked scores and weights
        x = next(islice(self.states(tokens, positions, scheme), layer, None))
        own: Layer = self.layers[layer]  # type: ignore[assignment]
        return own.weights(x, positions, self.scheme if scheme is None else scheme)[0]

    @torch.inference_mode()
    def generate(self, text: str, count: int = 8, scheme: Scheme | None = None, cache: bool = True) -> str:
        """What the model writes after `text`, always the most likely token: `count` of them.

        cache: keep keys and values, so that each step is one token; without it all tokens are computed again.
        Raises ValueError for a text without any token.
        """
        tokens, output = self.encode(text), []
        validate.count(count, "count", least=1)
        past: list[dict[str, Tensor]] = [{} for _ in range(LAYERS)]
        new, start = tokens, 0
        for _ in range(count):
            last = self._last(new, torch.arange(start, start + len(new)), scheme, past if cache else None)
            output.append(int(self._logits(last[-1:]).argmax()))
            word = torch.tensor(output[-1:])
            new, start = (word, start + len(new)) if cache else (torch.cat((new, word)), 0)
        return self.decode(torch.tensor(output))

    def _last(
        self, tokens: Tensor, positions: Any, scheme: Scheme | None, past: list[dict[str, Tensor]] | None = None
    ) -> Tensor:
        # No list of them: the 31 states of a long text take more memory than the weights.
        return self.norm(deque(self.states(tokens, positions, scheme, past), maxlen=1)[0])[0]

    def _logits(self, x: Tensor) -> Tensor:
        return x @ self.embedding.weight.T  # one table for both ends


def load(path: str | os.PathLike[str] | None = None) -> SmolLM2:
    """The model in float32 (540 MB), its weights read a tensor at a time. Arguments and errors of `fetch`."""
    from gguf import GGUFReader, dequantize

    file = fetch(path)
    reader = GGUFReader(file)
    model = SmolLM2(tokenizer(reader)).eval()
    places = [(x.name, x.tensor_type, x.data_offset, x.data.dtype, x.data.shape) for x in reader.tensors]
    del reader  # it holds 150 MB for the vocabulary, and every page of the file that was read through it
    for tensor, kind, offset, dtype, shape in places:
        home, name = _home(model, tensor)
        data = np.fromfile(file, dtype, math.prod(shape), offset=offset).reshape(shape)
        setattr(home, name, nn.Parameter(torch.from_numpy(dequantize(data, kind)), requires_grad=False))
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


def _tokens(tokens: Any, each: int = 0, pair: int = 0) -> Tensor:
    """The tokens, if they are tokens, and if there are so many bytes for each of them, and for each pair of them."""
    if not isinstance(tokens, Tensor) or tokens.dtype != torch.int64 or tokens.dim() != 1:
        got = f"{tokens.dtype} of {tuple(tokens.shape)}" if isinstance(tokens, Tensor) else repr(tokens)[:80]
        raise TypeError(f"tokens must be int64 of shape (tokens,), got {got}: pass model.encode(text)")
    if not len(tokens):
        raise ValueError("tokens must be one or more, got none: pass a text that is not empty")
    needed, free = len(tokens) * (each + pair * len(tokens)), _free_memory()
    if needed > free:
        sizes = f"got {len(tokens):,}, which take {needed / 1e9:.1f} GB where {free / 1e9:.1f} are free"
        raise MemoryError(f"tokens must be fewer, {sizes}: pass a shorter text")
    return validate.within(tokens, VOCABULARY, "pass model.encode(text)", "tokens")


def _free_memory() -> float:
    """Bytes that the system has left, at most those that its container may have; without end where neither is known."""
    texts = ((Path(file), pattern, unit) for file, pattern, unit in MEMORY)
    known = ((re.findall(pattern, file.read_text()), unit) for file, pattern, unit in texts if file.exists())
    return min((unit * int(number) for numbers, unit in known for number in numbers), default=math.inf)


if __name__ == "__main__":
    print(fetch())

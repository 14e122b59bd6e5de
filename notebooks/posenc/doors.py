"""The doors through which a Transformer layer learns where a token is: three to the score, one to the value.

`Scheme` names the doors, `attention` opens the second to the fourth, `Encoder` and `Decoder` open the first.
Weights are drawn from the `generator` that is passed, or else from torch's global one, so that
`torch.manual_seed` before the construction fixes them. There is no dropout: equal inputs give equal outputs.
"""

import math
from typing import Any

import torch
from torch import Generator, Tensor, nn

from posenc import validate


class Scheme(nn.Module):
    """A way to tell a Transformer about position: override the door that it uses.

    Every door returns its argument unchanged, so a bare `Scheme()` is no positional
    encoding at all. `positions` are int64 tensors whose shape broadcasts against the leading
    dimensions that they describe: (time,) or (batch, time). `takes` names what the constructor needs of a
    model, in order: "width", "heads", "head_width", "max_length".
    """

    takes: tuple[str, ...] = ()

    def input(self, x: Tensor, positions: Tensor) -> Tensor:
        """Door 1. x: (batch, time, width), before the first layer. Returns the same shape."""
        return x

    def query_key(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        """Door 2. q, k: (batch, heads, queries or keys, head width). Returns both, of the same shapes."""
        return q, k

    def scores(self, scores: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """Door 3. scores: (batch, heads, queries, keys), already scaled. Returns the same shape."""
        return scores

    def content_scores(self, scores: Tensor, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """Door 3 again, for a bias that depends on what query and key say (q, k: as door 2 returned them).

        By default it calls `scores`, so that a scheme overrides one of the two. Returns the shape of scores.
        """
        return self.scores(scores, q_positions, k_positions)

    def values(self, mixed: Tensor, weights: Tensor, v: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """Door 4, past the scores. mixed: weights @ v, (batch, heads, queries, any). Returns the same shape.

        weights: (batch, heads, queries, keys), after the softmax; v: (batch, heads, keys, any).
        """
        return mixed


def causal_mask(q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """True where a query may look: at keys whose position is not greater than its own.

    Positions are compared, not indices: one new query against all keys so far gets the row of the whole mask.
    q_positions: (queries,) or (batch, queries); k_positions: the same with keys. Returns bool,
    (queries, keys) or (batch, queries, keys). Raises TypeError for anything but integers.
    """
    q_positions = validate.whole_positions(q_positions, "q_positions")
    k_positions = validate.whole_positions(k_positions, "k_positions")
    return k_positions[..., None, :] <= q_positions[..., :, None]


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    q_positions: Any = None,
    k_positions: Any = None,
    scheme: Scheme | None = None,
    *,
    causal: bool = False,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """softmax(q kᵀ / √(head width)) v, with the second, the third and the fourth door open.

    q: (batch, heads, queries, head width); k: (batch, heads, keys, head width); v: (batch, heads, keys, any).
    positions: integers, (time,) or (batch, time), by default 0, 1, 2, …
    scheme: whose doors are used; by default each door leaves all as it is.
    mask: bool, True where a query may look; (queries, keys), or rank 4 and broadcasting to the scores.
    causal: also hide the keys with a greater position than the query (`causal_mask`).
    Returns the outputs (batch, heads, queries, any) and the weights (batch, heads, queries, keys).
    Raises TypeError or ValueError for other shapes, and for a query with no visible key.
    Source: Vaswani et al. 2017, equation 1.
    """
    scheme = _check_scheme(scheme)
    validate.split_heads(q, k, v)
    batch, heads, queries, head_width = q.shape
    keys = k.shape[2]
    q_positions = validate.positions_for(q_positions, batch, queries, "q_positions", q.device)
    k_positions = validate.positions_for(k_positions, batch, keys, "k_positions", q.device)

    # A door that returned another shape would often broadcast: a wrong answer without a complaint.
    q, k = validate.same_shape(scheme, "query_key", (q, k), scheme.query_key(q, k, q_positions, k_positions))
    scores = q @ k.transpose(-2, -1) / math.sqrt(head_width)
    changed = scheme.content_scores(scores, q, k, q_positions, k_positions)
    (scores,) = validate.same_shape(scheme, "scores", (scores,), (changed,))

    allowed = causal_mask(q_positions, k_positions)[..., None, :, :] if causal else None
    if mask is not None:
        mask = validate.mask_for(mask, batch, heads, queries, keys).to(q.device)
        allowed = mask if allowed is None else allowed & mask
    if allowed is not None:
        scores = scores.masked_fill(~validate.a_key_for_each(allowed, causal), -math.inf)
    weights = scores.softmax(-1)
    mixed = weights @ v
    changed = scheme.values(mixed, weights, v, q_positions, k_positions)
    (mixed,) = validate.same_shape(scheme, "values", (mixed,), (changed,))
    return mixed, weights


class MultiHeadAttention(nn.Module):
    """Attention in several heads, each on its share of the columns (Vaswani et al. 2017, section 3.2.2)."""

    def __init__(
        self, width: int, heads: int, scheme: Scheme | None = None, *, generator: Generator | None = None
    ) -> None:
        """heads must divide width. scheme: its doors 2 to 4 are used, not its door 1; None for no scheme."""
        super().__init__()
        validate.head_width(width, heads)
        self.width, self.heads, self.scheme = width, heads, _check_scheme(scheme)
        maps = (_xavier_linear(width, width, generator, bias=False) for _ in range(4))
        self.query, self.key, self.value, self.output = maps

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        q_positions: Any = None,
        k_positions: Any = None,
        *,
        causal: bool = False,
        mask: Tensor | None = None,
        weights: bool = False,
    ) -> Any:
        """Queries from x, keys and values from memory, or from x itself when there is no memory.

        x: (batch, queries, width). memory: (batch, keys, width). positions, causal, mask: as in `attention`;
        without a memory, k_positions are the q_positions unless they are given.
        To decode step by step, x is the newest token, q_positions its position, memory all tokens so far.
        Returns (batch, queries, width); with weights=True also (batch, heads, queries, keys).
        Raises TypeError or ValueError for other shapes.
        """
        validate.vectors(x, self.width)
        if memory is None:
            memory, k_positions = x, q_positions if k_positions is None else k_positions
        validate.vectors(memory, self.width, "memory")
        q, k, v = (self._split_heads(part) for part in (self.query(x), self.key(memory), self.value(memory)))
        mixed, w = attention(q, k, v, q_positions, k_positions, self.scheme, causal=causal, mask=mask)
        out = self.output(mixed.transpose(1, 2).flatten(2))
        return (out, w) if weights else out

    def _split_heads(self, x: Tensor) -> Tensor:
        """(batch, time, width) → (batch, heads, time, head width)."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Block(nn.Module):
    """One layer: self-attention, then attention to a memory if `cross`, then two linear maps with a ReLU.

    Each sublayer is x + f(norm(x)), the pre-norm order of Xiong et al. 2020: it trains without a warm-up. The
    2017 paper has norm(x + f(x)).
    """

    def __init__(
        self,
        width: int,
        heads: int,
        hidden: int,
        scheme: Scheme | None = None,
        *,
        cross: bool = False,
        generator: Generator | None = None,
    ) -> None:
        """width, heads, scheme: as in MultiHeadAttention. hidden: width between two maps. cross: use a memory."""
        super().__init__()
        self.attend = MultiHeadAttention(width, heads, scheme, generator=generator)
        self.attend_norm = nn.LayerNorm(width)
        if cross:
            self.cross = MultiHeadAttention(width, heads, generator=generator)
            self.cross_norm = nn.LayerNorm(width)
        widen, narrow = _xavier_linear(width, hidden, generator), _xavier_linear(hidden, width, generator)
        self.feed = nn.Sequential(widen, nn.ReLU(), narrow)
        self.feed_norm = nn.LayerNorm(width)

    def forward(
        self, x: Tensor, positions: Any = None, memory: Tensor | None = None, *, causal: bool = False
    ) -> Tensor:
        """x: (batch, time, width); positions as in `attention`; memory: (batch, keys, width) if `cross`."""
        x = x + self.attend(self.attend_norm(x), q_positions=positions, causal=causal)
        if memory is not None:
            x = x + self.cross(self.cross_norm(x), memory)
        return x + self.feed(self.feed_norm(x))


class Encoder(nn.Module):
    """Tokens → embeddings times √width (Vaswani et al. 2017, section 3.4) → door 1 → blocks → norm.

    One scheme serves all layers: a learned one has one set of parameters (as the biases of T5 do).
    """

    causal = False

    def __init__(
        self,
        vocabulary: int,
        width: int,
        heads: int,
        layers: int,
        scheme: Scheme | None = None,
        *,
        hidden: int | None = None,
        cross: bool = False,
        generator: Generator | None = None,
    ) -> None:
        """vocabulary: number of token ids. hidden: 4·width by default. cross: attend to a memory too."""
        super().__init__()
        validate.head_width(width, heads)
        hidden = validate.count(4 * width if hidden is None else hidden, "hidden", least=1)
        self.vocabulary = validate.count(vocabulary, "vocabulary", least=1)
        self.width, self.cross, self.scheme = width, cross, _check_scheme(scheme)
        # With the √width of `forward`, the entries that meet door 1 have variance 1.
        start = torch.empty(vocabulary, width).normal_(std=width**-0.5, generator=generator)
        self.embedding = nn.Embedding.from_pretrained(start, freeze=False)
        self.blocks = nn.ModuleList(
            Block(width, heads, hidden, self.scheme, cross=cross, generator=generator)
            for _ in range(validate.count(layers, "layers", least=1))
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor, positions: Any = None, memory: Tensor | None = None) -> Tensor:
        """tokens: integers, (batch, time). positions: (time,) or (batch, time), by default 0, 1, 2, …

        memory: (batch, keys, width), exactly when built with cross=True. Returns (batch, time, width).
        Raises TypeError or ValueError for any other argument.
        """
        tokens = validate.token_ids(tokens, self.vocabulary)
        if (memory is not None) != self.cross:
            value = f"{'none' if self.cross else 'one'} with cross={self.cross}"
            remedy = f"build with cross={not self.cross}, or change the call"
            validate.refuse("memory", "be given if and only if cross=True", value, remedy)
        batch, time = tokens.shape
        positions = validate.positions_for(positions, batch, time, device=tokens.device)
        x = self.embedding(tokens) * math.sqrt(self.width)
        (x,) = validate.same_shape(self.scheme, "input", (x,), (self.scheme.input(x, positions),))
        for block in self.blocks:
            x = block(x, positions, memory, causal=self.causal)
        return self.norm(x)


class Decoder(Encoder):
    """The same stack under a causal mask, then a linear map to logits: without cross, a language model."""

    causal = True

    def __init__(
        self, vocabulary: int, width: int, heads: int, layers: int, scheme: Scheme | None = None, **options: Any
    ) -> None:
        """Arguments of `Encoder`. options: hidden, cross, generator."""
        super().__init__(vocabulary, width, heads, layers, scheme, **options)
        self.logits = _xavier_linear(width, vocabulary, options.get("generator"), bias=False)

    def forward(self, tokens: Tensor, positions: Any = None, memory: Tensor | None = None) -> Tensor:
        """As in `Encoder`, but returns logits (batch, time, vocabulary): entry t scores token t + 1."""
        return self.logits(super().forward(tokens, positions, memory))


class Transformer(nn.Module):
    """Encoder and decoder, with three uses of attention (Vaswani et al. 2017, section 3.2.3).

    Encoder self-attention and masked decoder self-attention go through the scheme's doors. Attention from
    decoder to encoder does not: its queries and keys count along two different sequences, so a difference of
    their positions has no fixed meaning, and the memory carries the order of the source already. T5
    (Raffel et al. 2020) leaves its biases out there too.
    """

    def __init__(self, encoder: "Encoder", decoder: "Decoder") -> None:
        """encoder: an Encoder. decoder: a Decoder with cross=True, as wide. They may share a scheme."""
        super().__init__()
        fit = (encoder.causal, encoder.cross, decoder.causal, decoder.cross) == (False, False, True, True)
        if not fit or encoder.width != decoder.width:
            kinds = " and ".join(type(stack).__name__ for stack in (encoder, decoder))
            value = f"{kinds} of widths {encoder.width} and {decoder.width}, cross={encoder.cross} and {decoder.cross}"
            remedy = "use an Encoder and a Decoder of one width, cross=True in the Decoder only"
            validate.refuse("encoder and decoder", "fit", value, remedy)
        self.encoder, self.decoder = encoder, decoder

    def forward(
        self, source: Tensor, target: Tensor, source_positions: Any = None, target_positions: Any = None
    ) -> Tensor:
        """source, target: token ids, (batch, time) each. Returns logits (batch, target time, vocabulary)."""
        return self.decoder(target, target_positions, self.encoder(source, source_positions))


def _xavier_linear(columns_in: int, columns_out: int, generator: Generator | None, bias: bool = True) -> nn.Linear:
    """A linear layer with Xavier-uniform weights and no bias at first (Glorot and Bengio 2010)."""
    # On meta the layer draws no weights of its own, which would come from torch's global generator.
    layer = nn.Linear(columns_in, columns_out, bias=bias, device="meta")
    start = nn.init.xavier_uniform_(torch.empty(columns_out, columns_in), generator=generator)
    layer.weight = nn.Parameter(start)
    if bias:
        layer.bias = nn.Parameter(torch.zeros(columns_out))
    return layer


def _check_scheme(scheme: Any) -> Scheme:
    """The scheme itself, or one that does nothing for None; raises TypeError for anything else, such as a class."""
    if scheme is None:
        return Scheme()
    if not isinstance(scheme, Scheme):
        raise TypeError(f"scheme must be an instance of Scheme, got {scheme!r}: pass Sinusoidal(64) or the like")
    return scheme

"""Biases on the scores, the third door, and Shaw's value term, the fourth: taught in chapter 09.

The functions give the bias itself; the classes add it and are schemes for `posenc.doors`. Throughout, a query
is at m and a key at n, and a bias is a function of m - n: how many steps back the key lies, negative where it
lies ahead. A bias has the shape of the scores, (batch, heads, queries, keys), or broadcasts to it; positions
are (time,) or (batch, time). Where a paper computes something from a token's vector x, the scheme computes it
from the query or the key, which are learned maps of x.
"""

import math
from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from posenc import validate
from posenc.doors import Scheme
from posenc.rotary import Rotary


def steps_back(q_positions: Any, k_positions: Any) -> Tensor:
    """m - n for every query and key: int64, (queries, keys), or (batch, 1, queries, keys).

    positions: integers, (time,) or (batch, time). Raises TypeError for anything but integers.
    """
    q_positions = validate.whole_positions(q_positions, "q_positions")
    k_positions = validate.whole_positions(k_positions, "k_positions").to(q_positions.device)
    gap = q_positions[..., :, None] - k_positions[..., None, :]
    return gap if gap.dim() == 2 else gap[:, None]


def clipped(back: Tensor, reach: int) -> Tensor:
    """The row of a table of 2·reach + 1 for each distance back, clip(m - n) + reach: the shape of back.

    back: integers. reach: at least 0. Raises TypeError or ValueError for any other argument.
    Shaw et al. 2018 number the rows by n - m: theirs is the same table upside down.
    """
    back = validate.whole_positions(back, "back")
    return back.clamp(-reach, reach) + validate.count(reach, "reach")


def pick(by_row: Tensor, rows: Tensor) -> Tensor:
    """Entry [.., i, rows[i, j]] for every i and j: (…, queries, rows) → (…, queries, keys)."""
    return by_row.gather(-1, rows.expand(*by_row.shape[:-1], rows.shape[-1]))


def skew(by_distance: Tensor) -> Tensor:
    """Entries sorted by distance, T-1 first and 0 last, moved to their keys: (…, T, T) → (…, T, T).

    On and below the diagonal, entry [m, n] of the result is the one for the distance m - n. The entries above
    it are left over from other rows and have no meaning: mask them. No index tensor is built.
    Source: Dai et al. 2019 (Transformer-XL); Huang et al. 2019 (Music Transformer).
    """
    if by_distance.dim() < 2 or by_distance.shape[-1] != by_distance.shape[-2]:
        shape = tuple(by_distance.shape)
        raise ValueError(f"by_distance must have shape (…, T, T), got {shape}: one column for each distance")
    # Padded to T + 1 columns and read again with T, each row lies one further right: row m is shifted left by T-1-m.
    T = by_distance.shape[-1]
    padded = functional.pad(by_distance, (1, 0))
    return padded.reshape(*by_distance.shape[:-2], T + 1, T)[..., 1:, :]


def xl_terms(q: Tensor, k: Tensor, relative: Tensor, u: Tensor, v: Tensor) -> tuple[Tensor, ...]:
    """The four terms of Transformer-XL, unscaled: q·k, q·W_R PE, u·k, v·W_R PE, each broadcasting to the scores.

    q: (batch, heads, queries, head width); k: the same with keys. relative: W_R PE(m - n), of shape
    (…, queries, keys, head width). u, v: (heads, head width).
    Source: Dai et al. 2019 (Transformer-XL), terms (a) to (d).
    """
    u, v = u[:, None], v[:, None]
    by_query = (q[..., None, :] * relative).sum(-1)
    by_all = (v[..., None, :] * relative).sum(-1)
    return q @ k.mT, by_query, u @ k.mT, by_all


def _bucket_edges(buckets: int, max_distance: int, bidirectional: bool) -> list[int]:
    """The distance at which each bucket begins; half of them hold one distance each, the others grow by one ratio."""
    buckets = validate.count(buckets, "buckets", least=4) // (2 if bidirectional else 1)
    exact = buckets // 2
    more = buckets - exact
    validate.count(max_distance, "max_distance", least=exact + 1)

    edges, n = list(range(exact)), exact
    for step in range(more):
        # n < exact·(max_distance/exact)^(step/more), in whole numbers: a logarithm would round
        while n**more * exact**step < exact**more * max_distance**step:
            n += 1
        edges.append(n)
    return edges


def t5_buckets(back: Tensor, buckets: int = 32, max_distance: int = 128, bidirectional: bool = False) -> Tensor:
    """The bucket of each distance back, in whole numbers: int64, the shape of back.

    Keys ahead fall into bucket 0, or with bidirectional into the upper half of the buckets.
    back: integers. buckets: at least 4. max_distance: above the number of buckets of one distance.
    Raises TypeError or ValueError for any other argument.
    Source: Raffel et al. 2020 (T5) and their code.
    """
    edges = _bucket_edges(buckets, max_distance, bidirectional)
    return _bucket_of(edges, validate.whole_positions(back, "back"), buckets // 2 if bidirectional else 0)


def _bucket_of(edges: list[int], back: Tensor, ahead: int) -> Tensor:
    """The bucket of each distance back. ahead: how many more for a key ahead, 0 if those have no buckets."""
    distance = back.abs() if ahead else back.clamp(min=0)
    bucket = torch.full_like(distance, -1)
    for edge in edges:  # and no search, which exporters to ONNX lack
        bucket = bucket + (distance >= edge)
    return bucket + (back < 0) * ahead if ahead else bucket


def alibi_slopes(heads: int, dtype: torch.dtype = torch.float32, device: Any = None) -> Tensor:
    """One slope a head: 2^(-8l/H), l = 1 … H, for H = heads a power of two; shape (heads,).

    For another number: the slopes of the power of two below, then every second slope of the one above, from
    its first on. heads: positive. Raises TypeError or ValueError otherwise.
    Source: Press et al. 2022 (ALiBi), and their code for the other numbers.
    """
    below = 1 << (validate.count(heads, "heads", least=1).bit_length() - 1)
    exponents = [8 * h / below for h in range(1, below + 1)]
    exponents += [4 * h / below for h in range(1, 2 * (heads - below), 2)]
    return torch.tensor([2.0**-e for e in exponents], dtype=torch.float64).to(device, dtype)


def alibi(slopes: Tensor, q_positions: Any, k_positions: Any) -> Tensor:
    """-μ|m - n| for every head, (heads, queries, keys) or (batch, heads, queries, keys). slopes: (heads,).

    positions: as in `steps_back`, with its errors, and ValueError where float16 has no such number. Sixteen bits
    do not tell all distances apart: bfloat16 from 256 on, float16 from 2048 on. Source: Press et al. 2022 (ALiBi).
    """
    back = steps_back(q_positions, k_positions).abs()
    return -slopes[:, None, None] * validate.representable(back, slopes.dtype, "distances")


def alibi_by_key(slopes: Tensor, k_positions: Any) -> Tensor:
    """μn for every head: what BLOOM and MPT add, (…, heads, 1, keys).

    slopes: (heads,). k_positions: integers, (keys,) or (batch, keys). Raises TypeError for other positions.
    Under a causal mask it differs from `alibi` by a constant along each row, so the weights are the same;
    without the mask every query gives its largest weight to the last key.
    """
    return slopes[:, None, None] * validate.whole_positions(k_positions, "k_positions")[..., None, None, :]


def kerple_power(back: Tensor, r1: Tensor, r2: Tensor) -> Tensor:
    """-r₁|m - n|^r₂. r1, r2: positive, (heads,), r2 at most 2. Source: Chi et al. 2022 (KERPLE)."""
    distance = back.abs()
    # The power of 0 is 0, and the second derivative that torch has for it is not a number.
    power = distance.clamp(min=1).to(r1.dtype) ** r2[:, None, None]
    return -r1[:, None, None] * power * (distance > 0)


def kerple_log(back: Tensor, r1: Tensor, r2: Tensor) -> Tensor:
    """-r₁ log(1 + r₂|m - n|). r1, r2: positive, (heads,). Source: Chi et al. 2022 (KERPLE)."""
    return -r1[:, None, None] * torch.log1p(r2[:, None, None] * back.abs())


def fire_share(q_positions: Any, k_positions: Any, c: Tensor, threshold: Tensor) -> Tensor:
    """g(|m - n|) / g(max(K, m)), g(t) = log(ct + 1): how far back, as a share of how far back is possible.

    c, threshold (K): positive scalars. Between 0 and 1 under a causal mask, at every length.
    Source: Li et al. 2024 (FIRE).
    """
    gap = steps_back(q_positions, k_positions).abs()
    m = validate.whole_positions(q_positions, "q_positions")[..., :, None]
    m = m if m.dim() == 2 else m[:, None]
    return torch.log1p(c * gap) / torch.log1p(c * torch.maximum(threshold, m.to(threshold.dtype)))


def forgetting(log_forget: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """Σ log γ over the tokens after n and up to m: the logarithm of what all gates since then leave of a key.

    log_forget: (batch, heads, keys), log γ ≤ 0. For a causal mask; keys ahead get the negative of such a sum.
    Summed in float32 at least, under autocast too: it is a small difference of long sums.
    Source: Lin et al. 2025 (Forgetting Transformer).
    """
    gates = _in_float32_at_least(log_forget)[..., None, :]

    def so_far(positions: Tensor) -> Tensor:
        seen = k_positions[..., None, :] <= positions[..., :, None]
        seen = seen if seen.dim() == 2 else seen[:, None]
        return (seen * gates).sum(-1)

    between = so_far(q_positions)[..., :, None] - so_far(k_positions)[..., None, :]
    return between.to(log_forget.dtype)


def contextual_positions(gates: Tensor, k_positions: Tensor) -> Tensor:
    """Σ of a query's gates over the keys from n on: how many keys it counts, back to this one.

    gates: in [0, 1], (batch, heads, queries, keys), 0 where the mask forbids the query to look. Returns the
    same shape, in float32 at least: bfloat16 counts to 256 and no further. Source: Golovneva et al. 2024 (CoPE).
    """
    gates = _in_float32_at_least(gates)
    # "Back to this key" means by position: with a cache the keys may lie in any order.
    order = k_positions.argsort(-1)
    order = order if order.dim() == 1 else order[:, None, None]
    sums = gates.gather(-1, order.expand_as(gates)).flip(-1).cumsum(-1).flip(-1)
    return sums.gather(-1, order.argsort(-1).expand_as(gates))


def interpolated(by_row: Tensor, at: Tensor) -> Tensor:
    """Values of rows at real positions, on straight lines in between: (…, queries, rows) at (…, queries, keys).

    Positions beyond the last row read the last row, negative ones row 0. Source: Golovneva et al. 2024 (CoPE).
    """
    at = at.clamp(0, by_row.shape[-1] - 1)
    low = at.floor()
    below, above = (by_row.gather(-1, row.long()) for row in (low, at.ceil()))
    return below + (above - below) * (at - low)


def profile_bias(mix: Tensor, profiles: Tensor, q_positions: Any, k_positions: Any) -> Tensor:
    """Each query's own mixture of learned profiles over the distance; 0 beyond them and for keys ahead.

    mix: (batch, heads, queries, rank). profiles: (rank, reach), column n for the key n steps back.
    Source: Inkling 2 in transformers 5.23.0, `Inkling2RelativeLogits`.
    """
    gap, reach = steps_back(q_positions, k_positions), profiles.shape[-1]
    bias = pick(mix @ profiles, gap.clamp(0, reach - 1))
    return bias.masked_fill((gap < 0) | (gap >= reach), 0.0)


class NoPE(Scheme):
    """No positional encoding: no door is used. Under a causal mask positions can be inferred all the same."""


class Shaw(Scheme):
    """A learned vector for each clipped distance, added to the key, and with `to_values` another to the value.

    softmax(qᵀ(k + a(m - n)) / √d) (v + a'(m - n)). The heads share the vectors. Source: Shaw et al. 2018.
    """

    takes = ("head_width",)

    def __init__(
        self, head_width: int, reach: int = 16, *, to_values: bool = True, generator: Generator | None = None
    ) -> None:
        """reach: distances beyond it share a vector. to_values: values get vectors, too. Normal, 1/√head_width."""
        super().__init__()
        shape = 2 * validate.count(reach, "reach") + 1, validate.count(head_width, "head_width", least=1)
        self.reach, self.to_values = reach, to_values
        self.key_rows = _normal_parameter(shape, head_width**-0.5, generator)
        if to_values:
            self.value_rows = _normal_parameter(shape, head_width**-0.5, generator)

    def content_scores(self, scores: Tensor, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """The scores plus qᵀa(m - n) / √d."""
        rows = clipped(steps_back(q_positions, k_positions), self.reach)
        return scores + pick(q @ self.key_rows.T / math.sqrt(q.shape[-1]), rows)

    def values(self, mixed: Tensor, weights: Tensor, v: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """The mixture plus Σ weights · a'(m - n), weights summed by row first; as it is without `to_values`."""
        if not self.to_values:
            return mixed
        rows = clipped(steps_back(q_positions, k_positions), self.reach).expand_as(weights)
        # So no tensor of (queries, keys, head width) is built.
        share = weights.new_zeros(*weights.shape[:-1], 2 * self.reach + 1).scatter_add(-1, rows, weights)
        return mixed + share @ self.value_rows


class TransformerXL(Scheme):
    """(q + u)ᵀk + (q + v)ᵀW_R PE(m - n), with the sinusoidal code of the distance back.

    The second product is computed as a rotation: with y = W_Rᵀ(q + v) and k = (0, 1, 0, 1, …) it is
    (R(m)y)ᵀ(R(n)k), RoPE against one key for every token. Source: Dai et al. 2019 (Transformer-XL).
    """

    takes = ("width", "heads")

    def __init__(self, width: int, heads: int, *, generator: Generator | None = None) -> None:
        """width: columns of the code, even; heads must divide it. u and v start at 0, W_R normal."""
        super().__init__()
        head_width = validate.head_width(width, heads)
        self.turn = Rotary(width)
        self.u, self.v = (nn.Parameter(torch.zeros(heads, head_width)) for _ in range(2))
        self.map = _normal_parameter((heads, head_width, width), width**-0.5, generator)

    def content_scores(self, scores: Tensor, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """The scores plus terms (b) to (d): by query and distance, by key alone, and by distance alone."""
        mapped = (q + self.v[:, None]) @ self.map
        constant = (torch.arange(mapped.shape[-1], device=q.device) % 2).to(q.dtype)
        constant = constant.expand(k.shape[0], 1, k.shape[2], -1)
        mapped, constant = self.turn.query_key(mapped, constant, q_positions, k_positions)
        return scores + (self.u[:, None] @ k.mT + mapped @ constant.mT) / math.sqrt(q.shape[-1])


class T5(Scheme):
    """A learned number for each bucket of distances and each head; the scores are not divided by √d.

    `edges` holds the least distance of each bucket. Source: Raffel et al. 2020.
    """

    takes = ("heads",)

    def __init__(
        self,
        heads: int,
        buckets: int = 32,
        max_distance: int = 128,
        bidirectional: bool = False,
        *,
        scaled: bool = False,
        generator: Generator | None = None,
    ) -> None:
        """scaled: keep 1/√(head width), unlike T5. Others: as in `t5_buckets`. Entries start normal, deviation 1."""
        super().__init__()
        self.edges = _bucket_edges(buckets, max_distance, bidirectional)
        self._ahead = buckets // 2 if bidirectional else 0
        self.scaled = scaled
        self.table = _normal_parameter((buckets, validate.count(heads, "heads", least=1)), 1.0, generator)

    def content_scores(self, scores: Tensor, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """The scores, times √(head width) unless `scaled`, plus the learned number of each distance's bucket."""
        if not self.scaled:
            scores = scores * math.sqrt(q.shape[-1])
        bucket = _bucket_of(self.edges, steps_back(q_positions, k_positions), self._ahead)
        bucket = bucket if bucket.dim() == 2 else bucket[:, 0]  # the table brings the axis of heads
        return scores + self.table[bucket].movedim(-1, -3)


class ALiBi(Scheme):
    """A score falls by the head's slope for each position between: nothing is learned.

    Source: Press et al. 2022.
    """

    takes = ("heads",)

    def __init__(self, heads: int, slopes: Tensor | None = None) -> None:
        """heads: one slope each, from `alibi_slopes`.

        slopes: others, shape (heads,), not trained: of a rank that has a part of the model's heads, or of padded heads.
        Raises TypeError or ValueError for any other argument.
        """
        super().__init__()
        self.heads = validate.count(heads, "heads", least=1)
        self._slopes = None
        if slopes is not None:
            if not isinstance(slopes, Tensor) or tuple(slopes.shape) != (heads,):
                value = tuple(slopes.shape) if isinstance(slopes, Tensor) else repr(slopes)
                validate.refuse("slopes", f"be a tensor of shape ({heads},)", value, "take a part of alibi_slopes(…)")
            self._slopes = slopes.detach().clone()  # no buffer, which .half() would round

    def scores(self, scores: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """The scores plus -μ|m - n|."""
        slopes = alibi_slopes(self.heads) if self._slopes is None else self._slopes
        return scores + alibi(slopes.to(scores.device, scores.dtype), q_positions, k_positions)


class Kerple(Scheme):
    """Every score falls by a learned function of the distance: `kerple_log` or `kerple_power`."""

    takes = ("heads",)

    def __init__(self, heads: int, kind: str = "log") -> None:
        """kind: "log" or "power". r₁ = e^a, r₂ = e^b, for the power 2/(1 + e^(-b)); a and b start at 0."""
        super().__init__()
        self.kind = validate.choice(kind, ("log", "power"), "kind")
        self.a, self.b = (nn.Parameter(torch.zeros(validate.count(heads, "heads", least=1))) for _ in range(2))

    def scores(self, scores: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """The scores plus the bias."""
        gap = steps_back(q_positions, k_positions)
        if self.kind == "power":
            return scores + kerple_power(gap, self.a.exp(), 2 * self.b.sigmoid())
        return scores + kerple_log(gap, self.a.exp(), self.b.exp())


class FIRE(Scheme):
    """A small learned network computes the bias of each head from `fire_share`. Source: Li et al. 2024."""

    takes = ("heads",)

    def __init__(
        self, heads: int, hidden: int = 32, threshold: float = 512.0, *, generator: Generator | None = None
    ) -> None:
        """hidden: width of the network. threshold: where K starts. c starts at 0.1; both are learned."""
        super().__init__()
        validate.count(heads, "heads", least=1)
        self.log_c = nn.Parameter(torch.tensor(math.log(0.1)))
        self.log_threshold = nn.Parameter(torch.tensor(math.log(validate.number(threshold, "threshold", above=0))))
        self.first = _normal_parameter((validate.count(hidden, "hidden", least=1), 1), 1.0, generator)
        self.shift = nn.Parameter(torch.zeros(hidden))
        self.second = _normal_parameter((heads, hidden), hidden**-0.5, generator)

    def scores(self, scores: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """The scores plus f(share)."""
        share = fire_share(q_positions, k_positions, self.log_c.exp(), self.log_threshold.exp())
        bias = functional.relu(share[..., None] @ self.first.T + self.shift) @ self.second.T
        return scores + (bias if bias.dim() == 3 else bias[:, 0]).movedim(-1, -3)


class Forgetting(Scheme):
    """Each token has a gate γ, and a score changes by log γ for every token after the key: `forgetting`.

    γ = sigmoid(weight·k + bias) for each head. Source: Lin et al. 2025, where the gate is computed from x.
    """

    takes = ("head_width", "heads")

    def __init__(self, head_width: int, heads: int) -> None:
        """head_width, heads: positive. weight starts at 0, bias at 5: nearly nothing is forgotten at first."""
        super().__init__()
        validate.count(heads, "heads", least=1)
        self.weight = nn.Parameter(torch.zeros(heads, validate.count(head_width, "head_width", least=1)))
        self.bias = nn.Parameter(torch.full((heads,), 5.0))

    def content_scores(self, scores: Tensor, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """The scores plus Σ log γ."""
        gate = (k * self.weight[:, None]).sum(-1) + self.bias[:, None]
        return scores + forgetting(functional.logsigmoid(gate), q_positions, k_positions)


class CoPE(Scheme):
    """A query counts keys with gates sigmoid(score), and meets a learned vector a for the count.

    softmax(qᵀk / √d + qᵀa[count]), for a causal mask: the second term is not divided by √d, as in the program
    of the paper's appendix and in x-transformers. The authors' repository divides it, too, unless it is told not
    to: that is this scheme with rows divided by √d. Source: Golovneva et al. 2024.
    """

    takes = ("head_width",)

    def __init__(self, head_width: int, rows: int = 64, *, generator: Generator | None = None) -> None:
        """rows: counts beyond the last row read the last. Entries start normal, deviation 1/√(head width)."""
        super().__init__()
        validate.count(head_width, "head_width", least=1)
        self.rows = _normal_parameter((validate.count(rows, "rows", least=1), head_width), head_width**-0.5, generator)

    def content_scores(self, scores: Tensor, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """The scores plus qᵀa[count]."""
        gates = scores.sigmoid() * (steps_back(q_positions, k_positions) >= 0)
        counts = contextual_positions(gates, k_positions)
        return scores + interpolated(q @ self.rows.T, counts).to(scores.dtype)


class Profiles(Scheme):
    """`profile_bias`, where a learned map of the query mixes the profiles: deployed in Inkling 2 (2026)."""

    takes = ("head_width", "heads")

    def __init__(
        self, head_width: int, heads: int, rank: int = 16, reach: int = 1024, *, generator: Generator | None = None
    ) -> None:
        """rank: number of profiles, which all heads share. reach: distances they cover; all start normal."""
        super().__init__()
        validate.count(heads, "heads", least=1)
        validate.count(head_width, "head_width", least=1)
        validate.count(rank, "rank", least=1)
        self.map = _normal_parameter((heads, head_width, rank), head_width**-0.5, generator)
        self.profiles = _normal_parameter((rank, validate.count(reach, "reach", least=1)), rank**-0.5, generator)

    def content_scores(self, scores: Tensor, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """The scores plus the mixture."""
        return scores + profile_bias(q @ self.map, self.profiles, q_positions, k_positions)


def _in_float32_at_least(x: Tensor) -> Tensor:
    """x, widened if it is narrower: long sums lose their last terms in sixteen bits."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _normal_parameter(shape: tuple[int, ...], deviation: float, generator: Generator | None) -> nn.Parameter:
    """A parameter whose entries start normal about 0, drawn from `generator` or from torch's global one."""
    return nn.Parameter(torch.empty(shape).normal_(std=deviation, generator=generator))

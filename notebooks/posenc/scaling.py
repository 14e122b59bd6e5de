"""Rules that change RoPE's frequencies for texts longer than the trained length, taught in chapter 10.

Each rule is a function that returns frequencies, ready for `rotary.turns` or `Rotary(…, frequencies=…)`:
float64, shape (pairs,). A rule that also scales the scores has an attention factor beside it, by which query
and key are multiplied, each: the scores then grow by its square. `Stretched` is a scheme with both.

Where a published program computes something other than its paper, both are here: `by_parts` has the
frequencies of YaRN's paper, `yarn_code` those of its program.

The names are one throughout: factor = s, by how much the text grows; trained = L, the length of training;
turns = r = Lω/2π, how often a pair goes round within L.
"""

import math
from typing import Any

import torch
from torch import Tensor

from posenc import frequencies as omega
from posenc import validate
from posenc.rotary import Rotary


def turns_in(frequencies: Tensor, trained: int) -> Tensor:
    """How often each pair goes round within the trained length: r = Lω/2π, shape (pairs,).

    frequencies: float64, shape (pairs,). trained: positive. Raises TypeError or ValueError otherwise.
    Source: Peng et al. 2023 (YaRN), equation 17, with the base b where it prints b′.
    """
    return omega.check(frequencies) * validate.count(trained, "trained", least=1) / (2 * math.pi)


def linear(frequencies: Tensor, factor: float) -> Tensor:
    """Position interpolation: every frequency divided by `factor`, as if positions were squeezed.

    frequencies: float64, shape (pairs,). factor: at least 1. Raises TypeError or ValueError otherwise.
    Source: Chen et al. 2023.
    """
    return omega.check(frequencies) / validate.number(factor, "factor", least=1)


def ntk_base(width: int, base: float, factor: float) -> float:
    """The base b·s^(d/(d-2)), with which the first pair keeps its frequency and the last is slowed by s.

    width: d, even, at least 4. base: above 1. factor: at least 1. Raises TypeError or ValueError otherwise.
    Source: Peng et al. 2023, equation 16.
    """
    if validate.even_width(width) < 4:
        raise ValueError(f"width must be at least 4, got {width}: with one pair no base slows the last alone")
    base = validate.number(base, "base", above=1)
    return base * validate.number(factor, "factor", least=1) ** (width / (width - 2))


def ntk(width: int, base: float, factor: float) -> Tensor:
    """NTK-aware scaling: the geometric frequencies of `ntk_base`. Arguments and errors as there."""
    return omega.geometric(width, ntk_base(width, base, factor))


def dynamic(width: int, base: float, trained: int, length: int, alpha: float = 1.0) -> Tensor:
    """Dynamic NTK: `ntk` with the factor a·T/L - (a - 1), which grows with the text; up to L it is 1.

    This was proposed in June 2023, with a to be chosen by trial; programs compute it. a = 1 gives max(1, T/L),
    as Peng et al. restate it. transformers calls a `factor` and documents it as a ratio of lengths; for a
    text of T = aL tokens the rule gives a² - a + 1.
    width, base: as in `ntk_base`. trained (L), length (T): positive. alpha (a): at least 1. Raises as `ntk_base`.
    Source: "Dynamically scaled RoPE", June 2023; transformers 5.23.0, `_compute_dynamic_ntk_parameters`.
    """
    validate.number(alpha, "alpha", least=1)
    validate.count(trained, "trained", least=1)
    longest = max(validate.count(length, "length", least=1), trained)
    return ntk(width, base, alpha * longest / trained - (alpha - 1))


def ramp(turns: Tensor, slow: float, fast: float) -> Tensor:
    """The part γ of each old frequency that is kept: 0 below `slow` turns, 1 above `fast`, straight between.

    turns: from `turns_in`. slow: positive. fast: at least `slow`; where they are equal the ramp is a step.
    Raises TypeError or ValueError otherwise. Source: Peng et al. 2023, equation 18.
    """
    slow, fast = _check_ends(slow, fast)
    if slow == fast:
        return (turns >= slow).to(turns.dtype)
    return ((turns - slow) / (fast - slow)).clamp(0, 1)


def blend(frequencies: Tensor, factor: float, kept: Tensor) -> Tensor:
    """(1 - γ)·ω/s + γ·ω with γ = `kept` of each pair: float64, shape (pairs,).

    frequencies, factor: as in `linear`, with its errors. kept: float64, in [0, 1], shape (pairs,).
    Source: Peng et al. 2023, equation 20.
    """
    return (1 - kept) * linear(frequencies, factor) + kept * frequencies


def by_parts(frequencies: Tensor, factor: float, trained: int, slow: float = 1.0, fast: float = 32.0) -> Tensor:
    """NTK-by-parts: pairs of few turns are interpolated, pairs of many are left alone, those between blended.

    These are also the frequencies of YaRN as the paper has it; its attention factor is `yarn_attention`.

    frequencies: float64, shape (pairs,). factor: at least 1. trained: positive. slow, fast: as in `ramp`.
    Raises TypeError or ValueError otherwise. Source: Peng et al. 2023, equations 17 to 20.
    """
    return blend(frequencies, factor, ramp(turns_in(frequencies, trained), slow, fast))


def yarn_code(
    width: int, base: float, factor: float, trained: int, slow: float = 1.0, fast: float = 32.0, truncate: bool = True
) -> Tensor:
    """YaRN as programs have it: the ramp is straight in the index of the pair, not in its turns.

    It runs between the indices at which a pair would make `fast` and `slow` turns; without `truncate` its
    γ is ln(r/slow)/ln(fast/slow). With it, as most programs do, the ends are rounded outwards to whole indices.
    width: even. base: above 1. factor: at least 1. trained: positive. slow, fast: as in `ramp`.
    Raises TypeError or ValueError otherwise. Its attention factor is `yarn_attention`.
    Source: transformers 5.23.0, `_compute_yarn_parameters`; jquesnelle/yarn has the same.
    """
    frequencies = omega.geometric(width, validate.number(base, "base", above=1))
    slow, fast = _check_ends(slow, fast)
    validate.count(trained, "trained", least=1)
    first, last = (width * math.log(trained / (2 * math.pi * turns)) / (2 * math.log(base)) for turns in (fast, slow))
    if truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, width - 1)  # the last pair is width/2 - 1: shipped so
    if last < first:
        remedy = f"not even the fastest pair makes {slow} turns in it, and programs then stretch nothing"
        raise ValueError(f"trained must be longer, got {trained}: {remedy}")
    if first == last:
        last += 0.001  # as in the programs: no division by 0
    pair = torch.arange(width // 2, dtype=torch.float64, device="cpu")
    return blend(frequencies, factor, 1 - ((pair - first) / (last - first)).clamp(0, 1))


def yarn_attention(factor: float, weight: float = 1.0) -> float:
    """The factor for query and key, each: 0.1·weight·ln s + 1. The scores grow by its square.

    factor: at least 1. weight: 1 in the paper; a `mscale` of DeepSeek, which divides two such factors.
    Raises TypeError or ValueError otherwise. Source: Peng et al. 2023, equation 22.
    """
    factor, weight = validate.number(factor, "factor", least=1), validate.number(weight, "weight", least=0)
    return 0.1 * weight * math.log(factor) + 1


def llama3(frequencies: Tensor, factor: float, trained: int, low: float = 1.0, high: float = 4.0) -> Tensor:
    """Llama 3.1's rule: `by_parts` with a ramp from `low` to `high` turns, and no attention factor.

    It is published as a rule on wavelengths: λ above L/low is interpolated, below L/high left alone.
    frequencies: float64, shape (pairs,). factor: at least 1. trained: positive. low, high: as in `ramp`.
    Raises TypeError or ValueError otherwise. Source: transformers 5.23.0, `_compute_llama3_parameters`.
    """
    return by_parts(frequencies, factor, trained, low, high)


def longrope(frequencies: Tensor, trained: int, length: int, short: Any, long: Any) -> Tensor:
    """LongRoPE: frequencies divided by searched factors, `short` up to the trained length and `long` beyond.

    frequencies: float64, shape (pairs,). trained, length: positive. short, long: positive numbers, one for
    each pair. Raises TypeError or ValueError otherwise. Its attention factor is `longrope_attention`.
    Source: Ding et al. 2024; transformers 5.23.0, `_compute_longrope_parameters`.
    """
    pairs = len(omega.check(frequencies))
    validate.count(trained, "trained", least=1)
    far = validate.count(length, "length", least=1) > trained
    device = frequencies.device
    lists = [_check_factors(short, pairs, "short", device), _check_factors(long, pairs, "long", device)]
    return frequencies / lists[far]


def longrope_attention(factor: float, trained: int) -> float:
    """The factor for query and key, each: √(1 + ln s / ln L).

    factor: at least 1. trained: at least 2. Raises TypeError or ValueError otherwise.
    Source: transformers 5.23.0, `_compute_longrope_parameters`.
    """
    factor = validate.number(factor, "factor", least=1)
    return math.sqrt(1 + math.log(factor) / math.log(validate.count(trained, "trained", least=2)))


def partial(rotated: int, base: float = 10000.0) -> Tensor:
    """Partial rotation: the `rotated` leading columns turn with frequencies of that width, b^(-2i/rotated).

    Pass them with the same `rotated` to Rotary. rotated: even. base: positive. Raises as `geometric`.
    Source: Black et al. 2022, section 2.1.1.
    """
    return omega.geometric(rotated, base)


def proportional(width: int, rotated: int, base: float = 10000.0, factor: float = 1.0) -> Tensor:
    """p-RoPE: the fastest rotated/2 frequencies of the full width, b^(-2i/width), and 0 for all other pairs.

    Pass them with all columns rotated: pairs are those of the full head. width, rotated: even, rotated at
    most width. base: positive. factor: at least 1, divides. Raises TypeError or ValueError otherwise.
    Source: Barbero et al. 2025; transformers 5.23.0, `_compute_proportional_rope_parameters`.
    """
    frequencies = linear(omega.geometric(width, base), factor)
    frequencies[validate.rotated_columns(rotated, width) // 2 :] = 0
    return frequencies


def kept_to(frequencies: Tensor, most: int) -> int:
    """How far the base suffices: the least distance t with Σ cos(tω) < 0, or `most` if there is none below it.

    frequencies: float64, shape (pairs,), not empty. most: positive. Raises TypeError or ValueError otherwise.
    It reads what it computes, so it runs before a model does, and not in compiled code or on the meta device.
    Source: Men et al. 2024.
    """
    frequencies = omega.check(frequencies).cpu()
    if not len(frequencies):
        raise ValueError("frequencies must not be empty, got shape (0,): pass those of one pair at least")
    validate.count(most, "most", least=1)
    start, step = 0, 256  # most bases fail early, so the first looks are short
    while start < most:
        offsets = torch.arange(start, min(start + step, most), device="cpu")
        below = omega.angles(offsets, frequencies).cos().sum(-1) < 0
        if below.any():
            return start + int(below.to(torch.uint8).argmax())
        start, step = start + step, min(2 * step, 8192)
    return most


def least_base(width: int, length: int, start: float = 2.0, step: float = 1.05) -> float:
    """The first of the bases start·step^j with Σ cos(tω) ≥ 0 for all distances t below `length`.

    The condition does not get easier with every larger base, so nothing is bisected.
    width: even. length: positive. start, step: above 1. Raises TypeError or ValueError otherwise, and where
    `kept_to` does. Source: Men et al. 2024.
    """
    base, step = validate.number(start, "start", above=1), validate.number(step, "step", above=1)
    while kept_to(omega.geometric(width, base), length) < length:
        base *= step
    return base


class Stretched(Rotary):
    """RoPE with the frequencies of a rule, and its attention factor, as a scheme for the second door.

    width, layout, rotated: as in Rotary. frequencies: from a rule. attention: positive; multiplies the
    columns of query and key that turn, as programs do that put it into cosines and sines.
    Raises TypeError or ValueError for any other argument.
    """

    def __init__(
        self,
        width: int,
        frequencies: Tensor,
        attention: float = 1.0,
        layout: str = "split-half",
        rotated: int | None = None,
    ) -> None:
        super().__init__(width, layout=layout, rotated=rotated, frequencies=frequencies)
        self.attention = validate.number(attention, "attention", above=0)

    def query_key(self, q: Tensor, k: Tensor, q_positions: Any, k_positions: Any) -> tuple[Tensor, Tensor]:
        """Turn q and k by their positions, as Rotary does, and scale what turned."""
        q, k = super().query_key(q, k, q_positions, k_positions)
        return (q, k) if self.attention == 1 else (self._scale_rotated(q), self._scale_rotated(k))

    def extra_repr(self) -> str:
        """What a Rotary says, and the attention factor."""
        return f"{super().extra_repr()}, attention={self.attention:.4g}"

    def _scale_rotated(self, x: Tensor) -> Tensor:
        """x, with the columns that turn multiplied by the attention factor."""
        factors = torch.ones(self.width, dtype=x.dtype, device=x.device)
        factors[: self.rotated] = self.attention
        return x * factors


def _check_ends(slow: float, fast: float) -> tuple[float, float]:
    """The ends of a ramp, positive and in order; raises TypeError or ValueError otherwise."""
    slow, fast = validate.number(slow, "slow", above=0), validate.number(fast, "fast", above=0)
    if slow > fast:
        raise ValueError(f"slow must be at most fast, got {slow} and {fast}: exchange the two")
    return slow, fast


def _check_factors(factors: Any, pairs: int, name: str, device: torch.device) -> Tensor:
    """Positive factors, one for each pair, as float64 on that device; raises TypeError or ValueError otherwise."""
    try:
        numbers = torch.as_tensor(factors, dtype=torch.float64, device=device)
    except (TypeError, ValueError, RuntimeError) as problem:
        raise TypeError(f"{name} must be numbers, got {factors!r}: pass a list, one for each pair") from problem
    if numbers.shape != (pairs,):
        raise ValueError(f"{name} must have {pairs} factors, got shape {tuple(numbers.shape)}: one for each pair")
    values = validate.values(numbers)
    if values is not None and not ((values > 0) & (values < math.inf)).all():
        raise ValueError(f"{name} must be positive and finite, got {factors!r}: 1 leaves a pair alone")
    return numbers

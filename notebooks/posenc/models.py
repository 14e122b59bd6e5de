"""What a released model's config.json says about positions, and the scheme that it means, ready to run.

`read` takes the config and returns, for each kind of attention layer, a `Layer`: the facts, the frequencies
by the rule of the config, and with `ready()` a scheme. A config does not say everything: the layout of the
pairs and which layers turn at all stand in a model's program. So `read` knows families, by `model_type`, each
as transformers 5.23.0 runs it, and refuses others in one sentence; `ready` refuses what needs more than a
config.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from posenc import bias, guard, scaling
from posenc import frequencies as omega
from posenc.doors import Scheme
from posenc.rotary import Rotary, RotaryValues

# Families whose layers are all alike, and the layout of their pairs.
ALIKE = {
    **dict.fromkeys(
        "apertus arcee gemma glm4_moe gpt_neox granite hy_v3 llama minimax_m2 minimax_m3 ministral3 "
        "mistral mixtral olmo olmo2 phi phi3 qwen2 qwen2_5_vl qwen2_5_vl_text qwen2_vl qwen2_vl_text qwen3 "
        "qwen3_moe qwen3_vl_text qwen3_vl_moe_text seed_oss stablelm starcoder2".split(),
        "split-half",
    ),
    **dict.fromkeys(
        "cohere deepseek_v3 deepseek_v32 ernie4_5 glm glm4 glm_moe_dsa helium kimi_k2 mistral4".split(), "interleaved"
    ),
}
# The base of a config that names none; elsewhere it is 10000.
BASES = {"llama4_text": 500000.0, "smollm3": 2000000.0, "olmo3": 500000.0, "mixtral": 1000000.0}
# The share of the head that turns in a config that names none; elsewhere it is all.
SHARES = {
    **dict.fromkeys("gpt_neox qwen3_5_moe_text qwen3_5_text qwen3_next stablelm".split(), 0.25),
    **dict.fromkeys("glm glm4 glm4_moe phi".split(), 0.5),
    "mimo_v2_flash": 0.334,
}
# The families whose program can turn a share of the head; the others turn all of it.
PARTIAL = {*SHARES, "deepseek_v4", "minimax_m2", "minimax_m3", "phi3"}
# The length before the rule in a config that names none beside it.
BEFORE = {"phi3": 4096}
# Interleaved unless the config says otherwise.
TOLD = ("deepseek_v3", "kimi_k2", "mistral4")
# The names of one rule.
RULES = {"default": "none", "mrope": "none", "su": "longrope"}


class NotReady(ValueError):
    """A config that does not suffice to run the positions of its model; the message is one sentence why."""


class Graded(Scheme):
    """A scheme whose queries are scaled besides: by a number, or more the later they stand.

    inner: any scheme. scale: positive.
    slope, every, ahead: the query at position m is also scaled by 1 + slope·ln(1 + ⌊(m + ahead)/every⌋).
    The scores of one query keep their order.
    Raises TypeError or ValueError for any other argument.
    Source: transformers 5.23.0, `Llama4TextAttention`, `get_llama_4_attn_scale`, `yarn_apply_mscale`.
    """

    def __init__(self, inner: Scheme, scale: float = 1.0, slope: float = 0.0, every: int = 1, ahead: int = 0) -> None:
        super().__init__()
        if not isinstance(inner, Scheme):
            raise TypeError(f"inner must be a scheme, got {inner!r}: pass Scheme() for none")
        self.inner = inner
        self.scale, self.slope = guard.number(scale, "scale", above=0), guard.number(slope, "slope")
        self.every, self.ahead = guard.count(every, "every", least=1), guard.count(ahead, "ahead")

    def query_key(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        """What the inner scheme makes of q and k, and then q scaled."""
        q, k = self.inner.query_key(q, k, q_positions, k_positions)
        if not self.slope:
            return q * self.scale, k
        steps = torch.div(q_positions + self.ahead, self.every, rounding_mode="floor")
        grades = self.scale * (1 + self.slope * steps.double().log1p()).to(q.dtype)[..., None]
        return q * (grades if grades.dim() == 2 else grades[:, None]), k

    def input(self, x: Tensor, positions: Tensor) -> Tensor:
        """What the inner scheme makes of x."""
        return self.inner.input(x, positions)

    def content_scores(self, scores: Tensor, *others: Tensor) -> Tensor:
        """What the inner scheme makes of the scores."""
        return self.inner.content_scores(scores, *others)

    def values(self, mixed: Tensor, *others: Tensor) -> Tensor:
        """What the inner scheme hands over."""
        return self.inner.values(mixed, *others)

    def extra_repr(self) -> str:
        """The numbers."""
        grade = f", slope={self.slope}, every={self.every}" if self.slope else ""
        return f"scale={self.scale:.4g}{grade}"


@dataclass(frozen=True, eq=False)
class Layer:
    """One kind of attention layer, as its config has it.

    scheme: "RoPE", "NoPE", "ALiBi", "T5" or another word.
    head: the width of a query. rotated: how many of its columns turn. layout: of the pairs.
    base: b. rule: what stretches the frequencies, or "none". factor: s. ends: of its ramp, in turns.
    trained: the length before the rule, where the config names it. context: the length that it declares.
    window: how far a query looks back, in layers that limit it; that is a mask, and yours to pass.
    original, frequencies: float64, shape (pairs,), before and after the rule.
    attention: what the rule puts on query and key, each.
    scale, slope, every, ahead: of the queries, as in `Graded`.
    sections: pairs for time, height and width; in text all three are the position, and this is RoPE.
    back: whether values turn too, and the output back.
    detail: more, in words. why: what a config lacks.

    The columns that turn come first in a scheme; where a head is joined of two parts, as in multi-head latent
    attention, put the part that turns in front.
    """

    scheme: str
    head: int = 0
    rotated: int = 0
    layout: str = "split-half"
    base: float | None = None
    rule: str = "none"
    factor: float | None = None
    trained: int | None = None
    context: int | None = None
    window: int | None = None
    original: Tensor | None = None
    frequencies: Tensor | None = None
    ends: tuple[float, ...] = ()
    attention: float = 1.0
    scale: float = 1.0
    slope: float = 0.0
    every: int = 1
    ahead: int = 0
    sections: tuple[int, ...] = ()
    detail: str = ""
    back: bool = False
    why: str = ""
    make: Callable[[], Scheme] | None = None

    def ready(self) -> Scheme:
        """A new scheme for such layers. Raises NotReady where a config does not suffice."""
        if self.why:
            raise NotReady(self.why)
        make = self.make or (self._rotary if self.scheme == "RoPE" else Scheme)
        plain = self.scale == 1 and not self.slope
        return make() if plain else Graded(make(), self.scale, self.slope, self.every, self.ahead)

    def _rotary(self) -> Scheme:
        assert self.frequencies is not None
        turned = 2 * len(self.frequencies)  # with p-RoPE more than `rotated`, some by nothing
        if self.back:
            return RotaryValues(self.head, 1.0, self.layout, turned, self.frequencies)
        if self.attention != 1:
            return scaling.Stretched(self.head, self.frequencies, self.attention, self.layout, turned)
        return Rotary(self.head, layout=self.layout, rotated=turned, frequencies=self.frequencies)


def read(config: Any, length: int | None = None) -> dict[str, Layer]:
    """The kinds of attention layers that a config.json describes, by name: "attention" where all are alike.

    config: a dict, or a path to the file. length: of the text, where the frequencies depend on it (LongRoPE,
    dynamic NTK); the declared context by default.
    Raises TypeError for another argument, NotReady (a ValueError) for a family whose program is not known, or a
    config that this program does not follow.
    """
    found = _text(config)
    if length is not None:
        guard.count(length, "length", least=1)
    family = str(found.get("model_type"))
    try:
        if family in ALIKE:
            return {"attention": _rope(found, ALIKE[family], length=length)}
        if family in KINDS:
            return KINDS[family](found)
    except KeyError as missing:
        raise NotReady(f"the config has no field {missing}, without which {family} is not read") from missing
    raise NotReady(
        f"model_type {found.get('model_type')!r} is not among the families that posenc.models knows, and a "
        f"config says neither the layout of the pairs nor which layers turn: read the model's own program"
    )


def scheme(config: Any, kind: str | None = None, length: int | None = None) -> Scheme:
    """The scheme of a config.json, ready to run.

    config, length: as in `read`. kind: which layers, by a name that `read` gives; needed where there are
    several. Raises as `read`, NotReady where a config does not suffice, ValueError for another kind.
    """
    layers = read(config, length)
    if kind is None and len(layers) == 1:
        (kind,) = layers
    return layers[guard.choice(kind, tuple(layers), "kind")].ready()


def _text(config: Any) -> Mapping[str, Any]:
    """The part of a config that is about text."""
    if isinstance(config, (str, Path)):
        config = json.loads(Path(config).read_text(encoding="utf-8"))
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a dict or a path, got {config!r}: pass what config.json holds")
    return next((config[part] for part in ("text_config", "llm_config") if config.get(part)), config)


def _rules(config: Mapping[str, Any], kind: str | None) -> dict[str, Any]:
    """The parameters of RoPE, old style or new, for one kind of layer or for all."""
    rules = config.get("rope_parameters") or config.get("rope_scaling") or {}
    return dict(rules.get(kind) or rules)


def _rope(
    config: Mapping[str, Any], layout: str, kind: str | None = None, length: int | None = None, **fixed: Any
) -> Layer:
    """RoPE by a config. fixed: base, head, rules, in place of what the config has."""
    rules = fixed.get("rules", _rules(config, kind))
    family = str(config.get("model_type"))
    base = rules.get("rope_theta", config.get("rope_theta", config.get("rotary_emb_base", BASES.get(family))))
    base = float(fixed.get("base", 10000.0 if base is None else base))
    rule = str(rules.get("rope_type", rules.get("type", "default")))
    if "qk_rope_head_dim" in config and "qk_nope_head_dim" in config:
        rotated = int(config["qk_rope_head_dim"])
        head = int(config["qk_nope_head_dim"]) + rotated
    else:
        head_dim = fixed.get("head") or config.get("head_dim")
        head = int(head_dim or config["hidden_size"] // config["num_attention_heads"])
        names = "partial_rotary_factor", "rotary_pct"
        shares = [part[name] for part in (rules, config) for name in names if part.get(name) is not None]
        share = shares[0] if shares else SHARES.get(family, 1.0)
        rotated = int(config.get("rotary_dim") or head * share)
        if rotated != head and rule != "proportional" and family not in PARTIAL:
            raise NotReady(f"{family} turns all {head} columns of a head, and the config asks for {rotated}")
    if family in TOLD and not config.get("rope_interleave", True):
        layout = "split-half"
    original = omega.geometric(rotated, base)
    context = config.get("max_position_embeddings")
    plain = Layer("RoPE", head, rotated, layout, base, RULES.get(rule, rule), context=context)
    plain = replace(plain, original=original, frequencies=original, sections=tuple(rules.get("mrope_section", ())))
    if plain.rule == "none":
        return plain
    if plain.rule == "proportional":
        found = scaling.proportional(head, rotated, base, float(rules.get("factor", 1.0)))
        return replace(plain, original=found, frequencies=found)
    # transformers prefers the length beside the rule, and reads it only where all layers have one rule.
    beside = None if kind else config.get("original_max_position_embeddings", BEFORE.get(family))
    return _stretched(plain, rules, config, length, beside or rules.get("original_max_position_embeddings"))


def _stretched(
    plain: Layer, rules: dict[str, Any], config: Mapping[str, Any], length: int | None, named: int | None
) -> Layer:
    """A layer with the rule of its config, as transformers computes it."""
    old, width, base, context = plain.original, plain.rotated, plain.base, plain.context
    assert old is not None
    assert base is not None
    trained = int(named or context or 0)
    length = length or context or trained
    factor = rules.get("factor")
    factor = max(1.0, (context or trained) / trained) if factor is None else float(factor)
    attention, ends = 1.0, cast(tuple[float, ...], ())
    if plain.rule == "linear":
        new = scaling.linear(old, factor)
    elif plain.rule == "llama3":
        ends = float(rules["low_freq_factor"]), float(rules["high_freq_factor"])
        new = scaling.llama3(old, factor, trained, *ends)
    elif plain.rule == "dynamic":
        new = scaling.dynamic(width, base, context or trained, length, factor)  # and not the trained length
    elif plain.rule == "yarn":
        ends = float(rules.get("beta_slow") or 1), float(rules.get("beta_fast") or 32)
        outer = config.get("rope_parameters") or config.get("rope_scaling") or {}
        # transformers looks for `truncate` there alone, also where each kind of layer has rules of its own.
        new = scaling.yarn_code(width, base, factor, trained, *ends, outer.get("truncate", True))
        attention = scaling.yarn_attention(factor)
        mscale, all_dim = rules.get("mscale"), rules.get("mscale_all_dim")
        if mscale and all_dim:
            attention = scaling.yarn_attention(factor, mscale) / scaling.yarn_attention(factor, all_dim)
    elif plain.rule == "longrope":
        new = scaling.longrope(old, trained, length, rules["short_factor"], rules["long_factor"])
        attention = scaling.longrope_attention(factor, trained)
    else:
        raise NotReady(f"the rule {plain.rule!r} is not one of posenc.scaling: build its frequencies first")
    attention = float(rules.get("attention_factor") or attention)
    known = int(named) if named else None
    found = replace(plain, factor=factor, trained=known, frequencies=new, ends=ends, attention=attention)
    if "qk_rope_head_dim" in config and rules.get("mscale_all_dim"):
        found = replace(found, scale=scaling.yarn_attention(factor, rules["mscale_all_dim"]) ** 2)
    slope = float(rules.get("llama_4_scaling_beta") or 0)
    return replace(found, slope=slope, every=trained) if slope else found


def _alibi(config: Mapping[str, Any]) -> dict[str, Layer]:
    parameters = config.get("attn_config", {"alibi": True})
    if not parameters.get("alibi") or parameters.get("alibi_bias_max", 8) != 8:
        raise NotReady("this config does not ask for ALiBi with slopes down to 2⁻⁸: see its program")
    heads = next(int(config[k]) for k in ("n_head", "n_heads", "num_attention_heads") if k in config)
    context = config.get("seq_length", config.get("max_seq_len"))
    return {"attention": Layer("ALiBi", context=context, detail=f"{heads} heads", make=lambda: bias.ALiBi(heads))}


def _t5(config: Mapping[str, Any]) -> dict[str, Layer]:
    """Its table is learned: a scheme that is made here starts with one of its own."""
    heads, buckets = int(config["num_heads"]), int(config["relative_attention_num_buckets"])
    far = int(config.get("relative_attention_max_distance", 128))

    def layer(both: bool) -> Layer:
        return Layer(
            "T5",
            int(config["d_kv"]),
            detail=f"{buckets} buckets for {'both directions' if both else 'keys before'}, to distance {far}",
            make=lambda: bias.T5(heads, buckets, far, both, scaled=False),
        )

    return {"encoder": layer(True), "decoder": layer(False)}


def _none(config: Mapping[str, Any]) -> dict[str, Layer]:
    return {"attention": _nope(config)}


def _nope(config: Mapping[str, Any]) -> Layer:
    return Layer("NoPE", context=config.get("max_position_embeddings"))


def _local_only(layout: str) -> Callable[[Mapping[str, Any]], dict[str, Layer]]:
    """Layers with a window turn, layers without do not; without any window, all turn."""

    def kinds(config: Mapping[str, Any]) -> dict[str, Layer]:
        rope = _rope(config, layout)
        window = config.get("sliding_window")
        if not window:
            return {"attention": rope}
        return {"sliding_attention": replace(rope, window=int(window)), "full_attention": _nope(config)}

    return kinds


def _one_rope(config: Mapping[str, Any]) -> dict[str, Layer]:
    """Layers with a window and layers without, with the same RoPE."""
    rope = _rope(config, "split-half")
    return {"sliding_attention": replace(rope, window=config.get("sliding_window")), "full_attention": rope}


def _by_list(config: Mapping[str, Any]) -> dict[str, Layer]:
    """`no_rope_layers` has a 1 for a layer that turns; without it, each fourth does not."""
    if all(config.get("no_rope_layers") or [0]):
        return {"attention": _rope(config, "split-half")}
    return {"rope": _rope(config, "split-half"), "nope": _nope(config)}


def _llama4(config: Mapping[str, Any]) -> dict[str, Layer]:
    chunk = replace(_rope(config, "interleaved"), window=config.get("attention_chunk_size", 8192))
    full = _nope(config)
    if config.get("attn_temperature_tuning", True):
        slope, every = float(config.get("attn_scale", 0.1)), int(config.get("floor_scale", 8192))
        full = replace(full, slope=slope, every=every, ahead=1)
    return {"chunked_attention": chunk, "full_attention": full}


def _gemma3(config: Mapping[str, Any]) -> dict[str, Layer]:
    named = "sliding_attention" in (config.get("rope_parameters") or {})
    near: dict[str, Any] = {} if named else {"base": config.get("rope_local_base_freq", 10000.0), "rules": {}}
    return _two(config, _rope(config, "split-half", "sliding_attention", **near))


def _gemma4(config: Mapping[str, Any]) -> dict[str, Layer]:
    near = _rope(config, "split-half", "sliding_attention")
    return _two(config, near, head=config.get("global_head_dim", 512))


def _two(config: Mapping[str, Any], near: Layer, **far: Any) -> dict[str, Layer]:
    """Layers with a window and layers without, both with RoPE."""
    window = config.get("sliding_window") or config.get("local_attention", 0) // 2 or None
    return {
        "sliding_attention": replace(near, window=window),
        "full_attention": _rope(config, "split-half", "full_attention", **far),
    }


def _plain_near(config: Mapping[str, Any]) -> dict[str, Layer]:
    """The rule stretches the layers without a window only."""
    rules = _rules(config, "sliding_attention")
    fixed: dict[str, Any] = {}
    if "sliding_attention" not in (config.get("rope_parameters") or {}):  # one set of rules, for the other layers
        fixed["rules"] = {name: rules[name] for name in rules.keys() & {"rope_theta", "partial_rotary_factor"}}
    return _two(config, _rope(config, "split-half", "sliding_attention", **fixed))


def _modernbert(config: Mapping[str, Any]) -> dict[str, Layer]:
    """Each kind has its base, once under a name of its own; the rule stretches both."""

    def base(kind: str, name: str, usual: float) -> dict[str, Any]:
        return {"base": _rules(config, kind).get("rope_theta", config.get(name, usual))}

    near = _rope(config, "split-half", "sliding_attention", **base("sliding_attention", "local_rope_theta", 1e4))
    return _two(config, near, **base("full_attention", "global_rope_theta", 160000.0))


def _mimo(config: Mapping[str, Any]) -> dict[str, Layer]:
    base, head = config.get("swa_rope_theta", 10000.0), config.get("swa_head_dim")
    return _two(config, _rope(config, "split-half", base=base, head=head))


def _hybrid(config: Mapping[str, Any]) -> dict[str, Layer]:
    """The layers of linear attention know order by their recurrence; only the others turn."""
    return {"full_attention": _rope(config, "split-half")}


def _deepseek4(config: Mapping[str, Any]) -> dict[str, Layer]:
    """Keys are values: both turn, and the output turns back. Compressed keys stand for several tokens."""
    share = {"partial_rotary_factor": config["qk_rope_head_dim"] / config["head_dim"]}
    rules = {"attention_factor": 1.0, **_rules(config, "compress"), **share}
    far = _rope(config, "interleaved", "compress", rules=rules, base=config.get("compress_rope_theta", 160000.0))
    near = _rope(config, "interleaved", rules=share)
    near = replace(near, window=config.get("sliding_window"), back=True)
    return {"sliding_attention": near, "compressed": replace(far, back=True)}


def _mistral_large4(config: Mapping[str, Any]) -> dict[str, Layer]:
    why = "each frequency is multiplied by a factor that was learned (LeRoPE) and is in the checkpoint only"
    graded = "queries are scaled by a·ln(m + 1) + b of each head, and a and b are in the checkpoint only"
    return {"rope": replace(_rope(config, "interleaved"), why=why), "nope": replace(_nope(config), why=graded)}


def _inkling(config: Mapping[str, Any]) -> dict[str, Layer]:
    why = (
        "the bias is mixed from learned profiles by what the query holds, and both are in the checkpoint "
        "only (posenc.bias.Profiles has the form)"
    )
    detail = f"{config['d_rel']} profiles over the last {config['rel_extent']} tokens"
    return {"attention": replace(_nope(config), scheme="learned bias", detail=detail, why=why)}


# Families with layers of several kinds, or without RoPE.
KINDS: dict[str, Callable[[Mapping[str, Any]], dict[str, Layer]]] = {
    "afmoe": _local_only("split-half"),
    "bloom": _alibi,
    "cohere2": _local_only("interleaved"),
    "deepseek_v4": _deepseek4,
    "exaone4": _local_only("split-half"),
    "gemma2": _one_rope,
    "gemma3_text": _gemma3,
    "gemma4_text": _gemma4,
    "gpt_oss": _one_rope,
    "inkling2_text": _inkling,
    "kimi_linear": _none,
    "llama4_text": _llama4,
    "mimo_v2_flash": _mimo,
    "mistral_large4_text": _mistral_large4,
    "modernbert": _modernbert,
    "mpt": _alibi,
    "muse_spark_text": _local_only("split-half"),
    "nemotron_h": _none,
    "olmo3": _plain_near,
    "qwen3_5_moe_text": _hybrid,
    "qwen3_5_text": _hybrid,
    "qwen3_next": _hybrid,
    "smollm3": _by_list,
    "t5": _t5,
}

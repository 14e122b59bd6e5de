"""What a released model's config.json says about positions, and the scheme that it means, ready to run.

`read` takes the config and returns, for each kind of attention layer, a `Layer`: the facts, the frequencies
by the rule of the config, and with `ready()` a scheme. What a file leaves out, or says by an old name, its class
in transformers fills in (`pip install 'posenc[models]'`). What no class says stands in a model's program: the
layout of the pairs, and which layers turn. So `read` knows families, each as transformers 5.23.0 runs it, and
refuses in one sentence what it does not know, or what the program would not read.
"""

import copy
import difflib
import inspect
import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from posenc import additive, bias, scaling, validate
from posenc import frequencies as omega
from posenc.doors import Scheme
from posenc.rotary import Rotary, RotaryValues

# What no class of transformers says of a family. First the layout of its pairs, here split-half, and there interleaved.
SPLIT_HALF = set(
    "afmoe apertus arcee aria_text beam bitnet cwm diffusion_gemma_text dots1 embedding_gemma2_text eurobert exaone4 "
    "exaone_moe falcon falcon_h1 flex_olmo flint gemma gemma2 gemma3_text gemma3n_text gemma4_text gemma4_unified_text "
    "glm4_moe gpt_neox gpt_neox_japanese gpt_oss granite granite_docling_text granite_swa granitemoe granitemoe_swa "
    "granitemoeshared gte hunyuan_v1_dense hunyuan_v1_moe hy_v3 hy_v4 hyperclovax internlm3 iquestcoder jais2 "
    "jina_embeddings_v3 kolibri1 laguna lfm2 lfm2_moe lfm3 llama mellum mimo_v2_flash minicpm3 minimax minimax_m2 "
    "minimax_m3_vl_text ministral ministral3 mistral mixtral modernbert modernbert-decoder molmo2_text "
    "muse_glimmer_text muse_spark_text nemotron nomic_bert olmo olmo2 olmo3 olmo_hybrid olmoe persimmon phi phi3 "
    "phi4_multimodal qwen2 qwen2_5_vl_text qwen2_moe qwen2_vl_text qwen3 qwen3_5_moe_text qwen3_5_text qwen3_moe "
    "qwen3_next qwen3_vl_moe_text qwen3_vl_text seed_oss smollm3 solar_open stablelm starcoder2 ultrabert vaultgemma "
    "zaya".split()
)
INTERLEAVED = set(
    "axk1 axk2 bailing_hybrid cohere cohere2 cohere2_moe deepseek_v2 deepseek_v3 deepseek_v32 deepseek_v4 "
    "dots3_note_text ernie4_5 ernie4_5_moe glm glm4 glm4_moe_lite glm_moe_dsa helium llama4_text longcat_flash "
    "mistral4 mistral_large4_text youtu".split()
)
# Where a config may name a share of the head, or a window of every layer; the other programs have neither.
PARTIAL = set(
    "deepseek_v4 glm glm4 glm4_moe gpt_neox gpt_neox_japanese laguna mimo_v2_flash minimax_m2 minimax_m3_vl_text "
    "nemotron persimmon phi phi3 phi4_multimodal qwen3_5_moe_text qwen3_5_text qwen3_next solar_open "
    "stablelm zaya".split()
)
WINDOWED = set("minimax ministral3 mistral mixtral phi3 phi4_multimodal qwen3_moe starcoder2".split())
# Where layers turn only if they have a window; where a window looks ahead as far as back.
TURN_IN_WINDOWS = set("afmoe cohere2 cohere2_moe exaone4 exaone_moe flint kolibri1".split())
BOTH_WAYS = {"embedding_gemma2_text", "modernbert", "ultrabert"}
# Where queries and keys are normed (QK-norm), before they turn or after; and the flags by which a class does without.
NORMED = dict.fromkeys(
    "afmoe apertus beam cohere deepseek_v4 diffusion_gemma_text dots1 embedding_gemma2_text exaone4 exaone_moe "
    "flex_olmo flint gemma3_text gemma3n_text gemma4_text gemma4_unified_text glm4_moe hy_v3 kolibri1 laguna lfm2 "
    "lfm2_moe lfm3 mellum minimax_m2 minimax_m3_vl_text molmo2_text muse_glimmer_text muse_spark_text olmo2 olmo3 "
    "olmo_hybrid olmoe persimmon phi qwen3 qwen3_5_moe_text qwen3_5_text qwen3_moe qwen3_next qwen3_vl_moe_text "
    "qwen3_vl_text stablelm zaya".split(),
    "before",
)
NORMED |= dict.fromkeys(("hunyuan_v1_dense", "hunyuan_v1_moe", "llama4_text"), "after")
NORM_FLAGS = ("use_qk_norm", "qk_layernorm")
# Names that transformers has under another one.
ALIASES = {
    "exaone4_5_text": "exaone4",
    "kimi_k2": "deepseek_v3",
    "minimax_m3": "minimax_m3_vl_text",
    "minimax_m3_text": "minimax_m3_vl_text",
    "phi4mm": "phi4_multimodal",
}
# What the program of a family that is not read may name, and what the package has of it.
NAMED = {
    "RoPE (posenc.rotary.Rotary)": "RotaryEmbedding|apply_rotary",
    "ALiBi (posenc.bias.ALiBi)": "(?i)alibi",
    "a learned table (posenc.additive.Learned)": r"Embedding\(\s*config\.(max_pos|n_pos)|Position\w*\(nn\.Emb",
    "sinusoids (posenc.additive.Sinusoidal)": "(?i)sinusoid",
    "T5's buckets (posenc.bias.T5)": "relative_attention_num_buckets",
}
RENAMED = dict.fromkeys(("RefinedWeb", "RefinedWebModel"), "falcon")  # and n_head is num_attention_heads there
# Layers that know order by how they are built.
RECURRENT = {"linear_attention", "conv", "mamba"}
# The fields of each rule: those that it needs, and those that it may have; and those that any may have.
RULES = {
    "default": ("", ""),
    "linear": ("factor", ""),
    "dynamic": ("factor", ""),
    "yarn": ("factor", "attention_factor beta_fast beta_slow mscale mscale_all_dim truncate"),
    "llama3": ("factor low_freq_factor high_freq_factor", ""),
    "longrope": ("short_factor long_factor", "factor attention_factor"),
    "proportional": ("", "factor"),
}
WORDS = set("rope_type type truncate finetuned mrope_section mrope_interleaved short_factor long_factor".split())
LENGTHS = set("original_max_position_embeddings max_position_embeddings".split())
ANY_RULE = WORDS | LENGTHS | {"rope_theta", "partial_rotary_factor", "llama_4_scaling_beta"}
SAME_RULE = {"mrope": "default", "su": "longrope"}
# In Hunyuan `alpha` is a fixed factor of the base, and its files have YaRN's fields besides.
FIELDS_BESIDES = dict.fromkeys(("hunyuan_v1_dense", "hunyuan_v1_moe"), f"alpha {RULES['yarn'][1]}")
# What a checkpoint alone holds: why a layer of such a family and scheme is not ready.
LEARNED = {
    "mistral_large4_text": {
        "RoPE": "each frequency is multiplied by a factor that was learned (LeRoPE) and is in the checkpoint only",
        "NoPE": "queries are scaled by a·ln(m + 1) + b of each head, and a and b are in the checkpoint only",
    }
}
# Fields that are whole numbers, and by which a field that nobody reads is about positions.
WHOLE = "hidden_size num_attention_heads num_hidden_layers head_dim max_position_embeddings sliding_window".split()
# Those of an indexer are not: it picks keys, and turns copies of its own.
ABOUT_POSITIONS = re.compile("^(?!index).*(rope|nope|rotary|theta|window|alibi|position|yarn|ntk)")
ANY_CONFIG = set(
    "rope_theta rope_scaling rope_parameters partial_rotary_factor max_position_embeddings max_window_layers "
    "position_embedding_type rope_interleave original_max_position_embeddings rotary_dim mla_use_nope".split()
)


# A flag that transformers does not read, and published files have: it may say what the program does anyway.
TURNS = "use_rotary_pos_emb"


class NotReady(ValueError):
    """A config that does not suffice to run the positions of its model; the message is one sentence why."""


class Graded(Scheme):
    """A scheme whose queries are scaled besides: by a number, or more the later they stand.

    inner: any scheme. scale: positive.
    slope, every, ahead: the query at position m is also scaled by 1 + slope·ln(1 + ⌊(m + ahead)/every⌋).
    power: and by 1 + (m + ahead)/every to this power.
    The scores of one query keep their order.
    Raises TypeError or ValueError for any other argument.
    Source: transformers 5.23.0, `Llama4TextAttention`, `get_llama_4_attn_scale`, `yarn_apply_mscale`; `power`:
    `compute_attention_scaling` of `modeling_beam.py`.
    """

    def __init__(
        self,
        inner: Scheme,
        scale: float = 1.0,
        slope: float = 0.0,
        every: int = 1,
        ahead: int = 0,
        power: float = 0.0,
    ) -> None:
        super().__init__()
        if not isinstance(inner, Scheme):
            raise TypeError(f"inner must be a scheme, got {inner!r}: pass Scheme() for none")
        self.inner = inner
        self.scale, self.slope = validate.number(scale, "scale", above=0), validate.number(slope, "slope")
        self.every, self.ahead = validate.count(every, "every", least=1), validate.count(ahead, "ahead")
        self.power = validate.number(power, "power")

    def query_key(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        """What the inner scheme makes of q and k, and then q scaled."""
        q, k = self.inner.query_key(q, k, q_positions, k_positions)
        if not self.slope and not self.power:
            return q * self.scale, k
        at = (q_positions + self.ahead).to(omega.exact_device(q.device))
        steps = torch.div(at, self.every, rounding_mode="floor").double()
        grades = (1 + self.slope * steps.log1p()) * (1 + at.double() / self.every) ** self.power
        grades = self.scale * grades.to(q.dtype).to(q.device)[..., None]
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
        """What its `repr` shows: the factor of the queries, and how it grows."""
        grades = {"slope": self.slope, "power": self.power}
        grade = "".join(f", {name}={value}, every={self.every}" for name, value in grades.items() if value)
        return f"scale={self.scale:.4g}{grade}"


@dataclass(frozen=True, eq=False)
class Layer:
    """One kind of attention layer, as its config has it.

    scheme: "RoPE", "NoPE", "ALiBi", "T5", "learned table", "sinusoids" or another word.
    head: the width of a query. rotated: how many of its columns turn. layout: of the pairs.
    base: b. rule: what stretches the frequencies, or "none". factor: s. ends: of its ramp, in turns.
    trained: the length before the rule, where the config names it. context: the length that it declares.
    window: the greatest distance from a query to a key that it sees, back and, where the model looks ahead, ahead;
    chunk: the length of the pieces that see themselves alone. Both are masks, and yours to pass.
    original, frequencies: float64, shape (pairs,), before and after the rule.
    attention: what the rule puts on query and key, each.
    norm: whether queries and keys are normed "before" or "after" they turn, or "none". After the turn, a norm with
    weights that differ within a pair lets the score see more than the offset.
    scale, slope, every, ahead, power: of the queries, as in `Graded`.
    sections: pairs for time, height and width; in text all three are the position, and this is RoPE.
    back: whether values turn too, and the output back.
    first: the row of the first token in a learned table: pass positions from there.
    layers: which layers of the model these are, counted from 0, within the pattern that the config holds.
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
    chunk: int | None = None
    original: Tensor | None = None
    frequencies: Tensor | None = None
    ends: tuple[float, ...] = ()
    attention: float = 1.0
    norm: str = "none"
    scale: float = 1.0
    slope: float = 0.0
    every: int = 1
    ahead: int = 0
    power: float = 0.0
    sections: tuple[int, ...] = ()
    first: int = 0
    layers: tuple[int, ...] = ()
    detail: str = ""
    back: bool = False
    why: str = ""
    make: Callable[[], Scheme] | None = None

    def ready(self) -> Scheme:
        """A new scheme for such layers. Raises NotReady where a config does not suffice."""
        if self.why:
            raise NotReady(self.why)
        make = self.make or (self._rotary if self.scheme == "RoPE" else Scheme)
        plain = self.scale == 1 and not self.slope and not self.power
        return make() if plain else Graded(make(), self.scale, self.slope, self.every, self.ahead, self.power)

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

    config: a dict, a path of the file or of its folder, or a config object of transformers. length: of the text,
    where the frequencies depend on it (LongRoPE, dynamic NTK); the declared context by default.
    Raises TypeError for another argument, ImportError without transformers, NotReady (a ValueError) for a family
    whose program is not known, or a config that this program does not follow.
    """
    if length is not None:
        validate.count(length, "length", least=1)
    name, fields = _load(config)
    try:
        family, fields = _text_part(fields)
        if family not in KNOWN:
            validate.refuse(
                "model_type", "be among the families that posenc.models knows", repr(family), _way_on(family)
            )
        _check(family, fields)
        built = _build(family, fields)
        _check_fields_are_read(built, fields)
        if family in READERS:
            layers = {kind: replace(one, layers=_places(built, kind)) for kind, one in READERS[family](built).items()}
        else:
            rules = _rules_by_kind(built)
            _check_rules_are_read(built, fields, rules)
            layers = _layers(built, fields, rules, length)
        turns = all(layer.scheme == "RoPE" for layer in layers.values())
        if fields.get(TURNS) not in (None, turns):
            remedy = "transformers does not read it, and its model would run without it"
            validate.refuse(TURNS, f"be {turns} for {family}", repr(fields[TURNS]), remedy)
        return layers
    except ImportError:
        raise
    except Exception as problem:  # whatever a broken field leads to, in classes of transformers too
        words = str(problem) if isinstance(problem, TypeError | ValueError) else f"{type(problem).__name__}: {problem}"
        raise NotReady(f"{name}: {words}") from problem


def scheme(config: Any, kind: str | None = None, length: int | None = None) -> Scheme:
    """The scheme of a config.json, ready to run.

    config, length: as in `read`. kind: which layers, by a name that `read` gives; needed where there are
    several. Raises as `read`, NotReady where a config does not suffice, ValueError for another kind.
    """
    layers = read(config, length)
    if kind is None and len(layers) == 1:
        (kind,) = layers
    return layers[validate.choice(kind, tuple(layers), "kind")].ready()


# From a file to the class of its family.


def _load(config: Any) -> tuple[str, dict[str, Any]]:
    """What a config is called in a message, and its fields: a copy, since transformers changes what it takes."""
    name = "the config"
    if isinstance(config, (str, Path)):
        name, path = str(config), Path(config)
        path = path / "config.json" if path.is_dir() else path
        if not path.is_file():
            remedy = "a name on the hub is not looked up, so download its config.json and pass where it lies"
            raise NotReady(f"config must be the path of a file, got {name!r}, which is none here: {remedy}")
        try:
            config = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as problem:
            raise NotReady(f"{name} must hold JSON, and {problem}: pass a model's config.json as it is") from problem
    elif hasattr(config, "to_dict"):
        config = config.to_dict()
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a dict or a path, got {config!r}: pass what config.json holds")
    return name, copy.deepcopy(dict(config))


def _way_on(family: str) -> str:
    """What to do with a config of a family that is not known: the scheme, where a program in transformers names it."""
    if family in RENAMED:
        return f"write {RENAMED[family]!r}, num_attention_heads for n_head and num_hidden_layers for n_layer"
    why = "a config says neither the layout of the pairs nor which layers turn"
    try:
        from transformers import CONFIG_MAPPING

        program = sys.modules[CONFIG_MAPPING[family].__module__].__file__ or ""
        source = Path(program.replace("configuration_", "modeling_")).read_text(encoding="utf-8")
    except (ImportError, KeyError, OSError):
        near = difflib.get_close_matches(family, KNOWN, cutoff=0.8)
        return f"{why}: read the model's program" + (f", or the name, which is near {', '.join(near)}" if near else "")
    named = [words for words, mark in NAMED.items() if re.search(mark, source)]
    return f"{why}: read the program in transformers" + (f", which names {' and '.join(named)}" if named else "")


def _text_part(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The family that a config is of, and the fields of its part about text."""
    part = next((name for name in ("text_config", "llm_config", "language_config") if fields.get(name)), None)
    family = fields.get("model_type")
    if part is not None:
        whole, fields = family, fields[part]
        if not isinstance(fields, Mapping):
            validate.refuse(part, "be a dict of fields", repr(fields), "pass the config.json as it was published")
        family = fields.get("model_type") or (f"{whole}_text" if whole else None)
    if not isinstance(family, str):
        validate.refuse("model_type", "name the family of the model", repr(family), "add the one of its published file")
    family = ALIASES.get(family, family)
    fields = dict(fields)
    if family == "mimo_v2_flash":
        fields = _mimo(fields)
    if family == "minimax_m3_vl_text" and {"rotary_dim", "head_dim"} <= fields.keys():  # as the class of minimax_m2
        fields.setdefault("partial_rotary_factor", fields["rotary_dim"] / fields["head_dim"])
    if family not in KNOWN and f"{family}_text" in KNOWN:
        family += "_text"  # a file from before text had a part of its own
    return family, fields


def _mimo(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields of MiMo-V2 by the names of transformers, whose class does not convert those of the published files."""
    if "hybrid_layer_pattern" not in fields:
        return fields
    pattern = fields.pop("hybrid_layer_pattern")
    head, near_head = fields.get("head_dim"), fields.pop("swa_head_dim", None)
    if near_head not in (None, head):
        validate.refuse("swa_head_dim", f"be head_dim, {head}", near_head, "its program in transformers has one width")
    share = fields.pop("partial_rotary_factor", None)
    share = {} if share is None else {"partial_rotary_factor": share}
    bases = {"full_attention": fields.pop("rope_theta", 5e6), "sliding_attention": fields.pop("swa_rope_theta", 1e4)}
    fields.setdefault("rope_parameters", {kind: {"rope_theta": base, **share} for kind, base in bases.items()})
    fields.setdefault("layer_types", ["sliding_attention" if near else "full_attention" for near in pattern])
    fields.setdefault("sliding_window_size", fields.get("sliding_window"))  # without the query itself
    return fields


def _build(family: str, fields: dict[str, Any]) -> Any:
    """The config object of transformers: with what its class fills in, and new names for old ones."""
    try:
        from transformers import AutoConfig
    except ImportError as missing:
        reason = "posenc.models needs transformers, which knows what a config leaves out"
        raise ImportError(f"{reason}: pip install 'posenc[models]'") from missing
    fields = {name: value for name, value in copy.deepcopy(fields).items() if name != "model_type"}
    if fields.get("rope_scaling", 0) is None:  # or it would take the place of rope_parameters
        del fields["rope_scaling"]
    patterns = [fields[name] for name in ("layer_types", "no_rope_layers", "compress_ratios") if fields.get(name)]
    if patterns:  # one period of a pattern will do
        fields.setdefault("num_hidden_layers", len(patterns[0]))
    name = "kv_lora_rank" if fields.get("use_mla", True) else "use_mla"
    if family in ("deepseek_v2", "deepseek_v3") and not fields.get(name, True):  # so DeepSeek-OCR, -VL2-tiny
        remedy = "without it the whole head turns, split-half: read it as model_type 'llama', its fields qk_… left out"
        validate.refuse(name, f"ask for the latent attention of {family} in transformers", fields[name], remedy)
    try:
        built = AutoConfig.for_model(family, **fields)
        if "original_max_position_embeddings" in fields:  # read at last by the rule that stretches
            built.standardize_rope_params()
        return built
    except Exception as problem:  # its checks raise errors of many classes
        if wrong := re.search(r"Field '(\w+)' .*?(expected [^,]+), got", str(problem)):
            remedy = f"write it as the files of {family} do"
            validate.refuse(wrong[1], f"be what transformers takes ({wrong[2]})", repr(fields.get(wrong[1])), remedy)
        *_, last = str(problem).rstrip(".").splitlines() or [type(problem).__name__]
        remedy = "write type 'longrope'" if "'su'" in str(fields) else "compare the field with the published file"
        raise NotReady(f"transformers refuses what the config says of {family} ({last.strip()}): {remedy}") from problem


def _rules_by_kind(built: Any) -> dict[str, Any]:
    """The rules of a config object by kinds of layers; {} where all layers have one."""
    rules = built.rope_parameters or {}
    return {kind: rules[kind] for kind in built.nested_rope_parameter_keys(rules)}


# A field that no class or program would read is refused: it would be dropped in silence.


def _check(family: str, fields: dict[str, Any]) -> None:
    """Refuse fields that are no numbers, and rules that lack a field or have one that nobody reads."""
    for name in WHOLE:
        if fields.get(name) is not None:
            validate.count(fields[name], name, least=int(name != "sliding_window"))
    for name in ("rope_theta", "partial_rotary_factor"):
        if name in fields and (family, fields[name]) != ("olmo_hybrid", None):
            validate.number(fields[name], name, above=0)
    turning = fields.get("no_rope_layers")
    if isinstance(turning, list) and (turning or family == "smollm3"):  # in Llama 4, an empty one is none
        if set(turning) - {0, 1} or fields.get("num_hidden_layers", len(turning)) != len(turning) or not turning:
            remedy = "it is no list of layers, so write 0 for each that does not turn and 1 for the others, or null"
            validate.refuse("no_rope_layers", "be 1 or 0 for each layer, 1 where it turns", turning, remedy)
    for place in ("rope_parameters", "rope_scaling"):
        rules = {} if fields.get(place) is None else fields[place]
        if not isinstance(rules, Mapping):
            validate.refuse(
                place, "be a dict", repr(rules), "write {'rope_type': …, 'factor': …} as in published files"
            )
        for kind, rule in (_nested(rules) or {"": rules}).items():
            _check_rule(f"{place}.{kind}".rstrip("."), rule, str(fields.get("model_type")))


def _nested(rules: Mapping[str, Any]) -> dict[str, Any]:
    """The rules of a field by kinds of layers, {} where it holds one rule."""
    return {kind: rule for kind, rule in rules.items() if isinstance(rule, Mapping)}


def _check_rule(place: str, rule: Mapping[str, Any], family: str) -> None:
    """Refuse a rule that lacks a field, has one that nobody reads, or is called by two names. place: its field."""
    given = {str(rule[key]) for key in ("rope_type", "type") if rule.get(key) is not None} or {"default"}
    names = {SAME_RULE.get(name, name) for name in given}
    if len(names) > 1:
        both = f"{rule['type']!r} beside {rule['rope_type']!r}"
        validate.refuse(f"type in {place}", "say the same as rope_type", both, "keep the right one, as rope_type")
    (name,) = names
    if name not in RULES:
        known = ", ".join(RULES)
        validate.refuse(f"rope_type in {place}", f"be one of {known}", repr(name), "build its frequencies yourself")
    needed, others = (fields.split() for fields in RULES[name])
    for field in needed:
        if rule.get(field) is None:
            validate.refuse(f"{field} in {place}", f"be given for {name!r}", None, "the rule is nothing without it")
    read = {*needed, *others, *FIELDS_BESIDES.get(family, "").split(), *ANY_RULE}
    for field, value in rule.items():
        if value is not None and field not in read:
            remedy = "transformers does not read it here, so it is misspelt, of another rule, or of another program"
            if (field, name) == ("attn_factor", "yarn"):
                own = _yarn_attention(rule, validate.number(rule["factor"], "factor", least=1))
                both = f"({own:.3f} here), and vLLM multiplies by it ({own * validate.number(value, field):.3f})"
                remedy = f"transformers does not read it {both}: leave it out, or write the product as attention_factor"
            validate.refuse(f"{field} in {place}", f"be a field of the rule {name!r}", repr(value), remedy)
        if value is not None and field not in WORDS:
            validate.number(value, f"{field} in {place}", least=0)


def _check_fields_are_read(built: Any, fields: dict[str, Any]) -> None:
    """Refuse fields about positions that the class of a family does not read."""
    family, source = built.model_type, inspect.getsource(sys.modules[type(built).__module__])
    used = {name for name in fields if name in ANY_CONFIG or re.search(rf"\b{name}\b", source)}
    # What a name that is read says, too, does no harm.
    known = [None, False, 1.0, *(fields[name] for name in used if ABOUT_POSITIONS.search(name))]
    lost = [name for name in fields if name not in used and name != TURNS and ABOUT_POSITIONS.search(name)]
    lost = [name for name in lost if fields[name] is True or fields[name] not in known]
    if lost:
        kind, values = "a field" if len(lost) == 1 else "fields", ", ".join(repr(fields[name]) for name in lost)
        remedy = "transformers does not read it, so write what it says by a name of its class, such as rope_theta"
        validate.refuse(", ".join(lost), f"be {kind} of {family}", values, remedy)


def _check_rules_are_read(built: Any, fields: dict[str, Any], rules: dict[str, Any]) -> None:
    """Refuse what a file says of rules, and its class does not keep. rules: those it keeps, by kinds of layers."""
    family, kept = built.model_type, built.rope_parameters or {}
    given = [fields.get(place) or {} for place in ("rope_scaling", "rope_parameters")]
    nested = [rule for place in given for rule in _nested(place).values()]
    applied = [rule or {} for rule in rules.values()] or [kept]
    for name in ("rope_theta", "partial_rotary_factor"):
        lost = fields.get(name) is not None and all(rule.get(name) != fields[name] for rule in applied)
        if lost and any(applied) and not any(name in rule for rule in given + nested):
            remedy = f"the class of {family} does not read it there, so write it into rope_parameters"
            validate.refuse(name, f"lie in rope_parameters of {family}", fields[name], remedy)
    for kind, rule in sorted(rules.items()):  # their order is transformers' own, which changes by process
        _check_rule(kind, rule or {}, family)
    if kept and _rules_by_kind(type(built)()):
        kinds = set(getattr(built, "_rope_type_labels", built.layer_types)) - RECURRENT
        stray = {name for name, part in kept.items() if not isinstance(part, Mapping | None)} - {"truncate"}
        if stray or kinds - rules.keys():
            remedy = f"write a rule for each kind, for {' and '.join(sorted(kinds))}"
            validate.refuse("rope_parameters", "go by kinds of layers", sorted(kept), remedy)
    elif nested:
        remedy = f"{family} has one for all its layers, so write its fields without a kind"
        validate.refuse("rope_parameters", "be one rule", sorted(given[0] or given[1]), remedy)


# From the class to layers.


def _layers(built: Any, fields: dict[str, Any], rules: dict[str, Any], length: int | None) -> dict[str, Layer]:
    """The kinds of layers of a family with RoPE, those that look furthest last. Other arguments: as in `_rope`."""
    kinds = getattr(built, "layer_types", None) or ["attention"] * built.num_hidden_layers
    layers: dict[tuple[Any, ...], Layer] = {}
    places: dict[tuple[Any, ...], list[int]] = {}
    for place, kind in enumerate(kinds):
        if kind in RECURRENT:
            continue
        part = built.per_layer_config[place] if built.is_heterogeneous else built
        window = _window(part, kind)
        rule = _rule(built, rules, kind, place, window)
        if built.model_type == "deepseek_v4" and kind != "sliding_attention":
            kind = "compressed"
        key = kind, window, None if rule is None else rule["rope_theta"]
        places.setdefault(key, []).append(place)
        if key not in layers:
            layer = _nope(built) if rule is None else _rope(part, rule, fields, length)
            chunk = built.attention_chunk_size if kind == "chunked_attention" else None
            why = LEARNED.get(built.model_type, {}).get(layer.scheme, "")
            layers[key] = replace(layer, window=window, chunk=chunk, why=why)
    layers = {key: replace(layer, layers=tuple(places[key])) for key, layer in layers.items()}
    names = [key[0] for key in layers]
    if len(set(kinds)) == 1:
        names = ["rope" if layer.base else "nope" for layer in layers.values()] if len(layers) > 1 else ["attention"]
    names = [name if names.count(name) == 1 else f"{name} {n + 1}" for n, name in enumerate(names)]
    return dict(sorted(zip(names, layers.values(), strict=True), key=lambda pair: _reach(pair[1])))


def _places(built: Any, kind: str) -> tuple[int, ...]:
    """Which layers have attention, of a family in READERS. kind: "decoder" for those of a decoder."""
    names = ("num_decoder_layers", "decoder_layers") if kind == "decoder" else ("num_hidden_layers", "encoder_layers")
    (count,) = {getattr(built, name) for name in names if hasattr(built, name)}
    kinds = getattr(built, "layer_types", None) or ["full_attention"] * count
    return tuple(place for place, kind in enumerate(kinds) if kind not in RECURRENT | {"moe", "mlp"})


def _reach(layer: Layer) -> tuple[float, bool]:
    """By what layers go: how far they look, and whether they do so without positions."""
    return min(x for x in (layer.window, layer.chunk, float("inf")) if x is not None), layer.base is None


def _rule(built: Any, rules: dict[str, Any], kind: str, place: int, window: int | None) -> dict[str, Any] | None:
    """The rule of one layer, None where it does not turn. place: which layer it is."""
    if getattr(built, "alibi", False):
        remedy = "its program divides ALiBi by √d with the scores: build posenc.bias.ALiBi, its slopes so divided"
        validate.refuse("alibi", f"be false for {built.model_type}", True, remedy)
    turns, bases = getattr(built, "no_rope_layers", None), getattr(built, "layer_rope_theta", None)
    if (turns and not turns[place]) or (bases and not bases[place]):
        return None
    near = built.model_type in TURN_IN_WINDOWS and any("sliding" in other for other in built.layer_types)
    # In Command A+ the first layers turn besides.
    first = getattr(built, "prefix_dense_sliding_window_pattern", 0) == 1 and built.mlp_layer_types[place] == "dense"
    if near and window is None and not first:
        return None
    if built.model_type == "olmo_hybrid" and built.rope_parameters["rope_theta"] is None:
        return None
    if built.model_type == "deepseek_v4":  # its rules are named by what a layer looks at
        kind = "main" if kind == "sliding_attention" else "compress"
    rule = rules.get(kind) if rules else built.rope_parameters
    return {**rule, "rope_theta": bases[place]} if bases and rule is not None else rule


def _window(part: Any, kind: str) -> int | None:
    """The greatest distance to a key that a mask of transformers leaves, None where it leaves all."""
    size, family = getattr(part, "sliding_window", None), part.model_type
    if "sliding" not in kind and family not in WINDOWED:
        if size and kind == "attention":
            validate.refuse(
                "sliding_window", f"be null for {family}", size, "its program in transformers has no window"
            )
        return None
    if "sliding" not in kind and size is None:
        return None
    back = validate.count(size, "sliding_window", least=1) - 1
    return back + 1 if family in BOTH_WAYS or not getattr(part, "is_causal", True) else back


def _rope(part: Any, rule: dict[str, Any], fields: dict[str, Any], length: int | None) -> Layer:
    """RoPE by a config object and one of its rules. fields: the file. length: of the text."""
    family, base = part.model_type, validate.number(rule.get("rope_theta"), "rope_theta", above=0)
    name = validate.choice(rule["rope_type"], tuple(RULES), "rope_type")
    heads = validate.count(part.num_attention_heads, "num_attention_heads", least=1)
    head = validate.count(getattr(part, "head_dim", None) or part.hidden_size // heads, "head_dim", least=1)
    rotated = int(head * rule.get("partial_rotary_factor", 0.334 if family == "mimo_v2_flash" else 1.0))
    if hasattr(part, "qk_nope_head_dim"):  # multi-head latent attention: a head of two parts, of which one turns
        if family == "bailing_hybrid" and name == "default":  # whose class has made this its head_dim, of any share
            rotated = part.qk_rope_head_dim
        if rotated != part.qk_rope_head_dim:
            field, remedy = "head_dim", "the program turns as many columns as that"
            if rotated != head:
                field, pairs = "partial_rotary_factor", f"{rotated // 2} pairs of {part.qk_rope_head_dim // 2}"
                remedy = f"transformers takes it of {head} columns, and builds {pairs}, so leave it out"
            validate.refuse(field, f"make qk_rope_head_dim, {part.qk_rope_head_dim}, in {family}", rotated, remedy)
        head = rotated + part.qk_nope_head_dim
    elif rotated != head and name != "proportional" and family not in PARTIAL:
        remedy = "its program has no other way"
        validate.refuse("partial_rotary_factor", f"turn all {head} columns of {family}", f"{rotated} of them", remedy)
    if getattr(part, "rotary_dim", rotated) != rotated:
        remedy = "its class and its program differ, so name partial_rotary_factor"
        if family not in PARTIAL:
            remedy = f"transformers turns all; for makers who turn these, build Rotary with rotated={part.rotary_dim}"
        validate.refuse("rotary_dim", f"be the {rotated} columns that {family} turns", part.rotary_dim, remedy)
    validate.rotated_columns(rotated, head)
    told = hasattr(type(part), "rope_interleave")  # any file may have the field, few classes do
    interleaved = part.rope_interleave if told else family in INTERLEAVED
    if fields.get("rope_interleave") not in (None, interleaved):
        remedy = "its program has one layout"
        validate.refuse("rope_interleave", f"be {interleaved} for {family}", fields["rope_interleave"], remedy)
    layout, original = "interleaved" if interleaved else "split-half", omega.geometric(rotated, base)
    plain = Layer("RoPE", head, rotated, layout, base, context=part.max_position_embeddings, original=original)
    sections, back = tuple(rule.get("mrope_section") or ()), family == "deepseek_v4"  # whose keys are its values
    flags = [getattr(part, name) for name in NORM_FLAGS if hasattr(type(part), name)]
    norm = NORMED.get(family, "none") if all(flags) else "none"
    plain = replace(plain, frequencies=original, sections=sections, back=back, norm=norm)
    if name == "default":
        return plain
    if name == "proportional":
        new = scaling.proportional(head, rotated, base, float(rule.get("factor") or 1.0))
        return replace(plain, rule=name, original=new, frequencies=new)
    return _stretched(replace(plain, rule=name), rule, part, fields, length)


def _stretched(plain: Layer, rule: dict[str, Any], part: Any, fields: dict[str, Any], length: int | None) -> Layer:
    """A layer with its config's rule, as in transformers."""
    old, width, base, context = plain.original, plain.rotated, plain.base, plain.context
    assert old is not None and base is not None and context is not None  # noqa: PT018
    field = "original_max_position_embeddings"
    trained = validate.count(rule.get(field) or context, field, least=1)
    factor = float(rule.get("factor") or context / trained)
    attention, ends = 1.0, cast(tuple[float, ...], ())
    if plain.rule == "linear":
        new = scaling.linear(old, factor)
    elif plain.rule == "dynamic" and rule.get("alpha"):
        new = scaling.ntk(width, base, validate.number(rule["alpha"], "alpha", least=1))
    elif plain.rule == "dynamic":
        new = scaling.dynamic(width, base, context, length or context, factor)  # and not the trained length
    elif plain.rule == "llama3":
        ends = float(rule["low_freq_factor"]), float(rule["high_freq_factor"])
        new = scaling.llama3(old, factor, trained, *ends)
    elif plain.rule == "yarn":
        ends = float(rule.get("beta_slow") or 1), float(rule.get("beta_fast") or 32)
        # transformers looks for `truncate` there alone, also where each kind of layer has a rule of its own.
        new = scaling.yarn_code(width, base, factor, trained, *ends, part.rope_parameters.get("truncate", True))
        attention = _yarn_attention(rule, factor)
    else:
        new = scaling.longrope(old, trained, length or context, rule["short_factor"], rule["long_factor"])
        attention = scaling.longrope_attention(max(factor, 1.0), trained)
    if rule.get("attention_factor") is not None and plain.rule in ("yarn", "longrope"):
        attention = validate.number(rule["attention_factor"], "attention_factor", above=0)
    known = trained if field in json.dumps(fields) or trained != context else None
    layer = replace(plain, factor=factor, trained=known, frequencies=new, ends=ends, attention=attention)
    if hasattr(part, "qk_nope_head_dim") and rule.get("mscale_all_dim"):
        layer = replace(layer, scale=scaling.yarn_attention(factor, rule["mscale_all_dim"]) ** 2)
    slope = float(rule.get("llama_4_scaling_beta") or 0) if part.model_type in ("ministral3", "mistral4") else 0.0
    return replace(layer, slope=slope, every=trained) if slope else layer


def _yarn_attention(rule: Mapping[str, Any], factor: float) -> float:
    over, under = rule.get("mscale"), rule.get("mscale_all_dim")
    both = scaling.yarn_attention(factor, over if over and under else 1)
    return both / (scaling.yarn_attention(factor, under) if over and under else 1)


def _nope(built: Any) -> Layer:
    """A layer without positions; in Llama 4 and in Beam its queries grow."""
    plain = Layer("NoPE", context=built.max_position_embeddings)
    if built.model_type == "beam":
        return replace(plain, power=0.1, every=2048, ahead=1)
    if not getattr(built, "attn_temperature_tuning", False):
        return plain
    return replace(plain, slope=float(built.attn_scale), every=int(built.floor_scale), ahead=1)


# Families whose class has no rule of RoPE.


def _alibi(built: Any) -> dict[str, Layer]:
    parameters = getattr(built, "attn_config", None)
    if parameters and (not parameters.alibi or parameters.alibi_bias_max != 8):
        raise NotReady("this config does not ask for ALiBi with slopes down to 2⁻⁸: see its program")
    heads = validate.count(built.num_attention_heads, "num_attention_heads", least=1)
    context = getattr(built, "seq_length", None) or getattr(built, "max_seq_len", None)
    return {"attention": Layer("ALiBi", context=context, detail=f"{heads} heads", make=lambda: bias.ALiBi(heads))}


def _without(built: Any) -> dict[str, Layer]:
    if not getattr(built, "mla_use_nope", True):
        validate.refuse("mla_use_nope", "be true for kimi_linear", False, "its program in transformers turns nothing")
    return {"attention": _nope(built)}


def _t5(built: Any) -> dict[str, Layer]:
    """T5's layers, encoder and decoder. The table is learned: a scheme that is made here starts with one of its own."""
    buckets, far = built.relative_attention_num_buckets, built.relative_attention_max_distance
    layers = {}
    for kind, seen in (("encoder", "both directions"), ("decoder", "keys before")):
        make = partial(bias.T5, built.num_heads, buckets, far, kind == "encoder", scaled=False)
        layers[kind] = Layer("T5", built.d_kv, detail=f"{buckets} buckets for {seen}, to distance {far}", make=make)
    return layers


def _inkling(built: Any) -> dict[str, Layer]:
    why = (
        "the bias is mixed from learned profiles by what the query holds, and both are in the checkpoint "
        "only (posenc.bias.Profiles has the form)"
    )
    detail = f"{built.d_rel} profiles over the last {built.rel_extent} tokens"
    return {"attention": replace(_nope(built), scheme="learned bias", detail=detail, why=why)}


def _gptj(built: Any) -> dict[str, Layer]:
    """GPT-J's layers: RoPE before its class had fields for it, with the base of the paper."""
    rotated = validate.count(built.rotary_dim, "rotary_dim", least=2)
    omegas = omega.geometric(validate.rotated_columns(rotated, head := built.n_embd // built.n_head), 10000.0)
    layer = Layer("RoPE", head, rotated, "interleaved", 10000.0, context=built.n_positions)
    return {"attention": replace(layer, original=omegas, frequencies=omegas)}


def _tables(built: Any) -> dict[str, Layer]:
    return {"attention": _learned(built, built.max_position_embeddings)}


def _tables_after_padding(built: Any) -> dict[str, Layer]:
    """RoBERTa's layers: row `pad_token_id` is for padding, and the rows before it stay unused."""
    return {"attention": _learned(built, built.max_position_embeddings, built.pad_token_id + 1)}


def _learned(built: Any, rows: int, first: int = 0) -> Layer:
    """A learned table, added to the embeddings. One that is made here starts with rows of its own."""
    if getattr(built, "position_embedding_type", "absolute") != "absolute":
        remedy = "no program of transformers 5 has another"
        validate.refuse("position_embedding_type", "be 'absolute'", repr(built.position_embedding_type), remedy)
    detail = f"{rows} rows of {built.hidden_size} columns" + (f", the first token in row {first}" if first else "")
    make = partial(additive.Learned, built.hidden_size, rows)
    return Layer("learned table", context=rows - first, first=first, detail=detail, make=make)


def _whisper(built: Any) -> dict[str, Layer]:
    """Whisper's encoder has a table of sinusoids, whose slowest is exactly 1/10 000, and its decoder a learned one."""
    rows, width = built.max_source_positions, built.d_model
    base = 10000 ** (width / (width - 2))
    detail = f"{rows} rows of {width} columns, sines before cosines, base {base:.0f}"
    make = partial(additive.Sinusoidal, width, base, "concatenated")
    encoder = Layer("sinusoids", context=rows, detail=detail, make=make)
    return {"encoder": encoder, "decoder": _learned(built, built.max_target_positions)}


READERS: dict[str, Callable[[Any], dict[str, Layer]]] = {
    **dict.fromkeys(("bert", "gpt2"), _tables),
    **dict.fromkeys(("roberta", "xlm-roberta", "camembert"), _tables_after_padding),
    **dict.fromkeys(("bloom", "mpt"), _alibi),
    **dict.fromkeys(("glm5_next_text", "kimi_linear", "nemotron_h"), _without),
    "gptj": _gptj,
    "inkling2_text": _inkling,
    "t5": _t5,
    "whisper": _whisper,
}
KNOWN = SPLIT_HALF | INTERLEAVED | READERS.keys()

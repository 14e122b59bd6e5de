"""Released models: their data, what the package makes of it, transformers beside it, and the page of them."""

import importlib
import inspect
import json
import math
import re

import models_facts
import nbformat
import pytest
import torch
from models_facts import ROOT
from test_guard import refuses
from torch.testing import assert_close
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.t5 import modeling_t5

from posenc import bias, doors, frequencies, models

DATA = models_facts.load()
CONFIGS = {model["name"]: model["config"] for model in DATA["models"]}
LAYERS = [(name, kind) for name, config in CONFIGS.items() for kind in models.read(config)]
# The families that `posenc.models` reads and no model of the data has: each with the defaults of its class.
REST = sorted({*models.ALIKE, *models.KINDS} - {config["model_type"] for config in CONFIGS.values()})
# Where transformers keeps a family whose name is not that of its folder.
FOLDERS = {"kimi_k2": "deepseek_v3", "minimax_m3": "minimax_m3_vl", "qwen3_5_moe_text": "qwen3_5_moe"}
# What transformers calls the layers of a model.
THEIR_KINDS = {"deepseek_v4": {"sliding_attention": "main", "compressed": "compress"}}
POSITIONS = torch.tensor([5, 0, 3, 8, 1])


def with_rule(family, rule, **fields):
    """A config with a rule for all its layers, or where they have names, for those without a window."""
    config = {"model_type": family, "head_dim": 128, "hidden_size": 256, "num_attention_heads": 2}
    config |= {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 512}
    rules = {"rope_theta": 1e4, **rule}
    nested = {"sliding_attention": {"rope_type": "default", "rope_theta": 1e4}, "full_attention": rules}
    rules = nested if family == "olmo3" else rules
    return {**config, "max_position_embeddings": 131072, "rope_parameters": rules, **fields}


YARN = {"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 4096, "truncate": False}
LONGROPE = {"rope_type": "longrope", "original_max_position_embeddings": 8192}
LONGROPE |= {"short_factor": [1.0] * 64, "long_factor": [1.0 + i for i in range(64)]}
# ModernBERT as it was published, before its fields had their names of today.
MODERNBERT = with_rule("modernbert", {}, global_rope_theta=80000.0, local_rope_theta=20000.0, local_attention=128)
MODERNBERT |= {"rope_parameters": None, "rope_scaling": {"rope_type": "linear", "factor": 4.0}}
RULES = {
    "YaRN, not rounded": with_rule("llama", YARN),
    "YaRN, where `truncate` is not read": with_rule("olmo3", YARN),
    "LongRoPE by a family's own length": with_rule("phi3", LONGROPE),
    "LongRoPE by the length beside it": with_rule("gemma2", LONGROPE, original_max_position_embeddings=16384),
    "YaRN by the length within, of two rules": with_rule("olmo3", YARN, original_max_position_embeddings=16384),
    "position interpolation, two bases": MODERNBERT,
}


def last_layer(name):
    """The layer of a model that looks furthest."""
    return list(models.read(CONFIGS[name]).values())[-1]


def own_class(module, ending):
    """The class of a module of transformers whose name ends so: that for text where there are several."""
    classes = [kind for kind in vars(module).values() if inspect.isclass(kind) and kind.__module__ == module.__name__]
    names = [kind.__name__ for kind in classes if kind.__name__.endswith(ending)]
    return getattr(module, min(names, key=lambda name: ("Text" not in name, "Vision" in name or "Audio" in name)))


def theirs(config):
    """The config and the rotary embedding that transformers makes of a config, and their module."""
    family = config["model_type"]
    folder = FOLDERS.get(family, family.removesuffix("_text"))
    module = importlib.import_module(f"transformers.models.{folder}.modeling_{folder}")
    settings = importlib.import_module(f"transformers.models.{folder}.configuration_{folder}")
    fields = {name: value for name, value in config.items() if name != "model_type"}
    pattern = next((fields[n] for n in ("layer_types", "no_rope_layers", "compress_ratios") if n in fields), [0])
    if "rotary_emb_base" in fields:
        fields["rope_theta"] = fields.pop("rotary_emb_base")
    if "hybrid_layer_pattern" in fields:  # transformers has one form only, the new one
        old = ("hybrid_layer_pattern", "partial_rotary_factor")
        fields = {name: value for name, value in fields.items() if "theta" not in name and name not in old}
        pattern = [0] * 6
    fields["num_hidden_layers"] = max(1, len(pattern))
    built = own_class(settings, "Config")(**json.loads(json.dumps(fields)))
    return built, own_class(module, "RotaryEmbedding")(built), module


def their_scores(rotary, module, config, kind, q, k, layout):
    """What transformers makes of q and k, (1, 1, time, rotated) each: their scores, without a scale."""
    at = POSITIONS[None]
    if config["model_type"] in ("qwen2_5_vl", "qwen3_vl_text", "qwen3_5_moe_text"):
        at = at.expand(3, 1, -1)
    by_kind = "layer_type" in inspect.signature(type(rotary).forward).parameters
    turns = rotary(q, at, layer_type=kind) if by_kind else rotary(q, at)
    if config["model_type"] == "llama4_text":
        q, k = module.apply_rotary_emb(q.transpose(1, 2), k.transpose(1, 2), turns)
        return q.transpose(1, 2) @ k.transpose(1, 2).mT
    apply = getattr(module, "apply_rotary_pos_emb_interleave", None)
    apply = apply if apply and layout == "interleaved" else module.apply_rotary_pos_emb
    if {"q", "k"} <= inspect.signature(apply).parameters.keys():
        q, k = apply(q, k, *turns)
    else:
        q, k = apply(q, *turns), apply(k, *turns)
    return q @ k.mT


def compare(config, kind, layer):
    """Frequencies, attention factor and scores against transformers."""
    _, rotary, module = theirs(config)
    kind = THEIR_KINDS.get(config["model_type"], {}).get(kind, kind)
    expected = getattr(rotary, f"{kind}_inv_freq", getattr(rotary, "inv_freq", None))
    if layer.rule == "longrope":  # it starts with the factors for short texts
        rotary(torch.zeros(1), torch.tensor([[layer.trained]]))
        expected = rotary.inv_freq.clone()
        rotary.original_inv_freq.copy_(expected)
    assert_close(layer.frequencies, expected.double(), atol=1e-6, rtol=0)
    assert_close(layer.frequencies, expected.double(), atol=0, rtol=2e-5)
    reads_a_share = "partial_rotary_factor" in inspect.getsource(type(rotary))
    assert reads_a_share == (config["model_type"] in models.PARTIAL)
    attention = getattr(rotary, f"{kind}_attention_scaling", getattr(rotary, "attention_scaling", None))
    assert layer.attention == pytest.approx(attention, abs=1e-6)

    turning = 2 * len(layer.frequencies)
    q, k = torch.randn(2, 1, 1, len(POSITIONS), layer.head, generator=torch.Generator().manual_seed(0))
    q, k = (x / x.norm(dim=-1, keepdim=True) for x in (q, k))
    scores = their_scores(rotary, module, config, kind, q[..., :turning], k[..., :turning], layer.layout)
    plain = models.replace(layer, scale=1.0, slope=0.0, why="").ready()
    our_q, our_k = plain.query_key(q, k, POSITIONS, POSITIONS)
    assert_close(our_q @ our_k.mT, scores + q[..., turning:] @ k[..., turning:].mT, atol=1e-6, rtol=0)


@pytest.mark.parametrize("name", [*CONFIGS, *RULES, *REST])
def test_each_rope_turns_as_that_of_transformers(name):
    config = {**CONFIGS, **RULES}.get(name)
    if config is None:
        given = {"model_type": name, **({"head_dim": 128} if name == "glm4_moe" else {})}  # by itself 42, halved
        config = {**theirs(given)[0].to_dict(), "model_type": name}
        config.pop("num_hidden_layers", None)
    for kind, layer in models.read(config).items():
        if layer.base:
            compare(config, kind, layer)


def test_the_scale_of_the_scores_is_that_of_transformers():
    for name in [name for name, config in CONFIGS.items() if "qk_rope_head_dim" in config and last_layer(name).base]:
        settings, _, module = theirs(CONFIGS[name])
        with torch.device("meta"):
            expected = own_class(module, "Attention")(settings, 0).scaling
        layer = last_layer(name)
        assert layer.scale / math.sqrt(layer.head) == pytest.approx(expected, rel=1e-9), name


def test_queries_grow_as_in_ministral_and_llama_4():
    at = torch.tensor([0, 5, 16383, 16384, 40_000, 8191, 200_000])
    q = k = torch.ones(1, 2, len(at), 128)
    layer = last_layer("Ministral 3 8B")
    bare = models.replace(layer, scheme="NoPE").ready()
    expected = get_llama_4_attn_scale(at[None], layer.slope, layer.every)
    assert_close(bare.query_key(q, k, at[None], at)[0], q * expected.float(), atol=1e-6, rtol=0)
    grown, same = last_layer("Llama 4 Scout").ready().query_key(q, k, at, at)
    scales = 1 + 0.1 * torch.log1p(torch.floor((at.float() + 1) / 8192))  # Llama4TextAttention.forward
    assert_close(grown, q * scales[:, None], atol=1e-6, rtol=0)
    assert same is k


def test_layers_that_do_not_turn_are_those_of_transformers():
    assert last_layer("EXAONE 4.0 32B").scheme == last_layer("Muse Spark").scheme == "NoPE"
    settings = type(theirs(CONFIGS["Muse Spark"])[0])()  # whole: which layers turn is counted from the last
    turning = [kind == "sliding_attention" for kind in settings.layer_types]
    assert [bool(base) for base in settings.layer_rope_theta] == turning
    assert models.read({**CONFIGS["SmolLM3 3B"], "no_rope_layers": [1, 1]}).keys() == {"attention"}
    assert models.read({**CONFIGS["EXAONE 4.0 32B"], "sliding_window": None}).keys() == {"attention"}


def test_alibi_has_the_slopes_of_transformers():
    at = torch.arange(6)
    bloom, mpt = build_alibi_tensor(torch.ones(1, 6), 112, torch.float32), build_mpt_alibi_tensor(32, 6)
    for name, table in (("BLOOM 176B", bloom.view(112, 6)), ("MPT-7B", mpt.view(32, 6))):
        ours = models.scheme(CONFIGS[name]).scores(torch.zeros(1, len(table), 1, 6), at[-1:], at)
        assert_close(ours[0, :, 0], table - table[:, -1:], atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_t5_has_the_buckets_of_transformers(kind):
    config = modeling_t5.T5Config(**{k: v for k, v in CONFIGS["Flan-T5 Base"].items() if k != "model_type"})
    config.is_decoder = kind == "decoder"
    attention = modeling_t5.T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    scheme = models.scheme(CONFIGS["Flan-T5 Base"], kind)
    scheme.table.data.copy_(attention.relative_attention_bias.weight)
    at = torch.arange(150)
    ours = scheme.content_scores(torch.zeros(1, 12, 150, 150), torch.zeros(1, 12, 150, 64), None, at, at)
    expected = attention.compute_bias(150, 150)
    keep = torch.ones(150, 150).tril(0 if kind == "decoder" else 150).bool()
    assert_close(ours[..., keep], expected[..., keep], atol=1e-6, rtol=0)


@pytest.mark.parametrize(("name", "kind"), LAYERS)
def test_each_layer_runs_or_says_in_one_sentence_why_not(name, kind):
    layer = models.read(CONFIGS[name])[kind]
    if layer.why:
        with pytest.raises(models.NotReady) as caught:
            layer.ready()
        assert "." not in str(caught.value).removesuffix(".").replace("posenc.bias.", "")
        return
    heads = 12 if layer.scheme == "T5" else int((layer.detail or "2").split()[0])
    q, k, v = torch.randn(3, 1, heads, 4, layer.head or 8)
    out, weights = doors.attention(q, k, v, scheme=layer.ready(), causal=True)
    assert out.shape == q.shape
    assert_close(weights.sum(-1), torch.ones(1, heads, 4))


def test_a_file_and_a_whole_config_are_read(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "llama4", "text_config": CONFIGS["Llama 4 Scout"]}))
    assert models.read(path).keys() == models.read(str(path)).keys() == {"chunked_attention", "full_attention"}


def test_the_length_of_the_text_counts_for_dynamic_ntk_and_longrope():
    rule = {"rope_type": "dynamic", "factor": 4.0, "original_max_position_embeddings": 2048}
    config = with_rule("llama", rule, max_position_embeddings=8192)
    for length in (None, 20_000):
        expected, _ = ROPE_INIT_FUNCTIONS["dynamic"](theirs(config)[0], seq_len=length and torch.tensor(length))
        assert_close(models.read(config, length)["attention"].frequencies, expected.double(), atol=0, rtol=2e-5)
    phi = CONFIGS["Phi-3.5-mini"]
    factors = torch.tensor(phi["rope_scaling"]["short_factor"], dtype=torch.float64)
    assert_close(models.read(phi, 4096)["attention"].frequencies, frequencies.geometric(96) / factors)


LLAMA, T, V, NOT_READY = CONFIGS["Llama 2 7B"], TypeError, ValueError, models.NotReady
REFUSALS = [
    (lambda: models.read(3), T, ("config must be a dict or a path", "got 3", "pass what config.json holds")),
    (lambda: models.read(LLAMA, 1.5), T, ("length", "1.5", "whole number")),
    (lambda: models.read({"model_type": "mamba"}), NOT_READY, ("'mamba' is not among the families",)),
    (lambda: models.read({**LLAMA, "rope_scaling": {"rope_type": "axial"}}), NOT_READY, ("the rule 'axial'",)),
    (lambda: models.read({**LLAMA, "partial_rotary_factor": 0.5}), NOT_READY, ("llama turns all 128", "for 64")),
    (lambda: models.read({"model_type": "llama"}), NOT_READY, ("no field 'hidden_size', without which llama",)),
    (lambda: models.read({**CONFIGS["MPT-7B"], "attn_config": {}}), NOT_READY, ("does not ask for ALiBi",)),
    (lambda: models.scheme(CONFIGS["Gemma 3 12B"]), V, ("kind must be one of",)),
    (lambda: models.Graded(3), T, ("inner must be a scheme", "got 3", "pass Scheme() for none")),
    (lambda: models.Graded(doors.Scheme(), 0), V, ("scale", "above 0", "got 0")),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSALS)
def test_a_config_that_is_not_understood_is_refused(call, error, words):
    with refuses(error, *words):
        call()


def test_a_graded_scheme_opens_the_other_doors_too():
    at = torch.arange(3)
    for inner in (bias.ALiBi(2), bias.Shaw(4)):
        q, k, v = torch.randn(3, 1, 2, 3, 4)
        graded = doors.attention(q, k, v, scheme=models.Graded(inner, scale=2.0))
        assert_close(graded[0], doors.attention(2 * q, k, v, scheme=inner)[0])
    x = torch.randn(1, 3, 4)
    assert models.Graded(doors.Scheme()).input(x, at) is x


# The data.


def test_models_go_by_years_each_with_a_source_that_can_be_found_again():
    years = [model["year"] for model in DATA["models"]]
    assert years == sorted(years), "book/models.yml goes by years: move the entry that stands after a later one"
    assert len(CONFIGS) == len(years)
    assert {model["source"] for model in DATA["models"]} == DATA["sources"].keys(), "a source that no model names"
    for model in DATA["models"]:
        source = DATA["sources"][model["source"]]
        assert source["kind"] in models_facts.KINDS, model["name"]
        assert all(model.get(field) for field in ("by", "at")), model["name"]
        assert source.get("package") or {**source, **model}.get("commit"), f"name the commit of {model['name']}"


def code_with(notebook, words):
    """The source of the cell of a notebook that has these words."""
    cells = nbformat.read(ROOT / "notebooks" / f"{notebook}.ipynb", as_version=4).cells
    (source,) = (cell.source for cell in cells if cell.cell_type == "code" and words in cell.source)
    return source


def test_the_map_of_the_appendix_has_the_models_of_the_data():
    """Those whose whole head turns in the layers that look furthest, and of which a length goes with their base."""
    expected = {"trained": {}, "declared": {}}
    for model in DATA["models"]:
        turning = [layer for layer in models.read(model["config"]).values() if layer.base]
        if not turning or turning[-1].window or turning[-1].why or 2 * turning[-1].rotated <= turning[-1].head:
            continue
        layer = turning[-1]  # the layers that look furthest come last
        trained = model.get("trained", layer.trained)
        if trained or layer.rule == "none":
            kind = "trained" if trained else "declared"
            expected[kind][model["name"]] = (layer.rotated, layer.base, trained or layer.context)
    drawn = {}
    exec(code_with("a10_how_large_a_base", "\ntrained = {"), drawn)
    remedy = "bring `trained` and `declared` of notebooks/a10_how_large_a_base.ipynb in line with book/models.yml"
    assert {kind: drawn[kind] for kind in expected} == expected, remedy


def test_the_factors_that_chapter_10_prints_are_those_of_phi():
    listed = code_with("10_long_context", "searched = ").partition("]")[0]
    factors = CONFIGS["Phi-3.5-mini"]["rope_scaling"]["long_factor"]
    assert [float(word) for word in re.findall(r"\d+\.\d+", listed)] == [round(value, 2) for value in factors]


# What follows from the numbers, by other means.


def test_a_row_recomputed_without_the_package():
    facts = models_facts.Consequences(last_layer("gpt-oss-120b"))
    angles = [1.5e5 ** (-2 * i / 64) for i in range(32)]
    assert facts.wavelength == pytest.approx(2 * math.pi * 32 / angles[-1], rel=1e-9)
    assert facts.turns == pytest.approx(4096 * angles[-1] / (2 * math.pi), rel=1e-9)
    assert facts.full_turns == sum(4096 * angle >= 2 * math.pi for angle in angles)
    assert facts.suffices == next(m for m in range(3000) if sum(math.cos(m * angle) for angle in angles) < 0)


SENTENCES = [
    (models_facts.agreement, "DeepSeek V3", "('agrees',"),  # 40 × 4096 = 163840
    (models_facts.agreement, "Llama 3.1 8B", "('differs',"),  # 8 × 8192 = 65536, and 131072 are declared
    (models_facts.agreement, "Gemma 3 12B", "('unnamed',"),
    (models_facts.agreement, "Llama 2 7B", "('none',"),
    (models_facts.agreement, "Kimi K2", "its ramp is a step"),
    # 0.1·ln 32 + 1, and its square
    (models_facts.attention_term, "gpt-oss-120b", "✓ the rule's 1.347 on query and key: scores × 1.813"),
    (models_facts.attention_term, "DeepSeek V3", "✓ the rule's scores × 1.874, and so in the columns that stand still"),
    (models_facts.attention_term, "Ministral 3 8B", "≠ 1, where the rule has 1.277 on query and key"),
    (models_facts.derived_terms, "BLOOM 176B", "to 0.0039"),  # 2⁻⁸, of the flattest of the first 64 heads
    (models_facts.derived_terms, "BLOOM 176B", "every 177 tokens"),  # ln 2 / 2⁻⁸
    (models_facts.derived_terms, "Flan-T5 Base", "all keys from distance 113 on share one number"),
    (models_facts.derived_terms, "Kimi K3", "{}"),
]


@pytest.mark.parametrize(("function", "name", "words"), SENTENCES)
def test_what_the_page_says_of_a_layer(function, name, words):
    assert words in str(function(last_layer(name)))

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
from transformers.models.inkling2.configuration_inkling2 import Inkling2TextConfig
from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.t5 import modeling_t5

from posenc import bias, doors, frequencies, models, scaling

DATA = models_facts.load()
CONFIGS = {model["name"]: model["config"] for model in DATA["models"]}
LAYERS = {f"{name}, {kind}": (name, kind) for name, config in CONFIGS.items() for kind in models.read(config)}
ROTARY = {key: pair for key, pair in LAYERS.items() if models.read(CONFIGS[pair[0]])[pair[1]].base}
# Where transformers keeps a family whose name is not that of its folder.
FOLDERS = {"kimi_k2": "deepseek_v3", "minimax_m3": "minimax_m3_vl", "qwen3_5_moe_text": "qwen3_5_moe"}
# What transformers calls the layers of a model.
THEIR_KINDS = {"deepseek_v4": {"sliding_attention": "main", "compressed": "compress"}}
POSITIONS = torch.tensor([5, 0, 3, 8, 1])


def theirs(config):
    """The config class and the rotary class of transformers for a config, built, and their module."""
    family = config["model_type"]
    folder = FOLDERS.get(family, family.removesuffix("_text"))
    module = importlib.import_module(f"transformers.models.{folder}.modeling_{folder}")
    settings = importlib.import_module(f"transformers.models.{folder}.configuration_{folder}")

    def pick(source, ending):
        found = []
        for name, kind in vars(source).items():
            if inspect.isclass(kind) and kind.__module__ == source.__name__:
                if name.endswith(ending) and "Vision" not in name:
                    found.append(kind)
        text = [kind for kind in found if "Text" in kind.__name__]
        return (text or [kind for kind in found if "Audio" not in kind.__name__])[0]

    fields = {name: value for name, value in config.items() if name != "model_type"}
    pattern = next((fields[n] for n in ("layer_types", "no_rope_layers", "compress_ratios") if n in fields), [0])
    if "rotary_emb_base" in fields:
        fields["rope_theta"] = fields.pop("rotary_emb_base")
    if "hybrid_layer_pattern" in fields:  # transformers has one form only, the new one
        fields = {name: value for name, value in fields.items() if "theta" not in name}
        fields.pop("hybrid_layer_pattern")
        fields.pop("partial_rotary_factor")
        pattern = [0] * 6
    fields["num_hidden_layers"] = len(pattern) if len(pattern) > 1 else 1
    if "layer_types" in fields:
        fields["num_hidden_layers"] = len(fields["layer_types"])
    found = pick(settings, "Config")(**json.loads(json.dumps(fields)))
    return found, pick(module, "RotaryEmbedding")(found), module


def their_scores(rotary, module, config, kind, q, k, layer):
    """What transformers makes of q and k, (1, 1, time, rotated) each: their scores, without a scale."""
    at = POSITIONS[None]
    if config["model_type"] in ("qwen2_5_vl", "qwen3_vl_text", "qwen3_5_moe_text"):
        at = at.expand(3, 1, -1)
    kind = THEIR_KINDS.get(config["model_type"], {}).get(kind, kind)
    named = "layer_type" in inspect.signature(type(rotary).forward).parameters
    turned = rotary(q, at, layer_type=kind) if named else rotary(q, at)
    if config["model_type"] == "llama4_text":
        q, k = module.apply_rotary_emb(q.transpose(1, 2), k.transpose(1, 2), turned)
        return q.transpose(1, 2) @ k.transpose(1, 2).mT
    apply = getattr(module, "apply_rotary_pos_emb_interleave", None)
    apply = apply if apply and layer.layout == "interleaved" else module.apply_rotary_pos_emb
    if len([p for p in inspect.signature(apply).parameters if p in ("q", "k")]) == 2:
        q, k = apply(q, k, *turned)
    else:
        q, k = apply(q, *turned), apply(k, *turned)
    return q @ k.mT


@pytest.mark.parametrize("key", ROTARY)
def test_each_rope_turns_as_that_of_transformers(key):
    name, kind = ROTARY[key]
    compare(CONFIGS[name], kind, models.read(CONFIGS[name])[kind])


def compare(config, kind, layer):
    """Frequencies, attention factor and scores against transformers."""
    _, rotary, module = theirs(config)
    label = THEIR_KINDS.get(config["model_type"], {}).get(kind, kind)
    found = getattr(rotary, f"{label}_inv_freq", None)
    found = rotary.inv_freq if found is None else found
    if layer.rule == "longrope":  # it starts with the factors for short texts
        rotary(torch.zeros(1), torch.tensor([[layer.trained]]))
        found = rotary.inv_freq.clone()
        rotary.original_inv_freq.copy_(found)
    assert_close(layer.frequencies, found.double(), atol=1e-6, rtol=0)
    assert_close(layer.frequencies, found.double(), atol=0, rtol=2e-5)
    reads_a_share = "partial_rotary_factor" in inspect.getsource(type(rotary))
    assert reads_a_share == (config["model_type"] in models.PARTIAL)
    attention = getattr(rotary, f"{label}_attention_scaling", None)
    attention = rotary.attention_scaling if attention is None else attention
    assert layer.attention == pytest.approx(attention, abs=1e-6)

    generator = torch.Generator().manual_seed(0)
    turning = 2 * len(layer.frequencies)
    q, k = torch.randn(2, 1, 1, len(POSITIONS), layer.head, generator=generator)
    q, k = (x / x.norm(dim=-1, keepdim=True) for x in (q, k))
    expected = their_scores(rotary, module, config, kind, q[..., :turning], k[..., :turning], layer)
    expected = expected + q[..., turning:] @ k[..., turning:].mT
    plain = models.replace(layer, scale=1.0, slope=0.0, why="").ready()
    ours_q, ours_k = plain.query_key(q, k, POSITIONS, POSITIONS)
    assert_close(ours_q @ ours_k.mT, expected, atol=1e-6, rtol=0)


REST = sorted({*models.ALIKE, *models.KINDS} - {config["model_type"] for config in CONFIGS.values()})


@pytest.mark.parametrize("family", REST)
def test_the_other_families_turn_as_those_of_transformers(family):
    """With the defaults of their classes."""
    given = {"model_type": family, **({"head_dim": 128} if family == "glm4_moe" else {})}  # by itself 42, halved
    config = {**theirs(given)[0].to_dict(), "model_type": family}
    config = {name: value for name, value in config.items() if name != "num_hidden_layers"}
    for kind, layer in models.read(config).items():
        if layer.base:
            compare(config, kind, layer)


LATENT = [name for name, config in CONFIGS.items() if "rope_interleave" in config or "Kimi K2" in name]


@pytest.mark.parametrize("name", [*LATENT, "DeepSeek V3"])
def test_the_scale_of_the_scores_is_that_of_transformers(name):
    config = CONFIGS[name]
    (layer,) = models.read(config).values()
    settings, _, module = theirs(config)
    attention = next(
        kind
        for n, kind in vars(module).items()
        if inspect.isclass(kind) and n.endswith("Attention") and kind.__module__ == module.__name__
    )
    with torch.device("meta"):
        found = attention(settings, 0).scaling
    assert layer.scale / math.sqrt(layer.head) == pytest.approx(found, rel=1e-9)


def test_queries_grow_as_in_ministral_and_llama_4():
    at = torch.tensor([0, 5, 16383, 16384, 40_000, 8191, 200_000])
    q = k = torch.ones(1, 2, len(at), 128)
    (layer,) = models.read(CONFIGS["Ministral 3 8B"]).values()
    bare = models.replace(layer, scheme="NoPE", slope=layer.slope).ready()
    expected = get_llama_4_attn_scale(at[None], layer.slope, layer.every)
    assert_close(bare.query_key(q, k, at[None], at)[0], q * expected.float(), atol=1e-6, rtol=0)
    full = models.read(CONFIGS["Llama 4 Scout"])["full_attention"].ready()
    scales = 1 + 0.1 * torch.log1p(torch.floor((at.float() + 1) / 8192))  # Llama4TextAttention.forward
    assert_close(full.query_key(q, k, at, at)[0], q * scales[:, None], atol=1e-6, rtol=0)
    assert full.query_key(q, k, at, at)[1] is k


def test_layers_that_do_not_turn_are_those_of_transformers():
    for name, kind in (("EXAONE 4.0 32B", "full_attention"), ("Muse Spark", "full_attention")):
        assert models.read(CONFIGS[name])[kind].scheme == "NoPE"
    settings = type(theirs(CONFIGS["Muse Spark"])[0])()  # whole: which layers turn is counted from the last
    assert [bool(base) for base in settings.layer_rope_theta] == [
        kind == "sliding_attention" for kind in settings.layer_types
    ]
    assert models.read({**CONFIGS["SmolLM3 3B"], "no_rope_layers": [1, 1]}).keys() == {"attention"}
    assert models.read({**CONFIGS["EXAONE 4.0 32B"], "sliding_window": None}).keys() == {"attention"}


@pytest.mark.parametrize(
    ("name", "heads", "theirs"),
    [
        ("BLOOM 176B", 112, lambda: build_alibi_tensor(torch.ones(1, 6), 112, torch.float32)),
        ("MPT-7B", 32, lambda: build_mpt_alibi_tensor(32, 6)),
    ],
)
def test_alibi_has_the_slopes_of_transformers(name, heads, theirs):
    at, found = torch.arange(6), theirs().view(heads, 6)
    ours = models.scheme(CONFIGS[name]).scores(torch.zeros(1, heads, 1, 6), at[-1:], at)
    assert_close(ours[0, :, 0], found - found[:, -1:], atol=1e-6, rtol=0)


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
    keep = torch.ones(150, 150).tril().bool() if kind == "decoder" else torch.ones(150, 150).bool()
    assert_close(ours[..., keep], expected[..., keep], atol=1e-6, rtol=0)


@pytest.mark.parametrize("key", LAYERS)
def test_each_layer_runs_or_says_in_one_sentence_why_not(key):
    name, kind = LAYERS[key]
    layer = models.read(CONFIGS[name])[kind]
    if layer.why:
        with pytest.raises(models.NotReady) as caught:
            layer.ready()
        assert "." not in str(caught.value).removesuffix(".").replace("posenc.bias.", "")
        return
    heads = 12 if layer.scheme == "T5" else int(layer.detail.split()[0]) if layer.scheme == "ALiBi" else 2
    q, k, v = torch.randn(3, 1, heads, 4, layer.head or 8)
    out, weights = doors.attention(q, k, v, scheme=layer.ready(), causal=True)
    assert out.shape == q.shape
    assert_close(weights.sum(-1), torch.ones(1, heads, 4))


def test_a_file_a_whole_config_and_a_length(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "llama4", "text_config": CONFIGS["Llama 4 Scout"]}))
    assert models.read(path).keys() == models.read(str(path)).keys() == {"chunked_attention", "full_attention"}
    short = models.read(CONFIGS["Phi-3.5-mini"], length=4096)["attention"].frequencies
    factors = torch.tensor(CONFIGS["Phi-3.5-mini"]["rope_scaling"]["short_factor"], dtype=torch.float64)
    assert_close(short, frequencies.geometric(96) / factors)


def decoder(family, rules, **fields):
    """A config with heads that are 128 wide, of layers without a window."""
    shape = {"head_dim": 128, "hidden_size": 256, "num_attention_heads": 2, "max_position_embeddings": 131072}
    layers = {"layer_types": ["full_attention"], "sliding_window": 512}
    return {"model_type": family, **shape, **layers, "rope_parameters": rules, **fields}


@pytest.mark.parametrize("length", [None, 8192, 20_000])
def test_dynamic_ntk_grows_from_the_declared_length_as_in_transformers(length):
    rule = {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 1e4, "original_max_position_embeddings": 2048}
    config = decoder("llama", rule, max_position_embeddings=8192)
    found = ROPE_INIT_FUNCTIONS["dynamic"](theirs(config)[0], seq_len=length and torch.tensor(length))[0]
    ours = models.read(config, length)["attention"].frequencies
    assert_close(ours, found.double(), atol=0, rtol=2e-5)


@pytest.mark.parametrize("nested", [False, True])
def test_truncate_counts_where_transformers_looks_for_it(nested):
    lengths = {"factor": 16.0, "original_max_position_embeddings": 4096}
    yarn = {"rope_type": "yarn", "rope_theta": 5e5, "truncate": False, **lengths}
    plain = {"rope_type": "default", "rope_theta": 5e5}
    rules = {"sliding_attention": plain, "full_attention": yarn} if nested else yarn
    config = decoder("olmo3" if nested else "llama", rules)
    kind = "full_attention" if nested else None
    found = ROPE_INIT_FUNCTIONS["yarn"](theirs(config)[0], layer_type=kind)[0]
    layer = list(models.read(config).values())[-1]
    assert_close(layer.frequencies, found.double(), atol=0, rtol=2e-5)
    rounded = scaling.yarn_code(128, 5e5, 16.0, 4096, truncate=nested)
    assert_close(layer.frequencies, rounded)


@pytest.mark.parametrize(
    ("family", "beside", "trained"),
    [("llama", 16384, 16384), ("phi3", None, 4096), ("gemma2", 16384, 16384), ("olmo3", 16384, 8192)],
)
def test_a_length_beside_the_rule_counts_where_transformers_reads_it(family, beside, trained):
    factors = {"short_factor": [1.0] * 64, "long_factor": [1.0 + i for i in range(64)]}
    rule = {"rope_type": "longrope", "rope_theta": 1e4, "original_max_position_embeddings": 8192, **factors}
    kind = "full_attention" if family == "olmo3" else None
    rules = {"sliding_attention": {"rope_type": "default", "rope_theta": 1e4}, kind: rule} if kind else rule
    config = decoder(family, rules, **({"original_max_position_embeddings": beside} if beside else {}))
    found, attention = ROPE_INIT_FUNCTIONS["longrope"](theirs(config)[0], seq_len=131072, layer_type=kind)
    layers = [layer for layer in models.read(config).values() if layer.rule != "none"]
    assert len(layers) == (2 if family == "gemma2" else 1)  # in Gemma 2, layers with a window have it, too
    for layer in layers:
        assert layer.trained == trained
        assert layer.attention == pytest.approx(attention, abs=1e-12)
        assert_close(layer.frequencies, found.double(), atol=0, rtol=2e-5)


@pytest.mark.parametrize("rule", [{}, {"rope_scaling": {"rope_type": "linear", "factor": 4.0}}])
def test_modernbert_is_read_as_it_was_published(rule):
    shape = {"hidden_size": 768, "num_attention_heads": 12, "max_position_embeddings": 8192}
    bases = {"global_rope_theta": 80000.0, "local_rope_theta": 20000.0}
    layers = {"local_attention": 128, "layer_types": ["full_attention", "sliding_attention"]}
    config = {"model_type": "modernbert", **shape, **bases, **layers, **rule}
    for kind, layer in models.read(config).items():
        compare(config, kind, layer)


def test_refusals():
    llama = CONFIGS["Llama 2 7B"]
    with refuses(TypeError, "config must be a dict or a path", "got 3", "pass what config.json holds"):
        models.read(3)
    with refuses(TypeError, "length", "1.5", "whole number"):
        models.read(llama, 1.5)
    for config in ({}, {"model_type": "mamba"}):
        with pytest.raises(models.NotReady, match="is not among the families"):
            models.read(config)
    with pytest.raises(models.NotReady, match="the rule 'axial' is not one of"):
        models.read({**llama, "rope_scaling": {"rope_type": "axial"}})
    with pytest.raises(models.NotReady, match="llama turns all 128 columns of a head, and the config asks for 64"):
        models.read({**llama, "partial_rotary_factor": 0.5})
    with pytest.raises(models.NotReady, match="the config has no field 'hidden_size', without which llama"):
        models.read({"model_type": "llama"})
    with pytest.raises(models.NotReady, match="does not ask for ALiBi"):
        models.read({**CONFIGS["MPT-7B"], "attn_config": {"alibi": False}})
    with pytest.raises(ValueError, match="kind must be one of"):
        models.scheme(CONFIGS["Gemma 3 12B"])
    with refuses(TypeError, "inner must be a scheme", "got 3", "pass Scheme() for none"):
        models.Graded(3)
    with refuses(ValueError, "scale", "above 0", "got 0"):
        models.Graded(doors.Scheme(), 0)


def test_a_graded_scheme_opens_the_other_doors_too():
    at = torch.arange(3)
    for inner in (bias.ALiBi(2), bias.Shaw(4)):
        q, k, v = torch.randn(3, 1, 2, 3, 4)
        graded = doors.attention(q, k, v, scheme=models.Graded(inner, scale=2.0))
        plain = doors.attention(2 * q, k, v, scheme=inner)
        assert_close(graded[0], plain[0])
    x = torch.randn(1, 3, 4)
    assert models.Graded(doors.Scheme()).input(x, at) is x


# The data.


def test_there_are_models_of_each_year_each_with_a_source():
    assert len(CONFIGS) == len(DATA["models"])
    years = [model["year"] for model in DATA["models"]]
    assert years == sorted(years), "book/models.yml goes by years: move the entry that stands after a later one"
    assert set(years) >= set(range(2022, 2027))
    found = {model.get("name"): models_facts.problems(model, DATA["sources"]) for model in DATA["models"]}
    assert {name: problems for name, problems in found.items() if problems} == {}
    assert {model["source"] for model in DATA["models"]} == DATA["sources"].keys(), "a source that no model names"


def test_an_entry_without_a_source_is_a_problem():
    good = DATA["models"][0]
    for name in ("source", "at", "config"):
        found = models_facts.problems({k: v for k, v in good.items() if k != name}, DATA["sources"])
        assert f"no {name}" in found
    assert "is not in the list" in models_facts.problems({**good, "source": "hearsay"}, DATA["sources"])[0]
    loose = {"sources": {"x": {"kind": "config", "repository": "a/b", "words": "w"}}}
    assert models_facts.problems({**good, "source": "x"}, loose["sources"]) == ["its source names no commit"]
    assert "not among the families" in models_facts.problems({**good, "config": {"a": 1}}, DATA["sources"])[0]


def test_where_order_comes_from_besides_attention():
    words = {model["name"]: model.get("besides", "") for model in DATA["models"]}
    inkling = Inkling2TextConfig()
    assert inkling.layer_types.count("hybrid_sliding") == 5 * inkling.layer_types.count("hybrid")
    assert "1024 tokens in five of each six layers" in words["Inkling 2 Small"]
    qwen = type(theirs(CONFIGS["Qwen3.5 397B"])[0])()
    assert qwen.layer_types.count("linear_attention") == 3 * qwen.layer_types.count("full_attention")
    assert qwen.linear_conv_kernel_dim == inkling.conv_kernel_size == 4
    hybrid = {"kimi_linear", "nemotron_h", "inkling2_text", "qwen3_5_moe_text"}
    assert {name for name, said in words.items() if said} == {
        name for name, config in CONFIGS.items() if config["model_type"] in hybrid
    }


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

    cells = nbformat.read(ROOT / "notebooks" / "a10_how_large_a_base.ipynb", as_version=4).cells
    (data,) = (cell.source for cell in cells if "\ntrained = {" in cell.source)
    drawn = {}
    exec(data, drawn)
    assert {kind: drawn[kind] for kind in expected} == expected


@pytest.mark.parametrize(
    ("name", "width", "base", "trained", "rule", "factor"),
    [
        ("Llama 2 7B", 128, 1e4, 4096, "none", None),
        ("Mixtral 8x7B", 128, 1e6, 32768, "none", None),
        ("Llama 3.1 8B", 128, 5e5, 8192, "llama3", 8),
        ("gpt-oss-120b", 64, 1.5e5, 4096, "yarn", 32),
        ("DeepSeek V3", 64, 1e4, 4096, "yarn", 40),
        ("Kimi K2", 64, 5e4, 4096, "yarn", 32),
        ("Gemma 4 26B", 512, 1e6, 262144, "proportional", None),
    ],
)
def test_chapter_10_takes_its_numbers_from_the_data(name, width, base, trained, rule, factor):
    layer = list(models.read(CONFIGS[name]).values())[-1]
    width_of_turns = layer.head if rule == "proportional" else layer.rotated
    found = (width_of_turns, layer.base, layer.trained or layer.context, layer.rule, layer.factor)
    assert found == (width, base, trained, rule, factor)


def test_the_factors_that_chapter_10_prints_are_those_of_phi():
    cells = nbformat.read(ROOT / "notebooks" / "10_long_context.ipynb", as_version=4).cells
    (cell,) = [cell.source for cell in cells if cell.source.startswith("searched = ")]
    printed = [float(word) for word in re.findall(r"\d+\.\d+", cell[: cell.index("]")])]
    given = CONFIGS["Phi-3.5-mini"]["rope_scaling"]["long_factor"]
    assert printed == [round(value, 2) for value in given]


# What follows from the numbers, by other means.


def least_below_zero(angles, most):
    return next((m for m in range(most) if sum(math.cos(m * w) for w in angles) < 0), None)


@pytest.mark.parametrize(
    ("name", "base", "width", "trained", "most", "wavelength", "turns", "suffices"),
    [
        ("Llama 2 7B", 1e4, 128, 4096, 2000, 54410, 0.0753, 1707),
        ("gpt-oss-120b", 1.5e5, 64, 4096, 3000, 20781087, 0.00631, 2774),
    ],
)
def test_two_rows_recomputed_without_the_package(name, base, width, trained, most, wavelength, turns, suffices):
    layer = list(models.read(CONFIGS[name]).values())[-1]
    found = models_facts.Consequences(layer)
    angles = [base ** (-2 * i / width) for i in range(width // 2)]
    factor = CONFIGS[name].get("rope_scaling", {}).get("factor", 1)
    assert found.wavelength == pytest.approx(2 * math.pi * factor / angles[-1], rel=1e-9)
    assert round(found.wavelength) == wavelength
    assert found.turns == pytest.approx(trained * angles[-1] / (2 * math.pi), rel=1e-9)
    assert found.turns == pytest.approx(turns, rel=2e-3)
    assert found.full_turns == sum(trained * angle >= 2 * math.pi for angle in angles)
    assert found.suffices == least_below_zero(angles, most) == suffices


def test_factors_that_agree_with_their_lengths_and_that_do_not():
    words = {
        name: [models_facts.agreement(layer)[0] for layer in models.read(config).values() if layer.base]
        for name, config in CONFIGS.items()
    }
    assert words["DeepSeek V3"] == ["agrees"]  # 40 × 4096 = 163840
    assert set(words["gpt-oss-120b"]) == {"agrees"}  # 32 × 4096 = 131072
    assert words["Llama 3.1 8B"] == ["differs"]  # 8 × 8192 = 65536, and 131072 are declared
    assert words["Llama 4 Scout"] == ["differs"]  # 16 × 8192 = 131072, and 10485760 are declared
    assert words["Gemma 3 12B"] == ["none", "unnamed"]
    assert "its ramp is a step" in models_facts.agreement(models.read(CONFIGS["Kimi K2"])["attention"])[1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        # 0.1·ln 32 + 1, and its square
        ("gpt-oss-120b", "✓ the rule's 1.347 on query and key: scores × 1.813"),
        ("Olmo 3.1 32B", "✓ the rule's 1.208 on query and key: scores × 1.459"),
        ("DeepSeek V3", "✓ the rule's scores × 1.874, and so in the columns that stand still"),
        ("Ministral 3 8B", "≠ 1, where the rule has 1.277 on query and key"),
        ("DeepSeek V4 Flash", "≠ 1, where the rule has 1.277 on query and key"),
    ],
)
def test_what_yarn_asks_of_the_scores(name, words):
    assert models_facts.attention_term(list(models.read(CONFIGS[name]).values())[-1]) == words


def test_what_follows_for_biases():
    (bloom,) = models.read(CONFIGS["BLOOM 176B"]).values()
    found = models_facts.bias_terms(bloom)
    assert found["Slopes"].endswith("to 0.0039")  # 2⁻⁸, of the flattest of the first 64 heads
    assert found["Reach"].endswith("every 177 tokens")  # ln 2 / 2⁻⁸
    for kind, both, first in (("decoder", False, 113), ("encoder", True, 91)):
        words = models_facts.bias_terms(models.read(CONFIGS["Flan-T5 Base"])[kind])["Reach"]
        assert words == f"all keys from distance {first} on share one number"
        bucket = modeling_t5.T5Attention._relative_position_bucket
        theirs_at = bucket(-torch.arange(200), bidirectional=both, num_buckets=32, max_distance=128)
        assert int((theirs_at == theirs_at.max()).int().argmax()) == first
    assert models_facts.bias_terms(models.read(CONFIGS["Kimi K3"])["attention"]) == {}

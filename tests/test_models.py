"""Released models: their data, what the package makes of it, transformers beside it, and the page of them."""

import importlib
import inspect
import json
import math
import re
import sys
from functools import partial

import pytest
import torch
from test_validate import refuses
from torch.testing import assert_close
from transformers import MODEL_MAPPING, AttentionInterface, AttentionMaskInterface, AutoConfig, AutoModel, masking_utils
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.beam.modeling_beam import compute_attention_scaling
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gptj import modeling_gptj
from transformers.models.ministral3.modeling_ministral3 import get_llama_4_attn_scale
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings
from transformers.models.whisper import modeling_whisper

from coursebook.content import ROOT, notebook
from coursebook.sphinx.directives import models_facts
from posenc import bias, doors, frequencies, models

DATA = models_facts.load()
CONFIGS = {model["name"]: model["config"] for model in DATA["models"]}
LAYERS = [(name, kind) for name, config in CONFIGS.items() for kind in models.read(config)]
ROPE = sorted(models.SPLIT_HALF | models.INTERLEAVED)
# The defaults, and sizes that are nobody's; a family takes of them what its class has.
SIZES = [
    {},
    {"hidden_size": 960, "num_attention_heads": 12, "head_dim": 80},
    {"hidden_size": 1344, "num_attention_heads": 21, "head_dim": 112, "max_position_embeddings": 3000},
    {"hidden_size": 1536, "num_attention_heads": 8, "head_dim": 192, "sliding_window": 77, "qk_rope_head_dim": 48},
    {"head_dim": 192, "partial_rotary_factor": 0.5},
    {"head_dim": 128, "rotary_dim": 64},
]
# What may be said of such sizes.
EXPECTED = "must be even|refuses|has no window|make qk_rope_head_dim|columns that minimax|must turn all|lie in rope_p"
POSITIONS = torch.tensor([5, 0, 3, 8, 1])


def last_layer(name):
    """The layer of a model that looks furthest."""
    return list(models.read(CONFIGS[name]).values())[-1]


def build(config):
    """The config object of transformers, with its defaults."""
    return models._build(*models._text_part(dict(config)))


def module_of(built):
    """The program of a family, which may be that of another one; where none is built of its class, that beside it."""
    if type(built) in MODEL_MAPPING:
        return sys.modules[MODEL_MAPPING[type(built)].__module__]
    return importlib.import_module(type(built).__module__.replace(".configuration_", ".modeling_"))


def own_class(built, ending):
    """The class of a family whose name ends so: that of the config where there are several."""
    module, stem = module_of(built), type(built).__name__.removesuffix("Config")
    names = [name for name in vars(module) if name.endswith(ending) and inspect.isclass(getattr(module, name))]
    return getattr(module, min(names, key=lambda name: (not name.startswith(stem), "Text" not in name, len(name))))


def their_rope(built, layer, kind):
    """The rotary embedding of transformers, and its name of a kind of layer."""
    if kind == "attention" and getattr(built, "layer_types", None):
        kind = built.layer_types[0]
    if built.model_type == "deepseek_v4":
        kind = "main" if kind == "sliding_attention" else "compress"
    rotary = own_class(built, "RotaryEmbedding")(built)
    if hasattr(rotary, "mrope_section"):
        third = layer.rotated // 6
        rotary.mrope_section = [layer.rotated // 2 - 2 * third, third, third]
    if layer.rule == "longrope":  # it starts with the factors for short texts
        rotary(torch.zeros(1), torch.tensor([[layer.trained]]))
        rotary.original_inv_freq.copy_(rotary.inv_freq)
    return rotary, kind


def their_scores(built, rotary, kind, q, k, layout):
    """What transformers makes of q and k, (1, 1, time, rotated) each: their scores, without a scale."""
    module, at = module_of(built), POSITIONS[None]
    by_kind = "layer_type" in inspect.signature(type(rotary).forward).parameters
    turns = rotary(q, at, layer_type=kind) if by_kind else rotary(q, at)
    if built.model_type == "deepseek_v2":  # as complex numbers
        q, k = module.apply_rotary_emb(q, k, turns)
    elif hasattr(module, "apply_rotary_emb") and layout == "interleaved":  # so, too, with time before heads
        q, k = (x.transpose(1, 2) for x in module.apply_rotary_emb(q.transpose(1, 2), k.transpose(1, 2), turns))
    else:
        apply = getattr(module, "apply_rotary_pos_emb_interleave", None)
        apply = apply if apply and layout == "interleaved" else module.apply_rotary_pos_emb
        names = list(inspect.signature(apply).parameters)
        q, k = apply(q, k, *turns) if names[1].startswith("k") else (apply(q, *turns), apply(k, *turns))
    return q @ k.mT


def compare(config):
    """Hold frequencies, the factor of attention and scores of each kind of layer against transformers."""
    built = build(config)
    for kind, layer in models.read(config).items():
        if not layer.base:
            continue
        rotary, theirs = their_rope(built, layer, kind)
        expected, attention = (
            getattr(rotary, f"{theirs}_{name}", getattr(rotary, name, None))
            for name in ("inv_freq", "attention_scaling")
        )
        assert_close(layer.frequencies, expected.double(), atol=1e-6, rtol=0)
        assert_close(layer.frequencies, expected.double(), atol=0, rtol=2e-5)
        assert layer.attention == pytest.approx(attention, abs=1e-6)
        turning = 2 * len(layer.frequencies)
        q, k = torch.randn(2, 1, 1, len(POSITIONS), layer.head, generator=torch.Generator().manual_seed(0))
        q, k = (x / x.norm(dim=-1, keepdim=True) for x in (q, k))
        scores = their_scores(built, rotary, theirs, q[..., :turning], k[..., :turning], layer.layout)
        plain = models.replace(layer, scale=1.0, slope=0.0, why="").ready()
        our_q, our_k = plain.query_key(q, k, POSITIONS, POSITIONS)
        assert_close(our_q @ our_k.mT, scores + q[..., turning:] @ k[..., turning:].mT, atol=1e-6, rtol=0)


# Configs and what is true of their layers, or words of the refusal. Those with a source are fields about positions of
# released files, as public repositories store them, with the windows that the programs of transformers showed when they
# were run on the whole files; the others are what engineers reported, and what is not understood. Rows with `fields`
# are a second reading of what stands in models.yml.
ROWS = [json.loads(line) for line in (ROOT / "tests" / "configs.jsonl").read_text("utf-8").splitlines()]
CASES = [row for row in ROWS if "config" in row]
CASES += [{"name": name, "config": config} for name, config in CONFIGS.items()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.get("name", "refused"))
def test_a_config_is_read_as_its_model_is_built_or_refused(case):
    if "refused" in case:
        with refuses(models.NotReady, *case["refused"]) as caught:
            models.read(case["config"])
        assert "\n" not in str(caught.value)
        return
    layers = models.read(case["config"])
    facts = case.get("layers", {kind: {} for kind in layers})
    found = {kind: {field: getattr(layers[kind], field) for field in facts[kind]} for kind in layers}
    assert json.loads(json.dumps(found)) == facts  # a tuple is a list there
    if case["config"]["model_type"] not in models.READERS:
        compare(case["config"])


@pytest.mark.parametrize("family", ROPE)
def test_each_family_turns_as_that_of_transformers_also_with_sizes_of_nobody(family):
    usual, compared = AutoConfig.for_model(family).to_dict(), 0
    for sizes in SIZES:
        fields = {name: size for name, size in sizes.items() if name in usual or name == "partial_rotary_factor"}
        if "qk_nope_head_dim" in usual and family != "dots3_note_text":  # the class has it of the two parts
            fields.pop("head_dim", None)
        try:
            compare({"model_type": family, **fields})
            compared += 1
        except models.NotReady as why:
            if not re.search(EXPECTED, str(why)):
                raise
    assert compared, "each of these sizes was refused"


class Recorder(list):
    """What the layers of a model do: whether each turns, how far back it sees, and whether it sees ahead."""

    turns = False

    def mask(self, *args, mask_function, q_length, kv_length, **_):
        """In place of a mask: how far the token in the middle sees."""
        with torch.device("cpu"):
            keys, middle, none = torch.arange(kv_length), kv_length // 2, torch.tensor(0)
            try:
                seen = mask_function(none, none, torch.tensor(middle), keys).expand(kv_length).nonzero()[:, 0].tolist()
            except RuntimeError:  # chunks are counted on the meta device, which has no numbers
                seen = [0, middle]
        mask = torch.empty(1, 1, q_length, kv_length, dtype=torch.bool, device="meta")
        mask.reach = (middle - seen[0] if seen and seen[0] else None), bool(seen and seen[-1] > middle)
        return mask

    def layer(self, module, query, key, value, attention_mask=None, **_):
        """In place of attention."""
        self.append((self.turns, *getattr(attention_mask, "reach", (None, False))))
        self.turns = False
        return query.new_empty(query.shape[0], query.shape[2], query.shape[1], value.shape[-1]), None

    def turn(self, apply, *args, **rest):
        """In place of `apply`, a rotation: it is recorded, and done."""
        self.turns = True
        return apply(*args, **rest)

    def run(self, config, monkeypatch):
        """Run the program of a config on the meta device: no weights, and without the parts that mix no tokens."""
        module, family = module_of(config), config.model_type
        monkeypatch.setattr(masking_utils, "find_packed_sequence_indices", lambda positions: None)
        AttentionInterface.register("recorder", self.layer)
        AttentionMaskInterface.register("recorder", self.mask)
        for name in [name for name in vars(module) if name.startswith("apply_rotary")]:
            monkeypatch.setattr(module, name, partial(self.turn, getattr(module, name)))

        def unmixed(x=None, *_, **rest):
            x = rest["hidden_states"] if x is None else x
            return (x, None) if family in ("gpt_oss", "llama4_text", "zaya") else x

        with torch.device("meta"), torch.no_grad():
            model = AutoModel.from_config(config, attn_implementation="recorder").eval()
            for part in model.modules():
                kind = type(part).__name__
                mixing = re.search("Attention|Decoder|Model|Layer|Norm|Rotary", kind)
                if not mixing and re.search("MLP|MoE|Moe|Experts|FeedForward|Mamba|GatedDelta|ShortConv", kind):
                    part.forward = unmixed
            model(input_ids=torch.ones(1, 20_000, dtype=torch.long), use_cache=False)


# Which transformers does not build from its class's own sizes, or whose masks are made elsewhere.
UNBUILT = set(
    "deepseek_v4 dots1 falcon gemma3n_text glm4_moe gpt_neox_japanese hunyuan_v1_dense hunyuan_v1_moe".split()
)
UNBUILT |= {"diffusion_gemma_text", "lfm2_moe", "ministral", "nemotron"}


@pytest.mark.slow
@pytest.mark.parametrize("family", sorted(set(ROPE) - UNBUILT))
def test_each_layer_sees_and_turns_as_that_of_transformers(family, monkeypatch):
    recorder, config = Recorder(), {"model_type": family, "num_hidden_layers": 12}
    config |= {"partial_rotary_factor": 0.5} if family == "minimax_m3_vl_text" else {}
    config |= {"sliding_window": 77} if family in models.WINDOWED else {}
    recorder.run(build(config), monkeypatch)
    layers = models.read(config).values()
    assert {row[:2] for row in recorder} == {(bool(layer.base), layer.window) for layer in layers}
    if any(reach for _, reach, _ in recorder):
        assert any(ahead for *_, ahead in recorder) == (family in models.BOTH_WAYS)


def test_a_family_that_nobody_compared_is_refused():
    with pytest.raises(models.NotReady, match="must be among the families"):
        models.read({"model_type": "jetmoe"})


def test_the_scale_of_the_scores_is_that_of_transformers():
    for name in [name for name, config in CONFIGS.items() if "qk_rope_head_dim" in config and last_layer(name).base]:
        built, layer = build(CONFIGS[name]), last_layer(name)
        with torch.device("meta"):
            expected = own_class(built, "Attention")(built, 0).scaling
        assert layer.scale / math.sqrt(layer.head) == pytest.approx(expected, rel=1e-9), name


def test_queries_and_keys_are_normed_where_the_programs_of_transformers_do_it():
    for family in ROPE:
        built = build({"model_type": family})
        attention = own_class(built, "MLA" if family == "longcat_flash" else "Attention")
        source = inspect.getsource(attention.forward)
        norm = re.search(r"self\.(q|k|qk|q_b|query|key)_(layer)?norm\(", source)
        turn = re.search(r"apply_(multimodal_)?rotary", source)
        theirs = "none" if norm is None else "before" if norm.start() < turn.start() else "after"
        assert models.NORMED.get(family, "none") == theirs, family
    for family, flags, expected in (("llama4", {}, "after"), ("llama4", {"use_qk_norm": False}, "none")):
        assert models.read({"model_type": family, **flags})["chunked_attention"].norm == expected
    for flag, expected in ((True, "before"), (False, "none")):
        assert models.read({"model_type": "phi", "qk_layernorm": flag})["attention"].norm == expected


def test_queries_grow_as_in_ministral_llama_4_and_beam():
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
    grown, same = last_layer("Beam 1.0").ready().query_key(q, k, at, at)
    assert_close(grown, q * compute_attention_scaling(at[None]), atol=1e-6, rtol=0)
    assert same is k


def test_alibi_has_the_slopes_of_transformers():
    at = torch.arange(6)
    bloom, mpt = build_alibi_tensor(torch.ones(1, 6), 112, torch.float32), build_mpt_alibi_tensor(32, 6)
    for name, table in (("BLOOM 176B", bloom.view(112, 6)), ("MPT-7B", mpt.view(32, 6))):
        ours = models.scheme(CONFIGS[name]).scores(torch.zeros(1, len(table), 1, 6), at[-1:], at)
        assert_close(ours[0, :, 0], table - table[:, -1:], atol=1e-6, rtol=0)


def test_a_flag_may_say_what_the_program_does_anyway():
    rule = {"rope_scaling": {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}}
    hunyuan = {"model_type": "hunyuan_v1_dense", "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128} | rule
    plain, flagged = (models.read(hunyuan | flag)["attention"] for flag in ({}, {"use_rotary_pos_emb": True}))
    assert_close(flagged.frequencies, plain.frequencies, atol=0, rtol=0)
    for config, flag in ((hunyuan, False), ({"model_type": "bloom"}, True), ({"model_type": "cohere2"}, True)):
        with pytest.raises(models.NotReady, match=f"use_rotary_pos_emb must be {not flag} for"):
            models.read(config | {"use_rotary_pos_emb": flag})


def test_t5_has_the_buckets_of_its_config():
    sizes = {"num_heads": 3, "relative_attention_num_buckets": 16, "relative_attention_max_distance": 99}
    for kind in ("encoder", "decoder"):
        scheme = models.scheme({"model_type": "t5", **sizes}, kind)
        same = bias.T5(3, 16, 99, bidirectional=kind == "encoder")  # which test_bias.py holds to transformers
        assert (scheme.edges, scheme.scaled, scheme.table.shape) == (same.edges, False, same.table.shape)


def test_tables_have_the_rows_of_transformers_and_the_first_token_its_row():
    for family in ("gpt2", "bert", "roberta", "whisper"):
        built = AutoConfig.for_model(family)
        layer = list(models.read({"model_type": family}).values())[-1]
        with torch.device("meta"):
            parts = AutoModel.from_config(built).named_modules()
        (table,) = (part for name, part in parts if re.search(r"wpe$|^embeddings\.position|decoder\.embed_pos", name))
        assert tuple(layer.ready().table.shape) == tuple(table.weight.shape), family
    padding, first = AutoConfig.for_model("roberta").pad_token_id, models.read({"model_type": "roberta"})
    at = RobertaEmbeddings.create_position_ids_from_input_ids(torch.tensor([[0, 7, 7]]), padding)
    assert at.tolist() == [[first["attention"].first + token for token in range(3)]]


def test_whisper_has_the_sinusoids_of_transformers():
    layer = models.read({"model_type": "whisper", "d_model": 64, "max_source_positions": 9})["encoder"]
    ours = layer.ready().code(torch.arange(9), torch.zeros(1))
    assert_close(ours, modeling_whisper.sinusoids(9, 64), atol=1e-6, rtol=0)


def test_gpt_j_turns_as_that_of_transformers():
    config = {"model_type": "gptj", "n_embd": 96, "n_head": 2, "rotary_dim": 16}
    q, k = torch.randn(2, 1, 1, len(POSITIONS), 48, generator=torch.Generator().manual_seed(0))
    sin, cos = modeling_gptj.create_sinusoidal_positions(9, 16)[POSITIONS][None].chunk(2, dim=-1)
    ours = models.scheme(config).query_key(q, k, POSITIONS, POSITIONS)
    for before, after in zip((q, k), ours, strict=True):
        expected = modeling_gptj.apply_rotary_pos_emb(before[..., :16].transpose(1, 2), sin, cos)
        assert_close(after[..., :16], expected.transpose(1, 2), atol=1e-6, rtol=0)


@pytest.mark.parametrize(("name", "kind"), LAYERS)
def test_each_layer_runs_or_says_in_one_sentence_why_not(name, kind):
    layer = models.read(CONFIGS[name])[kind]
    if layer.why:
        with pytest.raises(models.NotReady) as caught:
            layer.ready()
        assert "." not in str(caught.value).removesuffix(".").replace("posenc.bias.", "")
        return
    heads = {"T5": 12, "ALiBi": int((layer.detail or "2").split()[0])}.get(layer.scheme, 2)
    q, k, v = torch.randn(3, 1, heads, 4, layer.head or 8)
    out, weights = doors.attention(q, k, v, scheme=layer.ready(), causal=True)
    assert out.shape == q.shape
    assert_close(weights.sum(-1), torch.ones(1, heads, 4))


def test_a_file_and_a_whole_config_are_read(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "llama4", "text_config": CONFIGS["Llama 4 Scout"]}))
    assert models.read(path).keys() == models.read(str(path)).keys() == {"chunked_attention", "full_attention"}


def test_the_length_of_the_text_counts_and_an_object_is_read_as_its_file():
    rule = {"rope_type": "dynamic", "factor": 16.0, "rope_theta": 1e4}
    for family, kind in (("llama", "attention"), ("smollm3", "rope")):
        config = {**LLAMA, "model_type": family, "rope_scaling": rule}
        for length in (None, 20_000):
            expected, _ = ROPE_INIT_FUNCTIONS["dynamic"](build(config), seq_len=length and torch.tensor(length))
            for form in (config, AutoConfig.for_model(**config)):
                assert_close(models.read(form, length)[kind].frequencies, expected.double(), atol=0, rtol=2e-5)
    phi = CONFIGS["Phi-3.5-mini"]
    factors = torch.tensor(phi["rope_scaling"]["short_factor"], dtype=torch.float64)
    assert_close(models.read(phi, 4096)["attention"].frequencies, frequencies.geometric(96) / factors)


LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 8192}
T, V, NOT_READY = TypeError, ValueError, models.NotReady
REFUSALS = [
    (lambda: models.read(3), T, ("config must be a dict or a path", "got 3", "pass what config.json holds")),
    (lambda: models.read(LLAMA, 1.5), T, ("length", "1.5", "whole number")),
    (lambda: models.read("x/Llama-8B"), NOT_READY, ("path of a file", "x/Llama-8B", "on the hub", "download")),
    (lambda: models.read(__file__), NOT_READY, ("test_models.py must hold JSON",)),
    (lambda: models.scheme(CONFIGS["Gemma 3 12B"]), V, ("kind must be one of",)),
    (lambda: models.Graded(3), T, ("inner must be a scheme", "got 3", "pass Scheme() for none")),
    (lambda: models.Graded(doors.Scheme(), 0), V, ("scale", "above 0", "got 0")),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSALS)
def test_an_argument_that_is_none_of_those_is_refused(call, error, words):
    with refuses(error, *words):
        call()


def test_without_transformers_a_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'posenc[models]'")):
        models.read(LLAMA)


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
    named = [model["source"] for model in DATA["models"]]
    assert all(source in named for source in DATA["sources"].values()), "a source that no model names"
    for model, source in zip(DATA["models"], named, strict=True):
        assert source["kind"] in models_facts.KINDS, model["name"]
        assert all(model.get(field) for field in ("by", "at")), model["name"]
        assert source.get("package") or {**source, **model}.get("commit"), f"name the commit of {model['name']}"


def agrees(ours, theirs):
    """Whether a value is theirs: of a dictionary the entries that we have, of a list its beginning."""
    if isinstance(ours, dict):
        return isinstance(theirs, dict) and all(agrees(value, theirs.get(field)) for field, value in ours.items())
    return ours == (list(theirs[: len(ours)]) if isinstance(ours, list) and theirs else theirs)


def test_each_model_is_as_its_source_says_when_read_a_second_time():
    """A class of transformers is asked; what else is read stands once more in configs.jsonl."""
    second = {row["name"]: row["fields"] for row in ROWS if "fields" in row}
    for model in DATA["models"]:
        ours = {field: value for field, value in model["config"].items() if not isinstance(value, str)}
        if model["source"]["kind"] == "defaults":
            theirs = AutoConfig.for_model(model["config"]["model_type"]).to_dict() | second.pop(model["name"], {})
        else:
            theirs = second.pop(model["name"])
            ours.pop("layer_types", None)
        differ = {field: theirs.get(field) for field, value in ours.items() if not agrees(value, theirs.get(field))}
        assert not differ, f"{model['name']}: its source was read as {differ}: look there which is right"
    assert not second, "rows of no model of models.yml: take them out"


def code_with(name, words):
    """The source of the cell of a notebook that has these words."""
    (source,) = (cell.source for cell in notebook(name).cells if cell.kind == "code" and words in cell.source)
    return source


def test_the_map_of_the_appendix_has_the_models_of_the_data():
    """Those whose whole head turns in the layers that look furthest, and of which a length goes with their base."""
    expected = {"trained": {}, "declared": {}}
    for model in DATA["models"]:
        turning = [layer for layer in model["layers"].values() if layer.base]
        layer = turning[-1] if turning else models.Layer("NoPE")  # the layers that look furthest come last
        unknown = model["source"]["kind"] == "defaults" or layer.why or not layer.base
        if unknown or layer.window or layer.chunk or 2 * layer.rotated <= layer.head:
            continue
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

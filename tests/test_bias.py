"""Biases on the scores: what they are, that they are what others compute, and that every scheme plugs in."""

import functools
import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from test_doors import close, normal
from test_validate import refuses
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.deepseek_v4.modeling_deepseek_v4 import apply_rotary_pos_emb
from transformers.models.inkling2.modeling_inkling2 import Inkling2RelativeLogits
from transformers.models.t5.modeling_t5 import T5Attention, T5Config
from transformers.models.xlnet import modeling_xlnet as xlnet

from coursebook.content import ROOT
from posenc import additive, bias, doors, rotary, scaling
from posenc.doors import attention
from posenc.schemes import SCHEMES, build

LINE = torch.arange(6)
q, k, v = (normal(2, 4, 6, 8, seed=s) for s in range(3))
NOT_RELATIVE = {"index", "binary", "sinusoidal", "learned", "fire"}
OPTIONS = {"rope-stretched": {"frequencies": scaling.ntk(8, 10000.0, 4.0), "attention": 1.1}}


@functools.cache
def filled(name):
    """The scheme, with no parameter left at 0."""
    scheme = build(name, 32, 4, max_length=64, **OPTIONS.get(name, {})).double()
    for number, weights in enumerate(scheme.parameters()):
        weights.data = weights.data + 0.3 * normal(*weights.shape, seed=number)
    return scheme


every = pytest.mark.parametrize("name", SCHEMES)


@every
def test_every_scheme_plugs_into_one_attention_and_encoder_and_trains(name):
    scheme, tokens = filled(name), torch.tensor([[3, 1, 4, 1, 5], [2, 7, 1, 8, 2]])
    places = torch.arange(5) if name == "normalised" else torch.tensor([4, 5, 6, 7, 8])
    for model in doors.Encoder, doors.Decoder:
        net = model(10, 32, 4, 2, scheme, generator=torch.Generator().manual_seed(0)).double()
        net.zero_grad()
        net(tokens, places).square().sum().backward()
        # Every number of the scheme takes part, but for rows and offsets that five tokens do not reach.
        assert all(0 < weights.grad.abs().sum() < math.inf for weights in scheme.parameters())


@every
def test_outputs_follow_the_positions_and_not_the_order_of_the_tokens(name):
    scheme, order = filled(name), torch.tensor([4, 1, 0, 5, 3, 2])
    whole = attention(q, k, v, LINE, LINE, scheme, causal=True)[0]
    both = torch.stack([LINE, order])
    moved = [torch.stack([x[0], x[1][:, order]]) for x in (q, k, v)]
    batch = attention(*moved, both, both, scheme, causal=True)[0]
    assert close(batch, torch.stack([whole[0], whole[1][:, order]]), 1e-10)
    newest = attention(q[:, :, 5:], k, v, LINE[5:], LINE, scheme, causal=True)[0]
    assert close(newest, whole[:, :, 5:], 1e-10)


@every
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_every_scheme_keeps_the_dtype_of_the_vectors_and_its_precision(name, dtype):
    low = build(name, 32, 4, **OPTIONS.get(name, {})).to(dtype)
    out = attention(*(x.to(dtype) for x in (q, k, v)), LINE, LINE, low, causal=True)[0]
    assert out.dtype == dtype
    exact = attention(q, k, v, LINE, LINE, low.double(), causal=True)[0]
    assert close(out.double(), exact, 20 * torch.finfo(dtype).eps)


# "normalised" has places for the tokens that are there, and no others.
@pytest.mark.parametrize("name", sorted(SCHEMES.keys() - {"normalised"}))
def test_scores_see_offsets_alone_but_for_those_that_say_otherwise(name):
    scheme, x = filled(name), normal(1, 6, 32, seed=9)
    layer = doors.MultiHeadAttention(32, 4, scheme, generator=torch.Generator().manual_seed(0)).double()
    places = LINE, LINE + (700 if name == "fire" else 9)
    both = [layer(scheme.input(x, at), q_positions=at, causal=True) for at in places]
    assert close(*both, 1e-9) == (name not in NOT_RELATIVE)


def test_a_new_scheme_is_one_class_as_contributing_says():
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    names = {"__name__": "contributing"}
    exec(block, names)
    (cls,) = (c for c in names.values() if isinstance(c, type) and c.__module__ == "contributing")
    weights = attention(q, k, v, LINE, LINE, cls(4), causal=True)[1]
    assert not close(weights, attention(q, k, v, causal=True)[1], 0.01)


def test_shaw_is_the_formula_in_keys_and_values():
    scheme = bias.Shaw(8, 2, generator=torch.Generator().manual_seed(0)).double()
    rows = (LINE[:, None] - LINE).clamp(-2, 2) + 2
    keys = k[:, :, None] + scheme.key_rows[rows]
    weights = ((q[..., None, :] * keys).sum(-1) / math.sqrt(8)).softmax(-1)
    values = (weights[..., None] * (v[:, :, None] + scheme.value_rows[rows])).sum(-2)
    assert close(attention(q, k, v, scheme=scheme)[0], values)
    scheme.to_values = False
    assert close(attention(q, k, v, scheme=scheme)[0], weights @ v)


@given(st.integers(1, 9))
def test_skewing_equals_picking_where_the_mask_lets_look(T):
    by_offset, line = normal(2, 3, T, T, seed=T), torch.arange(T)
    want = bias.pick(by_offset.flip(-1), bias.steps_back(line, line).clamp(min=0))
    assert torch.equal(bias.skew(by_offset).tril(), want.tril())


def test_transformer_xl_is_that_of_xlnet_and_the_sum_of_its_four_terms():
    scheme = filled("transformer-xl")
    module = xlnet.XLNetRelativeAttention(xlnet.XLNetConfig(d_model=32, n_head=4)).double().eval()
    module.r_w_bias.data, module.r_r_bias.data = scheme.u.data, scheme.v.data
    # XLNet's codes of 6 steps back to 5 ahead have their sines first, then their cosines.
    codes = xlnet.XLNetModel.positional_embedding(torch.arange(6, -6, -1).double(), scheme.turn.frequencies)
    columns = scheme.map.unflatten(-1, (16, 2)).mT.flatten(-2)
    turned = (x.permute(2, 0, 1, 3) for x in (q, k, v))
    by_distance = torch.einsum("tbw,hcw->tbhc", codes.expand(-1, 2, -1), columns)
    want = module.rel_attn_core(*turned, by_distance, output_attentions=True)[1]
    assert close(attention(q, k, v, scheme=scheme)[1], want.permute(2, 3, 0, 1))
    codes = additive.sinusoidal(LINE[:, None] - LINE, 32, dtype=torch.float64)
    relative = torch.einsum("hcw,qkw->hqkc", scheme.map, codes)
    terms = sum(bias.xl_terms(q, k, relative, scheme.u, scheme.v)) / math.sqrt(8)
    assert close(scheme.content_scores(q @ k.mT / math.sqrt(8), q, k, LINE, LINE), terms)


def layer_of(scheme, *linears):
    """An attention layer with that scheme, and the weights of the four maps of another implementation."""
    layer = doors.MultiHeadAttention(32, 4, scheme).double()
    for ours, theirs in zip((layer.query, layer.key, layer.value, layer.output), linears, strict=True):
        ours.weight.data = theirs.weight.data
    return layer


@pytest.mark.parametrize("bidirectional", [False, True])
def test_t5_is_that_of_transformers(bidirectional):
    offset = torch.arange(-3000, 3001)
    buckets = T5Attention._relative_position_bucket(-offset, bidirectional)
    assert torch.equal(bias.t5_buckets(offset, bidirectional=bidirectional), buckets)
    config = T5Config(d_model=32, d_kv=8, num_heads=4, is_decoder=not bidirectional, dropout_rate=0.0)
    theirs = T5Attention(config, has_relative_attention_bias=True).double().eval()
    scheme, x = bias.T5(4, bidirectional=bidirectional).double(), normal(2, 40, 32)
    scheme.table.data = theirs.relative_attention_bias.weight.data
    assert close(layer_of(scheme, theirs.q, theirs.k, theirs.v, theirs.o)(x), theirs(x)[0], 1e-6)


@pytest.mark.parametrize("heads", [1, 2, 12, 40])
def test_alibi_is_that_of_bloom(heads):
    ours = bias.alibi_by_key(bias.alibi_slopes(heads), torch.arange(50).expand(2, -1))
    assert close(ours.flatten(0, 1), build_alibi_tensor(torch.ones(2, 50), heads, torch.float32), 1e-5)
    assert bias.alibi_slopes(16, torch.float64).tolist() == [2.0 ** (-h / 2) for h in range(1, 17)]


def test_kerple_by_hand_and_alibi_as_a_case_of_it():
    r1, r2, gap = torch.tensor([0.5, 2.0]), torch.tensor([1.0, 0.5]), torch.tensor([[0, -3, 4]])
    power, log = bias.kerple_power(gap, r1, r2), bias.kerple_log(gap, r1, r2)
    assert close(power[:, 0], torch.tensor([[0, -1.5, -2.0], [0, -2 * 3**0.5, -4.0]]), 1e-6)
    want = torch.tensor([[0, -math.log(4) / 2, -math.log(5) / 2], [0, -2 * math.log(2.5), -2 * math.log(3)]])
    assert close(log[:, 0], want, 1e-6)
    slopes, back = bias.alibi_slopes(4), bias.steps_back(LINE, LINE)
    assert close(bias.kerple_power(back, slopes, torch.ones(4)), bias.alibi(slopes, LINE, LINE), 1e-6)
    assert bias.Kerple(4, "power").kind == "power"


def test_fire_by_hand_on_both_sides_of_its_threshold():
    c, threshold, keys = torch.tensor(0.1), torch.tensor(8.0), torch.tensor([0, 3, 5])
    for place, longest in (5, 8), (50, 50):
        share = bias.fire_share(torch.tensor([place]), keys, c, threshold)
        want = [math.log1p(0.1 * (place - key)) / math.log1p(0.1 * longest) for key in keys.tolist()]
        assert close(share, torch.tensor([want]), 1e-6)


def test_forgetting_multiplies_the_gates_in_between():
    line, gates = torch.arange(4), torch.tensor([0.5, 0.25, 0.125, 1.0])
    left = bias.forgetting(gates.log()[None, None], line, line).exp()[0, 0].tril()
    want = torch.tensor([[1, 0, 0, 0], [0.25, 1, 0, 0], [0.03125, 0.125, 1, 0], [0.03125, 0.125, 1, 1]])
    assert close(left, want, 1e-6)
    at_first = attention(q, k, v, LINE, LINE, bias.Forgetting(8, 4).double(), causal=True)[0]
    assert close(at_first, attention(q, k, v, LINE, LINE, causal=True)[0], 0.1), "nearly nothing is forgotten"


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
def test_cope_equals_x_transformers():
    from x_transformers.x_transformers import Attention

    theirs = Attention(32, dim_head=8, heads=4, causal=True, use_cope=True, cope_max_pos=3).double()
    scheme, x = bias.CoPE(8, 3).double(), normal(2, 6, 32)
    theirs.attend.cope.pos_emb.data = scheme.rows.data
    layer = layer_of(scheme, theirs.to_q, theirs.to_k, theirs.to_v, theirs.to_out)
    assert close(layer(x, causal=True), theirs(x), 1e-6)


def test_sums_of_many_terms_keep_their_precision_in_half_precision():
    times, gates = torch.arange(3000), torch.full((1, 1, 3000), -0.25)
    far = bias.forgetting(gates.bfloat16(), times, times)[..., -4:, -4:]
    assert torch.equal(far.float(), bias.forgetting(gates[..., -4:], times[-4:], times[-4:]))
    counts = bias.contextual_positions(torch.ones(1, 1, 1, 3000).bfloat16(), times)
    assert torch.equal(counts[0, 0, 0], times.flip(0) + 1.0)


def test_profiles_equal_those_of_inkling():
    theirs = Inkling2RelativeLogits(16, 4).double()
    theirs.proj.data = normal(16, 4)
    mix, late = normal(2, 6, 4, 16, seed=2), torch.arange(3, 9)
    ours = bias.profile_bias(mix.transpose(1, 2), theirs.proj, late, torch.arange(9))
    assert close(ours, theirs(mix, late, torch.arange(9)), 1e-6)


def test_turned_values_are_those_of_deepseek_v4():
    scheme, at = rotary.RotaryValues(8), LINE + 7
    angles = at.double()[:, None] * scheme.frequencies
    cos, sin = angles.cos()[None], angles.sin()[None]
    turned_q, both = (apply_rotary_pos_emb(x, cos, sin).double() for x in (q, k))
    weights = (turned_q @ both.mT / math.sqrt(8)).masked_fill(LINE > LINE[:, None], -math.inf).softmax(-1)
    out, _ = attention(q, k, k, at, at, scheme, causal=True)
    assert close(out, apply_rotary_pos_emb(weights @ both, cos, -sin), 1e-6)  # its keys are its values


V, T = ValueError, TypeError
REFUSED = [
    (lambda: build("alibbi", 32, 4), V, ("name", "'alibbi'")),
    (lambda: build("alibi", 32, 5), V, ("heads=5", "width=32")),
    (lambda: bias.alibi_slopes(0), V, ("heads", "1 or more")),
    (lambda: bias.t5_buckets(LINE, 2), V, ("buckets", "4 or more")),
    (lambda: bias.ALiBi(2, bias.alibi_slopes(3)), V, ("slopes", "(2,)", "(3,)", "alibi_slopes")),
    (lambda: bias.T5(4, 32, 8), V, ("max_distance", "17 or more")),
    (lambda: bias.steps_back(LINE.float(), LINE), T, ("q_positions", "float32")),
    (lambda: bias.skew(torch.zeros(2, 3)), V, ("by_distance", "(2, 3)")),
    (lambda: bias.Shaw(8, -1), V, ("reach", "-1")),
    (lambda: bias.Shaw(0), V, ("head_width", "1 or more")),
    (lambda: bias.Kerple(4, "exp"), V, ("kind", "'exp'")),
    (lambda: bias.FIRE(4, threshold=0.0), V, ("threshold", "above 0")),
    (lambda: bias.CoPE(8, 0), V, ("rows", "1 or more")),
    (lambda: bias.Profiles(8, 4, reach=0), V, ("reach", "1 or more")),
    (lambda: bias.Forgetting(8, 0), V, ("heads", "1 or more")),
    (lambda: attention(q, k, v, scheme=bias.ALiBi(3)), (V, RuntimeError), ("4",)),
]


@pytest.mark.parametrize(("call", "error", "parts"), REFUSED)
def test_refusals_name_the_argument_and_the_remedy(call, error, parts):
    with refuses(error, *parts):
        call()


def test_ranks_and_padded_heads_have_the_slopes_of_the_whole_model():
    scores = torch.zeros(1, 16, 3, 3)
    whole = bias.ALiBi(16).scores(scores, LINE[:3], LINE[:3])
    for rank, slopes in enumerate(bias.alibi_slopes(16).chunk(2)):
        part = bias.ALiBi(8, slopes).scores(scores[:, :8], LINE[:3], LINE[:3])
        assert torch.equal(part, whole[:, 8 * rank : 8 * rank + 8])

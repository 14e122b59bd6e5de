"""Biases on the scores: what they are, that they are what others compute, and that every scheme plugs in."""

import functools
import math
import re
import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pages import ROOT
from test_doors import close, normal
from test_guard import refuses
from torch.testing import assert_close

from posenc import additive, bias, doors, models, rotary, scaling
from posenc.doors import Scheme, attention
from posenc.schemes import SCHEMES, build

LINE = torch.arange(6)
q, k, v = (normal(2, 4, 6, 8, seed=s) for s in range(3))
TRIANGLE = torch.ones(6, 6).tril() > 0


# Every registered scheme.

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
    for model in (doors.Encoder, doors.Decoder):
        net = model(10, 32, 4, 2, scheme, generator=torch.Generator().manual_seed(0)).double()
        out = net(tokens, torch.arange(5) if name == "normalised" else torch.tensor([4, 5, 6, 7, 8]))
        assert out.isfinite().all()
        net.zero_grad()
        out.square().sum().backward()
        # Every number of the scheme takes part, but for rows and offsets that five tokens do not reach.
        assert all(weights.grad.abs().sum() > 0 for weights in scheme.parameters())


@every
def test_tokens_moved_together_with_their_positions_change_nothing(name):
    order = torch.tensor([4, 1, 0, 5, 3, 2])
    out = attention(q, k, v, LINE, LINE, filled(name), causal=True)[0]
    moved = attention(*(x[:, :, order] for x in (q, k, v)), order, order, filled(name), causal=True)[0]
    assert close(moved, out[:, :, order], 1e-10)
    both = torch.stack([LINE, order])
    mixed = [torch.stack([x[0], x[1][:, order]]) for x in (q, k, v)]
    batch = attention(*mixed, both, both, filled(name), causal=True)[0]
    assert close(batch, torch.stack([out[0], out[1][:, order]]), 1e-10)


@every
def test_the_newest_token_sees_what_the_whole_sequence_saw(name):
    whole = attention(q, k, v, LINE, LINE, filled(name), causal=True)[0]
    step = attention(q[:, :, 5:], k, v, LINE[5:], LINE, filled(name), causal=True)[0]
    assert close(step, whole[:, :, 5:], 1e-10)


@every
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_every_scheme_keeps_the_dtype_of_the_vectors_and_its_precision(name, dtype):
    low = build(name, 32, 4, **OPTIONS.get(name, {})).to(dtype)
    out = attention(*(x.to(dtype) for x in (q, k, v)), LINE, LINE, low, causal=True)[0]
    assert out.dtype == dtype
    exact = attention(q, k, v, LINE, LINE, low.double(), causal=True)[0]
    assert close(out.double(), exact, 20 * torch.finfo(dtype).eps)


NOT_RELATIVE = {"index", "normalised", "binary", "sinusoidal", "learned", "fire"}


@every
def test_scores_see_offsets_alone_but_for_those_that_say_otherwise(name):
    scheme, after = filled(name), LINE + 700 if name == "fire" else LINE + 9
    x = normal(1, 6, 32, seed=9)
    layer = doors.MultiHeadAttention(32, 4, scheme, generator=torch.Generator().manual_seed(0)).double()
    if name == "normalised":
        x, after = x[:, :3], LINE[:3]  # it has places for the tokens that are there, and no others
        both = [layer(scheme.input(part, after[:n]), causal=True)[:, :2] for n, part in ((2, x[:, :2]), (3, x))]
    else:
        both = [layer(scheme.input(x, at), q_positions=at, causal=True) for at in (LINE, after)]
    assert close(*both, 1e-9) == (name not in NOT_RELATIVE)


def test_the_registry_has_every_scheme_of_the_package():
    def below(cls):
        return {cls, *(c for sub in cls.__subclasses__() for c in below(sub))}

    # Tools of torch make subclasses of a scheme while they run; those stand in no module of the package.
    written = [vars(module) for name, module in sys.modules.items() if name.startswith("posenc.")]
    ours = {c for c in below(Scheme) if any(names.get(c.__name__) is c for names in written)}
    wrappers = {models.Graded}  # a scheme around another one
    assert ours - {Scheme, additive.Additive} - wrappers == set(SCHEMES.values())
    assert type(build("kerple", 32, 4, kind="power")) is bias.Kerple
    with refuses(ValueError, "name", "'alibbi'", "pick one"):
        build("alibbi", 32, 4)
    with refuses(ValueError, "heads=5", "width=32"):
        build("alibi", 32, 5)


def test_a_new_scheme_is_one_class_as_contributing_says():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    block = re.search(r"## Schemes\n.*?```python\n(.*?)```", text, re.DOTALL)[1]
    names = {"__name__": "contributing"}
    exec(block, names)
    (cls,) = (c for c in names.values() if isinstance(c, type) and c.__module__ == "contributing")
    scheme = cls(4)
    weights = attention(q, k, v, LINE, LINE, scheme, causal=True)[1]
    assert not close(weights, attention(q, k, v, causal=True)[1], 0.01)
    assert cls.takes == ("heads",)


# Shaw.


def test_shaw_is_the_formula_in_keys_and_values():
    scheme = bias.Shaw(8, 2, generator=torch.Generator().manual_seed(0)).double()
    rows = (LINE[:, None] - LINE).clamp(-2, 2) + 2
    keys = k[:, :, None] + scheme.key_rows[rows]
    weights = ((q[..., None, :] * keys).sum(-1) / math.sqrt(8)).softmax(-1)
    values = (weights[..., None] * (v[:, :, None] + scheme.value_rows[rows])).sum(-2)
    out, ours = attention(q, k, v, scheme=scheme)
    assert close(ours, weights)
    assert close(out, values)
    assert scheme.key_rows.shape == (5, 8)
    scheme.to_values = False
    assert close(attention(q, k, v, scheme=scheme)[0], weights @ v)
    assert [name for name, _ in bias.Shaw(8, to_values=False).named_parameters()] == ["key_rows"]


@given(st.integers(1, 9))
def test_skewing_equals_picking_where_the_mask_lets_look(T):
    by_offset = normal(2, 3, T, T, seed=T)
    line = torch.arange(T)
    want = bias.pick(by_offset.flip(-1), bias.steps_back(line, line).clamp(min=0))
    assert torch.equal(bias.skew(by_offset).tril(), want.tril())


# Transformer-XL.


def test_transformer_xl_is_that_of_xlnet_and_the_sum_of_its_four_terms():
    from transformers.models.xlnet import modeling_xlnet as theirs

    scheme = filled("transformer-xl")
    module = theirs.XLNetRelativeAttention(theirs.XLNetConfig(d_model=32, n_head=4)).double().eval()
    module.r_w_bias.data, module.r_r_bias.data = scheme.u.data, scheme.v.data
    # XLNet's codes of 6 steps back to 5 ahead have their sines first, then their cosines.
    codes = theirs.XLNetModel.positional_embedding(torch.arange(6, -6, -1).double(), scheme.turn.frequencies)
    columns = scheme.map.unflatten(-1, (16, 2)).mT.flatten(-2)
    turned = (x.permute(2, 0, 1, 3) for x in (q, k, v))
    by_distance = torch.einsum("tbw,hcw->tbhc", codes.expand(-1, 2, -1), columns)
    want = module.rel_attn_core(*turned, by_distance, output_attentions=True)[1]
    assert close(attention(q, k, v, scheme=scheme)[1], want.permute(2, 3, 0, 1))

    codes = additive.sinusoidal(LINE[:, None] - LINE, 32, dtype=torch.float64)
    relative = torch.einsum("hcw,qkw->hqkc", scheme.map, codes)
    terms = sum(bias.xl_terms(q, k, relative, scheme.u, scheme.v)) / math.sqrt(8)
    assert close(scheme.content_scores(q @ k.mT / math.sqrt(8), q, k, LINE, LINE), terms)


# T5.


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize(("buckets", "longest"), [(32, 128), (64, 2000)])
def test_t5_buckets_equal_those_of_transformers(bidirectional, buckets, longest):
    from transformers.models.t5.modeling_t5 import T5Attention

    offset = torch.arange(-3000, 3001)
    theirs = T5Attention._relative_position_bucket(-offset, bidirectional, buckets, longest)
    ours = bias.t5_buckets(offset, buckets, longest, bidirectional)
    # A float32 logarithm may fall on the wrong side where an edge is a whole number; then ours is right.
    assert (ours != theirs).sum() <= 2
    if (buckets, longest) == (32, 128):
        assert torch.equal(ours, theirs)


def test_t5_layer_equals_the_one_of_transformers():
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(d_model=32, d_kv=8, num_heads=4, is_decoder=False, dropout_rate=0.0)
    theirs = T5Attention(config, has_relative_attention_bias=True).double().eval()
    scheme = bias.T5(4, bidirectional=True).double()
    ours = doors.MultiHeadAttention(32, 4, scheme).double()
    for mine, other in zip((ours.query, ours.key, ours.value, ours.output), "qkvo", strict=True):
        mine.weight.data = getattr(theirs, other).weight.data
    scheme.table.data = theirs.relative_attention_bias.weight.data
    x = normal(2, 40, 32)
    assert close(ours(x), theirs(x)[0], 1e-6)


# ALiBi.


@pytest.mark.parametrize("heads", [1, 2, 12, 40])
def test_alibi_is_that_of_bloom(heads):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    ours = bias.alibi_by_key(bias.alibi_slopes(heads, torch.float64), torch.arange(50).expand(2, -1))
    bloom = build_alibi_tensor(torch.ones(2, 50), heads, torch.float32).double()
    assert_close(ours.flatten(0, 1), bloom, rtol=1e-6, atol=0)


def test_alibi_slopes_are_exact_in_float64():
    assert bias.alibi_slopes(16, torch.float64).tolist() == [2.0 ** (-h / 2) for h in range(1, 17)]


# KERPLE and FIRE.


def test_kerple_by_hand_and_alibi_as_a_case_of_it():
    r1, r2 = torch.tensor([0.5, 2.0]), torch.tensor([1.0, 0.5])
    gap = torch.tensor([[0, -3, 4]])
    power, log = bias.kerple_power(gap, r1, r2), bias.kerple_log(gap, r1, r2)
    assert close(power[:, 0], torch.tensor([[0, -1.5, -2.0], [0, -2 * 3**0.5, -4.0]]), 1e-6)
    want = torch.tensor([[0, -math.log(4) / 2, -math.log(5) / 2], [0, -2 * math.log(2.5), -2 * math.log(3)]])
    assert close(log[:, 0], want, 1e-6)
    slopes = bias.alibi_slopes(4)
    back = bias.steps_back(LINE, LINE)
    assert close(bias.kerple_power(back, slopes, torch.ones(4)), bias.alibi(slopes, LINE, LINE), 1e-6)


def test_fire_shares_lie_between_0_and_1_at_every_length_and_depend_on_the_place():
    c, threshold = torch.tensor(0.1), torch.tensor(8.0)
    for length in (4, 50, 3000):
        share = bias.fire_share(torch.tensor([length - 1]), torch.arange(length), c, threshold)
        assert share.min() == 0
        assert share.max() <= 1 + 1e-6
        assert (share.max() > 1 - 1e-6) == (length > 8)
    near, far = (bias.fire_share(torch.tensor([p]), torch.tensor([p - 5]), c, threshold) for p in (10, 1000))
    assert far < near / 2
    assert close(near, torch.tensor([[math.log(1.5) / math.log(2)]]), 1e-6)


# Forgetting and CoPE.


def test_forgetting_multiplies_the_gates_in_between():
    f = torch.tensor([0.5, 0.25, 0.125, 1.0]).log()[None, None]
    line = torch.arange(4)
    left = bias.forgetting(f, line, line).exp()[0, 0].tril()
    want = torch.tensor([[1, 0, 0, 0], [0.25, 1, 0, 0], [0.03125, 0.125, 1, 0], [0.03125, 0.125, 1, 1]])
    assert close(left, want, 1e-6)
    slopes = bias.alibi_slopes(4, torch.float64)
    steady = bias.forgetting(-slopes[None, :, None].expand(2, 4, 6), LINE, LINE)
    assert close(steady.tril(), bias.alibi(slopes, LINE, LINE).tril().expand(2, 4, 6, 6))
    at_first = attention(q, k, v, LINE, LINE, bias.Forgetting(8, 4).double(), causal=True)[0]
    assert close(at_first, attention(q, k, v, LINE, LINE, causal=True)[0], 0.1), "nearly nothing is forgotten"


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
def test_cope_equals_x_transformers():
    from x_transformers.x_transformers import Attention

    theirs = Attention(32, dim_head=8, heads=4, causal=True, use_cope=True, cope_max_pos=3).double()
    scheme = bias.CoPE(8, 3).double()
    theirs.attend.cope.pos_emb.data = scheme.rows.data
    ours = doors.MultiHeadAttention(32, 4, scheme).double()
    for mine, other in zip((ours.query, ours.key, ours.value, ours.output), "qkv ", strict=True):
        mine.weight.data = (getattr(theirs, f"to_{other}") if other != " " else theirs.to_out).weight.data
    x = normal(2, 6, 32)
    assert close(ours(x, causal=True), theirs(x), 1e-6)


def test_sums_of_many_terms_keep_their_precision_in_half_precision():
    times, gates = torch.arange(3000), torch.full((1, 1, 3000), -0.25)
    far = bias.forgetting(gates.bfloat16(), times, times)[..., -4:, -4:]
    assert torch.equal(far.float(), bias.forgetting(gates[..., -4:], times[-4:], times[-4:]))
    counts = bias.contextual_positions(torch.ones(1, 1, 1, 3000).bfloat16(), times)
    assert torch.equal(counts[0, 0, 0], times.flip(0) + 1.0)


# Profiles, and values that turn.


def test_profiles_equal_those_of_inkling():
    from transformers.models.inkling2.configuration_inkling2 import Inkling2TextConfig
    from transformers.models.inkling2.modeling_inkling2 import Inkling2RelativeLogits

    theirs = Inkling2RelativeLogits(16, 4).double()
    theirs.proj.data = normal(16, 4)
    mix, late = normal(2, 6, 4, 16, seed=2), torch.arange(3, 9)
    ours = bias.profile_bias(mix.transpose(1, 2), theirs.proj, late, torch.arange(9))
    assert close(ours, theirs(mix, late, torch.arange(9)), 1e-6)
    assert (ours[..., 0, 4:] == 0).all()
    assert (ours[..., 5, :5] == 0).all()
    assert (ours[..., 5, 5:] != 0).all()
    config = Inkling2TextConfig()
    assert bias.Profiles(8, 4).profiles.shape == (config.d_rel, config.rel_extent)


def test_turned_values_are_those_of_deepseek_v4():
    from transformers.models.deepseek_v4.modeling_deepseek_v4 import apply_rotary_pos_emb

    scheme, at = rotary.RotaryValues(8), LINE + 7
    angles = at.double()[:, None] * scheme.frequencies
    cos, sin = angles.cos()[None], angles.sin()[None]
    turned_q, both = (apply_rotary_pos_emb(x, cos, sin).double() for x in (q, k))
    weights = (turned_q @ both.mT / math.sqrt(8)).masked_fill(~TRIANGLE, -math.inf).softmax(-1)
    want = apply_rotary_pos_emb(weights @ both, cos, -sin)  # its keys are its values
    out, ours = attention(q, k, k, at, at, scheme, causal=True)
    assert close(ours, weights, 1e-6)
    assert close(out, want, 1e-6)


# What is refused.

V, T = ValueError, TypeError
REFUSED = [
    (lambda: bias.alibi_slopes(0), V, ("heads", "1 or more")),
    (lambda: bias.t5_buckets(LINE, 2), V, ("buckets", "4 or more")),
    (lambda: bias.T5(4, 32, 8), V, ("max_distance", "17 or more")),
    (lambda: bias.steps_back(LINE.float(), LINE), T, ("q_positions", "float32")),
    (lambda: bias.skew(torch.zeros(2, 3)), V, ("by_distance", "(2, 3)")),
    (lambda: bias.Shaw(8, -1), V, ("reach", "-1")),
    (lambda: bias.Shaw(0), V, ("head_width", "1 or more")),
    (lambda: bias.TransformerXL(30, 4), V, ("heads=4", "width=30")),
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

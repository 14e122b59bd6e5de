"""The rules of frequencies against transformers, their papers' formulas and each other; their refusals."""

import functools
import math
from types import SimpleNamespace

import pytest
import torch
from test_guard import refuses
from torch.testing import assert_close
from transformers import LlamaConfig, Qwen2_5_VLTextConfig, Qwen3VLTextConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLRotaryEmbedding
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLModel, Qwen3VLTextRotaryEmbedding

from posenc import axial, frequencies, scaling
from posenc.rotary import Rotary

CASES = [(64, 150_000.0, 4096), (128, 500_000.0, 8192), (96, 1e4, 2048)]


def by_transformers(rule, width, base, trained, *, length=None, heads=2, share=1.0, longest=None, **parameters):
    """What transformers computes: (frequencies, attention factor)."""
    config = LlamaConfig(
        hidden_size=width * heads,
        num_attention_heads=heads,
        head_dim=width,
        max_position_embeddings=longest or trained,
        rope_parameters={
            "rope_type": rule,
            "rope_theta": base,
            "partial_rotary_factor": share,
            "original_max_position_embeddings": trained,
            **parameters,
        },
    )
    return ROPE_INIT_FUNCTIONS[rule](config, "cpu", seq_len=length)


def assert_agrees(ours, reference, attention=1.0):
    assert ours.dtype == torch.float64
    assert_close(ours, reference[0].double(), atol=1e-6, rtol=0)
    assert_close(ours, reference[0].double(), atol=0, rtol=2e-5)  # slow pairs are far below 1e-6 of a radian
    assert reference[1] == pytest.approx(attention, abs=1e-12)


@pytest.mark.parametrize(("width", "base", "trained"), CASES)
@pytest.mark.parametrize("factor", [4.0, 32.0])
def test_every_rule_is_that_of_transformers(width, base, trained, factor):
    old, case = frequencies.geometric(width, base), (width, base, trained)
    assert_agrees(scaling.linear(old, factor), by_transformers("linear", *case, factor=factor))
    assert_agrees(
        scaling.llama3(old, factor, trained),
        by_transformers("llama3", *case, factor=factor, low_freq_factor=1.0, high_freq_factor=4.0),
    )
    for length in (1, trained, trained + 1, 8 * trained):
        assert_agrees(
            scaling.dynamic(width, base, trained, length, factor),
            by_transformers("dynamic", *case, factor=factor, length=length),
        )
    for truncate in (True, False):
        for slow, fast in ((1.0, 32.0), (1.0, 1.0), (2.0, 8.0)):
            reference = by_transformers("yarn", *case, factor=factor, beta_slow=slow, beta_fast=fast, truncate=truncate)
            assert_agrees(
                scaling.yarn_code(width, base, factor, trained, slow, fast, truncate),
                reference,
                scaling.yarn_attention(factor),
            )


def test_the_registry_of_transformers_has_no_other_rule():
    assert set(ROPE_INIT_FUNCTIONS) == {"linear", "dynamic", "yarn", "longrope", "llama3", "proportional"}


def test_the_attention_factor_of_deepseek():
    reference = by_transformers("yarn", 64, 1e4, 4096, factor=40.0, mscale=1.0, mscale_all_dim=0.707)
    ratio = scaling.yarn_attention(40.0) / scaling.yarn_attention(40.0, weight=0.707)
    assert_agrees(scaling.yarn_code(64, 1e4, 40.0, 4096), reference, ratio)


@pytest.mark.parametrize("length", [None, 4096, 4097])
def test_longrope(length):
    old = frequencies.geometric(96)
    short, long = [1.0 + 0.01 * i for i in range(48)], [1.0 + 0.7 * i for i in range(48)]
    reference = by_transformers(
        "longrope", 96, 1e4, 4096, length=length, longest=131072, short_factor=short, long_factor=long
    )
    ours = scaling.longrope(old, 4096, length or 1, short, long)
    assert_agrees(ours, reference, scaling.longrope_attention(32.0, 4096))
    assert scaling.longrope_attention(32.0, 4096) == pytest.approx(1.190, abs=5e-4)


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_partial_and_proportional(share):
    rotated = int(128 * share)
    assert_agrees(scaling.partial(rotated), by_transformers("linear", 128, 1e4, 4096, share=share, factor=1.0))
    reference = by_transformers("proportional", 128, 1e4, 4096, share=share, factor=4.0)
    assert_agrees(scaling.proportional(128, rotated, 1e4, 4.0), reference)


def test_what_the_authors_claim():
    width, base, trained = CASES[1]
    old, s = frequencies.geometric(width, base), 16.0
    turns = scaling.turns_in(old, trained)
    paper = scaling.by_parts(old, s, trained) / old
    assert (paper[turns > 32] == 1).all()
    assert_close(paper[turns < 1], torch.full_like(paper[turns < 1], 1 / s), rtol=1e-12, atol=0)
    code = scaling.yarn_code(width, base, s, trained, truncate=False)
    logarithmic = (turns.log() / math.log(32)).clamp(0, 1)
    assert_close(code, scaling.blend(old, s, logarithmic), rtol=1e-10, atol=0)
    assert (code >= scaling.by_parts(old, s, trained) * (1 - 1e-12)).all()
    for alpha, factor in ((8.0, 57.0), (2.0, 15.0), (1.0, 8.0)):  # α·T/L - (α - 1) at T = 8L
        assert_close(scaling.dynamic(width, base, trained, 8 * trained, alpha), scaling.ntk(width, base, factor))
        assert_close(scaling.dynamic(width, base, trained, 5, alpha), old)
    assert_close(scaling.dynamic(width, base, trained, 3 * trained), scaling.ntk(width, base, 3.0))


@pytest.mark.parametrize(("width", "base", "least"), [(128, 1e4, 1707), (128, 5e5, 18_438)])
def test_how_far_a_base_suffices(width, base, least):
    old = frequencies.geometric(width, base)
    assert scaling.kept_to(old, 100_000) == least
    assert scaling.kept_to(old, least) == least
    assert (torch.arange(least)[:, None] * old).cos().sum(-1).min() >= 0
    assert (least * old).cos().sum() < 0


def test_the_base_that_a_length_needs():
    base = scaling.least_base(64, 2048, start=5000.0)
    assert scaling.kept_to(frequencies.geometric(64, base), 2048) == 2048
    assert scaling.kept_to(frequencies.geometric(64, base / 1.05), 2048) < 2048
    half = torch.cat([frequencies.geometric(64), torch.zeros(32, dtype=torch.float64)])
    assert scaling.kept_to(half, 20_000) == 20_000


def test_stretched_scales_what_turns_and_nothing_else():
    x = torch.ones(1, 1, 3, 8)
    part = scaling.Stretched(8, scaling.partial(4), attention=2.0, rotated=4)
    assert "attention=1.208" in repr(scaling.Stretched(8, scaling.partial(8), scaling.yarn_attention(8.0)))
    q, _ = part.query_key(x, x, torch.zeros(3).long(), torch.zeros(3).long())
    assert_close(q, torch.tensor([2.0] * 4 + [1.0] * 4).expand_as(x))
    plain = scaling.Stretched(8, frequencies.geometric(8))
    as_rotary = Rotary(8, layout="split-half").query_key(x, x, torch.arange(3), torch.arange(3))
    assert_close(plain.query_key(x, x, torch.arange(3), torch.arange(3)), as_rotary, rtol=0, atol=0)


OLD = frequencies.geometric(8)
T, V = TypeError, ValueError
REFUSALS = [
    (scaling.turns_in, (OLD.float(), 8), T, ("frequencies", "float32")),
    (scaling.turns_in, (OLD, 0), V, ("trained", "0", "pass 1")),
    (scaling.linear, (OLD, 0.5), V, ("factor", "0.5", "pass 1")),
    (scaling.ntk, (2, 1e4, 2.0), V, ("width", "2", "one pair")),
    (scaling.ntk, (8, 1.0, 2.0), V, ("base", "1.0", "larger")),
    (scaling.ntk_base, (8, 1e4, 0), V, ("factor", "0", "pass 1")),
    (scaling.dynamic, (8, 1e4, 8.0, 9), T, ("trained", "8.0")),
    (scaling.dynamic, (8, 1e4, 8, 9, 0.9), V, ("alpha", "0.9")),
    (scaling.by_parts, (OLD, 2.0, 8, 1.5, 1.0), V, ("slow", "1.5 and 1.0", "exchange")),
    (scaling.by_parts, (OLD, 2.0, 8, 0, 1.0), V, ("slow", "0", "larger")),
    (scaling.yarn_code, (7, 1e4, 2.0, 8), V, ("width", "7")),
    (scaling.yarn_attention, (0.5,), V, ("factor", "0.5", "pass 1")),
    (scaling.yarn_attention, (2.0, -1), V, ("weight", "-1")),
    (scaling.longrope, (OLD, 8, 9, [1.0] * 3, [1.0] * 4), V, ("short", "4 factors", "(3,)")),
    (scaling.longrope, (OLD, 8, 9, [1.0] * 4, [0.0] * 4), V, ("long", "positive")),
    (scaling.longrope, (OLD, 8, 9, "ab", [1.0] * 4), T, ("short", "'ab'")),
    (scaling.longrope_attention, (2.0, 1), V, ("trained", "1", "pass 2")),
    (scaling.proportional, (8, 10), V, ("rotated", "8", "10")),
    (scaling.proportional, (8, 3), V, ("rotated", "3")),
    (scaling.kept_to, (OLD[:0], 8), V, ("frequencies", "(0,)")),
    (scaling.kept_to, (OLD, 0), V, ("most", "0")),
    (scaling.least_base, (8, 8, 1.0), V, ("start", "1.0")),
    (scaling.Stretched, (8, OLD, 0.0), V, ("attention", "0.0")),
    (axial.turns, ([1, 2], axial.blocks(8)), V, ("positions", "(…, time, 2)", "(2,)")),
    (axial.turns, ([[1, 2]], axial.blocks(8).float()), T, ("matrix", "float32")),
    (axial.turns, ([[1, 2]], [[1.0], [2.0]]), T, ("matrix", "[[1.0], [2.0]]")),
    (axial.turns, ([[1, 2]], axial.blocks(8)[0]), V, ("matrix", "(4,)")),
    (axial.turns, ([[1, 2]], axial.blocks(8).requires_grad_()), V, ("matrix", "detach")),
    (axial.turns, ([[1, 2]], axial.blocks(8), torch.float32), V, ("dtype", "float32")),
    (axial.blocks, (6,), V, ("width", "4", "6")),
    (axial.mrope_axes, ([1, 2],), V, ("sections", "[1, 2]")),
    (axial.mrope_axes, ([2, -1, 1],), V, ("each of sections", "-1")),
    (axial.mrope_axes, ([1, 2, 1],), V, ("sections", "[1, 2, 1]", "interleaved=False")),
    (axial.mrope, (8, [2, 1, 0]), V, ("sections", "sum to 4")),
    (axial.grid, (0, 3), V, ("rows", "0")),
]


@pytest.mark.parametrize(("function", "arguments", "error", "parts"), REFUSALS)
def test_refusals(function, arguments, error, parts):
    with refuses(error, *parts):
        function(*arguments)


@pytest.mark.parametrize(
    ("settings", "rotary", "sections", "interleaved"),
    [
        (Qwen3VLTextConfig, Qwen3VLTextRotaryEmbedding, [11, 11, 10], True),
        (Qwen2_5_VLTextConfig, Qwen2_5_VLRotaryEmbedding, [16, 24, 24], False),
    ],
)
def test_mrope_is_that_of_qwen(settings, rotary, sections, interleaved):
    half = sum(sections)
    rule = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": sections, "mrope_interleaved": interleaved}
    config = settings(hidden_size=4 * half, num_attention_heads=2, head_dim=2 * half, rope_parameters=rule)
    places = torch.cat([torch.arange(5)[:, None].expand(5, 3), axial.grid(3, 4, start=5)])
    cos, sin = rotary(config)(torch.zeros(1, dtype=torch.float32), places.T[:, None])
    ours = axial.turns(places, axial.mrope(2 * half, sections, 1e6, interleaved), torch.complex128)
    assert_close(ours, torch.complex(cos, sin)[0, :, :half].to(ours.dtype), atol=1e-6, rtol=0)


def test_words_an_image_and_words_stand_where_qwen3_vl_puts_them():
    rows, columns = 3, 5
    image = axial.grid(rows, columns, start=4)
    after = torch.arange(4) + 4 + max(rows, columns)
    ours = torch.cat([torch.arange(4)[:, None].expand(4, 3), image, after[:, None].expand(4, 3)])
    model = SimpleNamespace(config=SimpleNamespace(vision_config=SimpleNamespace(spatial_merge_size=1)))
    model.get_vision_position_ids = functools.partial(Qwen3VLModel.get_vision_position_ids, model)
    kinds = torch.tensor([[0] * 4 + [1] * rows * columns + [0] * 4])
    size = torch.tensor([[1, rows, columns]])
    theirs, _ = Qwen3VLModel.get_rope_index(model, torch.zeros_like(kinds), kinds, image_grid_thw=size)
    assert torch.equal(ours, theirs[:, 0].T)


def test_axial_positions_and_grids():
    assert axial.blocks(8).shape == (2, 4)
    assert axial.blocks(8)[0, 2:].eq(0).all()
    assert axial.blocks(12, axes=3).shape == (3, 6)
    assert axial.grid(2, 3, start=7).tolist() == [[7, 7 + r, 7 + c] for r in range(2) for c in range(3)]
    turned = axial.turns(axial.grid(2, 3)[:, 1:], axial.blocks(8))
    assert turned.dtype == torch.complex64
    assert turned.shape == (6, 4)

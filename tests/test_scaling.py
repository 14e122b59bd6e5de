"""The rules of frequencies against transformers, their papers' formulas and each other; their refusals."""

import math
from types import MethodType, SimpleNamespace

import pytest
import torch
from test_validate import refuses
from torch.testing import assert_close
from transformers import AutoConfig, LlamaConfig, Qwen2_5_VLTextConfig, Qwen3VLTextConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.dinov3_vit.modeling_dinov3_vit import DINOv3ViTRopePositionEmbedding
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel, Qwen2_5_VLRotaryEmbedding
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLModel, Qwen3VLTextRotaryEmbedding

from posenc import axial, frequencies, scaling
from posenc.rotary import Rotary


def by_transformers(rule, width, base, trained, *, length=None, share=1.0, longest=None, **parameters):
    """What transformers computes: (frequencies, attention factor)."""
    parameters |= {"rope_type": rule, "rope_theta": base, "original_max_position_embeddings": trained}
    parameters |= {"partial_rotary_factor": share}
    sizes = {"hidden_size": 2 * width, "num_attention_heads": 2, "head_dim": width}
    config = LlamaConfig(**sizes, max_position_embeddings=longest or trained, rope_parameters=parameters)
    return ROPE_INIT_FUNCTIONS[rule](config, "cpu", seq_len=length)


def assert_agrees(ours, reference, attention=1.0):
    assert ours.dtype == torch.float64
    assert_close(ours, reference[0].double(), atol=0, rtol=2e-5)
    assert reference[1] == pytest.approx(attention, abs=1e-12)


def test_every_rule_is_that_of_transformers():
    case = width, base, trained = 128, 500_000.0, 8192
    factor, old, ends = 32.0, frequencies.geometric(width, base), {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    assert_agrees(scaling.linear(old, factor), by_transformers("linear", *case, factor=factor))
    assert_agrees(scaling.llama3(old, factor, trained), by_transformers("llama3", *case, factor=factor, **ends))
    for length in (1, trained, trained + 1, 8 * trained):
        reference = by_transformers("dynamic", *case, factor=factor, length=length)
        assert_agrees(scaling.dynamic(width, base, trained, length, factor), reference)
    for slow, fast, truncate in (1.0, 32.0, True), (1.0, 32.0, False), (1.0, 1.0, True), (2.0, 8.0, False):
        reference = by_transformers("yarn", *case, factor=factor, beta_slow=slow, beta_fast=fast, truncate=truncate)
        ours = scaling.yarn_code(width, base, factor, trained, slow, fast, truncate)
        assert_agrees(ours, reference, scaling.yarn_attention(factor))
    reference = by_transformers("yarn", *case, factor=40.0, mscale=1.0, mscale_all_dim=0.707)  # of DeepSeek
    ratio = scaling.yarn_attention(40.0) / scaling.yarn_attention(40.0, weight=0.707)
    assert_agrees(scaling.yarn_code(width, base, 40.0, trained), reference, ratio)
    assert set(ROPE_INIT_FUNCTIONS) == {"linear", "dynamic", "yarn", "longrope", "llama3", "proportional"}


def test_longrope_and_partial_rotations_are_those_of_transformers():
    short, long = [1.0 + 0.01 * i for i in range(48)], [1.0 + 0.7 * i for i in range(48)]
    lists = {"short_factor": short, "long_factor": long}
    for length in None, 4096, 4097:
        reference = by_transformers("longrope", 96, 1e4, 4096, length=length, longest=131072, **lists)
        ours = scaling.longrope(frequencies.geometric(96), 4096, length or 1, short, long)
        assert_agrees(ours, reference, scaling.longrope_attention(32.0, 4096))
    for rotated in 32, 128:
        case = {"width": 128, "base": 1e4, "trained": 4096, "share": rotated / 128}
        assert_agrees(scaling.partial(rotated), by_transformers("linear", **case, factor=1.0))
        reference = by_transformers("proportional", **case, factor=4.0)
        assert_agrees(scaling.proportional(128, rotated, 1e4, 4.0), reference)


def test_what_the_authors_claim():
    old, trained, s = frequencies.geometric(128, 5e5), 8192, 16.0
    turns = scaling.turns_in(old, trained)
    paper = scaling.by_parts(old, s, trained) / old
    kept = ((turns - 1) / 31).clamp(0, 1)
    assert_close(paper, (1 - kept) / s + kept, rtol=1e-12, atol=0)
    code = scaling.yarn_code(128, 5e5, s, trained, truncate=False)
    assert_close(code, scaling.blend(old, s, (turns.log() / math.log(32)).clamp(0, 1)), rtol=1e-10, atol=0)
    assert_close(scaling.ntk(128, 5e5, s)[[0, -1]], old[[0, -1]] / torch.tensor([1, s]))


def test_how_far_a_base_suffices_and_which_one_a_length_needs():
    old, least = frequencies.geometric(128, 1e4), 1707
    assert [scaling.kept_to(old, most) for most in (100_000, least)] == [least, least]
    assert (torch.arange(least)[:, None] * old).cos().sum(-1).min() >= 0
    assert (least * old).cos().sum() < 0
    base = scaling.least_base(64, 2048, start=5000.0)
    assert scaling.kept_to(frequencies.geometric(64, base), 2048) == 2048
    assert scaling.kept_to(frequencies.geometric(64, base / 1.05), 2048) < 2048


def test_stretched_scales_what_turns_and_nothing_else():
    x, positions = torch.ones(1, 1, 3, 8), torch.arange(3)
    part = scaling.Stretched(8, scaling.partial(4), attention=2.0, rotated=4)
    plain, _ = Rotary(8, layout="split-half", rotated=4).query_key(x, x, positions, positions)
    for turned in part.query_key(x, x, positions, positions):
        assert torch.equal(turned, plain * torch.tensor([2.0] * 4 + [1.0] * 4))
    assert scaling.Stretched(8, scaling.partial(8), attention=0.5).attention == 0.5
    assert "attention=1.208" in repr(scaling.Stretched(8, scaling.partial(8), scaling.yarn_attention(8.0)))


OLD = frequencies.geometric(8)
T, V = TypeError, ValueError
REFUSALS = [
    (scaling.turns_in, (OLD.float(), 8), T, ("frequencies", "float32")),
    (scaling.turns_in, (OLD * math.inf, 8), V, ("frequencies", "finite", "base")),
    (scaling.yarn_code, (128, 1e4, 8.0, 4), V, ("trained", "longer", "4", "stretch nothing")),
    (scaling.linear, (OLD, 0.5), V, ("factor", "0.5", "pass 1")),
    (scaling.ntk, (2, 1e4, 2.0), V, ("width", "2", "one pair")),
    (scaling.ntk, (8, 1.0, 2.0), V, ("base", "1.0", "larger")),
    (scaling.ntk_base, (8, 1e4, 0), V, ("factor", "0", "pass 1")),
    (scaling.dynamic, (8, 1e4, 8.0, 9), T, ("trained", "8.0")),
    (scaling.dynamic, (8, 1e4, 8, 9, 0.9), V, ("alpha", "0.9")),
    (scaling.by_parts, (OLD, 2.0, 8, 1.5, 1.0), V, ("slow", "1.5 and 1.0", "exchange")),
    (scaling.yarn_attention, (0.5,), V, ("factor", "0.5", "pass 1")),
    (scaling.longrope, (OLD, 8, 9, [1.0] * 3, [1.0] * 4), V, ("short", "4 factors", "(3,)")),
    (scaling.longrope, (OLD, 8, 9, [1.0] * 4, [0.0] * 4), V, ("long", "positive")),
    (scaling.longrope, (OLD, 8, 9, "ab", [1.0] * 4), T, ("short", "'ab'")),
    (scaling.longrope_attention, (2.0, 1), V, ("trained", "1", "pass 2")),
    (scaling.proportional, (8, 10), V, ("rotated", "8", "10")),
    (scaling.kept_to, (OLD[:0], 8), V, ("frequencies", "(0,)")),
    (scaling.least_base, (8, 8, 1.0), V, ("start", "1.0")),
    (scaling.Stretched, (8, OLD, 0.0), V, ("attention", "0.0")),
    (axial.turns, ([1, 2], axial.blocks(8)), V, ("positions", "(…, time, 2)", "(2,)")),
    (axial.turns, ([[1, 2]], axial.blocks(8).float()), T, ("matrix", "float32")),
    (axial.turns, ([[1, 2]], axial.blocks(8)[0]), V, ("matrix", "(4,)")),
    (axial.turns, ([[1, 2]], axial.blocks(8) * math.inf), V, ("matrix", "finite", "base")),
    (axial.turns, ([[1, 2]], axial.blocks(8).requires_grad_()), V, ("matrix", "detach")),
    (axial.blocks, (6,), V, ("width", "4", "6")),
    (axial.mrope_axes, ([1, 2],), V, ("sections", "[1, 2]")),
    (axial.mrope_axes, ([1, 2, 1],), V, ("sections", "[1, 2, 1]", "interleaved=False")),
    (axial.mrope, (8, [2, 1, 0]), V, ("sections", "sum to 4")),
    (axial.grid, (0, 3), V, ("rows", "0")),
    (axial.grid, (2, 3, 0, []), V, ("times", "(frames,)", "one for each frame")),
    (axial.turns, (torch.zeros(1, 2), axial.blocks(8)), T, ("positions", "integers or float64", "float32")),
]


@pytest.mark.parametrize(("function", "arguments", "error", "parts"), REFUSALS)
def test_refusals(function, arguments, error, parts):
    with refuses(error, *parts):
        function(*arguments)


QWEN = [
    (Qwen3VLTextConfig, Qwen3VLTextRotaryEmbedding, [11, 11, 10], True),
    (Qwen2_5_VLTextConfig, Qwen2_5_VLRotaryEmbedding, [16, 24, 24], False),
]


@pytest.mark.parametrize(("settings", "rotary", "sections", "interleaved"), QWEN)
def test_mrope_is_that_of_qwen(settings, rotary, sections, interleaved):
    half = sum(sections)
    rule = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": sections, "mrope_interleaved": interleaved}
    config = settings(hidden_size=4 * half, num_attention_heads=2, head_dim=2 * half, rope_parameters=rule)
    places = torch.cat([torch.arange(5)[:, None].expand(5, 3), axial.grid(3, 4, start=5)])
    cos, sin = rotary(config)(torch.zeros(1, dtype=torch.float32), places.T[:, None])
    ours = axial.turns(places, axial.mrope(2 * half, sections, 1e6, interleaved), torch.complex128)
    assert_close(ours, torch.complex(cos, sin)[0, :, :half].to(ours.dtype), atol=1e-6, rtol=0)


def test_words_an_image_and_words_stand_where_qwen3_vl_puts_them():
    assert axial.blocks(8).tolist() == [[1, 0.1, 0, 0], [0, 0, 1, 0.1]]
    rows, columns = 3, 5
    words = torch.arange(4)[:, None].expand(4, 3)
    ours = torch.cat([words, axial.grid(rows, columns, start=4), words + 4 + max(rows, columns)])
    model = SimpleNamespace(config=SimpleNamespace(vision_config=SimpleNamespace(spatial_merge_size=1)))
    model.get_vision_position_ids = MethodType(Qwen3VLModel.get_vision_position_ids, model)
    kinds, size = torch.tensor([[0] * 4 + [1] * rows * columns + [0] * 4]), torch.tensor([[1, rows, columns]])
    theirs, _ = Qwen3VLModel.get_rope_index(model, torch.zeros_like(kinds), kinds, image_grid_thw=size)
    assert torch.equal(ours, theirs[:, 0].T)


def test_frames_of_a_video_stand_where_qwen2_5_vl_puts_them():
    seconds = 1.5  # of a frame; at 2 tokens a second, and so at whole numbers
    theirs = Qwen2_5_VLModel.get_vision_position_ids(None, 4, torch.tensor([3, 2, 5]), time_interval=2 * seconds)
    assert torch.equal(axial.grid(2, 5, start=4, times=[0, 3, 6]), theirs.T)
    assert axial.grid(2, 5, start=4, times=[0.0, 1.4, 2.8])[-1].tolist() == [6.8, 5, 8]


def test_coordinates_between_patches_turn_as_in_dinov3():
    config = AutoConfig.for_model("dinov3_vit", hidden_size=128, num_attention_heads=2, patch_size=16, image_size=224)
    rows, columns = 3, 5
    cos, sin = DINOv3ViTRopePositionEmbedding(config).eval()(torch.zeros(1, 3, 16 * rows, 16 * columns))
    centres = ((torch.arange(n, dtype=torch.float64) + 0.5) / n * 2 - 1 for n in (rows, columns))
    ours = axial.turns(torch.cartesian_prod(*centres), 2 * math.pi * axial.blocks(64, base=100.0), torch.complex128)
    assert_close(ours, torch.complex(cos, sin)[:, :32].to(ours.dtype), atol=1e-6, rtol=0)  # split-half

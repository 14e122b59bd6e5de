"""The diagnosis of the appendix a7_what_rope_assumes reads independent implementations rightly."""

import numpy as np
import onnx.reference.ops.op_rotary_embedding as onnx_rotary
import pytest
import torch
from transformers import LlamaConfig
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama

from coursebook.content import notebook
from posenc import rotary
from posenc.additive import angles, geometric

WIDTH = 64
PAIR, USUAL = torch.arange(WIDTH // 2), geometric(WIDTH)


@pytest.fixture(scope="module")
def diagnose():
    """The function as the notebook defines it."""
    names = {}
    for cell in notebook("a7_what_rope_assumes").cells:
        if cell.kind == "code" and cell.source.startswith(("import", "def normal(", "PROBES = ", "def diagnose(")):
            exec(cell.source, names)
    return names["diagnose"]


def from_llama(x, positions):
    rope = LlamaRotaryEmbedding(LlamaConfig(hidden_size=WIDTH, num_attention_heads=1))
    return llama(x[None, None], x[None, None], *rope(x[None], positions[None]))[0][0, 0]


def from_gptj(x, positions):
    sin, cos = create_sinusoidal_positions(70_002, WIDTH)[positions].chunk(2, dim=-1)
    return gptj(x[None, :, None], sin[None], cos[None])[0, :, 0]


def from_onnx(x, positions):
    angle = angles(positions + 3, WIDTH, 500_000).numpy()[None]
    out = onnx_rotary.rotary_embedding(x.numpy()[None, None], np.cos(angle), np.sin(angle), None, interleaved=0)
    return torch.from_numpy(out)[0, 0]


def turned(x, positions, omega, ahead=0.0):
    """A RoPE of any frequencies, each pair `ahead` radians from its usual place."""
    start = torch.polar(torch.ones(WIDTH // 2).double(), torch.zeros(WIDTH // 2).double() + ahead)
    return rotary.rotate(x, rotary.turns(positions, omega, torch.complex128) * start)


RIGHT = {"a rotation": True, "direction": 1, "offset": 0, "fails at": []}
SPLIT = RIGHT | {"layout": "split-half", "pairs": [(i, i + WIDTH // 2) for i in range(WIDTH // 2)]}
WOVEN = RIGHT | {"layout": "interleaved", "pairs": [(2 * i, 2 * i + 1) for i in range(WIDTH // 2)]}
CASES = [
    (from_llama, SPLIT | {"base": 10_000}),
    (from_gptj, WOVEN | {"base": 10_000}),
    (from_onnx, SPLIT | {"base": 500_000, "offset": 3}),
    (lambda x, p: turned(x, p, USUAL * (1.0 - 2 * (PAIR == 3))), {"direction": "mixed"}),
    (lambda x, p: turned(x, p, USUAL, PAIR / 9), {"offset": "none fits"}),
    (lambda x, p: turned(x, p, 2 * USUAL), {"base": "none fits"}),
    (lambda x, p: turned(x, p, geometric(WIDTH, 82684.3)), {"base": 82684.3, "fails at": []}),
    # It tries other positions and other vectors than it read.
    (lambda x, p: turned(x, p.clamp(max=4096), USUAL), {"fails at": [4097, 70001]}),
]


@pytest.mark.parametrize(("rotation", "expected"), CASES)
def test_diagnosis_reads_what_a_rotation_does(diagnose, rotation, expected):
    assert diagnose(rotation, WIDTH).items() >= expected.items()


def test_diagnosis_refuses_a_rotation_that_ignores_positions(diagnose):
    assert diagnose(lambda x, p: turned(x, p, USUAL).clamp(-1, 1), WIDTH)["fails at"]
    with pytest.raises(ValueError, match="ignores its position"):
        diagnose(lambda x, p: turned(x, torch.arange(WIDTH), USUAL), WIDTH)

"""The diagnosis of the appendix a8_which_rope reads independent implementations rightly."""

import nbformat
import numpy as np
import onnx.reference.ops.op_rotary_embedding as onnx_rotary
import pytest
import torch
from normalise import FOLDER
from transformers import LlamaConfig
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama

from posenc import rotary
from posenc.additive import angles, geometric

WIDTH = 64


@pytest.fixture(scope="module")
def diagnose():
    """The function as the notebook defines it."""
    cells = nbformat.read(FOLDER / "a8_which_rope.ipynb", as_version=4).cells
    taught = [cell.source for cell in cells if cell.cell_type == "code"]
    names = {}
    exec(next(source for source in taught if source.startswith(("import", "from"))), names)
    for start in ("PROBES = ", "def diagnose("):
        (source,) = (source for source in taught if source.startswith(start))
        exec(source, names)
    return names["diagnose"]


def from_llama(x, positions):
    rope = LlamaRotaryEmbedding(LlamaConfig(hidden_size=WIDTH, num_attention_heads=1))
    cos, sin = rope(x[None], positions[None])
    return llama(x[None, None], x[None, None], cos, sin)[0][0, 0]


def from_gptj(x, positions):
    sin, cos = create_sinusoidal_positions(70_002, WIDTH)[positions].chunk(2, dim=-1)
    return gptj(x[None, :, None], sin[None], cos[None])[0, :, 0]


def from_onnx(interleaved, offset):
    def rotation(x, positions):
        angle = angles(positions + offset, WIDTH, 500_000).numpy()[None]
        tables = (function(angle) for function in (np.cos, np.sin))
        out = onnx_rotary.rotary_embedding(x.numpy()[None, None], *tables, None, interleaved=interleaved)
        return torch.from_numpy(out)[0, 0]

    return rotation


@pytest.mark.parametrize(
    ("rotation", "layout", "base", "offset"),
    [
        (from_llama, "split-half", 10_000, 0),
        (from_gptj, "interleaved", 10_000, 0),
        (from_onnx(0, 3), "split-half", 500_000, 3),
        (from_onnx(1, 0), "interleaved", 500_000, 0),
    ],
)
def test_diagnosis_reads_independent_implementations(diagnose, rotation, layout, base, offset):
    half = WIDTH // 2
    interleaved = [(2 * i, 2 * i + 1) for i in range(half)]
    assert diagnose(rotation, WIDTH) == {
        "a rotation": True,
        "layout": layout,
        "pairs": interleaved if layout == "interleaved" else [(i, i + half) for i in range(half)],
        "direction": 1,
        "base": base,
        "offset": offset,
        "fails at": [],
    }


def turned(x, positions, omega, ahead=0.0):
    """A RoPE of any frequencies, each pair `ahead` radians from its usual place."""
    start = torch.polar(torch.ones(WIDTH // 2).double(), torch.zeros(WIDTH // 2).double() + ahead)
    return rotary.rotate(x, rotary.turns(positions, omega, torch.complex128) * start)


USUAL, PAIR = geometric(WIDTH), torch.arange(WIDTH // 2)


@pytest.mark.parametrize(
    ("rotation", "expected"),
    [
        (lambda x, p: turned(x, p, USUAL * (1.0 - 2 * (PAIR == 3))), {"direction": "mixed"}),
        (lambda x, p: turned(x, p, USUAL, PAIR / 9), {"offset": "none fits"}),
        (lambda x, p: turned(x, p, 2 * USUAL), {"base": "none fits"}),
        (lambda x, p: turned(x, p, geometric(WIDTH, 82684.3)), {"base": 82684.3, "fails at": []}),
    ],
)
def test_diagnosis_says_what_fits_no_pattern(diagnose, rotation, expected):
    assert diagnose(rotation, WIDTH).items() >= expected.items()


def test_diagnosis_refuses_a_rotation_that_ignores_positions(diagnose):
    with pytest.raises(ValueError, match="ignores its position"):
        diagnose(lambda x, p: turned(x, torch.arange(WIDTH), USUAL), WIDTH)


def test_diagnosis_tries_other_positions_and_vectors_than_it_read(diagnose):
    clamped = diagnose(lambda x, p: turned(x, p.clamp(max=4096), USUAL), WIDTH)
    assert clamped["fails at"] == [4097, 70001]
    assert diagnose(lambda x, p: turned(x, p, USUAL).clamp(-1, 1), WIDTH)["fails at"]

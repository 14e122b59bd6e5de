"""The diagnosis that chapter 08 teaches reads independent implementations rightly."""

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

from posenc.additive import angles

WIDTH = 64


@pytest.fixture(scope="module")
def diagnose():
    """The function as the notebook defines it."""
    cells = nbformat.read(FOLDER / "08_rope_in_practice.ipynb", as_version=4).cells
    taught = [cell.source for cell in cells if cell.cell_type == "code"]
    names = {}
    exec(taught[0], names)
    for start in ("def response(", "def diagnose("):
        (source,) = (source for source in taught if source.startswith(start))
        exec(source.split("\n\n\n")[0], names)
    return names["diagnose"]


def from_llama(x, positions):
    rope = LlamaRotaryEmbedding(LlamaConfig(hidden_size=WIDTH, num_attention_heads=1))
    cos, sin = rope(x[None], positions[None])
    return llama(x[None, None], x[None, None], cos, sin)[0][0, 0]


def from_gptj(x, positions):
    sin, cos = create_sinusoidal_positions(8, WIDTH)[positions].chunk(2, dim=-1)
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
    assert diagnose(rotation, WIDTH) == {
        "a rotation": True,
        "layout": layout,
        "rotated": WIDTH,
        "direction": 1,
        "base": base,
        "offset": offset,
    }

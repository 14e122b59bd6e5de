"""Every scheme inside PyTorch's tools: compiled, exported, built on the meta device, under autocast, copied."""

import copy
import functools
import pickle
import re

import pytest
import torch
from torch import nn
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from posenc import additive, doors, frequencies, models, rotary, schemes

pytestmark = pytest.mark.slow  # torch's tools take their time
TIME, WIDTH = 5, 8
TOKENS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


def build_scheme(name, **options):
    """The scheme of that name for the models of this file, with the same numbers each time."""
    torch.manual_seed(1)
    if name == "rope-stretched":
        options |= {"frequencies": frequencies.geometric(4) / 2, "attention": 1.25}
    return schemes.build(name, WIDTH, 2, 32, **options)


SCHEMES = {name: functools.partial(build_scheme, name) for name in schemes.SCHEMES} | {
    "rope, split-half in part": lambda: rotary.Rotary(4, 500.0, "split-half", rotated=2),
    "shaw, keys alone": lambda: build_scheme("shaw", to_values=False),
    "t5, in both directions": lambda: build_scheme("t5", bidirectional=True),
    "kerple, power": lambda: build_scheme("kerple", kind="power"),
    "Graded": lambda: models.Graded(rotary.Rotary(4), 1.5, slope=0.1, every=2),
}
each_scheme = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def build_model(scheme, dtype=torch.float64):
    """A model that opens all doors, with the weights of every other such model."""
    return doors.Decoder(10, WIDTH, 2, 1, scheme(), generator=torch.Generator().manual_seed(2)).to(dtype)


class AllSchemes(nn.Module):
    """A model with each scheme: a compiler takes its time for each graph, hardly for its length."""

    def __init__(self):
        super().__init__()
        self.models = nn.ModuleDict({name: build_model(scheme) for name, scheme in SCHEMES.items()})

    def forward(self, tokens, positions):
        return {name: model(tokens, positions) for name, model in self.models.items()}


def test_schemes_compile_in_one_graph_with_their_gradients():
    torch.compiler.reset()
    ours, theirs = AllSchemes(), AllSchemes()
    run = torch.compile(ours, fullgraph=True, backend="eager")  # with inductor in test_rotary.py
    compiled, expected = run(TOKENS, torch.arange(TIME)), theirs(TOKENS, torch.arange(TIME))
    assert_close(compiled, expected)
    sum(out.pow(2).sum() for outputs in (compiled, expected) for out in outputs.values()).backward()
    for weight, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert_close(weight.grad, other.grad)


def test_schemes_export_for_any_batch_and_length():
    batch, time = torch.export.Dim("batch"), torch.export.Dim("time")
    eager, sizes = AllSchemes(), ({0: batch, 1: time}, {0: time})
    program = torch.export.export(eager, (TOKENS, torch.arange(TIME)), dynamic_shapes=sizes).module()
    assert not re.search("searchsorted|bucketize|complex", program.code), "what exporters to ONNX lack"
    for batch, time in (2, 3), (1, TIME):
        given = TOKENS[:batch, :time], torch.arange(time)
        assert_close(program(*given), eager(*given))


@each_scheme
def test_models_are_built_on_meta_filled_later_and_run(scheme):
    # The meta device has no values: whatever reads one, for which another device would have to wait, fails.
    model = build_model(scheme)
    with torch.device("meta"):
        empty = build_model(scheme)
    positions, mask = torch.arange(TIME), torch.ones(TIME, TIME, dtype=torch.bool)  # brought to the other device
    assert empty(TOKENS.to("meta"), positions).is_meta
    x = torch.zeros(2, TIME, WIDTH, dtype=torch.float64, device="meta")
    assert empty.blocks[0].attend(x, x[:, :3], positions, positions[:3], mask=mask[:, :3]).is_meta
    filled = empty.to_empty(device="cpu")
    filled.load_state_dict(model.state_dict())
    assert_close(filled(TOKENS), model(TOKENS))


class NoFloat64(TorchDispatchMode):
    """The meta device has no float64 here, as Apple's has none."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if any(isinstance(x, torch.Tensor) and x.is_meta and x.dtype == torch.float64 for x in tree_leaves(out)):
            raise TypeError("this device has no float64")
        return out


def test_where_a_device_has_no_float64_the_cpu_makes_the_angles():
    positions, q, k = torch.arange(TIME), *torch.zeros(2, 1, 2, TIME, WIDTH, device="meta")
    with NoFloat64():
        rope = rotary.Rotary(WIDTH).to("meta")
        assert rope.frequencies.tolist() == frequencies.geometric(WIDTH).tolist()  # they stay where they can be read
        assert all(turned.is_meta for turned in rope.query_key(q, k, positions, positions))
        for scheme in additive.Sinusoidal(WIDTH), additive.Normalised(WIDTH):
            assert scheme.to("meta").input(q[:, 0], positions).is_meta


@each_scheme
def test_models_under_autocast(scheme):
    model = build_model(scheme, torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        out = model(TOKENS)
    assert_close(out.double(), build_model(scheme)(TOKENS), atol=0.05, rtol=0)
    out.sum().backward()
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


@each_scheme
def test_copies_are_alike_and_carry_no_table(scheme):
    model = build_model(scheme)
    before = pickle.dumps(model)
    expected = model(TOKENS)
    assert len(pickle.dumps(model)) == len(before)
    for other in copy.deepcopy(model), pickle.loads(before):
        assert_close(other(TOKENS), expected)

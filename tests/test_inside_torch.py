"""Every scheme inside PyTorch's tools: compiled, exported, built on the meta device, under autocast, copied."""

import copy
import functools
import inspect
import io
import pickle

import pytest
import torch
from torch import nn

from posenc import doors, frequencies, models, rotary, schemes

pytestmark = pytest.mark.slow  # torch's tools take their time

TIME, WIDTH = 5, 8
TOKENS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
# What a scheme of the registry is built with besides.
OPTIONS = {"rope-stretched": lambda: {"frequencies": frequencies.geometric(4) / 2, "attention": 1.25}}


def build_scheme(name, **options):
    """The scheme of that name for the models of this file, with the same numbers each time."""
    if "generator" in inspect.signature(schemes.SCHEMES[name]).parameters:
        options["generator"] = torch.Generator().manual_seed(1)
    return schemes.build(name, WIDTH, 2, 32, **OPTIONS.get(name, dict)(), **options)


SCHEMES = {name: functools.partial(build_scheme, name) for name in schemes.SCHEMES} | {
    "Scheme": doors.Scheme,
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


def assert_same(actual, expected, within=1e-12):
    torch.testing.assert_close(actual, expected, atol=within, rtol=0)


def test_schemes_compile_in_one_graph_with_their_gradients():
    torch.compiler.reset()
    ours, theirs = AllSchemes(), AllSchemes()
    run = torch.compile(ours, fullgraph=True, backend="eager")  # with inductor in test_rotary.py
    compiled, expected = run(TOKENS, torch.arange(TIME)), theirs(TOKENS, torch.arange(TIME))
    assert_same(compiled, expected)
    for outputs in compiled, expected:
        sum(out.pow(2).sum() for out in outputs.values()).backward()
    for (name, weight), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert weight.grad is not None, name
        assert_same(weight.grad, other.grad)


def test_schemes_export_for_any_batch_and_length():
    schemes, sizes = (
        AllSchemes(),
        ({0: torch.export.Dim("batch"), 1: torch.export.Dim("time")}, {0: torch.export.Dim("time")}),
    )
    program = torch.export.export(schemes, (TOKENS, torch.arange(TIME)), dynamic_shapes=sizes).module()
    for batch, time in (2, 3), (1, TIME):
        given = TOKENS[:batch, :time], torch.arange(time)
        assert_same(program(*given), schemes(*given))


def test_a_refusal_of_shape_leaves_nothing_in_the_graph():
    operations = []

    def look(graph, inputs):
        operations.extend(str(node.target) for node in graph.graph.nodes if node.op != "placeholder")
        return graph.forward

    torch.compiler.reset()
    rope, positions = rotary.Rotary(WIDTH), torch.arange(TIME)
    run = torch.compile(lambda x: rope.query_key(x, x, positions, positions)[0], fullgraph=True, backend=look)
    run(torch.zeros(1, 2, TIME, WIDTH))
    assert operations
    assert not [name for name in operations if "assert" in name or name in ("item", "tolist")]
    with pytest.raises(Exception, match="q must be 8 wide"):
        run(torch.zeros(1, 2, TIME, 6))


@each_scheme
def test_models_are_built_on_meta_filled_later_and_run(scheme):
    # The meta device has no values: whatever reads one, for which another device would have to wait, fails.
    model = build_model(scheme)
    with torch.device("meta"):
        empty = build_model(scheme)
    assert {weight.device.type for weight in empty.parameters()} == {"meta"}
    positions, mask = torch.arange(TIME), torch.ones(TIME, TIME, dtype=torch.bool)  # brought to the other device
    assert empty(TOKENS.to("meta"), positions).device.type == "meta"
    x = torch.zeros(2, TIME, WIDTH, dtype=torch.float64, device="meta")
    attended = empty.blocks[0].attend(x, x[:, :3], positions, positions[:3], mask=mask[:, :3])
    assert attended.device.type == "meta"
    filled = empty.to_empty(device="cpu")
    filled.load_state_dict(model.state_dict())
    assert_same(filled(TOKENS), model(TOKENS))


@each_scheme
def test_models_under_autocast(scheme):
    model = build_model(scheme, torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        out = model(TOKENS)
    assert_same(out.double(), build_model(scheme)(TOKENS), 0.05)
    out.sum().backward()
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


@each_scheme
def test_copies_are_alike_and_carry_no_table(scheme):
    model = build_model(scheme)
    size = len(pickle.dumps(model))
    expected = model(TOKENS)
    assert len(pickle.dumps(model)) == size
    saved = io.BytesIO()
    torch.save(model, saved)
    saved.seek(0)
    for other in copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(saved, weights_only=False):
        assert_same(other(TOKENS), expected)


def test_what_a_config_gives_is_built_on_meta_and_copied():
    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 500000.0}
    with torch.device("meta"):
        (layer,) = models.read(config).values()
        rope = models.scheme(config)
    q, positions = torch.ones(1, 4, TIME, 16), torch.arange(TIME)
    expected = rotary.Rotary(16, 500000.0, "split-half").query_key(q, q, positions, positions)
    for other in rope, layer.ready(), copy.deepcopy(rope), pickle.loads(pickle.dumps(layer)).ready():
        assert_same(other.query_key(q, q, positions, positions), expected)
    why = models.NotReady("no")
    assert pickle.loads(pickle.dumps(why)).args == why.args

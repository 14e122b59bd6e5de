"""Every public function and scheme inside PyTorch's tools: compilers, transforms, devices, copies.

One table: a subject is a function or a module with its arguments, a feature is a way to run it. What a
feature cannot do with a subject is refused in one sentence, and that is tested too.
"""

import copy
import io
import pickle

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vmap

from posenc import additive, doors, frequencies, rotary

# What torch says to itself when it first differentiates forward.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")

TIME, WIDTH = 5, 8
AT = torch.tensor([7, 0, 31, 2, 2])


def normal(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def turns(positions):
    return rotary.turns(positions, frequencies.geometric(WIDTH), torch.complex128)


def attend(x, positions):
    q = x.unflatten(-1, (2, 4)).transpose(-2, -3)[None]
    out, _ = doors.attention(q, q, q, positions, positions, rotary.Rotary(4), causal=True)
    return out


# Functions of positions.
CODES = {
    "frequencies.angles": lambda p: frequencies.angles(p, frequencies.geometric(WIDTH)),
    "additive.angles": lambda p: additive.angles(p, WIDTH),
    "sinusoidal": lambda p: additive.sinusoidal(p, WIDTH, dtype=torch.float64),
    "sinusoidal, concatenated": lambda p: additive.sinusoidal(p, WIDTH, layout="concatenated"),
    "index": lambda p: additive.index(p, WIDTH),
    "normalised": lambda p: additive.normalised(p, 32, WIDTH),
    "binary": lambda p: additive.binary(p, WIDTH),
    "turns": turns,
    "causal_mask": lambda p: doors.causal_mask(p, p + 1),
}
# Functions of vectors (time, width) and positions (time,).
VECTORS = {
    "rotate, interleaved": lambda x, p: rotary.rotate(x, turns(p)),
    "rotate, split-half": lambda x, p: rotary.rotate(x, turns(p), "split-half"),
    "rotate, in part": lambda x, p: rotary.rotate(x, turns(p)[..., :2], "split-half", 4),
    "attention": attend,
    "permutation": lambda x, p: x[..., rotary.permutation(WIDTH, "interleaved", "split-half")],
    "convert_rows": lambda x, p: rotary.convert_rows(x.T, 2, "interleaved", "split-half"),
}
SCHEMES = {
    "Scheme": lambda: doors.Scheme(),
    "Index": lambda: additive.Index(WIDTH),
    "Normalised": lambda: additive.Normalised(WIDTH),
    "Binary": lambda: additive.Binary(WIDTH),
    "Sinusoidal": lambda: additive.Sinusoidal(WIDTH),
    "Learned": lambda: additive.Learned(WIDTH, 32, torch.Generator().manual_seed(1)),
    "Rotary, interleaved": lambda: rotary.Rotary(4),
    "Rotary, split-half": lambda: rotary.Rotary(4, 500.0, "split-half", rotated=2),
    "RotaryValues": lambda: rotary.RotaryValues(4),
}
TOKENS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
each_code = pytest.mark.parametrize("code", CODES.values(), ids=CODES)
each_function = pytest.mark.parametrize("function", VECTORS.values(), ids=VECTORS)
# `rotate` goes one way for few numbers and another for many; both have to pass for the few of these tests.
each_way = pytest.mark.parametrize("small", [2**15, 0], ids=["few operations", "few passes"])
each_scheme = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def build(scheme, dtype=torch.float64):
    """A model that opens all doors, and its weights, which are those of every other such model."""
    generator = torch.Generator().manual_seed(2)
    model = doors.Decoder(10, WIDTH, 2, 1, scheme(), generator=generator)
    return model.to(dtype) if dtype else model


def whole(scheme):
    """An encoder and a decoder, to try the rest of the classes."""
    generator = torch.Generator().manual_seed(2)
    encoder = doors.Encoder(10, WIDTH, 2, 1, scheme(), generator=generator)
    decoder = doors.Decoder(10, WIDTH, 2, 1, scheme(), cross=True, generator=generator)
    return doors.Transformer(encoder, decoder).double()


def same(left, right, within=1e-12):
    assert left.dtype == right.dtype
    torch.testing.assert_close(left, right, atol=within, rtol=0)


def compiled(function, **options):
    """In one graph, through autograd, without code of its own."""
    torch.compiler.reset()
    return torch.compile(function, fullgraph=True, **{"backend": "aot_eager"} | options)


class Module(nn.Module):
    """What `torch.export` takes."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def exported(function, arguments, sizes):
    return torch.export.export(Module(function), arguments, dynamic_shapes=(sizes,)).module()


# compile and export


@each_code
def test_codes_compile_in_one_graph(code):
    same(compiled(code)(AT), code(AT))
    run = compiled(code, dynamic=True, backend="eager")
    for positions in AT, AT[:3]:
        same(run(positions), code(positions))


@each_function
def test_functions_compile_in_one_graph_with_their_gradients(function):
    ours, theirs = (normal(TIME, WIDTH).requires_grad_() for _ in range(2))
    got, want = compiled(function)(ours, AT), function(theirs, AT)
    same(got, want)
    got.pow(3).sum().backward()
    want.pow(3).sum().backward()
    same(ours.grad, theirs.grad)
    run = compiled(function, dynamic=True, backend="eager")
    for time in TIME, 3:
        x = normal(time, WIDTH, seed=3)
        same(run(x, AT[:time]), function(x, AT[:time]))


@each_scheme
def test_models_compile_in_one_graph_with_their_gradients(scheme):
    ours, theirs = build(scheme), build(scheme)
    got, want = compiled(ours)(TOKENS), theirs(TOKENS)
    same(got, want)
    got.pow(2).sum().backward()
    want.pow(2).sum().backward()
    for (name, weight), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert weight.grad is not None, name
        same(weight.grad, other.grad)
    run = compiled(ours, dynamic=True, backend="eager")
    for tokens in TOKENS, TOKENS[:, :3]:
        same(run(tokens), theirs(tokens))


@each_code
def test_codes_export_for_any_length(code):
    program = exported(code, (AT,), ({0: torch.export.Dim("time", min=2)},))
    for positions in AT, AT[:2]:
        same(program(positions), code(positions))


@each_function
def test_functions_export_for_any_length(function):
    time = torch.export.Dim("time", min=2)
    program = exported(function, (normal(TIME, WIDTH), AT), ({0: time}, {0: time}))
    x = normal(3, WIDTH, seed=3)
    same(program(x, AT[:3]), function(x, AT[:3]))


@each_scheme
def test_models_export_for_any_batch_and_length(scheme):
    model, sizes = build(scheme), {0: torch.export.Dim("batch"), 1: torch.export.Dim("time")}
    program = exported(model, (TOKENS,), (sizes,))
    for tokens in TOKENS[:, :3], TOKENS[:1]:
        same(program(tokens), model(tokens))


def test_an_encoder_and_a_decoder_compile_and_export():
    model = whole(SCHEMES["Rotary, interleaved"])
    same(compiled(model)(TOKENS, TOKENS[:, :3]), model(TOKENS, TOKENS[:, :3]))
    program = torch.export.export(model, (TOKENS, TOKENS[:, :3])).module()
    same(program(TOKENS, TOKENS[:, :3]), model(TOKENS, TOKENS[:, :3]))


def test_a_refusal_of_shape_or_dtype_stays_in_the_graph_and_leaves_nothing_in_it():
    operations = []

    def look(graph, inputs):
        operations.extend(str(node.target) for node in graph.graph.nodes if node.op != "placeholder")
        return graph.forward

    rope = rotary.Rotary(WIDTH)
    run = compiled(lambda x, p: rope.query_key(x, x, p, p)[0], backend=look)
    run(normal(1, 2, TIME, WIDTH), AT)
    assert operations
    assert not [name for name in operations if "assert" in name or name in ("item", "tolist")]
    with pytest.raises(Exception, match="q must be 8 wide"):
        run(normal(1, 2, TIME, 6), AT)


# Transforms


@each_code
def test_codes_under_vmap(code):
    positions = torch.stack([AT, AT.flip(0), AT // 2])
    want = torch.stack([code(row) for row in positions])
    same(vmap(code)(positions), want)
    same(vmap(vmap(code))(positions[None])[0], want)
    same(vmap(code, 1)(positions.T), want)


@each_way
@each_function
def test_functions_under_vmap_of_vectors_and_of_positions(function, small, monkeypatch):
    monkeypatch.setattr(rotary, "SMALL", small)
    x, positions = normal(3, TIME, WIDTH), torch.stack([AT, AT.flip(0), AT // 2])
    both = torch.stack([function(a, p) for a, p in zip(x, positions, strict=True)])
    same(vmap(function)(x, positions), both)
    same(vmap(function, (2, 1), 1)(x.movedim(0, 2), positions.T), both.movedim(0, 1))
    same(vmap(function, (0, None))(x, AT), torch.stack([function(a, AT) for a in x]))
    same(vmap(function, (None, 0))(x[0], positions), torch.stack([function(x[0], p) for p in positions]))
    table = vmap(vmap(function, (None, 0)), (0, None))(x, positions)
    same(table, torch.stack([torch.stack([function(a, p) for p in positions]) for a in x]))


@each_way
@each_function
def test_functions_under_every_derivative(function, small, monkeypatch):
    monkeypatch.setattr(rotary, "SMALL", small)
    x, tangent = normal(TIME, WIDTH), normal(TIME, WIDTH, seed=1)

    def loss(v):
        return function(v, AT).pow(3).sum()

    same(grad(loss)(x), torch.autograd.functional.jacobian(loss, x))
    rows = torch.autograd.functional.jacobian(lambda v: function(v, AT), x)
    same(jacrev(function)(x, AT), rows)
    same(jacfwd(function)(x, AT), rows)
    same(jvp(lambda v: function(v, AT), (x,), (tangent,))[1], (rows * tangent).sum((-1, -2)))
    same(hessian(loss)(x), torch.autograd.functional.hessian(loss, x))
    batch = normal(3, TIME, WIDTH, seed=2)
    same(vmap(grad(loss))(batch), torch.stack([grad(loss)(row) for row in batch]))


@each_scheme
def test_models_under_transforms(scheme):
    model = build(scheme)
    weights = {name: weight.detach() for name, weight in model.named_parameters()}

    def loss(weights, tokens):
        return functional_call(model, weights, (tokens[None],)).pow(2).sum()

    model(TOKENS[:1]).pow(2).sum().backward()
    want = {name: weight.grad for name, weight in model.named_parameters()}
    got = grad(loss)(weights, TOKENS[0])
    for name in weights:
        same(got[name], want[name])
    each = vmap(grad(loss), (None, 0))(weights, TOKENS)
    _, slope = jvp(lambda w: loss(w, TOKENS[0]), (weights,), (weights,))
    same(slope, sum((got[name] * weights[name]).sum() for name in weights), 1e-9)
    for name in weights:
        same(each[name][0], got[name])
    positions = torch.stack([AT % 5, AT.flip(0) % 5])
    rows = vmap(lambda t, p: model(t[None], p)[0])(TOKENS, positions)
    same(rows, model(TOKENS, positions))
    same(model(TOKENS[:1]), functional_call(model, weights, (TOKENS[:1],)))


@pytest.mark.parametrize("name", [name for name in CODES if name != "causal_mask"])
def test_codes_refuse_derivatives_in_one_sentence(name):
    for derivative in grad, jacrev, jacfwd, hessian:
        with pytest.raises(TypeError, match=r"^positions must be integers, got dtype torch.float32: pass"):
            derivative(lambda p: CODES[name](p).sum())(torch.tensor([1.0]))


@each_way
def test_turns_refuse_derivatives_in_one_sentence(small, monkeypatch):
    monkeypatch.setattr(rotary, "SMALL", small)
    x, ready, omega = normal(TIME, WIDTH), turns(AT), frequencies.geometric(WIDTH)
    with pytest.raises(ValueError, match=r"^turns must not require a gradient, got .*: pass turns.detach"):
        grad(lambda t: rotary.rotate(x, t).sum())(ready)
    with pytest.raises(ValueError, match=r"^frequencies must not require a gradient, got .*detach"):
        grad(lambda w: rotary.turns(AT, w).abs().sum())(omega)
    with pytest.raises(ValueError, match=r"^frequencies must not require a gradient, got .*detach"):
        rotary.Rotary(WIDTH, frequencies=omega.clone().requires_grad_())


@each_way
def test_tangents_flow_from_the_turns_too(small, monkeypatch):
    monkeypatch.setattr(rotary, "SMALL", small)
    x, ready = normal(TIME, WIDTH), turns(AT)
    tangents = normal(TIME, WIDTH, seed=1), turns(AT + 3)
    _, both = jvp(rotary.rotate, (x, ready), tangents)
    _, alone = jvp(lambda t: rotary.rotate(x, t), (ready,), tangents[1:])
    same(alone, rotary.rotate(x, tangents[1]))
    same(both, rotary.rotate(tangents[0], ready) + alone)


# Devices, dtypes, copies


class Reads(torch.utils._python_dispatch.TorchDispatchMode):
    """Notes what would make a host wait for a device."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, operation, types, inputs=(), options=None):
        name = operation.overloadpacket.__name__
        if name in {"_local_scalar_dense", "nonzero", "equal", "is_nonzero", "_to_copy", "masked_select"}:
            moved = name == "_to_copy" and not (options or {}).get("device")
            self.found += [] if moved else [name]
        return operation(*inputs, **(options or {}))


@each_scheme
def test_a_forward_pass_never_waits(scheme):
    model = build(scheme)
    mask = torch.ones(2, 1, 1, TIME, dtype=torch.bool)
    with Reads() as reads:
        model(TOKENS)
        model(TOKENS, torch.arange(TIME))
        model.blocks[0].attend(normal(2, TIME, WIDTH), q_positions=AT % 5, mask=mask)
    assert reads.found == []


@each_code
def test_codes_stay_on_the_device_of_the_positions(code):
    # The meta device has no values: whatever reads one fails.
    want, got = code(AT), code(AT.to("meta"))
    assert (got.device.type, got.dtype, got.shape) == ("meta", want.dtype, want.shape)


@each_way
@each_function
def test_functions_stay_on_the_device_of_the_vectors(function, small, monkeypatch):
    monkeypatch.setattr(rotary, "SMALL", small)
    x = normal(TIME, WIDTH)
    got = function(x.to("meta"), AT.to("meta"))
    assert (got.device.type, got.shape) == ("meta", function(x, AT).shape)


@each_scheme
def test_positions_and_masks_of_another_device_are_brought_to_that_of_the_vectors(scheme):
    with torch.device("meta"):
        model = build(scheme)
    places, mask = torch.arange(TIME), torch.ones(TIME, TIME, dtype=torch.bool)
    assert model(TOKENS.to("meta"), places).device.type == "meta"
    x = normal(2, TIME, WIDTH).to("meta")
    assert model.blocks[0].attend(x, q_positions=places, causal=True, mask=mask).device.type == "meta"
    out = model.blocks[0].attend(x, x[:, :3], places, places[:3], mask=mask[:, :3])
    assert out.device.type == "meta"
    assert model.scheme.input(x, places).device.type == "meta"


def test_every_door_gets_positions_on_the_device_of_the_vectors():
    seen = []

    class Look(doors.Scheme):
        def input(self, x, positions):
            seen.append(positions.device.type)
            return x

        def query_key(self, q, k, q_positions, k_positions):
            seen.extend(places.device.type for places in (q_positions, k_positions))
            return q, k

        def scores(self, scores, q_positions, k_positions):
            seen.extend(places.device.type for places in (q_positions, k_positions))
            return scores

    with torch.device("meta"):
        model = build(Look)
    for places in None, torch.arange(TIME):
        model(TOKENS.to("meta"), places)
    assert set(seen) == {"meta"}
    assert len(seen) == 10


@each_scheme
def test_models_are_built_on_meta_filled_later_and_run(scheme):
    model = build(scheme)
    with torch.device("meta"):
        empty = build(scheme)
    assert {weight.device.type for weight in empty.parameters()} == {"meta"}
    assert empty(TOKENS.to("meta")).device.type == "meta"
    filled = empty.to_empty(device="cpu")
    filled.load_state_dict(model.state_dict())
    same(filled(TOKENS), model(TOKENS))
    back = build(scheme).to("meta").to_empty(device="cpu")
    back.load_state_dict(model.state_dict())
    same(back(TOKENS), model(TOKENS))


@each_scheme
def test_models_run_on_fake_tensors(scheme):
    real = build(scheme)
    with FakeTensorMode() as mode:
        fake = build(scheme, None)  # torch itself cannot cast a module of fake tensors
        assert fake(mode.from_tensor(TOKENS)).shape == (2, TIME, 10)
    with FakeTensorMode(allow_non_fake_inputs=True):
        real(TOKENS)
    same(real(TOKENS), build(scheme)(TOKENS))


@each_way
@each_function
def test_functions_run_on_fake_tensors(function, small, monkeypatch):
    monkeypatch.setattr(rotary, "SMALL", small)
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        got = function(mode.from_tensor(normal(TIME, WIDTH)), mode.from_tensor(AT))
    assert got.shape == function(normal(TIME, WIDTH), AT).shape


@each_scheme
@pytest.mark.parametrize("low", [torch.bfloat16, torch.float16])
def test_models_under_autocast(scheme, low):
    model = build(scheme, torch.float32)
    with torch.autocast("cpu", low):
        got = model(TOKENS)
    same(got.double(), build(scheme)(TOKENS), 0.05)
    got.sum().backward()
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


def copies(model):
    yield copy.deepcopy(model)
    yield pickle.loads(pickle.dumps(model))
    saved = io.BytesIO()
    torch.save(model, saved)
    saved.seek(0)
    yield torch.load(saved, weights_only=False)


@each_scheme
def test_copies_are_alike_and_carry_no_table(scheme):
    model, fresh = build(scheme), build(scheme)
    want, size = model(TOKENS), len(pickle.dumps(fresh))
    far = torch.arange(TIME) + (0 if scheme in map(SCHEMES.get, ("Normalised", "Learned")) else 200)
    model(TOKENS, far)
    assert len(pickle.dumps(model)) == size
    for other in copies(model):
        same(other(TOKENS), want)
        same(other(TOKENS, far), model(TOKENS, far))


@each_scheme
def test_training_follows_inference(scheme):
    model = build(scheme)
    with torch.inference_mode():
        inferred = model(TOKENS)
    trained = model(TOKENS)
    same(trained, inferred)
    trained.sum().backward()
    with torch.inference_mode():
        same(model(TOKENS), inferred)


DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@each_scheme
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_models_keep_the_dtype_of_their_weights(scheme, dtype):
    model = build(scheme, dtype)
    got = model(TOKENS)
    assert got.dtype == dtype
    same(got.double(), build(scheme)(TOKENS), 60 * torch.finfo(dtype).eps)


def test_the_repr_says_everything():
    reprs = {
        "Rotary(width=8, base=500.0, layout='split-half', rotated=4)": rotary.Rotary(8, 500, "split-half", 4),
        "Rotary(width=4, frequencies=0.0025 … 0.25, layout='interleaved', rotated=4)": rotary.Rotary(
            4, frequencies=frequencies.geometric(4) / 4
        ),
        "Sinusoidal(width=4, base=50.0, layout='concatenated')": additive.Sinusoidal(4, 50, "concatenated"),
        "Learned(width=4, max_length=7)": additive.Learned(4, 7),
        "Index(width=4)": additive.Index(4),
    }
    assert {repr(scheme): scheme for scheme in reprs.values()} == reprs


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (torch.ones(2), "frequencies must be a float64 tensor, got dtype torch.float32: pass"),
        ([1.0], "frequencies must be a float64 tensor, got [1.0]: pass"),
        (torch.ones(2, 2).double(), "frequencies must have shape (pairs,), got (2, 2): pass one"),
        (torch.ones(2).double().requires_grad_(), "they are not trained here, pass frequencies.detach()"),
    ],
)
def test_frequencies_that_are_refused_are_named(given, words):
    with pytest.raises((TypeError, ValueError)) as problem:
        frequencies.check(given)
    assert words in str(problem.value)

"""Every public function and scheme inside PyTorch's tools: compilers, transforms, devices, copies.

One table: a subject is a function or a module with its arguments, a feature is a way to run it. What a
feature cannot do with a subject is refused in one sentence, and that is tested too. The page of the package
prints the table, and names the subjects of each kind; a test of it insists that none is missing here.

Compiled code is one graph for any size, and runs as it is: what other backends add is torch's, and tried once with
"aot_eager" here, with inductor in test_rotary.py.
"""

import copy
import functools
import inspect
import io
import pickle

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vmap

from posenc import additive, axial, bias, doors, frequencies, layouts, models, rotary, rotary_fast, scaling, schemes

pytestmark = [
    pytest.mark.slow,  # torch's tools take their time
    # What torch says to itself when it first differentiates forward.
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning"),
]

TIME, WIDTH = 5, 8
AT = torch.tensor([7, 0, 31, 2, 2])


def normal(*shape, seed=0, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def turns(positions):
    return rotary.turns(positions, frequencies.geometric(WIDTH), torch.complex128)


def split_half(x, turns):
    return rotary.rotate(x, turns, "split-half")


def in_tiles(function):
    """The function, when `rotate` goes the way of large tensors in it."""

    def run(*arguments):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rotary_fast, "LARGE", 0)
            return function(*arguments)

    return run


def attend(x, positions):
    q = x.unflatten(-1, (2, 4)).transpose(-2, -3)[None]
    out, _ = doors.attention(q, q, q, positions, positions, rotary.Rotary(4), causal=True)
    return out


def pairwise(x):
    """A number in [0, 1] for each query and key, (1, 1, time, time)."""
    return (x @ x.mT).sigmoid()[None, None]


def xl_terms(x, p):
    q = x.unflatten(-1, (2, 4)).transpose(-2, -3)[None]
    relative = additive.sinusoidal(bias.steps_back(p, p), 4, dtype=torch.float64)
    u, v = x.mean(0).unflatten(-1, (2, 4)), x.sum(0).unflatten(-1, (2, 4))
    return sum(bias.xl_terms(q, q, relative, u, v))


# Functions of positions, or of offsets.
CODES = {
    "frequencies.angles": lambda p: frequencies.angles(p, frequencies.geometric(WIDTH)),
    "additive.angles": lambda p: additive.angles(p, WIDTH),
    "additive.sinusoidal": lambda p: additive.sinusoidal(p, WIDTH, dtype=torch.float64),
    "additive.sinusoidal, concatenated": lambda p: additive.sinusoidal(p, WIDTH, layout="concatenated"),
    "additive.index": lambda p: additive.index(p, WIDTH),
    "additive.normalised": lambda p: additive.normalised(p, 32, WIDTH),
    "additive.binary": lambda p: additive.binary(p, WIDTH),
    "rotary.turns": turns,
    "axial.turns": lambda p: axial.turns(torch.stack([p, p + 3], dim=-1), axial.blocks(WIDTH), torch.complex128),
    "doors.causal_mask": lambda p: doors.causal_mask(p, p + 1),
    "bias.steps_back": lambda p: bias.steps_back(p, p + 1),
    "bias.clipped": lambda p: bias.clipped(p, 3),
    "bias.t5_buckets": lambda p: bias.t5_buckets(p - 9),
    "bias.t5_buckets, in both directions": lambda p: bias.t5_buckets(p - 9, bidirectional=True),
}
# Functions of vectors (time, width) and positions (time,).
VECTORS = {
    "rotary.rotate, interleaved": lambda x, p: rotary.rotate(x, turns(p)),
    "rotary.rotate, split-half": lambda x, p: split_half(x, turns(p)),
    "rotary.rotate, in part": lambda x, p: rotary.rotate(x, turns(p)[..., :2], "split-half", 4),
    "layouts.convert_rows": lambda x, p: layouts.convert_rows(x.T, 2, "interleaved", "split-half"),
    "doors.attention": attend,
    "bias.pick": lambda x, p: bias.pick(x, (p % WIDTH)[:, None].expand(-1, 3)),
    "bias.skew": lambda x, p: bias.skew(x @ x.mT),
    "bias.xl_terms": xl_terms,
    "bias.alibi": lambda x, p: bias.alibi(x.mean(0) / 32, p, p + 1),
    "bias.alibi_by_key": lambda x, p: bias.alibi_by_key(x.mean(0), p),
    "bias.kerple_power": lambda x, p: bias.kerple_power(
        bias.steps_back(p, p), (x.mean(0) - 7).exp(), 2 * x.sum(0).sigmoid()
    ),
    "bias.kerple_log": lambda x, p: bias.kerple_log(bias.steps_back(p, p), x.mean(0).exp(), x.sum(0).exp()),
    "bias.fire_share": lambda x, p: bias.fire_share(p, p, x.mean().exp(), x.std().exp()),
    "bias.forgetting": lambda x, p: bias.forgetting(x.mT.sigmoid().log()[None], p, p),
    "bias.contextual_positions": lambda x, p: bias.contextual_positions(pairwise(x), p),
    "bias.interpolated": lambda x, p: bias.interpolated(x, 3 * pairwise(x)[0, 0]),
    "bias.profile_bias": lambda x, p: bias.profile_bias(x[None, None], x.mT, p, p),
}
# Functions of frequencies, which are not trained.
RULES = {
    "frequencies.check": frequencies.check,
    "scaling.turns_in": lambda w: scaling.turns_in(w, 4096),
    "scaling.linear": lambda w: scaling.linear(w, 4),
    "scaling.ramp": lambda w: scaling.ramp(scaling.turns_in(w, 4096), 1, 32),
    "scaling.ramp, a step": lambda w: scaling.ramp(scaling.turns_in(w, 4096), 8, 8),
    "scaling.blend": lambda w: scaling.blend(w, 4, w / 2),
    "scaling.by_parts": lambda w: scaling.by_parts(w, 4, 4096),
    "scaling.llama3": lambda w: scaling.llama3(w, 4, 4096),
    "scaling.longrope": lambda w: scaling.longrope(w, 4096, 9000, [1.0] * 4, [2.0, 3.0, 4.0, 5.0]),
}
# Functions of Python's numbers: a compiler and an exported program keep what they give.
NUMBERS = {
    "frequencies.geometric": lambda: frequencies.geometric(WIDTH),
    "scaling.ntk_base": lambda: scaling.ntk_base(WIDTH, 500.0, 4),
    "scaling.ntk": lambda: scaling.ntk(WIDTH, 500.0, 4),
    "scaling.dynamic": lambda: scaling.dynamic(WIDTH, 500.0, 4096, 9000, 4),
    "scaling.yarn_code": lambda: scaling.yarn_code(WIDTH, 500.0, 4, 4096),
    "scaling.yarn_attention": lambda: scaling.yarn_attention(4),
    "scaling.longrope_attention": lambda: scaling.longrope_attention(4, 4096),
    "scaling.partial": lambda: scaling.partial(4),
    "scaling.proportional": lambda: scaling.proportional(WIDTH, 4),
    "axial.blocks": lambda: axial.blocks(WIDTH),
    "axial.mrope_axes": lambda: axial.mrope_axes([2, 1, 1]),
    "axial.mrope": lambda: axial.mrope(WIDTH, [2, 1, 1]),
    "axial.grid": lambda: axial.grid(2, 3),
    "bias.alibi_slopes": lambda: bias.alibi_slopes(6),
    "layouts.permutation": lambda: layouts.permutation(WIDTH, "interleaved", "split-half"),
}
# Functions that read values on the host, and give a number of Python's: they are for before a model runs.
READERS = {
    "scaling.kept_to": lambda w: scaling.kept_to(w, 5),
    "scaling.least_base": lambda w: scaling.least_base(WIDTH, 5),
}
# What a scheme of the registry is built with besides.
OPTIONS = {"rope-stretched": lambda: {"frequencies": frequencies.geometric(4) / 2, "attention": 1.25}}


def built(name, **options):
    """The scheme of that name for the models of this file, and the same numbers each time."""
    if "generator" in inspect.signature(schemes.SCHEMES[name]).parameters:
        options["generator"] = torch.Generator().manual_seed(1)
    return schemes.build(name, WIDTH, 2, 32, **OPTIONS.get(name, dict)(), **options)


SCHEMES = {name: functools.partial(built, name) for name in schemes.SCHEMES} | {
    "Scheme": doors.Scheme,
    "rope, split-half in part": lambda: rotary.Rotary(4, 500.0, "split-half", rotated=2),
    "shaw, keys alone": lambda: built("shaw", to_values=False),
    "t5, in both directions": lambda: built("t5", bidirectional=True, scaled=False),
    "kerple, power": lambda: built("kerple", kind="power"),
    "Graded": lambda: models.Graded(rotary.Rotary(4), 1.5, slope=0.1, every=2),
}
# Those for which positions end.
ENDING = {"normalised", "learned"}
# What runs before a model does: none of it is for the inside of one.
BEFORE = {"models.read", "models.scheme", "models.Layer", "models.NotReady", "schemes.build"}
# What is tried as part of every model here.
PARTS = {f"doors.{name}" for name in ("MultiHeadAttention", "Block", "Encoder", "Decoder", "Transformer")}
PARTS.add("additive.Additive")
TOKENS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
each_code = pytest.mark.parametrize("code", CODES.values(), ids=CODES)
EAGER = VECTORS | {
    f"{name}, in tiles": in_tiles(VECTORS[name]) for name in ("rotary.rotate, split-half", "rotary.rotate, in part")
}
each_way = pytest.mark.parametrize("function", EAGER.values(), ids=EAGER)
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
each_reader = pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
each_scheme = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def build(scheme, dtype=torch.float64):
    """A model that opens all doors, and its weights, which are those of every other such model."""
    generator = torch.Generator().manual_seed(2)
    model = doors.Decoder(10, WIDTH, 2, 1, scheme(), generator=generator)
    return model.to(dtype) if dtype else model


def same(left, right, within=1e-12):
    assert left.dtype == right.dtype
    torch.testing.assert_close(left, right, atol=within, rtol=0)


def together(functions):
    """One function that runs them all: a compiler takes its time for each graph, hardly for its length."""
    return lambda *arguments: {name: function(*arguments) for name, function in functions.items()}


def each_same(left, right):
    assert left.keys() == right.keys()
    for name, want in right.items():
        said = functools.partial("{}: {}".format, name)
        torch.testing.assert_close(left[name], want, atol=1e-12, rtol=0, msg=said)


def compiled(function, **options):
    """In one graph for any size, without code of its own."""
    torch.compiler.reset()
    return torch.compile(function, fullgraph=True, **{"dynamic": True, "backend": "eager"} | options)


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


def test_codes_compile_in_one_graph_and_export_for_any_length():
    codes = together(CODES)
    run, program = compiled(codes), exported(codes, (AT,), ({0: torch.export.Dim("time", min=2)},))
    for positions in AT, AT[:3], AT[:2]:
        each_same(run(positions), codes(positions))
        each_same(program(positions), codes(positions))


def test_functions_compile_in_one_graph_with_their_gradients_and_export_for_any_length():
    functions = together(VECTORS)
    time = torch.export.Dim("time", min=2)
    run, program = compiled(functions), exported(functions, (normal(TIME, WIDTH), AT), ({0: time}, {0: time}))
    for count in TIME, 3:
        ours, theirs = (normal(count, WIDTH).requires_grad_() for _ in range(2))
        got, want = run(ours, AT[:count]), functions(theirs, AT[:count])
        each_same(got, want)
        each_same(program(ours, AT[:count]), want)
    for name in VECTORS:
        same(*(torch.autograd.grad(out[name].pow(3).sum(), x, retain_graph=True)[0]
               for out, x in ((got, ours), (want, theirs))))  # fmt: skip


OMEGA = frequencies.geometric(WIDTH)
OTHER = frequencies.geometric(WIDTH, 77.0)


def test_rules_compile_and_export_and_what_numbers_give_is_a_constant_there():
    uses = {name: lambda w, number=number: w[0] * number() for name, number in NUMBERS.items()}
    both = together(RULES | uses)
    for run in compiled(both), exported(both, (OMEGA,), ({},)):
        each_same(run(OTHER), both(OTHER))


NO_VALUES = r"frequencies must have values to read, got \(\w+,\) on .*: call this outside of torch.compile"


@each_reader
def test_what_reads_values_is_refused_in_one_sentence_where_there_are_none(reader):
    assert reader(OMEGA) == reader(OMEGA.clone())
    for run in (
        lambda: compiled(reader)(OMEGA),
        lambda: exported(reader, (OMEGA,), ({},)),
        lambda: READERS["scaling.kept_to"](OMEGA.to("meta")),
        lambda: vmap(READERS["scaling.kept_to"])(OMEGA[None]),
        lambda: jvp(READERS["scaling.kept_to"], (OMEGA,), (OTHER,)),
    ):
        with pytest.raises(Exception, match=NO_VALUES):
            run()
    with pytest.raises(ValueError, match=r"^frequencies must not require a gradient"):
        grad(READERS["scaling.kept_to"])(OMEGA)
    with FakeTensorMode(), pytest.raises(ValueError, match=NO_VALUES):
        reader(torch.ones(4, dtype=torch.float64))
    with torch.device("meta"):
        assert reader(OMEGA) == reader(OMEGA)


class Layers(nn.Module):
    """All schemes in all doors, and little else: compiling takes its time."""

    def __init__(self):
        super().__init__()
        self.schemes = nn.ModuleDict({name: scheme() for name, scheme in SCHEMES.items()})
        self.attend = nn.ModuleDict({
            name: doors.MultiHeadAttention(WIDTH, 2, scheme, generator=torch.Generator().manual_seed(2))
            for name, scheme in self.schemes.items()
        })  # fmt: skip

    def forward(self, x, positions):
        return {name: attend(self.schemes[name].input(x, positions), None, positions, causal=True)
                for name, attend in self.attend.items()}  # fmt: skip


def test_schemes_compile_in_one_graph_with_their_gradients():
    ours, theirs = Layers().double(), Layers().double()
    x, line = normal(2, TIME, WIDTH), torch.arange(TIME)
    got, want = compiled(ours, dynamic=False)(x, line), theirs(x, line)  # what is exported below has any size
    each_same(got, want)
    sum(out.pow(2).sum() for out in got.values()).backward()
    sum(out.pow(2).sum() for out in want.values()).backward()
    for (name, weight), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert weight.grad is not None, name
        same(weight.grad, other.grad)


def test_schemes_export_for_any_batch_and_length():
    layers, batch, time = Layers().double(), torch.export.Dim("batch"), torch.export.Dim("time")
    given = normal(2, TIME, WIDTH), torch.arange(TIME)
    program = torch.export.export(layers, given, dynamic_shapes=({0: batch, 1: time}, {0: time})).module()
    for size in (2, 3), (1, TIME):
        x, line = normal(*size, WIDTH), torch.arange(size[1])
        each_same(program(x, line), layers(x, line))


def test_an_encoder_and_a_decoder_compile_and_export():
    generator = torch.Generator().manual_seed(2)
    parts = (kind(10, WIDTH, 2, 1, rotary.Rotary(4), cross=kind is doors.Decoder, generator=generator)
             for kind in (doors.Encoder, doors.Decoder))  # fmt: skip
    model = doors.Transformer(*parts).double()
    given = TOKENS, TOKENS[:, :3]
    for run in compiled(model, dynamic=False, backend="aot_eager"), torch.export.export(model, given).module():
        same(run(*given), model(*given))


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


@each_way
def test_functions_under_vmap_of_vectors_and_of_positions(function):
    x, positions = normal(3, TIME, WIDTH), torch.stack([AT, AT.flip(0), AT // 2])
    both = torch.stack([function(a, p) for a, p in zip(x, positions, strict=True)])
    same(vmap(function)(x, positions), both)
    same(vmap(function, (0, None))(x, AT), torch.stack([function(a, AT) for a in x]))
    same(vmap(function, (None, 0))(x[0], positions), torch.stack([function(x[0], p) for p in positions]))
    table = vmap(vmap(function, (None, 0)), (0, None))(x, positions)
    same(table, torch.stack([torch.stack([function(a, p) for p in positions]) for a in x]))


@each_way
def test_functions_under_every_derivative(function):
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


@each_code
def test_codes_refuse_derivatives_in_one_sentence(code):
    for derivative in grad, jacrev, jacfwd, hessian:
        with pytest.raises(TypeError, match=r"^\w+ must be integers, got dtype torch.float32: pass"):
            derivative(lambda p: code(p).sum())(torch.tensor([1.0]))


@each_rule
def test_rules_under_vmap_and_tangents_and_refuse_gradients(rule):
    table, tangent, step = torch.stack([OMEGA, OTHER]), normal(WIDTH // 2), 1e-6
    same(vmap(rule)(table), torch.stack([rule(row) for row in table]))
    slope = (rule(OMEGA + step * tangent) - rule(OMEGA - step * tangent)) / (2 * step)
    torch.testing.assert_close(jvp(rule, (OMEGA,), (tangent,))[1], slope, atol=1e-6, rtol=1e-6)
    for derivative in grad, jacrev, hessian:
        with pytest.raises(ValueError, match=r"^frequencies must not require a gradient, got .*detach"):
            derivative(lambda w: rule(w).sum())(OMEGA)


@pytest.mark.parametrize("rotate", [split_half, in_tiles(split_half)])
def test_tangents_flow_from_the_turns_too(rotate):
    x, ready = normal(TIME, WIDTH), turns(AT)
    tangents = normal(TIME, WIDTH, seed=1), turns(AT + 3)
    _, both = jvp(rotate, (x, ready), tangents)
    _, alone = jvp(lambda t: rotate(x, t), (ready,), tangents[1:])
    same(alone, rotate(x, tangents[1]))
    same(both, rotate(tangents[0], ready) + alone)


# Devices, dtypes, copies


SINGLE = {name: (code, AT) for name, code in CODES.items()} | {name: (rule, OMEGA) for name, rule in RULES.items()}
SINGLE |= {name: (function, normal(TIME, WIDTH), AT) for name, function in EAGER.items()}


@pytest.mark.parametrize(("function", "given"), [(first, rest) for first, *rest in SINGLE.values()], ids=SINGLE)
def test_functions_stay_on_the_device_of_what_they_are_given(function, given):
    want, got = function(*given), function(*(one.to("meta") for one in given))
    assert (got.device.type, got.dtype, got.shape) == ("meta", want.dtype, want.shape)
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        assert function(*map(mode.from_tensor, given)).shape == want.shape


# These are made where torch makes tensors by default, for a model to use there; the others keep their values.
ON_DEFAULT = {"axial.grid", "bias.alibi_slopes", "layouts.permutation"}


@pytest.mark.parametrize("name", NUMBERS)
def test_what_numbers_give_outlives_the_meta_device(name):
    with torch.device("meta"):
        got = NUMBERS[name]()
    if name in ON_DEFAULT:
        assert got.device.type == "meta"
    else:
        same(torch.as_tensor(got), torch.as_tensor(NUMBERS[name]()))


def test_the_first_door_gets_positions_on_the_device_of_the_vectors():
    class Look(doors.Scheme):
        def input(self, x, positions):
            assert positions.device == x.device
            return x

    with torch.device("meta"):
        build(Look)(TOKENS.to("meta"), torch.arange(TIME, device="cpu"))


@each_scheme
def test_models_are_built_on_meta_filled_later_and_run(scheme):
    # The meta device has no values: whatever reads one, for which another device would have to wait, fails.
    model = build(scheme)
    with torch.device("meta"):
        empty = build(scheme)
    assert {weight.device.type for weight in empty.parameters()} == {"meta"}
    places, mask = torch.arange(TIME), torch.ones(TIME, TIME, dtype=torch.bool)  # brought to the other device
    assert empty(TOKENS.to("meta"), places).device.type == "meta"
    x = normal(2, TIME, WIDTH).to("meta")
    assert empty.blocks[0].attend(x, x[:, :3], places, places[:3], mask=mask[:, :3]).device.type == "meta"
    filled = empty.to_empty(device="cpu")
    filled.load_state_dict(model.state_dict())
    same(filled(TOKENS), model(TOKENS))


@each_scheme
def test_models_under_autocast(scheme):
    model = build(scheme, torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        got = model(TOKENS)
    same(got.double(), build(scheme)(TOKENS), 0.05)
    got.sum().backward()
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


def test_functions_are_the_same_under_autocast():
    def given():
        exact = [code(AT) for code in CODES.values()] + [rule(OMEGA) for rule in (RULES | READERS).values()]
        exact += [number() for number in NUMBERS.values()]
        return exact, [function(x, AT).double() for function in EAGER.values()]

    x = normal(TIME, WIDTH, dtype=torch.float32)
    want = given()
    with torch.autocast("cpu", torch.bfloat16):
        got = given()
    for ours, theirs, within in zip(got, want, (0, 0.05), strict=True):
        torch.testing.assert_close(ours, theirs, atol=within, rtol=within)


def test_sums_of_many_terms_keep_their_precision_in_half_precision():
    times = torch.arange(3000)
    gates = torch.full((1, 1, 3000), -0.25)
    far = bias.forgetting(gates.bfloat16(), times, times)[..., -4:, -4:]
    same(far.float(), bias.forgetting(gates[..., -4:], times[-4:], times[-4:]), 0)
    counted = bias.contextual_positions(torch.ones(1, 1, 1, 3000).bfloat16(), times)
    same(counted[0, 0, 0], times.flip(0) + 1.0, 0)


def test_what_a_config_gives_is_built_on_meta_and_copied():
    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 500000.0}
    with torch.device("meta"):
        (layer,) = models.read(config).values()
        rope = models.scheme(config)
    q, plain = normal(1, 4, TIME, 16), rotary.Rotary(16, 500000.0, "split-half")
    want = plain.query_key(q, q, AT, AT)[0]
    for other in rope, layer.ready(), copy.deepcopy(rope), pickle.loads(pickle.dumps(layer)).ready():
        same(other.query_key(q, q, AT, AT)[0], want)
    why = models.NotReady("no")
    assert pickle.loads(pickle.dumps(why)).args == why.args


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
    far = torch.arange(TIME) + (0 if scheme in map(SCHEMES.get, ENDING) else 200)
    model(TOKENS, far)
    assert len(pickle.dumps(model)) == size
    for other in copies(model):
        same(other(TOKENS), want)
        same(other(TOKENS, far), model(TOKENS, far))


def test_the_repr_says_everything():
    slow = rotary.Rotary(4, frequencies=frequencies.geometric(4) / 4)
    reprs = {
        "Rotary(width=8, base=500.0, layout='split-half', rotated=4)": rotary.Rotary(8, 500, "split-half", 4),
        "Rotary(width=4, frequencies=0.0025 … 0.25, layout='interleaved', rotated=4)": slow,
        "Sinusoidal(width=4, base=50.0, layout='concatenated')": additive.Sinusoidal(4, 50, "concatenated"),
        "Learned(width=4, max_length=7)": additive.Learned(4, 7),
        "Index(width=4)": additive.Index(4),
    }
    assert {repr(scheme): scheme for scheme in reprs.values()} == reprs

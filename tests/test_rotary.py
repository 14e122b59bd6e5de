"""RoPE against the reference of ONNX: any shape, dtype, strides and positions; what is refused."""

import copy
import math
import shutil

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx.reference.ops.op_rotary_embedding import rotary_embedding as onnx_rotary
from test_guard import refuses

from posenc import frequencies as omega
from posenc.frequencies import geometric
from posenc.rotary import LAYOUTS, Rotary, RotaryValues, convert_rows, permutation, rotate, turns

each_layout = pytest.mark.parametrize("layout", LAYOUTS)
thorough = settings(max_examples=40, deadline=None, derandomize=True)
FAR = 2**20


def uniform(*shape, seed=0, dtype=torch.float32):
    """In [-1, 1), so that 1e-6 means the same for every case."""
    return (torch.rand(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 2 - 1).to(dtype)


def by_onnx(x, positions, layout, base=10000.0, rotated=None):
    """ONNX's reference, in float64. x: (batch, heads, time, width); positions: (batch, time)."""
    rotated = rotated or x.shape[-1]
    angles = np.asarray(positions, dtype=np.float64)[..., None] * base ** (-np.arange(0, rotated, 2) / rotated)
    tables, interleaved = (np.cos(angles), np.sin(angles), None), layout == "interleaved"
    return torch.from_numpy(onnx_rotary(x.detach().double().numpy(), *tables, interleaved, rotated))


def largest(left, right):
    assert left.shape == right.shape
    return (left.double() - right.double()).abs().max().item()


@st.composite
def cases(draw):
    """x of random shape, and positions of each sequence that are neither sorted nor contiguous."""
    batch, heads, time = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(3, 6))
    scattered = st.lists(st.integers(0, FAR), min_size=time, max_size=time).filter(
        lambda row: row != sorted(row) and max(row) - min(row) >= time
    )
    positions = torch.tensor([draw(scattered) for _ in range(batch)])
    width = 2 * draw(st.integers(1, 40))
    return uniform(batch, heads, time, width, seed=draw(st.integers(0, 2**31))), positions


def ours(x, positions, layout, dtype=torch.complex64):
    return rotate(x, turns(positions, geometric(x.shape[-1]), dtype), layout)


@each_layout
@thorough
@given(case=cases(), data=st.data())
def test_is_the_reference_of_onnx(layout, case, data):
    x, positions = case
    assert largest(ours(x, positions, layout), by_onnx(x, positions, layout)) < 1e-6
    double = ours(x.double(), positions, layout, torch.complex128)
    assert largest(double, by_onnx(x, positions, layout)) < 1e-9  # of angles up to 2^20, eps · 2^20 is left
    rotated = 2 * data.draw(st.integers(1, x.shape[-1] // 2))
    partial = rotate(x, turns(positions, geometric(rotated)), layout, rotated=rotated)
    assert largest(partial, by_onnx(x, positions, layout, rotated=rotated)) < 1e-6


@pytest.mark.parametrize("shape", [(5, 8), (2, 5, 8), (2, 3, 5, 8), (2, 3, 4, 5, 8)])
def test_positions_lead_and_end_the_dimensions_of_x(shape):
    x = uniform(*shape)
    for leading in range(len(shape) - 1):
        positions = torch.arange(math.prod(shape[:leading]) * 5).reshape(*shape[:leading], 5) * 3
        full = positions.reshape(*shape[:leading], *[1] * (len(shape) - 2 - leading), 5).expand(shape[:-1])
        expected = by_onnx(x.reshape(-1, 1, 5, 8), full.reshape(-1, 5), "interleaved").reshape(shape)
        assert largest(ours(x, positions, "interleaved"), expected) < 1e-6


@each_layout
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("shape", [(1, 3, 700, 32), (2, 18, 500, 64)])  # the second is turned a few heads at a time
def test_half_precision_is_float32_rounded_once(layout, dtype, shape):
    x, positions = uniform(*shape).to(dtype), torch.arange(shape[0] * shape[2]).flip(0).view(shape[0], -1) * 90
    result = ours(x, positions, layout)
    assert (result.dtype, result.shape) == (dtype, x.shape)
    truth = by_onnx(x, positions, layout)
    once = torch.finfo(dtype).eps / 2 * truth.abs() + 1e-6
    assert ((result.double() - truth).abs() <= once).all()


@pytest.mark.parametrize("cast", [torch.nn.Module.half, torch.nn.Module.bfloat16, torch.nn.Module.double])
def test_casting_a_module_rounds_no_turn(cast):
    fresh, used = Rotary(16), Rotary(16)
    x, positions = uniform(1, 1, 5, 16), torch.tensor([999, 4000, 3, 65_000, 257])
    before, _ = used.query_key(x, x, positions, positions)
    model = cast(torch.nn.Sequential(used, fresh, torch.nn.Linear(2, 2)))
    assert model[2].weight.dtype != torch.float32
    for scheme in used, fresh, copy.deepcopy(used):
        after, _ = scheme.query_key(x, x, positions, positions)
        assert torch.equal(before, after)
    assert not used.state_dict()
    assert not list(used.parameters())


def test_positions_end_where_float64_rounds_them():
    x, scheme = uniform(1, 1, 1, 8), Rotary(8)
    for last in 2**53, -(2**53):
        turned, _ = scheme.query_key(x, x, [last], [0])
        assert torch.equal(turned, rotate(x, turns([last], geometric(8))))
        assert turned.isfinite().all()
    for beyond in 2**53 + 1, -(2**53) - 1, -(2**63):
        with pytest.raises(ValueError, match=rf"^positions must lie within ±2\^53, got {beyond}: .*subtract"):
            scheme.query_key(x, x, [beyond], [0])


def test_turns_are_computed_once_for_the_layers_of_a_step(monkeypatch):
    counted, computed = [], omega.angles

    def count(positions, frequencies):
        counted.append(positions.tolist())
        return computed(positions, frequencies)

    monkeypatch.setattr("posenc.rotary.omega.angles", count)
    scheme, x, many = Rotary(8), uniform(1, 1, 1, 8), uniform(1, 1, 3, 8)
    for step in 4000, 4001:
        for _ in range(3):  # layers; with a cache of turned keys, then without
            scheme.query_key(x, x, torch.tensor([step]), torch.tensor([step]))
        for _ in range(3):
            scheme.query_key(x, many, torch.tensor([step]), torch.tensor([0, 1, step]))
    assert counted == [[4000], [0, 1, 4000], [4001], [0, 1, 4001]]


def test_positions_that_change_in_place_are_followed():
    scheme, x, positions = Rotary(8), uniform(1, 1, 2, 8), torch.tensor([3, 5])
    scheme.query_key(x, x, positions, positions)
    positions.numpy()[0] = 9  # unseen by the version counter of the tensor
    turned, _ = scheme.query_key(x, x, positions, positions)
    assert torch.equal(turned, rotate(x, turns([9, 5], geometric(8))))


def test_q_and_k_may_differ_in_dtype_and_must_not_in_length_for_shared_positions():
    scheme, x, positions = Rotary(8), uniform(1, 1, 3, 8), torch.tensor([[1, 70_000, 3]])
    q, k = scheme.query_key(x, x.double(), positions, positions)
    assert (q.dtype, k.dtype) == (torch.float32, torch.float64)
    assert largest(k, by_onnx(x.double(), positions, "interleaved")) < 1e-10
    with pytest.raises(ValueError, match=r"^k_positions must fit x of shape \(1, 1, 2, 8\), got \(1, 3\)"):
        scheme.query_key(x, x[:, :, :2], positions, positions)


@each_layout
def test_a_value_arrives_turned_by_its_offset(layout):
    scheme, v, weights = RotaryValues(8, layout=layout), uniform(1, 2, 5, 8), uniform(1, 2, 3, 5, seed=1)
    q_positions, k_positions = torch.tensor([7, 2, 900]), torch.tensor([0, 3, 1, 40, 7])
    out = scheme.values(weights @ v, weights, v, q_positions, k_positions)
    for row, place in enumerate(q_positions):
        offset = by_onnx(v, (k_positions - place)[None], layout)
        assert largest(out[:, :, row], (weights[:, :, row, :, None] * offset).sum(-2)) < 1e-5


def test_positions_are_brought_to_the_device_of_the_vectors():
    scheme, x = Rotary(8).to("meta"), uniform(1, 2, 5, 8).to("meta")
    assert [turned.device.type for turned in scheme.query_key(x, x, range(5), range(5))] == ["meta"] * 2


def test_frequencies_follow_the_device_and_nothing_else():
    scheme = Rotary(8).half().to("meta")
    assert (scheme.frequencies.device.type, scheme.frequencies.dtype) == ("meta", torch.float64)
    assert torch.equal(scheme.to_empty(device="cpu").frequencies, geometric(8))


def test_what_a_rotary_was_built_with_is_fixed():
    scheme, x = Rotary(8), uniform(1, 1, 2, 8)
    before, _ = scheme.query_key(x, x, [1, 2], [1, 2])
    for name, value in {
        "width": 4,
        "base": 500.0,
        "layout": "split-half",
        "rotated": 4,
        "frequencies": geometric(8, 9.0),
    }.items():
        with pytest.raises(AttributeError, match=rf"^{name} of a Rotary is fixed, .*build a new .*{name}="):
            setattr(scheme, name, value)
    scheme.frequencies.mul_(2)
    given = geometric(8)
    other = Rotary(8, frequencies=given)
    given.mul_(2)
    for unchanged in scheme, other:
        assert torch.equal(unchanged.frequencies, geometric(8))
        assert torch.equal(unchanged.query_key(x, x, [1, 2], [1, 2])[0], before)


def test_the_repr_says_everything():
    text = "Rotary(width=8, base=500.0, layout='split-half', rotated=4)"
    assert repr(eval(text)) == text
    slow = Rotary(4, frequencies=geometric(4) / 4)
    assert repr(slow) == "Rotary(width=4, frequencies=0.0025 … 0.25, layout='interleaved', rotated=4)"


@each_layout
def test_gradients_are_exact(layout):
    scheme, positions = Rotary(6, layout=layout, rotated=4), torch.tensor([[7, 0, 31], [2, 900, 5]])
    vectors = [uniform(2, heads, 3, 6, seed=heads).double().requires_grad_() for heads in (2, 1)]

    def function(q, k):
        return scheme.query_key(q, k, positions, positions)

    assert torch.autograd.gradcheck(function, vectors)
    assert torch.autograd.gradgradcheck(function, vectors, fast_mode=True)


@each_layout
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_a_rotary_turns_q_and_k_of_other_numbers_of_heads(layout, dtype):
    scheme = Rotary(8, layout=layout, rotated=6)
    q, k = (uniform(2, heads, 3, 8, seed=heads, dtype=dtype) for heads in (4, 2))
    for positions in torch.tensor([7, 0, 31]), torch.tensor([[7, 0, 31]]), torch.tensor([[7, 0, 31], [2, 900, 5]]):
        for turned, x in zip(scheme.query_key(q, k, positions, positions), (q, k), strict=True):
            assert turned.dtype == dtype
            expected = by_onnx(x, positions.expand(2, 3), layout, rotated=6)
            assert largest(turned, expected) < 2 * torch.finfo(dtype).eps
    with pytest.raises(ValueError, match=r"^k_positions must fit x of shape \(1, 2, 3, 8\), got \(2, 3\)"):
        scheme.query_key(q, k[:1], positions, positions)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:Torchinductor does not support code generation for complex")
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_compiled_code_agrees_with_the_reference_and_so_do_its_gradients():
    positions = torch.tensor([[5, 0, 900, 2, 2, 41, 7], [FAR, 1, 2, 3, 4, 5, 6]])
    schemes = {layout: Rotary(64, layout=layout, rotated=40) for layout in LAYOUTS}
    q, k = (uniform(2, 3, 7, 64, dtype=dtype).requires_grad_() for dtype in (torch.float32, torch.bfloat16))
    torch.compiler.reset()
    run = torch.compile(
        lambda q, k: {name: scheme.query_key(q, k, positions, positions) for name, scheme in schemes.items()},
        fullgraph=True,
    )
    turned = run(q, k)
    for layout, both in turned.items():
        for x, result in zip((q, k), both, strict=True):
            assert result.dtype == x.dtype
            assert largest(result, by_onnx(x, positions, layout, rotated=40)) < max(1e-6, torch.finfo(x.dtype).eps)
    sum(result.float().square().sum() for both in turned.values() for result in both).backward()
    for x in q, k:  # a turn keeps lengths
        assert largest(x.grad, 4 * x.detach()) < 16 * torch.finfo(x.dtype).eps


def test_a_table_built_in_inference_mode_serves_training():
    scheme, x, positions = Rotary(8), uniform(1, 1, 4, 8), torch.tensor([5, 1, 9, 2])
    with torch.inference_mode():
        inferred, _ = scheme.query_key(x, x, positions, positions)
    x.requires_grad_()
    trained, _ = scheme.query_key(x, x, positions, positions)
    trained.sum().backward()
    assert torch.equal(trained, inferred)
    assert x.grad.abs().min() > 0


STRIDES = {
    "heads after time": lambda: uniform(2, 5, 3, 8).transpose(1, 2),
    "part of wider rows": lambda: uniform(2, 3, 5, 25)[..., 7:15],
    "every second column": lambda: uniform(2, 3, 5, 16)[..., ::2],
    "expanded": lambda: uniform(1, 1, 5, 8).expand(2, 3, 5, 8),
}


@each_layout
@pytest.mark.parametrize("make", STRIDES.values(), ids=STRIDES)
def test_any_strides_will_do_and_x_is_not_changed(make, layout):
    x, positions = make(), torch.tensor([[3, 900, 41, 0, 7], [8, 2, 2, 70, 1]])
    for rotated in None, 4:
        before = x.clone()
        result = rotate(x, turns(positions, geometric(rotated or 8)), layout, rotated)
        assert largest(result, by_onnx(x, positions, layout, rotated=rotated)) < 1e-6
        assert torch.equal(x, before)


@each_layout
@pytest.mark.parametrize("shape", [(2, 3, 0, 8), (0, 3, 5, 8)])
def test_nothing_stays_nothing(layout, shape):
    x, positions = torch.empty(shape), torch.arange(shape[2])
    turned, _ = Rotary(8, layout=layout).query_key(x, x, positions, positions)
    assert turned.shape == x.shape


@pytest.mark.parametrize("rotated", [None, 6])
@pytest.mark.parametrize("source", LAYOUTS)
@pytest.mark.parametrize("target", LAYOUTS)
def test_a_permutation_of_columns_carries_one_layout_to_the_other(source, target, rotated):
    x, turn = uniform(2, 3, 5, 10), turns([4, 1, 88, 0, 3], geometric(rotated or 10))
    order = permutation(10, source, target, rotated)
    carried = rotate(x[..., order], turn, target, rotated)
    assert largest(rotate(x, turn, source, rotated)[..., order], carried) < 5e-7
    back = permutation(10, target, source, rotated)
    assert torch.equal(order[back], torch.arange(10))
    if source != target:
        assert largest(rotate(x, turn, source, rotated), rotate(x, turn, target, rotated)) > 0.1


@pytest.mark.parametrize("rotated", [None, 4])
def test_converted_weights_give_the_same_scores(rotated):
    heads, key_heads, width, model = 4, 2, 8, 20
    x, positions = uniform(2, 6, model), torch.tensor([11, 4, 90, 0, 3, 3])

    def scores(weight_q, bias_q, weight_k, layout):
        q = (x @ weight_q.T + bias_q).unflatten(-1, (heads, width)).transpose(1, 2)
        k = (x @ weight_k.T).unflatten(-1, (key_heads, width)).transpose(1, 2)
        q, k = Rotary(width, layout=layout, rotated=rotated).query_key(q, k, positions, positions)
        return q @ k.repeat_interleave(heads // key_heads, dim=1).transpose(-1, -2)

    weight_q, bias_q = uniform(heads * width, model, seed=1), uniform(heads * width, seed=2)
    weight_k = uniform(key_heads * width, model, seed=3)
    change = ("interleaved", "split-half", rotated)
    converted = convert_rows(weight_q, heads, *change), convert_rows(bias_q, heads, *change)
    truth = scores(weight_q, bias_q, weight_k, "interleaved")
    assert largest(scores(*converted, convert_rows(weight_k, key_heads, *change), "split-half"), truth) < 1e-5
    assert largest(scores(weight_q, bias_q, weight_k, "split-half"), truth) > 0.1


X = torch.zeros(2, 3, 5, 8)
W = geometric(8)
T = turns(torch.arange(5), W)
SCHEME = Rotary(8)


def query_key(q=X, k=X, q_positions=range(5), k_positions=range(5)):
    return SCHEME.query_key(q, k, torch.tensor(q_positions), torch.tensor(k_positions))


def values(v=X, q_positions=range(5), k_positions=range(5)):
    weights = torch.zeros(2, 3, 5, 5)
    return RotaryValues(8).values(X, weights, v, torch.tensor(q_positions), torch.tensor(k_positions))


# What is refused: the call, the error, and what its message has to say, in this order.
REFUSED = [
    (lambda: turns(torch.tensor(3), W), ValueError, "positions", "()", "list of one"),
    (lambda: turns([0, 1], W.float()), TypeError, "frequencies", "float32", "frequencies.geometric"),
    (lambda: turns([0, 1], [1.0]), TypeError, "frequencies", "[1.0]", "frequencies.geometric"),
    (lambda: turns([0, 1], W[None]), ValueError, "frequencies", "(1, 4)", "one for each pair"),
    (lambda: turns([0, 1], W, torch.float32), ValueError, "dtype", "torch.complex64", "torch.float32"),
    (lambda: rotate(X[..., :7], T), ValueError, "the width of x", "even", "7"),
    (lambda: rotate(X[0, 0, 0], T), ValueError, "x", "(8,)", "x[None]"),
    (lambda: rotate(X.long(), T), TypeError, "x", "int64", ".float()"),
    (lambda: rotate(T, T), TypeError, "x", "complex64", ".float()"),
    (lambda: rotate(X, T, "halves"), ValueError, "layout", "'split-half'", "'halves'"),
    (lambda: rotate(X, T, rotated=10), ValueError, "rotated", "at most the width 8", "10"),
    (lambda: rotate(X, T, rotated=4), ValueError, "turns", "(5, 4)", "rotated=8"),
    (lambda: rotate(X, T.real), TypeError, "turns", "float32", "turns(positions, frequencies)"),
    (lambda: rotate(X, [1j]), TypeError, "turns", "[1j]", "turns(positions, frequencies)"),
    (lambda: rotate(X, T[0]), TypeError, "turns", "(4,)", "turns(positions, frequencies)"),
    (lambda: rotate(X[0, 0], T[None]), ValueError, "turns", "(1, 5)", "(5,)"),
    (lambda: rotate(torch.zeros(4, 3, 5, 8), T.expand(2, 5, 4)), ValueError, "turns", "(2, 5)", "(4, 5)"),
    (lambda: rotate(X.double(), T), TypeError, "turns", "complex64", "complex128"),
    (lambda: rotate(X, T.clone().requires_grad_()), ValueError, "turns", "requires_grad=True", ".detach()"),
    (lambda: Rotary(7), ValueError, "width", "even", "7"),
    (lambda: Rotary(8, base=0), ValueError, "base", "0", "larger"),
    (lambda: Rotary(8, layout="both"), ValueError, "layout", "'interleaved'", "'both'"),
    (lambda: Rotary(8, rotated=12), ValueError, "rotated", "at most", "12"),
    (lambda: Rotary(8, rotated=4, frequencies=W), ValueError, "frequencies", "(2,)", "(4,)"),
    (lambda: Rotary(8, frequencies=W.clone().requires_grad_()), ValueError, "frequencies", "gradient", "detach"),
    (lambda: query_key(q=X[..., :6]), ValueError, "q", "(2, 3, 5, 6)", "Rotary(6)"),
    (lambda: query_key(k=X.int()), TypeError, "k", "int32", ".float()"),
    (lambda: query_key(k_positions=range(4)), ValueError, "k_positions", "(4,)", "(5,)"),
    (lambda: query_key(q_positions=[range(5)] * 3), ValueError, "q_positions", "(3, 5)", "(2, 5)"),
    (lambda: query_key(q_positions=[0.0] * 5), TypeError, "q_positions", "float32", ".long()"),
    (lambda: values(v=X[..., :6]), ValueError, "v", "(2, 3, 5, 6)", "Rotary(6)"),
    (lambda: values(q_positions=[0.0] * 5), TypeError, "q_positions", "float32", ".long()"),
    (lambda: values(q_positions=range(4)), ValueError, "q_positions", "(4,)", "(5,)"),
    (lambda: values(k_positions=[0.0] * 5), TypeError, "k_positions", "float32", ".long()"),
    (lambda: values(k_positions=range(4)), ValueError, "k_positions", "(4,)", "(5,)"),
    (lambda: permutation(5, *LAYOUTS), ValueError, "width", "even", "5"),
    (lambda: permutation(8, "neox", "interleaved"), ValueError, "source", "'split-half'", "'neox'"),
    (lambda: permutation(8, "interleaved", "neox"), ValueError, "target", "'split-half'", "'neox'"),
    (lambda: convert_rows(X, 0, *LAYOUTS), ValueError, "heads", "0", "1 or more"),
    (lambda: convert_rows(X[0, 0], 2, *LAYOUTS), ValueError, "heads", "5 rows", "this very matrix"),
    (lambda: convert_rows([1.0], 1, *LAYOUTS), TypeError, "weight", "[1.0]", "linear.weight"),
]


@pytest.mark.parametrize(("call", "error", "name", "first", "then"), REFUSED)
def test_refuses(call, error, name, first, then):
    with refuses(error, f"{name} must", first, then) as caught:
        call()
    requirement, _, value = str(caught.value).partition(", got ")
    assert requirement.startswith(f"{name} must ")
    assert first in value or then in value

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
from test_validate import refuses

from posenc import frequencies as omega
from posenc.frequencies import geometric
from posenc.rotary import LAYOUTS, Rotary, RotaryValues, convert_rows, permutation, rotate, turns

each_layout = pytest.mark.parametrize("layout", LAYOUTS)
F32, F64 = torch.float32, torch.float64
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


def ours(x, positions, layout, dtype=torch.complex64):
    return rotate(x, turns(positions, geometric(x.shape[-1]), dtype), layout)


@each_layout
@settings(max_examples=40)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 6), st.integers(1, 40), st.integers(0, 2**31))
def test_is_the_reference_of_onnx(layout, batch, heads, time, pairs, seed):
    x = uniform(batch, heads, time, 2 * pairs, seed=seed)
    positions = torch.randint(-FAR, FAR, (batch, time), generator=torch.Generator().manual_seed(seed))
    assert largest(ours(x, positions, layout), by_onnx(x, positions, layout)) < 1e-6
    double = ours(x.double(), positions, layout, torch.complex128)
    assert largest(double, by_onnx(x, positions, layout)) < 1e-9  # of angles up to 2^20, eps · 2^20 is left
    rotated = 2 * (1 + seed % pairs)
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
@pytest.mark.parametrize("shape", [(1, 3, 700, 32), (2, 18, 500, 64)])
def test_half_precision_is_float32_rounded_once(layout, dtype, shape):
    x, positions = uniform(*shape).to(dtype), torch.arange(shape[0] * shape[2]).flip(0).view(shape[0], -1) * 90
    result = ours(x, positions, layout)
    assert (result.dtype, result.shape) == (dtype, x.shape)
    truth = by_onnx(x, positions, layout)
    once = torch.finfo(dtype).eps / 2 * truth.abs() + 1e-6
    assert ((result.double() - truth).abs() <= once).all()


@pytest.mark.parametrize("cast", [torch.nn.Module.half, torch.nn.Module.bfloat16, torch.nn.Module.double])
def test_only_the_device_of_a_module_changes_its_frequencies(cast):
    fresh, used = Rotary(16), Rotary(16)
    x, positions = uniform(1, 1, 5, 16), torch.tensor([999, 4000, 3, 65_000, 257])
    before, _ = used.query_key(x, x, positions, positions)
    cast(torch.nn.Sequential(used, fresh))
    for scheme in used, fresh, copy.deepcopy(used):
        assert torch.equal(scheme.query_key(x, x, positions, positions)[0], before)
    used.to("meta")
    assert (used.frequencies.device.type, used.frequencies.dtype) == ("meta", torch.float64)
    assert used.query_key(x.to("meta"), x.to("meta"), range(5), range(5))[0].is_meta
    assert torch.equal(used.to_empty(device="cpu").frequencies, geometric(16))
    assert [*used.state_dict(), *used.parameters()] == []


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


def test_a_kept_table_follows_positions_and_serves_training():
    scheme, x, positions = Rotary(8), uniform(1, 1, 2, 8), torch.tensor([3, 5])
    with torch.inference_mode():
        scheme.query_key(x, x, positions, positions)
    x.requires_grad_()
    scheme.query_key(x, x, positions, positions)[0].sum().backward()
    assert x.grad.abs().min() > 0
    positions.numpy()[0] = 9  # unseen by the version counter of the tensor
    turned, _ = scheme.query_key(x, x, positions, positions)
    assert torch.equal(turned, rotate(x, turns([9, 5], geometric(8))))


@each_layout
def test_a_value_arrives_turned_by_its_offset(layout):
    scheme, v, weights = RotaryValues(8, layout=layout), uniform(1, 2, 5, 8), uniform(1, 2, 3, 5, seed=1)
    q_positions, k_positions = torch.tensor([7, 2, 900]), torch.tensor([0, 3, 1, 40, 7])
    out = scheme.values(weights @ v, weights, v, q_positions, k_positions)
    for row, place in enumerate(q_positions):
        offset = by_onnx(v, (k_positions - place)[None], layout)
        assert largest(out[:, :, row], (weights[:, :, row, :, None] * offset).sum(-2)) < 1e-5


def test_what_a_rotary_was_built_with_is_fixed():
    given = geometric(8)
    scheme, other, x = Rotary(8), Rotary(8, frequencies=given), uniform(1, 1, 2, 8)
    before, _ = scheme.query_key(x, x, [1, 2], [1, 2])
    for name in "width", "base", "layout", "rotated", "frequencies":
        with pytest.raises(AttributeError, match=rf"^{name} of a Rotary is fixed, got 4: build a new .*{name}="):
            setattr(scheme, name, 4)
    scheme.frequencies.mul_(2)
    given.mul_(2)
    for unchanged in scheme, other:
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
@pytest.mark.parametrize("dtypes", [(F32, F32), (torch.bfloat16, torch.bfloat16), (F64, F64), (F32, F64)])
def test_a_rotary_turns_q_and_k_of_other_heads_and_dtypes(layout, dtypes):
    scheme = Rotary(8, layout=layout, rotated=6)
    q, k = (uniform(2, heads, 3, 8, seed=heads, dtype=dtype) for heads, dtype in zip((4, 2), dtypes, strict=True))
    q = q.mT.contiguous().mT  # any strides will do
    before = q.clone()
    for positions in torch.tensor([7, 0, 31]), torch.tensor([[7, 0, 31]]), torch.tensor([[7, 0, 31], [2, 900, 5]]):
        for turned, x in zip(scheme.query_key(q, k, positions, positions), (q, k), strict=True):
            assert turned.dtype == x.dtype
            expected = by_onnx(x, positions.expand(2, 3), layout, rotated=6)
            assert largest(turned, expected) < 2 * torch.finfo(x.dtype).eps
    assert torch.equal(q, before)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_compiled_code_agrees_with_the_reference_and_so_do_its_gradients():
    positions = torch.tensor([[5, 0, 900, 2, 2, 41, 7], [FAR, 1, 2, 3, 4, 5, 6]])
    scheme = Rotary(64, layout="split-half", rotated=40)
    q, k = (uniform(2, 3, 7, 64, dtype=dtype).requires_grad_() for dtype in (F32, torch.bfloat16))
    torch.compiler.reset()
    turned = torch.compile(scheme.query_key, fullgraph=True)(q, k, positions, positions)
    sum(result.float().square().sum() for result in turned).backward()
    for x, result in zip((q, k), turned, strict=True):
        assert result.dtype == x.dtype
        assert largest(result, by_onnx(x, positions, "split-half", rotated=40)) < max(1e-6, torch.finfo(x.dtype).eps)
        assert largest(x.grad, 2 * x.detach()) < 8 * torch.finfo(x.dtype).eps  # a turn keeps lengths


@pytest.mark.parametrize("rotated", [None, 6])
@pytest.mark.parametrize("source", LAYOUTS)
@pytest.mark.parametrize("target", LAYOUTS)
def test_a_permutation_of_columns_carries_one_layout_to_the_other(source, target, rotated):
    x, turn = uniform(2, 3, 5, 10), turns([4, 1, 88, 0, 3], geometric(rotated or 10))
    order = permutation(10, source, target, rotated)
    carried = rotate(x[..., order], turn, target, rotated)
    assert largest(rotate(x, turn, source, rotated)[..., order], carried) < 5e-7
    assert torch.equal(order[permutation(10, target, source, rotated)], torch.arange(10))


@pytest.mark.parametrize("rotated", [None, 4])
def test_converted_rows_give_the_columns_of_each_head_in_the_other_layout(rotated):
    weight, bias, x = uniform(24, 20), uniform(24, seed=1), uniform(6, 20, seed=2)
    change = "interleaved", "split-half", rotated
    plain = (x @ weight.T + bias).unflatten(-1, (3, 8))
    converted = x @ convert_rows(weight, 3, *change).T + convert_rows(bias, 3, *change)
    assert largest(converted.unflatten(-1, (3, 8)), plain[..., permutation(8, *change)]) < 1e-6


X = torch.zeros(2, 3, 5, 8)
W = geometric(8)
T, PLACES = turns(torch.arange(5), W), torch.zeros(2, 5).long()


def query_key(q=X, k=X, q_positions=range(5), k_positions=range(5)):
    return Rotary(8).query_key(q, k, torch.tensor(q_positions), torch.tensor(k_positions))


def values(v=X, q_positions=range(5), k_positions=range(5)):
    return RotaryValues(8).values(X, torch.zeros(2, 3, 5, 5), v, q_positions, k_positions)


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
    (lambda: rotate(X, T, "halves"), ValueError, "layout", "'split-half'", "'halves'"),
    (lambda: rotate(X, T, rotated=10), ValueError, "rotated", "at most the width 8", "10"),
    (lambda: rotate(X, T, rotated=4), ValueError, "turns", "(5, 4)", "rotated=8"),
    (lambda: rotate(X, T.real), TypeError, "turns", "float32", "turns(positions, frequencies)"),
    (lambda: rotate(X, T[0]), TypeError, "turns", "(4,)", "turns(positions, frequencies)"),
    (lambda: rotate(X[0, 0], T[None]), ValueError, "turns", "(1, 5)", "(5,)"),
    (lambda: rotate(torch.zeros(4, 3, 5, 8), T.expand(2, 5, 4)), ValueError, "turns", "(2, 5)", "(4, 5)"),
    (lambda: rotate(X.double(), T), TypeError, "turns", "complex64", "complex128"),
    (lambda: rotate(X, T.clone().requires_grad_()), ValueError, "turns", "requires_grad=True", ".detach()"),
    (lambda: Rotary(7), ValueError, "width", "even", "7"),
    (lambda: Rotary(8, base=0), ValueError, "base", "0", "larger"),
    (lambda: Rotary(8, layout="both"), ValueError, "layout", "'interleaved'", "'both'"),
    (lambda: Rotary(8, rotated=4, frequencies=W), ValueError, "frequencies", "(2,)", "(4,)"),
    (lambda: Rotary(8, frequencies=W.clone().requires_grad_()), ValueError, "frequencies", "gradient", "detach"),
    (lambda: query_key(q=X[..., :6]), ValueError, "q", "(2, 3, 5, 6)", "Rotary(6)"),
    (lambda: query_key(k=X.int()), TypeError, "k", "int32", ".float()"),
    (lambda: query_key(k_positions=range(4)), ValueError, "k_positions", "(4,)", "(5,)"),
    (lambda: query_key(q_positions=[range(5)] * 3), ValueError, "q_positions", "(3, 5)", "(2, 5)"),
    (lambda: Rotary(8).query_key(X, X[:1], *[PLACES] * 2), ValueError, "k_positions", "(1, 3, 5, 8)", "(2, 5)"),
    (lambda: values(v=X[..., :6]), ValueError, "v", "(2, 3, 5, 6)", "Rotary(6)"),
    (lambda: values(q_positions=range(4)), ValueError, "q_positions", "(4,)", "(5,)"),
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
    with refuses(error, f"{name} must", first, then):
        call()

"""The codes of the first door: what they are, what they promise, what they refuse."""

import math

import pytest
import sympy as sp
import torch
from hypothesis import given
from hypothesis import strategies as st
from positional_encodings.torch_encodings import PositionalEncoding1D
from test_guard import refuses

from posenc.additive import (
    Additive,
    Binary,
    Index,
    Learned,
    Normalised,
    Sinusoidal,
    angles,
    binary,
    index,
    normalised,
    sinusoidal,
)

F64 = torch.float64
widths = st.integers(1, 64).map(lambda pairs: 2 * pairs)
bases = st.floats(1.5, 1e6)


def close(left, right, within=1e-12):
    return left.shape == right.shape and bool(((left - right).abs() < within).all())


# The sinusoids are those of the paper.


def test_six_by_four_table_equals_the_exact_one():
    pair = [sp.Integer(10000) ** sp.Rational(-2 * i, 4) for i in range(2)]
    assert pair == [1, sp.Rational(1, 100)]
    exact = [[f(p * w) for w in pair for f in (sp.sin, sp.cos)] for p in range(6)]
    expected = torch.tensor([[float(entry.evalf(30)) for entry in row] for row in exact], dtype=F64)
    assert close(sinusoidal(range(6), 4, dtype=F64), expected, 1e-15)
    assert close(angles(range(6), 4).sin(), expected[:, ::2], 1e-15)


@pytest.mark.parametrize("width", [2, 6, 512])
def test_interleaved_equals_an_independent_implementation(width):
    theirs = PositionalEncoding1D(width)(torch.zeros(1, 200, width))[0]
    assert close(sinusoidal(torch.arange(200), width), theirs, 1e-4)


@given(widths, bases, st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=5))
def test_layouts_are_a_permutation_of_columns(width, base, positions):
    one, other = (sinusoidal(positions, width, base, layout, F64) for layout in ("interleaved", "concatenated"))
    assert torch.equal(one[:, 0::2], other[:, : width // 2])
    assert torch.equal(one[:, 1::2], other[:, width // 2 :])


@pytest.mark.parametrize("dtype", [F64, torch.float32, torch.float16, torch.bfloat16])
def test_angles_are_float64_and_cast_last(dtype):
    far = torch.tensor([8191, 2**24 + 1])  # float32 does not hold the second
    expected = torch.tensor(
        [[f(p / 500 ** (2 * i / 8)) for i in range(4) for f in (math.sin, math.cos)] for p in far.tolist()], dtype=F64
    )
    code = sinusoidal(far, 8, 500.0, dtype=dtype)
    assert code.dtype == dtype
    assert ((code.to(F64) - expected).abs() <= torch.finfo(dtype).eps / 2 * expected.abs() + 1e-8).all()


# The other codes.


def test_index_is_the_position_in_every_column():
    assert index([[0, 5], [-2, 7]], 3).tolist() == [[[0] * 3, [5] * 3], [[-2] * 3, [7] * 3]]
    assert index([1], 2).dtype == torch.float32
    assert index([1], 2, F64).dtype == F64


@pytest.mark.parametrize("length", [1, 2, 200])
def test_normalised_runs_from_zero_to_one_in_equal_steps(length):
    share = torch.arange(length, dtype=F64) / max(length - 1, 1)
    assert close(normalised(range(length), length, 3, F64), share[:, None].expand(-1, 3))


@given(st.integers(1, 70), st.data())
def test_binary_bits_spell_the_position(width, data):
    p = data.draw(st.integers(0, 2 ** min(width, 62) - 1))
    bits = binary(p, width, F64).tolist()
    assert bits == [float(bit) for bit in f"{p:0{width}b}"[::-1]]
    assert binary([1], 3).dtype == torch.float32


# The schemes add them, token by token.

LEARNED = Learned(8, 200, generator=torch.Generator().manual_seed(0))
SCHEMES = {
    "index": (Index(8), lambda p: index(p, 8)),
    "normalised": (Normalised(8), lambda p: normalised(p, 5, 8)),
    "binary": (Binary(8), lambda p: binary(p, 8)),
    "sinusoidal": (Sinusoidal(8), lambda p: sinusoidal(p, 8)),
    "other sinusoidal": (Sinusoidal(8, 50, "concatenated"), lambda p: sinusoidal(p, 8, 50, "concatenated")),
    "learned": (LEARNED, lambda p: LEARNED.table[p]),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_scheme_adds_its_code_along_time(name):
    scheme, code = SCHEMES[name]
    x = torch.randn(5, 5, 8, generator=torch.Generator().manual_seed(1))
    per_sequence = torch.stack([torch.arange(5).roll(shift) for shift in range(5)])
    for positions in (torch.tensor([4, 0, 3, 1, 2]), per_sequence):
        assert torch.equal(scheme.input(x, positions), x + code(positions))
    assert torch.equal(scheme.input(x), x + code(torch.arange(5)))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, F64])
def test_every_scheme_answers_in_the_dtype_of_the_vectors(dtype):
    x = torch.zeros(2, 5, 8, dtype=dtype)
    for scheme, _ in SCHEMES.values():
        assert scheme.code(torch.arange(5), x).dtype == dtype
        assert scheme.input(x).dtype == dtype


def test_no_state_dict_carries_a_fixed_table():
    for scheme, _ in SCHEMES.values():
        scheme.input(torch.zeros(1, 5, 8))
        trained = ["table"] if scheme is LEARNED else []
        assert list(scheme.state_dict()) == [name for name, _ in scheme.named_parameters()] == trained


def test_a_learned_table_starts_with_a_deviation_of_a_fiftieth():
    table = Learned(8, 200, generator=torch.Generator().manual_seed(0)).table
    assert table.std().item() == pytest.approx(0.02, rel=0.1)


def test_the_repr_says_everything():
    sinusoidal = "Sinusoidal(width=4, base=50.0, layout='concatenated')"
    for text in sinusoidal, "Learned(width=4, max_length=7)", "Index(width=4)":
        assert repr(eval(text)) == text


def test_sinusoidal_follows_its_attributes():
    scheme, x = Sinusoidal(4, 1.0), torch.zeros(1, 3, 4)
    scheme.input(x)
    scheme.base, scheme.layout = 50.0, "concatenated"
    assert torch.equal(scheme.input(x)[0], sinusoidal(range(3), 4, 50.0, "concatenated"))


def test_sinusoidal_loses_nothing_by_a_trip_through_half():
    low, scheme, x = torch.bfloat16, Sinusoidal(64, 0.5), torch.zeros(1, 2000, 64)
    expected = sinusoidal(torch.arange(2000), 64, 0.5)
    assert torch.equal(scheme.input(x.to(low))[0], sinusoidal(torch.arange(2000), 64, 0.5, dtype=low))
    assert torch.equal(scheme.input(x)[0], expected)
    assert torch.equal(scheme.to(low).float().input(x)[0], expected)
    assert torch.equal(scheme.to(low).input(x)[0], expected)
    assert torch.equal(scheme.input(x.double())[0], sinusoidal(torch.arange(2000), 64, 0.5, dtype=F64))


# What is refused.

T, V = TypeError, ValueError
REFUSALS = [
    (lambda: angles([0.5], 4), T, ("positions", "float32", "arange")),
    (lambda: angles([2**53 + 1], 4), V, ("positions", "±2^53", "9007199254740993", "subtract")),
    (lambda: sinusoidal([1], 4, layout="split"), V, ("layout", "'interleaved'", "'split'", "pick")),
    (lambda: sinusoidal([1], 4, dtype=torch.int64), V, ("dtype", "int64", "pick")),
    (lambda: index([1.5], 4), T, ("positions", "float32", "arange")),
    (lambda: index([1], 0), V, ("width", "0", "1 or more")),
    (lambda: index([1], 4, int), V, ("dtype", "int", "pick")),
    (lambda: normalised([0], 0, 4), V, ("length", "0", "1 or more")),
    (lambda: normalised([0], 1, 0), V, ("width", "0", "1 or more")),
    (lambda: normalised([0.5], 1, 4), T, ("positions", "float32", "arange")),
    (lambda: normalised([0], 1, 4, torch.int8), V, ("dtype", "int8", "pick")),
    (lambda: binary([3, 8], 3), V, ("positions", "0 … 7", "8", "width=3", "width=4")),
    (lambda: binary([2**62], 80), V, ("positions", str(2**62))),
    (lambda: binary([-1], 1), V, ("positions", "0 … 1", "-1", "pass width=1 or more")),
    (lambda: binary([0], 0), V, ("width", "0", "1 or more")),
    (lambda: binary([0.5], 3), T, ("positions", "float32", "arange")),
    (lambda: binary([1], 3, torch.int8), V, ("dtype", "int8", "pick")),
    (lambda: Index(0), V, ("width", "0", "1 or more")),
    (lambda: Sinusoidal(7), V, ("width", "7", "use 6 or 8")),
    (lambda: Sinusoidal(8, base=0.0), V, ("base", "0.0", "larger")),
    (lambda: Sinusoidal(8, layout="half"), V, ("layout", "'half'", "pick")),
    (lambda: Learned(8, 0), V, ("max_length", "0", "1 or more")),
    (lambda: Learned(8, 4).input(torch.zeros(1, 5, 8)), V, ("positions", "0 … 3", "4", "4 rows", "shorter")),
    (lambda: Binary(2).input(torch.zeros(1, 5, 2)), V, ("positions", "0 … 3", "4", "width=3")),
    (lambda: Normalised(2).input(torch.zeros(1, 2, 2), [1, 2]), V, ("positions", "0 … 1", "2", "length=2")),
    (lambda: Additive(4).input(torch.zeros(1, 2, 4)), NotImplementedError, ("Additive", "define code")),
    # What would broadcast the wrong way.
    (lambda: Index(8).input(torch.zeros(5, 8)), V, ("x", "(5, 8)", "x[None]")),
    (lambda: Index(8).input(torch.zeros(1, 5, 1)), V, ("x", "8 columns", "(1, 5, 1)", "width=1")),
    (lambda: Index(8).input(torch.zeros(1, 5, 8).long()), T, ("x", "int64", "embeddings")),
    (lambda: Index(8).input(torch.zeros(2, 5, 8), [0, 1]), V, ("positions", "(5,) or (2, 5)", "(2,)", "transpose")),
]


@pytest.mark.parametrize(("call", "error", "parts"), REFUSALS)
def test_bad_input_is_refused(call, error, parts):
    with refuses(error, *parts):
        call()

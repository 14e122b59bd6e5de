"""The codes of the first door: what they are, what they promise, what they refuse."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from positional_encodings.torch_encodings import PositionalEncoding1D
from test_doors import close
from test_validate import refuses

from posenc import additive
from posenc.additive import Binary, Index, Learned, Normalised, Sinusoidal, binary, index, normalised, sinusoidal

F64 = torch.float64


def test_interleaved_equals_an_independent_implementation():
    assert close(sinusoidal(torch.arange(200), 512), PositionalEncoding1D(512)(torch.zeros(1, 200, 512))[0], 1e-4)


@given(st.integers(1, 64), st.floats(1.5, 1e6), st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=5))
def test_layouts_are_a_permutation_of_columns(pairs, base, positions):
    interleaved, concatenated = (sinusoidal(positions, 2 * pairs, base, layout, F64) for layout in additive.LAYOUTS)
    assert torch.equal(interleaved[:, 0::2], concatenated[:, :pairs])
    assert torch.equal(interleaved[:, 1::2], concatenated[:, pairs:])


@pytest.mark.parametrize("dtype", [F64, torch.float32, torch.float16, torch.bfloat16])
def test_angles_are_float64_and_cast_last(dtype):
    far = torch.tensor([8191, 2**24 + 1])  # float32 does not hold the second
    expected = torch.tensor(
        [[f(p / 500 ** (2 * i / 8)) for i in range(4) for f in (math.sin, math.cos)] for p in far.tolist()], dtype=F64
    )
    code = sinusoidal(far, 8, 500.0, dtype=dtype)
    assert code.dtype == dtype
    assert ((code.to(F64) - expected).abs() <= torch.finfo(dtype).eps / 2 * expected.abs() + 1e-8).all()


def test_positions_that_are_not_whole_are_taken_as_they_are():
    masses = torch.tensor([445.1201, 445.1203], dtype=F64)  # m/z
    code = sinusoidal(1000 * masses, 16, 1e9, "concatenated", F64)
    assert close(code[:, :8], (masses[:, None] * 1000 * 1e9 ** (-torch.arange(8, dtype=F64) / 8)).sin(), 1e-9)
    assert (code[0] - code[1]).abs().max() > 0.1
    assert torch.equal(sinusoidal(torch.arange(9, dtype=F64), 16), sinusoidal(range(9), 16))
    assert torch.equal(sinusoidal([0.1, 445.12], 16), sinusoidal(torch.tensor([0.1, 445.12], dtype=F64), 16))


def test_index_and_its_share_of_the_length_fill_every_column():
    assert index([[0, 5], [-2, 7]], 3).tolist() == [[[0] * 3, [5] * 3], [[-2] * 3, [7] * 3]]
    assert (index([1], 2).dtype, index([1], 2, F64).dtype) == (torch.float32, F64)
    for length in 1, 2, 200:
        share = torch.arange(length, dtype=F64) / max(length - 1, 1)
        assert close(normalised(range(length), length, 3, F64), share[:, None].expand(-1, 3))


@given(st.integers(1, 70), st.data())
def test_binary_bits_spell_the_position(width, data):
    p = data.draw(st.integers(0, 2 ** min(width, 62) - 1))
    assert binary(p, width, F64).tolist() == [float(bit) for bit in f"{p:0{width}b}"[::-1]]
    assert binary([1], 3).dtype == torch.float32


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


def test_every_scheme_answers_in_the_dtype_of_the_vectors():
    for scheme, _ in SCHEMES.values():
        for dtype in torch.float16, torch.bfloat16, torch.float32, F64:
            x = torch.zeros(2, 5, 8, dtype=dtype)
            assert scheme.code(torch.arange(5), x).dtype == scheme.input(x).dtype == dtype


def test_a_learned_table_alone_is_saved_and_starts_with_a_deviation_of_a_fiftieth():
    assert {name for name, (scheme, _) in SCHEMES.items() if scheme.state_dict()} == {"learned"}
    assert LEARNED.table.std().item() == pytest.approx(0.02, rel=0.1)


def test_the_repr_says_everything():
    sinusoidal = "Sinusoidal(width=4, base=50.0, layout='concatenated')"
    for text in sinusoidal, "Learned(width=4, max_length=7)", "Index(width=4)":
        assert repr(eval(text)) == text


def test_sinusoidal_loses_nothing_by_a_trip_through_half():
    scheme, x = Sinusoidal(64, 0.5).to(torch.bfloat16), torch.zeros(1, 2000, 64)
    for dtype in torch.bfloat16, torch.float32, F64:
        assert torch.equal(scheme.input(x.to(dtype))[0], sinusoidal(torch.arange(2000), 64, 0.5, dtype=dtype))


T, V = TypeError, ValueError
REFUSALS = [
    (lambda: additive.angles(["a"], 4), T, ("positions", "'a'", "arange")),
    (lambda: sinusoidal(torch.tensor([445.12]), 4), T, ("positions", "integers or float64", "float32", "source")),
    (lambda: sinusoidal(torch.tensor([math.nan], dtype=F64), 4), V, ("positions", "±2^53", "nan")),
    (lambda: sinusoidal(torch.tensor([1e300], dtype=F64), 4), V, ("positions", "±2^53", "1e+300")),
    (lambda: sinusoidal([1], 4, layout="split"), V, ("layout", "'interleaved'", "'split'")),
    (lambda: sinusoidal([1], 4, dtype=torch.int64), V, ("dtype", "int64")),
    (lambda: index([1], 4, int), V, ("dtype", "int")),
    (lambda: normalised([0], 1, 4, torch.int8), V, ("dtype", "int8")),
    (lambda: binary([1], 3, torch.int8), V, ("dtype", "int8")),
    (lambda: index([1.5], 4), T, ("positions", "float32", "arange")),
    (lambda: index([1], 0), V, ("width", "0", "1 or more")),
    (lambda: normalised([0], 0, 4), V, ("length", "0", "1 or more")),
    (lambda: normalised([0], 1, 0), V, ("width", "0", "1 or more")),
    (lambda: normalised([0.5], 1, 4), T, ("positions", "float32", "arange")),
    (lambda: binary([3, 8], 3), V, ("positions", "0 … 7", "8", "width=3", "larger width")),
    (lambda: binary([2**62], 80), V, ("positions", str(2**62))),
    (lambda: binary([-1], 1), V, ("positions", "0 … 1", "-1", "no negative")),
    (lambda: binary([0], 0), V, ("width", "0", "1 or more")),
    (lambda: binary([0.5], 3), T, ("positions", "float32", "arange")),
    (lambda: Index(0), V, ("width", "0", "1 or more")),
    (lambda: Sinusoidal(7), V, ("width", "7", "use 6 or 8")),
    (lambda: Sinusoidal(8, base=0.0), V, ("base", "0.0", "larger")),
    (lambda: Sinusoidal(8, layout="half"), V, ("layout", "'half'")),
    (lambda: Learned(8, 0), V, ("max_length", "0", "1 or more")),
    (lambda: Learned(8, 4).input(torch.zeros(1, 5, 8)), V, ("positions", "0 … 3", "4", "4 rows", "shorter")),
    (lambda: Normalised(2).input(torch.zeros(1, 2, 2), [1, 2]), V, ("positions", "0 … 1", "2", "length=2")),
    (lambda: additive.Additive(4).input(torch.zeros(1, 2, 4)), NotImplementedError, ("Additive", "define code")),
    (lambda: Index(8).input(torch.zeros(5, 8)), V, ("x", "(5, 8)", "x[None]")),
    (lambda: Index(8).input(torch.zeros(1, 5, 1)), V, ("x", "8 columns", "(1, 5, 1)", "width=1")),
    (lambda: Index(8).input(torch.zeros(1, 5, 8).long()), T, ("x", "int64", "embeddings")),
    (lambda: Index(8).input(torch.zeros(2, 5, 8), [0, 1]), V, ("positions", "(5,) or (2, 5)", "(2,)", "transpose")),
]


@pytest.mark.parametrize(("call", "error", "parts"), REFUSALS)
def test_bad_input_is_refused(call, error, parts):
    with refuses(error, *parts):
        call()

"""A refusal names the argument, the value it had, and the remedy."""

import re

import numpy as np
import pytest
import torch

from posenc import validate

X = torch.zeros(2, 3, 4)


def refuses(error, *parts):
    """Expect `error` with a message that holds every part, in this order, as whole words."""
    words = [r"(?<!\w)" * part[0].isalnum() + re.escape(part) + r"(?!\w)" * part[-1].isalnum() for part in parts]
    return pytest.raises(error, match="(?s)" + ".*".join(words))


T, V = TypeError, ValueError
# What tests of its callers do not have.
REFUSALS = [
    (validate.even_width, (1,), V, ("width", "1", "use 2 or 2")),
    (validate.even_width, (0,), V, ("width", "0", "pass")),
    (validate.count, (2.0,), T, ("length", "2.0", "pass")),
    (validate.number, (1.5, "factor", 2), V, ("factor", "at least 2", "1.5", "2 or more")),
    (validate.number, (float("inf"), "base"), V, ("base", "finite", "inf", "finite")),
    (validate.number, ("10000", "base"), T, ("base", "'10000'", "pass")),
    (validate.number, (True, "base"), T, ("base", "True", "pass")),
    (validate.whole_positions, ([0.5],), T, ("positions", "float32", "arange", "seconds", "Turn by time stamps")),
    (validate.whole_positions, (torch.zeros(2, dtype=torch.bool),), T, ("positions", "bool", "arange")),
    (validate.whole_positions, ("third",), T, ("positions", "'third'", "arange")),
    (validate.whole_positions, (torch.tensor([2**64 - 3], dtype=torch.uint64),), V, ("positions", "int64", "uint64")),
    (validate.representable, (torch.tensor([70000]), torch.float16), V, ("positions", "70000", "65504", "float32")),
    (validate.exact_positions, ([0, 2**53 + 1],), V, ("positions", "±2^53", "9007199254740993", "subtract")),
    (validate.head_width, (3, 4), V, ("heads", "heads=4", "width=3", "4 or 4")),
    (validate.head_width, (8, 0), V, ("heads", "0", "1 or more")),
    (validate.head_width, (8.0, 2), T, ("width", "8.0", "pass")),
    (validate.vectors, ([[0.0]], 1), T, ("x", "list", "pass embeddings")),
    (validate.token_ids, (torch.zeros(2, 3), 5), T, ("tokens", "float32", ".long()")),
    (validate.token_ids, ([1, 2], 5), V, ("tokens", "(2,)", "tokens[None]")),
    (validate.positions_for, ([[0, 1, 2]], 2, 3), V, ("positions", "(1, 3)", "one position per token")),
    (validate.mask_for, ([[True]], 1, 1, 1, 1), T, ("mask", "list", "mask != 0")),
    (validate.split_heads, (X, X, X), V, ("q", "(2, 3, 4)", "split the heads")),
    (validate.split_heads, (X[None], X[None], X[None, :, :0]), V, ("v", "(1, 2, 0, 4)", "no axis may be empty")),
    (validate.split_heads, (X[None], X[None, ..., :2], X[None]), V, ("fit", "(1, 2, 3, 2)", "q as wide as k")),
    (validate.split_heads, (X[None], X[None], X[None, :, :2]), V, ("fit", "(1, 2, 2, 4)", "as many values")),
    (validate.split_heads, (X[None], X[None, :1], X[None, :1]), V, ("fit", "(1, 1, 3, 4)", "number of heads")),
]


@pytest.mark.parametrize(("check", "arguments", "error", "parts"), REFUSALS)
def test_bad_value_is_refused_by_name_value_and_remedy(check, arguments, error, parts):
    with refuses(error, *parts):
        check(*arguments)


def test_good_values_come_back_in_the_form_promised():
    assert isinstance(validate.number(10, "base"), float)
    assert validate.whole_positions([3, 1]).dtype == validate.whole_positions([]).dtype == torch.int64
    assert validate.whole_positions(np.arange(3)[::-1]).tolist() == [2, 1, 0]
    assert validate.whole_positions(np.arange(3, dtype=">i8")).tolist() == [0, 1, 2]
    assert validate.whole_positions(torch.tensor([7], dtype=torch.uint64)).tolist() == [7]
    assert validate.whole_positions(torch.tensor(7, dtype=torch.int8)).dtype == torch.int64
    assert validate.exact_positions([2**53, -(2**53)]).tolist() == [2**53, -(2**53)]
    assert validate.positions_for([5, 0, 9], 2, 3).tolist() == [5, 0, 9]
    assert validate.positions_for([[5], [7]], 2, 1).tolist() == [[5], [7]]
    for shape in ((3, 5), (1, 1, 1, 5), (2, 1, 3, 5), (2, 4, 3, 5)):
        mask = torch.ones(shape, dtype=torch.bool)
        assert validate.mask_for(mask, 2, 4, 3, 5) is mask

"""The public tests of the capstone, by steps. They run in a minute: `pytest test_capstone.py`."""

import functools
import re
from pathlib import Path

import capstone
import given
import pytest
import torch

from posenc import rotary, scaling

PAGE = Path(__file__).with_name("findings.md")


def reference(x, positions, omega, layout):
    """RoPE by the course's package."""
    turns = rotary.turns(positions, omega, torch.complex128)
    return rotary.rotate(x, turns if positions.dim() == 1 else turns[:, None], layout)


@functools.cache
def variant():
    return given.variant(capstone.STUDENT)


@functools.cache
def model():
    """Your model, trained once."""
    mine = variant()
    scheme = given.Rope(capstone.turn, given.frequencies(mine["base"]), mine["layout"])
    return given.trained(scheme, mine["back"], mine["trained"])


@pytest.mark.parametrize("layout", given.LAYOUTS)
@pytest.mark.parametrize("positions", [torch.tensor([4, 0, 7, 3, 3]), torch.tensor([[0, 1, 2, 3, 4], [9, 8, 7, 6, 5]])])
def test_step_1_turns_as_rope_does(layout, positions):
    x = torch.randn(2, 3, 5, 8, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    omega = 50.0 ** -torch.arange(0, 1, 0.25, dtype=torch.float64)
    before = x.clone()
    assert torch.allclose(capstone.turn(x, positions, omega, layout), reference(before, positions, omega, layout))
    assert torch.equal(x, before), "the argument was changed"
    assert capstone.turn(x.float(), positions, omega, layout).dtype == torch.float32
    far = x.float(), positions + 70_000, omega, layout
    assert torch.allclose(capstone.turn(*far), reference(*far), atol=1e-4), "angles lost digits before the sine"


def test_step_1_the_model_finds_the_word_and_a_blind_one_does_not():
    mine = variant()
    assert given.accuracy(model(), mine["back"], mine["trained"]) > 0.95
    blind = given.trained(None, mine["back"], mine["trained"], steps=60)
    assert given.accuracy(blind, mine["back"], mine["trained"]) < 0.6


def suspects(layout):
    """Return {name: (program, whether it is wrong)}, for `is_wrong` to tell. layout: that of the right programs."""
    other = next(name for name in given.LAYOUTS if name != layout)
    right = functools.partial(reference, layout=layout)
    return {
        "right": (right, False),
        "also right": (lambda x, at, omega: right(right(x, at + 7, omega), 0 * at - 7, omega), False),
        "other layout": (functools.partial(reference, layout=other), True),
        "clockwise": (lambda x, at, omega: right(x, -at, omega), True),
        "counts by itself": (lambda x, at, omega: right(x, torch.arange(x.shape[2]), omega), True),
        "one from 1": (lambda x, at, omega: right(x, at + 1, omega), True),
        "one frequency": (lambda x, at, omega: right(x, at, omega[:1].expand(len(omega))), True),
        "nothing": (lambda x, at, omega: x, True),
        "first two columns only": (lambda x, at, w: torch.cat([right(x[..., :2], at, w[:1]), x[..., 2:]], -1), True),
    }


@pytest.mark.parametrize("layout", given.LAYOUTS)
@pytest.mark.parametrize("name", suspects("interleaved"))
def test_step_2_finds_out_what_is_wrong(layout, name):
    suspect, wrong = suspects(layout)[name]
    assert capstone.is_wrong(suspect, given.frequencies(100.0), layout) == wrong


def test_step_2_the_model_runs_in_the_other_layout():
    mine, net = variant(), model()
    x = given.texts(4, mine["trained"], seed=77)
    with torch.no_grad():
        before = net(x)
        scheme, attend = net.scheme, net.blocks[0].attend
        kept = [part.weight.data.clone() for part in (attend.query, attend.key)]
        try:
            scheme.layout = next(name for name in given.LAYOUTS if name != mine["layout"])
            assert (net(x) - before).abs().max() > 0.1
            for part in (attend.query, attend.key):
                part.weight.data = capstone.converted(part.weight.data, given.HEADS, scheme.layout)
            assert (net(x) - before).abs().max() < 1e-3
        finally:
            scheme.layout = mine["layout"]
            attend.query.weight.data, attend.key.weight.data = kept


@pytest.mark.parametrize("to", given.LAYOUTS)
def test_step_2_there_and_back_is_where_it_was(to):
    other = next(name for name in given.LAYOUTS if name != to)
    weight = torch.randn(16, 5, generator=torch.Generator().manual_seed(3))
    before = weight.clone()
    there = capstone.converted(weight, 2, to)
    assert torch.equal(weight, before), "the argument was changed"
    assert not torch.equal(there, weight), "nothing was moved"
    assert torch.equal(capstone.converted(there, 2, other), weight), "the two directions undo one another"


@pytest.mark.parametrize("factor", [2, 3.5])
def test_step_3_stretches_by_both_rules(factor):
    omega = given.frequencies(300.0)
    linear, ntk = (capstone.stretched(omega, 300.0, factor, rule) for rule in ("interpolated", "ntk"))
    assert torch.allclose(linear, scaling.linear(omega, factor))
    assert torch.allclose(ntk, scaling.ntk(2 * len(omega), 300.0, factor))


def measured():
    mine = variant()
    return capstone.findings(model(), mine["back"], mine["base"], mine["trained"])


def test_step_3_the_findings_are_measured():
    mine, found, scheme = variant(), measured(), model().scheme
    omega = scheme.omega
    assert torch.equal(omega, given.frequencies(mine["base"])), "findings changed the model's omega"
    for factor in (1, 2, 4):
        rules = {"plain": omega, "interpolated": scaling.linear(omega, factor)}
        rules["ntk"] = scaling.ntk(2 * len(omega), mine["base"], factor)
        for rule, scheme.omega in rules.items():
            again = given.accuracy(model(), mine["back"], factor * mine["trained"])
            assert abs(found[rule][factor] - again) < 0.02, (rule, factor)
    scheme.omega = omega


def test_step_4_the_page_holds_your_numbers():
    page = PAGE.read_text(encoding="utf-8")
    assert 150 <= len(re.findall(r"\w+", page)) <= 600
    for rule, row in measured().items():
        assert rule in page.lower()
        for share in row.values():
            assert f"{share:.2f}" in page, f"{rule}: {share:.2f} is missing"

"""A proof must be able to fail: false and vacuous statements are refused."""

import pytest
import sympy as sp
import torch

from posenc.proof import MIME, REWRITINGS, NotProved, Vacuous, agree, differ, measure, prove, refute

p, k = sp.symbols("p k", real=True)
w = sp.Symbol("omega", positive=True)


def code(position):
    return sp.Matrix([sp.sin(w * position), sp.cos(w * position)])


def rotation(sign=1):
    c, s = sp.cos(k * w), sign * sp.sin(k * w)
    return sp.Matrix([[c, s], [-s, c]])


def shift(right, by="angle addition"):
    return prove("shift", code(p + k), sp.MatMul(right, code(p), evaluate=False), by=by, title="A shift")


@pytest.mark.parametrize("by", ["angle addition", "exponentials", "simplify", ["expand", "angle addition"]])
def test_a_true_statement_is_proved_and_carries_its_bundle(by):
    bundle = shift(rotation(), by)._repr_mimebundle_()
    assert bundle[MIME]["kind"] == "proved"
    assert bundle[MIME]["id"] == "shift"
    assert sp.latex(code(p)) in bundle["text/markdown"]
    assert bundle["text/plain"].startswith("proved shift: A shift")


@pytest.mark.parametrize("by", sorted(REWRITINGS))
def test_a_flipped_sign_is_not_proved_by_any_rewriting(by):
    with pytest.raises(NotProved, match="does not reduce to zero"):
        shift(rotation(sign=-1), by)


def test_a_true_statement_needs_a_rewriting_that_reaches_zero():
    with pytest.raises(NotProved, match="what is left"):
        shift(rotation(), by="expand")


def test_a_rewriting_that_throws_a_term_away_is_caught():
    cheat = ("cheat", lambda expression: sp.Integer(0))
    with pytest.raises(NotProved, match="claims zero"):
        prove("cheat", sp.sin(p), sp.cos(p), by=cheat, title="False")


def test_a_statement_about_matrix_symbols_is_proved_and_can_fail():
    a, x, y = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("x", 2, 1), sp.MatrixSymbol("y", 2, 1)
    assert prove("linear", a * (x + y), a * x + a * y, by="expand", title="Linear").kind == "proved"
    cheat = ("cheat", lambda expression: sp.Integer(0))
    with pytest.raises(NotProved, match="claims zero"):
        prove("cheat", a * (x + y), a * x - a * y, by=cheat, title="False")


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (sp.sin(p), sp.sin(p), "both sides"),
        (sp.Integer(2) + 2, sp.Integer(5), "no free symbol"),
        (sp.sin(1) ** 2 + sp.cos(1) ** 2, sp.Integer(1), "no free symbol"),
    ],
)
def test_a_statement_that_says_nothing_is_refused(left, right, message):
    with pytest.raises(Vacuous, match=message):
        prove("nothing", left, right, by="simplify", title="Nothing")


def test_a_definition_is_not_a_theorem():
    R = sp.MatrixSymbol("R", 2, 2)
    with pytest.raises(Vacuous, match="both sides"):
        prove("nothing", R, rotation(), where={R: rotation()}, by="expand", title="A definition")


def test_definitions_are_shown_under_the_statement():
    R = sp.MatrixSymbol("R_k", 2, 2)
    result = prove(
        "named", R * code(p), code(p + k), where={R: rotation()}, by="angle addition", title="By name"
    )
    assert "R_{k}" in result.statement
    assert sp.latex(rotation()) in result.statement


def test_a_named_function_is_replaced_by_its_definition():
    f = sp.Function("f")
    definition = sp.Lambda(p, sp.exp(sp.I * w * p))
    result = prove("law", f(p + k), f(p) * f(k), where={f: definition}, by="expand", title="Group law")
    assert result.kind == "proved"
    with pytest.raises(NotProved):
        prove("law", f(p + k), f(p) + f(k), where={f: definition}, by="expand", title="False")


def test_each_step_is_checked():
    middle = sp.cos(p) ** 2 - sp.sin(p) ** 2
    result = prove("double", sp.cos(2 * p), 2 * sp.cos(p) ** 2 - 1, steps=[(middle, "addition")],
                   by=["angle addition", "trigsimp"], title="Double angle")  # fmt: skip
    assert sp.latex(middle) in result.statement
    assert "addition" in result.statement
    with pytest.raises(NotProved):
        prove(
            "double", sp.cos(2 * p), 2 * sp.cos(p) ** 2 - 1, steps=[-middle], by="trigsimp", title="Bad step"
        )
    with pytest.raises(Vacuous, match="repeats the line before"):
        prove("double", sp.cos(2 * p), 2 * sp.cos(p) ** 2 - 1, steps=[middle, middle],
              by=["angle addition", "trigsimp"], title="A step of no length")  # fmt: skip


def test_a_relation_may_stand_alone_and_may_fail():
    assert prove("square", sp.Ge(p**2, 0, evaluate=False), by="expand", title="Squares").kind == "proved"
    with pytest.raises(NotProved):
        prove("square", sp.Gt(p**2, 0, evaluate=False), by="expand", title="Zero is a square too")
    with pytest.raises(Vacuous, match="not an open statement"):
        prove("square", sp.Ge(sp.Abs(p), 0), by="expand", title="Already evaluated")


@pytest.mark.parametrize("by", ["magic", [], [p]])
def test_an_unknown_rewriting_is_named(by):
    with pytest.raises(ValueError, match="by must name a rewriting"):
        prove("id", sp.sin(p), sp.cos(p), by=by, title="Title")


def test_a_refutation_rounds_only_what_is_not_whole():
    shown = refute("id", sp.Matrix([p, sp.I * p]), sp.Matrix([p / 2, p]), at={p: 1}, title="Title")
    assert "left: Matrix([ [1], [I]])\n" in shown.plain
    assert "right: Matrix([ [1/2], [  1]]) = Matrix([ [0.5], [1.0]])" in shown.plain
    shown = refute("id", (1 - 2 * sp.I) * (p - sp.I), p, at={p: 3}, title="Title")
    assert "$1 - 7 i$, the right side $3$" in shown.verdict


def test_shapes_ids_and_titles_are_checked():
    with pytest.raises(ValueError, match="one shape"):
        prove("id", code(p), rotation(), by="expand", title="Title")
    with pytest.raises(ValueError, match="id must be words joined by hyphens, got 'No Good'"):
        prove("No Good", sp.sin(p), sp.cos(p), by="expand", title="Title")
    with pytest.raises(ValueError, match="title must say"):
        prove("id", sp.sin(p), sp.cos(p), by="expand", title=" ")


def test_a_refutation_shows_both_values():
    result = refute("double", sp.sin(2 * p), 2 * sp.sin(p), at={p: sp.pi / 2}, title="Sine is not linear")
    assert result.kind == "refuted"
    assert "left side is $0$" in result.verdict
    assert "right side $2$" in result.verdict


def test_a_true_statement_cannot_be_refuted():
    with pytest.raises(NotProved, match="equal at"):
        refute(
            "pythagoras", sp.sin(p) ** 2 + sp.cos(p) ** 2, sp.Integer(1), at={p: sp.Rational(1, 3)}, title="T"
        )
    with pytest.raises(Vacuous, match="nothing to refute"):
        refute("same", sp.sin(p), sp.sin(p), at={p: 1}, title="Same")
    with pytest.raises(ValueError, match="at must give every symbol a value"):
        refute("open", sp.sin(p * w), sp.sin(p), at={p: 1}, title="Open")
    with pytest.raises(TypeError, match="exact values"):
        refute("float", sp.sin(p), sp.cos(p), at={p: 0.01}, title="Float")


def test_agree_accepts_what_is_close_and_refuses_what_is_not():
    ours = torch.tensor([1.0, 2.0])
    close = agree("close", ours, [1.0, 2.0 + 1e-9], within=1e-8)
    assert close.kind == "agreed"
    assert close.verdict == "Largest difference < 10⁻⁸ over 2 numbers."
    assert agree("exact", ours, sp.Matrix([1, 2]).T.tolist()[0], within=0).verdict.startswith("No difference")
    assert agree("complex", torch.tensor([1j]), [sp.I], within=1e-12).kind == "agreed"
    with pytest.raises(NotProved, match=r"largest difference is 0\.1"):
        agree("far", ours, [1.0, 2.1], within=1e-3)
    with pytest.raises(NotProved, match="shapes differ"):
        agree("shape", ours, [[1.0, 2.0]], within=1e-3)
    with pytest.raises(NotProved, match="not finite"):
        agree("nan", [float("nan")], [1.0], within=1e-3)


def test_agree_refuses_a_comparison_that_cannot_fail():
    ours = torch.tensor([1.0, 2.0])
    with pytest.raises(Vacuous, match="one object"):
        agree("self", ours, ours, within=1e-3)
    with pytest.raises(Vacuous, match="empty"):
        agree("empty", [], [], within=1e-3)
    with pytest.raises(Vacuous, match="tighter"):
        agree("loose", ours, [1.0, 2.0], within=5)


def test_differ_and_measure_can_fail():
    assert differ("far", [1.0], [2.0], beyond=0.5).verdict == "Largest difference > 0.5 over one number."
    with pytest.raises(NotProved, match="only 1"):
        differ("far", [1.0], [2.0], beyond=1.5)
    with pytest.raises(Vacuous, match="positive bound"):
        differ("far", [1.0], [2.0], beyond=0)
    assert measure("norm", 7.77, above=7, below=8, title="Norm").verdict == "Measured: above 7 and below 8."
    assert measure("count", 5, exactly=5, title="Count").verdict == "Counted: 5."
    for bounds in ({"above": 8}, {"below": 7}, {"exactly": 8}):
        with pytest.raises(NotProved):
            measure("norm", 7.77, title="Norm", **bounds)
    with pytest.raises(Vacuous, match="cannot fail"):
        measure("norm", 7.77, title="Norm")
    with pytest.raises(NotProved):
        measure("norm", float("nan"), above=7, title="Norm")

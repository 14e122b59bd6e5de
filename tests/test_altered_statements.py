"""Altered statements: what is false is rejected, and what the alteration left true is recognised."""

import ast
import contextlib

import nbformat
import pytest
import sympy as sp
from altered_statements import mutants, recorded
from normalise import FOLDER

from posenc import proof
from posenc.proof.evaluate import Undecided, Undefined
from posenc.proof.statement import Statement

PATHS = sorted(FOLDER.glob("*.ipynb"))
RUN = proof.agree([1.0, 2.0], [1.0, 2.0 + 1e-14], within=1e-12, on="two numbers")
WRONG = proof.differ([1.0], [2.0], beyond=0.5, on="one number")
NONE = sp.Add(sp.sin(1) ** 2, sp.cos(1) ** 2, -1, evaluate=False)  # 0, and SymPy does not see it
prove, refute = proof.prove, proof.refute


def verdict(statement, left, right):
    """'false' with a point, 'rejected' by the rewriting, 'accepted', or 'nonsense' that states nothing."""
    equality = statement.relation is sp.Eq
    stated = (left, right) if equality else (statement.relation(left, right, evaluate=False),)
    try:
        prove("altered", *stated, by=statement.by, where=statement.where, given=statement.given,
              title="Altered", run=RUN)  # fmt: skip
    except (proof.NotProved, Undefined) as problem:
        return "rejected" if "does not reduce" in str(problem) else "false"
    except (proof.Vacuous, ValueError, TypeError, AttributeError, ZeroDivisionError):
        return "nonsense"
    return "accepted"


def holds_elsewhere(statement, left, right):
    """Whether two sides are equal at points that the checker did not use."""
    stated = Statement(left, right, statement.where, statement.given)
    for _, point in stated.domain.points(seed=2026):
        with contextlib.suppress(Undecided):
            if not point.holds(sp.Eq, stated.left, stated.right):
                return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_what_is_altered_is_rejected(path, monkeypatch):
    statements = recorded(path, monkeypatch)
    monkeypatch.setattr(proof.checker, "_lesson", lambda *_: "false")  # in round numbers, it takes most of the time
    counts = dict.fromkeys(("false", "rejected", "accepted", "nonsense", "slipped"), 0)
    for statement in statements:
        if statement.kind == "refuted":
            reject_made_true(statement)
            continue
        for name, left, right in mutants(statement):
            judged = verdict(statement, left, right)
            equality = statement.relation is sp.Eq
            if judged == "accepted" and equality and not holds_elsewhere(statement, left, right):
                judged = "slipped"
                print(f"{statement.id} ({name}): {left} = {right}")
            counts[judged] += 1
    print(path.stem, counts)
    assert counts["slipped"] == 0
    assert counts["false"] + counts["rejected"] >= 4 * counts["accepted"]


def reject_made_true(statement):
    """A refutation whose right side becomes the left one, and a zero that SymPy does not see."""
    left = sp.sympify(statement.left)
    same = left + NONE if not getattr(left, "is_Matrix", False) else left + NONE * sp.ones(*left.shape)
    with pytest.raises((proof.NotProved, ValueError)):
        refute("altered", left, same, at=statement.at, where=statement.where, given=statement.given,
               title="Altered", run=WRONG)  # fmt: skip


COPIES = {"clone", "contiguous", "detach", "double", "float", "tolist", "numpy", "copy"}


def bare(node):
    """The expression without what leaves its numbers as they are."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in COPIES:
        node = node.func.value
    return ast.dump(node)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_two_sides_of_a_run_are_computed_by_different_roads(path):
    """A copy cannot be told from a second computation by its numbers; in the source it can."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code" or "%pip" in cell.source:
            continue
        for call in ast.walk(ast.parse(cell.source)):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("agree", "differ"):
                named = {word.arg: word.value for word in call.keywords}
                sides = [*call.args, *(named[word] for word in ("ours", "theirs") if word in named)]
                if len(sides) == 2:
                    assert bare(sides[0]) != bare(sides[1]), ast.unparse(call)

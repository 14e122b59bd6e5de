"""The capstone's public tests: the starter passes none, the solution all, and a fault fails its step."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each step is tried in a process that imports torch
ROOT = Path(__file__).parents[1]
GIVEN = ROOT / "book" / "_teach" / "capstone"
TABLE = """
import capstone, given
mine = given.variant(capstone.STUDENT)
rope = given.Rope(capstone.turn, given.frequencies(mine["base"]), mine["layout"])
net = given.trained(rope, mine["back"], mine["trained"])
print(capstone.findings(net, mine["back"], mine["base"], mine["trained"]))
"""


def python(folder, *arguments):
    """What a Python says that runs in a folder with this package."""
    around = os.environ | {"PYTHONPATH": str(ROOT / "notebooks"), "OMP_NUM_THREADS": "1",
                           "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # fmt: skip
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=around, capture_output=True, text=True).stdout


def steps(folder, *arguments):
    """For each step, whether its tests passed."""
    said = python(folder, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *arguments)
    outcomes = re.findall(r"^(PASSED|FAILED) test_capstone.py::test_step_(\d)", said, re.M)
    assert outcomes, said
    return {step: [outcome == "PASSED" for outcome, of in outcomes if of == step] for _, step in outcomes}


@pytest.fixture
def work(tmp_path):
    """A folder as a student has it, with the solution in place of the starter."""
    folder = shutil.copytree(GIVEN, tmp_path / "capstone", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.move(folder / "solution.py", folder / "capstone.py")
    return folder


def test_the_starter_passes_nothing(work):
    shutil.copy(GIVEN / "capstone.py", work)
    found = steps(work)
    assert set(found) == set("1234")
    assert not any(any(passed) for passed in found.values())


def test_the_solution_passes_everything_and_a_number_that_was_not_measured_fails(work):
    table = python(work, "-c", TABLE)
    shares = [f"{float(share):.2f}" for share in re.findall(r"\d: (\d\.\d+)", table)]
    assert len(shares) == 9
    page = f"plain, interpolated, ntk: {' '.join(shares)}. " + "The rules were compared in new texts. " * 25
    (work / "findings.md").write_text(page, encoding="utf-8")
    assert all(all(passed) for passed in steps(work).values())
    (work / "findings.md").write_text(page.replace(shares[-1], "0.50"), encoding="utf-8")
    assert steps(work, "-k", "step_4") == {"4": [False]}


@pytest.mark.parametrize(
    ("step", "right", "wrong"),
    [
        ("1", "a * cos - b * sin", "a * cos + b * sin"),
        ("1", "positions[..., None] * omega", "torch.arange(x.shape[2])[:, None] * omega"),
        ("2", "torch.tensor([5, 0, 2, -3])", "torch.arange(4)"),
        ("2", "x = torch.eye(width, dtype=torch.float64)", "x = torch.eye(2, width, dtype=torch.float64)"),
        ("2", "torch.cat([rows[:, ::2], rows[:, 1::2]], 1)", "torch.stack(rows.chunk(2, 1), 2)"),
        ("3", "pairs / (pairs - 1)", "1"),
        ("3", "    scheme.omega = omega\n", ""),
    ],
)
def test_a_fault_fails_its_step(work, step, right, wrong):
    file = work / "capstone.py"
    source = file.read_text(encoding="utf-8")
    assert source.count(right) == 1
    file.write_text(source.replace(right, wrong).replace('"a solution"', '"Ben"'), encoding="utf-8")
    assert not all(steps(work, "-x", "-k", f"step_{step}")[step])

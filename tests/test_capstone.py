"""The capstone's public tests: the starter passes none, the solution all, and a fault fails its step."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each try is a process that imports torch
ROOT = Path(__file__).parents[1]
GIVEN = ROOT / "book" / "_teach" / "capstone"
FINDINGS = """
import test_capstone
shares = [f"{share:.2f}" for row in test_capstone.measured().values() for share in row.values()]
words = "The rules were compared in new texts. " * 25
open("findings.md", "w").write(f"plain, interpolated, ntk: {' '.join(shares)}. {words}")
"""
FAULTS = [
    ("step_1_turns", "a * cos - b * sin", "a * cos + b * sin"),
    ("step_1_turns", "positions[..., None] * omega", "torch.arange(x.shape[2])[:, None] * omega"),
    ("step_2_finds", "torch.tensor([5, 0, 2, -3])", "torch.arange(4)"),
    ("step_2_there", "torch.cat([rows[:, ::2], rows[:, 1::2]], 1)", "torch.stack(rows.chunk(2, 1), 2)"),
    ("step_3_stretches", "pairs / (pairs - 1)", "1"),
    ("step_3_the_findings", "    scheme.omega = omega\n", ""),
]


def run(folder, *arguments):
    """What a Python prints that runs in a folder with this package."""
    around = os.environ | {"PYTHONPATH": str(ROOT / "notebooks"), "OMP_NUM_THREADS": "1"}
    around |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=around, capture_output=True, text=True).stdout


def steps(folder, *arguments):
    """For each step, whether its tests passed."""
    printed = run(folder, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *arguments)
    outcomes = re.findall(r"^(PASSED|FAILED) test_capstone.py::test_step_(\d)", printed, re.M)
    assert outcomes, printed
    return {(int(step), outcome == "PASSED") for outcome, step in outcomes}


@pytest.fixture
def work(tmp_path):
    """A folder as a student has it, with the solution in place of the starter."""
    folder = shutil.copytree(GIVEN, tmp_path / "capstone", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.move(folder / "solution.py", folder / "capstone.py")
    return folder


def test_the_starter_passes_nothing(work):
    shutil.copy(GIVEN / "capstone.py", work)
    assert steps(work) == {(1, False), (2, False), (3, False), (4, False)}


def test_the_solution_passes_everything_and_a_number_that_was_not_measured_fails(work):
    run(work, "-c", FINDINGS)
    assert steps(work) == {(1, True), (2, True), (3, True), (4, True)}
    findings = work / "findings.md"
    findings.write_text(re.sub(r"0\.\d\d\.", "0.50.", findings.read_text(encoding="utf-8")), encoding="utf-8")
    assert steps(work, "-k", "step_4") == {(4, False)}


@pytest.mark.parametrize(("test", "right", "wrong"), FAULTS)
def test_a_fault_fails_its_step(work, test, right, wrong):
    source = (work / "capstone.py").read_text(encoding="utf-8")
    assert source.count(right) == 1
    (work / "capstone.py").write_text(source.replace('"a solution"', '"Ben"').replace(right, wrong), encoding="utf-8")
    assert (int(test[5]), False) in steps(work, "-k", test)

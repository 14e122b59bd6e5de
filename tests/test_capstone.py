"""The capstone's public tests: the starter passes none, the solution all, and a fault fails its step."""

import json
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
SOLVED = """
from pathlib import Path
import pytest, test_capstone
words = "The rules were compared in new texts. " * 25
shares = [f"{share:.2f}" for row in test_capstone.measured().values() for share in row.values()]
for last in shares[-1], "0.50":
    Path("findings.md").write_text(f"plain, interpolated, ntk: {' '.join([*shares[:-1], last])}. {words}")
    pytest.main(["-q", "-rA", "-p", "no:cacheprovider", *(["-k", "step_4"] if last == "0.50" else [])])
"""
FAULTS = [
    ("step_1_turns", "a * cos - b * sin", "a * cos + b * sin"),
    ("step_1_turns", "positions[..., None] * omega", "torch.arange(x.shape[2])[:, None] * omega"),
    ("step_2_finds", "torch.tensor([5, 0, 2, -3])", "torch.arange(4)"),
    ("step_2_finds", "x = torch.eye(width, dtype=torch.float64)", "x = torch.eye(2, width, dtype=torch.float64)"),
    ("step_2_there", "torch.cat([rows[:, ::2], rows[:, 1::2]], 1)", "torch.stack(rows.chunk(2, 1), 2)"),
    ("step_3_stretches", "pairs / (pairs - 1)", "1"),
    ("step_3_the_findings", "    scheme.omega = omega\n", ""),
]
FAULTED = """
import json, sys
from pathlib import Path
import pytest
right = Path("capstone.py").read_text(encoding="utf-8")
for found_by, old, new in json.loads(sys.argv[1]):
    Path("capstone.py").write_text(right.replace(old, new), encoding="utf-8")
    sys.modules.pop("capstone", None), sys.modules.pop("test_capstone", None)
    pytest.main(["-q", "-rA", "-x", "-p", "no:cacheprovider", "-k", found_by])
"""


def steps(folder, *arguments):
    """For each step, whether its tests passed, in a Python that runs in a folder with this package."""
    around = os.environ | {"PYTHONPATH": str(ROOT / "notebooks"), "OMP_NUM_THREADS": "1",
                           "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=around, capture_output=True, text=True)
    outcomes = re.findall(r"^(PASSED|FAILED) test_capstone.py::test_step_(\d)", done.stdout, re.M)
    assert outcomes, done.stdout + done.stderr
    return [(int(step), outcome == "PASSED") for outcome, step in outcomes]


@pytest.fixture
def work(tmp_path):
    """A folder as a student has it, with the solution in place of the starter."""
    folder = shutil.copytree(GIVEN, tmp_path / "capstone", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.move(folder / "solution.py", folder / "capstone.py")
    return folder


def test_the_starter_passes_nothing(work):
    shutil.copy(GIVEN / "capstone.py", work)
    found = steps(work, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider")
    assert {*found} == {(1, False), (2, False), (3, False), (4, False)}


def test_the_solution_passes_everything_and_a_number_that_was_not_measured_fails(work):
    *first, last = steps(work, "-c", SOLVED)
    assert {*first} == {(1, True), (2, True), (3, True), (4, True)}
    assert last == (4, False)


def test_each_fault_fails_its_step(work):
    file = work / "capstone.py"
    source = file.read_text(encoding="utf-8")
    assert all(source.count(right) == 1 for _, right, _ in FAULTS)
    file.write_text(source.replace('"a solution"', '"Ben"'), encoding="utf-8")
    found = [step for step, passed in steps(work, "-c", FAULTED, json.dumps(FAULTS)) if not passed]
    assert found == [1, 1, 2, 2, 2, 3, 3]

"""The statements as programs of their own, as the page runs them."""

import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
import run_here
from results import results_of
from slices import NOTEBOOKS

ROOT = Path(__file__).parent.parent
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
PROGRAMS = {path: run_here.programs(path) for path in PATHS}


@pytest.mark.parametrize("part", range(4))
def test_statements_need_sympy_and_the_checker_alone_and_give_the_cards_in_the_book(part):
    some = [path.stem for path in PATHS if PROGRAMS[path]][part::4]
    command = (sys.executable, "book/_tools/slices.py", *some)
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"SYMPY_GROUND_TYPES": "python"},
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stdout.startswith("0 cards")


def test_most_of_what_is_proved_is_decided_twice():
    kept = [result for path in PATHS for result in results_of(path).values() if result["kind"] == "proved"]
    assert sum(bool(result["twice"]) for result in kept) >= 120


def test_each_statement_has_a_program():
    for path, found in PROGRAMS.items():
        stated = [id for id, result in results_of(path).items() if result["kind"] != "measured"]
        assert set(found) == set(stated), path.stem


def test_programs_are_short():
    lengths = [sum(map(bool, text.splitlines())) for found in PROGRAMS.values() for text in found.values()]
    assert statistics.median(lengths) <= 12
    assert max(lengths) <= 30


def test_a_program_states_what_its_slice_states():
    title = "words enough to fill more than one line of a program"
    long = f"prove('x', (first_name_of_a_tuple,), [second_name, third_name], title='{title}')"
    (text,) = run_here.formatted([long])
    assert compile(text, "", "exec").co_code == compile(long, "", "exec").co_code
    assert max(map(len, text.splitlines())) <= run_here.WIDTH


def test_the_parts_are_those_of_the_lock():
    pinned = (ROOT / "book" / "_ext" / "run_parts.txt").read_text()
    lock = (ROOT / "requirements.lock").read_text().splitlines()
    wanted = re.findall(r"^([\w-]+==[\d.]+) --hash=sha256:[0-9a-f]{64}$", pinned, re.M)
    assert len(wanted) == 3
    assert set(wanted) <= set(lock)

"""Do the tests notice a fault? Change the package in many small ways, and count the changes that pass.

Run by hand, for it takes its time: `.venv/bin/python tests/mutate.py rotary additive doors`, or without names
for every module below. mutmut makes the changes ("mutants") one at a time, in a copy under `_build/mutants`,
and runs the tests that reach the changed function, quickest first, until one fails. What no test kills is
listed at the end, with the change; a rate below the one named here is an error.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "_build" / "mutants"
# The quick tests of each module. What compiles or exports takes seconds a test, and reaches the same lines.
# test_statements.py takes minutes and is left out: a mutant that it alone would kill counts as alive.
TENSORS = ["test_rotary.py", "test_additive.py", "test_doors.py", "test_guard.py", "test_inside_torch.py"]
PROOFS = ["test_proof.py", "test_false_statements.py"]
PICTURES = ["test_draw.py", "test_figures.py"]
TESTS = {
    **dict.fromkeys(["rotary", "additive", "doors", "frequencies"], TENSORS),
    **dict.fromkeys(["proof", "balls", "domain", "numeric", "rewriting"], PROOFS),
    **dict.fromkeys(["draw", "picture", "signs"], PICTURES),
}
LEAST = 0.92
SLOW = "compile or compiled or export or graph or kernel"

CONFIG = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {mutated}
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:xdist", "--mpl", "-k", "not ({slow})"]
pytest_add_cli_args_test_selection = {tests}
also_copy = ["book", "notebooks", "_config.yml"]
use_git_change_detection = false

[tool.pytest.ini_options]
pythonpath = ["src"]
filterwarnings = ["error"]
"""


def prepare(modules):
    """Lay a copy of the package out as mutmut wants it, with the tests for it."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    shutil.copytree(ROOT / "notebooks" / "posenc", FOLDER / "src" / "posenc")
    for name in ("tests", "book"):
        shutil.copytree(ROOT / name, FOLDER / name)
    (FOLDER / "notebooks").mkdir()
    for path in [ROOT / "_config.yml", *(ROOT / "notebooks").glob("*.ipynb")]:
        shutil.copy(path, FOLDER / path.relative_to(ROOT))
    chosen = sorted({test for module in modules for test in TESTS[module]})
    text = CONFIG.format(
        mutated=json.dumps([f"src/posenc/{module}.py" for module in modules]),
        tests=json.dumps([f"tests/{test}" for test in chosen]),
        slow=SLOW,
    )
    (FOLDER / "pyproject.toml").write_text(text)


def mutmut(*arguments):
    """mutmut, in the copy."""
    return subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments], cwd=FOLDER, text=True, stdout=subprocess.PIPE
    )


def main():
    """Run the mutants of the modules that the command line names; return 1 if too few of one are killed."""
    modules = sys.argv[1:] or [
        name for name in TESTS if (ROOT / "notebooks" / "posenc" / f"{name}.py").exists()
    ]
    prepare(modules)
    run = mutmut("run", "--max-children", "1")
    if run.returncode:
        print(f"{run.stdout[-4000:]}\nmutmut stopped with {run.returncode}")
        return 1
    verdicts = [
        line.split(": ") for line in mutmut("results", "--all", "true").stdout.split("\n") if ": " in line
    ]
    low = False
    for module in modules:
        mine = {
            name.strip(): verdict
            for name, verdict in verdicts
            if name.strip().startswith(f"posenc.{module}.")
        }
        alive = [
            name
            for name, verdict in mine.items()
            if verdict not in ("killed", "timeout", "caught by type check")
        ]
        for name in alive:
            print(f"\n{mine[name]}: {name}\n{mutmut('show', name).stdout}")
        rate = 1 - len(alive) / max(1, len(mine))
        low = low or rate < LEAST
        print(f"{module}: {len(mine) - len(alive)} of {len(mine)} killed, {rate:.1%}")
    return int(low)


if __name__ == "__main__":
    sys.exit(main())

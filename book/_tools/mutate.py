"""Do the tests notice a fault? Change the package in many small ways, and count the changes that pass.

Run by hand, for it takes its time: `.venv/bin/python book/_tools/mutate.py rotary additive doors`, or without
names for every module below. mutmut makes the changes ("mutants") one at a time, in a copy under
`_build/mutants`, and runs the tests that reach the changed function, quickest first, until one fails. What no
test kills is listed at the end, with the change; a rate below the one named here is an error.

After new tests, `mutate.py --again rotary` runs only those that were alive, with the tests of today.
"""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "notebooks" / "posenc"
FOLDER = ROOT / "_build" / "mutants"


def in_folder(name):
    """The modules of a package within the package."""
    return [f"{name}/{path.stem}" for path in sorted((PACKAGE / name).glob("*.py"))]


# The tests of each module, but for those that are marked slow: what compiles or exports reaches the same lines.
# test_altered_statements.py takes minutes and is left out: a mutant that it alone would kill counts as alive.
TENSORS = ["test_rotary.py", "test_additive.py", "test_doors.py", "test_guard.py", "test_inside_torch.py"]
PROOFS = ["test_proof.py", "test_checker_language.py", "test_rewriting.py"]
PICTURES = ["test_draw.py", "test_figures.py"]
TESTS = {
    **dict.fromkeys(["rotary", "rotary_fast", "layouts", "memo", "additive", "doors", "frequencies"], TENSORS),
    **dict.fromkeys(["numeric", *in_folder("proof")], PROOFS),
    **dict.fromkeys(in_folder("draw"), PICTURES),
}
LEAST = 0.92
KILLED = ("killed", "timeout", "caught by type check")

CONFIG = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = ["src/posenc/{module}.py"]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:xdist", "--mpl", "-m", "not slow"]
pytest_add_cli_args_test_selection = {tests}
also_copy = ["book", "notebooks", "proofs", "_config.yml"]
use_git_change_detection = false

[tool.pytest.ini_options]
pythonpath = ["src", "book/_tools", "book/_ext", "book/_teach"]
markers = ["slow"]
filterwarnings = ["error"]
"""


def prepare(module, again):
    """Lay a copy of the package out as mutmut wants it, with the tests for one module. Returns its folder.

    again: keep what the run before found out, and only bring the tests up to date.
    """
    folder = FOLDER / module
    if not again:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(PACKAGE, folder / "src" / "posenc")
        (folder / "notebooks").mkdir()
        for path in [ROOT / "_config.yml", *(ROOT / "notebooks").glob("*.ipynb")]:
            shutil.copy(path, folder / path.relative_to(ROOT))
        tests = json.dumps([f"tests/{test}" for test in TESTS[module]])
        (folder / "pyproject.toml").write_text(CONFIG.format(module=module, tests=tests))
    for name in ("tests", "book", "proofs"):
        for place in (folder / name, folder / "mutants" / name):
            shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(ROOT / name, folder / name)
    # Which tests reach which function is asked anew.
    (folder / "mutants" / "mutmut-stats.json").unlink(missing_ok=True)
    return folder


def mutmut(folder, *arguments):
    """mutmut, in the copy."""
    return subprocess.run([sys.executable, "-m", "mutmut", *arguments], cwd=folder, text=True, stdout=subprocess.PIPE)


def verdicts(folder):
    """{mutant: verdict} of the run before."""
    lines = mutmut(folder, "results", "--all", "true").stdout.split("\n")
    return dict(line.strip().split(": ") for line in lines if ": " in line)


def run(module, again):
    """Run the mutants of a module, show those that stay alive, and return the share that was killed."""
    folder, source = FOLDER / module, f"{module}.py"
    if again and not (folder / "mutants").exists():
        raise SystemExit(f"{module} has no run to repeat: leave out --again")
    if again and (folder / "src/posenc" / source).read_text() != (PACKAGE / source).read_text():
        raise SystemExit(f"{module} was changed since its run: leave out --again")
    prepare(module, again)
    names = [name for name, verdict in verdicts(folder).items() if verdict not in KILLED] if again else []
    if names or not again:
        done = mutmut(folder, "run", "--max-children", "1", *names)
        if done.returncode:
            raise SystemExit(f"{done.stdout[-4000:]}\nmutmut stopped with {done.returncode}")
    found = verdicts(folder)
    alive = [name for name, verdict in found.items() if verdict not in KILLED]
    for name in alive:
        print(f"\n{found[name]}: {name}\n{mutmut(folder, 'show', name).stdout}")
    killed = 1 - len(alive) / max(1, len(found))
    print(f"{module}: {len(found) - len(alive)} of {len(found)} killed, {killed:.1%}", flush=True)
    return killed


def main():
    """Run the mutants of the modules that the command line names; return 1 if too few of one are killed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", default=list(TESTS), help=f"of {', '.join(TESTS)}")
    parser.add_argument("--again", action="store_true", help="only those that were alive in the run before")
    options = parser.parse_args()
    chosen = {name: [one for one in TESTS if one == name or one.startswith(f"{name}/")] for name in options.modules}
    unknown = [name for name, found in chosen.items() if not found]
    if unknown:
        parser.error(f"no tests are named for {', '.join(unknown)}: choose from {', '.join(TESTS)}")
    return int(min(run(module, options.again) for found in chosen.values() for module in found) < LEAST)


if __name__ == "__main__":
    sys.exit(main())

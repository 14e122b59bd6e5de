"""Check one chapter, as `make check CHAPTER=07` does: its notebook, its rules, its exercises, its page.

The page is built alone, into `_build/check`; links to other pages lead nowhere there.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import normalise
import yaml

ALONE = ("xref_missing", "unknown document", "toctree", "undefined label", "cross-reference", "no result settles")
GRADING = "tests/test_exercises.py"
PLACE = normalise.ROOT / "_build" / "check"


def run(*command):
    """Run a command of this Python; whether it succeeded."""
    return subprocess.run([sys.executable, "-m", *map(str, command)], cwd=normalise.ROOT).returncode == 0


def page(path):
    """Build the page of one notebook, and print the warnings that it would also give in the book."""
    PLACE.mkdir(parents=True, exist_ok=True)
    for made in ("html", ".doctrees"):  # no build works on the result of another
        shutil.rmtree(PLACE / "_build" / made, ignore_errors=True)
    entry = {"file": f"notebooks/{path.stem}"}
    toc = {"format": "jb-book", "root": "book/index", "parts": [{"caption": "Alone", "chapters": [entry]}]}
    (PLACE / "_toc.yml").write_text(yaml.safe_dump(toc))
    program = Path(sys.executable).with_name("jupyter-book")
    command = [program, "build", "--toc", PLACE / "_toc.yml", "--path-output", PLACE, "."]
    done = subprocess.run(list(map(str, command)), cwd=normalise.ROOT, capture_output=True, text=True)
    lines = (done.stdout + done.stderr).splitlines()
    found = [line for line in lines if ("WARNING" in line or "ERROR" in line) and path.stem in line]
    found = [line for line in found if not any(words in line for words in ALONE)]
    found += lines[-20:] if done.returncode else []
    print("\n".join(found), PLACE / "_build" / "html" / "notebooks" / f"{path.stem}.html", sep="\n")
    return not found and not done.returncode


def main(chapter):
    paths = [path for path in normalise.notebooks() if normalise.number(path) == int(chapter)]
    if not paths:
        sys.exit(f"CHAPTER must be the number of a chapter, got {chapter}: try 07")
    first = next(path for path in paths if not normalise.is_appendix(path))
    names = " or ".join(path.stem for path in paths)
    checks = f"chapter_{int(chapter):02} or {first.stem}"
    fine = [
        run("ruff", "check", "--quiet", *paths),
        run("pytest", "-q", "--nbval", "-p", "no:cacheprovider", first),
        run("pytest", "-q", "tests/test_notebooks.py", "tests/test_minutes.py", "-k", names),
        run("pytest", "-q", "tests/test_checks.py", "tests/test_slides.py", "-k", checks),
        run("pytest", "-q", GRADING, "-k", f"{first.stem} or variant and {int(chapter)}.") if int(chapter) else True,
        page(first),
    ]
    sys.exit(not all(fine))


if __name__ == "__main__":
    main(sys.argv[1])

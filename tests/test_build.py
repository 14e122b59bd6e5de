"""When `make book` builds: tried with a builder that lists what it was given, in a small tree."""

import os
import shutil
import subprocess

import pytest
from pages import ROOT

BUILDER = """#!/bin/sh
[ ! -e _build/html ] && [ ! -e _build/.doctrees ] || exit 7  # made from nothing
mkdir -p _build/html _build/.doctrees _build/.jupyter_cache
[ ! -e fails ] || exit 1
[ ! -e killed ] || kill -9 $$
find notebooks book -type f -exec cat {} + > _build/html/index.html
echo built >> builds
"""


@pytest.fixture
def tree(tmp_path):
    """A tree with the Makefile, an environment that is ready, and one file of each kind."""
    files = [
        *("_config.yml", "_toc.yml", "requirements.lock", "proofs/a.v", "book/page.md", "notebooks/01.ipynb"),
        *("notebooks/posenc/a.py", "book/_ext/run_parts.py", "book/_ext/run_parts.txt", "book/_ext/run_pack.py"),
        *("notebooks/posenc/real_file.py", ".venv/.ready"),
    ]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("torch==2.0\n" if name.startswith("req") else name)
    os.utime(tmp_path / "requirements.lock", (0, 0))
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / ".venv" / "bin").mkdir()
    programs = {
        "jupyter-book": BUILDER,
        "jcache": "#!/bin/sh\necho $1 >> runs\n",
        "python": "#!/bin/sh\n[ $1 = -m ] && echo $2 >> models || echo $1 >> packs\n",
    }
    for name, text in programs.items():
        program = tmp_path / ".venv" / "bin" / name
        program.write_text(text)
        program.chmod(0o755)
    return tmp_path


def make(tree):
    """Run `make book`; returns whether it succeeded, and how many builds there were so far."""
    done = subprocess.run(["make", "book"], cwd=tree, capture_output=True)
    builds = tree / "builds"
    return done.returncode == 0, len(builds.read_text().split()) if builds.exists() else 0


def test_what_runs_in_the_page_is_packed_once_for_each_list_of_it(tree):
    make(tree)
    (tree / "book" / "page.md").write_text("other words")
    make(tree)
    assert (tree / "packs").read_text().split() == ["book/_ext/run_parts.py"]
    (tree / "book" / "_ext" / "run_parts.txt").write_text("sympy==2")
    make(tree)
    assert len((tree / "packs").read_text().split()) == 2


def test_the_released_model_is_fetched_once_and_again_if_its_file_is_another(tree):
    make(tree)
    (tree / "notebooks" / "01.ipynb").write_text("changed")
    make(tree)
    assert (tree / "models").read_text().split() == ["posenc.real"]
    (tree / "notebooks" / "posenc" / "real_file.py").write_text("other")
    make(tree)
    assert (tree / "models").read_text().split() == ["posenc.real"] * 2


def test_any_change_is_built_once(tree):
    sources = ("_config.yml", "_toc.yml", "proofs/a.v", "book/page.md", "notebooks/01.ipynb", "notebooks/posenc/a.py")
    names = (*sources, ".venv/.ready")
    make(tree)
    for builds, name in enumerate(names, 2):
        (tree / name).write_text("changed")
        assert make(tree) == (True, builds), name
    (tree / "book" / "page.md").rename(tree / "book" / "other.md")
    assert make(tree) == (True, builds + 1)
    (tree / "book" / "other.md").unlink()
    assert [make(tree), make(tree)] == [(True, builds + 2)] * 2


@pytest.mark.parametrize("end", ["fails", "killed"])
def test_a_build_that_came_to_no_end_leaves_nothing_to_the_next(tree, end):
    make(tree)
    (tree / "book" / "page.md").write_text("changed")
    (tree / end).touch()
    assert make(tree) == (False, 1)
    (tree / end).unlink()
    assert make(tree) == (True, 2)
    assert "changed" in (tree / "_build" / "html" / "index.html").read_text()


def test_notebooks_are_asked_for_when_one_changes_and_run_again_when_the_package_does(tree):
    cache, runs = tree / "_build" / ".jupyter_cache" / "kept", tree / "runs"
    changes = {"book/page.md": (True, 0), "notebooks/01.ipynb": (True, 1), "notebooks/posenc/a.py": (False, 1)}
    for name, expected in changes.items():
        make(tree)
        cache.touch()
        before = runs.read_text().split()
        (tree / name).write_text("changed")
        make(tree)
        assert (cache.exists(), runs.read_text().split()[len(before) :].count("project")) == expected, name

"""When `make book` builds: tried with a builder that lists what it was given, in a small tree."""

import shutil
import subprocess

import pytest

from coursebook.content import ROOT

IN_PAGE = "book/coursebook/sphinx/run_in_page"
BUILDER = """#!/bin/sh
[ ! -e _build/.next ] || exit 7  # made from nothing
mkdir -p _build/.next/_build/html _build/.jupyter_cache
[ ! -e fails ] || exit 1
[ ! -e killed ] || kill -9 $$
find notebooks book -type f -exec cat {} + > _build/.next/_build/html/index.html
echo built >> builds
"""
PYTHON = """#!/bin/sh
case "$1 $2" in
  "-c "*) ;;
  "-m venv") mkdir -p .venv/bin && cp "$(dirname "$0")"/* .venv/bin ;;
  "-m pip") ;;
  "-m "*) echo $2 >> modules ;;
esac
"""


@pytest.fixture
def tree(tmp_path):
    """A tree with the Makefile, programs for an environment, and one file of each kind."""
    files = [
        *("_config.yml", "_toc.yml", "requirements.lock", "pyproject.toml", "proofs/a.v", "book/page.md"),
        *("notebooks/01.ipynb", "notebooks/posenc/a.py", "notebooks/posenc/real_file.py"),
        *(f"{IN_PAGE}/run_{name}" for name in ("parts.py", "parts.txt", "pack.py")),
        "book/coursebook/sphinx/frame/katex.py",
    ]
    tree, programs = tmp_path / "Kurs #1, 100% (ü)", tmp_path / "programs"
    for name in files:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("torch==2.0\nsympy==1.0\n" if name.startswith("req") else name)
    shutil.copy(ROOT / "Makefile", tree)
    programs.mkdir()
    for name, text in {"jupyter-book": BUILDER, "jcache": "#!/bin/sh\necho $1 >> runs\n", "python": PYTHON}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return tree


def run_make(tree):
    """Run `make book`; returns the process that ended."""
    python = f"PYTHON={tree.parent}/programs/python"
    return subprocess.run(["make", "book", python], cwd=tree, capture_output=True, text=True)


def make(tree):
    """Run `make book`; returns whether it succeeded, and how many builds there were so far."""
    done, builds = run_make(tree), tree / "builds"
    return done.returncode == 0, len(builds.read_text().split()) if builds.exists() else 0


def test_a_name_that_make_cannot_take_is_named(tree):
    (tree / "notebooks" / "Untitled 1.ipynb").touch()
    done = run_make(tree)
    assert done.returncode
    assert "notebooks/Untitled 1.ipynb\nFor make a name ends" in done.stderr


@pytest.mark.parametrize(
    ("program", "source"),
    [("run_in_page.run_parts", f"{IN_PAGE}/run_parts.txt"), ("posenc.real", "notebooks/posenc/real_file.py")],
)
def test_what_is_fetched_is_fetched_once_and_again_if_its_list_or_file_is_another(tree, program, source):
    for changed, times in (("_toc.yml", 1), ("notebooks/01.ipynb", 1), (source, 2)):
        make(tree)
        (tree / changed).write_text("changed")
        make(tree)
        assert (tree / "modules").read_text().count(program) == times


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
    site = tree / "_build" / "html" / "index.html"
    assert make(tree) == (False, 1)
    assert "changed" not in site.read_text()  # the old one stays until the new one is there
    (tree / end).unlink()
    assert make(tree) == (True, 2)
    assert "changed" in site.read_text()


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

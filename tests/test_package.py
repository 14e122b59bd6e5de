"""The package as it is installed: typed, and without notebooks or tests."""

import shutil
import subprocess
import sys
import zipfile

import pytest

from coursebook.content import ROOT


def run(*command, cwd=ROOT):
    done = subprocess.run([sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_annotations_hold():
    run("mypy")


@pytest.mark.slow
def test_the_wheel_has_the_package_and_nothing_else(tmp_path):
    """That which `pip install .` would install."""
    clone = tmp_path / "course"  # what is built leaves its traces there
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(".*", "_build", "build", "__pycache__"))
    run("pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet", ".", cwd=clone)
    (path,) = clone.glob("posenc-*.whl")
    with zipfile.ZipFile(path) as archive:
        wheel = archive.namelist()
    files = (ROOT / "notebooks" / "posenc").rglob("*")
    files = [path for path in files if path.suffix in {".py", ".typed", ".jsonl", ".txt", ".npy", ".md", ".json"}]
    package = {path.relative_to(ROOT / "notebooks").as_posix() for path in files}
    assert {name for name in wheel if ".dist-info/" not in name} == package

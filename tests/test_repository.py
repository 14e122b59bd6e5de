"""What must stay true of the repository's files."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml

from coursebook.content import ROOT, config, notebooks, page_names
from coursebook.sphinx.directives.results import by_our_rewritings
from posenc.lab import results as lab_results
from posenc.real_lab import results as real_results

CONFIG = config()
WORKFLOWS = [ROOT / ".github" / "workflows" / name for name in ("ci.yml", "weekly.yml")]


def tracked():
    """The text files that git would take, in a clone as in a folder that was downloaded."""
    # In a hook git's variables name the repository that is committed to, which may be that of another folder.
    options = {"check": True, "env": {"PATH": os.environ["PATH"]}}
    with TemporaryDirectory() as empty:
        subprocess.run(["git", "init", "--quiet", empty], **options)
        git = ["git", "--git-dir", f"{empty}/.git", "--work-tree", ROOT, "ls-files", "--others", "--exclude-standard"]
        listing = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, **options).stdout
    files = [ROOT / line for line in listing.splitlines()]
    return [file for file in files if file.is_file() and file.suffix not in {".png", ".woff2", ".npy"}]


def test_toc_lists_every_page_and_nothing_else():
    found = [*(ROOT / "book").rglob("*.md"), *(ROOT / "notebooks").glob("*.ipynb")]
    names = {path.relative_to(ROOT).with_suffix("").as_posix() for path in found}
    assert names - {*page_names()} == set(), "these pages are not in _toc.yml: list them there, or delete them"
    assert {*page_names()} - names == set(), "_toc.yml lists these pages, which are not there: take them out"
    assert len(page_names()) == len(names), "_toc.yml lists a page twice"
    listed = [name for name in page_names() if name.startswith("notebooks/")]
    assert listed == [chapter.page for chapter in notebooks()]  # by number, appendices last
    assert all(re.fullmatch(r"notebooks/(\d\d|a\d+)_[a-z0-9_]+", name) for name in listed)


def test_the_public_address_stands_once():
    slug = CONFIG["repository"]["url"].removeprefix("https://github.com/")
    found = [file.relative_to(ROOT).as_posix() for file in tracked() for _ in re.findall(slug, file.read_text())]
    # Each notebook holds one copy, which `coursebook.tools.normalise` writes.
    chapters = sorted(f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert sorted(found) == sorted(["_config.yml", *chapters])


def test_no_path_of_one_machine():
    paths = re.compile(r"(?<![\w.])/(?:work|root|home|Users|tmp)/\w")
    found = [file.name for file in tracked() if paths.search(file.read_text())]
    assert found == []


def pins(path):
    lines = (ROOT / path).read_text().splitlines()
    return [line for line in lines if line and not line.startswith(("#", "--"))]


def test_the_whole_stack_is_locked():
    lock = pins("requirements.lock")
    assert [line for line in lock if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    other = set(map(str.lower, pins("requirements.txt"))) - set(map(str.lower, lock))
    assert not other, f"requirements.txt has {', '.join(sorted(other))}: write there what you mean, then run make lock"


# The oldest and the newest: Debian 12 has the former.
@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11.2", "3.14"])
def test_each_python_can_install_the_lock(version, tmp_path):
    """The package index is asked, and nothing is installed. `make lock` asks by pip, which takes a minute each."""
    install = [sys.executable, "-m", "uv", "pip", "install", "--dry-run", "--no-deps"]
    options = ["--target", tmp_path, "--only-binary", ":all:", "--python-version", version]
    lock = ["--requirement", ROOT / "requirements.lock"]
    done = subprocess.run([*install, *options, *lock], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_binder_has_what_the_package_needs_in_the_versions_of_the_lock():
    lines = pins(".binder/requirements.txt")
    assert "-c ../requirements.lock" in lines
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = project["dependencies"] + project["optional-dependencies"]["real"]
    needed = {re.split(r"[<>=~!]", need)[0] for need in listed}
    assert {line for line in lines if not line.startswith("-")} == needed
    assert (ROOT / ".binder" / "runtime.txt").read_text() == "python-3.11\n"


@pytest.mark.slow
def test_binder_fetches_the_released_model_while_its_image_is_built(monkeypatch):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    assert subprocess.check_output([ROOT / ".binder" / "postBuild"], cwd=ROOT).endswith(b".gguf\n")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_is_pinned_and_may_do_little(path):
    text = path.read_text()
    uses = re.findall(r"uses:\s*(.+)", text)
    assert uses
    assert [use for use in uses if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)] == []
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert "timeout-minutes" in job
        assert set(job.get("permissions", {})) <= {"contents", "pages", "id-token"}


def cards():
    return [card for chapter in notebooks() for card in chapter.results.values()]


def test_readme_and_the_page_of_results_say_what_is_kept():
    lab, real = (len(results.FILE.read_text().splitlines()) for results in (lab_results, real_results))
    imports = re.compile(r"from posenc\.(real_)?lab import [\w, ]*\bresults\b")
    readers = [chapter for chapter in notebooks() if any(imports.search(cell.source) for cell in chapter.cells)]
    others = [chapter.number for chapter in readers if chapter.number not in (11, 12)]  # the laboratory is of 11
    words = f"the {lab} runs of chapter 11 and the {real} of chapter 12, from which chapters "
    words += f"{', '.join(map(str, others[:-1]))} and {others[-1]} take some results too"
    for page in ("README.md", "book/results.md"):
        assert words in " ".join((ROOT / page).read_text().split()), page


def test_a_card_on_kept_runs_says_so():
    """Those of chapters 1, 8 and 11."""
    names = ("lab-", "order-released-", "practice-layout-told")
    anew = (
        "lab-exchanged",
        "lab-held",
        "lab-second-hand",
        "lab-ahead",
        "lab-not-ahead",
        "lab-loud",
        "lab-faint",
    )  # by models trained there
    of_runs = [card for card in cards() if card.id.startswith(names) and card.id not in anew]
    assert len(of_runs) > 10
    assert [card.id for card in of_runs if "kept, a sample is made again" not in card.verdict] == []


def test_most_results_are_measurements_and_a_fifth_of_the_proofs_rewrite_sums_by_rules_of_ours():
    assert "Most results are measurements." in (ROOT / "README.md").read_text()
    kinds = [card.kind for card in cards()]
    assert kinds.count("measured") > len(kinds) / 2
    assert "in about one proof in five it rewrote sums by rules" in (ROOT / "README.md").read_text()
    assert 1 / 6 < by_our_rewritings(cards()) / kinds.count("proved") < 1 / 4


def code(folder, kind="py"):
    """{path from the root: text} of the files of a kind in a folder."""
    files = sorted((ROOT / folder).rglob(f"*.{kind}"))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_one_package_makes_the_book_one_module_reads_it_and_one_table_orders_its_steps():
    package = code("book/coursebook")
    in_page = {"book/assets/run/desk.py", "book/coursebook/sphinx/run_in_page/run_pack.py"}
    python = package | code("book") | code("notebooks/posenc") | code("tests")
    elsewhere = [path for path in code("book") if path not in package and "/teach/growing/" not in path]
    assert elsewhere == ["book/assets/run/desk.py"], "Python of the site belongs to the package"
    edits = re.compile(r"^[^#\"]*\bsys\.path(\.|\s*\+?=)", re.M)
    assert {path for path, text in python.items() if edits.search(text)} <= in_page
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert settings["pythonpath"] == ["notebooks", "book"]
    readers = re.compile(r"^\s*(?:import|from) yaml\b|\bnbformat\.reads?\(|\.ya?ml\"\)\.read_text", re.M)
    assert [path for path in package if readers.search(package[path])] == ["book/coursebook/content.py"]
    priorities = re.compile(r"\bpriority=\d|\bdefault_priority = \d")
    assert [path for path in package if priorities.search(package[path])] == []
    assert [path for path, text in code("notebooks/posenc").items() if "coursebook" in text] == []

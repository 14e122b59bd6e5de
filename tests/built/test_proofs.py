"""The theorems of proofs/: accepted by the kernel, resting on nothing of ours, unchanged, linked."""

import importlib.util
import json
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "proofs"
SITE = ROOT / "_build" / "html"
PAGE = (ROOT / "book" / "every_size.md").read_text()
SEALS = yaml.safe_load((PROOFS / "seals.yml").read_text())
KINDS = {"states": "For every size: ", "closes": "The whole derivation: "}
SHOWN = re.findall(r"^```\{theorem\} (\S+)$", PAGE, re.MULTILINE)


def load():
    """The module proofs/check.py, which is a script that needs no package."""
    spec = importlib.util.spec_from_file_location("check_proofs", PROOFS / "check.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


proofs = load()
STATED = proofs.stated()
THEOREMS = proofs.theorems()


@pytest.fixture(scope="module")
def kernel():
    """Coq is here. Where it is not, say so; under CI it must be, and `make test` has provided it."""
    try:
        said = proofs.provide()  # under CI this installs a Coq, or fails
    except SystemExit as failure:
        pytest.fail(str(failure))
    if not proofs.coq():
        pytest.skip(said)


@pytest.fixture(scope="module")
def report(kernel):
    try:
        return proofs.check()
    except SystemExit as failure:
        pytest.fail(str(failure))


def test_the_kernel_accepts_all_and_they_rest_on_the_classical_axioms_alone(report):
    assert set(report.together) <= proofs.CLASSICAL


def test_statements_are_those_that_are_kept(report):
    assert report.statements() == proofs.KEPT.read_text(), "see what changed; if it is meant: check.py --keep"


BREAKAGES = {
    "a sign": ("Wx *m x + Wp *m P", "Wx *m x - Wp *m P"),
    "Admitted": ("Proof. exact: mul_row_col. Qed.", "Proof. Admitted."),
    "an axiom": (
        "Theorem adding_is_sharing",
        "Axiom ours : forall m n (A B : 'M[F]_(m, n)), A = B.\nTheorem adding_is_sharing",
    ),
    "a weaker statement": (
        "m d e (Wx : 'M[F]_(m, d)) (Wp : 'M_(m, e))",
        "m d (e := d) (Wx Wp : 'M[F]_(m, d))",
    ),
    "a rename": ("Theorem concatenation_is_sum", "Theorem concatenation"),
}


@pytest.mark.parametrize("name", BREAKAGES)
def test_breakage_is_caught(kernel, tmp_path, name):
    old, new = BREAKAGES[name]
    text = (PROOFS / "adding.v").read_text()
    assert text.count(old) == 1
    text = text.replace(old, new)
    if name == "an axiom":
        text = text.replace("rewrite mul_row_col mulmxDr.", "exact: ours.")
    (tmp_path / "adding.v").write_text(text)
    try:
        report = proofs.check(tmp_path)
    except SystemExit:
        return
    entries = proofs.KEPT.read_text()
    kept = all(entry in entries for entry in report.statements().split("\n\n"))
    assert not (kept and set(report.together) <= proofs.CLASSICAL)


def test_untouched_files_pass_the_same_check(kernel, tmp_path):
    shutil.copy(PROOFS / "adding.v", tmp_path)
    report = proofs.check(tmp_path)
    assert report.together == []
    assert all(entry in proofs.KEPT.read_text() for entry in report.statements().split("\n\n"))


def test_without_coq_it_says_so_and_in_ci_it_fails(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", "")
    assert "not checked (on Debian 12: apt-get install coq" in proofs.provide()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(SystemExit, match="could not be installed"):
        proofs.provide()


# What can be seen without Coq.


def test_enough_theorems_and_enough_results_with_a_seal():
    """Raise these numbers when there are more: a theorem or a seal that goes is then seen."""
    assert len(THEOREMS) >= 87
    assert len({result for kinds in SEALS.values() for results in kinds.values() for result in results}) >= 76


def test_names_are_unique():
    names = [entry.name for entry in STATED]
    assert sorted(set(names)) == sorted(names)


def test_the_kept_statements_are_of_these_names():
    kept = re.findall(r"^(\S+)  [0-9a-f]{16}$", proofs.KEPT.read_text(), re.MULTILINE)
    assert kept == [entry.name for entry in STATED]


@pytest.mark.parametrize("file", sorted(PROOFS.glob("*.v")), ids=lambda file: file.name)
def test_nothing_is_left_open(file):
    text = re.sub(r"\(\*.*?\*\)", "", file.read_text(encoding="ascii"), flags=re.DOTALL)
    words = "Admitted|admit|give_up|Abort|Axioms?|Parameters?|Conjecture|Guard|Positivity|bypass_check"
    assert re.findall(rf"\b({words})\b", text) == []
    assert max(map(len, text.splitlines())) <= 120


def test_statements_are_made_of_what_is_listed():
    text = "".join(file.read_text() for file in PROOFS.glob("*.v"))
    assert not re.search(
        r"^ *(Fixpoint|Inductive|CoFixpoint|CoInductive|Structure|Class)\b", text, re.MULTILINE
    )
    helpers = re.findall(r"\b(?:Local|Let|Program|Global) Definition (\w+)", text)
    stated = " ".join(entry.source for entry in STATED)
    assert [name for name in helpers if re.search(rf"\b{name}\b", stated)] == []


@pytest.mark.parametrize("name", THEOREMS)
def test_a_theorem_has_a_comment(name):
    assert THEOREMS[name].comment.endswith(".")


def test_each_theorem_is_listed_with_its_seals():
    assert sorted(SEALS) == sorted(THEOREMS)


def test_each_seal_is_on_a_result_of_the_book():
    bundles = {
        bundle["id"]
        for path in (ROOT / "notebooks").glob("*.ipynb")
        for cell in json.loads(path.read_text())["cells"]
        for output in cell.get("outputs", ())
        if (bundle := output.get("data", {}).get("application/vnd.posenc.result+json"))
    }
    for kinds in SEALS.values():
        assert kinds.keys() <= KINDS.keys()
        listed = [result for results in kinds.values() for result in results]
        assert set(listed) <= bundles
        assert len(set(listed)) == len(listed)


def test_the_page_shows_each_theorem_and_each_definition_once():
    assert sorted(SHOWN) == sorted(entry.name for entry in STATED)


def test_the_built_page_links_each_card_and_each_card_its_theorem():
    page = BeautifulSoup((SITE / "book" / "every_size.html").read_text(), "html.parser")
    shown = [block["id"] for block in page.select("div.theorem")]
    assert sorted(shown) == sorted(f"theorem-{entry.name}" for entry in STATED)
    cards = {kind: {} for kind in KINDS}
    for path in (SITE / "notebooks").glob("*.html"):
        chapter = BeautifulSoup(path.read_text(), "html.parser")
        for kind, words in KINDS.items():
            for seal in chapter.select(f"p.seal.{kind}"):
                assert seal.get_text().startswith(words)
                result = seal.parent["id"].removeprefix("behind-").removeprefix("result-")
                for link in seal.select("a"):
                    cards[kind].setdefault(link.get_text(), set()).add(result)
    for kind in KINDS:
        assert cards[kind] == {name: set(seals[kind]) for name, seals in SEALS.items() if kind in seals}


def test_the_pages_count_the_seals():
    for page in ("index", "results", "claims"):
        path = SITE / "book" / f"{page}.html"
        text = BeautifulSoup(path.read_text(), "html.parser").select_one("p.result-count").get_text()
        found = re.search(r"For (\d+) of these \d+ results, .* a theorem for every size", text)
        assert found
        assert int(found[1]) > 10


def test_the_workflows_run_where_the_versions_are():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for job in yaml.safe_load(path.read_text())["jobs"].values():
            if any(step.get("run") == ".ci/run" for step in job["steps"]):
                image = job["container"]["image"]
                assert re.fullmatch(r"python:(3\.\d+|\$\{\{ matrix.python \}\})-bookworm", image)

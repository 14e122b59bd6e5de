"""The theorems of proofs/: accepted by the kernel, resting on nothing of ours, commented, linked."""

import re

import pages
import pytest
import yaml
from pages import ROOT
from results import notebooks, results_of
from seals import check as proofs
from weigh import SITE

PROOFS = ROOT / "proofs"
SEALS = yaml.safe_load((PROOFS / "seals.yml").read_text())
KINDS = {"states": "For every size: ", "closes": "The whole derivation: "}
STATEMENTS = proofs.statements()
THEOREMS = proofs.theorems()


@pytest.fixture(scope="module")
def kernel():
    """Coq is here. Where it is not, say so; under CI it must be, and `make test` has provided it."""
    try:
        words = proofs.provide()  # under CI this installs a Coq, or fails
    except SystemExit as failure:
        pytest.fail(str(failure))
    if not proofs.coq():
        pytest.skip(words)


def test_the_kernel_accepts_all_that_is_stated(kernel):
    """One test, since it takes a minute: the proofs, and what they rest on."""
    try:
        report = proofs.check()
    except SystemExit as failure:
        pytest.fail(str(failure))
    assert set(report.together) <= proofs.CLASSICAL


# One altered file: what stands open, and an axiom that is used; the rest as it was.
ALTERED = {
    "Proof. exact: mul_row_col. Qed.": "Proof. Admitted.",
    "Theorem adding_is_sharing": "Axiom ours : forall m n (A B : 'M[F]_(m, n)), A = B.\nTheorem adding_is_sharing",
    "rewrite mul_row_col mulmxDr.": "exact: ours.",
}


def altered(folder, changes):
    """A copy of the shortest file, changed."""
    text = (PROOFS / "adding.v").read_text()
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "adding.v").write_text(text)
    return folder


def test_what_is_altered_is_found(kernel, tmp_path):
    report = proofs.check(altered(tmp_path, ALTERED))
    assert report.together == ["concatenation_is_sum", "ours"]
    with pytest.raises(SystemExit, match="does not accept"):
        proofs.check(altered(tmp_path, {"Wx *m x + Wp *m P": "Wx *m x - Wp *m P"}))


def test_without_coq_it_says_so_and_in_ci_it_fails(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", "")
    assert "not checked (on Debian 12: apt-get install coq" in proofs.provide()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(SystemExit, match="could not be installed"):
        proofs.provide()


# What can be seen without Coq.


def test_nothing_is_left_open_and_statements_are_made_of_what_is_listed():
    text = "".join(file.read_text(encoding="ascii") for file in PROOFS.glob("*.v"))
    text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)
    words = "Admitted|admit|give_up|Abort|Axioms?|Parameters?|Conjecture|Guard|Positivity|bypass_check"
    words += "|Fixpoint|Inductive|CoFixpoint|CoInductive|Structure|Class"
    assert re.findall(rf"\b({words})\b", text) == []
    helpers = re.findall(r"\b(?:Local|Let|Program|Global) Definition (\w+)", text)
    stated = " ".join(statement.source for statement in STATEMENTS)
    assert [name for name in helpers if re.search(rf"\b{name}\b", stated)] == []


def test_each_theorem_has_a_comment_and_is_listed_with_its_seals():
    assert [theorem.name for theorem in THEOREMS if not theorem.comment.endswith(".")] == []
    assert sorted(SEALS) == sorted(theorem.name for theorem in THEOREMS)


def test_each_seal_is_on_a_result_of_the_book():
    ids = {id for path in notebooks() for id in results_of(path)}
    for kinds in SEALS.values():
        assert kinds.keys() <= KINDS.keys()
        listed = [result for results in kinds.values() for result in results]
        assert set(listed) <= ids
        assert len(set(listed)) == len(listed)


def built(name):
    """The text of a built page."""
    return (SITE / f"{name}.html").read_text(encoding="utf-8")


def test_the_page_has_each_theorem_once_and_each_card_links_its_own():
    names = re.findall(r'class="theorem[^>]* id="theorem-([^"]+)"', built("book/every_size"))
    assert sorted(names) == sorted(statement.name for statement in STATEMENTS)
    cards = {kind: {} for kind in KINDS}
    card_or_seal = re.compile(r'id="(?:behind-)?result-([\w-]+)"|<p class="seal (\w+)">(.*?)</p>')
    for name in pages.NOTEBOOKS:
        for result, kind, seal in card_or_seal.findall(built(f"notebooks/{name}")):
            if result:
                card = result
                continue
            assert seal.startswith(KINDS[kind])
            for theorem in re.findall(r'#theorem-([^"]+)"', seal):
                cards[kind].setdefault(theorem, set()).add(card)
    for kind in KINDS:
        assert cards[kind] == {name: set(seals[kind]) for name, seals in SEALS.items() if kind in seals}


def test_the_pages_count_the_seals():
    sealed = {result for kinds in SEALS.values() for results in kinds.values() for result in results}
    for page, least in (("index", len(sealed)), ("results", len(sealed)), ("claims", 1)):
        (count,) = re.findall(r'<p class="result-count">(.*?)</p>', built(f"book/{page}"))
        assert least <= int(re.search(r"For (\d+) of these \d+ results", count)[1]) <= len(sealed)


def test_the_workflows_run_where_the_versions_are():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for job in yaml.safe_load(path.read_text())["jobs"].values():
            if any(step.get("run") == ".ci/run" for step in job["steps"]):
                image = job["container"]["image"]
                assert re.fullmatch(r"python:(3\.\d+|\$\{\{ matrix.python \}\})-bookworm", image)

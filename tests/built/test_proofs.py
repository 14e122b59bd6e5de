"""The theorems of proofs/: accepted by the kernel, resting on nothing of ours, commented, linked."""

import re

import pytest

from coursebook.content import ROOT, notebooks, read_list
from coursebook.tools import proofs
from coursebook.tools.weigh import SITE

PROOFS = ROOT / "proofs"
SEALS = read_list("proofs/seals.yml")
KINDS = {"states": "For every size: ", "closes": "The whole derivation: "}
STATEMENTS = list(proofs.statements())
THEOREMS = [statement for statement in STATEMENTS if statement.kind == "Theorem"]


@pytest.fixture(scope="module")
def kernel():
    """Coq is here. Where it is not, say so; under CI this installs it, or fails."""
    words = proofs.provide()
    if not proofs.has_coq():
        pytest.skip(words)


def test_the_kernel_accepts_all_that_is_stated(kernel):
    """One test, since it takes a minute: the proofs, and what they rest on."""
    assert set(proofs.check(each=False)["everything"]) <= proofs.CLASSICAL


def test_what_is_altered_is_found(kernel, tmp_path):
    """What stands open, an axiom that is used, and a statement that is false."""
    text = (PROOFS / "adding.v").read_text()
    altered = text.replace("Proof. exact: mul_row_col. Qed.", "Proof. Admitted.")
    altered = altered.replace("rewrite mul_row_col mulmxDr.", "exact: ours.")
    axiom = "Axiom ours : forall m n (A B : 'M[F]_(m, n)), A = B.\n"
    altered = altered.replace("Theorem adding_is_sharing", f"{axiom}Theorem adding_is_sharing")
    (tmp_path / "adding.v").write_text(altered)
    axioms = proofs.check(tmp_path)
    assert axioms["concatenation_is_sum"] == ["concatenation_is_sum"]
    assert axioms["adding_is_sharing"] == ["ours"]
    (tmp_path / "adding.v").write_text(text.replace("Wx *m x + Wp *m P", "Wx *m x - Wp *m P"))
    with pytest.raises(SystemExit, match="does not accept"):
        proofs.check(tmp_path)


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
    assert {kind for kinds in SEALS.values() for kind in kinds} == set(KINDS)


def built(name):
    """The text of a built page."""
    return (SITE / f"{name}.html").read_text(encoding="utf-8")


def test_the_page_has_each_theorem_once_and_each_card_links_its_own():
    names = re.findall(r'class="theorem[^>]* id="theorem-([^"]+)"', built("book/every_size"))
    assert sorted(names) == sorted(statement.name for statement in STATEMENTS)
    cards = {kind: {} for kind in KINDS}
    card_or_seal = re.compile(r'id="(?:behind-)?result-([\w-]+)"|<p class="seal (\w+)">(.*?)</p>')
    for chapter in notebooks():
        for result, kind, seal in card_or_seal.findall(built(chapter.page)):
            if result:
                card = result
                continue
            assert seal.startswith(KINDS[kind])
            for theorem in re.findall(r'#theorem-([^"]+)"', seal):
                cards[kind].setdefault(theorem, set()).add(card)
    for kind in KINDS:
        assert cards[kind] == {name: set(seals[kind]) for name, seals in SEALS.items() if kind in seals}
    sealed = {result for kinds in SEALS.values() for results in kinds.values() for result in results}
    assert f"For {len(sealed)} of these" in built("book/results")

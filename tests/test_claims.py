"""The claims of other texts: each is settled, and what stops a build; the reports to the authors run as they say."""

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from coursebook.content import ROOT, notebooks, read_list
from coursebook.sphinx.directives import claims

CONTENTS = {name: read_list(f"book/{name}.yml") for name in claims.LISTS}
TEXTS, CLAIMS = claims.joined(CONTENTS.values())
CARDS = {name: card for chapter in notebooks() for name, card in chapter.results.items()}
REPORTS = (ROOT / "book" / "claims.md").read_text(encoding="utf-8").partition("## Reports")[2]
CODE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("name", claims.LISTS)
def test_each_claim_is_settled_and_each_text_quoted(name):
    texts, listed = claims.joined([CONTENTS[name]])
    settled = claims.settled(listed, texts, CARDS, CLAIMS)
    for claim, cards in settled.items():
        kinds = {card.kind for card in cards}
        assert kinds or "read" in listed[claim], claim
        assert listed[claim]["verdict"] not in ("slip", "wrong") or kinds & {"refuted", "measured"}, claim
        assert listed[claim]["verdict"] in claims.VERDICTS, claim
        assert listed[claim]["verdict"] == "holds" or listed[claim]["then"], f"{claim}: say what is right"
        assert len({card.id for card in cards}) == len(cards), f"{claim}: a card stands twice"
    assert {text for claim in listed.values() for text in claim["quotes"]} == texts.keys()


def test_an_explanation_has_its_version_and_its_address():
    for name, text in CONTENTS["explanations"]["texts"].items():
        assert text["address"].startswith("https://"), name
        commit = re.search(r"/blob/([0-9a-f]{40})/", text["read"])
        assert f"commit `{commit[1][:8]}`" in text["read"] if commit else "version" in text["read"], name
        assert all(text[field] for field in ("title", "by", "does")), name


CLAIM = {"quotes": {"T": "words"}, "says": "words", "verdict": "holds", "cards": ["card"]}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cards": []}, "no result settles the claim 'C'"),
        ({"cards": ["card", "gone"]}, "names a card or a text that is not there"),
        ({"quotes": {}}, "names a card or a text that is not there, or no text"),
        ({"quotes": {"U": "words"}}, "names a card or a text that is not there"),
        ({"verdict": "slip"}, "no result shows what is wrong with the claim 'C'"),
        ({"verdict": "wrong"}, "no result shows what is wrong with the claim 'C'"),
    ],
)
def test_a_claim_that_nothing_settles_stops_the_build(change, reason):
    cards = {"card": SimpleNamespace(id="card", kind="proved", claim="")}
    assert claims.settled({"C": CLAIM}, {"T": {}}, cards, {"C"}) == {"C": [cards["card"]]}
    with pytest.raises(ValueError, match=reason):
        claims.settled({"C": CLAIM | change}, {"T": {}}, cards, {"C"})


def test_a_card_for_a_claim_that_no_list_has_stops_the_build():
    cards = {"card": SimpleNamespace(id="card", kind="refuted", claim="D")}
    assert claims.settled({"D": CLAIM | {"verdict": "slip", "cards": []}}, {"T": {}}, cards, {"D"})
    with pytest.raises(ValueError, match="'card' settles 'D', which no list of claims has"):
        claims.settled({"C": CLAIM}, {"T": {}}, cards, {"C"})


@pytest.mark.parametrize("twice", ["T", "C"])
def test_two_lists_share_no_id(twice):
    one = {"texts": {"T": {}}, "parts": [{"part": "a", "claims": {"C": CLAIM}}]}
    other = {"texts": {"U": {}}, "parts": [{"part": "b", "claims": {"D": CLAIM}}]}
    assert [sorted(found) for found in claims.joined([one, other])] == [["T", "U"], ["C", "D"]]
    other["texts"][twice] = {}
    other["parts"].append({"part": "c", "claims": {twice: CLAIM}})
    with pytest.raises(ValueError, match=f"two of {twice}"):
        claims.joined([one, other])


def test_each_slip_of_an_explanation_is_reported_with_lines_that_print_what_they_say():
    listed = claims.joined([CONTENTS["explanations"]])[1].values()
    due = {text for claim in listed if claim["verdict"] in ("slip", "wrong") for text in claim["quotes"]}
    reports = dict(re.findall(r"(?ms)^### ([A-Z]+): (.*?)(?=^### |\Z)", REPORTS))
    assert reports.keys() == due
    for text, report in reports.items():
        read = CONTENTS["explanations"]["texts"][text]["read"]
        assert re.search(r"(commit `\w{8}`|version \d)", read)[1] in report, text
        programs = CODE.findall(report)
        assert len(programs) == report.count("```python"), text
        for program, printed in programs:
            run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
            assert run.stdout == printed, (text, program)

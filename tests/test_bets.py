"""Bets: what decides them, and what their veils cover."""

import re

import pytest
from docutils import nodes

from coursebook import content
from coursebook.content import Bet, Chapter, Slip
from coursebook.sphinx.directives.base import Tag, tag
from coursebook.sphinx.transforms import bets

CHAPTERS = content.chapters()
BETS = [bet for chapter in CHAPTERS.values() for bet in chapter.bets]


def test_every_chapter_has_a_bet_and_the_list_has_no_other():
    assert all(chapter.bets for chapter in CHAPTERS.values())
    assert len(BETS) >= 14
    ids = [bet.id for bet in BETS]
    assert sorted(ids) == sorted(content.read_list(content.BETS)), "no bet twice, and none without its question"


@pytest.mark.parametrize("bet", BETS, ids=lambda bet: bet.id)
def test_what_a_wrong_answer_means_stands_beside_it_and_not_beside_the_right_one(bet):
    meant = [bool(means) for means in bet.means]
    assert meant == [place != bet.right for place in range(len(bet.answers))], f"mend `means` in {content.BETS}"


def test_the_words_at_which_a_veil_begins_and_ends_are_in_the_chapter():
    """Whether they are in the right order, a build finds out."""
    for chapter in CHAPTERS.values():
        captions = [figure.caption.removeprefix("**Figure.** ") for cell in chapter.cells for figure in cell.figures]
        text = re.sub(r"[*`]|\]\([^)]*\)|\[", "", "\n".join([chapter.prose, *captions]))
        places = {words for bet in chapter.bets for words in (bet.at, bet.until)} - {"", bets.HEADING}
        assert [words for words in places if words not in " ".join(text.split())] == [], f"mend {content.BETS}"


def test_the_authors_bets_are_read_where_they_wrote_them_down():
    theirs = [bet for bet in BETS if bet.authors is not None]
    assert len(theirs) >= 3
    assert any(bet.authors != bet.right for bet in theirs)
    lost, placed = content.authors_score()
    assert f"{placed} predictions" in "".join(cell.words for cell in content.notebook("a11_laboratory").cells)
    assert 0 < lost < placed


def changed(number, tmp_path, before, after):
    """The bets of a chapter in which some words are others."""
    text = CHAPTERS[number].path.read_text(encoding="utf-8")
    assert before in text
    path = tmp_path / CHAPTERS[number].path.name
    path.write_text(text.replace(before, after), encoding="utf-8")
    (tmp_path / "a11_laboratory.ipynb").write_bytes(content.notebook("a11_laboratory").path.read_bytes())
    return {bet.id: bet for bet in Chapter(path).bets}


@pytest.mark.parametrize(
    ("number", "before", "after", "bet", "right"),
    [
        (0, "and 0 of the nine changed", "and 3 of the nine changed", "nine-numbers", 1),
        (10, "than 0.05: 39, counted.", "than 0.05: 2, counted.", "fast-hands", 0),
        (11, "RoPE   1.00   0.99   0.58", "RoPE   1.00   0.99   0.88", "arrow-96", 1),
        (6, "−0.7 after *previous*", "0.7 after *previous*", "previous", 0),
    ],
)
def test_the_answer_follows_the_card_or_the_cell(tmp_path, number, before, after, bet, right):
    assert next(one.right for one in CHAPTERS[number].bets if one.id == bet) != right
    assert changed(number, tmp_path, before, after)[bet].right == right


@pytest.mark.parametrize(
    ("number", "before", "after", "remedy"),
    [
        (0, "and 0 of the nine changed", "and 5 of the nine changed", "'nine-numbers': .* shows '5', which 0 answers"),
        (0, "and 0 of the nine changed", "and none of them changed", "cell 8ef9011c does not show .*mend it, or `by`"),
        (0, '"id": "8ef9011c"', '"id": "8ef9011d"', "cell 8ef9011c does not show"),
        (0, '"- six\\n",', '"- six\\n", "- seven\\n",', "a line for each of its two to five answers"),
        (0, "bet-nine-numbers", "bet-ten-numbers", r"'ten-numbers': book/bets.yml must have it"),
        (10, '"id": "long-past-range"', '"id": "long-gone"', "card long-past-range does not show"),
        (12, "backwards is worse than no", "backwards is no worse than no", "does not say .*mend `authors`"),
    ],
)
def test_a_bet_that_cannot_be_decided_is_refused_with_its_remedy(tmp_path, number, before, after, remedy):
    with pytest.raises(Slip, match=remedy):
        changed(number, tmp_path, before, after)


def test_two_answers_that_fit_are_refused(tmp_path, monkeypatch):
    entry = content.read_list(content.BETS)["nine-numbers"]
    entry["answers"][1]["fits"] = [0, 3]
    monkeypatch.setattr(content, "read_list", lambda path: {"nine-numbers": entry})
    with pytest.raises(Slip, match="'0', which 2 answers fit: mend `fits`"):
        changed(0, tmp_path, "dog", "dog")


def page(*blocks):
    """A section that asks a bet, and then has these blocks; and its anchor."""
    anchor = nodes.paragraph("", "", nodes.raw("", '<a id="bet-some"></a>', format="html"))
    items = [nodes.list_item("", nodes.paragraph("", answer)) for answer in ("yes", "no")]
    section = nodes.section("", nodes.title("", "A title"), anchor, nodes.paragraph("", "Is it?"))
    section += [nodes.bullet_list("", *items), *blocks]
    document = nodes.document(None, None)
    document += section
    return section, anchor


def figure():
    return nodes.container("", nodes.figure("", nodes.caption("", "Figure 1.1 · It is.")), classes=["cell"])


def words(*texts):
    return [nodes.paragraph("", text) for text in texts]


def veiled(*blocks, **places):
    section, anchor = page(*blocks)
    bets.place(Bet("some", "Is it?", ("yes", "no"), 1, 0, ("", ""), **places), anchor, "01_some")
    (veil,) = (part for part in section.findall(Tag) if "data-bet" in part["attributes"])
    return [" ".join(part.astext().split()) for part in veil.children], section


def test_a_veil_covers_what_follows_up_to_the_first_figure():
    shown, section = veiled(*words("It is."), figure(), *words("So it was."))
    assert shown == ["It is.", "Figure 1.1 · It is."]
    field = section.children[1]
    assert field["attributes"] == {"data-right": "1", "data-authors": "0"}
    assert [part["attributes"]["value"] for part in field.findall(Tag) if part["tag"] == "input"] == ["0", "1"]
    assert section.children[-1].astext() == "So it was."


def test_a_veil_ends_and_begins_where_the_list_says():
    parts = words("It is.", "Now to another.", "And so on.")
    assert veiled(*parts, until="Now to")[0] == ["It is."]
    shown, section = veiled(*words("Not yet."), figure(), *words("So it was."), at="It is", until="So it")
    assert shown == ["Figure 1.1 · It is."]
    assert "told-some" in [name for part in section.children for name in part["ids"]]


@pytest.mark.parametrize(
    "open_block",
    [
        nodes.math_block("", "x"),
        nodes.container("", nodes.container("", *words("A card"), classes=["posenc-result"]), classes=["cell"]),
        nodes.section("", nodes.title("", "Next")),
        tag("div", *words("x"), classes=["veil"]),
    ],
)
def test_a_veil_covers_no_formula_no_card_and_no_heading(open_block):
    assert veiled(*words("It is."), open_block.deepcopy(), *words("More."), until="the heading")[0] == ["It is."]
    for places in ({"until": "More"}, {"at": "More", "until": "No such words"}, {"at": "No such words"}):
        with pytest.raises(Slip, match=r"01_some: bet 'some': it veils nothing, or .*: mend `at`"):
            veiled(*words("It is."), open_block.deepcopy(), *words("More."), **places)
    with pytest.raises(Slip):
        veiled(open_block.deepcopy())

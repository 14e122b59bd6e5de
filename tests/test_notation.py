"""One letter, one thing: the formulas of the course against the page of notation."""

import notation
import pages
import pytest


def test_formulas_keep_to_the_page_of_notation():
    assert notation.complaints() == []


def test_the_table_sees_the_chapters():
    often, _ = notation.used()
    chapters = {int(name[:2]) for name in [pages.DOOR, *pages.CHAPTERS]}
    assert {number for counts in often.values() for number in counts} == chapters
    lines = list(notation.table())
    assert len(lines) == len(often) + 1
    assert any(line.startswith("p ") and "position of a token" in line for line in lines)


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        (r"q\,\mathrm{e}^{\mathrm{i}m\omega_i}", ["q", "e", r"\mathrm i", "m", r"\omega", "i"]),
        (r"\bar k + \overline{k}", [r"\bar k", r"\bar k"]),
        (r"W_q x + q_m", ["W", "x", "q", "m"]),
        (r"\operatorname{re}(\epsilon) \dots r_{slow} \text{if}", [r"\varepsilon", "r"]),
        (r"\overline{f{\left(k,n \right)}}", ["f", "k", "n"]),
        (r"m_{x} {\omega}_{i} + p_y\nu_i", ["m", r"\omega", "i", "p", r"\nu", "i"]),
    ],
)
def test_signs_of_a_formula(formula, found):
    assert list(notation.signs(formula)) == found


@pytest.mark.parametrize(
    "formula",
    [r"\mathrm{PE}(p + k)", "R_k", "B(p - q)", "h = d/2", r"\cos m\theta_i", r"q k^*", "f^{*}(n)",
     "s_i + 1", "s(x, y)", r"x_{\pi(n)}", r"\psi(x)", "w_1 I", "w_{2}", "e_0", r"x + \mathrm{i} y", r"\Delta x",
     r"\epsilon", r"\phi + 1"],
)  # fmt: skip
def test_a_second_meaning_is_named(formula):
    (said,) = notation.collisions([("a page", None, f"So ${formula}$ it is.")])
    assert said.startswith("a page has ")
    assert ": write " in said


def test_the_papers_name_of_the_frequency_may_be_told():
    assert not list(notation.collisions([("a page", None, r"Papers write $\theta_i$ for it.")]))
    told = r"Its ends (the paper's $\alpha$ and $\beta$) and $a$ (written $\alpha$ there)."
    assert list(notation.formulas(told)) == ["a"]


def test_a_letter_outside_of_its_chapters_is_named():
    rows = [("r", "turns (chapter 10 only)"), ("z", "a number (chapters 7 and 9 only)"), ("p", "position")]
    said = list(notation.astray({"r": {2: 1, 10: 5}, "z": {7: 1, 9: 1}, "p": {1: 1}}, rows))
    assert said == ["r is used in chapter 2, and book/notation.md keeps it for chapter 10."]


def test_a_letter_without_a_row_and_a_letter_with_two_are_named():
    (said,) = notation.unknown({"Q": {3: 1, 4: 2}, "p": {1: 1, 2: 1}, "Z": {5: 1}}, ["p"], [])
    assert said.startswith("Q is used in the chapters 3 and 4")
    assert list(notation.twice(["p", "q", "p"])) == [
        "p has 2 rows in the tables of book/notation.md: keep one, and one meaning."
    ]

"""What belongs together stays on one line, and code stays as it is."""

from types import SimpleNamespace

import local_katex
import pytest
import typography
from docutils import nodes
from docutils.utils import new_document


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the base 10 000 and 1 000 003, not 4096", "the base 10|000 and 1|000|003, not 4096"),
        ("Devstral 2 123B, 0.5 123 and 1, 100 and 1000", "Devstral 2 123B, 0.5 123 and 1, 100 and 1000"),
        ("99 % of them", "99~% of them"),
        ("a factor of m − n, θ = 0.7, 24 × 24", "a factor of m~−~n, θ~=~0.7, 24~×~24"),
        ("difference < 10⁻¹³ over 3 numbers", "difference <~10⁻¹³ over 3 numbers"),
        ("words – and a dash, −1 and a-b", "words – and a dash, −1 and a-b"),
    ],
)
def test_blanks_that_must_not_break(text, wanted):
    assert typography.unbroken(text) == wanted.replace("|", "\u202f").replace("~", "\u00a0")


def page(*parts):
    """A document with one paragraph, for a builder of HTML."""
    document = new_document("notebooks/03_x")
    app = SimpleNamespace(builder=SimpleNamespace(format="html", name="html", tags=()))
    document.settings.env = SimpleNamespace(docname="notebooks/03_x", app=app)
    document += nodes.paragraph("", "", *parts)
    return document


def test_code_and_formulas_stay_as_they_are():
    kept = [nodes.literal("", "10 000"), nodes.math("", "10 000"), nodes.strong("", "10 000")]
    document = page(*kept)
    typography.Unbroken(document).run()
    assert [part.astext() for part in document[0]] == ["10 000", "10 000", "10\u202f000"]


def test_a_formula_keeps_the_bracket_before_it_and_the_punctuation_after_it():
    first, second = nodes.math("", "m > n"), nodes.math("", "k")
    document = page(nodes.Text("the query ("), first, nodes.Text("), and "), second, nodes.Text(" too."))
    local_katex.Together(document).run()
    (together,) = document.findall(lambda node: "together" in getattr(node, "attributes", {}).get("classes", []))
    assert together.astext() == "(m > n),"
    assert document[0].astext() == "the query (m > n), and k too."

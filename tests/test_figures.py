"""A picture and its caption become one numbered figure on the page, drawn in the page's own colours."""

import functools
import re
from types import SimpleNamespace

import figure_svg
import figures
import numpy as np
import pytest
from docutils import nodes
from docutils.utils import new_document
from normalise import ROOT

from posenc import draw


def bundle(*children):
    parts = [nodes.container("", child, mime_type=kind) for kind, child in children]
    return nodes.container("", *parts, nb_element="mime_bundle")


def picture(text="Ramp: heatmap."):
    return bundle(("image/png", nodes.image(uri="_config.yml")), ("text/plain", nodes.literal_block("", text)))


def caption(*words, first="Figure."):
    return bundle(("text/markdown", nodes.paragraph("", "", nodes.strong("", first), *words)))


def page(name, *outputs):
    """A document with these outputs of one cell, after the transform, and the warnings that it raised."""
    document, warned = new_document(name), []
    document.settings.env = SimpleNamespace(docname=name, app=None, srcdir=ROOT)
    document += nodes.container("", *outputs, nb_element="cell_code_output")
    transform = figures.Figures(document)
    transform.warn = lambda words, place: warned.append(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "drawing", lambda bundle, name: figures.Drawing(alt=bundle["text/plain"]))
        transform.run()
    return document, warned


@pytest.mark.parametrize(
    ("name", "prefix"),
    [("notebooks/10_long_context", "10."), ("notebooks/a3_precision", "A3b."), ("book/models", "")],
)
def test_figures_have_the_number_of_their_chapter_their_description_and_the_words_of_their_caption(name, prefix):
    formula = nodes.math("", "x_1")
    document, warned = page(name, picture(), caption(nodes.Text(" It is "), formula), picture(), caption())
    first, second = document.findall(nodes.figure)
    image, text = first.children
    assert image["alt"] == "Ramp: heatmap."
    assert text.children[-1] == formula
    assert text.astext() == f"Figure {prefix}1 · It is x_1"
    assert second.children[1].astext() == f"Figure {prefix}2 ·"
    assert first["ids"] != second["ids"]
    assert not list(document.findall(nodes.paragraph)), "the caption is printed twice"
    assert warned == []


def test_no_two_pages_share_the_labels_of_their_figures():
    pages = [f"notebooks/{path.stem}" for path in (ROOT / "notebooks").glob("*.ipynb")]
    assert len({figures.prefix(page, ROOT) for page in pages}) == len(pages)


def test_a_picture_without_a_caption_or_a_description_is_reported_and_stays():
    for outputs, warning in (
        ([picture(), caption(nodes.Text(" no."), first="Proved.")], "a figure has no caption"),
        ([picture("<Figure size 640x480>"), caption(nodes.Text(" A."))], "a figure has no description"),
    ):
        document, warned = page("notebooks/03_x", *outputs)
        assert [*document.findall(nodes.image), *document.findall(figures.Drawing)]
        assert warning in warned[0]


# --- the drawing as SVG ---------------------------------------------------------------------------


@pytest.fixture(autouse=True, scope="module")
def anew():
    """mutmut runs these tests many times in one process, of another package each time."""
    both.cache_clear()


@functools.cache
def both():
    fig, (left, right) = draw.axes(1, 2)
    draw.show_matrix(left, ((-1.0, 2.0), (4.0, 1.0)), numbers="+.2f", x="column j")
    right.plot([0, 8], color=draw.BLUE)
    right.annotate("curve & line", (0, 0))
    return shown(fig)


def shown(fig):
    return draw.Picture(fig, "See.")._repr_mimebundle_()


def drawn(name="figure-3-1", fig=None):
    return figures.drawing(shown(fig) if fig else both(), name)["svg"]


def test_a_drawing_has_live_text_and_no_paper():
    svg = drawn()
    assert "column j</text>" in svg
    assert "curve &amp; line</text>" in svg
    assert draw.PAPER not in svg
    assert not re.search(r"<metadata|<!DOCTYPE|xlink|font-family|matplotlib\.", svg)


def test_a_drawing_is_the_same_on_every_run_and_its_ids_are_its_own():
    assert drawn() == drawn()
    ids = re.findall(r'\bid="([^"]+)"', drawn("figure-a3-2"))
    assert ids
    assert all(id.startswith("figure-a3-2-") for id in ids)
    used = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', drawn("figure-a3-2"))
    assert {a or b for a, b in used} == set(ids)


def test_a_heatmap_keeps_a_pixel_a_value_and_the_colours_of_what_stands_on_it():
    svg = drawn()
    assert re.search(r'<image[^>]* width="2" height="2"', svg)
    cells = re.findall(r"<text [^>]*>[+−]\d\.\d\d</text>", svg)
    assert len(cells) == 4
    assert all("var(" not in cell for cell in cells)
    label = re.search(r'<text [^>]*class="(s\d+)">column j', svg)[1]
    assert "var(" in re.search(rf"\.{label}{{([^}}]*)}}", svg)[1]
    assert f"--{draw.BLUE[1:]}:{figure_svg.by_night(draw.BLUE)}" in svg


def test_a_heatmap_that_bears_nothing_turns_its_lightness_round_by_night():
    assert "invert(" in drawn(fig=draw.heatmap([[0.0, 1.0]], see="See.").figure)
    assert "invert(" not in drawn()


@pytest.mark.parametrize("colour", [*draw.COLOURS, draw.INK, "#ffffff", "#e3efe7", draw.pair_colour(0, 4)])
def test_a_colour_contrasts_by_night_as_it_does_by_day(colour):
    day = contrast(colour, figure_svg.DAY)
    assert contrast(figure_svg.by_night(colour), figure_svg.NIGHT) == pytest.approx(day, rel=0.05)
    assert figure_svg.DAY == draw.PAPER
    assert figure_svg.by_night(figure_svg.DAY) == figure_svg.NIGHT


def test_marks_at_the_edge_of_a_heatmap_can_be_seen_by_night():
    fig, (left, right) = draw.axes(1, 2, height=2.6)  # some of its marks are rounded into a heatmap
    draw.show_matrix(left, np.eye(7))
    draw.show_matrix(right, np.eye(3, 9))
    svg = drawn(fig=fig)
    marks = re.findall(r"<use [^>]*>", svg)
    rules = dict(re.findall(r"\.(s\d+){([^}]*)}", svg))
    assert len(marks) > 10
    assert all("stroke:var(" in rules[re.search(r'class="(s\d+)"', mark)[1]] for mark in marks)


def contrast(*colours):
    low, high = sorted(figure_svg.light(colour) + 0.05 for colour in colours)
    return high / low


def test_a_drawing_is_one_image_with_its_description():
    body = []
    with pytest.raises(nodes.SkipNode):
        figures.write(SimpleNamespace(body=body), {"alt": 'x < "1"', "svg": "<svg/>"})
    assert body == ['<div class="drawing" role="img" aria-label="x &lt; &quot;1&quot;"><svg/></div>']

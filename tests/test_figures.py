"""A picture and its caption become one numbered figure on the page, drawn in the page's own colours."""

import base64
import io
import re
from types import SimpleNamespace

import numpy as np
import pytest
from docutils import nodes
from docutils.utils import new_document
from PIL import Image

from coursebook.content import ROOT
from coursebook.sphinx.transforms import figure_svg, figures
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
    transform.warn = lambda words, node: warned.append(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "drawing", lambda bundle, name: figures.Drawing(alt=bundle["text/plain"]))
        transform.run()
    return document, warned


def test_a_description_says_a_clause_once_and_ends():
    axes = "; across: key; down: query"
    text = f"A: heatmap, from 0 to 1{axes}. B: heatmap, from 0 to 1{axes}. C: heatmap, from 0 to 2; across: key."
    shorter = f"A: heatmap, from 0 to 1{axes}. B: likewise. C: heatmap, from 0 to 2."
    assert figures.spoken(text) == shorter
    assert figures.spoken(text, 70) == f"A: heatmap, from 0 to 1{axes}. B: likewise; and so on."


@pytest.mark.parametrize(
    ("name", "prefix"),
    [("notebooks/10_long_context", "10."), ("notebooks/a4_scores", "A4b."), ("book/models", "")],
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


@pytest.fixture(scope="module")
def made():
    """A heatmap with numbers, and a long line: as it was drawn, and as an element of a page."""
    fig, (left, right) = draw.axes(1, 2)
    draw.show_matrix(left, ((-1.0, 2.0), (4.0, 1.0)), numbers="+.2f", x="column j")
    right.plot(np.random.default_rng(0).normal(size=200), color=draw.BLUE)
    right.annotate("curve & line", (0, 0))
    bundle = draw.Picture(fig, "See.")._repr_mimebundle_()
    with Image.open(io.BytesIO(bundle["image/png"])) as image:
        image.load()
        drawn = image.text["svg"]
    shown = figures.drawing(bundle, "figure-3-1")["svg"]
    assert shown == figures.drawing(bundle, "figure-3-1")["svg"]
    return drawn, shown


def test_a_drawing_has_live_text_no_paper_and_ids_of_its_own(made):
    _, svg = made
    assert "column j</text>" in svg
    assert "curve &amp; line</text>" in svg
    assert not re.search(rf"<metadata|<!DOCTYPE| style=|font-family|matplotlib\.|{draw.PAPER}", svg)
    ids = set(re.findall(r'\bid="(figure-3-1-[^"]+)"', svg))
    used = {a or b for a, b in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg)}
    assert ids == used
    assert len(ids) == svg.count(' id="') > 0


def test_a_heatmap_keeps_its_pixels_and_a_long_line_its_points(made):
    before, after = (pixels(re.search(r"base64,\s*([^\"]*)", svg)[1]) for svg in made)
    assert before == after
    assert re.search(r'<image[^>]* width="2" height="2"', made[1])
    long, short = (max(re.findall(r' d="([^"]*)"', svg), key=len) for svg in made)
    steps, points = (np.array(re.sub("[MLml]", " ", path).split(), float).reshape(-1, 2) for path in (short, long))
    assert np.abs(steps.cumsum(axis=0) - points).max() < 0.1
    assert len(short) < 0.6 * len(long)


@pytest.mark.parametrize("colour", [*draw.COLOURS, draw.INK, draw.PAPER, "#ffffff", "#e3efe7", draw.pair_colour(0, 4)])
def test_a_colour_contrasts_by_night_as_it_does_by_day(colour):
    day = contrast(colour, draw.PAPER)
    assert contrast(figure_svg.by_night(colour), figure_svg.NIGHT) == pytest.approx(day, rel=0.05)


def test_every_colour_of_a_drawing_has_its_counterpart_by_night(made):
    rule, drawing = made[1].split("</style>")
    assert set(re.findall(r"var\(--(\w+),#\1\)", drawing)) == set(re.findall(r"--(\w+):", rule))
    assert "#" not in re.sub(r'var\(--(\w+),#\1\)|(url\(|href=")#', "", drawing)
    assert f"--{draw.BLUE[1:]}:{figure_svg.by_night(draw.BLUE)}" in rule


def pixels(data):
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        return image.convert("RGBA").tobytes()


def contrast(*colours):
    low, high = sorted(figure_svg.luminance(colour) + 0.05 for colour in colours)
    return high / low

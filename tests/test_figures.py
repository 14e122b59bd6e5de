"""A picture and its caption become one numbered figure on the page, drawn in the page's own colours."""

import base64
import functools
import io
import re
from types import SimpleNamespace

import figure_svg
import figures
import numpy as np
import pytest
from docutils import nodes
from docutils.utils import new_document
from normalise import ROOT
from PIL import Image

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


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("notebooks/10_long_context", ["Figure 10.1 ·", "Figure 10.2 ·"]),
        ("notebooks/a3_counting_columns", ["Figure A3a.1 ·", "Figure A3a.2 ·"]),
        ("notebooks/a3_precision", ["Figure A3b.1 ·", "Figure A3b.2 ·"]),
        ("book/models", ["Figure 1 ·", "Figure 2 ·"]),
    ],
)
def test_figures_are_numbered_by_chapter(name, labels):
    document, _ = page(name, picture(), caption(nodes.Text(" A.")), picture(), caption(nodes.Text(" B.")))
    assert [caption[0].astext() for caption in document.findall(nodes.caption)] == labels
    (first, second) = document.findall(nodes.figure)
    assert first["ids"] != second["ids"]


def test_no_two_pages_share_the_labels_of_their_figures():
    pages = [f"notebooks/{path.stem}" for path in (ROOT / "notebooks").glob("*.ipynb")]
    assert len({figures.prefix(page, ROOT) for page in pages}) == len(pages)


def test_a_figure_keeps_its_description_and_the_words_and_formulas_of_its_caption():
    formula = nodes.math("", "x_1")
    document, warned = page("notebooks/03_x", picture(), caption(nodes.Text(" It is "), formula))
    (figure,) = document.findall(nodes.figure)
    image, text = figure.children
    assert image["alt"] == "Ramp: heatmap."
    assert text.children[1:] == [text.children[1], formula]
    assert text.astext() == "Figure 3.1 · It is x_1"
    assert not list(document.findall(nodes.paragraph)), "the caption is printed twice"
    assert warned == []


@pytest.mark.parametrize(
    ("outputs", "warning"),
    [
        ([picture()], "a figure has no caption"),
        ([picture(), caption(nodes.Text(" no."), first="Proved.")], "a figure has no caption"),
        ([picture("<Figure size 640x480>"), caption(nodes.Text(" A."))], "a figure has no description"),
    ],
)
def test_a_picture_without_a_caption_or_a_description_is_reported_and_stays(outputs, warning):
    document, warned = page("notebooks/03_x", *(node.deepcopy() for node in outputs))
    assert [*document.findall(nodes.image), *document.findall(figures.Drawing)]
    assert bool([*document.findall(nodes.figure)]) == ("description" in warning)
    assert warning in warned[0]


# --- the drawing as SVG ---------------------------------------------------------------------------


@pytest.fixture(autouse=True, scope="module")
def anew():
    """mutmut runs these tests many times in one process, of another package each time."""
    figure.cache_clear()


@functools.cache
def figure():
    """A heatmap with numbers, and a long line."""
    fig, (left, right) = draw.axes(1, 2)
    draw.show_matrix(left, ((-1.0, 2.0), (4.0, 1.0)), numbers="+.2f", x="column j")
    right.plot(np.random.default_rng(0).normal(size=200), color=draw.BLUE)
    right.annotate("curve & line", (0, 0))
    return draw.Picture(fig, "See.")._repr_mimebundle_()


def svg(name="figure-3-1"):
    return figures.drawing(figure(), name)["svg"]


def test_a_drawing_has_live_text_and_no_paper():
    assert "column j</text>" in svg()
    assert "curve &amp; line</text>" in svg()
    assert draw.PAPER not in svg()
    assert not re.search(r"<metadata|<!DOCTYPE|font-family|matplotlib\.", svg())


def test_a_drawing_is_the_same_on_every_run_and_its_ids_are_its_own():
    assert svg() == svg()
    ids = re.findall(r'\bid="([^"]+)"', svg("figure-a3-2"))
    assert ids
    assert all(id.startswith("figure-a3-2-") for id in ids)
    used = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg("figure-a3-2"))
    assert {a or b for a, b in used} == set(ids)


def test_a_heatmap_keeps_a_pixel_a_value_and_its_exact_colours():
    (before,) = re.findall(r"base64,\s*([^\"]*)", source_of(figure()))
    (after,) = re.findall(r"base64,\s*([^\"]*)", svg())
    assert re.search(r'<image[^>]* width="2" height="2"', svg())
    assert pixels(after) == pixels(before)


def test_a_long_line_stays_within_a_tenth_of_a_point():
    before = max(re.findall(r' d="([^"]*)"', source_of(figure())), key=len)
    after = max(re.findall(r' d="([^"]*)"', svg()), key=len)
    steps = np.array(re.sub("[ml]", " ", after).split(), float).reshape(-1, 2)
    places = np.array(re.sub("[ML]", " ", before).split(), float).reshape(-1, 2)
    assert after.startswith("m")
    assert np.abs(steps.cumsum(axis=0) - places).max() < 0.1
    assert len(after) < 0.6 * len(before)


@pytest.mark.parametrize("colour", [*draw.COLOURS, draw.INK, "#ffffff", "#e3efe7", draw.pair_colour(0, 4)])
def test_a_colour_contrasts_by_night_as_it_does_by_day(colour):
    day = contrast(colour, figure_svg.DAY)
    assert contrast(figure_svg.by_night(colour), figure_svg.NIGHT) == pytest.approx(day, rel=0.05)
    assert figure_svg.DAY == draw.PAPER
    assert figure_svg.by_night(figure_svg.DAY) == figure_svg.NIGHT


def test_every_colour_of_a_drawing_has_its_counterpart_by_night():
    rule, drawing = svg().split("</style>")
    assert set(re.findall(r"var\(--(\w+),#\1\)", drawing)) == set(re.findall(r"--(\w+):", rule))
    assert "#" not in re.sub(r'var\(--(\w+),#\1\)|(url\(|href=")#', "", drawing)
    assert f"--{draw.BLUE[1:]}:{figure_svg.by_night(draw.BLUE)}" in rule


def source_of(bundle):
    with Image.open(io.BytesIO(bundle["image/png"])) as picture:
        picture.load()
        return picture.text["svg"]


def pixels(data):
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        return image.convert("RGBA").tobytes()


def contrast(*colours):
    low, high = sorted(figure_svg.luminance(colour) + 0.05 for colour in colours)
    return high / low


def test_a_drawing_is_one_image_with_its_description():
    body = []
    with pytest.raises(nodes.SkipNode):
        figures.write(SimpleNamespace(body=body), {"alt": 'x < "1"', "svg": "<svg/>"})
    assert body == ['<div class="drawing" role="img" aria-label="x &lt; &quot;1&quot;"><svg/></div>']

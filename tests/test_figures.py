"""A picture and the caption that follows it become one numbered figure on the page."""

import sys
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from normalise import ROOT

sys.path.append(str(ROOT / "book" / "_ext"))
import figures


def bundle(*children):
    parts = [nodes.container("", child, mime_type=kind) for kind, child in children]
    return nodes.container("", *parts, nb_element="mime_bundle")


def picture(text="Ramp: heatmap."):
    return bundle(("image/png", nodes.image()), ("text/plain", nodes.literal_block("", text)))


def caption(*words, first="Figure."):
    return bundle(("text/markdown", nodes.paragraph("", "", nodes.strong("", first), *words)))


def page(name, *outputs):
    """A document with these outputs of one cell, after the transform, and the warnings that it raised."""
    document, warned = new_document(name), []
    document.settings.env = SimpleNamespace(docname=name)
    document += nodes.container("", *outputs, nb_element="cell_code_output")
    transform = figures.Figures(document)
    transform.warn = lambda words, place: warned.append(words)
    transform.run()
    return document, warned


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("notebooks/03_sinusoidal", ["Figure 3.1 ·", "Figure 3.2 ·"]),
        ("notebooks/10_long_context", ["Figure 10.1 ·", "Figure 10.2 ·"]),
        ("notebooks/a3_precision", ["Figure A3.1 ·", "Figure A3.2 ·"]),
        ("book/models", ["Figure 1 ·", "Figure 2 ·"]),
    ],
)
def test_figures_are_numbered_by_chapter(name, labels):
    document, _ = page(name, picture(), caption(nodes.Text(" A.")), picture(), caption(nodes.Text(" B.")))
    assert [caption[0].astext() for caption in document.findall(nodes.caption)] == labels
    (first, second) = document.findall(nodes.figure)
    assert first["ids"] != second["ids"]


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


@pytest.mark.parametrize("following", [[], [caption(nodes.Text(" no."), first="Proved.")], [picture()]])
def test_a_picture_without_a_caption_is_reported_and_stays(following):
    document, warned = page("notebooks/03_x", picture(), *(node.deepcopy() for node in following))
    assert len(list(document.findall(nodes.image))) == 1 + sum(
        bool(list(f.findall(nodes.image))) for f in following
    )
    assert "a figure has no caption" in warned[0]
    assert not list(document.findall(nodes.figure))


@pytest.mark.parametrize("text", ["", "<Figure size 640x480>"])
def test_a_picture_without_a_description_is_reported(text):
    _, warned = page("notebooks/03_x", picture(text), caption(nodes.Text(" A.")))
    assert "a figure has no description" in warned[0]

"""The built site as a source: figures, code, formulas and lists of the chapters, and the questions."""

import functools

from bs4 import BeautifulSoup

from ..content import ROOT, chapters

SITE = ROOT / "_build" / "html"
FORMULA = "div.math:not(.posenc-result *, .cell_output *, details *)"


@functools.cache
def page(name):
    """A page of the built site as a BeautifulSoup. name: such as "book/notation"."""
    file = SITE / f"{name}.html"
    if not file.is_file():
        raise FileNotFoundError(f"{file} is not built: run 'make book'")
    soup = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
    for box in soup.select(".living"):  # the still picture of a living figure
        box.unwrap()
    return soup


def words(element):
    """A text, or that of an element of a page, on one line."""
    text = element if isinstance(element, str) else element.get_text()
    return " ".join(text.split())


def caption(figure):
    """The caption of a figure, without its number."""
    return words(figure.figcaption).partition(" · ")[2]


@functools.cache
def parts(name, selector):
    """The elements that a CSS selector finds on a page, given by its name."""
    return page(name).article.select(selector)


def part(kind, chapter, name, nth=1):
    """The one element that a slide names (see `book/teach/slides.yml`). Raises LookupError for none or more.

    kind: "quiz", "figure", "code", "points", or else the formula under a heading, the first or the nth. name: the id
    of a question, the headings under which points may stand, else how the caption, code or heading begins.
    """
    where = chapters()[chapter].page
    if kind == "quiz":
        elements = [field for field in parts("book/teach/quizzes", "fieldset") if field["id"] == name]
    elif kind == "figure":
        elements = [figure for figure in parts(where, "figure.drawn") if caption(figure).startswith(name)]
    elif kind == "code":
        elements = [code for code in parts(where, "div.cell_input") if words(code).startswith(words(name))]
    elif kind == "points":
        heads = [head for head in parts(where, "h2, summary") if words(head).rstrip("#") in name]
        elements = [head.find_next(["ul", "ol"]) for head in heads[:1]]
    else:
        heads = [head for head in parts(where, "h2, h3") if words(head).startswith(name)]
        elements = [formula for head in heads for formula in head.parent.select(FORMULA)[nth - 1 : nth]]
    if len(elements) != 1:
        raise LookupError(
            f"chapter {chapter} has {len(elements)} of the {kind} {name!r}: "
            "name one in book/teach/slides.yml as it begins there"
        )
    return elements[0]

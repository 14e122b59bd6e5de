"""The built site as a source: figures, code, formulas and lists of the chapters, and the questions."""

import functools
import sys
from pathlib import Path

from bs4 import BeautifulSoup

ROOT = Path(__file__).parent.parent.parent
SITE = ROOT / "_build" / "html"
sys.path.insert(0, str(ROOT / "book" / "_ext"))
import results  # noqa: E402

FORMULA = "div.math:not(.posenc-result *, .cell_output *, details *)"


def title(chapter):
    """Return the title of a chapter, without its number. chapter: that number."""
    return results.title_of(results.numbered()[chapter]).partition(". ")[2]


@functools.cache
def page(name):
    """Return a page of the built site as a BeautifulSoup. name: such as "book/notation"."""
    file = SITE / f"{name}.html"
    if not file.is_file():
        raise FileNotFoundError(f"{file} is not built: run 'make book'")
    soup = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
    for box in soup.select(".living"):  # the still picture of a living figure
        box.unwrap()
    return soup


def words(element):
    """Return a text, or that of an element of a page, on one line."""
    text = element if isinstance(element, str) else element.get_text()
    return " ".join(text.split())


def caption(figure):
    """The caption of a figure, without its number."""
    return words(figure.figcaption).partition(" · ")[2]


@functools.cache
def parts(name, selector):
    """Return the elements that a CSS selector finds on a page, given by its name."""
    return page(name).article.select(selector)


def list_under(chapter, heads):
    """Return the list that stands under one of these headings, or in a fold of that name, of a chapter."""
    for head in parts(f"notebooks/{results.numbered()[chapter].stem}", "h2, summary"):
        if words(head).rstrip("#") in heads:
            return head.find_next(["ul", "ol"])
    raise LookupError(f"chapter {chapter} has nothing under {' or '.join(heads)}")


def part(kind, chapter, name, nth=1):
    """Return the one element that a slide names (see `book/teach/slides.yml`). Raises LookupError for none or more.

    kind: "quiz", "figure", "code", or else the formula under a heading, the first or the nth. name: the id of a
    question, else how the caption, code or heading begins.
    """
    where = f"notebooks/{results.numbered()[chapter].stem}"
    if kind == "quiz":
        found = [field for field in parts("book/teach/quizzes", "fieldset") if field["id"] == name]
    elif kind == "figure":
        found = [figure for figure in parts(where, "figure.drawn") if caption(figure).startswith(name)]
    elif kind == "code":
        found = [code for code in parts(where, "div.cell_input") if words(code).startswith(words(name))]
    else:
        heads = [head for head in parts(where, "h2, h3") if words(head).startswith(name)]
        found = [formula for head in heads for formula in head.parent.select(FORMULA)[nth - 1 : nth]]
    if len(found) != 1:
        raise LookupError(
            f"chapter {chapter} has {len(found)} of the {kind} {name!r}: "
            "name one in book/teach/slides.yml as it begins there"
        )
    return found[0]

"""The built site as a source: figures, code, formulas and cards of the chapters, and the questions."""

import functools
import sys
from pathlib import Path

from bs4 import BeautifulSoup

ROOT = Path(__file__).parent.parent.parent
SITE = ROOT / "_build" / "html"
sys.path.insert(0, str(ROOT / "book" / "_ext"))
import results  # noqa: E402


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


def part(kind, chapter, name):
    """Return the one element that a slide names (see `book/teach/slides.yml`). Raises LookupError for none or more.

    kind: "quiz", "card", "figure", "code", or else the formula under a heading. name: the id of the first two, else how
    the caption, code or heading begins.
    """
    where = f"notebooks/{results.numbered()[chapter].stem}"
    if kind == "quiz":
        found = [field for field in parts("book/teach/quizzes", "fieldset") if field["id"] == name]
    elif kind == "card":
        found = [card for card in parts(where, ".posenc-result[id]") if card["id"] == f"result-{name}"]
    elif kind == "figure":
        found = [figure for figure in parts(where, "figure.drawn") if caption(figure).startswith(name)]
    elif kind == "code":
        found = [code for code in parts(where, "div.cell_input") if words(code).startswith(words(name))]
    else:
        heads = [head for head in parts(where, "h2, h3") if words(head).startswith(name)]
        found = [head.parent.select_one("div.math:not(.posenc-result *, .cell_output *)") for head in heads]
    if len(found) != 1 or found[0] is None:
        raise LookupError(
            f"chapter {chapter} has {len(found)} of the {kind} {name!r}: "
            "name one in book/teach/slides.yml as it begins there"
        )
    return found[0]

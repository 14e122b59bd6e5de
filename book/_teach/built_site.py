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
    """The title of a chapter, without its number."""
    return results.title_of(results.numbered()[chapter]).partition(". ")[2]


@functools.cache
def page(name):
    """A page of the built site, parsed."""
    file = SITE / f"{name}.html"
    if not file.is_file():
        raise FileNotFoundError(f"{file} is not built: run 'make book'")
    soup = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
    for box in soup.select(".living"):  # the still picture of a living figure
        box.unwrap()
    return soup


def words(element):
    """A text, or that of an element, on one line."""
    text = element if isinstance(element, str) else element.get_text()
    return " ".join(text.split())


def caption(figure):
    """The caption of a figure, without its number."""
    return words(figure.figcaption).partition(" · ")[2]


@functools.cache
def parts(name, selector):
    """What a selector finds on a page."""
    return page(name).article.select(selector)


def part(kind, chapter, name):
    """The element that a slide names: see the head of `book/teach/slides.yml`."""
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

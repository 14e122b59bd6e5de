"""The built site as a source: the figure, code or formula of a cell, the card of a result, a question.

A notebook in git says which figure a cell is, counted from the top; the page of the site has it set.
"""

import functools
import json
import re
import sys
from pathlib import Path

from bs4 import BeautifulSoup

ROOT = Path(__file__).parent.parent.parent
SITE = ROOT / "_build" / "html"
sys.path.insert(0, str(ROOT / "book" / "_ext"))


@functools.cache
def chapters():
    """The paths of the chapters by number."""
    return {int(path.name[:2]): path for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))}


@functools.cache
def cells(chapter):
    """The cells of a chapter as git has them."""
    return json.loads(chapters()[chapter].read_text(encoding="utf-8"))["cells"]


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


def is_shown(cell):
    """Whether a cell of code is on its page."""
    return cell["cell_type"] == "code" and "remove-cell" not in cell["metadata"].get("tags", ())


def figures(cell):
    """How many figures a cell shows."""
    return sum(any("figure" in kind for kind in o.get("data", {})) for o in cell.get("outputs", ()))


def formulas(cell):
    """How many formulas on lines of their own a cell of text has."""
    return len(re.findall(r"\$\$.+?\$\$", "".join(cell["source"]), re.S))


# What is counted in the cells, and what it is on the page.
PARTS = {
    "figure": (lambda cell: figures(cell), "article figure.drawn"),
    "code": (lambda cell: int(is_shown(cell)), "article div.cell_input"),
    "formula": (
        lambda cell: formulas(cell) if cell["cell_type"] == "markdown" else 0,
        "article div.math:not(.posenc-result *, .cell_output *)",
    ),
}


def part(kind, chapter, name):
    """The element of the page that a cell's figure, code or first formula is."""
    count, selector = PARTS[kind]
    before = 0
    for cell in cells(chapter):
        if cell["id"] == name:
            if not count(cell):
                raise LookupError(f"cell {name} of chapter {chapter} has no {kind}")
            return page(f"notebooks/{chapters()[chapter].stem}").select(selector)[before]
        before += count(cell)
    raise LookupError(f"chapter {chapter} has no cell {name}")


def card(chapter, name):
    """The card of a result."""
    found = page(f"notebooks/{chapters()[chapter].stem}").find(id=f"result-{name}")
    if found is None:
        raise LookupError(f"chapter {chapter} has no card {name}")
    return found


def question(name):
    """A question, as a fieldset."""
    found = page("book/teach/quizzes").find("fieldset", id=name)
    if found is None:
        raise LookupError(f"there is no question {name}")
    return found


def title(chapter):
    """The title of a chapter, without its number."""
    return "".join(cells(chapter)[0]["source"]).splitlines()[0].lstrip("# ")

"""How much of a notebook is on the surface, and how long it takes to read.

The surface is what a page shows before anything is unfolded. A cell's tags say what is folded: `hide-input`
its code; `evidence`, `solution` and `answer` the whole cell; `remove-cell` takes it off the page.

The minutes are a sum, for a reader who is new to the subject, and they leave the folded parts out:

    words of prose, a formula in a line counted as one      200 a minute
    formulas that stand on lines of their own               15 seconds each
    lines of code on the surface                            6 seconds each
    cards: a statement, its domain, how it was shown        40 seconds each
    figures, with their captions                            30 seconds each
    exercises                                               4 minutes each

The sum is rounded up to five minutes. `book/_tools/normalise.py` writes it into the notebook.
"""

import math
import re

CARD = "application/vnd.posenc.result+json"
FIGURE = "application/vnd.posenc.figure+json"
FOLDED = {"evidence", "solution", "answer", "remove-cell"}
TIME = re.compile(r"(\*Time:\*\s+)(\d+)(\s+minutes)")


def tags(cell):
    """The tags of a cell, as a set."""
    return set(cell.metadata.get("tags", ()))


def prose(notebook):
    """The text of all Markdown cells on the surface."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "markdown" and not tags(cell) & FOLDED]
    return "\n\n".join(cell.source for cell in cells)


def open_code(notebook):
    """The number of lines of each code cell whose code is on the surface; blank lines do not count."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    sources = [cell.source for cell in code if not tags(cell) & {*FOLDED, "hide-input"}]
    return [sum(bool(line.strip()) for line in source.splitlines()) for source in sources]


def surface_outputs(notebook, mime):
    """What the surface shows of one kind: the data of each output that holds `mime`."""
    cells = [cell for cell in notebook.cells if not tags(cell) & FOLDED]
    return [o.data[mime] for cell in cells for o in cell.get("outputs", ()) if mime in o.get("data", {})]


def exercises(notebook):
    """The number of exercises."""
    return len(re.findall(r"^\*\*Exercise \d+\.\d+\.\*\*", prose(notebook), re.MULTILINE))


def minutes(notebook):
    """The minutes that the surface takes, rounded up to five."""
    text, formulas = re.subn(r"\$\$.+?\$\$", " ", prose(notebook), flags=re.DOTALL)
    text = re.sub(r"\$[^$]+\$", "x", text)  # a formula in a line is one word
    text = re.sub(r"\]\([^)]*\)", "]", text)  # an address is not read
    words = re.findall(r"\S*\w\S*", text)
    spent = (
        len(words) / 200
        + formulas * 15 / 60
        + sum(open_code(notebook)) * 6 / 60
        + len(surface_outputs(notebook, CARD)) * 40 / 60
        + len(surface_outputs(notebook, FIGURE)) * 30 / 60
        + exercises(notebook) * 4
    )
    return 5 * math.ceil(spent / 5)


def stated(notebook):
    """The minutes that the notebook states, or None."""
    found = TIME.search(prose(notebook))
    return int(found[2]) if found else None


def state(notebook):
    """Write the minutes into the line that states them, if there is one."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and TIME.search(cell.source):
            cell.source = TIME.sub(rf"\g<1>{minutes(notebook)}\g<3>", cell.source, count=1)
            return

"""How long it takes to read a notebook, for a reader who is new to the subject.

Counted is the surface: what a page shows before anything is unfolded. A cell's tags say what is folded: `hide-input`
its code; `evidence`, `solution` and `answer` the whole cell; `remove-cell` takes it off the page.
`book/_tools/normalise.py` writes the minutes into the notebook.
"""

import math
import re

CARD = "application/vnd.posenc.result+json"
FIGURE = "application/vnd.posenc.figure+json"
FOLDED = {"evidence", "solution", "answer", "remove-cell"}
EXERCISE = re.compile(r"^\*\*Exercise (\d+\.\d+)\.\*\*", re.MULTILINE)
TIME = re.compile(r"(\*Time:\*\s+)(\d+)(\s+minutes)")


def tags(cell):
    """The tags of a cell, as a set."""
    return set(cell.metadata.get("tags", ()))


def visible_cells(notebook, kind):
    """Return the cells of one kind, "code" or "markdown", that are not folded whole; their code alone may be."""
    return [cell for cell in notebook.cells if cell.cell_type == kind and not tags(cell) & FOLDED]


def prose(notebook):
    """Return the text of all Markdown cells of a notebook that are not folded."""
    return "\n\n".join(cell.source for cell in visible_cells(notebook, "markdown"))


def minutes(notebook):
    """Return the minutes, a multiple of five, for what an nbformat notebook shows unfolded; an exercise takes four."""
    text, formulas = re.subn(r"\$\$.+?\$\$", " ", prose(notebook), flags=re.DOTALL)
    text = re.sub(r"\$[^$]+\$", "x", text)  # a formula in a line is one word
    text = re.sub(r"\]\([^)]*\)", "]", text)  # an address is not read
    code = visible_cells(notebook, "code")
    open_code = "\n".join(cell.source for cell in code if "hide-input" not in tags(cell))
    outputs = [output.get("data", {}) for cell in code for output in cell.outputs]
    spent = len(re.findall(r"\S*\w\S*", text)) / 200
    spent += formulas * 15 / 60
    spent += sum(bool(line.strip()) for line in open_code.splitlines()) * 6 / 60
    for cell in code:  # the card of a pair is one line, since the text has said its statement
        seconds = 10 if "sympy" in tags(cell) else 40
        spent += sum(CARD in output.get("data", {}) for output in cell.outputs) * seconds / 60
    spent += sum(FIGURE in data for data in outputs) * 30 / 60
    spent += len(EXERCISE.findall(text)) * 4
    return 5 * math.ceil(spent / 5)


def write_minutes(notebook):
    """Write the minutes of a notebook into its line that states its *Time:*, if there is one; changes the cell."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and TIME.search(cell.source):
            cell.source = TIME.sub(rf"\g<1>{minutes(notebook)}\g<3>", cell.source, count=1)
            return

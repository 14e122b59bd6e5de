"""Execute notebooks and write them in the one form in which they are kept in git.

    python -m coursebook.tools.normalise                     every notebook
    python -m coursebook.tools.normalise notebooks/05_*.ipynb

Kept: sources, tags, execution counts, text outputs, figure descriptions. Dropped: image payloads, times, other
metadata. Written here: the first code cell, for Colab (`colab_cell.py`); what a tag folds on the page and in
JupyterLab.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from ..content import NOTEBOOKS, Chapter, notebooks
from . import colab_cell

TAGS = {
    *("torch", "sympy"),  # a statement that is run, and found by SymPy, in the open
    "strict",  # its proof, whose code stands behind the page, and its card in one line
    *("hide-input", "hide-cell", "evidence", "remove-cell", "raises-exception", "solution", "answer"),
}
IMAGES = {"image/png", "image/jpeg", "image/svg+xml", "application/pdf"}
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"name": "python", "nbconvert_exporter": "python"}  # else nbconvert makes no program of it
WITH_OUTPUT = {"evidence", "solution", "answer"}  # fold a cell with its output


def tidy(notebook):
    """Bring a notebook into normal form: cell for Colab, folds, no pictures. Changes and returns it."""
    colab_cell.put_first(notebook.cells)
    notebook.metadata = {"kernelspec": KERNEL, "language_info": LANGUAGE}
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        cell.metadata = _metadata(cell)
        cell.source = "\n".join(line.rstrip() for line in cell.source.strip("\n").splitlines())
        for output in cell.get("outputs", ()):
            if "data" in output:
                output.data = {kind: value for kind, value in output.data.items() if kind not in IMAGES}
                output.metadata = {}
    return notebook


def _metadata(cell):
    tags = set(cell.metadata.get("tags", ())) - {"hide-cell"}
    with_output = bool(tags & WITH_OUTPUT)
    if with_output:
        tags = tags - {"hide-input"} | {"hide-cell"}
    if "strict" in tags:
        tags |= {"hide-input"}
    metadata = {"tags": sorted(tags)} if tags else {}
    folded = cell.cell_type == "code" and tags & {"hide-cell", "hide-input", "remove-cell"}
    if folded and "answer" not in tags:  # the cell that a reader fills in is folded on the page alone
        metadata["jupyter"] = {"source_hidden": True} | ({"outputs_hidden": True} if with_output else {})
    return metadata


def text(notebook):
    """The notebook as the text of its file."""
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n"


def main(paths):
    """Execute each notebook, by default all, in a fresh kernel that starts in the notebooks' folder, and write it."""
    options = {"timeout": 120, "kernel_name": "python3", "record_timing": False, "coalesce_streams": True}
    for chapter in [Chapter(Path(path)) for path in paths] or notebooks():
        notebook = tidy(chapter.notebook())
        NotebookClient(notebook, resources={"metadata": {"path": str(NOTEBOOKS)}}, **options).execute()
        chapter.path.write_text(text(tidy(notebook)), encoding="utf-8")
        print(f"{chapter.path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} code cells executed")


if __name__ == "__main__":
    main(sys.argv[1:])

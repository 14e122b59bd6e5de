"""The first code cell of each notebook: it brings the companion package to one that was opened alone, as in Colab."""

import functools
from pathlib import Path

import nbformat
import yaml

CONFIG = Path(__file__).parents[2] / "_config.yml"
SOURCE = """\
# Opened alone, as in Colab, a notebook lacks the course's package: only then install it.
from importlib import invalidate_caches, util

if not util.find_spec("posenc"):
    course = "{url}"
    %pip install --quiet {{course}}/archive/refs/heads/{branch}.zip
    invalidate_caches()
for package in ("posenc", "matplotlib", "sympy", "torch"):
    if not util.find_spec(package):
        raise ModuleNotFoundError(f"{{package}} is missing here: run 'make lab' in the course's "
                                  "own folder, and open the notebook from there.")"""


@functools.cache
def colab_cell():
    """The source of the cell, with the public address of the repository."""
    repository = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["repository"]
    return SOURCE.format(url=repository["url"], branch=repository["branch"])


def put_first(cells):
    """Make it the first code cell, in place of an older text of the same first line."""
    source = colab_cell()
    title = source.splitlines()[0]
    unchanged = next((cell for cell in cells if cell.cell_type == "code" and cell.source == source), None)
    cells[:] = [cell for cell in cells if not cell.source.startswith(title)]
    first = next((n for n, cell in enumerate(cells) if cell.cell_type == "code"), len(cells))
    cells.insert(first, unchanged or nbformat.v4.new_code_cell(source))
    cells[first].metadata = {"tags": ["remove-cell"]}

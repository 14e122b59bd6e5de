"""The first code cell of each notebook: it brings the companion package to one that was opened alone, as in Colab."""

import functools
import tomllib

import nbformat

from ..content import ROOT, config

SOURCE = """\
# Opened alone, as in Colab, a notebook lacks the course's package: only then install it.
from importlib import invalidate_caches, util

if not util.find_spec("posenc"):
    course = "{url}"
    %pip install --quiet {what}
    invalidate_caches()
for package in ({packages}):
    if not util.find_spec(package):
        raise ModuleNotFoundError(f"{{package}} is missing here: run 'make lab' in the course's "
                                  "own folder, and open the notebook from there.")"""


PACKAGES = ("posenc", "matplotlib", "sympy", "torch")


@functools.cache
def colab_cell(model=False):
    """The source of the cell, with the public address of the repository. model: for a notebook that loads one."""
    repository = config()["repository"]
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for_model = [need.partition(">=")[0] for need in extra["real"] if model]
    archive = f"{{course}}/archive/refs/heads/{repository['branch']}.zip"
    return SOURCE.format(
        url=repository["url"],
        what=f'"posenc[real] @ {archive}"' if model else archive,
        packages=", ".join(f'"{name}"' for name in dict.fromkeys([*PACKAGES, *for_model])),
    )


def put_first(cells):
    """Put the cell first among the code cells of a list, which is changed; an older one of the same first line goes."""
    source = colab_cell(model=any("real.load(" in cell.source for cell in cells))
    unchanged = next((cell for cell in cells if cell.source == source), None)
    cells[:] = [cell for cell in cells if not cell.source.startswith(source.partition("\n")[0])]
    first = next((n for n, cell in enumerate(cells) if cell.cell_type == "code"), len(cells))
    cells.insert(first, unchanged or nbformat.v4.new_code_cell(source))
    cells[first].metadata = {"tags": ["remove-cell"]}

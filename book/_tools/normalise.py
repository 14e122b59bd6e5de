"""Execute notebooks and write them in the one form in which they are kept in git.

    python book/_tools/normalise.py                     every notebook
    python book/_tools/normalise.py notebooks/05_*.ipynb

Kept: sources, tags, execution counts, text outputs, figure descriptions. Dropped: image payloads,
times, other metadata. The cells' ids follow from their sources. Written here: the first code cell, which
brings the companion package to a notebook that was opened alone; what a tag means to the page and to
JupyterLab (`hide-input` folds the code, `evidence` and `solution` the whole cell; `answer`, the cell that a
reader fills in, is folded on the page alone); the minutes of reading.
"""

import functools
import hashlib
import sys
from pathlib import Path

import minutes
import nbformat
import yaml
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "book" / "_ext"))
from results import FOLDER, is_appendix, notebooks, number  # noqa: E402, F401

TAGS = {"hide-input", "hide-cell", "evidence", "remove-cell", "raises-exception", "solution", "answer"}
IMAGES = {"image/png", "image/jpeg", "image/svg+xml", "application/pdf"}
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
WHOLE = {"evidence", "solution", "answer"}  # fold a cell with its output
BRING = """\
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


def execute(notebook):
    """Run every cell in a fresh kernel that starts in the notebooks' folder."""
    client = NotebookClient(
        notebook, timeout=120, kernel_name="python3", record_timing=False, coalesce_streams=True,
        resources={"metadata": {"path": str(FOLDER)}},
    )  # fmt: skip
    return client.execute()


@functools.cache
def bring():
    """The source of the cell that installs the companion package from its public address."""
    repository = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]
    return BRING.format(url=repository["url"], branch=repository["branch"])


def tidy(notebook):
    """Bring a notebook into normal form, without executing it. Changes and returns it."""
    _put_first(notebook.cells, bring())
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        cell.metadata = _metadata(cell)
    minutes.state(notebook)
    seen = {}
    for cell in notebook.cells:
        cell.source = "\n".join(line.rstrip() for line in cell.source.strip("\n").splitlines())
        digest = hashlib.sha256(cell.source.encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
        for output in cell.get("outputs", ()):
            if "data" in output:
                output.data = {kind: value for kind, value in output.data.items() if kind not in IMAGES}
                output.metadata = {}
    return notebook


def _put_first(cells, source):
    """Make `source` the first code cell, in place of an older text of the same first line."""
    title = source.splitlines()[0]
    stays = next((cell for cell in cells if cell.cell_type == "code" and cell.source == source), None)
    cells[:] = [cell for cell in cells if not cell.source.startswith(title)]
    first = next((n for n, cell in enumerate(cells) if cell.cell_type == "code"), len(cells))
    cells.insert(first, stays or nbformat.v4.new_code_cell(source))
    cells[first].metadata = {"tags": ["remove-cell"]}


def _metadata(cell):
    tags = set(cell.metadata.get("tags", ())) - {"hide-cell"}
    whole = tags & WHOLE
    if whole:
        tags = tags - {"hide-input"} | {"hide-cell"}
    metadata = {"tags": sorted(tags)} if tags else {}
    if cell.cell_type != "code" or not tags & {"hide-cell", "hide-input", "remove-cell"}:
        return metadata
    if "answer" not in tags:
        metadata["jupyter"] = {"source_hidden": True} | ({"outputs_hidden": True} if whole else {})
    return metadata


def text(notebook):
    """The notebook as the text of its file."""
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n"


def main(paths):
    for path in [Path(p) for p in paths] or notebooks():
        notebook = tidy(execute(tidy(nbformat.read(path, as_version=4))))
        path.write_text(text(notebook), encoding="utf-8")
        print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} code cells executed")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Print what Run All costs in each chapter: seconds from the start of the kernel, and its peak memory.

    python book/_tools/measure_chapters.py

Run it by hand, in the environment that is to be measured, on a machine that does nothing else.
"""

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
PEAK = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
UNIT = 1e6 if sys.platform == "darwin" else 1e3  # getrusage counts in bytes there, in kB elsewhere


def measure(path):
    """Seconds and megabytes of one chapter."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(PEAK))
    start = time.perf_counter()
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(FOLDER)}}).execute()
    seconds = time.perf_counter() - start
    return seconds, int(notebook.cells[-1].outputs[0].text) / UNIT


def main():
    print("| chapter | seconds | peak memory, MB |\n|---|---:|---:|")
    for path in sorted(FOLDER.glob("*.ipynb")):
        seconds, megabytes = measure(path)
        print(f"| `{path.stem}` | {seconds:.1f} | {megabytes:.0f} |", flush=True)


if __name__ == "__main__":
    main()

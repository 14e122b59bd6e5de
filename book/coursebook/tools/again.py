"""Run all cells of a notebook, then each cell once more in a copy of that state: does it give what it gave?

    python -m coursebook.tools.again                     every notebook
    python -m coursebook.tools.again notebooks/04_*.ipynb

A reader goes back and runs a cell again when later cells have run. Printed is each cell that then fails, or prints
another text; the exit status is 1 where there is one. (It forks, so not on Windows.)
"""

import io
import os
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing import get_context
from pathlib import PurePath

from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import InteractiveShell

from ..content import NOTEBOOKS, notebook, notebooks


def run(cell):
    """Run a cell in this process. Returns its printed text and results, or the words of what it raised."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        done = InteractiveShell.instance().run_cell(cell.source)
    problem = done.error_before_exec or done.error_in_exec
    text = re.sub(r"^Out\[\d+\]: ", "", printed.getvalue(), flags=re.M)
    return text if problem is None else f"{type(problem).__name__}: {problem}"


def once_more(cell, pipe):
    """Run a cell in a child of the process that ran all cells, and send what it gives."""
    pipe.send(run(cell))


def differs(chapter):
    """Yield the id and the two texts of each cell of a chapter that gives something else when it is run again."""
    cells = [cell for cell in chapter.cells if cell.kind == "code"]
    InteractiveShell.clear_instance()
    HistoryManager.enabled = False  # its thread would hold a lock for ever in the copies
    InteractiveShell.instance().InteractiveTB.set_mode("Minimal")
    first = [run(cell) for cell in cells]
    for cell, text in zip(cells, first, strict=True):
        here, there = get_context("fork").Pipe()
        process = get_context("fork").Process(target=once_more, args=(cell, there))
        process.start()
        again = here.recv() if here.poll(300) else "no end within five minutes"
        process.kill()
        if again != text:
            yield cell.id, text, again


def report(chapter):
    """Print what differs in a chapter; the exit status of this process is 1 where something does."""
    found = False
    for id, text, again in differs(chapter):
        found = True
        print(f"{chapter.name} {id}: {again.strip()[-200:]!r} instead of {text.strip()[-200:]!r}")
    print(f"{chapter.name}: tried", flush=True)
    sys.exit(found)


def main(names):
    """Try these notebooks, by default all, each in a process of its own. Returns whether a cell gave something else."""
    os.chdir(NOTEBOOKS)
    found = False
    for chapter in [notebook(PurePath(name).stem) for name in names] or notebooks():
        process = get_context("fork").Process(target=report, args=(chapter,))
        process.start()
        process.join()
        found = found or process.exitcode != 0
    return found


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")
    sys.exit(main(sys.argv[1:]))

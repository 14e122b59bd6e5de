"""`python -m posenc.lab --into mine.jsonl --task ago` trains the runs of a task that the file lacks."""

import argparse
from pathlib import Path

from posenc.lab import plan, results

parser = argparse.ArgumentParser(prog="python -m posenc.lab", description=results.__doc__)
parser.add_argument("--into", type=Path, default=results.FILE, help="file of the runs; by default that of the package")
parser.add_argument("--task", action="append", choices=tuple(plan.STEPS), help="only this task; may be repeated")
options = parser.parse_args()
results.run_missing(options.into, options.task or plan.STEPS)

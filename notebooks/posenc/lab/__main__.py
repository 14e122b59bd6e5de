"""`python -m posenc.lab --preset small`: the runs of a preset that are missing, with a bar. Stop it at any time."""

import argparse
from pathlib import Path

from posenc.lab import plan, results

parser = argparse.ArgumentParser(prog="python -m posenc.lab", description=results.__doc__)
parser.add_argument("--preset", choices=tuple(plan.PRESETS), default="small")
parser.add_argument("--into", type=Path, help="folder of the runs; by default that of the package for full, "
                                              "and lab-small in the current folder for small")
parser.add_argument("--task", action="append", help="only this task; may be repeated")
chosen = parser.parse_args()
home = chosen.into or (results.HOME if chosen.preset == "full" else Path("lab-small"))
try:
    print(results.go(chosen.preset, home, chosen.task), "runs in", home)
except KeyboardInterrupt:
    print("\nStopped: the same command goes on from here.")
    raise SystemExit(130) from None

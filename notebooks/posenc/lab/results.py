"""Runs on disk, one small JSON file each.

`go` makes the runs of a plan (`plan.py`) that have no file yet, so that a stopped plan goes on where it was. For
each task and each entrant, every rate of RATES is tried once, with the seed SEARCH; the seeds then run at the rate
that was right most often at the end of training, on texts of trained lengths. Nothing longer is looked at for that.
"""

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch

from posenc.lab import plan, training
from posenc.lab.entrants import ENTRANTS, LONGEST, TRAINED, Entrant
from posenc.lab.tasks import NONE, TASKS

HOME = Path(__file__).parent / "runs"


def path(task: str, entrant: str, seed: int, rate: float, home: Path = HOME) -> Path:
    """Where a run lies. Spaces and commas of the entrant's name become hyphens."""
    name = entrant.replace(", ", "-").replace(" ", "-")
    return home / task / f"{name}.seed{seed}.rate{rate:g}.json"


def one(task: str, entrant: str, seed: int, rate: float, home: Path = HOME) -> dict[str, Any]:
    """The run from its file, or trained and written there. A stop while it is written leaves no file."""
    file = path(task, entrant, seed, rate, home)
    if file.exists():
        return json.loads(file.read_text())
    start = time.process_time()
    run, model = training.train(task, entrant, seed, rate, plan.budget_of(task))
    run["seconds"] = round(time.process_time() - start, 1)
    if seed == 0:
        run["looks"] = _looks(model, task, ENTRANTS[entrant])
        if "learned" in entrant and task == "ago":
            run["table"] = [[round(x, 3) for x in row] for row in model.scheme.table.tolist()]
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_suffix(".half")
    half.write_text(json.dumps(run, ensure_ascii=False) + "\n")
    os.replace(half, file)
    return run


def _looks(model: Any, task: str, entry: Entrant) -> dict[str, Any]:
    """What each head looks at from the last scored token of a text, at the trained and at the longest length."""
    found = {}
    for length in (TRAINED, LONGEST):
        source = torch.Generator().manual_seed(2)
        tokens, answers = TASKS[task](1, length, source)
        positions = entry.positions(1, length, source, training=False).flatten()
        last = int((answers[0] != NONE).nonzero()[-1])
        device = model.embedding.weight.device
        rows = training.looks(model, tokens[0].to(device), positions.to(device))[:, :, last]
        found[str(length)] = {"tokens": tokens[0].tolist(), "query": last,
                              "weights": [[[round(x, 3) for x in head] for head in layer] for layer in rows.tolist()]}
    return found


def best_rate(task: str, entrant: str, home: Path = HOME) -> float:
    """The rate of RATES that was right most often at the trained length with the seed SEARCH; the smaller of equals."""
    runs = [one(task, entrant, plan.SEARCH, rate, home) for rate in plan.RATES]
    scores = [run["read"][entrant]["right"][str(TRAINED)] for run in runs]
    return plan.RATES[scores.index(max(scores))]


def go(preset: str, home: Path = HOME, tasks: Iterable[str] | None = None) -> int:
    """Make what is missing of a preset and say how far it is. Returns the number of runs that there are."""
    chosen = plan.PRESETS[preset]
    tasks = tuple(tasks or chosen["tasks"])
    pairs = [(task, name) for task in tasks for name in plan.entrants_of(task, chosen["schemes"])]
    whole, done = len(pairs) * (len(plan.RATES) + len(chosen["seeds"])), 0
    for task, name in pairs:
        rate = best_rate(task, name, home)
        done += len(plan.RATES)
        for seed in chosen["seeds"]:
            one(task, name, seed, rate, home)
            done += 1
            bar = "█" * (30 * done // whole)
            print(f"\r{bar:<30} {done} of {whole} runs · {task} · {name:<20}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return done


def runs(home: Path = HOME, search: bool = False) -> Iterator[dict[str, Any]]:
    """Every run on disk, in the order of the files' names; with `search` those of the seed SEARCH instead."""
    for file in sorted(home.glob("*/*.json")):
        run = json.loads(file.read_text())
        if (run["seed"] == plan.SEARCH) == search:
            yield run


def shares(found: Iterable[dict[str, Any]], task: str, length: int = TRAINED) -> dict[str, list[float]]:
    """The shares of right answers at a length: {reader: one number for each seed}, in the order of ENTRANTS.

    found: as `runs` gives them. Readers without a run are left out.
    """
    rows: dict[str, list[float]] = {name: [] for name in ENTRANTS}
    for run in found:
        if run["task"] == task:
            for name, read in run["read"].items():
                rows.setdefault(name, []).append(read["right"][str(length)])
    return {name: row for name, row in rows.items() if row}

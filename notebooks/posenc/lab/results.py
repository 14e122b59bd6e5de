"""The runs, in one file: JSON, a run a line.

`run_missing` makes the runs of the plan (`plan.py`) that the file lacks. For each task and each entrant, every rate of
RATES is tried once, with the seed SEARCH; the seeds then run at the rate that was right most often at the end of
training, on texts of trained lengths. Nothing longer is looked at for that.
"""

import json
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import torch

from posenc.lab import plan, training
from posenc.lab.entrants import ENTRANTS, LONGEST, TRAINED, Entrant
from posenc.lab.tasks import NONE, TASKS

FILE = Path(__file__).parent / "runs.jsonl"


def load_or_train(task: str, entrant: str, seed: int, rate: float, file: Path = FILE) -> dict[str, Any]:
    """The run, a dictionary, from the file; if it is not there, train it and add it to the file."""
    key = task, entrant, seed, rate
    if key in _load(file):
        return _load(file)[key]
    start = time.process_time()
    run, model = training.train(task, entrant, seed, rate, plan.budget_of(task))
    run["seconds"] = round(time.process_time() - start, 1)
    if seed == 0:
        run["looks"] = _looks(model, task, ENTRANTS[entrant])
        if "learned" in entrant and task == "ago":
            run["table"] = [[round(x, 3) for x in row] for row in model.scheme.table.tolist()]
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(run, ensure_ascii=False) + "\n")
    _load(file)[key] = run
    return run


@cache  # a plan asks for every run, and the file has a thousand kilobytes
def _load(file: Path) -> dict[tuple[str, str, int, float], dict[str, Any]]:
    """{(task, entrant, seed, rate): run} of a file, in its order; {} where there is no file yet."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    runs = [json.loads(line) for line in lines]
    return {(run["task"], run["scheme"], run["seed"], run["rate"]): run for run in runs}


def _looks(model: Any, task: str, entry: Entrant) -> dict[str, Any]:
    """{length: what each head looks at from the last scored token of a text}, trained length and longest."""
    looks = {}
    for length in (TRAINED, LONGEST):
        source = torch.Generator().manual_seed(2)
        tokens, answers = TASKS[task](1, length, source)
        positions = entry.positions(1, length, source, training=False).flatten()
        last = int((answers[0] != NONE).nonzero()[-1])
        device = model.embedding.weight.device
        rows = training.looks(model, tokens[0].to(device), positions.to(device))[:, :, last]
        weights = [[[round(x, 3) for x in head] for head in layer] for layer in rows.tolist()]
        looks[str(length)] = {"tokens": tokens[0].tolist(), "query": last, "weights": weights}
    return looks


def best_rate(task: str, entrant: str, file: Path = FILE) -> float:
    """The rate of RATES that was right most often at the trained length with the seed SEARCH; the smaller of equals."""
    runs = [load_or_train(task, entrant, plan.SEARCH, rate, file) for rate in plan.RATES]
    scores = [run["read"][entrant]["right"][str(TRAINED)] for run in runs]
    return plan.RATES[scores.index(max(scores))]


def run_missing(file: Path = FILE, tasks: Iterable[str] = tuple(plan.STEPS)) -> None:
    """Make the runs of these tasks that the file lacks, and say how far it is."""
    pairs = [(task, entrant) for task in tasks for entrant in plan.entrants_of(task)]
    for number, (task, entrant) in enumerate(pairs, 1):
        print(f"{number} of {len(pairs)}: {task}, {entrant}", file=sys.stderr)
        rate = best_rate(task, entrant, file)
        for seed in plan.SEEDS:
            load_or_train(task, entrant, seed, rate, file)


def runs(file: Path = FILE, search: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the runs in the order of the file; with `search` those of the seed SEARCH instead."""
    for run in _load(file).values():
        if (run["seed"] == plan.SEARCH) == search:
            yield run


def shares(runs: Iterable[dict[str, Any]], task: str, length: int = TRAINED) -> dict[str, list[float]]:
    """The shares of right answers at a length: {reader: one number for each seed}, in the order of ENTRANTS.

    runs: as the function `runs` gives them. Readers without a run are left out.
    """
    rows: dict[str, list[float]] = {name: [] for name in ENTRANTS}
    for run in runs:
        if run["task"] == task:
            for name, read in run["read"].items():
                rows.setdefault(name, []).append(read["right"][str(length)])
    return {name: row for name, row in rows.items() if row}

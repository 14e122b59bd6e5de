"""The runs of the released model, in one file: JSON, a run a line. `python -m posenc.real_lab` makes those it lacks.

They are read without the model, in two lines. A head that looks one back, its weights on 24 tokens of a novel:

    (look,) = results.runs("look")
    weights = [row + [0.0] * (24 - len(row)) for row in look["weights"]]  # and look["tokens"], look["by_offset"]

What a change adds to the loss, in eight texts (`changes.CHANGES` has the names), such as the wrong layout:

    trained, wrong = (results.losses(change) for change in ("as trained", "wrong layout"))
    added = {text: wrong[text] - trained[text] for text in results.TEXTS}

The loss in bins of 512 tokens, along a text half as long again as the trained length of 8192, under a rule:

    none, ntk = (results.reading("course", 1.5, rule)["bins"] for rule in ("none", "NTK-aware"))
    again = [part["again"] for part in results.reading("course", 1.5, "none")["excerpts"]]
"""

import json
import sys
from pathlib import Path
from typing import Any

from posenc import validate

FOLDER = Path(__file__).parent
FILE = FOLDER / "runs.jsonl"
TEXTS = ("novel", "angler", "dictionary", "verse", "speech", "course", "code", "shuffled")


def text(name: str) -> str:
    """One of the TEXTS. Their sources are in `texts/README.md`."""
    return (FOLDER / "texts" / f"{validate.choice(name, TEXTS, 'name')}.txt").read_text(encoding="utf-8")


def runs(kind: str | None = None, file: Path = FILE) -> list[dict[str, Any]]:
    """The runs of a kind, all of them without one, in the order of the file."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [run for run in map(json.loads, lines) if kind in (None, run["kind"])]


def losses(change: str, file: Path = FILE) -> dict[str, float]:
    """The loss of each text that was read with a change. Raises KeyError for one that is not on file."""
    found = {run["text"]: run["loss"] for run in runs("change", file) if run["change"] == change}
    if not found:
        raise KeyError(f"change must be on file, got {change!r}: changes.CHANGES has the names")
    return found


def reading(text: str, factor: float, rule: str, file: Path = FILE) -> dict[str, Any]:
    """The reading of a long text under a rule. Raises KeyError for one that is not on file."""
    for run in runs("long", file):
        if (run["text"], run["factor"], run["rule"]) == (text, factor, rule):
            return run
    raise KeyError(f"no reading of {text!r} at {factor} under {rule!r} is on file: long.PLAN lists them")


def keep(run: dict[str, Any], file: Path = FILE) -> None:
    """Add a run to the file."""
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(run, ensure_ascii=False) + "\n")
    print(
        *(f"{name} {run[name]}" for name in ("kind", "text", "change", "dose", "factor", "rule") if name in run),
        file=sys.stderr,
    )

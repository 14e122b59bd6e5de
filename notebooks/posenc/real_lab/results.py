"""The runs of the released model, in one file: JSON, a run a line. `python -m posenc.real_lab` makes those it lacks."""

import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
FILE = FOLDER / "runs.jsonl"
TEXTS = ("novel", "angler", "dictionary", "verse", "speech", "course", "code", "shuffled")


def text(name: str) -> str:
    """One of the TEXTS. Their sources are in `texts/README.md`."""
    if name not in TEXTS:
        raise ValueError(f"name must be one of {', '.join(TEXTS)}, got {name!r}")
    return (FOLDER / "texts" / f"{name}.txt").read_text(encoding="utf-8")


def runs(kind: str | None = None, file: Path = FILE) -> list[dict[str, Any]]:
    """The runs of a kind, all of them without one, in the order of the file."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [run for run in map(json.loads, lines) if kind in (None, run["kind"])]


def keep(run: dict[str, Any], file: Path = FILE) -> None:
    """Add a run to the file."""
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(run, ensure_ascii=False) + "\n")
    print(*(f"{name} {run[name]}" for name in ("kind", "text", "factor", "rule") if name in run), file=sys.stderr)

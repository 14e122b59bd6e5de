"""Write the runs of chapter 11 into the living figure that shows them, book/assets/living/lab.js.

    PYTHONPATH=notebooks python book/_tools/pack_lab.py

Each number is a share in per cent, and one letter of DIGITS. A row has the five seeds at each of the three lengths,
then, if the model was trained as this scheme, the mean of the seeds in each tenth of the training and one head's
weights: that of the head with the largest weight on another token, as the last scored token of a text of trained
length uses it.
"""

import json
import re
import string
from pathlib import Path

import torch

from posenc.lab import plan, results, training
from posenc.lab.entrants import ENTRANTS, TRAINED

SCRIPT = Path(__file__).parents[1] / "assets" / "living" / "lab.js"
PLACE = re.compile(r"(?<=const RUNS = ).*(?=;\n)")
DIGITS = string.digits + string.ascii_letters + "!#$%&()*+,-./:;=>?@[]^_{|}~" + "ÀÁÂÃÄÅÆÇÈÉÊË"  # 101
LETTERS = {  # the tokens of a task, as they are written; others are a, b, c, …
    "distance": string.ascii_lowercase[:16] + "M",
    "count": string.ascii_lowercase[:16] + "M",
    "copy": string.ascii_lowercase + string.ascii_uppercase[:22] + "|",
    "copy-repeats": "abcd|",
    "flip-flop": "01wir",
    "characters": "".join(map(chr, range(32, 127))) + "⏎",
}


def head(run):
    """The weights of the sharpest head, for every token of a text of trained length."""
    seen = run["looks"][str(TRAINED)]
    heads = [head for layer in seen["weights"] for head in layer]
    return max(heads, key=lambda head: max(x for at, x in enumerate(head) if at != seen["query"]))


def row(runs, task, name):
    """All that is shown of a task and a reader: shares, in the order of the row; empty where it was not run."""
    trained = ENTRANTS[name].of or name
    found = [run for run in runs if (run["task"], run["scheme"]) == (task, trained)]
    shares = [run["read"][name]["right"][str(length)] for length in training.LENGTHS for run in found]
    if found and trained == name:
        curve = torch.tensor([run["curve"] for run in found], dtype=torch.float64).mean(0)
        shares += curve.view(10, 2).mean(1).tolist()
        shares += head(found[0])
    return shares


def packed():
    """The runs as the script holds them."""
    runs = list(results.runs())
    tasks = plan.PRESETS["full"]["tasks"]
    first = {run["task"]: run["looks"][str(TRAINED)] for run in runs if run["seed"] == 0}
    text = {
        task: "".join(LETTERS.get(task, string.ascii_lowercase)[token] for token in first[task]["tokens"])
        for task in tasks
    }
    rows = {
        task: ["".join(DIGITS[round(100 * x)] for x in row(runs, task, name)) for name in ENTRANTS] for task in tasks
    }
    known = {
        "digits": DIGITS,
        "schemes": list(ENTRANTS),
        "texts": {task: [text[task], first[task]["query"]] for task in tasks},
        "steps": {task: plan.budget_of(task).steps for task in tasks},
        "rows": rows,
    }
    return json.dumps(known, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    SCRIPT.write_text(PLACE.sub(lambda _: packed(), SCRIPT.read_text(encoding="utf-8")), encoding="utf-8")

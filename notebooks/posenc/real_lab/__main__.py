"""`python -m posenc.real_lab` makes the runs that the file lacks; stopped, it goes on with the next one.

`--into mine.jsonl` keeps them in a file of your own, `--kind change` makes those of one kind.
"""

import argparse
from pathlib import Path

import torch

from posenc import real
from posenc.real_lab import changes, heads, long, results

ORDERS = {"The capital of France is": " Paris", "The capital of Italy is": " Rome"}
ORDERED = ("as trained", "wrong layout", "not turned")  # the changes with which each order is read

MAKERS = {
    "change": lambda run, *text: changes.run(model, *text, run["change"]),
    "rounded": lambda run, *text: changes.again(*text, run["change"], run["dose"]),
    "orders": lambda run, *_: changes.orders(model, run["words"], ORDERS[run["words"]], run["change"]),
    "exchange": lambda run, *_: changes.exchange(model, run["nouns"]),
    "heads": lambda run, *text: heads.run(model, *text),
    "lean": lambda run, *text: heads.lean(model, *text, run["turned"]),
    "look": lambda run, *text: heads.look(model, *text),
    "long": lambda run, *text: long.run(model, *text, run["factor"], run["rule"]),
    "needle": lambda run, *text: long.search(model, *text, run["factor"], run["rule"]),
}

parser = argparse.ArgumentParser(prog="python -m posenc.real_lab", description=__doc__)
parser.add_argument("--into", type=Path, default=results.FILE, help="file of the runs; by default that of the package")
parser.add_argument("--kind", action="append", choices=MAKERS, help="only these")
options = parser.parse_args()

torch.set_num_threads(1)
model = real.load()
tokens = {name: model.encode(results.text(name)) for name in results.TEXTS}
tokens["three"] = torch.cat([tokens[name] for name in ("course", "novel", "code")])  # none is four lengths long
wanted = [
    *({"kind": "change", "text": text, "change": change} for change in changes.CHANGES for text in results.TEXTS),
    *(
        {"kind": "rounded", "text": text, "change": change, "dose": dose}
        for dose in changes.DOSES
        for change in changes.ROUNDED
        for text in results.TEXTS
    ),
    *({"kind": "orders", "words": words, "change": change} for words in ORDERS for change in ORDERED),
    *({"kind": "exchange", "nouns": nouns} for nouns in changes.NOUNS),
    *({"kind": "heads", "text": text} for text in results.TEXTS),
    *({"kind": "lean", "text": text, "turned": turned} for text in results.TEXTS for turned in (True, False)),
    {"kind": "look", "text": "novel"},
    *({"kind": "long", "text": text, "factor": factor, "rule": rule} for text, factor, rule in long.PLAN),
    *({"kind": "needle", "text": "novel", "factor": factor, "rule": rule} for factor, rule in long.NEEDLES),
]
kept = results.runs(file=options.into)
for run in wanted:
    there = any(run.items() <= old.items() for old in kept)
    if there or run["kind"] not in (options.kind or [run["kind"]]):
        continue
    text = run.get("text")
    results.keep(MAKERS[run["kind"]](run, text, tokens.get(text)), options.into)

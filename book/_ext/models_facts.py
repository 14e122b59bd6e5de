"""The released models of `book/models.yml`: what is wrong with an entry, and what follows from its numbers."""

import math
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "notebooks"))
from posenc import models, scaling  # noqa: E402

KINDS = {  # of a source, as a reader chooses them
    "config": "config.json, copied",
    "restated": "config.json, restated",
    "makers": "its makers' program",
    "defaults": "class defaults",
}
WITHOUT = {"sources": {}, "models": []}
KNOWN = {}


def load():
    """The sources by name, and the models."""
    return yaml.safe_load((ROOT / "book" / "models.yml").read_text(encoding="utf-8")) or WITHOUT


def problems(model, sources):
    """What is wrong with an entry, in words."""
    wanted = {"name", "by", "year", "source", "at", "config"}
    found = [f"no {name}" for name in sorted(wanted) if not model.get(name)]
    source = sources.get(model.get("source"))
    if model.get("source") and source is None:
        found.append(f"the source {model['source']!r} is not in the list of sources")
    elif source and source.get("kind") not in KINDS:
        found.append(f"the source {model['source']!r} has no kind")
    elif source and not source.get("package") and not (source.get("commit") or model.get("commit")):
        found.append("its source names no commit")
    try:
        models.read(model.get("config") or {})
    except ValueError as problem:
        found.append(str(problem))
    return found


def sound():
    """The sources by name, and the models whose entries have nothing wrong."""
    data = load()
    return data["sources"], [model for model in data["models"] if not problems(model, data["sources"])]


def address(model, source):
    """Where a reader finds the source: the file at the commit that was read; nothing for a package."""
    if "package" in source:
        return None
    place = source.get("file") or source.get("folder", "") + model["at"].partition(",")[0]
    commit = model.get("commit", source.get("commit"))
    return f"https://github.com/{source['repository']}/blob/{commit}/{place}"


class Follows:
    """What follows from the numbers of one layer with RoPE.

    wavelength: of the slowest pair that turns, as the model runs.
    reach: how far apart query and key can be: the declared context, or the window. trained: the length in
    which turns are counted, by the frequencies before the rule: the trained one where the config names it,
    else the declared context, by the frequencies that run; at most the window.
    turns: of the slowest pair. whole: how many pairs go round at least once.
    suffices, after: the least m with Σ cos(mω) < 0 over all pairs of the head, before and after the rule,
    None where there is none within reach. always: there is none at all, since half of the head or more stands
    still. alone: the same for the columns that turn, without the others.
    """

    def __init__(self, layer):
        turning = layer.frequencies[layer.frequencies > 0]
        self.wavelength = 2 * math.pi / float(turning.min())
        self.reach = min(layer.context, layer.window or layer.context)
        self.trained = min(layer.trained or layer.context, self.reach)
        counted = layer.original if layer.trained else layer.frequencies
        counted = scaling.turns_in(counted[counted > 0], self.trained)
        self.turns, self.pairs, self.whole = float(counted.min()), len(counted), int((counted >= 1).sum())
        self.always = 2 * layer.rotated <= layer.head
        self.first = layer.original[layer.original > 0]
        self.alone = first_below(self.first, self.reach)
        self.suffices = self.after = None
        if not self.always:
            still = (layer.head - layer.rotated) // 2
            assert not still, "between half and all of the head: count the pairs that stand still"
            self.suffices = self.alone
            self.after = self.suffices if layer.rule == "none" else first_below(turning, self.reach)


def follows(layer):
    """`Follows` of a layer, computed once for layers of the same numbers."""
    said = layer.head, layer.context, layer.window, layer.trained, layer.rule
    key = (*said, *layer.original.tolist(), *layer.frequencies.tolist())
    if key not in KNOWN:
        KNOWN[key] = Follows(layer)
    return KNOWN[key]


def first_below(frequencies, most):
    """`scaling.kept_to`, or None where the sum stays above 0 up to `most`."""
    found = scaling.kept_to(frequencies, most)
    return None if found == most else found

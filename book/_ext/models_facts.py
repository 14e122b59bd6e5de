"""The released models of `book/models.yml`: what follows from the numbers of a layer, and what the page says of it."""

import math
import sys
from functools import cache
from pathlib import Path

import torch
import yaml
from sphinx.errors import ExtensionError

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "notebooks"))
from posenc import bias, models, scaling  # noqa: E402
from posenc.numeric import grouped  # noqa: E402

KINDS = {  # of a source, as a reader chooses them
    "config": "config.json, copied",
    "restated": "config.json, restated",
    "makers": "its makers' program",
    "defaults": "class defaults",
}
RULES = {
    "none": "none",
    "linear": "position interpolation",
    "llama3": "Llama 3's rule",
    "yarn": "YaRN",
    "longrope": "LongRoPE",
    "proportional": "p-RoPE",
}
MARKS = {"agrees": "✓ agrees:", "differs": "≠ differs:", "unnamed": "cannot be checked:"}


@cache
def load():
    """The sources by name, and the models. Raises ExtensionError where something is wrong with an entry."""
    data = yaml.safe_load((ROOT / "book" / "models.yml").read_text(encoding="utf-8"))
    for model in data["models"]:
        if wrong := problems(model, data["sources"]):
            raise ExtensionError(f"{model.get('name', 'an entry')} in book/models.yml: {'; '.join(wrong)}")
    return data


@cache
def models_with_layers():
    """The models, each with its layers by kind, those that look furthest last."""
    return [(model, models.read(model["config"])) for model in load()["models"]]


def problems(model, sources):
    """What is wrong with an entry, in words."""
    required = {"name", "by", "year", "source", "at", "config"}
    wrong = [f"no {name}" for name in sorted(required) if not model.get(name)]
    source = sources.get(model.get("source"))
    if model.get("source") and source is None:
        wrong.append(f"the source {model['source']!r} is not in the list of sources")
    elif source and source.get("kind") not in KINDS:
        wrong.append(f"the source {model['source']!r} has no kind")
    elif source and not source.get("package") and not (source.get("commit") or model.get("commit")):
        wrong.append("its source names no commit")
    try:
        models.read(model.get("config") or {})
    except ValueError as problem:
        wrong.append(str(problem))
    return wrong


def address(model, source):
    """Where a reader finds the source: the file at the commit that was read; nothing for a package."""
    if "package" in source:
        return None
    place = source.get("file") or source.get("folder", "") + model["at"].partition(",")[0]
    commit = model.get("commit", source.get("commit"))
    return f"https://github.com/{source['repository']}/blob/{commit}/{place}"


class Consequences:
    """What follows from the numbers of one layer with RoPE.

    wavelength: of the slowest pair that turns, as the model runs.
    reach: how far apart query and key can be: the declared context, or the window. trained: the length in
    which turns are counted, by the frequencies before the rule: the trained one where the config names it,
    else the declared context, by the frequencies that run; at most the window.
    turns: of the slowest pair. full_turns: how many pairs go round at least once.
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
        self.turns, self.pairs, self.full_turns = float(counted.min()), len(counted), int((counted >= 1).sum())
        self.always = 2 * layer.rotated <= layer.head
        self.alone = first_below(layer.original[layer.original > 0], self.reach)
        self.suffices = self.after = None
        if not self.always:
            assert layer.head == layer.rotated, "between half and all of the head: count the pairs that stand still"
            self.suffices = self.alone
            self.after = self.suffices if layer.rule == "none" else first_below(turning, self.reach)


def first_below(frequencies, most):
    """`scaling.kept_to`, or None where the sum stays above 0 up to `most`."""
    found = scaling.kept_to(frequencies, most)
    return None if found == most else found


def agreement(layer):
    """Whether the rule's factor times the length before it is the declared context: a word, and a sentence."""
    if layer.rule in ("none", "proportional"):
        return "none", ""
    if layer.trained is None:
        factor, implied = number(layer.factor), thousands(round(layer.context / layer.factor))
        made = f"a factor of {factor} makes {thousands(layer.context)} of {implied}."
        return "unnamed", f"the config names no length before the rule; {made}"
    reached = layer.factor * layer.trained
    product = f"{number(layer.factor)} × {thousands(layer.trained)} = {thousands(reached)}"
    step = " Its two ends are equal, so its ramp is a step." if len(set(layer.ends)) == 1 else ""
    if layer.rule == "longrope":
        return "agrees", f"its lists have {layer.rotated // 2} factors, one a pair; s is the ratio of the two lengths."
    if reached == layer.context:
        return "agrees", f"{product}, the declared context.{step}"
    return "differs", f"{product}, and the declared context is {thousands(layer.context)}.{step}"


def thousands(value):
    """131072 → '131 072', 4096 → '4096'; below a hundred, three digits."""
    return f"{value:.3g}" if value < 100 else grouped(value)


def number(value):
    """8.0 → '8', 1.5 → '1.5', 2048.0 → '2048'."""
    return f"{value:g}" if value < 1000 else thousands(value)


def config_terms(layer, trained=None):
    """What the config has, as pairs of a term and its words. trained: the length, where another source has it."""
    terms = {"Scheme": layer.scheme}
    if layer.scheme == "RoPE":
        terms["Scheme"] = f"RoPE, base {thousands(layer.base)}"
        terms["Columns"] = f"{share(layer)} turn, {layer.layout}"
        if layer.rule != "none":
            terms["Rule"] = RULES[layer.rule] + rule_numbers(layer)
        if layer.sections:
            terms["Pairs"] = "{} for time, {} for height, {} for width".format(*layer.sections)
    if layer.detail:
        terms["Bias"] = layer.detail
    if layer.back:
        terms["Values"] = "turn too, and the output back"
    if layer.context:
        terms["Context"] = f"{thousands(layer.context)} declared"
        if layer.trained:
            terms["Context"] += f", {thousands(layer.trained)} before the rule"
        elif trained:
            terms["Context"] += f", {thousands(trained)} trained"
    if layer.window:
        terms["Window"] = thousands(layer.window)
    if layer.slope:
        place = "(m + 1)" if layer.ahead else "m"
        terms["Queries"] = f"times 1 + {layer.slope:g}·ln(1 + ⌊{place}/{thousands(layer.every)}⌋)"
    return terms


def share(layer):
    """'all 128', or '32 of 128'."""
    return f"all {layer.head}" if layer.rotated == layer.head else f"{layer.rotated} of {layer.head}"


def rule_numbers(layer):
    """The numbers of a rule."""
    if layer.factor is None:
        return ""
    words = f", s = {number(layer.factor)}"
    if layer.ends:
        words += f", ramp from {number(layer.ends[0])} to {number(layer.ends[1])} turns"
    if layer.attention != 1:
        words += f", attention factor {layer.attention:.3f}"
    return words + (f", scores × {layer.scale:.3f}" if layer.scale != 1 else "")


def derived_terms(layer, facts):
    """What follows, as pairs of a term and its words."""
    turns = thousands(facts.turns) if facts.turns >= 0.001 else "less than 0.001"
    wave = f"wavelength {thousands(facts.wavelength)}, {turns} turns in {thousands(facts.trained)} tokens"
    terms = {"Slowest pair": wave, "Full turns": f"{facts.full_turns} of {facts.pairs} pairs"}
    terms["Base suffices"] = base_term(layer, facts)
    word, sentence = agreement(layer)
    if word != "none":
        terms["Factor"] = f"{MARKS[word]} {sentence}"
    if layer.rule == "yarn":
        terms["Attention"] = attention_term(layer)
    return terms


def attention_term(layer):
    """Whether the scores grow as YaRN asks."""
    expected = scaling.yarn_attention(layer.factor)
    if math.isclose(layer.attention, expected, rel_tol=1e-6):
        return f"✓ the rule's {expected:.3f} on query and key: scores × {expected**2:.3f}"
    if math.isclose(layer.scale, expected**2, rel_tol=1e-6):
        return f"✓ the rule's scores × {expected**2:.3f}, and so in the columns that stand still"
    return f"≠ {layer.attention:g}, where the rule has {expected:.3f} on query and key"


def bias_terms(layer):
    """What follows for a bias on the scores."""
    scheme = layer.ready()
    if isinstance(scheme, bias.ALiBi):
        slopes = bias.alibi_slopes(scheme.heads, torch.float64)
        half = math.log(2) / float(slopes.min())
        return {
            "Slopes": f"from {float(slopes.max()):.3f} to {float(slopes.min()):.4f}",
            "Reach": f"in the flattest head, the bias alone halves a weight every {thousands(half)} tokens",
        }
    if isinstance(scheme, bias.T5):
        return {"Reach": f"all keys from distance {scheme.edges[-1]} on share one number"}
    return {}


def base_term(layer, facts):
    """How far the base goes, before and after the rule."""
    everything = f"for the whole {'window' if facts.reach == layer.window else 'context'}"
    if facts.always:
        rest = f"to {thousands(facts.alone)}" if facts.alone else everything
        return f"for any length, as half of the head or more stands still; the turning columns alone {rest}"
    before, after = (everything if end is None else f"to {thousands(end)}" for end in (facts.suffices, facts.after))
    if layer.rule == "none":
        return before
    same, two = f"{before}, with the rule and without", f"{before} by itself, {after} with the rule"
    return same if before == after else two

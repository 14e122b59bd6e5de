"""The released models of `book/models.yml`: what follows from the numbers of a layer, and what the page says of it."""

import math
from functools import cache

from posenc import bias, models, scaling
from posenc.numeric import grouped

from ...content import read_list

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
    """{"sources": …, "models": […]}: each with its source, and its layers by kind, the furthest looking last."""
    data = read_list("book/models.yml")
    for model in data["models"]:
        model["source"], model["layers"] = data["sources"][model["source"]], models.read(model["config"])
    return data


@cache  # both the terms and the order of the entries ask for them
class Consequences:
    """What follows from the numbers of one layer with RoPE.

    wavelength: of the slowest pair that turns, as the model runs.
    reach: how many tokens a query sees: the declared context, a window, or a chunk. trained: the length in which
    turns are counted, at most that, by the frequencies before the rule; by those that run where none is named.
    turns: of the slowest pair. full_turns: how many pairs go round at least once.
    suffices, after: the least m with Σ cos(mω) < 0 over the columns that turn, before and after the rule, None
    where there is none within reach. always: there is none over the whole head, of which half or more stands still.
    """

    def __init__(self, layer):
        turning = layer.frequencies[layer.frequencies > 0]
        self.wavelength = 2 * math.pi / float(turning.min())
        self.reach = min(layer.context, layer.chunk or layer.context)
        if layer.window is not None:
            self.reach = min(self.reach, layer.window + 1)
        self.trained = min(layer.trained or layer.context, self.reach)
        counted = layer.original if layer.trained else layer.frequencies
        counted = scaling.turns_in(counted[counted > 0], self.trained)
        self.turns, self.pairs, self.full_turns = float(counted.min()), len(counted), int((counted >= 1).sum())
        self.always = 2 * layer.rotated <= layer.head
        assert self.always or layer.head == layer.rotated, "count the pairs that stand still, too"
        ends = (scaling.kept_to(pairs, self.reach) for pairs in (layer.original[layer.original > 0], turning))
        self.suffices, self.after = (None if end == self.reach else end for end in ends)


def agreement(layer):
    """Say whether the rule's factor times the length before it is the declared context: a word, and a sentence.

    The word is "agrees", "differs", "unnamed" where the length before is not known, or, with no sentence, "none" for a
    rule without such a factor.
    """
    if layer.rule in ("none", "proportional"):
        return "none", ""
    context = number(layer.context)
    if layer.trained is None:
        implied = number(round(layer.context / layer.factor))
        made = f"a factor of {number(layer.factor)} makes {context} of {implied}."
        return "unnamed", f"the config names no length before the rule; {made}"
    if layer.rule == "longrope":
        return "agrees", f"its lists have {layer.rotated // 2} factors, one a pair; s is the ratio of the two lengths."
    reached = layer.factor * layer.trained
    product = f"{number(layer.factor)} × {number(layer.trained)} = {number(reached)}"
    step = " Its two ends are equal, so its ramp is a step." if len(set(layer.ends)) == 1 else ""
    if reached == layer.context:
        return "agrees", f"{product}, the declared context.{step}"
    return "differs", f"{product}, and the declared context is {context}.{step}"


def number(value):
    """Write a number: 131072 → '131 072', 8.0 → '8', 1.5 → '1.5'; below a hundred, three digits."""
    return f"{value:.3g}" if value < 100 else grouped(value)


def config_terms(layer, trained=None):
    """What the config has, as {term: words}. trained: the trained length, where another source has it."""
    terms = {"Scheme": layer.scheme}
    if layer.scheme == "RoPE":
        terms["Scheme"] = f"RoPE, base {number(layer.base)}"
        share = f"all {layer.head}" if layer.rotated == layer.head else f"{layer.rotated} of {layer.head}"
        terms["Columns"] = f"{share} turn, {layer.layout}"
        if layer.rule != "none":
            terms["Rule"] = RULES[layer.rule] + rule_numbers(layer)
        if layer.sections:
            terms["Pairs"] = "{} for time, {} for height, {} for width".format(*layer.sections)
    if layer.detail:
        terms["Table" if layer.scheme in ("learned table", "sinusoids") else "Bias"] = layer.detail
    if layer.back:
        terms["Values"] = "turn too, and the output back"
    if layer.context:
        length = layer.trained or trained
        how = "before the rule" if layer.trained else "trained"
        terms["Context"] = f"{number(layer.context)} declared" + (f", {number(length)} {how}" if length else "")
    if layer.window is not None:
        terms["Window"] = f"to distance {number(layer.window)}"
    if layer.chunk:
        terms["Chunks"] = f"of {number(layer.chunk)}, each of which sees itself alone"
    if layer.slope:
        place = "(m + 1)" if layer.ahead else "m"
        terms["Queries"] = f"times 1 + {layer.slope:g}·ln(1 + ⌊{place}/{number(layer.every)}⌋)"
    if layer.power:
        place = "(m + 1)" if layer.ahead else "m"
        terms["Queries"] = f"times the power {layer.power:g} of 1 + {place}/{number(layer.every)}"
    return terms


def rule_numbers(layer):
    """The words that follow a rule's name: its numbers, as in ', s = 8, attention factor 1.208'."""
    words = "" if layer.factor is None else f", s = {number(layer.factor)}"
    if layer.ends:
        words += f", ramp from {number(layer.ends[0])} to {number(layer.ends[1])} turns"
    if layer.attention != 1:
        words += f", attention factor {layer.attention:.3f}"
    return words + (f", scores × {layer.scale:.3f}" if layer.scale != 1 else "")


def derived_terms(layer):
    """What follows from a layer's numbers, as {term: words}; for a bias on the scores, from its scheme."""
    if layer.scheme != "RoPE":
        return bias_terms(layer.ready())
    facts, (word, sentence) = Consequences(layer), agreement(layer)
    turns = number(facts.turns) if facts.turns >= 0.001 else "less than 0.001"
    terms = {
        "Slowest pair": f"wavelength {number(facts.wavelength)}, {turns} turns in {number(facts.trained)} tokens",
        "Full turns": f"{facts.full_turns} of {facts.pairs} pairs",
        "Base suffices": base_term(layer, facts),
    }
    if word != "none":
        terms["Factor"] = f"{MARKS[word]} {sentence}"
    if layer.rule == "yarn":
        terms["Attention"] = attention_term(layer)
    return terms


def attention_term(layer):
    """A sentence: whether the scores of a layer with YaRN grow as its rule asks."""
    expected = scaling.yarn_attention(layer.factor)
    if math.isclose(layer.attention, expected, rel_tol=1e-6):
        return f"✓ the rule's {expected:.3f} on query and key: scores × {expected**2:.3f}"
    if math.isclose(layer.scale, expected**2, rel_tol=1e-6):
        return f"✓ the rule's scores × {expected**2:.3f}, and so in the columns that stand still"
    return f"≠ {layer.attention:g}, where the rule has {expected:.3f} on query and key"


def bias_terms(scheme):
    """What follows for a bias on the scores, as {term: words}; {} for one without numbers to show."""
    if isinstance(scheme, bias.ALiBi):
        slopes = bias.alibi_slopes(scheme.heads).tolist()
        half = number(math.log(2) / min(slopes))
        return {
            "Slopes": f"from {max(slopes):.3f} to {min(slopes):.4f}",
            "Reach": f"in the flattest head, the bias alone halves a weight every {half} tokens",
        }
    if isinstance(scheme, bias.T5):
        return {"Reach": f"all keys from distance {scheme.edges[-1]} on share one number"}
    return {}


def base_term(layer, facts):
    """A sentence: how far the base suffices, before and after the rule. facts: the Consequences of the layer."""
    everything = f"for the whole {'context' if facts.reach == layer.context else 'chunk' if layer.chunk else 'window'}"
    before, after = (everything if end is None else f"to {number(end)}" for end in (facts.suffices, facts.after))
    if facts.always:
        return f"for any length, as half of the head or more stands still; the turning columns alone {before}"
    if layer.rule == "none":
        return before
    return f"{before}, with the rule and without" if before == after else f"{before} by itself, {after} with the rule"

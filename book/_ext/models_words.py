"""What the page of released models says of one layer, in words."""

import math

import torch

from posenc import bias, scaling
from posenc.numeric import grouped

RULES = {
    "none": "none",
    "linear": "position interpolation",
    "llama3": "Llama 3's rule",
    "yarn": "YaRN",
    "longrope": "LongRoPE",
    "proportional": "p-RoPE",
}
MARKS = {"agrees": "✓ agrees:", "differs": "≠ differs:", "unnamed": "cannot be checked:"}


def agreement(layer):
    """Whether the rule's factor times the length before it is the declared context: a word, and a sentence."""
    if layer.rule in ("none", "proportional"):
        return "none", ""
    if layer.trained is None:
        implied = round(layer.context / layer.factor)
        return "unnamed", (
            f"the config names no length before the rule; {times(layer.factor)} makes {thousands(layer.context)} "
            f"of {thousands(implied)}."
        )
    reached = layer.factor * layer.trained
    product = f"{number(layer.factor)} × {thousands(layer.trained)} = {thousands(reached)}"
    step = " Its two ends are equal, so its ramp is a step." if len(set(layer.ends)) == 1 else ""
    if layer.rule == "longrope":
        return "agrees", (
            f"its lists have {layer.rotated // 2} factors, one a pair; s is the ratio of the two lengths."
        )
    if reached == layer.context:
        return "agrees", f"{product}, the declared context.{step}"
    return "differs", f"{product}, and the declared context is {thousands(layer.context)}.{step}"


def thousands(value):
    """131072 → '131 072', 4096 → '4096'; below a hundred, three digits."""
    return f"{value:.3g}" if value < 100 else grouped(value)


def number(value):
    """8.0 → '8', 1.5 → '1.5', 2048.0 → '2048'."""
    return f"{value:g}" if value < 1000 else thousands(value)


def times(factor):
    """'a factor of 8'."""
    return f"a factor of {number(factor)}"


def says(layer, trained=None):
    """What the config has, as pairs of a term and its words. trained: the length, where another source has it."""
    found = {"Scheme": layer.scheme}
    if layer.scheme == "RoPE":
        found["Scheme"] = f"RoPE, base {thousands(layer.base)}"
        found["Columns"] = f"{share(layer)} turn, {layer.layout}"
        if layer.rule != "none":
            found["Rule"] = RULES[layer.rule] + ruled(layer)
        if layer.sections:
            found["Pairs"] = "{} for time, {} for height, {} for width".format(*layer.sections)
    if layer.detail:
        found["Bias"] = layer.detail
    if layer.back:
        found["Values"] = "turn too, and the output back"
    if layer.context:
        found["Context"] = f"{thousands(layer.context)} declared"
        if layer.trained:
            found["Context"] += f", {thousands(layer.trained)} before the rule"
        elif trained:
            found["Context"] += f", {thousands(trained)} trained"
    if layer.window:
        found["Window"] = thousands(layer.window)
    if layer.slope:
        place = "(m + 1)" if layer.ahead else "m"
        found["Queries"] = f"times 1 + {layer.slope:g}·ln(1 + ⌊{place}/{thousands(layer.every)}⌋)"
    return found


def share(layer):
    """'all 128', or '32 of 128'."""
    return f"all {layer.head}" if layer.rotated == layer.head else f"{layer.rotated} of {layer.head}"


def ruled(layer):
    """The numbers of a rule."""
    if layer.factor is None:
        return ""
    found = f", s = {number(layer.factor)}"
    if layer.ends:
        found += f", ramp from {number(layer.ends[0])} to {number(layer.ends[1])} turns"
    if layer.attention != 1:
        found += f", attention factor {layer.attention:.3f}"
    return found + (f", scores × {layer.scale:.3f}" if layer.scale != 1 else "")


def computed(layer, found):
    """What follows, as pairs of a term and its words."""
    wave, turns = thousands(found.wavelength), turned(found.turns)
    words = {
        "Slowest pair": f"wavelength {wave}, {turns} turns in {thousands(found.trained)} tokens",
        "Full turns": f"{found.whole} of {found.pairs} pairs",
    }
    words["Base suffices"] = suffices(layer, found)
    word, sentence = agreement(layer)
    if word != "none":
        words["Factor"] = f"{MARKS[word]} {sentence}"
    if layer.rule == "yarn":
        words["Attention"] = attention(layer)
    return words


def attention(layer):
    """Whether the scores grow as YaRN asks."""
    asked = scaling.yarn_attention(layer.factor)
    if math.isclose(layer.attention, asked, rel_tol=1e-6):
        return f"✓ the rule's {asked:.3f} on query and key: scores × {asked**2:.3f}"
    if math.isclose(layer.scale, asked**2, rel_tol=1e-6):
        return f"✓ the rule's scores × {asked**2:.3f}, and so in the columns that stand still"
    return f"≠ {layer.attention:g}, where the rule has {asked:.3f} on query and key"


def biased(layer):
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


def turned(turns):
    """Turns with three digits, as 'less than' where there are hardly any."""
    return thousands(turns) if turns >= 0.001 else "less than 0.001"


def suffices(layer, found):
    """How far the base goes, before and after the rule."""
    whole = f"for the whole {'window' if found.reach == layer.window else 'context'}"
    if found.always:
        rest = f"to {thousands(found.alone)}" if found.alone else whole
        return f"for any length, as half of the head or more stands still; the turning columns alone {rest}"
    before, after = (
        whole if end is None else f"to {thousands(end)}" for end in (found.suffices, found.after)
    )
    if layer.rule == "none":
        return before
    return (
        f"{before}, with the rule and without"
        if before == after
        else f"{before} by itself, {after} with the rule"
    )

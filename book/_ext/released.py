"""The page of released models, generated from `book/models.yml` and computed by the package.

`{released}` makes the filter and an entry for each model: what its source says, and what follows from it.
`{released-count}` says how many there are, and `{released-map}` draws them. A build warns of an entry without
a source, and of a config that `posenc.models` does not read.
"""

import math
import sys
from collections import Counter
from html import escape
from pathlib import Path

import torch
import yaml
from docutils import nodes
from results import many, search
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "notebooks"))
from posenc import bias, models, scaling  # noqa: E402
from posenc import frequencies as omega  # noqa: E402
from posenc.numeric import grouped  # noqa: E402

KINDS = {  # of a source, as a reader chooses them
    "config": "config.json, copied",
    "restated": "config.json, restated",
    "makers": "its makers' program",
    "defaults": "class defaults",
}
NAMES = {  # of the layers of a model
    "sliding_attention": "Layers with a window",
    "chunked_attention": "Layers within chunks",
    "full_attention": "Layers without a window",
    "compressed": "Layers over compressed keys",
    "rope": "Layers that turn",
    "nope": "Layers that do not turn",
    "encoder": "Encoder",
    "decoder": "Decoder",
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
ORDERS = {  # by which the entries are put in order: a minus puts the largest first
    "": "year",
    "name": "name",
    "-base": "base, largest first",
    "-context": "context, longest first",
    "-wavelength": "longest wavelength",
    "turns": "turns of the slowest pair, fewest first",
    "suffices": "length the base suffices for, shortest first",
}
WITHOUT = {"sources": {}, "models": []}
KNOWN = {}
logger = logging.getLogger(__name__)


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


def agreement(layer):
    """Whether the rule's factor times the trained length is the declared context: a word, and a sentence."""
    if layer.rule in ("none", "proportional"):
        return "none", ""
    if layer.trained is None:
        implied = round(layer.context / layer.factor)
        return "unnamed", (
            f"the config names no trained length; {times(layer.factor)} makes {thousands(layer.context)} "
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


def says(layer):
    """What the config has, as pairs of a term and its words."""
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
            found["Context"] += f", {thousands(layer.trained)} trained"
    if layer.window:
        found["Window"] = thousands(layer.window)
    if layer.slope:
        place = "(p + 1)" if layer.ahead else "p"
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


class Released(SphinxDirective):
    """`{released}`: the filter, then the entries."""

    def run(self):
        """The form, and a section of entries."""
        data = load()
        self.env.note_dependency(str(ROOT / "book" / "models.yml"))
        for path in ("models", "scaling", "frequencies"):
            self.env.note_dependency(str(ROOT / "notebooks" / "posenc" / f"{path}.py"))
        entries, years, schemes, rules = [], {}, {}, {}
        for model in data["models"]:
            wrong = problems(model, data["sources"])
            if wrong:
                name = model.get("name", "an entry without a name")
                logger.warning("%s in book/models.yml: %s", name, "; ".join(wrong), location=self.env.docname)
                continue
            layers = models.read(model["config"])
            years[f"of-{model['year']}"] = str(model["year"])
            schemes |= {nodes.make_id(f"by {layer.scheme}"): layer.scheme for layer in layers.values()}
            rules |= {f"rule-{layer.rule}": RULES[layer.rule] for layer in layers.values() if layer.base}
            entries.append(self.entry(model, data["sources"][model["source"]], layers))
        agree = {"it-agrees": "agrees with the lengths", "it-differs": "differs from them"}
        choices = {
            "Scheme": schemes, "Rule": rules, "Factor": agree, "Year": years,
            "Source": {f"from-{kind}": words for kind, words in KINDS.items()},
        }  # fmt: skip
        section = nodes.section(ids=["the-models"], names=["the models"])
        section += nodes.title("", "The models")
        section += entries
        return [search("models", choices, ORDERS), section]

    def entry(self, model, source, layers):
        """One model."""
        classes = ["entry", "model", f"of-{model['year']}", f"from-{source['kind']}"]
        context = max(layer.context or 0 for layer in layers.values())
        keys = {"name": model["name"].lower(), "context": context}
        shown = []
        for kind, layer in layers.items():
            classes.append(nodes.make_id(f"by {layer.scheme}"))
            block = nodes.container(classes=["model-layer"])
            if len(layers) > 1:
                block += nodes.paragraph("", NAMES[kind], classes=["model-kind"])
            block += terms(says(layer))
            if layer.scheme == "RoPE":
                found = follows(layer)
                classes += [f"rule-{layer.rule}", f"it-{agreement(layer)[0]}"]
                block += terms(computed(layer, found), "follows")
                note(keys, layer, found)
            elif not layer.why and biased(layer):
                block += terms(biased(layer), "follows")
            if layer.why:
                why = f"Not run from a config alone: {layer.why}."
                block += nodes.paragraph("", why, classes=["model-why"])
            shown.append(block)
        ids = [nodes.make_id(f"model {model['name']}")]
        entry = nodes.container(classes=list(dict.fromkeys(classes)), ids=ids)
        head = nodes.paragraph("", "", nodes.strong("", model["name"]), classes=["entry-head"])
        head += nodes.Text(f" · {model['by']} · {model['year']}")
        entry += [head, keyed(keys), *shown, self.source(model, source)]
        return entry

    def source(self, model, source):
        """Where the numbers were read."""
        line = nodes.paragraph("", "", classes=["model-source"])
        read, _ = self.state.inline_text(f"Read in {source['words']}: ", self.lineno)
        line += read
        place = address(model, source)
        words = f"{source.get('repository', '')} {model['at']}".strip()
        words = nodes.literal("", words)
        line += nodes.reference("", "", words, refuri=place) if place else words
        line += nodes.Text(".")
        if model.get("note"):
            noted, _ = self.state.inline_text(model["note"], self.lineno)
            line += [nodes.Text(" "), *noted]
        return line


def note(keys, layer, found):
    """Keep what the entries are put in order by: of the layers that look furthest."""
    keys["base"] = max(keys.get("base", 0), layer.base)
    keys["wavelength"] = max(keys.get("wavelength", 0), round(found.wavelength))
    keys["turns"] = found.turns
    if found.suffices is not None:
        keys["suffices"] = found.suffices


def terms(pairs, kind="says"):
    """A list of terms and what they are."""
    found = nodes.definition_list(classes=["facts", kind])
    for term, words in pairs.items():
        line = nodes.definition_list_item("", nodes.term("", term))
        line += nodes.definition("", nodes.paragraph("", words))
        found += line
    return found


def keyed(keys):
    """What the script puts the entries in order by; nothing that is shown."""
    data = " ".join(f'data-{name}="{value}"' for name, value in keys.items())
    return nodes.raw("", f"<span hidden {data}></span>", format="html")


LENGTHS, BASES = (2**8.5, 2**21), (10**3.5, 10**8)  # the ends of the axes
WIDTH, HEIGHT, LEFT, BOTTOM = 460, 430, 44, 56
NAMED = {  # names that have room off the lines: their end at the dot, how far below it, and right of it
    "Llama 2 7B": ("middle", 22), "phi-4": ("start", 5), "OLMo 2 7B": ("end", 5),
    "Devstral 2 123B": ("middle", -11, -30), "Qwen3 32B": ("start", 21), "Apertus 8B": ("middle", -11),
    "gpt-oss-120b": ("end", 2), "Qwen2.5-7B-1M": ("end", -11, 40),
    "DeepSeek V4 Flash": ("start", 5), "MiniMax-M3": ("middle", 22),
}  # fmt: skip


def place(length, base):
    """Where a length and a base are drawn."""
    x = math.log(length / LENGTHS[0]) / math.log(LENGTHS[1] / LENGTHS[0])
    y = math.log(base / BASES[0]) / math.log(BASES[1] / BASES[0])
    return LEFT + x * (WIDTH - LEFT - 16), (HEIGHT - BOTTOM) * (1 - y) + 10 * y


def needed(width):
    """The line of the rule of the base: points (length, base) for bases from the least of the axis up."""
    found = []
    for step in range(23):
        base = BASES[0] * (BASES[1] / BASES[0]) ** (step / 22)
        length = scaling.kept_to(omega.geometric(width, base), LENGTHS[1])
        if LENGTHS[0] <= length < LENGTHS[1]:
            found.append((length, base))
    return found


class ReleasedMap(SphinxDirective):
    """`{released-map}`: base against trained length, with the line of what a length needs."""

    def run(self):
        """A drawing in live text, with a caption."""
        dots, whole, kept = [], 0, 0
        for model in sound()[1]:
            turning = [layer for layer in models.read(model["config"]).values() if layer.base]
            if not turning or turning[-1].window:
                continue  # the layers that look furthest come last, and here they do not turn
            found = follows(turning[-1])
            whole += not found.always
            kept += not found.always and first_below(found.first, found.trained) is None
            dots.append((model["name"], found.trained, turning[-1].base, found.always))
        words = (
            f"Base against trained length, in the layers of {len(dots)} models that turn and look furthest. "
            f"Filled: the whole head turns. Ring: half of it or more stands still. The rule of the base asks "
            f"for a base above the line, drawn for heads 128 and 64 wide; it wavers because the rule is not "
            f"monotone. Of the {whole} filled ones {kept} have a base that suffices for the length they were "
            f"trained for, by itself."
        )
        drawn = f'<svg viewBox="0 -16 {WIDTH} {HEIGHT + 16}" role="img" aria-label="{escape(words)}">'
        drawn += f"{self.drawing(dots)}</svg><figcaption>{escape(words)}</figcaption>"
        return [nodes.raw("", f'<figure class="released-map">{drawn}</figure>', format="html")]

    def drawing(self, dots):
        """The axes, the two lines, the dots and some names."""
        shown = []
        for exponent in (9, 12, 15, 18):
            x, y = place(2**exponent, BASES[0])
            shown += [line(x, y, x, 10), label(x, y + 20, thousands(2**exponent), "middle")]
        for exponent in range(4, 9):
            x, y = place(LENGTHS[0], 10**exponent)
            shown += [line(x, y, WIDTH - 16, y), label(x - 6, y + 5, power(exponent), "end")]
        shown.append(label((LEFT + WIDTH) / 2, HEIGHT - 8, "trained length, tokens", "middle"))
        shown.append(label(LEFT - 6, -4, "base", "end"))
        for width in (128, 64):
            points = [place(*point) for point in needed(width)]
            along = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            shown.append(f'<polyline class="needed of-{width}" points="{along}"/>')
            at, right, below, side = (-3, -9, 5, "end") if width == 64 else (-1, 9, 16, "start")
            shown.append(label(points[at][0] + right, points[at][1] + below, f"{width} wide", side))
        for name, length, base, partly in sorted(dots, key=lambda dot: not dot[-1]):
            x, y = place(length, base)
            shape = f'<circle class="{"ring" if partly else "dot"}" cx="{x:.1f}" cy="{y:.1f}" r="5">'
            shown.append(f"{shape}<title>{escape(name)}</title></circle>")
            if name in NAMED:
                side, below, *right = NAMED[name]
                beside = {"start": 9, "end": -9}.get(side, 0) if 0 < below <= 5 else 0
                shown.append(label(x + beside + sum(right), y + below, name, side, "name"))
        return "".join(shown)


def line(x1, y1, x2, y2):
    """A line of the grid."""
    return f'<line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def label(x, y, words, side, kind="tick"):
    """Words at a place: "start", "middle" or "end" of them there."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{side}">{escape(words)}</text>'


def power(exponent):
    """4 → '10⁴'."""
    return "10" + str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


class ReleasedCount(SphinxDirective):
    """`{released-count}`: how many models, by their sources and schemes."""

    def run(self):
        """One sentence."""
        sources, found = sound()
        kinds = Counter(sources[model["source"]]["kind"] for model in found)
        read = [models.read(model["config"]).values() for model in found]
        without = sum(any(layer.scheme == "NoPE" for layer in layers) for layers in read)
        words = [[agreement(layer)[0] for layer in layers if layer.base] for layers in read]
        differ = sum("differs" in word for word in words)
        text = (
            f"{many(len(found), 'model')}: {kinds['config']} from a copy of their config.json, "
            f"{kinds['restated']} from a program that restates it, {kinds['makers']} from their makers' own "
            f"program, {kinds['defaults']} from class defaults only. {without} have layers without any "
            f"positions, {differ} a factor that does not lead from the trained length to the declared one."
        )
        return [nodes.paragraph(text, text, classes=["result-count"])]


def setup(app):
    """Register the directives."""
    app.add_directive("released", Released)
    app.add_directive("released-count", ReleasedCount)
    app.add_directive("released-map", ReleasedMap)
    return {"parallel_read_safe": True}

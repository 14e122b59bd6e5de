"""`{deployed}`: what released models of a kind do, as the page *Which should I take?* shows it.

Computed from `book/models.yml` by the functions below, one for each kind of model.
"""

import math
from collections import Counter
from functools import cache

from docutils import nodes
from models_facts import ROOT, sound
from models_words import RULES, number, share, thousands
from results import many
from sphinx.util.docutils import SphinxDirective

from posenc import models

ENCODERS = ("modernbert", "t5")  # families of `posenc.models` with layers that see both sides
RECENT = 2024
STRETCHES = ("yarn", "llama3", "longrope", "linear")  # the rules that are for longer texts
LONG = 131072


@cache
def all_read():
    """The models whose entries are sound, each with its layers by kind."""
    return [(model, models.read(model["config"])) for model in sound()[1]]


@cache
def by_default():
    """The names of the models of which only the defaults of a class were read."""
    sources, found = sound()
    return {model["name"] for model in found if sources[model["source"]]["kind"] == "defaults"}


def far(layers):
    """The layers that look furthest, which come last."""
    return list(layers.values())[-1]


def new(read):
    """Decoders of the last years, by what their furthest layers do."""
    found = [
        (model, layers) for model, layers in read
        if model["year"] >= RECENT and model["config"]["model_type"] not in ENCODERS
    ]  # fmt: skip
    furthest = [(model, far(layers)) for model, layers in found]
    turning = [(model, layer) for model, layer in furthest if layer.scheme == "RoPE"]
    without = sum(layer.scheme == "NoPE" for _, layer in furthest)
    bases = [layer.base for _, layer in turning]
    layouts = Counter(layer.layout for _, layer in turning)
    split = sum("qk_nope_head_dim" in model["config"] for model, _ in turning)
    partly = sum(layer.rotated < layer.head for _, layer in turning) - split
    limits = {"sliding_window", "sliding_window_size", "attention_chunk_size"}
    near = sum(bool(limits & model["config"].keys()) for model, _ in found)
    yield (
        f"Of {many(len(found), 'decoder')} since {RECENT}, {len(turning)} turn queries and keys in every layer that "
        f"sees the whole text: base from {thousands(min(bases))} to {thousands(max(bases))}, {layouts['split-half']} "
        f"split-half and {layouts['interleaved']} interleaved; {partly} turn a part of each head, and {split} only "
        "the rotary columns of a latent one"
    ), None
    yield f"{without} have layers without positions, {len(found) - len(turning) - without} another scheme", None
    yield f"{near} have windows or chunks", None


def extend(read):
    """What stretches the frequencies of those that were trained on shorter texts, or a large base alone."""
    for rule in STRETCHES:
        found = [
            (model, f"s = {number(layer.factor)}") for model, layers in read for layer in [far(layers)]
            if layer.rule == rule and not layer.why
        ]  # fmt: skip
        yield f"{RULES[rule][0].upper()}{RULES[rule][1:]}", found
    yield f"No rule, a large base, and {thousands(LONG)} tokens or more", [
        (model, thousands(far(layers).base)) for model, layers in read
        if far(layers).rule == "none" and far(layers).base and far(layers).context >= LONG
        and not model.get("trained")
    ]  # fmt: skip


def untrained(read):
    """Those that run without a rule beyond the length of training."""
    found = [
        (model, far(layers)) for model, layers in read
        if far(layers).rule == "none" and model.get("trained", math.inf) < (far(layers).context or 0)
    ]  # fmt: skip
    yield "Beyond its trained length, with no rule that changes frequencies", [
        (model, f"{thousands(model['trained'])} trained, {thousands(layer.context)} declared")
        for model, layer in found
    ]
    yield from ((model["note"].rstrip("."), None) for model, _ in found if "note" in model)


def encoder(read):
    """Layers that see both sides."""
    for model, layers in read:
        if model["config"]["model_type"] in ENCODERS:
            for kind, layer in layers.items():
                if kind != "decoder":
                    base = f"RoPE, base {thousands(layer.base)}, {layer.layout}" if layer.base else layer.detail
                    seen = f", up to {layer.window} tokens to each side" if layer.window else ""
                    yield "", [(model, base + seen)]


def images(read):
    """Pairs shared out among time, height and width."""
    yield "", [
        (model, "{}, {}, {} pairs for time, height, width, ".format(*layer.sections)
         + ("interleaved" if interleaved(model["config"]) else "in three blocks"))
        for model, layers in read for layer in layers.values() if layer.sections
    ]  # fmt: skip


def interleaved(config):
    """Whether the axes take turns in M-RoPE."""
    rules = config.get("rope_scaling") or config.get("rope_parameters") or {}
    return bool(rules.get("mrope_interleaved"))


def hybrid(read):
    """What attention knows where other layers are recurrent."""
    found = [(model, far(layers)) for model, layers in read if "recurrent" in model.get("besides", "")]
    yield "No positions in attention", [(model, "") for model, layer in found if layer.scheme == "NoPE"]
    yield "RoPE in attention", [(model, f"{share(layer)} columns") for model, layer in found if layer.base]


def mixed(read):
    """What serves short and long texts by one set of weights."""
    stretched = [
        (model, layers) for model, layers in read
        if any(layer.rule in STRETCHES and not layer.why for layer in layers.values())
    ]  # fmt: skip
    two = [(model, layers) for model, layers in stretched if far(layers).rule == "longrope"]
    once = len(stretched) - len(two)
    yield f"{once} of {many(len(stretched), 'stretched model')} have one rule at every length", None
    yield "Two lists of factors, one for short texts", [
        (model, f"changes after {thousands(far(layers).trained)} tokens") for model, layers in two
    ]
    yield "Stretched in the layers without a window only", [
        (model, "") for model, layers in stretched
        if any(layer.window and layer.rule == "none" for layer in layers.values())
    ]  # fmt: skip


def growing(read):
    """Queries that grow with their position."""
    yield "Queries that grow only past a length", [
        (model, f"past {thousands(layer.every)}") for model, layers in read for layer in layers.values() if layer.slope
    ]


def nope(read):
    """Layers without positions among layers that turn."""
    yield "", [
        (model, f"other layers see {thousands(window)} tokens" if window else "other layers see all")
        for model, layers in read
        if len(layers) > 1 and far(layers).scheme == "NoPE"
        for window in [max(layer.window or 0 for layer in layers.values())]
    ]


def latent(read):
    """The part of a latent head that turns."""
    yield "MLA", [
        (model, f"{share(layer)} columns")
        for model, layers in read for layer in layers.values()
        if layer.base and "qk_nope_head_dim" in model["config"]
    ]  # fmt: skip


def partial(read):
    """A part of the columns, in heads that are one piece."""
    found = [
        (model, far(layers)) for model, layers in read
        if far(layers).base and far(layers).rotated < far(layers).head and "qk_nope_head_dim" not in model["config"]
    ]  # fmt: skip
    kinds = {"A part, with frequencies of its width": False, "The fast pairs of the whole head": True}
    for said, fast in kinds.items():
        yield said, [
            (model, share(layer)) for model, layer in found if (2 * len(layer.frequencies) > layer.rotated) == fast
        ]  # fmt: skip


def words(read):
    """Biases that read the words."""
    yield "", [
        (model, far(layers).detail) for model, layers in read
        if far(layers).scheme not in ("RoPE", "NoPE", "ALiBi", "T5")
    ]  # fmt: skip


KINDS = {
    kind.__name__: kind
    for kind in (new, extend, untrained, encoder, images, hybrid, mixed, nope, latent, partial, words, growing)
}


def deployed(kind):
    """What the released models of a kind do: pairs of words, and {what they have: [models]}.

    A line that names models and finds none is left out.
    """
    lines = []
    for said, found in KINDS[kind](all_read()):
        if found is None:
            lines.append((said, {}))
        elif found:
            alike = {}
            for model, has in found:
                alike.setdefault(has, []).append(model)
            lines.append((said, alike))
    return lines


class Deployed(SphinxDirective):
    """`{deployed} kind`: a sentence for each thing that they do, with the models linked."""

    required_arguments = 1

    def run(self):
        """A paragraph."""
        self.env.note_dependency(str(ROOT / "book" / "models.yml"))
        self.env.note_dependency(str(ROOT / "notebooks" / "posenc" / "models.py"))
        (kind,) = self.arguments
        if kind not in KINDS:
            raise self.error(f"{kind!r} is no kind of model: pick one of {', '.join(KINDS)}")
        shown = nodes.paragraph(classes=["deployed"])
        for said, found in deployed(kind):
            shown += nodes.Text(said + (": " if said and found else ""))
            for place, (has, alike) in enumerate(found.items()):
                shown += nodes.Text("; " if place else "")
                for other, model in enumerate(alike):
                    anchor = nodes.make_id(f"model {model['name']}")
                    link = nodes.reference("", model["name"], refuri=f"models.html#{anchor}")
                    shown += [nodes.Text(", " if other else ""), link]
                    shown += nodes.Text("°" if model["name"] in by_default() else "")
                shown += nodes.Text(f" ({has})" if has else "")
            shown += nodes.Text(". ")
        return [shown]


def setup(app):
    """Register the directive."""
    app.add_directive("deployed", Deployed)
    return {"parallel_read_safe": True}

"""`{deployed}`: what released models of a kind do, as the page *Which should I take?* shows it.

Computed from `book/models.yml` by the functions below, one for each kind of model.
"""

import math
from collections import Counter

from docutils import nodes
from models_facts import ROOT, RULES, all_read, load, number, share, thousands
from results import many
from sphinx.util.docutils import SphinxDirective

ENCODERS = ("modernbert", "t5")  # families of `posenc.models` with layers that see both sides
RECENT = 2024
STRETCHES = ("yarn", "llama3", "longrope", "linear")  # the rules that are for longer texts
LONG = 131072


def by_default():
    """The names of the models of which only the defaults of a class were read."""
    sources = load()["sources"]
    return {model["name"] for model in load()["models"] if sources[model["source"]]["kind"] == "defaults"}


def new(read):
    """Decoders of the last years, by what their furthest layers do."""
    found = [
        (model, last) for model, _, last in read
        if model["year"] >= RECENT and model["config"]["model_type"] not in ENCODERS
    ]  # fmt: skip
    turning = [(model, last) for model, last in found if last.scheme == "RoPE"]
    without = sum(last.scheme == "NoPE" for _, last in found)
    bases = [last.base for _, last in turning]
    layouts = Counter(last.layout for _, last in turning)
    split = sum("qk_nope_head_dim" in model["config"] for model, _ in turning)
    partly = sum(last.rotated < last.head for _, last in turning) - split
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
        yield f"{RULES[rule][0].upper()}{RULES[rule][1:]}", [
            (model, f"s = {number(last.factor)}") for model, _, last in read if last.rule == rule and not last.why
        ]
    yield f"No rule, a large base, and {thousands(LONG)} tokens or more", [
        (model, thousands(last.base)) for model, _, last in read
        if last.rule == "none" and last.base and last.context >= LONG and not model.get("trained")
    ]  # fmt: skip


def untrained(read):
    """Those that run without a rule beyond the length of training."""
    found = [
        (model, last) for model, _, last in read
        if last.rule == "none" and model.get("trained", math.inf) < (last.context or 0)
    ]  # fmt: skip
    yield "Beyond its trained length, with no rule that changes frequencies", [
        (model, f"{thousands(model['trained'])} trained, {thousands(last.context)} declared") for model, last in found
    ]
    yield from ((model["note"].rstrip("."), None) for model, _ in found if "note" in model)


def encoder(read):
    """Layers that see both sides."""
    for model, layers, _ in read:
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
        for model, layers, _ in read for layer in layers.values() if layer.sections
    ]  # fmt: skip


def interleaved(config):
    """Whether the axes take turns in M-RoPE."""
    rules = config.get("rope_scaling") or config.get("rope_parameters") or {}
    return bool(rules.get("mrope_interleaved"))


def hybrid(read):
    """What attention knows where other layers are recurrent."""
    found = [(model, last) for model, _, last in read if "recurrent" in model.get("besides", "")]
    yield "No positions in attention", [(model, "") for model, last in found if last.scheme == "NoPE"]
    yield "RoPE in attention", [(model, f"{share(last)} columns") for model, last in found if last.base]


def mixed(read):
    """What serves short and long texts by one set of weights."""
    stretched = [
        (model, layers, last) for model, layers, last in read
        if any(layer.rule in STRETCHES and not layer.why for layer in layers.values())
    ]  # fmt: skip
    two = [(model, last) for model, _, last in stretched if last.rule == "longrope"]
    once = len(stretched) - len(two)
    yield f"{once} of {many(len(stretched), 'stretched model')} have one rule at every length", None
    yield "Two lists of factors, one for short texts", [
        (model, f"changes after {thousands(last.trained)} tokens") for model, last in two
    ]
    yield "Stretched in the layers without a window only", [
        (model, "") for model, layers, _ in stretched
        if any(layer.window and layer.rule == "none" for layer in layers.values())
    ]  # fmt: skip


def growing(read):
    """Queries that grow with their position."""
    yield "Queries that grow only past a length", [
        (model, f"past {thousands(layer.every)}") for model, layers, _ in read
        for layer in layers.values() if layer.slope
    ]  # fmt: skip


def nope(read):
    """Layers without positions among layers that turn."""
    yield "", [
        (model, f"other layers see {thousands(window)} tokens" if window else "other layers see all")
        for model, layers, last in read if len(layers) > 1 and last.scheme == "NoPE"
        for window in [max(layer.window or 0 for layer in layers.values())]
    ]  # fmt: skip


def latent(read):
    """The part of a latent head that turns."""
    yield "MLA", [
        (model, f"{share(layer)} columns")
        for model, layers, _ in read for layer in layers.values()
        if layer.base and "qk_nope_head_dim" in model["config"]
    ]  # fmt: skip


def partial(read):
    """A part of the columns, in heads that are one piece."""
    found = [
        (model, last) for model, _, last in read
        if last.base and last.rotated < last.head and "qk_nope_head_dim" not in model["config"]
    ]  # fmt: skip
    own, fast = [
        [(model, share(last)) for model, last in found if (2 * len(last.frequencies) > last.rotated) == whole]
        for whole in (False, True)
    ]
    yield "A part, with frequencies of its width", own
    yield "The fast pairs of the whole head", fast


def words(read):
    """Biases that read the words."""
    schemes = ("RoPE", "NoPE", "ALiBi", "T5")
    yield "", [(model, last.detail) for model, _, last in read if last.scheme not in schemes]


KINDS = {
    kind.__name__: kind
    for kind in (new, extend, untrained, encoder, images, hybrid, mixed, nope, latent, partial, words, growing)
}


def deployed(kind):
    """What the released models of a kind do: pairs of words, and {what they have: [models]}.

    A line that names models and finds none is left out.
    """
    lines = []
    for said, found in KINDS[kind]([(model, layers, list(layers.values())[-1]) for model, layers in all_read()]):
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
    app.add_directive("deployed", Deployed)

"""The page of released models: `{models}` says how many there are, and makes the filter and the entries.

What they say is computed and worded by `models_facts`. A build stops at an entry without a source and at a config
that `posenc.models` does not read.
"""

from collections import Counter

from docutils import nodes

from . import models_facts
from .base import FromCourse, many, search

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
ORDERS = {  # by which the entries are put in order: a minus puts the largest first
    "": "year",
    "name": "name",
    "-base": "base, largest first",
    "-context": "context, longest first",
    "-wavelength": "longest wavelength",
    "turns": "turns of the slowest pair, fewest first",
    "suffices": "length the base suffices for, shortest first",
}


class Models(FromCourse):
    """`{models}`: how many there are, the filter, then the entries."""

    def run(self):
        """A count, the form that filters, and a section with an entry for each model of models.yml."""
        data = models_facts.load()
        layers = [layer for model in data["models"] for layer in model["layers"].values()]
        choices = {
            "Scheme": {nodes.make_id(f"by {layer.scheme}"): layer.scheme for layer in layers},
            "Rule": {f"rule-{layer.rule}": models_facts.RULES[layer.rule] for layer in layers if layer.base},
            "Factor": {"it-agrees": "agrees with the lengths", "it-differs": "differs from them"},
            "Year": {f"of-{model['year']}": str(model["year"]) for model in data["models"]},
            "Source": {f"from-{kind}": words for kind, words in models_facts.KINDS.items()},
        }
        section = nodes.section(ids=["the-models"], names=["the models"])
        section += nodes.title("", "The models")
        section += (entries := [self.entry(model) for model in data["models"]])
        marks = Counter(name for entry in entries for name in entry["classes"])
        text = (
            f"{many(len(entries), 'model')}: {marks['from-config']} from a copy of their config.json, "
            f"{marks['from-restated']} from a program that restates it, {marks['from-makers']} from their makers' own "
            f"program, {marks['from-defaults']} from class defaults only. {marks['by-nope']} have layers without any "
            f"positions, {marks['it-differs']} a factor that does not lead from the length before the rule to the "
            "declared one."
        )
        counted = nodes.paragraph(text, text, classes=["result-count"])
        return [counted, search("models", choices, ORDERS), section]

    def entry(self, model):
        """The entry of a model, as `models_facts.load` gives it."""
        layers, source = model["layers"], model["source"]
        classes = ["entry", "model", f"of-{model['year']}", f"from-{source['kind']}"]
        context = max(layer.context or 0 for layer in layers.values())
        base = max(layer.base or 0 for layer in layers.values())
        keys = {"name": model["name"].lower(), "context": context, "base": base}
        entry = nodes.container(ids=[nodes.make_id(f"model {model['name']}")])
        head = nodes.paragraph("", "", nodes.strong("", model["name"]), classes=["entry-head"])
        head += nodes.Text(f" · {model['by']} · {model['year']}")
        entry += head
        if model.get("besides"):
            entry += self.line(f"Order also comes from {model['besides']}.", kind="model-why")
        if model.get("selects"):
            entry += self.line(f"A query sees, of the keys before it, only {model['selects']}.", kind="model-why")
        for kind, layer in layers.items():
            classes.append(nodes.make_id(f"by {layer.scheme}"))
            block = nodes.container(classes=["model-layer"])
            if len(layers) > 1:
                block += self.line(NAMES[kind], kind="model-kind")
            block += terms(models_facts.config_terms(layer, model.get("trained")), "says")
            if layer.why:
                block += self.line(f"Not run from a config alone: {layer.why}.", kind="model-why")
            elif source["kind"] == "defaults":
                block += self.line("Nothing is computed from it: a checkpoint may say otherwise.", kind="model-why")
            elif follows := models_facts.derived_terms(layer):
                block += terms(follows, "follows")
            if layer.scheme == "RoPE" and not layer.why and source["kind"] != "defaults":
                facts = models_facts.Consequences(layer)
                classes += [f"rule-{layer.rule}", f"it-{models_facts.agreement(layer)[0]}"]
                keys["wavelength"] = max(keys.get("wavelength", 0), round(facts.wavelength))
                keys["turns"] = facts.turns  # of the layers that look furthest, which come last
                if facts.suffices is not None and not facts.always:
                    keys["suffices"] = facts.suffices
            entry += block
        entry["classes"] = list(dict.fromkeys(classes))
        data = " ".join(f'data-{name}="{value}"' for name, value in keys.items())
        entry.insert(1, nodes.raw("", f"<span hidden {data}></span>", format="html"))
        entry += self.source(model)
        return entry

    def source(self, model):
        """The line that says where the numbers of a model were read, linked but for a package."""
        source = model["source"] | model  # which may have a commit of its own
        words = f"`{model['at']}`"
        if "package" not in source:
            file = source.get("file") or source.get("folder", "") + model["at"].partition(",")[0]
            address = f"https://github.com/{source['repository']}/blob/{source['commit']}/{file}"
            words = f"[`` {source['repository']} {model['at']} ``]({address})"
        return self.line(f"Read in {source['words']}: {words}. {model.get('note', '')}".strip(), kind="model-source")


def terms(pairs, kind):
    """A definition list of {term: words}. kind: its class."""
    entries = nodes.definition_list(classes=["facts", kind])
    for term, words in pairs.items():
        line = nodes.definition_list_item("", nodes.term("", term))
        line += nodes.definition("", nodes.paragraph("", words))
        entries += line
    return entries

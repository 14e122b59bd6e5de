"""The page of released models: `{models}` makes the filter and the entries, `{models-count}` says how many.

What they say is computed and worded by `models_facts`. A build stops at an entry without a source, and at a config
that `posenc.models` does not read.
"""

from collections import Counter

import models_facts
from docutils import nodes
from results import FromNotebooks, many, search
from sphinx.util.docutils import SphinxDirective

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


class Models(FromNotebooks):
    """`{models}`: the filter, then the entries."""

    def run(self):
        """The form, and a section of entries."""
        sources = models_facts.load()["sources"]
        self.env.note_dependency(str(models_facts.ROOT / "book" / "models.yml"))
        for path in ("models", "scaling", "frequencies"):
            self.env.note_dependency(str(models_facts.ROOT / "notebooks" / "posenc" / f"{path}.py"))
        entries, years, schemes, rules = [], {}, {}, {}
        for model, layers in models_facts.models_with_layers():
            years[f"of-{model['year']}"] = str(model["year"])
            schemes |= {nodes.make_id(f"by {layer.scheme}"): layer.scheme for layer in layers.values()}
            rules |= {f"rule-{layer.rule}": models_facts.RULES[layer.rule] for layer in layers.values() if layer.base}
            entries.append(self.entry(model, sources[model["source"]], layers))
        agree = {"it-agrees": "agrees with the lengths", "it-differs": "differs from them"}
        choices = {
            "Scheme": schemes,
            "Rule": rules,
            "Factor": agree,
            "Year": years,
            "Source": {f"from-{kind}": words for kind, words in models_facts.KINDS.items()},
        }
        section = nodes.section(ids=["the-models"], names=["the models"])
        section += nodes.title("", "The models")
        section += entries
        return [search("models", choices, ORDERS), section]

    def entry(self, model, source, layers):
        """One model."""
        classes = ["entry", "model", f"of-{model['year']}", f"from-{source['kind']}"]
        context = max(layer.context or 0 for layer in layers.values())
        base = max(layer.base or 0 for layer in layers.values())
        keys = {"name": model["name"].lower(), "context": context, "base": base}
        shown = [paragraph("why", f"Order also comes from {model['besides']}.")] if model.get("besides") else []
        for kind, layer in layers.items():
            classes.append(nodes.make_id(f"by {layer.scheme}"))
            block = nodes.container(classes=["model-layer"])
            if len(layers) > 1:
                block += paragraph("kind", NAMES[kind])
            block += terms(models_facts.config_terms(layer, model.get("trained")))
            if layer.why:
                block += paragraph("why", f"Not run from a config alone: {layer.why}.")
            elif layer.scheme == "RoPE":
                facts = models_facts.Consequences(layer)
                classes += [f"rule-{layer.rule}", f"it-{models_facts.agreement(layer)[0]}"]
                block += terms(models_facts.derived_terms(layer, facts), "follows")
                keys["wavelength"] = max(keys.get("wavelength", 0), round(facts.wavelength))
                keys["turns"] = facts.turns  # of the layers that look furthest, which come last
                if facts.suffices is not None:
                    keys["suffices"] = facts.suffices
            elif models_facts.bias_terms(layer):
                block += terms(models_facts.bias_terms(layer), "follows")
            shown.append(block)
        ids = [nodes.make_id(f"model {model['name']}")]
        entry = nodes.container(classes=list(dict.fromkeys(classes)), ids=ids)
        head = nodes.paragraph("", "", nodes.strong("", model["name"]), classes=["entry-head"])
        head += nodes.Text(f" · {model['by']} · {model['year']}")
        data = " ".join(f'data-{name}="{value}"' for name, value in keys.items())
        entry += [head, nodes.raw("", f"<span hidden {data}></span>", format="html")]
        entry += [*shown, self.source(model, source)]
        return entry

    def source(self, model, source):
        """Where the numbers were read."""
        line = self.line(f"Read in {source['words']}: ", kind="model-source")
        place = models_facts.address(model, source)
        words = nodes.literal("", f"{source.get('repository', '')} {model['at']}".strip())
        line += nodes.reference("", "", words, refuri=place) if place else words
        line += nodes.Text(".")
        if model.get("note"):
            line += [nodes.Text(" "), *self.inline(model["note"])]
        return line


def paragraph(kind, words):
    """A line of an entry."""
    return nodes.paragraph("", words, classes=[f"model-{kind}"])


def terms(pairs, kind="says"):
    """A list of terms and what they are."""
    entries = nodes.definition_list(classes=["facts", kind])
    for term, words in pairs.items():
        line = nodes.definition_list_item("", nodes.term("", term))
        line += nodes.definition("", nodes.paragraph("", words))
        entries += line
    return entries


class ModelsCount(SphinxDirective):
    """`{models-count}`: how many models, by their sources and schemes."""

    def run(self):
        """One sentence."""
        sources, models = models_facts.load()["sources"], models_facts.models_with_layers()
        kinds = Counter(sources[model["source"]]["kind"] for model, _ in models)
        without = differ = 0
        for _, layers in models:
            without += any(layer.scheme == "NoPE" for layer in layers.values())
            differ += any(models_facts.agreement(layer)[0] == "differs" for layer in layers.values() if layer.base)
        text = (
            f"{many(len(models), 'model')}: {kinds['config']} from a copy of their config.json, "
            f"{kinds['restated']} from a program that restates it, {kinds['makers']} from their makers' own "
            f"program, {kinds['defaults']} from class defaults only. {without} have layers without any "
            f"positions, {differ} a factor that does not lead from the length before the rule to the declared one."
        )
        return [nodes.paragraph(text, text, classes=["result-count"])]


def setup(app):
    app.add_directive("models", Models)
    app.add_directive("models-count", ModelsCount)

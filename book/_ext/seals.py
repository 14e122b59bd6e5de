"""Seals: a card links to a theorem of proofs/ that states, for every size, what the card states.

Or that states where the derivation leads of which the card is a step. `proofs/seals.yml` says which theorem
`states` and which `closes` which results; the two seals have different words. `{theorem} name` shows a formal
statement as its file has it, and links the cards back: the page of every size is made of these. No Coq.
"""

import functools
import sys
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

sys.path.append(str(Path(__file__).parents[2] / "proofs"))
import check

# What a seal says, on the card and under the theorem.
ON_CARD = {"states": "For every size: ", "closes": "The whole derivation: "}
UNDER = {"states": ". In the chapters, with numbers: ", "closes": ". A step towards it, in the chapters: "}

SEALS = check.HERE / "seals.yml"
STATEMENTS = {statement.name: statement for statement in check.statements()}


def seals(env):
    """For each theorem {"states": [results], "closes": [results]}; either may be missing. The page depends on it."""
    env.note_dependency(str(SEALS))
    return read()


@functools.cache
def read():
    """The list of seals."""
    return yaml.safe_load(SEALS.read_text(encoding="utf-8"))


class Theorem(SphinxDirective):
    """`{theorem} name`: a formal statement, where it stands, and the cards that it seals."""

    required_arguments = 1

    def run(self):
        """The statement's block and the line under it."""
        (name,) = self.arguments
        statement = STATEMENTS.get(name)
        if not statement:
            raise self.error(f"no theorem {name!r} in proofs/")
        self.env.note_dependency(str(statement.file))
        block = nodes.literal_block(statement.source, statement.source, language="coq", classes=["formal"])
        place = nodes.Text(f"proofs/{statement.file.name}, line {statement.line}")
        under = nodes.paragraph("", "", place, classes=["formal-line"])
        kinds = seals(self.env).get(name, {})
        for kind, words in UNDER.items():
            for index, result in enumerate(kinds.get(kind, [])):
                card = reference(f"result-{result}", self.env.docname, nodes.Text(result))
                under += [nodes.Text(", " if index else words), card]
        under += nodes.Text(".")
        name_target(self.env, f"theorem-{name}", name)
        return [nodes.container("", block, under, ids=[f"theorem-{name}"], classes=["theorem"])]


class SealCount(SphinxDirective):
    """`{seal-count}`: how many theorems there are, and how many results have a seal."""

    def run(self):
        """One sentence."""
        theorems = seals(self.env).values()
        stated = {result for kinds in theorems for result in kinds.get("states", [])}
        closed = {result for kinds in theorems for result in kinds.get("closes", [])}
        text = (
            f"{len(theorems)} theorems; {len(stated)} results of the chapters are stated for every size, "
            f"and {len(closed)} are steps of derivations that are."
        )
        return [nodes.paragraph(text, text, classes=["seal-count"])]


def name_target(env, label, title):
    """Let other pages link to a label of this page."""
    domain = env.get_domain("std")
    domain.labels[label] = (env.docname, label, title)
    domain.anonlabels[label] = (env.docname, label)


def in_markdown(env, label, title):
    """Let Markdown link to it, as in [proved](04_shift_is_rotation.ipynb#result-shift-solve)."""
    env.metadata[env.docname].setdefault("myst_slugs", {})[label] = (0, label, title)


def name_theorems(app, doctree):
    """Let Markdown link to the theorems of a page, once the page is read."""
    for theorem in doctree.findall(nodes.container):
        if "theorem" in theorem["classes"]:
            in_markdown(app.env, theorem["ids"][0], theorem["ids"][0])


def reference(target, page, *words, kind="ref"):
    """Words, linked to a label ("ref") or a page ("doc") of the book. page: where the link stands."""
    link = {"refdomain": "std", "reftype": kind, "reftarget": target, "refdoc": page}
    return pending_xref("", nodes.inline("", "", *words), **link, refexplicit=True, refwarn=True)


def seal_cards(app, doctree):
    """Put a seal on each card whose result a theorem states, or whose derivation it closes."""
    env = app.env
    for card in doctree.findall(nodes.container):
        if "posenc-result" not in card["classes"]:
            continue
        own = {label.removeprefix("result-") for label in card["ids"]}
        for kind in ON_CARD:
            names = [name for name, kinds in seals(env).items() if own.intersection(kinds.get(kind, ()))]
            if names:
                seal = nodes.paragraph("", "", classes=["seal", kind])
                card += seal
            for index, name in enumerate(names):
                link = reference(f"theorem-{name}", env.docname, nodes.Text(name))
                seal += [nodes.Text(", " if index else ON_CARD[kind]), link]


def setup(app):
    """Register the directive and the seals; cards are made before, by `results`."""
    app.add_directive("theorem", Theorem)
    app.add_directive("seal-count", SealCount)
    app.connect("doctree-read", seal_cards, priority=600)
    app.connect("doctree-read", name_theorems)

"""Seals: a card links to a theorem of proofs/ that states, for every size, what the card states.

Or that states where the derivation leads of which the card is a step. `proofs/seals.yml` says which theorem
`states` and which `closes` which results; the two seals have different words. `{theorem} name` shows a formal
statement as its file has it, and links the cards back: the page of every size is made of these. No Coq.
"""

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

from ...content import read_list
from ...tools import proofs

# What a seal says, on the card and under the theorem.
ON_CARD = {"states": "For every size: ", "closes": "The whole derivation: "}
UNDER = {"states": ". In the chapters, with numbers: ", "closes": ". A step towards it, in the chapters: "}

# {theorem: {"states": [id, …], "closes": [id, …]}}, with the ids of results.
SEALS = {name: {"states": [], "closes": []} | kinds for name, kinds in read_list("proofs/seals.yml").items()}
STATEMENTS = {statement.name: statement for statement in proofs.statements()}


def links_to(words, kind, names, page):
    """nodes: words, then links to what has these names. kind: "theorem" or "result". page: where they stand."""
    parts = []
    for name in names:
        parts += [nodes.Text(", " if parts else words), reference(f"{kind}-{name}", page, nodes.Text(name))]
    return parts


class Theorem(SphinxDirective):
    """`{theorem} name`: a formal statement, where it stands, and the cards that it seals."""

    required_arguments = 1

    def run(self):
        """The source of the theorem that the argument names, and under it its place and results."""
        (name,) = self.arguments
        statement = STATEMENTS.get(name)
        if not statement:
            raise self.error(f"no theorem {name!r} in proofs/")
        block = nodes.literal_block(statement.source, statement.source, language="coq", classes=["formal"])
        place = nodes.Text(f"proofs/{statement.file.name}, line {statement.line}")
        under = nodes.paragraph("", "", place, classes=["formal-line"])
        kinds = SEALS.get(name, {})  # a definition has no seals
        for kind, words in UNDER.items():
            under += links_to(words, "result", kinds.get(kind, []), self.env.docname)
        under += nodes.Text(".")
        name_target(self.env, f"theorem-{name}", name)
        return [nodes.container("", block, under, ids=[f"theorem-{name}"], classes=["theorem"])]


class SealCount(SphinxDirective):
    """`{seal-count}`: how many theorems there are, and how many results have a seal."""

    def run(self):
        """A paragraph: how many theorems there are, and how many results they state and close."""
        theorems = SEALS.values()
        stated = {result for kinds in theorems for result in kinds["states"]}
        closed = {result for kinds in theorems for result in kinds["closes"]}
        text = f"{len(theorems)} theorems; {len(stated)} results of the chapters are stated for every size, "
        text += f"and {len(closed)} are steps of derivations that are."
        return [nodes.paragraph(text, text, classes=["seal-count"])]


def name_target(env, label, title):
    """Let other pages link to a label of this page."""
    domain = env.get_domain("std")
    domain.labels[label] = (env.docname, label, title)
    domain.anonlabels[label] = (env.docname, label)


def in_markdown(env, label, title):
    """Let Markdown link to it, as in [proved](04_shift_is_rotation.ipynb#result-shift-solve)."""
    env.metadata[env.docname].setdefault("myst_slugs", {})[label] = (0, label, title)


def reference(target, page, *words):
    """Words (nodes) that link to a label of the book. page: where the link stands."""
    link = {"refdomain": "std", "reftype": "ref", "reftarget": target, "refdoc": page}
    return pending_xref("", nodes.inline("", "", *words), **link, refexplicit=True, refwarn=True)


def seal(app, doctree):
    """Put a seal on each card whose result a theorem states, or whose derivation it closes."""
    env = app.env
    for part in doctree.findall(nodes.container):
        if "theorem" in part["classes"]:
            (label,) = part["ids"]
            in_markdown(env, label, label)
        elif "posenc-result" in part["classes"]:
            labels = {label.removeprefix("result-") for label in part["ids"]}
            for kind, words in ON_CARD.items():
                if names := [name for name, kinds in SEALS.items() if labels.intersection(kinds[kind])]:
                    links = links_to(words, "theorem", names, env.docname)
                    part += nodes.paragraph("", "", *links, classes=["seal", kind])

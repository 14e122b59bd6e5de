"""Seals: a card whose statement also stands in proofs/, for every size, links to the theorem.

`proofs/seals.yml` says which theorem states which results. `{theorem} name` shows a formal statement as its
file has it, and links the cards back; the page of every size is made of these. No Coq is needed.
"""

import re
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective


def seals(root):
    """The results that each theorem states."""
    return yaml.safe_load((Path(root) / "proofs" / "seals.yml").read_text(encoding="utf-8"))


STATED = r"^(?:Theorem|Definition|Record) {name}\b.*?\.(?=\s)"


def formal(root, name):
    """File, line and text of a formal statement; None if there is none of this name."""
    for file in sorted((Path(root) / "proofs").glob("*.v")):
        text = file.read_text(encoding="ascii")
        if match := re.search(STATED.format(name=re.escape(name)), text, re.MULTILINE | re.DOTALL):
            return file, text[: match.start()].count("\n") + 1, match[0]
    return None


class Theorem(SphinxDirective):
    """`{theorem} name`: a formal statement, where it stands, and the cards that it seals."""

    required_arguments = 1

    def run(self):
        """The statement's block and the line under it."""
        name, root = self.arguments[0], self.env.srcdir
        found = formal(root, name)
        if not found:
            raise self.error(f"no theorem {name!r} in proofs/")
        file, line, text = found
        for path in (file, file.parent / "seals.yml"):
            self.env.note_dependency(str(path))
        block = nodes.literal_block(text, text, language="coq", classes=["formal"])
        under = nodes.paragraph(
            "", "", nodes.Text(f"proofs/{file.name}, line {line}"), classes=["formal-line"]
        )
        results = seals(root).get(name, [])
        for index, result in enumerate(results):
            under += [nodes.Text(", " if index else ". In the chapters, with numbers: "), self.card(result)]
        under += nodes.Text(".")
        whole = nodes.container("", block, under, ids=[f"theorem-{name}"], classes=["theorem"])
        name_target(self.env, f"theorem-{name}", name)
        return [whole]

    def card(self, result):
        """A link to a result's card."""
        return reference(f"result-{result}", result, self.env.docname)


def name_target(env, label, title):
    """Let other pages link to a label of this page."""
    domain = env.get_domain("std")
    domain.labels[label] = (env.docname, label, title)
    domain.anonlabels[label] = (env.docname, label)


def reference(label, text, page):
    """A link to a label, anywhere in the book."""
    return pending_xref(
        "", nodes.inline("", text), refdomain="std", reftype="ref", reftarget=label,
        refdoc=page, refexplicit=True, refwarn=True,
    )  # fmt: skip


def seal_cards(app, doctree):
    """Put a seal on each card whose result a theorem states."""
    env = app.env
    cards = [card for card in doctree.findall(nodes.container) if "posenc-result" in card["classes"]]
    if not cards:
        return
    env.note_dependency(str(Path(env.srcdir) / "proofs" / "seals.yml"))
    for card in cards:
        for name, results in seals(env.srcdir).items():
            if any(f"result-{result}" in card["ids"] for result in results):
                words, link = nodes.Text("For every size: "), reference(f"theorem-{name}", name, env.docname)
                card += nodes.paragraph("", "", words, link, classes=["seal"])


def setup(app):
    """Register the directive and the seals; cards are made before, by `results`."""
    app.add_directive("theorem", Theorem)
    app.connect("doctree-read", seal_cards, priority=600)
    return {"parallel_read_safe": True}

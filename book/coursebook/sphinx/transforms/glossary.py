"""The first time that a chapter uses a word of the glossary, the word becomes a link to its entry.

A Chinese term says that it is one.
"""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

GLOSSARY = "book/notation"
# Words that also have a plain sense: they are linked only where the text sets them off.
PLAIN = {"base", "bucket", "code", "door", "key", "memory", "pair", "phase", "scheme", "value", "width"}


def entries(env):
    """The glossary's terms, lower case: {term: id of its entry}. Chinese ones are left out."""
    objects = env.get_domain("std").objects.items()
    return {
        name.lower(): label
        for (kind, name), (page, label) in objects
        if kind == "term" and page == GLOSSARY and name.isascii()
    }


class Terms(SphinxPostTransform):
    """Link each term once, where a notebook's text first uses it; mark the glossary's Chinese terms."""

    formats = ("html",)

    def run(self):
        """Link each term of the glossary once, in a notebook's unfolded paragraphs; not in cards, captions, outputs."""
        if self.env.docname == GLOSSARY:
            for term in self.document.findall(nodes.term):
                if not term.astext().isascii():
                    term["classes"].append("language-zh-Hans")  # docutils makes it the attribute lang
        if not self.env.docname.startswith("notebooks/"):
            return
        unlinked, folds = entries(self.env), 0
        for node in list(self.document.findall(lambda node: isinstance(node, (nodes.paragraph, nodes.raw)))):
            if isinstance(node, nodes.raw):  # a fold that the text opens or closes
                folds += node.astext().count("<details") - node.astext().count("</details>")
            elif unlinked and not folds and not inside(node, (nodes.container, nodes.figure, nodes.topic)):
                for text in list(node.findall(nodes.Text)):
                    self.link(text, unlinked)

    def link(self, text, unlinked):
        """Link the terms of one text (a node) that are not linked yet, and take them out of `unlinked`, {term: id}."""
        set_off = isinstance(text.parent, nodes.emphasis)
        if not (set_off or isinstance(text.parent, (nodes.paragraph, nodes.strong))):
            return
        terms = [term for term in unlinked if set_off or term not in PLAIN]
        if not terms:
            return
        names = "|".join(sorted(map(re.escape, terms), key=len, reverse=True))
        parts, end = [], 0
        for match in re.finditer(rf"(?<![\w-])({names})(?:e?s)?(?![\w-])", text, re.IGNORECASE):
            label = unlinked.pop(match[1].lower(), None)
            if label:
                parts += [nodes.Text(text[end : match.start()]), self.reference(match[0], label)]
                end = match.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])

    def reference(self, words, label):
        """A link to an entry of the glossary. label: the id of the entry."""
        address = self.app.builder.get_relative_uri(self.env.docname, GLOSSARY)
        return nodes.reference("", words, internal=True, refuri=f"{address}#{label}", classes=["term"])


def inside(node, kinds):
    """Whether a node stands inside one of these kinds, a tuple of classes."""
    while node := node.parent:
        if isinstance(node, kinds):
            return True
    return False

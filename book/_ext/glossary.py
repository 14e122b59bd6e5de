"""Words of the glossary, explained where they stand, and cards where a link names them.

The first time that a chapter uses a word of the glossary, the word becomes a link to its entry. What such
links, and those to cards, lead to is shown beside them by `tips.js`. It takes a card from the page where it
stands. The glossary is a script, fetched when its first word is wanted: a page opened from a file may load a
script where it may not read another page.
"""

import json
import re
from pathlib import Path

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from typography import inside

GLOSSARY = "book/glossary"
# Words that also have a plain sense: they are linked only where the text sets them off.
PLAIN = {"base", "bucket", "code", "door", "key", "memory", "pair", "phase", "scheme", "value", "width"}


def entries(env):
    """The glossary's terms, lower case: {term: id of its entry}. Chinese ones are left out."""
    found = {}
    for (kind, name), (page, label) in env.get_domain("std").objects.items():
        if kind == "term" and page == GLOSSARY and name.isascii():
            found[name.lower()] = label
    return found


class Terms(SphinxPostTransform):
    """Link each term once, where a notebook's text first uses it."""

    default_priority = 5
    formats = ("html",)

    def run(self):
        """Walk through the paragraphs of the text that are not folded; cards, captions and outputs are none."""
        if not self.env.docname.startswith("notebooks/"):
            return
        left, folds = entries(self.env), 0
        for node in list(self.document.findall(lambda node: isinstance(node, (nodes.paragraph, nodes.raw)))):
            if isinstance(node, nodes.raw):  # a fold that the text opens or closes
                folds += node.astext().count("<details") - node.astext().count("</details>")
            elif left and not folds and not inside(node, (nodes.container, nodes.figure, nodes.topic)):
                for text in list(node.findall(nodes.Text)):
                    self.link(text, left)

    def link(self, text, left):
        """Link the terms of one text that are not linked yet."""
        set_off = isinstance(text.parent, nodes.emphasis)
        if not (set_off or isinstance(text.parent, (nodes.paragraph, nodes.strong))):
            return
        wanted = [term for term in left if set_off or term not in PLAIN]
        if not wanted:
            return
        names = "|".join(sorted(map(re.escape, wanted), key=len, reverse=True))
        parts, end = [], 0
        for match in re.finditer(rf"(?<![\w-])({names})(?:e?s)?(?![\w-])", text, re.IGNORECASE):
            label = left.pop(match[1].lower(), None)
            if label:
                parts += [nodes.Text(text[end : match.start()]), self.reference(match[0], label)]
                end = match.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])

    def reference(self, words, label):
        """A link to an entry of the glossary."""
        address = self.app.builder.get_relative_uri(self.env.docname, GLOSSARY)
        return nodes.reference("", words, internal=True, refuri=f"{address}#{label}", classes=["term"])


def write_tips(app, exception):
    """Write what the glossary's tips say as a script."""
    if exception or app.builder.name != "html":
        return
    site = Path(app.outdir)
    page = site / f"{GLOSSARY}.html"
    glossary = BeautifulSoup(page.read_text(encoding="utf-8") if page.is_file() else "", "html.parser")
    tips = {}
    for term in glossary.select("dl.glossary dt[id]"):
        said = term.find_next_sibling("dd")
        other = " · ".join(dt.get_text(strip=True).rstrip("#") for dt in names(term))
        tips[term["id"]] = f"<p><b>{other}</b></p>{said.decode_contents().strip()}"
    text = json.dumps(tips, ensure_ascii=False, indent=0)
    (site / "_static" / "terms.js").write_text(f"terms({text});\n", encoding="utf-8")


def names(term):
    """The terms of one entry, English and Chinese."""
    found = [term]
    while (term := term.find_next_sibling()) is not None and term.name == "dt":
        found.append(term)
    return found


def setup(app):
    """Register the links, their script, and the glossary's words, made of its finished page."""
    app.add_post_transform(Terms)
    app.connect("build-finished", write_tips, priority=960)

"""Living figures: which still figure comes alive, and the place that is kept for it.

`living.yml` names a page, the beginning of a caption, and a script in `book/assets/living`. On that page the
picture of the figure gets a box that says which script, and is as high as the living figure will be.
`book/assets/living.js` brings the script when the box comes near; `book/assets/living/core.js` says how a
figure is written. The still picture stays where there is no script, and in print.
"""

import posixpath

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from ...content import ROOT, read_list
from ..directives.base import tag

SCRIPTS = ROOT / "book" / "assets" / "living"
FIGURES = read_list("book/living.yml")


class ComeAlive(SphinxPostTransform):
    """A box, with the name of its script, around each picture that comes alive."""

    formats = ("html",)

    def run(self):
        """Put each picture that `living.yml` brings to life into a box that names its script; warn of missing ones."""
        captions = list(self.document.findall(nodes.caption))
        for name, entry in FIGURES.items():
            if entry["page"] != self.env.docname:
                continue
            matches = [caption for caption in captions if begins(caption, entry["figure"])]
            if len(matches) != 1 or not (SCRIPTS / f"{name}.js").is_file():
                words = f"living.yml: {len(matches)} figures begin with {entry['figure']!r}, or no {name}.js"
                logging.getLogger(__name__).warning(words, location=self.document)
                continue
            (caption,) = matches
            figure = caption.parent
            picture = [child for child in figure.children if child is not caption]
            add_living_caption(caption, entry["alive"])
            # The script's address is that of a source, so that it is found, moved and kept like any other.
            folder = posixpath.relpath("_static/living", posixpath.dirname(self.env.docname) or ".")
            style = "--wide:{}px;--narrow:{}px".format(*entry["room"])
            attributes = {"data-figure": name, "data-src": f"{folder}/{name}.js", "style": style}
            figure.children = []
            figure += [tag("div", *picture, classes=["living"], **attributes), caption]


def begins(caption, words):
    """Whether a caption, with or without "Figure 2.4 ·", begins with the words."""
    text = " ".join(caption.astext().split())
    return text.startswith(words) or text.partition(" · ")[2].startswith(words)


def add_living_caption(caption, text):
    """Mark a caption's words as the still picture's; add `text`, the living one's, a string with *emphasis*."""
    number = [part for part in caption.findall(nodes.inline) if "figure-number" in part["classes"]]
    still = caption.children[len(number) :]
    alive = nodes.inline("", " ", classes=["alive"])
    for n, part in enumerate(text.split("*")):  # what stands between two asterisks is emphasised
        alive += nodes.emphasis("", part) if n % 2 else nodes.Text(part)
    caption.children = number
    caption += [nodes.inline("", "", *still, classes=["still"]), alive]

"""Living figures: which still figure comes alive, and the place that is kept for it.

`living.yml` names a page, the beginning of a caption, and a script in `book/assets/living`. On that page the
picture of the figure gets a box that says which script, and is as high as the living figure will be.
`book/assets/living.js` brings the script when the box comes near; `book/assets/living/core.js` says how a
figure is written. The still picture stays where there is no script, and in print.
"""

import posixpath
from pathlib import Path

import yaml
from docutils import nodes
from results import tag
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

SCRIPTS = Path(__file__).parent.parent / "assets" / "living"
FIGURES = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text(encoding="utf-8"))


class ComeAlive(SphinxPostTransform):
    """Runs after figures have their captions."""

    default_priority = 8
    formats = ("html",)

    def run(self):
        """Box the figures of this page that `living.yml` names; warn of those that are not there."""
        captioned = {
            " ".join(caption.astext().split()): figure
            for figure in self.document.findall(nodes.figure)
            for caption in figure.findall(nodes.caption)
        }
        for name, wanted in FIGURES.items():
            if wanted["page"] != self.env.docname:
                continue
            found = [figure for text, figure in captioned.items() if begins(text, wanted["figure"])]
            if len(found) != 1 or not (SCRIPTS / f"{name}.js").is_file():
                words = f"living.yml: {len(found)} figures begin with {wanted['figure']!r}, or no {name}.js"
                logging.getLogger(__name__).warning(words, location=self.document)
                continue
            (figure,) = found
            picture = [child for child in figure.children if not isinstance(child, nodes.caption)]
            rest = [child for child in figure.children if isinstance(child, nodes.caption)]
            two_captions(rest[0], wanted["alive"])
            figure.children = []
            folder = posixpath.relpath("_static/living", posixpath.dirname(self.env.docname) or ".")
            box = {  # the script's address is that of a source, so that it is found, moved and kept like any other
                "data-figure": name, "data-src": f"{folder}/{name}.js",
                "style": "--wide:{}px;--narrow:{}px".format(*wanted["room"]),
            }  # fmt: skip
            figure += [tag("div", *picture, classes=["living"], **box), *rest]


def two_captions(caption, alive):
    """Behind a figure's number, if any, keep the words for the still picture; add the living one's."""
    numbered = [part for part in caption.findall(nodes.inline) if "figure-number" in part["classes"]]
    still = caption.children[len(numbered) :]
    caption.children = numbered
    caption += [nodes.inline("", "", *still, classes=["still"]), nodes.inline("", " ", classes=["alive"])]
    for part, text in enumerate(alive.split("*")):
        caption[-1] += nodes.emphasis("", text) if part % 2 else nodes.Text(text)


def begins(caption, words):
    """Whether a caption, with or without "Figure 2.4 ·", begins with the words."""
    return caption.startswith(words) or caption.partition(" · ")[2].startswith(words)


def setup(app):
    app.add_post_transform(ComeAlive)

"""Living figures: which still figure comes alive, and the place that is kept for it.

`living.yml` names a page, the beginning of a caption, and a script in `book/assets/living`. On that page the
picture of the figure gets a box that says which script, and is as high as the living figure will be.
`book/assets/living.js` brings the script when the box comes near; `book/assets/living/core.js` says how a
figure is written. The still picture stays where there is no script, and in print.
"""

import json
import posixpath
from html import escape
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

SCRIPTS = Path(__file__).parent.parent / "assets" / "living"
FIGURES = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text(encoding="utf-8"))


class Living(nodes.General, nodes.Element):
    """The box around the picture of a figure that comes alive."""


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
            script = wanted.get("plays", name)
            found = [figure for text, figure in captioned.items() if begins(text, wanted["figure"])]
            if len(found) != 1 or not (SCRIPTS / f"{script}.js").is_file():
                words = f"living.yml: {len(found)} figures begin with {wanted['figure']!r}, or no {script}.js"
                logging.getLogger(__name__).warning(words, location=self.document)
                continue
            (figure,) = found
            picture = [child for child in figure.children if not isinstance(child, nodes.caption)]
            rest = [child for child in figure.children if isinstance(child, nodes.caption)]
            two_captions(rest[0], wanted["alive"])
            figure.children = []
            start = json.dumps(wanted.get("start", {}))
            figure += [Living("", *picture, name=script, start=start, room=wanted["room"]), *rest]


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


def opening(writer, node):
    """The script's address is that of a source, so that it is found, moved and kept like any other."""
    wide, narrow = node["room"]
    folder = posixpath.relpath("_static/living", posixpath.dirname(writer.builder.current_docname) or ".")
    writer.body.append(
        f'<div class="living" data-figure="{escape(node["name"])}" data-src="{folder}/{node["name"]}.js"'
        f' data-start="{escape(node["start"])}"'
        f' style="--wide:{wide}px;--narrow:{narrow}px">\n'
    )


def closing(writer, node):
    """The end of the box."""
    writer.body.append("</div>\n")


def setup(app):
    app.add_node(Living, html=(opening, closing))
    app.add_post_transform(ComeAlive)

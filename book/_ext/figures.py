"""A figure on the page: its description is the alternative text, its caption is set and numbered.

`posenc.draw` shows a picture and then a paragraph that begins with "Figure." Here the two become
one <figure>; "Figure." becomes "Figure 3.2 ·" in chapter 3 and "Figure A6.2 ·" in its appendix. Where a
chapter has several appendices, each has a letter, in the order of the contents: "Figure A3b.2 ·".
"""

import html
import io
import re
from pathlib import Path, PurePath

from docutils import nodes
from figure_svg import tidy
from PIL import Image
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging


class Figures(SphinxPostTransform):
    """Runs just before MyST-NB's choice of a MIME type, whose priority is 4."""

    default_priority = 3

    def run(self):
        """Describe, caption and number every picture; warn where one has no description or caption."""
        chapter = prefix(self.env.docname, self.env.srcdir)
        bundles = [part for part in self.document.findall(nodes.container) if part.get("nb_element") == "mime_bundle"]
        pictures = [(bundle, image) for bundle in bundles for image in bundle.findall(nodes.image)]
        pictures.sort(key=lambda picture: folded(picture[0]))  # who unfolds nothing misses no number
        for count, (bundle, image) in enumerate(pictures, 1):
            kinds = {child["mime_type"]: child for child in bundle.children}
            text = kinds["text/plain"].astext().strip() if "text/plain" in kinds else ""
            if not text or text.startswith("<"):
                self.warn("a figure has no description: give it a text/plain", bundle)
            words = take_caption(bundle)
            if words is None:
                self.warn("a figure has no caption: show it as a posenc.draw.Picture", bundle)
                continue
            label = f"{chapter}{count}"
            # A class of its own: the theme's spans of these names would number it again.
            numbered = nodes.inline("", f"Figure {label} ·", classes=["figure-number"])
            caption = nodes.caption("", "", numbered, *words)
            name = f"figure-{label.lower().replace('.', '-')}"
            png = Path(self.env.srcdir, image["uri"]).read_bytes()
            picture = drawing({"image/png": png, "text/plain": text}, name)
            bundle.replace_self(nodes.figure("", picture, caption, ids=[name], classes=["drawn"]))

    def warn(self, words, node):
        logging.getLogger(__name__).warning(words, location=node)


def prefix(docname, root):
    """What stands before the count in a figure's label: "3.", "A6.", "A3b.", or nothing off the chapters."""
    appendix, digits = re.match(r"(a?)(\d*)", PurePath(docname).name).groups()
    if not digits:
        return ""
    number = int(digits)
    notebook = Path(root, docname)
    siblings = sorted(path.stem for path in notebook.parent.glob(f"a{number}_*.ipynb")) if appendix else []
    letter = "abcdefgh"[siblings.index(notebook.name)] if len(siblings) > 1 else ""
    return f"{appendix.upper()}{number}{letter}."


def folded(node):
    """Whether it is in a cell of evidence, which stands behind its page."""
    return "tag_evidence" in node.get("classes", ()) or bool(node.parent is not None and folded(node.parent))


class Drawing(nodes.General, nodes.Element):
    """An SVG within the page. A raw node would bring its text into the search."""


def drawing(bundle, name):
    """The SVG that the PNG of a `posenc.draw.Picture` carries, as a node."""
    with Image.open(io.BytesIO(bundle["image/png"])) as picture:
        picture.load()
        return Drawing("", svg=tidy(picture.text["svg"], name), alt=bundle["text/plain"])


def write(writer, node):
    """Write the drawing as one image with its description."""
    alt = html.escape(node["alt"])
    writer.body.append(f'<div class="drawing" role="img" aria-label="{alt}">{node["svg"]}</div>')
    raise nodes.SkipNode


def take_caption(bundle):
    """Remove the caption that follows a picture's bundle, and return its words as nodes; None without one."""
    following = bundle.next_node(descend=False, siblings=True)
    for paragraph in following.findall(nodes.paragraph) if following else ():
        words = [node for node in paragraph.children if node.astext()]
        if isinstance(words[0], nodes.strong) and words[0].astext() == "Figure.":
            bundle.parent.remove(following)
            return words[1:]
    return None


def setup(app):
    """Register the transform and its style."""
    app.add_node(Drawing, html=(write, None))
    app.add_post_transform(Figures)

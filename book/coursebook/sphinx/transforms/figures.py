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
from PIL import Image
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from .figure_svg import tidy


class Figures(SphinxPostTransform):
    """A numbered figure with alt text and caption for every picture that a cell shows."""

    def run(self):
        """Make a numbered figure of every picture that a cell shows, with the alt text and the caption that it brought.

        Folded pictures have the last numbers. A picture without alt text or caption is reported, and stays as it is.
        """
        chapter = prefix(self.env.docname, self.env.srcdir)
        bundles = [part for part in self.document.findall(nodes.container) if part.get("nb_element") == "mime_bundle"]
        pictures = [(bundle, image) for bundle in bundles for image in bundle.findall(nodes.image)]
        pictures.sort(key=lambda picture: is_evidence(picture[0]))  # numbers of the open page follow one another
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
    """What stands before the count in a figure's label: "3.", "A6.", "A3b.", or "" on a page of no chapter.

    root: the folder that docname starts from, in which an appendix's siblings are looked for: they make its letter.
    """
    appendix, digits = re.match(r"(a?)(\d*)", PurePath(docname).name).groups()
    if not digits:
        return ""
    number = int(digits)
    notebook = Path(root, docname)
    siblings = sorted(path.stem for path in notebook.parent.glob(f"a{number}_*.ipynb")) if appendix else []
    letter = "abcdefgh"[siblings.index(notebook.name)] if len(siblings) > 1 else ""
    return f"{appendix.upper()}{number}{letter}."


def is_evidence(node):
    """Whether a node is or stands in a cell of evidence, which is shown behind its page."""
    return "tag_evidence" in node.get("classes", ()) or bool(node.parent is not None and is_evidence(node.parent))


def spoken(text, most=500):
    """Return a description as one can listen to it: each clause once, and no more than `most` signs of it."""
    said, sentences = set(), []
    for sentence in text.removesuffix(".").split(". "):
        first, *rest = sentence.split("; ")
        title, mark, first = first.rpartition(": ")
        new = [clause for clause in dict.fromkeys(rest) if clause not in {first, *said}]
        sentences.append(title + mark + ("likewise" if first in said and not new else "; ".join([first, *new])))
        said.update([first, *rest])
    text = ". ".join(sentences) + "."
    end = max(text.rfind("; ", 0, most), text.rfind(". ", 0, most))
    return text if len(text) <= most or end < 0 else f"{text[:end]}; and so on."


class Drawing(nodes.General, nodes.Element):
    """An SVG within the page. A raw node would bring its text into the search."""


def drawing(bundle, name):
    """The SVG that the PNG of a Picture carries, as a node. bundle: {MIME type: data}. name: its id."""
    with Image.open(io.BytesIO(bundle["image/png"])) as picture:
        picture.load()
        return Drawing("", svg=tidy(picture.text["svg"], name), alt=spoken(bundle["text/plain"]))


def write(writer, node):
    """Write the drawing as one image with its description. Raises SkipNode, so that Sphinx visits no part of it."""
    alt = html.escape(node["alt"])
    image = node["svg"].replace("<svg", f'<svg role="img" aria-label="{alt}"', 1)
    writer.body.append(f'<div class="drawing">{image}</div>')
    raise nodes.SkipNode


def take_caption(bundle):
    """Remove the paragraph "**Figure.** …" after a picture's bundle; return its other words as nodes, or None."""
    following = bundle.next_node(descend=False, siblings=True)
    for paragraph in following.findall(nodes.paragraph) if following else ():
        words = [node for node in paragraph.children if node.astext()]
        if isinstance(words[0], nodes.strong) and words[0].astext() == "Figure.":
            bundle.parent.remove(following)
            return words[1:]
    return None


def setup(app):
    """Register the drawing."""
    app.add_node(Drawing, html=(write, None))

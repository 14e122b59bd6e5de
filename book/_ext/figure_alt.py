"""The description of a figure becomes its alternative text.

A figure's output holds a picture and, as text/plain, a description computed from its data. MyST-NB
keeps one of the two and drops the other, so the description is carried over before it chooses.
"""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging


class FigureAlt(SphinxPostTransform):
    """Runs just before MyST-NB's choice of a MIME type, whose priority is 4."""

    default_priority = 3

    def run(self):
        """Copy the description, and warn about a picture that has none."""
        for bundle in self.document.findall(nodes.container):
            if bundle.get("nb_element") != "mime_bundle":
                continue
            kinds = {child["mime_type"]: child for child in bundle.children}
            text = kinds["text/plain"].astext().strip() if "text/plain" in kinds else ""
            for image in [image for child in kinds.values() for image in child.findall(nodes.image)]:
                image["alt"] = text
                if not text or text.startswith("<"):
                    logging.getLogger(__name__).warning(
                        "a figure has no description: give it a text/plain", location=bundle
                    )


def setup(app):
    """Register the transform."""
    app.add_post_transform(FigureAlt)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

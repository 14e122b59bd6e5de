"""A reference that says only the verdict of its card: `([proved](…#result-id))` in Markdown, a small ✓ on the page.

A parenthesis that says more stays as it is.
"""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

SIGNS = {"proved": "✓", "measured": "≈", "refuted": "≠", "a counterexample": "≠"}


class Marks(SphinxPostTransform):
    """Runs when references are resolved, with priority 10."""

    default_priority = 300
    formats = ("html",)

    def run(self):
        """Put a sign in the place of each such parenthesis."""
        for reference in list(self.document.findall(nodes.reference)):
            sign = SIGNS.get(reference.astext())
            siblings = reference.parent.children
            at = siblings.index(reference)
            before, after = at and siblings[at - 1], siblings[at + 1] if at + 1 < len(siblings) else None
            if sign and ends_with_bracket(before) and isinstance(after, nodes.Text) and after.startswith(")"):
                reference["classes"] += ["mark", "verdict"]
                reference["reftitle"] = reference.astext()
                reference.children = []
                reference += nodes.superscript(sign, sign)
                siblings[at + 1] = nodes.Text(after[1:])
                siblings[at - 1] = nodes.Text(before[:-1].rstrip())
                if at > 1 and not siblings[at - 1] and isinstance(siblings[at - 2], nodes.Text):
                    siblings[at - 2] = nodes.Text(siblings[at - 2].rstrip())  # a line of Markdown ended there


def ends_with_bracket(node):
    """Whether a node is a text that ends as before a parenthesis."""
    return isinstance(node, nodes.Text) and node.endswith("(")


def setup(app):
    """Register the transform."""
    app.add_post_transform(Marks)

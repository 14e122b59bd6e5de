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
            verdict, parent = reference.astext(), reference.parent
            if verdict not in SIGNS:
                continue
            at = parent.index(reference)
            before, after = parent[:at][-1:], parent[at + 1 :][:1]
            if ends(before, "(") and begins(after, ")"):
                reference["classes"] += ["mark", "verdict"]
                reference["reftitle"] = verdict
                reference.children = [nodes.superscript(SIGNS[verdict], SIGNS[verdict])]
                parent[at + 1] = nodes.Text(after[0][1:])
                parent[at - 1] = nodes.Text(before[0][:-1].rstrip())
                if at > 1 and not parent[at - 1] and isinstance(parent[at - 2], nodes.Text):
                    parent[at - 2] = nodes.Text(parent[at - 2].rstrip())  # a line of Markdown ended there


def ends(siblings, sign):
    """Whether siblings, a list of one node or none, are a text that ends with a sign."""
    return any(isinstance(node, nodes.Text) and node.endswith(sign) for node in siblings)


def begins(siblings, sign):
    """Whether siblings, a list of one node or none, are a text that begins with a sign."""
    return any(isinstance(node, nodes.Text) and node.startswith(sign) for node in siblings)


def setup(app):
    """Register the transform."""
    app.add_post_transform(Marks)

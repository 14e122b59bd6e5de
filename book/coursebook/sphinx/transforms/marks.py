"""A reference that says only the verdict of its card: `([proved](…#result-id))` in Markdown, a small ✓ on the page.

A parenthesis that says more stays as it is.
"""

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

SIGNS = {"proved": "✓", "measured": "≈", "refuted": "≠", "a counterexample": "≠"}
KERNEL = "theorem-"  # how the target of a theorem begins that Coq's kernel has accepted


class Marks(SphinxPostTransform):
    """A sign in the place of each parenthesis that only links a verdict."""

    formats = ("html",)

    def run(self):
        """Put a sign in the place of each such parenthesis."""
        for reference in list(self.document.findall(nodes.reference)):
            verdict, parent = reference.astext(), reference.parent
            at = parent.index(reference)
            before, after = text_at(parent, at - 1), text_at(parent, at + 1)
            if verdict in SIGNS and before.endswith("(") and after.startswith(")"):
                reference["classes"] += ["mark", "verdict"]
                in_coq = KERNEL in reference.get("refuri", reference.get("refid", ""))
                sign = f"{SIGNS[verdict]} Coq" if in_coq else SIGNS[verdict]
                by = " with Coq" if in_coq else " with SymPy" if verdict == "proved" else ""
                reference["reftitle"] = verdict + by
                reference.children = [nodes.superscript(sign, sign)]
                parent[at + 1] = nodes.Text(after[1:])
                parent[at - 1] = nodes.Text(before[:-1].rstrip())
                if not parent[at - 1] and text_at(parent, at - 2):
                    parent[at - 2] = nodes.Text(parent[at - 2].rstrip())  # a line of Markdown ended there


def text_at(parent, place):
    """The text that is a node's child at a place, "" where that is no text or there is none."""
    return parent[place] if 0 <= place < len(parent) and isinstance(parent[place], nodes.Text) else ""

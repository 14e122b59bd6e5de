"""What belongs together stays on one line: grouped digits, a number and its per cent, a short equation.

On a narrow page a line may otherwise end within 10 000, or before the minus of m − n. The blanks there become
ones that do not break; code, formulas and listings stay as they are.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

GROUPS = re.compile(r"(?<![\d.,])(?<!\d[ \u202f])\d{1,3}(?: \d{3})+(?![\dA-Za-z])")
PER_CENT = re.compile(r"(?<=\d) (?=%)")
SIGNS = "=≠≈<>≤≥×·−+"
BEFORE = re.compile(rf"(?<![^\s(])([^\s,;:]{{1,4}}) (?=[{SIGNS}] \S)")
AFTER = re.compile(rf"(?<=[\s\u00a0][{SIGNS}]) (?=\S{{1,8}}(?:\s|$))")
THIN, FIRM = "\u202f", "\u00a0"
FORMULAS = (nodes.math, nodes.math_block)
AS_IT_IS = (nodes.literal, nodes.FixedTextElement, nodes.raw, addnodes.desc_signature, *FORMULAS)


def unbroken(text):
    """The text, with blanks that do not break where a line must not end."""
    text = GROUPS.sub(lambda number: number[0].replace(" ", THIN), text)
    text = PER_CENT.sub(FIRM, text)
    text = BEFORE.sub(lambda left: left[1] + FIRM, text)
    return AFTER.sub(FIRM, text)


class Unbroken(SphinxPostTransform):
    """Mend every text of a page."""

    default_priority = 900
    formats = ("html",)

    def run(self):
        """Walk through the texts."""
        for text in list(self.document.findall(nodes.Text)):
            if not inside(text, AS_IT_IS) and (mended := unbroken(str(text))) != text:
                text.parent.replace(text, nodes.Text(mended))


def inside(node, kinds):
    """Whether a node stands inside one of these kinds."""
    while node := node.parent:
        if isinstance(node, kinds):
            return True
    return False


def setup(app):
    app.add_post_transform(Unbroken)

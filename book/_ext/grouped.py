"""A number in groups of three digits stays on one line: "10 000" gets narrow spaces, which do not break.

In code and in mathematics nothing is changed.
"""

import re

from docutils import nodes

GROUPED = re.compile(r"(?<![\w.,])[1-9]\d{0,2}(?:[ \u00a0]\d{3})+(?!\w)")
NARROW = "\u202f"  # a narrow space at which no line breaks
KEPT = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw)


def joined(text):
    """The text, with a narrow space within each grouped number."""
    return GROUPED.sub(lambda number: re.sub("[ \u00a0]", NARROW, number[0]), text)


def join(app, document, *_):
    """Join the grouped numbers of a page."""
    for text in list(document.findall(nodes.Text)):
        if (better := joined(text)) != text and not inside(text):
            text.parent.replace(text, nodes.Text(better))


def inside(node):
    """Whether a node belongs to code or mathematics."""
    while node := node.parent:
        if isinstance(node, KEPT):
            return True
    return False


def setup(app):
    """Before the titles are collected, and again when cards and tables have become text."""
    app.connect("doctree-read", join, priority=100)
    app.connect("doctree-resolved", join)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Bets: radio buttons of a chapter's question, and a veil over its answer until the reader has said what it will be.

In the notebook a bet is an anchor `<a id="bet-name"></a>`, a question and a list of answers. `book/bets.yml` names the
card or the cell that decides it; `coursebook.content` reads both. On the page the answers become radio buttons, and the
blocks that would give the answer away are put into a veil: those after the bet, up to the first figure, or from and to
where `at` and `until` say; never a formula that stands by itself, a card or a heading. `book/assets/bets.js` does the
rest. `<a id="bets-score"></a>`, after the last bet, becomes the authors' own score, and the reader's beside it.
"""

import re
from itertools import takewhile

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform

from ... import content
from ..directives.base import tag

ANCHOR = re.compile(r'\s*<a id="bets?-([\w-]+)"></a>\s*')
REMEDY = f"mend `at` or `until` in {content.BETS}"
HEADING = "the heading"  # as `until`: all that a veil may cover


class Bets(SphinxPostTransform):
    """Radio buttons and the veil of each bet, and the score."""

    formats = ("html",)

    def run(self):
        """Place the bets of a chapter's page; stops the build at one that cannot be decided or veiled."""
        chapter = next((chapter for chapter in content.notebooks() if chapter.page == self.env.docname), None)
        try:
            bets = {bet.id: bet for bet in chapter.bets} if chapter else {}
            for anchor in list(self.document.findall(nodes.paragraph)) if bets else ():
                if name := ANCHOR.fullmatch(anchor.astext()):
                    place(bets[name[1]], anchor, chapter.name) if name[1] in bets else anchor.replace_self(score())
        except content.Slip as problem:
            raise ExtensionError(str(problem)) from problem


def score():
    """Return how many of their own bets the authors lost, and a place for the reader's, as a node."""
    lost, placed = content.authors_score()
    return nodes.paragraph("", f"Of our own {placed} we lost {lost}. ", tag("output"), classes=["bets-score"])


def place(bet, anchor, page):
    """Put a bet's fieldset in the place of its anchor (a node), its question and its answers, and veil what follows.

    Raises Slip where nothing can be veiled, or a veil would cover what it must not. page: its name, for the message.
    """
    parent, at = anchor.parent, anchor.parent.index(anchor)
    question, answers, *rest = parent[at + 1 :]
    blocks = starting(bet.at, anchor.document) if bet.at else rest
    veiled = list(takewhile(may_be_veiled, blocks))
    if bet.until and bet.until != HEADING:
        end = next((n for n, block in enumerate(blocks[: len(veiled) + 1]) if begins(block, bet.until)), 0)
    else:
        drawn = [n for n, block in enumerate(veiled, 1) if any(block.findall(nodes.figure))]
        end = len(veiled) if bet.until or not drawn else drawn[0]
    if not end:
        raise content.Slip(page, bet.id, f"it veils nothing, or would veil a formula, a card or a heading: {REMEDY}")
    home = veiled[0].parent
    first = home.index(veiled[0])
    veil = tag("div", *veiled[:end], classes=["veil"], **{"data-bet": bet.id})
    home[first : first + end] = [far(bet), veil] if bet.at else [veil]
    at = parent.index(anchor)
    parent[at : at + 3] = [fieldset(bet, question, answers)]


def starting(words, document):
    """Return the blocks of a section of a document (nodes) from the first in it that begins with the words."""
    blocks = [block for section in document.findall(nodes.section) for block in section.children]
    first = next((block for block in blocks if not isinstance(block, nodes.section) and begins(block, words)), None)
    return first.parent[first.parent.index(first) :] if first is not None else []


def begins(block, words):
    """Whether a block (a node), or the caption of a figure in it, begins with the words."""
    texts = [" ".join(text.astext().split()) for text in (block, *block.findall(nodes.caption))]
    return any(text.startswith(words) or text.partition(" · ")[2].startswith(words) for text in texts)


def may_be_veiled(block):
    """Whether a veil may cover a block, a node."""
    classes = {name for part in block.findall(nodes.Element) for name in part["classes"]}
    if isinstance(block, nodes.section | nodes.title | HideCodeCellNode) or classes & {"posenc-result", "bet", "veil"}:
        return False
    return not any(block.findall(nodes.math_block))


def fieldset(bet, question, answers):
    """Return the question (a paragraph) and the answers (a list), nodes, as a fieldset of radio buttons."""
    data = {"data-right": str(bet.right)} | ({} if bet.authors is None else {"data-authors": str(bet.authors)})
    labels = tag("div", classes=["answers"])
    for count, item in enumerate(answers.children):
        choice = tag("input", type="radio", name=f"bet-{bet.id}", value=str(count), autocomplete="off")
        labels += tag("label", choice, nodes.Text(" "), nodes.inline("", "", *item[0].children))
    hint = tag("span", nodes.Text("Arrow keys choose, Enter bets."), classes=["hint"])
    keys = nodes.paragraph("", "", *([] if bet.at else [passing()]), hint, classes=["bet-keys"])
    parts = (tag("legend", *question.children), labels, keys, tag("output"))
    return tag("fieldset", *parts, ids=[f"bet-{bet.id}"], classes=["bet"], **data)


def far(bet):
    """Return what stands before a veil that is far from its bet: a link to the bet, and a place for what came true."""
    link = nodes.reference("", "Your bet first", internal=True, refuri=f"#bet-{bet.id}")
    keys = nodes.paragraph("", "", link, nodes.Text(" "), passing(), classes=["bet-keys"])
    return tag("div", keys, tag("output"), ids=[f"told-{bet.id}"], classes=["bet-told"])


def passing():
    """Return the button for those who do not bet."""
    return tag("button", nodes.Text("Just show me"), type="button", classes=["pass"])

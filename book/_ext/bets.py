"""Bets: a question of a chapter whose answer is veiled until the reader has said what it will be.

In the notebook a bet is an anchor `<a id="bet-name"></a>`, a question and a list of answers, the last words of its cell.
`book/bets.yml` names the card or the cell that decides it; `coursebook.content` reads both. On the page the answers become
radio buttons, and what would give the answer away is put in a veil: the blocks after the bet, up to the first figure,
or from and to where `at` and `until` say. It falls by `bets.js` alone, and never over a formula, a card or a heading.
`{bets}` lists all bets, `{wrong-bets}` what a wrong one means.
"""

import json
import re
from itertools import takewhile

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from results import FromNotebooks, tag
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform

from coursebook import content

ANCHOR = re.compile(r'\s*<a id="bets?-([\w-]+)"></a>\s*')
HEADING = "the heading"  # as `until`: up to the next heading, card or formula


class Bets(SphinxPostTransform):
    """Radio buttons of each bet, and its veil."""

    formats = ("html",)

    def run(self):
        """Make of each bet on a chapter's page a fieldset and a veil. Raises where a veil would cover what it must not."""
        chapter = next((chapter for chapter in content.notebooks() if chapter.page == self.env.docname), None)
        bets = {bet.id: bet for bet in bets_of(chapter)} if chapter else {}
        for anchor in list(self.document.findall(nodes.paragraph)) if bets else ():
            if name := ANCHOR.fullmatch(anchor.astext()):
                if name[1] not in bets:  # after the last chapter: the score
                    lost, placed = content.authors_score()
                    words = f"Of our own {placed} bets on chapter 11 we lost {lost}. "
                    anchor.replace_self(nodes.paragraph("", words, tag("output"), classes=["bets-score"]))
                    continue
                try:
                    place(bets[name[1]], anchor)
                except LookupError as problem:
                    raise ExtensionError(str(content.Slip(chapter.name, name[1], problem))) from problem


def bets_of(chapter):
    """Return the bets of a chapter; a slip in one stops the build with its remedy."""
    try:
        return chapter.bets
    except content.Slip as problem:
        raise ExtensionError(str(problem)) from problem


def place(bet, anchor):
    """Put a bet's fieldset in the place of its anchor (a node), its question and its answers, and veil what follows.

    Raises LookupError, with the remedy, where there is nothing to veil or a veil would cover what it must not.
    """
    parent, at = anchor.parent, anchor.parent.index(anchor)
    question, answers, *rest = parent[at + 1 :]
    blocks = starting(bet.at, anchor.document) if bet.at else rest
    veiled = list(takewhile(may_be_veiled, blocks))
    if bet.until and bet.until != HEADING:
        veiled = list(takewhile(lambda block: not begins(block, bet.until), veiled))
        if len(veiled) == len(blocks) or not begins(blocks[len(veiled)], bet.until):
            raise LookupError(f"its veil would cover more than words and figures: mend `until` in {content.BETS}")
    elif not bet.until:
        drawn = [n for n, block in enumerate(veiled, 1) if any(block.findall(nodes.figure))]
        veiled = veiled[: drawn[0]] if drawn else veiled
    if not veiled:
        raise LookupError(f"nothing that a veil may cover stands there: mend `at` in {content.BETS}")
    veil = tag("div", classes=["veil"], **{"data-bet": bet.id})
    home = veiled[0].parent
    home.insert(home.index(veiled[0]), [far(bet), veil] if bet.at else veil)
    for block in veiled:
        home.remove(block)
        veil += block
    parent.remove(question)
    parent.remove(answers)
    parent[at] = fieldset(bet, question, answers)


def starting(words, document):
    """Return the blocks of a section of a document (nodes) from the first in it that begins with the words."""
    blocks = [block for section in document.findall(nodes.section) for block in section.children]
    first = next((block for block in blocks if not isinstance(block, nodes.section) and begins(block, words)), None)
    return first.parent[first.parent.index(first) :] if first is not None else []


def begins(block, words):
    """Whether a block (a node), or the caption of its first figure, begins with the words."""
    texts = [block, *block.findall(nodes.caption)]
    texts = [" ".join(text.astext().split()) for text in texts]
    return any(text.startswith(words) or text.partition(" · ")[2].startswith(words) for text in texts)


def may_be_veiled(block):
    """Whether a veil may cover a block, a node."""
    if isinstance(block, nodes.section | nodes.title | HideCodeCellNode) or "bet" in block.get("classes", ()):
        return False
    cards = any("posenc-result" in part["classes"] for part in block.findall(nodes.Element))
    return not cards and not any(block.findall(nodes.math_block))


def fieldset(bet, question, answers):
    """Return the question (a paragraph) and the answers (a list), nodes, as a fieldset of radio buttons."""
    data = {"data-right": str(bet.right)} | ({"data-authors": str(bet.authors)} if bet.authors is not None else {})
    field = tag("fieldset", ids=[f"bet-{bet.id}"], classes=["bet"], **data)
    labels = tag("div", classes=["answers"])
    for count, item in enumerate(answers.children):
        choice = tag("input", type="radio", name=f"bet-{bet.id}", value=str(count), autocomplete="off")
        labels += tag("label", choice, nodes.Text(" "), nodes.inline("", "", *item[0].children))
    field += [tag("legend", *question.children), labels, tag("output")]
    return field


def far(bet):
    """Return the line before a veil that is far from its bet: where to bet, and what came true."""
    link = nodes.reference("", "Your bet first", internal=True, refuri=f"#bet-{bet.id}")
    return tag("div", nodes.paragraph("", "", link, classes=["bet-keys"]), tag("output"), ids=[f"told-{bet.id}"], classes=["bet-told"])


class FromBets(FromNotebooks):
    """A list under the title of each chapter that has bets."""

    def run(self):
        """Return the title of each chapter that has bets, and a list of what a subclass's `entry` makes of them."""
        self.env.note_dependency(str(content.ROOT / content.BETS))
        parts = []
        for chapter in self.chapters():
            if bets := bets_of(chapter):
                head = nodes.paragraph("", "", nodes.strong("", "", *self.inline(chapter.title_in_contents)))
                parts += [head, nodes.bullet_list("", *(self.entry(chapter, bet) for bet in bets))]
        return parts

    def asked(self, chapter, bet):
        """The question of a bet as a paragraph, linked to its place."""
        words = " ".join(bet.ask.removeprefix("**Place your bet.**").replace("**", "").split())
        address = self.env.app.builder.get_relative_uri(self.env.docname, chapter.page)
        link = nodes.reference("", "", internal=True, refuri=f"{address}#bet-{bet.id}")
        return self.line(link + nodes.inline("", "", *self.inline(words)), kind="ask")


class BetList(FromBets):
    """`{bets}`: every bet, with a place in which `bets.js` says what the reader said and what came true."""

    def entry(self, chapter, bet):
        """The question of a bet, its answers for the script, and a place for what came true."""
        answers = [nodes.inline("", "", *self.inline(answer)).astext() for answer in bet.answers]
        data = {"data-bet": bet.id, "data-right": str(bet.right), "data-answers": json.dumps(answers)}
        return nodes.list_item("", self.asked(chapter, bet), tag("output", **data))


class WrongBets(FromBets):
    """`{wrong-bets}`: for each bet what came true, the card that shows it, and what the other answers mean."""

    def entry(self, chapter, bet):
        """The question of a bet, what came true, and what each wrong answer shows of who gives it."""
        right = self.line("*Came true:* ", bet.answers[bet.right], kind="answer")
        if bet.card:
            right += [nodes.Text(", as "), self.link(self.results()[bet.card]), nodes.Text(" shows")]
        pairs = zip(bet.answers, bet.means, strict=True)
        wrong = [self.line(f"*{answer}*: {means}", kind="belief") for answer, means in pairs if means]
        return nodes.list_item("", self.asked(chapter, bet), right, *wrong)


def setup(app):
    """Register the lists of bets."""
    app.add_directive("bets", BetList)
    app.add_directive("wrong-bets", WrongBets)

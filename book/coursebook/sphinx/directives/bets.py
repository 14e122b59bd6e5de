"""Lists of all bets: `{bets}` for the page that shows what the reader said, `{wrong-bets}` for teachers."""

import json

from docutils import nodes

from ... import content
from .base import FromCourse, tag


class FromBets(FromCourse):
    """A list under the title of each chapter that has bets."""

    def run(self):
        """Return the title of each chapter that has bets, and a list of what a subclass's `entry` makes of them."""
        parts = []
        for chapter in content.chapters().values():
            if bets := chapter.bets:
                head = nodes.paragraph("", "", nodes.strong("", "", *self.inline(chapter.title_in_contents)))
                parts += [head, nodes.bullet_list("", *(self.entry(chapter, bet) for bet in bets))]
        return parts

    def asked(self, chapter, bet):
        """The question of a bet as a paragraph, linked to its place."""
        words = " ".join(bet.ask.removeprefix("**Place your bet.**").replace("**", "").split())
        address = self.env.app.builder.get_relative_uri(self.env.docname, chapter.page)
        words = nodes.inline("", "", *self.inline(words))
        link = nodes.reference("", "", words, internal=True, refuri=f"{address}#bet-{bet.id}")
        return self.line(link, kind="ask")


class BetList(FromBets):
    """`{bets}`: every bet, with a place in which `bets.js` says what the reader said and what came true."""

    def run(self):
        """Return the list, behind a place for the keys that take it away."""
        return [tag("div", tag("p"), classes=["kept"]), *super().run()]

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
            right += [nodes.Text(", as "), self.link(content.results()[bet.card]), nodes.Text(" shows")]
        pairs = zip(bet.answers, bet.means, strict=True)
        wrong = [self.line(f"*{answer}*: {means}", kind="belief") for answer, means in pairs if means]
        return nodes.list_item("", self.asked(chapter, bet), right, *wrong)

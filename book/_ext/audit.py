"""The page of claims: what texts say, and the results that settle it.

`{audit}` joins `book/audit.yml` with the claims that the results in the notebooks name. It warns of a claim
that no result settles, of a result that settles a claim not listed, and of a `wrong` that rests on proofs.
"""

from collections import Counter, defaultdict
from pathlib import Path

import yaml
from docutils import nodes
from results import ORDER, FromNotebooks, link, mark, row, set_mathematics, table
from sphinx.util import logging

VERDICTS = {  # the word in the list, the word on the page, and how the sentence above counts it
    "holds": ("Holds", "hold"),
    "imprecise": ("Imprecise", "hold once stated precisely"),
    "wrong": ("Wrong", "are wrong"),
    "open": ("Answered", "are questions, answered"),
}
SHOWS = {"refuted", "differs", "measured"}  # one of them is needed to call a claim wrong
logger = logging.getLogger(__name__)


class Audit(FromNotebooks):
    """`{audit}`: how many claims of each verdict, then a table for each part of the list."""

    def run(self):
        """The sentence and the sections."""
        source = Path(self.env.srcdir) / "book" / "audit.yml"
        self.env.note_dependency(str(source))
        parts = yaml.safe_load(source.read_text(encoding="utf-8"))
        settled = self.settled()
        claims = {name: claim for part in parts for name, claim in part["claims"].items()}
        for name in settled.keys() - claims.keys():
            logger.warning("a result settles the claim %r, which book/audit.yml does not list", name)
        for name, claim in claims.items():
            kinds = set().union(*settled[name].values())
            if not kinds:
                logger.warning("no result settles the claim %r", name)
            elif claim["verdict"] == "wrong" and not kinds & SHOWS:
                logger.warning("no result shows that the claim %r is wrong", name)
        return [summary(claims), *(self.section(part, settled) for part in parts)]

    def settled(self):
        """The results of each claim: {claim: {id: {kind: bundle}}}."""
        found = defaultdict(dict)
        for *_, results in self.chapters():
            for name, kinds in results.items():
                for claim in {bundle["claim"] for bundle in kinds.values()} - {""}:
                    found[claim][name] = kinds
        return found

    def section(self, part, settled):
        """A heading and its table."""
        section = nodes.section(ids=[nodes.make_id(part["part"])], names=[part["part"]])
        rows = [self.row(name, claim, settled[name]) for name, claim in part["claims"].items()]
        columns = {"Claim": 35, "Verdict": 35, "Settled by": 30}
        section += [nodes.title(part["part"], part["part"]), table(columns, rows)]
        return section

    def row(self, name, claim, results):
        """One claim."""
        word = nodes.strong("", VERDICTS[claim["verdict"]][0])
        links = [self.settlement(*result) for result in results.items()]
        says = [nodes.literal(name, name), nodes.Text(" "), *set_mathematics(claim["says"])]
        return row(says, [word, nodes.Text(". "), *set_mathematics(claim.get("then", ""))], *links)

    def settlement(self, name, kinds):
        """One result: its kind, and a link to its card."""
        kind = next(kind for kind in ORDER if kind in kinds)
        return [mark(kind), nodes.Text(": "), link(name, kinds, self.env.docname)]


def summary(claims):
    """'56 claims: 28 hold, …'."""
    counts = Counter(claim["verdict"] for claim in claims.values())
    text = ", ".join(f"{counts[verdict]} {words}" for verdict, (_, words) in VERDICTS.items())
    text = f"{len(claims)} claims: {text}."
    return nodes.paragraph(text, text, classes=["result-count"])


def setup(app):
    """Register the directive."""
    app.add_directive("audit", Audit)
    return {"parallel_read_safe": True}

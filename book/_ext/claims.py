"""The page of claims: what texts say, in whose words, and the results that settle it.

`{claims}` joins `book/claims.yml` with the results that name a claim or that a claim names; `{claims-texts}`
says which texts these are. A build warns of a claim that nothing settles, of a result that settles a claim
not listed, of a claim without a text, and of a `wrong` or a `slip` that no counterexample or measurement shows.
"""

from collections import Counter, defaultdict
from pathlib import Path

import yaml
from docutils import nodes
from results import FromNotebooks, mark, search
from sphinx.util import logging

VERDICTS = {  # the word on the page, and what its remark is
    "holds": ("Holds", "To add"),
    "imprecise": ("Imprecise", "What is right"),
    "slip": ("Slip", "What is meant"),
    "wrong": ("Wrong", "What is right"),
    "open": ("Answered", "Answer"),
    "wish": ("Wish", "How it fares"),
}
SHOWS = {"refuted", "measured"}  # one of them is needed to call a claim wrong, or a slip
logger = logging.getLogger(__name__)


class FromClaims(FromNotebooks):
    """Reads the list of claims, and what settles them."""

    def read(self):
        """The texts by id, the parts, and all claims by id."""
        source = Path(self.env.srcdir) / "book" / "claims.yml"
        self.env.note_dependency(str(source))
        listed = yaml.safe_load(source.read_text(encoding="utf-8"))
        claims = {name: claim for part in listed["parts"] for name, claim in part["claims"].items()}
        return listed["texts"], listed["parts"], claims

    def results_by_claim(self, claims):
        """The results of each claim: those that name it, and those that it names."""
        by_claim, cards = defaultdict(list), self.results()
        for result in cards.values():
            if result["claim"]:
                by_claim[result["claim"]].append(result)
        for name, claim in claims.items():
            for card in claim.get("cards", ()):
                if card in cards:
                    by_claim[name].append(cards[card])
                else:
                    logger.warning("the claim %r names the card %r, which is not there", name, card)
        return by_claim


class ClaimsTexts(FromClaims):
    """`{claims-texts}`: an entry for each text: its title, its kind, on what it leans, how it fares."""

    def run(self):
        """The entries."""
        texts, _, claims = self.read()
        entries = []
        for name, text in texts.items():
            entry = nodes.container(classes=["claims-text"], ids=[f"text-{name.lower()}"])
            means = f" ({text['means']})" if text["means"] else ""
            head = [nodes.literal("", name), f" **{text['title']}**{means}, {text['kind']}."]
            entry += self.line(*head, kind="entry-head")
            entry += self.line(text["leans"], kind="text-leans")
            entry += self.line(count([c for c in claims.values() if name in c["quotes"]]), kind="text-count")
            entries.append(entry)
        return entries


class Claims(FromClaims):
    """`{claims}`: how many claims of each verdict, the filter, then a section for each part of the list."""

    def run(self):
        """The sentence, the form and the sections."""
        texts, parts, claims = self.read()
        by_claim = self.results_by_claim(claims)
        warn_of_gaps(texts, claims, by_claim)
        text = count(list(claims.values()))
        verdicts = {kind: word for kind, (word, *_) in VERDICTS.items()}
        sources = {f"from-{name.lower()}": f"{name} · {text['title']}" for name, text in texts.items()}
        form = search("claims", {"Verdict": verdicts, "Text": sources})
        names = {result["id"] for results in by_claim.values() for result in results}
        words = f" {len(names)} results settle them."
        counted = nodes.paragraph(text, text, nodes.Text(words), classes=["result-count"])
        counted += self.for_every_size(names)
        page = [counted, form]
        for part in parts:
            section = nodes.section(ids=[nodes.make_id(part["part"])], names=[part["part"]])
            section += nodes.title(part["part"], part["part"])
            section += [self.entry(name, claim, by_claim[name]) for name, claim in part["claims"].items()]
            page.append(section)
        return page

    def entry(self, name, claim, results):
        """One claim: verdict and texts, what is said, what is right, what settles it."""
        kind = claim["verdict"]
        word, remark = VERDICTS[kind]
        sources = [f"from-{text.lower()}" for text in claim["quotes"]]
        entry = nodes.container(classes=["entry", "claim", kind, *sources], ids=[f"claim-{name.lower()}"])
        entry += self.line(nodes.literal("", name), nodes.Text(" "), mark(word, kind), kind="entry-head")
        for text, quote in claim["quotes"].items():
            place = nodes.reference("", text, refid=f"text-{text.lower()}", internal=True)
            entry += self.line(place, nodes.Text(f": {quote}"), kind="claim-quote")
        entry += self.line(claim["says"], kind="claim-says")
        if "then" in claim:
            entry += self.line(f"*{remark}.* ", claim["then"], kind="claim-then")
        settled = nodes.bullet_list(classes=["claim-settled"])
        for result in results:
            line = self.line(mark(result["kind"].capitalize(), result["kind"]), kind="settles")
            line += [nodes.Text(" "), self.link(result)]
            settled += nodes.list_item("", line)
        if "read" in claim:
            read = self.line(mark("As read", "read"), " in ", f"{claim['read']}.", kind="settles")
            settled += nodes.list_item("", read)
        entry += settled
        return entry


def warn_of_gaps(texts, claims, by_claim):
    """Warn of what does not fit together."""
    for name in by_claim.keys() - claims.keys():
        logger.warning("a result settles the claim %r, which book/claims.yml does not list", name)
    for name, claim in claims.items():
        kinds = {result["kind"] for result in by_claim[name]}
        if not kinds and "read" not in claim:
            logger.warning("no result settles the claim %r", name)
        elif claim["verdict"] in ("wrong", "slip") and not kinds & SHOWS:
            logger.warning("no result shows what is wrong with the claim %r", name)
        if not claim["quotes"] or claim["quotes"].keys() - texts.keys():
            logger.warning("the claim %r does not say from which texts it is", name)


def count(claims):
    """'56 claims: Holds 28 · …'."""
    counts = Counter(claim["verdict"] for claim in claims)
    parts = [f"{word} {counts[kind]}" for kind, (word, _) in VERDICTS.items() if counts[kind]]
    return f"{len(claims)} claims: {' · '.join(parts)}."


def setup(app):
    app.add_directive("claims", Claims)
    app.add_directive("claims-texts", ClaimsTexts)

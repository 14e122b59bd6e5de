"""The page of claims: what texts say, in whose words, and the results that settle it.

`{claims}` joins `book/claims.yml` with the results that name a claim or that a claim names; `{claims-texts}`
says which texts these are. A build stops at a claim that nothing settles, at a result or a claim that names what
is not there, and at a `wrong` or a `slip` that no counterexample or measurement shows.
"""

from collections import Counter

from docutils import nodes

from ...content import read_list, results
from .base import FromCourse, mark, search

VERDICTS = {  # the word on the page, and what its remark is
    "holds": ("Holds", "To add"),
    "imprecise": ("Imprecise", "What is right"),
    "slip": ("Slip", "What is meant"),
    "wrong": ("Wrong", "What is right"),
    "open": ("Answered", "Answer"),
    "wish": ("Wish", "How it fares"),
}


def read():
    """What book/claims.yml holds: {id: text}, the list of parts, {id: claim} of all parts."""
    content = read_list("book/claims.yml")
    claims = {name: claim for part in content["parts"] for name, claim in part["claims"].items()}
    return content["texts"], content["parts"], claims


class ClaimsTexts(FromCourse):
    """`{claims-texts}`: an entry for each text: its title, its kind, on what it leans, how it fares."""

    def run(self):
        """A container for each text in book/claims.yml: id, title, leaning, how many claims quote it."""
        texts, _, claims = read()
        entries = []
        for name, text in texts.items():
            entry = nodes.container(classes=["claims-text"], ids=[f"text-{name.lower()}"])
            means = f" ({text['means']})" if text["means"] else ""
            title = f" **{text['title']}**{means}, {text['kind']}."
            entry += self.line(nodes.literal("", name), title, kind="entry-head")
            entry += self.line(text["leans"], kind="text-leans")
            entry += self.line(count(claim for claim in claims.values() if name in claim["quotes"]), kind="text-count")
            entries.append(entry)
        return entries


class Claims(FromCourse):
    """`{claims}`: how many claims of each verdict, the filter, then a section for each part of the list."""

    def run(self):
        """A count, the form that filters, and a section for each part of book/claims.yml, as nodes."""
        (texts, parts, claims), cards = read(), results()
        for card in cards.values():
            if card.claim and card.claim not in claims:
                raise self.error(f"{card.id!r} settles {card.claim!r}, which book/claims.yml does not list")
        settled = {name: self.results_for(name, claim, cards, texts) for name, claim in claims.items()}
        ids = {card.id for settling in settled.values() for card in settling}
        sentence = f"{count(claims.values())} {len(ids)} results settle them."
        counted = nodes.paragraph("", sentence, *self.for_every_size(ids), classes=["result-count"])
        verdicts = {kind: word for kind, (word, _) in VERDICTS.items()}
        sources = {f"from-{name.lower()}": f"{name} · {text['title']}" for name, text in texts.items()}
        content = [counted, search("claims", {"Verdict": verdicts, "Text": sources})]
        for part in parts:
            section = nodes.section(ids=[nodes.make_id(part["part"])], names=[part["part"]])
            section += nodes.title(part["part"], part["part"])
            section += [self.entry(name, claim, settled[name]) for name, claim in part["claims"].items()]
            content.append(section)
        return content

    def results_for(self, name, claim, cards, texts):
        """The cards that settle a claim: those that name it, then those it names. cards, texts: by id.

        Raises where the claim names no text, or a text or card that is not there; where no card settles it and it was
        not read anywhere; where it is held wrong and no card refutes or measures.
        """
        card_ids = claim.get("cards", [])
        if set(card_ids) - cards.keys() or not claim["quotes"] or claim["quotes"].keys() - texts.keys():
            raise self.error(f"the claim {name!r} names a card or a text that is not there, or no text")
        results = [card for card in cards.values() if card.claim == name] + [cards[card] for card in card_ids]
        kinds = {card.kind for card in results}
        if not kinds and "read" not in claim:
            raise self.error(f"no result settles the claim {name!r}")
        if claim["verdict"] in ("wrong", "slip") and not kinds & {"refuted", "measured"}:
            raise self.error(f"no result shows what is wrong with the claim {name!r}")
        return results

    def entry(self, name, claim, results):
        """The node of a claim: verdict, texts with their quotes, what is said, what is right, and `results`."""
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
        reasons = nodes.bullet_list(classes=["claim-settled"])
        for result in results:
            verdict = mark(result.kind.capitalize(), result.kind)
            reasons += nodes.list_item("", self.line(verdict, nodes.Text(" "), self.link(result), kind="settles"))
        if "read" in claim:
            read = self.line(mark("As read", "read"), " in ", f"{claim['read']}.", kind="settles")
            reasons += nodes.list_item("", read)
        entry += reasons
        return entry


def count(claims):
    """The count of claims by verdict, in words: '56 claims: Holds 28 · …'."""
    counts = Counter(claim["verdict"] for claim in claims)
    parts = [f"{word} {counts[kind]}" for kind, (word, _) in VERDICTS.items() if counts[kind]]
    return f"{counts.total()} claims: {' · '.join(parts)}."

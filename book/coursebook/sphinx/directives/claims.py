"""The page of claims: what texts say, in whose words, and the results that settle it.

`{claims} name` joins a list, such as `book/claims.yml`, with the results that name a claim or that a claim names;
`{claims-texts} name` says which texts these are. A build stops at a claim that nothing settles, at a result or a claim
that names what is not there, at a `wrong` or a `slip` that no counterexample or measurement shows, and at an id that
two lists have.
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
LISTS = ("claims", "explanations")  # of book/*.yml; the page has one filter, before the first


class FromClaims(FromCourse):
    """Reads a list of claims, which its argument names: its texts by id, its parts, and all claims by id."""

    required_arguments = 1

    def read(self):
        """What the list holds: {id: text}, its parts, {id: claim}; and both dictionaries for all lists."""
        contents = {name: read_list(f"book/{name}.yml") for name in LISTS}
        try:
            every = joined(contents.values())
        except ValueError as reason:
            raise self.error(str(reason)) from reason
        content = contents[self.arguments[0]]
        return content["texts"], content["parts"], joined([content])[1], *every


class ClaimsTexts(FromClaims):
    """`{claims-texts}`: an entry for each text: its title, whose or what it is, what is to say of it, how it fares."""

    def run(self):
        """A container for each text of a list: id, title, a remark, how many claims quote it."""
        texts, _, claims, *_ = self.read()
        entries = []
        for name, text in texts.items():
            entry = nodes.container(classes=["claims-text"], ids=[f"text-{name.lower()}"])
            if "address" in text:
                title = f" **[{text['title']}]({text['address']})**, {text['by']}. Read: {text['read']}."
            else:
                means = f" ({text['means']})" if text["means"] else ""
                title = f" **{text['title']}**{means}, {text['kind']}."
            entry += self.line(nodes.literal("", name), title, kind="entry-head")
            entry += self.line(text.get("does") or text["leans"], kind="text-leans")
            entry += self.line(count(claim for claim in claims.values() if name in claim["quotes"]), kind="text-count")
            entries.append(entry)
        return entries


class Claims(FromClaims):
    """`{claims}`: how many claims of each verdict, the filter, then a section for each part of the list."""

    def run(self):
        """A count, for the first list the form that filters the page, and a section for each part, as nodes."""
        texts, parts, claims, every_text, every_claim = self.read()
        try:
            cards_of = settled(claims, texts, results(), every_claim)
        except ValueError as reason:
            raise self.error(str(reason)) from reason
        ids = {card.id for cards in cards_of.values() for card in cards}
        sentence = f"{count(claims.values())} {len(ids)} results settle them."
        content = [nodes.paragraph("", sentence, *self.for_every_size(ids), classes=["result-count"])]
        if self.arguments[0] == LISTS[0]:
            verdicts = {kind: word for kind, (word, _) in VERDICTS.items()}
            sources = {f"from-{name.lower()}": f"{name} · {text['title']}" for name, text in every_text.items()}
            content.append(search("claims", {"Verdict": verdicts, "Text": sources}))
        for part in parts:
            section = nodes.section(ids=[nodes.make_id(part["part"])], names=[part["part"]])
            section += nodes.title(part["part"], part["part"])
            section += [self.entry(name, claim, cards_of[name]) for name, claim in part["claims"].items()]
            content.append(section)
        return content

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


def joined(contents):
    """({id: text}, {id: claim}) of these lists. Raises ValueError where two texts or two claims have one id."""
    texts, claims = {}, {}
    for content in contents:
        for known, more in (texts, content["texts"]), *((claims, part["claims"]) for part in content["parts"]):
            if twice := known.keys() & more.keys():
                raise ValueError(f"the lists of claims have two of {', '.join(sorted(twice))}")
            known |= more
    return texts, claims


def settled(claims, texts, cards, known):
    """{id: the cards that settle it} of the claims of a list: those that name it, then those it names.

    texts, cards: by id. known: the ids of all lists. Raises ValueError where a card names a claim that no list has;
    where a claim names no text, or a text or card that is not there; where no card settles it and it was not read
    anywhere; where it is held wrong and no card refutes or measures.
    """
    for card in cards.values():
        if card.claim and card.claim not in known:
            raise ValueError(f"{card.id!r} settles {card.claim!r}, which no list of claims has")
    results = {}
    for name, claim in claims.items():
        card_ids = claim.get("cards", [])
        if set(card_ids) - cards.keys() or not claim["quotes"] or claim["quotes"].keys() - texts.keys():
            raise ValueError(f"the claim {name!r} names a card or a text that is not there, or no text")
        results[name] = [card for card in cards.values() if card.claim == name] + [cards[card] for card in card_ids]
        kinds = {card.kind for card in results[name]}
        if not kinds and "read" not in claim:
            raise ValueError(f"no result settles the claim {name!r}")
        if claim["verdict"] in ("wrong", "slip") and not kinds & {"refuted", "measured"}:
            raise ValueError(f"no result shows what is wrong with the claim {name!r}")
    return results


def count(claims):
    """The count of claims by verdict, in words: '56 claims: Holds 28 · …'."""
    counts = Counter(claim["verdict"] for claim in claims)
    parts = [f"{word} {counts[kind]}" for kind, (word, _) in VERDICTS.items() if counts[kind]]
    return f"{counts.total()} claims: {' · '.join(parts)}."


def setup(app):
    app.add_directive("claims", Claims)
    app.add_directive("claims-texts", ClaimsTexts)

"""The page of results, generated from what the notebooks in git contain.

`{results}` makes the page of all cards, `{result-count}` one sentence.
"""

from collections import Counter

from docutils import nodes

from posenc.proof.rewriting import WORDS

from ...content import notebooks, results
from .base import FromCourse, many, mark, search

LONG = 250  # characters of a statement in TeX; the longer ones would be a third of the page
OURS = [WORDS[name] for name in ("re-index", "term by term", "pick")]  # the other rewritings are SymPy's own


class ResultCount(FromCourse):
    """`{result-count}`: how many statements were proved, refuted, measured; how many are sealed."""

    def run(self):
        counts = Counter(result.kind for result in results().values())
        text = f"{many(counts['proved'], 'statement')} proved and {counts['refuted']} refuted, "
        text += f"each run in numbers too; {many(counts['measured'], 'measurement')}. "
        text += f"{by_our_rewritings(results().values())} of the proofs rewrite sums by rules of ours."
        return [nodes.paragraph(text, text, *self.for_every_size(results()), classes=["result-count"])]


def by_our_rewritings(results):
    """How many of these results were proved by a rewriting that is ours, and not SymPy's."""
    return sum(r.kind == "proved" and any(words in r.verdict for words in OURS) for r in results)


class Results(FromCourse):
    """`{results}`: the cards of all notebooks, under the title of each, behind a filter."""

    def run(self):
        chapters = [chapter for chapter in notebooks() if chapter.results]
        titles = {f"in-{chapter.name}": chapter.title_in_contents for chapter in chapters}
        verdicts = {kind: kind.capitalize() for kind in ("proved", "refuted", "measured")}
        content = [search("results", {"Verdict": verdicts, "Chapter": titles})]
        for chapter in chapters:
            title = chapter.title_in_contents
            section = nodes.section(ids=[nodes.make_id(chapter.name)], names=[chapter.name])
            section += nodes.title(title, "", *self.inline(title))
            section += [self.card(result, f"in-{chapter.name}") for result in chapter.results.values()]
            content.append(section)
        return content

    def card(self, result, place):
        """The card of a result, linked to its chapter, where a long statement stays. place: a class, for the filter."""
        card = nodes.container(classes=["entry", "posenc-result", result.kind, place])
        card += self.line(self.link(result), kind="card-title")
        if len(result.statement) > LONG:
            card += self.line("The statement is long: it stands in the chapter.", kind="card-long")
        elif result.statement:
            card += nodes.math_block("", result.statement, number=None, label=None, nowrap=False)
        if result.domain:
            card += self.line(result.domain, kind="card-domain")
        parts = [mark(result.kind.capitalize(), result.kind), nodes.Text(" "), result.verdict, nodes.Text(" ")]
        if result.run:
            parts += [nodes.strong("", "Run:"), nodes.Text(" "), result.run, nodes.Text(" ")]
        card += self.line(*parts, nodes.literal("", result.id), kind="card-verdict")
        return card

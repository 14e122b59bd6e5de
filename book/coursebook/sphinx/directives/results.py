"""The page of results, generated from what the notebooks in git contain, and the cards of the chapters.

Every proof, refutation and measurement shows a card and leaves a JSON bundle in its cell's output.
`{results}` makes the page of all cards, `{result-count}` one sentence. Each card can be linked to by
`result-<id>`.
"""

import re
from collections import Counter
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from posenc.proof.rewriting import WORDS

from ...content import Chapter, notebooks
from .theorems import in_markdown, name_target, reference, seals

LONG = 250  # characters of a statement in TeX; the longer ones would be a third of the page
OURS = [WORDS[name] for name in ("re-index", "term by term", "pick")]  # the other rewritings are SymPy's own
SHORT = 90  # characters of a point in TeX; a longer one stands in the fold alone
logger = logging.getLogger(__name__)


class Tag(nodes.General, nodes.Element):
    """An element of HTML, with the attributes that it names; in other formats its content alone."""


def open_tag(translator, node):
    translator.body.append(translator.starttag(node, node["tag"], "", **node["attributes"]))


def close_tag(translator, node):
    translator.body.append("" if node["tag"] == "input" else f"</{node['tag']}>\n")


def tag(element, /, *content, ids=(), classes=(), **attributes):
    """Return a Tag: an element of HTML of this name, with these nodes as its content."""
    return Tag("", *content, tag=element, attributes=attributes, ids=list(ids), classes=list(classes))


class FromNotebooks(SphinxDirective):
    """Reads all notebooks, and makes the page depend on them and on the table of contents."""

    def results(self):
        """Return {id: result} of all notebooks."""
        return {name: result for chapter in self.chapters() for name, result in chapter.results.items()}

    def chapters(self):
        """The chapters and appendices that have results."""
        for path in [*(chapter.path for chapter in notebooks()), Path(self.env.srcdir) / "_toc.yml"]:
            self.env.note_dependency(str(path))
        return [chapter for chapter in notebooks() if chapter.results]

    def for_every_size(self, names):
        """Return the nodes of ' For 74 of these 300 results … a theorem for every size.'. names: the ids of results."""
        sealed = {result for kinds in seals(self.env).values() for results in kinds.values() for result in results}
        which = f" For {len(sealed & set(names))} of these {len(names)} results, or for what they are a step of,"
        link = reference("for-every-size", self.env.docname, nodes.Text("a theorem for every size"))
        return [nodes.Text(f"{which} a proof kernel accepted "), link, nodes.Text(".")]

    def line(self, *parts, kind):
        """A paragraph of a class. Its parts are nodes, or texts in Markdown."""
        paragraph = nodes.paragraph(classes=[kind])
        for part in parts:
            paragraph += [part] if isinstance(part, nodes.Node) else self.inline(part)
        return paragraph

    def inline(self, text):
        """A line of Markdown as nodes."""
        return self.state.inline_text(text, self.lineno)[0]

    def link(self, result):
        """A result's title, linked to its card."""
        return reference(f"result-{result.id}", self.env.docname, *self.inline(result.title))


def mark(word, kind):
    """Return a word in bold with the sign of a verdict. kind: which, such as "proved" or "wrong"."""
    return nodes.strong("", word, classes=["verdict", kind])


class ResultCount(FromNotebooks):
    """`{result-count}`: how many statements were proved, refuted, measured; how many are sealed."""

    def run(self):
        results = self.results()
        counts = Counter(result.kind for result in results.values())
        text = f"{many(counts['proved'], 'statement')} proved and {counts['refuted']} refuted, "
        text += f"each run in numbers too; {many(counts['measured'], 'measurement')}. "
        text += f"{by_our_rewritings(results.values())} of the proofs rewrite sums by rules of ours."
        return [nodes.paragraph(text, text, *self.for_every_size(results), classes=["result-count"])]


def by_our_rewritings(results):
    """How many of these results were proved by a rewriting that is ours, and not SymPy's."""
    return sum(r.kind == "proved" and any(words in r.verdict for words in OURS) for r in results)


def many(count, noun):
    """'1 statement', '2 statements'."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class Results(FromNotebooks):
    """`{results}`: the cards of all notebooks, under the title of each, behind a filter."""

    def run(self):
        chapters = self.chapters()
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


def search(things, choices, orders=None):
    """The form that filters the entries of a page: a field and one choice for each {label: {class: words}}.

    orders: {key: words}, by which the entries can be put in order; -key puts the largest first. A key stands
    as data-key on the element of an entry that is marked hidden. So is the form, until `filter.js` runs.
    """
    fields = ['<label>Search <input type="search" placeholder="word or id"></label>']
    for label, given in choices.items():
        fields.append(f"<label>{label} <select>{options({'': 'all'} | given)}</select></label>")
    if orders:
        fields.append(f"<label>Order <select data-order>{options(orders)}</select></label>")
    look = f'role="search" aria-label="Filter the {things}" autocomplete="off"'
    form = f'<form class="filter" {look} hidden>{"".join(fields)}'
    return nodes.raw("", f'{form}<output data-noun="{things}"></output></form>', format="html")


def options(given):
    """What a field of a form lets one choose: {value: words}."""
    return "".join(f'<option value="{escape(value)}">{escape(words)}</option>' for value, words in given.items())


def mark_cards(app, doctree):
    """Make a card of each result in a chapter, with a target that other pages can link to."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    saved = Chapter(path).cells
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code":
            continue
        # A node has no room for our bundle, which is read from the file, output by output.
        outputs = [output for output in saved[cell["cell_index"]].outputs if output.data]
        mimes = [node for node in cell.findall(nodes.container) if node.get("nb_element") == "mime_bundle"]
        if len(outputs) != len(mimes):
            logger.warning("the outputs are not those kept in git: run 'make normal'", location=cell)
            continue
        for output, mime in zip(outputs, mimes, strict=True):
            if output.result:
                mark_card(app.env, doctree, mime, output.result, in_line="tag_strict" in cell["classes"])


def mark_card(env, doctree, mime, result, in_line=False):
    """Make a card of a saved result in `mime`, the node of one output, name its parts, make it a target.

    in_line: whether its formula and domain stand in the line of its verdict, since its title folds away.
    """
    kind, label = result.kind, f"result-{result.id}"
    markdown = next(child for child in mime.children if child["mime_type"] == "text/markdown")
    card = nodes.container("", *markdown.children, ids=[label], classes=["posenc-result", kind])
    markdown.children = []
    markdown += card
    title, *rest = [child for child in card.children if isinstance(child, nodes.paragraph)]
    verdict = rest[-1]
    title["classes"].append("card-title")
    if result.domain:
        rest[-2]["classes"].append("card-domain")
    verdict["classes"].append("card-verdict")
    next(verdict.findall(nodes.strong))["classes"] += ["verdict", kind]
    word = verdict_line(result, verdict)
    if in_line and kind == "proved":
        word += as_one_line(result, title, rest)
        word["classes"].append("card-line")
    card.insert(len(card) - 1, word)
    doctree.ids[label] = card
    name_target(env, label, result.title)
    in_markdown(env, label, result.title)


def verdict_line(result, verdict):
    """A paragraph: kind, linked to how it was reached, and where it fails or what was measured. verdict: a node."""
    kind, place = result.kind, f"#behind-result-{result.id}"
    line = nodes.paragraph(classes=["card-word"])
    line += nodes.reference("", kind.capitalize(), internal=True, refuri=place, classes=["verdict", kind])
    if kind == "refuted":  # "Refuted not always: at $x = 1$ the left side is …"
        line += nodes.Text(": the two sides differ")
        start = next(n for n, part in enumerate(verdict) if isinstance(part, nodes.strong))
        words, point = verdict.children[start + 1 : start + 3]
        if words.astext().endswith(" at ") and len(point.astext()) < SHORT:
            line += [nodes.Text(", for instance at "), point.deepcopy()]
        line += nodes.Text(".")
    if kind == "measured":
        line += nodes.Text(f": {number_of(result.verdict)}.")
    return line


def as_one_line(result, title, rest):
    """Return the nodes after "Proved": ": $R(m)^T R(n) = R(n - m)$, for all integers $m, n$."

    Without a formula of the author's that of SymPy, if it is short, else the title. rest: the other paragraphs.
    """
    formula = result.formula or result.statement
    short = result.formula is not None or len(formula) <= SHORT
    stated = [nodes.math("", formula)] if short else [part.deepcopy() for part in title[0].children]
    if not result.domain:
        return [nodes.Text(": "), *stated, nodes.Text(".")]
    first, *more = (part.deepcopy() for part in rest[-2].children)
    return [nodes.Text(": "), *stated, nodes.Text(f", {first[0].lower()}{first[1:]}"), *more]


def number_of(verdict):
    """Return the number in a verdict: "0.97" of "256 tokens, the least of 10: 0.97, required above 0.9."."""
    number = verdict.rpartition(": ")[2].partition(", ")[0].removesuffix(".")
    return re.sub(r" over (?:one|[\d\s]+) numbers?$", "", number)


def setup(app):
    """Register the element."""
    app.add_node(Tag, html=(open_tag, close_tag))

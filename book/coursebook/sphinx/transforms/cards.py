"""The cards of the chapters: every proof, refutation and measurement shows one in its cell's output.

A node has no room for the JSON that comes with a card, so a card is known by the id with which it ends. Each can be
linked to by `result-<id>`.
"""

import re
from pathlib import Path

from docutils import nodes

from ...content import Chapter
from ..directives.theorems import in_markdown, name_target

SHORT = 90  # characters of a point in TeX; a longer one stands in the fold alone


def mark_cards(app, doctree):
    """Make a card of each result in a chapter, with a target that other pages can link to."""
    path = Path(app.env.doc2path(app.env.docname))
    saved = Chapter(path).results if path.suffix == ".ipynb" else {}
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") == "cell_code":
            for markdown in list(cell.findall(nodes.container)):
                if markdown.get("mime_type") == "text/markdown" and (result := result_of(markdown, saved)):
                    mark_card(app.env, doctree, markdown, result, in_line="tag_strict" in cell["classes"])


def result_of(markdown, saved):
    """The result whose card stands in a node of Markdown, None where that is no card. saved: {id: result}."""
    *_, last = markdown.findall(nodes.Element)  # a card ends with its id
    return saved.get(last.astext()) if isinstance(last, nodes.literal) else None


def mark_card(env, doctree, markdown, result, in_line=False):
    """Make a card of a saved result in `markdown`, the node of one output, name its parts, make it a target.

    in_line: whether its formula and domain stand in the line of its verdict, since its title folds away.
    """
    kind, label = result.kind, f"result-{result.id}"
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
    """The nodes after "Proved": ": $R(m)^T R(n) = R(n - m)$, for all integers $m, n$."

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
    """The number in a verdict: "0.97" of "256 tokens, the least of 10: 0.97, required above 0.9."."""
    number = verdict.rpartition(": ")[2].partition(", ")[0].removesuffix(".")
    return re.sub(r" over (?:one|[\d\s]+) numbers?$", "", number)

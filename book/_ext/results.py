"""The page of results, generated from what the notebooks in git contain.

Every proof, refutation and measurement leaves a JSON bundle in its cell's output. `{results}`
makes one table a chapter of them, `{result-count}` one sentence. Each result can be linked to by
`result-<id>`.
"""

import json
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

MIME = "application/vnd.posenc.result+json"
EXACT = {"proved": "agreed", "refuted": "differs"}  # a verdict, and that of its numeric twin
ORDER = (*EXACT, "measured", *EXACT.values())  # what a result is first of all
logger = logging.getLogger(__name__)


def number(path):
    """The chapter that a notebook is, or as an appendix belongs to: 3 for 03_name and for a3_name."""
    return int(path.stem.partition("_")[0].lstrip("a"))


def is_appendix(path):
    """Whether a notebook is an appendix: its name is aN_name, with N the number of its chapter."""
    return path.stem.startswith("a")


def notebooks(root):
    """The chapters, then the appendices, each in the order of the chapters."""
    paths = (Path(root) / "notebooks").glob("*.ipynb")
    return sorted(paths, key=lambda path: (is_appendix(path), number(path), path.stem))


def bundles(cell):
    """The results that the outputs of one cell hold."""
    return [o["data"][MIME] for o in cell.get("outputs", ()) if MIME in o.get("data", {})]


def chapter(path):
    """Title of a notebook, and its results by id: {id: {kind: bundle}}."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    title = "".join(cells[0]["source"]).splitlines()[0].lstrip("# ")
    if not is_appendix(path):
        title = f"{number(path)}. {title}"  # the number that the table of contents gives it
    results = {}
    for bundle in (bundle for cell in cells for bundle in bundles(cell)):
        results.setdefault(bundle["id"], {}).setdefault(bundle["kind"], bundle)
    return title, results


class FromNotebooks(SphinxDirective):
    """Reads all chapters, and makes the page depend on them and on the table of contents."""

    def chapters(self):
        """Pairs of title and results, of the chapters that have results."""
        paths = notebooks(self.env.srcdir)
        for path in [*paths, Path(self.env.srcdir) / "_toc.yml"]:
            self.env.note_dependency(str(path))
        found = [(path, *chapter(path)) for path in paths]
        return [entry for entry in found if entry[2]]


class ResultCount(FromNotebooks):
    """`{result-count}`: how many statements were proved, refuted, measured."""

    def run(self):
        """One sentence."""
        results = [kinds for *_, results in self.chapters() for kinds in results.values()]
        proved, refuted, measured = (
            sum(kind in kinds for kinds in results) for kind in ("proved", "refuted", "measured")
        )
        alone = sum(not EXACT.keys() & kinds.keys() and "measured" not in kinds for kinds in results)
        text = (
            f"{many(proved, 'statement')} proved and {refuted} refuted, each with a numeric twin; "
            f"{many(alone, 'calculation')} checked against another; {many(measured, 'experiment')} measured."
        )
        return [nodes.paragraph(text, text, classes=["result-count"])]


def many(count, noun):
    """'1 statement', '2 statements'."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


class Results(FromNotebooks):
    """`{results}`: one table a chapter."""

    def run(self):
        """A section a chapter: its title, a table of its results."""
        sections = []
        for path, title, results in self.chapters():
            section = nodes.section(ids=[nodes.make_id(path.stem)], names=[path.stem])
            heading = nodes.title(title, "", *set_mathematics(title))
            rows = [self.row(name, kinds) for name, kinds in results.items()]
            section += [heading, table({"Result": 25, "Statement": 45, "Verdict and numeric twin": 30}, rows)]
            sections.append(section)
        return sections

    def row(self, name, kinds):
        """One result."""
        exact = next((kinds[kind] for kind in (*EXACT, "measured") if kind in kinds), None)
        twin = next((kinds[kind] for kind in EXACT.values() if kind in kinds), None)
        if exact and exact["kind"] in EXACT and EXACT[exact["kind"]] not in kinds:
            logger.warning("result %r has no numeric twin (%s)", name, EXACT[exact["kind"]])
        statement = exact["statement"] if exact else ""
        return row(
            [link(name, kinds, self.env.docname), nodes.Text(" "), nodes.literal(name, name)],
            [nodes.math(statement, statement)] if statement else ["–"],
            *(verdict(bundle) for bundle in (exact, twin) if bundle),
        )


def link(name, kinds, page):
    """A result's title, linked to its card. The title is that of the proof, if there is one."""
    title = next((kinds[kind]["title"] for kind in ORDER if kind in kinds and kinds[kind]["title"]), name)
    return pending_xref(
        "", nodes.inline("", "", *set_mathematics(title)), refdomain="std", reftype="ref",
        reftarget=f"result-{name}", refdoc=page, refexplicit=True, refwarn=True,
    )  # fmt: skip


def verdict(bundle):
    """The kind of a verdict in bold, then its words."""
    return [mark(bundle["kind"]), nodes.Text(" "), *set_mathematics(bundle["verdict"])]


def mark(kind):
    """A kind in bold, in its colour."""
    return nodes.strong("", kind.capitalize(), classes=[f"verdict-{kind}"])


def table(columns, rows):
    """A table, from its columns' headings and widths."""
    widths = (nodes.colspec(colwidth=width) for width in columns.values())
    group = nodes.tgroup("", *widths, cols=len(columns))
    group += [nodes.thead("", row(*([heading] for heading in columns))), nodes.tbody("", *rows)]
    return nodes.table("", group, classes=["results"])


def row(name, statement, *verdicts):
    """A row of a table: two cells, then one of several paragraphs. Each is a list of texts and nodes."""
    cells = nodes.row()
    for paragraphs in ([name], [statement], verdicts):
        cell = nodes.entry()
        for content in paragraphs:
            cell += nodes.paragraph("", "", *(nodes.Text(c) if isinstance(c, str) else c for c in content))
        cells += cell
    return cells


def set_mathematics(text):
    """Split a text at its dollar signs: plain, formula, plain, …"""
    parts = enumerate(text.split("$"))
    return [nodes.math(part, part) if index % 2 else nodes.Text(part) for index, part in parts if part]


def mark_cards(app, doctree):
    """Make a card of each result in a chapter, with a target that tables and pages can link to."""
    path = Path(app.env.doc2path(app.env.docname))
    if path.suffix != ".ipynb":
        return
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code":
            continue
        shown = [output["data"] for output in cells[cell["cell_index"]]["outputs"] if "data" in output]
        mimes = [node for node in cell.findall(nodes.container) if node.get("nb_element") == "mime_bundle"]
        if len(shown) != len(mimes):
            logger.warning("the outputs are not those kept in git: run 'make normal'", location=cell)
            continue
        for data, mime in zip(shown, mimes, strict=True):
            if MIME in data:
                mark_card(app.env, doctree, mime, data[MIME])


def mark_card(env, doctree, mime, bundle):
    """Wrap one result's card, and name it unless it is the twin of one that has the name."""
    card = nodes.container(classes=["posenc-result", bundle["kind"]])
    markdown = next(child for child in mime.children if child["mime_type"] == "text/markdown")
    card.extend(markdown.children)
    markdown.children = []
    markdown += card
    label = f"result-{bundle['id']}"
    if label not in doctree.ids:
        doctree.ids[label] = card
        card["ids"].append(label)
        domain = env.get_domain("std")
        domain.labels[label] = (env.docname, label, bundle["title"] or bundle["id"])
        domain.anonlabels[label] = (env.docname, label)


def setup(app):
    """Register the directives and the targets."""
    app.add_directive("results", Results)
    app.add_directive("result-count", ResultCount)
    app.connect("doctree-read", mark_cards)
    return {"parallel_read_safe": True}

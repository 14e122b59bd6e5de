"""What directives are made of: pieces of Markdown as nodes, elements of HTML, the form that filters entries."""

from html import escape

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .theorems import SEALS, reference


class Tag(nodes.General, nodes.Element):
    """An element of HTML, with the attributes that it names; in other formats its content alone."""


def open_tag(translator, node):
    translator.body.append(translator.starttag(node, node["tag"], "", **node["attributes"]))


def close_tag(translator, node):
    translator.body.append("" if node["tag"] == "input" else f"</{node['tag']}>\n")


def tag(element, /, *content, ids=(), classes=(), **attributes):
    """A Tag: an element of HTML of this name, with these nodes as its content."""
    return Tag("", *content, tag=element, attributes=attributes, ids=list(ids), classes=list(classes))


class FromCourse(SphinxDirective):
    """A directive whose content comes from chapters and lists, a piece of Markdown at a time."""

    def for_every_size(self, names):
        """The nodes of ' For 74 of these 300 results … a theorem for every size.'. names: the ids of results."""
        sealed = {result for kinds in SEALS.values() for results in kinds.values() for result in results}
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
    """A word in bold with the sign of a verdict. kind: which, such as "proved" or "wrong"."""
    return nodes.strong("", word, classes=["verdict", kind])


def many(count, noun):
    """'1 statement', '2 statements'."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


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


def setup(app):
    """Register the element."""
    app.add_node(Tag, html=(open_tag, close_tag))

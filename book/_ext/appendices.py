"""The list of appendices on the front page, generated from the notebooks: `{appendices}`."""

from docutils import nodes
from results import FromNotebooks, is_appendix, notebooks, number, title_of
from seals import reference


class Appendices(FromNotebooks):
    """A list: the title of each appendix, linked, and the chapter to which it belongs."""

    def run(self):
        """The list."""
        self.chapters()  # makes the page depend on the notebooks
        shown = nodes.bullet_list(classes=["appendices"])
        for path in filter(is_appendix, notebooks()):
            title = title_of(path).removeprefix("Appendix: ")
            link = reference(f"/notebooks/{path.stem}", self.env.docname, *self.inline(title), kind="doc")
            line = nodes.paragraph("", "", link, nodes.Text(f" (to chapter {number(path)})"))
            shown += nodes.list_item("", line)
        return [shown]


def setup(app):
    app.add_directive("appendices", Appendices)

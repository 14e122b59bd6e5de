"""The list of appendices on the front page, generated from the notebooks: `{appendices}`."""

import json

from docutils import nodes
from results import FromNotebooks, is_appendix, notebooks, number


class Appendices(FromNotebooks):
    """A list: the title of each appendix, linked, and the chapter to which it belongs."""

    def run(self):
        """The list."""
        self.chapters()  # makes the page depend on the notebooks
        shown = nodes.bullet_list(classes=["appendices"])
        for path in filter(is_appendix, notebooks(self.env.srcdir)):
            source = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
            title = "".join(source).splitlines()[0].removeprefix("# Appendix: ")
            link = self.to("doc", f"/notebooks/{path.stem}", *self.inline(title))
            line = nodes.paragraph("", "", link, nodes.Text(f" (to chapter {number(path)})"))
            shown += nodes.list_item("", line)
        return [shown]


def setup(app):
    """Register the directive."""
    app.add_directive("appendices", Appendices)
    return {"parallel_read_safe": True}

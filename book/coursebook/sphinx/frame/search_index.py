"""The search: Pagefind indexes the built site; pages say by which other words they want to be found.

`book/search_words.yml` has these words by page: notation, Chinese, the names under which a subject is asked for. They
and the entries of the index stand in the page where no reader sees them. A chapter stands above an appendix, an
appendix above a page of reference.
"""

import subprocess
import sys
from html import escape

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from ...content import read_list

LEFT_OUT = ("book/index", "book/references", "book/results", "genindex", "search", "404")
# Code and proofs behind a page; formulas as MathML, which stand there a second time.
NOT_READ = ".katex-mathml, .behind, .headerlink, .tag_solution, script"


def hidden(words, weight):
    """HTML that only the index reads. words: a text. weight: 1 is that of the page's own text."""
    return f'<span hidden data-pagefind-weight="{weight}">{escape(words)} </span>'


class IndexEntries(SphinxPostTransform):
    """Puts the entries of the index, which a page does not show, where they lead."""

    formats = ("html",)

    def run(self):
        """Put the words of each entry behind its target."""
        for entry in list(self.document.findall(addnodes.index)):
            words = "; ".join(word for _, word, *_ in entry["entries"])
            entry.parent.insert(entry.parent.index(entry), nodes.raw("", hidden(words, 1), format="html"))


def weigh(app, pagename, templatename, context, doctree):
    """Give the frame of a page what the index needs: its weight, none for a page that is left out, and its words."""
    words = read_list("book/search_words.yml")
    kind = pagename.partition("/")[2][:2]
    chapter = pagename.startswith("notebooks/") and kind.isdigit()
    weight = 5 if chapter else 1 if pagename.startswith("notebooks/") else 0.5
    context["search_weight"] = None if pagename in LEFT_OUT else weight
    context["search_words"] = hidden(words[pagename], 10) if pagename in words else ""


def build_index(app, exception):
    """Write the index of the built site to `pagefind`."""
    if exception or app.builder.name != "html":
        return
    pages = "{notebooks,book}/**/*.html"
    options = ("--site", app.outdir, "--glob", pages, "--exclude-selectors", NOT_READ, "--quiet")
    subprocess.run([sys.executable, "-m", "pagefind", *options], check=True)

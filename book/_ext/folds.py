"""Folded code: a fold is named by what is behind it, and stands under the card or figure that it explains.

MyST-NB puts the fold above the output and gives every one of them the same hidden name. Here a cell whose
code alone is folded shows its output first; a cell without output, and one that folds whole, is a fold alone.
"""

from html import escape

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform


class FoldsLast(SphinxPostTransform):
    """Runs after MyST-NB has made the folds, with priority 199."""

    default_priority = 200
    formats = ("html",)

    def run(self):
        """Move the fold of a cell's code behind its output."""
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") == "cell_code" and cell.get("hide_mode") == "input":
                fold, *rest = cell.children
                if rest and isinstance(fold, HideCodeCellNode):
                    cell.children = [*rest, fold]


def open_fold(translator, node):
    """The summary is its own name: no label hides it, and it does not change when the fold opens."""
    prompt = escape(node["prompt_show"])
    translator.body.append(f'<details class="fold">\n<summary>{prompt}</summary>\n')


def close_fold(translator, node):
    """The end of what is folded."""
    translator.body.append("</details>\n")


def setup(app):
    """Take the place of MyST-NB's own folds."""
    app.add_node(HideCodeCellNode, override=True, html=(open_fold, close_fold))
    app.add_post_transform(FoldsLast)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

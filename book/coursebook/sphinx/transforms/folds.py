"""What stands behind a page: one fold for all that supports it, before its exercises; one fold an exercise.

A card on the page shows its title, statement, domain and one word of verdict. How it was proved, its run,
its seals and the code of its cell stand behind one line where the lecture ends, section by section, and so do
the code of each drawing and the cells tagged `evidence`. The word is a link to its place there. An exercise has
one line: the code to work on, and in it, behind a second line, the solution.
"""

from html import escape
from itertools import takewhile

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform

BEHIND, WORK, SOLUTION = "Proofs and code behind this page", "Try it", "Solution"


class Folds(SphinxPostTransform):
    """One fold for what stands behind a page, and one for each exercise."""

    formats = ("html",)

    def run(self):
        """Gather what the page and its sections leave behind, and put it in one fold where the lecture ends."""
        for page in sections_of(self.document):
            sections = sections_of(page)
            in_sections = {cell for section in sections for cell in cells(section)}
            cells_of = {page: [cell for cell in cells(page) if cell not in in_sections]}
            cells_of |= {section: cells(section) for section in sections}
            lecture = takewhile(lambda section: not cells(section, "tag_answer"), sections)
            end = [page, *(section for section in lecture if cells_of[section])][-1]
            entries = []
            for part, part_cells in cells_of.items():
                part_entries = [entry for entry in map(take_out, part_cells) if entry]
                if part_entries:
                    title = copy_of(next(part.findall(nodes.title)))
                    entries += [head_of(title, part, "behind-section"), *part_entries]
            for cell in cells(page, "tag_answer"):
                join_solution(cell)
            if entries:
                end += HideCodeCellNode("", *entries, prompt_show=BEHIND, classes=["behind"])


def sections_of(node):
    """The sections that a document or a section (nodes) has as its own parts."""
    return [child for child in node.children if isinstance(child, nodes.section)]


def cells(section, tag=None):
    """The code cells (nodes) of a section with a tag, such as "tag_answer"; without, those of no exercise."""
    code = [cell for cell in section.findall(nodes.container) if cell.get("nb_element") == "cell_code"]
    if tag:
        return [cell for cell in code if tag in cell["classes"]]
    return [cell for cell in code if not {"tag_answer", "tag_solution"} & set(cell["classes"])]


def take_out(cell):
    """Take out of a cell (a node) what goes behind its page, and return it, or None where that is nothing.

    Of a cell that folds whole it is all of it, else how its output was made.
    """
    cards = [card for card in cell.findall(nodes.container) if "posenc-result" in card["classes"]]
    folded = [child for child in cell.children if isinstance(child, HideCodeCellNode)]
    if cell.get("hide_mode") == "all":
        code, *outputs = folded[0].children
        for card in cards:  # the whole verdict stands there
            card.children = [part for part in card if "card-word" not in part["classes"]]
        cell.parent.remove(cell)
        cell.children = []
        cell.extend([*outputs, code])
        return cell
    entry = nodes.container(classes=["made"])
    for card in cards:
        in_line = bool({"tag_sympy", "tag_strict"} & set(cell["classes"]))
        entry += nodes.container("", *details(card, in_line), ids=[f"behind-{label}" for label in card["ids"]])
    for figure in cell.findall(nodes.figure):
        number = next(part for part in figure.findall(nodes.inline) if "figure-number" in part["classes"])
        entry += head_of(nodes.inline("", number.astext().removesuffix(" ·")), figure)
    for part in folded:
        entry += part.children
        cell.remove(part)
    if len(cell) == 0:
        cell.parent.remove(cell)
    return entry if len(entry) else None


def details(card, in_line=False):
    """Take from a card (a node) its lines for the fold. Returns its title, as a link to it, and these lines.

    in_line: whether it is one line under an open cell, so that all else stands in the fold alone.
    """
    lines = [part for part in card.children[1:] if "card-word" not in part["classes"]]
    if not in_line:
        lines = [part for part in lines if {"card-verdict", "seal"} & set(part["classes"])]
    for part in lines:
        card.remove(part)
    title = copy_of(card.children[0])
    if any("card-line" in part["classes"] for part in card):  # that line has the formula
        card.remove(card.children[0])
    return [head_of(title, card), *lines]


def copy_of(title):
    """A copy of the words of a title (a node), to stand a second time."""
    return nodes.inline("", "", *(part.deepcopy() for part in title.children))


def head_of(words, target, kind="made-head"):
    """The line above an entry: words (a node), linked to the card, figure or section that it is about."""
    if target["ids"]:
        words = nodes.reference("", "", words, internal=True, refuri=f"#{target['ids'][0]}")
    return nodes.paragraph("", "", words, classes=[kind])


def join_solution(cell):
    """Make one fold of the cell to work on (a node) and the solution after it; without one, only put words on it."""
    (work,) = (child for child in cell.children if isinstance(child, HideCodeCellNode))
    work["prompt_show"] = WORK
    after = cell.next_node(descend=False, siblings=True)
    if isinstance(after, nodes.container) and "tag_solution" in after["classes"]:
        work["prompt_show"] += f" · {SOLUTION}"
        cell.parent.remove(after)
        work += after
        for part in after.children:
            part["prompt_show"] = SOLUTION


def open_fold(translator, node):
    """Begin a fold. Its summary is its own name: no label hides it, and it does not change when the fold opens."""
    kind = "fold behind" if "behind" in node["classes"] else "fold"
    translator.body.append(f'<details class="{kind}">\n<summary>{escape(node["prompt_show"])}</summary>\n')


def close_fold(translator, node):
    """End a fold."""
    translator.body.append("</details>\n")


def setup(app):
    """Take the place of MyST-NB's own folds."""
    app.add_node(HideCodeCellNode, override=True, html=(open_fold, close_fold))

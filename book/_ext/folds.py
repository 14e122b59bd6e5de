"""What stands behind a page: one fold for all that supports it, before its exercises; one fold an exercise.

A card on the page shows its title, statement, domain and one word of verdict. How it was proved, its run,
its seals and the code of its cell stand behind one line where the lecture ends, section by section, and so do
the code of each drawing and the cells tagged `evidence`. The word is a link to its place there. An exercise has
one line: the code to work on, and in it, behind a second line, the solution.
"""

from html import escape
from itertools import chain, takewhile

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform

EXERCISE, SOLUTION = "Work on it, and a solution", "A solution"


class Folds(SphinxPostTransform):
    """Runs after MyST-NB has made a fold of each folded cell, with priority 199."""

    default_priority = 200
    formats = ("html",)

    def run(self):
        """Fold where the lecture ends what the page and its sections leave behind."""
        for page in self.document.findall(nodes.section):
            if not isinstance(page.parent, nodes.document):
                continue
            sections = [child for child in page.children if isinstance(child, nodes.section)]
            cells_of = {page: cells(page, without=sections)} | {section: cells(section) for section in sections}
            lecture = takewhile(lambda section: not answer_cells(section), sections)
            end = [page, *(section for section in lecture if cells_of[section])][-1]
            kinds = set().union(*map(evidence_in, chain(*cells_of.values())))
            entries = []
            for part, part_cells in cells_of.items():
                entries += entries_of(part, part_cells)
            for section in sections:
                join_exercises(section)
            if entries:
                kinds = [kind for kind in ("proved", "run", "measured", "drawn") if kind in kinds]
                listed = " and ".join(filter(None, [", ".join(kinds[:-1]), *kinds[-1:]]))
                words = f"Behind this page: {f'how it was {listed}' if listed else 'the code'}"
                end += HideCodeCellNode("", *entries, prompt_show=words, classes=["behind"])


def answer_cells(section):
    """The cells in which a reader works."""
    return [cell for cell in section.findall(nodes.container) if "tag_answer" in cell["classes"]]


def entries_of(section, section_cells):
    """What these cells of a section leave to the fold, under its title."""
    entries = [entry for entry in map(take_out, section_cells) if entry]
    if entries:
        words = nodes.inline("", "", *(part.deepcopy() for part in next(section.findall(nodes.title)).children))
        entries.insert(0, head_of(words, section, "behind-section"))
    return entries


def cells(section, without=()):
    """The code cells of a section, without those of exercises and of the sections in `without`."""
    code = [cell for cell in section.findall(nodes.container) if cell.get("nb_element") == "cell_code"]
    code = [cell for cell in code if not {"tag_answer", "tag_solution"} & set(cell["classes"])]
    others = {cell for other in without for cell in cells(other)}
    return [cell for cell in code if cell not in others]


def cards_in(cell):
    """The cards that a cell shows."""
    return [card for card in cell.findall(nodes.container) if "posenc-result" in card["classes"]]


def evidence_in(cell):
    """The kinds of evidence that a cell shows."""
    kinds = {kind for card in cards_in(cell) for kind in card["classes"]}
    evidence = {"measured"} & kinds
    if kinds & {"proved", "refuted"}:
        evidence |= {"proved", "run"}
    if next(cell.findall(nodes.figure), None):
        evidence.add("drawn")
    return evidence


def take_out(cell):
    """Take out of a cell what goes behind its page: all of one that folds whole, else how its output was made."""
    folded = [child for child in cell.children if isinstance(child, HideCodeCellNode)]
    if cell.get("hide_mode") == "all":
        code, *outputs = folded[0].children
        for card in cards_in(cell):  # the whole verdict stands there
            card.children = [part for part in card if "card-word" not in part["classes"]]
        cell.parent.remove(cell)
        cell.children = []
        cell.extend([*outputs, code])
        return cell
    entry = nodes.container(classes=["made"])
    for card in cards_in(cell):
        place = [f"behind-{label}" for label in card["ids"]]
        entry += nodes.container("", *details(card), ids=place)
    for figure in cell.findall(nodes.figure):
        inline = figure.findall(nodes.inline)
        number = next(part for part in inline if "figure-number" in part["classes"])
        entry += head_of(nodes.inline("", number.astext().removesuffix(" ·")), figure)
    for part in folded:
        entry += part.children
        cell.remove(part)
    if len(cell) == 0:
        cell.parent.remove(cell)
    return entry if len(entry) else None


def details(card):
    """The card's title, as a link to it, and the lines that it leaves to the fold."""
    title, *rest = card.children
    kept = [part for part in rest if {"card-verdict", "seal"} & set(part["classes"])]
    for part in kept:
        card.remove(part)
    words = nodes.inline("", "", *(part.deepcopy() for part in title.children))
    return [head_of(words, card), *kept]


def head_of(words, target, kind="made-head"):
    """The line above an entry, linked to the card, figure or section that it is about."""
    if target["ids"]:
        words = nodes.reference("", "", words, internal=True, refuri=f"#{target['ids'][0]}")
    return nodes.paragraph("", "", words, classes=[kind])


def join_exercises(section):
    """Make one fold of the cell to work on and of the solution that follows it."""
    for cell in list(section.findall(nodes.container)):
        if "tag_answer" in cell["classes"]:
            after = cell.parent.children[cell.parent.index(cell) + 1 :][:1]
            solved = after and isinstance(after[0], nodes.container) and "tag_solution" in after[0]["classes"]
            (work,) = (child for child in cell.children if isinstance(child, HideCodeCellNode))
            work["prompt_show"] = EXERCISE if solved else "Work on it"
            if solved:
                cell.parent.remove(after[0])
                work += after
                for part in after[0].children:
                    part["prompt_show"] = SOLUTION


def open_fold(translator, node):
    """The summary is its own name: no label hides it, and it does not change when the fold opens."""
    kind = "fold behind" if "behind" in node["classes"] else "fold"
    translator.body.append(f'<details class="{kind}">\n<summary>{escape(node["prompt_show"])}</summary>\n')


def close_fold(translator, node):
    """The end of what is folded."""
    translator.body.append("</details>\n")


def setup(app):
    """Take the place of MyST-NB's own folds."""
    app.add_node(HideCodeCellNode, override=True, html=(open_fold, close_fold))
    app.add_post_transform(Folds)

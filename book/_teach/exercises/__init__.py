"""The exercises of a chapter, read from its notebook: question, cell to fill in, solution, checker, marks."""

import ast
import functools
import re
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent.parent
NOTEBOOKS = ROOT / "notebooks"
HEAD = re.compile(r"^\*\*Exercise (\d+\.\d+)\.\*\* \*(\w+)(?:, on paper)?\.\*", re.MULTILINE)
MARKS = {"Predict": 2, "Derive": 2, "Repair": 3, "Implement": 4}


@dataclass
class Exercise:
    """One exercise. answer: what the reader starts from; name: what the checker is handed.

    arguments, hidden: of the checker, for a variant (`variants`); the book's exercise has none.
    """

    number: str
    kind: str
    question: str
    marks: int
    solution: str
    answer: str | None = None
    checker: str | None = None
    name: str | None = None
    arguments: dict = field(default_factory=dict)
    hidden: int = 0

    @property
    def slug(self):
        """The number as it stands in a cell's metadata."""
        return "exercise-" + self.number.replace(".", "-")


@functools.cache
def chapters():
    """The notebooks of the chapters that have exercises of named kinds, in order."""
    paths = sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
    return [path for path in paths if exercises(path)]


def read(path):
    """The notebook of a path."""
    return nbformat.read(path, as_version=4)


def tags(cell):
    """The tags of a cell, as a set."""
    return set(cell.metadata.get("tags", ()))


def preamble(path):
    """What stands between the heading of the exercises and the first of them."""
    for cell in read(path).cells:
        head = HEAD.search(cell.source) if cell.cell_type == "markdown" else None
        if head:
            return cell.source[: head.start()].partition("\n")[2].strip()
    return ""


def chapter_of(path):
    """The name of a chapter's module of checkers, such as "chapter_05"."""
    return f"chapter_{path.name[:2]}"


@functools.cache
def exercises(path):
    """The exercises of a notebook, in order."""
    found, question = [], None
    for cell in read(path).cells:
        head = HEAD.search(cell.source) if cell.cell_type == "markdown" else None
        if head:
            question = Exercise(head[1], head[2], cell.source[head.start() :], 0, "")
        elif question and "answer" in tags(cell):
            question.answer, question.checker, question.name = _without_check(cell.source)
        elif question and "solution" in tags(cell):
            question.solution = cell.source
            rubric = re.search(r"Rubric, (\d+) marks", cell.source)
            question.marks = int(rubric[1]) if rubric else MARKS[question.kind]
            found.append(question)
            question = None
    return found


def _without_check(source):
    """A cell to fill in without its last line, the name of the checker, and what it is handed."""
    call = ast.parse(source).body[-1]
    name = ast.unparse(call.value.args[0])  # a name, or several in parentheses
    return "\n".join(source.splitlines()[: call.lineno - 1]).rstrip(), call.value.func.attr, name


@functools.cache
def imports(path):
    """What a chapter's exercises may use: its import lines, and functions of its lecture that they call."""
    lines, functions, used, own = [], {}, set(), set()
    for cell in read(path).cells:
        if cell.cell_type != "code" or "%pip" in cell.source:
            continue
        tree = ast.parse(cell.source)
        if tags(cell) & {"answer", "solution"}:
            used |= _names(tree, ast.Load)
            own |= _names(tree, ast.Store) | {part.name for part in tree.body if hasattr(part, "name")}
            continue
        if "posenc.checks" in cell.source:
            lines += [
                ast.unparse(part) for part in tree.body if isinstance(part, ast.Import | ast.ImportFrom)
            ]
        functions |= {
            part.name: part for part in tree.body if isinstance(part, ast.FunctionDef | ast.ClassDef)
        }
    used, wanted = used - own, []
    while missing := [name for name in functions if name in used and name not in wanted]:
        wanted += missing
        used = used.union(*(_names(functions[name], ast.Load) for name in missing))
    return "\n\n\n".join(["\n".join(lines), *(ast.unparse(functions[n]) for n in functions if n in wanted)])


def _names(tree, kind):
    return {part.id for part in ast.walk(tree) if isinstance(part, ast.Name) and isinstance(part.ctx, kind)}

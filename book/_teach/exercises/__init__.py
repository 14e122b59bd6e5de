"""The exercises: what a chapter's notebook holds of each, and what stands beside it.

A notebook has the question, the cell to fill in and the solution; `posenc/checks/chapter_05.py`, which a reader
imports, has the checkers. All else is here, in one module a chapter (`chapter_05.py`), by the checkers' names:

    ANSWERS  right and wrong answers on file, and a word of the hint that each wrong one gets (`answer_source`)
    RULES    of an answer that is a number: how a variant differs from the book's question (`variants`)
"""

import ast
import functools
import importlib
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[3]
NOTEBOOKS = ROOT / "notebooks"
CHAPTERS = sorted(path.stem for path in Path(__file__).parent.glob("chapter_*.py"))
HEAD = re.compile(r"^\*\*Exercise (\d+\.\d+)\.\*\* \*(\w+)(?:, on paper)?\.\*", re.MULTILINE)
MARKS = {"Predict": 2, "Derive": 2, "Repair": 3, "Implement": 4}


@dataclass
class Exercise:
    """One exercise. answer: what the reader starts from; name: what the checker is handed."""

    number: str
    kind: str
    question: str
    marks: int
    solution: str
    answer: str | None = None
    checker: str | None = None
    name: str | None = None


class Forgotten(LookupError):
    """A part of an exercise that is not where it belongs; arguments: where, and what to do."""

    def __str__(self):
        return f"{' '.join(self.args)} (CONTRIBUTING.md, Exercises)"


def table(chapter, name):
    """One of the two tables of a chapter, such as "chapter_05"."""
    if chapter not in CHAPTERS:
        raise Forgotten(f"book/_teach/exercises/{chapter}.py", "is missing: write RULES and ANSWERS there")
    return getattr(importlib.import_module(f"exercises.{chapter}"), name)


def entry_for(chapter, name, checker):
    """What such a table has for a checker."""
    entries = table(chapter, name)
    if checker not in entries:
        raise Forgotten(f"book/_teach/exercises/{chapter}.py", f"has no {checker!r} in {name}: add it there")
    return entries[checker]


def checker_for(chapter, checker):
    """The checker itself."""
    place = f"notebooks/posenc/checks/{chapter}.py"
    if not (ROOT / place).is_file():
        raise Forgotten(place, "is missing: write the checkers there")
    judge = getattr(importlib.import_module(f"posenc.checks.{chapter}"), checker, None)
    if not hasattr(judge, "exercise"):
        raise Forgotten(place, f"has no checker {checker!r}: write it there, under @exercise")
    return judge


@functools.cache
def chapters():
    """The notebooks of the chapters that have exercises of named kinds, in order."""
    paths = sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
    return [path for path in paths if exercises_in(path)]


@functools.cache
def read(path):
    """The notebook of a path, one for all who ask: who changes it takes a copy."""
    return nbformat.read(path, as_version=4)


def tags(cell):
    """The tags of a cell, as a set."""
    return set(cell.metadata.get("tags", ()))


def preamble(path):
    """What stands between the heading of the exercises and the first of them."""
    for cell in read(path).cells:
        head = HEAD.search(cell.source) if cell.cell_type == "markdown" else None
        if head:
            return re.split(r"^## .*$", cell.source[: head.start()], flags=re.MULTILINE)[-1].strip()
    return ""


def chapter_of(path):
    """The name of a chapter's module of checkers, such as "chapter_05"."""
    return f"chapter_{path.name[:2]}"


@functools.cache
def exercises_in(path):
    """The exercises of a notebook, in order."""
    exercises, question = [], None
    for cell in read(path).cells:
        head = HEAD.search(cell.source) if cell.cell_type == "markdown" else None
        if head:
            _refuse_open(question)
            question = Exercise(head[1], head[2], cell.source[head.start() :], 0, "")
        elif question and "answer" in tags(cell):
            question.answer, question.checker, question.name = _without_check(cell.source, question.number)
        elif question and "solution" in tags(cell):
            question.solution, question.marks = cell.source, _marks(cell.source, question)
            exercises.append(question)
            question = None
    _refuse_open(question)
    return exercises


def _refuse_open(question):
    """Raise Forgotten for a question whose solution has not come."""
    if question:
        raise Forgotten(f"Exercise {question.number}", "has no solution: give its cell the tag `solution`")


def _marks(solution, question):
    """The marks of an exercise: by its kind, or as the rubric of a proof has them."""
    rubric, where = re.search(r"Rubric, (\d+) marks", solution), f"Exercise {question.number}"
    if not rubric and question.kind not in MARKS:
        raise Forgotten(where, f"is none of {', '.join(MARKS)}: a proof's solution has its *Rubric, N marks.*")
    if question.kind in MARKS and not question.answer:
        raise Forgotten(where, "has no cell to fill in: give that cell the tag `answer`")
    return int(rubric[1]) if rubric else MARKS[question.kind]


def _without_check(source, number):
    """A cell to fill in without its last line, the name of the checker, and what it is handed."""
    call = ast.parse(source).body[-1]
    if not re.match(r"check\.\w+\(.+\)$", ast.unparse(call)):
        raise Forgotten(f"The cell to fill in of exercise {number}", "must end with its check.name(answer)")
    name = ast.unparse(call.value.args[0])  # a name, or several in parentheses
    return "\n".join(source.splitlines()[: call.lineno - 1]).rstrip(), call.value.func.attr, name


@functools.cache
def imports(path):
    """What a chapter's exercises may use: its imports."""
    lines = []
    for cell in read(path).cells:
        if cell.cell_type == "code" and "posenc.checks" in cell.source:
            statements = ast.parse(cell.source).body
            lines += [ast.unparse(part) for part in statements if isinstance(part, ast.Import | ast.ImportFrom)]
    return "\n".join(lines)

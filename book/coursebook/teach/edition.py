"""Make from the chapters the notebooks that a class needs, into _build/teach.

    python -m coursebook.teach.edition

student/ has each chapter without its solutions, with a place for each proof; instructor/ has it with its solutions, its
rubrics and the mistakes to expect; assignments/ has the exercises alone.
"""

import contextlib
import io
import re
from urllib.parse import urljoin

import nbformat
from nbformat.v4 import new_code_cell as code
from nbformat.v4 import new_markdown_cell as markdown

from .. import content
from .exercises import entry_for, evaluate

PLACE = "*Write your proof here.*"
CONFIG = content.config()
ADDRESS = CONFIG["sphinx"]["config"]["html_baseurl"]
ELSEWHERE = re.compile(r"(?<=\]\()((?:\.\./|a\d|00_)[\w/]+)\.(?:md|ipynb)(?=[#)])")  # a page that is no chapter
FROM = "*From [a chapter]({address}notebooks/{name}.html) of {title}, by {author}, CC BY 4.0; code MIT.*"


def student(chapter):
    """A chapter without its solutions: its cells to fill in not executed, its exercises with their marks."""
    notebook, cells = chapter.notebook(), []
    asked = {exercise.question: exercise for exercise in chapter.exercises}
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", ())
        if "answer" in tags:
            cell.outputs, cell.execution_count = [], None
        if "solution" not in tags:
            cells.append(cell)
        for question, exercise in asked.items():
            if cell.source.endswith(question):
                cell.source = f"{cell.source.removesuffix(question)}({exercise.marks} marks) {question}"
                cells += [] if exercise.checker else [markdown(PLACE)]
    return _finished(chapter, notebook, cells)


def instructor(chapter):
    """A chapter with its solutions open, and after each the mistakes to expect and what the checker says."""
    notebook, cells, exercises = chapter.notebook(), [], iter(chapter.exercises)
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", ())
        if "answer" in tags or "solution" in tags:
            cell.metadata.pop("jupyter", None)
        cells.append(cell)
        if "solution" in tags and (exercise := next(exercises)).checker:
            cells.append(markdown(mistakes(chapter, exercise)))
    return _finished(chapter, notebook, cells)


def assignment(chapter):
    """The exercises of a chapter alone: the student's notebook from there on, after what they import."""
    notebook = student(chapter)
    title = notebook.cells[0].source.splitlines()[0]
    install = next(cell for cell in notebook.cells if "%pip" in cell.source)
    first = next(n for n, cell in enumerate(notebook.cells) if "**Exercise " in cell.source)
    given = [markdown(f"{title}: exercises"), install, code(chapter.imports)]
    return _finished(chapter, notebook, given + notebook.cells[first:-1])


def mistakes(chapter, exercise):
    """The wrong answers on file, each with what the checker says of it."""
    judge = content.checker_for(chapter.checks, exercise.checker)
    lines = [f"{exercise.marks} marks. *Mistakes to expect*, and what the checker says of each:", ""]
    for source in entry_for(chapter.checks, "ANSWERS", exercise.checker)["wrong"]:
        with contextlib.redirect_stdout(io.StringIO()):  # some answers print what they should return
            verdict = judge(evaluate(source))
        if "\n" in source:
            lines += [f"- {verdict.message}", "", "  ```python"]
            lines += [f"  {line}".rstrip() for line in source.strip().splitlines()] + ["  ```", ""]
        else:
            lines.append(f"- `{source}`: {verdict.message}")
    return "\n".join(lines)


def _finished(chapter, notebook, cells):
    """A notebook of these cells and a line that says whence it is, with ids that do not change between runs."""
    words = {"title": CONFIG["title"], "author": CONFIG["author"]}
    cells.append(markdown(FROM.format(address=ADDRESS, name=chapter.name, **words)))
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
        if cell.cell_type == "markdown":
            cell.source = ELSEWHERE.sub(lambda page: urljoin(f"{ADDRESS}notebooks/", f"{page[1]}.html"), cell.source)
    notebook.cells = cells
    return notebook


def main():
    """Write the editions of all chapters."""
    chapters = content.with_exercises()
    for name, kind in {"student": student, "instructor": instructor, "assignments": assignment}.items():
        folder = content.ROOT / "_build" / "teach" / name
        folder.mkdir(parents=True, exist_ok=True)
        for chapter in chapters:
            nbformat.write(kind(chapter), folder / chapter.path.name)
        print(f"{len(chapters)} notebooks in {folder}")


if __name__ == "__main__":
    main()

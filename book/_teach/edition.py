"""Make what a class needs from the chapters, into _build/teach: nothing there is ever edited.

    python book/_teach/edition.py [FOLDER]

student/       each chapter without its solutions, with a place for each proof
instructor/    each chapter with its solutions, its rubrics, and the mistakes to expect
assignments/   the exercises alone, with marks; the cells carry ids for `grade.py` and nbgrader 0.9
"""

import contextlib
import copy
import importlib
import io
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "book" / "_teach"), str(ROOT / "notebooks"), str(ROOT / "tests")]

import exercises as course  # noqa: E402

PLACE = "*Write your proof here.*"
RULES = """\
Fill in the cells that stand under the questions, and keep their names: an answer is found by its name. The
cell below an answer checks it. Proofs go into the cell that says so. {marks} marks: predict 2, derive 2,
repair 3, implement 4, and a proof as many as its rubric has."""


def markdown(source, **metadata):
    """A Markdown cell."""
    return nbformat.v4.new_markdown_cell(source, metadata=metadata)


def code(source, **metadata):
    """A code cell."""
    return nbformat.v4.new_code_cell(source, metadata=metadata)


def student(path):
    """A chapter without its solutions, its cells to fill in not executed."""
    notebook, cells = copy.deepcopy(course.read(path)), []
    proofs = {exercise.question for exercise in course.exercises(path) if exercise.answer is None}
    for cell in notebook.cells:
        if "answer" in course.tags(cell):
            cell.outputs, cell.execution_count = [], None
        if "solution" not in course.tags(cell):
            cells.append(cell)
        if cell.cell_type == "markdown" and any(cell.source.endswith(question) for question in proofs):
            cells.append(markdown(PLACE))
    notebook.cells = cells
    return _numbered(notebook)


def instructor(path):
    """A chapter with its solutions open, and after each the mistakes to expect and what the checker says."""
    notebook, cells, found = copy.deepcopy(course.read(path)), [], iter(course.exercises(path))
    for cell in notebook.cells:
        if course.tags(cell) & {"answer", "solution"}:
            cell.metadata.pop("jupyter", None)
        cells.append(cell)
        if "solution" in course.tags(cell):
            exercise = next(found)
            if exercise.checker:
                cells.append(markdown(mistakes(path, exercise)))
    notebook.cells = cells
    return _numbered(notebook)


def mistakes(path, exercise):
    """The wrong answers on file, each with what the checker says of it."""
    import answers

    chapter = f"chapter_{path.name[:2]}"
    if chapter not in answers.CHAPTERS:
        return f"{exercise.marks} marks."
    judge = getattr(importlib.import_module(f"posenc.checks.{chapter}"), exercise.checker)
    lines = [f"{exercise.marks} marks. *Mistakes to expect*, and what the checker says of each:", ""]
    for source in answers.of(chapter)[exercise.checker]["wrong"]:
        with contextlib.redirect_stdout(io.StringIO()):  # some answers print what they should return
            verdict = judge(answers.value(source))
        if "\n" in source:
            lines += [f"- {verdict.message}", "", "  ```python"]
            lines += [f"  {line}".rstrip() for line in source.strip().splitlines()] + ["  ```", ""]
        else:
            lines.append(f"- `{source}`: {verdict.message}")
    return "\n".join(lines)


def assignment(path):
    """The exercises of a chapter alone, for grading."""
    found = course.exercises(path)
    title = course.read(path).cells[0].source.splitlines()[0]
    cells = [
        markdown(f"{title}: exercises\n\n" + RULES.format(marks=sum(exercise.marks for exercise in found))),
        code(course.imports(path), **_graded("imports", locked=True)),
    ]
    for exercise in found:
        asked = f"({exercise.marks} marks) {exercise.question}"
        cells.append(markdown(asked, **_graded(f"question-{exercise.slug}", locked=True)))
        if exercise.checker is None:
            cells.append(markdown(PLACE, **_graded(exercise.slug, exercise.marks, solution=True)))
            continue
        cells.append(code(exercise.answer, **_graded(exercise.slug, solution=True)))
        judge = f"check.{exercise.checker}({exercise.name})"
        graded = _graded(f"check-{exercise.slug}", exercise.marks, locked=True)
        cells.append(code(f"assert {judge}, {judge}", **graded, tags=["raises-exception"]))
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata = {"kernelspec": course.read(path).metadata.get("kernelspec", {}), "chapter": path.stem}
    return _numbered(notebook)


def _graded(name, points=None, *, locked=False, solution=False):
    """The metadata by which nbgrader knows a cell."""
    known = {"grade_id": name, "grade": points is not None, "solution": solution, "locked": locked}
    return {"nbgrader": known | {"schema_version": 3, "task": False} | ({"points": points} if points else {})}


def _numbered(notebook):
    """Ids that do not change from one run to the next."""
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    return notebook


def make(folder):
    """Write all three editions of all chapters. Returns the paths."""
    written = []
    for kind in (student, instructor, assignment):
        place = folder / (kind.__name__ + ("s" if kind is assignment else ""))
        place.mkdir(parents=True, exist_ok=True)
        for path in course.chapters():
            nbformat.write(kind(path), place / path.name)
            written.append(place / path.name)
    return written


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "_build" / "teach"
    print(f"{len(make(target))} notebooks in {target}: student, instructor, assignments")

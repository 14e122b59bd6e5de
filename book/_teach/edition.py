"""Make what a class needs from the chapters, into _build/teach: nothing there is ever edited.

    python book/_teach/edition.py [FOLDER] [--seed SEED]

student/       each chapter without its solutions, with a place for each proof
instructor/    each chapter with its solutions, its rubrics, and the mistakes to expect
assignments/   the exercises alone, with marks; the cells carry ids for `grade.py` and nbgrader 0.9

With a seed the assignments are variants, which no published solution answers (`variants`); and there is

nbgrader/      the assignments for the teacher: with hidden tests, which `nbgrader generate_assignment` takes
               out again, and with a right answer to each
"""

import argparse
import contextlib
import copy
import io
import shutil
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "book" / "_teach"), str(ROOT / "notebooks")]

import exercises as course  # noqa: E402
from exercises import answers, variants  # noqa: E402

PLACE = "*Write your proof here.*"
RULES = """\
Fill in the cells that stand under the questions, and keep their names: an answer is found by its name. Proofs
go into the cell that says so. {marks} marks: predict 2, derive 2, repair 3, implement 4, and a proof as many
as its rubric has.

"""
CHECKED = "The cell below an answer checks it."
LATER = """\
The questions differ from those of the book. Answers are judged after you hand them in, a function also on
configurations that you do not see: try it on some of your own."""
JUDGED = "# Judged after it is handed in."
HIDDEN = JUDGED + "\n### BEGIN HIDDEN TESTS\n{key}\n{test}\n### END HIDDEN TESTS"


def markdown(source, **metadata):
    """A Markdown cell."""
    return nbformat.v4.new_markdown_cell(source, metadata=metadata)


def code(source, **metadata):
    """A code cell."""
    return nbformat.v4.new_code_cell(source, metadata=metadata)


def student(path):
    """A chapter without its solutions, its cells to fill in not executed."""
    notebook, cells = copy.deepcopy(course.read(path)), []
    proofs = {exercise.question for exercise in course.of(path) if exercise.answer is None}
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
    notebook, cells, found = copy.deepcopy(course.read(path)), [], iter(course.of(path))
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
    chapter = course.chapter_of(path)
    judge = course.judge_of(chapter, exercise.checker)
    lines = [f"{exercise.marks} marks. *Mistakes to expect*, and what the checker says of each:", ""]
    for source in course.beside(chapter, "ANSWERS", exercise.checker)["wrong"]:
        with contextlib.redirect_stdout(io.StringIO()):  # some answers print what they should return
            verdict = judge(answers.value(source))
        if "\n" in source:
            lines += [f"- {verdict.message}", "", "  ```python"]
            lines += [f"  {line}".rstrip() for line in source.strip().splitlines()] + ["  ```", ""]
        else:
            lines.append(f"- `{source}`: {verdict.message}")
    return "\n".join(lines)


def assignment(path, seed=None, *, hidden=False):
    """The exercises of a chapter alone, for grading; hidden: with what only the teacher sees."""
    found = variants.drawn(course.of(path), course.chapter_of(path), seed)
    title = course.read(path).cells[0].source.splitlines()[0]
    marks = sum(exercise.marks for exercise in found)
    rules = RULES.format(marks=marks) + (CHECKED if seed is None else LATER)
    cells = [
        markdown("\n\n".join([f"{title}: exercises", rules, course.preamble(path)])),
        code(course.imports(path), **_graded("imports", locked=True)),
    ]
    for exercise in found:
        asked = f"({exercise.marks} marks) {exercise.question}"
        cells.append(markdown(asked, **_graded(f"question-{exercise.slug}", locked=True)))
        if exercise.checker is None:
            cells.append(markdown(PLACE, **_graded(exercise.slug, exercise.marks, solution=True)))
            continue
        cells.append(code(exercise.answer, **_graded(exercise.slug, solution=True)))
        graded = _graded(f"check-{exercise.slug}", exercise.marks, locked=True)
        if seed is None:
            test = _test(exercise)
        elif hidden:
            test = HIDDEN.format(key=_key(path, exercise), test=_test(exercise))
        else:
            test = JUDGED  # the arguments of a variant may hold its answer
        cells.append(code(test, **graded, tags=["raises-exception"]))
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata = {"kernelspec": course.read(path).metadata.get("kernelspec", {}), "chapter": path.stem}
    return _numbered(notebook)


def _test(exercise):
    """The line that judges an answer."""
    arguments = exercise.arguments | ({"hidden": exercise.hidden} if exercise.hidden else {})
    called = ", ".join([exercise.name, *(f"{name}={value!r}" for name, value in arguments.items())])
    judge = f"check.{exercise.checker}({called})"
    return f"assert {judge}, {judge}"


def _key(path, exercise):
    """A right answer to a variant, as a comment."""
    answer = answers.of_variant(course.chapter_of(path), exercise)
    return "\n".join(f"# {line}".rstrip() for line in ["A right answer:", *answer.strip().splitlines()])


def _graded(name, points=None, *, locked=False, solution=False):
    """The metadata by which nbgrader knows a cell."""
    known = {"grade_id": name, "grade": points is not None, "solution": solution, "locked": locked}
    return {"nbgrader": known | {"schema_version": 3, "task": False} | ({"points": points} if points else {})}


def _numbered(notebook):
    """Ids that do not change from one run to the next."""
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    return notebook


def make(folder, seed=None):
    """Write all editions of all chapters. Returns the paths."""
    kinds = {
        "student": student,
        "instructor": instructor,
        "assignments": lambda path: assignment(path, seed),
        "nbgrader": lambda path: assignment(path, seed, hidden=True),
    }
    written = []
    for name, kind in kinds.items():
        place = folder / name
        if name == "nbgrader":  # what another seed left there would not fit the assignments
            shutil.rmtree(place, ignore_errors=True)
            if seed is None:
                continue
        place.mkdir(parents=True, exist_ok=True)
        for path in course.chapters():
            nbformat.write(kind(path), place / path.name)
            written.append(place / path.name)
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the notebooks for a class.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "_build" / "teach")
    parser.add_argument("--seed", help="any word or number: the assignments are the variants that it draws")
    given = parser.parse_args()
    made = make(given.folder, given.seed)
    print(
        f"{len(made)} notebooks in {given.folder}: {', '.join(sorted({path.parent.name for path in made}))}"
    )

"""Make what a class needs from the chapters.

    python book/_teach/edition.py                        what the book has, for any class, into _build/teach
    python book/_teach/edition.py --students class.csv   a course, into the folder course

Into _build/teach: student/ (each chapter without its solutions, with a place for each proof), instructor/ (with its
solutions, its rubrics, and the mistakes to expect) and assignments/ (the exercises alone, as the book asks them). A
course is a folder of nbgrader, with its gradebook, and has handouts/, for each student the exercises in variants of
their own. These are drawn from a secret, which is printed once and kept nowhere.
"""

import argparse
import contextlib
import copy
import csv
import hashlib
import io
import os
import re
import secrets
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "book" / "_teach"), str(ROOT / "notebooks")]

import exercises as course  # noqa: E402
from exercises import answer_source, variants  # noqa: E402
from nbformat.v4 import new_code_cell as code  # noqa: E402
from nbformat.v4 import new_markdown_cell as markdown  # noqa: E402

PLACE = "*Write your proof here.*"
RULES = """\
Fill in the cells under the questions, and keep their names: an answer is found by its name. Proofs
go into the cell that says so, or on paper. {marks} marks: predict 2, derive 2, repair 3, implement 4, and a proof
as many as its rubric has.

The cell below an answer says whether the answer can be read. It is judged after you hand it in, a function also on
configurations that you do not see: try it on some of your own."""
CONFIG = """\
# Submissions run inside walls and are judged outside them (book/_teach/judge.py); `make grade` does it.
import sys

sys.path[:0] = [{teach!r}, {notebooks!r}]
import judge

c = get_config()
judge.configure(c)
"""


def student(path):
    """A chapter without its solutions, its cells to fill in not executed."""
    notebook, cells = copy.deepcopy(course.read(path)), []
    proofs = {exercise.question for exercise in course.exercises_in(path) if exercise.answer is None}
    for cell in notebook.cells:
        if "answer" in course.tags(cell):
            cell.outputs, cell.execution_count = [], None
        if "solution" not in course.tags(cell):
            cells.append(cell)
        if cell.cell_type == "markdown" and any(cell.source.endswith(question) for question in proofs):
            cells.append(markdown(PLACE))
    return _numbered(notebook, cells)


def instructor(path):
    """A chapter with its solutions open, and after each the mistakes to expect and what the checker says."""
    notebook, cells, found = copy.deepcopy(course.read(path)), [], iter(course.exercises_in(path))
    for cell in notebook.cells:
        if course.tags(cell) & {"answer", "solution"}:
            cell.metadata.pop("jupyter", None)
        cells.append(cell)
        if "solution" in course.tags(cell):
            exercise = next(found)
            if exercise.checker:
                cells.append(markdown(mistakes(path, exercise)))
    return _numbered(notebook, cells)


def mistakes(path, exercise):
    """The wrong answers on file, each with what the checker says of it."""
    chapter = course.chapter_of(path)
    judge = course.checker_for(chapter, exercise.checker)
    lines = [f"{exercise.marks} marks. *Mistakes to expect*, and what the checker says of each:", ""]
    for source in course.entry_for(chapter, "ANSWERS", exercise.checker)["wrong"]:
        with contextlib.redirect_stdout(io.StringIO()):  # some answers print what they should return
            verdict = judge(answer_source.evaluate(source))
        if "\n" in source:
            lines += [f"- {verdict.message}", "", "  ```python"]
            lines += [f"  {line}".rstrip() for line in source.strip().splitlines()] + ["  ```", ""]
        else:
            lines.append(f"- `{source}`: {verdict.message}")
    return "\n".join(lines)


def assignment(path, asked, theirs=None):
    """The exercises of a chapter alone. theirs: what a student put (`handed_in`), instead of the cells to fill in."""
    title = course.read(path).cells[0].source.splitlines()[0]
    rules = RULES.format(marks=sum(exercise.marks for exercise in asked))
    install = next(cell.source for cell in course.read(path).cells if "%pip" in cell.source)
    imports = re.sub("from posenc.checks import .* as check", r"\g<0>\nfrom posenc.checks import readable",
                     course.imports(path))  # fmt: skip
    cells = [markdown("\n\n".join([f"{title}: exercises", rules, course.preamble(path)]))]
    cells += [code(install, metadata={"tags": ["remove-cell"]}), code(imports)] if theirs is None else theirs[None]
    for exercise in asked:
        cells.append(markdown(f"({exercise.marks} marks) {exercise.question}"))
        put = [] if theirs is None else theirs.get(exercise.number, [])
        if exercise.checker is None:
            proof = "\n\n".join(cell.source for cell in put) or PLACE
            cells.append(markdown(proof, metadata=_graded(exercise.slug, exercise.marks, solution=True)))
            continue
        put = put or [code(exercise.answer)]
        first = next((cell for cell in put if cell.cell_type == "code"), put[0])
        first.metadata |= _graded(exercise.slug, solution=True) if first.cell_type == "code" else {}
        test = f"readable({exercise.name})"
        cells += [*put, code(test, metadata=_graded(f"check-{exercise.slug}", exercise.marks, locked=True))]
    kernel = course.read(path).metadata.get("kernelspec", {})
    return _numbered(nbformat.v4.new_notebook(metadata={"kernelspec": kernel}), cells)


def handed_in(notebook):
    """What a submission puts under each question, {number: cells}, under None what stands before; and the questions."""
    found, questions, number = {None: []}, {}, None
    for cell in notebook["cells"]:
        kind, source = cell["cell_type"], cell["source"]
        source = source if isinstance(source, str) else "".join(map(str, source))
        head = re.search(r"\*\*Exercise (\d+\.\d+)\.\*\*", source) if kind == "markdown" else None
        if head:
            number = head[1]
            found.setdefault(number, [])
            questions[number] = source[head.start() :]
        elif kind == "code" and "%pip" not in source and not re.fullmatch(r"readable\(.*\)", source.strip()):
            found[number].append(code(source))
        elif kind == "markdown" and number is not None and source.strip() not in ("", PLACE):
            found[number].append(markdown(re.sub("<(?=[A-Za-z/!?])", "< ", source)))  # no HTML in what a teacher opens
    return found, questions


def _graded(name, points=None, *, locked=False, solution=False):
    """The metadata by which nbgrader knows a cell."""
    known = {"grade_id": name, "grade": points is not None, "solution": solution, "locked": locked}
    return {"nbgrader": known | {"schema_version": 3, "task": False} | ({"points": points} if points else {})}


def _numbered(notebook, cells):
    """A notebook of these cells, with ids that do not change from one run to the next."""
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    notebook.cells = cells
    return notebook


def make(folder):
    """Write the editions of all chapters. Returns the paths."""
    written = []
    for name, kind in {
        "student": student,
        "instructor": instructor,
        "assignments": lambda path: assignment(path, course.exercises_in(path)),
    }.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for path in course.chapters():
            nbformat.write(kind(path), folder / name / path.name)
            written.append(folder / name / path.name)
    return written


def students(path):
    """The class: {id: its line}, from a table with the columns id, first_name, last_name and, if you like, email."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        lines = list(csv.DictReader(file))
    found = {str(line.get("id") or "").strip(): line for line in lines}
    if not found or any(not re.fullmatch(r"[A-Za-z0-9][\w.-]*", one, re.ASCII) for one in found):
        raise SystemExit(f"{path}: each line needs an id of letters, digits, points and dashes; the first line is "
                         "id,first_name,last_name,email")  # fmt: skip
    if len(found) < len(lines):
        raise SystemExit(f"{path}: two students have one id: give each their own.")
    return found


def digest(secret):
    """By what a course knows its secret again, without holding it."""
    return hashlib.sha256(f"positional encoding, {secret}".encode()).hexdigest()


def open_course(folder, secret, listed):
    """Write a course, or add students to it. Returns the paths of the handouts."""
    import judge
    from nbgrader.api import Gradebook

    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / "secret.sha256"
    if mark.exists() and mark.read_text() != digest(secret):
        raise SystemExit(f"{folder} was made with another secret: give that, as in SECRET=…, or move the folder away.")
    mark.write_text(digest(secret))
    config = CONFIG.format(teach=str(ROOT / "book" / "_teach"), notebooks=str(ROOT / "notebooks"))
    (folder / "nbgrader_config.py").write_text(config, encoding="utf-8")
    server = folder / "jupyter_server_config.d" / "nbgrader.json"  # for `make marks`, and no other Jupyter
    server.parent.mkdir(exist_ok=True)
    server.write_text('{"ServerApp": {"jpserver_extensions": {"nbgrader.server_extensions.formgrader": true}}}')
    grader, written = judge.grader(folder), []
    for path in course.chapters():
        place = folder / "source" / path.stem / path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(assignment(path, course.exercises_in(path)), place)
        judge.done(grader.generate_assignment(path.stem, force=True))
    with Gradebook(grader.coursedir.db_url) as book:
        for who, line in listed.items():
            known = {name: str(line.get(name) or "").strip() for name in ("first_name", "last_name", "email")}
            book.update_or_create_student(who, **known)
            for path in course.chapters():
                asked = variants.drawn(course.exercises_in(path), course.chapter_of(path), secret, who)
                written.append(folder / "handouts" / who / path.name)
                written[-1].parent.mkdir(parents=True, exist_ok=True)
                nbformat.write(assignment(path, asked), written[-1])
    return written


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description="Write the notebooks for a class.")
    parser.add_argument("--students", type=Path, help="a table: id,first_name,last_name,email")
    parser.add_argument("--course", type=Path, default=ROOT / "course", help="the folder of the course")
    given, secret = parser.parse_args(), os.environ.pop("SECRET", "")
    made = make(ROOT / "_build" / "teach")
    print(f"{len(made)} notebooks in _build/teach: {', '.join(sorted({path.parent.name for path in made}))}")
    if given.students:
        listed, new = students(given.students), not secret
        if new and (given.course / "secret.sha256").exists():
            raise SystemExit(f"{given.course} has a secret: give it, as in SECRET=…, or move the folder away.")
        secret = secret or secrets.token_hex(32)
        made = open_course(given.course, secret, listed)
        print(f"{len(made)} handouts in {given.course / 'handouts'}, a folder for each of {len(listed)} students.")
        if new:
            print(f"\nThe secret of this course. Keep it: it is kept nowhere else; grading needs it.\n\n  {secret}\n")


if __name__ == "__main__":
    main()

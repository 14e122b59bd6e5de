"""Make from the chapters the notebooks that a class needs, into _build/teach.

    python book/_teach/edition.py

student/ has each chapter without its solutions, with a place for each proof; instructor/ has it with its solutions, its
rubrics and the mistakes to expect; assignments/ has the exercises alone.
"""

import contextlib
import copy
import io

import exercises as course
import nbformat
import yaml
from exercises import ROOT, answer_source
from nbformat.v4 import new_code_cell as code
from nbformat.v4 import new_markdown_cell as markdown

PLACE = "*Write your proof here.*"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
ADDRESS = CONFIG["sphinx"]["config"]["html_baseurl"]
FROM = "*From [a chapter]({address}notebooks/{name}.html) of {title}, by {author}, CC BY 4.0; code MIT.*"


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
    return _finished(path, notebook, cells)


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
    return _finished(path, notebook, cells)


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


def assignment(path):
    """The exercises of a chapter alone, each with its cell to fill in, whose last line asks the checker."""
    title = course.read(path).cells[0].source.splitlines()[0]
    install = next(cell.source for cell in course.read(path).cells if "%pip" in cell.source)
    given = [cell.source for cell in course.read(path).cells if "answer" in course.tags(cell)]
    cells = [markdown("\n\n".join([f"{title}: exercises", course.preamble(path)]))]
    cells += [code(install), code(course.imports(path))]
    for exercise in course.exercises_in(path):
        cells.append(markdown(f"({exercise.marks} marks) {exercise.question}"))
        cells.append(code(given.pop(0)) if exercise.checker else markdown(PLACE))
    kernel = course.read(path).metadata.get("kernelspec", {})
    return _finished(path, nbformat.v4.new_notebook(metadata={"kernelspec": kernel}), cells)


def _finished(path, notebook, cells):
    """A notebook of these cells and a line that says whence it is, with ids that do not change between runs."""
    words = {"title": CONFIG["title"], "author": CONFIG["author"]}
    cells.append(markdown(FROM.format(address=ADDRESS, name=path.stem, **words)))
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    notebook.cells = cells
    return notebook


def main():
    """Write the editions of all chapters."""
    for name, kind in {"student": student, "instructor": instructor, "assignments": assignment}.items():
        folder = ROOT / "_build" / "teach" / name
        folder.mkdir(parents=True, exist_ok=True)
        for path in course.chapters():
            nbformat.write(kind(path), folder / path.name)
        print(f"{len(course.chapters())} notebooks in {folder}")


if __name__ == "__main__":
    main()

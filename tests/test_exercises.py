"""The exercises as a class gets them: editions, and variants that no published answer fits."""

import ast
import contextlib
import io

import edition
import exercises as course
import nbformat
import pytest
from exercises import variants

from posenc import checks

CHAPTERS = course.chapters()


def for_each_chapter(test):
    return pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)(test)


def solved(exercise):
    """The solution below what was given, under the name by which the answer is found."""
    body = ast.parse(exercise.solution).body
    lines = exercise.solution.splitlines()[: body[-1].lineno - 1]
    return "\n".join([exercise.answer, *lines, f"{exercise.name} = {ast.unparse(body[-1].value.args[0])}"])


@for_each_chapter
def test_each_chapter_has_all_kinds_and_a_proof(path):
    found = course.exercises_in(path)
    kinds = {exercise.kind for exercise in found}
    missing = {"Predict", "Derive", "Implement", "Repair", "Prove"} - kinds
    assert not missing, f"a chapter has an exercise of each kind: add one of {', '.join(sorted(missing))}"
    assert sum(exercise.kind == "Prove" for exercise in found) == 1, "a chapter has one proof on paper"
    for number, exercise in enumerate(found, 1):
        due = f"{int(path.name[:2])}.{number}"
        assert exercise.number == due, f"exercise {exercise.number} comes where {due} is due: number them anew"
        assert (exercise.checker is None) == (exercise.kind == "Prove"), f"{due}: a proof alone has no cell to fill in"
        assert "Rubric" in exercise.solution or exercise.checker


@for_each_chapter
def test_editions(path):
    student, teacher = edition.student(path), edition.instructor(path)
    graded = edition.assignment(path, course.exercises_in(path))
    books = {"student": student, "teacher": teacher, "graded": graded}
    text = {kind: "\n".join(cell.source for cell in book.cells) for kind, book in books.items()}
    for exercise in course.exercises_in(path):
        for kind in text:
            assert exercise.question in text[kind]
        assert exercise.solution in text["teacher"]
        assert exercise.solution not in text["student"] + text["graded"]
    assert text["student"].count(edition.PLACE) == text["graded"].count(edition.PLACE) == 1
    assert "Mistakes to expect" in text["teacher"]
    for book in books.values():
        nbformat.validate(book)


@for_each_chapter
def test_an_assignment_installs_the_course_keeps_what_was_given_and_says_what_can_be_read(path):
    cells = [cell for cell in edition.assignment(path, course.exercises_in(path)).cells if cell.cell_type == "code"]
    assert "%pip install" in cells[0].source
    by_id = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in cells}
    space = {}
    exec(cells[1].source, space)
    for exercise in course.exercises_in(path):
        if exercise.checker:
            given, test = by_id[exercise.slug], by_id[f"check-{exercise.slug}"]
            assert given.source == exercise.answer
            exec(given.source, space)
            if exercise.kind != "Repair":
                assert eval(test.source, space) == checks.OPEN
            exec(solved(exercise), space)
            assert eval(test.source, space).startswith("Readable: ")


@for_each_chapter
def test_what_is_handed_in_is_found_again_without_its_metadata(path):
    asked = course.exercises_in(path)
    notebook = edition.assignment(path, asked)
    for cell in notebook.cells:
        known = cell.pop("metadata")
        cell.metadata = {}
        if known.get("nbgrader", {}).get("solution"):
            cell.source = f"{cell.source}\n# mine"
    put, questions = edition.handed_in(notebook)
    assert questions == {exercise.number: exercise.question for exercise in asked}
    again = edition.assignment(path, asked, put)
    mine = {cell.metadata["nbgrader"]["grade_id"] for cell in again.cells if cell.source.endswith("# mine")}
    assert mine == {exercise.slug for exercise in asked}


def test_a_variant_belongs_to_a_student_and_a_secret():
    def drawn(secret, who):
        found = []
        for path in CHAPTERS:
            found += variants.drawn(course.exercises_in(path), course.chapter_of(path), secret, who)
        return [(e.question, e.answer, e.arguments, e.hidden) for e in found if e.checker]

    one, other, secret = drawn("a", "ana"), drawn("a", "ben"), drawn("b", "ana")
    assert one == drawn("a", "ana")
    for another in (other, secret):
        assert sum(mine[:2] != theirs[:2] for mine, theirs in zip(one, another, strict=True)) > 0.7 * len(one)
        assert all(mine[3] != theirs[3] for mine, theirs in zip(one, another, strict=True))


def test_a_class_list_is_read_or_its_remedy_named(tmp_path):
    table = tmp_path / "class.csv"
    table.write_text("id,first_name,last_name\nana.b-1,Ana,Brown\n", encoding="utf-8-sig")
    assert list(edition.students(table)) == ["ana.b-1"]
    for text in ("id\n", "name\nana\n", "id\n../ana\n", "id\na b\n", "id\nana\nana\n", "id\n*\n"):
        table.write_text(text)
        with pytest.raises(SystemExit, match="id"):
            edition.students(table)


JUDGED = [(path, exercise) for path in CHAPTERS for exercise in course.exercises_in(path) if exercise.checker]


def published(path, exercise):
    """What the solution in the book hands to the checker."""
    space = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(f"{course.imports(path)}\n{solved(exercise)}", space)
    held = [space[name] for name in exercise.name.strip("()").split(", ")]
    return held[0] if len(held) == 1 else tuple(held)


def some(things, count):
    """So many of them, from the first to the last."""
    return [things[n] for n in sorted({round(n * (len(things) - 1) / (count - 1)) for n in range(count)})]


@pytest.mark.parametrize(("path", "exercise"), JUDGED, ids=lambda part: getattr(part, "number", ""))
def test_a_variant_says_what_differs_and_does_not_take_the_published_answer(path, exercise):
    chapter = course.chapter_of(path)
    judge, rule = course.checker_for(chapter, exercise.checker), course.entry_for(chapter, "RULES", exercise.checker)
    book = variants.told(exercise, rule, judge, rule.book(judge))
    assert book.question.split() == exercise.question.split(), "the rule and the book say different things"
    assert book.answer.split() == exercise.answer.split()
    sets = rule.variants(judge)
    assert len(sets) >= 3
    texts = set()
    for arguments in some(sets, 7):
        told = variants.told(exercise, rule, judge, arguments)
        texts.add((told.question, told.answer))
        with contextlib.suppress(NameError):  # a program in the solution may miss a name
            verdict = judge(published(path, told), **arguments)
            assert not verdict.right, (arguments, "the published solution passes")
            assert "be read" not in verdict.message, (arguments, verdict)
        assert repr(judge(**arguments)) == checks.OPEN
    assert len(texts) == len(some(sets, 7)), "two variants read alike"
    assert judge(published(path, exercise), hidden=123_456_789).right, "the hidden configurations refuse a right answer"

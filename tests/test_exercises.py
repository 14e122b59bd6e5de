"""The exercises as a class gets them."""

import re

import nbformat
import pytest

from coursebook.content import with_exercises
from coursebook.teach import edition

CHAPTERS = with_exercises()


def for_each_chapter(test):
    return pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)(test)


@for_each_chapter
def test_each_chapter_has_all_kinds_and_a_proof(chapter):
    found = chapter.exercises
    kinds = {exercise.kind for exercise in found}
    missing = {"Predict", "Derive", "Implement", "Repair", "Prove"} - kinds
    assert not missing, f"a chapter has an exercise of each kind: add one of {', '.join(sorted(missing))}"
    assert sum(exercise.kind == "Prove" for exercise in found) == 1, "a chapter has one proof on paper"
    for number, exercise in enumerate(found, 1):
        due = f"{chapter.number}.{number}"
        assert exercise.number == due, f"exercise {exercise.number} comes where {due} is due: number them anew"
        assert (exercise.checker is None) == (exercise.kind == "Prove"), f"{due}: a proof alone has no cell to fill in"
        assert "Rubric" in exercise.solution or exercise.checker


@for_each_chapter
def test_editions(chapter):
    books = {kind.__name__: kind(chapter) for kind in (edition.student, edition.instructor, edition.assignment)}
    text = {name: "\n".join(cell.source for cell in book.cells) for name, book in books.items()}
    for exercise in chapter.exercises:
        for name in text:
            assert exercise.question in text[name]
            assert not exercise.checker or f"check.{exercise.checker}(" in text[name]
        assert exercise.solution in text["instructor"]
        assert exercise.solution not in text["student"] + text["assignment"]
    assert text["student"].count(edition.PLACE) == text["assignment"].count(edition.PLACE) == 1
    assert "Mistakes to expect" in text["instructor"]
    beside = {link for words in text.values() for link in re.findall(r"\]\(([^:)\s]+)\.(?:ipynb|md)", words)}
    assert beside <= {other.name for other in CHAPTERS}  # a class may have this folder alone
    for book in books.values():
        nbformat.validate(book)
        assert f"/notebooks/{chapter.name}.html" in book.cells[-1].source
        assert "CC BY 4.0" in book.cells[-1].source

"""The editions for a class, and the grader: solutions earn all, blanks nothing, wrong answers their hint.

Thirty submissions, among them some that loop, crash, print without end or reach for what is not theirs, are
graded in one run.
"""

import ast
import contextlib
import csv
import io
import os
import shutil
import string
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
import edition  # noqa: E402
import exercises as course  # noqa: E402
import grade  # noqa: E402
import worker  # noqa: E402
from exercises import answers, variants  # noqa: E402

from posenc import checks  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the grader forks")
NAMES = """\
import cmath, math, numpy as np, sympy as sp, torch
from posenc import additive, doors, rotary
"""
CHAPTERS = course.chapters()


def for_each_chapter(test):
    return pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)(test)


def solved(exercise):
    """The solution below what was given, under the name by which the answer is found."""
    body = ast.parse(exercise.solution).body
    lines = exercise.solution.splitlines()[: body[-1].lineno - 1]
    return "\n".join([exercise.answer, *lines, f"{exercise.name} = {ast.unparse(body[-1].value.args[0])}"])


def wrong(path, exercise, number):
    """A wrong answer on file as a cell, and the hint that it gets."""
    on_file = list(course.beside(course.chapter_of(path), "ANSWERS", exercise.checker)["wrong"].items())
    source, hint = on_file[number % len(on_file)]
    if source.startswith("\n"):
        made = ast.parse(source).body[-1].name
        return f"{NAMES}{source}\n{exercise.name} = {made}", hint
    return f"{NAMES}{exercise.name} = {source}", hint


def answered(path, exercise):
    """A right answer to a variant as a cell, found in another way than the checker's."""
    source = answers.of_variant(course.chapter_of(path), exercise)
    if source.startswith("\n"):
        return f"{NAMES}{source}\n{exercise.name} = {ast.parse(source).body[-1].name}"
    return f"{NAMES}{exercise.name} = {source}"


def of_seed(path, seed):
    return variants.drawn(course.of(path), course.chapter_of(path), seed)


def filled(path, fill, before="", seed=None):
    """An assignment in which the cell of each exercise holds what `fill` makes of it."""
    notebook = edition.assignment(path, seed)
    by_slug = {exercise.slug: exercise for exercise in of_seed(path, seed) if exercise.checker}
    for cell in notebook.cells:
        exercise = by_slug.get(cell.metadata["nbgrader"]["grade_id"]) if "nbgrader" in cell.metadata else None
        if exercise:
            cell.source = fill(exercise)
    if before:
        notebook.cells.insert(2, nbformat.v4.new_code_cell(before))
    return notebook


def graded(folder, name, notebook, seed=None):
    nbformat.write(notebook, folder / name)
    return grade.grade(folder / name, seed=seed)


def judged(one):
    return [mark for mark in one.marks if mark.marks is not None]


@for_each_chapter
def test_each_chapter_has_all_kinds_and_a_proof(path):
    found = course.of(path)
    kinds = {exercise.kind for exercise in found}
    assert kinds == {"Predict", "Derive", "Implement", "Repair", "Prove"}
    assert len(found) >= 6
    assert sum(exercise.kind == "Prove" for exercise in found) == 1
    for number, exercise in enumerate(found, 1):
        due = f"{int(path.name[:2])}.{number}"
        assert exercise.number == due, f"exercise {exercise.number} comes where {due} is due: number them anew"
        assert (exercise.checker is None) == (exercise.kind == "Prove"), f"{due}: a proof alone has no cell to fill in"
        assert "Rubric" in exercise.solution or exercise.checker


@for_each_chapter
def test_solutions_earn_all_and_blanks_nothing(path, tmp_path):
    full = graded(tmp_path, "full.ipynb", filled(path, solved))
    assert [note for note in full.notes if "with a network" not in note] == []
    assert [(mark.exercise.number, mark.reason) for mark in judged(full) if not mark.marks] == []
    assert full.total == full.of >= 12
    blank = graded(tmp_path, "blank.ipynb", edition.assignment(path))
    assert blank.total == 0
    assert [mark.reason for mark in blank.marks if mark.exercise.kind == "Prove"] == ["no proof"]


@for_each_chapter
@pytest.mark.parametrize("number", [0, 3])
def test_wrong_answers_on_file_earn_nothing_and_their_hint(path, number, tmp_path):
    one = graded(tmp_path, "wrong.ipynb", filled(path, lambda e: wrong(path, e, number)[0]))
    assert one.total == 0
    for mark in judged(one):
        assert wrong(path, mark.exercise, number)[1] in repr(mark.reason) + "Not yet. " + mark.reason


@for_each_chapter
def test_editions(path):
    student, teacher = edition.student(path), edition.instructor(path)
    text = {kind: "\n".join(cell.source for cell in book.cells) for kind, book in
            (("student", student), ("teacher", teacher), ("graded", edition.assignment(path)))}  # fmt: skip
    for exercise in course.of(path):
        for kind in text:
            assert exercise.question in text[kind]
        assert exercise.solution in text["teacher"]
        assert exercise.solution not in text["student"] + text["graded"]
    assert text["student"].count(edition.PLACE) == text["graded"].count(edition.PLACE) == 1
    assert "Mistakes to expect" in text["teacher"]
    for book in (student, teacher, edition.assignment(path)):
        nbformat.validate(book)


JUDGED = [(path, exercise) for path in CHAPTERS for exercise in course.of(path) if exercise.checker]


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
def test_a_variant_takes_its_own_answer_and_not_the_published_one(path, exercise):
    chapter = course.chapter_of(path)
    judge, rule = course.judge_of(chapter, exercise.checker), course.beside(chapter, "RULES", exercise.checker)
    book = variants.told(exercise, rule, judge, rule.book(judge))
    assert book.question.split() == exercise.question.split(), "the rule and the book say different things"
    assert book.answer.split() == exercise.answer.split()
    sets = rule.variants(judge)
    assert len(sets) >= 3
    texts = set()
    for arguments in some(sets, 7):
        told = variants.told(exercise, rule, judge, arguments)
        texts.add((told.question, told.answer))
        right = answers.of_variant(chapter, told)
        for hidden in (0, 123_456_789):
            verdict = judge(answers.value(right), hidden=hidden, **arguments)
            assert verdict.right, (arguments, hidden, verdict)
        with contextlib.suppress(NameError):  # a program in the solution may miss a name
            verdict = judge(published(path, told), **arguments)
            assert not verdict.right, (arguments, "the published solution passes")
            assert "be read" not in verdict.message, (arguments, verdict)
        assert repr(judge(**arguments)) == checks.OPEN
    assert len(texts) == len(some(sets, 7)), "two variants read alike"
    assert judge(published(path, exercise), hidden=123_456_789).right, "the hidden configurations refuse a right answer"


@pytest.mark.parametrize(("path", "seed"), list(zip(CHAPTERS, string.ascii_lowercase, strict=False)),
                         ids=lambda part: getattr(part, "stem", part))  # fmt: skip
def test_a_seed_is_graded(path, seed, tmp_path):
    exercises = {exercise.number: exercise for exercise in of_seed(path, seed)}
    full = graded(tmp_path, "f.ipynb", filled(path, lambda e: answered(path, e), seed=seed), seed)
    assert [note for note in full.notes if "with a network" not in note] == []
    assert [(mark.exercise.number, mark.reason) for mark in judged(full) if not mark.marks] == []
    assert full.total == full.of == sum(e.marks for e in exercises.values() if e.checker)
    old = graded(tmp_path, "o.ipynb", filled(path, solved, seed=seed), seed)
    assert [(m.exercise.number, m.exercise.arguments) for m in judged(old) if m.marks] == []
    blank = graded(tmp_path, "b.ipynb", edition.assignment(path, seed), seed)
    assert blank.total == 0


def test_a_submission_of_another_seed_is_named(tmp_path):
    other = graded(tmp_path, "one.ipynb", edition.assignment(CHAPTERS[0], "one"), "two")
    assert "another seed" in "; ".join(other.notes)
    assert "another seed" in "; ".join(graded(tmp_path, "none.ipynb", edition.assignment(CHAPTERS[0]), "two").notes)


def test_a_seed_says_which_bytes_and_the_notebook_tells_neither_seed_nor_answer():
    for path in CHAPTERS:
        one, same, other = (nbformat.writes(edition.assignment(path, s)) for s in ("heron", "heron", "grebe"))
        assert one == same
        assert one != other
        assert "heron" not in one
        assert "HIDDEN" not in one
        key = nbformat.writes(edition.assignment(path, "heron", hidden=True))
        judged_ones = [exercise for exercise in of_seed(path, "heron") if exercise.checker]
        assert key.count("### BEGIN HIDDEN TESTS") == len(judged_ones)
        known = [cell for cell in edition.assignment(path, "heron").cells if "nbgrader" in cell.metadata]
        cells = {cell.metadata["nbgrader"]["grade_id"]: cell.source for cell in known}
        for exercise in judged_ones:
            assert str(exercise.hidden) in key
            assert str(exercise.hidden) not in one
            assert cells[f"check-{exercise.slug}"] == edition.JUDGED
            assert cells[exercise.slug] == exercise.answer
    differ = [one.number for path in CHAPTERS for one, other in
              zip(of_seed(path, "heron"), of_seed(path, "grebe"), strict=True)
              if (one.question, one.answer) != (other.question, other.answer)]  # fmt: skip
    assert len(differ) > 0.7 * len(JUDGED), differ


LOOP = "while True:\n    pass"
STUBBORN = "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"
HOSTILE = {
    "loops": LOOP,
    "loops on": STUBBORN,
    "prints": "while True:\n    print('a' * 1000)",
    "exits": "import os\nos._exit(3)",
    "crashes": "import ctypes\nctypes.string_at(0)",
    "looks up": "import exercises.chapter_01",
    "leaves": "import sys\nsys.exit()",
    "recurses": "def f():\n    return f()\nf()",
    "eats memory": "hoard = bytearray(50 * 2**30)",
    "forks": "import os\nfor _ in range(20):\n    if os.fork() == 0:\n        while True: pass",
    "kills": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)",
    "writes": "open(HOME + '/written', 'w').write('x' * 100)",
    "fills the disk": "with open('big', 'wb') as file:\n    while True:\n        file.write(bytes(10**6))",
    "phones": "import socket\nsocket.create_connection(('127.0.0.1', PORT), 1)",
    "patches": (
        "import posenc.checks as c\nc.same = c.works = c.choice = lambda *a, **k: c.Verdict(True, 'mine')\n"
        "for name in dir(check):\n"
        "    setattr(check, name, lambda *a: c.Verdict(True, 'mine'))"
    ),
    "talks": "import os\nfor n in range(3, 64):\n  try: os.write(n, b'x' * 99)\n  except OSError: pass",
}


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(worker, "SECONDS", 1.0)


def thirty(folder, outside, alone):
    """Thirty submissions, and what each must earn: a share of the marks, and a word of a note.

    alone: what a worker gives up here. Where it shares the machine's processes, nothing may try to kill them.
    """
    first, *others = CHAPTERS
    expected = {}

    def hand_in(name, notebook, share, note=""):
        nbformat.write(notebook, folder / f"{name}.ipynb")
        expected[f"{name}.ipynb"] = share, note

    for n, path in enumerate(others[:4]):
        hand_in(f"right {n}", filled(path, solved), 1)
    for n, path in enumerate(others[:3]):
        half = [exercise.number for exercise in course.of(path)][::2]
        hand_in(f"half {n}", filled(path, lambda e, half=half: solved(e) if e.number in half else e.answer), None)
    for n, path in enumerate(others[:2]):
        hand_in(f"blank {n}", edition.assignment(path), 0)
        hand_in(f"wrong {n}", filled(path, lambda e, path=path: wrong(path, e, 1)[0]), 0)
    for name, code in HOSTILE.items():
        code = code if alone or name not in ("kills", "forks") else LOOP
        code = code if "files" in alone or name != "writes" else LOOP
        code = code if alone or name != "phones" else LOOP
        code = code.replace("HOME", repr(str(outside))).replace("PORT", "9")
        blank = name in ("patches", "talks")
        hand_in(
            name,
            filled(first, (lambda e: e.answer) if blank else solved, before=code),
            0 if blank else 1,
            "*",
        )
    endless = filled(first, lambda e: f"def {e.name}(*a):\n    {LOOP.replace(chr(10), chr(10) + '    ')}"
                     if e.number == "1.2" else solved(e))  # fmt: skip
    hand_in("one answer loops", endless, None)
    (folder / "no notebook.ipynb").write_text("{", encoding="utf-8")
    (folder / "no cells.ipynb").write_text("[]", encoding="utf-8")
    (folder / "another course.ipynb").write_text('{"cells": []}', encoding="utf-8")
    return expected | dict.fromkeys(("no notebook.ipynb", "no cells.ipynb", "another course.ipynb"), (0, "not graded"))


def test_thirty_submissions_in_one_run(tmp_path, quick):
    folder, outside = tmp_path / "handed in", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    alone = worker_frees(tmp_path)
    expected = thirty(folder, outside, alone)
    assert len(expected) >= 30
    told, ours = os.pipe()
    ranked = grade.grade_all(folder)
    os.close(ours)
    assert os.read(told, 100) == b"", "a submission wrote into what the grader has open"
    os.close(told)
    by_name = {one.name: one for one in ranked}
    assert by_name.keys() == expected.keys()
    for name, (share, note) in expected.items():
        one = by_name[name]
        if share is not None:
            assert one.total == share * one.of, (name, one.total, one.of, one.notes, one.marks)
        else:
            assert 0 < one.total < one.of, (name, one.total, one.of)
        if note and name not in ("forks.ipynb", "patches.ipynb", "talks.ipynb"):
            assert note.strip("*") in "; ".join(one.notes), (name, one.notes)
            assert one.notes, name
    shares = [one.total / (one.of or 1) for one in ranked]
    assert shares == sorted(shares, reverse=True)
    looping = {mark.exercise.number: mark for mark in by_name["one answer loops.ipynb"].marks}
    assert looping["1.2"].marks == 0
    assert looping["1.4"].marks == 3
    grade.write(ranked, tmp_path / "out")
    with open(tmp_path / "out" / "grades.csv", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["submission"] for row in table] == [one.name for one in ranked]
    assert "Grades" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert list(outside.iterdir()) == []


def worker_frees(folder):
    """What the system lets a worker give up."""
    student = grade.Student([], str(folder))
    student.stop()
    return student.alone


def test_a_page_says_nothing_that_a_submission_wrote_as_markup(tmp_path):
    (tmp_path / "<b>=1+1.ipynb").write_text("{", encoding="utf-8")
    ranked = grade.grade_all(tmp_path)
    grade.write(ranked, tmp_path / "out")
    assert "<b>" not in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert grade._safe("=1+1") == "'=1+1"
    shutil.rmtree(tmp_path / "out")

"""Collect what a class handed in, grade it by nbgrader, write feedback and the gradebook.

    SECRET=… python book/_teach/grade.py [SUBMISSIONS] [--course FOLDER] [--trusted]

Each notebook below SUBMISSIONS belongs to the one student whose id is in its path, and to the chapter of its questions;
what cannot be read is named in the report. Without SUBMISSIONS only feedback and gradebook are written, which is what
you do after marking proofs. Each run leaves its report in a folder of its own, course/runs/DATE.
"""

import argparse
import csv
import datetime
import hmac
import json
import os
import re
import shutil
import stat
import time
import unicodedata
from collections import Counter
from pathlib import Path

import edition
import exercises as course
import judge
import nbformat
import walls
from exercises import variants
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins.export import CsvExportPlugin

from posenc import checks

LARGEST = 5_000_000  # bytes of a submission


class Unread(Exception):
    """A file that cannot be graded, and why."""


def files(folder):
    """What lies below a folder, links not followed."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
        yield from (Path(place) / name for name in sorted(names) if not name.startswith("."))


def handed_in(path):
    """The chapter of a file, what it puts under each question, and these."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise Unread("it is a link, a pipe or a device, and no file")
    if path.stat().st_size > LARGEST:
        raise Unread(f"it is larger than {LARGEST} bytes")
    try:
        put, questions = edition.handed_in(json.loads(path.read_bytes().decode("utf-8-sig")))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as problem:
        raise Unread(f"it is no notebook ({type(problem).__name__})") from None
    chapters = Counter(number.partition(".")[0] for number in put if number)
    found = [one for one in course.chapters() if chapters and int(one.name[:2]) == int(chapters.most_common(1)[0][0])]
    if not found:
        raise Unread("it has none of the questions of a chapter")
    return found[0], put, questions


def owner(path, listed):
    """The one student whose id stands in a path: as the name of a folder or file, else as a word in it."""
    parts = [part.casefold() for part in (*path.parts[:-1], path.name.partition(".")[0], path.stem)]
    found = {who for who in listed if who.casefold() in parts}
    whole = re.compile("|".join(re.escape(who.casefold()) for who in sorted(listed, key=len, reverse=True)))
    words = {match[0] for part in parts for match in re.finditer(rf"(?<![^\W_])(?:{whole.pattern})(?![^\W_])", part)}
    found = found or {who for who in listed if who.casefold() in words}
    if len(found) != 1:
        raise Unread(f"its path names {'no student' if not found else ' and '.join(sorted(found))}: rename it")
    return found.pop()


def collect(folder, listed):
    """The newest submission of each student to each chapter: {(student, chapter): …}; and the files left, with why."""
    newest, rest = {}, []
    for path in sorted(files(folder), key=lambda path: -path.lstat().st_mtime):
        name = path.relative_to(folder)
        try:
            if path.suffix.casefold() != ".ipynb":
                raise Unread("its name does not end with .ipynb")
            who, (chapter, *put) = owner(name, listed), handed_in(path)
            if (who, chapter.stem) in newest:
                raise Unread(f"{who} has a newer one")
            newest[who, chapter.stem] = path, chapter, *put
        except (Unread, OSError) as problem:
            rest.append((name, str(problem) if isinstance(problem, Unread) else type(problem).__name__))
    return newest, sorted(rest)


def grade(grader, who, path, chapter, put, questions):
    """Put one submission into the course and grade it: what was odd about it."""
    asked = variants.drawn(course.exercises_in(chapter), course.chapter_of(chapter), judge.secret, who)
    place = Path(grader.coursedir.format_path(grader.coursedir.submitted_directory, who, chapter.stem))
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    nbformat.write(edition.assignment(chapter, asked, put), place / chapter.name)
    when = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC)
    (place / "timestamp.txt").write_text(f"{when:%Y-%m-%d %H:%M:%S} UTC", encoding="utf-8")
    other = [e.number for e in asked if questions.get(e.number, e.question).split() != e.question.split()]
    try:
        judge.done(grader.autograde(chapter.stem, who, force=True, create=False))
    except RuntimeError as problem:
        return f"not graded: {checks.describe(problem)}"
    notes = list(judge.Judge.notes)
    return "; ".join([f"questions {', '.join(other)} are not those of {who}"] * bool(other) + notes)


def table(path, head, lines):
    """Write a table; no spreadsheet takes a cell of it for a formula."""

    def safe(value):
        text = os.fsencode(str(value)).decode("utf-8", "backslashreplace").replace("\x00", "")
        return "'" + text if text[:1] in tuple("=+-@\t\r") else text

    with open(path, "w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows([head, *(map(safe, line) for line in lines)])


def marks(book, assignments):
    """A line for each student: names, the marks of each chapter, their sum, and how many chapters wait for a reader."""

    def name(student):  # an accent does not matter
        words = (student.last_name or "", student.first_name or "", student.id)
        return [unicodedata.normalize("NFKD", word).casefold() for word in words]

    of = sum(assignment.max_score for assignment in assignments)
    for student in sorted(book.students, key=name):
        line, to_read = [], 0
        for assignment in assignments:
            try:
                submission = book.find_submission(assignment.name, student.id)
                line.append(submission.score)
                to_read += bool(submission.needs_manual_grade)
            except MissingEntry:
                line.append("")
        total = sum(map(float, filter(None, line)))
        yield [student.last_name, student.first_name, student.id, *line, total, of, to_read]


def write(grader, folder, out, report):
    """Feedback, gradebook and report of one run, in a folder of its own."""
    with Gradebook(grader.coursedir.db_url) as book:
        assignments = [assignment for assignment in book.assignments if assignment.submissions]
        for assignment in assignments:
            for submission in assignment.submissions:
                who = submission.student.id
                try:
                    judge.done(grader.generate_feedback(assignment.name, who, force=True))
                except RuntimeError as problem:
                    report.append(["", who, assignment.name, "", "", "", f"no feedback: {problem}"])
                    continue
                page = Path(grader.coursedir.format_path(grader.coursedir.feedback_directory, who, assignment.name))
                (out / "feedback" / who).mkdir(parents=True, exist_ok=True)
                shutil.copy(page / f"{assignment.name}.html", out / "feedback" / who)
        head = ["last name", "first name", "id", *(one.name for one in assignments), "sum", "of", "proofs to read"]
        table(out / "gradebook.csv", head, marks(book, assignments))
        CsvExportPlugin(to=str(out / "export.csv")).export(book)
    table(out / "report.csv", ["file", "student", "chapter", "marks", "of", "seconds", "notes"], report)
    shutil.copy(folder / "gradebook.db", out)


def main(folder, submissions=None, *, trusted=False):
    """Grade, and say where the tables are."""
    secret, mark = os.environ.pop("SECRET", ""), folder / "secret.sha256"
    if not mark.exists():
        raise SystemExit(f"{folder} is no course: make one with `make teach STUDENTS=class.csv`.")
    if not hmac.compare_digest(mark.read_text(), edition.digest(secret)):
        raise SystemExit("SECRET is not the one that was printed when this course was made: give that one.")
    try:
        walls.command(trusted=trusted)
    except OSError as problem:
        raise SystemExit(
            f"Nothing was graded: submissions cannot be shut in here ({problem}). Grade on Linux with bubblewrap "
            "(apt-get install bubblewrap), or, if you trust every submission as your own code, say TRUSTED=yes."
        ) from None
    judge.secret, judge.trusted = secret, trusted
    grader, report = judge.grader(folder), []
    with Gradebook(grader.coursedir.db_url) as book:
        listed = [student.id for student in book.students]
    out = folder / "runs" / f"{datetime.datetime.now():%Y-%m-%d %H.%M.%S.%f}"[:-3]
    out.mkdir(parents=True)
    newest, rest = collect(submissions, listed) if submissions else ({}, [])
    for (who, chapter), (path, *put) in sorted(newest.items()):
        begun = time.monotonic()
        notes = grade(grader, who, path, *put)
        with Gradebook(grader.coursedir.db_url) as book:
            one = book.find_submission(chapter, who)
            report.append([path.relative_to(submissions), who, chapter, one.score, one.max_score,
                           round(time.monotonic() - begun, 1), notes])  # fmt: skip
        print(f"{report[-1][3]:4g} of {report[-1][4]:3g}  {who}  {chapter}  {notes}"[:150], flush=True)
    report += [[name, "", "", "", "", "", f"not read: {why}"] for name, why in rest]
    write(grader, folder, out, report)
    for name, why in rest:
        print(ascii(f"not read: {name}: {why}")[1:-1][:150])
    print(f"{len(newest)} submissions graded, {len(rest)} files not read: see {out}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Grade what a class handed in.")
    parser.add_argument("submissions", type=Path, nargs="?", help="a folder")
    parser.add_argument("--course", type=Path, default=edition.ROOT / "course", help="the folder of the course")
    parser.add_argument("--trusted", action="store_true", help="run submissions without walls: your own word")
    given = parser.parse_args()
    if given.submissions and not given.submissions.is_dir():
        parser.error(f"{given.submissions} is no folder")
    main(given.course, given.submissions, trusted=given.trusted)

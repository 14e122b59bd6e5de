"""Grade a folder of submissions: a table and a page, each exercise's marks with the reason.

    python book/_teach/grade.py SUBMISSIONS [OUT] [--seed SEED]

Every notebook below SUBMISSIONS is graded in a process of its own (worker.py), whatever it does; the
checkers and what they expect stay here. OUT, by default _build/grades, gets grades.csv (a line for each
submission), reasons.csv (a line for each exercise) and index.html. Proofs are shown for marking by hand,
and count for nothing here.
"""

import argparse
import contextlib
import csv
import html
import json
import os
import re
import select
import signal
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "book" / "_teach"), str(ROOT / "notebooks")]

import exercises as course  # noqa: E402
import worker  # noqa: E402
from exercises import variants  # noqa: E402

from posenc import checks  # noqa: E402
from posenc.checks.limit import TimedOut  # noqa: E402

LARGEST = 5_000_000  # bytes of a submission
PATIENCE = 3.0  # seconds beyond the worker's own limit, then it is killed
START = 30.0  # seconds for a process to begin, on a busy machine
TOGETHER = 90.0  # seconds for one submission
STYLE = "body{font:16px/1.4 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}td,th{padding:.2em .6em;\
text-align:left;vertical-align:top;border-bottom:1px solid #ccc}pre{white-space:pre-wrap}"


@dataclass
class Mark:
    """What one exercise earned, and why; marks is None where a person has to read it."""

    exercise: course.Exercise
    marks: int | None
    reason: str


@dataclass
class Graded:
    """One submission: its marks, and what was odd about it."""

    name: str
    chapter: str = ""
    marks: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    seconds: float = 0.0

    @property
    def total(self):
        """The marks that a program could give."""
        return sum(mark.marks or 0 for mark in self.marks)

    @property
    def of(self):
        """The marks that a program could have given."""
        return sum(mark.exercise.marks for mark in self.marks if mark.marks is not None)


class Gone(Exception):
    """The worker died, or did not answer in time."""


class Student:
    """The process that runs one submission, started again without the cell that it died of."""

    def __init__(self, cells, scratch):
        self.cells, self.scratch = cells, scratch
        self.skip, self.troubles, self.alone = set(), {}, []
        self.child, self.deadline = None, time.monotonic() + TOGETHER
        self.start()

    def start(self):
        """Run all cells; a cell that kills or blocks the process is left out the next time."""
        while True:
            self.stop()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of threads: this process has none that matter
                self.child, self.wire = worker.start(self.cells, self.skip, self.scratch)
            self.book, self.running, self.children = worker.Book(self.call), None, [self.child]
            try:
                self._run_cells()
                return
            except Gone as problem:
                if self.running is None or self.running in self.skip:
                    raise
                self.skip.add(self.running)
                self.troubles[self.running] = f"killed: {problem}"

    def _run_cells(self):
        self.children.append(self._receive(START)[1])
        self.alone = self._receive(START)[1]
        for _ in self.cells:
            (_, self.running) = self._receive()
            (_, number, trouble) = self._receive()
            if trouble and number not in self.skip:
                self.troubles[number] = trouble
        self.running = None

    def _receive(self, wait=None):
        wait = min(wait or worker.SECONDS + PATIENCE, self.deadline - time.monotonic())
        ready, _, _ = select.select([self.wire.incoming], [], [], max(wait, 0))
        if not ready:
            raise Gone("it did not come to an end")
        try:
            message = self.wire.receive()
            assert isinstance(message, list)
            return message
        except (EOFError, OSError, ValueError, AssertionError, MemoryError):
            raise Gone("the process died") from None

    def _send(self, *message):
        try:
            self.wire.send(*message)
        except OSError:
            raise Gone("the process died") from None

    def get(self, name):
        """What a name holds; functions in it are called over the wire."""
        self._send("get", name)
        kind, *rest = self._receive()
        if kind != "value":
            raise Gone("it answered out of turn")
        return self.book.read(rest[0])

    def call(self, number, door, arguments):
        """What a function of the submission returns."""
        self._send("call", number, door, [self.book.write(argument) for argument in arguments])
        while True:
            kind, *rest = self._receive()
            if kind == "back":
                value = self.book.held[rest[0]](*(self.book.read(argument) for argument in rest[1]))
                self._send(self.book.write(value))
            elif kind == "value":
                return self.book.read(rest[0])
            elif kind == "raised":
                raise type(str(rest[0]), (Exception,), {})(rest[1])
            else:
                raise TimedOut

    def stop(self):
        """Kill the process and all that it has started."""
        if self.child is not None:
            for who in self.children:
                for kill in (os.killpg, os.kill):
                    with contextlib.suppress(OSError):
                        kill(who, signal.SIGKILL)
            os.waitpid(self.child, 0)
            os.close(self.wire.incoming)
            os.close(self.wire.outgoing)
            self.child = None


def grade(path, name=None, seed=None):
    """Grade one notebook file, against the variants of a seed. Never raises for what stands in the file."""
    graded, begun = Graded(name or path.name), time.monotonic()
    try:
        chapter, cells, texts = read(path)
    except Exception as problem:
        graded.notes.append(f"not graded: {checks.said(problem)}")
        return graded
    graded.chapter = chapter.stem
    asked = variants.drawn(course.of(chapter), course.chapter_of(chapter), seed)
    graded.notes += _foreign(asked, texts)
    exec(course.imports(chapter), {})  # here, so that no submission waits for them
    with tempfile.TemporaryDirectory(prefix="submission-") as scratch:
        student = None
        try:
            student = Student(cells, scratch)
            for exercise in asked:
                graded.marks.append(_mark(exercise, chapter, student, texts))
        except (Gone, Exception) as problem:
            graded.notes.append(f"not graded to the end: {checks.said(problem)}")
            done = {mark.exercise.number for mark in graded.marks}
            rest = [exercise for exercise in asked if exercise.number not in done]
            graded.marks += [Mark(e, 0 if e.checker else None, "not reached") for e in rest]
        finally:
            if student is not None:
                student.stop()
                where = student.alone
                graded.notes += [
                    f"cell {n + 1}: {trouble}" for n, trouble in sorted(student.troubles.items())
                ]
                if "network" not in where:
                    graded.notes.append("ran with a network: this system does not let us take it away")
    graded.seconds = time.monotonic() - begun
    return graded


def read(path):
    """The chapter of a submission, the code that is to run, and its texts: {id of the cell: text}."""
    if path.stat().st_size > LARGEST:
        raise ValueError(f"the file is larger than {LARGEST} bytes")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [(cell, "".join(cell["source"])) for cell in notebook["cells"]]
    found = re.search(r"chapter_(\d\d) as check", "\n".join(source for _, source in cells))
    chapter = next((c for c in course.chapters() if found and c.name.startswith(found[1])), None)
    if chapter is None:
        raise ValueError("no chapter of the course is named in it: was the cell of imports removed?")
    known = {id(cell): cell.get("metadata", {}).get("nbgrader", {}) for cell, _ in cells}
    texts = {
        str(known[id(cell)].get("grade_id")): source
        for cell, source in cells
        if cell["cell_type"] == "markdown"
    }
    code = [
        source for cell, source in cells
        if cell["cell_type"] == "code" and not known[id(cell)].get("locked") and "%pip" not in source
    ]  # fmt: skip
    return chapter, [course.imports(chapter), *code], texts


def _foreign(asked, texts):
    """A note if the questions of a submission are not those that its answers are judged by."""
    theirs = {exercise.slug: texts.get(f"question-{exercise.slug}") for exercise in asked}
    other = [e.number for e in asked if theirs[e.slug] and e.question.split() != _asks(theirs[e.slug])]
    return [f"its questions {', '.join(other)} are others: made with another seed?"] if other else []


def _asks(text):
    """The words of a question, without its marks."""
    return text[text.find("**Exercise") :].split()


def _mark(exercise, chapter, student, texts):
    if exercise.checker is None:
        text = texts.get(exercise.slug, "").strip()
        empty = text in ("", "*Write your proof here.*")
        return Mark(exercise, None, "no proof" if empty else text)
    judge = course.judge_of(course.chapter_of(chapter), exercise.checker)
    problem = None

    def judged():
        nonlocal problem
        try:
            names = exercise.name.strip("()").split(", ")
            held = tuple(student.get(name) for name in names)
            answer = held if len(held) > 1 else held[0]
            return judge(answer, **exercise.arguments, hidden=exercise.hidden)
        except (Gone, RecursionError) as trouble:
            problem = trouble
            return checks.Verdict(False, checks.said(trouble))

    verdict = judged()
    if "the process died" in verdict.message:  # of something earlier, perhaps: once more
        student.start()
        problem, verdict = None, judged()
    stuck = problem is not None or "come to an end" in verdict.message or "Gone" in verdict.message
    if stuck and time.monotonic() < student.deadline:
        student.start()  # the process is busy, or dead
    return Mark(exercise, exercise.marks * bool(verdict.right), verdict.message)


def grade_all(folder, seed=None):
    """Grade every notebook below a folder: best first, and of equals those with nothing odd."""
    paths = sorted(p for p in folder.rglob("*.ipynb") if not any(part.startswith(".") for part in p.parts))
    graded = [grade(path, str(path.relative_to(folder)), seed) for path in paths]
    return sorted(graded, key=lambda one: (-one.total / (one.of or 1), len(one.notes), one.name))


def write(graded, out):
    """Write the table, the reasons and the page."""
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "grades.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["submission", "chapter", "marks", "of", "proofs to read", "notes"])
        for one in graded:
            proofs = sum(mark.marks is None and mark.reason != "no proof" for mark in one.marks)
            table.writerow(
                [_safe(one.name), one.chapter, one.total, one.of, proofs, _safe("; ".join(one.notes))]
            )
    with open(out / "reasons.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["submission", "exercise", "kind", "marks", "of", "reason"])
        for one in graded:
            for mark in one.marks:
                e = mark.exercise
                given = "by hand" if mark.marks is None else mark.marks
                table.writerow([_safe(one.name), e.number, e.kind, given, e.marks, _safe(mark.reason)])
    (out / "index.html").write_text(_page(graded), encoding="utf-8")


def _safe(text):
    """Text that no spreadsheet takes for a formula."""
    text = text.replace("\x00", "")
    return "'" + text if text[:1] in tuple("=+-@\t\r") else text


def _page(graded):
    lines = [f"<!doctype html><html lang=en><meta charset=utf-8><title>Grades</title><style>{STYLE}</style>"]
    lines.append("<h1>Grades</h1><table><tr><th>submission<th>chapter<th>marks<th>notes</tr>")
    for n, one in enumerate(graded):
        notes = html.escape("; ".join(one.notes))
        name = f"<a href='#s{n}'>{html.escape(one.name)}</a>"
        lines.append(f"<tr><td>{name}<td>{one.chapter}<td>{one.total} of {one.of}<td>{notes}</tr>")
    lines.append("</table>")
    for n, one in enumerate(graded):
        lines.append(f"<h2 id=s{n}>{html.escape(one.name)}: {one.total} of {one.of}</h2><table>")
        for mark in one.marks:
            e, given = mark.exercise, "by hand" if mark.marks is None else mark.marks
            reason = (
                f"<pre>{html.escape(mark.reason)}</pre>" if mark.marks is None else html.escape(mark.reason)
            )
            lines.append(f"<tr><td>{e.number}<td>{e.kind}<td>{given} of {e.marks}<td>{reason}</tr>")
        lines.append("</table>")
    return "\n".join(lines)


def main(folder, out, seed=None):
    """Grade and say where the table is."""
    graded = grade_all(folder, seed)
    write(graded, out)
    for one in graded:
        print(f"{one.total:4} of {one.of:3}  {one.name}  {'; '.join(one.notes)}"[:150])
    print(f"{len(graded)} submissions graded: {out / 'index.html'}, grades.csv, reasons.csv")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Grade a folder of submissions.")
    parser.add_argument("submissions", type=Path)
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "_build" / "grades")
    parser.add_argument("--seed", help="that with which the assignments were made")
    given = parser.parse_args()
    main(given.submissions, given.out, given.seed)

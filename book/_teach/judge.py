"""nbgrader's step "execute", done by two: `submission` runs it inside `walls`, the checkers judge out here.

nbgrader keeps the gradebook, marks by hand, feedback and export; as it stands, it runs a submission beside the tests
and with the teacher's own rights. Here a submission sees the packages and itself. What is right never enters.
"""

import contextlib
import importlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import exercises as course
import submission
import walls
from exercises import variants
from nbformat.v4 import new_output
from nbgrader import preprocessors as steps
from time_limit import TimedOut

from posenc import checks

HERE = Path(__file__).parent
PATIENCE = 3.0  # seconds beyond the limit of its own, then a process is killed
START = 60.0  # seconds for the packages to load, on a busy machine
TOGETHER = 120.0  # seconds for one submission
GIVEN = ("boxes", "all_boxes")  # what a chapter's checkers hold for a question; its functions run out here
LONGEST = 16 * 2**20  # bytes of one message

secret = None  # of the class; `grade` sets both, and without them nothing is judged
trusted = None


class Gone(Exception):
    """The process died, or did not answer in time."""


class Submission:
    """The process that runs one submission, started again without the cell that it died of."""

    def __init__(self, path, cells):
        self.path, self.cells, self.skip, self.troubles, self.held = path, cells, set(), {}, []
        self.command, self.process, self.deadline = walls.command(trusted=trusted), None, time.monotonic() + TOGETHER
        self.chapter = course.chapter_of(path)
        module = vars(importlib.import_module(f"posenc.checks.{self.chapter}"))
        self.given = {name: submission.write(module[name], self.hold) for name in GIVEN if name in module}
        self.start()

    def start(self):
        """Run all cells but those that ended or blocked the process."""
        while True:
            self.stop()
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                start_new_session=True, bufsize=0, env=None if not trusted else os.environ | {
                    "PYTHONPATH": os.pathsep.join(map(str, (walls.PACKAGE.parent, HERE))), "OMP_NUM_THREADS": "1"},
            )  # fmt: skip
            self.buffer, number = bytearray(), None
            try:
                self.send([self.chapter, self.given, course.imports(self.path), self.cells, sorted(self.skip)])
                for number in range(len(self.cells)):
                    self.receive("begins", START if number == 0 else None)
                    trouble = self.receive("ran")[-1]
                    if trouble and number not in self.skip:
                        self.troubles[number] = str(trouble)[:300]
                return
            except Gone as problem:
                if number is None or number in self.skip:
                    raise
                self.skip.add(number)
                self.troubles[number] = f"killed: {problem}"

    def send(self, message):
        """One line."""
        data = json.dumps(message).encode() + b"\n"
        os.set_blocking(self.process.stdin.fileno(), False)
        end = time.monotonic() + walls.SECONDS + PATIENCE
        while data:
            if not select.select([], [self.process.stdin], [], max(end - time.monotonic(), 0))[1]:
                raise Gone("it does not listen")
            try:
                data = data[os.write(self.process.stdin.fileno(), data) :]
            except OSError:
                raise Gone("the process ended") from None

    def receive(self, kind=None, wait=None):
        """One line: a list whose first word is `kind`, where one is due."""
        end = min(time.monotonic() + (wait or walls.SECONDS + PATIENCE), self.deadline)
        while (message := self.line(end))[:1] == ["back"]:
            self.send(self.back(*message[1:]))
        if len(message) < 2 or kind not in (None, message[0]):
            raise Gone("its answer cannot be read")
        return message

    def back(self, *message):
        """What a function of ours, which the submission was handed, gives it, or raises."""
        try:
            number, arguments = message
            value = self.held[number](*(submission.read(argument, self.call) for argument in arguments))
            return "is", submission.write(value, self.hold)
        except Gone:
            raise
        except Exception as problem:
            return "raised", checks.describe(problem)

    def line(self, end):
        """The next message, a list."""
        if time.monotonic() > end:
            raise Gone("it did not come to an end")
        while b"\n" not in self.buffer:
            if len(self.buffer) > LONGEST:
                raise Gone("its answer is too long")
            if not select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))[0]:
                raise Gone("it did not come to an end")
            part = os.read(self.process.stdout.fileno(), 2**20)
            if not part:
                raise Gone("the process ended")
            self.buffer += part
        line, _, self.buffer = self.buffer.partition(b"\n")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, list):
            raise Gone("its answer cannot be read")
        return message

    def ask(self, *request):
        """What the reply holds; in it, functions are called over the wire."""
        self.send(request)
        kind, *rest = self.receive()
        if kind == "late":
            raise TimedOut
        if kind == "raised":
            raise type(str(rest[0])[:100].replace("\x00", ""), (Exception,), {})(str(rest[1])[:300])
        try:
            return submission.read(rest[0], self.call)
        except Exception as problem:  # a submission may have made it up
            raise Gone(f"its answer cannot be read ({type(problem).__name__})") from None

    def hold(self, thing):
        """The number of a function that the submission may call."""
        self.held.append(thing)
        return len(self.held) - 1

    def call(self, number, door, arguments):
        """What a function of the submission returns."""
        return self.ask("call", number, door, [submission.write(argument, self.hold) for argument in arguments])

    def stop(self):
        """Kill the process, and with it all that it started."""
        if self.process is not None:
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None

    def judged(self, exercise):
        """The verdict on one answer. A process that died of an earlier one is started once more."""
        judge = course.checker_for(course.chapter_of(self.path), exercise.checker)
        for attempt in (1, 2):
            try:
                if self.process is None:
                    self.start()
                held = tuple(self.ask("get", name) for name in exercise.name.strip("()").split(", "))
                verdict = judge(held if len(held) > 1 else held[0], **exercise.arguments, hidden=exercise.hidden)
            except (Exception, TimedOut) as trouble:
                verdict = checks.Verdict(False, f"This answer cannot be judged: {checks.describe(trouble)}.")
            if re.search("Gone|TimedOut|come to an end", verdict.message):
                self.stop()  # it is busy, dead, or out of step
            if attempt == 2 or "the process ended" not in verdict.message or time.monotonic() > self.deadline:
                return verdict


class Judge(steps.NbGraderPreprocessor):
    """In place of nbgrader's Execute: writes each verdict under the cell that is marked by it."""

    notes = ()  # on the last submission: what its cells, or its process, died of

    def preprocess(self, nb, resources):
        """Run the answers of one submission, and judge them by the variants of its student."""
        if trusted is None:
            raise RuntimeError("Submissions are graded by `make grade` alone: it brings the secret and the walls.")
        who, chapter = resources["nbgrader"]["student"], resources["nbgrader"]["assignment"]
        path = next(path for path in course.chapters() if path.stem == chapter)
        asked = variants.drawn(course.exercises_in(path), course.chapter_of(path), secret, who)
        code = [cell for cell in nb.cells if cell.cell_type == "code"]
        cells = [cell for cell in code if not cell.metadata.get("nbgrader", {}).get("grade")]
        marked = {cell.metadata.nbgrader.grade_id: cell for cell in code if cell not in cells}
        child, Judge.notes = None, []
        try:
            child = Submission(path, [cell.source for cell in cells])
            for number, trouble in sorted(child.troubles.items()):
                cells[number].outputs = [_error("This cell", trouble)]
                Judge.notes.append(f"cell {number + 1}: {trouble}")
            for exercise in filter(lambda exercise: exercise.checker, asked):
                verdict = child.judged(exercise)
                right = new_output("stream", name="stdout", text=repr(verdict))
                said = _error("Not yet", verdict.message)
                marked[f"check-{exercise.slug}"].outputs = [right if verdict.right else said]
        except Gone as problem:
            for cell in marked.values():
                cell.outputs = cell.outputs or [_error("Not judged", str(problem))]
            Judge.notes.append(f"not judged: {problem}")
        finally:
            if child is not None:
                child.stop()
        return nb, resources


def _error(name, words):
    words = "".join(letter if letter.isprintable() else " " for letter in words)[:1000]
    return new_output("error", ename=name, evalue=words, traceback=[f"{name}: {words}"])


def configure(config):
    """Put Judge in the place of Execute, and leave out what would clear or add cells."""
    config.GenerateAssignment.preprocessors = [
        steps.LockCells, steps.ClearOutput, steps.CheckCellMetadata, steps.ComputeChecksums, steps.SaveCells,
    ]  # fmt: skip
    config.Autograde.autograde_preprocessors = [
        Judge, steps.LimitOutput, steps.SaveAutoGrades, steps.AssignLatePenalties, steps.CheckCellMetadata,
    ]  # fmt: skip
    config.Autograde.create_student = False


def grader(folder):
    """nbgrader, for a course in this folder."""
    warnings.filterwarnings("ignore", module="nbgrader")  # of its own tables
    from nbgrader.apps import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # it calls alembic
    config = Config()
    configure(config)
    config.CourseDirectory.root = str(folder.resolve())
    return NbGraderAPI(CourseDirectory(config=config), config=config)


def done(result):
    """Raise what went wrong in a step of nbgrader."""
    if not result["success"]:
        words = re.findall(r"^ *([\w.]+: .*)$", result.get("log", "") + "\n" + result.get("error", ""), re.M)
        raise RuntimeError((words or ["nbgrader did not say why"])[0][:300])

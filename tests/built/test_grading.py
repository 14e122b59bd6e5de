"""The grader: solutions earn all from behind the walls, nothing gets through them; the whole way to the feedback."""

import csv
import os
import shutil
import socket
import sys

import edition
import exercises as course
import nbformat
import psutil
import pytest
from exercises import variants
from test_exercises import CHAPTERS, for_each_chapter, solved

if sys.platform == "win32":
    pytest.skip("the grader is for Linux, and on trust for macOS", allow_module_level=True)
import grade
import judge
from nbgrader.api import Gradebook

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's own
THIRD = CHAPTERS[2]


@pytest.fixture(autouse=True)
def shut_in(monkeypatch):
    """Walls, as `make walls` provides them; elsewhere than on Linux there are none to test."""
    monkeypatch.setattr(judge, "trusted", sys.platform != "linux")


@for_each_chapter
def test_solutions_earn_all_and_blanks_nothing(path):
    judged = [exercise for exercise in course.exercises_in(path) if exercise.checker]
    for cells, right in (([solved(e) for e in judged], True), ([e.answer for e in judged], False)):
        submission = judge.Submission(path, cells)
        verdicts = {exercise.number: submission.judged(exercise) for exercise in judged}
        submission.stop()
        assert submission.troubles == {}
        assert {n: verdict for n, verdict in verdicts.items() if verdict.right != right} == {}


ATTEMPTS = {
    "import os\nos._exit(3)": "killed: the process ended",
    "import ctypes\nctypes.string_at(0)": "killed: the process ended",
    "while True: pass": "did not come to an end",
    "import os\nos.fork()": "PermissionError",
    "import subprocess\nsubprocess.Popen(['sleep', '99'])": "PermissionError",
    "hoard = bytearray(2**32)": "MemoryError",
    "open('big', 'wb').write(bytes(2**21))": "OSError",
    "import socket\nsocket.create_connection(('127.0.0.1', PORT), 1)": "ConnectionRefusedError",
    "open('/usr/written', 'w')": "OSError",
    "open(REPOSITORY + '/README.md')": "FileNotFoundError",
    "import exercises.chapter_03": "ModuleNotFoundError",
    "import posenc.checks.chapter_04": "ModuleNotFoundError",
    "import os\nassert 'SECRET' not in os.environ and len(os.listdir('/proc')) < 90\nraise LookupError": "LookupError",
    "raise type('A' * 10**7, (Exception,), {})('b' * 10**7)": "AAAA",
    "import os\nfor n in range(3, 9):\n  try: os.write(n, b'[1]\\n')\n  except OSError: pass": "killed: its answer",
}  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="there are no walls but on Linux")
def test_nothing_gets_through_the_walls(monkeypatch, tmp_path):
    """Each attempt is a cell of one submission, and ends with a sentence; the answer behind them is judged."""
    monkeypatch.setenv("SECRET", "heron")
    first = next(exercise for exercise in course.exercises_in(THIRD) if exercise.checker)
    listening = socket.create_server(("127.0.0.1", 0))
    port = str(listening.getsockname()[1])
    tries = [code.replace("PORT", port).replace("REPOSITORY", repr(str(edition.ROOT))) for code in ATTEMPTS]
    others = set(psutil.Process().children(recursive=True))  # a browser of other tests, which may start more
    submission = judge.Submission(THIRD, [*tries, solved(first)])
    listening.close()
    assert len(submission.troubles) == len(tries)
    for number, words in enumerate(ATTEMPTS.values()):
        assert words in submission.troubles[number], tries[number]
        assert len(submission.troubles[number]) <= 300
    assert submission.judged(first).right
    inside = {one for one in psutil.Process().children(recursive=True) if not others & {one, *one.parents()}}
    assert len(inside) >= 2
    submission.stop()
    assert psutil.wait_procs(inside, timeout=20)[1] == []


def test_without_walls_nothing_is_graded(tmp_path, monkeypatch):
    (tmp_path / "secret.sha256").write_text(edition.digest("heron"))
    monkeypatch.setenv("SECRET", "grebe")
    with pytest.raises(SystemExit, match="SECRET is not the one"):
        grade.main(tmp_path)
    monkeypatch.setenv("SECRET", "heron")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit, match="Nothing was graded"):
        grade.main(tmp_path)
    with pytest.raises(SystemExit, match="is no course"):
        grade.main(tmp_path / "elsewhere")


def lines(path):
    """A table, a dictionary for each line."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_the_whole_way_from_the_class_list_to_the_note_on_a_proof(tmp_path, monkeypatch):
    monkeypatch.setattr(course, "chapters", lambda: [THIRD])
    monkeypatch.setattr(variants, "drawn", lambda exercises, *rest: exercises)  # whose answers are published
    class_list, folder, hand_in = tmp_path / "class.csv", tmp_path / "a course", tmp_path / "handed in"
    class_list.write_text("id,first_name,last_name\nana,Ana,Álvarez\nben,Ben,Brown\ncy,Cy,Clark\n", encoding="utf-8")
    handouts = edition.open_course(folder, "heron", edition.students(class_list))
    assert [path.parent.name for path in handouts] == ["ana", "ben", "cy"]
    assert b"heron" not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())

    full = nbformat.read(handouts[0], 4)
    answers = {exercise.slug: solved(exercise) for exercise in course.exercises_in(THIRD) if exercise.checker}
    for cell in full.cells:
        cell.source = answers.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
        cell.source = cell.source.replace(edition.PLACE, "It follows. <script>alert(1)</script>")
        cell.metadata = {}
    (hand_in / "Group 1").mkdir(parents=True)
    (hand_in / "Group 1" / "ana_final (2).IPYNB").write_bytes(b"\xef\xbb\xbf" + nbformat.writes(full).encode())
    forged = nbformat.read(handouts[1], 4)
    for cell in forged.cells:
        if cell.metadata.get("nbgrader", {}).get("grade") and cell.cell_type == "code":
            cell.metadata["nbgrader"]["points"], cell.source = 1000, "24"
    nbformat.write(forged, hand_in / "ben.ipynb")
    (hand_in / "cy.ipynb").symlink_to(hand_in / "ben.ipynb")
    os.mkfifo(hand_in / "cy 2.ipynb")
    (hand_in / "cy-3.ipynb").write_text("{")
    (hand_in / "dora.ipynb").write_text(nbformat.writes(full))
    shutil.copy(hand_in / "ben.ipynb", os.fsencode(hand_in) + b"/\xff ana cy.ipynb")

    monkeypatch.setenv("SECRET", "heron")
    grade.main(folder, hand_in, trusted=judge.trusted)
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        proof = next(e.slug for e in course.exercises_in(THIRD) if not e.checker)
        book.find_grade(proof, THIRD.stem, THIRD.stem, "ana").manual_score = 3
        book.find_comment(proof, THIRD.stem, THIRD.stem, "ana").manual_comment = "Name the pair."
        book.db.commit()
    monkeypatch.setenv("SECRET", "heron")
    grade.main(folder, trusted=judge.trusted)

    first, second = sorted((folder / "runs").iterdir())
    marks = sum(exercise.marks for exercise in course.exercises_in(THIRD) if exercise.checker)
    report = {line["file"]: line for line in lines(first / "report.csv")}
    assert {name: line["marks"] for name, line in report.items() if line["marks"]} == {
        "Group 1/ana_final (2).IPYNB": str(float(marks)), "ben.ipynb": "0.0",
    }  # fmt: skip
    assert [line["notes"].partition(" (")[0] for name, line in report.items() if "cy" in name] == [
        "not read: it is a link, a pipe or a device, and no file", "not read: it is no notebook",
        "not read: it is a link, a pipe or a device, and no file",
        "not read: its path names ana and cy: rename it",
    ]  # fmt: skip
    assert report["dora.ipynb"]["notes"] == "not read: its path names no student: rename it"
    for run, sums in ((first, [marks, 0, 0]), (second, [marks + 3, 0, 0])):
        assert [float(line["sum"]) for line in lines(run / "gradebook.csv")] == sums
        assert (run / "export.csv").is_file()
        page = (run / "feedback" / "ana" / f"{THIRD.stem}.html").read_text()
        assert "<script>alert(1)" not in page
        assert ("Name the pair." in page) == (run == second)
    assert sorted(path.name for path in (second / "feedback").iterdir()) == ["ana", "ben"]

"""The file that grows: the skeleton passes nothing, a solution all, and what is wrong is told in a sentence."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from importlib import util
from pathlib import Path

import pytest

from coursebook.content import ROOT

FOLDER = ROOT / "book" / "teach" / "growing"
SOLUTION = Path(__file__).with_name("growing") / "my_positions.py"
SOURCE = SOLUTION.read_text(encoding="utf-8")


def module(name):
    """A module of the folder that students get, under its own name, by which the others import it."""
    spec = util.spec_from_file_location(name, FOLDER / f"{name}.py")
    sys.modules[name] = util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


_, _, growing = map(module, ("checkers", "decoder", "test_my_positions"))


def failure(path, name, seed):
    """The message of a test of a file: None where it passes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing, "FILE", path)
        try:
            growing.test_function(f"chapter_{name}", seed)
        except pytest.fail.Exception as problem:
            return str(problem)
    return None


def replaced(old, new):
    """The solution with other words in place of some of its own."""
    assert old in SOURCE, old
    return SOURCE.replace(old, new)


def without(name):
    """The solution whose function of this name is as the skeleton has it."""
    return re.sub(rf"(def {name}\(.*?\):\n    \"\"\".*?\"\"\"\n).*?\n\n\n", r"\1    ...\n\n\n", SOURCE, flags=re.DOTALL)


IN_COMPLEX_NUMBERS = """

def turn(x, positions, omega, layout="interleaved"):
    order, angle = torch.arange(x.shape[-1]), positions[:, None] * omega.double()
    order = order if layout == "interleaved" else order.reshape(2, -1).T.flatten()
    z = torch.view_as_complex(x.double()[..., order].unflatten(-1, (-1, 2)).contiguous()) * torch.exp(1j * angle)
    return torch.view_as_real(z).flatten(-2).to(x.dtype)[..., order.argsort()]
"""

FUNCTIONAL = """

def attend(q, k, v, bias):
    return torch.nn.functional.softmax(q @ k.mT / q.shape[-1] ** 0.5 + bias, dim=-1) @ v
"""

NO_MINUS = replaced("a * cos - b * sin", "a * cos + b * sin")

# kind of submission: its file, a test, and words of what that says; None where it passes
SUBMISSIONS = {
    "a solution": (SOURCE, "07_all_pairs", None),
    "complex numbers": (SOURCE + IN_COMPLEX_NUMBERS, "07_all_pairs", None),
    "complex numbers, split-half": (SOURCE + IN_COMPLEX_NUMBERS, "08_split_half", None),
    "a helper of its own": (SOURCE + "\n\ndef helper(x):\n    return x\n", "08_positions_of_a_batch", None),
    "a table kept": ("from functools import *\n" + replaced("def slopes", "@lru_cache\ndef slopes"), "09_slopes", None),
    "a private name": (replaced("self.table", "self._table"), "06_a_learned_table_ends", None),
    "a function of torch.nn": (SOURCE + FUNCTIONAL, "01_attention", None),
    "no scale": (replaced("/ math.sqrt(q.shape[-1]) + bias", "+ bias"), "01_attention", "not divided by √width"),
    "softmax over queries": (replaced(".softmax(-1)", ".softmax(-2)"), "01_attention", "runs over the queries"),
    "doubled exponent": (replaced("-2 * (column // 2)", "-4 * (column // 2)"), "03_the_code", "exponent is doubled"),
    "doubled, exactly": (replaced("2 * (column // 2)", "2 * column"), "03_the_code_is_exact", "is not right yet"),
    "shift back": (replaced("a = offset *", "a = -offset *"), "04_the_shift", "shifts the other way"),
    "index wraps": (replaced("(positions < 0).any() or ", ""), "06_a_learned_table_ends", "Python counts on"),
    "lost minus": (NO_MINUS, "07_one_pair", "minus sign is missing"),
    "lost minus, all pairs": (NO_MINUS, "07_all_pairs", "minus sign is missing"),
    "lost minus, later": (NO_MINUS, "08_the_cache", "turn is not right yet"),
    "clockwise": (replaced("angle.sin().to", "(-angle).sin().to"), "07_all_pairs", "turns clockwise"),
    "float32": (replaced(".double() * omega", ".float() * omega.float()"), "07_what_it_is_given_stays", "lost digits"),
    "the other layout": (replaced('layout == "i', 'layout != "i'), "07_what_it_is_given_stays", "are 2i and 2i + 1"),
    "no axis for heads": (replaced("= angle[:, None]", "= angle"), "08_positions_of_a_batch", "need an axis"),
    "ends as in the chapter": (replaced("raise IndexError", "raise ValueError"), "06_a_learned_table_ends", None),
    "true of every score": (replaced("return False", "pass"), "07_a_test_of_scores", "says True of a program"),
    "rows of all heads": (replaced("(heads, -1, 2)", "(1, -1, 2)"), "08_conversion", "different heads are mixed"),
    "cache too far on": (replaced("[len(keys)]", "[len(keys) + 1]"), "08_the_cache", "stands at n, not at n + 1"),
    "distance with a sign": (replaced("k_positions).abs()", "k_positions)"), "09_a_bias", "has no sign"),
    "all interpolated": (replaced("+ kept * omega", "+ kept * omega / s"), "10_longer_texts", "interpolation of all"),
    "blank": (without("turn"), "07_all_pairs", "Not answered yet"),
    "no return": (replaced("return torch.block_diag", "torch.block_diag"), "04_the_shift", "a return is missing"),
    "empty": ("", "07_all_pairs", "has no turn"),
    "a slip of the pen": (replaced("return rows *", "return row *"), "06_the_scale", "name 'row' is not defined"),
    "broken Python": (SOURCE + "\ndef turn(:\n", "07_all_pairs", "is no Python: line"),
    "Latin-1": (SOURCE.encode() + b"# M\xfcller\n", "07_all_pairs", "cannot be read"),
    "an end": (f"{SOURCE}\nraise SystemExit(0)\n", "04_the_shift", "stops while it is imported: SystemExit"),
    "says yes": (
        f"{SOURCE}\nclass Yes:\n    right = True\nshift = lambda *x: Yes()\n",
        "04_the_shift",
        "be read",
    ),
}


def assert_message(folder, source, name, words):
    """Check that a test says these words of a submission; None: that it passes."""
    path = folder / "my_positions.py"
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    for seed in (0, 4711):
        message = failure(path, name, seed)
        assert message is None if words is None else message is not None and (seed or words in message), message


@pytest.mark.parametrize("kind", SUBMISSIONS)
def test_a_message_says_what_is_wrong(tmp_path, kind):
    assert_message(tmp_path, *SUBMISSIONS[kind])


@pytest.mark.parametrize(
    ("line", "words"),
    {
        "return q, k, row(0)": r"stops: NameError: name 'row' .*\(line \d+ of my_positions.py\)",
        "return q, k": "must return q, k and a bias",
        "return q.double(), k, 0": "returned queries in torch.float64 for torch.float32",
    }.items(),
)
def test_a_decoder_that_stops_is_told_in_a_sentence(tmp_path, monkeypatch, line, words):
    monkeypatch.setattr(growing, "FILE", tmp_path / "my_positions.py")
    growing.FILE.write_text(replaced("return q, k, bias(", f"{line}\n    return q, k, bias("), encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match=words):
        growing.test_chapter_11_a_scheme_of_your_own()


def test_a_file_that_stops_is_imported_once_for_all_tests(tmp_path):
    path = tmp_path / "my_positions.py"
    path.write_text("raise SystemExit", encoding="utf-8")
    assert growing.load(path) is growing.load(path)  # or a loop at its head would take a minute for each test


def run(folder, *arguments):
    """What pytest prints in a folder."""
    alone = {"PYTHONPATH": str(ROOT / "notebooks"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "POSENC_MODEL": ""}
    around = os.environ | alone | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, cwd=folder, env=around, capture_output=True, text=True)


@pytest.fixture
def work(tmp_path):
    """A copy of the folder that students get."""
    return shutil.copytree(FOLDER, tmp_path / "work", ignore=shutil.ignore_patterns("__pycache__"))


def test_the_loop_of_the_page_gives_nobody_the_marks_of_another(tmp_path):
    page = (ROOT / "book" / "teach" / "grading.md").read_text("utf-8")
    loop = re.search(r"```sh\n(cp -r growing.*?)```", page, re.DOTALL)[1]
    given = "mkdir -p growing handed_in/bert/my_positions.py; cd handed_in; mkdir anna carla dora; echo old > dora/"
    given += "my_positions.json; echo anna > anna/my_positions.py; echo carla > carla/my_positions.py; cd ..\n"
    given += 'pytest() { cp my_positions.py "$4"; }\n'
    said = subprocess.run(["sh", "-c", given + loop], cwd=tmp_path, capture_output=True, text=True).stdout
    assert said == "no mark: handed_in/bert/\nno mark: handed_in/dora/\n"
    marks = {path.parent.name: path.read_text() for path in tmp_path.glob("handed_in/*/my_positions.json")}
    assert marks == {"anna": "anna\n", "carla": "carla\n"}


@pytest.mark.slow
def test_the_skeleton_passes_nothing_and_a_solution_everything_with_another_seed(work):
    printed = run(work).stdout
    assert " passed" not in printed
    assert "turn: Not answered yet" in printed
    shutil.copy(SOLUTION, work)
    done = run(work, "--seed", "4711", "--results", "results.json")
    assert done.returncode == 0, done.stdout
    marks = [test["score"] for test in json.loads((work / "results.json").read_text())["tests"]]
    assert len(marks) > 20
    assert all(marks)
    page = (ROOT / "book" / "teach" / "capstone.md").read_text("utf-8")
    program = textwrap.dedent(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1])
    assert len(subprocess.check_output([sys.executable, "-c", program], cwd=work, text=True).splitlines()) == 4


@pytest.mark.slow
@pytest.mark.parametrize("body", ["pass", "try: sum(range(99))\n        except: pass"])
def test_a_loop_costs_its_own_test_and_one_that_goes_on_when_stopped_those_after_it(work, body):
    (work / "my_positions.py").write_text(replaced("    blocks = []\n", f"    while True:\n        {body}\n"), "utf-8")
    for limits, old, new in (("conftest.py", "SECONDS = 60", "SECONDS = 2"), ("pytest.ini", "t = 75", "t = 8")):
        (work / limits).write_text((work / limits).read_text("utf-8").replace(old, new), "utf-8")
    printed = run(work, "-k", "03_the_code or chapter_04 or chapter_10", "--results", "results.json").stderr
    marks = json.loads((work / "results.json").read_text())["tests"]
    if body == "pass":
        assert [test["score"] for test in marks] == [1, 1, 0, 1]
        assert "it did not come to an end within 2 seconds" in marks[2]["output"]
    else:
        assert [test["score"] for test in marks] == [1, 1]
        assert "Timeout" in printed

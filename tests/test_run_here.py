"""The statements and the exercises as programs of their own, as the page runs them."""

import ast
import json
import os
import re
import statistics
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from coursebook.content import ROOT, notebooks
from coursebook.sphinx.run_in_page import run_here, run_parts, statement_programs
from coursebook.sphinx.run_in_page.statement_programs import slices
from coursebook.teach.exercises import entry_for

CHAPTERS = notebooks()
EXERCISES = {(chapter, each.checker): each for chapter in CHAPTERS for each in chapter.exercises if each.checker}
answers = cache(run_here.answers)
IN_PAGE = [(chapter, name) for chapter, name in EXERCISES if f"answer-{name}" in answers(chapter)]
JUDGE = """
import ast, json, sys
from coursebook.sphinx.run_in_page import statement_programs
statement_programs.refuse_imports()
for program in json.load(sys.stdin):
    *lines, last = ast.parse(program).body
    names = {}
    try:
        exec(compile(ast.Module(lines, []), "answer", "exec"), names)
        verdict = repr(eval(compile(ast.Expression(last.value), "answer", "eval"), names))
    except Exception as problem:
        verdict = repr(problem)
    print("\\n" + json.dumps(verdict))
"""


def exact_results(chapter):
    return {id for id, result in chapter.results.items() if result.kind != "measured"}


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_statements_need_sympy_and_the_checker_alone_and_give_the_cards_in_the_book(part):
    some = [chapter.name for chapter in CHAPTERS if exact_results(chapter)][part::2]
    command = (sys.executable, "-m", "coursebook.sphinx.run_in_page.statement_programs", *some)
    env = os.environ | {"SYMPY_GROUND_TYPES": "python"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


class _Flipped(ast.NodeTransformer):
    """Changes the sign at one place of a cell: + and - for one another, or a minus left out. place: counted from 0."""

    def __init__(self, place):
        self.left = place

    def visit(self, node):
        node = self.generic_visit(node)
        minus = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        between = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))
        if minus or between:
            self.left -= 1
            if self.left == -1 and minus:
                return node.operand
            if self.left == -1:
                node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        return node


def flips(source):
    """The source of a cell with the sign at each place changed; of one without a sign, with a sine for a cosine."""
    places = sum(isinstance(node, (ast.Add, ast.Sub, ast.USub)) for node in ast.walk(ast.parse(source)))
    yield from (ast.unparse(_Flipped(place).visit(ast.parse(source))) for place in range(places))
    if not places:
        yield from {source.replace("sp.cos", "sp.sin"), source.replace("sp.conjugate", ""), source.replace("/", "*")}


OPEN = [
    pytest.param(chapter, number, id=f"{chapter.name}-{cell.id}")
    for chapter in CHAPTERS
    for number, cell in enumerate(chapter.cells)
    if "sympy" in cell.tags
]


@pytest.mark.slow
@pytest.mark.parametrize(("chapter", "number"), OPEN)
def test_a_sign_that_is_changed_in_an_open_cell_is_refused_by_the_checker_behind_it(chapter, number):
    before, source = chapter.cells[:number], chapter.cells[number].source
    after = chapter.cells[number + 1 :]
    strict = next(cell for cell in after if cell.kind == "code")
    tried = {}
    for changed in {*flips(source)} - {source}:
        altered = [*before, replace(chapter.cells[number], source=changed), *after]
        programs = [program for cell, program in slices(altered) if cell is strict]
        assert programs
        tried[changed] = [program for program in programs if is_refused(program)]
    assert any(tried.values()), f"no sign of the open cell is held by the checker: {[*tried]}"


def is_refused(program):
    try:
        statement_programs.run(program)
    except Exception:
        return True
    return False


def test_each_statement_has_a_short_program():
    lengths = []
    for chapter, statements in run_here.programs(CHAPTERS).items():
        assert set(statements) == exact_results(chapter), chapter.name
        lengths += [len(list(filter(None, text.splitlines()))) for text in statements.values()]
    assert statistics.median(lengths) <= 12
    assert max(lengths) <= 30


def judged(programs):
    """What the last line of each program comes to, without torch and NumPy."""
    env = {"cwd": ROOT, "env": os.environ | {"PYTHONPATH": f"book{os.pathsep}notebooks"}}
    command = (sys.executable, "-c", JUDGE)
    done = subprocess.run(command, input=json.dumps(programs), capture_output=True, text=True, check=True, **env)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('"')]


@pytest.mark.slow
def test_exercises_are_judged_in_the_page_where_no_tensors_are_needed():
    cells = {key: run_here.to_fill_in(key[0], exercise) for key, exercise in EXERCISES.items()}
    programs, hints = [f"{cells[key]}\n{exercise.solution}" for key, exercise in EXERCISES.items()], []
    for chapter, name in IN_PAGE:
        wrong = entry_for(chapter.checks, "ANSWERS", name)["wrong"]
        plain = [text for text in wrong if not re.search(r"\b(torch|np|sp|additive)\b", text)]
        assert plain, name
        for text in plain:
            is_function = text.startswith("\n")
            answer = ast.parse(text).body[-1].name if is_function else text
            programs.append(
                f"{answers(chapter)[f'answer-{name}']}\n{text if is_function else ''}\ncheck.{name}({answer})"
            )
            hints.append(wrong[text])
    verdicts = judged(programs)
    solved = zip(EXERCISES, verdicts[: len(EXERCISES)], strict=True)
    right = [key for key, verdict in solved if verdict.startswith("Right. ")]
    assert [key for key in right if "torch" not in cells[key]] == IN_PAGE
    for verdict, hint in zip(verdicts[len(EXERCISES) :], hints, strict=True):
        assert verdict.startswith("Not yet. ")
        assert hint in verdict


def test_most_exercises_are_answered_in_the_page_as_the_front_page_says():
    assert "and most exercises are answered in the same way" in (ROOT / "book/index.md").read_text()
    assert len(IN_PAGE) > len(EXERCISES) / 2


def test_a_program_states_what_its_slice_states():
    title = "words enough to fill more than one line of a program"
    statement = f"prove('x', (first_name_of_a_tuple,), [second_name, third_name], title='{title}')"
    tuple_of_one = f"values = ({'long' * 19},)"
    texts = [statement, tuple_of_one]
    for sliced, text in zip(texts, run_here.format_programs(texts), strict=True):
        assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(sliced))
        assert max(map(len, text.splitlines())) <= run_here.WIDTH


def test_the_parts_are_those_of_the_lock():
    pinned = Path(run_parts.__file__).with_suffix(".txt").read_text()
    lock = (ROOT / "requirements.lock").read_text().splitlines()
    wanted = re.findall(r"^([\w-]+==[\d.]+) --hash=sha256:[0-9a-f]{64}$", pinned, re.M)
    assert len(wanted) == 3
    assert set(wanted) <= set(lock), "bring run_parts.txt and its hashes to requirements.lock"

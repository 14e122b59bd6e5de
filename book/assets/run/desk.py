"""Runs in the reader's page: unpacks SymPy and the checker, then takes a program and gives what it makes."""

import ast
import io
import json
import os
import sys
import tarfile
import traceback
from contextlib import redirect_stdout

from compression import zstd

PLACE = "/course"
made = []


def unpack():
    """Write the modules of the pack, and the checker's sources, where Python finds them."""
    with open("/pack.tar.zst", "rb") as file:
        plain = io.BytesIO(zstd.decompress(file.read()))
    with tarfile.open(fileobj=plain) as archive:
        for entry in archive:
            write(entry.name, archive.extractfile(entry).read())
    with open("/checker.json", encoding="utf-8") as file:
        for name, text in json.load(file).items():
            write(name, text.encode())
    os.remove("/pack.tar.zst")
    sys.path += [PLACE, f"{PLACE}/modules.zip"]


def write(name, data):
    """Write one file."""
    path = f"{PLACE}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def recorded(verb):
    """The verb, which also keeps the card that it makes."""

    def keep(*args, **named):
        made.append(verb(*args, **named))
        return made[-1]

    return keep


def show(value):
    """What a line comes to is printed, but for cards, which are kept already."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    if any(part is not None and part not in made for part in parts):
        print(repr(value))


def run(program):
    """Run a program. Returns as JSON its cards, what it printed, and the refusal, with its line."""
    made.clear()
    printed, refusal = io.StringIO(), None
    try:
        with redirect_stdout(printed):
            lines = ast.Interactive(ast.parse(program, "<statement>").body)
            exec(compile(lines, "<statement>", "single"), {"__name__": "__main__", "display": print})
    except BaseException as problem:
        frames = traceback.extract_tb(problem.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == "<statement>"]
        line = problem.lineno if isinstance(problem, SyntaxError) else lines[-1] if lines else None
        words = problem.msg if isinstance(problem, SyntaxError) else str(problem)
        kind, expected = type(problem).__name__, isinstance(problem, EXPECTED)
        refusal = {"kind": kind, "words": words, "line": line, "expected": expected}
    fields = ("id", "kind", "title", "statement", "domain", "verdict")
    cards = [{name: getattr(card, name) for name in fields} for card in made]
    return json.dumps({"cards": cards, "printed": printed.getvalue(), "refusal": refusal})


unpack()
sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)  # else each module of python-flint copies the names of its libraries
from posenc import proof  # noqa: E402

sys.displayhook = show
EXPECTED = (proof.NotProved, proof.Vacuous, proof.Undefined, proof.NotInLanguage, ValueError)
for name in ("prove", "prove_by_induction", "refute", "measure"):
    setattr(proof, name, recorded(getattr(proof, name)))

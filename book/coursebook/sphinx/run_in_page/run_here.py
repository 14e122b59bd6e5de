"""Run it here: each proved or refuted statement of a page, and most exercises, as a program that the reader may change.

The statements are slices of the notebooks (`statement_programs.py`), the exercises their cells to fill in,
one file of them for each page; `posenc.proof` and `posenc.checks` are shipped as they stand, and `run_parts.py` brought
Python and SymPy. All of it goes into `_static/run` and is fetched on a click (`book/assets/run_button.js`).
`{run-here} id` shows a card of a chapter on another page.
"""

import ast
import gzip
import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform

from ...content import NOTEBOOKS, checker_for, notebooks, results
from ..directives.base import FromCourse, mark
from ..frame.katex import DIST
from .run_parts import PACKED, PYODIDE
from .statement_programs import slices

CHECKER = ("__init__.py", "numeric.py", "proof/*.py", "checks/*.py")
WIDTH = 84  # columns of a program
ARGUMENTS = re.compile(r"( +)[^ )\]}].*,$")  # a line that is one whole argument, or several
SEPARATOR = "\n# the next program\n"

LICENCES = f"""Python runs in your browser by {PYODIDE.replace("@", " ")}, under the Mozilla Public License 2.0,
https://mozilla.org/MPL/2.0/; its source is at https://github.com/pyodide/pyodide. python-flint is the wheel on
https://pypi.org/project/python-flint/0.9.0/, where its source is too; of its modules those stay that the checker loads.
GMP, MPFR and FLINT are in it as shared libraries, as they came; their source is at https://gmplib.org,
https://www.mpfr.org and https://flintlib.org.
"""


def programs(chapters):
    """{chapter: {id: program}} of these chapters, in lines of at most WIDTH columns where that can be."""
    raw = {chapter: slices_of(chapter) for chapter in chapters}
    texts = iter(format_programs(chain.from_iterable(by_id.values() for by_id in raw.values())))
    return {chapter: {id: next(texts) for id in by_id} for chapter, by_id in raw.items()}


def slices_of(chapter):
    """{id: program} of a chapter: the text of a program for each exact statement.

    Unlike those of `programs` they are not formatted. Statements made in one loop share a program.
    """
    by_id = {}
    for cell, group in groupby(slices(chapter.cells), key=itemgetter(0)):
        ids = [result.id for result in cell.results if result.kind != "measured"]
        ids_of = {program: [id for id in ids if id in constants(program)] for _, program in group}
        rest = [id for id in ids if not any(id in names for names in ids_of.values())]
        for program, names in ids_of.items():  # in a loop an id is put together: it has no constant
            by_id |= dict.fromkeys(names or rest, program)
    return by_id


def answers(chapter):
    """{HTML id of the place: program} of a chapter, for the exercises whose checkers need no tensors."""
    programs = {}
    for exercise in chapter.exercises:
        if exercise.checker and not checker_for(chapter.checks, exercise.checker).tensors:
            programs[f"answer-{exercise.checker}"] = to_fill_in(chapter, exercise)
    return programs


def to_fill_in(chapter, exercise):
    """An exercise as a program: the imports an answer needs, the cell to fill in, the call that checks it."""
    imports = re.findall(r"^(?:import c?math|from posenc\.checks .*)$", chapter.imports, re.M)
    return "\n".join([*imports, "", exercise.answer, "", f"check.{exercise.checker}({exercise.name})"])


class AnswerHere(SphinxPostTransform):
    """A place under the cell to fill in."""

    formats = ("html",)

    def run(self):
        """Put a place, in which a reader's answer is run, before the solution of each exercise that `answers` has."""
        chapter = next((chapter for chapter in notebooks() if chapter.page == self.env.docname), None)
        programs = answers(chapter) if chapter else ()
        for cell in self.document.findall(nodes.container):
            if "tag_answer" in cell["classes"]:
                code = next(cell.findall(nodes.literal_block)).astext()
                (checker,) = re.findall(r"^check\.(\w+)\(", code, re.MULTILINE)
                place = f"answer-{checker}"
                if place in programs:
                    (fold,) = (child for child in cell.children if isinstance(child, HideCodeCellNode))
                    before = sum("tag_solution" not in part["classes"] for part in fold.children)
                    fold.insert(before, nodes.container(classes=["answer-here"], ids=[place]))


def constants(program):
    """The set of constants, such as ids of cards, in the last statement of a program, a text."""
    last = ast.parse(program).body[-1]
    return {node.value for node in ast.walk(last) if isinstance(node, ast.Constant)}


def format_programs(texts):
    """Programs (texts), in their order, as the course writes them: ruff formats all of them at once."""
    ruff = (sys.executable, "-m", "ruff", "format", "--quiet", "--isolated", "--line-length", str(WIDTH), "-")
    process = subprocess.run(ruff, input=SEPARATOR.join(texts), check=True, capture_output=True, encoding="utf-8")
    return [with_full_lines(text.strip()) for text in process.stdout.split(SEPARATOR)]


def with_full_lines(program):
    """A program with arguments side by side as far as a line goes, and one blank line between parts.

    Where that would change what the program means, it is returned as it came.
    """
    lines = [""]
    for line in program.splitlines():
        last, text = lines[-1], line.strip()
        above, below = ARGUMENTS.match(last), ARGUMENTS.match(line)
        if text in (")", "])") and last.endswith(",") and len(last) + len(text) <= WIDTH:
            lines[-1] = last[:-1] + text
        elif above and below and above[1] == below[1] and len(f"{last} {text}") <= WIDTH:
            lines[-1] = f"{last} {text}"
        elif line or last:
            lines.append(line)
    shorter = "\n".join(lines[1:])
    same = ast.dump(ast.parse(shorter)) == ast.dump(ast.parse(program))  # (a,) may not become (a)
    return shorter if same else program


class RunHere(FromCourse):
    """`{run-here} id`: the card of a statement of a chapter, to be run where it is shown."""

    required_arguments = 1

    def run(self):
        """The card of the result whose id is the argument; raises where no notebook has that result."""
        id = self.arguments[0]
        if id not in results():
            raise self.error(f"no notebook has a result {id}")
        self.env.metadata[self.env.docname]["run_here"] = id
        result = results()[id]
        card = nodes.container(classes=["posenc-result", result.kind], ids=[f"result-{result.id}"])
        card += self.line(nodes.strong("", "", self.link(result)), kind="card-title")
        card += nodes.math_block("", result.statement, number=None, label=None, nowrap=False)
        card += self.line(result.domain, kind="card-domain")
        card += self.line(mark(result.kind.capitalize(), result.kind), kind="card-word")
        return [card]


def add_files(app, exception):
    """Write what runs statements to _static/run: Python, the checker, licences, and the pages' programs as JSON."""
    if exception or app.builder.name != "html":
        return
    if not (PACKED / "licences.txt").is_file():
        remedy = "run 'python -m coursebook.sphinx.run_in_page.run_parts'"
        raise ExtensionError(f"what runs a statement is not at {PACKED}: {remedy}")
    folder = Path(app.outdir) / "_static" / "run"
    shutil.copytree(PACKED, folder, dirs_exist_ok=True)  # scripts of our own are there
    for script in folder.glob("*.mjs"):  # a server that does not know the ending sends what no browser runs
        script.replace(script.with_suffix(".js"))
    shutil.copy(DIST / "katex.min.js", folder)
    licences = [LICENCES, (PACKED / "licences.txt").read_text(encoding="utf-8"), *more_licences()]
    (folder / "licences.txt").write_text("\n".join(licences), encoding="utf-8")
    files = chain.from_iterable(sorted((NOTEBOOKS / "posenc").glob(pattern)) for pattern in CHECKER)
    checker = {file.relative_to(NOTEBOOKS).as_posix(): file.read_text(encoding="utf-8") for file in files}
    (folder / "checker.json").write_text(json.dumps(checker), encoding="utf-8")
    parts = [file for file in PACKED.iterdir() if file.name != "licences.txt"]
    sizes = {"pack": (PACKED / "pack.tar.zst").stat().st_size, "sent": sum(map(bytes_sent, parts))}
    (folder / "statements").mkdir(exist_ok=True)
    statements = programs(notebooks())
    pages = {chapter.name: (by_id, answers(chapter)) for chapter, by_id in statements.items()}
    for data in app.env.metadata.values():
        if id := data.get("run_here"):  # on the front page
            pages["index"] = {id: next(by_id[id] for by_id in statements.values() if id in by_id)}, {}
    for name, (by_id, to_answer) in pages.items():
        text = json.dumps({**sizes, "statements": by_id, "answers": to_answer}, ensure_ascii=False)
        (folder / "statements" / f"{name}.json").write_text(text, encoding="utf-8")


def bytes_sent(file):
    """How many bytes a usual server sends of a file, given by its path: compressed, where that helps."""
    data = file.read_bytes()
    return min(len(data), len(gzip.compress(data, 6)))


def more_licences():
    """The licences that the parts do not bring: Python's, which typing_extensions shares, and KaTeX's."""
    files = distribution("typing_extensions").files
    python = next(file for file in files if file.name == "LICENSE").read_text(encoding="utf-8")
    katex = (DIST.parent / "LICENSE").read_text(encoding="utf-8")
    return [f"{'=' * 80}\nPython\n\n{python}", f"{'=' * 80}\nKaTeX\n\n{katex}"]

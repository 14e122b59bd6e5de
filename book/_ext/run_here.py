"""Run it here: each proved or refuted statement of a page, and most exercises, as a program that the reader may change.

The statements are slices of the notebooks (`book/_tools/statement_programs.py`), the exercises their cells to fill in,
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
import tempfile
from importlib.metadata import distribution
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from docutils import nodes
from local_katex import DIST
from myst_nb.sphinx_ import HideCodeCellNode
from results import FromNotebooks, bundles, mark, notebooks, results_of
from run_parts import PACKED, PYODIDE
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

ROOT = Path(__file__).parents[2]
ASSETS = ROOT / "book" / "assets" / "run"
CHECKER = ("__init__.py", "numeric.py", "proof/*.py", "checks/*.py")
WIDTH = 84  # columns of a program
sys.path[:0] = [str(ROOT / folder) for folder in ("book/_tools", "book/_teach", "notebooks")]
import exercises  # noqa: E402
import statement_programs  # noqa: E402

LICENCES = f"""Python runs in your browser by {PYODIDE.replace("@", " ")}, under the Mozilla Public License 2.0,
https://mozilla.org/MPL/2.0/; its source is at https://github.com/pyodide/pyodide. python-flint is the wheel on
https://pypi.org/project/python-flint/0.9.0/, where its source is too; of its modules those stay that the checker loads.
GMP, MPFR and FLINT are in it as shared libraries, as they came; their source is at https://gmplib.org,
https://www.mpfr.org and https://flintlib.org.
"""


def programs(paths):
    """For each notebook its statements by id: each a program, in lines of at most WIDTH columns where it can be."""
    slices = {path: slices_of(path) for path in paths}
    texts = iter(formatted([text for programs in slices.values() for text in programs.values()]))
    return {path: {id: next(texts) for id in programs} for path, programs in slices.items()}


def slices_of(path):
    """The statements of a notebook by id, each as it was sliced."""
    by_id, cells = {}, statement_programs.cells(path)
    for number, group in groupby(statement_programs.slices(path), key=itemgetter(0)):
        ids = [b["id"] for b in bundles(cells[number]) if b["kind"] != "measured"]
        ids_of = {program: [id for id in ids if id in constants(program)] for _, program in group}
        rest = [id for id in ids if not any(id in names for names in ids_of.values())]
        for program, names in ids_of.items():  # in a loop an id is put together: it has no constant
            by_id |= dict.fromkeys(names or rest, program)
    return by_id


def answers(path):
    """The exercises of a notebook that are answered in the page, as programs, by their place on it."""
    programs = {}
    for exercise in exercises.exercises_in(path):
        if exercise.checker and not needs_tensors(path, exercise):
            programs[f"answer-{exercise.checker}"] = to_fill_in(path, exercise)
    return programs


def needs_tensors(path, exercise):
    """Whether its checker says that it, or the code to work on, needs them."""
    return exercises.checker_for(exercises.chapter_of(path), exercise.checker).tensors


def to_fill_in(path, exercise):
    """The cell to fill in of an exercise as a program, with the imports that an answer needs."""
    imports = re.findall(r"^(?:import c?math|from posenc\.checks .*)$", exercises.imports(path), re.M)
    return "\n".join([*imports, "", exercise.answer, "", f"check.{exercise.checker}({exercise.name})"])


class AnswerHere(SphinxPostTransform):
    """A place under the cell to fill in, once the folds are made."""

    default_priority = 201
    formats = ("html",)

    def run(self):
        """Put it before the solution."""
        notebook = ROOT / f"{self.env.docname}.ipynb"
        answered_here = answers(notebook) if notebook.is_file() else ()
        for cell in self.document.findall(nodes.container):
            if "tag_answer" in cell["classes"]:
                code = next(cell.findall(nodes.literal_block)).astext()
                (checker,) = re.findall(r"^check\.(\w+)\(", code, re.MULTILINE)
                place = f"answer-{checker}"
                if place in answered_here:
                    (fold,) = (child for child in cell.children if isinstance(child, HideCodeCellNode))
                    before = sum("tag_solution" not in part["classes"] for part in fold.children)
                    fold.insert(before, nodes.container(classes=["answer-here"], ids=[place]))


def constants(program):
    """The texts that the last statement of a program holds."""
    last = ast.parse(program).body[-1]
    return {node.value for node in ast.walk(last) if isinstance(node, ast.Constant)}


def formatted(texts):
    """Programs as the course writes them."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{n:04}.py" for n in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_text(text + "\n", encoding="utf-8")
        ruff = (sys.executable, "-m", "ruff", "format", "--quiet", "--isolated", "--line-length", str(WIDTH))
        subprocess.run([*ruff, folder], check=True)
        return [with_full_lines(file.read_text(encoding="utf-8")) for file in files]


def with_full_lines(program):
    """Arguments side by side as far as a line goes, and one blank line between parts."""
    lines = []
    for line in program.rstrip().splitlines():
        before = lines[-1] if lines else ""
        joined = f"{before} {line.strip()}"
        if line.strip() in (")", "])") and before.endswith(",") and len(before) + len(line.strip()) <= WIDTH:
            lines[-1] = before[:-1] + line.strip()
        elif is_arguments(before) and is_arguments(line) and indent(before) == indent(line) and len(joined) <= WIDTH:
            lines[-1] = joined
        elif line or before:
            lines.append(line)
    shorter = "\n".join(lines)
    same = ast.dump(ast.parse(shorter)) == ast.dump(ast.parse(program))  # (a,) may not become (a)
    return shorter if same else program.rstrip()


def is_arguments(line):
    """Whether a line is one whole argument, or several."""
    return line.endswith(",") and not line.lstrip().startswith((")", "]", "}")) and indent(line) > 0


def indent(line):
    """How far a line stands in."""
    return len(line) - len(line.lstrip())


class RunHere(FromNotebooks):
    """`{run-here} id`: the card of a statement of a chapter, to be run where it is shown."""

    required_arguments = 1

    def run(self):
        """The card, with its title linked to the chapter's."""
        id = self.arguments[0]
        for path, _, results in self.chapters():
            if id in results:
                self.env.metadata[self.env.docname]["run_here"] = f"{path.stem} {id}"
                return [self.card(results[id])]
        raise self.error(f"no notebook has a result {id}")

    def card(self, result):
        """Title, statement, domain, verdict."""
        card = nodes.container(classes=["posenc-result", result["kind"]], ids=[f"result-{result['id']}"])
        card += self.line(nodes.strong("", "", self.link(result)), kind="card-title")
        card += nodes.math_block("", result["statement"], number=None, label=None, nowrap=False)
        card += self.line(result["domain"], kind="card-domain")
        card += self.line(mark(result["kind"].capitalize(), result["kind"]), kind="card-word")
        return card


def add_files(app, exception):
    """Put what runs a statement among the static files."""
    if exception or app.builder.name != "html":
        return
    if not (PACKED / "licences.txt").is_file():
        raise ExtensionError(f"what runs a statement is not at {PACKED}: run 'python book/_ext/run_parts.py'")
    folder = Path(app.outdir) / "_static" / "run"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PACKED, folder)
    for file in ASSETS.iterdir():
        shutil.copy(file, folder)
    shutil.copy(DIST / "katex.min.js", folder)
    licences = [LICENCES, (PACKED / "licences.txt").read_text(encoding="utf-8"), *more_licences()]
    (folder / "licences.txt").write_text("\n".join(licences), encoding="utf-8")
    (folder / "checker.json").write_text(json.dumps(checker_sources()), encoding="utf-8")
    parts = [file for file in PACKED.iterdir() if file.name != "licences.txt"]
    sizes = {"bytes": sum(file.stat().st_size for file in parts), "sent": sum(map(bytes_sent, parts))}
    (folder / "statements").mkdir()
    by_notebook = programs(path for path in notebooks() if f"notebooks/{path.stem}" in app.env.found_docs)
    pages = {path.stem: (statements, answers(path)) for path, statements in by_notebook.items()}
    for path, statements in by_notebook.items():
        for id in {r["id"] for r in results_of(path).values() if r["kind"] != "measured"} - statements.keys():
            logging.getLogger(__name__).warning("no program was found for the statement %s", id)
    for data in app.env.metadata.values():
        if "run_here" in data:
            stem, id = data["run_here"].split()
            path = ROOT / "notebooks" / f"{stem}.ipynb"
            pages["index"] = {id: programs([path])[path][id]}, {}
    for name, (statements, cells) in pages.items():
        text = json.dumps({**sizes, "statements": statements, "answers": cells}, ensure_ascii=False)
        (folder / "statements" / f"{name}.json").write_text(text, encoding="utf-8")


def bytes_sent(file):
    """The bytes of a part as a usual server sends it, compressed."""
    data = file.read_bytes()
    return min(len(data), len(gzip.compress(data, 6)))


def checker_sources():
    """The source of the checker by name."""
    package = ROOT / "notebooks" / "posenc"
    files = sorted(file for pattern in CHECKER for file in package.glob(pattern))
    return {file.relative_to(package.parent).as_posix(): file.read_text(encoding="utf-8") for file in files}


def more_licences():
    """Those that the parts themselves do not bring: Python's, which typing_extensions shares, and KaTeX's."""
    files = distribution("typing_extensions").files
    python = next(file for file in files if file.name == "LICENSE").read_text(encoding="utf-8")
    katex = (DIST.parent / "LICENSE").read_text(encoding="utf-8")
    return [f"{'=' * 80}\nPython\n\n{python}", f"{'=' * 80}\nKaTeX\n\n{katex}"]


def setup(app):
    """Register the card, the places and the files; these come after the steps of `finish`."""
    app.add_directive("run-here", RunHere)
    app.add_post_transform(AnswerHere)
    app.connect("build-finished", add_files, priority=960)

"""The teacher's pages: what is on the run sheet and the cheat sheet comes from the lists and the notebooks.

`{run-sheet}` is the table of the 90-minute lecture in `book/teach/slides.yml`. `{statements}` shows the
formulas of results, each line an id and a short name; `{cell} 03_sinusoidal def sinusoidal` the code of
a cell.
"""

import json
from pathlib import Path

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from quizzes import read
from results import FromNotebooks, is_appendix, notebooks, number, title_of


def slides(root):
    """The decks by chapter and the lecture, as `book/teach/slides.yml` has them."""
    text = (Path(root) / "book" / "teach" / "slides.yml").read_text(encoding="utf-8")
    found = yaml.load(text, yaml.BaseLoader)  # an id of a cell may look like a number
    for step in found["lecture"]["steps"]:
        step |= {"minutes": int(step["minutes"]), "chapter": int(step["chapter"])}
    return {int(chapter): deck for chapter, deck in found["chapters"].items()}, found["lecture"]


class RunSheet(FromNotebooks):
    """`{run-sheet}`: minutes, step and slides, what the lecturer does and asks."""

    def run(self):
        """A table, written as Markdown."""
        root = Path(self.env.srcdir)
        source = root / "book" / "teach" / "slides.yml"
        self.env.note_dependency(str(source))
        _, lecture = slides(root)
        asked = {q["id"]: q["ask"] for questions in read(root).values() for q in questions}
        paths = {number(path): path for path in notebooks(root) if not is_appendix(path)}
        rows, start = ["| Minutes | Step | What you do | Questions |", "|---|---|---|---|"], 0
        for step in lecture["steps"]:
            end = start + step["minutes"]
            path = paths[step["chapter"]]
            place = f"[{title_of(path)}](../../notebooks/{path.name})"
            count = f"{len(step['show'])} slides" if len(step["show"]) > 1 else "1 slide"
            questions = [f"[{asked[name]}](#{name})" for name in step["show"] if name in asked]
            where = f"**{step['step']}**. {count} from {place}"
            rows.append(f"| {start}–{end} | {where} | {step['do']} | {'<br>'.join(questions) or '–'} |")
            start = end
        holder = nodes.container(classes=["run-sheet"])
        self.state.nested_parse(StringList(rows, str(source)), 0, holder)
        return [holder]


class Statements(FromNotebooks):
    """`{statements}`: formulas as they were checked, each under a name that leads to its card."""

    has_content = True

    def run(self):
        """A container for each line."""
        results = {name: result for *_, found in self.chapters() for name, result in found.items()}
        shown = []
        for line in self.content:
            name, _, words = line.partition(":")
            if name not in results or results[name]["kind"] != "proved":
                raise self.error(f"{name!r} is not a result that was proved")
            link = self.link(results[name] | {"title": words.strip()})
            statement = nodes.math_block(
                "", results[name]["statement"], number=None, label=None, nowrap=False
            )
            shown.append(nodes.container("", self.line(link, kind="named"), statement, classes=["statement"]))
        return shown


class Cell(FromNotebooks):
    """`{cell} NOTEBOOK WORDS`: the code of the cell that begins with the words, up to two empty lines."""

    required_arguments = 2
    final_argument_whitespace = True

    def run(self):
        """A literal block."""
        name, words = self.arguments
        path = Path(self.env.srcdir) / "notebooks" / f"{name}.ipynb"
        self.env.note_dependency(str(path))
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        found = [text for cell in cells if (text := "".join(cell["source"])).startswith(words)]
        if len(found) != 1:
            raise self.error(f"{path.name} has {len(found)} cells that begin with {words!r}")
        code = found[0].partition("\n\n\n")[0]
        return [nodes.literal_block(code, code, language="python")]


def setup(app):
    """Register the directives."""
    app.add_directive("run-sheet", RunSheet)
    app.add_directive("statements", Statements)
    app.add_directive("cell", Cell)
    return {"parallel_read_safe": True}

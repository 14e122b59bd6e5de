"""The teacher's pages: what is on the run sheet and the cheat sheet comes from the lists and the notebooks.

`{run-sheet}` is the table of the lecture, chapter 0 in `book/teach/slides.yml`. `{statements}` shows the
formulas of results, each line an id and a short name; `{cell} 03_sinusoidal def sinusoidal` the code of
a cell.
"""

from pathlib import Path

import yaml
from docutils import nodes
from docutils.statemachine import StringList
from quizzes import read
from results import FromNotebooks, cells

WORDS = 130  # a minute
KINDS = ("figure", "card", "code", "formula", "quiz")


def slides(root):
    """The slides by chapter, as `book/teach/slides.yml` has them."""
    text = (Path(root) / "book" / "teach" / "slides.yml").read_text(encoding="utf-8")
    decks = yaml.load(text, yaml.BaseLoader)  # an id of a cell may look like a number
    return {int(chapter): deck for chapter, deck in decks.items()}


def kind_of(slide):
    """What a slide shows."""
    (kind,) = slide.keys() & set(KINDS)
    return kind


def questions(root):
    """All questions by id."""
    return {question["id"]: question for asked in read(root).values() for question in asked}


def spoken_text(slide, questions_by_id):
    """What is said at a slide by the list: its words, or a question with all that is said of its options."""
    question = questions_by_id.get(slide.get("quiz"), {"ask": "", "options": []})
    options = [f"{option.get('right', option.get('wrong'))} {option['why']}" for option in question["options"]]
    return " ".join([slide.get("tell", ""), question["ask"], *options])


def minutes(slide, short):
    """How long what is done at a slide takes, besides speaking, in the lecture or in its short form."""
    return float(slide.get("in_45", slide.get("minutes", 0)) if short else slide.get("minutes", 0))


def seconds(slide, words, short=False):
    """How long a slide takes: its words at 130 a minute, a vote a minute, and what is done."""
    return 60 * (len(words.split()) / WORDS + ("quiz" in slide) + minutes(slide, short))


class RunSheet(FromNotebooks):
    """`{run-sheet}`: when each step begins in 75 minutes and in 45, what the lecturer does and asks."""

    def run(self):
        """A table, written as Markdown."""
        root = Path(self.env.srcdir)
        source = root / "book" / "teach" / "slides.yml"
        self.env.note_dependency(str(source))
        quizzes = questions(root)
        steps, clock = [], {75: 0.0, 45: 0.0}  # seconds, of the lecture and of its short form
        for slide in slides(root)[0]:
            if "step" in slide:
                steps.append({"name": slide["step"], "at": dict(clock), "do": [], "votes": []})
            if "quiz" in slide:
                steps[-1]["votes"].append(f"[{quizzes[slide['quiz']]['ask']}](#{slide['quiz']})")
            if "do" in slide:
                steps[-1]["do"].append(slide["do"])
            words = spoken_text(slide, quizzes)
            clock[75] += seconds(slide, words)
            if slide.get("in_45") != "no":
                clock[45] += seconds(slide, words, short=True)
        rows = ["| 75 | 45 | Step | What you do | Questions |", "|---|---|---|---|---|"]
        for step in steps:
            minute = " | ".join(f"{second / 60:.0f}" for second in step["at"].values())
            do, votes = "<br>".join(step["do"]), "<br>".join(step["votes"]) or "–"
            rows.append(f"| {minute} | **{step['name']}** | {do} | {votes} |")
        rows.append("| {:.0f} | {:.0f} | End | | |".format(*(second / 60 for second in clock.values())))
        holder = nodes.container(classes=["run-sheet"])
        self.state.nested_parse(StringList(rows, str(source)), 0, holder)
        return [holder]


class Statements(FromNotebooks):
    """`{statements}`: formulas as they were checked, each under a name that leads to its card."""

    has_content = True

    def run(self):
        """A container for each line."""
        results = self.results()
        shown = []
        for line in self.content:
            name, _, words = line.partition(":")
            if name not in results or results[name]["kind"] != "proved":
                raise self.error(f"{name!r} is not a result that was proved")
            link = self.link(results[name] | {"title": words.strip()})
            statement = nodes.math_block("", results[name]["statement"], number=None, label=None, nowrap=False)
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
        sources = ["".join(cell["source"]) for cell in cells(path)]
        matching = [source for source in sources if source.startswith(words)]
        if len(matching) != 1:
            raise self.error(f"{path.name} has {len(matching)} cells that begin with {words!r}")
        code = matching[0].partition("\n\n\n")[0]
        return [nodes.literal_block(code, code, language="python")]


def setup(app):
    app.add_directive("run-sheet", RunSheet)
    app.add_directive("statements", Statements)
    app.add_directive("cell", Cell)

"""The teacher's pages: what is on the run sheet and the cheat sheet comes from the lists and the notebooks.

`{run-sheet}` is the table of the lecture, chapter 0 in `book/teach/slides.yml`. `{statements}` shows formulas, each
line the id of the result that proves it, a short name, and TeX; `{cell} 03_sinusoidal def sinusoidal` the code of
a cell.
"""

from dataclasses import replace
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList

from ...content import notebook, questions, slides
from .results import FromNotebooks

WORDS = 130  # a minute
# What stands first and last in each deck: a list of its chapter, under one of these headings.
FIRST = {
    "say": "After this you can",
    "points": ("What you will be able to do", "Can you explain it now?"),
    "do": "Read out two of these that matter to this class, and come back to them at the end.",
    "minutes": 0.5,
}
LAST = {
    "say": "What to take home",
    "points": ("Key points", "The story in six lines"),
    "do": "Let everybody read, and ask which line surprised them. Then go back to the second slide: who can do what?",
    "minutes": 1,
}
QUESTION = 2.5  # minutes: a vote, a talk between neighbours, the reasons
LOOK = 40  # seconds in which nobody listens, since a picture is new; what is done at it has them already


def kind_of(slide):
    """Return which kind of thing a slide shows: "figure", "code", "formula", "points" or "quiz"."""
    (kind,) = slide.keys() & {"figure", "code", "formula", "points", "quiz"}
    return kind


def questions_by_id():
    """{id: question} of all chapters."""
    return {question.id: question for asked in questions().values() for question in asked}


def minutes(slide, short):
    """Return the minutes of what is done at a slide besides speaking. short: in the lecture of 45 minutes."""
    return float(slide.get("in_45", slide.get("minutes", 0)) if short else slide.get("minutes", 0))


def seconds(slide, words, short=False):
    """Return the seconds that a slide takes: a question's, or its words (a text) at 130 a minute, looking and doing."""
    if "quiz" in slide:
        return 60 * QUESTION
    doing = 60 * minutes(slide, short)
    return 60 * len(words.split()) / WORDS + (doing or LOOK * ("figure" in slide))


class RunSheet(FromNotebooks):
    """`{run-sheet}`: when each step begins in 75 minutes and in 45, what the lecturer does and asks."""

    def run(self):
        """Return a table, a row for each step in slides.yml: its minute of 75 and of 45, tasks, questions."""
        source = Path(self.env.srcdir) / "book" / "teach" / "slides.yml"
        self.env.note_dependency(str(source))
        quizzes = questions_by_id()
        clock = short_clock = seconds(FIRST, "")
        steps = []
        for slide in slides()[0]:
            if "step" in slide:
                steps.append((clock / 60, short_clock / 60, slide["step"], [], []))
            *_, tasks, votes = steps[-1]
            if "do" in slide:
                tasks.append(slide["do"])
            if "quiz" in slide:
                may_go = " (may go)" * (slide.get("in_45") == "no")
                votes.append(f"[{quizzes[slide['quiz']].ask}](#{slide['quiz']}){may_go}")
            clock += seconds(slide, slide["tell"])
            if slide.get("in_45") != "no":
                short_clock += seconds(slide, slide["tell"], short=True)
        rows = ["| 75 | 45 | Step | What you do | Questions |", "|---|---|---|---|---|"]
        for begin, short_begin, name, tasks, votes in steps:
            do, ask = "<br>".join(tasks), "<br>".join(votes) or "–"
            rows.append(f"| {begin:.0f} | {short_begin:.0f} | **{name}** | {do} | {ask} |")
        end, short_end = (round((time + seconds(LAST, "")) / 60) for time in (clock, short_clock))
        rows.append(f"| {end} | {short_end} | End | | |")
        holder = nodes.container(classes=["run-sheet"])
        self.state.nested_parse(StringList(rows, str(source)), 0, holder)
        return [holder]


class Statements(FromNotebooks):
    """`{statements}`: formulas as a person writes them, each under a name that leads to the card of its proof."""

    has_content = True

    def run(self):
        """Return a container for each line "id | words | TeX"; raises unless the id is of a proved result."""
        results = self.results()
        statements = []
        for line in self.content:
            name, words, formula = (part.strip() for part in line.split("|", 2))
            if name not in results or results[name].kind != "proved":
                raise self.error(f"{name!r} is not a result that was proved")
            link = self.link(replace(results[name], title=words))
            block = nodes.math_block("", formula, number=None, label=None, nowrap=False)
            statements.append(nodes.container("", self.line(link, kind="named"), block, classes=["statement"]))
        return statements


class Cell(FromNotebooks):
    """`{cell} NOTEBOOK WORDS`: the code of the cell that begins with the words, up to two empty lines."""

    required_arguments = 2
    final_argument_whitespace = True

    def run(self):
        """Return the first part of a notebook's cell, as code. Arguments: the notebook, how the cell begins."""
        name, words = self.arguments
        chapter = notebook(name)
        self.env.note_dependency(str(chapter.path))
        sources = [cell.source for cell in chapter.cells]
        if sum(source.startswith(words) for source in sources) != 1:
            raise self.error(f"not one cell of {chapter.path.name} begins with {words!r}")
        code = next(source for source in sources if source.startswith(words)).partition("\n\n\n")[0]
        return [nodes.literal_block(code, code, language="python")]


def setup(app):
    app.add_directive("run-sheet", RunSheet)
    app.add_directive("statements", Statements)
    app.add_directive("cell", Cell)

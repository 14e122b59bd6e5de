"""What a teacher plans with, put together from the chapters, `book/teach/plan.yml` and the file that grows.

`{teaching-map}` is a list for each chapter: what one is able to do, in which section, and which questions, exercises
and tests are about it. `{schedule} NAME` is a table of meetings, with the hours that students need at home.
"""

import ast
import re
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.errors import ExtensionError

from ...content import ROOT, chapters, questions, read_list
from .results import FromNotebooks

PLAN, STAGES = "book/teach/plan.yml", "book/teach/capstone.md"
TESTS = "book/teach/growing/test_my_positions.py"
# Minutes at home for an exercise that is handed in: estimates for somebody who has read the chapter.
MINUTES = {"Predict": 5, "Derive": 10, "Repair": 15, "Implement": 20, "Prove": 30}
READ = 4  # minutes that a chapter's *Time* counts for each exercise


def objectives(text):
    """Return [(what one is able to do, [exercise, …]), …] from the Markdown of a chapter."""
    block = re.search(r"What you will be able to do</summary>\n\n(.*?)\n\n", text, re.DOTALL)[1]
    lines = [" ".join(line.split()) for line in re.split(r"^- ", block, flags=re.M)[1:]]
    pairs = (re.fullmatch(r"(.*) \(exercises? ([^)]*)\)[;.]", line) for line in lines)
    return [(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", pair[1]), re.findall(r"\d+\.\d+", pair[2])) for pair in pairs]


def exercises_of(chapter):
    """Return {number: exercise} of a chapter, given by its number."""
    return {exercise.number: exercise for exercise in chapters()[chapter].exercises}


def stage_tests(chapter):
    """Return {test of the file that grows, in words: the checker of the chapter that it calls, or ""} of a chapter."""
    stage, tests = f"chapter_{chapter:02d}", {}
    module = ast.parse((ROOT / TESTS).read_text(encoding="utf-8"))
    (checks,) = (part.value for part in module.body if ast.unparse(part).startswith("CHECKS ="))
    for name, entry in zip(checks.keys, checks.values, strict=True):  # "chapter_04_the_shift": (chapter_04.shift, …)
        of, _, checker = ast.unparse(entry.elts[0]).partition(".")
        tests[name.value] = checker if of == stage else ""
    names = [part.name for part in module.body if isinstance(part, ast.FunctionDef)]
    tests |= {name.removeprefix("test_"): "" for name in names if name.startswith("test_")}
    return {name[11:].replace("_", " "): checker for name, checker in tests.items() if name.startswith(stage)}


def map_entries(chapter, places):
    """Return [(what one is able to do, {kind of place: [name, …]}), …] of a chapter, the last with tests of all of it.

    places: what the plan has of the chapter. Raises ExtensionError where it names what is not there, or
    leaves out what is.
    """
    text, tests = chapters()[chapter].prose, stage_tests(chapter)
    checker_of = {number: exercise.checker for number, exercise in exercises_of(chapter).items()}
    lines, ids = objectives(text), [question.id for question in questions()[chapter]]
    asked = [name for place in places for name in place.get("ask", ())]
    heads = re.findall(r"^##+ (.*)$", text, re.M)
    missing = [head for place in places for head in place["in"] if head not in heads]
    if len(lines) != len(places) or sorted(asked) != sorted(ids) or missing:
        raise ExtensionError(
            f"{PLAN}: chapter {chapter} has {len(lines)} objectives, the questions {ids}, no section {missing}"
        )
    entries = []
    for (words, numbers), place in zip(lines, places, strict=True):
        its_checkers = [checker_of[number] for number in numbers]
        its_tests = [name for name, checker in tests.items() if checker in its_checkers]
        kinds = {"Section": place["in"], "Questions": place.get("ask", []), "Exercises": numbers, "Tests": its_tests}
        entries.append((words, kinds))
    rest = [name for name, checker in tests.items() if checker not in checker_of.values()]
    return [*entries, ("All of it", {"Tests": rest})] if rest else entries


def minutes_at_home(meeting):
    """Return the minutes for a meeting of a schedule: reading, as chapters state it, exercises, stages of the file."""
    stages = (ROOT / STAGES).read_text(encoding="utf-8")
    hours = {int(stage): time for stage, time in re.findall(r"^\| (\d+) \|.*\| ([\d½]+) \|$", stages, re.M)}
    total = sum(60 * float(hours[stage].replace("½", ".5")) for stage in meeting.get("stages", ()))
    for exercise in meeting["exercises"]:
        total += MINUTES[exercises_of(int(exercise.partition(".")[0]))[exercise].kind]
    for chapter in meeting["read"]:
        text = chapters()[chapter].prose
        total += int(re.search(r"\*Time:\*\s+(\d+)\s+minutes", text)[1]) - READ * len(exercises_of(chapter))
    return total


def in_hours(minutes):
    """Return minutes as hours, up to the next half: 1½."""
    halves = int(-(-minutes // 30))
    return f"{halves // 2 or ''}{'½' * (halves % 2)}"


class FromPlan(FromNotebooks):
    """A directive that makes lists and tables of the plan."""

    def parsed(self, lines):
        """Return lines of Markdown as a node. The page then depends on all that plans are made of."""
        for path in (PLAN, STAGES, TESTS, *(f"{chapter.page}.ipynb" for chapter in chapters().values())):
            self.env.note_dependency(str(Path(self.env.srcdir) / path))
        holder = nodes.container(classes=["plan"])
        self.state.nested_parse(StringList(lines, PLAN), 0, holder)
        return holder


class TeachingMap(FromPlan):
    """`{teaching-map}`: objective, section, questions, exercises and tests, by chapter."""

    def run(self):
        """Return a section for each chapter of the plan."""
        sections = []
        for chapter, places in read_list(PLAN)["objectives"].items():
            section = nodes.section(ids=[f"map-{chapter}"], names=[f"map {chapter}"])
            section += nodes.title("", "", *self.inline(chapters()[chapter].title_in_contents))
            lines = []
            for words, kinds in map_entries(chapter, places):
                kinds["Questions"] = [f"{{ref}}`{name} <{name}>`" for name in kinds.get("Questions", ())]
                parts = [f"*{kind}:* {', '.join(names)}" for kind, names in kinds.items() if names]
                lines += [f"- **{words}**<br>", f"  {'; '.join(parts)}"]
            section += self.parsed(lines)
            sections.append(section)
        return sections


class Schedule(FromPlan):
    """`{schedule} NAME`: meetings, what to read and to hand in, and the hours at home."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        """Return the table of the schedule that the argument names."""
        meetings, total = read_list(PLAN)["schedules"][self.arguments[0]], 0
        rows = ["| Meeting | In class | Read at home | Hand in | Hours at home |", "|---|---|---|---|---|"]
        for count, meeting in enumerate(meetings, 1):
            minutes = minutes_at_home(meeting)
            total += minutes
            to_read = ", ".join(f"[{n}](../../{chapters()[n].page}.ipynb)" for n in meeting["read"])
            given = [*meeting["exercises"], *(f"stage {n}" for n in meeting.get("stages", ()))]
            rows.append(f"| {count} | {meeting['class']} | {to_read} | {', '.join(given)} | {in_hours(minutes)} |")
        return [self.parsed([*rows, f"| | | | in all | {in_hours(total)} |"])]


def setup(app):
    app.add_directive("teaching-map", TeachingMap)
    app.add_directive("schedule", Schedule)

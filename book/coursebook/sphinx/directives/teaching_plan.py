"""What a teacher plans with, put together from the chapters, `book/teach/plan.yml` and the file that grows.

`{teaching-map}` is a list for each chapter: what one is able to do, in which section, and which questions, exercises
and tests are about it.
"""

import ast
import re

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.errors import ExtensionError

from ...content import ROOT, chapters, questions, read_list
from .base import FromCourse

PLAN, TESTS = "book/teach/plan.yml", "book/teach/growing/test_my_positions.py"


def objectives(text):
    """[(what one is able to do, [exercise, …]), …] from the Markdown of a chapter."""
    block = re.search(r"What you will be able to do</summary>\n\n(.*?)\n\n", text, re.DOTALL)[1]
    lines = [" ".join(line.split()) for line in re.split(r"^- ", block, flags=re.M)[1:]]
    pairs = (re.fullmatch(r"(.*) \(exercises? ([^)]*)\)[;.]", line) for line in lines)
    return [(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", pair[1]), re.findall(r"\d+\.\d+", pair[2])) for pair in pairs]


def exercises_of(chapter):
    """{number: exercise} of a chapter, given by its number."""
    return {exercise.number: exercise for exercise in chapters()[chapter].exercises}


def stage_tests(chapter):
    """{test of the file that grows, in words: the checker of the chapter that it calls, or ""} of a chapter."""
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
    """[(what one is able to do, {kind of place: [name, …]}), …] of a chapter, the last with tests of all of it.

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


class TeachingMap(FromCourse):
    """`{teaching-map}`: objective, section, questions, exercises and tests, by chapter."""

    def run(self):
        """A section for each chapter of the plan."""
        sections = []
        for chapter, places in read_list(PLAN)["objectives"].items():
            section = nodes.section(ids=[f"map-{chapter}"], names=[f"map {chapter}"])
            section += nodes.title("", "", *self.inline(chapters()[chapter].title_in_contents))
            lines = []
            for words, kinds in map_entries(chapter, places):
                kinds["Questions"] = [f"{{ref}}`{name} <{name}>`" for name in kinds.get("Questions", ())]
                parts = [f"*{kind}:* {', '.join(names)}" for kind, names in kinds.items() if names]
                lines += [f"- **{words}**<br>", f"  {'; '.join(parts)}"]
            self.state.nested_parse(StringList(lines, PLAN), 0, section)
            sections.append(section)
        return sections

"""What stands beside the exercises of the chapters.

A notebook has the question, the cell to fill in and the solution (`coursebook.content`); `posenc/checks/chapter_05.py`,
which a reader imports, has the checkers. All else is here, in one module a chapter (`chapter_05.py`), by the checkers'
names:

    ANSWERS  right and wrong answers on file, and a word of the hint that each wrong one gets (`answer_source`)
    RULES    of an answer that is a number: how a variant differs from the book's question (`variants`)
"""

import importlib
from pathlib import Path

from ...content import Forgotten

CHAPTERS = sorted(path.stem for path in Path(__file__).parent.glob("chapter_*.py"))


def table(chapter, name):
    """One of the two tables of a chapter, such as "chapter_05"."""
    if chapter not in CHAPTERS:
        raise Forgotten(f"book/coursebook/teach/exercises/{chapter}.py", "is missing: write RULES and ANSWERS there")
    return getattr(importlib.import_module(f".{chapter}", __package__), name)


def entry_for(chapter, name, checker):
    """What such a table has for a checker."""
    entries = table(chapter, name)
    if checker not in entries:
        raise Forgotten(f"book/coursebook/teach/exercises/{chapter}.py", f"has no {checker!r} in {name}: add it there")
    return entries[checker]

"""Write the questions of `book/teach/quizzes.yml` for learning systems, into _build/teach/questions.

    python book/_teach/questions.py

questions.gift is for Moodle: a category for each chapter. chapter_NN.zip is QTI 1.2, for Canvas and others that read
it, made by text2qti. Each option keeps its explanation as feedback. Formulas are TeX in GIFT, which Moodle's filter
sets, and equation images in QTI, as Canvas makes them.
"""

from html import escape

import built_site
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from quizzes import read
from text2qti.config import Config
from text2qti.qti import QTI
from text2qti.quiz import Quiz

OUT = built_site.ROOT / "_build" / "teach" / "questions"
TITLE = "Positional Encoding, Proved and Run"
NAMED = ("equals", "lbrace", "rbrace", "num", "colon")
NAMES = str.maketrans(dict(zip("\\={}#:", ("\\\\", *(f"&{name};" for name in NAMED)), strict=True)))
MARKDOWN = MarkdownIt("commonmark").use(dollarmath_plugin)
MARKDOWN.add_render_rule("math_inline", lambda self, tokens, n, *_: rf"\({escape(tokens[n].content)}\)")


def options(question):
    """For each option: whether it is right, its words, and why; each text on one line."""
    for option in question["options"]:
        right = "right" in option
        words = option["right" if right else "wrong"]
        yield right, " ".join(words.split()), " ".join(option["why"].split())


def html(text):
    """A text as GIFT holds it: HTML, with names for the signs that have a meaning there, and each backslash twice."""
    return MARKDOWN.renderInline(" ".join(text.split())).translate(NAMES)


def gift(chapters):
    """All questions as GIFT."""
    lines = []
    for chapter, asked in chapters.items():
        lines += [f"$CATEGORY: $course$/{TITLE}/Chapter {chapter}", ""]
        for question in asked:
            lines.append(f"::{question['id']}::[html]{html(question['ask'])} {{")
            lines += [f"{'~='[right]}{html(words)}#{html(why)}" for right, words, why in options(question)]
            lines += ["}", ""]
    return "\n".join(lines)


def text2qti_source(chapter, asked):
    """The questions of a chapter in the format of text2qti."""
    lines = [f"Quiz title: {TITLE}, chapter {chapter}", "Shuffle answers: true", ""]
    for number, question in enumerate(asked, 1):
        lines += [f"Title: {question['id']}", f"{number}. {' '.join(question['ask'].split())}"]
        for letter, (right, words, why) in zip("abcdef", options(question), strict=False):
            lines += [f"{'*' * right}{letter}) {words}", f"... {why}"]
        lines.append("")
    return "\n".join(lines)


def main():
    """Write both forms."""
    chapters = read(built_site.ROOT)
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "questions.gift").write_text(gift(chapters), encoding="utf-8")
    for chapter, asked in chapters.items():
        quiz = Quiz(text2qti_source(chapter, asked), config=Config(), source_name=str(OUT))
        QTI(quiz).save(OUT / f"chapter_{chapter:02d}.zip")
    print(f"{sum(map(len, chapters.values()))} questions: {OUT}")


if __name__ == "__main__":
    main()

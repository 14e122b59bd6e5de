"""Write questions for learning systems, into _build/teach/questions.

    python -m coursebook.teach.questions

GIFT is for Moodle, QTI 1.2 for Canvas and others that read it; text2qti makes it, whose version the lock names.

    questions.gift, chapter_NN.zip        practice: the questions of `book/teach/quizzes.yml`, by chapters
    numbers.gift, numbers_chapter_NN.zip  for marks: exercises whose answer is a number, twenty variants of each in a
                                          category (GIFT), or in a group from which one is drawn (QTI)

Each option, and each known wrong number, keeps its sentence as feedback; QTI has one feedback for all wrong numbers,
and lists them. Formulas are TeX in GIFT, which Moodle's filter sets, and equation images in QTI, as Canvas makes them.
"""

import functools
import itertools
import re
from html import escape

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from text2qti.config import Config
from text2qti.qti import QTI
from text2qti.quiz import Quiz

from .. import content
from .exercises.variants import number_questions

OUT = content.ROOT / "_build" / "teach" / "questions"
ADDRESS = content.config()["sphinx"]["config"]["html_baseurl"]
TITLE = "Positional Encoding, Proved and Run"
ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in "\\~={}#:"})
UNKNOWN = "This is not the number."
KNOWN = "Is it one of these mistakes?"
LICENCE = "CC BY 4.0 - https://creativecommons.org/licenses/by/4.0/"
RESERVED = "Private (Copyrighted) - http://en.wikipedia.org/wiki/Copyright"  # what text2qti says of every quiz
LISTED = 6  # known mistakes, in the one feedback that QTI has for them
MARKDOWN = MarkdownIt("commonmark").use(dollarmath_plugin)
MARKDOWN.add_render_rule("math_inline", lambda self, tokens, n, *_: rf"\({escape(tokens[n].content)}\)")


@functools.cache
def cards():
    """The public address of each card, by its id."""
    return {
        id: f"{ADDRESS}{chapter.page}.html#result-{id}" for chapter in content.notebooks() for id in chapter.results
    }


def options(question):
    """Yield for each option: whether it is right, its words, and why, with a link to its card; each on one line."""
    for option in question.options:
        why = f"{option.why} [Its card]({cards()[option.by]})"
        yield option.is_right, " ".join(option.words.split()), " ".join(why.split())


def html(text):
    """Markdown as HTML for GIFT, with a backslash before each sign that has a meaning there."""
    return MARKDOWN.renderInline(" ".join(text.split())).translate(ESCAPED)


def page(text):
    """Markdown of several paragraphs, or with code in it, as `html` does; a line's end is \\n."""
    return MARKDOWN.render(text).strip().translate(ESCAPED).replace("\n", "\\n")


def gift(categories):
    """The text of a GIFT file. categories: {category: [(name, what is asked, "" or "#", [answer, …]), …]}."""
    lines = [f"// {TITLE}, {LICENCE}", ""]
    for category, entries in categories.items():
        lines += [f"$CATEGORY: $course$/{TITLE}/{category}", ""]
        for name, ask, kind, answers in entries:
            lines += [f"::{name}::[html]{ask} {{{kind}", *answers, "}", ""]
    return "\n".join(lines)


def gift_choice(question):
    """A question of quizzes.yml as `gift` takes it."""
    answers = [f"{'=' if right else '~'}{html(words)}#{html(why)}" for right, words, why in options(question)]
    return question.id, html(question.ask), "", answers


def gift_number(question, chapter):
    """A NumberQuestion of a chapter as `gift` takes it; a known wrong number is one of no marks."""
    sentences = {question.right: question.because} | question.hints
    answers = [f"{number(value)}:{question.within:g}#{html(why)}" for value, why in sentences.items()]
    answers = [f"={answers[0]}", *(f"=%0%{answer}" for answer in answers[1:]), f"~#{html(UNKNOWN)}"]
    return question.name, page(with_source(question.ask, chapter)), "#", answers


def text2qti_source(chapter, asked):
    """The questions of a chapter, given by its number and their list, in the format of text2qti."""
    lines = [f"Quiz title: {TITLE}, chapter {chapter}", "Shuffle answers: true", ""]
    for number, question in enumerate(asked, 1):
        lines += [f"Title: {question.id}", f"{number}. {' '.join(question.ask.split())}"]
        for letter, (right, words, why) in zip("abcdef", options(question), strict=False):
            lines += [f"*{letter}) {words}" if right else f"{letter}) {words}", f"... {why}"]
        lines.append("")
    return "\n".join(lines)


def with_source(ask, chapter):
    """The words of a question, with a link to its chapter, given by its number."""
    return f"{ask}\n\n[Chapter {chapter}]({ADDRESS}{content.chapters()[chapter].page}.html) has what it takes."


def number(value):
    """A number as both formats read it."""
    return f"{value:.10f}".rstrip("0").rstrip(".")


def text2qti_numbers(chapter, banks):
    """The numbers of a chapter in the format of text2qti: a group for each exercise, of which one is drawn."""
    lines = [f"Quiz title: {TITLE}, numbers of chapter {chapter}", ""]
    for asked in banks.values():
        lines += ["GROUP", "pick: 1", "points per question: 1", ""]
        for question in asked:
            # The sentences alone: their numbers can stand on both sides of the right one.
            listed = [f"- {why}" for why in itertools.islice(question.hints.values(), LISTED)]
            lines += [
                f"Title: {question.name}",
                _indented("1.", with_source(question.ask, chapter)),
                _indented("+", question.because),
            ]
            lines.append(_indented("-", "\n".join([UNKNOWN, "", KNOWN, "", *listed])))
            margin = f" +- {question.within:g}" if question.within else ""
            lines += [f"= {number(question.right)}{margin}", ""]
        lines += ["END_GROUP", ""]
    return "\n".join(lines)


def _indented(mark, text):
    """A text of several lines after its mark, all but the first indented, as text2qti wants it."""
    return f"{mark:4}" + re.sub(r"\n(?=.)", "\n    ", text)


def save(source, name):
    """Write a quiz in the format of text2qti to OUT, as a zip archive of QTI."""
    packed = QTI(Quiz(source, config=Config(), source_name=name))
    packed.imsmanifest_xml = packed.imsmanifest_xml.replace(RESERVED, f"{TITLE}, {LICENCE}")
    packed.save(OUT / f"{name}.zip")


def main():
    """Write to OUT practice and numbers, all as one GIFT file each, and those of a chapter as a zip archive of QTI."""
    OUT.mkdir(parents=True, exist_ok=True)
    practice, numbers, left_out = {}, {}, []
    for chapter, asked in content.questions().items():
        practice[f"Chapter {chapter}"] = list(map(gift_choice, asked))
        save(text2qti_source(chapter, asked), f"chapter_{chapter:02d}")
    for chapter in content.with_exercises():
        banks = number_questions(chapter)
        for exercise, asked in banks.items():
            category = f"Numbers of chapter {chapter.number}/Exercise {exercise}"
            numbers[category] = [gift_number(question, chapter.number) for question in asked]
        save(text2qti_numbers(chapter.number, banks), f"numbers_{chapter.checks}")
        kinds = [(exercise.number, exercise.kind) for exercise in chapter.exercises]
        left_out += [number for number, kind in kinds if kind in ("Predict", "Derive") and number not in banks]
    for name, categories in {"questions": practice, "numbers": numbers}.items():
        (OUT / f"{name}.gift").write_text(gift(categories), encoding="utf-8")
    counts = [sum(map(len, categories.values())) for categories in (practice, numbers)]
    print(f"{counts[0]} questions for practice, {counts[1]} with a number, on {len(numbers)} exercises: {OUT}")
    print(f"Not among them, since their answer is more than a number: {', '.join(left_out)}")


if __name__ == "__main__":
    main()

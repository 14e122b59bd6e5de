"""The question banks with a number as answer, read back from both formats and marked as a learning system would."""

import functools
import html
import re
import zipfile
from xml.etree import ElementTree

import exercises as course
import pytest
import questions
from exercises import variants

from posenc import checks

banks_of = functools.cache(variants.number_questions)
for_each_chapter = pytest.mark.parametrize("path", course.chapters(), ids=lambda path: path.stem)


@for_each_chapter
def test_a_checker_takes_what_a_variant_calls_right_and_gives_its_hint_for_what_it_calls_wrong(path):
    chapter = course.chapter_of(path)
    for exercise in course.exercises_in(path):
        if exercise.checker in course.table(chapter, "RULES"):
            judge, rule = (
                course.checker_for(chapter, exercise.checker),
                course.table(chapter, "RULES")[exercise.checker],
            )
            assert variants.told(exercise, rule, judge, rule.book(judge)).question.split() == exercise.question.split()
            named = set()
            for arguments in rule.variants(judge)[::7]:
                call = variants.compared(judge, arguments)
                assert judge(call["expected"], **arguments).right
                for slip, wrong in call["slips"].items():
                    verdict = judge(wrong, **arguments)
                    assert verdict.right or verdict.message in call["slips"], (exercise.number, arguments, slip)
                    if verdict.message == slip:
                        named.add(list(call["slips"]).index(slip))
            assert len(named) == len(call["slips"]), f"{exercise.number}: a hint that no variant ever gives"


@for_each_chapter
def test_a_bank_has_different_questions_with_hints(path):
    for number, asked in banks_of(path).items():
        assert len(asked) >= 4, number
        assert len({question.ask for question in asked}) == len(asked), f"{number}: two variants read alike"
        assert all(question.hints and len(question.ask) < 900 for question in asked), number


def import_gift(text):
    """{name: [(share, number, tolerance, feedback), …]} by the rules of GIFT; None is any number."""
    found = {}
    words = r"(?:\\.|[^\\#={}~:\n])"  # a sign that has a meaning stands behind a backslash
    for name, body in re.findall(rf"^::([^:]+)::\[html\]{words}+ \{{#\n(.*?)\n\}}$", text, re.MULTILINE | re.DOTALL):
        answers = []
        for line in body.splitlines():
            weight, value, tolerance, feedback = re.fullmatch(rf"[=~](%0%)?([^:#]*):?([^#]*)#({words}*)", line).groups()
            place = (float(value), float(tolerance)) if line[0] == "=" else (None, 0)
            feedback = html.unescape(re.sub(r"\\(.)", r"\1", feedback))
            answers.append((0 if weight or line[0] == "~" else 1, *place, feedback))
        found[name] = answers
    return found


def marked(answers, value):
    """The share and the feedback for a number that a student types."""
    for share, right, tolerance, feedback in answers:
        if right is None or abs(value - right) <= tolerance * 1.0001 + 1e-9:
            return share, feedback
    return None


@for_each_chapter
def test_gift_marks_right_and_known_wrong_numbers_and_says_why(path):
    banks = banks_of(path)
    read = import_gift(questions.gift_numbers({1: banks}))
    asked = [question for bank in banks.values() for question in bank]
    assert list(read) == [question.name for question in asked]
    for question in asked:
        because, *hints = (
            questions.MARKDOWN.renderInline(words) for words in (question.because, *question.hints.values())
        )
        assert marked(read[question.name], question.right) == (1, html.unescape(because))
        for wrong, hint in zip(question.hints, hints, strict=True):
            assert marked(read[question.name], wrong) == (0, html.unescape(hint))
        assert marked(read[question.name], 4e9 + 0.3) == (0, questions.UNKNOWN)


@for_each_chapter
def test_qti_marks_right_and_known_wrong_numbers_and_draws_one_of_each_bank(path, tmp_path, monkeypatch):
    monkeypatch.setattr(questions, "OUT", tmp_path)
    banks = banks_of(path)
    questions.save(questions.text2qti_numbers(1, banks), "numbers")
    with zipfile.ZipFile(tmp_path / "numbers.zip") as packed:
        (name,) = (name for name in packed.namelist() if re.search(r"(\w+)/\1\.xml", name))
        quiz = ElementTree.fromstring(packed.read(name))
        assert questions.LICENCE in packed.read("imsmanifest.xml").decode()
    groups = [section for section in quiz.findall(".//{*}section") if section.find("{*}selection_ordering") is not None]
    assert [group.findtext(".//{*}selection_number") for group in groups] == ["1"] * len(banks)
    for group, asked in zip(groups, banks.values(), strict=True):
        for item, question in zip(group.findall("{*}item"), asked, strict=True):
            least, most = (float(item.findtext(f".//{{*}}{limit}")) for limit in ("vargte", "varlte"))
            assert least <= question.right <= most or abs(question.right - least) < 1e-9
            assert not [wrong for wrong in question.hints if least <= wrong <= most], question.name
            words = {part.get("ident"): part.findtext(".//{*}mattext") for part in item.findall("{*}itemfeedback")}
            assert words["correct_fb"]
            assert words["general_incorrect_fb"].count("<li>") == min(len(question.hints), questions.LISTED)


def test_numbers_are_asked_for_wherever_the_answer_is_one():
    """Of *predict* and *derive* at most twelve are left out, whose answer is a word, a function or a key."""
    derived = [e for path in course.chapters() for e in course.exercises_in(path) if e.kind in ("Predict", "Derive")]
    drawn = {number for path in course.chapters() for number in banks_of(path)}
    assert drawn <= {exercise.number for exercise in derived}
    assert len(derived) - len(drawn) <= 12


@for_each_chapter
def test_an_answer_with_the_decimals_that_a_question_asks_for_is_right(path):
    places = {"one": 1, "two": 2, "three": 3, "four": 4}
    for exercise in course.exercises_in(path):
        said = re.search(r"to\s+(?:at\s+least\s+)?(one|two|three|four)\s+decimals?", exercise.question)
        if said and exercise.checker in course.table(course.chapter_of(path), "RULES"):
            judge = course.checker_for(course.chapter_of(path), exercise.checker)
            right, shape = checks.numbers(variants.compared(judge, {})["expected"])
            rounded = [round(value, places[said[1]]) for value in right]
            if len(shape) == 2:
                rounded = [rounded[row : row + shape[1]] for row in range(0, len(rounded), shape[1])]
            assert judge(rounded).right, f"{exercise.number}: {rounded}"

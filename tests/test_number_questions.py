"""Questions for a learning system, read back from both formats and marked as it would."""

import functools
import html
import re
import zipfile
from xml.etree import ElementTree

import pytest

from coursebook import content
from coursebook.content import checker_for, with_exercises
from coursebook.teach import exercises as course
from coursebook.teach import questions
from coursebook.teach.exercises import variants
from posenc import checks

banks_of = functools.cache(variants.number_questions)
for_each_chapter = pytest.mark.parametrize("chapter", with_exercises(), ids=lambda chapter: chapter.name)


@for_each_chapter
def test_a_checker_takes_what_a_variant_calls_right_and_gives_its_hint_for_what_it_calls_wrong(chapter):
    rules = course.table(chapter.checks, "RULES")
    for exercise in chapter.exercises:
        if not (rule := rules.get(exercise.checker)):
            continue
        judge, where = checker_for(chapter.checks, exercise.checker), exercise.number
        book = variants.in_words(exercise, rule, judge, rule.book(judge))
        assert book.question.split() == exercise.question.split()
        hints = set()
        for arguments in rule.variants(judge)[::7]:
            (_, expected), outcomes, _ = variants.compared(judge, arguments)
            assert judge(expected, **arguments).right
            slips = list(outcomes)
            for slip, wrong in outcomes.items():
                verdict = judge(wrong, **arguments)
                assert verdict.right or verdict.message in slips, (where, arguments, slip)
                if verdict.message == slip:
                    hints.add(slips.index(slip))
        assert len(hints) == len(slips), f"{where}: a hint that no variant ever gives"


@for_each_chapter
def test_a_bank_has_different_questions_with_hints(chapter):
    for number, asked in banks_of(chapter).items():
        assert len(asked) >= 4, number
        assert len({question.ask for question in asked}) == len(asked), f"{number}: two variants read alike"
        assert all(question.hints and len(question.ask) < 900 for question in asked), number


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What `make questions` writes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "OUT", tmp_path_factory.mktemp("questions"))
        questions.main()
        yield questions.OUT


WORDS = r"(?:\\.|[^\\#={}~:\n])"  # a sign that has a meaning stands behind a backslash


def import_gift(path):
    """{name: [(right, number, tolerance, feedback), …]} by the rules of GIFT; None: any, or a choice."""
    blocks = re.findall(rf"^::([^:]+)::\[html\]{WORDS}+ \{{#?\n(.*?)\n\}}$", path.read_text("utf-8"), re.M | re.S)
    read = {}
    for name, body in blocks:
        read[name] = []
        for line in body.splitlines():
            sign, none, value, tolerance, feedback = re.fullmatch(
                rf"([=~])(%0%)?(?:([-.\d]+):([-.\de]+)|{WORDS}*)#({WORDS}+)", line
            ).groups()
            number = (float(value), float(tolerance)) if value else (None, 0)
            feedback = html.unescape(re.sub(r"\\(.)", r"\1", feedback))
            read[name].append((sign == "=" and not none, *number, feedback))
    return read


def import_qti(path):
    """The root of the quiz in an archive of QTI, whose manifest has the licence."""
    with zipfile.ZipFile(path) as packed:
        assert questions.LICENCE in packed.read("imsmanifest.xml").decode()
        (name,) = (name for name in packed.namelist() if re.search(r"(\w+)/\1\.xml", name))
        return ElementTree.fromstring(packed.read(name))


def marked(answers, value):
    """The mark and the feedback for a number that a student types."""
    for right, number, tolerance, feedback in answers:
        if number is None or abs(value - number) <= tolerance * 1.0001 + 1e-9:
            return right, feedback
    return None


def test_gift_marks_right_and_known_wrong_numbers_and_says_why(folder):
    read = import_gift(folder / "numbers.gift")
    asked = [question for chapter in with_exercises() for bank in banks_of(chapter).values() for question in bank]
    assert list(read) == [question.name for question in asked]
    for question in asked:
        because, *hints = (
            html.unescape(questions.MARKDOWN.renderInline(words))
            for words in (question.because, *question.hints.values())
        )
        assert marked(read[question.name], question.right) == (True, because)
        for wrong, hint in zip(question.hints, hints, strict=True):
            assert marked(read[question.name], wrong) == (False, hint)
        assert marked(read[question.name], 4e9 + 0.3) == (False, questions.UNKNOWN)


@for_each_chapter
def test_qti_marks_right_and_known_wrong_numbers_and_draws_one_of_each_bank(chapter, folder):
    banks = banks_of(chapter)
    quiz = import_qti(folder / f"numbers_{chapter.checks}.zip")
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


def test_practice_keeps_every_option_its_reason_its_card_and_what_is_right(folder):
    read, practice = import_gift(folder / "questions.gift"), content.questions()
    assert list(read) == [question.id for asked in practice.values() for question in asked]
    for chapter, asked in practice.items():
        items = import_qti(folder / f"chapter_{chapter:02d}.zip").findall(".//{*}item")
        for question, item in zip(asked, items, strict=True):
            right, reasons = [option.is_right for option in question.options], read[question.id]
            assert [answer[0] for answer in reasons] == right
            assert all(answer[-1].count(f'"{questions.ADDRESS}notebooks/') == 1 for answer in reasons)
            assert not [answer for answer in reasons if re.search(r"\bthis card\b", answer[-1])]
            assert item.get("title") == question.id
            scored = item.findtext(".//{*}setvar/../{*}conditionvar/{*}varequal")
            assert [label.get("ident") == scored for label in item.findall(".//{*}response_label")] == right
            assert len(item.findall("{*}itemfeedback")) == len(right)


def test_numbers_are_asked_for_wherever_the_answer_is_one():
    """Of *predict* and *derive* at most twelve are left out, whose answer is a word, a function or a key."""
    derived = [e for chapter in with_exercises() for e in chapter.exercises if e.kind in ("Predict", "Derive")]
    drawn = {number for chapter in with_exercises() for number in banks_of(chapter)}
    assert drawn <= {exercise.number for exercise in derived}
    assert len(derived) - len(drawn) <= 12


@for_each_chapter
def test_an_answer_with_the_decimals_that_a_question_asks_for_is_right(chapter):
    places = {"one": 1, "two": 2, "three": 3, "four": 4}
    for exercise in chapter.exercises:
        said = re.search(r"to\s+(?:at\s+least\s+)?(one|two|three|four)\s+decimals?", exercise.question)
        if said and exercise.checker in course.table(chapter.checks, "RULES"):
            judge = checker_for(chapter.checks, exercise.checker)
            right, shape = checks.numbers(variants.compared(judge, {})[0][1])
            rounded = [round(value, places[said[1]]) for value in right]
            if len(shape) == 2:
                rounded = [rounded[row : row + shape[1]] for row in range(0, len(rounded), shape[1])]
            assert judge(rounded).right, f"{exercise.number}: {rounded}"

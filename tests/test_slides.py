"""Slides and questions by the lists and the notebooks alone: each names what its chapter has."""

import re

import built_site
import pages
import pytest
import quizzes
import results
import run_sheet
from built_site import ROOT

QUESTIONS = quizzes.read(ROOT)
CHAPTERS = run_sheet.slides(ROOT)
RESULT = "application/vnd.posenc.result+json"
WRITE = "name one in book/teach/slides.yml as it begins there"


def test_every_chapter_has_questions_and_each_option_names_a_result_of_its_chapter():
    assert list(QUESTIONS) == [int(name[:2]) for name in pages.CHAPTERS if int(name[:2]) in QUESTIONS]
    for chapter, asked in QUESTIONS.items():
        own = set()
        for path in results.notebooks():
            if results.number(path) == chapter:
                own |= results.results_of(path).keys()
        for question in asked:
            assert len(question["options"]) >= 3, question["id"]
            assert {option["by"] for option in question["options"]} <= own, question["id"]
            assert len({option.get("right", option.get("wrong")) for option in question["options"]}) >= 3
    places = [["right" in option for option in q["options"]].index(True) for a in QUESTIONS.values() for q in a]
    assert max(map(places.count, range(3))) < 0.6 * len(places), "the right option stands too often in one place"


def test_slides_say_little():
    said = [slide["say"] for deck in CHAPTERS.values() for slide in deck if "say" in slide]
    assert [line for line in said if len(line) > 56] == [], "say it in 56 letters"
    asked = {question["id"] for asked in QUESTIONS.values() for question in asked}
    for deck in CHAPTERS.values():
        assert {slide["quiz"] for slide in deck if "quiz" in slide} <= asked
        assert sum("figure" in slide for slide in deck) >= len(deck) / 3, f"show more figures: {deck[0]}"


def is_of(slide, cell):
    """Whether a cell makes what a slide shows."""
    kind, source = run_sheet.kind_of(slide), "".join(cell["source"])
    data = [output["data"] for output in cell.get("outputs", ()) if "data" in output]
    if kind == "card":
        return any(output.get(RESULT, {}).get("id") == slide["card"] for output in data)
    if kind == "figure":
        captions = ["".join(output.get("text/markdown", "")) for output in data]
        return any(built_site.words(text).startswith(f"**Figure.** {slide['figure']}") for text in captions)
    return cell["cell_type"] == "code" and source.startswith(slide["code"])


@pytest.mark.parametrize("name", pages.CHAPTERS)
def test_a_chapter_has_slides(name):
    number = int(name[:2])
    assert number in CHAPTERS, f"write the slides of chapter {number} in book/teach/slides.yml"


@pytest.mark.parametrize("chapter", CHAPTERS, ids="chapter_{:02}".format)
def test_slides_name_what_their_chapter_has(chapter):
    """By the notebooks alone: `book/teach/slides.yml` follows captions, headings and first lines of code."""
    cells = results.cells(results.numbered()[chapter])
    prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    for slide in CHAPTERS[chapter]:
        if "formula" in slide:
            found = len(re.findall(rf"^#+ {re.escape(slide['formula'])}", prose, re.M))
            assert found == 1, f"{slide} is {found} headings of chapter {chapter}: {WRITE}"
        elif "quiz" not in slide:
            found = sum(is_of(slide, cell) for cell in cells)
            assert found == 1, f"{slide} is {found} cells of chapter {chapter}: {WRITE}"


def test_the_lecture_takes_its_minutes_at_130_words_a_minute():
    asked, deck = run_sheet.questions(ROOT), CHAPTERS[0]
    for short, planned in ((False, 75), (True, 45)):
        slides_of = [slide for slide in deck if not (short and slide.get("in_45") == "no")]
        assert all(len(slide["tell"].split()) > 7 or "quiz" in slide for slide in slides_of)
        times = [run_sheet.seconds(slide, run_sheet.spoken_text(slide, asked), short) for slide in slides_of]
        takes = sum(times) / 60
        assert planned - 2 < takes <= planned, (
            f"the lecture of {planned} minutes takes {takes:.1f}: tell less or more, or change `minutes` and `in_45`"
        )
    assert all("minutes" in slide for slide in deck if "do" in slide)
    assert "step" in deck[0]

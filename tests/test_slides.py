"""Slides and questions by the lists and the notebooks alone: each names what its chapter has."""

import pytest
from sphinx.errors import ExtensionError

from coursebook import content
from coursebook.sphinx.directives import run_sheet, teaching_plan
from coursebook.tools import pages

QUESTIONS = content.questions()
DECKS = content.slides()


def test_every_chapter_has_questions_and_each_option_names_a_result_of_its_chapter():
    assert list(QUESTIONS) == [int(name[:2]) for name in pages.CHAPTERS if int(name[:2]) in QUESTIONS]
    places = []
    for chapter, questions in QUESTIONS.items():
        notebooks = [notebook for notebook in content.notebooks() if notebook.number == chapter]
        own = {name for notebook in notebooks for name in notebook.results}
        for question in questions:
            assert {option.by for option in question.options} <= own, question.id
            assert len({option.words for option in question.options}) >= 3, question.id
            places.append([option.is_right for option in question.options].index(True))
    assert max(map(places.count, range(3))) < 0.6 * len(places), "the right option stands too often in one place"


def test_every_chapter_has_slides_that_say_little():
    assert list(DECKS) == [0] + [int(name[:2]) for name in pages.CHAPTERS], "write its slides in book/teach/slides.yml"
    for deck in DECKS.values():
        assert [slide for slide in deck if len(slide.get("say", "")) > 56] == [], "say it in 56 letters"
        assert sum("figure" in slide for slide in deck) >= len(deck) / 3, "show more figures"
        assert {slide["quiz"] for slide in deck if "quiz" in slide} <= run_sheet.questions_by_id().keys()


def test_the_lecture_takes_its_minutes_at_130_words_a_minute():
    deck = DECKS[0]
    for short, planned in ((False, 75), (True, 45)):
        slides = [slide for slide in deck if not (short and slide.get("in_45") == "no")]
        assert all(len(slide["tell"].split()) > 7 or "quiz" in slide for slide in slides)
        slides = [run_sheet.FIRST, *slides, run_sheet.LAST]
        takes = sum(run_sheet.seconds(slide, slide.get("tell", ""), short) for slide in slides) / 60
        advice = "tell less or more, or change `minutes` and `in_45`"
        assert planned - 2 < takes <= planned, f"the lecture of {planned} minutes takes {takes:.1f}: {advice}"
    assert all("minutes" in slide for slide in deck if "do" in slide)
    assert "step" in deck[0]


def test_the_map_has_every_exercise_and_every_test_of_the_file_that_grows_once():
    plan = content.read_list(teaching_plan.PLAN)["objectives"]
    assert list(plan) == list(QUESTIONS)
    for chapter, places in plan.items():
        entries = teaching_plan.map_entries(chapter, places)
        exercises, tests = (
            [name for _, kinds in entries for name in kinds.get(kind, ())] for kind in ("Exercises", "Tests")
        )
        assert sorted(exercises) == sorted(teaching_plan.exercises_of(chapter))
        assert sorted(tests) == sorted(teaching_plan.stage_tests(chapter))
    assert "one pair" in teaching_plan.map_entries(7, plan[7])[2][1]["Tests"]
    altered = [plan[7][0] | {"in": ["No such section"]}, *plan[7][1:]]
    with pytest.raises(ExtensionError, match="'No such section'"):
        teaching_plan.map_entries(7, altered)


def test_hours_at_home_are_reading_exercises_and_stages():
    read = teaching_plan.minutes_at_home({"read": [7], "exercises": []})
    all_of_it = {"read": [7], "exercises": ["7.3", "7.8"], "stages": [7]}
    assert teaching_plan.minutes_at_home(all_of_it) == read + 10 + 30 + 90
    assert [teaching_plan.in_hours(minutes) for minutes in (10, 60, 61, 150)] == ["½", "1", "1½", "2½"]
    for meetings in content.read_list(teaching_plan.PLAN)["schedules"].values():
        assert 0.5 < max(teaching_plan.minutes_at_home(meeting) for meeting in meetings) / 60 <= 8

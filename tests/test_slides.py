"""Slides and questions by the lists and the notebooks alone: each names what its chapter has."""

import re

import pytest
from sphinx.errors import ExtensionError

from coursebook import content
from coursebook.sphinx.directives import teaching_plan
from coursebook.teach import slides

QUESTIONS = content.questions()
DECKS = content.slides()


def test_every_chapter_has_questions_and_each_option_names_a_result_of_its_chapter():
    assert list(QUESTIONS) == sorted(QUESTIONS)
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
    assert list(DECKS) == list(content.chapters()), "write its slides in book/teach/slides.yml"
    ids = {question.id for asked in QUESTIONS.values() for question in asked}
    for deck in DECKS.values():
        assert [slide for slide in deck if len(slide.get("say", "")) > 56] == [], "say it in 56 letters"
        assert sum("figure" in slide for slide in deck) >= len(deck) / 3, "show more figures"
        assert {slide["quiz"] for slide in deck if "quiz" in slide} <= ids


def test_the_lecture_takes_its_minutes_at_130_words_a_minute():
    deck = DECKS[0]
    for short, planned in ((False, 75), (True, 45)):
        shown = [slide for slide in deck if not (short and slide.get("in_45") == "no")]
        assert all(len(slide["tell"].split()) > 7 or "quiz" in slide for slide in shown)
        shown = [slides.FIRST, *shown, slides.LAST]
        takes = sum(slides.seconds(slide, slide.get("tell", ""), short) for slide in shown) / 60
        advice = "tell less or more, or change `minutes` and `in_45`"
        assert planned - 2 < takes <= planned, f"the lecture of {planned} minutes takes {takes:.1f}: {advice}"
    assert all("minutes" in slide for slide in deck if "do" in slide)


def test_the_page_for_thursday_has_the_steps_of_the_lecture_and_exercises_that_are_there():
    page = content.text_of("book/teach/thursday.md")
    steps = re.findall(r"^\| \d+ \| \d+ \| \*\*(.*?)\*\*", page, re.M)
    assert steps == [slide["step"] for slide in DECKS[0] if "step" in slide]
    exercises = {exercise.number for chapter in content.with_exercises() for exercise in chapter.exercises}
    named = re.findall(r"\bexercises? ([\d., ]+)", page)
    assert {number for numbers in named for number in numbers.strip(" ,.").split(", ")} <= exercises


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

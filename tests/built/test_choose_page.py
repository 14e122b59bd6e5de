"""The page of choices in a browser: three questions by keyboard, one answer; all cases without scripts."""

import itertools

import pytest
from test_choose import CASES, FORM

OPTIONS = [list(question["options"]) for question in FORM["questions"].values()]


@pytest.fixture
def page(narrow):
    return narrow("book/choose.html", "form.chooser")


def expected(said):
    """The case that the rules of the page lead to, and those to read besides."""
    fits = [
        rule for rule in FORM["answers"]
        if all(value in rule.get(name, [value]) for name, value in zip(FORM["questions"], said, strict=True))
    ]  # fmt: skip
    first = next(rule["case"] for rule in fits if not rule.get("also"))
    return [first, *dict.fromkeys(rule["case"] for rule in fits if rule.get("also") and rule["case"] != first)]


def test_every_triple_is_answered(page):
    titles = {
        case: page.locator(f"section:has(> #{case}) > h3, section#{case} > h3").first.evaluate(
            "title => title.firstChild.textContent"
        )
        for case in CASES
    }
    for said in itertools.product(*OPTIONS):
        for name, value in zip(FORM["questions"], said, strict=True):
            page.locator(f"select[name={name}]").select_option(value)
        links = page.locator("form.chooser output a")
        assert links.all_inner_texts() == [titles[case] for case in expected(said)], said
        took = page.locator(".chosen > dl > dd").first.text_content()
        (section,) = page.locator(links.first.get_attribute("href")).all()
        assert took == section.locator("dl > dd").first.text_content() != ""
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.problems == []


def test_it_opens_with_no_choice_made_and_answers_as_soon_as_it_can(page):
    assert page.locator(".chosen > *").count() == page.locator("form.chooser output a").count() == 0
    page.get_by_label("How long are the texts?").select_option("packed")
    assert page.locator("form.chooser output a").count() == 0
    page.get_by_label("What do you build?").select_option("set")
    assert page.locator("form.chooser output a").first.inner_text() == "A set, a table, a graph"
    page.get_by_label("What do you build?").select_option("")
    assert page.locator(".chosen > *").count() == 0
    assert page.problems == []


def test_it_answers_by_keyboard(page):
    page.get_by_label("What do you build?").focus()
    page.keyboard.type("images")
    page.keyboard.press("Tab")
    page.keyboard.type("all")
    page.keyboard.press("Tab")
    page.keyboard.type("longer")
    assert "axial" in page.locator(".chosen").inner_text()
    page.keyboard.type("packed")
    assert page.locator("form.chooser output a").count() == 2
    page.locator("form.chooser output a").last.press("Enter")
    assert page.evaluate("location.hash").startswith("#")
    assert page.evaluate("new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size") == page.locator(
        "[id]"
    ).count()
    assert page.problems == []


def test_without_scripts_every_case_shows_and_no_dead_form(narrow):
    tab = narrow("book/choose.html", java_script_enabled=False)
    assert tab.locator("#the-cases > section:visible").count() == len(CASES)
    assert not tab.locator("form.chooser").is_visible()

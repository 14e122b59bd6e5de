"""The page of choices in a browser: three questions by keyboard, one answer; all cases without scripts."""

import itertools
from pathlib import Path

import pytest
from test_choose import CASES, FORM

ROOT = Path(__file__).parents[2]
OPTIONS = [list(question["options"]) for question in FORM["questions"].values()]


@pytest.fixture(scope="module")
def page_address(serve):
    site = ROOT / "_build" / "html"
    assert (site / "book" / "choose.html").is_file(), "there is no built site: run 'make book'"
    return serve(site) + "/book/choose.html"


@pytest.fixture
def page(chromium, page_address):
    """The page in a narrow window, with what it complains of."""
    tab = chromium.new_page(viewport={"width": 390, "height": 900})
    tab.problems = []
    tab.on("pageerror", lambda error: tab.problems.append(str(error)))
    tab.goto(page_address)
    tab.wait_for_selector("form.chooser:visible")
    yield tab
    tab.close()


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


def test_it_answers_by_keyboard(page):
    page.get_by_label("What do you build?").focus()
    page.keyboard.type("images")
    assert "axial" in page.locator(".chosen").inner_text()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("packed")
    assert page.locator("form.chooser output a").count() == 2
    page.locator("form.chooser output a").last.press("Enter")
    assert page.evaluate("location.hash").startswith("#")
    assert page.evaluate("new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size") == page.locator(
        "[id]"
    ).count()
    assert page.problems == []


def test_without_scripts_every_case_shows_and_no_dead_form(chromium, page_address):
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(page_address)
    assert tab.locator("#the-cases > section:visible").count() == len(CASES)
    assert not tab.locator("form.chooser").is_visible()
    context.close()

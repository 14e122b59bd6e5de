"""The page of choices in a browser: three questions by keyboard, one answer."""

import itertools

import pytest
from test_choose import CASES, FORM

OPTIONS = [list(question["options"]) for question in FORM["questions"].values()]


@pytest.fixture
def page(visit, site):
    return visit(f"{site}book/choose.html", width=390)


def expected(said):
    """The case that the rules of the page lead to, and those to read besides."""
    fits = [
        rule for rule in FORM["answers"]
        if all(value in rule.get(name, [value]) for name, value in zip(FORM["questions"], said, strict=True))
    ]  # fmt: skip
    first = next(rule["case"] for rule in fits if not rule.get("also"))
    return [first, *dict.fromkeys(rule["case"] for rule in fits if rule.get("also") and rule["case"] != first)]


# What the form says to each triple, and how the case that it leads to begins.
ANSWERS = """triples => {
    const form = document.querySelector("form.chooser"), [...questions] = form.querySelectorAll("select");
    const begin = place => place.querySelector("dl > dd").textContent;
    return triples.map(said => {
        questions.forEach((question, n) => { question.value = said[n]; });
        form.dispatchEvent(new Event("change", {bubbles: true}));
        const links = [...form.querySelectorAll("output a")];
        const title = ({hash}) => document.querySelector(hash).closest("section").querySelector("h3").firstChild;
        return {cases: links.map(link => title(link).textContent), texts: links.map(link => link.textContent),
                said: begin(document.querySelector(".chosen")), there: begin(document.querySelector(links[0].hash))};
    });
}"""


def test_every_triple_is_answered(page):
    triples = list(itertools.product(*OPTIONS))
    titles = dict(zip(CASES, page.locator("#the-cases > section > h3").evaluate_all(
        "all => all.map(title => title.firstChild.textContent)"), strict=True))  # fmt: skip
    for said, found in zip(triples, page.evaluate(ANSWERS, triples), strict=True):
        assert found["texts"] == found["cases"] == [titles[case] for case in expected(said)], said
        assert found["said"] == found["there"] != "", said
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
    assert page.problems == []

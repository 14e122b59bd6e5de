"""The page of released models in a browser, and its filter."""

import pytest

from coursebook.sphinx.directives import models_facts

MODELS = {model["name"]: model["layers"].values() for model in models_facts.load()["models"]}


@pytest.fixture
def page(visit, site):
    page = visit(f"{site}book/models.html", width=390)
    yield page
    assert page.problems == []


def names(page):
    return page.locator(".entry:visible .entry-head strong").all_text_contents()


def test_every_model_is_on_the_page_with_its_source(page):
    assert names(page) == list(MODELS)
    sourced = page.locator(".entry:has(.model-source :is(a[href*='/blob/'], code))", has_text="Read in ")
    assert sourced.count() == len(MODELS)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_models_are_filtered_and_put_in_order_by_keyboard(page):
    page.get_by_label("Scheme").focus()
    page.keyboard.type("No")
    without = [name for name, layers in MODELS.items() if any(layer.scheme == "NoPE" for layer in layers)]
    assert names(page) == without
    assert page.locator("form.filter output").inner_text() == f"{len(without)} of {len(MODELS)} models"
    page.get_by_label("Scheme").select_option("")
    page.get_by_label("Order").focus()
    page.keyboard.type("base")
    bases = [max(layer.base or 0 for layer in MODELS[name]) for name in names(page)]
    assert bases == sorted(bases, reverse=True)
    assert sorted(names(page)) == sorted(MODELS)
    page.get_by_label("Search", exact=True).fill("p-rope")
    assert 0 < len(names(page)) < len(MODELS)
    assert page.locator(".entry:visible", has_not_text="p-RoPE").count() == 0

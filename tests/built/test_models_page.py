"""The page of released models in a browser, and its filter."""

import models_facts
import pytest

from posenc import models

CONFIGS = {model["name"]: model["config"] for model in models_facts.load()["models"]}


@pytest.fixture
def page(visit, site):
    return visit(f"{site}book/models.html", width=390)


def shown(page):
    return page.locator(".entry:visible .entry-head strong").all_text_contents()


def test_every_model_is_on_the_page_with_its_source(page):
    assert shown(page) == list(CONFIGS)
    sourced = page.locator(".entry:has(.model-source :is(a[href*='/blob/'], code))", has_text="Read in ")
    assert sourced.count() == len(CONFIGS)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.problems == []


def test_models_are_filtered_and_put_in_order_by_keyboard(page):
    output = page.locator("form.filter output")
    page.get_by_label("Scheme").focus()
    page.keyboard.type("No")
    schemes = {name: {layer.scheme for layer in models.read(config).values()} for name, config in CONFIGS.items()}
    without = [name for name, found in schemes.items() if "NoPE" in found]
    assert shown(page) == without
    assert output.inner_text() == f"{len(without)} of {len(CONFIGS)} models"
    page.get_by_label("Scheme").select_option("")
    page.get_by_label("Order").focus()
    page.keyboard.type("base")
    names = shown(page)
    bases = [max(layer.base or 0 for layer in models.read(CONFIGS[name]).values()) for name in names]
    assert bases == sorted(bases, reverse=True)
    assert sorted(names) == sorted(CONFIGS)
    page.get_by_label("Order").select_option("name")
    assert [name.lower() for name in shown(page)] == sorted(name.lower() for name in CONFIGS)
    page.get_by_label("Order").select_option("")
    page.get_by_label("Search", exact=True).fill("p-rope")
    found = page.locator(".entry:visible").all_inner_texts()
    assert 0 < len(found) < len(CONFIGS)
    assert [text[:40] for text in found if "p-rope" not in text.lower()] == []
    assert page.problems == []

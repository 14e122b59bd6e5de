"""Each address that was leads on: what the list says, and what the page says that stands there."""

import json
import re

import pytest

from coursebook.content import ROOT, notebooks, page_names, read_list
from coursebook.sphinx.frame.moved import address, leading_on

MOVED = read_list("book/moved.yml")
CARDS = {f"result-{name}": chapter.page for chapter in notebooks() for name in chapter.results}


def targets(entry):
    return {None: entry["now"]} | entry.get("fragments", {})


@pytest.mark.parametrize("name", MOVED)
def test_a_page_that_is_gone_leads_to_one_that_is_there(name):
    assert name not in page_names()
    assert not list(ROOT.glob(f"{name}.*")), "the page is there: take it out of book/moved.yml"
    for old, target in targets(MOVED[name]).items():
        page, _, place = target.partition("#")
        assert page in page_names(), target
        assert place, "name the place on that page"
        if place in CARDS:
            assert CARDS[place] == page, target
            assert old == place, "a card keeps its id"


@pytest.mark.parametrize("name", MOVED)
def test_its_page_has_a_link_and_keeps_the_fragment(name):
    page, now = leading_on(name, MOVED[name]), address(MOVED[name]["now"], "book")
    assert page.count(now.rpartition("/")[2].partition("#")[0]) >= 3  # script, refresh, link
    assert re.search(r'<a href="[^"]+#[\w-]+">', page)
    fragments = json.loads(re.search(r"location\.replace\((\{.*?\})\[", page)[1])
    assert fragments.keys() == MOVED[name].get("fragments", {}).keys()
    assert 'location.hash || "#' in page


def test_an_address_is_written_from_where_the_page_stood():
    assert address("notebooks/a3_precision#x", "notebooks") == "a3_precision.html#x"
    assert address("book/notation#glossary", "notebooks") == "../book/notation.html#glossary"

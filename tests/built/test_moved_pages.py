"""In a browser, each address that was leads on, with and without a fragment, and without scripts by its link."""

import re
from urllib.parse import urldefrag

import pytest
from bs4 import BeautifulSoup

from coursebook.content import read_list
from coursebook.sphinx.frame.moved import address
from coursebook.tools.weigh import SITE

MOVED = read_list("book/moved.yml")


def ids(target):
    page, _, place = target.partition("#")
    found = re.findall(r'<[^>]*\sid="([^"]+)"', (SITE / f"{page}.html").read_text(encoding="utf-8"))
    return place, set(found)


@pytest.mark.parametrize("name", MOVED)
def test_what_is_named_is_there(name):
    for target in (MOVED[name]["now"], *MOVED[name].get("fragments", {}).values()):
        place, found = ids(target)
        assert place in found, target
    link = BeautifulSoup((SITE / f"{name}.html").read_text(encoding="utf-8"), "html.parser").a
    assert (SITE / name).parent.joinpath(urldefrag(link["href"])[0]).resolve().is_file()


def test_a_browser_lands_where_the_content_is(new_tab, site):
    tab = new_tab()
    for name, entry in MOVED.items():
        kept = sorted(id for id in ids(entry["now"])[1] if id.startswith(("result-", "term-", "case-")))[:1]
        cases = {"": entry["now"], **{f"#{old}": new for old, new in entry.get("fragments", {}).items()}}
        cases |= {f"#{id}": f"{entry['now'].partition('#')[0]}#{id}" for id in kept}
        for old, target in cases.items():
            tab.goto("about:blank")
            tab.goto(f"{site}{name}.html{old}")
            tab.wait_for_url(site + address(target, "."))
    tab.context.close()


def test_without_scripts_there_is_a_link(new_tab, site):
    tab = new_tab(java_script_enabled=False)
    tab.goto(f"{site}book/glossary.html", wait_until="commit")
    tab.wait_for_url(f"{site}book/notation.html#glossary")
    tab.context.close()

"""A server and a browser for the tests that look at the built site."""

import contextlib
from pathlib import Path

import browser
import pytest
from playwright.sync_api import sync_playwright
from serve import serving

SITE = Path(__file__).parents[2] / "_build" / "html"


@pytest.fixture(scope="module")
def serve():
    """A function that serves a folder on this machine and returns its address."""
    with contextlib.ExitStack() as servers:
        yield lambda folder: servers.enter_context(serving(folder))


@pytest.fixture(scope="module")
def chromium():
    """A running Chromium."""
    path = browser.find()
    assert path, "there is no Chromium: run 'make browser'"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def narrow(chromium, serve):
    """A function that opens a page of the site in a narrow window, waits for a form, and keeps what it complains of."""
    tabs = []

    def opened(name, form="article", **options):
        assert (SITE / name).is_file(), "there is no built site: run 'make book'"
        tab = chromium.new_page(viewport={"width": 390, "height": 900}, **options)
        tabs.append(tab)
        tab.problems = []
        tab.on("pageerror", lambda error: tab.problems.append(str(error)))
        tab.goto(f"{serve(SITE)}/{name}")
        tab.wait_for_selector(f"{form}:visible")
        return tab

    yield opened
    for tab in tabs:
        tab.close()

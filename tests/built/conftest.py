"""A server and a browser for the tests that look at the built site."""

import contextlib

import pytest
from playwright.sync_api import sync_playwright

from coursebook.tools import browser
from coursebook.tools.serve import serving
from coursebook.tools.weigh import SITE


@pytest.fixture(scope="session")
def serve():
    """A function that serves a folder on this machine and returns its address."""
    with contextlib.ExitStack() as servers:
        yield lambda folder: servers.enter_context(serving(folder))


@pytest.fixture(scope="session")
def site(serve):
    """The address of the site, served on this machine."""
    assert (SITE / "index.html").is_file(), "there is no built site: run 'make book'"
    return serve(SITE) + "/"


@pytest.fixture(scope="session")
def chromium():
    """A Chromium that runs."""
    path = browser.find()
    assert path, "there is no Chromium: run 'make browser'"
    with sync_playwright() as playwright:
        browser_process = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser_process
        browser_process.close()


@pytest.fixture(scope="session")
def new_tab(chromium):
    """A function that opens a tab of its own, which gathers what goes wrong and what is asked for."""

    def open_tab(**options):
        tab = chromium.new_context(**options).new_page()
        tab.problems, tab.requested = [], []
        tab.on("console", lambda line: line.type in ("error", "warning") and tab.problems.append(line.text))
        tab.on("pageerror", lambda error: tab.problems.append(str(error)))
        tab.on("requestfailed", lambda request: tab.problems.append(f"failed: {request.url}"))
        tab.on("request", lambda request: tab.requested.append(request.url))
        return tab

    return open_tab


@pytest.fixture(scope="session")
def shared_tab(new_tab):
    """One tab for most of the visits: another takes half a second. It keeps nothing of the page before."""
    tab = new_tab()
    network = tab.context.new_cdp_session(tab)
    network.send("Network.enable")
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    return tab


@pytest.fixture
def visit(new_tab, shared_tab):
    """Open an address in a theme and a width. With options of playwright, the page has a tab of its own."""
    tabs = []

    def open_page(url, theme="light", width=1280, **options):
        if options:
            tabs.append(new_tab(**options))
        page = tabs[-1] if options else shared_tab
        page.goto("about:blank")
        page.problems, page.requested = [], []
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme, media="null", forced_colors="null", reduced_motion="null")
        page.goto(url)
        return page

    yield open_page
    for page in tabs:
        page.context.close()

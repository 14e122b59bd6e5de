"""A server and a browser for the tests that look at the built site."""

import contextlib

import browser
import pytest
from playwright.sync_api import sync_playwright
from serve import serving


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

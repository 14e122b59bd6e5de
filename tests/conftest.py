"""Settings and fixtures that several tests share."""

import functools
import http.server
import threading

import browser
import pytest
from hypothesis import settings
from playwright.sync_api import sync_playwright

pytest.register_assert_rewrite("verdicts")

# The same examples on every run, and no failure because a machine is busy.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A handler of requests that prints nothing."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def serve():
    """A function that serves a folder on this machine and returns its address."""
    servers = []

    def start(folder):
        handler = functools.partial(Quiet, directory=str(folder))
        servers.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def chromium():
    """A running Chromium."""
    path = browser.find()
    assert path, "there is no Chromium: run 'make browser'"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()

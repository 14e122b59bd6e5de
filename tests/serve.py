"""Serve a folder on this machine."""

import contextlib
import functools
import http.server
import threading


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A handler of requests that prints nothing."""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(folder):
    """The address at which a folder is served, while the block runs."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()

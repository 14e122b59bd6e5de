"""Serve a folder on this machine, and what a usual server would send of a file."""

import contextlib
import functools
import gzip
import http.server
import threading

TEXT = {".html", ".css", ".js", ".svg", ".json", ".txt", ".ipynb", ".xml"}


@functools.cache
def over_the_wire(file):
    """The bytes of a file, given by its path, as a usual server sends it: text is compressed."""
    data = file.read_bytes()
    return gzip.compress(data, 6, mtime=0) if file.suffix in TEXT else data


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A handler of requests that prints nothing."""

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(folder):
    """Serve a folder while the `with` block runs. Gives the address."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()

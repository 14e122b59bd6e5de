"""What a cell prints is shown as it was printed.

A kernel sends it in pieces, cut where chance has it, and MyST-NB would end each of them with a line of its own.
"""

from copy import copy

from myst_nb.core import render


def join_streams(outputs):
    """Return the outputs of a cell with the pieces of each stream as one, where its first stood."""
    joined, streams = [], {}
    for output in map(copy, outputs):
        name = output.get("name")
        if name in streams:
            streams[name]["text"] += output["text"]
            continue
        joined.append(output)
        if output["output_type"] == "stream":
            streams[name] = output
    return joined


def setup(app):
    render.coalesce_streams = join_streams

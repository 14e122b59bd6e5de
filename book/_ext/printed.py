"""What a cell prints is shown as it was printed.

A kernel sends it in pieces, cut where chance has it. MyST-NB ends each piece with a line of its own when it joins
them, so it is given them joined.
"""

from copy import copy

from myst_nb.core import render


def in_one_piece(merge):
    """MyST-NB's merge of streams, after the pieces of each were joined."""

    def merged(outputs):
        streams, whole = {}, []
        for output in outputs:
            name = output.get("name")
            if name in streams:
                streams[name]["text"] += output["text"]
                continue
            whole.append(copy(output))
            if output["output_type"] == "stream":
                streams[name] = whole[-1]
        return merge(whole)

    return merged


def setup(app):
    render.coalesce_streams = in_one_piece(render.coalesce_streams)

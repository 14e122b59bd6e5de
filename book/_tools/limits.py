"""The most that a page may ask of its reader, each limit with what to do where it is passed.

Minutes, lines and cards are counted in the notebook (`minutes.py`); what a page looks like and what it weighs is
measured on the built site, in a browser (`tests/built/test_site.py`).
"""

import warnings

NOTEBOOK = {
    "minutes": (75, "Move a side step to an appendix."),
    "lines of code": (130, "Fold what a reader would not write: tag it `hide-input`."),
    "lines of one cell": (12, "Divide the cell, or fold it: tag it `hide-input`."),
    "cards": (22, "Tag a supporting card `evidence`."),
}
ONE_SITTING = {  # chapter 0
    "minutes": (45, "Say less."),
    "words": (5000, "Say less."),
    "lines of code": (30, "Leave it to the chapters."),
    "lines of one cell": (12, "Divide the cell."),
    "columns of code": (38, "A phone shows no more: break the line."),
}
PAGE = {  # the first in pixels, the heights in screens of 900
    "first figure": (900, "Begin with a picture: its top is to be seen before anything is scrolled."),
    "screens": (20, "Move a side step to an appendix, or tag a supporting card `evidence`."),
    "screens a figure": (2, "Draw what is said, or say less: a figure is due every two screens."),
    "screens without a figure": (3, "Put a figure into the longest stretch without one."),
    "folds": (20, "Join short sections: each has a line to unfold, and so has each exercise."),
}


def bytes_of(name):
    """The bytes that a page may load: by kind, before the first scroll, in all."""
    most = {"css": 12_000, "js": 60_000 if name == "search.html" else 6_000, "fonts": 40_000}
    if name.endswith("index.html"):
        return most | {"total": 90_000}
    return most | {"first": 130_000 if name.startswith("notebooks/") else 160_000, "total": 200_000}


def hold(where, found, limits):
    """Raise AssertionError with advice where a limit is passed; warn from nine tenths of it on."""
    for key, (most, advice) in limits.items():
        said = f"{where}, {key}: {found[key]:.4g}, at most {most}. {advice}"
        assert found[key] <= most, said
        if found[key] > 0.9 * most:
            warnings.warn(said, stacklevel=2)

"""Name the files in which two built sites differ, and the places: nothing is printed if they are the same.

    make clean book && cp -r _build/html ../first && make clean book
    python book/_tools/same_bytes.py ../first _build/html

Sphinx's note .buildinfo differs between folders. Everything else has the same bytes in every run, wherever
the folder is.
"""

import sys
from itertools import zip_longest
from pathlib import Path


def files(site):
    """The files of a site by their path in it."""
    return {
        path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()
    }


def differences(first, second):
    """For each file that differs: its path and the text around the first difference, of both."""
    ours, theirs = files(first), files(second)
    for name in sorted(ours.keys() | theirs.keys()):
        a, b = ours.get(name, b""), theirs.get(name, b"")
        if a != b:
            at = next(place for place, (x, y) in enumerate(zip_longest(a, b)) if x != y)
            yield name, a[max(0, at - 40) : at + 40], b[max(0, at - 40) : at + 40]


if __name__ == "__main__":
    for name, a, b in differences(*map(Path, sys.argv[1:3])):
        print(f"{name}\n  {a}\n  {b}")

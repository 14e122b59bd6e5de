"""Addresses that were: a page that is gone leads on to where its content stands now, by the list `book/moved.yml`."""

import json
import posixpath
from html import escape
from pathlib import Path

from ...content import read_list

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<meta name="robots" content="noindex">
<meta name="viewport" content="width=device-width, initial-scale=1">
<script>location.replace({fragments}[location.hash.slice(1)] || "{page}" + (location.hash || "{place}"))</script>
<meta http-equiv="refresh" content="1; url={address}">
</head>
<body>
<p>This page has moved: <a href="{address}">what stood here</a>.</p>
</body>
</html>
"""


def address(target, start):
    """Return the address of a target, such as "book/notation#glossary", as a page in the folder `start` writes it."""
    name, _, place = target.partition("#")
    return f"{posixpath.relpath(f'{name}.html', start)}#{place}"


def leading_on(name, entry):
    """Return the HTML of the page `name` that leads on. entry: what the list has under that name."""
    folder = posixpath.dirname(name)
    now = address(entry["now"], folder)
    page, _, place = now.partition("#")
    fragments = {old: address(new, folder) for old, new in entry.get("fragments", {}).items()}
    return PAGE.format(fragments=json.dumps(fragments), page=page, place=f"#{place}", address=escape(now))


def lead_on(app, exception):
    """Write a page that leads on for each that is gone. Does nothing after an exception or if not HTML."""
    if exception or app.builder.name != "html":
        return
    for name, entry in read_list("book/moved.yml").items():
        path = Path(app.outdir, f"{name}.html")
        if path.exists():
            raise ValueError(f"book/moved.yml: {name} is a page of the book: take it out of the list")
        path.write_text(leading_on(name, entry), encoding="utf-8")

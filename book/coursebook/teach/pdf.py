"""Print the book from the built site, page after page as a browser prints it, into _build/teach/book.pdf.

    python -m coursebook.teach.pdf                   the book
    python -m coursebook.teach.pdf 07 notation       the pages with one of these in their names
    python -m coursebook.teach.pdf --paper Letter

The file says its language. The tags of a printed page, which say what is a heading, are lost when pages are joined,
since pypdf does not merge their trees. Who needs them prints single pages in a browser, or reads the site.

The list of all results repeats the chapters' cards, the package's page what Python's help says, and the page of
claims speaks of other texts: they are printed where they are named.
"""

import argparse
import io
from urllib.parse import urljoin, urlsplit

from playwright.sync_api import sync_playwright
from pypdf import PdfWriter
from pypdf.generic import NameObject, TextStringObject

from ..content import ROOT, config, page_names
from ..tools import browser
from . import built_site

OUT = ROOT / "_build" / "teach" / "book.pdf"
CONFIG = config()
ADDRESS = CONFIG["sphinx"]["config"]["html_baseurl"]
ON_REQUEST = ("book/results", "book/api", "book/claims")


def place(address):
    """The path of the file of the built site that has this public address."""
    return built_site.SITE / urlsplit(address.removeprefix(ADDRESS)).path


def write(chromium, path, names, paper):
    """Print built pages, each with a bookmark, into one PDF at `path`. chromium: a browser. paper: "A4", for one."""
    book, tab = PdfWriter(), chromium.new_page()
    # Under its public address, so that links in the printed book lead to the public site.
    tab.route("**/*", lambda route: route.fulfill(path=place(route.request.url)))
    for name in names:
        tab.goto(urljoin(ADDRESS, f"{name}.html"))
        tab.evaluate("document.fonts.ready.then(() => true)")
        printed = tab.pdf(format=paper, print_background=True, tagged=True)
        book.append(io.BytesIO(printed), outline_item=tab.title().partition(" · ")[0])
    tab.close()
    licence = "Text and figures CC BY 4.0, code MIT"
    book.add_metadata({"/Title": CONFIG["title"], "/Author": CONFIG["author"], "/Subject": licence})
    book.root_object[NameObject("/Lang")] = TextStringObject(CONFIG["sphinx"]["config"]["language"])
    path.parent.mkdir(parents=True, exist_ok=True)
    book.write(path)


def main():
    """Print into OUT the pages of whose names the command line gives a part, by default all but ON_REQUEST."""
    parser = argparse.ArgumentParser(description="Print the book, or some of its pages, as one PDF.")
    parser.add_argument("pages", nargs="*", help="parts of the pages' names, such as 07 or notation")
    parser.add_argument("--paper", default="A4")
    given = parser.parse_args()
    names = [name for name in page_names() if name not in ON_REQUEST]
    if given.pages:
        names = [name for name in page_names() if any(part in name for part in given.pages)]
    for part in given.pages:
        if not any(part in name for name in names):
            parser.error(f"no page has {part} in its name: try 07 or notation")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.find(), args=["--no-sandbox"])
        write(chromium, OUT, names, given.paper)
        chromium.close()
    print(OUT)


if __name__ == "__main__":
    main()

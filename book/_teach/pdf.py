"""Make one PDF of the whole book, with bookmarks and with links that lead within the file.

    python book/_teach/pdf.py                     _build/teach/book.pdf, from the built site
    python book/_teach/pdf.py NAME.pdf PAGE …     of some pages, as book/notation

The pages of the site are joined to one page and printed by Chromium. Of what is folded, cards and the code to
work on stay where they were, solutions and proofs go to the end of their chapter, and other code is left out.
"""

import posixpath
import re
import sys
import time
from pathlib import Path
from urllib.parse import urldefrag

import built
from bs4 import BeautifulSoup
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(built.ROOT / "book" / "_tools"))
import browser

OUT = built.ROOT / "_build" / "teach"
STYLE = """
:root { --paper: #fff; --measure: none }
@page { size: A4; margin: 16mm 15mm 18mm }
article { break-before: page; max-width: none; overflow-x: clip; columns: auto !important;
  page: auto !important }
article.cover { break-before: auto }
h1, h2, h3, .solved { break-after: avoid }
fieldset.quiz, .statement { break-inside: avoid }
.bd-article .katex-display > .katex { font-size: 1.1em }
"""
WIDTH = 680  # of the print area, 180 mm, in pixels
FIT = """() => {
    for (const wide of document.querySelectorAll("div.math > .katex-display, article table")) {
        const place = wide.closest("div.math, .pst-scrollable-table-container, article").clientWidth;
        if (wide.scrollWidth > place) wide.style.zoom = Math.max(0.4, place / wide.scrollWidth);
    }
}"""  # else Chromium makes all pages smaller, until the widest formula fits


def listed():
    """Names and titles of all pages, in the order of the contents, under their captions."""
    found, caption = [("book/index", "", "")], ""
    for element in built.page("index").select("nav.contents :is(.caption, a)"):
        if "caption" in element.get("class", ()):
            caption = element.get_text()
        elif element["href"].endswith(".html"):
            found.append((element["href"].removesuffix(".html"), element.get_text(), caption))
    return found


def place(name, anchor=""):
    """The id in the joined page of what is an id on a page."""
    return f"{name.replace('/', '-')}--{anchor}" if anchor else name.replace("/", "-")


def unfold(article, soup):
    """Show what is folded: cards and code to work on, solutions at the end, explanations; nothing else."""
    solutions = []
    for fold in reversed(article.select("details")):  # a solution before the work that it stands in
        if fold.find_parent("fieldset"):
            fold.summary.decompose()
            fold.name = "div"
        elif fold.find_parent(class_="tag_solution") or "the rubric" in fold.summary.get_text():
            names = fold.find_all_previous("strong", string=re.compile(r"^Exercise \d"), limit=1)
            solutions.insert(0, (names[0].get_text() if names else "", fold.extract()))
        else:
            made = ".cell_input, .made:not(:has(.card-verdict))"
            told = ".cell_output" if fold.find_parent(class_="tag_answer") else made
            for part in fold.select(told):
                part.decompose()
            fold.summary.decompose()
            fold.unwrap()
    if solutions:
        section = soup.new_tag("section")
        section.append(heading := soup.new_tag("h2"))
        heading.string = "Solutions"
        for name, fold in solutions:
            section.append(line := soup.new_tag("p", attrs={"class": "solved"}))
            line.append(strong := soup.new_tag("strong"))
            strong.string = name
            fold.summary.decompose()
            fold.name = "div"
            section.append(fold)
        article.append(section)


def joined(name, names):
    """The article of a page, its ids and links as they have to be in the joined page."""
    soup = BeautifulSoup(str(built.page(name).select_one("article")), "html.parser")
    article = soup.article
    for element in article.select("script, form.filter, .headerlink, p.to-quiz"):
        element.decompose()
    unfold(article, soup)
    for element in article.find_all(id=True):
        if not element.find_parent("svg"):
            was, element["id"] = element["id"], place(name, element["id"])
            for style in element.select("style") if element.name == "figure" else ():
                style.string = re.sub(rf"#{re.escape(was)}(?=[ {{])", f"#{element['id']}", style.string)
    article["id"] = place(name)
    for link in article.find_all("a", href=True):
        if re.match(r"[a-z]+:", link["href"]):
            continue
        target, anchor = urldefrag(link["href"])
        path = (
            posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) if target else f"{name}.html"
        )
        if path.removesuffix(".html") in names:
            link["href"] = f"#{place(path.removesuffix('.html'), anchor)}"
        else:
            link.unwrap()
    for image in article.find_all("img"):
        image["src"] = (built.SITE / posixpath.dirname(name) / image["src"]).resolve().as_uri()
        image["loading"] = "eager"
    return str(article)


def cover(pages):
    """The first page: the title, and the contents."""
    lines, last = [], ""
    for name, title, caption in pages:
        if caption != last:
            lines.append(f"</ul><h2>{caption}</h2><ul>")
            last = caption
        lines.append(f'<li><a href="#{place(name)}">{title or "About this book"}</a></li>')
    return f'<article class="bd-article cover"><h1>Contents</h1><ul>{"".join(lines)}</ul></article>'


def book(chosen=()):
    """The joined page, as HTML."""
    pages = [page for page in listed() if not chosen or page[0] in chosen]
    names = {name for name, *_ in pages}
    body = "\n".join([cover(pages), *(joined(name, names) for name, *_ in pages)])
    style = (built.SITE / "_static" / "site.css").as_uri()
    title = built.page("index").h1.find(string=True)
    return (
        f'<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{title}</title>"
        f'<link rel="stylesheet" href="{style}"><style>{STYLE}</style></head><body>{body}</body></html>'
    )


def write(chromium, path, text):
    """Print the joined page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_suffix(".html")
    source.write_text(text, encoding="utf-8")
    tab = chromium.new_page(viewport={"width": WIDTH, "height": 960})
    tab.emulate_media(media="print")
    tab.set_default_timeout(1_800_000)  # the whole book takes minutes
    tab.goto(source.as_uri(), wait_until="load")
    tab.evaluate("document.fonts.ready.then(() => true)")
    tab.evaluate(FIT)
    tab.pdf(
        path=path, prefer_css_page_size=True, print_background=True, tagged=True, outline=True
    )  # fmt: skip
    tab.close()
    source.unlink()


def main(arguments):
    """Write the file that is named, or the whole book."""
    start = time.perf_counter()
    path = Path(arguments[0]) if arguments else OUT / "book.pdf"
    text = book(arguments[1:])
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.find(), args=["--no-sandbox"])
        write(chromium, path.resolve(), text)
        chromium.close()
    size = path.stat().st_size / 1e6
    print(f"{path}: {size:.1f} MB, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])

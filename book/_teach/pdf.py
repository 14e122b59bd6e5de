"""Make one PDF of the book, or of parts of it: numbered contents, bookmarks, and links that stay within.

    python book/_teach/pdf.py                          the book, as _build/teach/book.pdf, from the built site
    python book/_teach/pdf.py 7 II book/notation       chapter 7, part II and a page
    python book/_teach/pdf.py --paper Letter --to x.pdf

The pages of the site are joined to one page and printed by Chromium. Of what is folded, cards and the code to
work on stay where they were, solutions and proofs go to the end of their chapter, and other code is left out.
The list of all results repeats the chapters' cards, the package's page what Python's help says, and the page of
claims speaks of other texts: they are printed where they are named.
"""

import argparse
import copy
import re
import sys
import time
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import built_site
from bs4 import BeautifulSoup
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, TextStringObject

sys.path.insert(0, str(built_site.ROOT / "book" / "_tools"))
import browser

OUT = built_site.ROOT / "_build" / "teach"
ON_REQUEST = ("book/results", "book/api", "book/claims")
STYLE = """
:root { --paper: #fff }
@page { size: PAPER; margin: 12mm 15mm 14mm;
  @bottom-center { content: counter(page) " / " counter(pages); font-size: 9pt } }
html { font-size: 9pt !important; line-height: 1.25 }
article { break-before: page; max-width: none; overflow-x: clip; page: auto !important; font-size: 9pt !important;
  line-height: 1.25 !important }
article.cover { break-before: auto }
article[id^="notebooks-a"] { break-before: auto; padding-block-start: 8mm } /* appendices follow one another */
.cover li { display: flex; justify-content: space-between }
h1, h2, h3, .solved { break-after: avoid }
fieldset.quiz, .statement { break-inside: avoid }
fieldset.quiz label { display: none } /* each option stands with its explanation */
html .bd-article figure.drawn { max-width: 84mm }
article :is(p, ul, ol, figure, table, pre, div.math, .cell, div.posenc-result, fieldset) {
  margin-block: 2.5pt !important }
article :is(h2, h3) { margin-block: 9pt 3pt !important }
article li { margin-block: 1pt !important }
.bd-article pre { font-size: 7.5pt !important; line-height: 1.25 }
.bd-article .katex-display > .katex { font-size: 1.1em }
.katex .sizing.reset-size6.size1 { font-size: 0.67em } /* the smallest indices: 6 points */
.katex .sizing.reset-size3.size1 { font-size: 0.97em }
.made-smaller .katex .sizing.reset-size6:is(.size1, .size3) { font-size: 0.99em }
article:has(.model) { columns: 2; column-gap: 8mm }
article:has(.model) figure { column-span: all }
"""
NUMBERS = """
@page { @bottom-center { content: none } }
html, body, .cover { background: none !important }
.cover * { visibility: hidden }
.cover .at { visibility: visible }
"""
WIDTH = {"A4": 680, "Letter": 703}  # of the print area, in pixels
FIT = """() => {
    for (const wide of document.querySelectorAll("div.math > .katex-display, article table")) {
        const place = wide.closest("div.math, .pst-scrollable-table-container, article").clientWidth;
        if (wide.scrollWidth > place) {
            wide.classList.add("made-smaller");
            wide.style.zoom = Math.max(0.4, place / wide.scrollWidth);
        }
    }
    for (const figure of document.querySelectorAll("figure.drawn:has(svg text)")) {
        const size = (text) => {
            const turn = text.getScreenCTM();
            return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(turn.a, turn.b);
        };
        const least = Math.min(...[...figure.querySelectorAll("svg :is(text, tspan)")].map(size));
        if (least < 8.3) figure.style.maxWidth = `${figure.clientWidth * 8.3 / least}px`;  // 6 points
    }
}"""  # else Chromium makes all pages smaller, until the widest formula fits


def listed():
    """Names and titles of all pages, in the order of the contents, under their captions."""
    found, caption = [("book/index", "", "")], ""
    for element in built_site.page("index").select("nav.contents :is(.caption, summary, a)"):
        if element.name == "summary" or "caption" in element.get("class", ()):
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
        summary = fold.summary.extract().get_text()
        if fold.find_parent("fieldset"):
            fold.name = "div"
        elif fold.find_parent(class_="tag_solution") or "the rubric" in summary:
            fold.name = "div"
            names = fold.find_all_previous("strong", string=re.compile(r"^Exercise \d"), limit=1)
            solutions.insert(0, (names[0].get_text() if names else "", fold.extract()))
        else:
            made = ".cell_input, .made:not(:has(.card-verdict))"
            told = ".cell_output" if fold.find_parent(class_="tag_answer") else made
            for part in fold.select(told):
                part.decompose()
            fold.unwrap()
    if solutions:
        article.append(section := soup.new_tag("section"))
        section.append(soup.new_tag("h2", string="Solutions"))
        for name, fold in solutions:
            section.append(line := soup.new_tag("p", attrs={"class": "solved"}))
            line.append(soup.new_tag("strong", string=name))
            section.append(fold)


def joined(name, names):
    """The article of a page, its ids and links as they have to be in the joined page."""
    soup = BeautifulSoup(str(built_site.page(name).select_one("article")), "html.parser")
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
        path, anchor = urldefrag(urljoin(f"{name}.html", link["href"]))
        if path.removesuffix(".html") in names:
            link["href"] = f"#{place(path.removesuffix('.html'), anchor)}"
        else:
            link.unwrap()
    return str(article)


def cover(pages, numbers):
    """The first page: the contents, with numbers of pages."""
    lines, last = [], ""
    for name, title, caption in pages:
        if caption != last:
            lines.append(f"</ul><h2>{caption}</h2><ul>")
            last = caption
        link = f'<a href="#{place(name)}">{title or "About this book"}</a>'
        lines.append(f'<li>{link}<span class="at">{numbers.get(place(name), "")}</span></li>')
    return f'<article class="bd-article cover"><h1>Contents</h1><ul>{"".join(lines)}</ul></article>'


def chosen(names):
    """The pages that are named: a page by its name, a chapter by its number, a part by its numeral; or the book."""
    pages = listed()
    if not names:
        return [page for page in pages if page[0] not in ON_REQUEST]

    def known_as(page):
        name, _, caption = page
        number = re.match(r"notebooks/0*(\d+)_", name)
        return {name, caption.split(" · ")[0], *(number.groups() if number else ())}

    if unknown := set(names).difference(*map(known_as, pages)):
        named = ", ".join(sorted(unknown))
        raise SystemExit(f"There is no {named}: name a chapter as 7, a part as II, a page as book/notation.")
    return [page for page in pages if known_as(page) & set(names)]


def framed(body, paper, style=""):
    """A page of HTML."""
    sheet = (built_site.SITE / "_static" / "site.css").as_uri()
    title = built_site.page("index").h1.find(string=True)
    return (
        f'<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="stylesheet" href="{sheet}"><style>{STYLE.replace("PAPER", paper)}{style}</style></head>'
        f"<body>{body}</body></html>"
    )


def book(pages, paper="A4"):
    """The joined page, as HTML."""
    names = {name for name, *_ in pages}
    return framed("\n".join([cover(pages, {}), *(joined(name, names) for name, *_ in pages)]), paper)


def write(chromium, path, text, paper="A4"):
    """Print a page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_suffix(".html")
    source.write_text(text, encoding="utf-8")
    tab = chromium.new_page(viewport={"width": WIDTH[paper], "height": 960})
    tab.emulate_media(media="print")
    tab.set_default_timeout(1_800_000)  # the whole book takes minutes
    tab.goto(source.as_uri(), wait_until="load")
    tab.evaluate("document.fonts.ready.then(() => true)")
    tab.evaluate(FIT)
    tab.pdf(path=path, prefer_css_page_size=True, print_background=True, tagged=True, outline=True)
    tab.close()
    source.unlink()


def finish(chromium, path, pages, paper="A4"):
    """Put page numbers into the contents, and into the bookmarks the blanks and formulas that Chromium leaves out."""
    found = PdfReader(path)
    goals = found.named_destinations.items()
    numbers = {name.lstrip("/"): found.get_destination_page_number(goal) + 1 for name, goal in goals}
    over = path.with_suffix(".over.pdf")
    write(chromium, over, framed(cover(pages, numbers), paper, NUMBERS), paper)
    whole = PdfWriter(clone_from=found)
    for sheet, layer in zip(whole.pages, PdfReader(over).pages, strict=False):
        sheet.merge_page(layer)
    over.unlink()
    headings = {}
    for head in [head for name, *_ in pages for head in built_site.page(name).select("article :is(h1, h2, h3)")]:
        head = copy.copy(head)
        for part in head.select(".katex-html, .headerlink"):
            part.decompose()
        title = built_site.words(head)
        for formula in head.select(".katex"):
            formula.decompose()
        headings["".join(head.get_text().split())] = title
    for mark in marks(whole.root_object["/Outlines"]):
        title = headings.get("".join(mark["/Title"].split()), mark["/Title"])
        mark[NameObject("/Title")] = TextStringObject(title)
    whole.write(path)


def marks(parent):
    """The bookmarks below one, and all below them."""
    mark = parent.get("/First")
    while mark is not None:
        mark = mark.get_object()
        yield mark
        yield from marks(mark)
        mark = mark.get("/Next")


def main():
    """Write the file."""
    parser = argparse.ArgumentParser(description="Print the book, or parts of it, as one PDF.")
    parser.add_argument("pages", nargs="*", help="chapters as 7, parts as II, pages as book/notation")
    parser.add_argument("--paper", choices=WIDTH, default="A4")
    parser.add_argument("--to", type=Path, default=OUT / "book.pdf")
    given = parser.parse_args()
    start, pages, path = time.perf_counter(), chosen(given.pages), given.to.resolve()
    text = book(pages, given.paper)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.find(), args=["--no-sandbox"])
        write(chromium, path, text, given.paper)
        finish(chromium, path, pages, given.paper)
        chromium.close()
    count, size = len(PdfReader(path).pages), path.stat().st_size / 1e6
    print(f"{path}: {count} pages, {size:.1f} MB, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()

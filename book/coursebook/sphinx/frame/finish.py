"""The end of a build: the front page becomes the site's root, the styles one sheet; fonts and scripts are made small.

The TeX of a page's formulas, a tenth of a heavy page, waits in a script of its own until a reader begins to select.

The frame of a page is `book/_templates/layout.html`; of the theme only what it computes is used. Without the steps
that make less of something, the heaviest pages would ask for more than `tests/built/test_site.py` allows.
"""

import hashlib
import json
import logging as python_logging
import posixpath
import re
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import rjsmin
from fontTools import subset

from ...content import ROOT

ASSETS = ROOT / "book" / "assets"
ADDRESS = re.compile(r'\b(href|src|action)="(?![a-z]+:|//|#)([^"]+)"')
SCRIPT = re.compile(r'((?:href|src)="[^":?]+\.(?:css|js))(?:\?v=\w+)?(?=")')
TEX = re.compile(r"<semantics>(.*?)<annotation [^>]*>(.*?)</annotation></semantics>", re.DOTALL)
# What KaTeX sets in a font that it uses nowhere else.
FACES = {"KaTeX_AMS-Regular": "amsrm|mathbb", "KaTeX_Main-Italic": "mathit|textit", "KaTeX_Math-Italic": "mathnormal"}
CHINESE = re.compile(r"[一-鿿](?:[一-鿿、：（）0-9]*[一-鿿）])?")
# An option has text alone, and carries the mark itself; the glossary's terms carry it already.
UNMARKED = re.compile(r"(?<=>)(?<!-Hans\">)[^<]*[一-鿿][^<]*(?=<(?!/option|/title|/script))")
CHINESE_OPTION = re.compile(r"<option(?=[^>]*>[^<]*[一-鿿])")
BETWEEN_CELLS = re.compile(r"(?<=</t[dh]>)\s+(?=<t[dh]\b)")
CODE = re.compile(r'<div class="highlight">.*?</pre>', re.DOTALL)
# Pygments' names, operators, punctuation and blanks have the colour of the text.
QUIET_SPAN = re.compile(r'<span class="[nopw]">([^<]*)</span>')
MARK_RULE = re.compile(r"\.highlight \.(?![nopw] )[a-z]")

# Which page loads a script, by the page's name or by what it holds.
SCRIPTS = {
    "bets.js": "",  # every page has the contents, in which it marks what was read
    "living.js": 'class="living"',
    "filter.js": 'class="filter"',
    "run_button.js": 'posenc-result[^>]* id="result-',
    "quiz.js": 'class="quiz"',
}

python_logging.getLogger("fontTools").setLevel(python_logging.WARNING)


def page_scripts(app, pagename, templatename, context, doctree):
    """Let a page load the scripts that have something to do there; the theme's are left out."""
    page = f"{pagename}\n{context.get('body', '')}"
    context["page_scripts"] = [name for name, there in SCRIPTS.items() if re.search(there, page)]


def finish(app, exception):
    """Mend the built site: pages, front page, style, fonts, scripts. Does nothing after an exception or if not HTML."""
    if exception or app.builder.name != "html":
        return
    site, static = Path(app.outdir), Path(app.outdir, "_static")
    # A theme's static files may have pieces of pages among them.
    paths = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: path.read_text(encoding="utf-8") for path in paths}
    root = app.config.root_doc
    pages[site / "index.html"] = move_up(pages[site / f"{root}.html"], posixpath.dirname(root))
    for path, text in pages.items():
        name = path.relative_to(site).with_suffix("")
        page = lean(mend(text)).replace("<html ", f'<html data-page="{name.as_posix()}" ', 1)
        path.write_text(TEX.sub(r"\1", page), encoding="utf-8")
        script = (static / "tex" / name).with_suffix(".js")
        script.parent.mkdir(parents=True, exist_ok=True)
        sources = [unescape(source) for _, source in TEX.findall(page)]
        script.write_text(f"copyAs({json.dumps(sources, ensure_ascii=False)})", encoding="utf-8")
    (static / "site.css").write_text(style(static), encoding="utf-8")
    cut_fonts(static / "fonts", pages.values())
    for script in site.rglob("*.js"):
        script.write_text(rjsmin.jsmin(script.read_text(encoding="utf-8")), encoding="utf-8")


def add_version(app, exception):
    """Put the version of the site's scripts, styles and programs into the addresses of scripts and styles.

    A page begins with a mark of UTF-8, which holds where a server says ISO 8859-1 of all pages.
    A browser that keeps files of an earlier version then asks anew. What a script brings, it brings by its own version.
    """
    if exception or app.builder.name != "html":
        return
    site, version = Path(app.outdir), hashlib.sha256()
    for path in sorted(site.rglob("*")):
        if path.suffix in {".css", ".js", ".json", ".py"}:
            version.update(path.read_bytes())
    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        path.write_text(SCRIPT.sub(rf"\1?v={version.hexdigest()[:8]}", page), encoding="utf-8-sig")


def move_up(page, folder):
    """The HTML of a page of `folder` with its addresses as they have to be one folder up."""
    page = ADDRESS.sub(lambda link: f'{link[1]}="{urljoin(folder + "/", link[2])}"', page)
    return page.replace('data-content_root="../"', 'data-content_root="./"')


def mend(page):
    """The HTML of a page that browsers and checkers take.

    docutils gives roles that HTML does not allow there; a browser's translator may take no formula; Chinese says
    that it is, also where no author can mark it, as in the index. A table with formulas is copied with tabs.
    """
    page = page.replace('<span class="katex">', '<span class="katex" translate="no">')
    page = UNMARKED.sub(lambda text: CHINESE.sub(r'<span lang="zh-Hans">\g<0></span>', text[0]), page)
    page = CHINESE_OPTION.sub('<option lang="zh-Hans"', page)
    page = BETWEEN_CELLS.sub("\t", page)
    # Other sites refuse to be shown within a learning system, where this one may stand.
    page = page.replace('<a class="reference external"', '<a target="_top"')
    page = page.replace('<div role="list" class="citation-list">', '<div class="citation-list">')
    return re.sub(r'(<div class="citation"[^>]*?) role="doc-biblioentry"', r"\1", page)


def lean(page):
    """HTML without the marks of code that have no colour, up to 9 kB of a page as it is sent."""
    return CODE.sub(lambda code: QUIET_SPAN.sub(r"\1", code[0]), page)


def style(static):
    """Pygments', KaTeX's and our own rules as one text. The dark ones hold on screens only. static: a path."""
    pygments = (static / "pygments.css").read_text(encoding="utf-8")
    rules = [rule for rule in re.findall(r"[^{}]+\{[^{}]*\}", pygments) if MARK_RULE.search(rule)]
    light = [rule.replace('html[data-theme="light"] ', "") for rule in rules if 'data-theme="dark"' not in rule]
    dark = [rule for rule in rules if 'data-theme="dark"' in rule]
    sheets = sorted(ASSETS.glob("*.css"), key=lambda path: (path.name != "course.css", path.name))
    files = [path.read_text(encoding="utf-8") for path in (static / "katex.min.css", *sheets)]
    parts = [*light, "@media screen {", *dark, "}", *files]
    return re.sub(r"/\*.*?\*/", "", "\n".join(parts), flags=re.DOTALL)


def cut_fonts(folder, pages):
    """Cut the fonts in a folder down to the characters of the pages (HTML), without hints for coarse screens."""
    unicodes = {ord(character) for page in pages for character in set(unescape(page))}
    for file in sorted(folder.glob("*.woff2")):
        marked = re.compile(rf'class="[^"]*\b(?:{FACES.get(file.stem)})\b[^>]*>([^<]*)')
        marks = {ord(character) for page in pages for text in marked.findall(page) for character in unescape(text)}
        options = subset.Options(flavor="woff2", hinting=False, notdef_outline=True, name_IDs=[])
        font = subset.load_font(str(file), options)
        cutter = subset.Subsetter(options)
        cutter.populate(unicodes=marks if file.stem in FACES else unicodes)
        cutter.subset(font)
        subset.save_font(font, str(file), options)

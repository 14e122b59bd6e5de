"""The end of a build: the front page becomes the site's root, the styles one sheet; fonts and scripts are made small.

The frame of a page is `book/_templates/layout.html`; of the theme only what it computes is used. Without the steps
that make less of something, the heaviest pages would ask for more than `book/_tools/limits.py` allows.
"""

import logging as python_logging
import posixpath
import re
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import rjsmin
from fontTools import subset

ASSETS = Path(__file__).parent.parent / "assets"
ADDRESS = re.compile(r'\b(href|src|action)="(?![a-z]+:|//|#)([^"]+)"')
SPAN = re.compile(r"<(/?)span\b")
TEX = re.compile(r"<semantics>(.*?)<annotation [^>]*>.*?</annotation></semantics>", re.DOTALL)
CODE = re.compile(r'<div class="highlight">.*?</pre>', re.DOTALL)
QUIET = "nopw"  # Pygments' names, operators, punctuation and blanks: in the colour of the text
QUIET_SPAN = re.compile(rf'<span class="[{QUIET}]">([^<]*)</span>')
MARK_RULE = re.compile(rf"\.highlight \.(?![{QUIET}] )[a-z]")

# Which page loads a script, by the page's name or by what it holds.
SCRIPTS = {
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
    """Run the steps on the built site."""
    if exception or app.builder.name != "html":
        return
    site, static = Path(app.outdir), Path(app.outdir, "_static")
    pages = write_pages(site, app.config.root_doc)
    (static / "site.css").write_text(style(static), encoding="utf-8")
    cut_fonts(static / "fonts", pages.values())
    for script in site.rglob("*.js"):
        script.write_text(rjsmin.jsmin(script.read_text(encoding="utf-8")), encoding="utf-8")


def write_pages(site, root):
    """Write the pages as they have to be. Returns their texts by path."""
    # A theme's static files may have pieces of pages among them.
    paths = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: path.read_text(encoding="utf-8") for path in paths}
    pages[site / "index.html"] = moved_up(pages[site / f"{root}.html"], posixpath.dirname(root))
    pages = {path: lean(mend(text)) for path, text in pages.items()}
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
    return pages


def moved_up(page, folder):
    """A page of a folder as it has to read one folder up."""
    page = ADDRESS.sub(lambda link: f'{link[1]}="{urljoin(folder + "/", link[2])}"', page)
    return page.replace('data-content_root="../"', 'data-content_root="./"')


def mend(page):
    """Take away roles that docutils gives and HTML does not allow there."""
    page = page.replace('<div role="list" class="citation-list">', '<div class="citation-list">')
    return re.sub(r'(<div class="citation"[^>]*?) role="doc-biblioentry"', r"\1", page)


def lean(page):
    """Leave out TeX's source beside its MathML, and marks of code without a colour: a tenth of the heaviest page."""
    page = TEX.sub(r"\1", page)
    return CODE.sub(lambda code: QUIET_SPAN.sub(r"\1", code[0]), page)


def style(static):
    """Pygments' marks, KaTeX's and our own rules as one sheet. The dark ones hold on screens only."""
    pygments = (static / "pygments.css").read_text(encoding="utf-8")
    rules = [rule for rule in re.findall(r"[^{}]+\{[^{}]*\}", pygments) if MARK_RULE.search(rule)]
    light = [rule.replace('html[data-theme="light"] ', "") for rule in rules if 'data-theme="dark"' not in rule]
    dark = [rule for rule in rules if 'data-theme="dark"' in rule]
    own = sorted(ASSETS.glob("*.css"), key=lambda path: (path.name != "course.css", path.name))
    files = [path.read_text(encoding="utf-8") for path in (static / "katex.min.css", *own)]
    sheets = [*light, "@media screen {", *dark, "}", *files]
    return re.sub(r"/\*.*?\*/", "", "\n".join(sheets), flags=re.DOTALL)


def glyphs(page):
    """The characters that the formulas of a page show."""
    characters = set()
    for start in re.finditer(r'<span class="katex-html"[^>]*>', page):
        depth = 1
        for tag in SPAN.finditer(page, start.end()):
            depth += -1 if tag[1] else 1
            if not depth:
                characters.update(unescape(re.sub(r"<[^>]*>", "", page[start.end() : tag.start()])))
                break
    return characters


def cut_fonts(folder, pages):
    """Keep of KaTeX's fonts the glyphs that occur in formulas, without hints for coarse screens."""
    unicodes = set(map(ord, set().union(*map(glyphs, pages))))
    for file in sorted(folder.glob("*.woff2")):
        options = subset.Options(flavor="woff2", hinting=False, notdef_outline=True)
        font = subset.load_font(str(file), options)
        cutter = subset.Subsetter(options)
        cutter.populate(unicodes=unicodes)
        cutter.subset(font)
        subset.save_font(font, str(file), options)


def setup(app):
    """Run last, when pages and static files are there."""
    app.connect("html-page-context", page_scripts, priority=900)
    app.connect("build-finished", finish, priority=950)

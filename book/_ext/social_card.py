"""The picture that is shown where a page of the course is shared.

Addresses, the map of the site and the page for what is missing are the work of sphinxext-opengraph, sphinx-sitemap
and sphinx-notfound-page, by the settings of `_config.yml`.
"""

import sys
from io import BytesIO
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image

sys.path.append(str(Path(__file__).parents[2] / "notebooks"))
from posenc import draw

CARD = (1200, 630)  # pixels, as the networks ask for


def draw_card(app):
    """Draw the card."""
    if app.builder.format != "html":
        return
    folder = Path(app.doctreedir) / "card"
    folder.mkdir(parents=True, exist_ok=True)
    picture(app.config.project.split(", ")).save(folder / "card.png", optimize=True)
    app.config.html_static_path.append(str(folder))


def picture(title):
    """Three tokens, their positions, and the hands that tell them apart, beside the title. A PIL image."""
    fig = Figure(figsize=(CARD[0] / 100, CARD[1] / 100), dpi=100, facecolor=draw.PAPER)
    ax = fig.add_axes((0.53, 0.06, 0.44, 0.88))
    words = ("dog", "bites", "man")
    draw.tokens(ax, words, range(3), at=[0, 1.25, 2.5], size=27)
    for p in range(3):
        for i, speed in enumerate((1.0, 0.35, 0.12)):
            centre = (1.25 * p, -1.35 - 0.95 * i)
            draw.dial(ax, centre, 2.1 * speed * p, radius=0.38, colour=draw.pair_colour(i, 3))
    for note in ax.texts:
        if note.get_gid() == "position":
            note.set_fontsize(20)
    ax.set(xlim=(-0.75, 3.25), ylim=(-3.8, 0.6))
    for row, words in enumerate([*f"{title[0]},".split(" ", 1), title[-1]]):
        fig.text(0.06, 0.8 - 0.115 * row, words, size=46, color=draw.INK, va="top")
    said = "What a Transformer knows about order,\nproved by the machine and run in numbers."
    fig.text(0.062, 0.36, said, size=20, color="#52605b", va="top", linespacing=1.5)
    fig.savefig(held := BytesIO(), format="png", metadata={"Software": None})
    return Image.open(held).convert("RGB").quantize(128, dither=Image.Dither.NONE)


def setup(app):
    """Draw it before the static files are copied."""
    app.connect("builder-inited", draw_card)

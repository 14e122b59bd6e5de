"""Pictures on pages that are no notebooks: `{picture} opening` on the front page, `{picture} rules` in the guide.

The first is what one attention layer gives to each word, without and with positions, by the layer of chapter 1.
Where scripts run, the words can be dragged: see `living.yml`. The second is one that chapter 12 shows, too. The
directive's content is the caption; without any the picture has its own.
"""

import math

from docutils import nodes

from ..transforms.figures import drawing
from .base import FromCourse

SENTENCES = ("dog bites man", "man bites dog")


def columns(order, coded):
    """What the layer of chapter 1 gives to each token, float64, (3, 8).

    order: which word stands at each place. coded: whether the sinusoidal code is added to the words.
    """
    import torch

    from posenc import additive, doors

    def random(*shape, seed):
        return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)

    x = random(4, 8, seed=11)[order]
    query, key, value = random(3, 8, 8, seed=19) / math.sqrt(8)
    if coded:
        x = x + additive.sinusoidal(torch.arange(3), 8, dtype=torch.float64)
    parts = (part[None, None] for part in (x @ query, x @ key, x @ value))
    return doors.attention(*parts)[0][0, 0]


def opening():
    """The figure, as posenc's `Picture`: a row without positions, a row with them."""
    from posenc import draw

    names = SENTENCES[0].split()
    fig, panels = draw.axes(2, 2, height=3.6)
    for row, coded in zip(panels, (False, True), strict=True):
        for ax, sentence in zip(row, SENTENCES, strict=True):
            words = sentence.split()
            draw.show_matrix(ax, columns([names.index(word) for word in words], coded).T, limits=(-2, 2))
            draw.tokens(ax, words, range(3) if coded else None, y=-4.9 if coded else -2.0)
            ax.vlines([0.5, 1.5], -0.5, 7.5, color=draw.PAPER, linewidth=8)
            ax.set(xlim=(-0.55, 2.55), ylim=(7.6, -6.0 if coded else -3.1))
        row[0].set_title("with positions" if coded else "without positions")
    return draw.Picture(fig, "Each word's column moves with it; with positions it changes.")


class Unnumbered(nodes.figure):
    """A figure that Sphinx does not count, since it counts by class."""


class PagePicture(FromCourse):
    """The figure with its caption."""

    required_arguments = 1
    has_content = True

    def run(self):
        """One figure, as the extension `figures` makes them of a notebook's."""
        from posenc.real_lab import pictures

        (name,) = self.arguments
        shown = {"opening": opening, "rules": pictures.rules}[name]()
        figure = drawing(shown._repr_mimebundle_(), f"figure-{name}")
        caption = nodes.caption("", "", *self.inline(" ".join(self.content) or shown.see))
        return [Unnumbered("", figure, caption, ids=[f"figure-{name}"], classes=["drawn"])]

"""Every figure of the book: tables and curves in one style, one sign for each thing, and `Picture`.

`style` has the colours and the signs, `tables` the heatmaps, `lines` the curves, and `picture` what shows a
figure with its caption and describes it.
"""

# ruff: noqa: F401

from posenc.draw.lines import DASHES, curves, name_ends
from posenc.draw.picture import MIME, Picture, describe
from posenc.draw.style import (
    BLUE,
    COLOURS,
    FAINT,
    GOLD,
    GREEN,
    INK,
    KEY,
    PAIR,
    PAPER,
    POSITION,
    PURPLE,
    QUERY,
    RED,
    SEQUENTIAL,
    SIGNED,
    STYLE,
    TOKEN,
    WIDE,
    arrow,
    axes,
    bits,
    dial,
    dials,
    matrix,
    pair_colour,
    plane,
    position,
    tokens,
)
from posenc.draw.tables import heatmap, heatmaps, show_matrix
from posenc.numeric import grouped

"""Every figure of the book: tables and curves in one style, one sign for each thing, and `Picture`.

`style` has the colours and the signs, `tables` the heatmaps, `lines` the curves, and `picture` what shows a
figure with its caption and describes it.
"""

# ruff: noqa: E402, F401, I001

import logging

# It tells of a home that cannot be written to, and of many fonts; of that no page is made.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

from posenc.draw.lines import DASHES, curves, name_ends
from posenc.draw.picture import MIME, Picture, describe
from posenc.draw.style import BLUE, COLOURS, FAINT, GOLD, GREEN, INK, KEY, PAIR, PAPER, POSITION, PURPLE, QUERY, RED
from posenc.draw.style import SEQUENTIAL, SIGNED, STYLE, TOKEN, WIDE
from posenc.draw.style import arrow, axes, bits, dial, dials, matrix, pair_colour, plane, position, tokens
from posenc.draw.tables import heatmap, heatmaps, show_matrix
from posenc.numeric import grouped

"""Every figure of the book: tables and curves in one style, one sign for each thing, and `Picture`.

`style` has the colours and the signs, `tables` the heatmaps, `lines` the curves, and `picture` what shows a
figure with its caption and describes it.
"""

# isort: off
from posenc.draw.lines import DASHES, curves, name_ends  # noqa: F401
from posenc.draw.picture import MIME, Picture, describe  # noqa: F401
from posenc.draw.style import (  # noqa: F401
    BLUE, COLOURS, FAINT, GOLD, GREEN, INK, KEY, PAIR, PAPER, POSITION, PURPLE, QUERY, RED, SEQUENTIAL,
    SIGNED, STYLE, TEXT, TOKEN, WIDE, arrow, axes, bits, dial, dials, matrix, pair_colour, plane, position,
    tokens,
)  # fmt: skip
from posenc.draw.tables import heatmap, heatmaps, show_matrix  # noqa: F401
from posenc.numeric import grouped  # noqa: F401
# isort: on

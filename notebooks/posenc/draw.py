"""One style for every figure, and one sign for each thing that the book draws.

| thing | sign | colour |
|---|---|---|
| token | a rounded chip with its word | green |
| position | a number in a small square | gold |
| pair of columns | a clock: a circle with one hand | purple, from dark (fast) to light (slow) |
| query | a solid arrow with a filled head | blue |
| key | a dashed arrow with an open head | red |

Signed values share one colour map, centred at 0; values without a sign have one of a single colour.
"""

import matplotlib
import numpy as np
import torch
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

from posenc.picture import MIME, Picture

__all__ = ["MIME", "Picture"]

SIGNED, SEQUENTIAL = "RdBu_r", "Blues"
INK, PAPER, FAINT = "#22303c", "#fdfdfb", "#b8c0c6"
BLUE, RED, GOLD, GREEN, PURPLE = "#1f5f99", "#b2402f", "#9a6b00", "#2f6f4f", "#6b4c9a"
TOKEN, POSITION, PAIR, QUERY, KEY = GREEN, GOLD, PURPLE, BLUE, RED
COLOURS = [BLUE, RED, GREEN, GOLD, PURPLE, "#4a5a66"]
FAST, SLOW = "#2a1650", "#8562be"  # the ends of the pairs' colours; both can be read on paper
STYLES = ("-", "--", "-.", ":")
WIDE = 6.0  # inches: at 340 px, the width on a phone, 12 points are 9.4 px
TEXT = 12  # points: the smallest text in a figure

matplotlib.rcParams.update({
    "font.size": TEXT, "axes.titlesize": 13, "axes.labelsize": 13, "xtick.labelsize": TEXT,
    "ytick.labelsize": TEXT, "figure.facecolor": PAPER, "axes.facecolor": PAPER, "savefig.facecolor": PAPER,
    "text.color": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.edgecolor": INK, "axes.linewidth": 0.8, "axes.spines.top": False, "axes.spines.right": False,
    "axes.titlelocation": "left", "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "lines.linewidth": 1.8, "image.cmap": SIGNED, "image.interpolation": "nearest", "legend.frameon": False,
    "figure.constrained_layout.w_pad": 0.08, "figure.constrained_layout.h_pad": 0.06,
})  # fmt: skip


def axes(rows=1, columns=1, *, height=3.2, width=WIDE, **options):
    """A new figure and its axes, in the house style: `fig, ax = axes()`."""
    fig = Figure(figsize=(width, height), layout="constrained")
    return fig, fig.subplots(rows, columns, **options)


# --- signs ------------------------------------------------------------------------------------


def pair_colour(i, of):
    """The colour of pair i, counted from 0, of so many pairs: dark is fast, light is slow."""
    if not 0 <= i < of:
        raise ValueError(f"i must lie from 0 to {of - 1} for {of} pairs, got {i}: pairs are counted from 0")
    share = i / max(of - 1, 1)
    return to_hex((1 - share) * np.array(to_rgb(FAST)) + share * np.array(to_rgb(SLOW)))


def tokens(ax, words, positions=None, *, y=0.0, at=None, size=15):
    """Words as chips from left to right, at x = 0, 1, … or `at`; below each, its position, if given.

    words: strings. positions: as many numbers. y: height in data units. Returns the chips' texts.
    """
    at = list(range(len(words))) if at is None else list(at)
    for name, values in (("positions", positions), ("at", at)):
        if values is not None and len(values) != len(words):
            raise ValueError(
                f"{name} must have one entry a word, {len(words)}, got {len(values)}: add or drop some"
            )
    _stage(ax, [(x + dx, y + dy) for x in at for dx in (-0.5, 0.5) for dy in (-0.6, 0.4)])
    box = {"boxstyle": "round,pad=0.35,rounding_size=0.6", "facecolor": "#e3efe7", "edgecolor": TOKEN}
    style = {
        "ha": "center",
        "va": "center",
        "color": TOKEN,
        "fontsize": size,
        "bbox": box | {"linewidth": 1.6},
    }
    chips = [ax.text(x, y, word, gid="token", **style) for x, word in zip(at, words, strict=True)]
    if positions is not None:
        for x, number in zip(at, positions, strict=True):
            position(ax, (x, y), number, below=2.2 * size)
    return chips


def position(ax, centre, number, *, below=0, size=TEXT, pad=0.3):
    """A position: its number in a small square, at `centre`, or so many points below it."""
    box = {"boxstyle": f"square,pad={pad}", "facecolor": "#f8edcf", "edgecolor": POSITION, "linewidth": 1.4}
    return ax.annotate(
        str(number), centre, xytext=(0, -below), textcoords="offset points", ha="center", va="center",
        color="#6f4d00", fontsize=size, gid="position", bbox=box, annotation_clip=False,
    )  # fmt: skip


def clock(ax, centre, angle, *, radius=0.4, colour=PAIR, label=None, was=None):
    """A pair of columns as a clock: the hand points to (sin, cos), so 0 is twelve o'clock, clockwise.

    centre: (x, y). angle: in radians. label: words below. was: an earlier angle, drawn as a dotted hand,
    with the arc from there to `angle`. Returns the hand, a line from the centre to its tip.
    """
    x, y = map(float, centre)
    _stage(ax, [(x + side * radius, y + side * radius) for side in (-1, 1)], equal=True)
    ax.add_patch(Circle((x, y), radius, facecolor="white", edgecolor=colour, linewidth=1.4))
    ax.plot([x, x], [y + 0.86 * radius, y + radius], color=colour, linewidth=1.4, label="_twelve")
    tip = _round(x, y, 0.84 * radius, float(angle))
    if was is not None:
        old = _round(x, y, 0.84 * radius, float(was))
        ax.plot([x, old[0]], [y, old[1]], ":", color=colour, linewidth=1.6, label="_was")
        arc = np.linspace(float(was), float(angle), 60)
        ax.plot(*_round(x, y, 0.5 * radius, arc), color=colour, linewidth=1, label="_arc")
    if label is not None:
        ax.annotate(
            label, (x, y - radius), xytext=(0, -5), textcoords="offset points", ha="center", va="top",
            color=colour, annotation_clip=False,
        )  # fmt: skip
    style = {"color": colour, "linewidth": 2.4, "solid_capstyle": "round", "label": "_hand", "gid": "hand"}
    return ax.plot([x, tip[0]], [y, tip[1]], marker="o", markevery=[0], markersize=5, **style)[0]


def clocks(ax, angles, *, rows=None, columns=None, was=None):
    """A table of clocks: a row for each position, a column for each pair, in the pairs' colours.

    angles: table of rank 2 in radians, (positions, pairs). rows: the positions' numbers, from 0 unless
    given. columns: words above, "pair 0", … unless given. was: earlier angles, as in `clock`.
    """
    angles = matrix(angles, "angles")
    count, pairs = angles.shape
    rows = range(count) if rows is None else rows
    columns = [f"pair {i}" for i in range(pairs)] if columns is None else columns
    for name, values, size in (("rows", rows, count), ("columns", columns, pairs)):
        if len(values) != size:
            raise ValueError(f"{name} must name {size} {name} of angles {angles.shape}, got {len(values)}")
    was = None if was is None else matrix(was, "was")
    _stage(ax, [(-0.95, 1 - count), (pairs - 0.5, 0.72)], equal=True)
    for i, words in enumerate(columns):
        ax.text(i, 0.5, words, ha="center", va="bottom", color=pair_colour(i, pairs))
    for row, number in enumerate(rows):
        position(ax, (-0.75, -row), number)
        for i in range(pairs):
            past = None if was is None else was[row, i]
            clock(ax, (i, -row), angles[row, i], colour=pair_colour(i, pairs), was=past)


KINDS = {  # colour, line, head: no two kinds differ by colour alone
    "query": (QUERY, "-", "-|>,head_length=0.6,head_width=0.28"),
    "key": (KEY, (0, (4, 2)), "->,head_length=0.5,head_width=0.36"),
    "pair": (PAIR, (0, (1, 1)), "-|>,head_length=0.4,head_width=0.2"),
    "plain": (INK, "-", "->,head_length=0.4,head_width=0.2"),
}


def arrow(ax, end, *, kind="query", start=(0, 0), label=None, colour=None):
    """An arrow from `start` to `end` with a label beyond its tip. kind: query, key, pair or plain."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    own, dashes, head = KINDS[kind]
    start, end = (np.array([float(v) for v in point]) for point in (start, end))
    ax.update_datalim([start, end])
    ax.autoscale_view()
    style = {"color": colour or own, "linewidth": 2.2, "shrinkA": 0, "mutation_scale": 17}
    # The head is drawn by itself, so that dashes do not break it.
    shaft = style | {"arrowstyle": "-", "linestyle": dashes, "shrinkB": 6}
    ax.annotate("", end, start, arrowprops=shaft, gid=f"{kind}-arrow", annotation_clip=False)
    tip = style | {"arrowstyle": head, "shrinkB": 0}
    ax.annotate("", end, end - (end - start) * 1e-3, arrowprops=tip, annotation_clip=False)
    if label is not None:
        way = (end - start) / (np.linalg.norm(end - start) or 1)
        ax.annotate(
            label, end, xytext=11 * way, textcoords="offset points", color=colour or own, fontsize=14,
            ha="center", va="center", annotation_clip=False,
        )  # fmt: skip


def bits(ax, numbers, width, *, fastest="left", names=True):
    """Numbers in binary, one a row; a bit that is set is filled, in the colour of the pair of its speed.

    numbers: whole numbers from 0 to 2^width − 1. fastest: the side of bit 0; "left" is the order of
    the columns of every code in the book, "right" that of writing. names: write "bit j" above.
    """
    numbers = [int(n) for n in numbers]
    wrong = [n for n in numbers if not 0 <= n < 2**width]
    if wrong or fastest not in ("left", "right"):
        raise ValueError(
            f"numbers must fit into {width} bits and fastest be left or right, got {wrong}, {fastest!r}"
        )
    _stage(ax, [(-1.2, 0.4 - len(numbers)), (width - 0.5, 0.9 if names else 0.5)])
    for j in range(width):
        x, colour = (j if fastest == "left" else width - 1 - j), pair_colour(j, width)
        if names:
            ax.text(x, 0.5, f"bit {j}", ha="center", va="bottom", color=colour)
        for row, n in enumerate(numbers):
            on = n >> j & 1
            ax.add_patch(
                Rectangle((x - 0.46, -row - 0.42), 0.92, 0.84, facecolor=colour if on else "#efecf4")
            )
            ax.text(x, -row, str(on), ha="center", va="center", color="white" if on else INK, gid="bit")
    for row, n in enumerate(numbers):
        position(ax, (-0.85, -row), n, pad=0.3 if len(numbers) <= 8 else 0.15)


def _round(x, y, radius, angle):
    return x + radius * np.sin(angle), y + radius * np.cos(angle)


def _stage(ax, corners, equal=False):
    """Make room for signs, which have no axes of numbers."""
    ax.update_datalim(corners)
    ax.autoscale_view()
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    if equal:
        ax.set_aspect("equal")


# --- tables and curves ------------------------------------------------------------------------


def matrix(values, name="values"):
    """Values as a float64 array of rank 2; raises ValueError for any other rank."""
    if hasattr(values, "tolist") and not isinstance(values, (np.ndarray, torch.Tensor)):
        values = np.array(values.tolist(), dtype=float)
    if isinstance(values, torch.Tensor):
        values = values.detach().to(torch.float64).cpu().numpy()
    array = np.asarray(values, dtype=float)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{name} must be a table of rank 2, got shape {array.shape}: index or reshape it")
    return array


def show_matrix(ax, values, *, x="", y="", title="", limits=None, signed=None, numbers=None, marks=None):
    """Draw one heatmap into `ax`; returns the image, for a colour bar.

    limits: (low, high); by default symmetric about 0 for signed values, else the data's own.
    signed: whether to use the colour map with two sides; by default, if limits or values go below 0.
    numbers: a format such as ".2f" to write every entry. marks: a table of short texts to write instead.
    """
    array = matrix(values)
    (low, high), signed = _scale([array], limits, signed)
    image = ax.imshow(array, cmap=SIGNED if signed else SEQUENTIAL, vmin=low, vmax=high, aspect="auto")
    ax.set(xlabel=x, ylabel=y, title=title)
    for spine in ax.spines.values():
        spine.set_visible(False)
    for ticks, size in ((ax.set_xticks, array.shape[1]), (ax.set_yticks, array.shape[0])):
        if size <= 12:
            ticks(range(size))
    if numbers or marks is not None:
        for (row, column), value in np.ndenumerate(array):
            text = marks[row][column] if marks is not None else format(value, numbers)
            shade = image.cmap(image.norm(value))[:3]
            dark = np.dot(shade, (0.299, 0.587, 0.114)) < 0.55
            ax.text(column, row, text, ha="center", va="center", color="white" if dark else INK)
    return image


def _scale(tables, limits, signed):
    """The limits of the colours, and whether they have two sides."""
    low, high = limits or (min(np.nanmin(t) for t in tables), max(np.nanmax(t) for t in tables))
    signed = bool(low < 0) if signed is None else signed
    if not signed:
        return (low, high), False
    if low >= 0:
        raise ValueError(f"signed must not be True for values from {low:g} to {high:g}: no value is below 0")
    if limits and low != -high:
        raise ValueError(f"limits must be symmetric for signed values, got {limits}: else 0 is not white")
    top = max(-low, high)
    return (-top, top), True


def heatmap(values, *, see, x="", y="", title="", height=3.2, digits=3, **options):
    """One heatmap with its colour bar. values: a table of rank 2. Returns a Picture."""
    fig, ax = axes(height=height)
    image = show_matrix(ax, values, x=x, y=y, title=title, **options)
    fig.colorbar(image, ax=ax, pad=0.02).outline.set_visible(False)
    return Picture(fig, see, digits)


def heatmaps(
    tables, *, see, x="", y="", height=3.0, columns=2, digits=3, limits=None, signed=None, **options
):
    """Heatmaps side by side on one colour scale. tables: {title: table of rank 2}. Returns a Picture."""
    tables = {title: matrix(values, title) for title, values in tables.items()}
    rows = -(-len(tables) // columns)
    limits, signed = _scale(tables.values(), limits, signed)
    fig, grid = axes(rows, columns, height=height * rows, squeeze=False)
    for ax in grid.flat[len(tables) :]:
        ax.set_visible(False)
    for n, (ax, (title, table)) in enumerate(zip(grid.flat, tables.items(), strict=False)):
        image = show_matrix(
            ax,
            table,
            x=x,
            y=y if n % columns == 0 else "",
            title=title,
            limits=limits,
            signed=signed,
            **options,
        )
    fig.colorbar(image, ax=grid, pad=0.02).outline.set_visible(False)
    return Picture(fig, see, digits)


def curves(lines, *, see, at=None, x="", y="", title="", height=3.2, digits=3, **axes_options):
    """Curves, each named at its right end. lines: {name: values}; at: abscissae. Returns a Picture."""
    fig, ax = axes(height=height)
    for n, (name, values) in enumerate(lines.items()):
        values = np.asarray(values.detach() if isinstance(values, torch.Tensor) else values, dtype=float)
        where = np.arange(values.size) if at is None else np.asarray(at, dtype=float)
        ax.plot(where, values, label=name, linestyle=STYLES[n % 4])
        ends = (where[-1], values[-1])
        label = ax.annotate(name, ends, xytext=(5, 0), textcoords="offset points", va="center")
        label.set_color(ax.lines[-1].get_color())
    ax.set(xlabel=x, ylabel=y, title=title, **axes_options)
    return Picture(fig, see, digits)


def plane(ax, arrows, *, kinds=None, title="", circle=1.0, limit=None):
    """Arrows from the origin of the plane, counter-clockwise from the right, each with its name.

    arrows: {name: complex number or pair}. kinds: {name: kind of arrow}; without one, names that begin
    with q or k are queries or keys, and the others are plain arrows, each in a colour of its own.
    """
    turn = np.linspace(0, 2 * np.pi, 181)
    ax.plot(circle * np.cos(turn), circle * np.sin(turn), color=FAINT, linewidth=0.8, label="_circle")
    ends = [(z.real, z.imag) if isinstance(z, complex) else tuple(map(float, z)) for z in arrows.values()]
    for n, (name, end) in enumerate(zip(arrows, ends, strict=True)):
        kind = (kinds or {}).get(name) or {"q": "query", "k": "key"}.get(name[:1], "plain")
        own = COLOURS[n % len(COLOURS)] if kind == "plain" else None
        arrow(ax, end, kind=kind, label=name, colour=own)
    limit = limit or 1.3 * max(circle, np.abs(ends).max())
    ax.set(xlim=(-limit, limit), ylim=(-limit, limit), title=title, aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)

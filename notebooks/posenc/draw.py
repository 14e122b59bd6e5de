"""Every figure of the book: tables and curves in one style, the signs of `signs`, and `Picture`.

Signed values share one colour map, centred at 0. Values without a sign have a map of one colour,
from 0: on a map with two sides, half of its colours would say something that is not there.
"""

import numpy as np
import torch
from matplotlib.transforms import Bbox, TransformedBbox

# What draw offers from elsewhere, as a short list.
# isort: off
from posenc.numeric import grouped  # noqa: F401
from posenc.picture import MIME, Picture, describe  # noqa: F401
from posenc.signs import (  # noqa: F401
    BLUE, COLOURS, FAINT, GOLD, GREEN, INK, KEY, PAIR, PAPER, POSITION, PURPLE, QUERY, RED, SEQUENTIAL,
    SIGNED, STYLE, TEXT, TOKEN, WIDE, arrow, axes, bits, clock, clocks, matrix, pair_colour, plane, position,
    tokens,
)  # fmt: skip
# isort: on

DASHES = ("-", "--", "-.", ":")


def show_matrix(ax, values, *, x="", y="", title="", limits=None, signed=None, numbers=None, marks=None):
    """Draw one heatmap into `ax`, row 0 at the top; returns the image, for a colour bar.

    values: a table of rank 2. x, y: what its columns and rows are. limits: (low, high) of the colours; by
    default symmetric about 0 for signed values, else from 0 to the largest. signed: whether the colours have
    two sides; by default, whether limits or values go below 0. numbers: a format such as ".2f" to write
    every entry, or marks: a table of short texts of the same shape. Raises ValueError for two-sided colours
    on values without a sign, or not centred at 0.
    """
    array = matrix(values)
    (low, high), signed = _scale([array], limits, signed)
    image = ax.imshow(array, cmap=SIGNED if signed else SEQUENTIAL, vmin=low, vmax=high, aspect="auto")
    ax.set(xlabel=x, ylabel=y, title=title)
    ax.spines[:].set_visible(False)
    for ticks, size in ((ax.set_xticks, array.shape[1]), (ax.set_yticks, array.shape[0])):
        if size <= 12:
            ticks(range(size))
    if numbers is not None and marks is not None:
        raise ValueError("marks must be None where numbers is given: write one text in a cell")
    if numbers is not None:
        marks = [[_written(value, numbers) for value in row] for row in array]
    if marks is not None:
        shape = (len(marks), *{len(row) for row in marks})
        if shape != array.shape:
            raise ValueError(
                f"marks must have the shape of values, {array.shape}, got {shape}: one text a cell"
            )
        for (row, column), value in np.ndenumerate(array):
            shade = image.cmap(image.norm(value))[:3]
            dark = np.dot(shade, (0.299, 0.587, 0.114)) < 0.55
            text = marks[row][column]
            ax.text(column, row, text, ha="center", va="center", color="white" if dark else INK)
    return image


def _scale(tables, limits, signed):
    """The limits of the colours, and whether they have two sides."""
    least, most = min(np.nanmin(t) for t in tables), max(np.nanmax(t) for t in tables)
    low, high = limits or (least, most)
    if limits and not low < high:
        raise ValueError(f"limits must rise, got {limits}: give the lowest value first")
    signed = bool(low < 0) if signed is None else signed
    if not signed:
        return (low, high) if limits or low < 0 else (0, high or 1), False
    if low >= 0 and (limits or high > 0):
        raise ValueError(f"signed must be False for values from {low:g} to {high:g}: no value is below 0")
    if limits and low != -high:
        raise ValueError(f"limits must be symmetric for signed values, got {limits}: else 0 is not white")
    top = max(-low, high) or 1
    return (-top, top), True


def _written(value, form):
    """A number as text, with a true minus, and without one where it is rounded to 0."""
    text = format(value, form)
    return text.replace("-", "−") if any(digit in text for digit in "123456789") else text.lstrip("-")


def heatmap(values, *, see, x="", y="", title="", height=3.2, digits=3, **options):
    """One heatmap with its colour bar. Returns a Picture.

    values: a table of rank 2. see: the caption. height: in inches. digits: as in `Picture`. options: as
    in `show_matrix`.
    """
    fig, ax = axes(height=height)
    image = show_matrix(ax, values, x=x, y=y, title=title, **options)
    fig.colorbar(image, ax=ax, pad=0.02).outline.set_visible(False)
    return Picture(fig, see, digits)


def heatmaps(
    tables, *, see, x="", y="", height=3.0, columns=2, digits=3, limits=None, signed=None, **options
):
    """Heatmaps side by side on one colour scale. Returns a Picture.

    tables: {title: table of rank 2}. columns: how many stand in a row. height: in inches, of a row.
    limits, signed, options: as in `show_matrix`, for all tables together.
    """
    if not tables:
        raise ValueError("tables must have an entry, got none: name each table by its title")
    tables = {title: matrix(values, title) for title, values in tables.items()}
    rows = -(-len(tables) // columns)
    limits, signed = _scale(tables.values(), limits, signed)
    options |= {"limits": limits, "signed": signed, "x": x}
    fig, grid = axes(rows, columns, height=height * rows, squeeze=False)
    for ax in grid.flat[len(tables) :]:
        ax.set_visible(False)
    for n, (ax, (title, table)) in enumerate(zip(grid.flat, tables.items(), strict=False)):
        image = show_matrix(ax, table, y=y if n % columns == 0 else "", title=title, **options)
    fig.colorbar(image, ax=grid, pad=0.02).outline.set_visible(False)
    return Picture(fig, see, digits)


def curves(lines, *, see, at=None, x="", y="", title="", height=3.2, digits=3, **axes_options):
    """Curves, each in a style of its own and named at its right end. Returns a Picture.

    lines: {name: values of rank 1}. at: as many abscissae, 0, 1, … unless given. axes_options: for
    `Axes.set`, such as yscale="log". Raises ValueError for another rank or length.
    """
    fig, ax = axes(height=height)
    for n, (name, values) in enumerate(lines.items()):
        values = np.asarray(values.detach() if isinstance(values, torch.Tensor) else values, dtype=float)
        where = np.arange(values.size) if at is None else np.asarray(at, dtype=float)
        if values.ndim != 1 or values.shape != where.shape:
            raise ValueError(
                f"{name} must be {where.size} numbers, got shape {values.shape}: one for each of at"
            )
        if not np.isfinite(values).any():
            raise ValueError(f"{name} must have a finite value, got {values}: nothing could be drawn")
        ax.plot(where, values, label=name, linestyle=DASHES[n % 4])
    ax.set(xlabel=x, ylabel=y, title=title, **axes_options)
    name_ends(ax)
    return Picture(fig, see, digits)


def name_ends(ax, gap=TEXT + 3):
    """Write the name of each curve of `ax` beside its last point, in its colour; names do not touch.

    Curves are lines whose label does not begin with "_". gap: least distance of two names, in points. Call
    it last, when the limits of the axes stand: the axis, and lines without a name, end where the curves do.
    """
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    ends = [line.get_xydata()[np.isfinite(line.get_ydata())][-1] for line in lines]
    rows = ax.get_gridspec().nrows if ax.get_subplotspec() else 1
    room = (ax.figure.get_size_inches()[1] / rows - 1) * 72  # points that the axes have, or nearly so
    low, high = ax.transScale.transform([(1, limit) for limit in ax.get_ylim()])[:, 1]
    heights = (ax.transScale.transform(ends)[:, 1] - low) / (high - low) * room
    order = np.argsort(heights.round(1), kind="stable")
    groups = []  # of names that would touch: where the lowest stands, and how many they are
    for n, at in enumerate(order):
        groups.append((heights[at] - n * gap, 1))
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (first, many), (second, more) = groups[-2:]
            groups[-2:] = [((many * first + more * second) / (many + more), many + more)]
    places = np.repeat([mean for mean, _ in groups], [many for _, many in groups]) + gap * np.arange(
        len(order)
    )
    for at, place in zip(order, places, strict=True):
        moved, colour = (5, round(float(place - heights[at]))), lines[at].get_color()
        style = {"textcoords": "offset points", "va": "center", "color": colour}
        ax.annotate(lines[at].get_label(), tuple(map(float, ends[at])), moved, **style)
    _leave_room(ax, max(float(x) for x, _ in ends))


def _leave_room(ax, end):
    """End the axis, and lines without a name, at `end` or at the last tick beyond: names stand there."""
    start, limit = ax.get_xlim()
    if not start < end < limit:
        return
    if ax.get_autoscalex_on() and len(ax.get_xticks(minor=True)):
        ax.set_xlim(start, end, auto=None)  # no small ticks beyond the axis
    else:
        ticks = [tick for tick in ax.get_xticks() if end < tick <= limit]
        end = max(end, *ticks) if ticks else end
        ax.spines["bottom"].set_bounds(start, end)
        across = ax.transData - ax.transAxes
        ax.xaxis.label.set_x(across.transform((end, ax.get_ylim()[0]))[0] / 2)
        low, high = ax.get_ylim()
        room = TransformedBbox(Bbox.from_extents(start, low, end, high), ax.transData)
        for line in ax.lines:
            if line.get_label().startswith("_"):
                line.set_clip_path(None)
                line.set_clip_box(room)

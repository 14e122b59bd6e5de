"""Tables of numbers as heatmaps.

Signed values share one colour map, centred at 0. Values without a sign have a map of one colour,
from 0: on a map with two sides, half of its colours would say something that is not there.
"""

import numpy as np
from matplotlib import colormaps

from posenc.draw.picture import Picture
from posenc.draw.style import INK, SEQUENTIAL, SIGNED, axes, matrix


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
    # An odd number of colours: one of them lies about 0, and the sign of a rounding error is not seen.
    colours = colormaps[SIGNED].resampled(255) if signed else SEQUENTIAL
    image = ax.imshow(array, cmap=colours, vmin=low, vmax=high, aspect="auto")
    ax.set(xlabel=x, ylabel=y, title=title)
    ax.spines[:].set_visible(False)
    for ticks, size in ((ax.set_xticks, array.shape[1]), (ax.set_yticks, array.shape[0])):
        if size <= 12:
            ticks(range(size))
    if numbers is not None and marks is not None:
        raise ValueError("marks must be None where numbers is given: write one text in a cell")
    if numbers is not None:
        marks = [[_formatted(value, numbers) for value in row] for row in array]
    if marks is not None:
        shape = (len(marks), *{len(row) for row in marks})
        if shape != array.shape:
            raise ValueError(f"marks must have the shape of values, {array.shape}, got {shape}: one text a cell")
        for (row, column), value in np.ndenumerate(array):
            shade = image.cmap(image.norm(value))[:3]
            dark = np.dot(shade, (0.299, 0.587, 0.114)) < 0.55
            text = marks[row][column]
            ax.text(column, row, text, ha="center", va="center", color="white" if dark else INK)
    return image


def _scale(tables, limits, signed):
    """The limits (low, high) of the colours, and whether they have two sides: see `show_matrix`."""
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


def _formatted(value, form):
    """A number in a format such as ".2f", with a true minus, and without one where it is rounded to 0."""
    text = format(value, form)
    return text.replace("-", "−") if any(digit in text for digit in "123456789") else text.lstrip("-")


def heatmap(values, *, see, x="", y="", title="", height=3.2, digits=3, **options):
    """One heatmap with its colour bar. Returns a Picture.

    values: a table of rank 2. see: the caption. height: in inches. digits: as in `Picture`.
    options: as in `show_matrix`.
    """
    fig, ax = axes(height=height)
    image = show_matrix(ax, values, x=x, y=y, title=title, **options)
    fig.colorbar(image, ax=ax, pad=0.02).outline.set_visible(False)
    return Picture(fig, see, digits)


def heatmaps(tables, *, see, x="", y="", height=3.0, columns=2, digits=3, limits=None, signed=None, **options):
    """Heatmaps side by side on one colour scale. Returns a Picture.

    tables: {title: table of rank 2}. columns: how many in a row. height: in inches, of a row.
    digits: as in `Picture`. limits, signed, options: as in `show_matrix`, for all tables together.
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

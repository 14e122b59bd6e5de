"""Curves, each named at its right end."""

import numpy as np
from matplotlib.transforms import Bbox, TransformedBbox

from posenc.draw.picture import Picture
from posenc.draw.style import TEXT, axes

DASHES = ("-", "--", "-.", ":")
GAP = TEXT + 3  # least distance of two names, in points


def curves(lines, *, see, at=None, x="", y="", title="", height=3.2, digits=3, **axes_options):
    """Curves, each in a style of its own and named at its right end. Returns a Picture.

    lines: {name: values of rank 1}. at: as many abscissae, 0, 1, … unless given. digits: as in `Picture`.
    axes_options: for `Axes.set`, such as yscale="log". Raises ValueError for another rank or length,
    or where no value is finite. see: the caption.
    """
    fig, ax = axes(height=height)
    for n, (name, values) in enumerate(lines.items()):
        values = np.asarray(values.tolist() if hasattr(values, "tolist") else values, dtype=float)
        where = np.arange(values.size) if at is None else np.asarray(at, dtype=float)
        if values.ndim != 1 or values.shape != where.shape:
            raise ValueError(f"{name} must be {where.size} numbers, got shape {values.shape}: one for each of at")
        if not np.isfinite(values).any():
            raise ValueError(f"{name} must have a finite value, got {values}: nothing could be drawn")
        ax.plot(where, values, label=name, linestyle=DASHES[n % 4])
    ax.set(xlabel=x, ylabel=y, title=title, **axes_options)
    name_ends(ax)
    return Picture(fig, see, digits)


def name_ends(ax):
    """Write the name of each curve of `ax` beside its last point, in its colour; names do not touch.

    Curves are lines whose label does not begin with "_". Call it last, when the limits of the axes are final:
    the axis, and lines without a name, end with the curves.
    """
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    ends = [line.get_xydata()[np.isfinite(line.get_ydata())][-1] for line in lines]
    rows = ax.get_gridspec().nrows
    room = (ax.figure.get_size_inches()[1] / rows - 1) * 72  # points that the axes have, or nearly so
    low, high = ax.transScale.transform([(1, limit) for limit in ax.get_ylim()])[:, 1]
    heights = (ax.transScale.transform(ends)[:, 1] - low) / (high - low) * room
    order = np.argsort(heights.round(1), kind="stable")
    for n, place in zip(order, _spread(heights[order]), strict=True):
        away = (5, round(float(place - heights[n])))
        style = {"textcoords": "offset points", "va": "center", "color": lines[n].get_color()}
        ax.annotate(lines[n].get_label(), tuple(map(float, ends[n])), away, **style)
    _leave_room(ax, max(float(x) for x, _ in ends))


def _spread(heights):
    """Heights in rising order, moved as little as possible until none is nearer than GAP to the next.

    Once n · GAP is taken from the n-th height, they need only not fall: those that would fall take their mean.
    """
    groups = []  # (mean, how many)
    for n, height in enumerate(heights):
        groups.append((height - n * GAP, 1))
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (first, many), (second, more) = groups[-2:]
            groups[-2:] = [((many * first + more * second) / (many + more), many + more)]
    means = np.repeat([mean for mean, _ in groups], [many for _, many in groups])
    return means + GAP * np.arange(len(heights))


def _leave_room(ax, end):
    """Keep the right of the axes free for the names of curves, which end there.

    end: the largest abscissa of the curves. The horizontal axis, and lines without a name, are drawn up to it or to the
    last tick beyond it. Nothing is done where `end` is not inside the limits.
    """
    start, limit = ax.get_xlim()
    if not start < end < limit:
        return
    if ax.get_autoscalex_on() and len(ax.get_xticks(minor=True)):
        ax.set_xlim(start, end, auto=None)  # no small ticks beyond the axis
    else:
        end = max([end, *(tick for tick in ax.get_xticks() if tick <= limit)])
        ax.spines["bottom"].set_bounds(start, end)
        across = ax.transData - ax.transAxes
        ax.xaxis.label.set_x(across.transform((end, ax.get_ylim()[0]))[0] / 2)
        low, high = ax.get_ylim()
        room = TransformedBbox(Bbox.from_extents(start, low, end, high), ax.transData)
        for line in ax.lines:
            if line.get_label().startswith("_"):
                line.set_clip_path(None)
                line.set_clip_box(room)

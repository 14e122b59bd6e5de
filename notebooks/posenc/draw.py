"""One style for every figure, and a description read back from what was drawn.

Signed values share one colour map, centred at 0. A `Picture` shows itself as PNG; its text, which
serves as alt text and is compared on every run, is computed from the artists in the figure.
"""

import io

import matplotlib
import numpy as np
import torch
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.quiver import Quiver
from PIL import Image

MIME = "application/vnd.posenc.figure+json"
SIGNED, SEQUENTIAL = "RdBu_r", "Blues"
INK, PAPER, BLUE, RED, GOLD, GREEN = "#22303c", "#fdfdfb", "#1f5f99", "#b2402f", "#9a6b00", "#2f6f4f"
COLOURS = [BLUE, RED, GREEN, GOLD, "#6b4c9a", "#4a5a66"]
WIDE = 6.0  # inches: read at 340 px on a phone, the text stays legible

matplotlib.rcParams.update({
    "font.size": 11, "axes.titlesize": 12, "axes.labelsize": 11, "xtick.labelsize": 10,
    "ytick.labelsize": 10, "figure.facecolor": PAPER, "axes.facecolor": PAPER, "savefig.facecolor": PAPER,
    "text.color": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.edgecolor": INK, "axes.linewidth": 0.8, "axes.spines.top": False, "axes.spines.right": False,
    "axes.titlelocation": "left", "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "lines.linewidth": 1.8, "image.cmap": SIGNED, "image.interpolation": "nearest", "legend.frameon": False,
    "figure.constrained_layout.w_pad": 0.08,
})  # fmt: skip


class Picture:
    """A figure that displays itself as PNG, with a description of what its artists hold.

    fig: a matplotlib Figure. see: the fact to see, computed from the data, one sentence.
    digits: decimals kept in the description; fewer where the numbers are noisy.
    """

    def __init__(self, fig, see, digits=3):
        if not see.strip():
            raise ValueError(f"see must say what to look at, got {see!r}: write one sentence")
        self.figure, self.see, self.digits = fig, see, digits

    def _repr_mimebundle_(self, include=None, exclude=None):
        panels = [panel for axes in self.figure.axes if (panel := _panel(axes, self.digits))]
        if not panels:
            raise ValueError("the figure shows no data: draw something before wrapping it in a Picture")
        described = " ".join([*(panel["text"] for panel in panels), self.see])
        digest = {"digest": [panel["digest"] for panel in panels]}
        return {"image/png": _png(self.figure), "text/plain": described, MIME: digest}

    def __repr__(self):
        return self._repr_mimebundle_()["text/plain"]


def _panel(axes, digits):
    """What one pair of axes holds: a sentence for readers, and a weighted sum that any change moves."""
    if axes.get_label() == "<colorbar>":
        return None
    parts, data = [], []

    def note(words, values):
        values = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan).ravel()
        data.append(values[np.isfinite(values)])
        if words and data[-1].size:
            low, high = (_fixed(v, digits) for v in (data[-1].min(), data[-1].max()))
            parts.append(f"{words} from {low} to {high}")

    for image in axes.images:
        rows, columns = image.get_array().shape[:2]
        note(f"heatmap, {rows} rows by {columns} columns, values", image.get_array())
    for line in axes.lines:
        name = line.get_label()
        values = np.asarray(line.get_ydata(), dtype=float)
        note(None if name.startswith("_") else f"curve {name}, {values.size} points,", values)
        data.append(np.asarray(line.get_xdata(), dtype=float))
    for arrows in (c for c in axes.collections if isinstance(c, Quiver)):
        note(f"{arrows.U.size} arrows, horizontal parts", arrows.U)
        note(None, arrows.V)
    for points in (c for c in axes.collections if isinstance(c, PathCollection)):
        note(f"{len(points.get_offsets())} points, heights", points.get_offsets()[:, 1])
        note(None, points.get_offsets()[:, 0])
    for bars in axes.containers:
        heights = [max(bar.get_height(), bar.get_width(), key=abs) for bar in bars.patches]
        note(f"{len(heights)} bars, values", heights)
    written = [text.get_text() for text in axes.texts if text.get_text()]
    if not data:
        return None
    values = np.concatenate(data)
    weights = np.cos(np.arange(values.size))
    title = axes.get_title("left") or axes.get_title()
    text = f"{title}: {'; '.join(parts)}." if title else f"{'; '.join(parts)}."
    return {"text": text, "digest": [_fixed(float(values @ weights), digits), *written]}


def _fixed(value, digits):
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def _png(fig):
    """PNG bytes with a palette: a third of the size, no visible loss on flat colours."""
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=160)
    picture = Image.open(buffer).convert("RGB").quantize(192, dither=Image.Dither.NONE)
    small = io.BytesIO()
    picture.save(small, format="png", optimize=True)
    return small.getvalue()


# --- building blocks --------------------------------------------------------------------------


def axes(rows=1, columns=1, *, height=3.2, width=WIDE, **options):
    """A new figure and its axes, in the house style: `fig, ax = axes()`."""
    fig = Figure(figsize=(width, height), layout="constrained")
    return fig, fig.subplots(rows, columns, **options)


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


def show_matrix(ax, values, *, x="", y="", title="", limits=None, signed=True, numbers=None, marks=None):
    """Draw one heatmap into `ax`; returns the image, for a colour bar.

    numbers: a format such as ".2f" to write every entry. marks: a table of short texts to write instead.
    limits: (low, high); by default symmetric about 0 for signed values.
    """
    array = matrix(values)
    top = np.nanmax(np.abs(array)) or 1.0
    low, high = limits or ((-top, top) if signed else (np.nanmin(array), np.nanmax(array)))
    colours = SIGNED if signed else SEQUENTIAL
    image = ax.imshow(array, cmap=colours, vmin=low, vmax=high, aspect="auto")
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
            ax.text(column, row, text, ha="center", va="center", color="white" if dark else INK, fontsize=10)
    return image


def heatmap(values, *, see, x="", y="", title="", height=3.2, digits=3, **options):
    """One heatmap with its colour bar. values: a table of rank 2. Returns a Picture."""
    fig, ax = axes(height=height)
    image = show_matrix(ax, values, x=x, y=y, title=title, **options)
    fig.colorbar(image, ax=ax, pad=0.02).outline.set_visible(False)
    return Picture(fig, see, digits)


def heatmaps(tables, *, see, x="", y="", height=3.0, columns=2, signed=True, digits=3, **options):
    """Heatmaps side by side on one colour scale. tables: {title: table of rank 2}. Returns a Picture."""
    tables = {title: matrix(values, title) for title, values in tables.items()}
    rows = -(-len(tables) // columns)
    top = max(np.nanmax(np.abs(t)) for t in tables.values()) or 1.0
    low = -top if signed else min(np.nanmin(t) for t in tables.values())
    options.setdefault("limits", (low, top if signed else max(np.nanmax(t) for t in tables.values())))
    fig, grid = axes(rows, columns, height=height * rows, squeeze=False)
    for ax in grid.flat[len(tables) :]:
        ax.set_visible(False)
    for n, (ax, (title, table)) in enumerate(zip(grid.flat, tables.items(), strict=False)):
        image = show_matrix(
            ax, table, x=x, y=y if n % columns == 0 else "", title=title, signed=signed, **options
        )
    fig.colorbar(image, ax=grid, pad=0.02).outline.set_visible(False)
    return Picture(fig, see, digits)


def curves(lines, *, see, at=None, x="", y="", title="", height=3.2, digits=3, **axes_options):
    """Curves, each named at its right end. lines: {name: values}; at: abscissae. Returns a Picture."""
    fig, ax = axes(height=height)
    styles = ("-", "--", "-.", ":")
    for n, (name, values) in enumerate(lines.items()):
        values = np.asarray(values.detach() if isinstance(values, torch.Tensor) else values, dtype=float)
        where = np.arange(values.size) if at is None else np.asarray(at, dtype=float)
        ax.plot(where, values, label=name, linestyle=styles[n % 4])
        ends = (where[-1], values[-1])
        label = ax.annotate(name, ends, xytext=(5, 0), textcoords="offset points", va="center", fontsize=10)
        label.set_color(ax.lines[-1].get_color())
    ax.set(xlabel=x, ylabel=y, title=title, **axes_options)
    return Picture(fig, see, digits)


def plane(ax, arrows, *, title="", circle=1.0, limit=None):
    """Arrows from the origin of the plane, each with its name. arrows: {name: complex number or pair}."""
    turn = np.linspace(0, 2 * np.pi, 181)
    ax.plot(circle * np.cos(turn), circle * np.sin(turn), color="#b8c0c6", linewidth=0.8, label="_circle")
    ends = np.array(
        [(z.real, z.imag) if isinstance(z, complex) else tuple(map(float, z)) for z in arrows.values()]
    )
    colours = [COLOURS[n % len(COLOURS)] for n in range(len(ends))]
    origin = np.zeros(len(ends))
    ax.quiver(origin, origin, *ends.T, color=colours, angles="xy", scale_units="xy", scale=1, width=0.014)
    for name, end, colour in zip(arrows, ends, colours, strict=True):
        ax.annotate(name, end * 1.12, color=colour, ha="center", va="center")
    limit = limit or 1.25 * max(circle, np.abs(ends).max())
    ax.set(xlim=(-limit, limit), ylim=(-limit, limit), title=title, aspect="equal", xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)

"""The book's visual language: its colours, its sizes, and one sign for each thing that it draws.

| thing | sign | colour |
|---|---|---|
| token | a rounded chip with its word | green |
| position | a number in a small square | gold |
| pair of columns | a dial: a circle with one hand | purple, from dark (fast) to light (slow) |
| query | a solid arrow with a filled head | blue |
| key | a dashed arrow with an open head | red |

Every function draws into matplotlib axes, at places in data units. `posenc.draw` has all of them.
"""

import matplotlib
import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle

SIGNED, SEQUENTIAL = "RdBu_r", "Blues"
INK, PAPER, FAINT = "#22303c", "#fdfdfb", "#b8c0c6"
BLUE, RED, GOLD, GREEN, PURPLE = "#1f5f99", "#b2402f", "#9a6b00", "#2f6f4f", "#6b4c9a"
TOKEN, POSITION, PAIR, QUERY, KEY = GREEN, GOLD, PURPLE, BLUE, RED
COLOURS = [BLUE, RED, GREEN, GOLD, PURPLE, "#4a5a66"]
FAST, SLOW = "#2a1650", "#8562be"  # the ends of the pairs' colours; both can be read on paper
WIDE = 6.0  # inches: on the page 42rem
TEXT = 11  # points, of every label: 17 px on the page, between a caption and the text, and 8.7 px on a phone

KINDS = {  # colour, line, head: no two kinds differ by colour alone
    "query": (QUERY, "-", "-|>,head_length=0.6,head_width=0.28"),
    "key": (KEY, (0, (4, 2)), "->,head_length=0.5,head_width=0.36"),
    "pair": (PAIR, (0, (1, 1)), "-|>,head_length=0.4,head_width=0.2"),
    "plain": (INK, "-", "->,head_length=0.4,head_width=0.2"),
}

STYLE = {
    **dict.fromkeys(("font.size", "axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize"), TEXT),
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), PAPER),
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor"), INK),
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "lines.linewidth": 1.8,
    "image.cmap": SIGNED,
    "image.interpolation": "none",  # in an SVG one pixel for each value
    "legend.frameon": False,
    "figure.constrained_layout.w_pad": 0.08,
    "figure.constrained_layout.h_pad": 0.06,
}
matplotlib.rcdefaults()  # a reader's own matplotlibrc may set all text by a TeX that has no such letters
matplotlib.rcParams.update(STYLE)


def axes(rows=1, columns=1, *, height=3.2, **options):
    """A new figure and its axes, in the house style: `fig, ax = axes()`.

    rows, columns: how many panels. height: of the whole figure, in inches. options: for `Figure.subplots`,
    such as sharex=True.
    """
    fig = Figure(figsize=(WIDE, height), layout="constrained")
    return fig, fig.subplots(rows, columns, **options)


def matrix(values, name="values"):
    """Values as a float64 array of rank 2: a torch, NumPy or SymPy table, or a list of rows.

    Raises ValueError for another rank, an empty table, an infinite entry, or no number at all; single
    missing entries (NaN) are left blank when drawn.
    """
    array = np.asarray(values.tolist() if hasattr(values, "tolist") else values, dtype=float)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{name} must be a table of rank 2, got shape {array.shape}: index or reshape it")
    if np.isinf(array).any() or np.isnan(array).all():
        raise ValueError(f"{name} must be finite, got {array.ravel()[~np.isfinite(array.ravel())][0]}: clamp it")
    return array


def pair_colour(i, pairs):
    """The colour of pair i, from 0 to pairs − 1: dark is fast, light is slow. Raises ValueError outside."""
    if not 0 <= i < pairs:
        raise ValueError(f"i must lie from 0 to {pairs - 1} for {pairs} pairs, got {i}: pairs are counted from 0")
    share = i / max(pairs - 1, 1)
    return to_hex((1 - share) * np.array(to_rgb(FAST)) + share * np.array(to_rgb(SLOW)))


def tokens(ax, words, positions=None, *, y=0.0, at=None, size=TEXT):
    """Words as chips from left to right; below each, its position, if given. Returns the chips' texts.

    words: n strings. positions: n numbers. y: height. at: n abscissae, 0, 1, … unless given. size: in
    points. Raises ValueError for other lengths, or for a string in place of a list of words.
    """
    words = _as_list(words, "words")
    at = list(range(len(words))) if at is None else _as_list(at, "at", len(words))
    positions = None if positions is None else _as_list(positions, "positions", len(words))
    _reserve_space(ax, [(x + dx, y + dy) for x in at for dx in (-0.5, 0.5) for dy in (-0.5, 0.3)])
    box = {"boxstyle": "round,pad=0.35,rounding_size=0.6", "facecolor": "#e3efe7", "edgecolor": TOKEN}
    style = {"ha": "center", "va": "center", "color": TOKEN, "fontsize": size, "bbox": box | {"linewidth": 1.6}}
    chips = [ax.text(x, y, word, gid="token", **style) for x, word in zip(at, words, strict=True)]
    for x, number in zip(at, positions or (), strict=positions is not None):
        position(ax, (x, y), number, below=2.2 * size)
    return chips


def position(ax, centre, number, *, below=0, beside=0, size=TEXT, pad=0.3):
    """A position: its number in a small square, at `centre`, or so many points below or to the left of it."""
    box = {"boxstyle": f"square,pad={pad}", "facecolor": "#f8edcf", "edgecolor": POSITION, "linewidth": 1.4}
    side = "right" if beside else "center"
    style = {"ha": side, "va": "center", "color": "#6f4d00", "fontsize": size, "bbox": box, "gid": "position"}
    return _annotate(ax, str(number), _as_point(centre, "centre"), (-beside, -below), **style)


def dial(ax, centre, angle, *, radius=0.4, colour=PAIR, label=None, was=None):
    """A pair of columns as a dial: the hand points to (cos, sin), so it starts at the right, counter-clockwise.

    centre: (x, y). angle: in radians, any size. radius: above 0. label: words below. was: an earlier
    angle, drawn as a dotted hand, with the arc from there to `angle`. Returns the hand, a line from the
    centre to its tip on the rim. Raises ValueError for an angle or a centre that is not finite.
    """
    (x, y), angle = _as_point(centre, "centre"), _as_number(angle, "angle")
    if not radius > 0:
        raise ValueError(f"radius must be above 0, got {radius}: it is in data units")
    _reserve_space(ax, [(x + side * radius, y + side * radius) for side in (-1, 1)], equal=True)
    ax.add_patch(Circle((x, y), radius, facecolor="white", edgecolor=colour, linewidth=1.4))
    ax.plot([x + 0.86 * radius, x + radius], [y, y], color=colour, linewidth=1.4, label="_zero")
    if was is not None:
        was = _as_number(was, "was")
        old = _on_circle(x, y, radius, was)
        ax.plot([x, old[0]], [y, old[1]], ":", color=colour, linewidth=1.6, label="_was")
        arc = _on_circle(x, y, 0.5 * radius, np.linspace(was, angle, 60))
        ax.plot(*arc, color=colour, linewidth=1, label="_arc")
    if label is not None:
        _annotate(ax, label, (x, y - radius), (0, -5), ha="center", va="top", color=colour)
    tip = _on_circle(x, y, radius, angle)
    style = {"color": colour, "linewidth": 2.4, "solid_capstyle": "round", "label": "_hand", "gid": "hand"}
    return ax.plot([x, tip[0]], [y, tip[1]], marker="o", markevery=[0], markersize=5, **style)[0]


def dials(ax, angles, *, rows=None, columns=None, was=None):
    """A table of dials: a row for each position, a column for each pair, in the pairs' colours.

    angles: table of rank 2 in radians, (positions, pairs). rows: the positions' numbers, from 0 unless
    given. columns: words above, "pair 0", … unless given. was: earlier angles, a table of the same shape.
    Raises ValueError for other lengths or shapes.
    """
    angles = matrix(angles, "angles")
    count, pairs = angles.shape
    rows = range(count) if rows is None else _as_list(rows, "rows", count)
    columns = [f"pair {i}" for i in range(pairs)] if columns is None else _as_list(columns, "columns", pairs)
    was = None if was is None else matrix(was, "was")
    if was is not None and was.shape != angles.shape:
        raise ValueError(f"was must have the shape of angles, {angles.shape}, got {was.shape}: one for each dial")
    _reserve_space(ax, [(-0.95, 0.45 - count), (pairs - 0.5, 0.72)], equal=True)
    for i, words in enumerate(columns):
        ax.text(i, 0.5, words, ha="center", va="bottom", color=pair_colour(i, pairs))
    for row, number in enumerate(rows):
        position(ax, (-0.4, -row), number, beside=8)
        for i in range(pairs):
            past = None if was is None else was[row, i]
            dial(ax, (i, -row), angles[row, i], colour=pair_colour(i, pairs), was=past)


def arrow(ax, end, *, kind="query", start=(0, 0), label=None, colour=None):
    """An arrow from `start` to `end`, each (x, y), with a label beyond its tip.

    kind: query (solid, filled head), key (dashed, open head), pair (dotted) or plain. colour: another
    than that of the kind. Raises ValueError for an unknown kind, or without a length.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}: plain has no meaning of its own")
    usual, dashes, head = KINDS[kind]
    start, end = np.array(_as_point(start, "start")), np.array(_as_point(end, "end"))
    if not (start != end).any():
        raise ValueError(f"end must differ from start, got {tuple(end)} for both: an arrow needs a length")
    ax.update_datalim([start, end])
    ax.autoscale_view()
    style = {"color": colour or usual, "linewidth": 2.2, "shrinkA": 0, "mutation_scale": 17}
    # The head is drawn by itself, so that dashes do not break it.
    shaft = style | {"arrowstyle": "-", "linestyle": dashes, "shrinkB": 6}
    tip = style | {"arrowstyle": head, "shrinkB": 0}
    ax.annotate("", tuple(end), tuple(start), arrowprops=shaft, gid=f"{kind}-arrow", annotation_clip=False)
    near = end - (end - start) / 20
    ax.annotate("", tuple(end), tuple(near), arrowprops=tip, annotation_clip=False)
    if label is not None:
        across, up = (end - start) / np.linalg.norm(end - start)
        side = "left" if across > 0.4 else "right" if across < -0.4 else "center"
        edge = "bottom" if up > 0.4 else "top" if up < -0.4 else "center"
        away = (round(6 * across), round(6 * up))
        _annotate(ax, label, tuple(end), away, ha=side, va=edge, color=colour or usual, gid="name")


def bits(ax, numbers, width):
    """Numbers in binary, one a row; a bit that is set is filled, in the colour of the pair of its speed.

    numbers: whole numbers from 0 to 2^width − 1. Bit 0, the fastest, is at the left, as the columns of every
    code in the book are. Raises ValueError for a number that does not fit.
    """
    numbers = [int(n) for n in numbers]
    wrong = [n for n in numbers if not 0 <= n < 2**width]
    if wrong or not numbers:
        raise ValueError(f"numbers must lie from 0 to {2**width - 1}, got {wrong}: {width} bits hold no others")
    _reserve_space(ax, [(-1.2, 0.4 - len(numbers)), (width - 0.5, 0.9)])
    for j in range(width):
        colour = pair_colour(j, width)
        ax.text(j, 0.5, f"bit {j}", ha="center", va="bottom", color=colour)
        for row, n in enumerate(numbers):
            on = n >> j & 1
            ax.add_patch(Rectangle((j - 0.46, -row - 0.42), 0.92, 0.84, facecolor=colour if on else "#efecf4"))
            ax.text(j, -row, str(on), ha="center", va="center", color="white" if on else INK, gid="bit")
    for row, n in enumerate(numbers):
        position(ax, (-0.85, -row), n, pad=0.3 if len(numbers) <= 8 else 0.15)


def plane(ax, arrows, *, kinds=None, title="", circle=1.0, limit=None):
    """Arrows from the origin of the plane, counter-clockwise from the right, each with its name.

    arrows: {name: complex number or pair}. kinds: {name: kind of arrow}; without one, names that begin
    with q or k are queries or keys, and the others are plain arrows, each in a colour of its own.
    circle: its radius. limit: half the side of the square that is shown. Raises ValueError as `arrow` does.
    """
    ax.add_patch(Circle((0, 0), circle, facecolor="none", edgecolor=FAINT))
    ends = [(z.real, z.imag) if isinstance(z, complex) else _as_point(z, n) for n, z in arrows.items()]
    for n, (name, end) in enumerate(zip(arrows, ends, strict=True)):
        kind = (kinds or {}).get(name) or {"q": "query", "k": "key"}.get(name[:1], "plain")
        colour = COLOURS[n % len(COLOURS)] if kind == "plain" else None
        arrow(ax, end, kind=kind, label=name, colour=colour)
    limit = limit or 1.3 * max(circle, np.abs(ends).max())
    ax.set(xlim=(-limit, limit), ylim=(-limit, limit), title=title, aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def _annotate(ax, text, point, away, **style):
    """Write text `away` = (right, up) from a point, in printer's points, also where the point lies outside the axes."""
    return ax.annotate(text, point, xytext=away, textcoords="offset points", annotation_clip=False, **style)


def _on_circle(x, y, radius, angle):
    return x + radius * np.cos(angle), y + radius * np.sin(angle)


def _reserve_space(ax, corners, equal=False):
    """Widen the axes to hold these points, and take away their ticks and spines: signs have no scale."""
    ax.update_datalim(corners)
    ax.autoscale_view()
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    if equal:
        ax.set_aspect("equal")


def _as_list(values, name, count=None):
    """Values as a list. Raises ValueError for another count, if one is given, and for a string: it is one."""
    values = values if isinstance(values, str) else list(values)
    if isinstance(values, str) or len(values) != (count or len(values)):
        requirement = "a list" if count is None else f"a list of {count}"
        raise ValueError(f"{name} must be {requirement}, got {values!r}: one entry for each")
    return values


def _as_number(value, name):
    value = float(value)
    if not np.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}: look for a division by zero")
    return value


def _as_point(values, name):
    values = list(values)
    if len(values) != 2:
        raise ValueError(f"{name} must be a point (x, y), got {len(values)} numbers: take two of them")
    return tuple(_as_number(value, name) for value in values)

"""A figure that displays itself with a caption and a description read back from what was drawn.

Pixels differ from one machine to the next, so the tests compare words instead: a description, which
serves as alt text too, and a digest of every artist with its place, colour and style. Any visible
change of a drawing changes one of the two.
"""

import io
import math

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.colors import to_hex, to_rgba
from matplotlib.container import BarContainer
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter
from matplotlib.transforms import Bbox
from PIL import Image
from PIL.PngImagePlugin import PngInfo

MIME = "application/vnd.posenc.figure+json"


class Picture:
    """A figure that displays itself as PNG with a caption, and with a description of what it holds.

    fig: a matplotlib Figure. see: the fact to see, computed from the data, one sentence; it becomes the
    caption, and may hold Markdown and mathematics. digits: decimals, 0 to 6, kept in what is compared;
    fewer where the numbers are noisy. Raises ValueError without a sentence, and, when shown, without data.
    """

    def __init__(self, fig, see, digits=3):
        if not isinstance(see, str) or not see.strip():
            raise ValueError(f"see must say what to look at, got {see!r}: write one sentence")
        if digits not in range(7):
            raise ValueError(f"digits must be a whole number from 0 to 6, got {digits!r}: 3 is usual")
        self.figure, self.see, self.digits = fig, " ".join(see.split()), digits

    def _ipython_display_(self):
        from IPython.display import display  # only a notebook calls this

        display(self._repr_mimebundle_(), raw=True)
        caption = f"**Figure.** {self.see}"
        display({"text/markdown": caption, "text/plain": caption}, raw=True)

    def _repr_mimebundle_(self, include=None, exclude=None):
        sentences, digest = describe(self.figure, self.digits)
        return {"image/png": _png(self.figure), "text/plain": sentences, MIME: {"digest": digest}}

    def __repr__(self):
        return f"{describe(self.figure, self.digits)[0]} {self.see}"


def describe(fig, digits=3):
    """Two readings of a figure: (a text for readers, a list to compare). Raises ValueError where nothing is drawn.

    The list holds the size and the texts of the figure, then a list of what each visible panel holds.
    """
    panels = [ax for ax in fig.axes if ax.get_visible() and ax.get_label() != "<colorbar>"]
    sentences = [sentence for ax in panels if (sentence := _sentence(ax, digits))]
    if not sentences:
        raise ValueError("the figure shows no data: draw something before wrapping it in a Picture")
    width, height = fig.get_size_inches()
    around = [_short(width, 2), _short(height, 2), *_texts(fig.texts, digits)]
    return " ".join(sentences), [around, *([*_frame(ax, digits), *_artists(ax, digits)] for ax in panels)]


# --- for readers ------------------------------------------------------------------------------


def _sentence(axes, digits):
    """What one pair of axes shows, in words; "" where it shows nothing. digits: decimals of the numbers."""
    parts = []

    def note(words, values):
        values = np.ma.masked_invalid(np.ma.asarray(values, dtype=float)).compressed()
        if values.size:
            low, high = (_fixed(v, digits) for v in (values.min(), values.max()))
            parts.append(f"{words} from {low} to {high}")

    for image in axes.images:
        rows, columns = image.get_array().shape[:2]
        note(f"heatmap, {rows} rows by {columns} columns, values", image.get_array())
    for line in axes.lines:
        if not line.get_label().startswith("_"):
            note(f"curve {line.get_label()}, {len(line.get_ydata())} points,", line.get_ydata())
    for cloud in axes.collections:
        if len(cloud.get_offsets()) and cloud.get_offset_transform().contains_branch(axes.transData):
            note(f"{len(cloud.get_offsets())} points, heights", cloud.get_offsets()[:, 1])
    for bars in axes.containers:
        if isinstance(bars, BarContainer):
            note(f"{len(bars)} bars, values", bars.datavalues)
    parts += _signs(axes, digits)
    if not parts:
        return ""
    down = "down" if axes.yaxis.get_inverted() else "up"
    labels = ((way, label) for way, label in (("across", axes.get_xlabel()), (down, axes.get_ylabel())) if label)
    parts += [f"{way}: {label}" for way, label in labels]
    title = axes.get_title("left") or axes.get_title()
    return f"{title}: {'; '.join(parts)}." if title else f"{'; '.join(parts)}."


def _signs(axes, digits):
    """In phrases what the book's own signs say; `draw` marks each with its kind as the artist's gid."""
    parts, signs = [], {}
    for artist in [*axes.texts, *axes.lines]:
        signs.setdefault(artist.get_gid(), []).append(artist)
    for kind in ("token", "position"):
        if kind in signs:
            parts.append(f"{kind}s in order: {', '.join(text.get_text() for text in signs[kind])}")
    if "bit" in signs:
        rows = {}
        for text in sorted(signs["bit"], key=lambda text: text.get_position()):
            rows.setdefault(-text.get_position()[1], []).append(text.get_text())
        parts.append(f"bits, row by row: {', '.join(''.join(rows[y]) for y in sorted(rows))}")
    if "hand" in signs:
        ends = [line.get_xydata()[-1] - line.get_xydata()[0] for line in signs["hand"]]
        angles = [f"{round(math.degrees(math.atan2(*end[::-1]))) % 360}°" for end in ends]
        count = "1 hand" if len(angles) == 1 else f"{len(angles)} hands"
        parts.append(f"{count}, counter-clockwise from the right at {', '.join(angles)}")
    names = {tuple(text.xy): f" {text.get_text()}" for text in signs.get("name", ())}
    for arrow in axes.texts:
        if (arrow.get_gid() or "").endswith("-arrow"):
            places = (_place(point, digits) for point in (arrow.get_position(), arrow.xy))
            kind = arrow.get_gid().replace("-", " ")
            parts.append(f"{kind}{names.get(tuple(arrow.xy), '')} from {' to '.join(places)}")
    return parts


# --- to compare -------------------------------------------------------------------------------


def _frame(axes, digits):
    """Yield lines: where the axes stand, what is written at them, which way they run, and what was set by hand."""
    spec = axes.get_subplotspec()
    place = "" if spec is None else f"row {spec.rowspan.start}, column {spec.colspan.start}"
    title = axes.get_title("left") or axes.get_title()
    yield f"panel {place}: {title}; aspect {axes.get_aspect()}{'' if axes.axison else ', no axes'}"
    set_by_hand = {"x": not axes.get_autoscalex_on(), "y": not axes.get_autoscaley_on()}
    for axis in (axes.xaxis, axes.yaxis):
        name = axis.axis_name
        parts = [f"{name} {axis.get_scale()}{' inverted' if axis.get_inverted() else ''}", axis.get_label_text()]
        if set_by_hand[name]:
            low, high = (_short(v, digits) for v in axis.get_view_interval())
            parts.append(f"{low} to {high}")
        if isinstance(axis.get_major_locator(), FixedLocator):  # other ticks are matplotlib's own choice
            ticks, form = axis.get_major_locator().locs, axis.get_major_formatter()
            has_texts = isinstance(form, FixedFormatter | FuncFormatter)
            marks = form.format_ticks(ticks) if has_texts else [_short(tick, digits) for tick in ticks]
            parts.append(f"ticks {', '.join(marks)}")
        yield "; ".join(parts)
    if axes.get_legend():
        yield f"legend: {'; '.join(text.get_text() for text in axes.get_legend().get_texts())}"


def _artists(axes, digits):
    """Yield a line for each style and width (not written): how many artists have it, a weighted sum of numbers."""
    groups = {}

    def note(style, *numbers, width=None):
        groups.setdefault((style, width), []).extend(
            np.ma.filled(np.ma.asarray(n, dtype=float), np.nan).ravel() for n in numbers
        )

    for image in axes.images:
        shape = "×".join(map(str, image.get_array().shape))
        extent = ", ".join(_short(v, digits) for v in image.get_extent())
        note(f"image {shape}, origin {image.origin}, extent {extent}, {_colour_map(image, digits)}", image.get_array())
    for line in filter(Artist.get_visible, axes.lines):
        marker = "" if line.get_marker() in ("None", "", " ", None) else f", marker {line.get_marker()}"
        style = f"{line.get_linestyle()} {_colour(line.get_color())}{marker}"
        name = "" if line.get_label().startswith("_") else f"{line.get_label()} "
        note(f"line {name}{style}", line.get_xydata(), width=line.get_linewidth())
    for patch in filter(Artist.get_visible, axes.patches):
        outline = patch.get_path().transformed(patch.get_patch_transform()).vertices
        edge = f"{patch.get_linestyle()} {_colour(patch.get_edgecolor())}"
        note(f"shape {_colour(patch.get_facecolor())}, edge {edge}", outline, width=patch.get_linewidth())
    for cloud in filter(Artist.get_visible, axes.collections):
        colours = [*cloud.get_facecolor(), *cloud.get_edgecolor()]
        style = " ".join(dict.fromkeys(_colour(c) for c in colours))
        mapped = "" if cloud.get_array() is None else _colour_map(cloud, digits)
        outlines = [path.vertices for path in cloud.get_paths()]
        values = [cloud.get_array()] if mapped else []
        note(f"collection {mapped or style}", cloud.get_offsets(), *outlines, *values)
    for (style, _), numbers in groups.items():
        yield f"{style}: {len(numbers)} with sum {_weighted_sum(np.concatenate(numbers), digits)}"
    yield from _texts(axes.texts, digits)


def _texts(texts, digits):
    """A line for each style of text and of arrow: what is written or drawn, and where."""
    groups = {}
    for text in filter(Artist.get_visible, texts):
        at = _place(text.get_position(), digits)
        if hasattr(text, "xy"):  # an annotation: the point that it names, and its place from there
            at = f"{_place(text.xy, digits)} {'' if text.anncoords == 'data' else text.anncoords} {at}"
        if text.get_text():
            box = text.get_bbox_patch()
            style = f"text {_colour(text.get_color())} {text.get_fontsize():g}pt {text.get_ha()} {text.get_va()}"
            style += f" {text.get_rotation():g}°" if text.get_rotation() else ""
            if box is not None:
                style += f" in {type(box.get_boxstyle()).__name__} {_colour(box.get_facecolor())}"
            groups.setdefault(style, []).append(f"{text.get_text()} {at}")
        if (arrow := getattr(text, "arrow_patch", None)) is not None:
            kind, line = type(arrow.get_arrowstyle()).__name__, arrow.get_linestyle()
            groups.setdefault(f"arrow {kind} {line} {_colour(arrow.get_edgecolor())}", []).append(at)
    return [f"{style}: {'; '.join(entries)}" for style, entries in groups.items()]


def _colour_map(mapped, digits):
    """How the values of an image or a cloud become colours, in words."""
    low, high = (_short(v, digits) for v in mapped.get_clim())
    bar = f", bar {mapped.colorbar.ax.get_ylabel()}" if mapped.colorbar else ""
    return f"{mapped.get_cmap().name} from {low} to {high}, {type(mapped.norm).__name__}{bar}"


def _colour(colour):
    return to_hex(colour, keep_alpha=to_rgba(colour)[3] < 1)


def _weighted_sum(values, digits):
    """A sum, as text, that moves with any value and any two that change places, and how many are missing."""
    finite = np.isfinite(values)
    missing = "" if finite.all() else f", {(~finite).sum()} missing"
    return _fixed(float(np.where(finite, values, 0.0) @ np.cos(np.arange(values.size))), digits) + missing


def _place(point, digits):
    return f"({', '.join(_short(float(v), digits) for v in point)})"


def _fixed(value, digits):
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def _short(value, digits):
    text = _fixed(float(value), digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _png(fig):
    """PNG bytes of a figure, with a palette; its SVG, for the page, is a text inside, so that git keeps none."""
    box, layout = _used_box(fig), fig.get_layout_engine()
    fig.set_layout_engine(None)  # each file would lay the figure out anew, and draw it twice
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=160, bbox_inches=box)
    picture = Image.open(buffer).convert("RGB").quantize(192, dither=Image.Dither.NONE)
    small, texts = io.BytesIO(), PngInfo()
    texts.add_itxt("svg", _svg(fig, box), zip=True)
    fig.set_layout_engine(layout)
    picture.save(small, format="png", optimize=True, pnginfo=texts)
    return small.getvalue()


def _used_box(fig):
    """A box in inches: the whole width, and of the height what is drawn on. Equal scales leave a gap below."""
    fig.draw_without_rendering()
    parts = [*fig.texts, *fig.legends]
    parts += [part for axes in fig.axes for part in axes.get_children() if part is not axes.patch]
    boxes = [part.get_tightbbox() for part in parts if part.get_visible()]
    low, high = Bbox.union([box for box in boxes if box and box.width + box.height > 0]).intervaly / fig.dpi
    margin = 0.05  # inches
    return Bbox.from_extents(0, low - margin, fig.get_figwidth(), high + margin)


def _svg(fig, box):
    """A part of the figure, a box in inches, as SVG with live text."""
    text = io.StringIO()
    style = {"svg.fonttype": "none", "svg.hashsalt": "posenc", "path.simplify_threshold": 0.25}
    with matplotlib.rc_context(style):
        fig.savefig(text, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches=box)
    return text.getvalue()

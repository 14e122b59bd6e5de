"""A figure is what it was: as read back in words, which a notebook's test compares, and as drawn, in pixels.

New reference pictures: pytest tests/test_draw.py --mpl-generate-path=tests/baseline; then look at them.
"""

import io
import itertools

import matplotlib
import numpy as np
import pytest
import sympy as sp
import torch
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.text import Text
from PIL import Image

from posenc import draw

TABLE = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(3, 4)
ANGLES = np.outer(range(3), (1.0, 0.25))


def compared(fig):
    """What strict nbval compares of a figure, without the time that its picture takes."""
    text, digest = draw.describe(fig)
    return {"text/plain": text, draw.MIME: {"digest": digest}}


# --- the description and the digest ---------------------------------------------------------------


def test_every_kind_of_artist_is_read_back():
    fig, grid = draw.axes(2, 4)
    draw.show_matrix(grid[0, 0], TABLE, x="column j", y="position p", title="Ramp")
    draw.plane(grid[0, 1], {"q": 1 + 0j, "k": (0.0, 0.5)})
    grid[0, 2].bar([0, 1], [3.0, 4.0])
    grid[0, 3].scatter([0, 1], [5.0, 6.0])
    draw.tokens(grid[1, 0], ["dog", "bites"], positions=[7, 8])
    draw.dials(grid[1, 1], [[0.0, np.pi / 2]])
    draw.bits(grid[1, 2], [1, 6], 3)
    (curve,) = grid[1, 3].plot([0, 1, 2], [0, 1, 4], label="square")
    curve.set_ydata([0, 1, 5])  # what is drawn later is described too
    for words in (
        "Ramp: heatmap, 3 rows by 4 columns, values from -1.000 to 1.000; across: column j; down: position p.",
        "query arrow q from (0, 0) to (1, 0); key arrow k from (0, 0) to (0, 0.5)",
        "2 bars, values from 3.000 to 4.000",
        "2 points, heights from 5.000 to 6.000",
        "tokens in order: dog, bites; positions in order: 7, 8.",
        "2 hands, counter-clockwise from the right at 0°, 90°",
        "bits, row by row: 100, 011",
        "curve square, 3 points, from 0.000 to 5.000",
    ):
        assert words in compared(fig)["text/plain"]


def test_the_last_bits_of_a_number_are_forgiven_and_a_zero_has_no_sign():
    noise = 1e-9 * torch.randn(TABLE.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    plain, noisy = (draw.heatmap(values, see="See.").figure for values in (TABLE, TABLE + noise))
    assert compared(noisy) == compared(plain)
    (text,) = {draw.describe(draw.heatmap(TABLE.clamp(min=tiny), see="See.").figure)[0] for tiny in (-1e-9, 0, 1e-9)}
    assert "values from 0.000" in text


def table(ax):
    image = draw.show_matrix(ax, TABLE, x="column j", y="position p", title="table", numbers=".1f")
    ax.figure.colorbar(image, ax=ax, label="value")


def plane(ax):
    draw.plane(ax, {"q": 1 + 0j, "k": -0.5 + 0.5j})


def curves(ax):
    for name, values, dashes in (("rises", [0.0, 1.0, 2.0], "-"), ("falls", [2.0, 0.0, -1.0], "--")):
        (line,) = ax.plot(values, dashes, label=name, color=draw.BLUE if dashes == "-" else draw.RED)
        ax.annotate(name, (2, values[-1]), (5, 0), textcoords="offset points", color=line.get_color())
    ax.set(xlabel="offset", ylabel="score", xlim=(0, 3))


def tokens(ax):
    draw.tokens(ax, ["dog", "bites"], [0, 1])


def dials(ax):
    draw.dials(ax, ANGLES)


def points(ax):
    ax.scatter([0, 1], [2, 3], color=[draw.BLUE, draw.RED])
    ax.axvspan(0, 1, color="#e4e9ec")
    ax.set_xticks([0, 1], ["first", "second"])
    ax.legend(["points"])


def figure_of(panel):
    """A figure with one panel."""
    fig, ax = draw.axes()
    panel(ax)
    return fig


def figure_of_everything():
    """A figure with something of everything."""
    fig, grid = draw.axes(2, 3, height=6)
    for panel, ax in zip((table, plane, curves, tokens, dials, points), grid.flat, strict=True):
        panel(ax)
    return fig


def exchange(get, set_, first, second):
    """Exchange what two artists have."""
    old = get(first)
    set_(first, get(second))
    set_(second, old)


CHANGES = {  # one of each kind of thing that is compared
    table: {
        "heatmap upside down": lambda ax: ax.invert_yaxis(),
        "rows from below": lambda ax: setattr(ax.images[0], "origin", "lower"),
        "rows exchanged": lambda ax: ax.images[0].set_data(TABLE.numpy()[::-1]),
        "columns exchanged": lambda ax: ax.images[0].set_data(TABLE.numpy()[:, ::-1]),
        "another colour map": lambda ax: ax.images[0].set_cmap("RdBu"),
        "colours not centred": lambda ax: ax.images[0].set_clim(-1, 2),
        "axis label": lambda ax: ax.set_xlabel("position p"),
        "title lost": lambda ax: ax.set_title("", loc="left"),
        "numbers of two cells exchanged": lambda ax: exchange(Text.get_text, Text.set_text, *ax.texts[:2]),
        "number not legible": lambda ax: ax.texts[0].set_color("black"),
        "colour bar mislabelled": lambda ax: ax.images[0].colorbar.set_label("weight"),
    },
    plane: {
        "name opposite its arrow": lambda ax: ax.texts[2].set_position(-np.array(ax.texts[2].get_position())),
        "key drawn as query": lambda ax: ax.texts[3].arrow_patch.set_linestyle("-"),
        "arrow turned around": lambda ax: ax.texts[0].set_position((2, 0)),
        "arrow's colour": lambda ax: ax.texts[0].arrow_patch.set_color(draw.RED),
        "circle squeezed": lambda ax: ax.set_aspect("auto"),
    },
    curves: {
        "name at the left end": lambda ax: setattr(ax.texts[0], "xy", (0, ax.texts[0].xy[1])),
        "line style": lambda ax: ax.lines[1].set_linestyle("-"),
        "colours exchanged": lambda ax: exchange(Line2D.get_color, Line2D.set_color, *ax.lines),
        "curves exchanged": lambda ax: exchange(Line2D.get_ydata, Line2D.set_ydata, *ax.lines),
        "curve hidden": lambda ax: ax.lines[0].set_visible(False),
        "curve cut off": lambda ax: ax.set_xlim(0, 1),
        "logarithmic scale": lambda ax: ax.set_yscale("symlog"),
    },
    tokens: {"positions in chips": lambda ax: ax.texts[-1].set_bbox({"boxstyle": "round"})},
    dials: {"dial's colour": lambda ax: ax.patches[0].set_edgecolor(draw.RED)},
    points: {
        "point moved": lambda ax: ax.collections[0].set_offsets([[0.5, 2], [1, 3]]),
        "points' colours": lambda ax: ax.collections[0].set_color([draw.RED, draw.BLUE]),
        "span moved": lambda ax: ax.patches[0].set_x(1),
        "tick labels exchanged": lambda ax: ax.set_xticks([0, 1], ["second", "first"]),
        "legend": lambda ax: ax.get_legend().get_texts()[0].set_text("dots"),
    },
}


@pytest.mark.parametrize(("panel", "name"), [(panel, name) for panel, changes in CHANGES.items() for name in changes])
def test_a_figure_drawn_otherwise_is_compared_as_another(panel, name):
    fig = figure_of(panel)
    before = compared(fig)
    CHANGES[panel][name](fig.axes[0])
    assert compared(fig) != before


@pytest.mark.parametrize("change", [lambda fig: fig.axes[5].set_visible(False), lambda fig: fig.set_size_inches(6, 5)])
def test_a_figure_with_a_panel_less_or_of_another_size_is_another(change):
    fig = figure_of_everything()
    before = compared(fig)
    change(fig)
    assert compared(fig) != before


# --- the picture and its caption ------------------------------------------------------------------


def test_a_notebook_shows_an_opaque_picture_of_house_width_and_then_its_caption(monkeypatch):
    displayed = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: displayed.append(data))
    draw.Picture(figure_of(plane), "Arrows\n  lead to $x_1$.")._ipython_display_()
    picture, caption = displayed
    assert picture == draw.Picture(figure_of(plane), "Arrows.")._repr_mimebundle_(), "drawn otherwise each time"
    assert picture == picture | compared(figure_of(plane))
    assert caption == dict.fromkeys(("text/markdown", "text/plain"), "**Figure.** Arrows lead to $x_1$.")
    png = Image.open(io.BytesIO(picture["image/png"]))
    assert "transparency" not in png.info
    assert png.width == round(draw.WIDE * 160)


def test_the_smallest_text_can_be_read_on_a_phone():
    fig = figure_of_everything()
    labels = [label for ax in fig.axes for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]]
    texts = [text for ax in fig.axes for text in [*ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label]]
    smallest = min(text.get_fontsize() for text in [*labels, *texts])
    assert smallest / 72 / draw.WIDE * 340 >= 8.5


# --- signs ----------------------------------------------------------------------------------------


def test_pairs_go_from_dark_to_light_and_stay_legible():
    shades = [luminance(draw.pair_colour(i, 8)) for i in range(8)]
    assert shades == sorted(shades)
    ratio = [(luminance(draw.PAPER) + 0.05) / (shade + 0.05) for shade in shades]
    assert min(ratio) >= 4.5


def luminance(colour):
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return np.dot(parts, (0.2126, 0.7152, 0.0722))


def test_a_query_and_a_key_differ_without_their_colours():
    _, ax = draw.axes()
    looks = []
    for kind in ("query", "key", "pair", "plain"):
        draw.arrow(ax, (1, 1), kind=kind)
        shaft, head = (text.arrow_patch for text in ax.texts[-2:])
        size = head.get_arrowstyle().head_width
        looks.append((str(shaft.get_linestyle()), type(head.get_arrowstyle()).__name__, size))
    assert len(set(looks)) == 4


# --- tables and curves ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "options", "limits", "colours"),
    [
        ([-1.0, 3.0], {}, (-3, 3), draw.SIGNED),
        ([0.0, 0.0], {}, (0, 1), draw.SEQUENTIAL),
        ([0.5, 2.0], {}, (0, 2), draw.SEQUENTIAL),
        ([-2.0, 3.0], {"signed": False}, (-2, 3), draw.SEQUENTIAL),
        ([1.0, 2.0], {"limits": (0.5, 4)}, (0.5, 4), draw.SEQUENTIAL),
        ([0.0, 0.0], {"signed": True}, (-1, 1), draw.SIGNED),
        ([1.0, 2.0], {"limits": (-9, 9)}, (-9, 9), draw.SIGNED),
    ],
)
def test_the_colours_of_one_table_and_of_many_have_the_limits_that_are_asked_for(values, options, limits, colours):
    several = draw.heatmaps({n: [[n]] for n in values}, see="Two.", **options)
    figures = [several.figure, draw.heatmap([values], see="One.", **options).figure]
    for image in (image for fig in figures for ax in fig.axes[:-1] for image in ax.images):
        assert (image.get_clim(), image.cmap.name) == (limits, colours)


def test_small_multiples_share_one_scale_and_one_colour_bar_and_say_once_what_their_rows_are():
    tables = {"a": [[-0.001]], "b": [[-4.0]], "c": [[2.0]]}
    fig = draw.heatmaps(tables, see="One scale.", numbers=".1f", y="position").figure
    *panels, spare, bar = fig.axes
    assert {ax.images[0].get_clim() for ax in panels} == {(-4.0, 4.0)}
    assert [text.get_text() for ax in panels for text in ax.texts] == ["0.0", "−4.0", "2.0"]
    assert [ax.get_title("left") for ax in panels] == ["a", "b", "c"]
    assert [ax.get_ylabel() for ax in panels] == ["position", "", "position"]
    assert not spare.get_visible()
    fig.draw_without_rendering()
    assert 0 < bar.get_position().x0 - max(ax.get_position().x1 for ax in panels) < 0.03
    assert bar.get_position().height > 0.8
    assert bar.get_ylim() == (-4, 4)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_names_of_curves_stand_at_their_last_points_in_their_colours_order_and_a_distance_apart(scale):
    lines = {str(n): [1.0, value] for n, value in enumerate((1.0, 1.01, 5.0, 1.02, 5.0, 9.0))}
    lines["ends early"] = [3.0, np.nan]
    picture = draw.curves(lines, see="Seven.", yscale=scale)
    picture.figure.draw_without_rendering()
    (ax,) = picture.figure.axes
    texts = {text.get_text(): text for text in ax.texts}
    assert len(texts) == 7
    for line in ax.lines:
        text = texts[line.get_label()]
        assert text.get_color() == line.get_color()
        assert tuple(text.xy) == tuple(line.get_xydata()[np.isfinite(line.get_ydata())][-1])
    boxes = sorted((text.get_window_extent().y0, text.get_window_extent().y1, text.xy[1]) for text in ax.texts)
    ends = [end for *_, end in boxes]
    assert ends == sorted(ends)
    assert all(below[1] <= above[0] + 1 for below, above in itertools.pairwise(boxes))


@pytest.mark.parametrize(("ticks", "end"), [([0, 2, 4], 4), ([0, 5], 5), ([0, 3], 4)])
def test_the_axis_and_lines_without_a_name_leave_room_for_names(ticks, end):
    picture = draw.curves({"rises": range(5)}, see="One.", x="place", xlim=(0, 8), xticks=ticks)
    (ax,) = picture.figure.axes
    assert ax.spines["bottom"].get_bounds() == (0, end)
    picture.figure.draw_without_rendering()
    words = ax.xaxis.label.get_window_extent()
    assert ax.transData.inverted().transform(((words.x0 + words.x1) / 2, 0))[0] == pytest.approx(end / 2)
    _, ax = draw.axes()
    ax.plot(range(5), label="rises")
    line = ax.axhline(1)
    ax.set(xlim=(0, 8), xticks=ticks)
    draw.name_ends(ax)
    across = ax.transData.inverted().transform(line.get_clip_box().get_points())[:, 0]
    assert across.tolist() == pytest.approx([0, end])


def test_a_logarithmic_axis_has_no_small_ticks_beyond_its_curves():
    fig, ax = draw.axes()
    ax.semilogx([1, 10, 300], [1, 2, 3], label="rises")
    draw.name_ends(ax)
    assert ax.get_xlim()[1] == 300
    assert ax.get_autoscalex_on()  # what is compared stays
    fig.draw_without_rendering()
    assert ax.get_xlim()[1] == 300


def test_the_number_of_a_row_of_dials_does_not_touch_the_first():
    fig, ax = draw.axes(height=3)
    draw.dials(ax, [[0.0, 1.0], [2.0, 3.0]], rows=[0, 62_832])
    fig.draw_without_rendering()
    dial = min(patch.get_window_extent().x0 for patch in ax.patches)
    badges = [text for text in ax.texts if text.get_gid() == "position"]
    assert len(badges) == 2
    assert all(badge.get_bbox_patch().get_window_extent().x1 < dial for badge in badges)


def test_numbers_may_be_of_any_kind():
    exact, trained = [sp.Rational(1, 2), sp.Integer(1)], torch.ones(2, requires_grad=True) + 1
    (ax,) = draw.curves({"exact": exact, "trained": trained}, see="Two.", at=[sp.Integer(3), sp.Integer(7)]).figure.axes
    assert [line.get_xydata().tolist() for line in ax.lines] == [[[3, 0.5], [7, 1]], [[3, 2], [7, 2]]]
    for values in ([[1, 2]], sp.Matrix([[1, 2]]), torch.ones(1, 2, requires_grad=True)):
        assert draw.matrix(values).shape == (1, 2)


# --- refusals -------------------------------------------------------------------------------------

WRONG = {
    "values must be a table of rank 2, got shape \\(3,\\)": lambda ax: draw.show_matrix(ax, [1.0, 2.0, 3.0]),
    "values must be finite, got inf": lambda ax: draw.show_matrix(ax, [[1.0, np.inf]]),
    "signed must be False for values from 0 to 3: no value is below 0": lambda ax: draw.show_matrix(
        ax, [[0.0, 3.0]], signed=True
    ),
    "limits must be symmetric for signed values, got \\(-1, 3\\)": lambda ax: draw.show_matrix(
        ax, [[0.0]], limits=(-1, 3)
    ),
    "limits must rise, got \\(3, 0\\)": lambda ax: draw.show_matrix(ax, [[0.0]], limits=(3, 0)),
    "marks must have the shape": lambda ax: draw.show_matrix(ax, [[0.0, 1.0]], marks=[["a"]]),
    "marks must be None": lambda ax: draw.show_matrix(ax, [[0.0]], marks=[["a"]], numbers=".1f"),
    "tables must have an entry": lambda ax: draw.heatmaps({}, see="None."),
    "bent must be 2 numbers, got shape \\(3,\\)": lambda ax: draw.curves({"bent": range(3)}, at=[0, 1], see="Bent."),
    "gone must have a finite value": lambda ax: draw.curves({"gone": [np.nan]}, see="Gone."),
    "i must lie from 0 to 2 for 3 pairs, got 3": lambda ax: draw.pair_colour(3, 3),
    "words must be a list, got 'dog'": lambda ax: draw.tokens(ax, "dog"),
    "positions must be a list of 2": lambda ax: draw.tokens(ax, ["dog", "bites"], [0]),
    "angle must be finite, got nan": lambda ax: draw.dial(ax, (0, 0), float("nan")),
    "centre must be a point \\(x, y\\), got 3 numbers": lambda ax: draw.dial(ax, (0, 0, 0), 1),
    "radius must be above 0, got 0": lambda ax: draw.dial(ax, (0, 0), 1, radius=0),
    "rows must be a list of 3": lambda ax: draw.dials(ax, ANGLES, rows=[0]),
    "was must have the shape of angles, \\(3, 2\\)": lambda ax: draw.dials(ax, ANGLES, was=ANGLES[1:]),
    "kind must be one of query, key, pair, plain": lambda ax: draw.arrow(ax, (1, 1), kind="value"),
    "end must differ from start": lambda ax: draw.arrow(ax, (1, 1), start=(1, 1)),
    "numbers must lie from 0 to 3, got \\[4\\]": lambda ax: draw.bits(ax, [1, 4], 2),
    "see must say what to look at, got ' '": lambda ax: draw.Picture(ax.figure, " "),
    "digits must be a whole number from 0 to 6": lambda ax: draw.Picture(ax.figure, "See.", digits=2.5),
    "the figure shows no data": lambda ax: draw.Picture(ax.figure, "Nothing.")._repr_mimebundle_(),
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_argument_is_named_with_its_value_and_a_remedy(words):
    with pytest.raises(ValueError, match=f"^{words}"):
        WRONG[words](draw.axes()[1])


# --- the reference picture --------------------------------------------------------------------------


def test_the_reference_picture_is_compared(pytestconfig):
    assert pytestconfig.getoption("mpl"), "the comparison of pictures is off: pass --mpl"


@pytest.mark.skipif(matplotlib.__version_info__[:2] != (3, 11), reason="other releases set text a pixel apart")
@pytest.mark.mpl_image_compare(
    tolerance=0.5, deterministic=True, baseline_dir="baseline", style=draw.STYLE, savefig_kwargs={"dpi": 50}
)
def test_picture_of_everything():
    print("Is the change meant? Then pytest tests/test_draw.py --mpl-generate-path=tests/baseline, and look at it.")
    fig, grid = draw.axes(5, 2, height=12)
    draw.tokens(grid[0, 0], ["the", "dog", "bites"], range(3))
    draw.bits(grid[0, 1], range(6), 3)
    draw.dials(grid[1, 0], ANGLES, was=ANGLES[::-1])
    draw.dial(grid[1, 1], (0, 0), 2.0, was=0.5, colour=draw.pair_colour(0, 2), label="pair 0")
    draw.plane(grid[2, 0], {"q": 1 + 0j, "k": (0.3, 0.8), "v": (-0.8, 0.4)}, kinds={"v": "pair"}, title="plane")
    for n, kind in enumerate(("query", "key", "pair", "plain")):
        draw.arrow(grid[2, 1], (1, n + 0.5), kind=kind, start=(0, n), label=kind[0])
    table(grid[3, 0])
    draw.show_matrix(grid[3, 1], 1 - TABLE, marks=[list("abcd")] * 3)
    curves(grid[4, 0])
    for k, name in enumerate(("fast", "slower", "slowest"), 1):
        grid[4, 1].plot(np.sin(np.arange(20.0) / k), label=name)
    draw.name_ends(grid[4, 1])
    return fig

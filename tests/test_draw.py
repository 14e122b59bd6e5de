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
from PIL import Image

from posenc import draw

TABLE = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(3, 4)
ANGLES = np.outer(range(3), (1.0, 0.25))


def bundle(values=TABLE, **options):
    """What strict nbval compares of a heatmap."""
    return compared(draw.heatmap(values, see="Values rise.", title="Ramp", **options).figure)


def compared(fig):
    """What strict nbval compares of a figure, without the time that its picture takes."""
    text, digest = draw.describe(fig)
    return {"text/plain": text, draw.MIME: {"digest": digest}}


# --- the description and the digest ---------------------------------------------------------------


def test_a_heatmap_says_its_shape_range_and_directions():
    text = bundle(x="column j", y="position p")["text/plain"]
    assert text == (
        "Ramp: heatmap, 3 rows by 4 columns, values from -1.000 to 1.000; across: column j; down: position p."
    )


def test_what_is_drawn_later_is_described_too():
    fig, ax = draw.axes()
    ax.plot([0, 1, 2], [0, 1, 4], label="square")
    assert "curve square, 3 points, from 0.000 to 4.000" in compared(fig)["text/plain"]
    ax.lines[0].set_ydata([0, 1, 5])
    assert "to 5.000" in compared(fig)["text/plain"]


def test_every_kind_of_artist_is_read_back():
    fig, grid = draw.axes(1, 4)
    draw.plane(grid[0], {"q": 1 + 0j, "k": (0.0, 0.5)})
    grid[1].bar([0, 1], [3.0, 4.0])
    grid[2].scatter([0, 1], [5.0, 6.0])
    draw.show_matrix(grid[3], [[1.0, 2.0]], numbers=".1f")
    text = compared(fig)["text/plain"]
    assert "query arrow q from (0, 0) to (1, 0); key arrow k from (0, 0) to (0, 0.5)" in text
    assert "2 bars, values from 3.000 to 4.000" in text
    assert "2 points, heights from 5.000" in text
    assert "heatmap, 1 rows" in text


def test_the_signs_say_what_they_are():
    fig, (top, middle, low) = draw.axes(3, 1)
    draw.tokens(top, ["dog", "bites"], positions=[7, 8])
    draw.dials(middle, [[0.0, np.pi / 2]])
    draw.bits(low, [1, 6], 3)
    text = compared(fig)["text/plain"]
    assert "tokens in order: dog, bites; positions in order: 7, 8." in text
    assert "2 hands, counter-clockwise from the right at 0°, 90°" in text
    assert "bits, row by row: 100, 011" in text


def test_a_digest_forgives_what_the_last_bits_of_a_number_do():
    generator = np.random.default_rng(0)
    noisy = TABLE.numpy() + 1e-9 * generator.standard_normal(TABLE.shape)
    assert bundle(noisy)[draw.MIME] == bundle()[draw.MIME]


def test_a_zero_has_no_sign_whichever_way_it_was_rounded():
    texts = [bundle(TABLE.clamp(min=tiny))["text/plain"] for tiny in (-1e-9, 0, 1e-9)]
    assert len(set(texts)) == 1
    assert "values from 0.000" in texts[0]


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


def alone(panel):
    """A figure with one panel."""
    fig, ax = draw.axes()
    panel(ax)
    return fig


def drawn():
    """A figure with something of everything."""
    fig, grid = draw.axes(2, 3, height=6)
    for panel, ax in zip((table, plane, curves, tokens, dials, points), grid.flat, strict=True):
        panel(ax)
    return fig


def swap(artists, get, put):
    """Exchange what two artists have."""
    first, second = artists
    old = getattr(first, get)()
    getattr(first, put)(getattr(second, get)())
    getattr(second, put)(old)


def exchange_labels(ax):
    ax.set(xlabel=ax.get_ylabel(), ylabel=ax.get_xlabel())


def exchange_ends(texts):
    texts[0].xy, texts[1].xy = texts[1].xy, texts[0].xy


def names(ax):
    return [text for text in ax.texts if text.get_text() in ("q", "k", "rises", "falls")]


MUTANTS = {
    table: {
        "heatmap upside down": lambda ax: ax.invert_yaxis(),
        "heatmap from right to left": lambda ax: ax.invert_xaxis(),
        "rows from below": lambda ax: setattr(ax.images[0], "origin", "lower"),
        "rows exchanged": lambda ax: ax.images[0].set_data(TABLE.numpy()[::-1]),
        "columns exchanged": lambda ax: ax.images[0].set_data(TABLE.numpy()[:, ::-1]),
        "another colour map": lambda ax: ax.images[0].set_cmap(draw.SEQUENTIAL),
        "colour map reversed": lambda ax: ax.images[0].set_cmap("RdBu"),
        "colours not centred": lambda ax: ax.images[0].set_clim(-1, 2),
        "axis labels exchanged": lambda ax: exchange_labels(ax),
        "title lost": lambda ax: ax.set_title("", loc="left"),
        "numbers of two cells exchanged": lambda ax: swap(ax.texts[:2], "get_text", "set_text"),
        "number not legible": lambda ax: ax.texts[0].set_color("black"),
        "colour bar mislabelled": lambda ax: ax.images[0].colorbar.set_label("weight"),
    },
    plane: {
        "names opposite their arrows": lambda ax: [t.set_position(-np.array(t.get_position())) for t in names(ax)],
        "names of arrows exchanged": lambda ax: swap(names(ax), "get_text", "set_text"),
        "colours of names exchanged": lambda ax: swap(names(ax), "get_color", "set_color"),
        "key drawn as query": lambda ax: ax.texts[3].arrow_patch.set_linestyle("-"),
        "arrow turned around": lambda ax: ax.texts[0].set_position((2, 0)),
        "arrow's colour": lambda ax: ax.texts[0].arrow_patch.set_color(draw.RED),
        "circle squeezed": lambda ax: ax.set_aspect("auto"),
    },
    curves: {
        "labels of curves' axes exchanged": lambda ax: exchange_labels(ax),
        "names of curves exchanged": lambda ax: exchange_ends(names(ax)),
        "names at the left end": lambda ax: [setattr(text, "xy", (0, text.xy[1])) for text in names(ax)],
        "line style": lambda ax: ax.lines[1].set_linestyle("-"),
        "colours of curves exchanged": lambda ax: swap(ax.lines, "get_color", "set_color"),
        "curves exchanged": lambda ax: swap(ax.lines, "get_ydata", "set_ydata"),
        "curve hidden": lambda ax: ax.lines[0].set_visible(False),
        "curve cut off": lambda ax: ax.set_xlim(0, 1),
        "logarithmic scale": lambda ax: ax.set_yscale("symlog"),
    },
    tokens: {
        "words exchanged": lambda ax: swap(ax.texts[:2], "get_text", "set_text"),
        "positions in chips": lambda ax: ax.texts[-1].set_bbox({"boxstyle": "round"}),
    },
    dials: {
        "hand turned back": lambda ax: ax.lines[-1].set_xdata(2 - ax.lines[-1].get_xdata()),
        "dial's colour": lambda ax: ax.patches[0].set_edgecolor(draw.RED),
    },
    points: {
        "point moved": lambda ax: ax.collections[0].set_offsets([[0.5, 2], [1, 3]]),
        "points' colours": lambda ax: ax.collections[0].set_color([draw.RED, draw.BLUE]),
        "span moved": lambda ax: ax.patches[0].set_x(1),
        "span's colour": lambda ax: ax.patches[0].set_facecolor(draw.RED),
        "tick labels exchanged": lambda ax: ax.set_xticks([0, 1], ["second", "first"]),
        "legend": lambda ax: ax.get_legend().get_texts()[0].set_text("dots"),
    },
}


@pytest.mark.parametrize(("panel", "name"), [(panel, name) for panel, changes in MUTANTS.items() for name in changes])
def test_a_figure_drawn_otherwise_is_compared_as_another(panel, name):
    fig = alone(panel)
    before = compared(fig)
    MUTANTS[panel][name](fig.axes[0])
    assert compared(fig) != before


@pytest.mark.parametrize("change", [lambda fig: fig.axes[5].set_visible(False), lambda fig: fig.set_size_inches(6, 5)])
def test_a_figure_with_a_panel_less_or_of_another_size_is_another(change):
    fig = drawn()
    before = compared(fig)
    change(fig)
    assert compared(fig) != before


# --- the picture and its caption ------------------------------------------------------------------


def test_a_notebook_shows_an_opaque_picture_of_house_width_and_then_its_caption(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    draw.Picture(alone(plane), "Arrows\n  lead to $x_1$.")._ipython_display_()
    picture, caption = shown
    assert picture == draw.Picture(alone(plane), "Arrows.")._repr_mimebundle_(), "drawn otherwise each time"
    assert picture == picture | compared(alone(plane))
    assert caption == dict.fromkeys(("text/markdown", "text/plain"), "**Figure.** Arrows lead to $x_1$.")
    drawing = Image.open(io.BytesIO(picture["image/png"]))
    assert "transparency" not in drawing.info
    assert drawing.width == round(draw.WIDE * 160)


def test_the_smallest_text_can_be_read_on_a_phone():
    fig = drawn()
    labels = [label for ax in fig.axes for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]]
    texts = [text for ax in fig.axes for text in [*ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label]]
    smallest = min(text.get_fontsize() for text in [*labels, *texts])
    assert smallest / 72 / draw.WIDE * 340 >= 8.5


# --- signs ----------------------------------------------------------------------------------------


def test_a_hand_points_to_cos_and_sin():
    _, ax = draw.axes()
    hand = draw.dial(ax, (2, 1), 0.7, radius=1.0)
    centre, tip = hand.get_xydata()
    assert tuple(centre) == (2, 1)
    assert tip - centre == pytest.approx([np.cos(0.7), np.sin(0.7)])


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
def test_the_colours_of_one_table_and_of_many_have_the_limits_that_are_asked_for(
    values, options, limits, colours
):
    figures = [draw.heatmaps({n: [[n]] for n in values}, see="Two.", **options).figure,
               draw.heatmap([values], see="One.", **options).figure]  # fmt: skip
    for image in (image for fig in figures for ax in fig.axes[:-1] for image in ax.images):
        assert (image.get_clim(), image.cmap.name) == (limits, colours)


def test_small_multiples_share_one_scale_and_say_once_what_their_rows_are():
    tables = {"a": [[1.0]], "b": [[-4.0]], "c": [[2.0]]}
    *panels, spare, _ = draw.heatmaps(tables, see="One scale.", numbers=".1f", y="position").figure.axes
    assert {ax.images[0].get_clim() for ax in panels} == {(-4.0, 4.0)}
    assert [text.get_text() for ax in panels for text in ax.texts] == ["1.0", "−4.0", "2.0"]
    assert [ax.get_title("left") for ax in panels] == ["a", "b", "c"]
    assert [ax.get_ylabel() for ax in panels] == ["position", "", "position"]
    assert not spare.get_visible()


@pytest.mark.parametrize(
    "picture", [draw.heatmap(TABLE, see="One."), draw.heatmaps({"a": TABLE, "b": TABLE, "c": TABLE}, see="Three.")]
)
def test_the_colour_bar_is_that_of_the_tables_and_stands_beside_all_of_them(picture):
    *panels, bar = picture.figure.axes
    picture.figure.draw_without_rendering()
    places = [ax.get_position() for ax in panels]
    assert 0 < bar.get_position().x0 - max(place.x1 for place in places) < 0.03
    assert bar.get_position().height > 0.8
    assert bar.get_ylim() == (-1, 1)
    assert not bar.spines["outline"].get_visible()


@pytest.mark.parametrize(
    "draws",
    [
        lambda **more: draw.heatmap(TABLE, see="One.", **more),
        lambda **more: draw.heatmaps({"": TABLE, " ": TABLE, "  ": TABLE}, see="Three.", **more),
        lambda **more: draw.curves({"rises": [0.0, 1.0]}, see="A curve.", **more),
    ],
)
def test_what_is_said_is_kept_and_what_is_not_is_left_empty(draws):
    plain, said = draws(), draws(digits=1, x="place", y="value", height=2.0)
    assert (plain.digits, said.digits) == (3, 1)
    for ax in plain.figure.axes:
        assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title("left").strip()) == ("", "", "")
    assert (said.figure.axes[0].get_xlabel(), said.figure.axes[0].get_ylabel()) == ("place", "value")
    assert said.figure.get_size_inches()[1] == 2 * said.figure.axes[0].get_gridspec().nrows


def test_up_to_twelve_rows_or_columns_have_a_tick_each():
    _, ax = draw.axes()
    draw.show_matrix(ax, np.eye(12, 13))
    assert list(ax.get_yticks()) == list(range(12))
    assert len(ax.get_xticks()) < 13


def test_numbers_in_cells_have_a_true_minus_and_no_negative_zero():
    _, ax = draw.axes()
    draw.show_matrix(ax, [[-1.0, -0.001]], numbers=".2f")
    assert [text.get_text() for text in ax.texts] == ["−1.00", "0.00"]


def test_curves_are_named_at_their_right_ends_in_their_own_colours():
    picture = draw.curves({"sine": np.sin(np.arange(5.0)), "cosine": np.cos(np.arange(5.0))}, see="Two.")
    (ax,) = picture.figure.axes
    named = {text.get_text(): text for text in ax.texts}
    assert len(named) == 2
    for line in ax.lines:
        text = named[line.get_label()]
        assert tuple(text.xy) == tuple(line.get_xydata()[-1])
        assert text.get_color() == line.get_color()
    assert len({line.get_linestyle() for line in ax.lines}) == 2


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_names_of_curves_keep_their_order_and_a_distance(scale):
    lines = {str(n): [1.0, value] for n, value in enumerate((1.0, 1.01, 5.0, 1.02, 5.0, 9.0))}
    picture = draw.curves(lines, see="Six.", yscale=scale)
    picture.figure.draw_without_rendering()
    (ax,) = picture.figure.axes
    boxes = sorted(
        (text.get_window_extent().y0, text.get_window_extent().y1, text.xy[1]) for text in ax.texts
    )
    assert [end for *_, end in boxes] == sorted(values[-1] for values in lines.values())
    assert all(below[1] <= above[0] + 1 for below, above in itertools.pairwise(boxes))


def test_curves_take_numbers_of_any_kind_and_stand_where_they_are_put():
    lines = {
        "exact": [sp.Rational(1, 2), sp.Integer(1)],
        "trained": torch.ones(2, requires_grad=True) + 1,
    }
    at = [sp.Integer(3), sp.Integer(7)]
    (ax,) = draw.curves(lines, see="Two.", at=at, yscale="log", title="Two curves").figure.axes
    assert ax.get_title("left") == "Two curves"
    assert [line.get_xydata().tolist() for line in ax.lines] == [[[3, 0.5], [7, 1]], [[3, 2], [7, 2]]]
    assert ax.get_yscale() == "log"


def test_names_stand_apart_by_as_many_points_as_the_axes_have_room_for():
    _, grid = draw.axes(2, 1, height=6.0)
    alone = draw.axes(height=3.0)[0].add_axes((0, 0, 1, 1))
    for ax in (grid[0], alone):  # 2 inches are 144 points: the ends lie 14.4 apart, and 20 are asked for
        ax.plot([0.0, 0.5], label="low")
        ax.plot([0.0, 0.6], label="high")
        ax.axhline(0.1)
        ax.set_ylim(0, 1)
        draw.name_ends(ax, gap=20)
        places = {text.get_text(): text.get_position() for text in ax.texts}
        assert places == {"low": (5, -3), "high": (5, 3)}


def test_a_name_stands_at_the_last_point_that_is_drawn():
    (ax,) = draw.curves({"short": [0.0, 2.0, np.nan]}, see="Short.").figure.axes
    assert ax.texts[0].xy == (1.0, 2.0)
    assert ax.texts[0].get_position() == (5, 0)


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


def test_an_axis_that_ends_with_its_curves_is_left_alone():
    (ax,) = draw.curves({"rises": range(5)}, see="One.", xlim=(0, 4)).figure.axes
    assert ax.spines["bottom"].get_bounds() is None


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


@pytest.mark.parametrize("values", [[[1, 2]], sp.Matrix([[1, 2]]), torch.ones(1, 2, requires_grad=True)])
def test_a_table_may_be_of_any_kind(values):
    assert draw.matrix(values).shape == (1, 2)


# --- refusals -------------------------------------------------------------------------------------

WRONG = {
    "values must be a table of rank 2, got shape \\(3,\\)": lambda ax: draw.show_matrix(ax, [1.0, 2.0, 3.0]),
    "values must be finite, got inf": lambda ax: draw.show_matrix(ax, [[1.0, np.inf]]),
    "values must be finite, got nan": lambda ax: draw.show_matrix(ax, [[np.nan]]),
    "signed must be False for values from 0 to 3: no value is below 0": lambda ax: draw.show_matrix(
        ax, [[0.0, 3.0]], signed=True
    ),
    "signed must be False for values from 0 to 0.5": lambda ax: draw.show_matrix(
        ax, [[0.0, 0.5]], signed=True
    ),
    "limits must be symmetric for signed values, got \\(-1, 3\\)": lambda ax: draw.show_matrix(
        ax, [[0.0]], limits=(-1, 3)
    ),
    "limits must rise, got \\(3, 0\\)": lambda ax: draw.show_matrix(ax, [[0.0]], limits=(3, 0)),
    "limits must rise, got \\(1, 1\\)": lambda ax: draw.show_matrix(ax, [[0.0]], limits=(1, 1)),
    "marks must have the shape": lambda ax: draw.show_matrix(ax, [[0.0, 1.0]], marks=[["a"]]),
    "marks must be None": lambda ax: draw.show_matrix(ax, [[0.0]], marks=[["a"]], numbers=".1f"),
    "tables must have an entry": lambda ax: draw.heatmaps({}, see="None."),
    "flat must be a table of rank 2": lambda ax: draw.heatmaps({"flat": [1.0]}, see="Flat."),
    "bent must be 2 numbers, got shape \\(3,\\)": lambda ax: draw.curves(
        {"bent": range(3)}, at=[0, 1], see="Bent."
    ),
    "gone must have a finite value": lambda ax: draw.curves({"gone": [np.nan]}, see="Gone."),
    "i must lie from 0 to 2 for 3 pairs, got 3": lambda ax: draw.pair_colour(3, 3),
    "words must be a list, got 'dog'": lambda ax: draw.tokens(ax, "dog"),
    "positions must be a list of 2": lambda ax: draw.tokens(ax, ["dog", "bites"], [0]),
    "at must be a list of 1": lambda ax: draw.tokens(ax, ["dog"], at=[0, 1]),
    "angle must be finite, got nan": lambda ax: draw.dial(ax, (0, 0), float("nan")),
    "centre must be a point \\(x, y\\), got 3 numbers": lambda ax: draw.dial(ax, (0, 0, 0), 1),
    "radius must be above 0, got 0": lambda ax: draw.dial(ax, (0, 0), 1, radius=0),
    "rows must be a list of 3": lambda ax: draw.dials(ax, ANGLES, rows=[0]),
    "columns must be a list of 2": lambda ax: draw.dials(ax, ANGLES, columns=["pair 0"]),
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

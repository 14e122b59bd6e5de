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
from matplotlib.text import Text
from PIL import Image

from coursebook.sphinx.transforms.figure_svg import luminance
from posenc import draw

TABLE = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(3, 4)
ANGLES = np.outer(range(3), (1.0, 0.25))
TOKENS, BITS, DIALS, DIAL, PLANE, ARROWS, NUMBERS, MARKS, CURVES, POINTS = range(10)


def everything():
    """A figure with one panel for each sign, and for all else that figures have."""
    fig, grid = draw.axes(5, 2, height=12)
    ax = grid.ravel()
    draw.tokens(ax[TOKENS], ["the", "dog", "bites"], range(3))
    draw.bits(ax[BITS], range(6), 3)
    draw.dials(ax[DIALS], ANGLES, was=ANGLES[::-1])
    draw.dial(ax[DIAL], (0, 0), 2.0, was=0.5, colour=draw.pair_colour(0, 2), label="pair 0")
    draw.plane(ax[PLANE], {"q": 1 + 0j, "k": (0.3, 0.8), "v": (-0.8, 0.4)}, kinds={"v": "pair"}, title="plane")
    for n, kind in enumerate(("query", "key", "pair", "plain")):
        draw.arrow(ax[ARROWS], (1, n + 0.5), kind=kind, start=(0, n), label=kind[0])
    image = draw.show_matrix(ax[NUMBERS], TABLE, x="column j", y="position p", title="table", numbers=".1f")
    fig.colorbar(image, ax=ax[NUMBERS], label="value")
    draw.show_matrix(ax[MARKS], 1 - TABLE, marks=[list("abcd")] * 3)
    for k, name in enumerate(("fast", "slower", "slowest"), 1):
        ax[CURVES].plot(np.sin(np.arange(20.0) / k), label=name)
    ax[CURVES].set(xlabel="position", xlim=(0, 22))
    draw.name_ends(ax[CURVES])
    ax[POINTS].scatter([0, 1], [2, 6], color=[draw.BLUE, draw.RED])
    ax[POINTS].axvspan(0, 1, color="#e4e9ec")
    ax[POINTS].set_xticks([0, 1], ["first", "second"])
    ax[POINTS].legend(["points"])
    ax[POINTS].bar([0, 1], [3.0, 4.0])
    return fig


def compared(fig):
    """What strict nbval compares of a figure, without the time that its picture takes."""
    text, digest = draw.describe(fig)
    return {"text/plain": text, draw.MIME: {"digest": digest}}


def test_every_kind_of_artist_is_read_back():
    fig = everything()
    fig.axes[CURVES].lines[0].set_ydata(range(20))  # what is drawn later is described too
    for words in (
        "table: heatmap, 3 rows by 4 columns, values from -1.000 to 1.000; across: column j; down: position p.",
        "query arrow q from (0, 0) to (1, 0); key arrow k from (0, 0) to (0.3, 0.8)",
        "2 bars, values from 3.000 to 4.000",
        "2 points, heights from 2.000 to 6.000",
        "tokens in order: the, dog, bites; positions in order: 0, 1, 2.",
        "1 hand, counter-clockwise from the right at 115°",
        "6 hands, counter-clockwise from the right at 0°, 0°, 57°, 14°, 115°, 29°",
        "bits, row by row: 000, 100, 010, 110, 001, 101",
        "curve fast, 20 points, from 0.000 to 19.000",
    ):
        assert words in compared(fig)["text/plain"]


def test_the_last_bits_of_a_number_are_forgiven_and_a_zero_has_no_sign():
    noise = 1e-9 * torch.randn(TABLE.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    plain, noisy = (draw.heatmap(values, see="See.").figure for values in (TABLE, TABLE + noise))
    assert compared(noisy) == compared(plain)
    (text,) = {draw.describe(draw.heatmap(TABLE.clamp(min=tiny), see="See.").figure)[0] for tiny in (-1e-9, 0, 1e-9)}
    assert "values from 0.000" in text


CHANGES = {  # one of each kind of thing that is compared
    "heatmap upside down": lambda ax: ax[NUMBERS].invert_yaxis(),
    "colours not centred": lambda ax: ax[NUMBERS].images[0].set_clim(-1, 2),
    "axis label": lambda ax: ax[NUMBERS].set_xlabel("position p"),
    "number not legible": lambda ax: ax[NUMBERS].texts[0].set_color("black"),
    "colour bar mislabelled": lambda ax: ax[NUMBERS].images[0].colorbar.set_label("weight"),
    "arrow turned around": lambda ax: ax[PLANE].texts[0].set_position((2, 0)),
    "key drawn as query": lambda ax: ax[PLANE].texts[3].arrow_patch.set_linestyle("-"),
    "name at the left end": lambda ax: setattr(ax[CURVES].texts[0], "xy", (0, ax[CURVES].texts[0].xy[1])),
    "curve's colour": lambda ax: ax[CURVES].lines[0].set_color(draw.RED),
    "points of a curve exchanged": lambda ax: ax[CURVES].lines[0].set_ydata(np.sin(np.arange(20.0)[::-1])),
    "curve cut off": lambda ax: ax[CURVES].set_xlim(0, 1),
    "positions in chips": lambda ax: ax[TOKENS].texts[-1].set_bbox({"boxstyle": "round"}),
    "dial's colour": lambda ax: ax[DIALS].patches[0].set_edgecolor(draw.RED),
    "point moved": lambda ax: ax[POINTS].collections[0].set_offsets([[0.5, 2], [1, 6]]),
    "span moved": lambda ax: ax[POINTS].patches[0].set_x(1),
    "tick labels exchanged": lambda ax: ax[POINTS].set_xticks([0, 1], ["second", "first"]),
    "legend": lambda ax: ax[POINTS].get_legend().get_texts()[0].set_text("dots"),
    "panel hidden": lambda ax: ax[BITS].set_visible(False),
    "another size": lambda ax: ax[BITS].figure.set_size_inches(6, 5),
}


def test_a_figure_drawn_otherwise_is_compared_as_another():
    fig = everything()
    before = compared(fig)
    for name, change in CHANGES.items():
        change(fig.axes)
        after = compared(fig)
        assert after != before, name
        before = after


def test_a_notebook_shows_an_opaque_picture_of_house_width_and_then_its_caption(monkeypatch):
    displayed = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: displayed.append(data))
    first, again = (draw.heatmap(TABLE, see="Rows\n  lead to $x_1$.") for _ in range(2))
    first._ipython_display_()
    picture, caption = displayed
    assert picture == again._repr_mimebundle_(), "drawn otherwise each time"
    assert picture == picture | compared(first.figure)
    assert caption == dict.fromkeys(("text/markdown", "text/plain"), "**Figure.** Rows lead to $x_1$.")
    png = Image.open(io.BytesIO(picture["image/png"]))
    assert "transparency" not in png.info
    assert png.width == round(draw.WIDE * 160)


def test_the_smallest_text_can_be_read_on_a_phone():
    smallest = min(text.get_fontsize() for text in everything().findobj(Text))
    assert smallest / 72 / draw.WIDE * 340 >= 8.5


def test_pairs_go_from_dark_to_light_and_stay_legible():
    shades = [luminance(draw.pair_colour(i, 8)) for i in range(8)]
    assert shades == sorted(shades)
    assert (luminance(draw.PAPER) + 0.05) / (shades[-1] + 0.05) >= 4.5


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
    assert {ax.images[0].get_clim() for ax in panels} == {bar.get_ylim()} == {(-4.0, 4.0)}
    assert [text.get_text() for ax in panels for text in ax.texts] == ["0.0", "−4.0", "2.0"]
    assert [ax.get_title("left") for ax in panels] == ["a", "b", "c"]
    assert [ax.get_ylabel() for ax in panels] == ["position", "", "position"]
    assert not spare.get_visible()


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


def test_the_axis_and_lines_without_a_name_leave_room_for_names():
    _, ax = draw.axes()
    ax.plot(range(5), label="rises")
    line = ax.axhline(1)
    ax.set(xlim=(0, 8), xticks=[0, 5])
    draw.name_ends(ax)
    assert ax.spines["bottom"].get_bounds() == (0, 5)
    assert ax.xaxis.label.get_position()[0] == pytest.approx(5 / 8 / 2), "the words are not below its middle"
    across = ax.transData.inverted().transform(line.get_clip_box().get_points())[:, 0]
    assert across.tolist() == pytest.approx([0, 5])


def test_numbers_may_be_of_any_kind():
    exact, trained = [sp.Rational(1, 2), sp.Integer(1)], torch.ones(2, requires_grad=True) + 1
    (ax,) = draw.curves({"exact": exact, "trained": trained}, see="Two.", at=[sp.Integer(3), sp.Integer(7)]).figure.axes
    assert [line.get_xydata().tolist() for line in ax.lines] == [[[3, 0.5], [7, 1]], [[3, 2], [7, 2]]]
    for values in ([[1, 2]], sp.Matrix([[1, 2]]), torch.ones(1, 2, requires_grad=True)):
        assert draw.matrix(values).shape == (1, 2)


WRONG = {
    "values must be a table of rank 2, got shape \\(3,\\)": lambda ax: draw.show_matrix(ax, [1.0, 2.0, 3.0]),
    "values must be finite, got inf": lambda ax: draw.show_matrix(ax, [[1.0, np.inf]]),
    "signed must be False for values from 0 to 3": lambda ax: draw.show_matrix(ax, [[0.0, 3.0]], signed=True),
    "limits must be symmetric": lambda ax: draw.show_matrix(ax, [[0.0]], limits=(-1, 3)),
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


@pytest.mark.skipif(matplotlib.__version_info__[:2] != (3, 11), reason="other releases set text a pixel apart")
@pytest.mark.mpl_image_compare(
    tolerance=0.5, deterministic=True, baseline_dir="baseline", style=draw.STYLE, savefig_kwargs={"dpi": 50}
)
def test_picture_of_everything(pytestconfig):
    assert pytestconfig.getoption("mpl"), "the comparison of pictures is off: pass --mpl"
    print("Is the change meant? Then pytest tests/test_draw.py --mpl-generate-path=tests/baseline, and look at it.")
    return everything()

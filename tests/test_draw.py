"""A picture's text comes from what was drawn, so a changed picture has a changed text."""

import io

import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgb
from PIL import Image

from posenc import draw

TABLE = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(3, 4)


def bundle(values=TABLE, **options):
    return draw.heatmap(values, see="Values rise.", title="Ramp", **options)._repr_mimebundle_()


def test_a_heatmap_says_its_shape_range_and_fact():
    text = bundle()["text/plain"]
    assert text == "Ramp: heatmap, 3 rows by 4 columns, values from -1.000 to 1.000."


def test_changed_data_change_the_digest_even_where_the_text_stays():
    changed = TABLE.clone()
    changed[1, 1] += 0.01
    before, after = bundle(), bundle(changed)
    assert before["text/plain"] == after["text/plain"]
    assert before[draw.MIME] != after[draw.MIME]


def test_swapped_rows_change_the_digest():
    assert bundle()[draw.MIME] != bundle(TABLE.flip(0))[draw.MIME]


def test_what_is_drawn_later_is_described_too():
    fig, ax = draw.axes()
    ax.plot([0, 1, 2], [0, 1, 4], label="square")
    picture = draw.Picture(fig, "It grows.")
    before = picture._repr_mimebundle_()
    ax.lines[0].set_ydata([0, 1, 5])
    after = picture._repr_mimebundle_()
    assert "curve square, 3 points, from 0.000 to 4.000" in before["text/plain"]
    assert "to 5.000" in after["text/plain"]
    assert before[draw.MIME] != after[draw.MIME]


def test_a_notebook_shows_the_picture_and_then_its_caption(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    draw.heatmap(TABLE, see="Values\n  rise to $x_1$.")._ipython_display_()
    picture, caption = shown
    assert {"image/png", draw.MIME} < picture.keys()
    assert "rise" not in picture["text/plain"]
    assert caption == dict.fromkeys(("text/markdown", "text/plain"), "**Figure.** Values rise to $x_1$.")


def test_every_kind_of_artist_is_read_back():
    fig, grid = draw.axes(1, 4)
    draw.plane(grid[0], {"q": 1 + 0j, "k": (0.0, 0.5)})
    grid[1].bar([0, 1], [3.0, 4.0])
    grid[2].scatter([0, 1], [5.0, 6.0])
    draw.show_matrix(grid[3], [[1.0, 2.0]], numbers=".1f")
    text = draw.Picture(fig, "All kinds.")._repr_mimebundle_()["text/plain"]
    for part in (
        "query arrow from (0.000, 0.000) to (1.000, 0.000); key arrow",
        "2 bars, values from 3.000 to 4.000",
        "2 points, heights from 5.000",
        "heatmap, 1 rows",
    ):
        assert part in text


def test_the_png_is_opaque_deterministic_and_of_house_width():
    first, second = bundle()["image/png"], bundle()["image/png"]
    assert first == second
    picture = Image.open(io.BytesIO(first))
    assert "transparency" not in picture.info
    assert picture.width == round(draw.WIDE * 160)


def test_signed_values_are_centred_at_zero():
    _, ax = draw.axes()
    image = draw.show_matrix(ax, [[-1.0, 3.0]])
    assert image.get_clim() == (-3.0, 3.0)


def test_values_without_a_sign_are_not_drawn_on_a_scale_of_two_sides():
    _, ax = draw.axes()
    image = draw.show_matrix(ax, [[0.0, 3.0]])
    assert (image.cmap.name, image.get_clim()) == (draw.SEQUENTIAL, (0.0, 3.0))
    for options, words in (({}, "no value is below 0"), ({"limits": (-1, 3)}, "must be symmetric")):
        with pytest.raises(ValueError, match=words):
            draw.show_matrix(ax, [[0.0, 3.0]], signed=True, **options)


def test_the_signs_say_what_they_are():
    fig, (top, middle, low) = draw.axes(3, 1)
    draw.tokens(top, ["dog", "bites"], positions=[7, 8])
    draw.clocks(middle, [[0.0, np.pi / 2]])
    draw.bits(low, [1, 6], 3)
    text = draw.Picture(fig, "Signs.")._repr_mimebundle_()["text/plain"]
    assert "tokens in order: dog, bites; positions in order: 7, 8." in text
    assert "2 clocks, clockwise from twelve o'clock at 0°, 90°" in text
    assert "bits, row by row: 100, 011" in text


def test_a_clock_points_to_sin_and_cos():
    _, ax = draw.axes()
    hand = draw.clock(ax, (2, 1), 0.7, radius=1.0)
    centre, tip = hand.get_xydata()
    assert tuple(centre) == (2, 1)
    assert (tip - centre) / np.linalg.norm(tip - centre) == pytest.approx([np.sin(0.7), np.cos(0.7)])


def test_pairs_go_from_dark_to_light_and_stay_legible():
    shades = [luminance(draw.pair_colour(i, 8)) for i in range(8)]
    assert shades == sorted(shades)
    ratio = [(luminance(draw.PAPER) + 0.05) / (shade + 0.05) for shade in shades]
    assert min(ratio) >= 4.5


def luminance(colour):
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return np.dot(parts, (0.2126, 0.7152, 0.0722))


def test_small_multiples_share_one_scale():
    picture = draw.heatmaps({"a": [[1.0]], "b": [[-4.0]]}, see="One scale.")
    limits = {axes.images[0].get_clim() for axes in picture.figure.axes if axes.images}
    assert limits == {(-4.0, 4.0)}


def test_curves_are_named_at_their_ends():
    picture = draw.curves({"sine": np.sin(np.arange(5.0)), "cosine": np.cos(np.arange(5.0))}, see="Two.")
    assert [text.get_text() for text in picture.figure.axes[0].texts] == ["sine", "cosine"]


def test_empty_or_wrong_figures_are_refused():
    fig, _ = draw.axes()
    with pytest.raises(ValueError, match="shows no data"):
        draw.Picture(fig, "Nothing.")._repr_mimebundle_()
    with pytest.raises(ValueError, match="see must say"):
        draw.Picture(fig, " ")
    with pytest.raises(ValueError, match="values must be a table of rank 2, got shape \\(3,\\)"):
        draw.heatmap([1.0, 2.0, 3.0], see="Wrong rank.")

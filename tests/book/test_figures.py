"""The figures show the numbers they are given, and the slider needs no kernel."""

import base64
import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

import figures
from figures.board import headline, table_of_errors
from figures.cards import MISSING, picture
from figures.panels import mean_curves, picture_rows
from figures.supervised import gains


def test_face_grid_puts_every_image_in_its_place():
    images = np.random.default_rng(0).random((3, 4, 5))
    figure = figures.face_grid({"first": images, "second": 1 - images})
    strips = [ax.images[0].get_array() for ax in figure.axes]
    assert len(strips) == 2 and strips[0].shape == (4, 3 * 5 + 2 * 2)
    assert np.array_equal(strips[0][:, 7:12], images[1])
    assert np.array_equal(strips[1][:, 14:19], 1 - images[2])
    assert strips[0].mask[:, 5:7].all()
    assert [ax.get_yticklabels()[0].get_text() for ax in figure.axes] == [
        "first",
        "second",
    ]


def test_metric_curves_are_means_with_one_standard_deviation():
    table = pd.DataFrame({"x": [1, 1, 2, 2, 0, 0], "y": [1.0, 3.0, 4.0, 4.0, 5.0, 7.0]})
    table["method"] = ["NMF"] * 4 + ["PCA"] * 2
    ax = figures.metric_curves(table, "x", "y", flat=["PCA"])
    curve = ax.lines[0]
    level = ax.lines[1]
    assert np.array_equal(curve.get_xydata(), [[1, 2], [2, 4]])
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(4) and band[:, 1].min() == pytest.approx(
        2 - 2**0.5
    )
    assert list(level.get_ydata()) == [6, 6]
    ((_, low), (_, high)) = ax.containers[0].lines[2][0].get_segments()[0]
    assert [low, high] == pytest.approx([6 - 2**0.5, 6 + 2**0.5])
    other = plt.figure().gca()
    looks = {"NMF": ("black", "o", "-")}
    mean_curves(other, table, "x", "y", looks=looks, band=True)
    assert np.array_equal(other.collections[0].get_paths()[0].vertices, band)


def test_bars_of_gains_are_two_standard_errors_and_the_least_error_of_a_row_is_bold():
    index = pd.MultiIndex.from_product([[*"abc"], ["effect"]])
    table = pd.DataFrame({"mean": [0.1, 0.2, 0.3], "sem": [0.01, 0.02, 0.03]}, index)
    gains([table, table], ["effect"], {name: name for name in "abc"})
    bars = [bar.lines[2][0].get_segments()[0][:, 0] for bar in plt.gca().containers]
    np.testing.assert_allclose(bars[:3], np.outer(table["mean"], [0.8, 1.2]))
    rows = {"": {"a": [2], "b": [1], "c": [3]}}
    errors = {"": {name: value for name, [value] in rows[""].items()}}
    axes = picture_rows(rows, (1, 1), size=(2, 1), errors=errors).axes
    assert [ax.xaxis.label.get_weight() for ax in axes] == ["normal", "bold", "normal"]


def test_parts_of_a_bar_add_up_to_its_numbers():
    counts = {"ticks": 7, "beyond": 2, "ordered": 3, "failed": 4}
    papers = pd.DataFrame(counts | {"pairs": 9, "as_printed": 6, "opposite": 1}, ["P"])
    headline(papers, pd.DataFrame(5, ["P"], [*"✓≈✗○"]), {})
    shown = [[text.get_text() for text in ax.texts] for ax in plt.gcf().axes]
    assert shown == [[*"2534"], [*"621"], [*"5555"]]


def test_who_is_ahead_of_the_best_in_one_draw_has_a_mark():
    errors = pd.DataFrame(
        {"a": [1.0, 3.0], "b": [4.0, 1.0]}, pd.Index(["t", "t"], name="task")
    )
    shown = table_of_errors(errors, ["a", "b"], {"a": "A", "b": "B"}).data
    assert "2.0 ●" in shown and "2.5 ○" in shown


def test_a_card_is_gray_and_orange_where_something_is_missing():
    png = base64.b64decode(picture(np.r_[np.nan, np.arange(1023.0)]))
    pixels = np.asarray(Image.open(io.BytesIO(png))).reshape(-1, 3)
    assert tuple(pixels[0]) == MISSING
    np.testing.assert_array_equal(
        pixels[1:, 0], np.round(np.arange(1023) * (255 / 1022))
    )


class Documented:
    """A class.

    Parameters
    ----------
    x : float
    """

    def method(self):
        """Do it.

        With a table of dashes:

        Returns
        -------
        float
        """
        lines = """
        one
        ---
        """
        return lines

    def brief(self, values):
        """Do it."""
        # A comment of its own stays.
        short = sum(values)  # and so does this
        squares = sum(value**2 for value in values)  # (12), on a line of its own
        return short + squares + sum(1 / value for value in values)  # and (13) too


def test_sources_are_shown_without_docstrings_and_comments_of_wide_lines_above_them():
    assert figures.show_source(Documented.method, Documented.brief).data == (
        """```python
class Documented:
    def method(self):
        lines = \"""
        one
        ---
        \"""
        return lines

    def brief(self, values):
        # A comment of its own stays.
        short = sum(values)  # and so does this
        # (12), on a line of its own
        squares = sum(value**2 for value in values)
        # and (13) too
        return short + squares + sum(1 / value for value in values)
```"""
    )
    shown = figures.show_source(Documented).data
    assert shown.startswith(
        "```python\nclass Documented:\n    def method(self):\n        lines"
    )
    assert "A class" not in shown and "Do it" not in shown


def test_slider_is_linked_in_the_browser_and_has_a_fallback():
    frames = [figures.frame_picture(plt.figure(figsize=(1, 1))) for _ in range(3)]
    box = figures.static_slider(
        frames, ["a", "b", "c"], description="λ", alts=list("123"), start=1
    )
    slider, pictures = box.children
    assert slider.index == pictures.selected_index == 1
    for n, child in zip("123", pictures.children, strict=True):
        assert f'alt="{n}"' in child.value
    shown = Image.open(
        io.BytesIO(base64.b64decode(box._repr_mimebundle_()["image/png"]))
    )
    assert shown.format == "PNG"
    drawn = Image.open(io.BytesIO(frames[1]))
    assert np.array_equal(
        *(np.array(picture.convert("RGB")) for picture in (shown, drawn))
    )


def test_pixel_pictures_keep_the_gray_of_every_pixel():
    images = np.random.default_rng(0).uniform(-0.2, 1.2, (3, 4, 5))
    for levels in (2, 16, 256):
        png = figures.pixel_png(images, levels=levels)
        found = np.asarray(Image.open(io.BytesIO(png)).convert("L")) / 255
        expected = np.clip(np.hstack(images), 0, 1)
        assert found.shape == (4, 15)
        assert np.abs(found - expected).max() <= 0.5 / (levels - 1) + 0.5 / 255

"""Figures of lines are stored as SVG and stand in the page; formulas take the two inks."""

import importlib.util
import re
from xml.etree import ElementTree

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rnmf_tutorial.display.vector import png_of_the_rest, small_svg
from tests.project import ROOT


def extension(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "book" / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def figure():
    figure, ax = plt.subplots(figsize=(5, 3))
    ax.plot([0, 1, 2], [0.123456, 1, 0], "o-", color="#D55E00", mfc="white", label="a < b")
    ax.legend()
    yield figure
    plt.close(figure)


def test_a_figure_of_lines_is_stored_as_svg_the_same_each_time(figure):
    svg = small_svg(figure)
    assert svg == small_svg(figure) and png_of_the_rest(figure) is None
    texts = [x.text for x in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert "a < b" in texts


def test_a_picture_or_a_cloud_is_stored_as_dots(figure):
    figure.axes[0].imshow(np.eye(3))
    assert small_svg(figure) is None and png_of_the_rest(figure)
    cloud, ax = plt.subplots()
    ax.plot(*np.random.default_rng(0).random((2, 5000)), ".")
    assert small_svg(cloud) is None
    plt.close(cloud)
    assert small_svg(plt.figure()) is None  # nothing is drawn


def test_in_a_page_ids_are_its_own_and_colors_follow_the_theme(figure):
    page = extension("figures").inline(small_svg(figure), "what it shows", "f7-")
    ids = re.findall(r' id="([^"]*)"', page)
    used = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', page)
    assert ids and all(name.startswith("f7-") for name in ids)
    assert used and {a or b for a, b in used} <= set(ids)
    assert 'role="img"' in page and 'aria-label="what it shows"' in page
    assert not re.search(r"(fill|stroke): #", page)
    assert "color-mix(in srgb, #d55e00, #fff var(--figure-lift, 0%))" in page
    assert "currentColor" in page and "var(--figure-ground, #fff)" in page


def test_formulas_take_the_inks_that_a_comment_gives():
    inked = extension("ink").inked
    tex = "X \\approx WH + S_{ij}\n% model: WH\n% outlier: S_{ij}"
    assert inked(tex) == "X \\approx \\class{ink-model}{WH} + \\class{ink-outlier}{S_{ij}}"
    assert inked("a \\% b") == "a \\% b"
    assert inked("(WH)_i + WH\n% model: WH; (WH)_i") == (
        "\\class{ink-model}{(WH)_i} + \\class{ink-model}{WH}"
    )

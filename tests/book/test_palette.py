"""What a figure shows in color can be told apart by every kind of eye; orange is the outlier."""

import itertools
import re

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from figures import COLORS, MARKERS, OTHERS, OUTLIER, WEIGHTS
from tests.project import ROOT

# Machado, Oliveira and Fernandes (2009): what an eye without red or green cones sees,
# linear RGB.
MATRICES = """
    all cones: 1 0 0 0 1 0 0 0 1
    no red cones: .152286 1.052583 -.204868 .114503 .786281 .099216 -.003882 -.048116 1.051998
    no green cones: .367322 .860646 -.227968 .280085 .672501 .047413 -.011820 .042940 .968881
    XYZ: .4124564 .3575761 .1804375 .2126729 .7151522 .0721750 .0193339 .1191920 .9503041
"""
MATRICES = dict(line.strip().split(": ") for line in MATRICES.strip().splitlines())
EYES = {
    name: np.reshape(text.split(), (3, 3)).astype(float)
    for name, text in MATRICES.items()
}
TO_XYZ = EYES.pop("XYZ")
# Methods that meet in a figure.
WEIGHTED = """NMF RobustNMF L1RobustNMF L21NMF CappedNMF HuberNMF CIMNMF CauchyNMF HypersurfaceNMF
    NeNMF L1NMF TruncatedCauchyNMF WindowNMF"""
LABELED = """NMF RobustNMF CIMNMF CSNMF SupervisedNMF MCCGR ManifoldDiscriminativeNMF
    RobustManifoldNMF"""
GROUPS = [
    WEIGHTED.split(),
    ["NMF", "NMF from NNDSVD", "RobustNMF", "PCA", "LSI", "raw pixels"],
    ["NMF", "RegularizedNMF", "LocalNMF", "TruncatedCauchyNMF"],
    [*LABELED.split(), "raw pixels"],
]


def linear(color):
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(color, eye):
    """CIELAB under D65 of a color as an eye sees it."""
    share = TO_XYZ @ np.clip(EYES[eye] @ linear(color), 0, 1) / TO_XYZ.sum(axis=1)
    f = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one, other, eye="all cones"):
    return np.linalg.norm(lab(one, eye) - lab(other, eye))


@pytest.mark.parametrize("eye", EYES)
def test_what_meets_in_a_figure_differs(eye):
    groups = [{name: COLORS[name] for name in group} for group in GROUPS]
    others = dict(
        enumerate(["black", OUTLIER, *OTHERS])
    )  # of curves that are no methods
    for colors in [*groups, {"NMF": COLORS["NMF"]} | others]:
        for one, other in itertools.combinations(colors, 2):
            assert distance(colors[one], colors[other], eye) >= 15, (one, other)


def test_every_method_of_the_tests_has_a_color_and_a_marker():
    assert set(COLORS) == set(MARKERS) == set().union(*GROUPS)


def test_nothing_but_the_outlier_is_orange_and_every_line_stands_out_from_white():
    for color in [*COLORS.values(), *COLORS.spare, *OTHERS]:
        _, a, b = lab(color, "all cones")
        hue = np.degrees(np.arctan2(b, a)) % 360
        assert np.hypot(a, b) < 40 or not 30 < hue < 80, color
        assert distance(color, OUTLIER) > 30
        assert color in COLORS.spare or 1.05 / (TO_XYZ[1] @ linear(color) + 0.05) > 2


@pytest.mark.parametrize("eye", EYES)
def test_a_weight_is_the_whiter_the_more_it_trusts(eye):
    light = [lab(WEIGHTS(q), eye)[0] for q in np.linspace(0, 1, 41)]
    assert np.all(np.diff(light) > 0)
    assert WEIGHTS(0.0)[:3] == pytest.approx(to_rgb(OUTLIER), abs=1e-6)
    assert WEIGHTS(1.0)[:3] == (1, 1, 1)


def test_the_logo_the_style_sheet_and_the_figures_mean_the_same_blue_and_orange():
    static = ROOT / "book" / "_static"
    sheet = (static / "custom.css").read_text(encoding="utf-8")
    said = dict(re.findall(r"--(model|outlier): (#\w{6});", sheet))
    assert said == {"model": COLORS["NMF"].lower(), "outlier": OUTLIER.lower()}
    logo = (static / "logo.svg").read_text(encoding="utf-8")
    assert {COLORS["NMF"], OUTLIER} < set(re.findall(r'fill="(#\w{6})"', logo))

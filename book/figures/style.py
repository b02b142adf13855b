"""One look for every figure of the book: sharp, and readable at the width of a phone."""

import zlib

import matplotlib.pyplot as plt
from cycler import cycler
from matplotlib.colors import LinearSegmentedColormap

from figures.vector import vector_figures

__all__ = ["COLORS", "MARKERS", "OTHERS", "OUTLIER", "WEIGHTS", "figure_style"]

# Blue is the model, orange the outlier and nothing else, gray the ink.
OUTLIER = "#D55E00"


class _Looks(dict):
    """The look of each method; one that is not listed gets a spare look, always the same."""

    def __init__(self, looks, spare):
        super().__init__(looks)
        self.spare = spare

    def __missing__(self, method):
        return self.spare[zlib.crc32(method.encode()) % len(self.spare)]


# A method keeps one color and one marker through the whole book. Orange is left to
# outliers. Methods that meet in a figure differ for every kind of eye:
# tests/book/test_palette.py.
_COLORS = {
    "NMF": "#0072B2",
    "NMF from NNDSVD": "#32258B",
    "RobustNMF": "#12A270",
    "PCA": "#83A32B",
    "LSI": "#E18BAD",
    "raw pixels": "#6E6E6E",
    "L1RobustNMF": "#7FC0A6",
    "L21NMF": "#CBA608",
    "CappedNMF": "#C4B461",
    "HuberNMF": "#10523F",
    "CIMNMF": "#9C3781",
    "CauchyNMF": "#641061",
    "HypersurfaceNMF": "#86872E",
    "NeNMF": "#56B2E8",
    "L1NMF": "#593417",
    "TruncatedCauchyNMF": "#000000",
    "WindowNMF": "#7B60DF",
    "RegularizedNMF": "#9D2948",
    "LocalNMF": "#6B6B00",
    "CSNMF": "#B4113F",
    "SupervisedNMF": "#34B6A5",
    "MCCGR": "#997D13",
    "ManifoldDiscriminativeNMF": "#84B7E6",
    "RobustManifoldNMF": "#AA82E7",
}
_MARKERS = {
    "NMF": "s",
    "NMF from NNDSVD": "D",
    "RobustNMF": "o",
    "PCA": "^",
    "LSI": "v",
    "raw pixels": "D",
    "L1RobustNMF": "P",
    "L21NMF": "X",
    "CappedNMF": "*",
    "HuberNMF": "<",
    "CIMNMF": ">",
    "CauchyNMF": "p",
    "HypersurfaceNMF": "h",
    "NeNMF": "d",
    "L1NMF": "H",
    "TruncatedCauchyNMF": "8",
    "WindowNMF": "D",
    "RegularizedNMF": "o",
    "LocalNMF": "X",
    "CSNMF": "o",
    "SupervisedNMF": "v",
    "MCCGR": "^",
    "ManifoldDiscriminativeNMF": "v",
    "RobustManifoldNMF": "X",
}
COLORS = _Looks(_COLORS, spare=["#5E5E5E", "#8E8E8E", "#3C3C3C", "#B0B0B0"])
MARKERS = _Looks(_MARKERS, spare=["1", "2", "3", "4"])
# For curves that are not methods: colors that no method has.
OTHERS = ["#674034", "#397F83", "#A88B76", "#9F9DD8"]
# Weights from none to full: what a fit distrusts is orange, what it trusts is white.
WEIGHTS = LinearSegmentedColormap.from_list("weights", [OUTLIER, "#F4B183", "#FFFFFF"])


def figure_style() -> None:
    """Draw the figures that follow as the book does.

    Figures have 192 dots per inch, so that a page, which shows an inch as 96 pixels,
    shows two dots a pixel. Text is 10 points: it keeps 9 pixels on a phone, where the
    column is 340 pixels wide, as long as the figure is at most 5.2 inches wide. What is
    wider stands better in rows. A notebook stores a figure as SVG, which takes the type
    and the theme of its page.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure_style()
    >>> plt.rcParams["figure.dpi"], plt.rcParams["font.size"]
    (192.0, 10.0)
    """
    plt.rcParams.update(
        {
            "figure.dpi": 192,
            "figure.figsize": (5.0, 3.2),
            "font.size": 10,
            "axes.titlesize": 10,
            "axes.labelsize": 10,
            "xtick.labelsize": 10,
            "ytick.labelsize": 10,
            "legend.fontsize": 10,
            "legend.frameon": False,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.linewidth": 0.7,
            "axes.prop_cycle": cycler(color=[COLORS["NMF"], *OTHERS]),
        }
    )
    vector_figures()

"""One look for every figure of the book: sharp, and readable at the width of a phone."""

import zlib

import matplotlib.pyplot as plt

__all__ = ["COLORS", "MARKERS", "OTHERS", "figure_style"]


class _Looks(dict):
    """The look of each method; one that is not listed gets a spare look, always the same."""

    def __init__(self, looks, spare):
        super().__init__(looks)
        self.spare = spare

    def __missing__(self, method):
        return self.spare[zlib.crc32(method.encode()) % len(self.spare)]


# A method keeps one color and one marker through the whole book. Okabe and Ito's palette,
# Paul Tol's muted one where that ends, and his vibrant one after it.
_COLORS = {
    "NMF": "#0072B2",
    "NMF from NNDSVD": "#332288",
    "RobustNMF": "#D55E00",
    "PCA": "#009E73",
    "LSI": "#CC79A7",
    "raw pixels": "#4D4D4D",
    "L1RobustNMF": "#56B4E9",
    "L21NMF": "#E69F00",
    "CappedNMF": "#DDCC77",
    "HuberNMF": "#117733",
    "CIMNMF": "#AA4499",
    "CauchyNMF": "#882255",
    "HypersurfaceNMF": "#999933",
    "NeNMF": "#44AA99",
    "L1NMF": "#661100",
    "TruncatedCauchyNMF": "#000000",
    "RegularizedNMF": "#CC6677",
    "LocalNMF": "#7F6000",
    "CSNMF": "#CC3311",
    "SupervisedNMF": "#009988",
    "MCCGR": "#997700",
    "ManifoldDiscriminativeNMF": "#33BBEE",
    "RobustManifoldNMF": "#EE7733",
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
    "RegularizedNMF": "o",
    "LocalNMF": "X",
    "CSNMF": "o",
    "SupervisedNMF": "v",
    "MCCGR": "^",
    "ManifoldDiscriminativeNMF": "v",
    "RobustManifoldNMF": "X",
}
COLORS = _Looks(_COLORS, spare=["#6699CC", "#AA7744", "#EE3377", "#225522"])
MARKERS = _Looks(_MARKERS, spare=["1", "2", "3", "4"])
# For curves that are not methods: colors that no method has.
OTHERS = ["#8C564B", "#88CCEE", "#999999"]


def figure_style() -> None:
    """Draw the figures that follow as the book does.

    Figures have 192 dots per inch, so that a page, which shows an inch as 96 pixels, shows two
    dots a pixel. Text is 10 points: it keeps 9 pixels on a phone, where the column is 340 pixels
    wide, as long as the figure is at most 5.2 inches wide. What is wider stands better in rows.

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
        }
    )

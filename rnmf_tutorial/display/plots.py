"""Figures: faces, errors, weights, and curves in one set of colors."""

import itertools
import zlib
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = [
    "COLORS",
    "MARKERS",
    "OTHERS",
    "convergence",
    "error_images",
    "face_grid",
    "metric_curves",
    "weight_images",
]


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


def face_grid(
    rows: dict[str, np.ndarray],
    *,
    width: float = 8.0,
    vmin: float = 0.0,
    vmax: float = 1.0,
    cmap: str = "gray",
    colorbar: str | None = None,
) -> Figure:
    """Draw rows of images, each row with a label.

    Parameters
    ----------
    rows : dict of str to ndarray of shape (n, height, width)
        Label of the row, its images from left to right.
    width : float, default=8.0
        Width of the figure in inches.
    vmin, vmax : float, default=0.0, 1.0
        Values drawn as black and white.
    cmap : str, default="gray"
        The colors, by matplotlib's name.
    colorbar : str, optional
        Label of a color bar; none is drawn by default.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If there is no row, or a row is no array of images.

    Examples
    --------
    >>> import numpy as np
    >>> figure = face_grid({"noise": np.random.default_rng(0).random((3, 4, 4))})
    >>> len(figure.axes)
    1
    """
    _check_rows(rows)
    strips = {label: _strip(np.asarray(images)) for label, images in rows.items()}
    height, length = next(iter(strips.values())).shape
    figure, axes = plt.subplots(
        len(strips),
        1,
        figsize=(width, width * 0.88 * height / length * len(strips) + 0.1),
        squeeze=False,
        layout="constrained",
    )
    for ax, (label, strip) in zip(axes[:, 0], strips.items(), strict=True):
        drawn = ax.imshow(strip, cmap=cmap, vmin=vmin, vmax=vmax, interpolation="nearest")
        ax.set_yticks([height / 2], [label])
        ax.set_xticks([])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    if colorbar is not None:
        figure.colorbar(drawn, ax=axes[:, 0], label=colorbar, shrink=0.8, aspect=15)
    return figure


def _check_rows(rows):
    shapes = [np.shape(images) for images in rows.values()]
    if not shapes or any(len(shape) != 3 or 0 in shape for shape in shapes):
        raise ValueError(
            "Give at least one row of images, each an array of shape (n, height, width) with at "
            f"least one entry; got the shapes {dict(zip(rows, shapes, strict=True))}."
        )


def _strip(images, gap=2):
    """Join images from left to right with a gap of missing values."""
    n, height, width = images.shape
    strip = np.full((height, n * (width + gap) - gap), np.nan)
    for k, image in enumerate(images):
        strip[:, k * (width + gap) : k * (width + gap) + width] = image
    return strip


def error_images(
    rows: dict[str, np.ndarray], *, limit: float | None = None, width: float = 8.0
) -> Figure:
    """Draw signed errors: blue below zero, white at zero, red above.

    Parameters
    ----------
    rows : dict of str to ndarray of shape (n, height, width)
        Label of the row, its errors from left to right.
    limit : float, optional
        Value of the deepest color; the largest absolute error by default.
    width : float, default=8.0
        Width of the figure in inches.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import numpy as np
    >>> figure = error_images({"error": np.random.default_rng(0).normal(size=(3, 4, 4))})
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['', 'error']
    """
    _check_rows(rows)
    if limit is None:
        limit = max(float(np.abs(images).max()) for images in rows.values())
    return face_grid(rows, width=width, vmin=-limit, vmax=limit, cmap="RdBu_r", colorbar="error")


def weight_images(rows: dict[str, np.ndarray], *, width: float = 8.0) -> Figure:
    """Draw weights from 0 (dark: the entry does not count) to 1 (bright).

    Parameters
    ----------
    rows : dict of str to ndarray of shape (n, height, width)
        Label of the row, its weights from left to right.
    width : float, default=8.0
        Width of the figure in inches.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import numpy as np
    >>> figure = weight_images({"Q": np.ones((2, 4, 4)), "R": np.zeros((2, 4, 4))})
    >>> len(figure.axes)  # two rows and a color bar
    3
    """
    return face_grid(rows, width=width, cmap="cividis", colorbar="weight")


def convergence(histories: dict, *, ax: Axes | None = None, ylabel: str = "objective") -> Axes:
    """Draw recorded objectives against the sweep, on a logarithmic scale.

    Parameters
    ----------
    histories : dict of str to sequence of float
        Label, objective from the start point on. A label that is a method's name has its color.
    ax : matplotlib.axes.Axes, optional
    ylabel : str, default="objective"
        What the vertical axis shows.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> ax = convergence({"NMF": [9.0, 4.0, 3.0], "RobustNMF": [5.0, 3.0, 2.5]})
    >>> ax.get_yscale(), len(ax.lines)
    ('log', 2)
    """
    if ax is None:
        ax = plt.subplots(figsize=(5.2, 3), layout="constrained")[1]
    styles = ("-", "--", ":", "-.")
    others = itertools.cycle(OTHERS)
    for k, (label, history) in enumerate(histories.items()):
        ax.plot(history, styles[k % 4], color=COLORS.get(label) or next(others), label=label)
    ax.set(yscale="log", xlabel="sweep", ylabel=ylabel)
    ax.grid(alpha=0.3)
    if len(histories) > 1:
        ax.legend(frameon=False)
    return ax


def metric_curves(
    table: pd.DataFrame,
    x: str,
    y: str,
    hue: str = "method",
    *,
    ax: Axes | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
    flat: Sequence[str] = (),
) -> Axes:
    """Draw a metric against a parameter: means as lines, one standard deviation as bands.

    Parameters
    ----------
    table : pandas.DataFrame
        One row per measurement.
    x, y, hue : str
        Columns: the parameter, the metric, the method.
    ax : matplotlib.axes.Axes, optional
    xlabel, ylabel : str, optional
        The column names by default.
    flat : sequence of str, optional
        Methods that do not depend on x: each is a level line, with its standard deviation as an
        error bar near the left edge.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"p": [0, 0, 1, 1], "error": [1.0, 1.2, 2.0, 2.4], "method": "NMF"})
    >>> ax = metric_curves(table, "p", "error")
    >>> ax.get_xlabel(), ax.lines[0].get_ydata().round(6).tolist()
    ('p', [1.1, 2.2])
    """
    if ax is None:
        ax = plt.subplots(figsize=(5.2, 3.4), layout="constrained")[1]
    for method, rows in table.groupby(hue, sort=False):
        style = {"color": COLORS.get(method), "label": method}
        if method in flat:
            mean, sd, place = rows[y].mean(), rows[y].std(ddof=1), flat.index(method)
            ax.axhline(mean, linestyle=["--", ":", "-."][place % 3], **style)
            ax.errorbar(
                0.03 + 0.03 * place,
                mean,
                yerr=sd,
                capsize=3,
                marker=MARKERS.get(method, "o"),
                color=style["color"],
                transform=ax.get_yaxis_transform(),
            )
            continue
        stats = rows.groupby(x)[y].agg(["mean", "std"])
        ax.plot(stats.index, stats["mean"], marker=MARKERS.get(method, "o"), **style)
        ax.fill_between(
            stats.index,
            stats["mean"] - stats["std"],
            stats["mean"] + stats["std"],
            color=style["color"],
            alpha=0.18,
            linewidth=0,
        )
    ax.set(xlabel=xlabel or x, ylabel=ylabel or y)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False)
    return ax

"""Rows of images."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from figures.style import WEIGHTS

__all__ = ["face_grid"]


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
        Label of the row, its images from left to right. A row whose label begins with
        "weights" has the colors of weights, white where a fit trusts and orange where
        it does not.
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
        weighs = label.startswith("weights")
        colors, low, high = (WEIGHTS, 0, 1) if weighs else (cmap, vmin, vmax)
        drawn = ax.imshow(
            strip, cmap=colors, vmin=low, vmax=high, interpolation="nearest"
        )
        if weighs:  # white has an edge
            _frame(ax, np.shape(rows[label]))
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


def _frame(ax, shape, gap=2):
    """Draw a thin line around each image of a strip."""
    n, height, width = shape
    for k in range(n):
        corner = (k * (width + gap) - 0.5, -0.5)
        ax.add_patch(plt.Rectangle(corner, width, height, fill=False, ec="0.7", lw=0.6))


def _strip(images, gap=2):
    """Join images from left to right with a gap of missing values."""
    n, height, width = images.shape
    strip = np.full((height, n * (width + gap) - gap), np.nan)
    for k, image in enumerate(images):
        strip[:, k * (width + gap) : k * (width + gap) + width] = image
    return strip

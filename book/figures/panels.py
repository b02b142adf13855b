"""What many figures are made of: axes with their labels, mean curves, rows of pictures."""

from itertools import zip_longest

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from figures.style import COLORS, MARKERS
from figures.widgets import frame_picture, static_slider

__all__ = ["legend_outside", "mean_curves", "panels", "picture_rows", "slider_of"]


def panels(
    rows: int = 1,
    columns: int = 1,
    size: tuple = (4.8, 3.4),
    *,
    xlabel: str = "",
    ylabels=(),
    titles=(),
    sharex: bool | str = False,
    sharey: bool | str = False,
    height_ratios=None,
    **settings,
) -> list[Axes]:
    """Return the axes of a new figure, row by row, with a faint grid.

    Parameters
    ----------
    rows, columns : int, default=1
    size : tuple of float, default=(4.8, 3.4)
        Width and height of the figure in inches.
    xlabel : str
        Stands below the last row.
    ylabels, titles : iterable of str
        Of the axes in their order; those that are left over have none.
    sharex, sharey : bool or str, default=False
        As in :func:`matplotlib.pyplot.subplots`.
    height_ratios : sequence of float, optional
        Of the rows.
    **settings
        Of all axes, such as ``xscale="log"``.

    Returns
    -------
    list of matplotlib.axes.Axes

    Examples
    --------
    >>> axes = panels(2, xlabel="sweep", ylabels=["error", "accuracy"], xscale="log")
    >>> [(ax.get_xlabel(), ax.get_ylabel()) for ax in axes]
    [('', 'error'), ('sweep', 'accuracy')]
    """
    share = {"sharex": sharex, "sharey": sharey, "height_ratios": height_ratios}
    _, axes = plt.subplots(
        rows, columns, figsize=size, layout="constrained", squeeze=False, **share
    )
    for ax, ylabel, title in zip_longest(axes.flat, ylabels, titles, fillvalue=""):
        ax.set(ylabel=ylabel, title=title, **settings)
        ax.grid(alpha=0.3)
    for ax in axes[-1]:
        ax.set_xlabel(xlabel)
    return [*axes.flat]


def mean_curves(
    ax: Axes,
    table,
    x: str,
    y: str,
    *,
    hue: str = "method",
    looks: dict | None = None,
    band: bool = False,
    **style,
) -> None:
    """Draw the mean of a measure against a parameter, a curve for each method.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    table : pandas.DataFrame
        One row per measurement.
    x, y, hue : str
        Columns: the parameter, the measure, the method.
    looks : dict of str to (color, marker, line), optional
        What to draw, in this order; by default all, each method with its look in the
        book.
    band : bool, default=False
        Draw one standard deviation to both sides.
    **style
        Of all curves, such as ``markersize=4``; it goes before their own.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"p": [0, 0, 1, 1], "error": [1.0, 2.0, 3.0, 4.0], "method": "NMF"})
    >>> (ax,) = panels()
    >>> mean_curves(ax, table, "p", "error", band=True)
    >>> ax.lines[0].get_ydata().tolist(), ax.lines[0].get_label()
    ([1.5, 3.5], 'NMF')
    """
    if looks is None:
        looks = {
            name: (COLORS[name], MARKERS[name], "-") for name in table[hue].unique()
        }
    for name, (color, marker, line) in looks.items():
        stats = table[table[hue] == name].groupby(x)[y].agg(["mean", "std"])
        look = {"color": color, "marker": marker, "linestyle": line, "label": name}
        ax.plot(stats["mean"], **look | style)
        if band:
            low = stats["mean"] - stats["std"]
            high = stats["mean"] + stats["std"]
            ax.fill_between(
                stats.index, low, high, color=color, alpha=0.18, linewidth=0
            )


def legend_outside(
    ax: Axes, ncols: int = 2, where: str = "lower center", **options
) -> None:
    """Give a figure the legend of one of its axes, outside of all.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    ncols : int, default=2
    where : str, default="lower center"
        The side of the figure.
    **options
        Of :meth:`matplotlib.figure.Figure.legend`.

    Examples
    --------
    >>> (ax,) = panels()
    >>> _ = ax.plot([0, 1], label="a line")
    >>> legend_outside(ax)
    >>> ax.figure.legends[0].get_texts()[0].get_text()
    'a line'
    """
    options |= {"loc": f"outside {where}", "ncols": ncols}
    ax.figure.legend(*ax.get_legend_handles_labels(), **options)


def picture_rows(
    rows: dict, shape: tuple, *, size: tuple, errors=None, labels=True, **titles
):
    """Draw rows of gray pictures, each column with a title.

    Parameters
    ----------
    rows : dict of str to dict of str to array-like
        Label of a row → title of a column → its picture. The titles of the first row
        are shown.
    shape : tuple of int
        Height and width of a picture.
    size : tuple of float
        Width and height of the figure in inches.
    errors : dict of str to dict of str to float, optional
        Label of a row → title of a column → a number to stand below; the least is bold.
    labels : bool, default=True
        Write the labels of the rows.
    **titles
        How the titles are written, such as ``fontsize=9``.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> figure = picture_rows({"": {"data": [0.0, 1.0], "fit": [0.2, 0.8]}}, (1, 2), size=(2, 1))
    >>> [ax.get_title() for ax in figure.axes]
    ['data', 'fit']
    """
    first = next(iter(rows.values()))
    figure, axes = plt.subplots(
        len(rows), len(first), figsize=size, layout="constrained", squeeze=False
    )
    for row, (label, pictures) in zip(axes, rows.items(), strict=True):
        found = (errors or {}).get(label, {})
        for ax, (name, picture) in zip(row, pictures.items(), strict=True):
            ax.imshow(np.reshape(picture, shape), cmap="gray", vmin=0, vmax=1)
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_visible(False)
            if name in found:
                best = found[name] == min(found.values())
                ax.set_xlabel(f"{found[name]:.2f}", weight="bold" if best else "normal")
        row[0].set_ylabel(label if labels else "")
    for ax, name in zip(axes[0], first, strict=True):
        ax.set_title(name.replace("1RobustNMF", "1Robust\nNMF"), va="bottom", **titles)
    return figure


def slider_of(pages: dict, description: str, *, start: int = 0, colors: int = 32):
    """Return a slider that switches pictures.

    Parameters
    ----------
    pages : dict of object to (Figure or bytes, str)
        Stop of the slider, its picture and what that shows, for readers who cannot see
        it.
    description : str
        Name of the parameter.
    start : int, default=0
        The stop to begin at.
    colors : int, default=32
        Of a picture that is made from a figure.

    Returns
    -------
    ipywidgets.VBox

    Examples
    --------
    >>> pages = {k: (plt.figure(figsize=(1, 1)), f"picture {k}") for k in (1, 2)}
    >>> len(slider_of(pages, "k").children)
    2
    """
    drawn, alts = zip(*pages.values(), strict=True)
    frames = [
        x if isinstance(x, bytes) else frame_picture(x, colors=colors) for x in drawn
    ]
    return static_slider(
        frames, [*pages], description=description, alts=alts, start=start
    )

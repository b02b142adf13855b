"""Curves: an objective over the sweeps, a metric over a parameter."""

import itertools
from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from figures.style import COLORS, MARKERS, OTHERS

__all__ = ["convergence", "metric_curves"]


def convergence(
    histories: dict, *, ax: Axes | None = None, ylabel: str = "objective"
) -> Axes:
    """Draw recorded objectives against the sweep, on a logarithmic scale.

    Parameters
    ----------
    histories : dict of str to sequence of float
        Label, objective from the start point on. A label that is a method's name has
        its color.
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
        ax.plot(
            history, styles[k % 4], color=COLORS.get(label) or next(others), label=label
        )
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
        Methods that do not depend on x: each is a level line, with its standard
        deviation as an error bar near the left edge.

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
            mean = rows[y].mean()
            sd = rows[y].std(ddof=1)
            place = flat.index(method)
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
        (line,) = ax.plot(
            stats.index, stats["mean"], marker=MARKERS.get(method, "o"), **style
        )
        ax.fill_between(
            stats.index,
            stats["mean"] - stats["std"],
            stats["mean"] + stats["std"],
            color=line.get_color(),
            alpha=0.18,
            linewidth=0,
        )
    ax.set(xlabel=xlabel or x, ylabel=ylabel or y)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False)
    return ax

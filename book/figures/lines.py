"""Figures of lines: one panel, or one of several."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from figures.curves import convergence

__all__ = ["axes_of", "convergence_plot", "descent", "line_axes", "line_plot"]


def axes_of(width: float, height: float, rows: int = 1, columns: int = 1, **options):
    """Return the axes of a new figure, whose size is in inches; `options` as plt.subplots has them.

    Examples
    --------
    >>> len(axes_of(5, 3, 2))
    2
    """
    size = {"figsize": (width, height), "layout": "constrained"}
    return plt.subplots(rows, columns, **size, **options)[1]


def line_plot(lines: dict, *, size: tuple = (5.0, 2.8), **options) -> None:
    """Show a figure of one panel of lines; `options` are those of :func:`line_axes`."""
    line_axes(axes_of(*size), lines, **options)
    plt.show()


def line_axes(
    ax: Axes,
    lines: dict,
    *,
    xticks: dict | None = None,
    yticks: dict | None = None,
    grid: bool = True,
    legend: str | None = "best",
    **settings,
) -> Axes:
    """Draw lines, each with a label.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    lines : dict of str to tuple
        Label, and what ``ax.plot`` takes: x if it is not 0, 1, 2, …; y; a format; a
        dict of options. A label that begins with an underscore is left out of the
        legend.
    xticks, yticks : dict of float to str, optional
        Where the marks are and what they say, if not everywhere; there are none
        between.
    grid : bool, default=True
    legend : str, optional
        Its place; None is no legend.
    **settings
        Of the axes: labels, limits, scales, title.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> lines = {"up": ([1, 2], "--"), "down": ([2, 1], {"lw": 3})}
    >>> ax = line_axes(axes_of(5, 3), lines, xlabel="sweep", xticks={0: "start", 1: "end"})
    >>> [text.get_text() for text in ax.get_legend().get_texts()], ax.get_xlabel()
    (['up', 'down'], 'sweep')
    """
    for label, parts in lines.items():
        *parts, options = parts if isinstance(parts[-1], dict) else (*parts, {})
        ax.plot(*parts, label=label, **options)
    ax.set(**settings)
    for set_ticks, ticks in ((ax.set_xticks, xticks), (ax.set_yticks, yticks)):
        if ticks is not None:
            set_ticks(list(ticks), ticks.values())
            ax.minorticks_off()
    if grid:
        ax.grid(alpha=0.3)
    if legend is not None:
        ax.legend(loc=legend)
    return ax


def convergence_plot(
    histories: dict, *, size: tuple = (4.6, 2.8), ylabel: str = "objective"
) -> None:
    """Show recorded objectives as :func:`figures.convergence` draws them."""
    convergence(histories, ax=axes_of(*size), ylabel=ylabel)
    plt.show()


def descent(histories: dict, *, color: str) -> None:
    """Show a published algorithm as it falls, and beside it what a mistake makes of it.

    Each panel has an objective against the sweep, and says under it by how much the
    objective rose in one sweep at most, relative to its value before.

    Parameters
    ----------
    histories : dict of str to sequence of float
        Title, objective from the start point on; the first one is the algorithm.
    color : str
        Of the algorithm. A mistake is gray.

    Examples
    --------
    >>> descent({"as derived": [4.0, 2.0, 1.0], "swapped": [4.0, 5.0, 3.0]}, color="#0072B2")
    """
    axes = axes_of(5.2, 2.9, 1, len(histories), sharey=True)
    for ax, (title, history) in zip(axes, histories.items(), strict=True):
        history = np.asarray(history)
        rise = (history[1:] / history[:-1] - 1).max()
        sweeps = len(history) - 1
        said = (
            "none"
            if rise <= 1e-10
            else f"{100 * rise:,.2g}%"
            if rise < 1
            else f"× {rise + 1:,.1f}"
        )
        ax.plot(history, "-", color=color if ax is axes[0] else "0.35")
        ax.set(
            title=title,
            yscale="log",
            xlabel=f"sweep\nlargest rise in\n{sweeps} sweeps: {said}",
        )
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("objective")
    plt.show()

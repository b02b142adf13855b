"""What the page on recovery draws: triangles of parts, and which ranks and shares are found."""

import matplotlib.pyplot as plt
import numpy as np

from figures.lines import axes_of
from figures.style import COLORS, OTHERS

__all__ = ["phase_figure", "triangles"]

CORNERS = np.array([[0, 0], [1, 0], [0.5, 0.75**0.5]])  # of the features


def outline(ax, W, *args, **kwargs):
    """Draw the triangle of three parts with sum one."""
    ring = (W / W.sum(axis=0)).T[[0, 1, 2, 0]] @ CORNERS
    ax.plot(*ring.T, *args, **kwargs)


def triangles(loose, tight, answers):
    """Show samples of three features in a triangle, with two answers to the first samples.

    The second samples have one answer, the triangle of the features itself.
    """
    left, right = axes = axes_of(5.2, 2.9, 1, 2)
    for ax, X in zip(axes, (loose, tight), strict=True):
        outline(ax, np.eye(3), color="0.7", lw=1)
        ax.plot(*(X.T @ CORNERS).T, "o", ms=3.5, color="black")
        ax.set(aspect="equal")
        ax.axis("off")
    looks = ("-", COLORS["NMF"]), ("--", OTHERS[1])
    for (label, W), (style, color) in zip(answers.items(), looks, strict=True):
        outline(left, W, style, color=color, lw=1.8, label=label)
    outline(right, np.eye(3), "-", color=COLORS["NMF"], lw=1.8)
    left.set_title("inside: not unique")
    right.set_title("at every side: unique")
    left.figure.legend(loc="outside lower center", ncols=2)
    plt.show()


def phase_figure(rows, methods):
    """Show in how many draws each method found the parts: ranks over shares of wrong entries."""
    axes = axes_of(5, 4.4, 2, 2, sharex=True, sharey=True)
    for ax, method in zip(axes.flat, methods, strict=True):
        cells = rows[rows.method == method].groupby(["rank", "share"]).found
        found = cells.sum().unstack()
        ax.imshow(found, cmap="viridis", vmin=0, vmax=5, origin="lower")
        for (i, j), number in np.ndenumerate(found.to_numpy().astype(int)):
            color = "white" if number < 3 else "black"
            ax.text(j, i, number, ha="center", va="center", color=color)
        ax.set_title(method)
        ax.set_xticks(range(found.shape[1]), [f"{share:.0%}" for share in found])
        ax.set_yticks(range(len(found)), found.index)
        ax.tick_params(length=0)
    axes[0, 0].figure.supxlabel("share of wrong entries", fontsize=10)
    axes[0, 0].figure.supylabel("rank", fontsize=10)
    plt.show()

"""What the tour draws: cones of parts, the best number under a loss, parts beside the true ones."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.preprocessing import normalize

from figures.fits import image_rows
from figures.lines import axes_of
from figures.style import COLORS, OUTLIER

__all__ = [
    "LOSSES",
    "best",
    "cone_figure",
    "largest_parts",
    "matched",
    "opening_figure",
    "picture_row",
]

#: Losses of errors e at the scale c.
LOSSES = {
    "squares": lambda e, c: e**2,
    "absolute": lambda e, c: 2 * c * abs(e),
    "Huber": lambda e, c: np.where(abs(e) <= c, e**2, 2 * c * abs(e) - c**2),
    "Cauchy": lambda e, c: c**2 * np.log(1 + e**2 / c**2),
    "correntropy": lambda e, c: 2 * c**2 * (1 - np.exp(-(e**2) / (2 * c**2))),
}


def best(values, name, c):
    """Return the number of least loss, among 8001 from zero to the largest value.

    Examples
    --------
    >>> best([2, 2, 2, 2, 7], "squares", 1).round(2)
    np.float64(3.0)
    """
    tried = np.linspace(0, max(values), 8001)
    return tried[np.argmin(sum(LOSSES[name](x - tried, c) for x in values))]


def matched(found, true):
    """Return found parts in the order of the true ones, and the cosines between them.

    Examples
    --------
    >>> matched(np.array([[0.0, 2.0], [3.0, 0.0]]), np.eye(2))
    (array([[3., 0.],
           [0., 2.]]), array([1., 1.]))
    """
    cosines = normalize(true) @ normalize(found).T
    rows, columns = linear_sum_assignment(-cosines)
    return found[columns], cosines[rows, columns]


def draw_cone(ax, W, reach=9, arrows=True):
    """Shade the sums of two parts."""
    color = COLORS["NMF"]
    (a, b), (c, d) = reach * W.T / np.linalg.norm(W, axis=0)[:, None]
    ax.fill([0, a, c], [0, b, d], color=color, alpha=0.15, lw=0)
    ax.plot([a, 0, c], [b, 0, d], color=color, lw=1)
    for part in W.T if arrows else []:
        look = {"arrowstyle": "-|>", "color": color, "lw": 1.8}
        ax.annotate("", part, (0, 0), arrowprops=look)


def cone_figure(W):
    """Show the cone of the parts (2, 1) and (1, 3), a point in it, and one beside it."""
    ax = axes_of(4.8, 3.8)
    draw_cone(ax, W)
    ax.plot(3, 4, "o", color="k", ms=7)
    ax.plot([4, 3.6], [1, 1.8], "--", color=OUTLIER, lw=1.5)
    ax.plot(4, 1, "s", color=OUTLIER, ms=7)
    ax.text(2.05, 0.55, "$w_1$ = (2, 1)")
    ax.text(1.15, 2.75, "$w_2$ = (1, 3)")
    ax.text(3.15, 4, "(3, 4)", va="center")
    ax.text(4.15, 1, "(4, 1)", va="center")
    ax.text(3.6, 2.05, "(3.6, 1.8)", va="bottom", ha="right")
    ax.set(
        xlim=(0, 5.2), ylim=(0, 4.9), aspect="equal", xlabel="pixel 1", ylabel="pixel 2"
    )
    plt.show()


def opening_figure(stages, X, sweeps):
    """Show the cone of the parts after some sweeps, and the points that they are to reach."""
    for ax, sweep in zip(
        axes_of(5, 2, 1, len(sweeps), sharey=True), sweeps, strict=True
    ):
        draw_cone(ax, stages[sweep], arrows=False)
        ax.plot(*X, "ok", ms=4)
        ax.set(xlim=(0, 4.9), ylim=(0, 4.9), aspect="equal", title=f"sweep {sweep}")
        ax.set(xticks=[0, 2, 4], yticks=[0, 2, 4], xlabel="pixel 1")
        ax.set_ylabel("pixel 2" if sweep == sweeps[0] else "")
    plt.show()


def picture_row(pictures):
    """Show pictures side by side: title → 1024 pixels."""
    axes = axes_of(5, 1.6, 1, len(pictures))
    for ax, (name, picture) in zip(axes, pictures.items(), strict=True):
        ax.imshow(picture.reshape(32, 32), cmap="gray", vmin=0, vmax=1)
        ax.set_title(name)
        ax.axis("off")
    plt.show()


def largest_parts(models, A):
    """Show the four parts of each model that carry most light, each up to a pixel of one."""
    rows = {}
    for name, model in models.items():
        light = model.components_ * model.transform(A).mean(axis=0)[:, None]
        parts = light[np.argsort(-light.sum(axis=1))[:4]]
        rows[name] = parts / parts.max(axis=1, keepdims=True)
    image_rows(rows)

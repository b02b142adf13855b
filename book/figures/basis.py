"""Figures of the chapter on a sparse basis, and of its page of printed numbers."""

import matplotlib.pyplot as plt
import numpy as np

from figures.curves import metric_curves
from figures.images import face_grid
from figures.panels import legend_outside, mean_curves, panels
from figures.style import COLORS, MARKERS
from figures.widgets import frame_picture
from rnmf_tutorial.solvers import nearest_unit_columns

LABELS = {
    "e": "relative error e",
    "s_l1": "zeros s",
    "c_l2": "collinearity c",
    "area": "area",
    "reach": "reach",
    "e_test": "error on test faces",
}
LOOKS = {  # the number is λθ
    "LocalNMF": (COLORS["LocalNMF"], "X", "-"),
    "NMF": (COLORS["NMF"], "s", "-"),
    "PCA": (COLORS["PCA"], "^", "-"),
    "RegularizedNMF 20": (COLORS["RegularizedNMF"], "o", ":"),
    "RegularizedNMF 4": (COLORS["RegularizedNMF"], "o", "--"),
    "RegularizedNMF 8": (COLORS["RegularizedNMF"], "o", "-"),
}


def basis_images(W, shape, count):
    """Return the first basis images, each scaled to its own maximum."""
    return (W / W.max(axis=0)).T[:count].reshape(-1, *shape)


def basis_rows(models, shape):
    """Draw the first ten basis images of each fitted model."""
    bases = {name: model.components_.T for name, model in models.items()}
    face_grid(
        {name: basis_images(W, shape, 10) for name, W in bases.items()}, width=5.2
    )


def basis_frame(bases, shape):
    """Draw two rows of twelve images of each basis, what is said of it above, as a picture."""
    size = (5.2, 1.2 * len(bases))
    figure, axes = plt.subplots(
        len(bases), figsize=size, layout="constrained", squeeze=False
    )
    for ax, (words, W) in zip(axes.flat, bases.items(), strict=True):
        images = basis_images(W, shape, 24)
        images = np.pad(images, ((0, 0), (1, 1), (1, 1)), constant_values=0.5)
        ax.imshow(
            np.vstack([np.hstack(images[:12]), np.hstack(images[12:])]), cmap="gray"
        )
        ax.set_axis_off()
        ax.set_title(words)
    return frame_picture(figure, colors=16)


def steps_on_the_sphere(path, threshold):
    """Draw two steps of a column with two entries, and the path of one under the penalty alone."""
    _, axes = plt.subplot_mosaic("ab;cc", figsize=(5, 5), layout="constrained")
    angle = np.linspace(0, np.pi / 2, 100)
    for name, start, move in (("a", 0.95, [-0.05, -0.5]), ("b", 0.35, [-0.2, -0.7])):
        ax, w = axes[name], np.array([np.cos(start), np.sin(start)])
        y = w + move
        landed = nearest_unit_columns(y[:, None]).ravel()
        ax.plot(np.cos(angle), np.sin(angle), color="0.6", linewidth=3)
        ax.annotate("", y, w, arrowprops={"arrowstyle": "->", "color": COLORS["NMF"]})
        ax.plot(*np.column_stack([y, np.maximum(y, 0), landed]), ":", color="k")
        for point, text in ((w, "w"), (y, "w − μg"), (landed, "new w")):
            ax.plot(*point, "o", color=COLORS["NMF"] if text == "new w" else "k")
            below = (5, -13) if "μ" in text else (5, 6)
            ax.annotate(text, point, below, textcoords="offset points")
        ax.axhline(0, color="0.8", zorder=0)
        ax.axvline(0, color="0.8", zorder=0)
        ax.set(xlim=(-0.1, 1.6), ylim=(-0.75, 1.25), aspect="equal")
        ax.set(xlabel="first entry", ylabel="second entry")
    axes["c"].axhline(threshold, color="0.5", linestyle=":")
    axes["c"].plot(path)
    axes["c"].set(xlabel="step", ylabel="entries of w")


def measures_against_theta(rows):
    """Draw what is measured of a basis against λθ; methods without it are level lines."""
    axes = panels(3, 2, (5.2, 6.6), sharex=True)
    for ax, (column, label) in zip(axes, LABELS.items(), strict=True):
        look = {"ylabel": label, "flat": ["NMF", "LocalNMF", "PCA"]}
        metric_curves(rows, "lam_theta", column, ax=ax, **look).legend().remove()
        ax.set_xscale("log")
        ax.set_xticks([0.25, 1, 4, 20], ["¼", "1", "4", "20"])
        ax.minorticks_off()
        ax.set_xlabel(r"$\lambda_\theta$" if ax in axes[-2:] else "")
    legend_outside(axes[0])


def errors_over_sweeps(rows):
    """Draw the error of each method during its fit, with the method's name at the end."""
    (ax,) = panels(xlabel="sweep", ylabels=["relative error"], ylim=(0, 0.9))
    looks = {name: look for name, look in LOOKS.items() if name in set(rows.method)}
    mean_curves(ax, rows, "sweep", "e", looks=looks, markersize=4)
    for line in ax.lines:
        below = {"NMF": -13, "RegularizedNMF 8": 8}.get(line.get_label(), -3)
        end = line.get_xydata()[-1]
        ax.annotate(line.get_label(), end, (8, below), textcoords="offset points")
    ax.set_xscale("symlog", linthresh=1)


def measures_against_rank(rows):
    """Draw four measures of a basis against the rank."""
    shown = ("e", "s_l1", "c_l2", "reach")
    names = [LABELS[column] for column in shown]
    axes = panels(2, 2, (4.9, 5.4), sharex=True, xlabel="r", ylabels=names)
    looks = {name: look for name, look in LOOKS.items() if name in set(rows.method)}
    for ax, column in zip(axes, shown, strict=True):
        mean_curves(ax, rows, "r", column, looks=looks, markersize=4)
    legend_outside(axes[0])


def measures_at_error(families, levels):
    """Draw what each family of penalties reaches at its training error, beside single methods."""
    shown = ("s_l1", "reach", "e_test")
    names = [LABELS[column] for column in shown]
    axes = panels(3, 1, (4.8, 8), sharex=True, xlabel="training error", ylabels=names)
    styles = {
        "RegularizedNMF": (COLORS["RegularizedNMF"], "o-"),
        "NNSC of the transpose": ("#000000", "d--"),
        "NNSC": ("#8C564B", "v:"),
        "scikit-learn": ("#88CCEE", "P-."),
    }
    for ax, column in zip(axes, shown, strict=True):
        for name, (color, style) in styles.items():
            line = families[name].groupby("strength")[["e_refit", column]].mean()
            line = line[line.e_refit < 0.15]
            ax.plot(line.e_refit, line[column], style, color=color, label=name, ms=4)
        for name in ("NMF", "LocalNMF", "PCA"):
            at = levels[levels.method == name][["e_refit", column]].mean()
            ax.plot(*at, MARKERS[name], color=COLORS[name], label=name, ms=7)
    legend_outside(axes[0])

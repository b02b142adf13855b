"""What the chapter on RobustNMF draws: what becomes of blocks, and scores against λ."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from figures.curves import metric_curves
from figures.lines import axes_of, line_axes
from figures.style import COLORS
from figures.widgets import Frame, pixel_png, static_chooser
from rnmf_tutorial import RobustNMF
from rnmf_tutorial.measures import relative_error
from studies.zhang import rows_of, share_of_blocks

__all__ = [
    "BASELINES",
    "blocks_chooser",
    "blocks_figure",
    "lambda_figure",
    "return_figure",
    "walk",
]

BASELINES = ["PCA", "LSI", "raw pixels"]
#: Where a fit is looked at, and the sweeps since the stop before.
STOPS = {"30 sweeps": 30, "100 sweeps": 70, "300 sweeps": 200, "finished": 50}
TICKS = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0]


def walk(A, lam):
    """Fit RobustNMF from stop to stop; return the model at each, and the data as it gives them.

    The last stop, "finished", is passes of coordinate descent.
    """
    init = "random"
    there = {}
    for stop, more in STOPS.items():
        solver = "cd" if stop == "finished" else "mu"
        model = RobustNMF(40, lam=lam, init=init, solver=solver, max_iter=more, tol=0)
        Ht = model.set_params(random_state=0).fit_transform(A)
        init = model.components_.T, Ht.T
        there[stop] = model, model.inverse_transform(Ht)
    return there


def blocks_chooser(walked, blocked, clean, mask, shown):
    """Return a chooser of λ and stop, and a table of what becomes of the blocks at each.

    `walked` is λ → what :func:`walk` returns.
    """
    frames = []
    measured = {}
    for lam, there in walked.items():
        frames.append([])
        for stop, (model, fit) in there.items():
            S = model.error_
            row = {"back": share_of_blocks(fit, clean, mask), "S": (S != 0).mean()}
            measured[lam, stop] = row = row | {"error": relative_error(clean, fit)}
            strips = [A[shown].reshape(-1, 32, 32) for A in (blocked, fit, S / 2 + 0.5)]
            text = (
                f"{row['back']:.0%} of the blocks come back; S is not zero at {row['S']:.0%} of "
                f"the entries; error against the clean faces {row['error']:.1%}"
            )
            alt = (
                f"Seven faces with blocks, their reconstructions and error images, λ = {lam}, "
                f"{stop}: {row['back']:.0%} of the blocks come back."
            )
            frames[-1].append(
                Frame(pixel_png(np.concatenate(strips, axis=1)), alt, text)
            )
    controls = {"λ": [str(lam) for lam in walked], "stop after": list(STOPS)}
    chooser = static_chooser(frames, controls, start=(1, 2), pixelated=True)
    return chooser, pd.DataFrame(measured).T


def lambda_figure(panels, *, legend_below=False):
    """Show metrics against λ, two panels: label of the axis and title → table, metric."""
    axes = axes_of(5.0, 5.6, 2, sharex=True)
    for ax, ((ylabel, title), (rows, metric)) in zip(axes, panels.items(), strict=True):
        labels = {"xlabel": " ", "ylabel": ylabel}
        metric_curves(rows, "lam", metric, ax=ax, flat=BASELINES, **labels)
        ax.set_xscale("log")
        ax.set_xticks(TICKS, TICKS, minor=False)
        ax.minorticks_off()
        ax.set_title(title)
    handles = axes[0].get_legend_handles_labels()
    for ax in axes if legend_below else axes[1:]:
        ax.get_legend().remove()
    axes[1].set_xlabel("λ")
    if legend_below:
        below = {"loc": "outside lower center", "ncols": 4, "columnspacing": 1}
        axes[0].figure.legend(*handles, **below)
    plt.show()


def blocks_figure(blocks, ended):
    """Show accuracy and error against the side of the blocks, after 300 sweeps and at the end."""
    axes = axes_of(5.2, 5.4, 2, 2, sharex=True, sharey="row")
    for column, (fraction, rows) in zip(
        axes.T, blocks.groupby("fraction"), strict=True
    ):
        for ax, metric in zip(column, ("ac", "rre"), strict=True):
            metric_curves(rows, "block", metric, ax=ax, xlabel=" ", ylabel=" ")
            ax.get_legend().remove()
            ends = (
                rows_of(ended, fraction=fraction)
                .groupby(["method", "block"])[metric]
                .mean()
            )
            for method, line in ends.groupby("method"):
                ax.plot(line.droplevel(0), "o:", color=COLORS[method], mfc="white")
        column[0].set_title(f"{fraction:.0%} of the faces")
        column[1].set_xticks([2, 6, 10, 14])
    axes[0, 0].set_ylabel("accuracy")
    axes[1, 0].set_ylabel("relative error")
    axes[1, 0].legend(*axes[0, 0].get_legend_handles_labels(), loc="upper left")
    axes[0, 0].figure.supxlabel("side of the block in pixels", fontsize=10)
    plt.show()


def return_figure(objectives, back):
    """Show the objective, and the share of the blocks that comes back, pass by pass."""
    top, bottom = axes_of(4.6, 4.0, 2, sharex=True)
    look = {"color": COLORS["RobustNMF"]}
    plain = {"grid": False, "legend": None}
    line_axes(top, {"": (objectives, look)}, ylabel="objective", **plain)
    passes = np.arange(len(back)) + len(objectives) - len(back)
    labels = {"xlabel": "pass", "ylabel": "share that comes back"}
    line_axes(bottom, {"": (passes, back, look)}, ylim=(0, 1), **labels, **plain)
    plt.show()

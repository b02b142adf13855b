"""Figures of the gallery of damage and of the chapter on damage in pieces."""

import matplotlib.pyplot as plt
import numpy as np

from figures.panels import legend_outside, panels
from figures.style import COLORS, MARKERS


def spectra_in_pairs(truth, seen, plain, restored, some):
    """Draw some of the spectra side by side."""
    axes = panels(
        1, len(some), (5.2, 2.2), xlabel="channel", ylabels=["radiance"], yticks=[]
    )
    for ax, k in zip(axes, some, strict=True):
        ax.plot(truth[k], color="#000000", lw=3, alpha=0.25, label="true")
        ax.plot(seen[k], color="#6E6E6E", lw=1, ls=":", label="observed")
        ax.plot(plain[k], color="#0072B2", lw=1, ls="--", label="NMF")
        ax.plot(restored[k], color="#000000", lw=1, label="restored")
        ax.grid(False)
    legend_outside(axes[0], 4, "upper center")


def errors_by_damage(errors, names):
    """Draw errors in rows: a tick for each set, and a mark at the geometric mean of a method.

    Parameters
    ----------
    errors : DataFrame
        Indexed by the row and what it has several of, a column for each method.
    names : dict
        Column -> its text in the legend.
    """
    rows = list(dict.fromkeys(errors.index.get_level_values(0)))
    _, ax = plt.subplots(figsize=(6.5, 0.36 * len(rows) + 1))
    for k, (method, label) in enumerate(names.items()):
        look = {"color": COLORS[method], "ls": "none"}
        shift = 0.18 * (k - (len(names) - 1) / 2)
        for y, row in enumerate(rows):
            values = errors.loc[row, method].dropna()
            ax.plot(values, [y + shift] * len(values), "|", ms=4, alpha=0.6, **look)
            if len(values):
                mean = np.exp(np.log(values).mean())
                ax.plot(
                    mean,
                    y + shift,
                    MARKERS[method],
                    ms=6,
                    label=None if y else label,
                    **look,
                )
    ax.axvline(1, color="black", lw=0.8, ls=":")
    ticks = [1, 2, 5, 10, 20, 50]
    ax.set(
        xscale="log", xlabel="error over that of NMF with the damage marked as missing"
    )
    ax.set_xticks(ticks, ticks)
    ax.minorticks_off()
    ax.set_yticks(range(len(rows)), rows)
    ax.invert_yaxis()
    ax.grid(axis="x", alpha=0.3)
    legend_outside(ax, len(names), "upper center")

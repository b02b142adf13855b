"""Figures of the gallery of damage and of the chapter on windows."""

import matplotlib.pyplot as plt

from figures.panels import legend_outside, panels


def spectra_in_pairs(spectra, some):
    """Draw spectra: name of a curve → all spectra; each of some has axes of its own."""
    axes = panels(1, len(some), (5.2, 2.2), xlabel="channel", ylabels=["radiance"], yticks=[])
    looks = {
        "truth": {"color": "#000000", "lw": 3, "alpha": 0.25},
        "seen": {"color": "#6E6E6E", "lw": 1, "ls": ":"},
        "NMF": {"color": "#0072B2", "lw": 1, "ls": "--"},
        "restored": {"color": "#000000", "lw": 1},
    }
    for ax, k in zip(axes, some, strict=True):
        for name, look in looks.items():
            ax.plot(spectra[name][k], label=name, **look)
        ax.grid(False)
    legend_outside(axes[0], 4, "upper center")


def errors_by_limit(limits, hidden, truth):
    """Draw two errors over plain NMF's, which is the last, against the limit of a window."""
    _, ax = plt.subplots(figsize=(6.5, 2.6))
    ax.plot(hidden / hidden[-1], "o-", label="hidden windows")
    ax.plot(truth / truth[-1], "s--", label="the truth")
    ax.set_xticks(range(len(limits)), [*limits[:-1].astype(int), "none left out"])
    ax.set(xlabel="limit", ylabel="error over plain NMF's")
    ax.legend()

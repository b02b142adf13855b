"""How hard an error pulls: what the weights of each model give for a single number."""

from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import optimize, special, stats

from figures.panels import legend_outside, panels
from figures.style import COLORS
from figures.tables import html_table
from rnmf_tutorial.losses import Cauchy, Correntropy, Huber, Hypersurface

NODES, SHARES = np.polynomial.legendre.leggauss(200)


def _absolute(z):
    return 1 / np.maximum(np.abs(z), 1e-12)


#: Model → the weight of an error in units of its scale.
WEIGHTS = {
    "NMF": np.ones_like,
    "L1NMF": _absolute,
    "HuberNMF": lambda z: Huber().slope(z**2),
    "HypersurfaceNMF": lambda z: Hypersurface().slope(z**2),
    "CauchyNMF": lambda z: Cauchy().slope(z**2),
    "CIMNMF": lambda z: Correntropy().slope(z**2),
    "TruncatedCauchyNMF": lambda z: np.where(np.abs(z) <= 3, 1 / (1 + z**2), 0),
    "CappedNMF": lambda z: np.where(np.abs(z) <= 1, _absolute(z), 0),
}
#: Model → far out, breakdown of a location, of a factorization, noise.
FACTS = {
    "NMF": ("grows", "0", "1 entry", "normal"),
    "L1NMF": ("level", "½", "1 entry", "Laplace"),
    "HuberNMF": ("level", "½", "1 entry", "normal, Laplace"),
    "HypersurfaceNMF": ("level", "½", "1 entry", "hyperbolic"),
    "CauchyNMF": ("as 1/e", "½", "1 entry", "Student's t"),
    "CIMNMF": ("to 0", "½ − a", "a ceiling", "none"),
    "TruncatedCauchyNMF": ("0", "½ − a", "a ceiling", "none"),
}


def normal_mean(f, kinks=()):
    """Return the mean of an even function of a standard normal error."""
    total = 0.0
    ends = [0, *(k for k in sorted(kinks) if k < 12), 12]
    for a, b in pairwise(ends):
        e = (a + b) / 2 + (b - a) / 2 * NODES
        total += (b - a) * SHARES @ (f(e) * stats.norm.pdf(e))
    return total


def mean_pull(name, c):
    """Return E[e ψ(e)], which is E[ψ'(e)], at the scale c."""
    return normal_mean(lambda e: e * e * WEIGHTS[name](e / c), (c, 3 * c))


def efficiency(name, c):
    """Return how many data the mean needs for the precision that one has here."""
    squares = normal_mean(lambda e: (e * WEIGHTS[name](e / c)) ** 2, (c, 3 * c))
    return mean_pull(name, c) ** 2 / squares


def scale_of_efficiency(name, share=0.95):
    """Return the scale at which a model has this efficiency."""
    return optimize.brentq(lambda c: efficiency(name, c) - share, 0.5, 9)


def largest_influence(name, c):
    """Return how far a single error can move the estimate, in units of 1/n."""
    sizes = np.linspace(1e-6, 30, 300001)
    return (sizes * WEIGHTS[name](sizes / c)).max() / mean_pull(name, c)


def mean_length(m):
    """Return the mean length of m standard normal numbers."""
    return 2**0.5 * np.exp(special.gammaln((m + 1) / 2) - special.gammaln(m / 2))


def draw_pulls(scales):
    """Draw the pull of an error at the scale of each model."""
    (ax,) = panels(
        size=(5, 4.2), xlabel="error, in σ", ylabels=["pull ψ"], ylim=(0, 3.2)
    )
    e = np.linspace(0, 8, 801)[1:]
    styles = ["-", ":", "-", "--", "-", "--", "-.", ":"]
    for (name, weight), style in zip(WEIGHTS.items(), styles, strict=True):
        c = scales.get(name, 3.0)
        pull = e * weight(e / c) / (c if name in ("L1NMF", "CappedNMF") else 1)
        ax.plot(e, pull, style, color=COLORS[name], label=name, lw=1.6)
    legend_outside(ax, where="upper center")


def table_of_facts(scales):
    """Return a table of what is known of each loss, at the scale of each model."""
    rows = []
    for name, facts in FACTS.items():
        c = scales.get(name)
        bound = "∞" if name == "NMF" else f"{largest_influence(name, c or 1):.2f}"
        kept = f"{efficiency(name, c or 1):.0%}"
        short = name.removesuffix("NMF") or "squares"
        rows.append([short, f"{c:.3f}" if c else "–", kept, bound, *facts])
    m = 1024  # a whole sample has one weight
    whole = ["–", f"{mean_length(m) ** 2 / m:.2%}", f"{m / mean_length(m):.0f}"]
    rows.append(["L21", *whole, "level", "½", "1 sample", "of lengths"])
    rows.append(["Capped", *whole, "0", "½ − a", "a ceiling", "none"])
    heads = ["loss", "c/σ", "eff.", "influence", "far out", "location", "NMF", "noise"]
    return html_table(pd.DataFrame(rows, columns=heads))

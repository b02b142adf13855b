"""What the page on speed draws: benchmarks, their rows as studies keep them."""

import matplotlib.pyplot as plt
import pandas as pd

from figures.lines import axes_of, line_axes
from figures.style import COLORS, MARKERS, OTHERS

__all__ = [
    "growth_figure",
    "objectives_figure",
    "price_table",
    "solvers_figure",
    "sweeps_figure",
]

OURS = "#08519C"


def objectives_figure(race):
    """Show the seconds to one objective, of coordinate descent and of the published sweeps."""
    ax = axes_of(5, 3.6)
    for y, row in enumerate(race.itertuples()):
        ax.plot([row.took, row.reference_took], [y, y], color="0.8", lw=3)
        ax.plot(row.reference_took, y, "o", mfc="white", color="0.35", ms=7)
        ax.plot(row.took, y, "o", color=OURS, ms=7)
        ax.text(19, y, f"{1 / row.ratio:.0f} ×", va="center", ha="right")
    ax.set_yticks(range(len(race)), race.index)
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel="seconds of processor time", xlim=(0.025, 20))
    ax.set_xticks([0.03, 0.1, 0.3, 1, 3], ["0.03", "0.1", "0.3", "1", "3"])
    ax.minorticks_off()
    ax.grid(axis="x", alpha=0.3)
    plt.show()


def growth_figure(growth, names):
    """Show how the time of a sweep grows with samples, features and rank; gray: in proportion."""
    axes = axes_of(5, 4.2, 1, 3, sharey=True)
    for ax, what in zip(axes, ("samples", "features", "rank"), strict=True):
        sizes = growth[what, "NMF"].index.to_numpy()
        ax.plot(sizes, sizes / sizes[0], color="0.7", lw=6, alpha=0.6)
        lines = {}
        for name in names:
            curve = growth[what, name]
            look = {"ms": 4, "lw": 1}
            look |= {
                "marker": MARKERS.get(name, "."),
                "color": COLORS.get(name, OTHERS[0]),
            }
            lines[name] = (curve.index, curve / curve.iloc[0], look)
        ticks = {"xticks": {size: str(size) for size in sizes[:: len(sizes) - 1]}}
        ticks["yticks"] = {k: str(k) for k in (1, 2, 4, 8, 16)}
        line_axes(
            ax, lines, legend=None, xscale="log", yscale="log", xlabel=what, **ticks
        )
    axes[0].set_ylabel("times as long")
    handles = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(*handles, loc="outside lower center", ncols=2)
    plt.show()


def solvers_figure(solvers):
    """Show the objective above the best against time: a panel for each problem."""
    looks = {
        "scikit-learn mu": ("0.45", ":"),
        "scikit-learn cd": ("0.1", "--"),
        "nimfa nmf": (OTHERS[0], ":"),
        "nimfa lsnmf": (OTHERS[0], "-."),
        "HuberNMF, Nesterov": (COLORS["TruncatedCauchyNMF"], "--"),
        "RobustNMF": (COLORS["RobustNMF"], "-."),
        "reweighting": ("0.45", ":"),
    }
    axes = axes_of(5, 6.6, 3)
    for ax, (problem, runs) in zip(
        axes, solvers.groupby("problem_name", sort=False), strict=True
    ):
        best = runs.groupby("seed").objective.transform("min")
        runs = runs.assign(gap=(runs.objective - best) / best)
        for (solver, seed), curve in runs.groupby(["solver", "seed"], sort=False):
            curve = curve[(curve.took > 0) & (curve.gap > 0)]
            color, style = looks.get(solver) or (COLORS[solver], "-")
            label = solver.replace(", ", ",\n") if seed == runs.seed.min() else None
            ax.plot(curve.took, curve.gap, style, color=color, lw=1.2, label=label)
        ax.set(xscale="log", yscale="log", ylim=(1e-3, 3))
        ax.set_title(problem, loc="left")
        ax.grid(alpha=0.3)
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    axes[1].set_ylabel("objective above the best")
    axes[-1].set_xlabel("seconds")
    plt.show()


def sweeps_figure(total, ours, memory):
    """Show the milliseconds of a sweep of each program, and the arrays that our fits take."""
    left, right = axes_of(5, 6.8, 1, 2, sharey=True)
    for place, (name, value) in enumerate(total.sort_values().items()):
        color = OURS if name in ours else "0.45"
        left.plot(value, place, "o", color=color, ms=5)
        left.text(value * 1.25, place, f"{value:.1f}", va="center")
        if name in memory:
            right.plot(memory[name], place, "o", color=color, ms=5)
    left.set_yticks(range(len(total)), total.sort_values().index)
    left.invert_yaxis()
    left.set(xscale="log", xlabel="milliseconds", xlim=(1, 500))
    left.set_xticks([1, 10, 100], ["1", "10", "100"])
    left.minorticks_off()
    right.set(xlabel="arrays", xlim=(-0.2, 4.4), xticks=range(5))
    left.grid(alpha=0.3)
    right.grid(alpha=0.3)
    plt.show()


def price_table(rows, title, value, digits):
    """Return seconds, gigabytes and what was found, least and most of the draws of each fit."""

    def span(values, digits):
        ends = f"{values.min():.{digits}f}", f"{values.max():.{digits}f}"
        return " to ".join(dict.fromkeys(ends))

    return pd.DataFrame(
        {
            title: name,
            "seconds": span(fit.took, 1),
            "GB": span(fit.gigabytes, 2),
            value: span(fit.value, digits),
        }
        for name, fit in rows.groupby("name", sort=False)
    )

"""What the pages on speed draw: races of solvers, benchmarks, rates."""

import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.base import clone

from figures.lines import axes_of, line_axes
from figures.style import COLORS, MARKERS, OTHERS

__all__ = [
    "growth_figure",
    "objectives_figure",
    "passes_figure",
    "passes_needed",
    "price_table",
    "race",
    "race_figure",
    "rates_figure",
    "solvers_figure",
    "sweeps_figure",
]

OURS = "#08519C"
PERCENT = {0.1: "0.1 %", 1: "1 %", 10: "10 %", 100: "100 %"}


def race(model, A, sweeps, passes):
    """Fit a model by its published update and by coordinate descent, from one start.

    Returns
    -------
    runs : list of (seconds, objectives)
        Of both, from the start point on.
    passed : int
        The pass after which coordinate descent is as low as the last published sweep.
    """
    runs = []
    for solver, most in (("mu", sweeps), ("cd", passes)):
        clock, fit = [], clone(model).set_params(solver=solver, max_iter=most, tol=0)
        fit.set_params(callback=lambda *_, clock=clock: clock.append(time.process_time()))
        fit.fit(A)
        runs.append((np.array(clock) - clock[0], fit.objective_history_))
    return runs, int(np.flatnonzero(runs[1][1] <= runs[0][1][-1])[0])


def race_figure(races, names, *, by_time=True, size=(5, 2.5), top=200):
    """Show races as :func:`race` runs them, one panel each, above the lowest value reached."""
    axes = axes_of(*size, 1, len(names), sharey=True)
    for name, ax in zip(names, axes, strict=True):
        runs, passed = races[name]
        best = min(values.min() for _, values in runs)
        for (seconds, values), style in zip(runs, ("--", "-"), strict=True):
            x = seconds if by_time else np.arange(len(values))
            gap = np.maximum(100 * (values / best - 1), 1e-3)
            ax.plot(x, gap, style, color=COLORS[name], lw=1.6)
        ax.plot(x[passed], gap[passed], "o", color=COLORS[name])
        kind = {"xlabel": "seconds"} if by_time else {"xscale": "symlog"}
        ax.set(yscale="log", **kind, ylim=(0.05, top), title=name)
        if not by_time:
            ax.set_xticks([0, 10, 300], ["0", "10", "300"])
        ax.set_yticks(list(PERCENT), PERCENT.values())
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("above the best")
    if not by_time:
        axes[1].set_xlabel("sweeps, passes")
    plt.show()


def passes_needed(model, A, sweeps=200, most=1500):
    """Return the pass after which coordinate descent is as low as after so many published sweeps.

    Examples
    --------
    >>> from rnmf_tutorial import NMF
    >>> A = np.random.default_rng(0).random((20, 9))
    >>> passes_needed(NMF(2, random_state=0), A, sweeps=50) < 50
    True
    """
    model = clone(model).set_params(solver="mu", max_iter=sweeps, tol=0)
    goal = model.fit(A).objective_history_[-1]
    model.set_params(solver="cd", max_iter=most)
    model.set_params(callback=lambda k, W, H, point: point.loss.value(point) <= goal)
    return model.fit(A).n_iter_


def passes_figure(passes):
    """Show the passes that models need, at several scales: a table with a column for each model."""
    ax = axes_of(5, 2.6)
    for name, style in zip(passes, ("o--", "s-"), strict=True):
        ax.plot(passes.index, passes[name], style, color=COLORS[name], label=name)
    ax.axhline(200, color="0.5", lw=1, ls=":")
    scales = {scale: str(scale) for scale in passes.index}
    ticks = {"xticks": scales, "yticks": {10: "10", 100: "100", 1000: "1000"}}
    line_axes(ax, {}, xscale="log", yscale="log", grid=False, **ticks)
    ax.set(xlabel="scale", ylabel="passes")
    plt.show()


def rates_figure(paths, ends, rates):
    """Show how far each sweep is from the end, and the line of the rate that was computed.

    All three go by the name of the method; the line goes through the first distance below 1e-6.
    """
    axes = axes_of(5.6, 2.8, 1, len(paths))
    for ax, (name, path) in zip(axes, paths.items(), strict=True):
        far = np.linalg.norm(path - ends[name], axis=1)
        first, last = np.flatnonzero((far < 1e-6) & (far > 1e-11))[[0, -1]]
        k = np.arange(last + 1)
        line = far[first] * rates[name] ** (k - first)
        lines = {"distance": (k, far[k], {"color": COLORS["NMF"], "lw": 2})}
        lines["computed"] = (k, line, "--", {"color": "black", "lw": 1.2})
        place = "best" if ax is axes[0] else None
        settings = {"title": name, "xlabel": "sweeps", "ylim": (1e-11, 20), "yscale": "log"}
        line_axes(ax, lines, legend=place, **settings)
    axes[0].set_ylabel("distance to the end")
    plt.show()


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
            curve, look = growth[what, name], {"ms": 4, "lw": 1}
            look |= {"marker": MARKERS.get(name, "."), "color": COLORS.get(name, OTHERS[0])}
            lines[name] = (curve.index, curve / curve.iloc[0], look)
        ticks = {"xticks": {size: str(size) for size in sizes[:: len(sizes) - 1]}}
        ticks["yticks"] = {k: str(k) for k in (1, 2, 4, 8, 16)}
        line_axes(ax, lines, legend=None, xscale="log", yscale="log", xlabel=what, **ticks)
    axes[0].set_ylabel("times as long")
    handles = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(*handles, loc="outside lower center", ncols=2)
    plt.show()


def solvers_figure(solvers):
    """Show the objective above the best against time: a panel for each problem."""
    looks = {
        "NMF": (COLORS["NMF"], "-"),
        "NeNMF": (COLORS["NeNMF"], "-"),
        "scikit-learn mu": ("0.45", ":"),
        "scikit-learn cd": ("0.1", "--"),
        "nimfa nmf": (OTHERS[0], ":"),
        "nimfa lsnmf": (OTHERS[0], "-."),
        "HuberNMF": (COLORS["HuberNMF"], "-"),
        "HuberNMF, Nesterov": (COLORS["TruncatedCauchyNMF"], "--"),
        "RobustNMF": (COLORS["RobustNMF"], "-."),
        "L1NMF": (COLORS["L1NMF"], "-"),
        "reweighting": ("0.45", ":"),
    }
    axes = axes_of(5, 6.6, 3)
    for ax, (problem, runs) in zip(axes, solvers.groupby("problem_name", sort=False), strict=True):
        best = runs.groupby("seed").objective.transform("min")
        runs = runs.assign(gap=(runs.objective - best) / best)
        for (solver, seed), curve in runs.groupby(["solver", "seed"], sort=False):
            curve = curve[(curve.took > 0) & (curve.gap > 0)]
            color, style = looks[solver]
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
        ends = (f"{end:.{digits}f}" for end in (values.min(), values.max()))
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

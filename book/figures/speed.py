"""What the pages on fast solvers draw: races from one start, passes, rates."""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

from figures.lines import axes_of, line_axes
from figures.style import COLORS

__all__ = ["passes_figure", "passes_needed", "race", "race_figure", "rates_figure"]

PERCENT = {0.1: "0.1%", 1: "1%", 10: "10%", 100: "100%"}


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
        seconds = []
        objectives = []
        fit = clone(model).set_params(solver=solver, max_iter=most, tol=0)
        for sweep in fit.sweeps(A):
            seconds.append(time.process_time())
            objectives.append(sweep.objective)
        runs.append((np.array(seconds) - seconds[0], np.array(objectives)))
    (_, published), (_, descent) = runs
    return runs, int(np.flatnonzero(descent <= published[-1])[0])


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
    for sweep in model.set_params(solver="cd", max_iter=most).sweeps(A):
        if sweep.objective <= goal:
            break
    return sweep.number


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

    All three go by the name of the method; the line goes through the first distance
    below 1e-6.
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
        settings = {
            "title": name,
            "xlabel": "sweeps",
            "ylim": (1e-11, 20),
            "yscale": "log",
        }
        line_axes(ax, lines, legend=place, **settings)
    axes[0].set_ylabel("distance to the end")
    plt.show()

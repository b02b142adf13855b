"""Figures of the chapter on supervised NMF, and of its page of printed numbers."""

import matplotlib.pyplot as plt
import numpy as np

from figures.images import face_grid
from figures.panels import legend_outside, mean_curves, panels
from figures.style import COLORS, MARKERS
from figures.widgets import frame_picture


def coefficients_frame(H, y, title):
    """Draw the coefficients of the first five persons, each row to its maximum, as a picture."""
    H, y = H[:, y < 5], y[y < 5]
    figure, ax = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
    rows = H / np.maximum(H.max(axis=1), 1e-12)[:, None]
    ax.imshow(rows, aspect="auto", cmap="cividis", interpolation="nearest")
    for border in np.flatnonzero(np.diff(y)) + 0.5:
        ax.axvline(border, color="white", linewidth=2)
    ax.set(xlabel="photograph", ylabel="component", title=title)
    return frame_picture(figure, colors=32)


def titled_faces(rows, title):
    """Return a figure of rows of faces with 32×32 pixels, under a title."""
    figure = face_grid(
        {name: A.reshape(-1, 32, 32) for name, A in rows.items()}, width=5.2
    )
    figure.suptitle(title, fontsize=10)
    return figure


def sizes_of_factors(rows):
    """Draw the size of H and the share of the graph over the sweeps, for four weights of it."""
    names = ["size of H / size of W", "graph term / objective"]
    axes = panels(2, 1, (5.0, 4.6), ylabels=names, xscale="log", yscale="log")
    looks = ("0.4", "-"), (COLORS["CSNMF"], "--"), ("#000000", "-."), ("#8C564B", ":")
    for (lam, runs), (color, line) in zip(rows.groupby("lam"), looks, strict=True):
        for seed, run in runs.groupby("seed"):
            label = f"λ = {lam:g}" if seed == 0 else None
            axes[0].plot(run.sweep, run["size"], line, color=color, label=label)
            if lam:
                axes[1].plot(run.sweep, run.graph / run.objective, line, color=color)
    for ax in axes:
        ax.set_xlabel("sweep")
    axes[0].legend()


def accuracy_by_rank(rows, raw, sets):
    """Draw accuracy against the rank, three sets with three sizes; raw pixels are level."""
    axes = panels(
        3, 3, (5.2, 6.8), sharey="row", xlabel="r", ylabels=["accuracy", "", ""] * 3
    )
    looks = {name: (COLORS[name], MARKERS[name], "-") for name in rows.method.unique()}
    looks["CSNMF, [0, 1]"] = ("#000000", "*", "-")
    parts = {key: part for key, part in rows.groupby(["data", "n_train"])}
    places = sorted(parts, key=lambda key: ([*sets].index(key[0]), key[1]))
    for ax, (data, size) in zip(axes, places, strict=True):
        part, (mean, sd) = parts[data, size], raw[data, size].agg(["mean", "std"])
        mean_curves(
            ax, part, "r", "both_pinv", looks=looks, markersize=3, linewidth=1.2
        )
        ax.axhline(mean, color="0.3", ls="--", label="raw pixels")
        ax.axhspan(mean - sd, mean + sd, color="0.5", alpha=0.15, linewidth=0)
        ax.set_title(f"{sets[data]}, {size} images")
    legend_outside(axes[0], 3)


def solid_and_dotted(axes, rows, sets, x, solid, dotted):
    """Draw two measures of each method, a set of data on each of the axes."""
    for ax, data in zip(axes, sets, strict=True):
        part = rows[rows.data == data]
        mean_curves(ax, part, x, solid, markersize=4)
        mean_curves(ax, part, x, dotted, markersize=4, linestyle=":", label=None)
        ax.set_title(sets[data])
    legend_outside(axes[0], rows.method.nunique())


def accuracy_by_lam(rows, sets):
    """Draw accuracy against the weight of the graph: with the H of the fit, and projected."""
    share = {"sharex": True, "sharey": True}
    axes = panels(
        1, 3, (5.2, 3), **share, xlabel="λ", ylabels=["accuracy"], xscale="log"
    )
    rows = rows.assign(lam=rows.lam.clip(lower=1e-6))
    solid_and_dotted(axes, rows, sets, "lam", "fit_pinv", "both_pinv")
    for ax in axes:
        ax.axvline(1e-5, color="0.6", linewidth=0.8)


def accuracy_with_unit_columns(rows, sets):
    """Draw accuracy against the weight of the graph, with columns of length one and without."""
    share = {"sharex": True, "sharey": True, "xscale": "log"}
    axes = panels(1, len(sets), (5.2, 3.4), **share, xlabel="λ", ylabels=["accuracy"])
    rows = rows.assign(lam=rows.lam.clip(lower=1e-7))
    solid_and_dotted(axes, rows, sets, "lam", "fixed", "free")


def accuracy_by_wrong_labels(rows, sets):
    """Draw accuracy against the share of wrong labels: of the graph alone, and of both."""
    label = "share of wrong labels"
    axes = panels(1, 2, (5.2, 3.2), sharey=True, xlabel=label, ylabels=["accuracy"])
    solid_and_dotted(axes, rows, sets, "fraction", "right", "same")


def gains(tables, effects, sets):
    """Draw effects with two standard errors, filled by the first table, open by the second."""
    (ax,) = panels(size=(5.2, 4.2), xlabel="gain in accuracy")
    looks = ("#0072B2", "o", 0.25), ("#674034", "s", 0), ("#009E73", "D", -0.25)
    for table, filled in zip(tables, (True, False), strict=True):
        for k, effect in enumerate(effects):
            for data, (color, marker, place) in zip(sets, looks, strict=True):
                mean, sem = table.loc[data, effect]
                look = {
                    "color": color,
                    "mfc": color if filled else "white",
                    "fmt": marker,
                }
                label = sets[data] if k == 0 and filled else None
                height = -k + place + (0.05 if filled else -0.05)
                ax.errorbar(mean, height, xerr=2 * sem, label=label, **look)
    ax.axvline(0, color="0.4", lw=0.8)
    ax.set_yticks([-k for k in range(len(effects))], effects)
    ax.grid(False, axis="y")
    legend_outside(ax, 3)


def accuracy_under_damage(kinds, sets):
    """Draw accuracy against the level of damage: what the level is → its rows; a set a row."""
    axes = panels(2, 2, (5.2, 5.4), sharey="row", ylabels=["accuracy"] * 4)
    places = [(data, label) for data in sets for label in kinds]
    for ax, (data, label) in zip(axes, places, strict=True):
        rows = kinds[label][kinds[label].data == data]
        mean_curves(ax, rows, "level", "fit_pinv", band=True)
        ax.set_xlabel(label)
        ax.set_title(sets[data], loc="left")
    legend_outside(axes[0])


def averages_explained(fits):
    """Draw how many of 24 averages each number of runs explains, all 24 dark."""
    axes = panels(
        2, 1, (5.2, 4.2), sharex=True, xlabel="runs", titles=fits, ylim=(0, 26)
    )
    for ax, (_, count) in zip(axes, fits.items(), strict=True):
        ax.bar(
            count.index, count, color=["#5E5E5E" if n == 24 else "0.6" for n in count]
        )
        ax.axhline(24, color="0.4", lw=0.8, ls="--")
        ax.set(ylabel="explained", yticks=[0, 12, 24])
        ax.grid(False)
    axes[-1].set_xticks([1, 10, 20, 30, 40])


def parabolas(loss, touching, dot, circle):
    """Draw a loss and two parabolas that touch it at a dot; a circle at the vertex of one."""
    (ax,) = panels(
        size=(5.2, 3.3), xlabel="reconstruction u", ylabels=["loss"], ylim=(-0.35, 1.35)
    )
    u = np.linspace(0.2, 2.4, 400)
    ax.plot(u, loss(u), color="k", label="loss J")
    looks = ("--", COLORS["CIMNMF"]), (":", COLORS["NMF"])
    for (label, parabola), (line, color) in zip(touching.items(), looks, strict=True):
        ax.plot(u, parabola(u), line, color=color, label=label)
    ax.plot(dot, loss(dot), "ko")
    ax.plot(circle, loss(circle), "o", mfc="white", color="k")
    legend_outside(ax)


def contours_of(distance):
    """Draw lines of equal distance from zero in the plane."""
    (ax,) = panels(size=(4.4, 3.9), xlabel="$x_1$", ylabels=["$x_2$"], aspect="equal")
    axis = np.linspace(-4, 4, 201)
    points = np.stack(np.meshgrid(axis, axis), axis=-1)
    levels = [0.2, 0.4, 0.55, 0.65, 0.7, 0.74, 0.8, 0.9]
    values = distance(points, np.zeros(2))
    lines = ax.contour(axis, axis, values, levels=levels, colors="0.2", linewidths=1)
    ax.clabel(lines, fontsize=10)
    ax.grid(False)

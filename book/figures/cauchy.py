"""The figures of the chapter on truncated Cauchy NMF and of the page on its theory."""

import matplotlib.pyplot as plt
import numpy as np

from figures.images import face_grid
from figures.lines import axes_of
from figures.panels import legend_outside
from figures.style import COLORS, OTHERS
from figures.widgets import frame_picture, static_slider

TRUNCATED = COLORS["TruncatedCauchyNMF"]
LINES = {"NMF": "--", "L1NMF": ":", "TruncatedCauchyNMF": "-"}


def show(ax, columns=2, place="upper"):
    """Show a figure with a legend, outside, of what is drawn in one of its axes."""
    legend_outside(ax, columns, f"{place} center")
    plt.show()


# ------------------------------------------------------------------- points on a line


def _line(ax, points, spoiled, slopes):
    """Draw the points and the directions; return the end of each."""
    good = np.ones(len(points), bool)
    good[spoiled] = False
    ax.plot(*points[good].T, ".", color="0.55", ms=4, label="on the line")
    ax.plot(*points[spoiled].T, "x", color="0.2", ms=4, label="spoiled")
    ends = {name: (min(46, 11 / s), s * min(46, 11 / s)) for name, s in slopes.items()}
    for name, (x, y) in ends.items():
        ax.plot([0, x], [0, y], LINES[name], color=COLORS[name], label=name)
    ax.set(xlim=(0, 46), ylim=(0, 11), xlabel="x", ylabel="y")
    return ends


def draw_line(points, spoiled, slopes):
    """Draw points, those of them that are spoiled, and the directions that methods find."""
    ax = axes_of(5.2, 2.9)
    for name, end in _line(ax, points, spoiled, slopes).items():
        text = name.replace("Cauchy", "\nCauchy")
        style = {"color": COLORS[name], "va": "center"}
        ax.annotate(text, end, (5, 0), textcoords="offset points", **style)
    plt.show()


def line_slider(stops, slopes, *, start):
    """Return a slider over the numbers of spoiled points.

    A stop has the points, which are spoiled, the slopes that methods find, and below
    them each method's objective at all `slopes`, by name.
    """
    frames = []
    alts = []
    for count, (points, spoiled, found, profiles) in stops.items():
        axes = axes_of(5.2, 4.2, 2)
        _line(axes[0], points, spoiled, found)
        for name, values in profiles.items():
            style = {"ls": LINES[name], "color": COLORS[name]}
            axes[1].semilogx(slopes, values / values.max(), **style)
        axes[1].axvline(0.2, color="0.7", lw=1)
        axes[1].set(xlabel="slope", ylabel="objective / largest", ylim=(0, 1.05))
        axes[0].figure.legend(loc="outside upper center", ncols=3, columnspacing=1)
        frames.append(frame_picture(axes[0].figure, colors=24))
        said = ", ".join(f"{name} {s:.2f}" for name, s in found.items())
        alts.append(f"{count} of 180 points spoiled. Slopes found: {said}")
    return static_slider(
        frames, list(stops), description="spoiled", alts=alts, start=start
    )


def draw_recovered(shares):
    """Draw how often the line is found: one row per method, one column per number of points."""
    looks = {
        "no rejection": ("p-", COLORS["CauchyNMF"]),
        "mad": ("^-.", OTHERS[1]),
        "three-sigma": ("s--", OTHERS[0]),
        "mixture": ("o-", TRUNCATED),
        "L1NMF": ("D:", "0.5"),
        "NMF": ("d:", "0.5"),
    }
    ax = axes_of(5.2, 3.4)
    for name, (look, color) in looks.items():
        ax.plot(100 * shares.loc[name], look, color=color, label=name)
    ax.set(xlabel="spoiled points", ylabel="fits that find the line (%)")
    ax.set_xticks(shares.columns)
    show(ax, 3)


# -------------------------------------------------------- the loss, scale and threshold


def loss_slider(*, scales=(1.0,), thresholds=(5.0,), start):
    """Return a slider over scales, or over thresholds, of an error's loss and pull."""
    scale = scales[0]
    cut = f"{thresholds[0]:g}"
    if len(scales) > 1:
        name = f"γ (ε = {cut})"
        values = scales
        said = (
            f"scale {{0}} and threshold {cut}: the pull is largest at {{0}} "
            f"and zero beyond {cut}."
        )
    else:
        name = f"ε (γ = {scale:g})"
        values = thresholds
        said = (
            f"scale {scale:g} and threshold {{0}}: flat loss and no pull beyond {{0}}."
        )
    frames = [
        _loss_frame(scale, threshold) for scale in scales for threshold in thresholds
    ]
    alts = [f"Loss and pull with {said}".format(value) for value in values]
    return static_slider(frames, values, description=name, alts=alts, start=start)


def _loss_frame(scale, threshold):
    e = np.linspace(-8, 8, 1601)
    loss = np.log1p(e**2 / scale**2)
    pull = 2 * e / (scale**2 + e**2)
    cut = np.log1p(np.minimum(e**2, threshold**2) / scale**2)
    axes = axes_of(5.2, 3.3, 2, sharex=True)
    for label, *curves, style, color, width in (
        ("square", e**2, 2 * e, "--", COLORS["NMF"], 1.5),
        ("absolute value", np.abs(e), np.sign(e), ":", COLORS["L1NMF"], 1.5),
        ("Cauchy", loss, pull, "-.", COLORS["CauchyNMF"], 1.5),
        (
            "truncated",
            cut,
            np.where(np.abs(e) > threshold, 0, pull),
            "-",
            TRUNCATED,
            2.5,
        ),
    ):
        for ax, values in zip(axes, curves, strict=True):
            ax.plot(e, values, style, color=color, lw=width)
        axes[0].lines[-1].set_label(label)
    axes[0].set(ylim=(0, 10), ylabel="loss")
    axes[1].set(ylim=(-5, 5), xlabel="error e", ylabel="pull")
    axes[0].figure.legend(loc="outside upper center", ncols=4, columnspacing=1)
    return frame_picture(axes[0].figure, colors=24)


def draw_collapse(paths):
    """Draw errors and scales over the sweeps: name -> those as published, and with the default."""
    axes = axes_of(5.2, 4.8, 2, sharex=True)
    for (name, pair), marker in zip(paths.items(), "os^D", strict=True):
        for path, line, label in zip(pair, ("-", ":"), (name, None), strict=True):
            for ax, values in zip(axes, path, strict=True):
                style = {"color": COLORS[name], "marker": marker, "ms": 4, "lw": 1.3}
                at = [k for k in (0, 3, 9, 30, 99) if k < len(values)]
                x = 1 + np.arange(len(values))
                ax.plot(x, values, line, markevery=at, label=label, **style)
    for ax, what in zip(axes, ("error", "scale"), strict=True):
        ax.set(xscale="log", yscale="log", ylabel=what)
        ax.grid(alpha=0.3)
    axes[0].plot([], [], "k:", lw=1.3, label="scale=None")
    axes[1].set(xlabel="sweep (1 is the start)")
    show(axes[0])


def draw_thresholds(shares, curves, gross):
    """Draw scale and thresholds, curves by name, against the share of gross errors."""
    ax = axes_of(5.2, 3)
    looks = [("-", COLORS["CauchyNMF"]), ("--", OTHERS[0]), (":", OTHERS[1])]
    places = {"γ (Nagy)": (60, -40), "three-sigma": (50, 4), "mad": (38, 4)}
    for (label, values), (line, color) in zip(curves.items(), looks, strict=True):
        ax.plot(shares, values, line, color=color, lw=2)
        k, up = places[label]
        place = {"xytext": (-4, up), "textcoords": "offset points", "ha": "right"}
        ax.annotate(label, (shares[k], min(values[k], 14)), color=color, **place)
    ax.axhline(gross, color="0.4", lw=1)
    ax.text(0.01, gross + 0.6, "gross errors")
    ax.set(ylim=(0, 16), xlabel="share p of gross errors", ylabel="in units of s")
    plt.show()


# ------------------------------------------------------------------- faces


def weights_slider(spoiled, fits, faces, shape, *, start):
    """Return a slider over the sweeps of fits to faces with blocks and to disguised ones.

    All are by the name of the damage: the data; for each sweep the weights, the fit and
    the shares of spoiled and of other pixels without weight; and which faces to show.
    """
    frames = []
    alts = []
    stops = list(next(iter(fits.values())))
    for stop in stops:
        rows = {"data": [], "weights": [], "W H": []}
        shares = []
        for name, who in faces.items():
            Q, fit, share, _ = fits[name][stop]
            for row, images in zip(rows.values(), (spoiled[name], Q, fit), strict=True):
                row.extend(images[who].reshape(-1, *shape))
            shares.append(share)
        frames.append(frame_picture(face_grid(rows, width=5.2), colors=32))
        alts.append(
            f"Sweep {stop}, MAD rule: three faces with blocks and three with disguises, their "
            f"weights and their reconstructions. {shares[0]:.0%} of the block pixels and "
            f"{shares[1]:.0%} of the disguised pixels have weight zero."
        )
    return static_slider(frames, stops, description="sweep", alts=alts, start=start)


# --------------------------------------------------------------- the bound of Theorem 1


def draw_bounds(printed, repaired, trivial, cap, *, measured):
    """Draw bounds against the number of faces: readings of the printed one, and one that holds.

    Each has its level that holds without it. `measured` is the number of faces and the
    difference of one fit.
    """
    count, (brown, blue) = np.geomspace(100, 1e10, 200), (OTHERS[0], COLORS["NMF"])
    curves = np.array([bound(count) for bound in printed])
    ax = axes_of(5.2, 3.6)
    style = {"color": brown, "alpha": 0.35, "lw": 0, "label": "Theorem 1, Guan (3)"}
    ax.fill_between(count, curves.min(axis=0), curves.max(axis=0), **style)
    ax.axhline(trivial, ls="--", color=brown, label="α²/γ²")
    ax.loglog(count, repaired(count), color=blue, label="theorem of this page")
    ax.axhline(cap, ls="--", color=blue, label="m ln(1 + σ)")
    ax.plot(*measured, "o", color="0.1", label="measured")
    ax.set(xlabel="number of faces n", ylabel="largest difference")
    ax.grid(alpha=0.3)
    show(ax)

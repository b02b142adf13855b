"""The figures of the page on the experiments of truncated Cauchy NMF.

Rows are those that `studies.guan` stores: one per draw, with the kind and the level of
the noise.
"""

import matplotlib.pyplot as plt

from figures.cauchy import show
from figures.lines import axes_of
from figures.style import COLORS, MARKERS, OTHERS
from figures.widgets import frame_picture, static_slider

#: What the page calls the rules for outliers and the methods.
RULES = {
    "none": "no rejection",
    "three-sigma": "three-sigma",
    "literal": "three-sigma, for H alone",
    "mad": "MAD",
    "mixture": "mixture",
    "published code": "no rejection, γ = 0.1",
    "mixture, fixed scale": "mixture, γ = 0.1",
}
SHORT = {
    "pixels": "k-means",
    "NeNMF": "L2",
    "L21NMF": "L2,1",
    "RobustNMF": "RNMF-L1",
    "L1NMF": "L1",
    "HuberNMF": "Huber",
    "CauchyNMF": "Cauchy",
    "CIMNMF": "CIM",
    "TruncatedCauchyNMF": "Truncated Cauchy",
}
LEVEL = {
    "Laplace": "deviation δ (gray levels)",
    "salt & pepper": "corrupted pixels p (%)",
    "blocks": "side of the block b",
}
LOOKS = {  # color, marker, line
    "none": (COLORS["CauchyNMF"], "p", "-"),
    "three-sigma": (OTHERS[0], "s", "--"),
    "mad": (OTHERS[1], "^", "-."),
    "mixture": (COLORS["TruncatedCauchyNMF"], "o", "-"),
    "published code": (OTHERS[2], "h", ":"),
}
READINGS = {
    "none": ("#0072B2", "o", "-"),
    "three-sigma": ("#9C3781", "s", "-"),
    "none, γ = 0.1": ("#56B4E9", "^", "--"),
    "three-sigma, γ = 0.1": ("#CC79A7", "v", "--"),
}


def _band(ax, mean, sd, look, alpha=0.15, label=None):
    """Draw means as percentages, and a band of one standard deviation."""
    mean, sd, (color, marker, line) = 100 * mean, 100 * sd, look
    ax.plot(mean, color=color, marker=marker, ls=line, label=label)
    ax.fill_between(mean.index, mean - sd, mean + sd, color=color, alpha=alpha, lw=0)
    ax.grid(alpha=0.3)


def _rules(ax, rows, column, names):
    for name in names:
        part = rows[rows.rule == name].groupby("level")[column]
        _band(ax, part.mean(), part.std(), LOOKS[name], label=RULES[name])


def _printed(ax, printed, kind, metric, method="TruncatedCauchyNMF"):
    row = printed.query("kind == @kind and metric == @metric and method == @method")
    gray = {"mfc": "none", "mec": "0.35", "mew": 1.6}
    ax.plot(row.level, 100 * row.printed, "D", ms=8, label="printed", **gray)


def draw_rules(rules, names, printed=None):
    """Draw errors under salt and pepper and accuracies under blocks, for some rules."""
    axes = axes_of(5.2, 3.3, 1, 2)
    tables = (
        ("salt & pepper", "rre", "relative error (%)"),
        ("blocks", "ac", "accuracy (%)"),
    )
    for ax, (kind, metric, label) in zip(axes, tables, strict=True):
        rows = rules[rules.kind == kind]
        _rules(ax, rows, metric, names)
        ax.set(xlabel=LEVEL[kind], ylabel=label)
        if printed is not None:
            _printed(ax, printed, kind, metric)
    axes[1].set_xticks(sorted(rows.level.unique())[::2])
    show(axes[0])


def draw_beside_printed(readings, methods, metric, printed, *, height):
    """Draw methods beside what is printed; a row per reading: its label, kind of noise and rows."""
    shape = len(readings), len(methods)
    axes = axes_of(5.2, height, *shape, sharey="row", squeeze=False)
    for row, (label, kind, rows) in zip(axes, readings, strict=True):
        rows = rows[rows.kind == kind]
        for ax, method in zip(row, methods, strict=True):
            part = rows[rows.method == method].groupby("level")[metric]
            _band(ax, part.mean(), part.std(), (COLORS[method], ".", "-"), alpha=0.2)
            _printed(ax, printed, kind, metric, method)
            if kind == "blocks":
                ax.set_xticks(sorted(rows.level.unique())[::3])
        row[0].set_ylabel(label)
    for ax, method in zip(axes[0], methods, strict=True):
        ax.set_title(SHORT[method].replace("uncated", "."))
    for k in {0, len(axes) - 1}:
        axes[k, 1].set_xlabel(LEVEL[readings[k][1]])
    plt.show()


def draw_clusters(panels):
    """Draw accuracies: title, kind of noise, rows of the competitors, those of rules, names."""
    axes = axes_of(5.2, 4.2, 1, 3, sharey=True)
    for ax, (title, kind, rows, rules, names) in zip(axes, panels, strict=True):
        rows = rows[rows.kind == kind]
        rules = rules[rules.kind == kind]
        for method in [name for name in SHORT if name in set(rows.method)]:
            mean = 100 * rows[rows.method == method].groupby("level").ac.mean()
            style = {}
            if method in ("L1NMF", "CIMNMF"):
                style = {"color": COLORS[method], "marker": MARKERS[method], "ls": ":"}
                style |= {"label": SHORT[method]}
            ax.plot(mean, **{"color": "0.75", "zorder": 2 if style else 1} | style)
        ax.plot([], [], color="0.75", label="the other methods")
        _rules(ax, rules, "ac", names)
        ax.set(title=title, xlabel=LEVEL[kind].split(" (")[0])
    axes[0].set_ylabel("accuracy (%)")
    show(axes[2], 3, "lower")


def draw_stops(passes, printed):
    """Draw mean and deviation of the accuracy by level and passes, and the printed one."""
    ax = axes_of(5.2, 3)
    for b, marker, color in zip(
        (16, 18, 20), "os^", [COLORS["NMF"], *OTHERS[:2]], strict=True
    ):
        part = passes.loc[b]
        _band(ax, part["mean"], part["std"], (color, marker, "-"), label=f"b = {b}")
        ax.plot(120, 100 * printed[b], "D", mfc="none", mec=color, mew=1.6)
    ax.set(xscale="log", xlabel="passes", ylabel="accuracy (%)")
    ax.set_xticks([5, 10, 20, 30, 100], ["5", "10", "20", "30", "100"])
    ax.minorticks_off()
    show(ax, 3)


def draw_readings(rows, printed, noises):
    """Draw error (Table III) or accuracy (Table IV) against the passes, beside what is printed."""
    axes = axes_of(5, 10, len(noises))
    for ax, noise in zip(axes, noises, strict=True):
        metric, label = (
            ("ac", "accuracy") if "blocks" in noise else ("rre", "relative error")
        )
        part = (
            100 * rows[rows.noise == noise].groupby(["reading", "sweep"])[metric].mean()
        )
        for reading, (color, marker, line) in READINGS.items():
            style = {
                "color": color,
                "marker": marker,
                "linestyle": line,
                "markersize": 4,
            }
            ax.plot(part[reading], label=reading, **style)
        (value,) = printed[
            (printed.noise == noise) & (printed.metric == metric)
        ].printed
        ax.axhline(100 * value, color="0.3", linestyle=":", label="printed")
        ax.set(xscale="log", xlabel="passes", title=noise, ylabel=f"{label} (%)")
        ax.grid(alpha=0.3)
    show(axes[0])


def draw_rejected(rules):
    """Draw the share of the entries that rules reject, and the share that was corrupted."""
    axes = axes_of(5.2, 3.2, 1, 2)
    for ax, kind in zip(axes, ("salt & pepper", "blocks"), strict=True):
        rows = rules[rules.kind == kind]
        _rules(ax, rows, "rejected", ["three-sigma", "mad", "mixture"])
        levels = rows.level.drop_duplicates().sort_values()
        share = levels if kind == "salt & pepper" else 100 * levels**2 / 1024
        ax.plot(levels, share, ":", color="0.3", label="corrupted")
        ax.set_xlabel(LEVEL[kind])
    axes[0].set_ylabel("entries rejected (%)")
    axes[1].set_xticks(levels[::2])
    show(axes[1])


def rules_slider(fits, clean, faces, *, start):
    """Return a slider over noises: some faces, by rule their fits and weights.

    A noise has the data, and for each rule the fit, the weights and the accuracy.
    """
    frames = []
    alts = []
    for noise, (A, found) in fits.items():
        axes = axes_of(5.2, 4.7, 2 * len(faces), 1 + len(found))
        columns = {"corrupted,\nclean\nbelow": (A, clean, "gray")}
        for rule, (fit, Q, accuracy) in found.items():
            columns[f"{rule.replace(' ', chr(10), 1)}\n{accuracy:.0%}"] = (
                fit,
                Q,
                "cividis",
            )
        for column, (title, (above, below, colors)) in zip(
            axes.T, columns.items(), strict=True
        ):
            column[0].set_title(title)
            for k, face in enumerate(faces):
                for ax, images, cmap in (
                    (column[2 * k], above, "gray"),
                    (column[2 * k + 1], below, colors),
                ):
                    ax.imshow(images[face].reshape(32, 32), cmap=cmap, vmin=0, vmax=1)
                    ax.set_axis_off()
        frames.append(frame_picture(axes[0, 0].figure, colors=32))
        said = ", ".join(
            f"{rule} {accuracy:.0%}" for rule, (*_, accuracy) in found.items()
        )
        alts.append(
            f"Two faces under {noise}, four rules with their weights. Accuracy: {said}"
        )
    return static_slider(
        frames, list(fits), description="noise", alts=alts, start=start
    )


def draw_odds(errors):
    """Draw errors as percentages against the odds of the mixture rule, a column per level."""
    ax = axes_of(5.2, 2.8)
    for level, marker in zip(errors, "os^", strict=True):
        ax.plot(errors[level], marker=marker)
        end = (errors.index[-1], errors[level].iloc[-1])
        ax.annotate(f"p = {level}%", end, (8, -3), textcoords="offset points")
    ax.set(xscale="log", xlabel="odds from which an entry is rejected")
    ax.set_ylabel("relative error (%)")
    ax.grid(alpha=0.3)
    plt.show()


def draw_starts(starts):
    """Draw the accuracy under large blocks by rule: name of the start, rows."""
    axes = axes_of(5.2, 3.4, 1, len(starts), sharey=True)
    for ax, (title, rows) in zip(axes, starts.items(), strict=True):
        rows = rows[(rows.kind == "blocks") & (rows.level >= 16)]
        _rules(ax, rows, "ac", ["none", "three-sigma", "mad", "mixture"])
        ax.set(title=title, xlabel=LEVEL["blocks"])
    axes[0].set_ylabel("accuracy (%)")
    show(axes[1])


def draw_breakdown(rows):
    """Draw the median error of each loss against the share of bad entries."""
    axes = axes_of(5.2, 5.4, 2, sharex=True)
    losses = ["NeNMF", "HypersurfaceNMF", "RobustNMF", "L1NMF", "HuberNMF", "CIMNMF"]
    cauchy = ["CauchyNMF", "published code", "three-sigma", "mad", "mixture"]
    for ax, title, methods in zip(
        axes, ("other losses", "the Cauchy loss"), (losses, cauchy), strict=True
    ):
        for method, marker in zip(methods, "doXH<>", strict=False):
            rule = "none" if method == "CauchyNMF" else method
            color, marker, line = LOOKS.get(rule) or (COLORS[method], marker, ":")
            style = {"color": color, "marker": marker, "ls": line}
            label = RULES.get(rule, SHORT.get(method, "hypersurface"))
            median = rows[rows.method == method].groupby("p").rre.median()
            ax.plot(median.clip(lower=1e-3), label=label, **style)
        ax.set(yscale="log", title=title, ylabel="relative error")
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
        ax.grid(alpha=0.3)
    axes[1].set_xlabel("share p of bad entries")
    plt.show()


def draw_people(rows):
    """Draw accuracies against the number of people; what is not named is gray."""
    ax = axes_of(5.2, 3.4)
    looks = (
        {"CIMNMF": (COLORS["CIMNMF"], MARKERS["CIMNMF"], ":")}
        | LOOKS
        | {"mixture": None}
    )
    names = RULES | {"CIMNMF": "CIM", "NeNMF": "the other methods"}
    for method in (
        "NeNMF",
        "L1NMF",
        "HuberNMF",
        "CIMNMF",
        "none",
        "three-sigma",
        "mad",
        "mixture",
    ):
        color, marker, line = looks.get(method) or ("0.7", "", "-")
        label = names[method] if marker or method == "NeNMF" else None
        mean = 100 * rows[rows.method == method].groupby("people").ac.mean()
        ax.plot(mean, color=color, marker=marker, ls=line, label=label)
    ax.set(xlabel="people", ylabel="accuracy (%)")
    ax.grid(alpha=0.3)
    show(ax, 3)

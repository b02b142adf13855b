"""Figures of the chapter that compares L2, L1 and L2,1."""

import numpy as np

from figures.panels import legend_outside, mean_curves, panels, picture_rows
from figures.style import COLORS, MARKERS


def one_of_each(rows, clean, shape, **options):
    """Draw a face as data, each reconstruction, and clean: label → number, data, reconstructions.

    `options` are those of :func:`figures.panels.picture_rows`.
    """
    pictures = {}
    for label, (k, A, rebuilt) in rows.items():
        columns = {"data": A, **rebuilt, "clean": clean}
        pictures[label] = {name: R[k] for name, R in columns.items()}
    return picture_rows(pictures, shape, **options)


def weights_of_samples(under_pixels, under_images, stranger):
    """Draw the weights of the samples under two kinds of noise; the strangers are samples."""
    under_images = under_images / under_images.mean()
    groups = {
        "a quarter of all pixels": {"all images": under_pixels / under_pixels.mean()},
        "three images in ten": {
            "faces": under_images[~stranger],
            "replaced images": under_images[stranger],
        },
    }
    axes = panels(2, 1, (4.6, 4), sharex=True, titles=groups, ylabels=["images"] * 2)
    looks = {"color": COLORS["L21NMF"]}, {"color": "0.3", "hatch": "//"}
    for ax, parts in zip(axes, groups.values(), strict=True):
        for (label, values), look in zip(parts.items(), looks, strict=False):
            ax.hist(values, np.linspace(0, 2.5, 51), label=label, **look)
        ax.grid(False)
        ax.legend()
    axes[-1].set_xlabel("weight / mean weight")


def lam_of_shen(rows):
    """Draw error and accuracy against λ under two kinds of noise, and the paper's λ."""
    names = ["relative error", "accuracy"]
    axes = panels(
        2, 1, (4.6, 4.6), sharex=True, xlabel="λ", ylabels=names, xscale="log"
    )
    looks = {"salt and pepper": (COLORS["L1RobustNMF"], "P", "-")}
    looks["Gaussian noise"] = ("0.3", "d", "-")
    kinds = rows.assign(kind=np.where(rows.noise.str.contains("salt"), *looks))
    for ax, metric in zip(axes, ("rre", "ac"), strict=True):
        mean_curves(ax, kinds, "lam", metric, hue="kind", looks=looks, band=True)
        ax.axvline(0.04, color="0.5", linestyle=":")
        ax.text(0.045, 0.5, "the paper", transform=ax.get_xaxis_transform())
    legend_outside(axes[0])


def starts_of_nmf(rows):
    """Draw error and accuracy of NMF over the sweeps from three kinds of start."""
    names = ["relative error", "accuracy"]
    axes = panels(
        2, 1, (4.8, 5), sharex=True, xlabel="sweep", ylabels=names, xscale="log"
    )
    looks = {
        "random": (COLORS["NMF"], "s", "-"),
        "NNDSVD": (COLORS["NMF from NNDSVD"], "D", "--"),
        "NNDSVDa": ("0.3", "o", ":"),
    }
    for ax, metric in zip(axes, ("rre", "ac"), strict=True):
        mean_curves(ax, rows, "sweep", metric, hue="init", looks=looks, band=True)
    axes[0].set_ylim(0.13, 0.4)
    axes[0].legend()


def gaps_by_noise(gaps):
    """Draw how far L2 is behind under each kind of noise: printed, by start, by loss."""
    (ax,) = panels(size=(5.2, 3.6), xlabel="error of L2 − error of the rival")
    looks = {
        "printed": ("D", "0.3", "printed gap"),
        "start": ("s", COLORS["NMF"], "the start alone"),
        "loss": ("X", COLORS["L21NMF"], "the loss alone"),
    }
    for name, (marker, color, label) in looks.items():
        mean = gaps[name].groupby("noise", sort=False).mean()
        ax.plot(mean, mean.index, marker, color=color, label=label, ms=8)
    ax.axvline(0, color="0.6", lw=1)
    ax.invert_yaxis()
    legend_outside(ax, 3, columnspacing=1)


def marks_against_print(sets):
    """Draw our errors against printed ones: title → printed, ours, and ours once more, hollow."""
    axes = panels(2, 1, (4.4, 7), titles=sets, ylabels=["our error"] * 2)
    marks = {"NMF from NNDSVD": "D", "L21NMF": "X", "L1RobustNMF": "P"}
    for ax, (printed, *measured) in zip(axes, sets.values(), strict=True):
        for fill, ours in zip(("full", "none"), measured, strict=False):
            means = ours.groupby("noise").mean().reindex(printed.index)
            for method, marker in marks.items():
                label = method if fill == "full" else None
                look = {
                    "color": COLORS[method],
                    "fillstyle": fill,
                    "ms": 8,
                    "label": label,
                }
                ax.plot(printed[method], means[method], marker, **look)
        ends = [printed.min().min(), printed.max().max()]
        ax.plot(ends, ends, ":", color="0.5")
        ax.set_xlabel("printed error")
    axes[0].legend()


def breakdown(rows):
    """Draw accuracy and error against the share of replaced pixels."""
    label = "share p of replaced pixels"
    names = ["accuracy", "relative error"]
    axes = panels(2, 1, (4.8, 5.4), sharex=True, xlabel=label, ylabels=names)
    rows = rows[rows.method.isin(["NMF", "L21NMF", "RobustNMF", "CauchyNMF"])]
    for ax, metric in zip(axes, ("ac", "rre"), strict=True):
        mean_curves(ax, rows, "p", metric, band=True)
        ax.axvline(0.4, color="0.5", linestyle=":")
    axes[1].legend()


def salt_and_pepper_surface(rows, names):
    """Draw accuracy and error against the share of salt, a line for each share of pixels.

    `names` are the methods of the columns and their titles.
    """
    blank = [""] * (len(names) - 1)
    axes = panels(
        2,
        len(names),
        (5.2, 5.2),
        sharex=True,
        sharey="row",
        xlabel="share of salt",
        ylabels=["accuracy", *blank, "relative error", *blank],
        titles=names.values(),
    )
    shades = {0.2: ("#0072B2", "o", "-"), 0.4: ("#674034", "s", "--")}
    shades[0.8] = ("#000000", "D", ":")
    rows = rows.assign(share=rows.p.map("p = {:g}".format))
    looks = {f"p = {p:g}": look for p, look in shades.items()}
    places = [(metric, method) for metric in ("ac", "rre") for method in names]
    for ax, (metric, method) in zip(axes, places, strict=True):
        part = rows[rows.method == method]
        mean_curves(ax, part, "s_vs_p", metric, hue="share", looks=looks, band=True)
    legend_outside(axes[0], len(looks))


def strangers(rows):
    """Draw the error on the remaining faces against the share of replaced images."""
    label = "share of images replaced by noise"
    name = "relative error on the faces"
    (ax,) = panels(xlabel=label, ylabels=[name])
    mean_curves(ax, rows, "fraction", "rre", band=True)
    ax.legend()


def costs_of_a_sweep(seconds):
    """Draw the cost of a sweep of each model, in sweeps of NMF, on a logarithmic axis."""
    (ax,) = panels(
        xlabel="sweeps of NMF in the same time", xscale="log", xlim=(0.8, 200)
    )
    for place, (name, cost) in enumerate(seconds.items()):
        cost /= seconds["NMF"]
        ax.plot(cost, place, MARKERS[name], color=COLORS[name], ms=8)
        ax.annotate(
            f"{cost:.1f}",
            (cost, place),
            (8, 0),
            va="center",
            textcoords="offset points",
        )
    ax.set_yticks(range(len(seconds)), [*seconds])
    ax.grid(False, axis="y")
    ax.invert_yaxis()


def times_by_pixels(pixels, times):
    """Draw seconds per sweep against the number of pixels, each curve with its name."""
    (ax,) = panels(size=(4.8, 3.2), xlabel="pixels", ylabels=["milliseconds per sweep"])
    looks = {"as printed": ("0.2", "d")}
    looks["three lines"] = COLORS["L1RobustNMF"], MARKERS["L1RobustNMF"]
    for name, seconds in times.items():
        color, marker = looks.get(name, (COLORS[name], MARKERS[name]))
        ax.loglog(pixels, 1e3 * np.array(seconds), color=color, marker=marker)
        end = pixels[-1], 1e3 * seconds[-1]
        ax.annotate(name, end, (8, 0), va="center", textcoords="offset points")
    ax.set(xlim=(50, 3000))
    ax.set_xticks(pixels, [str(number) for number in pixels])
    ax.minorticks_off()

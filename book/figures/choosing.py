"""The figures of the pages on choosing a model, and what these call damage and models."""

import matplotlib.pyplot as plt
import numpy as np

from figures.lines import axes_of
from figures.panels import legend_outside
from figures.style import COLORS, MARKERS, OTHERS
from figures.widgets import Frame, frame_picture, static_chooser

#: Damage, as the studies name it -> what the pages say.
DAMAGE = {
    "none 0": "nothing",
    "Gaussian 0.1": "noise",
    "Gaussian 0.3": "much noise",
    "Laplace 0.2": "heavy tails",
    "salt & pepper 10": "10% entries",
    "salt & pepper 30": "30% entries",
    "salt & pepper 50": "50% entries",
    "block 14": "a block each",
    "strangers 20": "20% rows",
}
TO_TABLES = {
    "none 0": "nothing",
    "tenfold 3": "3% tenfold",
    "zeros 10": "10% lost, as 0",
    "salt & pepper 10": "10% as 0 or large",
    "strangers 10": "10% rows of noise",
}
IN_PIECES = {
    "none 0": "nothing",
    "white 14": "white blocks, 14%",
    "white 25": "white blocks, 25%",
    "black 14": "black blocks, 14%",
    "pieces 14": "pieces of others, 14%",
    "salt & pepper 10": "scattered, 10%",
}
TO_FACES = {
    "none 0": "clean",
    "Gaussian 0.3": "strong Gaussian",
    "Laplace 0.2": "Laplace noise",
    "salt & pepper 30": "30% salt & pepper",
    "blocks 12": "12×12 block each",
    "disguises 50": "50% disguised",
    "strangers 30": "30% no faces",
}
#: The models of the page on faces, by family; and those that its figures show.
FAMILIES = {
    "not robust": ["NMF", "NMF (KL)", "NeNMF"],
    "one weight per image": ["L21NMF", "CappedNMF"],
    "absolute value": [
        "RobustNMF",
        "L1RobustNMF",
        "HuberNMF",
        "HypersurfaceNMF",
        "L1NMF",
    ],
    "redescending": ["CauchyNMF", "CIMNMF", "CIMNMF, adaptive"],
    "truncated": [
        f"TruncatedCauchyNMF{rule}"
        for rule in ("", ", no rule", ", mixture", ", mixture, fixed")
    ],
}
NOT_SHOWN = [
    *("NMF (KL)", "HypersurfaceNMF", "L1NMF", "CIMNMF"),
    *("TruncatedCauchyNMF, no rule", "TruncatedCauchyNMF, mixture, fixed"),
]
FAMILY_OF = {model: family for family, models in FAMILIES.items() for model in models}
SHORTLIST = [model for model in FAMILY_OF if model not in NOT_SHOWN]
LOOKS = {  # color, marker, sign
    "not robust": (COLORS["NMF"], "s", "■"),
    "one weight per image": (COLORS["L21NMF"], "X", "✖"),
    "absolute value": (COLORS["RobustNMF"], "o", "●"),
    "redescending": (COLORS["CIMNMF"], ">", "▶"),
    "truncated": (COLORS["TruncatedCauchyNMF"], "8", "⬣"),
}
LINES = {
    "NMF": "NMF",
    "RobustNMF": "RobustNMF",
    "TruncatedCauchyNMF": "truncated,\npublished",
    "TruncatedCauchyNMF, mixture": "truncated,\nmixture",
}


# ------------------------------------------------------------------- tables of colors


def _color_table(shades, texts, dark, columns, rows, *, height, fontsize=9.4, **image):
    """Draw a table of numbers, white where it is dark; return its axes."""
    ax = axes_of(5, height)
    ax.imshow(shades, aspect="auto", **image)
    style = {"ha": "center", "va": "center", "fontsize": fontsize}
    for (i, j), text in np.ndenumerate(texts):
        ax.text(j, i, text, color="white" if dark[i, j] else "black", **style)
    ax.set_xticks(range(len(columns)), columns, rotation=75, ha="left")
    ax.xaxis.tick_top()
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def _frame(ax, places, lw):
    """Frame a row in each column."""
    for j, i in enumerate(places):
        ax.add_patch(plt.Rectangle((j - 0.47, i - 0.46), 0.94, 0.92, fill=False, lw=lw))


def _ratio_table(ratios, columns, rows, limit, dark, height):
    values = ratios.to_numpy()
    texts = np.vectorize(lambda x: f"{x:.2f}".lstrip("0").replace("1.00", "1"))(values)
    shades = np.log(values)
    colors = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit}
    return _color_table(
        shades, texts, abs(shades) > dark, columns, rows, height=height, **colors
    )


def draw_answer(ratios):
    """Draw errors over those of NMF, a row per damage, as a table of blue and red."""
    columns = [DAMAGE[name] for name in ratios.index]
    _ratio_table(ratios.T, columns, ratios.columns, 0.9, 0.6, 5.2)
    plt.show()


def _shown(table):
    """Return the models and the damage that the page on faces shows, and short names."""
    table = table.loc[list(TO_FACES), SHORTLIST].T
    names = table.index.str.replace(", mixture", ", mix")
    return table, names.str.replace("TruncatedCauchy", "Truncated")


def draw_ratios(ratios):
    """Draw the same of models on faces, by family, the lowest of each column in a frame."""
    table, names = _shown(ratios)
    ax = _ratio_table(table, TO_FACES.values(), names, 0.75, 0.525, 4.2)
    _frame(ax, table.to_numpy().argmin(axis=0), 1.6)
    families = [FAMILY_OF[model] for model in table.index]
    for k in range(1, len(table)):
        if families[k] != families[k - 1]:
            ax.axhline(k - 0.5, color="black", lw=0.8)
    plt.show()


def draw_codes(percent):
    """Draw how often codes find the person, the highest of each column in a frame."""
    table, names = _shown(percent)
    values = table.to_numpy()
    texts = np.vectorize("{:.0f}".format)(values)
    colors = {"cmap": "cividis", "vmin": 0, "vmax": 100, "height": 4.2, "fontsize": 10}
    ax = _color_table(values, texts, values <= 50, TO_FACES.values(), names, **colors)
    _frame(ax, values.argmax(axis=0), 1.8)
    plt.show()


# ------------------------------------------------------------------- dots


def _dots(kinds, dots, ticks, *, height, level, line, xlabel):
    """Draw values, indexed by damage first, in rows: values, shift, marker, color, fill, label."""
    ax = axes_of(5, height)
    rows = list(kinds)
    for values, shift, marker, color, fill, label in dots:
        places = [rows.index(kind) + shift for kind in values.index.get_level_values(0)]
        ax.plot(values, places, marker, ms=4, color=color, mfc=fill, label=label)
    ax.axvline(level, color="black", lw=0.8, ls=line)
    ax.set(xscale="log", xlabel=xlabel)
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_yticks(range(len(rows)), kinds.values())
    ax.invert_yaxis()
    ax.grid(axis="x", alpha=0.3)
    return ax


def draw_advice(advised, found, best):
    """Draw errors over the lowest: of the advised class and of the search, by damage."""
    dots = [
        (advised, -0.15, "o", COLORS["RobustNMF"], "none", "the advised class"),
        (found, 0.15, "s", "black", "none", "the search"),
    ]
    kinds = {kind: f"{word}: {best[kind]}" for kind, word in DAMAGE.items()}
    words = {"xlabel": "error over that of the best class"}
    ax = _dots(
        kinds, dots, [0.3, 1, 2, 5, 20, 50], height=4.6, level=1.05, line=":", **words
    )
    legend_outside(ax, 2, "upper center")
    plt.show()


def draw_regret(regret):
    """Draw errors of the search and of two classes over the lowest of all models, by damage."""
    looks = {"search": "black", "RobustNMF": COLORS["RobustNMF"], "NMF": COLORS["NMF"]}
    shifts = zip(looks.items(), "os^", (-0.25, 0, 0.25), strict=True)
    dots = [
        (regret[name], by, sign, color, "none", name)
        for (name, color), sign, by in shifts
    ]
    words = {"xlabel": "error over that of the best model"}
    ax = _dots(
        TO_TABLES, dots, [0.1, 1, 2, 5, 20, 100], height=4.4, level=1, line="-", **words
    )
    legend_outside(ax, 3, "upper center")
    plt.show()


def _draws(ax, table, models):
    """Draw each model's draws as ticks and their mean as the mark of its family, in rows."""
    for y, model in enumerate(models):
        color, marker, _ = LOOKS[FAMILY_OF[model]]
        ax.plot(table[model], [y] * len(table), "|", color=color, ms=7)
        ax.plot(table[model].mean(), y, marker, color=color, ms=6)
    ax.set_yticks(range(len(models)), models)
    ax.grid(alpha=0.3)


def draw_price(percent):
    """Draw how much larger the errors are than those of NMF, a row per draw."""
    models = percent[SHORTLIST[1:]].mean().sort_values(ascending=False).index
    ax = axes_of(5, 3)
    _draws(ax, percent, models)
    for y, model in enumerate(models):
        place = {"xytext": (8, -3), "textcoords": "offset points"}
        ax.annotate(
            f"{percent[model].mean():+.0f}%", (percent[model].max(), y), **place
        )
    ax.set(xlabel="error above that of plain NMF [%]", xlim=(-8, 140))
    ax.axvline(0, color=COLORS["NMF"], lw=0.8)
    plt.show()


def ranking_slider(error, faces, *, start):
    """Return a slider over the damage: some spoiled faces, and the models, the best on top."""
    signs = " &emsp; ".join(
        f"{sign}&nbsp;{name.replace(' ', '&nbsp;')}"
        for name, (*_, sign) in LOOKS.items()
    )
    frames = [
        _ranking(error.loc[kind], kind, faces[kind], f"<p>{signs}</p>")
        for kind in TO_FACES
    ]
    stops = {"corruption": list(TO_FACES.values())}
    return static_chooser(frames, stops, start=[list(TO_FACES).index(start)])


def _ranking(table, kind, faces, signs):
    e = table.mean()
    models = e[SHORTLIST].sort_values(ascending=False).index
    top, ax = axes_of(5, 4, 2, height_ratios=[1, 4])
    tones = np.round(7 * np.hstack(faces).clip(0, 1)) / 7  # few colors: a small file
    top.imshow(tones, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    top.set_axis_off()
    _draws(ax, table, models)
    ax.axvline(e["NMF"], color=COLORS["NMF"], lw=0.8)
    ax.set(xlabel="error against the clean faces", xscale="log", xlim=(0.11, 0.56))
    ax.set_xticks([0.12, 0.2, 0.3, 0.5], ["0.12", "0.2", "0.3", "0.5"])
    ax.minorticks_off()
    worst, *_, second, best = models
    alt = (
        f"{kind}: best {best} with error {e[best]:.3f}, then {second}; NMF {e['NMF']:.3f}; "
        f"worst {worst} {e[worst]:.3f}."
    )
    return Frame(frame_picture(ax.figure, colors=18), alt, signs)


# ------------------------------------------------------------------- curves


def _look(model):
    name = model.split(",")[0]
    look = {"color": COLORS[name], "marker": MARKERS[name]}
    return look | ({"ls": ":", "marker": "x"} if model == "TruncatedCauchyNMF" else {})


def draw_levels(error):
    """Draw the error of four models as there is more salt and pepper, and as blocks grow."""
    axes = axes_of(5.2, 3.2, 1, 2, sharey=True)
    panels = [
        ("salt & pepper", [0, 10, 30, 50], "salt & pepper [%]"),
        ("blocks", [0, 8, 12, 16], "side of the block [pixels]"),
    ]
    for ax, (kind, levels, label) in zip(axes, panels, strict=True):
        for model in LINES:
            at = [error.loc[f"{kind} {x}" if x else "none 0", model] for x in levels]
            ax.errorbar(
                levels, [e.mean() for e in at], [e.std() for e in at], **_look(model)
            )
        ax.set(xlabel=label, xticks=levels)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("relative error")
    at = error.loc["blocks 16"].mean()
    shift = {"NMF": 0.02, "RobustNMF": -0.02}
    for model, word in LINES.items():
        style = {"color": _look(model)["color"], "va": "center", "fontsize": 9}
        axes[1].text(16.6, at[model] + shift.get(model, 0), word, **style)
    axes[1].set_xlim(-0.8, 26)
    plt.show()


def draw_times(curves):
    """Draw the error of four models against the seconds, by damage, model and sweep."""
    axes = axes_of(5, 6.6, 3, sharex=True)
    panels = {
        "none 0": "clean",
        "salt & pepper 30": "30% salt & pepper",
        "blocks 12": "12×12 blocks",
    }
    for ax, (kind, title) in zip(axes, panels.items(), strict=True):
        for model in LINES:
            curve = curves.loc[kind].loc[model][1:]
            ax.plot(curve.cpu, curve.rre, markevery=2, ms=4, lw=1.2, **_look(model))
        ax.axvline(2, color="black", lw=0.6)
        ax.set(xscale="log", xlim=(0.02, 45), ylim=(0.1, 0.43))
        ax.set_title(title, loc="left")
        ax.grid(alpha=0.3)
    axes[-1].set_xlabel("processor time [s]")
    axes[1].set_ylabel("relative error")
    for (model, word), y in zip(
        LINES.items(), (0.112, 0.142, 0.255, 0.185), strict=True
    ):
        style = {"color": _look(model)["color"], "va": "center", "fontsize": 9}
        axes[0].text(2.4, y, word.replace("\n", " "), **style)
    plt.show()


def draw_parameters(tuned):
    """Draw errors over NMF's against a parameter: its name, errors (damage × value), what is kept.

    One panel for each of six models, by name.
    """
    axes = axes_of(5, 7.6, 3, 2, sharey=True)
    tones = [
        "#4D4D4D",
        "#0072B2",
        "#56B4E9",
        "#A88B76",
        "#10523F",
        "#9C3781",
        "#DDCC77",
    ]
    for ax, (model, (name, errors, kept)) in zip(axes.flat, tuned.items(), strict=True):
        for (kind, row), marker, tone in zip(
            errors.iterrows(), "osDv^PX", tones, strict=True
        ):
            style = {"marker": marker, "ms": 4, "lw": 1.2, "color": tone}
            ax.plot(row, label=kind.replace("none 0", "none"), **style)
        ax.axvline(kept, color="black", lw=0.8, ls="--")
        ax.axhline(1, color="black", lw=0.6)
        ax.set(xscale="log", xlabel=name, yscale="log")
        ends = [errors.columns.min(), errors.columns.max()]
        ax.set_xticks(ends, [f"{v:g}" for v in ends])
        ax.set_yticks([0.6, 0.8, 1, 1.5, 2], ["0.6", "0.8", "1", "1.5", "2"])
        ax.minorticks_off()
        ax.set_title(model.replace("TruncatedCauchyNMF", "TruncatedCauchy"))
        ax.grid(alpha=0.3)
    legend_outside(ax, 2)
    ax.figure.supylabel("error in units of NMF's", fontsize=10)
    plt.show()


# ------------------------------------------------------------------ what a fit has done


def draw_pictures(pictures, size, *, rows=1, **image):
    """Draw pictures by name."""
    axes = np.ravel(axes_of(*size, rows, len(pictures) // rows))
    for ax, (name, picture) in zip(axes, pictures.items(), strict=True):
        ax.imshow(picture, cmap="cividis", **image)
        ax.set_title(name)
        ax.set_axis_off()
    plt.show()


def draw_ranks(curve):
    """Draw how much larger the mean error on hidden cells is than at the best rank."""
    ax = axes_of(4.6, 1.6)
    ax.errorbar(curve.index, curve["behind"], curve["error"], marker="o")
    ax.set(xlabel="rank", ylabel="error, in medians", xticks=curve.index)
    plt.show()


def draw_suspects(table, cells, beyond=5):
    """Draw the residuals of all cells of a data frame, and a frame around the suspect ones.

    `cells` is what `suspects` lists with ``beyond=0``; in gray cells nothing was
    measured.
    """
    residuals = cells.pivot(index="sample", columns="feature", values="residual")
    residuals = residuals.reindex(index=table.index, columns=table.columns)
    ax = axes_of(5, 6.4)
    most = 2 * beyond
    ax.set_facecolor("0.75")
    image = ax.imshow(residuals, aspect="auto", cmap="RdBu_r", vmin=-most, vmax=most)
    for i, j in np.argwhere(residuals.abs().to_numpy() > beyond):
        ax.add_patch(plt.Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, lw=1.1))
    ax.set_xticks(range(len(table.columns)), table.columns, rotation=90, fontsize=8)
    rows = range(0, len(table), -(-len(table) // 12))
    ax.set_yticks(rows, table.index[:: rows.step])
    ax.figure.colorbar(
        image, label="residual, in robust deviations", extend="both", shrink=0.6
    )
    plt.show()


def draw_residuals(sizes, scale):
    """Draw how many residuals have which size, and the scale of the fit."""
    ax = axes_of(5.2, 2.8)
    low = np.quantile(sizes, 0.001)
    ax.hist(sizes, np.geomspace(low, sizes.max(), 60), color="#56B4E9")
    ax.axvline(scale, color="k", ls="--", label="scale of the fit")
    ax.set(xscale="log", xlabel="size of the residual", ylabel="entries")
    ax.legend()
    plt.show()


def draw_looks(shares, planted):
    """Draw the share of low weights in each picture, and what became of planted errors."""
    axes = axes_of(5, 2.4, 1, 2)
    axes[1].plot(planted["value"], planted["restored"], ".", color="#0072B2")
    axes[1].plot([0, 1], [0, 1], color="k", lw=0.8)
    axes[1].set(xlabel="original value", ylabel="restored value")
    axes[0].plot(100 * shares, ".", color="#6E6E6E", ms=3)
    axes[0].set(xlabel="picture", ylabel="pixels of low weight [%]", ylim=(0, 10))
    plt.show()


def draw_scales(scales, true, size, square):
    """Draw the error at each scale and two measures of held-out errors, each over its top."""
    curves = {
        "error to the clean houses": (true, "o-", "#000000"),
        "held-out pixels, mean absolute error": (size, "s--", OTHERS[0]),
        "held-out pixels, mean squared error": (square, "^:", COLORS["NMF"]),
    }
    ax = axes_of(5, 3.2)
    for label, (values, style, color) in curves.items():
        ax.plot(
            scales,
            np.divide(values, max(values)),
            style,
            color=color,
            label=label,
            ms=4,
        )
    ax.set(
        xscale="log",
        xlabel="scale c",
        ylabel="error, divided by\nthe largest of its curve",
        ylim=(0, 1.05),
    )
    ax.set_xticks(scales, [f"{scale:g}" for scale in scales])
    ax.minorticks_off()
    ax.set_yticks([0, 0.5, 1])
    legend_outside(ax, 1, "upper center")
    ax.grid(alpha=0.3)
    plt.show()

"""What the chapter on plain NMF draws: parts, a slider for the rank, starts."""

import matplotlib.pyplot as plt
import numpy as np

from figures.fits import rebuilt
from figures.images import face_grid
from figures.lines import axes_of
from figures.style import COLORS, OTHERS
from figures.widgets import frame_picture, static_slider
from rnmf_tutorial import NMF
from rnmf_tutorial.measures import relative_error

__all__ = ["parts_figure", "rank_slider", "starts_figure"]


def parts_figure(models, **options):
    """Show the first six parts of fitted models, each over its largest absolute value."""
    rows = {label: model.components_[:6] for label, model in models.items()}
    rows = {
        label: B / np.abs(B).max(axis=1, keepdims=True) for label, B in rows.items()
    }
    face_grid({label: B.reshape(-1, 32, 32) for label, B in rows.items()}, **options)
    plt.show()


def rank_slider(faces, ranks, shown=(0, 55, 110, 165, 220, 330)):
    """Return a slider of six faces rebuilt at several ranks, and the relative error at each."""
    errors = []
    frames = []
    for rank in ranks:
        model = NMF(rank, solver="cd", random_state=0, max_iter=100, tol=0)
        fit = rebuilt(model, faces.data)
        errors.append(relative_error(faces.data, fit))
        rows = {"faces": faces.images[list(shown)]}
        rows["rebuilt"] = fit[list(shown)].reshape(-1, 32, 32)
        frames.append(frame_picture(face_grid(rows, width=5.2), colors=32))
    values = [
        f"{rank} (error {error:.0%})" for rank, error in zip(ranks, errors, strict=True)
    ]
    alt = "Six faces above, the same faces rebuilt from {} parts below."
    alts = [alt.format(rank) for rank in ranks]
    return static_slider(
        frames, values, description="rank r", alts=alts, start=3
    ), errors


def starts_figure(fits):
    """Show the objectives of fits from four starts, by name; the first sweeps have most room."""
    ax = axes_of(4.6, 3.2)
    colors = (COLORS["NMF"], OTHERS[0], "0.2", OTHERS[1])
    styles = ("-", "--", ":", "-.")
    for (name, fit), color, style in zip(fits.items(), colors, styles, strict=True):
        ax.plot(fit.objective_history_, style, color=color, label=name)
    ax.set(yscale="log", xlabel="sweep", ylabel="objective")
    ax.set_xscale("symlog", linthresh=1)
    ax.set_xlim(0, 300)
    ax.grid(alpha=0.3)
    ax.legend()
    plt.show()

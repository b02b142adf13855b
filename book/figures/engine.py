"""What the chapter on the engine draws: losses and their weights, their two forms, a chooser."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from figures.fits import rebuilt
from figures.lines import axes_of, line_plot
from figures.style import COLORS
from figures.widgets import Frame, pixel_png, static_chooser
from rnmf_tutorial import models, published
from rnmf_tutorial.data import add_blocks, add_laplace, add_salt_and_pepper
from rnmf_tutorial.measures import relative_error
from studies.faces import strangers

__all__ = [
    "LOSSES",
    "loss_chooser",
    "losses_and_weights",
    "two_forms",
    "two_surrogates",
]

#: The robust losses of the chooser.
LOSSES = ["HuberNMF", "L21NMF", "CauchyNMF", "CIMNMF"]
#: Its corruptions: what spoils the faces, at which levels, and what is said of a level.
CORRUPTIONS = {
    "salt and pepper": (
        add_salt_and_pepper,
        [0.05, 0.2, 0.4, 0.6],
        "{:.0%} of all pixels",
    ),
    "Laplace noise": (add_laplace, [0.05, 0.15, 0.3, 0.6], "of scale {}"),
    "white blocks": (add_blocks, [6, 10, 14, 18], "of {0} × {0} pixels"),
    "replaced images": (strangers, [0.05, 0.1, 0.2, 0.4], "{:.0%} of the faces"),
}
SIDE = (32, 32)


def losses_and_weights():
    """Show four losses of one error and their weights, all with scale 1."""
    left, right = axes_of(5.4, 2.6, 1, 2)
    e = np.linspace(-5, 5, 1001)
    for name, style, word, *places in (
        ("NMF", "-", "squares", (-1.1, 7.2), (2.4, 0.92)),
        ("HuberNMF", "--", "Huber", (3.3, 4.9), (2.6, 0.45)),
        ("CauchyNMF", "-.", "Cauchy", (2.7, 3.5), (2.8, 0.16)),
        ("CIMNMF", ":", "CIM", (3.1, 1.3), (-0.75, 0.1)),
    ):
        phi = getattr(getattr(models, name), "phi", None)
        q = np.ones_like(e) if phi is None else phi.slope(e**2)
        value = e**2 if phi is None else phi.value(e**2, q)
        for ax, y, place in zip((left, right), (value, q), places, strict=True):
            ax.plot(e, y, color=COLORS[name], ls=style, lw=2)
            ax.text(*place, word, color=COLORS[name], fontsize=9)
    left.set(ylim=(0, 8), title="loss", xlabel="error e")
    right.set(ylim=(0, 1.05), title="weight", xlabel="error e")
    plt.show()


def loss_chooser(people: np.ndarray):
    """Return a chooser of loss, corruption and level, and the errors at all its stops.

    The errors are a table: a row for each corruption and level, a column for each loss
    and for plain NMF.
    """
    frames = {name: [] for name in LOSSES}
    errors = {}
    for kind, (spoil, levels, said) in CORRUPTIONS.items():
        for name in LOSSES:
            frames[name].append([])
        for level in levels:
            A, judged, shown = spoiled(people, spoil, level)
            errors[kind, level] = error = {}
            for name in ("NMF", *LOSSES):
                model = getattr(published.guan, name)(
                    12, max_iter=80, tol=0, random_state=0
                )
                fit = rebuilt(model, A)
                error[name] = relative_error(people[judged], fit[judged])
                if name == "NMF":
                    plain = fit
                    continue
                q = np.broadcast_to(model.weights_.reshape(len(A), -1), A.shape)
                images = [
                    A[shown],
                    q[shown] / q.max(),
                    fit[shown],
                    plain[shown],
                    people[shown],
                ]
                frame = stop(
                    name, kind, said.format(level), images, error[name], error["NMF"]
                )
                frames[name][-1].append(frame)
    controls = {"loss": LOSSES, "corruption": list(CORRUPTIONS)}
    controls["level"] = ["light", "medium", "heavy", "extreme"]
    chooser = static_chooser(
        list(frames.values()), controls, start=[0, 2, 1], pixelated=True
    )
    return chooser, pd.DataFrame(errors).T


def spoiled(people, spoil, level):
    """Return the spoiled faces, by which of them a fit is judged, and the one to show."""
    if spoil is strangers:
        A, replaced = strangers(people, level, seed=0)
        return A, ~replaced, int(np.flatnonzero(replaced)[0])
    shape = [SIDE] if spoil is add_blocks else []
    A, _ = spoil(people, *shape, level, random_state=0)
    return A, np.ones(len(people), bool), 7


def stop(name, kind, caption, images, error, plain):
    """Return one stop of the chooser: five small pictures, what they are, and two numbers."""
    labels = "".join(
        f"<span>{text}</span>"
        for text in ("given", "weights", "rebuilt", "by NMF", "clean")
    )
    text = (
        '<div style="display:grid;grid-template-columns:repeat(5,1fr);text-align:center">'
        f"{labels}</div><p>{kind}, {caption}. Error of {name} <strong>{error:.1%}</strong>, of "
        f"plain NMF <strong>{plain:.1%}</strong>.</p>"
    )
    alt = (
        f"A face with {kind} ({caption}), the weights that {name} gives its pixels, its "
        f"reconstruction, that of plain NMF, and the clean face. {name} has "
        f"{'less' if error < plain else 'more'} error than plain NMF."
    )
    return Frame(pixel_png([image.reshape(SIDE) for image in images]), alt, text)


def two_forms(histories: dict):
    """Show the objectives of weights and of an error matrix against the products that they cost.

    Parameters
    ----------
    histories : dict
        (Loss, seed, "weights" or "error matrix") → objectives.
    """
    losses = list(dict.fromkeys(loss for loss, _, _ in histories))
    axes = axes_of(5.2, 2 * len(losses), len(losses), sharex=True)
    for ax, loss in zip(axes, losses, strict=True):
        runs = {
            key[1:]: history for key, history in histories.items() if key[0] == loss
        }
        lowest = min(history[-1] for history in runs.values())
        for (seed, form), history in runs.items():
            products, style, name = {
                "weights": (6, "-", "HuberNMF"),
                "error matrix": (3, ":", "RobustNMF"),
            }[form]
            label = form if seed == 0 else "_"
            look = {"color": COLORS[name], "lw": 1.2}
            cost = np.arange(len(history)) * products
            ax.plot(cost, history / lowest - 1, style, label=label, **look)
        ax.set(yscale="log", xscale="log", xlim=(6, None), ylim=(3e-4, 3))
        ax.set(ylabel=f"{loss}: above lowest")
        ax.grid(alpha=0.3)
    axes[0].legend(frameon=False)
    axes[-1].set(xlabel="products of the size of WH")
    plt.show()


def two_surrogates():
    """Show Cauchy's loss, and the surrogates of both forms that touch it at the error 2."""
    at, e = 2.0, np.linspace(-4, 5, 500)
    touched = np.log1p(at**2)
    q = 1 / (1 + at**2)
    s = (1 - q) * at
    by_error = touched + (e - s) ** 2 - (at - s) ** 2
    curves = {
        "loss": (e, np.log1p(e**2), "k", {"lw": 2.5}),
        "weights": (
            e,
            touched + q * (e**2 - at**2),
            "--",
            {"color": COLORS["CauchyNMF"]},
        ),
        "error matrix": (e, by_error, ":", {"color": COLORS["RobustNMF"], "lw": 2.5}),
        "_touch": (at, touched, "ko"),
    }
    labels = {"xlabel": "error e", "ylabel": "cost", "legend": "upper left"}
    line_plot(curves, size=(5.2, 3), ylim=(-0.2, 5), grid=False, **labels)

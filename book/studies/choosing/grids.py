"""Which model should one use? Every loss on the same corruptions of the same faces.

All models start from the same W0 and H0 and get about the same time, two seconds of one
processor. The faces are the embedded ORL images at 32×32 pixels, the rank is 40.
"""

from functools import partial
from time import process_time

import numpy as np
from sklearn.neighbors import NearestNeighbors

from rnmf_tutorial import L1NMF, NeNMF
from rnmf_tutorial.measures import relative_error
from rnmf_tutorial.published import diaz, guan
from rnmf_tutorial.starts import initialize
from studies import grid
from studies.choosing.faces import CORRUPTIONS, TUNING, problem
from studies.choosing.pipeline import PIPELINE
from studies.machinery.measures import agreement, clusters

RANK = 40

#: Truncated Cauchy NMF with twelve steps for each least squares problem. The printed
#: Algorithm 1 takes some hundred, and ten passes would use up the time of a model here.
shortcut = partial(guan.TruncatedCauchyNMF, solver="nesterov")

#: Model -> its class with the parameter that it keeps everywhere, and its number of
#: sweeps.
MODELS = {
    "NMF": (guan.NMF, 1000),
    "NMF (KL)": (partial(guan.NMF, loss="kullback-leibler"), 400),
    "NeNMF": (NeNMF, 200),
    "L21NMF": (guan.L21NMF, 1000),
    "CappedNMF": (guan.CappedNMF, 1000),
    "RobustNMF": (partial(guan.RobustNMF, lam=0.3), 500),
    "L1RobustNMF": (partial(diaz.L1RobustNMF, lam=0.004), 200),
    "HuberNMF": (guan.HuberNMF, 250),
    "HypersurfaceNMF": (partial(guan.HypersurfaceNMF, scale=0.2), 250),
    "L1NMF": (L1NMF, 60),  # its smoothing falls for so many sweeps
    "CauchyNMF": (partial(guan.CauchyNMF, scale=0.4), 250),
    "CIMNMF": (partial(guan.CIMNMF, scale=0.2), 250),
    "CIMNMF, adaptive": (guan.CIMNMF, 250),
    "TruncatedCauchyNMF": (shortcut, 40),
    "TruncatedCauchyNMF, no rule": (
        partial(shortcut, outliers=None),
        40,
    ),
    "TruncatedCauchyNMF, mixture": (
        partial(shortcut, outliers="mixture"),
        40,
    ),
    "TruncatedCauchyNMF, mixture, fixed": (
        partial(shortcut, outliers="mixture", scale=0.2),
        40,
    ),
}

#: Model -> its parameter, the values tried, and the sweeps; the first value is the
#: published one.
CANDIDATES = {
    "RobustNMF": ("lam", [0.3, 0.1, 0.15, 0.2, 0.4, 0.6], 250),
    "L1RobustNMF": ("lam", [0.04, 0.002, 0.004, 0.008, 0.016], 100),
    "HypersurfaceNMF": ("scale", ["published", 0.05, 0.1, 0.2, 0.4], 150),
    "CappedNMF": ("theta", ["published", 2.0, 4.0, 8.0], 500),
    "CauchyNMF": ("scale", ["published", 0.05, 0.1, 0.2, 0.4, 0.8], 150),
    "CIMNMF": ("scale", ["published", 0.1, 0.2, 0.4], 150),
    "TruncatedCauchyNMF, mixture": ("scale", ["published", 0.05, 0.1, 0.2, 0.4], 25),
}


def recorded_fit(model, A, at, measure):
    """Fit, and measure W and H after some of the sweeps.

    Parameters
    ----------
    model : estimator
    A : ndarray of shape (n_samples, n_features)
    at : sequence of int
        The sweeps after which to look.
    measure : callable
        ``measure(W, H)`` returns a dict.

    Returns
    -------
    list of dict
        What `measure` returned, the `sweep`, the `objective`, and `cpu`: the seconds of
        processor time that the fit had taken, with the objective that every sweep
        records, without `measure`.
    F : ndarray of shape (n_samples, n_components)
        The coefficients at the end.
    """
    rows = []
    spent = 0.0
    since = process_time()

    def look(sweep, W, H):
        nonlocal spent, since
        spent += process_time() - since
        if sweep in at:
            rows.append({"sweep": sweep, "cpu": round(spent, 4), **measure(W, H)})
        since = process_time()

    F = model.set_params(callback=look).fit_transform(A)
    return [
        row | {"objective": model.objective_history_[row["sweep"]]} for row in rows
    ], F


def fitted(make, sweeps, task, seed, at=()):
    """Fit a model made by `make(r, **options)`; return rows of the error, the model and its codes.

    The start point depends on the task and the seed alone, so it is the same for every
    model. The relative error is that against the clean faces, over all images that are
    faces.
    """
    A, face = task.data, task.face
    clean = task.clean[face].T
    model = make(
        RANK, init=initialize(A.T, RANK, "random", seed), max_iter=sweeps, tol=0
    )
    rows, F = recorded_fit(
        model,
        A,
        {*at, sweeps},
        lambda W, H: {"rre": relative_error(clean, W @ H[:, face])},
    )
    return rows, model, F


def code_scores(F, components, target):
    """Score the codes by k-means clusters and by the person of the nearest other image.

    The codes are those for basis images of length one.
    """
    F = F * np.linalg.norm(components, axis=1)
    nearest = (
        NearestNeighbors(n_neighbors=1).fit(F).kneighbors(return_distance=False)[:, 0]
    )
    return {
        **agreement(target, clusters(F, target)),
        "one_nn": float(np.mean(target[nearest] == target)),
    }


def model_cell(seed, corruption, model):
    """Fit one model; a row for each of a few sweeps, the last one with scores of the codes."""
    task = problem(corruption, seed)
    rows, fit, F = fitted(*MODELS[model], task, seed, at=(10, 30, 100, 300))
    scores = code_scores(F[task.face], fit.components_, task.target[task.face])
    return [row | dict.fromkeys(scores) for row in rows[:-1]] + [rows[-1] | scores]


def time_cell(seed, corruption, model):
    """Fit one model and look often: the error against the time."""
    return fitted(*MODELS[model], problem(corruption, seed), seed, at=OFTEN)[0]


def long_cell(seed, corruption, model):
    """Fit one model for four times as long."""
    make, sweeps = MODELS[model]
    return fitted(
        make, 4 * sweeps, problem(corruption, seed), seed, at=(*OFTEN, sweeps)
    )[0]


OFTEN = (0, 1, 2, 5, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700)


def parameter_cell(seed, corruption, setting):
    """Fit one model with one value of its parameter."""
    model, options, sweeps = SETTINGS[setting]
    make = partial(MODELS[model][0], **options)
    return fitted(make, sweeps, problem(corruption, seed), seed)[0][-1]


#: What the rows call a setting -> model, options, sweeps.
SETTINGS = {"NMF": ("NMF", {}, 500)} | {
    f"{model} {name}={value}": (model, {name: value}, sweeps)
    for model, (name, values, sweeps) in CANDIDATES.items()
    for value in values
}
# as published
SETTINGS["HypersurfaceNMF scale=published"] = "HypersurfaceNMF", {"scale": 1.0}, 150

NMF_ON_BLOCKS = {"corruption": ["blocks 12"], "model": ["NMF"]}
PARAMETERS = grid(
    "choosing-parameters",
    parameter_cell,
    {"corruption": ["salt & pepper 20"], "setting": ["NMF"]},
    seed=[100],
    corruption=TUNING,
    setting=list(SETTINGS),
)
COMPARISON = grid(
    "choosing-models",
    model_cell,
    NMF_ON_BLOCKS | {"model": ["NMF", "RobustNMF"]},
    seed=[0, 1, 2],
    corruption=CORRUPTIONS,
    model=list(MODELS),
)
#: Run this one on a quiet machine, in one process.
TIMES = grid(
    "choosing-time",
    time_cell,
    NMF_ON_BLOCKS,
    seed=[0],
    corruption=["none 0", "salt & pepper 30", "blocks 12"],
    model=list(MODELS),
)
LONGER = grid(
    "choosing-longer",
    long_cell,
    seed=[0, 1],
    corruption=["blocks 12", "salt & pepper 30"],
    model=[
        *("NMF", "RobustNMF", "HuberNMF", "CIMNMF, adaptive", "TruncatedCauchyNMF"),
        *("TruncatedCauchyNMF, no rule", "TruncatedCauchyNMF, mixture"),
    ],
)

#: Each grid with the data sets it needs.
GRIDS = [(PARAMETERS, []), (COMPARISON, []), (TIMES, []), (LONGER, []), (PIPELINE, [])]

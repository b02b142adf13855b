"""Every method on every problem: its error against the truth."""

import time
import warnings
from functools import partial

import numpy as np
from scipy.ndimage import median_filter

from rnmf_tutorial import NMF, CauchyNMF
from rnmf_tutorial.arithmetic import positive_mean
from studies import grid
from studies.blocks.problems import problem
from studies.blocks.windows import WindowNMF
from studies.machinery.pursuit import pursuit

#: The sets on which the windows were tuned; the others judge.
TUNED = ["ORL", "CBCL", "Yale"]

OPTIONS = {"max_iter": 300, "tol": 1e-4}
#: Of Cauchy's loss, as shares of the mean of the positive data.
SCALES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]


def _model(kind, **options):
    """Return a method that fits a model: from a problem and a seed to the reconstruction."""

    def fit(task, seed, data=None):
        model = kind(task.rank, random_state=seed, **OPTIONS | options)
        data = task.data if data is None else data
        return model.fit_transform(data) @ model.components_

    return fit


def _told(task, seed):
    """Mark the damage as missing; a feature that is never seen keeps what it has."""
    marked = np.where(task.mask, np.nan, task.data)
    unseen = np.isnan(marked).all(axis=0)
    marked[:, unseen] = task.data[:, unseen]
    return _model(NMF)(task, seed, marked)


def _windows(task, seed, **options):
    return _model(WindowNMF, shape=task.shape, **options)(task, seed)


def _pursuit(task, seed):
    """Return plain NMF of the low-rank part, clipped at zero; holes are filled by means first."""
    filled = np.where(np.isnan(task.data), np.nanmean(task.data, axis=0), task.data)
    L, _ = pursuit(filled, tol=1e-5)
    return _model(NMF)(task, seed, np.maximum(L, 0))


def _filtered(edge):
    def fit(task, seed):
        filled = np.where(np.isnan(task.data), np.nanmean(task.data, axis=0), task.data)
        samples = filled.reshape(-1, *task.shape)
        size = (1, *(edge for _ in task.shape))
        smooth = median_filter(samples, size=size, mode="reflect").reshape(filled.shape)
        return _model(NMF)(task, seed, smooth)

    return fit


METHODS = {
    "told": _told,
    "NMF": _model(NMF),
    "WindowNMF": _windows,
    "not growing": partial(_windows, grow=False),
    "CauchyNMF": _model(CauchyNMF),
    "robust PCA": _pursuit,
    "median 3": _filtered(3),
    "median 7": _filtered(7),
}


def relative(fit, task):
    """Return the relative error against the clean data, over what was measured."""
    return np.sqrt(np.nansum((fit - task.clean) ** 2) / np.nansum(task.clean**2))


#: Methods that are cells of their own, and rerun without the others.
WINDOWS = ["WindowNMF", "not growing"]


def cell(methods, data, damage, seed):
    """Return a row for each method, of the windows or of the others."""
    task, rows = problem(data, damage, seed), []
    for name, method in METHODS.items():
        if (name in WINDOWS) != (methods == "windows"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            started = time.process_time()
            error = relative(method(task, seed), task)
        cpu = time.process_time() - started
        rows.append(
            {"method": name, "error": float(f"{error:.5g}"), "cpu": float(f"{cpu:.3g}")}
        )
    return rows


def scales_cell(data, damage, seed):
    """Return the error of Cauchy's loss at each of some scales."""
    task, rows = problem(data, damage, seed), []
    for share in SCALES:
        model = _model(CauchyNMF, scale=share * positive_mean(task.data))
        error = relative(model(task, seed), task)
        rows.append({"share": share, "error": float(f"{error:.5g}")})
    return rows


SEEDS, PARTS = [0, 1, 2], ["windows", "others"]
SETS = ["yale32", "umist", "yaleb", "cbcl"]
DAMAGES = [
    *("none", "white 14", "black 14", "gray 14", "texture 14", "piece 14"),
    *("white 25 4", "white 25", "disguise"),
]
LIVE, DRAWS = (
    {"methods": PARTS, "damage": ["white 14"]},
    {"methods": PARTS, "seed": SEEDS},
)
IMAGES = [*TUNED, "UMIST", "Yale B"]
FACES = grid("blocks-faces", cell, LIVE, **DRAWS, damage=DAMAGES, data=IMAGES)
SOME = [
    "white 14",
    *DAMAGES[:1],
    *DAMAGES[2:5],
    "white 25 4",
]  # a smaller scale might help there
SCALED = grid("blocks-scales", scales_cell, seed=[0], damage=SOME, data=IMAGES)
OTHERS = grid(
    "blocks-others",
    cell,
    LIVE | {"data": ["low rank"]},
    **DRAWS,
    damage=["none", "white 14", "lost 14", "lost 25", "cloud 14"],
    data=["digits", "Pines, bands", "Pines, spectra", "Kinetic", "low rank"],
)

GRIDS = [(FACES, SETS), (OTHERS, []), (SCALED, SETS)]


def over_told(rows):
    """Divide the errors by that of NMF told where the damage is, draw by draw.

    Parameters
    ----------
    rows : DataFrame
        Of :data:`FACES` or :data:`OTHERS`.

    Returns
    -------
    DataFrame
        Indexed by damage, data and seed, a column for each method.
    """
    keys = ["damage", "data", "seed"]
    errors = rows.pivot(index=keys, columns="method", values="error")
    return errors[[name for name in METHODS if name in errors]].div(
        errors["told"], axis=0
    )

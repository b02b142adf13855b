"""Robust models beside what a reader would take instead: filters, pursuit, clipping, other NMF."""

import time
import warnings
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import sklearn.decomposition
from scipy.ndimage import median_filter

from rnmf_tutorial import NMF, CappedNMF, CauchyNMF, HuberNMF, RobustNMF, WindowNMF
from rnmf_tutorial.data import (
    add_blocks,
    add_gaussian,
    add_salt_and_pepper,
    load_indian_pines,
    load_orl,
)
from studies import Grid
from studies.disguises import add_sunglasses
from studies.faces import strangers
from studies.pursuit import pursuit

PASSES = 100
FACE, EDGE, BANDS = (32, 32), 20, 200


@dataclass(frozen=True, eq=False)
class Task:
    """Spoiled data, and what a method may be told of them."""

    A: np.ndarray  # samples × features, with NaN for holes
    clean: np.ndarray
    wrong: np.ndarray | None  # True where an entry is wrong; None: all of them are, a little
    rank: int
    shape: tuple  # of a sample
    cube: tuple | None  # of all data as pictures, and the size of the median filter there
    seed: int


def faces(kind, seed):
    """Return a hundred faces of forty people, spoiled."""
    clean = load_orl(32).data[::4]
    nothing = np.zeros(clean.shape, dtype=bool)
    spoil: Any = {
        "clean": lambda: (clean, nothing),
        "noise": lambda: (add_gaussian(clean, 0.1, random_state=seed)[0], None),
        "entries 10": lambda: add_salt_and_pepper(clean, 0.1, random_state=seed),
        "entries 30": lambda: add_salt_and_pepper(clean, 0.3, random_state=seed),
        "shuffled 10": lambda: _shuffled(clean, 0.1, seed),
        "white blocks": lambda: add_blocks(clean, FACE, 12, random_state=seed),
        "gray blocks": lambda: add_blocks(clean, FACE, 12, value=0.5, random_state=seed),
        "glasses": lambda: add_sunglasses(
            clean, FACE, fraction=0.3, eye_height=0.46, random_state=seed
        ),
        "samples": lambda: strangers(clean, 0.2, seed),
        "holes": lambda: _holes(clean, 0.3, seed),
    }
    A, wrong = spoil[kind]()
    if kind == "samples":
        wrong = nothing | wrong[:, None]
    return Task(A, clean, wrong, 25, FACE, ((-1, *FACE), (1, 3, 3)), seed)


def spectra(kind, seed):
    """Return the 400 spectra of a square of the field, spoiled."""
    rng = np.random.default_rng([seed, 1])
    top, left = rng.integers(145 - EDGE + 1, size=2)
    clean = load_indian_pines().images[:, top : top + EDGE, left : left + EDGE]
    clean = clean.reshape(BANDS, -1).T
    most, wrong = np.quantile(clean, 0.99), np.zeros(clean.shape, dtype=bool)
    if kind == "entries 10":
        wrong = rng.uniform(size=clean.shape) < 0.1
        A = np.where(wrong, most * rng.integers(0, 2, clean.shape), clean)
    else:  # thirty neighboring bands of each spectrum at one value
        at = rng.integers(BANDS - 30 + 1, size=(len(clean), 1))
        wrong = (np.arange(BANDS) >= at) & (np.arange(BANDS) < at + 30)
        A = np.where(wrong, most, clean)
    return Task(A, clean, wrong, 6, (BANDS,), ((EDGE, EDGE, BANDS), (3, 3, 1)), seed)


def counts(kind, seed):
    """Return Poisson counts of mean ten; of "gross 2", two in a hundred are typing errors."""
    rng = np.random.default_rng([seed, 2])
    rates = rng.gamma(0.5, size=(300, 5)) @ rng.gamma(0.5, size=(5, 120))
    rates *= 10 / rates.mean()
    A = rng.poisson(rates).astype(float)
    wrong = rng.uniform(size=A.shape) < (0.02 if kind == "gross 2" else 0)
    A[wrong] = rng.integers(100, 1000, wrong.sum())
    return Task(A, rates, wrong, 5, (120,), None, seed)


def _shuffled(clean, share, seed):
    """Replace a share of the entries by others of the same data, so that none is extreme."""
    rng = np.random.default_rng(seed)
    wrong = rng.uniform(size=clean.shape) < share
    return np.where(wrong, rng.choice(clean.ravel(), clean.shape), clean), wrong


def _holes(clean, share, seed):
    lost = np.random.default_rng(seed).uniform(size=clean.shape) < share
    return np.where(lost, np.nan, clean), lost


DATA = {"faces": faces, "spectra": spectra, "counts": counts}


def task_of(name, seed):
    """Return the task of a name such as "faces, white blocks"."""
    data, kind = name.split(", ")
    return DATA[data](kind, seed)


def filled(A):
    """Return the data with the median of its feature in every hole."""
    return np.where(np.isnan(A), np.nanmedian(A, axis=0), A)


def fit(model, A):
    """Return what a model makes of the data."""
    return model.fit_transform(A) @ model.components_


def median(task):
    """Return the median of each three by three pixels."""
    shape, size = task.cube
    return median_filter(filled(task.A).reshape(shape), size).reshape(task.A.shape)


def clipped(A, share=0.05):
    """Return the data with each feature cut off at two quantiles."""
    return np.clip(A, *np.quantile(A, [share, 1 - share], axis=0))


def trimmed(A, share=0.05):
    """Return the data with NaN for what is beyond two quantiles of its feature, or on them."""
    low, high = np.nanquantile(A, [share, 1 - share], axis=0)
    return np.where((low < A) & (high > A), A, np.nan)


def imputed(A, r, seed, rounds=10):
    """Fit scikit-learn's NMF, put its values into the holes, and so on (EM)."""
    known, A, factors = ~np.isnan(A), filled(A), {}
    for _ in range(rounds):
        model = _sklearn(r, seed, max_iter=PASSES // rounds, init="custom" if factors else None)
        W = model.fit_transform(A, **factors)
        factors = {"W": W, "H": model.components_}
        A = np.where(known, A, W @ model.components_)
    return W @ model.components_


def _sklearn(r, seed, **options):
    return sklearn.decomposition.NMF(
        r, **({"max_iter": PASSES, "tol": 0, "random_state": seed} | options)
    )


def _nmf(task, A=None, kind=NMF, **options):
    model = kind(task.rank, max_iter=PASSES, random_state=task.seed, **options)
    return fit(model, task.A if A is None else A)


def _told(task, method):
    """Return what a method makes of the data with NaN for what is wrong; no whole rows of NaN."""
    A = np.where(task.wrong, np.nan, task.A)
    rows = ~task.wrong.all(axis=1)
    Y = np.zeros_like(A)
    Y[rows] = method(A[rows])
    return Y


#: What a row calls a method -> a function of the task.
METHODS = {
    "median filter": median,
    "median filter, NMF": lambda task: _nmf(task, median(task)),
    "pursuit": lambda task: pursuit(filled(task.A), tol=1e-4)[0],
    "pursuit, NMF": lambda task: _nmf(task, np.maximum(pursuit(filled(task.A), tol=1e-4)[0], 0)),
    "clip, NMF": lambda task: _nmf(task, clipped(filled(task.A))),
    "trim, NMF": lambda task: _nmf(task, trimmed(task.A)),
    "scikit-learn": lambda task: fit(_sklearn(task.rank, task.seed), filled(task.A)),
    "scikit-learn, KL": lambda task: fit(
        _sklearn(task.rank, task.seed, solver="mu", beta_loss="kullback-leibler", init="nndsvda"),
        filled(task.A),
    ),
    "told: EM": lambda task: _told(task, lambda A: imputed(A, task.rank, task.seed)),
    "told: NMF": lambda task: _told(task, lambda A: _nmf(task, A)),
    "HuberNMF": lambda task: _nmf(task, kind=HuberNMF),
    "HuberNMF, KL": lambda task: _nmf(task, kind=HuberNMF, divergence="kullback-leibler"),
    "RobustNMF": lambda task: _nmf(task, kind=RobustNMF),
    "CauchyNMF": lambda task: _nmf(task, kind=CauchyNMF),
    "CappedNMF": lambda task: _nmf(task, kind=CappedNMF),
    "WindowNMF": lambda task: _nmf(task, kind=WindowNMF, shape=task.shape),
}


def answer(method, task):
    """Return what a method makes of a task; most stop at their last pass, and do not say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return METHODS[method](task)


def error(task, Y):
    """Return the distance to the clean data over their length, whole wrong samples left out."""
    kept = slice(None) if task.wrong is None else ~task.wrong.all(axis=1)
    return np.linalg.norm((Y - task.clean)[kept]) / np.linalg.norm(task.clean[kept])


def methods_of(name):
    """Return the methods that a task of this name can be given to."""
    left_out = {
        "counts": {"median filter", "median filter, NMF", "WindowNMF"},
        "faces": {"HuberNMF, KL"},
        "spectra": {"HuberNMF, KL"},
    }[name.split(", ")[0]]
    if name == "faces, noise":  # there is nothing to be told
        left_out = left_out | {"told: EM", "told: NMF"}
    return [method for method in METHODS if method not in left_out]


def _row(method, task):
    start = time.process_time()
    Y = answer(method, task)
    spent = round(time.process_time() - start, 3)
    return {"method": method, "error": error(task, Y), "cpu": spent}


#: Methods of ours that changed after the others' rows were stored: a grid of their own.
CHANGED = ("CappedNMF", "WindowNMF")


def cell(seed, task):
    """Return the error of every other method and its seconds of processor time."""
    problem = task_of(task, seed)
    return [_row(method, problem) for method in methods_of(task) if method not in CHANGED]


def changed_cell(seed, task):
    """Return the same for the methods that changed."""
    problem = task_of(task, seed)
    return [_row(method, problem) for method in methods_of(task) if method in CHANGED]


def online(task, lam=0.1, passes=10):
    """Return the fit of hyperspy's online robust NMF, which is no dependency of this project.

    Zhao and Tan's, with a threshold λ for errors of data whose largest value is one; 0.1 is the
    best of 1/√features, 0.1 and the default 1 on the first draw of "faces, entries 10". One pass
    takes the samples in turn; it has ten, in random orders, and then encodes.
    """
    from hyperspy.learn._ornmf import ORNMF  # its public function knows no second pass

    A, rng = filled(task.A), np.random.default_rng(task.seed)
    unit = A.max()
    model = ORNMF(task.rank, lambda1=lam, method="RobustPGD", random_state=task.seed)
    for _ in range(passes):
        model.partial_fit(A[rng.permutation(len(A))] / unit)
    return unit * model.transform(A / unit) @ model.components_


def online_cell(seed, task):
    """Return the error and the seconds of hyperspy's method, and its version."""
    start, problem = time.process_time(), task_of(task, seed)
    Y = online(problem)
    spent = round(time.process_time() - start, 3)
    found = {"error": error(problem, Y), "cpu": spent}
    return {"method": "hyperspy", **found, "hyperspy": version("hyperspy")}


TASKS = [
    *("faces, clean", "faces, noise", "faces, entries 10", "faces, entries 30"),
    *("faces, shuffled 10", "faces, white blocks", "faces, gray blocks", "faces, glasses"),
    *("faces, samples", "faces, holes", "spectra, entries 10", "spectra, blocks"),
    *("counts, clean", "counts, gross 2"),
]
_AXES = {
    "quick": {"seed": [0], "task": ["counts, gross 2"]},
    "paper": {"seed": [0, 1, 2], "task": TASKS},
}
WORLD = Grid("world", cell, **_AXES)
OURS = Grid("world-changed", changed_cell, **_AXES)
#: Each grid with the data sets it needs.
GRIDS = [(WORLD, []), (OURS, [])]
#: Needs ``pip install hyperspy``, so only `run` by hand finishes it.
ONLINE = Grid(
    "world-online",
    online_cell,
    quick={"task": ["counts, gross 2"], "seed": [0]},
    paper={"task": ["counts, gross 2", "faces, entries 10"], "seed": [0, 1, 2]},
)

"""What a reader would take: filters, pursuit, clipping, other packages, and our models."""

import warnings

import numpy as np
import sklearn.decomposition
from scipy.ndimage import median_filter

from rnmf_tutorial import NMF, CappedNMF, CauchyNMF, HuberNMF, RobustNMF
from studies.blocks.windows import WindowNMF
from studies.machinery.pursuit import pursuit

PASSES = 100


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
        model = _sklearn(
            r, seed, max_iter=PASSES // rounds, init="custom" if factors else None
        )
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
    "pursuit, NMF": lambda task: _nmf(
        task, np.maximum(pursuit(filled(task.A), tol=1e-4)[0], 0)
    ),
    "clip, NMF": lambda task: _nmf(task, clipped(filled(task.A))),
    "trim, NMF": lambda task: _nmf(task, trimmed(task.A)),
    "scikit-learn": lambda task: fit(_sklearn(task.rank, task.seed), filled(task.A)),
    "scikit-learn, KL": lambda task: fit(
        _sklearn(
            task.rank,
            task.seed,
            solver="mu",
            beta_loss="kullback-leibler",
            init="nndsvda",
        ),
        filled(task.A),
    ),
    "told: EM": lambda task: _told(task, lambda A: imputed(A, task.rank, task.seed)),
    "told: NMF": lambda task: _told(task, lambda A: _nmf(task, A)),
    "HuberNMF": lambda task: _nmf(task, kind=HuberNMF),
    "HuberNMF, KL": lambda task: _nmf(
        task, kind=HuberNMF, divergence="kullback-leibler"
    ),
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

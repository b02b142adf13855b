"""The score of a candidate on hidden entries, and the table of all candidates."""

import time
import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone

from rnmf_tutorial import NMF, WindowNMF

__all__ = ["absolute_score", "capped_score", "compared", "scored"]

#: Windows whose mean error on hidden regions is so much larger than plain NMF's hear too little.
FAR = 1.12


def absolute_score(truth, prediction):
    r"""Return minus the mean of \|e\|.

    A gross error far from all predictions adds nearly the same to each of them.

    Parameters
    ----------
    truth, prediction : ndarray of one shape
        The hidden entries, and what a model says of them.

    Returns
    -------
    float
        At most 0.

    Examples
    --------
    >>> absolute_score(np.array([1.0, 5.0]), np.array([1.0, 1.0]))
    -2.0
    """
    return -float(np.abs(truth - prediction).mean())


def capped_score(truth, prediction, *, cap):
    r"""Return minus the mean of min(\|e\|, cap).

    No entry counts more than the cap: where a hidden region lies over damage, the damage is
    predicted by nobody but a model that has learned it, and must not pay for that.

    Parameters
    ----------
    truth, prediction : ndarray of one shape
        The hidden entries, and what a model says of them.
    cap : float
        In the units of the data.

    Returns
    -------
    float
        At most 0.

    Examples
    --------
    >>> capped_score(np.array([1.0, 5.0]), np.array([0.0, 0.0]), cap=2.0)
    -1.5
    """
    return -float(np.minimum(np.abs(truth - prediction), cap).mean())


def scored(candidate, seen, hidden, truth, score, y):
    r"""Fit one candidate, and score it.

    Parameters
    ----------
    candidate : estimator
        It is cloned.
    seen : ndarray of shape (n_samples, n_features)
        The data for the fit, NaN where an entry is hidden.
    hidden : ndarray of bool of shape (n_samples, n_features)
        Which entries the score looks at.
    truth : ndarray of shape (n_hidden,)
        The hidden entries.
    score : callable
        Takes the truth and the prediction; larger is better.
    y : array-like of shape (n_samples,) or None
        Labels, for a candidate that takes them.

    Returns
    -------
    value : float
        The score; NaN if the fit failed.
    mean : float
        The mean of \|e\|; NaN if the fit failed.
    seconds : float
    error : str
        What the fit failed with, or "".

    Examples
    --------
    >>> from rnmf_tutorial import NMF
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    >>> hidden = np.eye(3, dtype=bool)
    >>> seen, model = np.where(hidden, np.nan, A), NMF(1, random_state=0)
    >>> value, mean, _, error = scored(model, seen, hidden, A[hidden], absolute_score, None)
    >>> abs(value) < 0.01, value == -mean, error
    (True, True, '')
    """
    started = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = clone(candidate)
            prediction = model.inverse_transform(model.fit_transform(seen, y))
        value, error = float(score(truth, prediction[hidden])), ""
        mean = -absolute_score(truth, prediction[hidden])
        if not np.isfinite(value):
            value, error = np.nan, f"the score {value}"
    except Exception as failure:  # the search goes on, and names it
        value, mean, error = np.nan, np.nan, f"{type(failure).__name__}: {failure}"
    return value, mean, time.perf_counter() - started, error


def compared(names, candidates, runs, n_repeats, lead=0.0):
    r"""Return `cv_results_` of a search.

    Parameters
    ----------
    names : list of str
        What the candidates are called.
    candidates : list of estimator
        For their parameters.
    runs : list of tuple
        What `scored` returns, all repeats of the first candidate first.
    n_repeats : int
        How many runs a candidate had.
    lead : float, default=0.0
        The part of its mean score by which plain NMF comes before the others, and a model of
        windows by half of it. If it is not 0, a model of windows whose mean of \|e\| is larger
        than plain NMF's by 12 % or more comes after all others.

    Returns
    -------
    dict of arrays
        One entry a candidate.

    Examples
    --------
    >>> from rnmf_tutorial import NMF
    >>> runs = [(-2.0, 2.0, 0.1, ""), (-1.0, 1.0, 0.1, "")]
    >>> table = compared(["a", "b"], [NMF(1), NMF(2)], runs, 1)
    >>> table["rank_test_score"].tolist()
    [2, 1]
    """
    scores, sizes, seconds, errors = (
        np.array(column).reshape(len(names), n_repeats) for column in zip(*runs, strict=True)
    )
    mean = scores.mean(axis=1)  # NaN if it failed anywhere
    plain = np.array([isinstance(model, NMF) for model in candidates])
    windows = np.array([isinstance(model, WindowNMF) for model in candidates])
    judged = mean + lead * (plain + windows / 2) * np.abs(mean)
    if lead and not np.isnan(mean[plain]).all():
        sizes = sizes.mean(axis=1)
        far = windows & (sizes > FAR * np.nanmin(sizes[plain]))
        judged = np.where(far, judged - 2 * np.nanmax(np.abs(judged)), judged)
    order = pd.Series(judged).rank(ascending=False, method="min", na_option="bottom")
    return {
        "candidate": np.array(names, dtype=object),
        "params": [model.get_params() for model in candidates],
        **{f"split{s}_test_score": scores[:, s] for s in range(n_repeats)},
        "mean_test_score": mean,
        "std_test_score": scores.std(axis=1),
        "rank_test_score": order.to_numpy(dtype=int),
        "mean_fit_time": seconds.mean(axis=1),
        "error": np.array([next(filter(None, row), "") for row in errors], dtype=object),
    }

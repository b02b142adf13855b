"""The data with their gaps; which entries are hidden, and what planted errors put there."""

import numpy as np

from rnmf_tutorial.estimators import HuberNMF

__all__ = ["hidden_entries", "planted_values", "with_gaps"]


def with_gaps(A, door=None):
    """Return the data as an array that has NaN where an entry is missing.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_features)
        Non-negative; NaN, or what a masked array hides, is missing.
    door : estimator, default=None
        A model that takes missing entries; it checks the data, and remembers their features.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        A copy.

    Examples
    --------
    >>> with_gaps(np.ma.masked_greater([[1.0, 2.0], [9.0, 4.0]], 8))
    array([[ 1.,  2.],
           [nan,  4.]])
    """
    X, missing = (door or HuberNMF(1)).validated(A, reset=True)
    data = np.array(X.T)
    if missing is not None:
        data[missing.T] = np.nan
    return data


def hidden_entries(known, share, rng):
    """Draw entries to hide, so that every sample and every feature keeps at least one.

    Parameters
    ----------
    known : ndarray of bool of shape (n_samples, n_features)
        The entries that are not missing.
    share : float
        The part of them to hide, between 0 and 1.
    rng : RandomState
        Draws.

    Returns
    -------
    ndarray of bool of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If no entry can be hidden.

    Examples
    --------
    >>> hidden = hidden_entries(np.ones((20, 10), bool), 0.1, np.random.RandomState(0))
    >>> int(hidden.sum())
    20
    """
    places = np.argwhere(known)
    wanted = round(share * len(places))
    left = [known.sum(axis=1), known.sum(axis=0)]
    hidden = np.zeros(known.shape, bool)
    for i, j in rng.permutation(places):
        if wanted == 0:
            break
        if left[0][i] > 1 and left[1][j] > 1:
            hidden[i, j] = True
            left[0][i] -= 1
            left[1][j] -= 1
            wanted -= 1
    if not hidden.any():
        raise ValueError(
            f"Of {len(places)} known entries none can be hidden: a holdout of {share:g} must leave "
            "every sample and every feature at least one, and hide at least one. Take a larger "
            "holdout, or more data."
        )
    return hidden


def planted_values(A, planted, rng):
    """Return the data with known errors: planted entries get the value of another entry.

    The values are those of the data at random places, half of them, and the smallest and the
    largest of the data, so that the errors have the data's own unit.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_features)
        The data; NaN where an entry is missing.
    planted : ndarray of bool of shape (n_samples, n_features)
        Where the errors go.
    rng : RandomState
        Draws.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Examples
    --------
    >>> A, planted = np.arange(12.0).reshape(3, 4), np.eye(3, 4, dtype=bool)
    >>> spoiled = planted_values(A, planted, np.random.RandomState(0))
    >>> bool((spoiled == A)[~planted].all()), bool(np.isin(spoiled, A).all())
    (True, True)
    """
    values = A[~np.isnan(A)]
    n = int(planted.sum())
    errors = rng.choice(values, n)
    extreme = rng.uniform(size=n) < 0.5
    errors[extreme] = rng.choice([values.min(), values.max()], int(extreme.sum()))
    spoiled = A.copy()
    spoiled[planted] = errors
    return spoiled

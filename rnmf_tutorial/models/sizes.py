"""What an estimate from the data counts: the size of the data, and the residuals that say one."""

import numpy as np

__all__ = ["counted", "median_size", "positive_mean", "rounding"]


def positive_mean(A):
    """Return the mean of the positive entries, or one if there is none.

    Rows and columns of zeros do not change it. NaN is not counted.

    Parameters
    ----------
    A : ndarray
        Non-negative.

    Returns
    -------
    float

    Examples
    --------
    >>> positive_mean(np.array([0.0, 2.0, 4.0, np.nan])), positive_mean(np.zeros(3))
    (3.0, 1.0)
    """
    positive = np.greater(A, 0)
    return float(A.mean(dtype=float, where=positive)) if positive.any() else 1.0


def rounding(X):
    """Return the size up to which an error is none: the rounding of the largest entry.

    Parameters
    ----------
    X : ndarray
        Data.

    Returns
    -------
    float

    Examples
    --------
    >>> rounding(np.ones(3)) < 1e-15
    True
    """
    return float(np.finfo(X.dtype).eps) * float(X.max())


def counted(X, sizes, least, missing=None):
    """Return those sizes of residuals that an estimate counts.

    A zero of the data that the factors know to be zero says nothing about errors. Were it counted,
    data of which more than half are such zeros would have errors of the median size zero. A
    missing entry is not counted either.

    Parameters
    ----------
    X : ndarray
        Data.
    sizes : ndarray of the shape of X
        What is found from the residuals: their sizes or squares.
    least : float
        What of these is rounding.
    missing : ndarray of bool of the same shape, optional
        Which entries are missing.

    Returns
    -------
    ndarray
        `sizes` itself if all are counted; otherwise a vector of those that are, and if none is,
        all of them.

    Examples
    --------
    >>> X, sizes = np.array([[0.0, 0.0, 3.0]]), np.array([[0.0, 0.5, 0.0]])
    >>> counted(X, sizes, 1e-16).tolist()
    [0.5, 0.0]
    """
    left_out = np.equal(X, 0)
    left_out &= sizes <= least
    if missing is not None:
        left_out |= missing
    if not left_out.any() or left_out.all():
        return sizes
    return sizes.T[~left_out.T]  # X is in Fortran order


def median_size(E2):
    r"""Return the median of \|E\| from its squares.

    Parameters
    ----------
    E2 : ndarray
        Squared residuals.

    Returns
    -------
    float

    Examples
    --------
    >>> float(median_size(np.array([9.0, 1.0, 4.0, 0.0])))
    1.5
    """
    half = E2.size // 2
    ordered = np.partition(E2.ravel(order="K"), half)
    upper = ordered[half]
    lower = ordered[:half].max() if E2.size % 2 == 0 else upper
    return (np.sqrt(lower) + np.sqrt(upper)) / 2

"""The printed quotients and logarithms, where 0/0 and 0 log 0 are 0."""

import numpy as np

__all__ = ["divide", "log"]


def divide(a, b):
    """Return a / b for b ≥ 0, with a floor of 1.5e-154 under b.

    So 0/0 is 0, an entry that became zero stays zero, and nothing is infinite.

    Parameters
    ----------
    a, b : ndarray or float
        They broadcast against each other.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> divide(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    return a / np.maximum(b, np.sqrt(np.finfo(float).tiny))


def log(a):
    """Return the logarithm of a ≥ 0, with a floor under a, so that 0 log 0 is 0."""
    return np.log(np.maximum(a, np.finfo(float).tiny))

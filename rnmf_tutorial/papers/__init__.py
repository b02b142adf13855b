"""The papers' boxes: every printed algorithm as one plain function, in NumPy alone.

A box is a generator: arrays in, and after each pass it yields what the box carries. It
never ends; take as many passes as you want with :func:`itertools.islice`. X is features
× samples, as in all the papers, and every code line has the number of the line or
equation that it is. Beside a box stands its objective, ``<box>_objective``. Where a
printed line is wrong, the corrected one stands, and a comment says what is printed.

The boxes are the reference for the estimators, which do the same with less time and
memory.

>>> from itertools import islice
>>> import numpy as np
>>> from rnmf_tutorial import papers
>>> X, W, H = np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones((2, 1)), np.ones((1, 2))
>>> *_, (W, H, S) = islice(papers.zhang.robust_nmf(X, W, H, lam=0.1), 50)
>>> bool(np.allclose(W @ H + S, X))
True
>>> bool(papers.zhang.robust_nmf_objective(X, W, H, S, lam=0.1) < 1e-10)
True
"""

import numpy as np


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


# After the two functions above, by which they divide.
from rnmf_tutorial.papers import cheng, diaz, guan, lee, regularized, zhang  # noqa: E402

__all__ = ["cheng", "diaz", "guan", "lee", "regularized", "zhang"]

"""The few operations that every update is made of.

The data come in as samples × features in C order, so ``X``, their transpose, is in Fortran order.
Whatever has the shape of X is kept in that order too: a pass over two arrays of different order
costs many times as much.
"""

import numpy as np
from scipy.sparse import issparse

__all__ = [
    "at_least",
    "inner",
    "norms_of_columns",
    "positive_mean",
    "product",
    "ratio",
    "residual",
    "rounding",
    "unit_columns",
]


def at_least(A, floor, out=None):
    """Return the larger of every entry and one number.

    ``np.maximum`` would do, but takes three times as long: against a number, NumPy vectorizes
    only ``np.clip``, and that only with two bounds.

    Parameters
    ----------
    A : ndarray
    floor : float
        The number.
    out : ndarray, optional
        Where to put the result, of the shape of A; may be A itself.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> at_least(np.array([-1.0, 2.0]), 0.5)
    array([0.5, 2. ])
    """
    return np.clip(A, floor, np.inf, out=out)


def ratio(numerator, denominator, out=None):
    r"""Divide elementwise, with the one division guard of the package.

    The denominator is floored at the square root of the smallest normal number, about
    1.5e-154 in float64 and 1.1e-19 in float32. An update factor is therefore never infinite, so
    that ``0 * ratio`` is 0 and an entry that became zero stays zero. The floor is far below
    what data on any usual scale produce: every other quotient is the exact one.

    Parameters
    ----------
    numerator, denominator : ndarray
        Non-negative arrays that broadcast against each other.
    out : ndarray, optional
        Where to put the result, of the shape of both; may be `denominator` itself.

    Returns
    -------
    ndarray
        ``numerator / max(denominator, floor)``.

    Examples
    --------
    >>> import numpy as np
    >>> ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    floor = np.sqrt(np.finfo(denominator.dtype).tiny)
    floored = at_least(denominator, floor, out=out)
    same_shape = np.shape(numerator) == floored.shape
    return np.divide(numerator, floored, out=floored if same_shape else None)


def unit_columns(W, H, norm="l2"):
    r"""Give every column of W norm one and H the norms, so that W @ H stays the same.

    With :math:`d_k` the norm of column :math:`k`, :math:`W_{ik} \leftarrow W_{ik}/d_k` and
    :math:`H_{kj} \leftarrow d_k H_{kj}`: equations (29)-(30) of Zhang et al. (2011), with
    the norms taken *before* W is divided. A column of zeros is left as it is.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    norm : {"l1", "l2"}, default="l2"
        Sum of the entries, or Euclidean length.

    Returns
    -------
    W : ndarray of shape (n_features, r)
        A new array; the arguments are not changed.
    H : ndarray of shape (r, n_samples)
        A new array.

    Examples
    --------
    >>> import numpy as np
    >>> W, H = unit_columns(np.array([[3.0], [4.0]]), np.array([[1.0, 2.0]]))
    >>> W.ravel().tolist(), H.ravel().tolist()
    ([0.6, 0.8], [5.0, 10.0])
    """
    d = norms_of_columns(W, norm)
    return W / d, H * d[:, None]


def norms_of_columns(W, norm="l2"):
    """Return the norm of every column of W, and one for a column of zeros.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
        Non-negative.
    norm : {"l1", "l2"}, default="l2"
        Sum of the entries, or Euclidean length.

    Returns
    -------
    ndarray of shape (r,)

    Examples
    --------
    >>> import numpy as np
    >>> norms_of_columns(np.array([[3.0, 0.0], [4.0, 0.0]]))
    array([5., 1.])
    """
    d = W.sum(axis=0) if norm == "l1" else np.linalg.norm(W, axis=0)
    return np.where(d > 0, d, 1).astype(W.dtype)


def product(W, H, out=None):
    """Return W @ H in the memory order of X.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    out : ndarray of shape (n_features, n_samples), optional
        Where to put the result.

    Returns
    -------
    ndarray of shape (n_features, n_samples)

    Examples
    --------
    >>> import numpy as np
    >>> product(np.array([[1.0], [2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    return np.matmul(H.T, W.T, out=None if out is None else out.T).T


def residual(X, W, H, out=None):
    """Return E = X - W @ H.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    out : ndarray of shape (n_features, n_samples), optional
        Where to put the result.

    Returns
    -------
    ndarray of shape (n_features, n_samples)

    Examples
    --------
    >>> import numpy as np
    >>> residual(np.ones((2, 2)), np.array([[1.0], [2.0]]), np.array([[1.0, 0.0]])).tolist()
    [[0.0, 1.0], [-1.0, 1.0]]
    """
    WH = product(W, H, out=out)
    return np.subtract(X, WH, out=WH)


def inner(A, B):
    r"""Return the inner product :math:`\langle A, B\rangle = \sum_{ij} A_{ij} B_{ij}`.

    Parameters
    ----------
    A, B : ndarray of one shape

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> inner(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    11.0
    """
    if A.flags.f_contiguous and B.flags.f_contiguous:
        A, B = A.T, B.T  # vdot copies what is not in C order
    if A.dtype == np.float32:  # a long sum needs more digits than its terms
        return float(np.einsum("ij,ij->i", A, B).sum(dtype=np.float64))
    return float(np.vdot(A, B))


def positive_mean(A):
    """Return the mean of the positive entries, or one if there is none.

    Rows and columns of zeros do not change it. NaN is not counted.

    Parameters
    ----------
    A : ndarray or sparse array
        Non-negative.

    Returns
    -------
    float

    Examples
    --------
    >>> positive_mean(np.array([0.0, 2.0, 4.0, np.nan])), positive_mean(np.zeros(3))
    (3.0, 1.0)
    """
    A = A.data if issparse(A) else A
    positive = np.greater(A, 0)
    return float(A.mean(dtype=float, where=positive)) if positive.any() else 1.0


def rounding(X):
    """Return the size up to which an error is none: the rounding of the largest entry.

    It is at least the square root of the smallest normal number, so that it can be squared.

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
    limits = np.finfo(X.dtype)
    return max(float(limits.eps) * float(X.max()), float(np.sqrt(limits.tiny)))

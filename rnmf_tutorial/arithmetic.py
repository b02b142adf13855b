"""Matrix arithmetic that the losses and the solvers share.

Users pass samples × features in C order, so X, the transpose, is in Fortran order. All
arrays of the shape of X have this order, because a pass over two arrays of different
orders is much slower.

``np.clip(A, floor, np.inf)`` gives the same as ``np.maximum(A, floor)`` in a third of the
time.
"""

import numpy as np

# Entries in one block of columns. A block stays in the cache while several passes work
# on it. With 2**15 to 2**17 a pass takes the same time, and with 2**14 one of
# coordinate descent twice that.
BLOCK = 2**16


def ratio(numerator, denominator, out=None):
    r"""Divide elementwise, with the one division guard of the package.

    The denominator is replaced by a floor if it is smaller: the square root of the
    smallest normal number, about 1.5e-154 in float64 and 1.1e-19 in float32. So no
    quotient is infinite, and 0/0 is 0: an entry that became zero stays zero. Data in
    usual units do not reach the floor.

    Parameters
    ----------
    numerator, denominator : ndarray
        Non-negative arrays that broadcast against each other.
    out : ndarray, optional
        Array for the result, of the shape of both; may be `denominator` itself.

    Returns
    -------
    ndarray
        ``numerator / max(denominator, floor)``.

    Examples
    --------
    >>> ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    floor = np.sqrt(np.finfo(denominator.dtype).tiny)
    floored = np.clip(denominator, floor, np.inf, out=out)
    same_shape = np.shape(numerator) == floored.shape
    return np.divide(numerator, floored, out=floored if same_shape else None)


def product(W, H, out=None):
    """Return W @ H in the memory order of X, into `out` if it is given.

    Examples
    --------
    >>> product(np.array([[1.0], [2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    return np.matmul(H.T, W.T, out=None if out is None else out.T).T


def residual(X, W, H, out=None):
    """Return E = X - W @ H in the memory order of X, into `out` if it is given.

    Examples
    --------
    >>> residual(np.ones((2, 2)), np.array([[1.0], [2.0]]), np.array([[1.0, 0.0]])).tolist()
    [[0.0, 1.0], [-1.0, 1.0]]
    """
    WH = product(W, H, out=out)
    return np.subtract(X, WH, out=WH)


def inner(A, B):
    r"""Return the inner product :math:`\langle A, B\rangle = \sum_{ij} A_{ij} B_{ij}`.

    Examples
    --------
    >>> inner(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    11.0
    """
    if A.flags.f_contiguous and B.flags.f_contiguous:
        A, B = A.T, B.T  # vdot copies what is not in C order
    if A.dtype == np.float32:  # a long sum needs more digits than its terms
        return float(np.einsum("ij,ij->i", A, B).sum(dtype=np.float64))
    return float(np.vdot(A, B))


def norms_of_columns(W, norm="l2"):
    """Return the Euclidean length ("l2") or the sum ("l1") of every column of W; one for None.

    For a column of zeros it returns one, so that a division by the norm is defined.

    Examples
    --------
    >>> norms_of_columns(np.array([[3.0, 0.0], [4.0, 0.0]]))
    array([5., 1.])
    """
    if norm is None:
        return np.ones_like(W[0])
    d = W.sum(axis=0) if norm == "l1" else np.linalg.norm(W, axis=0)
    return np.where(d > 0, d, 1).astype(W.dtype)


def unit_columns(W, H, norm="l2"):
    r"""Divide every column of W by its norm and multiply the row of H by it; W @ H is unchanged.

    With :math:`d_k` the norm of column :math:`k`, :math:`W_{ik} \leftarrow W_{ik}/d_k`
    and :math:`H_{kj} \leftarrow d_k H_{kj}`: equations (29)-(30) of Zhang et al.
    (2011), with the norms taken *before* W is divided. A column of zeros is left as it
    is.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    norm : {"l1", "l2", None}, default="l2"
        Sum of the entries, or Euclidean length; None leaves both as they are.

    Returns
    -------
    W : ndarray of shape (n_features, r)
        A new array; the arguments are not changed.
    H : ndarray of shape (r, n_samples)
        A new array.

    Examples
    --------
    >>> W, H = unit_columns(np.array([[3.0], [4.0]]), np.array([[1.0, 2.0]]))
    >>> W.ravel().tolist(), H.ravel().tolist()
    ([0.6, 0.8], [5.0, 10.0])
    """
    d = norms_of_columns(W, norm)
    return W / d, H * d[:, None]


def positive_mean(A):
    """Return the mean of the positive entries, or one if there is none; NaN is ignored.

    Examples
    --------
    >>> positive_mean(np.array([0.0, 2.0, 4.0, np.nan])), positive_mean(np.zeros(3))
    (3.0, 1.0)
    """
    positive = np.greater(A, 0)
    return float(A.mean(dtype=float, where=positive)) if positive.any() else 1.0


def rounding(X):
    """Return the rounding error of the largest entry of X: a smaller residual counts as zero.

    It is at least the square root of the smallest normal number, so its square is not
    zero.

    Examples
    --------
    >>> rounding(np.ones(3)) < 1e-15
    True
    """
    limits = np.finfo(X.dtype)
    return max(
        float(limits.eps) * float(max(X.max(), -X.min())), float(np.sqrt(limits.tiny))
    )

"""Sparse data: what has the shape of X is kept where X has stored entries, and nowhere else.

Of a dense array every entry is stored, so a formula that needs these alone is written once.
"""

import numpy as np
from scipy.sparse import csc_array, issparse

from rnmf_tutorial.arrays import product, residual

__all__ = ["product_at", "residuals", "squared_lengths", "stored", "with_stored"]

_BLOCK = 2**15  # stored entries whose rows of W and H are gathered at a time
_DENSE = 2**20  # entries of a block of columns that is made dense


def stored(A):
    """Return the stored entries, of a sparse array as an array of one row.

    Parameters
    ----------
    A : ndarray or csc_array

    Returns
    -------
    ndarray
        A itself, or a view of its entries.

    Examples
    --------
    >>> stored(csc_array([[0.0, 3.0], [2.0, 0.0]]))
    array([[2., 3.]])
    """
    return A.data[None] if issparse(A) else A


def with_stored(A, values):
    """Return an array that has other values where A has stored entries.

    Parameters
    ----------
    A : ndarray or csc_array
    values : ndarray
        Of the shape of ``stored(A)``.

    Returns
    -------
    ndarray or csc_array
        The values themselves, or a sparse array that shares their memory.

    Examples
    --------
    >>> with_stored(csc_array([[0.0, 3.0], [2.0, 0.0]]), np.array([[5.0, 6.0]])).toarray()
    array([[0., 6.],
           [5., 0.]])
    """
    if not issparse(A):
        return values
    return csc_array((values.ravel(), A.indices, A.indptr), shape=A.shape)


def product_at(A, W, H, out=None):
    """Return W @ H where A has stored entries.

    Parameters
    ----------
    A : ndarray or csc_array of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    out : ndarray, optional
        Where to put the values, of the shape of ``stored(A)``.

    Returns
    -------
    ndarray or csc_array of the shape of A

    Examples
    --------
    >>> W, H = np.array([[1.0], [2.0]]), np.array([[3.0, 4.0]])
    >>> product_at(csc_array([[0.0, 9.0], [9.0, 0.0]]), W, H).toarray()
    array([[0., 4.],
           [6., 0.]])
    """
    if not issparse(A):
        return product(W, H, out=out)
    columns = np.arange(A.shape[1], dtype=A.indices.dtype).repeat(np.diff(A.indptr))
    W, Ht = np.ascontiguousarray(W), np.ascontiguousarray(H.T)
    out = np.empty((1, A.nnz), W.dtype) if out is None else out
    for first in range(0, A.nnz, _BLOCK):
        k = slice(first, first + _BLOCK)
        np.einsum("kr,kr->k", W[A.indices[k]], Ht[columns[k]], out=out[0, k])
    return with_stored(A, out)


def squared_lengths(A, axis):
    """Return the squared lengths of the columns (axis 0) or of the rows (axis 1).

    Parameters
    ----------
    A : ndarray or csc_array
    axis : {0, 1}

    Returns
    -------
    ndarray of one dimension

    Examples
    --------
    >>> A = csc_array([[0.0, 3.0], [2.0, 0.0]])
    >>> squared_lengths(A, axis=0), squared_lengths(A.toarray(), axis=1)
    (array([4., 9.]), array([9., 4.]))
    """
    if issparse(A):
        return with_stored(A, A.data**2).sum(axis=axis)
    return np.einsum("ij,ij->j" if axis == 0 else "ij,ij->i", A, A)


def residuals(X, W, H, at_zeros=False):
    """Yield X - W @ H for one block of columns of a sparse X after the other.

    Parameters
    ----------
    X : csc_array of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    at_zeros : bool, default=False
        Whether what is left where X has stored entries is replaced by zero.

    Yields
    ------
    ndarray of shape (n_features, any)

    Examples
    --------
    >>> W, H = np.ones((2, 1)), np.ones((1, 2))
    >>> [E.tolist() for E in residuals(csc_array([[0.0, 3.0], [2.0, 0.0]]), W, H)]
    [[[-1.0, 2.0], [1.0, -1.0]]]
    """
    width = max(1, _DENSE // len(W))
    for first in range(0, X.shape[1], width):
        j = slice(first, first + width)
        block = X[:, j]
        E = residual(block.toarray(order="F"), W, H[:, j])
        if at_zeros:
            block = block.tocoo()
            E[block.row, block.col] = 0
        yield E

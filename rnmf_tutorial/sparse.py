"""Sparse data: a fit computes at the stored entries of X, and needs the other zeros only in sums.

In a model with a weight for each entry, a zero that is not stored has the weight one,
as if φ(u) = u there. So its cleaned value is zero, and the cleaned data are as sparse
as the data.
"""

from functools import cached_property

import numpy as np
from scipy.sparse import csc_array, sparray

from rnmf_tutorial.core import BLOCK, Point, at_least, inner
from rnmf_tutorial.losses import CANCELLATION, SQUARES, residuals
from rnmf_tutorial.updates import divergence as coordinate


class SparsePoint(Point):
    """A point of sparse data, a CSC array: its entries are the stored ones, as one row.

    Examples
    --------
    >>> X = csc_array([[0.0, 9.0], [9.0, 0.0]])
    >>> SparsePoint(X, np.array([[1.0], [2.0]]), np.array([[3.0, 4.0]])).WH
    array([[6., 4.]])
    """

    @property
    def entries(self):
        """The stored entries of X."""
        return self.data.data[None]

    def array(self, name):
        """Return the shared array of that name, of the shape of the entries, to write into."""
        if name not in self.memory.arrays:
            self.memory.arrays[name] = np.empty_like(self.entries)
        return super().array(name)

    @property
    def WH(self):
        """The product WH where X has stored entries, in shared memory."""
        if (found := self.kept("WH")) is None:
            WH = product_at(self.data, self.W, self.H, out=self.array("WH"))
            found = self.keep("WH", (WH,))
        return found[0]

    def matrix(self, entries):
        """Return values of the entries as a sparse array; it shares their memory."""
        return like(self.data, entries)

    def largest_weights(self, q):
        """Return the largest weight in every sample: one, the weight of the zeros."""
        return np.ones(self.data.shape[1], q.dtype)

    def zeros(self, divergence):
        """Return the divergence of the zeros that are not stored."""
        X, W, H = self.data, self.W.astype(float), self.H.astype(float)
        if (
            divergence is not SQUARES
        ):  # the Kullback-Leibler divergence is the sum of WH there
            total = W.sum(axis=0) @ H.sum(axis=1)
            return max(float(total - self.WH.sum(dtype=float)), 0.0)
        total = inner(W.T @ W, H @ H.T)
        rest = total - inner(self.WH.astype(float), self.WH.astype(float))
        if rest > CANCELLATION[self.W.dtype] * total:
            return rest
        rest = 0.0
        for j, E in residuals(X, self.W, self.H):
            stored = X[:, j].tocoo()
            E[stored.row, stored.col] = 0
            rest += inner(E, E)
        return rest

    @cached_property
    def XX(self):
        """The squared norm of X."""
        return inner(self.entries, self.entries)

    @cached_property
    def squares(self):
        """The squared lengths of the samples and of the features."""
        return [self.matrix(self.entries**2).sum(axis=k) for k in (0, 1)]


def like(A, values):
    """Return a sparse array with the pattern of A and other values, whose memory it shares."""
    return csc_array((values.ravel(), A.indices, A.indptr), shape=A.shape)


def product_at(A, W, H, out=None):
    """Return W @ H where A has stored entries.

    Parameters
    ----------
    A : csc_array of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    out : ndarray, optional
        Array for the values, one row.

    Returns
    -------
    ndarray of shape (1, number of stored entries)

    Examples
    --------
    >>> W, H = np.array([[1.0], [2.0]]), np.array([[3.0, 4.0]])
    >>> product_at(csc_array([[0.0, 9.0], [9.0, 0.0]]), W, H)
    array([[6., 4.]])
    """
    columns = np.arange(A.shape[1], dtype=A.indices.dtype).repeat(np.diff(A.indptr))
    W, Ht = np.ascontiguousarray(W), np.ascontiguousarray(H.T)
    out = np.empty((1, A.nnz), W.dtype) if out is None else out
    for first in range(
        0, A.nnz, BLOCK
    ):  # as many rows of W and Hᵀ are copied at a time
        k = slice(first, first + BLOCK)
        np.einsum("kr,kr->k", W[A.indices[k]], Ht[columns[k]], out=out[0, k])
    return out


@coordinate.descend_columns.register(sparray)
def descend_stored(M, W, H, Y):
    """Take the step of `descend_columns` for a sparse M, with WH only at its stored entries."""
    M, Y, H, W = M.tocsc(), Y.tocsc(), np.array(H, order="C"), np.ascontiguousarray(W)
    pairs, place = coordinate.pairs_of(W.T)
    pairs = np.ascontiguousarray(pairs.T)
    limits = np.finfo(M.dtype)
    sums = W.sum(axis=0)
    drop = 0.0
    most = limits.max / (1e3 * max(pairs.sum(axis=0).max(initial=0), 1))
    rows = np.flatnonzero(sums)
    width = max(1, coordinate.BLOCK // pairs.shape[1])
    for first in range(0, H.shape[1], width):
        h = H[:, first : first + width]
        start = M.indptr[first : first + width + 1]
        k = slice(start[0], start[-1])
        m = csc_array(
            (M.data[k], M.indices[k], start - start[0]), shape=(len(W), h.shape[1])
        )
        floored = at_least(Y.data[k], limits.tiny**0.25)
        R = m.data / floored
        slope = (like(m, R).T @ W).T - sums[:, None]
        R = like(m, np.minimum(R / floored, most))
        d = coordinate.minimize_models((R.T @ pairs).T[place], slope, h, rows) - h
        change = product_at(m, W, d)[0]
        s = np.sign(m.data) * change / floored
        sigma = -np.minimum(like(m, s).min(axis=0).toarray().ravel(), 0)
        squares = like(m, m.data * s * s).sum(axis=0)
        gain = at_least(np.einsum("kj,kj->j", slope, d), 0)
        t = gain / np.maximum(squares + gain * sigma, np.maximum(gain, limits.tiny))
        drop += float(gain @ t) / 2
        at_least(h + t * d, 0, out=h)
        Y.data[k] += change * t.repeat(np.diff(start))
    return H, drop

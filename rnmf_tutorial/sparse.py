"""Sparse data: a fit computes at the stored entries of X, and needs the other zeros only in sums.

In a model with a weight for each entry, a zero that is not stored has the weight one,
as if φ(u) = u there. So its cleaned value is zero, and the cleaned data are as sparse
as the data.
"""

from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.sparse import csc_array, sparray

from rnmf_tutorial.arithmetic import BLOCK, inner
from rnmf_tutorial.fitting import Work
from rnmf_tutorial.losses import CANCELLATION, SQUARES, residuals
from rnmf_tutorial.solvers import active_set, kullback_leibler


class SparseWork(Work):
    """Sparse data, a CSC array, and three arrays of the shape of its stored entries.

    The stored entries are one row.

    Examples
    --------
    >>> work = SparseWork(csc_array([[0.0, 9.0], [9.0, 0.0]]))
    >>> work.multiply(np.array([[1.0], [2.0]]), np.array([[3.0, 4.0]]))
    >>> work.WH
    array([[6., 4.]])
    """

    has_other_zeros = True

    def __init__(self, X, mask=None):
        super().__init__(X)
        self.entries = X.data[None]

    def multiply(self, W, H, fill=True):
        """Compute the product WH where X has stored entries."""
        if self.WH is None:
            self.WH = np.empty_like(self.entries)
            self.energies = np.empty_like(self.entries)
            self.weights = np.empty_like(self.entries)
        product_at(self.X, W, H, out=self.WH)

    def as_matrix(self, values):
        """Return values of the entries as a sparse array; it shares their memory."""
        return like(self.X, values)

    def rest(self, divergence, W, H):
        """Return the divergence of the zeros that are not stored."""
        X = self.X
        double_W = W.astype(float)
        double_H = H.astype(float)
        if divergence is not SQUARES:
            # The Kullback-Leibler divergence is the sum of WH there.
            total = double_W.sum(axis=0) @ double_H.sum(axis=1)
            return max(float(total - self.WH.sum(dtype=float)), 0.0)
        double_WH = self.WH.astype(float)
        total = inner(double_W.T @ double_W, double_H @ double_H.T)
        rest = total - inner(double_WH, double_WH)
        if rest > CANCELLATION[W.dtype] * total:
            return rest
        rest = 0.0
        for j, E in residuals(X, W, H):
            stored = X[:, j].tocoo()
            E[stored.row, stored.col] = 0
            rest += inner(E, E)
        return rest

    def with_weighted_features(self, roots):
        """Return the data with each feature multiplied by a number."""
        return SparseWork(self.X.multiply(roots).tocsc())

    def squared_lengths(self, axis):
        """Return the squared lengths of the samples (axis 0) or features (axis 1) of X."""
        if axis not in self._squared_lengths:
            squares = self.as_matrix(self.entries**2)
            self._squared_lengths[axis] = squares.sum(axis=axis)
        return self._squared_lengths[axis]

    def largest_entries(self):
        """Return the largest absolute value of each sample."""
        return abs(self.X).max(axis=0).toarray().ravel().astype(float)

    @cached_property
    def complete_squares(self):
        """The squared norm of X."""
        return inner(self.entries, self.entries)


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


@active_set.problems.register(SparseWork)
def sparse_problems(work, W, Q):
    r"""Yield A and b for each sample, as for dense data, with one row for each column of W.

    With weights, :math:`W^T \operatorname{diag}(q) W` is :math:`W^TW`, which all samples
    share, plus a sum over the stored entries, as a zero that is not stored has the
    weight one. A is a root of this matrix.
    """
    X = work.X
    if Q is None:
        basis, triangle = np.linalg.qr(W)
        projected = (X.T @ basis).T
        for b in projected.T:
            yield triangle, b
        return
    gram = W.T @ W
    for first, end in pairwise(X.indptr):
        stored = W[X.indices[first:end]]
        q = Q[0, first:end].astype(float)
        values, vectors = np.linalg.eigh(gram + (stored.T * (q - 1)) @ stored)
        kept = values > len(gram) * np.finfo(float).eps * values[-1]
        roots = np.sqrt(values[kept])
        directions = vectors[:, kept]
        projected = directions.T @ (stored.T @ (q * X.data[first:end]))
        yield roots[:, None] * directions.T, projected / roots


@kullback_leibler.descend_columns.register(sparray)
def descend_stored(M, W, H, Y, minimize=None, mask=None):
    """Take the step of `descend_columns` for a sparse M, with WH only at its stored entries."""
    minimize = kullback_leibler.minimize_models if minimize is None else minimize
    M = M.tocsc()
    Y = Y.tocsc()
    H = np.array(H, order="C")
    W = np.ascontiguousarray(W)
    pairs, place = kullback_leibler.pairs_of(W.T)
    pairs = np.ascontiguousarray(pairs.T)
    sums = W.sum(axis=0)
    rows = np.flatnonzero(sums)
    limits = np.finfo(M.dtype)
    most = limits.max / (1e3 * max(pairs.sum(axis=0).max(initial=0), 1))
    fall = 0.0
    width = max(1, kullback_leibler.MODEL_BLOCK // pairs.shape[1])
    for first in range(0, H.shape[1], width):
        h = H[:, first : first + width]
        start = M.indptr[first : first + width + 1]
        k = slice(start[0], start[-1])
        parts = (M.data[k], M.indices[k], start - start[0])
        m = csc_array(parts, shape=(len(W), h.shape[1]))

        # The gradient and the second derivatives, then the minimum of the model.
        floored = np.clip(Y.data[k], limits.tiny**0.25, np.inf)
        R = m.data / floored
        slope = (like(m, R).T @ W).T - sums[:, None]
        R = like(m, np.minimum(R / floored, most))
        hessian = (R.T @ pairs).T[place]
        d = minimize(hessian, slope, h, rows) - h

        # The length t of the step.
        change = product_at(m, W, d)[0]
        s = np.sign(m.data) * change / floored
        sigma = -np.minimum(like(m, s).min(axis=0).toarray().ravel(), 0)
        squares = like(m, m.data * s * s).sum(axis=0)
        gain = np.clip(np.einsum("kj,kj->j", slope, d), 0, np.inf)
        t = gain / np.maximum(squares + gain * sigma, np.maximum(gain, limits.tiny))

        fall += float(gain @ t) / 2
        np.clip(h + t * d, 0, np.inf, out=h)
        Y.data[k] += change * t.repeat(np.diff(start))
    return H, fall

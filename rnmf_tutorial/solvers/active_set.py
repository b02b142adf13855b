r"""The best coefficients for a fixed basis, exactly: least squares by an active set.

For one sample x the problem is :math:`\min_{h \ge 0} \sum_i q_i (x_i - (Wh)_i)^2`. It is
convex, and Lawson and Hanson's method ends at its minimum after finitely many steps:
:func:`scipy.optimize.nnls`. Coordinate descent and gradient steps become very short where
the columns of W are nearly the same, and then stop far from the minimum.
"""

from functools import singledispatch

import numpy as np
from scipy.optimize import nnls
from scipy.sparse import issparse

from rnmf_tutorial.losses import SMALLEST_WEIGHT

# Weights in a sample that differ more than this lose all digits of the small residuals
# when the root of a tiny weight is multiplied by a huge entry.
LEAST_WEIGHT = np.sqrt(np.finfo(float).eps)


def best_coefficients(work, W, Q=None):
    r"""Return the H ≥ 0 with the smallest :math:`\sum_{ij} Q_{ij} (X - WH)_{ij}^2`.

    Missing entries do not count. Each sample is a problem of its own.

    Parameters
    ----------
    work : Work
        The data.
    W : ndarray of shape (n_features, r)
    Q : ndarray, optional
        Positive weights of the entries, or of the stored entries of sparse data, in a
        shape that broadcasts to them. None means that all are one.

    Returns
    -------
    ndarray of shape (r, n_samples)
        In the floating point type of W. The computation is in double precision.

    References
    ----------
    Lawson and Hanson, *Solving least squares problems*, 1974, chapter 23.

    Examples
    --------
    >>> from rnmf_tutorial.fitting import Work
    >>> W = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    >>> X = np.array([[3.0, 3.0], [1.0, -1.0], [1.0, 0.0]])
    >>> best_coefficients(Work(X), W).round(6)
    array([[2., 3.],
           [1., 0.]])
    """
    r = W.shape[1]
    H = np.zeros((r, work.X.shape[1]), W.dtype)
    for j, (A, b) in enumerate(problems(work, W.astype(np.float64), Q)):
        if len(b):  # not if W is zero
            H[:, j] = nnls(A, b, maxiter=100 * r)[0]
    return H


@singledispatch  # on the kind of the data
def problems(work, W, Q):
    r"""Yield A and b for each sample: its squares are :math:`\lVert b - Ah \rVert^2`.

    They may differ from the squares by a number that does not depend on h.
    """
    X = work.X
    if Q is None:
        # All complete samples share the triangle of W = QR.
        basis, triangle = np.linalg.qr(W)
        projected = (X.T @ basis).T
    else:
        roots = np.broadcast_to(np.sqrt(Q, dtype=np.float64), X.shape)
    for j in range(X.shape[1]):
        known = slice(None)
        if work.mask is not None and work.mask[:, j].any():
            known = ~work.mask[:, j]
        if Q is not None:
            root = roots[known, j]
            yield root[:, None] * W[known], root * X[known, j]
        elif isinstance(known, slice):
            yield triangle, projected[:, j]
        else:
            yield W[known], X[known, j]


def reweighted(work, W, H, loss):
    """Return the best H for the weights of the loss at W and H.

    The weighted squares majorize the loss, so the loss of no sample rises.

    Parameters
    ----------
    work : Work
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
        Not changed.
    loss : WeightedLoss or ColumnErrorsLoss
        A loss that depends on the squares of the residuals.

    Returns
    -------
    ndarray of shape (r, n_samples)

    Examples
    --------
    >>> from rnmf_tutorial.fitting import Work
    >>> from rnmf_tutorial.losses import Huber, WeightedLoss
    >>> work = Work(np.array([[2.0], [2.0], [9.0]]))
    >>> mean = np.array([[13 / 3]])
    >>> loss = WeightedLoss(Huber(), scale=1.0)
    >>> reweighted(work, np.ones((3, 1)), mean, loss).round(2)
    array([[3.4]])
    """
    comparison = loss.compare(work, W, H)
    Q = loss.positive_weights(comparison)
    if Q.shape == work.X.shape and not issparse(work.X):
        least = LEAST_WEIGHT * Q.max(axis=0)
        tiny = least > Q
        if tiny.any():
            # A larger weight with a nearer value has the same slope at WH, and is
            # steeper elsewhere. So this majorizes the loss, too.
            WH = W @ H
            # The smallest weight times an absurd entry can still be a large number.
            negligible = 2 * SMALLEST_WEIGHT[Q.dtype] >= Q
            smaller = np.where(negligible, 0, Q)
            nearer = WH + smaller / np.where(tiny, least, 1) * (work.X - WH)
            work = type(work)(np.where(tiny, nearer, work.X), work.mask)
            Q = np.maximum(Q, least)
    return best_coefficients(work, W, Q)

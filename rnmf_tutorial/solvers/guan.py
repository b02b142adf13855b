r"""Algorithm 1 of Guan et al. (2019) for all columns of H at once, and a pass of Algorithm 2.

Every column of H, and every row of W, is a least squares problem with its own weights q.
Its matrix :math:`W^T \operatorname{diag}(q) W` is computed once. Then Nesterov's method
runs until the projected gradient has fallen to a thousandth of its start, as (15) asks.

:mod:`rnmf_tutorial.papers.guan` solves one column after the other. Here a block of columns
takes its steps together, and a column that meets (15) leaves the block. The steps are the
same.
"""

import numpy as np

from rnmf_tutorial.arithmetic import ratio
from rnmf_tutorial.fitting import Solver, Update
from rnmf_tutorial.solvers.kullback_leibler import pairs_of

# Columns that take their steps together. At rank 40 the matrices of a block then stay in
# the cache of a processor, and with 256 columns a pass takes twice the time.
COLUMNS = 64


def optimal_gradient_columns(X, W, H, Q, *, tolerance=1e-3, steps=1000):
    r"""Minimize :math:`\sum_{ij} Q_{ij} (X - WH)_{ij}^2` over H ≥ 0 by Algorithm 1.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
        The start; not changed.
    Q : ndarray of shape (n_features, n_samples)
        The weights; zero for outliers.
    tolerance : float, default=1e-3
        A column stops when its projected gradient has fallen to this share of its
        length at the start.
    steps : int, default=1000
        The largest number of steps, as in :func:`rnmf_tutorial.papers.guan.optimal_gradient`.

    Returns
    -------
    H : ndarray of shape (r, n_samples)
    taken : ndarray of int of shape (n_samples,)
        How many steps each column took.

    References
    ----------
    Guan et al. (2019), equations (13) and (15) and Algorithm 1.

    Examples
    --------
    >>> X, W, Q = np.array([[2.0], [9.0]]), np.ones((2, 1)), np.array([[1.0], [0.0]])
    >>> optimal_gradient_columns(X, W, np.ones((1, 1)), Q)
    (array([[2.]]), array([1]))
    """
    pairs, place = pairs_of(W.T)
    b = (Q * X).T @ W
    h = H.T.copy()
    taken = np.zeros(len(h), int)
    for first in range(0, len(h), COLUMNS):
        block = slice(first, first + COLUMNS)
        # Row (k, l) of the pairs times a column of Q is entry (k, l) of WᵀDW (13).
        K = (Q.T[block] @ pairs.T)[:, place]
        h[block], taken[block] = _optimal_gradient(
            K, b[block], h[block], tolerance, steps
        )
    return h.T, taken


def _optimal_gradient(K, b, h, tolerance, steps):
    """Algorithm 1 for a block of columns; here a column is a row of b and of h.

    The numbers are those of the lines of the printed algorithm. Two things are arranged
    in another way, for speed. Everything is divided by L at the beginning. And the
    gradient is affine, so the point z - ∇(z) of line 4 lies on the line through the points
    h - ∇(h) of the last two steps, as z lies on the line through the last two h.
    """
    solution = h.copy()
    taken = np.zeros(len(h), int)
    columns = np.arange(len(h))  # those that have not met (15)
    L = np.linalg.eigvalsh(K)[:, -1:]  # 2, the largest eigenvalue
    K = ratio(K, L[:, :, None])
    b = ratio(b, L)
    slope = _times(K, h) - b
    first = _projected_length(slope, h)
    left = first
    ahead = h - slope
    ahead_old = ahead.copy()  # 1, as z is h
    alpha = 1.0
    momentum = 0.0
    for step in range(steps + 1):
        going = left > tolerance * first  # (15)
        if step == steps:
            going[:] = False
        if not going.all():
            stopped = columns[~going]
            solution[stopped] = h[~going]  # 8; z is printed
            taken[stopped] = step
            columns = columns[going]
            if len(columns) == 0:
                break
            K = K[going]
            b = b[going]
            h = h[going]
            first = first[going]
            ahead = ahead[going]
            ahead_old = ahead_old[going]
        # 6 and 3: z - ∇(z) = a + momentum (a - a_old), with a = h - ∇(h).
        point = np.subtract(ahead, ahead_old, out=ahead_old)
        point *= momentum
        point += ahead
        h = np.maximum(point, 0, out=point)  # 4
        alpha_old = alpha
        alpha = (1 + np.sqrt(4 * alpha**2 + 1)) / 2  # 5
        momentum = (alpha_old - 1) / alpha
        slope = _times(K, h)
        slope -= b
        ahead_old = ahead
        ahead = h - slope
        left = _projected_length(slope, h)
    return solution, taken


def _times(K, h):
    """Return K h of every column."""
    return np.matmul(K, h[:, :, None])[:, :, 0]


def _projected_length(slope, h):
    """Return the length of the projected gradient of every column, defined before (15)."""
    projected = np.minimum(slope, 0)
    np.copyto(projected, slope, where=h > 0)
    return np.sqrt(np.einsum("jk,jk->j", projected, projected))


def truncated_weights(loss, comparison):
    """Return the weights of lines 2, 4 and 7 of Algorithm 2: zero for outliers.

    Parameters
    ----------
    loss : TruncatedLoss
    comparison : Comparison

    Returns
    -------
    ndarray of shape (n_features, n_samples)
    """
    return np.where(comparison.u > loss.phi.cap, 0, comparison.slopes)


class OptimalGradientUpdates(Solver):
    """Lines 5 to 9 of Algorithm 2, with Algorithm 1 for every column and every row.

    The memory has the number of steps that each column of H and each row of W took.
    """

    def update(self, work, loss, comparison, memory):
        """Return the next W and H."""
        Q = truncated_weights(loss, comparison)
        W = comparison.W
        H, steps_of_H = optimal_gradient_columns(work.X, W, comparison.H, Q)  # 5-6
        halfway = loss.compare(work, W, H, fill=False)
        Q = truncated_weights(loss, halfway)  # 7
        Wt, steps_of_W = optimal_gradient_columns(work.X.T, H.T, W.T, Q.T)  # 8-9
        return Update(Wt.T, H, memory=(steps_of_H, steps_of_W))

    def update_H(self, work, loss, comparison):
        """Return the next H for a fixed W."""
        Q = truncated_weights(loss, comparison)
        H, _ = optimal_gradient_columns(work.X, comparison.W, comparison.H, Q)
        return H

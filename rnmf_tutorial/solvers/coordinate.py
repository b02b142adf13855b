r"""Coordinate descent on cleaned data M, for every loss that squares of M - WH majorize.

As a function of one entry of H, :math:`\lVert M - WH\rVert^2` is a parabola, and its
minimum over :math:`h \ge 0` has a formula. The formula needs :math:`G = W^TW` and
:math:`B = W^TM`, but no pass over M, so a few rounds over all rows of H cost less than
the product B. The update of W is the same problem, transposed.
"""

from dataclasses import dataclass

import numpy as np

from rnmf_tutorial.arithmetic import BLOCK
from rnmf_tutorial.fitting import Solver, Update

ROUNDS = 4  # over the rows of a factor for each product with M; measured

# Rows that are updated together: one product subtracts what all other rows contribute.
ROWS_TOGETHER = 8


@dataclass(eq=False)
class CoordinateDescent(Solver):
    r"""Clean the data, then go a few rounds over the rows of H and the columns of W.

    The rounds for H and those for W do not raise :math:`\sum_{ij} f_i d_j (M -
    WH)_{ij}^2`. It majorizes the loss, so they do not raise the loss either. As the
    fall is known, the loop also tries to extrapolate.

    Parameters
    ----------
    normalize : {None, "l1", "l2"}, default=None
        The norm that the columns of W get after each sweep.

    References
    ----------
    Cichocki, Zdunek and Amari, *Hierarchical ALS algorithms for nonnegative matrix and
    3D tensor factorization*, 2007; for the rounds, Gillis and Glineur, *Accelerated
    multiplicative updates and hierarchical ALS algorithms for nonnegative matrix
    factorization*, 2012; for the extrapolation, Ang and Gillis, *Accelerating
    nonnegative matrix factorization algorithms using extrapolation*, 2019.

    Examples
    --------
    >>> from rnmf_tutorial.fitting import Work, iterate
    >>> from rnmf_tutorial.losses import WeightedLoss
    >>> start = Work(np.full((1, 2), 3.0)), np.ones((1, 1)), np.ones((1, 2))
    >>> start, end = iterate(*start, WeightedLoss(), CoordinateDescent(), max_iter=1)
    >>> end.H
    array([[3., 3.]])
    """

    normalize: str | None = None

    def update(self, work, loss, comparison, memory):
        """Return W and H after the rounds, and how much they lower the loss at least."""
        H, sums = self.update_H_with_sums(work, loss, comparison)
        W, fall = self.update_W_from_sums(comparison.W, sums)
        return Update(W, H, fall=loss.factor * fall)

    def update_H(self, work, loss, comparison):
        """Return the next H for a fixed W."""
        M, f, _ = loss.cleaned(work, comparison)
        gram, B = normal_equations(work, comparison, M, f)
        return descend_rows(gram, B, comparison.H)

    def update_H_with_sums(self, work, loss, comparison):
        """Return the next H, and the sums over samples from which the next W follows.

        These are the fall of the weighted squares, HDHᵀ and HDMᵀ, where D is the
        diagonal matrix of the weights d of the samples; and the weights f of the
        features, or None.
        """
        M, f, d = loss.cleaned(work, comparison)
        gram, B = normal_equations(work, comparison, M, f)
        before = quadratic(gram, B, comparison.H, d)
        H = descend_rows(gram, B, comparison.H)
        fall = before - quadratic(gram, B, H, d)
        HD = H if d is None else H * d
        return H, (fall, HD @ H.T, HD @ M.T, f)

    def update_W_from_sums(self, W, sums):
        """Return the next W, and the fall of the weighted squares by H and W together."""
        fall, gram, B, f = sums
        before = quadratic(gram, B, W.T, f)
        Wt = descend_rows(gram, B, W.T)
        return Wt.T, fall + before - quadratic(gram, B, Wt, f)


def normal_equations(work, comparison, M, f=None):
    """Return G = WᵀFW and B = WᵀFM, with the weights f of features on the diagonal of F."""
    W = comparison.W
    if f is not None:
        WF = W.T * f
        return WF @ W, WF @ M
    if M is work.X:
        return comparison.WtW, comparison.WtX
    return W.T @ W, W.T @ M


def descend_rows(gram, B, H, rounds=ROUNDS):
    r"""Minimize :math:`\lVert M - WH\rVert^2` over one row of H ≥ 0 after the other.

    As a function of the row :math:`h_k` alone the squares are, up to a constant,
    :math:`G_{kk}\lVert h_k\rVert^2 - 2\langle h_k,\; b_k - \sum_{l \ne k} G_{kl}
    h_l\rangle`, with the minimizer

    .. math:: h_k \leftarrow \max\Bigl(0,\;
              \frac{b_k - \sum_{l \ne k} G_{kl} h_l}{G_{kk}}\Bigr).

    If :math:`G_{kk} = 0`, column k of W is zero and every row is a minimizer; the row
    is unchanged. So a component that is zero in one factor can become positive again.

    Parameters
    ----------
    gram : ndarray of shape (r, r)
        :math:`G = W^TW`.
    B : ndarray of shape (r, n)
        :math:`W^TM`.
    H : ndarray of shape (r, n)
        The start, non-negative; not changed.
    rounds : int
        Number of rounds over all rows.

    Returns
    -------
    ndarray of shape (r, n)
        In C order.

    References
    ----------
    Cichocki, Zdunek and Amari, *Hierarchical ALS algorithms for nonnegative matrix and
    3D tensor factorization*, 2007; for the rounds, Gillis and Glineur, *Accelerated
    multiplicative updates and hierarchical ALS algorithms for nonnegative matrix
    factorization*, 2012.

    Examples
    --------
    >>> W, M = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[2.0], [5.0]])
    >>> descend_rows(W.T @ W, W.T @ M, np.zeros((2, 1)), rounds=1)
    array([[3.5],
           [1.5]])
    """
    before = H
    H = np.empty(before.shape, before.dtype)
    diagonal = np.diag(gram)
    tiny = np.finfo(gram.dtype).tiny
    moving = np.flatnonzero(diagonal >= tiny)

    # Divide row k of the equations by G_kk: then the minimizer of row k is its row of
    # `target` minus what the other rows contribute.
    divisor = np.where(diagonal >= tiny, diagonal, 1)[:, None]
    others = gram / divisor
    np.fill_diagonal(others, 0)

    # The rows in groups: what the rows outside a group contribute is one product.
    groups = []
    for first in range(0, len(moving), ROWS_TOGETHER):
        rows = moving[first : first + ROWS_TOGETHER]
        outside = others[rows]
        outside[:, rows] = 0
        inside = others[np.ix_(rows, rows)]
        groups.append((rows, outside, inside))

    width = max(1, BLOCK // len(H))
    for first in range(0, H.shape[1], width):  # a block stays in the cache
        columns = slice(first, first + width)
        h = np.array(before[:, columns], order="C")
        target = B[:, columns] / divisor
        # A column of zeros whose targets are not positive stays as it is. These are
        # most features of wide sparse data after the first sweep.
        moving_columns = np.flatnonzero(np.maximum(h, target).max(axis=0) > 0)
        few = 2 * len(moving_columns) < h.shape[1]
        if few:
            h = h.take(moving_columns, axis=1)
            target = target.take(moving_columns, axis=1)
            H[:, columns] = 0
        minimizer = np.empty_like(h[0])
        for _ in range(rounds):
            for rows, outside, inside in groups:
                rest = target[rows]
                if len(groups) > 1:
                    rest = rest - outside @ h
                group = h[rows]
                for k, coupling in enumerate(inside):
                    np.dot(coupling, group, out=minimizer)
                    np.subtract(rest[k], minimizer, out=minimizer)
                    np.maximum(minimizer, 0, out=group[k])
                h[rows] = group
        if few:
            columns = first + moving_columns
        H[:, columns] = h
    return H


def quadratic(gram, B, H, weights=None):
    """Return the (weighted) ‖M - WH‖² minus ‖M‖², from small products."""
    columns = np.empty(H.shape[1])
    width = max(1, BLOCK // len(H))
    for first in range(0, H.shape[1], width):  # a block stays in the cache
        j = slice(first, first + width)
        h = H[:, j]
        sums = gram @ h - 2 * B[:, j]
        columns[j] = np.einsum("kj,kj->j", h, sums, dtype=np.float64)
    return float(columns.sum() if weights is None else columns @ weights)

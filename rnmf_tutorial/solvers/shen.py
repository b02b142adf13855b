"""Shen et al. (2012): NMF with an error matrix S whose columns are sparse.

The equations are those of Díaz, Steele and Nguyen, whose U, V, E are W, H, S here.
:class:`ColumnErrorsLoss` is the objective with the best S, for coordinate descent.
:class:`ShenUpdates` is the published method, in which S = P - N is an unknown.
"""

from typing import NamedTuple

import numpy as np

from rnmf_tutorial.arithmetic import BLOCK, inner, product, ratio, residual
from rnmf_tutorial.fitting import Loss, Solver, Update
from rnmf_tutorial.losses import Comparison
from rnmf_tutorial.solvers.zhang import soft_threshold


def column_thresholds(E, lam):
    r"""Return the threshold of each column: a larger residual counts as an error.

    The minimizer over s of :math:`\lVert e - s\rVert^2 + \lambda\lVert s\rVert_1^2` is
    e soft-thresholded at :math:`t = \lambda\lVert s\rVert_1`. With the sizes in
    descending order, :math:`|e|_{(1)} \ge |e|_{(2)} \ge \dots`,

    .. math:: t = \max_{k} \frac{|e|_{(1)} + \dots + |e|_{(k)}}{k + 1/\lambda}.

    Parameters
    ----------
    E : ndarray of shape (n_features, n_samples)
        Residuals.
    lam : float
        :math:`\lambda > 0`; it has no unit.

    Returns
    -------
    ndarray of shape (n_samples,)
        :math:`t`, in the units of E.

    Examples
    --------
    >>> import numpy as np
    >>> column_thresholds(np.array([[3.0, 3.0], [0.0, -3.0]]), lam=1.0).tolist()
    [1.5, 2.0]
    """
    sizes = np.abs(E)
    sizes[::-1].sort(axis=0)  # in place, the largest first
    k = np.arange(1, len(E) + 1, dtype=E.dtype)[:, None]
    return np.divide(sizes.cumsum(axis=0, out=sizes), k + 1 / lam, out=sizes).max(
        axis=0
    )


def shrink_columns(E, lam):
    r"""Return the best error S for the residuals E, in closed form.

    Minimizes :math:`\lVert E - S\rVert_F^2 + \lambda \sum_j \lVert S_{\cdot
    j}\rVert_1^2`.

    Parameters
    ----------
    E : ndarray of shape (n_features, n_samples)
        Residuals.
    lam : float
        :math:`\lambda > 0`; it has no unit.

    Returns
    -------
    ndarray of shape (n_features, n_samples)

    Examples
    --------
    >>> import numpy as np
    >>> shrink_columns(np.array([[3.0, 3.0], [0.0, -3.0]]), lam=1.0).tolist()
    [[1.5, 1.0], [0.0, -1.0]]
    """
    return soft_threshold(E, column_thresholds(E, lam))


class ColumnErrorsLoss(Loss):
    r"""The loss (9) of Díaz et al. with the best S for W and H, for coordinate descent.

    Parameters
    ----------
    lam : float
        The weight λ of the squared sums of the columns of S.
    """

    of_squares = True

    def __init__(self, lam):
        self.lam = lam

    def compare(self, work, W, H, memory=None, products=None, *, fill=True):
        """Return a comparison with the value of (9) for the best S, and with X - S."""
        work.multiply(W, H, fill)
        comparison = Comparison(work.X, W, H)
        E = np.subtract(work.X, work.WH, out=work.weights)
        S = shrink_columns(E, self.lam)
        E -= S
        comparison.WH = work.WH
        comparison.within = E  # the residuals, clipped at the threshold
        columns = np.abs(S, out=work.energies).sum(axis=0, dtype=float)
        comparison.value = inner(E, E) + self.lam * float(columns @ columns)
        comparison.cleaned = np.subtract(work.X, S, out=work.energies)
        return comparison

    def total(self, work, comparison):
        """Return (9), second line."""
        return comparison.value

    def cleaned(self, work, comparison):
        """Return X - S as cleaned data, whose squares majorize (9)."""
        return comparison.cleaned, None, None

    def positive_weights(self, comparison):
        r"""Return the weights min(1, t/\|e\|) of the residuals e, with the threshold t.

        (9) with the best S is concave in the squares of the residuals of a sample, and
        these are its derivatives: an entry of S is e minus the weight times e.
        """
        E = comparison.X - comparison.WH
        return np.divide(comparison.within, E, out=np.ones_like(E), where=E != 0)

    def best_errors(self, work, W, H):
        """Return the best S for W and H."""
        work.multiply(W, H)
        E = np.subtract(work.X, work.WH, out=work.weights)
        return shrink_columns(E, self.lam)


class ShenComparison(NamedTuple):
    """W and H, and the two parts of the error matrix S = P - N next to them."""

    W: np.ndarray
    H: np.ndarray
    P: np.ndarray
    N: np.ndarray


class ShenLoss(Loss):
    """The loss (9) of Díaz et al., second line, with P + N in place of the size of S.

    Parameters
    ----------
    lam : float
        The weight λ of the squared sums of the columns of P + N.
    """

    def __init__(self, lam):
        self.lam = lam

    def compare(self, work, W, H, memory=None, products=None, *, fill=True):
        """Return W, H, P and N: those of the last sweep, or those of a start."""
        if work.mask is not None:
            work.multiply(W, H)
        P, N = self.first_parts(work, W, H) if memory is None else memory
        return ShenComparison(W, H, P, N)

    def first_parts(self, work, W, H):
        """Return positive P and N: those of the best S at W and H, plus a margin.

        They are zero at missing entries, which have no error. The updates never change
        a zero.
        """
        X = work.X
        P = np.empty_like(X)
        N = np.empty_like(X)
        rows = X.sum(axis=1)[:, None]
        columns = ratio(X.sum(axis=0), 100 * X.sum(keepdims=True))
        for j in blocks_of_columns(X):
            S = shrink_columns(residual(X[:, j], W, H[:, j]), self.lam)
            margin = product(rows, columns[:, j])
            if work.mask is not None:
                margin[work.mask[:, j]] = 0
            S[margin == 0] = 0
            P[:, j] = np.maximum(S, 0) + margin
            N[:, j] = np.maximum(-S, 0) + margin
        return P, N

    def total(self, work, comparison):
        """Return (9), second line."""
        W, H, P, N = comparison
        squares = 0.0
        for j in blocks_of_columns(work.X):
            M = without_errors(work.X[:, j], P[:, j], N[:, j])
            E = residual(M, W, H[:, j])
            squares += inner(E, E)
        columns = P.sum(axis=0) + N.sum(axis=0)
        return squares + self.lam * float(columns @ columns)


class ShenUpdates(Solver):
    """Update W, then H, P and N together by the blocks of (13); project to X - S ≥ 0.

    Parameters
    ----------
    lam : float
        The weight λ of the squared sums of the columns of P + N.
    """

    def __init__(self, lam):
        self.lam = lam

    def update(self, work, loss, comparison, memory):
        """Return the next W and H, and P and N as the memory."""
        X = work.X
        W, H, old_P, old_N = comparison
        P = np.empty_like(X)
        N = np.empty_like(X)
        new_H = H.copy()
        cleaned = without_errors(X, old_P, old_N)
        W = W * ratio(cleaned @ H.T, W @ (H @ H.T))  # (12)
        for j in blocks_of_columns(X):
            blocks = self.stacked(X[:, j], W, H[:, j], old_P[:, j], old_N[:, j])
            new_H[:, j], P[:, j], N[:, j] = blocks
            P[:, j] = np.minimum(P[:, j], X[:, j] + N[:, j])  # X - S >= 0
        return Update(W, new_H, memory=(P, N))

    def stacked(self, X, W, H, P, N):
        r"""Return the three blocks of (13).

        With A = ŨᵀŨ the step multiplies V by (\|A\| V - A V + ŨᵀX̃) / (\|A\| V). The
        block of A that couples P and N is λ - 1 on its diagonal and λ elsewhere; in
        \|A\| the diagonal is c + λ.
        """
        lam = self.lam
        c = abs(lam - 1) - lam
        WH = product(W, H)
        penalty = lam * (P.sum(axis=0) + N.sum(axis=0))
        up = np.maximum(2 * WH + (1 + c) * P - X, 0)
        return (
            H * ratio(W.T @ (X + 2 * N), W.T @ (WH + P + N)),
            P * ratio(X + (1 + c) * N, WH + P + c * N + penalty),
            N * ratio(up, WH + N + c * P + penalty),
        )


def without_errors(X, P, N):
    """Return X - S = X - P + N, at least 0 despite rounding."""
    M = X - P
    M += N
    return np.maximum(M, 0, out=M)


def blocks_of_columns(X):
    """Yield slices that cover the columns of X, a cache-sized block at a time."""
    width = max(1, BLOCK // len(X))
    for first in range(0, X.shape[1], width):
        yield slice(first, first + width)

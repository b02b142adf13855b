"""Robust NMF with an error that is sparse in every column (Shen et al., 2012)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rnmf_tutorial.arrays import inner, product, ratio, residual
from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.robust import soft_threshold
from rnmf_tutorial.estimators.warnings import NEARLY_ALL
from rnmf_tutorial.steps.coordinate import Coordinate
from rnmf_tutorial.steps.nesterov import lipschitz_bound, optimal_gradient

__all__ = ["ColumnErrors", "L1RobustNMF", "ShenUpdates", "column_thresholds", "shrink_columns"]

# Entries of X in one block of columns: its few temporaries then stay in the cache.
_BLOCK = 2**15


# t = λ Σ (|e| - t)₊ at t = kσ for m normal errors: the sum is 2 (φ(k) - k Q(k)) σ m, which is
# 0.0828 σ m for k = 1.345, the cutoff with 95 % efficiency; so λ = 16.2 / m.
_NORMAL = 16


def column_thresholds(E, lam):
    r"""Return the size, column by column, that a residual must exceed to count as an error.

    The minimizer over s of :math:`\lVert e - s\rVert^2 + \lambda\lVert s\rVert_1^2` is e
    soft-thresholded at :math:`t = \lambda\lVert s\rVert_1`. With the sizes in descending order,
    :math:`|e|_{(1)} \ge |e|_{(2)} \ge \dots`,

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
    sizes = np.sort(np.abs(E), axis=0)[::-1]
    k = np.arange(1, len(E) + 1, dtype=E.dtype)[:, None]
    return (sizes.cumsum(axis=0) / (k + 1 / lam)).max(axis=0)


def shrink_columns(E, lam):
    r"""Return the best error S for the residuals E, in closed form.

    Minimizes :math:`\lVert E - S\rVert_F^2 + \lambda \sum_j \lVert S_{\cdot j}\rVert_1^2`.

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


@dataclass(frozen=True)
class ColumnErrors:
    r"""The loss (9), with its S at the best.

    Parameters
    ----------
    lam : float
        The weight λ of the squared sums of the columns of S.
    """

    lam: float
    factor = 1.0
    by_sample = True

    def rescaled(self, point):
        """Return the loss itself."""
        return self

    def errors(self, point):
        """Return the best S."""
        return shrink_columns(residual(point.X, point.W, point.H), self.lam)

    def value(self, point):
        """Return (9), second line, with the P and N that the step has found if it leaves some."""
        if "P" not in vars(point):
            return self._evaluate(point)[0]
        squares, P, N = 0.0, point.P, point.N
        for j in blocks_of_columns(point.X):
            E = residual(cleaned(point, j), point.W, point.H[:, j])
            squares += inner(E, E)
        columns = P.sum(axis=0) + N.sum(axis=0)
        return squares + self.lam * float(columns @ columns)

    def clean(self, point):
        """Return X - S, whose squares lie above (9)."""
        return self._evaluate(point)[1], None, None

    def _evaluate(self, point):
        if point.evaluation is None:
            E = np.subtract(point.X, point.WH, out=point.array("Q"))
            S = shrink_columns(E, self.lam)
            E -= S
            columns = np.abs(S).sum(axis=0, dtype=float)
            value = inner(E, E) + self.lam * float(columns @ columns)
            point.evaluation = value, np.subtract(point.X, S, out=S)
        return point.evaluation


def cleaned(point, j=slice(None)):
    """Return X - S = X - P + N in the columns j, at least 0: it is 0 where P = X + N."""
    M = point.X[:, j] - point.P[:, j]
    M += point.N[:, j]
    return np.maximum(M, 0, out=M)


class ShenUpdates:
    """Update W, then H, P and N together by the blocks of (13); then project onto X - S ≥ 0."""

    def __call__(self, point, loss):
        """Return the next point, with its P and N."""
        if "P" not in vars(point):
            point.P, point.N = self.start(point, loss)
        X, H = point.X, point.H.copy()
        P, N = np.empty_like(X), np.empty_like(X)
        W = point.W * ratio(cleaned(point) @ H.T, point.W @ point.HHt)  # (12)
        for j in blocks_of_columns(X):
            old = point.P[:, j], point.N[:, j]
            blocks = self.stacked(X[:, j], W, H[:, j], *old, loss.lam)
            H[:, j], P[:, j], N[:, j] = blocks
            P[:, j] = np.minimum(P[:, j], X[:, j] + N[:, j])  # X - S >= 0
        return point.to(W=W, H=H, P=P, N=N)

    def stacked(self, X, W, H, P, N, lam):
        r"""Return the three blocks of (13).

        With A = ŨᵀŨ the step is V times (\|A\| V - A V + ŨᵀX̃) / (\|A\| V). Outside the diagonal,
        the block of A that couples P and N is λ; on it λ - 1, which \|A\| makes c + λ.
        """
        c = abs(lam - 1) - lam
        WH = product(W, H)
        penalty = lam * (P.sum(axis=0) + N.sum(axis=0))
        up = np.maximum(2 * WH + (1 + c) * P - X, 0)
        return (
            H * ratio(W.T @ (X + 2 * N), W.T @ (WH + P + N)),
            P * ratio(X + (1 + c) * N, WH + P + c * N + penalty),
            N * ratio(up, WH + N + c * P + penalty),
        )

    def start(self, point, loss):
        """Return P and N from the best S at the start point, a little above zero.

        A missing entry has no error; a zero of P and N stays.
        """
        X, W, H, missing = point.X, point.W, point.H, point.missing
        P, N = np.empty_like(X), np.empty_like(X)
        rows, columns = X.sum(axis=1)[:, None], ratio(X.sum(axis=0), 100 * X.sum(keepdims=True))
        for j in blocks_of_columns(X):
            S = shrink_columns(residual(X[:, j], W, H[:, j]), loss.lam)
            margin = product(rows, columns[:, j])
            if missing is not None:
                margin[missing[:, j]] = 0
            S[margin == 0] = 0
            P[:, j] = np.maximum(S, 0) + margin
            N[:, j] = np.maximum(-S, 0) + margin
        return P, N

    def coefficients(self, point, loss):
        """Take H toward the minimum, with W held fixed and S at its best for every H."""
        X, W, lam = point.X, point.W, loss.lam
        L = lipschitz_bound(W.T @ W)

        def descend(H):
            E = residual(X, W, H)
            t = column_thresholds(E, lam)
            return H + ratio(W.T @ np.clip(E, -t, t), L)  # E - S is the clipped E

        return optimal_gradient(descend, point.H, target=0.0, max_iter=50)


def blocks_of_columns(X):
    """Yield slices that cover the columns of X, a cache-sized block at a time."""
    width = max(1, _BLOCK // len(X))
    for first in range(0, X.shape[1], width):
        yield slice(first, first + width)


@estimator
class L1RobustNMF(BaseNMF):
    r"""NMF with an error matrix S whose columns are sparse, by stacked multiplicative updates.

    Minimizes :math:`\lVert X - WH - S\rVert_F^2 + \lambda \sum_j \lVert S_{\cdot j}\rVert_1^2`
    over non-negative W and H and any S with :math:`X - S \ge 0`. The error is split as
    S = P - N with P, N ≥ 0. Each sweep updates W, then H, P and N together; no step ever increases
    the objective.

    The paper stacks H, P and N into one matrix and writes its update with an
    (r + 2m) × (r + 2m) matrix. Its blocks are products with W, the identity and λ times a matrix of
    ones, so that a sweep costs four products of the size of WH and no more memory than P and N.

    Parameters
    ----------
    {n_components}
    lam : float or None, default=None
        The weight λ of the squared column sums of the error. It has no unit: data and fit scale
        together. A residual counts as an error if it exceeds λ times the total size of the errors
        in its column, so the more errors a sample has, the fewer of them are taken out. None
        takes 16 / n_features, by which normal residuals count from 1.35 deviations on; Shen et
        al. take 0.04.
    {solver}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    error_ : ndarray of shape (n_samples, n_features)
        The transpose of S = P - N.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, with P + N in the place of
        :math:`|S|`; the two agree as the smaller of P and N goes to zero.
    n_iter_ : int
        Number of sweeps.

    Notes
    -----
    (13) leaves a zero of P or N at zero, so both start positive, except in the rows and columns
    where X has only zeros. The updates are slow to bring H to its best value for the final W. For
    a fixed W the problem is convex: with S eliminated by ``shrink_columns``, `transform` solves
    it by Nesterov's method.

    *The projection onto* X - S ≥ 0 *never raises the objective.* Where S > X, it puts X in the
    place of S. The residual X - S - WH there was below -WH ≤ 0 and becomes -WH, so its square
    falls. P takes the whole change and falls to X + N, which is at least 0, so the column's sum of
    P + N falls too.

    References
    ----------
    Shen, Si, Ji and Liu, *Robust nonnegative matrix factorization via L1 norm regularization*,
    2012. Equation numbers in the code are those of Díaz, Steele and Nguyen, *Analysis of the
    robustness of NMF algorithms*, whose U, V, E are W, H, S here.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = L1RobustNMF(1, lam=0.1, max_iter=200, tol=0, random_state=0).fit(A)
    >>> np.argwhere(model.error_ > 1).tolist()
    [[1, 2]]
    """

    lam: float | None = None
    solver: str = "cd"

    takes_missing: ClassVar[bool] = True

    def _prepare(self, point, y):
        """Find P and N at the start point for the published updates."""
        if self.solver == "mu":
            point.P, point.N = ShenUpdates().start(point, self._loss(point))
        return ()

    def _loss(self, point):
        """Return (9)."""
        return ColumnErrors(self.lam or _NORMAL / len(point.X))

    def _step(self):
        """Return the updates of Shen et al., or coordinate descent."""
        return Coordinate() if self.solver == "cd" else ShenUpdates()

    def _shown(self, point, loss):
        """Return S."""
        return {"error_": point.P - point.N if "P" in vars(point) else loss.errors(point)}

    def _check(self):
        """Raise an error for a parameter out of range."""
        self._check_number("lam")
        self._check_choice("solver", "mu", "cd")

    def _advice(self, point, loss):
        """Return what is wrong with λ: S, which is at its best, is nearly full."""
        share = np.count_nonzero(loss.errors(point)) / point.X.size
        if share <= NEARLY_ALL:
            return None
        return (
            f"{share:.0%} of the entries count as errors: the error S holds the data, and W and H "
            f"hardly move. Take a larger lam than {loss.lam:.3g}; it has no unit."
        )

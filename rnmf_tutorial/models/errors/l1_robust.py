"""Robust NMF with an error that is sparse in every column (Shen et al., 2012)."""

from typing import ClassVar, NamedTuple

import numpy as np

from rnmf_tutorial.arrays import inner, product, ratio, residual
from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.cleaning import SolverChoice
from rnmf_tutorial.models.complaints import NEARLY_ALL
from rnmf_tutorial.models.errors.robust import soft_threshold
from rnmf_tutorial.models.parameters import estimator
from rnmf_tutorial.solvers.nesterov import lipschitz_bound, optimal_gradient
from rnmf_tutorial.solvers.passes import Seen

__all__ = ["L1RobustNMF", "column_thresholds", "shrink_columns"]

# Entries of X in one block of columns: its few temporaries then stay in the cache.
_BLOCK = 2**15


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


class SignedErrors(NamedTuple):
    """The state: the positive and the negative part of the error.

    Parameters
    ----------
    P, N : ndarray of shape (n_features, n_samples)
        The two parts, non-negative.

    Examples
    --------
    >>> SignedErrors(np.array([[2.0, 0.0]]), np.array([[0.0, 1.0]])).S.tolist()
    [[2.0, -1.0]]
    """

    P: np.ndarray
    N: np.ndarray

    @property
    def S(self):
        """The error."""
        return self.P - self.N

    def cleaned(self, X, j=slice(None)):
        """Return X - S in the columns j, at least 0: it is 0 where P = X + N."""
        cleaned = X[:, j] - self.P[:, j]
        cleaned += self.N[:, j]
        return np.maximum(cleaned, 0, out=cleaned)


@estimator
class L1RobustNMF(SolverChoice, BaseNMF):
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
    lam : float, default=0.04
        The weight λ of the squared column sums of the error. It has no unit: data and fit scale
        together. A residual counts as an error if it exceeds λ times the total size of the errors
        in its column, so the more errors a sample has, the fewer of them are taken out.
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

    lam: float = 0.04
    solver: str = "mu"

    shows: ClassVar[dict] = {"error_": "S"}

    def objective(self, X, W, H, state=None):
        """Return the value of (9), second line."""
        at = self.start(X, W, H) if state is None else state
        squares = 0.0
        for j in blocks_of_columns(X):
            E = residual(at.cleaned(X, j), W, H[:, j])
            squares += inner(E, E)
        columns = at.P.sum(axis=0) + at.N.sum(axis=0)
        return squares + self.lam * float(columns @ columns)

    def sweep(self, X, W, H, now):
        """Update W, then H, P and N together; then project onto X - S ≥ 0."""
        W = W * ratio(now.cleaned(X) @ H.T, W @ (H @ H.T))  # (12)
        H, P, N = H.copy(), np.empty_like(X), np.empty_like(X)
        for j in blocks_of_columns(X):
            H[:, j], P[:, j], N[:, j] = self.stacked(X[:, j], W, H[:, j], now.P[:, j], now.N[:, j])
            P[:, j] = np.minimum(P[:, j], X[:, j] + N[:, j])  # X - S >= 0
        return W, H, SignedErrors(P, N)

    def stacked(self, X, W, H, P, N):
        r"""Return the three blocks of (13).

        With A = ŨᵀŨ the step is V times (\|A\| V - A V + ŨᵀX̃) / (\|A\| V). Outside the diagonal,
        the block of A that couples P and N is λ; on it λ - 1, which \|A\| makes c + λ.
        """
        c = abs(self.lam - 1) - self.lam
        WH = product(W, H)
        penalty = self.lam * (P.sum(axis=0) + N.sum(axis=0))
        return (
            H * ratio(W.T @ (X + 2 * N), W.T @ (WH + P + N)),
            P * ratio(X + (1 + c) * N, WH + P + c * N + penalty),
            N * ratio(np.maximum(2 * WH + (1 + c) * P - X, 0), WH + N + c * P + penalty),
        )

    def start(self, X, W, H, missing=None):
        """Return P and N from the best S at the start point, a little above zero.

        A missing entry has no error; a zero of P and N stays.
        """
        P, N = np.empty_like(X), np.empty_like(X)
        rows, columns = X.sum(axis=1)[:, None], ratio(X.sum(axis=0), 100 * X.sum(keepdims=True))
        for j in blocks_of_columns(X):
            S = shrink_columns(residual(X[:, j], W, H[:, j]), self.lam)
            margin = product(rows, columns[:, j])
            if missing is not None:
                margin[missing[:, j]] = 0
            S[margin == 0] = 0
            P[:, j] = np.maximum(S, 0) + margin
            N[:, j] = np.maximum(-S, 0) + margin
        return SignedErrors(P, N)

    def encode(self, X, W, H):
        """Take H to the minimum, with W held fixed and S at its best for every H."""
        L = lipschitz_bound(W.T @ W)

        def descend(H):
            E = residual(X, W, H)
            t = column_thresholds(E, self.lam)
            return H + ratio(W.T @ np.clip(E, -t, t), L)  # E - S is the clipped E

        return optimal_gradient(descend, H, target=0.0, max_iter=50)

    def look(self, X, W, H, state):
        """Return (9) with S at its best, and the cleaned data X - S."""
        E = residual(X, W, H)
        S = shrink_columns(E, self.lam)
        E -= S
        columns = np.abs(S).sum(axis=0, dtype=float)
        objective = inner(E, E) + self.lam * float(columns @ columns)
        return Seen(objective, np.subtract(X, S, out=S))

    def final_coefficients(self, X, W, H, missing=None):
        """Return the best H for W, found from the last one: the problem is convex in H."""
        return self.encoded(X, W, H, missing)

    def at(self, X, W, H, state):
        """Return the best error for the final coefficients."""
        S = shrink_columns(residual(X, W, H), self.lam)
        return SignedErrors(np.maximum(S, 0), np.maximum(-S, 0))

    def complaint(self, X, W, H, state):
        """Return what is wrong with λ, once S is at its best: S is nearly full."""
        share = np.count_nonzero(state.S) / X.size
        if self.tol == 0 or share <= NEARLY_ALL:
            return None
        return (
            f"{share:.0%} of the entries count as errors: the error S holds the data, and W and H "
            f"hardly move. Take a larger lam than {self.lam:.3g}; it has no unit."
        )

    def check_parameters(self):
        """Raise an error for a parameter out of range."""
        super().check_parameters()
        self.check_positive("lam")


def blocks_of_columns(X):
    """Yield slices that cover the columns of X, a cache-sized block at a time."""
    width = max(1, _BLOCK // len(X))
    for first in range(0, X.shape[1], width):
        yield slice(first, first + width)

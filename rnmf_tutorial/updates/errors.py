"""Updates of models with an error matrix S beside WH: Zhang et al. (2011), Shen et al. (2012).

S is an unknown of the objective. So the class that updates S also computes the
objective: it is both the step and the loss of a fit.
"""

import numpy as np

from rnmf_tutorial.core import (
    BLOCK,
    Loss,
    State,
    inner,
    product,
    ratio,
    residual,
    unit_columns,
)
from rnmf_tutorial.updates.nesterov import lipschitz_bound, optimal_gradient


def soft_threshold(E, threshold, out=None):
    r"""Shrink every entry toward zero by the threshold; smaller entries become zero.

    :math:`T_\nu(e) = \operatorname{sign}(e)\max(|e| - \nu, 0)`, the minimizer over s of
    :math:`\tfrac12 (e - s)^2 + \nu |s|`.

    Parameters
    ----------
    E : ndarray
    threshold : float
        :math:`\nu \ge 0`, in the units of E.
    out : ndarray, optional
        Array for the result; may be `E` itself.

    Returns
    -------
    ndarray

    References
    ----------
    Zhang et al. (2011), equations (26)-(27).

    Examples
    --------
    >>> import numpy as np
    >>> soft_threshold(np.array([-3.0, 0.5, 2.0]), 1.0)
    array([-2.,  0.,  1.])
    """
    inside = np.asarray(np.clip(E, -threshold, threshold))
    return np.subtract(E, inside, out=inside if out is None else out)


class ZhangUpdates(Loss):
    """Algorithm 1 of Zhang et al., and its objective (16), ‖X - WH - S‖² + λ‖S‖₁.

    Parameters
    ----------
    lam : float
        The weight λ of S, in the units of the data.
    """

    def __init__(self, lam):
        self.lam = lam
        self.S = State()

    def __call__(self, point, loss):
        """Update S, W and H, then normalize the columns of W to length one."""
        S = self.best(point)  # (28)
        cleaned = point.X - S
        W = point.W * ratio(cleaned @ point.H.T, point.W @ point.HHt)  # (24)
        H = point.H * ratio(W.T @ cleaned, (W.T @ W) @ point.H)  # (23)
        point = point.to(*unit_columns(W, H))  # (29)-(30)
        self.S.leave(point, S)
        return point

    def coefficients(self, point, loss):
        """Return the next H, with W fixed and the best S for the current H."""
        W = point.W
        return point.H * ratio(W.T @ (point.X - self.best(point)), (W.T @ W) @ point.H)

    def best(self, point):
        """Return the best S for W and H, (28)."""
        E = point.X - point.WH
        return soft_threshold(E, self.lam / 2, out=E)

    def errors(self, point):
        """Return the S of the last sweep if it returned this point, else the best S."""
        S = self.S.at(point)
        return self.best(point) if S is None else S

    def value(self, point):
        """Return (16)."""
        S = self.errors(point)
        E = np.subtract(point.X, point.WH, out=point.array("Q"))
        E -= S
        return inner(E, E) + self.lam * float(np.abs(S, out=E).sum())


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


class ColumnErrors(Loss):
    r"""The loss (9) of Díaz et al. with the best S for W and H, for coordinate descent.

    Parameters
    ----------
    lam : float
        The weight λ of the squared sums of the columns of S.
    """

    factor = 1.0

    def __init__(self, lam):
        self.lam = lam

    def errors(self, point):
        """Return the best S for W and H."""
        return shrink_columns(
            np.subtract(point.X, point.WH, out=point.array("Q")), self.lam
        )

    def value(self, point):
        """Return (9), second line."""
        return self._evaluate(point)[0]

    def clean(self, point):
        """Return X - S as cleaned data, whose squares majorize (9)."""
        return self._evaluate(point)[1], None, None

    def _evaluate(self, point):
        if (found := point.kept("evaluation", self)) is not None:
            return found
        E = np.subtract(point.X, point.WH, out=point.array("Q"))
        S = shrink_columns(E, self.lam)
        E -= S
        u = point.array("u")
        columns = np.abs(S, out=u).sum(axis=0, dtype=float)
        value = inner(E, E) + self.lam * float(columns @ columns)
        cleaned = np.subtract(point.X, S, out=u)
        return point.keep("evaluation", (value, cleaned), self)


class ShenUpdates(Loss):
    """Shen et al.: update W, then H, P and N together by the blocks of (13); project to X - S ≥ 0.

    The error is split, S = P - N with P, N ≥ 0. The value is (9), second line, with P +
    N in place of the absolute value of S.

    Parameters
    ----------
    lam : float
        The weight λ of the squared sums of the columns of P + N.
    """

    def __init__(self, lam):
        self.lam = lam
        self.parts = State()

    def __call__(self, point, loss):
        """Return the next point."""
        old_P, old_N = self.parts_at(point)
        X, H = point.X, point.H.copy()
        P, N = np.empty_like(X), np.empty_like(X)
        W = point.W * ratio(
            without_errors(X, old_P, old_N) @ H.T, point.W @ point.HHt
        )  # (12)
        for j in blocks_of_columns(X):
            blocks = self.stacked(X[:, j], W, H[:, j], old_P[:, j], old_N[:, j])
            H[:, j], P[:, j], N[:, j] = blocks
            P[:, j] = np.minimum(P[:, j], X[:, j] + N[:, j])  # X - S >= 0
        point = point.to(W=W, H=H)
        self.parts.leave(point, (P, N))
        return point

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

    def start(self, point):
        """Return positive P and N: those of the best S at the start, plus a margin.

        They are zero at missing entries, which have no error. The updates never change
        a zero.
        """
        X = point.X
        W = point.W
        H = point.H
        mask = point.mask
        P, N = np.empty_like(X), np.empty_like(X)
        rows = X.sum(axis=1)[:, None]
        columns = ratio(X.sum(axis=0), 100 * X.sum(keepdims=True))
        for j in blocks_of_columns(X):
            S = shrink_columns(residual(X[:, j], W, H[:, j]), self.lam)
            margin = product(rows, columns[:, j])
            if mask is not None:
                margin[mask[:, j]] = 0
            S[margin == 0] = 0
            P[:, j] = np.maximum(S, 0) + margin
            N[:, j] = np.maximum(-S, 0) + margin
        return P, N

    def parts_at(self, point):
        """Return P and N of a point: those of the last sweep, or else those of a start."""
        parts = self.parts.at(point)
        return self.start(point) if parts is None else parts

    def errors(self, point):
        """Return S = P - N."""
        P, N = self.parts_at(point)
        return P - N

    def value(self, point):
        """Return (9), second line."""
        (P, N), X, squares = self.parts_at(point), point.X, 0.0
        for j in blocks_of_columns(X):
            E = residual(
                without_errors(X[:, j], P[:, j], N[:, j]), point.W, point.H[:, j]
            )
            squares += inner(E, E)
        columns = P.sum(axis=0) + N.sum(axis=0)
        return squares + self.lam * float(columns @ columns)

    def coefficients(self, point, loss):
        """Take steps of H toward the minimum, with W fixed and the best S for every H."""
        X = point.X
        W = point.W
        lam = self.lam
        L = lipschitz_bound(W.T @ W)

        def descend(H):
            E = residual(X, W, H)
            t = column_thresholds(E, lam)
            return H + ratio(W.T @ np.clip(E, -t, t), L)  # E - S is the clipped E

        return optimal_gradient(descend, point.H, target=0.0, max_iter=50)


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

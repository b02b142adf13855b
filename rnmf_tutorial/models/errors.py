"""The models with a sparse error matrix S beside WH."""

from typing import ClassVar

import numpy as np

from rnmf_tutorial.core import at_least, positive_mean
from rnmf_tutorial.estimator import ENOUGH, BaseNMF, about_weights, estimator
from rnmf_tutorial.losses import Huber, Loss
from rnmf_tutorial.noise import noise_scale
from rnmf_tutorial.updates.coordinate import Coordinate
from rnmf_tutorial.updates.errors import (
    ColumnErrors,
    ShenUpdates,
    ZhangUpdates,
    soft_threshold,
)

__all__ = ["L1RobustNMF", "RobustNMF"]

# The threshold t of a sample solves t = λ Σ (|e| - t)₊. For m normal residuals and t =
# kσ the sum is 2 (φ(k) - k Q(k)) σ m, with the normal density φ and its upper tail Q.
# At k = 1.345, the cutoff with 95 % efficiency, it is 0.0828 σ m; so λ = 16.2 / m.
_NORMAL = 16


@estimator
class RobustNMF(BaseNMF):
    r"""NMF with a sparse error matrix S that takes the gross errors out of the data.

    Minimizes :math:`\lVert X - WH - S\rVert_F^2 + \lambda \lVert S\rVert_1` over
    non-negative W and H and any S. Each sweep updates S, W and H; no update increases
    the objective.

    See the chapter *Robust NMF* of the book.

    Parameters
    ----------
    {n_components}
    lam : float or None, default=None
        The weight λ of the sparse error, in the units of the data. A residual above λ/2
        counts as an error. A λ above twice the largest residual gives plain NMF. None
        takes three times the median \|e\| of a robust start
        (:mod:`~rnmf_tutorial.noise`), because with the best S the objective is a Huber
        loss with the cutoff λ/2.
    {solver}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W, whose columns have Euclidean length one.
    error_ : ndarray of shape (n_samples, n_features)
        The transpose of S. With "cd" it is the best S for the final W and H; with "mu"
        it is the S of the last sweep, computed before its updates of W and H.
    lam_ : float
        The weight λ.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Zhang, Chen, Zheng and He, *Robust non-negative matrix factorization*, 2011.
    Equation numbers in the code are the paper's.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = RobustNMF(1, lam=0.1, random_state=0).fit(A)
    >>> np.argwhere(model.error_ > 1).tolist()
    [[1, 2]]
    """

    lam: float | None = None
    solver: str = "cd"

    takes_missing: ClassVar[bool] = True

    @property
    def takes_chunks(self):
        """Whether the data may be a Dask array: Algorithm 1 and estimates of λ need all of it."""
        return self.lam is not None and self.solver == "cd"

    def _begin(self, point, y):
        """Return the run; if λ is to be estimated, it begins after a robust fit."""
        self.lam_ = self.lam
        state = None
        if self.lam is None:
            point, state = self._robust_start(point)
            self.lam_ = 2 * noise_scale(point, Huber(), Loss())
        return super()._begin(point, y, state=state)

    def _loss(self, point):
        """Return (16); with the best S it is Huber's loss with the cutoff λ/2."""
        lam = self.lam_ if self.lam is None else self.lam
        return (
            Loss(Huber(), scale=lam / 2) if self.solver == "cd" else ZhangUpdates(lam)
        )

    def _step(self, loss):
        """Return Algorithm 1, which is both loss and step, or coordinate descent."""
        return Coordinate(normalize="l2") if self.solver == "cd" else loss

    def _shown(self, point, loss):
        """Return S."""
        if self.solver == "mu":
            return {"error_": loss.errors(point), "lam_": loss.lam}
        E = np.subtract(point.X, point.WH, out=point.array("u"))
        return {"error_": soft_threshold(E, loss.scale, out=E), "lam_": 2 * loss.scale}

    def _advice(self, point, loss):
        """Return the text of a warning if S is empty or nearly full, or None."""
        if self.lam is not None:
            return about_errors(point, self.error_, self.lam_ / 2)
        weights = (
            self.lam_ / 2 / at_least(np.abs(point.X - point.W @ point.H), self.lam_ / 2)
        )
        return about_weights(point, weights, "lam") if self.error_.any() else None


def about_errors(point, S, least):
    """Return the text of a warning if an error matrix is empty or nearly full, or None.

    Parameters
    ----------
    point : Point
        The end of the fit.
    S : ndarray
        The errors.
    least : float
        A larger residual counts as an error.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from rnmf_tutorial.core import Point
    >>> point = Point(np.ones((1, 2)), np.ones((1, 1)), np.ones((1, 2)))
    >>> about_errors(point, np.zeros((1, 2)), 9.0)[:34]
    'no residual is above lam/2 = 9, wh'
    >>> about_errors(point, np.ones((1, 2)), 0.1)[:47]
    '100 % of the residuals are above lam/2 = 0.1, w'
    >>> about_errors(point, np.eye(1, 2), 0.1) is None
    True
    """
    share = np.count_nonzero(S) / S.size
    mean = positive_mean(point.entries)
    if share == 0:
        return (
            f"no residual is above lam/2 = {least:.3g}, where the positive data have the mean "
            f"{mean:.3g}: the error S is zero, and this is plain NMF. Take a smaller lam, or None."
        )
    if share > 1 - ENOUGH:  # S contains the data
        median = np.median(np.abs(S[S != 0])) + least
        return (
            f"{100 * share:.5g} % of the residuals are above lam/2 = {least:.3g}, with the median "
            f"{median:.3g}: the error S holds the data, and W and H hardly move. Take a larger lam "
            "(it has the unit of the data), or None, which estimates it."
        )
    return None


@estimator
class L1RobustNMF(BaseNMF):
    r"""NMF with an error matrix S whose columns are sparse.

    Minimizes :math:`\lVert X - WH - S\rVert_F^2 + \lambda \sum_j \lVert S_{\cdot
    j}\rVert_1^2` over non-negative W and H and any S with :math:`X - S \ge 0`. The
    error is split as S = P - N with P, N ≥ 0. Each sweep updates W, then H, P and N
    together; no step ever increases the objective.

    The paper stacks H, P and N into one matrix, whose update has an (r + 2m) × (r + 2m)
    matrix. The blocks of this matrix are made of W, the identity and λ times a matrix
    of ones. So a sweep costs four products of the size of WH, and no more memory than P
    and N.

    See the chapter *How robust is robust?* of the book.

    Parameters
    ----------
    {n_components}
    lam : float or None, default=None
        The weight λ of the squared column sums of the error. It has no unit. A residual
        counts as an error if it exceeds λ times the sum of \|S\| in its column. So the
        more errors a sample has, the smaller is the part of them that S takes. None
        takes 16 / n_features: a normal residual then counts as an error above 1.35
        standard deviations. Shen et al. take 0.04.
    {solver}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    error_ : ndarray of shape (n_samples, n_features)
        The transpose of S = P - N.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, with P + N in place of
        :math:`|S|`; they become equal as the smaller of P and N goes to zero.
    n_iter_ : int
        Number of sweeps.

    Notes
    -----
    (13) never changes a zero of P or N, so both start positive, except in rows and
    columns where X has only zeros. The updates of H converge slowly. For a fixed W the
    problem is convex: `transform` inserts the best S (``shrink_columns``) and solves it
    by Nesterov's method.

    *The projection onto* X - S ≥ 0 *never raises the objective.* Where S > X, it
    replaces S by X. There X - S - WH was below -WH ≤ 0 and becomes -WH, so its square
    falls. N is unchanged and P falls to X + N, which is at least 0, so the column's sum
    of P + N falls too.

    References
    ----------
    Shen, Si, Ji and Liu, *Robust nonnegative matrix factorization via L1 norm
    regularization*, 2012. Equation numbers in the code are those of Díaz, Steele and
    Nguyen, *Analysis
          of the
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

    @property
    def takes_chunks(self):
        """Whether the data may be a Dask array: the published updates must keep P and N."""
        return self.solver == "cd"

    def _loss(self, point):
        """Return (9)."""
        lam = self.lam or _NORMAL / len(point.W)
        return ColumnErrors(lam) if self.solver == "cd" else ShenUpdates(lam)

    def _step(self, loss):
        """Return the updates of Shen et al., both loss and step, or coordinate descent."""
        return Coordinate() if self.solver == "cd" else loss

    def _shown(self, point, loss):
        """Return S."""
        return {"error_": loss.errors(point)}

    def _advice(self, point, loss):
        """Return the text of a warning if the best S is nearly full, or None."""
        S = ColumnErrors(loss.lam).errors(point)
        share = np.count_nonzero(S) / S.size
        if share <= 1 - ENOUGH:
            return None
        return (
            f"{share:.0%} of the entries count as errors: the error S holds the data, and W and H "
            f"hardly move. Take a larger lam than {loss.lam:.3g}; it has no unit."
        )

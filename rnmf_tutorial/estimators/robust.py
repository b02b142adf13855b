"""Robust NMF with a sparse error matrix (Zhang et al., 2011)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rnmf_tutorial.arrays import inner, ratio, unit_columns
from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.estimators.noise import robust_start, scale_for_noise
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.warnings import about_errors
from rnmf_tutorial.losses import Huber
from rnmf_tutorial.steps.coordinate import Coordinate

__all__ = ["RobustNMF", "SparseErrors", "ZhangUpdates", "soft_threshold"]


def soft_threshold(E, threshold, out=None):
    r"""Shrink every entry toward zero by the threshold; what is smaller becomes zero.

    :math:`T_\nu(e) = \operatorname{sign}(e)\max(|e| - \nu, 0)`, the minimizer over s of
    :math:`\tfrac12 (e - s)^2 + \nu |s|`.

    Parameters
    ----------
    E : ndarray
    threshold : float
        :math:`\nu \ge 0`, in the units of E.
    out : ndarray, optional
        Where to put the result; may be `E` itself.

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
    return np.subtract(E, np.clip(E, -threshold, threshold), out=out)


@dataclass(frozen=True)
class SparseErrors:
    r"""The loss (16): squares of X - WH - S plus λ times the sum of \|S\|, with S at its best.

    Parameters
    ----------
    lam : float
        The weight λ of S, in the units of the data.
    """

    lam: float
    factor = 1.0

    @property
    def by_sample(self):
        """Whether λ is given."""
        return self.lam is not None

    def rescaled(self, point):
        """Return the loss itself."""
        return self

    def errors(self, point):
        """Return S of (28)."""
        E = point.X - point.WH
        return soft_threshold(E, self.lam / 2, out=E)

    def value(self, point):
        """Return (16), with the S that the step has found if it leaves one."""
        if (S := vars(point).get("S")) is None:
            return self._evaluate(point)[0]
        E = np.subtract(point.X, point.WH, out=point.array("Q"))
        E -= S
        return inner(E, E) + self.lam * float(np.abs(S, out=E).sum())

    def clean(self, point):
        """Return X - S, whose squares lie above (16)."""
        return self._evaluate(point)[1], None, None

    def _evaluate(self, point):
        if point.evaluation is None:
            E = np.subtract(point.X, point.WH, out=point.array("Q"))
            S = soft_threshold(E, self.lam / 2, out=point.array("u"))
            E -= S
            value = inner(E, E) + self.lam * float(np.abs(S, out=E).sum())
            point.evaluation = value, np.subtract(point.X, S, out=S)
        return point.evaluation


class ZhangUpdates:
    """Algorithm 1: update S, W and H, then give the columns of W length one."""

    first = "W"

    def __call__(self, point, loss):
        """Return the next point, with the S that it has found."""
        S = loss.errors(point)  # (28)
        cleaned = point.X - S
        W = point.W * ratio(cleaned @ point.H.T, point.W @ point.HHt)  # (24)
        H = point.H * ratio(W.T @ cleaned, (W.T @ W) @ point.H)  # (23)
        W, H = unit_columns(W, H)  # (29)-(30)
        return point.to(W=W, H=H, S=S)

    # ------------------------------------------------------------ for encoding, and by chunks

    def coefficients(self, point, loss, W=None):
        """Return the next H for the S of a point, with another W if there is one."""
        W = point.W if W is None else W
        return point.H * ratio(W.T @ (point.X - loss.errors(point)), (W.T @ W) @ point.H)

    def sums(self, point, loss):
        """Return the sums over the samples in (24)."""
        return (point.X - loss.errors(point)) @ point.H.T, point.W @ point.HHt

    def whole(self, W, sums):
        """Return the next W, by (24)."""
        return W * ratio(*sums), 0.0


@estimator
class RobustNMF(BaseNMF):
    r"""NMF with a sparse error matrix S that takes the gross errors out of the data.

    Minimizes :math:`\lVert X - WH - S\rVert_F^2 + \lambda \lVert S\rVert_1` over non-negative
    W and H and any S. Each sweep takes S, W and H in turn to where the objective is lower.

    Parameters
    ----------
    {n_components}
    lam : float or None, default=None
        The weight λ of the sparse error, in the units of the data. A residual above λ/2 counts
        as an error. A λ above twice the largest residual gives plain NMF. None takes three
        times the median \|e\| of a robust start, once
        (:mod:`~rnmf_tutorial.estimators.noise`): with S at its best this is a Huber loss, of
        cutoff λ/2.
    {solver}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W, whose columns have Euclidean length one.
    error_ : ndarray of shape (n_samples, n_features)
        The transpose of S, as the last sweep found it: before its updates of W and H.
    lam_ : float
        The weight λ.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Zhang, Chen, Zheng and He, *Robust non-negative matrix factorization*, 2011. Equation
    numbers in the code are the paper's.

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

    def _start(self, X, missing=None):
        """Return the start point; where λ is to be found, after a robust fit from it."""
        point = super()._start(X, missing)
        if self.lam is not None:
            return point
        return robust_start(point, name=f"{type(self).__name__}, start" if self.verbose else None)

    def _prepare(self, point, y):
        """Estimate λ if it is not given, as twice a cutoff; add nothing to the loss."""
        self.lam_ = self.lam
        if self.lam is None:
            self.lam_ = 2 * scale_for_noise(point, Huber())
        return ()

    def _loss(self, point):
        """Return (16); a λ is found in memory alone."""
        return SparseErrors(self._given_or_found("lam") if point.in_memory else self.lam)

    def _step(self):
        """Return Algorithm 1, or coordinate descent."""
        return Coordinate(normalize="l2") if self.solver == "cd" else ZhangUpdates()

    def _shown(self, point, loss):
        """Return S."""
        S = vars(point).get("S")
        return {"error_": loss.errors(point) if S is None else S}

    def _check(self):
        """Raise an error for a parameter out of range."""
        self._check_number("lam")
        self._check_choice("solver", "mu", "cd")

    def _advice(self, point, loss):
        """Return what is wrong with a given λ: S is empty or nearly full."""
        return None if self.lam is None else about_errors(point.X, self.error_.T, self.lam_ / 2)

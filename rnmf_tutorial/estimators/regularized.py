"""Regularized NMF: a penalty on a basis whose columns have length one."""

import warnings

from sklearn.exceptions import ConvergenceWarning

from rnmf_tutorial.arrays import ratio, unit_columns
from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.losses import Loss
from rnmf_tutorial.steps.sphere import nearest_unit_columns, sphere_step
from rnmf_tutorial.terms import BasisSum

__all__ = ["RegularizedNMF", "SphereUpdates"]


class SphereUpdates:
    """Take a gradient step on W that ends on the sphere, then update H.

    Parameters
    ----------
    lam : float
        The weight λ of the entries of W.
    """

    def __init__(self, lam):
        self.lam = lam

    def __call__(self, point, loss):
        """Return the next point; `mu` is the length of the step."""
        G = point.W @ point.HHt - point.XHt + self.lam  # the gradient of (10) in W
        W, mu = sphere_step(point.W, G, point.HHt)  # (a)-(c)
        point = point.to(W=W)
        return point.to(H=self.coefficients(point, loss), mu=mu)  # (d)

    def coefficients(self, point, loss):
        """Update H alone, by (4a)."""
        return point.H * ratio(point.WtX, point.WtW @ point.H)


@estimator
class RegularizedNMF(BaseNMF):
    r"""NMF with a sparse basis: a penalty on the entries of W, whose columns have length one.

    Minimizes :math:`\tfrac12\lVert X - WH\rVert_F^2 + \lambda\sum_{ik} W_{ik}` over non-negative
    H and over non-negative W with columns of Euclidean length one. Each sweep takes a gradient
    step on W, goes to the nearest W that is allowed, and updates H by Lee and Seung's rule.
    The step is shortened if the objective, measured after the columns have got their length back,
    would rise.

    Parameters
    ----------
    {n_components}
    lam_theta : float, default=8.0
        The weight of the penalty without its units, :math:`\lambda_\theta \ge 0`. At the solution
        for λ = 0 the penalty is :math:`\lambda_\theta` times the other term.
    lam : float or None, default=None
        The weight λ itself, in squared units of the data. None computes it from `lam_theta`,
        which takes a fit with λ = 0 from the same start, with the same `max_iter` and `tol`.
        If given, `lam_theta` is not used.
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W. Every row has Euclidean length one.
    lam_ : float
        The weight λ.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    Notes
    -----
    With :math:`V` the new and :math:`W` the old basis and :math:`L = \lVert HH^T\rVert_2`, a step
    of length μ changes the objective by at most
    :math:`-(1/\mu - L)\,\lVert V - W\rVert_F^2 / 2`. So no step of length 1/L or less raises it.
    A column that a step would take to zero becomes a single pixel
    instead; with a λ so large that the first step does this to all columns, the fit stays there.

    With `tol` > 0 the coefficients returned are those that `transform` finds for the basis.

    References
    ----------
    *Regularized non-negative matrix factorization*. Equation numbers and the letters of the
    steps in the code are the paper's.

    Examples
    --------
    >>> import numpy as np
    >>> parts = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    >>> A = np.array([[1.0, 3.0], [2.0, 1.0], [3.0, 2.0]]) @ parts + 0.1
    >>> model = RegularizedNMF(2, lam=0.2, random_state=0).fit(A)
    >>> int((model.components_ == 0).sum())
    4
    """

    lam_theta: float = 8.0
    lam: float | None = None

    def _start(self, X, missing=None):
        """Return a start point with columns of length one."""
        point = super()._start(X, missing)
        W, H = unit_columns(point.W, point.H)
        return point.to(W=nearest_unit_columns(W), H=H)

    def _prepare(self, point, y):
        """Find λ by (11), from a fit with λ = 0, if it is not given."""
        self.lam_ = self._found(point) if self.lam is None else float(self.lam)
        return (BasisSum(self.lam_),)

    def _found(self, point):
        if self.lam_theta == 0:
            return 0.0
        start, limits = (point.W, point.H), {"max_iter": self.max_iter, "tol": self.tol}
        free = RegularizedNMF(self.n_components, lam=0, init=start, **limits)
        with warnings.catch_warnings():  # the fit itself will say that max_iter is too small
            warnings.simplefilter("ignore", ConvergenceWarning)
            free.fit(point.X.T)
        return float(self.lam_theta * free.objective_history_[-1] / free.components_.sum())

    def _loss(self, point):
        """Return half the squared error."""
        return Loss(unit=0.5)

    def _step(self):
        """Return steps (a)-(d)."""
        return SphereUpdates(self.lam_)

    def _check(self):
        """Raise an error for a parameter out of range."""
        self._check_number("lam_theta" if self.lam is None else "lam", min_val=0)

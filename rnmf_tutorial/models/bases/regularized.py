"""Regularized NMF: a penalty on a basis whose columns have length one."""

import warnings
from typing import NamedTuple

from sklearn.exceptions import ConvergenceWarning

from rnmf_tutorial.arrays import inner, ratio, unit_columns
from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.bases.sphere import nearest_unit_columns, sphere_step
from rnmf_tutorial.models.distances import Products, squared_error
from rnmf_tutorial.models.parameters import estimator

__all__ = ["RegularizedNMF"]


class SphereStep(NamedTuple):
    """The state: the products that the next sweep needs, and the length of the step taken."""

    products: Products
    mu: float


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

    def objective(self, X, W, H, state=None):
        """Return the value of (10), with `lam`, or else the weight that the fit has found."""
        products = None if state is None else state.products
        return squared_error(X, W, H, products) / 2 + self._weight * float(W.sum(dtype=float))

    def initial_factors(self, X):
        """Return a start point with columns of length one; find λ."""
        W, H = unit_columns(*super().initial_factors(X))
        W = nearest_unit_columns(W)
        self.lam_ = self._found(X, W, H) if self.lam is None else float(self.lam)
        return W, H

    @property
    def _weight(self):
        return self.lam_ if self.lam is None else float(self.lam)

    def _found(self, X, W, H):
        """Return λ by (11), from a fit with λ = 0."""
        if self.lam_theta == 0:
            return 0.0
        free = RegularizedNMF(
            self.n_components, lam=0, init=(W, H), max_iter=self.max_iter, tol=self.tol
        )
        with warnings.catch_warnings():  # the fit itself will say that max_iter is too small
            warnings.simplefilter("ignore", ConvergenceWarning)
            free.fit(X.T)
        return float(self.lam_theta * free.objective_history_[-1] / free.components_.sum())

    def start(self, X, W, H):
        """Return the products that the first sweep expects from the one before, and no step."""
        return SphereStep(Products(inner(X, X), W.T @ W, X @ H.T, H @ H.T), 0.0)

    def sweep(self, X, W, H, now):
        """Take a gradient step on W that ends on the sphere, then update H."""
        XX, _, XHt, HHt = now.products
        G = W @ HHt - XHt + self._weight  # the gradient of (10) in W
        W, mu = sphere_step(W, G, HHt)  # (a)-(c)
        WtW = W.T @ W
        H = H * ratio(W.T @ X, WtW @ H)  # (d)
        return W, H, SphereStep(Products(XX, WtW, X @ H.T, H @ H.T), mu)

    def encode(self, X, W, H):
        """Update H alone, by (4a)."""
        return H * ratio(W.T @ X, (W.T @ W) @ H)

    def check_parameters(self):
        """Raise an error for a parameter out of range."""
        super().check_parameters()
        self.check_range("lam_theta" if self.lam is None else "lam", min_val=0)

"""The models of a basis of parts: a penalty on columns of length one, and local NMF."""

import warnings
from typing import Any, ClassVar

from sklearn.exceptions import ConvergenceWarning

from rnmf_tutorial.core import unit_columns
from rnmf_tutorial.estimator import BaseNMF, estimator
from rnmf_tutorial.losses import Loss
from rnmf_tutorial.updates.basis import (
    BasisSum,
    LocalLoss,
    LocalUpdates,
    SphereUpdates,
    nearest_unit_columns,
)

__all__ = ["LocalNMF", "RegularizedNMF"]


@estimator
class RegularizedNMF(BaseNMF):
    r"""NMF with a sparse basis: a penalty on the entries of W, whose columns have length one.

    Minimizes :math:`\tfrac12\lVert X - WH\rVert_F^2 + \lambda\sum_{ik} W_{ik}` over non-negative
    H and over non-negative W with columns of Euclidean length one. Each sweep takes a gradient
    step on W, goes to the nearest W that is allowed, and updates H by Lee and Seung's rule.
    The step is shortened if the objective, measured after the columns have got their length back,
    would rise.

    See the chapter *A sparse basis* of the book.

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

    takes_sparse: ClassVar[bool] = True

    def _begin(self, point, y):
        """Give the columns of the start length one; find λ by (11) if it is not given."""
        W, H = unit_columns(point.W, point.H)
        point = point.to(W=nearest_unit_columns(W), H=H)
        self.lam_ = self._found(point) if self.lam is None else float(self.lam)
        return super()._begin(point, y, (BasisSum(self.lam_),))

    def _found(self, point):
        """Return λ from a fit with λ = 0."""
        if self.lam_theta == 0:
            return 0.0
        start, limits = (point.W, point.H), {"max_iter": self.max_iter, "tol": self.tol}
        free = RegularizedNMF(self.n_components, lam=0, init=start, **limits)
        with warnings.catch_warnings():  # the fit itself will say that max_iter is too small
            warnings.simplefilter("ignore", ConvergenceWarning)
            free.fit(point.data.T)
        return float(self.lam_theta * free.objective_history_[-1] / free.components_.sum())

    def _loss(self, point):
        """Return half the squared error."""
        return Loss(unit=0.5)

    def _step(self, loss):
        """Return steps (a)-(d)."""
        return SphereUpdates(self.lam_)

    def _check(self):
        """Raise an error for a parameter out of range."""
        self._check_number("lam_theta" if self.lam is None else "lam", min_val=0)


@estimator
class LocalNMF(BaseNMF):
    r"""Local NMF: Li et al.'s updates, and the coefficients recomputed at the end.

    Each sweep updates H by a square root, then W by the rule of the divergence, and gives the
    columns of W sum one without a change of H. With W so normalized, no sweep increases

    .. math:: \sum_{ij} X_{ij} \log \frac{X_{ij}}{(WH)_{ij}} + \frac12 \lVert H\rVert_F^2 ,

    which is what is recorded, up to a constant that makes zero its smallest possible value. It
    is not the objective that the method was published with,
    :func:`rnmf_tutorial.updates.local_objective`.

    After the first sweep every column of H has a Euclidean length that the data alone determine:
    the root of the sum of its sample. So WH has the wrong size, and `fit` ends with new
    coefficients: those that minimize the divergence for the basis found.

    See the chapter *A sparse basis* of the book.

    Parameters
    ----------
    {n_components}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W. Every row has sum one.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    Notes
    -----
    With :math:`s_j` the sum of sample j, and after the first sweep, the objective is

    .. math:: \sum_j s_j \Bigl[ D\Bigl(\frac{x_j}{s_j} \Big\Vert
              \frac{Wh_j}{\lVert Wh_j\rVert_1}\Bigr)
              + \log\frac{\sqrt r\,\lVert h_j\rVert_2}{\lVert h_j\rVert_1} \Bigr] .

    The second term is zero where all coefficients of a sample are equal, and grows the sparser
    they are. Parts that every sample uses alike must not overlap: the sparse basis is the price of
    dense coefficients.

    References
    ----------
    Li, Hou, Zhang and Cheng, *Learning spatially localized, parts-based representation*, CVPR
    2001. Equation numbers in the code are those of *Regularized non-negative matrix
    factorization*.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
    >>> model = LocalNMF(1, max_iter=10, tol=0, random_state=0)
    >>> Ht = model.fit_transform(A)
    >>> bool(np.allclose(model.inverse_transform(Ht), A))
    True
    """

    ends_encoded: ClassVar[Any] = "always"  # the coefficients of the last sweep have a wrong size

    def _begin(self, point, y):
        """Give the columns of the start sum one."""
        return super()._begin(point.to(*unit_columns(point.W, point.H, "l1")), y)

    def _loss(self, point):
        """Return what no sweep increases."""
        return LocalLoss()

    def _step(self, loss):
        """Return Li et al.'s updates."""
        return LocalUpdates()

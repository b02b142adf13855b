"""Models for a basis of parts: columns of unit length with a penalty, and local NMF."""

from typing import Any, ClassVar

from rnmf_tutorial.core import Run, unit_columns
from rnmf_tutorial.estimator import AT_LEAST_ZERO, BaseNMF, estimator
from rnmf_tutorial.losses import Loss
from rnmf_tutorial.updates import basis

__all__ = ["LocalNMF", "RegularizedNMF"]


@estimator
class RegularizedNMF(BaseNMF):
    r"""NMF with a sparse basis: a penalty on the entries of W, whose columns have length one.

    Minimizes :math:`\tfrac12\lVert X - WH\rVert_F^2 + \lambda\sum_{ik} W_{ik}` over
    non-negative H and over non-negative W with columns of Euclidean length one. Each
    sweep takes a gradient step on W, projects W onto these constraints, and updates H
    by Lee and Seung's rule. The gradient step is shortened if the objective would rise
    after the projection.

    See the chapter *A sparse basis* of the book.

    Parameters
    ----------
    {n_components}
    lam_theta : float, default=8.0
        The weight of the penalty without a unit, :math:`\lambda_\theta \ge 0`: λ is
        chosen so that, at the solution for λ = 0, the penalty is :math:`\lambda_\theta`
        times the squared error term.
    lam : float or None, default=None
        The weight λ itself, in squared units of the data; `lam_theta` is then not used.
        None computes it from `lam_theta`, after a fit with λ = 0 and the same start,
        `max_iter` and `tol`.
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
    With :math:`V` the new and :math:`W` the old basis and :math:`L = \lVert
    HH^T\rVert_2`, a step of length μ changes the objective by at most :math:`-(1/\mu -
    L)\,\lVert V - W\rVert_F^2 / 2`. So no step of length 1/L or less raises it. A
    column that would become zero is replaced by a single pixel. If λ is so large that
    the first step does this to all columns, the fit stays there.

    References
    ----------
    *Regularized non-negative matrix factorization*. Equation numbers and the letters of
    the steps in the code are the paper's.

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
    limits: ClassVar[dict] = BaseNMF.limits | {"lam": AT_LEAST_ZERO}

    def _begin(self, point, y):
        """Normalize the columns of the start to length one; find λ by (11) if it is not given."""
        W, H = unit_columns(point.W, point.H)
        point = point.to(W=basis.nearest_unit_columns(W), H=H)
        self.lam_ = self._found(point) if self.lam is None else float(self.lam)
        return super()._begin(point, y, (basis.BasisSum(self.lam_),))

    def _found(self, point):
        """Return λ from a fit with λ = 0."""
        if self.lam_theta == 0:
            return 0.0
        free = Run(point, self._loss(point), basis.SphereUpdates(0.0))
        free.sweep(max_iter=self.max_iter, tol=self.tol)
        return float(self.lam_theta * free.history[-1] / free.point.W.sum())

    def _loss(self, point):
        """Return half the squared error."""
        return Loss(unit=0.5)

    def _step(self, loss):
        """Return steps (a)-(d)."""
        return basis.SphereUpdates(self.lam_)


@estimator
class LocalNMF(BaseNMF):
    r"""Local NMF: Li et al.'s updates, and the coefficients recomputed at the end.

    Each sweep updates H by a rule with a square root, then W by the rule for the
    divergence. It divides the columns of W by their sums, and leaves H unchanged. With
    W so normalized, no sweep increases

    .. math:: \sum_{ij} X_{ij} \log \frac{X_{ij}}{(WH)_{ij}} + \frac12 \lVert H\rVert_F^2 .

    The recorded objective is this sum plus a constant, so that its smallest possible
    value is zero. The published objective is another one,
    :func:`rnmf_tutorial.updates.local_objective`.

    After the first sweep, the Euclidean length of a column of H is the square root of
    the sum of its sample. So WH has the wrong size, and `fit` ends with new
    coefficients, which minimize the divergence for the final basis.

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

    The second term is zero if all coefficients of a sample are equal, and grows as they
    become sparser. So the updates prefer dense coefficients. Parts that every sample
    uses about equally must not overlap, which makes the basis sparse.

    References
    ----------
    Li, Hou, Zhang and Cheng, *Learning spatially localized, parts-based
    representation*, CVPR 2001. Equation numbers in the code are those of *Regularized
    non-negative matrix factorization*.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
    >>> model = LocalNMF(1, max_iter=10, tol=0, random_state=0)
    >>> Ht = model.fit_transform(A)
    >>> bool(np.allclose(model.inverse_transform(Ht), A))
    True
    """

    ends_encoded: ClassVar[Any] = (
        "always"  # the coefficients of the last sweep have a wrong size
    )

    def _begin(self, point, y):
        """Normalize the columns of the start to sum one."""
        return super()._begin(point.to(*unit_columns(point.W, point.H, "l1")), y)

    def _loss(self, point):
        """Return the function that no sweep increases."""
        return basis.LocalLoss()

    def _step(self, loss):
        """Return Li et al.'s updates."""
        return basis.LocalUpdates()

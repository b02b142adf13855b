"""Models for a basis of parts: columns of unit length with a penalty, and local NMF."""

from collections.abc import Callable
from typing import Any, ClassVar

from rnmf_tutorial.arithmetic import unit_columns
from rnmf_tutorial.base import AT_LEAST_ZERO, BaseNMF, Problem
from rnmf_tutorial.fitting import iterate, last_state
from rnmf_tutorial.losses import WeightedLoss
from rnmf_tutorial.solvers.sparse_basis import (
    BasisSum,
    LocalLoss,
    LocalUpdates,
    SphereUpdates,
    nearest_unit_columns,
)

__all__ = ["LocalNMF", "RegularizedNMF"]


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
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    lam_theta : float, default=8.0
        The weight of the penalty without a unit, :math:`\lambda_\theta \ge 0`: λ is
        chosen so that, at the solution for λ = 0, the penalty is :math:`\lambda_\theta`
        times the squared error term.
    lam : float or None, default=None
        The weight λ itself, in squared units of the data; `lam_theta` is then not used.
        None computes it from `lam_theta`, after a fit with λ = 0 and the same start,
        `max_iter` and `tol`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

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
    n_components_ : int
        The number of components.
    reconstruction_err_ : float
        How far WH is from the data after the last sweep, as in scikit-learn: the
        Frobenius norm of X - WH, or for the Kullback-Leibler divergence the root of
        twice its value. Missing entries do not count. All others count in full, gross
        errors too, whatever their weights. After a fit with weights to a Dask array it
        is a Dask array: its ``compute()`` reads the data once more.
    sample_names_in_ : Index or None
        The index of the data frame of the fit; None if the data were not a frame.

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

    takes_sparse: ClassVar[bool] = True
    limits: ClassVar[dict] = BaseNMF.limits | {"lam": AT_LEAST_ZERO}

    def __init__(
        self,
        n_components: int = 2,
        *,
        lam_theta: float = 8.0,
        lam: float | None = None,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.lam_theta = lam_theta
        self.lam = lam

    def _problem(self, work, W, H, y):
        """Normalize the columns of the start; find λ by (11) if it is not given."""
        W, H = unit_columns(W, H)
        W = nearest_unit_columns(W)
        loss = self._loss(work, W, H)
        penalties, found = self._penalties(work, W, H, y)
        solver = SphereUpdates(found["lam_"])
        return Problem(work, W, H, loss, solver, penalties, found=found)

    def _penalties(self, work, W, H, y):
        """Return the penalty λ Σ W, and λ: the one given, or from a fit with λ = 0."""
        if self.lam is not None:
            lam = float(self.lam)
        elif self.lam_theta == 0:
            lam = 0.0
        else:
            limits = {"max_iter": self.max_iter, "tol": self.tol}
            loss = self._loss(work, W, H)
            free = last_state(iterate(work, W, H, loss, SphereUpdates(0.0), **limits))
            lam = float(self.lam_theta * free.objective / free.W.sum())
        return (BasisSum(lam),), {"lam_": lam}

    def _loss(self, work, W, H):
        """Return half the squared error."""
        return WeightedLoss(unit=0.5)

    def _solver(self, loss):
        """Return steps (a)-(d); the problem of a fit has them with its λ."""
        return SphereUpdates(0.0)


class LocalNMF(BaseNMF):
    r"""Local NMF: Li et al.'s updates, and the coefficients recomputed at the end.

    Each sweep updates H by a rule with a square root, then W by the rule for the
    divergence. It divides the columns of W by their sums, and leaves H unchanged. With
    W so normalized, no sweep increases

    .. math:: \sum_{ij} X_{ij} \log \frac{X_{ij}}{(WH)_{ij}} + \frac12 \lVert H\rVert_F^2 .

    The recorded objective is this sum plus a constant, so that its smallest possible
    value is zero. The published objective is another one,
    :func:`rnmf_tutorial.solvers.local_objective`.

    After the first sweep, the Euclidean length of a column of H is the square root of
    the sum of its sample. So WH has the wrong size, and `fit` ends with new
    coefficients, which minimize the divergence for the final basis.

    See the chapter *A sparse basis* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then
        take the coefficients that `transform` finds for the last W.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W. Every row has sum one.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.
    n_components_ : int
        The number of components.
    reconstruction_err_ : float
        How far WH is from the data after the last sweep, as in scikit-learn: the
        Frobenius norm of X - WH, or for the Kullback-Leibler divergence the root of
        twice its value. Missing entries do not count. All others count in full, gross
        errors too, whatever their weights. After a fit with weights to a Dask array it
        is a Dask array: its ``compute()`` reads the data once more.
    sample_names_in_ : Index or None
        The index of the data frame of the fit; None if the data were not a frame.

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

    def _problem(self, work, W, H, y):
        """Normalize the columns of the start to sum one."""
        W, H = unit_columns(W, H, "l1")
        return super()._problem(work, W, H, y)

    def _loss(self, work, W, H):
        """Return the function that no sweep increases."""
        return LocalLoss()

    def _solver(self, loss):
        """Return Li et al.'s updates."""
        return LocalUpdates()

"""The models without weights: squares, Kullback-Leibler divergence, and absolute errors."""

from collections.abc import Callable
from typing import Any, ClassVar

from rnmf_tutorial.base import COORDINATE, DIVERGENCES, BaseNMF
from rnmf_tutorial.losses import WeightedLoss
from rnmf_tutorial.solvers.mahnmf import (
    SMOOTHED_SWEEPS,
    AbsoluteLoss,
    SmoothedUpdates,
    least_absolute,
)
from rnmf_tutorial.solvers.multiplicative import Multiplicative
from rnmf_tutorial.solvers.nesterov import NesterovUpdates

__all__ = ["L1NMF", "NMF", "NeNMF"]


class NMF(BaseNMF):
    r"""Lee and Seung's NMF: squared Euclidean distance or Kullback-Leibler divergence.

    Minimizes :math:`\lVert X - WH\rVert_F^2` or :math:`D(X \Vert WH)` over non-negative
    W and H. Each sweep updates H, then W; neither update ever increases the objective.

    See the chapter *Non-negative matrix factorization* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    loss : {"frobenius", "kullback-leibler"}, default="frobenius"
        Which of the two objectives.
    normalize : {None, "l1", "l2"}, default=None
        Divide the columns of W by this norm after each sweep, and multiply H by it; WH
        is unchanged.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
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
        The transpose of W.
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

    References
    ----------
    Lee and Seung, *Algorithms for non-negative matrix factorization*, NIPS 2001;
    equation numbers in the code are those of Zhang et al. (2011).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
    >>> model = NMF(1, random_state=0)
    >>> Ht = model.fit_transform(A)
    >>> bool(np.allclose(model.inverse_transform(Ht), A))
    True
    """

    takes_missing: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        loss: str = "frobenius",
        normalize: str | None = None,
        solver: str = "cd",
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
        self.loss = loss
        self.normalize = normalize
        self.solver = solver

    @property
    def takes_chunks(self):
        """Whether the data may be a Dask array: all but coordinate descent for the divergence."""
        return self.solver == "mu" or self.loss == "frobenius"

    def _loss(self, work, W, H):
        """Return (7) or (8)."""
        return WeightedLoss(divergence=DIVERGENCES[self.loss])

    def _solver(self, loss):
        """Return (9), or (10)-(11), or coordinate descent, with the normalization."""
        if self.solver == "cd":
            return COORDINATE[self.loss](normalize=self.normalize)
        return Multiplicative(normalize=self.normalize)


class NeNMF(BaseNMF):
    r"""Euclidean NMF that solves the least squares problem of each factor in turn.

    Minimizes :math:`\lVert X - WH\rVert_F^2` over non-negative W and H. Each sweep
    moves H, then W, close to its minimum with the other factor fixed, by Nesterov's
    method. A step of this method multiplies by an r × r matrix, so many steps cost less
    than one pass over the data. No step ever increases the objective.

    See the chapter *Truncated Cauchy NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
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
        The transpose of W.
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
    A zero of W or H can become positive again, unlike in the multiplicative updates.

    References
    ----------
    Guan, Tao, Luo and Yuan, *NeNMF: an optimal gradient method for nonnegative matrix
    factorization*, 2012; Algorithm 1 of Guan et al. (2019) is its weighted form.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
    >>> model = NeNMF(1, random_state=0)
    >>> Ht = model.fit_transform(A)
    >>> bool(np.allclose(model.inverse_transform(Ht), A))
    True
    """

    #: With negative data `tol` stops a fit before the coefficients are good.
    ends_encoded: ClassVar[bool] = True
    takes_negative: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True

    def _solver(self, loss):
        """Return Nesterov's method for either factor."""
        return NesterovUpdates()


class L1NMF(BaseNMF):
    r"""NMF that minimizes the sum of absolute errors.

    Minimizes :math:`\lVert X - WH\rVert_1 = \sum_{ij} |X - WH|_{ij}` over non-negative
    W and H. Reweighted least squares is slow here, because a small error gets a huge
    weight and stays small. As in MahNMF, the first sweeps take Nesterov steps on a
    smoothed objective: the absolute value is replaced by a parabola within ±μ, and μ
    falls from sweep to sweep. The last sweeps solve the linear program for H, then that
    for W. No sweep ever increases the sum of absolute errors.

    See the chapter *L2, L1 and L2,1 NMF compared* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
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
        The transpose of W.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The sum of absolute errors, without smoothing, at the start point and after each
        sweep.
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
    `transform` solves the linear program of every sample exactly. The problem in W and
    H together is not convex: the fit ends where neither factor can be improved with the
    other one fixed. On 400 images of 1024 pixels with r = 40, a sweep of linear
    programs takes as long as 30 smoothed ones, and all of them lower the sum by a
    thousandth. For such data use ``tol=0``, which solves no linear programs, with 60 to
    100 sweeps.

    References
    ----------
    Guan, Tao, Luo and Shawe-Taylor, *MahNMF: Manhattan non-negative matrix
    factorization*, 2012. Nesterov, *Smooth minimization of non-smooth functions*, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> clean = A.copy()
    >>> A[1, 2] += 10
    >>> model = L1NMF(1, random_state=0)
    >>> Ht = model.fit_transform(A)
    >>> bool(np.allclose(model.inverse_transform(Ht), clean))
    True
    """

    least_sweeps: ClassVar[int] = SMOOTHED_SWEEPS

    def _loss(self, work, W, H):
        """Return the sum of absolute errors."""
        return AbsoluteLoss()

    def _solver(self, loss):
        """Return smoothed steps, then linear programs."""
        return SmoothedUpdates(exact=self.tol > 0)

    def _encode(self, work, W):
        """Solve the linear program of every sample."""
        return least_absolute(work.X, W)

"""The models with a sparse error matrix S beside WH."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from rnmf_tutorial.arithmetic import positive_mean
from rnmf_tutorial.base import BaseNMF, Problem
from rnmf_tutorial.losses import Huber, WeightedLoss
from rnmf_tutorial.scale_warnings import ENOUGH, warning_if_weights_extreme
from rnmf_tutorial.solvers.coordinate import CoordinateDescent
from rnmf_tutorial.solvers.shen import ColumnErrorsLoss, ShenLoss, ShenUpdates
from rnmf_tutorial.solvers.zhang import ZhangLoss, ZhangUpdates, soft_threshold
from rnmf_tutorial.starts import noise_scale

__all__ = ["L1RobustNMF", "RobustNMF"]

# The threshold t of a sample solves t = λ Σ (|e| - t)₊. For m normal residuals and t =
# kσ the sum is 2 (φ(k) - k Q(k)) σ m, with the normal density φ and its upper tail Q.
# At k = 1.345, the cutoff with 95% efficiency, it is 0.0828 σ m; so λ = 16.2 / m.
NORMAL_LAM = 16


class RobustNMF(BaseNMF):
    r"""NMF with a sparse error matrix S that takes the gross errors out of the data.

    Minimizes :math:`\lVert X - WH - S\rVert_F^2 + \lambda \lVert S\rVert_1` over
    non-negative W and H and any S. Each sweep updates S, W and H; no update increases
    the objective.

    See the chapter *Robust NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    lam : float or None, default=None
        The weight λ of the sparse error, in the units of the data. A residual above λ/2
        counts as an error. A λ above twice the largest residual gives plain NMF. None
        takes three times the median \|e\| of a robust start
        (:mod:`~rnmf_tutorial.starts`), because with the best S the objective is a Huber
        loss with the cutoff λ/2.
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

    takes_missing: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        lam: float | None = None,
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
        self.lam = lam
        self.solver = solver

    @property
    def takes_chunks(self):
        """Whether the data may be a Dask array: Algorithm 1 and estimates of λ need all of it."""
        return self.lam is not None and self.solver == "cd"

    def _problem(self, work, W, H, y):
        """Return the problem; if λ is to be estimated, it begins after a robust fit."""
        last_update = None
        if self.needs_robust_start:
            start = self._start_for_scale(work, W, H)
            W, H = start.W, start.H
            last_update = start.last_update if self.solver == "cd" else None
        loss = self._loss(work, W, H)
        return Problem(work, W, H, loss, self._solver(loss), last_update=last_update)

    @property
    def needs_robust_start(self) -> bool:
        """Whether a fit begins with a robust one, because its scale is not given."""
        return self.lam is None

    def _loss(self, work, W, H):
        """Return (16); with the best S it is Huber's loss with the cutoff λ/2."""
        lam = self.lam
        if lam is None:
            lam = 2 * noise_scale(work, W, H, Huber(), WeightedLoss())
        if self.solver == "cd":
            return WeightedLoss(Huber(), scale=lam / 2)
        return ZhangLoss(lam)

    def _loss_of_new_samples(self):
        """Return (16) with the best S, Huber's loss."""
        loss = self._fitted_loss
        if self.solver == "cd":
            return loss
        return WeightedLoss(Huber(), scale=loss.lam / 2)

    def _solver(self, loss):
        """Return Algorithm 1, or coordinate descent."""
        if self.solver == "cd":
            return CoordinateDescent(normalize="l2")
        return ZhangUpdates()

    def _fitted_arrays(self, work, state):
        """Return S and λ."""
        loss = state.loss
        if self.solver == "mu":
            S = state.memory
            if S is None:  # there was no sweep
                S = loss.compare(work, state.W, state.H).S
            return {"error_": S, "lam_": loss.lam}
        work.multiply(state.W, state.H)
        E = np.subtract(work.X, work.WH, out=work.energies)
        return {"error_": soft_threshold(E, loss.scale, out=E), "lam_": 2 * loss.scale}

    def _warning(self, work, W, H, loss):
        """Return the text of a warning if S is empty or nearly full, or None."""
        cutoff = self.lam_ / 2
        if self.lam is not None:
            return warning_if_errors_extreme(work, self.error_, cutoff)
        if not self.error_.any():
            return None
        weights = cutoff / np.clip(np.abs(work.X - W @ H), cutoff, np.inf)
        return warning_if_weights_extreme(work, weights, "lam")


def warning_if_errors_extreme(work, S, least):
    """Return the text of a warning if an error matrix is empty or nearly full, or None.

    Parameters
    ----------
    work : Work
        The data of the fit.
    S : ndarray
        The errors.
    least : float
        A larger residual counts as an error.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from rnmf_tutorial.fitting import Work
    >>> work = Work(np.ones((1, 2)))
    >>> warning_if_errors_extreme(work, np.zeros((1, 2)), 9.0)[:34]
    'no residual is above lam/2 = 9, wh'
    >>> warning_if_errors_extreme(work, np.ones((1, 2)), 0.1)[:46]
    '100% of the residuals are above lam/2 = 0.1, w'
    >>> warning_if_errors_extreme(work, np.eye(1, 2), 0.1) is None
    True
    """
    missing = 0 if work.mask is None else np.count_nonzero(work.mask)
    share = np.count_nonzero(S) / (S.size - missing)
    if share == 0:
        mean = positive_mean(work.known_entries())
        return (
            f"no residual is above lam/2 = {least:.3g}, where the positive data have the mean "
            f"{mean:.3g}: the error S is zero, and this is plain NMF. Take a smaller lam, or None."
        )
    if share > 1 - ENOUGH:  # S contains the data
        median = np.median(np.abs(S[S != 0])) + least
        return (
            f"{100 * share:.5g}% of the residuals are above lam/2 = {least:.3g}, with the median "
            f"{median:.3g}: the error S holds the data, and W and H hardly move. Take a larger lam "
            "(it has the unit of the data), or None, which estimates it."
        )
    return None


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

    See the chapter *L2, L1 and L2,1 NMF compared* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    lam : float or None, default=None
        The weight λ of the squared column sums of the error. It has no unit. A residual
        counts as an error if it exceeds λ times the sum of \|S\| in its column. So the
        more errors a sample has, the smaller is the part of them that S takes. None
        takes 16 / n_features: a normal residual then counts as an error above 1.35
        standard deviations. Shen et al. take 0.04.
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
    error_ : ndarray of shape (n_samples, n_features)
        The transpose of S = P - N.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, with P + N in place of
        :math:`|S|`; they become equal as the smaller of P and N goes to zero.
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
    (13) never changes a zero of P or N, so both start positive, except in rows and
    columns where X has only zeros. The updates of H converge slowly. For a fixed W the
    problem is convex: `transform` inserts the best S (``shrink_columns``) and solves it
    by reweighted least squares.

    *The projection onto* X - S ≥ 0 *never raises the objective.* Where S > X, it
    replaces S by X. There X - S - WH was below -WH ≤ 0 and becomes -WH, so its square
    falls. N is unchanged and P falls to X + N, which is at least 0, so the column's sum
    of P + N falls too.

    References
    ----------
    Shen, Si, Ji and Liu, *Robust nonnegative matrix factorization via L1 norm
    regularization*, 2012. Equation numbers in the code are those of Díaz, Steele and
    Nguyen, *Analysis of the robustness of NMF algorithms*, whose U, V, E are W, H, S
    here.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = L1RobustNMF(1, lam=0.1, max_iter=200, tol=0, random_state=0).fit(A)
    >>> np.argwhere(model.error_ > 1).tolist()
    [[1, 2]]
    """

    #: With negative data `tol` stops a fit before the coefficients are good.
    ends_encoded: ClassVar[bool] = True
    takes_missing: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        lam: float | None = None,
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
        self.lam = lam
        self.solver = solver

    @property
    def takes_chunks(self):
        """Whether the data may be a Dask array: the published updates must keep P and N."""
        return self.solver == "cd"

    def _loss(self, work, W, H):
        """Return (9)."""
        lam = self.lam or NORMAL_LAM / len(W)
        return ColumnErrorsLoss(lam) if self.solver == "cd" else ShenLoss(lam)

    def _loss_of_new_samples(self):
        """Return (9) with the best S."""
        return ColumnErrorsLoss(self._fitted_loss.lam)

    def _solver(self, loss):
        """Return the updates of Shen et al., or coordinate descent."""
        return CoordinateDescent() if self.solver == "cd" else ShenUpdates(loss.lam)

    def _fitted_arrays(self, work, state):
        """Return S."""
        if self.solver == "cd":
            return {"error_": state.loss.best_errors(work, state.W, state.H)}
        # Before the first sweep there is no memory, and P and N are those of the start.
        comparison = state.loss.compare(work, state.W, state.H, state.memory)
        return {"error_": comparison.P - comparison.N}

    def _warning(self, work, W, H, loss):
        """Return the text of a warning if the best S is nearly full, or None."""
        if self.solver == "cd":
            S = self.error_
        else:
            S = ColumnErrorsLoss(loss.lam).best_errors(work, W, H)
        missing = 0 if work.mask is None else np.count_nonzero(work.mask)
        share = np.count_nonzero(S) / (S.size - missing)
        if share <= 1 - ENOUGH:
            return None
        return (
            f"{share:.0%} of the entries count as errors: the error S holds the data, and W and H "
            f"hardly move. Take a larger lam than {loss.lam:.3g}; it has no unit."
        )

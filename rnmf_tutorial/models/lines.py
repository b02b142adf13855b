"""The models in which whole samples, or whole features, share a weight."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from rnmf_tutorial.base import BaseNMF, Problem
from rnmf_tutorial.fitting import iterate, last_state
from rnmf_tutorial.losses import (
    FEATURES,
    SAMPLES,
    CappedRoot,
    Root,
    WeightedLoss,
)
from rnmf_tutorial.scale_warnings import warning_if_collapsed
from rnmf_tutorial.solvers.active_set import best_coefficients
from rnmf_tutorial.solvers.coordinate import CoordinateDescent
from rnmf_tutorial.solvers.multiplicative import Multiplicative
from rnmf_tutorial.starts import ROBUST_SWEEPS, ROBUST_TOL

__all__ = ["L21NMF", "CappedNMF"]

GROUPS = {"samples": SAMPLES, "features": FEATURES}
# With "cd", the shortest residual for a weight, as a share of the median length of the
# samples (or features): the weight of a shorter one would be so large that the others
# would hardly change.
SHORT = 0.01


class LinewiseNMF(BaseNMF):
    r"""Base of the models in which whole samples, or whole features, share a weight.

    Minimizes a sum of functions of the lengths of these columns, or rows, of X - WH.
    The weight of a sample cancels in the update of H, and that of a feature in the
    update of W.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    group : {"samples", "features"}, default="samples"
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

    Examples
    --------
    >>> from rnmf_tutorial import CappedNMF
    >>> issubclass(CappedNMF, LinewiseNMF)
    True
    """

    takes_missing: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        group: str = "samples",
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
        self.group = group
        self.solver = solver

    def _solver(self, loss):
        """Return (18), which updates W first and uses the same weights for H; or "cd"."""
        if self.solver == "cd":
            return CoordinateDescent()
        return Multiplicative(first="W")

    def _encode(self, work, W):
        """Return the coefficients.

        The weights of samples cancel; those of features are the ones of the fit.
        """
        if self.group == "features" and hasattr(self, "weights_"):
            weights = FEATURES.weights(self.weights_)
            roots = np.sqrt(weights).astype(W.dtype)
            work = work.with_weighted_features(roots)
            W = roots * W
        return best_coefficients(work, W)

    def _fitted_arrays(self, work, state):
        """Return the weights of the lines."""
        loss = state.loss
        comparison = loss.compare(work, state.W, state.H)
        # The published weight is 1 / length: twice the derivative by the squared
        # length.
        return {"weights_": 2 * comparison.derivatives}


def least_energy(work, W, H, group, solver):
    """Return the smallest squared length of a residual that is used for a weight.

    It is that of 200 rounding errors of the longest line of the data. A shorter residual
    is only rounding, and its weight would be so large that rounding would corrupt the
    sums with the others. With coordinate descent the smallest length is also at least a
    hundredth of the median length of the lines.
    """
    if work.mask is not None:
        work.multiply(W, H)
    lengths = work.squared_lengths(group.axis)
    longest = float(lengths.max(initial=0)) or 1.0
    least = (200 * float(np.finfo(work.X.dtype).eps)) ** 2 * longest
    if solver == "mu" or not lengths.any():
        return least
    return max(least, SHORT**2 * float(np.median(lengths[lengths > 0])))


class L21NMF(LinewiseNMF):
    r"""NMF in the L2,1 norm: a sample costs the length of its residual, not the square of it.

    Minimizes :math:`\lVert X - WH\rVert_{2,1} = \sum_j \lVert x_j - W h_j\rVert` over
    non-negative W and H. Sample j has the weight :math:`d_j = 1/\lVert x_j - W
    h_j\rVert`. The objective never rises. With "cd" a residual shorter than a hundredth
    of the median sample has the weight of that length, and costs its square: a sample
    that is fitted exactly would otherwise outweigh all others, and the fit would stop.

    See the chapter *L2, L1 and L2,1 NMF compared* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    group : {"samples", "features"}, default="samples"
        What shares a weight: a sample, as published, or a feature, for data in which
        whole features are wrong.
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
    weights_ : ndarray of shape (n_samples,) or (n_features,)
        The weights of the samples at the end, in units of 1/X.
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
    Kong, Ding and Huang, *Robust nonnegative matrix factorization using L21-norm*, CIKM
    2011; equations (16)-(18) of Díaz, Steele and Nguyen.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[1] = [0, 9, 0, 0]
    >>> model = L21NMF(1, random_state=0).fit(A)
    >>> int(model.weights_.argmin())
    1
    """

    def _loss(self, work, W, H):
        """Return the sum of the lengths, (16)."""
        group = GROUPS[self.group]
        least = least_energy(work, W, H, group, self.solver)
        return WeightedLoss(Root(), group=group, least=least)


class CappedNMF(LinewiseNMF):
    r"""Capped-norm NMF: a sample whose residual is longer than θ costs θ and has no weight.

    Minimizes :math:`\sum_j \min(\lVert x_j - W h_j\rVert, \theta)` over non-negative W
    and H. A sample within the cap has the weight :math:`1/\lVert x_j - W h_j\rVert`,
    one beyond it the weight zero. Its coefficients are still updated, so that it can
    come back. If θ leaves out every sample, the step is that of plain NMF.

    See the chapter *Truncated Cauchy NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    group : {"samples", "features"}, default="samples"
        What shares a weight: a sample, as published, or a feature.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    theta : float, "published" or None, default=None
        The cap θ, a length in the units of the data. None takes three times the median
        length of the residuals of a robust start (:mod:`~rnmf_tutorial.starts`), and at
        least 1/100 of the median length of the data. "published" takes three times the
        median length after every sweep. The papers give no rule; from a random start,
        this one can leave out good samples for the whole fit. Samples of zeros that are
        fitted as zeros are ignored.
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
    weights_ : ndarray of shape (n_samples,) or (n_features,)
        The weights of the samples at the end, in units of 1/X; 0 for an outlier.
    theta_ : float
        The cap at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep. With a fixed θ it never
        rises. With ``theta="published"`` each value is for the θ of its sweep, and it
        can rise only if θ grew.
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
    Gao, Nie, Cai and Huang, *Robust capped norm nonnegative matrix factorization*, CIKM
    2015; RCNMF in Table I of Guan et al. (2019).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[1] = [0, 9, 0, 0]
    >>> model = CappedNMF(1, theta=1.0, init="nndsvd").fit(A)
    >>> np.flatnonzero(model.weights_ == 0).tolist()
    [1]
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        group: str = "samples",
        solver: str = "cd",
        theta: float | str | None = None,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            group=group,
            solver=solver,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.theta = theta

    def _problem(self, work, W, H, y):
        """Return the problem; if θ is to be estimated, from the better of two starts.

        A robust fit with weights of entries leaves out lines whose errors differ, but
        uses a component for lines with the same error. A fit with the cap estimated
        after every sweep does the reverse. The cap of the first is used to compare
        them.
        """
        if self.theta is not None:
            return super()._problem(work, W, H, y)
        robust = self._start_for_scale(work, W, H)
        cap = self._loss(work, robust.W, robust.H)
        least = least_energy(work, W, H, GROUPS[self.group], self.solver)
        estimated = replace(cap, scale=None, reestimated=True, least=least)
        limits = {"max_iter": ROBUST_SWEEPS, "tol": ROBUST_TOL}
        solver = CoordinateDescent()
        swept = last_state(iterate(work, W, H, estimated, solver, **limits))

        robust_value = cap.total(work, cap.compare(work, robust.W, robust.H))
        swept_value = cap.total(work, cap.compare(work, swept.W, swept.H))
        best = swept if swept_value < robust_value else robust
        return Problem(work, best.W, best.H, cap, self._solver(cap))

    @property
    def needs_robust_start(self) -> bool:
        """Whether a fit begins with a robust one, because its scale is not given."""
        return self.theta is None

    def _loss(self, work, W, H):
        """Return the sum of the lengths, each at most θ."""
        group = GROUPS[self.group]
        loss = WeightedLoss(
            CappedRoot(),
            group=group,
            reestimated=self.theta == "published",
            least=least_energy(work, W, H, group, self.solver),
        )
        if loss.reestimated:
            return loss
        theta = self.theta
        if theta is None:
            rescaled, _ = loss.rescaled(work, W, H)
            theta = max(rescaled.scale, loss.least**0.5)
        return replace(loss, scale=theta)

    def _fitted_arrays(self, work, state):
        """Return the weights of the lines, and the cap."""
        loss = state.loss
        comparison = loss.compare(work, state.W, state.H)
        weights = 2 * comparison.derivatives  # as in L21NMF
        return {"weights_": weights, "theta_": float(loss.scale)}

    def _warning(self, work, W, H, loss):
        """Return the text of a warning about the cap, or None."""
        if self.weights_.any():
            floor = 4 * loss.least**0.5  # three times the least length, with a margin
            if not loss.reestimated:
                return None
            return warning_if_collapsed(work, loss.scale, "theta", floor)
        comparison = loss.compare(work, W, H)
        lengths = (comparison.u * loss.c) ** 0.5
        return (
            f"all residuals are longer than theta = {loss.scale:.3g}, the shortest "
            f"{lengths.min():.3g}: every {self.group[:-1]} is left out, and this is plain NMF. "
            "Take a larger theta, or None."
        )

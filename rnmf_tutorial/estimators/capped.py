"""Capped-norm NMF: samples too far off cost a constant (Gao et al., 2015)."""

from dataclasses import replace

from rnmf_tutorial.engine.fit import Run
from rnmf_tutorial.estimators.l21 import GROUPS, LinewiseNMF, least_energy
from rnmf_tutorial.estimators.noise import robust_start
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.warnings import about_floor
from rnmf_tutorial.losses import CappedRoot, Loss
from rnmf_tutorial.steps.coordinate import Coordinate

__all__ = ["CappedNMF"]

_PASSES, _TOL = 100, 1e-4  # of a start


@estimator
class CappedNMF(LinewiseNMF):
    r"""Capped-norm NMF: a sample whose residual is longer than θ costs θ and teaches nothing.

    Minimizes :math:`\sum_j \min(\lVert x_j - W h_j\rVert, \theta)` over non-negative W and H. A
    sample within the cap has the weight :math:`1/\lVert x_j - W h_j\rVert`, one beyond it the
    weight zero. Its coefficients are still fitted, so that it can come back. If θ leaves every
    sample out, the step is that of plain NMF.

    Parameters
    ----------
    {n_components}
    group : {"samples", "features"}, default="samples"
        What shares a weight: a sample, as published, or a feature.
    {solver}
    theta : float, "published" or None, default=None
        The cap θ, a length in the units of the data. None takes three times the median length
        of the residuals of a robust start (:mod:`~rnmf_tutorial.estimators.noise`), at least a
        hundredth of the median length of the data, once. "published" takes three times the
        median length anew in each sweep: the papers give no rule, and from a random start that one
        leaves good samples out for good. Samples of zeros that the factors know to be zeros are not
        counted.
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples,) or (n_features,)
        The weights of the samples at the end, in units of 1/X; 0 for an outlier.
    theta_ : float
        The cap at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep. With a fixed θ it never rises;
        with ``theta=None`` each entry is taken at its own sweep's θ, and it can rise only if θ
        does.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Gao, Nie, Cai and Huang, *Robust capped norm nonnegative matrix factorization*, CIKM 2015;
    RCNMF in Table I of Guan et al. (2019).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[1] = [0, 9, 0, 0]
    >>> model = CappedNMF(1, theta=1.0, init="nndsvd").fit(A)
    >>> np.flatnonzero(model.weights_ == 0).tolist()
    [1]
    """

    theta: float | str | None = None

    def _start(self, X, missing=None):
        """Return the start point; where θ is to be found, the better of two at the cap of one.

        A robust fit to entries leaves out lines that are wrong each in its own way, but spends a
        component on some that are wrong alike; a cap found anew in each sweep does the reverse.
        """
        point = super()._start(X, missing)
        if self.theta is not None:
            return point
        name = f"{type(self).__name__}, start" if self.verbose else None
        robust = robust_start(point, name=name).alone()
        cap = self._estimated(robust).rescaled(robust)
        cap = replace(cap, scale=max(cap.scale, cap.least**0.5), estimated=False)
        point = point.to(W=point.W, H=point.H).fill()
        swept = Run(point, self._estimated(point), Coordinate())
        swept = swept.sweep(max_iter=_PASSES, tol=_TOL, name=name).point
        starts = [p.to(W=p.W, H=p.H, theta=cap.scale).fill() for p in (robust, swept)]
        values = [cap.value(start) for start in starts]
        best = starts[int(values[1] < values[0])]
        return best.to(W=best.W, H=best.H, theta=cap.scale).fill()

    def _estimated(self, point):
        kinds = {"group": GROUPS[self.group], "least": least_energy(self, point)}
        return Loss(CappedRoot(), estimated=True, **kinds)

    def _loss(self, point):
        """Return the sum of the lengths, each at most θ."""
        loss = self._estimated(point)
        if self.theta == "published" or not point.in_memory:
            return loss
        theta = self.theta
        if theta is None:  # what the start has found
            theta = vars(point).get("theta") or loss.rescaled(point).scale
            point.evaluation = None
        return replace(loss, scale=theta, estimated=False)

    def _shown(self, point, loss):
        """Return the weights of the lines, and the cap."""
        return super()._shown(point, loss) | {"theta_": float(loss.scale)}

    def _check(self):
        """Raise an error for a parameter out of range."""
        super()._check()
        if self.theta != "published":
            self._check_number("theta")

    def _advice(self, point, loss):
        """Return what is wrong with the cap."""
        if self.weights_.any():
            floor = 4 * loss.least**0.5  # three times the least length, and rounding
            return loss.estimated and about_floor(point.X, loss.scale, "theta", floor)
        lengths = loss.group.energies(loss.divergence, point) ** 0.5
        return (
            f"all residuals are longer than theta = {loss.scale:.3g}, the shortest "
            f"{lengths.min():.3g}: every {self.group[:-1]} is left out, and this is plain NMF. "
            "Take a larger theta, or None."
        )

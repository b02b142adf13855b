"""The models in which whole samples, or whole features, share a weight."""

from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np

from rnmf_tutorial.core import Run, encode, flat_start
from rnmf_tutorial.estimator import BaseNMF, about_floor, estimator
from rnmf_tutorial.losses import FEATURES, SAMPLES, CappedRoot, Loss, Root, no_zeros
from rnmf_tutorial.models.plain import encode_complete
from rnmf_tutorial.noise import PASSES, TOL
from rnmf_tutorial.updates.coordinate import Coordinate
from rnmf_tutorial.updates.multiplicative import Multiplicative

__all__ = ["L21NMF", "CappedNMF"]

GROUPS = {"samples": SAMPLES, "features": FEATURES}
# With "cd", the shortest residual for a weight, as a share of the median length of the
# samples (or features): the weight of a shorter one would be so large that the others
# would hardly change.
_SHORT = 0.01


@estimator
class LinewiseNMF(BaseNMF):
    r"""Base of the models in which whole samples, or whole features, share a weight.

    Minimizes a sum of functions of the lengths of these columns, or rows, of X - WH.
    The weight of a sample cancels in the update of H, and that of a feature in the
    update of W.

    Parameters
    ----------
    {n_components}
    group : {"samples", "features"}, default="samples"
    {solver}
    {common}

    Examples
    --------
    >>> from rnmf_tutorial import CappedNMF
    >>> issubclass(CappedNMF, LinewiseNMF)
    True
    """

    group: str = "samples"
    solver: str = "cd"

    takes_missing: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True

    def _step(self, loss):
        """Return (18), which updates W first and uses the same weights for H; or "cd"."""
        return Coordinate() if self.solver == "cd" else Multiplicative(first="W")

    def _encode(self, point):
        """Return the coefficients; weights of samples cancel, those of features are the fit's."""
        if self.group == "features":
            X, W = point.data, point.W
            roots = np.sqrt(no_zeros(self.weights_)).astype(X.dtype)[:, None]
            X = roots * X if isinstance(X, np.ndarray) else X.multiply(roots).tocsc()
            point = flat_start(type(point)(X, roots * W, None, point.mask))
        update = partial(self._step(None).coefficients, loss=Loss())
        by_step = partial(encode, update=update, tol=self.tol, max_iter=self.max_iter)
        if self.solver == "cd":
            return encode_complete(by_step, point, self.tol, self.max_iter)
        return by_step(point)

    def _shown(self, point, loss):
        """Return the weights of the lines."""
        # The published weight is 1 / length: twice the derivative by the squared
        # length.
        return {"weights_": 2 * loss.slopes(point)}


def least_energy(model, point):
    """Return the smallest squared length of a residual that is used to compute a weight.

    A residual below 200 rounding errors of the data is only rounding; its weight would
    be so large that rounding would spoil the sums with the others.
    """
    data = type(point)(
        point.X, point.W, point.H
    )  # missing entries as they are filled in now
    lengths2 = data.squares[GROUPS[model.group].axis]
    least = (200 * float(np.finfo(data.W.dtype).eps)) ** 2 * (
        float(lengths2.max()) or 1.0
    )
    if model.solver == "mu" or not lengths2.any():
        return least
    return max(least, _SHORT**2 * float(np.median(lengths2[lengths2 > 0])))


@estimator
class L21NMF(LinewiseNMF):
    r"""NMF in the L2,1 norm: a sample costs the length of its residual, not the square of it.

    Minimizes :math:`\lVert X - WH\rVert_{2,1} = \sum_j \lVert x_j - W h_j\rVert` over
    non-negative W and H. Sample j has the weight :math:`d_j = 1/\lVert x_j - W
    h_j\rVert`. The objective never rises. With "cd" a residual shorter than a hundredth
    of the median sample has the weight of that length, and costs its square: a sample
    that is fitted exactly would otherwise outweigh all others, and the fit would stop.

    See the chapter *How robust is robust?* of the book.

    Parameters
    ----------
    {n_components}
    group : {"samples", "features"}, default="samples"
        What shares a weight: a sample, as published, or a feature, for data in which
        whole features are wrong.
    {solver}
    {common}

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

    def _loss(self, point):
        """Return the sum of the lengths, (16)."""
        return Loss(Root(), group=GROUPS[self.group], least=least_energy(self, point))


@estimator
class CappedNMF(LinewiseNMF):
    r"""Capped-norm NMF: a sample whose residual is longer than θ costs θ and has no weight.

    Minimizes :math:`\sum_j \min(\lVert x_j - W h_j\rVert, \theta)` over non-negative W
    and H. A sample within the cap has the weight :math:`1/\lVert x_j - W h_j\rVert`,
    one beyond it the weight zero. Its coefficients are still updated, so that it can
    come back. If θ leaves out every sample, the step is that of plain NMF.

    See the chapter *Truncated Cauchy NMF* of the book.

    Parameters
    ----------
    {n_components}
    group : {"samples", "features"}, default="samples"
        What shares a weight: a sample, as published, or a feature.
    {solver}
    theta : float, "published" or None, default=None
        The cap θ, a length in the units of the data. None takes three times the median
        length of the residuals of a robust start (:mod:`~rnmf_tutorial.noise`), and at
        least 1/100 of the median length of the data. "published" takes three times the
        median length after every sweep. The papers give no rule; from a random start,
        this one can leave out good samples for the whole fit. Samples of zeros that are
        fitted as zeros are ignored.
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
        The objective at the start point and after each sweep. With a fixed θ it never
        rises. With ``theta="published"`` each value is for the θ of its sweep, and it
        can rise only if θ grew.
    n_iter_ : int
        Number of sweeps.

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

    theta: float | str | None = None

    def _begin(self, point, y):
        """Return the run; if θ is to be estimated, from the better of two starts.

        A robust fit with weights of entries leaves out lines whose errors differ, but
        uses a component for lines with the same error. A fit with the cap estimated
        after every sweep does the reverse. The cap of the first is used to compare
        them.
        """
        if self.theta is not None:
            return super()._begin(point, y)
        robust, _ = self._robust_start(point)
        cap = self._loss(robust)
        swept = Run(point, self._estimated(point), Coordinate())
        swept = swept.sweep(max_iter=PASSES, tol=TOL).point
        best = swept if cap.value(swept) < cap.value(robust) else robust
        return Run(best, cap, self._step(cap))

    def _estimated(self, point):
        kinds = {"group": GROUPS[self.group], "least": least_energy(self, point)}
        return Loss(CappedRoot(), estimated=True, **kinds)

    def _loss(self, point):
        """Return the sum of the lengths, each at most θ."""
        loss = self._estimated(point)
        if self.theta == "published":
            return loss
        theta = self.theta
        if theta is None:
            theta = max(loss.rescaled(point).scale, loss.least**0.5)
        return replace(loss, scale=theta, estimated=False)

    def _shown(self, point, loss):
        """Return the weights of the lines, and the cap."""
        return super()._shown(point, loss) | {"theta_": float(loss.scale)}

    def _advice(self, point, loss):
        """Return the text of a warning about the cap, or None."""
        if self.weights_.any():
            floor = 4 * loss.least**0.5  # three times the least length, with a margin
            return loss.estimated and about_floor(point, loss.scale, "theta", floor)
        lengths = loss.group.energies(loss.divergence, point) ** 0.5
        return (
            f"all residuals are longer than theta = {loss.scale:.3g}, the shortest "
            f"{lengths.min():.3g}: every {self.group[:-1]} is left out, and this is plain NMF. "
            "Take a larger theta, or None."
        )

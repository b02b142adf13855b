"""Hoyer's non-negative sparse coding, which the paper takes its steps from."""

from dataclasses import dataclass

from rnmf_tutorial import RegularizedNMF
from rnmf_tutorial.core import ratio, unit_columns
from rnmf_tutorial.estimator import BaseNMF, estimator
from rnmf_tutorial.updates import SphereUpdates


@dataclass(frozen=True)
class CoefficientSum:
    """The penalty ν Σ H."""

    nu: float

    def value(self, point):
        """Return the penalty."""
        return self.nu * float(point.H.sum(dtype=float))


class CodingUpdates(SphereUpdates):
    """Take the step on W without a penalty; then update H with that of its own."""

    def __init__(self, nu):
        super().__init__(lam=0)
        self.nu = nu

    def coefficients(self, point, loss):
        """Update H alone, with the penalty's slope in the denominator."""
        return point.H * ratio(point.WtX, point.WtW @ point.H + self.nu)


@estimator
class SparseCodingNMF(RegularizedNMF):
    r"""NNSC: sparse *coefficients*, :math:`\tfrac12\lVert X - WH\rVert_F^2 + \nu\sum_{kj} H_{kj}`.

    The columns of W have length one, and W takes the step of `RegularizedNMF` without a
    penalty. Fitted to the transposed data it gives a sparse basis: the roles of W and H
    are exchanged.

    Parameters
    ----------
    {n_components}
    nu : float, default=1.0
        The weight of the penalty, :math:`\nu`.
    {common}

    References
    ----------
    Hoyer, *Non-negative sparse coding*, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
    >>> model = SparseCodingNMF(1, nu=0.5, tol=0, max_iter=500, random_state=0).fit(A)
    >>> (model.components_ / model.components_[0, 0]).round(2).tolist()
    [[1.0, 0.0, 2.0, 1.0]]
    """

    nu: float = 1.0

    def _begin(self, point, y):
        """Return the run from columns of length one, with the penalty of the coefficients."""
        start = point.to(*unit_columns(point.W, point.H))
        return BaseNMF._begin(self, start, y, (CoefficientSum(self.nu),))

    def _step(self, loss):
        """Return Hoyer's updates."""
        return CodingUpdates(self.nu)

"""Hoyer's non-negative sparse coding, which the paper takes its steps from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rnmf_tutorial import RegularizedNMF
from rnmf_tutorial.arithmetic import ratio, unit_columns
from rnmf_tutorial.base import BaseNMF
from rnmf_tutorial.solvers import SphereUpdates


@dataclass(frozen=True)
class CoefficientSum:
    """The penalty ν Σ H."""

    nu: float

    def value(self, W, H):
        """Return the penalty."""
        return self.nu * float(H.sum(dtype=float))


class CodingUpdates(SphereUpdates):
    """Take the step on W without a penalty; then update H with that of its own."""

    def __init__(self, nu):
        super().__init__(lam=0)
        self.nu = nu

    def update_H(self, work, loss, comparison):
        """Return the next H for a fixed W; the penalty's slope is in the denominator."""
        H = comparison.H
        return H * ratio(comparison.WtX, comparison.WtW @ H + self.nu)


class SparseCodingNMF(RegularizedNMF):
    r"""NNSC: sparse *coefficients*, :math:`\tfrac12\lVert X - WH\rVert_F^2 + \nu\sum_{kj} H_{kj}`.

    The columns of W have length one, and W takes the step of `RegularizedNMF` without a
    penalty. Fitted to the transposed data it gives a sparse basis: the roles of W and H
    are exchanged.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    nu : float, default=1.0
        The weight of the penalty, :math:`\nu`.
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

    def __init__(
        self,
        n_components: int = 2,
        *,
        nu: float = 1.0,
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
        self.nu = nu

    def _problem(self, work, W, H, y):
        """Return the problem from columns of length one, with the penalty."""
        W, H = unit_columns(W, H)
        problem = BaseNMF._problem(self, work, W, H, y)
        penalties, found = self._penalties(work, W, H, y)
        return problem._replace(penalties=penalties, found=found)

    def _penalties(self, work, W, H, y):
        """Return the penalty of the coefficients; nothing is found with it."""
        return (CoefficientSum(self.nu),), {}

    def _solver(self, loss):
        """Return Hoyer's updates."""
        return CodingUpdates(self.nu)

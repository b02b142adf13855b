"""Capped-norm NMF: samples too far off cost a constant (Gao et al., 2015)."""

from typing import ClassVar, NamedTuple

import numpy as np

from rnmf_tutorial.arrays import ratio
from rnmf_tutorial.models.cleaning import SolverChoice
from rnmf_tutorial.models.complaints import about_floor
from rnmf_tutorial.models.parameters import estimator
from rnmf_tutorial.models.sizes import counted
from rnmf_tutorial.models.weights.samples import ColumnwiseNMF

__all__ = ["CappedNMF"]


class CappedWeights(NamedTuple):
    """The state: that of sample weights, and the cap."""

    d: np.ndarray
    norms: np.ndarray
    xx: np.ndarray
    least: float
    theta: float


@estimator
class CappedNMF(SolverChoice, ColumnwiseNMF):
    r"""Capped-norm NMF: a sample whose residual is longer than θ costs θ and teaches nothing.

    Minimizes :math:`\sum_j \min(\lVert x_j - W h_j\rVert, \theta)` over non-negative W and H. A
    sample within the cap has the weight :math:`1/\lVert x_j - W h_j\rVert`, one beyond it the
    weight zero. Its coefficients are still fitted, so that it can come back. If θ leaves every
    sample out, the step is that of plain NMF.

    Parameters
    ----------
    {n_components}
    theta : float or None, default=None
        The cap θ, a length in the units of the data. None takes three times the median length
        of the residuals, anew in each sweep; the papers give no rule. Samples of zeros that the
        factors know to be zeros are not counted.
    {solver}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples,)
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

    theta: float | None = None
    solver: str = "mu"

    shows: ClassVar[dict] = {"weights_": "d", "theta_": "theta"}

    def cap(self, norms):
        """Return θ: the parameter, or three times the median length."""
        return 3 * float(np.median(norms)) if self.theta is None else float(self.theta)

    def loss(self, norms):
        """Return the lengths, capped at θ."""
        return np.minimum(norms, self.cap(norms))

    def weight(self, norms):
        """Return 1 / length within the cap, 0 beyond."""
        return np.where(norms <= self.cap(norms), ratio(np.ones_like(norms), norms), 0)

    def fixed(self, state):
        """Return the model with the cap of a state."""
        return CappedNMF(theta=state.theta)

    def weigh(self, norms, xx, least):
        """Return the state with the weights for these lengths, and the cap."""
        lengths = np.maximum(norms, least)
        theta = self.cap(counted(xx, lengths, least))
        return CappedWeights(CappedNMF(theta=theta).weight(lengths), norms, xx, least, theta)

    def complaint(self, X, W, H, state):
        """Return what is wrong with the cap."""
        if state.d.any():
            return self.theta is None and about_floor(X, state.theta, "theta")
        return (
            f"all residuals are longer than theta = {state.theta:.3g}, the shortest "
            f"{state.norms.min():.3g}: every sample is left out, and this is plain NMF. Take a "
            "larger theta, or None."
        )

    def check_parameters(self):
        """Raise an error for a parameter out of range."""
        super().check_parameters()
        if self.theta is not None:
            self.check_positive("theta")

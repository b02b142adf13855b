"""NMF in the L2,1 norm (Kong et al., 2011)."""

import numpy as np

from rnmf_tutorial.arrays import ratio
from rnmf_tutorial.models.cleaning import SolverChoice
from rnmf_tutorial.models.parameters import estimator
from rnmf_tutorial.models.weights.samples import ColumnwiseNMF

__all__ = ["L21NMF", "L21Loss"]


class L21Loss:
    """The length of a sample's residual, and its weight.

    Examples
    --------
    >>> L21Loss().weight(np.array([0.5])).tolist()
    [2.0]
    """

    def loss(self, norms):
        """Return the lengths themselves: their sum is (16)."""
        return norms

    def weight(self, norms):
        """Return D of (18)."""
        return ratio(np.ones_like(norms), norms)


@estimator
class L21NMF(L21Loss, SolverChoice, ColumnwiseNMF):
    r"""NMF in the L2,1 norm: a sample counts with the length of its residual, not its square.

    Minimizes :math:`\lVert X - WH\rVert_{2,1} = \sum_j \lVert x_j - W h_j\rVert` over
    non-negative W and H. Sample j has the weight :math:`d_j = 1/\lVert x_j - W h_j\rVert`. The
    objective never rises.

    Parameters
    ----------
    {n_components}
    {solver}
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples,)
        The weights of the samples at the end, in units of 1/X.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Kong, Ding and Huang, *Robust nonnegative matrix factorization using L21-norm*, CIKM 2011;
    equations (16)-(18) of Díaz, Steele and Nguyen.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[1] = [0, 9, 0, 0]
    >>> model = L21NMF(1, random_state=0).fit(A)
    >>> int(model.weights_.argmin())
    1
    """

    solver: str = "mu"

"""Robust manifold NMF: the L2,1 norm, and a graph of nearest neighbors."""

from typing import ClassVar

from rnmf_tutorial.estimators.graph_models import GraphNMF
from rnmf_tutorial.estimators.l21 import L21NMF
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.steps.multiplicative import Multiplicative

__all__ = ["RobustManifoldNMF"]


@estimator
class RobustManifoldNMF(GraphNMF):
    r"""Robust manifold NMF: the L2,1 norm and a graph of nearest neighbors.

    Minimizes :math:`\lVert X - WH\rVert_{2,1} + \lambda \operatorname{tr}(HLH^T)` over non-negative
    W and H: (5), λ being its γ, without its constraint that the rows of H be orthonormal (printed
    :math:`V^TV = I`; for r < n it can only mean :math:`VV^T = I`). With H ≥ 0 that would leave
    every sample one component at most: a clustering. The objective never rises. With λ = 0 the
    iterates are those of :class:`L21NMF`.

    Parameters
    ----------
    {n_components}
    lam : float, default=1e-5
        The weight λ of the graph.
    n_neighbors : int, default=5
        How many nearest samples each sample is joined to.
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples: non-negative least squares, or the
        pseudo-inverse of W, whose coefficients may be negative.
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    graph_ : NeighborGraph
        The graph of nearest neighbors.
    weights_ : ndarray of shape (n_samples,)
        The weights of the samples after the last sweep, in units of 1/X.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Huang, Nie, Huang and Ding, *Robust manifold nonnegative matrix factorization*, ACM TKDD 2014;
    equation (5) of Cheng, Wang and Guan (2022).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[1] = [0, 9, 0, 0]
    >>> model = RobustManifoldNMF(1, random_state=0).fit(A)
    >>> int(model.weights_.argmin())
    1
    """

    lam: float = 1e-5
    n_neighbors: int = 5
    encoding: str = "nnls"

    by_labels: ClassVar[bool] = False
    share: ClassVar[float] = 1.0

    def _loss(self, point):
        """Return the first term of (5), the sum of the lengths."""
        return L21NMF(solver="mu")._loss(point)

    def _step(self):
        """Return (18), with the pull of the graph."""
        return Multiplicative(first="W", graph=self._term())

    def _shown(self, point, loss):
        """Return the weights of the samples."""
        return {"weights_": 2 * loss.slopes(point)}

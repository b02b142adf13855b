"""Robust manifold NMF: the L2,1 norm, and a graph of nearest neighbors."""

import numpy as np

from rnmf_tutorial.arrays import ratio
from rnmf_tutorial.models.distances import column_norms
from rnmf_tutorial.models.graphs.graph_term import NeighborGraphTerm
from rnmf_tutorial.models.parameters import estimator
from rnmf_tutorial.models.weights.l21 import L21Loss
from rnmf_tutorial.models.weights.samples import ColumnwiseNMF, no_zeros

__all__ = ["RobustManifoldNMF"]


@estimator
class RobustManifoldNMF(NeighborGraphTerm, L21Loss, ColumnwiseNMF):
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

    def objective(self, X, W, H, state=None):
        """Return (5)."""
        return super().objective(X, W, H, state) + self.lam * self.graph_.energy(H)

    def sweep(self, X, W, H, now):
        """Update W with the weights d, then H with its neighbors, then the weights."""
        HD = H * no_zeros(now.d)
        W = W * ratio(X @ HD.T, W @ (HD @ H.T))
        WtX, WtW = W.T @ X, W.T @ W
        # Both products are the loss's gradient over d_j, so the graph's weight is 2λ/d_j.
        toward, away = self.pull(H, ratio(np.full_like(now.d, 2 * self.lam), now.d))
        H = H * ratio(WtX + toward, WtW @ H + away)
        norms = column_norms(X, W, H, (now.xx, WtX, WtW))
        return W, H, self.weigh(norms, now.xx, now.least)

"""MD-NMF: the divergence, and a graph of near samples with one label."""

import numpy as np

from rnmf_tutorial.arrays import ratio
from rnmf_tutorial.divergences import KULLBACK_LEIBLER
from rnmf_tutorial.estimators.graph_models import GraphNMF
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.losses import Loss

__all__ = ["ManifoldDiscriminativeNMF"]


@estimator
class ManifoldDiscriminativeNMF(GraphNMF):
    r"""MD-NMF: Kullback-Leibler divergence and a graph of near samples with one label.

    Minimizes :math:`D(X \Vert WH) + \frac{\lambda}{2} \operatorname{tr}(HLH^T)` over non-negative W
    and H: (2) as it stands, λ being its γ. The objective never rises. With λ = 0 it is :class:`NMF`
    with that loss.

    The paper gives the objective alone. L is here the Laplacian of the graph that joins the
    nearest samples within each class; the margin between classes, which the method's own paper
    adds, is left out. The update of H minimizes Lee and Seung's surrogate plus the graph's. In
    that, the logarithm bounds the pull of the neighbors, as
    :math:`ab \ge a'b'(1 + \ln(ab/a'b'))`, and the term with the degrees is kept: the minimizer is
    the root of a quadratic.

    Parameters
    ----------
    {n_components}
    lam : float, default=1e-5
        The weight λ of the graph.
    n_neighbors : int, default=5
        How many nearest samples of the same label each sample is joined to.
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples: non-negative least squares, or the
        pseudo-inverse of W, whose coefficients may be negative.
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    graph_ : NeighborGraph
        The graph of near samples with one label.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Guan, Tao, Luo and Yuan, *Manifold regularized discriminative nonnegative matrix factorization
    with fast gradient descent*, IEEE TIP 2011; equation (2) of Cheng, Wang and Guan (2022).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.random.default_rng(0).uniform(size=(6, 5))
    >>> model = ManifoldDiscriminativeNMF(2, lam=0.1, random_state=0)
    >>> model.fit(A, [0, 0, 0, 1, 1, 1]).transform(A[:2]).shape
    (2, 2)
    """

    lam: float = 1e-5
    n_neighbors: int = 5
    encoding: str = "nnls"

    def _loss(self, point):
        """Return the first term of (2), the divergence."""
        return Loss(divergence=KULLBACK_LEIBLER)

    def _step(self):
        """Return the update of H that its root gives, and that of W."""
        return RootUpdates(self.graph_, self.lam_)


class RootUpdates:
    """Update H: the root of λ D h² + (column sums of W) h = H (WᵀR + λ HA); then W.

    Parameters
    ----------
    graph : NeighborGraph
    lam : float
    """

    def __init__(self, graph, lam):
        self.graph, self.lam = graph, lam

    def __call__(self, point, loss):
        """Return the next point."""
        up, down = loss.divergence.parts_of_H(point, None)
        C = point.H * (up + self.lam * self.graph.sums(point.H))
        slope = np.sqrt(down**2 + 4 * self.lam * self.graph.degrees * C)
        point = point.to(H=ratio(2 * C, down + slope))
        return point.to(W=point.W * ratio(*loss.divergence.parts_of_W(point, None)))

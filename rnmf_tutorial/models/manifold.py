"""Models with a graph of near samples: the divergence with labels, the L2,1 norm without."""

import numpy as np

from rnmf_tutorial.models.columnwise import L21NMF
from rnmf_tutorial.models.graph import NeighborGraph, checked_labels
from rnmf_tutorial.models.graph_term import GraphTerm, NeighborGraphTerm
from rnmf_tutorial.models.nmf import NMF
from rnmf_tutorial.models.updates import ratio

__all__ = ["ManifoldDiscriminativeNMF", "RobustManifoldNMF"]


class ManifoldDiscriminativeNMF(GraphTerm, NMF):
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
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    lam : float, default=1e-5
        The weight λ of the graph.
    n_neighbors : int, default=5
        How many nearest samples of the same label each sample is joined to.
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples: non-negative least squares, or the
        pseudo-inverse of W, whose coefficients may be negative.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then take the
        coefficients that `transform` finds for the last W. 0 means exactly `max_iter` sweeps and
        nothing more.
    random_state : int, RandomState or None, default=None
    callback : callable, default=None
        Called as ``callback(iteration, W, H, *extras)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

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

    def __init__(
        self,
        n_components=2,
        *,
        lam=1e-5,
        n_neighbors=5,
        encoding="nnls",
        init="random",
        max_iter=2000,
        tol=1e-5,
        random_state=None,
        callback=None,
        verbose=0,
    ):
        super().__init__(
            n_components,
            loss="kullback-leibler",
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.lam = lam
        self.n_neighbors = n_neighbors
        self.encoding = encoding

    def make_graph(self, X, y):
        """Return the graph of the nearest samples within each class."""
        return NeighborGraph(X.T, self.n_neighbors, checked_labels(X, y, type(self).__name__))

    def objective(self, X, W, H, kept=None):
        """Return (2)."""
        return super().objective(X, W, H, kept) + self.lam / 2 * self.graph_.energy(H)

    def step(self, H, up, down, state=None):
        """Return H with λ D h² + down h = H (up + λ HA) in every entry."""
        C = H * (up + self.lam * self.graph_.sums(H))
        slope = np.sqrt(down**2 + 4 * self.lam * self.graph_.degrees * C)
        return ratio(2 * C, down + slope)


class RobustManifoldNMF(NeighborGraphTerm, L21NMF):
    r"""Robust manifold NMF: the L2,1 norm and a graph of nearest neighbors.

    Minimizes :math:`\lVert X - WH\rVert_{2,1} + \lambda \operatorname{tr}(HLH^T)` over non-negative
    W and H: (5), λ being its γ, without its constraint that the rows of H be orthonormal (printed
    :math:`V^TV = I`; for r < n it can only mean :math:`VV^T = I`). With H ≥ 0 that would leave
    every sample one component at most: a clustering. The objective never rises. With λ = 0 the
    iterates are those of :class:`L21NMF`.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    lam : float, default=1e-5
        The weight λ of the graph.
    n_neighbors : int, default=5
        How many nearest samples each sample is joined to.
    encoding : {"nnls", "pinv"}, default="nnls"
        How `transform` finds the coefficients of new samples: non-negative least squares, or the
        pseudo-inverse of W, whose coefficients may be negative.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then take the
        coefficients that `transform` finds for the last W. 0 means exactly `max_iter` sweeps and
        nothing more.
    random_state : int, RandomState or None, default=None
    callback : callable, default=None
        Called as ``callback(iteration, W, H, d, *more)`` at the start point (iteration 0) and
        after each sweep, d being the weights. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

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

    def __init__(
        self,
        n_components=2,
        *,
        lam=1e-5,
        n_neighbors=5,
        encoding="nnls",
        init="random",
        max_iter=2000,
        tol=1e-5,
        random_state=None,
        callback=None,
        verbose=0,
    ):
        super().__init__(
            n_components,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.lam = lam
        self.n_neighbors = n_neighbors
        self.encoding = encoding

    def objective(self, X, W, H, d=None, norms=None, xx=None):
        """Return (5)."""
        return super().objective(X, W, H, d, norms, xx) + self.lam * self.graph_.energy(H)

    def graph_weight(self, H, state):
        """Return 2λ/d_j: the step's products are the loss's gradient over the weight d_j."""
        return ratio(np.full_like(state, 2 * self.lam), state)

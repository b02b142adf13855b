"""Correntropy of whole rows, with a graph of nearest neighbors."""

import numpy as np

from rnmf_tutorial.models.graph_term import NeighborGraphTerm
from rnmf_tutorial.models.losses import column_norms
from rnmf_tutorial.models.redescending import CIMNMF
from rnmf_tutorial.models.updates import ratio

__all__ = ["MCCGR"]


class MCCGR(NeighborGraphTerm, CIMNMF):
    r"""Graph regularized NMF by maximum correntropy: a feature whose row is off counts less.

    Minimizes :math:`\sum_i \bigl(1 - \exp(-\lVert e_i\rVert^2/2\sigma^2)\bigr) + \frac{\lambda}{2}
    \operatorname{tr}(HLH^T)` over non-negative W and H, where :math:`e_i` is row i of
    :math:`E = X - WH`: the errors of feature i in all samples. With λ = 1 this is (4), turned from
    a maximum into a minimum, plus the number of features. The weights are
    :math:`q_i = \exp(-\lVert e_i\rVert^2/2\sigma^2)`; they cancel in the update of W. With a
    fixed σ the objective never rises.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    lam : float, default=1.0
        The weight λ of the graph.
    scale : float or None, default=None
        The kernel size σ, in the units of the data: the length of a row of E. None takes σ² as
        half the mean of :math:`\lVert e_i\rVert^2`, anew in each sweep: (23) with rows for entries,
        as the paper gives no rule for this model.
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
        Called as ``callback(iteration, W, H, q, *more)`` at the start point (iteration 0) and
        after each sweep, q being the weights. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    graph_ : NeighborGraph
        The graph of nearest neighbors.
    weights_ : ndarray of shape (n_features,)
        The weights of the features after the last sweep, between 0 and 1.
    scale_ : float
        The kernel size at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, each at its own sweep's σ.
    n_iter_ : int
        Number of sweeps.

    References
    ----------
    Li et al., *Graph regularized non-negative matrix factorization by maximizing correntropy*,
    2014; equation (4) of Cheng, Wang and Guan (2022).

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 1.0, 3.0])
    >>> A[:, 1] = [9, 0, 9, 0, 9]
    >>> model = MCCGR(1, lam=0.0, random_state=0).fit(A)
    >>> int(model.weights_.argmin())
    1
    """

    def __init__(
        self,
        n_components=2,
        *,
        lam=1.0,
        scale=None,
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
            scale=scale,
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

    def objective(self, X, W, H, q=None, squares=None, xx=None, scale=None):
        """Return (4) as a minimum; without the extras, σ is what `start` finds for W and H."""
        if squares is None:
            q, squares, _, scale = self.start(X, W, H)
        loss = float(self.loss(squares / scale**2, q).sum()) / 2
        return loss + self.lam / 2 * self.graph_.energy(H)

    def start(self, X, W, H):
        """Return the weights q at W, H, the squared lengths of the rows of E and X, and σ."""
        xx = np.einsum("ij,ij->i", X, X)
        return self._weigh_rows(X, column_norms(X.T, H.T, W.T) ** 2, xx, None)

    def sweep(self, X, W, H, q, squares, xx, scale):
        """Update H, then W, then the weights of the rows and the scale."""
        QW = q[:, None] * W
        H = self.step(H, QW.T @ X, (QW.T @ W) @ H, scale)
        XHt, HHt = X @ H.T, H @ H.T
        W = W * ratio(XHt, W @ HHt)  # q_i cancels
        squares = column_norms(X.T, H.T, W.T, (xx, XHt.T, HHt)) ** 2
        return W, H, *self._weigh_rows(X, squares, xx, scale)

    def graph_weight(self, H, state):
        """Return λσ²: the step's products are the loss's gradient times σ²."""
        return self.lam * state**2

    def _weigh_rows(self, X, squares, xx, previous):
        scale = self._new_scale(X, squares, previous)
        return self.weight(squares / scale**2), squares, xx, scale

    def _keep(self, q, squares, xx, scale):
        self.weights_ = q
        self.scale_ = scale

"""Correntropy of whole rows, with a graph of nearest neighbors."""

from typing import NamedTuple

import numpy as np

from rnmf_tutorial.arrays import ratio
from rnmf_tutorial.models.distances import column_norms
from rnmf_tutorial.models.graphs.graph_term import NeighborGraphTerm
from rnmf_tutorial.models.parameters import estimator
from rnmf_tutorial.models.weights.cim import Correntropy
from rnmf_tutorial.models.weights.entries import EntrywiseNMF

__all__ = ["MCCGR"]


class RowWeights(NamedTuple):
    """The state: the weights of the features, the scale, and the squared lengths behind them."""

    Q: np.ndarray
    scale: float
    squares: np.ndarray  # of the rows of E
    xx: np.ndarray  # of the rows of X


@estimator
class MCCGR(NeighborGraphTerm, Correntropy, EntrywiseNMF):
    r"""Graph regularized NMF by maximum correntropy: a feature whose row is off counts less.

    Minimizes :math:`\sum_i \bigl(1 - \exp(-\lVert e_i\rVert^2/2\sigma^2)\bigr) + \frac{\lambda}{2}
    \operatorname{tr}(HLH^T)` over non-negative W and H, where :math:`e_i` is row i of
    :math:`E = X - WH`: the errors of feature i in all samples. With λ = 1 this is (4), turned from
    a maximum into a minimum, plus the number of features. The weights are
    :math:`q_i = \exp(-\lVert e_i\rVert^2/2\sigma^2)`; they cancel in the update of W. With a
    fixed σ the objective never rises.

    Parameters
    ----------
    {n_components}
    scale : float or None, default=None
        The kernel size σ, in the units of the data: the length of a row of E. None takes σ² as
        half the mean of :math:`\lVert e_i\rVert^2`, anew in each sweep: (23) with rows for entries,
        as the paper gives no rule for this model.
    lam : float or None, default=None
        The weight λ of the graph. None takes the published 1 over the mean of the
        positive data, so that a fit does not depend on their unit.
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
    weights_ : ndarray of shape (n_features,)
        The weights of the features after the last sweep, between 0 and 1.
    scale_ : float
        The kernel size at the end.
    lam_ : float
        The weight λ.
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

    lam: float | None = None
    n_neighbors: int = 5
    encoding: str = "nnls"

    def lam_at(self, mean):
        """Return 1 over the mean: the first term has no unit, tr(HLHᵀ) that of the data."""
        return 1 / mean

    def objective(self, X, W, H, state=None):
        """Return (4) as a minimum; without the state, σ is what `start` finds for W and H."""
        at = self.start(X, W, H) if state is None else state
        loss = float(self.loss(at.squares / at.scale**2, at.Q).sum()) / 2
        return loss + self.lam_ / 2 * self.graph_.energy(H)

    def start(self, X, W, H):
        """Return the weights of the rows at W, H, and σ."""
        xx = np.einsum("ij,ij->i", X, X)
        return self.weigh_rows(X, column_norms(X.T, H.T, W.T) ** 2, xx, None)

    def sweep(self, X, W, H, now):
        """Update H with its neighbors, then W, then the weights of the rows and the scale."""
        QW = now.Q[:, None] * W
        # Both products are the loss's gradient times σ², and so is the graph's weight.
        HA, HD = self.pull(H, self.lam_ * now.scale**2)
        H = H * ratio(QW.T @ X + HA, (QW.T @ W) @ H + HD)
        XHt, HHt = X @ H.T, H @ H.T
        W = W * ratio(XHt, W @ HHt)  # q_i cancels
        squares = column_norms(X.T, H.T, W.T, (now.xx, XHt.T, HHt)) ** 2
        return W, H, self.weigh_rows(X, squares, now.xx, now.scale)

    def restored(self, X, W, H, state):
        """Return the state as it is: no sweep writes over it."""
        return state

    def weigh_rows(self, X, squares, xx, previous):
        """Return the state for these squared lengths of the rows of the residual."""
        scale = self.new_scale(X.max(axis=1), squares, previous)  # 0 for a row of zeros
        return RowWeights(self.weight(squares / scale**2), scale, squares, xx)

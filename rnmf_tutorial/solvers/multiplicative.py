"""Lee and Seung's updates, with the weights of a loss and the penalty of a graph."""

from dataclasses import dataclass
from typing import Any

from rnmf_tutorial.arithmetic import ratio
from rnmf_tutorial.fitting import Solver, Update


@dataclass(eq=False)
class Multiplicative(Solver):
    """Multiply H, then W, by the negative over the positive part of the gradient.

    For squares without weights this is (9) of Zhang et al. (2011); for
    Kullback-Leibler, (10) and (11). With weights, it is the update of Guan et al.
    (2019) and Cheng et al. (2022), who compute the weights again before each factor.
    With W first and the same weights for both factors, it is the update of Kong et al.
    (2011).

    Parameters
    ----------
    first : {"H", "W"}, default="H"
    normalize : {None, "l1", "l2"}, default=None
        The norm that the columns of W get after each sweep.
    graph : GraphPenalty, optional
        The penalty on differences between the coefficients of neighbors.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.fitting import Work, iterate
    >>> from rnmf_tutorial.losses import WeightedLoss
    >>> start = Work(np.full((1, 2), 3.0)), np.ones((1, 1)), np.ones((1, 2))
    >>> start, end = iterate(*start, WeightedLoss(), Multiplicative(), max_iter=1)
    >>> end.H
    array([[3., 3.]])
    """

    first: str = "H"
    normalize: str | None = None
    graph: Any = None

    def update(self, work, loss, comparison, memory):
        """Return the next W and H."""
        W, H = comparison.W, comparison.H
        Q = loss.positive_weights(comparison)
        if self.first == "H":
            H = self.next_H(work, loss, comparison, Q)
            products = comparison.computed("WtW")
            halfway = loss.compare(work, W, H, products=products, fill=False)
            Q = loss.positive_weights(halfway)
            W = W * ratio(*loss.divergence.parts_of_W(work, halfway, Q))
            products = halfway.computed("XHt", "HHt")
        else:
            W = W * ratio(*loss.divergence.parts_of_W(work, comparison, Q))
            products = comparison.computed("XHt", "HHt")
            halfway = loss.compare(work, W, H, products=products, fill=False)
            H = self.next_H(work, loss, halfway, Q)
            products = halfway.computed("WtX", "WtW")
        if work.mask is not None:
            products = {}  # missing entries are about to get other values
        return Update(W, H, products=products)

    def update_H(self, work, loss, comparison):
        """Return the next H for a fixed W."""
        Q = loss.positive_weights(comparison)
        return self.next_H(work, loss, comparison, Q)

    def next_H(self, work, loss, comparison, Q):
        """Return H ⊙ (up / down), for weights Q."""
        H = comparison.H
        up, down = loss.divergence.parts_of_H(work, comparison, Q)
        if self.graph is not None:
            HA, HD = self.graph.pull(H, loss, Q)
            up = up + HA
            down = down + HD
        return H * ratio(up, down)

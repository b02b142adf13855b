"""Lee and Seung's updates, with the weights of a loss and the penalty of a graph."""

from rnmf_tutorial.core import ratio


class Multiplicative:
    """Multiply H, then W, by the quotient of the negative and the positive part of the gradient.

    For squares without weights this is (9) of Zhang et al. (2011); for
    Kullback-Leibler, (10) and (11). With weights, it is the update of Guan et al.
    (2019) and Cheng et al. (2022), who compute the weights again before each factor.
    With W first and the same weights for both factors, it is the update of Kong et al.
    (2011).

    Parameters
    ----------
    first : {"H", "W"}, default="H"
    normalize : {None, "l1", "l2"}, default=None
        The norm that the columns of W get after each step.
    graph : GraphPenalty, optional
        The penalty on differences between the coefficients of neighbors.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.core import Point
    >>> from rnmf_tutorial.losses import Loss
    >>> point = Point(np.full((1, 2), 3.0), np.ones((1, 1)), np.ones((1, 2)))
    >>> Multiplicative()(point, Loss()).H
    array([[3., 3.]])
    """

    def __init__(self, first="H", normalize=None, graph=None):
        self.first = first
        self.normalize = normalize
        self.graph = graph

    def __call__(self, point, loss):
        """Return the next point."""
        Q = loss.weights(point)
        if self.first == "H":
            point = point.to(H=self.update_H(point, loss, Q))
            Q = loss.weights(point)
            point = point.to(W=self.update_W(point, loss, Q))
        else:
            point = point.to(W=self.update_W(point, loss, Q))
            point = point.to(H=self.update_H(point, loss, Q))
        return point if self.normalize is None else point.normalized(self.normalize)

    def update_H(self, point, loss, Q):
        """Return H ⊙ (up / down)."""
        up, down = loss.divergence.parts_of_H(point, Q)
        if self.graph is not None:
            HA, HD = self.graph.pull(point.H, loss, Q)
            up = up + HA
            down = down + HD
        return point.H * ratio(up, down)

    def update_W(self, point, loss, Q):
        """Return W ⊙ (up / down)."""
        return point.W * ratio(*loss.divergence.parts_of_W(point, Q))

    def coefficients(self, point, loss):
        """Return the next H, with W held fixed."""
        return self.update_H(point, loss, loss.weights(point))

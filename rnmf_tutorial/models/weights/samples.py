r"""Models with one weight for every sample.

The loss is a concave function of the squared length of a sample's residual, so the weights come as
they do for entries (:mod:`rnmf_tutorial.models.weights.entries`). One weight for a whole column
cancels in the update of H; once per sweep is enough.
"""

from typing import ClassVar, NamedTuple

import numpy as np

from rnmf_tutorial.arrays import ratio
from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.distances import column_norms
from rnmf_tutorial.models.parameters import base_estimator
from rnmf_tutorial.models.weights.entries import smallest_weight
from rnmf_tutorial.solvers.passes import Seen

__all__ = ["ColumnwiseNMF", "SampleWeights", "no_zeros"]


class SampleWeights(NamedTuple):
    """The state of a model with sample weights.

    Parameters
    ----------
    d : ndarray of shape (n_samples,)
        The weights.
    norms : ndarray of shape (n_samples,)
        The lengths of the residuals that they come from.
    xx : ndarray of shape (n_samples,)
        The squared lengths of the samples.
    least : float
        The length that a residual has at least where a weight is found: below the rounding of the
        data it is none, and a weight beyond all others would leave these no digits.

    Examples
    --------
    >>> SampleWeights(np.ones(2), np.ones(2), np.ones(2), 1e-16).d.tolist()
    [1.0, 1.0]
    """

    d: np.ndarray
    norms: np.ndarray
    xx: np.ndarray
    least: float


def no_zeros(d):
    """Return the weights with a floor far below the smallest, so that each sample has a say.

    It is below the smallest, not the largest, because a sample that fits exactly has a weight
    beyond all others, whose weights a floor must not change. Where all samples are left out, all
    have the same.

    Parameters
    ----------
    d : ndarray of shape (n_samples,)
        Non-negative.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> no_zeros(np.array([2.0, 0.0]))[0], no_zeros(np.zeros(2)).tolist()
    (np.float64(2.0), [1.0, 1.0])
    """
    positive = d[d > 0]
    if not len(positive):
        return np.ones_like(d)
    return np.maximum(d, smallest_weight(d.dtype) * positive.min())


@base_estimator
class ColumnwiseNMF(BaseNMF):
    r"""Base of the models that weigh every sample by the length of its residual.

    Minimizes :math:`\sum_j \varphi(\lVert E_{:j}\rVert)`, where φ grows and is concave as a
    function of the *squared* length. The weights are
    :math:`d_j = \varphi'(\lVert E_{:j}\rVert) / \lVert E_{:j}\rVert`, twice the derivative by the
    squared length.

    One weight for a whole column cancels in the update of H, which is Lee and Seung's own; in
    that of W the weights go on the columns of H. No array of the shape of X is formed.

    A model writes φ (``loss``) and the weight (``weight``) as functions of the lengths.

    Parameters
    ----------
    {n_components}
    {common}

    Examples
    --------
    A loss of one's own: the logarithm of one plus the squared length.

    >>> class Logarithmic(ColumnwiseNMF):
    ...     def loss(self, norms):
    ...         return np.log1p(norms**2)
    ...
    ...     def weight(self, norms):
    ...         return 2 / (1 + norms**2)
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1] = [9, 0, 9, 0, 0]
    >>> model = Logarithmic(1, max_iter=100, tol=0, random_state=0).fit(A)
    >>> int(np.argmin(model.weights_))
    1
    """

    shows: ClassVar[dict] = {"weights_": "d"}
    keeps_data: ClassVar[bool] = True

    def loss(self, norms):
        """Return φ of the lengths."""
        raise NotImplementedError

    def weight(self, norms):
        """Return the weights at these lengths."""
        raise NotImplementedError

    def objective(self, X, W, H, state=None):
        """Return the sum of the losses of the columns."""
        at = self.start(X, W, H) if state is None else state
        return float(self.fixed(at).loss(at.norms).sum())

    def start(self, X, W, H, missing=None):
        """Return the weights d at W, H, the lengths of the residuals, and ‖x_j‖² if it stays."""
        xx = np.einsum("ij,ij->j", X, X)
        least = float(np.finfo(X.dtype).eps * np.sqrt(xx.max()))
        if missing is not None:
            xx[:] = np.nan  # they change with what is filled in
        return self.weigh(column_norms(X, W, H), xx, least)

    def sweep(self, X, W, H, now):
        """Update W with the weights d, then H, then the weights: (18) of Díaz et al."""
        HD = H * no_zeros(now.d)
        W = W * ratio(X @ HD.T, W @ (HD @ H.T))
        WtX, WtW = W.T @ X, W.T @ W
        H = H * ratio(WtX, WtW @ H)  # d_j cancels
        norms = column_norms(X, W, H, (now.xx, WtX, WtW))
        return W, H, self.weigh(norms, now.xx, now.least)

    def weigh(self, norms, xx, least):
        """Return the state with the weights for these lengths."""
        return SampleWeights(self.weight(np.maximum(norms, least)), norms, xx, least)

    def encode(self, X, W, H):
        """Update H alone; the weights cancel."""
        return H * ratio(W.T @ X, (W.T @ W) @ H)

    def at(self, X, W, H, state):
        """Return the weights for the final coefficients."""
        return self.start(X, W, H)

    def fixed(self, state):
        """Return the model with what it estimates fixed at the values of a state."""
        return self

    def look(self, X, W, H, state):
        """Return the objective, the data and half the weights: the slopes by squared lengths."""
        WtX = W.T @ X
        norms = column_norms(X, W, H, (state.xx, WtX, W.T @ W))
        model = self.fixed(state)
        slopes = no_zeros(model.weight(np.maximum(norms, state.least))) / 2
        return Seen(float(model.loss(norms).sum()), X, slopes, WtX, norms)

    def rescaled(self, X, seen, state):
        """Estimate anew from the lengths what is not fixed."""
        new = self.weigh(seen.more, state.xx, state.least)
        model = self.fixed(new)
        objective, slopes = float(model.loss(new.norms).sum()), no_zeros(new.d) / 2
        return seen._replace(objective=objective, weights=slopes), new

    def refilled(self, X, W, H, state):
        """Return the weights for other data."""
        return self.start(X, W, H)

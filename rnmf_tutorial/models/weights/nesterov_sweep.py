"""Sweeps that solve for each factor, where the published model multiplies once."""

from rnmf_tutorial.models.weights.entries import EntryWeights
from rnmf_tutorial.solvers.weighted_nesterov import improve_H, improve_W

__all__ = ["NesterovSweep"]


class NesterovSweep:
    """Solve for each factor in turn, where the model that comes next multiplies once.

    To be put before a model with entry-wise weights.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial import HuberNMF
    >>> class NesterovHuber(NesterovSweep, HuberNMF):
    ...     pass
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = NesterovHuber(1, scale=0.1, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.1).tolist()
    [[1, 2]]
    """

    def sweep(self, X, W, H, now):
        """Solve for H, find the weights, solve for W, find the scale and the weights again."""
        new = now.next()
        H = improve_H(X, W, H, now.Q, now.u)
        self.weigh(X, W, H, new)
        W = improve_W(X, W, H, new.Q, new.u)
        return W, H, self.weigh(X, W, H, new, rescale=True)

    def chunk_by_chunk(self):
        """Return None: the steps of W need all samples many times."""
        return None

    def encode(self, X, W, H):
        """Solve for H alone, at the fixed or the fitted scale."""
        at = self.weigh(X, W, H, EntryWeights(X, self.scale_at_hand()))
        return improve_H(X, W, H, at.Q, at.u)

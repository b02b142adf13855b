"""Half-quadratic sweeps that solve the weighted least squares problem of each factor."""

from rnmf_tutorial.models.nnls import weighted_nnls

__all__ = ["NesterovSweep", "improve_H", "improve_W"]


def improve_H(X, W, H, Q):
    """Return H near the minimum of Σ Q (X - WH)², with W and Q held fixed."""
    return weighted_nnls(X, W, Q, H, tol=1e-2, max_iter=30)


def improve_W(X, W, H, Q):
    """Return W near the minimum of Σ Q (X - WH)²: the same problem, transposed."""
    return improve_H(X.T, H.T, W.T, Q.T).T


class NesterovSweep:
    """Solve for each factor in turn, where the model that comes next multiplies once.

    To be put before a model with entry-wise weights: ``class NesterovHuber(NesterovSweep,
    HuberNMF)``.
    """

    def sweep(self, X, W, H, Q, WH, u, scale):
        """Solve for H, find the weights, solve for W, find the scale and the weights again."""
        H = improve_H(X, W, H, Q)
        Q, WH, u, _ = self._weigh(X, W, H, scale, Q, WH, u)
        W = improve_W(X, W, H, Q)
        return W, H, *self._weigh(X, W, H, scale, Q, WH, u, new_scale=True)

    def encode(self, X, W, H):
        """Solve for H alone, at the fixed or the fitted scale."""
        scale = self.scale_ if self.scale is None else self.scale
        Q, *_ = self._weigh(X, W, H, scale)
        return improve_H(X, W, H, Q)

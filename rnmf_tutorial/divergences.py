r"""The divergences of the data from what is fitted, each with Lee and Seung's parts.

Both are Bregman divergences with the data first, so that for cleaned data m = q x + (1 - q) y'

.. math:: d(m, y) - d(m, y') = q\,[d(x, y) - d(x, y')] + (1 - q)\,d(y', y).
"""

import numpy as np
from scipy.sparse import issparse

from rnmf_tutorial.arrays import at_least, inner, ratio, residual
from rnmf_tutorial.stored import residuals, stored, with_stored

__all__ = ["KULLBACK_LEIBLER", "SQUARES", "KullbackLeibler", "Squares", "kl_divergence"]

# Below this fraction of ‖X‖² the three traces cancel to fewer than about ten digits (in float32,
# whose products have seven, to fewer than about four).
CANCELLATION = {np.dtype("f8"): 1e-6, np.dtype("f4"): 1e-3}


class Squares:
    """The squared distance d(x, y) = (x - y)²."""

    power = 2  # of the unit of the data

    def __repr__(self):
        return "SQUARES"

    def entries(self, point, out):
        """Return (X - WH)², entry by entry."""
        E = np.subtract(stored(point.X), stored(point.WH), out=out)
        return np.multiply(E, E, out=E)

    def of_share(self, share, level):
        """Return the divergence of an error that is a small share of a level."""
        return (share * level) ** 2

    def total(self, point):
        """Return ‖X - WH‖², from the products if they leave it enough digits."""
        product, factor = ("XHt", "W") if "XHt" in vars(point) else ("WtX", "H")
        names = product, factor, "WtW", "HHt"
        P, Z, WtW, HHt = (getattr(point, name).astype(np.float64, copy=False) for name in names)
        error = point.XX - 2 * inner(P, Z) + inner(WtW, HHt)
        if error > CANCELLATION[point.X.dtype] * point.XX:
            return error
        if issparse(point.X):
            return sum(inner(E, E) for E in residuals(point.X, point.W, point.H))
        E = residual(point.X, point.W, point.H, out=point.array("u"))
        return inner(E, E)

    def of_zeros(self, point):
        """Return the sum of WH² where a sparse X has no stored entries."""
        W, H, at_stored = point.W.astype(float), point.H.astype(float), stored(point.WH)
        total = inner(W.T @ W, H @ H.T)
        rest = total - inner(at_stored, at_stored)
        if rest > CANCELLATION[point.X.dtype] * total:
            return rest
        return sum(inner(E, E) for E in residuals(point.X, point.W, point.H, at_zeros=True))

    def parts_of_H(self, point, Q):
        """Return Wᵀ(Q ⊙ X) and Wᵀ(Q ⊙ WH), the two parts of (9); a weight of a sample cancels."""
        W, H = point.W, point.H
        if Q is not None and Q.shape == point.X.shape:
            QX, QWH = weighted(point, Q)
            return W.T @ QX, W.T @ QWH
        if Q is not None and Q.shape[1] == 1:
            QW = Q * W
            return QW.T @ point.X, (QW.T @ W) @ H
        return point.WtX, point.WtW @ H

    def parts_of_W(self, point, Q):
        """Return (Q ⊙ X)Hᵀ and (Q ⊙ WH)Hᵀ; a weight of a feature cancels."""
        W, H = point.W, point.H
        if Q is not None and Q.shape == point.X.shape:
            QX, QWH = weighted(point, Q)
            return QX @ H.T, QWH @ H.T
        if Q is not None and len(Q) == 1:
            HQ = H * Q
            return point.X @ HQ.T, W @ (HQ @ H.T)
        return point.XHt, W @ point.HHt


class KullbackLeibler:
    """The generalized Kullback-Leibler divergence d(x, y) = x ln(x/y) - x + y."""

    power = 1

    def __repr__(self):
        return "KULLBACK_LEIBLER"

    def entries(self, point, out):
        """Return the divergences, entry by entry, at least zero."""
        X, WH = stored(point.X), stored(point.WH)
        d = np.log(at_least(ratio(X, WH, out=out), np.finfo(X.dtype).tiny, out=out), out=out)
        d *= X
        d -= X
        d += WH
        return at_least(d, 0, out=d)

    def of_share(self, share, level):
        """Return twice the divergence of an error that is a small share of a level."""
        return share**2 * level

    def total(self, point):
        """Return D(X ‖ WH)."""
        at_stored = kl_divergence(stored(point.X), stored(point.WH))
        return at_stored + self.of_zeros(point) if issparse(point.X) else at_stored

    def of_zeros(self, point):
        """Return the sum of WH where a sparse X has no stored entries."""
        total = point.W.sum(axis=0, dtype=float) @ point.H.sum(axis=1, dtype=float)
        return max(float(total - point.WH.data.sum(dtype=float)), 0.0)

    def parts_of_H(self, point, Q):
        """Return Wᵀ(Q ⊙ X / WH) and WᵀQ, the two parts of (10)."""
        W, R = point.W, self._quotient(point, Q)
        return W.T @ R, W.sum(axis=0)[:, None] if Q is None else W.T @ np.broadcast_to(Q, R.shape)

    def parts_of_W(self, point, Q):
        """Return (Q ⊙ X / WH)Hᵀ and QHᵀ, the two parts of (11)."""
        H, R = point.H, self._quotient(point, Q)
        return R @ H.T, H.sum(axis=1) if Q is None else np.broadcast_to(Q, R.shape) @ H.T

    def _quotient(self, point, Q):
        R = ratio(stored(point.X), stored(point.WH), out=point.array("u"))
        return with_stored(point.X, R if Q is None else np.multiply(Q, R, out=R))


SQUARES, KULLBACK_LEIBLER = Squares(), KullbackLeibler()


def weighted(point, Q):
    """Return Q ⊙ X and Q ⊙ WH, in the memory of the energies and of WH."""
    QX = np.multiply(Q, point.X, out=point.array("u"))
    QWH = np.multiply(Q, point.WH, out=point.WH)
    del point.WH  # written over, as is what the weights came from
    point.evaluation = None
    return QX, QWH


def kl_divergence(X, WH):
    r"""Generalized Kullback-Leibler divergence :math:`D(X \Vert WH)`.

    .. math:: \sum_{ij} \Bigl( X_{ij} \log \frac{X_{ij}}{(WH)_{ij}} - X_{ij} + (WH)_{ij} \Bigr),
              \qquad 0 \log 0 = 0.

    The logarithm sees WH floored at the square root of the smallest normal number, so that a
    zero of WH where X is positive costs a large but finite amount.

    Parameters
    ----------
    X, WH : ndarray of shape (n_features, n_samples)
        Non-negative.

    Returns
    -------
    float

    References
    ----------
    Zhang et al. (2011), equation (8).

    Examples
    --------
    >>> import numpy as np
    >>> kl_divergence(np.array([[0.0, 1.0]]), np.array([[0.5, 1.0]]))
    0.5
    """
    log_ratio = ratio(X, WH)
    # A zero of X becomes the smallest normal number, whose logarithm times zero is zero.
    at_least(log_ratio, np.finfo(X.dtype).tiny, out=log_ratio)
    np.log(log_ratio, out=log_ratio)
    return inner(X, log_ratio) - float(X.sum(dtype=float)) + float(WH.sum(dtype=float))

r"""The weighted least squares problem of each factor, by Nesterov's method.

For fixed weights Q and basis W, every column of H has a problem of its own, with the matrix
:math:`G = W^T \operatorname{diag}(q) W`. To form all of these matrices costs about ten times as
much as one gradient of all columns, :math:`W^T (Q \odot (WH - X))`, and to multiply by them no
less. As the weights change after every solution, a dozen gradient steps are enough, and the
matrices are never formed.
"""

import numpy as np

from rnmf_tutorial.arrays import at_least, ratio, residual
from rnmf_tutorial.steps.nesterov import optimal_gradient

__all__ = ["WeightedNesterov", "improve_H", "improve_W", "lipschitz_bounds"]

_STEPS = 12  # more of them reach a given objective in the same time, but in fewer, longer sweeps


def improve_H(X, W, H, Q, work=None, common=None):
    r"""Take steps toward the minimum of :math:`\sum_{ij} Q_{ij} (X - WH)_{ij}^2` over H ≥ 0.

    No column ends higher than it started.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
        Where to start; not changed.
    Q : ndarray of shape (n_features, n_samples)
        The weights.
    work : ndarray of shape (n_features, n_samples), optional
        Memory to compute in.
    common : ndarray of shape (n_features,), optional
        As in :func:`lipschitz_bounds`; with it a column depends on itself alone.

    Returns
    -------
    ndarray of shape (r, n_samples)

    References
    ----------
    Guan et al. (2019), equation (13) and Algorithm 1, for all columns at once.

    Examples
    --------
    >>> X, W, Q = np.array([[2.0], [9.0]]), np.ones((2, 1)), np.array([[1.0], [0.0]])
    >>> improve_H(X, W, np.ones((1, 1)), Q)
    array([[2.]])
    """
    L, work = lipschitz_bounds(W, Q, common), np.empty_like(X) if work is None else work

    def descend(H):
        E = residual(X, W, H, out=work)
        return H + ratio(W.T @ np.multiply(Q, E, out=E), L)

    return _improve(descend, np.where(X.any(axis=0), H, 0))  # 0 is best for a column of zeros


def improve_W(X, W, H, Q, work=None):
    r"""Take steps toward the minimum of :math:`\sum_{ij} Q_{ij} (X - WH)_{ij}^2` over W ≥ 0.

    It is :func:`improve_H`, transposed. No row ends higher than it started.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
        Where to start; not changed.
    H : ndarray of shape (r, n_samples)
    Q : ndarray of shape (n_features, n_samples)
        The weights.
    work : ndarray of shape (n_features, n_samples), optional
        Memory to compute in.

    Returns
    -------
    ndarray of shape (n_features, r)

    References
    ----------
    Guan et al. (2019), equation (14).

    Examples
    --------
    >>> X, H, Q = np.array([[2.0, 9.0]]), np.ones((1, 2)), np.array([[1.0, 0.0]])
    >>> improve_W(X, np.ones((1, 1)), H, Q)
    array([[2.]])
    """
    L, work = lipschitz_bounds(H.T, Q.T), np.empty_like(X) if work is None else work

    def descend(Wt):
        E = residual(X, Wt.T, H, out=work)
        return Wt + ratio(H @ np.multiply(Q, E, out=E).T, L)

    start = np.where(X.any(axis=1), W.T, 0)
    return np.ascontiguousarray(_improve(descend, start).T)


def _improve(descend, H):
    """Take a plain step, Nesterov's steps, a plain step; in a column that they raise, the first."""
    step = descend(H) - H
    H_first = at_least(H + step, 0)
    H_next = optimal_gradient(descend, H_first, target=0.0, max_iter=_STEPS - 2)
    H_last = descend(H_next)
    # A quadratic falls by the mean of its slopes at both ends times the way between them.
    step += H_last - H_next
    falls = np.einsum("kj,kj->j", step, H_next - H) >= 0
    return np.where(falls, at_least(H_last, 0, out=H_last), H_first)


def lipschitz_bounds(W, Q, common=None, steps=4):
    r"""Return an upper bound of the largest eigenvalue of every :math:`W^T\operatorname{diag}(q)W`.

    For a non-negative symmetric G and any v > 0 it is at most :math:`\max_k (Gv)_k / v_k` (Collatz
    and Wielandt). One v serves all columns q of Q: a few steps of the power method toward the
    eigenvector for their mean, or for the weights `common`. So all bounds cost one product of the
    size of a gradient.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
        Non-negative.
    Q : ndarray of shape (n_features, n_samples)
        Non-negative.
    common : ndarray of shape (n_features,), optional
        Non-negative; the mean of Q by default.
    steps : int, default=4
        Number of these steps; more bring the bounds closer.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> lipschitz_bounds(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[1.0, 3.0], [1.0, 3.0]]))
    array([ 9., 27.])
    """
    G = (W.T * (Q.mean(axis=1) if common is None else common)) @ W
    v = np.ones(len(G), G.dtype)
    for _ in range(steps):
        v = G @ v
        v = ratio(v, v.max())
    return ratio((W * (W @ v)[:, None]).T @ Q, v[:, None]).max(axis=0)


class WeightedNesterov:
    """Solve for H, find the weights, solve for W: lines 5 to 9 of Algorithm 2 of Guan et al."""

    def __call__(self, point, loss):
        """Return the next point."""
        X, W, H, Q = point.X, point.W, point.H, loss.weights(point)
        point = point.to(H=improve_H(X, W, H, Q, point.array("u")))
        H, Q = point.H, loss.weights(point)
        return point.to(W=improve_W(X, W, H, Q, point.array("u")))

    def coefficients(self, point, loss):
        """Return the next H, with W held fixed; a sample's is its own, whoever is beside it."""
        X, W, H, Q = point.X, point.W, point.H, loss.weights(point)
        return improve_H(X, W, H, Q, point.array("u"), common=np.ones_like(W[:, 0]))

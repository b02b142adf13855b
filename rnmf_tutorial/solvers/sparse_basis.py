"""Updates for a basis of parts: columns of unit length with a penalty, and local NMF."""

import numpy as np
from scipy.special import xlogy

from rnmf_tutorial.arithmetic import inner, product, ratio
from rnmf_tutorial.fitting import Loss, Solver, Update
from rnmf_tutorial.losses import KULLBACK_LEIBLER, Comparison, kl_divergence
from rnmf_tutorial.solvers.nesterov import lipschitz_bound


class BasisSum:
    """The penalty λ Σ W, the weighted sum of the entries of W."""

    def __init__(self, lam):
        self.lam = lam

    def value(self, W, H):
        """Return the penalty."""
        return self.lam * float(W.sum(dtype=float))


class SphereUpdates(Solver):
    """Take a gradient step on W that keeps its columns at unit length, then update H.

    Parameters
    ----------
    lam : float
        The weight λ of the entries of W.
    """

    def __init__(self, lam):
        self.lam = lam

    def update(self, work, loss, comparison, memory):
        """Return the next W and H, and the length of the step on W as the memory."""
        W, H = comparison.W, comparison.H
        G = W @ comparison.HHt - comparison.XHt + self.lam  # the gradient of (10) in W
        W, step = sphere_step(W, G, comparison.HHt)  # (a)-(c)
        halfway = loss.compare(work, W, H, fill=False)
        H = self.update_H(work, loss, halfway)  # (d)
        products = halfway.computed("WtX", "WtW")
        return Update(W, H, memory=step, products=products)

    def update_H(self, work, loss, comparison):
        """Return the next H for a fixed W, by (4a)."""
        H = comparison.H
        return H * ratio(comparison.WtX, comparison.WtW @ H)


def nearest_unit_columns(Y):
    r"""Return the nearest non-negative matrix whose columns have Euclidean length one.

    In each column, negative entries become zero, and then the column is divided by its
    length. If it has no positive entry, the nearest point is one at its largest entry
    and zero elsewhere.

    Parameters
    ----------
    Y : ndarray of shape (n_features, r)
        Any real numbers.

    Returns
    -------
    ndarray of shape (n_features, r)

    References
    ----------
    *Regularized non-negative matrix factorization*, steps (b) and (c).

    Examples
    --------
    >>> import numpy as np
    >>> nearest_unit_columns(np.array([[3.0, -1.0], [4.0, -2.0], [-5.0, -2.0]])).tolist()
    [[0.6, 1.0], [0.8, 0.0], [0.0, 0.0]]
    """
    V = np.maximum(Y, 0)
    d = np.linalg.norm(V, axis=0)
    for k in np.flatnonzero(d == 0):
        V[Y[:, k].argmax(), k] = d[k] = 1
    return np.divide(V, d, out=V)


def sphere_step(W, G, HHt):
    r"""Take a gradient step to columns of unit length that does not raise the objective.

    The objective is quadratic in W: a change D of W, after the columns are restored,
    changes it by :math:`\langle G, D\rangle + \tfrac12\langle D\,HH^T, D\rangle`. The
    step length is 1.9 times the safe one, or the safe one if that would raise the
    objective. From twice the safe length on, a gradient step magnifies small
    differences, and rounding would decide where a fit ends.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
        Non-negative, columns of length one.
    G : ndarray of shape (n_features, r)
        The gradient at W.
    HHt : ndarray of shape (r, r)

    Returns
    -------
    V : ndarray of shape (n_features, r)
        Non-negative, columns of length one.
    mu : float
        The length of the step taken: the factor of G.

    References
    ----------
    *Regularized non-negative matrix factorization*, steps (a) to (c).

    Examples
    --------
    >>> import numpy as np
    >>> W, XHt, HHt = np.array([[1.0], [0.0]]), np.array([[3.0], [4.0]]), np.array([[1.0]])
    >>> V, mu = sphere_step(W, W @ HHt - XHt, HHt)
    >>> float(np.vdot(XHt, V)) > float(np.vdot(XHt, W))
    True
    """
    safe = safe_step(HHt)
    for mu in (1.9 * safe, safe):
        V = nearest_unit_columns(W - mu * G)
        D = V - W
        if inner(G, D) + inner(D @ HHt, D) / 2 <= 0:
            break
    return V, mu


def safe_step(HHt):
    r"""Return a step length that never raises the objective: :math:`1/\lVert HH^T\rVert_2`.

    Parameters
    ----------
    HHt : ndarray of shape (r, r)

    Returns
    -------
    float
        The inverse of an upper bound of the largest eigenvalue.

    Examples
    --------
    >>> import numpy as np
    >>> safe_step(np.array([[2.0, 1.0], [1.0, 3.0]])) <= 1 / 3
    True
    """
    return float(ratio(np.ones(1, HHt.dtype), lipschitz_bound(HHt))[0])


def local_objective(X, W, H, alpha=1.0, beta=1.0):
    r"""Return the published objective of local NMF.

    .. math:: D(X \Vert WH) + \alpha \sum_{kl} (W^TW)_{kl} - \beta \sum_k (HH^T)_{kk}

    The updates of :class:`rnmf_tutorial.LocalNMF` contain neither α nor β, and do not
    decrease it for any α and β.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    alpha, beta : float, default=1.0
        Non-negative.

    Returns
    -------
    float

    References
    ----------
    *Regularized non-negative matrix factorization*, equation (8).

    Examples
    --------
    >>> import numpy as np
    >>> W, H = np.eye(2), np.ones((2, 3))
    >>> local_objective(W @ H, W, H)
    -4.0
    """
    total = W.sum(axis=1)  # the entries of WᵀW add up to the squared length of this sum
    return (
        kl_divergence(X, product(W, H))
        + alpha * float(total @ total)
        - beta * inner(H, H)
    )


class LocalLoss(Loss):
    """A non-negative function that no sweep of local NMF increases."""

    def compare(self, work, W, H, memory=None, products=None, *, fill=True):
        """Compute WH; return W and H."""
        work.multiply(W, H, fill)
        return Comparison(work.X, W, H)

    def total(self, work, comparison):
        """Return the divergence without the sum of WH, plus ‖H‖²/2 and a constant."""
        X, H, WH = work.X, comparison.H, work.WH
        sums = X.sum(axis=0, dtype=float)
        fit = kl_divergence(X, WH) + sums.sum() - WH.sum(dtype=float)
        smallest = (xlogy(sums, sums / len(H)).sum() + sums.sum()) / 2
        return float(fit + inner(H, H) / 2 - smallest)


class LocalUpdates(Solver):
    """Update H by (9), W by (5b), then give the columns of W sum one."""

    def update(self, work, loss, comparison, memory):
        """Return the next W and H."""
        up, _ = KULLBACK_LEIBLER.parts_of_H(work, comparison, None)
        H = np.sqrt(comparison.H * up)  # (9)
        halfway = loss.compare(work, comparison.W, H)
        up, down = KULLBACK_LEIBLER.parts_of_W(work, halfway, None)
        W = comparison.W * ratio(up, down)  # (5b)
        return Update(ratio(W, W.sum(axis=0)), H)  # (6)

    def update_H(self, work, loss, comparison):
        """Return the next H for a fixed W, by (5a)."""
        parts = KULLBACK_LEIBLER.parts_of_H(work, comparison, None)
        return comparison.H * ratio(*parts)

"""A gradient step among non-negative matrices whose columns have length one."""

import numpy as np

from rnmf_tutorial.arrays import inner, ratio
from rnmf_tutorial.steps.nesterov import lipschitz_bound

__all__ = ["nearest_unit_columns", "safe_step", "sphere_step"]


def nearest_unit_columns(Y):
    r"""Return the nearest non-negative matrix whose columns have Euclidean length one.

    In each column, negative entries become zero and the rest is divided by its length. A
    column without a positive entry becomes a single one, at the place of its largest entry: that is
    the nearest point then, and no division by zero is left.

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
    r"""Take a gradient step on W that ends on the sphere and does not raise the objective.

    The objective is quadratic in W: a step D changes it by
    :math:`\langle G, D\rangle + \tfrac12\langle D\,HH^T, D\rangle`, where D is measured after the
    columns have got their length back. The first length tried is 1.9 times the safe one, the
    second the safe one. From twice the safe length on, a gradient step magnifies differences, so
    that rounding would decide where a fit ends.

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

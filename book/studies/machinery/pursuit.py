"""Robust principal component analysis: a matrix of low rank and a sparse one."""

import numpy as np


def pursuit(X, lam=None, *, mu=None, tol=1e-7, max_iter=1000):
    r"""Split a matrix into one of low rank and a sparse one: principal component pursuit.

    Minimizes :math:`\lVert L\rVert_* + \lambda \lVert S\rVert_1` over L + S = X, the
    sum of the singular values and that of the absolute entries, by alternating
    directions.

    Parameters
    ----------
    X : ndarray of shape (m, n)
    lam : float, optional
        The price λ; None is 1/√max(m, n), the paper's.
    mu : float, optional
        The weight of the constraint, in one over the unit of X; None is mn / (4 Σ|X|),
        the paper's.
    tol : float, default=1e-7
        Stop when :math:`\lVert X - L - S\rVert_F \le` tol :math:`\lVert X\rVert_F`.
    max_iter : int, default=1000

    Returns
    -------
    L, S : ndarrays of shape (m, n)

    References
    ----------
    Candès, Li, Ma and Wright, *Robust principal component analysis?*, 2011, Algorithm
    1.

    Examples
    --------
    >>> X = np.outer(np.arange(1.0, 41), np.ones(30))
    >>> X[3, 5] += 100
    >>> L, S = pursuit(X)
    >>> bool(np.allclose(S[3, 5], 100, rtol=1e-4)), int((np.abs(S) > 1e-3).sum())
    (True, 1)
    """
    lam = 1 / np.sqrt(max(X.shape)) if lam is None else lam
    total = np.abs(X).sum()
    if total == 0:
        return X.copy(), X.copy()
    mu = X.size / (4 * total) if mu is None else mu
    S, Y, size = np.zeros_like(X), np.zeros_like(X), np.linalg.norm(X)
    for _ in range(max_iter):
        U, values, V = np.linalg.svd(X - S + Y / mu, full_matrices=False)
        L = (U * np.maximum(values - 1 / mu, 0)) @ V
        rest = X - L + Y / mu
        S = np.sign(rest) * np.maximum(np.abs(rest) - lam / mu, 0)
        gap = X - L - S
        Y += mu * gap
        if np.linalg.norm(gap) <= tol * size:
            break
    return L, S

"""Robust principal component analysis, the outside baseline."""

import numpy as np


def principal_component_pursuit(X, lam=None, tol=1e-6, max_iter=200):
    r"""Return L and S that minimize :math:`\lVert L\rVert_* + \lambda\lVert S\rVert_1` with sum X.

    By the augmented Lagrangian method with inexact steps: each sweep shrinks the singular values
    of X - S + Y/μ for L and the entries of X - L + Y/μ for S, adds the rest to the multiplier Y,
    and raises μ by half.

    Parameters
    ----------
    X : ndarray of shape (m, n)
    lam : float, optional
        By default one over the root of the longer side.
    tol : float
        Stop when the length of X - L - S is this fraction of that of X.
    max_iter : int

    Returns
    -------
    L, S : ndarray of the shape of X

    References
    ----------
    Candès, Li, Ma and Wright, *Robust principal component analysis?*, 2011; Lin, Chen and Ma, *The
    augmented Lagrange multiplier method for exact recovery of corrupted low-rank matrices*, 2010.

    Examples
    --------
    >>> X = np.add.outer(np.arange(20.0), np.arange(30.0))
    >>> X[3, 4] += 50
    >>> L, S = principal_component_pursuit(X)
    >>> np.argwhere(abs(S) > 1).tolist(), int(np.linalg.matrix_rank(L, tol=0.1))
    ([[3, 4]], 2)
    """
    lam = 1 / np.sqrt(max(X.shape)) if lam is None else lam
    length, norm = np.linalg.norm(X), np.linalg.norm(X, 2)
    if length == 0:
        return X.copy(), X.copy()
    Y, S = X / max(norm, np.abs(X).max() / lam), np.zeros_like(X)
    mu = 1.25 / norm
    for _ in range(max_iter):
        U, s, Vt = np.linalg.svd(X - S + Y / mu, full_matrices=False)
        L = (U * np.maximum(s - 1 / mu, 0)) @ Vt
        E = X - L + Y / mu
        S = np.sign(E) * np.maximum(np.abs(E) - lam / mu, 0)
        rest = X - L - S
        Y, mu = Y + mu * rest, 1.5 * mu
        if np.linalg.norm(rest) <= tol * length:
            break
    return L, S

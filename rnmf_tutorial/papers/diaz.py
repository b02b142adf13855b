"""Díaz, Steele and Nguyen, *Analysis of the robustness of NMF algorithms*.

Their U, V and F, G are W, H here; their noise E is S = P - N.
"""

from typing import NamedTuple

import numpy as np

from rnmf_tutorial.papers import divide, lee

# The box of Lee and Seung: (2) with (24)-(25), where WᵀX is printed for the second
# product, as in (21). With W first it is (4)-(5).
lee_seung = lee.euclid
lee_seung_objective = lee.euclid_objective


class ShenPass(NamedTuple):
    """What a pass of ``shen`` carries.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    P, N : ndarray of shape (n_features, n_samples)
        The two parts of the error S = P - N, both non-negative.

    Examples
    --------
    >>> ones = np.ones((1, 1))
    >>> next(shen(4 * ones, ones, ones, ones, ones, lam=0.04)).W
    array([[4.]])
    """

    W: np.ndarray
    H: np.ndarray
    P: np.ndarray
    N: np.ndarray


def stacked(X, W, lam):
    """Return the matrices X̃, Ũ and ŨᵀŨ of (14), in full size.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    lam : float
        The λ of (9).

    Returns
    -------
    X_tilde : ndarray of shape (n_features + 1, n_samples)
    U_tilde : ndarray of shape (n_features + 1, r + 2 n_features)
    K : ndarray of shape (r + 2 n_features, r + 2 n_features)

    Examples
    --------
    >>> X_tilde, U_tilde, K = stacked(np.array([[5.0]]), np.array([[2.0]]), lam=9.0)
    >>> U_tilde
    array([[ 2.,  1., -1.],
           [ 0.,  3.,  3.]])
    """
    m, r = W.shape
    n = X.shape[1]
    identity = np.eye(m)
    row = np.sqrt(lam) * np.ones((1, m))
    X_tilde = np.block([[X], [np.zeros((1, n))]])
    top = [W, identity, -identity]
    bottom = [np.zeros((1, r)), row, row]
    U_tilde = np.block([top, bottom])
    return X_tilde, U_tilde, U_tilde.T @ U_tilde


def shen_objective(X, W, H, P, N, lam):
    r"""Return (9), :math:`\lVert X - WH - S\rVert_F^2 + \lambda\sum_j\lVert S_{\cdot j}\rVert_1^2`.

    In its second form, with P and N: S = P - N by (10), and P + N has the place of its
    size.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    P, N : ndarray of shape (n_features, n_samples)
        The two parts of the error, non-negative.
    lam : float
        The λ of (9); it has no unit.

    Returns
    -------
    float

    Examples
    --------
    >>> X, P, N = np.array([[5.0]]), np.array([[3.0]]), np.array([[0.0]])
    >>> float(shen_objective(X, np.ones((1, 1)), np.ones((1, 1)), P, N, lam=2.0))
    19.0
    """
    return ((X - W @ H - P + N) ** 2).sum() + lam * (
        (P + N).sum(axis=0) ** 2
    ).sum()  # (9)


def shen(X, W, H, P, N, lam):
    r"""Shen et al.'s updates (12)-(14), "L1-norm robust" NMF, with all matrices formed.

    Minimizes (9), :math:`\lVert X - WH - S\rVert_F^2 + \lambda\sum_j\lVert S_{\cdot
    j}\rVert_1^2` with S = P - N. The stacked matrix has (r + 2m) × (r + 2m) entries for
    m features.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    P, N : ndarray of shape (n_features, n_samples)
        The two parts of the error at the start, positive, since zeros stay, with X - P
        + N ≥ 0.
    lam : float
        The λ of (9); it has no unit.

    Yields
    ------
    ShenPass
        W, H, P and N after each pass.

    Examples
    --------
    >>> from itertools import islice
    >>> X, ones = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 1.0, 3.0]), np.ones((3, 4))
    >>> X[1, 2] += 9
    >>> *_, last = islice(shen(X, ones[:, :1], ones[:1], ones, ones, lam=0.04), 500)
    >>> np.argwhere(last.P - last.N > 1).tolist()
    [[1, 2]]
    """
    m, r = W.shape
    while True:
        W = W * divide((X - (P - N)) @ H.T, W @ H @ H.T)  # (12)
        X_tilde, U_tilde, K = stacked(X, W, lam)  # (14)
        V = np.vstack([H, P, N])
        SV = np.abs(K) @ V  # (14)
        down = divide(K @ V, SV)
        up = divide(U_tilde.T @ X_tilde, SV)
        V = np.maximum(0, V - V * down + V * up)  # (13)
        H, P, N = np.split(V, [r, r + m])
        P = np.minimum(P, X + N)  # X - S ≥ 0, which is asked for and has no line
        yield ShenPass(W, H, P, N)


def kong_objective(X, W, H):
    """Return the L2,1 norm (16): the sum of the lengths of the columns of X - WH.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Returns
    -------
    float

    Examples
    --------
    >>> float(kong_objective(np.array([[4.0], [5.0]]), np.ones((2, 1)), np.ones((1, 1))))
    5.0
    """
    return np.sqrt(((X - W @ H) ** 2).sum(axis=0)).sum()  # (16)


def kong(X, W, H):
    r"""Kong et al.'s updates (18): minimize the L2,1 norm (16).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Yields
    ------
    W, H, D : ndarray
        After each pass; D, diagonal and n_samples × n_samples, has the weights that it
        used.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0, 3.0], [1.0, 9.0, 3.0]])
    >>> W, H, D = next(kong(X, np.ones((2, 1)), np.array([[0.0, 2.0, 4.0]])))
    >>> int(np.diag(D).argmin())
    1
    """
    while True:
        D = np.diag(divide(1, np.sqrt(((X - W @ H) ** 2).sum(axis=0))))  # (18), first
        W = W * divide(X @ D @ H.T, W @ H @ D @ H.T)  # (18), second
        H = H * divide(W.T @ X @ D, W.T @ W @ H @ D)  # (18), third
        yield W, H, D

"""Cheng, Wang and Guan, *Robust discriminative NMF with maximum correntropy criterion*, 2022.

Their U, V are W, H here; their weights W are Q, their similarity S is A, their γ is λ.
"""

from typing import NamedTuple

import numpy as np

from rnmf_tutorial.papers import divide


def affinity(y):
    """Return the similarities (11): one for two samples of one class, else zero.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The labels.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)

    Examples
    --------
    >>> affinity(["a", "b", "a"]).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    y = np.asarray(y)
    return (y[:, None] == y) - np.eye(len(y))  # (11)


def laplacian(A):
    """Return the alignment matrix L = D - A, below (11).

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_samples)
        The similarities.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)

    Examples
    --------
    >>> laplacian(affinity(["a", "b", "a"])).tolist()
    [[1.0, 0.0, -1.0], [0.0, 0.0, 0.0], [-1.0, 0.0, 1.0]]
    """
    return np.diag(A.sum(axis=0)) - A  # below (11)


def weights(E, sigma):
    r"""Return the weights :math:`\exp(-E_{ij}^2/2\sigma^2)`, below (21).

    Parameters
    ----------
    E : ndarray of shape (n_features, n_samples)
        The errors X - WH.
    sigma : float
        The kernel size σ, in the units of E.

    Returns
    -------
    ndarray of shape (n_features, n_samples)

    Examples
    --------
    >>> weights(np.array([[0.0, 1.0]]), 1.0).round(3)
    array([[1.   , 0.607]])
    """
    return np.exp(
        -divide(E**2, 2 * sigma**2)
    )  # below (21) and (22); (15)-(17) lack the minus


def update_H(X, W, H, Q, A, lam, unit):
    """Update (21).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    Q : ndarray of shape (n_features, n_samples)
        The weights.
    A : ndarray of shape (n_samples, n_samples)
        The similarities.
    lam : float
        The paper's γ.
    unit : float
        The paper's mnσ².

    Returns
    -------
    ndarray of shape (r, n_samples)

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 3.0]]), np.ones((1, 1)), np.array([[1.0, 3.0]])
    >>> update_H(X, W, H, np.ones((1, 2)), affinity([0, 0]), lam=1.0, unit=1.0)
    array([[2., 2.]])
    """
    D = np.diag(A.sum(axis=0))  # below (11)
    up = lam * H @ A + divide(W.T @ (Q * X), unit)
    down = lam * H @ D + divide(W.T @ (Q * (W @ H)), unit)
    return H * divide(up, down)  # (21)


def update_W(X, W, H, Q):
    """Update (22).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    Q : ndarray of shape (n_features, n_samples)
        The weights.

    Returns
    -------
    ndarray of shape (n_features, r)

    Examples
    --------
    >>> Q = np.array([[1.0, 0.0]])
    >>> update_W(np.array([[2.0, 9.0]]), np.ones((1, 1)), np.ones((1, 2)), Q)
    array([[2.]])
    """
    return W * divide((Q * X) @ H.T, (Q * (W @ H)) @ H.T)  # (22)


def kernel_size(E):
    """Return the σ of (23).

    Parameters
    ----------
    E : ndarray of shape (n_features, n_samples)
        The errors X - WH.

    Returns
    -------
    float

    Examples
    --------
    >>> round(kernel_size(np.array([[2.0, 2.0]])) ** 2, 10)
    2.0
    """
    return float(np.sqrt((E**2).sum() / (2 * E.size)))  # (23)


class CorrentropyPass(NamedTuple):
    """What a pass of ``csnmf`` carries.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    Q : ndarray of shape (n_features, n_samples)
        The weights with which the next pass begins.
    sigma : float
        The kernel size with which it begins.

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 3.0]]), np.ones((1, 1)), np.array([[1.0, 3.0]])
    >>> next(csnmf(X, W, H, y=[0, 0], lam=1e3, size=lambda E: 1.0)).sigma
    1.0
    """

    W: np.ndarray
    H: np.ndarray
    Q: np.ndarray
    sigma: float


def csnmf_objective(X, W, H, y, lam, sigma):
    r"""Return :math:`\mathrm{CIM}^2(X, WH) + \frac\lambda2\operatorname{tr}(HLH^T)` (12).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    y : array-like of shape (n_samples,)
        The labels.
    lam : float
        The weight of the graph in (12), the paper's γ.
    sigma : float
        The kernel size σ, in the units of X.

    Returns
    -------
    float

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 3.0]]), np.ones((1, 1)), np.array([[1.0, 3.0]])
    >>> float(csnmf_objective(X, W, H, y=[0, 0], lam=0.5, sigma=1.0))
    1.0
    """
    L = laplacian(affinity(y))
    return np.mean(1 - weights(X - W @ H, sigma)) + lam / 2 * np.trace(
        H @ L @ H.T
    )  # (12)


def csnmf(X, W, H, y, lam, size=kernel_size):
    """Algorithm 1: minimize (12).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    y : array-like of shape (n_samples,)
        The labels.
    lam : float
        The weight of the graph in (12), the paper's γ.
    size : callable, default=kernel_size
        ``size(E)`` returns the kernel size σ.

    Yields
    ------
    CorrentropyPass
        W, H, the weights and σ after each pass.

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 3.0]]), np.ones((1, 1)), np.array([[1.0, 3.0]])
    >>> after = next(csnmf(X, W, H, y=[0, 0], lam=1e3, size=lambda E: 1.0))
    >>> after.H.round(1).tolist()
    [[3.0, 1.0]]
    """
    A = affinity(y)  # 1: (11)
    sigma = size(X - W @ H)  # (23); not printed: line 2 has no σ yet
    Q = weights(X - W @ H, sigma)  # 2: below (21)
    while True:  # 3
        H = update_H(X, W, H, Q, A, lam, X.size * sigma**2)  # (21)
        Q = weights(X - W @ H, sigma)  # below (22)
        W = update_W(X, W, H, Q)  # (22)
        sigma = size(X - W @ H)  # (23), printed after the next line
        Q = weights(X - W @ H, sigma)  # below (21)
        yield CorrentropyPass(W, H, Q, sigma)


def snmf_objective(X, W, H, y, lam):
    r"""Return :math:`\frac12\lVert X - WH\rVert_F^2 + \frac\lambda2\operatorname{tr}(HLH^T)` (27).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    y : array-like of shape (n_samples,)
        The labels.
    lam : float
        The weight of the graph in (27), the paper's γ.

    Returns
    -------
    float

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 5.0]]), np.ones((1, 1)), np.array([[1.0, 3.0]])
    >>> float(snmf_objective(X, W, H, y=[0, 0], lam=0.5))
    3.0
    """
    L = laplacian(affinity(y))
    return ((X - W @ H) ** 2).sum() / 2 + lam / 2 * np.trace(H @ L @ H.T)  # (27)


def snmf(X, W, H, y, lam):
    r"""SNMF: minimize (27), the same model with squared errors.

    The paper prints no update for it; these are (21) and (22) with all weights one and
    1 in the place of mnσ².

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    y : array-like of shape (n_samples,)
        The labels.
    lam : float
        The weight of the graph in (27), the paper's γ.

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 3.0]]), np.ones((1, 1)), np.array([[1.0, 3.0]])
    >>> next(snmf(X, W, H, y=[0, 0], lam=1.0))[1]
    array([[2., 2.]])
    """
    A = affinity(y)
    Q = np.ones_like(X)
    while True:
        H = update_H(X, W, H, Q, A, lam, unit=1.0)  # (21)
        W = update_W(X, W, H, Q)  # (22)
        yield W, H

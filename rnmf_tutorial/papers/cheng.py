"""Cheng, Wang and Guan, *Robust discriminative NMF with maximum correntropy criterion*, 2022.

Their U, V are W, H here; their weights W are Q, their similarity S is A, their γ is λ.
"""

from typing import NamedTuple

import numpy as np

from rnmf_tutorial.papers._guard import divide

__all__ = [
    "affinity",
    "csnmf",
    "kernel_size",
    "snmf",
    "update_H",
    "update_W",
    "weights",
]


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


def weights(E, sigma, *, as_printed=False):
    r"""Return the weights :math:`\exp(-E_{ij}^2/2\sigma^2)`, below (21).

    Parameters
    ----------
    E : ndarray of shape (n_features, n_samples)
        The errors X - WH.
    sigma : float
        The kernel size σ, in the units of E.
    as_printed : bool, default=False
        Leave out the minus, as (15)-(17), (19) and (20) do.

    Returns
    -------
    ndarray of shape (n_features, n_samples)

    Examples
    --------
    >>> weights(np.array([[0.0, 1.0]]), 1.0).round(3)
    array([[1.   , 0.607]])
    """
    exponent = divide(E**2, 2 * sigma**2)
    return np.exp(exponent if as_printed else -exponent)  # below (21) and (22)


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
    D = np.diag(A.sum(axis=0))
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
    """What a pass of :func:`csnmf` carries."""

    W: np.ndarray
    H: np.ndarray
    Q: np.ndarray  # the weights with which the next pass begins
    sigma: float  # the kernel size with which it begins


def csnmf(X, W, H, y, lam, sigma=None, *, printed_order=False, printed_sign=False):
    r"""Algorithm 1: minimize :math:`\mathrm{CIM}^2(X, WH) + \frac\lambda2\operatorname{tr}(HLH^T)`.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    y : array-like of shape (n_samples,)
        The labels.
    lam : float
        The weight of the graph in (12), the paper's γ.
    sigma : float, optional
        A fixed kernel size σ; without it, that of (23) after each pass.
    printed_order : bool, default=False
        Make the last weights of a pass before its new σ.
    printed_sign : bool, default=False
        Leave out the minus in the exponent of the weights, as (15)-(17), (19) and (20) do.

    Yields
    ------
    CorrentropyPass
        W, H, the weights and σ after each pass.

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 3.0]]), np.ones((1, 1)), np.array([[1.0, 3.0]])
    >>> after = next(csnmf(X, W, H, y=[0, 0], lam=1e3, sigma=1.0))
    >>> after.H.round(1).tolist()
    [[3.0, 1.0]]
    """
    A, fixed = affinity(y), sigma is not None  # 1
    sigma = sigma if fixed else kernel_size(X - W @ H)  # not printed: line 2 has no σ yet
    Q = weights(X - W @ H, sigma, as_printed=printed_sign)  # 2
    while True:  # 3
        H = update_H(X, W, H, Q, A, lam, X.size * sigma**2)
        Q = weights(X - W @ H, sigma, as_printed=printed_sign)
        W = update_W(X, W, H, Q)
        sigma_old, sigma = sigma, sigma if fixed else kernel_size(X - W @ H)
        sigma_of_weights = sigma_old if printed_order else sigma  # printed: weights, then σ
        Q = weights(X - W @ H, sigma_of_weights, as_printed=printed_sign)
        yield CorrentropyPass(W, H, Q, sigma)


def snmf(X, W, H, y, lam):
    r"""SNMF: minimize (27), the same model with squared errors.

    The paper prints no update for it; these are (21) and (22) with all weights one and 1 in the
    place of mnσ².

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
    A, Q = affinity(y), np.ones_like(X)
    while True:
        H = update_H(X, W, H, Q, A, lam, unit=1.0)
        W = update_W(X, W, H, Q)
        yield W, H

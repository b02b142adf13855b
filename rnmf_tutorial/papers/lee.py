"""Lee and Seung, *Algorithms for non-negative matrix factorization*, 2001."""

import numpy as np

from rnmf_tutorial.papers import divide, log


def euclid_objective(V, W, H):
    """Return the square of the Euclidean distance (2).

    Parameters
    ----------
    V : ndarray of shape (n_features, n_samples)
        The data.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Returns
    -------
    float

    Examples
    --------
    >>> float(euclid_objective(np.array([[1.0, 5.0]]), np.ones((1, 1)), np.array([[1.0, 3.0]])))
    4.0
    """
    return np.sum((V - W @ H) ** 2)  # (2)


def euclid(V, W, H):
    """The updates (4) of Theorem 1.

    Parameters
    ----------
    V : ndarray of shape (n_features, n_samples)
        The data.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> W, H = next(euclid(np.array([[1.0, 2.0]]), np.ones((1, 1)), np.ones((1, 2))))
    >>> W @ H
    array([[1., 2.]])
    """
    while True:
        H = H * divide(W.T @ V, W.T @ W @ H)  # (4), left
        W = W * divide(V @ H.T, W @ H @ H.T)  # (4), right
        yield W, H


def divergence_objective(V, W, H):
    """Return the divergence (3).

    Parameters
    ----------
    V : ndarray of shape (n_features, n_samples)
        The data.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Returns
    -------
    float

    Examples
    --------
    >>> float(divergence_objective(np.zeros((1, 2)), np.ones((1, 1)), np.ones((1, 2))))
    2.0
    """
    return np.sum(V * log(divide(V, W @ H)) - V + W @ H)  # (3)


def divergence(V, W, H):
    """The updates (5) of Theorem 2.

    Parameters
    ----------
    V : ndarray of shape (n_features, n_samples)
        The data.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> W, H = next(divergence(np.array([[1.0, 2.0]]), np.ones((1, 1)), np.ones((1, 2))))
    >>> W @ H
    array([[1., 2.]])
    """
    while True:
        H = H * divide(W.T @ divide(V, W @ H), W.sum(axis=0)[:, None])  # (5), left
        W = W * divide(divide(V, W @ H) @ H.T, H.sum(axis=1))  # (5), right
        yield W, H

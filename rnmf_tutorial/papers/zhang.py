"""Zhang, Chen, Zheng and He, *Robust non-negative matrix factorization*, 2011."""

import numpy as np

from rnmf_tutorial.papers._guard import divide

__all__ = ["lee_seung", "lee_seung_divergence", "robust_nmf", "soft_threshold"]


def lee_seung(X, W, H):
    """Lee and Seung's updates (9) for the square Euclidean distance.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> W, H = next(lee_seung(np.array([[1.0, 2.0]]), np.ones((1, 1)), np.ones((1, 2))))
    >>> W @ H
    array([[1., 2.]])
    """
    while True:
        H = divide(W.T @ X, W.T @ W @ H) * H  # (9), left
        W = divide(X @ H.T, W @ H @ H.T) * W  # (9), right
        yield W, H


def lee_seung_divergence(X, W, H):
    """Lee and Seung's updates (10)-(11) for the generalized Kullback-Leibler divergence.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> W, H = next(lee_seung_divergence(np.array([[1.0, 2.0]]), np.ones((1, 1)), np.ones((1, 2))))
    >>> W @ H
    array([[1., 2.]])
    """
    while True:
        H = divide(W.T @ divide(X, W @ H), W.sum(axis=0)[:, None]) * H  # (10)
        W = divide(divide(X, W @ H) @ H.T, H.sum(axis=1)) * W  # (11)
        yield W, H


def soft_threshold(x, nu):
    r"""Apply the soft-thresholding operator :math:`T_\nu` of (26).

    Parameters
    ----------
    x : ndarray
        Any real numbers.
    nu : float
        The threshold ν > 0.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> soft_threshold(np.array([-3.0, 0.5, 2.0]), 1.0)
    array([-2.,  0.,  1.])
    """
    return np.select([x > nu, x < -nu], [x - nu, x + nu], 0.0)  # (26)


def robust_nmf(X, W, H, lam, *, as_printed=False):
    r"""Algorithm 1: minimize :math:`\lVert X - WH - S\rVert_F^2 + \lambda\lVert S\rVert_1` (16).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    lam : float
        The λ of (16), in the units of X.
    as_printed : bool, default=False
        Take the norms of line 9 after line 8, when they are one.

    Yields
    ------
    W, H, S : ndarray
        After line 9; S is that of line 5.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0, 3.0], [1.0, 9.0, 3.0]])
    >>> W, H, S = next(robust_nmf(X, np.ones((2, 1)), np.array([[1.0, 2.0, 3.0]]), lam=2.0))
    >>> S
    array([[0., 0., 0.],
           [0., 6., 0.]])
    """
    while True:  # 3
        S = X - W @ H  # 4
        S = soft_threshold(S, lam / 2)  # 5
        P = (S - X) @ H.T
        W = divide(np.abs(P) - P, 2 * (W @ H @ H.T)) * W  # 6
        P = W.T @ (S - X)
        H = divide(np.abs(P) - P, 2 * (W.T @ W @ H)) * H  # 7
        d = np.sqrt((W**2).sum(axis=0))
        W = divide(W, d)  # 8
        if as_printed:
            d = np.sqrt((W**2).sum(axis=0))  # line 9 has the norms of this W: they are one
        H = H * d[:, None]  # 9, with the norms that W had before line 8
        yield W, H, S

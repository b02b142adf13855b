"""*Regularized non-negative matrix factorization*; its V is X here."""

from itertools import islice

import numpy as np

from rnmf_tutorial.papers._guard import divide

__all__ = [
    "coefficients",
    "lam_from_theta",
    "lnmf",
    "nmf",
    "regularized_nmf",
    "safe_length",
    "unit_columns",
]


def nmf(X, W, H, rule=1, norm=2, *, as_printed=False):
    """Rule 1 (4) or rule 2 (5), then the normalization (6) or (7).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    rule : {1, 2}, default=1
        The Euclidean distance or the divergence.
    norm : {1, 2}, default=2
        Columns of W with sum one (6) or length one (7).
    as_printed : bool, default=False
        Normalize W alone. WH changes, and the next update of H repairs it.

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> W, H = next(nmf(np.array([[3.0], [4.0]]), np.ones((2, 1)), np.ones((1, 1))))
    >>> W.round(3).ravel().tolist(), H.round(3).ravel().tolist()
    ([0.6, 0.8], [5.0])
    """
    while True:
        if rule == 1:
            H = H * divide(W.T @ X, W.T @ W @ H)  # (4a)
            W = W * divide(X @ H.T, W @ H @ H.T)  # (4b)
        else:
            H = H * divide(W.T @ divide(X, W @ H), W.sum(axis=0)[:, None])  # (5a)
            W = W * divide(divide(X, W @ H) @ H.T, H.sum(axis=1))  # (5b)
        d = np.linalg.norm(W, norm, axis=0)
        W = divide(W, d)  # (6) or (7)
        if not as_printed:
            H = H * d[:, None]  # not printed: keeps WH as it was
        yield W, H


def lnmf(X, W, H):
    """Local NMF: (9), (5b) and (6).

    Its coefficients do not fit the data: :func:`coefficients` finds those that do.

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
    >>> W, H = next(lnmf(np.array([[4.0], [4.0]]), np.full((2, 1), 0.5), np.array([[2.0]])))
    >>> W.ravel().tolist(), (H**2).round(12).item()
    ([0.5, 0.5], 8.0)
    """
    while True:
        H = np.sqrt(H * (W.T @ divide(X, W @ H)))  # (9)
        W = W * divide(divide(X, W @ H) @ H.T, H.sum(axis=1))  # (5b)
        W = divide(W, W.sum(axis=0))  # (6)
        yield W, H


def coefficients(X, W, H):
    """Recompute the coefficients for the final W of local NMF: (5a) alone.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Yields
    ------
    H : ndarray
        After each update.

    Examples
    --------
    >>> next(coefficients(np.array([[4.0], [4.0]]), np.full((2, 1), 0.5), np.ones((1, 1))))
    array([[8.]])
    """
    while True:
        H = H * divide(W.T @ divide(X, W @ H), W.sum(axis=0)[:, None])  # (5a)
        yield H


def unit_columns(Y, *, as_printed=False):
    """Go to the nearest non-negative matrix with columns of length one: steps (b) and (c).

    Parameters
    ----------
    Y : ndarray of shape (n_features, r)
        Any real numbers: W after step (a).
    as_printed : bool, default=False
        Let a column without a positive entry become 0/0. Otherwise it becomes a single one, at the
        place of its largest entry.

    Returns
    -------
    ndarray of shape (n_features, r)

    Examples
    --------
    >>> unit_columns(np.array([[3.0, -1.0], [4.0, -2.0], [-5.0, -2.0]])).tolist()
    [[0.6, 1.0], [0.8, 0.0], [0.0, 0.0]]
    """
    W = np.maximum(Y, 0)  # (b)
    if not as_printed:
        for k in np.flatnonzero(~W.any(axis=0)):
            W[Y[:, k].argmax(), k] = 1  # the limit of (c) as the column goes to zero
    return W / np.sqrt((W**2).sum(axis=0))  # (c)


def safe_length(W, H):
    """Return a μ that is "small enough": one over the largest eigenvalue of HHᵀ.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
        Not used.
    H : ndarray of shape (r, n_samples)

    Returns
    -------
    float

    Examples
    --------
    >>> safe_length(None, np.array([[3.0, 4.0]]))
    0.04
    """
    return float(divide(1, np.linalg.norm(H @ H.T, 2)))


def regularized_nmf(X, W, H, lam, mu=safe_length):
    r"""Regularized NMF, steps 1 and (a)-(d): minimize (10).

    :math:`\frac12\lVert X - WH\rVert_F^2 + \lambda\sum W_{ik}`, the columns of W having
    length one.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    lam : float
        The λ of (10); :func:`lam_from_theta` finds it.
    mu : callable, default=safe_length
        ``mu(W, H)`` returns the length of the next step.

    Yields
    ------
    W, H : ndarray
        After step (d).

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [0.1, 0.1]])
    >>> start = np.ones((3, 1)), np.ones((1, 2))
    >>> *_, (W, H) = islice(regularized_nmf(X, *start, lam=2.0), 50)
    >>> W.round(2).ravel().tolist()
    [0.41, 0.91, 0.0]
    """
    W = unit_columns(W)  # 1
    while True:  # 2
        Y = W + mu(W, H) * ((X - W @ H) @ H.T - lam)  # (a)
        W = unit_columns(Y)  # (b), (c)
        H = H * divide(W.T @ X, W.T @ W @ H)  # (d)
        yield W, H


def lam_from_theta(X, W, H, theta, passes, mu=safe_length):
    """Return the λ of (11), from the factors after some passes with λ = 0.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    theta : float
        The normalized weight :math:`λ_θ`.
    passes : int
        How many; "the value when λ = 0" is meant at the end of a fit. 0 takes it at the start.
    mu : callable, default=safe_length
        As in :func:`regularized_nmf`.

    Returns
    -------
    float

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones((2, 1)), np.ones((1, 2))
    >>> round(lam_from_theta(X, W, H, theta=8.0, passes=100), 4)  # 8 · ½ · 1² / √2
    2.8284
    """
    W = unit_columns(W)
    for W, H in islice(regularized_nmf(X, W, H, 0.0, mu), passes):  # noqa: B007, B020
        pass
    return float(theta * ((X - W @ H) ** 2).sum() / 2 / W.sum())  # (11)

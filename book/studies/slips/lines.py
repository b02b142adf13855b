"""The boxes with a line as it is printed, where that line is wrong.

Each is the box of its paper but for the lines with a comment, which says where they
stand. The book's page of slips shows what each does.
"""

import numpy as np

from rnmf_tutorial.papers import divide, guan

__all__ = ["diaz_25", "guan_gradient", "guan_line_8", "guan_outliers", "guan_weights"]


def diaz_25(X, W, H):
    """Lee and Seung's updates as Díaz et al. print them: the numerator of W is that of H.

    Parameters
    ----------
    X, W, H : ndarray
        The data and the start point.

    Yields
    ------
    W, H : ndarray
        After each pass.

    Raises
    ------
    ValueError
        If X is not square or r is not its size: the numerator has not the shape of W.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> W, H = next(diaz_25(X, X, np.eye(2)))  # a start point with X = WH
    >>> bool(np.allclose(W, X))
    False
    """
    while True:
        H = H * divide(W.T @ X, W.T @ W @ H)
        W = W * divide(W.T @ X, W @ H @ H.T)  # (21), (25)
        yield W, H


def guan_gradient(slope, h):
    """Return the projected gradient of Guan et al., before (15): not zero at a solution.

    Parameters
    ----------
    slope : ndarray
        The gradient at h.
    h : ndarray
        Non-negative.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> guan_gradient(np.array([1.0, 1.0, -1.0]), np.array([2.0, 0.0, 0.0]))
    array([ 1.,  1., -1.])
    """
    return np.where(
        h >= 0, slope, np.minimum(slope, 0)
    )  # no h is left for the second case


def guan_line_8(x, W, D, h, tolerance=1e-3):
    """Algorithm 1 of Guan et al. with the result z: entries can be negative.

    Parameters
    ----------
    x, W, D, h : ndarray
        A column of X, the basis, the weights and the start point.
    tolerance : float, default=1e-3
        As for :func:`~rnmf_tutorial.papers.guan.optimal_gradient`.

    Returns
    -------
    ndarray of shape (r,)

    Examples
    --------
    >>> W = np.array([[0.0, 1.0], [1.0, 3.0]])
    >>> bool(guan_line_8(np.array([1.0, 0.0]), W, np.eye(2), np.ones(2)).min() < 0)
    True
    """
    z, alpha = h, 1.0
    L = np.linalg.norm(W.T @ D @ W, 2)
    left = first = np.linalg.norm(guan.projected_gradient(W.T @ D @ (W @ h - x), h))
    while left > tolerance * first:
        h_old, h = h, np.maximum(z - divide(W.T @ D @ (W @ z - x), L), 0)
        alpha_old, alpha = alpha, (1 + np.sqrt(4 * alpha**2 + 1)) / 2
        z = h + (alpha_old - 1) / alpha * (h - h_old)
        left = np.linalg.norm(guan.projected_gradient(W.T @ D @ (W @ h - x), h))
    return z  # 8


def guan_outliers(sizes):
    """Find the outliers among the sizes up to the median: section 3.3 of Guan et al.

    Parameters
    ----------
    sizes : ndarray
        The set Θ, the absolute errors.

    Returns
    -------
    ndarray of bool
        True for what the printed set O holds; a large error is never in it.

    Examples
    --------
    >>> guan_outliers(np.array([1.0, 3.0, 4.0, 50.0]))
    array([False, False, False, False])
    """
    low = sizes <= np.median(sizes)  # Γ
    mu, delta = sizes[low].mean(), sizes[low].std()
    return low & (np.abs(sizes - mu) > 3 * delta)  # O


def guan_weights(X, W, H, scale, threshold, renew=False):
    """Fit as (12) to (14) of Guan et al. have it: H and W with the same weights.

    Parameters
    ----------
    X, W, H : ndarray
        The data and the start point.
    scale, threshold : float
        Both fixed: γ, and the size beyond which an error is an outlier.
    renew : bool, default=False
        Take line 7 of Algorithm 2 and the Ω of its line 4: weights for W from the new
        errors, zeros from the old ones. The box of the paper takes both from the new
        errors.

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> X, H = np.array([[1.0, 2.0, 9.0]]), np.array([[1.0, 2.0, 3.0]])
    >>> next(guan_weights(X, np.ones((1, 1)), H, 0.5, 3.0))[1]  # the 9 keeps its coefficient
    array([[1., 2., 3.]])
    """
    while True:
        E = X - W @ H
        inside = np.abs(E) <= threshold  # not in Ω
        Q = guan.cauchy(E, scale) * inside  # (12)
        H = guan.weighted_columns(X, W, H, Q)  # (13)
        if renew:
            Q = guan.cauchy(X - W @ H, scale) * inside  # line 7
        W = guan.weighted_columns(X.T, H.T, W.T, Q.T).T  # (14)
        yield W, H

"""The boxes with a line as it is printed, where that line is wrong.

Each is the box of its paper but for the lines with a comment, which says where they stand. The
book's page of slips shows what each does.
"""

import numpy as np

from rnmf_tutorial.papers import cheng, divide, guan, zhang

__all__ = [
    "cheng_order",
    "cheng_sign",
    "diaz_25",
    "guan_gradient",
    "guan_line_2",
    "guan_line_7",
    "guan_line_8",
    "guan_outliers",
    "regularized_7",
    "regularized_c",
    "zhang_line_9",
]


def zhang_line_9(X, W, H, lam):
    """Algorithm 1 of Zhang et al. with lines 8 and 9 in turn: line 9 finds norms of one.

    Parameters
    ----------
    X, W, H : ndarray
        The data and the start point.
    lam : float
        The λ of (16), in the units of X.

    Yields
    ------
    W, H, S : ndarray
        After line 9.

    Examples
    --------
    >>> X, W, H = np.array([[4.0]]), np.array([[2.0]]), np.array([[2.0]])
    >>> W, H, S = next(zhang_line_9(X, W, H, lam=1.0))
    >>> W @ H
    array([[2.]])
    """
    while True:
        S = zhang.soft_threshold(X - W @ H, lam / 2)
        P = (S - X) @ H.T
        W = divide(np.abs(P) - P, 2 * (W @ H @ H.T)) * W
        P = W.T @ (S - X)
        H = divide(np.abs(P) - P, 2 * (W.T @ W @ H)) * H
        W = divide(W, np.sqrt((W**2).sum(axis=0)))  # 8
        H = H * np.sqrt((W**2).sum(axis=0))[:, None]  # 9
        yield W, H, S


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


def regularized_7(X, W, H, norm=2):
    """Rule 1 of *Regularized NMF*, then (6) or (7) for W alone: WH changes.

    Parameters
    ----------
    X, W, H : ndarray
        The data and the start point.
    norm : {1, 2}, default=2
        Columns of W with sum one (6) or length one (7).

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> W, H = next(regularized_7(np.array([[3.0], [4.0]]), np.ones((2, 1)), np.ones((1, 1))))
    >>> float(np.linalg.norm(W @ H).round(3))  # 5 before (7)
    3.5
    """
    while True:
        H = H * divide(W.T @ X, W.T @ W @ H)
        W = W * divide(X @ H.T, W @ H @ H.T)
        W = divide(W, np.linalg.norm(W, norm, axis=0))  # (6) or (7), and nothing after it
        yield W, H


def regularized_c(Y):
    """Take steps (b) and (c) of *Regularized NMF*: a column without a positive entry becomes 0/0.

    Parameters
    ----------
    Y : ndarray of shape (n_features, r)
        Any real numbers: W after step (a).

    Returns
    -------
    ndarray of shape (n_features, r)

    Examples
    --------
    >>> with np.errstate(invalid="ignore"):
    ...     regularized_c(np.array([[3.0, -1.0], [4.0, -2.0]]))
    array([[0.6, nan],
           [0.8, nan]])
    """
    W = np.maximum(Y, 0)  # (b)
    return W / np.sqrt((W**2).sum(axis=0))  # (c)


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
    return np.where(h >= 0, slope, np.minimum(slope, 0))  # no h is left for the second case


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


def guan_line_2(X, W, H, scale, outliers, start, *, solve=guan.weighted_columns):
    """Algorithm 2 of Guan et al. with line 2 before line 3: the weights have the γ before.

    Parameters
    ----------
    X, W, H : ndarray
        The data and the start point.
    scale, outliers : callable
        As for :func:`~rnmf_tutorial.papers.guan.truncated_cauchy`.
    start : float
        The γ before the first pass.
    solve : callable, default=weighted_columns
        Another solver in the place of Algorithm 1.

    Yields
    ------
    CauchyPass
        W, H, the weights, the scale and the threshold after line 9.

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 3.0]]), np.ones((1, 1)), np.ones((1, 2))
    >>> after = next(guan_line_2(X, W, H, guan.nagy, guan.three_sigma, start=9.0))
    >>> after.scale < 9
    True
    """
    gamma = start
    while True:
        E = X - W @ H
        Q = guan.cauchy(E, gamma)  # 2
        gamma = scale(E, gamma)  # 3
        threshold = outliers(np.abs(E))
        Q[np.abs(E) > threshold] = 0
        H = solve(X, W, H, Q)
        E = X - W @ H
        Q = guan.cauchy(E, gamma)
        Q[np.abs(E) > threshold] = 0
        W = solve(X.T, H.T, W.T, Q.T).T
        yield guan.CauchyPass(W, H, Q, gamma, threshold)


def guan_line_7(X, W, H, scale=guan.nagy, outliers=guan.three_sigma, *, start=None):
    """Algorithm 2 of Guan et al. with line 7 alone: the outliers are back for W.

    Parameters
    ----------
    X, W, H : ndarray
        The data and the start point.
    scale, outliers : callable
        As for :func:`~rnmf_tutorial.papers.guan.truncated_cauchy`.
    start : float, optional
        The γ before the first pass.

    Yields
    ------
    CauchyPass
        W, H, the weights, the scale and the threshold after line 9.

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 9.0, 3.0]]), np.ones((1, 1)), np.ones((1, 3))
    >>> after = next(guan_line_7(X, W, H, lambda E, before: 1.0, lambda sizes: 3.0))
    >>> bool((after.Q > 0).all())
    True
    """
    gamma = start
    while True:
        E = X - W @ H
        gamma = scale(E, gamma)
        Q = guan.cauchy(E, gamma)
        threshold = outliers(np.abs(E))
        Q[np.abs(E) > threshold] = 0
        H = guan.weighted_columns(X, W, H, Q)
        Q = guan.cauchy(X - W @ H, gamma)  # 7, and no line that says (14)
        W = guan.weighted_columns(X.T, H.T, W.T, Q.T).T
        yield guan.CauchyPass(W, H, Q, gamma, threshold)


def cheng_sign(X, W, H, y, lam, size=cheng.kernel_size):
    """Algorithm 1 of Cheng et al. with the exponent of (15)-(17), (19) and (20), without a minus.

    Parameters
    ----------
    X, W, H : ndarray
        The data and the start point.
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
    >>> X, W, H = np.array([[1.0, 3.0]]), np.ones((1, 1)), np.ones((1, 2))
    >>> after = next(cheng_sign(X, W, H, [0, 1], lam=0.0))
    >>> bool((after.Q >= 1).all())
    True
    """

    def weights(E, sigma):
        return np.exp(divide(E**2, 2 * sigma**2))  # (15)-(17), (19), (20)

    A, sigma = cheng.affinity(y), size(X - W @ H)
    Q = weights(X - W @ H, sigma)
    while True:
        H = cheng.update_H(X, W, H, Q, A, lam, X.size * sigma**2)
        Q = weights(X - W @ H, sigma)
        W = cheng.update_W(X, W, H, Q)
        sigma = size(X - W @ H)
        Q = weights(X - W @ H, sigma)
        yield cheng.CorrentropyPass(W, H, Q, sigma)


def cheng_order(X, W, H, y, lam, size=cheng.kernel_size):
    """Algorithm 1 of Cheng et al. with σ after the last weights, which have the σ before.

    Parameters
    ----------
    X, W, H : ndarray
        The data and the start point.
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
    >>> X, W, H = np.array([[1.0, 3.0]]), np.ones((1, 1)), np.array([[1.0, 2.0]])
    >>> after = next(cheng_order(X, W, H, [0, 1], lam=0.0))
    >>> after.Q.round(3).tolist(), after.sigma  # weights of the start's σ, and an exact fit
    ([[1.0, 1.0]], 0.0)
    """
    A, sigma = cheng.affinity(y), size(X - W @ H)
    Q = cheng.weights(X - W @ H, sigma)
    while True:
        H = cheng.update_H(X, W, H, Q, A, lam, X.size * sigma**2)
        Q = cheng.weights(X - W @ H, sigma)
        W = cheng.update_W(X, W, H, Q)
        Q = cheng.weights(X - W @ H, sigma)  # below (22)
        sigma = size(X - W @ H)  # (23)
        yield cheng.CorrentropyPass(W, H, Q, sigma)

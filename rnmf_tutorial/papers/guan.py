"""Guan, Liu, Zhang, Tao and Davis, *Truncated Cauchy NMF*, 2019; their V is X here."""

from typing import NamedTuple

import numpy as np

from rnmf_tutorial.papers import divide


def projected_gradient(slope, h):
    """Return the projected gradient, defined before (15): zero at a solution.

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
    >>> projected_gradient(np.array([1.0, 1.0, -1.0]), np.array([2.0, 0.0, 0.0]))
    array([ 1.,  0., -1.])
    """
    return np.where(h > 0, slope, np.minimum(slope, 0))  # h ≥ 0 is printed


def optimal_gradient_objective(x, W, D, h):
    r"""Return :math:`(x - Wh)^T D (x - Wh)`, what a column of H is to minimize by (13).

    Parameters
    ----------
    x : ndarray of shape (n_features,)
        One column of X.
    W : ndarray of shape (n_features, r)
    D : ndarray of shape (n_features, n_features)
        Diagonal, its weights.
    h : ndarray of shape (r,)
        One column of H.

    Returns
    -------
    float

    Examples
    --------
    >>> x, W, h = np.array([2.0, 9.0]), np.ones((2, 1)), np.ones(1)
    >>> float(optimal_gradient_objective(x, W, np.diag([1.0, 0.0]), h))
    1.0
    """
    return (x - W @ h) @ D @ (x - W @ h)  # (13)


def optimal_gradient(x, W, D, h, *, tolerance=1e-3, steps=1000):
    """Algorithm 1: minimize (13) over one column h ≥ 0 of H.

    Parameters
    ----------
    x : ndarray of shape (n_features,)
        One column of X.
    W : ndarray of shape (n_features, r)
    D : ndarray of shape (n_features, n_features)
        Diagonal, its weights.
    h : ndarray of shape (r,)
        Where to start.
    tolerance : float, default=1e-3
        Stop when the projected gradient has fallen to this share of its length at the
        start.
    steps : int, default=1000
        The largest number of rounds; the box has no bound, and rounding can ask for
        one.

    Returns
    -------
    ndarray of shape (r,)

    Examples
    --------
    >>> optimal_gradient(np.array([2.0, 9.0]), np.ones((2, 1)), np.diag([1.0, 0.0]), np.ones(1))
    array([2.])
    """
    z = h  # 1
    alpha = 1.0
    K = W.T @ D @ W  # (13)
    b = W.T @ D @ x
    L = np.linalg.norm(K, 2)  # 2
    left = first = np.linalg.norm(projected_gradient(K @ h - b, h))
    while left > tolerance * first and steps > 0:  # (15), which has max{ε₁, 10⁻³}
        slope = K @ z - b  # 3
        h_old = h
        h = np.maximum(z - divide(slope, L), 0)  # 4
        alpha_old = alpha
        alpha = (1 + np.sqrt(4 * alpha**2 + 1)) / 2  # 5
        z = h + (alpha_old - 1) / alpha * (h - h_old)  # 6
        left = np.linalg.norm(projected_gradient(K @ h - b, h))
        steps -= 1  # 7
    return h  # 8; z is printed


def weighted_columns(X, W, H, Q):
    """Solve for H, lines 5-6 of Algorithm 2; transposed they are lines 8-9.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
        Where to start; not changed.
    Q : ndarray of shape (n_features, n_samples)
        The weights.

    Returns
    -------
    ndarray of shape (r, n_samples)

    Examples
    --------
    >>> X, Q = np.array([[2.0], [9.0]]), np.array([[1.0], [0.0]])
    >>> weighted_columns(X, np.ones((2, 1)), np.ones((1, 1)), Q)
    array([[2.]])
    """
    H = H.copy()
    for j in range(X.shape[1]):
        D = np.diag(Q[:, j])  # 5
        H[:, j] = optimal_gradient(X[:, j], W, D, H[:, j])  # 6
    return H


def nagy(E, scale=None):
    """Take a step of Nagy's iteration (18), line 3 of Algorithm 2.

    Parameters
    ----------
    E : ndarray
        The errors.
    scale : float, optional
        The γ before the step. Without it, the steps start from the root mean square of
        E and go on until γ changes by less than a millionth.

    Returns
    -------
    float

    Examples
    --------
    >>> round(nagy(np.array([-2.0, -1.0, 1.0, 2.0])), 4)
    1.4142
    """
    if scale is None:
        scale = float(np.sqrt((E**2).mean()))
        before = 0.0
        while abs(scale - before) > 1e-6 * before:
            before = scale
            scale = nagy(E, scale)
        return scale
    e_0 = np.mean(1 / (1 + divide(E, scale) ** 2))
    return scale * float(np.sqrt(1 / e_0 - 1))  # (18)


def three_sigma(sizes):
    """Return the threshold μ + 3δ: section 3.3, read with all sizes.

    Parameters
    ----------
    sizes : ndarray
        The set Θ, the absolute errors.

    Returns
    -------
    float
        Errors beyond it are outliers.

    Examples
    --------
    >>> three_sigma(np.array([1.0, 3.0, 4.0, 50.0]))
    5.0
    """
    gamma = np.sort(sizes, axis=None)[: sizes.size // 2]  # Γ, the half up to the median
    mu = gamma.mean()
    delta = gamma.std()
    return float(mu + 3 * delta)  # |τ - μ| > 3δ is printed, for the τ in Γ


class CauchyPass(NamedTuple):
    """What a pass of ``truncated_cauchy`` carries.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    Q : ndarray of shape (n_features, n_samples)
        The weights of line 7.
    scale : float
        The γ of line 3.
    threshold : float
        Where line 4 has cut.

    Examples
    --------
    >>> X, W, H = np.outer([1.0, 2.0], [1.0, 2.0, 3.0]), np.ones((2, 1)), np.ones((1, 3))
    >>> last = next(truncated_cauchy(X, W, H, scale=lambda E, gamma: 0.5))
    >>> last.scale, last.H.shape
    (0.5, (1, 3))
    """

    W: np.ndarray
    H: np.ndarray
    Q: np.ndarray
    scale: float
    threshold: float


def truncated_cauchy_objective(X, W, H, scale, threshold):
    r"""Return (2), :math:`\frac12\sum_{ij}\ln(1 + \min(|E_{ij}|, ε)^2/γ^2)`, with ε = γ√σ.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    scale : float
        The γ of (2).
    threshold : float
        From which size on an error costs no more: ε, in the units of X.

    Returns
    -------
    float

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 2.0, 9.0]]), np.ones((1, 1)), np.ones((1, 3))
    >>> round(float(truncated_cauchy_objective(X, W, H, scale=1.0, threshold=1.0)), 4)  # ln 2
    0.6931
    """
    return (
        np.log1p((np.minimum(np.abs(X - W @ H), threshold) / scale) ** 2).sum() / 2
    )  # (2)


def truncated_cauchy(
    X, W, H, scale=nagy, outliers=three_sigma, *, start=None, solve=weighted_columns
):
    """Algorithm 2: half-quadratic programming for the truncated Cauchy loss (2).

    (13) and (14) have one set of weights for H and W, that of (12); the box makes them
    again for W.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    scale : callable, default=nagy
        ``scale(E, before)`` returns γ.
    outliers : callable, default=three_sigma
        ``outliers(sizes)`` returns the threshold; infinity for no outliers.
    start : float, optional
        The γ before the first pass, which the box leaves open.
    solve : callable, default=weighted_columns
        ``solve(X, W, H, Q)`` returns a better H; another solver in the place of
        Algorithm 1.

    Yields
    ------
    CauchyPass
        W, H, the weights, the scale and the threshold after line 9.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 9.0, 3.0, 4.0]])
    >>> start = np.ones((2, 1)), np.array([[1.0, 2.0, 3.0, 4.0]])
    >>> next(truncated_cauchy(X, *start, lambda E, before: 0.5, lambda sizes: 3.0)).Q.tolist()
    [[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0]]
    """
    gamma = start
    while True:
        E = X - W @ H  # 2
        gamma = scale(E, gamma)  # 3, printed after the weights
        Q = cauchy(E, gamma)  # 2
        threshold = outliers(np.abs(E))  # 4
        Q[np.abs(E) > threshold] = 0  # 4
        H = solve(X, W, H, Q)  # 5-6
        E = X - W @ H  # 7
        Q = cauchy(E, gamma)  # 7
        # Line 7 prints no zeros. (14) has the weights of line 2 with those of line 4,
        # Ω, for errors from before 5-6; new weights are zero for the new errors beyond
        # the threshold of line 4.
        Q[np.abs(E) > threshold] = 0
        W = solve(X.T, H.T, W.T, Q.T).T  # 8-9
        yield CauchyPass(W, H, Q, gamma, threshold)


def cauchy(E, scale):
    """Return the weights of lines 2 and 7.

    Parameters
    ----------
    E : ndarray of shape (n_features, n_samples)
        The errors X - WH.
    scale : float
        The γ of the loss, in the units of E.

    Returns
    -------
    ndarray of shape (n_features, n_samples)

    Examples
    --------
    >>> cauchy(np.array([[0.0, 2.0]]), 2.0)
    array([[1. , 0.5]])
    """
    return 1 / (1 + divide(E, scale) ** 2)

"""Guan, Liu, Zhang, Tao and Davis, *Truncated Cauchy NMF*, 2019; their V is X here."""

from typing import NamedTuple

import numpy as np

from rnmf_tutorial.papers._guard import divide

__all__ = [
    "nagy",
    "optimal_gradient",
    "printed_outliers",
    "projected_gradient",
    "three_sigma",
    "truncated_cauchy",
    "weighted_columns",
]


def projected_gradient(slope, h, *, as_printed=False):
    """Return the projected gradient, defined before (15): zero at a solution.

    Parameters
    ----------
    slope : ndarray
        The gradient at h.
    h : ndarray
        Non-negative.
    as_printed : bool, default=False
        Take the first case for h ≥ 0, which leaves none for the second.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> projected_gradient(np.array([1.0, 1.0, -1.0]), np.array([2.0, 0.0, 0.0]))
    array([ 1.,  0., -1.])
    """
    inside = h >= 0 if as_printed else h > 0  # h ≥ 0 is printed
    return np.where(inside, slope, np.minimum(slope, 0))


def optimal_gradient(x, W, D, h, *, tolerance=1e-3, steps=1000, as_printed=False):
    r"""Algorithm 1: minimize :math:`(x - Wh)^T D (x - Wh)` over h ≥ 0.

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
        Stop when the projected gradient has fallen to this share of its length at the start.
    steps : int, default=1000
        The largest number of rounds; the box has no bound, and rounding can ask for one.
    as_printed : bool, default=False
        Return the extrapolated point, whose entries can be negative.

    Returns
    -------
    ndarray of shape (r,)

    Examples
    --------
    >>> optimal_gradient(np.array([2.0, 9.0]), np.ones((2, 1)), np.diag([1.0, 0.0]), np.ones(1))
    array([2.])
    """
    z, alpha = h, 1.0  # 1
    L = np.linalg.norm(W.T @ D @ W, 2)  # 2
    first = np.linalg.norm(projected_gradient(W.T @ D @ W @ h - W.T @ D @ x, h))
    for _ in range(steps):
        slope = W.T @ D @ W @ z - W.T @ D @ x  # 3
        h_old, h = h, np.maximum(z - divide(slope, L), 0)  # 4
        alpha_old, alpha = alpha, (1 + np.sqrt(4 * alpha**2 + 1)) / 2  # 5
        z = h + (alpha_old - 1) / alpha * (h - h_old)  # 6
        left = np.linalg.norm(projected_gradient(W.T @ D @ W @ h - W.T @ D @ x, h))
        if left <= tolerance * first:  # (15); max{ε₁, 10⁻³} is printed for the tolerance
            break
    return z if as_printed else h  # 8; z is printed


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
        The γ before the step. Without it, the steps start from the root mean square of E and go on
        until γ changes by less than a millionth.

    Returns
    -------
    float

    Examples
    --------
    >>> round(nagy(np.array([-2.0, -1.0, 1.0, 2.0])), 4)
    1.4142
    """
    if scale is None:
        scale, before = float(np.sqrt((E**2).mean())), 0.0
        while abs(scale - before) > 1e-6 * before:
            scale, before = nagy(E, scale), scale
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
    mu, delta = gamma.mean(), gamma.std()
    return float(mu + 3 * delta)  # |τ - μ| > 3δ is printed, for the τ in Γ


def printed_outliers(sizes):
    """Find the outliers among the sizes up to the median: section 3.3 to the letter.

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
    >>> printed_outliers(np.array([1.0, 3.0, 4.0, 50.0]))
    array([False, False, False, False])
    """
    low = sizes <= np.median(sizes)  # Γ
    mu, delta = sizes[low].mean(), sizes[low].std()
    return low & (np.abs(sizes - mu) > 3 * delta)  # O


class CauchyPass(NamedTuple):
    """What a pass of :func:`truncated_cauchy` carries."""

    W: np.ndarray
    H: np.ndarray
    Q: np.ndarray  # the weights of line 7
    scale: float  # the γ of line 3
    threshold: float  # where line 4 has cut


def truncated_cauchy(
    X,
    W,
    H,
    scale=nagy,
    outliers=three_sigma,
    *,
    start=None,
    solve=weighted_columns,
    printed_order=False,
    printed_line_7=False,
):
    """Algorithm 2: half-quadratic programming for the truncated Cauchy loss (2).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    scale : callable or float, default=nagy
        ``scale(E, previous)`` returns γ; or a fixed γ.
    outliers : callable or float, default=three_sigma
        ``outliers(sizes)`` returns the threshold; or a fixed one, infinity for no outliers.
    start : float, optional
        The γ before the first pass, which the box leaves open.
    solve : callable, default=weighted_columns
        ``solve(X, W, H, Q)`` returns a better H; another solver in the place of Algorithm 1.
    printed_order : bool, default=False
        Make the weights of line 2 with the γ of the pass before.
    printed_line_7 : bool, default=False
        Let the outliers back in for the update of W.

    Yields
    ------
    CauchyPass
        W, H, the weights, the scale and the threshold after line 9.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 9.0, 3.0, 4.0]])
    >>> start = np.ones((2, 1)), np.array([[1.0, 2.0, 3.0, 4.0]])
    >>> next(truncated_cauchy(X, *start, scale=0.5, outliers=3.0)).Q.tolist()
    [[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0]]
    """
    gamma = start
    while True:
        E = X - W @ H  # 2
        gamma_old, gamma = gamma, scale(E, gamma) if callable(scale) else scale  # 3
        Q = cauchy(E, gamma_old or gamma if printed_order else gamma)  # 2, printed before line 3
        threshold = outliers(np.abs(E)) if callable(outliers) else outliers
        Q[np.abs(E) > threshold] = 0  # 4
        H = solve(X, W, H, Q)  # 5-6
        E = X - W @ H  # 7
        Q = cauchy(E, gamma)  # 7
        if not printed_line_7:
            Q[np.abs(E) > threshold] = 0  # not printed, but in (14)
        W = solve(X.T, H.T, W.T, Q.T).T  # 8-9
        yield CauchyPass(W, H, Q, gamma, threshold)


def cauchy(E, scale):
    """Return the weights of lines 2 and 7."""
    return 1 / (1 + divide(E, scale) ** 2)

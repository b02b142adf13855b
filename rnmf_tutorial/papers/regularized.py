"""*Regularized non-negative matrix factorization*; its V is X here."""

from itertools import islice

import numpy as np

from rnmf_tutorial.papers import divide, log


def rule_1_objective(X, W, H):
    """Return the Euclidean distance (2).

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
    >>> float(rule_1_objective(np.array([[1.0, 5.0]]), np.ones((1, 1)), np.array([[1.0, 3.0]])))
    4.0
    """
    return ((X - W @ H) ** 2).sum()  # (2)


def rule_1(X, W, H, norm=2):
    """NMF by rule 1, (4), then the normalization (6) or (7).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    norm : {1, 2}, default=2
        Columns of W with sum one (6) or length one (7).

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> W, H = next(rule_1(np.array([[3.0], [4.0]]), np.ones((2, 1)), np.ones((1, 1))))
    >>> W.round(3).ravel().tolist(), H.round(3).ravel().tolist()
    ([0.6, 0.8], [5.0])
    """
    while True:
        H = H * divide(W.T @ X, W.T @ W @ H)  # (4a)
        W = W * divide(X @ H.T, W @ H @ H.T)  # (4b)
        d = np.linalg.norm(W, norm, axis=0)
        W = divide(W, d)  # (6) or (7)
        H = H * d[:, None]  # not printed: keeps WH as it was
        yield W, H


def rule_2_objective(X, W, H):
    """Return the divergence (3).

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
    >>> float(rule_2_objective(np.zeros((1, 2)), np.ones((1, 1)), np.ones((1, 2))))
    2.0
    """
    return (X * log(divide(X, W @ H)) - X + W @ H).sum()  # (3)


def rule_2(X, W, H, norm=2):
    """NMF by rule 2, (5), then the normalization (6) or (7).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    norm : {1, 2}, default=2
        Columns of W with sum one (6) or length one (7).

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> W, H = next(rule_2(np.array([[3.0], [4.0]]), np.ones((2, 1)), np.ones((1, 1))))
    >>> W.round(3).ravel().tolist(), H.round(3).ravel().tolist()
    ([0.6, 0.8], [5.0])
    """
    while True:
        H = H * divide(W.T @ divide(X, W @ H), W.sum(axis=0)[:, None])  # (5a)
        W = W * divide(divide(X, W @ H) @ H.T, H.sum(axis=1))  # (5b)
        d = np.linalg.norm(W, norm, axis=0)
        W = divide(W, d)  # (6) or (7)
        H = H * d[:, None]  # not printed: keeps WH as it was
        yield W, H


def lnmf_objective(X, W, H):
    r"""Return :math:`\sum_{ij} X_{ij}\log\frac{X_{ij}}{(WH)_{ij}} + \frac12\lVert H\rVert_F^2`.

    Not printed: (8) is, ``rnmf_tutorial.solvers.local_objective``, which the updates do
    not lower. With columns of W of sum one, as (6) makes them, no pass raises this.

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
    >>> float(lnmf_objective(np.ones((1, 2)), np.ones((1, 1)), np.ones((1, 2))))
    1.0
    """
    return (X * log(divide(X, W @ H))).sum() + (H**2).sum() / 2  # not (8)


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
    """Recompute the coefficients for the final W of local NMF: (5a) alone, which lowers (3).

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


def unit_columns(Y):
    """Go to the nearest non-negative matrix with columns of length one: steps (b) and (c).

    A column without a positive entry, as printed 0/0, becomes a single one, at the
    place of its largest entry.

    Parameters
    ----------
    Y : ndarray of shape (n_features, r)
        Any real numbers: W after step (a).

    Returns
    -------
    ndarray of shape (n_features, r)

    Examples
    --------
    >>> unit_columns(np.array([[3.0, -1.0], [4.0, -2.0], [-5.0, -2.0]])).tolist()
    [[0.6, 1.0], [0.8, 0.0], [0.0, 0.0]]
    """
    W = np.maximum(Y, 0)  # (b)
    for k in np.flatnonzero(~W.any(axis=0)):
        # not printed: the limit of (c) as the column goes to zero
        W[Y[:, k].argmax(), k] = 1
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


def regularized_nmf_objective(X, W, H, lam):
    r"""Return :math:`\frac12\lVert X - WH\rVert_F^2 + \lambda\sum W_{ik}` (10).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    lam : float
        The λ of (10).

    Returns
    -------
    float

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 5.0]]), np.ones((1, 1)), np.array([[1.0, 3.0]])
    >>> float(regularized_nmf_objective(X, W, H, lam=0.5))
    2.5
    """
    return ((X - W @ H) ** 2).sum() / 2 + lam * W.sum()  # (10)


def regularized_nmf(X, W, H, lam, mu=safe_length):
    r"""Regularized NMF, steps 1 and (a)-(d): minimize (10) over W with columns of length one.

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
        How many; "the value when λ = 0" is meant at the end of a fit. 0 takes it at the
        start.
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


def columns_of_length_one(W, U, p):
    r"""Minimize the surrogate of the divergence over columns of length one.

    Column k minimizes :math:`\sum_i (-b_i \log w_i + p_k w_i^2 / 2w'_i)` over
    non-negative w of length one, where :math:`w'` is the old column and
    :math:`b_i = w'_i U_{ik}`. The minimizer is :math:`w_i = w'_i \sqrt{U_{ik} / (p_k +
    \nu_k w'_i)}` with the :math:`\nu_k` that makes the length one. Newton's steps for
    one over the squared length come to it from below. If they start beyond it, which
    needs U = 0 at the largest entry, then what is left of the length goes there.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
        Non-negative, columns of length one.
    U : ndarray of shape (n_features, r)
        Non-negative: the negative part of the gradient.
    p : ndarray of shape (r,)
        Its positive part, which is the same for all entries of a column.

    Returns
    -------
    ndarray of shape (n_features, r)

    Examples
    --------
    >>> W = np.array([[0.6], [0.8]])
    >>> V = columns_of_length_one(W, U=np.array([[3.0], [1.0]]), p=np.array([1.0]))
    >>> V.round(3).ravel().tolist(), round(float((V**2).sum()), 12)
    ([0.81, 0.586], 1.0)
    """
    nu = (W * U - divide(p, W)).max(axis=0)
    for _ in range(20):
        below = np.maximum(p + nu * W, 1e-15 * p)
        squares = W * divide(W * U, below)
        length = squares.sum(axis=0)
        slope = (squares * divide(W, below)).sum(axis=0)
        nu = nu + divide(length * np.maximum(length - 1, 0), slope)
    left = np.maximum(1 - length, 0)
    squares[W.argmax(axis=0), np.arange(W.shape[1])] += left
    return np.sqrt(squares / squares.sum(axis=0))


def regularized_divergence_objective(X, W, H, lam):
    r"""Return the divergence (3) plus :math:`\lambda\sum W_{ik}`, the penalty of (10).

    Not printed: section 3 says only that the method "can also be applied to
    divergence-based objective functions".

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    lam : float
        The weight λ of the penalty.

    Returns
    -------
    float

    Examples
    --------
    >>> W, H = np.ones((1, 1)), np.ones((1, 2))
    >>> float(regularized_divergence_objective(np.zeros((1, 2)), W, H, lam=0.5))
    2.5
    """
    return rule_2_objective(X, W, H) + lam * W.sum()  # (3), and the penalty of (10)


def regularized_divergence(X, W, H, lam):
    r"""Regularized NMF with the divergence, over W with columns of length one.

    Not printed. The step on W minimizes Lee and Seung's surrogate on the sphere, so no
    length of a step has to be chosen. H has its update of rule 2.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    lam : float
        The weight λ of the penalty.

    Yields
    ------
    W, H : ndarray
        After each pass.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [0.1, 0.1]])
    >>> start = np.ones((3, 1)), np.ones((1, 2))
    >>> *_, (W, H) = islice(regularized_divergence(X, *start, lam=2.0), 50)
    >>> W.round(2).ravel().tolist()
    [0.38, 0.93, 0.02]
    """
    W = unit_columns(W)  # 1
    while True:  # 2
        U = divide(X, W @ H) @ H.T
        W = columns_of_length_one(W, U, H.sum(axis=1) + lam)  # in the place of (a)-(c)
        H = H * divide(W.T @ divide(X, W @ H), W.sum(axis=0)[:, None])  # (5a)
        yield W, H

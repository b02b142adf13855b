"""Zhang, Chen, Zheng and He, *Robust non-negative matrix factorization*, 2011."""

import numpy as np

from rnmf_tutorial.papers import divide, lee

# The boxes of Lee and Seung: (7) with (9), and (8) with (10)-(11).
lee_seung = lee.euclid
lee_seung_objective = lee.euclid_objective
lee_seung_divergence = lee.divergence
lee_seung_divergence_objective = lee.divergence_objective


def quadratic_program_objective(A, b, v):
    r"""Return :math:`\frac12 v^TAv + b^Tv` (19).

    Parameters
    ----------
    A : ndarray of shape (r, r)
        Symmetric and positive semidefinite.
    b : ndarray of shape (r,)
        The linear term.
    v : ndarray of shape (r,)
        The variables.

    Returns
    -------
    float

    Examples
    --------
    >>> float(quadratic_program_objective(np.eye(2), np.array([-2.0, 1.0]), np.array([2.0, 0.0])))
    -2.0
    """
    return v @ A @ v / 2 + b @ v  # (19)


def quadratic_program(A, b, v):
    """Theorem 1: minimize (19) over v ≥ 0, where entries of A and of b may be negative.

    With W of any signs, A = WᵀW and b = -Wᵀx, v is a column of H. :func:`robust_nmf`
    has W ≥ 0, so that no entry of A is negative, and (21) becomes (23).

    Parameters
    ----------
    A : ndarray of shape (r, r)
        Symmetric and positive semidefinite.
    b : ndarray of shape (r,)
        Not negative where the row of A is zero; else nothing bounds (19) from below.
    v : ndarray of shape (r,)
        Where to start, positive: a zero stays.

    Yields
    ------
    ndarray of shape (r,)
        After each update of all entries.

    Examples
    --------
    >>> A, b = np.array([[2.0, -1.0], [-1.0, 2.0]]), np.array([-3.0, -3.0])
    >>> next(quadratic_program(A, b, np.array([1.0, 2.0])))  # on the way to (3, 3)
    array([2., 2.])
    """
    plus = np.maximum(A, 0)  # (20)
    minus = np.maximum(-A, 0)
    while True:
        a = plus @ v
        c = minus @ v
        v = divide(-b + np.sqrt(b**2 + 4 * a * c), 2 * a) * v  # (21)
        yield v


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


def robust_nmf_objective(X, W, H, S, lam):
    r"""Return :math:`\lVert X - WH - S\rVert_F^2 + \lambda\lVert S\rVert_1` (16).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    S : ndarray of shape (n_features, n_samples)
        The sparse error.
    lam : float
        The λ of (16), in the units of X.

    Returns
    -------
    float

    Examples
    --------
    >>> X, S = np.array([[1.0, 9.0]]), np.array([[0.0, 6.0]])
    >>> float(robust_nmf_objective(X, np.ones((1, 1)), np.ones((1, 2)), S, lam=0.5))
    7.0
    """
    return ((X - W @ H - S) ** 2).sum() + lam * np.abs(S).sum()  # (16)


def robust_nmf(X, W, H, lam):
    r"""Algorithm 1: minimize :math:`\lVert X - WH - S\rVert_F^2 + \lambda\lVert S\rVert_1` (16).

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    lam : float
        The λ of (16), in the units of X.

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
        S = soft_threshold(S, lam / 2)  # 5: (28)
        P = (S - X) @ H.T
        W = divide(np.abs(P) - P, 2 * (W @ H @ H.T)) * W  # 6: (24)
        P = W.T @ (S - X)
        H = divide(np.abs(P) - P, 2 * (W.T @ W @ H)) * H  # 7: (23)
        d = np.sqrt((W**2).sum(axis=0))
        W = divide(W, d)  # 8: (29)
        H = H * d[:, None]  # 9: (30), with the norms that W had before line 8
        yield W, H, S

r"""Coordinate descent for plain NMF.

All other coordinates held fixed, :math:`\lVert M - WH\rVert^2` is a parabola in each entry of H,
and the minimum of a parabola over :math:`h \ge 0` has a formula. Given :math:`G = W^TW` and
:math:`B = W^TM` it needs no pass over M, so that a few rounds over all the rows of H cost less
than the product B. W is the same problem, transposed.

For a robust loss M is the *cleaned* data; :mod:`rnmf_tutorial.solvers.passes` makes them.
"""

from typing import NamedTuple

import numpy as np

__all__ = [
    "Fit",
    "descend_rows",
    "fit",
    "fit_basis",
    "fit_coefficients",
    "settle_rows",
]

ROUNDS = 4  # over the rows of a factor for each product with M; measured

# Entries of H in one block of columns: the rows that a round reads again and again then stay in
# the cache.
_BLOCK = 2**16


class Fit(NamedTuple):
    """What one pass over the cleaned data gives.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    drop : float
        How far the (weighted) squared error fell.

    Examples
    --------
    >>> Fit(np.ones((2, 1)), np.ones((1, 3)), 0.5).drop
    0.5
    """

    W: np.ndarray
    H: np.ndarray
    drop: float


def descend_rows(gram, B, H, rounds=ROUNDS):
    r"""Minimize :math:`\lVert M - WH\rVert^2` over one row of H ≥ 0 after the other.

    As a function of the row :math:`h_k` alone the squares are, up to a constant,
    :math:`G_{kk}\lVert h_k\rVert^2 - 2\langle h_k,\; b_k - \sum_{l \ne k} G_{kl} h_l\rangle`, with
    the minimizer

    .. math:: h_k \leftarrow \max\Bigl(0,\;
              \frac{b_k - \sum_{l \ne k} G_{kl} h_l}{G_{kk}}\Bigr).

    A row with :math:`G_{kk} = 0`, whose column of W is zero, is left as it is: every value of it
    is a minimizer. A component that has become zero in one factor can therefore come back.

    Parameters
    ----------
    gram : ndarray of shape (r, r)
        :math:`G = W^TW`.
    B : ndarray of shape (r, n)
        :math:`W^TM`.
    H : ndarray of shape (r, n)
        Where to start, non-negative; not changed.
    rounds : int
        How often to go over all rows.

    Returns
    -------
    ndarray of shape (r, n)
        In C order.

    References
    ----------
    Cichocki, Zdunek and Amari, *Hierarchical ALS algorithms for nonnegative matrix and 3D tensor
    factorization*, 2007; for the rounds, Gillis and Glineur, *Accelerated multiplicative updates
    and hierarchical ALS algorithms for nonnegative matrix factorization*, 2012.

    Examples
    --------
    >>> W, M = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[2.0], [5.0]])
    >>> descend_rows(W.T @ W, W.T @ M, np.zeros((2, 1)), rounds=1)
    array([[3.5],
           [1.5]])
    """
    others, target, moving = _by_diagonal(gram, B)
    H = np.array(H, order="C")
    width = max(1, _BLOCK // len(H))
    for first in range(0, H.shape[1], width):
        columns = slice(first, first + width)
        H[:, columns] = _rounds(others, target[:, columns], moving, H[:, columns], rounds)
    return H


def settle_rows(gram, B, H, *, tol, max_rounds):
    """Repeat the rounds of `descend_rows` until every column of H, on its own, has settled.

    Parameters
    ----------
    gram : ndarray of shape (r, r)
        :math:`G = W^TW`.
    B : ndarray of shape (r, n)
        :math:`W^TM`.
    H : ndarray of shape (r, n)
        Where to start, non-negative; not changed.
    tol : float
        A column has settled when a round changes it by at most this fraction of its length.
    max_rounds : int
        Largest number of rounds.

    Returns
    -------
    ndarray of shape (r, n)

    Examples
    --------
    >>> W, M = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[2.0], [5.0]])
    >>> settle_rows(W.T @ W, W.T @ M, np.zeros((2, 1)), tol=1e-12, max_rounds=1000).round(6)
    array([[2.],
           [3.]])
    """
    others, target, moving = _by_diagonal(gram, B)
    H, active = np.array(H, order="C"), np.arange(H.shape[1])
    for _ in range(max_rounds):
        before = H[:, active]
        H[:, active] = after = _rounds(others, target, moving, before, 1)
        change = np.linalg.norm(after - before, axis=0)
        unsettled = change > tol * np.linalg.norm(after, axis=0)
        if not unsettled.any():
            break
        if not unsettled.all():
            active, target = active[unsettled], target[:, unsettled]
    return H


def fit(M, W, H, *, weights=None, WtM=None, rounds=ROUNDS):
    r"""Go once over the data: a few rounds over the rows of H, then over the columns of W.

    Neither raises :math:`\sum_j d_j \lVert m_j - W h_j\rVert^2`. The weights d cancel in every
    column of H; in W they go on the columns of H. W and H never lose a component for good: where
    its row of H becomes zero, its column of W stays as it is.

    Parameters
    ----------
    M : ndarray of shape (n_features, n_samples)
        Non-negative data, for a robust loss the cleaned ones.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    weights : ndarray of shape (n_samples,), optional
        The d, at least 0; one by default.
    WtM : ndarray of shape (r, n_samples), optional
        The product, if it is at hand.
    rounds : int
        How often to go over the rows of each factor.

    Returns
    -------
    Fit
        The new W and H, and by how much the weighted squares fell.

    Examples
    --------
    >>> W, H = np.array([[1.0], [0.0]]), np.array([[1.0, 1.0]])
    >>> W, H, drop = fit(np.array([[2.0, 4.0], [1.0, 2.0]]), W, H)
    >>> (W @ H).tolist(), drop
    ([[2.0, 4.0], [1.0, 2.0]], 15.0)
    """
    H, *sums = fit_coefficients(M, W, H, weights=weights, WtM=WtM, rounds=rounds)
    return fit_basis(W, H, *sums, rounds=rounds)


def fit_coefficients(M, W, H, *, weights=None, WtM=None, rounds=ROUNDS):
    r"""Do the first half of ``fit``, the rows of H, and make ready for the second.

    All that it returns besides H are sums over the samples.

    Parameters
    ----------
    M : ndarray of shape (n_features, n_samples)
        Non-negative data, for a robust loss the cleaned ones.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    weights : ndarray of shape (n_samples,), optional
        The d, at least 0; one by default.
    WtM : ndarray of shape (r, n_samples), optional
        The product, if it is at hand.
    rounds : int
        How often to go over the rows of H.

    Returns
    -------
    H : ndarray of shape (r, n_samples)
        The new one.
    drop : float
        By how much the weighted squares fell.
    gram : ndarray of shape (r, r)
        :math:`HDH^T`, with the weights on the diagonal of D.
    B : ndarray of shape (r, n_features)
        :math:`HDM^T`.

    Examples
    --------
    >>> W, H = np.array([[1.0], [0.0]]), np.array([[1.0, 1.0]])
    >>> fit_coefficients(np.array([[2.0, 4.0], [1.0, 2.0]]), W, H)
    (array([[2., 4.]]), 10.0, array([[20.]]), array([[20., 10.]]))
    """
    gram, B = W.T @ W, W.T @ M if WtM is None else WtM
    H_next = descend_rows(gram, B, H, rounds)
    drop = _energy(gram, B, H, weights) - _energy(gram, B, H_next, weights)
    HD = H_next if weights is None else H_next * weights
    return H_next, drop, HD @ H_next.T, HD @ M.T


def fit_basis(W, H, drop, gram, B, *, rounds=ROUNDS):
    """Do the second half of ``fit``, the columns of W.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
        The new one.
    drop : float
        By how much the weighted squares have fallen.
    gram : ndarray of shape (r, r)
        :math:`HDH^T`, with the weights on the diagonal of D.
    B : ndarray of shape (r, n_features)
        :math:`HDM^T`.
    rounds : int
        How often to go over the columns of W.

    Returns
    -------
    Fit

    Examples
    --------
    >>> W, H, drop = fit_basis(np.ones((1, 1)), np.ones((1, 2)), 0.0, np.eye(1), 3 * np.eye(1))
    >>> W, drop
    (array([[3.]]), 4.0)
    """
    Wt = descend_rows(gram, B, W.T, rounds)
    drop += _energy(gram, B, W.T) - _energy(gram, B, Wt)
    return Fit(Wt.T, H, drop)


def _by_diagonal(gram, B):
    """Return G without its diagonal and B, both divided by it, and the rows where it is not 0."""
    diagonal = np.diag(gram)
    moving = np.flatnonzero(diagonal >= np.finfo(gram.dtype).tiny)
    divisor = np.ones_like(diagonal)
    divisor[moving] = diagonal[moving]
    others = gram / divisor[:, None]
    np.fill_diagonal(others, 0)
    return others, B / divisor[:, None], moving


def _rounds(others, target, moving, H, rounds):
    H = np.array(H, order="C")
    for _ in range(rounds):
        for k in moving:
            best = others[k] @ H
            np.subtract(target[k], best, out=best)
            np.maximum(best, 0, out=H[k])
    return H


def _energy(gram, B, H, weights=None):
    """Return the (weighted) squares less those of the data, from the products alone."""
    columns = np.einsum("kj,kj->j", H, gram @ H - 2 * B, dtype=np.float64)
    return float(columns.sum() if weights is None else columns @ weights)

r"""Coordinate descent for plain NMF, and so for every robust loss: clean, then fit.

All other coordinates held fixed, :math:`\lVert M - WH\rVert^2` is a parabola in each entry of H,
and the minimum of a parabola over :math:`h \ge 0` has a formula. Given :math:`G = W^TW` and
:math:`B = W^TM` it needs no pass over M, so that a few rounds over all the rows of H cost less
than the product B. W is the same problem, transposed.

For a robust loss M is the *cleaned* data :math:`Q \odot X + (1 - Q) \odot WH`: a step that does
not raise :math:`\lVert M - WH\rVert^2` does not raise the loss.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "Fit",
    "Seen",
    "clean",
    "coordinate_pass",
    "descend_rows",
    "fit",
    "fit_basis",
    "fit_coefficients",
    "further",
    "settle_rows",
]

ROUNDS = 4  # over the rows of a factor for each product with M; measured, as is the next line
FURTHER = 0.5  # how far beyond a step to try, as a part of the way from the last step

# Entries of H in one block of columns: the rows that a round reads again and again then stay in
# the cache.
_BLOCK = 2**16


class Seen(NamedTuple):
    r"""What a model sees at a pair of factors.

    Parameters
    ----------
    objective : float
        What the model minimizes.
    M : ndarray of shape (n_features, n_samples)
        The data to fit, for entry-wise losses the cleaned ones.
    weights : ndarray of shape (n_samples,), optional
        For a loss of whole columns, its derivative by their squared lengths.
    WtM : ndarray of shape (r, n_samples), optional
        The product :math:`W^TM`, where the objective needs it anyway.
    more : object, optional
        What the model keeps for itself.

    Examples
    --------
    >>> Seen(2.0, np.ones((1, 2))).weights is None
    True
    """

    objective: float
    M: np.ndarray
    weights: np.ndarray | None = None
    WtM: np.ndarray | None = None
    more: Any = None


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


def clean(X, E, Q, out=None):
    r"""Return the cleaned data: every entry moves toward its fit as its weight says.

    They are :math:`M = Q \odot X + (1 - Q) \odot WH = X - (1 - Q) \odot E`. What is taken off the
    data, :math:`S = (1 - Q) \odot E`, is the error matrix that belongs to the weights. With Huber's
    weights it is E soft-thresholded at the cutoff.

    Where all weights of a sample are small, its cleaned data hardly differ from WH, and it would
    hardly move. A sample whose largest weight :math:`d_j` is below one half is therefore cleaned
    with :math:`Q_{ij} / d_j`, and its squares count :math:`d_j` times: these lie above the
    weighted squares as well, because they have the same slope and :math:`d_j \ge Q_{ij}`.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    E : ndarray of shape (n_features, n_samples)
        The residuals X - WH.
    Q : ndarray of shape (n_features, n_samples)
        The weights, between 0 and 1.
    out : ndarray of shape (n_features, n_samples), optional
        Where to put the result; may be `Q`.

    Returns
    -------
    M : ndarray of shape (n_features, n_samples)
    weights : ndarray of shape (n_samples,) or None
        The d; None if all are one.

    Examples
    --------
    >>> clean(np.array([[9.0], [2.0]]), np.array([[8.0], [1.0]]), np.array([[0.25], [1.0]]))
    (array([[3.],
           [2.]]), None)
    >>> clean(np.array([[9.0], [2.0]]), np.array([[8.0], [1.0]]), np.array([[0.1], [0.2]]))
    (array([[5.],
           [2.]]), array([0.2]))
    """
    weights, largest = None, Q.max(axis=0)
    if largest.min(initial=1) < 0.5:
        weights = np.where(largest < 0.5, np.maximum(largest, np.finfo(Q.dtype).tiny), 1)
        Q = np.divide(Q, weights, out=out)
    S = np.subtract(1, Q, out=out)
    S *= E
    return np.subtract(X, S, out=S), weights


def coordinate_pass(look: Callable, W, H, seen: Seen, before: Fit | None) -> tuple:
    r"""Fit what was seen at W and H, go further, and see what is there.

    The objective never rises. If :math:`\ell(W, H) \le \lVert M - WH\rVert^2 + \text{const}`
    everywhere, with equality at the W and H where M was made, then a step by which the squares
    fall takes :math:`\ell` down by at least as much. What lies further is taken only if it is
    lower than that.

    Parameters
    ----------
    look : callable
        ``look(W, H)`` returns what a model sees there, a :class:`Seen`.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    seen : Seen
        What `look` returned for W and H.
    before : Fit or None
        The last that this function returned; None at the start.

    Returns
    -------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    seen : Seen
        What `look` returned for these.
    step : Fit
        For the next call.

    Examples
    --------
    Missing entries are filled with what the factors say:

    >>> X, missing = np.array([[1.0, 2.0], [2.0, 0.0]]), np.array([[False, False], [False, True]])
    >>> def look(W, H):
    ...     M = np.where(missing, W @ H, X)
    ...     return Seen(float(((M - W @ H) ** 2).sum()), M)
    >>> W, H, before = np.ones((2, 1)), np.ones((1, 2)), None
    >>> seen = look(W, H)
    >>> for _ in range(500):
    ...     W, H, seen, before = coordinate_pass(look, W, H, seen, before)
    >>> (W @ H).round(6)
    array([[1., 2.],
           [2., 4.]])
    """
    step = fit(seen.M, W, H, weights=seen.weights, WtM=seen.WtM)
    bound = seen.objective - max(step.drop, 0.0)
    return *further(look, step, before, bound), step


def further(look: Callable, step: Fit, before: Fit | None, bound: float) -> tuple:
    r"""Go beyond a step, half as far again as from the last one, unless that leads up.

    The point tried is :math:`\max(Z/10,\; Z + \tfrac12 (Z - Z'))`, for Z = W and Z = H, with
    this step Z and the last one Z'; it has no zeros that Z has not. It is taken if the objective
    there is at most `bound`; otherwise the step itself is.

    Parameters
    ----------
    look : callable
        ``look(W, H)`` returns what a model sees there, a :class:`Seen`.
    step : Fit
        The point that the step has reached.
    before : Fit or None
        The one that the step before it had reached; None if there was none.
    bound : float
        What the objective at `step` cannot exceed.

    Returns
    -------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    seen : Seen
        What `look` returned for these.

    References
    ----------
    Ang and Gillis, *Accelerating nonnegative matrix factorization algorithms using extrapolation*,
    2019, for plain NMF.

    Examples
    --------
    >>> M, ones = np.array([[4.0]]), np.ones((1, 1))
    >>> before, step = Fit(ones, ones, 0.0), Fit(ones, 2 * ones, 5.0)
    >>> W, H, seen = further(lambda W, H: Seen(((M - W @ H) ** 2).item(), M), step, before, 4.0)
    >>> H.item(), seen.objective
    (2.5, 2.25)
    """
    if before is not None:
        W, H = (
            np.maximum(now + FURTHER * (now - then), now / 10)
            for now, then in ((step.W, before.W), (step.H, before.H))
        )
        seen = look(W, H)
        if seen.objective <= bound:
            return W, H, seen
    return step.W, step.H, look(step.W, step.H)


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

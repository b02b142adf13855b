r"""Coordinate descent on cleaned data M, for every loss that squares of M - WH majorize.

As a function of one entry of H, :math:`\lVert M - WH\rVert^2` is a parabola, and its
minimum over :math:`h \ge 0` has a formula. The formula needs :math:`G = W^TW` and
:math:`B = W^TM`, but no pass over M, so a few rounds over all rows of H cost less than
the product B. The update of W is the same problem, transposed.
"""

import numpy as np

from rnmf_tutorial.core import BLOCK, State, converged, norms_of_columns

ROUNDS = 4  # over the rows of a factor for each product with M; measured
FURTHER = 0.5  # the factor of the extrapolation; measured

# Rows in one group. For a group, one product subtracts what all rows outside it
# contribute.
_GROUP = 8


class Coordinate:
    r"""Clean the data, go a few rounds over the rows of H and the columns of W, and extrapolate.

    The rounds for H and those for W do not raise :math:`\sum_{ij} f_i d_j (M -
    WH)_{ij}^2`. It majorizes the loss, so they do not raise the loss either. The
    extrapolated point is :math:`\max(Z/10,\; Z + \tfrac12 (Z - Z'))` for Z = W and Z =
    H, where Z' are the factors after the rounds of the last step. It is taken if the
    loss there is at most the bound that the majorizer gives for W and H.

    Parameters
    ----------
    normalize : {None, "l1", "l2"}, default=None
        The norm that the columns of W get after each step.

    References
    ----------
    Cichocki, Zdunek and Amari, *Hierarchical ALS algorithms for nonnegative matrix and
    3D tensor factorization*, 2007; for the rounds, Gillis and Glineur, *Accelerated
    multiplicative updates and hierarchical ALS algorithms for nonnegative matrix
    factorization*, 2012; for the extrapolation, Ang and Gillis, *Accelerating
    nonnegative matrix factorization algorithms using extrapolation*, 2019.

    Examples
    --------
    >>> from rnmf_tutorial.core import Point
    >>> from rnmf_tutorial.losses import Loss
    >>> point = Point(np.full((1, 2), 3.0), np.ones((1, 1)), np.ones((1, 2)))
    >>> Coordinate()(point, Loss()).H
    array([[3., 3.]])
    """

    def __init__(self, normalize=None):
        self.normalize = normalize
        self.state = State()

    def __call__(self, point, loss):
        """Return the next point; it extrapolates if the last call returned this point."""
        value = loss.value(point)
        W, H, drop = self.move(point, loss)
        bound = value - max(drop, 0.0)
        for pair, led in beyond(W, H, self.state.at(point), self.normalize):
            new = point.to(*pair).settled()
            last = led
            if loss.value(new) <= bound:
                break
        self.state.leave(new, last)
        return new

    def move(self, point, loss):
        """Return W and H after the rounds, and a lower bound of the fall of the objective."""
        H, sums = half(point, loss)
        W, drop = whole(point.W, sums)
        return W, H, loss.factor * drop

    def coefficients(self, point, loss):
        """Return the next H, with W held fixed."""
        M, f, _ = loss.clean(point)
        return descend_rows(*normal_equations(point, M, f), point.H)


def half(point, loss):
    """Return the next H, and the sums over the samples from which `whole` computes W.

    These are the fall of the weighted squares, HDHᵀ and HDMᵀ, where D is the diagonal
    matrix of the weights d of the samples; and the weights f of the features, if there
    are any.
    """
    M, f, d = loss.clean(point)
    gram, B = normal_equations(point, M, f)
    H = descend_rows(gram, B, point.H)
    drop = energy(gram, B, point.H, d) - energy(gram, B, H, d)
    HD = H if d is None else H * d
    sums = drop, HD @ H.T, HD @ M.T
    return H, sums if f is None else (*sums, f)


def whole(W, sums):
    """Return the next W, and the total fall of the weighted squares."""
    drop, gram, B, *f = sums
    Wt = descend_rows(gram, B, W.T)
    return Wt.T, drop + energy(gram, B, W.T, *f) - energy(gram, B, Wt, *f)


def beyond(W, H, led, normalize):
    """Yield the factors to try, and W and H in their units: extrapolated from `led`, then W, H."""
    pairs = [(W, H)]
    if led is not None:
        steps = zip((W, H), led, strict=True)
        pairs = [
            [np.maximum(Z + FURTHER * (Z - Z0), Z / 10) for Z, Z0 in steps],
            (W, H),
        ]
    for V, G in pairs:
        d = norms_of_columns(V, normalize)
        yield (V / d, G * d[:, None]), (W / d, H * d[:, None])


def normal_equations(point, M, f=None):
    """Return G = WᵀFW and B = WᵀFM, with the weights f of the features on the diagonal of F."""
    if f is not None:
        WF = point.W.T * f
        return WF @ point.W, WF @ M
    return point.WtW, point.WtX if M is point.X else point.W.T @ M


def descend_rows(gram, B, H, rounds=ROUNDS):
    r"""Minimize :math:`\lVert M - WH\rVert^2` over one row of H ≥ 0 after the other.

    As a function of the row :math:`h_k` alone the squares are, up to a constant,
    :math:`G_{kk}\lVert h_k\rVert^2 - 2\langle h_k,\; b_k - \sum_{l \ne k} G_{kl}
    h_l\rangle`, with the minimizer

    .. math:: h_k \leftarrow \max\Bigl(0,\;
              \frac{b_k - \sum_{l \ne k} G_{kl} h_l}{G_{kk}}\Bigr).

    If :math:`G_{kk} = 0`, column k of W is zero and every row is a minimizer; the row
    is unchanged. So a component that is zero in one factor can become positive again.

    Parameters
    ----------
    gram : ndarray of shape (r, r)
        :math:`G = W^TW`.
    B : ndarray of shape (r, n)
        :math:`W^TM`.
    H : ndarray of shape (r, n)
        The start, non-negative; not changed.
    rounds : int
        Number of rounds over all rows.

    Returns
    -------
    ndarray of shape (r, n)
        In C order.

    References
    ----------
    Cichocki, Zdunek and Amari, *Hierarchical ALS algorithms for nonnegative matrix and
    3D tensor factorization*, 2007; for the rounds, Gillis and Glineur, *Accelerated
    multiplicative updates and hierarchical ALS algorithms for nonnegative matrix
    factorization*, 2012.

    Examples
    --------
    >>> W, M = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[2.0], [5.0]])
    >>> descend_rows(W.T @ W, W.T @ M, np.zeros((2, 1)), rounds=1)
    array([[3.5],
           [1.5]])
    """
    diagonal = np.diag(gram)
    tiny = np.finfo(gram.dtype).tiny
    moving = np.flatnonzero(diagonal >= tiny)
    divisor = np.where(diagonal >= tiny, diagonal, 1)[:, None]
    others = gram / divisor
    target = B / divisor
    H = np.array(H, order="C")
    np.fill_diagonal(others, 0)
    groups = []  # of rows
    for first in range(0, len(moving), _GROUP):
        rows = moving[first : first + _GROUP]
        outside = others[rows]
        inside = others[np.ix_(rows, rows)]
        outside[:, rows] = 0
        groups.append((rows, outside, inside))
    width = max(1, BLOCK // len(H))
    for first in range(0, H.shape[1], width):
        columns = slice(first, first + width)
        h = np.array(H[:, columns], order="C")
        wanted = target[:, columns]
        best = np.empty_like(h[0])
        for _ in range(rounds):
            for rows, outside, inside in groups:
                rest = wanted[rows] - outside @ h
                here = h[rows]
                for least, row, new in zip(rest, inside, here, strict=True):
                    np.subtract(least, np.dot(row, here, out=best), out=best)
                    np.maximum(best, 0, out=new)
                h[rows] = here
        H[:, columns] = h
    return H


def settle_rows(gram, B, H, *, tol, max_rounds):
    """Repeat the rounds of `descend_rows` until every column of H has converged.

    Parameters
    ----------
    gram : ndarray of shape (r, r)
        :math:`G = W^TW`.
    B : ndarray of shape (r, n)
        :math:`W^TM`.
    H : ndarray of shape (r, n)
        The start, non-negative; not changed.
    tol : float
        A column has converged when a round changes it by at most this fraction of its
        length.
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

    def step(H, B):
        return descend_rows(gram, B, H, rounds=1)

    return converged(H, step, (B,), tol=tol, max_iter=max_rounds)


def energy(gram, B, H, weights=None):
    """Return the (weighted) ‖M - WH‖² minus ‖M‖², from small products."""
    columns = np.einsum("kj,kj->j", H, gram @ H - 2 * B, dtype=np.float64)
    return float(columns.sum() if weights is None else columns @ weights)

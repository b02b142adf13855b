r"""Coordinate descent for the Kullback-Leibler divergence, on cleaned data.

For one column m of the cleaned data, let y = Wh, d a step, s = Wd / y, and b = Wᵀ(m/y)
- Wᵀ1 the negative gradient. Then

.. math:: D(m \Vert W(h + td)) = D(m \Vert Wh) - t\,\langle b, d\rangle + \sum_i m_i\,w(-t s_i),
          \qquad w(u) = -u - \ln(1 - u) .

The second-order model of the sum is :math:`t^2 \sum_i m_i s_i^2 / 2`. It is a parabola
in each entry of h + d, so d comes from a few rounds over the coordinates, as for
squares. Each column has its own matrix of second derivatives; one product gives all of
them.

The step d is then shortened to t d. Let :math:`\sigma = \max(0, \max_i(-s_i))`, g = ⟨b,
d⟩ and :math:`v = \sum_i m_i s_i^2`. As :math:`w(u) \le u^2/2` for u ≤ 0 and :math:`w(u)
\le u^2 / (2(1 - u))` for 0 ≤ u < 1, the divergence falls by at least :math:`t g - t^2 v
/ (2 (1 - \sigma t))`. At :math:`t = \min(1,\; g / (v + g\sigma))` this is at least
:math:`t g / 2`, for any d with h + d ≥ 0: if t < 1, then 1 - σt = v/(v + gσ), and the
bound is tg/2 itself; if t = 1, then v ≤ g (1 - σ), and it is at least g/2.
"""

from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from scipy.optimize import nnls

from rnmf_tutorial.fitting import Update
from rnmf_tutorial.solvers.coordinate import CoordinateDescent

# Rounds over the rows of a factor for each matrix of second derivatives; 4 to 8 do as
# well.
MODEL_ROUNDS = 6
# Entries of the data whose second derivatives are in memory at a time.
MODEL_BLOCK = 2**19


@dataclass(eq=False)
class KullbackLeiblerDescent(CoordinateDescent):
    """Coordinate descent as in its base class, for the Kullback-Leibler divergence.

    Parameters
    ----------
    normalize : {None, "l1", "l2"}, default=None
        The norm that the columns of W get after each sweep.
    exact : bool, default=False
        Whether `update_H` minimizes the second-order models exactly, and leaves
        missing entries out of them. Then few updates reach the minimum for a fixed W,
        however similar the columns of W are.
    """

    exact: bool = False

    def update(self, work, loss, comparison, memory):
        """Return W and H after a step on each, and how much the loss falls at least."""
        M, Y, d = self._cleaned_product(work, loss, comparison)
        H, first_fall = descend_columns(M, comparison.W, comparison.H * d, Y)
        Wt, second_fall = descend_columns(M.T, H.T, comparison.W.T, Y.T)
        return Update(Wt.T, H / d, fall=loss.factor * (first_fall + second_fall))

    def update_H(self, work, loss, comparison):
        """Return the next H for a fixed W."""
        M, Y, d = self._cleaned_product(work, loss, comparison)
        H = comparison.H * d
        if self.exact:
            H, _ = descend_columns(M, comparison.W, H, Y, solve_models, work.mask)
        else:
            H, _ = descend_columns(M, comparison.W, H, Y)
        return H / d

    def _cleaned_product(self, work, loss, comparison):
        """Return the cleaned data, WH, and the factors that both are multiplied by.

        The divergence is homogeneous: to weigh a sample, multiply its data and its H.
        The steps update WH in place.
        """
        M, f, d = loss.cleaned(work, comparison)
        if f is not None:
            raise ValueError(
                "Coordinate descent for the Kullback-Leibler divergence has no weights of "
                "features; take the multiplicative updates."
            )
        Y = work.as_matrix(work.WH)
        if d is None:
            return M, Y, 1
        # M may be the data themselves, which must stay as they are.
        return np.multiply(M, d, out=work.energies), np.multiply(Y, d, out=Y), d


@singledispatch  # on the kind of M
def descend_columns(M, W, H, Y, minimize=None, mask=None):
    r"""Take a damped step in every column of H toward the minimum of :math:`D(M \Vert WH)`.

    Parameters
    ----------
    M : ndarray of shape (n_features, n)
        Non-negative.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n)
        Not changed.
    Y : ndarray of shape (n_features, n)
        The product WH; it is updated for the new H.
    minimize : callable, optional
        How to minimize the second-order models: :func:`minimize_models` by default, or
        :func:`solve_models`.
    mask : ndarray of bool of shape (n_features, n), optional
        True where an entry is missing. M must equal Y there. These entries are left out
        of the second derivatives, so that they make no step shorter.

    Returns
    -------
    H : ndarray of shape (r, n)
        Zeros can become positive. A row whose column of W is zero is unchanged.
    fall : float
        A lower bound of the fall of the divergence, up to rounding.

    Examples
    --------
    >>> M, W, H = np.array([[2.0], [5.0]]), np.eye(2), np.ones((2, 1))
    >>> for _ in range(9):
    ...     H, _ = descend_columns(M, W, H, W @ H)
    >>> H.round(6).ravel().tolist()
    [2.0, 5.0]
    """
    minimize = minimize_models if minimize is None else minimize
    H = np.array(H, order="C")
    Wt = np.ascontiguousarray(W.T)
    pairs, place = pairs_of(Wt)
    sums = Wt.sum(axis=1)
    rows = np.flatnonzero(sums)
    limits = np.finfo(M.dtype)
    tiny = limits.tiny
    # If y is zero, m / y² is too large for a float. It is clipped; the step is
    # shortened anyway.
    most = limits.max / (1e3 * max(pairs.sum(axis=1).max(initial=0), 1))
    fall = 0.0
    width = max(1, MODEL_BLOCK // max(len(W), len(pairs)))
    # Three arrays in the memory order of M, used again for every block of columns.
    all_floored = np.empty_like(M[:, :width])
    all_R = np.empty_like(M[:, :width])
    all_change = np.empty_like(M[:, :width])
    for first in range(0, H.shape[1], width):
        columns = slice(first, first + width)
        m = M[:, columns]
        y = Y[:, columns]
        h = H[:, columns]
        floored = all_floored[:, : m.shape[1]]
        R = all_R[:, : m.shape[1]]
        change = all_change[:, : m.shape[1]]

        # The gradient and the second derivatives, then the minimum of the model.
        np.divide(m, np.clip(y, tiny**0.25, np.inf, out=floored), out=R)
        slope = Wt @ R - sums[:, None]
        np.divide(R, floored, out=R)
        np.minimum(R, most, out=R)
        if mask is not None:
            R[mask[:, columns]] = 0
        d = minimize((pairs @ R)[place], slope, h, rows) - h

        # The length t of the step.
        np.matmul(d.T, Wt, out=change.T)
        s = np.divide(change, floored, out=floored)
        s *= np.sign(m, out=R)  # where m is zero, the divergence is linear
        if mask is not None:
            s[mask[:, columns]] = 0
        sigma = -s.min(axis=0, initial=0)
        s *= s
        s *= m
        gain = np.clip(np.einsum("kj,kj->j", slope, d), 0, np.inf)
        t = gain / np.maximum(s.sum(axis=0) + gain * sigma, np.maximum(gain, tiny))

        fall += float(gain @ t) / 2
        np.clip(h + t * d, 0, np.inf, out=h)
        change *= t
        y += change
    return H, fall


def pairs_of(Wt):
    """Return the products of all pairs of rows, and the index of each pair in a matrix."""
    first, second = np.triu_indices(len(Wt))
    pairs = Wt[first] * Wt[second]
    place = np.empty((len(Wt), len(Wt)), int)
    place[first, second] = np.arange(len(pairs))
    place[second, first] = np.arange(len(pairs))
    return pairs, place


def minimize_models(hessian, slope, h, rows):
    """Minimize each column's second-order model over h ≥ 0, coordinate by coordinate."""
    target = slope + np.einsum("klj,lj->kj", hessian, h)
    diagonal = np.einsum("kkj->kj", hessian)
    inverse = 1 / np.clip(diagonal, np.finfo(h.dtype).tiny ** 0.5, np.inf)
    diagonal[:] = 0
    h = np.array(h)
    for _ in range(MODEL_ROUNDS):
        for k in rows:
            best = np.einsum("lj,lj->j", hessian[k], h)
            np.subtract(target[k], best, out=best)
            best *= inverse[k]
            np.clip(best, 0, np.inf, out=h[k])
    return h


def solve_models(hessian, slope, h, rows):
    """Minimize each column's second-order model over h ≥ 0, exactly by an active set."""
    r = len(h)
    G = np.moveaxis(hessian, -1, 0).astype(np.float64)
    h = h.T.astype(np.float64)
    every = np.arange(r)
    # A little more on the diagonal: G may be singular. The minimum of the divergence is
    # still where the steps end, because this only adds to the cost of a step.
    diagonal = G[:, every, every]
    largest = np.maximum(diagonal.max(axis=1), np.finfo(h.dtype).tiny ** 0.5)
    ridge = np.sqrt(np.finfo(hessian.dtype).eps) / 10
    G[:, every, every] = diagonal + ridge * largest[:, None]
    roots = np.linalg.cholesky(G)
    targets = slope.T + np.einsum("jkl,jl->jk", G, h)
    targets = np.linalg.solve(roots, targets[:, :, None])[:, :, 0]
    best = np.zeros_like(slope)
    for j, (root, target) in enumerate(zip(roots, targets, strict=True)):
        best[:, j] = nnls(root.T, target, maxiter=100 * r)[0]
    return best

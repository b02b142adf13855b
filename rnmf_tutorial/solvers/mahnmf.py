"""The sum of absolute errors: Nesterov steps on a smoothed sum, and linear programs."""

from typing import NamedTuple

import numpy as np

from rnmf_tutorial.arithmetic import product, ratio, residual
from rnmf_tutorial.fitting import Loss, Solver, Update
from rnmf_tutorial.losses import Comparison
from rnmf_tutorial.solvers.nesterov import (
    lipschitz_bound,
    optimal_gradient,
    weighted_grams,
)

# The smoothing falls to a thousandth within 60 sweeps, each of 20 gradient steps per
# factor.
SMOOTHED_SWEEPS = 60
_LEAST_SMOOTHING = 1e-3
SMOOTHED_STEPS = 20
_LEAST_TOL = 1e-12  # below it the gap is rounding, and the next step can give NaN


def absolute_error(X, W, H, axis=None):
    r"""Sum of the absolute residuals :math:`\lVert X - WH \rVert_1`, or its parts.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    axis : {None, 0, 1}, default=None
        0 gives the sum of every column, 1 that of every row.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> import numpy as np
    >>> float(absolute_error(np.array([[1.0, 5.0]]), np.array([[1.0]]), np.array([[2.0, 2.0]])))
    4.0
    """
    E = residual(X, W, H)
    return np.abs(E, out=E).sum(axis=axis)


def least_absolute(X, W, *, tol=1e-10, max_iter=100):
    r"""Solve :math:`\min_{h \ge 0} \lVert x - W h\rVert_1` for every column x of X.

    Each is a linear program, with the error split into u - v,

    .. math:: \min \sum_i (u_i + v_i) \quad\text{with}\quad Wh + u - v = x, \quad h, u, v \ge 0,

    whose dual is to maximize :math:`x^T y` with :math:`-1 \le y \le 1` and :math:`W^T y
    \le 0`. At the solution the products h z with :math:`z = -W^T y`, u (1 - y) and v (1
    + y) are zero. Mehrotra's predictor-corrector method follows the path on which they
    are equal and positive. Each step solves a weighted least-squares problem of the
    size of h; one product gives the normal matrices of all columns. About fifteen steps
    reach full precision.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
        Non-negative.
    W : ndarray of shape (n_features, r)
        Non-negative.
    tol : float, default=1e-10
        A column stops when its duality gap, which bounds its distance from the optimum,
        is this fraction of its error, or of its largest entry if that is more. Values
        below 1e-12 are replaced by 1e-12, because the gap is then rounding.
    max_iter : int, default=100
        Largest number of steps.

    Returns
    -------
    ndarray of shape (r, n_samples)

    References
    ----------
    Mehrotra, *On the implementation of a primal-dual interior point method*, 1992.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0], [9.0]])
    >>> least_absolute(X, np.ones((3, 1))).round(6)
    array([[2.]])
    """
    x_unit = np.where(X.any(axis=0), X.max(axis=0), 1).astype(float)
    w_unit = np.where(W.any(axis=0), W.max(axis=0), 1).astype(float)
    W_scaled = W / w_unit
    H, vertices = np.zeros((2, W.shape[1], X.shape[1]))
    active = np.flatnonzero(
        X.any(axis=0) & W.any()
    )  # a column of zeros has the solution zero
    path = _start(X[:, active] / x_unit[active], W_scaled)
    tol = max(tol, _LEAST_TOL)
    for _ in range(max_iter):
        moving = path.gap() > tol * np.maximum(
            path.u.sum(axis=0) + path.v.sum(axis=0), 1
        )
        done = active[~moving]
        H[:, done] = h = path.h[:, ~moving]
        vertices[:, done] = np.where(h > path.z[:, ~moving], h, 0)
        if not moving.any():
            break
        if not moving.all():
            active = active[moving]
            path = _Path(*(part[:, moving] for part in path))
        path = path.advanced(W_scaled)
    else:
        H[:, active] = vertices[:, active] = path.h
    H = H * x_unit / w_unit[:, None]
    vertices = vertices * x_unit / w_unit[:, None]
    no_worse = absolute_error(X, W, vertices, axis=0) <= absolute_error(X, W, H, axis=0)
    return np.where(no_worse, vertices, H).astype(X.dtype)


def _start(x, W):
    """Return an interior point; it need not satisfy the equations of the program."""
    h = np.tile(ratio(x.sum(axis=0), W.sum(keepdims=True)[0]) + 1e-3, (W.shape[1], 1))
    E = residual(x, W, h)
    y = np.full_like(E, -0.1)
    z = 0.1 * W.sum(axis=0)[:, None] + np.full_like(h, 1e-3)
    return _Path(x, h, np.maximum(E, 0) + 0.1, np.maximum(-E, 0) + 0.1, y, z)


class _Path(NamedTuple):
    """The current point (h, u, v; y, z) of every column of x."""

    x: np.ndarray
    h: np.ndarray
    u: np.ndarray
    v: np.ndarray
    y: np.ndarray
    z: np.ndarray

    def gap(self):
        """Return the sums of the products that vanish at the solution."""
        _, h, u, v, y, z = self
        return (
            (h * z).sum(axis=0) + (u * (1 - y)).sum(axis=0) + (v * (1 + y)).sum(axis=0)
        )

    def moved(self, step, keep=0.0):
        """Return the points after as much of a step as keeps all parts positive.

        The share of the step is at most one. It is one number for h, u and v, and another
        for y and z. Each part keeps at least the share `keep` of its size.
        """
        x, h, u, v, y, z = self
        dh, du, dv, dy, dz = step
        # How fast the parts fall: one that falls at the rate one is zero after the step.
        primal_rates = np.vstack([-dh / h, -du / u, -dv / v])
        dual_rates = np.vstack([-dz / z, dy / (1 - y), -dy / (1 + y)])
        primal = (1 - keep) / np.maximum(primal_rates.max(axis=0), 1 - keep)
        dual = (1 - keep) / np.maximum(dual_rates.max(axis=0), 1 - keep)
        return _Path(
            x,
            h + primal * dh,
            u + primal * du,
            v + primal * dv,
            y + dual * dy,
            z + dual * dz,
        )

    def advanced(self, W):
        """Return the points after one predictor-corrector step."""
        _, h, u, v, y, z = self
        gap = self.gap()
        direction = _newton(self, W)
        dh, du, dv, dy, dz = step = direction(-h * z, -u * (1 - y), -v * (1 + y))
        ahead = self.moved(step).gap()
        center = (ahead / gap) ** 3 * gap / (len(h) + 2 * len(u))
        step = direction(
            center - h * z - dh * dz,
            center - u * (1 - y) + du * dy,
            center - v * (1 + y) - dv * dy,
        )
        return self.moved(step, keep=0.005)


def _newton(path, W):
    """Return what solves the linear equations of a step, reduced to dh, for either direction."""
    x, h, u, v, y, z = path
    theta = u / (1 - y) + v / (1 + y)
    grams = weighted_grams(W, 1 / theta)
    k = np.arange(len(h))
    ridge = 1e-14 * grams[:, k, k].max(axis=1, keepdims=True)
    grams[:, k, k] += (z / h).T + ridge
    primal = residual(x, W, h) - u + v
    dual = -(W.T @ y) - z

    def direction(hz, u_low, v_high):
        """Return the step that changes the three products by these amounts, to first order."""
        t = (primal - u_low / (1 - y) + v_high / (1 + y)) / theta
        right = hz / h - dual + W.T @ t
        dh = np.linalg.solve(grams, right.T[:, :, None])[:, :, 0].T
        dy = t - product(W, dh) / theta
        return (
            dh,
            (u_low + u * dy) / (1 - y),
            (v_high - v * dy) / (1 + y),
            dy,
            dual - W.T @ dy,
        )

    return direction


class AbsoluteLoss(Loss):
    """The loss: the sum of absolute errors."""

    def compare(self, work, W, H, memory=None, products=None, *, fill=True):
        """Return W and H; nothing else needs to be known there."""
        return Comparison(work.X, W, H)

    def total(self, work, comparison):
        """Return the sum."""
        return float(absolute_error(work.X, comparison.W, comparison.H))


class Smoothing(NamedTuple):
    """What the solver remembers: the smoothing at the start, and the sweeps done."""

    first: float
    done: int


class SmoothedUpdates(Solver):
    """Improve H, then W: first by steps on a smoothed error, at the end exactly.

    The first smoothing is the mean absolute error of the start.

    Parameters
    ----------
    exact : bool
        Whether sweeps after the first 60 solve linear programs.
    """

    def __init__(self, exact):
        self.exact = exact

    def update(self, work, loss, comparison, memory):
        """Return the next W and H."""
        X, W, H = work.X, comparison.W, comparison.H
        if memory is None:
            mean_error = float(absolute_error(X, W, H)) / X.size
            memory = Smoothing(first=mean_error, done=0)
        if self.exact and memory.done >= SMOOTHED_SWEEPS:
            mu = None
        else:
            share = min(memory.done / SMOOTHED_SWEEPS, 1)
            mu = memory.first * _LEAST_SMOOTHING**share
        H = improved(X, W, H, mu)
        Wt = improved(X.T, H.T, W.T, mu)
        return Update(Wt.T, H, memory=Smoothing(memory.first, memory.done + 1))

    def update_H(self, work, loss, comparison):
        """Solve the linear program of every sample."""
        return least_absolute(work.X, comparison.W)


def improved(X, W, H, mu):
    """Return H after steps with smoothing μ, or the best H if it is None; a column may not rise."""
    H_new = least_absolute(X, W) if mu is None else smoothed_H(X, W, H, mu)
    better = absolute_error(X, W, H_new, axis=0) < absolute_error(X, W, H, axis=0)
    return np.where(better, H_new, H)


def smoothed_H(X, W, H, mu):
    r"""Return H after Nesterov steps on the smoothed error, with W held fixed.

    The smoothed absolute value is :math:`e^2 / 2\mu` for :math:`|e| \le \mu` and
    :math:`|e| - \mu/2` beyond. Its slope, the residual over μ clipped to ±1, changes by
    at most 1/μ times the residual, so that :math:`\lVert W \rVert^2 / \mu` is a
    Lipschitz constant.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    mu : float
        The smoothing μ, in the units of X.

    Returns
    -------
    ndarray of shape (r, n_samples)
    """
    L = lipschitz_bound(W.T @ W)
    E = np.empty_like(X)

    def descend(H):
        slopes = np.clip(residual(X, W, H, out=E), -mu, mu, out=E)
        return H + ratio(W.T @ slopes, L)

    start = np.where(X.any(axis=0), H, 0)  # zero is best for a column of zeros
    return optimal_gradient(descend, start, target=0.0, max_iter=SMOOTHED_STEPS)

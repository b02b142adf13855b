r"""The losses: divergence × group × φ.

The energy of a group g of entries is :math:`u_g = \sum_{i \in g} d(x_i, (WH)_i)`, with
a divergence d. With a concave φ and a number c, the loss is

.. math:: \ell(W, H) = \sum_g c^p\,\varphi(u_g / c).

For squares c = scale². For Kullback-Leibler, which has the unit of the data, c = scale.
The power p is 1, or 1/2 if φ is a function of lengths. The weight of an entry is the
derivative of ℓ by its divergence.

:class:`WeightedLoss` is such a loss. The protocols :class:`Curve`, :class:`Divergence`
and :class:`Group`, at the end of the module, list what a φ, a divergence and a group
need.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.sparse import issparse

from rnmf_tutorial.arithmetic import (
    BLOCK,
    inner,
    product,
    ratio,
)
from rnmf_tutorial.fitting import Loss, Work

# ‖X - WH‖² is computed as a sum of three traces. Below this share of ‖X‖² rounding
# leaves the sum fewer than about ten digits (in float32 fewer than about four).
CANCELLATION = {np.dtype("f8"): 1e-6, np.dtype("f4"): 1e-3}

# What replaces a weight of zero: the cube root of the smallest normal number, 3e-103 in
# float64 and 2e-13 in float32. The update of a sample whose weights are all zero would be
# 0/0; with equal positive weights it is the update of plain NMF.
SMALLEST_WEIGHT = {
    dtype: float(np.cbrt(np.finfo(dtype).tiny))
    for dtype in (np.dtype("f8"), np.dtype("f4"))
}


# --------------------------------------------------------------- what a loss is made of


class Curve(Protocol):
    """A concave, increasing function φ of u, an energy divided by c.

    Its slope is at most one, and one at u = 0: a small residual costs its divergence. (The
    roots, φ(u) = √u, are for groups of more than one entry.) The arrays keep their dtype.
    """

    @property
    def power(self) -> float:
        """The loss is the sum of c to this power times φ(u / c): 1, or 1/2 if φ grows like √u."""

    def value(self, u: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return φ(u) in a new array; q is the slope φ'(u), which can save work."""

    def slope(self, u: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return φ'(u), in the memory of `out` if that is convenient; u stays as it is."""

    # Two members are optional. A model that needs a missing one raises an error:
    #
    # multiple: float
    #     With scale=None, the scale is this number times the median absolute residual. For
    #     Kullback-Leibler it is the square of this number times the median divergence.
    # estimate(energies, previous=None) -> float
    #     With scale="published", the c for the energies, which are not divided by a c and
    #     must stay as they are; `previous` is the c of the sweep before, None at the start.


class Divergence(Protocol):
    """A Bregman divergence d(x, y) of an entry x of the data from its fit y."""

    @property
    def power(self) -> float:
        """c is the scale to this power: 2 for squares, 1 for Kullback-Leibler."""

    def of_entries(self, X: np.ndarray, WH: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Return the divergence of every entry, in `out`."""

    def total(self, work: Work, comparison: "Comparison") -> float:
        """Return the sum of the divergences of all entries."""

    def parts_of_H(
        self, work: Work, comparison: "Comparison", Q: np.ndarray | None
    ) -> tuple:
        """Return numerator and denominator of Lee and Seung's update of H, weights Q."""

    def parts_of_W(
        self, work: Work, comparison: "Comparison", Q: np.ndarray | None
    ) -> tuple:
        """Return numerator and denominator of Lee and Seung's update of W, weights Q."""


class Group(Protocol):
    """The groups, as a matrix K: the energies are K times the divergences of entries.

    For single entries K is the identity. For samples, each row of K adds up a column of X.
    """

    @property
    def by_entry(self) -> bool:
        """Whether there is one energy for each entry.

        Then the product WH is in `work.WH`; otherwise a group of squares computes what
        it needs from the comparison's products.
        """

    def energies(
        self, divergence: Divergence, work: Work, comparison: "Comparison"
    ) -> np.ndarray:
        """Return the energy of every group, in an array that may be overwritten."""

    def zeros(self, work: Work) -> np.ndarray:
        """Return True for every group whose data are all zero."""

    def weights(self, derivatives: np.ndarray) -> np.ndarray:
        """Return the weights of the entries, Kᵀ times the derivatives of the loss.

        They are positive, and have a shape that broadcasts to X.
        """

    def clean(self, work: Work, derivatives: np.ndarray) -> tuple:
        """Return cleaned data M, weights f of features and d of samples.

        f or d is None if all are one. The sum of f_i d_j times the divergence of M_ij from
        (WH)_ij, plus a constant, must be at least the loss everywhere, and equal to it at
        the factors of the comparison.
        """


def median(values):
    """Return the median of an array, or zero if it is empty. Its order changes.

    This takes an eighth of the time of `np.median`.

    Examples
    --------
    >>> float(median(np.array([3.0, 1.0, 2.0]))), float(median(np.array([3.0, 1.0])))
    (2.0, 2.0)
    """
    values = values.ravel(order="K")
    if not len(values):
        return 0.0
    k = len(values) // 2
    values.partition(k)
    if len(values) % 2:
        return values[k]
    return (values[:k].max() + values[k]) / 2


# ------------------------------------------------------------------- φ


class Huber:
    """φ(u) = u up to one, 2√u - 1 beyond."""

    power = 1
    multiple = 1.5

    def value(self, u, q):
        """Return u q (2 - q), which equals φ(u) on both sides of one."""
        return (2 - q) * q * u

    def slope(self, u, out=None):
        """Return min(1, 1/√u)."""
        root = np.clip(u, 1, np.inf, out=out)
        return np.divide(1, np.sqrt(root, out=root), out=root)

    def estimate(self, u, previous=None):
        r"""Return the squared median of \|E\|."""
        return median(np.sqrt(u)) ** 2


class Hypersurface:
    """φ(u) = 2 (√(1 + u) - 1)."""

    power = 1
    multiple = 1.5

    def value(self, u, q):
        """Return 2 u q / (1 + q), which keeps its digits for small u."""
        value = q + 1
        np.divide(q, value, out=value)
        return np.multiply(np.multiply(value, u, out=value), 2, out=value)

    def slope(self, u, out=None):
        """Return 1 / √(1 + u)."""
        root = np.add(u, 1, out=out)
        return np.divide(1, np.sqrt(root, out=root), out=root)

    estimate = Huber.estimate


class Cauchy:
    """φ(u) = ln(1 + u)."""

    power = 1
    multiple = 3.5

    def value(self, u, q):
        """Return ln(1 + u)."""
        return np.log1p(u)

    def slope(self, u, out=None):
        """Return 1 / (1 + u)."""
        q = np.add(u, 1, out=out)
        return np.divide(1, q, out=q)

    def estimate(self, u, previous=None):
        """Take one step of Nagy's iteration (18) from `previous`; if None, iterate to the end."""
        if previous is not None:
            return self.nagy_step(u, previous)
        c = float(u.mean())
        before = 0.0
        for _ in range(100):
            if c == 0 or abs(np.sqrt(c) - np.sqrt(before)) <= 1e-6 * np.sqrt(before):
                break
            before = c
            c = self.nagy_step(u, c)
        return c

    def nagy_step(self, u, c):
        """Return the next c, the squared γ of (18)."""
        q = u * (1 / c)
        return c * max(1 / float(Cauchy.slope(self, q, out=q).mean()) - 1, 0)


class Correntropy:
    """φ(u) = 2 (1 - exp(-u/2)), the correntropy-induced metric."""

    power = 1
    multiple = 6.0

    def value(self, u, q):
        """Return 2 (1 - exp(-u/2))."""
        value = np.multiply(u, -0.5)
        return np.multiply(np.expm1(value, out=value), -2, out=value)

    def slope(self, u, out=None):
        """Return exp(-u/2)."""
        q = np.multiply(u, -0.5, out=out)
        least = float(np.log(SMALLEST_WEIGHT[u.dtype]))
        np.clip(q, least, np.inf, out=q)  # denormal numbers are slow
        return np.exp(q, out=q)

    def estimate(self, u, previous=None):
        """Return half the mean of E², the square of the published kernel size."""
        return u.mean() / 2


class Root:
    """φ(u) = √u, for lengths."""

    power = 0.5

    def value(self, u, q):
        """Return u q + 1 / (4 q), which is √u; if u was floored for q, the tangent at the floor."""
        return u * q + 1 / (4 * q)

    def slope(self, u, out=None):
        """Return 1 / (2 √u)."""
        return 0.5 / np.sqrt(u)


class CappedRoot:
    """φ(u) = min(√u, 1), for lengths."""

    power = 0.5

    def value(self, u, q):
        """Return √u up to one, and one beyond, where q is zero."""
        inside = q > 0
        return np.where(inside, u * q + 1 / (4 * np.where(inside, q, 1)), 1)

    def slope(self, u, out=None):
        """Return 1 / (2 √u) up to one, and zero beyond."""
        return np.where(u <= 1, 0.5 / np.sqrt(u), 0).astype(u.dtype)

    def estimate(self, u, previous=None):
        """Return c for a cap of three times the median length."""
        return (3 * float(np.median(np.sqrt(u)))) ** 2


# --------------------------------------------------------------- a comparison


class Comparison:
    """What a loss and a solver need to know at W and H.

    Small products of the factors and the data are computed when they are first needed.
    A new comparison is made for other factors, so none of them is ever out of date.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    products : dict, optional
        Name -> product, for those that are known already: "WtW", "WtX", "HHt", "XHt".

    Attributes
    ----------
    u : ndarray or None
        The energies of the groups, divided by c; None for a loss without φ.
    slopes : ndarray or None
        φ′ at `u`.
    derivatives : ndarray or None
        The derivatives of the loss by the energies: the slopes themselves, unless φ grows
        like √u.

    Examples
    --------
    >>> X, W, H = np.ones((3, 2)), np.ones((3, 1)), np.ones((1, 2))
    >>> Comparison(X, W, H).WtX
    array([[3., 3.]])
    """

    def __init__(self, X, W, H, products=None):
        self.X = X
        self.W = W
        self.H = H
        self.u = None
        self.slopes = None
        self.derivatives = None
        for name in ("WtW", "WtX", "HHt", "XHt"):
            if name in (products or {}):
                setattr(self, name, products[name])

    WtW = cached_property(lambda self: self.W.T @ self.W)
    WtX = cached_property(lambda self: self.W.T @ self.X)
    HHt = cached_property(lambda self: self.H @ self.H.T)
    XHt = cached_property(lambda self: self.X @ self.H.T)

    def computed(self, *names):
        """Return the small products that have been computed, or some of them, by name."""
        names = names or ("WtW", "WtX", "HHt", "XHt")
        return {name: vars(self)[name] for name in names if name in vars(self)}


# --------------------------------------------------------------- divergences
#
# Both are Bregman divergences with the data as first argument. So for the cleaned entry
# m = q x + (1 - q) y', d(m, y) - d(m, y') = q [d(x, y) - d(x, y')] + (1 - q) d(y', y).


class Squares:
    """The squared distance d(x, y) = (x - y)²."""

    power = 2

    def __reduce__(self):
        # A copy from a pickle is this very object, which `is` may compare.
        return "SQUARES"

    def of_entries(self, X, WH, out):
        """Return the divergences, entry by entry."""
        np.subtract(X, WH, out=out)
        return np.multiply(out, out, out=out)

    def total(self, work, comparison):
        """Return ‖X - WH‖², from small products unless rounding leaves too few digits."""
        W, H = comparison.W, comparison.H
        if "XHt" in vars(comparison):
            cross = inner(comparison.XHt.astype(float), W.astype(float))
        else:
            cross = inner(comparison.WtX.astype(float), H.astype(float))
        fitted = inner(comparison.WtW.astype(float), comparison.HHt.astype(float))
        squares = work.complete_squares
        error = squares - 2 * cross + fitted
        if error > CANCELLATION[W.dtype] * squares:
            return error
        return sum(inner(E, E) for _, E in residuals(comparison.X, W, H))

    def parts_of_H(self, work, comparison, Q):
        """Return Wᵀ(Q ⊙ X) and Wᵀ(Q ⊙ WH), the parts of (9).

        The weight of a whole sample cancels out.
        """
        W, H = comparison.W, comparison.H
        if Q is None or Q.shape[0] == 1:
            return comparison.WtX, comparison.WtW @ H
        if Q.shape[1] == 1:
            QW = Q * W
            return QW.T @ comparison.X, (QW.T @ W) @ H
        QX = np.multiply(Q, work.X, out=work.energies)
        QWH = np.multiply(Q, work.WH, out=work.WH)
        return W.T @ QX, W.T @ QWH

    def parts_of_W(self, work, comparison, Q):
        """Return (Q ⊙ X)Hᵀ and (Q ⊙ WH)Hᵀ; the weight of a whole feature cancels out."""
        X, W, H = comparison.X, comparison.W, comparison.H
        if Q is not None and comparison.slopes.ndim == 2:
            # Each entry has its own weight. In a chunk with a single sample, too: its
            # sums are added to those of others.
            QX = np.multiply(Q, work.X, out=work.energies)
            QWH = np.multiply(Q, work.WH, out=work.WH)
            return QX @ H.T, QWH @ H.T
        if Q is not None and Q.shape[0] == 1:
            HQ = H * Q
            return X @ HQ.T, W @ (HQ @ H.T)
        return comparison.XHt, W @ comparison.HHt


class KullbackLeibler:
    """The generalized Kullback-Leibler divergence d(x, y) = x ln(x/y) - x + y."""

    power = 1

    def __reduce__(self):
        return "KULLBACK_LEIBLER"

    def of_entries(self, X, WH, out):
        """Return the divergences, entry by entry, at least zero."""
        d = ratio(X, WH, out=out)
        np.clip(d, np.finfo(X.dtype).tiny, np.inf, out=d)
        np.log(d, out=d)
        d *= X
        d -= X
        d += WH
        return np.clip(d, 0, np.inf, out=d)

    def total(self, work, comparison):
        """Return D(X ‖ WH)."""
        total = kl_divergence(work.entries, work.WH)
        if work.has_other_zeros:
            total += work.rest(self, comparison.W, comparison.H)
        return total

    def parts_of_H(self, work, comparison, Q):
        """Return Wᵀ(Q ⊙ X / WH) and WᵀQ, the two parts of (10)."""
        W = comparison.W
        R = self._quotient(work, Q)
        if Q is None:
            return W.T @ R, W.sum(axis=0)[:, None]
        return W.T @ R, W.T @ np.broadcast_to(Q, R.shape)

    def parts_of_W(self, work, comparison, Q):
        """Return (Q ⊙ X / WH)Hᵀ and QHᵀ, the two parts of (11)."""
        H = comparison.H
        R = self._quotient(work, Q)
        if Q is None:
            return R @ H.T, H.sum(axis=1)
        return R @ H.T, np.broadcast_to(Q, R.shape) @ H.T

    def _quotient(self, work, Q):
        R = ratio(work.entries, work.WH, out=work.energies)
        if Q is not None:
            np.multiply(Q, R, out=R)
        return work.as_matrix(R)


SQUARES = Squares()
KULLBACK_LEIBLER = KullbackLeibler()


def residuals(X, W, H, columns=None):
    """Yield blocks of columns of X - WH as (indices, block); all columns by default.

    X may be dense or sparse.
    """
    n = X.shape[1] if columns is None else len(columns)
    width = max(1, BLOCK // len(W))
    for first in range(0, n, width):
        block = slice(first, first + width)
        j = block if columns is None else columns[block]
        yield j, X[:, j] - product(W, H[:, j])


def kl_divergence(X, WH):
    r"""Generalized Kullback-Leibler divergence :math:`D(X \Vert WH)`.

    .. math:: \sum_{ij} \Bigl( X_{ij} \log \frac{X_{ij}}{(WH)_{ij}} - X_{ij} + (WH)_{ij} \Bigr),
              \qquad 0 \log 0 = 0.

    In the logarithm, WH is at least the square root of the smallest normal number. So
    the value stays finite where WH is zero and X is positive.

    Parameters
    ----------
    X, WH : ndarray of shape (n_features, n_samples)
        Non-negative.

    Returns
    -------
    float

    References
    ----------
    Zhang et al. (2011), equation (8).

    Examples
    --------
    >>> kl_divergence(np.array([[0.0, 1.0]]), np.array([[0.5, 1.0]]))
    0.5
    """
    log_ratio = ratio(X, WH)
    # A zero of X becomes the smallest normal number, whose logarithm times zero is
    # zero.
    np.clip(log_ratio, np.finfo(X.dtype).tiny, np.inf, out=log_ratio)
    np.log(log_ratio, out=log_ratio)
    return inner(X, log_ratio) - float(X.sum(dtype=float)) + float(WH.sum(dtype=float))


# --------------------------------------------------------------- groups


class Entries:
    """Every entry is a group: each has its own weight."""

    #: Whether there is one energy for each entry.
    by_entry = True

    def energies(self, divergence, work, comparison):
        """Return the divergence of every entry."""
        return divergence.of_entries(work.entries, work.WH, work.energies)

    def zeros(self, work):
        """Return True where the data are zero."""
        return np.equal(work.entries, 0)

    def weights(self, slopes):
        """Return the slopes as weights, all positive."""
        return np.clip(slopes, SMALLEST_WEIGHT[slopes.dtype], np.inf, out=slopes)

    def clean(self, work, slopes):
        """Return M = Q ⊙ X + (1 - Q) ⊙ WH, and weights of samples.

        If all weights of a sample are small, M is close to WH and the step would be
        very short. So a sample whose largest weight d is below one half is cleaned with
        Q / d, and gets the weight d.
        """
        q = slopes
        d = None
        if work.far_out is not None and not work.has_other_zeros:
            # The smallest weight times an absurd entry can still be a large number.
            far_out = work.far_out.features, work.far_out.samples
            q[far_out] *= q[far_out] > 2 * SMALLEST_WEIGHT[q.dtype]
        # Zeros that are not stored have the weight one, so no weight of a sample is
        # small.
        largest = np.ones(1) if work.has_other_zeros else q.max(axis=0)
        if largest.min(initial=1) < 0.5:
            if largest.min() == 0:
                # Only outliers: equal weights give a step of plain NMF.
                q[:, largest == 0] = SMALLEST_WEIGHT[q.dtype]
                largest = q.max(axis=0)
            tiny = np.finfo(q.dtype).tiny
            d = np.where(largest < 0.5, np.maximum(largest, tiny), 1)
            q = np.divide(q, d, out=q)
        X = work.entries
        WH = work.WH
        M = work.energies
        width = max(1, BLOCK // len(q))
        for first in range(0, q.shape[1], width):  # a block stays in the cache
            j = slice(first, first + width)
            m = np.subtract(X[:, j], WH[:, j], out=M[:, j])
            m *= q[:, j]
            m += WH[:, j]
        return work.as_matrix(M), None, d


class Lines:
    """A group is a whole sample (axis 0, a column of X) or a whole feature (axis 1)."""

    by_entry = False

    def __init__(self, axis):
        self.axis = axis

    def energies(self, divergence, work, comparison):
        r"""Return the sum of the divergences of every line.

        Squares need only small products:

        .. math:: \lVert e_j\rVert^2 = \lVert x_j\rVert^2
                  - 2\, h_j^T (W^Tx_j) + h_j^T (W^TW)\, h_j

        If a residual is shorter than a thousandth of the line, this sum loses
        digits to rounding. Then the residual itself is formed, so that the result keeps
        about ten digits.
        """
        if divergence is not SQUARES:
            entries = divergence.of_entries(work.entries, work.WH, work.energies)
            return entries.sum(axis=self.axis)
        if self.axis == 0:
            X, W, H = comparison.X, comparison.W, comparison.H
            WtX = comparison.WtX
            WtW = comparison.WtW
        else:
            X, W, H = comparison.X.T, comparison.H.T, comparison.W.T
            WtX = comparison.XHt.T
            WtW = comparison.HHt
        lengths = work.squared_lengths(self.axis)
        H64 = H.astype(float)
        cross = np.einsum("kj,kj->j", H64, WtX.astype(float))
        fitted = np.einsum("kj,kj->j", H64, WtW.astype(float) @ H64)
        squares = lengths - 2 * cross + fitted
        cancelled = np.flatnonzero(~(squares > CANCELLATION[W.dtype] * lengths))
        squares = np.maximum(squares, 0).astype(W.dtype, copy=False)
        if len(cancelled):
            for j, E in residuals(X, W, H, cancelled):
                squares[j] = np.einsum("ij,ij->j", E, E)
        return squares

    def zeros(self, work):
        """Return True for every line of zeros; missing entries do not count."""
        if work.mask is not None:
            return ~(np.not_equal(work.X, 0) & ~work.mask).any(axis=self.axis)
        return work.squared_lengths(self.axis) == 0

    def weights(self, slopes):
        """Return the slopes as positive weights, in a shape that broadcasts to X.

        They get a floor far below the smallest positive one. A line that fits exactly has
        a very large weight. So a floor relative to the largest weight would change the
        weights of other lines. If all weights are zero, all become one.
        """
        q = np.ones_like(slopes)
        positive = slopes[slopes > 0]
        if len(positive):
            q = np.maximum(slopes, SMALLEST_WEIGHT[slopes.dtype] * positive.min())
        return np.expand_dims(q, self.axis)

    def clean(self, work, slopes):
        """Return the unchanged data, and the weights of features and of samples."""
        weights = self.weights(slopes).ravel()
        if work.far_out is not None and slopes.any():
            # The smallest weight times an absurd entry can still be a large number.
            weights = np.where(slopes > 0, weights, 0)
        if self.axis == 0:
            return work.X, None, weights
        return work.X, weights, None


ENTRIES = Entries()
SAMPLES = Lines(0)
FEATURES = Lines(1)


# --------------------------------------------------------------- the loss


@dataclass(eq=False)
class WeightedLoss(Loss):
    r"""A loss made of a divergence, a group, a curve φ and a scale.

    Parameters
    ----------
    phi : Curve, optional
        The concave φ. None is φ(u) = u, the divergence itself.
    divergence : Divergence, default=SQUARES
    group : Group, default=ENTRIES
        Which entries share a weight.
    scale : float, optional
        In the units of the data; c is its square, or for Kullback-Leibler the scale
        itself.
    reestimated : bool, default=False
        If True, φ estimates c again after every sweep.
    every_zero : bool, default=False
        If True, this estimate is from all known entries (or lines), as in the papers.
        If False, zeros of the data that are fitted as zeros are left out.
    least : float, default=0.0
        A smaller energy gets the slope of this one, so that no weight becomes too
        large.
    unit : float, default=1.0
        The factor of ℓ in the objective.
    free_of_scale : bool, default=False
        If True, ℓ is also divided by c in the objective, as for correntropy.

    Examples
    --------
    >>> X, W, H = np.array([[1.0, 9.0]]), np.ones((1, 1)), np.ones((1, 2))
    >>> loss = WeightedLoss(Huber(), scale=2.0)
    >>> loss.value(X, W, H), loss.weights(X, W, H)
    (28.0, array([[1.  , 0.25]]))
    """

    phi: Curve | None = None
    divergence: Divergence = SQUARES
    group: Group = ENTRIES
    scale: float | None = None
    reestimated: bool = False
    every_zero: bool = False
    least: float = 0.0
    unit: float = 1.0
    free_of_scale: bool = False

    def __post_init__(self):
        # The scale in the units of the energies; one if there is no scale.
        self.c = 1.0
        if self.scale is not None:
            self.c = float(self.scale) ** self.divergence.power
        # The factor of ℓ in the objective.
        self.factor = self.unit / self.c if self.free_of_scale else self.unit
        # Whether the product WH is needed, or smaller products are enough.
        by_entry = self.phi is not None and self.group.by_entry
        self.needs_WH = self.divergence is not SQUARES or by_entry

    @property
    def of_squares(self):
        """Whether the energies are squares of residuals."""
        return self.divergence is SQUARES

    # The loop calls the next three; see the module `fitting`.

    def compare(self, work, W, H, memory=None, products=None, *, fill=True):
        """Compare the data with WH, and weigh the groups; return a :class:`Comparison`.

        Within a sweep, where missing entries keep their values, `fill` is False.
        """
        products = products or {}
        needed = self.needs_WH or (fill and work.mask is not None)
        if needed and "WH" not in products:
            work.multiply(W, H, fill)
        comparison = Comparison(work.X, W, H, products)
        if self.phi is None:
            return comparison
        energies = products.get("energies")
        if energies is None:
            energies = self.group.energies(self.divergence, work, comparison)
        u = np.multiply(energies, 1 / self.c, out=energies)
        floored = np.maximum(u, self.least / self.c) if self.least else u
        out = work.weights if self.group.by_entry else None
        q = self.phi.slope(floored, out=out)
        comparison.u = u
        comparison.slopes = q
        power = self.phi.power
        comparison.derivatives = q if power == 1 else q * self.c ** (power - 1)
        return comparison

    def total(self, work, comparison):
        """Return ℓ times its factor in the objective."""
        if self.phi is None:
            return self.factor * self.divergence.total(work, comparison)
        power = self.c**self.phi.power
        value = float(self.phi.value(comparison.u, comparison.slopes).sum())
        if work.has_other_zeros and self.group.by_entry:
            value += work.rest(self.divergence, comparison.W, comparison.H) / power
        return self.factor * power * value

    def rescaled(self, work, W, H, memory=None, products=None):
        """Return the loss with its scale estimated at W and H, and the comparison."""
        if not hasattr(self.phi, "estimate"):
            raise ValueError(
                f"scale='published' asks {type(self.phi).__name__} for a method "
                "estimate(u, previous), which returns c for the energies u. Write one, or "
                "give scale a number."
            )
        used, products = self.used_energies(work, W, H, products, self.every_zero)
        if self.least:
            used = np.maximum(used, self.least)
        c = self.phi.estimate(used, None if self.scale is None else self.c)
        # A residual below the rounding error of the data counts as zero.
        scale = max(float(c) ** (1 / self.divergence.power), work.rounding())
        loss = replace(self, scale=scale)
        return loss, loss.compare(work, W, H, memory, products)

    def used_energies(self, work, W, H, products=None, every_zero=False):
        """Return the energies from which a scale is estimated, and the products computed so far.

        Left out are missing entries and, unless `every_zero`, zeros of the data that are
        fitted as zeros: if these are more than half of the data, the median residual
        would be zero. If nothing would be left, all energies are returned.

        The energies can lie in an array of `work`, which the next comparison
        overwrites.
        """
        products = products or {}
        needed = self.needs_WH or work.mask is not None
        if needed and "WH" not in products:
            work.multiply(W, H)
        comparison = Comparison(work.X, W, H, products)
        u = self.group.energies(self.divergence, work, comparison)
        if every_zero:
            left_out = np.zeros_like(u, dtype=bool)
        else:
            rounding = work.rounding() ** self.divergence.power
            left_out = self.group.zeros(work) & (u <= rounding)
        if self.group.by_entry and work.mask is not None:
            left_out |= work.mask
        used = u
        if left_out.any() and not left_out.all():
            used = u.T[~left_out.T]  # X is in Fortran order
        return used, comparison.computed() | {"WH": True, "energies": u}

    # What solvers call besides.

    def positive_weights(self, comparison):
        """Return the weights in a shape that broadcasts to X; None if all are one.

        No weight is zero, so that a sample of outliers is still updated and can come
        back.
        """
        if self.phi is None:
            return None
        return self.group.weights(comparison.derivatives)

    def cleaned(self, work, comparison):
        r"""Return cleaned data M, and weights f, d: their divergence majorizes ℓ.

        :math:`\ell(W, H) \le \sum_{ij} f_i d_j\, d(M_{ij}, (WH)_{ij}) + \text{const}`
        everywhere, with equality at the factors of the comparison. So a step that does
        not raise the right side does not raise ℓ. f or d is None if all its entries are
        one. M and the weights lie in arrays of `work`, and the comparison's slopes
        change.
        """
        if self.phi is None:
            return work.X, None, None
        return self.group.clean(work, comparison.derivatives)

    # The same for arrays.

    def value(self, X, W, H):
        """Return the loss of W and H, times its factor in the objective.

        Parameters
        ----------
        X : ndarray or sparse array of shape (n_features, n_samples)
            NaN is a missing entry.
        W : ndarray of shape (n_features, r)
        H : ndarray of shape (r, n_samples)

        Returns
        -------
        float
        """
        work = work_for(X)
        return self.total(work, self.compare(work, W, H))

    def weights(self, X, W, H):
        """Return the weights at W and H in a shape that broadcasts to X, all positive.

        Parameters
        ----------
        X : ndarray of shape (n_features, n_samples)
            NaN is a missing entry.
        W : ndarray of shape (n_features, r)
        H : ndarray of shape (r, n_samples)

        Returns
        -------
        ndarray or None
            None if all weights are one.
        """
        work = work_for(X)
        return self.positive_weights(self.compare(work, W, H))

    def clean(self, X, W, H):
        """Return the cleaned data at W and H, and weights of features and of samples.

        Parameters
        ----------
        X : ndarray of shape (n_features, n_samples)
            NaN is a missing entry.
        W : ndarray of shape (n_features, r)
        H : ndarray of shape (r, n_samples)

        Returns
        -------
        M : ndarray of shape (n_features, n_samples)
        f : ndarray of shape (n_features,) or None
        d : ndarray of shape (n_samples,) or None
            None if all its weights are one.
        """
        work = work_for(X)
        return self.cleaned(work, self.compare(work, W, H))


def work_for(X, mask=None):
    """Return the :class:`~rnmf_tutorial.fitting.Work` of dense or sparse data.

    Without a mask, NaN is a missing entry; X itself is not changed.
    """
    if issparse(X):
        from rnmf_tutorial.sparse import SparseWork  # the core is for dense data

        return SparseWork(X)
    if mask is None and np.isnan(X).any():
        mask = np.isnan(X)
        X = np.where(mask, 0, X)
    return Work(X, mask)

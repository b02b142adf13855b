r"""The losses: divergence × group × φ.

The energy of a group g of entries is :math:`u_g = \sum_{i \in g} d(x_i, (WH)_i)`, with
a divergence d. With a concave φ and a number c, the loss is

.. math:: \ell(W, H) = \sum_g c^p\,\varphi(u_g / c).

For squares c = scale². For Kullback-Leibler, which has the unit of the data, c = scale.
The power p is 1, or 1/2 if φ is a function of lengths. The weight of an entry is the
derivative of ℓ by its divergence. The protocols for φ, a divergence and a group are at
the end of :mod:`rnmf_tutorial.core`.
"""

from dataclasses import dataclass, replace

import numpy as np

from rnmf_tutorial.core import (
    BLOCK,
    Curve,
    Divergence,
    Group,
    at_least,
    inner,
    product,
    ratio,
)

# ‖X - WH‖² is computed as a sum of three traces. Below this share of ‖X‖² rounding
# leaves the sum fewer than about ten digits (in float32 fewer than about four).
CANCELLATION = {np.dtype("f8"): 1e-6, np.dtype("f4"): 1e-3}


def smallest_weight(dtype):
    """Return the cube root of the smallest normal number: 3e-103 in float64, 2e-13 in float32.

    It replaces weights of zero. The update of a sample whose weights are all zero would
    be 0/0; with equal positive weights it is the update of plain NMF.
    """
    return float(np.cbrt(np.finfo(dtype).tiny))


def median(values):
    """Return the median of a vector, which is sorted in part: an eighth of the time of `np.median`.

    Examples
    --------
    >>> float(median(np.array([3.0, 1.0, 2.0]))), float(median(np.array([3.0, 1.0])))
    (2.0, 2.0)
    """
    k = len(values) // 2
    values.partition(k)
    return values[k] if len(values) % 2 else (values[:k].max() + values[k]) / 2


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
        root = at_least(u, 1, out=out)
        return np.divide(1, np.sqrt(root, out=root), out=root)

    def estimate(self, u, previous=None):
        r"""Return the squared median of \|E\|."""
        return median(np.sqrt(u).ravel(order="K")) ** 2


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
            c, before = self.nagy_step(u, c), c
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
        at_least(
            q, float(np.log(smallest_weight(u.dtype))), out=q
        )  # denormal numbers are slow
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


# ------------------------------------------------------------------- divergences
#
# Both are Bregman divergences with the data as first argument. So for m = q x + (1 - q)
# y', the cleaned entry, d(m, y) - d(m, y') = q [d(x, y) - d(x, y')] + (1 - q) d(y', y).


class Squares:
    """The squared distance d(x, y) = (x - y)²."""

    power = 2

    def __reduce__(self):
        return "SQUARES"  # a copy from a pickle is this very object, which `is` may compare

    def entries(self, point, out):
        """Return (X - WH)², entry by entry."""
        E = np.subtract(point.entries, point.WH, out=out)
        return np.multiply(E, E, out=E)

    def total(self, point):
        """Return ‖X - WH‖², from the small products unless rounding leaves too few digits."""
        product, factor = ("XHt", "W") if "XHt" in vars(point) else ("WtX", "H")
        names = product, factor, "WtW", "HHt"
        P, Z, WtW, HHt = (
            getattr(point, name).astype(np.float64, copy=False) for name in names
        )
        error = point.XX - 2 * inner(P, Z) + inner(WtW, HHt)
        if error > CANCELLATION[point.W.dtype] * point.XX:
            return error
        return sum(inner(E, E) for _, E in residuals(point.X, point.W, point.H))

    def of_share(self, share, level):
        """Return the divergence at a residual `share * level`."""
        return (share * level) ** 2

    def parts_of_H(self, point, Q):
        """Return Wᵀ(Q ⊙ X) and Wᵀ(Q ⊙ WH), the parts of (9); a sample's weight cancels out."""
        W, H = point.W, point.H
        if Q is None or Q.shape[0] == 1:
            return point.WtX, point.WtW @ H
        if Q.shape[1] == 1:
            QW = Q * W
            return QW.T @ point.X, (QW.T @ W) @ H
        QX, QWH = weighted(point, Q)
        return W.T @ QX, W.T @ QWH

    def parts_of_W(self, point, Q):
        """Return (Q ⊙ X)Hᵀ and (Q ⊙ WH)Hᵀ; a feature's weight cancels out."""
        W, H = point.W, point.H
        if (
            Q is not None and Q.shape == point.data.shape
        ):  # also where there is a single sample:
            QX, QWH = weighted(point, Q)  # its sums may be added to those of others
            return QX @ H.T, QWH @ H.T
        if Q is not None and Q.shape[0] == 1:
            HQ = H * Q
            return point.X @ HQ.T, W @ (HQ @ H.T)
        return point.XHt, W @ point.HHt


class KullbackLeibler:
    """The generalized Kullback-Leibler divergence d(x, y) = x ln(x/y) - x + y."""

    power = 1

    def __reduce__(self):
        return "KULLBACK_LEIBLER"

    def entries(self, point, out):
        """Return the divergences, entry by entry, at least zero."""
        X, WH = point.entries, point.WH
        d = np.log(
            at_least(ratio(X, WH, out=out), np.finfo(X.dtype).tiny, out=out), out=out
        )
        d *= X
        d -= X
        d += WH
        return at_least(d, 0, out=d)

    def total(self, point):
        """Return D(X ‖ WH)."""
        return kl_divergence(point.entries, point.WH) + point.zeros(self)

    def of_share(self, share, level):
        """Return twice the divergence at a small residual `share * level` of an entry `level`."""
        return share**2 * level

    def parts_of_H(self, point, Q):
        """Return Wᵀ(Q ⊙ X / WH) and WᵀQ, the two parts of (10)."""
        W, R = point.W, self._quotient(point, Q)
        return W.T @ R, W.sum(axis=0)[:, None] if Q is None else W.T @ np.broadcast_to(
            Q, R.shape
        )

    def parts_of_W(self, point, Q):
        """Return (Q ⊙ X / WH)Hᵀ and QHᵀ, the two parts of (11)."""
        H, R = point.H, self._quotient(point, Q)
        return R @ H.T, H.sum(axis=1) if Q is None else np.broadcast_to(
            Q, R.shape
        ) @ H.T

    def _quotient(self, point, Q):
        X, WH = point.entries, point.WH
        R = ratio(X, WH, out=point.array("u"))
        return point.matrix(R if Q is None else np.multiply(Q, R, out=R))


SQUARES = Squares()
KULLBACK_LEIBLER = KullbackLeibler()


def weighted(point, Q):
    """Return Q ⊙ X and Q ⊙ WH, in shared memory."""
    X, WH = point.X, point.WH
    QX = np.multiply(Q, X, out=point.array("u"))
    return QX, np.multiply(Q, WH, out=point.array("WH"))


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
    at_least(log_ratio, np.finfo(X.dtype).tiny, out=log_ratio)
    np.log(log_ratio, out=log_ratio)
    return inner(X, log_ratio) - float(X.sum(dtype=float)) + float(WH.sum(dtype=float))


# ------------------------------------------------------------------- groups


class Entries:
    """Every entry is a group: each has its own weight."""

    def energies(self, divergence, point):
        """Return the divergence of every entry, in shared memory."""
        return divergence.entries(point, point.array("u"))

    def informative(self, divergence, point, u):
        """Return the energies of the known entries without zeros that are fitted as zeros."""
        zeros = np.equal(point.entries, 0)
        return informative(zeros, u, point.rounding**divergence.power, point.mask)

    def weights(self, q):
        """Return the slopes as weights, all positive."""
        return at_least(q, smallest_weight(q.dtype), out=q)

    def clean(self, point, q):
        """Return M = Q ⊙ X + (1 - Q) ⊙ WH, and weights of samples.

        If all weights of a sample are small, M is close to WH and the step would be
        very short. So a sample whose largest weight d is below one half is cleaned with
        Q / d, and gets the weight d.
        """
        d = None
        largest = point.largest_weights(q)
        if largest.min(initial=1) < 0.5:
            if (
                largest.min() == 0
            ):  # only outliers: equal weights give a step of plain NMF
                q[:, largest == 0] = smallest_weight(q.dtype)
                largest = q.max(axis=0)
            d = np.where(largest < 0.5, np.maximum(largest, np.finfo(q.dtype).tiny), 1)
            q = np.divide(q, d, out=q)
        X = point.entries
        WH = point.WH
        M = point.array("u")
        width = max(1, BLOCK // len(q))
        for first in range(0, q.shape[1], width):  # a cache-sized block at a time
            j = slice(first, first + width)
            m = np.subtract(X[:, j], WH[:, j], out=M[:, j])
            m *= q[:, j]
            m += WH[:, j]
        return point.matrix(M), None, d


class Lines:
    """A group is a whole sample (axis 0, a column of X) or a whole feature (axis 1, a row)."""

    def __init__(self, axis):
        self.axis = axis

    def energies(self, divergence, point):
        r"""Return the sum of the divergences of every line; squares need only small products.

        .. math:: \lVert e_j\rVert^2 = \lVert x_j\rVert^2 - 2\, h_j^T (W^Tx_j) + h_j^T (W^TW)\, h_j

        If a residual is shorter than a thousandth of the line, rounding spoils this
        sum. Then the residual itself is formed, so that the result keeps about ten
        digits.
        """
        if divergence is not SQUARES:
            return divergence.entries(point, point.array("u")).sum(axis=self.axis)
        if self.axis == 0:
            X = point.X
            W = point.W
            H = point.H
            WtX = point.WtX
            WtW = point.WtW
        else:
            X = point.X.T
            W = point.H.T
            H = point.W.T
            WtX = point.XHt.T
            WtW = point.HHt
        x2 = point.squares[self.axis]
        H64, WtX, WtW = (P.astype(np.float64, copy=False) for P in (H, WtX, WtW))
        squares = x2 - 2 * dots(H64, WtX) + dots(H64, WtW @ H64)
        # Also true if the squared length is nan, because entries are missing.
        cancelled = np.flatnonzero(~(squares > CANCELLATION[W.dtype] * x2))
        squares = np.maximum(squares, 0).astype(W.dtype, copy=False)
        for j, E in residuals(X, W, H, cancelled):
            squares[j] = dots(E, E)
        return squares

    def informative(self, divergence, point, u):
        """Return the energies of the lines without lines of zeros that are fitted as zeros."""
        return informative(
            point.squares[self.axis] == 0, u, point.rounding**divergence.power
        )

    def weights(self, q):
        """Return the slopes as positive weights, in a shape that broadcasts to X."""
        return np.expand_dims(no_zeros(q), self.axis)

    def clean(self, point, q):
        """Return the unchanged data, and the weights of features and of samples."""
        return point.X, *(
            (None, no_zeros(q)) if self.axis == 0 else (no_zeros(q), None)
        )


ENTRIES = Entries()
SAMPLES = Lines(0)
FEATURES = Lines(1)


def dots(A, B):
    """Return the inner products of the columns."""
    return np.einsum("kj,kj->j", A, B)


def no_zeros(q):
    """Return weights of lines with a floor far below the smallest positive one.

    A line that fits exactly has a very large weight. A floor relative to the largest
    weight would then change the weights of other lines. If all weights are zero, all
    become one.
    """
    positive = q[q > 0]
    if not len(positive):
        return np.ones_like(q)
    return np.maximum(q, smallest_weight(q.dtype) * positive.min())


def informative(zeros, u, least, mask=None):
    """Return the energies u of the entries or lines from which a scale can be estimated.

    Left out are missing entries, and `zeros` of the data whose energy is at most
    `least`, which are fitted as zeros. If more than half of the data are such zeros,
    the median residual would be zero. If nothing is left, all energies are returned.
    """
    left_out = zeros & (u <= least)
    if mask is not None:
        left_out |= mask
    if not left_out.any() or left_out.all():
        return u
    return u.T[~left_out.T]  # X is in Fortran order


# ------------------------------------------------------------------- the loss


@dataclass(frozen=True)
class Loss:
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
    estimated : bool, default=False
        If True, φ estimates c again after every sweep.
    least : float, default=0.0
        A smaller energy gets the slope of this one, so that no weight becomes too
        large.
    unit : float, default=1.0
        The factor of ℓ in the objective.
    free_of_scale : bool, default=False
        If True, ℓ is also divided by c in the objective, as for correntropy.

    Examples
    --------
    >>> from rnmf_tutorial.core import Point
    >>> point = Point(np.array([[1.0, 9.0]]), np.ones((1, 1)), np.ones((1, 2)))
    >>> loss = Loss(Huber(), scale=2.0)
    >>> loss.value(point), loss.weights(point)
    (28.0, array([[1.  , 0.25]]))
    """

    phi: Curve | None = None
    divergence: Divergence = SQUARES
    group: Group = ENTRIES
    scale: float | None = None
    estimated: bool = False
    least: float = 0.0
    unit: float = 1.0
    free_of_scale: bool = False

    @property
    def c(self):
        """The scale in the units of the energies; one if there is no scale."""
        return 1.0 if self.scale is None else float(self.scale) ** self.divergence.power

    @property
    def factor(self):
        """The factor of ℓ in the objective."""
        return self.unit / self.c if self.free_of_scale else self.unit

    def rescaled(self, point):
        """Return the loss with its scale estimated at a point, or itself if the scale is given."""
        if not self.estimated:
            return self
        if not hasattr(self.phi, "estimate"):
            raise ValueError(
                f"scale='published' asks {type(self.phi).__name__} for a method estimate(u, "
                "previous), which returns c for the energies u. Write one, or give scale a number."
            )
        u = self.group.energies(self.divergence, point)
        known = self.group.informative(self.divergence, point, u)
        known = np.maximum(known, self.least) if self.least else known
        c = self.phi.estimate(known, None if self.scale is None else self.c)
        # A residual below the rounding error of the data counts as zero.
        scale = max(float(c) ** (1 / self.divergence.power), point.rounding)
        loss = replace(self, scale=scale)
        loss.evaluate(point, u)
        return loss

    def evaluate(self, point, u=None):
        """Return u/c and the slopes φ', computed once per point; `u`: the energies, if known."""
        if found := point.kept("evaluation", self):
            return found
        u = self.group.energies(self.divergence, point) if u is None else u
        u = np.multiply(u, 1 / self.c, out=u)
        floored = np.maximum(u, self.least / self.c) if self.least else u
        by_entry = u.shape == point.entries.shape
        q = self.phi.slope(floored, out=point.array("Q") if by_entry else None)
        return point.keep("evaluation", (u, q), self)

    def value(self, point):
        """Return ℓ at a point, times its factor in the objective."""
        if self.phi is None:
            return self.factor * self.divergence.total(point)
        if (found := point.kept("value", self)) is None:
            u, q = self.evaluate(point)
            value = float(self.phi.value(u, q).sum())
            if (
                u.shape == point.entries.shape
            ):  # energies of lines include zeros not stored
                value += point.zeros(self.divergence) / self.c**self.phi.power
            found = point.keep("value", (value,), self)
        return self.factor * self.c**self.phi.power * found[0]

    def slopes(self, point):
        """Return the derivatives of ℓ by the energies."""
        q = self.evaluate(point)[1]
        return q if self.phi.power == 1 else q * self.c ** (self.phi.power - 1)

    def weights(self, point):
        """Return the weights at a point, in a shape that broadcasts to X; None if all are one.

        No weight is zero, so that a sample of outliers is still updated and can come
        back.
        """
        return None if self.phi is None else self.group.weights(self.slopes(point))

    def clean(self, point):
        r"""Return cleaned data M and weights f, d whose weighted divergence majorizes ℓ.

        :math:`\ell(W, H) \le \sum_{ij} f_i d_j\, d(M_{ij}, (WH)_{ij}) + \text{const}`
        everywhere, with equality at the point. So a step that does not raise the right
        side does not raise ℓ. f or d is None if all its entries are one.
        """
        if self.phi is None:
            return point.X, None, None
        cleaned = self.group.clean(point, self.slopes(point))
        point.keep("evaluation", (), self)  # a group may have overwritten its arrays
        return cleaned

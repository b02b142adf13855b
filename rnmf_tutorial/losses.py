r"""The losses: divergence × group × φ.

With a divergence d(x, y) of the data from what is fitted, groups g of entries with the energies
:math:`u_g = \sum_{i \in g} d(x_i, (WH)_i)`, a concave φ and a scale with :math:`c` = scale² (for
the divergence of Kullback and Leibler, whose unit is that of the data, c = scale),

.. math:: \ell(W, H) = \sum_g c^p\,\varphi(u_g / c).

A loss gives its value and its weights, the slopes of ℓ by the entries' divergences. A φ is two
functions, its value and its slope, and the published estimate of c. Its `multiple` of the median
error is a scale at which normal errors cost little.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from rnmf_tutorial.arrays import at_least
from rnmf_tutorial.divergences import SQUARES
from rnmf_tutorial.groups import ENTRIES, smallest_weight
from rnmf_tutorial.stored import stored

__all__ = [
    "CappedRoot",
    "Cauchy",
    "Correntropy",
    "GemanMcClure",
    "Huber",
    "Hypersurface",
    "Loss",
    "Root",
]


class Huber:
    """φ(u) = u up to one, 2√u - 1 beyond."""

    power = 1
    multiple = 1.5

    def value(self, u, q):
        """Return both as u q (2 - q)."""
        value = np.subtract(2, q)
        value *= q
        value *= u
        return value

    def slope(self, u, out=None):
        """Return min(1, 1/√u)."""
        root = at_least(u, 1, out=out)
        np.sqrt(root, out=root)
        return np.divide(1, root, out=root)

    def estimate(self, u, previous=None):
        r"""Return the squared median of \|E\|."""
        return np.median(np.sqrt(u)) ** 2


class Hypersurface:
    """φ(u) = 2 (√(1 + u) - 1)."""

    power = 1
    multiple = 1.5

    def value(self, u, q):
        """Return 2 u q / (1 + q), which keeps its digits for small u."""
        value = np.add(q, 1)
        np.divide(q, value, out=value)
        value *= u
        value *= 2
        return value

    def slope(self, u, out=None):
        """Return 1 / √(1 + u)."""
        root = np.add(u, 1, out=out)
        np.sqrt(root, out=root)
        return np.divide(1, root, out=root)

    def estimate(self, u, previous=None):
        r"""Return the squared median of \|E\|."""
        return np.median(np.sqrt(u)) ** 2


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
        """Take one step of Nagy's iteration (18) from the last c; at the start, all of them."""
        if previous is not None:
            return self.nagy_step(u, previous)
        c = float(u.mean())
        for _ in range(100):
            if c == 0:
                break
            c, before = self.nagy_step(u, c), c
            if abs(np.sqrt(c) - np.sqrt(before)) <= 1e-6 * np.sqrt(before):
                break
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
        np.expm1(value, out=value)
        return np.multiply(value, -2, out=value)

    def slope(self, u, out=None):
        """Return exp(-u/2)."""
        q = np.multiply(u, -0.5, out=out)
        at_least(q, float(np.log(smallest_weight(u.dtype))), out=q)  # denormal numbers are slow
        return np.exp(q, out=q)

    def estimate(self, u, previous=None):
        """Return half the mean of E², the square of the published kernel size."""
        return u.mean() / 2


class GemanMcClure:
    """φ(u) = u / (1 + u): no error costs more than c."""

    power = 1

    def value(self, u, q):
        """Return u / (1 + u)."""
        return u / (1 + u)

    def slope(self, u, out=None):
        """Return 1 / (1 + u)²."""
        q = np.add(u, 1, out=out)
        np.multiply(q, q, out=q)
        return np.divide(1, q, out=q)

    def estimate(self, u, previous=None):
        """Return twice the lower quartile of the energies."""
        return 2 * float(np.quantile(u, 0.25))


class Root:
    """φ(u) = √u, for lengths."""

    power = 0.5

    def value(self, u, q):
        """Return √u as u q + 1 / (4 q): below a floor of the slopes, the tangent there."""
        return u * q + 1 / (4 * q)

    def slope(self, u, out=None):
        """Return 1 / (2 √u)."""
        return 0.5 / np.sqrt(u)


class CappedRoot:
    """φ(u) = min(√u, 1), for lengths."""

    power = 0.5

    def value(self, u, q):
        """Return √u up to one, one beyond, where q is zero."""
        inside = q > 0
        return np.where(inside, u * q + 1 / (4 * np.where(inside, q, 1)), 1)

    def slope(self, u, out=None):
        """Return 1 / (2 √u) up to one, zero beyond."""
        return np.where(u <= 1, 0.5 / np.sqrt(u), 0).astype(u.dtype)

    def estimate(self, u, previous=None):
        """Return c for a cap of three times the median length."""
        return (3 * float(np.median(np.sqrt(u)))) ** 2


@dataclass(frozen=True)
class Loss:
    r"""A loss as a point in the product divergence × group × φ, at a scale.

    Parameters
    ----------
    phi : object, optional
        Has `value(u, q)`, `slope(u, out)`, `estimate(u, previous)` and the `power` p of c. None is
        φ(u) = u, the divergence itself.
    divergence : object, default=SQUARES
        See :mod:`rnmf_tutorial.divergences`.
    group : object, default=ENTRIES
        What shares a weight; see :mod:`rnmf_tutorial.groups`.
    scale : float, optional
        In the units of the data; c is its square, for Kullback-Leibler the scale itself.
    estimated : bool, default=False
        Whether φ estimates c anew at every point of a fit.
    least : float, default=0.0
        An energy below has the slope there: no weight is beyond the digits of the data.
    unit : float, default=1.0
        What the objective counts ℓ with.
    free_of_scale : bool, default=False
        Whether it also divides ℓ by c.

    Examples
    --------
    >>> from rnmf_tutorial.engine import Point
    >>> point = Point(np.array([[1.0, 9.0]]), np.ones((1, 1)), np.ones((1, 2)))
    >>> loss = Loss(Huber(), scale=2.0)
    >>> loss.value(point), loss.weights(point)
    (28.0, array([[1.  , 0.25]]))
    """

    phi: Any = None
    divergence: Any = SQUARES
    group: Any = ENTRIES
    scale: float | None = None
    estimated: bool = False
    least: float = 0.0
    unit: float = 1.0
    free_of_scale: bool = False

    @property
    def c(self):
        """The scale of the energies; one without a scale."""
        return 1.0 if self.scale is None else float(self.scale) ** self.divergence.power

    @property
    def factor(self):
        """What the objective counts ℓ with."""
        return self.unit / self.c if self.free_of_scale else self.unit

    @property
    def by_sample(self):
        """Whether every sample's part of the loss, and its weights, need that sample alone."""
        return not self.estimated and self.group is ENTRIES

    @property
    def redescending(self):
        """Whether the pull of an error, slope times size, goes back to zero as it grows."""
        near, far = self.phi.slope(np.array([1.0, 1e8]))
        return bool(far * 1e4 < near / 2)

    def rescaled(self, point):
        """Return the loss with its scale estimated at a point, or itself if that is given."""
        if not self.estimated:
            return self
        u = self.group.energies(self.divergence, point)
        counted, least = self.group.counted(self.divergence, point, u)
        counted = np.maximum(counted, self.least) if self.least else counted
        c = self.phi.estimate(counted, None if self.scale is None else self.c)
        # A residual below the rounding of the data is no residual.
        scale = max(float(c) ** (1 / self.divergence.power), least)
        loss = replace(self, scale=scale)
        loss.evaluate(point, u)
        return loss

    def evaluate(self, point, u=None):
        """Return u/c and the slopes φ', once for a point; `u` are the energies, if at hand."""
        if point.evaluation is None or point.evaluation[0] is not self:
            u = self.group.energies(self.divergence, point) if u is None else u
            u = np.multiply(u, 1 / self.c, out=u)
            floored = np.maximum(u, self.least / self.c) if self.least else u
            q = self.phi.slope(
                floored, out=point.array("Q") if u.shape == stored(point.X).shape else None
            )
            point.evaluation = self, u, q, None
        return point.evaluation[1:]

    def value(self, point):
        """Return ℓ at a point, counted with the factor."""
        if self.phi is None:
            return self.factor * self.divergence.total(point)
        u, q, value = self.evaluate(point)
        if value is None:
            value = float(self.phi.value(u, q).sum())
            if issparse(point.X):
                value += self.group.rest(self.divergence, point) / self.c**self.phi.power
            point.evaluation = self, u, q, value
        return self.factor * self.c**self.phi.power * value

    def weights(self, point):
        """Return the weights at a point, of a shape that broadcasts to that of X; None: all one.

        None of them is zero, so that a sample of outliers finds a way back.
        """
        if self.phi is None:
            return None
        return self.group.spread(self.slopes(point))

    def clean(self, point):
        r"""Return data M and weights f, d such that the squares of M lie above ℓ.

        :math:`\ell(W, H) \le \sum_{ij} f_i d_j\, d(M_{ij}, (WH)_{ij}) + \text{const}` everywhere,
        with equality at the point: any step that does not raise the right side does not raise ℓ.
        f and d are None where they are one.
        """
        if self.phi is None:
            return point.X, None, None
        return self.group.clean(point, self.slopes(point))

    def slopes(self, point):
        """Return the slopes of ℓ by the energies."""
        q = self.evaluate(point)[1]
        return q if self.phi.power == 1 else q * self.c ** (self.phi.power - 1)

"""What the models with a loss of every entry share: a φ, a scale, a divergence, a solver."""

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rnmf_tutorial.divergences import KULLBACK_LEIBLER, SQUARES
from rnmf_tutorial.engine.fit import encode
from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.estimators.noise import robust_start, scale_for_noise
from rnmf_tutorial.estimators.parameters import base_estimator
from rnmf_tutorial.estimators.warnings import about_floor, about_weights
from rnmf_tutorial.losses import Loss
from rnmf_tutorial.steps.coordinate import Coordinate
from rnmf_tutorial.steps.divergence import DivergenceCoordinate
from rnmf_tutorial.steps.multiplicative import Multiplicative

__all__ = ["COORDINATE", "DIVERGENCES", "EntrywiseNMF", "ScaledNMF"]

COORDINATE = {"frobenius": Coordinate, "kullback-leibler": DivergenceCoordinate}
# The scales, in units of a model's own, at which it encodes one after the other. From equal
# coefficients of data with 30 % of gross errors, 16, 4, 1 ends in a wrong minimum.
_COMING_DOWN = (64, 16, 4, 1)
DIVERGENCES = {"frobenius": SQUARES, "kullback-leibler": KULLBACK_LEIBLER}


@base_estimator
class ScaledNMF(BaseNMF):
    r"""Base of the models with a φ of every entry's squared residual, and a scale.

    Minimizes :math:`\sum_{ij} c^2\,\varphi(E_{ij}^2 / c^2)` with :math:`E = X - WH`, the scale c
    and a concave φ. The weights are :math:`\varphi'(E_{ij}^2 / c^2)`, at most one. With a fixed
    scale the objective never rises. With an estimated one, ``objective_history_`` holds the value
    at each sweep's own scale: concavity makes :math:`c^2\varphi(e^2/c^2)` increase with c, so it
    may rise where the scale has grown.

    Parameters
    ----------
    {n_components}
    scale : float or "published", default="published"
        In the units of the data; "published" estimates it anew in each sweep, as the paper does.
    {common}

    Examples
    --------
    >>> from rnmf_tutorial import CSNMF
    >>> issubclass(CSNMF, ScaledNMF)
    True
    """

    scale: float | str | None = "published"

    phi: ClassVar[Any] = None

    def _start(self, X, missing=None):
        """Return the start point; where the scale is to be found, after a robust fit from it."""
        point = super()._start(X, missing)
        if self.scale is not None:
            return point
        name = f"{type(self).__name__}, start" if self.verbose else None
        return robust_start(point, self._divergence(), name)

    def _divergence(self):
        """Return the divergence of the data from what is fitted."""
        return SQUARES

    def _loss(self, point):
        """Return φ of every entry, at the given scale, at the noise's, or at one yet to find."""
        kind = {"divergence": self._divergence()}
        if self.scale == "published" or (self.scale is None and not point.in_memory):
            return Loss(self.phi, estimated=True, **kind)
        if self.scale is None:
            return Loss(self.phi, scale=scale_for_noise(point, self.phi, **kind), **kind)
        limits = np.finfo(point.X.dtype)
        smallest = float(np.sqrt(limits.tiny))  # its square is still a normal number
        if not smallest <= self.scale <= 1 / smallest:
            raise ValueError(
                f"scale == {self.scale} is beyond what {point.X.dtype} resolves: it must lie "
                f"between {smallest:.1e} and {1 / smallest:.1e}. Give the data another unit."
            )
        return Loss(self.phi, scale=float(self.scale), **kind)

    def _encode(self, X, W, missing=None):
        """Return the coefficients for a fixed W.

        A redescending loss has many minima in H, and from flat coefficients most entries look like
        outliers; so the scale comes down to its own.
        """
        H, step, loss = None, self._step(), self._fitted_loss
        for times in _COMING_DOWN if loss.redescending else (1,):
            update = partial(step.coefficients, loss=replace(loss, scale=times * loss.scale))
            limits = {"tol": self.tol, "max_iter": self.max_iter}
            H = encode(X, W, update, H, missing=missing, **limits)
        return H

    def _shown(self, point, loss):
        """Return the weights and the scale."""
        return {"weights_": loss.slopes(point), "scale_": loss.scale}

    def _check(self):
        """Raise an error for a parameter out of range."""
        if self.scale != "published":
            self._check_number("scale")

    def _advice(self, point, loss):
        """Return what is wrong with the scale."""
        floor = loss.estimated and about_floor(point.X, loss.scale, "scale")
        return floor or about_weights(point.X, self.weights_.T, "scale")


@base_estimator
class EntrywiseNMF(ScaledNMF):
    r"""Base of the models that weigh every entry by its own residual: a φ makes one of it.

    Minimizes :math:`\sum_{ij} c\,\varphi(d(X_{ij}, (WH)_{ij}) / c)`, with :math:`c` = scale² for
    squares. The weights are :math:`\varphi'(d / c)`, at most one. With a fixed scale the objective
    never rises. With an estimated one, ``objective_history_`` holds the value at each sweep's own
    scale: concavity makes :math:`c\,\varphi(u/c)` increase with c, so it may rise where the scale
    has grown.

    Parameters
    ----------
    {n_components}
    scale : float, "published" or None, default=None
        In the units of the data; None estimates it once, from the errors of a robust start
        (:mod:`~rnmf_tutorial.estimators.noise`), and "published" anew in each sweep.
    divergence : {{"frobenius", "kullback-leibler"}}, default="frobenius"
        Of the data from what is fitted, entry by entry.
    {solver}
    {common}

    Examples
    --------
    A loss of one's own: :math:`\varphi(u) = u/(1 + u)`, by which no residual costs more than c.

    >>> class GemanMcClure:
    ...     power = 1
    ...
    ...     def value(self, u, q):
    ...         return u / (1 + u)
    ...
    ...     def slope(self, u, out=None):
    ...         return (1 + u) ** -2.0
    >>> class Bounded(EntrywiseNMF):
    ...     phi = GemanMcClure()
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = Bounded(1, scale=5.0, max_iter=500, tol=0, random_state=0).fit(A)
    >>> np.argwhere(model.weights_ < 0.5).tolist()
    [[1, 2]]
    """

    divergence: str = "frobenius"
    scale: float | str | None = None
    solver: str = "cd"

    takes_missing: ClassVar[bool] = True

    def _divergence(self):
        """Return the divergence of the data from what is fitted."""
        return DIVERGENCES[self.divergence]

    def _step(self):
        """Return the published update, or coordinate descent on the cleaned data."""
        return COORDINATE[self.divergence]() if self.solver == "cd" else Multiplicative()

    def _check(self):
        """Raise an error for a parameter out of range."""
        super()._check()
        self._check_choice("divergence", *DIVERGENCES)
        self._check_choice("solver", "mu", "cd")

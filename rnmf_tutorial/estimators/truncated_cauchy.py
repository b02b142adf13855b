"""Truncated Cauchy NMF: the Cauchy loss, cut off where an error is an outlier."""

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from rnmf_tutorial.arrays import rounding
from rnmf_tutorial.estimators.outlier_rules import OUTLIER_RULES, TIGHT_SWEEPS
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.warnings import about_floor
from rnmf_tutorial.estimators.weighted import ScaledNMF
from rnmf_tutorial.groups import smallest_weight
from rnmf_tutorial.losses import Cauchy, Loss
from rnmf_tutorial.steps.coordinate import Coordinate
from rnmf_tutorial.steps.weighted_nesterov import WeightedNesterov

__all__ = ["TruncatedCauchyNMF"]


@dataclass(frozen=True)
class TruncatedCauchy(Cauchy):
    """φ(u) = ln(1 + min(u, cap)); an outlier keeps the smallest weight that helps."""

    cap: float

    @classmethod
    def at(cls, ratio, dtype):
        """Return φ for a threshold of so many scales; the error at it is none, however rounded."""
        cap = min(ratio, 1 / smallest_weight(dtype)) ** 2
        return cls(cap * (1 + 16 * np.finfo(dtype).eps))

    def value(self, u, q):
        """Return ln(1 + u) up to the cap, a constant beyond."""
        return np.log1p(np.minimum(u, self.cap))

    def slope(self, u, out=None):
        """Return 1 / (1 + u) up to the cap; beyond, a weight that counts in no other's presence."""
        outliers = u > self.cap
        q = super().slope(u, out=out)
        # Not zero, for a sample that is all outliers: there, only the ratios of the weights matter.
        return np.multiply(q, smallest_weight(q.dtype), out=q, where=outliers)


@dataclass(frozen=True)
class TruncatedLoss(Loss):
    """The loss with a threshold, which a rule finds anew at every point of a fit.

    Parameters
    ----------
    rule : callable, optional
        From the sizes of the errors, γ and the number of sweeps done to the threshold ε.
    threshold : float, default=inf
    done : int, default=-1
        The number of sweeps done; -1 before the start point.
    """

    rule: Any = None
    threshold: float = np.inf
    done: int = -1

    by_sample = False  # also a threshold that is given is found at a point, as all others are

    def rescaled(self, point):
        """Return the loss with γ (line 3) and ε (line 4) found anew at a point."""
        if self.by_sample:  # both are given
            return self
        u = self.group.energies(self.divergence, point)
        counted, least = self.group.counted(self.divergence, point, u)
        scale, threshold = self.scale, self.threshold
        if self.estimated:
            c = self.phi.estimate(counted, None if self.scale is None else self.c)
            scale = max(float(c) ** 0.5, least)
        if self.rule is not None:
            threshold = self.rule(np.sqrt(counted), scale, self.done + 1)
            # An error below the rounding of the data is no error.
            threshold = max(threshold, rounding(point.X))
        phi = TruncatedCauchy.at(threshold / scale, u.dtype)
        found = {"scale": scale, "threshold": threshold, "phi": phi}
        loss = replace(self, done=self.done + 1, **found)
        loss.evaluate(point, u)
        return loss

    def slopes(self, point):
        """Return the weights, those of outliers the smallest that help."""
        return self.evaluate(point)[1]

    def weights(self, point):
        """Return the same: none of them is zero."""
        return self.slopes(point)

    def outliers(self, point):
        """Return where an error is beyond the threshold."""
        return self.evaluate(point)[0] > self.phi.cap


@estimator
class TruncatedCauchyNMF(ScaledNMF):
    r"""NMF with the truncated Cauchy loss: outliers cost a constant and teach nothing.

    Minimizes :math:`\sum_{ij} \gamma^2 \ln\bigl(1 + \min(E_{ij}^2, \varepsilon^2)/\gamma^2\bigr)`
    with :math:`E = X - WH`, over non-negative W and H: (2) of Guan et al. times
    :math:`2\gamma^2`, so that a small error costs its square. The threshold is
    :math:`\varepsilon = \gamma\sqrt\sigma` in the paper's symbols. The weights are
    :math:`1/(1 + E_{ij}^2/\gamma^2)` up to the threshold and zero beyond.

    A sweep is one pass of Algorithm 2: H solves its weighted least squares problem by Nesterov's
    method, then W, each with fresh weights; then γ takes a step of Nagy's iteration and the rule
    finds the threshold anew. With a fixed scale and a fixed threshold the objective never rises.

    Parameters
    ----------
    {n_components}
    scale : float, "published" or None, default=None
        The γ, in the units of the data. None takes 3.5 times the median \|e\| of a robust
        start, once (:mod:`~rnmf_tutorial.estimators.noise`). "published" is Nagy's iteration (18):
        to its end at the start point, one step after each sweep. Zeros of the data that the
        factors know to be zeros are not counted, nor do the rules see them.
    outliers : {"scale", "three-sigma", "mad", "mixture"}, float, callable or None, default="scale"
        Which errors are outliers: those beyond six times γ ("scale"); beyond what another rule
        finds from all errors, anew in each sweep
        (:mod:`~rnmf_tutorial.estimators.outlier_rules`); beyond a fixed threshold, in the units of
        the data; or None of them. A callable takes \|E\|, γ and the number of sweeps done, and
        returns the threshold. The paper's "three-sigma" rejects more than a third of clean data.
    solver : {"cd", "nesterov"}, default="cd"
        Coordinate descent on the cleaned data, or the published method.
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q: the weights at the end, between 0 and 1, 0 for outliers.
    outliers_ : ndarray of bool of shape (n_samples, n_features)
        True where the error is beyond the threshold.
    scale_ : float
        The scale γ at the end.
    threshold_ : float
        The threshold ε at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, each at its own sweep's scale and
        threshold.
    n_iter_ : int
        Number of sweeps.

    Notes
    -----
    Four things differ from the printed box. The outliers are kept out of the update of W too,
    which line 7 forgets: without it the objective can rise. Line 2 comes after lines 3 and 4, so
    that the weights belong to the new γ. The rule looks at all errors, not at those below the
    median. And the least squares problems get twelve gradient steps instead of the test (15).

    References
    ----------
    Guan, Liu, Zhang, Tao and Davis, *Truncated Cauchy non-negative matrix factorization*,
    IEEE TPAMI 2019, Algorithm 2.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = TruncatedCauchyNMF(1, random_state=0).fit(A)
    >>> np.argwhere(model.outliers_).tolist()
    [[1, 2]]
    """

    scale: float | str | None = None
    outliers: Any = "scale"
    solver: str = "cd"
    max_iter: int = 500

    takes_missing: ClassVar[bool] = True
    phi: ClassVar = TruncatedCauchy(np.inf)

    @property
    def least_sweeps(self):
        """Sweeps that are never the last: the tight ones of the rule "mixture"."""
        return TIGHT_SWEEPS if self.outliers == "mixture" else 0

    def _loss(self, point):
        """Return (2) times 2γ², with γ and ε as they are given or yet to be found."""
        loss = super()._loss(point)
        given = {"scale": loss.scale, "estimated": loss.estimated}
        if not isinstance(self.outliers, Real):
            return TruncatedLoss(self.phi, rule=self._threshold, **given)
        threshold, phi = float(self.outliers), self.phi
        if loss.scale is not None:
            phi = TruncatedCauchy.at(threshold / loss.scale, point.X.dtype)
        return TruncatedLoss(phi, threshold=threshold, **given)

    def _threshold(self, sizes, scale, done):
        """Return the threshold that the rule finds."""
        rule = self.outliers if callable(self.outliers) else OUTLIER_RULES[self.outliers]
        threshold = float(rule(sizes, scale, done))
        if not threshold >= 0:
            raise ValueError(
                f"outliers={self.outliers!r} returned {threshold}; a rule returns the size from "
                "which on an error is an outlier: a number of at least 0, or infinity."
            )
        return threshold

    def _step(self):
        """Return Algorithm 2's step, or coordinate descent."""
        return Coordinate() if self.solver == "cd" else WeightedNesterov()

    def _shown(self, point, loss):
        """Return the weights, zero for outliers; which these are; γ and ε."""
        outliers = loss.outliers(point)
        return {
            "weights_": np.where(outliers, 0, loss.slopes(point)),
            "outliers_": outliers,
            "scale_": loss.scale,
            "threshold_": loss.threshold,
        }

    def _advice(self, point, loss):
        """Return what is wrong with the scale or the threshold."""
        floor = loss.rule is not None and about_floor(point.X, loss.threshold, "outliers")
        return floor or super()._advice(point, loss)

    def _check(self):
        """Raise an error for a parameter out of range."""
        super()._check()
        self._check_choice("solver", "nesterov", "cd")
        rule = self.outliers
        if isinstance(rule, Real) and not isinstance(rule, bool):
            self._check_number("outliers")
        elif not (callable(rule) or (isinstance(rule, str | None) and rule in OUTLIER_RULES)):
            names = ", ".join(repr(name) for name in OUTLIER_RULES)
            raise ValueError(
                f"outliers == {rule!r}, must be one of {names}, a positive number or a callable."
            )

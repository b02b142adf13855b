"""Truncated Cauchy NMF: the Cauchy loss, cut off where an error is an outlier."""

import copy
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from rnmf_tutorial.arrays import residual
from rnmf_tutorial.models.complaints import about_floor
from rnmf_tutorial.models.parameters import estimator
from rnmf_tutorial.models.sizes import counted, rounding
from rnmf_tutorial.models.weights.cauchy import CauchyNMF
from rnmf_tutorial.models.weights.entries import smallest_weight
from rnmf_tutorial.models.weights.outlier_rules import OUTLIER_RULES, TIGHT_SWEEPS
from rnmf_tutorial.solvers.passes import Seen, clean
from rnmf_tutorial.solvers.weighted_nesterov import improve_H, improve_W

__all__ = ["TruncatedCauchyNMF"]


class TruncatedWeights:
    r"""The state: the weights, the scale γ, the threshold ε, and the number of sweeps done.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
        Its shape and order are those of the arrays.
    scale, threshold : float, optional
        The γ and ε, if they are known.
    missing : ndarray of bool of the shape of X, optional
        The entries that no estimate may count.

    Attributes
    ----------
    Q : ndarray of shape (n_features, n_samples)
        The weights; those of an outlier are the smallest that help where a sample has no other.
    u : ndarray of shape (n_features, n_samples)
        The capped :math:`E^2/\gamma^2`; the next sweep computes in its memory.

    Examples
    --------
    >>> TruncatedWeights(np.ones((2, 3)), 0.5, 1.0).threshold
    1.0
    """

    def __init__(self, X, scale=None, threshold=None, missing=None):
        self.scale, self.threshold, self.done = scale, threshold, 0
        self.missing = missing
        self.Q, self.u, self.E = np.empty_like(X), np.empty_like(X), None

    def next(self):
        """Return the state of the next sweep, which computes in the same arrays."""
        return copy.copy(self)

    def cut_off(self, E2, weight):
        """Find u and Q for these squared errors, which are overwritten."""
        smallest = smallest_weight(E2.dtype)
        cap = min(self.threshold / self.scale, 1 / smallest) ** 2
        self.u = np.multiply(E2, self.scale**-2, out=E2)
        outliers = self.u > cap
        weight(self.u, out=self.Q)
        np.clip(self.u, 0, cap, out=self.u)
        # Zero but for a sample that is all outliers: there, only the ratios of the weights matter.
        np.multiply(self.Q, smallest, out=self.Q, where=outliers)
        return self

    @property
    def outliers(self):
        """Where the error is beyond the threshold."""
        return smallest_weight(self.Q.dtype) >= self.Q

    @property
    def weights(self):
        """The weights, zero for outliers."""
        return np.where(self.outliers, 0, self.Q)


@estimator
class TruncatedCauchyNMF(CauchyNMF):
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
    scale : float or None, default=None
        The γ, in the units of the data. None estimates it by Nagy's iteration (18): to its end
        at the start point, one step after each sweep. Zeros of the data that the factors know to
        be zeros are not counted, nor do the rules see them.
    {solver}
    outliers : {"three-sigma", "mad", "mixture"}, float, callable or None, default="three-sigma"
        Which errors are outliers: those beyond what the rule finds from all errors, anew in each
        sweep (:mod:`~rnmf_tutorial.models.weights.outlier_rules`); beyond a fixed threshold, in
        the units of the data; or None of them. A callable takes \|E\|, γ and the number of sweeps
        done, and returns the threshold. The paper's "three-sigma" rejects more than a third of
        clean data: prefer None for a few outliers, "mixture" for many.
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
    >>> model = TruncatedCauchyNMF(1, outliers="mad", random_state=0).fit(A)
    >>> np.argwhere(model.outliers_).tolist()
    [[1, 2]]
    """

    outliers: Any = "three-sigma"
    solver: str = "nesterov"
    max_iter: int = 500

    published: ClassVar[str] = "nesterov"
    shows: ClassVar[dict] = {
        "weights_": "weights",
        "outliers_": "outliers",
        "scale_": "scale",
        "threshold_": "threshold",
    }

    def objective(self, X, W, H, state=None):
        """Return Σ γ² ln(1 + u), u being capped; without the state, `start` finds γ and ε."""
        at = self.start(X, W, H) if state is None else state
        return at.scale**2 * float(np.log1p(at.u).sum())

    def start(self, X, W, H, missing=None):
        """Return γ, ε and the weights at the start point."""
        return self.find_scales(X, W, H, TruncatedWeights(X, missing=missing))  # 2-4

    def sweep(self, X, W, H, now):
        """Take the lines of Algorithm 2, from 5 around to 4."""
        new = now.next()
        H = improve_H(X, W, H, now.Q, now.u)  # 5-6
        self.weigh(X, W, H, new)  # 7
        W = improve_W(X, W, H, new.Q, new.u)  # 8-9
        new.done += 1
        return W, H, self.find_scales(X, W, H, new)  # 2-4

    def encode(self, X, W, H):
        """Solve for H alone, at the fixed or the fitted scale and threshold."""
        at = self.weigh(X, W, H, TruncatedWeights(X, *self.scales_at_hand()))
        return improve_H(X, W, H, at.Q, at.u)

    def look(self, X, W, H, state):
        """Return the objective and the cleaned data at W and H; an outlier is cleaned away."""
        state.E = residual(X, W, H, out=state.E)
        return self.seen(X, state)

    def seen(self, X, state):
        """Return them for the residuals at hand; the cleaned data take the memory of Q."""
        state.cut_off(np.multiply(state.E, state.E, out=state.u), self.weight)
        objective = state.scale**2 * float(np.log1p(state.u, out=state.u).sum())
        return Seen(objective, *clean(X, state.E, state.Q, out=state.Q))

    def rescaled(self, X, seen, state):
        """Find γ and ε anew (lines 3 and 4), and look again at the same residuals."""
        state.done += 1
        if self.scale is not None and isinstance(self.outliers, Real):
            return seen, state
        sizes = np.abs(state.E, out=state.Q)
        E2 = np.multiply(sizes, sizes, out=state.u)
        self.renew(X, E2, sizes, state)
        return self.seen(X, state), state

    def state_at_hand(self, X):
        """Return a state for `look` at the fixed or the fitted scale and threshold."""
        return TruncatedWeights(X, *self.scales_at_hand())

    def at(self, X, W, H, state):
        """Return the weights for the final coefficients, at the scale and threshold of the fit."""
        return self.weigh(X, W, H, state)

    def weigh(self, X, W, H, state):
        """Find the weights and the capped E²/γ² at W, H, with γ and ε as they are."""
        E = residual(X, W, H, out=state.u)
        return state.cut_off(np.multiply(E, E, out=E), self.weight)

    def find_scales(self, X, W, H, state):
        """Find γ (line 3) and ε (line 4) for the errors at W, H, then the weights (line 2)."""
        E = residual(X, W, H, out=state.u)
        sizes = np.abs(E, out=E)
        E2 = np.multiply(sizes, sizes, out=state.Q)
        self.renew(X, E2, sizes, state)
        state.Q = sizes
        return state.cut_off(E2, self.weight)

    def renew(self, X, E2, sizes, state):
        """Find γ and ε for these errors."""
        state.scale = self.new_scale(X, E2, state.scale, state.missing)
        known = counted(X, sizes, rounding(X), state.missing)
        state.threshold = self.new_threshold(X, known, state.scale, state.done)

    def new_threshold(self, X, sizes, scale, done):
        """Return the fixed threshold, or the one that the rule finds."""
        if isinstance(self.outliers, Real):
            return float(self.outliers)
        rule = self.outliers if callable(self.outliers) else OUTLIER_RULES[self.outliers]
        threshold = float(rule(sizes, scale, done))
        if not threshold >= 0:
            raise ValueError(
                f"outliers={self.outliers!r} returned {threshold}; a rule returns the size from "
                "which on an error is an outlier: a number of at least 0, or infinity."
            )
        # An error below the rounding of the data is no error.
        return max(threshold, rounding(X))

    def complaint(self, X, W, H, state):
        """Return what is wrong with the scale or the threshold."""
        floor = not isinstance(self.outliers, Real) and about_floor(X, state.threshold, "outliers")
        return floor or super().complaint(X, W, H, state)

    def scales_at_hand(self):
        """Return γ and ε for encoding: where a parameter does not fix them, those of the fit."""
        if self.outliers is None:
            return self.scale_at_hand(), np.inf
        fixed = isinstance(self.outliers, Real)
        return self.scale_at_hand(), float(self.outliers) if fixed else self.threshold_

    def encoded(self, X, W, H=None, missing=None):
        """Encode without truncation first: from far away, everything is an outlier."""
        if H is None and self.outliers is not None:
            plain = clone(self).set_params(scale=self.scale_at_hand(), outliers=None)
            H = plain.encoded(X, W, missing=missing)
        return super().encoded(X, W, H, missing)

    def least_sweeps(self):
        """Return the number of tight sweeps of the rule "mixture"."""
        return TIGHT_SWEEPS if self.outliers == "mixture" else 0

    def chunk_by_chunk(self):
        """Return None: the steps of W need all samples many times."""
        return None

    def check_parameters(self):
        """Raise an error for a parameter out of range."""
        super().check_parameters()
        rule = self.outliers
        if isinstance(rule, Real) and not isinstance(rule, bool):
            self.check_positive("outliers")
        elif not (callable(rule) or (isinstance(rule, str | None) and rule in OUTLIER_RULES)):
            names = ", ".join(repr(name) for name in OUTLIER_RULES)
            raise ValueError(
                f"outliers == {rule!r}, must be one of {names}, a positive number or a callable."
            )

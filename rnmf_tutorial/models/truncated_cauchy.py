"""Truncated Cauchy NMF: the Cauchy loss, cut off where an error is an outlier."""

from numbers import Real

import numpy as np

from rnmf_tutorial.models.nesterov_sweep import improve_H, improve_W
from rnmf_tutorial.models.outlier_rules import OUTLIER_RULES, TIGHT_SWEEPS
from rnmf_tutorial.models.redescending import CauchyNMF
from rnmf_tutorial.models.updates import residual
from rnmf_tutorial.models.weighted import smallest_weight

__all__ = ["TruncatedCauchyNMF"]


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
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float or None, default=None
        The γ, in the units of the data. None estimates it by Nagy's iteration (18): to its end
        at the start point, one step after each sweep.
    outliers : {"three-sigma", "mad", "mixture"}, float, callable or None, default="three-sigma"
        Which errors are outliers: those beyond what the rule finds from all errors, anew in each
        sweep (:mod:`rnmf_tutorial.models.outlier_rules`); beyond a fixed threshold, in the units
        of the data; or None of them. A callable takes \|E\|, γ and the number of sweeps done, and
        returns the threshold. The paper's "three-sigma" rejects more than a third of clean data:
        prefer None for a few outliers, "mixture" for many.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=500
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it; then take the
        coefficients that `transform` finds for the last W (the loss has several minima in H: this
        one may cost more than the history's last entry, and with many outliers a sample may end
        at a worse one). 0 means exactly `max_iter` sweeps and nothing more.
    random_state : int, RandomState or None, default=None
    callback : callable, default=None
        Called as ``callback(iteration, W, H, Q, *more)`` at the start point (iteration 0) and
        after each sweep, Q being the weights. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

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

    def __init__(
        self,
        n_components=2,
        *,
        scale=None,
        outliers="three-sigma",
        init="random",
        max_iter=500,
        tol=1e-5,
        random_state=None,
        callback=None,
        verbose=0,
    ):
        super().__init__(
            n_components,
            scale=scale,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.outliers = outliers

    def objective(self, X, W, H, Q=None, u=None, scale=None, *more):
        """Return Σ γ² ln(1 + u), u being capped; without the extras, `start` finds γ and ε."""
        if u is None:
            _, u, scale, *_ = self.start(X, W, H)
        return scale**2 * float(np.log1p(u).sum())

    def start(self, X, W, H):
        """Return the weights Q, the capped E²/γ², γ, ε, and the number of sweeps done."""
        return *self.update_scales(X, W, H, None, 0), 0

    def sweep(self, X, W, H, Q, u, scale, threshold, done):
        """Take the lines of Algorithm 2, from 5 around to 4."""
        H = improve_H(X, W, H, Q, u)  # 5-6
        Q, u, *_ = self.weights(X, W, H, scale, threshold, Q, u)  # 7
        W = improve_W(X, W, H, Q, u)  # 8-9
        done += 1
        return W, H, *self.update_scales(X, W, H, scale, done, Q, u), done  # 2-4

    def encode(self, X, W, H):
        """Solve for H alone, at the fixed or the fitted scale and threshold."""
        Q, u, *_ = self.weights(X, W, H, *self._fixed_scales())
        return improve_H(X, W, H, Q, u)

    def weights(self, X, W, H, scale, threshold, Q=None, u=None):
        """Return Q and the capped E²/γ² at W, H, with γ and ε as they are."""
        E = residual(X, W, H, out=u)
        return self._weigh_squares(np.multiply(E, E, out=E), scale, threshold, Q)

    def update_scales(self, X, W, H, previous, done, Q=None, u=None):
        """Find γ (line 3) and ε (line 4) for the errors at W, H, then the weights (line 2)."""
        E = residual(X, W, H, out=u)
        sizes = np.abs(E, out=E)
        E2 = np.multiply(sizes, sizes, out=Q)
        scale = self._new_scale(X, E2, previous)
        threshold = self._new_threshold(X, sizes, scale, done)
        return self._weigh_squares(E2, scale, threshold, sizes)

    def _weigh_squares(self, E2, scale, threshold, Q):
        u = np.multiply(E2, scale**-2, out=E2)
        cap = min(threshold / scale, 1 / smallest_weight(E2.dtype)) ** 2
        outliers = u > cap
        Q = self.weight(u, out=Q)
        np.clip(u, 0, cap, out=u)
        # Zero but for a sample that is all outliers: there, only the ratios of the weights matter.
        np.multiply(Q, smallest_weight(Q.dtype), out=Q, where=outliers)
        return Q, u, scale, threshold

    def _new_threshold(self, X, sizes, scale, done):
        if isinstance(self.outliers, Real):
            return float(self.outliers)
        rule = self.outliers if callable(self.outliers) else OUTLIER_RULES[self.outliers]
        # An error below the rounding of the data is no error.
        return max(float(rule(sizes, scale, done)), np.finfo(X.dtype).eps * float(X.max()))

    def _fixed_scales(self):
        """Return γ and ε for encoding: where a parameter does not fix them, those of the fit."""
        scale = self.scale_ if self.scale is None else float(self.scale)
        if self.outliers is None:
            return scale, np.inf
        fixed = isinstance(self.outliers, Real)
        return scale, float(self.outliers) if fixed else self.threshold_

    def _encoded(self, X, W, H=None):
        """Encode without truncation first: from far away, everything is an outlier."""
        if H is None and self.outliers is not None:
            scale, _ = self._fixed_scales()
            plain = TruncatedCauchyNMF(
                scale=scale, outliers=None, max_iter=self.max_iter, tol=self.tol
            )
            H = plain._encoded(X, W)
        return super()._encoded(X, W, H)

    def _keep(self, Q, u, scale, threshold, *more):
        outliers = smallest_weight(Q.dtype) >= Q
        self.weights_, self.outliers_ = np.where(outliers, 0, Q).T, outliers.T
        self.scale_, self.threshold_ = scale, threshold

    def _settled(self, history):
        tight = self.outliers == "mixture" and len(history) <= TIGHT_SWEEPS + 1
        return not tight and super()._settled(history)

    def _finish(self, X, W, H):
        """With a tolerance, end at the coefficients that `transform` finds for this W."""
        if self.tol > 0:
            H = self._encoded(X, W)
            self._keep(*self.weights(X, W, H, self.scale_, self.threshold_))
        return H

    def _check_parameters(self):
        super()._check_parameters()
        rule = self.outliers
        if isinstance(rule, Real) and not isinstance(rule, bool):
            self._check_positive("outliers")
        elif not (callable(rule) or rule is None or rule in OUTLIER_RULES):
            names = ", ".join(repr(name) for name in OUTLIER_RULES)
            raise ValueError(
                f"outliers == {rule!r}, must be one of {names}, a positive number or a callable."
            )

r"""Truncated Cauchy NMF, and the rules for which errors are outliers.

A rule is a function that returns the threshold. Its arguments are the absolute
residuals \|E\|, the scale, and the number of sweeps done.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_scalar

from rnmf_tutorial.base import POSITIVE, BaseNMF, loss_at_scale
from rnmf_tutorial.losses import SMALLEST_WEIGHT, Cauchy, WeightedLoss
from rnmf_tutorial.scale_warnings import warning_if_collapsed
from rnmf_tutorial.solvers.coordinate import CoordinateDescent
from rnmf_tutorial.solvers.guan import OptimalGradientUpdates
from rnmf_tutorial.solvers.nesterov import WeightedNesterov

__all__ = ["TruncatedCauchyNMF"]


# The rule "scale": a larger error is an outlier.
SCALES_TO_THRESHOLD = 6
# Constants of the rule "mixture". They were chosen by trial on ORL faces with one seed
# of noise, by the error against the clean faces.
TIGHT_SWEEPS = 20
TIGHT_SHARE = 0.35
FEWEST_OUTLIERS = 0.25
EM_STEPS = 40
SAMPLE_SIZE = 40_000


def three_sigma(sizes, scale, done):
    r"""Return μ + 3δ, with the mean μ and the deviation δ of the sizes up to their median.

    This is the paper's rule with one change. The paper looks for outliers among the
    sizes below the median (its set Γ), where there may be none; here they are sought
    among all sizes (its Θ). For many N(0, σ²) errors the threshold is 0.904σ, and the
    rule rejects 36.6% of them.

    Parameters
    ----------
    sizes : ndarray of shape (n_features, n_samples)
        The absolute errors.
    scale : float
        Not used.
    done : int
        Not used.

    Returns
    -------
    float

    References
    ----------
    Guan et al. (2019), section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> three_sigma(np.array([[1.0, 3.0, 4.0, 50.0]]), 1.0, 0)
    5.0
    """
    half = sizes.size // 2
    lower = np.partition(sizes.ravel(order="K"), max(half - 1, 0))[: max(half, 1)]
    return float(lower.mean() + 3 * lower.std())


def median_deviation(sizes, scale, done):
    r"""Return three times 1.4826 times the median size.

    The median size of N(0, σ²) errors is σ/1.4826. So the threshold is 3σ for them, and
    the rule rejects 0.27% of them.

    Parameters
    ----------
    sizes : ndarray of shape (n_features, n_samples)
        The absolute errors.
    scale : float
        Not used.
    done : int
        Not used.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> round(median_deviation(np.array([[1.0, 2.0, 90.0]]), 1.0, 0), 4)
    8.8956
    """
    return 3 * 1.4826 * _quantile(sizes, 0.5)


def mixture(sizes, scale, done, *, odds=20.0):
    r"""Return the size at which an error is `odds` times as likely to be an outlier as not.

    In the first 20 sweeps the threshold is the 35% quantile of the sizes. This small
    threshold helps if half of the data or more are wrong. After that, the sizes are
    modeled as a mixture: with probability π they have the density :math:`e^{-s/b}/b` of
    Laplace errors, otherwise they are uniform between 0 and the largest, R. The
    expectation-maximization algorithm estimates π and b from about 40,000 entries. The
    odds of an outlier are ω at

    .. math:: s = b \ln\frac{\omega\, \pi R}{(1 - \pi)\, b} .

    If this is negative, the threshold is zero. If less than a quarter of the entries
    are beyond the threshold, it is infinite: the Cauchy weights are enough for a few
    outliers, and the largest errors of clean data are not cut off. If the good entries
    are fitted exactly, it is zero.

    Parameters
    ----------
    sizes : ndarray of shape (n_features, n_samples)
        The absolute errors.
    scale : float
        Not used.
    done : int
        The number of sweeps done.
    odds : float, default=20.0
        The ω. Larger odds keep more of the large errors of good entries, which helps if
        few entries are bad. Smaller odds help if most entries are bad.

    Returns
    -------
    float

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sizes = np.append(rng.exponential(0.1, 6000), rng.uniform(0, 5, 4000))
    >>> round(mixture(sizes, 1.0, done=20), 2)
    0.73
    >>> round(0.1 * float(np.log(20 * 0.6 * 5 / (0.4 * 0.1))), 2)
    0.73
    """
    if done < TIGHT_SWEEPS:
        return _quantile(sizes, TIGHT_SHARE)
    every = max(1, sizes.size // SAMPLE_SIZE)
    sample = sizes.ravel(order="K")[::every].astype(np.float64)
    R = sample.max()
    b = _quantile(sample, 0.25) / np.log(4 / 3)
    share = 0.5
    exact = np.finfo(np.float64).eps * R
    for _ in range(EM_STEPS):
        if b <= exact:
            break
        laplace = share / b * np.exp(sample / -b)
        inlier = laplace / (laplace + (1 - share) / R)
        share = np.clip(inlier.mean(), 1e-4, 1 - 1e-4)
        b = inlier @ sample / inlier.sum()
    if b <= exact:  # the good entries fit exactly, so every error is an outlier
        return 0.0
    threshold = max(float(b * np.log(odds * share * R / ((1 - share) * b))), 0.0)
    return threshold if (sizes > threshold).mean() >= FEWEST_OUTLIERS else np.inf


def _quantile(sizes, share):
    place = int(share * sizes.size)
    return float(np.partition(sizes.ravel(order="K"), place)[place])


#: What ``TruncatedCauchyNMF(outliers=...)`` takes by name.
OUTLIER_RULES = {
    None: lambda sizes, scale, done: np.inf,
    "scale": lambda sizes, scale, done: SCALES_TO_THRESHOLD * scale,
    "three-sigma": three_sigma,
    "mad": median_deviation,
    "mixture": mixture,
}


#: What ``TruncatedCauchyNMF(solver=...)`` takes by name.
SOLVERS = {
    "cd": CoordinateDescent,
    "nesterov": WeightedNesterov,
    "published": OptimalGradientUpdates,
}


@dataclass(frozen=True)
class TruncatedCauchy(Cauchy):
    """φ(u) = ln(1 + min(u, cap)); the weight of an outlier is tiny, but not zero."""

    cap: float

    @classmethod
    def at(cls, ratio, dtype):
        """Return φ for a threshold of `ratio` scales; rounding makes no error at it an outlier."""
        cap = min(ratio, 1 / SMALLEST_WEIGHT[np.dtype(dtype)]) ** 2
        return cls(cap * (1 + 16 * np.finfo(dtype).eps))

    def value(self, u, q):
        """Return ln(1 + u) up to the cap, a constant beyond."""
        return np.log1p(inside := np.minimum(u, self.cap), out=inside)

    def slope(self, u, out=None):
        """Return 1 / (1 + u) up to the cap, and this times a tiny factor beyond."""
        outliers = u > self.cap
        q = np.add(u, 1, out=out)
        np.divide(1, q, out=q)
        # Not zero, for a sample of outliers only: its update depends on the ratios of
        # its weights.
        return np.multiply(q, SMALLEST_WEIGHT[q.dtype], out=q, where=outliers)


@dataclass(eq=False)
class TruncatedLoss(WeightedLoss):
    """The loss with a threshold ε, which a rule can set again after every sweep.

    Parameters
    ----------
    rule : callable, optional
        Returns ε from the sizes of the errors, γ and the number of sweeps done.
    threshold : float, default=inf
    done : int, default=-1
        The number of sweeps done; -1 before the start point.
    fixed_scale : bool, default=False
        Whether only the threshold is estimated again after every sweep.
    """

    rule: Any = None
    threshold: float = np.inf
    done: int = -1
    fixed_scale: bool = False

    def rescaled(self, work, W, H, memory=None, products=None):
        """Return the loss with γ (line 3) and ε (line 4) estimated, and the comparison."""
        used, products = self.used_energies(work, W, H, products, self.every_zero)
        scale = self.scale
        threshold = self.threshold
        if not self.fixed_scale:
            c = self.phi.estimate(used, None if self.scale is None else self.c)
            scale = max(float(c) ** 0.5, work.rounding())
        if self.rule is not None:
            threshold = self.rule(np.sqrt(used), scale, self.done + 1)
            # A residual below the rounding error of the data counts as zero.
            threshold = max(threshold, work.rounding())
        phi = TruncatedCauchy.at(threshold / scale, used.dtype)
        done = self.done + 1
        loss = replace(self, scale=scale, threshold=threshold, phi=phi, done=done)
        return loss, loss.compare(work, W, H, memory, products)

    def positive_weights(self, comparison):
        """Return the slopes, as none of them is zero."""
        return comparison.derivatives


class TruncatedCauchyNMF(BaseNMF):
    r"""NMF with the truncated Cauchy loss: outliers cost a constant and have no weight.

    Minimizes :math:`\sum_{ij} \gamma^2 \ln\bigl(1 + \min(E_{ij}^2,
    \varepsilon^2)/\gamma^2\bigr)` with :math:`E = X - WH`, over non-negative W and H:
    (2) of Guan et al. times :math:`2\gamma^2`, so that a small error costs its square.
    The threshold is :math:`\varepsilon = \gamma\sqrt\sigma` in the paper's symbols. The
    weights are :math:`1/(1 + E_{ij}^2/\gamma^2)` up to the threshold and zero beyond.

    A sweep of the solver "published" is one pass of Algorithm 2. Nesterov's method
    solves the weighted least squares problem for H, then that for W, each with new
    weights. The solver "nesterov" is a shortcut that takes twelve gradient steps for
    each. Then γ takes a step of Nagy's iteration, and the rule sets the threshold. With
    a fixed scale and a fixed threshold the objective never rises.

    See the chapter *Truncated Cauchy NMF* of the book.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float, "published" or None, default=None
        The γ, in the units of the data. None takes 3.5 times the median \|e\| of a
        robust start (:mod:`~rnmf_tutorial.starts`). "published" is Nagy's iteration
        (18): until it converges at the start, and one step after each sweep. Zeros that
        are fitted as zeros are ignored, also by the rules for outliers, but not by the
        solver "published".
    outliers : str, float, callable or None, default="scale"
        The threshold for outliers: six times γ ("scale"); that of another rule
        ("three-sigma", "mad" or "mixture"), set
        again after every sweep (:mod:`~rnmf_tutorial.models.truncated`); a number in
        the units of the data; or None for no outliers. A callable takes \|E\|, γ and
        the number of sweeps done, and returns the threshold. The paper's "three-sigma"
        rejects more than a third of clean data.
    solver : {"cd", "nesterov", "published"}, default="cd"
        Coordinate descent on the cleaned data; the printed Algorithms 1 and 2
        ("published"); or a shortcut of these, twelve gradient steps for each factor
        ("nesterov").
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=500
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
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
        The objective at the start point and after each sweep, each at its own sweep's
        scale and threshold.
    n_iter_ : int
        Number of sweeps.
    n_components_ : int
        The number of components.
    reconstruction_err_ : float
        How far WH is from the data after the last sweep, as in scikit-learn: the
        Frobenius norm of X - WH, or for the Kullback-Leibler divergence the root of
        twice its value. Missing entries do not count. All others count in full, gross
        errors too, whatever their weights. After a fit with weights to a Dask array it
        is a Dask array: its ``compute()`` reads the data once more.
    sample_names_in_ : Index or None
        The index of the data frame of the fit; None if the data were not a frame.

    Notes
    -----
    :class:`rnmf_tutorial.published.guan.TruncatedCauchyNMF` lists where the solver
    "published" differs from the printed algorithms. The shortcut "nesterov" differs
    further. Each least squares problem gets twelve gradient steps, where the test (15)
    takes some hundred, and this can lead to another minimum. And zeros that are fitted
    as zeros do not count when γ and the threshold are estimated.

    References
    ----------
    Guan, Liu, Zhang, Tao and Davis, *Truncated Cauchy non-negative matrix
    factorization*, IEEE TPAMI 2019, Algorithm 2.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> model = TruncatedCauchyNMF(1, random_state=0).fit(A)
    >>> np.argwhere(model.outliers_).tolist()
    [[1, 2]]
    """

    takes_missing: ClassVar[bool] = True
    choices: ClassVar[dict] = BaseNMF.choices | {"solver": tuple(SOLVERS)}
    phi: ClassVar = TruncatedCauchy(np.inf)

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: float | str | None = None,
        outliers: Any = "scale",
        solver: str = "cd",
        init: Any = "random",
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.scale = scale
        self.outliers = outliers
        self.solver = solver

    @property
    def least_sweeps(self):
        """The sweeps with the small threshold of the rule "mixture", which `tol` cannot stop."""
        return TIGHT_SWEEPS if self.outliers == "mixture" else 0

    def _loss(self, work, W, H):
        """Return (2) times 2γ², with γ and ε given or to be estimated."""
        loss = loss_at_scale(self, work, W, H, TruncatedLoss())
        # As printed, γ and the threshold are estimated from all entries.
        loss = replace(loss, every_zero=self.solver == "published")
        if isinstance(self.outliers, Real):
            loss = replace(loss, threshold=float(self.outliers))
        elif self.outliers == "scale" and not loss.reestimated:
            loss = replace(loss, threshold=SCALES_TO_THRESHOLD * loss.scale)
        elif self.outliers is not None:
            fixed = not loss.reestimated
            return replace(
                loss, rule=self._threshold, reestimated=True, fixed_scale=fixed
            )
        if loss.reestimated:
            return loss
        phi = TruncatedCauchy.at(loss.threshold / loss.scale, W.dtype)
        return replace(loss, phi=phi)

    def with_components(self, components: ArrayLike) -> Self:
        """Return a copy of the model that encodes samples with a known basis.

        No data are fitted, so what a fit would estimate has to be given: `scale` as a
        number, and `outliers` as a number, "scale" or None. A clone of the copy forgets
        the basis.

        Parameters
        ----------
        components : array-like of shape (n_components, n_features)
            The basis, non-negative, such as reference spectra. If it is a data frame,
            samples in frames must have the same columns in the same order.

        Returns
        -------
        estimator
            `transform`, `inverse_transform` and `score` work as after a fit. Its
            `n_components` is the number of rows of `components`.

        Raises
        ------
        ValueError
            If the model would have to estimate its scale or its threshold.
        """
        rule = self.outliers
        if not (rule is None or rule == "scale" or isinstance(rule, Real)):
            raise ValueError(
                f"{type(self).__name__}.with_components has no data to estimate outliers "
                'from: give outliers as a number, "scale" or None.'
            )
        return super().with_components(components)

    def _threshold(self, sizes, scale, done):
        """Return the threshold of the rule; raise an error if it is not valid."""
        rule = (
            self.outliers if callable(self.outliers) else OUTLIER_RULES[self.outliers]
        )
        threshold = float(rule(sizes, scale, done))
        if not threshold >= 0:
            raise ValueError(
                f"outliers={rule!r} returned {threshold}; it must be at least 0."
            )
        return threshold

    def _solver(self, loss):
        """Return the solver that the parameter names."""
        return SOLVERS[self.solver]()

    def _fitted_arrays(self, work, state):
        """Return the weights, zero for outliers; the outliers; γ and ε."""
        loss = state.loss
        comparison = loss.compare(work, state.W, state.H)
        outliers = comparison.u > loss.phi.cap
        return {
            "weights_": np.where(outliers, 0, comparison.slopes),
            "outliers_": outliers,
            "scale_": loss.scale,
            "threshold_": loss.threshold,
        }

    def _warning(self, work, W, H, loss):
        """Return the text of a warning about the scale or the threshold, or None."""
        text = None
        if loss.rule is not None:
            text = warning_if_collapsed(work, loss.threshold, "outliers")
        return text or super()._warning(work, W, H, loss)

    def _check_parameters(self):
        """Raise an error for a parameter out of range."""
        super()._check_parameters()
        rule = self.outliers
        if isinstance(rule, Real) and not isinstance(rule, bool):
            check_scalar(rule, "outliers", Real, **POSITIVE)
            if not np.isfinite(rule):
                raise ValueError(f"outliers == {rule}, must be a finite number.")
        elif not (
            callable(rule) or (isinstance(rule, str | None) and rule in OUTLIER_RULES)
        ):
            names = ", ".join(repr(name) for name in OUTLIER_RULES)
            raise ValueError(
                f"outliers == {rule!r}, must be one of {names}, a positive number or a callable."
            )

"""The methods of Guan et al. (2019), and those of its Table I.

``NeNMF`` and ``L1NMF`` are the classes of the package. Guan et al. print nothing of these
methods, which have papers of their own, and stop at `tol` or `max_iter`. So their inner
iterations are those of this package:

- ``NeNMF``: Algorithm 1 with all weights one, for a whole factor together. The momentum
  restarts where a step points uphill. The steps end when the projected gradient has
  fallen to about a tenth, or after 30 of them.
- ``L1NMF``: twenty steps of Nesterov's method per factor and sweep, on a smoothed sum of
  absolute errors. The smoothing falls to a thousandth of the mean absolute error of the
  start within 60 sweeps. With ``tol > 0``, linear programs follow.
"""

from collections.abc import Callable
from typing import Any

from rnmf_tutorial import models
from rnmf_tutorial.models import L1NMF, NeNMF
from rnmf_tutorial.published.diaz import L21NMF
from rnmf_tutorial.published.lee import NMF
from rnmf_tutorial.published.zhang import RobustNMF

__all__ = [
    "CIMNMF",
    "L1NMF",
    "L21NMF",
    "NMF",
    "CappedNMF",
    "CauchyNMF",
    "HuberNMF",
    "HypersurfaceNMF",
    "NeNMF",
    "RobustNMF",
    "TruncatedCauchyNMF",
]


class HuberNMF(models.HuberNMF):
    r"""Huber-NMF with multiplicative updates and the median rule for the cutoff.

    This is :class:`rnmf_tutorial.HuberNMF` with the update and the rules of the paper
    as its defaults.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float, "published" or None, default="published"
        The cutoff c, in the units of the data. None takes 1.5 times the median \|e\| of
        a robust start (:mod:`~rnmf_tutorial.starts`). "published" takes the median
        after every sweep; this scale collapses if the data can be fitted well. With
        "cd" it ignores zeros that are fitted as zeros.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        The divergence of an entry of the data from its fit. The formula above is for
        squares, where it is e². With Kullback-Leibler it takes the place of e², and the
        scale that of its own square, because this divergence has the unit of the data.
    solver : {"cd", "mu"}, default="mu"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
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

    Notes
    -----
    What differs from the paper:

    - A median below the rounding error of the data is replaced by this error. If more
      than half of the data are zeros that are fitted as zeros, their median is zero, and
      the rule cannot be used.
    - The paper does not print the updates. Here they are multiplicative, with the weights
      of Table I computed before each factor, and a quotient 0/0 is taken as zero.

    References
    ----------
    Du, Li and Shen, *Robust nonnegative matrix factorization via half-quadratic
    minimization*, ICDM 2012; HuberNMF in Table I of Guan et al. (2019), and their
    section 4.7 for the cutoff.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import guan
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> model = guan.HuberNMF(1, max_iter=3, tol=0, random_state=0).fit(A)
    >>> bool(model.objective_history_[-1] <= model.objective_history_[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: float | str | None = "published",
        divergence: str = "frobenius",
        solver: str = "mu",
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            scale=scale,
            divergence=divergence,
            solver=solver,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )


class CIMNMF(models.CIMNMF):
    r"""CIM-NMF with multiplicative updates and the published kernel size.

    This is :class:`rnmf_tutorial.CIMNMF` with the update and the rules of the paper as
    its defaults.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float, "published" or None, default="published"
        The kernel size σ, in the units of the data. None takes six times the median
        \|e\| of a robust start (:mod:`~rnmf_tutorial.starts`). "published" sets σ² to
        half the mean of e² after every sweep, with "cd" without zeros that are fitted as
        zeros.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        The divergence of an entry of the data from its fit. The formula above is for
        squares, where it is e². With Kullback-Leibler it takes the place of e², and the
        scale that of its own square, because this divergence has the unit of the data.
    solver : {"cd", "mu"}, default="mu"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
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

    Notes
    -----
    What differs from the paper:

    - The weights are those of the repaired Table I: the printed ones grow with the
      error.
    - The objective is the repaired one times a number, so that a small residual costs its
      square. A σ below the rounding error of the data is replaced by this error.
    - The paper does not print the updates. Here they are multiplicative, with the weights
      computed before each factor, and a quotient 0/0 is taken as zero.

    References
    ----------
    Du, Li and Shen, *Robust nonnegative matrix factorization via half-quadratic
    minimization*, ICDM 2012; CIM-NMF in Table I of Guan et al. (2019); equation (23) of
    Cheng, Wang and Guan (2022) for σ.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import guan
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> model = guan.CIMNMF(1, max_iter=3, tol=0, random_state=0).fit(A)
    >>> bool(model.objective_history_[-1] <= model.objective_history_[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: float | str | None = "published",
        divergence: str = "frobenius",
        solver: str = "mu",
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            scale=scale,
            divergence=divergence,
            solver=solver,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )


class CauchyNMF(models.CauchyNMF):
    r"""Cauchy-NMF with multiplicative updates and Nagy's iteration for the scale.

    This is :class:`rnmf_tutorial.CauchyNMF` with the update and the rules of the paper
    as its defaults.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float, "published" or None, default="published"
        The γ, in the units of the data. None takes 3.5 times the median \|e\| of a
        robust start (:mod:`~rnmf_tutorial.starts`). "published" is Nagy's iteration
        (18): until it converges at the start, and one step after each sweep. Its fixed
        point is the maximum-likelihood γ of Cauchy errors. This scale collapses if the
        data can be fitted well. With "cd" it ignores zeros that are fitted as zeros.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        The divergence of an entry of the data from its fit. The formula above is for
        squares, where it is e². With Kullback-Leibler it takes the place of e², and the
        scale that of its own square, because this divergence has the unit of the data.
    solver : {"cd", "mu"}, default="mu"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
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

    Notes
    -----
    What differs from the paper:

    - The square of the error, which Table I lacks, is there, and the objective is scaled
      so that a small residual costs its square.
    - The paper's CauchyNMF is Algorithm 2 without truncation (its footnote 8). Here the
      updates are multiplicative, as in Huber-NMF, and a quotient 0/0 is taken as zero.
    - A γ below the rounding error of the data is replaced by this error.

    References
    ----------
    Guan, Liu, Zhang, Tao and Davis, *Truncated Cauchy non-negative matrix
    factorization*, IEEE TPAMI 2019: CauchyNMF in Table I, and equations (2), (12), (18)
    without truncation.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import guan
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> model = guan.CauchyNMF(1, max_iter=3, tol=0, random_state=0).fit(A)
    >>> bool(model.objective_history_[-1] <= model.objective_history_[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: float | str | None = "published",
        divergence: str = "frobenius",
        solver: str = "mu",
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            scale=scale,
            divergence=divergence,
            solver=solver,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )


class HypersurfaceNMF(models.HypersurfaceNMF):
    r"""NMF with the hypersurface cost, multiplicative updates and the published scale.

    This is :class:`rnmf_tutorial.HypersurfaceNMF` with the update and the rules of the
    paper as its defaults.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float, "published" or None, default=1.0
        The c where squares turn into absolute values, in the units of the data. Table I
        has 1 for all data, so a fit depends on their unit. None takes 1.5 times the
        median \|e\| of a robust start (:mod:`~rnmf_tutorial.starts`). "published" takes
        the median after every sweep, which is the rule of Huber-NMF. With "cd" it
        ignores zeros that are fitted as zeros.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        The divergence of an entry of the data from its fit. The formula above is for
        squares, where it is e². With Kullback-Leibler it takes the place of e², and the
        scale that of its own square, because this divergence has the unit of the data.
    solver : {"cd", "mu"}, default="mu"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
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

    Notes
    -----
    What differs from the paper:

    - The method's own paper takes gradient steps with a line search. Here the updates are
      multiplicative, with the weights of Table I computed before each factor, and a
      quotient 0/0 is taken as zero.
    - The objective is twice the sum in Table I, so that a small residual costs its square.

    References
    ----------
    Hamza and Brady, *Reconstruction of reflectance spectra using robust nonnegative
    matrix factorization*, IEEE TSP 2006; HCNMF in Table I and section 4.2 of Guan et
    al. (2019).

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import guan
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> model = guan.HypersurfaceNMF(1, max_iter=3, tol=0, random_state=0).fit(A)
    >>> bool(model.objective_history_[-1] <= model.objective_history_[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: float | str | None = 1.0,
        divergence: str = "frobenius",
        solver: str = "mu",
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            scale=scale,
            divergence=divergence,
            solver=solver,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )


class CappedNMF(models.CappedNMF):
    r"""Capped-norm NMF with multiplicative updates.

    This is :class:`rnmf_tutorial.CappedNMF` with the update and the rules of the paper
    as its defaults.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    group : {"samples", "features"}, default="samples"
        What shares a weight: a sample, as published, or a feature.
    solver : {"cd", "mu"}, default="mu"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    theta : float, "published" or None, default="published"
        The cap θ, a length in the units of the data. None takes three times the median
        length of the residuals of a robust start (:mod:`~rnmf_tutorial.starts`), and at
        least 1/100 of the median length of the data. "published" takes three times the
        median length after every sweep. The papers give no rule; from a random start,
        this one can leave out good samples for the whole fit. Samples of zeros that are
        fitted as zeros are ignored.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
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

    Notes
    -----
    What differs from the paper:

    - The papers give no rule for the cap. "published" takes three times the median
      length after every sweep.
    - A sample beyond the cap has a tiny weight instead of zero, so that its update is
      defined. A residual at the level of rounding gets the weight of 200 rounding errors
      of the longest sample.
    - The method's own paper uses another iteration. Here the updates are those of Kong et
      al., and a quotient 0/0 is taken as zero.

    References
    ----------
    Gao, Nie, Cai and Huang, *Robust capped norm nonnegative matrix factorization*, CIKM
    2015; RCNMF in Table I of Guan et al. (2019).

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import guan
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> model = guan.CappedNMF(1, max_iter=3, tol=0, random_state=0).fit(A)
    >>> bool(model.objective_history_[-1] <= model.objective_history_[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        group: str = "samples",
        solver: str = "mu",
        theta: float | str | None = "published",
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            group=group,
            solver=solver,
            theta=theta,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )


class TruncatedCauchyNMF(models.TruncatedCauchyNMF):
    r"""Truncated Cauchy NMF by Algorithms 1 and 2 of Guan et al. (2019).

    This is :class:`rnmf_tutorial.TruncatedCauchyNMF` with the paper's algorithms and its
    rules as its defaults. A sweep is one pass of Algorithm 2. It solves one least squares
    problem for every column of H and one for every row of W, each until the projected
    gradient has fallen to a thousandth of its start (15). At rank 40 that takes some
    hundred gradient steps.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    scale : float, "published" or None, default="published"
        The γ, in the units of the data. None takes 3.5 times the median \|e\| of a
        robust start (:mod:`~rnmf_tutorial.starts`). "published" is Nagy's iteration
        (18): until it converges at the start, and one step after each sweep. Zeros that
        are fitted as zeros are ignored, also by the rules for outliers, but not by the
        solver "published".
    outliers : str, float, callable or None, default="three-sigma"
        The threshold for outliers: six times γ ("scale"); that of another rule
        ("three-sigma", "mad" or "mixture"), set
        again after every sweep (:mod:`~rnmf_tutorial.models.truncated`); a number in
        the units of the data; or None for no outliers. A callable takes \|E\|, γ and
        the number of sweeps done, and returns the threshold. The paper's "three-sigma"
        rejects more than a third of clean data.
    solver : {"cd", "nesterov", "published"}, default="published"
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

    Notes
    -----
    With its defaults the estimator has the iterates of the box
    :func:`rnmf_tutorial.papers.guan.truncated_cauchy`, to rounding. What differs from
    the paper:

    - Algorithm 1 returns h. The printed z can be negative.
    - Algorithm 1 takes at most 1000 steps, because rounding can keep (15) from ever
      being met. The ε₁ of (15), which is not printed, is at most 10⁻³.
    - Line 2 comes after lines 3 and 4, so that the weights belong to the new γ.
    - The first γ is the limit of (18), from the root mean square of the errors; γ₀ is
      not printed.
    - Outliers are left out of the update of W too. With line 7 as printed the objective
      can rise.
    - The rule for outliers looks for them among all errors. The printed one looks among
      those below the median.
    - γ and the threshold are at least the rounding error of the largest entry.
    - The recorded objective is (2) times 2γ².
    - The sweeps stop by `tol` or `max_iter` instead of (16). With an estimated γ, (2)
      can rise while the fit improves.

    References
    ----------
    Guan, Liu, Zhang, Tao and Davis, *Truncated Cauchy non-negative matrix
    factorization*, IEEE TPAMI 2019, Algorithms 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import guan
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> model = guan.TruncatedCauchyNMF(1, max_iter=3, tol=0, random_state=0).fit(A)
    >>> bool(model.objective_history_[-1] <= model.objective_history_[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: float | str | None = "published",
        outliers: Any = "three-sigma",
        solver: str = "published",
        init: Any = "random",
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            scale=scale,
            outliers=outliers,
            solver=solver,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )

"""The methods of Díaz, Steele and Nguyen: those of Shen et al. and Kong et al., and NMF.

For NMF the paper compares random starts with NNDSVD, which is ``init="nndsvd"`` here.
"""

from collections.abc import Callable
from typing import Any

from rnmf_tutorial import models
from rnmf_tutorial.published.lee import NMF
from rnmf_tutorial.published.zhang import RobustNMF

__all__ = ["L21NMF", "NMF", "L1RobustNMF", "RobustNMF"]


class L21NMF(models.L21NMF):
    r"""L2,1-NMF by the updates of Kong et al. (2011).

    This is :class:`rnmf_tutorial.L21NMF` with the update and the rules of the paper as
    its defaults.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    group : {"samples", "features"}, default="samples"
        What shares a weight: a sample, as published, or a feature, for data in which
        whole features are wrong.
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

    - A residual at the level of rounding gets the weight of 200 rounding errors of the
      longest sample, so that no weight is infinite.
    - A quotient 0/0 is taken as zero: see :func:`rnmf_tutorial.arithmetic.ratio`.

    References
    ----------
    Kong, Ding and Huang, *Robust nonnegative matrix factorization using L21-norm*, CIKM
    2011; equations (16)-(18) of Díaz, Steele and Nguyen.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import diaz
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> model = diaz.L21NMF(1, max_iter=3, tol=0, random_state=0).fit(A)
    >>> bool(model.objective_history_[-1] <= model.objective_history_[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        group: str = "samples",
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
            group=group,
            solver=solver,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )


class L1RobustNMF(models.L1RobustNMF):
    r"""Robust NMF by the updates of Shen et al. (2012), with their λ.

    This is :class:`rnmf_tutorial.L1RobustNMF` with the update and the rules of the
    paper as its defaults.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    lam : float or None, default=0.04
        The weight λ of the squared column sums of the error. It has no unit. A residual
        counts as an error if it exceeds λ times the sum of \|S\| in its column. So the
        more errors a sample has, the smaller is the part of them that S takes. None
        takes 16 / n_features: a normal residual then counts as an error above 1.35
        standard deviations. Shen et al. take 0.04.
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

    - P and N start at the parts of the best error matrix plus a margin, because the
      updates never change a zero. The paper starts W, H and the error at the sizes of
      standard normal numbers, whatever the unit of the data.
    - The constraint X - S ≥ 0, for which the paper has no update, is kept by lowering P.
    - (13) is computed by blocks, which gives the same numbers.
    - A quotient 0/0 is taken as zero: see :func:`rnmf_tutorial.arithmetic.ratio`.

    References
    ----------
    Shen, Si, Ji and Liu, *Robust nonnegative matrix factorization via L1 norm
    regularization*, 2012. Equation numbers in the code are those of Díaz, Steele and
    Nguyen, *Analysis of the robustness of NMF algorithms*, whose U, V, E are W, H, S
    here.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import diaz
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> model = diaz.L1RobustNMF(1, max_iter=3, tol=0, random_state=0).fit(A)
    >>> bool(model.objective_history_[-1] <= model.objective_history_[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        lam: float | None = 0.04,
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
            lam=lam,
            solver=solver,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )

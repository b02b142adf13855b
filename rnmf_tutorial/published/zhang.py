"""The methods of Zhang et al. (2011), with their updates."""

from collections.abc import Callable
from typing import Any

from rnmf_tutorial import models
from rnmf_tutorial.published.lee import NMF

__all__ = ["NMF", "RobustNMF"]


class RobustNMF(models.RobustNMF):
    r"""Robust NMF by Algorithm 1 of Zhang et al. (2011).

    This is :class:`rnmf_tutorial.RobustNMF` with the update and the rules of the paper
    as its defaults.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    lam : float or None, default=None
        The weight λ of the sparse error, in the units of the data. A residual above λ/2
        counts as an error. A λ above twice the largest residual gives plain NMF. None
        takes three times the median \|e\| of a robust start
        (:mod:`~rnmf_tutorial.starts`), because with the best S the objective is a Huber
        loss with the cutoff λ/2.
    solver : {"cd", "mu"}, default="mu"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.solvers.coordinate`.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps. With ``tol=0`` it is the t of Algorithm 1, which the
        paper does not print.
    tol : float, default=0.0
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning, as in Algorithm 1.
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

    - The paper gives no rule for λ. ``lam=None`` is a rule of this package; give the λ
      of the experiment.
    - Line 8 is printed before line 9, which then multiplies by the norms of columns that
      have length one. Here line 9 takes the norms from before line 8.
    - A quotient 0/0 is taken as zero: see :func:`rnmf_tutorial.arithmetic.ratio`. A
      column of zeros of W is not divided by its length.

    References
    ----------
    Zhang, Chen, Zheng and He, *Robust non-negative matrix factorization*, 2011.
    Equation numbers in the code are the paper's.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import zhang
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> model = zhang.RobustNMF(1, lam=1.0, max_iter=3, tol=0, random_state=0).fit(A)
    >>> bool(model.objective_history_[-1] <= model.objective_history_[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        lam: float | None = None,
        solver: str = "mu",
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 0.0,
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

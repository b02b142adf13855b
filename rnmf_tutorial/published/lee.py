"""The method of Lee and Seung (2001), with their updates."""

from collections.abc import Callable
from typing import Any

from rnmf_tutorial import models

__all__ = ["NMF"]


class NMF(models.NMF):
    r"""Lee and Seung's NMF with their multiplicative updates.

    This is :class:`rnmf_tutorial.NMF` with the update and the rules of the paper as
    its defaults.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    loss : {"frobenius", "kullback-leibler"}, default="frobenius"
        Which of the two objectives.
    normalize : {None, "l1", "l2"}, default=None
        Divide the columns of W by this norm after each sweep, and multiply H by it; WH
        is unchanged.
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

    - The paper updates H and W and stops nowhere; here a fit stops at `tol` or
      `max_iter`.
    - A quotient 0/0 is taken as zero: see :func:`rnmf_tutorial.arithmetic.ratio`.

    References
    ----------
    Lee and Seung, *Algorithms for non-negative matrix factorization*, NIPS 2001;
    equation numbers in the code are those of Zhang et al. (2011).

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import lee
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> model = lee.NMF(1, max_iter=3, tol=0, random_state=0).fit(A)
    >>> bool(model.objective_history_[-1] <= model.objective_history_[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        loss: str = "frobenius",
        normalize: str | None = None,
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
            loss=loss,
            normalize=normalize,
            solver=solver,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )

"""The methods of *Regularized non-negative matrix factorization*, and local NMF in it.

``RegularizedNMF`` and ``LocalNMF`` are the classes of the package, whose defaults are
those of the paper. What differs from the paper:

- ``RegularizedNMF``: the paper asks for a μ that is small enough. Here it is 1.9 times a
  length that never raises the objective, or this length if the longer step would raise
  it. A column that step (b) makes zero becomes a single pixel, where (c) would divide
  zero by zero. The λ of (11) comes from a whole fit with λ = 0, and the paper can be
  read so that it comes from the start.
- ``LocalNMF``: (8) and (9) do not belong together, so the recorded objective is the one
  that the updates lower. At the end (5a) starts from equal coefficients, and stops for
  each sample when its coefficients change by at most `tol`.
- Both: "until convergence" is `tol`, and a quotient 0/0 is taken as zero. Where a start
  is random, it is uniform as in the paper, times a number that suits the data.
"""

from collections.abc import Callable
from typing import Any

from rnmf_tutorial.models import LocalNMF, RegularizedNMF
from rnmf_tutorial.published import lee

__all__ = ["NMF", "LocalNMF", "RegularizedNMF"]


class NMF(lee.NMF):
    r"""NMF by rule 1 or rule 2, with columns of W of sum one after each sweep.

    This is :class:`rnmf_tutorial.NMF` with the update and the rules of the paper as
    its defaults.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    loss : {"frobenius", "kullback-leibler"}, default="frobenius"
        Which of the two objectives.
    normalize : {None, "l1", "l2"}, default="l1"
        Divide the columns of W by this norm after each sweep, and multiply H by it; WH
        is unchanged. "l1" is (6), which section 5.1 takes, and "l2" is (7).
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

    - (6) and (7) normalize W alone. Here H is multiplied by the norms, so that WH stays
      as it is.
    - The paper makes 4,000 sweeps, as with ``max_iter=4000, tol=0``.
    - A quotient 0/0 is taken as zero: see :func:`rnmf_tutorial.arithmetic.ratio`.

    References
    ----------
    *Regularized non-negative matrix factorization*, equations (4) to (7).

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial.published import regularized
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> model = regularized.NMF(1, max_iter=3, tol=0, random_state=0).fit(A)
    >>> bool(model.objective_history_[-1] <= model.objective_history_[0])
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        loss: str = "frobenius",
        normalize: str | None = "l1",
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

"""Count what a sweep computes: multiplications in products, and passes over arrays like X."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from rnmf_tutorial.fitting import Work, iterate
from studies.machinery.measures import problem_of

__all__ = ["Operations", "count_sweep"]


@dataclass
class Operations:
    """What was counted.

    Parameters
    ----------
    multiplications : int, default=0
        Of all matrix products, each with its addition.
    passes : int, default=0
        Operations, other than products, on at least one array of half the size of X or
        more.

    Examples
    --------
    >>> Operations(passes=2)
    Operations(multiplications=0, passes=2)
    """

    multiplications: int = 0
    passes: int = 0


class _Counted(np.ndarray):
    """An array that adds everything done with it to one tally."""

    tally = Operations()
    least = 0

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        plain = [_plain(x) for x in inputs]
        if "where" in options:
            options["where"] = _plain(options["where"])
        if out is not None:
            options["out"] = tuple(_plain(x) for x in out)
        result = getattr(ufunc, method)(*plain, **options)
        if ufunc is np.matmul:
            self.tally.multiplications += np.size(result) * np.shape(plain[0])[-1]
        else:
            self._pass([*plain, result])
        if out is not None and ufunc.nout == 1:
            return out[0]
        return _counted(result)

    def __array_function__(self, function, types, args, kwargs):
        result = super().__array_function__(function, types, args, kwargs)
        if function in (
            np.vdot,
            np.einsum,
            np.where,
            np.partition,
            np.copyto,
            np.sort,
            np.cumsum,
        ):
            self._pass([*args, *kwargs.values(), result])
        return _counted(result)  # np.where, for one, returns a plain array

    def _pass(self, operands):
        sizes = [x.size for x in operands if isinstance(x, np.ndarray)]
        if max(sizes) >= self.least:
            self.tally.passes += 1


def _plain(x):
    return x.view(np.ndarray) if isinstance(x, _Counted) else x


def _counted(x):
    return x.view(_Counted) if type(x) is np.ndarray else x


def count_sweep(
    model: BaseEstimator, A: ArrayLike, y: ArrayLike | None = None
) -> Operations:
    """Count the operations of one sweep and of the objective after it.

    The second sweep is counted: what the first one finds ready is then what it always
    finds.

    Parameters
    ----------
    model : estimator
        One of the package's models.
    A : ndarray of shape (n_samples, n_features)
    y : array-like of shape (n_samples,), optional
        Labels, for a model that takes them.

    Returns
    -------
    Operations

    Examples
    --------
    Two products with X, each of m·n·r multiplications, and four with r × r matrices,
    each of m·r² or n·r²; no pass over an array of the size of X:

    >>> import numpy as np
    >>> from rnmf_tutorial import NMF
    >>> m, n, r = 30, 20, 2
    >>> counted = count_sweep(NMF(r, solver="mu"), np.random.default_rng(0).random((n, m)))
    >>> counted.multiplications == 2 * m * n * r + 2 * (m + n) * r**2
    True
    >>> counted.passes
    0
    """
    problem = problem_of(model, A, y)
    X = _counted(problem.work.X)
    states = iterate(
        Work(X),
        _counted(problem.W),
        _counted(problem.H),
        problem.loss,
        problem.solver,
        problem.penalties,
        max_iter=2,
    )
    next(states)  # the start
    next(states)  # the first sweep
    _Counted.tally = Operations()
    _Counted.least = X.size / 2
    next(states)
    counted = _Counted.tally
    _Counted.tally = Operations()
    return counted

"""The loop of every fit: a step, the loss at a new scale, the objective; and the loop for H alone.

A loss gives a value and weights; a step moves the factors; a term adds to the objective. The loop
knows none of them.
"""

import numpy as np
from tqdm.auto import tqdm

from rnmf_tutorial.arrays import ratio
from rnmf_tutorial.engine.point import Point

__all__ = ["Run", "encode"]


class Run:
    """A fit on its way: the point and the loss that the last finished sweep has reached.

    Parameters
    ----------
    point : Point
        Where to start.
    loss : Loss
    step : callable
        ``step(point, loss)`` returns the next point.
    terms : sequence, optional
        What is added to the loss.

    Attributes
    ----------
    point, loss
        After the last finished sweep, also when the next one was interrupted.
    history : list of float
        The objective at the start point and after each sweep.

    Examples
    --------
    >>> from rnmf_tutorial.losses import Loss
    >>> from rnmf_tutorial.steps import Multiplicative
    >>> point = Point(np.full((1, 2), 3.0), np.ones((1, 1)), np.ones((1, 2)))
    >>> Run(point, Loss(), Multiplicative()).sweep(max_iter=3, tol=1e-3).history
    [8.0, 0.0, 0.0]
    """

    def __init__(self, point, loss, step, terms=()):
        self.step, self.terms, self._values = step, terms, []
        self._reach(point, loss)

    point = property(lambda self: self._reached[0])
    loss = property(lambda self: self._reached[1])
    n_sweeps = property(lambda self: self._reached[2])
    history = property(lambda self: self._values[: self.n_sweeps + 1])

    def _reach(self, point, loss):
        """Estimate the scale, record the objective; then the sweep counts."""
        point.loss = loss = loss.rescaled(point)
        value = point.value(loss) + sum(term.value(point) for term in self.terms)
        if not np.isfinite(value):
            raise ValueError(
                f"The objective became {value}: the numbers left the range of "
                f"{point.X.dtype}. Give the data or the start point another unit "
                "(divide the data by their largest entry), or take float64."
            )
        self._values.append(value)
        self._reached = point, loss, len(self._values) - 1

    def sweep(self, *, max_iter, tol=0.0, least=0, callback=None, name=None):
        """Take steps until the objective changes by less than a fraction `tol`.

        At most `max_iter` steps are taken, and more than `least` if `tol` is to
        stop them. The callback gets the number of steps, W, H and the point, and
        may return True to stop. A `name` asks for a progress bar. Return the run,
        whose attribute `settled` tells whether it stopped by itself.
        """
        self.settled = False
        with tqdm(total=max_iter, disable=name is None, desc=name) as bar:
            while True:
                point = self.point
                arguments = self.n_sweeps, point.W, point.H, point
                if callback is not None and callback(*arguments):
                    self.settled = True
                if self.settled or self.n_sweeps >= max_iter:
                    return self
                self._reach(self.step(point, self.loss).fill(), self.loss)
                before, after = self._values[-2:]
                small = tol > 0 and abs(before - after) <= tol * abs(before)
                self.settled = small and self.n_sweeps > least
                bar.update()
                bar.set_postfix(objective=f"{after:.6g}", refresh=False)


def encode(X, W, update, H=None, *, missing=None, tol, max_iter):
    """Update H, with W held fixed, until every column on its own has settled.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    W : ndarray of shape (n_features, r)
    update : callable
        ``update(point)`` returns a better H.
    H : ndarray of shape (r, n_samples), optional
        Where to start; by default every column is flat.
    missing : ndarray of bool of the shape of X, optional
        Which entries are missing; they are written over.
    tol : float
        A column has settled when an update changes it by at most this fraction of its length.
    max_iter : int
        Largest number of updates.

    Returns
    -------
    ndarray of shape (r, n_samples)

    Examples
    --------
    >>> W = np.array([[1.0], [2.0]])
    >>> encode(W @ [[3.0]], W, lambda point: point.WtX / point.WtW, tol=0, max_iter=9)
    array([[3.]])
    """
    if H is None:
        sums = X.sum(axis=0)
        if missing is not None:  # as many entries as the others, with the mean of the known
            known = (~missing).sum(axis=0).astype(X.dtype)
            sums = np.where(missing, 0, X).sum(axis=0) / known * len(X)
        H = np.tile(ratio(sums, np.atleast_1d(W.sum())), (W.shape[1], 1))
    H, active = H.copy(), np.arange(X.shape[1])
    X_active, unknown = X, missing
    for _ in range(max_iter):
        before = H[:, active]
        point = Point(X_active, W, before, missing=unknown).fill()
        H[:, active] = after = update(point)
        change = np.linalg.norm(after - before, axis=0)
        moving = change > tol * np.linalg.norm(after, axis=0)
        if not moving.any():
            break
        if not moving.all():
            active = active[moving]
            X_active = X[:, active]
            unknown = None if missing is None else missing[:, active]
    return H

"""A rank that grows from the median sample: a start that has not learned what few samples show.

A model of the full rank learns a white block as it learns the face beneath. One of rank one cannot,
so while the rank grows, what it cannot explain is hardly heard.
"""

from dataclasses import replace

import numpy as np
from sklearn.utils import check_random_state

from rnmf_tutorial.arrays import positive_mean
from rnmf_tutorial.engine.point import Point
from rnmf_tutorial.losses import GemanMcClure, Loss
from rnmf_tutorial.steps.coordinate import Coordinate

__all__ = ["TIGHT", "calm_loss", "grown", "median_sample", "with_more_parts"]

_STAGES, _SWEEPS = 8, 4  # of the growing rank, and in each of them
TIGHT = 2  # c, in lower quartiles of the energies
_LEAST = 0.02  # scale, as a share of the mean of the positive data


def grown(point, group, r, random_state=None, watch=None):
    """Return the point where a rank that grows from one to r ends, and its loss.

    Parameters
    ----------
    point : Point
        Where it starts: of rank one, or of rank r, which then does not grow.
    group : object
        What shares a weight.
    r : int
        The rank at the end.
    random_state : int, RandomState or None, default=None
        Draws how the residuals are mixed into new columns of W.
    watch : callable, optional
        Called with the point and the loss at the end of every stage.

    Returns
    -------
    point : Point
    loss : Loss
        With the scale that was estimated there.

    Examples
    --------
    >>> from rnmf_tutorial.groups import ENTRIES
    >>> X = np.add.outer(np.arange(1.0, 7.0), np.arange(4.0)) + np.eye(6, 4)
    >>> point = Point(X, np.median(X, axis=1)[:, None], np.ones((1, 4)))
    >>> grown(point, ENTRIES, 2, random_state=0)[0].W.shape
    (6, 2)
    """
    rng, step = check_random_state(random_state), Coordinate()
    loss = calm_loss(point, group)
    ranks = np.geomspace(point.W.shape[1], r, _STAGES).round().astype(int)
    for rank in ranks:
        point = with_more_parts(point, loss, rank, rng)
        for _ in range(_SWEEPS):
            point = step(point, loss).fill()
        loss = calm_loss(point, group)
        if watch is not None:
            watch(point, loss)
    return point, loss


def calm_loss(point, group):
    """Return the loss with two lower quartiles of the windows' energies at a point as c.

    The scale is at least a share of the data, as parts of these can be fitted exactly.
    """
    loss = Loss(GemanMcClure(), group=group, estimated=True).rescaled(point)
    point.evaluation = None
    return replace(loss, scale=max(loss.scale, _LEAST * positive_mean(point.X)), estimated=False)


def with_more_parts(point, loss, rank, rng):
    """Return the point with new columns of W, mixed of what of the cleaned data is left over.

    Their rows of H are zero, so that the fit stays as it is; the next pass finds them.
    """
    new = rank - point.W.shape[1]
    if new <= 0:
        return point
    n = point.X.shape[1]
    E = point.X - point.WH
    E *= loss.weights(point)
    mixed = np.maximum(E @ rng.standard_normal((n, new)).astype(E.dtype), 0)
    lengths = np.linalg.norm(mixed, axis=0)
    usual = np.linalg.norm(point.W, axis=0).mean()
    mixed *= usual / np.where(lengths > 0, lengths, 1)
    zeros = np.zeros((new, n), E.dtype)
    return point.to(W=np.hstack([point.W, mixed]), H=np.vstack([point.H, zeros])).fill()


def median_sample(X, missing=None):
    """Return W of one column, the median sample or the mean where it is zero, and H of ones."""
    W = np.median(X, axis=1)[:, None]
    if not W.any():
        W = X.mean(axis=1)[:, None]
    return Point(X, W, np.ones((1, X.shape[1]), X.dtype), missing=missing).fill()

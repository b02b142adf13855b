"""A robust start, and how large the noise is there.

The published rules take a scale from the errors that a fit has just made smaller, sweep by sweep.
Where the data can be fitted well they run into themselves: the scale falls, fewer entries are
heard, these fit still better, and it falls again. The scale of the start below is a share of the
data, which no fit makes smaller; the noise is measured at its end, once, and the scale of the fit
proper is a multiple of that.
"""

import numpy as np

from rnmf_tutorial.arrays import positive_mean
from rnmf_tutorial.divergences import SQUARES
from rnmf_tutorial.engine.fit import Run
from rnmf_tutorial.groups import ENTRIES
from rnmf_tutorial.losses import Huber, Loss
from rnmf_tutorial.steps.coordinate import Coordinate
from rnmf_tutorial.steps.divergence import DivergenceCoordinate

__all__ = ["robust_start", "scale_for_noise"]

# Of the median positive entry; and passes.
_SHARE, _PASSES, _TOL = 0.05, 300, 1e-5
_LEAST = 1 / 400  # of the mean of the positive data: noise too small to matter


def robust_start(point, divergence=SQUARES, name=None):
    """Return the point that a Huber fit reaches whose cutoff is a share of the data's median.

    Parameters
    ----------
    point : Point
        Where it starts.
    divergence : object, default=SQUARES
    name : str, optional
        Asks for a progress bar.

    Returns
    -------
    Point

    Examples
    --------
    >>> from rnmf_tutorial.engine import Point
    >>> X = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0])
    >>> X[1, 2] += 10
    >>> point = robust_start(Point(X, np.ones((4, 1)), np.ones((1, 4))))
    >>> np.argwhere(abs(X - point.WH) > 1).tolist()
    [[1, 2]]
    """
    known = point.X if point.missing is None else point.X[~point.missing]
    positive = known[known > 0]
    level = float(np.median(positive)) if len(positive) else 1.0
    step = Coordinate() if divergence is SQUARES else DivergenceCoordinate()
    scale = divergence.of_share(_SHARE, level) ** (1 / divergence.power)
    loss = Loss(Huber(), divergence, scale=scale)
    point = Run(point, loss, step).sweep(max_iter=_PASSES, tol=_TOL, name=name).point
    point.evaluation = None  # that was another loss
    return point


def scale_for_noise(point, phi, divergence=SQUARES):
    r"""Return the scale of φ for the noise at a point: a multiple of the median \|e\|.

    Zeros of the data that the factors know to be zeros are not counted. The median is at least a
    400th of the mean of the data.

    Parameters
    ----------
    point : Point
    phi : object
        With its `multiple`.
    divergence : object, default=SQUARES

    Returns
    -------
    float
        In the units of the data.

    Raises
    ------
    ValueError
        If φ does not say which multiple.

    Examples
    --------
    >>> from rnmf_tutorial.engine import Point
    >>> X = 10 + np.array([[0.1, -0.2, 0.3, 0.2, 7.0]])
    >>> round(scale_for_noise(Point(X, np.ones((1, 1)), np.full((1, 5), 10.0)), Huber()), 3)
    0.4
    """
    if not hasattr(phi, "multiple"):
        raise ValueError(
            f"scale=None asks {type(phi).__name__} for a `multiple` of the median error; give it "
            "one, or give the scale as a number."
        )
    known = point.X if point.missing is None else np.where(point.missing, np.nan, point.X)
    u, _ = ENTRIES.counted(divergence, point, ENTRIES.energies(divergence, point))
    size = max(float(np.median(u)), divergence.of_share(_LEAST, positive_mean(known)))
    return (phi.multiple**2 * size) ** (1 / divergence.power)

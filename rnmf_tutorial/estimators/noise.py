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
from rnmf_tutorial.stored import stored

__all__ = ["robust_start", "scale_for_noise"]

# The cutoff, of the median positive entry: small enough that gross errors do not lead, and large
# enough that a fit to exact data does not crawl. Small counts have larger errors.
_SHARE, _SHARE_OF_COUNTS = 0.05, 0.16
# Passes of plain NMF take a random start out of a corner, but they learn gross errors; so a fit
# after them goes on only if its median error is much lower, as it is on clean data.
_PLAIN, _TRIAL, _PASSES, _TOL = 20, 40, 300, 1e-5
_MUCH_LOWER = 0.75
# Noise below this share of the mean of the positive data is too small to matter; an error beyond so
# many medians is a gross one.
_LEAST, _GROSS = 1 / 400, 6


def robust_start(point, divergence=SQUARES, name=None):
    """Return the point that a Huber fit reaches whose cutoff is a share of the data's median.

    It starts at the point, scaled so that the mean of WH is that of the median entry (the mean of
    the data may be that of a few gross errors), or after some passes of plain NMF from there, if
    the median error is then lower by a quarter.

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
    level, positive = level_of(point)
    share = _SHARE if divergence is SQUARES else _SHARE_OF_COUNTS
    scale = divergence.of_share(share, level) ** (1 / divergence.power)
    huber = Loss(Huber(), divergence, scale=scale)
    step = Coordinate() if divergence is SQUARES else DivergenceCoordinate()

    def fit(point, passes, loss=huber, **options):
        point = point.to(W=point.W, H=point.H).fill()  # what others share was written over
        return Run(point, loss, step).sweep(max_iter=passes, **options).point

    total = float(point.W.sum(axis=0) @ point.H.sum(axis=1))
    if total > 0:
        entries = len(point.W) * point.H.shape[1]
        times = point.X.dtype.type(np.sqrt(level * positive / (total / entries)))
        point = point.to(W=times * point.W, H=times * point.H)
    bar = {"tol": _TOL, "name": name}
    straight = fit(point, _TRIAL, **bar)
    size = median_energy(straight, divergence)
    around = fit(fit(point, _PLAIN, Loss(divergence=divergence)), _TRIAL, **bar)
    lower = median_energy(around, divergence) < _MUCH_LOWER**2 * size
    point = fit(around if lower else straight, _PASSES - _TRIAL, **bar)
    point.evaluation = None  # that was another loss
    return point


def level_of(point):
    """Return the median of the positive entries that are known, and their share."""
    known = stored(point.X) if point.missing is None else point.X[~point.missing]
    size = len(point.W) * point.H.shape[1] if point.missing is None else known.size
    positive = known[known > 0]
    if not len(positive):
        return 1.0, 0.0
    return float(np.median(positive, overwrite_input=True)), len(positive) / size


def median_energy(point, divergence, most=np.inf):
    """Return the median divergence of an entry up to `most`, zeros known to be zeros not counted.

    In place, as the divergences fill an array of the size of the data.
    """
    u = ENTRIES.counted(divergence, point, ENTRIES.energies(divergence, point))[0].ravel(order="K")
    n = np.count_nonzero(u <= most)
    middle = [(n - 1) // 2, n // 2]
    u.partition(middle)
    return float(u[middle].mean())


def scale_for_noise(point, phi, divergence=SQUARES):
    r"""Return the scale of φ for the noise at a point: a multiple of the median \|e\|.

    The median is that of the errors up to six times itself, so that gross ones do not raise it.
    Zeros of the data that the factors know to be zeros are not counted. It is at least a 400th of
    the mean of the positive data.

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
    0.3
    """
    if not hasattr(phi, "multiple"):
        raise ValueError(
            f"scale=None asks {type(phi).__name__} for a `multiple` of the median error; give it "
            "one, or give the scale as a number."
        )
    known = stored(point.X) if point.missing is None else point.X[~point.missing]
    size, before = median_energy(point, divergence), np.inf
    while size < before:  # energies go as the power: for squares, as the square of the error
        size, before = median_energy(point, divergence, _GROSS**2 * size), size
    point.evaluation = None  # written over
    size = max(size, divergence.of_share(_LEAST, positive_mean(known)))
    return (phi.multiple**2 * size) ** (1 / divergence.power)

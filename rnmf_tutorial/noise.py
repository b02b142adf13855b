"""A robust start, and an estimate of the noise there.

The published rules estimate the scale from the residuals after every sweep. If the data
can be fitted well, the scale collapses: as it falls, fewer entries keep their weight,
these are fitted better, and it falls again. A robust start avoids this: its scale is a
share of the median of the data, which does not depend on the fit. Its residuals are
then used once to estimate the noise, and the scale of the fit itself is a multiple of
this estimate.
"""

from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import replace

import joblib
import numpy as np

from rnmf_tutorial.core import SAMPLES, Run, encode, flat_start, positive_mean
from rnmf_tutorial.losses import SQUARES, Huber, median

# The cutoff, as a share of the median positive entry: small enough to limit gross
# errors, and large enough for fast convergence on exact data. It is larger for the
# divergence, which is for counts.
_SHARE = 0.05
_SHARE_OF_COUNTS = 0.16
# Sweeps of plain NMF lead away from a bad random start, but they also fit gross errors.
# So both are tried for some sweeps, and plain NMF is used only if the median residual
# is then much lower, as it is on clean data. (To take the start with the lower loss is
# worse: on Indian Pines with a tenth of the entries wrong it has 1.6 times the error.)
_TRIAL = 20
PASSES = 100
TOL = 1e-4
_ROUGH = 1e-2
_MUCH_LOWER = 0.75
# Noise below this share of the mean of the positive data is too small to matter. A
# residual beyond so many medians is a gross error.
_LEAST = 1 / 400
_GROSS = 6
#: The robust starts of a search, None outside of one.
STARTS = ContextVar("STARTS", default=None)


@contextmanager
def shared_starts(starts):
    """Let the fits of a search share their robust starts, and leave out what it does itself.

    Half of the time of a robust fit is its start, which depends on the data and the
    random start alone. The search compares its candidates with plain NMF, so no fit
    within does.

    Parameters
    ----------
    starts : dict or None
        Where the starts are kept. None ends the sharing.

    Examples
    --------
    >>> with shared_starts({}):
    ...     STARTS.get()
    {}
    """
    before = STARTS.set(starts)
    try:
        yield
    finally:
        STARTS.reset(before)


def robust_start(point, plain, step, name=None):
    """Return the run of a Huber fit whose cutoff is a share of the data's median.

    The fit uses at most 1,000 samples, evenly spaced; then all samples get the
    coefficients of the same loss for its basis. The start is first scaled to the median
    of the data, because a few gross errors can determine their mean. Then the fit
    starts from there, or after some sweeps of plain NMF if the median residual is then
    lower by a quarter.

    Parameters
    ----------
    point : Point
        The start.
    plain : Loss
        The divergence, without φ.
    step : callable
        ``step()`` returns a step for these losses.
    name : str, optional
        If given, the title of a progress bar.

    Returns
    -------
    Run
        Its point is the robust start.

    Examples
    --------
    >>> from rnmf_tutorial.core import Point
    >>> from rnmf_tutorial.losses import Loss
    >>> from rnmf_tutorial.updates import Coordinate
    >>> X = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0])
    >>> X[1, 2] += 10
    >>> run = robust_start(Point(X, np.ones((4, 1)), np.ones((1, 4))), Loss(), Coordinate)
    >>> np.argwhere(abs(X - run.point.WH) > 1).tolist()
    [[1, 2]]
    """

    starts = STARTS.get()
    if starts is None:
        return _robust_run(point, plain, step, name)
    key = (
        joblib.hash((point.data, point.mask, point.W, point.H)),
        plain.divergence,
        step,
    )
    if key not in starts:
        run = _robust_run(point, plain, step, name)
        starts[key] = run.point.W, run.point.H, run.loss, run.step.state
    W, H, loss, state = starts[key]
    again = step()
    again.state = copy(state)
    return Run(point.to(W=W, H=H), loss, again)


def _robust_run(point, plain, step, name):
    def fit(point, loss, passes, tol, name=None):
        return Run(point, loss, step()).sweep(max_iter=passes, tol=tol, name=name)

    n_samples = point.H.shape[1]
    if n_samples > SAMPLES:
        some = point.of(slice(None, None, -(-n_samples // SAMPLES)))
        run = _robust_run(some, plain, step, name)
        W = run.point.W
        huber = run.loss
        del some, run  # with their large arrays
        start = flat_start(type(point)(point.data, W, point.H, point.mask))
        H = encode(
            start, lambda p: step().coefficients(p, huber), tol=_ROUGH, max_iter=_TRIAL
        )
        return Run(point.to(W=W, H=H), huber, step())
    divergence = plain.divergence
    positive = known_entries(point)
    n_known = positive.size
    positive = positive[positive > 0]
    level = float(np.median(positive)) if len(positive) else 1.0
    n_positive = len(positive)
    del positive  # a large array
    share = _SHARE if divergence is SQUARES else _SHARE_OF_COUNTS
    scale = divergence.of_share(share, level) ** (1 / divergence.power)
    if scale**2 < np.finfo(point.W.dtype).tiny:
        raise ValueError(
            f"Most data are as small as {level:g}: write NaN for the few large entries."
        )
    huber = replace(plain, phi=Huber(), scale=scale)

    total = float(point.W.sum(axis=0) @ point.H.sum(axis=1))
    if total > 0:
        n_entries = len(point.W) * n_samples
        share = n_positive / (n_entries if point.mask is None else n_known)
        times = point.W.dtype.type(np.sqrt(level * share / (total / n_entries)))
        point = point.to(W=times * point.W, H=times * point.H)
    starts = point, fit(point, plain, _TRIAL, 0).point
    straight, around = (fit(start, huber, _TRIAL, TOL, name).point for start in starts)
    lower = median_energy(around, plain) < _MUCH_LOWER**2 * median_energy(
        straight, plain
    )
    return fit(around if lower else straight, huber, PASSES, TOL, name)


def known_entries(point):
    """Return the entries of the data that are not missing."""
    return point.entries if point.mask is None else point.data[~point.mask]


def median_energy(point, loss, most=np.inf):
    """Return the median of the energies up to `most`, without zeros that are fitted as zeros."""
    u = loss.group.energies(loss.divergence, point)
    u = loss.group.informative(loss.divergence, point, u).ravel(order="K")
    u = u[u <= most]
    return float(median(u)) if u.size else 0.0  # none if all are zeros


def noise_scale(point, phi, plain):
    r"""Return the scale of φ for the noise at a point: a multiple of the median \|e\|.

    So that gross errors do not raise it, the median is repeated without the residuals
    above six times its last value. Zeros that are fitted as zeros are left out. The
    median is at least 1/400 of the mean of the positive data.

    Parameters
    ----------
    point : Point
    phi : Curve
        With its `multiple`.
    plain : Loss
        The divergence, without φ.

    Returns
    -------
    float
        In the units of the data.

    Raises
    ------
    ValueError
        If φ has no `multiple`.

    Examples
    --------
    >>> from rnmf_tutorial.core import Point
    >>> from rnmf_tutorial.losses import Loss
    >>> X = 10 + np.array([[0.1, -0.2, 0.3, 0.2, 7.0]])
    >>> round(noise_scale(Point(X, np.ones((1, 1)), np.full((1, 5), 10.0)), Huber(), Loss()), 3)
    0.3
    """
    if not hasattr(phi, "multiple"):
        raise ValueError(
            f"scale=None asks {type(phi).__name__} for a `multiple` of the median error; give it "
            "one, or give the scale as a number."
        )
    divergence = plain.divergence
    size = median_energy(point, plain)
    before = np.inf
    while size < before:  # an energy is a residual to the power of the divergence
        size, before = median_energy(point, plain, _GROSS**2 * size), size
    size = max(size, divergence.of_share(_LEAST, positive_mean(known_entries(point))))
    return (phi.multiple**2 * size) ** (1 / divergence.power)

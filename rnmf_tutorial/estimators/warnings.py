"""What a fit says when a size that was given or found cannot suit the data.

A model's `_advice` returns a sentence at the end of its fit, or None; the sentence becomes one
warning, unless ``tol=0`` asked for so many sweeps and nothing more.
"""

import numpy as np

from rnmf_tutorial.arrays import positive_mean, rounding
from rnmf_tutorial.engine.fit import Run
from rnmf_tutorial.engine.point import Point
from rnmf_tutorial.engine.start import initialize
from rnmf_tutorial.losses import Loss
from rnmf_tutorial.steps.coordinate import Coordinate

__all__ = [
    "NEARLY_ALL",
    "ScaleWarning",
    "about_errors",
    "about_floor",
    "about_share",
    "about_weights",
]

#: With a larger share of errors than this, S has taken in the data.
NEARLY_ALL = 0.75
# An entry with a smaller weight is not heard. Fewer than these shares of the positive data say
# nothing of the rest; more are needed where a third of the data are zeros, which agree.
_SMALL_WEIGHT, _HEARD, _HEARD_AMONG_ZEROS = 0.01, 0.25, 0.6
# A fit explains so much less of the data than plain NMF only where it went wrong: sound ones under
# errors of every kind at most 0.04 less. An entry counts there as at most ten medians.
_MUCH, _LARGEST, _SAMPLES = 0.1, 10, 1000
# A size estimated from residuals is at its floor up to here, in roundings of the largest entry.
_ROUNDINGS = 100


class ScaleWarning(UserWarning):
    """A scale, a threshold or the weight of an error matrix cannot suit the data.

    Examples
    --------
    >>> import warnings
    >>> from rnmf_tutorial import RobustNMF
    >>> A = 1000 * np.random.default_rng(0).uniform(1, 2, (20, 30))
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     model = RobustNMF(2, lam=0.1, random_state=0).fit(A)
    >>> told[-1].category.__name__
    'ScaleWarning'
    """


def about_errors(X, S, least):
    """Return what to say of an error matrix: None, unless it is empty or nearly full.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
        Data.
    S : ndarray of the shape of X
        The errors.
    least : float
        The size from which on a residual counts as an error.

    Returns
    -------
    str or None

    Examples
    --------
    >>> about_errors(np.ones((1, 2)), np.zeros((1, 2)), 9.0)[:34]
    'no residual is above lam/2 = 9, wh'
    >>> about_errors(np.ones((1, 2)), np.ones((1, 2)), 0.1)[:47]
    '100 % of the residuals are above lam/2 = 0.1, w'
    >>> about_errors(np.ones((1, 2)), np.eye(1, 2), 0.1) is None
    True
    """
    share, mean = np.count_nonzero(S) / S.size, positive_mean(X)
    if share == 0:
        return (
            f"no residual is above lam/2 = {least:.3g}, where the positive data have the mean "
            f"{mean:.3g}: the error S is empty, and this is plain NMF. Take a smaller lam, or None."
        )
    if share > NEARLY_ALL:
        median = np.median(np.abs(S[S != 0])) + least
        return (
            f"{100 * share:.5g} % of the residuals are above lam/2 = {least:.3g}, with the median "
            f"{median:.3g}: the error S holds the data, and W and H hardly move. lam is in the "
            "units of the data: take a larger one, or None, which estimates it."
        )
    return None


def about_floor(X, size, name, floor=None):
    """Return what to say of a size estimated from residuals: None, unless it has collapsed.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
        Data.
    size : float
        The estimate.
    name : str
        The parameter that would give it.
    floor : float, optional
        What a collapsed estimate is at most; by default some roundings of the largest entry.

    Returns
    -------
    str or None

    Examples
    --------
    >>> about_floor(np.ones((1, 2)), 1e-15, "scale")[:44]
    'the estimated scale has fallen to 1e-15, and'
    >>> about_floor(np.ones((1, 2)), 0.1, "scale") is None
    True
    """
    if size > (_ROUNDINGS * rounding(X) if floor is None else floor):
        return None
    return (
        f"the estimated {name} has fallen to {size:.2g}, and the positive data have the mean "
        f"{positive_mean(X):.3g}: most of the data that count are fitted exactly, and the others "
        f"are hardly heard. Give {name} as a number, the size of an error that you would still "
        "believe."
    )


def about_weights(X, Q, name):
    """Return what to say of weights: None, unless few of the positive data have one, or all do.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
        Data.
    Q : ndarray
        The weights, one for every entry of X or for every feature.
    name : str
        The parameter that they depend on.

    Returns
    -------
    str or None

    Examples
    --------
    >>> about_weights(np.ones((1, 2)), np.full((1, 2), 1e-9), "scale")[:41]
    '100 % of the positive data have weights b'
    >>> about_weights(np.ones((1, 2)), np.ones((1, 2)), "scale")[:19]
    'every weight is one'
    >>> about_weights(np.ones((1, 2)), np.eye(1, 2), "scale") is None
    True
    """
    positive = np.greater(X, 0)
    Q = Q.reshape(len(X), -1)
    heard = np.count_nonzero(positive & (Q > _SMALL_WEIGHT))
    number = np.count_nonzero(positive)
    if number and Q.min() == 1:
        return f"every weight is one: this is plain NMF. Give a smaller {name}, or None."
    if heard < (_HEARD if 3 * number >= 2 * X.size else _HEARD_AMONG_ZEROS) * number:
        return (
            f"{100 * (1 - heard / number):.3g} % of the positive data have weights below "
            f"{_SMALL_WEIGHT}, and are hardly heard; their mean is {positive_mean(X):.3g}. Give a "
            f"larger {name}, in the units of the data; where most of them are zeros, prefer NMF."
        )
    return None


def about_share(point):
    """Return what to say if plain NMF explains much more of the data than the fit: None else.

    The share explained is one minus the sum of the errors over that of the data, where an entry and
    an error count at most as the median of their feature, so that neither gross errors nor the
    units of the features decide. Of a sound fit, of any loss, it is about that of plain NMF, or
    larger under gross errors.

    Parameters
    ----------
    point : Point
        The end of the fit. At most 1000 of its samples are taken.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from rnmf_tutorial.engine import Point
    >>> X, W = np.outer([1.0, 2.0, 3.0], [1.0, 2.0]), np.array([[1.0], [2.0], [3.0]])
    >>> about_share(Point(X, W, np.array([[1.0, 2.0]]))) is None
    True
    >>> about_share(Point(X, W, np.array([[1.0, 0.1]])))[:58]
    'the fit explains 53 % of the data and ten passes of plain '
    """
    few = slice(None, None, -(-point.X.shape[1] // _SAMPLES))
    X, H = point.X[:, few], point.H[:, few]
    missing = np.zeros(X.shape, bool) if point.missing is None else point.missing[:, few]
    medians = np.ma.median(np.ma.masked_where(missing | (X == 0), X), axis=1).filled(0)[:, None]
    total = np.minimum(X, medians).sum(where=~missing, dtype=float)
    if not total:
        return None

    def explained(WH):
        return 1 - np.minimum(np.abs(X - WH), medians).sum(where=~missing, dtype=float) / total

    clipped = np.minimum(X, _LARGEST * medians)
    W0, H0 = initialize(clipped, len(H), "random", 0)
    plain = Point(clipped, W0, H0, missing=missing if missing.any() else None).fill()
    plain = Run(plain, Loss(), Coordinate()).sweep(max_iter=10).point
    fit, other = explained(point.W @ H), explained(plain.WH)
    if fit > other - _MUCH:
        return None
    return (
        f"the fit explains {100 * fit:.2g} % of the data and ten passes of plain NMF explain "
        f"{100 * other:.2g} %, an error counting at most as the median of its feature. Either it "
        "started on another scale than the data, or its scale is too small, or the features differ "
        "so much that one scale cannot suit them: divide each feature by its median, give a larger "
        "scale, or take NMF."
    )

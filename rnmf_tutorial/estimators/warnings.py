"""What a fit says when a size that was given or found cannot suit the data.

A model's `_advice` returns a sentence at the end of its fit, or None; the sentence becomes one
warning, unless ``tol=0`` asked for so many sweeps and nothing more.
"""

import numpy as np

from rnmf_tutorial.arrays import positive_mean, rounding

__all__ = ["NEARLY_ALL", "ScaleWarning", "about_errors", "about_floor", "about_weights"]

#: With a larger share of errors than this, S has taken in the data.
NEARLY_ALL = 0.75
# An entry with a smaller weight is not heard. Fewer than these shares of the positive data say
# nothing of the rest; more are needed where a third of the data are zeros, which agree.
_SMALL_WEIGHT, _HEARD, _HEARD_AMONG_ZEROS = 0.01, 0.25, 0.6
# The weights leave so much less of the data's sum than of their number if sizes differ from feature
# to feature; an entry counts with at most ten times the median of its feature.
_HEARD_SUM, _LARGEST = 0.3, 10
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
    share = heard_share(X, Q)
    if share >= _HEARD_SUM * float(np.broadcast_to(Q, X.shape).mean(where=positive)):
        return None
    return (
        f"only {100 * share:.2g} % of the sum of the data is heard, gross errors not counted: one "
        f"{name} cannot suit features or samples of so different sizes. Divide each feature by its "
        f"median, give a larger {name}, or take NMF."
    )


def heard_share(X, Q):
    """Return the share of the data's sum that the weights leave, an error counting little.

    An entry counts with at most ten times the median of the positive entries of its feature.
    """
    medians = np.ma.median(np.ma.masked_equal(X, 0), axis=1).filled(0)
    sizes = np.minimum(X, _LARGEST * medians[:, None])
    total = float(sizes.sum(dtype=float))
    return float((Q * sizes).sum(dtype=float)) / total if total else 1.0

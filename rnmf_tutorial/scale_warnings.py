"""Warnings of a scale, a threshold or a weight λ that does not suit the data."""

import numpy as np
from scipy.sparse import issparse

from rnmf_tutorial.arithmetic import positive_mean

# A weight below this number is called small.
SMALL_WEIGHT = 0.01
# A fit warns if fewer than this share of the positive entries have a larger weight. The
# second is for data of which more than a third are zeros.
ENOUGH = 0.25
ENOUGH_AMONG_ZEROS = 0.6
# An estimated scale has collapsed if it is below so many rounding errors of the largest
# entry.
ROUNDINGS = 100


class ScaleWarning(UserWarning):
    """A scale, a threshold or the weight λ of an error matrix does not suit the data.

    Examples
    --------
    >>> import warnings
    >>> from rnmf_tutorial import RobustNMF
    >>> A = 1000 * np.random.default_rng(0).uniform(1, 2, (20, 30))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = RobustNMF(2, lam=0.1, random_state=0).fit(A)
    >>> caught[-1].category.__name__
    'ScaleWarning'
    """


class DataWarning(ScaleWarning):
    """Negative entries of the data look like marks, or are much of the data.

    Examples
    --------
    >>> issubclass(DataWarning, ScaleWarning)
    True
    """


def warning_if_collapsed(work, size, name, floor=None):
    """Return the text of a warning if a scale estimated from residuals has collapsed, or None.

    Parameters
    ----------
    work : Work
        The data of the fit.
    size : float
        The estimate.
    name : str
        The parameter with which a user would give it.
    floor : float, optional
        An estimate up to this has collapsed; by default 100 rounding errors of the
        largest entry.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from rnmf_tutorial.fitting import Work
    >>> work = Work(np.ones((1, 2)))
    >>> warning_if_collapsed(work, 1e-15, "scale")[:44]
    'the estimated scale has fallen to 1e-15, whe'
    >>> warning_if_collapsed(work, 0.1, "scale") is None
    True
    """
    if size > (ROUNDINGS * work.rounding() if floor is None else floor):
        return None
    mean = positive_mean(work.known_entries())
    return (
        f"the estimated {name} has fallen to {size:.2g}, where positive data have the mean "
        f"{mean:.3g}: most data are fitted exactly, the others have tiny "
        f"weights. Give {name} as a number: the largest residual that you would still call noise."
    )


def warning_if_weights_extreme(work, Q, name):
    """Return the text of a warning if most weights are near zero, or all are one, or None.

    Parameters
    ----------
    work : Work
        The data of the fit.
    Q : ndarray or sparse array
        The weights, one for every entry of X or for every feature.
    name : str
        The parameter that they depend on.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from rnmf_tutorial.fitting import Work
    >>> work = Work(np.ones((1, 2)))
    >>> warning_if_weights_extreme(work, np.full((1, 2), 1e-9), "scale")[:40]
    '100% of the positive data have weights b'
    >>> warning_if_weights_extreme(work, np.ones((1, 2)), "scale")[:19]
    'every weight is one'
    >>> warning_if_weights_extreme(work, np.eye(1, 2), "scale") is None
    True
    """
    X = work.entries
    positive = np.greater(X, 0)
    size = X.size
    if work.mask is not None:  # missing entries have the weight one
        positive &= ~work.mask
        size -= np.count_nonzero(work.mask)
    Q = Q.data[None] if issparse(Q) else Q
    if Q.ndim == 1:  # of the features, or of the samples
        Q = Q[:, None] if len(Q) == len(X) else Q[None, :]
    weighty = np.count_nonzero(positive & (Q > SMALL_WEIGHT))
    number = np.count_nonzero(positive)
    if number and Q.min() == 1:
        return (
            "every weight is one: this is plain NMF. If data are wrong, give a smaller "
            f"{name}."
        )
    if weighty < (ENOUGH if 3 * number >= 2 * size else ENOUGH_AMONG_ZEROS) * number:
        mean = float(X.mean(dtype=float, where=positive))
        return (
            f"{100 * (1 - weighty / number):.3g}% of the positive data have weights "
            f"below {SMALL_WEIGHT}. The mean of the positive data is "
            f"{mean:.3g}. Give a larger {name}, in the units of the data; if "
            "most of the data are zeros, prefer NMF."
        )
    return None

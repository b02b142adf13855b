r"""Clean, then fit: a pass of coordinate descent over the data of a robust loss.

M is the *cleaned* data :math:`Q \odot X + (1 - Q) \odot WH`: a step that does not raise
:math:`\lVert M - WH\rVert^2` does not raise the loss.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rnmf_tutorial.solvers.coordinate import Fit, fit

__all__ = ["Seen", "clean", "coordinate_pass", "further"]

FURTHER = 0.5  # how far beyond a step to try, as a part of the way from the last step; measured


class Seen(NamedTuple):
    r"""What a model sees at a pair of factors.

    Parameters
    ----------
    objective : float
        What the model minimizes.
    M : ndarray of shape (n_features, n_samples)
        The data to fit, for entry-wise losses the cleaned ones.
    weights : ndarray of shape (n_samples,), optional
        For a loss of whole columns, its derivative by their squared lengths.
    WtM : ndarray of shape (r, n_samples), optional
        The product :math:`W^TM`, where the objective needs it anyway.
    more : object, optional
        What the model keeps for itself.

    Examples
    --------
    >>> Seen(2.0, np.ones((1, 2))).weights is None
    True
    """

    objective: float
    M: np.ndarray
    weights: np.ndarray | None = None
    WtM: np.ndarray | None = None
    more: Any = None


def clean(X, E, Q, out=None):
    r"""Return the cleaned data: every entry moves toward its fit as its weight says.

    They are :math:`M = Q \odot X + (1 - Q) \odot WH = X - (1 - Q) \odot E`. What is taken off the
    data, :math:`S = (1 - Q) \odot E`, is the error matrix that belongs to the weights. With Huber's
    weights it is E soft-thresholded at the cutoff.

    Where all weights of a sample are small, its cleaned data hardly differ from WH, and it would
    hardly move. A sample whose largest weight :math:`d_j` is below one half is therefore cleaned
    with :math:`Q_{ij} / d_j`, and its squares count :math:`d_j` times: these lie above the
    weighted squares as well, because they have the same slope and :math:`d_j \ge Q_{ij}`.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    E : ndarray of shape (n_features, n_samples)
        The residuals X - WH.
    Q : ndarray of shape (n_features, n_samples)
        The weights, between 0 and 1.
    out : ndarray of shape (n_features, n_samples), optional
        Where to put the result; may be `Q`.

    Returns
    -------
    M : ndarray of shape (n_features, n_samples)
    weights : ndarray of shape (n_samples,) or None
        The d; None if all are one.

    Examples
    --------
    >>> clean(np.array([[9.0], [2.0]]), np.array([[8.0], [1.0]]), np.array([[0.25], [1.0]]))
    (array([[3.],
           [2.]]), None)
    >>> clean(np.array([[9.0], [2.0]]), np.array([[8.0], [1.0]]), np.array([[0.1], [0.2]]))
    (array([[5.],
           [2.]]), array([0.2]))
    """
    weights, largest = None, Q.max(axis=0)
    if largest.min(initial=1) < 0.5:
        weights = np.where(largest < 0.5, np.maximum(largest, np.finfo(Q.dtype).tiny), 1)
        Q = np.divide(Q, weights, out=out)
    S = np.subtract(1, Q, out=out)
    S *= E
    return np.subtract(X, S, out=S), weights


def coordinate_pass(look: Callable, W, H, seen: Seen, before: Fit | None) -> tuple:
    r"""Fit what was seen at W and H, go further, and see what is there.

    The objective never rises. If :math:`\ell(W, H) \le \lVert M - WH\rVert^2 + \text{const}`
    everywhere, with equality at the W and H where M was made, then a step by which the squares
    fall takes :math:`\ell` down by at least as much. What lies further is taken only if it is
    lower than that.

    Parameters
    ----------
    look : callable
        ``look(W, H)`` returns what a model sees there, a :class:`Seen`.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    seen : Seen
        What `look` returned for W and H.
    before : Fit or None
        The last that this function returned; None at the start.

    Returns
    -------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    seen : Seen
        What `look` returned for these.
    step : Fit
        For the next call.

    Examples
    --------
    Missing entries are filled with what the factors say:

    >>> X, missing = np.array([[1.0, 2.0], [2.0, 0.0]]), np.array([[False, False], [False, True]])
    >>> def look(W, H):
    ...     M = np.where(missing, W @ H, X)
    ...     return Seen(float(((M - W @ H) ** 2).sum()), M)
    >>> W, H, before = np.ones((2, 1)), np.ones((1, 2)), None
    >>> seen = look(W, H)
    >>> for _ in range(500):
    ...     W, H, seen, before = coordinate_pass(look, W, H, seen, before)
    >>> (W @ H).round(6)
    array([[1., 2.],
           [2., 4.]])
    """
    step = fit(seen.M, W, H, weights=seen.weights, WtM=seen.WtM)
    bound = seen.objective - max(step.drop, 0.0)
    return *further(look, step, before, bound), step


def further(look: Callable, step: Fit, before: Fit | None, bound: float) -> tuple:
    r"""Go beyond a step, half as far again as from the last one, unless that leads up.

    The point tried is :math:`\max(Z/10,\; Z + \tfrac12 (Z - Z'))`, for Z = W and Z = H, with
    this step Z and the last one Z'; it has no zeros that Z has not. It is taken if the objective
    there is at most `bound`; otherwise the step itself is.

    Parameters
    ----------
    look : callable
        ``look(W, H)`` returns what a model sees there, a :class:`Seen`.
    step : Fit
        The point that the step has reached.
    before : Fit or None
        The one that the step before it had reached; None if there was none.
    bound : float
        What the objective at `step` cannot exceed.

    Returns
    -------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    seen : Seen
        What `look` returned for these.

    References
    ----------
    Ang and Gillis, *Accelerating nonnegative matrix factorization algorithms using extrapolation*,
    2019, for plain NMF.

    Examples
    --------
    >>> M, ones = np.array([[4.0]]), np.ones((1, 1))
    >>> before, step = Fit(ones, ones, 0.0), Fit(ones, 2 * ones, 5.0)
    >>> W, H, seen = further(lambda W, H: Seen(((M - W @ H) ** 2).item(), M), step, before, 4.0)
    >>> H.item(), seen.objective
    (2.5, 2.25)
    """
    if before is not None:
        W, H = (
            np.maximum(now + FURTHER * (now - then), now / 10)
            for now, then in ((step.W, before.W), (step.H, before.H))
        )
        seen = look(W, H)
        if seen.objective <= bound:
            return W, H, seen
    return step.W, step.H, look(step.W, step.H)

"""The verifications that chapters and tests share.

Each check raises ``AssertionError`` with the number that broke it, and returns the
number that it measured, so that a page can print how close the call was.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator


def decreases(history: Sequence[float], rtol: float = 1e-10) -> float:
    """Check that no step of a recorded objective goes up.

    Parameters
    ----------
    history : sequence of float
        The objective at the start point and after each sweep.
    rtol : float, default=1e-10
        How much a step may rise, relative to the value before it: room for rounding.

    Returns
    -------
    float
        The largest relative rise; negative if every step goes strictly down.

    Raises
    ------
    AssertionError
        If a step rises by more, or the history is not finite or has no step.

    Examples
    --------
    >>> decreases([4.0, 2.0, 1.0])
    -0.5
    """
    history = np.asarray(history, dtype=float)
    assert history.size > 1, "The history has no step to check."
    assert np.isfinite(history).all(), "The history is not finite."
    scale = np.maximum(np.abs(history[:-1]), np.finfo(float).tiny)
    rises = np.diff(history) / scale
    worst = int(rises.argmax())
    assert rises[worst] <= rtol, (
        f"Step {worst + 1} raises the objective from {history[worst]:.6g} to "
        f"{history[worst + 1]:.6g}, by {rises[worst]:.2e} of its value."
    )
    return float(rises[worst])


def majorizes(
    surrogate: Callable,
    loss: Callable,
    at: np.ndarray,
    points: Iterable,
    rtol: float = 1e-10,
) -> float:
    """Check the two conditions of an auxiliary function.

    The surrogate must lie on or above the loss at every given point, and meet it at the
    touching point: ``surrogate(v, at) >= loss(v)`` and ``surrogate(at, at) ==
    loss(at)``.

    Parameters
    ----------
    surrogate : callable
        ``surrogate(v, at)``, a float.
    loss : callable
        ``loss(v)``, a float.
    at : ndarray
        The touching point.
    points : iterable of ndarray
        Where to compare; give points near and far, and zeros.
    rtol : float, default=1e-10
        Room for rounding, relative to the value of the loss.

    Returns
    -------
    float
        The smallest gap between the two, relative to the loss: how nearly they touch
        elsewhere.

    Raises
    ------
    AssertionError
        If the surrogate dips below the loss somewhere, or does not touch it at `at`.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.random.default_rng(0).normal(size=100)
    >>> gap = majorizes(lambda d, e: d**2 / (2 * e) + e / 2, abs, 1.5, points)
    >>> gap >= 0
    True
    """
    touch = surrogate(at, at)
    value = loss(at)
    scale = max(abs(value), np.finfo(float).tiny)
    assert abs(touch - value) <= rtol * scale, (
        f"At the touching point the surrogate is {touch:.16g} and the loss {value:.16g}."
    )
    smallest = np.inf
    for v in points:
        value = loss(v)
        scale = max(abs(value), abs(touch), np.finfo(float).tiny)
        gap = (surrogate(v, at) - value) / scale
        assert gap >= -rtol, (
            f"The surrogate lies below the loss, by {-gap:.2e} of its value."
        )
        smallest = min(smallest, float(gap))
    assert np.isfinite(smallest), "No point to compare at."
    return smallest


def gradient_matches(
    f: Callable,
    gradient: ArrayLike,
    x: ArrayLike,
    *,
    rtol: float = 1e-8,
    step: float = 1e-3,
    random_state: int = 0,
) -> float:
    """Check a gradient against central differences along twenty random directions.

    The differences of two step sizes are extrapolated, which leaves an error of the
    fourth order in the step; the direction's length is that of x divided by the root of
    its size.

    Parameters
    ----------
    f : callable
        ``f(x)``, a float.
    gradient : ndarray
        The claimed gradient at x, of the shape of x.
    x : ndarray
        Where to check. f must be smooth within a few steps of x.
    rtol : float, default=1e-8
        Largest difference allowed, relative to the largest slope among the directions.
    step : float, default=1e-3
        Step size, relative to the typical entry of x.
    random_state : int, default=0

    Returns
    -------
    float
        The largest relative difference.

    Raises
    ------
    AssertionError
        If a slope differs by more.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([1.0, 2.0])
    >>> error = gradient_matches(lambda v: (v**3).sum(), 3 * x**2, x)
    >>> error < 1e-9
    True
    """
    rng = np.random.default_rng(random_state)
    size = step * np.linalg.norm(x) / np.sqrt(np.size(x))
    slopes_of_f = []
    slopes_of_gradient = []
    for _ in range(20):
        d = rng.standard_normal(np.shape(x))
        slopes = [(f(x + h * d) - f(x - h * d)) / (2 * h) for h in (size, size / 2)]
        slopes_of_f.append((4 * slopes[1] - slopes[0]) / 3)
        slopes_of_gradient.append(np.vdot(np.asarray(gradient), d))
    measured = np.array(slopes_of_f)
    claimed = np.array(slopes_of_gradient)
    error = float(np.abs(measured - claimed).max() / np.abs(measured).max())
    assert error <= rtol, (
        f"The gradient is off by {error:.2e} of the largest slope measured."
    )
    return error


def kkt_residual(V: ArrayLike, gradient: ArrayLike, scale: float = 1.0) -> float:
    r"""Measure how far V is from a stationary point of a problem with V ≥ 0.

    At such a point every entry is zero with a gradient of at least zero, or positive
    with a gradient of zero: :math:`\min(V_{ij}, G_{ij}) = 0` for all entries.

    Parameters
    ----------
    V : ndarray
        A factor, non-negative.
    gradient : ndarray
        The gradient of the objective at V, of the same shape.
    scale : float, default=1.0
        A typical size of the gradient away from the solution, for instance that of the
        larger of the two terms that it is the difference of.

    Returns
    -------
    float
        The largest entry of ``|min(V / max(V), gradient / scale)|``.

    Examples
    --------
    >>> import numpy as np
    >>> kkt_residual(np.array([0.0, 2.0]), np.array([5.0, 0.0]))
    0.0
    >>> kkt_residual(np.array([0.0, 2.0]), np.array([-1.0, 0.0]), scale=4.0)
    0.25
    """
    largest = max(float(np.max(V)), np.finfo(float).tiny)
    return float(
        np.abs(np.minimum(np.asarray(V) / largest, np.asarray(gradient) / scale)).max()
    )


def iterates(model: BaseEstimator, A: ArrayLike, y: ArrayLike | None = None) -> list:
    """Record the factors of every sweep.

    Parameters
    ----------
    model : BaseNMF
        Not changed.
    A : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,), optional
        Labels, for a model that takes them.

    Returns
    -------
    list of (W, H)
        From the start point on; one more than there are sweeps.

    Examples
    --------
    >>> import numpy as np
    >>> from rnmf_tutorial import NMF
    >>> len(iterates(NMF(1, max_iter=3, tol=0), np.ones((4, 5))))
    4
    """
    return [(sweep.W, sweep.H) for sweep in model.sweeps(A, y)]


def same_iterates(a: Sequence, b: Sequence, rtol: float = 1e-10) -> float:
    """Check that two routes to one update give the same numbers, step by step.

    Parameters
    ----------
    a, b : sequence of ndarray
        What the two routes produce: reconstructions, or factors.
    rtol : float, default=1e-10
        Largest distance allowed between two arrays, relative to the norm of the first.

    Returns
    -------
    float
        The largest relative distance.

    Raises
    ------
    AssertionError
        If a pair differs by more, or the lengths or shapes differ.

    Examples
    --------
    >>> import numpy as np
    >>> same_iterates([np.ones(3)], [np.ones(3)])
    0.0
    """
    assert len(a) == len(b) > 0, f"{len(a)} and {len(b)} iterates to compare."
    worst = 0.0
    for k, (first, second) in enumerate(zip(a, b, strict=True)):
        assert first.shape == second.shape, (
            f"Iterate {k}: shapes {first.shape}, {second.shape}."
        )
        scale = max(np.linalg.norm(first), np.finfo(float).tiny)
        distance = float(np.linalg.norm(first - second) / scale)
        assert distance <= rtol, f"Iterate {k} differs by {distance:.2e} of its norm."
        worst = max(worst, distance)
    return worst

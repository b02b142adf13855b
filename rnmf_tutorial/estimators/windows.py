r"""NMF that finds damage in pieces, and leaves it out.

The fit starts where a rank has grown while windows that it could not explain were hardly heard.
From there it hears more and more, and takes the limit that foretells hidden windows best.
"""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.ndimage import maximum_filter
from sklearn.utils import check_random_state

from rnmf_tutorial.engine.fit import Run, encode
from rnmf_tutorial.engine.point import Point
from rnmf_tutorial.engine.start import initialize
from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.estimators.growing import TIGHT, grown, median_sample
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.warnings import about_weights
from rnmf_tutorial.groups import Windows
from rnmf_tutorial.losses import Loss
from rnmf_tutorial.steps.coordinate import Coordinate

__all__ = ["WindowNMF"]

# The limits, in lower quartiles of the windows' energies at the end of the growth; masks at each,
# and sweeps after a mask.
_LIMITS, _ROUNDS, _PASSES = (16, 32, 64, 128, 256, 512, np.inf), 2, 6
_HIDDEN = 0.1  # of the entries, while limits are compared
_COUNTED, _WORTH = 2 / 3, 1.1  # of these, the best foretold; see `best_foretold`
_MOST, _GIVEN_UP = 0.9, 1.5  # what is won on these may cost so much more on so many of them
_FEWEST = 30  # of them; fewer say nothing
_TURNS = 6  # masks of a sample that is encoded alone


def far_off(point, group, limit):
    """Return which entries are in patches of squared errors above a limit, or are missing."""
    E = point.W @ point.H
    E -= point.X  # zero where entries are missing, as X holds WH there
    E *= E
    far = group.patches(E, point.missing) > limit
    return far if point.missing is None else far | point.missing


def without(point, group, limit, hidden=False):
    """Return where a few sweeps of plain NMF lead without what is far off or hidden."""
    for _ in range(_ROUNDS):
        W, H = swept(point, far_off(point, group, limit) | hidden)
        point = point.to(W=W, H=H).fill()
    return point


def swept(point, unheard):
    """Return the factors after a few sweeps that fill in what is not heard."""
    seen = Point(point.X.copy(order="F"), point.W, point.H, missing=unheard).fill()
    seen = Run(seen, Loss(), Coordinate()).sweep(max_iter=_PASSES).point
    return seen.W, seen.H


def climbed(point, group, unit, random_state):
    """Return the limit that foretells best what is hidden from here on, and a point there."""
    sides = zip(group.window, group.shape, strict=True)
    edges = [max(1, min(edge or 1, side // 2)) for edge, side in sides]
    places = check_random_state(random_state).random_sample((point.X.shape[1], *group.shape))
    hidden = maximum_filter(places < _HIDDEN / np.prod(edges), size=(1, *edges))
    hidden = hidden.reshape(point.X.shape[::-1]).T
    known, factors, sums = hidden if point.missing is None else hidden & ~point.missing, [], []
    limits = np.multiply(_LIMITS, unit)
    for limit in limits:
        point = without(point, group, limit, hidden)
        squares = np.sort((point.X - point.W @ point.H)[known] ** 2)
        counts = (int(part * len(squares)) for part in (_COUNTED, _MOST))
        factors.append((point.W, point.H))
        sums.append([squares[:count].sum(dtype=float) for count in counts])
    best = best_foretold(*np.transpose(sums)) if len(squares) >= _FEWEST else -1
    W, H = factors[best]
    return limits[best], point.to(W=W, H=H).fill()


def best_foretold(counted, most):
    """Return the place of the limit to take, the last of which is infinity.

    It is that of the lowest root mean square of the two thirds that are foretold best, if this is
    lower by a tenth than at infinity, which leaves nothing out. None counts that raises that of the
    best nine tenths, relative to infinity, by more than 1.5 times the factor by which it lowers the
    other: sound data may be large in few places, and these must not be given up.
    """
    counts = counted * most <= _GIVEN_UP**2 * counted[-1] * most[-1]
    best = np.where(counts, counted, np.inf).argmin()
    return best if counted[-1] > _WORTH**2 * counted[best] else -1


@estimator
class WindowNMF(BaseNMF):
    r"""NMF that leaves out damage in pieces, which it finds by windows of neighbors.

    Minimizes the sum of squared residuals of the entries that are heard, over non-negative W and H.
    Left out is an entry in a patch, half a window wide, whose squared residuals are all above the
    square of the scale, gaps in which no patch has room being closed first.

    Before, the rank grows from one, the median sample, to r in eight stages, with the loss
    :math:`\sum_g c\,\varphi(u_g / c)`, :math:`\varphi(u) = u/(1 + u)`: :math:`u_g` is the mean of
    the squared residuals in the window around the entry g, and c twice their lower quartile. Then
    the limit of patches rises from 16 such quartiles in doublings to 512 and to infinity, with a
    few plain sweeps at each, from which a tenth of the data, in windows, is hidden. The fit takes
    the limit that foretells the better two thirds of these best. If that is not better by a tenth
    than infinity, nothing seems damaged, and this is :class:`NMF` with the same `tol` and
    `max_iter`. What is left out then stays so, and the objective never rises.

    Parameters
    ----------
    {n_components}
    shape : tuple of int or None, default=None
        Of one sample: ``(200,)`` for a spectrum, ``(32, 32)`` for a picture, three numbers for a
        cube. None is a row of all features.
    window : int or tuple of int or None, default=5
        The edge of a window, an odd number, or one for each axis; None in the tuple is the whole
        axis, along which the mean counts: ``(1, None)`` leaves out lines of a picture. Smaller than
        the damage. A patch's edge is the smallest odd number of at least half a window's.
    scale : float or None, default=None
        The residuals from which on a patch is left out, in the units of the data. None finds it.
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        Zero for an entry that is left out or missing, one for the others.
    scale_ : float
        The scale; infinite where nothing seems damaged.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start of the fit proper and after each sweep; it never rises.
    n_iter_ : int
        Number of sweeps of the fit proper.

    References
    ----------
    For φ Geman and McClure, *Bayesian image analysis*, 1985; the rest is this package's own.

    Examples
    --------
    Twenty spectra of rank one; in each, five neighbors of thirty read a constant:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> clean = np.outer(rng.uniform(1, 2, 20), 2 + np.sin(np.arange(30) / 4))
    >>> A = clean.copy()
    >>> for row, at in zip(A, rng.integers(0, 26, 20)):
    ...     row[at : at + 5] = 9
    >>> model = WindowNMF(1, shape=(30,), random_state=0)
    >>> restored = model.inverse_transform(model.fit_transform(A))
    >>> float(abs(restored - clean).max().round(3))
    0.0
    >>> bool((model.weights_[A == 9] == 0).all())
    True
    """

    shape: Any = None
    window: Any = 5
    scale: float | None = None
    init: Any = "growing"
    max_iter: int = 500
    tol: float = 1e-4

    takes_missing: ClassVar[bool] = True

    def _start(self, X, missing=None):
        """Return the start of the fit proper; what it leaves out is missing there."""
        group, grows = self._group(len(X)), isinstance(self.init, str) and self.init == "growing"
        point = median_sample(X, missing) if grows else super()._start(X, missing)
        point, loss = grown(point, group, self.n_components, self.random_state)
        point = Point(X, point.W, point.H, missing=missing).fill()  # without the growth's arrays
        if self.scale is None:
            limit, point = climbed(point, group, loss.c / TIGHT, self.random_state)
        else:
            limit = self.scale**2
        if np.isinf(limit):
            init = "random" if grows else self.init
            W, H = initialize(X, self.n_components, init, self.random_state)
            return Point(X, W, H, missing=missing, limit=limit).fill()
        point = without(point, group, limit)
        far, X = far_off(point, group, limit), X.copy(order="F")
        return Point(X, point.W, point.H, missing=far, limit=limit).fill()

    def _group(self, n_features):
        """Return the windows, of what is given checked against the data."""
        shape = (n_features,) if self.shape is None else self.shape
        if np.prod(shape) != n_features:
            made = f"{' × '.join(map(str, shape))} = {np.prod(shape)}"
            raise ValueError(f"shape={shape} makes {made} features; the data have {n_features}.")
        window = self.window if isinstance(self.window, tuple) else (self.window,) * len(shape)
        return Windows(shape, window)

    def _loss(self, point):
        """Return the squares; the scale and the windows are kept beside."""
        limit = vars(point).get("limit", np.inf)
        return Loss(group=self._group(len(point.X)), scale=limit**0.5)

    def _step(self):
        """Return coordinate descent."""
        return Coordinate()

    def _encode(self, X, W, missing=None):
        """Return the coefficients for a fixed W, at the mask that they settle with.

        They start at the mean of the fit's, times the median ratio of the sample to that mean: a
        bright run bends the coefficients of plain NMF until other entries are left out.
        """
        loss, step = self._fitted_loss, self._step()
        if np.isinf(loss.scale):
            return super()._encode(X, W, missing)
        usual = W @ self._mean_code
        known = X if missing is None else np.where(missing, np.nan, X)
        ratios = np.nanmedian(known[usual > 0] / usual[usual > 0, None], axis=0)
        H = np.outer(self._mean_code, ratios).astype(X.dtype)
        for _ in range(_TURNS):
            far = far_off(Point(X, W, H, missing=missing).fill(), loss.group, loss.c)
            seen, update = X.copy(order="F"), lambda point: step.coefficients(point, loss)
            H = encode(seen, W, update, H, missing=far, tol=self.tol, max_iter=self.max_iter)
        return H

    def _shown(self, point, loss):
        """Return the weights of the entries, the scale, and the start of a new sample's code."""
        heard = point.X >= 0 if point.missing is None else ~point.missing
        weights = heard.astype(point.X.dtype)
        return {"weights_": weights, "scale_": loss.scale, "_mean_code": point.H.mean(axis=1)}

    def _advice(self, point, loss):
        """Return what is wrong with a scale that was given."""
        return None if self.scale is None else about_weights(point.X, self.weights_.T, "scale")

    def _check(self):
        """Raise an error for a parameter out of range."""
        self._check_number("scale")
        shape, window = self.shape, self.window
        if shape is not None and not (sizes(shape) and 1 <= len(shape) <= 3):
            wrong = "must be a tuple of one, two or three whole numbers, the shape of a sample."
            raise ValueError(f"shape={shape!r} {wrong}")
        edges = window if isinstance(window, tuple) else (window,)
        known = [edge for edge in edges if edge is not None or edges is not window]
        if not sizes(known) or any(edge % 2 == 0 for edge in known):
            wrong = "must be an odd number, so that a window has a middle, or a tuple of these and"
            raise ValueError(f"window={window!r} {wrong} of None, which is a whole axis.")
        n_axes = 1 if shape is None else len(shape)
        if edges is window and len(edges) != n_axes:
            wrong = f"has {len(edges)} edges; a sample of shape {shape} has {n_axes} axes."
            raise ValueError(f"window={window!r} {wrong}")


def sizes(values):
    """Tell whether these are whole numbers of at least one."""
    return isinstance(values, tuple | list) and all(
        isinstance(n, Integral) and not isinstance(n, bool) and n >= 1 for n in values
    )

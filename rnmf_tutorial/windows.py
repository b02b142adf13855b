r"""NMF that finds damage in pieces, and leaves it out.

A model of the full rank learns a white block as it learns the face beneath. One of rank one cannot.
So the rank grows from the median sample, and what a model of low rank cannot explain, window by
window, gets almost no weight. From there the fit leaves out less and less, and takes the limit that
predicts hidden windows best.
"""

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.ndimage import grey_closing, grey_opening, maximum_filter, uniform_filter1d
from sklearn.utils import check_random_state

from rnmf_tutorial.core import Point, Run, at_least, encode, positive_mean
from rnmf_tutorial.estimator import BaseNMF, about_weights, estimator
from rnmf_tutorial.inputs import initialize
from rnmf_tutorial.losses import Entries, GemanMcClure, Loss
from rnmf_tutorial.updates.coordinate import Coordinate

__all__ = ["WindowNMF", "Windows", "grown", "median_sample"]

_STAGES, _SWEEPS = 8, 4  # of the growing rank, and in each of them
TIGHT = 2  # c, in lower quartiles of the energies
_LEAST = 0.02  # scale, as a share of the mean of the positive data
# The limits, in lower quartiles of the windows' energies at the end of the growth; masks at each,
# and sweeps after a mask.
_LIMITS, _ROUNDS, _PASSES = (16, 32, 64, 128, 256, 512, np.inf), 2, 6
_HIDDEN = 0.1  # of the entries, while limits are compared
_BETTER, _WORTH = 2 / 3, 1.1  # of these, those predicted best; see `best_predicted`
_MOST, _GIVEN_UP = 0.9, 1.5
_FEWEST = 30  # of them; fewer say nothing
_TURNS = 6  # masks of a sample that is encoded alone


class Windows(Entries):
    r"""The neighbors in a window share a weight; every entry of a sample is the middle of one.

    A sample is a row, a picture or a cube of numbers. The energy of a window is the mean of the
    divergences in it; what of it lies beyond an edge is mirrored there. K, the matrix of these
    means, is then symmetric with rows, and so columns, that sum to one: an entry that counts in
    the window of another, mirrored or not, counts as much the other way round. So the same means
    turn slopes into weights, none above one.

    Parameters
    ----------
    shape : tuple of int
        Of a sample.
    window : tuple
        The edges of a window, odd numbers; None stands for a whole axis.

    Examples
    --------
    >>> Windows((5,), (3,)).means(np.array([[0.0], [0.0], [0.0], [3.0], [6.0]])).ravel()
    array([0., 0., 1., 3., 5.])
    """

    def __init__(self, shape, window):
        self.shape, self.window = tuple(shape), tuple(window)

    def __repr__(self):
        return f"Windows({self.shape}, {self.window})"

    def __eq__(self, other):
        return repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def means(self, values, out=None):
        """Return K applied to every column of values, of the shape of X."""
        out = np.empty_like(values, order="F") if out is None else out
        if out is not values:
            np.copyto(out, values)
        cubes = out.T.reshape(-1, *self.shape)  # a view: out is in Fortran order
        for axis, edge in enumerate(self.window, start=1):
            if edge is None:
                cubes[...] = cubes.mean(axis=axis, keepdims=True)
            elif edge > 1:
                uniform_filter1d(cubes, edge, axis=axis, output=cubes, mode="reflect")
        return at_least(out, 0, out=out)  # a running sum may end a rounding below

    def patches(self, values, mask=None):
        """Return for every entry the most that all of some patch with the entry in it reaches.

        A patch is as wide as the smallest odd number above half a window. Gaps in which no patch
        has room are closed first: an entry takes the least of the largest values of the patches
        that it is in. Both mirror at the edges. Of a whole axis, the mean counts. A missing entry,
        whose value is zero, keeps no patch from a value that its others reach.
        """
        cubes, size = values.T.reshape(-1, *self.shape), [1]
        for axis, edge in enumerate(self.window, start=1):
            if edge is None:
                cubes = np.broadcast_to(cubes.mean(axis=axis, keepdims=True), cubes.shape)
            size.append(1 if edge is None else (edge + 1) // 4 * 2 + 1)
        cubes = grey_closing(cubes, size=size)
        if mask is not None:
            cubes[mask.T.reshape(cubes.shape)] = np.inf
        return grey_opening(cubes, size=size).reshape(values.shape[::-1]).T

    def energies(self, divergence, point):
        """Return the mean divergence of the window around every entry, in shared memory."""
        u = super().energies(divergence, point)
        return self.means(u, out=u)

    def weights(self, q):
        """Return the mean slope of the windows that an entry is in, as weights, none zero."""
        return super().weights(self.means(q))

    def clean(self, point, q):
        """Return the cleaned data, and weights of samples."""
        return super().clean(point, self.means(q, out=point.array("windows")))


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
    >>> from rnmf_tutorial.losses import ENTRIES
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
            point = step(point, loss).settled()
        loss = calm_loss(point, group)
        if watch is not None:
            watch(point, loss)
    return point, loss


def calm_loss(point, group):
    """Return the loss with two lower quartiles of the windows' energies at a point as c.

    The scale is at least a share of the data, as parts of these can be fitted exactly.
    """
    loss = Loss(GemanMcClure(), group=group, estimated=True).rescaled(point)
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
    return point.to(W=np.hstack([point.W, mixed]), H=np.vstack([point.H, zeros])).settled()


def median_sample(X, mask=None):
    """Return W of one column, the median sample or the mean where it is zero, and H of ones."""
    W = np.median(X, axis=1)[:, None]
    if not W.any():
        W = X.mean(axis=1)[:, None]
    return Point(X, W, np.ones((1, X.shape[1]), X.dtype), mask)


def far_off(point, group, limit):
    """Return which entries are in patches of squared errors above a limit, or are missing."""
    E = point.W @ point.H
    E -= point.X  # zero where entries are missing, as X holds WH there
    E *= E
    far = group.patches(E, point.mask) > limit
    return far if point.mask is None else far | point.mask


def without(point, group, limit, hidden=False):
    """Return where a few sweeps of plain NMF lead without what is far off or hidden."""
    for _ in range(_ROUNDS):
        W, H = swept(point, far_off(point, group, limit) | hidden)
        point = point.to(W=W, H=H).settled()
    return point


def swept(point, left_out):
    """Return the factors after a few sweeps that fill in what is left out."""
    start = Point(point.X.copy(order="F"), point.W, point.H, left_out)
    end = Run(start, Loss(), Coordinate()).sweep(max_iter=_PASSES).point
    return end.W, end.H


def chosen_limit(point, group, unit, random_state):
    """Return the limit that predicts best what is hidden from here on, and a point there."""
    sides = zip(group.window, group.shape, strict=True)
    edges = [max(1, min(edge or 1, side // 2)) for edge, side in sides]
    places = check_random_state(random_state).random_sample((point.X.shape[1], *group.shape))
    hidden = maximum_filter(places < _HIDDEN / np.prod(edges), size=(1, *edges))
    hidden = hidden.reshape(point.X.shape[::-1]).T
    known, factors, sums = hidden if point.mask is None else hidden & ~point.mask, [], []
    limits = np.multiply(_LIMITS, unit)
    for limit in limits:
        point = without(point, group, limit, hidden)
        squares = np.sort((point.X - point.W @ point.H)[known] ** 2)
        counts = (int(part * len(squares)) for part in (_BETTER, _MOST))
        factors.append((point.W, point.H))
        sums.append([squares[:count].sum(dtype=float) for count in counts])
    best = best_predicted(*np.transpose(sums)) if len(squares) >= _FEWEST else -1
    W, H = factors[best]
    return limits[best], point.to(W=W, H=H).settled()


def best_predicted(better, most):
    """Return the index of the limit to take; the last limit is infinity, which leaves nothing out.

    Both arguments are sums of squared prediction errors, one for each limit: over the two thirds of
    the hidden entries that are predicted best, and over the best nine tenths. The limit with the
    least first sum is taken if its root mean square is lower by a tenth than that at infinity. A
    limit is ruled out if it raises the second, relative to infinity, by more than 1.5 times the
    factor by which it lowers the first: sound data may be large in few places.
    """
    allowed = better * most <= _GIVEN_UP**2 * better[-1] * most[-1]
    best = np.where(allowed, better, np.inf).argmin()
    return best if better[-1] > _WORTH**2 * better[best] else -1


@estimator
class WindowNMF(BaseNMF):
    r"""NMF that leaves out damage in pieces, which it finds by windows of neighbors.

    Minimizes the sum of squared residuals of the entries that are not left out, over non-negative W
    and H. Left out is an entry in a patch, half a window wide, whose squared residuals are all
    above the square of the scale, gaps in which no patch has room being closed first.

    Before, the rank grows from one, the median sample, to r in eight stages, with the loss
    :math:`\sum_g c\,\varphi(u_g / c)`, :math:`\varphi(u) = u/(1 + u)`: :math:`u_g` is the mean of
    the squared residuals in the window around the entry g, and c twice their lower quartile. Then
    the limit of patches rises from 16 such quartiles in doublings to 512 and to infinity, with a
    few plain sweeps at each, from which a tenth of the data, in windows, is hidden. The fit takes
    the limit that predicts the better two thirds of these best. If that is not better by a tenth
    than infinity, nothing seems damaged, and this is :class:`NMF` with the same `tol` and
    `max_iter`. What is left out then stays so, and the objective never rises.

    See the chapter *Behind the block* of the book.

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

    def _start(self, X):
        """Return the start of the fit if nothing is left out; "growing" is then "random"."""
        grows = isinstance(self.init, str) and self.init == "growing"
        init = "random" if grows else self.init
        return initialize(X, self.n_components, init, self.random_state)

    def _begin(self, point, y):
        """Return the run of the fit proper, whose mask has what it leaves out."""
        X, mask, r = point.data, point.mask, self.n_components
        group, plain = self._group(len(X)), point
        if isinstance(self.init, str) and self.init == "growing":
            point = median_sample(X, mask)
        point, loss = grown(point, group, r, self.random_state)
        point = Point(X, point.W, point.H, mask)  # without the arrays of the growth
        if self.scale is None:
            limit, point = chosen_limit(point, group, loss.c / TIGHT, self.random_state)
        else:
            limit = self.scale**2
        loss = Loss(group=group, scale=limit**0.5)
        if np.isinf(limit):
            return Run(Point(X, plain.W, plain.H, mask), loss, Coordinate())
        point = without(point, group, limit)
        far, X = far_off(point, group, limit), X.copy(order="F")
        return Run(Point(X, point.W, point.H, far), loss, Coordinate())

    def _group(self, n_features):
        """Return the windows, of what is given checked against the data."""
        shape = (n_features,) if self.shape is None else self.shape
        if np.prod(shape) != n_features:
            made = f"{' × '.join(map(str, shape))} = {np.prod(shape)}"
            raise ValueError(f"shape={shape} makes {made} features; the data have {n_features}.")
        window = self.window if isinstance(self.window, tuple) else (self.window,) * len(shape)
        return Windows(shape, window)

    def _loss(self, point):
        """Return the squares, at the scale that was given or found."""
        if hasattr(self, "_fitted_loss"):
            return self._fitted_loss
        return Loss(group=self._group(len(point.W)), scale=self.scale or np.inf)

    def _step(self, loss):
        """Return coordinate descent."""
        return Coordinate()

    def _encode(self, point):
        """Return the coefficients for a fixed W, at the mask that they settle with.

        They start at the mean of the fit's, times the median ratio of the sample to that mean: a
        bright run bends the coefficients of plain NMF until other entries are left out.
        """
        loss, step = self._fitted_loss, Coordinate()
        if np.isinf(loss.scale):
            return super()._encode(point)
        X, W, mask = point.data, point.W, point.mask
        usual = W @ self._mean_code
        known = X if mask is None else np.where(mask, np.nan, X)
        ratios = np.nanmedian(known[usual > 0] / usual[usual > 0, None], axis=0)
        H = np.outer(self._mean_code, ratios).astype(X.dtype)
        limits = {"tol": self.tol, "max_iter": self.max_iter}
        for _ in range(_TURNS):
            far = far_off(Point(X, W, H, mask), loss.group, loss.c)
            start = Point(X.copy(order="F"), W, H, far)
            H = encode(start, lambda point: step.coefficients(point, loss), **limits)
        return H

    def _shown(self, point, loss):
        """Return the weights of the entries, the scale, and the start of a new sample's code."""
        kept = np.ones(point.data.shape, bool) if point.mask is None else ~point.mask
        weights = np.asarray(kept, point.data.dtype, order="F")
        return {"weights_": weights, "scale_": loss.scale, "_mean_code": point.H.mean(axis=1)}

    def _advice(self, point, loss):
        """Return what is wrong with a scale that was given."""
        return None if self.scale is None else about_weights(point, self.weights_.T, "scale")

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

r"""NMF that finds contiguous damage, such as a white block on a face, and leaves it out.

A model of full rank fits a white block as well as the face beneath; a model of rank one
cannot. So the rank grows from one, starting at the median sample, and windows that a
model of low rank does not fit get almost no weight. Then the fit raises the limit above
which entries are left out, and takes the limit that predicts hidden windows best.

Signal that the rank has no room for looks like damage, too. So this is a method of the
book, which the package does not install; the chapter *Behind the block* says where it
pays.
"""

import warnings
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.ndimage import grey_closing, grey_opening, maximum_filter, uniform_filter1d
from sklearn.utils import check_random_state

from rnmf_tutorial.core import Point, Run, at_least, encode, positive_mean
from rnmf_tutorial.estimator import BaseNMF, estimator
from rnmf_tutorial.losses import Entries, Loss
from rnmf_tutorial.updates.coordinate import Coordinate

_STAGES, _SWEEPS = 8, 4  # stages in which the rank grows, and sweeps in each of them
TIGHT = 2  # c, in lower quartiles of the energies
_LEAST = 0.02  # scale, as a share of the mean of the positive data
# The limits, in lower quartiles of the windows' energies when the rank has reached r;
# the number of masks computed at each limit, and of sweeps after each mask.
_LIMITS, _ROUNDS, _PASSES = (16, 32, 64, 128, 256, 512, np.inf), 2, 6
_HIDDEN = 0.1  # of the entries, while limits are compared
# The constants of `best_predicted`: shares of the hidden entries, and factors of their
# errors.
_BETTER, _WORTH = 2 / 3, 1.1
_MOST, _GIVEN_UP = 0.9, 1.5
_FEWEST = 30  # with fewer hidden entries, limits are not compared
_TURNS = 6  # masks computed for new samples
_MUCH = 0.05  # of the data's sum: a fit that leaves out more warns


class GemanMcClure:
    """φ(u) = u / (1 + u): no residual costs more than c."""

    power = 1

    def value(self, u, q):
        """Return u / (1 + u)."""
        return u / (1 + u)

    def slope(self, u, out=None):
        """Return 1 / (1 + u)²."""
        q = np.add(u, 1, out=out)
        np.multiply(q, q, out=q)
        return np.divide(1, q, out=q)

    def estimate(self, u, previous=None):
        """Return twice the lower quartile of the energies."""
        return TIGHT * float(np.quantile(u, 0.25))


class Windows(Entries):
    r"""A group is a window of neighbors; there is one window around every entry of a sample.

    The energy of a window is the mean of the divergences in it. At an edge of the
    sample, values are mirrored. So K, the matrix of these means, is symmetric, and its
    rows and columns sum to one. As Kᵀ = K, the weight of an entry is the mean of the
    slopes in the window around it.

    Parameters
    ----------
    shape : tuple of int
        The shape of a sample.
    window : tuple
        The edges of a window, odd numbers; None is a whole axis.

    Examples
    --------
    >>> Windows((5,), (3,)).means(np.array([[0.0], [0.0], [0.0], [3.0], [6.0]])).ravel()
    array([0., 0., 1., 3., 5.])
    """

    def __init__(self, shape, window):
        self.shape, self.window = tuple(shape), tuple(window)

    def means(self, values):
        """Return K applied to every column of values, of the shape of X."""
        out = np.array(values, order="F")
        cubes = out.T.reshape(-1, *self.shape)  # a view: out is in Fortran order
        for axis, edge in enumerate(self.window, start=1):
            if edge is None:
                cubes[...] = cubes.mean(axis=axis, keepdims=True)
            elif edge > 1:
                uniform_filter1d(cubes, edge, axis=axis, output=cubes, mode="reflect")
        return at_least(out, 0, out=out)  # a running sum can be negative by rounding

    def patches(self, values, mask=None):
        """Return for every entry the largest minimum over the patches that contain it.

        This is a gray opening; a patch is about half a window wide. A gray closing
        comes first, so that small gaps in a damaged piece do not matter. Both mirror at
        the edges. Along a whole axis, values are first replaced by their mean. Missing
        entries are ignored in the minimum.
        """
        cubes, size = values.T.reshape(-1, *self.shape), [1]
        for axis, edge in enumerate(self.window, start=1):
            if edge is None:
                cubes = np.broadcast_to(
                    cubes.mean(axis=axis, keepdims=True), cubes.shape
                )
            size.append(1 if edge is None else (edge + 1) // 4 * 2 + 1)
        cubes = grey_closing(cubes, size=size)
        if mask is not None:
            cubes[mask.T.reshape(cubes.shape)] = np.inf
        return grey_opening(cubes, size=size).reshape(values.shape[::-1]).T

    def energies(self, divergence, point):
        """Return the mean divergence of the window around every entry."""
        return self.means(super().energies(divergence, point))

    def weights(self, q):
        """Return the mean slope of the windows that contain an entry as its weight, positive."""
        return super().weights(self.means(q))

    def clean(self, point, q):
        """Return the cleaned data, and weights of samples."""
        return super().clean(point, self.means(q))


def grown(point, group, r, random_state=None, watch=None):
    """Return the point of rank r, and its loss, after a fit whose rank grows up to r.

    `watch` is called with the point and the loss after every stage.
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
    """Return the loss whose c is twice the lower quartile of the windows' energies at a point.

    The scale is at least 2 % of the mean of the positive data, as some windows may fit
    exactly.
    """
    loss = Loss(GemanMcClure(), group=group, estimated=True).rescaled(point)
    return replace(
        loss, scale=max(loss.scale, _LEAST * positive_mean(point.X)), estimated=False
    )


def with_more_parts(point, loss, rank, rng):
    """Return the point with new columns of W: random mixtures of the weighted residuals.

    The new rows of H are zero, so WH does not change; the next sweep updates them.
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
    return point.to(
        W=np.hstack([point.W, mixed]), H=np.vstack([point.H, zeros])
    ).settled()


def median_sample(X, mask=None):
    """Return the point of rank one with the median sample as W (the mean, if that is zero)."""
    W = np.median(X, axis=1)[:, None]
    if not W.any():
        W = X.mean(axis=1)[:, None]
    return Point(X, W, np.ones((1, X.shape[1]), X.dtype), mask)


def far_off(point, group, limit):
    """Return which entries are missing, or in a patch whose squared errors exceed a limit."""
    E = point.W @ point.H
    E -= point.X  # zero at missing entries, where X holds WH
    E *= E
    far = group.patches(E, point.mask) > limit
    return far if point.mask is None else far | point.mask


def without(point, group, limit, hidden=False):
    """Return the point after sweeps of plain NMF without the entries far off or hidden."""
    for _ in range(_ROUNDS):
        left_out = far_off(point, group, limit) | hidden
        start = Point(point.X.copy(order="F"), point.W, point.H, left_out)
        end = Run(start, Loss(), Coordinate()).sweep(max_iter=_PASSES).point
        point = point.to(W=end.W, H=end.H).settled()
    return point


def chosen_limit(point, group, unit, random_state):
    """Hide windows, and return the limit that predicts them best, and the point of its fit."""
    sides = zip(group.window, group.shape, strict=True)
    edges = [max(1, min(edge or 1, side // 2)) for edge, side in sides]
    places = check_random_state(random_state).random_sample(
        (point.X.shape[1], *group.shape)
    )
    hidden = maximum_filter(places < _HIDDEN / np.prod(edges), size=(1, *edges))
    hidden = hidden.reshape(point.X.shape[::-1]).T
    known, factors, sums = (
        hidden if point.mask is None else hidden & ~point.mask,
        [],
        [],
    )
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
    """Return the index of the limit to use; the last limit is infinity, which leaves nothing out.

    Both arguments have a sum of squared prediction errors for each limit: `better` over
    the best predicted two thirds of the hidden entries, `most` over the best nine
    tenths. The limit with the smallest `better` is used if √better is more than 1.1
    times as large at infinity; otherwise infinity is. Limits at which √(better × most)
    is more than 1.5 times as large as at infinity are not allowed: they leave out good
    data that are large in few places.
    """
    allowed = better * most <= _GIVEN_UP**2 * better[-1] * most[-1]
    best = np.where(allowed, better, np.inf).argmin()
    return best if better[-1] > _WORTH**2 * better[best] else -1


@estimator
class WindowNMF(BaseNMF):
    r"""NMF that finds contiguous damage by windows of neighbors, and leaves it out.

    Minimizes the sum of squared residuals of the entries that are not left out, over
    non-negative W and H. An entry is left out if it is in a patch, half a window wide,
    in which all residuals are larger than the scale; gaps smaller than a patch are
    closed first. The fit has three parts:

    1. The rank grows from one, the median sample, to r in eight stages. The loss is
       :math:`\sum_g c\,\varphi(u_g / c)` with :math:`\varphi(u) = u/(1 + u)`, where
       :math:`u_g` is the mean squared residual in the window around entry g, and c is
       twice the lower quartile of the :math:`u_g`.
    2. The scale is chosen. Its square is tried at 16, 32, ..., 512 such quartiles and
       at infinity, with a few sweeps of plain NMF at each. A tenth of the data, in
       windows, is hidden from these sweeps, and the scale that predicts the best two
       thirds of them best is used. If it is not better by a tenth than infinity,
       nothing is left out: this is `NMF` with the same `tol` and `max_iter`.
    3. Coordinate descent treats the entries left out as missing; the objective never
       rises.

    A fit warns if it leaves out more than 5 % of the sum of the data.

    Parameters
    ----------
    {n_components}
    shape : tuple of int or None, default=None
        The shape of a sample: ``(200,)`` for a spectrum, ``(32, 32)`` for a picture.
        None is a row of all features.
    window : int or tuple of int or None, default=5
        The edge of a window, an odd number, or one for each axis; choose it smaller
        than the damage. None in the tuple is the whole axis, along which residuals are
        averaged.
    scale : float or None, default=None
        A patch whose residuals are all larger is left out. None estimates it.
    grow : bool, default=True
        Whether the rank grows; if not, part 1 takes the same sweeps at rank r from
        `init`.
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        Zero for an entry that is left out or missing, one for the others.
    scale_ : float
        The scale; infinite if nothing is left out.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start of part 3 and after each sweep; it never rises.
    n_iter_ : int
        Number of sweeps of part 3.

    Examples
    --------
    Twenty spectra of rank one; in each, five neighbors of thirty read a constant:

    >>> rng = np.random.default_rng(0)
    >>> clean = np.outer(rng.uniform(1, 2, 20), 2 + np.sin(np.arange(30) / 4))
    >>> A = clean.copy()
    >>> for row, at in zip(A, rng.integers(0, 26, 20)):
    ...     row[at : at + 5] = 9
    >>> model = WindowNMF(1, random_state=0, tol=0)
    >>> restored = model.inverse_transform(model.fit_transform(A))
    >>> float(abs(restored - clean).max().round(3))
    0.0
    >>> bool((model.weights_[A == 9] == 0).all())
    True
    """

    shape: Any = None
    window: Any = 5
    scale: float | None = None
    grow: bool = True
    max_iter: int = 500
    tol: float = 1e-4

    takes_missing: ClassVar[bool] = True

    def _begin(self, point, y):
        """Return the run of part 3, whose mask has the entries left out."""
        X, mask, plain = point.data, point.mask, point
        shape = (len(X),) if self.shape is None else self.shape
        window = (
            self.window
            if isinstance(self.window, tuple)
            else (self.window,) * len(shape)
        )
        group = Windows(shape, window)
        start = median_sample(X, mask) if self.grow else point
        point, loss = grown(start, group, self.n_components, self.random_state)
        point = Point(X, point.W, point.H, mask)  # without the arrays of the growth
        limit = None if self.scale is None else self.scale**2
        if limit is None:
            limit, point = chosen_limit(point, group, loss.c / TIGHT, self.random_state)
        loss, self._share = Loss(group=group, scale=limit**0.5), 0.0
        if np.isinf(limit):
            return Run(Point(X, plain.W, plain.H, mask), loss, Coordinate())
        point = without(point, group, limit)
        far, known = far_off(point, group, limit), True if mask is None else ~mask
        self._share = 1 - X.sum(where=~far) / max(
            X.sum(where=known), np.finfo(X.dtype).tiny
        )
        return Run(Point(X.copy(order="F"), point.W, point.H, far), loss, Coordinate())

    def _step(self, loss):
        """Return coordinate descent."""
        return Coordinate()

    def _encode(self, point):
        """Return the coefficients for a fixed W, and the entries left out, by turns.

        The start is the mean coefficients of the fit, times the median ratio of the
        sample to their WH, or one where no ratio is known. With a start from plain NMF,
        large errors could cause good entries to be left out.
        """
        loss, step = self._fitted_loss, Coordinate()
        if np.isinf(loss.scale):
            return super()._encode(point)
        X, W, mask = point.data, point.W, point.mask
        usual = W @ self._mean_code
        known = X if mask is None else np.where(mask, np.nan, X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # nothing is known
            ratios = np.nanmedian(known[usual > 0] / usual[usual > 0, None], axis=0)
        H = np.outer(self._mean_code, np.nan_to_num(ratios, nan=1)).astype(X.dtype)
        limits = {"tol": self.tol, "max_iter": self.max_iter}
        for _ in range(_TURNS):
            far = far_off(Point(X, W, H, mask), loss.group, loss.c)
            start = Point(X.copy(order="F"), W, H, far)
            H = encode(start, lambda point: step.coefficients(point, loss), **limits)
        return H

    def _shown(self, point, loss):
        """Return the weights, the scale, and the mean coefficients, from which `_encode` starts."""
        kept = np.ones(point.data.shape, bool) if point.mask is None else ~point.mask
        weights = np.asarray(kept, point.data.dtype, order="F")
        return {
            "weights_": weights,
            "scale_": loss.scale,
            "_mean_code": point.H.mean(axis=1),
        }

    def _advice(self, point, loss):
        """Return the text of a warning if much of the data is left out, or None."""
        if self._share <= _MUCH:
            return None
        return (
            f"{self._share:.0%} of the sum of the data is left out. It is damage, or signal that "
            f"{self.n_components} components have no room for: compare with NMF."
        )

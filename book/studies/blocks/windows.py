r"""NMF that finds contiguous damage, such as a white block on a face, and leaves it out.

A model of full rank fits a white block as well as the face beneath; a model of rank one
cannot. So the rank grows from one, starting at the median sample, and windows that a
model of low rank does not fit get almost no weight. Then the fit raises the limit above
which entries are left out, and takes the limit that predicts hidden windows best.

Signal that the rank has no room for looks like damage, too. So this is a method of the
book, which the package does not install; the chapter on blocks says where it
pays.
"""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.ndimage import grey_closing, grey_opening, maximum_filter, uniform_filter1d
from sklearn.utils import check_random_state

from rnmf_tutorial.arithmetic import positive_mean
from rnmf_tutorial.base import BaseNMF, Problem
from rnmf_tutorial.fitting import Work, iterate, last_state
from rnmf_tutorial.losses import Entries, WeightedLoss
from rnmf_tutorial.solvers import CoordinateDescent

_STAGES = 8  # in which the rank grows
_SWEEPS = 4  # in each stage
TIGHT = 2  # c, in lower quartiles of the energies
_LEAST = 0.02  # scale, as a share of the mean of the positive data
# The limits, in lower quartiles of the windows' energies when the rank has reached r.
_LIMITS = (16, 32, 64, 128, 256, 512, np.inf)
_ROUNDS = 2  # masks computed at each limit
_PASSES = 6  # sweeps after each of these masks
_HIDDEN = 0.1  # of the entries, while limits are compared
# The constants of `best_predicted`: shares of the hidden entries, and factors of their
# errors.
_BETTER = 2 / 3
_MOST = 0.9
_WORTH = 1.1
_GIVEN_UP = 1.5
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
        self.shape = tuple(shape)
        self.window = tuple(window)

    def means(self, values):
        """Return K applied to every column of values, of the shape of X."""
        out = np.array(values, order="F")
        cubes = out.T.reshape(-1, *self.shape)  # a view: out is in Fortran order
        for axis, edge in enumerate(self.window, start=1):
            if edge is None:
                cubes[...] = cubes.mean(axis=axis, keepdims=True)
            elif edge > 1:
                uniform_filter1d(cubes, edge, axis=axis, output=cubes, mode="reflect")
        return np.clip(
            out, 0, np.inf, out=out
        )  # a running sum can be negative by rounding

    def patches(self, values, mask=None):
        """Return for every entry the largest minimum over the patches that contain it.

        This is a gray opening; a patch is about half a window wide. A gray closing
        comes first, so that small gaps in a damaged piece do not matter. Both mirror at
        the edges. Along a whole axis, values are first replaced by their mean. Missing
        entries are ignored in the minimum.
        """
        cubes = values.T.reshape(-1, *self.shape)
        size = [1]
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

    def energies(self, divergence, work, comparison):
        """Return the mean divergence of the window around every entry."""
        return self.means(super().energies(divergence, work, comparison))

    def weights(self, slopes):
        """Return the mean slope of the windows that contain an entry as its weight, positive."""
        return super().weights(self.means(slopes))

    def clean(self, work, slopes):
        """Return the cleaned data, and weights of samples."""
        return super().clean(work, self.means(slopes))


def grown(work, W, H, group, r, random_state=None, watch=None):
    """Return W and H of rank r, and their loss, after a fit whose rank grows up to r.

    `watch(W, H, loss)` is called after every stage.
    """
    rng = check_random_state(random_state)
    solver = CoordinateDescent()
    loss = calm_loss(work, W, H, group)
    last_update = None
    ranks = np.geomspace(W.shape[1], r, _STAGES).round().astype(int)
    for rank in ranks:
        if rank > W.shape[1]:
            W, H = with_more_parts(work, W, H, loss, rank, rng)
            last_update = None  # of another rank: the next sweep cannot extrapolate
        end = last_state(
            iterate(work, W, H, loss, solver, last_update=last_update, max_iter=_SWEEPS)
        )
        W, H = end.W, end.H
        last_update = end.last_update
        loss = calm_loss(work, W, H, group)
        if watch is not None:
            watch(W, H, loss)
    return W, H, loss


def calm_loss(work, W, H, group):
    """Return the loss whose c is twice the lower quartile of the windows' energies at W and H.

    The scale is at least 2% of the mean of the positive data, because some windows may
    fit exactly.
    """
    loss = WeightedLoss(GemanMcClure(), group=group, reestimated=True)
    loss, _ = loss.rescaled(work, W, H)
    least = _LEAST * positive_mean(work.X)
    return replace(loss, scale=max(loss.scale, least), reestimated=False)


def with_more_parts(work, W, H, loss, rank, rng):
    """Return W with new columns, which are random mixtures of the weighted residuals, and H.

    The new rows of H are zero, so WH does not change. The next sweep updates them.
    """
    new = rank - W.shape[1]
    n = H.shape[1]
    comparison = loss.compare(work, W, H)
    E = work.X - work.WH
    E *= loss.positive_weights(comparison)
    mixed = np.maximum(E @ rng.standard_normal((n, new)).astype(E.dtype), 0)
    lengths = np.linalg.norm(mixed, axis=0)
    usual = np.linalg.norm(W, axis=0).mean()
    mixed *= usual / np.where(lengths > 0, lengths, 1)
    zeros = np.zeros((new, n), E.dtype)
    return np.hstack([W, mixed]), np.vstack([H, zeros])


def median_sample(X):
    """Return W and H of rank one; W is the median sample (the mean, if that is zero)."""
    W = np.median(X, axis=1)[:, None]
    if not W.any():
        W = X.mean(axis=1)[:, None]
    return W, np.ones((1, X.shape[1]), X.dtype)


def far_off(work, W, H, group, limit):
    """Return which entries are missing, or in a patch whose squared errors exceed a limit."""
    work.multiply(W, H)
    E = work.WH - work.X  # zero at missing entries, where X holds WH
    E *= E
    far = group.patches(E, work.mask) > limit
    return far if work.mask is None else far | work.mask


def without(work, W, H, group, limit, hidden=False):
    """Return W and H after sweeps of plain NMF without the entries far off or hidden."""
    for _ in range(_ROUNDS):
        left_out = far_off(work, W, H, group, limit) | hidden
        rest = Work(work.X.copy(order="F"), left_out)
        sweeps = iterate(
            rest, W, H, WeightedLoss(), CoordinateDescent(), max_iter=_PASSES
        )
        end = last_state(sweeps)
        W, H = end.W, end.H
    return W, H


def chosen_limit(work, W, H, group, unit, random_state):
    """Hide windows, and return the limit that predicts them best, and the factors of its fit."""
    sides = zip(group.window, group.shape, strict=True)
    edges = [max(1, min(edge or 1, side // 2)) for edge, side in sides]
    n_samples = H.shape[1]
    places = check_random_state(random_state).random_sample((n_samples, *group.shape))
    hidden = maximum_filter(places < _HIDDEN / np.prod(edges), size=(1, *edges))
    hidden = hidden.reshape(work.X.shape[::-1]).T
    known = hidden if work.mask is None else hidden & ~work.mask

    factors = []
    better = []  # the sums of squared errors over the best predicted two thirds
    most = []  # and nine tenths
    limits = np.multiply(_LIMITS, unit)
    for limit in limits:
        W, H = without(work, W, H, group, limit, hidden)
        squares = np.sort((work.X - W @ H)[known] ** 2)
        factors.append((W, H))
        better.append(squares[: int(_BETTER * len(squares))].sum(dtype=float))
        most.append(squares[: int(_MOST * len(squares))].sum(dtype=float))
    best = -1
    if len(squares) >= _FEWEST:
        best = best_predicted(np.array(better), np.array(most))
    W, H = factors[best]
    return limits[best], W, H


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

    A fit warns if it leaves out more than 5% of the sum of the data.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
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
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=500
        Largest number of sweeps of part 3.
    tol : float, default=1e-4
        Stop when a sweep changes the objective by less than this fraction of it.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of the new components, of the hidden windows and of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

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

    takes_missing: ClassVar[bool] = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        shape: Any = None,
        window: Any = 5,
        scale: float | None = None,
        grow: bool = True,
        init: Any = "random",
        max_iter: int = 500,
        tol: float = 1e-4,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_components,
            init=init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            callback=callback,
            verbose=verbose,
        )
        self.shape = shape
        self.window = window
        self.scale = scale
        self.grow = grow

    def _problem(self, work, W, H, y):
        """Return the problem of part 3, in which the entries left out are missing."""
        X = work.X
        mask = work.mask
        shape = (len(X),) if self.shape is None else self.shape
        window = self.window
        if not isinstance(window, tuple):
            window = (window,) * len(shape)
        group = Windows(shape, window)

        # 1. Let the rank grow.
        first_W, first_H = median_sample(X) if self.grow else (W, H)
        grown_W, grown_H, loss = grown(
            work, first_W, first_H, group, self.n_components, self.random_state
        )

        # 2. Choose the scale; its square is the limit.
        if self.scale is None:
            unit = loss.c / TIGHT
            limit, grown_W, grown_H = chosen_limit(
                work, grown_W, grown_H, group, unit, self.random_state
            )
        else:
            limit = self.scale**2
        loss = WeightedLoss(group=group, scale=limit**0.5)
        solver = CoordinateDescent()
        if np.isinf(limit):
            return Problem(work, W, H, loss, solver, found={"_share": 0.0})

        # 3. What is far off at this scale is left out.
        W, H = without(work, grown_W, grown_H, group, limit)
        far = far_off(work, W, H, group, limit)
        all_sum = X.sum(where=True if mask is None else ~mask)
        share = 1 - X.sum(where=~far) / max(all_sum, np.finfo(X.dtype).tiny)
        rest = Work(X.copy(order="F"), far)
        return Problem(rest, W, H, loss, solver, found={"_share": share})

    def _solver(self, loss):
        """Return coordinate descent."""
        return CoordinateDescent()

    def _encode(self, work, W):
        """Return the coefficients for a fixed W, and the entries left out, by turns.

        The start is the mean coefficients of the fit, times the median ratio of the
        sample to their WH, or one where no ratio is known. With a start from plain NMF,
        large errors could cause good entries to be left out.
        """
        loss = self._fitted_loss
        if np.isinf(loss.scale):
            return super()._encode(work, W)
        X = work.X
        usual = W @ self._mean_code
        known = X if work.mask is None else np.where(work.mask, np.nan, X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # nothing is known
            ratios = np.nanmedian(known[usual > 0] / usual[usual > 0, None], axis=0)
        H = np.outer(self._mean_code, np.nan_to_num(ratios, nan=1)).astype(X.dtype)
        for _ in range(_TURNS):
            far = far_off(work, W, H, loss.group, loss.c)
            rest = Work(X.copy(order="F"), far)
            H = self._encode_at(loss, rest, W, H)
        return H

    def _fitted_arrays(self, work, state):
        """Return the weights, the scale, and the mean coefficients, from which `_encode` starts."""
        kept = np.ones(work.X.shape, bool) if work.mask is None else ~work.mask
        return {
            "weights_": np.asarray(kept, work.X.dtype, order="F"),
            "scale_": state.loss.scale,
            "_mean_code": state.H.mean(axis=1),
        }

    def _warning(self, work, W, H, loss):
        """Return the text of a warning if much of the data is left out, or None."""
        if self._share <= _MUCH:
            return None
        return (
            f"{self._share:.0%} of the sum of the data is left out. It is damage, or signal that "
            f"{self.n_components} components have no room for: compare with NMF."
        )

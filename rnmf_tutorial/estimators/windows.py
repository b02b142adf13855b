r"""NMF with a weight for every window of neighbors: for damage that comes in pieces.

A white block on a picture is as easy to fit as the face beneath it, so a model of the full rank
learns it, and afterwards no residual tells. A model of rank one cannot: what the median sample
does not explain in one place stands out. So the fit starts there, and its rank grows, while the
windows that it cannot explain are hardly heard.
"""

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from rnmf_tutorial.arrays import positive_mean
from rnmf_tutorial.divergences import SQUARES
from rnmf_tutorial.engine.fit import Run
from rnmf_tutorial.engine.point import Point
from rnmf_tutorial.engine.start import initialize
from rnmf_tutorial.estimators.base import BaseNMF
from rnmf_tutorial.estimators.parameters import estimator
from rnmf_tutorial.estimators.weighted import ScaledNMF
from rnmf_tutorial.groups import Windows
from rnmf_tutorial.losses import GemanMcClure, Loss
from rnmf_tutorial.steps.coordinate import Coordinate

__all__ = ["WindowNMF", "grown", "median_sample"]

_STAGES, _SWEEPS = 8, 4  # of the growing rank, and in each of them
_PASSES = 15  # of plain NMF, without the entries that are left out and with all
# In energies, whose unit is that of the squared data, and lower quartiles of those of all windows:
# c while the rank grows; from where on a window is left out, and where that were half of them; c of
# the fit proper, and where nothing was left out.
_TIGHT, _FAR, _SCALE, _WIDE = 2, (20, 200), 3, 200
# By which leaving out must lower the error of the calm windows. On clean data it lowers it, too, as
# fewer entries are easier to fit: by up to 1.17 on the sets that this was tuned on, where white
# squares make it 1.27 and more.
_WORTH = 1.2
_LEAST = 0.02  # scale, as a share of the mean of the positive data


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
    >>> from rnmf_tutorial.groups import ENTRIES
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
            point = step(point, loss).fill()
        loss = calm_loss(point, group)
        if watch is not None:
            watch(point, loss)
    return point, loss


def calm_loss(point, group, times=_TIGHT):
    """Return the loss with so many lower quartiles of the windows' energies at a point as c.

    The scale is at least a share of the data: where a part of them can be fitted exactly, errors
    that are small against them would count as damage.
    """
    loss = Loss(GemanMcClure(), group=group, estimated=True).rescaled(point)
    point.evaluation = None
    found = loss.scale * (times / _TIGHT) ** 0.5
    return replace(loss, scale=max(found, _LEAST * positive_mean(point.X)), estimated=False)


def with_more_parts(point, loss, rank, rng):
    """Return the point with new columns of W, mixed of what of the cleaned data is left over.

    Their rows of H are zero, so that the fit stays as it is; the next pass finds them.
    """
    new = rank - point.W.shape[1]
    if new <= 0:
        return point
    n = point.X.shape[1]
    E = loss.weights(point) * (point.X - point.WH)
    mixed = np.maximum(E @ rng.standard_normal((n, new)).astype(E.dtype), 0)
    lengths = np.linalg.norm(mixed, axis=0)
    usual = np.linalg.norm(point.W, axis=0).mean()
    mixed *= usual / np.where(lengths > 0, lengths, 1)
    zeros = np.zeros((new, n), E.dtype)
    return point.to(W=np.hstack([point.W, mixed]), H=np.vstack([point.H, zeros])).fill()


def median_sample(X, missing=None):
    """Return W of one column, the median sample or the mean where it is zero, and H of ones."""
    W = np.median(X, axis=1)[:, None]
    if not W.any():
        W = X.mean(axis=1)[:, None]
    return Point(X, W, np.ones((1, X.shape[1]), X.dtype), missing=missing).fill()


@estimator
class WindowNMF(ScaledNMF):
    r"""NMF with a weight for every window of neighbors: damage in pieces is left out.

    Minimizes :math:`\sum_g c\,\varphi(u_g / c)` with :math:`\varphi(u) = u/(1 + u)` over
    non-negative W and H, where :math:`u_g` is the mean of the squared residuals in the window
    around the entry g, and c is the square of the scale. The weight of an entry is the mean of
    :math:`\varphi'(u_g / c) = (1 + u_g/c)^{-2}` over the windows that it is in.

    The fit starts from the median sample with rank one. The rank grows to r in eight stages, each
    with the scale estimated anew. Two short plain fits follow: one leaves out the windows that are
    far off (ten times as far where that were half of the data), one hears all. The first is the
    start if its error in calm windows is lower by a sixth; else nothing seems damaged, the second
    is, and the scale is so large that the fit hardly differs from plain NMF. From there on the
    scale is fixed, so the objective never rises.

    Parameters
    ----------
    {n_components}
    scale : float or None, default=None
        The size of the residuals of a window from which on it is distrusted, in the units of the
        data. None takes 1.7 times the lower quartile of the windows' residuals at the start of the
        fit proper, and 14 times where nothing seems damaged.
    shape : tuple of int or None, default=None
        Of one sample: ``(200,)`` for a spectrum, ``(32, 32)`` for a picture, three numbers for a
        cube. None is a row of all features.
    window : int or tuple of int or None, default=5
        The edge of a window, an odd number, or one for each axis; None in the tuple is the whole
        axis: ``(1, None)`` gives each line of a picture a weight. Smaller than the damage, larger
        than what can be told from chance.
    {common}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        The weights at the end, between 0 and 1.
    scale_ : float
        The scale.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective when the scale was found and after each sweep; it never rises.
    n_iter_ : int
        Number of sweeps.

    Notes
    -----
    With another ``init`` than "growing", the same number of sweeps is taken from there at the full
    rank; if a scale is given too, the fit proper starts there at once.

    References
    ----------
    For φ Geman and McClure, *Bayesian image analysis: an application to single photon emission
    tomography*, 1985; the rest is this package's own (the page *Behind the block*).

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
    >>> bool((model.weights_[A == 9] < 0.01).all())
    True
    """

    shape: Any = None
    window: Any = 5
    scale: float | None = None
    init: Any = "growing"
    max_iter: int = 500
    tol: float = 1e-4

    takes_missing: ClassVar[bool] = True
    phi: ClassVar = GemanMcClure()

    def _start(self, X, missing=None):
        """Return the start point: after the rank has grown, or as it is given."""
        if isinstance(self.init, str) and self.init == "growing":
            point = median_sample(X, missing)
        else:
            point = BaseNMF._start(self, X, missing)
            if self.scale is not None:
                return point
        group = self._group(len(X))
        return self._refitted(*grown(point, group, self.n_components, self.random_state))

    def _refitted(self, point, loss):
        """Return where a plain fit ends that leaves windows out, if that is worth it, or none."""
        X, missing, found = point.X, point.missing, []
        energies = loss.group.energies(SQUARES, point)
        for limit in _FAR:
            near = energies < limit / _TIGHT * loss.c
            far = loss.group.means(near.astype(X.dtype)) < 0.5
            if far.mean() < 0.5:  # most of the data are sound
                break
        random = initialize(X, self.n_components, "random", self.random_state)
        left_out = far if missing is None else far | missing
        for W, H, unheard in ((point.W, point.H, left_out), (*random, missing)):
            fit = Point(X.copy(order="F"), W, H, missing=unheard).fill()
            fit = Run(fit, Loss(), Coordinate()).sweep(max_iter=_PASSES, tol=1e-4).point
            there = point.to(W=fit.W, H=fit.H).fill()
            found.append((calm_loss(there, loss.group).c, fit.W, fit.H))
        (calm, *kept), (plain, *all_heard) = found
        damaged = plain > _WORTH**2 * calm
        W, H = kept if damaged else all_heard
        return point.to(W=W, H=H, times=_SCALE if damaged else _WIDE).fill()

    def _group(self, n_features):
        """Return the windows, of what is given checked against the data."""
        shape = (n_features,) if self.shape is None else self.shape
        if np.prod(shape) != n_features:
            made = f"{' × '.join(map(str, shape))} = {np.prod(shape)}"
            raise ValueError(f"shape={shape} makes {made} features; the data have {n_features}.")
        window = self.window if isinstance(self.window, tuple) else (self.window,) * len(shape)
        return Windows(shape, window)

    def _loss(self, point):
        """Return φ of the windows, at the given scale or at one found here, once."""
        group = self._group(len(point.X))
        if self.scale is not None:
            return replace(super()._loss(point), group=group)
        return calm_loss(point, group, vars(point).get("times", _SCALE))

    def _step(self):
        """Return coordinate descent."""
        return Coordinate()

    def _shown(self, point, loss):
        """Return the weights of the entries and the scale."""
        return {"weights_": loss.group.means(loss.slopes(point)), "scale_": loss.scale}

    def _advice(self, point, loss):
        """Return what is wrong with a scale that was given."""
        return None if self.scale is None else super()._advice(point, loss)

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

r"""The core on one page: a point, the loop that repeats a step, and the coefficients for a fixed W.

Everything here is in the orientation of the papers: the data X are features × samples, and a
sample is a column. These words are used in the whole package:

- *data* X and *factors* W (features × components, the basis) and H (components × samples, the
  coefficients), so that X ≈ WH; the *residual* of an entry is X - WH there;
- *divergence*: how far an entry x is from its fit y, (x - y)² or that of Kullback and Leibler;
- *energy*: the divergences of a *group* added up; a group is what shares one weight: an entry, a
  sample, a feature, a window of neighbors;
- *loss*: the sum over the groups of a concave function φ of the energies, measured in units of a
  *scale*; its slope φ' is the *weight* of the group, and the cleaned data are X where the weight is
  one, WH where it is zero;
- *penalty*: what is added to the loss; the *objective* is the loss plus the penalties;
- *step*: what moves the factors; one step is a *sweep*, the loop repeats it;
- *mask*: which entries of X are missing; they hold WH, found at the end of each sweep;
- *start*: the factors from which the loop sets out.

What a loss, a step, a penalty, a group and a divergence must have is in
:mod:`rnmf_tutorial.protocols`. The loop asks no more of them than that.
"""

from functools import cached_property

import numpy as np
from tqdm.auto import tqdm

__all__ = [
    "Point",
    "Run",
    "State",
    "at_least",
    "encode",
    "inner",
    "norms_of_columns",
    "positive_mean",
    "product",
    "ratio",
    "residual",
    "rounding",
    "unit_columns",
]

# Entries in one block of columns: what is computed in several passes then stays in the cache.
BLOCK = 2**15


# ------------------------------------------------------------------- arithmetic
#
# The data come in as samples × features in C order, so X, their transpose, is in Fortran order.
# Whatever has the shape of X is kept in that order too: a pass over two arrays of different order
# costs many times as much.


def at_least(A, floor, out=None):
    """Return the larger of every entry and one number, into `out` if it is given.

    It is ``np.maximum``, three times as fast: against a number NumPy vectorizes only ``np.clip``.

    Examples
    --------
    >>> at_least(np.array([-1.0, 2.0]), 0.5)
    array([0.5, 2. ])
    """
    return np.clip(A, floor, np.inf, out=out)


def ratio(numerator, denominator, out=None):
    r"""Divide elementwise, with the one division guard of the package.

    The denominator is at least the square root of the smallest normal number, about 1.5e-154 in
    float64 and 1.1e-19 in float32. A quotient is therefore never infinite, and 0/0 is 0: an entry
    that became zero stays zero. The floor is far below what data on any usual scale produce.

    Parameters
    ----------
    numerator, denominator : ndarray
        Non-negative arrays that broadcast against each other.
    out : ndarray, optional
        Where to put the result, of the shape of both; may be `denominator` itself.

    Returns
    -------
    ndarray
        ``numerator / max(denominator, floor)``.

    Examples
    --------
    >>> ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    floored = at_least(denominator, np.sqrt(np.finfo(denominator.dtype).tiny), out=out)
    same_shape = np.shape(numerator) == floored.shape
    return np.divide(numerator, floored, out=floored if same_shape else None)


def product(W, H, out=None):
    """Return W @ H in the memory order of X, into `out` if it is given.

    Examples
    --------
    >>> product(np.array([[1.0], [2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    return np.matmul(H.T, W.T, out=None if out is None else out.T).T


def residual(X, W, H, out=None):
    """Return E = X - W @ H in the memory order of X, into `out` if it is given.

    Examples
    --------
    >>> residual(np.ones((2, 2)), np.array([[1.0], [2.0]]), np.array([[1.0, 0.0]])).tolist()
    [[0.0, 1.0], [-1.0, 1.0]]
    """
    WH = product(W, H, out=out)
    return np.subtract(X, WH, out=WH)


def inner(A, B):
    r"""Return the inner product :math:`\langle A, B\rangle = \sum_{ij} A_{ij} B_{ij}`.

    Examples
    --------
    >>> inner(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    11.0
    """
    if A.flags.f_contiguous and B.flags.f_contiguous:
        A, B = A.T, B.T  # vdot copies what is not in C order
    if A.dtype == np.float32:  # a long sum needs more digits than its terms
        return float(np.einsum("ij,ij->i", A, B).sum(dtype=np.float64))
    return float(np.vdot(A, B))


def norms_of_columns(W, norm="l2"):
    """Return the Euclidean length ("l2") or the sum ("l1") of every column of W.

    A column of zeros has the norm one, so that it can be divided by it.

    Examples
    --------
    >>> norms_of_columns(np.array([[3.0, 0.0], [4.0, 0.0]]))
    array([5., 1.])
    """
    d = W.sum(axis=0) if norm == "l1" else np.linalg.norm(W, axis=0)
    return np.where(d > 0, d, 1).astype(W.dtype)


def unit_columns(W, H, norm="l2"):
    r"""Give every column of W norm one and H the norms, so that W @ H stays the same.

    With :math:`d_k` the norm of column :math:`k`, :math:`W_{ik} \leftarrow W_{ik}/d_k` and
    :math:`H_{kj} \leftarrow d_k H_{kj}`: equations (29)-(30) of Zhang et al. (2011), with
    the norms taken *before* W is divided. A column of zeros is left as it is.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    norm : {"l1", "l2"}, default="l2"
        Sum of the entries, or Euclidean length.

    Returns
    -------
    W : ndarray of shape (n_features, r)
        A new array; the arguments are not changed.
    H : ndarray of shape (r, n_samples)
        A new array.

    Examples
    --------
    >>> W, H = unit_columns(np.array([[3.0], [4.0]]), np.array([[1.0, 2.0]]))
    >>> W.ravel().tolist(), H.ravel().tolist()
    ([0.6, 0.8], [5.0, 10.0])
    """
    d = norms_of_columns(W, norm)
    return W / d, H * d[:, None]


def positive_mean(A):
    """Return the mean of the positive entries, or one if there is none; NaN is not counted.

    Examples
    --------
    >>> positive_mean(np.array([0.0, 2.0, 4.0, np.nan])), positive_mean(np.zeros(3))
    (3.0, 1.0)
    """
    positive = np.greater(A, 0)
    return float(A.mean(dtype=float, where=positive)) if positive.any() else 1.0


def rounding(X):
    """Return the size up to which a residual is none: the rounding of the largest entry of X.

    It is at least the square root of the smallest normal number, so that it can be squared.

    Examples
    --------
    >>> rounding(np.ones(3)) < 1e-15
    True
    """
    limits = np.finfo(X.dtype)
    return max(float(limits.eps) * float(X.max()), float(np.sqrt(limits.tiny)))


# ------------------------------------------------------------------- a point


class Workspace:
    """The arrays of the shape of X that all points of a fit share.

    Each knows for which factors (and which loss) it was computed. A point that asks for something
    else computes it again: so every point keeps its own values, and a fit needs the memory of one.
    """

    def __init__(self):
        self.arrays, self.found = {}, {}

    def array(self, name, like):
        """Return the array of that name to write into; what it held is forgotten."""
        if name not in self.arrays:
            self.arrays[name] = np.empty_like(like)
        array = self.arrays[name]
        self.found = {key: found for key, found in self.found.items() if found[1] is not array}
        return array

    def keep(self, name, value, *of):
        """Remember under a name what was found for certain arrays and losses; return it."""
        self.found[name] = of, value
        return value

    def kept(self, name, *of):
        """Return what is remembered under a name for exactly these; None if it is for others."""
        known, value = self.found.get(name, ((), None))
        same = len(known) == len(of) and all(a is b for a, b in zip(known, of, strict=True))
        return value if same else None

    def rename(self, old, new):
        """Let what was found for the old factors hold for the new ones, which have their WH."""

        def renamed(a):
            return next((n for o, n in zip(old, new, strict=True) if a is o), a)

        self.found = {k: (tuple(map(renamed, of)), v) for k, (of, v) in self.found.items()}


OF_DATA = "XX", "samples2", "features2", "rounding"  # what a point knows of the data alone


class Point:
    """The data X, the factors W and H, and their products, each formed when it is first asked for.

    A point does not change: what it says of its factors stays true whatever other points compute.
    Large arrays (`WH`, and what a loss computes) lie in memory that the points of a fit share, and
    are valid until another point computes there: copy what you keep.

    Parameters
    ----------
    data : ndarray of shape (n_features, n_samples)
        The data. Its missing entries are written over with WH.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    mask : ndarray of bool of the shape of the data, optional
        Which entries are missing; None if none is.
    filled : (W, H), optional
        The factors whose product is taken for the missing entries; W and H themselves by default.
    loss : Loss, optional
        The loss that a fit minimizes at this point.
    workspace : Workspace, optional
        The memory that is shared with other points.
    **products
        Products of the three that are known already, by name.

    Examples
    --------
    >>> point = Point(np.ones((3, 2)), np.ones((3, 1)), np.ones((1, 2)))
    >>> point.WtX, point.to(H=2 * point.H).WH
    (array([[3., 3.]]), array([[2., 2.],
           [2., 2.],
           [2., 2.]]))
    """

    def __init__(
        self, data, W, H, mask=None, *, filled=None, loss=None, workspace=None, **products
    ):
        self.data, self.W, self.H, self.mask, self.loss = data, W, H, mask, loss
        self.filled = (W, H) if filled is None else filled
        self.workspace = Workspace() if workspace is None else workspace
        vars(self).update(products)

    # What has the shape of X.

    @property
    def X(self):
        """The data, with the product of the factors `filled` in the missing entries."""
        if self.mask is not None and self.workspace.kept("X", *self.filled) is None:
            own = self.filled[0] is self.W and self.filled[1] is self.H
            np.copyto(self.data, self.WH if own else product(*self.filled), where=self.mask)
            self.workspace.keep("X", self.data, *self.filled)
        return self.data

    @property
    def entries(self):
        """What a loss of single entries compares with WH: X."""
        return self.X

    @property
    def WH(self):
        """The product WH, in shared memory."""
        WH = self.workspace.kept("WH", self.W, self.H)
        if WH is None:
            WH = product(self.W, self.H, out=self.workspace.array("WH", self.data))
            self.workspace.keep("WH", WH, self.W, self.H)
        return WH

    def array(self, name):
        """Return the shared array of that name to write into; what it held is forgotten."""
        return self.workspace.array(name, self.data)

    def matrix(self, entries):
        """Return values of the entries as a matrix that can be multiplied with a factor."""
        return entries

    def largest_weights(self, q):
        """Return the largest weight in every sample, of the weights of the entries."""
        return q.max(axis=0)

    def zeros(self, divergence):
        """Return the divergence of what is not among the entries: of nothing."""
        return 0.0

    def keep(self, name, value, loss):
        """Remember what a loss has found here; return it."""
        return self.workspace.keep(name, value, self.W, self.H, *self.filled, loss)

    def kept(self, name, loss):
        """Return what a loss has found here before, or None."""
        return self.workspace.kept(name, self.W, self.H, *self.filled, loss)

    # What has the size of a factor, or less. Of missing entries, which change, no square is kept.

    @cached_property
    def rounding(self):
        """The size up to which a residual is none; see :func:`rounding`."""
        return rounding(self.data)

    @cached_property
    def XX(self):
        """The squared norm of X; nan while its missing entries change."""
        return inner(self.data, self.data) if self.mask is None else np.nan

    @cached_property
    def samples2(self):
        """The squared lengths of the samples; nan while missing entries change."""
        return np.einsum("ij,ij->j", self.data, self.data) * (1 if self.mask is None else np.nan)

    @cached_property
    def features2(self):
        """The squared lengths of the features; nan while missing entries change."""
        return np.einsum("ij,ij->i", self.data, self.data) * (1 if self.mask is None else np.nan)

    WtW = cached_property(lambda self: self.W.T @ self.W)
    WtX = cached_property(lambda self: self.W.T @ self.X)
    HHt = cached_property(lambda self: self.H @ self.H.T)
    XHt = cached_property(lambda self: self.X @ self.H.T)

    # Other points.

    def _with(self, products, **changed):
        """Return the point with other parts, and those of its products that stay true."""
        parts = {name: vars(self)[name] for name in ("data", "W", "H", "mask", "filled", "loss")}
        known = {name: vars(self)[name] for name in products if name in vars(self)}
        return type(self)(**parts | {"workspace": self.workspace} | known | changed)

    def to(self, W=None, H=None):
        """Return the point with other factors, within a sweep: missing entries stay as they are."""
        names, changed = [*OF_DATA], {}
        if W is None:
            names += ["WtW", "WtX"]
        else:
            changed["W"] = W
        if H is None:
            names += ["HHt", "XHt"]
        else:
            changed["H"] = H
        return self._with(names, **changed)

    def settled(self, loss=None):
        """Return the point as the end of a sweep: missing entries hold its own WH."""
        loss = self.loss if loss is None else loss
        names = [*OF_DATA, "WtW", "HHt"]
        if self.mask is None or (self.filled[0] is self.W and self.filled[1] is self.H):
            return self._with([*names, "WtX", "XHt"], loss=loss)
        return self._with(names, loss=loss, filled=(self.W, self.H))

    def normalized(self, norm):
        """Return the point whose columns of W have norm one ("l1", "l2"); WH stays as it is."""
        if norm is None:
            return self
        d = norms_of_columns(self.W, norm)
        W, H = self.W / d, self.H * d[:, None]
        own = self.filled[0] is self.W and self.filled[1] is self.H
        factors = {"WtW": 1 / (d[:, None] * d), "HHt": d[:, None] * d, "XHt": d}
        factors["WtX"] = 1 / d[:, None]
        known = {k: vars(self)[k] * factor for k, factor in factors.items() if k in vars(self)}
        self.workspace.rename((self.W, self.H), (W, H))
        known["filled"] = (W, H) if own else self.filled
        return self._with(OF_DATA, W=W, H=H, **known)

    def apart(self):
        """Return the point in memory of its own; that of the fit is given back."""
        self.workspace.arrays.clear()
        self.workspace.found.clear()
        names = [*OF_DATA, "WtW", "HHt"]
        return self._with(names, workspace=Workspace(), filled=(self.W, self.H))


class State:
    """What a step carries from one sweep to the next, kept for the last two points that it left.

    Two, so that a fit that is interrupted within a sweep still has what belongs to its point. At
    any other point a step has no state, and begins anew.
    """

    def __init__(self):
        self.kept = []

    def at(self, point):
        """Return what was left at a point, or None; that of the other point is the next to go."""

        def here(kept):
            return kept[0] is point.W and kept[1] is point.H

        self.kept = sorted(self.kept, key=here)
        return self.kept[-1][2] if self.kept and here(self.kept[-1]) else None

    def leave(self, point, state):
        """Leave a state at a point; return it."""
        self.kept = [*self.kept[-1:], (point.W, point.H, state)]
        return state


# ------------------------------------------------------------------- the loops


class Run:
    """A fit on its way: the point and the loss that the last finished sweep has reached.

    Parameters
    ----------
    point : Point
        The start.
    loss : Loss
    step : Step
        ``step(point, loss)`` returns the next point.
    penalties : sequence of Penalty, optional
        What is added to the loss.

    Attributes
    ----------
    point, loss
        After the last finished sweep, also if the next one was interrupted.
    history : list of float
        The objective at the start and after each sweep.

    Examples
    --------
    >>> from rnmf_tutorial.losses import Loss
    >>> from rnmf_tutorial.updates import Multiplicative
    >>> point = Point(np.full((1, 2), 3.0), np.ones((1, 1)), np.ones((1, 2)))
    >>> Run(point, Loss(), Multiplicative()).sweep(max_iter=3, tol=1e-3).history
    [8.0, 0.0, 0.0]
    """

    def __init__(self, point, loss, step, penalties=()):
        self.step, self.penalties, self._values, self.settled = step, penalties, [], False
        self._reach(point, loss)

    point = property(lambda self: self._reached[0])
    loss = property(lambda self: self._reached[1])
    history = property(lambda self: self._values[: self._reached[2]])

    def _reach(self, point, loss):
        """End a sweep: fill in what is missing, estimate the scale, record the objective."""
        point = point.settled()
        loss = loss.rescaled(point)
        value = loss.value(point) + sum(penalty.value(point) for penalty in self.penalties)
        if not np.isfinite(value):
            raise ValueError(
                f"The objective became {value}: the numbers left the range of "
                f"{point.W.dtype}. Give the data or the start point another unit "
                "(divide the data by their largest entry), or take float64."
            )
        self._values.append(value)
        # One assignment, which no interrupt can split: only now does the sweep count.
        self._reached = point.settled(loss), loss, len(self._values)

    def sweep(self, *, max_iter, tol=0.0, least=0, callback=None, name=None):
        """Take steps until the objective changes by less than a fraction `tol`.

        At most `max_iter` steps are taken, and more than `least` before `tol` may stop them. The
        callback gets the number of steps, W, H and the point, and may return True to stop. A `name`
        asks for a progress bar. Return the run; its attribute `settled` tells whether it stopped
        before `max_iter`.
        """
        self.settled = False
        with tqdm(total=max_iter, disable=name is None, desc=name) as bar:
            while True:
                point, loss, n = self._reached
                del self._values[n:]  # of a sweep that was interrupted
                if callback is not None and callback(n - 1, point.W, point.H, point):
                    self.settled = True
                if self.settled or n > max_iter:
                    return self
                self._reach(self.step(point, loss), loss)
                before, after = self._values[-2:]
                small = tol > 0 and abs(before - after) <= tol * abs(before)
                self.settled = small and n > least
                bar.update()
                bar.set_postfix(objective=f"{after:.6g}", refresh=False)


def encode(point, update, *, tol, max_iter):
    """Update H, with W held fixed, until every column on its own has settled.

    Parameters
    ----------
    point : Point
        The start.
    update : callable
        ``update(point)`` returns a better H.
    tol : float
        A column has settled when an update changes it by at most this fraction of its length.
    max_iter : int
        Largest number of updates.

    Returns
    -------
    ndarray of shape (r, n_samples)

    Examples
    --------
    >>> W = np.array([[1.0], [2.0]])
    >>> start = Point(W @ [[3.0]], W, np.ones((1, 1)))
    >>> encode(start, lambda point: point.WtX / point.WtW, tol=0, max_iter=9)
    array([[3.]])
    """
    make, X, mask = type(point), point.data, point.mask
    H, active = point.H.copy(), np.arange(point.H.shape[1])
    for _ in range(max_iter):
        before = H[:, active]
        H[:, active] = after = update(make(X, point.W, before, mask))
        change = np.linalg.norm(after - before, axis=0)
        moving = change > tol * np.linalg.norm(after, axis=0)
        if not moving.any():
            break
        if not moving.all():
            active, X = active[moving], X[:, moving]
            mask = None if mask is None else mask[:, moving]
    return H


def flat_start(point):
    """Return the point with equal coefficients, in each sample of the size of its known entries."""
    X, W, mask = point.data, point.W, point.mask
    sums = X.sum(axis=0)
    if mask is not None:  # as many entries as the others, with the mean of the known
        known = (~mask).sum(axis=0).astype(X.dtype)
        sums = np.where(mask, 0, X).sum(axis=0) / known * len(X)
    H = np.tile(ratio(sums, np.atleast_1d(W.sum())), (W.shape[1], 1))
    return type(point)(X, W, H, mask)

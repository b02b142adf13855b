r"""The core on one page: a point, the loop that repeats a step, and the coefficients for a fixed W.

The core uses the orientation of the papers: a sample is a column of X. The whole
package uses these words:

- *data*: the matrix X (features × samples), non-negative;
- *factors*: W (features × components), the basis, and H (components × samples), the
  coefficients, both non-negative, with X ≈ WH; the *residual* is X - WH;
- *divergence*: a measure d(x, y) of how far an entry x of X is from its fit y in WH:
  the square (x - y)², or the generalized Kullback-Leibler divergence;
- *group*: the entries that are judged together: one entry, a sample or a feature; its
  *energy* u is the sum of their divergences;
- *scale*: the size of a residual beyond which the loss grows more slowly than its
  divergence;
- *loss*: the sum over the groups of c φ(u / c), where φ is concave and c is the scale
  squared (:mod:`rnmf_tutorial.losses` has the other cases);
- *weight* q of an entry: the derivative of the loss by the divergence of this entry;
  the *cleaned* entry is q x + (1 - q) y, between the data and their fit;
- *penalty*: a function of the factors that is added to the loss; the sum is the
  *objective*;
- *step*: a function that returns new factors; a *sweep* is one step of the loop;
- *mask*: True where an entry of X is missing; after each sweep such an entry is set to
  that of WH;
- *start*: the factors before the first sweep.

Each kind of object has one `Protocol` at the end of this file, with all members that
the loop and the estimators use.
"""

from functools import cached_property
from operator import is_
from types import SimpleNamespace
from typing import Protocol

import numpy as np
from tqdm.auto import tqdm

# Entries in one block of columns. A block stays in the cache while several passes work
# on it. With 2**15 to 2**17 a pass takes the same time, and with 2**14 one of
# coordinate descent twice that.
BLOCK = 2**16
# Samples whose coefficients are found together, and most samples that a robust start
# fits: both bound memory and time.
SAMPLES = 1000


# ------------------------------------------------------------------- arithmetic
#
# Users pass samples × features in C order, so X, the transpose, is in Fortran order.
# All arrays of the shape of X have this order, because a pass over two arrays of
# different orders is much slower.


def at_least(A, floor, out=None):
    """Return the larger of every entry and one number, into `out` if it is given.

    The result is that of ``np.maximum``, but ``np.clip`` with a number is three times
    as fast.

    Examples
    --------
    >>> at_least(np.array([-1.0, 2.0]), 0.5)
    array([0.5, 2. ])
    """
    return np.clip(A, floor, np.inf, out=out)


def ratio(numerator, denominator, out=None):
    r"""Divide elementwise, with the one division guard of the package.

    The denominator is replaced by a floor if it is smaller: the square root of the
    smallest normal number, about 1.5e-154 in float64 and 1.1e-19 in float32. So no
    quotient is infinite, and 0/0 is 0: an entry that became zero stays zero. Data in
    usual units do not reach the floor.

    Parameters
    ----------
    numerator, denominator : ndarray
        Non-negative arrays that broadcast against each other.
    out : ndarray, optional
        Array for the result, of the shape of both; may be `denominator` itself.

    Returns
    -------
    ndarray
        ``numerator / max(denominator, floor)``.

    Examples
    --------
    >>> ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    floor = np.sqrt(np.finfo(denominator.dtype).tiny)
    floored = np.clip(denominator, floor, np.inf, out=out)  # as in `at_least`
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
    """Return the Euclidean length ("l2") or the sum ("l1") of every column of W; one for None.

    For a column of zeros it returns one, so that a division by the norm is defined.

    Examples
    --------
    >>> norms_of_columns(np.array([[3.0, 0.0], [4.0, 0.0]]))
    array([5., 1.])
    """
    if norm is None:
        return np.ones_like(W[0])
    d = W.sum(axis=0) if norm == "l1" else np.linalg.norm(W, axis=0)
    return np.where(d > 0, d, 1).astype(W.dtype)


def unit_columns(W, H, norm="l2"):
    r"""Divide every column of W by its norm and multiply the row of H by it; W @ H is unchanged.

    With :math:`d_k` the norm of column :math:`k`, :math:`W_{ik} \leftarrow W_{ik}/d_k`
    and :math:`H_{kj} \leftarrow d_k H_{kj}`: equations (29)-(30) of Zhang et al.
    (2011), with the norms taken *before* W is divided. A column of zeros is left as it
    is.

    Parameters
    ----------
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    norm : {"l1", "l2", None}, default="l2"
        Sum of the entries, or Euclidean length; None leaves both as they are.

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
    """Return the mean of the positive entries, or one if there is none; NaN is ignored.

    Examples
    --------
    >>> positive_mean(np.array([0.0, 2.0, 4.0, np.nan])), positive_mean(np.zeros(3))
    (3.0, 1.0)
    """
    positive = np.greater(A, 0)
    return float(A.mean(dtype=float, where=positive)) if positive.any() else 1.0


def rounding(X):
    """Return the rounding error of the largest entry of X: a smaller residual counts as zero.

    It is at least the square root of the smallest normal number, so its square is not
    zero.

    Examples
    --------
    >>> rounding(np.ones(3)) < 1e-15
    True
    """
    limits = np.finfo(X.dtype)
    return max(
        float(limits.eps) * float(max(X.max(), -X.min())), float(np.sqrt(limits.tiny))
    )


# ------------------------------------------------------------------- a point


class Point:
    """The data X, the factors W and H, and their products, each computed at its first use.

    A point does not change: its factors, weights and values stay the same whatever
    other points compute. All points of a fit share the memory of large arrays (`WH`,
    and those of a loss). The memory records for which factors and which loss an array
    was computed; any other point computes it again, into the same memory. So copy an
    array if you keep it.

    Parameters
    ----------
    data : ndarray of shape (n_features, n_samples)
        The data. Its missing entries are overwritten with those of WH.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
    mask : ndarray of bool of the shape of the data, optional
        True where an entry is missing; None if none is.
    filled : (W, H), optional
        The factors whose product fills the missing entries; W and H themselves by
        default.
    loss : Loss, optional
        The loss that a fit minimizes at this point.
    memory : SimpleNamespace, optional
        The arrays shared with other points, and a record of their contents.
    **products
        Products that are already known, by name.

    Examples
    --------
    >>> point = Point(np.ones((3, 2)), np.ones((3, 1)), np.ones((1, 2)))
    >>> point.WtX, point.to(H=2 * point.H).WH
    (array([[3., 3.]]), array([[2., 2.],
           [2., 2.],
           [2., 2.]]))
    """

    def __init__(
        self, data, W, H, mask=None, *, filled=None, loss=None, memory=None, **products
    ):
        self.data = data
        self.W = W
        self.H = H
        self.mask = mask
        self.loss = loss
        self.filled = (W, H) if filled is None else filled
        self.memory = memory or SimpleNamespace(arrays={}, found={}, filled=None)
        vars(self).update(products)

    # What has the shape of X.

    def array(self, name):
        """Return the shared array of that name for writing; its old contents are forgotten."""
        memory = self.memory
        if name not in memory.arrays:
            memory.arrays[name] = np.empty_like(self.data)
        array = memory.arrays[name]
        memory.found = {
            k: f for k, f in memory.found.items() if all(a is not array for a in f[1])
        }
        return array

    def keep(self, name, values, loss=None):
        """Remember values, which may lie in shared arrays, for this point (and a loss)."""
        self.memory.found[name] = (self.W, self.H, self.filled, loss), values
        return values

    def kept(self, name, loss=None):
        """Return the values that are remembered for exactly this point (and loss), or None."""
        of, values = self.memory.found.get(name, ((), None))
        return (
            values
            if of and all(map(is_, of, (self.W, self.H, self.filled, loss)))
            else None
        )

    @property
    def X(self):
        """The data, with the product of the factors `filled` in the missing entries."""
        if self.mask is not None and self.memory.filled is not self.filled:
            own = self.filled[0] is self.W and self.filled[1] is self.H
            np.copyto(
                self.data, self.WH if own else product(*self.filled), where=self.mask
            )
            self.memory.filled = self.filled
        return self.data

    @property
    def entries(self):
        """The entries that a loss compares with WH: X, or its stored entries if X is sparse."""
        return self.X

    @property
    def WH(self):
        """The product WH, in shared memory."""
        if (found := self.kept("WH")) is None:
            found = self.keep("WH", (product(self.W, self.H, out=self.array("WH")),))
        return found[0]

    def matrix(self, entries):
        """Return values of the entries as a matrix that can be multiplied by a factor."""
        return entries

    def largest_weights(self, q):
        """Return the largest of the weights of the entries, sample by sample."""
        return q.max(axis=0)

    def zeros(self, divergence):
        """Return the divergence of the entries that are not in `entries`: here there are none."""
        return 0.0

    # Arrays of the size of a factor, or smaller. Squares are not kept if entries are
    # missing, because the filled values change.

    @cached_property
    def rounding(self):
        """The size below which a residual counts as zero; see :func:`rounding`."""
        return rounding(self.data)

    @cached_property
    def XX(self):
        """The squared norm of X; nan if entries are missing."""
        return inner(self.data, self.data) if self.mask is None else np.nan

    @cached_property
    def squares(self):
        """The squared lengths of the samples and of the features; nan if entries are missing."""
        known = 1 if self.mask is None else np.nan
        return [np.einsum(f"ij,ij->{k}", self.data, self.data) * known for k in "ji"]

    WtW = cached_property(lambda self: self.W.T @ self.W)
    WtX = cached_property(lambda self: self.W.T @ self.X)
    HHt = cached_property(lambda self: self.H @ self.H.T)
    XHt = cached_property(lambda self: self.X @ self.H.T)

    # Other points.

    def of(self, samples):
        """Return the point of some samples; its data may be a view."""
        mask = None if self.mask is None else self.mask[:, samples]
        return type(self)(self.data[:, samples], self.W, self.H[:, samples], mask)

    def to(self, W=None, H=None, **changes):
        """Return the point with other factors; products that are still valid are kept.

        Within a sweep the values of missing entries do not change.
        """
        stale = {"WtW", "WtX"} if W is not None else set()
        stale |= {"HHt", "XHt"} if H is not None else set()
        stale |= {"WtX", "XHt"} if "filled" in changes else set()
        stale |= (
            {"rounding"} if self.mask is not None else set()
        )  # that of what fills in changes
        parts = {name: value for name, value in vars(self).items() if name not in stale}
        factors = {"W": self.W if W is None else W, "H": self.H if H is None else H}
        return type(self)(**parts | factors | changes)

    def settled(self, loss=None):
        """Return the point at the end of a sweep: its own WH fills the missing entries."""
        loss = self.loss if loss is None else loss
        if self.mask is None or (self.filled[0] is self.W and self.filled[1] is self.H):
            return self.to(loss=loss)
        return self.to(loss=loss, filled=(self.W, self.H))

    def normalized(self, norm):
        """Return the point whose columns of W have norm one ("l1", "l2"); WH stays as it is."""
        return self.to(*unit_columns(self.W, self.H, norm))


class State:
    """What a step keeps from one sweep to the next, stored for its last two points.

    Two are needed so that a fit that is interrupted within a sweep still has the state
    of its point. At any other point a step has no state, and starts again.
    """

    kept = ()

    def at(self, point):
        """Return the state stored for a point, or None; the other one is replaced first."""

        here = [W is point.W and H is point.H for W, H, _ in self.kept]
        self.kept = [self.kept[k] for k in np.argsort(here, kind="stable")]
        return self.kept[-1][2] if any(here) else None

    def leave(self, point, state):
        """Store a state for a point; return it."""
        self.kept = (*self.kept[-1:], (point.W, point.H, state))
        return state


# ------------------------------------------------------------------- the loops


class Run:
    """A fit in progress: the point and the loss after the last finished sweep.

    Parameters
    ----------
    point : Point
        The start.
    loss : Loss
    step : Step
        ``step(point, loss)`` returns the next point.
    penalties : sequence of Penalty, optional
        Added to the loss.

    Attributes
    ----------
    point, loss
        After the last finished sweep, also if the next one was interrupted.
    history : list of float
        The objective at the start and after each sweep.
    n_sweeps : int
        The number of finished sweeps.

    Examples
    --------
    >>> from rnmf_tutorial.losses import Loss
    >>> from rnmf_tutorial.updates import Multiplicative
    >>> point = Point(np.full((1, 2), 3.0), np.ones((1, 1)), np.ones((1, 2)))
    >>> Run(point, Loss(), Multiplicative()).sweep(max_iter=3, tol=1e-3).history
    [8.0, 0.0, 0.0]
    """

    def __init__(self, point, loss, step, penalties=()):
        self.step = step
        self.penalties = penalties
        self.history = []
        self.settled = False
        self._reach(point, loss)

    def _reach(self, point, loss):
        """End a sweep: fill in missing entries, estimate the scale, record the objective."""
        point = point.settled()
        loss = loss.rescaled(point)
        value = loss.value(point) + sum(
            penalty.value(point) for penalty in self.penalties
        )
        if not np.isfinite(value):
            raise ValueError(
                f"The objective became {value}: numbers left the range of {point.W.dtype}. Give "
                "data or start another unit (divide by the largest entry), or take float64."
            )
        self.history.append(value)
        reached = {
            "point": point.settled(loss),
            "loss": loss,
            "n_sweeps": len(self.history) - 1,
        }
        vars(self).update(reached)  # in one call, which an interrupt cannot split

    def sweep(self, *, max_iter, tol=0.0, least=0, callback=None, name=None):
        """Take steps until the objective changes by less than a fraction `tol`.

        It takes at most `max_iter` steps; `tol` can stop it after more than `least`
        steps. The callback gets the number of steps, W, H and the point, and stops the
        loop if it returns True. If `name` is given, a progress bar has this title.
        Return the run; its attribute `settled` is True if `tol` or the callback stopped
        it.
        """
        self.settled = False
        with tqdm(total=max_iter, disable=name is None, desc=name) as bar:
            while True:
                del self.history[self.n_sweeps + 1 :]  # left by an interrupted sweep
                point = self.point
                n = self.n_sweeps
                if callback is not None and callback(n, point.W, point.H, point):
                    self.settled = True
                if self.settled or n >= max_iter:
                    return self
                self._reach(self.step(point, self.loss), self.loss)
                before, after = self.history[-2:]
                small = tol > 0 and abs(before - after) <= tol * abs(before)
                self.settled = small and n >= least
                bar.update()
                bar.set_postfix(objective=f"{after:.6g}", refresh=False)


def encode(point, update, *, tol, max_iter):
    """Update H, with W fixed, until every column has converged; each column stops separately.

    Columns do not depend on each other: they come in blocks, which bounds the memory.

    Parameters
    ----------
    point : Point
        The start.
    update : callable
        ``update(point)`` returns a better H.
    tol : float
        A column has converged when an update changes it by at most this fraction of its
        length.
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

    def step(H, X, mask):
        return update(type(point)(X, point.W, H, mask))

    limits = {"tol": tol, "max_iter": max_iter}
    blocks = (
        point.of(slice(k, k + SAMPLES))
        for k in range(0, max(1, point.H.shape[1]), SAMPLES)
    )
    return np.hstack(
        [converged(some.H, step, (some.data, some.mask), **limits) for some in blocks]
    )


def converged(H, update, arrays, *, tol, max_iter):
    """Return H after ``update(H, *arrays)``, for the columns that still move, until none does.

    A column has converged when an update changes it by at most `tol` of its length. The
    arrays have a column for each of H; one may be None.
    """
    H, active = np.array(H, order="C"), np.arange(H.shape[1])
    for _ in range(max_iter):
        before = H[:, active]
        H[:, active] = after = update(before, *arrays)
        change = np.linalg.norm(after - before, axis=0)
        moving = change > tol * np.linalg.norm(after, axis=0)
        if not moving.any():
            break
        if not moving.all():
            active = active[moving]
            arrays = [A if A is None else A[:, moving] for A in arrays]
    return H


def flat_start(point):
    """Return the point with equal coefficients within each sample, so that WH has its sum.

    A sample with a negative sum gets zeros.
    """
    X = point.data
    W = point.W
    mask = point.mask
    sums = X.sum(axis=0)
    if (
        mask is not None
    ):  # a missing entry counts as the mean of the known ones of its sample
        known = (~mask).sum(axis=0).astype(X.dtype)
        sums = np.where(mask, 0, X).sum(axis=0) / known * len(X)
    H = np.tile(ratio(np.maximum(sums, 0), np.atleast_1d(W.sum())), (W.shape[1], 1))
    return type(point)(X, W, H, mask)


# --------------------------------------------------------------- what the core requires
#
# A class of your own needs the members of one of these protocols, and may have it as
# its base.


class Loss(Protocol):
    """The loss of a fit; weighted models use :class:`rnmf_tutorial.losses.Loss`."""

    def rescaled(self, point: Point) -> "Loss":
        """Return the loss with its scale estimated at a point, or itself if the scale is given."""
        return self

    def value(self, point: Point) -> float:
        """Return the loss at a point."""


class Step(Protocol):
    """A function that returns new factors; it stores what its next call needs."""

    def __call__(self, point: Point, loss: Loss) -> Point:
        """Return the next point."""

    def coefficients(self, point: Point, loss: Loss) -> np.ndarray:
        """Return the next H, with W fixed; each column depends only on its own sample."""


class Penalty(Protocol):
    """A function of the factors that is added to the loss."""

    def value(self, point: Point) -> float:
        """Return the penalty at a point."""


class Curve(Protocol):
    """A concave, increasing function φ of u, an energy divided by c."""

    power: float
    """The loss is the sum of c to this power times φ(u / c): 1, or 1/2 for lengths."""

    def value(self, u: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return φ(u); q is the slope φ'(u), given because it can save work."""

    def slope(self, u: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return φ'(u), into `out` if it is given; u must not be changed."""

    # Two members are optional. A model that needs a missing one raises an error that
    # names it:
    #
    # multiple: float With scale=None, the scale is this number times the median
    # absolute residual. estimate(u, previous=None) -> float With scale="published", the
    # c for the energies u; `previous` is the c of the last sweep.


class Divergence(Protocol):
    """A Bregman divergence d(x, y) of an entry x of the data from its fit y."""

    power: float
    """c is the scale to this power: 2 for squares, 1 for Kullback-Leibler."""

    def entries(self, point: Point, out: np.ndarray) -> np.ndarray:
        """Return the divergence of every entry, in `out`."""

    def total(self, point: Point) -> float:
        """Return the sum of the divergences of all entries."""

    def of_share(self, share: float, level: float) -> float:
        """Return the divergence at a residual `share * level`, up to a factor of 2."""

    def parts_of_H(self, point: Point, Q: np.ndarray | None) -> tuple:
        """Return the numerator and denominator of Lee and Seung's update of H with weights Q."""

    def parts_of_W(self, point: Point, Q: np.ndarray | None) -> tuple:
        """Return the numerator and denominator of Lee and Seung's update of W with weights Q."""


class Group(Protocol):
    """The groups, as a matrix K: the energies are K times the divergences of the entries."""

    def energies(self, divergence: Divergence, point: Point) -> np.ndarray:
        """Return the energy of every group."""

    def informative(
        self, divergence: Divergence, point: Point, u: np.ndarray
    ) -> np.ndarray:
        """Return the energies from which the scale is estimated."""

    def weights(self, q: np.ndarray) -> np.ndarray:
        """Return the weights, Kᵀq for the slopes q, all positive, to be broadcast to X."""

    def clean(self, point: Point, q: np.ndarray) -> tuple:
        """Return cleaned data M, weights f of features and d of samples (None if all are one).

        The sum of f_i d_j times the divergence of M_ij from (WH)_ij, plus a constant,
        must be at least the loss everywhere, and equal to it at the point.
        """

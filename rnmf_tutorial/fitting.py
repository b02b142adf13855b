r"""The loop that every fit runs, and the coefficients of samples for a fixed basis.

Everything inside the package has the orientation of the papers: a sample is a column of
X. The package uses these words:

- *data*: the matrix X (features × samples);
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
- *solver*: an object that improves the factors; a *sweep* is one such improvement;
- *mask*: True where an entry of X is missing (NaN);
- *start*: the factors before the first sweep.

A missing entry has the value of WH: it is given this value whenever the loop compares the
data with WH, so its residual is zero and its weight is one. Within a sweep it stays as it
is. Before the first comparison it has the mean of the other entries, so that a start can be
made.

A fit is the function :func:`iterate`. It needs a loss and a solver:

- ``loss.compare(work, W, H, memory, products)`` compares the data with WH. It returns a
  *comparison*: W, H, and what the solver needs to know there, such as the weights;
- ``loss.total(work, comparison)`` is the value of the loss there;
- ``loss.rescaled(work, W, H, memory, products)`` returns the loss with its scale estimated
  at W and H, and the comparison for this scale. It is called after every sweep if
  ``loss.reestimated``;
- ``solver.update(work, loss, comparison, memory)`` returns an :class:`Update`;
- ``solver.update_H(work, loss, comparison)`` returns the next H for a fixed W.

:class:`Loss` and :class:`Solver` are base classes with these methods.
"""

from functools import cached_property
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from rnmf_tutorial.arithmetic import inner, norms_of_columns, ratio

# In a notebook without ipywidgets, `tqdm.auto` warns. The bars of `tqdm.std` are text.
if find_spec("ipywidgets") is not None:
    from tqdm.auto import tqdm
else:
    from tqdm.std import tqdm

# Samples whose coefficients are found together. This bounds the memory of `encode`.
ENCODED_TOGETHER = 1000
# How far beyond its last step coordinate descent tries to go; measured.
EXTRAPOLATION = 0.5


# --------------------------------------------------------------- the arrays of a fit


class Work:
    """The data of a fit, and three arrays of their shape that every sweep overwrites.

    The arrays are allocated when the product WH is first computed, and used again in
    every sweep. So whoever wants to keep one must copy it.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
        The data. Missing entries are overwritten with those of WH.
    mask : ndarray of bool of the shape of X, optional
        True where an entry is missing; None if none is.

    Attributes
    ----------
    entries : ndarray
        The entries that a loss compares with WH: X, or its stored entries if X is
        sparse.
    WH : ndarray of the shape of the entries
        The product that :meth:`multiply` was last called for.
    energies : ndarray of the shape of the entries
        The divergences of the entries; later in a sweep, the cleaned data.
    weights : ndarray of the shape of the entries
        The weights of the entries, φ′.
    unsettled : int
        The number of samples whose coefficients :func:`encode` left before they had
        converged.
    far_out : FarOut or None
        The entries of the data of a fit that are absurdly far out
        (:mod:`rnmf_tutorial.far_out`).

    Examples
    --------
    >>> work = Work(np.ones((3, 2)))
    >>> work.multiply(np.ones((3, 1)), np.array([[1.0, 2.0]]))
    >>> work.WH.tolist()
    [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]
    """

    #: Whether X has zeros that are not among the entries.
    has_other_zeros = False

    def __init__(self, X, mask=None):
        self.X = X
        self.mask = mask
        self.entries = X
        self.WH = None
        self.energies = None
        self.weights = None
        self.unsettled = 0
        self.far_out = None
        self._rounding = None
        self._squared_lengths = {}

    def multiply(self, W, H, fill=True):
        """Compute the product WH, and give missing entries its values if `fill`."""
        if self.WH is None:
            self.WH = np.empty_like(self.entries)
            self.energies = np.empty_like(self.entries)
            self.weights = np.empty_like(self.entries)
        np.matmul(H.T, W.T, out=self.WH.T)
        if fill and self.mask is not None:
            np.copyto(self.X, self.WH, where=self.mask)

    def as_matrix(self, values):
        """Return values of the entries as a matrix that a factor can be multiplied by."""
        return values

    def known_entries(self):
        """Return the entries that are not missing."""
        return self.entries if self.mask is None else self.X[~self.mask]

    def some(self, samples):
        """Return the data of some samples; X may be a view."""
        mask = None if self.mask is None else self.mask[:, samples]
        return type(self)(self.X[:, samples], mask)

    def with_weighted_features(self, roots):
        """Return the data with each feature multiplied by a number."""
        return Work(roots * self.X, self.mask)

    def squared_lengths(self, axis):
        """Return the squared lengths of the samples (axis 0) or features (axis 1) of X.

        Those of complete data are computed once.
        """
        if axis not in self._squared_lengths or self.mask is not None:
            sums = "ij,ij->j" if axis == 0 else "ij,ij->i"
            self._squared_lengths[axis] = np.einsum(sums, self.X, self.X)
        return self._squared_lengths[axis]

    def largest_entries(self):
        """Return the largest absolute value of the known entries of each sample."""
        known = True if self.mask is None else ~self.mask
        highest = self.X.max(axis=0, initial=0, where=known)
        lowest = self.X.min(axis=0, initial=0, where=known)
        return np.maximum(highest, -lowest).astype(float)

    def rounding(self):
        """Return the rounding error of the largest entry: a smaller residual is zero.

        Entries that are absurdly far out do not count.
        """
        if self._rounding is None or self.mask is not None:
            limits = np.finfo(self.X.dtype)
            largest = float(max(self.X.max(), -self.X.min()))
            if self.far_out is not None:
                largest = self.far_out.others
            smallest = float(np.sqrt(limits.tiny))  # so that its square is not zero
            self._rounding = max(float(limits.eps) * largest, smallest)
        return self._rounding

    @cached_property
    def complete_squares(self):
        """The squared norm of X; nan if entries are missing.

        The values that fill in missing entries change in every sweep.
        """
        return inner(self.X, self.X) if self.mask is None else np.nan


# --------------------------------------------------------------- what the loop needs


class Update(NamedTuple):
    """What a solver returns: the next factors, and what it found out on the way."""

    W: np.ndarray
    H: np.ndarray
    #: At least this much the loss has fallen. None if the solver does not know it; then
    #: the loop does not extrapolate.
    fall: float | None = None
    #: What the solver, or its loss, needs to remember; before the first sweep it is
    #: None.
    memory: Any = None
    #: Products of the new factors that the next comparison need not compute again.
    products: dict = {}  # noqa: RUF012 - never changed


class Loss:
    """The base of a loss; the module's docstring lists what the loop calls."""

    #: Whether the loss estimates its scale again after every sweep.
    reestimated = False
    #: Whether it depends on the data through squares of residuals, whose weights
    #: ``positive_weights(comparison)`` returns.
    of_squares = False
    #: The factor of the loss in the objective.
    factor = 1.0

    def compare(self, work, W, H, memory=None, products=None, *, fill=True):
        """Compare the data with WH; missing entries of the data take its values.

        `memory` is the memory of the solver. `products` are products of W, H and X by
        name, which need not be computed again. Within a sweep, where missing entries keep
        their values, `fill` is False.
        """
        raise NotImplementedError

    def total(self, work, comparison):
        """Return the value of the loss."""
        raise NotImplementedError

    def rescaled(self, work, W, H, memory=None, products=None):
        """Return the loss with its scale estimated at W and H, and the comparison."""
        raise NotImplementedError


class Solver:
    """The base of a solver; the module's docstring lists what the loop calls."""

    #: The norm, "l1" or "l2", that the columns of W get after each sweep, or None.
    normalize: str | None = None

    def update(self, work, loss, comparison, memory):
        """Return the next W and H."""
        raise NotImplementedError

    def update_H(self, work, loss, comparison):
        """Return the next H for a fixed W; a column depends on its own sample only."""
        raise NotImplementedError


class State(NamedTuple):
    """A fit after a sweep. W and H are never overwritten."""

    number: int
    W: np.ndarray
    H: np.ndarray
    objective: float
    loss: Loss
    #: What the solver remembers.
    memory: Any
    #: What the last update returned; W and H may be the extrapolated factors instead. The
    #: next extrapolation leads away from here.
    last_update: tuple | None
    #: Whether the last sweep has changed the objective by less than the tolerance.
    settled: bool


# --------------------------------------------------------------- the loop


def iterate(
    work,
    W,
    H,
    loss,
    solver,
    penalties=(),
    *,
    max_iter,
    tol=0.0,
    least_sweeps=0,
    stops_by_fall=False,
    last_update=None,
    title=None,
):
    """Yield the state of a fit at its start and after each sweep.

    Parameters
    ----------
    work : Work
        The data, and the arrays that the sweeps overwrite.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
        The start; not changed.
    loss : Loss
    solver : Solver
    penalties : sequence, optional
        Each has ``value(W, H)``, which is added to the loss.
    max_iter : int
        Largest number of sweeps.
    tol : float, default=0.0
        Stop when a sweep changes the objective by at most this fraction of it.
    least_sweeps : int, default=0
        `tol` cannot stop the loop before it has made more than so many sweeps.
    stops_by_fall : bool, default=False
        Whether `tol` is a fraction of the change since the start instead: the rule of
        Cheng et al., and (16) of Guan et al.
    last_update : (W, H), optional
        The last update of an earlier fit, from which the first extrapolation leads away.
    title : str, optional
        The title of a progress bar.

    Yields
    ------
    State

    Raises
    ------
    ValueError
        If the objective is not finite.

    Examples
    --------
    >>> from rnmf_tutorial.losses import WeightedLoss
    >>> from rnmf_tutorial.solvers import Multiplicative
    >>> start = Work(np.full((1, 2), 3.0)), np.ones((1, 1)), np.ones((1, 2))
    >>> states = iterate(*start, WeightedLoss(), Multiplicative(), max_iter=2)
    >>> [state.objective for state in states]
    [8.0, 0.0, 0.0]
    """
    comparison = None
    value = None
    memory = None
    objective = None
    settled = False
    with tqdm(total=max_iter, disable=title is None, desc=title) as bar:
        for number in range(max_iter + 1):
            accepted = False
            products = {}
            if number > 0:
                # 1. Improve the factors.
                update = solver.update(work, loss, comparison, memory)
                memory = update.memory

                # 2. Go further in the same direction, and keep the result if it is as
                #    good as what the update promises. Otherwise keep the update itself.
                if update.fall is not None and last_update is not None:
                    W, H = extrapolate(update, last_update)
                    promised = value - max(update.fall, 0.0)
                    last_update = (update.W, update.H)
                    if solver.normalize is not None:
                        W, H, last_update = normalized(
                            W, H, last_update, solver.normalize
                        )
                    comparison = loss.compare(work, W, H, memory)
                    value = loss.total(work, comparison)
                    accepted = value <= promised
                    products = {"WH": True}  # the product in `work` is that of W and H
                if not accepted:
                    W, H = update.W, update.H
                    products = update.products
                    if solver.normalize is not None:
                        W, H, _ = normalized(W, H, (W, H), solver.normalize)
                        products = {}
                    last_update = (W, H)

            # 3. Compare the data with WH. Some losses estimate their scale again.
            if loss.reestimated:
                loss, comparison = loss.rescaled(work, W, H, memory, products)
                value = loss.total(work, comparison)
            elif not accepted:
                comparison = loss.compare(work, W, H, memory, products)
                value = loss.total(work, comparison)

            # 4. Record the objective, and stop if it hardly changes any more.
            before = objective
            objective = value + sum(penalty.value(W, H) for penalty in penalties)
            if not np.isfinite(objective):
                raise ValueError(
                    f"The objective became {objective}: numbers left the range of "
                    f"{W.dtype}. Give data or start another unit (divide by the largest "
                    "entry), or take float64."
                )
            if number == 0:
                first = objective
            if tol > 0 and number > least_sweeps:
                unit = objective - first if stops_by_fall else before
                settled = abs(before - objective) <= tol * abs(unit)
            if number > 0:
                bar.update()
                bar.set_postfix(objective=f"{objective:.6g}", refresh=False)
            yield State(number, W, H, objective, loss, memory, last_update, settled)
            if settled:
                break


def normalized(W, H, others, norm):
    """Divide the columns of W by their norms; return W, H and a pair in the same units."""
    norms = norms_of_columns(W, norm)
    rows = norms[:, None]
    other_W, other_H = others
    return W / norms, H * rows, (other_W / norms, other_H * rows)


def extrapolate(update, last_update):
    """Return the factors that lie beyond those of an update, away from the last ones.

    They are max(Z/10, Z + (Z - Z')/2) for Z = W and Z = H, where Z' are the factors
    after the last update.

    References
    ----------
    Ang and Gillis, *Accelerating nonnegative matrix factorization algorithms using
    extrapolation*, 2019.
    """
    W, H = update.W, update.H
    last_W, last_H = last_update
    further_W = W - last_W  # changed in place: factors of wide data are large
    further_W *= EXTRAPOLATION
    further_W += W
    np.maximum(further_W, W / 10, out=further_W)
    further_H = H - last_H
    further_H *= EXTRAPOLATION
    further_H += H
    np.maximum(further_H, H / 10, out=further_H)
    return further_W, further_H


def last_state(states):
    """Return the last of the states of a fit."""
    for state in states:  # noqa: B007
        pass
    return state


# --------------------------------------------------------------- coefficients


def encode(work, W, H, update_H, *, tol, max_iter):
    """Improve H for a fixed W until every column has converged, each on its own.

    Columns do not depend on each other: they come in blocks, which bounds the memory.

    Parameters
    ----------
    work : Work
        The data.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
        The start; not changed.
    update_H : callable
        ``update_H(work, W, H)`` returns a better H for some of the data.
    tol : float
        A column has converged when an update changes it by at most this fraction of its
        length.
    max_iter : int
        Largest number of updates.

    Returns
    -------
    ndarray of shape (r, n_samples)
        ``work.unsettled`` is the number of its columns that have not converged.

    Examples
    --------
    >>> W = np.array([[1.0], [2.0]])
    >>> def best_H(work, W, H):
    ...     return (W.T @ work.X) / (W.T @ W)
    >>> encode(Work(W @ [[3.0]]), W, np.ones((1, 1)), best_H, tol=0, max_iter=9)
    array([[3.]])
    """
    kind = type(work)

    def step(H, X, mask):
        return update_H(kind(X, mask), W, H)

    blocks = []
    work.unsettled = 0
    for first in range(0, max(1, H.shape[1]), ENCODED_TOGETHER):
        samples = slice(first, first + ENCODED_TOGETHER)
        some = work.some(samples)
        limits = {"tol": tol, "max_iter": max_iter}
        block, unsettled = converged(H[:, samples], step, some.X, some.mask, **limits)
        blocks.append(block)
        work.unsettled += unsettled
    return np.hstack(blocks)


def converged(H, update, X, mask, *, tol, max_iter):
    """Repeat ``update(H, X, mask)`` for the columns that still move, until none does.

    A column has converged when an update changes it by at most `tol` of its length.
    Return H, and how many columns have not converged.
    """
    H = np.array(H, order="C")
    active = np.arange(H.shape[1])
    for _ in range(max_iter):
        before = H[:, active]
        after = update(before, X, mask)
        H[:, active] = after
        change = np.linalg.norm(after - before, axis=0)
        moving = change > tol * np.linalg.norm(after, axis=0)
        if not moving.all():
            active = active[moving]
            X = X[:, moving]
            mask = None if mask is None else mask[:, moving]
        if not len(active):
            break
    return H, len(active)


def flat_start(work, W):
    """Return H with equal coefficients within each sample, so that WH has its sum.

    A sample with a negative sum gets zeros. A missing entry counts as the mean of the
    known ones of its sample.
    """
    X = work.X
    sums = X.sum(axis=0)
    if work.mask is not None:
        known = (~work.mask).sum(axis=0).astype(X.dtype)
        sums = np.where(work.mask, 0, X).sum(axis=0) / known * len(X)
    coefficients = ratio(np.maximum(sums, 0), np.atleast_1d(W.sum()))
    return np.tile(coefficients, (W.shape[1], 1))

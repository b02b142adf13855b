"""The loop that all models share."""

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar
from tqdm.auto import tqdm

from rnmf_tutorial.arrays import ratio
from rnmf_tutorial.models.cleaning import CleanedData, filled, known_means
from rnmf_tutorial.models.complaints import ScaleWarning
from rnmf_tutorial.models.initialization import initialize
from rnmf_tutorial.models.interface import FactorizationEstimator

__all__ = ["BaseNMF"]


@dataclass(eq=False, repr=False)
class BaseNMF(CleanedData, FactorizationEstimator):
    r"""Base of every model: initialize, repeat ``sweep``, record, stop, show, encode.

    A model writes four methods, all in the orientation of the papers (X is
    n_features × n_samples, a sample is a column):

    - ``objective(X, W, H, state=None)``: the number that the model minimizes;
    - ``sweep(X, W, H, state)``: one pass over the lines of the algorithm, which returns the new
      ``W, H, state``;
    - ``encode(X, W, H)``: the part of a sweep that updates H, with W held fixed;
    - ``start(X, W, H)``: the state at the start point, if the model carries more than W and H.

    The state is one object with named fields: an error matrix, weights, a scale, products that
    the next sweep needs. ``shows`` names those that a fit shows. A sweep changes neither W, nor H,
    nor the state that it is given. A model whose states share large arrays finds them again in
    ``restored``, so that an interrupt loses no more than the sweep it falls into.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.models.initialization.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it. 0 means exactly
        `max_iter` sweeps.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H, state)`` at the start point (iteration 0) and after
        each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Examples
    --------
    Lee and Seung's updates, and nothing else:

    >>> class Plain(BaseNMF):
    ...     def objective(self, X, W, H, state=None):
    ...         return float(((X - W @ H) ** 2).sum())
    ...
    ...     def encode(self, X, W, H):
    ...         return H * (W.T @ X) / (W.T @ W @ H)
    ...
    ...     def sweep(self, X, W, H, state):
    ...         W = W * (X @ H.T) / (W @ H @ H.T)
    ...         return W, self.encode(X, W, H), state
    >>> history = Plain(1, max_iter=3, tol=0).fit([[1.0, 2.0], [2.0, 5.0]]).objective_history_
    >>> len(history), bool(history[-1] < history[0])
    (4, True)
    """

    n_components: int = 2
    _: KW_ONLY
    init: Any = "random"
    max_iter: int = 2000
    tol: float = 1e-5
    random_state: Any = None
    callback: Callable | None = None
    verbose: int = 0

    #: What a fit shows: the name of each fitted attribute, and the field of the state it is.
    shows: ClassVar[dict] = {}

    # ---------------------------------------------------------------- what a model fills in

    def objective(self, X, W, H, state=None):
        """Return the value that the model minimizes."""
        raise NotImplementedError

    def sweep(self, X, W, H, state):
        """Return W, H and the state after one pass of the algorithm."""
        raise NotImplementedError

    def encode(self, X, W, H):
        """Return H after one pass with W held fixed."""
        raise NotImplementedError

    def start(self, X, W, H):
        """Return the state at the start point."""
        return None

    def initial_factors(self, X):
        """Return W and H of the start point; a model with constraints on them brings them in."""
        return initialize(X, self.n_components, self.init, self.random_state)

    def chunk_by_chunk(self):
        """Return how a sweep takes a chunk of samples at a time: "weights", "errors" or None.

        None: it cannot. "weights": `half_sweep` does what a chunk can do on its own. "errors":
        there is an error matrix S that each sweep finds first. Coordinate descent needs `look`.
        """
        return None

    def half_sweep(self, X, W, H):
        """Return the objective, the next H, and the two sums over samples in the update of W."""
        raise NotImplementedError

    def prepare(self, X, y):
        """Make ready what a model needs of the data or the labels before the start point."""

    def ends_encoded(self):
        """Tell whether a fit ends at the coefficients that `transform` finds for its W."""
        return self.tol > 0

    def at(self, X, W, H, state):
        """Return the state that belongs to the final coefficients."""
        return state

    def restored(self, X, W, H, state):
        """Return the state of W and H, whose arrays an interrupted sweep may have written over."""
        return state

    def refilled(self, X, W, H, state):
        """Return the state of W and H after missing entries of X have been filled anew."""
        return self.restored(X, W, H, state)

    def complaint(self, X, W, H, state):
        """Return a sentence if a size that was given or found cannot suit the data, or None."""
        return None

    def least_sweeps(self):
        """Return how many sweeps are never the last."""
        return 0

    def check_parameters(self):
        """Raise an error for a parameter out of range; models add their own."""
        check_scalar(self.n_components, "n_components", Integral, min_val=1)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)
        self.check_range("tol", min_val=0)

    def check_range(self, name, **limits):
        """Raise an error if a parameter is not a finite number within the limits."""
        value = getattr(self, name)
        check_scalar(value, name, Real, **limits)
        if not np.isfinite(value):
            raise ValueError(f"{name} == {value}, must be a finite number.")

    def check_positive(self, name):
        """Raise an error if a parameter is not a positive finite number."""
        self.check_range(name, min_val=0, include_boundaries="neither")

    # ---------------------------------------------------------------- the loop

    def begin(self, A, y=None):
        """Return X, W, H and the state from which ``fit(A, y)`` sweeps."""
        return self._begin(A, y)[:4]

    def _begin(self, A, y):
        """Return also which entries are missing, or None: they are filled from the start point."""
        self.check_parameters()
        X, missing = self.validated(A, reset=True)
        self.prepare(X, y)
        W, H = self.initial_factors(X)
        X = filled(X, missing, W, H)
        return X, W, H, self.first_state(X, W, H, missing), missing

    def first_state(self, X, W, H, missing=None):
        """Return the state at the start point; a solver of another kind adds to it."""
        return self.start(X, W, H) if missing is None else self.start(X, W, H, missing)

    def one_sweep(self, X, W, H, state, missing=None):
        """Return W, H and the state after one sweep of the solver: here, the published one."""
        W, H, state = self.sweep(X, W, H, state)
        if missing is None:
            return W, H, state
        return W, H, self.refilled(filled(X, missing, W, H), W, H, state)

    def one_encoding(self, X, W, H):
        """Return H after one sweep of the solver with W held fixed: here, of the published one."""
        return self.encode(X, W, H)

    def value(self, X, W, H, state):
        """Return the objective to record."""
        return self.objective(X, W, H, state)

    def _fit(self, A, y=None, stacklevel=3):
        """Factorize A (n_samples × n_features), with labels y if the model takes them; return H.

        A warning is about the line so many calls above.
        """
        way = self._by_chunks(A, reset=True) or self
        X, W, H, state, missing = way._begin(A, y)
        history = [self._recorded(way, X, W, H, state)]
        last, stopped = (W, H, state, 1), self._called(0, W, H, state)
        bar = tqdm(total=self.max_iter, disable=not self.verbose, desc=type(self).__name__)
        try:
            while len(history) <= self.max_iter and not stopped:
                W, H, state = way.one_sweep(X, W, H, state, missing)
                history.append(self._recorded(way, X, W, H, state))
                last = (W, H, state, len(history))  # from here on, this sweep counts
                bar.update()
                if self.verbose:
                    bar.set_postfix(objective=f"{history[-1]:.6g}", refresh=False)
                stopped = self._settled(history)
                stopped = self._called(len(history) - 1, W, H, state) or stopped
        finally:
            bar.close()
            W, H, state, finished = last
            self.components_ = np.ascontiguousarray(W.T)
            self.objective_history_ = np.array(history[:finished])
            self.n_iter_ = finished - 1
            state = way.restored(filled(X, missing, W, H), W, H, state)
            self._show(state)
        if self.tol > 0 and not stopped:
            warnings.warn(
                f"{type(self).__name__} stopped at max_iter={self.max_iter} before the relative "
                f"change of its objective fell below tol={self.tol:g}; raise max_iter, or set "
                "tol=0 to ask for exactly max_iter sweeps.",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )
        if self.ends_encoded():
            H = way.final_coefficients(X, W, H, missing)
            state = way.at(filled(X, missing, W, H), W, H, state)
            self._show(state)
        sentence = self.complaint(X, W, H, state) if self.tol > 0 and way is self else None
        if sentence:
            sentence = f"{type(self).__name__}: {sentence}"
            warnings.warn(sentence, ScaleWarning, stacklevel=stacklevel)
        return H

    def _recorded(self, way, X, W, H, state):
        value = way.value(X, W, H, state)
        if not np.isfinite(value):
            raise ValueError(
                f"The objective of {type(self).__name__} became {value}: the numbers left the "
                f"range of {X.dtype}. Give the data or the start point another unit (divide the "
                "data by their largest entry), or take float64."
            )
        return value

    def _called(self, iteration, W, H, state):
        return self.callback is not None and bool(self.callback(iteration, W, H, state))

    def _settled(self, history):
        """Tell whether the last sweep changed the objective by less than tol, relatively."""
        before, now = history[-2:]
        enough = len(history) - 1 > self.least_sweeps()
        return enough and self.tol > 0 and abs(before - now) <= self.tol * abs(before)

    def _show(self, state):
        """Store the fields that the model shows, those of the shape of X as samples × features."""
        for attribute, field in self.shows.items():
            value = getattr(state, field)
            setattr(self, attribute, value.T if np.ndim(value) == 2 else value)

    # ---------------------------------------------------------------- coefficients for a fixed W

    def final_coefficients(self, X, W, H, missing=None):
        """Return the coefficients that a fit ends with if it ends encoded."""
        return self.encoded(X, W, missing=missing)

    def encoded(self, X, W, H=None, missing=None):
        """Repeat ``one_encoding`` until every column of H, on its own, has settled."""
        if H is None:
            sums = X.sum(axis=0) if missing is None else known_means(X, missing) * len(X)
            H = np.tile(ratio(sums, np.atleast_1d(W.sum())), (W.shape[1], 1))
        H, active = H.copy(), np.arange(X.shape[1])
        X_active = X
        for _ in range(self.max_iter):
            before = H[:, active]
            unknown = None if missing is None else missing[:, active]
            X_active = filled(X_active, unknown, W, before)
            H[:, active] = after = self.one_encoding(X_active, W, before)
            change = np.linalg.norm(after - before, axis=0)
            moving = change > self.tol * np.linalg.norm(after, axis=0)
            if not moving.any():
                break
            if not moving.all():
                active = active[moving]
                X_active = X[:, active]
        return H

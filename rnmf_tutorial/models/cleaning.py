r"""Clean, then fit: coordinate descent for every loss that squares on cleaned data lie above.

If :math:`\ell(W, H) \le \lVert M - WH\rVert^2 + \text{const}` everywhere, with equality at the
factors where M was made, then whatever does not raise plain NMF's objective on M does not raise
the loss. A model says what M is (`look`); the sweep stands here, once.
"""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rnmf_tutorial.arrays import norms_of_columns, product
from rnmf_tutorial.solvers.coordinate import (
    ROUNDS,
    Fit,
    descend_rows,
    settle_rows,
)
from rnmf_tutorial.solvers.passes import Seen, coordinate_pass

__all__ = ["CleanedData", "Descent", "SolverChoice", "filled", "known_means"]


class Descent(NamedTuple):
    """The state of a fit by coordinate descent: that of the model, and what the next pass needs.

    Its other names are those of the model's state, found at W and H when they are asked for: the
    memory of weights and errors holds the cleaned data meanwhile.

    Parameters
    ----------
    own : object
        The model's state, whose large arrays are scratch memory.
    seen : Seen
        The objective and the cleaned data at W and H.
    before : Fit or None
        Where the last step led, for the extrapolation.
    found : callable
        Returns the model's state at W and H, in memory of its own.

    Examples
    --------
    >>> Descent(None, Seen(2.0, None), None, lambda: Fit(1, 2, 0.5)).drop
    0.5
    """

    own: Any
    seen: Seen
    before: Fit | None
    found: Callable

    def __getattr__(self, name):
        return getattr(self.found(), name)


class CleanedData:
    """What a model writes so that coordinate descent can serve it: `look`, and what it needs.

    Examples
    --------
    >>> from rnmf_tutorial.models import BaseNMF
    >>> issubclass(BaseNMF, CleanedData)
    True
    """

    #: Whether the cleaned data are always the data themselves.
    keeps_data = False

    def look(self, X, W, H, state):
        """Return the objective and the cleaned data at W and H, as a :class:`Seen`."""
        raise NotImplementedError

    def rescaled(self, X, seen, state):
        """Return what is seen, and the state, after scales have been estimated from it anew."""
        return seen, state

    def gauge(self):
        """Return which norm the columns of W are given after a pass: "l1", "l2" or None."""
        return None

    def state_at_hand(self, X):
        """Return a state for `look` with the scales of the parameters or of the fit."""
        return None


class SolverChoice:
    r"""What lets a model choose its solver; put this class before that of the loss.

    The model has the parameter `solver`. Its `sweep` is the published update; for "cd" it has
    `look`.

    Examples
    --------
    >>> from rnmf_tutorial import HuberNMF, MCCGR
    >>> issubclass(HuberNMF, SolverChoice), issubclass(MCCGR, SolverChoice)
    (True, False)
    """

    #: The name of the published update.
    published = "mu"

    def first_state(self, X, W, H, missing=None):
        """Return the state at the start point."""
        state = super().first_state(X, W, H, missing)
        if self.solver != "cd":
            return state
        seen = self.look(X, W, H, state)
        return Descent(state, seen, None, partial(self._found, X, W, H, state))

    def one_sweep(self, X, W, H, state, missing=None):
        """Return W, H and the state after one sweep of the chosen solver."""
        if self.solver != "cd":
            return super().one_sweep(X, W, H, state, missing)
        new = state.own.next() if hasattr(state.own, "next") else state.own

        def look(W, H):
            return self.look(filled(X, missing, W, H), W, H, new)

        W, H, seen, before = coordinate_pass(look, W, H, state.seen, state.before)
        seen, new = self.rescaled(X, seen, new)
        if self.gauge() is not None:  # of all that the next pass reads: no product changes
            d = norms_of_columns(W, self.gauge())
            W, H = W / d, H * d[:, None]
            before = before._replace(W=before.W / d, H=before.H * d[:, None])
            seen = seen._replace(WtM=None if seen.WtM is None else seen.WtM / d[:, None])
        return W, H, Descent(new, seen, before, partial(self._found, X, W, H, new))

    def _found(self, X, W, H, state):
        return self.at(X, W, H, copy.deepcopy(state))

    def value(self, X, W, H, state):
        """Return the objective to record."""
        if isinstance(state, Descent):
            return state.seen.objective
        return super().value(X, W, H, state)

    def restored(self, X, W, H, state):
        """Return the model's state at W and H."""
        if isinstance(state, Descent):
            return self.at(X, W, H, state.own)
        return super().restored(X, W, H, state)

    def one_encoding(self, X, W, H):
        """Return H after one sweep of the chosen solver with W held fixed."""
        if self.solver != "cd":
            return super().one_encoding(X, W, H)
        M = X if self.keeps_data else self.look(X, W, H, self.state_at_hand(X)).M
        return descend_rows(W.T @ W, W.T @ M, H, ROUNDS)

    def encoded(self, X, W, H=None, missing=None):
        """Return the best H; of samples whose data stay as they are, from the products alone."""
        if self.solver != "cd" or not self.keeps_data:
            return super().encoded(X, W, H, missing)
        if missing is None:
            start = np.zeros((W.shape[1], X.shape[1]), X.dtype)
            return settle_rows(W.T @ W, W.T @ X, start, tol=self.tol, max_rounds=self.max_iter)
        some, found = missing.any(axis=0), np.empty((W.shape[1], X.shape[1]), X.dtype)
        found[:, ~some] = self.encoded(X[:, ~some], W)
        found[:, some] = super().encoded(X[:, some], W, None, missing[:, some])
        return found

    def check_parameters(self):
        """Raise an error for a parameter out of range."""
        super().check_parameters()
        if self.solver not in (self.published, "cd"):
            raise ValueError(
                f"solver={self.solver!r} is not known; use {self.published!r} or 'cd'."
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def filled(X, missing, W, H):
    """Put what the factors say into the missing entries of X, in place, and return X.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    missing : ndarray of bool of the same shape, or None
        Which entries are missing; None if none is.
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)

    Returns
    -------
    ndarray of shape (n_features, n_samples)

    Examples
    --------
    >>> filled(np.array([[1.0, 0.0]]), np.array([[False, True]]), np.ones((1, 1)), np.ones((1, 2)))
    array([[1., 1.]])
    """
    if missing is not None:
        np.copyto(X, product(W, H), where=missing)
    return X


def known_means(X, missing):
    """Return the mean of the known entries of every sample.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
    missing : ndarray of bool of the same shape
        No column may be all true.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> known_means(np.array([[1.0, 5.0], [3.0, 7.0]]), np.array([[False, False], [False, True]]))
    array([2., 5.])
    """
    sums = np.where(missing, 0, X).sum(axis=0)
    return sums / (~missing).sum(axis=0).astype(X.dtype)

"""The loop that all models share, and the scikit-learn interface around it."""

import warnings
from numbers import Integral, Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_array, check_is_fitted, validate_data
from tqdm.auto import tqdm

from rnmf_tutorial.models.initialization import initialize
from rnmf_tutorial.models.updates import ratio

__all__ = ["BaseNMF"]


class BaseNMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Base of every model: validate, initialize, repeat ``sweep``, record, stop, encode.

    A model writes three methods, all in the orientation of the papers (X is
    n_features × n_samples, a sample is a column):

    - ``objective(X, W, H, *extras)``: the number that the model minimizes;
    - ``sweep(X, W, H, *extras)``: one pass over the lines of the algorithm, which returns
      the new ``W, H, *extras``;
    - ``encode(X, W, H)``: the part of a sweep that updates H, with W held fixed.

    A model with further variables (a sparse error, weights) returns their start values from
    ``start(X, W, H)`` and keeps what a user wants of them in ``_keep``. A sweep may
    overwrite its extras in place, never X, W or H.

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
    callback : callable, default=None
        Called as ``callback(iteration, W, H, *extras)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Examples
    --------
    Lee and Seung's updates, and nothing else:

    >>> class Plain(BaseNMF):
    ...     def objective(self, X, W, H):
    ...         return float(((X - W @ H) ** 2).sum())
    ...
    ...     def encode(self, X, W, H):
    ...         return H * (W.T @ X) / (W.T @ W @ H)
    ...
    ...     def sweep(self, X, W, H):
    ...         W = W * (X @ H.T) / (W @ H @ H.T)
    ...         return W, self.encode(X, W, H)
    >>> history = Plain(1, max_iter=3, tol=0).fit([[1.0, 2.0], [2.0, 5.0]]).objective_history_
    >>> len(history), bool(history[-1] < history[0])
    (4, True)
    """

    def __init__(
        self,
        n_components=2,
        *,
        init="random",
        max_iter=2000,
        tol=1e-5,
        random_state=None,
        callback=None,
        verbose=0,
    ):
        self.n_components = n_components
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    def objective(self, X, W, H, *extras):
        """Return the value that the model minimizes."""
        raise NotImplementedError

    def sweep(self, X, W, H, *extras):
        """Return W, H and the extras after one pass of the algorithm."""
        raise NotImplementedError

    def encode(self, X, W, H):
        """Return H after one pass with W held fixed."""
        raise NotImplementedError

    def begin(self, X):
        """Return W and H of the start point; a model with constraints on them brings them in."""
        return initialize(X, self.n_components, self.init, self.random_state)

    def start(self, X, W, H):
        """Return the start values of the extras, a tuple."""
        return ()

    def step(self, H, up, down, state=None):
        """Return H after a multiplicative step; a model with a graph adds the graph's parts.

        `state` is what the engine's weights depend on: a scale, or the weights of the samples.
        """
        return H * ratio(up, down)

    def _prepare(self, X, y):
        """Make ready what a model needs of the data or the labels before the first sweep."""

    def _keep(self, *extras):
        """Store the fitted extras as attributes (samples × features)."""

    def _finish(self, X, W, H):
        """Return the coefficients that the fit ends with, given those of the last sweep."""
        return H

    def _check_parameters(self):
        """Raise an error for a parameter out of range; models add their own."""
        check_scalar(self.n_components, "n_components", Integral, min_val=1)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)
        check_scalar(self.tol, "tol", Real, min_val=0)
        self._check_finite("tol")

    def _check_finite(self, name):
        value = getattr(self, name)
        if not np.isfinite(value):
            raise ValueError(f"{name} == {value}, must be a finite number.")

    def _check_positive(self, name):
        check_scalar(getattr(self, name), name, Real, min_val=0, include_boundaries="neither")
        self._check_finite(name)

    def _fit(self, A, y=None):
        """Factorize A (n_samples × n_features), with labels y if the model takes them; return H."""
        self._check_parameters()
        X = self._validated(A, reset=True)
        self._prepare(X, y)
        W, H = self.begin(X)
        extras = self.start(X, W, H)
        history = [self.objective(X, W, H, *extras)]
        stopped = self.callback is not None and self.callback(0, W, H, *extras)
        bar = tqdm(total=self.max_iter, disable=not self.verbose, desc=type(self).__name__)
        try:
            while len(history) <= self.max_iter and not stopped:
                W_next, H_next, *extras = self.sweep(X, W, H, *extras)
                value = self.objective(X, W_next, H_next, *extras)
                W, H = W_next, H_next
                history.append(value)
                bar.update()
                if self.verbose:
                    bar.set_postfix(objective=f"{value:.6g}", refresh=False)
                stopped = self._settled(history)
                if self.callback is not None:
                    stopped = self.callback(len(history) - 1, W, H, *extras) or stopped
        except KeyboardInterrupt:
            extras = self.start(X, W, H)  # the interrupted sweep may have overwritten them
            raise
        finally:
            bar.close()
            self.components_ = np.ascontiguousarray(W.T)
            self.objective_history_ = np.array(history)
            self.n_iter_ = len(history) - 1
            self._keep(*extras)
        if self.tol > 0 and not stopped:
            warnings.warn(
                f"{type(self).__name__} stopped at max_iter={self.max_iter} before the relative "
                f"change of its objective fell below tol={self.tol:g}; raise max_iter, or set "
                "tol=0 to ask for exactly max_iter sweeps.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self._finish(X, W, H)

    def _settled(self, history):
        """Tell whether the last sweep changed the objective by less than tol, relatively."""
        before, now = history[-2:]
        return self.tol > 0 and abs(before - now) <= self.tol * abs(before)

    def _validated(self, A, *, reset):
        """Return A as X: features × samples (a view in Fortran order), finite and non-negative."""
        method = "fit" if reset else "transform"
        A = validate_data(self, A, dtype=[np.float64, np.float32], order="C", reset=reset)
        if A.min() < 0:
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__}.{method}: the smallest "
                f"entry is {A.min():g}. Shift or clip the data so that every entry is at least 0."
            )
        if reset and self.n_components > min(A.shape):
            raise ValueError(
                f"n_components={self.n_components} is too large for data with n_samples = "
                f"{A.shape[0]} and n_features = {A.shape[1]}; take at most {min(A.shape)}."
            )
        return A.T

    def fit(self, A: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the basis.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
            Non-negative, finite, dense data.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If A has negative, missing or infinite entries or a wrong shape, or a parameter is
            out of range.
        """
        self._fit(A)
        return self

    def fit_transform(self, A: ArrayLike, y: ArrayLike | None = None) -> np.ndarray:
        """Learn the basis and return the coefficients of the samples.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
            Non-negative, finite, dense data.
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The transpose of H.
        """
        return np.ascontiguousarray(self._fit(A).T)

    def transform(self, A: ArrayLike) -> np.ndarray:
        """Encode samples with the learned basis held fixed.

        Every sample starts from equal coefficients and repeats the update of H on its own,
        until its coefficients change by less than `tol` (relative to their length) or
        `max_iter` sweeps are done. The result for a sample does not depend on the others.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        X = self._validated(A, reset=False)
        W = np.ascontiguousarray(self.components_.T, dtype=X.dtype)
        return np.ascontiguousarray(self._encoded(X, W).T)

    def _encoded(self, X, W, H=None):
        """Repeat ``encode`` until every column of H, on its own, has settled."""
        if H is None:
            H = np.tile(ratio(X.sum(axis=0), np.atleast_1d(W.sum())), (W.shape[1], 1))
        H, active = H.copy(), np.arange(X.shape[1])
        X_active = X
        for _ in range(self.max_iter):
            before = H[:, active]
            H[:, active] = after = self.encode(X_active, W, before)
            change = np.linalg.norm(after - before, axis=0)
            moving = change > self.tol * np.linalg.norm(after, axis=0)
            if not moving.any():
                break
            if not moving.all():
                active = active[moving]
                X_active = X[:, active]
        return H

    def inverse_transform(self, Ht: ArrayLike) -> np.ndarray:
        """Return the reconstruction of samples from their coefficients.

        Parameters
        ----------
        Ht : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        Ht = check_array(Ht, dtype=[np.float64, np.float32])
        if Ht.shape[1] != self.components_.shape[0]:
            raise ValueError(
                f"The coefficients have {Ht.shape[1]} columns; this model has "
                f"{self.components_.shape[0]} components."
            )
        return Ht @ self.components_

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

"""The door of every estimator: scikit-learn's conventions outside, the engine inside.

Data come in as samples × features and are transposed once; inside, X is features × samples.
"""

import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_array, check_is_fitted

from rnmf_tutorial.engine.accepted import accepted
from rnmf_tutorial.engine.fit import Run, encode
from rnmf_tutorial.engine.point import Point
from rnmf_tutorial.engine.start import initialize
from rnmf_tutorial.estimators.warnings import ScaleWarning, about_share
from rnmf_tutorial.losses import Loss
from rnmf_tutorial.stored import residuals
from rnmf_tutorial.validation import as_floats

__all__ = ["BaseNMF"]

POSITIVE = {"min_val": 0, "include_boundaries": "neither"}


@dataclass(eq=False, repr=False)
class BaseNMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Base of every model: which loss, which step, which term; the engine does the rest.

    A model may write these, all in the orientation of the papers (X is n_features × n_samples,
    a sample is a column):

    - ``_loss(point)`` and ``_step()``: what is minimized, and how; see :mod:`rnmf_tutorial.losses`
      and :mod:`rnmf_tutorial.steps`;
    - ``_prepare(point, y)``: what is estimated once, and the terms that are added to the loss;
    - ``_start(X, missing)``: the start point;
    - ``_encode(X, W, missing)``: the coefficients for a fixed W;
    - ``_shown(point, loss)``: the fitted attributes besides `components_`;
    - ``_check()``: raise an error for a parameter out of range;
    - ``_advice(point, loss)``: a sentence if a size that was given or found cannot suit the data.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    init : {{"random", "nndsvd", "nndsvda", "nndsvdar"}} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.engine.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it. 0 means exactly
        `max_iter` sweeps.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H, point)`` at the start point (iteration 0) and after
        each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Examples
    --------
    Lee and Seung's updates, and nothing else:

    >>> class Plain(BaseNMF):
    ...     def _step(self):
    ...         def update(point, loss):
    ...             H = point.H * point.WtX / (point.WtW @ point.H)
    ...             point = point.to(H=H)
    ...             return point.to(W=point.W * point.XHt / (point.W @ point.HHt))
    ...
    ...         return update
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

    #: Whether a fit with tol > 0 (or "always") ends at what `transform` finds for its W, because
    #: the coefficients of its sweeps are not what the model is for.
    ends_encoded: ClassVar[Any] = False
    #: Sweeps that are never the last.
    least_sweeps: ClassVar[int] = 0
    #: Whether a NaN in the data is a missing entry.
    takes_missing: ClassVar[bool] = False
    #: Whether the data may be a sparse matrix, of which a fit visits the stored entries alone.
    takes_sparse: ClassVar[bool] = False

    # ---------------------------------------------------------------- what a model fills in

    def _loss(self, point):
        """Return what a fit minimizes, at the scale of the parameters."""
        return Loss()

    def _step(self):
        """Return what moves the factors."""
        raise NotImplementedError

    def _prepare(self, point, y):
        """Find what a fit estimates once, at its start point; return the terms that are added."""
        return ()

    def _start(self, X, missing=None):
        """Return the start point."""
        W, H = initialize(X, self.n_components, self.init, self.random_state)
        return Point(X, W, H, missing=missing).fill()

    def _encode(self, X, W, missing=None):
        """Return the coefficients for a fixed W: by the step, until each sample has settled."""
        loss, step = self._fitted_loss, self._step()
        limits = {"tol": self.tol, "max_iter": self.max_iter}
        return encode(X, W, lambda p: step.coefficients(p, loss), missing=missing, **limits)

    def _shown(self, point, loss):
        """Return the fitted attributes by name; arrays of the shape of X are transposed."""
        return {}

    def _check(self):
        """Raise an error for a parameter out of range."""

    def _advice(self, point, loss):
        """Return a sentence if a size that was given or found cannot suit the data, or None."""
        return None

    # ---------------------------------------------------------------- the fit

    def begin(self, A, y=None):
        """Return the run that ``fit(A, y)`` will take: the start point, the loss, the step.

        Parameters
        ----------
        A : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        Run
            With ``point``, ``loss`` and ``step``; ``step(point, loss)`` is the next point.
        """
        check_scalar(self.n_components, "n_components", Integral, min_val=1)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)
        self._check_number("tol", min_val=0)
        self._check()
        if is_dask(A):
            from rnmf_tutorial.engine.chunks import begin_by_chunks  # Dask is optional

            return begin_by_chunks(self, A)
        X, missing = accepted(self, A, "fit")
        point = self._start(X, missing)
        self._added = self._prepare(point, y)
        return Run(point, self._loss(point), self._step(), self._added)

    def _fit(self, A, y=None, stacklevel=3):
        """Factorize A, with labels y if the model takes them; return H.

        A warning is about the line so many calls above.
        """
        run = self.begin(A, y)
        try:
            run.sweep(
                max_iter=self.max_iter,
                tol=self.tol,
                least=self.least_sweeps,
                callback=self.callback,
                name=type(self).__name__ if self.verbose else None,
            )
        finally:  # also when a sweep was interrupted: those before it count
            self.objective_history_, self.n_iter_ = np.array(run.history), run.n_sweeps
            self.components_ = np.ascontiguousarray(run.point.W.T)
            point, self._fitted_loss = run.point.alone(), run.loss
            self._show(point)
        if self.tol > 0 and not run.settled:
            warnings.warn(
                f"{type(self).__name__} stopped at max_iter={self.max_iter} before the relative "
                f"change of its objective fell below tol={self.tol:g}; raise max_iter, or set "
                "tol=0 to ask for exactly max_iter sweeps.",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )
        if self.ends_encoded == "always" or (self.ends_encoded and self.tol > 0):
            point = point.to(H=point.encoded(self._encode)).fill()
        sentence = self._advice(point, run.loss) if self.tol > 0 and point.in_memory else None
        if sentence is None and self.tol > 0 and point.in_memory and self.takes_missing:
            sentence = about_share(point)
        if sentence:
            sentence = f"{type(self).__name__}: {sentence}"
            warnings.warn(sentence, ScaleWarning, stacklevel=stacklevel)
        return point.H

    def _show(self, point):
        """Store what the model shows, samples × features."""
        for name, value in point.shown(self._shown, self._fitted_loss).items():
            setattr(self, name, value.T if np.ndim(value) == 2 else value)

    def objective(self, X, W, H):
        """Return the value that the model minimizes, a scale being estimated where none is given.

        Parameters
        ----------
        X : ndarray of shape (n_features, n_samples)
        W : ndarray of shape (n_features, r)
        H : ndarray of shape (r, n_samples)

        Returns
        -------
        float
        """
        point = Point(X, W, H)
        terms = self._added if hasattr(self, "_added") else self._prepare(point, None)
        return Run(point, self._loss(point), None, terms).history[0]

    # ---------------------------------------------------------------- scikit-learn's methods

    def fit(self, A: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the basis.

        Parameters
        ----------
        A : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Non-negative data; NaN is a missing entry for a model that takes them. Sparse data
            give what they give dense, at the cost of their stored entries; a model with a weight
            for each entry gives the stored ones a weight, and the other zeros count in full. Of
            a Dask array, each sweep reads chunk after chunk; see
            :mod:`rnmf_tutorial.engine.chunks`.
        y : array-like of shape (n_samples,), default=None
            The labels, for a model that learns from them; ignored by the others.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If A has negative, missing or infinite entries or a wrong shape, labels are missing
            that the model needs, or a parameter is out of range.
        TypeError
            If A is sparse and the model needs dense data.
        """
        self._fit(A, y)
        return self

    def fit_transform(self, A: ArrayLike, y: ArrayLike | None = None) -> np.ndarray:
        """Learn the basis and return the coefficients of the samples.

        Parameters
        ----------
        A : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Non-negative data; NaN is a missing entry for a model that takes them. Sparse data
            give what they give dense, at the cost of their stored entries; a model with a weight
            for each entry gives the stored ones a weight, and the other zeros count in full. Of
            a Dask array, each sweep reads chunk after chunk; see
            :mod:`rnmf_tutorial.engine.chunks`.
        y : array-like of shape (n_samples,), default=None
            The labels, for a model that learns from them; ignored by the others.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The transpose of H.
        """
        # scikit-learn's `set_output` stands between this method and its caller.
        return np.ascontiguousarray(self._fit(A, y, stacklevel=4).T)

    def transform(self, A: ArrayLike) -> np.ndarray:
        """Encode samples with the learned basis held fixed.

        Every sample starts from equal coefficients and repeats the update of H on its own,
        until its coefficients change by less than `tol` (relative to their length) or
        `max_iter` sweeps are done. The result for a sample does not depend on the others.

        Parameters
        ----------
        A : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Non-negative data; NaN is a missing entry for a model that takes them. Sparse data
            give what they give dense, at the cost of their stored entries; a model with a weight
            for each entry gives the stored ones a weight, and the other zeros count in full. Of
            a Dask array, each sweep reads chunk after chunk; see
            :mod:`rnmf_tutorial.engine.chunks`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        if is_dask(A):
            from rnmf_tutorial.engine.chunks import transform_by_chunks  # Dask is optional

            return transform_by_chunks(self, A)
        X, missing = accepted(self, A, "transform")
        W = np.ascontiguousarray(self.components_.T, dtype=X.dtype)
        return np.ascontiguousarray(self._encode(X, W, missing).T)

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

    def score(self, A: ArrayLike, y: ArrayLike | None = None) -> float:
        r"""Return minus the mean of \|e\| over the entries.

        The samples are encoded first, by all their entries: in a search over folds more components
        always score better. To choose a rank, or between losses, hide entries:
        :class:`~rnmf_tutorial.MaskedSearchCV`.

        Parameters
        ----------
        A : array-like or sparse matrix of shape (n_samples, n_features)
            Non-negative data; missing entries are not counted.
        y : None
            Not used.

        Returns
        -------
        float
            At most 0; larger is better.
        """
        if issparse(A):
            Ht, X = self.transform(A), accepted(self, A, "score")[0]
            sums = (np.abs(E).sum(dtype=float) for E in residuals(X, self.components_.T, Ht.T))
            return -float(sum(sums) / np.prod(A.shape))
        errors = as_floats(A, f"{type(self).__name__}.score")
        errors = errors - self.inverse_transform(self.transform(A))
        return -float(np.abs(errors[~np.isnan(errors)]).mean())

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.allow_nan = self.takes_missing
        tags.input_tags.sparse = self.takes_sparse
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # ---------------------------------------------------------------- for a model's parameters

    def _given_or_found(self, name):
        """Return a parameter, or what a fit has found if it is None."""
        given = getattr(self, name)
        if given is None:
            check_is_fitted(self, f"{name}_")
            return getattr(self, f"{name}_")
        return given

    def _check_number(self, name, **limits):
        """Raise an error if a parameter is no finite number in the limits, nor None by default."""
        value = getattr(self, name)
        if value is not None or getattr(type(self), name) is not None:
            check_scalar(value, name, Real, **(limits or POSITIVE))
            if not np.isfinite(value):
                raise ValueError(f"{name} == {value}, must be a finite number.")

    def _check_choice(self, name, *choices):
        """Raise an error if a parameter is none of its choices."""
        value = getattr(self, name)
        if value not in choices:
            known = " or ".join([", ".join(map(repr, choices[:-1])), repr(choices[-1])])
            raise ValueError(f"{name}={value!r} is not known; use {known}.")


def is_dask(A):
    """Tell whether A is one of Dask's collections, without importing Dask."""
    return type(A).__module__.partition(".")[0] == "dask"

"""The side of every estimator that scikit-learn sees; inside, the core does the work.

Data come in as samples × features and are transposed once; inside, X is features × samples.
"""

import inspect
import re
import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_array, check_is_fitted

from rnmf_tutorial.core import Point, Run, encode, flat_start, positive_mean
from rnmf_tutorial.inputs import accepted, as_floats, initialize
from rnmf_tutorial.losses import Loss, residuals
from rnmf_tutorial.noise import noise_scale
from rnmf_tutorial.updates.coordinate import Coordinate

__all__ = ["BaseNMF", "ScaleWarning", "about_floor", "about_weights", "estimator"]

# An entry with a smaller weight hardly counts. Fewer than these shares of the positive data with a
# weight say nothing of the rest; more are needed where a third of the data are zeros, which agree.
_SMALL_WEIGHT, _ENOUGH, _ENOUGH_AMONG_ZEROS = 0.01, 0.25, 0.6
# A fit explains so much less of the data than plain NMF only where it went wrong: sound ones under
# errors of every kind at most 0.04 less. An entry counts there as at most ten medians.
_MUCH, _LARGEST, _SAMPLES = 0.1, 10, 1000
# A size estimated from residuals is at its floor up to here, in roundings of the largest entry.
_ROUNDINGS = 100


class Shared:
    """What docstrings of models share: each of these texts stands once, and is put in by its name.

    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent on the cleaned data, or the published multiplicative update, which takes
        much longer to the same objective; see :mod:`rnmf_tutorial.updates.coordinate`.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        Of the data from what is fitted, entry by entry: e² above is it for squares. With
        Kullback-Leibler's, whose unit is that of the data and not its square, the scale takes
        the place of its own square.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.inputs.initialize`.
    max_iter : int, default=<max_iter>
        Largest number of sweeps.
    tol : float, default=<tol>
        Stop when a sweep changes the objective by less than this fraction of it<then>. 0 means
        exactly `max_iter` sweeps and nothing more, no warning either.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H, point)`` at the start point (iteration 0) and after
        each sweep; the :class:`~rnmf_tutorial.core.Point` has the loss as `loss`. Returning True
        stops.
    verbose : int, default=0
        Show a progress bar if not 0.
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q: the weights at the end, between 0 and 1. Of sparse data, a sparse
        array of the weights of what is stored; all other zeros have the weight one.
    scale_ : float
        The scale at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, each at its own sweep's scale:
        it never rises with a fixed scale, and with an estimated one only if the scale grew.
    n_iter_ : int
        Number of sweeps.
    """


COMMON = "init", "max_iter", "tol", "random_state", "callback", "verbose"
ATTRIBUTES = "components_", "weights_", "scale_", "objective_history_", "n_iter_"


def estimator(model):
    r"""Make an estimator of a class whose annotated fields are its parameters.

    The fields become keyword arguments of ``__init__``, as scikit-learn wants them. In the
    docstring a name in braces, such as ``{solver}``, gives way to its text in :class:`Shared`;
    ``{common}`` and ``{attributes}`` stand for several of these.

    Parameters
    ----------
    model : type
        A subclass of :class:`~rnmf_tutorial.estimator.BaseNMF`.

    Returns
    -------
    type
        The same class.

    Examples
    --------
    >>> from rnmf_tutorial.estimator import BaseNMF
    >>> @estimator
    ... class Penalized(BaseNMF):
    ...     lam: float = 0.5
    >>> Penalized(3, lam=0.1)
    Penalized(lam=0.1, n_components=3)
    """
    model = dataclass(kw_only=True, eq=False, repr=False)(model)
    model.__init__.__signature__ = _own_first(inspect.signature(model.__init__))
    then = "; then\n    take the coefficients that `transform` finds for the last W"
    values = {"max_iter": str(model.max_iter), "tol": str(model.tol)}
    values["then"] = then if model.ends_encoded else ""
    blocks = re.split(r"\n(?=\w+ : )", inspect.cleandoc(Shared.__doc__))[1:]
    texts = {block.split(" :")[0]: block for block in blocks}
    texts |= {"common": "\n".join(texts[name] for name in COMMON)}
    texts |= {"attributes": "\n".join(texts[name] for name in ATTRIBUTES)}
    doc = inspect.cleandoc(model.__doc__) + "\n"  # as Python 3.13 has it, without indentation
    for name, text in texts.items():
        doc = doc.replace(f"{{{name}}}", text)
    for name, value in values.items():
        doc = doc.replace(f"<{name}>", value)
    model.__doc__ = doc
    return model


def _own_first(signature):
    """Return the signature with a model's own parameters before those that all share."""
    parameters = sorted(signature.parameters.values(), key=lambda p: p.name in COMMON)
    return signature.replace(parameters=parameters)


POSITIVE = {"min_val": 0, "include_boundaries": "neither"}


@dataclass(eq=False, repr=False)
class BaseNMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Base of every model: it says which loss, which step and which penalties; the core fits.

    A model may write these, all in the orientation of the papers (X is n_features × n_samples,
    a sample is a column):

    - ``_loss(point)`` and ``_step(loss)``: what is minimized, and how; see
      the end of :mod:`rnmf_tutorial.core`;
    - ``_begin(point, y)``: the run from the start point, after what is estimated once;
    - ``_encode(point)``: the coefficients for a fixed W;
    - ``_shown(point, loss)``: the fitted attributes besides `components_`;
    - ``_check()``: raise an error for a parameter out of range;
    - ``_advice(point, loss)``: a sentence if a size that was given or found cannot suit the data.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.inputs.initialize`.
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
    ...     def _step(self, loss):
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

    #: Whether a fit with tol > 0 (or "always") ends with the coefficients that `transform` finds
    #: for its W, because those of its sweeps are not what the model is for.
    ends_encoded: ClassVar[Any] = False
    #: Sweeps that are never the last.
    least_sweeps: ClassVar[int] = 0
    #: Whether a NaN in the data is a missing entry.
    takes_missing: ClassVar[bool] = False
    #: Whether the data may be a sparse matrix; see :mod:`rnmf_tutorial.sparse`.
    takes_sparse: ClassVar[bool] = False
    #: Whether the data may be a Dask array; see :mod:`rnmf_tutorial.large`.
    takes_chunks: ClassVar[bool] = False

    # ---------------------------------------------------------------- what a model fills in

    def _loss(self, point):
        """Return what a fit minimizes, at the scale of the parameters."""
        return Loss()

    def _step(self, loss):
        """Return what moves the factors."""
        raise NotImplementedError

    def _start(self, X):
        """Return the factors that `init` asks for."""
        return initialize(X, self.n_components, self.init, self.random_state)

    def _begin(self, point, y, penalties=(), state=None):
        """Return the run from a start point; a model finds here what it estimates once.

        The `state` is what the step of a robust start has left at the point.
        """
        loss = self._loss(point)
        step = self._step(loss)
        if state is not None:
            step.state = state
        return Run(point, loss, step, penalties)

    def _encode(self, point):
        """Return the coefficients for the W of a point: by the step, until each sample settles."""
        loss, limits = self._fitted_loss, {"tol": self.tol, "max_iter": self.max_iter}
        step = self._step(loss)
        return encode(point, lambda p: step.coefficients(p, loss), **limits)

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
            from rnmf_tutorial import large  # Dask is optional

            return large.begin(self, A)
        X, mask = accepted(self, A, "fit")
        return self._begin(point_of(X, *self._start(X), mask), y)

    def _fit(self, A, y=None, stacklevel=3):
        """Factorize A, with labels y if the model takes them; return H.

        A warning is about the line so many calls above.
        """
        run, name = self.begin(A, y), type(self).__name__
        try:
            run.sweep(
                max_iter=self.max_iter,
                tol=self.tol,
                least=self.least_sweeps,
                callback=self.callback,
                name=name if self.verbose else None,
            )
        finally:  # also when a sweep was interrupted: those before it count
            point, loss = run.point, run.loss
            self.objective_history_ = np.array(run.history[: run.n_sweeps + 1])
            self.n_iter_, self._penalties = run.n_sweeps, run.penalties
            self.components_ = np.ascontiguousarray(point.W.T)
            if chunked := is_dask(A):
                from rnmf_tutorial import large  # Dask is optional

                loss, shown = large.fitted(self, run)
            else:
                vars(point.memory).update(arrays={}, found={})  # what the sweeps needed
                point = type(point)(point.data, point.W, point.H, point.mask)
                shown = self._shown(point, loss)
            self._fitted_loss = loss
            for attribute, value in shown.items():
                setattr(self, attribute, value.T if np.ndim(value) == 2 else value)
        if self.ends_encoded == "always" or (self.ends_encoded and self.tol > 0):
            point = point.to(H=self._encode(flat_start(point)))
        if self.tol > 0 and not run.settled:
            warnings.warn(
                f"{name} stopped at max_iter={self.max_iter} before the relative "
                f"change of its objective fell below tol={self.tol:g}; raise max_iter, or set "
                "tol=0 to ask for exactly max_iter sweeps.",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )
        if self.tol > 0 and not chunked:
            sentence = self._advice(point, loss)
            if sentence is None and self.takes_missing:
                sentence = about_share(point)
            if sentence:
                warnings.warn(f"{name}: {sentence}", ScaleWarning, stacklevel=stacklevel)
        return point.H

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
        point = point_of(X, W, H)
        penalties = (
            self._penalties if hasattr(self, "_penalties") else self._begin(point, None).penalties
        )
        return Run(point, self._loss(point), None, penalties).history[0]

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
            :mod:`rnmf_tutorial.large`.
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
            Non-negative data, as in :meth:`fit`.
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
            Non-negative data, as in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        if is_dask(A):
            from rnmf_tutorial import large  # Dask is optional

            return large.transform(self, A)
        X, mask = accepted(self, A, "transform")
        W = np.ascontiguousarray(self.components_.T, dtype=X.dtype)
        none = np.empty((W.shape[1], 0), X.dtype)
        start = flat_start(point_of(X, W, none, mask))
        return np.ascontiguousarray(self._encode(start).T)

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
            blocks = residuals(X, self.components_.T, Ht.T)
            return -float(sum(np.abs(E).sum(dtype=float) for _, E in blocks) / np.prod(A.shape))
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


def point_of(X, W, H, mask=None):
    """Return the point of dense or of sparse data."""
    if issparse(X):
        from rnmf_tutorial.sparse import SparsePoint  # the core knows dense data alone

        return SparsePoint(X, W, H)
    return Point(X, W, H, mask)


def is_dask(A):
    """Tell whether A is one of Dask's collections, without importing Dask."""
    return type(A).__module__.partition(".")[0] == "dask"


# ------------------------------------------------------------------- a scale that is a parameter


def loss_at_scale(model, point, plain):
    """Return φ of a model over a divergence: at the given scale, the noise's, or one yet to find.

    Parameters
    ----------
    model : BaseNMF
        With the parameter `scale` and the attribute `phi`.
    point : Point
        Where the noise is measured for ``scale=None``.
    plain : Loss
        The divergence and the group, without φ.

    Returns
    -------
    Loss
    """
    scale, limits = model.scale, np.finfo(point.W.dtype)
    if scale == "published":
        return replace(plain, phi=model.phi, estimated=True)
    if scale is None:
        scale = noise_scale(point, model.phi, plain)
    smallest = float(np.sqrt(limits.tiny))  # its square is still a normal number
    if not smallest <= scale <= 1 / smallest:
        raise ValueError(
            f"scale == {scale} is beyond what {point.W.dtype} resolves: it must lie "
            f"between {smallest:.1e} and {1 / smallest:.1e}. Give the data another unit."
        )
    return replace(plain, phi=model.phi, scale=float(scale))


def about_scale(model, point, loss):
    """Return what is wrong with the scale at the end of a fit, or None."""
    if loss.estimated and (sentence := about_floor(point, loss.scale, "scale")):
        return sentence
    return about_weights(point, model.weights_.T, "scale")


# ------------------------------------------------------------------- warnings


class ScaleWarning(UserWarning):
    """A scale, a threshold or the weight of an error matrix cannot suit the data.

    Examples
    --------
    >>> import warnings
    >>> from rnmf_tutorial import RobustNMF
    >>> A = 1000 * np.random.default_rng(0).uniform(1, 2, (20, 30))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = RobustNMF(2, lam=0.1, random_state=0).fit(A)
    >>> caught[-1].category.__name__
    'ScaleWarning'
    """


def about_floor(point, size, name, floor=None):
    """Return what to say of a size estimated from residuals: None, unless it has collapsed.

    Parameters
    ----------
    point : Point
        The end of the fit.
    size : float
        The estimate.
    name : str
        The parameter that would give it.
    floor : float, optional
        What a collapsed estimate is at most; by default some roundings of the largest entry.

    Returns
    -------
    str or None

    Examples
    --------
    >>> point = Point(np.ones((1, 2)), np.ones((1, 1)), np.ones((1, 2)))
    >>> about_floor(point, 1e-15, "scale")[:44]
    'the estimated scale has fallen to 1e-15, and'
    >>> about_floor(point, 0.1, "scale") is None
    True
    """
    if size > (_ROUNDINGS * point.rounding if floor is None else floor):
        return None
    return (
        f"the estimated {name} has fallen to {size:.2g}, and the positive data have the mean "
        f"{positive_mean(point.entries):.3g}: most of the data that count are fitted exactly, and "
        f"the others hardly count. Give {name} as a number, the size of an error that you would "
        "still believe."
    )


def about_weights(point, Q, name):
    """Return what to say of weights: None, unless few of the positive data have one, or all do.

    Parameters
    ----------
    point : Point
        The end of the fit.
    Q : ndarray or sparse array
        The weights, one for every entry of X or for every feature.
    name : str
        The parameter that they depend on.

    Returns
    -------
    str or None

    Examples
    --------
    >>> point = Point(np.ones((1, 2)), np.ones((1, 1)), np.ones((1, 2)))
    >>> about_weights(point, np.full((1, 2), 1e-9), "scale")[:41]
    '100 % of the positive data have weights b'
    >>> about_weights(point, np.ones((1, 2)), "scale")[:19]
    'every weight is one'
    >>> about_weights(point, np.eye(1, 2), "scale") is None
    True
    """
    X = point.entries
    positive = np.greater(X, 0)
    Q = (Q.data if issparse(Q) else Q).reshape(len(X), -1)
    weighty = np.count_nonzero(positive & (Q > _SMALL_WEIGHT))
    number = np.count_nonzero(positive)
    if number and Q.min() == 1:
        return f"every weight is one: this is plain NMF. Give a smaller {name}, or None."
    if weighty < (_ENOUGH if 3 * number >= 2 * X.size else _ENOUGH_AMONG_ZEROS) * number:
        return (
            f"{100 * (1 - weighty / number):.3g} % of the positive data have weights below "
            f"{_SMALL_WEIGHT}, and hardly count; their mean is {positive_mean(X):.3g}. Give a "
            f"larger {name}, in the units of the data; where most of them are zeros, prefer NMF."
        )
    return None


def about_share(point):
    """Return what to say if plain NMF explains much more of the data than the fit: None else.

    The share explained is one minus the sum of the errors over that of the data, where an entry and
    an error count at most as the median of their feature, so that neither gross errors nor the
    units of the features decide. Of a sound fit, of any loss, it is about that of plain NMF, or
    larger under gross errors.

    Parameters
    ----------
    point : Point
        The end of the fit. At most 1000 of its samples are taken.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from rnmf_tutorial.core import Point
    >>> X, W = np.outer([1.0, 2.0, 3.0], [1.0, 2.0]), np.array([[1.0], [2.0], [3.0]])
    >>> about_share(Point(X, W, np.array([[1.0, 2.0]]))) is None
    True
    >>> about_share(Point(X, W, np.array([[1.0, 0.1]])))[:58]
    'the fit explains 40 % of the data and ten passes of plain '
    """
    few = slice(None, None, -(-point.X.shape[1] // _SAMPLES))
    X, H = point.X[:, few], point.H[:, few]
    X = X.toarray() if issparse(X) else X
    mask = np.zeros(X.shape, bool) if point.mask is None else point.mask[:, few]
    medians = np.ma.median(np.ma.masked_where(mask | (X == 0), X), axis=1).filled(0)[:, None]
    total = np.minimum(X, medians).sum(where=~mask, dtype=float)
    if not total:
        return None

    def explained(WH):
        return 1 - np.minimum(np.abs(X - WH), medians).sum(where=~mask, dtype=float) / total

    clipped = np.minimum(X, _LARGEST * medians)
    W0, H0 = initialize(clipped, len(H), "random", 0)
    plain = Point(clipped, W0, H0, mask if mask.any() else None)
    plain = Run(plain, Loss(), Coordinate()).sweep(max_iter=10).point
    fit, other = explained(point.W @ H), explained(plain.WH)
    if fit > other - _MUCH:
        return None
    return (
        f"the fit explains {100 * fit:.0f} % of the data and ten passes of plain NMF explain "
        f"{100 * other:.0f} %, an error counting at most as the median of its feature. Either it "
        "started on another scale than the data, or its scale is too small, or the features differ "
        "so much that one scale cannot suit them: divide each feature by its median, give a larger "
        "scale, or take NMF."
    )

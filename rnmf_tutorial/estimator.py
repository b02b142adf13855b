"""The base of all estimators: scikit-learn's interface to the core.

Users pass data as samples × features. They are transposed once; X is features ×
samples.
"""

import inspect
import re
import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_array, check_is_fitted

from rnmf_tutorial.core import Point, Run, encode, flat_start, positive_mean
from rnmf_tutorial.inputs import accepted, initialize, warn_of_marks
from rnmf_tutorial.losses import KULLBACK_LEIBLER, SQUARES, Loss, residuals
from rnmf_tutorial.noise import STARTS, noise_scale, robust_start
from rnmf_tutorial.updates.coordinate import Coordinate
from rnmf_tutorial.updates.divergence import DivergenceCoordinate

# A weight below the first number is called small. A fit warns if fewer than these
# shares of the positive entries have a larger one; the second is for data of which more
# than a third are zeros.
_SMALL_WEIGHT = 0.01
ENOUGH = 0.25
_ENOUGH_AMONG_ZEROS = 0.6
# A fit is compared with so many sweeps of plain NMF, by a share of the entries of so
# many samples.
_PASSES = 30
_HIDDEN = 0.1
_SAMPLES = 200
# An estimated scale has collapsed if it is below so many rounding errors of the largest
# entry.
_ROUNDINGS = 100
# A model with a scale finds the coefficients of samples at these multiples of it, one
# after the other. If 30 % of the entries are gross errors, a start at 16 ends in a
# wrong minimum; on harmonic rows the scale is a millionth of a peak, and 100 steps at
# it alone leave half of the data.
FALLING = tuple(4**k for k in range(10, -1, -1))


class Shared:
    """Texts that the docstrings of several models share; a docstring inserts one by its name.

    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent on the cleaned data, or the published multiplicative update,
        which is much slower; see :mod:`rnmf_tutorial.updates.coordinate`.
    divergence : {"frobenius", "kullback-leibler"}, default="frobenius"
        The divergence of an entry of the data from its fit. The formula above is for
        squares, where it is e². With Kullback-Leibler it takes the place of e², and the
        scale that of its own square, because this divergence has the unit of the data.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.inputs.initialize`.
    max_iter : int, default=<max_iter>
        Largest number of sweeps.
    tol : float, default=<tol>
        Stop when a sweep changes the objective by less than this fraction of it<then>.
        0 means exactly `max_iter` sweeps, without a warning.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H, point)`` at the start point (iteration 0)
        and after each sweep; the :class:`~rnmf_tutorial.core.Point` has the loss as
        `loss`. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.
    components_ : ndarray of shape (n_components, n_features)
        The transpose of W.
    weights_ : ndarray of shape (n_samples, n_features)
        The transpose of Q: the weights at the end, between 0 and 1. For sparse data, a
        sparse array of the weights of the stored entries; all other zeros have the
        weight one.
    scale_ : float
        The scale at the end.
    objective_history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start point and after each sweep, with the scale of that
        sweep. With a fixed scale it never rises. With an estimated one it can rise only
        if the scale grew.
    n_iter_ : int
        Number of sweeps.
    """


COMMON = "init", "max_iter", "tol", "random_state", "callback", "verbose"
ATTRIBUTES = "components_", "weights_", "scale_", "objective_history_", "n_iter_"


def estimator(model):
    r"""Turn a class into an estimator: its annotated fields become the parameters.

    The fields become keyword arguments of ``__init__``, as scikit-learn requires. In
    the docstring, a name in braces such as ``{solver}`` is replaced by its text in
    :class:`Shared`; ``{common}`` and ``{attributes}`` are replaced by several of these.

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
    signature = inspect.signature(model.__init__)
    own_first = sorted(signature.parameters.values(), key=lambda p: p.name in COMMON)
    model.__init__.__signature__ = signature.replace(parameters=own_first)
    then = "; then\n    take the coefficients that `transform` finds for the last W"
    values = {
        "max_iter": model.max_iter,
        "tol": model.tol,
        "then": then * bool(model.ends_encoded),
    }
    blocks = re.split(r"\n(?=\w+ : )", inspect.cleandoc(Shared.__doc__))[1:]
    texts = {block.split(" :")[0]: block for block in blocks}
    texts |= {"common": "\n".join(texts[name] for name in COMMON)}
    texts |= {"attributes": "\n".join(texts[name] for name in ATTRIBUTES)}
    doc = inspect.cleandoc(model.__doc__) + "\n"  # no indentation, as in Python 3.13
    for name, text in texts.items():
        doc = doc.replace(f"{{{name}}}", text)
    for name, value in values.items():
        doc = doc.replace(f"<{name}>", str(value))
    model.__doc__ = doc
    return model


POSITIVE = {"min_val": 0, "include_boundaries": "neither"}
AT_LEAST_ZERO = {"min_val": 0}
#: What `divergence` may be -> the divergence, and coordinate descent for it.
DIVERGENCES = {"frobenius": SQUARES, "kullback-leibler": KULLBACK_LEIBLER}
COORDINATE = {"frobenius": Coordinate, "kullback-leibler": DivergenceCoordinate}


@dataclass(eq=False, repr=False)
class BaseNMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Base of every model: a model chooses the loss, the step and the penalties; the core fits.

    A model can define these methods. X is features × samples in all of them:

    - ``_loss(point)`` and ``_step(loss)``: the loss and the step, as described at the
      end of :mod:`rnmf_tutorial.core`;
    - ``_begin(point, y)``: estimate what is estimated once, and return the run;
    - ``_encode(point)``: the coefficients for a fixed W;
    - ``_shown(point, loss)``: the fitted attributes besides `components_`;
    - ``_check()``: raise an error for a parameter out of range, beyond `choices` and
      `limits`;
    - ``_advice(point, loss)``: the text of a warning if a scale or λ does not suit the
      data.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.inputs.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it. 0
        means exactly `max_iter` sweeps.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H, point)`` at the start point (iteration 0)
        and after each sweep. Returning True stops.
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

    #: Whether a fit with tol > 0 returns the coefficients that `transform` finds for
    #: its W, instead of those of its last sweep; "always" means also with tol=0.
    ends_encoded: ClassVar[Any] = False
    #: `tol` cannot stop a fit before more than so many sweeps.
    least_sweeps: ClassVar[int] = 0
    #: Whether a NaN in the data is a missing entry.
    takes_missing: ClassVar[bool] = False

    @property
    def takes_negative(self):
        """Whether the data may have negative entries: squares may, if no update is a ratio."""
        loss = getattr(self, "divergence", getattr(self, "loss", "frobenius"))
        return getattr(self, "solver", "mu") != "mu" and loss == "frobenius"

    #: Whether the data may be a sparse matrix; see :mod:`rnmf_tutorial.sparse`.
    takes_sparse: ClassVar[bool] = False
    #: Whether the data may be a Dask array; see :mod:`rnmf_tutorial.large`.
    takes_chunks: ClassVar[bool] = False
    #: What a parameter may be, in every model that has it: one of these, or a number in
    #: these.
    choices: ClassVar[dict] = {
        **dict.fromkeys(("loss", "divergence"), tuple(DIVERGENCES)),
        **{"normalize": (None, "l1", "l2"), "solver": ("mu", "cd")},
        **{"group": ("samples", "features"), "encoding": ("nnls", "pinv")},
    }
    limits: ClassVar[dict] = {
        **dict.fromkeys(("scale", "theta", "lam"), POSITIVE),
        **dict.fromkeys(("tol", "lam_theta"), AT_LEAST_ZERO),
    }

    # ------------------------------------------------------------- what a model defines

    def _loss(self, point):
        """Return the loss, with the scale that the parameters ask for."""
        return Loss()

    def _step(self, loss):
        """Return the step."""
        raise NotImplementedError

    def _begin(self, point, y, penalties=(), state=None):
        """Return the run from a start point; here a model also estimates what it estimates once.

        `state` is the state that the step of a robust start has stored. A model whose
        scale is to be estimated begins at such a start.
        """
        if getattr(self, "scale", "given") is None:
            point, state = self._robust_start(point)
        loss = self._loss(point)
        step = self._step(loss)
        if state is not None:
            step.state = state
        return Run(point, loss, step, penalties)

    def _robust_start(self, point):
        """Return the point of a robust fit, and the state of its step if the model takes that."""
        kind = getattr(self, "divergence", "frobenius")
        name = f"{type(self).__name__}, start"
        plain = Loss(divergence=DIVERGENCES[kind])
        step = COORDINATE[kind]
        run = robust_start(point, plain, step, name if self.verbose else None)
        return run.point, run.step.state if self.solver == "cd" else None

    def _encode(self, point):
        """Return the coefficients for the W of a point: steps until each sample has converged.

        A redescending loss has many minima in H, and at equal coefficients most entries
        look like outliers; with any loss with a scale the steps are short while most
        weights are small. So the scale starts large and falls to that of the model.
        """
        loss = self._fitted_loss
        limits = {"tol": self.tol, "max_iter": self.max_iter}
        step = self._step(loss)
        scale = getattr(loss, "scale", None)
        for at in (
            [loss]
            if scale is None
            else [replace(loss, scale=k * scale) for k in FALLING]
        ):
            point = point.to(
                H=encode(point, partial(step.coefficients, loss=at), **limits)
            )
        return point.H

    def _shown(self, point, loss):
        """Return the fitted attributes by name; arrays of the shape of X are transposed."""
        if not hasattr(self, "scale"):
            return {}
        return {"weights_": point.matrix(loss.slopes(point)), "scale_": loss.scale}

    def _check(self):
        """Raise an error for a parameter out of range."""
        for name, value in self.get_params(deep=False).items():
            of_paper = name in ("scale", "theta") and value == "published"
            if name in ("n_components", "max_iter", "n_neighbors"):
                check_scalar(value, name, Integral, min_val=1)
            elif name in self.limits and not of_paper:
                self._check_number(name, **self.limits[name])
            elif name in self.choices and value not in (choices := self.choices[name]):
                known = " or ".join(
                    [", ".join(map(repr, choices[:-1])), repr(choices[-1])]
                )
                raise ValueError(f"{name}={value!r} is not known; use {known}.")

    def _advice(self, point, loss):
        """Return the text of a warning if a scale or λ does not suit the data, or None."""
        if not hasattr(self, "scale"):
            return None
        floor = loss.estimated and about_floor(point, loss.scale, "scale")
        return floor or about_weights(point, self.weights_.T, "scale")

    # ---------------------------------------------------------------- the fit

    def begin(self, A, y=None):
        """Return the run of ``fit(A, y)`` before its first sweep.

        Parameters
        ----------
        A : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        Run
            With ``point``, ``loss`` and ``step``; ``step(point, loss)`` is the next
            point.
        """
        self._check()
        if is_dask(A):
            from rnmf_tutorial import large  # Dask is optional

            return large.begin(self, A)
        X, mask = accepted(self, A, "fit")
        start = initialize(X, self.n_components, self.init, self.random_state)
        return self._begin(point_of(X, *start, mask), y)

    def _fit(self, A, y=None, stacklevel=3):
        """Factorize A, with labels y if the model uses them; return H.

        A warning names the line that is `stacklevel` calls above.
        """
        before = dict(vars(self))
        name = type(self).__name__
        try:
            run = self.begin(A, y)
        except BaseException:  # what was fitted before stays whole
            self.__dict__ = before
            raise
        self._samples = (
            A.index if hasattr(A, "iloc") else None
        )  # their names in a frame
        X = getattr(run.point, "data", None)  # a Dask array has no such data
        if self.takes_negative and isinstance(X, np.ndarray) and X.min() < 0:
            warn_of_marks(self, X, stacklevel + 1)
        try:
            limits = {
                "max_iter": self.max_iter,
                "tol": self.tol,
                "least": self.least_sweeps,
            }
            run.sweep(
                **limits, callback=self.callback, name=name if self.verbose else None
            )
        finally:  # if a sweep is interrupted, the model keeps the sweeps before it
            point = run.point
            loss = run.loss
            self.objective_history_ = np.array(run.history[: run.n_sweeps + 1])
            self.n_iter_ = run.n_sweeps
            self._penalties = run.penalties
            self.components_ = np.ascontiguousarray(point.W.T)
            if chunked := is_dask(A):
                loss, shown = run.step.fitted(self, point)
            else:
                vars(point.memory).update(
                    arrays={}, found={}
                )  # free the memory of the sweeps
                point = type(point)(point.data, point.W, point.H, point.mask)
                shown = self._shown(point, loss)
            self._fitted_loss = loss
            for attribute, value in shown.items():
                setattr(self, attribute, value.T if np.ndim(value) == 2 else value)
        if self.ends_encoded == "always" or (self.ends_encoded and self.tol > 0):
            point = point.to(H=self._encode(flat_start(point)))
        if self.tol > 0 and not run.settled:
            warnings.warn(
                f"{name} stopped at max_iter={self.max_iter} before the relative change of its "
                f"objective fell below tol={self.tol:g}; raise max_iter, or set tol=0 to ask for "
                "exactly max_iter sweeps.",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )
        if self.tol > 0 and not chunked:
            sentence = self._advice(point, loss)
            if sentence is None and self.takes_missing and STARTS.get() is None:
                sentence = about_prediction(self, point)
            if sentence:
                warnings.warn(
                    f"{name}: {sentence}", ScaleWarning, stacklevel=stacklevel
                )
        return point.H

    def objective(self, X, W, H):
        """Return the objective that a fitted model has minimized, with its scale and penalties.

        Of a model without a fit, a scale that is not given is estimated at these
        factors.

        Parameters
        ----------
        X : ndarray of shape (n_features, n_samples)
            NaN is a missing entry, if the model accepts these.
        W : ndarray of shape (n_features, r)
        H : ndarray of shape (r, n_samples)

        Returns
        -------
        float
        """
        X, mask = accepted(self, X.T, "objective")
        point = point_of(X, W, H, mask)
        found = hasattr(self, "_penalties")
        fitted = hasattr(self, "_fitted_loss")
        penalties = self._penalties if found else self._begin(point, None).penalties
        loss = self._fitted_loss if fitted else self._loss(point).rescaled(point)
        return loss.value(point) + sum(penalty.value(point) for penalty in penalties)

    # ----------------------------------------------------------- scikit-learn's methods

    def fit(self, A: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the basis.

        Parameters
        ----------
        A : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Non-negative data; a model of squares with ``solver="cd"`` takes negative
            entries as well. NaN is a missing entry, if the model accepts these. Sparse
            data give the same result as dense data, at the cost of their stored
            entries; only in a model with a weight for each entry do all zeros that are
            not stored have the weight one. With a Dask array, each sweep reads one
            chunk after the other; see :mod:`rnmf_tutorial.large`.
        y : array-like of shape (n_samples,), default=None
            The labels, for a model that learns from them; ignored by the others.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If A has infinite entries, a wrong shape, or negative or missing entries
            that the model does not accept; if the model needs labels and none are
            given; or if a parameter is out of range.
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
            Data as in :meth:`fit`.
        y : array-like of shape (n_samples,), default=None
            The labels, for a model that learns from them; ignored by the others.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The transpose of H.
        """
        # scikit-learn's `set_output` adds one call between this method and its caller.
        return np.ascontiguousarray(self._fit(A, y, stacklevel=4).T)

    def transform(self, A: ArrayLike) -> np.ndarray:
        """Encode samples with the learned basis held fixed.

        Every sample starts from equal coefficients and repeats the update of H on its
        own, until its coefficients change by less than `tol` (relative to their length)
        or `max_iter` sweeps are done. The result for a sample does not depend on the
        others.

        Parameters
        ----------
        A : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Data as in :meth:`fit`.

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
        start = flat_start(point_of(X, W, None, mask))
        return np.ascontiguousarray(self._encode(start).T)

    def inverse_transform(self, Ht: ArrayLike) -> np.ndarray:
        """Return the reconstruction of samples from their coefficients.

        Parameters
        ----------
        Ht : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray or DataFrame of shape (n_samples, n_features)
            A frame, with the names of the samples and of the features, if `Ht` is one,
            as ``set_output(transform="pandas")`` makes it.
        """
        check_is_fitted(self)
        frame = Ht
        Ht = check_array(Ht, dtype=[np.float64, np.float32])
        if (given := Ht.shape[1]) != (r := len(self.components_)):
            raise ValueError(
                f"The coefficients have {given} columns; this model has {r} components."
            )
        made = Ht @ self.components_
        names = getattr(self, "feature_names_in_", None)
        return type(frame)(made, frame.index, names) if hasattr(frame, "iloc") else made

    def score(self, A: ArrayLike, y: ArrayLike | None = None) -> float:
        r"""Return minus the mean of \|e\| over the entries.

        The coefficients of the samples are found first, from all their entries. So with
        folds of samples, more components always score better. To choose a rank or a
        loss, hide entries with :class:`~rnmf_tutorial.MaskedSearchCV`.

        Parameters
        ----------
        A : array-like or sparse matrix of shape (n_samples, n_features)
            Data as in :meth:`fit`; missing entries are ignored.
        y : None
            Not used.

        Returns
        -------
        float
            At most 0; larger is better.
        """
        H, (X, mask) = np.asarray(self.transform(A)).T, accepted(self, A, "score")
        total = 0.0
        known = np.broadcast_to(True, X.shape) if mask is None else ~mask
        for j, E in residuals(X, self.components_.T, H):
            total += np.abs(E).sum(dtype=float, where=known[:, j])
        return -float(total / known.sum())

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = not self.takes_negative
        tags.input_tags.allow_nan = self.takes_missing
        tags.input_tags.sparse = self.takes_sparse
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # --------------------------------------------------------- for a model's parameters

    def _check_number(self, name, **limits):
        """Raise an error unless a parameter is a finite number in the limits, or a default None."""
        value = getattr(self, name)
        if value is not None or getattr(type(self), name) is not None:
            check_scalar(value, name, Real, **limits)
            if not np.isfinite(value):
                raise ValueError(f"{name} == {value}, must be a finite number.")


def point_of(X, W, H, mask=None):
    """Return the point of dense or of sparse data."""
    if issparse(X):
        from rnmf_tutorial.sparse import (
            SparsePoint,
        )  # only if needed: the core is for dense data

        return SparsePoint(X, W, H)
    return Point(X, W, H, mask)


def is_dask(A):
    """Return whether A is one of Dask's collections, without importing Dask."""
    return type(A).__module__.partition(".")[0] == "dask"


# ---------------------------------------------------------- a scale that is a parameter


def loss_at_scale(model, point, plain):
    """Return the loss of a model with a `scale`: given, estimated here once, or in each sweep.

    Parameters
    ----------
    model : BaseNMF
        With the parameter `scale` and the attribute `phi`.
    point : Point
        For ``scale=None``, the scale is estimated from the residuals here.
    plain : Loss
        The divergence and the group, without φ.

    Returns
    -------
    Loss
    """
    scale = model.scale
    limits = np.finfo(point.W.dtype)
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


# ------------------------------------------------------------------- warnings


class ScaleWarning(UserWarning):
    """A scale, a threshold or the weight λ of an error matrix does not suit the data.

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
    """Return the text of a warning if a scale estimated from residuals has collapsed, or None.

    Parameters
    ----------
    point : Point
        The end of the fit.
    size : float
        The estimate.
    name : str
        The parameter with which a user would give it.
    floor : float, optional
        An estimate up to this has collapsed; by default 100 rounding errors of the
        largest entry.

    Returns
    -------
    str or None

    Examples
    --------
    >>> point = Point(np.ones((1, 2)), np.ones((1, 1)), np.ones((1, 2)))
    >>> about_floor(point, 1e-15, "scale")[:44]
    'the estimated scale has fallen to 1e-15, whe'
    >>> about_floor(point, 0.1, "scale") is None
    True
    """
    if size > (_ROUNDINGS * point.rounding if floor is None else floor):
        return None
    return (
        f"the estimated {name} has fallen to {size:.2g}, where positive data have the mean "
        f"{positive_mean(point.entries):.3g}: most data are fitted exactly, the others have tiny "
        f"weights. Give {name} as a number: the largest residual that you would still call noise."
    )


def about_weights(point, Q, name):
    """Return the text of a warning if most weights are near zero, or all are one, or None.

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
        return f"every weight is one: this is plain NMF. If data are wrong, give a smaller {name}."
    if weighty < (ENOUGH if 3 * number >= 2 * X.size else _ENOUGH_AMONG_ZEROS) * number:
        return (
            f"{100 * (1 - weighty / number):.3g} % of the positive data have weights below "
            f"{_SMALL_WEIGHT}. The mean of the positive data is {positive_mean(X):.3g}. Give a "
            f"larger {name}, in the units of the data; if most of the data are zeros, prefer NMF."
        )
    return None


def clearly_worse(squares, others):
    """Return whether squared errors exceed others by more than two standard errors.

    Parameters
    ----------
    squares, others : ndarray of shape (n,)
        The squared errors of two fits, summed by sample. Where a few gross errors
        decide the sums, the standard error is large, and nothing follows from them.

    Returns
    -------
    bool

    Examples
    --------
    >>> squares = np.array([1.0, 2.0, 1.0, 2.0])
    >>> clearly_worse(1.1 * squares, squares), clearly_worse(squares + [9, -1, 0, 0], squares)
    (True, False)
    """
    more = np.subtract(squares, others, dtype=float)
    return (
        bool(more.mean() > 2 * more.std(ddof=1) / len(more) ** 0.5)
        if len(more) > 1
        else False
    )


def about_prediction(model, point):
    """Return the text of a warning if plain NMF predicts hidden entries clearly better, or None.

    A tenth of the entries of at most 200 samples is hidden. The model finds the
    coefficients of these samples for its W; plain NMF is fitted to them. A model that
    leaves out signal predicts the hidden entries worse; one that leaves out gross
    errors does not.

    Parameters
    ----------
    model : BaseNMF
        Fitted.
    point : Point
        The end of the fit.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from rnmf_tutorial import NMF
    >>> A = np.random.default_rng(0).uniform(1, 2, (60, 20))
    >>> model = NMF(1, random_state=0).fit(A)
    >>> point = Point(np.asfortranarray(A.T), model.components_.T, np.ones((1, 60)))
    >>> about_prediction(model, point) is None
    True
    """
    few = slice(None, None, -(-point.data.shape[1] // _SAMPLES))
    X = point.X[:, few]
    W = point.W
    rng = np.random.default_rng(0)
    X = X.toarray(order="F") if issparse(X) else X.copy(order="F")
    known = np.ones(X.shape, bool) if point.mask is None else ~point.mask[:, few]
    hidden = known & (rng.uniform(size=X.shape) < _HIDDEN)
    hidden[:, (hidden | ~known).all(axis=0)] = False
    if not hidden.any() or W.shape[1] > X.shape[1]:
        return None
    mask = hidden | ~known
    truth = X.copy()
    H = model._encode(flat_start(Point(X, W, None, mask)))
    start = initialize(np.where(mask, 0, X), W.shape[1], "random", 0)
    plain = (
        Run(Point(X, *start, mask), Loss(), Coordinate()).sweep(max_iter=_PASSES).point
    )
    squares = [
        ((truth - WH) ** 2).sum(axis=0, where=hidden) for WH in (W @ H, plain.WH)
    ]
    if not clearly_worse(*squares):
        return None
    size, other = (float(np.sqrt(s.sum() / hidden.sum())) for s in squares)
    return (
        f"plain NMF predicts hidden entries with an error of {other:.3g} (root mean square), and "
        f"the components of this fit with {size:.3g}. Either it leaves out signal, because its "
        "scale is too small or the features differ too much for one scale, or its start is much "
        "larger or smaller than the data: take NMF with its defaults, or a larger scale, or divide "
        "each feature by its median."
    )

"""The base of all estimators: scikit-learn's interface to the fits of the package.

Users pass data as samples × features, in the methods that scikit-learn knows. There they
are transposed once: everywhere else X is features × samples.
"""

import inspect
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from rnmf_tutorial.far_out import hidden, warn_of_far_out
from rnmf_tutorial.fitting import (
    Loss,
    Solver,
    Work,
    encode,
    flat_start,
    iterate,
)
from rnmf_tutorial.frames import is_frame, with_names
from rnmf_tutorial.losses import (
    KULLBACK_LEIBLER,
    SQUARES,
    WeightedLoss,
    residuals,
)
from rnmf_tutorial.scale_warnings import (
    ScaleWarning,
    warning_if_collapsed,
    warning_if_weights_extreme,
)
from rnmf_tutorial.solvers.active_set import best_coefficients, reweighted
from rnmf_tutorial.solvers.coordinate import CoordinateDescent
from rnmf_tutorial.solvers.kullback_leibler import KullbackLeiblerDescent
from rnmf_tutorial.starts import (
    RobustStart,
    about_stuck,
    are_alike,
    compute_robust_start,
    initialize,
    noise_scale,
)
from rnmf_tutorial.validation import negative_of, warn_of_negative, work_of_data

# A model with a scale finds the coefficients of samples at larger scales first, each so
# many times the next one. If 30% of the entries are gross errors, a start at 16 times the
# scale ends in a wrong minimum; on harmonic rows the scale is a millionth of a peak, and
# 100 steps at it alone leave half of the data.
SCALE_FACTOR = 4.0
# The coefficients at a larger scale are only a start for the next one.
TOL_OF_FALLING_SCALES = 1e-2


# The least entry of a robust start, as a share of the mean, where updates are ratios.
LEAST_SHARE = 1e-6


class Sweep(NamedTuple):
    """A sweep of a fit, in the papers' orientation; W and H are never overwritten.

    Examples
    --------
    >>> from rnmf_tutorial import NMF
    >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
    >>> start, first = NMF(1, max_iter=1, random_state=0).sweeps(A)
    >>> first.number, first.W.shape, first.H.shape
    (1, (4, 1), (1, 3))
    >>> first.objective == first.loss.value(A.T, first.W, first.H)
    True
    """

    #: 0 at the start.
    number: int
    #: ndarray of shape (n_features, n_components)
    W: np.ndarray
    #: ndarray of shape (n_components, n_samples)
    H: np.ndarray
    #: The objective at W and H, with the scale of this sweep.
    objective: float
    #: The loss with the scale of this sweep; ``loss.weights(X, W, H)`` are its weights.
    loss: Loss


class Problem(NamedTuple):
    """What a fit minimizes, where it starts, and how it improves the factors."""

    work: Work
    W: np.ndarray
    H: np.ndarray
    loss: Loss
    solver: Solver
    penalties: tuple = ()
    #: The factors from which the first sweep extrapolates.
    last_update: tuple | None = None
    #: Fitted attributes that are known before the first sweep, by name.
    found: dict = {}  # noqa: RUF012 - never changed


POSITIVE = {"min_val": 0, "include_boundaries": "neither"}
AT_LEAST_ZERO = {"min_val": 0}
#: What `divergence` may be -> the divergence, and coordinate descent for it.
DIVERGENCES = {"frobenius": SQUARES, "kullback-leibler": KULLBACK_LEIBLER}
COORDINATE = {
    "frobenius": CoordinateDescent,
    "kullback-leibler": KullbackLeiblerDescent,
}


class BaseNMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Base of every model: it chooses a loss, a solver and penalties, and fits them.

    A model can define these methods. X is features × samples in all of them, and `work`
    is the :class:`~rnmf_tutorial.fitting.Work` that holds it:

    - ``_loss(work, W, H)``: the loss, with a scale that is estimated at W and H if the
      parameters ask for it. With Dask data and with a known basis there are no samples
      here, so a scale cannot be estimated;
    - ``_solver(loss)``: how to improve the factors;
    - ``_penalties(work, W, H, y)``: penalties on the factors, for a `_problem` of its own
      and for `objective`;
    - ``_problem(work, W, H, y)``: what a fit minimizes and where it starts. A model that
      estimates its scale computes its robust start here;
    - ``needs_robust_start``: whether it does so;
    - ``_encode(work, W)``: the coefficients for a fixed W;
    - ``_loss_of_new_samples()``: the loss that these minimize, if it is not that of the
      fit;
    - ``_fitted_arrays(work, state)``: the fitted attributes besides `components_`;
    - ``_check_parameters()``: raise an error for a parameter out of range, beyond
      `choices` and `limits`;
    - ``_warning(work, W, H, loss)``: the text of a warning if a scale or λ does not
      suit the data.

    The class attributes `takes_missing`, `takes_negative`, `takes_sparse` and
    `takes_chunks` say which data it accepts.

    Parameters
    ----------
    n_components : int, default=2
        The rank r, at most min(n_samples, n_features).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"} or (W0, H0), default="random"
        The start point; see :func:`rnmf_tutorial.starts.initialize`.
    max_iter : int, default=2000
        Largest number of sweeps.
    tol : float, default=1e-5
        Stop when a sweep changes the objective by less than this fraction of it. 0
        means exactly `max_iter` sweeps.
    random_state : int, RandomState or None, default=None
        The seed of a random start.
    callback : callable, default=None
        Called as ``callback(iteration, W, H)`` at the start point (iteration 0) and
        after each sweep. Returning True stops.
    verbose : int, default=0
        Show a progress bar if not 0.

    Examples
    --------
    Lee and Seung's updates, and nothing else:

    >>> from rnmf_tutorial.fitting import Solver, Update
    >>> class LeeSeung(Solver):
    ...     def update(self, work, loss, comparison, memory):
    ...         X, W, H = work.X, comparison.W, comparison.H
    ...         H = H * (W.T @ X) / (W.T @ W @ H)
    ...         W = W * (X @ H.T) / (W @ H @ H.T)
    ...         return Update(W, H)
    >>> class Plain(BaseNMF):
    ...     def _solver(self, loss):
    ...         return LeeSeung()
    >>> A = [[1.0, 2.0], [2.0, 5.0]]
    >>> history = Plain(1, max_iter=3, tol=0).fit(A).objective_history_
    >>> len(history), bool(history[-1] < history[0])
    (4, True)
    """

    #: `tol` cannot stop a fit before more than so many sweeps.
    least_sweeps: ClassVar[int] = 0
    #: Whether `tol` is a fraction of the change of the objective since the start, and not
    #: of the objective itself.
    stops_by_fall: ClassVar[bool] = False
    #: Whether a fit needs labels.
    by_labels: ClassVar[bool] = False
    #: Whether a NaN in the data is a missing entry.
    takes_missing: ClassVar[bool] = False

    @property
    def ends_encoded(self):
        """Whether `fit_transform` with tol > 0 returns the coefficients of `transform`.

        Those of the last sweep would be far from the best ones for its W, as published
        updates are slow. "always" means also with tol=0.
        """
        return getattr(self, "solver", "cd") != "cd"

    @property
    def takes_negative(self):
        """Whether the data may have negative entries: squares may, if no update is a ratio."""
        loss = getattr(self, "divergence", getattr(self, "loss", "frobenius"))
        return getattr(self, "solver", "mu") != "mu" and loss == "frobenius"

    #: Whether the data may be a sparse matrix; see :mod:`rnmf_tutorial.sparse`.
    takes_sparse: ClassVar[bool] = False
    #: Whether the data may be a Dask array; see :mod:`rnmf_tutorial.chunks`.
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

    def __init__(
        self,
        n_components: int = 2,
        *,
        init: Any = "random",
        max_iter: int = 2000,
        tol: float = 1e-5,
        random_state: Any = None,
        callback: Callable | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.callback = callback
        self.verbose = verbose

    # ------------------------------------------------------------ what a model defines

    def _loss(self, work, W, H):
        """Return the loss, with the scale that the parameters ask for."""
        return WeightedLoss()

    def _solver(self, loss):
        """Return the solver for a loss."""
        raise NotImplementedError

    def _penalties(self, work, W, H, y):
        """Return the penalties, and fitted attributes that are found with them."""
        return (), {}

    def _problem(self, work, W, H, y):
        """Return what to minimize, and where to start.

        A model that estimates its scale once fits a robust start here, in up to 160
        sweeps. These are not counted in `n_iter_`, and they call no callback.
        """
        last_update = None
        if getattr(self, "scale", "given") is None:
            start = self._start_for_scale(work, W, H)
            W, H = start.W, start.H
            if getattr(self, "solver", "cd") == "cd":
                last_update = start.last_update
        loss = self._loss(work, W, H)
        return Problem(work, W, H, loss, self._solver(loss), last_update=last_update)

    def _start_for_scale(self, work, W, H):
        """Return the robust start from W and H, or the one that `init` gives."""
        if isinstance(self.init, RobustStart):
            return self.init
        kind = getattr(self, "divergence", "frobenius")
        plain = WeightedLoss(divergence=DIVERGENCES[kind])
        title = f"{type(self).__name__}, start" if self.verbose else None
        return compute_robust_start(work, W, H, plain, COORDINATE[kind](), title)

    def _encode(self, work, W):
        """Return the coefficients for W, each sample on its own.

        A redescending loss has many minima in H, and at equal coefficients most entries
        look like outliers; with any loss with a scale the steps are short while most
        weights are small. So the scale of a sample starts at its largest entry or
        above, where all entries count, and falls to that of the model.
        """
        H = flat_start(work, W)
        loss = self._loss_of_new_samples()
        if getattr(loss, "phi", None) is None or loss.scale is None:
            return self._encode_at(loss, work, W, H)
        multiples = np.maximum(work.largest_entries() / loss.scale, 1)
        exponents = np.ceil(np.log(multiples) / np.log(SCALE_FACTOR))
        rough_tol = max(self.tol, TOL_OF_FALLING_SCALES)
        for exponent in np.arange(exponents.max(initial=0), 0, -1):
            at_scale = replace(loss, scale=SCALE_FACTOR**exponent * loss.scale)
            begun = np.flatnonzero(exponents >= exponent)
            some = work.some(begun)
            H[:, begun] = self._encode_at(at_scale, some, W, H[:, begun], rough_tol)
        return self._encode_at(loss, work, W, H)

    def _loss_of_new_samples(self):
        """Return the loss that the coefficients of new samples minimize."""
        return self._fitted_loss

    def _encode_at(self, loss, work, W, H, tol=None):
        """Return H after updates with one loss, until each sample has converged.

        Squares without weights need one solution of a least squares problem. A loss that
        squares majorize needs several, each with the weights at the last one.
        """
        if loss.of_squares:
            if getattr(loss, "phi", loss) is None:
                return best_coefficients(work, W)

            def update_H(work, W, H):
                return reweighted(work, W, H, loss)

        else:
            solver = self._fitted_solver
            if getattr(loss, "divergence", None) is KULLBACK_LEIBLER:
                solver = KullbackLeiblerDescent(exact=True)

            def update_H(work, W, H):
                return solver.update_H(work, loss, loss.compare(work, W, H))

        tol = self.tol if tol is None else tol
        return encode(work, W, H, update_H, tol=tol, max_iter=self.max_iter)

    def _fitted_arrays(self, work, state):
        """Return the fitted attributes by name; arrays of the shape of X are transposed."""
        if not hasattr(self, "scale"):
            return {}
        # Compare once more, because a sweep that was interrupted, or a trial, may have
        # left other values in the arrays.
        comparison = state.loss.compare(work, state.W, state.H)
        weights = work.as_matrix(comparison.derivatives)
        return {"weights_": weights, "scale_": state.loss.scale}

    def _check_parameters(self):
        """Raise an error for a parameter out of range."""
        parameters = inspect.signature(type(self).__init__).parameters
        for name, value in self.get_params(deep=False).items():
            counts = name in ("n_components", "max_iter", "n_neighbors")
            if isinstance(value, bool | np.bool_) and (counts or name in self.limits):
                raise TypeError(f"{name}={value} must be a number, not a truth value.")
            if name == "n_components" and isinstance(value, str):
                raise TypeError(
                    f"n_components={value!r} must be a number, such as 5. To try "
                    "several, fit MaskedSearchCV(n_components=range(1, 9))."
                )
            if name == "callback" and not (value is None or callable(value)):
                raise TypeError(
                    f"callback={value!r} cannot be called. Give a function of the number "
                    "of the sweep, W and H, or None."
                )
            if counts:
                check_scalar(value, name, Integral, min_val=1)
            elif name in self.limits:
                rule = name in ("scale", "theta") and value == "published"
                estimated = value is None and parameters[name].default is None
                if not (rule or estimated):
                    check_scalar(value, name, Real, **self.limits[name])
                    if not np.isfinite(value):
                        raise ValueError(f"{name} == {value}, must be a finite number.")
            elif name in self.choices and not (
                isinstance(value, str | None) and value in self.choices[name]
            ):
                *others, last = map(repr, self.choices[name])
                known = f"{', '.join(others)} or {last}"
                raise ValueError(f"{name}={value!r} is not known; use {known}.")

    def _warning(self, work, W, H, loss):
        """Return the text of a warning if a scale does not suit the data, or None."""
        if not hasattr(self, "scale"):
            return None
        text = None
        if loss.reestimated:
            text = warning_if_collapsed(work, loss.scale, "scale")
        return text or warning_if_weights_extreme(work, self.weights_.T, "scale")

    # ------------------------------------------------------------ the fit

    def sweeps(self, X: ArrayLike, y: ArrayLike | None = None) -> Iterator[Sweep]:
        """Yield the factors at the start and after each sweep of ``fit(X, y)``.

        The model stays as it is. The sweeps end where a fit ends: after `max_iter` of
        them, or where `tol` stops it.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Data as in `fit`.
        y : array-like of shape (n_samples,), default=None
            The labels, for a model that learns from them; ignored by the others.

        Yields
        ------
        Sweep
            With `number`, `W`, `H`, `objective` and `loss`. W and H have the
            orientation of the papers: the data are close to ``(W @ H).T``. They are
            never overwritten.

        Examples
        --------
        >>> from rnmf_tutorial import HuberNMF
        >>> A = np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0, 1.0])
        >>> A[1, 1] = 9
        >>> model = HuberNMF(1, scale=0.1, max_iter=3, tol=0, random_state=0)
        >>> for sweep in model.sweeps(A):
        ...     print(sweep.number, round(sweep.objective, 2))
        0 4.89
        1 3.57
        2 3.11
        3 2.93
        """
        _, states = self._prepare(X, y)
        for state in states:
            # For a Dask array, the loss of one chunk is the loss for data in memory.
            loss = getattr(state.loss, "of_chunk", state.loss)
            yield Sweep(state.number, state.W, state.H, state.objective, loss)

    def _prepare(self, A, y):
        """Check the parameters and the data A, samples × features, and find a start.

        Return the problem, and the generator of its sweeps.
        """
        name = type(self).__name__
        try:
            self._check_parameters()
        except (TypeError, ValueError) as error:
            # The checks of scikit-learn do not say whose parameter it is.
            raise type(error)(f"{name}: {error}") from None
        if hasattr(A, "__dask_graph__"):
            from rnmf_tutorial import chunks  # Dask is optional

            problem = chunks.problem_of(self, A)
        else:
            work = work_of_data(self, A, "fit")
            start = work
            if work.far_out is not None and self._starts_without_far_out:
                far_out = work.far_out.features, work.far_out.samples
                start = hidden(work, far_out)
            try:
                W, H = initialize(
                    start.X, self.n_components, self.init, self.random_state
                )
            except (TypeError, ValueError) as error:
                raise type(error)(f"{name}: {error}") from None
            problem = self._problem(start, W, H, y)
            if start is not work:
                problem = problem._replace(work=work)
            if getattr(self, "solver", "cd") == "mu" and problem.W is not W:
                # Coordinate descent made this start, and left zeros in it. Ratios would
                # never change them.
                least_W = LEAST_SHARE * problem.W.mean()
                least_H = LEAST_SHARE * problem.H.mean()
                problem = problem._replace(
                    W=np.maximum(problem.W, least_W), H=np.maximum(problem.H, least_H)
                )
        states = iterate(
            problem.work,
            problem.W,
            problem.H,
            problem.loss,
            problem.solver,
            problem.penalties,
            last_update=problem.last_update,
            max_iter=self.max_iter,
            tol=self.tol,
            least_sweeps=self.least_sweeps,
            stops_by_fall=self.stops_by_fall,
            title=name if self.verbose else None,
        )
        return problem, states

    def _fit(self, A, y=None, stacklevel=3):
        """Factorize A, with labels y if the model uses them; return H of the last sweep.

        A warning names the line that is `stacklevel` calls above.
        """
        problem, states = self._prepare(A, y)
        name = type(self).__name__
        work = problem.work
        in_memory = isinstance(work, Work)
        highest = work.X.max() if in_memory else work.highest
        before = vars(self).copy()
        history = []
        stopped = False
        alike = False
        try:
            validate_data(self, A, skip_check_array=True)  # the names of the features
            self.sample_names_in_ = A.index if hasattr(A, "iloc") else None
            negative = None
            if not in_memory:
                negative = work.negative
            elif self.takes_negative and work.X.min() < 0:
                negative = negative_of(work.X, work.mask)
            if negative is not None:
                warn_of_negative(self, negative, stacklevel + 1)
            if work.far_out is not None:
                loss = getattr(problem.loss, "of_chunk", problem.loss)
                warn_of_far_out(self, work.far_out, loss, A, stacklevel + 1)

            for state in states:
                history.append(state.objective)
                if state.number == 0:
                    first = state
                elif state.number == 1 and type(self.init) in (tuple, list):
                    if sentence := about_stuck(first, state, highest):
                        history.clear()  # the model keeps what it had
                        raise ValueError(f"{name}: {sentence}")
                    alike = are_alike(first) and are_alike(state)
                if self.callback is not None:
                    stopped = bool(self.callback(state.number, state.W, state.H))
                if stopped:
                    break
        finally:
            # If a sweep is interrupted, the model keeps the sweeps before it. If there
            # is none, it keeps all that it had.
            if history:
                self._store(problem, state, history)
            else:
                self.__dict__ = before

        if alike:
            warnings.warn(
                f"{name}: all components of init are equal, and the updates keep them so: "
                "this fit has rank 1. Give components that differ, or init='random'.",
                UserWarning,
                stacklevel=stacklevel,
            )
        if self.tol > 0 and not (stopped or state.settled):
            warnings.warn(
                f"{type(self).__name__} stopped at max_iter={self.max_iter} before the "
                "relative change of its objective fell below "
                f"tol={self.tol:g}; raise max_iter, or set tol=0 to ask for exactly "
                "max_iter sweeps.",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )
        if self.tol > 0 and in_memory:
            sentence = self._warning(work, state.W, state.H, state.loss)
            if sentence:
                message = f"{type(self).__name__}: {sentence}"
                warnings.warn(message, ScaleWarning, stacklevel=stacklevel)
        return state.H

    def _store(self, problem, state, history):
        """Store the fitted attributes of a state."""
        work = problem.work
        self.components_ = np.ascontiguousarray(state.W.T)
        self.n_components_ = len(self.components_)
        self.objective_history_ = np.array(history)
        self.n_iter_ = len(history) - 1
        # New data are encoded in memory, also after a fit to a Dask array.
        self._fitted_loss = getattr(state.loss, "of_chunk", state.loss)
        self._fitted_solver = getattr(problem.solver, "of_chunk", problem.solver)
        self._fitted_penalties = problem.penalties
        for name, value in problem.found.items():
            setattr(self, name, value)
        if isinstance(work, Work):
            # The divergence between the data and WH, without weights. The loss of most
            # models is made of it, so that one comparison finds it.
            loss = state.loss
            factor = 1
            if isinstance(loss, WeightedLoss):
                comparison = loss.compare(work, state.W, state.H)
                if loss.phi is None:
                    divergence = loss.total(work, comparison) / loss.factor
                else:
                    divergence = loss.c * float(comparison.u.sum(dtype=float))
                    if work.has_other_zeros and loss.group.by_entry:
                        divergence += work.rest(loss.divergence, state.W, state.H)
                if loss.divergence is not SQUARES:
                    factor = 2  # as in scikit-learn
            else:
                work.multiply(state.W, state.H)
                E = np.subtract(work.X, work.WH, out=work.WH)
                divergence = float(np.linalg.norm(E)) ** 2
            self.reconstruction_err_ = float(np.sqrt(max(factor * divergence, 0.0)))
            # The arrays that the sweeps used now go to the model, or are freed.
            found = self._fitted_arrays(work, state)
            work.WH = work.energies = work.weights = None
        else:
            found = work.fitted_arrays(self, state)
        for name, value in found.items():
            setattr(self, name, value.T if np.ndim(value) == 2 else value)

    def objective(self, X: np.ndarray, W: np.ndarray, H: np.ndarray) -> float:
        """Return the objective of the model at W and H, with its scale and penalties.

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
        work = work_of_data(self, X.T, "objective")
        if hasattr(self, "_fitted_loss"):
            loss = self._fitted_loss
            penalties = self._fitted_penalties
        else:
            loss = self._loss(work, W, H)
            penalties, _ = self._penalties(work, W, H, None)
            if loss.reestimated:
                loss, _ = loss.rescaled(work, W, H)
        value = loss.total(work, loss.compare(work, W, H))
        return value + sum(penalty.value(W, H) for penalty in penalties)

    def robust_start(self, X: ArrayLike) -> RobustStart | None:
        """Return the robust start that ``fit(X)`` computes to estimate a scale.

        It takes about half of the time of such a fit. Several models can share it:
        ``model.set_params(init=start).fit(X)`` gives the same fit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Data as in `fit`.

        Returns
        -------
        RobustStart or None
            None if the model does not need one, since its scale is given.
        """
        if not self.needs_robust_start:
            return None
        self._check_parameters()
        work = work_of_data(self, X, "fit")
        if work.far_out is not None:
            work = hidden(work, (work.far_out.features, work.far_out.samples))
        W, H = initialize(work.X, self.n_components, self.init, self.random_state)
        return self._start_for_scale(work, W, H)

    @property
    def needs_robust_start(self) -> bool:
        """Whether a fit begins with a robust one, because its scale is not given."""
        return getattr(self, "scale", "given") is None

    def with_components(self, components: ArrayLike) -> Self:
        """Return a copy of the model that encodes samples with a known basis.

        No data are fitted, so what a fit would estimate has to be given: `scale`,
        `theta` or `lam` as a number. Weights of features are equal, and penalties of a
        fit have no effect. A clone of the copy forgets the basis.

        Parameters
        ----------
        components : array-like of shape (n_components, n_features)
            The basis, non-negative, such as reference spectra. If it is a data frame,
            samples in frames must have the same columns in the same order.

        Returns
        -------
        estimator
            `transform`, `inverse_transform` and `score` work as after a fit. Its
            `n_components` is the number of rows of `components`.

        Raises
        ------
        ValueError
            If the model would have to estimate its scale, or the basis has negative,
            missing or infinite entries.

        Examples
        --------
        >>> from rnmf_tutorial import HuberNMF
        >>> spectra = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, 1.0]])
        >>> model = HuberNMF(2, scale=0.1).with_components(spectra)
        >>> model.transform([[2.0, 5.0, 3.0, 9.0]]).round(2)
        array([[2.02, 1.01]])
        """
        name = type(self).__name__
        for parameter in ("scale", "theta", "lam"):
            if not isinstance(getattr(self, parameter, 1.0), Real):
                raise ValueError(
                    f"{name}.with_components has no data to estimate {parameter} from: "
                    f"give {parameter} as a number."
                )
        basis = check_array(
            components,
            dtype=[np.float64, np.float32],
            ensure_non_negative=True,
            copy=True,
            input_name="components",
        )
        model = clone(self).set_params(n_components=len(basis))
        model._check_parameters()
        validate_data(model, components, skip_check_array=True)  # names of features
        W = np.ascontiguousarray(basis.T)
        nothing = Work(np.empty((len(W), 0), W.dtype))
        H = np.empty((W.shape[1], 0), W.dtype)
        model.components_ = basis
        model.n_components_ = len(basis)
        model._fitted_loss = model._loss(nothing, W, H)
        model._fitted_solver = model._solver(model._fitted_loss)
        model._fitted_penalties = ()
        return model

    @property
    def _starts_without_far_out(self):
        """Whether entries that are absurdly far out count as missing until the start.

        They do for models that limit errors by a scale. The published updates, and
        models without a scale, start from all data.
        """
        if self.needs_robust_start:
            return True
        limits = any(hasattr(self, name) for name in ("scale", "theta", "lam"))
        return limits and getattr(self, "solver", "mu") == "cd"

    # ----------------------------------------------------------- scikit-learn's methods

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the basis.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Non-negative data; a model of squares with ``solver="cd"`` takes negative
            entries as well. NaN is a missing entry, if the model accepts these. Sparse
            data give the same result as dense data, at the cost of their stored
            entries; only in a model with a weight for each entry do all zeros that are
            not stored have the weight one. With a Dask array, each sweep reads one
            chunk after the other; see :mod:`rnmf_tutorial.chunks`.
        y : array-like of shape (n_samples,), default=None
            The labels, for a model that learns from them; ignored by the others.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X has infinite entries, a wrong shape, or negative or missing entries
            that the model does not accept; if the model needs labels and none are
            given; or if a parameter is out of range.
        TypeError
            If X is sparse and the model needs dense data.
        """
        self._fit(X, y)
        return self

    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> np.ndarray:
        """Learn the basis and return the coefficients of the samples.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Data as in :meth:`fit`.
        y : array-like of shape (n_samples,), default=None
            The labels, for a model that learns from them; ignored by the others.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The transpose of H. With ``tol=0`` it is that of the last sweep. With
            ``tol > 0``, models whose sweeps leave the coefficients far from the best
            ones return what `transform` does: those with a published update, such as
            ``solver="mu"``, those with a graph, `NeNMF`, `L1RobustNMF` and `LocalNMF`.
        """
        # scikit-learn's `set_output` adds one call between this method and its caller.
        H = self._fit(X, y, stacklevel=4)
        if self.ends_encoded == "always" or (self.ends_encoded and self.tol > 0):
            return self._transform(X, stacklevel=4)
        return np.ascontiguousarray(H.T)

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Encode samples with the learned basis held fixed.

        The result for a sample does not depend on the others. For squares it is the
        exact solution of a least squares problem with non-negative coefficients. Other
        losses need several updates, such as least squares problems with new weights.
        They end when the coefficients of the sample change by at most `tol`, relative to
        their length. If that takes more than `max_iter` updates, a ConvergenceWarning
        says so, unless `tol` is 0.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask array of shape (n_samples, n_features)
            Data as in :meth:`fit`. Missing entries do not count.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._transform(X, stacklevel=4)

    def _transform(self, X, stacklevel):
        """Return the coefficients of samples.

        A warning names the line that is `stacklevel` calls above.
        """
        check_is_fitted(self)
        if hasattr(X, "__dask_graph__"):
            from rnmf_tutorial import chunks  # Dask is optional

            return chunks.transform(self, X)
        work = work_of_data(self, X, "transform")
        W = np.ascontiguousarray(self.components_.T, dtype=work.X.dtype)
        H = self._encode(work, W)
        if work.unsettled and self.tol > 0:
            warnings.warn(
                f"{type(self).__name__}.transform stopped at max_iter={self.max_iter} "
                f"before the coefficients of {work.unsettled} samples changed by less "
                f"than tol={self.tol:g} of their length; raise max_iter, or tol if "
                "fewer digits are enough.",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )
        return np.ascontiguousarray(H.T)

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """Return the reconstruction of samples from their coefficients.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Coefficients, as `transform` returns them.

        Returns
        -------
        ndarray or DataFrame of shape (n_samples, n_features)
            A frame, with the names of the samples and of the features, if `X` is one,
            as ``set_output(transform="pandas")`` makes it.
        """
        check_is_fitted(self)
        coefficients = check_array(X, dtype=[np.float64, np.float32])
        r = len(self.components_)
        if coefficients.shape[1] != r:
            raise ValueError(
                f"The coefficients have {coefficients.shape[1]} columns; this model has {r} "
                "components."
            )
        reconstruction = coefficients @ self.components_
        if not is_frame(X):
            return reconstruction
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{k}" for k in range(reconstruction.shape[1])]
        return with_names(X, reconstruction, names)

    def score(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        r"""Return minus the mean of \|e\| over the entries.

        The coefficients of the samples are found first, from all their entries. So with
        folds of samples, more components always score better. To choose a rank or a
        loss, hide entries with :class:`~rnmf_tutorial.MaskedSearchCV`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Data as in :meth:`fit`; missing entries are ignored.
        y : None
            Not used.

        Returns
        -------
        float
            At most 0; larger is better.
        """
        H = np.asarray(self.transform(X)).T
        work = work_of_data(self, X, "score")
        known = np.broadcast_to(True, work.X.shape)
        if work.mask is not None:
            known = ~work.mask
        total = 0.0
        if work.has_other_zeros:
            # Where X has no stored entry, the size of the error is WH itself.
            work.multiply(self.components_.T, H)
            total = np.abs(work.entries - work.WH).sum(dtype=float)
            total += work.rest(KULLBACK_LEIBLER, self.components_.T, H)
        else:
            for j, E in residuals(work.X, self.components_.T, H):
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
        tags.target_tags.required = self.by_labels
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


# --------------------------------------------------------------- a scale as a parameter


def loss_at_scale(model, work, W, H, plain):
    """Return the loss of a model with a `scale`: given, or estimated once or in sweeps.

    Parameters
    ----------
    model : BaseNMF
        With the parameter `scale` and the attribute `phi`.
    work : Work
    W : ndarray of shape (n_features, r)
    H : ndarray of shape (r, n_samples)
        For ``scale=None``, the scale is estimated from the residuals here.
    plain : WeightedLoss
        The divergence and the group, without φ.

    Returns
    -------
    WeightedLoss
    """
    scale = model.scale
    if scale == "published":
        # With the paper's solver the rule is the paper's for all data. With "cd" it does
        # not change when rows or columns of zeros are added.
        every_zero = getattr(model, "solver", "mu") == "mu"
        return replace(plain, phi=model.phi, reestimated=True, every_zero=every_zero)
    if scale is None:
        scale = noise_scale(work, W, H, model.phi, plain)
    scale = float(scale)
    limits = np.finfo(W.dtype)
    smallest = float(np.sqrt(limits.tiny))  # its square is still a normal number
    if not smallest <= scale <= 1 / smallest:
        raise ValueError(
            f"scale == {scale} is beyond what {W.dtype} resolves: it must lie between "
            f"{smallest:.1e} and {1 / smallest:.1e}. Give the data another unit."
        )
    return replace(plain, phi=model.phi, scale=scale)

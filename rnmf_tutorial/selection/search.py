"""Choose a model by how well it restores entries of the data that its fit does not see."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import product
from numbers import Integral, Real

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data
from tqdm.auto import tqdm

from rnmf_tutorial import NMF, CappedNMF, CauchyNMF, HuberNMF
from rnmf_tutorial.core import rounding
from rnmf_tutorial.estimator import ScaleWarning, clearly_worse
from rnmf_tutorial.inputs import refuse_empty, warn_of_marks
from rnmf_tutorial.losses import Huber, Loss
from rnmf_tutorial.noise import shared_starts
from rnmf_tutorial.selection import planting
from rnmf_tutorial.selection.planting import are_counts, as_table, hidden_entries

__all__ = ["MaskedSearchCV", "default_candidates"]


def default_candidates(A, n_components, random_state=None):
    """Return the models that a search tries if it is given none.

    They are plain NMF, the capped model for whole samples, and Huber's and Cauchy's
    losses, all with their default scales and at most 100 sweeps. If no entry is
    negative, and all are whole numbers or the quartiles of the positive ones differ
    more than fourfold, NMF and Cauchy's loss come with the Kullback-Leibler divergence,
    too: it is for errors that grow with the entries.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_features)
        NaN, or what a masked array hides, is missing.
    n_components : int or sequence of int
        The rank, or the ranks to try.
    random_state : int or None
        The seed of every candidate.

    Returns
    -------
    dict
        Name -> unfitted estimator. A name has the class and the rank.

    Examples
    --------
    >>> A = np.random.default_rng(0).uniform(1, 2, (20, 30))
    >>> list(default_candidates(A, 3, random_state=0))
    ['NMF, r = 3', 'CappedNMF, r = 3', 'HuberNMF, r = 3', 'CauchyNMF, r = 3']
    """
    A = as_table(A, "default_candidates")
    low, high = np.quantile(A[A > 0], [0.25, 0.75]) if (A > 0).any() else (1, 1)
    relative = are_counts(A) or (high > 4 * low and not (A < 0).any())
    options = {"max_iter": 100, "tol": 1e-4, "random_state": random_state}
    kinds = [(kind, "", {}) for kind in (NMF, CappedNMF, HuberNMF, CauchyNMF)]
    if relative:
        names = {NMF: "loss", CauchyNMF: "divergence"}
        kinds += [
            (kind, " KL", {name: "kullback-leibler"}) for kind, name in names.items()
        ]
    return {
        f"{kind.__name__}{word}, r = {r}": kind(r, **options, **own)
        for r in np.atleast_1d(n_components).tolist()
        for kind, word, own in kinds
    }


@dataclass(eq=False, repr=False)
class MaskedSearchCV(TransformerMixin, BaseEstimator):
    r"""Choose a model by how well it restores entries of the data that its fit does not see.

    1. By default, wrong samples go first: a :class:`~rnmf_tutorial.CappedNMF` of each
       rank is fitted from two random starts, and the samples that all of them leave out
       are left out of all fits that follow (`dropped_`), unless their median \|e\| is
       small. If some are kept for this reason, no CappedNMF is tried: it would leave
       out their right entries, too.
    2. A random part of the entries is hidden, the same for all candidates; each is
       fitted to the others, and scored on the hidden ones by minus the mean of \|e\|.
       No clean data are needed: the hidden entries are as wrong as all others, but a
       gross error that is far from all predictions adds nearly the same to each mean.
       In each repeat other entries are hidden, and the default candidates have another
       random start.
    3. A candidate is passed over if its squared errors on the hidden entries are
       larger, by more than two standard errors, than the lowest of the same rank,
       unless its mean of \|e\| is lower by a larger factor than its root mean square is
       higher. Gross errors make this standard error too large to exclude any; where the
       data are clean, the rule excludes models that leave out signal. In this mean (not
       in the score) zeros count together at most as much as all other entries: else a
       fit of zeros would be excused where most data are zero.
    4. The best that is not passed over wins, and is fitted to all samples kept. A
       default candidate is fitted twice (once if `max_samples` leaves out samples):
       from the random start of the repeat in which its score was the farthest above the
       mean of all, and from the factors and at the scale that it had there at the end.
       The second fit is kept if, at the scale of the first, its objective is lower for
       most samples.

    Columns of a data frame that differ in size more than thirtyfold are divided by
    their medians for fits and scores, with a warning; reconstructions are in the units
    of the data.

    An error that the other entries predict, such as a white block on every image, is
    restored as well as the signal: no score on hidden entries notices it. Mark such
    entries as missing (NaN; :func:`~rnmf_tutorial.selection.mark` finds some of them),
    or let the search `plant` damage of the kind that you fear in a copy of the data,
    where it is known what stood there.

    Parameters
    ----------
    candidates : list or dict of estimators, default=None
        The models to try, or names and models; they may differ in anything. None takes
        :func:`~rnmf_tutorial.selection.default_candidates`, maybe without CappedNMF
        (step 1).
    n_components : int or sequence of int, default=2
        The rank of the default candidates, or the ranks to try.
    holdout : float, default=0.1
        The share of the entries to hide, and to plant damage in, drawn anew in each
        repeat.
    n_repeats : int, default=2
        How often to hide and fit; the mean of the scores decides.
    plant : {"entries", "blocks", "rows"} or callable, default=None
        Write damage over this share, and score against what stood there. "entries"
        writes values of other entries and the smallest and the largest of the data here
        and there. "blocks" writes into each sample one box of the smallest or the
        largest value. "rows" writes over this share of the samples as "entries" does,
        and scores hidden entries of the others, as nothing shows what a lost sample
        was. A callable takes the data and a RandomState, and returns damaged data and
        an array that is True where a model is scored; a NaN hides an entry. None hides
        entries, or plants blocks if a `shape` is given.
    shape : tuple of int, default=None
        The shape of a sample, of one, two or three dimensions, such as (32, 32) for
        pictures, for planted blocks. None takes neighboring features for neighbors: a
        planted block is a run.
    scale_features : bool or None, default=None
        Divide every feature by the median of its positive entries for the fits. None
        does so, and warns, for a data frame with names of columns whose medians differ
        more than thirtyfold (for an array it only warns), unless all entries are counts
        or `shape` is given.
    max_samples : int, default=None
        Search on so many samples at most, drawn at random; the best candidate is fitted
        to all.
    refit : bool, default=True
        Fit the best candidate to all samples kept.
    n_jobs : int or None, default=None
        Processes, as joblib counts them.
    random_state : int, RandomState or None, default=None
        The seed of what is hidden, and of the default candidates.
    verbose : int, default=0
        If not 0, show a progress bar.

    Attributes
    ----------
    candidates_ : list of estimator
        The unfitted candidates, in the order of the results.
    cv_results_ : dict of arrays
        "candidate" (its name), "params", "split0_test_score" and so on,
        "mean_test_score", "std_test_score", "rank_test_score", "mean_fit_time",
        "passed_over" (step 3 above), and "error": what a candidate failed with, or "".
        A candidate that failed has the score NaN. Of the ranks, those passed over and
        those that failed have the last.
    best_index_ : int
        The place of the best candidate.
    dropped_ : ndarray of int
        The samples that step 1 left out, by position; `transform` encodes them, too.
    feature_scale_ : ndarray of shape (n_features,)
        What the features were divided by; ones if they were not.
    best_score_ : float
        Its mean score.
    best_estimator_ : estimator
        The best candidate, fitted to all samples kept, if `refit`. Its components times
        `feature_scale_` are in the units of the data. A clone that is fitted anew
        starts at random.
    n_features_in_ : int

    References
    ----------
    Owen and Perry, *Bi-cross-validation of the SVD and the nonnegative matrix
    factorization*, Annals of Applied Statistics 2009, for hiding parts of a matrix.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A = rng.uniform(size=(60, 3)) @ rng.uniform(size=(3, 40))
    >>> A[rng.uniform(size=A.shape) < 0.1] = 5.0
    >>> search = MaskedSearchCV(n_components=3, random_state=0).fit(A)
    >>> type(search.best_estimator_).__name__ != "NMF"
    True
    >>> search.transform(A).shape
    (60, 3)
    """

    candidates: Sequence | Mapping | None = None
    _: KW_ONLY
    n_components: int | Sequence = 2
    holdout: float = 0.1
    n_repeats: int = 2
    plant: str | Callable | None = None
    shape: int | Sequence | None = None
    scale_features: bool | None = None
    max_samples: int | None = None
    refit: bool = True
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None
    verbose: int = 0

    def fit(self, A, y=None):
        """Score all candidates, and fit the best.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
            NaN, or what a masked array hides, is missing. Not sparse and no Dask array:
            search on some samples, and fit the best candidate to all.
        y : array-like of shape (n_samples,), default=None
            Labels, for candidates that take them.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the data cannot be factorized, no entry can be hidden, a parameter is out
            of range, or all candidates fail.
        TypeError
            If A is sparse, or a Dask array; or if a parameter is of another type.
        """
        rng = check_random_state(self.random_state)
        table = self._checked(A, y)
        self.feature_scale_ = self._sizes(A, table)
        if (
            self.feature_scale_ != 1
        ).any():  # the fits do not see the numbers of the file
            warn_of_marks(self, table.T, 3)
        data = table / self.feature_scale_
        seed = rng.randint(2**31 - 1)
        models = self.candidates
        starts = {}
        ours = models is None
        with shared_starts(starts):
            kept, partly = self._kept(data, seed)
            if ours:
                models = default_candidates(table, self.n_components, seed)
                models = {
                    k: m
                    for k, m in models.items()
                    if not (partly and type(m) is CappedNMF)
                }
            named = isinstance(models, Mapping)
            self.candidates_ = [
                clone(model) for model in (models.values() if named else models)
            ]
            names = list(models) if named else list(map(repr, self.candidates_))
            self.dropped_ = np.flatnonzero(~kept)
            taken = np.flatnonzero(kept)
            if self.max_samples is not None and self.max_samples < len(taken):
                taken = np.sort(rng.permutation(taken)[: self.max_samples])
            y_kept, y_used = (
                None if y is None else np.asarray(y)[k] for k in (kept, taken)
            )
            some = data[taken]
            repeats = range(self.n_repeats)
            states = [{"random_state": seed + s} if ours else {} for s in repeats]
            copies = [
                (state, *self._changed_copy(some, rng), y_used) for state in states
            ]
            jobs = [
                delayed(_score)(model, *each)
                for model in self.candidates_
                for each in copies
            ]
            runs = Parallel(n_jobs=self.n_jobs, return_as="generator")(jobs)
            runs = list(
                tqdm(runs, "MaskedSearchCV", len(jobs), disable=not self.verbose)
            )
        results, fits = zip(*runs, strict=True)
        self._compare(names, results)
        if self.refit:
            scores = [self.cv_results_[f"split{s}_test_score"] for s in repeats]
            best = int(
                np.argmax(
                    [score[self.best_index_] - np.nanmean(score) for score in scores]
                )
            )
            model = clone(self.candidates_[self.best_index_]).set_params(**states[best])
            given = _named(data[kept], A, kept)
            # the default candidates stop after 100 sweeps on purpose
            ignored = {
                "action": "ignore" if ours else None,
                "category": ConvergenceWarning,
            }
            with (
                warnings.catch_warnings(**ignored),
                shared_starts(starts if ours else None),
            ):
                W = model.fit_transform(given, y_kept)
            self.best_estimator_, ends = (
                model,
                fits[self.best_index_ * self.n_repeats + best],
            )
            if ours and len(taken) == kept.sum():
                # the first has said it
                with warnings.catch_warnings(action="ignore"), shared_starts(starts):
                    V = (other := clone(model).set_params(**ends)).fit_transform(given)
                if _is_better(other, V, model, W, data[kept]):
                    self.best_estimator_ = other.set_params(**model.get_params())
        return self

    # ---------------------------------------------------------------- one step each

    def _checked(self, A, y):
        """Return the data as floats with NaN for what is missing, and remember their features.

        Raise an error for a parameter that is out of range.
        """
        check_scalar(self.n_repeats, "n_repeats", Integral, min_val=1)
        inside = {"min_val": 0, "max_val": 1, "include_boundaries": "neither"}
        check_scalar(self.holdout, "holdout", Real, **inside)
        if self.max_samples is not None:
            check_scalar(self.max_samples, "max_samples", Integral, min_val=2)
        check_scalar(
            self.scale_features, "scale_features", (bool, np.bool_, type(None))
        )
        if not callable(self.plant) and self.plant not in list(planting.PLANTS):
            names = ", ".join(repr(name) for name in planting.PLANTS if name)
            raise ValueError(
                f"plant={self.plant!r} is not known; use {names} or a callable."
            )
        models = self.candidates
        if models is not None and not (
            isinstance(models, (list, tuple, Mapping)) and models
        ):
            raise ValueError(
                f"candidates must be a list or a dict of models, and not empty; it is {models!r}. "
                "For the rank of the default models, use n_components."
            )
        for rank in (ranks := np.atleast_1d(self.n_components).tolist()):
            check_scalar(rank, "n_components", Integral, min_val=1)
        if not ranks:
            raise ValueError("n_components is empty: give a rank, or the ranks to try.")
        self.__dict__.pop("best_estimator_", None)
        data = as_table(A, "MaskedSearchCV.fit")
        check_consistent_length(A, y)
        validate_data(self, A, skip_check_array=True)
        refuse_empty(data, "MaskedSearchCV.fit", frame=A)
        if self.shape is not None:
            planting.checked_shape(self.shape, data.shape[1])
        return data

    def _sizes(self, A, data):
        """Return what to divide the features by: the medians of their positive entries, or ones."""
        medians = np.ma.median(np.ma.masked_where(~(data > 0), data), axis=0)
        sizes = medians.filled(1).astype(data.dtype)
        low = medians.min()
        high = medians.max()
        if self.scale_features:
            return sizes
        alike = not medians.count() or high <= 30 * low or self.shape is not None
        if self.scale_features is not None or alike or are_counts(data):
            return np.ones_like(sizes)
        named = hasattr(A, "columns") and all(
            isinstance(name, str) for name in A.columns
        )
        done = "If they have different units, give scale_features=True; if not, False."
        if named:
            done = "Each is divided by its own for the fits; scale_features=False leaves them."
        about = f"The medians of the features lie between {low:.3g} and {high:.3g}. "
        warnings.warn(about + done, ScaleWarning, stacklevel=3)
        return sizes if named else np.ones_like(sizes)

    def _kept(self, data, seed):
        """Return which samples a CappedNMF keeps; all if candidates, or a function, are given.

        A sample is left out if it is long at every rank and from both starts, and wrong
        as a whole: a low rank makes rare samples long, and a spare part of a high rank
        fits a wrong one. Return also whether a sample was always long, but not wrong as
        a whole.
        """
        kept = np.zeros(len(data), bool)
        long = np.ones(len(data), bool)
        if self.candidates is not None or callable(self.plant):
            return ~kept, False
        ranks = np.atleast_1d(self.n_components).tolist()
        most = min(data.shape)
        for rank, start in product([r for r in ranks if r <= most] or [most], range(2)):
            model = CappedNMF(rank, random_state=seed + start)
            with warnings.catch_warnings(action="ignore"):
                model.fit(data)
            wrong = (model.weights_ == 0) & model.weights_.any()
            long &= wrong
            if wrong.any():
                wrong[wrong] = _wrong_as_a_whole(model, data, wrong)
            kept |= ~wrong
        # all, if a feature would have no entry left
        return kept | np.isnan(data[kept]).all(axis=0).any(), (long & kept).any()

    def _changed_copy(self, data, rng):
        """Return what is fitted, where it is scored, where it is compared in squares, the truth."""
        plant = (
            "blocks" if self.plant is None and self.shape is not None else self.plant
        )
        seen, scored = planting.planted_damage(
            data, plant, self.holdout, self.shape, rng
        )
        refuse_empty(seen, "the candidates by MaskedSearchCV.fit")
        compared = scored
        if (
            plant is not None
        ):  # clean or not, entries without planted errors are compared
            compared = hidden_entries(~np.isnan(seen), self.holdout, rng) & (
                seen == data
            )
            seen = np.where(compared, np.nan, seen)
            scored = scored & ~compared
        if not scored.any():
            raise ValueError(
                "plant leaves no known entry to score: hide or change some of them."
            )
        return seen, scored, compared & ~np.isnan(data), data

    def _compare(self, names, runs):
        """Find the candidate of the first rank from what `_score` returned, and name what failed.

        The runs of one candidate, one for each repeat, follow each other.
        """
        columns = (
            np.reshape(column, (len(names), -1)) for column in zip(*runs, strict=True)
        )
        scores, seconds, errors, squares, sizes = columns
        mean, size = (
            scores.mean(axis=1),
            sizes.mean(axis=1),
        )  # NaN if it failed anywhere
        params = [model.get_params() for model in self.candidates_]
        ranks = [of_model.get("n_components") for of_model in params]
        failed = np.isnan(mean)
        passed_over = np.zeros(len(names), bool)
        for k in np.flatnonzero(~failed):
            others = [j for j in np.flatnonzero(~failed) if ranks[j] == ranks[k]]
            best = min(others, key=lambda j: squares[j].sum())
            # mean |e| is lower by a larger factor than the root mean square is higher
            gains = (
                size[best] ** 2 * squares[best].sum() >= size[k] ** 2 * squares[k].sum()
            )
            passed_over[k] = not gains and clearly_worse(squares[k], squares[best])
        allowed = pd.Series(np.where(passed_over, np.nan, mean))
        order = allowed.rank(ascending=False, method="min", na_option="bottom")
        errors = np.array([next(filter(None, row), "") for row in errors], dtype=object)
        self.cv_results_ = {
            "candidate": np.array(names, dtype=object),
            "params": params,
            **{f"split{s}_test_score": scores[:, s] for s in range(self.n_repeats)},
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=1),
            "rank_test_score": order.to_numpy(dtype=int),
            "mean_fit_time": seconds.mean(axis=1),
            "passed_over": passed_over,
            "error": errors,
        }
        if failed.all():
            raise ValueError(
                f"All candidates failed; the first, {names[0]}, with {errors[0]}"
            )
        for k in np.flatnonzero(failed):
            warnings.warn(
                f"{names[k]} failed and is left out: {errors[k]}", stacklevel=3
            )
        self.best_index_ = int(np.argmin(order))
        self.best_score_ = float(mean[self.best_index_])

    # --------------------------------------------------------- what the best model does

    def transform(self, A):
        """Return the coefficients of samples in the best model.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        best = self._best()
        if (self.feature_scale_ != 1).any():
            validate_data(self, A, reset=False, skip_check_array=True)
            A = _named(as_table(A, "MaskedSearchCV.transform") / self.feature_scale_, A)
        return best.transform(A)

    def inverse_transform(self, Ht):
        """Return the reconstruction of samples from their coefficients in the best model.

        Parameters
        ----------
        Ht : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return self._best().inverse_transform(Ht) * self.feature_scale_

    def score(self, A, y=None):
        r"""Return minus the mean of \|e\| over the entries, of the best model.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
        y : None
            Not used.

        Returns
        -------
        float
            At most 0; larger is better.
        """
        A, H = as_table(A, "MaskedSearchCV.score"), np.asarray(self.transform(A))
        return -float(np.nanmean(np.abs(A - np.asarray(self.inverse_transform(H)))))

    def get_feature_names_out(self, input_features=None):
        """Return the names of the components of the best model.

        Parameters
        ----------
        input_features : None
            Not used.

        Returns
        -------
        ndarray of str
        """
        return self._best().get_feature_names_out(input_features)

    def _best(self):
        check_is_fitted(self, "best_estimator_", msg="Call fit first, with refit=True.")
        return self.best_estimator_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _wrong_as_a_whole(model, data, left_out):
    r"""Return which samples left out have a median \|e\| over three times that of the others.

    A few gross errors make a sample long, too. So it is encoded by Huber's loss, at
    scales that fall to that of the others: the few errors hardly move the fit of the
    other entries.
    """

    def sizes(model, samples):
        fitted = model.inverse_transform(model.transform(samples))
        return np.nanmedian(np.abs(samples - fitted), axis=1)

    usual = max(np.median(sizes(model, data[~left_out])), rounding(model.components_))
    robust = HuberNMF(
        model.n_components, scale=float(1.5 * usual), tol=1e-3, max_iter=100
    )
    robust.components_ = model.components_
    robust._fitted_loss = Loss(Huber(), scale=robust.scale)
    return sizes(robust, data[left_out]) > 3 * usual


def _named(table, A, kept=slice(None)):
    return (
        pd.DataFrame(table, A.index[kept], A.columns)
        if isinstance(A, pd.DataFrame)
        else table
    )


def _is_better(other, V, one, W, A):
    """Return whether `other` lowers the objective of `one` for most samples.

    A component that fits one spoiled sample lowers the sum, and can triple the error of
    the rest.
    """
    A, W, V = (np.asarray(x, one.components_.dtype)[:, :, None] for x in (A, W, V))
    value = one.objective
    B = one.components_.T
    C = other.components_.T
    falls = [value(x, B, w) - value(x, C, v) for x, w, v in zip(A, W, V, strict=True)]
    return np.mean(np.array(falls) > 0) > 0.5


def _score(candidate, state, seen, scored, compared, data, y):
    """Fit a candidate; return score, seconds, failure, squares by sample, `mean_size`; a start."""
    started = time.perf_counter()
    squares = np.full(len(data), np.nan)
    size = np.nan
    model = clone(candidate).set_params(**state)
    fit = {}
    try:
        with warnings.catch_warnings(action="ignore"):
            coefficients = model.fit_transform(seen, y)
            prediction = np.asarray(model.inverse_transform(coefficients))
        if state:
            sizes = {"scale", "theta"} & set(model.get_params())
            fit = {name: getattr(model, name + "_") for name in sizes}
            fit["init"] = model.components_.T, np.asarray(coefficients).T
        E = np.subtract(data, prediction, dtype=float)
        score = -float(np.abs(E[scored]).mean())
        error = ""
        squares = (E**2).sum(axis=1, where=compared)
        size = mean_size(E[scored], data[scored])
        if not np.isfinite(score):
            score, error = np.nan, f"the score {score}"
    except Exception as failure:  # the search goes on, and names it
        score = np.nan
        error = f"{type(failure).__name__}: {failure}"
    return (score, time.perf_counter() - started, error, squares, size), fit


def mean_size(errors, values):
    r"""Return the mean of \|e\|, in which zeros count at most as much as all other values together.

    Parameters
    ----------
    errors, values : ndarray of shape (n,)

    Returns
    -------
    float

    Examples
    --------
    >>> float(mean_size(np.array([1.0, 1, 1, 3, 3]), np.array([0, 0, 0, 5, 5])))
    2.0
    """
    zero = values == 0
    crowd = max(1, zero.sum() / max(1, (~zero).sum()))
    return np.average(np.abs(errors), weights=np.where(zero, 1 / crowd, 1))

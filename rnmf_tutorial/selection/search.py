"""Choose a model by how well it restores entries of the data that its fit does not see."""

import itertools
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length, check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from rnmf_tutorial import NMF, CappedNMF, CauchyNMF, HuberNMF
from rnmf_tutorial.arithmetic import rounding
from rnmf_tutorial.base import BaseNMF
from rnmf_tutorial.far_out import GAP, find_far_out
from rnmf_tutorial.fitting import tqdm
from rnmf_tutorial.frames import is_frame, parts_of, with_names
from rnmf_tutorial.scale_warnings import DataWarning, ScaleWarning
from rnmf_tutorial.selection import planting
from rnmf_tutorial.selection.planting import are_counts, as_table, hidden_entries
from rnmf_tutorial.validation import (
    negative_of,
    refuse_empty,
    refuse_nothing_positive,
    warn_of_negative,
)

__all__ = ["MaskedSearchCV", "default_candidates"]


def default_candidates(
    A: ArrayLike, n_components: int | Sequence[int], random_state: int | None = None
) -> dict[str, BaseNMF]:
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
    options: dict[str, Any] = {
        "max_iter": 100,
        "tol": 1e-4,
        "random_state": random_state,
    }
    # A class, what its name is followed by, and parameters of its own.
    kinds: list[tuple[type[BaseNMF], str, dict]] = [
        (NMF, "", {}),
        (CappedNMF, "", {}),
        (HuberNMF, "", {}),
        (CauchyNMF, "", {}),
    ]
    if relative:
        kinds.append((NMF, " KL", {"loss": "kullback-leibler"}))
        kinds.append((CauchyNMF, " KL", {"divergence": "kullback-leibler"}))
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

    Single entries that are absurdly far out count as missing, in `transform`, too. The
    other entries of their samples are used (`left_out_`).

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
        The share of the entries to hide, and to plant damage in, drawn again in each
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
    left_out_ : ndarray of int of shape (n, 2)
        The sample and the feature of each entry that is absurdly far out, such as a
        fill value: it is more than a thousand times as large as all others
        (:mod:`rnmf_tutorial.far_out`). These count as missing.
    feature_scale_ : ndarray of shape (n_features,)
        What the features were divided by; ones if they were not.
    best_score_ : float
        Its mean score.
    best_estimator_ : estimator
        The best candidate, fitted to all samples kept, if `refit`. Its components times
        `feature_scale_` are in the units of the data. A clone that is fitted again
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

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Score all candidates, and fit the best.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
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
            If X is sparse, or a Dask array; or if a parameter is of another type.
        """
        rng = check_random_state(self.random_state)
        table = self._checked(X, y)
        absurd = np.zeros(table.shape, bool)
        table, self._least_absurd = without_far_out(table, absurd)
        negative = negative_of(table.T)
        if negative.counts.any():
            if not np.nanmax(table) > 0:
                refuse_nothing_positive("MaskedSearchCV.fit")
            warn_of_negative(self, negative, 3)  # once, and not for each fit
        self.feature_scale_ = self._sizes(X, table)
        # An entry can be far out only where all features have the same unit.
        data, self._least_absurd_scaled = without_far_out(
            table / self.feature_scale_, absurd
        )
        self._left_out = np.argwhere(absurd)
        refuse_empty(data, "MaskedSearchCV.fit", frame=X)
        seed = rng.randint(2**31 - 1)
        ours = self.candidates is None

        # 1. Leave out samples that are wrong as a whole.
        starts: dict = {}  # the robust starts of fits to all samples
        kept, partly = self._kept(data, seed, starts)
        self.dropped_ = np.flatnonzero(~kept)
        names = self._name_candidates(table, seed, partly)

        # 2. Fit every candidate to copies of the data in which entries are hidden.
        taken = np.flatnonzero(kept)
        if self.max_samples is not None and self.max_samples < len(taken):
            taken = self._some(rng.permutation(taken), data)
        settings = []  # of each repeat
        copies = []
        for repeat in range(self.n_repeats):
            settings.append({"random_state": seed + repeat} if ours else {})
            copies.append(self._changed_copy(data[taken], rng))
        y_taken = None if y is None else np.asarray(y)[taken]
        results, ends = self._run(settings, copies, y_taken)

        # 3. and 4. Compare them, and fit the best to all samples kept.
        self._compare(names, results)
        if self.refit:
            all_taken = len(taken) == kept.sum()
            starts = starts if kept.all() else {}
            self._refit(X, y, data, kept, settings, starts, ends if all_taken else None)
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
        ranks: Any = self.n_components
        if np.ndim(ranks) == 0:
            ranks = [ranks]
        for rank in ranks:
            if isinstance(rank, str | bool | np.bool_):
                raise TypeError(
                    f"n_components must be an instance of int, not {type(rank).__name__}. "
                    "To try several ranks, give MaskedSearchCV a sequence of them, such as "
                    "n_components=range(1, 9)."
                )
            check_scalar(rank, "n_components", Integral, min_val=1)
        if len(ranks) == 0:
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
        named = is_frame(A) and all(isinstance(name, str) for name in parts_of(A)[0])
        done = "If they have different units, give scale_features=True; if not, False."
        if named:
            done = "Each is divided by its own for the fits; scale_features=False leaves them."
        about = f"The medians of the features lie between {low:.3g} and {high:.3g}. "
        warnings.warn(about + done, ScaleWarning, stacklevel=3)
        return sizes if named else np.ones_like(sizes)

    def _some(self, samples, data):
        """Return `max_samples` of the samples in their order; no feature is left empty.

        They are the first ones, and before them those that a feature cannot do without.
        """
        known = ~np.isnan(data)
        needed: list = []
        while True:
            others = samples[~np.isin(samples, needed)]
            chosen = np.append(needed, others)[: self.max_samples].astype(int)
            empty = np.flatnonzero(~known[chosen].any(axis=0))
            if not len(empty):
                return np.sort(chosen)
            if len(needed) >= self.max_samples:
                raise ValueError(
                    f"MaskedSearchCV.fit: max_samples={self.max_samples} is too small: "
                    "each feature must have an entry in one of them. Take more samples, "
                    f"or leave out features such as feature {empty[0]}."
                )
            needed.append(others[known[others, empty[0]].argmax()])

    def _name_candidates(self, table, seed, partly):
        """Make the unfitted candidates, and return their names.

        If samples are wrong in part, the default candidates do without the model that
        leaves out whole samples.
        """
        models = self.candidates
        if models is None:
            models = default_candidates(table, self.n_components, seed)
            if partly:
                models = {
                    name: model
                    for name, model in models.items()
                    if type(model) is not CappedNMF
                }
        if isinstance(models, Mapping):
            self.candidates_ = [clone(model) for model in models.values()]
            return list(models)
        self.candidates_ = [clone(model) for model in models]
        return [repr(model) for model in self.candidates_]

    def _run(self, settings, copies, y):
        """Fit the candidates to the copies; return the results, and where fits ended.

        Candidates share the robust starts of a copy, which take half of the time.
        """
        parallel = Parallel(n_jobs=self.n_jobs, return_as="generator")
        needed = {}  # (repeat, what a start depends on) -> a candidate that needs it
        for repeat, setting in enumerate(settings):
            for candidate in self.candidates_:
                model = clone(candidate).set_params(**setting)
                if (key := start_key(model)) is not None:
                    needed.setdefault((repeat, key), model)
        jobs = [
            delayed(_robust_start)(model, copies[repeat][0])
            for (repeat, _), model in needed.items()
        ]
        starts = dict(zip(needed, parallel(jobs), strict=True))

        jobs = []
        for candidate in self.candidates_:
            for repeat, setting in enumerate(settings):
                model = clone(candidate).set_params(**setting)
                start = starts.get((repeat, start_key(model)))
                if start is not None:
                    model.set_params(init=start)
                jobs.append(delayed(_score)(model, bool(setting), *copies[repeat], y))
        hidden = not self.verbose
        runs = list(tqdm(parallel(jobs), "MaskedSearchCV", len(jobs), disable=hidden))
        results, ends = zip(*runs, strict=True)
        return results, ends

    def _refit(self, A, y, data, kept, settings, starts, ends):
        """Fit the best candidate to all samples kept.

        A default candidate is also fitted from where its best repeat ended, if this had
        all samples; the fit that is better for most samples is kept.
        """
        ours = self.candidates is None
        scores = [
            self.cv_results_[f"split{repeat}_test_score"]
            for repeat in range(self.n_repeats)
        ]
        leads = [score[self.best_index_] - np.nanmean(score) for score in scores]
        best = int(np.argmax(leads))
        model = clone(self.candidates_[self.best_index_]).set_params(**settings[best])
        given = _named(data[kept], A, kept)
        y_kept = None if y is None else np.asarray(y)[kept]

        # The default candidates stop after 100 sweeps on purpose.
        ignored = {"action": "ignore" if ours else None, "category": ConvergenceWarning}
        with warnings.catch_warnings(**ignored):
            warnings.simplefilter("ignore", DataWarning)  # the search has said it
            fitted = with_shared_start(model, given, starts) if ours else clone(model)
            W = fitted.fit_transform(given, y_kept)
        chosen = fitted
        if ours and ends is not None:
            end = ends[self.best_index_ * self.n_repeats + best]
            other = clone(model).set_params(**end)
            with warnings.catch_warnings(action="ignore"):  # the first fit has said it
                other = with_shared_start(other, given, starts)
                V = other.fit_transform(given)
            if _is_better(other, V, fitted, W, data[kept]):
                chosen = other
        self.best_estimator_ = chosen.set_params(**model.get_params())

    def _kept(self, data, seed, starts):
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
        most = min(data.shape)
        ranks = np.atleast_1d(self.n_components).tolist()
        ranks = [rank for rank in ranks if rank <= most] or [most]
        for rank, start in itertools.product(ranks, range(2)):
            model = CappedNMF(rank, random_state=seed + start)
            with warnings.catch_warnings(action="ignore"):
                model = with_shared_start(model, data, starts).fit(data)
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
        mean = scores.mean(axis=1)  # NaN if it failed anywhere
        size = sizes.mean(axis=1)
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
        last = passed_over | failed
        order = rankdata(np.where(last, np.inf, -mean), method="min")
        errors = np.array([next(filter(None, row), "") for row in errors], dtype=object)
        self.cv_results_ = {
            "candidate": np.array(names, dtype=object),
            "params": params,
            **{f"split{s}_test_score": scores[:, s] for s in range(self.n_repeats)},
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=1),
            "rank_test_score": order.astype(int),
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

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Return the coefficients of samples in the best model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        best = self._best()
        scaled = (self.feature_scale_ != 1).any()
        if (issparse(X) or hasattr(X, "__dask_graph__")) and not scaled:
            return best.transform(X)
        table = as_table(X, "MaskedSearchCV.transform")
        validate_data(self, X, reset=False, skip_check_array=True)
        data = table / self.feature_scale_
        absurd = self._absurd(table, data)
        if scaled or absurd.any():
            X = _named(np.where(absurd, np.nan, data), X)
        return best.transform(X)

    def _absurd(self, table, data):
        """Return which entries of samples are absurdly far out, next to the data of the fit.

        `data` is the table divided by the sizes of the features. Of a sample in which
        most entries are that large, none is: then the sample is large.
        """
        absurd = np.abs(table) >= np.float64(self._least_absurd)
        absurd |= np.abs(data) >= np.float64(self._least_absurd_scaled)
        number = absurd.sum(axis=1)
        nonzero = (np.abs(table) > 0).sum(axis=1)
        known = (~np.isnan(table)).sum(axis=1)
        absurd[(number > 1) & (2 * number > nonzero)] = False
        absurd[number == known] = False  # nothing would be left
        return absurd

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """Return the reconstruction of samples from their coefficients in the best model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        best = self._best()
        given = best.inverse_transform(X)
        if not is_frame(X):
            return given * self.feature_scale_
        return with_names(given, np.asarray(given) * self.feature_scale_)

    def score(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        r"""Return minus the mean of \|e\| over the entries, of the best model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None
            Not used.

        Returns
        -------
        float
            At most 0; larger is better.
        """
        table = as_table(X, "MaskedSearchCV.score")
        H = np.asarray(self.transform(X))
        errors = np.abs(table - np.asarray(self.inverse_transform(H)))
        absurd = self._absurd(table, table / self.feature_scale_)
        return -float(np.nanmean(np.where(absurd, np.nan, errors)))

    def get_feature_names_out(self, input_features: None = None) -> np.ndarray:
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

    @property
    def left_out_(self) -> np.ndarray:
        """The sample and the feature of each entry that is absurdly far out, by position."""
        check_is_fitted(self, "feature_scale_")
        return self._left_out

    def _best(self):
        check_is_fitted(self, "best_estimator_", msg="Call fit first, with refit=True.")
        return self.best_estimator_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def without_far_out(table, absurd):
    """Return a table with NaN for entries that are absurdly far out, and the least size of one.

    The places of these entries become True in `absurd`. The least size is a thousand
    times that of the largest other entry.

    Examples
    --------
    >>> table = np.ones((5, 4))
    >>> table[1, 2] = 1e9
    >>> absurd = np.zeros(table.shape, bool)
    >>> table, least = without_far_out(table, absurd)
    >>> float(np.nanmax(table)), least, np.argwhere(absurd).tolist()
    (1.0, 1000.0, [[1, 2]])
    """
    far = find_far_out(table)
    if far is None:
        largest = float(np.nanmax(np.abs(table)))
    else:
        largest = far.others
        absurd[far.samples, far.features] = True
        table = np.where(absurd, np.nan, table)
    # From zeros nothing is far, and the product must not overflow.
    return table, largest * GAP if 0 < largest < np.inf else np.inf


def _wrong_as_a_whole(model, data, left_out):
    r"""Return which samples left out have a median \|e\| over three times that of the others.

    A few gross errors make a sample long, too. So it is encoded by Huber's loss, at
    scales that fall to that of the others: the few errors hardly move the fit of the
    other entries.
    """

    def sizes(model, samples):
        fitted = model.inverse_transform(model.transform(samples))
        return np.nanmedian(np.abs(samples - fitted), axis=1)

    usual = np.median(sizes(model, data[~left_out]))
    usual = max(usual, rounding(model.components_))
    robust = HuberNMF(scale=float(1.5 * usual), tol=1e-3, max_iter=100)
    robust = robust.with_components(model.components_)
    return sizes(robust, data[left_out]) > 3 * usual


def _named(table, A, kept=slice(None)):
    """Return a table with the names of the frame A, if A is one."""
    if not is_frame(A):
        return table
    from pandas import DataFrame  # only a frame needs it

    if hasattr(A, "iloc"):
        return DataFrame(table, A.index[kept], A.columns)
    names, _ = parts_of(A)
    return DataFrame(table, columns=names)


def _is_better(other, V, one, W, A):
    """Return whether `other` lowers the objective of `one` for most samples.

    A component that fits one corrupted sample lowers the sum, and can triple the error of
    the rest.
    """
    dtype = one.components_.dtype
    A, W, V = (np.asarray(rows, dtype)[:, :, None] for rows in (A, W, V))
    falls = [
        one.objective(x, one.components_.T, w)
        - one.objective(x, other.components_.T, v)
        for x, w, v in zip(A, W, V, strict=True)
    ]
    return np.mean(np.array(falls) > 0) > 0.5


def start_key(model):
    """Return what a robust start of a model depends on, besides the data.

    None if the model needs none, or one that depends on more than numbers and names.
    """
    given = model.get_params()
    simple = isinstance(given.get("init"), str)
    simple = simple and isinstance(given.get("random_state"), Integral)
    if not (simple and getattr(model, "needs_robust_start", False)):
        return None
    names = ("n_components", "init", "random_state", "divergence")
    return tuple(given.get(name, "frobenius") for name in names)


def with_shared_start(model, data, starts):
    """Return a clone of a model that begins at a robust start from `starts`.

    A start that is not there yet is computed, and added.
    """
    key = start_key(model)
    if key is None:
        return clone(model)
    if key not in starts:
        starts[key] = model.robust_start(data)
    return clone(model).set_params(init=starts[key])


def _robust_start(model, data):
    """Return the robust start of a model, or None if it fails: then its fit says why."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return model.robust_start(data)
    except Exception:
        return None


def _score(model, keep_end, seen, scored, compared, data, y):
    """Fit a candidate; return its results, and where its fit ended.

    The results are the score, the seconds, the failure, the squares by sample, and the
    mean size of the errors. Where the fit ended is kept on request, as parameters.
    """
    started = time.perf_counter()
    squares = np.full(len(data), np.nan)
    size = np.nan
    end = {}
    try:
        with warnings.catch_warnings(action="ignore"):
            coefficients = model.fit_transform(seen, y)
            prediction = np.asarray(model.inverse_transform(coefficients))
        if keep_end:
            sizes = {"scale", "theta"} & set(model.get_params())
            end = {name: getattr(model, name + "_") for name in sizes}
            end["init"] = (model.components_.T, np.asarray(coefficients).T)
        E = np.subtract(data, prediction, dtype=float)
        score = -float(np.abs(E[scored]).mean())
        error = ""
        squares = (E**2).sum(axis=1, where=compared)
        size = mean_size(E[scored], data[scored])
        if not np.isfinite(score):
            error = f"the score {score}"
            score = np.nan
    except Exception as failure:  # the search goes on, and names it
        score = np.nan
        error = f"{type(failure).__name__}: {failure}"
    seconds = time.perf_counter() - started
    return (score, seconds, error, squares, size), end


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

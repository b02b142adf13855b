"""Model selection on entries that the fit does not see."""

import time
import warnings
from functools import partial
from numbers import Real

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data
from tqdm.auto import tqdm

from rnmf_tutorial.inputs import as_floats, refuse_empty
from rnmf_tutorial.selection.best import BestEstimatorMixin
from rnmf_tutorial.selection.candidates import default_candidates
from rnmf_tutorial.selection.clusters import about_clusters
from rnmf_tutorial.selection.hiding import hidden_region
from rnmf_tutorial.selection.noise import noise_scale
from rnmf_tutorial.selection.refusals import check_search
from rnmf_tutorial.selection.scoring import absolute_score, capped_score, compared, scored
from rnmf_tutorial.selection.splits import split

__all__ = ["MaskedSearchCV"]

#: Of hidden regions: how many noise scales an entry counts at most, and the part of its score by
#: which plain NMF comes before the others, and windows by half; measured.
CAP, LEAD = 2, 0.14


class MaskedSearchCV(BestEstimatorMixin, BaseEstimator):
    r"""Choose a model by how well it restores entries of the data that its fit does not see.

    A random part of the entries is hidden, the same for all candidates; each is fitted to the
    others, and scored on the hidden ones. The best is fitted again, to all entries. No clean data
    are needed. The hidden entries are as wrong as all others, so that the score must not
    listen to gross errors: to the mean of \|e\| one that is far from all predictions adds nearly
    the same for every candidate, while a mean of squares would follow it. Powers below one hardly
    see the gross errors either, but prefer a model that fits most entries exactly and gives up
    the others. The score ranks the candidates alike in any unit of the data.

    An error that the other entries tell, such as a white block on every image, is restored as well
    as the signal: no score on scattered hidden entries sees it. Then give the `shape` of a sample:
    whole regions are hidden, in which nobody can tell an error that lies over a part of them, and
    a model of windows is tried. Or mark what you suspect as missing (NaN;
    :func:`~rnmf_tutorial.selection.mark` finds some of it), or `plant` damage of the kind that you
    fear in new places, where it is known what stood there. Without `shape`, the search looks where
    the large residuals of its choice are: if many lie in some samples, in some features or in runs
    of neighboring features, one warning says so, and what to try.

    Parameters
    ----------
    candidates : list or dict of estimators, default=None
        The models to try, or names and models; they may differ in anything. None takes
        :func:`~rnmf_tutorial.selection.default_candidates`.
    n_components : int or sequence of int, default=2
        The rank of the default candidates, or the ranks to try.
    holdout : float, or array-like of bool of shape (n_samples, n_features), default=0.1
        The share of the entries to hide, or to plant damage in, drawn anew in each repeat; or the
        entries to hide themselves, True or 1 where one is hidden.
    n_repeats : int, default=2
        How often to hide and fit; the mean of the scores decides.
    plant : {"entries", "blocks", "bands", "bursts", "rows"} or callable, default=None
        Hide nothing, write damage into a copy of the data in new places, and score there, against
        what stood there. In every sample, `holdout` is the share of it that is written over: by
        "entries" here and there, which get values of other entries and the smallest and the largest
        of the data; by one solid box ("blocks"), one band across the sample ("bands") or runs of
        neighbors, as many as each is long ("bursts"), each of the smallest or the largest value.
        "rows" overwrites this share of the samples whole, as "entries" does, and scores hidden
        entries of the others, as nothing tells what a lost sample was. A callable takes the data
        and a RandomState, and returns damaged data and an array that is True where a model is
        scored; there the data must have changed, or be NaN. Planting asks who undoes such damage:
        where there is none, it favors robust models too, and costs what they cost.
    shape : tuple of int, default=None
        The shape of a sample, of one, two or three dimensions, such as (32, 32) for pictures. If
        `holdout` is a share, the search hides regions instead of entries, boxes of a quarter of
        each side; the default candidates get a :class:`~rnmf_tutorial.WindowNMF`; and `plant`
        takes it. None takes neighboring features for neighbors: a planted block or band is one run
        of them.
    max_samples : int, default=None
        Search on so many samples at most, drawn at random; the best candidate is fitted to all.
    scoring : "absolute" or callable, default="absolute"
        "absolute" is minus the mean of \|e\| on the scored entries. Of hidden regions, an entry
        counts at most as two noise scales (:func:`~rnmf_tutorial.selection.noise_scale` of the
        largest rank), so that damage which none can tell does not decide. Then plain NMF is chosen
        unless another score is better by 14 %, as smoother models guess a whole region better
        though they fit the rest worse; a model of windows, which takes itself for plain NMF where
        nothing seems damaged, needs half of that. It is not chosen if it is more than 12 % worse
        than plain NMF by the mean without that limit: where samples show many different things,
        what windows leave out is no damage. A callable takes the scored entries and their
        prediction and returns a number, larger for better.
    refit : bool, default=True
        Fit the best candidate to all entries.
    n_jobs : int or None, default=None
        Processes, as joblib counts them.
    random_state : int, RandomState or None, default=None
        The seed of what is hidden, and of the default candidates.
    verbose : int, default=0
        If not 0, show a progress bar that names the candidate being fitted.

    Attributes
    ----------
    candidates_ : list of estimator
        The unfitted candidates, in the order of the results.
    cv_results_ : dict of arrays
        "candidate" (its name), "params", "split0_test_score" and so on, "mean_test_score",
        "std_test_score", "rank_test_score", "mean_fit_time" and "error": what a candidate failed
        with, or "". A candidate that failed has the score NaN and the last rank.
    best_index_ : int
        The place of the best candidate.
    best_score_ : float
        Its mean score.
    best_estimator_ : estimator
        The best candidate, fitted to all entries, if `refit`.
    refit_time_ : float
        The seconds of that fit.
    n_features_in_ : int

    References
    ----------
    Owen and Perry, *Bi-cross-validation of the SVD and the nonnegative matrix factorization*,
    Annals of Applied Statistics 2009, for hiding parts of a matrix.

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

    def __init__(
        self,
        candidates=None,
        *,
        n_components=2,
        holdout=0.1,
        n_repeats=2,
        plant=None,
        shape=None,
        max_samples=None,
        scoring="absolute",
        refit=True,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.candidates = candidates
        self.n_components = n_components
        self.holdout = holdout
        self.n_repeats = n_repeats
        self.plant = plant
        self.shape = shape
        self.max_samples = max_samples
        self.scoring = scoring
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, A, y=None):
        """Score all candidates, and fit the best.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
            Non-negative; NaN, or what a masked array hides, is missing.
        y : array-like of shape (n_samples,), default=None
            Labels, for candidates that take them.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the data cannot be factorized, no entry can be hidden, a parameter is out of range,
            or all candidates fail.
        """
        check_search(self)
        for old in ("best_estimator_", "refit_time_"):
            self.__dict__.pop(old, None)
        rng = check_random_state(self.random_state)
        data = self._validated(A)
        taken = self._samples(len(data), rng)
        part = (
            self.holdout
            if isinstance(self.holdout, Real)
            else hidden_region(self.holdout, data.shape)[taken]
        )
        how = {"plant": self.plant, "shape": self.shape}
        how["of"] = "" if self.max_samples is None else " of max_samples"
        splits = [split(data[taken], part, rng, **how) for _ in range(self.n_repeats)]
        names, self.candidates_ = self._candidates(splits[0].seen, rng)
        labels = None if y is None else np.asarray(y)[taken]
        jobs = [(k, s) for k in range(len(self.candidates_)) for s in range(len(splits))]
        score, lead = self._score(splits[0].seen)
        runs = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(scored)(self.candidates_[k], *splits[s], score, labels) for k, s in jobs
        )
        told = self._told(runs, [names[k] for k, _ in jobs])
        self.cv_results_ = compared(names, self.candidates_, told, self.n_repeats, lead)
        self._take_the_best()
        if self.refit:
            self._refit(A, y, data)
        return self

    # ---------------------------------------------------------------- one step each

    def _validated(self, A):
        """Return the data as floats with NaN for what is missing, and remember their features."""
        data = as_floats(A, "MaskedSearchCV.fit")
        validate_data(self, A, skip_check_array=True)
        refuse_empty(data, "MaskedSearchCV.fit")
        if np.nanmin(data) == np.nanmax(data):
            raise ValueError(
                f"All known entries of the data are {np.nanmax(data):g}: any model restores them, "
                "so that there is nothing to choose."
            )
        if self.shape is not None and np.prod(self.shape) != data.shape[1]:
            raise ValueError(
                f"shape={self.shape!r} must be that of a sample, whose features are "
                f"{data.shape[1]}; its product is {np.prod(self.shape)}."
            )
        return data

    def _samples(self, n_samples, rng):
        """Return the places of the samples of the search."""
        if self.max_samples is None or self.max_samples >= n_samples:
            return slice(None)
        return np.sort(rng.permutation(n_samples)[: self.max_samples])

    def _told(self, runs, names):
        """Return the list of the runs; the progress bar names the candidate that it waits for."""
        told = []
        with tqdm(total=len(names), disable=not self.verbose, desc="MaskedSearchCV") as bar:
            for name in names:
                bar.set_postfix_str(name)
                told.append(next(runs))
                bar.update()
        return told

    def _candidates(self, seen, rng):
        """Return the names of the candidates, and clones of them."""
        candidates = self.candidates
        if candidates is None:
            candidates = default_candidates(
                seen, self.n_components, rng.randint(2**31 - 1), self.shape
            )
        if hasattr(candidates, "items"):
            return list(candidates), [clone(model) for model in candidates.values()]
        models = [clone(model) for model in candidates]
        return [repr(model) for model in models], models

    def _score(self, seen):
        """Return the score, and the lead of plain NMF."""
        if callable(self.scoring):
            return self.scoring, 0.0
        if self.shape is None or self.plant is not None or not isinstance(self.holdout, Real):
            return absolute_score, 0.0
        ranks = [getattr(model, "n_components", 1) for model in self.candidates_]
        return partial(capped_score, cap=CAP * noise_scale(seen, max(ranks), 0)), LEAD

    def _refit(self, A, y, data):
        """Fit the best to all entries; without a shape, look whether its errors lie together."""
        started = time.perf_counter()
        self.best_estimator_ = clone(self.candidates_[self.best_index_])
        with warnings.catch_warnings():
            if self.candidates is None:  # ours stop after so many sweeps on purpose
                warnings.simplefilter("ignore", ConvergenceWarning)
            codes = self.best_estimator_.fit_transform(A, y)
        self.refit_time_ = time.perf_counter() - started
        if self.shape is None:
            advice = about_clusters(
                data, self.best_estimator_.inverse_transform(codes), self.best_estimator_
            )
            if advice:
                warnings.warn(advice, UserWarning, stacklevel=3)

    def _take_the_best(self):
        """Find the candidate of the largest mean score, and name those that failed."""
        names, mean = self.cv_results_["candidate"], self.cv_results_["mean_test_score"]
        errors = self.cv_results_["error"]
        failed = np.flatnonzero(np.isnan(mean))
        if len(failed) == len(names):
            raise ValueError(
                f"All {len(names)} candidates failed; the first, {names[0]}, with {errors[0]}"
            )
        for k in failed:
            warnings.warn(
                f"{names[k]} failed and is left out: {errors[k]}", UserWarning, stacklevel=3
            )
        self.best_index_ = int(np.argmin(self.cv_results_["rank_test_score"]))
        self.best_score_ = float(mean[self.best_index_])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

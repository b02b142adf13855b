"""Model selection on entries that the fit does not see."""

import time
import warnings
from numbers import Integral, Real

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted
from tqdm.auto import tqdm

from rnmf_tutorial.models import HuberNMF
from rnmf_tutorial.selection.candidates import default_candidates
from rnmf_tutorial.selection.hiding import hidden_entries, planted_values

__all__ = ["MaskedSearchCV", "absolute_score"]


def absolute_score(truth, prediction):
    r"""Return minus the mean of \|e\|.

    A gross error far from all predictions adds nearly the same to each of them.

    Parameters
    ----------
    truth, prediction : ndarray of one shape
        The hidden entries, and what a model says of them.

    Returns
    -------
    float
        At most 0.

    Examples
    --------
    >>> absolute_score(np.array([1.0, 5.0]), np.array([1.0, 1.0]))
    -2.0
    """
    return -float(np.abs(truth - prediction).mean())


class MaskedSearchCV(TransformerMixin, BaseEstimator):
    r"""Choose a model by how well it restores entries of the data that its fit does not see.

    A random part of the entries is hidden, the same for all candidates; each is fitted to the
    others, and scored on the hidden ones. The best is fitted again, to all entries. No clean data
    are needed. The hidden entries are as wrong as all others, so that the score must not
    listen to gross errors: to the mean of \|e\| one that is far from all predictions adds nearly
    the same for every candidate, while a mean of squares would follow it. Powers below one hardly
    see the gross errors either, but prefer a model that fits most entries exactly and gives up
    the others. The score ranks the candidates alike in any unit of the data.

    An error that the other entries tell, such as the same white block on every image, is restored
    as well as the signal: no score on held-out entries sees it. Then mark what you suspect as
    missing (NaN), hide whole regions by a `holdout` of your own, or plant errors.

    Parameters
    ----------
    candidates : list or dict of estimators, default=None
        The models to try, or names and models; they may differ in anything. None takes
        :func:`~rnmf_tutorial.selection.default_candidates`.
    n_components : int or sequence of int, default=2
        The rank of the default candidates, or the ranks to try.
    holdout : float, or ndarray of bool of shape (n_samples, n_features), default=0.1
        The share of the entries to hide, drawn anew in each repeat; or the entries themselves.
    n_repeats : int, default=2
        How often to hide and fit; the mean of the scores decides.
    scoring : {"absolute", "planted"} or callable, default="absolute"
        "absolute" is minus the mean of \|e\| on the hidden entries. "planted" hides
        nothing: it writes errors into these entries, takes the same mean against what was there,
        and so finds the model that restores them. A callable takes the hidden entries and their
        prediction and returns a number, larger for better.
    refit : bool, default=True
        Fit the best candidate to all entries.
    n_jobs : int or None, default=None
        Processes, as joblib counts them.
    random_state : int, RandomState or None, default=None
        The seed of what is hidden, and of the default candidates.
    verbose : int, default=0
        Show a progress bar if not 0.

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
        self._check_parameters()
        rng = check_random_state(self.random_state)
        data = self._validated(A)
        splits = [self._split(data, rng) for _ in range(self.n_repeats)]
        names, self.candidates_ = self._candidates(splits[0][0], rng)
        jobs = [(k, s) for k in range(len(self.candidates_)) for s in range(len(splits))]
        runs = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(_scored)(self.candidates_[k], *splits[s], self._score, y) for k, s in jobs
        )
        bar = tqdm(runs, total=len(jobs), disable=not self.verbose, desc="MaskedSearchCV")
        self._collect(names, list(bar))
        if self.refit:
            started = time.perf_counter()
            with warnings.catch_warnings():
                if self.candidates is None:  # ours stop after so many sweeps on purpose
                    warnings.simplefilter("ignore", ConvergenceWarning)
                self.best_estimator_ = clone(self.candidates_[self.best_index_]).fit(A, y)
            self.refit_time_ = time.perf_counter() - started
        return self

    def transform(self, A):
        """Return the coefficients of samples in the best model.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._best().transform(A)

    def fit_transform(self, A, y=None):
        """Fit, and return the coefficients of the samples in the best model.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.fit(A, y).transform(A)

    def inverse_transform(self, Ht):
        """Return the reconstruction of samples from their coefficients in the best model.

        Parameters
        ----------
        Ht : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return self._best().inverse_transform(Ht)

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

    # ---------------------------------------------------------------- one step each

    def _validated(self, A):
        """Return the data as an array with NaN for what is missing, by the door of the models."""
        door = HuberNMF(1)
        X, missing = door.validated(A, reset=True)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(door, name):
                setattr(self, name, getattr(door, name))
        data = np.array(X.T)
        if missing is not None:
            data[missing.T] = np.nan
        if np.nanmin(data) == np.nanmax(data):
            raise ValueError(
                f"All known entries of the data are {np.nanmax(data):g}: any model restores them, "
                "so that there is nothing to choose."
            )
        return data

    def _split(self, data, rng):
        """Return what a fit sees, the entries that are scored, and what they are in truth."""
        known = ~np.isnan(data)
        if isinstance(self.holdout, Real):
            hidden = hidden_entries(known, self.holdout, rng)
        else:
            hidden = np.asarray(self.holdout) & known
        seen = np.where(hidden, np.nan, data)
        if self._planted():
            seen = planted_values(data, hidden, rng)
        return seen, hidden, data[hidden]

    def _planted(self):
        return isinstance(self.scoring, str) and self.scoring == "planted"

    @property
    def _score(self):
        return self.scoring if callable(self.scoring) else absolute_score

    def _candidates(self, seen, rng):
        """Return the names of the candidates, and clones of them."""
        candidates = self.candidates
        if candidates is None:
            candidates = default_candidates(seen, self.n_components, rng.randint(2**31 - 1))
        if hasattr(candidates, "items"):
            return list(candidates), [clone(model) for model in candidates.values()]
        models = [clone(model) for model in candidates]
        return [repr(model) for model in models], models

    def _collect(self, names, runs):
        """Fill `cv_results_` and find the best."""
        scores, seconds, errors = (
            np.array(column).reshape(len(names), self.n_repeats)
            for column in zip(*runs, strict=True)
        )
        mean = scores.mean(axis=1)  # NaN if it failed anywhere
        order = pd.Series(mean).rank(ascending=False, method="min", na_option="bottom")
        self.cv_results_ = {
            "candidate": np.array(names, dtype=object),
            "params": [model.get_params() for model in self.candidates_],
            **{f"split{s}_test_score": scores[:, s] for s in range(self.n_repeats)},
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=1),
            "rank_test_score": order.to_numpy(dtype=int),
            "mean_fit_time": seconds.mean(axis=1),
            "error": np.array([next(filter(None, row), "") for row in errors], dtype=object),
        }
        failed = np.flatnonzero(np.isnan(mean))
        if len(failed) == len(names):
            raise ValueError(
                f"All {len(names)} candidates failed; the first, {names[0]}, with "
                f"{self.cv_results_['error'][0]}"
            )
        for k in failed:
            warnings.warn(
                f"{names[k]} failed and is left out: {self.cv_results_['error'][k]}",
                UserWarning,
                stacklevel=3,
            )
        self.best_index_ = int(np.nanargmax(mean))
        self.best_score_ = float(mean[self.best_index_])

    def _best(self):
        check_is_fitted(self, "best_index_")
        if not self.refit:
            raise AttributeError("refit=False: there is no fitted best model.")
        return self.best_estimator_

    def _check_parameters(self):
        check_scalar(self.n_repeats, "n_repeats", Integral, min_val=1)
        if isinstance(self.holdout, Real):
            check_scalar(
                self.holdout, "holdout", Real, min_val=0, max_val=1, include_boundaries="neither"
            )
        if not (callable(self.scoring) or self.scoring in ("absolute", "planted")):
            raise ValueError(
                f"scoring={self.scoring!r} is not known; use 'absolute', 'planted' or a callable."
            )
        if self.candidates is not None and not len(self.candidates):
            raise ValueError("candidates is empty; give at least one model, or None.")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _scored(candidate, seen, hidden, truth, score, y):
    """Fit one candidate; return its score, the seconds, and what it failed with."""
    started = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = clone(candidate)
            prediction = model.inverse_transform(model.fit_transform(seen, y))
        value, error = float(score(truth, prediction[hidden])), ""
        if not np.isfinite(value):
            value, error = np.nan, f"the score {value}"
    except Exception as failure:  # the search goes on, and names it
        value, error = np.nan, f"{type(failure).__name__}: {failure}"
    return value, time.perf_counter() - started, error

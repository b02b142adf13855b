"""Choose a model by how well it restores entries of the data that its fit does not see."""

import time
import warnings
from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data
from tqdm.auto import tqdm

from rnmf_tutorial import NMF, CappedNMF, CauchyNMF, HuberNMF, WindowNMF
from rnmf_tutorial.inputs import as_floats, refuse_empty
from rnmf_tutorial.selection.diagnostics import noise_scale
from rnmf_tutorial.selection.planting import PLANTS, planted_damage

__all__ = ["MaskedSearchCV", "default_candidates"]

#: Loss -> the multiples of the noise scale that are tried. They were set on four matrices; on five
#: others the choice has 1.05 times the error of the best of them (book/your_data_cases.ipynb).
MULTIPLES = {HuberNMF: (0.25, 1), CauchyNMF: (0.5, 1, 2)}


def default_candidates(A, n_components, random_state=None, shape=None):
    """Return the models that a search tries if it is given none.

    They are plain NMF, the capped model for whole samples, and Huber's and Cauchy's losses at
    multiples of :func:`~rnmf_tutorial.selection.noise_scale`; with the shape of a sample, a model
    of windows, too. All start at the same random factors.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_features)
        NaN, or what a masked array hides, is missing.
    n_components : int or sequence of int
        The rank, or the ranks to try.
    random_state : int or None
        The seed of every candidate.
    shape : tuple of int or None, default=None
        Of a sample, for a model whose neighboring entries share their weights.

    Returns
    -------
    dict
        Name -> unfitted estimator. A name has the rank, the class, and the multiple of the scale.

    Examples
    --------
    >>> A = np.random.default_rng(0).uniform(1, 2, (20, 30))
    >>> list(default_candidates(A, 3, random_state=0))[:3]
    ['NMF, r = 3', 'CappedNMF, r = 3', 'HuberNMF, r = 3, 0.25 σ']
    """
    candidates = {}
    for r in np.atleast_1d(n_components).tolist():
        options = {"max_iter": 100, "tol": 1e-4, "random_state": random_state}
        for model in (NMF, CappedNMF):
            candidates[f"{model.__name__}, r = {r}"] = model(r, solver="cd", **options)
        sigma = noise_scale(A, r, random_state)
        for model, multiples in MULTIPLES.items():
            for k in multiples:
                name = f"{model.__name__}, r = {r}, {k:g} σ"
                candidates[name] = model(r, scale=k * sigma, solver="cd", **options)
        if shape is not None:
            candidates[f"WindowNMF, r = {r}"] = WindowNMF(r, shape=tuple(shape), **options)
    return candidates


class MaskedSearchCV(TransformerMixin, BaseEstimator):
    r"""Choose a model by how well it restores entries of the data that its fit does not see.

    A random part of the entries is hidden, the same for all candidates; each is fitted to the
    others, and scored on the hidden ones by minus the mean of \|e\|. The best is fitted again, to
    all entries. No clean data are needed. The hidden entries are as wrong as all others, but a
    gross error that is far from all predictions adds nearly the same to each mean of \|e\|, while
    it would decide a mean of squares. The choice is the same in any unit of the data.

    An error that the other entries predict, such as a white block on every image, is restored as
    well as the signal: no score on hidden entries notices it. Mark such entries as missing (NaN;
    :func:`~rnmf_tutorial.selection.mark` finds some of them), or let the search `plant` damage of
    the kind that you fear in a copy of the data, where it is known what stood there. Planting asks
    which model undoes such damage. It costs where there is none: give `plant` or `shape` only if
    you have a reason to fear such damage.

    Parameters
    ----------
    candidates : list or dict of estimators, default=None
        The models to try, or names and models; they may differ in anything. None takes
        :func:`~rnmf_tutorial.selection.default_candidates`.
    n_components : int or sequence of int, default=2
        The rank of the default candidates, or the ranks to try.
    holdout : float, default=0.1
        The share of the entries to hide, or to plant damage in, drawn anew in each repeat.
    n_repeats : int, default=2
        How often to hide and fit; the mean of the scores decides.
    plant : {"entries", "blocks", "rows"} or callable, default=None
        Write damage over this share, and score against what stood there. "entries" writes values of
        other entries and the smallest and the largest of the data here and there. "blocks" writes
        into each sample one box of the smallest or the largest value. "rows" writes over this share
        of the samples as "entries" does, and scores hidden entries of the others, as nothing shows
        what a lost sample was. A callable takes the data and a RandomState, and returns damaged
        data and an array that is True where a model is scored; a NaN hides an entry. None hides
        entries, or plants blocks if a `shape` is given.
    shape : tuple of int, default=None
        The shape of a sample, of one, two or three dimensions, such as (32, 32) for pictures:
        planted blocks have it, and the default candidates get a :class:`~rnmf_tutorial.WindowNMF`.
        None takes neighboring features for neighbors: a planted block is a run of them.
    max_samples : int, default=None
        Search on so many samples at most, drawn at random; the best candidate is fitted to all.
    refit : bool, default=True
        Fit the best candidate to all entries.
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
        "candidate" (its name), "params", "split0_test_score" and so on, "mean_test_score",
        "std_test_score", "rank_test_score", "mean_fit_time" and "error": what a candidate failed
        with, or "". A candidate that failed has the score NaN and the last rank.
    best_index_ : int
        The place of the best candidate.
    best_score_ : float
        Its mean score.
    best_estimator_ : estimator
        The best candidate, fitted to all entries, if `refit`.
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
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, A, y=None):
        """Score all candidates, and fit the best.

        Parameters
        ----------
        A : array-like of shape (n_samples, n_features)
            NaN, or what a masked array hides, is missing.
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
        self.__dict__.pop("best_estimator_", None)
        rng = check_random_state(self.random_state)
        data = self._validated(A)
        taken = slice(None)
        if self.max_samples is not None and self.max_samples < len(data):
            taken = np.sort(rng.permutation(len(data))[: self.max_samples])
        labels = None if y is None else np.asarray(y)[taken]
        copies = [self._changed_copy(data[taken], rng) for _ in range(self.n_repeats)]
        names, self.candidates_ = self._named_candidates(copies[0][0], rng)
        jobs = (
            delayed(_score)(model, *copy, labels) for model in self.candidates_ for copy in copies
        )
        runs = Parallel(n_jobs=self.n_jobs, return_as="generator")(jobs)
        number = len(names) * self.n_repeats
        bar = tqdm(runs, "MaskedSearchCV", number, disable=not self.verbose)
        self.cv_results_ = self._results(names, list(bar))
        self._take_the_best()
        if self.refit:
            self.best_estimator_ = clone(self.candidates_[self.best_index_])
            with warnings.catch_warnings():
                if self.candidates is None:  # ours stop after 100 sweeps on purpose
                    warnings.simplefilter("ignore", ConvergenceWarning)
                self.best_estimator_.fit(A, y)
        return self

    # ---------------------------------------------------------------- one step each

    def _check_parameters(self):
        """Raise an error for a parameter that is out of range."""
        check_scalar(self.n_repeats, "n_repeats", Integral, min_val=1)
        check_scalar(
            self.holdout, "holdout", Real, min_val=0, max_val=1, include_boundaries="neither"
        )
        if self.max_samples is not None:
            check_scalar(self.max_samples, "max_samples", Integral, min_val=2)
        if not callable(self.plant) and self.plant not in PLANTS:
            names = ", ".join(repr(name) for name in PLANTS if name)
            raise ValueError(f"plant={self.plant!r} is not known; use {names} or a callable.")
        models = self.candidates
        if models is not None and not (isinstance(models, (list, tuple, Mapping)) and models):
            raise ValueError(
                "candidates must be a list of models, or a dict of names and models, and have one "
                f"at least; it is {models!r}. For the rank of the default models, use n_components."
            )

    def _validated(self, A):
        """Return the data as floats with NaN for what is missing, and remember their features."""
        data = as_floats(A, "MaskedSearchCV.fit", negative=True)
        validate_data(self, A, skip_check_array=True)
        refuse_empty(data, "MaskedSearchCV.fit")
        if self.shape is not None and np.prod(self.shape) != data.shape[1]:
            raise ValueError(
                f"shape={self.shape!r} must be that of a sample, whose features are "
                f"{data.shape[1]}; its product is {np.prod(self.shape)}."
            )
        return data

    def _changed_copy(self, data, rng):
        """Return what the candidates are fitted to, where they are scored, and what stood there."""
        plant = "blocks" if self.plant is None and self.shape is not None else self.plant
        seen, scored = planted_damage(data, plant, self.holdout, self.shape, rng)
        refuse_empty(seen, "the candidates by MaskedSearchCV.fit")
        if not scored.any():
            raise ValueError("plant leaves no known entry to score: hide or change some of them.")
        return seen, scored, data[scored]

    def _named_candidates(self, seen, rng):
        """Return the names of the candidates, and clones of them."""
        candidates = self.candidates
        if candidates is None:
            seed = rng.randint(2**31 - 1)
            candidates = default_candidates(seen, self.n_components, seed, self.shape)
        named = isinstance(candidates, Mapping)
        models = [clone(model) for model in (candidates.values() if named else candidates)]
        return list(candidates) if named else list(map(repr, models)), models

    def _results(self, names, runs):
        """Return `cv_results_` from what `_score` returned, all repeats of a candidate together."""
        scores, seconds, errors = (
            np.array(column).reshape(len(names), self.n_repeats)
            for column in zip(*runs, strict=True)
        )
        mean = scores.mean(axis=1)  # NaN if it failed anywhere
        rank = pd.Series(mean).rank(ascending=False, method="min", na_option="bottom")
        return {
            "candidate": np.array(names, dtype=object),
            "params": [model.get_params() for model in self.candidates_],
            **{f"split{s}_test_score": scores[:, s] for s in range(self.n_repeats)},
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=1),
            "rank_test_score": rank.to_numpy(dtype=int),
            "mean_fit_time": seconds.mean(axis=1),
            "error": np.array([next(filter(None, row), "") for row in errors], dtype=object),
        }

    def _take_the_best(self):
        """Find the candidate of the largest mean score, and name those that failed."""
        results = self.cv_results_
        names, mean, errors = (results[k] for k in ("candidate", "mean_test_score", "error"))
        failed = np.isnan(mean)
        if failed.all():
            raise ValueError(
                f"All {len(names)} candidates failed; the first, {names[0]}, with {errors[0]}"
            )
        for name, error in zip(names[failed], errors[failed], strict=True):
            warnings.warn(f"{name} failed and is left out: {error}", UserWarning, stacklevel=3)
        self.best_index_ = int(np.nanargmax(mean))
        self.best_score_ = float(mean[self.best_index_])

    # ---------------------------------------------------------------- what the best model does

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
        return self._best().score(A)

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


def _score(candidate, seen, scored, truth, y):
    """Fit a candidate; return its score, the seconds that it took, and what it failed with."""
    started = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = clone(candidate)
            prediction = np.asarray(model.inverse_transform(model.fit_transform(seen, y)))
        score, error = -float(np.abs(truth - prediction[scored]).mean()), ""
        if not np.isfinite(score):
            score, error = np.nan, f"the score {score}"
    except Exception as failure:  # the search goes on, and names it
        score, error = np.nan, f"{type(failure).__name__}: {failure}"
    return score, time.perf_counter() - started, error

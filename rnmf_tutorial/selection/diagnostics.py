"""Numbers about data and a fit: suspect cells, ranks, planted errors, starts."""

import warnings
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted

from rnmf_tutorial.arithmetic import positive_mean, rounding
from rnmf_tutorial.far_out import find_far_out
from rnmf_tutorial.frames import is_frame, parts_of, with_names
from rnmf_tutorial.models import MCCGR
from rnmf_tutorial.selection.planting import are_counts, as_table, planted_damage
from rnmf_tutorial.selection.search import MaskedSearchCV

if TYPE_CHECKING:
    import pandas as pd

# For normal errors the second quantile of |e| is so many medians, and five deviations
# lie where the tail through both, log |e| linear in log(-log p), says: at median ×
# _NORMAL ** _TAIL. The quantile is below the upper quartile, because a third of the
# entries can be wrong.
_UPPER = 0.65
_NORMAL = 1.3856
_TAIL = 6.1420

__all__ = ["agreement_of_starts", "planted_errors", "rank_curve", "suspects"]


def suspects(
    model: BaseEstimator, A: ArrayLike, *, by: str = "entries", beyond: float = 5.0
) -> "pd.DataFrame":
    r"""List the entries that do not fit the model, or the samples or features, the worst first.

    An entry is suspect if its residual is larger than `beyond` robust deviations of its
    feature. A deviation is computed from the median of \|e\| in the feature, and from
    how far the 65% quantile of all is from the median: for normal errors it is the
    standard deviation, and for longer tails it is larger. For counts, residuals are
    those of 2√(x + 3/8), whose variance hardly depends on the level. What exceeds five
    is left out of the deviations, which are computed again until nothing changes.
    Entries that are absurdly far out, more than a thousand times as large as all others
    (:mod:`rnmf_tutorial.far_out`), come first. They are compared with what the other
    entries of their samples predict, even if the model has fitted them.

    A suspect entry may be an error, or part of a rare sample that the model does not
    describe: go back to the source. An error at one place of every sample is fitted,
    and not suspect.

    Parameters
    ----------
    model : fitted estimator
        Any of the package, or a fitted search.
    A : array-like of shape (n_samples, n_features)
        The data of the fit. Missing entries are not suspect.
    by : {"entries", "samples", "features"}, default="entries"
        What a row of the result is.
    beyond : float, default=5.0
        How many robust deviations the residual of a suspect entry exceeds.

    Returns
    -------
    DataFrame
        By entries, the suspect ones: "sample" and "feature" (the names of a frame,
        positions in an array), "value", "fitted", "residual" (value - fitted, in robust
        deviations) and "weight": that of the entry, or of its sample or feature over
        the median of these; of a model with `error_`, the part of the residual that is
        not in it; one if the model has no weights. By samples or features, all of them,
        with their names as index: "suspect" (the share of their entries), "residual"
        (the root of their mean squared residual) and "weight" (the mean). What a fit
        has dropped, with the weight zero, comes first.

    Raises
    ------
    ValueError
        If these are not the data of the fit, or a parameter is out of range.
    TypeError
        If A is sparse, or the model was fitted to sparse data.

    Examples
    --------
    >>> import pandas as pd
    >>> from rnmf_tutorial import RobustNMF
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0])
    >>> A[1, 2] += 10
    >>> frame = pd.DataFrame(A, ["a", "b", "c", "d"], ["iron", "zinc", "lead", "tin", "gold"])
    >>> model = RobustNMF(1, lam=0.1, solver="cd", random_state=0).fit(frame)
    >>> suspects(model, frame)[["sample", "feature", "value", "fitted"]].round(1)
      sample feature  value  fitted
    0      b    lead   12.0     2.0
    >>> suspects(model, frame, by="samples").index[0]
    'b'
    """
    import pandas as pd  # whoever imports the package may do without it

    check_scalar(beyond, "beyond", Real, min_val=0)
    if by not in ("entries", "samples", "features"):
        raise ValueError(
            f"by={by!r} is not known; use 'entries', 'samples' or 'features'."
        )
    values = as_table(A, "suspects")
    absurd = _absurd(model, values)
    given: Any = A
    best = getattr(model, "best_estimator_", model)
    if absurd.any() and best.takes_missing:
        given = with_names(A, np.where(absurd, np.nan, values))
    fitted = np.asarray(model.inverse_transform(model.transform(given)))
    weights = _weights(model, values - fitted, A)
    residuals = _standardized(values, fitted, absurd)
    suspect = absurd | (np.abs(residuals) > beyond)
    known = ~np.isnan(values)
    frame: Any = A
    samples: Any = pd.RangeIndex(values.shape[0])
    features: Any = pd.RangeIndex(values.shape[1])
    if is_frame(frame):
        samples = frame.index if hasattr(frame, "iloc") else samples
        features = pd.Index(parts_of(frame)[0])
    if by == "entries":
        i, j = np.nonzero(suspect)
        order = np.lexsort((-np.abs(residuals[i, j]), ~absurd[i, j]))
        i, j = i[order], j[order]
        columns = {
            "value": values,
            "fitted": fitted,
            "residual": residuals,
            "weight": weights,
        }
        names = {"sample": samples[i], "feature": features[j]}
        return pd.DataFrame(
            names | {key: column[i, j] for key, column in columns.items()}
        )
    axis = 1 if by == "samples" else 0
    n = np.maximum(known.sum(axis=axis), 1)
    table = {
        "suspect": suspect.sum(axis=axis) / n,
        "residual": np.sqrt(np.nansum(residuals**2, axis=axis) / n),
        "weight": (weights * known).sum(axis=axis) / n,
    }
    table = pd.DataFrame(table, samples if by == "samples" else features)
    order = np.lexsort((-table["residual"], -table["suspect"], table["weight"] > 0))
    return table.iloc[order]


def rank_curve(search: MaskedSearchCV) -> "pd.DataFrame":
    """Return the best score of every rank that a search has tried, and which rank to take.

    Candidates that the search has passed over do not count. Chosen is the smallest rank
    that is as good as the best one: its mean score is lower by at most one standard
    error of the difference, which is taken repeat by repeat, as all candidates are
    scored on the same entries; take five or more repeats. With gross errors, robust
    candidates must be among those tried, as plain NMF stops at a rank that is too
    small; with three wrong entries in ten, the search may stop there, too.

    Parameters
    ----------
    search : fitted MaskedSearchCV
        With more than one `n_components`, or candidates of several ranks.

    Returns
    -------
    DataFrame
        By "rank" as index: the best "candidate" of this rank, its "position" among the
        candidates, the "mean" of its scores, their "sd" over the repeats, "behind" (the
        best mean minus this one), the standard "error" of that, and whether it is
        "chosen".

    Examples
    --------
    >>> from rnmf_tutorial import NMF, MaskedSearchCV
    >>> rng = np.random.default_rng(0)
    >>> A = rng.uniform(size=(60, 3)) @ rng.uniform(size=(3, 40))
    >>> A += 0.05 * rng.uniform(size=A.shape)
    >>> candidates = [NMF(r, solver="cd", tol=1e-3, random_state=0) for r in (1, 2, 3, 4, 6)]
    >>> search = MaskedSearchCV(candidates, n_repeats=5, refit=False, random_state=0).fit(A)
    >>> curve = rank_curve(search)
    >>> curve.index[curve["chosen"]].tolist()
    [3]
    >>> best = search.candidates_[curve["position"][3]].fit(A)
    """
    import pandas as pd  # whoever imports the package may do without it

    check_is_fitted(search, "cv_results_")
    table = pd.DataFrame(search.cv_results_).reset_index(names="position")
    table = table.rename(columns={"mean_test_score": "mean", "std_test_score": "sd"})
    table["rank"] = [params["n_components"] for params in table["params"]]
    scores = np.asfortranarray(table.filter(regex="^split"))
    n = scores.shape[1]
    shown = ["rank", "candidate", "position", "mean", "sd"]
    table = table.loc[~table["passed_over"], shown].dropna(subset="mean")
    curve = table.loc[table.groupby("rank")["mean"].idxmax()].set_index("rank")
    behind = (
        scores[curve["position"][curve["mean"].idxmax()]] - scores[curve["position"]]
    )
    curve["behind"] = behind.mean(axis=1)
    curve["error"] = behind.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else 0.0
    curve["chosen"] = (
        curve.index == curve.index[curve["behind"] <= curve["error"]].min()
    )
    return curve


def planted_errors(
    model: BaseEstimator,
    A: ArrayLike,
    share: float = 0.01,
    random_state: int | np.random.RandomState | None = None,
) -> "pd.DataFrame":
    r"""Write errors into a copy of the data, fit it, and list what the fit made of them.

    Parameters
    ----------
    model : estimator
        Fitted or not; a clone of it is fitted.
    A : array-like of shape (n_samples, n_features)
        The data.
    share : float, default=0.01
        Which part of the entries gets an error.
    random_state : int, RandomState or None, default=None
        The seed of the places and the errors.

    Returns
    -------
    DataFrame
        A row for each error: the "value" of the data, what was "planted" over it, the
        "restored" value of the fit, and the part of the error that is "left",
        \|restored - value\| over \|planted - value\|: 0 where the fit undid the error,
        1 where it believed it.

    Examples
    --------
    >>> from rnmf_tutorial import HuberNMF
    >>> A = np.random.default_rng(0).uniform(1, 2, (30, 2)) @ np.ones((2, 40))
    >>> errors = planted_errors(HuberNMF(2, random_state=0), A, random_state=0)
    >>> bool((errors["left"] < 0.5).mean() > 0.5)
    True
    """
    import pandas as pd  # whoever imports the package may do without it

    A = as_table(A, "planted_errors")
    damaged, where = planted_damage(
        A, "entries", share, None, check_random_state(random_state)
    )
    value = A[where]
    planted = damaged[where]
    restored = _fit(model, damaged)[0][where]
    left = np.abs((restored - value) / (planted - value))
    return pd.DataFrame(
        {"value": value, "planted": planted, "restored": restored, "left": left}
    )


def agreement_of_starts(
    model: BaseEstimator, A: ArrayLike, n_starts: int = 5, random_state: int = 0
) -> dict[str, np.ndarray]:
    """Fit from several random starts, and compare their components and their reconstructions.

    Components are matched in pairs, so that the sum of their cosines is the largest.

    Parameters
    ----------
    model : estimator
        Fitted or not; clones of it are fitted.
    A : array-like of shape (n_samples, n_features)
        The data.
    n_starts : int, default=5
        How many starts.
    random_state : int, default=0
        The seed of the first start; the others follow.

    Returns
    -------
    dict
        "cosines": array (n_starts, n_starts) of mean cosines; "reconstructions": the
        same of relative distances between the reconstructions.

    Examples
    --------
    >>> from rnmf_tutorial import HuberNMF
    >>> A = np.outer([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 1.0])
    >>> agreement_of_starts(HuberNMF(1), A, n_starts=2)["cosines"].round(6).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    A = as_table(A, "agreement_of_starts")
    seeds = range(random_state, random_state + n_starts)
    fits, bases = zip(
        *(_fit(model, A, random_state=k, init="random") for k in seeds), strict=True
    )
    cosines = np.eye(n_starts)
    distances = np.zeros((n_starts, n_starts))
    for i, j in np.ndindex(cosines.shape):
        pairs = normalize(bases[i]) @ normalize(bases[j]).T
        cosines[i, j] = pairs[linear_sum_assignment(-pairs)].mean()
        distances[i, j] = np.linalg.norm(fits[i] - fits[j]) / np.linalg.norm(fits[i])
    return {"cosines": cosines, "reconstructions": distances}


def _fit(model, A, **parameters):
    """Return the reconstruction and the components of a clone that is fitted without warnings."""
    model = clone(model).set_params(**parameters)
    with warnings.catch_warnings(action="ignore"):
        return np.asarray(model.fit_transform(A)) @ model.components_, model.components_


def _absurd(model, values):
    """Return which entries are absurdly far out, or were so for the fit of a search."""
    absurd = np.zeros(values.shape, bool)
    far = find_far_out(values)
    if far is not None:
        absurd[far.samples, far.features] = True
    left_out = getattr(model, "left_out_", np.empty((0, 2), int))
    if len(left_out) and (left_out.max(axis=0) < values.shape).all():
        absurd[tuple(left_out.T)] = True
    return absurd & ~np.isnan(values)


def _standardized(values, fitted, absurd=False):
    """Return residuals in robust deviations of their features.

    Absurd entries, an array of booleans, are left out of the deviations.
    """
    residuals = values - fitted
    missing = np.isnan(values) | absurd
    counts = are_counts(values)
    levels = np.where(missing, np.nan, np.abs(values))
    least = rounding(np.abs(values[~missing]))
    if counts:
        residuals = 2 * (
            np.sqrt(values + 0.375) - np.sqrt(np.maximum(fitted, 0) + 0.375)
        )
        levels = np.sqrt(levels)  # a 400th of them is what a 400th more adds to 2√x
    # zeros that are fitted as zeros say nothing about errors
    left_out = missing | ((values == 0) & (np.abs(residuals) <= least))
    sizes = np.ma.masked_where(left_out, np.abs(residuals))
    if left_out.all():
        return residuals
    # smaller noise than a 400th of a feature matters to nobody; counts have one unit
    floor = [positive_mean(column) / 400 for column in levels.T]
    floor = np.maximum(floor, max(np.ma.median(sizes), 1 / 3) if counts else 0)
    for _ in range(10):
        medians = np.ma.median(sizes, axis=0).filled(floor).clip(floor)
        median, upper = np.quantile((sizes / medians).compressed(), [0.5, _UPPER])
        # The tail that leads through both: 1.4826 medians for normal errors, more for
        # longer tails.
        tail = max(upper / median if median and upper > 1 else 0, _NORMAL) ** _TAIL
        deviations = medians * max(median, 1) * tail / 5
        listed = sizes > 5 * deviations
        if not listed.filled(False).any():
            break
        sizes[listed] = np.ma.masked
    return residuals / deviations


def _weights(search, residuals, A):
    """Return the weights of a fit, in the shape of the residuals."""
    model = getattr(search, "best_estimator_", search)
    weights = getattr(model, "error_", getattr(model, "weights_", np.ones((1, 1))))
    if issparse(weights):
        raise TypeError(
            "suspects needs a fit to dense data: fit the model to A.toarray()."
        )
    if weights.ndim == 1:
        weights = weights / (np.median(weights[weights > 0]) if weights.any() else 1)
        of_features = (
            isinstance(model, MCCGR) or getattr(model, "group", "") == "features"
        )
        weights = weights[None, :] if of_features else weights[:, None]
    kept = np.setdiff1d(np.arange(len(residuals)), getattr(search, "dropped_", []))
    of_fit = len(kept), residuals.shape[1]
    before = getattr(model, "sample_names_in_", None)
    now = A.index[kept] if hasattr(A, "iloc") else None
    moved = (
        len(weights) > 1
        and before is not None
        and now is not None
        and not now.equals(before)
    )
    if moved or any(
        n not in (1, m) for n, m in zip(weights.shape, of_fit, strict=True)
    ):
        raise ValueError(
            "suspects needs the data of the fit, with the same samples in the same order. The fit "
            f"has weights of the shape {weights.shape}, where 1 stands for any number; these data "
            f"have {residuals.shape}. After a search, give the search."
        )
    if hasattr(model, "error_"):
        sizes = np.abs(residuals[kept] / getattr(search, "feature_scale_", 1))
        part = np.divide(np.abs(weights), sizes, where=sizes > 0, out=np.zeros(of_fit))
        weights = np.clip(1 - part, 0, 1)
    of_all = np.zeros(residuals.shape)
    of_all[kept] = weights
    left_out = getattr(search, "left_out_", np.empty((0, 2), int))
    of_all[tuple(left_out.T)] = 0
    return of_all

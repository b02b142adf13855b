"""Choosing on hidden entries, and the looks at a fit."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from rnmf_tutorial import (
    L1NMF,
    NMF,
    CauchyNMF,
    HuberNMF,
    MaskedSearchCV,
    NeNMF,
    RobustNMF,
)
from rnmf_tutorial.models import BaseNMF
from rnmf_tutorial.selection import (
    agreement_of_starts,
    default_candidates,
    distrusted,
    hidden_entries,
    planted_errors,
    planted_values,
    residuals,
)
from rnmf_tutorial.selection.scoring import absolute_score
from tests.problems import ESTIMATORS

mpl.use("Agg")

RNG = np.random.default_rng(0)
CLEAN = RNG.uniform(size=(60, 3)) @ RNG.uniform(size=(3, 40))
SPOILED = np.where(RNG.uniform(size=CLEAN.shape) < 0.1, 5.0, CLEAN)
FAST = {"max_iter": 40, "tol": 0, "random_state": 0, "solver": "cd"}
PLAIN, ROBUST = NMF(3, **FAST), HuberNMF(3, scale=0.02, **FAST)


def quick(**options):
    return MaskedSearchCV([PLAIN, ROBUST], **{"random_state": 0} | options)


@parametrize_with_checks(
    [MaskedSearchCV([NMF(1, max_iter=20, random_state=0)], n_repeats=1, random_state=0)],
    expected_failed_checks=lambda search: {
        "check_fit2d_1feature": "its last feature cannot be hidden",
        "check_fit2d_1sample": "its last sample cannot be hidden",
    },
)
def test_scikit_learn(estimator, check):
    check(estimator)


def test_the_score_is_that_of_the_hidden_entries():
    """By hand: hide the same entries, fit, and take the mean of their sizes."""
    search = quick(n_repeats=1).fit(SPOILED)
    hidden = hidden_entries(np.ones(CLEAN.shape, bool), 0.1, np.random.RandomState(0))
    for k, model in enumerate((PLAIN, ROBUST)):
        seen = np.where(hidden, np.nan, SPOILED)
        one = clone(model)
        E = (SPOILED - one.fit_transform(seen) @ one.components_)[hidden]
        by_hand = -np.mean(np.abs(E))
        assert search.cv_results_["mean_test_score"][k] == pytest.approx(by_hand, rel=1e-12)
    assert search.best_index_ == 1
    assert search.best_score_ == search.cv_results_["mean_test_score"][1]
    np.testing.assert_array_equal(search.cv_results_["rank_test_score"], [2, 1])


def test_the_best_is_fitted_to_all_entries():
    search = quick().fit(SPOILED)
    by_hand = clone(ROBUST).fit(SPOILED)
    np.testing.assert_array_equal(search.best_estimator_.components_, by_hand.components_)
    Ht = search.transform(SPOILED)
    np.testing.assert_array_equal(Ht, by_hand.transform(SPOILED))
    np.testing.assert_array_equal(search.inverse_transform(Ht), by_hand.inverse_transform(Ht))
    np.testing.assert_array_equal(search.fit_transform(SPOILED), Ht)
    assert not hasattr(quick(refit=False).fit(SPOILED), "best_estimator_")


def test_hidden_entries_leave_something_everywhere():
    for seed in range(20):
        rng = np.random.RandomState(seed)
        known = rng.uniform(size=(9, 6)) < 0.5
        known[np.arange(9), np.arange(9) % 6] = True
        hidden = hidden_entries(known, 0.9, rng)
        left = known & ~hidden
        assert (hidden <= known).all() and left.any(axis=0).all() and left.any(axis=1).all()
    share = hidden_entries(np.ones((50, 40), bool), 0.1, np.random.RandomState(0)).mean()
    assert share == 0.1


def test_a_choice_does_not_depend_on_the_unit():
    scores = []
    for unit in (2.0**-20, 1.0, 2.0**20):
        search = MaskedSearchCV(n_components=3, n_repeats=1, random_state=0).fit(unit * SPOILED)
        scores.append(search.cv_results_["mean_test_score"] / unit)
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-9)
    np.testing.assert_allclose(scores[2], scores[1], rtol=1e-9)


def test_the_defaults_choose_a_robust_model_where_one_is_needed():
    search = MaskedSearchCV(n_components=3, random_state=0).fit(SPOILED)
    error = [
        np.linalg.norm(m.fit_transform(SPOILED) @ m.components_ - CLEAN) / np.linalg.norm(CLEAN)
        for m in (clone(search.best_estimator_), clone(PLAIN))
    ]
    assert error[0] < 0.5 * error[1]


@pytest.mark.parametrize("scoring", ["absolute", "planted"])
def test_missing_entries_are_never_scored(scoring):
    holes = SPOILED.copy()
    holes[::7, ::5] = np.nan
    asked = []

    def listening(truth, prediction):
        asked.append(truth)
        return absolute_score(truth, prediction)

    quick(scoring=listening).fit(holes)
    assert not np.isnan(np.concatenate(asked)).any()
    masked = np.ma.masked_invalid(holes)
    one, other = (quick(scoring=scoring).fit(A) for A in (holes, masked))
    np.testing.assert_array_equal(
        one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"]
    )


def test_planted_errors_change_what_is_scored_alone():
    planted = hidden_entries(np.ones(CLEAN.shape, bool), 0.1, np.random.RandomState(0))
    spoiled = planted_values(CLEAN, planted, np.random.RandomState(1))
    assert (spoiled == CLEAN)[~planted].all() and (spoiled != CLEAN)[planted].mean() > 0.9
    search = quick(scoring="planted").fit(CLEAN)
    assert search.best_index_ == 1  # the robust model restores them


def test_a_region_of_your_own_is_hidden():
    region = np.zeros(CLEAN.shape, bool)
    region[:20, :10] = True
    seen = []
    quick(holdout=region, n_repeats=1, scoring=lambda t, p: seen.append(t) or 0.0).fit(SPOILED)
    np.testing.assert_array_equal(seen[0], SPOILED[region])


def test_a_failing_candidate_is_named_and_the_search_goes_on():
    candidates = {"plain": PLAIN, "no NaN": NeNMF(3), "rank": HuberNMF(99)}
    with pytest.warns(UserWarning, match="failed and is left out") as caught:
        search = MaskedSearchCV(candidates, random_state=0).fit(SPOILED)
    assert len([w for w in caught if "left out" in str(w.message)]) == 2
    assert search.best_index_ == 0
    np.testing.assert_array_equal(np.isnan(search.cv_results_["mean_test_score"]), [0, 1, 1])
    assert "NaN" in search.cv_results_["error"][1]
    assert "too large" in search.cv_results_["error"][2]
    with pytest.raises(ValueError, match="All 1 candidates failed"):
        MaskedSearchCV([L1NMF(3)]).fit(SPOILED)


class Moody(NMF):
    """Refuses data in which the first entry is missing."""

    def fit_transform(self, A, y=None):
        if np.isnan(A[0, 0]):
            raise ValueError("not today")
        return super().fit_transform(A, y)


def test_a_candidate_that_fails_in_one_split_is_left_out():
    """Its mean over the other splits would be over other entries than that of the rest."""
    first = np.zeros(CLEAN.shape, bool)
    for seed in range(30):  # a seed whose second split alone hides the first entry
        rng = np.random.RandomState(seed)
        splits = [hidden_entries(~first, 0.1, rng)[0, 0] for _ in range(2)]
        if splits == [False, True]:
            break
    with pytest.warns(UserWarning, match="moody failed and is left out: ValueError: not today"):
        search = MaskedSearchCV({"plain": PLAIN, "moody": Moody(3, **FAST)}, random_state=seed)
        scores = search.fit(CLEAN).cv_results_
    assert np.isfinite(scores["split0_test_score"]).all()
    assert np.isnan(scores["split1_test_score"]).tolist() == [False, True]
    assert scores["rank_test_score"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("A", "options", "says"),
    [
        (np.array([[1.0, 2.0]]), {}, "none can be hidden"),
        (np.ones((5, 4)), {}, "All known entries"),
        (np.vstack([CLEAN[:3], np.full(40, np.nan)]), {}, "no entry at all in sample 3"),
        (-CLEAN, {}, "Negative values"),
        (CLEAN, {"holdout": 1.5}, "holdout"),
        (CLEAN, {"scoring": "squares"}, "not known"),
        (CLEAN, {"candidates": []}, "empty"),
        (pd.DataFrame({"day": pd.to_datetime(["2020-01-01"] * 3)}), {}, "holds dates"),
    ],
)
def test_bad_input_is_told(A, options, says):
    with pytest.raises(ValueError, match=says):
        quick().set_params(**options).fit(A)


def test_integers_and_bytes_are_taken():
    counts = np.round(50 * CLEAN)
    scores = [
        quick(n_repeats=1).fit(counts.astype(kind)).best_score_ for kind in ("f8", "i4", "u1")
    ]
    assert scores[0] == scores[1] == scores[2]


def test_the_same_seed_gives_the_same_search():
    one, other = (quick(n_jobs=jobs).fit(SPOILED) for jobs in (1, 2))
    np.testing.assert_array_equal(
        one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"]
    )


def test_several_ranks():
    models = default_candidates(CLEAN, [2, 3], random_state=0)
    assert {model.n_components for model in models.values()} == {2, 3}
    assert len(models) == 24


@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_score_is_that_of_the_reconstruction(model):
    model = clone(model).set_params(n_components=2, max_iter=5, tol=0, random_state=0)
    model.fit(CLEAN[:20, :10])
    A = CLEAN[20:30, :10]
    E = A - model.inverse_transform(model.transform(A))
    assert model.score(A) == pytest.approx(-np.mean(np.abs(E)), rel=1e-12)
    assert isinstance(model, BaseNMF)


def test_scikit_learns_own_search():
    search = GridSearchCV(RobustNMF(random_state=0, solver="cd"), {"n_components": [1, 3]}, cv=3)
    assert search.fit(CLEAN).best_params_ == {"n_components": 3}


# ---------------------------------------------------------------- looks at a fit


def test_looks_take_any_fitted_model():
    for model in ESTIMATORS:
        model = clone(model).set_params(n_components=2, max_iter=5, tol=0, random_state=0)
        told = residuals(model.fit(SPOILED), SPOILED)
        E = np.abs(SPOILED - model.inverse_transform(model.transform(SPOILED)))
        assert told["median"] == pytest.approx(np.median(E), rel=1e-9)
        if hasattr(model, "weights_") or hasattr(model, "error_"):
            assert 0 <= distrusted(model, SPOILED)["all"] <= 1
        else:
            with pytest.raises(ValueError, match="trusts every entry alike"):
                distrusted(model, SPOILED)
        mpl.pyplot.close("all")


def test_looks_see_what_was_put_there():
    robust = HuberNMF(3, scale=0.02, **FAST | {"max_iter": 100}).fit(SPOILED)
    wrong = SPOILED == 5
    told = distrusted(robust, SPOILED)
    assert np.corrcoef(told["samples"], wrong.mean(axis=1))[0, 1] > 0.9
    assert np.corrcoef(told["features"], wrong.mean(axis=0))[0, 1] > 0.9
    found = planted_errors(robust, SPOILED, share=0.02, random_state=0)["found"]
    assert found > 0.9 > planted_errors(PLAIN, SPOILED, share=0.02, random_state=0)["found"]
    same = agreement_of_starts(CauchyNMF(1, scale=1.0, solver="cd"), CLEAN, n_starts=3)
    assert same["cosines"].min() > 0.999 and same["reconstructions"].max() < 1e-3
    mpl.pyplot.close("all")

"""Choosing on hidden entries, and the diagnostics of a fit."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.preprocessing import normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from rnmf_tutorial import L1NMF, NMF, CauchyNMF, HuberNMF, MaskedSearchCV, NeNMF, selection
from rnmf_tutorial.selection.hiding import hidden_regions
from rnmf_tutorial.selection.planting import PLANTS, planted_damage
from tests.problems import ESTIMATORS, with_sizes

RNG = np.random.default_rng(0)
CLEAN = RNG.uniform(size=(60, 3)) @ RNG.uniform(size=(3, 40))
SPOILED = np.where(RNG.uniform(size=CLEAN.shape) < 0.1, 5.0, CLEAN)
FAST = {"max_iter": 40, "tol": 0, "random_state": 0, "solver": "cd"}
PLAIN, ROBUST = NMF(3, **FAST), HuberNMF(3, scale=0.02, **FAST)
REGION = np.zeros(CLEAN.shape, bool)
REGION[:20, :10] = True


def quick(**options):
    return MaskedSearchCV([PLAIN, ROBUST], **{"random_state": 0} | options)


def fitted(model, A):
    """Return what a fit of an unfitted copy makes of its data."""
    model = clone(model)
    return model.fit_transform(A) @ model.components_


def scores(search):
    return search.cv_results_["mean_test_score"]


@parametrize_with_checks(
    [MaskedSearchCV([NMF(1, max_iter=20, random_state=0)], n_repeats=1, random_state=0)],
    expected_failed_checks=lambda search: {
        "check_fit2d_1feature": "its last feature cannot be hidden",
        "check_fit2d_1sample": "its last sample cannot be hidden",
    },
)
@pytest.mark.slow
def test_scikit_learn(estimator, check):
    check(estimator)


# ---------------------------------------------------------------- the search


@pytest.mark.parametrize("shape", [None, (5, 8)])
def test_the_scores_are_those_of_the_hidden_entries(shape):
    """By hand: hide the same entries, fit, and take the mean of their sizes.

    Of regions no entry counts beyond two noise scales.
    """
    search, rng = quick(shape=shape).fit(SPOILED), np.random.RandomState(0)
    everything, cap = np.ones(CLEAN.shape, bool), np.inf
    if shape:
        splits = [hidden_regions(everything, shape, 0.1, rng) >= 0 for _ in range(2)]
        cap = 2 * selection.noise_scale(np.where(splits[0], np.nan, SPOILED), 3, 0)
    else:
        splits = [selection.hidden_entries(everything, 0.1, rng) for _ in range(2)]
    by_hand, table = np.empty((2, 2)), search.cv_results_
    for s, hidden in enumerate(splits):
        for k, model in enumerate((PLAIN, ROBUST)):
            E = np.abs(SPOILED - fitted(model, np.where(hidden, np.nan, SPOILED)))[hidden]
            by_hand[k, s] = -np.minimum(E, cap).mean()
        np.testing.assert_allclose(table[f"split{s}_test_score"], by_hand[:, s], rtol=1e-12)
    assert E.min() < cap and (E.max() > cap) == (shape is not None)
    np.testing.assert_allclose(table["mean_test_score"], by_hand.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(table["std_test_score"], by_hand.std(axis=1), rtol=1e-9)
    assert search.best_index_ == 1 and search.best_score_ == scores(search)[1]
    np.testing.assert_array_equal(table["rank_test_score"], [2, 1])


def test_the_best_is_fitted_to_all_entries_and_the_candidates_stay_unfitted():
    given = [clone(PLAIN), clone(ROBUST).fit(CLEAN)]
    search = MaskedSearchCV(given, random_state=0).fit(SPOILED)
    for model in (given[0], *search.candidates_):
        assert not hasattr(model, "components_")
    by_hand = clone(ROBUST).fit(SPOILED)
    np.testing.assert_array_equal(search.best_estimator_.components_, by_hand.components_)
    Ht = search.transform(SPOILED)
    np.testing.assert_array_equal(Ht, by_hand.transform(SPOILED))
    np.testing.assert_array_equal(search.inverse_transform(Ht), by_hand.inverse_transform(Ht))
    np.testing.assert_array_equal(search.fit_transform(SPOILED), Ht)
    assert search.score(SPOILED) == by_hand.score(SPOILED)


def test_without_refit_there_is_no_best_model_left_of_another_fit():
    search = quick().fit(SPOILED).set_params(refit=False).fit(SPOILED)
    assert not hasattr(search, "best_estimator_") and not hasattr(search, "refit_time_")
    with pytest.raises(AttributeError, match="refit=False"):
        search.transform(SPOILED)


def test_a_choice_does_not_depend_on_the_unit_and_takes_a_robust_model_where_one_is_needed():
    one, other = (
        MaskedSearchCV(n_components=3, n_repeats=1, random_state=0).fit(unit * SPOILED)
        for unit in (1.0, 2.0**20)
    )
    np.testing.assert_allclose(scores(other) / 2.0**20, scores(one), rtol=1e-9)
    best, plain = (fitted(model, SPOILED) for model in (one.best_estimator_, PLAIN))
    assert np.linalg.norm(best - CLEAN) < 0.5 * np.linalg.norm(plain - CLEAN)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_search_in_any_number_of_processes():
    one, other = (quick(n_jobs=jobs).fit(SPOILED) for jobs in (1, 2))
    np.testing.assert_array_equal(scores(one), scores(other))


# ---------------------------------------------------------------- what is hidden


def test_hidden_entries_leave_something_everywhere():
    for seed in range(20):
        rng = np.random.RandomState(seed)
        known = rng.uniform(size=(9, 6)) < 0.5
        known[np.arange(9), np.arange(9) % 6] = True
        hidden = selection.hidden_entries(known, 0.9, rng)
        left = known & ~hidden
        assert (hidden <= known).all() and left.any(axis=0).all() and left.any(axis=1).all()
    hidden = selection.hidden_entries(np.ones((50, 40), bool), 0.1, np.random.RandomState(0))
    assert hidden.mean() == 0.1


def test_a_region_of_zeros_and_ones_is_that_of_booleans():
    kinds = [REGION.astype(kind) for kind in (bool, int, float, "u1")]
    for mask in (*kinds, REGION.tolist(), pd.DataFrame(REGION)):
        asked = []
        search = quick(holdout=mask, n_repeats=1, scoring=lambda t, p, a=asked: a.append(t) or 0.0)
        search.fit(SPOILED)
        assert asked
        for truth in asked:
            np.testing.assert_array_equal(truth, SPOILED[REGION])


@pytest.mark.parametrize("plant", [None, *PLANTS])
def test_missing_entries_are_never_scored(plant):
    holes = SPOILED.copy()
    holes[::7, ::5] = np.nan
    assert np.isfinite(scores(quick(plant=plant).fit(holes))).all()


def test_planted_errors_change_what_is_scored_alone():
    planted = selection.hidden_entries(np.ones(CLEAN.shape, bool), 0.1, np.random.RandomState(0))
    spoiled = selection.planted_values(CLEAN, planted, np.random.RandomState(1))
    assert (spoiled == CLEAN)[~planted].all() and (spoiled != CLEAN)[planted].mean() > 0.9
    assert quick(plant="entries").fit(CLEAN).best_index_ == 1  # the robust model restores them


# ---------------------------------------------------------------- what is planted


def test_each_kind_of_damage_has_its_shape():
    A = np.random.default_rng(0).uniform(1, 2, (30, 400))
    rng = np.random.RandomState(0)
    for name in PLANTS:
        damaged, scored = planted_damage(A, name, 0.1, (20, 20), rng)
        if name != "rows":
            assert (damaged == A)[~scored].all() and scored.mean() == pytest.approx(0.1, abs=0.03)
        for picture in scored.reshape(-1, 20, 20) if name == "blocks" else ():
            box = np.argwhere(picture)
            assert (np.ptp(box, axis=0) == 5).all() and len(box) == 36
    damaged, scored = planted_damage(A, "rows", 0.1, None, rng)
    lost = np.flatnonzero((damaged != A).mean(axis=1) > 0.5)
    assert len(lost) == 3 and not scored[lost].any() and np.isnan(damaged[scored]).all()


# ---------------------------------------------------------------- large data, ranks, progress


def test_a_search_on_some_samples_chooses_alike_and_fits_the_winner_to_all():
    rng = np.random.default_rng(0)
    A = rng.uniform(size=(600, 3)) @ rng.uniform(size=(3, 30))
    A[rng.uniform(size=A.shape) < 0.1] = 5.0
    searches = [quick(max_samples=n, n_repeats=1).fit(A) for n in (None, 600, 100)]
    assert [search.best_index_ for search in searches] == [1, 1, 1]
    np.testing.assert_array_equal(scores(searches[0]), scores(searches[1]))
    models = [search.best_estimator_ for search in searches]
    np.testing.assert_array_equal(models[0].components_, models[2].components_)
    region = np.zeros(A.shape, bool)
    region[::2, :5] = True
    assert np.isfinite(scores(quick(max_samples=100, holdout=region).fit(A))).all()


@pytest.mark.parametrize("share", [0, 0.3])
def test_the_curve_of_ranks_has_its_choice_at_the_true_rank(share):
    rng = np.random.default_rng(2)
    A = rng.gamma(1, size=(90, 4)) @ rng.gamma(1, size=(4, 60))
    scale = 0.1 * A.mean()
    A = np.maximum(A + 0.5 * scale * rng.standard_normal(A.shape), 0)
    wrong = rng.uniform(size=A.shape) < share
    A[wrong] = rng.uniform(0, A.max(), wrong.sum())
    models = [HuberNMF(r, scale=scale, **FAST) for r in (2, 4, 6)]
    search = MaskedSearchCV(models, n_repeats=5, refit=False, random_state=0).fit(A)
    curve = selection.rank_curve(search)
    assert curve.index[curve["chosen"]].tolist() == [4]
    np.testing.assert_array_equal(curve["mean"], search.cv_results_["mean_test_score"])
    assert curve["behind"].min() == 0


# ---------------------------------------------------------------- candidates


def test_the_default_candidates_know_nothing_of_the_hidden_entries():
    search, found = MaskedSearchCV(holdout=REGION, n_repeats=1, refit=False, random_state=0), []
    for A in (SPOILED, SPOILED + 100 * REGION):
        found.append([getattr(model, "scale", None) for model in search.fit(A).candidates_])
    assert found[0] == found[1]


def test_each_rank_has_candidates_at_its_own_noise_scale():
    models = selection.default_candidates(SPOILED, [1, 3], random_state=0)
    assert len(models) == 14
    for r in (1, 3):
        sigma = selection.noise_scale(SPOILED, r, 0)
        assert models[f"HuberNMF, r = {r}, 0.25 σ"].scale == 0.25 * sigma
        assert models[f"CauchyNMF, r = {r}, 2 σ"].scale == 2 * sigma
        assert models[f"NMF, r = {r}"].n_components == models[f"CappedNMF, r = {r}"].n_components
        assert {model.solver for model in models.values()} == {"cd"}
    assert selection.noise_scale(SPOILED, 1, 0) > 1.1 * selection.noise_scale(SPOILED, 3, 0)


def test_a_failing_candidate_is_named_and_the_search_goes_on():
    candidates = {"plain": PLAIN, "no NaN": NeNMF(3), "rank": HuberNMF(99)}
    with pytest.warns(UserWarning, match="failed and is left out") as caught:
        search = MaskedSearchCV(candidates, random_state=0).fit(SPOILED)
    assert len([w for w in caught if "left out" in str(w.message)]) == 2
    assert search.best_index_ == 0
    np.testing.assert_array_equal(np.isnan(scores(search)), [0, 1, 1])
    assert "NaN" in search.cv_results_["error"][1]
    assert "too large" in search.cv_results_["error"][2]
    with pytest.raises(ValueError, match="All 1 candidates failed"):
        MaskedSearchCV([L1NMF(3)]).fit(SPOILED)


@pytest.mark.parametrize(
    ("A", "options", "says"),
    [
        (np.array([[1.0, 2.0]]), {}, "none can be hidden"),
        (np.ones((5, 4)), {}, "All known entries"),
        (np.vstack([CLEAN[:3], np.full(40, np.nan)]), {}, r"SearchCV.fit have no .* in sample 3;"),
        (CLEAN, {"holdout": 1.5}, "holdout=1.5 must be"),
        (CLEAN, {"holdout": None}, "holdout must be a share .* or an array"),
        (CLEAN, {"holdout": CLEAN}, "True or 1 where an entry is hidden"),
        (CLEAN, {"holdout": REGION.T}, r"the shape \(40, 60\); the data have \(60, 40\)"),
        (np.where(REGION, np.nan, CLEAN), {"holdout": REGION}, "no known entry"),
        (CLEAN, {"holdout": np.eye(60, 1, dtype=bool) | REGION}, "holdout hides, .* in sample 0"),
        (CLEAN, {"scoring": "squares"}, "not known"),
        (CLEAN, {"plant": "trees"}, "plant='trees' is not known; use 'entries', 'blocks'"),
        (CLEAN, {"plant": "blocks", "holdout": REGION}, "chooses its places itself"),
        (CLEAN, {"plant": "blocks", "shape": (6, 6)}, "features are 40; its product is 36"),
        (CLEAN, {"plant": lambda A, rng: (A, A)}, "array of booleans"),
        (CLEAN, {"candidates": []}, "empty"),
        (CLEAN, {"candidates": 3}, "list of models.* it is 3. .*n_components"),
        (CLEAN, {"candidates": {"plain": NMF}}, "models such as"),
    ],
)
def test_bad_input_is_told(A, options, says):
    with pytest.raises(ValueError, match=says):
        quick().set_params(**options).fit(A)


# ---------------------------------------------------------------- diagnostics


@pytest.mark.parametrize("model", {type(model): model for model in ESTIMATORS}.values(), ids=repr)
def test_residuals_and_score_are_those_of_the_reconstruction(model):
    model = with_sizes(model).set_params(n_components=2, max_iter=5, tol=0, random_state=0)
    model.fit(CLEAN[:20, :10])
    A = SPOILED[20:30, :10]
    E = np.abs(A - model.inverse_transform(model.transform(A)))
    assert model.score(A) == pytest.approx(-E.mean(), rel=1e-12)
    told = selection.residuals(model, A)
    assert told["median"] == pytest.approx(np.median(E), rel=1e-9)
    assert told["largest"] == pytest.approx(E.max(), rel=1e-9)
    if told["scale"]:
        assert told["beyond"] == pytest.approx(np.mean(told["scale"] < E), abs=1e-12)
    assert selection.suspects(model, CLEAN[:20, :10], by="samples")["suspect"].between(0, 1).all()


def test_what_was_put_there_is_suspect_and_found():
    robust, wrong = clone(ROBUST).set_params(max_iter=100).fit(SPOILED), SPOILED == 5
    for by, axis in (("samples", 1), ("features", 0)):
        told = selection.suspects(robust, SPOILED.tolist(), by=by)["suspect"].sort_index()
        assert np.corrcoef(told, wrong.mean(axis=axis))[0, 1] > 0.9
    found, by_plain = (
        selection.planted_errors(model, SPOILED, share=0.02, random_state=0)["found"]
        for model in (robust, PLAIN)
    )
    assert found > 0.9 > by_plain


def test_components_are_matched_so_that_they_agree_the_most():
    told = selection.agreement_of_starts(PLAIN, SPOILED, n_starts=2, random_state=3)
    models = [clone(PLAIN).set_params(random_state=seed) for seed in (3, 4)]
    one, other = (model.fit_transform(SPOILED) @ model.components_ for model in models)
    F, G = (normalize(model.components_) for model in models)
    best = max(np.mean(np.sum(F * G[list(p)], axis=1)) for p in permutations(range(3)))
    assert told["cosines"][0, 1] == pytest.approx(best, rel=1e-9)
    gap = np.linalg.norm(one - other) / np.linalg.norm(one)
    assert told["reconstructions"][0, 1] == pytest.approx(gap, rel=1e-9)
    same = selection.agreement_of_starts(CauchyNMF(1, scale=1.0, solver="cd"), CLEAN, n_starts=3)
    assert same["cosines"].min() > 0.999 and same["reconstructions"].max() < 1e-3

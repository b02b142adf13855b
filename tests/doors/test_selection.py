"""Choosing on hidden entries and on planted damage, and the diagnostics of a fit."""

from copy import deepcopy
from functools import partial
from itertools import permutations

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.stats import sem
from sklearn.base import clone
from sklearn.preprocessing import normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

import rnmf_tutorial as rt
from rnmf_tutorial import (
    NMF,
    CappedNMF,
    CauchyNMF,
    HuberNMF,
    MaskedSearchCV,
    selection,
    starts,
)
from rnmf_tutorial.selection import planting
from rnmf_tutorial.selection.planting import hidden_entries, planted_damage
from rnmf_tutorial.selection.search import _is_better, _wrong_as_a_whole
from tests.problems import ESTIMATORS, with_sizes

RNG = np.random.default_rng(0)
CLEAN = RNG.uniform(size=(60, 3)) @ RNG.uniform(size=(3, 40))
SPOILED = np.where(RNG.uniform(size=CLEAN.shape) < 0.1, 5.0, CLEAN)
FAST = {"max_iter": 40, "tol": 0, "random_state": 0, "solver": "cd"}
PLAIN = NMF(3, **FAST)
ROBUST = HuberNMF(3, scale=0.02, **FAST)
REGION = np.zeros(CLEAN.shape, bool)
REGION[:20, :10] = True
once = partial(MaskedSearchCV, n_components=3, n_repeats=1, random_state=0)


def quick(**options):
    return MaskedSearchCV([PLAIN, ROBUST], **{"random_state": 0} | options)


def fitted(model, A):
    """Return what a fit of an unfitted copy makes of its data."""
    model = clone(model)
    return model.fit_transform(A) @ model.components_


def scores(search):
    return search.cv_results_["mean_test_score"]


SMALL = MaskedSearchCV(
    [NMF(1, max_iter=20, random_state=0)], n_repeats=1, random_state=0
)
ONE = dict.fromkeys(
    ["check_fit2d_1feature", "check_fit2d_1sample"], "the last cannot be hidden"
)


@parametrize_with_checks([SMALL], expected_failed_checks=lambda search: ONE)
@pytest.mark.slow
def test_scikit_learn(estimator, check):
    check(estimator)


# ---------------------------------------------------------------- the search


KINDS = [({}, None), ({"shape": (5, 8)}, "blocks")]
KINDS += [({"plant": "rows"}, "rows"), ({"plant": "entries"}, "entries")]


@pytest.mark.parametrize(("options", "kind"), KINDS)
def test_the_scores_are_the_mean_errors_at_what_was_hidden_or_planted(options, kind):
    """By hand; with a shape and nothing else, blocks are planted. Missing entries are no part."""
    holes = np.where(np.indices(CLEAN.shape).sum(axis=0) % 7 == 0, np.nan, SPOILED)
    search = quick(**options).fit(holes)
    rng = np.random.RandomState(0)
    rng.randint(2**31 - 1)  # the seed of default candidates
    by_hand = np.empty((2, 2))
    table = search.cv_results_
    for s in range(2):
        planted = deepcopy(rng)
        seen, scored, compared, _ = search._changed_copy(holes, rng)
        other, places = planted_damage(holes, kind, 0.1, options.get("shape"), planted)
        assert (scored == (places if kind is None else places & ~compared)).all()
        assert np.isnan(seen[compared]).all()
        np.testing.assert_array_equal(seen[~compared], other[~compared])
        for k, model in enumerate((PLAIN, ROBUST)):
            by_hand[k, s] = -np.abs(holes - fitted(model, seen))[scored].mean()
        np.testing.assert_allclose(
            table[f"split{s}_test_score"], by_hand[:, s], rtol=1e-12
        )
    np.testing.assert_allclose(
        table["mean_test_score"], by_hand.mean(axis=1), rtol=1e-12
    )
    np.testing.assert_allclose(table["std_test_score"], by_hand.std(axis=1), rtol=1e-9)
    best = np.where(table["passed_over"], -np.inf, by_hand.mean(axis=1)).argmax()
    assert search.best_index_ == best and search.best_score_ == scores(search)[best]
    np.testing.assert_array_equal(
        table["rank_test_score"], [2 - (best == 0), 1 + (best == 0)]
    )


def test_the_best_is_fitted_to_all_entries_if_asked_and_the_candidates_stay_unfitted():
    given = [clone(PLAIN), clone(ROBUST).fit(CLEAN)]
    search = MaskedSearchCV(given, random_state=0).fit(SPOILED)
    for model in (given[0], *search.candidates_):
        assert not hasattr(model, "components_")
    by_hand = clone(ROBUST).fit(SPOILED)
    np.testing.assert_array_equal(
        search.best_estimator_.components_, by_hand.components_
    )
    Ht = search.transform(SPOILED)
    np.testing.assert_array_equal(Ht, by_hand.transform(SPOILED))
    np.testing.assert_array_equal(
        search.inverse_transform(Ht), by_hand.inverse_transform(Ht)
    )
    np.testing.assert_array_equal(search.fit_transform(SPOILED), Ht)
    assert search.score(SPOILED) == by_hand.score(SPOILED)
    search.set_params(refit=False).fit(SPOILED)  # no best model of another fit is left
    assert not hasattr(search, "best_estimator_")
    with pytest.raises(AttributeError, match="refit=True"):
        search.transform(SPOILED)


def test_a_choice_does_not_depend_on_the_unit_and_takes_a_robust_model_where_one_is_needed():
    one, other = (once().fit(unit * SPOILED) for unit in (1.0, 2.0**20))
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
        hidden = hidden_entries(known, 0.9, rng)
        assert hidden.any()
        left = known & ~hidden
        assert (
            (hidden <= known).all()
            and left.any(axis=0).all()
            and left.any(axis=1).all()
        )
    assert (
        hidden_entries(np.ones((50, 40), bool), 0.1, np.random.RandomState(0)).mean()
        == 0.1
    )


def test_planted_errors_change_what_is_scored_alone():
    planted = hidden_entries(np.ones(CLEAN.shape, bool), 0.1, np.random.RandomState(0))
    spoiled = planting.planted_values(CLEAN, planted, np.random.RandomState(1))
    assert (spoiled == CLEAN)[~planted].all() and (spoiled != CLEAN)[
        planted
    ].mean() > 0.9
    assert (
        quick(plant="entries").fit(CLEAN).best_index_ == 1
    )  # the robust model restores them


# ---------------------------------------------------------------- what is planted


@pytest.mark.parametrize("shape", [(400,), (20, 20), (5, 8, 10), (1, 400)])
def test_a_planted_block_is_one_box_of_an_extreme_value_in_each_sample(shape):
    A = np.random.default_rng(0).uniform(1, 2, (30, 400))
    damaged, scored = planted_damage(A, "blocks", 0.1, shape, np.random.RandomState(0))
    assert (damaged == A)[~scored].all() and np.isin(
        damaged[scored], [A.min(), A.max()]
    ).all()
    part = 0.1 ** (1 / sum(n > 1 for n in shape))
    sides = [max(1, round(part * n)) for n in shape]
    for sample in scored.reshape(-1, *shape):
        box = np.argwhere(sample)
        assert (np.ptp(box, axis=0) + 1 <= sides).all()
        assert (
            np.prod(sides) - 2 < len(box) <= np.prod(sides)
        )  # the extreme itself may lie there
    assert len(np.unique(scored.argmax(axis=1))) > 10  # at other places
    small = A.reshape(-1, 4)
    rng = np.random.RandomState(0)
    assert (
        planted_damage(small, "blocks", 0.25, (2, 2), rng)[1].any(axis=0).all()
    )  # at every edge


def test_planted_rows_are_lost_and_the_others_are_scored_at_hidden_entries():
    A = np.random.default_rng(0).uniform(1, 2, (30, 400))
    damaged, scored = planted_damage(A, "rows", 0.1, None, np.random.RandomState(0))
    lost = np.flatnonzero((damaged != A).mean(axis=1) > 0.5)
    assert len(lost) == 3 and not scored[lost].any() and np.isnan(damaged[scored]).all()
    kept = np.delete(~scored, lost, axis=0)
    np.testing.assert_array_equal(
        np.delete(damaged, lost, 0)[kept], np.delete(A, lost, 0)[kept]
    )


def test_a_function_may_plant_or_hide_what_it_likes():
    """It hides a region; what it writes over missing entries is not scored."""
    holes = np.where(np.eye(60, 40, dtype=bool), np.nan, SPOILED)

    def hide(A, rng):
        return np.where(REGION, np.nan, 7.0), REGION

    seen, scored = planted_damage(holes, hide, 0.1, None, None)
    np.testing.assert_array_equal(scored, REGION & ~np.isnan(holes))
    np.testing.assert_array_equal(np.isnan(seen), REGION | np.isnan(holes))
    by_hand = -np.abs(holes - fitted(PLAIN, seen))[scored].mean()
    search = quick(plant=hide, n_repeats=1, refit=False).fit(holes)
    assert scores(search)[0] == pytest.approx(by_hand, rel=1e-12)


# ---------------------------------------------------------- large data, ranks, progress


def test_a_search_on_some_samples_chooses_alike_and_fits_the_winner_to_all():
    rng = np.random.default_rng(0)
    A = rng.uniform(size=(600, 3)) @ rng.uniform(size=(3, 30))
    A[rng.uniform(size=A.shape) < 0.1] = 5.0
    searches = [quick(max_samples=n, n_repeats=1).fit(A) for n in (None, 600, 100)]
    assert once(max_samples=30).fit(SPOILED).transform(SPOILED).shape == (60, 3)
    assert [search.best_index_ for search in searches] == [1, 1, 1]
    np.testing.assert_array_equal(scores(searches[0]), scores(searches[1]))
    models = [search.best_estimator_ for search in searches]
    np.testing.assert_array_equal(models[0].components_, models[2].components_)


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
    table = search.cv_results_
    assert curve.index[curve["chosen"]].tolist() == [4]
    of_rank = np.array([table[f"split{s}_test_score"] for s in range(5)])
    behind = of_rank[:, [of_rank.mean(axis=0).argmax()]] - of_rank
    np.testing.assert_allclose(curve["error"], sem(behind), rtol=1e-9, atol=1e-15)
    np.testing.assert_array_equal(curve["mean"], table["mean_test_score"])
    assert curve["behind"].min() == 0


# ---------------------------------------------------------------- candidates


def test_the_default_candidates_are_untouched_and_know_counts():
    def names(A):
        models = selection.default_candidates(A, [1, 3], random_state=0)
        for model in models.values():
            kind = type(model)(
                model.n_components, max_iter=100, tol=1e-4, random_state=0
            )
            kind.set_params(
                **{k: model.get_params()[k] for k in KL & model.get_params().keys()}
            )
            assert model.get_params() == kind.get_params()
        return list(models)

    KL = {"loss", "divergence"}
    assert len(names(SPOILED)) == len(names(np.round(SPOILED) - 9)) == 8
    counts = names(np.where(REGION, np.nan, np.round(SPOILED)))
    assert len(counts) == 12 and {"NMF KL, r = 3", "CauchyNMF KL, r = 1"} < set(counts)
    assert names(SPOILED**2) == counts  # quartiles that differ more than fourfold
    assert (
        len(names(np.float32(1e11 * SPOILED))) == 8
    )  # not whole, but without digits for more


def test_candidates_share_a_robust_start_and_are_fitted_as_they_are_alone(monkeypatch):
    """Two starts for all data, to look for samples to drop, and one for what is hidden."""
    made = counted_robust_starts(monkeypatch)
    search = once().fit(SPOILED)
    assert len(made) == 3
    rng = np.random.RandomState(0)
    rng.randint(2**31 - 1)  # the seed of the candidates
    seen, scored, *_ = search._changed_copy(SPOILED, rng)
    for model, score in zip(search.candidates_, scores(search), strict=True):
        assert score == -np.abs(SPOILED - fitted(model, seen))[scored].mean()


@pytest.mark.parametrize("n_components", [3, [2, 3]])
def test_more_jobs_do_not_compute_more_robust_starts(n_components, monkeypatch):
    """In threads, where calls can be counted; the results are equal, too."""
    made = counted_robust_starts(monkeypatch)
    found = []
    with joblib.parallel_config(backend="threading"):
        for n_jobs in (1, 2):
            search = MaskedSearchCV(n_components=n_components, n_jobs=n_jobs)
            found.append(search.set_params(random_state=0).fit(SPOILED))
            found[-1].starts = len(made)
            made.clear()
    one, other = found
    ranks = np.size(n_components)
    # For each rank two starts for all data, and one in each of two repeats.
    assert one.starts == other.starts == 4 * ranks
    np.testing.assert_array_equal(scores(one), scores(other))
    np.testing.assert_array_equal(
        one.best_estimator_.components_, other.best_estimator_.components_
    )
    np.testing.assert_array_equal(one.dropped_, other.dropped_)


def counted_robust_starts(monkeypatch):
    """Return a list that grows by one whenever a robust start is computed."""
    made = []
    fit = starts.robust_fit

    def counted(*given):
        made.append(1)
        return fit(*given)

    monkeypatch.setattr(starts, "robust_fit", counted)
    return made


def test_the_last_fit_goes_on_from_the_best_repeat_if_most_samples_prefer_that():
    for seed, kept in ((3, 1), (1, 0)):
        search = MaskedSearchCV(n_components=3, random_state=seed).fit(SPOILED)
        best = search.candidates_[search.best_index_]
        rng = np.random.RandomState(seed)
        splits = [search.cv_results_[f"split{s}_test_score"] for s in (0, 1)]
        s = int(
            np.argmax([split[search.best_index_] - split.mean() for split in splits])
        )
        one = clone(best).set_params(random_state=best.random_state + s)
        _ = rng.randint(2**31 - 1)
        hidden = clone(one)
        Ht = hidden.fit_transform(
            [search._changed_copy(SPOILED, rng)[0] for _ in splits][s]
        )
        on = {"init": (hidden.components_.T, Ht.T), "scale": hidden.scale_}
        pair = one, clone(one).set_params(**on)
        Ws = [model.fit_transform(SPOILED) for model in pair]
        assert kept == _is_better(pair[1], Ws[1], pair[0], Ws[0], SPOILED)
        np.testing.assert_array_equal(
            search.best_estimator_.components_, pair[kept].components_
        )
        assert search.best_estimator_.get_params() == one.get_params()
    A = np.array([[1.0, 1], [1, 1], [9, 1]])
    model = NMF(1).fit([[1, 1]])
    most, less, last = (
        np.array([[first], [first], [x]]) for first, x in ((1, 1), (2, 5), (1, 5))
    )
    B = model.components_ = np.ones((1, 2))
    assert model.objective(A.T, B.T, most.T) > model.objective(A.T, B.T, less.T)
    pairs = (most, less), (less, most), (last, most)
    assert [_is_better(model, x, model, y, A) for x, y in pairs] == [True, False, False]


def test_hubers_divergence_finds_the_coefficients_of_the_fit_where_entries_differ_in_size():
    rng = np.random.default_rng(0)
    k = np.arange(257)
    i = np.arange(1, 30)[:, None]
    notes = [
        (np.exp(-((1.25 * (k - p * i)) ** 2) / 2) / i).sum(axis=0) for p in (7, 11, 17)
    ]
    A = rng.gamma(2, size=(100, 3)) * rng.binomial(1, 0.4, (100, 3)) @ notes
    A = A * rng.lognormal(0, 0.08, A.shape)
    model = HuberNMF(3, divergence="kullback-leibler", max_iter=100, random_state=0)
    E, F = (
        A - model.inverse_transform(f(A))
        for f in (model.fit_transform, model.transform)
    )
    assert np.linalg.norm(F) < 1.1 * np.linalg.norm(E) < 0.12 * np.linalg.norm(A)


@pytest.mark.slow
# Without the two samples, nothing is beyond the scale of a robust loss, and a fit says so.
@pytest.mark.filterwarnings("ignore::rnmf_tutorial.ScaleWarning")
def test_wrong_samples_go_first_and_all_samples_get_coefficients():
    A = CLEAN.copy()
    rng = np.random.default_rng(0)
    A[[4, 17]] = rng.uniform(0, 3 * CLEAN.max(), (2, 40))
    search = once().fit(A)
    assert search.dropped_.tolist() == [4, 17] and "Capped" in str(search.candidates_)
    told = selection.suspects(search, A, by="samples")
    assert set(told.index[:2]) == {4, 17} and told["weight"].tolist()[:2] == [0, 0]
    fit = np.delete(
        search.inverse_transform(search.transform(A)) - CLEAN, [4, 17], axis=0
    )
    assert np.linalg.norm(fit) < 0.05 * np.linalg.norm(CLEAN)
    assert not len(once().fit(CLEAN).dropped_)
    A[np.delete(np.arange(60), [4, 17]), 0] = np.nan
    # Without these two, a feature would have no known entry.
    kept, partly = search._kept(A, 0, {})
    assert kept.all() and not partly


def test_a_sample_is_wrong_if_its_median_error_is_three_times_that_of_others():
    data = np.tile([9.0, 11, 9, 11, 10, np.nan], (9, 1))
    left_out = np.arange(9) < 3
    data[:3, :5] = (
        [7.1, 12.9, 7.1, 12.9, 10],
        [6.9, 13.1, 6.9, 13.1, 10],
        [9, 11, 9, 11, 1e6],
    )
    model = CappedNMF(1, theta=1.0).with_components(np.ones((1, 6)))
    wrong = _wrong_as_a_whole(model, data, left_out)
    assert wrong.tolist() == [False, True, False]


@pytest.mark.slow
def test_a_sample_with_one_wrong_entry_stays_in_a_narrow_table():
    rng = np.random.default_rng(0)
    clean = rng.gamma(2, size=(60, 3)) @ rng.gamma(2, size=(3, 8))
    A = clean * np.exp(0.05 * rng.normal(size=clean.shape))
    A[[35, 49], [2, 6]] *= 10
    A[27] = 3 * A[27, ::-1]
    search = MaskedSearchCV(n_components=[2, 3, 4], random_state=0).fit(A)
    assert search.dropped_.tolist() == [27] and "Capped" not in str(search.candidates_)
    fit = np.delete(search.inverse_transform(search.transform(A)) - clean, 27, axis=0)
    assert np.linalg.norm(fit) < 0.06 * np.linalg.norm(clean)


@pytest.mark.slow
def test_what_is_clearly_worse_in_squares_is_passed_over_within_its_rank():
    """A tiny scale predicts the median, which has the smaller |e| where most entries are zero."""
    rng = np.random.default_rng(0)
    A = rng.poisson(
        rng.gamma(0.5, size=(200, 3)) @ rng.gamma(0.3, size=(3, 60))
    ).astype(float)
    models = [NMF(3, random_state=0), HuberNMF(3, scale=0.1, random_state=0), NMF(1)]
    search = MaskedSearchCV(models, random_state=0).fit(A)
    assert scores(search)[1] == scores(search).max()
    assert search.cv_results_["passed_over"].tolist() == [False, True, False]
    assert search.best_index_ == 0


@pytest.mark.parametrize("gain", [1.9, 2.1])
def test_who_is_twice_as_far_in_squares_must_be_twice_as_near_in_sizes(gain):
    """If not, it is passed over, and the curve of ranks does not know it."""
    search = quick(n_repeats=1)
    squares = RNG.uniform(1, 2, 60)
    search.candidates_ = [PLAIN, ROBUST, NMF(1)]
    far = (-0.9, 0.0, "", 4 * squares, 1 / gain)
    passed_over = gain < 2
    search._compare([*"abc"], [(-1.0, 0.0, "", squares, 1.0), far, far])
    assert search.cv_results_["passed_over"].tolist() == [False, passed_over, False]
    assert selection.rank_curve(search)["candidate"].tolist() == [
        "c",
        "a" if passed_over else "b",
    ]


def test_zeros_and_missing_entries_have_no_part_in_the_size_of_a_feature():
    more = np.pad(SPOILED, ((0, 90), (0, 0)))
    more[-9:] = np.nan
    sizes = quick(scale_features=True)._sizes(more, more)
    np.testing.assert_array_equal(sizes, np.median(SPOILED, axis=0))


class Labelled(NMF):
    """It wants the labels of its samples."""

    def fit_transform(self, A, y=None):
        np.testing.assert_array_equal(np.where(np.isnan(A[:, 0]), np.nan, y), A[:, 0])
        return super().fit_transform(A)


def test_samples_that_are_drawn_keep_their_labels():
    search = MaskedSearchCV(
        [Labelled(3, **FAST)], max_samples=20, n_repeats=1, refit=False
    )
    assert np.isfinite(scores(search.fit(SPOILED, SPOILED[:, 0]))).all()


@pytest.mark.slow
def test_columns_of_other_units_are_scaled_inside_and_results_are_in_the_units_of_the_file():
    units = np.geomspace(1e-2, 1e4, 40)
    one = once(scale_features=True)
    names = [f"column {k}" for k in range(40)]
    frame = pd.DataFrame(SPOILED * units, columns=names)
    with pytest.warns(rt.ScaleWarning, match="Each is divided by its own"):
        search = once().fit(frame)
    pairs = (search, frame), (one.fit(SPOILED), SPOILED)
    fits = [model.inverse_transform(model.transform(A)) for model, A in pairs]
    np.testing.assert_allclose(
        fits[0] / units, fits[1], rtol=1e-6, atol=1e-6 * SPOILED.max()
    )
    with pytest.warns(rt.ScaleWarning, match="give scale_features=True; if not, False"):
        assert (search.fit(SPOILED * units).feature_scale_ == 1).all()
    empty = pd.DataFrame(1e3 * SPOILED, columns=names).assign(none=0.0)
    assert (once()._sizes(empty, empty.to_numpy()) == 1).all()


def test_a_failing_candidate_is_named_and_the_search_goes_on():
    candidates = {"plain": PLAIN, "no NaN": rt.NeNMF(3), "rank": HuberNMF(99)}
    with pytest.warns(UserWarning, match="failed and is left out") as caught:
        search = MaskedSearchCV(candidates, random_state=0).fit(SPOILED)
    assert len([w for w in caught if "left out" in str(w.message)]) == 2
    assert search.best_index_ == 0
    np.testing.assert_array_equal(np.isnan(scores(search)), [0, 1, 1])
    assert "NaN" in search.cv_results_["error"][1]
    assert "too large" in search.cv_results_["error"][2]
    with pytest.raises(ValueError, match="All candidates failed"):
        MaskedSearchCV([rt.L1NMF(3)]).fit(SPOILED)


def test_bad_input_is_told():
    empty = np.vstack([CLEAN[:3], np.full(40, np.nan)])
    for options, says in (
        ({"holdout": 1.5}, "holdout == 1.5, must be < 1"),
        ({"plant": "trees"}, "plant='trees' is not known; use 'entries', 'blocks'"),
        ({"shape": (6, 6)}, "product is the number of features, 40"),
        ({"plant": lambda A, rng: (A, A)}, "array of booleans"),
        ({"plant": lambda A, rng: (A, REGION)}, "no known entry"),
        ({"plant": lambda A, rng: (A * np.nan, A > 0)}, "candidates .* in sample 0"),
        ({"candidates": []}, "not empty"),
        ({"candidates": 3}, "list or a dict.* it is 3. .*n_components"),
    ):
        with pytest.raises(ValueError, match=says):
            quick().set_params(**options).fit(CLEAN)
    for A, says in (
        (CLEAN[:1, :2], "none can be hidden"),
        (empty, r"SearchCV.fit have no .* in sample 3;"),
        (pd.DataFrame(empty, list("abcd")), "in sample 'd';"),
    ):
        with pytest.raises(ValueError, match=says):
            quick().fit(A)
    with pytest.raises(ValueError, match="write NaN for the few large entries"):
        HuberNMF(1).fit([[1e-300, 1e-300], [2e-300, 1]])
    for options in (
        {"n_components": None},
        {"n_components": "auto"},
        {"scale_features": [1]},
    ):
        with pytest.raises(
            TypeError, match=f"^{next(iter(options))} must be an instance of"
        ):
            once(**options).fit(CLEAN)


@pytest.mark.parametrize(
    "shape", ["8x5", (8.0, 5.0), (-8, -5), (), (2, 2, 2, 5), None, (6, 6), 39]
)
def test_what_is_no_shape_of_these_features_is_told(shape):
    with pytest.raises(
        ValueError, match=r"one, two or three whole .* features, 40, such as \(40,"
    ):
        planting.checked_shape(shape, 40)


# ---------------------------------------------------------------- diagnostics


@pytest.mark.parametrize(
    "model", {type(model): model for model in ESTIMATORS}.values(), ids=repr
)
def test_suspects_take_every_model(model):
    model = with_sizes(model).set_params(
        n_components=2, max_iter=5, tol=0, random_state=0
    )
    told = selection.suspects(model.fit(CLEAN[:20, :10]), CLEAN[:20, :10], by="samples")
    assert told["suspect"].between(0, 1).all()


def test_what_was_put_there_is_suspect_and_found():
    robust = clone(ROBUST).set_params(max_iter=100).fit(SPOILED)
    wrong = SPOILED == 5
    for by, axis in (("samples", 1), ("features", 0)):
        told = selection.suspects(robust, SPOILED.tolist(), by=by)[
            "suspect"
        ].sort_index()
        assert np.corrcoef(told, wrong.mean(axis=axis))[0, 1] > 0.9
    found, by_plain = (
        selection.planted_errors(m, SPOILED, 0.02, 0) for m in (robust, PLAIN)
    )
    assert (found["left"] < 0.5).mean() > 0.9 > (by_plain["left"] < 0.5).mean()


def test_suspects_do_not_hang_on_the_level_of_counts_or_on_how_many_are_wrong():
    rng = np.random.default_rng(0)
    T = rng.uniform(1, 2, (60, 3)) @ rng.uniform(size=(3, 40))
    for share, A in (
        (0.02, rng.poisson(1e5 * T)),
        (0.3, T + 1e-3 * rng.normal(size=T.shape)),
    ):
        wrong = rng.uniform(size=T.shape) < share
        found = np.zeros(T.shape, bool)
        A = np.where(wrong, rng.permuted(3 * A), A)
        told = selection.suspects(CauchyNMF(3, random_state=0).fit(A), A)
        found[told["sample"], told["feature"]] = True
        assert found[wrong].mean() > 0.9 and found[~wrong].mean() < 0.02
    exact = T + 50 * (np.arange(2400).reshape(60, 40) == 7)
    assert len(selection.suspects(CauchyNMF(3, random_state=0).fit(exact), exact)) == 1


def test_suspects_refuse_samples_in_another_order_and_a_fit_to_sparse_data():
    frame = pd.DataFrame(SPOILED)
    model = clone(ROBUST)
    with pytest.raises(ValueError, match="the same order"):
        selection.suspects(model.fit(frame), frame[::-1])
    assert model.sample_names_in_.equals(frame.index)
    assert model.fit(SPOILED).sample_names_in_ is None
    with pytest.raises(TypeError, match=r"fit the model to A.toarray\(\)"):
        selection.suspects(model.fit(csr_array(SPOILED)), SPOILED)


def test_a_row_of_planted_errors_says_what_a_fit_made_of_it():
    told = selection.planted_errors(PLAIN, SPOILED, share=0.02, random_state=3)
    where = hidden_entries(np.ones(CLEAN.shape, bool), 0.02, np.random.RandomState(3))
    assert 0.9 * where.sum() < len(told) <= where.sum()
    assert (told["value"] != told["planted"]).all() and np.isin(
        told["value"], SPOILED[where]
    ).all()
    left = (told["restored"] - told["value"]) / (told["planted"] - told["value"])
    np.testing.assert_allclose(told["left"], left.abs(), rtol=1e-12)


def test_components_are_matched_so_that_they_agree_the_most():
    told = selection.agreement_of_starts(PLAIN, SPOILED, n_starts=2, random_state=3)
    models = [clone(PLAIN).set_params(random_state=seed) for seed in (3, 4)]
    one, other = (model.fit_transform(SPOILED) @ model.components_ for model in models)
    F, G = (normalize(model.components_) for model in models)
    best = max(np.mean(np.sum(F * G[list(p)], axis=1)) for p in permutations(range(3)))
    assert told["cosines"][0, 1] == pytest.approx(best, rel=1e-9)
    gap = np.linalg.norm(one - other) / np.linalg.norm(one)
    assert told["reconstructions"][0, 1] == pytest.approx(gap, rel=1e-9)
    same = selection.agreement_of_starts(
        rt.CauchyNMF(1, scale=1.0, solver="cd"), CLEAN, n_starts=3
    )
    assert same["cosines"].min() > 0.999 and same["reconstructions"].max() < 1e-3

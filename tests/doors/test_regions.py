"""Hiding regions of pictures, and large residuals that lie together."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from rnmf_tutorial import NMF, CappedNMF, HuberNMF, MaskedSearchCV, WindowNMF
from rnmf_tutorial.selection import default_candidates
from rnmf_tutorial.selection.clusters import about_clusters, clusters
from rnmf_tutorial.selection.hiding import hidden_regions
from rnmf_tutorial.selection.scoring import compared

FAST = {"max_iter": 40, "tol": 0, "random_state": 0, "solver": "cd"}
RNG = np.random.default_rng(0)
CLEAN = RNG.gamma(1, size=(60, 3)) @ RNG.gamma(1, size=(3, 64))
NOISY = np.maximum(CLEAN + 0.05 * CLEAN.mean() * RNG.standard_normal(CLEAN.shape), 0)
PLAIN, ROBUST = NMF(3, **FAST), HuberNMF(3, scale=0.05, **FAST)


# ---------------------------------------------------------------- regions


@pytest.mark.parametrize("shape", [(64,), (8, 8), (4, 4, 4), (1, 64), (2, 32)])
def test_a_region_is_a_box_of_a_quarter_of_each_side_in_one_sample(shape):
    rng = np.random.RandomState(0)
    known = rng.uniform(size=CLEAN.shape) < 0.9
    regions = hidden_regions(known, shape, 0.2, rng)
    hidden = regions >= 0
    assert (hidden <= known).all() and hidden.sum() == round(0.2 * known.sum())
    left = known & ~hidden
    assert left.any(axis=0).all() and left.any(axis=1).all()
    sides = [max(1, n // 4) for n in shape]
    for k in range(regions.max() + 1):
        sample, *where = np.argwhere((regions == k).reshape(-1, *shape)).T
        assert len(set(sample)) == 1
        for places, side in zip(where, sides, strict=True):
            assert np.ptp(places) < side
    samples = hidden.any(axis=1).mean()
    assert samples == 1 or np.prod(sides) > 0.2 * 64  # they take turns


def test_a_share_that_cannot_be_hidden_leaves_something_everywhere():
    for seed in range(10):
        rng = np.random.RandomState(seed)
        known = rng.uniform(size=(9, 16)) < 0.4
        known[np.arange(16) % 9, np.arange(16)] = True
        left = known & (hidden_regions(known, (4, 4), 0.95, rng) < 0)
        assert left.any(axis=0).all() and left.any(axis=1).all()
    with pytest.raises(ValueError, match="none can be hidden"):
        hidden_regions(np.ones((1, 4), bool), (4,), 0.5, np.random.RandomState(0))


def test_with_regions_plain_nmf_stays_unless_another_is_a_tenth_better():
    for gain, best in ((0.09, 0), (0.11, 1)):
        runs = [(-1.0, 1.0, 0.1, ""), (-(1.0 - gain), 1.0, 0.1, "")]
        table = compared(["plain", "robust"], [PLAIN, ROBUST], runs, 1, lead=0.1)
        assert table["rank_test_score"][best] == 1
        assert compared(["a", "b"], [PLAIN, ROBUST], runs, 1)["rank_test_score"][1] == 1
        np.testing.assert_array_equal(table["mean_test_score"], [-1.0, -(1.0 - gain)])


def test_with_regions_windows_that_are_far_off_beyond_the_cap_come_last():
    """The others keep their order, and so do those that are far off; a failure is behind all."""
    window = WindowNMF(3, shape=(8, 8))
    models = [PLAIN, window, window, window, window, ROBUST]
    pairs = [(-1.0, 1.0), (-0.5, 1.13), (-0.7, 1.11), (-0.4, 1.3), (np.nan, np.nan), (-0.8, 2.0)]
    runs = [(*pair, 0.1, "") for pair in pairs]
    table = compared(list("abcdef"), models, runs, 1, lead=0.1)
    assert table["rank_test_score"].tolist() == [3, 5, 1, 4, 6, 2]
    table = compared(list("abcdef"), models, runs, 1)
    assert table["rank_test_score"].tolist() == [5, 2, 3, 1, 6, 4]


def test_a_search_over_regions_has_no_unit():
    found = []
    for unit in (1.0, 2.0**20):
        models = [PLAIN, clone(ROBUST).set_params(scale=0.05 * unit)]
        search = MaskedSearchCV(models, shape=(4, 16), random_state=0).fit(unit * NOISY)
        found.append(search.cv_results_["mean_test_score"] / unit)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


# ---------------------------------------------------------------- what lies together


def test_by_chance_the_deviations_are_those_of_a_normal_law():
    """At one rate everywhere; for runs also at rates of their own in samples and features."""
    rng = np.random.default_rng(0)
    known = rng.uniform(size=(60, 80)) < 0.9
    row, column = rng.gamma(4, size=(60, 1)) / 4, rng.gamma(4, size=80) / 4
    for rate, names in ((0.1, ("samples", "features", "runs")), (0.1 * row * column, ("runs",))):
        larges = (known & (rng.uniform(size=known.shape) < rate) for _ in range(300))
        draws = [clusters(large, known) for large in larges]
        for name in names:
            z = np.array([found[name][0] for found in draws])
            assert abs(z.mean()) < 0.35 and 0.7 < z.std() < 1.2, (name, z.mean(), z.std())


def test_the_size_of_a_cluster_is_the_variation_of_the_rates():
    """Half of the samples at twice the rate, the others at none: a variation of one."""
    rng = np.random.default_rng(0)
    rate = np.where(np.arange(400) % 2, 0.2, 0)[:, None]
    known = np.ones((400, 300), bool)
    large = rng.uniform(size=known.shape) < rate
    assert clusters(large, known)["samples"][1] == pytest.approx(1, abs=0.05)
    assert clusters(large.T, known.T)["features"][1] == pytest.approx(1, abs=0.05)
    runs = np.repeat(rng.uniform(size=(400, 60)) < 0.1, 5, axis=1)
    deviations, times = clusters(runs, known)["runs"]
    neighbors = 60 * 0.1 * 4 + 59 * 0.1**2  # in a sample
    chance = (5**2 * (60 * 0.1 * 0.9 + 6**2) - 30) / 300  # k is five times a binomial
    assert deviations > 50 and times == pytest.approx(neighbors / chance, rel=0.05)


def damaged(kind):
    """Return the noisy data with a tenth of gross errors that lie so."""
    rng, (samples, features) = np.random.default_rng(1), np.indices(NOISY.shape)
    where = {
        "none": samples < 0,
        "scattered": rng.uniform(size=NOISY.shape) < 0.1,
        "samples": samples % 10 == 3,
        "features": features % 10 == 3,
        "runs": (features - rng.integers(0, 58, (60, 1))) // 6 == 0,
    }[kind]
    return np.where(where, NOISY.max() * rng.uniform(0.5, 1, NOISY.shape), NOISY)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("none", None),
        ("scattered", None),
        ("samples", "CappedNMF,"),
        ("features", "group='features'"),
        ("runs", "shape="),
    ],
)
def test_a_search_says_once_where_large_residuals_lie_together(kind, says, missing):
    A = damaged(kind)
    if missing:
        A[np.random.default_rng(2).uniform(size=A.shape) < 0.1] = np.nan
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        MaskedSearchCV([PLAIN, ROBUST], n_repeats=1, random_state=0).fit(A)
    told = [str(w.message) for w in caught if "far from the fit" in str(w.message)]
    assert len(told) == (says is not None)
    others = {"CappedNMF,", "group='features'", "shape="} - {says}
    assert not told or (says in told[0] and not any(other in told[0] for other in others))


def test_a_model_that_left_the_bad_samples_out_is_not_advised_to_do_so():
    A = damaged("samples")
    model = CappedNMF(3, **FAST)
    fitted = model.fit_transform(A) @ model.components_
    assert about_clusters(A, fitted, model) is None
    assert "CappedNMF" in about_clusters(A, fitted, PLAIN)


def test_with_the_shape_of_a_sample_nothing_is_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MaskedSearchCV([ROBUST], shape=(8, 8), n_repeats=1, random_state=0).fit(damaged("runs"))


def test_with_the_shape_of_a_sample_a_candidate_has_windows():
    models = default_candidates(NOISY, 3, 0, (8, 8))
    assert len(models) == 8
    assert models["WindowNMF, r = 3"].shape == (8, 8)

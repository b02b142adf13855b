"""What a fit distrusts, by name, and what in a table is no measurement."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from rnmf_tutorial import MCCGR, NMF, CappedNMF, HuberNMF, L1RobustNMF, RobustNMF
from rnmf_tutorial.data import load_indian_pines, load_kinetic, load_orl
from rnmf_tutorial.selection import diagnostics, mark, suspects

FAST = {"solver": "cd", "max_iter": 100, "tol": 0, "random_state": 0}
RNG = np.random.default_rng(0)
CLEAN = RNG.gamma(1, size=(60, 3)) @ RNG.gamma(1, size=(3, 40))
CLEAN = np.maximum(CLEAN + 0.02 * CLEAN.mean() * RNG.standard_normal(CLEAN.shape), 0)
WRONG = RNG.uniform(size=CLEAN.shape) < 0.03
SPOILED = np.where(WRONG, 3 * CLEAN.max(), CLEAN)
FRAME = pd.DataFrame(
    SPOILED, [f"day {k}" for k in range(60)], [f"sensor {k}" for k in range(40)]
)


# ---------------------------------------------------------------- suspects


@pytest.mark.parametrize("model", [NMF, RobustNMF, HuberNMF, L1RobustNMF])
def test_a_row_has_the_numbers_of_its_cell(model):
    model = model(3, **FAST).fit(FRAME)
    told = suspects(model, FRAME)
    fitted = model.inverse_transform(model.transform(FRAME))
    E = SPOILED - fitted
    assert (told["residual"].abs() > 5).all() and len(told) > 0.9 * WRONG.sum()
    cells = (
        FRAME.index.get_indexer(told["sample"]),
        FRAME.columns.get_indexer(told["feature"]),
    )
    assert (told["value"] == SPOILED[cells]).all() and (
        told["fitted"] == fitted[cells]
    ).all()
    assert (told["residual"] * E[cells] > 0).all()
    left = np.clip(1 - abs(getattr(model, "error_", 0) / E), 0, 1)
    assert (told["weight"] == getattr(model, "weights_", left)[cells]).all()
    assert told["residual"].abs().is_monotonic_decreasing


def test_a_deviation_is_that_of_a_feature_longer_for_long_tails_and_that_of_a_count():
    """Of normal errors it is their deviation, in whatever unit, with a tenth of wrong ones too."""
    rng = np.random.default_rng(0)
    units = np.geomspace(1e-3, 1e3, 20)
    fitted = np.tile(20 * units, (2000, 1))
    normal = rng.standard_normal(fitted.shape) * units
    wrong = np.where(rng.uniform(size=fitted.shape) < 0.1, 50 * units, normal)
    for noise in (normal, wrong):
        standard = diagnostics._standardized(fitted + noise, fitted) * units
        assert np.allclose(
            standard[noise == normal], normal[noise == normal], rtol=0.2, atol=0
        )
    longer = units * rng.laplace(size=fitted.shape)
    assert (abs(diagnostics._standardized(fitted + longer, fitted)) > 5).mean() < 2e-4
    assert (abs(longer) > 5 * 1.4826 * np.median(abs(longer), axis=0)).mean() > 1e-3
    levels = np.broadcast_to(np.geomspace(2, 2000, 2000)[:, None], fitted.shape)
    counts = diagnostics._standardized(rng.poisson(levels).astype(float), levels)
    assert 0.8 < counts[:1000].std() / counts[1000:].std() < 1.2


def test_samples_that_a_fit_leaves_out_come_first():
    A = CLEAN.copy()
    A[[7, 31]] = np.random.default_rng(1).uniform(0, 2 * CLEAN.max(), (2, 40))
    told = suspects(CappedNMF(3, **FAST).fit(A), A, by="samples")
    assert set(told.index[:2]) == {7, 31} and told["weight"].tolist()[:2] == [0, 0]
    assert told["weight"][told["weight"] > 0].median() == pytest.approx(1, rel=1e-12)
    assert (
        told["suspect"].iloc[1] > 0.9
        and told["suspect"].median() == 0
        and len(told) == 60
    )


OF_FEATURES = [MCCGR(2, random_state=0), CappedNMF(2, group="features", **FAST)]


@pytest.mark.parametrize("model", OF_FEATURES)
def test_weights_of_features_are_no_weights_of_samples_on_square_data(model):
    A = np.random.default_rng(0).uniform(1, 2, (9, 9))
    A[:, 3] += 20 * np.random.default_rng(1).random(9)
    model.set_params(max_iter=50, tol=0).fit(A)
    told = suspects(model, A, by="features")
    weights = model.weights_ / np.median(model.weights_[model.weights_ > 0])
    np.testing.assert_allclose(told["weight"].sort_index(), weights, rtol=1e-12)
    assert suspects(model, A, by="samples")["weight"].std() < 1e-12


def test_missing_cells_are_not_suspect_and_do_not_count():
    A = np.where(WRONG & (RNG.uniform(size=CLEAN.shape) < 0.5), np.nan, SPOILED)
    model = RobustNMF(3, **FAST).fit(A)
    assert not suspects(model, A).isna().any().any()
    told = suspects(model, A, by="features")
    assert np.isfinite(told.to_numpy()).all()
    order = list(zip(-told["suspect"], -told["residual"], strict=True))
    assert order == sorted(order)


# ---------------------------------------------------------------- mark


def marked_places(A, **options):
    marked, report = mark(A, **options)
    places = np.isnan(np.asarray(marked)) & ~np.isnan(np.asarray(A, float))
    assert report["cells"].sum() == places.sum()
    return places, report


def clean_sets():
    rng = np.random.default_rng(0)
    field = load_indian_pines()
    mixtures = load_kinetic()
    holes = np.where(mixtures.missing, np.nan, mixtures.data)
    yield "faces", load_orl(32).data
    yield "digits", load_digits().data
    yield "field", (field.scale * field.images[:, ::3, ::3]).reshape(200, -1).T
    yield "fluorescence", holes[:, ::3]
    for mean in (0.2, 3, 50):
        yield f"counts around {mean}", rng.poisson(mean, (300, 100))
    yield "overdispersed counts", rng.negative_binomial(0.2, 0.05, (300, 100))
    yield (
        "ratings",
        np.where(rng.random((300, 60)) < 0.2, rng.integers(1, 6, (300, 60)), np.nan),
    )
    yield "yes and no", (rng.random((300, 60)) < 0.3).astype(float)
    topics = rng.dirichlet(np.full(5, 0.3), 400)
    words = rng.dirichlet(np.full(500, 0.05), 5)
    yield "text", np.array([rng.multinomial(80, p) for p in topics @ words], float)
    yield "sums of money", rng.gamma(2, size=(400, 80)) * (rng.random((400, 80)) < 0.1)
    x = np.arange(200)
    amounts = rng.gamma(1, size=(150, 12)) * (rng.random((150, 12)) < 0.5)
    peaks = np.clip(1 - ((x - np.linspace(0, 200, 12)[:, None]) / 15) ** 2, 0, None)
    yield "peaks", amounts @ peaks
    waves = np.sin(
        np.arange(500)[:, None] / rng.uniform(5, 60, 50) + rng.uniform(0, 6, 50)
    )
    yield "half waves", np.maximum(waves, 0) * rng.gamma(4, size=waves.shape)
    y, x = np.mgrid[-12:12, -12:12]
    a, b, c = rng.uniform([-4, -4, 16], [4, 4, 81], (200, 3)).T[:, :, None, None]
    disks = ((y - a) ** 2 + (x - b) ** 2 < c).reshape(200, -1)
    yield "pictures on black", disks * rng.uniform(1, 2, (200, 576))


CLEAN_SETS = dict(clean_sets())


@pytest.mark.parametrize("name", CLEAN_SETS)
def test_hardly_anything_is_marked_in_clean_data(name):
    assert marked_places(CLEAN_SETS[name])[0].mean() < 2e-4


@pytest.mark.parametrize("counts", [False, True])
def test_a_clipped_table_is_marked_where_it_was_clipped(counts):
    A = np.random.default_rng(1).poisson(200 * CLEAN) if counts else CLEAN
    A = np.minimum(A, np.quantile(A, 0.94))
    places, report = marked_places(A)
    np.testing.assert_array_equal(places, A.max() == A)
    (found,) = report[["kind", "where", "value"]].values.tolist()
    assert found == ["saturated", "the table", A.max()]


def test_clipped_features_are_marked_above_and_below():
    high, low = np.quantile(CLEAN, [0.85, 0.15], axis=0)
    high[::2] = np.inf
    low[1::3] = 0
    A = np.clip(CLEAN, low, high)
    places, report = marked_places(A)
    np.testing.assert_array_equal(places, ((high == A) | (low == A)) & (A > 0))
    assert set(report["kind"]) == {"saturated", "floor"}


def test_stuck_sensors_and_constant_runs_are_marked_with_their_names():
    A = FRAME.round(2)
    A.iloc[10:30, 4], A.iloc[50, 20:35] = A.iloc[10, 4], A.iloc[50, 20]
    marked, report = mark(A)
    places = np.zeros(A.shape, bool)
    places[10:30, 4] = places[50, 20:35] = True
    kinds = report[report["kind"] == "stuck"]
    assert kinds["where"].tolist() == [
        "feature sensor 4, samples day 10 to day 29",
        "sample day 50, features sensor 20 to sensor 34",
    ]
    assert marked.isna().to_numpy()[places].all()
    assert marked.index.equals(A.index) and marked.columns.equals(A.columns)


@pytest.mark.parametrize("value", [0.0, 0.7])
def test_dead_lines_are_marked(value):
    A = CLEAN + 0.01
    A[:, 3] = A[11] = value
    places, report = marked_places(A)
    assert places[:, 3].all() and places[11].all() and places.sum() == 99
    assert report["where"].tolist() == ["feature 3", "sample 11"]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("share", [0.04, 0.06, 0.2, 0.4])
def test_dropouts_are_marked_at_any_share(share, transposed):
    rng = np.random.default_rng(0)
    A = rng.gamma(5, size=(300, 96))
    for _ in range(round(share * A.size / 20)):
        feature = rng.integers(96)
        first = rng.integers(281)
        A[first : first + 20, feature] = 0
    A[:, 7] = 0
    places, _ = marked_places(A.T if transposed else A)
    np.testing.assert_array_equal(places.T if transposed else places, A == 0)


def test_what_is_given_stays_and_keeps_its_type():
    A = np.minimum(CLEAN, np.quantile(CLEAN, 0.9)).astype(np.float32)
    before = A.copy()
    assert mark(A)[0].dtype == np.float32
    np.testing.assert_array_equal(A, before)
    with pytest.raises(ValueError, match="least == 2"):
        mark(A, least=2)

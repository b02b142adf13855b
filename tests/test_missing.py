"""Missing entries: filled with WH before every sweep, so that only the known ones count."""

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
from rnmf_tutorial.models.cleaning import filled, known_means
from rnmf_tutorial.models.distances import huber, kl_divergence
from rnmf_tutorial.models.errors.l1_robust import shrink_columns
from rnmf_tutorial.models.visits import surveyed
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from rnmf_tutorial import (
    CIMNMF,
    L21NMF,
    NMF,
    CappedNMF,
    CauchyNMF,
    HuberNMF,
    L1RobustNMF,
    RobustNMF,
    TruncatedCauchyNMF,
    checks,
)
from tests.problems import (
    CHOOSING,
    ESTIMATORS,
    GRAPH_ESTIMATORS,
    as_fitted,
    hidden,
    in_units,
    largest_rise,
    positive,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
A = positive((11, 8), seed=0)
A[3, 4] = A[7, 1] = 4.0
HIDDEN = hidden(A.shape, 0.3)
B = np.where(HIDDEN, np.nan, A)
each = pytest.mark.parametrize("model", CHOOSING, ids=repr)
REFUSING = [*(m for m in ESTIMATORS if not hasattr(m, "solver")), *GRAPH_ESTIMATORS]
LABELS = [0, 0, 1, 1, 2, 2, 0, 1, 2, 0, 1]


def loss(model, X, W, H, missing):
    """Return the loss on the known entries, written out once more, at the model's parameters."""
    WH = W @ H
    E = np.where(missing, 0, X - WH)
    if isinstance(model, NMF) and model.loss != "frobenius":
        return kl_divergence(np.where(missing, 0, X), np.where(missing, 0, WH))
    if isinstance(model, NMF):
        return float((E**2).sum())
    if isinstance(model, RobustNMF):
        return huber(E, model.lam / 2)
    if isinstance(model, L1RobustNMF):
        S = shrink_columns(E, model.lam)
        return float(((E - S) ** 2).sum() + model.lam * (np.abs(S).sum(axis=0) ** 2).sum())
    if isinstance(model, L21NMF | CappedNMF):
        return float(model.loss(np.linalg.norm(E, axis=0)).sum())
    u = (E / model.scale) ** 2
    if isinstance(model, TruncatedCauchyNMF):
        u = np.minimum(u, (model.outliers / model.scale) ** 2)
        return model.scale**2 * float(np.log1p(u).sum())
    return model.scale**2 * float(model.loss(u, model.weight(u)).sum())


# ------------------------------------------------------------------ what counts


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@each
def test_the_loss_on_the_known_entries_descends_from_every_start(model, dtype):
    with np.errstate(divide="raise", invalid="raise"):
        assert largest_rise(model, dtype, 0.3) <= (1e-10 if dtype == "f8" else 2e-3)


@each
def test_the_record_is_the_loss_on_the_known_entries(model):
    kept = []
    model = in_units(model, 1.0).set_params(
        n_components=3, max_iter=8, tol=0, random_state=0,
        callback=lambda k, W, H, state: kept.append((W, H)),
    )  # fmt: skip
    history = model.fit(B).objective_history_
    losses = [loss(model, A.T, W, H, HIDDEN.T) for W, H in kept]
    if model.solver == "cd":
        assert np.allclose(history, losses, rtol=1e-9)
    else:  # with errors that the last sweep found
        assert (history >= np.array(losses) * (1 - 1e-9)).all()
        if not isinstance(model, RobustNMF | L1RobustNMF):
            assert np.allclose(history, losses, rtol=1e-9)


@each
@pytest.mark.parametrize("tol", [0, 1e-3])
def test_what_stands_at_a_missing_entry_does_not_matter(model, tol):
    fits = []
    for value in (np.nan, 0.0, -7.0, 1e6, np.inf):
        hiding = np.ma.masked_array(np.where(HIDDEN, value, A), HIDDEN)
        before = hiding.copy()
        fitted = clone(model).set_params(n_components=3, max_iter=12, tol=tol, random_state=0)
        codes = fitted.fit_transform(hiding)
        assert np.array_equal(hiding.data, before.data, equal_nan=True)
        assert np.array_equal(hiding.mask, before.mask)
        fits.append((codes, fitted.transform(hiding), *shown(fitted)))
    given = B.copy()
    fitted = clone(model).set_params(n_components=3, max_iter=12, tol=tol, random_state=0)
    fits.append((fitted.fit_transform(given), fitted.transform(given), *shown(fitted)))
    assert np.array_equal(given, B, equal_nan=True)
    for other in fits[1:]:
        for ours, theirs in zip(fits[0], other, strict=True):
            assert np.array_equal(ours, theirs)


def shown(model):
    return [model.components_, model.objective_history_, *(getattr(model, n) for n in model.shows)]


def test_masks_of_integers_and_of_nothing():
    whole = np.ma.masked_array(
        [[1, 2, 3], [4, 5, 6], [7, 8, 10]], [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    )
    expected = whole.astype(float).filled(np.nan)
    options = {"max_iter": 5, "tol": 0, "random_state": 0}
    for solver in ("mu", "cd"):
        model = NMF(2, solver=solver, **options)
        for data, same in ((whole, expected), (np.ma.array(A), A), (whole.astype("i2"), expected)):
            assert np.array_equal(model.fit_transform(data), clone(model).fit_transform(same))
        single = np.ma.masked_array(B.astype("f4"), HIDDEN)
        assert model.fit_transform(single).dtype == model.components_.dtype == np.float32


# ------------------------------------------------------------------ against other routes


@each
def test_a_sample_without_its_features_is_one_of_fewer_features(model):
    """Encoding by the known rows of W alone, with a solver that knows nothing of missing ones."""
    model = in_units(model, 1.0).set_params(n_components=2, random_state=0, tol=1e-3, max_iter=60)
    model.fit(A)
    model = as_fitted(model).set_params(n_components=2, tol=1e-11, max_iter=50000)
    model.components_, model.n_features_in_ = positive((2, 8), 3), 8
    lacking, known = A[:5].copy(), [0, 2, 3, 5, 6, 7]
    lacking[:, [1, 4]] = np.nan
    ours = model.transform(lacking)
    fewer = clone(model)
    fewer.components_, fewer.n_features_in_ = model.components_[:, known], 6
    assert np.allclose(ours, fewer.transform(A[:5, known]), atol=1e-5)


@each
def test_absent_features_of_some_samples_leave_a_fit_of_the_complete_ones(model):
    """Rows that no sample but the last has: W there serves that sample alone."""
    if isinstance(model, NMF) and model.normalize is not None:
        pytest.skip("the norm of a column of W counts every feature")
    if isinstance(model, TruncatedCauchyNMF):
        pytest.skip("two of its minima differ by more")
    C = np.vstack([A, positive((1, 8), 4)])
    wide = np.hstack([C, np.full((12, 1), np.nan)])
    wide[-1, -1] = 0.7
    model = in_units(model, 1.0).set_params(n_components=2, max_iter=150, tol=0, random_state=0)
    W, H = positive((9, 2), 5), positive((2, 12), 6)
    wide_fit = clone(model).set_params(init=(W, H), max_iter=600)
    reached = wide_fit.fit(wide).objective_history_[-1]
    complete = clone(model).set_params(init=(W[:8], H), max_iter=600).fit(C).objective_history_[-1]
    # The one more entry can be fitted by its own row of W, so that it costs nothing.
    assert reached == pytest.approx(complete, rel=0.05)


@pytest.mark.parametrize("solver", ["mu", "cd"])
@pytest.mark.parametrize(
    "model",
    [NMF(1), RobustNMF(1, lam=0.4), HuberNMF(1, scale=0.2), CauchyNMF(1, scale=0.5)],
    ids=repr,
)
def test_no_search_finds_a_better_fit_nearby(model, solver):
    """A stationary point of the loss on the known entries, and the best of many starts."""
    X = positive((4, 5), 0)
    missing = hidden(X.shape, 0.3, 3)
    data = np.where(missing, np.nan, X).T
    found = []
    for seed in range(6):
        fitted = clone(model).set_params(solver=solver, max_iter=1500, tol=0, random_state=seed)
        H = fitted.fit_transform(data).T
        found.append((loss(model, X, fitted.components_.T, H, missing), fitted.components_.T, H))

    def value(v):
        return loss(model, X, v[:4, None], v[None, 4:], missing)

    rng = np.random.default_rng(0)
    searched = min(
        scipy.optimize.minimize(
            value, rng.random(9), bounds=[(0, None)] * 9, options={"ftol": 1e-15, "gtol": 1e-10}
        ).fun
        for _ in range(10)
    )
    best, W, H = min(found, key=lambda fit: fit[0])
    assert best <= searched * (1 + 1e-6)
    point = np.append(W / W.mean(), H * W.mean())
    assert checks.kkt_residual(point, scipy.optimize.approx_fprime(point, value, 1e-7)) < 1e-4


@pytest.mark.parametrize("solver", ["mu", "cd"])
@pytest.mark.parametrize(
    "model", [HuberNMF(3), CIMNMF(3), CauchyNMF(3), CappedNMF(3), TruncatedCauchyNMF(3)], ids=repr
)
def test_estimates_count_the_known_entries_alone(model, solver):
    """Half of the entries are gone: with their zero errors, every estimate would be too small."""
    missing = hidden(A.shape, 0.5, 2)
    data = np.where(missing, np.nan, A)
    if solver == "mu":
        solver = model.published
    model = clone(model).set_params(solver=solver, max_iter=5, tol=0, random_state=0)
    states = []
    model.set_params(callback=lambda k, W, H, state: states.append((W, H, state)))
    H = model.fit_transform(data).T
    E = (A.T - model.components_.T @ H)[~missing.T]
    if isinstance(model, CappedNMF):
        lengths = np.linalg.norm(np.where(missing.T, 0, A.T - model.components_.T @ H), axis=0)
        assert model.theta_ == pytest.approx(3 * np.median(lengths), rel=1e-9)
        return
    before = states[-2][2].scale
    assert model.scale_ == pytest.approx(model.estimate_scale(E**2, before), rel=1e-9)
    E0 = (A.T - states[0][0] @ states[0][1])[~missing.T]
    assert states[0][2].scale == pytest.approx(model.estimate_scale(E0**2), rel=1e-9)
    if isinstance(model, TruncatedCauchyNMF):
        sizes = np.sort(np.abs(E))[: len(E) // 2]
        assert model.threshold_ == pytest.approx(sizes.mean() + 3 * sizes.std(), rel=1e-9)


@each
@pytest.mark.parametrize("tol", [0, 1e-3])
def test_a_missing_entry_is_no_error(model, tol):
    model = clone(model).set_params(n_components=3, max_iter=10, tol=tol, random_state=0).fit(B)
    if "error_" in model.shows:
        assert not model.error_[HIDDEN].any()
    if hasattr(model, "outliers_"):
        assert not model.outliers_[HIDDEN].any()
    if "weights_" in model.shows and model.weights_.ndim == 2:
        assert (model.weights_[HIDDEN] == 1).all()  # exactly: filled at the factors of the end


# ------------------------------------------------------------------ transform


@each
def test_the_coefficients_of_a_sample_are_its_own(model):
    if model.solver == "nesterov":
        pytest.skip("its steps are bounded by a mean over the samples")
    model = clone(model).set_params(n_components=3, max_iter=25, random_state=0).fit(B)
    model.set_params(max_iter=300)
    together = model.transform(B)
    for j in (0, 4, 10):
        assert np.allclose(model.transform(B[j : j + 1])[0], together[j], rtol=1e-7, atol=1e-10)
    assert np.allclose(model.transform(B[::-1]), together[::-1], rtol=1e-7, atol=1e-10)


@each
def test_a_fit_that_ends_encoded_ends_with_what_transform_finds(model):
    if not model.ends_encoded() or isinstance(model, L1RobustNMF):
        pytest.skip("this model's fit ends with its last sweep, or goes on from there")
    model = clone(model).set_params(n_components=3, max_iter=300, tol=1e-4, random_state=0)
    assert np.allclose(model.fit_transform(B), model.transform(B), rtol=1e-9, atol=1e-12)


# ------------------------------------------------------------------ what is refused


@each
def test_nothing_known_of_a_sample_or_a_feature(model):
    model = clone(model).set_params(max_iter=3, tol=0)
    name = type(model).__name__
    without_sample, without_feature = A.copy(), A.copy()
    without_sample[[2, 5, 6]] = np.nan
    without_feature[:, 4] = np.nan
    with pytest.raises(
        ValueError, match=rf"{name}\.fit have no entry at all in sample 2 and 2 more; leave such s"
    ):
        model.fit(without_sample)
    with pytest.raises(
        ValueError, match=rf"{name}\.fit have no entry at all in feature 4; leave such features out"
    ):
        model.fit(without_feature)
    model.fit(B)
    with pytest.raises(ValueError, match=rf"{name}\.transform have no entry at all in sample 2"):
        model.transform(without_sample)
    assert np.isfinite(model.transform(without_feature)).all()  # the others tell
    with pytest.raises(ValueError, match="Negative values"):
        model.fit(B - 0.5)
    with pytest.raises(ValueError, match="contains infinity"):
        model.fit(np.where(HIDDEN, np.inf, B))


@pytest.mark.parametrize("model", REFUSING, ids=repr)
def test_the_others_say_who_takes_missing_entries(model):
    sentence = (
        f"contains NaN, and {type(model).__name__} takes no missing entries. Those that do are "
        "NMF, RobustNMF, L1RobustNMF, L21NMF, CappedNMF, HuberNMF, HypersurfaceNMF, CIMNMF, "
        "CauchyNMF and TruncatedCauchyNMF"
    )
    assert {type(m).__name__ for m in CHOOSING} == set(
        sentence.split("are ")[1].replace(" and", ",").split(", ")
    )
    nullable = pd.DataFrame(A).astype("Float64").mask(HIDDEN)
    masked = np.ma.masked_array(A, HIDDEN)
    for data in (B, B.tolist(), pd.DataFrame(B), nullable, masked, B.astype(object)):
        with pytest.raises(ValueError, match=sentence):
            clone(model).fit(data, LABELS)
    fitted = clone(model).set_params(max_iter=3).fit(A, LABELS)
    with pytest.raises(ValueError, match=sentence):
        fitted.transform(B)


def test_tags_say_who_takes_them():
    assert all(get_tags(model).input_tags.allow_nan for model in CHOOSING)
    assert not any(get_tags(model).input_tags.allow_nan for model in REFUSING)


def test_tables_with_gaps():
    frame, nullable = pd.DataFrame(B), pd.DataFrame(A).astype("Float64").mask(HIDDEN)
    model = HuberNMF(2, max_iter=5, tol=0, random_state=0)
    expected = model.fit_transform(B)
    for table in (frame, nullable):
        assert np.array_equal(clone(model).fit_transform(table), expected)


# ------------------------------------------------------------------ the truth


@pytest.mark.parametrize("solver", ["mu", "cd"])
@pytest.mark.parametrize(
    ("share", "error"), [(0.1, 0.01), (0.3, 0.01), (0.5, 0.02), (0.7, 0.05), (0.9, 0.5)]
)
def test_the_missing_entries_of_a_matrix_of_low_rank(solver, share, error):
    truth = positive((120, 3), 0) @ positive((3, 90), 1)
    missing = hidden(truth.shape, share)
    model = NMF(3, solver=solver, max_iter=1500, tol=0, random_state=0)
    codes = model.fit_transform(np.where(missing, np.nan, truth))
    off = (model.inverse_transform(codes) - truth)[missing]
    assert np.linalg.norm(off) <= error * np.linalg.norm(truth[missing])


def test_a_robust_fit_of_half_of_the_entries():
    truth = positive((120, 3), 0) @ positive((3, 90), 1)
    missing, wrong = hidden(truth.shape, 0.5, 1), hidden(truth.shape, 0.03, 2)
    data = np.where(missing, np.nan, np.where(wrong, 10.0, truth))
    off = {}
    for model in (NMF(3), HuberNMF(3, scale=0.05)):
        model.set_params(solver="cd", max_iter=400, tol=0, random_state=0)
        found = model.inverse_transform(model.fit_transform(data))
        off[type(model)] = np.linalg.norm(found - truth) / np.linalg.norm(truth)
    assert off[HuberNMF] < 0.05 < 0.3 < off[NMF]


# ------------------------------------------------------------------ the two small functions


def test_filling_changes_missing_entries_alone_and_in_place():
    X, W, H = positive((4, 6), 0), positive((4, 2), 1), positive((2, 6), 2)
    missing, before = hidden((4, 6), 0.5), X.copy()
    assert filled(X, None, W, H) is X and np.array_equal(X, before)
    assert filled(X, missing, W, H) is X
    assert np.allclose(X, np.where(missing, W @ H, before), rtol=1e-15)


def test_means_of_what_is_known():
    X, missing = positive((4, 6), 0), hidden((4, 6), 0.5)
    expected = [X[~gone, j].mean() for j, gone in enumerate(missing.T)]
    assert np.allclose(known_means(X, missing), expected, rtol=1e-14)
    assert known_means(X.astype("f4"), missing).dtype == np.float32


def test_a_score_is_minus_the_mean_size_of_the_errors_over_the_known_entries():
    model = NMF(2, max_iter=20, tol=0, random_state=0).fit(A)
    gapped = np.where(HIDDEN, np.nan, A)
    errors = np.abs(A - model.inverse_transform(model.transform(gapped)))[~HIDDEN]
    assert model.score(gapped) == pytest.approx(-errors.mean(), rel=1e-12)
    masked = np.ma.masked_array(np.where(HIDDEN, 99.0, A), HIDDEN)
    assert model.score(masked) == pytest.approx(-errors.mean(), rel=1e-12)
    whole = np.abs(A - model.inverse_transform(model.transform(A)))
    assert model.score(A) == pytest.approx(-whole.mean(), rel=1e-12)


def test_masked_data_keep_their_type():
    single = np.ma.masked_array(A.astype("f4"), HIDDEN)
    model = NMF(2, max_iter=2, tol=0, random_state=0)
    assert model.fit(single).components_.dtype == np.float32
    tags = model.__sklearn_tags__().transformer_tags
    assert tags.preserves_dtype == ["float64", "float32"]


def test_a_warning_of_a_fit_names_the_model():
    with pytest.warns(ConvergenceWarning, match=r"^NMF stopped at max_iter=2 before"):
        NMF(2, max_iter=2, tol=1e-12, random_state=0).fit(A)


@pytest.mark.parametrize(
    "when", [pd.date_range("2020", periods=11), pd.timedelta_range("1h", periods=11)]
)
def test_dates_and_times_are_no_amounts(when):
    table = pd.DataFrame(A).assign(when=when)
    with pytest.raises(ValueError, match="Column 'when' of the data holds dates or times"):
        NMF(2).fit(table)
    NMF(2, max_iter=2, tol=0).fit(table.drop(columns=["when"]).rename(columns=str))


def test_the_mean_in_the_holes_is_summed_in_double():
    for seed in range(20):
        A = positive((60, 40), seed).astype(np.float32)
        holes = hidden(A.shape, 0.3)
        filled_in = NMF()._with_means(A, holes, "fit")
        assert filled_in.dtype == np.float32
        assert (filled_in[holes] == np.float32(A[~holes].mean(dtype=float))).all()


def test_a_fit_with_holes_ends_with_the_coefficients_of_its_known_entries():
    model = CauchyNMF(3, scale=0.3, tol=0.1, random_state=0)
    codes = model.fit_transform(B)
    np.testing.assert_array_equal(codes, model.transform(B))
    filled_in = np.where(HIDDEN, codes @ model.components_, A)
    assert not np.allclose(codes, model.transform(filled_in), rtol=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_coefficients_found_partly_from_products_have_one_type(dtype):
    some = B.copy()
    some[::2] = A[::2]  # every other sample is known
    model = NMF(2, solver="cd", max_iter=5, tol=0, random_state=0).fit(A.astype(dtype))
    assert model.transform(some.astype(dtype)).dtype == dtype


def test_a_mask_on_whole_numbers():
    whole = np.ma.masked_array((10 * A).astype(int), HIDDEN)
    X, missing = NMF().validated(whole, reset=True)
    assert X.dtype == float
    np.testing.assert_array_equal(missing.T, HIDDEN)
    np.testing.assert_array_equal(X.T[~HIDDEN], whole.data[~HIDDEN])


class Table:
    """Columns whose types have names alone."""

    def __init__(self):
        self.dtypes = {"first": "number", "second": object()}

    def __array__(self, dtype=None, copy=None):
        return np.array([[1.0, 2.0], [3.0, 5.0]])


def test_types_that_do_not_say_their_kind_are_no_dates():
    np.testing.assert_array_equal(NMF(1).validated(Table(), reset=True)[0], [[1, 3], [2, 5]])


def test_encoding_starts_at_the_sums_of_what_is_known():
    first = []

    class Watched(CauchyNMF):
        def encode(self, X, W, H):
            first.append(H.copy())
            return super().encode(X, W, H)

    model = Watched(3, scale=0.3, max_iter=1, tol=0, random_state=0).fit(A)
    first.clear()
    model.transform(B)
    (H,) = first
    assert not np.ptp(H, axis=0).any()
    sums = (H.T @ model.components_).sum(axis=1)
    np.testing.assert_allclose(sums, A.shape[1] * np.nanmean(B, axis=1), rtol=1e-12)


@pytest.mark.parametrize(
    ("rows", "words"), [([2], "2; leave"), ([2, 5], "2 and 1 more; l"), ([2, 5, 6], "2 and 2 more")]
)
def test_how_many_samples_are_empty_is_told(rows, words):
    without = A.copy()
    without[rows] = np.nan
    with pytest.raises(ValueError, match=f"no entry at all in sample {words}"):
        NMF(2).fit(without)


def test_a_survey_counts_the_known_entries_alone():
    block = np.array([[np.nan, 2.0, -1.0], [np.nan, np.nan, 3.0]])
    least, most, total, count, samples, features = surveyed(block)
    assert (least, most, total, count) == (-1, 3, 4, 3)
    assert samples.tolist() == [False, False] and features.tolist() == [True, False, False]

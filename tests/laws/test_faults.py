"""Laws that a fault of `tests/mutants` broke before any other test noticed it.

They use the public interface of the estimators, and a few functions of the core.
"""

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.base import clone

import rnmf_tutorial as rt
from rnmf_tutorial.arithmetic import inner, rounding
from rnmf_tutorial.fitting import Work, flat_start
from rnmf_tutorial.losses import KULLBACK_LEIBLER, SQUARES, WeightedLoss
from rnmf_tutorial.models.entrywise import EntrywiseNMF
from rnmf_tutorial.solvers import (
    CoordinateDescent,
    KullbackLeiblerDescent,
    Multiplicative,
)


def low_rank(n_samples=30, n_features=20, r=2, seed=0):
    """Return the product of two random factors, samples × features."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 1, (n_samples, r)) @ rng.uniform(0.1, 1, (r, n_features))


def with_gross_errors(A, share=0.1, seed=1):
    """Return a copy in which some entries are five times the largest."""
    A = A.copy()
    A[np.random.default_rng(seed).uniform(size=A.shape) < share] = 5 * A.max()
    return A


def missing_at(A, share=0.2, seed=2):
    """Return a copy with missing entries, and where they are."""
    missing = np.random.default_rng(seed).uniform(size=A.shape) < share
    return np.where(missing, np.nan, A), missing


def fitted(model, A, y=None, **parameters):
    """Return a fitted copy of a model and its coefficients."""
    model = clone(model).set_params(random_state=0, **parameters)
    return model, model.fit_transform(A, y)


# ------------------------------------------------------------------ missing entries

TAKE_MISSING = [
    rt.NMF(),
    rt.NMF(solver="mu"),
    rt.NMF(loss="kullback-leibler"),
    rt.HuberNMF(),
    rt.CauchyNMF(scale=0.1),
    rt.RobustNMF(lam=0.1),
    rt.L21NMF(),
    rt.TruncatedCauchyNMF(),
]


@pytest.mark.parametrize("model", TAKE_MISSING, ids=repr)
def test_missing_entries_of_a_product_are_restored(model):
    """A fit in which they keep a first guess fits this guess instead."""
    A = low_rank()
    holed, missing = missing_at(A)
    model, Ht = fitted(model, holed, n_components=2, max_iter=1000, tol=0)
    error = np.abs(model.inverse_transform(Ht) - A)[missing]
    assert error.mean() < 0.02 * A.mean()


def start_of(model, A, **parameters):
    """Return the product of the factors at the start of a fit, samples × features."""
    model = clone(model).set_params(random_state=0, **parameters)
    start = next(model.sweeps(A))
    return (start.W @ start.H).T


def test_a_start_has_the_mean_of_the_known_entries():
    holed, _ = missing_at(low_rank())
    start = start_of(rt.NMF(), holed, n_components=2)
    assert start.mean() == pytest.approx(np.nanmean(holed))


def test_a_start_by_singular_values_is_exact_for_rank_one():
    A = low_rank(r=1)
    assert start_of(rt.NMF(), A, n_components=1, init="nndsvd") == pytest.approx(A)


def test_a_negative_entry_is_found_in_a_column_with_missing_ones():
    A = low_rank()
    A[1, 2] = np.nan
    A[4, 2] = -1
    with pytest.raises(ValueError, match="Negative values"):
        rt.NMF(2, solver="mu").fit(A)


# ------------------------------------------------------------------ the scale of a sweep

ESTIMATE = [
    rt.HuberNMF(scale="published"),
    rt.CauchyNMF(scale="published", solver="mu"),
    rt.CIMNMF(scale="published"),
    rt.TruncatedCauchyNMF(scale="published", outliers="mad"),
    rt.CappedNMF(theta="published"),
]


@pytest.mark.parametrize("model", ESTIMATE, ids=repr)
def test_the_objective_of_a_sweep_has_the_scale_of_that_sweep(model):
    A = with_gross_errors(low_rank())
    for sweeps in (1, 4):
        model, Ht = fitted(model, A, n_components=2, max_iter=sweeps, tol=0)
        at_the_end = model.objective(A.T, model.components_.T, Ht.T)
        assert model.objective_history_[-1] == pytest.approx(at_the_end, rel=1e-9)


def test_the_objective_of_a_fit_keeps_its_scale_at_other_factors():
    A = with_gross_errors(low_rank())
    model, Ht = fitted(
        rt.HuberNMF(scale="published"), A, n_components=2, max_iter=5, tol=0
    )
    W, H = model.components_.T, 2 * Ht.T
    E = np.abs(A.T - W @ H)
    c = model.scale_
    huber = np.where(c >= E, E**2, 2 * c * E - c**2).sum()
    assert model.objective(A.T, W, H) == pytest.approx(huber)


def test_nagys_iteration_takes_one_step_after_each_sweep():
    """Equation (18) of Guan et al., from the scale of the sweep before."""
    A = with_gross_errors(low_rank())
    model = rt.CauchyNMF(scale="published", n_components=2, tol=0)
    (one, _), (two, Ht) = (fitted(model, A, max_iter=k) for k in (1, 2))
    q = 1 / (1 + (A - Ht @ two.components_) ** 2 / one.scale_**2)
    assert two.scale_ == pytest.approx(one.scale_ * np.sqrt(1 / q.mean() - 1))


def test_samples_of_zeros_have_no_part_in_the_cap():
    A = np.vstack([with_gross_errors(low_rank()), np.zeros((50, 20))])
    model, Ht = fitted(
        rt.CappedNMF(theta="published"), A, n_components=2, max_iter=8, tol=0
    )
    lengths = np.linalg.norm(A - Ht @ model.components_, axis=1)[:30]
    assert model.theta_ == pytest.approx(3 * np.median(lengths))


# ------------------------------------------------------------------ when a fit stops


@pytest.mark.parametrize(
    ("model", "sweeps"),
    [
        (rt.L1NMF(), 61),
        (rt.TruncatedCauchyNMF(scale=0.1, outliers="mixture"), 21),
        (rt.NMF(), 1),
    ],
    ids=["L1NMF", "mixture", "NMF"],
)
def test_a_large_tol_stops_a_fit_after_its_least_number_of_sweeps(model, sweeps):
    model, _ = fitted(model, low_rank(8, 6), n_components=2, tol=1e3, max_iter=100)
    assert model.n_iter_ == sweeps


# ------------------------------------------------------------------ arithmetic


@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_a_normalization_changes_the_factors_and_not_their_product(norm, solver):
    A = low_rank() + 0.1
    plain, Ht = fitted(rt.NMF(3, solver=solver), A, max_iter=20, tol=0)
    normed, Gt = fitted(rt.NMF(3, solver=solver, normalize=norm), A, max_iter=20, tol=0)
    order = {"l1": 1, "l2": 2}[norm]
    assert np.linalg.norm(normed.components_, order, axis=1) == pytest.approx(1)
    assert Gt @ normed.components_ == pytest.approx(Ht @ plain.components_, rel=1e-6)


@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_a_fit_to_tiny_data_is_that_to_the_data_in_another_unit(solver):
    """The guard against division by zero is far below any data."""
    A, unit = low_rank(), 2.0**-80
    one, Ht = fitted(rt.NMF(2, solver=solver), A, max_iter=20, tol=0)
    tiny, Gt = fitted(rt.NMF(2, solver=solver), unit * A, max_iter=20, tol=0)
    assert Gt @ tiny.components_ / unit == pytest.approx(Ht @ one.components_, rel=1e-9)


def test_a_long_sum_of_float32_has_the_digits_of_float64():
    A = np.random.default_rng(0).uniform(size=(1000, 2000)).astype(np.float32)
    A = np.asfortranarray(A)
    exact = float((A.astype(float) ** 2).sum())
    assert inner(A, A) == pytest.approx(exact, rel=2e-7)


def test_the_rounding_of_data_is_that_of_the_entry_of_the_largest_size():
    eps = np.finfo(float).eps
    for data in (np.array([[-4.0, 1.0]]), np.array([[4.0, 1.0]])):
        assert rounding(data) == Work(data).rounding() == 4 * eps


def test_a_flat_start_takes_a_missing_entry_for_the_mean_of_its_sample():
    X = np.array([[1.0, 2.0], [3.0, 7.0], [5.0, 9.0]])
    mask = np.array([[False, True], [False, False], [False, False]])
    W = np.ones((3, 2))
    H = flat_start(Work(X, mask), W)
    assert (W @ H).sum(axis=0) == pytest.approx([9, 24])


class Biweight:
    """Tukey's biweight, whose weights become exactly zero."""

    power = 1

    def value(self, u, q):
        return (1 - (1 - np.minimum(u, 1)) ** 3) / 3

    def slope(self, u, out=None):
        return (1 - np.minimum(u, 1)) ** 2


class BiweightNMF(EntrywiseNMF):
    phi = Biweight()


@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_a_sample_without_any_weight_stays_finite(solver):
    A = low_rank()
    A[3] += 1000
    model, Ht = fitted(
        BiweightNMF(scale=1.0, solver=solver), A, n_components=2, max_iter=30, tol=0
    )
    assert np.isfinite(Ht).all() and np.isfinite(model.components_).all()
    assert (model.weights_[3] == 0).sum() >= 19
    assert Ht[3].any()  # it is still updated, and may come back


# ------------------------------------------------------------------ a robust start


@pytest.mark.parametrize(
    "model", [rt.HuberNMF(), rt.CauchyNMF(), rt.CIMNMF()], ids=repr
)
def test_a_fit_whose_scale_is_estimated_begins_at_a_robust_start(model):
    """The start of the fit is much closer to the clean data than a random one."""
    clean = low_rank(60, 40, 3)
    A = with_gross_errors(clean)
    starts = [start_of(model, A, n_components=3, scale=scale) for scale in (None, 1.0)]
    robust, random = (np.abs(start - clean).mean() for start in starts)
    assert robust < 0.05 * random


def test_a_robust_start_of_many_samples_is_for_samples_from_everywhere():
    """The first half of the samples has the first component alone."""
    parts = low_rank(2, 12, 2, seed=5) * np.repeat([[1, 0, 1], [0, 1, 1]], 4, axis=1)
    coefficients = np.random.default_rng(6).uniform(0.5, 1, (2400, 2))
    coefficients[:1200, 1] = 0
    coefficients[1200:, 0] = 0
    A = coefficients @ parts
    start = start_of(rt.HuberNMF(), A, n_components=2)
    assert np.abs(start - A).mean() < 0.02 * A.mean()


@pytest.mark.parametrize("n_samples", [60, 1100])
def test_a_robust_start_keeps_the_factors_from_which_it_was_computed(n_samples):
    """A model without an estimated scale begins at these, so that it can share the start."""
    A = low_rank(n_samples)
    start = rt.HuberNMF(2, random_state=0).robust_start(A)
    first = next(rt.NMF(2, random_state=0).sweeps(A))
    assert (start.given[0] == first.W).all() and (start.given[1] == first.H).all()
    shared = next(rt.NMF(2, init=start).sweeps(A))
    assert (shared.W == first.W).all() and (shared.H == first.H).all()


def test_a_few_enormous_errors_do_not_decide_the_size_of_a_robust_start():
    A = low_rank(60, 40, 3)
    wrong = np.random.default_rng(7).uniform(size=A.shape) < 0.01
    start = start_of(rt.HuberNMF(), np.where(wrong, 3000, A), n_components=3)
    assert np.abs(start - A)[~wrong].mean() < 0.02 * A.mean()


def test_the_scale_is_a_multiple_of_the_noise_and_gross_errors_do_not_raise_it():
    rng = np.random.default_rng(3)
    clean = low_rank(60, 40, 3) + 1 + rng.normal(0, 0.05, (60, 40))
    one, _ = fitted(rt.HuberNMF(), clean, n_components=3)
    many, _ = fitted(rt.HuberNMF(), with_gross_errors(clean, 0.1), n_components=3)
    noise = 1.5 * 0.6745 * 0.05
    assert noise == pytest.approx(one.scale_, rel=0.25)
    assert one.scale_ == pytest.approx(many.scale_, rel=0.25)


# There, no error is beyond the scale, and the fit says so.
@pytest.mark.filterwarnings("ignore::rnmf_tutorial.ScaleWarning")
def test_on_exact_data_the_scale_stays_a_share_of_the_data():
    A = low_rank(60, 40, 2)
    model, _ = fitted(rt.HuberNMF(), A, n_components=2)
    assert model.scale_ >= 1.5 * A.mean() / 400 * 0.999


# ------------------------------------------------------------------ the end of a fit


def test_local_nmf_ends_with_coefficients_of_the_right_size_with_and_without_a_tolerance():
    A = low_rank()
    for tol in (0, 1e-4):
        model, Ht = fitted(rt.LocalNMF(2), A, max_iter=30, tol=tol)
        assert (Ht @ model.components_).sum() == pytest.approx(A.sum(), rel=1e-3)


def test_a_graph_has_its_weight_by_the_positive_data():
    A = low_rank()
    A[:, :5] = 0
    labels = np.arange(len(A)) % 2
    model, _ = fitted(rt.CSNMF(), A, labels, n_components=2, max_iter=2, tol=0)
    assert model.lam_ == pytest.approx(1e-5 / A[A > 0].mean())


# ------------------------------------------------------------------ absolute errors


def test_the_smoothing_of_absolute_errors_ends_near_the_sum_of_the_gross_errors():
    clean = low_rank(r=1)
    A = with_gross_errors(clean, 0.1)
    model, Ht = fitted(rt.L1NMF(), A, n_components=1, max_iter=80, tol=0)
    assert np.median(np.abs(Ht @ model.components_ - clean)) < 2e-3 * clean.mean()


def test_the_last_sweeps_of_absolute_errors_solve_linear_programs():
    """So a fit passes through as many entries as it has unknowns."""
    A = low_rank(12, 10) + 0.1 * np.random.default_rng(8).uniform(size=(12, 10))
    model, Ht = fitted(rt.L1NMF(), A, n_components=2, max_iter=300, tol=1e-6)
    exact = np.abs(A - Ht @ model.components_) < 1e-9
    assert (exact.sum(axis=0) >= 2 - (model.components_ == 0).sum(axis=0)).all()


def test_a_sample_without_a_component_has_exactly_zero_of_it():
    model, _ = fitted(rt.L1NMF(), np.eye(4)[[0, 1, 2, 3, 0]] + 0.1, n_components=2)
    model.components_ = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, 1.0]])
    Ht = model.transform([[2.0, 4.0, 0.0, 2.0], [0.0, 0.5, 1.5, 0.5]])
    assert Ht[0, 1] == Ht[1, 0] == 0
    assert [Ht[0, 0], Ht[1, 1]] == pytest.approx([2, 0.5])


# ------------------------------------------------------------------ an error matrix


def test_the_data_without_the_errors_of_shen_are_not_negative():
    A = with_gross_errors(low_rank())
    A[::3, ::2] = 0
    model = rt.L1RobustNMF(lam=0.04, solver="mu")
    for sweeps in (1, 3, 30):
        model, _ = fitted(model, A, n_components=2, max_iter=sweeps, tol=0)
        assert (A - model.error_).min() > -1e-12


@pytest.mark.parametrize(
    "model", [rt.RobustNMF(lam=0.1), rt.L1RobustNMF(lam=0.04)], ids=repr
)
@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_missing_entries_have_no_errors(model, solver):
    A = with_gross_errors(low_rank())
    holed, missing = missing_at(A)
    model, _ = fitted(model, holed, solver=solver, n_components=2, max_iter=30, tol=0)
    assert np.abs(model.error_[missing]).max() < 1e-12 * A.max()


def test_the_default_weights_of_the_errors_are_as_documented():
    """Twice Huber's cutoff for Zhang's errors, and 16 by the number of features for Shen's."""
    A = with_gross_errors(low_rank())
    huber, _ = fitted(rt.HuberNMF(), A, n_components=2)
    zhang, _ = fitted(rt.RobustNMF(), A, n_components=2)
    assert zhang.lam_ == pytest.approx(2 * huber.scale_)
    shen, _ = fitted(rt.L1RobustNMF(), A, n_components=2, max_iter=10, tol=0)
    given, _ = fitted(
        rt.L1RobustNMF(lam=16 / 20), A, n_components=2, max_iter=10, tol=0
    )
    assert (shen.error_ == given.error_).all()


# ------------------------------------------------------------------ lines


def test_new_samples_are_encoded_with_the_weights_of_the_features():
    A = low_rank()
    A[:, 3] = np.random.default_rng(9).uniform(size=30)
    model, _ = fitted(rt.L21NMF(2, group="features"), A, tol=1e-10, max_iter=20_000)
    roots = np.sqrt(model.weights_)
    W = model.components_.T
    found = model.transform(A[:3])
    weighted = np.array(
        [nnls(roots[:, None] * W, roots * sample)[0] for sample in A[:3]]
    )
    assert found == pytest.approx(weighted, abs=1e-4)
    alike = np.array([nnls(W, sample)[0] for sample in A[:3]])
    assert np.abs(found - alike).max() > 1e-3


def test_the_weight_of_a_sample_is_one_by_the_length_of_its_residual():
    A = with_gross_errors(low_rank())
    model, Ht = fitted(rt.L21NMF(2, solver="mu"), A, max_iter=20, tol=0)
    lengths = np.linalg.norm(A - Ht @ model.components_, axis=1)
    assert model.weights_ == pytest.approx(1 / lengths, rel=1e-6)


# ------------------------------------------------------------------ rules for outliers


@pytest.mark.parametrize("solver", ["cd", "nesterov"])
def test_a_rule_gets_the_number_of_sweeps_done(solver):
    done = []

    def rule(sizes, scale, sweeps):
        done.append(sweeps)
        return 1.0

    model = rt.TruncatedCauchyNMF(scale=0.1, outliers=rule, solver=solver)
    fitted(model, low_rank(), n_components=2, max_iter=5, tol=0)
    assert list(dict.fromkeys(done)) == [0, 1, 2, 3, 4, 5]


def test_a_threshold_does_not_fall_below_the_rounding_of_the_data():
    A = low_rank(r=1)
    model = rt.TruncatedCauchyNMF(scale=0.1, outliers=lambda sizes, scale, done: 0.0)
    model, _ = fitted(model, A, n_components=1, max_iter=5, tol=0)
    assert model.threshold_ >= 0.99 * np.finfo(float).eps * A.max()


# ------------------------------------------------------------------ what a solver returns


@pytest.mark.parametrize("Solver", [CoordinateDescent, KullbackLeiblerDescent])
def test_a_promised_fall_has_the_factor_of_the_loss_in_the_objective(Solver):
    divergence = SQUARES if Solver is CoordinateDescent else KULLBACK_LEIBLER
    falls = []
    for unit in (1.0, 0.5):
        loss = WeightedLoss(divergence=divergence, unit=unit)
        work = Work(low_rank().T)
        W, H = np.ones((20, 2)), np.ones((2, 30))
        comparison = loss.compare(work, W, H)
        falls.append(Solver().update(work, loss, comparison, None).fall)
    assert falls[1] == pytest.approx(0.5 * falls[0]) and falls[0] > 0


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("first", ["H", "W"])
def test_products_that_an_update_hands_on_are_those_of_the_next_comparison(
    first, missing
):
    A = low_rank()
    mask = np.zeros(A.shape, bool)
    if missing:
        _, mask = missing_at(A)
    work = Work(np.where(mask, A.mean(), A).T, mask.T if missing else None)
    rng = np.random.default_rng(4)
    W, H = rng.uniform(size=(20, 2)), rng.uniform(size=(2, 30))
    loss = WeightedLoss()
    comparison = loss.compare(work, W, H)
    update = Multiplicative(first=first).update(work, loss, comparison, None)
    following = loss.compare(work, update.W, update.H)
    assert bool(update.products) != missing
    for name, product in update.products.items():
        assert product == pytest.approx(getattr(following, name))

"""What every estimator promises, and the lemmas behind each update."""

import warnings

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from rnmf_tutorial.models.distances import Products, huber, kl_divergence, squared_error
from rnmf_tutorial.models.errors.l1_robust import SignedErrors, shrink_columns
from rnmf_tutorial.models.errors.robust import Errors, soft_threshold
from rnmf_tutorial.models.initialization import initialize, median_start
from rnmf_tutorial.models.plain.nmf import Reconstruction
from rnmf_tutorial.solvers.coordinate import settle_rows
from rnmf_tutorial.solvers.passes import Seen, coordinate_pass
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import estimator_checks_generator

from rnmf_tutorial import (
    L1NMF,
    NMF,
    CauchyNMF,
    L1RobustNMF,
    LocalNMF,
    RegularizedNMF,
    RobustNMF,
    TruncatedCauchyNMF,
    checks,
)
from rnmf_tutorial.arrays import inner, norms_of_columns, product, ratio, residual, unit_columns
from tests.problems import ESTIMATORS, GRAPH_ESTIMATORS, as_fitted, data, in_units, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
each_estimator = pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
A = positive((11, 8), seed=0)


# check_array_api_input would only say that it needs the environment variable SCIPY_ARRAY_API.
# They test what all fits of a class share, so one is enough; sixty sweeps are, too, except where
# fit and transform must agree.
ONE_OF_EACH_KIND = {
    (type(model), getattr(model, "solver", "")): model for model in reversed(ESTIMATORS)
}
for solver in ("nesterov", "cd"):
    slow = TruncatedCauchyNMF(solver=solver, max_iter=60)  # each costs forty others
    ONE_OF_EACH_KIND[TruncatedCauchyNMF, solver] = slow
CONVERGED = {"check_transformer_general", "check_transformer_data_not_an_array"}
SCIKIT_LEARN = [
    pytest.param(estimator, check, id=f"{estimator!r}-{check.func.__name__}-{number}")
    for model in ONE_OF_EACH_KIND.values()
    for number, (estimator, check) in enumerate(estimator_checks_generator(model))
    if check.func.__name__ != "check_array_api_input"
]


@pytest.mark.parametrize(("estimator", "check"), SCIKIT_LEARN)
@pytest.mark.slow
def test_scikit_learn(estimator, check):
    if check.func.__name__ not in CONVERGED:
        estimator = clone(estimator).set_params(max_iter=60)
    check(estimator)


# ------------------------------------------------------------------ the loop


@each_estimator
@settings(max_examples=40, deadline=None)
@given(problem=data())
def test_every_sweep_descends_and_stays_finite(model, problem):
    A, r, scale = problem
    model = in_units(model, scale)
    model.set_params(n_components=r, max_iter=15, tol=0, random_state=0)
    Ht = model.fit_transform(A)
    for factor in (Ht, model.components_):
        assert np.isfinite(factor).all() and factor.min() >= 0
    # An objective at rounding level of the data cannot be asked to fall.
    noise = 1e-13 * max(np.vdot(A, A) if model.__class__ is RobustNMF else A.sum(), np.vdot(A, A))
    history = model.objective_history_
    checks.decreases(np.maximum(history, noise) if noise else history + 1, rtol=1e-9)


@each_estimator
def test_history_starts_at_the_start_point_and_ends_at_the_fit(model):
    W0, H0 = positive((8, 3), seed=1), positive((3, 11), seed=2)
    seen, states = {}, {}

    def watch(iteration, W, H, state):
        seen[iteration], states[iteration] = (W, H), state

    model = clone(model).set_params(
        n_components=3, init=(W0, H0), max_iter=7, tol=0, callback=watch
    )
    Ht = model.fit_transform(A)
    X, W, H = A.T, model.components_.T, Ht.T
    product, (W0, H0) = W0 @ H0, seen[0]  # a model may normalize the start
    assert np.allclose(W0 @ H0, product, rtol=1e-12)
    if isinstance(model, LocalNMF):  # its fit ends with other coefficients
        H = seen[7][1]
    first = final = None
    if isinstance(model, RobustNMF):
        final = Errors(model.error_.T)
    if isinstance(model, L1RobustNMF):  # P and N: error_ keeps their difference alone
        first, final = states[0], states[7]
    assert model.n_iter_ == 7 and model.objective_history_.shape == (8,)
    assert model.objective_history_[0] == pytest.approx(
        model.objective(X, W0, H0, first), rel=1e-12
    )
    assert model.objective_history_[-1] == pytest.approx(
        as_fitted(model).objective(X, W, H, final), rel=1e-12
    )


@each_estimator
def test_stops_by_its_rule_and_says_when_it_did_not(model):
    model = clone(model).set_params(tol=1e-4, max_iter=2000, random_state=0).fit(A)
    history = model.objective_history_
    change = np.abs(np.diff(history)) / history[:-1]
    if isinstance(model, L1NMF):
        change = change[60:]  # the smoothed sweeps before do not count
    assert model.n_iter_ < 2000 and change[-1] <= 1e-4 and (change[:-1] > 1e-4).all()
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        clone(model).set_params(max_iter=2).fit(A)


@each_estimator
def test_same_seed_same_fit_and_input_untouched(model):
    before = A.copy()
    fits = [clone(model).set_params(random_state=3, max_iter=20, tol=0).fit(A) for _ in range(2)]
    assert np.array_equal(fits[0].components_, fits[1].components_)
    assert np.array_equal(A, before)


@each_estimator
@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda", "nndsvdar"])
@pytest.mark.slow
def test_float32_is_kept_and_agrees(model, init):
    options = {"init": init, "max_iter": 30, "tol": 0, "random_state": 0}
    double = clone(model).set_params(**options).fit(A)
    single = clone(model).set_params(**options)
    Ht = single.fit_transform(A.astype(np.float32))
    assert Ht.dtype == single.components_.dtype == single.transform(A.astype("f4")).dtype == "f4"
    assert single.objective_history_[-1] == pytest.approx(double.objective_history_[-1], rel=1e-3)


def test_float32_records_the_objective_to_four_digits_when_the_fit_is_close():
    W, H = positive((60, 3), 0), positive((3, 90), 1)
    B = (W @ H + 0.01 * positive((60, 90), 2)).T
    model = NMF(3, max_iter=400, tol=0, random_state=0)
    double, single = clone(model).fit(B), clone(model).fit(B.astype("f4"))
    assert np.allclose(single.objective_history_, double.objective_history_, rtol=2e-3)
    checks.decreases(single.objective_history_, rtol=1e-4)


@pytest.mark.parametrize("part", [1e-2, 1e-4, 1e-6, 1e-9])
def test_the_distance_from_products_keeps_ten_digits_however_close_the_fit(part):
    W, H = positive((40, 3), 0), positive((3, 50), 1)
    X = W @ H + part * (positive((40, 50), 2) - 0.5)
    products = Products(inner(X, X), W.T @ W, X @ H.T, H @ H.T)
    found, exact = squared_error(X, W, H, products), squared_error(X, W, H)
    assert found == pytest.approx(exact, rel=1e-9, abs=0)


def test_columns_get_length_one_unless_the_sum_is_asked_for():
    W, H = np.array([[3.0, 1.0], [4.0, 3.0]]), np.ones((2, 5))
    assert norms_of_columns(W).tolist() == pytest.approx([5.0, np.sqrt(10)], rel=1e-15)
    assert np.allclose(np.linalg.norm(unit_columns(W, H)[0], axis=0), 1, rtol=1e-15)
    assert norms_of_columns(W, "l1").tolist() == [7.0, 4.0]
    assert norms_of_columns(W.astype("f4"), "l1").dtype == np.float32


def test_a_sum_in_float32_has_more_digits_than_its_terms():
    V = np.array([[4096, 0], [1, 0]], "f4")
    assert inner(V, V) == 2**24 + 1  # which float32 has no number for


@each_estimator
def test_zero_rows_columns_and_matrices(model):
    B = A.copy()
    B[2], B[:, 5] = 0, 0
    model = clone(model).set_params(max_iter=50, tol=0, random_state=0)
    Ht = model.fit_transform(B)
    if isinstance(model, TruncatedCauchyNMF):  # a sample that is all outliers may stay as it is
        Ht = model.transform(B)
    reconstruction = model.inverse_transform(Ht)
    # In L1RobustNMF's coordinate descent an empty sample shrinks by a factor a pass.
    least = 1e-30 if isinstance(model, L1RobustNMF) and model.solver == "cd" else 0
    assert reconstruction[2].max() <= least and reconstruction[:, 5].max() <= least
    assert not model.transform(B)[2].any()
    for init in ("random", "nndsvd", "nndsvda", "nndsvdar"):
        zero = clone(model).set_params(init=init).fit(np.zeros((4, 5)))
        assert not zero.objective_history_.any()
        # A basis of length one cannot be zero.
        assert zero.components_.any() == isinstance(model, RegularizedNMF)
        assert not zero.transform(np.zeros((2, 5))).any()


@each_estimator
def test_transform_solves_the_problem_with_the_basis_fixed(model):
    model = clone(model).set_params(n_components=3, random_state=0, max_iter=50, tol=1e-9).fit(A)
    model.set_params(max_iter=20000)  # any basis will do, but its coefficients must be the best
    X, W = A.T, model.components_.T
    H = model.transform(A).T

    def value(H):
        if isinstance(model, RobustNMF):
            return huber(X - W @ H, model.lam_ / 2)
        if isinstance(model, L1RobustNMF):
            S = shrink_columns(X - W @ H, model.lam)
            return model.objective(X, W, H, SignedErrors(np.maximum(S, 0), np.maximum(-S, 0)))
        if isinstance(model, LocalNMF):
            return kl_divergence(X, W @ H)
        return as_fitted(model).objective(X, W, H)

    best = value(H)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1):
        for _ in range(100):
            nearby = np.maximum(H + size * rng.standard_normal(H.shape), 0)
            assert value(nearby) >= best * (1 - 1e-7)


def test_transform_equals_nonnegative_least_squares():
    model = NMF(3, random_state=0, max_iter=50000, tol=1e-12).fit(A)
    exact = np.array([scipy.optimize.nnls(model.components_.T, a)[0] for a in A])
    assert np.abs(model.transform(A) - exact).max() < 1e-5


@each_estimator
def test_callback_sees_every_iterate_and_can_stop(model):
    seen = []
    model = clone(model).set_params(
        tol=0, callback=lambda iteration, W, H, state: seen.append(iteration) or iteration == 4
    )
    assert model.fit(A).n_iter_ == 4 and seen == [0, 1, 2, 3, 4]


def test_a_callback_that_only_watches_leaves_the_stop_to_tol():
    options = {"tol": 1e-3, "random_state": 0}
    alone, watched = NMF(2, **options), NMF(2, callback=lambda *_: None, **options)
    assert watched.fit(A).n_iter_ == alone.fit(A).n_iter_ < 2000


def test_only_a_fit_that_missed_its_tolerance_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NMF(2, max_iter=2, tol=0).fit(A)
        NMF(2, max_iter=5, tol=1e-12, callback=lambda iteration, *_: iteration == 2).fit(A)
        assert NMF(2, tol=1e-5).fit(np.zeros((4, 5))).n_iter_ == 1
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 .* tol=1e-12; raise max_iter"):
        NMF(2, max_iter=2, tol=1e-12).fit(A)


class Standing(NMF):
    """A fit that does not move, whose objective is the number of the sweep in a table."""

    values = (5.0,) * 50

    def sweep(self, X, W, H, state):
        return W, H, state + 1

    def start(self, X, W, H):
        return 0

    def objective(self, X, W, H, state=None):
        return self.values[state]

    def least_sweeps(self):
        return getattr(self, "least", 0)


@pytest.mark.parametrize(
    ("values", "tol", "stops"),
    [
        ((8, 7, 7), 1e-5, 2),
        ((0, 0), 1e-5, 1),
        ((-8, -9, -9.0625, -9.0625), 1 / 64, 2),  # a sixteenth is less than a sixty-fourth of 9
        ((8, 6, 5.25, 4.5), 1 / 8, 2),  # by just that fraction of the earlier value
        ((8, 9, 9.5, 10.5), 1 / 16, 2),  # a rise counts like a fall
    ],
)
def test_it_stops_at_the_first_change_of_at_most_that_fraction(values, tol, stops):
    model = Standing(2, tol=tol)
    model.values = values
    assert model.fit(A).n_iter_ == stops
    assert model.objective_history_.tolist() == list(values[: stops + 1])


def test_the_least_sweeps_are_never_the_last():
    model = Standing(2)
    model.least = 7
    assert model.fit(A).n_iter_ == 8


@pytest.mark.parametrize("unit", [2.0**-40, 2.0**40])
@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_coefficients_settle_by_a_fraction_of_their_length(solver, unit):
    model = NMF(3, solver=solver, tol=1e-4, random_state=0).fit(A)
    assert np.allclose(model.transform(A * unit), model.transform(A) * unit, rtol=1e-12)


def test_each_sample_settles_on_its_own_and_a_round_follows_every_larger_change():
    class Halving(NMF):
        """Each round halves the way to W.T @ X."""

        calls = 0

        def encode(self, X, W, H):
            self.calls += 1
            self.widths.append(X.shape[1])
            return (H + X[:1]) / 2

    model = Halving(1, tol=1 / 64, init=(np.ones((2, 1)), np.ones((1, 3))))
    model.widths = []
    model.check_parameters()
    X = np.array([[8.0, 9.0, 80.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
    H = model.encoded(X, np.ones((2, 1)), np.array([[8.0, 8.0, 8.0, 0.0]]))
    # the way left is (1 - 2^-k): 0 at once; 1, 1/2, ...; 72, 36, ...
    assert model.widths == [4, 2, 2, 1, 1, 1]
    assert np.allclose(H, [[8.0, 9 - 2.0**-3, 80 - 72 / 2.0**6, 0.0]], rtol=1e-15)


@pytest.mark.parametrize("model", [*ESTIMATORS, *GRAPH_ESTIMATORS], ids=repr)
@pytest.mark.parametrize("where", ["one_sweep", "value"])
def test_interrupt_leaves_the_last_finished_sweep(model, where):
    """Every fitted attribute is that of a fit that was asked for just these sweeps."""
    y = [0, 0, 1, 1, 2, 2, 0, 1, 2, 0, 1]
    options = {"n_components": 2, "tol": 0, "random_state": 0}
    if isinstance(model, RegularizedNMF):
        options["lam"] = 0.1  # to find it takes a fit of its own
    finished = clone(model).set_params(max_iter=5, **options)
    if isinstance(model, LocalNMF):
        finished.ends_encoded = lambda: False  # as an interrupted fit does not
    finished.fit(A, y)
    model = clone(model).set_params(max_iter=50, **options)
    interrupted, calls = getattr(model, where), []

    def in_the_sixth(*arguments):
        result = interrupted(*arguments)
        calls.append(1)
        if len(calls) == 6 + (where == "value"):  # which is also taken at the start point
            raise KeyboardInterrupt
        return result

    setattr(model, where, in_the_sixth)
    with pytest.raises(KeyboardInterrupt):
        model.fit(A, y)
    assert model.n_iter_ == 5
    fitted = [name for name in vars(finished) if name.endswith("_")]
    assert {"components_", "objective_history_", *finished.shows} <= set(fitted)
    for name in fitted:
        ours, theirs = getattr(model, name), getattr(finished, name)
        if name != "graph_":
            assert np.array_equal(ours, theirs), name
    finished.set_params(max_iter=50)
    assert np.array_equal(model.transform(A), finished.transform(A))


def test_verbose_shows_progress(capsys):
    NMF(verbose=1, max_iter=3, tol=0).fit(A)
    assert "NMF" in "".join(capsys.readouterr())


# ------------------------------------------------------------------ units


@pytest.mark.parametrize("model", [*ESTIMATORS, *GRAPH_ESTIMATORS], ids=repr)
@pytest.mark.parametrize(
    ("unit", "dtype"),
    [(1e-160, "f8"), (1e160, "f8"), (1e-19, "f4"), (1e19, "f4")],
)
def test_data_that_the_numbers_cannot_hold_are_refused(model, unit, dtype):
    B, y = (A.astype("f8") * unit).astype(dtype), [0, 1] * 5 + [0]
    with pytest.raises(ValueError, match=r"another unit: divide them by 1e[+-]"):
        clone(model).set_params(max_iter=3).fit(B, y)


@each_estimator
@pytest.mark.parametrize(
    ("unit", "dtype"), [(1e-74, "f8"), (1e90, "f8"), (1e-7, "f4"), (1e12, "f4")]
)
def test_within_that_range_a_fit_is_that_of_another_unit(model, unit, dtype):
    """Powers of two change no digit, so that only a floor or an overflow could."""
    unit = 2.0 ** np.round(np.log2(unit))
    options = {"n_components": 2, "max_iter": 5, "tol": 0, "random_state": 0}
    B, far = A.astype(dtype), (A * unit).astype(dtype)
    one, big = in_units(model, 1.0), in_units(model, unit)
    if isinstance(model, RegularizedNMF):
        options["lam_theta"] = 0.1
    rtol = 1e-9 if dtype == "f8" else 2e-3
    Ht, Gt = (m.set_params(**options).fit_transform(V) for m, V in ((one, B), (big, far)))
    theirs = one.inverse_transform(Ht) * unit
    assert np.allclose(big.inverse_transform(Gt), theirs, rtol=rtol, atol=rtol * theirs.max())


def test_an_objective_that_is_not_a_number_is_an_error():
    class Overflowing(NMF):
        def objective(self, X, W, H, state=None):
            return super().objective(X, W, H, state) * (np.inf if state is not self.first else 1)

        def start(self, X, W, H):
            self.first = super().start(X, W, H)
            return self.first

    with pytest.raises(ValueError, match=r"of Overflowing became inf: .* another unit"):
        Overflowing(2).fit(A)


# ------------------------------------------------------------------ bad input


@each_estimator
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_components": 0}, "n_components == 0, must be >= 1"),
        ({"n_components": 9}, "n_components=9 is too large.*take at most 8"),
        ({"n_components": 2.5}, "n_components must be an instance of"),
        ({"max_iter": 0}, "max_iter == 0"),
        ({"tol": -1.0}, "tol == -1"),
        ({"tol": np.nan}, "tol == nan, must be a finite number"),
        ({"init": "zeros"}, "init='zeros' is not known"),
        ({"init": (np.ones((8, 2)),)}, "two arrays"),
        ({"init": (np.ones((11, 2)), np.ones((2, 8)))}, r"W0 in init has shape \(11, 2\)"),
        ({"init": (np.ones((8, 2)), -np.ones((2, 11)))}, "H0 in init must be finite and non-neg"),
        ({"init": (np.ones((8, 2)) * 1j, np.ones((2, 11)))}, "W0 in init must be real"),
        ({"init": (np.full((8, 2), np.nan), np.ones((2, 11)))}, "W0 in init must be finite"),
    ],
)
def test_bad_parameters(model, change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        clone(model).set_params(**change).fit(A)


@pytest.mark.parametrize("Model", [RobustNMF, L1RobustNMF])
@pytest.mark.parametrize("lam", [0, -0.1, np.nan, np.inf])
def test_bad_lam(Model, lam):
    with pytest.raises(ValueError, match=r"lam == .*must be"):
        Model(lam=lam).fit(A)


def test_bad_loss_and_normalization():
    with pytest.raises(ValueError, match="loss='l1' is not known"):
        NMF(loss="l1").fit(A)
    with pytest.raises(ValueError, match="normalize='max' is not known"):
        NMF(normalize="max").fit(A)


@each_estimator
@pytest.mark.parametrize(
    ("B", "message"),
    [
        (A - 0.5, "Negative values.*smallest entry is -0.*Shift or clip"),
        (np.where(A > 0.9, np.inf, A), "contains infinity"),
        (np.empty((0, 5)), "0 sample"),
        (A[0], "Expected 2D array"),
        (A[None], "dim 3"),
        (A + 1j, "Complex data not supported"),
        (scipy.sparse.csr_array(A), "dense data is required"),
        ([["a", "b"]] * 3, "could not convert string"),
    ],
)
def test_bad_data(model, B, message):
    with pytest.raises((ValueError, TypeError), match=f"(?s){message}"):
        clone(model).fit(B)


@each_estimator
def test_bad_new_samples(model):
    with pytest.raises(NotFittedError):
        clone(model).transform(A)
    model = clone(model).set_params(max_iter=5).fit(A)
    with pytest.raises(ValueError, match=r"Negative values.*transform"):
        model.transform(A - 0.5)
    with pytest.raises(ValueError, match="7 features"):
        model.transform(A[:, :7])
    with pytest.raises(ValueError, match="5 columns; this model has 2"):
        model.inverse_transform(np.ones((3, 5)))


# ------------------------------------------------------------------ building blocks


def test_ratio_is_exact_and_guarded():
    a, b = positive((4, 3), 0), positive((4, 3), 1)
    assert np.array_equal(ratio(a, b), a / b)
    assert np.array_equal(ratio(a, b[:1]), a / b[:1])
    assert 0 * ratio(np.ones(1), np.zeros(1)) == 0
    assert 0 * ratio(np.ones(1, "f4"), np.zeros(1, "f4")) == 0
    out = b.copy()
    assert ratio(a, out, out=out) is out and np.array_equal(out, a / b)


@pytest.mark.parametrize(("norm", "order"), [("l1", 1), ("l2", 2)])
def test_unit_columns_keeps_the_product(norm, order):
    W, H = positive((5, 3), 0), positive((3, 7), 1)
    W[:, 1] = 0
    V, G = unit_columns(W, H, norm)
    assert np.allclose(np.linalg.norm(V, order, axis=0), [1, 0, 1], rtol=1e-14)
    assert np.allclose(V @ G, W @ H, rtol=1e-13)
    assert np.array_equal(G[1], H[1])


def test_product_residual_and_inner_in_any_order():
    W, H = positive((5, 3), 0), positive((3, 7), 1)
    X = positive((7, 5), 2).T
    assert np.allclose(product(W, H), W @ H, rtol=1e-14)
    assert residual(X, W, H).flags.f_contiguous
    assert np.allclose(residual(X, W, H), X - W @ H, rtol=1e-14, atol=1e-15)
    assert inner(X, X) == pytest.approx((X**2).sum(), rel=1e-14)
    assert inner(X, np.ascontiguousarray(X)) == pytest.approx((X**2).sum(), rel=1e-14)


def test_squared_error_from_products_equals_the_residual_also_when_it_cancels():
    W, H = positive((6, 2), 0), positive((2, 9), 1)
    for noise in (1.0, 1e-3, 1e-6, 0.0):
        X = W @ H + noise * positive((6, 9), 2)
        kept = NMF().start(X, W, H)
        direct = ((X - W @ H) ** 2).sum()
        assert squared_error(X, W, H, kept) == pytest.approx(direct, rel=1e-9, abs=1e-28)


def test_kl_divergence_against_the_formula_with_zeros():
    X, Y = positive((4, 5), 0), positive((4, 5), 1)
    X[1, 2] = 0
    terms = [
        y if x == 0 else x * np.log(x / y) - x + y for x, y in zip(X.flat, Y.flat, strict=True)
    ]
    assert kl_divergence(X, Y) == pytest.approx(sum(terms), rel=1e-12)
    assert kl_divergence(X, X) == pytest.approx(0, abs=1e-15)


def test_initialization_matches_the_mean_and_never_holds_zeros():
    X = positive((30, 40), 0)
    W, H = initialize(X, 5, random_state=0)
    assert (W @ H).mean() == pytest.approx(X.mean(), rel=1e-12) and min(W.min(), H.min()) > 0
    W, H = initialize(X, 5, "nndsvd", random_state=0)
    assert (W == 0).any() and np.linalg.norm(X - W @ H) < np.linalg.norm(X)


# ------------------------------------------------------------------ lemmas of the chapters


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_normalization_does_not_change_the_sequence_of_products(loss, norm):
    plain = NMF(3, loss=loss, max_iter=40, tol=0, random_state=0)
    unit = clone(plain).set_params(normalize=norm)
    products = [[W @ H for W, H in checks.iterates(model, A)] for model in (plain, unit)]
    assert checks.same_iterates(*products) < 1e-12


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6), loss=st.sampled_from(["frobenius", "kullback-leibler"]))
def test_the_update_of_H_minimizes_its_surrogate(seed, loss):
    rng = np.random.default_rng(seed)
    m, r = rng.integers(2, 8), rng.integers(1, 5)
    W, x, h = rng.random((m, r)) + 0.01, rng.random(m) + 0.01, rng.random(r) + 0.01
    model = NMF(loss=loss)
    new = model.encode(x[:, None], W, h[:, None])[:, 0]

    def surrogate(v, h):
        if loss == "frobenius":
            K = (W.T @ W @ h) / h
            gradient = 2 * (W.T @ W @ h - W.T @ x)
            return (
                model.objective(x[:, None], W, h[:, None]) + gradient @ (v - h) + K @ (v - h) ** 2
            )
        share = W * h / (W @ h)[:, None]
        with np.errstate(divide="ignore"):
            logs = np.log(W * v) - np.log(share)
        return (x * np.log(x) - x).sum() - (x[:, None] * share * logs).sum() + (W @ v).sum()

    points = [h * rng.uniform(0.01, 3, r) for _ in range(50)] + [new]
    checks.majorizes(
        surrogate, lambda v: model.objective(x[:, None], W, v[:, None]), h, points, rtol=1e-9
    )
    best = surrogate(new, h)
    assert all(surrogate(v, h) >= best - 1e-12 * abs(best) for v in points)


@pytest.mark.parametrize(("loss", "gradients"), [
    ("frobenius", lambda X, W, H: (2 * (W @ H - X) @ H.T, 2 * W.T @ (W @ H - X))),
    ("kullback-leibler", lambda X, W, H: ((1 - X / (W @ H)) @ H.T, W.T @ (1 - X / (W @ H)))),
])  # fmt: skip
def test_gradients_and_stationarity(loss, gradients):
    X, W, H = A.T, positive((8, 2), 1), positive((2, 11), 2)
    model = NMF(2, loss=loss, max_iter=40000, tol=1e-15, random_state=0)
    dW, dH = gradients(X, W, H)
    checks.gradient_matches(lambda V: model.objective(X, V, H), dW, W)
    checks.gradient_matches(lambda V: model.objective(X, W, V), dH, H)
    H = model.fit_transform(A).T
    W = model.components_.T
    dW, dH = gradients(X, W, H)
    assert checks.kkt_residual(W, dW, scale=np.abs(H).sum()) < 1e-5
    assert checks.kkt_residual(H, dH, scale=np.abs(W).sum()) < 1e-5


def test_one_divergence_sweep_entry_by_entry():
    X, W, H = A.T, positive((8, 2), 1), positive((2, 11), 2)
    expected_H = np.empty_like(H)
    WH = W @ H
    for k in range(2):
        for j in range(11):
            top = sum(W[i, k] * X[i, j] / WH[i, j] for i in range(8))
            expected_H[k, j] = H[k, j] * top / W[:, k].sum()
    WH, expected_W = W @ expected_H, np.empty_like(W)
    for i in range(8):
        for k in range(2):
            top = sum(expected_H[k, j] * X[i, j] / WH[i, j] for j in range(11))
            expected_W[i, k] = W[i, k] * top / expected_H[k].sum()
    new_W, new_H, _ = NMF(loss="kullback-leibler").sweep(X, W, H, Reconstruction(W @ H))
    assert np.allclose(new_H, expected_H, rtol=1e-12) and np.allclose(new_W, expected_W, rtol=1e-12)


@settings(max_examples=200, deadline=None)
@given(e=st.floats(-10, 10), threshold=st.floats(1e-3, 5))
def test_soft_thresholding_is_the_minimizer(e, threshold):
    s = float(soft_threshold(np.array([e]), threshold)[0])

    def value(s):
        return 0.5 * (e - s) ** 2 + threshold * abs(s)

    grid = np.concatenate([np.linspace(-12, 12, 2001), [0.0, e, s + 1e-6, s - 1e-6]])
    assert value(s) <= min(value(v) for v in grid) + 1e-12


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), lam=st.floats(1e-4, 5))
def test_cleaned_data_are_never_negative(seed, lam):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((6, 9)) < 0.3, 0, rng.random((6, 9)))
    W, H = rng.random((6, 2)) * 2, rng.random((2, 9))
    X_clean = X - RobustNMF(lam=lam).start(X, W, H).S
    assert X_clean.min() >= -1e-15
    # ... so the absolute values of (23)-(24) change nothing.
    printed = (np.abs((-X_clean) @ H.T) + X_clean @ H.T) / 2
    assert np.allclose(printed, X_clean @ H.T, rtol=1e-12, atol=1e-14)


def test_minimizing_over_S_gives_the_huber_loss():
    X, W, H = A.T, positive((8, 2), 1), positive((2, 11), 2)
    for lam in (0.05, 0.5, 2.0):
        model = RobustNMF(lam=lam)
        best = model.start(X, W, H)
        assert model.objective(X, W, H, best) == pytest.approx(huber(X - W @ H, lam / 2), rel=1e-12)
        rng = np.random.default_rng(0)
        for _ in range(50):
            nearby = Errors(best.S + 0.01 * rng.standard_normal(X.shape))
            assert model.objective(X, W, H, nearby) > model.objective(X, W, H, best)


def test_a_large_lambda_gives_plain_nmf():
    start = positive((8, 3), 1), positive((3, 11), 2)
    options = {"init": start, "max_iter": 30, "tol": 0}

    class WThenH(NMF):
        def sweep(self, X, W, H, now):
            H_t, W_t, _ = NMF.sweep(NMF(), X.T, H.T, W.T, NMF().start(X.T, H.T, W.T))
            return W_t.T, H_t.T, None

    robust = [W @ H for W, H in checks.iterates(RobustNMF(3, lam=100, **options), A)]
    plain = [W @ H for W, H in checks.iterates(WThenH(3, **options), A)]
    assert checks.same_iterates(robust, plain) < 1e-12


def test_scaling_of_data_and_lambda_together():
    options = {"max_iter": 25, "tol": 0, "random_state": 0}
    one = RobustNMF(2, lam=0.1, **options)
    big = RobustNMF(2, lam=0.1 * 1024, **options)
    Ht, Gt = one.fit_transform(A), big.fit_transform(1024 * A)
    assert np.allclose(big.inverse_transform(Gt), 1024 * one.inverse_transform(Ht), rtol=1e-10)
    assert np.allclose(big.objective_history_, 1024**2 * one.objective_history_, rtol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda", "nndsvdar"])
def test_a_start_point_has_the_type_of_the_data(init, dtype):
    for data_ in (np.zeros((4, 5), dtype), A.T.astype(dtype)):
        W, H = initialize(data_, 2, init, random_state=0)
        assert W.dtype == H.dtype == dtype


def test_the_bar_shows_the_last_objective(capsys):
    model = NMF(2, max_iter=1, tol=0, random_state=0, verbose=1).fit(A)
    first, last = (f"objective={value:.6g}" for value in model.objective_history_)
    shown = capsys.readouterr().err
    assert last in shown
    assert first not in shown


def test_too_many_components_are_told_with_both_sizes():
    with pytest.raises(ValueError, match="n_samples = 7 and n_features = 4; take at most 4"):
        NMF(5).fit(np.ones((7, 4)))


def test_a_start_point_takes_the_precision_of_the_data():
    W, H = positive((8, 2), 1), positive((2, 11), 2)
    for factor in initialize(A.T.astype(np.float32), 2, (W, H), 0):
        assert factor.dtype == np.float32


def test_coordinate_descent_keeps_its_last_step_for_the_extrapolation():
    model = NMF(2, solver="cd", random_state=0)
    X, W, H, state = model.begin(A)
    assert state.before is None
    W, H, state = model.one_sweep(X, W, H, state)
    np.testing.assert_allclose(state.before.W @ state.before.H, W @ H, rtol=1e-10)


def test_whose_data_stay_as_they_are_is_encoded_from_the_products_alone():
    model = NMF(3, solver="cd", tol=1e-3, max_iter=50, random_state=0).fit(A)
    X, W = A.T, model.components_.T
    zero = np.zeros((3, len(A)))
    expected = settle_rows(W.T @ W, W.T @ X, zero, tol=1e-3, max_rounds=50)
    np.testing.assert_array_equal(model.encoded(X, W), expected)


def test_the_bar_knows_its_end_is_redrawn_by_the_clock_and_absent_unless_asked_for(capsys):
    model = NMF(2, max_iter=200, tol=0, random_state=0).fit(A)
    assert capsys.readouterr().err == ""
    model.set_params(verbose=1).fit(A)
    shown = capsys.readouterr().err
    assert "200/200" in shown
    assert f"objective={model.objective_history_[-1]:.6g}" in shown
    assert f"objective={model.objective_history_[1]:.6g}" not in shown.rpartition("\r")[2]
    assert shown.count("\r") < 100  # ten times a second, not for each sweep


def test_from_nothing_the_zeros_of_a_start_point_have_the_shapes_of_the_factors():
    W, H = initialize(np.zeros((5, 3)), 2, "nndsvd")
    assert W.shape == (5, 2) and H.shape == (2, 3) and not W.any() and not H.any()


@pytest.mark.parametrize(
    "start",
    [
        lambda X, seed: initialize(X, 2, "nndsvdar", random_state=seed),
        lambda X, seed: initialize(X, 2, "random", random_state=seed),
        lambda X, seed: median_start(X, 2, random_state=seed),
    ],
)
def test_a_seed_gives_its_start_point(start):
    X = np.where(A.T < 0.3, 0, A.T)
    one, again, other = (start(X, seed) for seed in (1, 1, 2))
    for k in (0, 1):
        np.testing.assert_array_equal(one[k], again[k])
        assert not np.array_equal(one[k], other[k])


def test_both_factors_of_a_random_start_fill_the_interval_above_zero():
    for factor in initialize(np.ones((400, 500)), 3, random_state=0):
        spread = np.sort(factor.ravel()) / factor.max()
        even = np.arange(1, factor.size + 1) / factor.size
        np.testing.assert_allclose(spread, even, atol=0.06)  # Kolmogorov and Smirnov


def test_new_data_of_a_tiny_unit_are_encoded():
    """A fit squares them; with the basis fixed nothing does."""
    unit = 2.0**-266  # changes no digit
    model = NMF(3, solver="cd", max_iter=50, tol=0, random_state=0).fit(A)
    with pytest.raises(ValueError, match="Give the data another unit"):
        clone(model).fit(unit * A)
    np.testing.assert_allclose(model.transform(unit * A) / unit, model.transform(A), rtol=1e-12)


@pytest.mark.parametrize("model", [NMF(3), NMF(3, solver="cd"), CauchyNMF(3)], ids=repr)
def test_coefficients_have_the_type_of_the_new_data(model):
    single = A.astype(np.float32)
    for old, new in ((A, single), (single, A)):
        fitted = clone(model).set_params(max_iter=5, tol=0, random_state=0).fit(old)
        assert fitted.transform(new).dtype == new.dtype


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_papers_orientation_lies_in_memory_column_after_column(order):
    X, missing = NMF().validated(np.array(A, order=order), reset=True)
    assert X.flags.f_contiguous and missing is None
    np.testing.assert_array_equal(X, A.T)


def test_every_model_says_that_it_wants_positive_data():
    for model in (*ESTIMATORS, *GRAPH_ESTIMATORS):
        assert model.__sklearn_tags__().input_tags.positive_only is True


def test_the_mean_of_a_random_start_is_that_of_the_data_or_the_one_at_hand():
    X = positive((30, 40), 0)
    for level, mean in ((None, X.mean()), (7.0, 7.0)):
        W, H = initialize(X, 3, random_state=0, level=level)
        np.testing.assert_allclose((W @ H).mean(), mean, rtol=1e-12)


def test_the_third_point_of_coordinate_descent_lies_beyond_the_step():
    X, W, H = A.T, positive((8, 2), 1), positive((2, 11), 2)

    def look(W, H):
        return Seen(float(((X - W @ H) ** 2).sum()), X)

    seen, before, expected = look(W, H), None, []
    model = NMF(2, solver="cd", init=(W, H), max_iter=3, tol=0)
    for _ in range(3):
        W, H, seen, before = coordinate_pass(look, W, H, seen, before)
        expected.append(W @ H)
    found = [W @ H for W, H in checks.iterates(model, A)][1:]
    assert checks.same_iterates(expected, found) < 1e-10
    assert not np.allclose(before.W @ before.H, found[-1], rtol=1e-6)


def test_refusals_name_the_model_and_what_it_was_asked_for():
    fitted = NMF(2, max_iter=2, tol=0).fit(A)
    for method, name in ((fitted.fit, r"NMF\.fit"), (fitted.transform, r"NMF\.transform")):
        with pytest.raises(ValueError, match=f"Negative values in data passed to {name}: the sm"):
            method(A - 0.5)
        with pytest.raises(ValueError, match=f"largest entry of the data passed to {name} is 1"):
            method(np.minimum(A * 1e200, 1e160))


def test_the_sums_of_very_many_squares_are_foreseen():
    shape = (2**32, 2**32)  # their product is beyond the integers of a machine
    most = np.sqrt(float(np.finfo("f4").max) / (1000 * 2.0**64))
    NMF()._check_unit(0.999 * most, shape, np.dtype("f4"), "fit")
    with pytest.raises(ValueError, match="Give the data another unit"):
        NMF()._check_unit(1.001 * most, shape, np.dtype("f4"), "fit")


@pytest.mark.parametrize("dtype", [object, np.int8, np.float16, bool])
def test_coefficients_of_another_type_are_taken_in_double_precision(dtype):
    model = NMF(2, max_iter=2, tol=0, random_state=0).fit(A.astype(np.float32))
    found = model.inverse_transform(np.eye(2).astype(dtype))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, model.components_)


def test_a_unit_is_refused_beyond_its_ends_and_not_at_them():
    """At the upper one a thousand sums of all the squares can be held."""
    shape, dtype = (11, 7), np.dtype(float)
    most = np.sqrt(np.finfo(float).max / (1e3 * 77))
    least = np.sqrt(1e3 * np.sqrt(np.finfo(float).tiny))
    for end in (least, most):
        NMF()._check_unit(end, shape, dtype, "fit")
    for beyond in (least * (1 - 1e-9), most * (1 + 1e-9)):
        with pytest.raises(ValueError, match="another unit"):
            NMF()._check_unit(beyond, shape, dtype, "fit")


def test_an_interrupt_in_the_first_sweep_leaves_the_start_point():
    class Interrupted(NMF):
        def sweep(self, X, W, H, state):
            raise KeyboardInterrupt

    model = Interrupted(2)
    with pytest.raises(KeyboardInterrupt):
        model.fit(A)
    assert model.n_iter_ == 0 and len(model.objective_history_) == 1

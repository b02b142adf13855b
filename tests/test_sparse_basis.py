"""RegularizedNMF: the step on the sphere, the weight λ, and updates that the checks must catch."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rnmf_tutorial import NMF, RegularizedNMF, checks
from rnmf_tutorial.arrays import ratio, unit_columns
from rnmf_tutorial.models.bases.sphere import nearest_unit_columns, safe_step, sphere_step
from rnmf_tutorial.models.distances import Products
from rnmf_tutorial.papers import slips
from tests.problems import data, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
A = positive((11, 8), seed=0)
X = A.T
OPTIONS = {"n_components": 3, "max_iter": 60, "tol": 0, "random_state": 0}
each_lam = pytest.mark.parametrize("lam", [0.0, 0.1, 1.0, 10.0])


def random_factors(rng):
    """Draw data and factors, columns of W of length one, with zeros in all three."""
    m, n, r = rng.integers(2, 9), rng.integers(1, 9), rng.integers(1, 5)
    X, H = (rng.random(shape) * (rng.random(shape) < 0.8) for shape in ((m, n), (r, n)))
    W = nearest_unit_columns(rng.random((m, r)) - 0.2)
    return X, W, H


def smooth_part(X, W, H, lam):
    """Return (10) and its gradient in W, by definition."""
    return 0.5 * ((X - W @ H) ** 2).sum() + lam * W.sum(), (W @ H - X) @ H.T + lam


# ------------------------------------------------------------------ the step


@given(seed=st.integers(0, 10**6), shift=st.sampled_from([-2.0, -0.5, 0.0, 1.0]))
def test_steps_b_and_c_go_to_the_nearest_point(seed, shift):
    rng = np.random.default_rng(seed)
    Y = rng.standard_normal((rng.integers(1, 8), 3)) + shift  # at -2, columns without a plus
    V = nearest_unit_columns(Y)
    assert V.min() >= 0 and np.allclose(np.linalg.norm(V, axis=0), 1, rtol=1e-15, atol=0)
    others = [np.abs(rng.standard_normal(Y.shape)) * (rng.random(Y.shape) < 0.6) for _ in range(99)]
    others += [np.abs(V + 1e-4 * rng.standard_normal(Y.shape)) for _ in range(99)]
    corners = [np.tile(np.eye(len(Y))[:, [i]], 3) for i in range(len(Y))]
    distance = ((V - Y) ** 2).sum(axis=0)
    for other in others + corners:
        length = np.linalg.norm(other, axis=0)
        reachable = length > 0
        other = other[:, reachable] / length[reachable]
        assert (((other - Y[:, reachable]) ** 2).sum(axis=0) >= distance[reachable] - 1e-12).all()


@given(seed=st.integers(0, 10**6), lam=st.sampled_from([0.0, 0.3, 30.0]), steps=st.floats(0.01, 10))
def test_what_a_step_of_any_length_does(seed, lam, steps):
    X, W, H = random_factors(np.random.default_rng(seed))
    before, G = smooth_part(X, W, H, lam)
    L = max(np.linalg.norm(H @ H.T, 2), 1e-3)
    mu = steps / L
    V = nearest_unit_columns(W - mu * G)
    D = V - W
    after, _ = smooth_part(X, V, H, lam)
    noise = 1e-12 * (before + after)
    # The nearest point is no farther from W - μG than W itself is.
    assert np.vdot(G, D) <= -np.vdot(D, D) / (2 * mu) + noise
    # So the step has a bound on its change, negative up to μ = 1/L.
    assert after - before <= -(1 / mu - L) / 2 * np.vdot(D, D) + noise
    # The step of the package never rises.
    V, mu = sphere_step(W, G, H @ H.T)
    assert smooth_part(X, V, H, lam)[0] - before <= noise


def test_a_longer_step_can_rise():
    """Beyond 1/L the bound is no promise: two columns that take the same step overshoot."""
    W = nearest_unit_columns(np.array([[0.99, 0.96], [0.14, 0.28]]))
    X, H, L = np.array([[1.9], [0.5]]), np.ones((2, 1)), 2.0
    before, G = smooth_part(X, W, H, 0.0)
    at_1, at_2_5 = (
        smooth_part(X, nearest_unit_columns(W - steps / L * G), H, 0.0)[0] for steps in (1.0, 2.5)
    )
    assert at_1 < before < at_2_5


@given(seed=st.integers(0, 10**6))
def test_safe_step_is_safe_and_not_much_shorter_than_need_be(seed):
    H = random_factors(np.random.default_rng(seed))[2] + 1e-3
    largest = np.linalg.eigvalsh(H @ H.T)[-1]
    assert 0.5 <= safe_step(H @ H.T) * largest <= 1 + 1e-12


def test_gradients_in_space_and_on_the_sphere():
    W, H = positive((8, 3), 1), positive((3, 11), 2)
    model = RegularizedNMF(3, lam=0.7)
    G = smooth_part(X, W, H, 0.7)[1]
    checks.gradient_matches(lambda V: model.objective(X, V, H), G, W)
    # As a function of any W, measured after its columns are normalized: the tangential part.
    d = np.linalg.norm(W, axis=0)
    U = W / d
    G = smooth_part(X, U, H, 0.7)[1]
    tangential = (G - U * (U * G).sum(axis=0)) / d
    checks.gradient_matches(
        lambda V: model.objective(X, V / np.linalg.norm(V, axis=0), H), tangential, W
    )
    checks.gradient_matches(lambda V: model.objective(X, W, V), W.T @ (W @ H - X), H)


@each_lam
def test_stationary_at_convergence(lam):
    model = RegularizedNMF(2, lam=lam, max_iter=40000, tol=1e-15, random_state=1)
    H = model.fit_transform(A).T
    W = model.components_.T
    G = smooth_part(X, W, H, lam)[1]
    scale = (H @ H.T).max() + lam
    assert checks.kkt_residual(W, G - W * (W * G).sum(axis=0), scale=scale) < 1e-6
    assert checks.kkt_residual(H, W.T @ (W @ H - X), scale=scale) < 1e-4


# ------------------------------------------------------------------ the sweep


@given(problem=data(scales=(1e-3, 1.0, 1e3)), lam_theta=st.sampled_from([0.0, 1.0, 8.0, 1000.0]))
@pytest.mark.slow
def test_columns_keep_length_one_and_steps_stay_within_their_bounds(problem, lam_theta):
    A, r, _ = problem
    previous = {}

    def watch(iteration, W, H, state):
        assert W.min() >= 0 and H.min() >= 0
        assert np.allclose(np.linalg.norm(W, axis=0), 1, rtol=1e-14, atol=0)
        if iteration:
            assert previous["safe"] <= state.mu < 2 * previous["safe"]
        previous["safe"] = safe_step(state.products.HHt)

    model = RegularizedNMF(
        r, lam_theta=lam_theta, max_iter=15, tol=0, random_state=0, callback=watch
    ).fit(A)
    assert model.n_iter_ == 15
    checks.decreases(np.maximum(model.objective_history_, 1e-12 * np.vdot(A, A)) + 1e-30, rtol=1e-9)


def test_a_column_taken_to_zero_becomes_one_pixel():
    """Where the printed steps divide zero by zero, the nearest point is a corner; J still falls."""
    W, H = unit_columns(positive((8, 3), 1), positive((3, 11), 2))
    Y = W - safe_step(H @ H.T) * smooth_part(X, W, H, 1e4)[1]
    with np.errstate(invalid="ignore"):
        assert np.isnan(slips.regularized_c(Y)).all()
    model = RegularizedNMF(**OPTIONS, lam=1e4).fit(A)
    W = model.components_.T
    assert ((W == 0) | (W == 1)).all() and (W.sum(axis=0) == 1).all()
    checks.decreases(model.objective_history_)
    W0 = positive((8, 3), 1)
    W0[:, 1] = 0
    model = clone(model).set_params(lam=0.1, init=(W0, positive((3, 11), 2))).fit(A)
    assert np.allclose(np.linalg.norm(model.components_, axis=1), 1, rtol=1e-14)
    checks.decreases(model.objective_history_)


def test_a_zero_feature_leaves_the_basis():
    B = A.copy()
    B[:, 4] = 0
    model = RegularizedNMF(**OPTIONS).fit(B)
    assert not model.components_[:, 4].any()


def test_an_interrupted_or_unfitted_model_has_an_objective():
    W, H = unit_columns(positive((8, 3), 1), positive((3, 11), 2))
    assert RegularizedNMF(lam=0.5).objective(X, W, H) == pytest.approx(
        smooth_part(X, W, H, 0.5)[0], rel=1e-13
    )


def test_rounding_does_not_decide_where_a_fit_ends():
    """Steps below 2/L do not magnify a difference; with longer ones, another machine differs."""
    B = positive((40, 30), 0)
    W0, H0 = positive((30, 8), 1), positive((8, 40), 2)
    pair = [
        RegularizedNMF(8, lam=0.3, init=(start, H0), max_iter=1000, tol=0).fit(B)
        for start in (W0, W0 * (1 + 1e-13 * np.random.default_rng(0).standard_normal(W0.shape)))
    ]
    assert np.abs(np.subtract(*(model.components_ for model in pair))).max() < 1e-9


@pytest.mark.parametrize("lam_theta", [0.5, 8.0])
def test_with_a_tolerance_a_sample_has_one_encoding(lam_theta):
    model = RegularizedNMF(3, lam_theta=lam_theta, random_state=0)
    assert np.array_equal(model.fit_transform(A), model.transform(A))


# ------------------------------------------------------------------ the weight


def test_lam_by_11_for_rank_one():
    """With r = 1 the solution for λ = 0 is the first singular pair, whatever the start."""
    U, s, _ = np.linalg.svd(X)
    model = RegularizedNMF(1, lam_theta=3.0, max_iter=20000, tol=1e-15, random_state=0).fit(A)
    expected = 3.0 * (0.5 * (s[1:] ** 2).sum()) / np.abs(U[:, 0]).sum()
    assert model.lam_ == pytest.approx(expected, rel=1e-9)


@each_lam
def test_lam_given_equals_lam_found(lam):
    by_theta = RegularizedNMF(**OPTIONS, lam_theta=lam)
    Ht = by_theta.fit_transform(A)
    by_lam = RegularizedNMF(**OPTIONS, lam=by_theta.lam_)
    assert np.array_equal(by_lam.fit_transform(A), Ht)
    assert np.array_equal(by_lam.components_, by_theta.components_)
    free = RegularizedNMF(**OPTIONS, lam=0).fit(A)
    penalty = by_theta.lam_ * free.components_.sum()
    assert penalty == pytest.approx(lam * free.objective_history_[-1], rel=1e-12)


def test_units_of_the_data_do_not_matter():
    one, big = (RegularizedNMF(**OPTIONS) for _ in range(2))
    Ht, Gt = one.fit_transform(A), big.fit_transform(1024 * A)
    assert np.allclose(big.components_, one.components_, rtol=1e-10, atol=1e-14)
    assert np.allclose(Gt, 1024 * Ht, rtol=1e-10, atol=1e-11)
    assert big.lam_ == pytest.approx(1024**2 * one.lam_, rel=1e-12)
    assert np.allclose(big.objective_history_, 1024**2 * one.objective_history_, rtol=1e-12)


def test_without_a_normalization_the_penalty_is_empty():
    W, H = positive((8, 3), 1), positive((3, 11), 2)
    model, distance = RegularizedNMF(lam=5.0), ((X - W @ H) ** 2).sum() / 2
    values = [model.objective(X, W / t, H * t) for t in 10.0 ** np.arange(12)]
    assert checks.decreases(values) < 0
    assert values[-1] == pytest.approx(distance, rel=1e-9)


def test_with_columns_of_sum_one_the_penalty_is_constant():
    for W, H in checks.iterates(NMF(3, normalize="l1", max_iter=20, tol=0, random_state=0), A)[1:]:
        values = [RegularizedNMF(lam=lam).objective(X, W, H) for lam in (0, 5.0)]
        assert values[1] - values[0] == pytest.approx(5.0 * 3, rel=1e-12)


def test_zeros_grow_with_the_weight():
    zeros = []
    for lam_theta in (0, 1, 4, 16):
        model = RegularizedNMF(3, lam_theta=lam_theta, max_iter=500, tol=0, random_state=0).fit(A)
        zeros.append((model.components_ == 0).mean())
    assert zeros == sorted(zeros) and zeros[-1] > zeros[0] + 0.3


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize(("norm", "order"), [("l1", 1), ("l2", 2)])
def test_the_four_competitors_have_unit_columns(loss, norm, order):
    pairs = checks.iterates(NMF(3, loss=loss, normalize=norm, max_iter=9, tol=0), A)
    for W, _ in pairs[1:]:
        assert np.allclose(np.linalg.norm(W, order, axis=0), 1, rtol=1e-14)


@pytest.mark.parametrize("change", [{"lam_theta": -1}, {"lam": -0.1}, {"lam": np.nan}])
def test_bad_weights(change):
    with pytest.raises(ValueError, match=r"lam.* == .*must be"):
        RegularizedNMF(**change).fit(A)


# ------------------------------------------------------------------ broken on purpose


class NoBacktracking(RegularizedNMF):
    """A step of fixed length: here twenty times the safe one."""

    def sweep(self, X, W, H, now):
        products = now.products
        G = W @ products.HHt - products.XHt + self.lam
        V = nearest_unit_columns(W - 20 * safe_step(products.HHt) * G)
        return self.rest(X, V, H, now)

    def rest(self, X, V, H, now):
        VtV = V.T @ V
        H = H * ratio(V.T @ X, VtV @ H)
        return V, H, now._replace(products=Products(now.products.XX, VtV, X @ H.T, H @ H.T))


class BacktracksTooEarly(NoBacktracking):
    """Accepts a step when J has fallen *before* the columns are normalized."""

    def sweep(self, X, W, H, now):
        products = now.products
        G = W @ products.HHt - products.XHt + self.lam
        before, mu = self.objective(X, W, H), 20 * safe_step(products.HHt)
        while self.objective(X, np.maximum(W - mu * G, 0), H) > before:
            mu /= 2
        return self.rest(X, nearest_unit_columns(W - mu * G), H, now)


class PenaltyAfterwards(RegularizedNMF):
    """Takes λ off after the columns are normalized, and so off the sphere."""

    def sweep(self, X, W, H, now):
        V, H, new = super().sweep(X, W, H, now)
        return np.maximum(V - new.mu * self.lam, 0), H, new


class Multiplicative(NoBacktracking):
    """λ in the denominator of Lee and Seung's update, then normalization."""

    def sweep(self, X, W, H, now):
        V = W * ratio(now.products.XHt, W @ now.products.HHt + self.lam)
        return self.rest(X, nearest_unit_columns(V), H, now)


@pytest.mark.parametrize(
    ("Broken", "lam", "seed"),
    [(NoBacktracking, 1.0, 0), (BacktracksTooEarly, 1.0, 0), (Multiplicative, 10.0, 9)],
)
def test_a_rise_is_caught(Broken, lam, seed):
    options = OPTIONS | {"random_state": seed}
    model = Broken(**options, lam=lam).fit(A)
    with pytest.raises(AssertionError, match="raises the objective"):
        checks.decreases(model.objective_history_)
    checks.decreases(RegularizedNMF(**options, lam=lam).fit(A).objective_history_)


def test_a_penalty_on_the_wrong_side_of_the_normalization_is_caught():
    W, _ = checks.iterates(PenaltyAfterwards(**OPTIONS, lam=1.0), A)[1]
    assert np.abs(np.linalg.norm(W, axis=0) - 1).max() > 0.01


def test_where_the_gradient_is_zero_the_first_length_is_taken():
    W, H = np.eye(4, 2), positive((2, 5), 1)  # of length one without rounding
    V, mu = sphere_step(W, np.zeros_like(W), H @ H.T)
    np.testing.assert_array_equal(V, W)
    assert mu == pytest.approx(1.9 * safe_step(H @ H.T), rel=1e-12)


def test_in_single_precision_the_step_is_single_and_the_sum_of_W_double():
    rng = np.random.default_rng(0)
    W = rng.random((20000, 2)).astype(np.float32)
    H = rng.random((2, 3)).astype(np.float32)
    step = safe_step(H @ H.T)
    assert step == np.float32(step)
    model = RegularizedNMF(2, lam=1e6)
    X = W @ H
    found = model.objective(X, W, H) - model.set_params(lam=0.0).objective(X, W, H)
    assert found == pytest.approx(RegularizedNMF(2, lam=1e6)._weight * W.sum(dtype=float), rel=1e-9)


def test_before_the_first_sweep_no_step_has_been_taken():
    options, seen = OPTIONS | {"max_iter": 1}, []
    RegularizedNMF(**options, callback=lambda *now: seen.append(now[3].mu)).fit(A)
    assert seen[0] == 0
    assert seen[1] > 0


def test_the_fit_that_finds_the_weight_says_all_but_that_max_iter_is_small(monkeypatch):
    sweep = RegularizedNMF.sweep

    def told(self, *now):
        warnings.warn(f"a sweep with lam={self.lam}", RuntimeWarning, stacklevel=1)
        return sweep(self, *now)

    monkeypatch.setattr(RegularizedNMF, "sweep", told)
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        RegularizedNMF(3, max_iter=1, random_state=0).fit(A)
    said = [str(warning.message) for warning in record]
    assert said[:2] == ["a sweep with lam=0", "a sweep with lam=None"]
    assert [warning.category for warning in record[2:]] == [ConvergenceWarning]


def test_the_longer_step_is_taken_where_the_objective_does_not_rise():
    rng, longer = np.random.default_rng(0), []
    for _ in range(60):
        X, W, H = random_factors(rng)
        before, G = smooth_part(X, W, H, lam := rng.choice([0.0, 0.1, 1.0]))
        safe = safe_step(H @ H.T)
        if safe > 1e9:  # H is zero
            continue
        after, _ = smooth_part(X, nearest_unit_columns(W - 1.9 * safe * G), H, lam)
        if abs(after - before) > 1e-9:
            _, mu = sphere_step(W, G, H @ H.T)
            assert mu == pytest.approx((1.9 if after < before else 1.0) * safe, rel=1e-12)
            longer.append(after < before)
    assert 0 < sum(longer) < len(longer)

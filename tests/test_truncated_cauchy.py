"""Truncated Cauchy NMF: loss, weights, scale, solver, and Algorithm 2 with the same solver."""

from itertools import islice

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from rnmf_tutorial import (
    CIMNMF,
    CauchyNMF,
    HuberNMF,
    HypersurfaceNMF,
    TruncatedCauchyNMF,
    checks,
)
from rnmf_tutorial.models.initialization import median_start
from rnmf_tutorial.models.weights.nesterov_sweep import NesterovSweep
from rnmf_tutorial.models.weights.outlier_rules import OUTLIER_RULES
from rnmf_tutorial.models.weights.truncated_cauchy import TruncatedWeights
from rnmf_tutorial.papers import guan
from rnmf_tutorial.solvers import weighted_nesterov
from rnmf_tutorial.solvers.nesterov import weighted_nnls
from rnmf_tutorial.solvers.weighted_nesterov import (
    improve_H,
    improve_W,
    lipschitz_bounds,
)
from tests.problems import data, in_units, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

A = positive((11, 8), seed=0)
A[3, 2] += 5
A[7] = A[7, ::-1] * 4
X, W0, H0 = A.T, positive((8, 3), seed=1), positive((3, 11), seed=2)
START = {"init": (W0, H0), "tol": 0, "n_components": 3}
FIXED = {"scale": 0.2, "outliers": 0.5}


def value(e, gamma, epsilon):
    """Return the model's loss of one residual e: data e, W and H zero."""
    model = TruncatedCauchyNMF(scale=gamma, outliers=epsilon)
    return model.objective(np.full((1, 1), abs(e)), np.zeros((1, 1)), np.zeros((1, 1)))


def weight(e, gamma, epsilon):
    model = TruncatedCauchyNMF(scale=gamma, outliers=epsilon)
    return model.start(np.full((1, 1), abs(e)), np.zeros((1, 1)), np.zeros((1, 1))).Q.item()


# ------------------------------------------------------------------ the loss, its weight, duality


@pytest.mark.parametrize(("gamma", "epsilon"), [(1.0, 5.0), (0.1, 0.3), (2.0, 0.5)])
def test_the_loss_is_2_of_the_paper_times_two_gamma_squared(gamma, epsilon):
    def g(x, sigma):
        return np.where(x <= sigma, np.log(1 + x), np.log(1 + sigma))

    for e in (0.01, 0.2, 0.49, 0.51, 4.9, 5.1, 100.0):
        printed = 0.5 * g((e / gamma) ** 2, (epsilon / gamma) ** 2)
        assert value(e, gamma, epsilon) == pytest.approx(2 * gamma**2 * printed, rel=1e-12)
    assert value(1e-9, gamma, epsilon) == pytest.approx(1e-18, rel=1e-9, abs=0)


@settings(deadline=None)
@given(e=st.one_of(st.floats(1e-2, 0.999), st.floats(1.001, 30)), gamma=st.sampled_from([0.3, 2.0]))
def test_weights_by_finite_differences_on_both_sides_of_the_threshold(e, gamma):
    step = 1e-4 * min(e, abs(e - 1))
    low, high = ((e - step) ** 2, (e + step) ** 2)
    slope = (value(e + step, gamma, 1.0) - value(e - step, gamma, 1.0)) / (high - low)
    assert slope == pytest.approx(weight(e, gamma, 1.0), rel=1e-6, abs=1e-12)
    assert (weight(e, gamma, 1.0) < 1e-100) == (e > 1)


@pytest.mark.parametrize("gamma", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("at", [0.0, 0.2, 0.999999, 1.0, 1.5, 40.0])
def test_the_tangent_by_the_squared_residual_is_a_surrogate(gamma, at):
    q = weight(at, gamma, 1.0)

    def loss(e):
        return value(e, gamma, 1.0)

    def tangent(e, at):
        return loss(at) + q * (e**2 - at**2)

    checks.majorizes(tangent, loss, at, np.append(np.linspace(-4, 4, 161), [1 - 1e-9, 1 + 1e-9]))


@pytest.mark.parametrize("sigma", [0.5, 3.0, 25.0])
def test_conjugate_duality_by_brute_force(sigma):
    """Theorem 2: f(x) = max_y (yx - f*(y)), with the maximizer -1/(1+x), beyond σ zero."""
    y = np.linspace(-1, 0, 20001)
    # The supremum over x in f* is at 0, at the kink, or where the slope -1/(1+x) is y.
    inner = np.clip(-1 / np.minimum(y, -1e-12) - 1, 0, sigma)
    f = -np.log1p(np.minimum(inner, sigma))
    conjugate = y * inner - f
    x_grid = np.concatenate([np.linspace(0, 2 * sigma, 4001), np.geomspace(2 * sigma, 1e6, 2000)])
    f_grid = -np.log1p(np.minimum(x_grid, sigma))
    for k in (0, 4000, 12000, 20000):  # the closed form is the supremum
        assert (y[k] * x_grid - f_grid).max() == pytest.approx(conjugate[k], abs=1e-3)
    for x in (0.0, 0.3 * sigma, 0.9 * sigma, 1.1 * sigma, 4 * sigma):
        values = y * x - conjugate
        assert values.max() == pytest.approx(-np.log1p(min(x, sigma)), abs=1e-7)
        e = np.sqrt(x)
        assert -y[values.argmax()] == pytest.approx(weight(e, 1.0, np.sqrt(sigma)), abs=1e-4)
    # At the kink every y between the two slopes is a maximizer.
    values = y * sigma - conjugate
    flat = y[values >= values.max() - 1e-12]
    assert flat.min() == pytest.approx(-1 / (1 + sigma), abs=1e-4) and flat.max() == 0


# ------------------------------------------------------------------ the scale


def nagy_steps(E, start, count):
    scales = [start]
    for _ in range(count):
        scales.append(CauchyNMF.estimate_scale(E**2, scales[-1]))
    return scales


def test_nagy_ends_at_scipys_maximum_likelihood_fit():
    E = scipy.stats.cauchy.rvs(scale=0.3, size=(50, 40), random_state=0)
    scale = nagy_steps(E, 1.0, 200)[-1]
    # The fixed point solves the likelihood equation: the mean of the weights is one half.
    assert (1 / (1 + (E / scale) ** 2)).mean() == pytest.approx(0.5, abs=1e-13)
    location, fitted = scipy.stats.cauchy.fit(
        E.ravel(), floc=0, optimizer=lambda *a, **k: scipy.optimize.fmin(*a, **k, xtol=1e-12)
    )
    assert location == 0
    assert scale == pytest.approx(fitted, rel=1e-7)  # as exactly as SciPy's values resolve it


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), exponent=st.floats(-6, 6))
def test_nagy_converges_monotonically_from_any_start(seed, exponent):
    rng = np.random.default_rng(seed)
    E = rng.standard_normal((9, 7)) * rng.exponential(1, 7) ** 2
    start = 10.0**exponent
    scales = np.array(nagy_steps(E, start, 400))
    end = scales[-1]
    assert (1 / (1 + (E / end) ** 2)).mean() == pytest.approx(0.5, abs=1e-9)
    steps = np.diff(scales)
    tiny = 1e-12 * scales[1:]
    assert (steps >= -tiny).all() if start < end else (steps <= tiny).all()


def test_nagy_collapses_when_half_of_the_errors_are_zero():
    E = np.array([[0.0, 0.0, 0.0, 1.0, 2.0]])
    assert nagy_steps(E, 1.0, 200)[-1] < 1e-8


# ------------------------------------------------------------------ weighted least squares


def problem(seed):
    rng = np.random.default_rng(seed)
    r = int(rng.integers(1, 6))
    m, n = r + int(rng.integers(3, 9)), int(rng.integers(1, 9))
    W = rng.random((m, r)) * (rng.random((m, r)) < 0.8) + 0.01
    X, Q = rng.random((m, n)), rng.random((m, n)) * (rng.random((m, n)) < 0.8) + 1e-3
    return X, W, rng.random((r, n)), Q


def repeated(X, W, H, Q, times=150):
    for _ in range(times):
        H = improve_H(X, W, H, Q)
    return H


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_the_solver_ends_at_scipys_minimum_in_every_column(seed):
    X, W, H, Q = problem(seed)
    ours = repeated(X, W, H, Q)
    assert ours.min() >= 0
    for x, q, h in zip(X.T, Q.T, ours.T, strict=True):
        _, least = scipy.optimize.nnls(np.sqrt(q)[:, None] * W, np.sqrt(q) * x)
        cost = np.linalg.norm(np.sqrt(q) * (x - W @ h))
        assert cost <= least * (1 + 1e-9) + 1e-9


@settings(deadline=None)
@given(seed=st.integers(0, 10**6))
def test_no_column_and_no_row_ends_higher(seed):
    X, W, H, Q = problem(seed)

    def costs(W, H):
        return Q * (X - W @ H) ** 2

    after = costs(W, improve_H(X, W, H, Q)).sum(axis=0)
    assert (after <= costs(W, H).sum(axis=0) * (1 + 1e-12)).all()
    after = costs(improve_W(X, W, H, Q), H).sum(axis=1)
    assert (after <= costs(W, H).sum(axis=1) * (1 + 1e-12)).all()


def test_in_a_column_that_the_steps_raise_the_first_one_stays():
    """Two parabolas around 1000: steps of 2.1 times the way down go astray, of half do not."""
    length, start = np.array([2.1, 0.5]), np.array([[1001.0, 1001.0]])
    ours = weighted_nesterov._improve(lambda H: H - length * (H - 1000), start)
    assert ours[0, 0] == pytest.approx(998.9, rel=1e-14)
    assert abs(ours[0, 1] - 1000) < 0.01


@settings(deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_bounds_are_above_the_largest_eigenvalues(seed):
    _, W, _, Q = problem(seed)
    W[:, -1] *= seed % 2
    largest = [np.linalg.eigvalsh(W.T @ np.diag(q) @ W)[-1] for q in Q.T]
    assert (lipschitz_bounds(W, Q) >= np.array(largest) * (1 - 1e-12)).all()


def test_gradients_and_normal_matrices_end_at_one_minimum():
    X, W, H, Q = problem(3)
    assert np.allclose(repeated(X, W, H, Q), weighted_nnls(X, W, Q, tol=1e-13), atol=1e-8)


# ------------------------------------------------------------------ the updates


@pytest.mark.parametrize("outliers", [0.4, None])
@settings(max_examples=25, deadline=None)
@given(problem=data())
def test_a_fixed_scale_and_threshold_never_raise_the_objective(outliers, problem):
    A, r, unit = problem
    model = in_units(TruncatedCauchyNMF(r, max_iter=15, tol=0, random_state=0), unit)
    if outliers is None:
        model.set_params(outliers=None)
    history = model.fit(A).objective_history_
    checks.decreases(history + 1e-12 * unit**2)


def twelve_steps(X, W, H, Q):
    """What the package puts in the place of Algorithm 1, column after column."""
    bounds = lipschitz_bounds(W, Q)
    columns = [
        steps_of_one_column(X[:, j], W, H[:, j], np.diag(Q[:, j]), bounds[j])
        for j in range(X.shape[1])
    ]
    return np.array(columns).T


def steps_of_one_column(x, W, h, D, L):
    """Ten rounds of Algorithm 1 with restarts, between two plain steps."""

    def gradient(z):
        return W.T @ D @ W @ z - W.T @ D @ x

    def cost(h):
        return (x - W @ h) @ D @ (x - W @ h)

    first = np.maximum(h - gradient(h) / L, 0)
    z, h_k, alpha = first, first, 1.0
    for _ in range(10):
        h_next = np.maximum(z - gradient(z) / L, 0)
        if (z - h_next) @ (h_next - h_k) > 0:
            alpha = 1.0
        alpha_next = (1 + np.sqrt(4 * alpha**2 + 1)) / 2
        z = h_next + (alpha - 1) / alpha_next * (h_next - h_k)
        h_k, alpha = h_next, alpha_next
    return np.maximum(h_k - gradient(h_k) / L, 0) if cost(h_k) <= cost(h) else first


@pytest.mark.parametrize(
    "options",
    [FIXED, {"outliers": "three-sigma"}, {"outliers": "mad"}, {"outliers": None}],
    ids=str,
)
def test_sweeps_equal_algorithm_2_with_the_same_solver(options):
    rules = {
        "three-sigma": guan.three_sigma,
        "mad": lambda sizes: OUTLIER_RULES["mad"](sizes, 1.0, 0),
        None: lambda sizes: np.inf,
    }
    fixed = options["outliers"], options.get("scale")
    box = guan.truncated_cauchy(
        X,
        W0,
        H0,
        (lambda *_: fixed[1]) if fixed[1] else guan.nagy,
        rules.get(fixed[0], lambda _: fixed[0]),
        solve=twelve_steps,
    )
    literal = [W0 @ H0, *(one.W @ one.H for one in islice(box, 8))]
    model = TruncatedCauchyNMF(max_iter=8, **options, **START)
    ours = [W @ H for W, H in checks.iterates(model, A)]
    assert checks.same_iterates(literal, ours) < 1e-9


class NesterovCauchy(NesterovSweep, CauchyNMF):
    pass


def test_without_outliers_it_is_cauchy_nmf():
    pair = [
        [W @ H for W, H in checks.iterates(model.set_params(max_iter=20, **START), A)]
        for model in (NesterovCauchy(), TruncatedCauchyNMF(outliers=None))
    ]
    assert checks.same_iterates(*pair) < 1e-10
    plain, cut = CauchyNMF(scale=0.2), TruncatedCauchyNMF(scale=0.2, outliers=1e9)
    assert plain.objective(X, W0, H0) == pytest.approx(cut.objective(X, W0, H0), rel=1e-13)
    # What multiplicative updates end at is a fixed point here.
    Ht = plain.set_params(max_iter=5000, **START).fit_transform(A)
    again = TruncatedCauchyNMF(scale=0.2, outliers=None, max_iter=5, **START)
    history = again.set_params(init=(plain.components_.T, Ht.T)).fit(A).objective_history_
    assert history[0] == pytest.approx(plain.objective_history_[-1], rel=1e-12)
    assert history[-1] == pytest.approx(history[0], rel=1e-8)


@pytest.mark.parametrize("Model", [HuberNMF, CIMNMF, CauchyNMF, HypersurfaceNMF])
def test_nesterov_sweeps_for_every_entrywise_loss(Model):
    class Fast(NesterovSweep, Model):
        pass

    options = {"scale": 0.2, "max_iter": 40, **START}
    fast, slow = Fast(**options).fit(A), Model(**options).fit(A)
    checks.decreases(fast.objective_history_)
    assert fast.objective_history_[-1] <= slow.objective_history_[-1]
    assert fast.set_params(tol=1e-9).transform(A).shape == (11, 3)


@pytest.mark.slow
def test_ends_at_a_stationary_point():
    model = TruncatedCauchyNMF(**FIXED, **START, max_iter=1500)
    H = model.fit_transform(A).T
    W, Q = model.components_.T, model.weights_.T
    slopes = Q * (W @ H - X)
    assert checks.kkt_residual(W, slopes @ H.T, scale=np.abs((Q * X) @ H.T).max()) < 1e-7
    assert checks.kkt_residual(H, W.T @ slopes, scale=np.abs(W.T @ (Q * X)).max()) < 1e-7


# ------------------------------------------------------------------ what the fit leaves


def low_rank_with_outliers(share=0.1):
    rng = np.random.default_rng(0)
    clean = rng.random((60, 2)) @ rng.random((2, 50)) + 0.01 * rng.random((60, 50))
    mask = rng.random(clean.shape) < share
    return clean, np.where(mask, clean + 3 + rng.random(clean.shape), clean), mask


@pytest.mark.parametrize(
    ("outliers", "share"), [("mixture", 0.1), ("mixture", 0.2), (0.5, 0.1), (0.5, 0.4)]
)
def test_finds_the_outliers_and_the_clean_data(outliers, share):
    clean, B, mask = low_rank_with_outliers(share)
    start = "random" if outliers == "mixture" else median_start(B.T, 2, random_state=0)
    model = TruncatedCauchyNMF(2, outliers=outliers, init=start, max_iter=200, tol=0)
    model.set_params(random_state=0)
    reconstruction = model.inverse_transform(model.fit_transform(B))
    assert np.abs(reconstruction - clean).max() < 0.02
    if outliers == "mixture":  # it lets so few be, and the weights do the work
        assert model.threshold_ == np.inf and model.weights_[mask].max() < 1e-3
    else:
        assert np.array_equal(model.outliers_, mask)


@pytest.mark.parametrize("outliers", OUTLIER_RULES)
def test_weights_and_outliers_belong_to_the_final_factors(outliers):
    model = TruncatedCauchyNMF(outliers=outliers, max_iter=30, **START)
    E = A - model.fit_transform(A) @ model.components_
    assert np.array_equal(model.outliers_, np.abs(E) > model.threshold_)
    expected = np.where(model.outliers_, 0, 1 / (1 + (E / model.scale_) ** 2))
    assert np.allclose(model.weights_, expected, rtol=1e-9)


def test_fit_and_transform_agree_and_new_samples_do_not_change_each_other():
    _, B, _ = low_rank_with_outliers()
    model = TruncatedCauchyNMF(2, outliers="mad", max_iter=300, tol=1e-6, random_state=0)
    Ht = model.fit_transform(B)
    assert np.array_equal(Ht, model.transform(B))
    far = B.copy()
    far[0] *= 100
    assert np.allclose(model.transform(far)[1:], Ht[1:], rtol=1e-4, atol=1e-6)


def test_a_callable_gets_sizes_scale_and_the_number_of_sweeps():
    seen = []

    def rule(sizes, scale, done):
        seen.append((sizes.shape, scale, done))
        return 0.5

    model = TruncatedCauchyNMF(outliers=rule, max_iter=3, **START).fit(A)
    assert [done for *_, done in seen] == [0, 1, 2, 3]
    assert seen[-1] == (X.shape, model.scale_, 3) and model.threshold_ == 0.5


@pytest.mark.parametrize("outliers", [None, "mad", "mixture", 0.5])
def test_float32_agrees(outliers):
    _, B, _ = low_rank_with_outliers()
    model = TruncatedCauchyNMF(2, outliers=outliers, max_iter=60, tol=0, random_state=0)
    pair = [model.inverse_transform(model.fit_transform(B.astype(dtype))) for dtype in ("f4", "f8")]
    assert pair[0].dtype == "f4"
    assert np.abs(pair[0] - pair[1]).max() < 1e-2


@pytest.mark.parametrize("outliers", [1e-30, 1e30])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_thresholds_beyond_all_errors_or_below(outliers, dtype):
    B = A.astype(dtype)
    cut = TruncatedCauchyNMF(3, outliers=outliers, max_iter=20, tol=0, random_state=0).fit(B)
    free = TruncatedCauchyNMF(3, outliers=None, max_iter=20, tol=0, random_state=0).fit(B)
    assert cut.outliers_.all() if outliers < 1 else not cut.outliers_.any()
    # If all is an outlier, the ratios of the weights are those of the Cauchy loss.
    assert np.allclose(cut.components_, free.components_, rtol=1e-2 if dtype == "f4" else 1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_an_error_below_the_rounding_of_the_data_is_no_error(dtype):
    B = (3 * A).astype(dtype)
    model = TruncatedCauchyNMF(3, outliers=lambda *_: 0.0, max_iter=1, tol=0, random_state=0).fit(B)
    assert model.threshold_ == np.finfo(dtype).eps * B.max()


@pytest.mark.parametrize("bad", [0, -1.0, np.nan, np.inf, "3-sigma", True])
def test_bad_rules(bad):
    with pytest.raises(ValueError, match="outliers == "):
        TruncatedCauchyNMF(outliers=bad).fit(A)


# ------------------------------------------------------------------ sabotaged models


class Extrapolated(TruncatedCauchyNMF):
    """Algorithm 1 as printed: the result is z^k, where the momentum leads."""

    def sweep(self, X, W, H, now):
        W, H_next, _ = super().sweep(X, W, H, now)
        H_next = H_next + (H_next - H)
        return W, H_next, self.start(X, W, H_next)


class NeverNewWeights(TruncatedCauchyNMF):
    """The weights of the start, for ever."""

    def sweep(self, X, W, H, now):
        first = self.first = getattr(self, "first", now.Q.copy())
        H = improve_H(X, W, H, first)
        W = improve_W(X, W, H, first)
        return W, H, self.find_scales(X, W, H, now.next())


@pytest.mark.parametrize("Model", [Extrapolated, NeverNewWeights])
def test_descent_catches_the_slips(Model):
    def caught(seed):
        model = Model(3, **FIXED, max_iter=60, tol=0, random_state=seed)
        Ht = model.fit_transform(A)
        try:
            checks.decreases(model.objective_history_)
        except AssertionError:
            return True
        return Ht.min() < 0

    assert all(caught(seed) for seed in range(3))


class OneWeighting(TruncatedCauchyNMF):
    """(13)-(14) as printed: W is updated with the weights from before the update of H."""

    def sweep(self, X, W, H, now):
        H = improve_H(X, W, H, now.Q)
        W = improve_W(X, W, H, now.Q)
        return W, H, self.find_scales(X, W, H, now.next())


@pytest.mark.parametrize("seed", range(5))
def test_one_weighting_for_both_factors_descends_as_well(seed):
    """The surrogate touches at the old residual and lies above for every W and H."""
    model = OneWeighting(3, **FIXED, max_iter=200, tol=0, random_state=seed).fit(A)
    checks.decreases(model.objective_history_)


class OldScale(TruncatedCauchyNMF):
    """Algorithm 2 in the printed order: the weights (line 2) come before the new γ (line 3)."""

    def sweep(self, X, W, H, now):
        previous = self.previous = getattr(self, "previous", now.scale)
        old = self.weigh(X, W, H, TruncatedWeights(X, previous, now.threshold))
        old.scale, old.done = now.scale, now.done
        self.previous = now.scale
        return super().sweep(X, W, H, old)


def test_the_old_scale_in_line_2_has_the_same_fixed_points():
    _, B, _ = low_rank_with_outliers()
    options = {"n_components": 2, "outliers": 0.5, "tol": 0, "random_state": 0}
    model = TruncatedCauchyNMF(max_iter=600, **options)
    start = model.fit_transform(B)
    options["init"] = model.components_.T, start.T
    on, off = [Model(max_iter=20, **options).fit(B) for Model in (TruncatedCauchyNMF, OldScale)]
    assert off.scale_ == pytest.approx(on.scale_, rel=1e-4)
    assert off.objective_history_[-1] == pytest.approx(on.objective_history_[-1], rel=1e-4)
    options["init"] = "random"
    fresh = OldScale(max_iter=4, **options).fit(B).objective_history_
    assert not np.allclose(fresh[2:], model.objective_history_[2:5], rtol=1e-3)  # but other paths


def test_an_error_at_the_threshold_is_not_beyond_it():
    state = TruncatedWeights(np.ones((1, 3)), scale=0.5, threshold=1.0)
    state.cut_off(np.array([[0.25, 1.0, 1.0 + 1e-15]]), CauchyNMF.weight)
    assert state.weights == pytest.approx(np.array([[1 / 2, 1 / 5, 0]]), rel=1e-14)
    assert state.outliers.tolist() == [[False, False, True]]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_without_a_rule_only_an_error_beyond_all_numbers_is_an_outlier(dtype):
    """One over the floor of the weights: its square is a number, its fourth power is not."""
    scale, largest = 2.0**-20, 1 / np.cbrt(np.finfo(dtype).tiny)
    B = (scale * largest * np.array([[0.1, 0.9, 1.5, 9.0]])).astype(dtype)
    model = TruncatedCauchyNMF(1, outliers=None, scale=scale)
    state = model.start(B, np.zeros((1, 1), dtype), np.zeros((1, 4), dtype))
    counted = np.log1p((largest * np.array([0.1, 0.9, 1, 1])) ** 2)
    assert model.objective(B, None, None, state) == pytest.approx(
        scale**2 * counted.sum(), rel=1e-5 if dtype == "f4" else 1e-12
    )


def test_what_outliers_takes_is_told():
    with pytest.raises(ValueError, match="None, 'three-sigma', 'mad', 'mixture', a positive"):
        TruncatedCauchyNMF(outliers="sigma").fit(A)


@pytest.mark.parametrize("outliers", [0.05, "three-sigma"])
def test_coefficients_are_found_where_from_afar_every_entry_is_an_outlier(outliers):
    """A fifth of the entries of each sample is off by eight; the others fit exactly."""
    W, H = positive((30, 2), seed=1), np.array([[0.1, 5.0, 3.0], [4.0, 0.2, 3.0]])
    B = W @ H
    B[::5] += 8
    model = TruncatedCauchyNMF(2, outliers=outliers, scale=0.1)
    model.components_, model.n_features_in_ = W.T, 30
    model.scale_, model.threshold_ = 0.1, 0.1
    assert model.transform(B.T) == pytest.approx(H.T, rel=1e-3)


@pytest.mark.parametrize("bad", [-1.0, np.nan])
def test_a_rule_that_returns_no_size_is_told(bad):
    with pytest.raises(ValueError, match=f"returned {bad}; a rule returns the size from which on"):
        TruncatedCauchyNMF(outliers=lambda *_: bad).fit(A)

"""L1NMF: its linear programs against SciPy's, and what the smoothing is for."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st
from rnmf_tutorial.models.base import BaseNMF
from rnmf_tutorial.models.errors import l1_robust
from rnmf_tutorial.models.plain import l1
from rnmf_tutorial.models.plain.l1 import smoothed_H, smoothed_W
from rnmf_tutorial.solvers.least_absolute import (
    _Newton,
    _Path,
    _start,
    absolute_error,
    least_absolute,
)
from rnmf_tutorial.solvers.nesterov import lipschitz_bound

from rnmf_tutorial import L1NMF, NMF, L1RobustNMF, checks
from rnmf_tutorial.arrays import ratio
from tests.problems import positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
A = positive((30, 12), seed=0)
X = A.T


def linear_program(x, W):
    """Return the smallest sum of absolute errors, by SciPy."""
    m, r = W.shape
    costs = np.concatenate([np.zeros(r), np.ones(2 * m)])
    found = scipy.optimize.linprog(costs, A_eq=np.hstack([W, np.eye(m), -np.eye(m)]), b_eq=x)
    assert found.success
    return found.fun


def errors_by_linprog(X, W):
    return np.array([linear_program(x, W) for x in X.T])


@given(seed=st.integers(0, 10**6), exponent=st.sampled_from([-6, 0, 6]))
def test_equals_linear_programming(seed, exponent):
    rng = np.random.default_rng(seed)
    m, n, r = rng.integers(2, 12), rng.integers(1, 7), rng.integers(1, 6)
    W = rng.random((m, r)) * (rng.random((m, r)) < 0.7)
    X = rng.random((m, n)) * (rng.random((m, n)) < 0.7)
    if seed % 3 == 0:
        X[:, 0] = W @ rng.random(r)  # fits exactly
    scale = 10.0**exponent
    H = least_absolute(scale * X, W)
    assert np.isfinite(H).all() and H.min() >= 0
    best = errors_by_linprog(X, W)
    ours = absolute_error(scale * X, W, H, axis=0) / scale
    assert (ours <= best + 1e-9 * np.maximum(best, 1)).all()
    assert (ours >= best - 1e-9 * np.maximum(best, 1)).all()


def test_one_component_is_a_weighted_median():
    X, w = positive((9, 5), 0), positive((9, 1), 1)
    for x, h in zip(X.T, least_absolute(X, w)[0], strict=True):
        slopes = [np.sum(w[:, 0] * np.sign(v * w[:, 0] - x)) for v in (h * 0.999999, h * 1.000001)]
        assert slopes[0] <= 0 <= slopes[1]


def test_columns_do_not_depend_on_each_other_and_zeros_stay_zero():
    X, W = positive((9, 7), 0), positive((9, 3), 1)
    X[:, 2], W[:, 1] = 0, 0
    together = least_absolute(X, W)
    alone = np.column_stack([least_absolute(x[:, None], W) for x in X.T])
    assert np.allclose(together, alone, rtol=1e-7, atol=1e-9)
    assert not together[:, 2].any()


# ------------------------------------------------------------------ the smoothed steps


def smoothed(E, mu):
    size = np.abs(E)
    return np.where(size <= mu, E**2 / (2 * mu), size - mu / 2).sum()


@pytest.mark.parametrize("mu", [0.01, 0.1, 1.0])
def test_smoothing_is_close_from_below_and_its_slope_is_the_clipped_residual(mu):
    W, H = positive((12, 3), 1), positive((3, 30), 2)
    E = X - W @ H
    assert 0 <= np.abs(E).sum() - smoothed(E, mu) <= mu / 2 * E.size
    gradient = -W.T @ np.clip(E / mu, -1, 1)
    # Kinks of the second derivative lie between the steps of the differences: a looser bound.
    checks.gradient_matches(lambda V: smoothed(X - W @ V, mu), gradient, H, rtol=1e-4, step=1e-6)


@pytest.mark.parametrize("mu", [0.03, 0.3])
@pytest.mark.slow
def test_smoothed_steps_reach_the_minimum_of_the_smoothed_error(mu):
    W, H = positive((12, 3), 1), positive((3, 30), 2)
    for _ in range(2000):
        H = smoothed_H(X, W, H, mu)
    gradient = -W.T @ np.clip((X - W @ H) / mu, -1, 1)
    assert checks.kkt_residual(H, gradient, scale=W.sum(axis=0).max()) < 1e-6
    assert np.allclose(smoothed_W(X.T, H.T, W.T, mu).T, smoothed_H(X, W, H, mu), atol=1e-12)


# ------------------------------------------------------------------ the model


def test_ends_where_neither_factor_can_be_improved():
    model = L1NMF(3, tol=1e-9, random_state=0)
    H = model.fit_transform(A).T
    W, value = model.components_.T, model.objective_history_[-1]
    assert model.n_iter_ > 61
    assert errors_by_linprog(X, W).sum() == pytest.approx(value, rel=1e-7)
    assert errors_by_linprog(X.T, H.T).sum() == pytest.approx(value, rel=1e-7)


class Reweighted(BaseNMF):
    """Plain multiplicative updates with the weights 1/|e|."""

    def objective(self, X, W, H, state=None):
        return float(absolute_error(X, W, H))

    def sweep(self, X, W, H, state):
        Q = 1 / np.maximum(np.abs(X - W @ H), 1e-8)
        W = W * ratio((Q * X) @ H.T, (Q * (W @ H)) @ H.T)
        Q = 1 / np.maximum(np.abs(X - W @ H), 1e-8)
        return W, H * ratio(W.T @ (Q * X), W.T @ (Q * (W @ H))), state


# The linear programs in turn creep along an edge for seed 3, so that one has a bound of its own.
@pytest.mark.parametrize(("seed", "gap"), [(0, 1e-9), (1, 1e-9), (2, 1e-9), (3, 1e-4), (4, 1e-9)])
def test_gross_errors_leave_a_matrix_of_rank_one_alone(seed, gap):
    rng = np.random.default_rng(seed)
    clean = np.outer(rng.uniform(0.5, 1, 40), rng.uniform(0.5, 1, 30))
    data = clean + 5 * (rng.random(clean.shape) < 0.2)
    model, squares = L1NMF(1, tol=1e-8, random_state=0), NMF(1, random_state=0)
    assert np.abs(model.inverse_transform(model.fit_transform(data)) - clean).max() < gap
    assert model.objective_history_[-1] == pytest.approx(np.abs(data - clean).sum(), rel=gap / 10)
    assert np.abs(squares.inverse_transform(squares.fit_transform(data)) - clean).max() > 0.5


def test_ends_far_below_reweighting_from_the_same_start():
    rng = np.random.default_rng(0)
    data = rng.random((40, 3)) @ rng.random((3, 30))
    data += 5 * (rng.random(data.shape) < 0.05)
    model = L1NMF(3, random_state=0).fit(data)
    crawling = Reweighted(3, random_state=0, max_iter=2000, tol=0).fit(data)
    assert crawling.objective_history_[0] == pytest.approx(model.objective_history_[0], rel=1e-12)
    assert crawling.objective_history_[-1] > 1.1 * model.objective_history_[-1]


def test_with_zero_tolerance_every_sweep_is_a_smoothed_one():
    def forbidden(X, W):
        raise AssertionError("A linear program was solved.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rnmf_tutorial.models.plain.l1.least_absolute", forbidden)
        model = L1NMF(3, max_iter=80, tol=0, random_state=0).fit(A)
        with pytest.raises(AssertionError, match="linear program"):
            L1NMF(3, max_iter=80, random_state=0).fit(A)
    checks.decreases(model.objective_history_)
    exact = errors_by_linprog(X, model.components_.T).sum()
    assert model.objective_history_[-1] == pytest.approx(exact, rel=1e-2)


class Unguarded(L1NMF):
    """What the smoothed steps give is kept, whether it lowers the true error or not."""

    def sweep(self, X, W, H, now):
        H = smoothed_H(X, W, H, now.first)
        return smoothed_W(X, W, H, now.first), H, now


def test_descent_catches_smoothing_without_the_guard():
    model = Unguarded(3, max_iter=200, tol=0, random_state=0).fit(A)
    with pytest.raises(AssertionError):
        checks.decreases(model.objective_history_)


def test_the_objective_with_its_errors_is_the_sum_over_all_blocks(monkeypatch):
    model = L1RobustNMF(3, lam=0.3)
    W, H = positive((12, 3), seed=1), positive((3, 30), seed=2)
    state = model.start(X, W, H)
    whole = model.objective(X, W, H, state)
    monkeypatch.setattr(
        l1_robust, "blocks_of_columns", lambda X: [slice(j, j + 7) for j in range(0, 30, 7)]
    )
    assert model.objective(X, W, H, state) == pytest.approx(whole, rel=1e-13)
    E = X - (state.P - state.N) - W @ H
    columns = (state.P + state.N).sum(axis=0)
    assert whole == pytest.approx((E**2).sum() + 0.3 * (columns**2).sum(), rel=1e-12)


def test_the_objective_finds_the_errors_where_it_is_not_given_them():
    model = L1RobustNMF(3, lam=0.3)
    W, H = positive((12, 3), seed=1), positive((3, 30), seed=2)
    assert model.objective(X, W, H) == model.objective(X, W, H, model.start(X, W, H))


def test_a_vertex_has_zeros_where_the_multiplier_is_the_larger():
    h, z = np.array([[0.5, 1e-9], [2e-9, 0.25]]), np.array([[1e-9, 0.75], [0.5, 1e-9]])
    some = np.ones((3, 2))
    found = _Path(some, h, some, some, some, z).vertex()
    assert found.tolist() == [[0.5, 0.0], [0.0, 0.25]]


# ------------------------------------------------------------------ the path to the solution


def columns_of_a_problem(seed, m=9, n=7, r=3):
    rng = np.random.default_rng(seed)
    X, W = rng.random((m, n)), rng.random((m, r))
    return X / X.max(axis=0), W / W.max(axis=0)


def test_the_unit_of_a_component_does_not_matter():
    X, W = columns_of_a_problem(0)
    d = 2.0 ** np.array([-70, 0, 40])
    found = least_absolute(X, W * d)
    np.testing.assert_array_equal(found, least_absolute(X, W) / d[:, None])


@pytest.mark.parametrize("seed", range(8))
def test_a_column_stops_at_its_own_tolerance(seed, monkeypatch):
    X, W = columns_of_a_problem(seed, m=30)
    going, advance = [], _Path.advance

    def watched(self, W):
        assert (self.gap > 0.05 * np.maximum(self.error, 1)).all()
        going.append(self.x.shape[1])
        advance(self, W)

    monkeypatch.setattr(_Path, "advance", watched)
    together = least_absolute(X, W, tol=0.05)
    assert going[0] == 7
    alone = np.column_stack([least_absolute(x[:, None], W, tol=0.05) for x in X.T])
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-12)


def test_of_a_coarse_solution_and_its_vertex_every_column_takes_the_better():
    kept = 0
    for seed in range(20):
        X, W = columns_of_a_problem(seed)
        H = least_absolute(X, W, tol=0.3)
        alone = np.column_stack([least_absolute(x[:, None], W, tol=0.3) for x in X.T])
        np.testing.assert_allclose(H, alone, rtol=1e-9, atol=1e-12)
        kept += np.count_nonzero(H == 0)
    assert kept  # vertices


def test_the_path_starts_inside_where_the_sums_agree_and_the_dual_nearly_holds():
    X, W = columns_of_a_problem(0, m=2000)
    X[:, 0] = 0
    X[5, 0] = 1
    path = _start(X, W)
    for part in (path.h, path.u, path.v, path.z, 1 - path.y, 1 + path.y):
        assert part.min() > 0
    np.testing.assert_allclose((W @ (path.h - 1e-3)).sum(axis=0), X.sum(axis=0), rtol=1e-10)
    np.testing.assert_allclose(W.T @ path.y + path.z, 1e-3, rtol=1e-9)


def test_no_step_leaves_the_inside():
    some = np.full((1, 1), 0.5)
    for y, dy, longest in [(0.9, 1.0, 0.1), (-0.9, -1.0, 0.1), (0.9, -1.0, 1.0), (-0.9, -3.8, 0.1)]:
        path = _Path(some, some, some, some, np.full((1, 1), y), some)
        still = np.zeros((1, 1))
        primal, dual = path._lengths(still, still, still, np.full((1, 1), dy), still)
        np.testing.assert_allclose(dual, min(longest, 0.1 / abs(dy) if longest < 1 else 1))
        assert primal == 1


def test_a_step_aims_at_mehrotras_share_of_the_mean_product(monkeypatch):
    X, W = columns_of_a_problem(1)
    path, aims = _start(X, W), []
    h, u, v, y, z = path.h, path.u, path.v, path.y, path.z
    direction = _Newton.direction

    def watched(self, hz, u_low, v_high):
        aims.append((hz, u_low, direction(self, hz, u_low, v_high)))
        return aims[-1][-1]

    monkeypatch.setattr(_Newton, "direction", watched)
    path.advance(W)
    (_, _, (dh, du, dv, dy, dz)), (hz, u_low, _) = aims

    def longest(pairs):  # until the first of the parts is zero, by brute force
        return np.array(
            [
                min([1, *(-a / da for part, step in pairs
                          for a, da in zip(part[:, j], step[:, j], strict=True) if da < 0)])
                for j in range(X.shape[1])
            ]
        )  # fmt: skip

    p = longest([(h, dh), (u, du), (v, dv)])
    d = longest([(z, dz), (1 - y, -dy), (1 + y, dy)])
    gap = (h * z).sum(0) + (u * (1 - y)).sum(0) + (v * (1 + y)).sum(0)
    h, u, v, y, z, before = h + p * dh, u + p * du, v + p * dv, y + d * dy, z + d * dz, (h, u, y, z)
    ahead = (h * z).sum(0) + (u * (1 - y)).sum(0) + (v * (1 + y)).sum(0)
    h, u, y, z = before
    products = len(h) + 2 * len(X)
    mean = np.broadcast_to((ahead / gap) ** 3 * gap / products, h.shape)
    np.testing.assert_allclose(hz + h * z + dh * dz, mean, rtol=1e-6)
    np.testing.assert_allclose((u_low + u * (1 - y) - du * dy)[:3], mean, rtol=1e-6)


def test_the_equations_of_equal_components_stay_positive_definite():
    W, x = np.ones((8, 2)), np.ones((8, 1))
    path = _start(x, W)
    path.z = path.h * 1e-18
    (gram,) = _Newton(path, W).grams
    assert np.diff(gram[0]) < 0 < np.diff(gram[1])
    np.linalg.cholesky(gram)


@pytest.mark.parametrize("mu", [0.03, 0.3])
def test_the_first_smoothed_step_is_the_projected_gradient(mu, monkeypatch):
    W, H, Y = positive((12, 3), 1), positive((3, 30), 2), X.copy()
    Y[:, 4], Y[7] = 0, 0
    monkeypatch.setattr(l1, "_STEPS", 1)
    start = H * Y.any(axis=0)
    step = W.T @ np.clip(Y - W @ start, -mu, mu) / lipschitz_bound(W.T @ W)
    assert (np.abs(Y - W @ start) > mu).any()
    np.testing.assert_allclose(smoothed_H(Y, W, H, mu), np.maximum(start + step, 0), rtol=1e-12)
    start = W * Y.any(axis=1)[:, None]
    step = np.clip(Y - start @ H, -mu, mu) @ H.T / lipschitz_bound(H @ H.T)
    np.testing.assert_allclose(smoothed_W(Y, W, H, mu), np.maximum(start + step, 0), rtol=1e-12)


def test_a_sweep_takes_of_a_proposal_the_rows_and_columns_that_are_better(monkeypatch):
    W, H = np.ones((3, 1)), np.ones((1, 4))
    data = np.array([[1.0, 2.0, 2.0, 9.0]] * 2 + [[1.0, 1.0, 1.0, 1.0]])
    proposed = np.array([[1.25, 1.5, 1.25, 0.5]])
    monkeypatch.setattr(l1, "smoothed_H", lambda X, W, H, mu: proposed)
    monkeypatch.setattr(l1, "smoothed_W", lambda X, W, H, mu: np.array([[1.25], [0.5], [1.25]]))
    model = L1NMF(1)
    W_new, H_new, _ = model.sweep(data, W, H, model.start(data, W, H))
    assert H_new.tolist() == [[1.0, 1.5, 1.25, 1.0]]
    assert W_new.tolist() == [[1.25], [1.0], [1.0]]


def test_a_column_with_another_solution_as_good_stays():
    model, data = L1NMF(1), np.array([[1.0], [2.0]])  # the median is any number between
    _, H, _ = model.sweep(data, np.ones((2, 1)), np.array([[1.25]]), l1.Smoothing(1.0, 1000))
    assert H.tolist() == [[1.25]]


def test_the_smoothing_stays_at_a_thousandth():
    W, H, model = positive((12, 3), seed=1), positive((3, 30), seed=2), L1NMF(3, tol=0)
    at = {done: model.sweep(X, W, H, l1.Smoothing(0.5, done)) for done in (59, 60, 61, 1000)}
    for factor in (0, 1):
        assert np.array_equal(at[60][factor], at[61][factor])
        assert np.array_equal(at[60][factor], at[1000][factor])
        assert not np.allclose(at[60][factor], at[59][factor], rtol=1e-12, atol=0)


def test_a_row_with_another_solution_as_good_stays():
    data, W = np.ones((6, 2)), np.ones((6, 1))
    data[0, 1], W[0] = 2, 1.25  # the other rows say what H is
    W, H, _ = L1NMF(1).sweep(data, W, np.ones((1, 2)), l1.Smoothing(1.0, 1000))
    assert H.tolist() == [[1, 1]]
    assert W.ravel().tolist() == [1.25, 1, 1, 1, 1, 1]


def test_sixty_sweeps_are_smoothed_and_the_next_one_is_exact():
    W, H, model = positive((12, 3), seed=1), positive((3, 30), seed=2), L1NMF(3)
    first, done = model.start(X, W, H)
    assert done == 0
    assert first == pytest.approx(np.abs(X - W @ H).mean(), rel=1e-12)
    best = errors_by_linprog(X, W)
    for done in (59, 60):
        _, H_new, _ = model.sweep(X, W, H, l1.Smoothing(first, done))
        exact = absolute_error(X, W, H_new, axis=0) <= best * (1 + 1e-9)
        assert exact.all() if done == 60 else not exact.all()


def test_the_path_starts_where_the_split_errors_are_the_residuals_with_room_on_both_sides():
    X, W = columns_of_a_problem(0)
    path = _start(X, W)
    E = X - W @ path.h
    assert (E > 0.2).any() and (E < -0.2).any()
    np.testing.assert_allclose(path.u - path.v, E, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(np.minimum(path.u, path.v), 0.1, rtol=1e-12)


def test_a_column_stops_where_its_gap_is_the_tolerance_itself(monkeypatch):
    """Where its error is less than its largest entry, which is one."""
    one, steps = np.ones((1, 1)), []
    path = _start(one, one)
    assert path.error < 1
    monkeypatch.setattr(_Path, "advance", lambda self, W: steps.append(1))
    (gap,) = path.gap
    least_absolute(one, one, tol=gap)
    assert steps == []
    H = least_absolute(one, one, tol=np.nextafter(gap, 0))
    assert len(steps) == 100
    np.testing.assert_allclose(H, path.h, rtol=1e-14)  # where the last step has led


def test_a_tolerance_below_rounding_is_taken_for_the_least_that_can_be_reached():
    for seed in range(10):
        X, W = columns_of_a_problem(seed, n=40)
        H = least_absolute(X, W, tol=0)
        assert np.isfinite(H).all()
        np.testing.assert_array_equal(H, least_absolute(X, W, tol=1e-12))
        best = absolute_error(X, W, least_absolute(X, W), axis=0)
        np.testing.assert_allclose(absolute_error(X, W, H, axis=0), best, rtol=1e-9)


def test_of_a_solution_and_a_vertex_as_good_the_vertex_is_taken(monkeypatch):
    X, one = np.array([[1.0], [2.0]]), np.ones((2, 1))
    assert 1 < least_absolute(X, one) < 2  # every number between has the error one
    monkeypatch.setattr(_Path, "vertex", lambda self: np.full_like(self.h, 0.625))  # X over two
    assert least_absolute(X, one) == 1.25


def test_a_correction_keeps_off_the_walls_and_goes_all_the_way_where_there_is_room():
    some = np.full((1, 1), 0.5)
    path = _Path(some, some, some, some, some * 0, some)
    still = np.zeros((1, 1))
    for step, length in ((-0.49, 1.0), (-0.4975, 1.0), (-0.5, 0.995), (-1.0, 0.4975), (3.0, 1.0)):
        primal, dual = path._lengths(still + step, still, still, still, still + step, keep=0.005)
        np.testing.assert_allclose([primal, dual], length, rtol=1e-12)


def test_the_solution_has_the_type_of_the_data():
    W, H = positive((8, 2), 1), positive((2, 5), 2)
    for dtype in (np.float32, np.float64):
        assert least_absolute((W @ H).astype(dtype), W.astype(dtype)).dtype == dtype

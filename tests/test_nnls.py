"""Non-negative least squares for all columns at once, and NeNMF on top of it."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st
from rnmf_tutorial.models.plain import nenmf
from rnmf_tutorial.models.weights.nesterov_sweep import NesterovSweep
from rnmf_tutorial.solvers import nesterov
from rnmf_tutorial.solvers.nesterov import (
    lipschitz_bound,
    nnls,
    optimal_gradient,
    weighted_grams,
    weighted_nnls,
)
from rnmf_tutorial.solvers.weighted_nesterov import improve_H, improve_W, lipschitz_bounds

from rnmf_tutorial import NMF, CauchyNMF, NeNMF, checks
from tests.problems import positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
A = positive((11, 8), seed=0)
X = A.T


def problem(seed, sign=1.0):
    """Draw W ≥ 0 with zeros, data of any sign or non-negative, weights with zeros; m > r."""
    rng = np.random.default_rng(seed)
    r = int(rng.integers(1, 7))
    m, n = r + int(rng.integers(3, 9)), int(rng.integers(1, 9))
    W = rng.random((m, r)) * (rng.random((m, r)) < 0.8) + 0.01
    X = rng.standard_normal((m, n)) if sign < 0 else rng.random((m, n))
    Q = rng.random((m, n)) * (rng.random((m, n)) < 0.8) + 1e-3
    return X, W, Q, rng


def scipys(X, W, Q=None):
    """Return the same minimizers, column by column, by SciPy's active sets."""
    roots = np.ones_like(X) if Q is None else np.sqrt(Q)
    return np.column_stack(
        [scipy.optimize.nnls(q[:, None] * W, q * x)[0] for x, q in zip(X.T, roots.T, strict=True)]
    )


@given(seed=st.integers(0, 10**6), sign=st.sampled_from([1.0, -1.0]))
def test_equals_active_sets(seed, sign):
    X, W, _, rng = problem(seed, sign)
    exact = scipys(X, W)
    starts = (None, rng.uniform(0, 3, exact.shape))
    for start in starts:
        H = nnls(W.T @ W, W.T @ X, start, tol=1e-14, max_iter=100000)
        assert H.min() >= 0
        assert np.abs(H - exact).max() <= 1e-8 * max(1, np.abs(exact).max())


@given(seed=st.integers(0, 10**6), sign=st.sampled_from([1.0, -1.0]))
def test_weighted_equals_active_sets(seed, sign):
    X, W, Q, _ = problem(seed, sign)
    H, exact = weighted_nnls(X, W, Q, tol=1e-14, max_iter=200000), scipys(X, W, Q)
    assert np.abs(H - exact).max() <= 1e-6 * max(1, np.abs(exact).max())

    def cost(H):
        return (Q * (X - W @ H) ** 2).sum(axis=0)

    assert (cost(H) <= cost(exact) * (1 + 1e-12) + 1e-14).all()


@given(seed=st.integers(0, 10**6))
def test_every_normal_matrix_from_one_product(seed):
    X, W, Q, _ = problem(seed)
    each = [W.T @ np.diag(q) @ W for q in Q.T]
    assert np.allclose(weighted_grams(W, Q), each, rtol=1e-13)
    assert np.allclose(weighted_grams(W, np.ones_like(Q)), W.T @ W, rtol=1e-13)
    same = weighted_nnls(X, W, 2 * np.ones_like(Q), max_iter=50)
    assert np.allclose(same, nnls(W.T @ W, W.T @ X, max_iter=50), rtol=1e-9, atol=1e-12)


@given(seed=st.integers(0, 10**6))
def test_the_bound_is_above_the_largest_eigenvalue_and_close(seed):
    _, W, Q, _ = problem(seed)
    W[:, -1] *= seed % 2  # a column of zeros, half of the time
    grams = weighted_grams(W, Q)
    largest, bounds = np.linalg.eigvalsh(grams)[:, -1], lipschitz_bound(grams)
    assert (bounds >= largest * (1 - 1e-12)).all() and (bounds <= 1.5 * largest).all()
    assert lipschitz_bound(W.T @ W) >= np.linalg.norm(W, 2) ** 2 * (1 - 1e-12)


@given(seed=st.integers(0, 10**6), steps=st.integers(1, 12))
def test_no_column_ends_higher_however_few_the_steps(seed, steps):
    X, W, _, rng = problem(seed)
    start = rng.uniform(0, 3, (W.shape[1], X.shape[1]))
    H = nnls(W.T @ W, W.T @ X, start, tol=1e-14, max_iter=steps)
    before, after = (np.linalg.norm(X - W @ V, axis=0) for V in (start, H))
    assert (after <= before * (1 + 1e-12)).all()


@pytest.mark.parametrize("together", [False, True])
def test_no_column_ends_higher_even_where_the_steps_are_too_long(monkeypatch, together):
    X, W, _, rng = problem(4)
    start = rng.uniform(0, 3, (W.shape[1], X.shape[1]))
    start[:, :1] = scipys(X[:, :1], W)
    gram, bound = W.T @ W, lipschitz_bound(W.T @ W)

    def rise(H):
        change = ((X - W @ H) ** 2).sum(axis=0) - ((X - W @ start) ** 2).sum(axis=0)
        return change.sum() if together else change

    arguments = gram, W.T @ X, start
    monkeypatch.setattr(nesterov, "lipschitz_bound", lambda gram: bound / 4)
    step = nesterov._gradient_step(gram, W.T @ X, bound / 4)
    unguarded = optimal_gradient(step, start, target=0.0, max_iter=40, together=together)
    assert np.all(rise(unguarded) > 1)
    guarded = nnls(*arguments, max_iter=40, together=together)
    assert np.array_equal(guarded, np.where(W.T @ X > 0, start, 0))


def test_a_column_does_not_depend_on_the_others():
    X, W, *_ = problem(4)  # of eight columns
    together = nnls(W.T @ W, W.T @ X, tol=1e-4)
    alone = np.column_stack([nnls(W.T @ W, W.T @ x[:, None], tol=1e-4) for x in X.T])
    assert np.allclose(together, alone, rtol=1e-12, atol=1e-14)


def test_a_column_that_has_stopped_stays_where_it_is():
    ways = iter([[0.25, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 0.25]])  # of the two columns
    start = np.full((1, 2), 100.0)
    H = optimal_gradient(lambda Y: Y - next(ways), start, target=0.5, max_iter=9)
    assert H[0, 0] == 99.75
    assert H[0, 1] < 94


def test_a_start_at_the_minimum_takes_one_look_even_with_the_target_zero():
    looks = []
    H = np.array([[1.0, 0.0]])
    found = optimal_gradient(lambda Y: looks.append(1) or Y.copy(), H, target=0.0, max_iter=9)
    assert len(looks) == 1
    np.testing.assert_array_equal(found, H)


def test_where_the_slope_is_upward_everywhere_the_start_is_zero():
    B = np.array([[-1.0, 0.0], [2.0, 3.0]])
    found = nnls(np.diag([1.0, 10.0]), B, np.full((2, 2), 5.0), max_iter=0)
    assert found.tolist() == [[0.0, 0.0], [5.0, 5.0]]


def test_together_one_column_may_rise_where_the_sum_falls(monkeypatch):
    gram, best = np.diag([1.0, 0.1]), np.ones((2, 2))
    start = best + np.array([[0.01, 0.0], [0.0, 1.0]])
    monkeypatch.setattr(nesterov, "lipschitz_bound", lambda gram: np.array([0.25]))  # too small
    found = nnls(gram, gram @ best, start, max_iter=1, together=True)
    np.testing.assert_allclose(found - best, [[-0.03, 0.0], [0.0, 0.6]], atol=1e-12)
    guarded = nnls(gram, gram @ best, start, max_iter=1)
    np.testing.assert_allclose(guarded - best, [[0.01, 0.0], [0.0, 0.6]], atol=1e-12)


def test_the_weighted_solver_stops_at_the_tolerance_it_is_given():
    X, W, Q, rng = problem(4)
    start = rng.uniform(0, 3, (W.shape[1], X.shape[1]))
    for tol in (0.3, 1e-12):
        expected = nnls(weighted_grams(W, Q), W.T @ (Q * X), start, tol=tol)
        np.testing.assert_array_equal(weighted_nnls(X, W, Q, start, tol=tol), expected)


def test_together_the_columns_reach_the_same_minimum():
    X, W, *_ = problem(4)
    options = {"tol": 1e-13, "max_iter": 100000}
    alone, together = (nnls(W.T @ W, W.T @ X, together=t, **options) for t in (False, True))
    assert np.allclose(together, alone, rtol=1e-9, atol=1e-11)


@given(seed=st.integers(0, 10**6), steps=st.integers(1, 12))
def test_together_the_sum_does_not_end_higher(seed, steps):
    X, W, _, rng = problem(seed)
    start = rng.uniform(0, 3, (W.shape[1], X.shape[1]))
    H = nnls(W.T @ W, W.T @ X, start, tol=1e-14, max_iter=steps, together=True)
    before, after = (np.linalg.norm(X - W @ V) for V in (start, H))
    assert after <= before * (1 + 1e-12)


def ill_conditioned():
    """Return G, B, and a Lipschitz constant with a condition number of ten thousand."""
    W = positive((30, 12), 0) ** 3
    return W.T @ W, W.T @ positive((30, 5), 1), np.linalg.norm(W, 2) ** 2


def test_momentum_with_restarts_needs_far_fewer_steps():
    G, B, L = ill_conditioned()

    def steps(run):
        taken = []
        run(lambda Y: taken.append(1) or Y - (G @ Y - B) / L)
        return len(taken)

    def plain(descend):
        H = np.zeros_like(B)
        for _ in range(100000):
            H, before = np.maximum(descend(H), 0), H
            if np.linalg.norm(H - before, axis=0).max() <= 1e-10:
                return

    fast = steps(lambda d: optimal_gradient(d, np.zeros_like(B), target=1e-10, max_iter=100000))
    assert 5 * fast < steps(plain) < 100000


def test_the_extrapolated_point_may_be_negative_and_is_not_the_result():
    """Algorithm 1 prints the extrapolated point as its result: that is not always feasible."""
    G, B, L = ill_conditioned()
    lowest = []
    H = optimal_gradient(
        lambda Y: lowest.append(Y.min()) or Y - (G @ Y - B) / L,
        np.ones_like(B),
        target=0.0,
        max_iter=50,
    )
    assert min(lowest) < 0 <= H.min()


# ------------------------------------------------------------------ NeNMF


def test_reaches_a_stationary_point():
    model = NeNMF(2, max_iter=2000, tol=0, random_state=0)
    H = model.fit_transform(A).T
    W = model.components_.T
    E = W @ H - X
    assert checks.kkt_residual(W, E @ H.T, scale=np.abs(X @ H.T).max()) < 1e-9
    assert checks.kkt_residual(H, W.T @ E, scale=np.abs(W.T @ X).max()) < 1e-9


def test_both_halves_go_to_a_tenth_of_the_slope_or_for_thirty_steps(monkeypatch):
    asked = []
    monkeypatch.setattr(
        nenmf,
        "nnls",
        lambda *problem, **options: asked.append(options) or nnls(*problem, **options),
    )
    W, H, model = positive((8, 3), 1), positive((3, 11), 2), NeNMF(3)
    model.sweep(X, W, H, model.start(X, W, H))
    assert asked == 2 * [{"tol": 0.1, "max_iter": 30, "together": True}]


def test_transform_is_exact():
    model = NeNMF(3, random_state=0).fit(A)
    assert np.abs(model.transform(A) - scipys(X, model.components_.T).T).max() < 1e-6


def test_lower_than_multiplicative_updates_after_as_many_sweeps():
    options = {"max_iter": 30, "tol": 0, "random_state": 0}
    fast, slow = NeNMF(4, **options).fit(A), NMF(4, **options).fit(A)
    assert fast.objective_history_[0] == pytest.approx(slow.objective_history_[0], rel=1e-12)
    assert (fast.objective_history_[1:] < slow.objective_history_[1:]).all()


def test_zeros_are_free_to_become_positive():
    W, H = positive((8, 2), 1), np.zeros((2, 11))
    assert NeNMF(2, init=(W, H), max_iter=1, tol=0).fit_transform(A).any()
    assert not NMF(2, init=(W, H), max_iter=1, tol=0).fit_transform(A).any()


class Extrapolated(NeNMF):
    """The printed slip: H leaves the sweep where the momentum took it."""

    def sweep(self, X, W, H, now):
        W_next, H_next, kept = super().sweep(X, W, H, now)
        H_next = H_next + (H_next - H)
        return W_next, H_next, kept._replace(XHt=X @ H_next.T, HHt=H_next @ H_next.T)


def test_descent_catches_the_slip():
    model = Extrapolated(3, max_iter=10, tol=0, random_state=0).fit(A)
    with pytest.raises(AssertionError):
        checks.decreases(model.objective_history_)


def test_coefficients_are_those_of_the_literal_call_with_the_weights():
    class Weighted(NesterovSweep, CauchyNMF):
        pass

    model = Weighted(3, scale=0.3)
    W, H = positive((8, 3), seed=1), positive((3, 11), seed=2)
    Q = 1 / (1 + ((X - W @ H) / 0.3) ** 2)
    np.testing.assert_allclose(
        model.encode(X, W, H), improve_H(X, W, H, Q, np.empty_like(X)), rtol=1e-10
    )


def test_improvements_with_memory_and_without_are_the_same_and_leave_zeros():
    gapped = X.copy()
    gapped[:, 3] = gapped[2] = 0
    W, H = positive((8, 3), seed=1), positive((3, 11), seed=2)
    Q = positive((8, 11), seed=3)
    found = improve_H(gapped, W, H, Q)
    np.testing.assert_array_equal(found, improve_H(gapped, W, H, Q, np.empty_like(X)))
    assert (found[:, 3] == 0).all() and found[:, :3].any()
    found = improve_W(gapped, W, H, Q)
    np.testing.assert_array_equal(found, improve_W(gapped, W, H, Q, np.empty_like(X)))
    assert (found[2] == 0).all() and found[:2].any()


def brute_force_slope(G, B, H):
    """Return the lengths of the projected gradients of all columns, entry by entry."""
    lengths = []
    for b, h in zip(B.T, H.T, strict=True):
        slope = G @ h - b
        lengths.append(np.sqrt(sum(s**2 for s, v in zip(slope, h, strict=True) if v or s < 0)))
    return np.array(lengths)


def test_a_column_stops_by_the_projected_gradient_at_its_start():
    G, B = np.array([[1.0, 0.01], [0.01, 2e-4]]), np.array([[0.01, 1.0], [1e-3, 0.01]])
    slow = np.array([[0.0, 9.0], [400.0, 9.0]])  # a zero with a steep slope stays one
    for tol in (0.1, 1e-2, 1e-4):
        H = nnls(G, B, slow, tol=tol)
        before, after = (brute_force_slope(G, B, V) for V in (slow, H))
        assert (after <= 2 * tol * before).all()
    G, B, start = np.diag([1.0, 0.1]), np.ones((2, 2)), np.full((2, 2), 20.0)  # all too large
    L = lipschitz_bound(G)
    once = start - (G @ start - B) / L
    assert once.min() > 0
    np.testing.assert_allclose(nnls(G, B, start, tol=1.001), once, rtol=1e-12)


def counted_steps(monkeypatch, step=None):
    """Have the steps of a solver counted, and replaced if asked."""
    steps, gradient_step = [], nesterov._gradient_step

    def counted(gram, B, L):
        descend = step or gradient_step(gram, B, L)
        return lambda Y: steps.append(1) or descend(Y)

    monkeypatch.setattr(nesterov, "_gradient_step", counted)
    return steps


def test_by_default_there_are_at_most_ten_thousand_steps(monkeypatch):
    steps = counted_steps(monkeypatch, lambda Y: Y + 1)  # it never settles
    one = np.ones((1, 1))
    nnls(one, one)
    assert len(steps) == 10_000
    weighted_nnls(one, one, one)
    assert len(steps) == 20_000


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_column_stops_where_rounding_hides_its_slope(dtype):
    eps = float(np.finfo(dtype).eps)
    G, start = np.diag([1.0, 0.01]).astype(dtype), np.array([[1.0, 1.0], [0.0, 0.0]], dtype)
    B = np.array([[1.0, 1.0], [eps / 2, 400 * eps]], dtype)
    H = nnls(G, B, start)
    np.testing.assert_allclose(H[1], [eps / 2, 40_000 * eps], rtol=0.01)  # one step; its minimum


def test_together_all_columns_are_one_problem_with_the_matrix_in_blocks():
    X, W, _, rng = problem(4)
    gram, B = W.T @ W, W.T @ X
    start, n = rng.uniform(0, 3, B.shape), B.shape[1]
    start[:, 0] = scipys(X[:, :1], W)[:, 0] + 0.01  # on its own this column would stop early
    blocks, one = np.kron(np.eye(n), gram), (B.T.reshape(-1, 1), start.T.reshape(-1, 1))
    for tol in (0.3, 0.03, 1e-6):
        found = nnls(gram, B, start, tol=tol, together=True)
        whole = nnls(blocks, *one, tol=tol).reshape(n, -1).T
        np.testing.assert_allclose(found, whole, rtol=1e-10, atol=1e-13)


def test_the_bounds_are_collatz_and_wielandts_after_four_steps_of_the_power_method():
    _, W, Q, _ = problem(4)
    grams = weighted_grams(W, Q)
    mean = np.linalg.matrix_power((W.T * Q.mean(axis=1)) @ W, 4) @ np.ones(W.shape[1])
    for gram, bound, common in zip(
        grams, lipschitz_bound(grams), lipschitz_bounds(W, Q), strict=True
    ):
        v = np.linalg.matrix_power(gram, 4) @ np.ones(len(gram))
        np.testing.assert_allclose(bound, (gram @ v / v).max(), rtol=1e-12)
        np.testing.assert_allclose(common, (gram @ mean / mean).max(), rtol=1e-12)

"""The papers' boxes: each beside its estimator, and each against what its paper says of it."""

import ast
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

from rnmf_tutorial import (
    CSNMF,
    L21NMF,
    NMF,
    L1RobustNMF,
    LocalNMF,
    RegularizedNMF,
    RobustNMF,
    SupervisedNMF,
    TruncatedCauchyNMF,
    checks,
    papers,
)
from rnmf_tutorial.papers import cheng, diaz, guan, regularized, slips, zhang
from tests.problems import positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
PASSES = 30
Y = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 5])  # the last one is alone in its class
seeds = pytest.mark.parametrize("seed", range(3))


def problem(seed, r=3):
    """Return data with zeros, a gross error, a zero row and a zero column, and a start."""
    rng = np.random.default_rng(seed)
    X = rng.random((9, r)) @ rng.random((r, 12)) * (rng.random((9, 12)) < 0.8)
    X += 0.1 * rng.random(X.shape) * (X > 0)
    X[2, 3] += 3
    X[5], X[:, 7] = 0, 0
    W, H = rng.uniform(0.1, 1, (9, r)), rng.uniform(0.1, 1, (r, 12))
    return X, W, H


def fitted(model, X, W, H, y=None):
    """Return the model after thirty sweeps, and its factors after each."""
    seen = []
    model.set_params(
        n_components=W.shape[1],
        init=(W, H),
        max_iter=PASSES,
        tol=0,
        callback=lambda it, W, H, *_: seen.append((W.copy(), H.copy())),
    )
    model.fit(X.T, y)
    return model, seen[1:]


def agree(ours, box, rtol=1e-11):
    """Check that pairs of factors differ by rounding, relative to the largest entry."""
    assert len(ours) == PASSES
    for pair, others in zip(ours, box, strict=True):
        for one, other in zip(pair, others, strict=True):
            same(one, other, rtol)


def same(one, other, rtol=1e-11):
    assert np.shape(one) == np.shape(other)
    assert np.abs(np.subtract(one, other)).max() <= rtol * np.abs(one).max()


def factors(box, passes=PASSES):
    return [(one[0], one[1]) for one in islice(box, passes)]


# ------------------------------------------------------------------ each box beside its estimator


@seeds
@pytest.mark.parametrize(
    ("model", "box"),
    [
        (NMF(), zhang.lee_seung),
        (NMF(loss="kullback-leibler"), zhang.lee_seung_divergence),
        (NMF(), diaz.lee_seung),
        (L21NMF(), diaz.kong),
        (NMF(normalize="l1"), lambda *start: regularized.rule_1(*start, norm=1)),
        (NMF(normalize="l2"), lambda *start: regularized.rule_1(*start, norm=2)),
        (
            NMF(loss="kullback-leibler", normalize="l1"),
            lambda *start: regularized.rule_2(*start, norm=1),
        ),
        (
            NMF(loss="kullback-leibler", normalize="l2"),
            lambda *start: regularized.rule_2(*start, norm=2),
        ),
        (RobustNMF(lam=0.05), lambda *start: zhang.robust_nmf(*start, lam=0.05)),
        (RobustNMF(lam=1.0), lambda *start: zhang.robust_nmf(*start, lam=1.0)),
    ],
    ids=lambda value: repr(value) if isinstance(value, NMF | L21NMF | RobustNMF) else "",
)
def test_multiplicative_boxes(model, box, seed):
    X, W, H = problem(seed)
    _, ours = fitted(model, X, W, H)
    agree(ours, factors(box(X, W, H)))


@seeds
@pytest.mark.parametrize("lam", [0.05, 1.0])
def test_zhangs_error_matrix(lam, seed):
    X, W, H = problem(seed)
    model, _ = fitted(RobustNMF(lam=lam), X, W, H)
    *_, (_, _, S) = islice(zhang.robust_nmf(X, W, H, lam), PASSES)
    same(model.error_.T, S)
    assert (S != 0).any()


@seeds
def test_kongs_weights(seed):
    """Those of the next pass: the estimator finds them at the end of a sweep."""
    X, W, H = problem(seed)
    model, _ = fitted(L21NMF(), X, W, H)
    *_, (_, _, D) = islice(diaz.kong(X, W, H), PASSES + 1)
    kept = X.any(axis=0)  # a column of zeros is fitted exactly: its weight is the guard's
    same(model.weights_[kept], np.diag(D)[kept])


@seeds
@pytest.mark.parametrize("lam", [0.001, 0.04, 0.7, 1.0, 3.0])
def test_shens_stacked_matrices(lam, seed):
    """From the estimator's P and N: the paper's are random."""
    X, W, H = problem(seed)
    model, ours = fitted(L1RobustNMF(lam=lam), X, W, H)
    P, N = start_of_shen(X, W, H, lam)
    box = list(islice(diaz.shen(X, W, H, P, N, lam), PASSES))
    agree(ours, [(one.W, one.H) for one in box], rtol=1e-10)
    same(model.error_.T, box[-1].P - box[-1].N, rtol=1e-10)


def start_of_shen(X, W, H, lam):
    """Return P and N a little above the two parts of the best S, zero where X has only zeros."""
    E = X - W @ H
    sizes = -np.sort(-np.abs(E), axis=0)
    threshold = (sizes.cumsum(axis=0) / (np.arange(1, 10)[:, None] + 1 / lam)).max(axis=0)
    S = zhang.soft_threshold(E, threshold)
    margin = np.outer(X.sum(axis=1), X.sum(axis=0)) / (100 * X.sum())
    return (np.maximum(part * (margin > 0), 0) + margin for part in (S, -S))


@seeds
@pytest.mark.parametrize("lam", [0.0, 0.1, 2.0, 1e4])
def test_the_regularized_steps(lam, seed):
    """With the lengths of step that the estimator tries."""
    X, W, H = problem(seed)
    W /= np.linalg.norm(W, axis=0)
    _, ours = fitted(RegularizedNMF(lam=lam), X, W, H)
    agree(ours, factors(regularized.regularized_nmf(X, W, H, lam, two_lengths(X, lam))))


@seeds
@pytest.mark.parametrize("theta", [0.5, 8.0])
def test_lam_by_11(theta, seed):
    X, W, H = problem(seed)
    W /= np.linalg.norm(W, axis=0)
    model, _ = fitted(RegularizedNMF(lam_theta=theta), X, W, H)
    found = regularized.lam_from_theta(X, W, H, theta, PASSES, two_lengths(X, 0.0))
    assert found == pytest.approx(model.lam_, rel=1e-11)
    at_start = regularized.lam_from_theta(X, W, H, theta, passes=0)
    assert at_start == pytest.approx(theta * ((X - W @ H) ** 2).sum() / 2 / W.sum(), rel=1e-14)
    assert at_start > 2 * found


def two_lengths(X, lam):
    """Return μ of a step: 1.9 times a bound of the safe length, or that if (10) would rise."""

    def mu(W, H):
        HHt, v = H @ H.T, np.ones(len(H))
        for _ in range(4):
            v = HHt @ v / (HHt @ v).max()
        safe = 1 / (HHt @ v / v).max()
        G = (W @ H - X) @ H.T + lam
        D = regularized.unit_columns(W - 1.9 * safe * G) - W
        return 1.9 * safe if np.vdot(G, D) + np.vdot(D @ HHt, D) / 2 <= 0 else safe

    return mu


@seeds
def test_lnmf(seed):
    """The estimator ends with (5a), from equal coefficients."""
    X, W, H = problem(seed)
    W /= W.sum(axis=0)
    model, ours = fitted(LocalNMF(), X, W, H)
    box = factors(regularized.lnmf(X, W, H))
    agree(ours, box)
    W, equal = box[-1][0], np.tile(X.sum(axis=0) / 3, (3, 1))
    *_, H = islice(regularized.coefficients(X, W, equal), PASSES)
    same(model.set_params(callback=None).transform(X.T).T, H, rtol=1e-10)


def as_counted(rule, X):
    """Return a rule that does not see zeros of X that are fitted exactly; the printed ones do."""
    least = np.finfo(float).eps * X.max()
    return lambda E, *last: rule(E[(X > 0) | (np.abs(E) > least)], *last)


def always(value):
    """Return a rule that finds this value."""
    return lambda *_: value


@seeds
@pytest.mark.parametrize("scale", [None, 0.3])
@pytest.mark.parametrize("outliers", ["three-sigma", 0.4, None])
def test_truncated_cauchy_of_rank_one(outliers, scale, seed):
    """With one component both solvers are exact, so that their stopping rules do not matter."""
    X, W, H = problem(seed, r=1)
    W *= np.sqrt(np.median(X[X > 0]) / (W @ H).mean())
    model, ours = fitted(TruncatedCauchyNMF(scale=scale, outliers=outliers), X, W, H)
    nagy, three_sigma = as_counted(guan.nagy, X), as_counted(guan.three_sigma, X)
    rule = three_sigma if outliers == "three-sigma" else always(outliers or np.inf)
    gamma = always(scale) if scale else nagy
    box = list(islice(guan.truncated_cauchy(X, W, H, gamma, rule), PASSES + 1))
    agree(ours, [(one.W, one.H) for one in box[:-1]], rtol=1e-10)
    # The estimator finds both at the end of a sweep, the box at the beginning of the next pass.
    assert box[-1].scale == pytest.approx(model.scale_, rel=1e-10)
    assert box[-1].threshold == pytest.approx(model.threshold_, rel=1e-10)


@seeds
def test_truncated_cauchy_of_rank_three_has_the_same_fixed_points(seed):
    """The estimator takes twelve gradient steps where the box goes on until its test (15)."""
    X, W, H = problem(seed)
    model = TruncatedCauchyNMF(3, scale=0.3, outliers=1.0, init=(W, H), max_iter=3000, tol=0)
    H = model.fit_transform(X.T).T
    W = model.components_.T
    after = next(guan.truncated_cauchy(X, W, H, always(0.3), always(1.0), solve=to_the_end))
    same(W @ H, after.W @ after.H, rtol=1e-6)
    same(model.weights_.T, after.Q, rtol=1e-6)
    assert (after.Q == 0).any()


def to_the_end(X, W, H, Q):
    """Solve every column by SciPy."""
    solved = [
        scipy.optimize.nnls(np.sqrt(q)[:, None] * W, np.sqrt(q) * x)[0]
        for x, q in zip(X.T, Q.T, strict=True)
    ]
    return np.array(solved).T


@seeds
@pytest.mark.parametrize("sigma", [None, 0.5])
@pytest.mark.parametrize("lam", [0.0, 1e-3, 1.0])
def test_csnmf(lam, sigma, seed):
    X, W, H = problem(seed)
    size = always(sigma) if sigma else as_counted(cheng.kernel_size, X)
    model, ours = fitted(CSNMF(lam=lam, scale=sigma), X, W, H, Y)
    box = list(islice(cheng.csnmf(X, W, H, Y, lam, size), PASSES))
    agree(ours, [(one.W, one.H) for one in box], rtol=1e-10)
    same(model.weights_.T, box[-1].Q, rtol=1e-10)
    assert box[-1].sigma == pytest.approx(model.scale_, rel=1e-11)


@seeds
@pytest.mark.parametrize("lam", [0.0, 0.1, 10.0])
def test_snmf(lam, seed):
    X, W, H = problem(seed)
    _, ours = fitted(SupervisedNMF(lam=lam), X, W, H, Y)
    agree(ours, factors(cheng.snmf(X, W, H, Y, lam)))


# ------------------------------------------------------------------ Zhang et al.


@given(e=st.floats(-5, 5), nu=st.floats(0.01, 3))
def test_soft_thresholding_minimizes_27(e, nu):
    def cost(s):
        return (e - s) ** 2 / 2 + nu * abs(s)

    best = float(zhang.soft_threshold(np.array(e), nu))
    for s in np.append(np.linspace(-6, 6, 121), [best - 1e-4, best + 1e-4]):
        assert cost(s) >= cost(best) + (s - best) ** 2 / 2 - 1e-12


def cost_16(X, W, H, lam):
    """Return (16) with the best S, by brute force over its three cases."""
    E = X - W @ H
    cases = [(E - S) ** 2 + lam * np.abs(S) for S in (0 * E, E - lam / 2, E + lam / 2)]
    return np.min(cases, axis=0).sum()


@seeds
def test_zhang_descends_and_as_printed_does_not(seed):
    X, W, H = problem(seed)

    def costs(start=(W, H), box=zhang.robust_nmf):
        pairs = [start, *factors(box(X, *start, 0.2))]
        return [cost_16(X, *pair, 0.2) for pair in pairs]

    checks.decreases(costs())
    W, H = factors(zhang.robust_nmf(X, W, H, 0.2))[-1]
    checks.decreases(costs((3 * W, H / 3)))
    with pytest.raises(AssertionError, match="raises the objective"):
        checks.decreases(costs((3 * W, H / 3), slips.zhang_line_9))


def test_lines_8_and_9_keep_the_product_only_if_the_norms_are_taken_first():
    X, W, H = problem(0)
    meant = next(zhang.robust_nmf(X, W, H, 0.2))
    printed = next(slips.zhang_line_9(X, W, H, 0.2))
    S = zhang.soft_threshold(X - W @ H, 0.1)
    V = W * ((X - S) @ H.T) / (W @ H @ H.T)  # Lee and Seung on the cleaned data
    G = H * (V.T @ (X - S)) / (V.T @ V @ H)
    same(V @ G, meant[0] @ meant[1], 1e-14)
    same(meant[0], printed[0], 1e-15)
    same(np.linalg.norm(meant[0], axis=0), np.ones(3), 1e-14)
    same(G, printed[1], 1e-14)
    assert np.abs(printed[0] @ printed[1] - V @ G).max() > 0.1


# ------------------------------------------------------------------ Díaz, Steele and Nguyen


def test_the_printed_numerator_has_the_wrong_shape_or_leaves_a_solution():
    X, W, H = problem(0)
    with pytest.raises(ValueError, match="broadcast"):
        next(slips.diaz_25(X, W, H))
    W, H = positive((6, 6), 0), positive((6, 6), 1)
    same(W, next(diaz.lee_seung(W @ H, W, H))[0], 1e-13)
    V, G = next(slips.diaz_25(W @ H, W, H))
    assert ((W @ H - V @ G) ** 2).sum() > 0.1


@given(seed=st.integers(0, 10**6), lam=st.sampled_from([0.001, 0.7, 3.0]))
def test_the_stacked_least_squares_problem_is_9(seed, lam):
    rng = np.random.default_rng(seed)
    X, W, H, P, N = (rng.random(shape) for shape in ((4, 3), (4, 2), (2, 3), (4, 3), (4, 3)))
    X_tilde, U_tilde, K = diaz.stacked(X, W, lam)
    stacked = ((X_tilde - U_tilde @ np.vstack([H, P, N])) ** 2).sum()
    assert stacked == pytest.approx(cost_9(X, W, H, P, N, lam), rel=1e-12)
    for i in range(10):
        for j in range(10):
            assert K[i, j] == pytest.approx(U_tilde[:, i] @ U_tilde[:, j], rel=1e-12, abs=1e-14)


def cost_9(X, W, H, P, N, lam):
    return ((X - W @ H - P + N) ** 2).sum() + lam * ((P + N).sum(axis=0) ** 2).sum()


@seeds
@pytest.mark.parametrize("lam", [0.001, 0.7, 3.0])
def test_shen_descends_and_keeps_its_constraint(lam, seed):
    X, W, H = problem(seed)
    P, N = np.random.default_rng(seed).random((2, *X.shape))
    start = W, H, np.minimum(P, X + N), N
    passes = [start, *islice(diaz.shen(X, *start, lam), PASSES)]
    assert all((X - one[2] + one[3]).min() >= -1e-14 and one[0].min() >= 0 for one in passes)
    checks.decreases([cost_9(X, *one, lam) for one in passes])


def test_shens_update_needs_the_clip():
    """A step from an allowed point to one where S exceeds X: here an entry of X is zero."""
    X, W, H = np.array([[0.0], [1.0]]), np.array([[0.0], [1.0]]), np.ones((1, 1))
    P, N, lam = np.array([[0.8], [0.0]]), np.array([[3.4], [0.0]]), 0.57
    X_tilde, U_tilde, K = diaz.stacked(X, W, lam)
    V = np.vstack([H, P, N])
    step = V * (U_tilde.T @ (X_tilde - U_tilde @ V)) / np.where(V > 0, np.abs(K) @ V, 1)
    unclipped = np.maximum(0, V + step)[1:3] - np.maximum(0, V + step)[3:]
    assert (unclipped - X).max() > 0.1
    after = next(diaz.shen(X, W, H, P, N, lam))
    same(after.P - after.N, np.minimum(unclipped, X) + 0 * P, 1e-14)


@seeds
def test_kong_descends(seed):
    X, W, H = problem(seed)
    pairs = [(W, H), *factors(diaz.kong(X, W, H))]
    checks.decreases([np.linalg.norm(X - W @ H, axis=0).sum() for W, H in pairs])


# ------------------------------------------------------------------ regularized NMF, local NMF


@seeds
def test_without_compensation_a_pass_can_end_above_its_start(seed):
    X, *start = problem(seed)
    W, H = factors(regularized.rule_1(X, *start))[-1]

    def errors(box):
        pairs = [(W, H), *factors(box(X, 3 * W, H / 3))]
        return [((X - W @ H) ** 2).sum() for W, H in pairs]

    checks.decreases(errors(regularized.rule_1))
    with pytest.raises(AssertionError, match="raises the objective"):
        checks.decreases(errors(slips.regularized_7))


@given(seed=st.integers(0, 10**6), shift=st.sampled_from([-2.0, -0.5, 0.0, 1.0]))
def test_steps_b_and_c_go_to_the_nearest_allowed_point(seed, shift):
    rng = np.random.default_rng(seed)
    Y = rng.standard_normal((5, 3)) + shift
    V = regularized.unit_columns(Y)
    assert V.min() >= 0
    same(np.linalg.norm(V, axis=0), np.ones(3), 1e-15)
    others = np.abs(rng.standard_normal((200, 5, 3))) * (rng.random((200, 5, 3)) < 0.6) + 1e-9
    others = np.concatenate([others, np.repeat(np.eye(5)[:, :, None], 3, axis=2)])
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    farther = ((others - Y) ** 2).sum(axis=1) - ((V - Y) ** 2).sum(axis=0)
    assert farther.min() >= -1e-12
    with np.errstate(invalid="ignore"):
        printed = slips.regularized_c(Y)
    lost = (Y <= 0).all(axis=0)
    assert np.isnan(printed[:, lost]).all() and np.array_equal(printed[:, ~lost], V[:, ~lost])


@seeds
@pytest.mark.parametrize("lam", [0.0, 0.1, 2.0, 1e4])
def test_the_regularized_steps_descend_and_a_long_one_does_not(lam, seed):
    X, W, H = problem(seed)
    W = regularized.unit_columns(W)

    def costs(mu):
        pairs = [(W, H), *factors(regularized.regularized_nmf(X, W, H, lam, mu))]
        assert all(np.allclose(np.linalg.norm(V, axis=0), 1, rtol=1e-14) for V, _ in pairs)
        return [((X - V @ G) ** 2).sum() / 2 + lam * V.sum() for V, G in pairs]

    checks.decreases(costs(regularized.safe_length))
    first, other = (
        next(regularized.regularized_nmf(X, V, H, lam))
        for V in (W, 3 * W)  # line 1
    )
    same(first[0], other[0], 1e-14)
    if lam == 2.0:
        with pytest.raises(AssertionError, match="raises the objective"):
            checks.decreases(costs(lambda W, H: 200 * regularized.safe_length(W, H)))


@seeds
def test_lnmf_descends_on_its_own_objective_and_fixes_the_length_of_H(seed):
    X, W, H = problem(seed)
    W /= W.sum(axis=0)
    pairs = factors(regularized.lnmf(X, W, H))
    values, there = [], X > 0
    for W, H in pairs:
        same(W.sum(axis=0), np.ones(3), 1e-14)
        same((H**2).sum(axis=0), X.sum(axis=0), 1e-12)
        values.append(100 - (X * np.log(W @ H, where=there, out=0 * X)).sum() + (H**2).sum() / 2)
    checks.decreases(values)
    *_, G = islice(regularized.coefficients(X, W, H), 2000)
    same((W @ G).sum(axis=0), X.sum(axis=0), 1e-10)
    slope = W.T @ (1 - np.divide(X, W @ G, where=there, out=0 * X))
    assert checks.kkt_residual(G[:, X.any(axis=0)], slope[:, X.any(axis=0)]) < 1e-3


# ------------------------------------------------------------------ Guan et al.


@given(seed=st.integers(0, 10**6))
def test_algorithm_1_ends_at_scipys_minimum(seed):
    rng = np.random.default_rng(seed)
    W, x, h = rng.random((7, 3)), rng.random(7), rng.random(3)
    q = rng.random(7) * (rng.random(7) < 0.8) + 1e-3
    exact = scipy.optimize.nnls(np.sqrt(q)[:, None] * W, np.sqrt(q) * x)[0]
    least, at_start, stopped, ours = (
        (q * (x - W @ v) ** 2).sum()
        for v in (
            exact,
            h,
            guan.optimal_gradient(x, W, np.diag(q), h),
            guan.optimal_gradient(x, W, np.diag(q), h, tolerance=1e-10, steps=100_000),
        )
    )
    assert ours == pytest.approx(least, rel=1e-9, abs=1e-15)
    assert least - 1e-15 <= stopped <= at_start + 1e-15


def test_algorithm_1_as_printed_returns_a_negative_coefficient():
    problem = np.array([1.0, 0.0]), np.array([[0.0, 1.0], [1.0, 3.0]]), np.eye(2), np.ones(2)
    h = guan.optimal_gradient(*problem)
    z = slips.guan_line_8(*problem)
    exact, _ = scipy.optimize.nnls(problem[1], problem[0])
    assert h.min() >= 0 and np.allclose(h, exact, atol=1e-3)
    assert z.min() < -0.04


def test_the_test_15_stops_early_and_where_it_says():
    rng = np.random.default_rng(0)
    W, x, h = rng.random((7, 3)), rng.random(7), np.ones(3)

    def left(h):
        return np.linalg.norm(guan.projected_gradient(W.T @ (W @ h - x), h))

    found = [guan.optimal_gradient(x, W, np.eye(7), h, tolerance=0, steps=k) for k in range(1, 99)]
    first = next(v for v in found if left(v) <= 1e-3 * left(h))
    assert np.array_equal(guan.optimal_gradient(x, W, np.eye(7), h), first)


def test_the_projected_gradient_is_zero_at_a_solution_but_not_as_printed():
    slope, h = np.array([0.0, 2.0]), np.array([1.0, 0.0])
    assert not guan.projected_gradient(slope, h).any()
    assert np.array_equal(slips.guan_gradient(slope, h), slope)


@seeds
def test_nagy_maximizes_the_likelihood_and_each_step_raises_it(seed):
    E = np.random.default_rng(seed).standard_cauchy((20, 15)) * 0.3

    def negative(scale):
        return np.log(scale) + np.log1p((E / scale) ** 2).mean()

    best = scipy.optimize.minimize_scalar(negative, bounds=(1e-3, 10), options={"xatol": 1e-12}).x
    assert guan.nagy(E) == pytest.approx(best, rel=1e-5)
    for scale in (1e-3, 1e3):
        scales = [scale]
        for _ in range(60):
            scales.append(guan.nagy(E, scales[-1]))
        checks.decreases([10 + negative(scale) for scale in scales])
        assert scales[-1] == pytest.approx(best, rel=1e-5)


def test_the_rule_as_meant_and_as_printed():
    sizes = np.abs(np.random.default_rng(0).standard_normal((400, 500)))
    threshold = guan.three_sigma(sizes)
    assert threshold == pytest.approx(0.904, rel=5e-3)
    assert (sizes > threshold).mean() == pytest.approx(0.366, abs=5e-3)
    assert not slips.guan_outliers(sizes).any()
    odd = np.r_[np.full(2, 0.001), np.full(98, 1.0), np.full(100, 2.0)]
    assert np.array_equal(slips.guan_outliers(odd), odd == 0.001)


def cost_2(X, W, H, scale, threshold):
    return np.log1p((np.minimum(np.abs(X - W @ H), threshold) / scale) ** 2).sum() / 2


def guans_data():
    """Samples with a gross error and one sample with its features reversed."""
    X = positive((11, 8), seed=0).T
    X[2, 3] += 5
    X[:, 7] = X[::-1, 7] * 4
    return X


@seeds
def test_algorithm_2_descends_at_a_fixed_scale_and_threshold(seed):
    X, W, H = problem(seed)
    pairs = [(W, H), *factors(guan.truncated_cauchy(X, W, H, always(0.3), always(0.8)))]
    checks.decreases([cost_2(X, *pair, 0.3, 0.8) for pair in pairs])


@seeds
def test_line_7_as_printed_lets_outliers_in_and_can_rise(seed):
    X, W, H = guans_data(), positive((8, 3), seed), positive((3, 11), seed + 9)

    meant, printed = (
        list(islice(box(X, W, H, always(1.0), always(0.3)), PASSES))
        for box in (guan.truncated_cauchy, slips.guan_line_7)
    )
    checks.decreases([cost_2(X, one.W, one.H, 1.0, 0.3) for one in meant])
    with pytest.raises(AssertionError, match="raises the objective"):
        checks.decreases([cost_2(X, one.W, one.H, 1.0, 0.3) for one in printed])
    same(meant[0].H, printed[0].H, 1e-15)
    assert (meant[0].Q == 0).any() and (printed[0].Q > 0).all()
    kept = meant[0].Q > 0
    same(meant[0].Q[kept], printed[0].Q[kept], 1e-15)


def test_the_likelihood_falls_with_the_scale_first_and_can_rise_in_the_printed_order():
    rng = np.random.default_rng(0)
    W, H = rng.random((12, 3)), rng.random((3, 20))
    X = W @ H + 0.05 * rng.random((12, 20))
    X += 5 * rng.random(X.shape) * (rng.random(X.shape) < 0.2)

    def likelihoods(box):
        """After every half-step, as the scale and the solver see it."""
        values, scales = [], []

        def note(E):
            spread = np.log1p((E / scales[-1]) ** 2).sum() + E.size * np.log(scales[-1])
            values.append(1000 + spread)

        def scale(E, before):
            scales.append(guan.nagy(E, before))
            note(E)
            return scales[-1]

        def solve(X, W, H, Q):
            H = to_the_end(X, W, H, Q)
            note(X - W @ H)
            return H

        passes = box(X, W, H, scale, always(np.inf), start=100.0, solve=solve)
        next(islice(passes, 14, 15))
        return values

    assert len(likelihoods(guan.truncated_cauchy)) == 45
    checks.decreases(likelihoods(guan.truncated_cauchy))
    with pytest.raises(AssertionError, match="raises the objective"):
        checks.decreases(likelihoods(slips.guan_line_2))


def test_the_weights_are_those_of_12():
    X, W, H = problem(0)
    one = next(guan.truncated_cauchy(X, W, H, always(0.3), always(0.5)))
    E = X - W @ one.H
    for i in range(9):
        for j in range(12):
            small = abs(E[i, j]) <= 0.5
            expected = 1 / (1 + (E[i, j] / 0.3) ** 2) if small else 0
            assert one.Q[i, j] == pytest.approx(expected, rel=1e-14)


# ------------------------------------------------------------------ Cheng et al.


def test_the_similarities_make_the_penalty_10():
    _, _, H = problem(0)
    A = cheng.affinity(Y)
    pairs = sum(
        ((H[:, i] - H[:, j]) ** 2).sum() for i in range(12) for j in range(12) if Y[i] == Y[j]
    )
    L = np.diag(A.sum(axis=0)) - A
    assert 2 * np.trace(H @ L @ H.T) == pytest.approx(pairs, rel=1e-12)
    assert not np.diag(A).any() and not A[:, -1].any()


def cost_12(X, W, H, lam, sigma):
    A = cheng.affinity(Y)
    graph = np.trace(H @ (np.diag(A.sum(axis=0)) - A) @ H.T)
    return (1 - np.exp(-((X - W @ H) ** 2) / (2 * sigma**2))).mean() + lam / 2 * graph


@seeds
@pytest.mark.parametrize("lam", [0.0, 1e-3, 1.0])
def test_csnmf_descends_but_not_with_the_printed_sign(lam, seed):
    X, W, H = problem(seed)

    def costs(box, passes):
        pairs = [(W, H), *factors(box(X, W, H, Y, lam, always(0.5)), passes)]
        return [cost_12(X, *pair, lam, 0.5) for pair in pairs]

    checks.decreases(costs(cheng.csnmf, PASSES))
    if lam < 1:
        with pytest.raises(AssertionError, match="raises the objective"):
            checks.decreases(costs(slips.cheng_sign, 6))


@seeds
def test_snmf_descends(seed):
    X, W, H = problem(seed)
    A = cheng.affinity(Y)
    L = np.diag(A.sum(axis=0)) - A
    pairs = [(W, H), *factors(cheng.snmf(X, W, H, Y, 0.5))]
    checks.decreases(
        [((X - W @ H) ** 2).sum() / 2 + 0.25 * np.trace(H @ L @ H.T) for W, H in pairs]
    )


def test_each_update_moves_against_its_gradient():
    """Of a fixed quadratic surrogate, by finite differences: it steps where its slope says."""
    X, W, H = problem(0)
    A, lam, sigma = cheng.affinity(Y), 0.01, 0.7
    Q = cheng.weights(X - W @ H, sigma)
    slopes = W.T @ (Q * (W @ H - X)) / (X.size * sigma**2) + lam * H @ (np.diag(A.sum(0)) - A)
    checks.gradient_matches(lambda V: cost_12(X, W, V, lam, sigma), slopes, H, step=1e-4)
    new = cheng.update_H(X, W, H, Q, A, lam, X.size * sigma**2)
    assert np.array_equal(np.sign(H - new), np.sign(slopes))
    slopes = (Q * (W @ H - X)) @ H.T / (X.size * sigma**2)
    checks.gradient_matches(lambda V: cost_12(X, V, H, lam, sigma), slopes, W, step=1e-4)
    assert np.array_equal(np.sign(W - cheng.update_W(X, W, H, Q)), np.sign(slopes))


def test_the_printed_order_has_weights_of_the_old_sigma():
    X, W, H = problem(0)
    meant = list(islice(cheng.csnmf(X, W, H, Y, 0.01), 2))
    printed = list(islice(slips.cheng_order(X, W, H, Y, 0.01), 2))
    for name in ("W", "H", "sigma"):
        same(getattr(meant[0], name), getattr(printed[0], name), 1e-15)
        assert np.abs(getattr(meant[1], name) - getattr(printed[1], name)).max() > 1e-3
    E = X - meant[0].W @ meant[0].H
    assert meant[0].sigma == pytest.approx(np.sqrt((E**2).mean() / 2), rel=1e-14)
    same(meant[0].Q, np.exp(-(E**2) / (2 * meant[0].sigma ** 2)), 1e-14)
    same(printed[0].Q, np.exp(-(E**2) / ((X - W @ H) ** 2).mean()), 1e-14)


# ------------------------------------------------------------------ what all of them promise


def test_no_box_changes_its_arguments():
    X, W, H = problem(0)
    P, N = np.random.default_rng(0).random((2, *X.shape))
    before = [V.copy() for V in (X, W, H, P, N)]
    for box in (
        zhang.lee_seung(X, W, H),
        zhang.lee_seung_divergence(X, W, H),
        zhang.robust_nmf(X, W, H, 0.2),
        diaz.lee_seung(X, W, H),
        diaz.shen(X, W, H, P, N, 0.2),
        diaz.kong(X, W, H),
        regularized.rule_1(X, W, H),
        regularized.regularized_nmf(X, W, H, 0.2),
        regularized.lnmf(X, W, H),
        guan.truncated_cauchy(X, W, H),
        cheng.csnmf(X, W, H, Y, 0.2),
        cheng.snmf(X, W, H, Y, 0.2),
    ):
        first, second = islice(box, 2)
        assert not any(np.shares_memory(a, b) for a in first[:2] for b in second[:2])
        for V, kept in zip((X, W, H, P, N), before, strict=True):
            assert np.array_equal(V, kept)


def test_the_boxes_know_numpy_and_nothing_of_the_package():
    for path in Path(papers.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.startswith(("numpy", "itertools", "typing", "rnmf_tutorial.papers")), (
                    name
                )

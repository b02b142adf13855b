"""What the papers print and cannot mean: each misprint does what the book says it does."""

from itertools import islice

import numpy as np
import pytest
import scipy.optimize

from rnmf_tutorial import checks
from rnmf_tutorial.papers import cheng, diaz, guan, regularized, zhang
from tests.laws.test_papers import (
    Y,
    cost_2,
    cost_12,
    cost_16,
    passed,
    problem,
    same,
    seeds,
    squares,
    to_the_end,
)
from tests.problems import positive


def rises(costs):
    with pytest.raises(AssertionError, match="raises the objective"):
        checks.decreases(costs)


@seeds
def test_a_normalization_without_compensation_rises(seed):
    """Zhang's lines 8 and 9 in the printed order, and (6) or (7) for W alone."""
    X, W, H = problem(seed)
    for box, cost in (
        (lambda *start, **how: zhang.robust_nmf(*start, 0.2, **how), lambda *at: cost_16(*at, 0.2)),
        (regularized.nmf, squares),
    ):
        V, G, *_ = passed(box(X, W, H))[-1]
        start = 3 * V, G / 3
        for how, check in (({}, checks.decreases), ({"as_printed": True}, rises)):
            pairs = [start, *(one[:2] for one in passed(box(X, *start, **how)))]
            check([cost(X, *pair) for pair in pairs])


def test_lines_8_and_9_keep_the_product_only_if_the_norms_are_taken_first():
    X, W, H = problem(0)
    meant = next(zhang.robust_nmf(X, W, H, 0.2))
    printed = next(zhang.robust_nmf(X, W, H, 0.2, as_printed=True))
    S = zhang.soft_threshold(X - W @ H, 0.1)
    V = W * ((X - S) @ H.T) / (W @ H @ H.T)  # Lee and Seung on the cleaned data
    G = H * (V.T @ (X - S)) / (V.T @ V @ H)
    same(V @ G, meant[0] @ meant[1], 1e-14)
    same(meant[0], printed[0], 1e-15)
    same(np.linalg.norm(meant[0], axis=0), np.ones(3), 1e-14)
    same(G, printed[1], 1e-14)
    assert np.abs(printed[0] @ printed[1] - V @ G).max() > 0.1


def test_the_numerator_of_díaz_has_the_wrong_shape_or_leaves_a_solution():
    X, W, H = problem(0)
    with pytest.raises(ValueError, match="broadcast"):
        next(diaz.lee_seung(X, W, H, as_printed=True))
    W, H = positive((6, 6), 0), positive((6, 6), 1)
    same(W, next(diaz.lee_seung(W @ H, W, H))[0], 1e-13)
    V, G = next(diaz.lee_seung(W @ H, W, H, as_printed=True))
    assert ((W @ H - V @ G) ** 2).sum() > 0.1


def test_a_column_without_a_positive_entry_becomes_0_by_0():
    Y = np.array([[-1.0, 3.0], [-2.0, 4.0]])
    with np.errstate(invalid="ignore"):
        printed = regularized.unit_columns(Y, as_printed=True)
    assert np.isnan(printed[:, 0]).all() and printed[:, 1].tolist() == [0.6, 0.8]
    assert regularized.unit_columns(Y)[:, 0].tolist() == [1, 0]


@seeds
def test_a_step_that_is_not_small_enough_rises(seed):
    X, W, H = problem(seed)
    W = regularized.unit_columns(W)
    box = regularized.regularized_nmf(
        X, W, H, 2.0, lambda W, H: 200 * regularized.safe_length(W, H)
    )
    rises([squares(X, *pair) / 2 + 2 * pair[0].sum() for pair in [(W, H), *passed(box)]])


def test_algorithm_1_returns_a_negative_coefficient():
    problem = np.array([1.0, 0.0]), np.array([[0.0, 1.0], [1.0, 3.0]]), np.eye(2), np.ones(2)
    h = guan.optimal_gradient(*problem)
    z = guan.optimal_gradient(*problem, as_printed=True)
    exact, _ = scipy.optimize.nnls(problem[1], problem[0])
    assert h.min() >= 0 and np.allclose(h, exact, atol=1e-3)
    assert z.min() < -0.04


def test_the_projected_gradient_is_not_zero_at_a_solution():
    slope, h = np.array([0.0, 2.0]), np.array([1.0, 0.0])
    assert np.array_equal(guan.projected_gradient(slope, h, as_printed=True), slope)


def test_the_outliers_below_the_median_are_none_of_the_large_ones():
    rng = np.random.default_rng(0)
    for sizes in (np.abs(rng.standard_normal(10**5)), rng.random(10**5)):
        assert not guan.printed_outliers(sizes).any()
    odd = np.r_[np.full(2, 0.001), np.full(98, 1.0), np.full(100, 2.0)]
    assert np.array_equal(guan.printed_outliers(odd), odd == 0.001)


@seeds
def test_line_7_lets_outliers_in_and_can_rise(seed):
    X = positive((11, 8), seed=0).T
    X[2, 3] += 5
    X[:, 7] = X[::-1, 7] * 4
    W, H = positive((8, 3), seed), positive((3, 11), seed + 9)
    meant, printed = (
        passed(guan.truncated_cauchy(X, W, H, 1.0, 0.3, printed_line_7=how))
        for how in (False, True)
    )
    checks.decreases([cost_2(X, one.W, one.H, 1.0, 0.3) for one in meant])
    rises([cost_2(X, one.W, one.H, 1.0, 0.3) for one in printed])
    same(meant[0].H, printed[0].H, 1e-15)
    kept = meant[0].Q > 0
    assert not kept.all() and (printed[0].Q > 0).all()
    same(meant[0].Q[kept], printed[0].Q[kept], 1e-15)


@pytest.mark.parametrize("printed", [False, True])
def test_the_likelihood_falls_with_the_scale_first_and_can_rise_in_the_printed_order(printed):
    rng = np.random.default_rng(0)
    W, H = rng.random((12, 3)), rng.random((3, 20))
    X = W @ H + 0.05 * rng.random((12, 20))
    X += 5 * rng.random(X.shape) * (rng.random(X.shape) < 0.2)
    values, scales = [], []  # after every half-step, as the scale and the solver know it

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

    options = {"start": 100.0, "solve": solve, "printed_order": printed}
    passed(guan.truncated_cauchy(X, W, H, scale, np.inf, **options), 15)
    assert len(values) == 45
    (rises if printed else checks.decreases)(values)


@seeds
@pytest.mark.parametrize("lam", [0.0, 1e-3])
def test_the_sign_of_chengs_weights_rises(lam, seed):
    X, W, H = problem(seed)
    box = cheng.csnmf(X, W, H, Y, lam, 0.5, printed_sign=True)
    rises([cost_12(X, *pair[:2], lam, 0.5) for pair in [(W, H), *passed(box, 6)]])


def test_chengs_order_has_weights_of_the_old_sigma():
    X, W, H = problem(0)
    meant, printed = (
        list(islice(cheng.csnmf(X, W, H, Y, 0.01, printed_order=how), 2)) for how in (False, True)
    )
    for name in ("W", "H", "sigma"):
        same(getattr(meant[0], name), getattr(printed[0], name), 1e-15)
        assert np.abs(getattr(meant[1], name) - getattr(printed[1], name)).max() > 1e-3
    E = X - meant[0].W @ meant[0].H
    assert meant[0].sigma == pytest.approx(np.sqrt((E**2).mean() / 2), rel=1e-14)
    same(meant[0].Q, np.exp(-(E**2) / (2 * meant[0].sigma ** 2)), 1e-14)
    same(printed[0].Q, np.exp(-(E**2) / ((X - W @ H) ** 2).mean()), 1e-14)

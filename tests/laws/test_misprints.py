"""What the papers print and cannot mean: each misprint does what the book says it does."""

from itertools import islice

import numpy as np
import pytest
import scipy.optimize

from rnmf_tutorial import checks
from rnmf_tutorial.papers import cheng, diaz, guan, regularized, zhang
from studies import slips
from tests.laws.test_papers import Y, always, passed, problem, same, seeds
from tests.problems import positive, spoiled_start


def cost_16(X, W, H, lam):
    """Return Zhang's (16) with the best S."""
    S = zhang.soft_threshold(X - W @ H, lam / 2)
    return zhang.robust_nmf_objective(X, W, H, S, lam)


def to_the_end(X, W, H, Q):
    """Solve every column by SciPy."""
    columns = zip(X.T, np.sqrt(Q).T, strict=True)
    return np.array([scipy.optimize.nnls(q[:, None] * W, q * x)[0] for x, q in columns]).T


def rises(costs):
    with pytest.raises(AssertionError, match="raises the objective"):
        checks.decreases(costs)


@seeds
def test_a_normalization_without_compensation_rises(seed):
    """Zhang's lines 8 and 9 in the printed order, and (6) or (7) for W alone."""
    X, W, H = problem(seed)
    for box, slip, cost, options in (
        (zhang.robust_nmf, slips.zhang_line_9, cost_16, {"lam": 0.2}),
        (regularized.rule_1, slips.regularized_7, regularized.rule_1_objective, {}),
    ):
        V, G, *_ = passed(box(X, W, H, **options))[-1]
        start = 3 * V, G / 3
        for each, check in ((box, checks.decreases), (slip, rises)):
            pairs = [start, *(one[:2] for one in passed(each(X, *start, **options)))]
            check([cost(X, *pair, **options) for pair in pairs])


def test_lines_8_and_9_keep_the_product_only_if_the_norms_are_taken_first():
    X, W, H = problem(0)
    meant = next(zhang.robust_nmf(X, W, H, 0.2))
    printed = next(slips.zhang_line_9(X, W, H, 0.2))
    S = zhang.soft_threshold(X - W @ H, 0.1)
    V = W * ((X - S) @ H.T) / (W @ H @ H.T)  # Lee and Seung on the cleaned data
    G = H * (V.T @ (X - S)) / (V.T @ V @ H)
    same(V @ G, meant[0] @ meant[1], 1e-14)
    same(meant[0], printed[0], 1e-15)
    same(meant[2], printed[2], 1e-15)
    same(np.linalg.norm(meant[0], axis=0), np.ones(3), 1e-14)
    same(G, printed[1], 1e-14)
    assert np.abs(printed[0] @ printed[1] - V @ G).max() > 0.1


def test_the_numerator_of_díaz_has_the_wrong_shape_or_leaves_a_solution():
    X, W, H = problem(0)
    with pytest.raises(ValueError, match="broadcast"):
        next(slips.diaz_25(X, W, H))
    W, H = positive((6, 6), 0), positive((6, 6), 1)
    same(W, next(diaz.lee_seung(W @ H, W, H))[0], 1e-13)
    V, G = next(slips.diaz_25(W @ H, W, H))
    assert ((W @ H - V @ G) ** 2).sum() > 0.1


def test_a_column_without_a_positive_entry_becomes_0_by_0():
    Y = np.array([[-1.0, 3.0], [-2.0, 4.0]])
    with np.errstate(invalid="ignore"):
        printed = slips.regularized_c(Y)
    assert np.isnan(printed[:, 0]).all() and printed[:, 1].tolist() == [0.6, 0.8]
    assert regularized.unit_columns(Y)[:, 0].tolist() == [1, 0]


@seeds
def test_a_step_that_is_not_small_enough_rises(seed):
    X, W, H = problem(seed)
    W = regularized.unit_columns(W)
    box = regularized.regularized_nmf(
        X, W, H, 2.0, lambda W, H: 200 * regularized.safe_length(W, H)
    )
    rises([regularized.regularized_nmf_objective(X, *pair, 2.0) for pair in [(W, H), *passed(box)]])


def test_algorithm_1_returns_a_negative_coefficient():
    problem = np.array([1.0, 0.0]), np.array([[0.0, 1.0], [1.0, 3.0]]), np.eye(2), np.ones(2)
    h = guan.optimal_gradient(*problem)
    z = slips.guan_line_8(*problem)
    exact, _ = scipy.optimize.nnls(problem[1], problem[0])
    assert h.min() >= 0 and np.allclose(h, exact, atol=1e-3)
    assert z.min() < -0.04


def test_the_projected_gradient_is_not_zero_at_a_solution():
    slope, h = np.array([0.0, 2.0]), np.array([1.0, 0.0])
    assert np.array_equal(slips.guan_gradient(slope, h), slope)
    slope, h = np.array([1.0, -1.0]), np.array([2.0, 3.0])  # where nothing is zero
    assert np.array_equal(slips.guan_gradient(slope, h), guan.projected_gradient(slope, h))


def test_the_outliers_below_the_median_are_none_of_the_large_ones():
    rng = np.random.default_rng(0)
    for sizes in (np.abs(rng.standard_normal(10**5)), rng.random(10**5)):
        assert not slips.guan_outliers(sizes).any()
    odd = np.r_[np.full(2, 0.001), np.full(98, 1.0), np.full(100, 2.0)]
    assert np.array_equal(slips.guan_outliers(odd), odd == 0.001)


@seeds
@pytest.mark.slow
def test_line_7_lets_outliers_in_and_can_rise(seed):
    (_, X, *_), W, H = spoiled_start(11), positive((8, 3), seed), positive((3, 11), seed + 9)
    meant, printed = (
        passed(box(X, W, H, always(1.0), always(0.3)), 12)
        for box in (guan.truncated_cauchy, slips.guan_line_7)
    )
    checks.decreases([guan.truncated_cauchy_objective(X, one.W, one.H, 1.0, 0.3) for one in meant])
    rises([guan.truncated_cauchy_objective(X, one.W, one.H, 1.0, 0.3) for one in printed])
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

    box = slips.guan_line_2 if printed else guan.truncated_cauchy
    passed(box(X, W, H, scale, always(np.inf), start=100.0, solve=solve), 15)
    assert len(values) == 45
    (rises if printed else checks.decreases)(values)


@seeds
@pytest.mark.parametrize("lam", [0.0, 1e-3])
def test_the_sign_of_chengs_weights_rises(lam, seed):
    X, W, H = problem(seed)
    box = slips.cheng_sign(X, W, H, Y, lam, always(0.5))
    rises([cheng.csnmf_objective(X, *pair[:2], Y, lam, 0.5) for pair in [(W, H), *passed(box, 6)]])


def test_chengs_order_has_weights_of_the_old_sigma():
    X, W, H = problem(0)
    meant, printed = (
        list(islice(box(X, W, H, Y, 0.01), 2)) for box in (cheng.csnmf, slips.cheng_order)
    )
    for name in ("W", "H", "sigma"):
        same(getattr(meant[0], name), getattr(printed[0], name), 1e-15)
        assert np.abs(getattr(meant[1], name) - getattr(printed[1], name)).max() > 1e-3
    E = X - meant[0].W @ meant[0].H
    assert meant[0].sigma == pytest.approx(np.sqrt((E**2).mean() / 2), rel=1e-14)
    same(meant[0].Q, np.exp(-(E**2) / (2 * meant[0].sigma ** 2)), 1e-14)
    same(printed[0].Q, np.exp(-(E**2) / ((X - W @ H) ** 2).mean()), 1e-14)


# ------------------------------------------------------------------ and nothing else


def test_a_slip_leaves_the_lines_before_it_alone():
    X, W, H = problem(0)
    (W, H), (V, G) = next(regularized.rule_1(X, W, H)), next(slips.regularized_7(X, W, H))
    same(V, W)
    same(H, G * (H[:, :1] / G[:, :1]))  # by a number for each row
    x, w, h = (np.full((1, 1), value) for value in (4.0, 2.0, 1.0))
    (W, H), (V, G) = next(diaz.lee_seung(x, w, h)), next(slips.diaz_25(x, w, h))
    same(H, G)
    assert np.array_equal((V, W), ([[2.0]], [[2.0]]))  # here wx = xh


@pytest.mark.parametrize(
    ("slip", "box", "arguments", "start"),
    [
        (slips.guan_line_2, guan.truncated_cauchy, (always(0.3), always(0.8)), {"start": 0.3}),
        (slips.guan_line_7, guan.truncated_cauchy, (guan.nagy, always(np.inf)), {}),
        (slips.cheng_order, cheng.csnmf, (Y, 1e-3, always(0.5)), {}),
        (slips.cheng_sign, cheng.csnmf, (Y, 0.0, always(1e9)), {}),
    ],
    ids=["γ known", "no outliers", "σ known", "σ beyond all errors"],
)
def test_where_the_printed_line_says_nothing_a_slip_is_its_box(slip, box, arguments, start):
    passes = slip(*problem(0), *arguments, **start), box(*problem(0), *arguments)
    for one, other in islice(zip(*passes, strict=True), 3):
        for ours, theirs in zip(one, other, strict=True):
            if np.ndim(ours):
                same(ours, theirs)

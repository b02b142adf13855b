"""The papers' boxes: each lowers its objective, is its estimator to rounding, and does its steps.

What a misprint in a box does is asserted in the chapter of its paper.
"""

import inspect
from functools import partial
from itertools import islice

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import rnmf_tutorial as rt
from rnmf_tutorial import checks, published, solvers
from rnmf_tutorial.papers import cheng, diaz, guan, lee, regularized, zhang

PASSES = 30
Y = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 5])  # the last one is alone in its class
seeds = pytest.mark.parametrize("seed", range(3))


def problem(seed, r=3):
    """Return data with zeros, a gross error, a zero row and a zero column, and a start."""
    rng = np.random.default_rng(seed)
    X = rng.random((9, r)) @ rng.random((r, 12)) * (rng.random((9, 12)) < 0.8)
    X += 0.1 * rng.random(X.shape) * (X > 0)
    X[2, 3] += 3
    X[5] = 0
    X[:, 7] = 0
    W, H = rng.uniform(0.1, 1, (9, r)), rng.uniform(0.1, 1, (r, 12))
    return X, W, H


def same(one, other, rtol=1e-11):
    assert np.shape(one) == np.shape(other)
    assert np.abs(np.subtract(one, other)).max() <= rtol * np.abs(one).max()


def always(value):
    """Return a rule that finds this value."""
    return lambda *_: value


def passed(box, passes=PASSES):
    return list(islice(box, passes))


# ------------------------------------------------------------ each box is its estimator


def two_lengths(X, lam):
    """Return μ of a step: 1.9 times a bound of the safe length, or that if (10) would rise."""

    def mu(W, H):
        HHt = H @ H.T
        v = np.ones(len(H))
        for _ in range(4):
            v = HHt @ v / (HHt @ v).max()
        safe = 1 / (HHt @ v / v).max()
        G = (W @ H - X) @ H.T + lam
        D = regularized.unit_columns(W - 1.9 * safe * G) - W
        return 1.9 * safe if np.vdot(G, D) + np.vdot(D @ HHt, D) / 2 <= 0 else safe

    return mu


def shen(X, W, H, lam):
    """Shen's box from the estimator's P and N (the paper's are random).

    They are a little above the two parts of the best S, and zero where X has only
    zeros.
    """
    E = X - W @ H
    sizes = -np.sort(-np.abs(E), axis=0)
    threshold = (sizes.cumsum(axis=0) / (np.arange(1, 10)[:, None] + 1 / lam)).max(
        axis=0
    )
    S = zhang.soft_threshold(E, threshold)
    margin = np.outer(X.sum(axis=1), X.sum(axis=0)) / (100 * X.sum())
    P, N = (np.maximum(part * (margin > 0), 0) + margin for part in (S, -S))
    return diaz.shen(X, W, H, P, N, lam)


def csnmf(X, W, H, lam, scale):
    """Cheng's box; like the estimator, it counts no zero that is fitted exactly for σ."""
    size = as_counted(cheng.kernel_size, X) if scale == "published" else always(scale)
    return cheng.csnmf(X, W, H, Y, lam, size)


def as_counted(rule, X):
    """Return a rule that leaves out zeros of X that are fitted exactly; the printed ones do not."""
    least = np.finfo(float).eps * X.max()
    return lambda E, *last: rule(E[(X > 0) | (np.abs(E) > least)], *last)


def csnmf_objective(X, W, H, Q, sigma, lam, scale):
    return cheng.csnmf_objective(X, W, H, Y, lam, scale)


def kong_objective(X, W, H, D):
    return diaz.kong_objective(X, W, H)


def regularized_nmf(X, W, H, lam):
    return regularized.regularized_nmf(X, W, H, lam, two_lengths(X, lam))


def lams(*values):
    return [{"lam": lam} for lam in values]


KL = {"loss": "kullback-leibler"}
sparse = published.regularized
rule_1 = regularized.rule_1_objective
rule_2 = regularized.rule_2_objective
regularized_objective = regularized.regularized_nmf_objective
snmf = partial(cheng.snmf, y=Y)
snmf_objective = partial(cheng.snmf_objective, y=Y)
scales = [
    each | {"scale": at} for each in lams(0.0, 1e-3, 1) for at in ("published", 0.5)
]
# Estimators, boxes, the objectives beside them, and the parameters of all three.
PAIRS = [
    (published.lee.NMF, lee.euclid, lee.euclid_objective, [{}]),
    (partial(published.lee.NMF, **KL), lee.divergence, lee.divergence_objective, [{}]),
    (
        partial(sparse.NMF, normalize="l1"),
        partial(regularized.rule_1, norm=1),
        rule_1,
        [{}],
    ),
    (partial(sparse.NMF, normalize="l2"), regularized.rule_1, rule_1, [{}]),
    (
        partial(sparse.NMF, normalize="l1", **KL),
        partial(regularized.rule_2, norm=1),
        rule_2,
        [{}],
    ),
    (partial(sparse.NMF, normalize="l2", **KL), regularized.rule_2, rule_2, [{}]),
    (published.diaz.L21NMF, diaz.kong, kong_objective, [{}]),
    (
        published.zhang.RobustNMF,
        zhang.robust_nmf,
        zhang.robust_nmf_objective,
        lams(0.05, 1.0),
    ),
    (
        published.diaz.L1RobustNMF,
        shen,
        diaz.shen_objective,
        lams(0.001, 0.04, 0.7, 1.0, 3.0),
    ),
    (
        sparse.RegularizedNMF,
        regularized_nmf,
        regularized_objective,
        lams(0.0, 0.1, 2.0, 1e4),
    ),
    (sparse.LocalNMF, regularized.lnmf, regularized.lnmf_objective, [{}]),
    (published.cheng.CSNMF, csnmf, csnmf_objective, scales),
    (published.cheng.SupervisedNMF, snmf, snmf_objective, lams(0.0, 0.1, 10.0)),
]
# What an estimator keeps of the last pass of its box.
KEPT = {
    rt.RobustNMF: {"error_": lambda last: last[2].T},
    rt.L1RobustNMF: {"error_": lambda last: (last.P - last.N).T},
    rt.CSNMF: {"weights_": lambda last: last.Q.T, "scale_": lambda last: last.sigma},
}


def fitted(model, X, W, H):
    """Return the model after thirty sweeps, and its factors after each."""
    sizes = {"n_components": W.shape[1], "init": (W, H)}
    model = clone(model).set_params(**sizes, max_iter=PASSES, tol=0)
    return model, checks.iterates(model, X.T, Y)[1:]


@seeds
@pytest.mark.parametrize(
    ("model", "box", "objective", "options"),
    [
        (Model(**each), *boxes, each)
        for Model, *boxes, options in PAIRS
        for each in options
    ],
    ids=lambda value: "" if callable(value) else repr(value),
)
def test_boxes_are_their_estimators_and_descend(model, box, objective, options, seed):
    X, W, H = problem(seed)
    if isinstance(model, rt.RegularizedNMF | rt.LocalNMF):
        W /= np.linalg.norm(W, 1 if isinstance(model, rt.LocalNMF) else 2, axis=0)
    model, ours = fitted(model, X, W, H)
    theirs = passed(box(X, W, H, **options))
    for pair, one in zip(ours, theirs, strict=True):
        same(pair[0], one[0], 1e-10)
        same(pair[1], one[1], 1e-10)
    model.fit(X.T, Y)
    for name, of_the_box in KEPT.get(type(model), {}).items():
        same(getattr(model, name), of_the_box(theirs[-1]), 1e-10)
    if options.get("scale") != "published":  # where the objective changes with σ
        values = np.array([objective(X, *one, **options) for one in theirs])
        record = model.objective_history_[1:]
        constant = record[0] - values[0] if isinstance(model, rt.LocalNMF) else 0
        same(record, values + constant, 1e-10)
        checks.decreases(model.objective_history_)
        assert record[-1] < model.objective_history_[0]


def test_the_objective_beside_guans_box_is_its_estimators_by_another_unit_and_falls():
    X, W, H = problem(0)
    box = passed(guan.truncated_cauchy(X, W, H, always(0.3), always(0.8)))
    values = [guan.truncated_cauchy_objective(X, one.W, one.H, 0.3, 0.8) for one in box]
    checks.decreases(values)
    model = rt.TruncatedCauchyNMF(scale=0.3, outliers=0.8)
    for one, value in zip(box[::10], values[::10], strict=True):
        assert model.objective(X, one.W, one.H) == pytest.approx(
            2 * 0.3**2 * value, rel=1e-12
        )


@seeds
def test_local_nmf_ends_with_5a_from_equal_coefficients(seed):
    X, W, H = problem(seed)
    W /= W.sum(axis=0)
    model = rt.LocalNMF(3, init=(W, H), max_iter=PASSES, tol=0).fit(X.T)
    W, _ = passed(regularized.lnmf(X, W, H))[-1]
    equal = np.tile(X.sum(axis=0) / 3, (3, 1))
    same(
        model.transform(X.T).T, passed(regularized.coefficients(X, W, equal))[-1], 1e-10
    )


@seeds
@pytest.mark.parametrize("theta", [0.5, 8.0])
def test_lam_by_11(theta, seed):
    X, W, H = problem(seed)
    W /= np.linalg.norm(W, axis=0)
    model = rt.RegularizedNMF(
        3, lam_theta=theta, init=(W, H), max_iter=PASSES, tol=0
    ).fit(X.T)
    found = regularized.lam_from_theta(X, W, H, theta, PASSES, two_lengths(X, 0.0))
    assert found == pytest.approx(model.lam_, rel=1e-11)
    at_start = regularized.lam_from_theta(X, W, H, theta, passes=0)
    assert at_start == pytest.approx(
        theta * ((X - W @ H) ** 2).sum() / 2 / W.sum(), rel=1e-14
    )
    assert at_start > 2 * found


@seeds
@pytest.mark.parametrize(
    ("outliers", "scale", "unit"),
    [
        *(("three-sigma", "published", unit) for unit in (1e-6, 1.0, 1e6)),
        *((None, "published", 1.0), ("three-sigma", 0.3, 1.0), (0.4, 0.3, 1.0)),
    ],
)
@pytest.mark.slow
def test_truncated_cauchy(outliers, scale, unit, seed):
    """The data have a zero row and a zero column, except those of the last seed."""
    X, W, H = problem(seed)
    if seed == 2:
        X[5] = 0.1
        X[:, 7] = 0.2
    X, W, H = unit * X, np.sqrt(unit) * W, np.sqrt(unit) * H
    options = {"scale": scale, "outliers": outliers, "init": (W, H)}
    model = published.guan.TruncatedCauchyNMF(3, max_iter=8, tol=0, **options)
    _, *ours = model.sweeps(X.T)
    rule = guan.three_sigma if outliers == "three-sigma" else always(outliers or np.inf)
    gamma = guan.nagy if scale == "published" else always(scale)
    box = passed(guan.truncated_cauchy(X, W, H, gamma, rule), 9)
    for sweep, one in zip(ours, box[:-1], strict=True):
        same(sweep.W, one.W, 1e-10)
        same(sweep.H, one.H, 1e-10)
    # The estimator finds both at the end of a sweep, the box at the beginning of the
    # next pass.
    model.fit(X.T)
    assert box[-1].scale == pytest.approx(model.scale_, rel=1e-10)
    assert box[-1].threshold == pytest.approx(model.threshold_, rel=1e-10)


# ------------------------------------------------------------ Zhang, Chen, Zheng and He


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_theorem_1_descends_to_scipys_minimum_for_a_basis_and_data_of_any_signs(seed):
    rng = np.random.default_rng(seed)
    W, x, v = rng.standard_normal((7, 3)), rng.standard_normal(7), 0.1 + rng.random(3)
    A, b = W.T @ W, -W.T @ x
    box = [v, *passed(zhang.quadratic_program(A, b, v), 1000)]
    values = [zhang.quadratic_program_objective(A, b, one) + x @ x / 2 for one in box]
    assert values[0] == pytest.approx(((x - W @ v) ** 2).sum() / 2, rel=1e-12)
    checks.decreases(values)
    least = scipy.optimize.nnls(W, x)[1] ** 2 / 2
    assert values[-1] == pytest.approx(least, rel=1e-3, abs=1e-12)
    W = abs(W)  # of one sign it is (23), which is line 7 of Algorithm 1 with S = 0
    [one] = passed(zhang.quadratic_program(W.T @ W, -W.T @ x, v), 1)
    same(one, v * np.maximum(W.T @ x, 0) / (W.T @ W @ v))


# -------------------------------------------------------------- Díaz, Steele and Nguyen


@given(seed=st.integers(0, 10**6), lam=st.sampled_from([0.001, 0.7, 3.0]))
def test_the_stacked_least_squares_problem_is_9(seed, lam):
    rng = np.random.default_rng(seed)
    X, W, H, P, N = (
        rng.random(shape) for shape in ((4, 3), (4, 2), (2, 3), (4, 3), (4, 3))
    )
    X_tilde, U_tilde, K = diaz.stacked(X, W, lam)
    stacked = ((X_tilde - U_tilde @ np.vstack([H, P, N])) ** 2).sum()
    assert stacked == pytest.approx(diaz.shen_objective(X, W, H, P, N, lam), rel=1e-12)
    products = [[U_tilde[:, i] @ U_tilde[:, j] for i in range(10)] for j in range(10)]
    np.testing.assert_allclose(K, products, rtol=1e-12, atol=1e-14)


# ----------------------------------------------------------- regularized NMF, local NMF


@given(seed=st.integers(0, 10**6), shift=st.sampled_from([-2.0, -0.5, 0.0, 1.0]))
def test_steps_b_and_c_go_to_the_nearest_allowed_point(seed, shift):
    rng = np.random.default_rng(seed)
    Y = rng.standard_normal((5, 3)) + shift  # at -2, columns without a plus
    V = regularized.unit_columns(Y)
    assert V.min() >= 0
    same(np.linalg.norm(V, axis=0), np.ones(3), 1e-15)
    others = (
        np.abs(rng.standard_normal((200, 5, 3))) * (rng.random((200, 5, 3)) < 0.6)
        + 1e-9
    )
    others = np.concatenate([others, np.repeat(np.eye(5)[:, :, None], 3, axis=2)])
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    farther = ((others - Y) ** 2).sum(axis=1) - ((V - Y) ** 2).sum(axis=0)
    assert farther.min() >= -1e-12


# ------------------------------------------------------------------ Guan et al.


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_algorithm_1_ends_at_scipys_minimum(seed):
    rng = np.random.default_rng(seed)
    W, x, h = rng.random((7, 3)), rng.random(7), rng.random(3)
    q = rng.random(7) * (rng.random(7) < 0.8) + 1e-3
    D = np.diag(q)
    exact = scipy.optimize.nnls(np.sqrt(q)[:, None] * W, np.sqrt(q) * x)[0]
    stopped = guan.optimal_gradient(x, W, D, h)
    ours = guan.optimal_gradient(x, W, D, h, tolerance=1e-10, steps=100_000)
    ends = exact, ours, stopped, h
    least, end, stop, start = (
        guan.optimal_gradient_objective(x, W, D, v) for v in ends
    )
    assert start == pytest.approx((q * (x - W @ h) ** 2).sum(), rel=1e-13)
    assert end == pytest.approx(least, rel=1e-9, abs=1e-15)
    assert least - 1e-15 <= stop <= start + 1e-15


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_algorithm_1_for_all_columns_is_the_box_and_never_ends_above_its_start(seed):
    rng = np.random.default_rng(seed)
    X, W, H = rng.random((7, 99)), rng.random((7, 3)), rng.random((3, 99))
    Q = rng.random(X.shape) * (rng.random(X.shape) < 0.8)
    Q[:, 0] = 0  # a sample of outliers alone stays where it is
    ours, steps = solvers.optimal_gradient_columns(X, W, H, Q)
    same(guan.weighted_columns(X, W, H, Q), ours, 1e-10)
    assert (ours[:, 0] == H[:, 0]).all()
    assert steps[0] == 0
    before, after = ((Q * (X - W @ C) ** 2).sum(axis=0) for C in (H, ours))
    assert (after <= before * (1 + 1e-12)).all()
    few, taken = solvers.optimal_gradient_columns(X, W, H, Q, steps=5)
    assert taken.max() == 5
    box = guan.optimal_gradient(X[:, 1], W, np.diag(Q[:, 1]), H[:, 1], steps=5)
    same(box, few[:, 1], 1e-12)


# ------------------------------------------------------- the estimators by their papers

PUBLISHED = [
    (paper, name)
    for paper, models in published.PAPERS.items()
    for name in models.__all__
]
RULES = {
    "CappedNMF": {"theta": "published"},
    "L1RobustNMF": {"lam": 0.04},
    "TruncatedCauchyNMF": {"solver": "published", "outliers": "three-sigma"},
}
GIVEN = {"scale": 0.3, "theta": 2.0, "lam": 0.2, "outliers": 0.5}


@pytest.mark.parametrize(("paper", "name"), PUBLISHED)
def test_each_paper_has_its_models_with_its_solver_and_its_rules(paper, name):
    """The steps of nearly all are compared with the paper's box, or with its formula, elsewhere."""
    default = getattr(rt, name)(4, tol=0)
    before = default.get_params()
    rules = {"solver": "mu"} if hasattr(default, "solver") else {}
    rules |= {"scale": "published"} if before.get("scale", 0) is None else {}
    expected = before | rules | RULES.get(name, {})
    Model = getattr(getattr(published, paper), name)
    assert (
        Model(4, tol=0).get_params() == published.of(default).get_params() == expected
    )
    assert default.get_params() == before  # it is not changed itself
    given = {key: value for key, value in GIVEN.items() if key in before}
    kept = default.set_params(**given, callback=print)
    assert published.of(kept).get_params() == expected | given | {"callback": print}
    assert Model(4, tol=0, **given).get_params() == expected | given


# ------------------------------------------------------------- what all of them promise


def test_each_box_has_its_objective_and_no_case_distinction():
    tested = {getattr(box, "func", box).__name__ for _, box, *_ in PAIRS}
    tested |= {"truncated_cauchy", "quadratic_program"}
    for module in (cheng, diaz, guan, lee, regularized, zhang):
        for name, box in vars(module).items():
            if (
                inspect.isgeneratorfunction(box) and name != "coefficients"
            ):  # a half of rule 2
                assert box.__name__ in tested and hasattr(module, f"{name}_objective")
                assert " if " not in inspect.getsource(box).split('"""')[2], name

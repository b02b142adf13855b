"""The papers' boxes: each lowers its objective, as its estimator does, and does its steps.

That the published classes make the iterates of the boxes, in any unit, is tested in
test_published.py.

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
from tests.laws.test_published import regularized_nmf, shen, two_lengths

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


def csnmf(X, W, H, lam, scale):
    """Cheng's box with the σ of (23), or a given one."""
    size = cheng.kernel_size if scale == "published" else always(scale)
    return cheng.csnmf(X, W, H, Y, lam, size)


def as_counted(rule, X):
    """Return a rule that leaves out zeros of X that are fitted exactly; the printed ones do not."""
    least = np.finfo(float).eps * X.max()
    return lambda E, *last: rule(E[(X > 0) | (np.abs(E) > least)], *last)


def csnmf_objective(X, W, H, Q, sigma, lam, scale):
    return cheng.csnmf_objective(X, W, H, Y, lam, scale)


def kong_objective(X, W, H, D):
    return diaz.kong_objective(X, W, H)


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


# -------------------------------------------- regularized NMF with the divergence (ours)


def gradient_in_W(X, W, H, lam):
    """Return the gradient of the divergence with its penalty."""
    return H.sum(axis=1) + lam - (X / (W @ H)) @ H.T


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("lam", [0.0, 1e-3, 1.0, 100.0])
@seeds
def test_no_pass_with_the_divergence_raises_its_objective(seed, lam, unit):
    X, W, H = problem(seed)
    W[W < 0.3] = 0
    X, H, lam = unit * X, unit * H, unit * lam
    W = regularized.unit_columns(W)
    values = [regularized.regularized_divergence_objective(X, W, H, lam)]
    for V, G in passed(regularized.regularized_divergence(X, W, H, lam), 300):
        values.append(regularized.regularized_divergence_objective(X, V, G, lam))
        same(np.linalg.norm(V, axis=0), np.ones(3), 1e-14)
        assert V.min() >= 0
    checks.decreases(values, rtol=1e-12)
    assert values[-1] < values[0]


def test_if_the_columns_are_only_divided_by_their_lengths_the_objective_rises():
    X, W, H = problem(0)
    W = regularized.unit_columns(W)
    values = []
    for _ in range(100):
        U = (X / np.maximum(W @ H, 1e-12)) @ H.T
        W = regularized.unit_columns(W * U / (H.sum(axis=1) + 1.0))
        H = H * (W.T @ (X / np.maximum(W @ H, 1e-12))) / W.sum(axis=0)[:, None]
        values.append(regularized.regularized_divergence_objective(X, W, H, 1.0))
    with pytest.raises(AssertionError, match="raises the objective"):
        checks.decreases(values)


@seeds
def test_the_divergence_with_its_penalty_has_this_gradient_and_ends_where_it_vanishes(
    seed,
):
    rng = np.random.default_rng(seed)
    X, W, H = (rng.uniform(0.1, 1, shape) for shape in ((6, 8), (6, 2), (2, 8)))
    lam = 0.5
    objective = partial(regularized.regularized_divergence_objective, X, lam=lam)
    checks.gradient_matches(
        lambda V: objective(V, H), gradient_in_W(X, W, H, lam), W, rtol=1e-6
    )
    box = regularized.regularized_divergence(X, W, H, lam)
    W, H = next(islice(box, 4000, None))
    G = gradient_in_W(X, W, H, lam)
    along = G - W * np.sum(G * W, axis=0)  # without its part across the sphere
    assert checks.kkt_residual(W, along, scale=(H.sum(axis=1) + lam).max()) < 1e-6
    in_H = W.sum(axis=0)[:, None] - W.T @ (X / (W @ H))
    assert checks.kkt_residual(H, in_H, scale=W.sum(axis=0).max()) < 1e-6


@settings(max_examples=50)
@given(
    seed=st.integers(0, 10**6),
    size=st.sampled_from([1e-6, 1e-2, 1.0, 1e2, 1e6]),
    dark=st.booleans(),
)
def test_the_step_with_the_divergence_minimizes_what_lies_above_it(seed, size, dark):
    rng = np.random.default_rng(seed)
    W = regularized.unit_columns(rng.random((5, 1)) ** 3)
    U, p = size * rng.random((5, 1)) ** 3, rng.random(1)
    U[rng.random((5, 1)) < 0.3] = 0
    if dark:  # the brightest pixel of the component is black in all its samples
        U[W.argmax()] = 0
    b = W * U

    def surrogate(V, W):
        squares = p * V**2 / (2 * W) + p * W / 2
        return float(np.sum(squares - b * np.log(np.maximum(V, 1e-150))))

    def subproblem(V):
        return float(np.sum(p * V - b * np.log(np.maximum(V, 1e-150))))

    others = rng.random((300, 5, 1)) ** rng.integers(1, 5, (300, 1, 1))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    checks.majorizes(surrogate, subproblem, W, others)
    V = regularized.columns_of_length_one(W, U, p)
    least = min(surrogate(other, W) for other in [W, *others])
    assert surrogate(V, W) <= least + 1e-12 * (p.sum() + b.sum())


@pytest.mark.parametrize("lam", [0.0, 0.3, 3.0])
def test_with_one_component_the_divergence_reaches_the_best_of_a_grid(lam):
    """For a fixed column the best coefficients are the sums of the samples over that of W."""
    X = np.random.default_rng(0).uniform(0.2, 1, (3, 4)) * [[1.0], [0.6], [0.1]]
    a, b = np.meshgrid(*[np.linspace(1e-9, np.pi / 2, 1001)] * 2)
    columns = np.array([np.cos(a), np.sin(a) * np.cos(b), np.sin(a) * np.sin(b)])
    columns = np.maximum(columns.reshape(3, -1), 1e-12)
    shares = columns / columns.sum(axis=0)
    # The divergence of the samples from their sums times the shares, and the penalty.
    constant = np.sum(X * np.log(X / X.sum(axis=0)))
    values = constant - X.sum(axis=1) @ np.log(shares) + lam * columns.sum(axis=0)
    box = regularized.regularized_divergence(X, np.ones((3, 1)), np.ones((1, 4)), lam)
    W, H = next(islice(box, 5000, None))
    found = regularized.regularized_divergence_objective(X, W, H, lam)
    assert values.min() - 1e-4 < found <= values.min() + 1e-9


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
    "CSNMF": {"lam": 1e-5},
    "CappedNMF": {"theta": "published"},
    "HypersurfaceNMF": {"scale": 1.0},
    "L1RobustNMF": {"lam": 0.04},
    "MCCGR": {"lam": 1.0},
    "SupervisedNMF": {"lam": 1e-5},
    "TruncatedCauchyNMF": {"solver": "published", "outliers": "three-sigma"},
}
#: What a paper adds for a method that another paper, before it in the list, has too.
ADDED = {("regularized", "NMF"): {"normalize": "l1"}}
GIVEN = {"scale": 0.3, "theta": 2.0, "lam": 0.2, "outliers": 0.5}


@pytest.mark.parametrize(("paper", "name"), PUBLISHED)
def test_each_paper_has_its_models_with_its_solver_and_its_rules(paper, name):
    """The steps of nearly all are compared with the paper's box, or with its formula, elsewhere."""
    default = getattr(rt, name)(4, tol=0)
    before = default.get_params()
    rules = {"solver": "mu"} if hasattr(default, "solver") else {}
    rules |= {"scale": "published"} if before.get("scale", 0) is None else {}
    expected = before | rules | RULES.get(name, {})
    added = ADDED.get((paper, name), {})
    Model = getattr(getattr(published, paper), name)
    assert Model(4, tol=0).get_params() == expected | added
    assert published.of(default).get_params() == expected
    assert default.get_params() == before  # it is not changed itself
    given = {key: value for key, value in GIVEN.items() if key in before}
    kept = default.set_params(**given, callback=print)
    assert published.of(kept).get_params() == expected | given | {"callback": print}
    assert Model(4, tol=0, **given).get_params() == expected | added | given


# ------------------------------------------------------------- what all of them promise


def test_each_box_has_its_objective_and_no_case_distinction():
    tested = {getattr(box, "func", box).__name__ for _, box, *_ in PAIRS}
    tested |= {"truncated_cauchy", "quadratic_program", "regularized_divergence"}
    for module in (cheng, diaz, guan, lee, regularized, zhang):
        for name, box in vars(module).items():
            if (
                inspect.isgeneratorfunction(box) and name != "coefficients"
            ):  # a half of rule 2
                assert box.__name__ in tested and hasattr(module, f"{name}_objective")
                assert " if " not in inspect.getsource(box).split('"""')[2], name

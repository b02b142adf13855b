"""Each box lowers its objective, which is its estimator's; a slip is its box but for one line."""

import inspect
from itertools import islice

import numpy as np
import pytest

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
from rnmf_tutorial.engine import Point
from rnmf_tutorial.papers import cheng, diaz, guan, regularized, slips, zhang

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
Y = np.arange(12) % 4
W0, H0 = RNG.uniform(0.1, 1, (9, 3)), RNG.uniform(0.1, 1, (3, 12))
X = RNG.random((9, 3)) @ RNG.random((3, 12)) + 0.05 * RNG.random((9, 12))
X[2, 3], X[5, 1:4] = X[2, 3] + 3, 0  # a gross error, and some zeros
P0, N0 = RNG.random((2, 9, 12))


def always(value):
    """Return a rule that finds this value."""
    return lambda *_: value


UNIT = W0 / np.linalg.norm(W0, axis=0)
#: By its name: a box, its objective after a pass, and a model for one sample after the other.
BOXES = {
    "zhang.lee_seung": (
        zhang.lee_seung(X, W0, H0),
        lambda W, H: zhang.lee_seung_objective(X, W, H),
        NMF(),
    ),
    "zhang.lee_seung_divergence": (
        zhang.lee_seung_divergence(X, W0, H0),
        lambda W, H: zhang.lee_seung_divergence_objective(X, W, H),
        NMF(loss="kullback-leibler"),
    ),
    "zhang.robust_nmf": (
        zhang.robust_nmf(X, W0, H0, 0.2),
        lambda W, H, S: zhang.robust_nmf_objective(X, W, H, S, 0.2),
        None,
    ),
    "diaz.lee_seung": (
        diaz.lee_seung(X, W0, H0),
        lambda W, H: diaz.lee_seung_objective(X, W, H),
        NMF(),
    ),
    "diaz.kong": (
        diaz.kong(X, W0, H0),
        lambda W, H, D: diaz.kong_objective(X, W, H),
        L21NMF(),
    ),
    "diaz.shen": (
        diaz.shen(X, W0, H0, P0, N0, 0.2),
        lambda W, H, P, N: diaz.shen_objective(X, W, H, P, N, 0.2),
        None,
    ),
    "regularized.rule_1": (
        regularized.rule_1(X, W0, H0),
        lambda W, H: regularized.rule_1_objective(X, W, H),
        NMF(),
    ),
    "regularized.rule_2": (
        regularized.rule_2(X, W0, H0),
        lambda W, H: regularized.rule_2_objective(X, W, H),
        NMF(loss="kullback-leibler"),
    ),
    "regularized.lnmf": (
        regularized.lnmf(X, W0 / W0.sum(axis=0), H0),
        lambda W, H: regularized.lnmf_objective(X, W, H),
        None,
    ),
    "regularized.regularized_nmf": (
        regularized.regularized_nmf(X, UNIT, H0, 0.1),
        lambda W, H: regularized.regularized_nmf_objective(X, W, H, 0.1),
        RegularizedNMF(lam=0.1),
    ),
    "guan.truncated_cauchy": (
        guan.truncated_cauchy(X, W0, H0, always(0.3), always(0.8)),
        lambda W, H, *_: guan.truncated_cauchy_objective(X, W, H, 0.3, 0.8) * 2 * 0.3**2,
        TruncatedCauchyNMF(scale=0.3, outliers=0.8),
    ),
    "cheng.csnmf": (
        cheng.csnmf(X, W0, H0, Y, 1e-3, always(0.5)),
        lambda W, H, *_: cheng.csnmf_objective(X, W, H, Y, 1e-3, 0.5),
        CSNMF(lam=1e-3, scale=0.5),
    ),
    "cheng.snmf": (
        cheng.snmf(X, W0, H0, Y, 0.1),
        lambda W, H: cheng.snmf_objective(X, W, H, Y, 0.1),
        SupervisedNMF(lam=0.1),
    ),
}
PASSES = {name: list(islice(box, 30)) for name, (box, _, _) in BOXES.items()}


def close(one, other, rtol=1e-12):
    assert np.abs(np.subtract(one, other)).max() <= rtol * np.abs(other).max()


@pytest.mark.parametrize("name", BOXES)
def test_the_objective_beside_a_box_falls(name):
    values = [BOXES[name][1](*one) for one in PASSES[name]]
    checks.decreases(np.add(values, 100 if name == "regularized.lnmf" else 0))
    assert values[-1] < values[0]


@pytest.mark.parametrize("name", [name for name, box in BOXES.items() if box[2]])
def test_the_objective_beside_a_box_is_that_of_its_estimator(name):
    _, objective, model = BOXES[name]
    model = model.set_params(n_components=3, max_iter=1, init=(UNIT, H0))
    model.fit(X.T, Y)
    for one in PASSES[name][::10]:
        assert model.objective(X, *one[:2]) == pytest.approx(objective(*one), rel=1e-12)


def test_the_objectives_with_an_error_matrix_are_those_of_their_estimators():
    loss = RobustNMF(3, lam=0.2).begin(X.T).loss
    for W, H, S in PASSES["zhang.robust_nmf"][::10]:
        value = zhang.robust_nmf_objective(X, W, H, S, 0.2)
        assert loss.value(Point(X, W, H, S=S)) == pytest.approx(value, rel=1e-12)
        S = zhang.soft_threshold(X - W @ H, 0.1)
        value = zhang.robust_nmf_objective(X, W, H, S, 0.2)
        assert RobustNMF(3, lam=0.2).objective(X, W, H) == pytest.approx(value, rel=1e-12)
    loss = L1RobustNMF(3, lam=0.2).begin(X.T).loss
    for W, H, P, N in PASSES["diaz.shen"][::10]:
        value = diaz.shen_objective(X, W, H, P, N, 0.2)
        assert loss.value(Point(X, W, H, P=P, N=N)) == pytest.approx(value, rel=1e-12)


def test_what_local_nmf_lowers_is_its_estimators_up_to_a_constant():
    model = LocalNMF(3)
    gaps = [
        model.objective(X, *one) - regularized.lnmf_objective(X, *one)
        for one in PASSES["regularized.lnmf"]
    ]
    close(gaps, gaps[0])


def test_algorithm_1_lowers_the_objective_of_a_column():
    rng = np.random.default_rng(1)
    problem = rng.random(9), rng.random((9, 3)), np.diag(rng.random(9)), rng.random(3)
    found = [guan.optimal_gradient(*problem, tolerance=0, steps=k) for k in (1, 100)]
    values = [guan.optimal_gradient_objective(*problem[:3], h) for h in (problem[3], *found)]
    checks.decreases(values)
    E = problem[0] - problem[1] @ problem[3]
    assert values[0] == pytest.approx((np.diag(problem[2]) * E**2).sum(), rel=1e-14)


def test_each_box_has_its_objective_and_no_case_distinction():
    modules = [getattr(papers, name) for name in papers.__all__ if name != "slips"]
    boxes = {
        f"{module.__name__.split('.')[-1]}.{name}": getattr(module, name)
        for module in modules
        for name in module.__all__
        if inspect.isgeneratorfunction(getattr(module, name))
    }
    assert boxes.keys() - BOXES.keys() == {"regularized.coefficients"}  # its objective is rule 2's
    for name, box in boxes.items():
        assert " if " not in inspect.getsource(box).split('"""')[2], name
    for name in BOXES:
        module, box = name.split(".")
        assert f"{box}_objective" in getattr(papers, module).__all__


# ------------------------------------------------------------------ slips


def test_slips_in_a_box_leave_the_lines_before_them_alone():
    """Their first pass has what the box has, but for what the printed line makes."""
    (W, H, S), (V, G, R) = (
        next(zhang.robust_nmf(X, W0, H0, 0.2)),
        next(slips.zhang_line_9(X, W0, H0, 0.2)),
    )
    close(V, W)
    close(R, S)
    close(H / G, (H / G)[:, :1] * np.ones(12))  # by a number for each row
    (W, H), (V, G) = next(regularized.rule_1(X, W0, H0)), next(slips.regularized_7(X, W0, H0))
    close(V, W)
    close(H / G, (H / G)[:, :1] * np.ones(12))
    x, w, h = (np.full((1, 1), value) for value in (4.0, 2.0, 1.0))
    (W, H), (V, G) = next(diaz.lee_seung(x, w, h)), next(slips.diaz_25(x, w, h))
    close(H, G)
    assert np.array_equal((V, W), ([[2.0]], [[2.0]]))  # here wx = xh


@pytest.mark.parametrize(
    ("slip", "box"),
    [
        (
            slips.guan_line_2(X, W0, H0, always(0.3), always(0.8), start=0.3),
            guan.truncated_cauchy(X, W0, H0, always(0.3), always(0.8)),
        ),
        (
            slips.guan_line_7(X, W0, H0, outliers=always(np.inf)),
            guan.truncated_cauchy(X, W0, H0, outliers=always(np.inf)),
        ),
        (
            slips.cheng_order(X, W0, H0, Y, 1e-3, always(0.5)),
            cheng.csnmf(X, W0, H0, Y, 1e-3, always(0.5)),
        ),
        (
            slips.cheng_sign(X, W0, H0, Y, 0.0, always(1e9)),
            cheng.csnmf(X, W0, H0, Y, 0.0, always(1e9)),
        ),
    ],
    ids=["γ known", "no outliers", "σ known", "σ beyond all errors"],
)
def test_where_the_printed_line_says_nothing_a_slip_is_its_box(slip, box):
    for one, other in islice(zip(slip, box, strict=True), 3):
        for ours, theirs in zip(one, other, strict=True):
            if np.ndim(ours):
                close(ours, theirs, 1e-11)


def test_slips_of_a_step_are_the_step_where_their_case_does_not_arise():
    slope, h = np.array([1.0, -1.0]), np.array([2.0, 3.0])
    assert np.array_equal(slips.guan_gradient(slope, h), guan.projected_gradient(slope, h))
    Z = RNG.standard_normal((5, 3))
    assert np.array_equal(slips.regularized_c(Z), regularized.unit_columns(Z))
    problem = X[:, 0], W0, np.eye(9), H0[:, 0]
    z = slips.guan_line_8(*problem, tolerance=1e-8)  # at rest nothing is extrapolated
    assert np.abs(z - guan.optimal_gradient(*problem, tolerance=1e-8)).max() < 1e-6
    sizes = np.abs(X - W0 @ H0)
    assert (sizes[slips.guan_outliers(sizes)] <= np.median(sizes)).all()

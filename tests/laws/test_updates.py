"""The published updates: each is its formula, lowers what it is said to lower, and no more."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import rnmf_tutorial as rt
from rnmf_tutorial import checks
from rnmf_tutorial.models.entrywise import EntrywiseNMF
from rnmf_tutorial.solvers import shrink_columns
from studies.blocks.windows import GemanMcClure
from tests.problems import as_fitted, hidden, spoiled_start

A, X, W0, H0 = spoiled_start(11)

START = {"init": (W0, H0), "tol": 0, "n_components": 3, "max_iter": 20}
LAMBDAS = [0.04, 0.5, 0.8, 1.0, 3.0]


def products(model, y=None, **options):
    model = clone(model).set_params(**START | options)
    return [W @ H for W, H in checks.iterates(model, A, y)]


def by_line(weights):
    """The engine in one line for each factor: weights of WH, which for KL are divided by it."""
    W, H = W0, H0
    found = [W @ H]
    for _ in range(START["max_iter"]):
        D = weights(W @ H)
        H = H * (W.T @ (D * X)) / (W.T @ (D * (W @ H)))
        D = weights(W @ H)
        W = W * ((D * X) @ H.T) / ((D * (W @ H)) @ H.T)
        found.append(W @ H)
    return found


# ----------------------------------------------------------- one engine for all weights

WEIGHTS = {
    rt.HuberNMF: lambda u: np.minimum(1, 1 / np.sqrt(u)),
    rt.HypersurfaceNMF: lambda u: 1 / np.sqrt(1 + u),
    rt.CauchyNMF: lambda u: 1 / (1 + u),
    rt.CIMNMF: lambda u: np.exp(-u / 2),
}


@pytest.mark.parametrize("Model", WEIGHTS)
def test_sweeps_are_the_engines_line_for_both_divergences(Model):
    squares = by_line(lambda WH: WEIGHTS[Model](((X - WH) / 0.2) ** 2))
    assert (
        checks.same_iterates(squares, products(Model(scale=0.2, solver="mu"))) < 1e-10
    )
    divergence = by_line(
        lambda WH: WEIGHTS[Model]((X * np.log(X / WH) - X + WH) / 0.2) / WH
    )
    model = Model(scale=0.2, divergence="kullback-leibler", solver="mu")
    assert checks.same_iterates(divergence, products(model)) < 1e-10


KL = {"loss": "kullback-leibler"}
Y = np.arange(11) % 3
ALONE = np.arange(11)
ONE_ANOTHER = [
    ("cd", rt.NMF(normalize="l1"), rt.NMF()),
    ("cd", rt.NMF(normalize="l2"), rt.NMF()),
    ("cd", rt.RobustNMF(lam=100.0), rt.NMF()),
    ("cd", rt.NMF(normalize="l1", **KL), rt.NMF(**KL)),
    ("cd", rt.HuberNMF(scale=1e6), rt.NMF()),
    ("cd", rt.HuberNMF(scale=1e6, divergence="kullback-leibler"), rt.NMF(**KL)),
    ("cd", rt.TruncatedCauchyNMF(scale=0.2, outliers=1e9), rt.CauchyNMF(scale=0.2)),
    ("mu", rt.CappedNMF(theta=1e6), rt.L21NMF()),
    ("mu", rt.CSNMF(lam=0), rt.CIMNMF(scale="published")),
    ("mu", rt.CSNMF(lam=0, scale=0.3), rt.CIMNMF(scale=0.3)),
    (
        "mu",
        rt.CSNMF(scale=1e5, lam=0.5 / (88 * 1e10)),
        rt.SupervisedNMF(lam=0.5),
    ),  # squared errors
    ("mu", rt.SupervisedNMF(lam=0), rt.NMF()),
    ("mu", rt.ManifoldDiscriminativeNMF(lam=0), rt.NMF(**KL)),
    ("mu", rt.RobustManifoldNMF(lam=0), rt.L21NMF()),
]
ONE_ANOTHER = [(*pair, Y) for pair in ONE_ANOTHER]
ONE_ANOTHER += [("mu", rt.CSNMF(lam=9.0), rt.CIMNMF(scale="published"), ALONE)]


@pytest.mark.parametrize("solver, model, plain, y", ONE_ANOTHER, ids=repr)
def test_models_that_are_one_take_the_same_steps(solver, model, plain, y):
    """Where a weight is zero, a scale or a cap beyond all, or only the components' sizes differ."""
    for one in (model, plain):
        one.set_params(**{"solver": solver} if hasattr(one, "solver") else {})
    checks.same_iterates(
        *(products(one, y, max_iter=9) for one in (model, plain)), rtol=1e-8
    )
    if norm := getattr(model, "normalize", None):
        fitted = clone(model).set_params(solver=solver, **START).fit(A)
        sizes = np.linalg.norm(fitted.components_, int(norm[1]), axis=1)
        np.testing.assert_allclose(sizes, 1, rtol=1e-13)


@pytest.mark.parametrize("share", [0, 0.3])
def test_zhangs_model_by_coordinate_descent_is_hubers_with_half_its_weight_as_cutoff(
    share,
):
    """Equal are the record, WH and what is no weight; Zhang's components have length one."""
    B = np.where(hidden(A.shape, share), np.nan, A)
    zhang = rt.RobustNMF(lam=0.4, **START)
    huber = rt.HuberNMF(scale=0.2, **START)
    (F, V), (G, W) = (
        (model.fit_transform(B), model.components_) for model in (zhang, huber)
    )
    np.testing.assert_allclose(
        zhang.objective_history_, huber.objective_history_, rtol=1e-12
    )
    np.testing.assert_allclose(F @ V, G @ W, rtol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(V, axis=1), 1, rtol=1e-14)
    errors = np.nan_to_num((1 - huber.weights_) * (B - G @ W))
    np.testing.assert_allclose(zhang.error_, errors, atol=1e-12)
    huber.components_ = V
    np.testing.assert_allclose(zhang.transform(B), huber.transform(B), rtol=1e-10)


class Bounded(EntrywiseNMF):
    """A model of one's own."""

    phi = GemanMcClure()


@pytest.mark.parametrize(
    "Model", [rt.HuberNMF, rt.CIMNMF, rt.CauchyNMF, Bounded, rt.CappedNMF]
)
@pytest.mark.parametrize("solver", ["mu", "cd"])
@pytest.mark.parametrize("divergence", ["frobenius", "kullback-leibler"])
def test_only_an_estimate_that_grows_can_raise_the_record(Model, solver, divergence):
    other = {"divergence": divergence, "scale": "published"}
    other = {"theta": "published"} if Model is rt.CappedNMF else other
    model = Model(3, solver=solver, **other, max_iter=40, tol=0, random_state=0)
    B = np.where(np.indices(A.shape).sum(axis=0) % 5 == 0, 2.0, A)
    scales = [sweep.loss.scale for sweep in model.sweeps(B)]
    history = model.fit(B).objective_history_
    rises = np.diff(history) > 1e-10 * history[:-1]
    assert len(set(scales)) > 10 and not (rises & (np.diff(scales) <= 0)).any()
    shown = model.theta_ if Model is rt.CappedNMF else model.scale_
    assert shown == scales[-1]
    assert as_fitted(model).fit(B).objective_history_[-1] > 0
    holes = np.where(hidden(A.shape, 0.3), np.nan, B)
    assert np.isfinite(model.fit(holes).transform(holes)).all()


# ------------------------------------------------------------------ Shen's columns


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), lam=st.sampled_from(LAMBDAS))
def test_shrink_columns_is_the_minimizer(seed, lam):
    rng = np.random.default_rng(seed)
    e = rng.standard_normal(rng.integers(1, 9)) * rng.choice([0.0, 1.0, 5.0])
    s = shrink_columns(e[:, None], lam)[:, 0]
    # Where Σ(e - s)² + λ‖s‖₁², which is convex, has the slope zero, or points away from
    # a zero.
    slope = e - s
    pull = lam * np.abs(s).sum()
    np.testing.assert_allclose(
        slope[s != 0], pull * np.sign(s[s != 0]), rtol=1e-9, atol=1e-12
    )
    assert (np.abs(slope[s == 0]) <= pull * (1 + 1e-12)).all()

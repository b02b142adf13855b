"""What every estimator promises about its objective: it falls, and it is what it is said to be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import rnmf_tutorial as rt
from rnmf_tutorial import checks, published
from rnmf_tutorial.losses import FEATURES, SAMPLES, kl_divergence
from rnmf_tutorial.models.graphs import GraphNMF
from tests import problems
from tests.problems import hidden, positive

pytestmark = pytest.mark.filterwarnings("ignore")
WITHOUT_SOLVER = [
    model for model in problems.ESTIMATORS if not hasattr(model, "solver")
]
A = positive((11, 8), seed=0)
A[3, 4] = A[7, 1] = 4.0
QUICK = rt.HuberNMF, rt.L21NMF  # the others are slow in all
HIDDEN = hidden(A.shape, 0.3)


def marked_slow(model):
    """Return the parameter of a test that few models take quickly."""
    marks = () if type(model) in QUICK else pytest.mark.slow
    return pytest.param(model, marks=marks, id=repr(model))


# ------------------------------------------------------------------ descent


STARTS = [pytest.param("f8", 0, 1e-10, marks=pytest.mark.slow)]
STARTS += [("f8", 0.3, 1e-10), ("f4", 0.3, 2e-3)]


@pytest.mark.parametrize(("dtype", "share", "most"), STARTS)
@pytest.mark.parametrize("model", [marked_slow(model) for model in problems.CHOOSING])
def test_descent_from_every_start(model, dtype, most, share):
    if dtype == "f4" and repr(model) == "CappedNMF(group='features')":
        pytest.skip(
            "from H = 0, features beyond the cap drive the sizes of W out of its range"
        )
    with np.errstate(divide="raise", invalid="raise"):
        assert problems.largest_rise(model, dtype, share) <= most


@pytest.mark.parametrize(
    "model", [*WITHOUT_SOLVER, *problems.GRAPH_ESTIMATORS], ids=repr
)
@settings(max_examples=12)
@given(
    problems.data(), st.sampled_from([0.0, 1e-5, 1e-2, 1.0, 1e3]), st.integers(0, 99)
)
def test_every_sweep_of_the_others_descends_and_stays_finite(model, problem, lam, seed):
    A, r, scale = problem
    y = np.random.default_rng(seed).integers(0, 3, len(A))
    weight = {"lam": lam} if isinstance(model, GraphNMF) else {}
    model = problems.in_units(model, scale).set_params(
        n_components=r, max_iter=15, tol=0, **weight
    )
    Ht = model.set_params(random_state=seed).fit_transform(A, y)
    for factor in (Ht, model.components_):
        assert np.isfinite(factor).all() and factor.min() >= 0
    history = model.objective_history_
    # An objective at rounding level of the data, or of the start, cannot be asked to
    # fall.
    size = (
        1.0 if isinstance(model, rt.CSNMF | rt.MCCGR) else max(A.sum(), np.vdot(A, A))
    )
    noise = 1e-13 * max(size, history[0])
    checks.decreases(np.maximum(history, noise) if noise else history + 1, rtol=1e-9)


@pytest.mark.parametrize("solver", ["mu", "cd"])
@pytest.mark.parametrize("group", ["samples", "features"])
@pytest.mark.parametrize("model", [rt.L21NMF(3), rt.CappedNMF(3, theta=2.0)], ids=repr)
def test_a_line_that_fits_exactly_leaves_the_others_their_weights(model, group, solver):
    """Its weight is beyond all others, which must not become one another's equals."""
    C = np.vstack([np.zeros(8), A])
    model = clone(model).set_params(
        group=group, solver=solver, max_iter=60, tol=0, random_state=0
    )
    model.fit(C if group == "samples" else C.T)
    checks.decreases(model.objective_history_)
    W = model.components_.T
    others = model.weights_[1:]
    assert np.unique(others).size > 5
    np.testing.assert_array_equal(
        SAMPLES.weights(np.array([1e-99, 1e9])), [[1e-99, 1e9]]
    )
    if solver == "cd":  # a hundredth of the median length of the data
        shortest = 0.01 * np.median(np.linalg.norm(A, axis=1))
        assert model.weights_[0] == pytest.approx(1 / shortest, rel=1e-9)
    else:
        assert model.weights_[0] > 1e6 * np.median(others)
    if group == "samples":
        alone = clone(model).set_params(init=(W, model.transform(A).T)).fit(A)
        ends = alone.objective_history_[-1], model.objective_history_[-1]
        assert ends[0] == pytest.approx(ends[1], rel=2e-2)


TAKING = [model for model in problems.AND_GRAPHS if model.takes_negative]


@pytest.mark.parametrize("model", TAKING, ids=repr)
def test_negative_entries_raise_no_objective_and_leave_the_factors_non_negative(model):
    """Of low rank, with many zeros and with noise as large as the mean."""
    rng = np.random.default_rng(0)
    C = rng.gamma(0.3, size=(14, 3)) @ rng.gamma(0.3, size=(3, 9))
    C += C.mean() * rng.standard_normal(C.shape)
    C[2], C[:, 4] = -np.abs(C[2]), -np.abs(C[:, 4])  # of these there is nothing to fit
    holes = np.where(hidden(C.shape, 0.2), np.nan, C) if model.takes_missing else C
    cases = {"random": C, "nndsvd": holes, "nndsvda": -C, "nndsvdar": C - 3}
    # A pass of Guan et al. solves both problems, which takes hundreds of steps.
    sweeps = 5 if getattr(model, "solver", "") == "published" else 30
    for init, data in cases.items():
        fit = clone(model).set_params(
            n_components=3, init=init, max_iter=sweeps, tol=0, random_state=0
        )
        Ht = fit.fit_transform(data)
        if getattr(model, "scale", None) != "published":
            checks.decreases(fit.objective_history_, rtol=1e-9)
        codes = fit.transform(data)
        for factor in (Ht, fit.components_, codes):
            assert np.isfinite(factor).all() and factor.min() >= 0
        known = ~np.isnan(data)
        errors = np.abs(data - fit.inverse_transform(codes))[known]
        assert fit.score(data) == pytest.approx(-errors.mean(), rel=1e-12)
        value = fit.objective(data.T, fit.components_.T, Ht.T)
        assert value == pytest.approx(fit.objective_history_[-1], rel=1e-9)


# ------------------------------------------------------------------ the record


@pytest.mark.parametrize("model", problems.AND_GRAPHS, ids=repr)
def test_the_record_is_the_objective_on_the_known_entries_from_the_start_to_the_fit(
    model,
):
    """Computed again with new arrays, and also with the product WH at missing entries."""
    W0, H0 = positive((8, 3), seed=1), positive((3, 11), seed=2)
    labels = np.arange(11) % 3
    missing = HIDDEN & model.takes_missing
    X = np.where(missing, np.nan, A).T
    model = problems.with_sizes(model).set_params(
        n_components=3, init=(W0, H0), max_iter=7, tol=0
    )
    states = problems.states_of(model, X.T, labels)
    H = model.fit_transform(X.T, labels).T
    history = model.objective_history_
    W = model.components_.T
    assert model.n_iter_ == 7 and history.shape == (8,)
    np.testing.assert_allclose(states[0].W @ states[0].H, W0 @ H0, rtol=1e-12)
    values = []
    of_filled = []
    for state in states:
        factors = state.W, state.H
        filled = np.where(missing.T, state.W @ state.H, A.T)
        penalty = sum(term.value(*factors) for term in model._fitted_penalties)
        value = problems.loss_at(state.loss, X, *factors, state.memory)
        values.append(value + penalty)
        value = problems.loss_at(state.loss, filled, *factors, state.memory)
        of_filled.append(value + penalty)
    np.testing.assert_allclose(history, values, rtol=1e-12)
    # The first error matrix S of the published updates needs to know what is missing.
    swept = hasattr(model, "error_") and model.solver == "mu"
    np.testing.assert_allclose(history[swept:], of_filled[swept:], rtol=1e-12)
    # A model may normalize the start, and end with other coefficients.
    start = states[0]
    H = states[-1].H if model.ends_encoded == "always" else H
    # An unfitted model estimates its scale at the factors; a fitted one keeps its own.
    unfitted = clone(model)
    unfitted._penalties = lambda *given: (model._fitted_penalties, {})
    if hasattr(model, "graph_"):
        unfitted.graph_ = model.graph_
    found = unfitted.objective(X, start.W, start.H)
    assert history[0] == pytest.approx(found, rel=1e-12)
    if not swept:
        assert history[-1] == pytest.approx(model.objective(X, W, H), rel=1e-12)
        return
    fixed = problems.as_fitted(model)
    # The published updates of an error matrix S keep that of the last sweep, which need
    # not be the best. Shen's P + N is above |S|.
    E = np.nan_to_num(X - W @ H)
    S = model.error_.T
    best = fixed.set_params(solver="cd").objective(X, W, H)
    sizes = np.abs(S).sum(axis=0)
    price = (
        model.lam_ * sizes.sum()
        if hasattr(model, "lam_")
        else model.lam * (sizes**2).sum()
    )
    shown = ((E - S) ** 2).sum() + price
    assert best <= shown * (1 + 1e-12) <= history[-1] * (1 + 2e-12)
    assert not hasattr(model, "lam_") or shown == pytest.approx(history[-1], rel=1e-12)


# ----------------------------------------------------------------- with the basis fixed


@pytest.mark.parametrize("model", [marked_slow(model) for model in problems.EVERY])
def test_transform_solves_the_problem_with_the_basis_fixed_on_the_known_entries(model):
    model = problems.with_sizes(model).set_params(
        n_components=3, random_state=0, tol=1e-7
    )
    model.set_params(max_iter=50).fit(A)
    # Any basis will do, but its coefficients must be the best.
    model.set_params(max_iter=1000)
    W = model.components_.T
    gone = HIDDEN.T & model.takes_missing
    H = model.transform(np.where(gone.T, np.nan, A)).T

    def value(H):
        X = np.where(gone, W @ H, A.T)
        if model.ends_encoded == "always":
            return kl_divergence(X, W @ H)
        if getattr(model, "group", "") == "features":  # by the weights of the fit
            return (FEATURES.weights(model.weights_) * (X - W @ H) ** 2).sum()
        return model.objective(X, W, H)

    best = value(H)
    near = (
        1e-3 if getattr(model, "solver", "") == "mu" else 2e-7
    )  # the updates crawl to a zero
    rng = np.random.default_rng(0)
    sizes = (1e-4, 1e-3, 1e-1)
    if getattr(model, "solver", "") == "published":
        sizes = sizes[:1]  # farther away, an outlier may cross the threshold
    for size in np.repeat(sizes, 20):
        nearby = np.maximum(H + size * rng.standard_normal(H.shape), 0)
        assert value(nearby) >= best * (1 - near)


def test_estimates_count_the_known_entries_alone():
    """Half of the entries are gone: with their zero errors, every estimate would be too small."""
    missing = hidden(A.shape, 0.5, 2)
    C, W0, H0 = np.where(missing, np.nan, A), positive((8, 3), 1), positive((3, 11), 2)
    E = (A.T - W0 @ H0)[~missing.T]
    lengths = np.linalg.norm(np.where(missing.T, 0, A.T - W0 @ H0), axis=0)
    half = np.sort(np.abs(E))[: len(E) // 2]
    for model, attribute, expected in (
        (rt.HuberNMF(3, scale="published"), "scale", np.median(np.abs(E))),
        (rt.CIMNMF(3, scale="published"), "scale", np.sqrt((E**2).mean() / 2)),
        (
            rt.CauchyNMF(3, scale="published"),
            "scale",
            rt.CauchyNMF.phi.estimate(E**2) ** 0.5,
        ),
        (published.of(rt.CappedNMF(3)), "scale", 3 * np.median(lengths)),
        (
            published.of(rt.TruncatedCauchyNMF(3)),
            "threshold",
            half.mean() + 3 * half.std(),
        ),
    ):
        start = next(model.set_params(init=(W0, H0)).sweeps(C))
        assert getattr(start.loss, attribute) == pytest.approx(expected, rel=1e-9)

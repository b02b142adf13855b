"""solver="cd": every model by coordinate descent on its cleaned data, next to its published update.

What all fits promise is tested in test_models.py, with this solver too; the steps themselves in
test_coordinate.py.
"""

import numpy as np
import pytest
from rnmf_tutorial.models.errors.l1_robust import shrink_columns
from rnmf_tutorial.models.errors.robust import soft_threshold
from sklearn.base import clone

from rnmf_tutorial import (
    CIMNMF,
    L21NMF,
    NMF,
    CappedNMF,
    CauchyNMF,
    HuberNMF,
    HypersurfaceNMF,
    L1RobustNMF,
    RobustNMF,
    TruncatedCauchyNMF,
    checks,
)
from tests.problems import CD_ESTIMATORS, CHOOSING, as_fitted, in_units, largest_rise, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
A = positive((11, 8), seed=0)
A[3, 4] = A[7, 1] = 4.0
by_cd = pytest.mark.parametrize("model", CD_ESTIMATORS, ids=repr)
CONVEX = (NMF, L21NMF, CappedNMF, HuberNMF, HypersurfaceNMF, RobustNMF, L1RobustNMF)


def published(model):
    return clone(model).set_params(solver=model.published)


def recorded(model, X, W, H):
    """Return the objective that coordinate descent records at W and H."""
    at = clone(model).set_params(solver="cd", n_components=len(H), init=(W, H), max_iter=1, tol=0)
    return at.fit(X.T).objective_history_[0]


# ------------------------------------------------------------------ descent


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("model", CHOOSING, ids=repr)
def test_descent_from_every_start(model, dtype):
    with np.errstate(divide="raise", invalid="raise"):
        assert largest_rise(model, dtype) <= (1e-10 if dtype == "f8" else 1e-3)


@pytest.mark.parametrize("solver", ["mu", "cd"])
@pytest.mark.parametrize("model", [L21NMF(3), CappedNMF(3, theta=2.0)], ids=repr)
def test_a_sample_that_fits_exactly_leaves_the_others_their_weights(model, solver):
    """Its weight is beyond all others, which must not become one another's equals."""
    B = np.vstack([np.zeros(8), A])
    model = clone(model).set_params(solver=solver, max_iter=60, tol=0, random_state=0)
    checks.decreases(model.fit(B).objective_history_)
    W = model.components_.T
    alone = clone(model).set_params(init=(W, model.transform(A).T)).fit(A)
    assert alone.objective_history_[-1] == pytest.approx(model.objective_history_[-1], rel=1e-2)
    assert model.weights_.max() <= 1 / (np.finfo(float).eps * np.linalg.norm(B, axis=1).max())


@pytest.mark.parametrize(
    ("model", "field"),
    [
        (HuberNMF(3), "scale"),
        (CIMNMF(3), "scale"),
        (CauchyNMF(3), "scale"),
        (CappedNMF(3), "theta"),
        (TruncatedCauchyNMF(3, outliers=0.5), "scale"),
        (TruncatedCauchyNMF(3, outliers="mad", scale=0.2), "threshold"),
    ],
    ids=repr,
)
def test_only_an_estimate_that_grows_can_raise_the_record(model, field):
    found = []
    model = model.set_params(
        solver="cd", max_iter=60, tol=0, random_state=0, callback=lambda k, W, H, s: found.append(s)
    )
    B = np.where(np.indices(A.shape).sum(axis=0) % 5 == 0, 2.0, A)
    history = model.fit(B).objective_history_
    estimates = np.array([getattr(state, field) for state in found])
    assert len(set(estimates)) > 10
    shrinks = np.diff(estimates) <= 0
    assert (np.diff(history)[shrinks] <= 1e-12 * history[:-1][shrinks]).all()
    attribute = {"scale": "scale_", "theta": "theta_", "threshold": "threshold_"}[field]
    assert getattr(model, attribute) == estimates[-1]


def test_estimates_are_those_of_the_published_solver_at_the_same_factors():
    """At the start point, after a sweep of each from there, and with one more step of Nagy's."""
    for model in (HuberNMF(2), CIMNMF(2), CauchyNMF(2), CappedNMF(2), TruncatedCauchyNMF(2)):
        ours = clone(model).set_params(solver="cd", random_state=0)
        X, W, H, state = ours.begin(A)
        W, H, after = ours.one_sweep(X, W, H, state)
        name = "theta" if isinstance(model, CappedNMF) else "scale"
        start = published(ours).begin(A)[3]
        assert getattr(state, name) == pytest.approx(getattr(start, name), rel=1e-12)
        if name == "theta":
            expected = 3 * np.median(np.linalg.norm(X - W @ H, axis=0))
        else:
            expected = model.estimate_scale((X - W @ H) ** 2, start.scale)
        assert getattr(after, name) == pytest.approx(expected, rel=1e-9)


def test_a_new_cap_is_that_of_the_objective_and_of_the_weights_that_come_next():
    B = np.vstack([A, np.linspace(1, 6, 8)[:, None] * positive((8, 8), 9)])
    model, caps, crossed = CappedNMF(2, solver="cd", init="nndsvd"), [], 0
    X, W, H, state = model.begin(B)
    for _ in range(8):
        before, V = state.theta, W + 0.1
        within_a_pass = model.look(X, V, H, state.found()).objective  # the cap stays
        far = np.linalg.norm(X - V @ H, axis=0)
        assert within_a_pass == pytest.approx(np.minimum(far, before).sum(), rel=1e-9)
        W, H, state = model.one_sweep(X, W, H, state)
        lengths = np.linalg.norm(X - W @ H, axis=0)
        caps.append(3 * np.median(lengths))
        within = lengths <= caps[-1]
        assert state.seen.objective == pytest.approx(np.minimum(lengths, caps[-1]).sum(), rel=1e-9)
        assert np.allclose(state.seen.weights, within / (2 * lengths), rtol=1e-9)
        crossed += (within != (lengths <= before)).any()
    assert len(set(caps)) == 8 and crossed


def test_a_cap_that_leaves_every_sample_out_gives_the_step_of_plain_nmf():
    start = positive((8, 2), 1), positive((2, 11), 2)
    options = {"init": start, "solver": "cd", "max_iter": 3, "tol": 0}
    plain = checks.iterates(NMF(2, **options), A)
    capped = checks.iterates(CappedNMF(2, theta=1e-6, **options), A)
    assert checks.same_iterates([W for W, _ in plain[:2]], [W for W, _ in capped[:2]]) < 1e-10


def test_the_rule_for_outliers_hears_how_many_sweeps_are_done():
    heard = []

    def rule(sizes, scale, done):
        heard.append(done)
        return 1.0

    TruncatedCauchyNMF(2, outliers=rule, solver="cd", max_iter=4, tol=0, random_state=0).fit(A)
    assert heard == [0, 1, 2, 3, 4]


# ------------------------------------------------------------------ where it ends


def slopes(objective, V):
    G = np.empty_like(V)
    for place in np.ndindex(V.shape):
        step = np.zeros_like(V)
        step[place] = 1e-6 * max(V[place], 1e-2)
        ahead, behind = objective(V + step), objective(np.maximum(V - step, 0))
        G[place] = (ahead - behind) / (step[place] + min(step[place], V[place]))
    return G


@by_cd
def test_both_solvers_end_where_the_slope_of_the_loss_says(model):
    X = positive((5, 6), 5)
    X[1, 2] = 3.0
    model = in_units(model, 1.0)
    if isinstance(model, CappedNMF):
        model.set_params(theta=1.5)
    if isinstance(model, CIMNMF):
        model.set_params(scale=0.5)
    if isinstance(model, L21NMF | CappedNMF):  # with two, they fit some samples exactly: kinks
        model.set_params(n_components=1)
    published = (model.published, 600 if model.published == "nesterov" else 6000)
    for solver, sweeps in (("cd", 2000), published):
        fitted = clone(model).set_params(solver=solver, max_iter=sweeps, tol=0, random_state=0)
        H = fitted.fit_transform(X.T).T
        W = fitted.components_.T
        W, H = W * np.sqrt(H.mean() / W.mean()), H * np.sqrt(W.mean() / H.mean())
        GW = slopes(lambda V, H=H: recorded(model, X, V, H), W)
        GH = slopes(lambda V, W=W: recorded(model, X, W, V), H)
        limit = 1e-5 if solver == "cd" else 1e-2  # which crawls
        assert checks.kkt_residual(W, GW) < limit and checks.kkt_residual(H, GH) < limit


@by_cd
def test_transform_finds_what_the_published_solver_finds(model):
    """The same coefficients where the problem is convex in H, as good ones with Cauchy's loss.

    In the correntropy-induced metric the two end in minima of which either may be the lower one.
    """
    model = in_units(model, 1.0)
    if isinstance(model, RobustNMF):
        model.set_params(lam=0.4)
    model.set_params(n_components=3, max_iter=1, tol=0, random_state=0).fit(A)
    # A basis that depends on no solver, of three parts that overlap little.
    model.components_ = 0.2 * positive((3, 8), 3) + (np.arange(8) % 3 == np.arange(3)[:, None])
    found = {}
    for solver in ("cd", model.published):
        model.set_params(solver=solver, max_iter=20000, tol=1e-10)
        found[solver] = model.transform(A).T
    ours, theirs = found["cd"], found[model.published]
    if isinstance(model, CONVEX):
        assert np.allclose(ours, theirs, atol=1e-5)
    W = model.components_.T
    losses = [recorded(model, A.T, W, H) for H in (ours, theirs)]
    assert losses[0] <= losses[1] * (1.1 if isinstance(model, CIMNMF) else 1 + 1e-6)


@by_cd
def test_transform_is_by_coordinate_descent_too(model, monkeypatch):
    def never(*_):
        raise AssertionError("the published update was used")

    monkeypatch.setattr(type(model), "encode", never)
    model = clone(model).set_params(n_components=3, max_iter=50, random_state=0, tol=1e-6).fit(A)
    for data in (A, np.where(A > 0.9, np.nan, A)):
        assert np.isfinite(model.transform(data)).all()


@by_cd
def test_the_published_solver_does_without_cleaned_data(model, monkeypatch):
    def never(*_):
        raise AssertionError("the data were cleaned")

    monkeypatch.setattr(type(model), "look", never)
    # With tol > 0, a complaint of RobustNMF would try the other solver.
    model = published(model).set_params(n_components=3, max_iter=50, random_state=0, tol=0)
    for data in (A, np.where(A > 0.9, np.nan, A)):
        assert np.isfinite(model.fit(data).transform(data)).all()


# ------------------------------------------------------------------ the state and what a fit shows


def named(model, X, W, H, state):
    """Return each field of a state, next to what it must be at W and H."""
    E = X - W @ H
    if isinstance(model, RobustNMF):
        return [(state.S, soft_threshold(E, model.lam_ / 2))]
    if isinstance(model, L1RobustNMF):
        S = shrink_columns(E, model.lam)
        return [(state.S, S), (state.P, np.maximum(S, 0)), (state.N, np.maximum(-S, 0))]
    if isinstance(model, L21NMF | CappedNMF):
        lengths = np.linalg.norm(E, axis=0)
        return [(state.norms, lengths), (state.d, model.fixed(state).weight(lengths))]
    if isinstance(model, NMF):
        return [(state.WtW, W.T @ W), (state.XHt, X @ H.T), (state.HHt, H @ H.T)]
    Q = model.weight((E / state.scale) ** 2)
    if isinstance(model, TruncatedCauchyNMF):
        beyond = np.abs(E) > state.threshold
        return [(state.weights, np.where(beyond, 0, Q)), (state.outliers, beyond)]
    return [(state.Q, Q)]


@by_cd
def test_a_callback_sees_the_state_of_its_factors_and_does_no_harm(model):
    options = {"n_components": 3, "max_iter": 6, "tol": 0, "random_state": 0}
    silent = clone(model).set_params(**options).fit(A)

    def look(iteration, W, H, state):
        for ours, expected in named(silent, A.T, W, H, state):
            assert np.allclose(ours, expected, rtol=1e-9, atol=1e-12), iteration
        assert not hasattr(state, "no_such_field")

    watched = clone(model).set_params(callback=look, **options).fit(A)
    assert np.array_equal(silent.components_, watched.components_)
    assert np.array_equal(silent.objective_history_, watched.objective_history_)


@by_cd
@pytest.mark.parametrize("tol", [0, 1e-3])
def test_what_a_fit_shows_belongs_to_its_final_factors(model, tol):
    model = clone(model).set_params(n_components=3, max_iter=200, tol=tol, random_state=0)
    H = model.fit_transform(A).T
    W, fixed = model.components_.T, as_fitted(model)
    if isinstance(model, NMF | TruncatedCauchyNMF):
        pass  # NMF shows nothing
    elif hasattr(model, "error_"):
        if isinstance(model, L1RobustNMF):
            field = shrink_columns(A.T - W @ H, model.lam)
        else:
            field = soft_threshold(A.T - W @ H, model.lam_ / 2)
        assert np.allclose(model.error_.T, field, atol=1e-12)
    elif model.weights_.ndim == 2:
        weights = model.weight(((A.T - W @ H) / model.scale_) ** 2)
        assert np.allclose(model.weights_.T, weights, rtol=1e-10)
    else:
        lengths = np.linalg.norm(A.T - W @ H, axis=0)
        if hasattr(model, "theta_") and tol:  # found anew for the final coefficients
            assert model.theta_ == pytest.approx(3 * np.median(lengths), rel=1e-10)
        assert np.allclose(model.weights_, fixed.weight(lengths), rtol=1e-9)
    if isinstance(model, TruncatedCauchyNMF):
        assert np.array_equal(model.outliers_, np.abs(A - H.T @ W.T) > model.threshold_)


@by_cd
@pytest.mark.parametrize("data", [A, np.where(A > 0.9, np.nan, A)], ids=["whole", "missing"])
def test_an_interrupt_inside_a_pass_costs_that_pass_alone(model, data):
    options = {"n_components": 3, "tol": 0, "random_state": 0}
    finished = clone(model).set_params(max_iter=4, **options).fit(data)
    model = clone(model).set_params(max_iter=50, **options)
    swept, look = [], model.look

    def torn(*arguments):
        seen = look(*arguments)  # by now the weights and errors are written over
        if len(swept) == 4:
            raise KeyboardInterrupt
        return seen

    model.look = torn
    model.callback = lambda k, *_: swept.clear() or swept.extend(range(k))
    with pytest.raises(KeyboardInterrupt):
        model.fit(data)
    for name in ["components_", "objective_history_", "n_iter_", *model.shows]:
        assert np.array_equal(getattr(model, name), getattr(finished, name)), name


# ------------------------------------------------------------------ the gauge


@pytest.mark.parametrize(
    "model",
    [
        NMF(3, normalize="l1", solver="cd"),
        NMF(3, normalize="l2", solver="cd"),
        RobustNMF(3, lam=100.0, solver="cd"),
    ],
    ids=repr,
)
def test_the_norms_of_W_change_no_step(model):
    options = {"max_iter": 15, "tol": 0, "random_state": 0}  # later, rounding decides on a step
    plain = checks.iterates(NMF(3, solver="cd", **options), A)
    unit = checks.iterates(model.set_params(**options), A)
    assert checks.same_iterates([W @ H for W, H in unit], [W @ H for W, H in plain]) < 1e-10
    order = 1 if getattr(model, "normalize", "") == "l1" else 2
    assert np.allclose(np.linalg.norm(unit[-1][0], order, axis=0), 1, rtol=1e-13)


def test_cleaning_by_huber_is_the_error_matrix():
    options = {"solver": "cd", "max_iter": 40, "tol": 0, "random_state": 0}
    huber = checks.iterates(HuberNMF(3, scale=0.2, **options), A)
    error = checks.iterates(RobustNMF(3, lam=0.4, **options), A)
    assert checks.same_iterates([W @ H for W, H in huber], [W @ H for W, H in error]) < 1e-9


# ------------------------------------------------------------------ parameters


@by_cd
def test_unknown_solvers(model):
    with pytest.raises(ValueError, match=f"solver='hals' is not known; use '{model.published}' or"):
        clone(model).set_params(solver="hals").fit(A)


def test_no_squares_beneath_the_divergence():
    with pytest.raises(ValueError, match=r"solver='cd' minimizes squares; .* use solver='mu'"):
        NMF(loss="kullback-leibler", solver="cd").fit(A)

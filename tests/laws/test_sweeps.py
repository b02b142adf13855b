"""What `sweeps` promises of each fit, and what the loop promises of its arrays."""

from dataclasses import replace

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import rnmf_tutorial as rt
from rnmf_tutorial import base, fitting, starts
from rnmf_tutorial.arithmetic import rounding
from rnmf_tutorial.fitting import Work, iterate
from rnmf_tutorial.losses import ENTRIES, Cauchy, Comparison, Huber, WeightedLoss
from rnmf_tutorial.losses import work_for as fresh_work
from rnmf_tutorial.models import basis, lines
from rnmf_tutorial.models.graphs import GraphNMF
from tests import problems
from tests.laws.test_losses import Doubled
from tests.problems import hidden, loss_at, positive, states_of

pytestmark = pytest.mark.filterwarnings("ignore")
KL = "kullback-leibler"
A, Y = positive((11, 8), seed=0), np.arange(11) % 3
A[3, 4] = A[7, 1] = 4.0
A[5] = 3 * A[5, ::-1]
HOLES = np.where(hidden(A.shape, 0.3), np.nan, A)
ZEROS = np.where(hidden(A.shape, 0.4), 0, A)
W0, H0 = positive((8, 3), 1), positive((3, 11), 2)

EVERY = [
    problems.with_sizes(model).set_params(n_components=3, random_state=0)
    for model in problems.AND_GRAPHS
]
each_model = pytest.mark.parametrize("model", EVERY, ids=repr)


def data_for(model):
    """Return the data with missing entries, if the model accepts these."""
    return HOLES if model.takes_missing else A


def stopping_after(model, max_iter, tol=0.0):
    """Return an unfitted copy of a model that stops after some sweeps."""
    return clone(model).set_params(max_iter=max_iter, tol=tol)


# ------------------------------------------------------------------ the items of sweeps


@each_model
def test_no_item_is_overwritten_by_later_sweeps_or_by_another_generator(model):
    model = stopping_after(model, 6)
    data = data_for(model)
    before = data.copy()
    items = []
    copies = []
    # Two generators take turns, and then one of them goes on alone.
    others = []
    second = model.sweeps(data, Y)
    for sweep in model.sweeps(data, Y):
        items.append(sweep)
        copies.append((sweep.W.copy(), sweep.H.copy(), sweep.objective))
        if sweep.number < 3:
            others.append(next(second))
    others += second
    assert [sweep.number for sweep in items] == list(range(7))
    for sweep, other, (W, H, objective) in zip(items, others, copies, strict=True):
        assert sweep.W.shape == (8, 3) and sweep.H.shape == (3, 11)
        np.testing.assert_array_equal(sweep.W, W)
        np.testing.assert_array_equal(sweep.H, H)
        np.testing.assert_array_equal(other.W, W)
        np.testing.assert_array_equal(other.H, H)
        assert sweep.objective == other.objective == objective
    np.testing.assert_array_equal(data, before)


@pytest.mark.parametrize(("max_iter", "tol"), [(7, 0), (300, 1e-3), (4, 1e-12)])
@each_model
def test_the_items_are_those_of_a_fit_and_stop_where_it_stops(model, max_iter, tol):
    model = stopping_after(model, max_iter, tol)
    data = data_for(model)
    items = list(model.sweeps(data, Y))
    called = []
    model.set_params(callback=lambda number, W, H: called.append((number, W, H)))
    Ht = model.fit_transform(data, Y)
    assert [sweep.objective for sweep in items] == model.objective_history_.tolist()
    assert len(items) == model.n_iter_ + 1
    # The first sweep with a small change is the last one, if there is one.
    history = model.objective_history_
    small = np.abs(np.diff(history)) <= tol * np.abs(history[:-1])
    small &= tol > 0
    small[: model.least_sweeps] = False
    assert not small[:-1].any()
    assert small[-1] or model.n_iter_ == max_iter
    if tol == 1e-3 and getattr(model, "solver", "") == "cd":
        assert small[-1]
    last = items[-1]
    np.testing.assert_array_equal(model.components_, last.W.T)
    if tol == 0 and model.ends_encoded != "always":
        np.testing.assert_array_equal(Ht, last.H.T)
    # The callback of a fit is called for the same factors.
    for sweep, (number, W, H) in zip(items, called, strict=True):
        assert number == sweep.number
        np.testing.assert_array_equal(W, sweep.W)
        np.testing.assert_array_equal(H, sweep.H)


@each_model
def test_the_first_item_is_the_start(model):
    given = W0.copy(), H0.copy()
    model = clone(model).set_params(init=given)
    start = next(model.sweeps(data_for(model), Y))
    assert start.number == 0
    np.testing.assert_allclose(start.W @ start.H, W0 @ H0, rtol=1e-12)
    if not isinstance(model, rt.LocalNMF | rt.RegularizedNMF):  # they normalize W
        np.testing.assert_array_equal(start.W, W0)
        np.testing.assert_array_equal(start.H, H0)
    list(model.set_params(max_iter=3).sweeps(data_for(model), Y))
    np.testing.assert_array_equal(given[0], W0)
    np.testing.assert_array_equal(given[1], H0)


@pytest.mark.parametrize("model", [rt.HuberNMF(3), rt.RobustNMF(3)], ids=repr)
def test_the_first_item_is_the_robust_start_where_a_scale_is_estimated(model):
    model = clone(model).set_params(random_state=0)
    start = next(model.sweeps(HOLES))
    robust = model.robust_start(HOLES)
    np.testing.assert_array_equal(start.W, robust.W)
    np.testing.assert_array_equal(start.H, robust.H)


def keeps_errors(model):
    """Return whether the objective of a sweep is for an error matrix S of that sweep."""
    return hasattr(model, "lam") and getattr(model, "solver", "cd") == "mu"


@each_model
def test_the_objective_is_that_of_the_factors_at_the_scale_of_the_sweep(model):
    """It is computed again from W and H, when all sweeps have ended."""
    model = stopping_after(model, 5)
    data = data_for(model)
    items = list(model.sweeps(data, Y))
    penalties = model.fit(data, Y)._fitted_penalties
    for sweep in items[::-1]:
        value = loss_at(sweep.loss, data.T, sweep.W, sweep.H)
        value += sum(penalty.value(sweep.W, sweep.H) for penalty in penalties)
        if keeps_errors(model):
            # Here S is the best for W and H, and that of the sweep costs no less. The
            # first one of Shen's updates is a little above the best.
            assert value <= sweep.objective * (1.05 if sweep.number == 0 else 1 + 1e-12)
        else:
            assert value == pytest.approx(sweep.objective, rel=1e-11)


# ------------------------------------------------------------- the model stays as it is


@each_model
def test_sweeps_and_objective_leave_the_model_as_it_is(model):
    model = stopping_after(model, 3)
    for data in (data_for(model), A[:, ::-1]):
        before = joblib.hash(vars(model))
        names = list(vars(model))
        list(model.sweeps(data, Y))
        next(model.sweeps(data, Y))
        if hasattr(model, "components_") or not needs_labels(model):
            model.objective(data.T, W0, H0)
        assert list(vars(model)) == names
        assert joblib.hash(vars(model)) == before
        if not hasattr(model, "components_"):
            with pytest.raises(NotFittedError):
                model.transform(data)
        model.fit(A, Y)


def needs_labels(model):
    """Return whether a model learns from labels."""
    return isinstance(model, GraphNMF) and model.by_labels


# ------------------------------------------------------------------ how often it fits


COUNTS = [
    # A fit with a scale that is given, or without one, runs the loop once.
    *((model, 1) for model in (rt.NMF(), rt.NMF(solver="mu"), rt.NeNMF(), rt.L21NMF())),
    *((model, 1) for model in (rt.HuberNMF(scale=0.1), rt.RobustNMF(lam=0.1))),
    *((model, 1) for model in (rt.CSNMF(), rt.CappedNMF(theta=1.0))),
    # A robust start adds four fits; the estimate of θ or λ adds another one.
    *((model, 5) for model in (rt.HuberNMF(), rt.RobustNMF(), rt.TruncatedCauchyNMF())),
    (rt.CappedNMF(), 6),
    (rt.RegularizedNMF(), 2),
]


@pytest.mark.parametrize(("model", "expected"), COUNTS, ids=repr)
def test_a_fit_runs_the_loop_as_often_as_it_says(model, expected, monkeypatch):
    """It fits nothing only to decide whether to warn."""
    runs = []

    def counted(*given, **options):
        runs.append(1)
        return iterate(*given, **options)

    for module in (fitting, base, starts, lines, basis):
        monkeypatch.setattr(module, "iterate", counted)
    model = clone(model).set_params(n_components=3, random_state=0)
    model.fit(A, Y)
    assert len(runs) == expected
    model.transform(A)
    model.score(A)
    assert len(runs) == expected


# ------------------------------------------------------------------ the arrays of a fit


DETAILED = [
    clone(model).set_params(n_components=3, solver=solver, random_state=0)
    for solver in ("cd", "mu")
    for model in (
        *(rt.NMF(loss=KL), rt.NMF(normalize="l2"), rt.HuberNMF(scale=0.2), rt.L21NMF()),
        *(rt.CauchyNMF(scale=0.2), rt.CauchyNMF(scale=0.2, divergence=KL)),
        *(rt.HuberNMF(scale="published"), rt.CappedNMF(theta=2.5, group="features")),
    )
]
DETAILED += [rt.TruncatedCauchyNMF(3, scale=0.2, solver="nesterov", random_state=0)]
FITS = [(model, data) for model in DETAILED for data in (A, HOLES)]
FITS += [(model, sp.csr_array(ZEROS)) for model in DETAILED if model.takes_sparse]


def dense(value):
    """Return a copy of an array as a dense one."""
    return value.toarray() if sp.issparse(value) else np.array(value)


def facts(work, loss, W, H):
    """Return copies of what a comparison says, before and after the data are cleaned."""
    comparison = loss.compare(work, W, H)
    found = {
        "value": loss.total(work, comparison),
        "X": comparison.X,
        "WtX": comparison.WtX,
        "XHt": comparison.XHt,
        "WtW": comparison.WtW,
        "HHt": comparison.HHt,
        "weights": loss.positive_weights(comparison),
    }
    if work.WH is not None:
        found["WH"] = work.WH
    found = {name: dense(V) for name, V in found.items() if V is not None}
    M, f, d = loss.cleaned(work, loss.compare(work, W, H))
    for name, value in (("M", M), ("f", f), ("d", d)):
        if value is not None:
            found[name] = dense(value)
    return found


def same(found, expected):
    """Fail if two dictionaries of arrays differ by more than rounding."""
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(
            found[name], value, rtol=1e-11, atol=1e-14, err_msg=name
        )


@pytest.mark.parametrize(
    ("model", "data"), FITS, ids=lambda v: getattr(v, "format", repr(v)[:60])
)
def test_a_comparison_depends_on_its_factors_alone(model, data):
    """Not on the factors that the same arrays were used for before."""
    items = list(stopping_after(model, 5).sweeps(data))
    expected = [
        facts(fresh_work(data.T), sweep.loss, sweep.W, sweep.H) for sweep in items
    ]
    assert len({float(fact["value"]) for fact in expected}) == 6
    for fact, sweep in zip(expected, items, strict=True):
        assert fact["value"] == pytest.approx(sweep.objective, rel=1e-11)
    work = fresh_work(data.T)
    for k in (2, 5, 0, 4, 4, 1, 3, 5):
        found = facts(work, items[k].loss, items[k].W, items[k].H)
        found = {name: found[name] for name in found if name in expected[k]}
        same(found, expected[k])


@pytest.mark.parametrize("group", [ENTRIES, Doubled()])
def test_two_losses_that_share_arrays_do_not_disturb_each_other(group):
    X = A.T * np.where(np.arange(11) == 5, 40, 1)  # one sample has only small weights
    losses = [
        WeightedLoss(Huber(), group=group, scale=0.2),
        WeightedLoss(Cauchy(), group=group, scale=0.3),
    ]
    losses.append(replace(losses[0], scale=0.1))
    expected = [facts(Work(X), loss, W0, H0) for loss in losses]
    work = Work(X)
    for k in (0, 1, 0, 2, 2, 0, 1):
        same(facts(work, losses[k], W0, H0), expected[k])


# ------------------------------------------------------------------ missing entries


def test_missing_entries_take_the_product_only_when_they_are_told_to():
    mask = np.isnan(HOLES.T)
    work = Work(np.where(mask, 77.0, A.T), mask)
    loss = WeightedLoss(Huber(), scale=0.2)
    loss.compare(work, W0, H0)
    first = work.X.copy()
    np.testing.assert_array_equal(first, np.where(mask, work.WH, A.T))
    np.testing.assert_allclose(work.WH, W0 @ H0, rtol=1e-14)
    assert work.rounding() == rounding(first)
    # Within a sweep they keep their values, and products with the data use these.
    within = loss.compare(work, W0**2, 20 * H0, fill=False)
    np.testing.assert_allclose(work.WH, W0**2 @ (20 * H0), rtol=1e-14)
    np.testing.assert_array_equal(work.X, first)
    np.testing.assert_allclose(within.XHt, first @ (20 * H0).T, rtol=1e-13)
    # At the end of the sweep they take the new product.
    loss.compare(work, W0**2, 20 * H0)
    ended = np.where(mask, W0**2 @ (20 * H0), A.T)
    np.testing.assert_allclose(work.X, ended, rtol=1e-14)
    assert work.rounding() == rounding(work.X) > rounding(first)


@pytest.mark.parametrize("model", [m for m in EVERY if m.takes_missing], ids=repr)
def test_missing_entries_stay_within_a_sweep_and_hold_the_product_at_its_end(
    model, monkeypatch
):
    problem, states = stopping_after(model, 5)._prepare(HOLES, Y)
    mask = np.isnan(HOLES.T)
    work = problem.work
    update = problem.solver.update
    changed = []

    def watched(work, *given):
        before = work.X.copy()
        found = update(work, *given)
        changed.append(not np.array_equal(work.X, before))
        return found

    monkeypatch.setattr(problem.solver, "update", watched)
    for state in states:
        expected = np.where(mask, state.W @ state.H, A.T)
        np.testing.assert_allclose(work.X, expected, rtol=1e-14, atol=1e-300)
        np.testing.assert_array_equal(work.X[~mask], A.T[~mask])
    assert changed == [False] * 5


# ------------------------------------------------------------------ memory of solvers


def work_of(model, data):
    """Return new arrays for a fit of a model to the data."""
    return model._prepare(data, Y)[0].work


def uses_earlier_sweeps(model):
    """Return whether a sweep of a model uses more than the loss and the factors before it."""
    if getattr(model, "scale", None) == "published":
        # Nagy's iteration goes on from the last scale.
        return isinstance(model, rt.CauchyNMF | rt.TruncatedCauchyNMF)
    solver = getattr(model, "solver", "mu")
    return isinstance(model, rt.L1RobustNMF | rt.L1NMF) and solver == "mu"


REPEATING = [model for model in EVERY if not uses_earlier_sweeps(model)]


@pytest.mark.parametrize("model", REPEATING, ids=repr)
def test_a_fit_that_starts_at_a_sweep_repeats_the_next_one(model):
    """Coordinate descent also needs the factors from which it extrapolates."""
    model = stopping_after(model, 5)
    data = data_for(model)
    problem, _ = model._prepare(data, Y)
    states = states_of(model, data, Y)
    for k in (1, 4, 0, 3, 2):
        state = states[k]
        again = iterate(
            work_of(model, data),
            state.W,
            state.H,
            state.loss,
            problem.solver,
            problem.penalties,
            last_update=state.last_update,
            max_iter=1,
        )
        _, end = again
        following = states[k + 1]
        assert end.objective == pytest.approx(following.objective, rel=1e-11)
        np.testing.assert_allclose(end.W, following.W, rtol=1e-11, atol=1e-300)
        np.testing.assert_allclose(end.H, following.H, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize(
    "model", [m for m in EVERY if getattr(m, "solver", "") == "cd"], ids=repr
)
def test_a_first_sweep_of_coordinate_descent_is_its_update_and_a_later_one_goes_further(
    model,
):
    model = stopping_after(model, 5)
    data = data_for(model)
    problem, _ = model._prepare(data, Y)
    states = states_of(model, data, Y)
    further = 0
    for k in (1, 3, 0, 2):
        state = states[k]
        work = work_of(model, data)
        again = iterate(work, state.W, state.H, state.loss, problem.solver, max_iter=1)
        _, plain = again
        comparison = state.loss.compare(work, state.W, state.H)
        update = problem.solver.update(work, state.loss, comparison, None)
        np.testing.assert_allclose(
            plain.W @ plain.H, update.W @ update.H, rtol=1e-11, atol=1e-14
        )
        following = states[k + 1]
        further += not np.allclose(
            plain.W @ plain.H, following.W @ following.H, rtol=1e-6
        )
    assert further  # the fit itself has extrapolated


@each_model
def test_what_a_solver_says_is_known_is_what_would_be_computed_again(model):
    model = stopping_after(model, 5)
    data = data_for(model)
    problem, _ = model._prepare(data, Y)
    for state in states_of(model, data, Y):
        work = work_of(model, data)
        comparison = state.loss.compare(work, state.W, state.H, state.memory)
        update = problem.solver.update(work, state.loss, comparison, state.memory)
        X = work.X
        if work.mask is not None:
            X = np.where(work.mask, update.W @ update.H, X)
        again = Comparison(X, update.W, update.H)
        assert update.products.keys() <= {"WtW", "WtX", "HHt", "XHt"}
        for name, value in update.products.items():
            np.testing.assert_allclose(
                value, getattr(again, name), rtol=1e-11, err_msg=name
            )

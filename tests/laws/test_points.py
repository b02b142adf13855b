"""A point stays true whatever other points of its fit compute, and a step may start at any."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import rnmf_tutorial as rt
from rnmf_tutorial.core import Point, rounding
from rnmf_tutorial.losses import ENTRIES, Cauchy, Huber, Loss
from tests.laws.test_losses import Doubled
from tests.problems import hidden, positive

KL = "kullback-leibler"
A = positive((11, 8), seed=0)
A[3, 4] = A[7, 1] = 4.0
A[5] = 3 * A[5, ::-1]
HOLES = np.where(hidden(A.shape, 0.3), np.nan, A)
ZEROS = np.where(hidden(A.shape, 0.4), 0, A)
MODELS = [
    clone(model).set_params(n_components=3, solver=solver, random_state=0)
    for solver in ("cd", "mu")
    for model in (
        *(rt.NMF(loss=KL), rt.NMF(normalize="l2"), rt.HuberNMF(scale=0.2), rt.L21NMF()),
        *(rt.CauchyNMF(scale=0.2), rt.CauchyNMF(scale=0.2, divergence=KL)),
        *(rt.HuberNMF(scale="published"), rt.CappedNMF(theta=2.5, group="features")),
    )
]
MODELS += [rt.TruncatedCauchyNMF(3, scale=0.2, solver="nesterov", random_state=0)]
FITS = [(model, data) for model in MODELS for data in (A, HOLES)]
FITS += [(model, sp.csr_array(ZEROS)) for model in MODELS if model.takes_sparse]
#: The models whose steps need nothing of the sweep before.
WITHOUT_STATE = [
    *(m for m in MODELS if getattr(m, "solver", "cd") != "cd"),
    rt.NeNMF(3),
]
WITHOUT_STATE += [
    rt.RobustNMF(3, lam=0.3, solver="mu"),
    rt.LocalNMF(3),
    rt.RegularizedNMF(3),
]


def swept(model, data, sweeps=5):
    """Return a run after some sweeps, and the points of all."""
    points = []
    run = model.begin(data)
    run.sweep(max_iter=sweeps, callback=lambda k, W, H, point: points.append(point))
    return run, points


def anew(point):
    """Return a point of the same factors that shares nothing, and holds nonsense where X is not."""
    data = point.data.copy()
    if point.mask is not None:
        data[point.mask] = 77.0
    return type(point)(data, point.W.copy(), point.H.copy(), point.mask)


def dense(value):
    return value.toarray() if sp.issparse(value) else np.array(value)


def facts(point, loss):
    """Return copies of what a point and its loss say."""
    found = {"WH": point.WH, "X": point.X, "value": loss.value(point)}
    found |= {"weights": loss.weights(point), "WtX": point.WtX, "XHt": point.XHt}
    return {name: dense(value) for name, value in found.items() if value is not None}


def same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(
            found[name], value, rtol=1e-11, atol=1e-14, err_msg=name
        )


@pytest.mark.parametrize(
    ("model", "data"), FITS, ids=lambda v: getattr(v, "format", repr(v)[:60])
)
def test_a_point_of_sweeps_ago_says_what_it_said_and_so_does_a_later_one(model, data):
    run, points = swept(model, data)
    expected = [facts(anew(point), point.loss) for point in points]
    assert len({float(fact["value"]) for fact in expected}) == 6
    for k in (2, 5, 0, 4, 4, 1, 3, 5):
        same(facts(points[k], points[k].loss), expected[k])
        points[k].loss.clean(points[k])  # writes over the shared arrays
        same(facts(points[k], points[k].loss), expected[k])
    np.testing.assert_allclose(
        run.history, [fact["value"] for fact in expected], rtol=1e-11
    )
    run.point.memory.arrays.clear()  # gives the shared memory back
    run.point.memory.found.clear()
    last = type(run.point)(run.point.data, run.point.W, run.point.H, run.point.mask)
    for point, k in ((last, 5), (points[1], 1), (last, 5)):
        if last.mask is None or point is last:  # else both fill in the same data
            same(facts(point, points[k].loss), expected[k])


@pytest.mark.parametrize("model", WITHOUT_STATE, ids=repr)
def test_a_step_without_a_state_repeats_itself_from_any_point(model):
    run, points = swept(model, HOLES if model.takes_missing else A)
    for k in (1, 4, 0, 3, 2):
        again = run.step(points[k], points[k].loss)
        for Z, expected in ((again.W, points[k + 1].W), (again.H, points[k + 1].H)):
            np.testing.assert_allclose(Z, expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize(
    "model", [m for m in MODELS if m not in WITHOUT_STATE], ids=repr
)
def test_coordinate_descent_goes_further_from_its_last_two_points_and_begins_anew_at_others(
    model,
):
    """So what is promised at an older point is the plain pass, not the step that it once gave."""
    run, points = swept(model, HOLES)
    again = run.step(points[4], points[4].loss)
    np.testing.assert_allclose(again.W @ again.H, points[5].W @ points[5].H, rtol=1e-11)
    further = 0
    for k in (1, 3, 0, 2):
        plain = run.step(points[k], points[k].loss)
        first = type(run.step)(run.step.normalize)(anew(points[k]), points[k].loss)
        np.testing.assert_allclose(plain.W, first.W, rtol=1e-11, atol=1e-14)
        np.testing.assert_allclose(plain.H, first.H, rtol=1e-11, atol=1e-14)
        further += not np.allclose(
            plain.W @ plain.H, points[k + 1].W @ points[k + 1].H, rtol=1e-6
        )
    assert further  # the fit itself has gone further


@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_the_errors_of_a_sweep_are_kept_for_the_last_two_points_and_the_best_elsewhere(
    solver,
):
    for model in (rt.RobustNMF(3, lam=0.3), rt.L1RobustNMF(3, lam=0.3)):
        run, points = swept(model.set_params(solver=solver, random_state=0), A)
        values = [run.loss.value(point) for point in (*points[::-1], *points)]
        np.testing.assert_allclose(values[1::-1], run.history[-2:], rtol=1e-12)
        shens = (
            type(run.loss).__name__ == "ShenUpdates"
        )  # P and N begin a little above the best
        assert (
            np.array(values[6:10]) <= np.array(run.history[:4]) * (1.05 if shens else 1)
        ).all()


def test_within_a_sweep_missing_entries_stay_and_at_its_end_they_hold_the_product():
    mask = np.isnan(HOLES.T)
    point = Point(
        np.where(mask, 77.0, A.T), positive((8, 3), 1), positive((3, 11), 2), mask
    )
    first = point.X.copy()
    np.testing.assert_array_equal(first, np.where(mask, point.W @ point.H, A.T))
    assert point.rounding == rounding(first)
    within = point.to(H=20 * point.H).to(W=point.W**2)
    np.testing.assert_array_equal(within.X, first)
    ended = within.settled()
    np.testing.assert_allclose(
        ended.X, np.where(mask, ended.W @ ended.H, A.T), rtol=1e-14
    )
    assert ended.rounding == rounding(ended.X) > point.rounding
    np.testing.assert_allclose(
        within.XHt, first @ within.H.T, rtol=1e-13
    )  # not those of the end
    np.testing.assert_allclose(point.normalized("l1").X, first, rtol=1e-14)


@pytest.mark.parametrize("group", [ENTRIES, Doubled()])
def test_two_losses_at_one_point_do_not_hear_of_each_other(group):
    X = A.T * np.where(
        np.arange(11) == 5, 40, 1
    )  # every weight of this sample is small
    point = Point(X, positive((8, 3), 1), positive((3, 11), 2))
    losses = [
        Loss(Huber(), group=group, scale=0.2),
        Loss(Cauchy(), group=group, scale=0.3),
    ]
    losses.append(replace(losses[0], scale=0.1))
    expected = [facts(anew(point), loss) for loss in losses]
    for k in (0, 1, 0, 2, 2, 0, 1):
        same(facts(point, losses[k]), expected[k])
        losses[k].clean(point)
        np.testing.assert_allclose(
            losses[k].weights(point), expected[k]["weights"], rtol=1e-12
        )

"""What a fit says when a size cannot suit the data, and that it is silent otherwise."""

import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import rnmf_tutorial as rt
from rnmf_tutorial.fitting import Work
from rnmf_tutorial.models.errors import warning_if_errors_extreme
from rnmf_tutorial.scale_warnings import warning_if_weights_extreme
from tests.problems import ESTIMATORS, positive


def noisy(n_samples=40, n_features=30):
    """Return data of rank 2 with noise, 5% gross errors and mean one, and labels."""
    rng = np.random.default_rng(0)
    A = rng.exponential(size=(n_samples, 2)) @ rng.exponential(size=(2, n_features))
    A = A / A.mean() + 0.05 * rng.random(A.shape)
    A[rng.random(A.shape) < 0.05] = 6
    return A, np.arange(n_samples) % 3


def told(model, A, y=None, **options):
    """Return the sentences of the warnings of a fit."""
    options = {"n_components": 2, "max_iter": 100, "random_state": 0} | options
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clone(model).set_params(**options).fit(A, y)
    return [str(w.message) for w in caught if w.category is rt.ScaleWarning]


WITHOUT_SIZES = [
    model
    for model in ESTIMATORS
    if 1.0 not in (getattr(model, "lam", None), getattr(model, "scale", None))
]


@pytest.mark.parametrize("model", [*WITHOUT_SIZES, rt.CSNMF(), rt.MCCGR()], ids=repr)
def test_a_fit_by_default_is_silent_in_any_unit(model):
    A, y = noisy()
    for unit in (1e-4, 1e4):
        assert told(model, unit * A, y, max_iter=30) == []


UNSUITED = [
    (
        rt.RobustNMF(lam=1e-3),
        r"% of the residuals are above lam/2 = 0.0005, with the median",
    ),
    (
        rt.RobustNMF(lam=1e-3, solver="mu"),
        r"S holds the data, .* a larger lam .*, or None, which",
    ),
    (
        rt.RobustNMF(lam=100.0),
        r"no residual is above lam/2 = 50, where the positive data have",
    ),
    (rt.L1RobustNMF(lam=1e-4), "entries"),
    (
        rt.CauchyNMF(scale=1e-4),
        r"of the positive data have weights below 0.01\. .* larger s",
    ),
    (
        rt.HuberNMF(scale=100.0),
        r"every weight is one: this is plain NMF. If data are wrong, give a smaller scale",
    ),
    (rt.CSNMF(scale=1e-4), r"of the positive data have weights below 0.01"),
    (rt.MCCGR(scale=1e-3), r"of the positive data have weights below 0.01"),
    (
        rt.CappedNMF(theta=1e-3),
        r"all residuals are longer than theta = 0.001, the shortest 1",
    ),
]


@pytest.mark.parametrize(("model", "sentence"), UNSUITED, ids=repr)
def test_a_number_that_cannot_suit_the_data_is_named_once(model, sentence):
    """And not where exactly so many sweeps were ordered."""
    A, y = noisy()
    (message,) = told(model, A, y)
    assert message.startswith(f"{type(model).__name__}: ")
    assert re.search(sentence, message)
    assert told(model, A, y, max_iter=2, tol=0) == []


ESTIMATED = [
    (rt.HuberNMF(scale="published"), "scale"),
    (rt.CauchyNMF(scale="published"), "scale"),
    (rt.CappedNMF(theta="published", solver="mu"), "theta"),
    (rt.TruncatedCauchyNMF(outliers="mad", scale=0.1), "outliers"),
]


@pytest.mark.parametrize(("model", "name"), ESTIMATED, ids=repr)
def test_an_estimate_at_its_floor_is_named(model, name):
    """The start point is an exact fit of all but one entry."""
    W, H = positive((30, 2), 1), positive((2, 40), 2)
    A = (W @ H).T
    A[3, 4] += 9
    (message,) = told(model, A, init=(W, H), tol=1e-15)
    assert f"the estimated {name} has fallen to" in message


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_a_warning_points_at_the_line_that_fits(method):
    A, _ = noisy()
    with pytest.warns((ConvergenceWarning, rt.ScaleWarning)) as caught:
        getattr(rt.HuberNMF(scale=100.0, max_iter=1, tol=1e-12), method)(A)
    assert [w.category for w in caught] == [ConvergenceWarning, rt.ScaleWarning]
    assert {w.filename for w in caught} == {__file__}


def test_weights_of_zeros_do_not_count_and_a_median_is_that_of_the_residuals():
    work = Work(np.eye(5))
    weights = np.where(work.X > 0, 1e-9, 0.5)
    said = warning_if_weights_extreme(work, weights, "scale")
    assert said.startswith("100% of the positive data")
    said = warning_if_errors_extreme(work, np.full((5, 5), 2.5), 0.5)
    assert "with the median 3:" in said


@pytest.mark.parametrize("model", [rt.HuberNMF(5), rt.CauchyNMF(5)], ids=repr)
@pytest.mark.parametrize(("share", "size"), [(0.05, 1e3), (0.3, 5)])
def test_gross_errors_are_no_reason_to_warn(model, share, size):
    rng = np.random.default_rng(1)
    A = rng.random((80, 5)) @ rng.random((5, 60)) + 0.02 * rng.random((80, 60))
    A[rng.random(A.shape) < share] *= size
    assert told(model, A, n_components=5) == []


# ------------------------------------------------------------------ missing entries


def test_a_missing_entry_leaves_samples_of_zeros_out_of_the_cap():
    """Otherwise the median length of the residuals is zero, and good samples are dropped."""
    A = np.zeros((60, 30))
    A[:20] = noisy(20)[0]
    right = rt.CappedNMF(2, random_state=0).fit(A)
    A[5, 5] = np.nan
    found = rt.CappedNMF(2, random_state=0).fit(A)
    assert found.theta_ == pytest.approx(right.theta_, rel=0.2)
    np.testing.assert_array_equal(found.weights_ > 0, right.weights_ > 0)


@pytest.mark.parametrize("share", [0.3, 0.7])
@pytest.mark.parametrize(
    "model",
    [
        rt.CauchyNMF(scale=1e-4),
        rt.HuberNMF(scale=100.0),
        rt.RobustNMF(lam=1e-3),
        rt.RobustNMF(lam=100.0),
        rt.L1RobustNMF(lam=1e-4),
    ],
    ids=repr,
)
def test_a_number_that_cannot_suit_the_data_is_named_where_entries_are_missing(
    model, share
):
    A, _ = noisy()
    (complete,) = told(model, A)
    hidden = np.random.default_rng(1).random(A.shape) < share
    A[hidden] = np.nan
    (message,) = told(model, A)
    assert re.sub(r"[\d.e+-]+", "", message) == re.sub(r"[\d.e+-]+", "", complete)

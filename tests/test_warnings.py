"""What a fit says when a size cannot suit the data, and that it is silent otherwise."""

import re
import warnings

import numpy as np
import pytest
from rnmf_tutorial.models.complaints import about_errors, about_floor, about_weights, rounding
from rnmf_tutorial.models.errors import robust
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rnmf_tutorial import (
    CIMNMF,
    CSNMF,
    MCCGR,
    CappedNMF,
    CauchyNMF,
    HuberNMF,
    L1RobustNMF,
    RobustNMF,
    ScaleWarning,
    TruncatedCauchyNMF,
)
from rnmf_tutorial.data import load_indian_pines
from tests.problems import ESTIMATORS, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def noisy(n_samples=40, n_features=30):
    """Return data of rank 2 with noise, 5 % gross errors and mean one, and labels."""
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
    return [str(w.message) for w in caught if w.category is ScaleWarning]


@pytest.mark.parametrize(
    "model",
    [*(m for m in ESTIMATORS if getattr(m, "lam", None) != 1.0), CSNMF(), MCCGR()],
    ids=repr,
)
@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_a_fit_by_default_is_silent(model, unit):
    A, y = noisy()
    assert told(model, unit * A, y, max_iter=60) == []


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (RobustNMF(lam=1e-3), r"% of the residuals are above lam/2 = 0.0005, with the median"),
        (RobustNMF(lam=1e-3, solver="cd"), r"the error S holds the data, and W and H hardly move"),
        (RobustNMF(lam=100.0), r"no residual is above lam/2 = 50, where the positive data have"),
        (CauchyNMF(scale=1e-4), r"of the positive data have weights below 0.01, .* larger scale"),
        (CIMNMF(scale=1e-3, solver="cd"), r"of the positive data have weights below 0.01"),
        (HuberNMF(scale=1e-5), r"of the positive data have weights below 0.01"),
        (HuberNMF(scale=100.0), r"every weight is one: this is plain NMF. Give a smaller scale"),
        (TruncatedCauchyNMF(scale=0.1, outliers=1e-5), r"of the positive data have weights below"),
        (CSNMF(scale=1e-4), r"of the positive data have weights below 0.01"),
        (MCCGR(scale=1e-3), r"of the positive data have weights below 0.01"),
        (CappedNMF(theta=1e-3), r"all residuals are longer than theta = 0.001, the shortest 1\.\d"),
    ],
    ids=repr,
)
def test_a_number_that_cannot_suit_the_data_is_named_once(model, sentence):
    A, y = noisy()
    (message,) = told(model, A, y)
    assert message.startswith(f"{type(model).__name__}: ")
    assert re.search(sentence, message)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (HuberNMF(solver="cd"), "scale"),
        (CauchyNMF(), "scale"),
        (CappedNMF(solver="cd"), "theta"),
        (TruncatedCauchyNMF(outliers="mad", scale=0.1), "outliers"),
    ],
    ids=repr,
)
def test_an_estimate_at_its_floor_is_named(model, name):
    """The start point is an exact fit of all but one entry."""
    W, H = positive((30, 2), 1), positive((2, 40), 2)
    A = (W @ H).T
    A[3, 4] += 9
    (message,) = told(model, A, init=(W, H), tol=1e-15)
    assert f"the estimated {name} has fallen to" in message


def test_updates_that_crawl_are_named_and_the_other_solver_is_not():
    A = 9000 * load_indian_pines().data[::20]  # raw spectra
    options = {"n_components": 8, "tol": 1e-4}
    (message,) = told(RobustNMF(), A, **options)
    assert "ten passes of solver='cd' would still lower the objective" in message
    assert told(RobustNMF(), A, **options | {"tol": 0}) == []  # so many sweeps, nothing more
    assert told(RobustNMF(solver="cd"), A, **options) == []


def test_what_ten_passes_of_the_other_solver_would_gain_is_told(monkeypatch):
    A = noisy()[0]
    W, H = positive((A.shape[1], 3), seed=1), positive((3, len(A)), seed=2)
    model = RobustNMF(3, lam=0.05, tol=0.5, random_state=0)
    further = RobustNMF(3, lam=0.05, solver="cd", init=(W, H), max_iter=10, tol=0).fit(A)
    history = further.objective_history_
    fall = 1 - history[-1] / history[0]
    assert f"{1 - history[-1] / history[1]:.0%}" != f"{fall:.0%}"  # the first pass is one of ten
    said = model._crawl(A.T, W, H, 0.8)
    assert f"lower the objective by {fall:.0%}. 80% of the residuals" in said
    monkeypatch.setattr(robust, "_FAR", fall)
    assert model._crawl(A.T, W, H, 0.8) is not None
    assert model._crawl(A.T, W, H, 0.2) is None
    assert model.set_params(solver="cd")._crawl(A.T, W, H, 0.8) is None


def test_a_weight_for_pixels_on_raw_spectra_warns():
    A = 9000 * load_indian_pines().data[::20]
    (message,) = told(RobustNMF(lam=0.1, tol=1e-4), A, n_components=8)
    assert "take a larger one, or None, which estimates it" in message


def test_text_is_a_case_for_plain_nmf():
    """Of 95 % zeros, robust losses take the rest for errors."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(10, 0.2), 150) @ rng.dirichlet(np.full(200, 0.05), 10)
    counts = rng.poisson(12 * topics)
    A = counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1)
    assert 0.93 < (A == 0).mean() < 0.99
    for model in (HuberNMF(), CauchyNMF(), HuberNMF(solver="cd"), CauchyNMF(solver="cd")):
        (message,) = told(model, A, n_components=5, max_iter=200)
        assert "prefer NMF" in message or "has fallen to" in message


def test_a_small_error_matrix_or_weight_at_the_threshold_of_a_complaint():
    """Each share on both sides of its limit."""
    X, S = np.ones((10, 100)), np.zeros((10, 100))
    S.ravel()[:750] = 1
    assert about_errors(X, S, 0.1) is None
    S.ravel()[750] = 1
    assert "75.1 % of the residuals are above lam/2 = 0.1, with the median 1.1" in about_errors(
        X, S, 0.1
    )
    Q = np.zeros((10, 100))
    Q.ravel()[:250] = 0.02
    assert about_weights(X, Q, "scale") is None
    Q.ravel()[0] = 0.01
    assert about_weights(X, Q, "scale").startswith("75.1 % of the positive data")
    zeros = np.arange(1000).reshape(10, 100)
    assert about_weights(np.where(zeros < 667, 1.0, 0.0), Q, "scale") is None
    few = about_weights(np.where(zeros < 666, 1.0, 0.0), Q, "scale")  # a third are zeros
    assert few.startswith("62.6 % of the positive data")
    ones = np.ones((10, 100))
    assert about_weights(0 * X, ones, "scale") is None  # nothing to hear
    ones[3, 4] -= 2e-16
    assert about_weights(X, ones, "scale") is None
    assert about_floor(X, 2.3e-14, "scale") is None
    assert "has fallen to 2.2e-14" in about_floor(X, 2.2e-14, "scale")


def test_an_error_matrix_of_sparse_columns_is_judged_too():
    A, _ = noisy()
    (message,) = told(L1RobustNMF(lam=1e-4), A)
    assert "entries" in message


def test_a_size_at_the_floor_itself_is_named():
    X = np.ones((3, 4))
    floor = 100 * rounding(X)
    assert "the estimated scale has fallen to" in about_floor(X, floor, "scale")
    assert about_floor(X, np.nextafter(floor, 1), "scale") is None


def test_the_ten_passes_are_at_the_estimated_weight_and_are_not_shown():
    A, called = noisy()[0], []
    model = RobustNMF(3, max_iter=5, random_state=0, callback=lambda *now: called.append(now[0]))
    model.fit(A / 4)  # data of which it estimates another weight
    called.clear()
    W, H = positive((A.shape[1], 3), seed=1), positive((3, len(A)), seed=2)
    further = RobustNMF(3, lam=model.lam_, solver="cd", init=(W, H), max_iter=10, tol=0).fit(A)
    fall = 1 - further.objective_history_[-1] / further.objective_history_[0]
    S = np.zeros(A.T.shape)
    S.ravel()[: S.size // 4] = 1  # a quarter is enough
    said = model.complaint(A.T, W, H, robust.Errors(S))
    assert f"lower the objective by {fall:.0%}. 25% of the residuals" in said
    assert f"above lam/2 = {model.lam_ / 2:.3g}, and the updates crawl" in said
    assert called == []
    S[0, 0] = 0
    assert model.complaint(A.T, W, H, robust.Errors(S)) is None


def test_where_exactly_a_third_of_the_data_are_zeros_half_of_the_others_say_enough():
    X = np.array([[1.0, 1.0, 0.0]])
    assert about_weights(X, np.array([[1.0, 0.0, 1.0]]), "scale") is None
    wider = np.pad(X, [(0, 0), (0, 1)])
    said = about_weights(wider, np.array([[1.0, 0.0, 1.0, 1.0]]), "scale")
    assert said.startswith("50 % of the positive data have weights below 0.01")


def test_so_many_sweeps_and_nothing_more_are_silent():
    A, _ = noisy()
    model = HuberNMF(scale=100.0)
    assert told(model, A, max_iter=2, tol=0) == []
    assert len(told(model, A, max_iter=2)) == 1


def test_what_to_do_about_a_size_at_its_floor_is_said_to_the_end():
    said = about_floor(np.ones((1, 2)), 0.0, "scale")
    assert said.endswith("as a number, the size of an error that you would still believe.")


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_a_warning_points_at_the_line_that_fits(method):
    A, _ = noisy()
    with pytest.warns(ConvergenceWarning) as caught:
        getattr(HuberNMF(scale=100.0, max_iter=1, tol=1e-12), method)(A)
    assert [w.category for w in caught] == [ConvergenceWarning, ScaleWarning]
    assert {w.filename for w in caught} == {__file__}

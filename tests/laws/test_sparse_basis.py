"""RegularizedNMF: its gradient, where it ends, and its weight. Its steps are in test_papers.py."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from rnmf_tutorial import RegularizedNMF, checks
from rnmf_tutorial.papers import regularized
from tests.problems import data, objective_at, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
A = positive((11, 8), seed=0)
X, W0, H0 = A.T, positive((8, 3), 1), positive((3, 11), 2)
OPTIONS = {"n_components": 3, "max_iter": 60, "tol": 0, "random_state": 0}
each_lam = pytest.mark.parametrize("lam", [0.0, 0.1, 1.0, 10.0])


def slope(W, H, lam):
    """Return the gradient in W of (10)."""
    return (W @ H - X) @ H.T + lam


# ------------------------------------------------------------------ the objective and its minima


def test_the_objective_is_10_after_normalization_and_so_is_its_gradient():
    """As a function of any W, only the tangential part of the gradient is left."""
    model, d = RegularizedNMF(lam=0.7), np.linalg.norm(W0, axis=0)
    U, G = W0 / d, H0 * d[:, None]  # a start is normalized so, with WH as it is
    expected = ((X - U @ G) ** 2).sum() / 2 + 0.7 * U.sum()
    assert objective_at(model, X, W0, H0) == pytest.approx(expected, rel=1e-12)
    in_space = slope(U, G, 0.7)
    along = (in_space - U * (U * in_space).sum(axis=0)) / d

    def value(V):
        return objective_at(model, X, V, G / np.linalg.norm(V, axis=0)[:, None])

    checks.gradient_matches(value, along, W0)
    checks.gradient_matches(lambda V: objective_at(model, X, U, V), U.T @ (U @ G - X), G)


@each_lam
def test_stationary_at_convergence(lam):
    model = RegularizedNMF(2, lam=lam, max_iter=40000, tol=1e-15, random_state=1)
    H = model.fit_transform(A).T
    W = model.components_.T
    G, scale = slope(W, H, lam), (H @ H.T).max() + lam
    assert checks.kkt_residual(W, G - W * (W * G).sum(axis=0), scale=scale) < 1e-6
    assert checks.kkt_residual(H, W.T @ (W @ H - X), scale=scale) < 1e-4


@pytest.mark.slow
@given(problem=data(scales=(1e-3, 1.0, 1e3)), lam_theta=st.sampled_from([0.0, 1.0, 8.0, 1000.0]))
def test_columns_keep_length_one_on_the_way_down(problem, lam_theta):
    A, r, _ = problem
    model = RegularizedNMF(r, lam_theta=lam_theta, max_iter=15, tol=0, random_state=0)
    for W, H in checks.iterates(model, A):
        assert W.min() >= 0 and H.min() >= 0
        assert np.allclose(np.linalg.norm(W, axis=0), 1, rtol=1e-14, atol=0)
    history = model.fit(A).objective_history_
    checks.decreases(np.maximum(history, 1e-12 * np.vdot(A, A)) + 1e-30, rtol=1e-9)


def test_a_column_taken_to_zero_becomes_one_pixel():
    """Where the printed steps divide zero by zero, the nearest point is a corner; J still falls."""
    model = RegularizedNMF(**OPTIONS, lam=1e4).fit(A)
    assert ((model.components_ == 0) | (model.components_ == 1)).all()
    checks.decreases(model.objective_history_)
    W = W0.copy()
    W[:, 1] = 0
    model = RegularizedNMF(**OPTIONS | {"init": (W, H0)}, lam=0.1).fit(A)
    assert np.allclose(np.linalg.norm(model.components_, axis=1), 1, rtol=1e-14)
    checks.decreases(model.objective_history_)


def test_rounding_does_not_decide_where_a_fit_ends():
    """Steps below 2/L do not magnify a difference; with longer ones, another machine differs."""
    B, W, H = positive((40, 30), 0), positive((30, 8), 1), positive((8, 40), 2)
    noise = 1 + 1e-13 * np.random.default_rng(0).standard_normal(W.shape)
    pair = [
        RegularizedNMF(8, lam=0.3, init=(start, H), max_iter=1000, tol=0).fit(B).components_
        for start in (W, W * noise)
    ]
    assert np.abs(np.subtract(*pair)).max() < 1e-9


@pytest.mark.parametrize("lam_theta", [0.5, 8.0])
def test_with_a_tolerance_a_sample_has_one_encoding(lam_theta):
    model = RegularizedNMF(3, lam_theta=lam_theta, random_state=0)
    assert np.array_equal(model.fit_transform(A), model.transform(A))


# ------------------------------------------------------------------ the weight


def test_lam_by_11_for_rank_one():
    """With r = 1 the solution for λ = 0 is the first singular pair, whatever the start."""
    U, s, _ = np.linalg.svd(X)
    model = RegularizedNMF(1, lam_theta=3.0, max_iter=20000, tol=1e-15, random_state=0).fit(A)
    expected = 3.0 * (0.5 * (s[1:] ** 2).sum()) / np.abs(U[:, 0]).sum()
    assert model.lam_ == pytest.approx(expected, rel=1e-9)


@each_lam
def test_lam_given_equals_lam_found(lam):
    by_theta = RegularizedNMF(**OPTIONS, lam_theta=lam)
    Ht = by_theta.fit_transform(A)
    by_lam = RegularizedNMF(**OPTIONS, lam=by_theta.lam_)
    assert np.array_equal(by_lam.fit_transform(A), Ht)
    assert np.array_equal(by_lam.components_, by_theta.components_)


def test_the_fit_that_finds_the_weight_does_not_warn_beside_the_one_that_uses_it():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        RegularizedNMF(3, max_iter=1, random_state=0).fit(A)
    assert [warning.category for warning in caught] == [ConvergenceWarning]


# ------------------------------------------------------------------ broken on purpose


def accepted_too_early(W, H, lam):
    """A long step that is tried *before* the columns are normalized."""

    def cost(V):
        return ((X - V @ H) ** 2).sum() / 2 + lam * V.sum()

    mu = 20 * regularized.safe_length(W, H)
    while cost(np.maximum(W - mu * slope(W, H, lam), 0)) > cost(W):
        mu /= 2
    return regularized.unit_columns(W - mu * slope(W, H, lam))


def test_a_rise_is_caught():
    W, H, history = regularized.unit_columns(W0), H0, []
    for _ in range(60):
        history.append(((X - W @ H) ** 2).sum() / 2 + W.sum())
        W = accepted_too_early(W, H, 1.0)
        H = H * (W.T @ X) / (W.T @ W @ H)
    with pytest.raises(AssertionError, match="raises the objective"):
        checks.decreases(history)

"""LocalNMF and RegularizedNMF: what their updates decrease, what they do not, where they end.

That they are the paper's boxes, to rounding, is tested in test_papers.py.
"""

import numpy as np
import pytest

from rnmf_tutorial import LocalNMF, RegularizedNMF, checks
from rnmf_tutorial.estimators.local import local_objective
from tests.problems import objective_at, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
A = positive((11, 8), seed=0)
X, W0, H0 = A.T, positive((8, 3), 1), positive((3, 11), 2)


def divergence(X, Y):
    return (X * np.log(X / Y) - X + Y).sum()


# ------------------------------------------------------------------ what falls


def test_local_nmf_is_stationary_at_convergence():
    W, H = checks.iterates(LocalNMF(2, max_iter=40000, tol=1e-14, random_state=0), A)[-1]
    R = X / (W @ H)
    assert checks.kkt_residual(H, H - W.T @ R) < 1e-5
    slope = -R @ H.T  # and the multipliers of the sums, one for each column
    assert checks.kkt_residual(W, slope - (W * slope).sum(axis=0), scale=np.abs(slope).max()) < 1e-5


# ------------------------------------------------------------------ what does not fall


def test_the_published_objective_can_rise_whatever_its_constants():
    """The divergence and the overlap both rise in one sweep, and the length of H is constant."""
    expected = divergence(X, W0 @ H0) + 0.3 * (W0.T @ W0).sum() - 0.7 * np.trace(H0 @ H0.T)
    assert local_objective(X, W0, H0, 0.3, 0.7) == pytest.approx(expected, rel=1e-12)
    assert local_objective(X, W0, H0) == local_objective(X, W0, H0, 1.0, 1.0)

    small = np.array([[1.0, 4.0], [0.0, 1.0]])
    start = np.array([[4.0, 1.0], [4.0, 2.0]]), np.array([[3.0, 1.0], [1.0, 2.0]])
    model = LocalNMF(2, init=start, max_iter=2, tol=0)
    before, after = checks.iterates(model, small.T)[1:]
    for alpha in (0, 1e-3, 1, 1e3):
        for beta in (0, 1e-3, 1, 1e3):
            values = [local_objective(small, *pair, alpha, beta) for pair in (before, after)]
            assert values[1] > values[0]
    checks.decreases(model.fit(small.T).objective_history_)


# ------------------------------------------------------------------ a sparse basis


def slope(W, H, lam):
    """Return the gradient in W of (10)."""
    return (W @ H - X) @ H.T + lam


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


@pytest.mark.parametrize("lam", [0.0, 0.1, 1.0, 10.0])
def test_regularized_nmf_is_stationary_at_convergence(lam):
    model = RegularizedNMF(2, lam=lam, max_iter=40000, tol=1e-15, random_state=1)
    H = model.fit_transform(A).T
    W = model.components_.T
    G, scale = slope(W, H, lam), (H @ H.T).max() + lam
    assert checks.kkt_residual(W, G - W * (W * G).sum(axis=0), scale=scale) < 1e-6
    assert checks.kkt_residual(H, W.T @ (W @ H - X), scale=scale) < 1e-4


def test_a_column_taken_to_zero_becomes_one_pixel():
    """Where the printed steps divide zero by zero, the nearest point is a corner; J still falls."""
    options = {"max_iter": 60, "tol": 0, "random_state": 0}
    model = RegularizedNMF(3, lam=1e4, **options).fit(A)
    assert ((model.components_ == 0) | (model.components_ == 1)).all()
    checks.decreases(model.objective_history_)
    W = W0.copy()
    W[:, 1] = 0
    model = RegularizedNMF(3, lam=0.1, init=(W, H0), **options).fit(A)
    assert np.allclose(np.linalg.norm(model.components_, axis=1), 1, rtol=1e-14)
    checks.decreases(model.objective_history_)

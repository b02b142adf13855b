"""RegularizedNMF: its gradient and where it ends. Its steps are in test_papers.py."""

import numpy as np
import pytest

from rnmf_tutorial import RegularizedNMF, checks
from tests.problems import objective_at, positive

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

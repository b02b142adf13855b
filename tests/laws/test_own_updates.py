"""Models with updates of their own: what these decrease, what they do not, where they end.

That LocalNMF and RegularizedNMF are the paper's boxes, to rounding, is tested in
test_papers.py.
"""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from rnmf_tutorial import L1NMF, RegularizedNMF, checks
from tests.problems import positive

A = positive((11, 8), seed=0)
X, W0, H0 = A.T, positive((8, 3), 1), positive((3, 11), 2)


# ------------------------------------------------------------------ a sparse basis


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


# ------------------------------------------------------------------ absolute errors


def encoded(X, W):
    """Return the coefficients that the model finds for the columns of X by the basis W."""
    model = L1NMF(W.shape[1], max_iter=1, tol=0, random_state=0).fit(np.ones_like(X).T)
    model.components_ = W.T
    return model.transform(X.T).T


def smallest_errors(X, W):
    """Return the smallest sum of absolute errors of each column, by SciPy."""
    m, r = W.shape
    costs = np.concatenate([np.zeros(r), np.ones(2 * m)])
    split = np.hstack([W, np.eye(m), -np.eye(m)])
    return np.array(
        [scipy.optimize.linprog(costs, A_eq=split, b_eq=x).fun for x in X.T]
    )


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), exponent=st.sampled_from([-6, 0, 6]))
def test_l1_coefficients_equal_linear_programming(seed, exponent):
    rng = np.random.default_rng(seed)
    m, n, r = rng.integers(2, 12), rng.integers(1, 7), rng.integers(1, 6)
    r = min(r, m, n)
    W = rng.random((m, r)) * (rng.random((m, r)) < 0.7)
    X = rng.random((m, n)) * (rng.random((m, n)) < 0.7)
    if seed % 3 == 0:
        X[:, 0] = W @ rng.random(r)  # fits exactly
    scale = 10.0**exponent
    H = encoded(scale * X, W)
    assert np.isfinite(H).all() and H.min() >= 0
    found = np.abs(X - W @ H / scale).sum(axis=0)
    best = smallest_errors(X, W)
    assert (np.abs(found - best) <= 1e-9 * np.maximum(best, 1)).all()


def test_l1_nmf_ends_where_neither_factor_can_be_improved():
    model = L1NMF(3, tol=1e-9, random_state=0)
    A = positive((30, 12), seed=0)
    Ht = model.fit_transform(A)
    value = model.objective_history_[-1]
    assert model.n_iter_ > 61  # after the sixty smoothed sweeps
    checks.decreases(model.objective_history_)
    assert smallest_errors(A.T, model.components_.T).sum() == pytest.approx(
        value, rel=1e-7
    )
    assert smallest_errors(A, Ht).sum() == pytest.approx(value, rel=1e-7)

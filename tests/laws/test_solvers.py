"""Nesterov's method: least squares of all columns at once, with weights, and what builds on it."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from rnmf_tutorial import NMF, NeNMF, TruncatedCauchyNMF, solvers
from rnmf_tutorial.models.truncated import OUTLIER_RULES
from tests.problems import positive, spoiled_start

pytestmark = pytest.mark.filterwarnings("ignore")
A, X, W0, H0 = spoiled_start(11)
few = settings(max_examples=20)


def problem(seed, sign=1.0):
    """Draw W ≥ 0 with zeros, data of any sign or non-negative, weights with zeros; m > r."""
    rng = np.random.default_rng(seed)
    r = int(rng.integers(1, 7))
    m, n = r + int(rng.integers(3, 9)), int(rng.integers(1, 9))
    W = rng.random((m, r)) * (rng.random((m, r)) < 0.8) + 0.01
    X = rng.standard_normal((m, n)) if sign < 0 else rng.random((m, n))
    Q = rng.random((m, n)) * (rng.random((m, n)) < 0.8) + 1e-3
    return X, W, Q, rng


def scipys(X, W, Q=None):
    """Return the same minimizers, column by column, by SciPy's active sets."""
    roots = np.ones_like(X) if Q is None else np.sqrt(Q)
    columns = zip(X.T, roots.T, strict=True)
    return np.array(
        [scipy.optimize.nnls(q[:, None] * W, q * x)[0] for x, q in columns]
    ).T


def squares(X, W, H, Q=1.0, axis=0):
    return (Q * (X - W @ H) ** 2).sum(axis=axis)


# ------------------------------------------------------------------ least squares


@few
@given(seed=st.integers(0, 10**6), sign=st.sampled_from([1.0, -1.0]))
def test_both_solvers_equal_active_sets(seed, sign):
    X, W, Q, rng = problem(seed, sign)
    exact = scipys(X, W)
    weighted = scipys(X, W, Q)
    for start in (None, rng.uniform(0, 3, exact.shape)):
        H = solvers.nnls(W.T @ W, W.T @ X, start, tol=1e-14, max_iter=800)
        assert H.min() >= 0
        assert np.abs(H - exact).max() <= 1e-8 * max(1, np.abs(exact).max())
    H = solvers.weighted_nnls(X, W, Q, tol=1e-14, max_iter=200000)
    assert np.abs(H - weighted).max() <= 1e-6 * max(1, np.abs(weighted).max())
    assert (
        squares(X, W, H, Q) <= squares(X, W, weighted, Q) * (1 + 1e-12) + 1e-14
    ).all()


@few
@given(seed=st.integers(0, 10**6))
def test_every_normal_matrix_from_one_product_and_bounds_of_their_eigenvalues(seed):
    _, W, Q, _ = problem(seed)
    W[:, -1] *= seed % 2  # a column of zeros, half of the time
    grams = solvers.weighted_grams(W, Q)
    np.testing.assert_allclose(grams, [W.T @ np.diag(q) @ W for q in Q.T], rtol=1e-12)
    largest = np.linalg.eigvalsh(grams)[:, -1]
    assert (solvers.lipschitz_bound(grams) <= 1.5 * largest).all()
    for bounds in (solvers.lipschitz_bound(grams), solvers.lipschitz_bounds(W, Q)):
        assert (bounds >= largest * (1 - 1e-12)).all()


@few
@given(seed=st.integers(0, 10**6), most=st.integers(1, 12))
def test_no_column_ends_higher_however_few_the_steps(seed, most):
    X, W, Q, rng = problem(seed)
    start = rng.uniform(0, 3, (W.shape[1], X.shape[1]))
    rounding = 1e-12 * ((X**2).sum() + ((W @ start) ** 2).sum())
    before = squares(X, W, start)
    alone, together = (
        squares(
            X,
            W,
            solvers.nnls(W.T @ W, W.T @ X, start, tol=1e-14, max_iter=most, together=t),
        )
        for t in (False, True)
    )
    assert (
        alone <= before + rounding
    ).all() and together.sum() <= before.sum() + rounding
    H = solvers.improve_H(X, W, start, Q)
    assert (squares(X, W, H, Q) <= squares(X, W, start, Q) + rounding).all()
    V = solvers.improve_W(X, W, start, Q)
    assert (squares(X, V, start, Q, 1) <= squares(X, W, start, Q, 1) + rounding).all()


def test_together_all_columns_are_one_problem_with_the_matrix_in_blocks():
    X, W, _, rng = problem(4)
    gram = W.T @ W
    B = W.T @ X
    start = rng.uniform(0, 3, B.shape)
    n = B.shape[1]
    start[:, 0] = (
        scipys(X[:, :1], W)[:, 0] + 0.01
    )  # on its own this column would stop early
    blocks = np.kron(np.eye(n), gram)
    one = (B.T.reshape(-1, 1), start.T.reshape(-1, 1))
    for tol in (0.3, 0.03):
        found = solvers.nnls(gram, B, start, tol=tol, together=True)
        whole = solvers.nnls(blocks, *one, tol=tol).reshape(n, -1).T
        np.testing.assert_allclose(found, whole, rtol=1e-8, atol=1e-11)
    exact = {"tol": 1e-13, "max_iter": 100000}
    alone, together = (
        solvers.nnls(gram, B, together=t, **exact) for t in (False, True)
    )
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-11)


# ------------------------------------------------------------------ NeNMF


def test_nenmf_is_below_the_updates_after_every_sweep_and_frees_zeros():
    A = positive((11, 8), seed=0)
    options = {"max_iter": 30, "tol": 0, "random_state": 0}
    fast = NeNMF(4, **options).fit(A)
    slow = NMF(4, solver="mu", **options).fit(A)
    assert (fast.objective_history_[1:] < slow.objective_history_[1:]).all()
    assert np.abs(fast.transform(A) - scipys(A.T, fast.components_.T).T).max() < 1e-5
    start = {"init": (W0, 0 * H0), "max_iter": 1, "tol": 0}
    assert NeNMF(3, **start).fit_transform(A).any()
    with pytest.raises(ValueError, match="zeros only in W0 or in H0"):
        NMF(3, solver="mu", **start).fit(A)


# ------------------------------------------------------------ the truncated Cauchy loss


@pytest.mark.parametrize("solver", ["nesterov", "cd"])
@pytest.mark.parametrize("outliers", OUTLIER_RULES)
def test_a_rule_hears_how_many_sweeps_are_done_and_what_it_found_is_shown(
    outliers, solver
):
    heard = []

    def rule(sizes, scale, done):
        heard.append((sizes.shape, scale, done))
        return OUTLIER_RULES[outliers](sizes, scale, done)

    model = TruncatedCauchyNMF(
        3, outliers=rule, max_iter=4, tol=0, solver=solver, init=(W0, H0)
    )
    E = A - model.fit_transform(A) @ model.components_
    assert [done for *_, done in heard] == [0, 1, 2, 3, 4]
    assert heard[-1] == (X.shape, model.scale_, 4)
    assert np.array_equal(model.outliers_, np.abs(E) > model.threshold_)
    expected = np.where(model.outliers_, 0, 1 / (1 + (E / model.scale_) ** 2))
    np.testing.assert_allclose(model.weights_, expected, rtol=1e-9)

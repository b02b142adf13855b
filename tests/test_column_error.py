"""L1RobustNMF: the proofs of its update and of its projection, and its best error."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st
from rnmf_tutorial.models.errors import l1_robust
from rnmf_tutorial.models.errors.l1_robust import SignedErrors, blocks_of_columns, shrink_columns

from rnmf_tutorial import L1RobustNMF, checks
from rnmf_tutorial.arrays import inner, ratio
from rnmf_tutorial.papers import diaz
from tests.problems import data, hidden, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
A = positive((11, 8), seed=0)
X = A.T
LAMBDAS = [0.04, 0.5, 0.8, 1.0, 3.0]


@pytest.mark.parametrize("lam", LAMBDAS)
def test_the_coupling_block(lam):
    """Outside the diagonal λ, on it λ - 1; its absolute value is λ, and λ + c on the diagonal."""
    *_, K = diaz.stacked(X, positive((8, 2), 1), lam)
    c = abs(lam - 1) - lam
    expected = lam * np.ones((8, 8)) + c * np.eye(8)
    assert np.allclose(np.abs(K)[2:10, 10:], expected, rtol=1e-14)


@pytest.mark.parametrize("lam", LAMBDAS)
def test_the_blocks_are_the_update_of_the_stacked_matrix(lam):
    W, H, P, N = (positive(shape, k) for k, shape in enumerate([(8, 2), (2, 11), (8, 11), (8, 11)]))
    X_tilde, U, _ = diaz.stacked(X, W, lam)
    V, K = np.vstack([H, P, N]), U.T @ U
    step = V * (K @ V - U.T @ X_tilde) / (np.abs(K) @ V)  # (13)
    found = L1RobustNMF(lam=lam).stacked(X, W, H, P, N)
    np.testing.assert_allclose(np.vstack(found), np.maximum(V - step, 0), rtol=1e-10, atol=1e-12)


def test_the_start_is_the_best_error_and_a_hundredth_of_the_mean_entry():
    W, H, model = positive((8, 2), 1), positive((2, 11), 2), L1RobustNMF(lam=0.1)
    S = shrink_columns(X - W @ H, 0.1)
    missing = np.zeros(X.shape, bool)
    missing[3, 4] = True
    for absent in (None, missing):
        P, N = model.start(X, W, H, absent)
        margin = np.outer(X.sum(axis=1), X.sum(axis=0)) / X.sum() / 100
        if absent is not None:
            margin[3, 4] = 0
        assert S[3, 4] != 0
        there = margin > 0
        np.testing.assert_allclose(P[there], (np.maximum(S, 0) + margin)[there], rtol=1e-12)
        np.testing.assert_allclose(N[there], (np.maximum(-S, 0) + margin)[there], rtol=1e-12)
        assert not P[~there].any()
        assert not N[~there].any()


def test_column_sums_of_single_precision_are_added_in_double():
    rng = np.random.default_rng(0)
    X = rng.random((20000, 3)).astype(np.float32)
    model, zeros = L1RobustNMF(lam=1e-9), np.zeros((20000, 1), np.float32)
    seen = model.look(X, zeros, np.zeros((1, 3), np.float32), None)
    S = shrink_columns(X, 1e-9)
    columns, rest = np.abs(S).sum(axis=0, dtype=float), X - S
    expected = inner(rest, rest) + 1e-9 * (columns @ columns)
    assert seen.objective == pytest.approx(expected, rel=1e-9)


def test_a_full_error_matrix_is_named():
    model, ones, zeros = L1RobustNMF(lam=1e-4), np.ones((4, 5)), np.zeros((4, 5))
    assert model.complaint(ones, None, None, SignedErrors(zeros, zeros)) is None
    said = model.complaint(ones, None, None, SignedErrors(ones, zeros))
    assert said.startswith("100% of the entries count as errors")


def test_where_a_column_fills_the_cache_it_is_a_block(monkeypatch):
    monkeypatch.setattr(l1_robust, "_BLOCK", 5)
    assert list(blocks_of_columns(np.ones((10, 3)))) == [slice(j, j + 1) for j in range(3)]
    assert list(blocks_of_columns(np.ones((2, 3)))) == [slice(0, 2), slice(2, 4)]


def quadratic(seed):
    """Return A = UᵀU with entries of both signs, b = Uᵀx, and the generator."""
    rng = np.random.default_rng(seed)
    U = rng.standard_normal((rng.integers(2, 7), rng.integers(2, 7)))
    return U.T @ U, U.T @ rng.standard_normal(len(U)), rng


def surrogate(Q, b, D):
    """Return F and the separable quadratic that touches it, with curvatures D(v')."""

    def F(v):
        return v @ Q @ v - 2 * b @ v

    def G(v, at):
        step = v - at
        return F(at) + 2 * (Q @ at - b) @ step + (D(Q, at) * step**2).sum()

    return F, G


@given(seed=st.integers(0, 10**6))
def test_absolute_values_majorize(seed):
    Q, b, rng = quadratic(seed)
    F, G = surrogate(Q, b, lambda Q, v: (np.abs(Q) @ v) / v)
    at = rng.uniform(0.01, 2, len(b))
    new = np.maximum(0, at - at * (Q @ at - b) / (np.abs(Q) @ at))  # (13)
    points = [*rng.uniform(0, 5, (50, len(b))), np.zeros(len(b)), new]
    shift = 1 + abs(F(at)) + max(abs(F(v)) for v in points)  # keeps the losses away from zero
    checks.majorizes(lambda v, a: G(v, a) + shift, lambda v: F(v) + shift, at, points)
    assert all(G(v, at) >= G(new, at) - 1e-10 * shift for v in points)


def test_signed_values_do_not():
    """With A in the place of |A| the surrogate cuts below: the absolute value is needed."""
    Q, b = np.array([[2.0, -1.0], [-1.0, 2.0]]), np.zeros(2)
    at = np.array([1.0, 1.5])
    F, G = surrogate(Q, b, lambda Q, v: (Q @ v) / v)
    points = [at + t * np.array([1.0, -1.0]) for t in (0.1, 0.5, 1.0)]
    with pytest.raises(AssertionError, match="below"):
        checks.majorizes(lambda v, a: G(v, a) + 9, lambda v: F(v) + 9, at, points)


@given(problem=data(), lam=st.sampled_from(LAMBDAS))
def test_every_half_step_descends_and_keeps_the_constraints(problem, lam):
    A, r, scale = problem
    X, model = A.T / scale, L1RobustNMF(lam=lam)
    rng = np.random.default_rng(r)
    W, H = rng.uniform(0.1, 1, (len(X), r)), rng.uniform(0.1, 1, (r, X.shape[1]))
    P, N = rng.uniform(0, 2, (2, *X.shape))
    P = np.minimum(P, X + N)
    values = [model.objective(X, W, H, SignedErrors(P, N))]
    for _ in range(5):
        W = W * ratio(np.maximum(X - P + N, 0) @ H.T, W @ (H @ H.T))
        values.append(model.objective(X, W, H, SignedErrors(P, N)))
        H, P, N = model.stacked(X, W, H, P, N)
        values.append(model.objective(X, W, H, SignedErrors(P, N)))
        P = np.minimum(P, X + N)
        values.append(model.objective(X, W, H, SignedErrors(P, N)))
        assert min(W.min(), H.min(), P.min(), N.min()) >= 0
        assert (X - P + N).min() >= -1e-15
    checks.decreases(np.maximum(values, 1e-12))


@given(seed=st.integers(0, 10**6))
def test_projection_lowers_both_terms_entry_by_entry(seed):
    rng = np.random.default_rng(seed)
    X, WH = np.where(rng.random((2, 6, 9)) < 0.2, 0, rng.random((2, 6, 9)))
    P, N = rng.uniform(0, 3, (2, 6, 9)) * (rng.random((2, 6, 9)) < 0.7)
    Q = np.minimum(P, X + N)
    assert (X - Q + N).min() >= -1e-15
    assert np.allclose(Q - N, np.minimum(P - N, X), atol=1e-15)
    assert (np.abs(X - Q + N - WH) <= np.abs(X - P + N - WH) + 1e-14).all()
    assert (Q >= 0).all() and (Q <= P).all()


@given(seed=st.integers(0, 10**6), lam=st.sampled_from(LAMBDAS))
def test_shrink_columns_is_the_minimizer(seed, lam):
    rng = np.random.default_rng(seed)
    e = rng.standard_normal(rng.integers(1, 9)) * rng.choice([0.0, 1.0, 5.0])
    s = shrink_columns(e[:, None], lam)[:, 0]

    def value(s):
        return ((e - s) ** 2).sum() + lam * np.abs(s).sum() ** 2

    # An independent route: bounded quasi-Newton over the positive and the negative part.
    k = len(e)
    found = scipy.optimize.minimize(
        lambda v: ((e - v[:k] + v[k:]) ** 2).sum() + lam * v.sum() ** 2,
        np.ones(2 * k),
        bounds=[(0, None)] * (2 * k),
        options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 2000},
    )
    assert value(s) <= found.fun * (1 + 1e-12) + 1e-15
    assert value(s) == pytest.approx(found.fun, rel=1e-6, abs=1e-9)


def test_the_best_error_needs_no_projection():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((6, 30)) < 0.3, 0, rng.random((6, 30)))
    WH = 2 * rng.random((6, 30))
    for lam in LAMBDAS:
        assert (X - shrink_columns(X - WH, lam)).min() >= -1e-15


def test_the_split_error_becomes_the_best_error():
    final = {}
    model = L1RobustNMF(
        3,
        max_iter=20000,
        tol=0,
        random_state=0,
        callback=lambda _, W, H, state: final.update(W=W, H=H, P=state.P, N=state.N),
    ).fit(A)
    W, H, P, N = final.values()
    best = shrink_columns(X - W @ H, model.lam)
    assert np.linalg.norm(P - N - best) < 1e-3 * np.linalg.norm(best)
    assert np.minimum(P, N).max() < 1e-6 * max(P.max(), N.max())


def test_data_and_fit_scale_together_with_one_lambda():
    options = {"max_iter": 25, "tol": 0, "random_state": 0}
    one, big = L1RobustNMF(2, **options), L1RobustNMF(2, **options)
    Ht, Gt = one.fit_transform(A), big.fit_transform(1024 * A)
    assert np.allclose(big.inverse_transform(Gt), 1024 * one.inverse_transform(Ht), rtol=1e-10)
    assert np.allclose(big.objective_history_, 1024**2 * one.objective_history_, rtol=1e-10)


def test_blocks_cover_every_column_once():
    for shape in ((3, 50000), (100000, 7), (5, 1)):
        covered = np.zeros(shape[1], int)
        for j in blocks_of_columns(np.broadcast_to(0.0, shape)):
            covered[j] += 1
        assert (covered == 1).all()


def test_a_fit_with_a_tolerance_ends_at_the_best_coefficients_for_its_basis():
    options = {"lam": 0.2, "max_iter": 100, "random_state": 0}
    swept = L1RobustNMF(3, tol=0, **options)
    settled = L1RobustNMF(3, tol=1e-8, **options)
    Ht = settled.fit_transform(A)
    assert np.array_equal(swept.fit(A).components_, settled.components_)
    assert np.array_equal(swept.objective_history_, settled.objective_history_)
    assert np.abs(settled.transform(A) - Ht).max() < 1e-7
    S = settled.error_.T
    value = ((X - settled.components_.T @ Ht.T - S) ** 2).sum()
    value += settled.lam * (np.abs(S).sum(axis=0) ** 2).sum()
    assert value < settled.objective_history_[-1]


# ------------------------------------------------------------------ sabotaged updates


class NoProjection(L1RobustNMF):
    """Without X - S >= 0, the update of W meets negative data."""

    def sweep(self, X, W, H, now):
        W = W * ratio((X - now.S) @ H.T, W @ (H @ H.T))
        H, P, N = self.stacked(X, W, H, now.P, now.N)
        return W, H, SignedErrors(P, N)


class NoAbsoluteValues(L1RobustNMF):
    """|A| replaced by A in the denominators."""

    def stacked(self, X, W, H, P, N):
        X_tilde, U, _ = diaz.stacked(X, W, self.lam)
        V = np.vstack([H, P, N])
        V = np.maximum(0, V * ratio(U.T @ X_tilde, U.T @ U @ V))
        return np.split(V, np.cumsum([W.shape[1], len(X)]))


class PenaltyForgotten(L1RobustNMF):
    """The column sums are left out of the update of P and N."""

    def stacked(self, X, W, H, P, N):
        return L1RobustNMF.stacked(L1RobustNMF(lam=1e-12), X, W, H, P, N)


def test_without_the_projection_W_turns_negative():
    rng = np.random.default_rng(0)
    W, H = rng.uniform(0.1, 1, (8, 2)), rng.uniform(0.1, 1, (2, 11))
    P, N = X + 1, 0.01 * X
    assert NoProjection().sweep(X, W, H, SignedErrors(P, N))[0].min() < 0
    P = np.minimum(P, X + N)
    assert L1RobustNMF().sweep(X, W, H, SignedErrors(P, N))[0].min() >= 0


@pytest.mark.parametrize("Sabotaged", [NoAbsoluteValues, PenaltyForgotten])
def test_descent_catches(Sabotaged):
    model = Sabotaged(3, max_iter=30, tol=0, random_state=0).fit(A)
    with pytest.raises(AssertionError):
        checks.decreases(model.objective_history_)


def test_single_precision_stays_single():
    E = (X - 0.5).astype("f4")
    thresholds = l1_robust.column_thresholds(E, 0.3)
    assert thresholds.dtype == shrink_columns(E, 0.3).dtype == "f4"
    assert thresholds == pytest.approx(l1_robust.column_thresholds(E.astype(float), 0.3), rel=1e-6)


def test_the_coefficients_at_the_end_are_found_from_the_last_ones():
    """Of two equal components any split is best: the last one stays."""
    W, H = np.repeat(positive((8, 1), 1), 2, axis=1), np.array([[3.0, 0.5], [1.0, 2.0]])
    found = L1RobustNMF(2).final_coefficients(W @ H, W, H)
    assert found == pytest.approx(H, rel=1e-12)


def test_an_encoding_takes_fifty_steps(monkeypatch):
    calls, thresholds = [], l1_robust.column_thresholds
    monkeypatch.setattr(
        l1_robust, "column_thresholds", lambda *now: calls.append(now) or thresholds(*now)
    )
    L1RobustNMF(2).encode(X, positive((8, 2), 1), positive((2, 11), 2))
    assert len(calls) == 50


@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_the_coefficients_at_the_end_are_the_best_for_the_known_entries(solver):
    gaps = np.where(hidden(A.shape, 0.3), np.nan, A)
    model = L1RobustNMF(2, lam=0.2, solver=solver, max_iter=100, tol=1e-7, random_state=0)
    Ht = model.fit_transform(gaps)
    for a, h in zip(gaps, Ht, strict=True):
        known = ~np.isnan(a)

        def value(h, a=a[known], W=model.components_.T[known]):
            e = a - W @ h
            s = shrink_columns(e[:, None], 0.2)[:, 0]
            return ((e - s) ** 2).sum() + 0.2 * np.abs(s).sum() ** 2

        best = scipy.optimize.minimize(value, h + 0.1, bounds=[(0, None)] * 2, tol=1e-12).fun
        assert value(h) <= best * (1 + 1e-9)


def test_an_error_matrix_that_is_three_quarters_full_is_not_yet_named():
    W, H, S = positive((8, 2), 1), positive((2, 12), 2), np.zeros((8, 12))
    S.ravel()[:72] = 1
    model, B = L1RobustNMF(2), positive((8, 12), 3)
    assert model.complaint(B, W, H, SignedErrors(S, np.zeros_like(S))) is None
    S[7, 11] = 1
    said = model.complaint(B, W, H, SignedErrors(S, np.zeros_like(S)))
    assert said.startswith("76% of the entries count as errors")

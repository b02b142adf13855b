"""LocalNMF: what its updates decrease, what they do not, and why H is computed anew."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st
from rnmf_tutorial.models.bases.local import local_objective
from rnmf_tutorial.models.distances import kl_divergence
from rnmf_tutorial.models.plain.nmf import Reconstruction

from rnmf_tutorial import LocalNMF, checks
from rnmf_tutorial.arrays import product, ratio
from rnmf_tutorial.papers import regularized
from tests.problems import data, positive

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
A = positive((11, 8), seed=0)
X = A.T
OPTIONS = {"n_components": 3, "max_iter": 60, "tol": 0, "random_state": 0}


def minimized(x, W, h):
    """Return Σ x log(x / Wh) + ½‖h‖² of one sample, by definition."""
    return float((x * np.log(x / (W @ h))).sum() + h @ h / 2)


# ------------------------------------------------------------------ what falls


def test_one_pass_of_the_box_entry_by_entry():
    _, W, H, _ = LocalNMF(2, init=(positive((8, 2), 1), positive((2, 11), 2))).begin(A)
    m, n = X.shape
    WH, new_H = W @ H, np.empty_like(H)
    for k in range(2):
        for j in range(n):
            new_H[k, j] = np.sqrt(H[k, j] * sum(X[i, j] * W[i, k] / WH[i, j] for i in range(m)))
    WH, new_W = W @ new_H, np.empty_like(W)
    for k in range(2):
        for i in range(m):
            top = sum(X[i, j] * new_H[k, j] / WH[i, j] for j in range(n))
            new_W[i, k] = W[i, k] * top / new_H[k].sum()
        new_W[:, k] /= new_W[:, k].sum()
    W, H = next(regularized.lnmf(X, W, H))
    assert np.allclose(H, new_H, rtol=1e-12) and np.allclose(W, new_W, rtol=1e-12)


def shares(W, h):
    return W * h / (W @ h)[:, None]


@given(seed=st.integers(0, 10**6))
def test_the_update_of_H_minimizes_a_surrogate(seed):
    rng = np.random.default_rng(seed)
    m, r = rng.integers(2, 8), rng.integers(1, 5)
    W, x, h = rng.random((m, r)) + 0.01, rng.random(m) + 0.01, rng.random(r) + 0.01
    W /= W.sum(axis=0)
    new = LocalNMF().sweep(x[:, None], W, h[:, None], Reconstruction((W @ h)[:, None]))[1][:, 0]

    def surrogate(v, h):
        share = shares(W, h)
        logs = np.log(W * v) - np.log(share)
        return float((x * np.log(x)).sum() - (x[:, None] * share * logs).sum() + v @ v / 2)

    points = [h * rng.uniform(0.01, 3, r) for _ in range(50)] + [new]
    checks.majorizes(surrogate, lambda v: minimized(x, W, v), h, points, rtol=1e-9)
    best = surrogate(new, h)
    assert all(surrogate(v, h) >= best - 1e-12 * abs(best) for v in points)


@given(seed=st.integers(0, 10**6))
def test_the_normalized_update_of_W_minimizes_a_surrogate_among_columns_of_sum_one(seed):
    rng = np.random.default_rng(seed)
    m, n, r = rng.integers(2, 8), rng.integers(1, 6), rng.integers(1, 5)
    X, W, H = (rng.random(shape) + 0.01 for shape in ((m, n), (m, r), (r, n)))
    W /= W.sum(axis=0)
    step = LocalNMF()
    new, new_H, _ = step.sweep(X, W, H, Reconstruction(W @ H))

    def surrogate(V, W):
        each = [
            X[:, j] @ np.log(X[:, j])
            - (
                X[:, [j]]
                * (share := shares(W, new_H[:, j]))
                * (np.log(V * new_H[:, j]) - np.log(share))
            ).sum()
            for j in range(n)
        ]
        return float(sum(each) + (new_H**2).sum() / 2)

    def loss(V):
        return sum(minimized(X[:, j], V, new_H[:, j]) for j in range(n))

    points = [W * rng.uniform(0.01, 3, W.shape) for _ in range(50)]
    points = [V / V.sum(axis=0) for V in points] + [new]
    checks.majorizes(surrogate, loss, W, points, rtol=1e-9)
    best = surrogate(new, W)
    assert all(surrogate(V, W) >= best - 1e-12 * abs(best) for V in points)


@given(problem=data(scales=(1.0,)))
def test_after_each_update_the_data_fix_the_length_of_h_and_the_sum_of_w(problem):
    A, r, _ = problem
    pairs = checks.iterates(LocalNMF(r, max_iter=15, tol=0, random_state=0), A)
    for W, H in pairs[1:]:
        used = W.sum(axis=0) > 0
        assert np.allclose(W.sum(axis=0), used, rtol=1e-13)
        assert np.allclose((H**2).sum(axis=0), A.sum(axis=1), rtol=1e-10, atol=1e-100)


def test_the_objective_is_a_fit_of_profiles_and_a_price_on_sparse_coefficients():
    """So the coefficients become dense, and parts that all samples share must not overlap."""
    for W, H in checks.iterates(LocalNMF(**OPTIONS), A)[1:]:
        sums, WH = X.sum(axis=0), W @ H
        profiles = [x / x.sum() for x in X.T], [y / y.sum() for y in WH.T]
        fit = [s * (p * np.log(p / q)).sum() for s, p, q in zip(sums, *profiles, strict=True)]
        price = sums * np.log(np.sqrt(3) * np.linalg.norm(H, axis=0) / H.sum(axis=0))
        assert (price >= 0).all()
        expected = sum(fit) + price.sum()
        assert LocalNMF().objective(X, W, H) == pytest.approx(expected, rel=1e-12)


def test_stationary_at_convergence():
    pairs = checks.iterates(LocalNMF(2, max_iter=40000, tol=1e-14, random_state=0), A)
    W, H = pairs[-1]
    R = X / (W @ H)
    assert checks.kkt_residual(H, H - W.T @ R) < 1e-5
    slope = -R @ H.T  # and the multipliers of the sums, one for each column
    assert checks.kkt_residual(W, slope - (W * slope).sum(axis=0), scale=np.abs(slope).max()) < 1e-5


# ------------------------------------------------------------------ what does not fall


def test_the_published_objective_can_rise_whatever_its_constants():
    """The divergence and the overlap both rise in one sweep, and the length of H is constant."""
    X = np.array([[1.0, 4.0], [0.0, 1.0]])
    start = np.array([[4.0, 1.0], [4.0, 2.0]]), np.array([[3.0, 1.0], [1.0, 2.0]])
    model = LocalNMF(2, init=start, max_iter=2, tol=0)
    before, after = checks.iterates(model, X.T)[1:]
    divergence, overlap, length = (
        [local_objective(X, *pair, alpha, beta) for pair in (before, after)]
        for alpha, beta in ((0, 0), (1, 0), (0, 1))
    )
    assert divergence[1] > 1.02 * divergence[0]
    overlap = np.subtract(overlap, divergence)
    assert overlap[1] > 1.02 * overlap[0]
    assert length[0] - divergence[0] == pytest.approx(-X.sum(), rel=1e-12)
    assert length[1] - divergence[1] == pytest.approx(-X.sum(), rel=1e-12)
    for alpha in (0, 1e-3, 1, 1e3):
        for beta in (0, 1e-3, 1, 1e3):
            history = [local_objective(X, *pair, alpha, beta) for pair in (before, after)]
            assert history[1] > history[0]
    checks.decreases(model.fit(X.T).objective_history_)


def test_published_objective_by_its_formula():
    W, H = positive((8, 3), 1), positive((3, 11), 2)
    WH = W @ H
    expected = (X * np.log(X / WH) - X + WH).sum()
    expected += 0.3 * (W.T @ W).sum() - 0.7 * np.trace(H @ H.T)
    assert local_objective(X, W, H, 0.3, 0.7) == pytest.approx(expected, rel=1e-12)


# ------------------------------------------------------------------ units, and H computed anew


def test_units_of_the_data_change_H_by_their_root_and_nothing_else():
    """The same images in other units have another WH / X: a size that means nothing."""
    one, big = (checks.iterates(LocalNMF(**OPTIONS), scale * A)[1:] for scale in (1, 1024))
    for (W, H), (V, G) in zip(one, big, strict=True):
        assert np.allclose(V, W, rtol=1e-9) and np.allclose(G, 32 * H, rtol=1e-9)
    histories = [LocalNMF(**OPTIONS).fit(s * A).objective_history_[1:] for s in (1, 1024)]
    assert np.allclose(histories[1], 1024 * histories[0], rtol=1e-10)


def test_the_coefficients_at_the_end_minimize_the_divergence():
    last = {}
    model = LocalNMF(
        3,
        max_iter=3000,
        tol=0,
        random_state=0,
        callback=lambda i, W, H, state: last.update(H=H.copy()),
    )
    H = model.fit_transform(A).T
    W = model.components_.T
    assert np.array_equal(H, model.transform(A).T)
    assert kl_divergence(X, W @ H) < 0.7 * kl_divergence(X, W @ last["H"])
    assert (W @ H).sum(axis=0) == pytest.approx(X.sum(axis=0), rel=1e-10)
    for j in range(3):
        best = scipy.optimize.minimize(
            lambda h, x=X[:, [j]]: kl_divergence(x, W @ h[:, None]),
            H[:, j] + 0.1,
            bounds=[(1e-9, None)] * 3,
            tol=1e-14,
        ).fun
        assert kl_divergence(X[:, [j]], W @ H[:, [j]]) <= best * (1 + 1e-8)


# ------------------------------------------------------------------ broken on purpose


class WithoutRoot(LocalNMF):
    def sweep(self, X, W, H, now):
        H = H * (W.T @ ratio(X, now.WH))
        W, _, _ = super().sweep(X, W, H, self.start(X, W, H))
        return W, H, self.start(X, W, H)


class NotNormalized(LocalNMF):
    def sweep(self, X, W, H, now):
        H = np.sqrt(H * (W.T @ ratio(X, now.WH)))
        W = W * ratio(ratio(X, product(W, H)) @ H.T, H.sum(axis=1))
        return W, H, self.start(X, W, H)


class OtherNorm(LocalNMF):
    """Gives the columns of W length one instead of sum one."""

    def sweep(self, X, W, H, now):
        W, H, _ = super().sweep(X, W, H, now)
        W = W / np.linalg.norm(W, axis=0)
        return W, H, self.start(X, W, H)


@pytest.mark.parametrize(
    ("Broken", "seed"), [(WithoutRoot, 0), (NotNormalized, 18), (OtherNorm, 0)]
)
def test_a_rise_is_caught(Broken, seed):
    options = OPTIONS | {"random_state": seed}
    with pytest.raises(AssertionError, match="raises the objective"):
        checks.decreases(Broken(**options).fit(A).objective_history_[1:])
    checks.decreases(LocalNMF(**options).fit(A).objective_history_)


def test_the_published_objective_weighs_its_terms_alike_unless_told():
    W, H = positive((len(X), 2), seed=1), positive((2, X.shape[1]), seed=2)
    assert local_objective(X, W, H) == local_objective(X, W, H, 1.0, 1.0)


def test_sums_of_float32_are_taken_in_double():
    """One by one, single precision would lose each of the ones beside the first entry."""
    X, W = np.ones((4097, 2), np.float32), np.ones((4097, 1), np.float32)
    X[0] = W[0] = 2**24
    H, model = np.full((1, 2), 0.5, np.float32), LocalNMF(1)
    WH = W @ H
    exact = X.sum(dtype=float) * (np.log(2) - 1 / 2)  # X is twice WH
    assert kl_divergence(X, WH) == pytest.approx(exact, rel=1e-7)
    assert kl_divergence(X, np.asfortranarray(WH)) == pytest.approx(exact, rel=1e-7)
    double = model.objective(*(M.astype(float) for M in (X, W, H)))
    assert model.objective(X, W, H) == pytest.approx(double, abs=3)

"""`transform` ends at the minimum for the basis, or says that it has not."""

import warnings
from itertools import combinations

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import rnmf_tutorial as rt
from rnmf_tutorial.fitting import Work
from rnmf_tutorial.losses import work_for
from rnmf_tutorial.solvers import best_coefficients, reweighted

# Six bands, so broad that each is nearly a mixture of its neighbors.
CHANNELS = np.arange(300)
CENTERS = np.linspace(80, 220, 6)
BANDS = np.exp(-0.5 * ((CHANNELS - CENTERS[:, None]) / 60) ** 2)
RNG = np.random.default_rng(0)
TRUE = RNG.gamma(1, 1, (40, 6))
SPECTRA = TRUE @ BANDS + 0.01 * RNG.standard_normal((40, 300))
EXACT = np.array([scipy.optimize.nnls(BANDS.T, x)[0] for x in SPECTRA])

# With these, the loss is squares, or its scale is too large to matter.
OF_SQUARES = [
    rt.NMF(6),
    rt.NMF(6, tol=0, max_iter=1),
    rt.NMF(6, solver="mu"),
    rt.NeNMF(6),
    rt.RegularizedNMF(6, lam=0.1),
    rt.L21NMF(6),
    rt.L21NMF(6, group="features"),
    rt.CappedNMF(6, theta=1e6),
    rt.HuberNMF(6, scale=1e6),
    rt.RobustNMF(6, lam=1e6),
    rt.RobustNMF(6, lam=1e6, solver="mu"),
]
ROBUST = [
    rt.HuberNMF(6, scale=0.02),
    rt.HypersurfaceNMF(6, scale=0.02),
    rt.RobustNMF(6, lam=0.04, solver="mu"),
    rt.L1RobustNMF(6, lam=0.05),
    rt.L1RobustNMF(6, lam=0.05, solver="mu"),
]


@pytest.mark.parametrize("model", OF_SQUARES, ids=repr)
def test_the_coefficients_of_broad_spectra_are_those_of_nnls(model):
    X = SPECTRA if model.takes_negative else np.maximum(SPECTRA, 0)
    exact = np.array([scipy.optimize.nnls(BANDS.T, x)[0] for x in X])
    found = model.with_components(BANDS).transform(X)
    np.testing.assert_allclose(found, exact, atol=1e-8)


def test_nnls_is_what_the_noise_allows():
    """Coordinate descent alone ended at 0.31, without a warning."""
    found = rt.NMF(6).with_components(BANDS).transform(SPECTRA)
    assert np.abs(found - TRUE).mean() < 0.12


@pytest.mark.parametrize("model", ROBUST, ids=repr)
def test_the_coefficients_of_broad_spectra_minimize_a_convex_loss(model):
    """The loss with the best errors is smooth: at its minimum, its gradient says so."""
    X = np.maximum(SPECTRA, 0)
    X[3, 100:110] += 5
    model = model.with_components(BANDS).set_params(tol=1e-10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        H = model.transform(X).T
    loss = model._loss_of_new_samples()
    work = work_for(X.T)
    comparison = loss.compare(work, BANDS.T, H)
    pull = BANDS @ (loss.positive_weights(comparison) * (X.T - BANDS.T @ H))
    largest = np.abs(BANDS @ X.T).max()
    assert np.abs(pull[H > 0]).max() < 1e-7 * largest
    assert pull.max() < 1e-7 * largest


def test_the_coefficients_of_counts_minimize_the_divergence():
    counts = np.random.default_rng(1).poisson(100 * TRUE @ BANDS)
    model = rt.NMF(6, loss="kullback-leibler").with_components(BANDS)
    for data in (counts, sp.csr_array(counts)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            H = model.transform(data)
        slope = (counts / (H @ BANDS)) @ BANDS.T / BANDS.sum(axis=1) - 1
        assert np.abs(slope[H > 0]).max() < 1e-6
        assert slope.max() < 1e-6


def test_counts_that_are_nearly_all_zero_are_no_exception():
    rng = np.random.default_rng(0)
    basis = rng.random((8, 200)) * (rng.random((8, 200)) < 0.2)
    counts = rng.poisson(0.1 * rng.gamma(0.3, 1, (40, 8)) @ basis)
    H = rt.NMF(8, loss="kullback-leibler").with_components(basis).transform(counts)
    WH = H @ basis
    quotient = np.divide(counts, WH, out=np.zeros_like(WH), where=counts > 0)
    slope = quotient @ basis.T / basis.sum(axis=1) - 1
    assert slope.max() < 1e-6
    assert not H[counts.sum(axis=1) == 0].any()


# ------------------------------------------------------------------ single problems


def by_all_active_sets(W, x, q):
    """Return the best of the solutions of least squares over each set of columns."""
    best = np.zeros(W.shape[1])
    least = (q * x**2).sum()
    root = np.sqrt(q)
    for size in range(1, W.shape[1] + 1):
        for columns in map(list, combinations(range(W.shape[1]), size)):
            h = np.zeros(W.shape[1])
            some = root[:, None] * W[:, columns]
            h[columns] = np.linalg.lstsq(some, root * x, rcond=None)[0]
            value = (q * (x - W @ h) ** 2).sum()
            if h.min() >= 0 and value < least:
                best = h
                least = value
    return best


@given(st.integers(0, 9999), st.integers(1, 4))
@settings(max_examples=60)
def test_no_set_of_columns_gives_a_better_solution(seed, r):
    rng = np.random.default_rng(seed)
    W = rng.random((8, r))
    X = rng.normal(0.3, 1, (8, 3))
    mask = rng.random((8, 3)) < 0.2
    mask[0] = False
    Q = rng.uniform(0.01, 1, (8, 3))
    gone = np.where(mask, 1e6, X)
    for found, weights in (
        (best_coefficients(Work(X), W), np.ones_like(Q)),
        (best_coefficients(Work(X), W, Q), Q),
        (best_coefficients(Work(gone, mask), W), 1.0 * ~mask),
        (best_coefficients(Work(gone, mask), W, Q), Q * ~mask),
    ):
        for j in range(3):
            expected = by_all_active_sets(W, X[:, j], weights[:, j])
            np.testing.assert_allclose(found[:, j], expected, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_data_have_the_solution_of_dense_ones(weighted):
    rng = np.random.default_rng(0)
    W = rng.random((30, 4))
    X = rng.random((30, 9)) * (rng.random((30, 9)) < 0.3)
    X[:, 2] = 0
    Q = rng.uniform(0.01, 1, X.shape)
    sparse = sp.csc_array(X)
    stored = Q.T[X.T != 0][None]
    dense = best_coefficients(Work(X), W, np.where(X, Q, 1) if weighted else None)
    found = best_coefficients(work_for(sparse), W, stored if weighted else None)
    np.testing.assert_allclose(found, dense, atol=1e-10)
    assert not found[:, 2].any()


def test_columns_that_are_zero_or_alike_do_no_harm():
    W = np.random.default_rng(0).random((9, 4))
    W[:, 1] = 0
    W[:, 3] = W[:, 2]
    X = W @ np.array([[1.0], [5.0], [2.0], [3.0]])
    for work in (Work(X), work_for(sp.csc_array(X))):
        for Q in (None, np.full((1, 9) if sp.issparse(work.X) else (9, 1), 0.5)):
            H = best_coefficients(work, W, Q)
            np.testing.assert_allclose(W @ H, X, rtol=1e-6)
            assert H[1, 0] == 0
    assert not best_coefficients(Work(X), np.zeros_like(W)).any()


# ------------------------------------------------------------------ missing entries


@pytest.mark.parametrize(
    "model",
    [
        rt.NMF(1),
        rt.NMF(1, solver="mu"),
        rt.NMF(1, loss="kullback-leibler"),
        rt.HuberNMF(1, scale=0.1),
        rt.CauchyNMF(1, scale=0.1, solver="mu"),
        rt.HuberNMF(1, scale=0.1, divergence="kullback-leibler"),
        rt.L21NMF(1),
        rt.L1RobustNMF(1, lam=0.1),
    ],
    ids=repr,
)
def test_a_sample_without_its_dominant_entry_has_the_right_coefficient(model):
    """A missing entry that counts as fitted made the steps short: 2.36 in place of 5."""
    basis = np.array([[1e4, 1.0, 2.0, 1.0]])
    sample = 5 * basis
    sample[0, 0] = np.nan
    found = model.with_components(basis).transform(sample)
    assert found[0, 0] == pytest.approx(5, rel=1e-4)


# ------------------------------------------------------------------ warnings


@pytest.mark.parametrize(
    "model",
    [
        rt.CauchyNMF(6, scale=0.02, max_iter=2),
        rt.NMF(6, loss="kullback-leibler", max_iter=2),
        rt.LocalNMF(6, max_iter=2),
    ],
    ids=repr,
)
def test_samples_that_have_not_converged_are_counted_in_a_warning(model):
    X = np.maximum(SPECTRA, 0)
    model = model.with_components(BANDS)
    with pytest.warns(ConvergenceWarning, match=r"of 40 samples .* max_iter") as caught:
        model.transform(X)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(tol=0).transform(X)  # asks for exactly two updates


def test_a_dask_array_warns_too():
    array = pytest.importorskip("dask.array")
    model = rt.CauchyNMF(6, scale=0.02, max_iter=2).with_components(BANDS)
    with pytest.warns(ConvergenceWarning, match="of 20 samples"):
        model.transform(array.from_array(np.maximum(SPECTRA, 0), chunks=(20, 300)))


@pytest.mark.parametrize(
    "model",
    [
        rt.NeNMF(2),
        rt.L1RobustNMF(2),
        rt.CauchyNMF(2, solver="mu", scale="published"),
        rt.TruncatedCauchyNMF(2, solver="nesterov"),
        rt.LocalNMF(2, tol=0),
    ],
    ids=repr,
)
def test_a_slow_fit_returns_the_coefficients_of_transform(model):
    A = np.random.default_rng(0).random((12, 9))
    model = model.set_params(random_state=0, max_iter=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(model.fit_transform(A), model.transform(A))
        history = model.objective_history_
        *_, last = model.sweeps(A)
    np.testing.assert_array_equal(model.components_, last.W.T)
    assert history[-1] == last.objective


@pytest.mark.parametrize("value", [1e3, 1e9, 1e20, 1e36, 1e100])
@pytest.mark.parametrize(
    "model",
    [
        rt.HuberNMF(6, scale=0.02),
        rt.CauchyNMF(6, scale=0.02),
        rt.CIMNMF(6, scale=0.02),
        rt.TruncatedCauchyNMF(6, scale=0.02),
        rt.HypersurfaceNMF(6, scale=0.02),
    ],
    ids=lambda model: type(model).__name__,
)
def test_an_absurd_entry_of_a_new_sample_counts_no_more_than_its_loss_allows(
    model, value
):
    """From some size on, an entry has the same effect; for a redescending loss, none."""
    model = model.set_params(max_iter=1000, tol=1e-6).with_components(BANDS)
    spectra = SPECTRA[:2].copy()
    spectra[1, 150] = value
    found = model.transform(spectra)
    if isinstance(model, rt.HuberNMF | rt.HypersurfaceNMF):
        spectra[1, 150] = 10.0 * SPECTRA.max()
    else:
        spectra[1, 150] = np.nan
    expected = model.transform(spectra)
    np.testing.assert_allclose(found, expected, atol=0.02)
    np.testing.assert_array_equal(found[0], expected[0])


@pytest.mark.parametrize("curve", ["Huber", "Cauchy", "Correntropy", "Hypersurface"])
def test_a_reweighted_step_with_tiny_weights_raises_the_loss_of_no_sample(curve):
    """Some weights are below those that least squares can tell apart from zero."""
    rng = np.random.default_rng(0)
    W = rng.uniform(size=(12, 3))
    X = W @ rng.uniform(size=(3, 40)) * 10.0 ** rng.integers(0, 12, (12, 40))
    loss = rt.losses.WeightedLoss(getattr(rt.losses, curve)(), scale=0.1)
    H = rng.uniform(size=(3, 40))
    before = [loss.total(Work(x), loss.compare(Work(x), W, h)) for x, h in pairs(X, H)]
    H = reweighted(Work(X.copy()), W, H, loss)
    after = [loss.total(Work(x), loss.compare(Work(x), W, h)) for x, h in pairs(X, H)]
    assert np.all(np.array(after) <= np.array(before) * (1 + 1e-12))


def pairs(X, H):
    """Return each sample with its coefficients, both as columns."""
    return [(X[:, [j]].copy(), H[:, [j]]) for j in range(X.shape[1])]

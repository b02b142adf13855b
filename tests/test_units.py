"""With its defaults a fit does not depend on the unit of the data, nor on rows of zeros."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from rnmf_tutorial import (
    CSNMF,
    MCCGR,
    NMF,
    HuberNMF,
    ManifoldDiscriminativeNMF,
    RegularizedNMF,
    RobustManifoldNMF,
    RobustNMF,
    SupervisedNMF,
)
from rnmf_tutorial.models.plain.noise import noise_size
from rnmf_tutorial.models.sizes import counted, median_size, positive_mean
from rnmf_tutorial.models.visits import surveyed
from tests.problems import ESTIMATORS, hidden, positive

pytestmark = pytest.mark.filterwarnings("ignore")

GRAPHS = [CSNMF(), SupervisedNMF(), ManifoldDiscriminativeNMF(), MCCGR(), RobustManifoldNMF()]
DEFAULTS = [model for model in ESTIMATORS if getattr(model, "lam", None) != 1.0] + GRAPHS
CHOOSING = [model for model in DEFAULTS if hasattr(model, "solver")]
SIZES = ["lam_", "scale_", "theta_", "threshold_"]
Y = np.arange(14) % 3


def spoiled(shape=(14, 11), dtype="f8"):
    """Return data with noise, gross errors and zeros, of mean about one."""
    rng = np.random.default_rng(0)
    A = rng.exponential(size=(shape[0], 2)) @ rng.exponential(size=(2, shape[1])) / 2
    A += 0.05 * rng.random(shape)
    A[rng.random(shape) < 0.1] = 6
    A[rng.random(shape) < 0.1] = 0
    return A.astype(dtype)


def fitted(model, A, **options):
    options = {"n_components": 2, "max_iter": 25, "random_state": 0} | options
    model = clone(model).set_params(**options)
    return model, model.fit_transform(A, Y[: len(A)])


@pytest.mark.parametrize("model", DEFAULTS, ids=repr)
@pytest.mark.parametrize(("power", "dtype"), [(-20, "f8"), (20, "f8"), (20, "f4")])
def test_a_fit_by_default_is_that_of_another_unit(model, power, dtype):
    """Scaling by a power of four changes no digit of the data, nor of the start point."""
    A, c = spoiled(dtype=dtype), 2.0**power
    (one, F), (other, G) = (fitted(model, B) for B in (A, (c * A).astype(dtype)))
    ours, theirs = c * (F @ one.components_), G @ other.components_
    assert np.allclose(theirs, ours, rtol=0, atol=(1e-12 if dtype == "f8" else 1e-5) * ours.max())
    rel = 1e-9 if dtype == "f8" else 1e-4
    powers = {"lam_": {CSNMF: -1, MCCGR: -1, RegularizedNMF: 2}.get(type(model), 1)}
    for name in SIZES:
        if hasattr(one, name) and type(model) not in (ManifoldDiscriminativeNMF, RobustManifoldNMF):
            expected = c ** powers.get(name, 1) * getattr(one, name)
            assert getattr(other, name) == pytest.approx(expected, rel=rel)


@pytest.mark.parametrize(("Model", "lam"), [(CSNMF, 1e-5), (SupervisedNMF, 1e-5), (MCCGR, 1.0)])
def test_the_graphs_weigh_what_was_published_on_data_of_mean_one(Model, lam):
    A = spoiled()
    A /= A[A > 0].mean()
    runs = [fitted(Model(**given), A) for given in ({}, {"lam": lam})]
    assert runs[0][0].lam_ == pytest.approx(lam, rel=1e-14)
    assert np.allclose(runs[0][1], runs[1][1], rtol=1e-9)


# ------------------------------------------------------------------ zeros


def padded(M, n_zeros):
    """Return M with rows and columns of zeros, as many as these."""
    return np.pad(M, [(0, n) for n in n_zeros])


@pytest.mark.parametrize("model", CHOOSING, ids=repr)
def test_rows_and_columns_of_zeros_change_no_fit(model):
    """More than half of the padded data are zeros, so that a plain median would be zero.

    Where all weights of a sample are small, or by Nesterov's method, the length of a step depends
    on the entries of zeros too: there, one sweep shows that the sizes do not.
    """
    A = spoiled((40, 30))
    start, F0 = fitted(NMF(solver="cd"), A)
    W, H = start.components_.T, F0.T
    steps = {"init": (W, H), "tol": 0, "max_iter": 1 if model.solver == "nesterov" else 10}
    one, F = fitted(model, A, **steps)
    more = padded(A, (20, 20))
    assert (more == 0).mean() > 0.55
    steps["init"] = padded(W, (20, 0)), padded(H, (0, 20))
    other, G = fitted(model, more, **steps)
    for name in SIZES:
        if hasattr(one, name):
            rel = 0.2 if model.solver == "nesterov" else 1e-9
            assert getattr(other, name) == pytest.approx(getattr(one, name), rel=rel)
    if model.solver != "nesterov":
        ours, theirs = F @ one.components_, G @ other.components_
        assert np.allclose(theirs, padded(ours, (20, 20)), rtol=0, atol=1e-9 * A.max())


def test_the_rows_of_zeros_of_a_graph_model_are_not_counted():
    A = spoiled()
    W, H = positive((11, 2), 1), positive((2, 14), 2)
    scales = [
        fitted(MCCGR(), B, init=(V, H), tol=0)[0].scale_
        for B, V in ((A, W), (padded(A, (0, 30)), padded(W, (30, 0))))
    ]
    assert scales[1] == pytest.approx(scales[0], rel=1e-9)


def test_what_is_counted():
    """By brute force: everything but missing entries and zeros that the fit knows to be zeros."""
    rng = np.random.default_rng(0)
    X = np.asfortranarray(np.where(rng.random((7, 9)) < 0.5, 0, rng.random((7, 9))))
    E = np.where(rng.random((7, 9)) < 0.5, 1e-18, rng.random((7, 9)))
    missing = hidden((7, 9), 0.3)
    expected = [
        E[i, j]
        for j in range(9)
        for i in range(7)
        if not missing[i, j] and (X[i, j] > 0 or E[i, j] > 1e-16)
    ]
    assert counted(X, E, 1e-16, missing).tolist() == expected
    assert counted(X + 1, E, 1e-16) is E and counted(0 * X, 0 * E, 1e-16).size == 63
    assert positive_mean(X) == pytest.approx(X[X > 0].mean(), rel=1e-14)


def test_the_estimated_weight_is_that_of_the_known_entries():
    """What stands in a missing entry changes nothing, and the start point is the fit's own."""
    A, missing = spoiled(), hidden((14, 11), 0.3)
    W, H = positive((11, 2), 1), positive((2, 14), 2)
    gaps = np.where(missing, np.nan, A)
    model, _ = fitted(RobustNMF(), gaps, init=(W, H))
    plain, F = fitted(NMF(solver="cd"), gaps, init=(W, H), max_iter=20, tol=0)
    sizes = np.abs(A - F @ plain.components_)[~missing & (A > 0)]
    zeros = np.abs(A - F @ plain.components_)[~missing & (A == 0)]
    sizes = np.append(sizes, zeros[zeros > 2e-16 * A[~missing].max()])
    assert noise_size(gaps, 2, (W, H)) == pytest.approx(np.median(sizes), rel=1e-9)
    assert model.lam_ / np.median(sizes) == pytest.approx(round(model.lam_ / np.median(sizes)))


def test_the_estimated_weight_has_a_floor_in_the_data():
    A = np.outer(positive(9, 0), positive(8, 1))
    assert noise_size(A, 1, random_state=0) == pytest.approx(A.mean() / 400, rel=1e-12)


def test_the_weight_that_is_given_is_the_one_that_is_shown():
    A = spoiled()
    assert RobustNMF(lam=0.2).lam_ == fitted(RobustNMF(lam=0.2), A)[0].lam_ == 0.2
    with pytest.raises(AttributeError, match="estimates λ when it is fitted"):
        _ = RobustNMF().lam_
    with pytest.raises(TypeError, match="lam must be an instance of"):
        RobustManifoldNMF(lam=None).fit(A)


def test_half_of_the_digits_are_zeros():
    from sklearn.datasets import load_digits

    A = load_digits().data[:300]
    assert 0.45 < (A == 0).mean() < 0.55
    model = HuberNMF(8, solver="cd", max_iter=60, tol=0, random_state=0).fit(A)
    assert model.scale_ > 0.01 * A.mean()


def test_sums_of_float32_are_taken_in_float64():
    A = np.full((1000, 300), 0.1, np.float32)
    exact = float(A[0, 0])
    assert positive_mean(A) == pytest.approx(exact, rel=1e-13)
    total = surveyed(A)[2]
    assert total.dtype == np.float64
    assert total == pytest.approx(A.size * exact, rel=1e-13)


def test_the_fit_behind_the_size_of_the_noise_says_nothing_of_its_few_passes():
    A = spoiled()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        noise_size(A, 2, random_state=0)


@pytest.mark.parametrize("size", range(1, 14))
def test_the_median_size_of_any_number_of_errors(size):
    E = np.random.default_rng(size).standard_normal(size)
    assert median_size(E**2) == pytest.approx(np.median(np.abs(E)), rel=1e-14)


def test_the_mean_of_no_positive_data_is_one():
    assert positive_mean(np.zeros((2, 3))) == positive_mean(np.full(2, np.nan)) == 1

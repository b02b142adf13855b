"""With its defaults a fit does not depend on the unit of the data, nor on rows of zeros."""

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
from rnmf_tutorial.engine import initialize
from tests.laws.test_metamorphic import spoiled
from tests.problems import ESTIMATORS, hidden, positive

pytestmark = pytest.mark.filterwarnings("ignore")

GRAPHS = [CSNMF(), SupervisedNMF(), ManifoldDiscriminativeNMF(), MCCGR(), RobustManifoldNMF()]
DEFAULTS = [model for model in ESTIMATORS if getattr(model, "lam", None) != 1.0] + GRAPHS
CHOOSING = [model for model in DEFAULTS if hasattr(model, "solver")]
SIZES = ["lam_", "scale_", "theta_", "threshold_"]
Y = np.arange(14) % 3


def fitted(model, A, **options):
    options = {"n_components": 2, "max_iter": 25, "random_state": 0} | options
    model = clone(model).set_params(**options)
    return model, model.fit_transform(A, Y[: len(A)])


@pytest.mark.parametrize("model", DEFAULTS, ids=repr)
@pytest.mark.parametrize("dtype", ["f8", pytest.param("f4", marks=pytest.mark.slow)])
def test_a_fit_by_default_is_that_of_another_unit(model, dtype):
    """Scaling by a power of four changes no digit of the data, nor of the start point."""
    A, c = spoiled().astype(dtype), 2.0**20
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


# ------------------------------------------------------------------ start points


@pytest.mark.parametrize("init", ["nndsvd", "nndsvda", "nndsvdar"])
def test_a_start_by_singular_values_is_scikit_learns_where_the_largest_entry_is_one(init):
    """In another unit both factors are as large as the root of the unit says."""
    from sklearn.decomposition._nmf import _initialize_nmf

    X = spoiled().T / spoiled().max()
    theirs = _initialize_nmf(X, 3, init=init, random_state=0)
    for unit in (1.0, 255.0, 1e-6):
        for V, U in zip(initialize(unit * X, 3, init, random_state=0), theirs, strict=True):
            np.testing.assert_allclose(V, np.sqrt(unit) * U, rtol=1e-9, atol=1e-12 * np.sqrt(unit))


@pytest.mark.parametrize("init", ["nndsvd", "nndsvda", "nndsvdar"])
def test_a_start_by_singular_values_is_finite_on_data_of_lower_rank(init):
    """Of a singular value that is rounding, neither half of the pair may have anything."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.random((6, 5)) * (rng.random((6, 5)) < 0.1)
        for V in initialize(X, 4, init, random_state=0):
            assert np.isfinite(V).all() and V.min() >= 0


# ------------------------------------------------------------------ zeros


def padded(M, n_zeros):
    """Return M with rows and columns of zeros, as many as these."""
    return np.pad(M, [(0, n) for n in n_zeros])


@pytest.mark.parametrize("model", CHOOSING, ids=repr)
def test_rows_and_columns_of_zeros_change_no_fit(model):
    """More than half of the padded data are zeros, so that a plain median would be zero.

    Where all weights of a sample are small, or by Nesterov's method, the length of a step depends
    on the entries of zeros too, and so does a robust start: there, the sizes are nearly the same.
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
    started = None in (getattr(model, "scale", 1), getattr(model, "lam", 1))
    for name in SIZES:
        if hasattr(one, name):
            rel = 0.2 if model.solver == "nesterov" else 0.02 if started else 1e-9
            assert getattr(other, name) == pytest.approx(getattr(one, name), rel=rel)
    if model.solver != "nesterov" and not started:
        ours, theirs = F @ one.components_, G @ other.components_
        assert np.allclose(theirs, padded(ours, (20, 20)), rtol=0, atol=1e-9 * A.max())


def test_the_estimated_weight_is_that_of_the_known_entries():
    """By hand: four times the median error of a robust start, but for zeros known to be zeros."""
    A, missing = spoiled(), hidden((14, 11), 0.3)
    W, H = positive((11, 2), 1), positive((2, 14), 2)
    gaps = np.where(missing, np.nan, A)
    model, _ = fitted(RobustNMF(), gaps, init=(W, H))
    known = A[~missing]
    start = HuberNMF(scale=np.median(known[known > 0]) / 20)
    start, F = fitted(start, gaps, init=(W, H), max_iter=300, tol=1e-5)
    sizes = np.abs(A - F @ start.components_)[~missing]
    counted = (A[~missing] > 0) | (sizes > 2e-16 * A[~missing].max())
    assert model.lam_ == pytest.approx(4 * np.median(sizes[counted]), rel=1e-9)


def test_the_weight_that_is_given_is_the_one_that_is_shown():
    A = spoiled()
    assert fitted(RobustNMF(lam=0.2), A)[0].lam_ == 0.2
    with pytest.raises(AttributeError, match="lam_"):
        _ = RobustNMF().lam_
    with pytest.raises(TypeError, match="lam must be an instance of"):
        RobustManifoldNMF(lam=None).fit(A)

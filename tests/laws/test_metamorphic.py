"""What a change of the data must do to a fit, of every exported estimator, by its public face.

Another order, another unit, rows of zeros, another dtype, gaps, labels by another name.
"""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

import rnmf_tutorial
from rnmf_tutorial import (
    CSNMF,
    MCCGR,
    NMF,
    ManifoldDiscriminativeNMF,
    MaskedSearchCV,
    RegularizedNMF,
    RobustManifoldNMF,
    RobustNMF,
    SupervisedNMF,
    TruncatedCauchyNMF,
)
from rnmf_tutorial.engine import Point, initialize
from rnmf_tutorial.estimators.noise import robust_start
from tests.problems import ESTIMATORS, GRAPH_ESTIMATORS, hidden, positive

pytestmark = pytest.mark.filterwarnings("ignore")

R = 2
SHORT = {"n_components": R, "max_iter": 25, "random_state": 0}
Y = np.arange(14) % 3


def spoiled(shape=(14, 11)):
    """Noise, gross errors and zeros; the mean is about one."""
    rng = np.random.default_rng(0)
    A = rng.exponential(size=(shape[0], R)) @ rng.exponential(size=(R, shape[1])) / 2
    A += 0.05 * rng.random(shape)
    A[rng.random(shape) < 0.1] = 6
    A[rng.random(shape) < 0.1] = 0
    return A


A = spoiled()
OTHERS = spoiled((60, 11))[14:]
W0 = 0.1 + np.random.default_rng(1).random((11, R))
H0 = 0.1 + np.random.default_rng(2).random((R, 14))


def every_estimator():
    """All that is exported, with its defaults, and with each solver that it has."""
    exported = [getattr(rnmf_tutorial, name) for name in rnmf_tutorial.__all__]
    kinds = [kind for kind in exported if inspect.isclass(kind) and issubclass(kind, BaseEstimator)]
    for kind in kinds:
        if kind is not MaskedSearchCV:
            options = {"n_components": R, "max_iter": 30, "tol": 0, "random_state": 0}
            model = kind(**options)
            solvers = {"nesterov", "cd"} if kind is TruncatedCauchyNMF else {"mu", "cd"}
            for solver in sorted(solvers) if hasattr(model, "solver") else [None]:
                yield kind(**options, **({"solver": solver} if solver else {}))
    yield NMF(loss="kullback-leibler", **options)


MODELS = list(every_estimator())
WITH_GAPS = [model for model in MODELS if model.__sklearn_tags__().input_tags.allow_nan]
QUICK = {"NMF", "HuberNMF", "CSNMF"}


def each(models):
    """One test a model, slow but for a few."""
    tests = []
    for model in models:
        marks = [pytest.mark.slow] * (type(model).__name__ not in QUICK)
        name = f"{type(model).__name__} {getattr(model, 'solver', '')}"
        tests.append(pytest.param(model, marks=marks, id=name))
    return pytest.mark.parametrize("model", tests)


def fitted(model, A, y=Y, **options):
    model = clone(model).set_params(**options)
    return model, model.fit_transform(A, y)


def reconstruction(model, A, y=Y, **options):
    model, Ht = fitted(model, A, y, **options)
    return model.inverse_transform(Ht)


def same(one, other, rel=1e-6):
    np.testing.assert_allclose(one, other, rtol=0, atol=rel * np.abs(other).max())


@each(MODELS)
def test_a_sample_is_encoded_alone_as_among_others(model):
    model, _ = fitted(model, A, max_iter=10)
    together = model.transform(OTHERS)
    alone = [model.transform(sample) for sample in OTHERS[:, None]]
    same(np.vstack(alone), together)
    same(model.transform(OTHERS[::-1])[::-1], together)


@each([model for model in MODELS if not hasattr(model, "window")])  # to it, order is all
def test_features_in_another_order_give_the_parts_in_that_order(model):
    order = np.random.default_rng(3).permutation(11)
    one, F = fitted(model, A, init=(W0, H0), max_iter=10)
    other, G = fitted(model, A[:, order], init=(W0[order], H0), max_iter=10)
    same(G, F)
    same(other.components_, one.components_[:, order])


@each(MODELS)
def test_samples_in_another_order_give_the_coefficients_in_that_order(model):
    order = np.random.default_rng(4).permutation(14)
    one, F = fitted(model, A, init=(W0, H0), max_iter=10)
    other, G = fitted(model, A[order], Y[order], init=(W0, H0[:, order]), max_iter=10)
    same(G, F[order])
    same(other.components_, one.components_)


@each(MODELS)
def test_labels_by_another_name_are_the_same_labels(model):
    names = np.array(["c", "a", "b"])
    same(reconstruction(model, A, names[Y]), reconstruction(model, A))


@each(MODELS)
def test_the_order_in_memory_and_whether_it_may_be_written_change_nothing(model):
    one = reconstruction(model, A)
    same(reconstruction(model, np.asfortranarray(A)), one, 1e-12)
    wide = np.zeros((28, 22))
    wide[::2, ::2] = A
    view = wide[::2, ::2]
    view.flags.writeable = False
    same(reconstruction(model, view), one, 1e-12)


@each(MODELS)
def test_float32_gives_float32_and_nearly_the_same_numbers(model):
    single = A.astype(np.float32)
    one, F = fitted(model, single, max_iter=5)
    kinds = {F.dtype, one.components_.dtype, one.transform(single).dtype}
    assert kinds == {np.dtype(np.float32)}
    same(F @ one.components_, reconstruction(model, A, max_iter=5), 1e-3)


@each(WITH_GAPS)
def test_missing_entries_are_the_same_as_nan_and_behind_a_mask(model):
    mask = np.random.default_rng(5).random(A.shape) < 0.2
    mask[np.arange(14), np.arange(14) % 11] = False
    one = reconstruction(model, np.where(mask, np.nan, A))
    for behind in (mask, mask.astype(int)):
        same(reconstruction(model, np.ma.masked_array(np.where(mask, 1e9, A), behind)), one, 1e-12)


@each(MODELS)
def test_a_second_fit_says_the_same_and_the_data_stay_as_they_were(model):
    before = A.copy()
    one, _ = fitted(model, A)
    same(one.fit(A, Y).components_, clone(model).fit(A, Y).components_, 1e-12)
    np.testing.assert_array_equal(A, before)


# ------------------------------------------------------------------ units

GRAPHS = [type(model)() for model in GRAPH_ESTIMATORS]
DEFAULTS = [model for model in ESTIMATORS if getattr(model, "lam", None) != 1.0] + GRAPHS
CHOOSING = [model for model in DEFAULTS if hasattr(model, "solver")]
SIZES = ["lam_", "scale_", "theta_", "threshold_"]


def run(model, A, **options):
    return fitted(model, A, Y[: len(A)], **SHORT | options)


@pytest.mark.parametrize("model", DEFAULTS, ids=repr)
@pytest.mark.parametrize("dtype", ["f8", pytest.param("f4", marks=pytest.mark.slow)])
def test_a_fit_by_default_is_that_of_another_unit(model, dtype):
    """Scaling by a power of four changes no digit of the data, nor of the start point."""
    A, c = spoiled().astype(dtype), 2.0**20
    (one, F), (other, G) = (run(model, B) for B in (A, (c * A).astype(dtype)))
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
    runs = [run(Model(**given), A) for given in ({}, {"lam": lam})]
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
    start, F0 = run(NMF(solver="cd"), A)
    W, H = start.components_.T, F0.T
    steps = {"init": (W, H), "tol": 0, "max_iter": 1 if model.solver == "nesterov" else 10}
    one, F = run(model, A, **steps)
    more = padded(A, (20, 20))
    assert (more == 0).mean() > 0.55
    steps["init"] = padded(W, (20, 0)), padded(H, (0, 20))
    other, G = run(model, more, **steps)
    started = None in [getattr(model, name, 1) for name in ("scale", "lam", "theta")]
    for name in SIZES:
        if hasattr(one, name):
            rel = 0.2 if model.solver == "nesterov" else 0.02 if started else 1e-9
            assert getattr(other, name) == pytest.approx(getattr(one, name), rel=rel)
    if model.solver != "nesterov" and not started:
        ours, theirs = F @ one.components_, G @ other.components_
        assert np.allclose(theirs, padded(ours, (20, 20)), rtol=0, atol=1e-9 * A.max())


def test_the_estimated_weight_is_that_of_the_known_entries():
    """Three times the median of the errors up to six of itself, but for zeros known to be zeros."""
    A, missing = spoiled(), hidden((14, 11), 0.3)
    W, H = positive((11, 2), 1), positive((2, 14), 2)
    X = np.where(missing, A.mean(), A).T
    start = robust_start(Point(X, W, H, missing=missing.T).fill())
    sizes = np.abs(A.T - start.W @ start.H)[~missing.T]
    sizes = sizes[(A.T[~missing.T] > 0) | (sizes > 2e-16 * A[~missing].max())]
    median = np.median(sizes)
    for _ in range(50):
        median = np.median(sizes[sizes <= 6 * median])
    model, _ = run(RobustNMF(), np.where(missing, np.nan, A), init=(W, H))
    assert model.lam_ == pytest.approx(3 * median, rel=1e-6)  # the fit fills holes in its own way


def test_the_weight_that_is_given_is_the_one_that_is_shown():
    A = spoiled()
    assert run(RobustNMF(lam=0.2), A)[0].lam_ == 0.2
    with pytest.raises(AttributeError, match="lam_"):
        _ = RobustNMF().lam_
    with pytest.raises(TypeError, match="lam must be an instance of"):
        RobustManifoldNMF(lam=None).fit(A)

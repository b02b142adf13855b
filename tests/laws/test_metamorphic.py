"""What a change of the data must do to a fit, of every exported estimator, by its public face."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

import rnmf_tutorial
from rnmf_tutorial import NMF, MaskedSearchCV, TruncatedCauchyNMF

pytestmark = pytest.mark.filterwarnings("ignore")

R = 2
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
    for hidden in (mask, mask.astype(int)):
        same(reconstruction(model, np.ma.masked_array(np.where(mask, 1e9, A), hidden)), one, 1e-12)


@each(MODELS)
def test_a_second_fit_says_the_same_and_the_data_stay_as_they_were(model):
    before = A.copy()
    one, _ = fitted(model, A)
    same(one.fit(A, Y).components_, clone(model).fit(A, Y).components_, 1e-12)
    np.testing.assert_array_equal(A, before)

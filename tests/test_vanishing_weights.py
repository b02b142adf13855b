"""A loss whose weight reaches zero: an outlying sample keeps its coefficients, and finds back."""

import numpy as np
import pytest
from rnmf_tutorial.models import EntrywiseNMF
from rnmf_tutorial.models.weights.samples import no_zeros

from rnmf_tutorial import L21NMF, NMF, CappedNMF, RobustManifoldNMF, checks
from rnmf_tutorial.data import random_low_rank
from tests.problems import positive


class TukeyNMF(EntrywiseNMF):
    """Tukey's biweight: φ(u) = (1 - (1 - u)³) / 3 up to u = 1, then constant."""

    @staticmethod
    def loss(u, q):
        return (1 - (1 - np.minimum(u, 1)) ** 3) / 3

    @staticmethod
    def weight(u, out=None):
        return np.square(1 - np.minimum(u, 1), out=out)


CLEAN = np.outer(positive(9, 0), positive(6, 1))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_a_sample_whose_entries_are_all_outliers_is_not_lost(dtype):
    A = CLEAN.astype(dtype)
    far = np.full((6, 1), 3, dtype), np.full((1, 9), 3, dtype)
    model = TukeyNMF(1, scale=0.5, init=far, max_iter=400, tol=0)
    assert np.allclose(model.inverse_transform(model.fit_transform(A)), A, rtol=1e-3)


def test_one_outlying_sample_has_the_coefficients_of_plain_least_squares():
    A = CLEAN.copy()
    A[4] = 50 * positive(6, 2)
    basis = NMF(1, tol=1e-12, random_state=0).fit(CLEAN).components_
    model = TukeyNMF(1, scale=0.2, init=(basis.T, np.ones((1, 9))), max_iter=200, tol=0)
    Ht = model.fit_transform(A)
    assert (model.weights_[4] < 1e-90).all()
    w = model.components_[0]
    assert Ht[4, 0] == pytest.approx(A[4] @ w / (w @ w), rel=1e-9)
    checks.decreases(model.objective_history_)


def test_the_loss_is_the_integral_of_the_weight():
    u = np.linspace(0.05, 1.5, 30)
    slope = (TukeyNMF.loss(u + 1e-6, None) - TukeyNMF.loss(u - 1e-6, None)) / 2e-6
    assert np.allclose(slope, TukeyNMF.weight(u), atol=1e-6)


@pytest.mark.parametrize(
    "model", [CappedNMF(3, theta=0.3), L21NMF(3), RobustManifoldNMF(3, lam=0.1)]
)
def test_the_weight_of_an_empty_sample_does_not_drown_the_others(model):
    X, _, _ = random_low_rank(9, 13, 3, noise=0.3, random_state=0)
    A = X.T.copy()
    A[2], A[:, 4] = 0, 0
    model.set_params(max_iter=500, tol=0, random_state=0)
    checks.decreases(model.fit(A).objective_history_)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_a_floor_changes_no_weight_but_zero(dtype):
    d = np.array([np.finfo(dtype).max / 4, 2.0, 0.0, 1e-5], dtype)
    floored = no_zeros(d)
    assert (floored[[0, 1, 3]] == d[[0, 1, 3]]).all() and 0 < floored[2] < 1e-12 * d[3]
    assert floored.dtype == dtype and (no_zeros(0 * d) == 1).all()

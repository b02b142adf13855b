"""What the study on sparse bases computes itself: NNSC, reach, and exact encoding."""

import numpy as np
import pytest
from scipy.optimize import nnls

from rnmf_tutorial import checks
from rnmf_tutorial.data import random_low_rank
from studies.sparse.coding import SparseCodingNMF
from studies.sparse.faces import area, least_squares_error, reach


@pytest.mark.parametrize("nu", [0.0, 0.1, 3.0])
def test_nnsc_descends_and_its_columns_have_length_one(nu):
    X, _, _ = random_low_rank(9, 13, 3, noise=0.3, random_state=0)
    for A in (X.T, X):  # the transpose gives a sparse basis
        model = SparseCodingNMF(3, nu=nu, max_iter=300, tol=0, random_state=0).fit(A)
        checks.decreases(model.objective_history_)
        np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1, rtol=1e-12)


def test_reach_of_images_whose_spread_is_known():
    images = np.zeros((3, 7, 5))
    images[0, 2, 3] = 4
    images[1, 1:6, 0:5] = 0.3
    images[2] = 1
    W = images.reshape(3, -1).T
    square, frame = (5**2 + 5**2 - 2) / 12, (7**2 + 5**2 - 2) / 12
    np.testing.assert_allclose(reach(W, (7, 5)), [0, np.sqrt(square / frame), 1], atol=1e-7)
    np.testing.assert_allclose(area(W), [1 / 35, 25 / 35, 1])


def test_the_exact_encoding_is_scipys():
    rng = np.random.default_rng(0)
    A, W = rng.random((6, 8)), rng.random((8, 3))
    error = np.sqrt(sum(nnls(W, a)[1] ** 2 for a in A)) / np.linalg.norm(A)
    np.testing.assert_allclose(least_squares_error(A, W), error, rtol=1e-8)

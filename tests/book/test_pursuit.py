"""Principal component pursuit against a kept library that has it for tensors."""

import numpy as np
import pytest
from tensorly.decomposition import robust_pca

from studies.pursuit import pursuit


@pytest.mark.parametrize("unit", [1.0, 1e3])
def test_the_pursuit_is_tensorlys_with_half_a_price_for_each_of_two_unfoldings(unit):
    draw = np.random.default_rng(0)
    X = draw.random((40, 2)) @ draw.random((2, 30))
    X[draw.random(X.shape) < 0.1] += 3
    X *= unit
    L, S = pursuit(X)
    # of a matrix both unfoldings have the same singular values, so each is charged half
    options = {"tol": 1e-6 * unit, "n_iter_max": 3000, "verbose": 0}
    low, sparse = robust_pca(X, reg_J=0.5, reg_E=1 / np.sqrt(40), **options)
    assert np.abs(L - low).max() < 1e-5 * unit
    assert np.abs(S - sparse).max() < 1e-5 * unit
    assert np.linalg.matrix_rank(L, tol=1e-4 * unit) == 2

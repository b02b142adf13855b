"""Data that stay in a file, and what a fit holds besides the data."""

import tracemalloc
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rnmf_tutorial import NMF, RobustNMF


def test_a_memory_map_that_nothing_may_write_to_is_fitted_like_an_array(tmp_path):
    A = np.random.default_rng(0).random((47, 30))
    np.save(tmp_path / "A.npy", A)
    mapped = np.load(tmp_path / "A.npy", mmap_mode="r")
    model = NMF(4, max_iter=2, tol=0, random_state=0)
    assert np.array_equal(model.fit_transform(mapped), model.fit_transform(A))


PLAIN, ROBUST = NMF(4, solver="cd"), RobustNMF(4, lam=0.6, solver="cd")


@pytest.mark.parametrize(
    ("model", "tol", "arrays"),
    [(PLAIN, 0, 0.3), (ROBUST, 0, 4.2), (ROBUST, 1e-9, 4.2)],
    ids=repr,
)
def test_a_fit_holds_the_data_and_four_arrays(model, tol, arrays):
    A = np.random.default_rng(0).random((1500, 1200), np.float32)
    model = clone(model).set_params(max_iter=3, tol=tol, random_state=0)
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(A)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < arrays * A.nbytes

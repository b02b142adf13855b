"""Data that stay in a file."""

import numpy as np

from rnmf_tutorial import NMF


def test_a_memory_map_that_nothing_may_write_to_is_fitted_like_an_array(tmp_path):
    A = np.random.default_rng(0).random((47, 30))
    np.save(tmp_path / "A.npy", A)
    mapped = np.load(tmp_path / "A.npy", mmap_mode="r")
    model = NMF(4, max_iter=2, tol=0, random_state=0)
    assert np.array_equal(model.fit_transform(mapped), model.fit_transform(A))

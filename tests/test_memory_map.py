"""A memory map of a file is fitted without a copy."""

import numpy as np

from rnmf_tutorial import NMF

rng = np.random.default_rng(0)
X, W, H = rng.random((30, 47)), rng.random((30, 4)), rng.random((4, 47))


def test_a_file_can_be_fitted_without_a_copy(tmp_path):
    np.save(tmp_path / "A.npy", X.T.copy())
    mapped = np.load(tmp_path / "A.npy", mmap_mode="r")
    seen = []
    model = NMF(4, init=(W, H), max_iter=2, tol=0)
    from_memory = model.fit_transform(X.T.copy())
    model.start = lambda X, W, H: (
        seen.append(np.shares_memory(X, mapped)) or NMF.start(model, X, W, H)
    )
    assert np.array_equal(model.fit_transform(mapped), from_memory)
    assert seen == [True]

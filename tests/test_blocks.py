"""Block by block is the same as at once."""

import numpy as np
import pytest

from rnmf_tutorial import CSNMF, L21NMF, NMF, CauchyNMF, HuberNMF, TruncatedCauchyNMF
from rnmf_tutorial.models.file_sweeps import file_blocks, sweep_in_blocks

rng = np.random.default_rng(0)
X, W, H = rng.random((30, 47)), rng.random((30, 4)), rng.random((4, 47))


def in_blocks(width):
    return [(slice(j, j + width), X[:, j : j + width]) for j in range(0, X.shape[1], width)]


@pytest.mark.parametrize("width", [1, 7, 46, 100])
@pytest.mark.parametrize("model", [NMF(4), HuberNMF(4, scale=0.1), CauchyNMF(4, scale=0.2)])
def test_equal_to_the_sweep_in_memory(model, width):
    W_once, H_once = W, H
    W_blocks, H_blocks = W, H
    state = model.start(X, W, H)
    for _ in range(3):
        W_once, H_once, state = model.sweep(X, W_once, H_once, state)
        W_blocks, H_blocks = sweep_in_blocks(model, in_blocks(width), W_blocks, H_blocks)
    assert np.allclose(W_blocks, W_once, rtol=1e-12, atol=0)
    assert np.allclose(H_blocks, H_once, rtol=1e-12, atol=0)


def test_a_block_left_out_is_noticed():
    model = NMF(4)
    W_once, *_ = model.sweep(X, W, H, model.start(X, W, H))
    W_less, _ = sweep_in_blocks(model, in_blocks(7)[:-1], W, H)
    assert not np.allclose(W_less, W_once, rtol=1e-3)


def test_blocks_of_a_file(tmp_path):
    np.save(tmp_path / "A.npy", X.T.copy())
    found = list(file_blocks(tmp_path / "A.npy", 10))
    assert [j.stop - j.start for j, _ in found] == [10, 10, 10, 10, 7]
    assert np.array_equal(np.hstack([block for _, block in found]), X)


def test_what_cannot_be_swept_is_refused():
    others = (L21NMF(4), CSNMF(4, scale=0.1), TruncatedCauchyNMF(4, scale=0.1))
    for model in (HuberNMF(4), NMF(4, loss="kullback-leibler"), NMF(4, normalize="l2"), *others):
        with pytest.raises(ValueError, match="block by block"):
            sweep_in_blocks(model, in_blocks(10), W, H)


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

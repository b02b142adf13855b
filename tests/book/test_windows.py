"""What the chapter says of windows; their theorem is that of every group, in test_losses.py."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from rnmf_tutorial import NMF, ScaleWarning
from studies.blocks.windows import WindowNMF, Windows, best_predicted
from tests.problems import positive

pytestmark = pytest.mark.filterwarnings("ignore")


def matrix(shape, window):
    """Return K: along each axis, means of a sample that is mirrored at its edges."""
    cubes = np.eye(np.prod(shape)).reshape(*shape, -1)
    for axis, edge in enumerate(window):
        if edge is None:
            cubes = np.broadcast_to(cubes.mean(axis=axis, keepdims=True), cubes.shape)
        else:
            room = [(edge // 2 * (k == axis),) * 2 for k in range(cubes.ndim)]
            wide = np.pad(cubes, room, mode="symmetric")
            cubes = sliding_window_view(wide, edge, axis).mean(axis=-1)
    return cubes.reshape(np.prod(shape), -1)


@pytest.mark.parametrize("shape", [(7,), (5, 4), (3, 4, 2)], ids=str)
@pytest.mark.parametrize("window", [(3, 1, 5), (11, 3, 3), (None, 5, None)], ids=str)
def test_the_means_are_a_symmetric_matrix_whose_rows_sum_to_one(shape, window):
    window = window[: len(shape)]
    K = matrix(shape, window)
    values = positive((np.prod(shape), 3), 0)
    np.testing.assert_allclose(K, K.T, atol=1e-15)
    np.testing.assert_allclose(K.sum(axis=1), 1)
    np.testing.assert_allclose(
        Windows(shape, window).means(values), K @ values, rtol=1e-13
    )


def damaged(seed=0, n=60, r=3, side=10, block=4):
    """Return clean pictures of rank r, the same with a bright block each, and where it is."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:side, :side] / side
    parts = [1 + np.sin(a * y + b * x + c) for a, b, c in 6 * rng.random((r, 3))]
    clean = rng.uniform(0.5, 1, (n, r)) @ np.array(parts).reshape(r, -1)
    A = clean.copy()
    mask = np.zeros((n, side, side), bool)
    for one in mask:
        top, left = rng.integers(0, side - block + 1, 2)
        one[top : top + block, left : left + block] = True
    mask = mask.reshape(n, -1)
    A[mask] = 1.5 * clean.max()
    return clean, A, mask


def test_blocks_are_left_out_and_little_else_and_a_fit_says_how_much():
    clean, A, mask = damaged()
    model = WindowNMF(3, shape=(10, 10), window=3, random_state=0)
    with pytest.warns(ScaleWarning, match=r"3\d% of the sum of the data is left out"):
        restored = model.fit_transform(A) @ model.components_
    assert np.linalg.norm(clean - restored) < 0.02 * np.linalg.norm(clean)
    assert model.weights_[mask].max() == 0 and model.weights_[~mask].mean() > 0.75
    assert A[model.weights_ == 0].sum() / A.sum() == pytest.approx(0.36, abs=0.005)


@pytest.mark.parametrize("seed", range(3))
def test_where_nothing_seems_damaged_it_is_plain_nmf(seed):
    A = np.maximum(
        damaged(seed)[0] + 0.05 * np.random.default_rng(9).standard_normal((60, 100)), 0
    )
    options = {"random_state": 0, "max_iter": 50, "tol": 0}
    windows = WindowNMF(3, shape=(10, 10), **options).fit(A)
    plain = NMF(3, **options).fit(A)
    np.testing.assert_array_equal(windows.components_, plain.components_)
    assert windows.scale_ == np.inf and windows.weights_.min() == 1


@pytest.mark.parametrize(
    ("counted", "most", "limit"),
    [
        ([1, 1, 1.09], [1, 1, 1], -1),  # not by a tenth
        ([1.01, 1, 1.11], [1, 1, 1], 1),  # the best
        (
            [1, 9, 2],
            [2.9, 1, 1],
            0,
        ),  # it costs less on the nine tenths than it wins and a half,
        ([1, 9, 2], [3.1, 1, 1], -1),  # and more
    ],
)
def test_the_limit_that_is_taken(counted, most, limit):
    assert range(3)[best_predicted(*np.square([counted, most]))] == range(3)[limit]


def test_codes_are_numbers_for_any_sample_and_for_one_of_the_fit_those_of_the_fit():
    zeros = WindowNMF(2, scale=0.5, random_state=0).fit(np.zeros((20, 30)))
    assert np.isfinite(zeros.transform(np.ones((2, 30)))).all()
    _, A, _ = damaged()
    A[:, :5] = 0  # so the fit is zero there, and nothing is known of the last sample
    model = WindowNMF(3, shape=(10, 10), window=3, random_state=0, tol=1e-7)
    H = model.fit_transform(A)
    unknown = A[-1].copy()
    unknown[5:] = np.nan
    assert (
        np.isfinite(model.scale_) and np.isfinite(model.transform(unknown[None])).all()
    )
    far = np.linalg.norm((model.transform(A) - H) @ model.components_, axis=1)
    assert np.mean(far < 0.01 * np.linalg.norm(A, axis=1)) > 0.9

"""Beside the rest of the world: filters and trims by hand, damage where it is said to be."""

import numpy as np
import pandas as pd
import pytest

from studies import stored, world


def toy(A, clean, wrong, cube=None):
    return world.Task(A, clean, wrong, 1, A.shape[1:], cube, 0)


def test_the_median_filter_takes_nine_neighbors_of_one_picture_or_of_one_band():
    A = np.random.default_rng(0).random((2, 20))
    found = world.median(toy(A, A, None, ((-1, 4, 5), (1, 3, 3)))).reshape(2, 4, 5)
    for picture, smooth in zip(A.reshape(2, 4, 5), found, strict=True):
        edged = np.pad(picture, 1, "symmetric")
        for i, j in np.ndindex(4, 5):
            assert smooth[i, j] == np.median(edged[i : i + 3, j : j + 3])
    A = np.random.default_rng(0).random((4, 5, 3))
    found = world.median(toy(A.reshape(20, 3), A, None, (A.shape, (3, 3, 1)))).reshape(A.shape)
    assert np.array_equal(found[1, 2], np.median(A[0:3, 1:4], axis=(0, 1)))


def test_clipping_and_trimming_by_hand():
    A = np.array([[0.0, 5], [1, 5], [2, 6], [3, 7], [40, 7]])
    # the quantiles 1/4 and 3/4 of five numbers are the second and the fourth
    assert np.array_equal(world.clipped(A, 0.25), [[1, 5], [1, 5], [2, 6], [3, 7], [3, 7]])
    gone = np.isnan(world.trimmed(A, 0.25))
    assert np.array_equal(gone, np.array([[1, 1], [1, 1], [0, 0], [1, 1], [1, 1]], dtype=bool))
    A[2, 0] = np.nan  # of four numbers, 1/10 lies at 0.3 of the first step; a hole stays one
    left = world.trimmed(A, 0.1)
    assert np.array_equal(left[:, 0], [np.nan, 1, np.nan, 3, np.nan], equal_nan=True)


def test_a_hole_gets_the_median_of_its_feature():
    A = np.array([[1.0, 2], [np.nan, 4], [3, 9], [8, np.nan]])
    assert np.array_equal(world.filled(A), [[1, 2], [3, 4], [3, 9], [8, 4]])


def test_imputing_in_rounds_finds_what_is_hidden_of_low_rank_data():
    rng = np.random.default_rng(0)
    clean = rng.random((30, 2)) @ rng.random((2, 25))
    hidden = rng.random(clean.shape) < 0.1
    A = np.where(hidden, np.nan, clean)
    assert abs(world.imputed(A, 2, 0, rounds=50) - clean)[hidden].max() < 0.02
    assert abs(world.filled(A) - clean)[hidden].max() > 0.2


def test_the_error_leaves_out_whole_wrong_samples():
    clean = np.array([[3.0, 4], [1, 1], [0, 12]])
    Y = np.array([[3.0, 9], [7, 7], [12, 12]])
    wrong = np.array([[1, 0], [1, 1], [0, 0]], dtype=bool)
    assert world.error(toy(clean, clean, wrong), Y) == pytest.approx(1)  # √(5² + 12²) / 13
    assert world.error(toy(clean, clean, None), clean) == 0
    assert world.error(toy(clean, clean, None), 3 * clean) == pytest.approx(2)


@pytest.mark.parametrize("method", ["told: NMF", "told: EM"])
def test_who_is_told_sees_nothing_of_the_wrong_values(method):
    rng = np.random.default_rng(0)
    clean = rng.random((12, 1)) @ rng.random((1, 9))
    wrong = rng.random(clean.shape) < 0.2
    wrong[4] = True
    tasks = (toy(np.where(wrong, value, clean), clean, wrong) for value in (0.0, 50.0))
    answers = [world.answer(method, task) for task in tasks]
    assert np.array_equal(*answers)
    assert world.error(toy(clean, clean, wrong), answers[0]) < 0.02


#: Of all values, in the tasks whose damage has a share.
SHARES = {
    "faces, entries 30": 0.3,
    "faces, shuffled 10": 0.1,
    "faces, gray blocks": 144 / 1024,
    "faces, samples": 0.2,
    "spectra, entries 10": 0.1,
    "spectra, blocks": 0.15,
    "counts, gross 2": 0.02,
}


@pytest.mark.parametrize("name", world.TASKS)
def test_as_much_as_is_said_is_wrong_and_marked_and_nothing_else_is(name):
    task, again, other = (world.task_of(name, seed) for seed in (0, 0, 1))
    assert np.array_equal(task.A, again.A, equal_nan=True)
    assert name == "faces, clean" or not np.array_equal(task.A, other.A, equal_nan=True)
    if name == "faces, noise":
        assert task.wrong is None
    elif name.startswith("counts"):
        rare = (10 + 2 * task.clean + 10 * np.sqrt(task.clean) < task.A) | task.wrong
        assert np.array_equal(rare, task.wrong)
    else:
        assert np.array_equal(task.A[~task.wrong], task.clean[~task.wrong])
    if name == "faces, holes":
        assert np.array_equal(np.isnan(task.A), task.wrong)
    if name in SHARES:
        assert task.wrong.mean() == pytest.approx(SHARES[name], abs=0.003)


def test_shuffled_and_gray_values_are_no_extremes():
    shuffled, gray = (world.task_of(f"faces, {k}", 0) for k in ("shuffled 10", "gray blocks"))
    assert np.isin(shuffled.A, shuffled.clean).all()
    assert set(gray.A[gray.wrong]) == {0.5}
    low, high = np.quantile(gray.clean, [0.05, 0.95])
    assert low < 0.5 < high


def test_every_method_that_can_is_tried_on_every_task_and_draw():
    rows = pd.concat(stored(grid.name) for grid, _ in world.GRIDS)
    assert np.isfinite(rows.error).all() and (rows.error > 0).all() and (rows.cpu >= 0).all()
    tried = rows.groupby(["task", "seed"]).method.agg(list)
    assert set(tried.index) == {(name, seed) for name in world.TASKS for seed in (0, 1, 2)}
    for (name, _), methods in tried.items():
        assert sorted(methods) == sorted(world.methods_of(name))

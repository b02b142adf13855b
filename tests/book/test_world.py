"""Beside the rest of the world: damage where it is said to be, and the stored errors again."""

import re

import numpy as np
import pandas as pd
import pytest

from studies import run, same_rows, stored, world


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
    if percent := re.search(r"(?:entries|shuffled|gross) (\d+)", name):
        assert task.wrong.mean() == pytest.approx(int(percent[1]) / 100, abs=0.003)


def test_shuffled_and_gray_values_are_no_extremes():
    shuffled, gray = (
        world.task_of(f"faces, {k}", 0) for k in ("shuffled 10", "gray blocks")
    )
    assert np.isin(shuffled.A, shuffled.clean).all()
    assert set(gray.A[gray.wrong]) == {0.5}
    low, high = np.quantile(gray.clean, [0.05, 0.95])
    assert low < 0.5 < high


def test_every_method_that_can_is_tried_on_every_task_and_draw():
    rows = pd.concat(stored(grid.name) for grid, _ in world.GRIDS)
    assert (
        np.isfinite(rows.error).all()
        and (rows.error > 0).all()
        and (rows.cpu >= 0).all()
    )
    tried = rows.groupby(["task", "seed"]).method.agg(list)
    assert set(tried.index) == {
        (name, seed) for name in world.TASKS for seed in (0, 1, 2)
    }
    for (name, _), methods in tried.items():
        assert sorted(methods) == sorted(world.methods_of(name))


@pytest.mark.long
@pytest.mark.parametrize("task", ["spectra, blocks", "faces, samples"])
def test_all_filters_trims_and_fits_computed_again_are_those_that_are_stored(task):
    where = {"task": [task], "seed": [0]}
    live = run(world.WORLD, "paper", where=where, n_jobs=1, progress=False)
    assert len(live) > 4
    on = ["task", "seed", "method"]
    same_rows(live, stored(world.WORLD.name), on=on, columns=["error"], rtol=1e-3)

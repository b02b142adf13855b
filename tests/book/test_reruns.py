"""A chapter reruns a slice of the stored rows, and fails if the numbers differ."""

import numpy as np
import pandas as pd
import pytest

from studies import Grid, rerun, rows, run, same_rows

FOUND = {"number": 2.0, "score": 0.5}


def cell(seed, lam):
    return [{"sweep": sweep, **FOUND} for sweep in (0, 1)]


AXES = {"seed": [1], "lam": [1.0, 0.5]}
GRID = Grid("toy", cell, quick=AXES, paper=AXES | {"seed": [0, 1]})


@pytest.fixture
def stored(tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "RESULTS", tmp_path)
    return run(GRID, "paper", results=tmp_path, n_jobs=1, progress=False)


def test_a_rerun_counts_the_rows_that_agree(stored):
    assert rerun(GRID, ["number", "score"]) == 4
    assert rerun(GRID, [], near={"score": 1e-9, "elsewhere": 0.1}, lam=[0.5]) == 2


def test_a_rerun_says_what_differs(stored, monkeypatch):
    monkeypatch.setitem(FOUND, "number", 2.0001)
    monkeypatch.setitem(FOUND, "score", 0.54)
    with pytest.raises(AssertionError, match="number at"):
        rerun(GRID, ["number"])
    assert rerun(GRID, ["number"], rtol=1e-4, near={"score": 0.05}) == 4
    with pytest.raises(AssertionError, match="score of toy is"):
        rerun(GRID, [], near={"score": 0.03})


def test_rows_that_are_not_stored_are_an_error(stored):
    other = Grid("toy", cell, quick=AXES | {"seed": [5]}, paper=AXES)
    with pytest.raises(AssertionError, match="not stored"):
        rerun(other, [])


def test_the_same_rows_may_come_in_any_order_and_lack_the_same_values():
    kept = pd.DataFrame({"seed": [0, 1, 2], "error": [0.5, np.nan, 0.125], "label": [*"abc"]})
    same_rows(kept[1:][::-1], kept, on=["seed"], columns=["error", "label"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.assign(error=f.error * (1 + 2e-10)), "error at {'seed': 0} is .* live but"),
        (lambda f: f.assign(error=f.error.astype(str)), "0.5 live but 0.5 stored"),
        (lambda f: f.assign(seed=f.seed + 9), "No stored row has .*'seed': 9"),
        (lambda f: f[:0], "nothing to compare"),
        (lambda f: pd.concat([f, f]), "Two rows have"),
    ],
)
def test_rows_that_differ_are_told(change, message):
    kept = pd.DataFrame({"seed": [0, 1], "error": [0.5, 0.25], "label": ["a", "b"]})
    with pytest.raises(AssertionError, match=message):
        same_rows(change(kept), kept, on=["seed"], columns=["error", "label"])
    same_rows(kept.assign(error=0.3)[:1], kept, on=["seed"], columns=["error"], rtol=0.5)

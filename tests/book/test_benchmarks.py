"""The benchmarks run at toy size, and what they say of time and targets is read off their rows."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import __main__ as command
from benchmarks.__main__ import GRIDS, measure, report
from benchmarks.floor import FLOORS
from benchmarks.objectives import curve
from benchmarks.problem import MODELS, problem, start_point
from benchmarks.targets import time_to
from rnmf_tutorial import NMF


@pytest.mark.long
def test_everything_runs_at_toy_size(tmp_path, capsys):
    measure(GRIDS, scale="quick", results=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {f"bench-{n}-quick.jsonl" for n in GRIDS}
    report(scale="quick", results=tmp_path)
    printed = capsys.readouterr().out
    assert all(name in printed for name in MODELS)


@pytest.mark.parametrize(("arguments", "folder"), [([], "_build/bench"), (["--store"], "results")])
def test_the_rows_of_the_book_are_replaced_only_when_asked(
    monkeypatch, tmp_path, arguments, folder, capsys
):
    for name, place in {"RESULTS": "results", "SCRATCH": "_build/bench"}.items():
        monkeypatch.setattr(command, name, tmp_path / place)
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "measure", lambda names, results, resume: seen.append(results))
    seen = []
    command.main([*arguments, "sweeps"])
    assert seen == [tmp_path / folder]
    assert f"The rows go to {folder}." in capsys.readouterr().out


def test_every_model_has_a_floor_but_nenmf():
    missing = set(MODELS) - set(FLOORS) - {"NeNMF"}  # its steps on r × r products vary in number
    assert missing == set(), "say in benchmarks/floor.py what a sweep costs at least"


def test_time_to_an_objective():
    curve = pd.DataFrame({"took": [0.0, 1.0, 2.0], "objective": [9.0, 4.0, 3.0]})
    assert [time_to(curve, value) for value in (9, 4, 3.5, 2)] == [0, 1, 2, float("inf")]


def test_a_curve_is_that_of_the_fit_and_ends_at_its_goal():
    A, _, r = problem("toy")
    W, H = start_point(A, r, 0)
    took, objectives, (V, G) = curve(NMF(r, solver="cd"), A, W, H, 20)
    assert len(took) == len(objectives) == 21 and (np.diff(took) >= 0).all()
    assert ((A.T - V @ G) ** 2).sum() == pytest.approx(objectives[-1], rel=1e-9)
    assert len(curve(NMF(r, solver="cd"), A, W, H, 20, goal=objectives[5])[0]) == 6

"""The benchmarks: they run at toy size, and counts of what a sweep computes are the formulas'."""

import numpy as np
import pytest

from benchmarks.__main__ import GRIDS, measure, report
from benchmarks.floor import products
from benchmarks.problem import MODELS
from rnmf_tutorial import HuberNMF
from studies.machinery.operations import count_sweep

m, n, r = 60, 50, 3
rng = np.random.default_rng(0)
A = rng.random((n, r)) @ rng.random((r, m)) + 0.1 * rng.random((n, m))
y = np.arange(n) % 5


@pytest.mark.long
def test_everything_runs_at_toy_size(tmp_path, capsys):
    measure(GRIDS, scale="quick", results=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {f"bench-{n}-quick.jsonl" for n in GRIDS}
    report(scale="quick", results=tmp_path)
    printed = capsys.readouterr().out
    assert all(name in printed for name in MODELS)


@pytest.mark.parametrize("name", sorted(set(MODELS) - {"NeNMF"}))  # whose steps vary in number
def test_products_with_X_are_those_of_the_formulas(name):
    """What is left are products with r × r matrices, and a column of ones."""
    counted = count_sweep(MODELS[name](r, random_state=0), A, y)
    left = counted.multiplications - products(name) * m * n * r
    # residuals formed again, for the errors before and after either update
    avoidable = {"L1NMF": 3}.get(name, 0) * m * n * r
    assert avoidable <= left < avoidable + 5 * r * (r + 1) * (m + n)


def test_huber_by_hand():
    """Six products; for either factor E, E², E²/c², three for Q, its floor, two for Q ⊙.

    Four passes for the loss.
    """
    counted = count_sweep(HuberNMF(r, scale=0.1, solver="mu", random_state=0), A)
    assert counted.multiplications == 6 * m * n * r
    assert counted.passes == 2 * (1 + 1 + 1 + 3 + 1 + 2) + 4

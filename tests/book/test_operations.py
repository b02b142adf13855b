"""Counting what a sweep computes: the counts are those of the formulas, and change nothing."""

import numpy as np
import pytest

from benchmarks.floor import FLOORS, products
from benchmarks.problem import MODELS
from rnmf_tutorial import HuberNMF
from rnmf_tutorial.engine import Point, Run
from studies.operations import _counted, count_sweep

m, n, r = 60, 50, 3
rng = np.random.default_rng(0)
A = rng.random((n, r)) @ rng.random((r, m)) + 0.1 * rng.random((n, m))
y = np.arange(n) % 5


@pytest.mark.parametrize("name", FLOORS)
def test_products_with_X_are_those_of_the_formulas(name):
    """What is left are products with r × r matrices, and a column of ones."""
    counted = count_sweep(MODELS[name](r, random_state=0), A, y)
    left = counted.multiplications - products(name) * m * n * r
    # residuals formed again: for the objective; for the errors before and after either update
    avoidable = {"RobustNMF": 1, "L1NMF": 3}.get(name, 0) * m * n * r
    assert avoidable <= left < avoidable + 5 * r * (r + 1) * (m + n)


def test_huber_by_hand():
    """Six products; for either factor E, E², E²/c², three for Q, its floor, two for Q ⊙.

    Four passes for the loss.
    """
    counted = count_sweep(HuberNMF(r, scale=0.1, solver="mu", random_state=0), A)
    assert counted.multiplications == 6 * m * n * r
    assert counted.passes == 2 * (1 + 1 + 1 + 3 + 1 + 2) + 4


def test_counting_does_not_change_the_numbers():
    model = HuberNMF(r, scale=0.1, random_state=0)
    plain = model.begin(A)
    point = Point(*map(_counted, (plain.point.X, plain.point.W, plain.point.H)))
    counted = Run(point, plain.loss, plain.step).sweep(max_iter=2)
    plain.sweep(max_iter=2)
    assert counted.history == plain.history
    for name in ("W", "H"):
        assert np.array_equal(getattr(counted.point, name), getattr(plain.point, name))
    assert np.array_equal(*(run.loss.weights(run.point) for run in (counted, plain)))

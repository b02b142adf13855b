"""Counting what a sweep computes: the counts are those of the formulas, and change nothing."""

import numpy as np
import pytest

from benchmarks.floor import FLOORS, products
from benchmarks.problem import MODELS
from rnmf_tutorial import NMF, HuberNMF
from rnmf_tutorial.engine import Point, residual
from rnmf_tutorial.losses import Loss
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
    counted = count_sweep(HuberNMF(r, scale=0.1, random_state=0), A)
    assert counted.multiplications == 6 * m * n * r
    assert counted.passes == 2 * (1 + 1 + 1 + 3 + 1 + 2) + 4


def test_counting_does_not_change_the_numbers():
    run = HuberNMF(r, scale=0.1, random_state=0).begin(A)
    counted = Point(*map(_counted, (run.point.X, run.point.W, run.point.H)))
    plain, counted = (run.step(point, run.loss) for point in (run.point, counted))
    assert np.array_equal(counted.W, plain.W) and np.array_equal(counted.H, plain.H)
    assert np.array_equal(run.loss.weights(counted), run.loss.weights(plain))


def test_an_extra_product_is_noticed():
    class FromResiduals(Loss):
        def value(self, point):
            E = residual(point.X, point.W, point.H)
            return float((E**2).sum())

    class Wasteful(NMF):
        def _loss(self, point):
            return FromResiduals()

    once, more = (count_sweep(model(r, random_state=0), A) for model in (NMF, Wasteful))
    assert more.multiplications == once.multiplications + m * n * r
    assert more.passes > once.passes == 0


def test_a_pass_is_over_at_least_half_of_the_data():
    """With five features the factor of the samples has two fifths of their size."""
    assert count_sweep(NMF(2, random_state=0), A[:, :5]).passes == 0
    assert count_sweep(NMF(2, random_state=0), A[:, :4]).passes > 0


def test_a_counted_array_written_over_stays_itself():
    E, F = _counted(np.ones((2, 2))), np.zeros((2, 2))
    assert np.multiply(E, 3, out=E) is E
    assert np.add(E, 1, out=F) is F and F.tolist() == [[4, 4], [4, 4]]

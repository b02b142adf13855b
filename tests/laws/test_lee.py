"""Lee and Seung's boxes: what the package does, and where their theorems end."""

from itertools import islice

import numpy as np
import pytest

from rnmf_tutorial import NMF, checks
from rnmf_tutorial.papers import lee
from studies.lee.grids import COSTS

RNG = np.random.default_rng(3)
V, W, H = (0.1 + RNG.random(shape) for shape in [(9, 7), (9, 2), (2, 7)])


@pytest.mark.parametrize(
    ("box", "loss"), [(lee.euclid, "frobenius"), (lee.divergence, "kullback-leibler")]
)
def test_the_estimator_does_what_the_box_does(box, loss):
    model = NMF(2, loss=loss, solver="mu", init=(W, H), max_iter=30, tol=0)
    theirs = [(U.T, G.T) for G, U in [(model.fit_transform(V.T), model.components_)]]
    *_, last = islice(box(V, W, H), 30)
    for ours, other in zip(last, theirs[0], strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-9)


@pytest.mark.parametrize("cost", COSTS)
def test_the_slope_of_a_cost_is_its_slope(cost):
    _, value, slope = COSTS[cost]
    checks.gradient_matches(lambda U: value(V, U, H), slope(V, W, H), W)


@pytest.mark.parametrize("cost", COSTS)
def test_at_rest_the_slopes_of_a_part_weighted_by_any_part_add_up_to_zero(cost):
    """So one zero alone rests where it should, and of two one may point down."""
    box, value, slope = COSTS[cost]
    start = W.copy()
    start[:2, 0] = 0
    *_, (U, G) = islice(box(V, start, H), 20_000)
    slopes = slope(V, U, G)
    assert abs(U.T @ slopes).max() < 1e-6 * abs(slope(V, start, H)).max()
    assert (U[:2, 0] == 0).all() and slopes[:2, 0].min() < -1e-3
    up = U.copy()
    up[slopes[:2, 0].argmin(), 0] = 1e-3
    assert value(V, up, G) < value(V, U, G)

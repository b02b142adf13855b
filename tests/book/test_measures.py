"""How chapters and studies look into a fit, and what they draw on faces."""

import numpy as np
import scipy.optimize

from rnmf_tutorial import HuberNMF, checks
from rnmf_tutorial.data import random_low_rank
from studies.measures import keep_sweeps, weighted_violation


def test_the_kept_factors_are_those_of_the_sweeps_and_stay():
    X, _, _ = random_low_rank(6, 8, 2, noise=0.3, random_state=0)
    kept, keep = keep_sweeps((0, 3))
    model = HuberNMF(2, max_iter=5, tol=0, random_state=0, callback=keep).fit(X.T)
    assert list(kept) == [0, 3]
    at = list(checks.iterates(model.set_params(callback=None), X.T))
    for sweep, (W, H) in kept.items():
        np.testing.assert_array_equal(W @ H, at[sweep][0] @ at[sweep][1])


def test_the_violation_is_that_of_the_weighted_squares():
    """Zero at scipy's non-negative solution for W, not beside it."""
    rng = np.random.default_rng(0)
    X, H, Q = rng.random((5, 9)), rng.random((3, 9)), rng.uniform(0.1, 1, (5, 9))
    root = np.sqrt(Q)
    W = np.array([scipy.optimize.nnls((H * q).T, q * x)[0] for x, q in zip(X, root, strict=True)])
    assert weighted_violation(X, W, H, Q) < 1e-12
    assert weighted_violation(X.T, np.zeros((9, 5)), np.eye(5), Q.T) > 0.99
    assert weighted_violation(X, W, H, np.ones_like(Q)) > 1e-3

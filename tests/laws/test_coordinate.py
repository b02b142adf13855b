"""Coordinate descent on cleaned data: every step exact, what it promises kept, every loss lower."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls as scipy_nnls

from rnmf_tutorial import losses
from rnmf_tutorial.checks import kkt_residual, same_iterates
from rnmf_tutorial.fitting import Work, iterate
from rnmf_tutorial.losses import KULLBACK_LEIBLER, WeightedLoss, kl_divergence
from rnmf_tutorial.solvers import (
    CoordinateDescent,
    KullbackLeiblerDescent,
    coordinate,
    descend_columns,
    kullback_leibler,
)
from tests.problems import data, positive, updated

M, W0, H0 = positive((9, 20), 0), positive((9, 3), 1), positive((3, 20), 2)
PLAIN = WeightedLoss()
DIVERGENCE = WeightedLoss(divergence=KULLBACK_LEIBLER)


def row_by_row(gram, B, H, rounds):
    """The formula of the docstring, coordinate by coordinate."""
    H = H.copy()
    for _ in range(rounds):
        for k in range(len(H)):
            if gram[k, k] >= np.finfo(gram.dtype).tiny:
                rest = B[k] - np.delete(gram[k], k) @ np.delete(H, k, axis=0)
                H[k] = np.maximum(rest / gram[k, k], 0)
    return H


# ------------------------------------------------------------------ rows


@pytest.mark.parametrize("dead", [(), (0,), (3, 5, 6)])
@pytest.mark.parametrize(
    ("r", "block"), [(1, 2**19), (7, 1), (8, 40), (9, 33), (17, 2**19)]
)
def test_rows_in_groups_and_columns_in_blocks_are_the_plain_loop(
    r, block, dead, monkeypatch
):
    monkeypatch.setattr(coordinate, "BLOCK", block)
    X, W, H = positive((25, 40), 0), positive((25, r), 1), positive((r, 40), 2)
    W[:, [k for k in dead if k < r]] = 0
    gram = W.T @ W
    B = W.T @ X
    for rounds in (1, 3):
        found = coordinate.descend_rows(gram, B, np.asfortranarray(H), rounds)
        expected = row_by_row(gram, B, H, rounds)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)
        assert found.flags.c_contiguous and (
            (found == 0).any() or r == 1 or len(dead) > 0
        )


def test_the_rounds_do_not_leave_the_solution_of_least_squares():
    rng = np.random.default_rng(0)
    W, X = rng.random((9, 4)), rng.random((9, 6))
    exact = np.array([scipy_nnls(W, x)[0] for x in X.T]).T
    found = coordinate.descend_rows(W.T @ W, W.T @ X, exact)
    np.testing.assert_allclose(found, exact, atol=1e-11)


# ------------------------------------------------------------------ one update


KINDS = [(CoordinateDescent, PLAIN), (KullbackLeiblerDescent, DIVERGENCE)]


@given(data(), st.integers(0, 99), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_the_fall_is_that_of_the_weighted_squares(problem, seed, by_sample, by_feature):
    A, r, _ = problem
    X, W, H = A.T, positive((A.shape[1], r), seed), positive((r, A.shape[0]), seed + 1)
    rng = np.random.default_rng(seed)
    d = rng.random(X.shape[1]) if by_sample else None
    f = rng.random(len(X)) if by_feature else None

    class Cleaned(WeightedLoss):
        def cleaned(self, work, comparison):
            return X, f, d

    update = updated(CoordinateDescent(), Cleaned(), X, W, H)
    counts = np.outer(
        np.ones(len(X)) if f is None else f, np.ones(X.shape[1]) if d is None else d
    )
    before, after = (
        (counts * (X - V @ G) ** 2).sum() for V, G in ((W, H), (update.W, update.H))
    )
    assert abs(update.fall - (before - after)) <= 1e-12 * (before + (X**2).sum())
    assert update.fall >= -1e-13 * (before + (X**2).sum())


@pytest.mark.parametrize(("kind", "loss"), KINDS)
def test_units_of_the_components_do_not_matter(kind, loss):
    D = np.array([1e-5, 1.0, 1e4])
    plain = updated(kind(), loss, M, W0, H0)
    scaled = updated(kind(), loss, M, W0 * D, H0 / D[:, None])
    same_iterates([plain.W @ plain.H], [scaled.W @ scaled.H], rtol=1e-11)


PHIS = None, losses.Huber(), losses.Cauchy(), losses.Correntropy()
PROMISING = [(phi, kind, losses.ENTRIES) for phi in PHIS for kind, _ in KINDS]
LENGTHS = (losses.Cauchy(), losses.Root())
LINES = (losses.SAMPLES, losses.FEATURES)
PROMISING += [(phi, CoordinateDescent, group) for phi in LENGTHS for group in LINES]


@pytest.mark.parametrize(("phi", "kind", "group"), PROMISING)
def test_an_update_lowers_the_loss_by_what_it_promises_and_so_does_the_sweep(
    phi, kind, group
):
    """The sweep may end at the extrapolated factors."""
    divergence = KULLBACK_LEIBLER if kind is KullbackLeiblerDescent else losses.SQUARES
    X = M.copy()
    X[3, 4] = X[7, 1] = 30.0
    X[:, 5] *= 40  # every weight of this sample is small
    loss = WeightedLoss(phi, divergence, group, scale=0.3)
    states = list(iterate(Work(X), W0, H0, loss, kind(), max_iter=20))
    for state, following in pairwise(states):
        W, H = state.W, state.H
        before = loss.value(X, W, H)
        Q = loss.weights(X, W, H)
        rounding = 1e-13 * float((X**2 if Q is None else Q * X**2).sum())
        update = updated(kind(), loss, X, W, H)
        work = Work(X)
        alone = kind().update_H(work, loss, loss.compare(work, W, H))
        np.testing.assert_allclose(alone, update.H, rtol=1e-12)
        assert update.fall > 0 or state.number > 2 or rounding > 1e-9 * before
        promised = before - update.fall + rounding
        assert loss.value(X, update.W, update.H) <= promised
        assert loss.value(X, following.W, following.H) <= promised


# ------------------------------------------------------------------ extrapolation


ROBUST = WeightedLoss(losses.Cauchy(), scale=0.1)
EXTRAPOLATING = [(ROBUST, W0, H0, False), (PLAIN, W0**2, H0[::-1], True)]


@pytest.mark.parametrize(("loss", "W", "H", "rejected"), EXTRAPOLATING)
def test_a_sweep_ends_beyond_its_update_as_seen_from_the_update_before(
    loss, W, H, rejected
):
    """Or at its update, where the loss would not be low enough beyond it."""
    X = M
    solver = CoordinateDescent()
    states = list(iterate(Work(X), W, H, loss, solver, max_iter=20))
    updates = [updated(solver, loss, X, state.W, state.H) for state in states]
    np.testing.assert_allclose(states[1].W, updates[0].W, rtol=1e-9)
    np.testing.assert_allclose(states[1].H, updates[0].H, rtol=1e-9)
    accepted = []
    for k, state in enumerate(states[2:], start=2):
        update = updates[k - 1]
        before = updates[k - 2]
        beyond_W = np.maximum(update.W + (update.W - before.W) / 2, update.W / 10)
        beyond_H = np.maximum(update.H + (update.H - before.H) / 2, update.H / 10)
        promised = states[k - 1].objective - update.fall
        accepted.append(loss.value(X, beyond_W, beyond_H) <= promised)
        expected_W = beyond_W if accepted[-1] else update.W
        expected_H = beyond_H if accepted[-1] else update.H
        np.testing.assert_allclose(state.W, expected_W, rtol=1e-9)
        np.testing.assert_allclose(state.H, expected_H, rtol=1e-9)
    assert accepted[0] and rejected == (not all(accepted))


# ------------------------------------------------------------------ the divergence


def slow_step(m, W, h):
    """One damped step for one column, as the docstring of the module writes it."""
    y = W @ h
    slope = W.T @ (m / y) - W.sum(axis=0)
    hessian = (W.T * (m / y**2)) @ W
    new = h.copy()
    for _ in range(kullback_leibler.MODEL_ROUNDS):
        for k in range(len(h)):
            if W[:, k].any():
                rest = slope[k] + hessian[k] @ (h - new) + hessian[k, k] * new[k]
                new[k] = max(rest / max(hessian[k, k], 1e-150), 0)
    d = new - h
    s = np.where(m > 0, W @ d / y, 0)
    sigma = max(-s.min(), 0)
    v = (m * s**2).sum()
    g = max(slope @ d, 0)
    t = 1 if g <= 0 or v + g * sigma <= g else g / (v + g * sigma)
    return h + t * d, t * g / 2


@pytest.mark.parametrize("seed", range(6))
def test_columns_take_the_step_of_the_proof_and_fall_by_more_than_it_says(
    seed, monkeypatch
):
    """A block at a time, and where it takes no step each column is at its minimum."""
    monkeypatch.setattr(kullback_leibler, "MODEL_BLOCK", 60 if seed < 3 else 2**19)
    rng = np.random.default_rng(seed)
    X, W, H = (
        rng.random((9, 14)) * 10.0 ** rng.integers(-3, 4),
        W0.copy(),
        9 * rng.random((3, 14)),
    )
    X[rng.random(X.shape) < 0.3] = 0
    X[:, 3] = 0
    if seed % 2:
        W = np.insert(W, 1, 0, axis=1)
        H = np.insert(H, 1, 7, axis=0)
    else:
        H[1] = 0  # a zero can become positive
    Y = W @ H
    found, drop = descend_columns(X, W, H, Y)
    expected = [slow_step(x, W, h) for x, h in zip(X.T, H.T, strict=True)]
    np.testing.assert_allclose(
        found, np.array([h for h, _ in expected]).T, rtol=1e-9, atol=1e-12
    )
    assert drop == pytest.approx(sum(fall for _, fall in expected), rel=1e-9)
    np.testing.assert_allclose(Y, W @ found, rtol=1e-10, atol=1e-12)
    fell = kl_divergence(X, W @ H) - kl_divergence(X, W @ found)
    assert 0 < drop <= fell * (1 + 1e-12)
    if seed % 2:
        assert (found[1] == 7).all()  # every value is a minimizer
    for _ in range(300):
        found, _ = descend_columns(X, W, found, W @ found)
    slopes = W.sum(axis=0)[:, None] - W.T @ (X / np.maximum(W @ found, 1e-300))
    assert kkt_residual(found, slopes, scale=W.sum(axis=0).max()) < 1e-7


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("unit", [2.0**-20, 1, 2.0**20])
def test_from_zero_coefficients_a_column_takes_a_finite_step(dtype, unit):
    X, W, H = (
        (unit * M).astype(dtype),
        (unit * W0).astype(dtype),
        np.zeros(H0.shape, dtype),
    )
    with np.errstate(divide="raise", invalid="raise"):
        for _ in range(60 if dtype == "f4" else 400):  # each about doubles what is tiny
            H, drop = descend_columns(X, W, H, W @ H)
            assert np.isfinite(H).all() and np.isfinite(drop) and H.dtype == dtype
    best = H0
    for _ in range(60):
        best, _ = descend_columns(M, W0, best, W0 @ best)
    at = kl_divergence(X, W @ H)
    least = unit * kl_divergence(M, W0 @ best)
    assert at == pytest.approx(least, rel=1e-2)

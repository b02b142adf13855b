"""Parts found again: data with one factorization, distances by hand, and principal components."""

import numpy as np
import pytest

from studies import recovery
from studies.pursuit import pursuit


def test_every_part_has_a_feature_and_a_sample_of_its_own():
    W, H = recovery.separable(4, 0)
    alone = [np.flatnonzero((W > 0).sum(axis=1) == 1), np.flatnonzero((H > 0).sum(axis=0) == 1)]
    assert {int(W[i].argmax()) for i in alone[0]} == {0, 1, 2, 3}
    assert {int(H[:, j].argmax()) for j in alone[1]} == {0, 1, 2, 3}
    assert W.shape == (60, 4) and H.shape == (4, 40) and min(W.min(), H.min()) == 0
    assert not np.array_equal(W, recovery.separable(4, 1)[0])


def test_as_many_entries_are_spoiled_as_asked_for_and_all_are_possible():
    X = np.random.default_rng(3).random((200, 100))
    assert np.array_equal(recovery.spoil(X, 0.0, 0), X)
    A = recovery.spoil(X, 0.3, 0)
    assert abs((A != X).mean() - 0.3) < 0.02
    assert A.min() >= 0 and A.max() <= X.max()


def test_the_distance_of_parts_knows_no_order_and_no_length():
    W = np.array([[3.0, 0.0, 1.0], [4.0, 2.0, 0.0]])
    assert np.allclose(recovery.distances(5 * W[:, [2, 0, 1]], W), 0, atol=1e-15)
    W0 = np.eye(3)
    turned = np.array([[0.0, 0.6, 0.0], [0.0, 0.8, 0.0], [1.0, 0.0, 0.0]])
    # one part is exact, one is turned, one is missing
    expected = sorted([0, np.hypot(0.6, 0.2), 1])
    assert np.allclose(sorted(recovery.distances(turned, W0)), expected)


def test_the_parts_of_clean_data_are_found():
    found = recovery.cell(0, 0.0, 3, "NMF")
    assert found["error"] < 1e-3 and found["worst_part"] < 1e-2


def test_under_errors_plain_nmf_loses_a_part_and_the_others_do_not():
    worst = {m: recovery.cell(0, 0.1, 4, m)["worst_part"] for m in recovery.METHODS}
    assert worst["NMF"] > 2 * recovery.FOUND
    assert max(worst[m] for m in ("Huber", "Cauchy", "pursuit, NMF")) < recovery.FOUND


@pytest.mark.parametrize("lam", [None, 0.3])
def test_the_pursuit_is_a_minimum_of_its_convex_objective(lam):
    draw = np.random.default_rng(0)
    X = draw.random((12, 2)) @ draw.random((2, 9))
    X[draw.random(X.shape) < 0.1] += 3
    L, S = pursuit(X, lam, mu=10.0, tol=1e-9, max_iter=5000)
    lam = 1 / np.sqrt(12) if lam is None else lam
    assert np.allclose(L + S, X, atol=1e-4)

    def objective(L):
        return np.linalg.norm(L, "nuc") + lam * np.abs(X - L).sum()

    least = objective(L)
    for size in (1e-3, 1e-1, 1):
        for _ in range(20):
            assert objective(L + size * draw.standard_normal(X.shape)) > least
    assert objective(X) > least and objective(np.zeros_like(X)) > least
    if lam == 0.3:
        assert pursuit(X)[1].shape == X.shape and not np.allclose(pursuit(X)[0], L)


def test_the_pursuit_finds_a_rank_and_scattered_errors_exactly_in_any_unit():
    draw = np.random.default_rng(1)
    L0, bad = draw.standard_normal((60, 2)) @ draw.standard_normal((2, 60)), draw.random((60, 60))
    S0 = np.where(bad < 0.05, 5 * np.sign(bad - 0.025), 0)
    for unit in (1.0, 1e6):
        L, S = pursuit(unit * (L0 + S0))
        assert np.linalg.norm(L - unit * L0) < 1e-5 * unit * np.linalg.norm(L0)
        assert np.array_equal(np.abs(S) > 1e-2 * unit, S0 != 0)
    assert all((part == 0).all() for part in pursuit(np.zeros((3, 4))))

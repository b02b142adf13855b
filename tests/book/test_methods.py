"""Methods that studies compute themselves, against brute force, SciPy and a kept library."""

import itertools

import numpy as np
import pytest
from scipy.optimize import nnls
from tensorly.decomposition import robust_pca

from studies import recovery
from studies.guan.error_correction import covered_pixels, sec_predict, smooth_labels
from studies.guan.sparse_representation import sparse_code, src_predict
from studies.machinery.measures import weighted_violation
from studies.machinery.pursuit import pursuit

# ---------------------------------------------------------- how studies look into a fit


# ------------------------------------------------------------------ parts found again


def test_the_violation_is_that_of_the_weighted_squares():
    """Zero at scipy's non-negative solution for W, not beside it."""
    rng = np.random.default_rng(0)
    X, H, Q = rng.random((5, 9)), rng.random((3, 9)), rng.uniform(0.1, 1, (5, 9))
    root = np.sqrt(Q)
    W = np.array([nnls((H * q).T, q * x)[0] for x, q in zip(X, root, strict=True)])
    assert weighted_violation(X, W, H, Q) < 1e-12
    assert weighted_violation(X.T, np.zeros((9, 5)), np.eye(5), Q.T) > 0.99
    assert weighted_violation(X, W, H, np.ones_like(Q)) > 1e-3


def test_the_distance_of_parts_knows_no_order_and_no_length_and_pairs_each_with_one():
    W = np.array([[3.0, 0.0, 1.0], [4.0, 2.0, 0.0]])
    assert np.allclose(recovery.distances(5 * W[:, [2, 0, 1]], W), 0, atol=1e-15)
    turned = np.array([[0.0, 0.6, 0.0], [0.0, 0.8, 0.0], [1.0, 0.0, 0.0]])
    # one part is exact, one is turned, one is missing
    found = recovery.distances(turned, np.eye(3))
    assert np.allclose(sorted(found), sorted([0, np.hypot(0.6, 0.2), 1]))


@pytest.mark.parametrize(("unit", "lam"), [(1.0, None), (1e3, None), (1.0, 0.3)])
def test_the_pursuit_is_tensorlys_with_half_a_price_for_each_of_two_unfoldings(
    unit, lam
):
    draw = np.random.default_rng(0)
    X = draw.random((40, 2)) @ draw.random((2, 30))
    X[draw.random(X.shape) < 0.1] += 3
    X *= unit
    L, S = pursuit(X, lam)
    # of a matrix both unfoldings have the same singular values, so each is charged half
    options = {"tol": 1e-6 * unit, "n_iter_max": 3000, "verbose": 0}
    low, sparse = robust_pca(X, reg_J=0.5, reg_E=lam or 1 / np.sqrt(40), **options)
    assert np.abs(L - low).max() < 1e-5 * unit
    assert np.abs(S - sparse).max() < 1e-5 * unit
    assert lam or np.linalg.matrix_rank(L, tol=1e-4 * unit) == 2
    assert not np.any(pursuit(np.zeros((3, 4))))


# ------------------------------------------------------------------ sparse bases


# ------------------------------------------------------------------ recognition


def test_codes_minimize_the_lasso_objective():
    rng = np.random.default_rng(0)
    D, F = rng.standard_normal((6, 9)), rng.standard_normal((4, 9))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    F /= np.linalg.norm(F, axis=1, keepdims=True)
    Z = sparse_code(3 * D, 5 * F, alpha=0.1)  # the lengths do not matter
    slopes = (Z @ D - F) @ D.T
    assert np.allclose(slopes[Z > 0], -0.1, atol=1e-9)
    assert np.allclose(slopes[Z < 0], 0.1, atol=1e-9)
    assert (np.abs(slopes) <= 0.1 + 1e-9).all() and (Z == 0).any() and (Z != 0).any()
    assert sparse_code(D, F, alpha=0.1, positive=True).min() >= 0


def subjects(rng, n=5, per=4, size=40):
    """Draw two directions per subject; its samples are positive mixtures of them."""
    y = np.repeat(np.arange(n), per)
    directions = rng.random((n, 2, size)) ** 3
    return np.einsum("sk,skf->sf", rng.random((len(y), 2)) + 0.1, directions[y]), y


def test_samples_in_the_span_of_their_subject_are_recognized():
    rng = np.random.default_rng(0)
    A, y = subjects(rng)
    train = np.arange(len(y)) % 4 < 3
    labels = np.array(["e", "d", "c", "b", "a"])[y]
    predicted = src_predict(A[train], labels[train], 7 * A[~train], alpha=1e-3)
    assert predicted.tolist() == labels[~train].tolist()
    with pytest.raises(ValueError, match="features"):
        src_predict(A[train], y[train], A[~train, 1:])


@pytest.mark.parametrize("smoothness", [0.0, 0.3, 0.7, 1.5])
def test_the_cut_is_the_best_of_all_labelings(smoothness):
    rng = np.random.default_rng(0)
    everything = np.array(list(itertools.product([False, True], repeat=12))).reshape(
        -1, 3, 4
    )
    breaks = (everything[:, 1:] != everything[:, :-1]).sum(axis=(1, 2))
    breaks = breaks + (everything[:, :, 1:] != everything[:, :, :-1]).sum(axis=(1, 2))
    for _ in range(20):
        given = rng.random((3, 4)) < rng.random()
        costs = (everything != given).sum(axis=(1, 2)) + smoothness * breaks
        found = smooth_labels(given, smoothness)
        (index,) = np.flatnonzero((everything == found).all(axis=(1, 2)))
        assert costs[index] == pytest.approx(costs.min(), abs=1e-9)


def covered_faces():
    A, y = subjects(np.random.default_rng(1), n=8, size=144)
    A *= 0.5 / A.max()
    mask = np.zeros((12, 12), bool)
    mask[4:8, 1:11] = True
    covered = np.where(mask.ravel(), 0.98, A)
    return A, covered, mask, y


def test_sec_finds_what_covers_a_face_and_recognizes_the_rest():
    A, covered, mask, y = covered_faces()
    train = np.arange(len(y)) % 4 < 3
    found = np.array([covered_pixels(A[train], a, (12, 12)) for a in covered[~train]])
    assert (found == mask.ravel()).mean() > 0.95
    by_src = (src_predict(A[train], y[train], covered[~train]) == y[~train]).mean()
    by_sec = (
        sec_predict(A[train], y[train], covered[~train], (12, 12)) == y[~train]
    ).mean()
    assert by_sec == 1 > by_src


@pytest.mark.parametrize("predict", [src_predict, lambda *a: sec_predict(*a, (12, 12))])
def test_what_cannot_be_recognized_is_refused(predict):
    A, *_, y = covered_faces()
    dark = A.copy()
    dark[2] = 0
    with pytest.raises(ValueError, match="Sample 2 of those to recognize is all zero"):
        predict(A, y, dark)
    assert predict(dark, y, A[:1])[0] == y[0]  # among the others it harms nobody

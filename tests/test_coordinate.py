"""Coordinate descent on the cleaned data: every step exact, every loss descends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rnmf_tutorial.models.errors.l1_robust import shrink_columns
from rnmf_tutorial.models.errors.robust import soft_threshold
from rnmf_tutorial.solvers import coordinate
from rnmf_tutorial.solvers.coordinate import (
    Fit,
    descend_rows,
    fit,
    fit_basis,
    settle_rows,
)
from rnmf_tutorial.solvers.passes import Seen, clean, coordinate_pass, further
from scipy.optimize import minimize, minimize_scalar
from scipy.optimize import nnls as scipy_nnls

from rnmf_tutorial.checks import decreases, kkt_residual, majorizes, same_iterates
from tests.problems import data, positive

#: φ and φ' as functions of u = e², written out once more; at scale 1.
LOSSES = {
    "plain": (lambda u: u, np.ones_like),
    "Huber": (
        lambda u: np.where(u <= 1, u, 2 * np.sqrt(u) - 1),
        lambda u: np.where(u <= 1, 1, 1 / np.sqrt(np.maximum(u, 1))),
    ),
    "hypersurface": (
        lambda u: 2 * u / (1 + np.sqrt(1 + u)),
        lambda u: 1 / np.sqrt(1 + u),
    ),
    "CIM": (lambda u: -2 * np.expm1(-u / 2), lambda u: np.exp(-u / 2)),
    "Cauchy": (np.log1p, lambda u: 1 / (1 + u)),
    "truncated Cauchy": (
        lambda u: np.log1p(np.minimum(u, 9)),
        lambda u: np.where(u <= 9, 1 / (1 + u), 0),
    ),
    "truncated": (lambda u: np.minimum(u, 4), lambda u: np.where(u <= 4, 1.0, 0)),
}
#: The loss of a column as a function of its length, and its derivative by the squared length.
COLUMN_LOSSES = {
    "L21": (lambda s: s, lambda s: 0.5 / s),
    "capped": (
        lambda s: np.minimum(s, 0.7),
        lambda s: np.where(s <= 0.7, 0.5 / s, 0),
    ),
}


def entrywise(name, X, scale, observed=True):
    """Return what an entry-wise loss sees; entries that are not observed have the weight zero."""
    phi, slope = LOSSES[name]

    def look(W, H):
        E = X - W @ H
        u = (E / scale) ** 2
        value = scale**2 * np.where(observed, phi(u), 0).sum()
        return Seen(float(value), *clean(X, E, np.where(observed, slope(u), 0)))

    return look


def sparse_error(X, lam):
    def look(W, H):
        S = soft_threshold(X - W @ H, lam / 2)
        return Seen(float(((X - W @ H - S) ** 2).sum() + lam * np.abs(S).sum()), X - S)

    return look


def column_error(X, lam):
    def look(W, H):
        S = shrink_columns(X - W @ H, lam)
        value = ((X - W @ H - S) ** 2).sum() + lam * (np.abs(S).sum(axis=0) ** 2).sum()
        return Seen(float(value), X - S)

    return look


def columnwise(name, X, scale):
    loss, slope = COLUMN_LOSSES[name]

    def look(W, H):
        lengths = np.linalg.norm(X - W @ H, axis=0) / scale
        # A length below the rounding of the data is none; no weight is infinite.
        lengths = np.maximum(lengths, 1e-15 * np.linalg.norm(X) / scale + 1e-150)
        return Seen(float(loss(lengths).sum()), X, slope(lengths) / scale**2, W.T @ X)

    return look


MODELS = {
    **{name: lambda X, c, name=name: entrywise(name, X, c) for name in LOSSES},
    **{name: lambda X, c, name=name: columnwise(name, X, c) for name in COLUMN_LOSSES},
    "sparse error": lambda X, c: sparse_error(X, c),
    "column error": lambda X, c: column_error(X, 0.3),
    "missing entries": lambda X, c: entrywise("plain", X, c, half_of(X.shape)),
    "missing entries, Cauchy": lambda X, c: entrywise("Cauchy", X, c, half_of(X.shape)),
}


def half_of(shape):
    return np.indices(shape).sum(axis=0) % 2 == 0


def run(look, W, H, passes):
    """Return the objectives, and what the passes end with."""
    seen, before = look(W, H), None
    history = [seen.objective]
    for _ in range(passes):
        W, H, seen, before = coordinate_pass(look, W, H, seen, before)
        history.append(seen.objective)
    return np.array(history), W, H


def descends(history, rtol=1e-10):
    """Check descent; below the rounding of the start's objective there is nothing to see."""
    return decreases(np.maximum(history, 1e-13 * history[0] + 1e-300), rtol)


# ------------------------------------------------------------------------------ one coordinate


@given(data(), st.integers(0, 99))
def test_every_row_in_turn_gets_its_exact_minimizer(problem, seed):
    A, r, _ = problem
    M, W, H = A.T, positive((A.shape[1], r), seed), positive((r, A.shape[0]), seed + 1)
    for k in range(r):  # the row that is updated last has the others in their final state
        order = np.roll(np.arange(r), r - 1 - k)
        V, G = W[:, order], H[order]
        G = descend_rows(V.T @ V, V.T @ M, G, rounds=1)
        for j in range(M.shape[1]):
            rest = M[:, j] - V[:, :-1] @ G[:-1, j]
            best, _ = scipy_nnls(V[:, -1:], rest)
            np.testing.assert_allclose(G[-1, j], best[0], rtol=1e-10, atol=1e-12 * M.max())


def test_no_scalar_search_finds_a_lower_value():
    M, W, H = positive((5, 4), 0), positive((5, 2), 1), positive((2, 4), 2)
    M[:, 1] = [0.0, 0, 0, 0, 1e-3]
    H = descend_rows(W.T @ W, W.T @ M, H, rounds=1)
    for j in range(4):

        def squares(h, j=j):
            return ((M[:, j] - W[:, 0] * H[0, j] - W[:, 1] * h) ** 2).sum()

        found = minimize_scalar(squares, bounds=(0, 10), method="bounded", options={"xatol": 1e-12})
        assert squares(H[1, j]) <= found.fun * (1 + 1e-12)
        assert abs(H[1, j] - found.x) < 1e-6


def test_rounds_are_the_loop_that_the_formula_says():
    M, W, H = positive((7, 5), 0), positive((7, 3), 1), positive((3, 5), 2)
    by_hand = H.copy()
    for _ in range(3):
        for k in range(3):
            others = [i for i in range(3) if i != k]
            rest = M - W[:, others] @ by_hand[others]
            by_hand[k] = np.maximum(W[:, k] @ rest / (W[:, k] @ W[:, k]), 0)
    found = descend_rows(W.T @ W, W.T @ M, H, rounds=3)
    assert (by_hand == 0).any()  # the clip is at work
    np.testing.assert_allclose(found, by_hand, rtol=1e-12, atol=1e-14)


def test_blocks_of_columns_change_nothing(monkeypatch):
    M, W, H = positive((7, 11), 0), positive((7, 3), 1), positive((3, 11), 2)
    whole = descend_rows(W.T @ W, W.T @ M, H)
    for block in (1, 4, 9, 33):
        monkeypatch.setattr(coordinate, "_BLOCK", block)
        np.testing.assert_allclose(descend_rows(W.T @ W, W.T @ M, H), whole, rtol=1e-12)


def test_arguments_stay_as_they_are():
    M, W, H = positive((4, 6), 0), positive((4, 2), 1), positive((2, 6), 2)
    kept = [V.copy() for V in (M, W, H)]
    step = fit(M, W, H, weights=np.ones(6), WtM=W.T @ M)
    further(lambda W, H: Seen(1.0, M), step, Fit(W, H, 0.0), 0.0)
    settle_rows(W.T @ W, W.T @ M, H, tol=1e-3, max_rounds=5)
    for before, after in zip(kept, (M, W, H), strict=True):
        np.testing.assert_array_equal(before, after)


# ------------------------------------------------------------------------------ fixed points


@given(st.integers(0, 999))
def test_settled_rows_are_the_solution_of_nonnegative_least_squares(seed):
    rng = np.random.default_rng(seed)
    W, M = rng.random((9, 4)), rng.random((9, 6))
    M[:, 0] = 0
    gram, B = W.T @ W, W.T @ M
    H = settle_rows(gram, B, rng.random((4, 6)), tol=1e-14, max_rounds=100_000)
    exact = np.array([scipy_nnls(W, m)[0] for m in M.T]).T
    np.testing.assert_allclose(H, exact, atol=1e-9)
    assert kkt_residual(H, gram @ H - B, scale=B.max()) < 1e-10
    np.testing.assert_allclose(descend_rows(gram, B, exact), exact, atol=1e-11)
    assert (H[:, 0] == 0).all()


def test_a_column_settles_by_itself():
    rng = np.random.default_rng(0)
    W, M, H = rng.random((9, 4)), rng.random((9, 6)), rng.random((4, 6))
    gram, B = W.T @ W, W.T @ M
    together = settle_rows(gram, B, H, tol=1e-3, max_rounds=500)
    for j in range(6):
        alone = settle_rows(gram, B[:, [j]], H[:, [j]], tol=1e-3, max_rounds=500)
        np.testing.assert_allclose(together[:, [j]], alone, rtol=1e-12)
    again = descend_rows(gram, B, together, rounds=1)
    change = np.linalg.norm(again - together, axis=0) / np.linalg.norm(again, axis=0)
    assert (change <= 1e-3).all() and (change > 1e-4).any()


def test_max_rounds_is_the_largest_number_of_rounds():
    M, W, H = positive((7, 5), 0), positive((7, 3), 1), positive((3, 5), 2)
    gram, B = W.T @ W, W.T @ M
    stopped = settle_rows(gram, B, H, tol=0.0, max_rounds=3)
    np.testing.assert_allclose(stopped, descend_rows(gram, B, H, rounds=3), rtol=1e-12)


# ------------------------------------------------------------------------------ zeros


def test_a_component_that_is_zero_in_one_factor_comes_back():
    M = np.outer([1.0, 2.0, 3.0], [1.0, 1.0, 2.0, 0.0])
    W, H = np.zeros((3, 1)), np.ones((1, 4))
    step = fit(M, W, H)
    np.testing.assert_array_equal(step.H, H)  # every value is a minimizer: left as it is
    np.testing.assert_allclose(step.W[:, 0], M.sum(axis=1) / 4)
    step = fit(M, step.W, step.H)
    np.testing.assert_allclose(step.W @ step.H, M, atol=1e-12)


@given(data(), st.integers(0, 99))
def test_no_component_dies_for_good(problem, seed):
    A, r, _ = problem
    M, rng = A.T, np.random.default_rng(seed)
    W, H = rng.random((M.shape[0], r)), rng.random((r, M.shape[1]))
    H[0] *= 1e3
    for _ in range(5):
        W, H, _ = fit(M, W, H)
        assert (W.any(axis=0) | H.any(axis=1)).all()


def test_everything_zero_stays_zero_without_a_warning():
    with np.errstate(all="raise"):
        step = fit(np.zeros((3, 4)), np.zeros((3, 2)), np.zeros((2, 4)))
    assert not step.W.any() and not step.H.any() and step.drop == 0


def test_zero_rows_and_columns_of_the_data_get_zero_factors():
    M = positive((5, 6), 0)
    M[2], M[:, 3] = 0, 0
    with np.errstate(all="raise"):
        W, H, _ = fit(M, positive((5, 2), 1), positive((2, 6), 2))
    assert not W[2].any() and not H[:, 3].any()
    assert W[[0, 1, 3, 4]].any(axis=1).all() and H[:, [0, 1, 2, 4, 5]].any(axis=0).all()


def test_a_sample_whose_every_entry_is_an_outlier_keeps_its_coefficients():
    X, W, H = positive((5, 6), 0), positive((5, 2), 1), positive((2, 6), 2)
    Q = np.ones_like(X)
    Q[:, 3] = 0
    M, d = clean(X, X - W @ H, Q)
    H_next = fit(M, W, H, weights=d, rounds=50).H
    np.testing.assert_allclose(H_next[:, 3], H[:, 3], rtol=1e-10)


def test_a_sample_of_small_weights_goes_as_far_as_their_ratios_say():
    """Its weights times a constant are as good: the step is that of the largest weight one."""
    X, W, H = positive((5, 6), 0), positive((5, 2), 1), positive((2, 6), 2)
    Q = positive(X.shape, 3)
    Q[:, 3] /= Q[:, 3].max()
    steps = []
    for small in (1, 1e-9):
        Q[:, 3] *= small
        M, d = clean(X, X - W @ H, Q)
        steps.append(fit(M, W, H, weights=d).H[:, 3])
    np.testing.assert_allclose(steps[0], steps[1], rtol=1e-9)
    assert not np.allclose(steps[1], H[:, 3], rtol=1e-2)


# ------------------------------------------------------------------------------ one pass


@given(data(), st.integers(0, 99), st.booleans())
def test_the_drop_is_that_of_the_weighted_squares(problem, seed, weighted):
    A, r, _ = problem
    M, W, H = A.T, positive((A.shape[1], r), seed), positive((r, A.shape[0]), seed + 1)
    d = np.random.default_rng(seed).random(M.shape[1]) if weighted else np.ones(M.shape[1])
    d[0] = 0
    step = fit(M, W, H, weights=d)
    before, after = (((M - V @ G) ** 2 @ d).sum() for V, G in ((W, H), step[:2]))
    assert abs(step.drop - (before - after)) <= 1e-12 * (before + (M**2).sum())
    assert step.drop >= -1e-13 * (before + (M**2).sum())


def test_weights_are_columns_taken_so_often():
    M, W, H = positive((5, 6), 0), positive((5, 2), 1), positive((2, 6), 2)
    times = np.array([1, 3, 0, 2, 1, 1])
    repeated = fit(np.repeat(M, times, axis=1), W, np.repeat(H, times, axis=1))
    weighted = fit(M, W, H, weights=times.astype(float))
    np.testing.assert_allclose(weighted.W, repeated.W, rtol=1e-12)
    np.testing.assert_allclose(np.repeat(weighted.H, times, axis=1), repeated.H, rtol=1e-12)
    assert abs(weighted.drop - repeated.drop) < 1e-12 * repeated.drop


def test_units_of_the_components_do_not_matter():
    M, W, H = positive((5, 6), 0), positive((5, 3), 1), positive((3, 6), 2)
    D = np.array([1e-5, 1.0, 1e4])
    plain, scaled = fit(M, W, H), fit(M, W * D, H / D[:, None])
    same_iterates([plain.W @ plain.H], [scaled.W @ scaled.H], rtol=1e-12)


def test_a_stale_gram_matrix_is_caught():
    """The mutant of the page: W solved with the H of the pass before."""
    M, W, H = positive((9, 7), 0), positive((9, 3), 1), 3 * positive((3, 7), 2)
    history = []
    for _ in range(5):
        history.append(((M - W @ H) ** 2).sum())
        stale = H
        H = descend_rows(W.T @ W, W.T @ M, H)
        W = descend_rows(stale @ stale.T, H @ M.T, W.T).T
    with pytest.raises(AssertionError, match="raises the objective"):
        decreases(history)


# ------------------------------------------------------------------------------ cleaned data


@pytest.mark.parametrize("name", LOSSES)
def test_squares_on_the_cleaned_data_lie_on_the_loss(name):
    phi, slope = LOSSES[name]
    rng = np.random.default_rng(0)
    X, at = 4 * rng.random((6, 8)), 4 * rng.random((6, 8))
    M, d = clean(X, X - at, slope((X - at) ** 2))
    d = 1 if d is None else d

    def loss(Y):
        return phi((X - Y) ** 2).sum()

    def weighted(Y, at):
        Q, touch = slope((X - at) ** 2), (X - at) ** 2
        return loss(at) + (Q * ((X - Y) ** 2 - touch)).sum()

    def cleaned(Y, at):
        return loss(at) + (d * ((M - Y) ** 2 - (M - at) ** 2)).sum()

    points = [at * rng.random(at.shape) * s for s in np.geomspace(1e-3, 1e3, 30)]
    points += [np.zeros_like(at), X, M, at + 1e-3 * rng.standard_normal(at.shape)]
    majorizes(weighted, loss, at, points)
    majorizes(cleaned, lambda Y: weighted(Y, at), at, points)  # weights are at most d
    assert M.min() >= 0


def test_a_weight_above_one_breaks_the_surrogate():
    X, at = np.array([[1.0]]), np.array([[0.0]])
    M, _ = clean(X, X - at, np.array([[2.0]]))  # the loss 2e²

    def cleaned(Y, at):
        return 2 * ((X - at) ** 2).sum() + ((M - Y) ** 2).sum() - ((M - at) ** 2).sum()

    with pytest.raises(AssertionError, match="below the loss"):
        majorizes(cleaned, lambda Y: 2 * ((X - Y) ** 2).sum(), at, [X, 2 * X])


def test_the_error_matrix_of_hubers_weights_is_the_soft_threshold():
    rng = np.random.default_rng(0)
    X, WH = rng.random((6, 8)), 5 * rng.random((6, 8))
    E, cutoff = X - WH, 0.4
    Q = np.minimum(1, cutoff / np.abs(E))
    Q[0], E[0], WH[0] = 1, 0.1, X[0] - 0.1  # one entry of a sample counts in full: d is one
    M, d = clean(X, E, Q)
    assert d is None
    np.testing.assert_allclose(M, X - soft_threshold(E, cutoff), atol=1e-14)
    np.testing.assert_allclose(M, Q * X + (1 - Q) * WH, atol=1e-14)
    np.testing.assert_array_equal(M, clean(X, E, Q.copy(), out=Q)[0])


@given(data(scales=(1.0,)), st.floats(0.01, 5))
def test_the_best_column_errors_leave_the_data_nonnegative(problem, lam):
    A, r, _ = problem
    X = A.T
    WH = positive((X.shape[0], r), 1) @ positive((r, X.shape[1]), 2)
    assert (X - shrink_columns(X - WH, lam)).min() >= -1e-15


# ------------------------------------------------------------------------------ descent


@st.composite
def starts(draw, shape, r):
    """Draw W and H with zeros, zero rows and columns, and components of any size."""
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    W, H = rng.random((shape[0], r)), rng.random((r, shape[1]))
    kind = draw(st.sampled_from(["full", "sparse", "W zero", "H zero", "dead", "huge", "tiny"]))
    if kind == "sparse":
        W *= rng.random(W.shape) < 0.4
        H *= rng.random(H.shape) < 0.4
    elif kind == "W zero":
        W[:] = 0
    elif kind == "H zero":
        H[:] = 0
    elif kind == "dead":
        W[:, 0], H[0] = 0, 0
        H[:, 0] = 0
    elif kind == "huge":
        W *= 1e4
    elif kind == "tiny":
        H *= 1e-8
    return W, H


@pytest.mark.parametrize("name", MODELS)
@given(drawn=st.data())
def test_every_loss_descends_from_every_start(name, drawn):
    A, r, unit = drawn.draw(data())
    W, H = drawn.draw(starts(A.T.shape, r))
    look = MODELS[name](A.T, 0.3 * unit)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        history, W, H = run(look, W * unit, H, passes=15)
    assert np.isfinite(W).all() and np.isfinite(H).all() and W.min() >= 0 and H.min() >= 0
    descends(history)


@pytest.mark.parametrize("name", MODELS)
def test_a_step_lowers_the_loss_by_what_it_promises(name):
    X, W, H = positive((9, 20), 0), positive((9, 3), 1), positive((3, 20), 2)
    X[3, 4] = X[7, 1] = 30.0
    look = MODELS[name](X, 3.0 if name == "capped" else 0.3)  # some columns within the cap
    for _ in range(5):
        seen = look(W, H)
        W, H, drop = fit(seen.M, W, H, weights=seen.weights, WtM=seen.WtM)
        assert drop > 0
        assert look(W, H).objective <= (seen.objective - drop) * (1 + 1e-12)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "L21"])  # which has kinks
def test_it_ends_where_the_slope_of_the_loss_says(name):
    """At the end W and H meet the KKT conditions of the loss, by finite differences."""
    X, W, H = positive((6, 5), 0), positive((6, 2), 1), positive((2, 5), 2)
    look = MODELS[name](X, 0.3)
    _, W, H = run(look, W, H, passes=3000)

    def slopes(V, objective):
        G = np.empty_like(V)
        for place in np.ndindex(V.shape):
            step = np.zeros_like(V)
            step[place] = 1e-6
            G[place] = (objective(V + step) - objective(V - step)) / 2e-6
        return G

    GW = slopes(W, lambda V: look(V, H).objective)
    GH = slopes(H, lambda V: look(W, V).objective)
    assert kkt_residual(W, GW) < 1e-5 and kkt_residual(H, GH) < 1e-5


def test_the_wrong_weights_are_caught():
    """The other mutant of the page: cleaned with the weights of another loss."""
    X, W, H = positive((9, 7), 0), positive((9, 3), 1), positive((3, 7), 2)
    X[3, 4] = X[7, 1] = 30.0
    right, wrong = entrywise("Cauchy", X, 0.3), entrywise("Huber", X, 0.3)
    history = []
    for _ in range(40):
        history.append(right(W, H).objective)
        W, H, _ = fit(wrong(W, H).M, W, H)
    with pytest.raises(AssertionError, match="raises the objective"):
        decreases(history)


def test_it_descends_in_single_precision():
    for name in MODELS:
        X, W, H = (positive(s, k).astype("f4") for k, s in enumerate([(9, 7), (9, 3), (3, 7)]))
        history, W, H = run(MODELS[name](X, np.float32(0.3)), W, H, passes=50)
        assert W.dtype == H.dtype == np.float32
        descends(history, rtol=1e-5)


# ------------------------------------------------------------------------------ going further


def test_further_goes_half_as_far_again_but_not_to_zero():
    before = Fit(np.array([[1.0, 4.0]]), np.array([[2.0], [2.0]]), 0.0)
    step = Fit(np.array([[2.0, 1.0]]), np.array([[2.0], [1.0]]), 0.0)
    W, H, seen = further(lambda W, H: Seen(7.0, W), step, before, 7.0)
    np.testing.assert_array_equal(W, [[2.5, 0.1]])  # no zero that the step has not
    np.testing.assert_array_equal(H, [[2.0], [0.5]])
    assert seen.M is W


def test_further_takes_the_step_itself_where_beyond_is_higher():
    before, step = (Fit(np.full((1, 1), s), np.ones((1, 1)), 0.0) for s in (1.0, 2.0))
    for start in (before, None):
        W, _, seen = further(lambda W, H: Seen(float(W.item()), W), step, start, 2.0)
        assert W.item() == 2.0 and seen.objective == 2.0


def test_further_pays():
    """In passes to the same objective; the constant is worth its line."""
    X = positive((40, 30), 0) @ np.diag(positive(30, 3))
    X[np.indices(X.shape).sum(axis=0) % 7 == 0] = 5.0
    look, W, H = entrywise("Cauchy", X, 0.1), positive((40, 5), 1), positive((5, 30), 2)
    history, *_ = run(look, W, H, passes=60)
    V, G = W, H
    for _ in range(75):
        V, G, _ = fit(look(V, G).M, V, G)
    assert history[-1] < look(V, G).objective


# ------------------------------------------------------------------------------ missing entries


def test_missing_entries_of_a_column_are_rows_left_out():
    rng = np.random.default_rng(0)
    W, X, observed = rng.random((9, 3)), rng.random((9, 5)), rng.random((9, 5)) < 0.7
    H = rng.random((3, 5))
    for _ in range(3000):
        M, _ = clean(X, X - W @ H, observed.astype(float))
        H = descend_rows(W.T @ W, W.T @ M, H)
    for j, seen in enumerate(observed.T):
        np.testing.assert_allclose(H[:, j], scipy_nnls(W[seen], X[seen, j])[0], atol=1e-9)


def test_what_stands_at_a_missing_entry_does_not_matter():
    X, W, H = positive((9, 7), 0), positive((9, 3), 1), positive((3, 7), 2)
    observed = half_of(X.shape)
    other = np.where(observed, X, 5.0)
    first, second = (run(entrywise("Huber", Y, 0.3, observed), W, H, 30) for Y in (X, other))
    same_iterates([first[1] @ first[2]], [second[1] @ second[2]], rtol=1e-9)


def test_no_search_finds_a_better_fit_to_the_entries_that_are_there():
    rng = np.random.default_rng(0)
    X, observed = rng.random((3, 4)), np.ones((3, 4), bool)
    observed[0, 1] = observed[2, 3] = observed[1, 0] = False

    def squares(v):
        W, H = v[:3, None], v[None, 3:]
        return float((np.where(observed, X - W @ H, 0) ** 2).sum())

    searched = min(
        minimize(
            squares, rng.random(7), bounds=[(0, None)] * 7, options={"ftol": 1e-15, "gtol": 1e-10}
        ).fun
        for _ in range(20)
    )
    look = entrywise("plain", X, 1.0, observed)
    found = min(run(look, rng.random((3, 1)), rng.random((1, 4)), 500)[0][-1] for _ in range(20))
    assert abs(found - searched) < 1e-9 * searched


def test_a_further_point_that_does_not_beat_the_step_is_left():
    """What is tried beyond is as good as before the pass, but not as good as the step."""
    M = positive((6, 5), seed=4)

    def look(W, H):
        return Seen(float(((M - W @ H) ** 2).sum()), M)

    W, H = positive((6, 2), seed=5), positive((2, 5), seed=6)
    W, H, seen, before = coordinate_pass(look, W, H, look(W, H), None)
    looked = []

    def level(V, G):
        looked.append(V)
        return Seen(seen.objective, M)

    V, G, _, step = coordinate_pass(level, W, H, seen, before)
    assert step.drop > 0 and len(looked) == 2
    assert V is step.W and G is step.H


def test_no_sample_has_no_cleaned_data():
    M, weights = clean(np.ones((3, 0)), np.ones((3, 0)), np.ones((3, 0)))
    assert M.shape == (3, 0) and weights is None


def test_only_samples_below_one_half_are_cleaned_with_larger_weights():
    Q = np.array([[0.25, 0.5, 0.8, 0.1], [0.4, 0.2, 0.3, 0.6]])
    E = positive((2, 4), seed=7)
    X = E + positive((2, 4), seed=8)
    M, weights = clean(X, E, Q)
    assert weights.tolist() == [0.4, 1, 1, 1]
    np.testing.assert_allclose(M, X - (1 - Q / weights) * E, rtol=1e-14)


def test_a_fit_takes_as_many_rounds_as_it_is_told():
    M, W, H = positive((6, 5), seed=4), positive((6, 2), seed=5), positive((2, 5), seed=6)
    for rounds in (1, 3):
        step = fit(M, W, H, rounds=rounds)
        expected = descend_rows(W.T @ W, W.T @ M, H, rounds)
        np.testing.assert_allclose(step.H, expected, rtol=1e-12)
        expected = descend_rows(step.H @ step.H.T, step.H @ M.T, W.T, rounds).T
        np.testing.assert_allclose(step.W, expected, rtol=1e-12)


def test_a_row_moves_where_its_diagonal_is_the_least_normal_number():
    tiny = np.finfo(float).tiny
    gram = np.diag([tiny, tiny / 2, 1.0])
    found = descend_rows(gram, gram @ np.full((3, 2), 2.0), np.ones((3, 2)))
    assert found.tolist() == [[2.0, 2.0], [1.0, 1.0], [2.0, 2.0]]


def test_products_at_hand_are_used():
    M, W, H = positive((6, 5), seed=4), positive((6, 2), seed=5), positive((2, 5), seed=6)
    found = fit(M, W, H, WtM=2 * (W.T @ M))
    np.testing.assert_allclose(found.H, descend_rows(W.T @ W, W.T @ (2 * M), H), rtol=1e-12)


def test_rows_come_back_one_after_the_other_in_memory():
    M, W, H = positive((6, 5), seed=4), positive((6, 2), seed=5), positive((2, 5), seed=6)
    assert descend_rows(W.T @ W, W.T @ M, np.asfortranarray(H)).flags.c_contiguous


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_row_stays_whose_diagonal_is_no_normal_number_of_its_type(dtype):
    tiny = np.finfo(dtype).tiny
    gram = np.diag(np.array([tiny / 2, 1.0], dtype))
    found = descend_rows(gram, gram @ np.full((2, 3), 2, dtype), np.ones((2, 3), dtype))
    assert found.dtype == dtype
    assert found.tolist() == [[1.0] * 3, [2.0] * 3]


def test_the_drop_is_summed_in_double():
    w = np.full((9, 1), 1 + 2.0**-12, np.float32)  # its square needs 24 binary places
    one, nothing = np.ones((1, 1), np.float32), np.zeros((1, 9), np.float32)
    step = fit_basis(w, np.ones((1, 3), np.float32), 0.0, one, nothing)
    assert not step.W.any() and step.drop == 9 * (1 + 2.0**-12) ** 2


def test_samples_whose_largest_weight_is_one_half_count_in_full():
    X, E, Q = np.ones((2, 3)), positive((2, 3), seed=1), np.array([[0.5, 0.7, 0.5], [0.3, 0.6, 0]])
    M, weights = clean(X, E, Q)
    assert weights is None
    np.testing.assert_allclose(M, X - (1 - Q) * E, rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sample_without_weights_counts_the_least_that_its_type_holds(dtype):
    X, Q = np.full((2, 2), 3, dtype), np.array([[0, 1], [0, 0.25]], dtype)
    M, weights = clean(X, X - 1, Q)
    assert M.dtype == weights.dtype == dtype
    assert M.tolist() == [[1.0, 3.0], [1.0, 1.5]]
    assert weights.tolist() == [np.finfo(dtype).tiny, 1]


def test_a_pass_uses_the_product_that_was_seen():
    M, W, H = positive((6, 5), seed=4), positive((6, 2), seed=5), positive((2, 5), seed=6)
    seen = Seen(0.0, M, None, 2 * (W.T @ M))
    step = coordinate_pass(lambda W, H: seen, W, H, seen, None)[-1]
    np.testing.assert_allclose(step.H, descend_rows(W.T @ W, 2 * (W.T @ M), H), rtol=1e-12)


def test_the_fall_of_both_halves_is_added():
    gram, B = np.eye(1), 3 * np.eye(1)
    basis, H = np.ones((1, 1)), np.ones((1, 2))
    alone = fit_basis(basis, H, 0.0, gram, B).drop
    assert fit_basis(basis, H, 2.5, gram, B).drop == alone + 2.5
